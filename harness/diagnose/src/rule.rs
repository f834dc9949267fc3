// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which rule of the architecture decides about a difference: for every register and signal its
//! block, the chapter and section that define it, and what the rule looks at.

use drra_golden::Owner;
use drra_lockstep::Difference;
use drra_lockstep::Signal;

/// A rule of the chapters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Block, as in README.
    pub block: &'static str,
    /// File of the chapter.
    pub chapter: &'static str,
    /// Section, as its heading begins.
    pub section: &'static str,
    /// The rule in a sentence.
    pub text: &'static str,
    /// Registers and signals that the rule looks at, without the unit; `[*]` stands for the index of
    /// the register in question. They are asked for in the cycle before the difference.
    pub inputs: &'static [&'static str],
    /// Files of the RTL.
    pub rtl: &'static [&'static str],
    /// File of the golden model.
    pub golden: &'static str,
}

const SEQUENCER: &str = "isa/spec/02-sequencer.md";
const REGISTER_FILE: &str = "isa/spec/03-register-file.md";
const DPU: &str = "isa/spec/04-dpu.md";
const INTERCONNECT: &str = "isa/spec/05-interconnect.md";
const DIMARCH: &str = "isa/spec/06-dimarch.md";
const IO_PERM: &str = "isa/spec/07-io-perm.md";

macro_rules! rule {
    ($name:ident, $block:literal, $chapter:ident, $section:literal, $rtl:expr, $golden:literal,
     $inputs:expr, $text:literal) => {
        const $name: Rule = Rule {
            block: $block,
            chapter: $chapter,
            section: $section,
            text: $text,
            inputs: &$inputs,
            rtl: &$rtl,
            golden: $golden,
        };
    };
}

rule!(
    PROGRAM_LOAD,
    "sequencer",
    SEQUENCER,
    "4",
    ["rtl/drra_sequencer.sv"],
    "golden/src/sequencer.rs",
    ["load port", "seq.state", "seq.load_count"],
    "In IDLE and LOAD a word whose selects name the cell is stored at load_count, which counts up to \
     63; a cycle without any word ends LOAD."
);
rule!(
    STATE,
    "sequencer",
    SEQUENCER,
    "5.3",
    ["rtl/drra_sequencer.sv", "rtl/drra_decoder.sv"],
    "golden/src/sequencer.rs",
    ["instruction", "load port", "seq.state", "seq.load_count", "seq.pc", "seq.wait_count"],
    "HALT, or a step of the last word (pc at load_count-1 or load_count), ends the program; LOAD \
     goes to RUN in the first cycle without a word."
);
rule!(
    PROGRAM_COUNTER,
    "sequencer",
    SEQUENCER,
    "5.1",
    ["rtl/drra_sequencer.sv", "rtl/drra_loop_unit.sv", "rtl/drra_decoder.sv"],
    "golden/src/sequencer.rs",
    [
        "instruction",
        "seq.state",
        "seq.pc",
        "seq.wait_count",
        "seq.pend_valid",
        "seq.pend_pc",
        "seq.loop",
        "dpu.status[0]",
    ],
    "Loop jump, else pending loop jump, else JUMP or BRANCH target, else pc plus the length of the \
     instruction; 0 outside RUN and behind HALT; held by a WAIT."
);
rule!(
    WAITING,
    "sequencer",
    SEQUENCER,
    "5.2",
    ["rtl/drra_sequencer.sv", "rtl/drra_decoder.sv"],
    "golden/src/sequencer.rs",
    ["instruction", "seq.state", "seq.wait_count", "seq.raccu_reg"],
    "WAIT c holds pc for c+1 cycles: the counter goes up to the target, then back to 0."
);
rule!(
    FLAG,
    "sequencer",
    SEQUENCER,
    "7",
    ["rtl/drra_sequencer.sv"],
    "golden/src/sequencer.rs",
    ["instruction", "seq.pc", "seq.sh_raccu", "seq.sh_loop"],
    "immediate follows the flag of the word at pc, in every state; with the flag a waiting RACCU or \
     LOOP is executed and its shadow cleared, without it a decoded one waits."
);
rule!(
    RACCU,
    "RACCU",
    SEQUENCER,
    "8",
    ["rtl/drra_raccu.sv"],
    "golden/src/raccu.rs",
    ["instruction", "seq.sh_raccu", "seq.sh_loop", "seq.raccu_reg", "seq.loop"],
    "The executed RACCU instruction writes its result; slot k of the loop controller owns register \
     15-k, which is 0 while the slot is inactive."
);
rule!(
    LOOPS,
    "loop controller",
    SEQUENCER,
    "9",
    ["rtl/drra_loop_unit.sv", "rtl/drra_loop_slot.sv"],
    "golden/src/loops.rs",
    ["instruction", "seq.pc", "seq.wait_count", "seq.sh_loop", "seq.loop", "seq.raccu_reg"],
    "At its end address a slot counts on and jumps back, unless this was its last iteration; nested \
     slots with the same end wait for the inner one."
);
rule!(
    DECODE_REFI,
    "decoder",
    SEQUENCER,
    "6.2",
    ["rtl/drra_decoder.sv", "rtl/drra_sequencer.sv"],
    "golden/src/sequencer.rs",
    ["instruction", "seq.state", "seq.pc", "seq.raccu_reg"],
    "A decoded REFI sets its fields; missing chunks count as 0 (step 1), dynamic fields take the \
     RACCU register with the number in their low 4 bits. Otherwise the fields hold."
);
rule!(
    DECODE,
    "decoder",
    SEQUENCER,
    "6.1",
    ["rtl/drra_decoder.sv", "rtl/drra_sequencer.sv"],
    "golden/src/sequencer.rs",
    ["instruction", "seq.state", "seq.pc"],
    "A decoded DPU or BW instruction sets its fields, which hold until the next one; dpu_start is 1 \
     for one cycle."
);
rule!(
    SWITCHBOX,
    "switchbox",
    INTERCONNECT,
    "2.3",
    ["rtl/drra_switchbox.sv"],
    "golden/src/switchbox.rs",
    ["instruction", "seq.immediate", "swb.swb_iss_valid", "swb.swb_iss", "swb.swb_cfg"],
    "A decoded SWB is issued; with immediate the issued one replaces the entry of its destination."
);
rule!(
    NOC_ISSUE,
    "NoC issue",
    DIMARCH,
    "4",
    ["rtl/drra_noc_issue.sv"],
    "golden/src/issue.rs",
    ["instruction", "seq.immediate", "noc.noc_stage", "noc.noc_shadow"],
    "The stage takes what is decoded; with immediate the stage leaves, or else the shadow, which is \
     cleared; without it a message in the stage goes to the shadow."
);
rule!(
    PERM_ISSUE,
    "PERM issue",
    IO_PERM,
    "B2",
    ["rtl/drra_perm_issue.sv"],
    "golden/src/issue.rs",
    ["instruction", "seq.immediate", "perm.perm_stage", "perm.perm_shadow"],
    "The stage takes a decoded PERM; with immediate the stage executes, or else the shadow, which \
     is cleared; without it a PERM in the stage goes to the shadow."
);
rule!(
    RF_WRITE,
    "register file",
    REGISTER_FILE,
    "4.2",
    ["rtl/drra_register_file.sv", "rtl/drra_permute.sv"],
    "golden/src/register_file.rs",
    [
        "rf.mem[*]",
        "write addresses",
        "wdata_0",
        "wdata_1",
        "blk_wdata",
        "blk_wmask",
        "seq.immediate",
        "perm.perm_stage",
        "perm.perm_shadow",
    ],
    "A word takes, first match: initialisation port, block write unless masked, w0, w1, PERM; \
     otherwise it keeps its value."
);
rule!(
    PERM,
    "PERM",
    IO_PERM,
    "B3",
    ["rtl/drra_permute.sv", "rtl/drra_register_file.sv"],
    "golden/src/permute.rs",
    ["rf.mem[*]", "seq.immediate", "perm.perm_stage", "perm.perm_shadow", "write addresses",],
    "The old words of the block move by distance as the mode says (B1); every other writer of a word \
     wins."
);
rule!(
    RF_READ,
    "register file",
    REGISTER_FILE,
    "4.3",
    ["rtl/drra_register_file.sv"],
    "golden/src/register_file.rs",
    ["read addresses", "lanes", "blk_rdata"],
    "A read port gives the old word at the address of its AGU, 0 in a cycle without an address."
);
rule!(
    RF_SHADOW,
    "AGU shadow",
    REGISTER_FILE,
    "5.2",
    ["rtl/drra_agu_shadow.sv"],
    "golden/src/register_file.rs",
    ["seq.immediate", "seq.cfg_start", "seq.cfg_port", "seq.cfg_dimarch", "rf.sh[*]"],
    "Without immediate an arriving REFI waits in the shadow of its AGU; with it all waiting ones are \
     launched and cleared."
);
rule!(
    AGU,
    "AGU",
    REGISTER_FILE,
    "6.3",
    ["rtl/drra_agu.sv"],
    "golden/src/agu.rs",
    ["seq.immediate", "seq.cfg_start", "seq.cfg_port", "seq.cfg_dimarch", "rf.sh[*]", "rf.agu[*]",],
    "A launch loads the pattern; from IDLE it starts the initial delay or the first address. Counters \
     and state follow the pattern."
);
rule!(
    DPU_LAUNCH,
    "DPU",
    DPU,
    "4.1",
    ["rtl/drra_dpu.sv"],
    "golden/src/dpu.rs",
    ["seq.immediate", "seq.dpu_start", "seq.dpu_mode", "seq.cfg_bw", "dpu.sh_valid", "dpu.sh_mode"],
    "With immediate an arriving or waiting DPU instruction comes into force; without it an arriving \
     one waits. bw_reg follows cfg_bw, 2 counts as 0."
);
rule!(
    DPU_COUNT,
    "DPU",
    DPU,
    "5.5",
    ["rtl/drra_dpu.sv", "rtl/drra_dpu_channel.sv"],
    "golden/src/dpu.rs",
    [
        "seq.immediate",
        "seq.dpu_start",
        "dpu.sh_valid",
        "dpu.mode_reg",
        "dpu.const_reg",
        "dpu.acc_cnt"
    ],
    "acc_cnt counts the cycles since the last clear: a launch, or the count of a counting mode."
);
rule!(
    DPU_CHANNEL,
    "DPU",
    DPU,
    "5.3",
    [
        "rtl/drra_dpu_channel.sv",
        "rtl/drra_dpu.sv",
        "rtl/drra_lane_add.sv",
        "rtl/drra_lane_mul.sv",
        "rtl/drra_lane_neg.sv",
        "rtl/drra_lane_widen.sv",
        "rtl/drra_dpu_squash.sv",
    ],
    "golden/src/dpu.rs",
    [
        "dpu in 0",
        "dpu in 1",
        "dpu in 2",
        "dpu in 3",
        "dpu.mode_reg",
        "dpu.control_reg",
        "dpu.const_reg",
        "dpu.io_reg",
        "dpu.bw_reg",
        "seq.cfg_bw",
        "seq.dpu_start",
        "seq.immediate",
        "dpu.acc[0]",
        "dpu.acc[1]",
        "dpu.ir0",
        "dpu.ir1",
        "dpu.prev_op[0]",
        "dpu.prev_op[1]",
        "dpu.div_p3",
    ],
    "Each channel computes in every cycle what the mode selects (sections 5 to 7), per lane, \
     saturated if control says so."
);
rule!(
    DPU_REGISTERS,
    "DPU",
    DPU,
    "5.6",
    ["rtl/drra_dpu.sv"],
    "golden/src/dpu.rs",
    ["dpu in 0", "dpu in 2", "dpu.mode_reg", "dpu.io_reg", "dpu.acc[1]", "dpu.ir0", "dpu.ir1"],
    "ld_ir loads ir0 and ir1 in every cycle in which it is in force; acc_softmax copies acc[1] to \
     sm_reg."
);
rule!(
    DPU_SQUASH,
    "DPU non-linear unit",
    DPU,
    "9",
    ["rtl/drra_dpu_squash.sv", "rtl/drra_dpu.sv"],
    "golden/src/dpu.rs",
    ["dpu in 0", "dpu.mode_reg", "dpu.io_reg", "dpu.acc[0]", "dpu.div_p1"],
    "A table of slopes and offsets, one piece per range of the operand."
);
rule!(
    DPU_DIVIDER,
    "DPU divider",
    DPU,
    "10",
    ["rtl/drra_dpu_divider.sv"],
    "golden/src/dpu.rs",
    [
        "dpu in 0",
        "dpu in 1",
        "dpu.mode_reg",
        "dpu.sm_reg",
        "dpu.div_p1",
        "dpu.div_p2",
        "dpu.div_p3"
    ],
    "A truncating signed quotient in three stages."
);
rule!(
    DPU_SCALER,
    "DPU scaler",
    DPU,
    "11",
    ["rtl/drra_dpu_scaler.sv"],
    "golden/src/dpu.rs",
    [
        "dpu in 0",
        "dpu.mode_reg",
        "dpu.const_reg",
        "dpu.bw_reg",
        "dpu.pack_reg",
        "dpu.pack_phase",
        "seq.immediate",
        "seq.dpu_start",
    ],
    "Packs scaled words into lanes or unpacks them, one lane a cycle."
);
rule!(
    DPU_OUTPUT,
    "DPU output",
    DPU,
    "5.4",
    ["rtl/drra_lane_format.sv", "rtl/drra_lane_abs.sv", "rtl/drra_dpu.sv"],
    "golden/src/dpu.rs",
    [
        "lanes",
        "dpu.mode_reg",
        "dpu.control_reg",
        "dpu.io_reg",
        "seq.cfg_bw",
        "dpu.acc[0]",
        "dpu.acc[1]",
        "dpu.status[0]",
        "dpu.status[1]",
        "dpu.pack_reg",
    ],
    "The accumulator shifted for fixed point, saturated or cut to the lane width; abs_out takes the \
     absolute value."
);
rule!(
    WINDOW,
    "interconnect",
    INTERCONNECT,
    "3.2",
    ["rtl/drra_interconnect.sv"],
    "golden/src/switchbox.rs",
    ["swb.swb_cfg", "inputs"],
    "An input reads the lane of row r (other: 1-r), column c+hb-2; 0 beyond the edge and for hb above \
     4."
);
rule!(
    COLUMN,
    "column",
    INTERCONNECT,
    "4.1",
    ["rtl/drra_column.sv"],
    "golden/src/column.rs",
    ["col io_rvalid", "col io_rdata", "tile xout[S]", "blk_rdata of both rows"],
    "Up: the block of row 0, else of row 1, else of the I/O unit. Down: the block of the I/O unit, \
     else xout[S] of the home tile; row 1 gets it a cycle later. Messages: row 0 wins."
);
rule!(
    IO_MESSAGE,
    "column",
    IO_PERM,
    "A3",
    ["rtl/drra_column.sv"],
    "golden/src/column.rs",
    ["cell_noc of both rows"],
    "The first IO of row 0, row 1."
);
rule!(
    IO_AGU,
    "I/O AGU",
    IO_PERM,
    "A4",
    ["rtl/drra_io_agu.sv"],
    "golden/src/sram_agu.rs",
    ["io_msg", "io_rd", "io_wr"],
    "An SRAM AGU with one level, a 25-bit address and a mask; a new configuration is taken in IDLE \
     or with the last access."
);
rule!(
    IO_UNIT,
    "column",
    IO_PERM,
    "A4",
    ["rtl/drra_column.sv"],
    "golden/src/column.rs",
    ["io_rd.en", "io_rd.addr", "io_pend", "io_pmask", "io_rvalid", "io_wdata"],
    "A request of cycle t is answered in t+1; masked words are 0; io_wdata takes the block of the \
     register files, else xout[S] of the home tile."
);
rule!(
    SEGMENT,
    "tile",
    DIMARCH,
    "6.3",
    ["rtl/drra_tile.sv"],
    "golden/src/tile.rs",
    ["messages in", "seg_w", "seg_s"],
    "The request of the west or south neighbour, else that of the tile, else the segment holds."
);
rule!(
    SIDE,
    "NoC side",
    DIMARCH,
    "6.4",
    ["rtl/drra_noc_side.sv"],
    "golden/src/tile.rs",
    ["messages in", "side[*]", "seg_w", "seg_s"],
    "A ROUTE opens a path and is passed on, or ends here; one at another side closes it; an SRAM is \
     passed on, or taken at hops 0."
);
rule!(
    MESSAGE_OUT,
    "tile",
    DIMARCH,
    "6.5",
    ["rtl/drra_tile.sv"],
    "golden/src/tile.rs",
    ["messages in", "side", "seg_w", "seg_s"],
    "N and S carry fwd of the first side W, E, S, N with vsel, E and W that with hsel."
);
rule!(
    CROSSBAR,
    "crossbar",
    DIMARCH,
    "7.2",
    ["rtl/drra_crossbar.sv"],
    "golden/src/tile.rs",
    ["messages in", "xsel", "data in", "mem_rvalid", "mem_q"],
    "xout follows the source that xsel names; a ROUTE replaces all connections by its own and that of \
     the memory."
);
rule!(
    SRAM_AGU,
    "SRAM AGU",
    DIMARCH,
    "7.1",
    ["rtl/drra_sram_agu.sv", "rtl/drra_tile.sv"],
    "golden/src/sram_agu.rs",
    ["offered configurations", "rd", "wr"],
    "A new configuration is taken in IDLE or with the last access, from the first side S, W, E, N; \
     addresses follow its two levels."
);
rule!(
    TAKE,
    "tile",
    DIMARCH,
    "6.5",
    ["rtl/drra_tile.sv", "rtl/drra_sram_agu.sv"],
    "golden/src/tile.rs",
    ["offered configurations", "rd.state", "rd.cfg_valid", "wr.state", "wr.cfg_valid"],
    "A generator gets the configuration of the first side S, W, E, N that has one for it, and takes \
     it in IDLE or with its last access."
);
rule!(
    MEMORY,
    "SRAM",
    DIMARCH,
    "7.3",
    ["rtl/drra_sram.sv"],
    "golden/src/tile.rs",
    ["rd.en", "rd.addr", "wr.en", "wr.addr", "xout[MEM]", "initialisation"],
    "A write stores xout[MEM], or the block of the initialisation port, which wins; a read in the \
     same cycle returns the written block."
);
rule!(
    TILE_INIT,
    "tile",
    DIMARCH,
    "7.4",
    ["rtl/drra_tile.sv"],
    "golden/src/tile.rs",
    ["initialisation"],
    "Every tile registers what it sees of the initialisation port for the next one."
);
rule!(
    LOAD_PIPELINE,
    "fabric",
    INTERCONNECT,
    "5.2",
    ["rtl/drra_fabric.sv"],
    "golden/src/fabric.rs",
    ["ld_pipe"],
    "Words, flags and selects move on one place a cycle."
);
rule!(
    STATUS,
    "fabric",
    INTERCONNECT,
    "5.5",
    ["rtl/drra_fabric.sv"],
    "golden/src/fabric.rs",
    ["ld_pipe", "idle cells"],
    "cell_idle: state IDLE. all_idle: all cells idle and no word in flight. agu_busy: some generator \
     is not in IDLE."
);

/// The rule that defines a register, given by its path without the unit.
pub fn of_register(owner: Owner, register: &str) -> &'static Rule {
    let name = |n: usize| register.split(['.', '[', ']']).nth(n).unwrap_or_default();
    match owner {
        Owner::Cell => match (name(0), name(1)) {
            ("seq", "imem" | "imem_imm" | "load_count") => &PROGRAM_LOAD,
            ("seq", "state") => &STATE,
            ("seq", "pc" | "pend_valid" | "pend_pc") => &PROGRAM_COUNTER,
            ("seq", "wait_count") => &WAITING,
            ("seq", "immediate" | "sh_raccu") => &FLAG,
            ("seq", "raccu_reg") => &RACCU,
            ("seq", "loop" | "sh_loop") => &LOOPS,
            ("seq", n) if n.starts_with("dpu_") || n == "cfg_bw" => &DECODE,
            ("seq", _) => &DECODE_REFI,
            ("swb", _) => &SWITCHBOX,
            ("noc", _) => &NOC_ISSUE,
            ("perm", _) => &PERM_ISSUE,
            ("rf", "mem") => &RF_WRITE,
            ("rf", "sh") => &RF_SHADOW,
            ("rf", _) => &AGU,
            ("dpu", "acc_cnt") => &DPU_COUNT,
            ("dpu", "acc" | "status" | "prev_op") => &DPU_CHANNEL,
            ("dpu", "ir0" | "ir1" | "sm_reg") => &DPU_REGISTERS,
            ("dpu", "div_p1" | "div_p2" | "div_p3") => &DPU_DIVIDER,
            ("dpu", "pack_reg" | "pack_phase") => &DPU_SCALER,
            _ => &DPU_LAUNCH,
        },
        Owner::Column => match name(0) {
            "io_msg" => &IO_MESSAGE,
            "io_rd" | "io_wr" => &IO_AGU,
            "blk_in_row1" | "blk_in_mask_row1" => &COLUMN,
            _ => &IO_UNIT,
        },
        Owner::Tile => match name(0) {
            "seg_w" | "seg_s" => &SEGMENT,
            "side" => &SIDE,
            "xsel" | "xout" => &CROSSBAR,
            "rd" | "wr" => &SRAM_AGU,
            "mem_q" | "mem_rvalid" | "sram" => &MEMORY,
            _ => &TILE_INIT,
        },
        Owner::Fabric => &LOAD_PIPELINE,
    }
}

/// The rule that defines a register that differs, given what acted on it: the mnemonic of the
/// instruction, for a DPU its mode, and whether the instruction reached a generator with the last
/// edge.
pub fn of_register_under(
    d: &Difference,
    mnemonic: &str,
    dpu_mode: Option<u32>,
    launch: bool,
) -> &'static Rule {
    // sigm, tanhyp, expon (chapter 4, section 6).
    let squashes = matches!(dpu_mode, Some(19..=21));
    match (d.unit.owner, d.register.as_str(), mnemonic) {
        (Owner::Cell, _, _) if launch => &RF_SHADOW,
        (Owner::Tile, _, _) if launch => &TAKE,
        (Owner::Cell, "seq.pc" | "seq.pend_valid" | "seq.pend_pc", "LOOP") => &LOOPS,
        (Owner::Cell, "dpu.acc[0]" | "dpu.div_p1", _) if squashes => &DPU_SQUASH,
        (Owner::Cell, register, "PERM") if register.starts_with("rf.mem") => &PERM,
        (owner, register, _) => of_register(owner, register),
    }
}

/// The rule that defines an output port.
pub fn of_port(port: &str) -> &'static Rule {
    if port.starts_with("io_") { &IO_UNIT } else { &STATUS }
}

/// A rule about the block that a file of the RTL describes; `place` is file and line.
pub fn of_file(place: &str) -> &'static Rule {
    let file = place.split(':').next().unwrap_or_default();
    let all = [
        &STATE,
        &RACCU,
        &LOOPS,
        &DECODE_REFI,
        &SWITCHBOX,
        &NOC_ISSUE,
        &PERM_ISSUE,
        &RF_WRITE,
        &RF_SHADOW,
        &AGU,
        &DPU_CHANNEL,
        &DPU_DIVIDER,
        &DPU_SCALER,
        &DPU_OUTPUT,
        &WINDOW,
        &COLUMN,
        &IO_AGU,
        &SIDE,
        &CROSSBAR,
        &SRAM_AGU,
        &MEMORY,
        &SEGMENT,
    ];
    all.into_iter().find(|r| r.rtl.iter().any(|f| f.ends_with(file))).unwrap_or(&STATUS)
}

/// The rule that defines a signal between blocks.
pub fn of_signal(signal: Signal) -> &'static Rule {
    match signal {
        Signal::Lane { lane: 0 | 1, .. } | Signal::BlockRead { .. } => &RF_READ,
        Signal::Lane { .. } => &DPU_OUTPUT,
        Signal::Input { .. } => &WINDOW,
        Signal::BlockWrite { .. } | Signal::ColumnMessage { .. } | Signal::Up { .. } => &COLUMN,
        Signal::CellMessage { .. } => &NOC_ISSUE,
        Signal::TileMessage { .. } => &MESSAGE_OUT,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use drra_golden::Layout;
    use drra_golden::Unit;
    use drra_isa::Geometry;

    use super::*;

    /// Every register has a rule whose section is a heading of its chapter and whose files exist.
    #[test]
    fn every_register_has_a_rule() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let layout = Layout::new(&Geometry::default());
        let mut rules: Vec<&Rule> = Vec::new();
        for group in layout.groups() {
            for register in &group.registers {
                rules.push(of_register(group.owner, &register.path));
            }
        }
        rules.extend([
            of_register(Owner::Tile, "sram[3]"),
            of_port("all_idle"),
            of_port("io_in_en"),
        ]);
        for lane in 0..4 {
            rules.push(of_signal(Signal::Lane { cell: 0, lane }));
        }
        for (owner, register, mnemonic, mode, launch) in [
            (Owner::Cell, "seq.pc", "LOOP", None, false),
            (Owner::Cell, "dpu.div_p1", "DPU", Some(21), false),
            (Owner::Cell, "rf.mem[3]", "PERM", None, false),
            (Owner::Cell, "rf.agu[w0].state", "REFI", None, true),
            (Owner::Tile, "rd.cfg", "SRAM", None, true),
        ] {
            let d = Difference {
                unit: Unit { owner, index: 0 },
                register: register.to_owned(),
                width: 1,
                golden: vec![0],
                rtl: vec![1],
            };
            rules.push(of_register_under(&d, mnemonic, mode, launch));
        }
        rules.push(of_signal(Signal::Input { cell: 0, v: 0 }));
        rules.push(of_signal(Signal::TileMessage { tile: 0, side: 0 }));
        rules.dedup();
        for rule in rules {
            let chapter = std::fs::read_to_string(root.join(rule.chapter)).unwrap();
            let heading = |l: &str| {
                l.starts_with('#')
                    && l.trim_start_matches('#')
                        .trim_start()
                        .strip_prefix(rule.section)
                        .is_some_and(|rest| rest.starts_with(' '))
            };
            assert!(chapter.lines().any(heading), "{}, {}", rule.chapter, rule.section);
            for file in rule.rtl.iter().chain([&rule.golden]) {
                assert!(root.join(file).exists(), "{file}");
            }
        }
    }
}
