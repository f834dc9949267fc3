// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the types of a GHW before it is read: the reader allocates memory for the counts and ranges that they claim.

use super::fst::short;

/// Maximum number of elements of an array; more indicate damage.
const MAX_ELEMENTS: u64 = 1 << 22;

/// The kinds of types.
const ENUMERATIONS: [u8; 2] = [22, 23];
const NUMBERS: [u8; 3] = [25, 26, 27];
const REAL: u8 = 27;
const PHYSICAL: u8 = 29;
const ARRAY: u8 = 31;
const RECORD: u8 = 32;
const SUBTYPE_SCALAR: u8 = 34;
const SUBTYPE_ARRAY: u8 = 35;
const SUBTYPE_UNBOUNDED_ARRAY: u8 = 37;
const SUBTYPE_RECORD: u8 = 38;

/// A type, as far as the bounds of its subtypes depend on it. Other types are given by their positions.
#[derive(Clone)]
enum Type {
    /// True if it has a range.
    Scalar(bool),
    /// The element if that lacks bounds, and true if the array itself has a range.
    Array(Option<usize>, bool),
    /// The fields that lack bounds.
    Record(Vec<usize>),
}

impl Type {
    fn is_bounded(&self) -> bool {
        match self {
            Self::Scalar(bounded) => *bounded,
            Self::Array(element, bounded) => *bounded && element.is_none(),
            Self::Record(fields) => fields.is_empty(),
        }
    }
}

/// The reason a check ends: an error, or `None` if the reader recognises the problem.
type Ending = Option<String>;

/// The rest of the section, and the types before it.
struct TypeChecker<'a> {
    rest: &'a [u8],
    types: Vec<Type>,
}

/// Checks the types in `section`, which begins with the first of `count` types. `units` is true if physical types have
/// units, which they lack in the oldest version.
///
/// # Errors
/// If a type claims more entries than the section has bytes, or an impossible range.
pub(super) fn check(section: &[u8], count: u64, units: bool) -> Result<(), String> {
    let mut checker = TypeChecker { rest: section, types: Vec::new() };
    match (0..count).try_for_each(|_| checker.next(units)) {
        Err(Some(what)) => Err(what),
        Ok(()) | Err(None) => Ok(()),
    }
}

impl TypeChecker<'_> {
    fn bytes(&mut self, number: usize) -> Result<&[u8], Ending> {
        let (bytes, rest) = self.rest.split_at_checked(number).ok_or(None)?;
        self.rest = rest;
        Ok(bytes)
    }

    fn number(&mut self) -> Result<u64, Ending> {
        short(&mut self.rest).map_err(|_| None)
    }

    /// Reads a number with a sign.
    fn signed(&mut self) -> Result<i64, Ending> {
        let before = self.rest.len();
        let number = self.number()?;
        let unused = 64_usize.saturating_sub(7 * (before - self.rest.len()));
        Ok(((number << unused) as i64) >> unused)
    }

    /// Reads the number of entries that follow.
    fn count(&mut self) -> Result<u64, Ending> {
        let count = self.number()?;
        if count > self.rest.len() as u64 {
            let number = self.types.len() + 1;
            return Err(Some(format!(
                "type {number} claims {count} entries, more than its section has bytes"
            )));
        }
        Ok(count)
    }

    /// Reads the number of an earlier type, and returns its position. Numbers start at 1.
    fn earlier(&mut self) -> Result<usize, Ending> {
        let position = (self.number()? as usize).wrapping_sub(1);
        if position < self.types.len() { Ok(position) } else { Err(None) }
    }

    /// Reads the number of an earlier type. Returns its position if it lacks bounds.
    fn unbounded(&mut self) -> Result<Option<usize>, Ending> {
        let position = self.earlier()?;
        Ok(Some(position).filter(|n| !self.types[*n].is_bounded()))
    }

    /// Reads a range. Returns its length, if it is a range of integers.
    fn range(&mut self) -> Result<Option<u64>, Ending> {
        match self.bytes(1)?[0] & 0x7f {
            REAL => self.bytes(16).map(|_| None),
            kind if ENUMERATIONS.contains(&kind) => self.bytes(2).map(|_| None),
            _ => Ok(Some(self.signed()?.abs_diff(self.signed()?))),
        }
    }

    /// Reads the bounds of a subtype. Returns the type with bounds.
    fn bounds(&mut self, of: usize) -> Result<Type, Ending> {
        match self.types[of].clone() {
            Type::Array(element, _) => {
                if let Some(length) = self.range()?.filter(|length| *length > MAX_ELEMENTS) {
                    let number = self.types.len() + 1;
                    return Err(Some(format!("type {number} claims a range of {length} elements")));
                }
                element.map(|element| self.bounds(element)).transpose()?;
                Ok(Type::Array(None, true))
            }
            Type::Record(fields) => {
                for field in fields {
                    self.bounds(field)?;
                }
                Ok(Type::Record(Vec::new()))
            }
            Type::Scalar(_) => Err(None),
        }
    }

    fn next(&mut self, units: bool) -> Result<(), Ending> {
        let kind = self.bytes(1)?[0];
        let _name = self.number()?;
        let new = match kind {
            PHYSICAL if !units => Type::Scalar(false),
            PHYSICAL => {
                for _ in 0..2 * self.count()? {
                    self.number()?;
                }
                Type::Scalar(false)
            }
            ARRAY => {
                let element = self.unbounded()?;
                // The reader supports one dimension.
                let 1 = self.count()? else { return Err(None) };
                let index = self.earlier()?;
                let index = matches!(self.types[index], Type::Scalar(true) | Type::Array(_, true));
                Type::Array(element, index)
            }
            RECORD => {
                let mut fields = Vec::new();
                for _ in 0..self.count()? {
                    let _name = self.number()?;
                    fields.extend(self.unbounded()?);
                }
                Type::Record(fields)
            }
            SUBTYPE_SCALAR => {
                self.earlier()?;
                self.range()?;
                Type::Scalar(true)
            }
            SUBTYPE_ARRAY | SUBTYPE_RECORD => {
                let base = self.earlier()?;
                self.bounds(base)?
            }
            SUBTYPE_UNBOUNDED_ARRAY => {
                let base = self.earlier()?;
                let Type::Array(element, _) = self.types[base] else { return Err(None) };
                Type::Array(element, false)
            }
            kind if ENUMERATIONS.contains(&kind) => {
                for _ in 0..self.count()? {
                    self.number()?;
                }
                Type::Scalar(true)
            }
            kind if NUMBERS.contains(&kind) => Type::Scalar(false),
            _ => return Err(None),
        };
        self.types.push(new);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Types 1 to 3: an enumeration with two literals, the integers, and the integers from 0 to 9.
    const BEFORE: [u8; 13] = [23, 3, 2, 1, 2, 25, 4, 34, 5, 2, 25, 0, 9];

    /// Checks a section with this type 4.
    fn check_type(bytes: &[u8]) -> Result<(), String> {
        check(&[&BEFORE[..], bytes].concat(), 4, true)
    }

    #[test]
    fn entries_are_bounded_by_the_length() {
        for (good, bad) in [
            ([23, 6, 1, 7].as_slice(), [23, 6, 0xe8, 0x07, 7].as_slice()),
            (&[29, 6, 1, 7, 1], &[29, 6, 0xe8, 0x07, 7, 1]),
            (&[31, 6, 1, 1, 3], &[31, 6, 1, 0xe8, 0x07, 3]),
            (&[32, 6, 1, 7, 1], &[32, 6, 0xe8, 0x07, 7, 1]),
        ] {
            assert_eq!(check_type(good), Ok(()), "{good:?}");
            let expected = "type 4 claims 1000 entries, more than its section has bytes";
            assert_eq!(check_type(bad), Err(expected.to_owned()), "{bad:?}");
        }
        // An unknown kind, a later type and a missing rest are left to the reader.
        for unknown in [[99, 6, 1].as_slice(), &[31, 6, 9, 0xe8, 0x07, 3], &[34, 6]] {
            assert_eq!(check_type(unknown), Ok(()), "{unknown:?}");
        }
    }

    /// Subtypes have ranges for all arrays in them that lack them: here an array of numbers, an array of such arrays,
    /// and a record with one.
    #[test]
    fn ranges_are_bounded() {
        let open = [31, 6, 1, 1, 3, 37, 7, 4, 31, 8, 5, 1, 3, 37, 9, 6, 32, 10, 2, 1, 3, 2, 5];
        let (small, large) = ([25, 0, 9], [25, 0x40 | 0x80, 0xff, 0xff, 0xff, 0x07]);
        for (base, number) in [(5, 1), (7, 2), (8, 1)] {
            let kind = if base == 8 { SUBTYPE_RECORD } else { SUBTYPE_ARRAY };
            let subtype = |ranges: &[&[u8]]| {
                let end = [25, 11, 23, 12, 0xe8, 0x07];
                let all = [&open[..], &[kind, 11, base], &ranges.concat(), &end].concat();
                check(&[&BEFORE[..], &all].concat(), 11, true)
            };
            let good = vec![&small[..]; number];
            let at_end = "type 11 claims 1000 entries, more than its section has bytes";
            assert_eq!(subtype(&good), Err(at_end.to_owned()), "{base}");
            let bad = [&good[1..], &[&large[..]]].concat();
            assert!(subtype(&bad).unwrap_err().starts_with("type 9 claims a range of"), "{base}");
        }
    }
}
