// SPDX-License-Identifier: MIT OR Apache-2.0
//! Saturation of results of the DPU.

use std::sync::LazyLock;

use drra_golden::units::Clamped;
use drra_isa::{
    Operand, Recipe, Saturation, Wanted,
    instructions::{BwConfig, DpuControl, DpuMode, dpu},
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{
    feed::{STREAM, feed},
    operands::{lane_width, widths},
};
use crate::cross::{Dimension, Directed, cross, numbered};

cross! {
    /// Mode, output, width and lane; direction.
    Saturated "DPU saturation" {
        lane: OutputLane = "lane",
        direction: Direction = "direction" ["above", "below"],
    }
}

numbered! {
    /// A lane of an output, as a position in [`LANES`]. A mode that works on the 16-bit word has
    /// one lane, whatever the width.
    OutputLane, LANES.len(), |k| {
        let (of, lane) = LANES[k];
        match of.width {
            None => format!("{} output {}", of.mode, of.output),
            Some(width) => format!("{} output {}, {width} lane {lane}", of.mode, of.output),
        }
    }
}

/// An output of a mode, at a width if the mode works on lanes.
#[derive(Clone, Copy, Debug)]
struct Output {
    mode: DpuMode,
    output: usize,
    width: Option<BwConfig>,
}

impl Output {
    fn lanes(&self) -> usize {
        self.width.map_or(1, |w| 16 / lane_width(w) as usize)
    }
}

/// The lanes of outputs that saturate, in the order of the bins.
static LANES: LazyLock<Vec<(Output, usize)>> = LazyLock::new(|| {
    let mut lanes = Vec::new();
    for &mode in DpuMode::ALL {
        let on_lanes = match mode.info().saturation() {
            Saturation::None => continue,
            saturation => saturation == Saturation::Lane,
        };
        for output in (0..2).filter(|output| mode.info().outputs[*output]) {
            for width in widths(on_lanes) {
                let this = Output { mode, output, width };
                lanes.extend((0..this.lanes()).map(|lane| (this, lane)));
            }
        }
    }
    lanes
});

/// Where the lanes of an output begin, by its [`position`].
static FIRST: LazyLock<Vec<Option<usize>>> = LazyLock::new(|| {
    let mut first = vec![None; DpuMode::ALL.len() * 2 * BwConfig::ALL.len()];
    for (k, (of, _)) in LANES.iter().enumerate().filter(|(_, (_, lane))| *lane == 0) {
        for width in BwConfig::ALL.iter().filter(|width| of.width.is_none_or(|w| w == **width)) {
            first[position(of.mode, of.output, *width)] = Some(k);
        }
    }
    first
});

/// Position of an output among those of all modes and widths.
#[inline]
fn position(mode: DpuMode, output: usize, width: BwConfig) -> usize {
    (usize::from(mode.code()) * 2 + output) * BwConfig::ALL.len() + usize::from(width.code())
}

impl Saturated {
    /// The bin of each lane that saturation replaces.
    #[inline]
    pub(crate) fn bins(
        mode: DpuMode,
        width: BwConfig,
        clamped: Clamped,
    ) -> impl Iterator<Item = Self> {
        let clamped = [clamped.above, clamped.below].into_iter().zip(Direction::all());
        clamped.flat_map(move |(lanes, direction)| {
            lanes.into_iter().enumerate().flat_map(move |(output, lanes)| {
                let first = FIRST[position(mode, output, width)];
                let clamped = (0..4).filter(move |lane| lanes >> lane & 1 == 1);
                clamped.filter_map(move |k| Some(Self { lane: OutputLane(first? + k), direction }))
            })
        })
    }
}

impl Directed for Saturated {
    fn recipe(self, rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let (of, _) = LANES[self.lane.0];
        let width = of.width.unwrap_or(BwConfig::Int16);
        // Lanes at their bounds, so that sums and products exceed them in both directions.
        let w = lane_width(width);
        let mut bounds = || {
            (0..16).step_by(w as usize).fold(0u16, |word, shift| {
                let largest = (1u32 << (w - 1)) - 1;
                let lane = largest + u32::from(rng.random_bool(0.5));
                word | (lane << shift) as u16
            })
        };
        let mut pairs: Vec<[u16; 2]> = (0..STREAM).map(|_| [bounds(), bounds()]).collect();
        let same = self.direction.0;
        for (k, pair) in pairs.iter_mut().take(4).enumerate() {
            *pair = [bound(k % 2, w), bound(if k < 2 { same } else { 1 - same }, w)];
        }
        if matches!(of.mode, DpuMode::ShiftL | DpuMode::Div) {
            // Few bits to shift, small divisors.
            for pair in &mut pairs {
                pair[1] = rng.random_range(1..4);
            }
        } else if of.mode.info().accumulates() {
            // Sums that grow in one direction in all lanes; a product of two bounds is above if
            // they are alike.
            pairs.fill([bound(same, w), bound(0, w)]);
        }
        let constant = of.mode.info().operands.iter().any(|o| o.contains(Operand::Ir0));
        let fields = [(dpu::CONTROL, u64::from(DpuControl::SatInt.code())), (dpu::ACC_CLEAR, 255)];
        let mode = Wanted::dpu(of.mode.code().into()).with(&fields);
        Some(feed(mode, width, constant.then_some(Operand::Ir0), &pairs))
    }
}

/// A word whose lanes are all at the upper bound (0) or at the lower one (1).
fn bound(direction: usize, w: u32) -> u16 {
    let lane = (1u32 << (w - 1)) - 1 + direction as u32;
    (0..16).step_by(w as usize).fold(0, |word, shift| word | (lane << shift) as u16)
}
