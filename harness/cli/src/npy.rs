// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arrays of integers in NumPy's format NPY, version 1 to 3.

/// The first bytes of a file.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads the numbers of an array in row-major order.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<i128>, String> {
    let (header, data) = split(bytes).ok_or("the header is incomplete")?;
    let value = |key: &str| header.split_once(key).map_or("", |(_, value)| value.trim_start());
    let descr = value("'descr':").trim_start_matches('\'').split('\'').next().unwrap_or_default();
    let integer = descr.get(1..2).filter(|kind| "iub".contains(kind));
    let size = integer.and(descr.get(2..)).and_then(|size| size.parse().ok());
    let size: usize = size.filter(|size| [1, 2, 4, 8].contains(size)).ok_or_else(|| {
        format!("elements of type {descr}, not integers; convert them, for example with x.astype(\"int16\")")
    })?;
    let shape = value("'shape':").trim_start_matches('(').split(')').next().unwrap_or_default();
    let sizes = shape.split(',').map(str::trim).filter(|n| !n.is_empty()).map(str::parse::<usize>);
    let sizes = sizes.collect::<Result<Vec<_>, _>>().map_err(|_| "the shape is malformed")?;
    if sizes.len() > 1 && value("'fortran_order':").starts_with("True") {
        return Err("column-major order; save numpy.ascontiguousarray(x)".into());
    }
    let count = sizes.iter().try_fold(size, |bytes, n| bytes.checked_mul(*n));
    if count != Some(data.len()) {
        return Err(format!("the shape {sizes:?} does not fit the {} bytes of data", data.len()));
    }
    let big = descr.starts_with('>');
    let number = |bytes: &[u8]| {
        let byte = |k: usize| i128::from(bytes[if big { size - 1 - k } else { k }]) << (8 * k);
        let (bits, top) = ((0..size).map(byte).sum::<i128>(), 1 << (8 * size - 1));
        if integer == Some("i") && bits & top != 0 { bits - 2 * top } else { bits }
    };
    Ok(data.chunks_exact(size).map(number).collect())
}

/// The header and the data.
fn split(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (version, rest) = bytes.strip_prefix(MAGIC)?.split_at_checked(2)?;
    let (len, rest) = rest.split_at_checked(if version[0] == 1 { 2 } else { 4 })?;
    let len = len.iter().rev().fold(0, |len, byte| len << 8 | usize::from(*byte));
    let (header, data) = rest.split_at_checked(len)?;
    Some((String::from_utf8_lossy(header).into_owned(), data))
}

/// An array of one dimension, with the smallest type that has `width` bits, at most 64.
pub(super) fn write(numbers: &[i128], width: u32, signed: bool) -> Vec<u8> {
    let size = width.div_ceil(8).next_power_of_two() as usize;
    let (order, kind) = (if size == 1 { '|' } else { '<' }, if signed { 'i' } else { 'u' });
    let count = numbers.len();
    let header = format!(
        "{{'descr': '{order}{kind}{size}', 'fortran_order': False, 'shape': ({count},), }}"
    );
    // Magic, version, length and header fill a multiple of 64 bytes.
    let len = (header.len() + 11).next_multiple_of(64) - 10;
    let mut bytes = [MAGIC, &[1, 0], &(len as u16).to_le_bytes()].concat();
    bytes.extend(format!("{header:<width$}\n", width = len - 1).bytes());
    numbers.iter().for_each(|number| bytes.extend(&number.to_le_bytes()[..size]));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file as NumPy writes it: header and data, the header padded with blanks to 118 bytes.
    fn file(descr: &str, order: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header =
            format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
        [b"\x93NUMPY\x01\x00\x76\x00", format!("{header:<117}\n").as_bytes(), data].concat()
    }

    #[test]
    fn arrays_are_written_as_numpy_writes_them() {
        let bytes = [1, 0, 0xfe, 0xff, 3, 0];
        assert_eq!(write(&[1, -2, 3], 16, true), file("<i2", "False", "(3,)", &bytes));
        assert_eq!(write(&[1, 15], 4, false), file("|u1", "False", "(2,)", &[1, 15]));
    }

    #[test]
    fn arrays_are_read_in_row_major_order() {
        let bytes = [1, 0, 0xfe, 0xff, 3, 0, 4, 0];
        for (descr, order, shape, numbers) in [
            ("<i2", "False", "(2, 2)", &[1, -2, 3, 4][..]),
            (">i2", "True", "(4,)", &[256, -257, 768, 1024]),
            ("<u8", "False", "()", &[0x0004_0003_fffe_0001]),
        ] {
            assert_eq!(read(&file(descr, order, shape, &bytes)).unwrap(), numbers, "{descr}");
        }
        for (descr, order, shape, part) in [
            ("<f8", "False", "(1,)", "not integers"),
            ("<i2", "True", "(2, 2)", "ascontiguousarray"),
            ("<i2", "False", "(99999999999, 99999999999)", "does not fit"),
        ] {
            let error = read(&file(descr, order, shape, &bytes)).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        let whole = file("<i2", "False", "(4,)", &bytes);
        assert!((0..whole.len()).all(|len| read(&whole[..len]).is_err()));
    }
}
