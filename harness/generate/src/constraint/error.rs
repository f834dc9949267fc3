// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a constraint cannot be used.

/// Why a constraint cannot be used: each message begins with the JSON path of the element.
#[derive(Debug, thiserror::Error)]
pub enum ConstraintError {
    /// A name that is not known.
    #[error("{path}: there is no {what} `{name}`; the nearest is `{nearest}`")]
    Unknown {
        /// JSON path.
        path: String,
        /// What kind of name it is.
        what: &'static str,
        name: String,
        /// The known name that is most like it.
        nearest: String,
    },
    /// A field whose values have no names.
    #[error("{path}: the values of this field have no names; write a number, not `{name}`")]
    NoNames {
        /// JSON path.
        path: String,
        name: String,
    },
    /// A number that the field cannot have.
    #[error("{path}: {number} is outside {least}..{most}, the values of this field")]
    Outside {
        /// JSON path.
        path: String,
        number: i64,
        /// Least value of the field.
        least: i64,
        /// Largest value of the field.
        most: i64,
    },
    /// Two numbers that are no range.
    #[error("{path}: write [least, most] with least <= most")]
    Range {
        /// JSON path.
        path: String,
    },
    /// A condition with no key or with several.
    #[error("{path}: a condition has exactly one of `is`, `is_not`, `between`, `outside`")]
    Condition {
        /// JSON path.
        path: String,
    },
    /// A constraint of no kind or of several kinds.
    #[error(
        "{path}: a constraint is of one kind: `instruction` with `fields` and `immediate`, \
         `immediate` alone, `situation`, `most_cells`, `only_cells`, or `only_columns`"
    )]
    Kind {
        /// JSON path.
        path: String,
    },
    /// Fields without the instruction that has them.
    #[error("{path}: say which `instruction` has the fields")]
    FieldsOfNothing {
        /// JSON path.
        path: String,
    },
    /// A cell or column that no fabric has, or an empty list.
    #[error("{path}: name cells or columns that a fabric can have; rows are 0 and 1")]
    Place {
        /// JSON path.
        path: String,
    },
    /// A deviation that is not in the lists of the chapters, or that no case can avoid.
    #[error(
        "{path}: there is no deviation `{name}` that a case can avoid; those of the published \
         fabric are {known}"
    )]
    Deviation {
        /// JSON path.
        path: String,
        name: String,
        /// All that there are.
        known: String,
    },
    /// Nothing can be generated.
    #[error("{path}: nothing is left to generate: {why}")]
    NothingLeft {
        /// JSON path.
        path: String,
        /// What is missing.
        why: String,
    },
}

impl ConstraintError {
    /// JSON path of the element.
    pub fn path(&self) -> &str {
        match self {
            Self::Unknown { path, .. }
            | Self::NoNames { path, .. }
            | Self::Outside { path, .. }
            | Self::Range { path }
            | Self::Condition { path }
            | Self::Kind { path }
            | Self::FieldsOfNothing { path }
            | Self::Place { path }
            | Self::Deviation { path, .. }
            | Self::NothingLeft { path, .. } => path,
        }
    }
}
