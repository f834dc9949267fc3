// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happens in a cycle, in the words of the chapters, for observers. Nothing of it is a
//! register, and nothing in the model depends on it.

use drra_isa::{
    CellId, Lane,
    fabric::{
        MessageKind, SequencerState, Side,
        fields::{io, route, sram},
    },
    instructions::{DpuIoChange, DpuMode},
};

use crate::{
    cell::Cell, dpu::Dpu, fabric::Fabric, message::CellMessage, register_file::RegisterFile,
    sequencer::Sequencer, sram_agu::PatternConfig, tile::TileActivity,
};

/// Names for situations, numbered from 0; the first is the default.
macro_rules! situations {
    ($(#[$doc:meta])* $name:ident { $first:ident $text:literal, $($value:ident $more:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            #[doc = concat!("`", $text, "`")]
            #[default]
            $first,
            $(#[doc = concat!("`", $more, "`")] $value,)*
        }

        impl $name {
            /// All of them in the order of their numbers.
            pub const ALL: &'static [Self] = &[Self::$first, $(Self::$value,)*];

            /// In words.
            pub const fn name(self) -> &'static str {
                match self {
                    Self::$first => $text,
                    $(Self::$value => $more,)*
                }
            }
        }
    };
}

situations! {
    /// Where an AGU of a register file is in its pattern: its state (chapter 3, 6.3), and what the
    /// edge makes of it if nothing is launched.
    AguPhase {
        Idle "IDLE",
        InitWait "INIT_WAIT",
        InitWaitLast "last cycle of INIT_WAIT",
        Run "RUN",
        RunBetween "RUN between addresses",
        RunRowEnd "RUN at the end of a row",
        RunLast "RUN at the last address",
        RowWait "ROW_WAIT",
        RowWaitLast "last cycle of ROW_WAIT",
        RowStart "ROW_START",
    }
}

situations! {
    /// Where a generator of a tile or of an I/O unit is in its pattern: its state (chapter 6, 7.1),
    /// and what the edge makes of it.
    PatternPhase {
        Idle "IDLE",
        Configured "IDLE with a configuration",
        InitWait "INIT_WAIT",
        InitWaitLast "last cycle of INIT_WAIT",
        Run "RUN within a row",
        RunBetween "RUN between addresses",
        RunRowEnd "RUN at the end of a row",
        RunBetweenRows "RUN between rows",
        RunLast "RUN at the last address",
    }
}

situations! {
    /// A loop slot in a cycle in which the program goes on (chapter 2, section 9).
    SlotPhase {
        Inactive "inactive",
        Runs "runs",
        AtEnd "at its end",
        AtLastEnd "at its end for the last time",
    }
}

situations! {
    /// What is on the load port of a cell (chapter 2, section 4).
    LoadEvent {
        None "no word",
        Other "a word for another cell",
        Own "a word",
    }
}

situations! {
    /// How a program ends (chapter 2, 5.3).
    ProgramEnd {
        No "goes on",
        Halt "HALT",
        LastWord "with its last word",
        AfterLastWord "after its last word",
        OnlyWord "as a program of one word",
    }
}

situations! {
    /// A place in a cell where an instruction waits for a flag.
    Receiver {
        AguW0 "w0",
        AguW1 "w1",
        AguWb "wb",
        AguR0 "r0",
        AguR1 "r1",
        AguRb "rb",
        Dpu "DPU",
        Message "message",
        Perm "PERM",
        Raccu "RACCU",
        Loop "LOOP",
    }
}

situations! {
    /// A message that enters a tile at a side (chapter 6, section 6).
    Arrival {
        ReadHere "read ROUTE that ends here",
        ReadToN "read ROUTE to N",
        ReadToS "read ROUTE to S",
        ReadToE "read ROUTE to E",
        ReadToW "read ROUTE to W",
        WriteHere "write ROUTE that ends here",
        WriteToN "write ROUTE to N",
        WriteToS "write ROUTE to S",
        WriteToE "write ROUTE to E",
        WriteToW "write ROUTE to W",
        SramReadTaken "read SRAM taken here",
        SramReadPassed "read SRAM passed on",
        SramReadLost "read SRAM without a path",
        SramWriteTaken "write SRAM taken here",
        SramWritePassed "write SRAM passed on",
        SramWriteLost "write SRAM without a path",
    }
}

/// What the sequencer of a cell did in its last cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SequencerActivity {
    /// State before the edge; `None` if the cycle repeated the one before it in IDLE.
    pub state: Option<SequencerState>,
    /// The load port.
    pub load: LoadEvent,
    /// The program ended with this cycle.
    pub end: ProgramEnd,
    /// The loop slots, if one is active in RUN and no WAIT holds the program.
    pub slots: Option<[SlotPhase; 4]>,
}

/// What a DPU worked on in its last cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DpuWork {
    /// The mode in force.
    pub mode: DpuMode,
    /// `control` of the instruction in force.
    pub control: u8,
    /// `io_change` in this cycle: in that of a launch it is the new one already.
    pub io: DpuIoChange,
    /// Lane width in force for operands (`bw_reg`).
    pub bw_reg: u8,
    /// Lane width that BW asks for (`cfg_bw`).
    pub cfg_bw: u8,
    /// Inputs 0 to 3 before any negation.
    pub input: [u16; 4],
    /// Constant registers before the edge.
    pub ir: [u16; 2],
}

/// A configuration that is offered to a generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Side of the tile that took it; `S` at an I/O unit.
    pub side: Side,
    /// Where the generator is in its pattern.
    pub phase: PatternPhase,
    /// The configuration.
    pub config: PatternConfig,
}

/// What the I/O unit of a column did in its last cycle; the read generator comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnActivity {
    /// Configurations offered to its generators.
    pub offers: [Option<Offer>; 2],
    /// Where they were in their patterns, before the edge.
    pub phases: [PatternPhase; 2],
}

impl CellMessage {
    /// Kind, and true for a write; `None` if there is no message.
    #[inline]
    fn view(self) -> Option<(MessageKind, bool)> {
        let write = match self.kind {
            MessageKind::None => return None,
            MessageKind::Io => io::RW.get(self.payload),
            MessageKind::Route => route::DIRECTION.get(self.payload),
            MessageKind::Sram => sram::RW.get(self.payload),
        };
        Some((self.kind, write == 1))
    }
}

/// A cell, for observers that look at every cell in every cycle.
#[derive(Clone, Copy, Debug)]
pub struct CellView<'a>(&'a Cell);

impl<'a> CellView<'a> {
    /// Where it is.
    pub fn id(self) -> CellId {
        self.0.id()
    }

    /// Its sequencer.
    #[inline]
    pub fn sequencer(self) -> &'a Sequencer {
        &self.0.seq
    }

    /// Its register file.
    #[inline]
    pub fn register_file(self) -> &'a RegisterFile {
        &self.0.rf
    }

    /// Its DPU.
    #[inline]
    pub fn dpu(self) -> &'a Dpu {
        &self.0.dpu
    }

    /// The message that it hands to its column in the current cycle: as [`Fabric::message`].
    #[inline]
    pub fn message(self) -> Option<(MessageKind, bool)> {
        self.0.message().view()
    }

    /// Bit k: something waits for a flag in the k-th of [`Receiver::ALL`].
    #[inline]
    pub fn waiting(self) -> u16 {
        self.0.waiting()
    }

    /// What was on its six inputs in the last step.
    #[inline]
    pub fn inputs(self) -> &'a [u16; 6] {
        &self.0.vin
    }

    /// Which lane each input listens to in the current cycle: index of the cell times 4, plus that of
    /// the lane; a number beyond all lanes for an input that reads 0.
    #[inline]
    pub fn sources(self) -> &'a [u16; 6] {
        &self.0.sources
    }
}

impl Fabric {
    /// The message that a cell hands to its column in the current cycle: its kind, and true for a
    /// write.
    #[inline]
    pub fn message(&self, cell: CellId) -> Option<(MessageKind, bool)> {
        self.cell(cell).message().view()
    }

    /// The cells, row-major.
    #[inline]
    pub fn cells(&self) -> impl ExactSizeIterator<Item = CellView<'_>> {
        self.cells.iter().map(CellView)
    }

    /// The I/O units that did something in the last step, by column.
    #[inline]
    pub fn active_columns(&self) -> impl Iterator<Item = &ColumnActivity> {
        self.active_columns.iter().map(|c| &self.columns[*c].activity)
    }

    /// The tiles that did something in the last step, each by its index, ascending.
    #[inline]
    pub fn active_tiles(&self) -> impl Iterator<Item = (usize, &TileActivity)> {
        self.active_tiles.iter().map(|i| (*i, &self.tiles[*i].activity))
    }

    /// The lane behind a number of [`CellView::sources`].
    #[inline]
    pub fn source(&self, number: u16) -> Option<(CellId, Lane)> {
        let (cell, lane) = (usize::from(number) / 4, usize::from(number) % 4);
        if cell >= self.geometry.cells() {
            return None;
        }
        Some((CellId::from_index(cell, &self.geometry)?, Lane::from_index(lane)?))
    }
}
