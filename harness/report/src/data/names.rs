// SPDX-License-Identifier: MIT OR Apache-2.0
//! Identities in files: each stands there as the name that the descriptions give it, a register as its
//! canonical path.

use std::{borrow::Cow, fmt, ops::Deref};

use drra_diagnose::attribution::Writer;
use drra_isa::{
    CellId, CellInput, Lane, Opcode, TileId, Unit,
    fabric::{
        AguId, CrossbarPort, CrossbarSource, Generator, Location, MessageKind, PortId, RegisterId,
        RuleId, Side, SignalId,
    },
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// An identity that stands in a file as its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Named<T>(pub T);

/// What has a name in files.
pub trait Name: Copy {
    /// What it is, in a word.
    const WHAT: &'static str;
    /// All names, if they are few.
    fn names() -> Vec<String> {
        Vec::new()
    }
    /// Its name.
    fn name(self) -> String;
    /// The one with this name.
    fn find(name: &str) -> Option<Self>;
}

impl<T> Deref for Named<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> From<T> for Named<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T: fmt::Display> fmt::Display for Named<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: Name> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.name())
    }
}

impl<'de, T: Name> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let unknown = || D::Error::custom(format!("`{text}` is no {}", T::WHAT));
        T::find(&text).map(Self).ok_or_else(unknown)
    }
}

impl<T: Name> JsonSchema for Named<T> {
    fn schema_name() -> Cow<'static, str> {
        T::WHAT.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names = T::names();
        if names.is_empty() {
            json_schema!({"type": "string"})
        } else {
            json_schema!({"type": "string", "enum": names})
        }
    }
}

/// Identities whose names are known.
macro_rules! names {
    ($($type:ident $what:literal,)*) => {
        $(
            impl Name for $type {
                const WHAT: &'static str = $what;

                fn names() -> Vec<String> {
                    Self::ALL.iter().map(|i| i.name().to_string()).collect()
                }

                fn name(self) -> String {
                    $type::name(self).to_string()
                }

                fn find(name: &str) -> Option<Self> {
                    Self::ALL.iter().copied().find(|i| i.name() == name)
                }
            }
        )*
    };
}

names! {
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
}

/// Identities that are read and shown as text.
macro_rules! paths {
    ($($type:ident $what:literal,)*) => {
        $(
            impl Name for $type {
                const WHAT: &'static str = $what;

                fn name(self) -> String {
                    self.to_string()
                }

                fn find(name: &str) -> Option<Self> {
                    name.parse().ok()
                }
            }
        )*
    };
}

paths! {
    Location "register",
}

/// The fabric itself has no path; it stands there as `fabric`.
impl Name for Unit {
    const WHAT: &'static str = "unit";

    fn name(self) -> String {
        match self {
            Self::Fabric => self.kind().name().to_owned(),
            _ => self.to_string(),
        }
    }

    fn find(name: &str) -> Option<Self> {
        if name == Self::Fabric.kind().name() {
            return Some(Self::Fabric);
        }
        name.parse().ok().filter(|unit| *unit != Self::Fabric)
    }
}

impl Name for CellId {
    const WHAT: &'static str = "cell";

    fn name(self) -> String {
        self.to_string()
    }

    fn find(name: &str) -> Option<Self> {
        match name.parse() {
            Ok(Unit::Cell(cell)) => Some(cell),
            _ => None,
        }
    }
}

impl Name for TileId {
    const WHAT: &'static str = "tile";

    fn name(self) -> String {
        self.to_string()
    }

    fn find(name: &str) -> Option<Self> {
        match name.parse() {
            Ok(Unit::Tile(tile)) => Some(tile),
            _ => None,
        }
    }
}

impl Name for Writer {
    const WHAT: &'static str = "writer of a register file";

    fn names() -> Vec<String> {
        WRITERS.map(Name::name).to_vec()
    }

    fn name(self) -> String {
        let name = match self {
            Self::Init => "init",
            Self::Wb => "wb",
            Self::W0 => "w0",
            Self::W1 => "w1",
            Self::Perm => "perm",
        };
        name.to_owned()
    }

    fn find(name: &str) -> Option<Self> {
        WRITERS.into_iter().find(|w| w.name() == name)
    }
}

const WRITERS: [Writer; 5] = [Writer::Init, Writer::Wb, Writer::W0, Writer::W1, Writer::Perm];
