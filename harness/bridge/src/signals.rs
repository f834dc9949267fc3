// SPDX-License-Identifier: MIT OR Apache-2.0
//! Combinational signals between the blocks of our own RTL (chapter 5, 7.4), each made of parts of variables named in
//! the fabric description. These signals are not compared while a case runs; once registers differ, the signals of the
//! previous cycle show in which block the difference originated. For other designs, the signal map names them.

use std::collections::BTreeMap;

use drra_fabric::{Key, PartOwner, SignalPart, VariableElement, scope::scope};
use drra_isa::{ColumnId, Geometry, Unit};
use drra_lockstep::{DutError, SignalLocation, Value};

use crate::{names::VariableLocation, sim::Sim};

/// The signals of one [`Sim`] as of its last evaluation; must not outlive the simulation.
#[derive(Debug)]
pub(crate) struct ModelSignals(BTreeMap<SignalLocation, Vec<SignalPiece>>);

/// Part of a signal: bits of a variable of the model.
#[derive(Debug)]
struct SignalPiece {
    bits: PartBits,
    /// A bit that must be 1; otherwise the value of the part is 0.
    only_while: Option<PartBits>,
}

/// Bits of a variable of the model.
#[derive(Clone, Copy, Debug)]
struct PartBits {
    variable: VariableLocation,
    lsb: u32,
    width: u32,
}

impl ModelSignals {
    /// Locates the variables of all signals.
    ///
    /// # Errors
    /// If a variable is missing from the model or too small, which is a bug in the build.
    pub(crate) fn new(sim: &Sim, geometry: &Geometry) -> Result<Self, DutError> {
        let found = SignalLocation::all(geometry).into_iter().map(|signal| {
            let parts =
                signal.id.info().rtl.iter().map(|part| SignalPiece::find(sim, signal, part));
            Ok((signal, parts.collect::<Result<_, DutError>>()?))
        });
        Ok(Self(found.collect::<Result<_, DutError>>()?))
    }

    /// Value of a signal, in the same form as [`SignalLocation::value`] for the golden model.
    pub(crate) fn value(&self, signal: SignalLocation) -> Option<Value> {
        let parts = self.0.get(&signal)?.iter().map(SignalPiece::value);
        let value = parts.reduce(|low, part| part.above(&low))?;
        Some(value.slice(0, signal.width()))
    }
}

impl SignalPiece {
    fn value(&self) -> Value {
        match self.only_while {
            Some(condition) if condition.value().bit(0) != Some(true) => {
                Value::new([], self.bits.width)
            }
            _ => self.bits.value(),
        }
    }

    fn find(sim: &Sim, signal: SignalLocation, part: &SignalPart) -> Result<Self, DutError> {
        let lost = |what| DutError::Map(format!("{signal} is in no {what}"));
        let column: Option<ColumnId> = match signal.unit {
            Unit::Cell(cell) => Some(cell.column()),
            Unit::Column(column) => Some(column),
            Unit::Tile(tile) => Some(tile.column()),
            Unit::Fabric => None,
        };
        let owner = match part.of {
            PartOwner::Unit => Some(signal.unit),
            PartOwner::Column => column.map(Unit::Column),
            PartOwner::HomeTile => column.map(|c| Unit::Tile(c.home_tile())),
        };
        let owner = scope(owner.ok_or_else(|| lost("column"))?);
        let element = match (part.element, signal.unit) {
            (VariableElement::Whole, _) => 0,
            (VariableElement::Row, Unit::Cell(cell)) => cell.row(),
            (VariableElement::Row, _) => return Err(lost("row")),
            (VariableElement::Key(first), _) => signal.key().index() + first,
            (VariableElement::Fixed(element), _) => element,
        };
        let bits = |variable: &str, width: u32| {
            let path = format!("{owner}.{}", filled(variable, signal.key()));
            let (scope, name) = path.rsplit_once('.').unwrap_or_default();
            let found = sim.variable(scope, name)?;
            let lsb = element as u32 * width;
            if (lsb + width).div_ceil(8) as usize > found.bytes {
                let what = format!(
                    "{path} has {} bytes, but {} bits are needed",
                    found.bytes,
                    lsb + width
                );
                return Err(DutError::Map(what));
            }
            let variable =
                VariableLocation { address: found.address, width: 8 * found.bytes as u32 };
            Ok(PartBits { variable, lsb, width })
        };
        let only_while = part.only_while.as_ref().map(|name| bits(&format!("{name}_i"), 1));
        Ok(Self { bits: bits(&part.variable, part.width)?, only_while: only_while.transpose()? })
    }
}

/// The path of a variable, with the number of a key replacing `{key}`, and its name replacing `{key:name}`.
fn filled(path: &str, key: Key) -> String {
    let name = key.name().map_or_else(|| key.index().to_string(), str::to_owned);
    path.replace("{key:name}", &name).replace("{key}", &key.index().to_string())
}

impl PartBits {
    fn value(self) -> Value {
        // SAFETY: `value` asks for a living model that is not evaluated. The owner of the signal map promises both, as
        // for the state.
        unsafe { self.variable.value() }.slice(self.lsb, self.width)
    }
}
