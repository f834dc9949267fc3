// SPDX-License-Identifier: MIT OR Apache-2.0
//! The RTL of this project as a signal map: what the fabric description says about its variables, in the form
//! in which users say it about theirs.

use std::collections::BTreeMap;

use drra_isa::{
    Geometry, UnitKind,
    fabric::{Array, GroupId, Layout, Register, RegisterId, Width, scope},
};

/// Letter of the key of a register; those of units are r, c and R.
const KEY: char = 'k';

/// The map of `rtl/` for a fabric of a size, by the names that Verilator has for its variables: a line for all
/// registers that differ in their place and key alone.
pub fn own_map(geometry: &Geometry) -> String {
    let mut writer = Writer { layout: &Layout::new(geometry), tables: BTreeMap::new() };
    let all = GroupId::ALL.iter().flat_map(|group| group.registers());
    let registers: String = all.flat_map(|id| writer.entries(*id)).collect();
    let Geometry { columns, tile_rows, rf_words, sram_blocks } = geometry;
    let mut map = format!(
        "# The RTL of this project, by the names that Verilator has for its variables.\n\
         fabric columns: {columns}, tile_rows: {tile_rows}, rf_words: {rf_words}, sram_blocks: {sram_blocks}\n"
    );
    for kind in UnitKind::ALL {
        map += &format!("let {} = {}\n", name(kind), bare(scope::pattern(kind)));
    }
    for (table, rows) in &writer.tables {
        map += &format!("table {table} = {rows}\n");
    }
    let top = scope::pattern(UnitKind::Fabric);
    map + &format!("clock rising {top}.clk_i\nreset low {top}.rst_ni\n\n{registers}")
}

/// Name of the prefix for the units of a kind.
fn name(kind: UnitKind) -> &'static str {
    match kind {
        UnitKind::Cell => "cell",
        UnitKind::Column => "column",
        UnitKind::Tile => "tile",
        UnitKind::Fabric => "fabric",
    }
}

/// Beginning of the paths of registers, with the letters of [`scope::pattern`].
fn path(kind: UnitKind) -> &'static str {
    match kind {
        UnitKind::Cell => "cell[r][c].",
        UnitKind::Column => "col[c].",
        UnitKind::Tile => "tile[R][c].",
        UnitKind::Fabric => "",
    }
}

/// A path whose indices need no braces.
fn bare(path: &str) -> String {
    path.replace("[{", "[").replace("}]", "]")
}

/// Bits of a signal.
#[derive(Clone, Copy)]
struct Bits {
    /// Position of the key of the register; 0 without one.
    key: usize,
    lsb: u32,
    width: u32,
    /// Width of the signal.
    of: u32,
}

/// Writes the entries of registers; the tables that they need are kept.
struct Writer<'a> {
    layout: &'a Layout,
    tables: BTreeMap<String, String>,
}

impl Writer<'_> {
    /// One entry for all registers with an identity, or one for each key if their places follow no rule.
    fn entries(&mut self, id: RegisterId) -> Vec<String> {
        let (info, group) = (id.info(), id.group().info());
        let registers: Vec<Register> = id.all(self.layout.geometry()).collect();
        let named = registers.iter().any(|r| r.key().name().is_some());
        let element = match group.array {
            Some(Array::Unpacked | Array::Memory) => format!("[{}]", position(named)),
            Some(Array::Packed) | None => String::new(),
        };
        let signal = format!("{{{}}}.{}{element}", name(info.unit), lettered(&group.rtl, named));
        let entry = |register: &str, bits: &str| {
            format!("{}{} = {signal}{bits}\n", path(info.unit), bare(register))
        };
        let register = lettered(&info.path, named);
        let bits: Vec<Bits> = registers.iter().filter_map(|r| self.bits(*r)).collect();
        if bits.iter().all(|b| b.width == b.of) {
            return vec![entry(&register, "")];
        }
        let widths = self.widths(id.group(), &registers);
        if let Some(bits) = self.slice(&registers, &bits, &widths) {
            return vec![entry(&register, &bits)];
        }
        let each = registers.iter().zip(&bits).map(|(r, bits)| {
            let key = r.key().name().map_or_else(|| bits.key.to_string(), str::to_owned);
            let slice = format!("[{}:{}]", bits.lsb + bits.width - 1, bits.lsb);
            let text = entry(&r.to_string(), &slice).replace("[k+0]", &format!("[{}]", bits.key));
            text.replace("{k}", &key).replace("[k]", &format!("[{key}]"))
        });
        each.collect()
    }

    /// Where a register is in the signal that holds it; `None` for rows of memories, which are signals.
    fn bits(&self, register: Register) -> Option<Bits> {
        let (variable, field) = self.layout.find(register)?;
        let key = register.key().index();
        let in_element = variable.group.info().array == Some(Array::Unpacked);
        let stride = variable.bits / variable.count;
        let of = match in_element {
            true => variable.fields.iter().filter(|f| f.lsb / stride == 0).map(|f| f.width).sum(),
            false => variable.bits,
        };
        let lsb = if in_element { field.lsb % stride } else { field.lsb };
        Some(Bits { key, lsb, width: field.width, of })
    }

    /// The widths of the registers of a group that depend on the key, by the names that the description has for
    /// them.
    fn widths(&self, group: GroupId, keys: &[Register]) -> Vec<(String, Vec<u32>)> {
        let of = |id: &RegisterId| match &id.info().width {
            Width::ByKey(name, all) => {
                let bits = |r: &Register| {
                    all.get(r.key().index()).map(|p| p.value(self.layout.geometry()))
                };
                Some((name.clone(), keys.iter().filter_map(bits).collect()))
            }
            Width::Fixed(_) | Width::Of(_) => None,
        };
        group.registers().iter().filter_map(of).collect()
    }

    /// The bits of a signal, if one rule holds for all keys.
    fn slice(
        &mut self,
        registers: &[Register],
        bits: &[Bits],
        widths: &[(String, Vec<u32>)],
    ) -> Option<String> {
        let named = registers.iter().any(|r| r.key().name().is_some());
        let all = |of: fn(&Bits) -> u32| bits.iter().map(|b| (b.key, of(b))).collect::<Vec<_>>();
        let lsb = number(&all(|b| b.lsb), widths, named)?;
        let msb = number(&all(|b| b.lsb + b.width - 1), widths, named)?;
        for (name, rows) in widths {
            if lsb.contains(name.as_str()) || msb.contains(name.as_str()) {
                let row = |(r, n): (&Register, &u32)| match r.key().name() {
                    Some(key) => format!("{key}: {n}"),
                    None => n.to_string(),
                };
                let rows: Vec<String> = registers.iter().zip(rows).map(row).collect();
                self.tables.insert(name.clone(), rows.join(", "));
            }
        }
        Some(match bits.iter().all(|b| b.width == 1) {
            true => format!("[{lsb}]"),
            false => format!("[{msb}:{lsb}]"),
        })
    }
}

/// A text of the fabric description with the letter of a map for its key: `gen_agu[{agu:index}]` becomes
/// `gen_agu[k+0]`.
fn lettered(text: &str, named: bool) -> String {
    let mut pieces = text.split('{');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (key, rest) = piece.split_once('}').unwrap_or((piece, ""));
        let letter = if key.ends_with(":index") { position(named) } else { KEY.to_string() };
        out += &format!("{{{letter}}}{rest}");
    }
    bare(&out)
}

/// Arithmetic that gives the position of a key: a letter alone is the name of a named one.
fn position(named: bool) -> String {
    if named { format!("{KEY}+0") } else { KEY.to_string() }
}

/// A number that depends on the key: always the same, in equal steps, or widths and something.
fn number(values: &[(usize, u32)], widths: &[(String, Vec<u32>)], named: bool) -> Option<String> {
    let signed: Vec<(i64, i64)> =
        values.iter().map(|(key, v)| (*key as i64, i64::from(*v))).collect();
    let first = signed.first()?.1;
    let step = signed.get(1).map_or(0, |second| second.1 - first);
    if signed.iter().all(|(key, v)| *v == first + step * key) {
        return Some(match step {
            0 => first.to_string(),
            1 if first == 0 => position(named),
            1 => plus(&KEY.to_string(), first),
            _ => plus(&format!("{step}*{KEY}"), first),
        });
    }
    // Registers of such a width lie below this one: so many of them.
    let with = |(name, rows): &(String, Vec<u32>), count: i64| {
        let rest = |((_, v), width): (&(i64, i64), &u32)| v - count * i64::from(*width);
        let first = rest((signed.first()?, rows.first()?));
        let all = signed.iter().zip(rows).all(|pair| rest(pair) == first);
        let factor = if count == 1 { String::new() } else { format!("{count}*") };
        all.then(|| plus(&format!("{factor}{name}[{KEY}]"), first))
    };
    let most = widths.len() as i64;
    widths.iter().find_map(|width| (1..=most).find_map(|count| with(width, count)))
}

/// Arithmetic plus a number.
fn plus(text: &str, number: i64) -> String {
    match number {
        0 => text.to_owned(),
        _ => format!("{text}{number:+}"),
    }
}

#[cfg(test)]
mod tests {
    use drra_isa::{Geometry, fabric::RegisterId};

    use super::own_map;

    /// What a person would write: a line for each register of the state tables, none for single keys.
    #[test]
    fn the_map_is_short() {
        for columns in [2, 8, 32] {
            let map = own_map(&Geometry { columns, ..Geometry::default() });
            assert!(map.lines().count() < RegisterId::ALL.len() + 20, "{map}");
        }
    }

    #[test]
    fn keys_are_arithmetic() {
        let map = own_map(&Geometry::default());
        for line in [
            "cell[r][c].rf.mem[k] = {cell}.u_rf.mem_q[16*k+15:16*k]",
            "cell[r][c].seq.imem_imm[k] = {cell}.u_seq.imem_imm_q[k]",
            "tile[R][c].sram[k] = {tile}.u_mem.sram_q[k]",
            "cell[r][c].rf.agu[k].state = {cell}.u_rf.gen_agu[k+0].u_agu.st_q[2*agu_address[k]+32:2*agu_address[k]+30]",
            "table agu_address = w0: 6, w1: 6, wb: 2, r0: 6, r1: 6, rb: 2",
        ] {
            assert!(map.lines().any(|other| other == line), "{line} is not in\n{map}");
        }
    }
}
