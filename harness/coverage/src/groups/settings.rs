// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the fields of one instruction say together, noted when it is decoded.

use drra_isa::{
    InstructionField, Opcode, Recipe, Wanted,
    instructions::{
        BwConfig, DpuControl, DpuIoChange, DpuMode, RaccuMode, dpu, io, loop_, perm, raccu, route,
        sram, swb,
    },
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{
    connections::Row,
    launches::{draw_levels, levels},
};
use crate::{
    cross::{Classes, Dimension, Directed, both, cross, numbered},
    decode::{Decode, NOWHERE},
};

cross! {
    /// Mode, control, change of operands or outputs, operand width.
    DpuConfigurations "DPU configuration" {
        mode: DpuMode = "mode",
        control: DpuControl = "control",
        change: DpuIoChange = "change",
        width: BwConfig = "width",
    }
}

impl DpuConfigurations {
    /// The bin of a decode.
    pub(crate) fn new(d: &Decode) -> Self {
        Self {
            mode: DpuMode::of(d.index(dpu::MODE)),
            control: DpuControl::of(d.index(dpu::CONTROL)),
            change: DpuIoChange::of(d.index(dpu::IO_CHANGE)),
            width: d.width,
        }
    }
}

impl Directed for DpuConfigurations {
    fn recipe(self, rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let mode = Wanted::dpu(self.mode.code().into()).with(&[
            (dpu::CONTROL, self.control.code().into()),
            (dpu::IO_CHANGE, self.change.code().into()),
            (dpu::ACC_CLEAR, rng.random_range(0..256)),
        ]);
        Some(Recipe::sequence([Wanted::bw(self.width.code().into()), mode]))
    }
}

cross! {
    /// Source lane and input, column of the source, row of the source.
    Switchbox "switchbox" {
        lanes: Lanes = "lanes",
        column: Column = "column" [
            "-2 columns", "-1 columns", "+0 columns", "+1 columns", "+2 columns",
        ],
        row: Row = "row",
    }
}

both! {
    /// A lane of a source and the input that it is connected to.
    Lanes "{source} to input {input}" {
        source: Source ["rf 0", "rf 1", "dpu 0", "dpu 1"],
        input: Input ["0", "1", "2", "3", "4", "5"],
    }
}

impl Switchbox {
    /// The bin of a decode; what disconnects, or names an input or column that does not exist, has
    /// none.
    pub(crate) fn new(d: &Decode) -> Option<Self> {
        let source = Source(2 * d.index(swb::SRC_BLOCK) + d.index(swb::SRC_PORT));
        let (input, column) = (Input(d.index(swb::V_INDEX)), Column(d.index(swb::HB_INDEX)));
        let row = Row(d.index(swb::SEND_TO_OTHER_ROW));
        let exists = input.0 < Input::count() && column.0 < Column::count();
        exists.then_some(Self { lanes: Lanes { source, input }, column, row })
    }
}

impl Directed for Switchbox {
    fn recipe(self, _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let Lanes { source: Source(source), input: Input(input) } = self.lanes;
        instruction(
            Opcode::Swb,
            &[
                (swb::SRC_BLOCK, source as u64 >> 1),
                (swb::SRC_PORT, source as u64 & 1),
                (swb::V_INDEX, input as u64),
                (swb::HB_INDEX, self.column.0 as u64),
                (swb::SEND_TO_OTHER_ROW, self.row.0 as u64),
            ],
        )
    }
}

cross! {
    /// Slot, active loops in other slots, iterations.
    Loops "loops" {
        slot: Slot = "slot" "slot {}" ["0", "1", "2", "3"],
        others: Others = "other loops" "{} others active" ["0", "1", "2", "3"],
        iterations: Iterations = "iterations" { 0 "skipped", 1 "once", 2 "several times"; 9 },
    }
}

impl Loops {
    /// The bin of a decode.
    pub(crate) fn new(d: &Decode) -> Self {
        let slot = d.get(loop_::LOOPID);
        Self {
            slot: Slot(slot as usize),
            others: Others(d.other_loops(slot)),
            iterations: Iterations::class(d.get(loop_::ITER)),
        }
    }
}

impl Directed for Loops {
    fn recipe(self, rng: &mut ChaCha8Rng) -> Option<Recipe> {
        // Slots that end where no program gets by itself stay active.
        let slot = |slot: Slot, iter| {
            let fields =
                [(loop_::LOOPID, slot.0 as u64), (loop_::ENDPC, NOWHERE), (loop_::ITER, iter)];
            Wanted::new(Opcode::Loop, &fields)
        };
        let others = Slot::all().filter(|other| *other != self.slot).take(self.others.0);
        let own = slot(self.slot, self.iterations.draw(rng));
        Some(Recipe::sequence(others.map(|other| slot(other, 3)).chain([own])))
    }
}

cross! {
    /// Mode, kinds of both operands.
    Raccu "RACCU" {
        mode: Arithmetic = "mode",
        operands: Operands = "operands",
    }
}

both! {
    /// Kinds of the operands.
    Operands "{first} and {second}" {
        first: Operand ["literal", "register"],
        second: Operand,
    }
}

numbered! {
    /// A mode of the RACCU by its code.
    Arithmetic, RaccuMode::ALL.len(), |k| format!("mode {k}")
}

impl Raccu {
    /// The bin of a decode.
    pub(crate) fn new(d: &Decode) -> Self {
        let [first, second] = [raccu::OPERAND1_SD, raccu::OPERAND2_SD].map(|f| Operand(d.index(f)));
        let operands = Operands { first, second };
        Self { mode: Arithmetic(d.index(raccu::MODE)), operands }
    }
}

impl Directed for Raccu {
    fn recipe(self, rng: &mut ChaCha8Rng) -> Option<Recipe> {
        instruction(
            Opcode::Raccu,
            &[
                (raccu::MODE, self.mode.0 as u64),
                (raccu::OPERAND1_SD, self.operands.first.0 as u64),
                (raccu::OPERAND2_SD, self.operands.second.0 as u64),
                (raccu::OPERAND1, rng.random_range(0..128)),
                (raccu::OPERAND2, rng.random_range(0..128)),
            ],
        )
    }
}

cross! {
    /// Direction of the data, vertical direction and moves, horizontal direction and moves.
    NocPaths "NoC path" {
        data: Data = "data" ["read", "write"],
        vertical: Vertical = "vertical moves",
        horizontal: Horizontal = "horizontal moves",
    }
}

both! {
    /// Vertical moves of a path.
    Vertical "{hops} {to}" {
        to: North ["south", "north"],
        hops: Rows { 0 "0", 1 "1", 2 "2 or more"; 8 },
    }
}

both! {
    /// Horizontal moves of a path.
    Horizontal "{hops} {to}" {
        to: East ["west", "east"],
        hops: Columns { 0 "0", 1 "1", 2 "2 or 3", 4 "4 or more"; 8 },
    }
}

impl NocPaths {
    /// The bin of a decode.
    pub(crate) fn new(d: &Decode) -> Self {
        let rows = Rows::class(d.get(route::VERTICAL_HOPS));
        let columns = Columns::class(d.get(route::HORIZONTAL_HOPS));
        Self {
            data: Data(d.index(route::DIRECTION)),
            vertical: Vertical { to: North(d.index(route::VERTICAL_DIR)), hops: rows },
            horizontal: Horizontal { to: East(d.index(route::HORIZONTAL_DIR)), hops: columns },
        }
    }
}

impl Directed for NocPaths {
    fn recipe(self, rng: &mut ChaCha8Rng) -> Option<Recipe> {
        instruction(
            Opcode::Route,
            &[
                (route::DIRECTION, self.data.0 as u64),
                (route::VERTICAL_DIR, self.vertical.to.0 as u64),
                (route::VERTICAL_HOPS, self.vertical.hops.draw(rng)),
                (route::HORIZONTAL_DIR, self.horizontal.to.0 as u64),
                (route::HORIZONTAL_HOPS, self.horizontal.hops.draw(rng)),
            ],
        )
    }
}

cross! {
    /// Direction, moves from the first tile of the path to that of the pattern, levels of the
    /// pattern, delay before it.
    SramPatterns "SRAM pattern" {
        data: Data = "data",
        hops: Hops = "hops" { 0 "0 hops", 1 "1 hop", 2 "2 hops", 3 "3 or more hops"; 16 },
        levels: BlockLevels = "levels" [
            "single block", "one level", "second level only", "two levels",
        ],
        delay: Delay = "delay" { 0 "no delay", 1 "delay"; 16 },
    }
}

impl SramPatterns {
    /// The bin of a decode.
    pub(crate) fn new(d: &Decode) -> Self {
        Self {
            data: Data(d.index(sram::RW)),
            hops: Hops::class(d.get(sram::HOPS)),
            levels: BlockLevels(levels(d.get(sram::L1_ITER), d.get(sram::L2_ITER))),
            delay: Delay::class(d.get(sram::INIT_DELAY)),
        }
    }
}

impl Directed for SramPatterns {
    fn recipe(self, rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let [l1, l2] = draw_levels(self.levels.0);
        let path = [(route::VERTICAL_DIR, 1), (route::HORIZONTAL_DIR, 1)];
        let fields = [
            (sram::RW, self.data.0 as u64),
            (sram::HOPS, self.hops.draw(rng)),
            (sram::L1_ITER, l1),
            (sram::L2_ITER, l2),
            (sram::INIT_DELAY, self.delay.draw(rng)),
        ];
        let pattern = Wanted::new(Opcode::Sram, &fields);
        Some(Recipe::sequence([Wanted::new(Opcode::Route, &path), pattern]))
    }
}

cross! {
    /// Direction, number of blocks, delay before them, masked words.
    IoPatterns "IO pattern" {
        data: Data = "data",
        blocks: Blocks = "blocks" { 0 "single block", 1 "several blocks"; 8 },
        delay: Delay = "delay",
        mask: Mask = "mask" {
            0 "no mask", 1 "some words masked", 0xffff "all words masked"; 0x1_0000
        },
    }
}

impl IoPatterns {
    /// The bin of a decode.
    pub(crate) fn new(d: &Decode) -> Self {
        Self {
            data: Data(d.index(io::RW)),
            blocks: Blocks::class(d.get(io::L1_ITER)),
            delay: Delay::class(d.get(io::INIT_DELAY)),
            mask: Mask::class(d.get(io::MASK)),
        }
    }
}

impl Directed for IoPatterns {
    fn recipe(self, rng: &mut ChaCha8Rng) -> Option<Recipe> {
        instruction(
            Opcode::Io,
            &[
                (io::RW, self.data.0 as u64),
                (io::L1_ITER, self.blocks.draw(rng)),
                (io::INIT_DELAY, self.delay.draw(rng)),
                (io::MASK, [0, 0x00f0, 0xffff][self.mask.0]),
            ],
        )
    }
}

cross! {
    /// Mode, distance; a row has 16 words.
    PermDistances "PERM distance" {
        mode: Permutation = "mode" "mode {}" ["0", "1", "2", "3", "4", "5", "6", "7"],
        distance: Distance = "distance" "distance {}" {
            0 "0", 1 "1 to 15", 16 "16", 17 "17 or more"; 0x1_0000
        },
    }
}

impl PermDistances {
    /// The bin of a decode.
    pub(crate) fn new(d: &Decode) -> Self {
        let distance = Distance::class(d.get(perm::DISTANCE));
        Self { mode: Permutation(d.index(perm::MODE)), distance }
    }
}

impl Directed for PermDistances {
    fn recipe(self, _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let distance = [0, 5, 16, 40][self.distance.0];
        let fields = [(perm::MODE, self.mode.0 as u64), (perm::DISTANCE, distance)];
        instruction(Opcode::Perm, &fields)
    }
}

/// One instruction with these fields.
fn instruction(opcode: Opcode, fields: &[(InstructionField, u64)]) -> Option<Recipe> {
    Some(Recipe::sequence([Wanted::new(opcode, fields)]))
}
