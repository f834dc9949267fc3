// SPDX-License-Identifier: MIT OR Apache-2.0
//! Combinational signals between the blocks (chapter 5, 7.4). These signals are not compared while a case runs; once
//! registers differ, the signals of the previous cycle show in which block the difference originated.

use std::fmt;

use drra_fabric::{CellInput, Key, Lane, Side, SignalId};
use drra_golden::Signals;
use drra_isa::{CellId, Geometry, TileId, Unit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smallvec::smallvec;

use crate::value::{Value, ValueWords};

/// A signal between blocks.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SignalPlace")]
pub struct SignalLocation {
    /// Unit that the signal belongs to.
    pub unit: Unit,
    /// Identity of the signal.
    #[serde(rename = "signal")]
    pub id: SignalId,
    /// Index among the signals of the same name, counted from 0.
    #[serde(default, rename = "key", skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
}

/// A signal with its two values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignalDifference {
    /// The signal.
    pub signal: SignalLocation,
    /// Value in the golden model.
    pub golden: Value,
    /// Value in the design.
    pub dut: Value,
}

impl SignalLocation {
    /// A signal, by its identity and its key (port, channel, operand or side).
    pub fn new(unit: impl Into<Unit>, id: SignalId, key: Key) -> Self {
        Self { unit: unit.into(), id, index: id.key_kind().map(|_| key.index()) }
    }

    /// The key that distinguishes the signal from others of the same name.
    pub fn key(self) -> Key {
        let key = self.id.key_kind().zip(self.index).and_then(|(k, i)| Key::from_index(k, i));
        key.unwrap_or_default()
    }

    /// The name of the signal without the unit, `agu_en[w0]`.
    pub fn element(self) -> String {
        match (self.index, self.key().name()) {
            (None, _) => self.id.to_string(),
            (Some(_), Some(name)) => format!("{}[{name}]", self.id),
            (Some(index), None) => format!("{}[{index}]", self.id),
        }
    }

    /// A lane that a cell drives.
    pub fn lane(cell: CellId, lane: Lane) -> Self {
        let (id, port) = match lane {
            Lane::Rf0 => (SignalId::Rdata, 0),
            Lane::Rf1 => (SignalId::Rdata, 1),
            Lane::Dpu0 => (SignalId::DpuOut, 0),
            Lane::Dpu1 => (SignalId::DpuOut, 1),
        };
        Self::new(cell, id, Key::Number(port))
    }

    /// An input of a cell.
    pub fn input(cell: CellId, input: CellInput) -> Self {
        let (id, port) = match input {
            CellInput::Write0 => (SignalId::Wdata, 0),
            CellInput::Write1 => (SignalId::Wdata, 1),
            CellInput::Dpu0 => (SignalId::DpuIn, 0),
            CellInput::Dpu1 => (SignalId::DpuIn, 1),
            CellInput::Dpu2 => (SignalId::DpuIn, 2),
            CellInput::Dpu3 => (SignalId::DpuIn, 3),
        };
        Self::new(cell, id, Key::Number(port))
    }

    /// The message that enters a tile at a side.
    pub fn message_in(tile: TileId, side: Side) -> Self {
        Self::new(tile, SignalId::MsgIn, side.into())
    }

    /// The lane, if the signal is a lane.
    pub fn as_lane(self) -> Option<(CellId, Lane)> {
        let Unit::Cell(cell) = self.unit else { return None };
        Lane::ALL.into_iter().find(|lane| Self::lane(cell, *lane) == self).map(|lane| (cell, lane))
    }

    /// The input of a cell, if the signal is an input.
    pub fn as_input(self) -> Option<(CellId, CellInput)> {
        let Unit::Cell(cell) = self.unit else { return None };
        let all = CellInput::ALL.into_iter();
        all.into_iter().find(|i| Self::input(cell, *i) == self).map(|input| (cell, input))
    }

    /// All signals of a fabric, unit by unit.
    pub fn all(geometry: &Geometry) -> Vec<Self> {
        let of = |unit: Unit| {
            let ids = SignalId::ALL.iter().filter(move |id| id.info().unit == unit.kind());
            ids.flat_map(move |&id| id.keys(geometry).map(move |key| Self::new(unit, id, key)))
        };
        Unit::all(geometry).flat_map(of).filter(|signal| signal.exists()).collect()
    }

    /// False for the message at side S of the home row, which is the message of the column.
    pub fn exists(self) -> bool {
        let home = matches!(self.unit, Unit::Tile(tile) if tile.row() == 1);
        !(home && self.id == SignalId::MsgIn && self.key() == Side::S.into())
    }

    /// Width in bits; the width of a block includes its enable or its mask, which is in the upper bits.
    pub fn width(self) -> u32 {
        self.id.info().width
    }

    /// The value of the signal in the golden model; `None` if it has no meaning in this cycle or was not requested
    /// ([`drra_golden::Fabric::all_signals`]).
    ///
    /// # Panics
    /// If the fabric has no such unit, which is a bug in the caller.
    pub fn value(self, golden: &Signals) -> Option<Value> {
        self.words(golden).map(|words| Value::new(words, self.width()))
    }

    fn words(self, golden: &Signals) -> Option<ValueWords> {
        let cell = match self.unit {
            Unit::Cell(cell) => Some(golden.cell(cell)),
            Unit::Column(_) | Unit::Tile(_) | Unit::Fabric => None,
        };
        let column = match self.unit {
            Unit::Column(column) => Some(golden.column(column)),
            Unit::Cell(_) | Unit::Tile(_) | Unit::Fabric => None,
        };
        let tile = match self.unit {
            Unit::Tile(tile) => Some(golden.tile(tile)),
            Unit::Cell(_) | Unit::Column(_) | Unit::Fabric => None,
        };
        Some(match self.id {
            SignalId::Rdata | SignalId::DpuOut => smallvec![cell?.lane(self.as_lane()?.1).into()],
            SignalId::Wdata | SignalId::DpuIn => smallvec![cell?.input(self.as_input()?.1).into()],
            SignalId::CellNoc => ValueWords::from_slice(&cell?.cell_noc),
            SignalId::BlkRead => {
                let block = cell?.blk_rdata;
                let enabled = u64::from(block.is_some());
                block.unwrap_or_default().into_iter().chain([enabled]).collect()
            }
            SignalId::BlkWrite => {
                let mask = u64::from(cell?.blk_wmask);
                cell?.blk_wdata.into_iter().chain([mask]).collect()
            }
            SignalId::Up => ValueWords::from_slice(&column?.up),
            SignalId::ColNoc => smallvec![column?.col_noc],
            SignalId::MsgIn => smallvec![tile?.message_in(self.key().side()?)],
            _ => ValueWords::from_slice(golden.wire(self.unit, self.id, self.key())?),
        })
    }
}

/// `cell[0][1].dpu_out[0]`
impl fmt::Display for SignalLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.unit, self.element())
    }
}

/// The signals that differ from the golden model where its signals have a meaning, in the order of [`SignalLocation::all`];
/// `theirs` returns the value of a signal in the design, if the signal has one.
pub fn differing_signals(
    geometry: &Geometry,
    golden: &Signals,
    theirs: impl Fn(SignalLocation) -> Option<Value>,
) -> Vec<SignalDifference> {
    let differing = |signal: SignalLocation| {
        let (golden, dut) = (signal.value(golden)?, theirs(signal)?);
        (golden != dut).then_some(SignalDifference { signal, golden, dut })
    };
    SignalLocation::all(geometry).into_iter().filter_map(differing).collect()
}
