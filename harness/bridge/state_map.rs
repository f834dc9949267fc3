// SPDX-License-Identifier: MIT OR Apache-2.0
//! The state map: for every group of registers of [`Layout`], the variable of the RTL that holds
//! it. Comparison, trace and report read the RTL through it; nothing else knows RTL names.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use drra_golden::Block;
use drra_golden::Fabric;
use drra_golden::Group;
use drra_golden::Layout;
use drra_golden::Owner;
use drra_golden::Unit;
use drra_isa::Geometry;
use drra_lockstep::DutError;
use drra_lockstep::StateSource;

use super::sim::Memory;
use super::sim::Sim;

/// Instance path of a unit in the RTL.
pub fn scope(layout_cols: usize, unit: Unit) -> String {
    let (row, col) = (unit.index / layout_cols, unit.index % layout_cols);
    match unit.owner {
        Owner::Cell => format!("drra_fabric.gen_row[{row}].gen_col[{col}].u_cell"),
        Owner::Column => format!("drra_fabric.gen_column[{}].u_column", unit.index),
        Owner::Tile => format!("drra_fabric.gen_tile_row[{}].gen_tile_col[{col}].u_tile", row + 1),
        Owner::Fabric => "drra_fabric".to_owned(),
    }
}

/// The unit that an instance path leads into.
pub fn unit_at(layout_cols: usize, path: &str) -> Option<Unit> {
    let number = |prefix: &str| {
        let rest = path.split_once(prefix)?.1.strip_prefix('[')?;
        rest.split(']').next()?.parse::<usize>().ok()
    };
    if let (Some(row), Some(col)) = (number(".gen_row"), number(".gen_col")) {
        return Some(Unit { owner: Owner::Cell, index: row * layout_cols + col });
    }
    if let (Some(row), Some(col)) = (number(".gen_tile_row"), number(".gen_tile_col")) {
        return Some(Unit { owner: Owner::Tile, index: (row - 1) * layout_cols + col });
    }
    number(".gen_column").map(|index| Unit { owner: Owner::Column, index })
}

/// Instance below the unit and variable of a group.
///
/// # Panics
/// If the group has no row here; a test asks for every group.
pub fn variable(group: &Group) -> (String, String) {
    let name = group.name.as_str();
    let at = |instance: &str, variable: &str| (instance.to_owned(), format!("{variable}_q"));
    // `base[key]` or `base[key].rest`
    let indexed = || {
        let (base, rest) = name.split_once('[')?;
        let (key, rest) = rest.split_once(']')?;
        Some((base, key, rest))
    };
    let agu = |key: &str| {
        let k = ["w0", "w1", "wb", "r0", "r1", "rb"].iter().position(|a| *a == key);
        k.expect("name of an AGU")
    };
    let side = |key: &str| ["N", "S", "E", "W"].iter().position(|s| *s == key).expect("side");
    match (group.owner, name) {
        (Owner::Cell, "seq.core") => at("u_seq", "core"),
        (Owner::Cell, "seq.imem") => at("u_seq", "imem"),
        (Owner::Cell, "seq.imem_imm") => at("u_seq", "imem_imm"),
        (Owner::Cell, "seq.immediate") => at("u_seq", "immediate"),
        (Owner::Cell, "seq.refi") => at("u_seq", "refi"),
        (Owner::Cell, "seq.dpu") => at("u_seq", "dpu"),
        (Owner::Cell, "seq.sh_raccu") => at("u_seq.u_raccu", "sh_raccu"),
        (Owner::Cell, "seq.raccu_reg") => at("u_seq.u_raccu", "raccu_reg"),
        (Owner::Cell, "seq.sh_loop") => at("u_seq.u_loop_unit", "sh_loop"),
        (Owner::Cell, "swb.iss") => at("u_swb", "iss"),
        (Owner::Cell, "swb.swb_cfg") => at("u_swb", "cfg"),
        (Owner::Cell, "noc.noc_stage") => at("u_noc", "noc_stage"),
        (Owner::Cell, "noc.noc_shadow") => at("u_noc", "noc_shadow"),
        (Owner::Cell, "perm.perm_stage") => at("u_perm", "perm_stage"),
        (Owner::Cell, "perm.perm_shadow") => at("u_perm", "perm_shadow"),
        (Owner::Cell, "rf.mem") => at("u_rf", "mem"),
        (Owner::Cell, "dpu.sh") => at("u_dpu", "sh"),
        (Owner::Cell, "dpu.cfg") => at("u_dpu", "cfg"),
        (Owner::Cell, "dpu.ir0") => at("u_dpu", "ir0"),
        (Owner::Cell, "dpu.ir1") => at("u_dpu", "ir1"),
        (Owner::Cell, "dpu.sm_reg") => at("u_dpu", "sm_reg"),
        (Owner::Cell, "dpu.div_p1") => at("u_dpu.u_divider", "div_p1"),
        (Owner::Cell, "dpu.div_p2") => at("u_dpu.u_divider", "div_p2"),
        (Owner::Cell, "dpu.div_p3") => at("u_dpu.u_divider", "div_p3"),
        (Owner::Cell, "dpu.pack_reg") => at("u_dpu.u_scaler", "pack_reg"),
        (Owner::Cell, "dpu.pack_phase") => at("u_dpu.u_scaler", "pack_phase"),
        (Owner::Column, "io_rd.st") => at("u_io_rd", "st"),
        (Owner::Column, "io_wr.st") => at("u_io_wr", "st"),
        (Owner::Column, "io_rd.cfg") => at("u_io_rd", "cfg"),
        (Owner::Column, "io_wr.cfg") => at("u_io_wr", "cfg"),
        (Owner::Column, _) => at("", name),
        (Owner::Tile, "mem_rvalid") => at("u_mem", "mem_rvalid"),
        (Owner::Tile, "mem_q") => at("u_mem", "mem"),
        (Owner::Tile, "xsel") => at("u_xbar", "xsel"),
        (Owner::Tile, "xout") => at("u_xbar", "xout"),
        (Owner::Tile, "rd.st") => at("u_rd", "st"),
        (Owner::Tile, "wr.st") => at("u_wr", "st"),
        (Owner::Tile, "rd.cfg") => at("u_rd", "cfg"),
        (Owner::Tile, "wr.cfg") => at("u_wr", "cfg"),
        (Owner::Tile, "segs" | "init" | "init_data") => at("", name),
        (Owner::Fabric, "ld_pipe") => at("", "ld_pipe"),
        (owner, _) => match (owner, indexed()) {
            (Owner::Cell, Some(("seq.loop", k, ""))) => {
                at(&format!("u_seq.u_loop_unit.gen_slot[{k}].u_slot"), "loop")
            }
            (Owner::Cell, Some(("rf.sh", k, ""))) => {
                at(&format!("u_rf.gen_agu[{}].u_shadow", agu(k)), "sh")
            }
            (Owner::Cell, Some(("rf.agu", k, rest))) => {
                at(&format!("u_rf.gen_agu[{}].u_agu", agu(k)), rest.trim_start_matches('.'))
            }
            (Owner::Cell, Some(("dpu.acc", ch, ""))) => at(&format!("u_dpu.u_channel{ch}"), "acc"),
            (Owner::Cell, Some(("dpu.status", ch, ""))) => {
                at(&format!("u_dpu.u_channel{ch}"), "status")
            }
            (Owner::Cell, Some(("dpu.prev_op", ch, ""))) => {
                at(&format!("u_dpu.u_channel{ch}"), "prev_op")
            }
            (Owner::Tile, Some(("side", x, rest))) => {
                at(&format!("gen_side[{}].u_side", side(x)), rest.trim_start_matches('.'))
            }
            _ => panic!("no RTL variable for {owner:?} {name}"),
        },
    }
}

/// Bytes of a group in the model: the storage classes of Verilator.
fn storage_bytes(bits: u32) -> usize {
    match bits {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        33..=64 => 8,
        _ => bits.div_ceil(32) as usize * 4,
    }
}

/// Where a group is on both sides: bytes from the base of the unit in the model, first word in the
/// golden image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    offset: u32,
    slot: u32,
    bytes: u32,
}

/// The places of one kind of owner. All instances of a module have one layout, so that one table
/// serves them all and stays in the cache; places are sorted by size, so that each size is compared
/// in a tight loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OwnerMap {
    /// In table order, for reading.
    all: Vec<Place>,
    one: Vec<Place>,
    two: Vec<Place>,
    four: Vec<Place>,
    eight: Vec<Place>,
    wide: Vec<Place>,
    /// `mem_q` of a tile, compared only while `mem_rvalid` is 1.
    mem_q: Option<Place>,
    words: usize,
}

/// What all models have in common: which variables there are and how they lie. Found by name once;
/// every other model differs by the place of the whole only.
#[derive(Debug)]
struct Shape {
    geometry: Geometry,
    layout: Arc<Layout>,
    units: Vec<Unit>,
    /// Per unit: lowest address of its registers from that of the first unit, index of its table.
    places: Vec<(isize, usize)>,
    maps: Vec<OwnerMap>,
    /// Memories of the tiles, counted alike.
    srams: Vec<isize>,
}

/// The state of one [`Sim`], readable in place.
///
/// The map holds pointers into the model: it must not outlive the `Sim` it was made for, and the
/// model must not be evaluated during a call. [`drra_lockstep`] keeps both in one structure.
#[derive(Debug)]
pub struct StateMap {
    shape: Arc<Shape>,
    /// Per unit: lowest address of its registers, and index of its table.
    bases: Vec<(*const u8, usize)>,
    srams: Vec<*const u8>,
}

// SAFETY: the pointers lead into a model that is owned by one thread at a time together with the
// map; nothing is shared.
unsafe impl Send for StateMap {}

impl Shape {
    /// Finds every variable by name. Returns the address of the first unit, too.
    fn find(
        sim: &Sim,
        layout: &Arc<Layout>,
        geometry: &Geometry,
    ) -> Result<(Self, usize), DutError> {
        let units = layout.units();
        let mut maps: Vec<OwnerMap> = Vec::new();
        let mut bases = Vec::new();
        let mut srams = Vec::new();
        for &unit in &units {
            let scope = scope(geometry.columns, unit);
            let mut found = Vec::new();
            for group in layout.groups_of(unit.owner) {
                let (instance, name) = variable(group);
                let bytes = storage_bytes(group.bits);
                found.push((group, address(sim, &scope, &instance, &name, bytes)?, bytes));
            }
            let base = found.iter().map(|f| f.1).min().unwrap_or(0);
            let mut owner_map = OwnerMap::default();
            for (group, address, bytes) in found {
                let offset = u32::try_from(address - base).map_err(|_| {
                    DutError::Map(format!("{scope} is spread over more than 4 GiB"))
                })?;
                owner_map
                    .add(group, Place { offset, slot: group.slot as u32, bytes: bytes as u32 });
            }
            let table = maps.iter().position(|m| *m == owner_map).unwrap_or_else(|| {
                maps.push(owner_map);
                maps.len() - 1
            });
            bases.push((base, table));
            if unit.owner == Owner::Tile {
                let bytes = geometry.sram_blocks * size_of::<Block>();
                srams.push(address(sim, &scope, "u_mem", "sram_q", bytes)?);
            }
        }
        let first = bases[0].0;
        let from_first = |address: usize| address as isize - first as isize;
        let shape = Self {
            geometry: *geometry,
            layout: Arc::clone(layout),
            units,
            places: bases.iter().map(|(base, table)| (from_first(*base), *table)).collect(),
            maps,
            srams: srams.into_iter().map(from_first).collect(),
        };
        Ok((shape, first))
    }

    /// Address of the first unit in a model of this shape; `None` if the model has another one: its
    /// last register is not where the shape says.
    fn locate(&self, sim: &Sim) -> Option<usize> {
        let address_of = |index: usize| {
            let (unit, (offset, table)) = (self.units[index], self.places[index]);
            let group = self.layout.groups_of(unit.owner).next()?;
            let (instance, name) = variable(group);
            let scope = scope(self.geometry.columns, unit);
            let found = address(sim, &scope, &instance, &name, storage_bytes(group.bits)).ok()?;
            Some((found - self.maps[table].all[0].offset as usize) as isize - offset)
        };
        let first = address_of(0)?;
        (address_of(self.units.len() - 1)? == first).then_some(first as usize)
    }
}

/// Address of a variable that has so many bytes.
fn address(
    sim: &Sim,
    scope: &str,
    instance: &str,
    name: &str,
    bytes: usize,
) -> Result<usize, DutError> {
    let path = if instance.is_empty() { scope.to_owned() } else { format!("{scope}.{instance}") };
    let Memory { address, bytes: found } = sim.memory(&path, name)?;
    if found != bytes {
        let what = format!("{path}.{name} has {found} bytes, the state map says {bytes}");
        return Err(DutError::Map(what));
    }
    Ok(address)
}

impl StateMap {
    /// Finds every variable.
    ///
    /// # Errors
    /// If the model lacks a variable or one has another size than the table says: a defect of the
    /// build, not of the design under test.
    pub fn new(sim: &Sim, layout: &Arc<Layout>, geometry: &Geometry) -> Result<Self, DutError> {
        static KNOWN: Mutex<Option<Arc<Shape>>> = Mutex::new(None);
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let known = known.filter(|s| s.geometry == *geometry);
        let (shape, first) = match known.and_then(|s| s.locate(sim).map(|first| (s, first))) {
            Some(found) => found,
            None => {
                let (shape, first) = Shape::find(sim, layout, geometry)?;
                let shape = Arc::new(shape);
                *KNOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&shape));
                (shape, first)
            }
        };
        let at = |offset: isize| first.wrapping_add_signed(offset) as *const u8;
        Ok(Self {
            bases: shape.places.iter().map(|(offset, table)| (at(*offset), *table)).collect(),
            srams: shape.srams.iter().map(|offset| at(*offset)).collect(),
            shape,
        })
    }

    /// True if all registers agree. The memories of the tiles are compared by [`Self::sram_row`]
    /// and [`Self::srams_agree`].
    #[inline]
    pub fn agrees(&self, golden: &Fabric) -> bool {
        self.shape.units.iter().zip(&self.bases).all(|(unit, &(base, table))| {
            let map = &self.shape.maps[table];
            let image = golden.image(unit.owner, unit.index);
            // SAFETY: the table was made for this unit, whose registers start at `base`.
            let same = unsafe { map.agrees(base, image) };
            let hidden = || unit.owner != Owner::Tile || !golden.mem_rvalid(unit.index);
            // SAFETY: as above.
            same && (hidden() || map.mem_q.is_none_or(|p| unsafe { p.agrees_wide(base, image) }))
        })
    }

    /// True if a row of a tile's memory agrees.
    #[inline]
    pub fn sram_row(&self, golden: &Fabric, tile: usize, row: usize) -> bool {
        self.sram_block(tile, row) == golden.sram(tile)[row]
    }

    /// True if all memories agree.
    pub fn srams_agree(&self, golden: &Fabric) -> bool {
        (0..self.srams.len()).all(|tile| self.sram_bytes(tile) == bytes_of(golden.sram(tile)))
    }

    /// The memory of a tile: blocks of eight 32-bit words, lowest first.
    fn sram_bytes(&self, tile: usize) -> &[u8] {
        // SAFETY:
        // * the variable has `sram_blocks` blocks, checked in `new`;
        // * the model lives and is not evaluated while `self` is borrowed.
        unsafe {
            std::slice::from_raw_parts(
                self.srams[tile],
                self.shape.geometry.sram_blocks * size_of::<Block>(),
            )
        }
    }

    /// Flips one bit of a register in the model. The register is given by its unit and its path without
    /// the owner. False if there is no such bit.
    pub fn flip(&mut self, unit: Unit, register: &str, bit: u32) -> bool {
        let Some(index) = self.shape.units.iter().position(|u| *u == unit) else { return false };
        if let Some(row) = register.strip_prefix("sram[") {
            let row = row.trim_end_matches(']').parse::<usize>();
            let rows = self.shape.geometry.sram_blocks;
            let Some(row) = row.ok().filter(|r| *r < rows && bit < 256) else { return false };
            let byte = row * size_of::<Block>() + bit as usize / 8;
            // SAFETY: as in `sram_bytes`, and the model's memory is writable.
            unsafe { *self.srams[unit.index].cast_mut().add(byte) ^= 1 << (bit % 8) };
            return true;
        }
        let (base, table) = self.bases[index];
        for (group, place) in
            self.shape.layout.groups_of(unit.owner).zip(&self.shape.maps[table].all)
        {
            let found = group.registers.iter().find(|r| r.path == register);
            if let Some(r) = found.filter(|r| bit < r.width) {
                let bit = r.lsb + bit;
                let byte = place.offset as usize + bit as usize / 8;
                // SAFETY: the bit lies within the variable, whose size was checked; the model's
                // memory is writable.
                unsafe { *base.cast_mut().add(byte) ^= 1 << (bit % 8) };
                return true;
            }
        }
        false
    }
}

impl StateSource for StateMap {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        let index = self.shape.units.iter().position(|u| *u == unit).expect("unit of the fabric");
        let (base, table) = self.bases[index];
        let map = &self.shape.maps[table];
        image.clear();
        image.resize(map.words, 0);
        for place in &map.all {
            for i in 0..place.bytes as usize {
                // SAFETY: `i` lies within the variable.
                let byte = unsafe { *base.add(place.offset as usize + i) };
                image[place.slot as usize + i / 8] |= u64::from(byte) << (8 * (i % 8));
            }
        }
    }

    fn sram_block(&self, tile: usize, address: usize) -> Block {
        let bytes = &self.sram_bytes(tile)[address * size_of::<Block>()..][..size_of::<Block>()];
        std::array::from_fn(|i| {
            u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().expect("eight"))
        })
    }
}

impl OwnerMap {
    fn add(&mut self, group: &Group, place: Place) {
        self.words = group.slot + group.bits.div_ceil(64) as usize;
        self.all.push(place);
        match place.bytes {
            _ if group.owner == Owner::Tile && group.name == "mem_q" => self.mem_q = Some(place),
            1 => self.one.push(place),
            2 => self.two.push(place),
            4 => self.four.push(place),
            8 => self.eight.push(place),
            _ => self.wide.push(place),
        }
    }

    /// Compares the registers of a unit with its golden image.
    ///
    /// # Safety
    /// * `base` must be the base of a unit for which this table was made;
    /// * the model must be alive and not be evaluated meanwhile.
    #[inline]
    unsafe fn agrees(&self, base: *const u8, image: &[u64]) -> bool {
        assert!(image.len() >= self.words, "image of the unit");
        let mut differ = 0;
        for p in &self.eight {
            // SAFETY: a variable of eight bytes, aligned as a member of its class; the slot lies
            // within the image by the assertion above. The same holds for the other sizes.
            differ |= unsafe { *base.add(p.offset as usize).cast::<u64>() ^ p.word(image) };
        }
        for p in &self.four {
            // SAFETY: as above, four bytes.
            differ |=
                unsafe { u64::from(*base.add(p.offset as usize).cast::<u32>()) ^ p.word(image) };
        }
        for p in &self.two {
            // SAFETY: as above, two bytes.
            differ |=
                unsafe { u64::from(*base.add(p.offset as usize).cast::<u16>()) ^ p.word(image) };
        }
        for p in &self.one {
            // SAFETY: as above, one byte.
            differ |= unsafe { u64::from(*base.add(p.offset as usize)) ^ p.word(image) };
        }
        // SAFETY: as above.
        differ == 0 && self.wide.iter().all(|p| unsafe { p.agrees_wide(base, image) })
    }
}

impl Place {
    /// The golden word of a register that fits into one.
    ///
    /// # Safety
    /// The slot must lie within the image.
    #[inline]
    unsafe fn word(&self, image: &[u64]) -> u64 {
        // SAFETY: promised by the caller.
        unsafe { *image.get_unchecked(self.slot as usize) }
    }

    /// Compares a variable of several 32-bit words with the words of the image.
    ///
    /// # Safety
    /// As for [`OwnerMap::agrees`].
    #[inline]
    unsafe fn agrees_wide(&self, base: *const u8, image: &[u64]) -> bool {
        let (slot, bytes) = (self.slot as usize, self.bytes as usize);
        let words = &image[slot..slot + bytes.div_ceil(8)];
        // SAFETY: the variable has `bytes` bytes, and the model is not evaluated meanwhile.
        let rtl = unsafe { std::slice::from_raw_parts(base.add(self.offset as usize), bytes) };
        rtl == &bytes_of(words)[..bytes]
    }
}

/// The bytes of numbers in memory order, which is that of the model on a little-endian machine.
fn bytes_of<T: Pod>(values: &[T]) -> &[u8] {
    const { assert!(cfg!(target_endian = "little"), "images are compared in place") };
    // SAFETY: `Pod` types are plain numbers without padding; the length is that of the slice.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// Plain numbers without padding.
trait Pod {}
impl Pod for u64 {}
impl Pod for Block {}
