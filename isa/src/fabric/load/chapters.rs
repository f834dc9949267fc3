// SPDX-License-Identifier: MIT OR Apache-2.0
//! Chapters that a fabric description refers to, and their sections.

use super::entry::{FabricError, fault, unknown};

/// File names and texts of chapters 2 to 7.
pub(crate) const CHAPTERS: [(&str, &str); 6] = [
    ("isa/spec/02-sequencer.md", include_str!("../../../spec/02-sequencer.md")),
    ("isa/spec/03-register-file.md", include_str!("../../../spec/03-register-file.md")),
    ("isa/spec/04-dpu.md", include_str!("../../../spec/04-dpu.md")),
    ("isa/spec/05-interconnect.md", include_str!("../../../spec/05-interconnect.md")),
    ("isa/spec/06-dimarch.md", include_str!("../../../spec/06-dimarch.md")),
    ("isa/spec/07-io-perm.md", include_str!("../../../spec/07-io-perm.md")),
];

pub(super) fn text(at: &str, chapter: u32) -> Result<&'static str, FabricError> {
    let index = (chapter as usize).checked_sub(2);
    let text = index.and_then(|i| CHAPTERS.get(i)).map(|(_, text)| *text);
    text.ok_or_else(|| unknown(at, "chapter", &chapter.to_string()))
}

/// Checks that a chapter, named at `{at}.chapter`, has a section.
pub(super) fn section(at: &str, chapter: u32, section: &str) -> Result<(), FabricError> {
    let text = text(&format!("{at}.chapter"), chapter)?;
    let titles = text.lines().filter(|line| line.starts_with('#'));
    let begins = |line: &str| {
        let title = line.trim_start_matches('#').trim_start();
        title.strip_prefix(section).is_some_and(|rest| rest.starts_with(' '))
    };
    if titles.into_iter().any(begins) {
        return Ok(());
    }
    let message = format!("chapter {chapter} has no heading that begins with `{section}`");
    Err(fault(format!("{at}.section"), message))
}
