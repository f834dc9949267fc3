// SPDX-License-Identifier: MIT OR Apache-2.0
//! RTL coverage: counts of lines, branches and toggles as written by Verilator, by module. Points excluded in
//! `rtl/coverage_exclusions.json` are counted separately; each exclusion has a reason.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

/// Kinds of points that Verilator counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PointKind {
    /// A block of statements.
    Line,
    /// An outcome of a condition.
    Branch,
    /// A bit that rises or falls.
    Toggle,
}

/// Points of one kind in one module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Points")]
pub struct PointCounts {
    /// Points hit.
    pub hit: u64,
    /// All points that are not excluded.
    #[serde(rename = "points")]
    pub all: u64,
    /// Points excluded.
    pub excluded: u64,
    /// Points not hit, with their location and what is counted there.
    pub holes: Vec<String>,
    /// Points that are excluded but were hit, so their exclusions are wrong.
    pub refuted: Vec<String>,
}

/// Points of all kinds by module.
pub type PointsByModule = BTreeMap<String, BTreeMap<PointKind, PointCounts>>;

/// A point is excluded if all given parts match.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exclusion {
    /// Module with all its variants; all modules if absent.
    #[serde(default)]
    module: Option<String>,
    /// Variant of a module; the one without a suffix has the default parameters.
    #[serde(default)]
    variant: Option<String>,
    /// Kind; all if absent.
    #[serde(default)]
    kind: Option<PointKind>,
    /// Signal and direction, or kind of the branch; `*` matches any text, `?` any character.
    #[serde(default)]
    point: Option<String>,
    /// True if signals at their default values hit some of the points; such hits do not invalidate the exclusion.
    #[serde(default)]
    allow_hits: bool,
    #[expect(dead_code, reason = "for readers of the file")]
    reason: String,
}

/// The reason why there is no RTL coverage.
#[derive(Debug, thiserror::Error)]
pub enum RtlCoverageError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system error.
        source: std::io::Error,
    },
    /// A line of a file is not a coverage point.
    #[error("{}:{line}: not a coverage point", path.display())]
    NoPoint {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
}

/// Merges coverage files of builds of the same RTL.
///
/// # Errors
/// If a file cannot be read or is not a coverage file.
pub fn report(paths: &[&Path]) -> Result<PointsByModule, RtlCoverageError> {
    let exclusions: Vec<Exclusion> =
        serde_json::from_str(include_str!("../../../rtl/coverage_exclusions.json"))
            .expect("a test reads it");
    let points = sum(paths, parse)?;
    let mut report = PointsByModule::new();
    for ((variant, kind, place), count) in points {
        let module = variant.split("__").next().unwrap_or_default().to_owned();
        let of = report.entry(module.clone()).or_default().entry(kind).or_default();
        let point = place.split(' ').nth(1).unwrap_or_default().trim_end_matches(',');
        let excluded = exclusions.iter().find(|e| {
            e.module.as_ref().is_none_or(|m| *m == module)
                && e.variant.as_ref().is_none_or(|v| *v == variant)
                && e.kind.is_none_or(|k| k == kind)
                && e.point.as_ref().is_none_or(|p| WildMatch::new(p).matches(point))
        });
        if let Some(exclusion) = excluded {
            of.excluded += 1;
            if count > 0 && !exclusion.allow_hits {
                of.refuted.push(place);
            }
        } else {
            of.all += 1;
            of.hit += u64::from(count > 0);
            if count == 0 {
                of.holes.push(place);
            }
        }
    }
    Ok(report)
}

/// Merges coverage files of parts of a campaign: each point of each instance with its total, in the same file format.
///
/// # Errors
/// If a file cannot be read or is not a coverage file.
pub fn sums(paths: &[&Path]) -> Result<String, RtlCoverageError> {
    let points = sum(paths, |fields| Some(fields.to_owned()))?;
    let lines = points.iter().map(|(fields, count)| format!("C '{fields}' {count}\n"));
    Ok(lines.fold("# SystemC::Coverage-3\n".to_owned(), |text, line| text + &line))
}

/// Sums the counts of all lines `C 'FIELDS' COUNT` whose fields have the same key.
fn sum<Key: Ord>(
    paths: &[&Path],
    key: impl Fn(&str) -> Option<Key>,
) -> Result<BTreeMap<Key, u64>, RtlCoverageError> {
    let point = |line: &str| {
        let (fields, count) = line.strip_prefix("C '")?.rsplit_once("' ")?;
        Some((key(fields)?, count.trim().parse::<u64>().ok()?))
    };
    let mut sums = BTreeMap::new();
    for path in paths {
        let text = std::fs::read_to_string(path)
            .map_err(|source| RtlCoverageError::Read { path: path.to_path_buf(), source })?;
        for (i, line) in text.lines().enumerate().filter(|(_, l)| l.starts_with('C')) {
            let (key, count) = point(line).ok_or_else(|| RtlCoverageError::NoPoint {
                path: path.to_path_buf(),
                line: i + 1,
            })?;
            *sums.entry(key).or_default() += count;
        }
    }
    Ok(sums)
}

/// Module variant, kind and location of a point with the fields `\x01NAME\x02VALUE\x01...`.
fn parse(fields: &str) -> Option<(String, PointKind, String)> {
    let mut named = BTreeMap::new();
    for field in fields.split('\x01').filter(|f| !f.is_empty()) {
        let (name, value) = field.split_once('\x02')?;
        named.insert(name, value);
    }
    let kind = match *named.get("t")? {
        "toggle" => PointKind::Toggle,
        "line" => PointKind::Line,
        _ => PointKind::Branch,
    };
    let variant = named.get("page")?.split_once('/')?.1;
    let place = format!(
        "{}:{} {}, {variant}",
        named.get("f")?,
        named.get("l")?,
        named.get("o").unwrap_or(&"")
    );
    // Branches on one line differ in their column.
    let place = match kind {
        PointKind::Toggle => place,
        _ => format!("{place}, column {}", named.get("n").unwrap_or(&"0")),
    };
    Some((variant.to_owned(), kind, place))
}
