// SPDX-License-Identifier: MIT OR Apache-2.0
//! The folder for running the published SiLago fabric in lock-step, once its script has translated the fabric.

use super::file::ExportFile;
use crate::map::MapFile;

/// Files that are written as they are.
const FILES: [(&str, &str); 5] = [
    ("README.md", include_str!("bench/silago-published/lock-step/README.md")),
    ("lock-step.sh", include_str!("bench/silago-published/lock-step/lock-step.sh")),
    ("wrapper.sv", include_str!("bench/silago-published/lock-step/wrapper.sv")),
    ("rtl.f", include_str!("bench/silago-published/lock-step/rtl.f")),
    ("divider.vhd", include_str!("bench/silago-published/divider.vhd")),
];
/// The map of the VHDL, and the statements that differ for the translation.
const MAP: &str = include_str!("../../maps/silago-published.map");
const CHANGES: &str = include_str!("bench/silago-published/lock-step/changes.map");
/// The beginning of `public.vlt`, and the signals of the map.
const PUBLIC: &str = include_str!("bench/silago-published/lock-step/public.vlt");
const SIGNALS: &str = include_str!("bench/silago-published/signals.opt");

/// The files of the folder; its script adds `silagonn.v`.
pub fn lock_step() -> Vec<ExportFile> {
    let file = |(name, text): (&'static str, &str)| {
        let executable = name.ends_with(".sh");
        ExportFile { name, text: text.to_owned(), executable }
    };
    let public = SIGNALS.lines().filter_map(|line| line.strip_prefix("/tb/dut/")?.rsplit_once('/'));
    let public = public.map(|(_, name)| format!("public_flat_rd -module \"*\" -var \"{name}\"\n"));
    let public = PUBLIC.to_owned() + &public.collect::<String>();
    let map = changed(MAP, CHANGES);
    FILES.into_iter().chain([("public.vlt", &*public), ("signals.map", &map)]).map(file).collect()
}

/// A map with other statements in place of those for the same thing. Statements for anything else are added at the end.
fn changed(map: &str, changes: &str) -> String {
    let parse = |text| MapFile::parse("", text).expect("a map of this crate");
    let (map, changes) = (parse(map), parse(changes));
    let new = |key: &str| changes.statements.iter().find(|(known, _)| known == key);
    let (mut text, mut end) = (String::new(), 0);
    for (key, span) in &map.statements {
        if let Some((_, new)) = new(key) {
            text += &map.text[end..span.start];
            text += changes.source(new);
            end = span.end;
        }
    }
    text += &map.text[end..];
    for (key, new) in &changes.statements {
        if map.statements.iter().all(|(known, _)| known != key) {
            text += &format!("{}\n", changes.source(new));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::changed;

    #[test]
    fn statements_are_replaced_in_place_or_added() {
        let map = "let ab = x.\n# kept\nclock rising x\ncell[r][c].seq.pc = ab.pc\n    # note\ntable t1 = a\n";
        let new = "# left out\ncell[r][c].seq.pc excluded: none\nlet ab = y. |\n  z.\noutput all_idle excluded: none\n";
        let text = changed(map, new);
        let same = "let ab = y. |\n  z.\n# kept\nclock rising x\ncell[r][c].seq.pc excluded: none\ntable t1 = a\n";
        assert_eq!(text, same.to_owned() + "output all_idle excluded: none\n");
    }
}
