// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comparison of registers by reading them.

use drra_golden::Fabric;
use drra_golden::Group;
use drra_golden::Owner;
use drra_golden::Unit;

use crate::dut::Dut;

/// One difference between the two sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Owner of the register.
    pub unit: Unit,
    /// Path without the owner.
    pub register: String,
    /// Width in bits.
    pub width: u32,
    /// Value in the golden model, low word first.
    pub golden: Vec<u64>,
    /// Value in the RTL.
    pub rtl: Vec<u64>,
}

/// Whether a group is not compared in this cycle: what a memory has read counts only while it is valid.
fn hidden(golden: &Fabric, unit: Unit, group: &Group) -> bool {
    unit.owner == Owner::Tile && group.name == "mem_q" && !golden.mem_rvalid(unit.index)
}

/// True if all registers that the design shows agree, the memories of the tiles apart.
pub fn agrees<D: Dut + ?Sized>(dut: &D, golden: &Fabric) -> bool {
    let mut theirs = Vec::new();
    let layout = golden.layout();
    layout.units().into_iter().all(|unit| {
        dut.read(unit, &mut theirs);
        let ours = golden.image(unit.owner, unit.index);
        ours == theirs
            || layout.groups_of(unit.owner).all(|group| {
                let (ours, theirs) = (group.words(ours), group.words(&theirs));
                ours == theirs
                    || hidden(golden, unit, group)
                    || group.registers.iter().all(|register| {
                        register.value(ours) == register.value(theirs) || !dut.shows(unit, register)
                    })
            })
    })
}

/// All registers and rows of memories that differ, in table order.
pub fn differences<D: Dut + ?Sized>(dut: &D, golden: &Fabric) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut rtl = Vec::new();
    let layout = golden.layout();
    for unit in layout.units() {
        dut.read(unit, &mut rtl);
        let image = golden.image(unit.owner, unit.index);
        for group in layout.groups_of(unit.owner) {
            let (ours, theirs) = (group.words(image), group.words(&rtl));
            if ours == theirs || hidden(golden, unit, group) {
                continue;
            }
            for register in group.registers.iter().filter(|r| dut.shows(unit, r)) {
                let (golden, rtl) = (register.value(ours), register.value(theirs));
                if golden != rtl {
                    let (register, width) = (register.path.clone(), register.width);
                    found.push(Difference { unit, register, width, golden, rtl });
                }
            }
        }
        if unit.owner == Owner::Tile {
            for (row, ours) in golden.sram(unit.index).iter().enumerate() {
                if !dut.sram_row_agrees(golden, unit.index, row) {
                    found.push(Difference {
                        unit,
                        register: format!("sram[{row}]"),
                        width: 256,
                        golden: ours.to_vec(),
                        rtl: dut.sram_block(unit.index, row).to_vec(),
                    });
                }
            }
        }
    }
    found
}
