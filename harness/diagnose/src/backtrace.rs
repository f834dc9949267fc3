// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces the first difference back to the block in which it originated.

use std::collections::BTreeSet;

use drra_fabric::RuleId;
use drra_isa::{Unit, UnitKind};
use drra_lockstep::{Mismatch, SignalDifference, SignalLocation};

use crate::fan_in::{BlockOutput, Wiring};

/// The signals of the leading cycle, and the signals that differ.
pub(crate) struct Backtrace<'a> {
    pub(crate) wiring: Wiring<'a>,
    pub(crate) differing: &'a [SignalDifference],
    /// The signals that are known in the design, if not all signals are known.
    pub(crate) shown: Option<&'a BTreeSet<SignalLocation>>,
}

/// The origin of a difference.
pub(crate) struct DifferenceOrigin<'a> {
    /// The signal that is wrong although all inputs of the block that drives it agree; `None` if the register or port
    /// itself is wrong.
    pub(crate) root_cause: Option<&'a SignalDifference>,
    /// The wrong output of the block; `None` if nothing is known about it.
    pub(crate) output: Option<BlockOutput>,
    /// The compared signals entering the block.
    pub(crate) fan_in: Vec<SignalLocation>,
}

impl<'a> Backtrace<'a> {
    /// The origin of the first register or port to which a differing signal leads, or else the first register or port
    /// itself.
    pub(crate) fn origin(&self, mismatch: &Mismatch) -> DifferenceOrigin<'a> {
        let registers = mismatch.differences().iter().map(|d| BlockOutput::Register(d.location));
        let mut all = registers.chain(mismatch.ports().iter().map(BlockOutput::from)).peekable();
        let first = all.peek().copied();
        let led = all.find_map(|output| Some(self.back(output)).filter(|o| o.root_cause.is_some()));
        match (led, first) {
            (Some(origin), _) => origin,
            (None, Some(first)) => self.back(first),
            (None, None) => DifferenceOrigin { root_cause: None, output: None, fan_in: Vec::new() },
        }
    }

    /// Follows the differing signals backwards.
    pub(crate) fn back(&self, from: BlockOutput) -> DifferenceOrigin<'a> {
        let (mut root_cause, mut output) = (None, from);
        let mut seen = BTreeSet::new();
        loop {
            let fan_in = self.fan_in(output);
            let next = fan_in.iter().find_map(|signal| self.differs(*signal));
            match next.filter(|found| seen.insert(found.signal)) {
                Some(found) => {
                    (root_cause, output) = (Some(found), BlockOutput::Signal(found.signal))
                }
                None => {
                    let fan_in = fan_in.into_iter().filter(|s| self.is_compared(*s));
                    return DifferenceOrigin {
                        root_cause,
                        output: Some(output),
                        fan_in: fan_in.collect(),
                    };
                }
            }
        }
    }

    /// The signals entering a block; an unknown signal is replaced by the signals that enter the block that drives it.
    fn fan_in(&self, output: BlockOutput) -> Vec<SignalLocation> {
        let Some(shown) = self.shown else { return self.wiring.fan_in(output) };
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        let mut open = self.wiring.fan_in(output);
        open.reverse();
        while let Some(signal) = open.pop() {
            if !seen.insert(signal) {
                continue;
            }
            if shown.contains(&signal) {
                found.push(signal);
            } else {
                open.extend(self.wiring.fan_in(BlockOutput::Signal(signal)).into_iter().rev());
            }
        }
        found
    }

    /// The other compared signals that leave a block and do not differ. Of the signals of several similar parts, such
    /// as the sides of a tile, only those with the same key are returned. The signals by which a column passes blocks
    /// to its cells count as leaving the column.
    pub(crate) fn outputs(&self, rule: RuleId, output: BlockOutput) -> Vec<SignalLocation> {
        let ((unit, key), kind) = (output.place(), output.key_kind());
        let whose = |unit: Unit| match (unit, rule.info().unit) {
            (Unit::Cell(cell), UnitKind::Column) => cell.column().into(),
            _ => unit,
        };
        let of_block = |s: &SignalLocation| {
            whose(s.unit) == whose(unit)
                && s.id.block() == rule.block()
                && (s.id.key_kind() != kind || s.key() == key)
                && !matches!(output, BlockOutput::Signal(own) if own == *s)
                && self.is_compared(*s)
                && self.differs(*s).is_none()
        };
        SignalLocation::all(self.wiring.geometry).into_iter().filter(of_block).collect()
    }

    fn differs(&self, signal: SignalLocation) -> Option<&'a SignalDifference> {
        self.differing.iter().find(|d| d.signal == signal)
    }

    /// True if the signal is known and has a meaning in this cycle.
    fn is_compared(&self, signal: SignalLocation) -> bool {
        self.shown.is_none_or(|shown| shown.contains(&signal))
            && signal.value(self.wiring.signals).is_some()
    }
}

#[cfg(test)]
mod tests {
    use drra_fabric::{
        AguId, BlockId, CellInput, Key, Lane, RegisterId, Side, SignalId, ports::Inputs,
    };
    use drra_golden::{Fabric, Signals};
    use drra_isa::{CellId, Geometry, TileId};
    use drra_lockstep::{Difference, MismatchKind, Value};

    use super::*;

    fn signals() -> Signals {
        Fabric::new(Geometry::default(), 0).all_signals(&Inputs::default())
    }

    fn cell(row: usize, col: usize) -> CellId {
        CellId::new(row, col).unwrap()
    }

    fn of(unit: impl Into<Unit>, id: SignalId) -> SignalLocation {
        SignalLocation::new(unit, id, Key::None)
    }

    /// The signal in which the difference of some registers originated when these signals differ, and the names of the
    /// signals that enter the block.
    fn origin(
        registers: &[&str],
        signals: &Signals,
        differing: &[SignalLocation],
    ) -> (Option<SignalLocation>, Vec<String>) {
        origin_of_shown(registers, signals, differing, None)
    }

    /// Like [`origin`], for a design whose signals are not all known.
    fn origin_of_shown(
        registers: &[&str],
        signals: &Signals,
        differing: &[SignalLocation],
        shown: Option<&BTreeSet<SignalLocation>>,
    ) -> (Option<SignalLocation>, Vec<String>) {
        let value = |bit| Value::new(vec![bit], 1);
        let difference = |path: &&str| {
            let location = path.parse().unwrap();
            Difference { location, golden: value(0), dut: value(1) }
        };
        let kind = MismatchKind::State(registers.iter().map(difference).collect());
        let differing: Vec<SignalDifference> = differing
            .iter()
            .map(|signal| SignalDifference { signal: *signal, golden: value(0), dut: value(1) })
            .collect();
        let geometry = Geometry::default();
        let wiring = Wiring { geometry: &geometry, signals };
        let backtrace = Backtrace { wiring, differing: &differing, shown };
        let found = backtrace.origin(&Mismatch { cycle: 5, kind });
        let fan_in = found.fan_in.iter().map(SignalLocation::to_string).collect();
        (found.root_cause.map(|d| d.signal), fan_in)
    }

    /// A message that the decoder gets wrong is already wrong when it enters the NoC issue; a message that is lost in
    /// the NoC issue is correct when it enters.
    #[test]
    fn a_decoder_is_distinguished_from_its_consumers() {
        let stage = ["cell[0][0].noc.noc_stage"];
        let decoded = of(cell(0, 0), SignalId::NocDec);
        let (cause, fan_in) = origin(&stage, &signals(), &[decoded]);
        assert_eq!(cause.map(|s| s.id.block()), Some(BlockId::Decoder));
        assert!(fan_in.contains(&"cell[0][0].fetch_0".to_owned()), "{fan_in:?}");
        let fetched = of(cell(0, 0), SignalId::Fetch0);
        let (cause, _) = origin(&stage, &signals(), &[decoded, fetched]);
        assert_eq!(cause.map(|s| s.id.block()), Some(BlockId::Sequencer));
        assert_eq!(origin(&stage, &signals(), &[]), (None, vec!["cell[0][0].noc_dec".to_owned()]));
    }

    /// However many registers of an AGU differ, the origin is its shadow register only if the launch differs.
    #[test]
    fn a_launch_is_a_signal() {
        let registers = [
            "cell[0][0].rf.agu[w0].state",
            "cell[0][0].rf.agu[w0].l1_cnt",
            "cell[0][0].rf.agu[w0].p_l1_iter",
        ];
        let launch = SignalLocation::new(cell(0, 0), SignalId::AguLaunch, AguId::W0.into());
        let (cause, fan_in) = origin(&registers, &signals(), &[]);
        assert_eq!((cause, fan_in), (None, vec![launch.to_string()]));
        let (cause, _) = origin(&registers, &signals(), &[launch]);
        assert_eq!(cause.map(|s| s.id.block()), Some(BlockId::AguShadow));
    }

    /// A lane is nearer to the origin than the input that is connected to it.
    #[test]
    fn an_input_leads_to_the_lane_that_it_selects() {
        let mut signals = signals();
        signals.cells[0].sources[CellInput::Dpu0.index()] = Some((cell(0, 1), Lane::Rf1));
        let input = SignalLocation::input(cell(0, 0), CellInput::Dpu0);
        let lane = SignalLocation::lane(cell(0, 1), Lane::Rf1);
        let ir = ["cell[0][0].dpu.ir0"];
        let operand = SignalLocation { id: SignalId::DpuOperand, ..input };
        assert_eq!(origin(&ir, &signals, &[]).0, None);
        assert_eq!(origin(&ir, &signals, &[operand]).0, Some(operand));
        assert_eq!(origin(&ir, &signals, &[operand, input]).0, Some(input));
        assert_eq!(origin(&ir, &signals, &[operand, input, lane]).0, Some(lane));
        assert_eq!(origin(&ir, &signals, &[lane]).0, None);
        assert_eq!(origin(&["cell[1][0].dpu.ir0"], &signals, &[operand, input]).0, None);
        // It is enough that one of the registers leads to the signal.
        let both = ["cell[1][0].dpu.ir0", "cell[0][0].dpu.ir0"];
        assert_eq!(origin(&both, &signals, &[operand, input, lane]).0, Some(lane));
    }

    /// If a design shows only lanes and inputs, the signals that lie between these and the registers are skipped. A
    /// fault in the switchbox is then not attributed to the DPU, and a fault at the output of the DPU is not attributed
    /// to the register file.
    #[test]
    fn unknown_signals_are_skipped() {
        let mut signals = signals();
        signals.cells[0].sources[CellInput::Write0.index()] = Some((cell(0, 1), Lane::Dpu0));
        signals.cells[0].emitted[AguId::W0.index()] = Some(3);
        let [input, lane] = [
            SignalLocation::input(cell(0, 0), CellInput::Write0),
            SignalLocation::lane(cell(0, 1), Lane::Dpu0),
        ];
        let shown = BTreeSet::from([input, lane]);
        let of = |differing: &[SignalLocation]| {
            origin_of_shown(&["cell[0][0].rf.mem[3]"], &signals, differing, Some(&shown))
        };
        assert_eq!(of(&[input, lane]), (Some(lane), Vec::new()));
        assert_eq!(of(&[input]), (Some(input), vec![lane.to_string()]));
        assert_eq!(of(&[]), (None, vec![input.to_string()]));
    }

    /// The block write comes first if its block contains the word, then the port that writes the word, then the other
    /// ports that write. Data of a port that does not write are ignored.
    #[test]
    fn a_word_differs_through_the_port_that_writes_it() {
        let mut signals = signals();
        let [w0, w1] =
            [CellInput::Write0, CellInput::Write1].map(|i| SignalLocation::input(cell(0, 0), i));
        let block = of(cell(0, 0), SignalId::BlkWrite);
        let [rf0, rf1] = [w0, w1].map(|at| SignalLocation { id: SignalId::RfWdata, ..at });
        let all = [w0, w1, rf0, rf1, block];
        assert_eq!(origin(&["cell[0][0].rf.mem[3]"], &signals, &all).0, None);
        let emitted = &mut signals.cells[0].emitted;
        emitted[AguId::W0.index()] = Some(3);
        emitted[AguId::W1.index()] = Some(20);
        emitted[AguId::Wb.index()] = Some(2);
        for (word, expected) in [(3, w0), (20, w1), (33, block)] {
            let path = format!("cell[0][0].rf.mem[{word}]");
            assert_eq!(origin(&[&path], &signals, &all).0, Some(expected), "{path}");
        }
    }

    /// A message enters the home row from the sending cell through the column, and other rows at a side.
    #[test]
    fn messages_come_from_cells_or_tiles() {
        let signals = signals();
        let (home, tile) = (TileId::new(1, 2).unwrap(), TileId::new(2, 2).unwrap());
        let sent = of(cell(1, 2), SignalId::CellNoc);
        let output = of(home.column(), SignalId::ColNoc);
        let entered =
            |tile: TileId, side: Side| SignalLocation::new(tile, SignalId::Rx, side.into());
        let passed = SignalLocation::message_in(tile, Side::W);
        let all = [sent, output, entered(home, Side::S), entered(tile, Side::W), passed];
        assert_eq!(origin(&["tile[1][2].side[S].fwd"], &signals, &all).0, Some(sent));
        assert_eq!(origin(&["tile[1][2].side[S].fwd"], &signals, &all[1..]).0, Some(output));
        assert_eq!(origin(&["tile[2][2].side[W].fwd"], &signals, &all).0, Some(passed));
        assert_eq!(origin(&["col[2].io_msg"], &signals, &all).0, Some(sent));
        assert_eq!(origin(&["tile[1][2].mem_q"], &signals, &all).0, None);
    }

    /// A side has only its own signals, and no signals of the other three sides; a column also drives its cells
    /// (chapter 5, 4.1).
    #[test]
    fn outputs_are_those_of_the_part() {
        let (geometry, signals) = (Geometry::default(), signals());
        let wiring = Wiring { geometry: &geometry, signals: &signals };
        let backtrace = Backtrace { wiring, differing: &[], shown: None };
        let outputs = |path: &str| {
            let location: drra_fabric::Location = path.parse().unwrap();
            let all =
                backtrace.outputs(location.register.id().rule(), BlockOutput::Register(location));
            all.iter().map(SignalLocation::to_string).collect::<Vec<_>>()
        };
        let side = outputs("tile[1][0].side[S].fwd");
        assert!(side.contains(&"tile[1][0].route_got[S]".to_owned()), "{side:?}");
        assert!(side.iter().all(|signal| signal.ends_with("[S]")), "{side:?}");
        let column = outputs("col[2].blk_in_row1");
        for signal in ["cell[0][2].blk_write", "cell[1][2].blk_write", "col[2].up"] {
            assert!(column.contains(&signal.to_owned()), "{signal}: {column:?}");
        }
        assert!(column.iter().all(|signal| signal.contains("[2]")), "{column:?}");
    }

    /// Every signal is reached from some register or output port, except signals that are reached only while an input
    /// is connected or a word is written.
    #[test]
    fn every_signal_is_reached() {
        let (geometry, signals) = (Geometry::default(), signals());
        let wiring = Wiring { geometry: &geometry, signals: &signals };
        let registers = Unit::all(&geometry).flat_map(|unit| {
            let ids = RegisterId::ALL.iter().filter(move |id| id.info().unit == unit.kind());
            let of = move |id: &RegisterId| id.all(&Geometry::default()).collect::<Vec<_>>();
            ids.flat_map(of).filter_map(move |r| drra_fabric::Location::new(unit, r))
        });
        let ports = drra_fabric::PortId::ALL.iter().flat_map(|port| {
            let of_column = port.info().unit == drra_isa::UnitKind::Column;
            let columns = drra_isa::ColumnId::all(&Geometry::default()).map(Some);
            let all: Vec<_> = if of_column { columns.collect() } else { vec![None] };
            all.into_iter().map(|column| BlockOutput::Port(*port, column))
        });
        let mut open: Vec<BlockOutput> =
            registers.map(BlockOutput::Register).chain(ports).collect();
        let mut reached = BTreeSet::new();
        while let Some(output) = open.pop() {
            let new = wiring.fan_in(output).into_iter().filter(|s| reached.insert(*s));
            open.extend(new.map(BlockOutput::Signal));
        }
        let known: BTreeSet<SignalLocation> = SignalLocation::all(&geometry).into_iter().collect();
        assert_eq!(reached.difference(&known).collect::<Vec<_>>(), Vec::<&SignalLocation>::new());
        let in_use = [
            SignalId::Rdata,
            SignalId::DpuOut,
            SignalId::Wdata,
            SignalId::RfWdata,
            SignalId::BlkWrite,
            // This signal leads only to the outputs of the DPU.
            SignalId::PackRegOut,
        ];
        let reached: BTreeSet<SignalId> = reached.into_iter().map(|s| s.id).collect();
        let left = SignalId::ALL.iter().copied().filter(|id| !reached.contains(id));
        assert_eq!(left.collect::<BTreeSet<_>>(), BTreeSet::from(in_use));
    }
}
