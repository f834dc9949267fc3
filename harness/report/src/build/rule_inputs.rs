// SPDX-License-Identifier: MIT OR Apache-2.0
//! The inputs of a rule with their values in a cycle; the fabric description specifies these inputs.

use drra_fabric::{
    AguId, CrossbarPort, FanInSource, Key, KeyMatch, Location, NamedInput, Register, RegisterId,
    RuleId, RuleInput, SequencerState, Side, SignalId,
};
use drra_golden::Signals;
use drra_isa::{CellId, Geometry, TileId, Unit, UnitKind};
use drra_lockstep::{SignalLocation, Value};

use super::{recording::MismatchContext, registers::CycleRegisters};
use crate::data::{Reading, RegisterReading, RuleInputValue};

/// If there are more registers or signals than this, only registers or signals that are not 0 are listed.
const FEW: usize = 2;
/// Registers of a stage of the load pipeline.
const LOAD_STAGE: [RegisterId; 5] = [
    RegisterId::LdPipeValid,
    RegisterId::LdPipeImm,
    RegisterId::LdPipeInstr,
    RegisterId::LdPipeRowSel,
    RegisterId::LdPipeColSel,
];
/// Registers of the initialisation port pipeline.
const INITIALISATION: [Register; 5] = [
    Register::TileInitEn,
    Register::TileInitRow,
    Register::TileInitCol,
    Register::TileInitAddr,
    Register::TileInitData,
];
/// Words of the longest instruction.
const WORDS: usize = 3;

/// The state in the cycle before the mismatch, or, for an output port, in the cycle of the mismatch, as seen by a rule.
pub(super) struct RuleView<'a> {
    pub(super) r: &'a MismatchContext<'a>,
    pub(super) now: CycleRegisters<'a>,
    pub(super) signals: &'a Signals,
    /// The register that differs.
    pub(super) register: Option<Register>,
}

impl RuleView<'_> {
    /// The inputs of a rule about a unit; without a unit, or for the status, they describe the fabric as a whole. For a
    /// rule about columns, a cell stands for its column.
    pub(super) fn inputs(&self, rule: RuleId, unit: Option<Unit>) -> Vec<RuleInputValue> {
        let unit = match (unit, rule.info().unit) {
            (Some(Unit::Cell(cell)), UnitKind::Column) => cell.column().into(),
            _ if rule == RuleId::Status => Unit::Fabric,
            (unit, _) => unit.unwrap_or(Unit::Fabric),
        };
        let of = |(index, (text, input))| match input {
            RuleInput::Registers(list) => self.listed((index, text), &list, unit),
            RuleInput::Named(named) if named.info().unit != unit.kind() => Vec::new(),
            RuleInput::Named(named) if named.sources().is_empty() => {
                self.special(all_zero(index, text, None), named, unit)
            }
            RuleInput::Named(named) => self.signals(all_zero(index, text, None), named, unit),
        };
        rule.inputs().enumerate().flat_map(of).collect()
    }

    /// Registers of a rule, in the order of the fabric description.
    fn listed(
        &self,
        (input, text): (usize, &str),
        list: &[(RegisterId, KeyMatch)],
        unit: Unit,
    ) -> Vec<RuleInputValue> {
        let own = self.register.map_or(Key::None, Register::key);
        let same = list.iter().any(|(_, keys)| *keys == KeyMatch::Same) && own != Key::None;
        let wanted = |register: Register| {
            list.iter().any(|(id, keys)| {
                let fits = match keys {
                    KeyMatch::All => true,
                    KeyMatch::Same => own == Key::None || register.key() == own,
                    KeyMatch::Only(index) => register.key().index() == *index,
                };
                *id == register.id() && fits
            })
        };
        let zero = all_zero(input, text, Some(own).filter(|_| same));
        self.registers(unit, wanted, zero)
    }

    /// Registers of a unit with their values; if there are many, only the registers that are not 0.
    fn registers(
        &self,
        unit: Unit,
        wanted: impl Fn(Register) -> bool,
        all_zero: RuleInputValue,
    ) -> Vec<RuleInputValue> {
        let fields = self.r.layout.variables_of(unit.kind()).flat_map(|v| &v.fields);
        let found: Vec<RegisterReading> = fields
            .filter(|field| wanted(field.register))
            .filter_map(|field| self.register(unit, field.register))
            .collect();
        let zero =
            |i: &RuleInputValue| matches!(i, RuleInputValue::Register(r) if r.reading.is_zero());
        shortened(found.into_iter().map(RuleInputValue::Register).collect(), zero, all_zero)
    }

    /// A register with its value.
    fn register(&self, unit: Unit, register: Register) -> Option<RegisterReading> {
        let location = Location { unit, register };
        let reading = self.r.reading(self.r.mismatch, location, self.now.value(unit, register)?);
        Some(RegisterReading { location, reading })
    }

    /// Signals with their values; if there are many, signals between modules that are 0 are left out.
    fn signals(
        &self,
        all_zero: RuleInputValue,
        named: NamedInput,
        unit: Unit,
    ) -> Vec<RuleInputValue> {
        let of = |source: &FanInSource| match source {
            FanInSource::Signals(source) => source.signals(unit, Key::None, self.r.geometry),
            // Only the diagnosis follows the lane or port that the state selects.
            FanInSource::SelectedLane | FanInSource::SelectedWritePort => Vec::new(),
        };
        let all = named.sources().iter().flat_map(of);
        let found: Vec<RuleInputValue> = all
            .filter_map(|(unit, id, key)| self.signal(named, SignalLocation::new(unit, id, key)))
            .collect();
        let zero = |i: &RuleInputValue| matches!(i, RuleInputValue::Signal { reading, .. } if reading.is_zero());
        shortened(found, zero, all_zero)
    }

    fn signal(&self, named: NamedInput, signal: SignalLocation) -> Option<RuleInputValue> {
        let value = signal.value(self.signals)?;
        // The mask or enable of a block is in the bits above the block.
        let (low, high) = value.words().split_at(value.words().len().min(4));
        let block = || Reading::number(Value::new(low, 256));
        let lanes = self.now.signal_lanes(signal);
        let reading = |value| Reading::of_signal(signal.id, value).in_lanes(lanes);
        let read = || (high == [1]).then(block);
        let row = || match signal.unit {
            Unit::Cell(cell) => Some(cell.row()),
            Unit::Column(_) | Unit::Tile(_) | Unit::Fabric => None,
        };
        Some(match (signal.id, named) {
            (SignalId::BlkWrite, NamedInput::BlkWmask) => {
                RuleInputValue::WriteMask { reading: Reading::number(Value::new(high, 16)) }
            }
            (SignalId::BlkWrite, _) => RuleInputValue::WriteBlock { reading: block() },
            (SignalId::BlkRead, _) => RuleInputValue::RowBlock { row: row()?, reading: read() },
            (SignalId::CellNoc, _) => RuleInputValue::RowMessage {
                row: row()?,
                reading: Reading::of_signal(signal.id, value),
            },
            _ => match signal.as_input() {
                Some((cell, input)) => {
                    let from = self.signals.cell(cell).source(input);
                    RuleInputValue::CellInput { input, from, reading: reading(value) }
                }
                None => RuleInputValue::Signal { signal, reading: reading(value) },
            },
        })
    }

    /// Inputs that the description names without listing their signals.
    fn special(
        &self,
        all_zero: RuleInputValue,
        named: NamedInput,
        unit: Unit,
    ) -> Vec<RuleInputValue> {
        let one = |unit: Unit, register: Register| {
            self.register(unit, register).map(RuleInputValue::Register).into_iter().collect()
        };
        let block = |number: u8| {
            let number = usize::from(number);
            let of_block = |r: Register| {
                r.id() == RegisterId::RfMem && r.key().index() / Geometry::BLOCK_WORDS == number
            };
            self.registers(unit, of_block, all_zero.clone())
        };
        match (named, unit) {
            (NamedInput::Instruction, Unit::Cell(cell)) => vec![self.instruction(cell)],
            (NamedInput::FlagAtPc, _) => {
                one(unit, Register::SeqImemImm(self.now.low(unit, Register::SeqPc) as usize))
            }
            (NamedInput::WordsAtPc, _) => {
                let pc = self.now.low(unit, Register::SeqPc) as usize;
                let word = |k| one(unit, Register::SeqImem((pc + k) % Geometry::IMEM_DEPTH));
                (0..WORDS).flat_map(word).collect()
            }
            (NamedInput::OldWordsOfPerm, Unit::Cell(cell)) => {
                self.signals.cell(cell).perm_block.map_or_else(Vec::new, block)
            }
            (NamedInput::WordsRead, Unit::Cell(cell)) => {
                let signals = self.signals.cell(cell);
                let words = [AguId::R0, AguId::R1].into_iter().filter_map(|r| signals.emitted(r));
                let words = words.flat_map(|word| one(unit, Register::RfMem(word.into())));
                words.chain(signals.emitted(AguId::Rb).into_iter().flat_map(block)).collect()
            }
            (NamedInput::LoadPort, Unit::Cell(cell)) => self.load_port(cell),
            (NamedInput::WriteAddresses, Unit::Cell(cell)) => {
                vec![self.addresses(cell, [AguId::W0, AguId::W1, AguId::Wb])]
            }
            (NamedInput::ReadAddresses, Unit::Cell(cell)) => {
                vec![self.addresses(cell, [AguId::R0, AguId::R1, AguId::Rb])]
            }
            (NamedInput::TileXoutS, Unit::Column(column)) => {
                one(column.home_tile().into(), Register::TileXout(CrossbarPort::S))
            }
            (NamedInput::MessagesIn, Unit::Tile(tile)) => self.messages_in(tile),
            (NamedInput::OfferedConfigurations, _) => {
                let sides = Side::ALL.iter().copied().map(Register::TileSideAgu);
                let offers = sides.filter(|register| self.now.low(unit, *register) != 0);
                offers.flat_map(|register| one(unit, register)).collect()
            }
            (NamedInput::Initialisation, Unit::Tile(tile)) => {
                // A tile receives what the registers of its south or west neighbour contain (chapter 6, 7.4).
                let neighbour = |side: Side| side.neighbour(tile, self.r.geometry);
                match neighbour(Side::S).or_else(|| neighbour(Side::W)) {
                    None => vec![RuleInputValue::InitialisationPort],
                    Some(source) => {
                        INITIALISATION.iter().flat_map(|r| one(source.into(), *r)).collect()
                    }
                }
            }
            (NamedInput::IdleCells, _) => {
                let idle = SequencerState::Idle.value();
                let busy = CellId::all(self.r.geometry)
                    .filter(|cell| self.now.low(*cell, Register::SeqState) != idle);
                vec![RuleInputValue::BusyCells { cells: busy.collect() }]
            }
            (NamedInput::ActiveAgus, _) => {
                let busy = |unit: &Unit| {
                    let all = [SignalId::Busy, SignalId::ColumnBusy, SignalId::TileBusy];
                    let values =
                        all.map(|id| SignalLocation::new(*unit, id, Key::None).value(self.signals));
                    values.into_iter().flatten().any(|value| value.low() == 1)
                };
                let units = Unit::all(self.r.geometry).filter(busy);
                vec![RuleInputValue::ActiveUnits { units: units.collect() }]
            }
            (NamedInput::ProgramPort, _) => vec![RuleInputValue::ProgramPort],
            _ => Vec::new(),
        }
    }

    fn messages_in(&self, tile: TileId) -> Vec<RuleInputValue> {
        let signals = self.signals.tile(tile);
        let width = SignalId::MsgIn.info().width;
        let message = |side: &Side| {
            let value = Value::new([signals.rx(*side)], width);
            RuleInputValue::Message {
                side: *side,
                reading: Reading::of_signal(SignalId::MsgIn, value),
            }
        };
        Side::ALL.iter().filter(|side| signals.rx(**side) != 0).map(message).collect()
    }

    fn instruction(&self, cell: CellId) -> RuleInputValue {
        match self.now.instruction(cell, self.r.is_io_cell(cell)) {
            Some((address, instruction)) => {
                let flag = Register::SeqImemImm(usize::from(address));
                let immediate = self.now.low(cell, flag) == 1;
                RuleInputValue::Instruction { address, instruction, immediate }
            }
            None => RuleInputValue::NotRunning,
        }
    }

    /// The load port of a cell as seen through the load pipeline: stage row+column-1, or the program port for cell
    /// (0,0).
    fn load_port(&self, cell: CellId) -> Vec<RuleInputValue> {
        let Some(stage) = (cell.row() + cell.col()).checked_sub(1) else {
            return vec![RuleInputValue::ProgramPort];
        };
        let of_stage =
            |r: Register| LOAD_STAGE.contains(&r.id()) && r.key().number() == Some(stage);
        self.registers(Unit::Fabric, of_stage, RuleInputValue::LoadStageZero { stage })
    }

    fn addresses(&self, cell: CellId, agus: [AguId; 3]) -> RuleInputValue {
        let signals = self.signals.cell(cell);
        let emitted =
            agus.into_iter().filter_map(|agu| Some((agu, signals.emitted(agu)?))).collect();
        RuleInputValue::Addresses { emitted }
    }
}

/// Shortens a long list of inputs to the inputs that are not 0, and a placeholder for the others.
fn shortened(
    found: Vec<RuleInputValue>,
    zero: impl Fn(&RuleInputValue) -> bool,
    all_zero: RuleInputValue,
) -> Vec<RuleInputValue> {
    let all = found.len();
    if all <= FEW {
        return found;
    }
    let mut kept: Vec<RuleInputValue> = found.into_iter().filter(|input| !zero(input)).collect();
    match kept.len() {
        0 => kept.push(all_zero),
        some if some < all => kept.push(RuleInputValue::OthersZero { of: Box::new(all_zero) }),
        _ => {}
    }
    kept
}

/// The placeholder for registers or signals that are all 0; it carries the name that they have in the description.
fn all_zero(input: usize, text: &str, key: Option<Key>) -> RuleInputValue {
    let name = match key {
        None => text.replace("[*]", ""),
        Some(key) => {
            text.replace('*', &key.name().map_or_else(|| key.index().to_string(), str::to_owned))
        }
    };
    RuleInputValue::AllZero { input, key: key.map(Key::index), name: Some(name) }
}
