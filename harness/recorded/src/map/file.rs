// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file of a signal map. The types here are the format; `map.schema.json` is derived from them.

use std::collections::BTreeMap;

use drra_isa::Geometry;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, MapAccess, SeqAccess, value::SeqAccessDeserializer},
};

use super::{
    MapError, layout,
    loose::{self, Loose},
    ports::InputPort,
    term::{Number, Term},
    unique,
};

/// Version of the format.
pub const VERSION: u32 = 1;

/// The JSON schema of maps, as it is committed in `harness/recorded/map.schema.json`.
pub fn schema() -> String {
    let schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<MapFile>();
    serde_json::to_string_pretty(&schema).expect("plain data") + "\n"
}

/// A signal map: which signal of a dump shows which register of the golden model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "DRRA signal map, version 1")]
pub struct MapFile {
    /// Version of the format.
    #[schemars(extend("const" = VERSION))]
    pub version: u32,
    /// What the map is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// The simulator whose dumps have these names.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub simulator: String,
    /// Size of the fabric that the map is meant for; what is left out may be anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fabric: Option<FabricSize>,
    /// Beginnings of paths with a name. A list is tried in its order: the first that exists counts.
    #[serde(
        rename = "let",
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "unique::read"
    )]
    pub prefixes: BTreeMap<String, Prefix>,
    /// Tables for indices.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "unique::read"
    )]
    pub tables: BTreeMap<String, Table>,
    /// The clock of the fabric. A map for a model that is run in lock-step needs none.
    #[serde(default, skip_serializing_if = "ClockEntry::is_missing")]
    pub clock: ClockEntry,
    /// The reset of the fabric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reset: Option<ResetEntry>,
    /// Where cycle 0 of the golden model is; without it at the end of the reset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle_0: Option<CycleZeroEntry>,
    /// What is driven. A port of which there is one for each cell or column has the letters r and c, or c.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "unique::read"
    )]
    #[schemars(extend("propertyNames" = InputPort::schema()))]
    pub ports: BTreeMap<InputPort, Term>,
    /// Cycles from a word to its immediate flag at cell (r,c); without it they come together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag_delay: Option<Number>,
    /// What the fabric drives, by the names of chapter 5; with letters as `ports`.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "unique::read"
    )]
    pub outputs: BTreeMap<String, Term>,
    /// Registers of the golden model.
    pub registers: Vec<RegisterEntry>,
}

/// Size of a fabric.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FabricSize {
    /// Columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<usize>,
    /// Rows of tiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tile_rows: Option<usize>,
    /// Words of a register file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rf_words: Option<usize>,
    /// Blocks of a tile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sram_blocks: Option<usize>,
}

impl FabricSize {
    /// The first thing in which a fabric is of another size: name, size of the map, size of the fabric.
    pub(super) fn difference(&self, g: &Geometry) -> Option<(&'static str, usize, usize)> {
        [
            ("columns", self.columns, g.columns),
            ("tile_rows", self.tile_rows, g.tile_rows),
            ("rf_words", self.rf_words, g.rf_words),
            ("sram_blocks", self.sram_blocks, g.sram_blocks),
        ]
        .into_iter()
        .find_map(|(name, map, is)| map.filter(|m| *m != is).map(|m| (name, m, is)))
    }
}

/// The beginning of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Prefix {
    /// The only one.
    One(String),
    /// Alternatives.
    Several(#[schemars(length(min = 1))] Vec<String>),
}

impl Prefix {
    /// The alternatives in their order.
    pub fn alternatives(&self) -> &[String] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Several(several) => several,
        }
    }
}

/// A table: from an index to a number or a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Table {
    /// By position.
    List(Vec<Number>),
    /// By name, or by number.
    Names(BTreeMap<String, Number>),
}

/// The clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClockEntry {
    /// Path of the signal.
    pub signal: String,
    /// The edge at which registers change; a cycle ends just before it.
    pub edge: ClockEdge,
}

impl ClockEntry {
    /// True if the map names no clock.
    pub fn is_missing(&self) -> bool {
        self.signal.is_empty()
    }
}

/// An edge of a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClockEdge {
    /// From 0 to 1.
    #[default]
    Rising,
    /// From 1 to 0.
    Falling,
}

/// The reset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResetEntry {
    /// Path of the signal.
    pub signal: String,
    /// Its level while the fabric is in reset.
    pub active: Level,
}

/// A level of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// 0.
    Low,
    /// 1.
    High,
}

/// Where cycle 0 is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CycleZeroEntry {
    /// Cycle 0 ends with the first edge that samples this bit as 1; without it with the first one that samples
    /// the reset as inactive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Term>,
    /// Cycles that are skipped from there on.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skip: u32,
}

fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}

/// Registers of one pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterEntry {
    /// Path of a register in which a letter stands for every index.
    pub register: String,
    /// Its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Term>,
    /// Why it is not compared, instead of a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub exclude: Option<String>,
    /// Cycles that the signal is later than the register; negative if it is earlier.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = -64, max = 64))]
    pub offset: i32,
    /// From when on it is compared; without it from the reset on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<CompareFrom>,
    /// Compared while this bit of the dump is 1.
    #[serde(rename = "while", default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<Term>,
    /// Compared while a register of the golden model has or has not a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub while_register: Option<GoldenEntry>,
    /// For readers; it is shown with the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// From when on a register is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CompareFrom {
    /// From cycle 0 on.
    Reset,
    /// From the first cycle on in which every cell has all words of the case.
    LoadEnd,
    /// From this cycle on.
    #[serde(untagged)]
    Cycle(u64),
}

/// A condition on a register of the golden model; exactly one of `equals` and `not`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GoldenEntry {
    /// Path of the register, with the letters of the entry.
    pub register: String,
    /// It has this value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equals: Option<u64>,
    /// It has another value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not: Option<u64>,
}

impl MapFile {
    /// Reads a map.
    ///
    /// # Errors
    /// JSON that is malformed or has another form than a map, with the JSON path; another version.
    pub fn parse(text: &str) -> Result<Self, MapError> {
        let deserializer = &mut serde_json::Deserializer::from_str(text);
        let file: Self = serde_path_to_error::deserialize(&mut *deserializer).map_err(|e| {
            // What is not known of a path, such as a misspelt key, is left out.
            let path = e.path().to_string();
            let path = path.trim_end_matches('?').trim_end_matches('.');
            let path = if path.is_empty() { "." } else { path }.to_owned();
            MapError::Json { path, source: e.into_inner() }
        })?;
        let whole = |source| MapError::Json { path: ".".to_owned(), source };
        deserializer.end().map_err(whole)?;
        if file.version != VERSION {
            return Err(MapError::Version { found: file.version, known: VERSION });
        }
        Ok(file)
    }

    /// The file as JSON, as a person would write it: an entry in a line, if it fits.
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        layout::write(&serde_json::to_value(self).expect("plain data"), &mut text);
        text
    }
}

impl Loose for Prefix {
    const EXPECTED: &'static str = "a text or a list of texts";

    fn text<E: Error>(text: &str) -> Result<Self, E> {
        Ok(Self::One(text.to_owned()))
    }

    fn list<'de, A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(Self::Several)
    }
}

impl Loose for Table {
    const EXPECTED: &'static str = "a list or an object of numbers and texts";

    fn list<'de, A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(Self::List)
    }

    fn object<'de, A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        unique::elements(object).map(Self::Names)
    }
}

impl Loose for CompareFrom {
    const EXPECTED: &'static str = "\"reset\", \"load_end\" or a cycle";

    fn text<E: Error>(text: &str) -> Result<Self, E> {
        match text {
            "reset" => Ok(Self::Reset),
            "load_end" => Ok(Self::LoadEnd),
            _ => Err(E::unknown_variant(text, &["reset", "load_end"])),
        }
    }

    fn number<E: Error>(number: u64) -> Result<Self, E> {
        Ok(Self::Cycle(number))
    }
}

/// Reads a type in whatever form it is.
macro_rules! loose {
    ($($name:ident)*) => {$(
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                loose::read(deserializer)
            }
        }
    )*};
}

loose! { Prefix Table CompareFrom }
