// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds the report of a failing case.

mod end_state;
mod mismatch;
mod program;
mod provenance;
mod recording;
mod registers;
mod rule;
mod rule_inputs;
mod surroundings;
mod timeline;

use std::collections::BTreeSet;

use drra_isa::Unit;

use crate::data::{CaseInfo, Report, ToolVersions, VERSION};
use recording::MismatchContext;

pub use end_state::{EndStateProvenance, end_state};
use provenance::Provenance;
pub use recording::ReportInput;
pub(crate) use registers::CycleRegisters;

/// Maximum number of units in the timeline.
const MAX_UNITS: usize = 4;

/// Builds the report of a failing case from the cycles around its mismatch.
pub fn build(subject: &ReportInput<'_>) -> Report {
    let ReportInput { case, failing, setup, repeat, reduced, .. } = *subject;
    let r = MismatchContext::new(subject);
    let first = failing.mismatch.differences().first();
    let provenance = match first {
        Some(d) => provenance::trace(&r, d),
        None => provenance::trace_port(&r, failing.mismatch.ports().first()),
    };
    let unit = failing
        .mismatch
        .unit(&case.geometry)
        .filter(|unit| *unit != Unit::Fabric || first.is_some());
    let units = shown(&r, unit, &provenance);

    Report {
        version: VERSION,
        tool: ToolVersions {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            verilator: setup.design.simulator().to_owned(),
        },
        fabric: case.geometry,
        signature: failing.signature.clone(),
        case: CaseInfo {
            name: case.name.clone(),
            seed: case.seed,
            profile: case.origin.as_ref().map(|o| o.profile.clone()),
            generator_seed: case.origin.as_ref().map(|o| o.seed),
            ports: case.ports,
            compare_from: case.compare_from,
        },
        repeat: repeat.to_owned(),
        chapters: None,
        // Only for a waveform have the compared cycles already been counted.
        compared: setup.design.mapped().map(|map| map.compared()).map(|compared| {
            match compared.cycles {
                0 => compared.in_cycles(failing.mismatch.cycle),
                _ => compared,
            }
        }),
        reduced: reduced.cloned(),
        variation: None,
        common: Vec::new(),
        fabrics: Vec::new(),
        mismatch: mismatch::mismatch(&r, case, failing, setup.design),
        rule: rule::rule(&r, failing),
        responsible: r.explanation.responsible.as_ref().map(|d| {
            program::responsible(&r, d, first.map(|difference| difference.location.register))
        }),
        changes: unit.map_or_else(Vec::new, |u| surroundings::changes(&r, u)),
        neighbours: unit.map_or_else(Vec::new, |u| surroundings::neighbours(&r, u)),
        spread: surroundings::spread(&r),
        links: surroundings::links(&r, &provenance),
        timeline: timeline::timeline(&r, &units),
        program: program::program(&r, case),
        path: provenance.steps,
    }
}

/// The units of the timeline: the unit of the mismatch, the cell of the responsible instruction, and the nearest units
/// of the provenance.
fn shown(r: &MismatchContext<'_>, unit: Option<Unit>, provenance: &Provenance) -> Vec<Unit> {
    let mut units: Vec<Unit> = unit.into_iter().collect();
    units.extend(r.explanation.responsible.as_ref().map(|d| Unit::Cell(d.cell)));
    units.extend(provenance.links.iter().flat_map(|(from, to, _)| [*to, *from]).take(MAX_UNITS));
    let mut seen = BTreeSet::new();
    units.retain(|u| *u != Unit::Fabric && seen.insert(*u));
    units.truncate(MAX_UNITS);
    units
}
