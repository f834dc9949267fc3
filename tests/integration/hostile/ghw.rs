// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waveforms as GHW, with the sections and types that GHDL writes for signals of `std_logic`.

use super::recording::Recording;

/// Types by their numbers: the enumeration, `std_logic`, the base of the index type, the index type, and the unbounded
/// array.
const STD_LOGIC: u8 = 2;
const ARRAY: u8 = 5;
/// Strings by their numbers: the nine literals come first.
const LITERALS: &str = "UX01ZWLH-";
const TYPE_NAMES: [&str; 5] =
    ["std_ulogic", "std_logic", "integer", "natural", "std_ulogic_vector"];
/// Half a clock cycle, in femtoseconds.
const HALF: u8 = 5;

/// Writes a number with seven bits per byte, lowest bits first.
fn unsigned(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn signed(mut number: i64, out: &mut Vec<u8>) {
    while !(-64..64).contains(&number) {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8 & 0x7f);
}

fn literal(digit: u8) -> u8 {
    match digit {
        b'0' => 2,
        b'1' => 3,
        _ => 1,
    }
}

/// A file with a clock that rises in the middle of a cycle.
pub(super) fn ghw(recording: &Recording) -> Vec<u8> {
    let widths: Vec<usize> = recording.edges[0].iter().map(String::len).collect();
    let mut arrays: Vec<usize> = widths.iter().copied().filter(|w| *w > 1).collect();
    arrays.sort_unstable();
    arrays.dedup();
    let mut strings: Vec<String> = LITERALS.chars().map(|c| format!("'{c}'")).collect();
    strings.extend(TYPE_NAMES.map(str::to_owned));
    let scope = strings.len() as u64 + 1;
    strings.extend(["bench".to_owned(), "clk".to_owned()]);
    strings.extend(recording.names.iter().map(|name| name.replace("bench.", "")));

    let mut out = b"GHDLwave\n\x10\x00\x01\x01\x04\x01\x00STR\0\0\0\0\0".to_vec();
    out.extend((strings.len() as u32).to_le_bytes());
    out.extend((strings.iter().map(String::len).sum::<usize>() as u32).to_le_bytes());
    strings.iter().for_each(|text| out.extend([text.as_bytes(), b"\0"].concat()));
    out.extend(b"EOS\0TYP\0\0\0\0\0");
    out.extend((5 + arrays.len() as u32).to_le_bytes());
    // The enumeration, its subtype, 32-bit numbers, numbers from 0 on, and arrays indexed by the latter.
    out.extend([23, 10, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    out.extend([34, 11, 1, 23, 0, 8]);
    out.extend([25, 12]);
    out.extend([34, 13, 3, 25, 0, 0xff, 0xff, 0xff, 0xff, 7]);
    out.extend([31, 14, STD_LOGIC, 1, 4]);
    for width in &arrays {
        out.extend([35, 0, ARRAY, 0x99]);
        signed(*width as i64 - 1, &mut out);
        out.push(0);
    }
    out.extend(b"\0WKT\0\0\0\0\0\x03\x01\0HIE\0\0\0\0\0");
    let elements = 1 + widths.iter().sum::<usize>();
    for count in [1, 1 + widths.len(), elements] {
        out.extend((count as u32).to_le_bytes());
    }
    out.push(6);
    unsigned(scope, &mut out);
    let mut first = 1;
    for (n, width) in [1].iter().chain(&widths).enumerate() {
        out.push(16);
        unsigned(scope + 1 + n as u64, &mut out);
        let kind = arrays.binary_search(width).map_or(STD_LOGIC as usize, |n| 6 + n);
        unsigned(kind as u64, &mut out);
        (first..first + width).for_each(|id| unsigned(id as u64, &mut out));
        first += width;
    }
    out.extend(b"\x0f\0EOH\0SNP\0\0\0\0\0");
    out.extend(0_u64.to_le_bytes());
    out.push(literal(b'0'));
    out.extend(recording.edges[0].iter().flat_map(|v| v.bytes()).map(literal));
    out.extend(b"ESN\0CYC\0");
    out.extend(u64::from(HALF).to_le_bytes());
    cycles(recording, &mut out);
    let directory = out.len() as u32;
    out.extend(b"ECY\0DIR\0\x01\x04\x01\0\0\0\0\0EOD\0TAI\0\x01\x04\x01\0");
    out.extend((directory + 4).to_le_bytes());
    out
}

/// Writes the changes from the first rising edge on.
fn cycles(recording: &Recording, out: &mut Vec<u8>) {
    for (edge, values) in recording.edges.iter().enumerate() {
        out.extend([1, literal(b'1'), 0]);
        let Some(next) = recording.edges.get(edge + 1) else { break };
        signed(HALF.into(), out);
        out.extend([1, literal(b'0')]);
        let (mut last, mut id) = (1, 1);
        for (before, after) in values.iter().zip(next) {
            for (old, new) in before.bytes().zip(after.bytes()) {
                id += 1;
                if old != new {
                    unsigned(id - last, out);
                    out.push(literal(new));
                    last = id;
                }
            }
        }
        out.push(0);
        signed(HALF.into(), out);
    }
    signed(-1, out);
}
