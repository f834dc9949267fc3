// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results that are rarely intended: values that wrap, the exponential of a positive number, a division by 0.

use drra_fabric::{CellInput, Lane, Register};
use drra_isa::{
    CellId,
    instructions::{BwConfig, DpuControl, DpuIoChange, DpuMode},
};

use super::{Now, RunWatch};
use crate::Kind;

impl RunWatch<'_> {
    /// The results that are taken in a cycle: without saturation, those that exceed 16 bits wrap (chapter 4, 5.4).
    pub(super) fn results(&mut self, now: &Now<'_>, cell: CellId, lane: Lane) {
        let channel = match lane {
            Lane::Dpu0 => 0,
            Lane::Dpu1 => 1,
            Lane::Rf0 | Lane::Rf1 => return,
        };
        let mode = now.fabric.dpu(cell).mode();
        let control = DpuControl::from_bits(now.register(cell, Register::DpuControlReg));
        let width = BwConfig::from_bits(now.register(cell, Register::DpuBwReg));
        let saturates = matches!(control, DpuControl::SatInt | DpuControl::SatFx);
        let narrow = mode.info().lanes && width != BwConfig::Int16;
        if !mode.info().saturates || !mode.info().outputs[channel] || saturates || narrow {
            return;
        }
        let sum = now.register(cell, Register::DpuAcc(channel)) as u32 as i32;
        // The operations MUL and MAC of channel 0; in the modes with both outputs, channel 1 has the same one.
        let scaled = control == DpuControl::NosatFx
            && matches!(
                mode,
                DpuMode::Mult
                    | DpuMode::MultConst
                    | DpuMode::MultAdd
                    | DpuMode::Mac
                    | DpuMode::MacInter
                    | DpuMode::Axpy
            );
        let result = if scaled { sum >> 11 } else { sum };
        if i16::try_from(result).is_err() {
            let by = self.attribution.dpu(cell);
            let text = format!("the result {result} of {} wraps to {}", mode.name(), result as i16);
            let place = (cell, "DPU", Register::DpuAcc(channel));
            self.add(Kind::Wraps, place, now.cycle, &by, text);
        }
    }

    /// The operands of the functions with a limited domain.
    pub(super) fn domains(&mut self, now: &Now<'_>, cell: CellId) {
        let operand = |input: CellInput| now.signals.cell(cell).input(input) as i16;
        let (in0, in1) = (i32::from(operand(CellInput::Dpu0)), operand(CellInput::Dpu1));
        let io = DpuIoChange::from_bits(now.register(cell, Register::DpuIoReg));
        let in0 = if io == DpuIoChange::NegateIn0 { -in0 } else { in0 };
        let (kind, text) = match now.fabric.dpu(cell).mode() {
            DpuMode::Expon if in0 > 0 => {
                (Kind::ExponPositive, format!("expon of {in0} is defined for values up to 0 only"))
            }
            DpuMode::Div if in1 == 0 => (Kind::DivisionByZero, format!("{in0} is divided by 0")),
            _ => return,
        };
        let by = self.attribution.dpu(cell);
        self.add(kind, (cell, "DPU", Register::DpuAcc(0)), now.cycle, &by, text);
    }
}
