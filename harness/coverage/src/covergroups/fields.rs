// SPDX-License-Identifier: MIT OR Apache-2.0
//! A covergroup for each instruction, derived from its description: its flag, and the values of its fields.

use std::{iter, ops::Range};

use drra_case::{DirectedSequence, InstructionTemplate};
use drra_isa::{Field, Opcode, PlacedField};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::{covergroup::Covergroup, cross::Coverpoint, decode::Decode};

/// Number of bins of the immediate flag: set, and not set.
const FLAG: usize = 2;

/// The bins of a field with too many values for one bin each.
const NAMES: [&str; 6] = ["0", "1", "others", "max - 1", "max", "sign bit alone"];
/// The bin of all values without a bin of their own.
const OTHERS: usize = 2;

/// The values of the bins of a field, in the order of [`NAMES`], with `u64::MAX` for the bin of all other values;
/// `None` if each value has a bin of its own.
fn few(field: &Field) -> Option<[u64; NAMES.len()]> {
    let each = field.width <= 3 || !field.values.is_empty() && field.width <= 5;
    let max = (1 << field.width) - 1;
    (!each).then_some([0, 1, u64::MAX, max - 1, max, (max >> 1) + 1])
}

/// A field with the result of [`few`], and its bins.
type FieldBins = (&'static PlacedField, Option<[u64; NAMES.len()]>, Range<usize>);

/// The fields of an instruction; padding has no bins.
fn fields(opcode: Opcode) -> impl Iterator<Item = FieldBins> {
    let mut next = FLAG;
    opcode.fields().iter().filter(|placed| !placed.field.is_padding()).map(move |placed| {
        let few = few(placed.field);
        let first = next;
        next += few.map_or(1 << placed.field.width, |few| few.len());
        (placed, few, first..next)
    })
}

/// The covergroup of an instruction.
pub(crate) fn group(opcode: Opcode) -> Covergroup {
    let name = opcode.name();
    let mut labels: Vec<String> =
        ["with", "without"].iter().map(|w| format!("{name} {w} immediate flag")).collect();
    for (PlacedField { field, .. }, few, bins) in fields(opcode) {
        labels.extend((0..bins.len()).map(|k| {
            let own = || field.value_name(k as u64).map_or(k.to_string(), str::to_owned);
            let value = few.map_or_else(own, |_| NAMES[k].to_owned());
            format!("{name} {} = {value}", field.name)
        }));
    }
    let coverpoint = Coverpoint { name: "flag or field", values: labels };
    let sequence = move |bin: usize, rng: &mut ChaCha8Rng| {
        let mut template =
            InstructionTemplate { immediate: bin != 1, ..InstructionTemplate::new(opcode, &[]) };
        if let Some((placed, few, bins)) = fields(opcode).find(|(.., bins)| bins.contains(&bin)) {
            let value = match (few, bin - bins.start) {
                (None, value) => value as u64,
                (Some([.., below_max, _, _]), OTHERS) => rng.random_range(2..below_max),
                (Some(few), k) => few[k],
            };
            template.fields.push((placed.place, value));
        }
        Some(DirectedSequence::in_order([template]))
    };
    Covergroup::new(format!("{opcode} fields"), vec![coverpoint], |_| true, Box::new(sequence))
}

/// The bins of a decode.
pub(crate) fn bins(decode: &Decode) -> impl Iterator<Item = usize> {
    let words = fields(decode.opcode).filter(|(placed, ..)| placed.place.word() < decode.len);
    let of_fields = words.map(|(placed, few, bins)| {
        let value = decode.get(placed.place);
        let bin = |few: [u64; NAMES.len()]| few.iter().position(|v| *v == value).unwrap_or(OTHERS);
        bins.start + few.map_or(value as usize, bin)
    });
    iter::once(usize::from(!decode.immediate)).chain(of_fields)
}
