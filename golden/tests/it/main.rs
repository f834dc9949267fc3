// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the golden model against the worked traces and checkable examples of chapters 2 to 7. The expected values of
//! the examples are printed in the chapters.

mod agu;
mod dpu;
mod images;
mod permute;
mod register_file;
mod squash;

use drra_isa::Geometry;
use drra_testkit::{
    example::{Example, ramp},
    examples,
};

/// The golden model produces the values of every fabric-level example of the chapters.
#[test]
fn fabric_examples() {
    let failures: Vec<String> =
        examples::all().iter().flat_map(|e| e.golden_failures(Geometry::default())).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Addresses have seven bits; a smaller memory uses the lower bits (chapter 6, 7.1 and 7.3).
#[test]
fn rows_beyond_a_small_memory_wrap() {
    let small = Geometry { sram_blocks: 16, ..Geometry::default() };
    let pattern = "ROUTE; SRAM init_addr=100, l1_iter=1, l1_step=13; WAIT cycle=9; HALT";
    let written = "ROUTE direction=w; SRAM rw=w, init_addr=55; REFI port_no=r0, dimarch=y, init_addr=1, \
                   init_delay=1; WAIT cycle=9; HALT";
    let failures = [
        // SRAM is decoded in cycle 1; rd.en is set with the first address in cycle 1+4 = 5, and with the next address
        // in cycle 6.
        Example::new("read")
            .sram(0, 1, 0, 4, ramp(0x400))
            .sram(1, 1, 0, 1, ramp(0x100))
            .asm(0, 0, pattern)
            .expect(5, "tile[1][0].rd.addr", 100)
            .expect_wide(6, "tile[1][0].mem_q", &ramp(0x400))
            .expect(6, "tile[1][0].rd.addr", (100 + 13) % 16)
            .expect_wide(7, "tile[1][0].mem_q", &ramp(0x100)),
        Example::new("write")
            .rf(0, 0, 0, 1, ramp(0x700))
            .asm(0, 0, written)
            .expect(5, "tile[1][0].wr.en", 1)
            .expect(5, "tile[1][0].wr.addr", 55)
            .expect_wide(6, "tile[1][0].sram[7]", &ramp(0x700)),
    ]
    .map(|e| e.golden_failures(small));
    assert!(failures.concat().is_empty(), "{}", failures.concat().join("\n"));
}
