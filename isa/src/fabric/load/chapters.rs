// SPDX-License-Identifier: MIT OR Apache-2.0
//! Chapters that a fabric description refers to, and their sections.

use super::FabricError;

/// Chapters 2 to 7.
const CHAPTERS: [&str; 6] = [
    include_str!("../../../spec/02-sequencer.md"),
    include_str!("../../../spec/03-register-file.md"),
    include_str!("../../../spec/04-dpu.md"),
    include_str!("../../../spec/05-interconnect.md"),
    include_str!("../../../spec/06-dimarch.md"),
    include_str!("../../../spec/07-io-perm.md"),
];

/// File names of the same chapters.
pub(crate) const CHAPTER_FILES: [&str; 6] = [
    "isa/spec/02-sequencer.md",
    "isa/spec/03-register-file.md",
    "isa/spec/04-dpu.md",
    "isa/spec/05-interconnect.md",
    "isa/spec/06-dimarch.md",
    "isa/spec/07-io-perm.md",
];
pub(super) fn chapter_text(at: String, chapter: u32) -> Result<&'static str, FabricError> {
    let index = (chapter as usize).checked_sub(2);
    index.and_then(|i| CHAPTERS.get(i).copied()).ok_or(FabricError::Unknown {
        at,
        what: "chapter",
        name: chapter.to_string(),
    })
}

pub(super) fn has_section(chapter: &str, section: &str) -> bool {
    chapter.lines().filter(|l| l.starts_with('#')).any(|line| {
        let title = line.trim_start_matches('#').trim_start();
        title.strip_prefix(section).is_some_and(|rest| rest.starts_with(' '))
    })
}
