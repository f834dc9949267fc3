// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tracks the instructions that set up the parts of a cell: stages, shadow registers and units (chapters 2 to 7).

use std::rc::Rc;

use drra_fabric::{AguId, CellInput};
use drra_golden::units::{Sequencer, selected};
use drra_isa::{
    Opcode,
    instructions::{loop_, raccu, swb},
};

use super::issued::{Cause, IssuedInstruction, only};

/// Causes for each AGU, in the order of [`AguId::ALL`].
type AguCauses = [Cause; 6];
/// Causes for each input, in the order of [`CellInput::ALL`].
type InputCauses = [Cause; 6];

/// Causes in a cell after the last edge.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellCauses {
    /// Latest decoded instruction.
    pub(super) current: Cause,
    pub(super) held: RegisterCauses,
    pub(super) bw: Cause,
    pub(super) agu: AguCauses,
    pub(super) sh_raccu: Cause,
    pub(super) sh_loop: Cause,
    /// True if the LOOP decoded last has no iterations.
    pub(super) skips: bool,
    pub(super) slots: [Cause; 4],
    /// The events of the last cycle.
    pub(super) last: LastCycle,
}

/// The causes of the contents of stage, shadow and configuration registers of a cell.
#[derive(Clone, Debug, Default)]
pub(super) struct RegisterCauses {
    /// Instruction decoded in the previous cycle.
    pub(super) stage: Cause,
    pub(super) rf_shadow: AguCauses,
    pub(super) dpu_shadow: Cause,
    pub(super) dpu: Cause,
    pub(super) noc_shadow: Cause,
    pub(super) perm_shadow: Cause,
    pub(super) swb_iss: Cause,
    pub(super) swb_cfg: InputCauses,
}

/// Causes in a cell before the last edge, and its activity in the last cycle.
#[derive(Clone, Debug, Default)]
pub(super) struct LastCycle {
    pub(super) held: RegisterCauses,
    pub(super) dpu_launched: bool,
    /// The cell was in RUN.
    running: bool,
    /// Bit k: loop slot k was active.
    pub(super) active_loops: u8,
    /// Block that the initialisation port wrote.
    pub(super) init: Option<usize>,
    /// ROUTE, SRAM or IO that left the cell.
    pub(super) left: Cause,
    /// PERM, RACCU and LOOP that were executed.
    pub(super) perm: Cause,
    pub(super) raccu: Cause,
    pub(super) looped: Cause,
    /// LOOP of the slot whose end the program counter had reached.
    pub(super) loop_end: Cause,
    /// Addresses that the AGUs emitted.
    emitted: [Option<u8>; 6],
}

impl LastCycle {
    /// Address that an AGU emitted.
    pub(super) fn emitted(&self, agu: AguId) -> Option<usize> {
        self.emitted[agu.index()].map(usize::from)
    }
}

impl CellCauses {
    /// The instruction that was at the program counter in the last cycle; `None` outside RUN.
    pub(crate) fn decoding(&self) -> Cause {
        self.current.clone().filter(|_| self.last.running)
    }

    /// The instruction that set up an AGU.
    pub(super) fn of_agu(&self, agu: AguId) -> &Cause {
        &self.agu[agu.index()]
    }

    /// The instruction that set an input selection.
    pub(super) fn of_input(&self, input: CellInput) -> &Cause {
        &self.held.swb_cfg[input.index()]
    }

    /// Launches the contents of the stage registers, which are from the instruction of the previous cycle, or lets them
    /// wait.
    pub(super) fn launch(&mut self, seq: &Sequencer, emitted: [Option<u8>; 6], cycle: u64) {
        self.last = LastCycle { held: self.held.clone(), emitted, ..LastCycle::default() };
        (self.last.running, self.last.active_loops) = (seq.running(), seq.active_loops());
        self.launch_refi(seq, cycle);
        let stage = &self.last.held.stage;
        let issued = stage.clone().filter(|_| seq.dpu().dpu_start);
        let message = only(stage, IssuedInstruction::sends);
        let perm = only(stage, |i| i.is(Opcode::Perm));
        if !seq.immediate() {
            self.held.dpu_shadow = issued.or(self.held.dpu_shadow.take());
            self.held.noc_shadow = message.or(self.held.noc_shadow.take());
            self.held.perm_shadow = perm.or(self.held.perm_shadow.take());
            return;
        }
        if let Some(instruction) = issued.or(self.held.dpu_shadow.take()) {
            instruction.release(cycle);
            self.held.dpu = Some(instruction);
            self.last.dpu_launched = true;
        }
        self.last.left = message.or(self.held.noc_shadow.take());
        release(&self.last.left, cycle);
        self.last.perm = perm.or(self.held.perm_shadow.take());
        release(&self.last.perm, cycle);
        release(&self.held.swb_iss, cycle);
        if let Some(input) = self.held.swb_iss.as_ref().and_then(|i| i.input()) {
            self.held.swb_cfg[input.index()] = self.held.swb_iss.clone();
        }
    }

    /// Launches the REFI in the stage and the REFIs that wait for a flag, or lets the REFI in the stage wait.
    fn launch_refi(&mut self, seq: &Sequencer, cycle: u64) {
        let hit = selected(seq.refi());
        for &agu in AguId::ALL {
            let k = agu.index();
            let arriving = self.held.stage.clone().filter(|_| hit == Some(agu));
            if seq.immediate() {
                if let Some(refi) = arriving.or(self.held.rf_shadow[k].take()) {
                    refi.release(cycle);
                    self.agu[k] = Some(refi);
                }
            } else if arriving.is_some() {
                self.held.rf_shadow[k] = arriving;
            }
        }
    }

    /// Updates the causes for the instruction at the program counter, which is decoded.
    pub(super) fn decode(&mut self, decoded: Cause, seq: &Sequencer, cycle: u64) {
        self.held.stage = decoded.clone();
        if decoded.is_some() {
            self.current = decoded.clone();
        }
        let (mut raccu, mut looped) = (None, None);
        if let Some(instruction) = &decoded {
            let words = &instruction.words;
            match instruction.opcode() {
                Some(
                    Opcode::Refi
                    | Opcode::Dpu
                    | Opcode::Route
                    | Opcode::Sram
                    | Opcode::Io
                    | Opcode::Perm,
                ) => {}
                Some(Opcode::Swb) if swb::UNUSED0.is_set(words) => {
                    self.held.swb_iss = decoded.clone()
                }
                Some(Opcode::Raccu) if raccu::MODE.get(words) != 0 => raccu = decoded.clone(),
                Some(Opcode::Loop) => {
                    looped = decoded.clone();
                    let iter = loop_::ITER.get(words) as usize;
                    let dynamic = loop_::ITER_SD.is_set(words);
                    self.skips = if dynamic {
                        seq.raccu_reg(iter % 16).is_multiple_of(64)
                    } else {
                        iter == 0
                    };
                }
                Some(Opcode::Bw) => {
                    self.bw = decoded.clone();
                    instruction.release(cycle);
                }
                None
                | Some(
                    Opcode::Halt
                    | Opcode::Swb
                    | Opcode::Jump
                    | Opcode::Wait
                    | Opcode::Raccu
                    | Opcode::Branch,
                ) => instruction.release(cycle),
            }
        }
        // RACCU and LOOP are executed in the cycle of the flag.
        if seq.imem_imm(seq.pc().into()) {
            self.last.raccu = raccu.or(self.sh_raccu.take());
            self.last.looped = looped.or(self.sh_loop.take());
            release(&self.last.raccu, cycle);
            release(&self.last.looped, cycle);
        } else {
            self.sh_raccu = raccu.or(self.sh_raccu.take());
            self.sh_loop = looped.or(self.sh_loop.take());
        }
        self.step_loops(seq);
    }

    /// Finds the slot whose end the program counter has reached, and updates the slot that a LOOP sets up.
    fn step_loops(&mut self, seq: &Sequencer) {
        let active = |k: &usize| self.last.active_loops >> k & 1 == 1;
        let at_end = |l: &IssuedInstruction| loop_::ENDPC.get(&l.words) == u64::from(seq.pc());
        self.last.loop_end = (0..4).rev().filter(active).find_map(|k| only(&self.slots[k], at_end));
        // A LOOP without iterations does not change the slot.
        if let Some(looped) = self.last.looped.as_ref().filter(|_| !self.skips) {
            let slot = loop_::LOOPID.get(&looped.words) as usize;
            self.slots[slot] = Some(Rc::clone(looped));
        }
    }
}

fn release(cause: &Cause, cycle: u64) {
    if let Some(instruction) = cause {
        instruction.release(cycle);
    }
}
