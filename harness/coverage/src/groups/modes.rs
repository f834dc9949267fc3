// SPDX-License-Identifier: MIT OR Apache-2.0
//! Changes of the mode of a DPU and of the width of its lanes.

use drra_golden::units::DpuInstruction;
use drra_isa::{
    Opcode, Recipe, Wanted,
    instructions::{BwConfig, DpuControl, DpuIoChange, DpuMode, dpu, wait},
};
use rand_chacha::ChaCha8Rng;

use super::feed::hand_over;
use crate::{
    axes::{Axes, Axis},
    group::Bins,
};

/// Mode in force; mode, control and change of what is launched; lane width in that cycle.
pub(crate) struct ModeChanges;

impl ModeChanges {
    /// Number of a bin.
    #[inline]
    pub(crate) fn bin(from: DpuMode, to: &DpuInstruction, width: BwConfig) -> usize {
        let modes = usize::from(from.code()) * DpuMode::ALL.len() + usize::from(to.mode.code());
        let at = modes * DpuControl::ALL.len() + usize::from(to.control);
        let at = at * DpuIoChange::ALL.len() + usize::from(to.io.code());
        at * BwConfig::ALL.len() + usize::from(width.code())
    }
}

impl Bins for ModeChanges {
    fn name(&self) -> String {
        "DPU mode changes".to_owned()
    }

    fn axes(&self) -> Axes {
        Axes(vec![
            Axis::new("mode in force", DpuMode::ALL),
            Axis::new("mode launched", DpuMode::ALL.iter().map(|m| format!("then {m}"))),
            Axis::new("control", DpuControl::ALL),
            Axis::new("change", DpuIoChange::ALL),
            Axis::new("width", BwConfig::ALL),
        ])
    }

    fn is_directed(&self, _index: &[usize]) -> bool {
        true
    }

    fn recipe(&self, index: &[usize], rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let of = |k: usize| index[k] as u64;
        let to = Wanted::dpu(of(1)).with(&[(dpu::CONTROL, of(2)), (dpu::IO_CHANGE, of(3))]);
        Some(hand_over(Wanted::bw(of(4)), Wanted::dpu(of(0)), to, rng))
    }
}

/// Mode in force, lane width before and after a change.
pub(crate) struct WidthChanges;

impl WidthChanges {
    /// Number of a bin, for two different widths.
    #[inline]
    pub(crate) fn bin(mode: DpuMode, from: BwConfig, to: BwConfig) -> usize {
        let others = BwConfig::ALL.len() - 1;
        let (from, to) = (usize::from(from.code()), usize::from(to.code()));
        let at = (usize::from(mode.code()) * BwConfig::ALL.len() + from) * others;
        at + to - usize::from(to > from)
    }
}

/// The changes of the width, in the order of the bins.
fn changes() -> impl Iterator<Item = [BwConfig; 2]> {
    let all = || BwConfig::ALL.iter().copied();
    all().flat_map(move |from| all().filter(move |to| *to != from).map(move |to| [from, to]))
}

impl Bins for WidthChanges {
    fn name(&self) -> String {
        "DPU width changes".to_owned()
    }

    fn axes(&self) -> Axes {
        Axes(vec![
            Axis::new("mode", DpuMode::ALL),
            Axis::new("widths", changes().map(|[from, to]| format!("from {from} to {to}"))),
        ])
    }

    fn recipe(&self, index: &[usize], _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let [from, to] = changes().nth(index[1])?.map(|w| u64::from(w.code()));
        let pause = Wanted::new(Opcode::Wait, &[(wait::CYCLE, 2)]);
        let mode = Wanted::dpu(index[0] as u64);
        Some(Recipe::sequence([Wanted::bw(from), mode, pause, Wanted::bw(to)]))
    }
}
