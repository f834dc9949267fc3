// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first difference, as data.

use drra_case::Case;
use drra_diagnose::signature::DiagnosedFailure;
use drra_fabric::Location;
use drra_isa::Unit;
use drra_lockstep::{self as lockstep, Design, MismatchKind, StimulusDifference, Value};

use super::recording::MismatchContext;
use crate::data::{
    Disagreement, Reading, ReportedDifference, ReportedMismatch, ReportedPortDifference,
};

/// Maximum number of differences listed in a report.
const MAX_LISTED: usize = 64;

pub(super) fn mismatch(
    r: &MismatchContext<'_>,
    case: &Case,
    failing: &DiagnosedFailure,
    design: &dyn Design,
) -> ReportedMismatch {
    let what = match &failing.mismatch.kind {
        MismatchKind::State(differences) => Disagreement::State {
            total: differences.len(),
            differences: listed(r, design, differences),
        },
        MismatchKind::Unknown(differences) => Disagreement::Unknown {
            total: differences.len(),
            differences: listed(r, design, differences),
        },
        MismatchKind::Ended(ended) => Disagreement::Ended(ended.clone()),
        MismatchKind::Stimulus(StimulusDifference { driven, case, recorded }) => {
            Disagreement::Stimulus {
                driven: *driven,
                case: case.clone().map(Reading::number),
                recorded: recorded.clone().map(Reading::number),
            }
        }
        MismatchKind::Port(ports) => {
            Disagreement::Ports { ports: ports.iter().map(|p| port(r, p)).collect() }
        }
        MismatchKind::UnknownPort(ports) => {
            Disagreement::UnknownPorts { ports: ports.iter().map(|p| port(r, p)).collect() }
        }
        MismatchKind::Assertion(failure) => Disagreement::Assertion(failure.clone()),
    };
    ReportedMismatch {
        cycle: failing.mismatch.cycle,
        moment: design.mapped().and_then(|map| map.moment(failing.mismatch.cycle)),
        first_program_cycle: case.stimulus.first_program_cycle(),
        what,
    }
}

fn listed(
    r: &MismatchContext<'_>,
    design: &dyn Design,
    differences: &[lockstep::Difference],
) -> Vec<ReportedDifference> {
    differences.iter().take(MAX_LISTED).map(|d| difference(r, design, d)).collect()
}

fn difference(
    r: &MismatchContext<'_>,
    design: &dyn Design,
    d: &lockstep::Difference,
) -> ReportedDifference {
    let Location { unit, register } = d.location;
    let reading = |value: &Value| r.reading(r.mismatch, d.location, value.clone());
    let before = r.mismatch.checked_sub(1).and_then(|c| r.golden(c));
    ReportedDifference {
        location: d.location,
        name: design.mapped().and_then(|map| map.name_of(d.location)),
        before: before.and_then(|b| b.value(unit, register)).map(|value| reading(&value)),
        golden: reading(&d.golden),
        rtl: reading(&d.dut),
        bits: d.golden.bits_that_differ(&d.dut),
    }
}

fn port(r: &MismatchContext<'_>, d: &lockstep::PortDifference) -> ReportedPortDifference {
    let reading = |value: &Value| Reading::of_port(d.port, value.clone());
    ReportedPortDifference {
        port: d.port,
        column: d.column,
        unit: Some(d.unit(r.geometry)).filter(|unit| *unit != Unit::Fabric),
        golden: reading(&d.golden),
        rtl: reading(&d.dut),
        bits: d.golden.bits_that_differ(&d.dut),
    }
}
