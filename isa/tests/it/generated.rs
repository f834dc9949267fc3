// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generated files: the SystemVerilog package that the RTL uses, the Rust module of this crate, and
//! the documentation.

use drra_isa::Revision;
use drra_isa::markdown;
use drra_isa::rust;
use drra_isa::systemverilog;

#[test]
fn the_package_of_the_rtl_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../rtl/drra_isa_pkg.sv");
    let committed = std::fs::read_to_string(path).expect("rtl/drra_isa_pkg.sv");
    let generated = systemverilog(Revision::R4.isa(), "drra_isa_pkg");
    assert!(
        committed == generated,
        "rtl/drra_isa_pkg.sv is stale; regenerate it with\n  \
         cargo run --release -- isa sv isa/silago1.json > rtl/drra_isa_pkg.sv"
    );
}

#[test]
fn the_rust_module_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/instructions.rs");
    let committed = std::fs::read_to_string(path).expect("isa/src/instructions.rs");
    assert!(
        committed == rust(Revision::R4.isa()),
        "isa/src/instructions.rs is stale; regenerate it with\n  \
         cargo run --release --no-default-features -- isa rs isa/silago1.json > instructions.rs\n  \
         mv instructions.rs isa/src"
    );
}

/// Bit positions printed in chapter 1, section 3.
#[test]
fn the_documentation_shows_the_positions_of_the_chapter() {
    let text = markdown(Revision::R4.isa());
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
