// SPDX-License-Identifier: MIT OR Apache-2.0
//! JSON whose elements know where they are: their pointer (RFC 6901), their line and their bytes.

use std::{collections::BTreeMap, ops::Range};

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Deserializer, Value};

use crate::json;

/// An element of a JSON text.
#[derive(Clone, Debug)]
pub(crate) struct Element<'t> {
    text: &'t str,
    /// Bytes of the text that the element is.
    span: Range<usize>,
    pub(crate) pointer: String,
}

impl<'t> Element<'t> {
    /// The whole text.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub(crate) fn root(text: &'t str) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<IgnoredAny>(text)?;
        let blank = |c: char| c.is_ascii_whitespace();
        let start = text.len() - text.trim_start_matches(blank).len();
        let span = start..text.trim_end_matches(blank).len();
        Ok(Self { text, span, pointer: String::new() })
    }

    /// Elements of an array.
    pub(crate) fn items(&self) -> Option<Vec<Self>> {
        let mut walk = self.inside('[')?;
        let mut items = Vec::new();
        while let Some((_, span)) = walk.next::<IgnoredAny>() {
            items.push(self.part(span, &items.len().to_string()));
        }
        Some(items)
    }

    /// Members of an object; of several with the same key the last one.
    pub(crate) fn members(&self) -> Option<BTreeMap<String, Self>> {
        let mut walk = self.inside('{')?;
        let mut members = BTreeMap::new();
        while let Some((key, _)) = walk.next::<String>() {
            let (_, span) = walk.next::<IgnoredAny>()?;
            let member = self.part(span, &json::pointer_token(&key));
            members.insert(key, member);
        }
        Some(members)
    }

    /// The value as an integer; see [`json::integer`].
    pub(crate) fn integer(&self) -> Option<i128> {
        json::integer(&serde_json::from_str::<Value>(self.raw()).ok()?)
    }

    /// The value as a string.
    pub(crate) fn string(&self) -> Option<String> {
        serde_json::from_str(self.raw()).ok()
    }

    /// True for `null`.
    pub(crate) fn is_null(&self) -> bool {
        self.raw() == "null"
    }

    /// Bytes of the element in the text.
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Line on which the element begins, counted from 1.
    pub(crate) fn line(&self) -> usize {
        let before = &self.text.as_bytes()[..self.span.start];
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    }

    fn raw(&self) -> &'t str {
        &self.text[self.span.clone()]
    }

    fn part(&self, span: Range<usize>, token: &str) -> Self {
        Self { text: self.text, span, pointer: format!("{}/{token}", self.pointer) }
    }

    /// A walk through the values behind an opening bracket, if the element begins with it.
    fn inside(&self, bracket: char) -> Option<Walk<'t>> {
        self.raw().starts_with(bracket).then_some(Walk { text: self.text, at: self.span.start + 1 })
    }
}

/// Values that follow each other in a text that is JSON, with what separates them.
struct Walk<'t> {
    text: &'t str,
    at: usize,
}

impl Walk<'_> {
    /// The next value and its bytes; `None` at the closing bracket.
    fn next<T: DeserializeOwned>(&mut self) -> Option<(T, Range<usize>)> {
        let rest = &self.text[self.at..];
        let separates = |c: char| c.is_ascii_whitespace() || c == ',' || c == ':';
        let start = self.at + rest.len() - rest.trim_start_matches(separates).len();
        let mut values = Deserializer::from_str(&self.text[start..]).into_iter::<T>();
        let value = values.next()?.ok()?;
        self.at = start + values.byte_offset();
        Some((value, start..self.at))
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
