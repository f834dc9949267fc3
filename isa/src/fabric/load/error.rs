// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults of a fabric description.

/// A fault of a fabric description; `at` is the JSON path of the element.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FabricError {
    /// No JSON, or not of the form that the schema asks for.
    #[error("{at}: {message}")]
    Form {
        /// Path.
        at: String,
        /// What was expected.
        message: String,
    },
    /// A name that is there twice.
    #[error("{at}: the {what} `{name}` exists already; give it another name")]
    Duplicate {
        /// Path.
        at: String,
        /// Kind of entry.
        what: &'static str,
        /// Name.
        name: String,
    },
    /// A name that nothing has.
    #[error("{at}: there is no {what} `{name}`")]
    Unknown {
        /// Path.
        at: String,
        /// Kind of entry.
        what: &'static str,
        /// Name.
        name: String,
    },
    /// Widths that do not add up.
    #[error("{at}: {what} has {found} bits, expected {expected}")]
    Width {
        /// Path.
        at: String,
        /// What is too wide or too narrow.
        what: String,
        /// Its width.
        found: u32,
        /// What the other place says.
        expected: u32,
    },
    /// A register without a rule.
    #[error("{at}: the register `{register}` has no rule; name the one that defines it")]
    MissingRule {
        /// Path.
        at: String,
        /// Register.
        register: String,
    },
    /// A section that its chapter does not have.
    #[error("{at}: chapter {chapter} has no heading that begins with `{section}`")]
    Section {
        /// Path.
        at: String,
        /// Chapter.
        chapter: u32,
        /// Section.
        section: String,
    },
}
