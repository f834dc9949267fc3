// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers close to a given number.

/// The numbers one above and one below the given number, and 0, in the same format; the given number itself is left
/// out.
pub(crate) fn neighbours(number: &str) -> Vec<String> {
    match number {
        "'0" => return vec!["'1".to_owned()],
        "'1" => return vec!["'0".to_owned()],
        _ => {}
    }
    let Some(parts) = parts(number) else { return Vec::new() };
    let mask = parts.bits.filter(|bits| *bits < 128).map_or(u128::MAX, |bits| (1 << bits) - 1);
    let values = [parts.value.wrapping_add(1) & mask, parts.value.wrapping_sub(1) & mask, 0];
    let mut all: Vec<String> = Vec::new();
    for value in values {
        // A number without a size cannot be negative.
        if value == parts.value || (parts.bits.is_none() && value == u128::MAX) {
            continue;
        }
        let text = parts.with(value);
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// The number one above or below; `None` if the format has no such number.
pub(crate) fn adjacent(number: &str, up: bool) -> Option<String> {
    let parts = parts(number)?;
    let value = if up { parts.value.checked_add(1)? } else { parts.value.checked_sub(1)? };
    (parts.bits.is_none_or(|bits| bits >= 128 || value >> bits == 0)).then(|| parts.with(value))
}

struct NumberLiteral<'n> {
    bits: Option<u32>,
    /// `4'sh`, empty for a plain decimal number.
    prefix: &'n str,
    radix: u32,
    value: u128,
}

impl NumberLiteral<'_> {
    fn with(&self, value: u128) -> String {
        let digits = match self.radix {
            2 => format!("{value:b}"),
            8 => format!("{value:o}"),
            16 => format!("{value:x}"),
            _ => format!("{value}"),
        };
        format!("{}{digits}", self.prefix)
    }
}

fn parts(number: &str) -> Option<NumberLiteral<'_>> {
    let digits = |text: &str, radix| u128::from_str_radix(&text.replace('_', ""), radix).ok();
    let Some((size, rest)) = number.split_once('\'') else {
        return Some(NumberLiteral {
            bits: None,
            prefix: "",
            radix: 10,
            value: digits(number, 10)?,
        });
    };
    let signed = usize::from(rest.starts_with(['s', 'S']));
    let radix = match rest.as_bytes().get(signed)? {
        b'b' | b'B' => 2,
        b'o' | b'O' => 8,
        b'd' | b'D' => 10,
        b'h' | b'H' => 16,
        _ => return None,
    };
    let prefix = &number[..size.len() + 1 + signed + 1];
    let value = digits(&number[prefix.len()..], radix)?;
    Some(NumberLiteral { bits: size.parse().ok(), prefix, radix, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_size_and_base() {
        assert_eq!(neighbours("6'd1"), ["6'd2", "6'd0"]);
        assert_eq!(neighbours("6'd63"), ["6'd0", "6'd62"]);
        assert_eq!(neighbours("1'b0"), ["1'b1"]);
        assert_eq!(neighbours("16'h7fff"), ["16'h8000", "16'h7ffe", "16'h0"]);
        assert_eq!(neighbours("32'sh000f_ffff"), ["32'sh100000", "32'shffffe", "32'sh0"]);
        assert_eq!(neighbours("'0"), ["'1"]);
        assert_eq!(neighbours("0"), ["1"]);
        assert_eq!(adjacent("3", true).as_deref(), Some("4"));
        assert_eq!(adjacent("0", false), None);
        assert_eq!(adjacent("2'd3", true), None);
    }
}
