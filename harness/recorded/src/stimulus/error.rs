// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a waveform gives no stimulus.

use drra_isa::ColumnId;

use crate::{Bits, map::ExpressionError};

/// Why what is on the ports cannot drive a fabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StimulusError {
    /// Some ports of a group are there, others are not.
    #[error(
        "the map has the port `{has}`, but not `{lacks}`{}: give all ports that belong together, or none",
        missing(.path)
    )]
    Incomplete {
        /// A port that is there.
        has: &'static str,
        /// One that is not.
        lacks: &'static str,
        /// The path that the waveform lacks.
        path: Option<String>,
    },
    /// A port that counts has unknown bits.
    #[error(
        "port `{port}` is {value} in cycle {cycle}: the golden model cannot be driven with unknown bits"
    )]
    Unknown {
        port: &'static str,
        /// The cycle.
        cycle: u64,
        value: Bits,
    },
    /// One word for several cells with different flags.
    #[error(
        "the word of cycle {cycle} is for several cells, and its immediate flag differs between them: look at \
         `flag_delay` of the map"
    )]
    Flags {
        /// The cycle.
        cycle: u64,
    },
    /// An address of an input buffer with two contents.
    #[error(
        "block {address} of the input buffer of column {} is answered with other data in cycle {cycle} than \
         before: the golden model has buffers that nobody writes", column.col()
    )]
    Buffer {
        column: ColumnId,
        address: u32,
        /// The cycle of the answer.
        cycle: u64,
    },
    /// A signal shows what the map does not expect.
    #[error("in cycle {cycle}: {source}")]
    Expression {
        /// The cycle.
        cycle: u64,
        source: ExpressionError,
    },
}

fn missing(path: &Option<String>) -> String {
    path.as_ref().map_or_else(String::new, |path| format!(" (the waveform has no `{path}`)"))
}
