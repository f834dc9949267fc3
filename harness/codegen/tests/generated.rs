// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generated files: the SystemVerilog packages that the RTL uses, the Verilator configuration, the Rust modules of
//! the descriptions, and the documentation.

use std::{fs, path::Path};

use drra_codegen::{AnyDescription, describe, generated};
use drra_fabric::SOURCE;
use drra_isa::Revision;

#[test]
fn generated_files_are_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (path, text) in generated(Revision::R4.source(), SOURCE).unwrap() {
        assert!(
            fs::read_to_string(root.join(path)).unwrap_or_default() == text,
            "{path} is stale; regenerate it with\n  cargo run -p drra-codegen"
        );
    }
}

/// The documentation of the instruction set.
fn markdown() -> String {
    describe(Revision::R4.source()).unwrap().description.markdown()
}

/// The subcommands of `drra isa` work on both kinds of description, which are distinguished by their contents.
#[test]
fn a_description_is_recognised_by_its_content() {
    let isa = describe(Revision::R4.source()).unwrap().description;
    assert!(matches!(isa, AnyDescription::Instructions(_)));
    assert_eq!(isa.to_string(), "SiLago 1 r4, 14 instructions, words of 27 bits");
    let fabric = describe(SOURCE).unwrap().description;
    assert!(matches!(fabric, AnyDescription::Fabric(_)));
    assert!(fabric.to_string().starts_with("fabric SiLago 1, "), "{fabric}");
    assert!(fabric.systemverilog(Some("mine")).contains("package mine;"));
    assert!(fabric.rust().contains("pub mod images {"));
    let fault = describe("{\"groups\": 3}").unwrap_err().to_string();
    assert!(fault.starts_with("groups: "), "{fault}");
    let fault = describe("{").unwrap_err().to_string();
    assert!(fault.contains("ISA-E01"), "{fault}");
}

/// Registers of chapters 2, 3, 5 and 6, positions of chapter 6, section 3.
#[test]
fn the_documentation_of_the_fabric_shows_what_the_chapters_say() {
    let text = describe(SOURCE).unwrap().description.markdown();
    for row in [
        "| cell | `seq.wait_count` | 15 | 0 | number | sequencer | waiting (chapter 2, 5.2) |",
        "| cell | `swb.swb_cfg[{destination}]` | 6 | 7 | `swb_sel_t` | switchbox |",
        "| cell | `rf.agu[{agu}].addr_reg` | agu_address | 0 | number | AGU |",
        "| tile | `xsel[{crossbar}]` | 3 | 5 | CrossbarSource | crossbar |",
        "| tile | `sram[{block}]` | 256 | none | number | SRAM |",
        "| `hops` | 57..54 | 4 | number |",
        "| `one_59` | 59 | 1 | always 1 |",
        "| SequencerState | 2 | 2 | 0=IDLE; 1=LOAD; 2=RUN |",
        "| tile | 6 | `drra_tile` | `golden/src/tile.rs` |",
    ] {
        assert!(text.contains(row), "{row}");
    }
}

/// Bit positions printed in chapter 1, section 3.
#[test]
fn the_documentation_shows_the_positions_of_the_chapter() {
    let text = markdown();
    for row in [
        "| 1 0001 | REFI | 1..3 (extra) | 4 | all |",
        "| 13 1101 | IO | 3 | 5 | io |",
        "| port_no | 76..75 | 0:22..21 | 2 | 0 | unsigned | CO | 0=w0; 1=w1; 2=r0; 3=r1.",
        "| l1_step | 57..50 | 0:3..0 + 1:26..23 | 8 | 1 | signed | CO |",
        "| mask | 28..13 | 1:1..0 + 2:26..13 | 16 | 0 | unsigned | CO |",
        "| link | 19..16 | 1:19..16 | 4 | 0 | unsigned | -O |",
        "| unused0 | 22 | 0:22 | 1 | 1 | unsigned | -- |",
    ] {
        assert!(text.contains(row), "{row}");
    }
}

/// Name, positions, width and default of every field are the same in the chapter as in the documentation of its
/// instruction.
#[test]
fn chapter_1_has_the_fields_of_the_description() {
    let chapter = include_str!("../../../isa/spec/01-isa.md");
    let rows = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.starts_with("| "));
        lines.map(|line| line.split(" | ").take(5).collect::<Vec<_>>().join(" | ")).collect()
    };
    let documentation = markdown();
    for instruction in &Revision::R4.isa().instructions {
        let name = &instruction.name;
        // The heading of IO continues with "(I/O cells only)".
        let heading = [format!("\n### {name}\n"), format!("\n### {name} (")];
        let section = heading.iter().find_map(|h| chapter.split(h.as_str()).nth(1)).expect(name);
        let written = rows(section.split("\n#").next().unwrap());
        let documented = documentation.split(&format!("\n## {name}\n")).nth(1).unwrap();
        let documented = documented.split("\n#").next().unwrap();
        for field in &instruction.fields {
            let start = format!("| {} | ", field.name);
            let place = format!(" | {} | {}", field.width, field.default as i64);
            let fits = |row: &&String| row.starts_with(&start) && row.ends_with(&place);
            let row = written.iter().find(fits);
            let row = row.unwrap_or_else(|| panic!("chapter 1 has no {name}.{}", field.name));
            assert!(documented.contains(row.as_str()), "chapter 1, {name}: {row}");
        }
    }
}
