// SPDX-License-Identifier: MIT OR Apache-2.0
//! A group for each instruction: its flag, and the values of its fields.

use drra_isa::{Field, Opcode, PlacedField, Recipe, Wanted};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::{
    axes::{Axes, Axis},
    group::Bins,
    observed::{Observed, Source},
};

/// Bins of the immediate flag: set, and not set.
const FLAG: usize = 2;

/// The values of a field, as bins.
#[derive(Clone, Copy, Debug)]
enum Values {
    /// Each value has its own; that many.
    Each(u64),
    /// A few have: see [`Self::NAMES`]. The largest value is given.
    Some(u64),
}

impl Values {
    /// Names of the bins of [`Self::Some`].
    const NAMES: [&str; 6] = ["0", "1", "others", "max - 1", "max", "sign bit alone"];

    fn of(field: &Field) -> Self {
        if field.width <= 3 || !field.values.is_empty() && field.width <= 5 {
            Self::Each(1 << field.width)
        } else {
            Self::Some((1 << field.width) - 1)
        }
    }

    fn count(self) -> usize {
        match self {
            Self::Each(count) => count as usize,
            Self::Some(_) => Self::NAMES.len(),
        }
    }

    /// What a value counts as.
    fn bin(self, value: u64) -> usize {
        match (self, value) {
            (Self::Each(_), v) => v as usize,
            (Self::Some(_), 0) => 0,
            (Self::Some(_), 1) => 1,
            (Self::Some(max), v) if v == max => 4,
            (Self::Some(max), v) if v == max - 1 => 3,
            (Self::Some(max), v) if v == (max >> 1) + 1 => 5,
            (Self::Some(_), _) => 2,
        }
    }

    /// A value that counts as a bin.
    fn draw(self, bin: usize, rng: &mut ChaCha8Rng) -> u64 {
        match (self, bin) {
            (Self::Each(_), _) => bin as u64,
            (Self::Some(_), 0) => 0,
            (Self::Some(_), 1) => 1,
            (Self::Some(max), 3) => max - 1,
            (Self::Some(max), 4) => max,
            (Self::Some(max), 5) => (max >> 1) + 1,
            (Self::Some(max), _) => rng.random_range(2..max - 1),
        }
    }

    fn labels(self, field: &Field) -> Vec<String> {
        match self {
            Self::Each(count) => (0..count)
                .map(|v| field.value_name(v).map_or(v.to_string(), str::to_owned))
                .collect(),
            Self::Some(_) => Self::NAMES.map(str::to_owned).to_vec(),
        }
    }
}

/// A field with its bins.
#[derive(Clone, Copy, Debug)]
struct FieldBins {
    placed: PlacedField,
    values: Values,
    first: usize,
}

/// Bins of the flag and the fields of an instruction.
pub(crate) struct Fields {
    opcode: Opcode,
    fields: Vec<FieldBins>,
}

impl Fields {
    /// The group of an instruction; padding has no bins.
    pub(crate) fn new(opcode: Opcode) -> Self {
        let mut first = FLAG;
        let number = |placed: &PlacedField| {
            let bins = FieldBins { placed: *placed, values: Values::of(placed.field), first };
            first += bins.values.count();
            bins
        };
        let used = opcode.fields().iter().filter(|f| !f.field.is_padding());
        Self { opcode, fields: used.map(number).collect() }
    }
}

impl Bins for Fields {
    fn name(&self) -> String {
        format!("{} fields", self.opcode)
    }

    fn axes(&self) -> Axes {
        let name = self.opcode.name();
        let mut labels =
            vec![format!("{name} with immediate flag"), format!("{name} without immediate flag")];
        for f in &self.fields {
            let field = f.placed.field;
            let values = f.values.labels(field).into_iter();
            labels.extend(values.map(|value| format!("{name} {} = {value}", field.name)));
        }
        Axes(vec![Axis::new("flag or field", labels)])
    }

    fn source(&self) -> Option<Source> {
        Some(Source::Decode(self.opcode))
    }

    fn hit(&self, seen: &Observed<'_>, note: &mut dyn FnMut(usize)) {
        let Observed::Decode(decode) = seen else { return };
        if decode.opcode != self.opcode {
            return;
        }
        note(usize::from(!decode.immediate));
        for f in self.fields.iter().filter(|f| f.placed.place.word() < decode.len) {
            note(f.first + f.values.bin(decode.get(f.placed.place)));
        }
    }

    fn recipe(&self, index: &[usize], rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let bin = index[0];
        if bin < FLAG {
            let wanted = Wanted { immediate: bin == 0, ..Wanted::new(self.opcode, &[]) };
            return Some(Recipe::sequence([wanted]));
        }
        let field = self.fields.iter().find(|f| bin < f.first + f.values.count())?;
        let value = field.values.draw(bin - field.first, rng);
        let fields = [(field.placed.place, value)];
        Some(Recipe::sequence([Wanted::new(self.opcode, &fields)]))
    }
}
