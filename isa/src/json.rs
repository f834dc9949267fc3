// SPDX-License-Identifier: MIT OR Apache-2.0
//! Small helpers to walk JSON values with JSON pointers.

use serde_json::{Map, Value};

/// A JSON value with its pointer (RFC 6901) from the root.
#[derive(Clone)]
pub(crate) struct At<'a> {
    pub(crate) value: &'a Value,
    pub(crate) pointer: String,
}

impl<'a> At<'a> {
    pub(crate) fn root(value: &'a Value) -> Self {
        Self { value, pointer: String::new() }
    }

    /// Member of an object, if both exist.
    pub(crate) fn member(&self, key: &str) -> Option<At<'a>> {
        let value = self.value.get(key)?;
        Some(At { value, pointer: self.key(key) })
    }

    /// Pointer of a member, present or not.
    pub(crate) fn key(&self, key: &str) -> String {
        format!("{}/{}", self.pointer, pointer_token(key))
    }

    /// Elements of an array; none if it is no array.
    pub(crate) fn items(&self) -> Vec<At<'a>> {
        let Some(items) = self.value.as_array() else { return Vec::new() };
        items
            .iter()
            .enumerate()
            .map(|(i, value)| At { value, pointer: format!("{}/{i}", self.pointer) })
            .collect()
    }

    pub(crate) fn object(&self) -> Option<&'a Map<String, Value>> {
        self.value.as_object()
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
