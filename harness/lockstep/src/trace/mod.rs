// SPDX-License-Identifier: MIT OR Apache-2.0
//! State changes per cycle, one JSON object per line.
//!
//! The first line is a header. Every other line is one changed register or memory block:
//! `{"cycle": 5, "path": "cell[0][0].rf.mem[32]", "value": "0x0010"}` says that it has this value
//! in cycle 5 and had another one in cycle 4. Lines are ordered by cycle, then as in the state
//! table. Everything starts at its reset value.
//!
//! A trace of version 1 ends with its last change. One of version 2 has an end, `{"last_cycle": 98}`: it tells of
//! the cycles up to 98, the one after the last edge; without that line it is cut.

mod differ;
mod follow;

use std::io::{self, Write};

use drra_case::Case;
use drra_isa::Geometry;
use serde_json::json;
use wildmatch::WildMatch;

pub use self::{
    differ::{Change, Differ},
    follow::{Followed, Side, follow},
};
use crate::{golden_run::EndRule, pair::Pair};

/// The name of the format, in the header.
pub const FORMAT: &str = "drra-trace";
/// The version of the format whose traces end with their last change.
pub const VERSION_WITHOUT_END: u64 = 1;
/// The version of the format whose traces tell their last cycle.
pub const VERSION_WITH_END: u64 = 2;

/// Which part of a run is wanted.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// First cycle.
    pub from: Option<u64>,
    /// Last cycle.
    pub to: Option<u64>,
    /// Path pattern: `*` stands for any text, `?` for one character.
    pub only: Option<WildMatch>,
    /// The trace goes on to the state after the last edge and tells its last cycle.
    pub end: bool,
}

impl Filter {
    /// True if the cycle is wanted.
    pub fn wants_cycle(&self, cycle: u64) -> bool {
        self.from.is_none_or(|f| cycle >= f) && self.to.is_none_or(|t| cycle <= t)
    }

    /// True if what has this canonical path is wanted.
    pub fn wants(&self, path: &str) -> bool {
        self.only.as_ref().is_none_or(|p| p.matches(path))
    }
}

/// Writes the header line.
///
/// # Errors
/// If writing fails.
pub fn write_header(
    out: &mut dyn Write,
    case: &Case,
    side: Side,
    filter: &Filter,
) -> io::Result<()> {
    let geometry = &case.geometry;
    let header = json!({
        "format": FORMAT,
        "version": if filter.end { VERSION_WITH_END } else { VERSION_WITHOUT_END },
        "program": case.name,
        "model": side.model(),
        "fabric": {
            "rows": Geometry::ROWS,
            "columns": geometry.columns,
            "tile_rows": geometry.tile_rows,
            "rf_words": geometry.rf_words,
            "sram_blocks": geometry.sram_blocks,
        },
        "first_program_cycle": case.stimulus.first_program_cycle(),
    });
    writeln!(out, "{header}")
}

/// Writes the changes of a cycle.
///
/// # Errors
/// If writing fails.
fn write_changes(
    out: &mut dyn Write,
    cycle: u64,
    changes: &[Change],
    filter: &Filter,
) -> io::Result<()> {
    if !filter.wants_cycle(cycle) {
        return Ok(());
    }
    for Change { location, value } in changes {
        let path = location.to_string();
        if filter.wants(&path) {
            // Paths and values need no escapes.
            writeln!(out, "{{\"cycle\": {cycle}, \"path\": \"{path}\", \"value\": \"{value}\"}}")?;
        }
    }
    Ok(())
}

/// Writes the trace of a side while it runs.
///
/// # Errors
/// If writing fails, which ends the run, too.
pub fn write(
    pair: &mut Pair<'_>,
    side: Side,
    end: EndRule,
    filter: &Filter,
    out: &mut dyn Write,
) -> io::Result<Followed> {
    let golden = pair.golden();
    let mut differ = Differ::new(golden.layout(), golden.geometry(), golden);
    let followed = follow(pair, side, end, filter, |cycle, source| {
        write_changes(out, cycle, &differ.changes(source), filter)
    })?;
    if let (None, Some(last), true) = (&followed.violated, followed.last, filter.end) {
        writeln!(out, "{{\"last_cycle\": {last}}}")?;
    }
    Ok(followed)
}

#[cfg(test)]
mod tests {
    use super::{Filter, WildMatch};

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
            let filter = Filter { only: Some(WildMatch::new(pattern)), ..Filter::default() };
            assert_eq!(filter.wants(path), expected, "{pattern} {path}");
        }
    }
}
