// SPDX-License-Identifier: MIT OR Apache-2.0
//! JSON with locations: values and elements have a pointer (RFC 6901); elements also have their line and
//! their bytes.

use std::{collections::BTreeMap, ops::Range};

use serde_json::{Map, Value, value::RawValue};

/// A JSON value with its pointer (RFC 6901) from the root.
#[derive(Clone)]
pub(crate) struct LocatedValue<'a> {
    pub(crate) value: &'a Value,
    pub(crate) pointer: String,
}

impl<'a> LocatedValue<'a> {
    pub(crate) fn root(value: &'a Value) -> Self {
        Self { value, pointer: String::new() }
    }

    /// Member of an object; `None` if the value is not an object or has no such member.
    pub(crate) fn member(&self, key: &str) -> Option<LocatedValue<'a>> {
        let value = self.value.get(key)?;
        Some(LocatedValue { value, pointer: self.key(key) })
    }

    /// Pointer of a member, present or not.
    pub(crate) fn key(&self, key: &str) -> String {
        format!("{}/{}", self.pointer, pointer_token(key))
    }

    /// Elements of an array; none if the value is not an array.
    pub(crate) fn items(&self) -> Vec<LocatedValue<'a>> {
        let Some(items) = self.value.as_array() else { return Vec::new() };
        items
            .iter()
            .enumerate()
            .map(|(i, value)| LocatedValue { value, pointer: format!("{}/{i}", self.pointer) })
            .collect()
    }

    /// Elements of a member; none if the member is absent.
    pub(crate) fn list(&self, key: &str) -> Vec<LocatedValue<'a>> {
        self.member(key).map(|m| m.items()).unwrap_or_default()
    }

    /// Member of an object as text, empty if absent.
    pub(crate) fn text(&self, key: &str) -> String {
        self.value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Member of an object as a number; a number beyond 64 bits becomes the maximum, which no check accepts.
    pub(crate) fn number(&self, key: &str, absent: u64) -> u64 {
        let value = self.value.get(key).and_then(integer).unwrap_or(absent.into());
        value.min(u64::MAX.into()) as u64
    }

    pub(crate) fn flag(&self, key: &str, absent: bool) -> bool {
        self.value.get(key).and_then(Value::as_bool).unwrap_or(absent)
    }

    pub(crate) fn object(&self) -> Option<&'a Map<String, Value>> {
        self.value.as_object()
    }
}

/// A key as part of a JSON pointer.
pub(crate) fn pointer_token(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The value as an integer in the sense of JSON Schema: 3.0 is an integer, `true` is not.
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

/// An element of a JSON text.
#[derive(Clone, Debug)]
pub(crate) struct Element<'t> {
    text: &'t str,
    /// The text of the element.
    raw: &'t str,
    pub(crate) pointer: String,
}

impl<'t> Element<'t> {
    /// The whole text.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub(crate) fn root(text: &'t str) -> Result<Self, serde_json::Error> {
        let raw = serde_json::from_str::<&RawValue>(text)?.get();
        Ok(Self { text, raw, pointer: String::new() })
    }

    /// Elements of an array.
    pub(crate) fn items(&self) -> Option<Vec<Self>> {
        let items: Vec<&RawValue> = serde_json::from_str(self.raw).ok()?;
        Some((0..).zip(items).map(|(k, raw): (usize, _)| self.part(raw, &k.to_string())).collect())
    }

    /// Members of an object; of several members with the same key, the last one.
    pub(crate) fn members(&self) -> Option<BTreeMap<String, Self>> {
        let members: BTreeMap<String, &RawValue> = serde_json::from_str(self.raw).ok()?;
        let part = |(key, raw): (String, _)| {
            let member = self.part(raw, &pointer_token(&key));
            (key, member)
        };
        Some(members.into_iter().map(part).collect())
    }

    /// The value as an integer; see [`integer`].
    pub(crate) fn integer(&self) -> Option<i128> {
        integer(&serde_json::from_str::<Value>(self.raw).ok()?)
    }

    /// The value as a string.
    pub(crate) fn string(&self) -> Option<String> {
        serde_json::from_str(self.raw).ok()
    }

    /// True for `null`.
    pub(crate) fn is_null(&self) -> bool {
        self.raw == "null"
    }

    /// Bytes of the element in the text.
    pub(crate) fn span(&self) -> Range<usize> {
        let start = self.raw.as_ptr().addr() - self.text.as_ptr().addr();
        start..start + self.raw.len()
    }

    /// Line on which the element begins, counted from 1.
    pub(crate) fn line(&self) -> usize {
        1 + self.text[..self.span().start].matches('\n').count()
    }

    fn part(&self, raw: &'t RawValue, token: &str) -> Self {
        let pointer = format!("{}/{token}", self.pointer);
        Self { text: self.text, raw: raw.get(), pointer }
    }
}
