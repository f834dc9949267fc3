// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sizes of the fabric in files: their short text, also as keys.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::Geometry;

impl Serialize for Geometry {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'d> Deserialize<'d> for Geometry {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(from)?.parse().map_err(Error::custom)
    }
}
