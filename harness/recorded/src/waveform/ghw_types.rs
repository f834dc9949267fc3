// SPDX-License-Identifier: MIT OR Apache-2.0
//! The types of the signals in a GHW.

use std::rc::Rc;

use super::{collect::StopReason, ghw_input::GhwInput};

/// Maximum number of elements of an array in each dimension; more indicate damage.
const MAX_ELEMENTS: u64 = 1 << 22;
/// Maximum number of types within each other, and of dimensions of an array.
const MAX_DEPTH: u64 = 64;
/// Maximum length of all strings together.
const MAX_LENGTH: usize = 1 << 28;

pub(super) type GhwType = Rc<TypeNode>;

pub(super) struct TypeNode {
    pub(super) shape: Shape,
    /// Number of scalars in a value; `None` if an array in it lacks bounds.
    pub(super) scalars: Option<u64>,
    depth: u64,
}

pub(super) enum Shape {
    /// One of the nine values of `std_ulogic`, or one of two.
    Bit {
        nine: bool,
    },
    /// An enumeration with these literals.
    Literals(Vec<Rc<str>>),
    /// An integer or physical number of this width.
    Integer(u64),
    Real,
    /// An array with this number of dimensions, and their ranges unless it lacks bounds.
    Array(GhwType, u64, Vec<Range>),
    Record(Vec<(Rc<str>, GhwType)>),
}

/// The indices of an array.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) left: i64,
    right: i64,
    down: bool,
}

impl Range {
    fn read(input: &mut GhwInput<'_>) -> Result<Self, StopReason> {
        let kind = input.byte()?;
        let (left, right) = match kind & 0x7f {
            22 | 23 => (input.byte()?.into(), input.byte()?.into()),
            25 | 26 | 28 | 29 => (input.signed()?, input.signed()?),
            // No array has such indices.
            27 => (0, input.bytes::<16>().map(|_| -1)?),
            _ => return Err(input.wrong(format_args!("a range is of the unknown kind {kind}"))),
        };
        Ok(Self { left, right, down: kind & 0x80 != 0 })
    }

    pub(super) fn length(&self) -> u64 {
        let (low, high) = if self.down { (self.right, self.left) } else { (self.left, self.right) };
        if low > high { 0 } else { low.abs_diff(high).saturating_add(1) }
    }

    pub(super) fn indices(self) -> impl Iterator<Item = i64> {
        let step = if self.down { -1 } else { 1 };
        (0..self.length() as i64).map(move |n| self.left + step * n)
    }
}

/// Reads the section of strings. The first string is number 1.
pub(super) fn strings(input: &mut GhwInput<'_>) -> Result<Vec<Rc<str>>, StopReason> {
    input.expect(b"STR\0\0\0\0\0")?;
    let (count, _) = (input.fixed::<4>()?, input.fixed::<4>()?);
    let (mut strings, mut text, mut length) = (vec!["<anon>".into()], Vec::new(), 0);
    for _ in 0..count {
        // The byte after the text begins the length of the start that the next text shares with this one.
        let mut byte = loop {
            match input.byte()? {
                byte @ (32..=127 | 160..) => text.push(byte),
                byte => break byte,
            }
        };
        length += text.len();
        if length > MAX_LENGTH {
            return Err(input.wrong("the names are too long"));
        }
        strings.push(String::from_utf8_lossy(&text).into());
        let (mut shared, mut shift) = (usize::from(byte & 0x1f), 5);
        while byte >= 128 && shift < 30 {
            byte = input.byte()?;
            shared |= usize::from(byte & 0x1f) << shift;
            shift += 5;
        }
        text.truncate(shared);
    }
    input.expect(b"EOS\0")?;
    Ok(strings)
}

/// Reads the number of a string or of an earlier type, and returns the item of that number.
pub(super) fn item<T: Clone>(input: &mut GhwInput<'_>, items: &[T]) -> Result<T, StopReason> {
    let number = input.number()?;
    let item = items.get(usize::try_from(number).unwrap_or(usize::MAX));
    item.cloned().ok_or_else(|| input.wrong(format_args!("there is no string or type {number}")))
}

/// Reads the sections of types. Type 0 does not exist.
pub(super) fn types(
    input: &mut GhwInput<'_>,
    strings: &[Rc<str>],
) -> Result<Vec<GhwType>, StopReason> {
    input.expect(b"TYP\0\0\0\0\0")?;
    let none = TypeNode { shape: Shape::Record(Vec::new()), scalars: None, depth: 0 };
    let mut types = vec![Rc::new(none)];
    for _ in 0..input.fixed::<4>()? {
        let new = next(input, strings, &types)?;
        types.push(new);
    }
    input.expect(b"\0WKT\0\0\0\0\0")?;
    while input.byte()? != 0 {
        item(input, &types)?;
    }
    Ok(types)
}

fn next(
    input: &mut GhwInput<'_>,
    strings: &[Rc<str>],
    types: &[GhwType],
) -> Result<GhwType, StopReason> {
    let kind = input.byte()?;
    item(input, strings)?;
    let shape = match kind {
        22 | 23 => {
            let count = input.number()?;
            let literals: Result<Vec<_>, _> = (0..count).map(|_| item(input, strings)).collect();
            let literals = literals?;
            // A literal may stand in ticks.
            let short = literals.iter().filter(|literal| matches!(literal.len(), 1 | 3));
            let short = short.map(|s| s.as_bytes()[s.len() / 2].to_ascii_uppercase());
            match &short.collect::<Vec<_>>()[..] {
                b"UX01ZWLH-" if count == 9 => Shape::Bit { nine: true },
                b"01" if count == 2 => Shape::Bit { nine: false },
                _ => Shape::Literals(literals),
            }
        }
        25 => Shape::Integer(32),
        26 => Shape::Integer(64),
        27 => Shape::Real,
        28 | 29 => {
            for _ in 0..if input.has_units { input.number()? } else { 0 } {
                item(input, strings)?;
                input.signed()?;
            }
            Shape::Integer(if kind == 28 { 32 } else { 64 })
        }
        31 => {
            let (element, dimensions) = (item(input, types)?, input.number()?);
            if dimensions > MAX_DEPTH {
                return Err(input.wrong("an array has too many dimensions"));
            }
            for _ in 0..dimensions {
                item(input, types)?;
            }
            Shape::Array(element, dimensions, Vec::new())
        }
        32 => {
            let fields = 0..input.number()?;
            let field = |_| Ok((item(input, strings)?, item(input, types)?));
            Shape::Record(fields.map(field).collect::<Result<_, StopReason>>()?)
        }
        34 => {
            let base = item(input, types)?;
            return Range::read(input).map(|_| base);
        }
        35 | 38 => {
            let base = item(input, types)?;
            return bounded(input, &base);
        }
        37 | 39 => return item(input, types),
        _ => return Err(input.wrong(format_args!("a type is of the unknown kind {kind}"))),
    };
    node(input, shape)
}

/// Reads the bounds of an array or record, and of all arrays in it that lack them.
fn bounded(input: &mut GhwInput<'_>, base: &GhwType) -> Result<GhwType, StopReason> {
    let inner = |input: &mut GhwInput<'_>, inner: &GhwType| match inner.scalars {
        Some(_) => Ok(Rc::clone(inner)),
        None => bounded(input, inner),
    };
    let shape = match &base.shape {
        Shape::Record(fields) => {
            let field = |(name, field): &(_, _)| Ok((Rc::clone(name), inner(input, field)?));
            Shape::Record(fields.iter().map(field).collect::<Result<_, StopReason>>()?)
        }
        Shape::Array(element, dimensions, _) => {
            let ranges = (0..*dimensions).map(|_| Range::read(input));
            let ranges = ranges.collect::<Result<Vec<_>, _>>()?;
            if let Some(range) = ranges.iter().find(|range| range.length() > MAX_ELEMENTS) {
                let length = range.length();
                return Err(input.wrong(format_args!("a type claims a range of {length} elements")));
            }
            Shape::Array(inner(input, element)?, *dimensions, ranges)
        }
        _ => return Err(input.wrong("a type without elements has bounds")),
    };
    node(input, shape)
}

/// # Errors
/// If too many types are within each other.
fn node(input: &GhwInput<'_>, shape: Shape) -> Result<GhwType, StopReason> {
    let (scalars, depth) = match &shape {
        Shape::Array(element, _, ranges) => {
            let of =
                |scalars| ranges.iter().fold(scalars, |n: u64, r| n.saturating_mul(r.length()));
            (element.scalars.map(of).filter(|_| !ranges.is_empty()), element.depth)
        }
        Shape::Record(fields) => {
            let scalars = fields.iter().map(|(_, field)| field.scalars);
            let add = |sum: u64, n: Option<u64>| Some(sum.saturating_add(n?));
            let depth = fields.iter().map(|(_, field)| field.depth).max();
            (scalars.into_iter().try_fold(0, add), depth.unwrap_or(0))
        }
        _ => (Some(1), 0),
    };
    if depth == MAX_DEPTH {
        return Err(input.wrong("too many types are within each other"));
    }
    Ok(Rc::new(TypeNode { shape, scalars, depth: depth + 1 }))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::{super::ghw_input::MAGIC, *};

    /// Types 1 to 4: an enumeration with two literals, the integers, the integers from 0 to 9, and an array without
    /// bounds.
    const BEFORE: [&[u8]; 4] =
        [&[23, 1, 2, 1, 1], &[25, 1], &[34, 1, 2, 25, 0, 9], &[31, 1, 1, 1, 3]];

    /// The number of scalars of the last of these types, which begin with type 5, or the error.
    fn scalars(new: &[&[u8]]) -> Result<Option<u64>, String> {
        let count = 4 + new.len() as u8;
        let section = [b"\x10\0\0\x01\x04\x01\0TYP\0\0\0\0\0", &[count, 0, 0, 0][..]].concat();
        let all =
            [MAGIC, &section[..], &BEFORE.concat(), &new.concat(), b"\0WKT\0\0\0\0\0\0"].concat();
        let mut input = GhwInput::new(Box::new(Cursor::new(all))).unwrap();
        match types(&mut input, &["".into(), "a".into()]) {
            Ok(types) => Ok(types[usize::from(count)].scalars),
            Err(StopReason::Damaged(damage)) => Err(damage.what),
            Err(stop) => panic!("{stop:?}"),
        }
    }

    #[test]
    fn elements_are_counted() {
        assert_eq!(scalars(&[&[37, 1, 4]]), Ok(None));
        assert_eq!(scalars(&[&[35, 1, 4, 0x99, 9, 2]]), Ok(Some(8)));
        assert_eq!(scalars(&[&[35, 1, 4, 25, 9, 2]]), Ok(Some(0)));
        let nested: &[u8] = &[31, 1, 4, 1, 3];
        assert_eq!(scalars(&[nested, &[35, 1, 5, 25, 0, 1, 25, 0, 2]]), Ok(Some(6)));
        assert_eq!(scalars(&[&[31, 1, 1, 2, 3, 3], &[35, 1, 5, 25, 0, 1, 25, 0, 3]]), Ok(Some(8)));
        let record: &[u8] = &[32, 1, 2, 1, 1, 1, 4];
        assert_eq!(scalars(&[record, &[38, 1, 5, 25, 0, 3]]), Ok(Some(5)));
    }

    #[test]
    fn claims_are_bounded() {
        let error = |new: &[&[u8]]| scalars(new).unwrap_err();
        let large = [35, 1, 4, 25, 0, 0xff, 0xff, 0xff, 0xff, 0x07];
        assert!(error(&[&large]).contains("a range of 2147483648 elements"));
        assert!(error(&[&[31, 1, 1, 65]]).contains("too many dimensions"));
        assert!(error(&[&[34, 1, 6, 25, 0, 9]]).contains("there is no string or type 6"));
        let records: Vec<[u8; 5]> =
            (4..73).map(|n| [32, 1, 1, 1, if n == 4 { 1 } else { n }]).collect();
        let records: Vec<&[u8]> = records.iter().map(|record| &record[..]).collect();
        assert_eq!(scalars(&records[..60]), Ok(Some(1)));
        assert!(error(&records).contains("too many types are within each other"));
    }
}
