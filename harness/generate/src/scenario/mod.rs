// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sequences across cells (`scenarios` of a profile), timed with the latency rules of the chapters so that data
//! really flow.

mod blocks;
mod change;
mod clash;
mod control;
mod extremes;
mod pattern;
mod words;

use super::{plan::CasePlan, profile::Scenario};
use pattern::{READ, WRITE};

/// Adds a sequence. Returns false if it cannot be completed; instructions that are already placed remain in the plan.
pub(crate) fn add(plan: &mut CasePlan<'_>, scenario: Scenario) -> bool {
    match scenario {
        Scenario::Stream => words::stream(plan),
        Scenario::Copy => words::copy(plan),
        Scenario::TileLoad => blocks::tile(plan, READ),
        Scenario::TileStore => blocks::tile(plan, WRITE),
        Scenario::IoIn => blocks::io(plan, READ),
        Scenario::IoOut => blocks::io(plan, WRITE),
        Scenario::Permute => blocks::permute(plan),
        Scenario::Loops => control::loops(plan),
        Scenario::Branch => control::branch(plan),
        Scenario::Reconfigure => clash::reconfigure(plan),
        Scenario::Conflict => clash::conflict(plan),
        Scenario::Extremes => extremes::extremes(plan),
    }
}
