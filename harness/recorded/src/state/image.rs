// SPDX-License-Identifier: MIT OR Apache-2.0
//! Images of units: register fields packed into words of 64 bits.

/// The words that contain a field, each with a 1 for every bit of the field.
pub(super) fn words_of(lsb: usize, width: u32) -> impl Iterator<Item = (usize, u64)> {
    let end = lsb + width as usize;
    (lsb / 64..end.div_ceil(64)).map(move |i| {
        let above = u64::MAX << lsb.saturating_sub(64 * i);
        let below = u64::MAX >> (64 * (i + 1)).saturating_sub(end);
        (i, above & below)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use drra_lockstep::{put, take};

    /// The words of a field have a 1 for every bit of the field.
    #[test]
    fn words() {
        for (lsb, width) in [(0, 1), (60, 8), (63, 64), (1, 130), (64, 64), (5, 256), (0, 384)] {
            let mut wanted = vec![0; 6];
            put(&mut wanted, lsb, width, &[u64::MAX; 6]);
            let mut found = vec![0; 6];
            words_of(lsb, width).for_each(|(i, ones)| found[i] = ones);
            assert_eq!(found, wanted, "{lsb} {width}");
            assert!(words_of(lsb, width).all(|(_, ones)| ones != 0), "{lsb} {width}");
        }
    }

    /// Fields that straddle words can be read back, and nothing next to them changes.
    #[test]
    fn fields() {
        for (lsb, width) in [(0, 1), (60, 8), (63, 64), (1, 130), (64, 64), (5, 256)] {
            for (fill, value) in [(0, u64::MAX), (u64::MAX, 0), (0x5a5a, 0x1234_5678_9abc_def0)] {
                let mut image = vec![fill; 6];
                let mut wanted = vec![value; (width as usize).div_ceil(64)];
                put(&mut image, lsb, width, &wanted);
                if width % 64 != 0 {
                    *wanted.last_mut().unwrap() &= (1 << (width % 64)) - 1;
                }
                assert_eq!(take(&image, lsb, width)[..], wanted, "{lsb} {width}");
                if lsb > 0 {
                    assert_eq!(take(&image, 0, lsb as u32), take(&[fill; 6], 0, lsb as u32));
                }
                let end = lsb + width as usize;
                let rest = (384 - end) as u32;
                assert_eq!(take(&image, end, rest), take(&[fill; 6], end, rest));
            }
        }
    }
}
