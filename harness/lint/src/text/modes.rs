// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fields of a DPU that its mode does not use (chapter 4, 5.5 and section 6), and modes that work on 16 bits although
//! BW asks for narrower lanes (chapter 4, 4.3).

use drra_isa::{
    Opcode, Operand,
    instructions::{BwConfig, DpuIoChange, DpuMode},
};

use super::{Add, CellProgram, Instruction, Kind};

pub(super) fn check(program: &CellProgram<'_>, add: &mut Add<'_>) {
    let dpus = program.instructions.values().filter(|i| i.is(Opcode::Dpu));
    let dpus = dpus.map(|dpu| (dpu, DpuMode::from_bits(dpu.value("mode"))));
    // Words that the scaler packs and unpacks have 16 bits, whatever the BW (section 11).
    let has_scaler = dpus.clone().any(|(_, mode)| mode.info().scaler);
    for (dpu, mode) in dpus {
        for (field, used) in used_fields(dpu, mode) {
            let text = format!("{} has no effect, because {}", dpu.shown(field), dpu.shown("mode"));
            let ignored = !used && dpu.value(field) != 0;
            add(Kind::FieldIgnored, dpu, field, ignored.then_some(text));
        }
        if !has_scaler && !mode.info().lanes && !mode.info().is_idle() {
            add(Kind::WidthIgnored, dpu, "mode", narrow(program, dpu, mode));
        }
    }
}

/// The fields that some modes do not use, each with true if the mode uses it. Some modes use raw inputs, or negate them
/// themselves.
fn used_fields(dpu: &Instruction, mode: DpuMode) -> [(&'static str, bool); 2] {
    use DpuMode::{Axpy, LkRelu, Subt, SubtAbs};
    let info = mode.info();
    let has = |operand| info.operands.iter().any(|operands| operands.contains(operand));
    let changes = match DpuIoChange::from_bits(dpu.value("io_change")) {
        DpuIoChange::NoChange => true,
        DpuIoChange::NegateIn0 => has(Operand::In0) && !info.scaler && mode != LkRelu,
        DpuIoChange::NegateIn1 => has(Operand::In1) && ![Subt, SubtAbs, Axpy].contains(&mode),
        DpuIoChange::AbsOut => info.outputs != [false; 2],
    };
    [("acc_clear", info.counts || has(Operand::Const)), ("io_change", changes)]
}

/// The problem with a mode that works on 16 bits, if all BWs that can be in force ask for narrower lanes.
fn narrow(program: &CellProgram<'_>, dpu: &Instruction, mode: DpuMode) -> Option<String> {
    let is_bw = |i: &Instruction| i.is(Opcode::Bw);
    let bws = program.last_before(dpu, &is_bw);
    let mut lanes = bws.iter().map(|bw| BwConfig::from_bits(bw.value("config")));
    let narrow = lanes.all(|lanes| [BwConfig::Int8, BwConfig::Int4].contains(&lanes));
    let certain = narrow && !program.reached(None, &is_bw).contains(&dpu);
    let bw = bws.first().filter(|_| certain)?;
    let (place, config) = (bw.place(), bw.shown("config"));
    Some(format!("{mode} works on 16 bits, and the {place} sets {config}"))
}
