// SPDX-License-Identifier: MIT OR Apache-2.0
//! What differs first, as data.

use drra_case::Case;
use drra_diagnose::signature::Failing;
use drra_lockstep::MismatchKind;

use super::recording::Recording;
use crate::data::Assertion;
use crate::data::AssertionInstance;
use crate::data::Difference;
use crate::data::Disagreement;
use crate::data::Mismatch;
use crate::data::PortDifference;
use crate::data::Reading;

/// Differences that a report lists.
const LISTED: usize = 64;

pub(super) fn mismatch(r: &Recording<'_>, case: &Case, failing: &Failing) -> Mismatch {
    let what = match &failing.mismatch.kind {
        MismatchKind::State(differences) => Disagreement::State {
            total: differences.len(),
            differences: differences.iter().take(LISTED).map(|d| difference(r, d)).collect(),
        },
        MismatchKind::Port(ports) => {
            Disagreement::Ports { ports: ports.iter().map(port).collect() }
        }
        MismatchKind::Assertion(failure) => Disagreement::Assertion(Assertion {
            file: failure.file.clone(),
            line: failure.line,
            instances: failure
                .instances
                .iter()
                .map(|i| AssertionInstance {
                    unit: i.unit.map(Into::into),
                    name: i.name.clone(),
                    scope: i.scope.clone(),
                })
                .collect(),
        }),
    };
    Mismatch {
        cycle: failing.mismatch.cycle,
        first_program_cycle: case.stimulus.first_program_cycle(),
        what,
    }
}

fn difference(r: &Recording<'_>, d: &drra_lockstep::Difference) -> Difference {
    let drra_isa::fabric::Location { unit, register } = d.location;
    let reading = |value: &drra_lockstep::Value| Reading::of_register(register.id(), value.clone());
    let before = r.mismatch.checked_sub(1).and_then(|c| r.golden(c));
    Difference {
        location: d.location.into(),
        before: before.and_then(|b| b.reading(unit, register)),
        golden: reading(&d.golden),
        rtl: reading(&d.dut),
        bits: d.golden.bits_that_differ(&d.dut),
    }
}

fn port(d: &drra_lockstep::PortDifference) -> PortDifference {
    PortDifference {
        port: d.port.into(),
        column: d.column.map(|c| c.col()),
        golden: Reading::number(d.golden.clone()),
        rtl: Reading::number(d.dut.clone()),
    }
}
