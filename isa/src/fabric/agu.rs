// SPDX-License-Identifier: MIT OR Apache-2.0
//! The REFI that configures each AGU (chapter 3, section 2).

use super::AguId;
use crate::instructions::RefiPortNo;

impl AguId {
    /// `port_no` and `dimarch` of a REFI for this AGU.
    pub const fn refi_port(self) -> (RefiPortNo, bool) {
        match self {
            Self::W0 => (RefiPortNo::W0, false),
            Self::W1 => (RefiPortNo::W1, false),
            Self::Wb => (RefiPortNo::W0, true),
            Self::R0 => (RefiPortNo::R0, false),
            Self::R1 => (RefiPortNo::R1, false),
            Self::Rb => (RefiPortNo::R0, true),
        }
    }

    /// True for the AGUs that address 16-word rows instead of words.
    pub const fn is_block(self) -> bool {
        self.refi_port().1
    }
}
