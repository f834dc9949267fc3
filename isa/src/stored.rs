// SPDX-License-Identifier: MIT OR Apache-2.0
//! Identities in files: each is stored as text, such as its name in the description or its canonical path; only columns
//! are stored as numbers.

use std::{borrow::Cow, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::{
    CellId, CellInput, ColumnId, Geometry, Lane, Opcode, PlaceError, TileId, Unit, UnitKind,
    fabric::{
        AguId, CrossbarPort, CrossbarSource, Generator, Location, MessageKind, PortId, RegisterId,
        RuleId, Side, SignalId,
    },
};

/// A text that names no identity of a kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} `{text}`")]
pub struct UnknownName {
    text: String,
    what: &'static str,
}

/// The names allowed in files; any text if there are none.
fn schema(names: &[&str]) -> Schema {
    match names.is_empty() {
        true => json_schema!({"type": "string"}),
        false => json_schema!({"type": "string", "enum": names}),
    }
}

/// Identities that are read and written as text.
macro_rules! as_text {
    ($($type:ident $what:literal $names:expr,)*) => { $(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'d> Deserialize<'d> for $type {
            fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Self, D::Error> {
                Cow::<str>::deserialize(from)?.parse().map_err(D::Error::custom)
            }
        }

        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $what.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                schema($names)
            }
        }
    )* };
}

/// Identities with a fixed set of names.
macro_rules! by_name {
    ($($type:ident $what:literal,)*) => { $(
        impl FromStr for $type {
            type Err = UnknownName;

            fn from_str(text: &str) -> Result<Self, UnknownName> {
                let found = Self::ALL.iter().copied().find(|i| i.name() == text);
                found.ok_or_else(|| UnknownName { text: text.to_owned(), what: $what })
            }
        }

        as_text! { $type $what &Self::ALL.iter().map(|i| i.name()).collect::<Vec<_>>(), }
    )* };
}

by_name! {
    AguId "AGU",
    CellInput "input of a cell",
    CrossbarPort "crossbar output",
    CrossbarSource "crossbar source",
    Generator "generator",
    Lane "lane",
    MessageKind "kind of message",
    Opcode "instruction",
    PortId "output port",
    RegisterId "kind of register",
    RuleId "rule",
    Side "side",
    SignalId "kind of signal",
    UnitKind "kind of unit",
}

as_text! {
    CellId "cell" &[],
    Geometry "size of a fabric" &[],
    Location "register" &[],
    TileId "tile" &[],
}

/// Units of one kind, by their paths.
macro_rules! of_unit {
    ($($type:ident $variant:ident,)*) => { $(
        impl FromStr for $type {
            type Err = PlaceError;

            fn from_str(text: &str) -> Result<Self, PlaceError> {
                match text.parse()? {
                    Unit::$variant(place) => Ok(place),
                    _ => Err(PlaceError::new(text)),
                }
            }
        }
    )* };
}

of_unit! {
    CellId Cell,
    TileId Tile,
}

/// The fabric itself has no path; it is written as `fabric`.
impl Serialize for Unit {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fabric => UnitKind::Fabric.serialize(to),
            _ => to.collect_str(self),
        }
    }
}

impl<'d> Deserialize<'d> for Unit {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(from)?;
        if text == UnitKind::Fabric.name() {
            return Ok(Self::Fabric);
        }
        let unit = text.parse().ok().filter(|unit| *unit != Self::Fabric);
        unit.ok_or_else(|| D::Error::custom(format!("`{text}` is not a unit")))
    }
}

impl JsonSchema for Unit {
    fn schema_name() -> Cow<'static, str> {
        "unit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

/// Files store a column as its number.
impl Serialize for ColumnId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.col().serialize(to)
    }
}

impl<'d> Deserialize<'d> for ColumnId {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Self, D::Error> {
        let col = usize::deserialize(from)?;
        Self::new(col).ok_or_else(|| D::Error::custom(format!("no fabric has a column {col}")))
    }
}

impl JsonSchema for ColumnId {
    fn schema_name() -> Cow<'static, str> {
        "column".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        usize::json_schema(generator)
    }
}

// A size as an object of its four numbers: `#[serde(with = "SizeNumbers")]`.
/// Size of a fabric.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Geometry", deny_unknown_fields)]
#[schemars(rename = "FabricSize")]
pub struct SizeNumbers {
    /// Columns of cells and tiles.
    pub columns: usize,
    /// Rows of tiles.
    pub tile_rows: usize,
    /// Words of a register file.
    pub rf_words: usize,
    /// Blocks of a tile's memory.
    pub sram_blocks: usize,
}
