// SPDX-License-Identifier: MIT OR Apache-2.0
//! Structures from JSON, with the places of what is wrong with it.

use serde::Deserialize;
use serde_json::Value;
use serde_path_to_error::{Segment, Track};

/// The JSON pointer (RFC 6901) of something wrong, and what is wrong.
type Fault = (String, serde_json::Error);

/// The keys that objects have too much, by the pointers of the objects.
type Unknown = Vec<(String, Vec<String>)>;

/// Reads a structure, and the keys that it does not know.
pub(crate) fn read<'d, T: Deserialize<'d>>(value: &'d Value) -> (Result<T, Fault>, Unknown) {
    let (mut track, mut unknown) = (Track::new(), Unknown::new());
    let mut ignored = |path: serde_ignored::Path<'_>| {
        let serde_ignored::Path::Map { parent, key } = path else { return };
        let pointer = pointer_of_parent(parent);
        match unknown.iter_mut().find(|(of, _)| *of == pointer) {
            Some((_, keys)) => keys.push(key),
            None => unknown.push((pointer, vec![key])),
        }
    };
    let from = serde_path_to_error::Deserializer::new(value, &mut track);
    let result = T::deserialize(serde_ignored::Deserializer::new(from, &mut ignored));
    (result.map_err(|e| (pointer(&track.path()), e)), unknown)
}

/// The pointer of a path.
pub(crate) fn pointer(path: &serde_path_to_error::Path) -> String {
    let token = |segment: &Segment| match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } => format!("/{}", pointer_token(key)),
        Segment::Enum { .. } | Segment::Unknown => String::new(),
    };
    path.iter().map(token).collect()
}

fn pointer_of_parent(path: &serde_ignored::Path<'_>) -> String {
    use serde_ignored::Path;
    match path {
        Path::Root => String::new(),
        Path::Seq { parent, index } => format!("{}/{index}", pointer_of_parent(parent)),
        Path::Map { parent, key } => {
            format!("{}/{}", pointer_of_parent(parent), pointer_token(key))
        }
        Path::Some { parent }
        | Path::NewtypeStruct { parent }
        | Path::NewtypeVariant { parent } => pointer_of_parent(parent),
    }
}

/// A key as part of a JSON pointer.
pub(crate) fn pointer_token(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The value as an integer as JSON Schema counts it: 3.0 is one, `true` is none.
pub(crate) fn integer(value: &Value) -> Option<i128> {
    if let Some(i) = value.as_i64() {
        return Some(i.into());
    }
    if let Some(u) = value.as_u64() {
        return Some(u.into());
    }
    let f = value.as_f64()?;
    (f.fract() == 0.0 && f.abs() < 1e30).then_some(f as i128)
}

/// True for `[A-Za-z_][A-Za-z0-9_]*`.
pub(crate) fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
