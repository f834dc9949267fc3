// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decode of an instruction (chapter 2, section 6 and the code of section 10).

use drra_fabric::{
    MessageKind, fields,
    images::{AguCfg, DpuInstr, NocIssue, SeqRefi, SeqShLoop, SeqShRaccu},
};
use drra_isa::{
    InstructionField, Opcode,
    instructions::{
        BwConfig, DpuControl, DpuIoChange, DpuMode, RaccuMode, RefiPortNo, branch, bw, dpu, io,
        jump, loop_, raccu, refi, route, sram, wait,
    },
};

/// The effect of an instruction, `d` in the chapter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InstructionEffect {
    pub(crate) halt: bool,
    /// `target` of 5.2: number of cycles of a WAIT, minus one.
    pub(crate) wait: Option<u16>,
    /// Number of words of the instruction.
    pub(crate) adv: u8,
    pub(crate) jump: Option<u8>,
    pub(crate) raccu: SeqShRaccu,
    pub(crate) lp: SeqShLoop,
    /// New values of the REFI outputs; if `cfg_start` is 0, the others hold.
    pub(crate) refi: SeqRefi,
    pub(crate) dpu: Option<DpuInstr>,
    pub(crate) bw: Option<BwConfig>,
    pub(crate) swb: bool,
    pub(crate) noc: Option<NocIssue>,
    pub(crate) perm: bool,
}

/// `NOTHING`.
impl Default for InstructionEffect {
    fn default() -> Self {
        Self {
            halt: false,
            wait: None,
            adv: 1,
            jump: None,
            raccu: SeqShRaccu::default(),
            lp: SeqShLoop::default(),
            refi: SeqRefi::default(),
            dpu: None,
            bw: None,
            swb: false,
            noc: None,
            perm: false,
        }
    }
}

/// Decodes the three words starting at a program counter; `raccu` contains the registers of this cycle.
pub(crate) fn decode(
    pc: u8,
    mut words: [u32; 3],
    cond_status: u8,
    raccu: &[u8; 16],
    io_cell: bool,
) -> InstructionEffect {
    let mut d = InstructionEffect::default();
    let Some(opcode) = Opcode::of(words[0], io_cell) else {
        return d; // one word, no effect
    };
    let extra = |field: InstructionField| field.get(&words) as usize;
    let len = match opcode {
        Opcode::Refi => 1 + extra(refi::EXTRA) % 3, // 3 counts as 0
        Opcode::Loop => 1 + extra(loop_::EXTRA),
        Opcode::Sram | Opcode::Io => 3,
        _ => 1,
    };
    words[len..].fill(0);
    let i = FieldReader { words, len, raccu };
    d.adv = len as u8;
    match opcode {
        Opcode::Halt => d.halt = true,
        Opcode::Refi => d.refi = i.refi(),
        Opcode::Dpu => d.dpu = Some(i.dpu()),
        Opcode::Swb => d.swb = true,
        Opcode::Jump => d.jump = Some(i.small(jump::PC)),
        Opcode::Wait => d.wait = Some(i.operand(wait::CYCLE_SD, wait::CYCLE, full) as u16),
        Opcode::Loop => d.lp = i.loop_op(pc),
        Opcode::Bw => d.bw = Some(BwConfig::from_bits(i.get(bw::CONFIG))),
        Opcode::Raccu => d.raccu = i.raccu_op(),
        Opcode::Branch => {
            if i.small(branch::MODE) & cond_status == 0 {
                d.jump = Some(i.small(branch::FALSE_PC));
            }
        }
        Opcode::Route => d.noc = Some(i.route()),
        Opcode::Sram => d.noc = Some(i.sram()),
        Opcode::Io => d.noc = Some(i.io()),
        Opcode::Perm => d.perm = true,
    }
    d
}

// Conversions of the 7 bits of a RACCU register to an operand (6.2).

fn full(register: u8) -> u64 {
    register.into()
}

fn low6(register: u8) -> u64 {
    (register & 63).into()
}

fn low5(register: u8) -> u64 {
    (register & 31).into()
}

fn low4(register: u8) -> u64 {
    (register & 15).into()
}

/// `{r[6], r[4:0]}` (chapter 2, 6.2).
fn s6(register: u8) -> u64 {
    (register >> 6 << 5 | register & 31).into()
}

/// Sign-extended to 8 bits.
fn s8(register: u8) -> u64 {
    (register >> 6 << 7 | register).into()
}

/// The words of one instruction, with absent ones as 0, and the registers that its operands can name.
struct FieldReader<'a> {
    words: [u32; 3],
    len: usize,
    raccu: &'a [u8; 16],
}

impl FieldReader<'_> {
    fn get(&self, field: InstructionField) -> u64 {
        field.get(&self.words)
    }

    /// The low 8 bits of a field.
    fn small(&self, field: InstructionField) -> u8 {
        self.get(field) as u8
    }

    fn is_set(&self, field: InstructionField) -> bool {
        field.is_set(&self.words)
    }

    /// The register whose number is in the low 4 bits of a field.
    fn register(&self, field: InstructionField) -> u8 {
        self.raccu[usize::from(self.small(field) & 15)]
    }

    /// Operand substitution: the field or, if `sd` is set, the converted register that the field names.
    fn operand(
        &self,
        sd: InstructionField,
        field: InstructionField,
        convert: fn(u8) -> u64,
    ) -> u64 {
        if self.is_set(sd) { convert(self.register(field)) } else { self.get(field) }
    }

    /// Substitution of a 6-bit operand whose upper bits are in a separate field.
    fn extended(
        &self,
        sd: InstructionField,
        field: InstructionField,
        upper: InstructionField,
    ) -> u8 {
        if self.is_set(sd) { low6(self.register(field)) as u8 } else { self.joined(upper, field) }
    }

    /// Two fields that make up one value.
    fn joined(&self, upper: InstructionField, lower: InstructionField) -> u8 {
        self.small(upper) << lower.width() | self.small(lower)
    }

    fn refi(&self) -> SeqRefi {
        let six = |sd, field| self.operand(sd, field, low6) as u8;
        SeqRefi {
            cfg_start: true,
            cfg_port: RefiPortNo::from_bits(self.get(refi::PORT_NO)),
            cfg_dimarch: self.is_set(refi::DIMARCH),
            cfg: AguCfg {
                init_addr: six(refi::INIT_ADDR_SD, refi::INIT_ADDR),
                l1_iter: six(refi::L1_ITER_SD, refi::L1_ITER),
                init_delay: six(refi::INIT_DELAY_SD, refi::INIT_DELAY),
                l1_step: if self.len == 1 { 1 } else { six(refi::L1_STEP_SD, refi::L1_STEP) },
                l1_step_sign: self.is_set(refi::L1_STEP_SIGN),
                l1_delay: self.extended(refi::L1_DELAY_SD, refi::L1_DELAY, refi::L1_DELAY_EXT),
                l2_iter: self.extended(refi::L2_ITER_SD, refi::L2_ITER, refi::L2_ITER_EXT),
                l2_step: self.joined(refi::L2_STEP_EXT, refi::L2_STEP),
                l2_delay: six(refi::L2_DELAY_SD, refi::L2_DELAY),
            },
        }
    }

    fn dpu(&self) -> DpuInstr {
        DpuInstr {
            mode: DpuMode::from_bits(self.get(dpu::MODE)),
            control: DpuControl::from_bits(self.get(dpu::CONTROL)),
            cnst: self.small(dpu::ACC_CLEAR),
            io: DpuIoChange::from_bits(self.get(dpu::IO_CHANGE)),
        }
    }

    fn loop_op(&self, pc: u8) -> SeqShLoop {
        let operand = |sd, field, convert| self.operand(sd, field, convert) as u8;
        SeqShLoop {
            valid: true,
            id: self.small(loop_::LOOPID),
            start_pc: (pc + self.len as u8) & 63,
            end_pc: self.small(loop_::ENDPC),
            start: operand(loop_::START_SD, loop_::START, s6),
            iter: operand(loop_::ITER_SD, loop_::ITER, low6),
            step: if self.len == 1 { 1 } else { operand(loop_::STEP_SD, loop_::STEP, s6) },
            link: self.small(loop_::LINK),
        }
    }

    fn raccu_op(&self) -> SeqShRaccu {
        SeqShRaccu {
            mode: RaccuMode::from_bits(self.get(raccu::MODE)),
            a: self.operand(raccu::OPERAND1_SD, raccu::OPERAND1, full) as u8,
            b: self.operand(raccu::OPERAND2_SD, raccu::OPERAND2, full) as u8,
            dst: self.small(raccu::RESULT),
        }
    }

    fn route(&self) -> NocIssue {
        use fields::route as m;
        let write = self.get(route::DIRECTION);
        let payload = m::VERTICAL_DIR.put(self.get(route::VERTICAL_DIR))
            | m::VERTICAL_HOPS.put(self.get(route::VERTICAL_HOPS))
            | m::HORIZONTAL_DIR.put(self.get(route::HORIZONTAL_DIR))
            | m::HORIZONTAL_HOPS.put(self.get(route::HORIZONTAL_HOPS))
            | m::READ.put(1 - write)
            | m::SELECT_DRRA_ROW.put(self.get(route::SELECT_DRRA_ROW))
            | m::WRITE.put(write);
        NocIssue { valid: true, kind: MessageKind::Route, payload }
    }

    fn sram(&self) -> NocIssue {
        use fields::sram as m;
        let payload = m::ONE_59.put(1)
            | m::HOPS.put(self.get(sram::HOPS))
            | m::INIT_ADDR.put(self.operand(sram::INIT_ADDR_SD, sram::INIT_ADDR, full))
            | m::INIT_DELAY.put(self.operand(sram::INIT_DELAY_SD, sram::INIT_DELAY, low4))
            | m::L1_ITER.put(self.operand(sram::L1_ITER_SD, sram::L1_ITER, full))
            | m::L1_STEP.put(self.operand(sram::L1_STEP_SD, sram::L1_STEP, s8))
            | m::L1_DELAY.put(self.operand(sram::L1_DELAY_SD, sram::L1_DELAY, low6))
            | m::L2_ITER.put(self.operand(sram::L2_ITER_SD, sram::L2_ITER, full))
            | m::L2_STEP.put(self.operand(sram::L2_STEP_SD, sram::L2_STEP, s8))
            | m::L2_DELAY.put(self.operand(sram::L2_DELAY_SD, sram::L2_DELAY, low6))
            | m::RW.put(self.get(sram::RW));
        NocIssue { valid: true, kind: MessageKind::Sram, payload }
    }

    fn io(&self) -> NocIssue {
        use fields::io as m;
        let payload = m::RW.put(self.get(io::RW))
            | m::INIT_ADDR.put(self.operand(io::INIT_ADDR_SD, io::INIT_ADDR, full))
            | m::INIT_DELAY.put(self.operand(io::INIT_DELAY_SD, io::INIT_DELAY, low6))
            | m::L1_ITER.put(self.operand(io::L1_ITER_SD, io::L1_ITER, low5))
            | m::L1_STEP.put(self.operand(io::L1_STEP_SD, io::L1_STEP, low5))
            | m::L1_DELAY.put(self.get(io::L1_DELAY))
            | m::MASK.put(self.get(io::MASK));
        NocIssue { valid: true, kind: MessageKind::Io, payload }
    }
}
