// SPDX-License-Identifier: MIT OR Apache-2.0
//! The signal through which a difference came into a register, and the instruction that had set up what
//! drives a signal.

use drra_golden::Signals;
use drra_isa::CellId;
use drra_isa::CellInput;
use drra_isa::ColumnId;
use drra_isa::Lane;
use drra_isa::TileId;
use drra_isa::Unit;
use drra_isa::fabric::AguId;
use drra_isa::fabric::Key;
use drra_isa::fabric::Location;
use drra_isa::fabric::Register;
use drra_isa::fabric::Side;
use drra_isa::fabric::SignalId;
use drra_lockstep::SignalAt;
use drra_lockstep::SignalDifference;

use crate::attribution::Attribution;
use crate::attribution::Cause;
use crate::part::CellPart;
use crate::part::ColumnPart;
use crate::part::Part;
use crate::part::TilePart;

/// Inputs of a DPU.
const OPERANDS: [CellInput; 4] =
    [CellInput::Dpu0, CellInput::Dpu1, CellInput::Dpu2, CellInput::Dpu3];

/// Registers of a DPU that take what comes in at its inputs.
pub fn is_dpu_data(register: Register) -> bool {
    Part::of(register) == Some(Part::Cell(CellPart::DpuData))
}

/// The signals of a cycle, and those of them that differ.
pub(crate) struct Wires<'a> {
    pub(crate) signals: &'a Signals,
    pub(crate) differing: &'a [SignalDifference],
}

impl<'a> Wires<'a> {
    /// The signal through which a difference came into a register: the one nearest to its origin.
    pub(crate) fn reaching_register(&self, location: Location) -> Option<&'a SignalDifference> {
        match (location.unit, Part::of(location.register)?) {
            (Unit::Cell(cell), Part::Cell(part)) => self.reaching_cell(cell, part),
            (Unit::Column(column), Part::Column(part)) => self.reaching_column(column, part),
            (Unit::Tile(tile), Part::Tile(part)) => self.reaching_tile(tile, part),
            (Unit::Fabric, Part::LoadPipeline) => None,
            // A unit has no registers of another kind.
            (Unit::Cell(_) | Unit::Column(_) | Unit::Tile(_) | Unit::Fabric, _) => None,
        }
    }

    fn reaching_cell(&self, cell: CellId, part: CellPart) -> Option<&'a SignalDifference> {
        match part {
            CellPart::Word(word) => self.reaching_word(cell, word),
            CellPart::DpuData => OPERANDS.into_iter().find_map(|input| self.input(cell, input)),
            CellPart::Program
            | CellPart::Decode
            | CellPart::ProgramCounter
            | CellPart::RaccuRegister(_)
            | CellPart::WaitingRaccu
            | CellPart::WaitingLoop
            | CellPart::Slot(_)
            | CellPart::Selection(_)
            | CellPart::WaitingMessage
            | CellPart::WaitingPerm
            | CellPart::WaitingRefi(_)
            | CellPart::Agu(_)
            | CellPart::WaitingDpu
            | CellPart::DpuInstruction
            | CellPart::DpuFormat
            | CellPart::DpuCounter
            | CellPart::DpuOperation => None,
        }
    }

    /// Through the port that writes the word, else through any that writes.
    fn reaching_word(&self, cell: CellId, word: usize) -> Option<&'a SignalDifference> {
        let emitted = |agu: AguId| self.signals.cell(cell).emitted(agu).map(usize::from);
        let block = || self.find(cell.into(), SignalId::BlkWrite, Key::None);
        if emitted(AguId::Wb) == Some(word / 16)
            && let Some(found) = block()
        {
            return Some(found);
        }
        let ports = [(AguId::W0, CellInput::Write0), (AguId::W1, CellInput::Write1)].into_iter();
        let hits = ports.clone().filter(|(agu, _)| emitted(*agu) == Some(word));
        let others = ports.filter(|(agu, _)| emitted(*agu).is_some_and(|at| at != word));
        hits.chain(others).find_map(|(_, input)| self.input(cell, input)).or_else(block)
    }

    fn reaching_column(&self, column: ColumnId, part: ColumnPart) -> Option<&'a SignalDifference> {
        match part {
            ColumnPart::Message => self.cell_message(column),
            ColumnPart::WriteData => self.block_read(column),
            ColumnPart::BlockToRow1 | ColumnPart::Request | ColumnPart::Generator(_) => None,
        }
    }

    fn reaching_tile(&self, tile: TileId, part: TilePart) -> Option<&'a SignalDifference> {
        let home = Some(tile.column()).filter(|column| column.home_tile() == tile);
        match part {
            TilePart::Output => {
                let up = self.find(home?.into(), SignalId::Up, Key::None)?;
                self.block_read(home?).or(Some(up))
            }
            TilePart::Side(_) | TilePart::Segment(_) | TilePart::Connections => {
                let from_column = home.and_then(|column| {
                    let message = self.find(column.into(), SignalId::ColNoc, Key::None)?;
                    self.cell_message(column).or(Some(message))
                });
                let at = |side: &Side| self.find(tile.into(), SignalId::MsgIn, (*side).into());
                from_column.or_else(|| Side::ALL.iter().find_map(at))
            }
            TilePart::Configuration(_)
            | TilePart::Pattern(_)
            | TilePart::MemoryRead
            | TilePart::MemoryRow
            | TilePart::Initialisation => None,
        }
    }

    fn find(&self, unit: Unit, id: SignalId, key: Key) -> Option<&'a SignalDifference> {
        self.at(SignalAt { unit, id, key })
    }

    fn at(&self, signal: SignalAt) -> Option<&'a SignalDifference> {
        self.differing.iter().find(|d| d.signal == signal)
    }

    /// What an input of a cell listens to, else the selection itself.
    fn input(&self, cell: CellId, input: CellInput) -> Option<&'a SignalDifference> {
        let selected = self.at(SignalAt::input(cell, input))?;
        let source = self.signals.cell(cell).source(input);
        source.and_then(|(from, lane)| self.at(SignalAt::lane(from, lane))).or(Some(selected))
    }

    fn cell_message(&self, column: ColumnId) -> Option<&'a SignalDifference> {
        let of = |cell: CellId| self.find(cell.into(), SignalId::CellNoc, Key::None);
        column.cells().into_iter().find_map(of)
    }

    fn block_read(&self, column: ColumnId) -> Option<&'a SignalDifference> {
        let of = |cell: CellId| self.find(cell.into(), SignalId::BlkRead, Key::None);
        column.cells().into_iter().find_map(of)
    }
}

/// The instruction that had set up what drives a signal.
pub(crate) fn responsible(signal: SignalAt, followed: &Attribution, signals: &Signals) -> Cause {
    let cell = match signal.unit {
        Unit::Cell(cell) => Some(cell),
        Unit::Column(_) | Unit::Tile(_) | Unit::Fabric => None,
    };
    let column = match signal.unit {
        Unit::Column(column) => Some(column),
        Unit::Cell(_) | Unit::Tile(_) | Unit::Fabric => None,
    };
    match signal.id {
        SignalId::Rdata | SignalId::DpuOut => match signal.as_lane()? {
            (cell, Lane::Rf0) => followed.agu(cell, AguId::R0).clone(),
            (cell, Lane::Rf1) => followed.agu(cell, AguId::R1).clone(),
            (cell, Lane::Dpu0 | Lane::Dpu1) => followed.dpu(cell),
        },
        SignalId::Wdata | SignalId::DpuIn => {
            let (cell, input) = signal.as_input()?;
            followed.input(cell, input).clone()
        }
        SignalId::BlkRead => followed.agu(cell?, AguId::Rb).clone(),
        SignalId::CellNoc => followed.message(cell?),
        SignalId::ColNoc => column?.cells().into_iter().find_map(|c| followed.message(c)),
        SignalId::Up => {
            let reads = |c: &CellId| signals.cell(*c).blk_rdata.is_some();
            followed.agu(column?.cells().into_iter().find(reads)?, AguId::Rb).clone()
        }
        SignalId::BlkWrite | SignalId::MsgIn => None,
    }
}

#[cfg(test)]
mod tests {
    use drra_golden::Fabric;
    use drra_isa::Geometry;
    use drra_lockstep::Value;

    use super::*;

    /// The signal through which a register differs, when these signals differ.
    fn reaching(register: &str, signals: &Signals, differing: &[SignalAt]) -> Option<SignalAt> {
        let value = |bit| Value::new(vec![bit], 1);
        let differing: Vec<SignalDifference> = differing
            .iter()
            .map(|signal| SignalDifference { signal: *signal, golden: value(0), dut: value(1) })
            .collect();
        let wires = Wires { signals, differing: &differing };
        wires.reaching_register(register.parse().unwrap()).map(|d| d.signal)
    }

    fn cell(row: usize, col: usize) -> CellId {
        CellId::new(row, col).unwrap()
    }

    /// A lane is nearer to the origin than the input that listens to it; registers that no input
    /// enters differ on their own.
    #[test]
    fn an_input_leads_to_the_lane_that_it_listens_to() {
        let mut signals = Fabric::new(Geometry::default(), 0).signals();
        signals.cells[0].sources[CellInput::Dpu1.index()] = Some((cell(0, 1), Lane::Rf1));
        let input = SignalAt::input(cell(0, 0), CellInput::Dpu1);
        let lane = SignalAt::lane(cell(0, 1), Lane::Rf1);
        let acc = "cell[0][0].dpu.acc[0]";
        assert_eq!(reaching(acc, &signals, &[]), None);
        assert_eq!(reaching(acc, &signals, &[input]), Some(input));
        assert_eq!(reaching(acc, &signals, &[input, lane]), Some(lane));
        assert_eq!(reaching(acc, &signals, &[lane]), None);
        assert_eq!(reaching("cell[0][0].dpu.prev_op[0]", &signals, &[input, lane]), None);
        assert_eq!(reaching("cell[1][0].dpu.acc[0]", &signals, &[input, lane]), None);
    }

    /// The block write comes first where its block has the word, then the port at the word, then the
    /// other ones that write.
    #[test]
    fn a_word_differs_through_the_port_that_writes_it() {
        let mut signals = Fabric::new(Geometry::default(), 0).signals();
        let emitted = &mut signals.cells[0].emitted;
        emitted[AguId::W0.index()] = Some(3);
        emitted[AguId::W1.index()] = Some(20);
        emitted[AguId::Wb.index()] = Some(2);
        let [w0, w1] =
            [CellInput::Write0, CellInput::Write1].map(|i| SignalAt::input(cell(0, 0), i));
        let block = SignalAt { unit: cell(0, 0).into(), id: SignalId::BlkWrite, key: Key::None };
        let all = [w0, w1, block];
        for (word, expected) in [(3, w0), (20, w1), (33, block), (60, w0)] {
            let path = format!("cell[0][0].rf.mem[{word}]");
            assert_eq!(reaching(&path, &signals, &all), Some(expected), "{path}");
        }
        assert_eq!(reaching("cell[0][0].rf.mem[60]", &signals, &[block]), Some(block));
    }

    /// A message enters the home row through the column and whatever cell sends it, other rows at a
    /// side.
    #[test]
    fn messages_come_from_cells_or_tiles() {
        let signals = Fabric::new(Geometry::default(), 0).signals();
        let column = ColumnId::new(2).unwrap();
        let [sent, handed] =
            [(cell(1, 2).into(), SignalId::CellNoc), (column.into(), SignalId::ColNoc)]
                .map(|(unit, id)| SignalAt { unit, id, key: Key::None });
        let passed = SignalAt::message_in(TileId::new(2, 2).unwrap(), Side::W);
        let all = [sent, handed, passed];
        assert_eq!(reaching("tile[1][2].side[S].fwd", &signals, &all), Some(sent));
        assert_eq!(reaching("tile[1][2].xsel[N]", &signals, &[handed]), Some(handed));
        assert_eq!(reaching("tile[2][2].seg_w", &signals, &all), Some(passed));
        assert_eq!(reaching("col[2].io_msg", &signals, &all), Some(sent));
        assert_eq!(reaching("tile[1][2].mem_q", &signals, &all), None);
    }
}
