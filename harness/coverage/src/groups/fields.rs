// SPDX-License-Identifier: MIT OR Apache-2.0
//! A group for each instruction, from its description: its flag, and the values of its fields.

use std::iter;

use drra_isa::{Field, Opcode, PlacedField, Recipe, Wanted};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::{cross::Axis, decode::Decode, group::Group};

/// Bins of the immediate flag: set, and not set.
const FLAG: usize = 2;

/// The values of a field, as bins.
#[derive(Clone, Copy, Debug)]
enum Values {
    /// Each value has its own; that many.
    Each(u64),
    /// A few have: see [`NAMES`]. The values are given; that of the bin of all others is none.
    Some([u64; NAMES.len()]),
}

/// Names of the bins of [`Values::Some`].
const NAMES: [&str; 6] = ["0", "1", "others", "max - 1", "max", "sign bit alone"];
/// The one of all values without a bin of their own.
const OTHERS: usize = 2;

impl Values {
    fn of(field: &Field) -> Self {
        if field.width <= 3 || !field.values.is_empty() && field.width <= 5 {
            return Self::Each(1 << field.width);
        }
        let max = (1 << field.width) - 1;
        Self::Some([0, 1, u64::MAX, max - 1, max, (max >> 1) + 1])
    }

    fn count(self) -> usize {
        match self {
            Self::Each(count) => count as usize,
            Self::Some(values) => values.len(),
        }
    }

    /// What a value counts as.
    fn bin(self, value: u64) -> usize {
        match self {
            Self::Each(_) => value as usize,
            Self::Some(values) => values.iter().position(|v| *v == value).unwrap_or(OTHERS),
        }
    }

    /// A value that counts as a bin.
    fn draw(self, bin: usize, rng: &mut ChaCha8Rng) -> u64 {
        match self {
            Self::Each(_) => bin as u64,
            Self::Some([.., below_max, _, _]) if bin == OTHERS => rng.random_range(2..below_max),
            Self::Some(values) => values[bin],
        }
    }

    /// A bin in words.
    fn label(self, bin: usize, field: &Field) -> String {
        match self {
            Self::Each(_) => field.value_name(bin as u64).map_or(bin.to_string(), str::to_owned),
            Self::Some(_) => NAMES[bin].to_owned(),
        }
    }
}

/// The fields of an instruction with their values and first bins; padding has no bins.
fn fields(opcode: Opcode) -> impl Iterator<Item = (&'static PlacedField, Values, usize)> {
    let mut next = FLAG;
    opcode.fields().iter().filter(|placed| !placed.field.is_padding()).map(move |placed| {
        let values = Values::of(placed.field);
        next += values.count();
        (placed, values, next - values.count())
    })
}

/// The group of an instruction.
pub(crate) fn group(opcode: Opcode) -> Group {
    let name = opcode.name();
    let mut labels: Vec<String> =
        ["with", "without"].iter().map(|w| format!("{name} {w} immediate flag")).collect();
    for (PlacedField { field, .. }, values, _) in fields(opcode) {
        let label = |bin| format!("{name} {} = {}", field.name, values.label(bin, field));
        labels.extend((0..values.count()).map(label));
    }
    let axis = Axis { name: "flag or field", values: labels };
    let recipe = move |index: &[usize], rng: &mut ChaCha8Rng| {
        let bin = index[0];
        if bin < FLAG {
            let wanted = Wanted { immediate: bin == 0, ..Wanted::new(opcode, &[]) };
            return Some(Recipe::sequence([wanted]));
        }
        let (placed, values, first) = fields(opcode).filter(|(.., first)| *first <= bin).last()?;
        let fields = [(placed.place, values.draw(bin - first, rng))];
        Some(Recipe::sequence([Wanted::new(opcode, &fields)]))
    };
    Group::new(format!("{opcode} fields"), vec![axis], |_| true, Box::new(recipe))
}

/// The bins of a decode.
pub(crate) fn bins(decode: &Decode) -> impl Iterator<Item = usize> {
    let words = fields(decode.opcode).filter(|(placed, ..)| placed.place.word() < decode.len);
    let of_fields =
        words.map(|(placed, values, first)| first + values.bin(decode.get(placed.place)));
    iter::once(usize::from(!decode.immediate)).chain(of_fields)
}
