// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers at limits: operands from registers at the limits of their fields, shifts by about the width of a word,
//! pieces of the non-linear functions, carries between addresses, and counters in the upper half of their range.

use std::sync::LazyLock;

use drra_case::{DirectedSequence, InstructionTemplate};
use drra_fabric::images::AguCfg;
use drra_golden::{DpuActivity, units::PatternConfig};
use drra_isa::{
    InstructionField, Opcode, PlacedField,
    instructions::{DpuIoChange, DpuMode, RaccuMode, loop_, raccu, wait},
};
use rand_chacha::ChaCha8Rng;

use crate::{
    cross::{Dimension, DirectedCross, cross, numbered},
    decode::{Decode, NOWHERE},
};

/// Number of bits of a RACCU register.
const REGISTER: u32 = 7;

/// An operand that a register can supply: its instruction and field, and the field that says whether a register
/// supplies it.
type SuppliedOperand = (Opcode, &'static PlacedField, InstructionField);

/// Operands that a register can supply, each combined with every number at the limits of its range, by name and value.
static NUMBERS: LazyLock<Vec<(SuppliedOperand, &str, u64)>> = LazyLock::new(|| {
    let supplied = Opcode::ALL.iter().flat_map(|opcode| {
        let fields = opcode.fields();
        fields.iter().filter_map(|f| Some((*opcode, f, fields[f.field.selector?].place)))
    });
    let limits = |of: SuppliedOperand| {
        let upper = format!("{}_ext", of.1.field.name);
        let upper = of.0.fields().iter().find(|f| f.field.name == upper);
        let bits = of.1.field.width + upper.map_or(0, |f| f.field.width);
        let end = 1 << bits.min(REGISTER);
        let limits = [
            ("0", 0),
            ("1", 1),
            ("half of the range", end / 2),
            ("the largest number", end - 1),
            ("one more than that", end),
        ];
        let exist = limits.into_iter().filter(|(_, number)| *number < 1 << REGISTER);
        exist.map(move |(name, number)| (of, name, number))
    };
    supplied.flat_map(limits).collect()
});

cross! {
    /// An operand and the number in the register that supplies it.
    RegisterOperands "operands from registers" {
        number: RegisterNumber = "operand and number",
    }
}

numbered! {
    /// An index into [`NUMBERS`].
    RegisterNumber, NUMBERS.len(), |k| {
        let ((opcode, operand, _), name, _) = NUMBERS[k];
        format!("{opcode} {} is {name}", operand.field.name)
    }
}

impl RegisterOperands {
    /// The RACCU registers that an instruction uses, as bits, and its bins; `register` returns the content of a
    /// register.
    pub(crate) fn sample(d: &Decode, register: impl Fn(usize) -> u8) -> (u16, Vec<Self>) {
        let (mut used, mut bins) = (0, Vec::new());
        let first = NUMBERS.partition_point(|((opcode, ..), ..)| *opcode < d.opcode);
        let numbers = NUMBERS.iter().enumerate().skip(first);
        let mine = numbers.take_while(|(_, ((opcode, ..), ..))| *opcode == d.opcode);
        for (k, ((_, operand, selector), _, limit)) in mine {
            if selector.word() < d.len && selector.is_set(&d.words) {
                let number = (d.get(operand.place) & 15) as usize;
                used |= 1 << number;
                if u64::from(register(number)) == *limit {
                    bins.push(Self { number: RegisterNumber(k) });
                }
            }
        }
        (used, bins)
    }
}

impl DirectedCross for RegisterOperands {
    fn sequence(self, _rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let ((opcode, operand, selector), _, limit) = NUMBERS[self.number.0];
        let number = [(raccu::MODE, 1), (raccu::OPERAND1, limit)];
        let more = match opcode {
            Opcode::Raccu => vec![(raccu::MODE, 1), (raccu::RESULT, 1)],
            Opcode::Loop => vec![(loop_::ENDPC, NOWHERE), (loop_::ITER, 2)],
            _ => Vec::new(),
        };
        let user =
            InstructionTemplate::new(opcode, &more).with(&[(selector, 1), (operand.place, 0)]);
        Some(DirectedSequence::in_order([InstructionTemplate::new(Opcode::Raccu, &number), user]))
    }
}

cross! {
    /// Mode of the RACCU, number of bits, sign of the number that is shifted.
    RaccuShifts "RACCU shifts" {
        mode: Shift ["shift_r", "shift_l"] = "mode",
        amount: ShiftAmount {
            0 "0", 1 "1", 2 "2", 3 "3", 4 "4", 5 "5", 6 "6", 7 "7", 8 "8 or more"; 128
        } = "amount" "by {amount}",
        number: Sign ["positive", "negative"] = "number",
    }
}

impl RaccuShifts {
    /// The bin of the decode of a RACCU that shifts, `None` for other modes and if the shifted number is 0; `register`
    /// returns the content of a register.
    pub(crate) fn new(d: &Decode, register: impl Fn(usize) -> u8) -> Option<Self> {
        let mode = d.get(raccu::MODE).checked_sub(RaccuMode::ShiftR.code().into())?;
        let operand = |sd, field| match d.get(sd) {
            0 => d.get(field),
            _ => register((d.get(field) & 15) as usize).into(),
        };
        let number = operand(raccu::OPERAND1_SD, raccu::OPERAND1);
        let bin = Self {
            mode: Shift(mode as usize),
            amount: ShiftAmount::class(operand(raccu::OPERAND2_SD, raccu::OPERAND2)),
            number: Sign::class(number >= 64),
        };
        (bin.mode.exists() && number != 0).then_some(bin)
    }
}

impl DirectedCross for RaccuShifts {}

cross! {
    /// A shift of a word by a DPU.
    DpuShifts "DPU shifts" {
        mode: DpuShift ["shift_l", "shift_r"] = "mode",
        channel: Channel ["channel 0", "channel 1"] = "channel" "on {channel}",
        amount: DpuAmount {
            0 "0", 1 "1 to 14", 15 "15", 16 "16", 17 "17 to 30", 31 "31", 32 "32", 33 "33 or more",
            32768 "a negative number"; 65536
        } = "amount" "by {amount}",
        word: Sign = "word",
    }
}

/// True if the operands of a mode are not negated first.
fn plain(work: &DpuActivity) -> bool {
    matches!(work.io, DpuIoChange::NoChange | DpuIoChange::AbsOut)
}

impl DpuShifts {
    /// The bins of the work of a DPU. A shifted word of 0 has no bin.
    pub(crate) fn bins(work: &DpuActivity) -> impl Iterator<Item = Self> {
        let (modes, input) = ([DpuMode::ShiftL, DpuMode::ShiftR], work.input);
        let mode = modes.iter().position(|m| *m == work.mode).filter(|_| plain(work));
        mode.into_iter().flat_map(move |mode| {
            let channels = (0..2).filter(move |channel| input[2 * channel] != 0);
            channels.map(move |channel| Self {
                mode: DpuShift(mode),
                channel: Channel(channel),
                amount: DpuAmount::class(input[2 * channel + 1]),
                word: Sign::class(input[2 * channel] >> 15),
            })
        })
    }
}

impl DirectedCross for DpuShifts {}

/// Number of pieces of a function; the last one is everything beyond its table (chapter 4, section 9).
const PIECES: usize = 34;

cross! {
    /// A piece of a non-linear function.
    Pieces "pieces of functions" {
        function: Function ["sigm", "tanhyp", "expon"] = "function",
        piece: Piece = "piece" "piece {piece}",
        word: Sign = "word",
    }
}

numbered! {
    /// A piece of a function.
    Piece, PIECES, |k| k.to_string()
}

impl Pieces {
    /// The bin of the work of a DPU.
    pub(crate) fn new(work: &DpuActivity) -> Option<Self> {
        let (function, width) = match work.mode {
            DpuMode::Sigm => (0, 512),
            DpuMode::Tanhyp => (1, 256),
            DpuMode::Expon => (2, 512),
            _ => return None,
        };
        let word = work.input[0];
        let piece = usize::from(word.cast_signed().unsigned_abs() / width).min(PIECES - 1);
        let word = Sign::class(word >> 15);
        plain(work).then_some(Self { function: Function(function), piece: Piece(piece), word })
    }
}

impl DirectedCross for Pieces {}

/// Numbers of bits of an address of a tile, and of one of a buffer.
const ADDRESSES: [usize; 2] = [7, 25];

cross! {
    /// The highest bit that changes from one address of a row to the next, and the direction.
    Carries "carries between addresses" {
        bit: AddressBit = "bit",
        direction: Towards ["upwards", "downwards"] = "direction",
    }
}

numbered! {
    /// A bit of an address of a tile, then those of a buffer.
    AddressBit, ADDRESSES[0] + ADDRESSES[1], |k| match k.checked_sub(ADDRESSES[0]) {
        None => format!("SRAM bit {k}"),
        Some(k) => format!("IO bit {k}"),
    }
}

impl Carries {
    /// The bin of a configuration for a tile with this number of blocks or, if there is none, for an I/O unit.
    pub(crate) fn new(c: &PatternConfig, blocks: Option<usize>) -> Option<Self> {
        let mask = blocks.unwrap_or(1 << ADDRESSES[1]) as u32 - 1;
        let address = |k: u8| c.init_addr.wrapping_add_signed(i32::from(c.l1_step) * i32::from(k));
        let differences = (0..c.l1_iter).map(|k| (address(k) ^ address(k + 1)) & mask);
        let first = if blocks.is_some() { 0 } else { ADDRESSES[0] };
        let bit = AddressBit(first + differences.max()?.checked_ilog2()? as usize);
        Some(Self { bit, direction: Towards::class(c.l1_step < 0) })
    }
}

impl DirectedCross for Carries {}

cross! {
    /// A counter of a pattern that has ended.
    LongPatterns "long patterns" {
        unit: Unit ["an AGU", "an SRAM"] = "unit" "of {unit}",
        counter: PatternCounter ["init_delay", "l1_iter", "l1_delay", "l2_iter", "l2_delay"]
            = "counter",
        number: Upper ["in its upper half", "at its largest number"] = "number",
    }
}

/// Counters of a pattern with numbers in the upper half of their range, as bits of the unit's bins.
pub(crate) type LongCounters = u16;

fn long(values: [u8; 5], most: [u8; 5]) -> LongCounters {
    (0..5)
        // A delay counts only between two addresses or rows.
        .filter(|k| values[*k] > most[*k] / 2 && (*k == 0 || k % 2 == 1 || values[k - 1] > 0))
        .fold(0, |set, k| set | 1 << (2 * k + usize::from(values[k] == most[k])))
}

/// The long counters of a pattern for an AGU.
pub(crate) fn long_words(c: &AguCfg) -> LongCounters {
    long([c.init_delay, c.l1_iter, c.l1_delay, c.l2_iter, c.l2_delay], [63; 5])
}

/// The long counters of a pattern for a tile.
pub(crate) fn long_rows(c: &PatternConfig) -> LongCounters {
    let values = [c.init_delay, c.l1_iter, c.l1_delay, c.l2_iter, c.l2_delay];
    long(values, [15, 127, 63, 127, 63])
}

impl LongPatterns {
    /// The bins of a pattern that has ended; `unit` is 1 for an SRAM.
    pub(crate) fn ended(unit: usize, long: LongCounters) -> impl Iterator<Item = Self> {
        let bins = (0..10).filter(move |k| long >> k & 1 == 1);
        bins.map(move |k| Self {
            unit: Unit(unit),
            counter: PatternCounter(k / 2),
            number: Upper(k % 2),
        })
    }
}

impl DirectedCross for LongPatterns {}

cross! {
    /// A WAIT that has ended, by the number of bits that its counter has reached.
    LongWaits "WAIT ends" {
        bits: WaitBits = "bits" "{bits}-bit counter",
    }
}

numbered! {
    /// A number of bits, less one.
    WaitBits, wait::CYCLE.width() as usize, |k| (k + 1).to_string()
}

impl LongWaits {
    /// The bin of a counter that has reached a number other than 0.
    pub(crate) fn new(count: u16) -> Self {
        Self { bits: WaitBits(count.ilog2() as usize) }
    }
}

impl DirectedCross for LongWaits {}
