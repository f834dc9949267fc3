// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a rule looks at, with the values of a cycle.

use drra_golden::{CellSignals, Signals};
use drra_isa::{
    CellId, CellInput, ColumnId, Lane, TileId, Unit,
    fabric::{
        AguId, CrossbarPort, Key, KeyMatch, NamedInput, Register, RegisterId, RuleId, RuleInput,
        SequencerState, Side, SignalId,
    },
    ports::Block,
};
use drra_lockstep::Value;

use super::{recording::Recording, registers::Registers};
use crate::data::{Input, Reading, RegisterReading};

/// Of more registers than these only those are listed that are not 0.
const FEW: usize = 2;
/// Registers of a stage of the load pipeline.
const LOAD_STAGE: [RegisterId; 5] = [
    RegisterId::LdPipeValid,
    RegisterId::LdPipeImm,
    RegisterId::LdPipeInstr,
    RegisterId::LdPipeRowSel,
    RegisterId::LdPipeColSel,
];

/// The state of the cycle before the mismatch, through the eyes of a rule.
pub(super) struct Looking<'a> {
    pub(super) r: &'a Recording<'a>,
    pub(super) now: Registers<'a>,
    pub(super) signals: &'a Signals,
    /// The register that differs.
    pub(super) register: Option<Register>,
}

impl Looking<'_> {
    /// The inputs of a rule about a unit; without a unit it is about the fabric.
    pub(super) fn inputs(&self, rule: RuleId, unit: Option<Unit>) -> Vec<Input> {
        let unit = unit.unwrap_or(Unit::Fabric);
        let mut all = Vec::new();
        for (index, (name, input)) in rule.inputs().enumerate() {
            match (NamedInput::from_name(name), input) {
                (Some(named), _) => all.extend(self.named(named, unit)),
                (None, RuleInput::Registers(list)) => all.extend(self.listed(index, &list, unit)),
                // A signal or something else always has a name.
                (None, RuleInput::Signal(..) | RuleInput::Named(_)) => {}
            }
        }
        all
    }

    /// Registers of a rule, in table order.
    fn listed(&self, input: usize, list: &[(RegisterId, KeyMatch)], unit: Unit) -> Vec<Input> {
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
        let key = if same { Some(own.index()) } else { None };
        self.registers(unit, wanted, Input::AllZero { input, key })
    }

    /// Registers of a unit with their values; of many only those that are not 0.
    fn registers(
        &self,
        unit: Unit,
        wanted: impl Fn(Register) -> bool,
        all_zero: Input,
    ) -> Vec<Input> {
        let fields = self.r.layout.variables_of(unit.kind()).flat_map(|v| &v.fields);
        let found: Vec<RegisterReading> = fields
            .filter(|field| wanted(field.register))
            .filter_map(|field| self.now.of(unit, field.register))
            .collect();
        let many = found.len() > FEW;
        let kept: Vec<Input> = found
            .into_iter()
            .filter(|register| !many || !register.reading.is_zero())
            .map(Input::Register)
            .collect();
        if kept.is_empty() && many { vec![all_zero] } else { kept }
    }

    /// One register with its value.
    fn register(&self, unit: impl Into<Unit>, register: Register) -> Option<Input> {
        self.now.of(unit.into(), register).map(Input::Register)
    }

    /// What is no register of the unit. A cell sees its column, too.
    fn named(&self, input: NamedInput, unit: Unit) -> Vec<Input> {
        let (cell, column, tile) = match unit {
            Unit::Cell(cell) => (Some(cell), Some(cell.column()), None),
            Unit::Column(column) => (None, Some(column), None),
            Unit::Tile(tile) => (None, None, Some(tile)),
            Unit::Fabric => (None, None, None),
        };
        let signals = cell.map(|cell| self.signals.cell(cell));
        let of_cell = |make: &dyn Fn(CellId) -> Input| cell.map(make).into_iter().collect();
        let of_signals =
            |make: &dyn Fn(&CellSignals) -> Input| signals.map(make).into_iter().collect();
        let cell_input = |input| of_cell(&|cell| self.cell_input(cell, input));
        let of_column = |register| self.register(column?, register);
        match input {
            NamedInput::Instruction => of_cell(&|cell| self.instruction(cell)),
            NamedInput::LoadPort => cell.map_or_else(Vec::new, |cell| self.load_port(cell)),
            NamedInput::WriteAddresses => {
                of_cell(&|cell| self.addresses(cell, [AguId::W0, AguId::W1, AguId::Wb]))
            }
            NamedInput::ReadAddresses => {
                of_cell(&|cell| self.addresses(cell, [AguId::R0, AguId::R1, AguId::Rb]))
            }
            NamedInput::Wdata0 => cell_input(CellInput::Write0),
            NamedInput::Wdata1 => cell_input(CellInput::Write1),
            NamedInput::DpuIn0 => cell_input(CellInput::Dpu0),
            NamedInput::DpuIn1 => cell_input(CellInput::Dpu1),
            NamedInput::DpuIn2 => cell_input(CellInput::Dpu2),
            NamedInput::DpuIn3 => cell_input(CellInput::Dpu3),
            NamedInput::Inputs => CellInput::ALL.into_iter().flat_map(cell_input).collect(),
            NamedInput::Lanes => signals.map_or_else(Vec::new, lanes),
            NamedInput::BlkWdata => {
                of_signals(&|s| Input::WriteBlock { reading: block(&s.blk_wdata) })
            }
            NamedInput::BlkWmask => {
                of_signals(&|s| Input::WriteMask { reading: word(s.blk_wmask) })
            }
            NamedInput::BlkRdata => {
                of_signals(&|s| Input::ReadBlock { reading: s.blk_rdata.as_ref().map(block) })
            }
            NamedInput::ColIoRvalid => of_column(Register::ColumnIoRvalid).into_iter().collect(),
            NamedInput::ColIoRdata => of_column(Register::ColumnIoRdata).into_iter().collect(),
            NamedInput::TileXoutS => column
                .and_then(|c| self.register(c.home_tile(), Register::TileXout(CrossbarPort::S)))
                .into_iter()
                .collect(),
            NamedInput::BlkRdataOfBothRows => self.rows(column, |row, s| Input::RowBlock {
                row,
                reading: s.blk_rdata.as_ref().map(block),
            }),
            NamedInput::CellNocOfBothRows => self.rows(column, |row, s| Input::RowMessage {
                row,
                reading: signal(SignalId::CellNoc, s.cell_noc.to_vec()),
            }),
            NamedInput::MessagesIn => tile.map_or_else(Vec::new, |t| self.messages_in(t)),
            NamedInput::DataIn => tile
                .filter(|tile| *tile == tile.column().home_tile())
                .map(|tile| block(&self.signals.column(tile.column()).up))
                .map(|reading| Input::ColumnBlock { reading })
                .into_iter()
                .collect(),
            NamedInput::OfferedConfigurations => tile.map_or_else(Vec::new, |t| self.offered(t)),
            NamedInput::XoutMem => tile
                .and_then(|tile| self.register(tile, Register::TileXout(CrossbarPort::Mem)))
                .into_iter()
                .collect(),
            NamedInput::Initialisation => tile.map_or_else(Vec::new, |t| self.initialisation(t)),
            NamedInput::IdleCells if unit == Unit::Fabric => vec![self.busy_cells()],
            NamedInput::IdleCells => Vec::new(),
        }
    }

    /// Something of the cells of a column, row 0 first.
    fn rows(
        &self,
        column: Option<ColumnId>,
        make: impl Fn(usize, &CellSignals) -> Input,
    ) -> Vec<Input> {
        let cells = column.into_iter().flat_map(ColumnId::cells);
        cells.map(|cell| make(cell.row(), self.signals.cell(cell))).collect()
    }

    fn messages_in(&self, tile: TileId) -> Vec<Input> {
        let signals = self.signals.tile(tile);
        let message = |side: &Side| {
            let reading = signal(SignalId::MsgIn, vec![signals.rx(*side)]);
            Input::Message { side: (*side), reading }
        };
        Side::ALL.iter().filter(|side| signals.rx(**side) != 0).map(message).collect()
    }

    /// Configurations that the sides of a tile offer to its generators.
    fn offered(&self, tile: TileId) -> Vec<Input> {
        let registers = Side::ALL.iter().copied().map(Register::TileSideAgu);
        let offers = |register: &Register| self.now.low(tile, *register) != 0;
        registers.filter(offers).filter_map(|register| self.register(tile, register)).collect()
    }

    fn busy_cells(&self) -> Input {
        let idle = SequencerState::Idle.value();
        let busy = CellId::all(self.r.geometry)
            .filter(|cell| self.now.low(*cell, Register::SeqState) != idle);
        Input::BusyCells { cells: busy.collect() }
    }

    fn instruction(&self, cell: CellId) -> Input {
        match self.now.instruction(cell, self.r.is_io_cell(cell)) {
            Some((address, instruction)) => {
                let flag = Register::SeqImemImm(usize::from(address));
                let immediate = self.now.low(cell, flag) == 1;
                Input::Instruction { address, instruction, immediate }
            }
            None => Input::NotRunning,
        }
    }

    /// What the load pipeline shows a cell: its stage row+column-1, the program port for cell (0,0).
    fn load_port(&self, cell: CellId) -> Vec<Input> {
        let Some(stage) = (cell.row() + cell.col()).checked_sub(1) else {
            return vec![Input::ProgramPort];
        };
        let of_stage =
            |r: Register| LOAD_STAGE.contains(&r.id()) && r.key().number() == Some(stage);
        self.registers(Unit::Fabric, of_stage, Input::LoadStageZero { stage })
    }

    fn addresses(&self, cell: CellId, agus: [AguId; 3]) -> Input {
        let signals = self.signals.cell(cell);
        let emitted =
            agus.into_iter().filter_map(|agu| Some((agu, signals.emitted(agu)?))).collect();
        Input::Addresses { emitted }
    }

    fn cell_input(&self, cell: CellId, input: CellInput) -> Input {
        let signals = self.signals.cell(cell);
        Input::CellInput { input, from: signals.source(input), reading: word(signals.input(input)) }
    }

    /// A tile sees what its south or west neighbour has registered (chapter 6, 7.4).
    fn initialisation(&self, tile: TileId) -> Vec<Input> {
        let neighbour = |side| tile.neighbour(side, self.r.geometry);
        let Some(source) = neighbour(Side::S).or_else(|| neighbour(Side::W)) else {
            return vec![Input::InitialisationPort];
        };
        let registers = [
            Register::TileInitEn,
            Register::TileInitRow,
            Register::TileInitCol,
            Register::TileInitAddr,
        ];
        registers.into_iter().filter_map(|register| self.register(source, register)).collect()
    }
}

/// What a cell hands out.
fn lanes(signals: &CellSignals) -> Vec<Input> {
    let lane = |lane: Lane| Input::Lane { lane, reading: word(signals.lane(lane)) };
    Lane::ALL.into_iter().map(lane).collect()
}

fn word(value: u16) -> Reading {
    Reading::number(Value::new(vec![value.into()], 16))
}

fn block(value: &Block) -> Reading {
    Reading::number(Value::new(value.to_vec(), 256))
}

fn signal(id: SignalId, words: Vec<u64>) -> Reading {
    Reading::of_signal(id, Value::new(words, id.info().width))
}
