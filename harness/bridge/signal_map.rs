// SPDX-License-Identifier: MIT OR Apache-2.0
//! The signal map: combinational signals between the blocks (chapter 5, 7.4), each in parts of variables of
//! the RTL that the fabric description names. Registers alone are compared while a case runs; where they begin
//! to differ, the signals of the cycle before tell in which block the difference arose.

use std::collections::BTreeMap;

use drra_isa::{
    ColumnId, Geometry, Unit,
    fabric::{Element, Key, PartOf, SignalPart, scope::scope},
};
use drra_lockstep::{DutError, SignalAt, Value};

use super::sim::Sim;

/// The signals of one [`Sim`] as of its last evaluation. As with
/// [`StateMap`](super::state_map::StateMap), it must not outlive the `Sim`.
#[derive(Debug)]
pub struct SignalMap {
    signals: BTreeMap<SignalAt, Vec<Part>>,
}

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
    /// If the model lacks one or it is too small: a defect of the build.
    pub fn new(sim: &Sim, geometry: &Geometry) -> Result<Self, DutError> {
        let found = SignalAt::all(geometry).into_iter().map(|signal| {
            let parts = signal.id.info().rtl.iter().map(|part| Part::find(sim, signal, part));
            Ok((signal, parts.collect::<Result<_, DutError>>()?))
        });
        Ok(Self { signals: found.collect::<Result<_, DutError>>()? })
    }

    /// Value of a signal, as [`SignalAt::value`] gives that of the golden model.
    ///
    /// # Panics
    /// If the fabric has no such signal: a defect of the caller.
    pub fn value(&self, signal: SignalAt) -> Value {
        let parts = self.signals.get(&signal);
        let parts = parts.unwrap_or_else(|| panic!("there is no signal {signal}"));
        let width = signal.width();
        let mut words = vec![0; width.div_ceil(64) as usize];
        let mut lsb = 0;
        for part in parts {
            if part.only_while.is_none_or(Bits::first) {
                part.bits.copy(&mut words, lsb);
            }
            lsb += part.bits.width;
        }
        Value::new(words, width)
    }
}

impl Part {
    fn find(sim: &Sim, signal: SignalAt, part: &SignalPart) -> Result<Self, DutError> {
        let scope = scope(owner(signal, part.of)?);
        let element = match part.element {
            Element::Whole => 0,
            Element::Row => match signal.unit {
                Unit::Cell(cell) => cell.row(),
                Unit::Column(_) | Unit::Tile(_) | Unit::Fabric => {
                    return Err(DutError::Map(format!("{signal} has no row")));
                }
            },
            Element::Key(first) => signal.key.index() + first,
            Element::Fixed(element) => element,
        };
        let bits = |variable: &str, width| {
            let path = format!("{scope}.{}", filled(variable, signal.key));
            let (scope, variable) = path.rsplit_once('.').unwrap_or_default();
            Bits::find(sim, scope, variable, element, width)
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

/// The unit whose variable a part of a signal is.
fn owner(signal: SignalAt, of: PartOf) -> Result<Unit, DutError> {
    let column: Option<ColumnId> = match signal.unit {
        Unit::Cell(cell) => Some(cell.column()),
        Unit::Column(column) => Some(column),
        Unit::Tile(tile) => Some(tile.column()),
        Unit::Fabric => None,
    };
    let found = match of {
        PartOf::Unit => Some(signal.unit),
        PartOf::Column => column.map(Unit::Column),
        PartOf::HomeTile => column.map(|c| Unit::Tile(c.home_tile())),
    };
    found.ok_or_else(|| DutError::Map(format!("{signal} is in no column")))
}

impl Bits {
    /// Element of a variable, elements of so many bits each.
    fn find(
        sim: &Sim,
        scope: &str,
        variable: &str,
        element: usize,
        width: usize,
    ) -> Result<Self, DutError> {
        let found = sim.memory(scope, variable)?;
        let lsb = element * width;
        if (lsb + width).div_ceil(8) > found.bytes {
            return Err(DutError::Map(format!(
                "{scope}.{variable} has {} bytes, the fabric description says {} bits or more",
                found.bytes,
                lsb + width
            )));
        }
        Ok(Self { variable: found.address as *const u8, lsb, width })
    }

    /// Bit n of these bits.
    fn bit(self, n: usize) -> bool {
        assert!(n < self.width, "bit of the signal");
        let at = self.lsb + n;
        // SAFETY: the variable is large enough, which was checked when it was found; the model lives and is
        // not evaluated meanwhile.
        let byte = unsafe { *self.variable.add(at / 8) };
        byte >> (at % 8) & 1 == 1
    }

    fn first(self) -> bool {
        self.bit(0)
    }

    /// Copies the bits into words that are 0 there.
    fn copy(self, words: &mut [u64], lsb: usize) {
        for n in 0..self.width {
            let to = lsb + n;
            words[to / 64] |= u64::from(self.bit(n)) << (to % 64);
        }
    }
}
