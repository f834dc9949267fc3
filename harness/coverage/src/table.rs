// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of all covergroups: the fields of each instruction, then the crosses.

use std::sync::LazyLock;

use drra_case::DirectedSequence;
use drra_isa::Opcode;
use rand_chacha::ChaCha8Rng;

use crate::{covergroup::Covergroup, covergroups::fields, cross::DirectedCross};

/// A cross of the table.
pub(crate) trait TableCross: DirectedCross {
    /// Position of the cross among the crosses.
    const POSITION: usize;
}

/// The crosses in the order of the bins.
macro_rules! list {
    ($($module:ident::$Group:ident,)*) => {
        enum Position {
            $($Group,)*
        }

        $(impl TableCross for crate::covergroups::$module::$Group {
            const POSITION: usize = Position::$Group as usize;
        })*

        /// Number of crosses.
        pub(crate) const CROSSES: usize = [$(Position::$Group,)*].len();

        /// All crosses.
        fn crosses() -> [Covergroup; CROSSES] {
            [$(Covergroup::of::<crate::covergroups::$module::$Group>(),)*]
        }
    };
}

list! {
    settings::DpuConfigurations,
    settings::Switchbox,
    patterns::Launches,
    patterns::Patterns,
    settings::Loops,
    settings::Raccu,
    settings::NocPaths,
    settings::SramPatterns,
    settings::IoPatterns,
    settings::PermDistances,
    events::Events,
    instructions::Pairs,
    instructions::Triples,
    instructions::ColumnPairs,
    instructions::ColumnEvents,
    instructions::Waiting,
    patterns::Relaunches,
    patterns::Shadowings,
    patterns::TileOffers,
    patterns::TilePairs,
    patterns::IoOffers,
    patterns::IoPairs,
    messages::Meetings,
    messages::Successions,
    messages::Closings,
    arbitration::TileChoices,
    arbitration::Redirects,
    words::SameWord,
    words::WordAgain,
    words::Histories,
    modes::ModeChanges,
    modes::WidthChanges,
    operands::OperandPairs,
    operands::SingleOperands,
    operands::Saturated,
    control::LoopEnds,
    control::Branches,
    connections::Connections,
    control::Sequencers,
    limits::RegisterOperands,
    limits::RaccuShifts,
    limits::DpuShifts,
    limits::Pieces,
    limits::Carries,
    limits::LongPatterns,
    limits::LongWaits,
    changes::Reconnections,
    changes::DpuSettings,
    changes::Permutations,
    changes::Results,
}

/// All covergroups; their bins are numbered consecutively.
pub fn groups() -> &'static [Covergroup] {
    static GROUPS: LazyLock<Vec<Covergroup>> = LazyLock::new(|| {
        let mut groups: Vec<Covergroup> = Opcode::ALL.iter().map(|o| fields::group(*o)).collect();
        groups.extend(crosses());
        let mut first = 0;
        for group in &mut groups {
            group.first = first;
            first += group.bins().len();
        }
        groups
    });
    &GROUPS
}

/// First bins of the crosses.
pub(crate) fn firsts() -> [usize; CROSSES] {
    std::array::from_fn(|k| groups()[Opcode::ALL.len() + k].first)
}

/// Number of all bins.
pub(crate) fn total() -> usize {
    groups().iter().map(|group| group.bins().len()).sum()
}

/// A number that changes with the groups, their bins, or their order. Every JSON reader can represent it exactly.
pub fn fingerprint() -> u64 {
    // FNV-1a.
    let byte = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let text = |hash, text: &str| text.bytes().chain([0]).fold(hash, byte);
    let whole = groups().iter().fold(0xcbf2_9ce4_8422_2325, |hash, group| {
        group.coverpoints().iter().fold(text(hash, &group.name), |hash, point| {
            point.values.iter().fold(text(hash, point.name), |hash, value| text(hash, value))
        })
    });
    whole >> 11
}

/// A bin with a directed sequence.
#[derive(Clone, Copy, Debug)]
pub struct DirectedBin {
    group: &'static Covergroup,
    bin: usize,
}

impl DirectedBin {
    /// A bin of a group, numbered from 0; `None` if the group has no such bin, no case can hit it, or it has no
    /// directed sequence.
    pub fn new(group: &'static Covergroup, bin: usize) -> Option<Self> {
        let can = bin < group.bins().len() && group.is_directed(bin);
        can.then_some(Self { group, bin })
    }

    /// Number of the bin among the bins of all groups.
    pub fn bin(self) -> usize {
        self.group.first + self.bin
    }

    /// The group of the bin.
    pub fn group(self) -> &'static Covergroup {
        self.group
    }

    /// Instructions and data that hit the bin if nothing interferes.
    pub fn sequence(self, rng: &mut ChaCha8Rng) -> DirectedSequence {
        self.group.sequence(self.bin, rng)
    }
}
