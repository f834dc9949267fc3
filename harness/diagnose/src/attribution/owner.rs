// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who is responsible for a register: the rows of the state table (chapter 5, section 7) and what acts
//! on them.

use std::rc::Rc;

use drra_golden::Owner;
use drra_golden::Unit;

use super::AGUS;
use super::Attribution;
use super::Decoded;
use super::SIDES;
use super::Tag;
use super::code;
use super::index;
use super::key;
use super::offered;
use super::only;

impl Attribution {
    /// The instruction that is responsible for what a register became with the last edge: the one
    /// that acted on it in that cycle, else the one that set up its unit.
    pub fn owner(&self, unit: Unit, register: &str) -> Tag {
        match unit.owner {
            Owner::Cell => self.cell_owner(unit.index, register),
            Owner::Column => self.column_owner(unit.index, register),
            Owner::Tile => self.tile_owner(unit.index, register),
            Owner::Fabric => None,
        }
    }

    fn cell_owner(&self, cell: usize, register: &str) -> Tag {
        let c = &self.cells[cell];
        let last = &c.last;
        let block = register.split(['.', '[']).next().unwrap_or_default();
        let name = register.strip_prefix(block).unwrap_or_default().trim_start_matches('.');
        let staged = |code: u32| only(&last.stage, |d| d.is(code));
        match block {
            "seq" => self.sequencer_owner(cell, name),
            "swb" if name.starts_with("swb_cfg") => {
                let set = index(name).and_then(|v| c.swb_cfg[v].clone());
                first([last.swb_iss.clone(), set, c.current.clone()])
            }
            "noc" if name != "noc_stage" => first([
                only(&last.stage, Decoded::sends),
                last.noc_shadow.clone(),
                last.left.clone(),
            ]),
            "perm" if name != "perm_stage" => {
                first([staged(code::PERM), last.perm_shadow.clone(), last.perm.clone()])
            }
            "rf" if name.starts_with("mem") => self.word_owner(cell, index(name).unwrap_or(0)),
            "rf" => {
                let k = key(name).and_then(|k| AGUS.iter().position(|a| *a == k)).unwrap_or(0);
                let refi = staged(code::REFI);
                let (agu, shadow) = (c.agu[k].clone(), last.rf_shadow[k].clone());
                if name.starts_with("sh") {
                    let arrived = refi.clone().filter(|_| refi == c.rf_shadow[k] || refi == agu);
                    first([arrived, shadow, refi, agu])
                } else {
                    first([agu, shadow, refi])
                }
            }
            "dpu" => {
                let issued = staged(code::DPU);
                let (now, before) = (c.dpu.clone(), last.dpu.clone());
                match name {
                    "bw_reg" => c.bw.clone(),
                    _ if name.starts_with("sh_") => first([issued, last.dpu_shadow.clone(), now]),
                    "mode_reg" | "control_reg" | "const_reg" | "io_reg" => {
                        first([now, issued, last.dpu_shadow.clone()])
                    }
                    // A launch clears; otherwise the instruction in force computes.
                    "acc_cnt" | "pack_phase" if last.dpu_launched => now,
                    _ => first([before, now]),
                }
            }
            _ => c.current.clone(),
        }
    }

    fn sequencer_owner(&self, cell: usize, name: &str) -> Tag {
        let c = &self.cells[cell];
        let last = &c.last;
        let current = || c.current.clone();
        match name.split(['.', '[']).next().unwrap_or_default() {
            "imem" | "imem_imm" => None,
            "raccu_reg" => {
                let n = index(name).unwrap_or(0);
                // Slot k owns register 15-k.
                let slot = n.checked_sub(12).and_then(|k| c.slots[3 - k].clone());
                let here = only(&last.raccu, |d| d.bits(0, 4) == n);
                first([here, last.looped.clone(), slot, last.raccu.clone(), current()])
            }
            "loop" => {
                let slot = index(name).and_then(|k| c.slots[k].clone());
                first([last.looped.clone(), last.loop_end.clone(), slot, current()])
            }
            "sh_raccu" => first([c.sh_raccu.clone(), last.raccu.clone(), current()]),
            "sh_loop" => first([c.sh_loop.clone(), last.looped.clone(), current()]),
            "pc" | "pend_valid" | "pend_pc" => {
                let jumps =
                    |d: &Rc<Decoded>| matches!(d.code(), code::HALT | code::JUMP | code::BRANCH);
                match current() {
                    Some(d) if jumps(&d) => Some(d),
                    other => first([last.loop_end.clone(), other]),
                }
            }
            _ => current(),
        }
    }

    /// Who wrote a word with the last edge. Without a write of the golden model the RTL wrote on
    /// its own: whatever port was active may be why.
    fn word_owner(&self, cell: usize, word: usize) -> Tag {
        let c = &self.cells[cell];
        let last = &c.last;
        let emits = |k: usize| last.emitted[k].map(usize::from);
        let writer = match word {
            _ if emits(2) == Some(word / 16) => Some(2),
            _ if emits(0) == Some(word) => Some(0),
            _ if emits(1) == Some(word) => Some(1),
            _ if last.perm.is_some() => None,
            _ => [2, 0, 1].into_iter().find(|&k| emits(k).is_some()),
        };
        match writer {
            Some(k) => c.agu[k].clone(),
            None => first([
                last.perm.clone(),
                last.perm_shadow.clone(),
                last.stage.clone(),
                c.current.clone(),
            ]),
        }
    }

    fn column_owner(&self, col: usize, register: &str) -> Tag {
        let column = &self.columns[col];
        let cells = [&self.cells[col], &self.cells[self.cols + col]];
        let crossbar = || self.tiles[col].xbar.clone();
        let generator = |k: usize| {
            first([only(&column.io_msg_before, |d| d.generator() == k), column.io[k].clone()])
        };
        match register.split('.').next().unwrap_or_default() {
            "io_msg" => cells.into_iter().find_map(|c| c.last.left.clone()),
            "io_wr" => generator(1),
            "io_wdata" => cells
                .into_iter()
                .find_map(|c| c.agu[5].clone().filter(|_| c.last.emitted[5].is_some()))
                .or_else(crossbar),
            "blk_in_row1" | "blk_in_mask_row1" if !column.from_buffer => crossbar(),
            _ => generator(0),
        }
    }

    fn tile_owner(&self, tile: usize, register: &str) -> Tag {
        let t = &self.tiles[tile];
        let block = register.split(['.', '[']).next().unwrap_or_default();
        match block {
            "side" => {
                let x = key(register).and_then(|k| SIDES.iter().position(|s| *s == k));
                let x = x.unwrap_or(0);
                first([t.rx[x].clone(), t.route(), t.take_before[x].clone(), t.path[x].clone()])
            }
            "seg_w" | "seg_s" => t.route().or_else(|| {
                let neighbour = match block {
                    "seg_w" if !tile.is_multiple_of(self.cols) => tile - 1,
                    "seg_s" => tile.checked_sub(self.cols)?,
                    _ => return None,
                };
                self.tiles[neighbour].route()
            }),
            "xsel" => first([t.route(), t.xbar.clone()]),
            "xout" => t.xbar.clone(),
            "rd" | "wr" => {
                let k = usize::from(block == "wr");
                first([offered(&t.take_before, k), t.generators[k].clone()])
            }
            "mem_q" | "mem_rvalid" => t.generators[0].clone(),
            "sram" => t.generators[1].clone().filter(|_| t.wrote),
            _ => None,
        }
    }
}

/// The first that is there.
fn first<const N: usize>(tags: [Tag; N]) -> Tag {
    tags.into_iter().flatten().next()
}
