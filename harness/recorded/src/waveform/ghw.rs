// SPDX-License-Identifier: MIT OR Apache-2.0
//! GHW files, which are read as a whole: checks their sections and plays their changes in order of time.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    io::{Cursor, Read},
    iter::Peekable,
};

use wellen::viewers;

use super::{
    collect::{ChangeCollector, StopReason},
    contain::quiet,
    error::{Damage, RERUN},
    ghw_types,
    reader::WaveformReader,
    waves::{WantedSignals, options},
};

/// The first bytes of a GHW.
pub(super) const MAGIC: &[u8] = b"GHDLwave\n";
/// The offset of the version.
const VERSION: usize = 11;
/// The offset of the byte-order byte; its value 1 means that the lowest byte comes first.
const BYTE_ORDER: usize = 12;

/// Reads a file and checks it.
///
/// # Errors
/// If the file cannot be read or is damaged.
pub(super) fn open(mut file: impl Read) -> Result<WaveformReader<'static>, StopReason> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    bound_index_types(&mut bytes);
    check(&bytes).map_err(|what| Damage::new(what, RERUN))?;
    Ok(Box::new(Cursor::new(bytes)))
}

/// Checks that the counts claimed by the sections are possible, and that their times do not decrease. The reader would
/// allocate memory for any count, and drop sections with earlier times. Returns the times at which sections begin.
///
/// # Errors
/// If the file is damaged.
fn check(bytes: &[u8]) -> Result<Vec<u64>, String> {
    let lowest_first = bytes.get(BYTE_ORDER) == Some(&1);
    let number = |at: usize, size: usize| -> Option<u64> {
        let digits = bytes.get(at..at + size)?.iter();
        let join = |number: u64, digit: &u8| number << 8 | u64::from(*digit);
        Some(if lowest_first { digits.rev().fold(0, join) } else { digits.fold(0, join) })
    };
    // A mark, four zeros, and this many counts of items in the file.
    for (mark, counts) in [(b"STR\0\0\0\0\0", 2), (b"TYP\0\0\0\0\0", 1), (b"HIE\0\0\0\0\0", 3)] {
        let Some(at) = bytes.windows(mark.len()).position(|window| window == mark) else {
            continue;
        };
        for i in 0..counts {
            let count = number(at + mark.len() + 4 * i, 4).unwrap_or(0);
            if count > bytes.len() as u64 {
                return Err(format!(
                    "the section at byte {at} claims {count} entries, more than the file has bytes"
                ));
            }
        }
        if mark == b"TYP\0\0\0\0\0" {
            let (count, from) = (number(at + 8, 4).unwrap_or(0), bytes.len().min(at + 12));
            ghw_types::check(&bytes[from..], count, bytes[VERSION] > 0)?;
        }
    }
    // The initial values, then sections of changes: the end mark of a section is joined to the start mark of the next
    // section.
    let (mut times, mut last) = (Vec::new(), 0);
    for (at, window) in bytes.windows(8).enumerate() {
        if matches!(window, b"SNP\0\0\0\0\0" | b"ESN\0CYC\0" | b"ECY\0CYC\0") {
            let time = number(at + 8, 8).unwrap_or(last);
            if time < last || time > i64::MAX as u64 {
                return Err(format!("time goes from {last} to {time} at byte {at}"));
            }
            last = time;
            times.push(time);
        }
    }
    Ok(times)
}

/// Reduces the ranges of index types such as NATURAL. A damaged signal may have an array type without a length; the
/// reader would then assume that all indices are used, and allocate 2^31 signals. No array in a design is that long.
fn bound_index_types(bytes: &mut [u8]) {
    // The bounds of INTEGER, encoded as in the type section, and -2^20 and 2^21 - 1 in the same number of bytes.
    const ENDS: [([u8; 5], [u8; 5]); 2] = [
        ([0x80, 0x80, 0x80, 0x80, 0x78], [0x80, 0x80, 0xc0, 0xff, 0x7f]),
        ([0xff, 0xff, 0xff, 0xff, 0x07], [0xff, 0xff, 0xff, 0x80, 0x00]),
    ];
    let place = |mark: &[u8]| bytes.windows(8).position(|window| window == mark);
    let (Some(from), Some(to)) = (place(b"TYP\0\0\0\0\0"), place(b"HIE\0\0\0\0\0")) else {
        return;
    };
    let Some(types) = bytes.get_mut(from..to) else { return };
    for at in 0..types.len().saturating_sub(4) {
        let number = &mut types[at..at + 5];
        if let Some((_, cut)) = ENDS.iter().find(|(end, _)| number == end) {
            number.copy_from_slice(cut);
        }
    }
}

/// Returns an error if the reader skipped a section because an earlier section contains a later time.
fn all_read(sections: &[u64], times: &[u64]) -> Result<(), String> {
    match sections.iter().find(|time| times.binary_search(time).is_err()) {
        Some(time) => Err(format!("time goes back to {time}")),
        None => Ok(()),
    }
}

/// Plays the wanted signals of an opened file up to its last time.
pub(super) fn play(
    mut file: WaveformReader<'_>,
    wanted: &WantedSignals,
    collector: &mut ChangeCollector<'_>,
) -> Result<(), StopReason> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let sections = check(&bytes)?;
    let (hierarchy, mut body) = quiet(|| {
        let header = viewers::read_header(Cursor::new(bytes), &options())?;
        let body = viewers::read_body(header.body, &header.hierarchy, None)?;
        Ok::<_, StopReason>((header.hierarchy, body))
    })?;
    let times = &body.time_table;
    all_read(&sections, times).map_err(|what| Damage::new(what, RERUN))?;
    let signals = body.source.load_signals(wanted.refs(), &hierarchy, false);
    // The changes of all signals in order of time.
    let mut changes: Vec<_> = signals.iter().map(|s| s.iter_changes().peekable()).collect();
    let next = |n: usize, changes: &mut [_]| {
        let head: Option<&(u32, _)> = Peekable::peek(&mut changes[n]);
        head.map(|(time, _)| Reverse((*time, n)))
    };
    let mut queue: BinaryHeap<_> =
        (0..changes.len()).filter_map(|n| next(n, &mut changes)).collect();
    while let Some(Reverse((time, n))) = queue.pop() {
        if let Some((_, value)) = changes[n].next() {
            wanted.deliver(times[time as usize], signals[n].signal_ref(), &value, collector)?;
        }
        queue.extend(next(n, &mut changes));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(sections: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([16, 0, 0, 1, 4, 4, 0]);
        bytes.extend(sections);
        bytes
    }

    #[test]
    fn claims_are_bounded_by_the_length() {
        let strings = |count: u32| {
            let mut section = b"STR\0\0\0\0\0".to_vec();
            section.extend(count.to_le_bytes());
            section.extend(3_u32.to_le_bytes());
            file(&section)
        };
        assert_eq!(check(&strings(3)), Ok(Vec::new()));
        assert!(check(&strings(3_000_000)).unwrap_err().contains("at byte 16"));
    }

    #[test]
    fn time_must_not_go_back() {
        let cycles = |first: u64, second: u64| {
            let mut sections = Vec::new();
            for time in [first, second] {
                sections.extend(b"ECY\0CYC\0");
                sections.extend(time.to_le_bytes());
            }
            file(&sections)
        };
        assert_eq!(check(&cycles(5, 5)), Ok(vec![5, 5]));
        assert!(check(&cycles(500, 499)).unwrap_err().contains("from 500 to 499"));
        assert_eq!(all_read(&[5, 5, 9], &[5, 7, 9]), Ok(()));
        assert!(all_read(&[5, 8], &[5, 7, 9]).unwrap_err().contains("back to 8"));
    }
}
