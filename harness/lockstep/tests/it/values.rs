// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values with unknown bits, and bit fields of images.

use drra_lockstep::{Value, put, take};

#[test]
fn digits_and_bits() {
    let wide = Value::new(vec![0x10, 7], 67);
    assert_eq!(wide.to_string(), "0x70000000000000010");
    assert_eq!((wide.low(), wide.bit(66), wide.bit(67)), (0x10, Some(true), Some(false)));
    assert_eq!(Value::new(vec![u64::MAX], 6).to_string(), "0x3f");
    let other = Value::new(vec![0x11, 3], 67);
    assert_eq!(wide.bits_that_differ(&other), [66, 0]);
    assert!(wide.bits_that_differ(&wide).is_empty());
}

#[test]
fn unknown_bits() {
    let some = Value::with_unknown(vec![0x1f3], vec![0x010], 9);
    assert_eq!(some.to_string(), "0x1x3");
    assert_eq!((some.words(), some.is_known(), some.bit(4)), (&[0x1e3][..], false, None));
    assert_eq!(parsed("1000x0001").to_string(), "0x1x1");
    assert_eq!(Value::unknown(6).to_string(), "0xxx");
    assert_eq!(Value::with_unknown(vec![5], vec![0x100], 8), Value::new(vec![5], 8));
    let known = Value::new(vec![0x1f3], 9);
    assert_eq!((known.bits_that_differ(&some), known.contradicts(&some)), (vec![4], false));
    assert!(Value::new(vec![0x1f2], 9).contradicts(&some));
}

#[track_caller]
fn parsed(text: &str) -> Value {
    Value::parse(text).unwrap()
}

#[test]
fn characters() {
    assert_eq!(parsed("01HL"), Value::new([0b0110], 4));
    assert_eq!(parsed("1xUz").unknown_words(), [0b0111]);
    assert_eq!(parsed("1xUz").words(), [0b1000]);
    assert_eq!(Value::parse(""), None);
    assert_eq!(Value::parse("012"), None);
    let wide = format!("1{}", "0".repeat(64));
    assert_eq!(parsed(&wide).words(), [0, 1]);
}

#[test]
fn numbers() {
    assert_eq!(parsed("101").number(), Some(5));
    assert_eq!(parsed("1x1").number(), None);
    assert_eq!(Value::new([5, 0], 100).number(), Some(5));
    assert_eq!(Value::new([5, 1], 100).number(), None);
    assert_eq!((parsed("1x0").bit(2), parsed("1x0").bit(1)), (Some(true), None));
    assert_eq!(parsed("1").bit(77), Some(false));
}

#[test]
fn slices_and_concatenations() {
    let (high, low) = (parsed("10x1"), Value::new([0x0123_4567_89ab_cdef], 62));
    let both = high.above(&low);
    assert_eq!(both.width(), 66);
    assert_eq!((both.slice(62, 4), both.slice(0, 62)), (high, low));
    assert_eq!(parsed("1x01").slice(1, 2), parsed("x0"));
    assert_eq!(parsed("11").slice(1, 4), parsed("0001"));
    assert_eq!(parsed("1x0").inverted(), parsed("0x1"));
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
