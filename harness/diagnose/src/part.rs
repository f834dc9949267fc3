// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the registers of the state table (chapter 5, section 7) are part of, as far as it matters for
//! who acts on them and for what comes into them. Every register is listed: a new one does not compile
//! before somebody says what it is part of.

use drra_isa::{
    CellInput,
    fabric::{AguId, Generator, Register, RegisterId, Side},
};

/// Parts of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Of a cell.
    Cell(CellPart),
    /// Of a column.
    Column(ColumnPart),
    /// Of a tile.
    Tile(TilePart),
    /// The pipeline through which programs are loaded.
    LoadPipeline,
}

/// Parts of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellPart {
    /// Program memory.
    Program,
    /// What the instruction at the program counter sets by its decode.
    Decode,
    /// Program counter, and the jump of a loop that waits.
    ProgramCounter,
    /// RACCU register.
    RaccuRegister(usize),
    /// RACCU instruction that waits for a flag.
    WaitingRaccu,
    /// LOOP that waits for a flag.
    WaitingLoop,
    /// Slot of the loop controller.
    Slot(usize),
    /// What an input listens to.
    Selection(CellInput),
    /// Message that waits for a flag.
    WaitingMessage,
    /// PERM that waits for a flag.
    WaitingPerm,
    /// Word of the register file.
    Word(usize),
    /// REFI that waits for a flag.
    WaitingRefi(AguId),
    /// AGU: its pattern and where it is in it.
    Agu(AguId),
    /// DPU instruction that waits for a flag.
    WaitingDpu,
    /// DPU instruction in force.
    DpuInstruction,
    /// Operand format of the DPU.
    DpuFormat,
    /// Counters of the DPU that a launch clears.
    DpuCounter,
    /// What the DPU remembers of its operation.
    DpuOperation,
    /// What the DPU makes of its inputs.
    DpuData,
}

/// Parts of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnPart {
    /// Block on its way to row 1.
    BlockToRow1,
    /// IO message from the cells.
    Message,
    /// Block from the cells or the home tile to the output buffer.
    WriteData,
    /// Request to the input buffer, and its answer.
    Request,
    /// Generator of buffer addresses.
    Generator(Generator),
}

/// Parts of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TilePart {
    /// Segment to the neighbour at this side: W or S.
    Segment(Side),
    /// Path, message and configuration at a side.
    Side(Side),
    /// What the outputs of the crossbar follow.
    Connections,
    /// Output of the crossbar.
    Output,
    /// Configuration that a generator has taken.
    Configuration(Generator),
    /// Where a generator is in its pattern.
    Pattern(Generator),
    /// What the memory has read.
    MemoryRead,
    /// Row of the memory.
    MemoryRow,
    /// Initialisation port on its way to the next tile.
    Initialisation,
}

impl Part {
    /// What a register is part of; `None` only if its key is not one of the part.
    pub(crate) fn of(register: Register) -> Option<Self> {
        // With the names alone a line holds several.
        use RegisterId::*;
        Some(match register.id() {
            SeqImem | SeqImemImm => CellPart::Program.into(),
            SeqState | SeqLoadCount | SeqWaitCount | SeqImmediate | SeqCfgStart | SeqCfgPort
            | SeqCfgDimarch | SeqInitAddr | SeqL1Iter | SeqInitDelay | SeqL1Step
            | SeqL1StepSign | SeqL1Delay | SeqL2Iter | SeqL2Step | SeqL2Delay | SeqDpuStart
            | SeqDpuMode | SeqDpuControl | SeqDpuConst | SeqDpuIo | SeqCfgBw | SwbSwbIssValid
            | SwbSwbIss | NocNocStage | PermPermStage => CellPart::Decode.into(),
            SeqPc | SeqPendValid | SeqPendPc => CellPart::ProgramCounter.into(),
            SeqRaccuReg => CellPart::RaccuRegister(register.number()?).into(),
            SeqShRaccuMode | SeqShRaccuA | SeqShRaccuB | SeqShRaccuDst => {
                CellPart::WaitingRaccu.into()
            }
            SeqShLoopValid | SeqShLoopId | SeqShLoopStartPc | SeqShLoopEndPc | SeqShLoopStart
            | SeqShLoopIter | SeqShLoopStep | SeqShLoopLink => CellPart::WaitingLoop.into(),
            SeqLoopActive | SeqLoopStartPc | SeqLoopEndPc | SeqLoopIter | SeqLoopStep
            | SeqLoopCount => CellPart::Slot(register.number()?).into(),
            SwbSwbCfg => CellPart::Selection(CellInput::from_index(register.number()?)?).into(),
            NocNocShadow => CellPart::WaitingMessage.into(),
            PermPermShadow => CellPart::WaitingPerm.into(),
            RfMem => CellPart::Word(register.number()?).into(),
            RfShShValid | RfShShCfg => CellPart::WaitingRefi(register.agu()?).into(),
            RfAguState | RfAguInitCnt | RfAguL1DlyCnt | RfAguL2DlyCnt | RfAguL1Cnt | RfAguL2Cnt
            | RfAguRowBase | RfAguAddrReg | RfAguPInitDelay | RfAguPL1Iter | RfAguPL1Delay
            | RfAguPL2Iter | RfAguPL2Delay | RfAguPInitAddr | RfAguPL1Step | RfAguPL2Step
            | RfAguPL1StepSign => CellPart::Agu(register.agu()?).into(),
            DpuShValid | DpuShMode | DpuShControl | DpuShConst | DpuShIo => {
                CellPart::WaitingDpu.into()
            }
            DpuModeReg | DpuControlReg | DpuConstReg | DpuIoReg => CellPart::DpuInstruction.into(),
            DpuBwReg => CellPart::DpuFormat.into(),
            DpuAccCnt | DpuPackPhase => CellPart::DpuCounter.into(),
            DpuPrevOp => CellPart::DpuOperation.into(),
            DpuAcc | DpuStatus | DpuIr0 | DpuIr1 | DpuSmReg | DpuDivP1 | DpuDivP2 | DpuDivP3
            | DpuPackReg => CellPart::DpuData.into(),

            ColumnBlkInRow1 | ColumnBlkInMaskRow1 => ColumnPart::BlockToRow1.into(),
            ColumnIoMsg => ColumnPart::Message.into(),
            ColumnIoWdata => ColumnPart::WriteData.into(),
            ColumnIoPend | ColumnIoPmask | ColumnIoRvalid | ColumnIoRmask | ColumnIoRdata => {
                ColumnPart::Request.into()
            }
            ColumnIoGeneratorState
            | ColumnIoGeneratorCfgValid
            | ColumnIoGeneratorL1Cnt
            | ColumnIoGeneratorInitCnt
            | ColumnIoGeneratorL1Dly
            | ColumnIoGeneratorAddr
            | ColumnIoGeneratorEn
            | ColumnIoGeneratorCfg => ColumnPart::Generator(register.generator()?).into(),

            TileSegW => TilePart::Segment(Side::W).into(),
            TileSegS => TilePart::Segment(Side::S).into(),
            TileSideActive | TileSideHsel | TileSideVsel | TileSideFwd | TileSideAgu => {
                TilePart::Side(register.side()?).into()
            }
            TileXsel => TilePart::Connections.into(),
            TileXout => TilePart::Output.into(),
            TileGeneratorCfg | TileGeneratorCfgValid => {
                TilePart::Configuration(register.generator()?).into()
            }
            TileGeneratorState | TileGeneratorL1Cnt | TileGeneratorL2Cnt | TileGeneratorInitCnt
            | TileGeneratorL1Dly | TileGeneratorL2Dly | TileGeneratorAddr | TileGeneratorEn => {
                TilePart::Pattern(register.generator()?).into()
            }
            TileMemRvalid | TileMemQ => TilePart::MemoryRead.into(),
            TileSram => TilePart::MemoryRow.into(),
            TileInitEn | TileInitRow | TileInitCol | TileInitAddr | TileInitData => {
                TilePart::Initialisation.into()
            }

            LdPipeValid | LdPipeImm | LdPipeInstr | LdPipeRowSel | LdPipeColSel => {
                Self::LoadPipeline
            }
        })
    }
}

impl From<CellPart> for Part {
    fn from(part: CellPart) -> Self {
        Self::Cell(part)
    }
}

impl From<ColumnPart> for Part {
    fn from(part: ColumnPart) -> Self {
        Self::Column(part)
    }
}

impl From<TilePart> for Part {
    fn from(part: TilePart) -> Self {
        Self::Tile(part)
    }
}
