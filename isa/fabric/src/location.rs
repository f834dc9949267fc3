// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers and their locations: the canonical paths of chapter 5, section 7.

use std::{fmt, str::FromStr};

use drra_isa::{Geometry, Unit, UnitKind, decimal};

use crate::{
    ids::{Key, KeyKind, Register, RegisterId},
    load::description,
    types::filled,
};

/// One register of the fabric. Displayed and parsed as its canonical path, for example
/// `cell[0][3].rf.agu[w0].addr_reg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The unit that has the register.
    pub unit: Unit,
    /// The register of the unit.
    pub register: Register,
}

/// A text that does not name a register.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a register; paths are those of chapter 5, section 7, for example cell[0][3].seq.pc"
)]
pub struct PathError {
    text: String,
}

impl RegisterId {
    /// Kind of key that distinguishes the registers of the same name.
    pub fn key_kind(self) -> Option<KeyKind> {
        self.info().key.and_then(KeyKind::from_index)
    }

    /// All registers with this identity in a fabric, in the order of the keys.
    pub fn all(self, geometry: &Geometry) -> impl Iterator<Item = Register> + use<> {
        Key::all(self.key_kind(), geometry).filter_map(move |key| Register::new(self, key))
    }
}

impl Register {
    /// Kind of the units that have the register.
    pub fn unit_kind(self) -> UnitKind {
        self.id().info().unit
    }

    /// Width in bits.
    pub fn width(self, geometry: &Geometry) -> u32 {
        self.id().info().width.bits(geometry, self.key().index())
    }

    /// The register of a kind of unit with this path (without the unit).
    pub fn from_path(unit: UnitKind, path: &str) -> Option<Self> {
        let registers = RegisterId::ALL.iter().copied().filter(|id| id.info().unit == unit);
        registers.into_iter().find_map(|id| {
            let template = id.info().path.as_str();
            let Some(kind) = id.key_kind() else {
                return Self::new(id, Key::None).filter(|_| template == path);
            };
            let (before, rest) = template.split_once('{')?;
            let after = rest.split_once('}')?.1;
            let text = path.strip_prefix(before)?.strip_suffix(after)?;
            let info = &description().keys[kind.index()];
            let index = match info.values.iter().position(|v| v == text) {
                Some(index) => index,
                None if info.values.is_empty() => decimal(text)?,
                None => return None,
            };
            let known = index < info.count(&Geometry::LARGEST);
            Self::new(id, Key::from_index(kind, index).filter(|_| known)?)
        })
    }
}

/// Path without the unit, for example `rf.agu[w0].addr_reg`.
impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = self.id().info();
        let key = info.key.map(|k| &description().keys[k]);
        f.write_str(&filled(&info.path, key, self.key().index()))
    }
}

impl Location {
    /// The register of a unit, if units of that kind have it.
    pub fn new(unit: Unit, register: Register) -> Option<Self> {
        (register.unit_kind() == unit.kind()).then_some(Self { unit, register })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit {
            Unit::Fabric => self.register.fmt(f),
            unit => write!(f, "{unit}.{}", self.register),
        }
    }
}

impl FromStr for Location {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        let of_unit = || {
            let (unit, path) = text.split_once("].")?;
            let unit: Unit = format!("{unit}]").parse().ok()?;
            Some(Self { unit, register: Register::from_path(unit.kind(), path)? })
        };
        let of_fabric = || {
            let register = Register::from_path(UnitKind::Fabric, text)?;
            Some(Self { unit: Unit::Fabric, register })
        };
        of_unit().or_else(of_fabric).ok_or_else(|| PathError { text: text.to_owned() })
    }
}
