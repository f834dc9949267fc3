// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loader of fabric descriptions: resolves names and checks consistency.

mod check;
mod registers;
mod rules;
mod signals;
mod values;

use std::{mem::take, sync::LazyLock};

use super::model::Description;
use check::{CheckResult, each, unique};

pub use check::FabricError;

/// Text of the embedded description.
pub const SOURCE: &str = include_str!("../../../fabric.json");

/// The embedded description.
///
/// # Panics
/// Never: a test loads it.
pub fn description() -> &'static Description {
    static LOADED: LazyLock<Description> =
        LazyLock::new(|| load_fabric(SOURCE).unwrap_or_else(|e| panic!("isa/fabric.json: {e}")));
    &LOADED
}

/// Reads a fabric description and checks it.
///
/// # Errors
/// The first error, with its JSON path.
pub fn load_fabric(text: &str) -> Result<Description, FabricError> {
    let mut d = read(text)?;
    // While a list is checked, it contains only the entries checked so far, so that an entry refers only to earlier ones.
    macro_rules! check {
        ($($list:ident $check:path,)*) => {$(
            unique(stringify!($list), &d.$list)?;
            each(stringify!($list), take(&mut d.$list), |mut entry| {
                $check(&mut entry, &d)?;
                d.$list.push(entry);
                Ok(())
            })?;
        )*};
    }
    unique("parts", &d.parts)?;
    unique("rules", &d.rules)?;
    unique("signal_sets", &d.signal_sets)?;
    check! {
        keys values::key,
        widths values::width,
        enumerations values::enumeration,
        types values::packed_type,
        messages values::message,
        blocks rules::block,
        signals signals::signal,
        ports signals::port,
        named_inputs signals::named_input,
    }
    signals::connect(&mut d)?;
    registers::registers(&mut d)?;
    check! { rules rules::rule, }
    rules::of_modules(&mut d)?;
    Ok(d)
}

/// Reads the text. Tracking paths would slow down every command, so only a text with an error is read again with it.
fn read(text: &str) -> CheckResult<Description> {
    serde_json::from_str(text).or_else(|_| {
        let fault = |at, e| FabricError { at, message: format!("{e}") };
        let mut json = serde_json::Deserializer::from_str(text);
        let d = serde_path_to_error::deserialize(&mut json);
        let d = d.map_err(|e| fault(e.path().to_string(), e.into_inner()))?;
        json.end().map_err(|e| fault(".".to_owned(), e)).map(|()| d)
    })
}
