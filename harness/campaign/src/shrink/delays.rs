// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shortens WAITs and other delays, alone and together, because cells and inputs that interact in a cycle have to keep
//! in step.

use std::cmp::Reverse;

use super::{candidate::Candidate, shrinker::Shrinker};
use crate::CampaignError;

/// Number of WAITs per program that are combined with other delays, longest first.
const MAX_WAITS: usize = 4;

/// A number of cycles that can be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Delay {
    /// A static WAIT of a program.
    Wait { load: usize, at: usize },
    /// The cycles before a load.
    Gap(usize),
    /// The cycles before an input.
    Input(usize),
}

/// A delay and its number of cycles.
type Cycles = (Delay, u64);

impl Shrinker<'_> {
    /// Shortens single delays, the longest WAITs of all programs together, and pairs of delays.
    pub(super) fn shorten_delays(&mut self) -> Result<(), CampaignError> {
        let mut next = 0;
        while let Some(group) = groups(&delays(&self.best)).into_iter().nth(next) {
            if !self.shorten(group)? {
                next += 1;
            }
        }
        while self.join_waits()? {}
        Ok(())
    }

    /// Shortens all delays of a group by the same number of cycles, trying large numbers first; returns false if the
    /// failure is lost with every number.
    fn shorten(&mut self, mut group: Vec<Cycles>) -> Result<bool, CampaignError> {
        // A WAIT that is removed moves the instructions after it.
        group.sort_by_key(|(delay, _)| Reverse(*delay));
        let mut by = group.iter().map(|(_, cycles)| *cycles).min().unwrap_or(0);
        while by > 0 && !self.stopped {
            let shorten = |c: &mut Candidate| {
                group.iter().for_each(|(delay, cycles)| set(c, *delay, cycles - by));
            };
            if self.change(shorten)? {
                return Ok(true);
            }
            by = if by > 1 { by.div_ceil(4) } else { 0 };
        }
        Ok(false)
    }

    /// Moves the cycles of a WAIT to the next or the previous WAIT of its program, so that only the instructions
    /// between them change their cycles.
    fn join_waits(&mut self) -> Result<bool, CampaignError> {
        let delays = delays(&self.best);
        for pair in delays.windows(2).filter(|pair| program(pair[0].0) == program(pair[1].0)) {
            let [first, second] = [pair[0].0, pair[1].0];
            for (longer, removed) in [(second, first), (first, second)] {
                let join = |c: &mut Candidate| {
                    set(c, longer, pair[0].1 + pair[1].1);
                    set(c, removed, 0);
                };
                if self.change(join)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// The load whose program contains the delay; every other delay is alone.
fn program(delay: Delay) -> Delay {
    match delay {
        Delay::Wait { load, .. } => Delay::Wait { load, at: 0 },
        other => other,
    }
}

/// The groups of delays that are shortened together.
fn groups(delays: &[Cycles]) -> Vec<Vec<Cycles>> {
    let mut longest = delays.to_vec();
    longest.sort_by_key(|(delay, cycles)| (program(*delay), u64::MAX - cycles, *delay));
    let of_programs = longest.chunk_by(|a, b| program(a.0) == program(b.0));
    let (first, some): (Vec<_>, Vec<_>) =
        of_programs.map(|of| (of[0], &of[..of.len().min(MAX_WAITS)])).unzip();
    let some = some.concat();
    let pairs = (0..some.len()).flat_map(|k| some[k + 1..].iter().map(move |b| (k, *b)));
    let pairs = pairs.map(|(k, b)| vec![some[k], b]);
    delays.iter().map(|delay| vec![*delay]).chain([first]).chain(pairs).collect()
}

/// All delays, in the order of the programs.
fn delays(c: &Candidate) -> Vec<Cycles> {
    let mut all = Vec::new();
    for (load, of) in c.loads.iter().enumerate() {
        let waits = of.program.iter().enumerate();
        all.extend(waits.filter_map(|(at, i)| Some((Delay::Wait { load, at }, i.wait_cycles()?))));
    }
    all.extend(c.loads.iter().enumerate().map(|(k, load)| (Delay::Gap(k), load.gap)));
    all.extend(c.inputs.iter().enumerate().map(|(k, input)| (Delay::Input(k), input.delay)));
    all.retain(|(_, cycles)| *cycles > 0);
    all
}

fn set(c: &mut Candidate, delay: Delay, cycles: u64) {
    match delay {
        Delay::Wait { load, at } => c.set_wait(load, at, cycles),
        Delay::Gap(load) => c.loads[load].gap = cycles,
        Delay::Input(k) => c.inputs[k].delay = cycles,
    }
}
