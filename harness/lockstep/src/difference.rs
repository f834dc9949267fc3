// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comparison of registers by reading them.

use drra_golden::Fabric;
use drra_isa::{
    TileId, Unit,
    fabric::{Location, Register, Variable},
};

use crate::{state_source::StateSource, value::Value};

/// A register that differs between the two sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The register, or row of a tile's memory.
    pub location: Location,
    /// Value in the golden model.
    pub golden: Value,
    /// Value in the design.
    pub dut: Value,
}

/// Whether a variable is not compared in this cycle: what a memory has read counts only while it is valid.
pub fn hidden(golden: &Fabric, unit: Unit, variable: &Variable) -> bool {
    let Some(condition) = variable.group.compared_while() else { return false };
    let value = golden.value(Location { unit, register: condition });
    value.is_some_and(|words| words.iter().all(|word| *word == 0))
}

/// True if all registers that the design shows agree, the memories of the tiles apart.
pub fn agrees<D: StateSource + ?Sized>(dut: &D, golden: &Fabric) -> bool {
    let mut theirs = Vec::new();
    let layout = golden.layout();
    layout.units().all(|unit| {
        dut.read(unit, &mut theirs);
        let ours = golden.image(unit);
        ours == theirs
            || layout.variables_of(unit.kind()).all(|variable| {
                let (ours, theirs) = (variable.words(ours), variable.words(&theirs));
                ours == theirs
                    || hidden(golden, unit, variable)
                    || variable.fields.iter().all(|field| {
                        field.value(ours) == field.value(theirs) || !dut.shows(unit, field.register)
                    })
            })
    })
}

/// All registers and rows of memories that differ, in table order.
pub fn differences<D: StateSource + ?Sized>(dut: &D, golden: &Fabric) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut image = Vec::new();
    let layout = golden.layout();
    for unit in layout.units() {
        dut.read(unit, &mut image);
        let golden_image = golden.image(unit);
        for variable in layout.variables_of(unit.kind()) {
            let (ours, theirs) = (variable.words(golden_image), variable.words(&image));
            if ours == theirs || hidden(golden, unit, variable) {
                continue;
            }
            for field in variable.fields.iter().filter(|f| dut.shows(unit, f.register)) {
                let (golden, dut) = (field.value(ours), field.value(theirs));
                if golden != dut {
                    found.push(Difference {
                        location: Location { unit, register: field.register },
                        golden: Value::new(golden, field.width),
                        dut: Value::new(dut, field.width),
                    });
                }
            }
        }
        if let Unit::Tile(tile) = unit {
            let rows = golden.sram(tile).iter().enumerate();
            let shown = rows.filter(|(row, _)| dut.shows(unit, Register::TileSram(*row)));
            let differing = shown.filter(|(row, block)| dut.sram_block(tile, *row) != **block);
            found.extend(differing.map(|(row, block)| Difference {
                location: sram_row(tile, row),
                golden: Value::new(block.to_vec(), 256),
                dut: Value::new(dut.sram_block(tile, row).to_vec(), 256),
            }));
        }
    }
    found
}

/// Where a row of a tile's memory is.
pub(crate) fn sram_row(tile: TileId, row: usize) -> Location {
    let register: Register = Register::TileSram(row);
    Location { unit: Unit::Tile(tile), register }
}
