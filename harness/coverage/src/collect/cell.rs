// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happens in one cell: decodes, launches, the DPU, loops, inputs.

use drra_golden::{
    CellView, DpuWork, Fabric, Receiver,
    units::{Clamped, RegisterFile, Sequencer, selected},
};
use drra_isa::{
    CellInput, Geometry, Opcode,
    fabric::{AguId, DpuStatus, images::AguCfg},
    instructions::{BranchMode, BwConfig, DpuControl, DpuIoChange, DpuMode, branch, loop_},
};

use super::hits::{Hits, Interest};
use crate::{
    cross::Dimension,
    decode::{Decode, Kind},
    groups::{
        column::Shared,
        connections::{self, Connections},
        control::{Branches, LoopEnds, Sequencers, Since},
        events::Event,
        launches::{How, Relaunches, Shadow, Shadowings},
        modes::{ModeChanges, WidthChanges, Widths},
        operands::{self, Operands},
        pairs::{Flag, Pairs, Triples, Waiting},
        saturation::Saturated,
    },
};

/// Words of a program that is called long.
const LONG_PROGRAM: usize = Geometry::IMEM_DEPTH - 1;

/// What is known of a cell from the cycles before.
#[derive(Clone, Debug)]
pub(super) struct CellWatch {
    /// Addresses of the program whose decode was noted already.
    seen: u64,
    /// Kinds of the instructions at these addresses.
    kinds: [Kind; Geometry::IMEM_DEPTH],
    /// The instruction at the program counter, with its flag; none outside of RUN.
    current: Option<(Kind, bool)>,
    /// The one before it.
    before: Option<(Kind, bool)>,
    /// The one at the program counter if this is the cycle of its decode.
    pub(super) decoded: Option<(Kind, bool)>,
    /// What the cell does in the current cycle with what it shares with its column, as bits of [`Shared`].
    pub(super) shares: u8,
    /// What waited in RACCU and loop controller when it was decoded.
    waited: u16,
    /// Operand width in the last cycle.
    width: BwConfig,
    /// Compare status in the last cycle, and for how many cycles, up to 3.
    status: u8,
    since: u8,
    /// What the DPU did in the last cycle: mode, control, `io_change`, width.
    work: Option<(DpuMode, DpuControl, DpuIoChange, BwConfig)>,
    /// Inputs that it used.
    used: u8,
    /// In its operands, and those that were looked at last.
    interest: Interest,
    looked_at: Option<DpuWork>,
    /// The same for results that saturate.
    saturation: Interest,
    /// Sources of the inputs before the edge; bit k: input k was seen to carry data from there.
    sources: [u16; 6],
    carried: u8,
}

impl Default for CellWatch {
    fn default() -> Self {
        Self {
            seen: 0,
            kinds: [Kind::NONE; Geometry::IMEM_DEPTH],
            current: None,
            before: None,
            decoded: None,
            shares: 0,
            waited: 0,
            width: BwConfig::default(),
            status: 0,
            since: 3,
            work: None,
            used: 0,
            interest: Interest::default(),
            looked_at: None,
            saturation: Interest::default(),
            sources: [u16::MAX; 6],
            carried: 0,
        }
    }
}

impl CellWatch {
    /// Notes what the registers before the edge tell.
    #[inline]
    pub(super) fn before(&mut self, cell: CellView<'_>, io_cell: bool, hits: &mut Hits) {
        let seq = cell.sequencer();
        self.status(cell.dpu().cond_status());
        if let Some((kind, flag)) = self.decoded.take() {
            self.released(cell, kind, flag, hits);
        }
        if !seq.running() {
            self.seen = 0;
            self.current = None;
            self.before = None;
        } else if seq.wait_count() == 0 {
            self.decode(cell, io_cell, hits);
        }
        self.refis(cell, hits);
        self.dpu(cell, hits);
        let message = cell.message().and_then(|(kind, write)| Shared::message(kind, write));
        self.shares = message.map_or(0, |message| 1 << message as u8);
        let sources = cell.sources();
        if sources != self.sources {
            self.sources = sources;
            self.carried = 0;
        }
    }

    /// Follows the compare status.
    #[inline]
    fn status(&mut self, status: u8) {
        if status == self.status {
            self.since = (self.since + 1).min(3);
        } else {
            self.status = status;
            self.since = 1;
        }
    }

    /// What waited when the flag of an instruction, decoded in the cycle before, got there.
    fn released(&self, cell: CellView<'_>, kind: Kind, flag: bool, hits: &mut Hits) {
        let receivers = Receiver::members(cell.waiting() & !Waiting::AT_ONCE | self.waited);
        let flag = Flag(flag.into());
        hits.note_all(receivers.map(|receiver| Waiting { receiver, kind, flag }));
    }

    /// The instruction that a running cell decodes in this cycle. Its fields count once for each
    /// address; again where bins depend on more than the words.
    fn decode(&mut self, cell: CellView<'_>, io_cell: bool, hits: &mut Hits) {
        let seq = cell.sequencer();
        let pc = usize::from(seq.pc());
        let flag = seq.imem_imm() >> pc & 1 == 1;
        let known = self.seen >> pc & 1 == 1;
        let mut kind = self.kinds[pc];
        let depends = matches!(kind.opcode(), Some((Opcode::Loop | Opcode::Branch, _)));
        if !known || depends {
            kind = self.read(seq, io_cell, hits);
        }
        if kind == Kind::BRANCH_TAKEN {
            let mode = branch::MODE.get(&[seq.imem(pc)]);
            hits.note(Branches {
                mode: BranchMode::from_bits(mode),
                status: DpuStatus::of(self.status.into()),
                since: Since::cycles(self.since),
            });
            if mode & u64::from(self.status) != 0 {
                kind = Kind::BRANCH_ON;
            }
        }
        if let Some(before) = self.current {
            hits.note(Pairs::new(before, (kind, flag)));
            if let Some(first) = self.before {
                hits.note(Triples::new([first, before, (kind, flag)]));
            }
        }
        self.before = self.current;
        self.current = Some((kind, flag));
        self.decoded = self.current;
        self.waited = cell.waiting() & Waiting::AT_ONCE;
    }

    /// Reads the instruction at the program counter.
    fn read(&mut self, seq: &Sequencer, io_cell: bool, hits: &mut Hits) -> Kind {
        let pc = usize::from(seq.pc());
        let words = std::array::from_fn(|k| seq.imem(pc + k));
        if self.seen == 0 && seq.imem(LONG_PROGRAM - 1) != 0 {
            hits.event(Event::LongProgram);
        }
        self.seen |= 1 << pc;
        let Some(opcode) = Opcode::of(words[0], io_cell) else {
            self.kinds[pc] = Kind::NONE;
            return Kind::NONE;
        };
        let decode = Decode {
            opcode,
            words,
            len: opcode.words(words[0]),
            immediate: seq.imem_imm() >> pc & 1 == 1,
            width: seq.cfg_bw(),
            active_loops: seq.active_loops(),
        };
        hits.decode(&decode);
        if opcode == Opcode::Loop && decode.other_loops(decode.get(loop_::LOOPID)) == 3 {
            hits.event(Event::FourLoops);
        }
        let kind = Kind::new(opcode, &words, decode.len);
        self.kinds[pc] = kind;
        kind
    }

    /// REFI instructions that take effect or wait.
    #[inline]
    fn refis(&self, cell: CellView<'_>, hits: &mut Hits) {
        let (seq, rf) = (cell.sequencer(), cell.register_file());
        let refi = seq.refi();
        let own = selected(refi);
        if let Some(agu) = own {
            let waits = rf.shadow(agu).is_some();
            if seq.immediate() {
                let how = if waits { How::ArrivesOverWaiting } else { How::Arrives };
                launch(rf, agu, how, &refi.cfg, hits);
            } else {
                let phase = rf.agu(agu).phase();
                hits.note(Shadowings { agu, phase, shadow: Shadow(waits.into()) });
                if waits {
                    hits.event(Event::RefiReplaced);
                }
            }
        }
        if rf.waiting() == 0 || !seq.immediate() {
            return;
        }
        for &agu in AguId::ALL.iter().filter(|agu| Some(**agu) != own) {
            if let Some(config) = rf.shadow(agu) {
                if seq.running() {
                    hits.event(Event::AguFromShadow);
                }
                launch(rf, agu, How::HasWaited, config, hits);
            }
        }
    }

    /// What happens to the DPU.
    #[inline]
    fn dpu(&mut self, cell: CellView<'_>, hits: &mut Hits) {
        let (seq, dpu) = (cell.sequencer(), cell.dpu());
        let mode = dpu.mode();
        let width = seq.cfg_bw();
        let issued = seq.dpu().dpu_start.then_some(&seq.dpu().instr);
        let waits = dpu.shadow().is_some();
        if issued.is_some() || waits {
            if issued.is_some() && !seq.immediate() && waits {
                hits.event(Event::DpuReplaced);
            } else if issued.is_none() && seq.immediate() {
                hits.event(Event::DpuFromShadow);
            }
            if let Some(next) = issued.or(dpu.shadow()).filter(|_| seq.immediate()) {
                hits.note(ModeChanges::new(mode, next, width));
            }
        }
        if width != self.width {
            hits.note(WidthChanges { mode, widths: Widths::new(self.width, width) });
            self.width = width;
            if mode != DpuMode::Idle {
                hits.event(Event::WidthChange);
            }
        }
        if mode != DpuMode::Idle && self.saturation.looks() {
            let clamped = dpu.clamped(width);
            let new = clamped != Clamped::default()
                && hits.note_all(Saturated::bins(mode, width, clamped));
            self.saturation.saw(new);
        }
    }

    /// Notes what happened in the cycle that is over.
    #[inline]
    pub(super) fn after(&mut self, golden: &Fabric, cell: CellView<'_>, hits: &mut Hits) {
        self.sequencer(cell, hits);
        let work = cell.work();
        let does = work.map(|work| (work.mode, work.control, work.io, work.cfg_bw));
        if self.work != does {
            self.work = does;
            self.used = work.map_or(0, |work| connections::used(work.mode));
            self.interest = Interest::default();
            self.saturation = Interest::default();
        }
        if let Some(work) = work
            && self.interest.looks()
        {
            let mut new = false;
            if self.looked_at != Some(work) {
                self.looked_at = Some(work);
                operands::bins(&work, |bin| {
                    new |= match bin {
                        Operands::Single(bin) => hits.note(bin),
                        Operands::Pair(bin) => hits.note(bin),
                    };
                });
            }
            self.interest.saw(new);
        }
        let mut used = self.used;
        let rf = cell.register_file();
        if !rf.emits_nothing() {
            let emits = |agu: AguId| u8::from(rf.emitted(agu).is_some());
            self.shares |= emits(AguId::Rb) << Shared::BlockRead as u8;
            self.shares |= emits(AguId::Wb) << Shared::BlockWrite as u8;
            used |= emits(AguId::W0) | emits(AguId::W1) << 1;
        }
        self.inputs(golden, cell, used, hits);
    }

    /// Ends of loops and programs, the load port.
    #[inline]
    fn sequencer(&self, cell: CellView<'_>, hits: &mut Hits) {
        let activity = cell.activity();
        let Some(state) = activity.state else { return };
        let loops = activity.slots.is_some() || cell.sequencer().active_loops() != 0;
        hits.note(Sequencers::new(state, &activity, loops));
        if let (Some(slots), Some((kind, _))) = (&activity.slots, self.current) {
            hits.note_all(LoopEnds::new(slots, kind));
        }
    }

    /// Data that come over the switchbox; bit k of `used`: somebody takes those of input k.
    #[inline]
    fn inputs(&mut self, golden: &Fabric, cell: CellView<'_>, used: u8, hits: &mut Hits) {
        for input in CellInput::members(used & !self.carried) {
            let k = input.index();
            if cell.inputs()[k] == 0 {
                continue;
            }
            self.carried |= 1 << k;
            if let Some((from, lane)) = golden.source(self.sources[k]) {
                let to = cell.id();
                let column = from.col() as isize - to.col() as isize;
                let other_row = from.row() != to.row();
                hits.note(Connections::new(lane, input, column, other_row));
            }
        }
    }
}

/// A configuration that reaches an AGU.
fn launch(rf: &RegisterFile, agu: AguId, how: How, config: &AguCfg, hits: &mut Hits) {
    let unit = rf.agu(agu);
    hits.launch(agu, config, unit.busy());
    hits.note(Relaunches::new(agu, unit.phase(), how, config));
}
