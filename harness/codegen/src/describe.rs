// SPDX-License-Identifier: MIT OR Apache-2.0
//! Description files of either kind, instruction set or fabric; the kind is detected from the contents.

use std::fmt;

use drra_fabric::{Description, FabricError, load_fabric};
use drra_isa::{Finding, Isa, load};

use crate::{
    fabric::{fabric_markdown, rust_fields, rust_ids, rust_images, systemverilog_state},
    isa::{markdown, rust, systemverilog},
};

/// A loaded description.
#[derive(Clone, Debug)]
pub enum AnyDescription {
    /// An instruction set (chapter 1).
    Instructions(Box<Isa>),
    /// A fabric.
    Fabric(Box<Description>),
}

/// A description without errors, with its warnings.
#[derive(Clone, Debug)]
pub struct LoadedDescription {
    /// The description.
    pub description: AnyDescription,
    /// Findings that are not errors.
    pub warnings: Vec<Finding>,
}

/// A reason why a text is not a valid description.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DescribeError {
    /// Errors and warnings about an instruction set.
    #[error("{}", lines(.0))]
    Instructions(Vec<Finding>),
    /// The first error in a fabric description.
    #[error(transparent)]
    Fabric(#[from] FabricError),
}

impl DescribeError {
    /// Findings that are not errors.
    pub fn warnings(&self) -> impl Iterator<Item = &Finding> {
        let all: &[Finding] = match self {
            Self::Instructions(all) => all,
            Self::Fabric(_) => &[],
        };
        all.iter().filter(|f| !f.is_error())
    }
}

/// The errors, one per line.
fn lines(findings: &[Finding]) -> String {
    let errors = findings.iter().filter(|f| f.is_error()).map(ToString::to_string);
    errors.collect::<Vec<_>>().join("\n")
}

/// Loads a description of either kind. An object with the key `groups` describes a fabric; anything
/// else is read as an instruction set.
///
/// # Errors
/// The findings about the description.
pub fn describe(text: &str) -> Result<LoadedDescription, DescribeError> {
    let json: Option<serde_json::Value> = serde_json::from_str(text).ok();
    if json.is_some_and(|j| j.get("groups").is_some()) {
        let description = AnyDescription::Fabric(Box::new(load_fabric(text)?));
        return Ok(LoadedDescription { description, warnings: Vec::new() });
    }
    let report = load(text);
    match report.isa {
        Some(isa) => Ok(LoadedDescription {
            description: AnyDescription::Instructions(Box::new(isa)),
            warnings: report.findings,
        }),
        None => Err(DescribeError::Instructions(report.findings)),
    }
}

impl AnyDescription {
    /// Markdown tables.
    pub fn markdown(&self) -> String {
        match self {
            Self::Instructions(isa) => markdown(isa),
            Self::Fabric(d) => fabric_markdown(d),
        }
    }

    /// Rust source; for a fabric, three modules: `ids`, `images`, `fields`.
    pub fn rust(&self) -> String {
        match self {
            Self::Instructions(isa) => rust(isa),
            Self::Fabric(d) => {
                let parts =
                    [("ids", rust_ids(d)), ("images", rust_images(d)), ("fields", rust_fields(d))];
                parts.map(|(name, text)| format!("pub mod {name} {{\n{text}}}\n")).concat()
            }
        }
    }

    /// SystemVerilog package with this name, or with the name that the RTL uses.
    pub fn systemverilog(&self, package: Option<&str>) -> String {
        match self {
            Self::Instructions(isa) => systemverilog(isa, package.unwrap_or("drra_isa_pkg")),
            Self::Fabric(d) => systemverilog_state(d, package.unwrap_or("drra_state_pkg")),
        }
    }
}

/// Name and size in one line.
impl fmt::Display for AnyDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Instructions(isa) => write!(
                f,
                "{}, {} instructions, words of {} bits",
                match isa.title() {
                    title if title.is_empty() => "without a name".to_owned(),
                    title => title,
                },
                isa.instructions.len(),
                isa.word_bits
            ),
            Self::Fabric(d) => write!(
                f,
                "fabric {}, {} registers, {} signals, {} rules",
                d.name,
                d.registers.len(),
                d.signals.len(),
                d.rules.len()
            ),
        }
    }
}
