// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fan-in of a block output: the signals that enter the block that drives a register, a signal or an output port
//! (chapter 5, 7.4). The fabric description lists these signals. Where the state of the cycle selects among these
//! signals, the selection is looked up in the signals of the golden model, by one function per selector.

use drra_fabric::{AguId, FanInSource, Key, KeyKind, Location, PortId, SignalId};
use drra_golden::Signals;
use drra_isa::{CellId, ColumnId, Geometry, Unit};
use drra_lockstep::{PortDifference, SignalLocation};

/// An output of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BlockOutput {
    /// A register, which captures its value at the edge that ends the cycle.
    Register(Location),
    /// A signal.
    Signal(SignalLocation),
    /// An output port; with its column if every column has such a port.
    Port(PortId, Option<ColumnId>),
}

impl BlockOutput {
    /// The unit and key of the output.
    pub(crate) fn place(self) -> (Unit, Key) {
        match self {
            Self::Register(Location { unit, register }) => (unit, register.key()),
            Self::Signal(signal) => (signal.unit, signal.key()),
            Self::Port(_, column) => (column.map_or(Unit::Fabric, Unit::Column), Key::None),
        }
    }

    /// The kind of key that distinguishes the output from others of its kind.
    pub(crate) fn key_kind(self) -> Option<KeyKind> {
        match self {
            Self::Register(location) => location.register.id().key_kind(),
            Self::Signal(signal) => signal.id.key_kind(),
            Self::Port(..) => None,
        }
    }

    /// The inputs of the block that drives the output.
    fn sources(self) -> &'static [FanInSource] {
        match self {
            Self::Register(location) => location.register.id().group().sources(),
            Self::Signal(signal) => signal.id.sources(),
            Self::Port(port, _) => port.sources(),
        }
    }
}

impl From<&PortDifference> for BlockOutput {
    fn from(port: &PortDifference) -> Self {
        Self::Port(port.port, port.column)
    }
}

/// The signals of the golden model in a cycle, which determine the connections in this cycle.
pub(crate) struct Wiring<'a> {
    pub(crate) geometry: &'a Geometry,
    pub(crate) signals: &'a Signals,
}

impl Wiring<'_> {
    /// The signals entering the block that drives an output. Signals that select other signals come first, so that
    /// the first differing signal is the reason for the later differences.
    pub(crate) fn fan_in(&self, output: BlockOutput) -> Vec<SignalLocation> {
        let (unit, key) = output.place();
        let found = output.sources().iter().flat_map(|source| match (source, unit, output) {
            (FanInSource::Signals(source), ..) => {
                let all = source.signals(unit, key, self.geometry).into_iter();
                all.map(|(unit, id, key)| SignalLocation::new(unit, id, key)).collect()
            }
            (FanInSource::SelectedLane, _, BlockOutput::Signal(input)) => self.selected_lane(input),
            (FanInSource::SelectedWritePort, Unit::Cell(cell), _) => self.selected_ports(cell, key),
            _ => Vec::new(),
        });
        found.filter(|signal| signal.exists()).collect()
    }

    /// The lane that an input of a cell is connected to.
    fn selected_lane(&self, input: SignalLocation) -> Vec<SignalLocation> {
        let source =
            input.as_input().and_then(|(cell, input)| self.signals.cell(cell).source(input));
        source.map(|(from, lane)| SignalLocation::lane(from, lane)).into_iter().collect()
    }

    /// The data of the ports that write to a register file; the ports that write the word come first.
    fn selected_ports(&self, cell: CellId, word: Key) -> Vec<SignalLocation> {
        let data = |agu: AguId| match agu {
            AguId::W0 => (SignalId::RfWdata, Key::Number(0)),
            AguId::W1 => (SignalId::RfWdata, Key::Number(1)),
            _ => (SignalId::BlkWrite, Key::None),
        };
        let writes = |agu: AguId| {
            let at = usize::from(self.signals.cell(cell).emitted(agu)?);
            Some(at == if agu == AguId::Wb { word.index() / 16 } else { word.index() })
        };
        let mut ports: Vec<(bool, AguId)> = [AguId::Wb, AguId::W0, AguId::W1]
            .into_iter()
            .filter_map(|agu| Some((writes(agu)?, agu)))
            .collect();
        ports.sort_by_key(|(hits, _)| !hits);
        let signal = |(id, key)| SignalLocation::new(cell, id, key);
        ports.into_iter().map(|(_, agu)| signal(data(agu))).collect()
    }
}
