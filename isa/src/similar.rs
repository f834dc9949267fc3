// SPDX-License-Identifier: MIT OR Apache-2.0
//! Suggestions in place of names that do not exist.

/// The known name that is most similar to this name, if one is similar enough: at most two letters differ.
pub fn similar<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let similar = known.into_iter().map(|known| (strsim::osa_distance(name, known), known)).min();
    let similar = similar.filter(|(distance, known)| *distance <= 2 && *distance < known.len());
    similar.map(|(_, known)| known)
}
