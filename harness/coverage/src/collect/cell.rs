// SPDX-License-Identifier: MIT OR Apache-2.0
//! Samples one cell: decodes, launches, DPU, loops, inputs.

use drra_fabric::{AguId, CellInput, DpuStatus, Lane, images::AguCfg};
use drra_golden::{
    AguPhase, CellView, Clamped, DpuWork, PortSignals, Receiver,
    units::{AguSignals, Sequencer},
};
use drra_isa::{
    CellId, Geometry, Opcode,
    instructions::{BwConfig, DpuControl, DpuIoChange, DpuMode, branch, loop_},
};

use super::hits::{Hits, Interest};
use crate::{
    covergroups::{
        connections::{self, Connections},
        control::{Branches, LoopEnds, Sequencers, Since},
        events::Event,
        instructions::{Flag, Pairs, Shared, Triples, Waiting},
        modes::{ModeChanges, WidthChanges, Widths},
        operands::{self, Operands, Saturated},
        patterns::{
            Busy, Delays, Direction, How, LaunchDelay, Launches, Levels, Patterns, Relaunches,
            Shadow, Shadowings,
        },
    },
    cross::{Dimension, levels},
    decode::{Decode, InstructionKind},
};

/// Minimum number of words of a long program.
const LONG_PROGRAM: usize = Geometry::PROGRAM_WORDS;

/// State of a cell in the previous cycles.
#[derive(Clone, Debug, Default)]
pub(super) struct CellWatch {
    /// Kinds of the instructions whose decode was already recorded, by their addresses in the program; empty outside
    /// RUN.
    kinds: Vec<Option<InstructionKind>>,
    /// The instruction at the program counter, with its flag; `None` outside RUN.
    current: Option<(InstructionKind, bool)>,
    /// The previous one.
    before: Option<(InstructionKind, bool)>,
    /// The instruction at the program counter, if it is decoded in this cycle.
    pub(super) decoded: Option<(InstructionKind, bool)>,
    /// Uses of the column's resources in the current cycle, as bits of [`Shared`].
    pub(super) shares: u8,
    /// The receivers in the RACCU and the loop controller that were waiting when the instruction was decoded.
    waited: u16,
    /// A REFI may take effect or begin to wait in the current cycle, which is one of RUN if `runs` is true.
    refis: bool,
    runs: bool,
    /// Operand width in the last cycle.
    width: BwConfig,
    /// Compare status in the last cycle, and the number of cycles, including that one, for which it is considered new.
    status: u8,
    fresh: u8,
    /// The operation of the DPU in the last cycle: mode, control, `io_change`, width.
    work: Option<(DpuMode, DpuControl, DpuIoChange, BwConfig)>,
    /// Inputs that this operation used.
    used: u8,
    /// Sampler for the operands of the operation, and the operands sampled last.
    interest: Interest,
    looked_at: Option<DpuWork>,
    /// Sampler for results that saturate.
    saturation: Interest,
    /// The source from which each input was last seen to carry data.
    carried: [Option<(CellId, Lane)>; 6],
}

impl CellWatch {
    /// Samples the registers before the edge.
    pub(super) fn before(&mut self, cell: CellView<'_>, io_cell: bool, hits: &mut Hits) {
        let seq = cell.sequencer();
        let status = cell.dpu().cond_status();
        self.fresh = if status == self.status { self.fresh.saturating_sub(1) } else { 2 };
        self.status = status;
        if let Some((kind, flag)) = self.decoded.take() {
            // The receivers that were waiting when the flag, decoded in the previous cycle, arrived.
            let receivers = Receiver::members(cell.waiting() & !Waiting::AT_ONCE | self.waited);
            let flag = Flag::class(flag);
            hits.note_all(receivers.map(|receiver| Waiting { receiver, kind, flag }));
        }
        if !seq.running() {
            self.kinds.clear();
            self.current = None;
            self.before = None;
        } else if seq.wait_count() == 0 {
            self.decode(cell, io_cell, hits);
        }
        let rf = cell.register_file();
        self.refis = seq.refi().cfg_start || seq.immediate() && rf.waits();
        self.runs = seq.running();
        self.dpu(cell, hits);
        let message = cell.message().and_then(|(kind, write)| Shared::message(kind, write));
        self.shares = message.map_or(0, |message| 1 << message as u8);
    }

    /// Samples the instruction that a running cell decodes in this cycle. The fields of an instruction are recorded
    /// once per address and run, those of a LOOP or BRANCH in every decode.
    fn decode(&mut self, cell: CellView<'_>, io_cell: bool, hits: &mut Hits) {
        let seq = cell.sequencer();
        let pc = usize::from(seq.pc());
        let flag = seq.imem_imm(pc);
        let known = self.kinds.get(pc).copied().flatten();
        let depends = |kind: &InstructionKind| {
            matches!(kind.opcode(), Some((Opcode::Loop | Opcode::Branch, _)))
        };
        let mut kind = match known.filter(|kind| !depends(kind)) {
            Some(kind) => kind,
            None => self.read(seq, io_cell, hits),
        };
        if kind == InstructionKind::BRANCH_TAKEN {
            let mode = branch::MODE.get(&[seq.imem(pc)]);
            hits.note(Branches {
                mode: Dimension::class(mode),
                status: DpuStatus::of(self.status.into()),
                since: Since(2 - usize::from(self.fresh)),
            });
            if mode & u64::from(self.status) != 0 {
                kind = InstructionKind::BRANCH_ON;
            }
        }
        if let Some(before) = self.current {
            hits.note(Pairs::new([before, (kind, flag)]));
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
    fn read(&mut self, seq: &Sequencer, io_cell: bool, hits: &mut Hits) -> InstructionKind {
        let pc = usize::from(seq.pc());
        let words = std::array::from_fn(|k| seq.imem(pc + k));
        if self.kinds.is_empty() {
            self.kinds.resize(Geometry::IMEM_DEPTH, None);
            if seq.imem(LONG_PROGRAM - 1) != 0 {
                hits.event(Event::LongProgram);
            }
        }
        let kind = Opcode::of(words[0], io_cell).map_or(InstructionKind::NONE, |opcode| {
            let decode = Decode {
                opcode,
                words,
                len: opcode.words(words[0]),
                immediate: seq.imem_imm(pc),
                width: seq.cfg_bw(),
                active_loops: seq.active_loops(),
            };
            hits.decode(&decode);
            if opcode == Opcode::Loop && decode.other_loops(decode.get(loop_::LOOPID)) == 3 {
                hits.event(Event::FourLoops);
            }
            InstructionKind::new(opcode, &words, decode.len)
        });
        self.kinds[pc] = Some(kind);
        kind
    }

    /// Samples REFIs that took effect or began to wait.
    fn refis(&self, cell: CellView<'_>, hits: &mut Hits) {
        for (&agu, port) in AguId::ALL.iter().zip(cell.agus()) {
            let PortSignals { hit, waited, launch: config, agu: AguSignals { phase, .. }, .. } =
                *port;
            let how = match (hit, waited) {
                (true, true) => How::ArrivesOverWaiting,
                (true, false) => How::Arrives,
                (false, _) => How::HasWaited,
            };
            if let Some(config) = config {
                launch(agu, phase, how, &config, hits);
                if !hit && self.runs {
                    hits.event(Event::AguFromShadow);
                }
            } else if hit {
                hits.note(Shadowings { agu, phase, shadow: Shadow::class(waited) });
                if waited {
                    hits.event(Event::RefiReplaced);
                }
            }
        }
    }

    /// Samples the DPU.
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
                let (control, change) = (next.control, next.io);
                hits.note(ModeChanges { from: mode, to: next.mode, control, change, width });
            }
        }
        if width != self.width {
            hits.note(WidthChanges { mode, widths: Widths::new(self.width, width) });
            self.width = width;
            if mode != DpuMode::Idle {
                hits.event(Event::WidthChange);
            }
        }
    }

    /// Records what happened in the cycle that just ended.
    pub(super) fn after(&mut self, cell: CellView<'_>, hits: &mut Hits) {
        if self.refis {
            self.refis(cell, hits);
        }
        self.sequencer(cell, hits);
        let work = cell.work();
        if let Some(DpuWork { mode, cfg_bw, .. }) = work
            && mode != DpuMode::Idle
            && self.saturation.looks()
        {
            let clamped = cell.clamped();
            let new = clamped != Clamped::default()
                && hits.note_all(Saturated::bins(mode, cfg_bw, clamped));
            self.saturation.saw(new);
        }
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
        let emits = |agu: AguId| u8::from(cell.emitted(agu).is_some());
        self.shares |= emits(AguId::Rb) << Shared::BlockRead as u8;
        self.shares |= emits(AguId::Wb) << Shared::BlockWrite as u8;
        used |= emits(AguId::W0) | emits(AguId::W1) << 1;
        self.inputs(cell, used, hits);
    }

    /// Records ends of loops and programs, and uses of the load port.
    fn sequencer(&self, cell: CellView<'_>, hits: &mut Hits) {
        let Some(activity) = cell.activity() else { return };
        let loops = activity.phases.is_some() || cell.sequencer().active_loops() != 0;
        hits.note(Sequencers::new(&activity, loops));
        if let (Some(phases), Some((kind, _))) = (&activity.phases, self.current) {
            hits.note_all(LoopEnds::new(phases, kind));
        }
    }

    /// Records data that arrive over the switchbox. Bit k of `used` is set if the data of input k are used.
    fn inputs(&mut self, cell: CellView<'_>, used: u8, hits: &mut Hits) {
        for input in CellInput::members(used) {
            let k = input.index();
            let source = cell.sources()[k];
            if source == self.carried[k] || cell.inputs()[k] == 0 {
                continue;
            }
            self.carried[k] = source;
            if let Some((from, lane)) = source {
                let to = cell.id();
                let column = from.col() as isize - to.col() as isize;
                let other_row = from.row() != to.row();
                hits.note(Connections::new(lane, input, column, other_row));
            }
        }
    }
}

/// Samples a configuration that reaches an AGU, which may still be working on the previous one.
fn launch(agu: AguId, phase: AguPhase, how: How, config: &AguCfg, hits: &mut Hits) {
    let delays = Delays(levels(config.l1_delay, config.l2_delay));
    let levels = Levels(levels(config.l1_iter, config.l2_iter));
    let delay = LaunchDelay::class(config.init_delay);
    let busy = Busy::class(phase != AguPhase::Idle);
    hits.note(Launches { agu, levels, delay, busy });
    hits.note(Patterns { agu, delays, direction: Direction::class(config.l1_step_sign) });
    hits.note(Relaunches { agu, phase, how, levels, delay });
}
