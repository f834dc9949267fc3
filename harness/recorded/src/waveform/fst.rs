// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the sections of an FST before it is read: the reader allocates memory of the sizes that they claim, and skips
//! contents that they do not declare, such as values after the end time in the header.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use fst_reader::{FstHierarchyEntry, FstReader};

use super::{
    collect::StopReason,
    contain::contained,
    error::{Damage, RERUN},
    reader::{WaveformInput, WaveformReader},
    waves::MAX_WIDTH,
};

/// Maximum expansion of a compressed byte: zlib, LZ4, and LZ4 applied twice.
const ZLIB: u64 = 1032;
const LZ4: u64 = 255;
const LZ4_TWICE: u64 = LZ4 * LZ4;
/// Extra bytes allowed on top of these ratios, for very short texts.
const SLACK: u64 = 64;
/// Maximum expansion of a byte to more than this many bytes in total.
const LARGE: u64 = 1 << 27;
const LARGE_RATIO: u64 = 100;

/// The kinds of sections: header, values, blackouts, signal widths, names, a wrapper that contains all other sections,
/// and sections to skip.
const HEADER: u8 = 0;
const VALUES: [u8; 3] = [1, 5, 8];
/// The kind of values whose position table has numbers with a sign.
const VALUES_SIGNED: u8 = 8;
const BLACKOUT: u8 = 2;
const GEOMETRY: u8 = 3;
const NAMES: u8 = 4;
const NAMES_LZ4: u8 = 6;
const NAMES_LZ4_TWICE: u8 = 7;
const WRAPPER: u8 = 254;
const SKIP: u8 = 255;
/// Number of bytes in the header, and the offset at which the header states the number of value sections.
const HEADER_BYTES: u64 = 329;
const HEADER_SECTIONS: u64 = 64;
/// Number of bytes at the start of a value section that contain its length, first time, last time and memory size.
const VALUES_HEAD: u64 = 32;
/// Number of bytes of a section with widths before them.
const WIDTHS_HEAD: u64 = 24;
/// The width of a signal that has texts of any length.
const ANY_WIDTH: u64 = u32::MAX as u64;
/// Number of bytes at the end of a value section that describe its time table.
const TIMES_TAIL: u64 = 24;
/// Number of bytes of a wrapper before the packed data: its kind, two lengths, and the gzip header.
const WRAPPER_HEAD: usize = 27;

/// Opens a file after checking its sections. If all sections are in one compressed section, as written by GHDL, they
/// are unpacked in memory.
///
/// # Errors
/// If the file cannot be read or is damaged.
pub(super) fn open(mut file: WaveformReader<'_>) -> Result<WaveformReader<'_>, StopReason> {
    let signals = check(&mut file)?;
    file.rewind()?;
    if !file.fill_buf()?.starts_with(&[WRAPPER]) {
        return checked_names(file, signals);
    }
    let mut wrapper = Vec::new();
    file.read_to_end(&mut wrapper)?;
    let size = wrapper[9..17].iter().fold(0_usize, |size, byte| size << 8 | usize::from(*byte));
    let packed = wrapper.get(WRAPPER_HEAD..).ok_or_else(|| cut(0))?;
    let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(packed, size)
        .map_err(|error| Damage::new(format!("it cannot be unpacked ({error})"), RERUN))?;
    let mut sections = Cursor::new(bytes);
    let signals = check(&mut sections)?;
    checked_names(sections, signals)
}

/// Checks that each name belongs to one of this many `signals`: the reader allocates memory for all signals up to the
/// highest.
fn checked_names<'a>(
    mut file: impl WaveformInput + 'a,
    signals: u64,
) -> Result<WaveformReader<'a>, StopReason> {
    file.rewind()?;
    let mut highest = 0;
    let read = contained(|| {
        let mut reader = FstReader::open(&mut file).map_err(|error| error.to_string())?;
        let see = |entry| {
            if let FstHierarchyEntry::Var { handle, .. } = entry {
                // Signals are counted from 0.
                highest = highest.max(handle.get_index() as u64 + 1);
            }
        };
        reader.read_hierarchy(see).map_err(|error| error.to_string())
    });
    if highest > signals {
        let what = format!("a name belongs to signal {highest}, but the file has {signals}");
        return Err(Damage::new(what, RERUN).into());
    }
    read?;
    file.rewind()?;
    Ok(Box::new(file))
}

/// Checks a file. Returns its number of signals, unless all sections are in one compressed section.
///
/// # Errors
/// If the file is damaged.
fn check(file: &mut (impl Read + Seek)) -> Result<u64, StopReason> {
    sections(file).map_err(|stop| match stop {
        StopReason::Io(error) => {
            Damage::new(format!("its sections cannot be read ({error})"), RERUN).into()
        }
        StopReason::Damaged(Damage { what, .. }) => Damage::new(what, RERUN).into(),
        StopReason::Enough => StopReason::Enough,
    })
}

fn cut(at: u64) -> StopReason {
    let what = "is incomplete: the simulation did not finish, or the file is truncated";
    format!("the section at byte {at} {what}").into()
}

fn number(file: &mut (impl Read + Seek), at: u64) -> io::Result<u64> {
    let mut bytes = [0; 8];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut bytes)?;
    Ok(u64::from_be_bytes(bytes))
}

/// Reads a number that is stored with seven bits per byte, lowest first.
pub(super) fn short(file: &mut impl Read) -> io::Result<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        file.read_exact(&mut byte)?;
        value |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(io::Error::other("a variable-length number is too long"))
}

/// A section, without the byte that specifies its kind.
struct Section {
    start: u64,
    length: u64,
}

impl Section {
    /// Returns an error if `compressed` bytes of this section cannot expand to this many bytes.
    fn claim(&self, what: &str, bytes: u64, compressed: u64, ratio: u64) -> Result<(), String> {
        let most = compressed.saturating_mul(ratio).saturating_add(SLACK);
        let most = most.min(LARGE.max(compressed.saturating_mul(LARGE_RATIO)));
        if bytes > most {
            let start = self.start;
            return Err(format!(
                "the section at byte {start} claims a size of {bytes} for {what}; at most {most} is possible"
            ));
        }
        Ok(())
    }
}

/// Walks the sections: each section must be within the file, claim no more contents than its bytes can expand to, and
/// agree with the header. Returns the number of signals.
fn sections(file: &mut (impl Read + Seek)) -> Result<u64, StopReason> {
    let length = file.seek(SeekFrom::End(0))?;
    let (mut at, mut header, mut declared) = (0, None, None);
    let (mut count, mut end, mut most_signals) = (0, 0, 0);
    while at < length {
        let (mut kind, start) = ([0], at + 1);
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut kind)?;
        if length - start < 8 {
            return Err(cut(at));
        }
        let section = Section { start, length: number(file, start)? };
        if section.length < 8 || section.length > length - start {
            return Err(cut(at));
        }
        let mut second = |what, ratio| -> Result<u64, StopReason> {
            let size = number(file, start + 8)?;
            section.claim(what, size, section.length, ratio)?;
            Ok(size)
        };
        match kind[0] {
            HEADER if section.length != HEADER_BYTES => {
                let bytes = section.length;
                return Err(format!("its header has {bytes} bytes, not {HEADER_BYTES}").into());
            }
            HEADER => {
                header = Some((number(file, start + 16)?, number(file, start + HEADER_SECTIONS)?))
            }
            kind if VALUES.contains(&kind) => {
                let (from, to) = (number(file, start + 8)?, number(file, start + 16)?);
                most_signals = values(file, kind, &section)?.max(most_signals);
                if from > to || from < end {
                    let what = format!("goes from {from} to {to}, after one that ends at {end}");
                    return Err(format!("a value section {what}").into());
                }
                (count, end) = (count + 1, to);
            }
            GEOMETRY => {
                let size = second("widths", ZLIB)?;
                let signals = number(file, start + 16)?;
                section.claim("signals", signals, size, 1)?;
                widths(file, &section, size)?;
                declared = Some(signals);
            }
            NAMES => _ = second("names", ZLIB)?,
            NAMES_LZ4 => _ = second("names", LZ4)?,
            NAMES_LZ4_TWICE => {
                second("names", LZ4_TWICE)?;
                section.claim("names", short(file)?, section.length, LZ4)?;
            }
            WRAPPER if at == 0 => {
                second("the whole file", ZLIB)?;
                let end = start + section.length;
                return if end == length { Ok(0) } else { Err(cut(end)) };
            }
            BLACKOUT => {
                file.seek(SeekFrom::Start(start + 8))?;
                section.claim("blackouts", short(file)?, section.length, 1)?;
            }
            SKIP => {}
            kind => {
                return Err(format!("the section at byte {at} is of unknown kind {kind}").into());
            }
        }
        at = start + section.length;
    }
    let (told_end, told) = header.ok_or_else(|| "it has no header".to_owned())?;
    let declared = declared.unwrap_or(most_signals);
    if told != count {
        Err(format!("its header declares {told} value sections, but it has {count}").into())
    } else if told_end < end {
        Err(format!("its header gives the end as {told_end}, but it has values up to {end}").into())
    } else if most_signals > declared {
        Err(format!("it has values of {most_signals} signals, but declares {declared}").into())
    } else {
        Ok(declared)
    }
}

/// Checks the widths of the signals, which have this size when they are unpacked.
fn widths(file: &mut impl Read, section: &Section, size: u64) -> Result<(), StopReason> {
    let mut bytes = Vec::new();
    file.take(section.length.saturating_sub(WIDTHS_HEAD)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != size {
        bytes = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(&bytes, size as usize)
            .map_err(|error| format!("its widths cannot be unpacked ({error})"))?;
    }
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        let width = short(&mut rest)?;
        if width > MAX_WIDTH.into() && width != ANY_WIDTH {
            return Err(format!("a signal claims an impossible width of {width} bits").into());
        }
    }
    Ok(())
}

/// The positions of the signals with values, from a position table for this many signals.
fn positions(kind: u8, table: &[u8], signals: u64) -> io::Result<Vec<u64>> {
    let (mut rest, mut found, mut position, mut count) = (table, Vec::new(), 0_u64, 0_u64);
    while !rest.is_empty() {
        let before = rest.len();
        let number = short(&mut rest)?;
        let sign = 1_u64.checked_shl(7 * (before - rest.len()) as u32 - 1).unwrap_or(0);
        let same_as_another = match kind {
            VALUES_SIGNED => number == 1 || number & 1 == 1 && number & sign != 0,
            _ => number == 0 && short(&mut rest).map(|_| true)?,
        };
        let is_new = number & 1 == 1 && !same_as_another;
        if is_new {
            position = position.saturating_add(number >> 1);
            found.push(position);
        }
        count += if is_new || same_as_another { 1 } else { number >> 1 };
        if count > signals {
            return Err(io::Error::other("a position table has more signals than its section"));
        }
    }
    Ok(found)
}

/// Checks a value section. Returns its number of signals.
fn values(file: &mut (impl Read + Seek), kind: u8, section: &Section) -> Result<u64, StopReason> {
    let (start, end) = (section.start, section.start + section.length);
    let cut = || cut(start - 1);
    if section.length < VALUES_HEAD + TIMES_TAIL {
        return Err(cut());
    }
    let times_size = number(file, end - TIMES_TAIL)?;
    let times_compressed = number(file, end - 16)?;
    let times = number(file, end - 8)?;
    if times_compressed > section.length - VALUES_HEAD - TIMES_TAIL {
        return Err(cut());
    }
    // The length of the position table precedes the times.
    let places = number(file, end - TIMES_TAIL - times_compressed - 8)?;
    file.seek(SeekFrom::Start(start + VALUES_HEAD))?;
    let (size, compressed, initial) = (short(file)?, short(file)?, short(file)?);
    if compressed.max(places) > section.length {
        return Err(cut());
    }
    file.seek(SeekFrom::Current(compressed as i64))?;
    let signals = short(file)?;
    section.claim("times", times_size, times_compressed, ZLIB)?;
    section.claim("times", times, times_size, 1)?;
    section.claim("initial values", size, compressed, ZLIB)?;
    // The positions count from here to the table.
    let first = file.stream_position()?;
    let places_at = end - TIMES_TAIL - times_compressed - 8;
    let places_at = places_at.checked_sub(places).filter(|at| *at >= first).ok_or_else(cut)?;
    file.seek(SeekFrom::Start(places_at))?;
    let mut table = Vec::new();
    file.take(places).read_to_end(&mut table)?;
    let starts = positions(kind, &table, signals)?;
    let ends = starts.iter().skip(1).copied().chain([places_at - first]);
    file.seek(SeekFrom::Start(first))?;
    for (start, end) in starts.iter().zip(ends) {
        if *start >= end {
            return Err(cut());
        }
        let to = (first + start) as i64 - file.stream_position()? as i64;
        // Unlike `seek`, this keeps the buffer.
        file.seek_relative(to)?;
        section.claim("values", short(file)?, end - start, ZLIB)?;
    }
    Ok(signals.max(initial))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A section of a kind, with these numbers after its length.
    fn section(kind: u8, numbers: &[u64]) -> Vec<u8> {
        let mut bytes = vec![kind];
        bytes.extend((8 * (1 + numbers.len() as u64)).to_be_bytes());
        bytes.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
        bytes
    }

    /// A header with this end time and this number of value sections.
    fn head(end: u64, sections: u64) -> Vec<u8> {
        let mut numbers = [0; 41];
        (numbers[1], numbers[7]) = (end, sections);
        let mut bytes = section(HEADER, &numbers);
        bytes[1..9].copy_from_slice(&HEADER_BYTES.to_be_bytes());
        bytes.truncate(1 + HEADER_BYTES as usize);
        bytes.resize(1 + HEADER_BYTES as usize, 0);
        bytes
    }

    /// Adds the header of a file with one section, which may be a value section.
    fn with_head(bytes: &[u8]) -> Vec<u8> {
        let values = bytes.first().is_some_and(|kind| VALUES.contains(kind));
        [head(0, values.into()), bytes.to_vec()].concat()
    }

    #[track_caller]
    fn check_bytes(bytes: &[u8], expected: Result<(), &str>) {
        let whole = if bytes[0] == WRAPPER { bytes.to_vec() } else { with_head(bytes) };
        check_whole(&whole, expected);
    }

    #[track_caller]
    fn check_whole(bytes: &[u8], expected: Result<(), &str>) {
        let found = check(&mut Cursor::new(bytes));
        match (&found, expected) {
            (Ok(_), Ok(())) => {}
            (Err(StopReason::Damaged(found)), Err(expected)) if found.what.contains(expected) => {}
            _ => panic!("{found:?} {expected:?}"),
        }
    }

    #[test]
    fn claims_are_bounded_by_the_length() {
        check_bytes(&section(3, &[0, 0]), Ok(()));
        check_bytes(&section(3, &[1 << 40, 2]), Err("widths"));
        check_bytes(&section(3, &[2, 67]), Err("signals"));
        check_bytes(&section(4, &[1 << 40]), Err("names"));
        check_bytes(&section(6, &[1 << 20]), Err("names"));
        check_bytes(&section(254, &[1 << 40]), Err("the whole file"));
        let zeros = [0; 3 + 5];
        check_bytes(&section(8, &zeros), Ok(()));
        let tail = |size, compressed, count| [0, 0, 0, 0, 0, size, compressed, count];
        check_bytes(&section(8, &tail(1 << 40, 5, 5)), Err("times"));
        check_bytes(&section(8, &tail(5, 1 << 40, 5)), Err("is incomplete"));
        check_bytes(&section(8, &tail(5, 5, 1 << 40)), Err("times"));
        check_bytes(&section(8, &[0, 0, 0, 0, 1 << 40, 0, 0, 0]), Err("is incomplete"));
    }

    /// 713 kB may not expand to 731 MB, but a text that is not large may be that repetitive.
    #[test]
    fn large_sections_are_not_mostly_repetitions() {
        let section = Section { start: 1, length: 1 << 30 };
        let claim = |bytes, compressed| section.claim("values", bytes, compressed, ZLIB);
        assert!(claim(731_000_000, 713_000).is_err());
        assert!(claim(100_000_000, 100_000).is_ok());
        assert!(claim(731_000_000, 70_000_000).is_ok());
    }

    /// The widths of signals, packed or not.
    #[test]
    fn widths_are_bounded() {
        let widths = |widths: &[u8], packed: &[u8]| {
            let mut bytes = section(GEOMETRY, &[widths.len() as u64, 2]);
            bytes[8] += packed.len() as u8;
            [bytes, packed.to_vec()].concat()
        };
        // Four bits, and a text; then four bits, and 2^21 bits.
        let good = [4, 0xff, 0xff, 0xff, 0xff, 0x0f];
        let wide = [4, 0x80, 0x80, 0x80, 0x01];
        check_bytes(&widths(&good, &good), Ok(()));
        check_bytes(&widths(&wide, &wide), Err("an impossible width of 2097152 bits"));
        let packed = miniz_oxide::deflate::compress_to_vec_zlib(&wide, 6);
        check_bytes(&widths(&wide, &packed), Err("an impossible width of 2097152 bits"));
        check_bytes(&widths(&wide, &wide[..2]), Err("cannot be unpacked"));
    }

    /// The values of each signal, at the position that the table states.
    #[test]
    fn values_of_signals_are_bounded() {
        let values = |kind, table: &[u8], values: &[u8]| {
            let lists = [&[0, 0, 0, 3], values, table].concat();
            let mut bytes = section(kind, &[0, 0, 0]);
            bytes.extend(&lists);
            bytes.extend([table.len() as u64, 0, 0, 0].iter().flat_map(|n| n.to_be_bytes()));
            bytes[8] = bytes.len() as u8 - 1;
            bytes
        };
        // Five bytes in two, and 2^30 bytes in one.
        let (packed, bomb) = ([b'4', 5, 0, 0], [0x80, 0x80, 0x80, 0x80, 0x04, 0]);
        let both = [&packed[..], &bomb].concat();
        // In the tables, 3 is one byte further, 7 three bytes, 4 two signals without values, and 0x7f or 0 1 a signal
        // with the values of another.
        for (kind, two, one) in
            [(8, [3, 7, 0x7f].as_slice(), [3, 4].as_slice()), (5, &[3, 7, 0, 1], &[3, 4])]
        {
            check_bytes(&values(kind, two, &both), Err("a size of 1073741824 for values"));
            check_bytes(&values(kind, one, &packed), Ok(()));
            check_bytes(&values(kind, &[3, 6], &packed), Err("more signals than its section"));
            check_bytes(&values(kind, &[0x83, 0x01], &packed), Err("is incomplete"));
        }
    }

    /// Values that the header does not declare would be skipped.
    #[test]
    fn the_header_tells_of_all_values() {
        let values = |start, end| section(8, &[start, end, 0, 0, 0, 0, 0, 0]);
        let file = |head: Vec<u8>, times: &[(u64, u64)]| {
            let sections: Vec<u8> = times.iter().flat_map(|(s, e)| values(*s, *e)).collect();
            [head, sections].concat()
        };
        check_whole(&file(head(9, 2), &[(0, 4), (4, 9)]), Ok(()));
        check_whole(&file(head(12, 1), &[(0, 9)]), Ok(()));
        check_whole(&file(head(8, 1), &[(0, 9)]), Err("gives the end as 8"));
        check_whole(&file(head(9, 2), &[(0, 9)]), Err("2 value sections, but it has 1"));
        check_whole(&file(head(9, 2), &[(0, 5), (4, 9)]), Err("from 4 to 9"));
        check_whole(&file(head(9, 1), &[(9, 4)]), Err("from 9 to 4"));
        check_whole(&values(0, 9), Err("it has no header"));
        check_whole(&[head(0, 0), section(9, &[])].concat(), Err("unknown kind 9"));
        let mut short = head(0, 0);
        short[8] -= 1;
        check_whole(&short, Err("its header has"));
    }

    #[test]
    fn sections_end_within_the_file() {
        let whole = section(3, &[2, 2]);
        for length in 1..whole.len() {
            check_bytes(&whole[..length], Err("is incomplete"));
        }
        check_bytes(&[3, 0, 0, 0, 0, 0, 0, 0, 3], Err("is incomplete"));
        check_bytes(&section(255, &[]), Ok(()));
        check_bytes(&[255, 0, 0, 0, 0, 0, 0, 0, 0], Err("did not finish"));
    }
}
