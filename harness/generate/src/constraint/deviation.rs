// SPDX-License-Identifier: MIT OR Apache-2.0
//! Deviations of the published fabric that a case can avoid, each expressed by constraints such as those of a profile.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use super::{Constraint, ConstraintError, ConstraintFault};

/// A constraint, and the deviations that it avoids, by chapter and number in the chapter's list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Avoidance {
    numbers: Vec<String>,
    constraint: Constraint,
}

static TABLE: LazyLock<Vec<Avoidance>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("deviations.json")).expect("the table is tested")
});

/// The deviations that can be avoided, in the order of the chapters.
pub(crate) fn numbers() -> impl Iterator<Item = &'static str> {
    let all = TABLE.iter().flat_map(|row| &row.numbers);
    let place = |number: &str| -> Vec<u32> {
        number.split('.').map(|part| part.trim_start_matches('D').parse().unwrap_or(0)).collect()
    };
    all.map(|number| (place(number), number.as_str())).collect::<BTreeMap<_, _>>().into_values()
}

/// The constraints that avoid a list of deviations; the reason of each constraint names those that it avoids.
pub(crate) fn avoid(wanted: &[String]) -> Result<Vec<Constraint>, ConstraintError> {
    for (k, name) in wanted.iter().enumerate() {
        if numbers().all(|known| known != name) {
            let known = numbers().collect::<Vec<_>>().join(", ");
            let fault = ConstraintFault::Deviation { name: name.clone(), known };
            return Err(fault.at(format!("avoid[{k}]")));
        }
    }
    let of_row = |row: &Avoidance| {
        let named: Vec<&str> =
            row.numbers.iter().filter(|n| wanted.contains(n)).map(String::as_str).collect();
        let why = row.constraint.reason.as_deref().unwrap_or_default();
        let reason = Some(format!("{}: {why}", named.join(", ")));
        (!named.is_empty()).then(|| Constraint { reason, ..row.constraint.clone() })
    };
    Ok(TABLE.iter().filter_map(of_row).collect())
}
