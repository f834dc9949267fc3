// SPDX-License-Identifier: MIT OR Apache-2.0
//! What enters the blocks of a cell (chapters 2 to 5 and 7).

use drra_isa::{
    CellId,
    fabric::{AguId, GroupId, Key, SignalId, SignalId as S},
};
use drra_lockstep::SignalAt;

use super::{Found, Wiring};

/// What a decoder gets.
const FETCHED: [S; 7] =
    [S::Run, S::Fetch0, S::Fetch1, S::Fetch2, S::CondStatus, S::Raccu, S::IoCell];
/// What the load port of a cell brings.
const LOAD: [S; 4] = [S::LoadValid, S::LoadMatch, S::LoadInstr, S::LoadImm];
/// What a loop controller gets.
const LOOP: [S; 4] = [S::ImmNow, S::Waiting, S::LoopDec, S::Raccu];
/// What moves the program counter.
const CONTROL: [S; 6] = [S::Halt, S::Wait, S::WaitTarget, S::Adv, S::Jump, S::JumpPc];
/// What a channel of a DPU gets besides what it has of its own.
const ARITHMETIC: [S; 4] = [S::DpuLanes, S::DpuFx, S::DpuSat, S::DpuClear];
/// What it has of its own.
const OPERANDS: [S; 5] = [S::DpuOp, S::DpuX, S::DpuY, S::DpuAddendValid, S::DpuAddend];
/// What a launch in the DPU depends on.
const LAUNCH: [S; 2] = [S::ImmediateOut, S::DpuIssue];
/// What the scaler gets.
const SCALER: [S; 5] =
    [S::DpuScaleDown, S::DpuScaleUp, S::DpuScaleLanes, S::DpuLaunch, S::DpuConst];

impl Wiring<'_> {
    pub(super) fn enter_cell_register(
        &self,
        cell: CellId,
        group: GroupId,
        key: Key,
        found: &mut Found,
    ) {
        match group {
            GroupId::SeqCore => {
                found.of(cell, &[S::LoadValid, S::LoadMatch]);
                found.of(cell, &CONTROL);
                found.of(cell, &[S::LoopJump, S::LoopJumpPc]);
            }
            GroupId::SeqImem | GroupId::SeqImemImm => found.of(cell, &LOAD),
            GroupId::SeqShRaccu | GroupId::SeqRaccuReg => {
                found.of(cell, &[S::ImmNow, S::RaccuDec]);
                found.every(cell, &[S::IterWe, S::IterValue], self.geometry);
            }
            GroupId::SeqShLoop | GroupId::SeqLoop => found.of(cell, &LOOP),
            GroupId::SeqRefi => found.of(cell, &[S::RefiDec]),
            GroupId::SeqDpu => {
                found.of(cell, &[S::DpuDec, S::DpuDecInstr, S::BwDec, S::BwDecConfig]);
            }
            GroupId::SwbIss => found.of(cell, &[S::SwbDec, S::Word]),
            GroupId::PermPermStage => found.of(cell, &[S::PermDec, S::Word]),
            GroupId::SwbSwbCfg | GroupId::NocNocShadow | GroupId::PermPermShadow => {
                found.of(cell, &[S::ImmediateOut]);
            }
            GroupId::NocNocStage => found.of(cell, &[S::NocDec]),
            GroupId::RfMem => self.enter_word(cell, key.index(), found),
            GroupId::RfSh => {
                found.at(cell, &[S::AguHit], key);
                found.of(cell, &[S::ImmediateOut, S::Refi]);
            }
            GroupId::RfAguSt | GroupId::RfAguP => {
                found.at(cell, &[S::AguLaunch, S::AguLaunchCfg], key);
            }
            GroupId::DpuSh | GroupId::DpuCfg => found.of(cell, &LAUNCH),
            GroupId::DpuAcc | GroupId::DpuStatus | GroupId::DpuPrevOp => {
                found.at(cell, &OPERANDS, key);
                found.of(cell, &ARITHMETIC);
                if key.index() == 0 {
                    found.of(cell, &[S::DpuUnit]);
                }
            }
            GroupId::DpuIr0 => self.enter_conditioned(cell, 0, found),
            GroupId::DpuIr1 => self.enter_conditioned(cell, 2, found),
            GroupId::DpuSmReg => found.at(cell, &[S::DpuAccOut], 1),
            GroupId::DpuDivP1 => found.of(cell, &[S::DpuDividend, S::DpuDivisor]),
            GroupId::DpuPackReg | GroupId::DpuPackPhase => {
                found.of(cell, &SCALER);
                found.at(cell, &[S::DpuOperand], 0);
            }
            // Registers behind registers, and groups of other units.
            _ => {}
        }
    }

    /// The ports that write the word, then the others that write; what is not in use decides nothing.
    fn enter_word(&self, cell: CellId, word: usize, found: &mut Found) {
        let writers = [AguId::Wb, AguId::W0, AguId::W1];
        for agu in writers {
            found.at(cell, &[S::AguEn, S::AguAddr], agu);
        }
        found.of(cell, &[S::PermWe, S::PermGo, S::PermNew]);
        found.of(cell, &[S::RfInitWe, S::RfInitBlock, S::RfInitData]);
        let hits = |agu: AguId| {
            let at = self.emitted(cell, agu)?;
            Some(if agu == AguId::Wb { at == word / 16 } else { at == word })
        };
        let mut writing: Vec<AguId> =
            writers.into_iter().filter(|agu| hits(*agu).is_some()).collect();
        writing.sort_by_key(|agu| hits(*agu) != Some(true));
        for agu in writing {
            match agu {
                AguId::W0 => found.at(cell, &[S::RfWdata], 0),
                AguId::W1 => found.at(cell, &[S::RfWdata], 1),
                _ => found.of(cell, &[S::BlkWrite]),
            }
        }
    }

    /// An operand of the DPU with what may negate it.
    fn enter_conditioned(&self, cell: CellId, operand: usize, found: &mut Found) {
        found.of(cell, &LAUNCH);
        found.at(cell, &[S::DpuOperand], operand);
    }

    pub(super) fn enter_cell_signal(
        &self,
        cell: CellId,
        id: SignalId,
        key: Key,
        found: &mut Found,
    ) {
        match id {
            S::Halt
            | S::Wait
            | S::WaitTarget
            | S::Adv
            | S::Jump
            | S::JumpPc
            | S::SwbDec
            | S::PermDec
            | S::RaccuDec
            | S::LoopDec
            | S::RefiDec
            | S::DpuDec
            | S::DpuDecInstr
            | S::BwDec
            | S::BwDecConfig
            | S::NocDec => found.of(cell, &FETCHED),
            S::Waiting => found.of(cell, &[S::Wait, S::WaitTarget]),
            S::LoopJump | S::LoopJumpPc | S::IterWe | S::IterValue => found.of(cell, &LOOP),
            S::PermGo | S::CellNoc => found.of(cell, &[S::ImmediateOut]),
            S::PermWe | S::PermOld => found.of(cell, &[S::PermGo]),
            S::PermNew => found.of(cell, &[S::PermGo, S::PermOld]),
            S::AguHit => found.of(cell, &[S::Refi]),
            S::AguLaunch | S::AguLaunchCfg => {
                found.at(cell, &[S::AguHit], key);
                found.of(cell, &[S::ImmediateOut, S::Refi]);
            }
            S::AguEn | S::AguAddr => found.at(cell, &[S::AguLaunch, S::AguLaunchCfg], key),
            S::Busy => found.every(cell, &[S::AguActive], self.geometry),
            S::Rdata => {
                let agu = if key.index() == 0 { AguId::R0 } else { AguId::R1 };
                found.at(cell, &[S::AguEn, S::AguAddr], agu);
            }
            S::BlkRead => found.at(cell, &[S::AguEn, S::AguAddr], AguId::Rb),
            S::Wdata | S::DpuIn => {
                let input = SignalAt { unit: cell.into(), id, key }.as_input();
                if let Some((cell, input)) = input {
                    self.enter_input(cell, input, found);
                }
            }
            S::RfWdata => found.at(cell, &[S::Wdata], key),
            S::DpuOperand => found.at(cell, &[S::DpuIn], key),
            S::BlkWrite => found.of(cell.column(), &[S::TileDown]),
            S::DpuLaunch
            | S::DpuConst
            | S::DpuFx
            | S::DpuClear
            | S::DpuLanes
            | S::DpuSat
            | S::DpuScaleDown
            | S::DpuScaleUp
            | S::DpuScaleLanes => found.of(cell, &LAUNCH),
            S::DpuOp | S::DpuX | S::DpuY | S::DpuAddendValid | S::DpuAddend => {
                found.of(cell, &LAUNCH);
                found.every(cell, &[S::DpuFormat, S::DpuOperand], self.geometry);
            }
            S::DpuFormat => found.at(cell, &[S::DpuAccOut], key),
            S::DpuOpe => found.at(cell, &[S::DpuOp], 0),
            S::DpuSquash => {
                found.at(cell, &[S::DpuX], 0);
                found.of(cell, &[S::DpuOpe]);
            }
            S::DpuUnit => found.of(cell, &[S::DpuOpe, S::DpuSquash, S::DivP3Out]),
            S::DpuDividend | S::DpuDivisor => {
                found.of(cell, &[S::DpuOpe, S::DpuSquash]);
                found.at(cell, &[S::DpuX, S::DpuY], 0);
            }
            S::DpuOut => {
                found.of(cell, &LAUNCH);
                found.every(cell, &[S::DpuAccOut], self.geometry);
                found.of(cell, &[S::CondStatus, S::PackRegOut]);
            }
            // What registers alone make, and signals of other units.
            _ => {}
        }
    }
}
