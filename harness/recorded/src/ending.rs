// SPDX-License-Identifier: MIT OR Apache-2.0
//! The state of the fabric when a comparison ends.

use std::{fmt, ops::ControlFlow};

use drra_isa::{CellId, Unit};
use drra_lockstep::{CycleView, Observer, running};

/// Maximum number of units listed by name.
const MAX_NAMED: usize = 8;

/// The units that are still busy in the last compared cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BusyUnits {
    /// Cells whose sequencer is running.
    pub running: Vec<CellId>,
    /// Units with an active address generator.
    pub generating: Vec<Unit>,
}

/// As text: `cell[0][1] runs; address generators of tile[1][0] are active`.
impl fmt::Display for BusyUnits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (running, generating) = (&self.running, &self.generating);
        let verb = if running.len() == 1 { "runs" } else { "run" };
        let runs = (!running.is_empty()).then(|| format!("{} {verb}", listed(running)));
        let moves = (!generating.is_empty())
            .then(|| format!("address generators of {} are active", listed(generating)));
        match (runs, moves) {
            (None, None) => f.write_str("program words are in flight"),
            (Some(one), None) | (None, Some(one)) => f.write_str(&one),
            (Some(runs), Some(moves)) => write!(f, "{runs}; {moves}"),
        }
    }
}

fn listed<T: fmt::Display>(units: &[T]) -> String {
    let named: Vec<String> = units.iter().take(MAX_NAMED).map(ToString::to_string).collect();
    let more = match units.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    named.join(", ") + &more
}

/// Inspects the golden model in the last cycle of a run.
#[derive(Default)]
pub(crate) struct EndObserver {
    /// The units that are busy; `None` if the fabric is idle.
    pub(crate) busy: Option<BusyUnits>,
}

impl Observer for EndObserver {
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        if view.last && !view.golden.quiet() {
            let generating = view.golden.generating().collect();
            self.busy = Some(BusyUnits { running: running(view.golden), generating });
        }
        ControlFlow::Continue(())
    }
}
