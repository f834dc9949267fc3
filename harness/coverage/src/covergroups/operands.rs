// SPDX-License-Identifier: MIT OR Apache-2.0
//! Classes of the operands of DPU modes: bounds, zero, signs, equal values; and saturation of their results.

use std::sync::LazyLock;

use drra_case::{DirectedSequence, InstructionTemplate};
use drra_golden::{DpuActivity, SaturatedLanes};
use drra_isa::{
    Operand as Source, Saturation,
    instructions::{BwConfig, DpuControl, DpuIoChange, DpuMode, dpu},
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::feed::{STREAM, constant_of_mode, feed};
use crate::cross::{Dimension, DirectedCross, cross, numbered};

/// Classes of a lane.
const CLASSES: [&str; 6] = ["0", "-1", "largest", "smallest", "positive", "negative"];
const LARGEST: usize = 2;
const SMALLEST: usize = 3;
const POSITIVE: usize = 4;
const NEGATIVE: usize = 5;

/// Number of classes of two lanes: one for each pair of classes of a lane, and one each for equal positive and equal
/// negative lanes.
const PAIRS: usize = CLASSES.len() * CLASSES.len() + 2;

/// Width of the lanes that a BW value selects.
fn lane_width(width: BwConfig) -> u32 {
    match width {
        BwConfig::Int16 | BwConfig::Fx16 => 16,
        BwConfig::Int8 => 8,
        BwConfig::Int4 => 4,
    }
}

/// Class of a lane of `w` bits.
fn class(lane: u16, w: u32) -> usize {
    // Branch-free, because data are effectively random.
    let (negative, largest) = (usize::from(lane >> (w - 1)), (1 << (w - 1)) - 1);
    let below = lane & largest;
    let zero_or_smallest = usize::from(below == 0) * (POSITIVE - 2 * negative);
    let largest_or_minus_1 = usize::from(below == largest) * (2 + 2 * negative);
    POSITIVE + negative - zero_or_smallest - largest_or_minus_1
}

/// Class of two lanes.
fn pair_class(a: u16, b: u16, w: u32) -> usize {
    let (x, y) = (class(a, w), class(b, w));
    if a == b && x >= POSITIVE {
        CLASSES.len() * CLASSES.len() + x - POSITIVE
    } else {
        x * CLASSES.len() + y
    }
}

/// Operands of a mode that have bins of their own.
#[derive(Clone, Copy, Debug)]
struct SpecialOperands {
    mode: DpuMode,
    /// `None` if the mode works on the 16-bit word, whatever the width.
    width: Option<BwConfig>,
    /// Operands, as indices into [`values`].
    first: usize,
    second: Option<usize>,
    /// Index in the list of single operands or of operand pairs.
    number: usize,
}

/// Inputs 0 to 3, and the constants of both channels.
const VALUES: [Source; 6] =
    [Source::In0, Source::In1, Source::In2, Source::In3, Source::Ir0, Source::Ir1];

/// Values of the operands in [`VALUES`].
fn values(work: &DpuActivity) -> [u16; 6] {
    let [a, b, c, d] = work.input;
    [a, b, c, d, work.ir[0], work.ir[1]]
}

/// Operand pairs of the channels of a mode, each once; channels with one operand have no second operand.
fn operands_of(mode: DpuMode) -> Vec<(usize, Option<usize>)> {
    let mut all = Vec::new();
    for channel in mode.info().operands {
        let mut known = channel.iter().filter_map(|o| VALUES.iter().position(|v| *v == o));
        let Some(first) = known.next() else { continue };
        let mut seconds: Vec<Option<usize>> = known.map(Some).collect();
        if seconds.is_empty() {
            seconds.push(None);
        }
        let new = seconds.into_iter().map(|second| (first, second));
        all.extend(new.filter(|pair| !all.contains(pair)).collect::<Vec<_>>());
    }
    all
}

/// Widths that matter for the results of a mode; `None` if the mode works on the 16-bit word.
fn widths(on_lanes: bool) -> Vec<Option<BwConfig>> {
    if on_lanes { BwConfig::ALL.iter().copied().map(Some).collect() } else { vec![None] }
}

/// All single operands, or all pairs, in the order of the bins.
fn watched(pairs: bool) -> Vec<SpecialOperands> {
    let mut all = Vec::new();
    for &mode in DpuMode::ALL {
        for width in widths(mode.info().lanes) {
            for (first, second) in operands_of(mode) {
                if second.is_some() == pairs {
                    all.push(SpecialOperands { mode, width, first, second, number: all.len() });
                }
            }
        }
    }
    all
}

static SINGLE_OPERANDS: LazyLock<Vec<SpecialOperands>> = LazyLock::new(|| watched(false));
static OPERAND_PAIRS: LazyLock<Vec<SpecialOperands>> = LazyLock::new(|| watched(true));

/// A value for each mode at each width, at [`position`].
fn for_each<T>(of: impl Fn(DpuMode, BwConfig) -> T) -> Vec<T> {
    let of = &of;
    DpuMode::all().flat_map(|mode| BwConfig::all().map(move |width| of(mode, width))).collect()
}

fn position(mode: DpuMode, width: BwConfig) -> usize {
    mode.index() * BwConfig::count() + width.index()
}

/// The watched operands of a mode at a width.
static BY_MODE: LazyLock<Vec<Vec<SpecialOperands>>> = LazyLock::new(|| {
    for_each(|mode, width| {
        let all = SINGLE_OPERANDS.iter().chain(&*OPERAND_PAIRS).copied();
        all.filter(|w| w.mode == mode && w.width.is_none_or(|w| w == width)).collect()
    })
});

/// The lane width that applies: fixed point only while BW selects it.
fn width_of(work: &DpuActivity) -> BwConfig {
    match (work.bw_reg, work.cfg_bw) {
        (BwConfig::Int16, BwConfig::Fx16) => BwConfig::Fx16,
        (width, _) => width,
    }
}

/// A bin of operands.
pub(crate) enum OperandBin {
    Single(SingleOperands),
    Pair(OperandPairs),
}

/// Calls `note` with each bin of the operands that a DPU worked on.
pub(crate) fn bins(work: &DpuActivity, mut note: impl FnMut(OperandBin)) {
    let values = values(work);
    let (control, change) = (work.control, work.io);
    for watched in &BY_MODE[position(work.mode, width_of(work))] {
        let w = watched.width.map_or(16, lane_width);
        let mask = ((1u32 << w) - 1) as u16;
        let mut shift = 0;
        while shift < 16 {
            let lane = |k: usize| values[k] >> shift & mask;
            let first = lane(watched.first);
            note(match watched.second {
                None => {
                    let (operand, class) = (Single(watched.number), Class(class(first, w)));
                    OperandBin::Single(SingleOperands { operand, class, control, change })
                }
                Some(second) => {
                    let operands = Pair(watched.number);
                    let classes = PairClass(pair_class(first, lane(second), w));
                    OperandBin::Pair(OperandPairs { operands, classes, control, change })
                }
            });
            shift += w;
        }
    }
}

/// A mode, its width and its operands, as text.
fn label(watched: &SpecialOperands) -> String {
    let name = |k: usize| VALUES[k].name();
    let width = watched.width.map_or(String::new(), |w| format!(" {w}"));
    let second = watched.second.map_or(String::new(), |k| format!(" and {}", name(k)));
    format!("{}{width}: {}{second}", watched.mode, name(watched.first))
}

cross! {
    /// Mode, width and two operands; the classes of both; control and change of the operation.
    OperandPairs "operand pairs" {
        operands: Pair = "operands",
        classes: PairClass = "classes",
        control: DpuControl = "control",
        change: DpuIoChange = "change",
    }
}

numbered! {
    /// Two operands of a mode, as an index into [`OPERAND_PAIRS`].
    Pair, OPERAND_PAIRS.len(), |k| label(&OPERAND_PAIRS[k])
}

numbered! {
    /// A class of two lanes.
    PairClass, PAIRS, |k| match k.checked_sub(CLASSES.len() * CLASSES.len()) {
        None => format!("{} and {}", CLASSES[k / CLASSES.len()], CLASSES[k % CLASSES.len()]),
        Some(equal) => format!("{} and equal", CLASSES[POSITIVE + equal]),
    }
}

impl DirectedCross for OperandPairs {
    const ALL_DIRECTED: bool = true;

    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let watched = &OPERAND_PAIRS[self.operands.0];
        Some(stream(watched, self.classes.0, self.control, self.change, rng))
    }
}

cross! {
    /// Mode, width and the only operand of a channel; its class; control and change of the operation.
    SingleOperands "single operands" {
        operand: Single = "operand",
        class: Class = "class",
        control: DpuControl = "control",
        change: DpuIoChange = "change",
    }
}

numbered! {
    /// The only operand of a channel, as an index into [`SINGLE_OPERANDS`].
    Single, SINGLE_OPERANDS.len(), |k| label(&SINGLE_OPERANDS[k])
}

numbered! {
    /// A class of a lane.
    Class, CLASSES.len(), |k| CLASSES[k].to_owned()
}

impl DirectedCross for SingleOperands {
    const ALL_DIRECTED: bool = true;

    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let watched = &SINGLE_OPERANDS[self.operand.0];
        Some(stream(watched, self.class.0 * CLASSES.len(), self.control, self.change, rng))
    }
}

/// A word made of lanes of `w` bits.
fn lanes(w: u32, mut lane: impl FnMut() -> u32) -> u16 {
    (0..16).step_by(w as usize).fold(0, |word, shift| word | (lane() << shift) as u16)
}

/// A word whose lanes are of a class.
fn word(class: usize, w: u32, rng: &mut ChaCha8Rng) -> u16 {
    let sign = 1u32 << (w - 1);
    lanes(w, || match class {
        0 => 0,
        1 => 2 * sign - 1,
        LARGEST => sign - 1,
        SMALLEST => sign,
        POSITIVE => rng.random_range(1..sign - 1),
        _ => rng.random_range(sign + 1..2 * sign - 1),
    })
}

/// Two words whose lanes belong to a class of pairs.
fn words(class: usize, w: u32, rng: &mut ChaCha8Rng) -> [u16; 2] {
    let each = CLASSES.len() * CLASSES.len();
    if class >= each {
        let both = word(if class == each { POSITIVE } else { NEGATIVE }, w, rng);
        return [both; 2];
    }
    let [a, b] = [class / CLASSES.len(), class % CLASSES.len()];
    let first = word(a, w, rng);
    let mut second = word(b, w, rng);
    for _ in 0..20 {
        if a != b || a < POSITIVE || first != second {
            break;
        }
        second = word(b, w, rng);
    }
    [first, second]
}

/// Sixteen pairs of operands; the first pair belongs to a given class, the others to any class.
fn stream(
    watched: &SpecialOperands,
    class: usize,
    control: DpuControl,
    change: DpuIoChange,
    rng: &mut ChaCha8Rng,
) -> DirectedSequence {
    let w = watched.width.map_or(16, lane_width);
    let mut class = Some(class);
    let mut pairs = || {
        let class = class.take().unwrap_or_else(|| rng.random_range(0..PAIRS));
        words(class, w, rng)
    };
    let mut data: Vec<[u16; 2]> = (0..STREAM).map(|_| pairs()).collect();
    if matches!(watched.mode, DpuMode::ShiftL | DpuMode::ShiftR) {
        // Shifts by about as many bits as a word or an accumulator has.
        data.iter_mut().skip(1).for_each(|pair| pair[1] = rng.random_range(14..36));
    }
    let fields = [
        (dpu::CONTROL, control.draw(rng)),
        (dpu::IO_CHANGE, change.draw(rng)),
        (dpu::ACC_CLEAR, constant_of_mode(rng)),
    ];
    let mode = InstructionTemplate::dpu(watched.mode).with(&fields);
    let width = watched.width.unwrap_or(BwConfig::Int16);
    feed(mode, width, watched.second.map(|k| VALUES[k]), &data)
}

cross! {
    /// Mode, output, width and lane; direction.
    Saturated "DPU saturation" {
        lane: OutputLane = "lane",
        direction: Direction ["above", "below"] = "direction",
    }
}

numbered! {
    /// A lane of an output, as an index into [`LANES`]. A mode that works on the 16-bit word has one lane, whatever
    /// the width.
    OutputLane, LANES.len(), |k| {
        let ModeOutput { mode, output, width, lane } = LANES[k];
        let lane = width.map_or(String::new(), |width| format!(", {width} lane {lane}"));
        format!("{mode} output {output}{lane}")
    }
}

/// A lane of an output of a mode, at a width if the mode works on lanes.
#[derive(Clone, Copy, Debug)]
struct ModeOutput {
    mode: DpuMode,
    output: usize,
    width: Option<BwConfig>,
    lane: usize,
}

/// The lanes of outputs that can saturate, in the order of the bins.
static LANES: LazyLock<Vec<ModeOutput>> = LazyLock::new(|| {
    let mut lanes = Vec::new();
    for &mode in DpuMode::ALL {
        let on_lanes = match mode.info().saturation() {
            Saturation::None => continue,
            saturation => saturation == Saturation::Lane,
        };
        for output in (0..2).filter(|output| mode.info().outputs[*output]) {
            for width in widths(on_lanes) {
                let count = width.map_or(1, |w| 16 / lane_width(w) as usize);
                lanes.extend((0..count).map(|lane| ModeOutput { mode, output, width, lane }));
            }
        }
    }
    lanes
});

/// For each mode at each width, the position in [`LANES`] of the first lane of each output.
static FIRST: LazyLock<Vec<[Option<usize>; 2]>> = LazyLock::new(|| {
    for_each(|mode, width| {
        [0, 1].map(|output| {
            let of = |o: &ModeOutput| o.mode == mode && o.width.is_none_or(|w| w == width);
            LANES.iter().position(|o| of(o) && o.output == output)
        })
    })
});

impl Saturated {
    /// The bin of each lane whose value was saturated.
    pub(crate) fn bins(
        mode: DpuMode,
        width: BwConfig,
        clamped: SaturatedLanes,
    ) -> impl Iterator<Item = Self> {
        let clamped = [clamped.above, clamped.below].into_iter().zip(Direction::all());
        clamped.flat_map(move |(lanes, direction)| {
            lanes.into_iter().enumerate().flat_map(move |(output, lanes)| {
                let first = FIRST[position(mode, width)][output];
                let clamped = (0..4).filter(move |lane| lanes >> lane & 1 == 1);
                clamped.filter_map(move |k| Some(Self { lane: OutputLane(first? + k), direction }))
            })
        })
    }
}

impl DirectedCross for Saturated {
    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let of = LANES[self.lane.0];
        let width = of.width.unwrap_or(BwConfig::Int16);
        // Lanes at their bounds, so that sums and products overflow in both directions.
        let w = lane_width(width);
        let mut bounds = || lanes(w, || (1 << (w - 1)) - 1 + u32::from(rng.random_bool(0.5)));
        let mut pairs: Vec<[u16; 2]> = (0..STREAM).map(|_| [bounds(), bounds()]).collect();
        let same = self.direction.0;
        let mut bound = |direction| word([LARGEST, SMALLEST][direction], w, rng);
        for (k, pair) in pairs.iter_mut().take(4).enumerate() {
            *pair = [bound(k % 2), bound(if k < 2 { same } else { 1 - same })];
        }
        let steady = [bound(same), bound(0)];
        if matches!(of.mode, DpuMode::ShiftL | DpuMode::Div) {
            // Shifts by a few bits, and small divisors.
            for pair in &mut pairs {
                pair[1] = rng.random_range(1..4);
            }
        } else if of.mode.info().accumulates() {
            // Sums that grow in one direction in all lanes; a product of two bounds overflows upwards if they have
            // the same sign.
            pairs.fill(steady);
        }
        let constant = of.mode.info().operands.iter().any(|o| o.contains(Source::Ir0));
        let fields = [(dpu::CONTROL, DpuControl::SatInt.draw(rng)), (dpu::ACC_CLEAR, 255)];
        let mode = InstructionTemplate::dpu(of.mode).with(&fields);
        Some(feed(mode, width, constant.then_some(Source::Ir0), &pairs))
    }
}
