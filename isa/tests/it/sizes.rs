// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sizes of the fabric as text (chapter 0, section 4).

use drra_isa::{Geometry, SizeText};

#[test]
fn sizes_have_short_names() {
    for (text, columns, tile_rows, rf_words, sram_blocks) in [
        ("8x2", 8, 2, 64, 128),
        ("2x1", 2, 1, 64, 128),
        ("32x7", 32, 7, 64, 128),
        ("3x3-rf32", 3, 3, 32, 128),
        ("4x1-sram2", 4, 1, 64, 2),
        ("2x2-rf32-sram16", 2, 2, 32, 16),
    ] {
        let size = Geometry { columns, tile_rows, rf_words, sram_blocks };
        assert_eq!(text.parse(), Ok(size));
        assert_eq!(size.to_string(), text);
    }
    // Default dimensions can also be specified.
    assert_eq!("8x2-rf64-sram128".parse(), Ok(Geometry::default()));
    assert_eq!(serde_json::to_string(&SizeText(Geometry::default())).unwrap(), "\"8x2\"");
    assert_eq!(serde_json::from_str::<SizeText>("\"8x2\"").unwrap().0, Geometry::default());
}

/// Texts of another form, and sizes outside the ranges.
#[test]
fn other_texts_are_refused() {
    for (text, part) in [
        ("", "is not a fabric size"),
        ("8", "is not a fabric size"),
        ("8x", "is not a fabric size"),
        ("8x2x1", "is not a fabric size"),
        ("+8x2", "is not a fabric size"),
        ("08x2", "is not a fabric size"),
        ("8x2-rf", "is not a fabric size"),
        ("8x2-ram4", "is not a fabric size"),
        ("1x2", "columns of a fabric must be 2 to 32, not 1"),
        ("33x2", "columns of a fabric must be 2 to 32, not 33"),
        ("8x8", "tile rows of a fabric must be 1 to 7, not 8"),
        ("8x2-rf16", "register file words of a fabric must be 32 or 64, not 16"),
        ("8x2-sram1", "SRAM blocks of a fabric must be a power of two from 2 to 128, not 1"),
        ("8x2-sram24", "SRAM blocks of a fabric must be a power of two from 2 to 128, not 24"),
        ("8x2-sram256", "SRAM blocks of a fabric must be a power of two from 2 to 128, not 256"),
    ] {
        let error = text.parse::<Geometry>().unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}
