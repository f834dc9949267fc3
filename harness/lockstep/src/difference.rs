// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading registers, and comparing them.

use drra_fabric::{Layout, Location, Register, Variable, ports::Block};
use drra_golden::Fabric;
use drra_isa::{TileId, Unit};

use crate::value::Value;

/// A source of registers that can be read as images.
pub trait StateSource {
    /// Copies the registers of a unit, as of the current cycle, into `image`; [`Layout`] defines the positions of the
    /// words.
    fn read(&self, unit: Unit, image: &mut Vec<u64>);

    /// Sets a 1 in `image` for every bit of [`Self::read`] that is unknown or not shown; an empty image means that
    /// there are none.
    fn unknown(&self, _unit: Unit, image: &mut Vec<u64>) {
        image.clear();
    }

    /// True if the design shows a register, or a memory row of a tile, at all. State that the design does not show is
    /// not compared, and its bits are not counted as compared.
    fn shows(&self, _unit: Unit, _register: Register) -> bool {
        true
    }

    /// True only if [`Self::shows`] is true for everything. The shown bits then need not be counted; counting them
    /// would take 3 % of the time of a campaign of short cases.
    fn shows_all(&self) -> bool {
        false
    }

    /// A memory row of a tile.
    fn sram_block(&self, tile: TileId, row: usize) -> Block;
}

impl StateSource for Fabric {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        image.clear();
        image.extend_from_slice(self.image(unit));
    }

    fn sram_block(&self, tile: TileId, row: usize) -> Block {
        self.sram(tile)[row]
    }
}

/// A register that differs between the two sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The register, or the memory row of a tile.
    pub location: Location,
    /// Value in the golden model.
    pub golden: Value,
    /// Value in the design.
    pub dut: Value,
}

/// True if a variable is not compared in this cycle, because it is undefined.
pub fn hidden(golden: &Fabric, unit: Unit, variable: &Variable) -> bool {
    undefined(golden.layout(), variable, golden.image(unit))
}

/// True if a variable is undefined in an image of its unit: the data read from a memory are defined only while valid.
pub(crate) fn undefined(layout: &Layout, variable: &Variable, image: &[u64]) -> bool {
    let Some(condition) = variable.group.compared_while() else { return false };
    layout.value(condition, image).is_some_and(|words| words.iter().all(|word| *word == 0))
}

/// True if all registers that the design shows agree, not counting the tile memories.
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

/// All registers and memory rows that differ, in table order.
pub fn differences<D: StateSource + ?Sized>(dut: &D, golden: &Fabric) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut image = Vec::new();
    let layout = golden.layout();
    for unit in layout.units() {
        dut.read(unit, &mut image);
        let of_unit = between(layout, unit, golden.image(unit), &image);
        found.extend(of_unit.filter_map(|(variable, difference)| {
            let shown = dut.shows(unit, difference.location.register);
            (shown && !hidden(golden, unit, variable)).then_some(difference)
        }));
        if let Unit::Tile(tile) = unit {
            let rows = golden.sram(tile).iter().enumerate();
            let shown = rows.filter(|(row, _)| dut.shows(unit, Register::TileSram(*row)));
            let differing = shown.filter(|(row, block)| dut.sram_block(tile, *row) != **block);
            found.extend(differing.map(|(row, block)| Difference {
                location: sram_row(tile, row),
                golden: Value::new(block, 256),
                dut: Value::new(dut.sram_block(tile, row), 256),
            }));
        }
    }
    found
}

/// The registers that differ between two images of a unit, with their variables, in table order.
pub fn between<'a>(
    layout: &'a Layout,
    unit: Unit,
    golden: &'a [u64],
    dut: &'a [u64],
) -> impl Iterator<Item = (&'a Variable, Difference)> {
    let equal = golden == dut;
    let variables = layout.variables_of(unit.kind()).filter(move |_| !equal);
    variables.flat_map(move |variable| {
        let (ours, theirs) = (variable.words(golden), variable.words(dut));
        let fields = variable.fields.iter().filter(move |_| ours != theirs);
        fields.filter_map(move |field| {
            let (golden, dut) = (field.value(ours), field.value(theirs));
            let location = Location { unit, register: field.register };
            (golden != dut).then(|| {
                let [golden, dut] = [golden, dut].map(|words| Value::new(words, field.width));
                (variable, Difference { location, golden, dut })
            })
        })
    })
}

/// The location of a memory row of a tile.
pub(crate) fn sram_row(tile: TileId, row: usize) -> Location {
    let register: Register = Register::TileSram(row);
    Location { unit: Unit::Tile(tile), register }
}
