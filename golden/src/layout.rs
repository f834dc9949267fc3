// SPDX-License-Identifier: MIT OR Apache-2.0
//! Layout of the register images, and the canonical path of every register (chapter 5, section 7).
//!
//! A [`Group`] is a set of registers that are stored together, packed in the order in which their
//! chapter lists them, first field in the upper bits. The groups of one owner follow each other in
//! its image; a group starts at a word of its own.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use std::fmt;
use std::fmt::Write;

use drra_isa::Geometry;

use crate::fabric::bits_for;

/// What an image belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// A cell (r,c), index r*cols+c.
    Cell,
    /// A column c, index c.
    Column,
    /// A tile (R,c), R from 1, index (R-1)*cols+c.
    Tile,
    /// The load pipeline, index 0.
    Fabric,
}

/// One owner, with its coordinates in the canonical path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unit {
    /// What it is.
    pub owner: Owner,
    /// Its index.
    pub index: usize,
}

/// One register: a bit field of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Path without the owner, for example `rf.agu[w0].addr_reg`.
    pub path: String,
    /// Width in bits, at most 256.
    pub width: u32,
    /// Lowest bit within the group.
    pub lsb: u32,
}

impl Register {
    /// The value in the words of its group, as 64-bit words, low word first.
    pub fn value(&self, words: &[u64]) -> Vec<u64> {
        (0..self.width.div_ceil(64))
            .map(|i| {
                let bits = (self.width - 64 * i).min(64);
                let at = self.lsb + 64 * i;
                let (word, shift) = ((at / 64) as usize, at % 64);
                let low = words[word] >> shift;
                let high = if shift > 0 && shift + bits > 64 {
                    words[word + 1] << (64 - shift)
                } else {
                    0
                };
                let all = low | high;
                if bits == 64 { all } else { all & ((1 << bits) - 1) }
            })
            .collect()
    }
}

/// A value as `0x..` with as many digits as the width needs.
pub(crate) fn hex(value: &[u64], width: u32) -> String {
    let digits = width.div_ceil(4) as usize;
    let mut all = String::new();
    for word in value.iter().rev() {
        write!(all, "{word:016x}").expect("writing to a string");
    }
    format!("0x{}", &all[all.len() - digits..])
}

/// Registers that are stored together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Owner kind.
    pub owner: Owner,
    /// Name, unique within the owner kind, for example `rf.agu[w0].p`.
    pub name: String,
    /// First word in the image.
    pub slot: usize,
    /// Bits of the whole group.
    pub bits: u32,
    /// Elements, each of `bits / count` bits.
    pub count: u32,
    /// Its registers in table order.
    pub registers: Vec<Register>,
}

impl Group {
    /// Words of the group in the image.
    pub fn words<'a>(&self, image: &'a [u64]) -> &'a [u64] {
        &image[self.slot..self.slot + self.bits.div_ceil(64) as usize]
    }
}

/// Word indices of a cell's groups.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CellSlots {
    pub(crate) words: usize,
    pub(crate) seq_core: usize,
    pub(crate) seq_imem: usize,
    pub(crate) seq_imem_imm: usize,
    pub(crate) seq_sh_raccu: usize,
    pub(crate) seq_sh_loop: usize,
    pub(crate) seq_raccu: usize,
    pub(crate) seq_loop: usize,
    pub(crate) seq_immediate: usize,
    pub(crate) seq_refi: usize,
    pub(crate) seq_dpu: usize,
    pub(crate) swb_iss: usize,
    pub(crate) swb_cfg: usize,
    pub(crate) noc_stage: usize,
    pub(crate) noc_shadow: usize,
    pub(crate) perm_stage: usize,
    pub(crate) perm_shadow: usize,
    pub(crate) rf_mem: usize,
    pub(crate) rf_shadow: usize,
    pub(crate) rf_pattern: usize,
    pub(crate) rf_state: usize,
    pub(crate) dpu_shadow: usize,
    pub(crate) dpu_config: usize,
    pub(crate) dpu_data: usize,
}

/// Word indices of a column's groups.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ColumnSlots {
    pub(crate) words: usize,
    pub(crate) row1: usize,
    pub(crate) row1_mask: usize,
    pub(crate) io_msg: usize,
    pub(crate) io_flow: usize,
    pub(crate) io_rdata: usize,
    pub(crate) io_wdata: usize,
    pub(crate) io_state: usize,
    pub(crate) io_cfg: usize,
}

/// Word indices of a tile's groups.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TileSlots {
    pub(crate) words: usize,
    pub(crate) segments: usize,
    pub(crate) mem_rvalid: usize,
    pub(crate) mem_q: usize,
    pub(crate) side_path: usize,
    pub(crate) side_fwd: usize,
    pub(crate) side_agu: usize,
    pub(crate) xsel: usize,
    pub(crate) xout: usize,
    pub(crate) agu_state: usize,
    pub(crate) agu_cfg: usize,
    pub(crate) init: usize,
    pub(crate) init_data: usize,
}

/// The layout of all images of a fabric.
#[derive(Clone, Debug)]
pub struct Layout {
    geometry: Geometry,
    groups: Vec<Group>,
    pub(crate) cell: CellSlots,
    pub(crate) column: ColumnSlots,
    pub(crate) tile: TileSlots,
}

/// Adds groups of one owner, one behind the other.
struct Builder {
    owner: Owner,
    next: usize,
    groups: Vec<Group>,
}

impl Builder {
    fn new(owner: Owner) -> Self {
        Self { owner, next: 0, groups: Vec::new() }
    }

    fn push(&mut self, name: &str, bits: u32, count: u32, registers: Vec<Register>) -> usize {
        let slot = self.next;
        self.next += bits.div_ceil(64) as usize;
        self.groups.push(Group {
            owner: self.owner,
            name: name.to_owned(),
            slot,
            bits,
            count,
            registers,
        });
        slot
    }

    /// Fields packed into one element, first field in the upper bits. `prefix` stands before the
    /// path of every field.
    fn packed(&mut self, name: &str, prefix: &str, fields: &[(&str, u32)]) -> usize {
        let bits: u32 = fields.iter().map(|(_, w)| w).sum();
        let mut lsb = bits;
        let registers = fields
            .iter()
            .map(|&(field, width)| {
                lsb -= width;
                Register { path: format!("{prefix}{field}"), width, lsb }
            })
            .collect();
        self.push(name, bits, 1, registers)
    }

    /// One register on its own.
    fn single(&mut self, path: &str, width: u32) -> usize {
        self.packed(path, "", &[(path, width)])
    }

    /// `count` elements of one register each; element k starts at bit k*stride.
    fn array(&mut self, path: &str, count: u32, width: u32, stride: u32) -> usize {
        let registers = (0..count)
            .map(|k| Register { path: format!("{path}[{k}]"), width, lsb: k * stride })
            .collect();
        self.push(path, count * stride, count, registers)
    }
}

const AGUS: [&str; 6] = ["w0", "w1", "wb", "r0", "r1", "rb"];
const SIDES: [&str; 4] = ["N", "S", "E", "W"];
const XBAR: [&str; 5] = ["N", "S", "E", "W", "MEM"];

impl Layout {
    /// The layout for a fabric of this size.
    ///
    /// # Panics
    /// If the geometry is not one of chapter 0, section 4.
    pub fn new(geometry: &Geometry) -> Arc<Self> {
        // Every fabric of a size has the same one, and making it takes as long as many cycles.
        static KNOWN: Mutex<Vec<Arc<Layout>>> = Mutex::new(Vec::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(layout) = known.iter().find(|l| l.geometry == *geometry) {
            return Arc::clone(layout);
        }
        let layout = Arc::new(Self::make(geometry));
        known.push(Arc::clone(&layout));
        layout
    }

    fn make(geometry: &Geometry) -> Self {
        let g = *geometry;
        assert!((2..=32).contains(&g.columns), "2 to 32 columns");
        assert!((1..=7).contains(&g.tile_rows), "1 to 7 tile rows");
        assert!(g.rf_words == 32 || g.rf_words == 64, "register files of 32 or 64 words");
        assert!(
            g.sram_blocks.is_power_of_two() && (2..=128).contains(&g.sram_blocks),
            "2 to 128 blocks per tile, a power of two"
        );
        let (cell_groups, cell) = cell_layout(&g);
        let (column_groups, column) = column_layout();
        let (tile_groups, tile) = tile_layout(&g);
        let groups = [cell_groups, column_groups, tile_groups, fabric_layout(&g)].concat();
        Self { geometry: g, groups, cell, column, tile }
    }

    /// All groups: of a cell, a column, a tile, the load pipeline, in table order.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Groups of one kind of owner.
    pub fn groups_of(&self, owner: Owner) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(move |g| g.owner == owner)
    }

    /// All units in table order: cells row-major, columns, tiles row-major, the load pipeline.
    pub fn units(&self) -> Vec<Unit> {
        let g = &self.geometry;
        [
            (Owner::Cell, g.cells()),
            (Owner::Column, g.columns),
            (Owner::Tile, g.tiles()),
            (Owner::Fabric, 1),
        ]
        .into_iter()
        .flat_map(|(owner, count)| (0..count).map(move |index| Unit { owner, index }))
        .collect()
    }

    /// Name of a unit: `cell[r][c]`, `col[c]`, `tile[R][c]`, or nothing for the load pipeline.
    pub fn unit_name(&self, unit: Unit) -> String {
        let cols = self.geometry.columns;
        let (row, col) = (unit.index / cols, unit.index % cols);
        match unit.owner {
            Owner::Cell => format!("cell[{row}][{col}]"),
            Owner::Column => format!("col[{}]", unit.index),
            Owner::Tile => format!("tile[{}][{col}]", row + 1),
            Owner::Fabric => String::new(),
        }
    }

    /// Canonical path of a register of a unit.
    pub fn path(&self, unit: Unit, register: &str) -> String {
        match unit.owner {
            Owner::Fabric => register.to_owned(),
            _ => format!("{}.{register}", self.unit_name(unit)),
        }
    }

    /// Number of state bits of the whole fabric, memories of the tiles included.
    pub fn state_bits(&self) -> u64 {
        let g = &self.geometry;
        let registers: u64 = self
            .units()
            .iter()
            .flat_map(|u| self.groups_of(u.owner))
            .flat_map(|group| &group.registers)
            .map(|r| u64::from(r.width))
            .sum();
        registers + (g.tiles() * g.sram_blocks * 256) as u64
    }

    /// A value as hexadecimal text of the right length.
    pub fn hex(value: &[u64], width: u32) -> String {
        hex(value, width)
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Chapter 5, 7.1.
#[expect(
    clippy::field_reassign_with_default,
    reason = "the groups follow each other in table order"
)]
fn cell_layout(g: &Geometry) -> (Vec<Group>, CellSlots) {
    let mut b = Builder::new(Owner::Cell);
    let mut s = CellSlots::default();
    s.seq_core = b.packed(
        "seq.core",
        "seq.",
        &[
            ("state", 2),
            ("load_count", 6),
            ("pc", 6),
            ("wait_count", 15),
            ("pend_valid", 1),
            ("pend_pc", 6),
        ],
    );
    s.seq_imem = b.array("seq.imem", 64, 27, 32);
    s.seq_imem_imm = b.array("seq.imem_imm", 64, 1, 1);
    s.seq_sh_raccu =
        b.packed("seq.sh_raccu", "seq.sh_raccu.", &[("mode", 3), ("a", 7), ("b", 7), ("dst", 4)]);
    s.seq_sh_loop = b.packed(
        "seq.sh_loop",
        "seq.sh_loop.",
        &[
            ("valid", 1),
            ("id", 2),
            ("start_pc", 6),
            ("end_pc", 6),
            ("start", 6),
            ("iter", 6),
            ("step", 6),
            ("link", 4),
        ],
    );
    s.seq_raccu = b.array("seq.raccu_reg", 16, 7, 7);
    let fields =
        [("active", 1), ("start_pc", 6), ("end_pc", 6), ("iter", 6), ("step", 6), ("count", 6)];
    s.seq_loop = b.next;
    for k in 0..4 {
        b.packed(&format!("seq.loop[{k}]"), &format!("seq.loop[{k}]."), &fields);
    }
    s.seq_immediate = b.single("seq.immediate", 1);
    s.seq_refi = b.packed(
        "seq.refi",
        "seq.",
        &[
            ("cfg_start", 1),
            ("cfg_port", 2),
            ("cfg_dimarch", 1),
            ("init_addr", 6),
            ("l1_iter", 6),
            ("init_delay", 6),
            ("l1_step", 6),
            ("l1_step_sign", 1),
            ("l1_delay", 6),
            ("l2_iter", 6),
            ("l2_step", 6),
            ("l2_delay", 6),
        ],
    );
    s.seq_dpu = b.packed(
        "seq.dpu",
        "seq.",
        &[
            ("dpu_start", 1),
            ("dpu_mode", 5),
            ("dpu_control", 2),
            ("dpu_const", 8),
            ("dpu_io", 2),
            ("cfg_bw", 2),
        ],
    );
    s.swb_iss = b.packed("swb.iss", "swb.", &[("swb_iss_valid", 1), ("swb_iss", 9)]);
    s.swb_cfg = b.array("swb.swb_cfg", 6, 6, 6);
    s.noc_stage = b.single("noc.noc_stage", 67);
    s.noc_shadow = b.single("noc.noc_shadow", 67);
    s.perm_stage = b.single("perm.perm_stage", 22);
    s.perm_shadow = b.single("perm.perm_shadow", 22);
    s.rf_mem = b.array("rf.mem", g.rf_words as u32, 16, 16);
    s.rf_shadow = b.next;
    for k in AGUS {
        let prefix = format!("rf.sh[{k}]");
        b.packed(&prefix, &format!("{prefix}."), &[("sh_valid", 1), ("sh_cfg", 49)]);
    }
    let address_bits = |k: &str| {
        if k.ends_with('b') { g.rf_blocks().ilog2() } else { g.rf_words.ilog2() }
    };
    s.rf_state = b.next;
    for k in AGUS {
        let aw = address_bits(k);
        let prefix = format!("rf.agu[{k}].");
        b.packed(
            &format!("{prefix}st"),
            &prefix,
            &[
                ("state", 3),
                ("init_cnt", 6),
                ("l1_dly_cnt", 6),
                ("l2_dly_cnt", 6),
                ("l1_cnt", 6),
                ("l2_cnt", 6),
                ("row_base", aw),
                ("addr_reg", aw),
            ],
        );
    }
    s.rf_pattern = b.next;
    for k in AGUS {
        let aw = address_bits(k);
        let prefix = format!("rf.agu[{k}].");
        b.packed(
            &format!("{prefix}p"),
            &prefix,
            &[
                ("p_init_delay", 6),
                ("p_l1_iter", 6),
                ("p_l1_delay", 6),
                ("p_l2_iter", 6),
                ("p_l2_delay", 6),
                ("p_init_addr", aw),
                ("p_l1_step", aw),
                ("p_l2_step", aw),
                ("p_l1_step_sign", 1),
            ],
        );
    }
    s.dpu_shadow = b.packed(
        "dpu.sh",
        "dpu.",
        &[("sh_valid", 1), ("sh_mode", 5), ("sh_control", 2), ("sh_const", 8), ("sh_io", 2)],
    );
    s.dpu_config = b.packed(
        "dpu.cfg",
        "dpu.",
        &[
            ("mode_reg", 5),
            ("control_reg", 2),
            ("const_reg", 8),
            ("io_reg", 2),
            ("bw_reg", 2),
            ("acc_cnt", 8),
        ],
    );
    // From here on in the order of `Dpu::data_words`.
    s.dpu_data = b.next;
    for (name, width) in [("acc", 32), ("status", 2), ("prev_op", 4)] {
        for ch in 0..2 {
            b.single(&format!("dpu.{name}[{ch}]"), width);
        }
    }
    for (name, width) in [
        ("ir0", 16),
        ("ir1", 16),
        ("sm_reg", 32),
        ("div_p1", 32),
        ("div_p2", 32),
        ("div_p3", 32),
        ("pack_reg", 16),
        ("pack_phase", 2),
    ] {
        b.single(&format!("dpu.{name}"), width);
    }
    s.words = b.next;
    (b.groups, s)
}

/// Chapter 5, 7.2, columns.
fn column_layout() -> (Vec<Group>, ColumnSlots) {
    let mut b = Builder::new(Owner::Column);
    let mut s = ColumnSlots {
        row1: b.single("blk_in_row1", 256),
        row1_mask: b.single("blk_in_mask_row1", 16),
        io_msg: b.single("io_msg", 65),
        io_flow: b.packed(
            "io_flow",
            "",
            &[("io_pend", 1), ("io_pmask", 16), ("io_rvalid", 1), ("io_rmask", 16)],
        ),
        io_rdata: b.single("io_rdata", 256),
        io_wdata: b.single("io_wdata", 256),
        ..ColumnSlots::default()
    };
    s.io_state = b.next;
    for k in ["io_rd.", "io_wr."] {
        b.packed(
            &format!("{k}st"),
            k,
            &[
                ("state", 2),
                ("cfg_valid", 1),
                ("l1_cnt", 5),
                ("init_cnt", 6),
                ("l1_dly", 6),
                ("addr", 25),
                ("en", 1),
            ],
        );
    }
    s.io_cfg = b.next;
    for k in ["io_rd.cfg", "io_wr.cfg"] {
        b.single(k, 63);
    }
    s.words = b.next;
    (b.groups, s)
}

/// Chapter 5, 7.2, tiles.
fn tile_layout(g: &Geometry) -> (Vec<Group>, TileSlots) {
    let mut b = Builder::new(Owner::Tile);
    let mut s = TileSlots {
        segments: b.packed("segs", "", &[("seg_w", 2), ("seg_s", 2)]),
        mem_rvalid: b.single("mem_rvalid", 1),
        mem_q: b.single("mem_q", 256),
        ..TileSlots::default()
    };
    s.side_path = b.next;
    for x in SIDES {
        let prefix = format!("side[{x}].");
        b.packed(&format!("{prefix}path"), &prefix, &[("active", 1), ("hsel", 1), ("vsel", 1)]);
    }
    s.side_fwd = b.next;
    for x in SIDES {
        b.single(&format!("side[{x}].fwd"), 63);
    }
    s.side_agu = b.next;
    for x in SIDES {
        b.single(&format!("side[{x}].agu"), 55);
    }
    let named = |path: &str, width: u32| -> Vec<Register> {
        (0..5)
            .map(|k| Register {
                path: format!("{path}[{}]", XBAR[k]),
                width,
                lsb: k as u32 * width,
            })
            .collect()
    };
    s.xsel = b.push("xsel", 15, 5, named("xsel", 3));
    s.xout = b.push("xout", 1280, 5, named("xout", 256));
    s.agu_state = b.next;
    for k in ["rd.", "wr."] {
        b.packed(
            &format!("{k}st"),
            k,
            &[
                ("state", 2),
                ("cfg_valid", 1),
                ("l1_cnt", 7),
                ("l2_cnt", 7),
                ("init_cnt", 4),
                ("l1_dly", 6),
                ("l2_dly", 6),
                ("addr", 7),
                ("en", 1),
            ],
        );
    }
    s.agu_cfg = b.next;
    for k in ["rd.cfg", "wr.cfg"] {
        b.single(k, 53);
    }
    s.init = b.packed(
        "init",
        "init_",
        &[
            ("en", 1),
            ("row", bits_for(g.tile_rows + 1)),
            ("col", bits_for(g.columns)),
            ("addr", bits_for(g.sram_blocks)),
        ],
    );
    s.init_data = b.single("init_data", 256);
    s.words = b.next;
    (b.groups, s)
}

/// The load pipeline: one word of the image per stage.
fn fabric_layout(g: &Geometry) -> Vec<Group> {
    let stages = (Geometry::ROWS + g.columns - 2) as u32;
    let cols = g.columns as u32;
    let bits = 31 + cols;
    let mut registers = Vec::new();
    for k in 0..stages {
        let mut lsb = bits;
        for (field, width) in
            [("valid", 1), ("imm", 1), ("instr", 27), ("row_sel", 2), ("col_sel", cols)]
        {
            lsb -= width;
            registers.push(Register {
                path: format!("ld_pipe[{k}].{field}"),
                width,
                lsb: 64 * k + lsb,
            });
        }
    }
    let mut b = Builder::new(Owner::Fabric);
    b.push("ld_pipe", 64 * stages, stages, registers);
    b.groups
}
