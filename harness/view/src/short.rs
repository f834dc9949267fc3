// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions in a few words: what an instruction is for. The listing has all fields.

use drra_isa::{
    CellId, DecodedInstruction, Opcode, Operand, Revision,
    instructions::{DpuMode, RaccuMode},
};
use drra_report::data::ProgramLine;

/// An instruction of a cell in a few words.
pub(crate) fn short(cell: CellId, line: &ProgramLine) -> String {
    let (words, io_cell) = (&line.instruction.words, line.instruction.io_cell);
    let decoded = drra_isa::decode(Revision::R4.isa(), words, io_cell);
    let (Some(decoded), Some(opcode)) = (decoded, line.instruction.opcode()) else {
        return line.instruction.text();
    };
    let text = format!("{opcode} {}", Fields(decoded).purpose(cell, opcode));
    // A deferred instruction waits for the flag of a later one.
    let later = if line.immediate { "" } else { "later: " };
    format!("{later}{}", text.trim_end())
}

/// The fields of an instruction.
struct Fields<'a>(DecodedInstruction<'a>);

impl Fields<'_> {
    fn raw(&self, name: &str) -> u64 {
        self.0.value(name).unwrap_or_default()
    }

    /// The value of a field; `high` are the upper bits of a number, which another field contains.
    fn wide(&self, name: &str, high: u64) -> String {
        let Some(at) = self.0.instruction.field_index(name) else { return String::new() };
        let (field, value) = (&self.0.instruction.fields[at], self.0.values[at]);
        match field.value_name(value) {
            _ if field.selector.is_some_and(|s| self.0.values[s] != 0) => {
                format!("R{}", value % 16)
            }
            Some(name) => name.to_owned(),
            None => (field.number(value) + (high << field.width) as i64).to_string(),
        }
    }

    fn text(&self, name: &str) -> String {
        self.wide(name, 0)
    }

    /// A number that a field gives minus one: `12`, `R3 + 1`.
    fn number(&self, name: &str, high: u64) -> String {
        let text = self.wide(name, high);
        text.parse::<i64>().map_or_else(|_| format!("{text} + 1"), |n| (n + 1).to_string())
    }

    /// The number of accesses of a pattern: `1 word`, `2 x 16 words`.
    fn accesses(&self, noun: &str, high: u64) -> String {
        let inner = self.number("l1_iter", 0);
        // An IO has no outer level.
        let outer = self.0.instruction.field_index("l2_iter").map(|_| self.number("l2_iter", high));
        match outer.filter(|outer| outer != "1") {
            Some(outer) => format!("{outer} x {inner} {noun}s"),
            None if inner == "1" => format!("1 {noun}"),
            None => format!("{inner} {noun}s"),
        }
    }

    fn purpose(&self, cell: CellId, opcode: Opcode) -> String {
        let text = |name| self.text(name);
        let way = |name| if self.raw(name) == 0 { "read" } else { "write" };
        match opcode {
            Opcode::Refi => {
                let block = self.raw("dimarch") == 1;
                let (port, noun) = match text("port_no") {
                    port if block => (port.replace(['0', '1'], "b"), "block"),
                    port => (port, "word"),
                };
                let accesses = self.accesses(noun, self.raw("l2_iter_ext"));
                format!("{port} from {}, {accesses}", text("init_addr"))
            }
            Opcode::Swb => self.connection(cell),
            Opcode::Dpu => {
                let mode = DpuMode::from_bits(self.raw("mode"));
                let info = mode.info();
                let constant = info.operands[0].union(info.operands[1]).contains(Operand::Const);
                match self.raw("acc_clear") {
                    groups if info.counts && groups > 0 => {
                        format!("{}, clears after {groups}", mode.name())
                    }
                    value if constant => format!("{}, constant {value}", mode.name()),
                    _ => mode.name().to_owned(),
                }
            }
            Opcode::Wait if self.text("cycle") == "0" => "1 cycle".to_owned(),
            Opcode::Wait => format!("{} cycles", self.number("cycle", 0)),
            Opcode::Loop => {
                format!("{}: {} times to {}", text("loopid"), text("iter"), text("endpc"))
            }
            Opcode::Raccu => self.arithmetic(),
            Opcode::Branch => format!("{}, else to {}", text("mode"), text("false_pc")),
            Opcode::Jump => format!("to {}", text("pc")),
            Opcode::Route => {
                let hops =
                    [("vertical_hops", "vertical_dir"), ("horizontal_hops", "horizontal_dir")];
                let hops = hops.into_iter().filter(|(hops, _)| self.raw(hops) > 0);
                let hops = hops.map(|(hops, to)| format!(", {} {}", self.raw(hops), text(to)));
                format!("{}{}", way("direction"), hops.collect::<String>())
            }
            Opcode::Sram | Opcode::Io => {
                let noun = if opcode == Opcode::Sram { "row" } else { "block" };
                format!("{} from {}, {}", way("rw"), text("init_addr"), self.accesses(noun, 0))
            }
            Opcode::Perm => {
                format!("{} {} in block {}", text("mode"), text("distance"), text("block"))
            }
            Opcode::Bw => text("config"),
            Opcode::Halt => String::new(),
        }
    }

    /// The connection that an SWB makes: `r0 -> in0`, `r1 of (0,1) -> in1`, `in1 off`.
    fn connection(&self, cell: CellId) -> String {
        let raw = |name| self.raw(name) as usize;
        let input = match raw("v_index") {
            port @ 0..2 => format!("w{port}"),
            input => format!("in{}", input - 2),
        };
        if raw("hb_index") > 4 {
            return format!("{input} off");
        }
        let (row, column) = (cell.row() ^ raw("send_to_other_row"), cell.col() + raw("hb_index"));
        let unit = if raw("src_block") == 0 { "r" } else { "out" };
        let other = (row, column) != (cell.row(), cell.col() + 2);
        let of = if other { format!(" of ({row},{})", column as i64 - 2) } else { String::new() };
        format!("{unit}{}{of} -> {input}", raw("src_port"))
    }

    /// The operation of a RACCU: `R3 = R3 + 1`.
    fn arithmetic(&self) -> String {
        let (to, a, b) = (self.text("result"), self.text("operand1"), self.text("operand2"));
        let (sign, rest) = match RaccuMode::from_bits(self.raw("mode")) {
            RaccuMode::Idle => return "idle".to_owned(),
            RaccuMode::Add => ("+", String::new()),
            RaccuMode::Sub => ("-", String::new()),
            RaccuMode::ShiftR => (">>", String::new()),
            RaccuMode::ShiftL => ("<<", String::new()),
            RaccuMode::Mult => ("*", String::new()),
            RaccuMode::MultAdd => ("*", format!(" + R{to}")),
            RaccuMode::MultSub => ("*", format!(" - R{to}")),
        };
        format!("R{to} = {a} {sign} {b}{rest}")
    }
}
