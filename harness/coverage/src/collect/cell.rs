// SPDX-License-Identifier: MIT OR Apache-2.0
//! Samples one cell: decodes, launches, DPU, loops, inputs.

use drra_fabric::{
    AguId, CellInput, DpuStatus, Lane, SequencerState,
    images::{AguCfg, DpuInstr},
};
use drra_golden::{
    AguPhase, Block, CellView, DpuActivity, Fabric, LoadEvent, PortSignals, Receiver,
    SaturatedLanes,
    units::{AguSignals, Sequencer},
};
use drra_isa::{
    CellId, Geometry, Opcode,
    instructions::{BwConfig, DpuControl, DpuIoChange, DpuMode, branch, loop_, perm, raccu, swb},
};

use super::hits::{Hits, SamplingThrottle};
use crate::{
    covergroups::{
        arbitration::Redirects,
        changes::{DpuSettings, Permutations, Reconnections, Results},
        connections::{self, Connections},
        control::{Branches, LoopEnds, Sequencers, Since},
        events::Event,
        instructions::{Flag, Pairs, Shared, Triples, Waiting},
        limits::{
            self, DpuShifts, LongCounters, LongPatterns, LongWaits, Pieces, RaccuShifts,
            RegisterOperands,
        },
        modes::{ModeChanges, WidthChanges, Widths},
        operands::{self, OperandBin, Saturated},
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
pub(super) struct CellMonitor {
    /// Kinds of the instructions whose decode was already recorded, by their addresses in the program; empty outside
    /// RUN.
    kinds: Vec<Option<InstructionKind>>,
    /// RACCU registers that these instructions use, as bits.
    operands: Vec<u16>,
    /// The instruction decoded in this cycle, if it uses RACCU registers: its address, and their contents.
    reads: Option<(usize, [u8; 16])>,
    /// The instruction at the program counter, with its flag; `None` outside RUN.
    current: Option<(InstructionKind, bool)>,
    /// The previous one.
    before: Option<(InstructionKind, bool)>,
    /// The instruction at the program counter, if it is decoded in this cycle.
    pub(super) decoded: Option<(InstructionKind, bool)>,
    /// Uses of the column's resources in the current cycle, as bits of [`Shared`].
    pub(super) shares: u8,
    /// Payload of the message, and the block that is read, if there are any.
    pub(super) payload: u64,
    pub(super) block: Block,
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
    pub(super) work: Option<(DpuMode, DpuControl, DpuIoChange, BwConfig)>,
    /// Inputs that this operation used.
    used: u8,
    /// Sampler for the operands of the operation, and the operands sampled last.
    interest: SamplingThrottle,
    looked_at: Option<DpuActivity>,
    /// Sampler for results that saturate.
    saturation: SamplingThrottle,
    /// The source from which each input was last seen to carry data.
    carried: [Option<LaneSource>; 6],
    /// The source of each input in the last cycle, and the one before it if the input was not used since then.
    sources: [Option<LaneSource>; 6],
    former: [Option<Option<LaneSource>>; 6],
    /// These sources may have changed.
    reconnected: bool,
    /// Number of columns of the fabric.
    columns: usize,
    /// Number of words that were loaded.
    loaded: u8,
    /// Counter of the WAIT in the previous cycle.
    waited_for: u16,
    /// Mode of the last PERM.
    perm: Option<u64>,
    /// Counters of the patterns of the AGUs that have not ended, if they are long.
    long: [LongCounters; AguId::ALL.len()],
    /// The DPU instruction that was launched last; true if that was in the current cycle.
    launched: DpuInstr,
    launches: bool,
}

/// A lane of a cell.
type LaneSource = (CellId, Lane);

impl CellMonitor {
    /// The monitor of a cell in a fabric with this many columns.
    pub(super) fn new(columns: usize) -> Self {
        Self { columns, ..Self::default() }
    }

    /// Samples the registers before the edge.
    pub(super) fn before(&mut self, cell: CellView<'_>, io_cell: bool, hits: &mut Hits) {
        let waits = cell.sequencer().wait_count();
        // After a repeated step, the other registers are the same, and nothing is launched or leaves, which changes them.
        if cell.executed() || self.decoded.is_some() || waits < self.waited_for {
            self.registers(cell, io_cell, hits);
        }
        self.waited_for = waits;
    }

    /// Samples registers that may have changed. Not inlined, as that would slow down the loop over all cells.
    #[inline(never)]
    fn registers(&mut self, cell: CellView<'_>, io_cell: bool, hits: &mut Hits) {
        let seq = cell.sequencer();
        let status = cell.dpu().cond_status();
        self.fresh = if status == self.status { self.fresh.saturating_sub(1) } else { 2 };
        self.status = status;
        if seq.wait_count() < self.waited_for {
            hits.note(LongWaits::new(self.waited_for));
        }
        self.reads = None;
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
        self.reconnected = cell.reconnected();
        self.dpu(cell, hits);
        let message = cell.message().and_then(|(kind, write)| Shared::message(kind, write));
        self.shares = message.map_or(0, |message| 1 << message as u8);
        if self.shares != 0 {
            self.payload = cell.payload().unwrap_or(0);
        }
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
            None => self.read(cell, io_cell, hits),
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
        let before = self.current.and_then(|(kind, _)| kind.opcode());
        let jumped = matches!(before, Some((Opcode::Jump | Opcode::Branch, _)));
        if jumped && pc >= usize::from(self.loaded) && seq.imem(pc) != 0 {
            hits.event(Event::JumpToOlder);
        }
        if let Some(before) = self.current {
            hits.note(Pairs::new([before, (kind, flag)]));
            if let Some(first) = self.before {
                hits.note(Triples::new([first, before, (kind, flag)]));
            }
        }
        if self.operands[pc] != 0 {
            self.reads = Some((pc, std::array::from_fn(|k| seq.raccu_reg(k))));
        }
        self.before = self.current;
        self.current = Some((kind, flag));
        self.decoded = self.current;
        self.waited = cell.waiting() & Waiting::AT_ONCE;
    }

    /// Reads the instruction at the program counter.
    fn read(&mut self, cell: CellView<'_>, io_cell: bool, hits: &mut Hits) -> InstructionKind {
        let (seq, column) = (cell.sequencer(), cell.id().col());
        let pc = usize::from(seq.pc());
        let words = std::array::from_fn(|k| seq.imem(pc + k));
        if self.kinds.is_empty() {
            self.kinds.resize(Geometry::IMEM_DEPTH, None);
            self.operands.resize(Geometry::IMEM_DEPTH, 0);
            if seq.imem(LONG_PROGRAM - 1) != 0 {
                hits.event(Event::LongProgram);
            }
        }
        self.operands[pc] = 0;
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
            self.operands[pc] = self.numbers(&decode, seq, column, hits);
            if opcode == Opcode::Loop && decode.other_loops(decode.get(loop_::LOOPID)) == 3 {
                hits.event(Event::FourLoops);
            }
            InstructionKind::new(opcode, &words, decode.len)
        });
        self.kinds[pc] = Some(kind);
        kind
    }

    /// Samples the register operands of an instruction, and the bins of a RACCU shift, an SWB or a PERM. Returns the
    /// RACCU registers that it uses, as bits.
    fn numbers(&mut self, d: &Decode, seq: &Sequencer, column: usize, hits: &mut Hits) -> u16 {
        let register = |number| seq.raccu_reg(number);
        match d.opcode {
            Opcode::Raccu if d.get(raccu::MODE) == 0 => return 0,
            Opcode::Raccu => _ = hits.note_all(RaccuShifts::new(d, register)),
            Opcode::Swb if swb::SEND_TO_OTHER_ROW.is_set(&d.words) => {
                let distance = d.get(swb::HB_INDEX) as usize;
                if distance < 5 && !(2..self.columns + 2).contains(&(column + distance)) {
                    hits.event(Event::BeyondEdge);
                }
            }
            Opcode::Perm => {
                let mode = d.get(perm::MODE);
                let [to, from] =
                    [Some(mode), self.perm.replace(mode)].map(|m| m.map(Dimension::class));
                hits.note_all(from.zip(to).map(|(from, to)| Permutations { from, to }));
            }
            _ => {}
        }
        let (used, bins) = RegisterOperands::sample(d, register);
        hits.note_all(bins);
        used
    }

    /// Samples REFIs that took effect or began to wait.
    fn refis(&mut self, cell: CellView<'_>, hits: &mut Hits) {
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
                let rests = phase == AguPhase::Idle;
                self.long[agu.index()] = if rests { limits::long_words(&config) } else { 0 };
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

    /// Samples launches of DPU instructions, and changes of the width.
    fn dpu(&mut self, cell: CellView<'_>, hits: &mut Hits) {
        let (seq, dpu) = (cell.sequencer(), cell.dpu());
        let mode = dpu.mode();
        let width = seq.cfg_bw();
        let issued = seq.dpu().dpu_start.then_some(&seq.dpu().instr);
        let waits = dpu.shadow().is_some();
        self.launches = (issued.is_some() || waits) && seq.immediate();
        if issued.is_some() || waits {
            if issued.is_some() && !seq.immediate() && waits {
                hits.event(Event::DpuReplaced);
            } else if issued.is_none() && seq.immediate() {
                hits.event(Event::DpuFromShadow);
            }
            if let Some(next) = issued.or(dpu.shadow()).filter(|_| seq.immediate()) {
                let (control, change) = (next.control, next.io);
                hits.note(ModeChanges { from: mode, to: next.mode, control, change, width });
                if mode != DpuMode::Idle {
                    hits.note(DpuSettings::new(&self.launched, next));
                }
                self.launched = *next;
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

    /// Records what happened in the cycle that just ended. Not inlined for the same reason.
    #[inline(never)]
    pub(super) fn after(&mut self, golden: &Fabric, cell: CellView<'_>, hits: &mut Hits) {
        for (long, &agu) in self.long.iter_mut().zip(AguId::ALL).filter(|(long, _)| **long != 0) {
            if cell.agu(agu).agu.phase == AguPhase::RunLast {
                hits.note_all(LongPatterns::ended(0, std::mem::take(long)));
            }
        }
        let counts = self.launched.cnst == u8::MAX && self.launched.mode.info().counts;
        if counts && !self.launches && cell.dpu().acc_cnt() == 0 {
            hits.event(Event::LongAccumulation);
        }
        if self.refis {
            self.refis(cell, hits);
        }
        self.sequencer(cell, hits);
        let work = cell.work();
        if let Some(DpuActivity { mode, cfg_bw, .. }) = work
            && mode != DpuMode::Idle
            && self.saturation.looks()
        {
            let clamped = cell.clamped();
            let new = clamped != SaturatedLanes::default()
                && hits.note_all(Saturated::bins(mode, cfg_bw, clamped));
            self.saturation.saw(new);
        }
        let does = work.map(|work| (work.mode, work.control, work.io, work.cfg_bw));
        if self.work != does {
            self.work = does;
            self.used = work.map_or(0, |work| connections::used(work.mode));
            self.interest = SamplingThrottle::default();
            self.saturation = SamplingThrottle::default();
        }
        if let Some(work) = work
            && self.interest.looks()
        {
            let mut new = false;
            if self.looked_at != Some(work) {
                self.looked_at = Some(work);
                new |= hits.note_all(DpuShifts::bins(&work)) | hits.note_all(Pieces::new(&work));
                operands::bins(&work, |bin| {
                    new |= match bin {
                        OperandBin::Single(bin) => hits.note(bin),
                        OperandBin::Pair(bin) => hits.note(bin),
                    };
                });
            }
            self.interest.saw(new);
        }
        let mut used = self.used;
        let emits = |agu: AguId| u8::from(cell.emitted(agu).is_some());
        if let Some(block) = cell.block_read() {
            self.block = block;
        }
        self.shares |= emits(AguId::Rb) << Shared::BlockRead as u8;
        self.shares |= emits(AguId::Wb) << Shared::BlockWrite as u8;
        used |= emits(AguId::W0) | emits(AguId::W1) << 1;
        self.inputs(golden, cell, used, hits);
    }

    /// Records ends of loops and programs, redirects, RACCU registers that change while they are read, and uses of the
    /// load port.
    fn sequencer(&mut self, cell: CellView<'_>, hits: &mut Hits) {
        let Some(activity) = cell.activity() else { return };
        if let Some(redirects) = activity.redirects {
            hits.note_all(Redirects::bins(redirects));
        }
        if let Some(starts) = activity.overruled {
            hits.event(if starts { Event::ResultForNewLoop } else { Event::ResultForLoop });
        }
        if let Some((pc, before)) = self.reads {
            let used = (0..16).filter(|k| self.operands[pc] >> k & 1 == 1);
            for k in used.filter(|k| before[*k] != cell.sequencer().raccu_reg(*k)) {
                let kind = self.current.and_then(|(kind, _)| kind.opcode());
                match activity.raccu == Some(k as u8) {
                    // A RACCU writes its own result.
                    true if matches!(kind, Some((Opcode::Raccu, _))) => {}
                    true => hits.event(Event::OperandOfRaccu),
                    false => hits.event(Event::OperandOfLoop),
                }
            }
        }
        if activity.load == LoadEvent::Own && activity.state != SequencerState::Run {
            let before = if activity.state == SequencerState::Idle { 0 } else { self.loaded };
            self.loaded = before.saturating_add(1);
            if usize::from(self.loaded) > Geometry::IMEM_DEPTH {
                hits.event(Event::LongLoad);
            }
        }
        let loops = activity.phases.is_some() || cell.sequencer().active_loops() != 0;
        hits.note(Sequencers::new(&activity, loops));
        if let (Some(phases), Some((kind, _))) = (&activity.phases, self.current) {
            hits.note_all(LoopEnds::new(phases, kind));
        }
    }

    /// Records data that arrive over the switchbox. Bit k of `used` is set if the data of input k are used.
    fn inputs(&mut self, golden: &Fabric, cell: CellView<'_>, used: u8, hits: &mut Hits) {
        let (sources, values) = (cell.sources(), cell.inputs());
        if std::mem::take(&mut self.reconnected) {
            for k in (0..sources.len()).filter(|k| sources[*k] != self.sources[*k]) {
                self.former[k] = Some(self.sources[k]);
            }
            self.sources = sources;
        }
        for input in CellInput::members(used) {
            let k = input.index();
            let source = sources[k];
            // The value shows the change, or the value of the former source would show that it is still connected.
            let shows = |former: &Option<LaneSource>| {
                values[k] != 0 || former.is_some() && self.carried[k] == *former
            };
            if self.former[k].as_ref().is_some_and(shows)
                && let Some(former) = self.former[k].take()
            {
                hits.note(Reconnections::new(cell.id(), [former, source]));
            }
            if values[k] == 0 {
                continue;
            }
            if let Some((from, Lane::Dpu0 | Lane::Dpu1)) = source
                && let Some(work) = golden.view(from).work()
            {
                hits.note_all(Results::new(work.mode, work.cfg_bw));
            }
            if source == self.carried[k] {
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
