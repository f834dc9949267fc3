// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of a recorded cycle by their paths, and what they mean in words.

use std::sync::Arc;

use drra_diagnose::attribution::AGUS;
use drra_diagnose::attribution::SIDES;
use drra_golden::Block;
use drra_golden::Layout;
use drra_golden::Owner;
use drra_golden::Unit;
use drra_isa::Geometry;
use drra_isa::Revision;

/// All registers of one side in one cycle, without the memories of the tiles.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// Images in the order of the units.
    pub(super) images: Vec<Vec<u64>>,
}

/// A frame with names.
#[derive(Clone, Copy)]
pub(super) struct Registers<'a> {
    pub(super) layout: &'a Arc<Layout>,
    pub(super) geometry: &'a Geometry,
    pub(super) frame: &'a Frame,
}

impl Registers<'_> {
    /// Place of a unit in the frame.
    fn position(&self, unit: Unit) -> usize {
        let g = self.geometry;
        unit.index
            + match unit.owner {
                Owner::Cell => 0,
                Owner::Column => g.cells(),
                Owner::Tile => g.cells() + g.columns,
                Owner::Fabric => g.cells() + g.columns + g.tiles(),
            }
    }

    /// The registers of a unit.
    pub(super) fn image(&self, unit: Unit) -> &[u64] {
        &self.frame.images[self.position(unit)]
    }

    /// Value and width of a register, `None` if there is no such register.
    pub(super) fn value(&self, unit: Unit, path: &str) -> Option<(Vec<u64>, u32)> {
        let image = self.image(unit);
        self.layout.groups_of(unit.owner).find_map(|group| {
            let register = group.registers.iter().find(|r| r.path == path)?;
            Some((register.value(group.words(image)), register.width))
        })
    }

    /// Low 64 bits of a register.
    ///
    /// # Panics
    /// If there is no such register.
    pub(super) fn low(&self, unit: Unit, path: &str) -> u64 {
        self.value(unit, path).unwrap_or_else(|| panic!("no register {path}")).0[0]
    }

    /// A register of 256 bits.
    pub(super) fn block(&self, unit: Unit, path: &str) -> Block {
        let value = self.value(unit, path).map_or_else(Vec::new, |v| v.0);
        std::array::from_fn(|i| value.get(i).copied().unwrap_or(0))
    }

    /// Registers whose paths are `pattern` or begin with it and go on with `.` or `[`.
    pub(super) fn matching(&self, unit: Unit, pattern: &str) -> Vec<(String, String)> {
        let image = self.image(unit);
        let mut found = Vec::new();
        for group in self.layout.groups_of(unit.owner) {
            for register in &group.registers {
                let rest = register.path.strip_prefix(pattern);
                if rest.is_some_and(|r| r.is_empty() || r.starts_with(['.', '['])) {
                    let value = register.value(group.words(image));
                    let meaning = meaning(unit.owner, &register.path, value[0]);
                    found.push((register.path.clone(), text(&value, register.width, meaning)));
                }
            }
        }
        found
    }

    /// The instruction at the program counter of a cell, with its address; `None` outside RUN.
    pub(super) fn instruction(&self, unit: Unit, io_cell: bool) -> Option<(u8, String)> {
        if self.low(unit, "seq.state") != 2 {
            return None;
        }
        let pc = self.low(unit, "seq.pc");
        let words: Vec<u64> =
            (0..3).map(|k| self.low(unit, &format!("seq.imem[{}]", (pc + k) % 64))).collect();
        let text = drra_isa::instruction_text(Revision::R4.isa(), &words, io_cell);
        Some((pc as u8, text))
    }

    /// What a unit does, in a line.
    pub(super) fn summary(&self, unit: Unit, io_cell: bool) -> String {
        let mut parts: Vec<String> = Vec::new();
        match unit.owner {
            Owner::Cell => {
                parts.push(match self.instruction(unit, io_cell) {
                    Some((pc, text)) => {
                        let name = text.split(' ').next().unwrap_or_default();
                        format!("RUN, {name} at {pc}")
                    }
                    None if self.low(unit, "seq.state") == 1 => "LOAD".to_owned(),
                    None => "idle".to_owned(),
                });
                let mode = self.low(unit, "dpu.mode_reg");
                if mode != 0 {
                    parts.push(format!("DPU {}", dpu_mode(mode)));
                }
                for k in AGUS {
                    let state = self.low(unit, &format!("rf.agu[{k}].state"));
                    if state != 0 {
                        let at = self.low(unit, &format!("rf.agu[{k}].addr_reg"));
                        parts.push(format!("{k} {} at {at}", agu_state(state)));
                    }
                }
            }
            Owner::Column => {
                for k in ["io_rd", "io_wr"] {
                    let state = self.low(unit, &format!("{k}.state"));
                    if state != 0 {
                        parts.push(format!("{k} {}", sram_agu_state(state)));
                    }
                }
            }
            Owner::Tile => {
                for k in SIDES {
                    if self.low(unit, &format!("side[{k}].active")) == 1 {
                        parts.push(format!("path enters at {k}"));
                    }
                }
                for k in ["rd", "wr"] {
                    let state = self.low(unit, &format!("{k}.state"));
                    if state != 0 {
                        let at = self.low(unit, &format!("{k}.addr"));
                        parts.push(format!("{k} {} at {at}", sram_agu_state(state)));
                    }
                }
            }
            Owner::Fabric => {}
        }
        if parts.is_empty() { "idle".to_owned() } else { parts.join("; ") }
    }
}

/// Value as hexadecimal text, with what it means or its decimal value.
pub(super) fn text(value: &[u64], width: u32, meaning: Option<&str>) -> String {
    let hex = Layout::hex(value, width);
    match meaning {
        Some(name) => format!("{hex} {name}"),
        None if width == 1 => value[0].to_string(),
        None if (5..=32).contains(&width) => format!("{hex} ({})", value[0]),
        None => hex,
    }
}

/// Name of a value of a register with named values.
pub(super) fn meaning(owner: Owner, path: &str, value: u64) -> Option<&'static str> {
    match (owner, path) {
        (Owner::Cell, "seq.state") => Some(["IDLE", "LOAD", "RUN", "-"][value as usize & 3]),
        (Owner::Cell, "dpu.mode_reg" | "dpu.sh_mode" | "seq.dpu_mode") => Some(dpu_mode(value)),
        (Owner::Cell, "seq.cfg_bw") => Some(["int16", "int8", "fx16", "int4"][value as usize & 3]),
        (Owner::Cell, _) if path.starts_with("rf.agu") && path.ends_with(".state") => {
            Some(agu_state(value))
        }
        (Owner::Cell, _) if path.starts_with("dpu.status") => {
            Some(["less", "greater", "equal", "-"][value as usize & 3])
        }
        (Owner::Tile | Owner::Column, _) if path.ends_with(".state") => Some(sram_agu_state(value)),
        (Owner::Tile, "seg_w" | "seg_s") => {
            Some(["CLOSED", "BACK", "AHEAD", "-"][value as usize & 3])
        }
        (Owner::Tile, _) if path.starts_with("xsel") => {
            Some(["N", "S", "E", "W", "MEM", "NONE", "-", "-"][value as usize & 7])
        }
        _ => None,
    }
}

/// Name of a DPU mode, from the description of the instruction set.
pub(super) fn dpu_mode(mode: u64) -> &'static str {
    let dpu = Revision::R4.isa().instructions.iter().find(|i| i.name == "DPU");
    dpu.and_then(|i| i.fields.iter().find(|f| f.name == "mode"))
        .and_then(|f| f.values.iter().find(|(key, _)| *key == mode))
        .map_or("-", |(_, name)| name)
}

/// Name of a state of an AGU (chapter 3, 6.1).
pub(super) fn agu_state(state: u64) -> &'static str {
    ["IDLE", "INIT_WAIT", "RUN", "ROW_WAIT", "ROW_START"]
        .get(state as usize)
        .copied()
        .unwrap_or("-")
}

/// Name of a state of an SRAM or I/O AGU (chapter 6, 7.1).
pub(super) fn sram_agu_state(state: u64) -> &'static str {
    ["IDLE", "INIT_WAIT", "RUN", "-"][state as usize & 3]
}
