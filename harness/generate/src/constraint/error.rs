// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reasons why a constraint cannot be used.

/// The reason why a constraint cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {fault}")]
pub struct ConstraintError {
    /// JSON path of the faulty element.
    pub path: String,
    /// The problem with the element.
    pub fault: ConstraintFault,
}

/// The problem with an element of a constraint.
#[derive(Debug, thiserror::Error)]
pub enum ConstraintFault {
    /// An unknown name.
    #[error("there is no {what} `{name}`; the nearest is `{nearest}`")]
    Unknown {
        /// The kind of name.
        what: &'static str,
        name: String,
        /// The known name that is most similar.
        nearest: String,
    },
    /// A field whose values have no names.
    #[error("the values of this field have no names; write a number, not `{0}`")]
    NoNames(String),
    /// A number outside the range of the field.
    #[error("{number} is outside {least}..{most}, the values of this field")]
    Outside {
        number: i64,
        /// Smallest value of the field.
        least: i64,
        /// Largest value of the field.
        most: i64,
    },
    /// Two numbers that do not form a range.
    #[error("write [least, most] with least <= most")]
    Range,
    /// A condition with no key or with several.
    #[error("a condition must have exactly one of `is`, `is_not`, `between`, `outside`")]
    Condition,
    /// A constraint of no kind, or of several kinds.
    #[error(
        "a constraint must be of one kind: `instruction` with optional `fields` and `immediate`, \
         `immediate` alone, `situation`, `most_cells`, `only_cells`, or `only_columns`"
    )]
    Kind,
    /// Fields without the instruction that has them.
    #[error("`fields` needs an `instruction`")]
    FieldsOfNothing,
    /// A cell or column that no fabric has, or an empty list.
    #[error("name cells or columns that a fabric can have; rows are 0 and 1")]
    Place,
    /// A deviation that is not in the lists of the chapters, or that no case can avoid.
    #[error(
        "there is no deviation `{name}` that a case can avoid; those of the published \
         fabric are {known}"
    )]
    Deviation {
        name: String,
        /// All valid names.
        known: String,
    },
    /// The reason why nothing can be generated.
    #[error("nothing is left to generate: {0}")]
    NothingLeft(String),
}

impl ConstraintFault {
    /// The error about an element with this fault.
    pub(crate) fn at(self, path: impl Into<String>) -> ConstraintError {
        ConstraintError { path: path.into(), fault: self }
    }
}
