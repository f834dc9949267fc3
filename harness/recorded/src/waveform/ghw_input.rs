// SPDX-License-Identifier: MIT OR Apache-2.0
//! The numbers in a GHW, read one after the other.

use std::{fmt::Display, io::ErrorKind};

use super::{
    collect::StopReason,
    error::{Damage, RERUN},
    reader::WaveformReader,
};

/// The first bytes of a GHW.
pub(super) const MAGIC: &[u8; 9] = b"GHDLwave\n";

pub(super) struct GhwInput<'a> {
    reader: WaveformReader<'a>,
    /// Number of bytes read.
    position: u64,
    /// True if the lowest byte of a number comes first.
    lowest_first: bool,
    /// True if physical types have units, which they lack in the oldest version.
    pub(super) has_units: bool,
}

impl<'a> GhwInput<'a> {
    /// Reads the header.
    ///
    /// # Errors
    /// If it is not the header of a known version.
    pub(super) fn new(reader: WaveformReader<'a>) -> Result<Self, StopReason> {
        let mut input = Self { reader, position: 0, lowest_first: true, has_units: true };
        input.expect(MAGIC)?;
        let [16, 0, version @ 0..=1, order @ 1..=2, _, _, 0] = input.bytes()? else {
            return Err(input.wrong("this version of the format is unknown"));
        };
        (input.lowest_first, input.has_units) = (order == 1, version == 1);
        Ok(input)
    }

    /// An error at this place.
    pub(super) fn wrong(&self, what: impl Display) -> StopReason {
        Damage::new(format!("byte {}: {what}", self.position), RERUN).into()
    }

    pub(super) fn bytes<const N: usize>(&mut self) -> Result<[u8; N], StopReason> {
        let mut bytes = [0; N];
        match self.reader.read_exact(&mut bytes) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                Err(self.wrong("the file ends here, without its last section"))
            }
            read => {
                self.position += N as u64;
                Ok(read.map(|()| bytes)?)
            }
        }
    }

    pub(super) fn byte(&mut self) -> Result<u8, StopReason> {
        self.bytes().map(|[byte]| byte)
    }

    /// Reads bytes that are always the same.
    pub(super) fn expect<const N: usize>(&mut self, expected: &[u8; N]) -> Result<(), StopReason> {
        if self.bytes()? == *expected {
            return Ok(());
        }
        let expected = String::from_utf8_lossy(expected).replace('\0', " ");
        Err(self.wrong(format_args!("expected `{}` before this byte", expected.trim())))
    }

    /// Reads a count or a time in this number of bytes.
    pub(super) fn fixed<const N: usize>(&mut self) -> Result<u64, StopReason> {
        let (mut bytes, lowest_first) = (self.bytes::<N>()?, self.lowest_first);
        if lowest_first {
            bytes.reverse();
        }
        let number = bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        match number >> (8 * N - 1) {
            0 => Ok(number),
            _ => Err(self.wrong(format_args!("the number {number} is negative"))),
        }
    }

    /// Reads a number with seven bits per byte, lowest first. Returns it with the number of its bits.
    fn short(&mut self) -> Result<(u64, u32), StopReason> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok((number, (shift + 7).min(64)));
            }
        }
        Err(self.wrong("a number is too long"))
    }

    pub(super) fn number(&mut self) -> Result<u64, StopReason> {
        self.short().map(|(number, _)| number)
    }

    pub(super) fn signed(&mut self) -> Result<i64, StopReason> {
        let (number, bits) = self.short()?;
        Ok(((number << (64 - bits)) as i64) >> (64 - bits))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// An input after its header; `order` is 1 if the lowest byte of a number comes first, else 2.
    fn input(order: u8, bytes: &[u8]) -> GhwInput<'static> {
        let bytes = [MAGIC, &[16, 0, 1, order, 4, 1, 0][..], bytes].concat();
        GhwInput::new(Box::new(Cursor::new(bytes))).unwrap()
    }

    #[test]
    fn numbers() {
        assert_eq!(input(1, &[2, 1, 0, 0]).fixed::<4>().unwrap(), 258);
        assert_eq!(input(2, &[0, 0, 1, 2]).fixed::<4>().unwrap(), 258);
        assert!(input(1, &[0, 0, 0, 0x80]).fixed::<4>().is_err());
        for (bytes, number, signed) in
            [(&[0x3f][..], 63, 63), (&[0x40], 64, -64), (&[0xc0, 0], 64, 64)]
        {
            assert_eq!(input(2, bytes).number().unwrap(), number);
            assert_eq!(input(2, bytes).signed().unwrap(), signed);
        }
    }
}
