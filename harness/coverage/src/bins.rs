// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bins: which there are, in groups, with names in words.

use std::sync::OnceLock;

use drra_isa::Field;
use drra_isa::Instruction;
use drra_isa::Isa;
use drra_isa::Revision;

/// A group of bins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Name of the group.
    pub name: String,
    /// Number of its first bin.
    pub first: usize,
    /// Names of its bins.
    pub bins: Vec<String>,
}

/// All groups; the numbers of their bins follow each other.
pub fn groups() -> &'static [Group] {
    static GROUPS: OnceLock<Vec<Group>> = OnceLock::new();
    GROUPS.get_or_init(all)
}

/// Number of all bins.
pub(super) fn total() -> usize {
    groups().last().map_or(0, |g| g.first + g.bins.len())
}

/// First bin of a group.
///
/// # Panics
/// If there is no such group.
pub(super) fn first(name: &str) -> usize {
    let group = groups().iter().find(|g| g.name == name);
    group.unwrap_or_else(|| panic!("no group {name}")).first
}

/// An empty bin at which a case can be directed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Name of the group.
    pub group: &'static str,
    /// Indices of the bin in the sizes of the group; for fields its number in the group.
    pub index: Vec<usize>,
}

/// The bin with a number in a group, as a target.
pub(super) fn target(group: &'static Group, number: usize) -> Target {
    let sizes: &[usize] = match group.name.as_str() {
        "DPU configuration" => DPU_SIZES,
        "switchbox" => SWITCHBOX_SIZES,
        "AGU launch" => LAUNCH_SIZES,
        "AGU pattern" => PATTERN_SIZES,
        "loops" => LOOP_SIZES,
        "RACCU" => RACCU_SIZES,
        "BRANCH" => BRANCH_SIZES,
        "NoC path" => NOC_SIZES,
        "SRAM pattern" => SRAM_SIZES,
        "IO pattern" => IO_SIZES,
        "PERM distance" => PERM_SIZES,
        _ => &[usize::MAX],
    };
    Target { group: &group.name, index: indices(sizes, number) }
}

/// The field and the value that make a bin of the fields of an instruction; no value: any that has
/// no bin of its own.
pub fn field_value(instruction: &Instruction, bin: usize) -> Option<(&Field, Option<u64>)> {
    let mut first = 0;
    for field in fields(instruction) {
        let bins = field_bins(field);
        if bin < first + bins {
            let max = (1u64 << field.width) - 1;
            let k = bin - first;
            let value = if is_enumerated(field) {
                Some(k as u64)
            } else {
                [Some(0), Some(1), None, Some(max - 1), Some(max), Some((max >> 1) + 1)][k]
            };
            return Some((field, value));
        }
        first += bins;
    }
    None
}

/// What a value of a field counts as.
pub(super) fn field_bin(field: &Field, value: u64) -> usize {
    if is_enumerated(field) {
        return value as usize;
    }
    let max = (1u64 << field.width) - 1;
    match value {
        0 => 0,
        1 => 1,
        v if v == max => 4,
        v if v == max - 1 => 3,
        v if v == (max >> 1) + 1 => 5,
        _ => 2,
    }
}

fn is_enumerated(field: &Field) -> bool {
    field.width <= 3 || !field.values.is_empty() && field.width <= 5
}

/// Number of bins of a field.
pub(super) fn field_bins(field: &Field) -> usize {
    if is_enumerated(field) { 1 << field.width } else { 6 }
}

/// Fields of an instruction that have bins.
pub(super) fn fields(instruction: &Instruction) -> impl Iterator<Item = &Field> {
    instruction.fields.iter().filter(|f| !f.is_padding())
}

/// Events by name, in the order of [`super::collect::Event`].
pub(super) const EVENTS: &[&str] = &[
    "an AGU is launched from its shadow register",
    "a REFI replaces one that waits in a shadow register",
    "the DPU is launched from its shadow register",
    "a DPU instruction replaces one that waits",
    "w0 and w1 write the same word",
    "a block is written over a word that w0 or w1 writes",
    "a word is read in the cycle in which it is written",
    "both rows of a column read a block",
    "both rows of a column issue a message",
    "two or more ROUTEs reach a tile in one cycle",
    "a configuration is lost because its SRAM generator is busy",
    "a tile reads and writes different rows in one cycle",
    "a tile reads the row that it writes",
    "the initialisation port writes a tile that a pattern writes, too",
    "a program has 63 words or more",
    "a loop is configured while three others are active",
    "the width of the lanes changes while the DPU works",
];

/// Modes whose result can leave the range of the output, lane by lane.
pub(super) const LANE_SATURATION: &[u8] = &[1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 30];
/// Modes whose 16-bit result can leave the range of the output.
pub(super) const WORD_SATURATION: &[u8] = &[17, 22, 24, 25, 26];

/// Sizes of the groups that are products, last index fastest.
const DPU_SIZES: &[usize] = &[32, 4, 4, 4];
const SWITCHBOX_SIZES: &[usize] = &[4, 6, 5, 2];
const LAUNCH_SIZES: &[usize] = &[6, 4, 3, 2];
const PATTERN_SIZES: &[usize] = &[6, 4, 2];
const LOOP_SIZES: &[usize] = &[4, 4, 3];
const RACCU_SIZES: &[usize] = &[8, 2, 2];
const BRANCH_SIZES: &[usize] = &[4, 3];
const NOC_SIZES: &[usize] = &[2, 2, 3, 2, 4];
const SRAM_SIZES: &[usize] = &[2, 4, 4, 2];
const IO_SIZES: &[usize] = &[2, 2, 2, 3];
const PERM_SIZES: &[usize] = &[8, 4];
fn all() -> Vec<Group> {
    let isa: &Isa = Revision::R4.isa();
    let mut groups: Vec<Group> = Vec::new();
    let mut add = |name: String, bins: Vec<String>| {
        let first = groups.last().map_or(0, |g: &Group| g.first + g.bins.len());
        groups.push(Group { name, first, bins });
    };
    for instruction in &isa.instructions {
        let mut bins = vec![
            format!("{} with immediate flag", instruction.name),
            format!("{} without immediate flag", instruction.name),
        ];
        for field in fields(instruction) {
            let max = (1u64 << field.width) - 1;
            if is_enumerated(field) {
                bins.extend((0..=max).map(|v| {
                    let value = field.value_name(v).map_or(v.to_string(), str::to_owned);
                    format!("{} {} = {value}", instruction.name, field.name)
                }));
            } else {
                let values = ["0", "1", "others", "max - 1", "max", "sign bit alone"];
                let bin = |v: &&str| format!("{} {} = {v}", instruction.name, field.name);
                bins.extend(values.iter().map(bin));
            }
        }
        add(format!("{} fields", instruction.name), bins);
    }

    let dpu = isa.by_name("DPU").expect("instruction of the description");
    let mode_name = |mode: u8| {
        let field = &dpu.fields[dpu.field_index("mode").expect("field of the DPU")];
        field.value_name(mode.into()).unwrap_or("?").to_owned()
    };
    let value = |name: &str, v: usize| {
        let field = &dpu.fields[dpu.field_index(name).expect("field of the DPU")];
        field.value_name(v as u64).unwrap_or("?").to_owned()
    };
    let widths = ["int16", "int8", "fx16", "int4"];
    add(
        "DPU configuration".into(),
        product(DPU_SIZES, |k| {
            let (mode, control) = (mode_name(k[0] as u8), value("control", k[1]));
            format!("{mode}, {control}, {}, {}", value("io_change", k[2]), widths[k[3]])
        }),
    );
    let mut bins: Vec<String> = Vec::new();
    for &mode in LANE_SATURATION {
        for lanes in ["one lane", "two lanes", "four lanes"] {
            bins.push(format!("{} saturates, {lanes}", mode_name(mode)));
        }
    }
    bins.extend(WORD_SATURATION.iter().map(|m| format!("{} saturates", mode_name(*m))));
    add("DPU saturation".into(), bins);
    add(
        "switchbox".into(),
        product(SWITCHBOX_SIZES, |k| {
            let source = ["rf 0", "rf 1", "dpu 0", "dpu 1"][k[0]];
            let row = ["own row", "other row"][k[3]];
            format!("{source} to input {}, {:+} columns, {row}", k[1], k[2] as i32 - 2)
        }),
    );
    let agu = ["w0", "w1", "wb", "r0", "r1", "rb"];
    add(
        "AGU launch".into(),
        product(LAUNCH_SIZES, |k| {
            let levels = ["single address", "one level", "second level only", "two levels"][k[1]];
            let delay = ["no delay", "delay 1", "longer delay"][k[2]];
            let busy = ["at rest", "busy"][k[3]];
            format!("{}, {levels}, {delay}, {busy}", agu[k[0]])
        }),
    );
    add(
        "AGU pattern".into(),
        product(PATTERN_SIZES, |k| {
            let delays = ["no delays", "inner delay", "row delay", "both delays"][k[1]];
            format!("{}, {delays}, {}", agu[k[0]], ["upwards", "downwards"][k[2]])
        }),
    );
    add(
        "loops".into(),
        product(LOOP_SIZES, |k| {
            let iter = ["skipped", "once", "several times"][k[2]];
            format!("slot {}, {} others active, {iter}", k[0], k[1])
        }),
    );
    add(
        "RACCU".into(),
        product(RACCU_SIZES, |k| {
            let kind = ["literal", "register"];
            format!("mode {}, {} and {}", k[0], kind[k[1]], kind[k[2]])
        }),
    );
    add(
        "BRANCH".into(),
        product(BRANCH_SIZES, |k| {
            let status = ["less", "greater", "equal"][k[1]];
            format!("{} on {status}", ["never", "gt", "eq", "ge"][k[0]])
        }),
    );
    add(
        "NoC path".into(),
        product(NOC_SIZES, |k| {
            let rw = ["read", "write"][k[0]];
            let vertical =
                format!("{} {}", ["0", "1", "2 or more"][k[2]], ["south", "north"][k[1]]);
            let across = ["0", "1", "2 or 3", "4 or more"][k[4]];
            format!("{rw}, {vertical}, {across} {}", ["west", "east"][k[3]])
        }),
    );
    add(
        "SRAM pattern".into(),
        product(SRAM_SIZES, |k| {
            let rw = ["read", "write"][k[0]];
            let hops = ["0 hops", "1 hop", "2 hops", "3 or more hops"][k[1]];
            let levels = ["single block", "one level", "second level only", "two levels"][k[2]];
            format!("{rw}, {hops}, {levels}, {}", ["no delay", "delay"][k[3]])
        }),
    );
    add(
        "IO pattern".into(),
        product(IO_SIZES, |k| {
            let rw = ["read", "write"][k[0]];
            let count = ["single block", "several blocks"][k[1]];
            let mask = ["no mask", "some words masked", "all words masked"][k[3]];
            format!("{rw}, {count}, {}, {mask}", ["no delay", "delay"][k[2]])
        }),
    );
    add(
        "PERM distance".into(),
        product(PERM_SIZES, |k| {
            format!("mode {}, distance {}", k[0], ["0", "1 to 15", "16", "17 or more"][k[1]])
        }),
    );
    add("events".into(), EVENTS.iter().map(|e| (*e).to_owned()).collect());
    groups
}

/// Names for all combinations of indices, the last index fastest.
fn product(sizes: &[usize], name: impl Fn(&[usize]) -> String) -> Vec<String> {
    let count: usize = sizes.iter().product();
    (0..count).map(|n| name(&indices(sizes, n))).collect()
}

/// The indices of a number.
fn indices(sizes: &[usize], mut number: usize) -> Vec<usize> {
    let mut index = vec![0; sizes.len()];
    for (k, size) in sizes.iter().enumerate().rev() {
        index[k] = number % size;
        number /= size;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_numbers_contiguous() {
        let mut next = 0;
        let mut names = std::collections::BTreeSet::new();
        for group in groups() {
            assert_eq!(group.first, next);
            next += group.bins.len();
            for bin in &group.bins {
                assert!(names.insert((&group.name, bin)), "{}: {bin} twice", group.name);
            }
        }
        assert_eq!(next, total());
    }

    #[test]
    fn every_field_value_has_a_bin() {
        for instruction in &Revision::R4.isa().instructions {
            for field in fields(instruction) {
                let max = (1u64 << field.width) - 1;
                for value in [0, 1, max / 2, max / 2 + 1, max - 1, max] {
                    assert!(field_bin(field, value) < field_bins(field), "{}", field.name);
                }
            }
        }
    }
}
