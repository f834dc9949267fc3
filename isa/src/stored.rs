// SPDX-License-Identifier: MIT OR Apache-2.0
//! Identities in files: each is stored as text, such as its name in the description or its canonical path; only columns
//! are stored as numbers.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::{CellId, ColumnId, Geometry, Opcode, SizeError, TileId, Unit, UnitKind, UnitNameError};

/// A text that names no identity of a kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} `{text}`")]
pub struct UnknownName {
    text: String,
    what: &'static str,
}

impl UnknownName {
    /// The error for a text that names no identity of this kind.
    pub fn new(what: &'static str, text: &str) -> Self {
        Self { text: text.to_owned(), what }
    }
}

/// The schema of a text: one of these names, or any text if there are none.
pub fn text_schema(names: &[&str]) -> Schema {
    match names.is_empty() {
        true => json_schema!({"type": "string"}),
        false => json_schema!({"type": "string", "enum": names}),
    }
}

/// Implements reading, writing and the JSON schema of types that files store as text, through `Display` and `FromStr`.
/// Each type is followed by its name in schemas and by the texts that it can have; an empty list allows any text.
#[macro_export]
macro_rules! as_text {
    ($($type:ident $what:literal $names:expr,)*) => { $(
        impl ::serde::Serialize for $type {
            fn serialize<S: ::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'d> ::serde::Deserialize<'d> for $type {
            fn deserialize<D: ::serde::Deserializer<'d>>(from: D) -> Result<Self, D::Error> {
                let text = <::std::borrow::Cow<'d, str> as ::serde::Deserialize<'d>>::deserialize(from)?;
                text.parse().map_err(::serde::de::Error::custom)
            }
        }

        impl ::schemars::JsonSchema for $type {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                $what.into()
            }

            fn json_schema(_: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                $crate::text_schema($names)
            }
        }
    )* };
}

/// Implements `FromStr` and [`as_text!`](crate::as_text) for identities with a fixed set of names.
#[macro_export]
macro_rules! by_name {
    ($($type:ident $what:literal,)*) => { $(
        impl ::std::str::FromStr for $type {
            type Err = $crate::UnknownName;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::from_name(text).ok_or_else(|| $crate::UnknownName::new($what, text))
            }
        }

        $crate::as_text! { $type $what &Self::ALL.iter().map(|i| i.name()).collect::<Vec<_>>(), }
    )* };
}

by_name! {
    Opcode "instruction",
    UnitKind "kind of unit",
}

as_text! {
    CellId "cell" &[],
    SizeText "size of a fabric" &[],
    TileId "tile" &[],
}

/// Implements `FromStr` for units of one kind, which are given by their paths.
macro_rules! of_unit {
    ($($type:ident $variant:ident,)*) => { $(
        impl FromStr for $type {
            type Err = UnitNameError;

            fn from_str(text: &str) -> Result<Self, UnitNameError> {
                match text.parse()? {
                    Unit::$variant(place) => Ok(place),
                    _ => Err(UnitNameError::new(text)),
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

/// A size as text, such as `8x2`, for keys and short records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SizeText(pub Geometry);

impl fmt::Display for SizeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for SizeText {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        text.parse().map(Self)
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
