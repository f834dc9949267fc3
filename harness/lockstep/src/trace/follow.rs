// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows one side of a run to its end.

use std::ops::ControlFlow;

use super::Filter;
use crate::{
    dut::{AssertionFailure, StepError},
    golden_run::EndRule,
    pair::{Now, Observer, Pair},
    state_source::StateSource,
};

/// Which side is traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The golden model.
    Golden,
    /// The design under test.
    Dut,
}

impl Side {
    /// Its name in files: `golden` or `rtl`.
    pub fn model(self) -> &'static str {
        match self {
            Self::Golden => "golden",
            Self::Dut => "rtl",
        }
    }
}

/// How far a side was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// The last cycle that was visited.
    pub last: Option<u64>,
    /// The assertion that ended the run of the design.
    pub violated: Option<AssertionFailure>,
}

/// Visits one side in every cycle, before the edge that ends it, until the last cycle of the filter or the end of
/// the run, which that side decides. The state after the last edge is visited if the filter wants the end.
///
/// # Errors
/// The first one of `visit`, which ends the run, too.
pub fn follow<E>(
    pair: &mut Pair<'_>,
    side: Side,
    end: EndRule,
    filter: &Filter,
    visit: impl FnMut(u64, &dyn StateSource) -> Result<(), E>,
) -> Result<Followed, E> {
    let followed = Followed { last: None, violated: None };
    let mut follower = Follower { side, filter, end, visit, followed: Ok(followed) };
    pair.run(EndRule::at(u64::MAX), &mut follower);
    follower.followed
}

struct Follower<'a, F, E> {
    side: Side,
    filter: &'a Filter,
    end: EndRule,
    visit: F,
    followed: Result<Followed, E>,
}

impl<F: FnMut(u64, &dyn StateSource) -> Result<(), E>, E> Observer for Follower<'_, F, E> {
    fn look(&mut self, now: &Now<'_>) -> ControlFlow<()> {
        let (source, quiet): (&dyn StateSource, bool) = match (self.side, now.dut) {
            (Side::Golden, _) => (now.golden, now.golden.quiet()),
            (Side::Dut, Some(dut)) => {
                let outputs = dut.outputs();
                (dut, outputs.all_idle && !outputs.agu_busy)
            }
            (Side::Dut, None) => return ControlFlow::Break(()),
        };
        let cycle = now.cycle;
        let ends = self.end.ends(cycle, || quiet);
        if self.filter.to.is_some_and(|t| cycle > t) || ends && !self.filter.end {
            return ControlFlow::Break(());
        }
        if let Err(e) = (self.visit)(cycle, source) {
            self.followed = Err(e);
            return ControlFlow::Break(());
        }
        if let Ok(followed) = &mut self.followed {
            followed.last = Some(cycle);
        }
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn stopped(&mut self, _cycle: u64, why: &StepError) -> ControlFlow<()> {
        if let (Ok(followed), StepError::Violated(failure)) = (&mut self.followed, why) {
            followed.violated = Some(failure.clone());
        }
        ControlFlow::Break(())
    }

    fn reads_images(&self) -> bool {
        true
    }
}
