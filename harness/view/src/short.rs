// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions in a few words: what an instruction is for. The listing has all fields.

use drra_isa::{CellId, DecodedInstruction, Opcode, Operand, Revision, instructions::DpuMode};
use drra_report::{data::ProgramLine, text};

use crate::spans::INPUTS;

/// An instruction of a cell in a few words.
pub(crate) fn short(cell: CellId, line: &ProgramLine) -> String {
    let (words, io_cell) = (&line.instruction.words, line.instruction.io_cell);
    let decoded = drra_isa::decode(Revision::R4.isa(), words, io_cell);
    let (Some(decoded), Some(opcode)) = (decoded, line.instruction.opcode()) else {
        return line.instruction.text();
    };
    let fields = Fields(decoded);
    let text = match opcode {
        Opcode::Swb => fields.connection(cell),
        opcode => fields.fill(fields.form(opcode)),
    };
    // A deferred instruction waits for the flag of a later one.
    let later = if line.immediate { "" } else { "later: " };
    format!("{later}{opcode} {text}").trim_end().to_owned()
}

/// The fields of an instruction.
struct Fields<'a>(DecodedInstruction<'a>);

impl Fields<'_> {
    fn raw(&self, name: &str) -> usize {
        self.0.value(name).unwrap_or_default() as usize
    }

    /// What an instruction is for: the name of a field in braces stands for its value. With a noun after a `+`, the field
    /// gives a number minus one.
    fn form(&self, opcode: Opcode) -> &'static str {
        let info = DpuMode::from_bits(self.raw("mode") as u64).info();
        let constant = info.operands[0].union(info.operands[1]).contains(Operand::Const);
        match opcode {
            Opcode::Refi if self.raw("dimarch") == 0 => {
                "{port_no} from {init_addr}, {l2_iter+time} {l1_iter+word}"
            }
            Opcode::Refi if self.raw("port_no") == 0 => {
                "wb from {init_addr}, {l2_iter+time} {l1_iter+block}"
            }
            Opcode::Refi => "rb from {init_addr}, {l2_iter+time} {l1_iter+block}",
            Opcode::Dpu if constant => "{mode}, constant {acc_clear}",
            Opcode::Dpu if info.counts && self.raw("acc_clear") > 0 => {
                "{mode}, clears after {acc_clear}"
            }
            Opcode::Dpu => "{mode}",
            Opcode::Wait => "{cycle+cycle}",
            Opcode::Loop => "{loopid}: {iter} times to {endpc}",
            Opcode::Raccu => "{mode} {operand1}, {operand2} to R{result}",
            Opcode::Branch => "{mode}, else to {false_pc}",
            Opcode::Jump => "to {pc}",
            Opcode::Route => {
                "{direction}, {vertical_hops} {vertical_dir}, {horizontal_hops} {horizontal_dir}"
            }
            Opcode::Sram => "{rw} from {init_addr}, {l2_iter+time} {l1_iter+row}",
            Opcode::Io => "{rw} from {init_addr}, {l1_iter+block}",
            Opcode::Perm => "{mode} {distance} in block {block}",
            Opcode::Bw => "{config}",
            Opcode::Halt | Opcode::Swb => "",
        }
    }

    fn fill(&self, form: &str) -> String {
        let mut text = String::new();
        for part in form.split('{') {
            let (name, rest) = part.split_once('}').unwrap_or(("", part));
            let (name, noun) = name.split_once('+').unwrap_or((name, ""));
            let value = self.text(name);
            text += &match value.parse::<u64>() {
                _ if noun.is_empty() => value,
                Ok(0) if noun == "time" => String::new(),
                Ok(number) => text::counted(number + 1, noun),
                Err(_) => format!("{value} + 1 {noun}s"),
            };
            text += if text.ends_with(' ') { rest.trim_start() } else { rest };
        }
        text
    }

    /// The value of a field: register, name or number.
    fn text(&self, name: &str) -> String {
        let Some(at) = self.0.instruction.field_index(name) else { return String::new() };
        let (field, value) = (&self.0.instruction.fields[at], self.0.values[at]);
        // Another field has the upper bits.
        let high = (self.raw(&format!("{name}_ext")) << field.width) as i64;
        match field.value_name(value) {
            _ if field.selector.is_some_and(|s| self.0.values[s] != 0) => {
                format!("R{}", value % 16)
            }
            Some("r") => "read".to_owned(),
            Some("w") if name != "horizontal_dir" => "write".to_owned(),
            Some(name) => name.to_owned(),
            None => (field.number(value) + high).to_string(),
        }
    }

    /// The connection that an SWB makes: `r0 -> in0`, `r1 of (0,1) -> in1`, `in1 off`.
    fn connection(&self, cell: CellId) -> String {
        let input = INPUTS.get(self.raw("v_index")).unwrap_or(&"no input");
        let row = cell.row() ^ self.raw("send_to_other_row");
        let column = cell.col() + self.raw("hb_index");
        let lane = format!("{}{}", ["r", "out"][self.raw("src_block")], self.raw("src_port"));
        match self.raw("hb_index") {
            2 if row == cell.row() => format!("{lane} -> {input}"),
            0..=4 => format!("{lane} of ({row},{}) -> {input}", column as i64 - 2),
            _ => format!("{input} off"),
        }
    }
}
