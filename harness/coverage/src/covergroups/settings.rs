// SPDX-License-Identifier: MIT OR Apache-2.0
//! Combinations of fields of one instruction, sampled when the instruction is decoded.

use drra_case::{DirectedSequence, InstructionTemplate};
use drra_isa::{
    Opcode,
    instructions::{
        BwConfig, DpuControl, DpuIoChange, DpuMode, RaccuMode, dpu, io, loop_, perm, raccu, route,
        sram, swb,
    },
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::connections::Row;
use crate::{
    cross::{Dimension, DirectedCross, cross, draw_levels, levels, numbered},
    decode::{Decode, NOWHERE},
};

/// Assigns an instruction field to each coverpoint of a group. The assignment defines the bin of a decode, if the
/// decode has one, and an instruction that hits a given bin. If a field is followed by numbers, one for each value of
/// the coverpoint, directed sequences use these instead of random numbers that the values represent. The fields after
/// the semicolon get random numbers in the given range.
macro_rules! settings {
    (
        $Group:ident $opcode:ident {
            $($field:ident: $place:path $([$($number:literal),*])?,)*
            $(; $($more:path),* => $range:expr)?
        }
    ) => {
        impl $Group {
            /// The bin of a decode; none if a field has a value without meaning.
            pub(crate) fn new(d: &Decode) -> Option<Self> {
                let bin = Self { $($field: Dimension::class(d.get($place)),)* };
                let exists = true $(&& bin.$field.exists())*;
                exists.then_some(bin)
            }
        }

        impl DirectedCross for $Group {
            fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
                let fields = [
                    $(($place, settings!(@ self.$field, rng $(, [$($number),*])?)),)*
                    $($(($more, rng.random_range($range)),)*)?
                ];
                Some(DirectedSequence::in_order([InstructionTemplate::new(Opcode::$opcode, &fields)]))
            }
        }
    };
    (@ $value:expr, $rng:expr) => { $value.draw($rng) };
    (@ $value:expr, $rng:expr, $numbers:expr) => { $numbers[$value.index()] };
}

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
            mode: Dimension::class(d.get(dpu::MODE)),
            control: Dimension::class(d.get(dpu::CONTROL)),
            change: Dimension::class(d.get(dpu::IO_CHANGE)),
            width: d.width,
        }
    }
}

impl DirectedCross for DpuConfigurations {
    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let mode = InstructionTemplate::dpu(self.mode).with(&[
            (dpu::CONTROL, self.control.draw(rng)),
            (dpu::IO_CHANGE, self.change.draw(rng)),
            (dpu::ACC_CLEAR, rng.random_range(0..256)),
        ]);
        Some(DirectedSequence::in_order([InstructionTemplate::bw(self.width), mode]))
    }
}

cross! {
    /// Source lane and input, column of the source, row of the source. Disconnections, and inputs or columns that do
    /// not exist, have no bin.
    Switchbox "switchbox" {
        block: Block ["rf", "dpu"] & port: Port ["0", "1"]
            & input: Input ["0", "1", "2", "3", "4", "5"] = "lanes"
            "{block} {port} to input {input}",
        column: Column ["-2 columns", "-1 columns", "+0 columns", "+1 columns", "+2 columns"]
            = "column",
        row: Row = "row",
    }
}

settings! {
    Switchbox Swb {
        block: swb::SRC_BLOCK,
        port: swb::SRC_PORT,
        input: swb::V_INDEX,
        column: swb::HB_INDEX,
        row: swb::SEND_TO_OTHER_ROW,
    }
}

cross! {
    /// Slot, active loops in other slots, iterations.
    Loops "loops" {
        slot: Slot ["0", "1", "2", "3"] = "slot" "slot {slot}",
        others: Others ["0", "1", "2", "3"] = "other loops" "{others} others active",
        iterations: Iterations { 0 "skipped", 1 "once", 2 "several times"; 9 } = "iterations",
    }
}

impl Loops {
    /// The bin of a decode.
    pub(crate) fn new(d: &Decode) -> Self {
        let slot = d.get(loop_::LOOPID);
        Self {
            slot: Slot::class(slot),
            others: Others(d.other_loops(slot)),
            iterations: Iterations::class(d.get(loop_::ITER)),
        }
    }
}

impl DirectedCross for Loops {
    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        // Slots whose end no program reaches stay active.
        let slot = |slot: Slot, iter| {
            let fields =
                [(loop_::LOOPID, slot.0 as u64), (loop_::ENDPC, NOWHERE), (loop_::ITER, iter)];
            InstructionTemplate::new(Opcode::Loop, &fields)
        };
        let others = Slot::all().filter(|other| *other != self.slot).take(self.others.0);
        let own = slot(self.slot, self.iterations.draw(rng));
        Some(DirectedSequence::in_order(others.map(|other| slot(other, 3)).chain([own])))
    }
}

cross! {
    /// Mode, kinds of both operands.
    Raccu "RACCU" {
        mode: Arithmetic = "mode",
        first: Operand ["literal", "register"] & second: Operand
            = "operands" "{first} and {second}",
    }
}

numbered! {
    /// A mode of the RACCU by its code.
    Arithmetic, RaccuMode::ALL.len(), |k| format!("mode {k}")
}

settings! {
    Raccu Raccu {
        mode: raccu::MODE,
        first: raccu::OPERAND1_SD,
        second: raccu::OPERAND2_SD,
        ; raccu::OPERAND1, raccu::OPERAND2 => 0..128
    }
}

cross! {
    /// Direction of the data, vertical direction and moves, horizontal direction and moves.
    NocPaths "NoC path" {
        data: Data ["read", "write"] = "data",
        north: North ["south", "north"] & rows: Rows { 0 "0", 1 "1", 2 "2 or more"; 8 }
            = "vertical moves" "{rows} {north}",
        east: East ["west", "east"]
            & columns: Columns { 0 "0", 1 "1", 2 "2 or 3", 4 "4 or more"; 8 }
            = "horizontal moves" "{columns} {east}",
    }
}

settings! {
    NocPaths Route {
        data: route::DIRECTION,
        north: route::VERTICAL_DIR,
        rows: route::VERTICAL_HOPS,
        east: route::HORIZONTAL_DIR,
        columns: route::HORIZONTAL_HOPS,
    }
}

cross! {
    /// Direction, moves from the first tile of the path to the tile of the pattern, levels of the pattern, its initial
    /// delay.
    SramPatterns "SRAM pattern" {
        data: Data = "data",
        hops: Hops { 0 "0 hops", 1 "1 hop", 2 "2 hops", 3 "3 or more hops"; 16 } = "hops",
        levels: BlockLevels ["single block", "one level", "second level only", "two levels"]
            = "levels",
        delay: Delay { 0 "no delay", 1 "delay"; 16 } = "delay",
    }
}

impl SramPatterns {
    /// The bin of a decode.
    pub(crate) fn new(d: &Decode) -> Self {
        Self {
            data: Data::class(d.get(sram::RW)),
            hops: Hops::class(d.get(sram::HOPS)),
            levels: BlockLevels(levels(d.get(sram::L1_ITER), d.get(sram::L2_ITER))),
            delay: Delay::class(d.get(sram::INIT_DELAY)),
        }
    }
}

impl DirectedCross for SramPatterns {
    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let [l1, l2] = draw_levels(self.levels.0);
        let path = [(route::VERTICAL_DIR, 1), (route::HORIZONTAL_DIR, 1)];
        let fields = [
            (sram::RW, self.data.0 as u64),
            (sram::HOPS, self.hops.draw(rng)),
            (sram::L1_ITER, l1),
            (sram::L2_ITER, l2),
            (sram::INIT_DELAY, self.delay.draw(rng)),
        ];
        let pattern = InstructionTemplate::new(Opcode::Sram, &fields);
        Some(DirectedSequence::in_order([InstructionTemplate::new(Opcode::Route, &path), pattern]))
    }
}

cross! {
    /// Direction, number of blocks, initial delay, masked words.
    IoPatterns "IO pattern" {
        data: Data = "data",
        blocks: Blocks { 0 "single block", 1 "several blocks"; 8 } = "blocks",
        delay: Delay = "delay",
        mask: Mask {
            0 "no mask", 1 "some words masked", 0xffff "all words masked"; 0x1_0000
        } = "mask",
    }
}

settings! {
    IoPatterns Io {
        data: io::RW,
        blocks: io::L1_ITER,
        delay: io::INIT_DELAY,
        mask: io::MASK [0, 0x00f0, 0xffff],
    }
}

cross! {
    /// Mode and distance; a block has 16 words.
    PermDistances "PERM distance" {
        mode: Permutation ["0", "1", "2", "3", "4", "5", "6", "7"] = "mode" "mode {mode}",
        distance: Distance { 0 "0", 1 "1 to 15", 16 "16", 17 "17 or more"; 0x1_0000 }
            = "distance" "distance {distance}",
    }
}

settings! { PermDistances Perm { mode: perm::MODE, distance: perm::DISTANCE [0, 5, 16, 40], } }
