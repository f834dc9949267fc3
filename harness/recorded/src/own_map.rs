// SPDX-License-Identifier: MIT OR Apache-2.0
//! The RTL of this project as a signal map: what the fabric description says about its variables, in the form
//! in which users say it about theirs.

use std::collections::BTreeMap;

use crate::map::{
    BitTerm, ClockEdge, ClockEntry, FabricSize, Level, MapFile, Number, Prefix, RegisterEntry,
    ResetEntry, SliceTerm, Table, Term, VERSION,
};
use drra_isa::{
    Geometry, UnitKind,
    fabric::{Array, GroupId, Layout, Register, RegisterId, Width},
};

use drra_isa::fabric::scope;

/// Letter of the key of a register; those of units are r, c and R.
const KEY: char = 'k';

/// The map of `rtl/` for a fabric of a size, by the names that Verilator has for its variables: an entry for all
/// registers that differ in their place and key alone.
pub fn own_map(geometry: &Geometry) -> MapFile {
    let mut writer = Writer { layout: &Layout::new(geometry), tables: BTreeMap::new() };
    let all = GroupId::ALL.iter().flat_map(|group| group.registers());
    let registers = all.flat_map(|id| writer.entries(*id)).collect();
    let size = FabricSize {
        columns: Some(geometry.columns),
        tile_rows: Some(geometry.tile_rows),
        rf_words: Some(geometry.rf_words),
        sram_blocks: Some(geometry.sram_blocks),
    };
    let prefix =
        |kind: UnitKind| (name(kind).to_owned(), Prefix::One(scope::pattern(kind).to_owned()));
    let top = scope::pattern(UnitKind::Fabric);
    MapFile {
        version: VERSION,
        comment: "The RTL of this project.".to_owned(),
        simulator: "Verilator".to_owned(),
        fabric: Some(size),
        prefixes: UnitKind::ALL.into_iter().map(prefix).collect(),
        tables: writer.tables,
        clock: ClockEntry { signal: format!("{top}.clk_i"), edge: ClockEdge::Rising },
        reset: Some(ResetEntry { signal: format!("{top}.rst_ni"), active: Level::Low }),
        cycle_0: None,
        ports: Default::default(),
        flag_delay: None,
        outputs: Default::default(),
        registers,
    }
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
    tables: BTreeMap<String, Table>,
}

impl Writer<'_> {
    /// One entry for all registers with an identity, or one for each key if their places follow no rule.
    fn entries(&mut self, id: RegisterId) -> Vec<RegisterEntry> {
        let (info, group) = (id.info(), id.group().info());
        let unit = name(info.unit);
        let registers: Vec<Register> = id.all(self.layout.geometry()).collect();
        let named = registers.iter().any(|r| r.key().name().is_some());
        let element = match group.array {
            Some(Array::Unpacked | Array::Memory) => format!("[{{{}}}]", position(named)),
            Some(Array::Packed) | None => String::new(),
        };
        let signal = format!("{{{unit}}}.{}{element}", lettered(&group.rtl, named));
        let register =
            lettered(&info.path, named).replace(&format!("[{{{KEY}}}]"), &format!("[{KEY}]"));
        let entry = |register: String, value: Term| RegisterEntry {
            register: format!("{}{register}", path(info.unit)),
            value: Some(value),
            exclude: None,
            offset: 0,
            from: None,
            condition: None,
            while_register: None,
            note: None,
        };
        let bits: Vec<Bits> = registers.iter().filter_map(|r| self.bits(*r)).collect();
        if bits.iter().all(|b| b.width == b.of) {
            return vec![entry(register, Term::Text(signal))];
        }
        let tables = self.widths(id.group(), &registers);
        if let Some(value) = self.slice(&signal, &registers, &bits, &tables) {
            return vec![entry(register, value)];
        }
        let each = registers.iter().zip(&bits).map(|(r, bits)| {
            let key = r.key().name().map_or_else(|| bits.key.to_string(), str::to_owned);
            let own = |text: &str| {
                let text = text.replace(&format!("{{{KEY}+0}}"), &bits.key.to_string());
                text.replace(&format!("{{{KEY}}}"), &key)
            };
            let lsb = Number::Value(u64::from(bits.lsb));
            let msb = Number::Value(u64::from(bits.lsb + bits.width - 1));
            let slice = Box::new(Term::Text(own(&signal)));
            entry(r.to_string(), Term::Slice(SliceTerm { slice, msb, lsb }))
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
        signal: &str,
        registers: &[Register],
        bits: &[Bits],
        widths: &[(String, Vec<u32>)],
    ) -> Option<Term> {
        let signal = Box::new(Term::Text(signal.to_owned()));
        let named = registers.iter().any(|r| r.key().name().is_some());
        let all = |of: fn(&Bits) -> u32| bits.iter().map(|b| (b.key, of(b))).collect::<Vec<_>>();
        let lsb = number(&all(|b| b.lsb), widths, named)?;
        let msb = number(&all(|b| b.lsb + b.width - 1), widths, named)?;
        for (name, rows) in widths {
            let uses = |n: &Number| matches!(n, Number::Text(text) if text.contains(name.as_str()));
            if uses(&lsb) || uses(&msb) {
                self.tables.insert(name.clone(), table(registers, rows));
            }
        }
        if bits.iter().all(|b| b.width == 1) {
            return Some(Term::Bit(BitTerm { bit: signal, index: lsb }));
        }
        Some(Term::Slice(SliceTerm { slice: signal, msb, lsb }))
    }
}

/// A text of the fabric description with the letter of a map for its key: `gen_agu[{agu:index}]` becomes
/// `gen_agu[{k+0}]`.
fn lettered(text: &str, named: bool) -> String {
    let mut pieces = text.split('{');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (key, rest) = piece.split_once('}').unwrap_or((piece, ""));
        let letter = if key.ends_with(":index") { position(named) } else { KEY.to_string() };
        out += &format!("{{{letter}}}{rest}");
    }
    out
}

/// Arithmetic that gives the position of a key: a letter alone is the name of a named one.
fn position(named: bool) -> String {
    if named { format!("{KEY}+0") } else { KEY.to_string() }
}

/// A number that depends on the key: always the same, in equal steps, or widths and something.
fn number(values: &[(usize, u32)], widths: &[(String, Vec<u32>)], named: bool) -> Option<Number> {
    let signed: Vec<(i64, i64)> =
        values.iter().map(|(key, v)| (*key as i64, i64::from(*v))).collect();
    let first = signed.first()?.1;
    let step = signed.get(1).map_or(0, |second| second.1 - first);
    if signed.iter().all(|(key, v)| *v == first + step * key) {
        return Some(match step {
            0 => Number::Value(u64::from(values[0].1)),
            1 => Number::Text(plus(
                &if first == 0 { position(named) } else { KEY.to_string() },
                first,
            )),
            _ => Number::Text(plus(&format!("{step}*{KEY}"), first)),
        });
    }
    // Registers of such a width lie below this one: so many of them.
    let with = |(name, rows): &(String, Vec<u32>), count: i64| {
        let rest = |((_, v), width): (&(i64, i64), &u32)| v - count * i64::from(*width);
        let first = rest((signed.first()?, rows.first()?));
        let all = signed.iter().zip(rows).all(|pair| rest(pair) == first);
        let factor = if count == 1 { String::new() } else { format!("{count}*") };
        all.then(|| Number::Text(plus(&format!("{factor}{name}[{KEY}]"), first)))
    };
    let most = widths.len() as i64;
    widths.iter().find_map(|width| (1..=most).find_map(|count| with(width, count)))
}

/// Arithmetic plus a number, between braces.
fn plus(text: &str, number: i64) -> String {
    match number {
        0 => format!("{{{text}}}"),
        _ => format!("{{{text}{number:+}}}"),
    }
}

/// A number for each key, by its name or its position.
fn table(registers: &[Register], rows: &[u32]) -> Table {
    let rows = rows.iter().map(|n| Number::Value(u64::from(*n)));
    let names: Option<Vec<&str>> = registers.iter().map(|r| r.key().name()).collect();
    match names {
        Some(names) => Table::Names(names.into_iter().map(str::to_owned).zip(rows).collect()),
        None => Table::List(rows.collect()),
    }
}

#[cfg(test)]
mod tests {
    use drra_isa::Geometry;

    use super::own_map;

    /// What a person would write: an entry for each register of the state tables, none for single keys.
    #[test]
    fn the_map_is_short() {
        for columns in [2, 8, 32] {
            let map = own_map(&Geometry { columns, ..Geometry::default() });
            assert_eq!(map.registers.len(), drra_isa::fabric::RegisterId::ALL.len());
            assert!(map.to_json().lines().count() < map.registers.len() + 40, "{}", map.to_json());
        }
    }

    #[test]
    fn keys_are_arithmetic() {
        let map = own_map(&Geometry::default()).to_json();
        for line in [
            r#"{"register": "cell[r][c].rf.mem[k]", "value": {"slice": "{cell}.u_rf.mem_q", "msb": "{16*k+15}", "lsb": "{16*k}"}}"#,
            r#"{"register": "cell[r][c].seq.imem_imm[k]", "value": {"bit": "{cell}.u_seq.imem_imm_q", "index": "{k}"}}"#,
            r#"{"register": "tile[R][c].sram[k]", "value": "{tile}.u_mem.sram_q[{k}]"}"#,
            r#"{"register": "cell[r][c].rf.agu[k].state", "value": {"slice": "{cell}.u_rf.gen_agu[{k+0}].u_agu.st_q", "msb": "{2*agu_address[k]+32}", "lsb": "{2*agu_address[k]+30}"}}"#,
            r#""agu_address": {"r0": 6, "r1": 6, "rb": 2, "w0": 6, "w1": 6, "wb": 2}"#,
        ] {
            assert!(map.contains(line), "{line} is not in\n{map}");
        }
    }
}
