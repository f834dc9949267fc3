// SPDX-License-Identifier: MIT OR Apache-2.0
//! The runs from which a map is inferred, and the signals that all their waveforms share, numbered across runs.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    ops::ControlFlow,
};

use drra_case::Case;

use crate::{
    names::{Signal, SignalHandle, SignalKind},
    samples::{Clock, Edge, samples},
    waveform::{Waveform, WaveformError, WaveformValue},
};

/// Called with the number of a clock edge and the signals that received a value since the previous edge.
type EdgeVisitor<'a> = &'a mut dyn FnMut(u64, &[(usize, WaveformValue)]);

/// A case and the waveform of its run.
#[derive(Debug)]
pub struct RecordedCase {
    /// The case that was run. If the waveform shows the ports, the timing of the case does not matter.
    pub case: Case,
    /// The waveform that the simulator wrote.
    pub waveform: Waveform,
}

/// The signals that all waveforms have under the same path and with the same kind of values, except real numbers,
/// signals whose path occurs twice, and vectors with missing bits.
pub(super) struct CommonSignals<'a> {
    pub(super) runs: &'a [RecordedCase],
    /// The signals, by number.
    pub(super) all: Vec<Signal>,
    /// The number of the clock and its edge, once they are known.
    pub(super) clock: (usize, Edge),
    /// The ids of the signals, by run and then by number.
    ids: Vec<Vec<SignalHandle>>,
    /// The numbers of the signals, by run and then by id.
    numbers: Vec<Vec<Option<usize>>>,
}

/// The signals of a waveform by their paths, except signals whose path occurs twice, and vectors with missing bits.
fn by_path(waveform: &Waveform) -> HashMap<&str, SignalHandle> {
    let (mut ids, mut twice) = (HashMap::new(), HashSet::new());
    let names = waveform.names();
    for (id, signal) in names.all().filter(|(id, _)| !names.bits(*id).contains(&None)) {
        if ids.insert(signal.path.as_str(), id).is_some() {
            twice.insert(signal.path.as_str());
        }
    }
    ids.retain(|path, _| !twice.contains(path));
    ids
}

impl<'a> CommonSignals<'a> {
    pub(super) fn new(runs: &'a [RecordedCase]) -> Self {
        let known: Vec<_> = runs.iter().map(|r| by_path(&r.waveform)).collect();
        let count = |r: &RecordedCase| r.waveform.names().all().count();
        let mut signals = Self {
            runs,
            all: Vec::new(),
            clock: (0, Edge::Rising),
            ids: vec![Vec::new(); runs.len()],
            numbers: runs.iter().map(|r| vec![None; count(r)]).collect(),
        };
        for (_, signal) in runs.iter().take(1).flat_map(|r| r.waveform.names().all()) {
            let ids: Option<Vec<SignalHandle>> =
                known.iter().map(|ids| ids.get(signal.path.as_str()).copied()).collect();
            let Some(ids) = ids.filter(|_| signal.kind != SignalKind::Real) else { continue };
            let kind =
                |(r, id): (&RecordedCase, &SignalHandle)| r.waveform.names().signal(*id).kind;
            if runs.iter().zip(&ids).map(kind).any(|kind| kind != signal.kind) {
                continue;
            }
            for (n, id) in ids.into_iter().enumerate() {
                signals.ids[n].push(id);
                signals.numbers[n][id.index()] = Some(signals.all.len());
            }
            signals.all.push(signal.clone());
        }
        signals
    }

    /// Width of a signal in bits; 0 for text.
    pub(super) fn width(&self, number: usize) -> u32 {
        match self.all[number].kind {
            SignalKind::Bits { width } => width,
            SignalKind::Text | SignalKind::Real => 0,
        }
    }

    /// The signals with one of these widths.
    pub(super) fn of_width(&self, widths: &[u32]) -> Vec<usize> {
        (0..self.all.len()).filter(|&n| widths.contains(&self.width(n))).collect()
    }

    /// The id of a signal in the waveform of a run.
    pub(super) fn id(&self, case_run: usize, number: usize) -> SignalHandle {
        self.ids[case_run][number]
    }

    /// The number of a signal in the waveform of a run.
    pub(super) fn number(&self, case_run: usize, id: SignalHandle) -> Option<usize> {
        self.numbers[case_run][id.index()]
    }

    /// Of several signals, the signal nearest to the top of the design; of equally near signals, the signal with the
    /// shortest path.
    pub(super) fn outermost(&self, numbers: impl IntoIterator<Item = usize>) -> Option<usize> {
        numbers.into_iter().min_by_key(|&n| self.rank(n, &[]))
    }

    /// Sort key for signals that match equally well, given signals already chosen: nearest to the top of the design,
    /// then the longest path prefix shared with the chosen signals, then the shortest path.
    pub(super) fn rank(&self, n: usize, others: &[usize]) -> (usize, Reverse<usize>, usize, &str) {
        let path = self.all[n].path.as_str();
        let shared = |other: &usize| {
            let other = self.all[*other].path.as_str();
            path.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count()
        };
        let depth = path.matches('.').count();
        (depth, Reverse(others.iter().map(shared).sum()), path.len(), path)
    }

    /// Calls a function for each clock edge of a run, with the requested signals that received a value since the
    /// previous edge. Returns the number of edges.
    pub(super) fn edges(
        &self,
        case_run: usize,
        wanted: &[usize],
        each: EdgeVisitor<'_>,
    ) -> Result<u64, WaveformError> {
        let ids: Vec<SignalHandle> = wanted.iter().map(|&n| self.id(case_run, n)).collect();
        let clock = Clock { signal: self.id(case_run, self.clock.0), edge: self.clock.1 };
        let (mut changes, mut edges) = (Vec::new(), 0);
        samples(&self.runs[case_run].waveform, clock, &ids, &mut |sample| {
            let named = |(id, shown)| Some((self.number(case_run, id)?, shown));
            changes.clear();
            changes.extend(sample.changes.into_iter().filter_map(named));
            edges = sample.edge + 1;
            each(sample.edge, &changes);
            ControlFlow::Continue(())
        })?;
        Ok(edges)
    }
}
