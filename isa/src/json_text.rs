// SPDX-License-Identifier: MIT OR Apache-2.0
//! JSON whose elements know where they are: their pointer (RFC 6901), their line and their bytes.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::json;

/// An element of a JSON text.
#[derive(Clone, Debug)]
pub(crate) struct Element<'t> {
    text: &'t str,
    /// The part of the text that the element is.
    raw: &'t str,
    pub(crate) pointer: String,
}

impl<'t> Element<'t> {
    /// The whole text.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub(crate) fn root(text: &'t str) -> Result<Self, serde_json::Error> {
        let raw: &RawValue = serde_json::from_str(text)?;
        Ok(Self { text, raw: raw.get(), pointer: String::new() })
    }

    /// Elements of an array.
    pub(crate) fn items(&self) -> Option<Vec<Self>> {
        let raws: Vec<&RawValue> = serde_json::from_str(self.raw).ok()?;
        let element = |(i, raw): (usize, &'t RawValue)| self.part(raw, &i.to_string());
        Some(raws.into_iter().enumerate().map(element).collect())
    }

    /// Members of an object; of several with the same key the last one.
    pub(crate) fn members(&self) -> Option<BTreeMap<String, Self>> {
        let raws: BTreeMap<String, &RawValue> = serde_json::from_str(self.raw).ok()?;
        let member = |(key, raw): (String, &'t RawValue)| {
            let element = self.part(raw, &json::pointer_token(&key));
            (key, element)
        };
        Some(raws.into_iter().map(member).collect())
    }

    /// The value as an integer; see [`json::integer`].
    pub(crate) fn integer(&self) -> Option<i128> {
        json::integer(&serde_json::from_str::<Value>(self.raw).ok()?)
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
        // The raw text is borrowed from the whole one.
        let start = self.raw.as_ptr() as usize - self.text.as_ptr() as usize;
        start..start + self.raw.len()
    }

    /// Line on which the element begins, counted from 1.
    pub(crate) fn line(&self) -> usize {
        let before = &self.text.as_bytes()[..self.span().start];
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    }

    fn part(&self, raw: &'t RawValue, token: &str) -> Self {
        Self { text: self.text, raw: raw.get(), pointer: format!("{}/{token}", self.pointer) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_know_their_places() {
        let text = "[\n  {\"a/b\": 1,\n   \"l\": [null, 2.0]},\n  3]";
        let items = Element::root(text).unwrap().items().unwrap();
        let members = items[0].members().unwrap();
        let list = members["l"].items().unwrap();
        assert_eq!((members["a/b"].pointer.as_str(), members["a/b"].line()), ("/0/a~1b", 2));
        assert_eq!((list[1].pointer.as_str(), list[1].line()), ("/0/l/1", 3));
        assert!(list[0].is_null() && list[1].integer() == Some(2));
        assert_eq!((&text[items[1].span()], items[1].line()), ("3", 4));
        assert!(items[1].items().is_none() && items[1].members().is_none());
    }

    #[test]
    fn of_equal_keys_the_last_one_counts() {
        let members = Element::root("{\"k\": 1, \"k\": 2}").unwrap().members().unwrap();
        assert_eq!((members.len(), members["k"].integer()), (1, Some(2)));
        assert_eq!(Element::root("[1,\n2").unwrap_err().line(), 2);
    }
}
