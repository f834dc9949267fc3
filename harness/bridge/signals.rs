// SPDX-License-Identifier: MIT OR Apache-2.0
//! Combinational signals between the blocks of our own RTL (chapter 5, 7.4), each in parts of variables that the
//! fabric description names. Registers alone are compared while a case runs; where they begin to differ, the signals of
//! the cycle before show in which block the difference arose. Other designs have no names for them yet.

use std::collections::BTreeMap;

use drra_isa::{
    ColumnId, Geometry, Unit,
    fabric::{Element, Key, PartOf, SignalPart, scope::scope},
};
use drra_lockstep::{DutError, SignalAt, Value};

use super::sim::Sim;

/// The signals of one [`Sim`] as of its last evaluation, which it must not outlive.
#[derive(Debug)]
pub(super) struct SignalMap(BTreeMap<SignalAt, Vec<Part>>);

/// Part of a signal.
#[derive(Debug)]
struct Part {
    bits: Bits,
    /// A bit that must be 1; the part counts as 0 else.
    only_while: Option<Bits>,
}

/// Bits of a variable of the model.
#[derive(Clone, Copy, Debug)]
struct Bits {
    variable: *const u8,
    lsb: usize,
    width: usize,
}

impl SignalMap {
    /// Finds every variable.
    ///
    /// # Errors
    /// If one is missing in the model or too small: a defect of the build.
    pub(super) fn new(sim: &Sim, geometry: &Geometry) -> Result<Self, DutError> {
        let found = SignalAt::all(geometry).into_iter().map(|signal| {
            let parts = signal.id.info().rtl.iter().map(|part| Part::find(sim, signal, part));
            Ok((signal, parts.collect::<Result<_, DutError>>()?))
        });
        Ok(Self(found.collect::<Result<_, DutError>>()?))
    }

    /// Value of a signal, as [`SignalAt::value`] gives that of the golden model.
    pub(super) fn value(&self, signal: SignalAt) -> Option<Value> {
        let width = signal.width();
        let mut words = vec![0; width.div_ceil(64) as usize];
        let mut lsb = 0;
        for part in self.0.get(&signal)? {
            let bits = part.bits;
            if part.only_while.is_none_or(|condition| condition.bit(0)) {
                for n in 0..bits.width {
                    words[(lsb + n) / 64] |= u64::from(bits.bit(n)) << ((lsb + n) % 64);
                }
            }
            lsb += bits.width;
        }
        Some(Value::new(words, width))
    }
}

impl Part {
    fn find(sim: &Sim, signal: SignalAt, part: &SignalPart) -> Result<Self, DutError> {
        let lost = |what| DutError::Map(format!("{signal} is in no {what}"));
        let column: Option<ColumnId> = match signal.unit {
            Unit::Cell(cell) => Some(cell.column()),
            Unit::Column(column) => Some(column),
            Unit::Tile(tile) => Some(tile.column()),
            Unit::Fabric => None,
        };
        let owner = match part.of {
            PartOf::Unit => Some(signal.unit),
            PartOf::Column => column.map(Unit::Column),
            PartOf::HomeTile => column.map(|c| Unit::Tile(c.home_tile())),
        };
        let owner = scope(owner.ok_or_else(|| lost("column"))?);
        let element = match (part.element, signal.unit) {
            (Element::Whole, _) => 0,
            (Element::Row, Unit::Cell(cell)) => cell.row(),
            (Element::Row, _) => return Err(lost("row")),
            (Element::Key(first), _) => signal.key().index() + first,
            (Element::Fixed(element), _) => element,
        };
        let bits = |variable: &str, width: usize| {
            let path = format!("{owner}.{}", filled(variable, signal.key()));
            let (scope, name) = path.rsplit_once('.').unwrap_or_default();
            let found = sim.variable(scope, name)?;
            let lsb = element * width;
            if (lsb + width).div_ceil(8) > found.bytes {
                let what =
                    format!("{path} has {} bytes, {} bits are needed", found.bytes, lsb + width);
                return Err(DutError::Map(what));
            }
            Ok(Bits { variable: found.address as *const u8, lsb, width })
        };
        let only_while = part.only_while.as_ref().map(|name| bits(&format!("{name}_i"), 1));
        Ok(Self {
            bits: bits(&part.variable, part.width as usize)?,
            only_while: only_while.transpose()?,
        })
    }
}

/// The path of a variable with the number of a key in the place of `{key}`, its name in that of `{key:name}`.
fn filled(path: &str, key: Key) -> String {
    let name = key.name().map_or_else(|| key.index().to_string(), str::to_owned);
    path.replace("{key:name}", &name).replace("{key}", &key.index().to_string())
}

impl Bits {
    /// Bit n of these bits.
    fn bit(self, n: usize) -> bool {
        let at = self.lsb + n;
        // SAFETY: the variable is large enough, which was checked when it was found; the model lives and is
        // not evaluated meanwhile.
        let byte = unsafe { *self.variable.add(at / 8) };
        byte >> (at % 8) & 1 == 1
    }
}
