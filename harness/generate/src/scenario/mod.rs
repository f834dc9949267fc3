// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios: intent across cells, timed with the latency rules of the chapters so that data
//! really flow.

mod blocks;
mod clash;
mod control;
mod pattern;
mod words;

use super::plan::Plan;
use super::profile::Scenario;

/// AGUs in the order of the register file.
const WB: usize = 2;
const R0: usize = 3;
const R1: usize = 4;
const RB: usize = 5;

/// Values of `direction` of a ROUTE and of `rw` of an SRAM or IO.
const READ: u64 = 0;
const WRITE: u64 = 1;

/// Adds a scenario. False if there was no room for it.
pub(crate) fn add(plan: &mut Plan<'_>, scenario: Scenario) -> bool {
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
    }
}
