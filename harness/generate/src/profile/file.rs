// SPDX-License-Identifier: MIT OR Apache-2.0
//! Profiles as written: whatever a profile omits comes from the profile that it extends. The types here define the
//! format; `profile.schema.json` is derived from them.

use std::collections::BTreeMap;

use drra_isa::SizeText;
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::Deserialize;

use super::{
    DataWeights, FabricWeights, Profile, ProfileError, Scenario,
    limits::{MAX_CELLS, MAX_CYCLES, MAX_MUTATIONS, MAX_SCENARIOS, MAX_WEIGHT},
};
use crate::constraint::{Constraint, numbers};

/// Version of the format.
const VERSION: u32 = 1;

/// The JSON schema of profiles, as it is committed in `harness/profiles/profile.schema.json`.
pub fn schema() -> String {
    let schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<ProfileFile>();
    serde_json::to_string_pretty(&schema).expect("plain data") + "\n"
}

/// The schema for the names of scenarios, because a map does not include the schema of its keys.
fn scenario_names() -> Schema {
    let settings = SchemaSettings::draft07().with(|s| s.meta_schema = None);
    settings.into_generator().into_root_schema_for::<Scenario>()
}

/// The schema for the names of sizes.
fn size_names() -> Schema {
    let name = "^([2-9]|[12][0-9]|3[0-2])x[1-7](-rf(32|64))?(-sram(2|4|8|16|32|64|128))?$";
    schemars::json_schema!({ "type": "string", "pattern": name })
}

/// The schema for the numbers of deviations.
fn deviations() -> serde_json::Value {
    serde_json::json!({ "enum": numbers().collect::<Vec<_>>() })
}

/// A relative weight.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Weight(#[schemars(range(max = MAX_WEIGHT))] u32);

/// Weights and ranges of the case generator; whatever a profile omits comes from the profile that it extends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "DRRA generator profile, version 1")]
pub(super) struct ProfileFile {
    /// Version of the format.
    #[schemars(extend("const" = VERSION))]
    version: u32,
    /// Name of the profile.
    #[schemars(length(min = 1), regex(pattern = r"^[^\x00-\x1F\x7F-\x9F]*$"))]
    name: String,
    /// Purpose of the profile.
    #[expect(dead_code, reason = "for readers of the file")]
    description: Option<String>,
    /// Name of a shipped profile, or NAME for a file NAME.json in the same folder.
    pub(super) extends: Option<String>,
    /// Minimum and maximum number of cells with a program.
    #[schemars(inner(range(min = 1, max = MAX_CELLS)))]
    cells: Option<[u64; 2]>,
    /// Minimum and maximum number of cycles planned after the load phase; a case can end earlier or later.
    #[schemars(inner(range(min = 1, max = MAX_CYCLES)))]
    cycles: Option<[u64; 2]>,
    /// Maximum number of scenarios of a case, divided by the number of its cells with a program; each case draws its
    /// own number.
    #[schemars(range(min = 0, max = MAX_SCENARIOS))]
    scenarios_per_cell: Option<f64>,
    /// Weights of the scenarios, merged one by one with those of the extended profile.
    #[schemars(extend("propertyNames" = scenario_names()))]
    scenarios: Option<BTreeMap<Scenario, Weight>>,
    /// Share of the cases that get mutations.
    #[schemars(range(min = 0, max = 1))]
    mutated: Option<f64>,
    /// Maximum number of mutations in a case that gets any.
    #[schemars(range(max = MAX_MUTATIONS))]
    mutations: Option<u64>,
    /// Chance that a gap begins with an arbitrary instruction, and that each such instruction is followed by another.
    #[schemars(range(min = 0, max = 1))]
    noise: Option<f64>,
    /// Chance that an arbitrary instruction in a gap is a word of arbitrary bits.
    #[schemars(range(min = 0, max = 1))]
    raw: Option<f64>,
    /// Chance that an instruction of a scenario waits for the flag of the next one.
    #[schemars(range(min = 0, max = 1))]
    deferred: Option<f64>,
    /// Chance that a cell is an I/O cell.
    #[schemars(range(min = 0, max = 1))]
    io_cells: Option<f64>,
    /// Chance that memories are written through the ports while programs run.
    #[schemars(range(min = 0, max = 1))]
    late_init: Option<f64>,
    /// Chance that words of a program are loaded a second time, usually into several cells at once.
    #[schemars(range(min = 0, max = 1))]
    reload: Option<f64>,
    /// Chance that operands of an instruction come from RACCU registers that are loaded before the instruction.
    #[schemars(range(min = 0, max = 1))]
    dynamic: Option<f64>,
    /// Chance that one cell starts up to four cycles earlier or later than its transfers assume.
    #[schemars(range(min = 0, max = 1))]
    moved_start: Option<f64>,
    /// Chance that one cell of a fabric with up to 4 cells waits for 2048 to 40000 cycles; those of at least 8192
    /// and of at least 16384 are nine times as rare each as those below 4096.
    #[schemars(range(min = 0, max = 1))]
    long_waits: Option<f64>,
    /// Chance that unused port lines carry random bits in some cycles.
    #[schemars(range(min = 0, max = 1))]
    idle_ports: Option<f64>,
    /// Weights of the kinds of data.
    data: Option<DataWeights>,
    /// Weights of the fabric sizes: columns x tile rows, `-rf32` for register files of 32 words, `-sramN` for tiles of
    /// N blocks. If there are none, only the default size is used.
    #[schemars(with = "Option<BTreeMap<String, Weight>>", extend("propertyNames" = size_names()))]
    fabrics: Option<BTreeMap<SizeText, Weight>>,
    /// Deviations of the published fabric that the cases avoid, by chapter and number in the chapter's list; they
    /// replace those of the extended profile.
    #[schemars(with = "Option<Vec<String>>", extend("items" = deviations()))]
    pub(super) avoid: Option<Vec<String>>,
    /// Constraints on the cases, in addition to those of the extended profile.
    constraints: Option<Vec<Constraint>>,
}

/// Sizes with their weights.
fn sizes(weights: BTreeMap<SizeText, Weight>) -> FabricWeights {
    FabricWeights::new(weights.into_iter().map(|(size, weight)| (size.0, weight.0)))
}

impl ProfileFile {
    /// Reads a profile without the profile that it extends.
    pub(super) fn read(text: &str) -> Result<Self, ProfileError> {
        let deserializer = &mut serde_json::Deserializer::from_str(text);
        let file: Self = serde_path_to_error::deserialize(&mut *deserializer).map_err(|e| {
            // Unknown parts of a path, such as a misspelt scenario, are left out.
            let path = e.path().to_string();
            let path = path.trim_end_matches('?').trim_end_matches('.');
            let path = if path.is_empty() { "." } else { path }.to_owned();
            ProfileError::Json { path, source: e.into_inner() }
        })?;
        let whole = |source| ProfileError::Json { path: ".".to_owned(), source };
        deserializer.end().map_err(whole)?;
        if file.version != VERSION {
            return Err(ProfileError::Version { found: file.version, known: VERSION });
        }
        Ok(file)
    }

    /// The profile that results from extending another one.
    pub(super) fn over(self, base: Profile) -> Profile {
        let mut scenarios = base.scenarios;
        let weights = self.scenarios.unwrap_or_default();
        scenarios.extend(weights.into_iter().map(|(scenario, weight)| (scenario, weight.0)));
        let mut constraints = base.constraints;
        constraints.extend(self.constraints.unwrap_or_default());
        Profile {
            name: self.name,
            cells: self.cells.unwrap_or(base.cells),
            cycles: self.cycles.unwrap_or(base.cycles),
            scenarios_per_cell: self.scenarios_per_cell.unwrap_or(base.scenarios_per_cell),
            scenarios,
            mutated: self.mutated.unwrap_or(base.mutated),
            mutations: self.mutations.unwrap_or(base.mutations),
            noise: self.noise.unwrap_or(base.noise),
            raw: self.raw.unwrap_or(base.raw),
            deferred: self.deferred.unwrap_or(base.deferred),
            io_cells: self.io_cells.unwrap_or(base.io_cells),
            late_init: self.late_init.unwrap_or(base.late_init),
            reload: self.reload.unwrap_or(base.reload),
            dynamic: self.dynamic.unwrap_or(base.dynamic),
            moved_start: self.moved_start.unwrap_or(base.moved_start),
            long_waits: self.long_waits.unwrap_or(base.long_waits),
            idle_ports: self.idle_ports.unwrap_or(base.idle_ports),
            data: self.data.unwrap_or(base.data),
            fabrics: self.fabrics.map_or(base.fabrics, sizes),
            constraints,
        }
    }
}
