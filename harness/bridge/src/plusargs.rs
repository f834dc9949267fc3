// SPDX-License-Identifier: MIT OR Apache-2.0
//! The plusargs that a design finds (`$test$plusargs`, `$value$plusargs`), from an environment variable.

use std::{env, sync::LazyLock};

use drra_host::digest;

/// Environment variable with the plusargs, separated by blanks.
const VARIABLE: &str = "DRRA_PLUSARGS";

/// A word that is not a plusarg of a design.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlusargError {
    /// It does not begin with `+`.
    #[error("{VARIABLE}: `{0}` does not begin with `+`")]
    NoPlus(String),
    /// It is an option of the simulator.
    #[error("{VARIABLE}: `{0}` is an option of Verilator's runtime")]
    OfSimulator(String),
}

impl PlusargError {
    /// The remedy.
    pub(crate) fn remedy(&self) -> &'static str {
        match self {
            Self::NoPlus(_) => "write plusargs as in `+verbose +depth=4`, separated by blanks",
            Self::OfSimulator(_) => "remove it: drra sets these options itself",
        }
    }
}

/// The plusargs in a text.
///
/// # Errors
/// If a word is not a plusarg of a design.
pub fn parse(text: &str) -> Result<Vec<String>, PlusargError> {
    let word = |word: &str| match word {
        _ if !word.starts_with('+') => Err(PlusargError::NoPlus(word.to_owned())),
        _ if word.starts_with("+verilator+") => Err(PlusargError::OfSimulator(word.to_owned())),
        _ => Ok(word.to_owned()),
    };
    text.split_whitespace().map(word).collect()
}

/// The plusargs of this process.
pub(crate) fn given() -> Result<&'static [String], PlusargError> {
    static GIVEN: LazyLock<Result<Vec<String>, PlusargError>> =
        LazyLock::new(|| parse(&env::var_os(VARIABLE).unwrap_or_default().to_string_lossy()));
    GIVEN.as_deref().map_err(Clone::clone)
}

/// A digest of a design that also depends on the plusargs it is given; without any, `built` itself.
pub fn identify(built: &str, plusargs: &[String]) -> String {
    if plusargs.is_empty() {
        return built.to_owned();
    }
    let part = |name: &str, text: &str| (name.to_owned(), text.to_owned().into_bytes());
    digest(vec![part("design", built), part("plusargs", &plusargs.join(" "))])
}
