// SPDX-License-Identifier: MIT OR Apache-2.0
//! The five published revisions (chapter 1, section 5), embedded.

use std::{str::FromStr, sync::OnceLock};

use crate::description::{Isa, load};

/// A published revision of the instruction set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Revision {
    /// Hand-written table; only the values of one-bit fields have names.
    R0,
    /// Adds names for the values of wider fields, among them the DPU modes.
    R1,
    /// Adds `LOOP.link`, and replaces the list of DPU modes.
    R2,
    /// Adds `BW`; also called v2.
    R3,
    /// Adds `IO` and `PERM`; also called v3. The hardware implements this revision.
    #[default]
    R4,
}

impl Revision {
    /// All revisions, oldest first.
    pub const ALL: [Self; 5] = [Self::R0, Self::R1, Self::R2, Self::R3, Self::R4];

    /// Name in the assembly language: `r0` .. `r4`.
    pub fn name(self) -> &'static str {
        ["r0", "r1", "r2", "r3", "r4"][self as usize]
    }

    /// Text of the embedded description file.
    pub fn source(self) -> &'static str {
        match self {
            Self::R0 => include_str!("../revisions/silago1-r0.json"),
            Self::R1 => include_str!("../revisions/silago1-r1.json"),
            Self::R2 => include_str!("../revisions/silago1-r2.json"),
            Self::R3 => include_str!("../revisions/silago1-r3.json"),
            Self::R4 => include_str!("../silago1.json"),
        }
    }

    /// The loaded description.
    ///
    /// # Panics
    /// Never: a test loads every embedded description.
    pub fn isa(self) -> &'static Isa {
        static LOADED: [OnceLock<Isa>; 5] = [const { OnceLock::new() }; 5];
        let valid = || load(self.source()).isa.expect("embedded description is valid");
        LOADED[self as usize].get_or_init(valid)
    }
}

impl FromStr for Revision {
    type Err = ();

    /// Reads `r0` .. `r4`, `v2` (= r3) or `v3` (= r4), case-insensitively.
    fn from_str(text: &str) -> Result<Self, ()> {
        match text.to_ascii_lowercase().as_str() {
            "r0" => Ok(Self::R0),
            "r1" => Ok(Self::R1),
            "r2" => Ok(Self::R2),
            "r3" | "v2" => Ok(Self::R3),
            "r4" | "v3" => Ok(Self::R4),
            _ => Err(()),
        }
    }
}
