// SPDX-License-Identifier: MIT OR Apache-2.0
//! Elements of a map that can be written in more than one form, such as a text or an object. The reader decides
//! by the form that it finds, so that errors name the element and what was expected.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserializer,
    de::{Error, MapAccess, SeqAccess, Unexpected, Visitor},
};

/// An element of several forms; forms that are not overridden are refused.
pub(super) trait Loose: Sized {
    /// What can be written.
    const EXPECTED: &'static str;

    /// From a text.
    fn text<E: Error>(text: &str) -> Result<Self, E> {
        Err(E::invalid_type(Unexpected::Str(text), &Self::EXPECTED))
    }

    /// From a number that is not negative.
    fn number<E: Error>(number: u64) -> Result<Self, E> {
        Err(E::invalid_type(Unexpected::Unsigned(number), &Self::EXPECTED))
    }

    /// From a list.
    fn list<'de, A: SeqAccess<'de>>(_: A) -> Result<Self, A::Error> {
        Err(A::Error::invalid_type(Unexpected::Seq, &Self::EXPECTED))
    }

    /// From an object.
    fn object<'de, A: MapAccess<'de>>(_: A) -> Result<Self, A::Error> {
        Err(A::Error::invalid_type(Unexpected::Map, &Self::EXPECTED))
    }
}

/// Reads an element in whatever form it is.
pub(super) fn read<'de, T: Loose, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_any(AnyForm(PhantomData))
}

struct AnyForm<T>(PhantomData<T>);

impl<'de, T: Loose> Visitor<'de> for AnyForm<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::text(text)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        T::number(number)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<T, A::Error> {
        T::list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<T, A::Error> {
        T::object(object)
    }
}
