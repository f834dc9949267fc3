// SPDX-License-Identifier: MIT OR Apache-2.0
//! The description that a tool works with: a published revision, or a user's own.

use std::{fmt, sync::Arc};

use crate::{description::Isa, json::is_identifier, revision::Revision};

/// The instruction set with which a text or an image is read.
#[derive(Clone, Debug)]
pub enum InstructionSet {
    /// A published revision.
    Published(Revision),
    /// A given description.
    Given(Arc<Isa>),
}

impl InstructionSet {
    /// Message about a name that is not a mnemonic.
    pub(crate) fn no_mnemonic(&self, name: &str) -> String {
        let known: Vec<&str> = self.isa().instructions.iter().map(|i| i.name.as_str()).collect();
        format!("unknown mnemonic `{name}` in {self}; it has {}", known.join(", "))
    }

    /// The description of the instruction set.
    pub fn isa(&self) -> &Isa {
        match self {
            Self::Published(revision) => revision.isa(),
            Self::Given(isa) => isa,
        }
    }

    /// The name for an `.ISA` line; `None` for a description whose revision is not an identifier.
    pub fn directive_name(&self) -> Option<&str> {
        match self {
            Self::Published(revision) => Some(revision.name()),
            Self::Given(isa) => Some(isa.revision.as_str()).filter(|name| is_identifier(name)),
        }
    }
}

impl Default for InstructionSet {
    fn default() -> Self {
        Self::Published(Revision::default())
    }
}

impl From<Revision> for InstructionSet {
    fn from(revision: Revision) -> Self {
        Self::Published(revision)
    }
}

impl From<Isa> for InstructionSet {
    fn from(isa: Isa) -> Self {
        Self::Given(Arc::new(isa))
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Published(revision) => write!(f, "revision {}", revision.name()),
            Self::Given(isa) if isa.title().is_empty() => f.write_str("the given description"),
            Self::Given(isa) => write!(f, "the given description {}", isa.title()),
        }
    }
}
