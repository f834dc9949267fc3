// SPDX-License-Identifier: MIT OR Apache-2.0
//! The chapters that a description refers to.

use std::sync::LazyLock;

/// File names and texts of chapters 2 to 7.
const CHAPTERS: [(&str, &str); 6] = [
    ("isa/spec/02-sequencer.md", include_str!("../../spec/02-sequencer.md")),
    ("isa/spec/03-register-file.md", include_str!("../../spec/03-register-file.md")),
    ("isa/spec/04-dpu.md", include_str!("../../spec/04-dpu.md")),
    ("isa/spec/05-interconnect.md", include_str!("../../spec/05-interconnect.md")),
    ("isa/spec/06-dimarch.md", include_str!("../../spec/06-dimarch.md")),
    ("isa/spec/07-io-perm.md", include_str!("../../spec/07-io-perm.md")),
];

/// File name of a chapter, if there is one with this number.
pub(crate) fn chapter_file(number: u32) -> Option<&'static str> {
    Some(CHAPTERS.get((number as usize).checked_sub(2)?)?.0)
}

/// True if a chapter has a heading that begins with a section.
pub(crate) fn has_section(chapter: u32, section: &str) -> bool {
    static HEADINGS: LazyLock<Vec<(u32, &str)>> = LazyLock::new(|| {
        let lines =
            (2..).zip(CHAPTERS).flat_map(|(n, (_, text))| text.lines().map(move |l| (n, l)));
        let headings = lines.filter(|(_, line)| line.starts_with('#'));
        headings.map(|(n, line)| (n, line.trim_start_matches('#').trim_start())).collect()
    });
    let begins =
        |title: &str| title.strip_prefix(section).is_some_and(|rest| rest.starts_with(' '));
    HEADINGS.iter().any(|(n, title)| *n == chapter && begins(title))
}
