// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constants as SystemVerilog writes them: `6'b000111`, `4'd3`, `8'hff`.

use crate::Bits;

/// Widest constant in bits.
const WIDEST: u32 = 4096;

/// True for a text that can be nothing but a constant: it begins with digits and an apostrophe.
pub(super) fn is_constant(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && rest.starts_with('\'')
}

/// The value of a constant; `None` if it is malformed, or its digits do not fit its width.
pub(super) fn parse(text: &str) -> Option<Bits> {
    let (width, rest) = text.split_once('\'')?;
    let width: u32 = width.parse().ok().filter(|w| (1..=WIDEST).contains(w))?;
    let mut characters = rest.chars();
    let radix = match characters.next()?.to_ascii_lowercase() {
        'b' => 2,
        'o' => 8,
        'd' => 10,
        'h' => 16,
        _ => return None,
    };
    let digits: Vec<char> = characters.filter(|c| *c != '_').collect();
    if digits.is_empty() {
        return None;
    }
    // One word more than the width needs, so that a value that does not fit is seen.
    let mut words = vec![0_u64; width.div_ceil(64) as usize + 1];
    for digit in digits {
        let mut carry = u128::from(digit.to_digit(radix)?);
        for word in &mut words {
            let sum = u128::from(*word) * u128::from(radix) + carry;
            *word = sum as u64;
            carry = sum >> 64;
        }
        let value = Bits::new(&words, width);
        let beyond = words.iter().zip(value.words().iter().chain([&0])).any(|(a, b)| a != b);
        if beyond {
            return None;
        }
    }
    Some(Bits::new(&words, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants() {
        let known = |text| parse(text).unwrap();
        assert_eq!(known("6'b000111"), Bits::new(&[7], 6));
        assert_eq!(known("4'd15"), Bits::new(&[15], 4));
        assert_eq!(known("12'o7_7"), Bits::new(&[63], 12));
        assert_eq!(known("68'hF_0000_0000_0000_0001"), Bits::new(&[1, 15], 68));
        for text in ["", "'b1", "0'b0", "4097'b0", "4'd16", "1'b2", "2'", "2'x1", "2'b", "2'b1z"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert!(is_constant("4'zz") && !is_constant("tb.x") && !is_constant("'b0"));
    }
}
