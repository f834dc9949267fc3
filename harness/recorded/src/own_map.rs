// SPDX-License-Identifier: MIT OR Apache-2.0
//! The RTL of this project as a signal map, generated from the fabric description, in the same form as users' maps for
//! their own designs.

use std::collections::BTreeMap;

use drra_fabric::{ArrayStorage, GroupId, Layout, Register, RegisterId, Width, scope};
use drra_isa::{Geometry, UnitKind};

use crate::map::{of_unit, size_statement};

/// The letter for a register's key; those for the indices of units are r, c and R.
const KEY: char = 'k';

/// The map of `rtl/` for a fabric size, using Verilator's names for its variables: one line for all registers that
/// differ only in position and key.
pub fn own_map(geometry: &Geometry) -> String {
    let mut writer = EntryWriter { layout: &Layout::new(geometry), tables: BTreeMap::new() };
    let all = GroupId::ALL.iter().flat_map(|group| group.registers());
    let registers: String = all.map(|id| writer.entry(*id)).collect();
    let mut map = format!(
        "# The RTL of this project, with Verilator's names for its variables.\n\
         {}\n",
        size_statement(*geometry)
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

/// Name of the prefix for units of a kind.
fn name(kind: UnitKind) -> &'static str {
    match kind {
        UnitKind::Cell => "cell",
        UnitKind::Column => "column",
        UnitKind::Tile => "tile",
        UnitKind::Fabric => "fabric",
    }
}

/// The path, with letters for indices, of all registers with one identity, or only of those with the named key `key`.
pub(crate) fn register_pattern(id: RegisterId, key: Option<&str>) -> String {
    let pattern = of_unit(id.info().unit).to_owned() + &lettered(&id.info().path, false);
    match key {
        Some(key) => pattern.replace("{k}", key).replace("[k]", &format!("[{key}]")),
        None => pattern,
    }
}

/// A path without the braces around its indices.
pub(crate) fn bare(path: &str) -> String {
    path.replace("[{", "[").replace("}]", "]")
}

/// Bits of a signal that contain a register.
#[derive(Clone, Copy)]
struct BitRange {
    lsb: u32,
    width: u32,
    /// Width of the signal.
    of: u32,
}

/// Writes the entries of registers and keeps the tables that they need.
struct EntryWriter<'a> {
    layout: &'a Layout,
    tables: BTreeMap<String, String>,
}

impl EntryWriter<'_> {
    /// The entry for all registers with one identity.
    fn entry(&mut self, id: RegisterId) -> String {
        let (info, group) = (id.info(), id.group().info());
        let registers: Vec<Register> = id.all(self.layout.geometry()).collect();
        let named = registers.iter().any(|r| r.key().name().is_some());
        let element = match group.array {
            Some(ArrayStorage::Unpacked | ArrayStorage::Memory) => format!("[{}]", position(named)),
            Some(ArrayStorage::Packed) | None => String::new(),
        };
        let bits: Vec<BitRange> = registers.iter().filter_map(|r| self.bits(*r)).collect();
        let whole = bits.iter().all(|b| b.width == b.of);
        let slice = if whole { String::new() } else { self.slice(id, &registers, &bits) };
        let (register, rtl) = (lettered(&info.path, named), lettered(&group.rtl, named));
        let (unit, path) = (name(info.unit), of_unit(info.unit));
        format!("{path}{register} = {{{unit}}}.{rtl}{element}{slice}\n")
    }

    /// The position of a register in the signal that contains it; `None` for memory rows, which are separate signals.
    fn bits(&self, register: Register) -> Option<BitRange> {
        let (variable, field) = self.layout.find(register)?;
        let in_element = variable.group.info().array == Some(ArrayStorage::Unpacked);
        let stride = variable.bits / variable.count;
        let of = match in_element {
            true => variable.fields.iter().filter(|f| f.lsb / stride == 0).map(|f| f.width).sum(),
            false => variable.bits,
        };
        let lsb = if in_element { field.lsb % stride } else { field.lsb };
        Some(BitRange { lsb, width: field.width, of })
    }

    /// The bits of a signal, by a formula that is valid for all keys.
    fn slice(&mut self, id: RegisterId, registers: &[Register], bits: &[BitRange]) -> String {
        let lsb = self.number(id, "lsb", registers, bits.iter().map(|b| b.lsb));
        if bits.iter().all(|b| b.width == 1) {
            return format!("[{lsb}]");
        }
        let msb = self.number(id, "msb", registers, bits.iter().map(|b| b.lsb + b.width - 1));
        format!("[{msb}:{lsb}]")
    }

    /// A number as a function of the key: a constant, a linear function, a constant plus a multiple of a width that a
    /// table gives for each key, or the row of a table of its own.
    fn number(
        &mut self,
        id: RegisterId,
        what: &str,
        registers: &[Register],
        values: impl Iterator<Item = u32>,
    ) -> String {
        let named = registers.iter().any(|r| r.key().name().is_some());
        let values: Vec<i64> = values.map(i64::from).collect();
        let first = values.first().copied().unwrap_or_default();
        let step = values.get(1).map_or(0, |second| second - first);
        if (0..).zip(&values).all(|(n, value)| *value == first + step * n) {
            return match step {
                0 => first.to_string(),
                1 if first == 0 => position(named),
                1 => plus(&KEY.to_string(), first),
                _ => plus(&format!("{step}*{KEY}"), first),
            };
        }
        let group = id.group().registers();
        // Perhaps `count` registers of the same width, which depends on the key, are below this register.
        for id in group {
            let Width::ByKey(name, widths) = &id.info().width else { continue };
            let widths = widths.iter().map(|w| i64::from(w.value(self.layout.geometry())));
            let widths: Vec<i64> = widths.take(registers.len()).collect();
            for count in 1..=group.len() as i64 {
                let mut rest =
                    values.iter().zip(&widths).map(|(value, width)| value - count * width);
                let first = rest.next().unwrap_or_default();
                if rest.all(|other| other == first) {
                    self.table(name, registers, &widths);
                    let factor = if count == 1 { String::new() } else { format!("{count}*") };
                    return plus(&format!("{factor}{name}[{KEY}]"), first);
                }
            }
        }
        let name = format!("{}_{what}", id.info().name);
        self.table(&name, registers, &values);
        format!("{name}[{KEY}]")
    }

    fn table(&mut self, name: &str, registers: &[Register], rows: &[i64]) {
        let row = |(r, n): (&Register, &i64)| match r.key().name() {
            Some(key) => format!("{key}: {n}"),
            None => n.to_string(),
        };
        let rows: Vec<String> = registers.iter().zip(rows).map(row).collect();
        self.tables.insert(name.to_owned(), rows.join(", "));
    }
}

/// A text of the fabric description with the map's letter for its key: `gen_agu[{agu:index}]` becomes `gen_agu[k+0]`.
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

/// Arithmetic that yields the position of a key: a letter alone stands for the name of the key, if it has one.
fn position(named: bool) -> String {
    if named { format!("{KEY}+0") } else { KEY.to_string() }
}

/// The text of arithmetic plus a number.
fn plus(text: &str, number: i64) -> String {
    match number {
        0 => text.to_owned(),
        _ => format!("{text}{number:+}"),
    }
}

#[cfg(test)]
mod tests {
    use drra_fabric::RegisterId;
    use drra_isa::Geometry;

    use super::own_map;

    /// The map is as short as a map written by hand: one line for each register of the state tables, and no lines for
    /// single keys.
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
