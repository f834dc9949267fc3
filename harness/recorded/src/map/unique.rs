// SPDX-License-Identifier: MIT OR Apache-2.0
//! Objects of a map in which a key that stands twice is refused: readers of JSON would silently take the last one.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fmt,
    marker::PhantomData,
};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, MapAccess, Visitor},
};

/// Reads an object.
pub(super) fn read<'de, K, V, D>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
where
    K: Deserialize<'de> + Ord,
    V: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_map(Object(PhantomData))
}

/// Reads the elements of an object.
pub(super) fn elements<'de, K, V, A>(mut object: A) -> Result<BTreeMap<K, V>, A::Error>
where
    K: Deserialize<'de> + Ord,
    V: Deserialize<'de>,
    A: MapAccess<'de>,
{
    let mut all = BTreeMap::new();
    while let Some(key) = object.next_key()? {
        match all.entry(key) {
            Entry::Occupied(_) => object.next_value_seed(Twice)?,
            Entry::Vacant(place) => {
                place.insert(object.next_value()?);
            }
        }
    }
    Ok(all)
}

struct Object<K, V>(PhantomData<(K, V)>);

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Visitor<'de> for Object<K, V> {
    type Value = BTreeMap<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        elements(object)
    }
}

/// The value of a key that stands twice. The error is raised in its place, so that it has its path.
struct Twice;

impl<'de> DeserializeSeed<'de> for Twice {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, _: D) -> Result<(), D::Error> {
        Err(D::Error::custom("the key stands twice: leave one of them out"))
    }
}
