// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the sections of an FST before it is read: the reader makes room for what they claim, and passes over
//! what they do not claim, such as values after the end that the header tells.

mod whole;

use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};

use whole::Whole;

/// Most bytes that a compressed byte can become: zlib, and LZ4 once and twice.
const ZLIB: u64 = 1032;
const LZ4: u64 = 255;
const LZ4_TWICE: u64 = LZ4 * LZ4;
/// Bytes that may be missing in these ratios for very short texts.
const SLACK: u64 = 64;

/// The kinds of sections: the header, values, widths of signals, names, one that has all others in it, and one
/// to pass over.
const HEADER: u8 = 0;
const VALUES: [u8; 3] = [1, 5, 8];
const BLACKOUT: u8 = 2;
const GEOMETRY: u8 = 3;
const NAMES: u8 = 4;
const NAMES_LZ4: u8 = 6;
const NAMES_LZ4_TWICE: u8 = 7;
const WRAPPER: u8 = 254;
const SKIP: u8 = 255;
/// Bytes of the header, and where in it the number of sections of values is.
const HEADER_BYTES: u64 = 329;
const HEADER_SECTIONS: u64 = 64;
/// Bytes of the length, the first and last time and the memory of a section of values.
const VALUES_HEAD: u64 = 32;
/// Bytes at the end of a section of values that describe its table of times.
const TIMES_TAIL: u64 = 24;

/// A file, read at places.
struct Bytes<R> {
    reader: R,
    length: u64,
}

impl<R: Read + Seek> Bytes<R> {
    fn u64_at(&mut self, at: u64) -> io::Result<u64> {
        self.reader.seek(SeekFrom::Start(at))?;
        self.next_u64()
    }

    fn next_u64(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.reader.read_exact(&mut bytes)?;
        Ok(u64::from_be_bytes(bytes))
    }

    /// A number of seven bits per byte, the lowest first.
    fn next_short(&mut self) -> io::Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let mut byte = [0];
            self.reader.read_exact(&mut byte)?;
            value |= u64::from(byte[0] & 0x7f) << shift;
            if byte[0] & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(io::Error::other("a number has too many digits"))
    }
}

/// A section, without the byte that tells its kind.
struct Section {
    start: u64,
    length: u64,
}

impl Section {
    /// An error if so many bytes cannot come out of `compressed` ones of this section.
    fn claim(&self, what: &str, bytes: u64, compressed: u64, ratio: u64) -> Result<(), String> {
        let most = compressed.min(self.length).saturating_mul(ratio).saturating_add(SLACK);
        if bytes > most {
            return Err(format!(
                "the section at byte {} claims {bytes} for {what}; at most {most} fit into it",
                self.start
            ));
        }
        Ok(())
    }
}

/// The sections of a file.
pub(super) trait Sections: BufRead + Seek + Send + Sync {}

impl<T: BufRead + Seek + Send + Sync> Sections for T {}

/// The checked sections of a file. If they are all in one compressed section, as GHDL writes them, they are
/// unpacked in memory.
///
/// # Errors
/// What is wrong with the file.
pub(super) fn open(
    mut file: impl Sections + 'static,
) -> io::Result<Result<Box<dyn Sections>, String>> {
    let mut kind = [0];
    file.read_exact(&mut kind)?;
    if kind[0] == WRAPPER {
        if let Err(what) = check(&mut file) {
            return Ok(Err(what));
        }
        let mut wrapper = Vec::new();
        file.seek(SeekFrom::Start(1))?;
        file.read_to_end(&mut wrapper)?;
        return Ok(unpacked(&wrapper).and_then(|bytes| {
            let mut sections = Cursor::new(bytes);
            check(&mut sections)?;
            sections.set_position(0);
            Ok(Box::new(sections) as Box<dyn Sections>)
        }));
    }
    let checked = check(&mut file);
    file.seek(SeekFrom::Start(0))?;
    Ok(checked.map(|()| Box::new(file) as Box<dyn Sections>))
}

/// Unpacks a wrapper: its length, the length of what is in it, the head of gzip, deflated bytes.
fn unpacked(wrapper: &[u8]) -> Result<Vec<u8>, String> {
    const HEAD: usize = 26;
    let (Some(size), Some(packed)) = (wrapper.get(8..16), wrapper.get(HEAD..)) else {
        return Err(cut(0));
    };
    let size = size.iter().fold(0_usize, |size, byte| size << 8 | usize::from(*byte));
    let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(packed, size);
    bytes.map_err(|error| format!("it cannot be unpacked ({error})"))
}

/// Checks a file.
///
/// # Errors
/// What is wrong with it.
fn check(file: impl Read + Seek) -> Result<(), String> {
    let mut bytes = Bytes { reader: BufReader::new(file), length: 0 };
    let mut all = || -> io::Result<Result<(), String>> {
        bytes.length = bytes.reader.seek(SeekFrom::End(0))?;
        sections(&mut bytes)
    };
    all().unwrap_or_else(|error| Err(format!("its sections cannot be followed ({error})")))
}

fn sections(file: &mut Bytes<impl Read + Seek>) -> io::Result<Result<(), String>> {
    let (mut at, mut whole, mut wrapped) = (0, Whole::default(), false);
    while at < file.length {
        let mut kind = [0];
        file.reader.seek(SeekFrom::Start(at))?;
        file.reader.read_exact(&mut kind)?;
        let start = at + 1;
        if file.length - start < 8 {
            return Ok(Err(cut(at)));
        }
        let section = Section { start, length: file.next_u64()? };
        if kind[0] == SKIP && section.length == 0 {
            return Ok(Err(cut(at)));
        }
        if section.length < 8 || section.length > file.length - start {
            return Ok(Err(cut(at)));
        }
        let checked = match kind[0] {
            HEADER => header(file, &section)?.map(|told| whole.header = Some(told)),
            kind if VALUES.contains(&kind) => {
                let times = (file.u64_at(start + 8)?, file.next_u64()?);
                values(file, &section)?.and_then(|handles| whole.add(handles, times))
            }
            GEOMETRY => geometry(file, &section)?.map(|count| whole.handles = Some(count)),
            NAMES => hierarchy(file, &section, ZLIB)?,
            NAMES_LZ4 => hierarchy(file, &section, LZ4)?,
            NAMES_LZ4_TWICE => hierarchy(file, &section, LZ4_TWICE)?,
            WRAPPER if at == 0 => {
                wrapped = true;
                let size = file.u64_at(start + 8)?;
                section.claim("the whole file", size, section.length, ZLIB)
            }
            BLACKOUT | SKIP => Ok(()),
            kind => Err(format!("the section at byte {at} is of the unknown kind {kind}")),
        };
        if checked.is_err() {
            return Ok(checked);
        }
        at = start + section.length;
    }
    Ok(if wrapped { Ok(()) } else { whole.check() })
}

fn cut(at: u64) -> String {
    format!(
        "the section at byte {at} is not complete: the simulation did not end, or the file is cut"
    )
}

/// The end and the number of sections of values.
fn header(
    file: &mut Bytes<impl Read + Seek>,
    section: &Section,
) -> io::Result<Result<(u64, u64), String>> {
    if section.length != HEADER_BYTES {
        return Ok(Err(format!("its header has {} bytes, not {HEADER_BYTES}", section.length)));
    }
    let end = file.u64_at(section.start + 16)?;
    Ok(Ok((end, file.u64_at(section.start + HEADER_SECTIONS)?)))
}

fn hierarchy(
    file: &mut Bytes<impl Read + Seek>,
    section: &Section,
    ratio: u64,
) -> io::Result<Result<(), String>> {
    let size = file.u64_at(section.start + 8)?;
    Ok(section.claim("names", size, section.length, ratio))
}

/// The number of signals.
fn geometry(
    file: &mut Bytes<impl Read + Seek>,
    section: &Section,
) -> io::Result<Result<u64, String>> {
    let size = file.u64_at(section.start + 8)?;
    let handles = file.next_u64()?;
    let check = section
        .claim("widths", size, section.length, ZLIB)
        .and_then(|()| section.claim("signals", handles, size, ZLIB));
    Ok(check.map(|()| handles))
}

/// The number of signals of a section of values.
fn values(
    file: &mut Bytes<impl Read + Seek>,
    section: &Section,
) -> io::Result<Result<u64, String>> {
    if section.length < VALUES_HEAD + TIMES_TAIL {
        return Ok(Err(cut(section.start - 1)));
    }
    let times_size = file.u64_at(section.start + section.length - TIMES_TAIL)?;
    let times_compressed = file.next_u64()?;
    let times = file.next_u64()?;
    if times_compressed > section.length - VALUES_HEAD - TIMES_TAIL {
        return Ok(Err(cut(section.start - 1)));
    }
    // The length of the table of places is in front of the times.
    let places_end = section.start + section.length - TIMES_TAIL - times_compressed - 8;
    let places = file.u64_at(places_end)?;
    file.reader.seek(SeekFrom::Start(section.start + VALUES_HEAD))?;
    let size = file.next_short()?;
    let compressed = file.next_short()?;
    let initial = file.next_short()?;
    if compressed.max(places) > section.length {
        return Ok(Err(cut(section.start - 1)));
    }
    file.reader.seek(SeekFrom::Current(compressed as i64))?;
    let handles = file.next_short()?;
    let check = section
        .claim("times", times_size, times_compressed, ZLIB)
        .and_then(|()| section.claim("times", times, times_size, ZLIB))
        .and_then(|()| section.claim("initial values", size, compressed, ZLIB));
    Ok(check.map(|()| handles.max(initial)))
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

    /// A header that tells this end and this number of sections of values.
    fn head(end: u64, sections: u64) -> Vec<u8> {
        let mut numbers = [0; 41];
        (numbers[1], numbers[7]) = (end, sections);
        let mut bytes = section(HEADER, &numbers);
        bytes[1..9].copy_from_slice(&HEADER_BYTES.to_be_bytes());
        bytes.truncate(1 + HEADER_BYTES as usize);
        bytes.resize(1 + HEADER_BYTES as usize, 0);
        bytes
    }

    /// The header of a file with one section of values, if that is one, and the section.
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
        let found = check(Cursor::new(bytes));
        match (&found, expected) {
            (Ok(()), Ok(())) => {}
            (Err(found), Err(expected)) if found.contains(expected) => {}
            _ => panic!("{found:?} {expected:?}"),
        }
    }

    #[test]
    fn claims_are_bounded_by_the_length() {
        check_bytes(&section(3, &[2, 2]), Ok(()));
        check_bytes(&section(3, &[1 << 40, 2]), Err("widths"));
        check_bytes(&section(3, &[2, 1 << 40]), Err("signals"));
        check_bytes(&section(4, &[1 << 40]), Err("names"));
        check_bytes(&section(6, &[1 << 20]), Err("names"));
        check_bytes(&section(254, &[1 << 40]), Err("the whole file"));
        let zeros = [0; 3 + 5];
        check_bytes(&section(8, &zeros), Ok(()));
        let tail = |size, compressed, count| [0, 0, 0, 0, 0, size, compressed, count];
        check_bytes(&section(8, &tail(1 << 40, 5, 5)), Err("times"));
        check_bytes(&section(8, &tail(5, 1 << 40, 5)), Err("not complete"));
        check_bytes(&section(8, &tail(5, 5, 1 << 40)), Err("times"));
        check_bytes(&section(8, &[0, 0, 0, 0, 1 << 40, 0, 0, 0]), Err("not complete"));
    }

    /// Values that the header does not tell of would be passed over.
    #[test]
    fn the_header_tells_of_all_values() {
        let values = |start, end| section(8, &[start, end, 0, 0, 0, 0, 0, 0]);
        let file = |head: Vec<u8>, times: &[(u64, u64)]| {
            let sections: Vec<u8> = times.iter().flat_map(|(s, e)| values(*s, *e)).collect();
            [head, sections].concat()
        };
        check_whole(&file(head(9, 2), &[(0, 4), (4, 9)]), Ok(()));
        check_whole(&file(head(12, 1), &[(0, 9)]), Ok(()));
        check_whole(&file(head(8, 1), &[(0, 9)]), Err("tells the end at 8"));
        check_whole(&file(head(9, 2), &[(0, 9)]), Err("2 sections of values, it has 1"));
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
            check_bytes(&whole[..length], Err("not complete"));
        }
        check_bytes(&[3, 0, 0, 0, 0, 0, 0, 0, 3], Err("not complete"));
        check_bytes(&section(255, &[]), Ok(()));
        check_bytes(&[255, 0, 0, 0, 0, 0, 0, 0, 0], Err("did not end"));
    }
}
