// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sides of a tile and the outputs of its crossbar (chapter 6).

use drra_fabric::{CrossbarPort, CrossbarSource, Side};

/// The side that a crossbar output follows, if it follows one.
pub fn side_of(source: CrossbarSource) -> Option<Side> {
    match source {
        CrossbarSource::N => Some(Side::N),
        CrossbarSource::S => Some(Side::S),
        CrossbarSource::E => Some(Side::E),
        CrossbarSource::W => Some(Side::W),
        CrossbarSource::Mem | CrossbarSource::None => None,
    }
}

/// The crossbar output that leads out at a side; sides come first among the outputs.
pub fn output_at(side: Side) -> CrossbarPort {
    CrossbarPort::ALL[side.index()]
}
