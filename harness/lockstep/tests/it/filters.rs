// SPDX-License-Identifier: MIT OR Apache-2.0
//! Filters of the paths in a trace.

use drra_lockstep::trace::TraceFilter;
use wildmatch::WildMatch;

#[test]
fn patterns() {
    for (pattern, path, expected) in [
        ("*", "", true),
        ("cell[0][?].seq.*", "cell[0][3].seq.pc", true),
        ("cell[0][?].seq.*", "cell[0][3].rf.mem[0]", false),
        ("*.mem[*]", "cell[1][2].rf.mem[63]", true),
        ("*pc", "cell[1][2].seq.pend_pc", true),
        ("pc", "cell[1][2].seq.pc", false),
        ("a*b*c", "axxbyybzc", true),
    ] {
        let filter = TraceFilter { only: Some(WildMatch::new(pattern)), ..TraceFilter::default() };
        assert_eq!(filter.wants(path), expected, "{pattern} {path}");
    }
}
