// SPDX-License-Identifier: MIT OR Apache-2.0
//! What decides whether a case fails, in words.

use drra_isa::{Field, Opcode, Unit};

use super::{cell, counted};
use crate::data::{
    Factor, FactorRole, FactorSubject, InstructionLocation, Variation, VariationLimit,
};

/// Maximum number of values listed individually.
const MAX_LISTED: usize = 8;
/// Maximum number of exceptions listed in place of the values.
const MAX_EXCEPTIONS: usize = 3;

impl Variation {
    /// The conditions for the failure in one line: `fails only if LOOP iter (R3) is 64`, first those that all varied
    /// cases have; `None` if no factor decides.
    pub fn decisive(&self) -> Option<String> {
        let (shared, own): (Vec<&Factor>, Vec<&Factor>) =
            self.of(FactorRole::Decides).partition(|f| f.others == self.others);
        let list = |factors: &[&Factor]| {
            let all = factors.iter().map(|f| match &f.subject {
                FactorSubject::Meeting { instructions } => {
                    let name = |at: &InstructionLocation| {
                        format!("{} of {} @{}", super::opcode(at.opcode), cell(at.cell), at.address)
                    };
                    let all: Vec<_> = instructions.iter().map(name).collect();
                    format!("{} meet in time", all.join(" and "))
                }
                FactorSubject::Gap { instruction: at } => {
                    let (opcode, cell) = (super::opcode(at.opcode), cell(at.cell));
                    format!(
                        "{opcode} of {cell} @{} comes directly after the instruction before it",
                        at.address
                    )
                }
                _ => format!("{} {}", self.name(f), f.condition()),
            });
            all.collect::<Vec<_>>()
        };
        let cases = match self.others + 1 {
            2 => "both cases varied".to_owned(),
            all => format!("all {all} cases varied"),
        };
        let (shared, mut own) = (list(&shared), list(&own));
        own.extend(self.equal());
        let [shared, own] =
            if self.others == 0 { [[shared, own].concat(), Vec::new()] } else { [shared, own] };
        let [shared, own] = [shared, own].map(|conditions| conditions.join("; "));
        Some(match (shared.is_empty(), own.is_empty()) {
            (true, true) => return None,
            (false, _) if self.others == 0 => format!("fails only if {shared}"),
            (false, true) => format!("fails only if {shared} (in {cases})"),
            (false, false) => {
                format!("fails only if {shared} (in {cases}); here also only if {own}")
            }
            (true, false) => {
                format!("fails only if {own} (here; not the same in {cases})")
            }
        })
    }

    /// The conditions of other cases that share none of them, one line each.
    pub fn other_groups(&self) -> impl Iterator<Item = String> {
        self.groups.iter().filter_map(|group| {
            Some(format!(
                "case {} has other conditions: {}",
                group.case,
                group.variation.decisive()?
            ))
        })
    }

    /// The other results, one line each: durations that matter relative to each other, what only carries data, what does
    /// not matter, and what was tried.
    pub fn others(&self) -> Vec<String> {
        let relative = self.of(FactorRole::Relative);
        let relative: Vec<_> =
            relative.map(|f| format!("{} ({})", self.name(f), f.text(f.value))).collect();
        let stopped = match self.stopped {
            None => "",
            Some(VariationLimit::Runs) => ", stopped at the limit: not everything was tried",
            Some(VariationLimit::Time) => {
                ", stopped when the time was up: not everything was tried"
            }
        };
        let filled =
            if self.filled { ", with other values in place of words that are 0" } else { "" };
        let cases = match self.others {
            0 => String::new(),
            others => format!(" of {} cases", others + 1),
        };
        [
            ("matter only relative to each other", relative.join(", ")),
            ("only carries data or timing", self.kinds(FactorRole::Carries)),
            ("does not matter for the values tried", self.kinds(FactorRole::NoEffect)),
            ("not clear", self.kinds(FactorRole::Unclear)),
            ("tried", counted(self.runs, "variation") + &cases + filled + stopped),
        ]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what}: {names}"))
        .collect()
    }

    /// Two numbers that matter only relative to each other, and are equal.
    fn equal(&self) -> Option<String> {
        let related: Vec<&Factor> = self.of(FactorRole::Relative).collect();
        match related[..] {
            [one, other] if one.value == other.value => {
                Some(format!("{} and {} are equal", self.name(one), self.name(other)))
            }
            _ => None,
        }
    }

    fn of(&self, role: FactorRole) -> impl Iterator<Item = &Factor> {
        self.factors.iter().filter(move |f| f.role == role)
    }

    /// The kinds of factors with a role: `SWB hb_index, v_index; data`. The place is named if a factor of this kind has
    /// another role elsewhere in the case.
    fn kinds(&self, role: FactorRole) -> String {
        let mut kinds: Vec<(String, Vec<String>)> = Vec::new();
        for factor in self.of(role) {
            let (mut group, mut name) = factor.kind();
            let mut same = self.factors.iter().filter(|other| other.kind() == factor.kind());
            if same.any(|other| other.role != role) {
                match self.place(factor) {
                    Some(place) if !group.is_empty() => group += &place,
                    _ => name = self.name(factor),
                }
            }
            match kinds.iter_mut().find(|(known, _)| *known == group) {
                Some((_, names)) if names.contains(&name) => {}
                Some((_, names)) if !group.is_empty() => names.push(name),
                _ => kinds.push((group, vec![name])),
            }
        }
        let text = |(group, names): &(String, Vec<String>)| format!("{group} {}", names.join(", "));
        kinds.iter().map(text).map(|text| text.trim().to_owned()).collect::<Vec<_>>().join("; ")
    }

    /// The name of a factor, with its place.
    fn name(&self, factor: &Factor) -> String {
        let (group, name) = factor.kind();
        if let FactorSubject::Word { unit, word } = &factor.subject {
            return format!("{} {word} of {}", name.trim_end_matches('s'), super::place(*unit));
        }
        format!("{group} {name}{}", self.place(factor).unwrap_or_default()).trim().to_owned()
    }

    /// The cell of an input, or the place of an instruction if the case has several instructions of its kind.
    fn place(&self, factor: &Factor) -> Option<String> {
        let at = match &factor.subject {
            FactorSubject::DpuInput { cell: at, .. } => return Some(format!(" of {}", cell(*at))),
            FactorSubject::Field { instruction, .. } => instruction,
            _ => return None,
        };
        let other = |f: &Factor| match &f.subject {
            FactorSubject::Field { instruction, .. } => {
                instruction.opcode == at.opcode && instruction != at
            }
            _ => false,
        };
        let several = self.factors.iter().any(other);
        several.then(|| format!(" of {} @{}", cell(at.cell), at.address))
    }
}

impl Factor {
    /// The kind of factor: the instruction, if it has one, and a name.
    fn kind(&self) -> (String, String) {
        let name = match &self.subject {
            FactorSubject::Field { instruction: at, field, register } => {
                let register = register.map_or_else(String::new, |r| format!(" (R{r})"));
                return (super::opcode(at.opcode), format!("{field}{register}"));
            }
            FactorSubject::Word { unit: Unit::Cell(_), .. } => "register-file words",
            FactorSubject::Word { .. } => "tile words",
            FactorSubject::Kind { instruction: at, .. } => {
                let place = format!("{} @{}", cell(at.cell), at.address);
                return (String::new(), format!("the instruction of {place}"));
            }
            FactorSubject::Meeting { .. } => "meeting",
            FactorSubject::Gap { instruction: at } => {
                return (
                    super::opcode(at.opcode),
                    "distance from the instruction before".to_owned(),
                );
            }
            FactorSubject::DpuInput { input, .. } => {
                return (String::new(), format!("DPU input {input}"));
            }
            FactorSubject::Data => "data",
            FactorSubject::Fabric { .. } => "fabric size",
            FactorSubject::Seed => "state seed",
        };
        (String::new(), name.to_owned())
    }

    /// The description of the field, if it was varied itself.
    fn field(&self) -> Option<(Opcode, &'static Field)> {
        let FactorSubject::Field { instruction: at, field, register: None } = &self.subject else {
            return None;
        };
        let fields = &at.opcode?.description().fields;
        Some((at.opcode?, fields.iter().find(|f| f.name == *field)?))
    }

    /// A value as text.
    fn text(&self, value: u64) -> String {
        match (&self.subject, self.field()) {
            (FactorSubject::Word { .. }, _) => format!("0x{value:04x} ({})", value as i16),
            (FactorSubject::Kind { kinds, .. }, _) => {
                kinds.get(value as usize).map_or_else(String::new, |(opcode, words)| {
                    format!("{} of {}", super::opcode(*opcode), counted(*words, "word"))
                })
            }
            (FactorSubject::Fabric { sizes }, _) => {
                sizes.get(value as usize).map_or_else(String::new, ToString::to_string)
            }
            (_, Some((_, field))) => {
                let number = || field.number(value).to_string();
                field.value_name(value).map_or_else(number, str::to_owned)
            }
            _ => value.to_string(),
        }
    }

    /// The values with which the case fails alike, as a predicate: `is 33 or more`. It holds for all values tried.
    pub fn condition(&self) -> String {
        let mut text = self.claim();
        if !self.otherwise.is_empty() {
            text += &format!(" (fails in another way if {})", self.list(&self.otherwise));
        }
        text
    }

    fn claim(&self) -> String {
        if let Some(words) = self.length() {
            return format!("has {}", counted(words, "word"));
        }
        let listed =
            matches!(self.subject, FactorSubject::Fabric { .. } | FactorSubject::Kind { .. });
        let named = listed || self.field().is_some_and(|(_, field)| !field.values.is_empty());
        let few = self.otherwise.is_empty() && self.agreeing.len() < self.failing.len();
        if few && self.agreeing.len() <= if named { MAX_EXCEPTIONS } else { 1 } {
            return format!("is not {}", self.list(&self.agreeing));
        }
        if named || self.failing.len() == 1 {
            let property = self.property().map(|p| format!(" (every mode that {p})"));
            return format!("is {}{}", self.list(&self.failing), property.unwrap_or_default());
        }
        if let Some(Some(range)) = self.range(0) {
            return format!("is {range}");
        }
        if let Some(gap) = self.gap() {
            return format!("is not {gap}");
        }
        if few && self.agreeing.len() <= MAX_EXCEPTIONS && self.deciding_bits() == 0 {
            return format!("is not {}", self.list(&self.agreeing));
        }
        if let Some(text) = self.of_both_signs() {
            return text;
        }
        let mask = self.deciding_bits();
        let bits = |set: bool| {
            let bits = (0..self.bits()).rev().filter(|bit| mask >> bit & 1 == 1);
            let bits = bits.filter(|bit| (self.value >> bit & 1 == 1) == set);
            let bits: Vec<u32> = bits.collect();
            let name = match bits[..] {
                [] => return None,
                [one] => format!("bit {one}"),
                [high, .., low] if (high - low) as usize + 1 == bits.len() => {
                    format!("bits {high} to {low}")
                }
                _ => {
                    let bits: Vec<_> = bits.iter().map(u32::to_string).collect();
                    format!("bits {}", bits.join(" and "))
                }
            };
            Some(format!("{name} {}", if set { "set" } else { "clear" }))
        };
        let bits: Vec<_> = [true, false].into_iter().filter_map(bits).collect();
        match self.range(mask).filter(|_| mask != 0) {
            Some(None) => format!("has {}", bits.join(", ")),
            Some(Some(range)) => format!("is {range} and has {}", bits.join(", ")),
            None => format!("is {}", self.list(&self.failing)),
        }
    }

    /// The range of the failing values among those with the bits of the case's value where `mask` is 1; inside `None`
    /// if it is everything. `None` if a value inside it does not fail alike, or a value next to it was not tried.
    fn range(&self, mask: u64) -> Option<Option<String>> {
        let order = self.order(mask);
        let first = order.iter().position(|(_, alike)| *alike)?;
        let last = order.iter().rposition(|(_, alike)| *alike)?;
        let most = (1 << (self.bits() - mask.count_ones())) - 1;
        let [low, high] = [order[first].0, order[last].0];
        let below = first.checked_sub(1).map(|k| order[k].0);
        let above = order.get(last + 1).map(|(place, _)| *place);
        let known = below == low.checked_sub(1) && above == (high < most).then_some(high + 1);
        if !known || order[first..=last].iter().any(|(_, alike)| !alike) {
            return None;
        }
        if low == 0 && high == most {
            return Some(None);
        }
        let [start, end] = [low, high].map(|place| self.text(self.value_at(place, mask)));
        // A word is shown as a signed number, too: the largest word is -1.
        let word = matches!(self.subject, FactorSubject::Word { .. });
        Some(Some(match (low > 0 || word, high < most || word) {
            (true, true) if word && mask == 0 && low < 0x8000 && high > 0x8000 => {
                let [most, least] = [0x7fff, 0x8000].map(|value| self.text(value));
                format!("{start} to {most} or {least} to {end}")
            }
            (true, true) => format!("{start} to {end}"),
            (true, false) => format!("{start} or more"),
            _ => format!("{end} or less"),
        }))
    }

    /// A range of values of one sign, and a range of values of the other sign.
    fn of_both_signs(&self) -> Option<String> {
        let sign = 1 << (self.bits() - 1);
        let other = self.failing.iter().find(|value| (*value ^ self.value) & sign != 0);
        let half = |half: Self| {
            half.range(sign)?;
            let alike = |(place, alike): (u64, bool)| alike.then(|| half.value_at(place, sign));
            let values: Vec<u64> = half.order(sign).into_iter().filter_map(alike).collect();
            let [first, .., last] = values[..] else {
                return values.first().map(|v| half.text(*v));
            };
            Some(format!("{} to {}", half.text(first), half.text(last)))
        };
        let signed = self.signed || matches!(self.subject, FactorSubject::Word { .. });
        match [half(self.clone()), half(self.with_value(*other?))] {
            [Some(own), Some(other)] if signed => Some(format!("is {own} or {other}")),
            _ => None,
        }
    }

    /// The range of the values that do not fail alike, if smaller and larger ones do, and both values next to it were
    /// tried.
    fn gap(&self) -> Option<String> {
        let order = self.order(0);
        let first = order.iter().position(|(_, alike)| !alike)?;
        let last = order.iter().rposition(|(_, alike)| !alike)?;
        let below = order[..first].last()?.0 + 1 == order[first].0;
        let above = order.get(last + 1)?.0 == order[last].0 + 1;
        let inside = order[first..=last].iter().all(|(_, alike)| !alike);
        let [start, end] = [first, last].map(|k| self.text(self.value_at(order[k].0, 0)));
        (first < last && below && above && inside).then(|| format!("{start} to {end}"))
    }

    /// The number of words that exactly the kinds of instructions have with which the case fails alike.
    fn length(&self) -> Option<u64> {
        let FactorSubject::Kind { kinds, .. } = &self.subject else { return None };
        let words = |value: &u64| kinds.get(*value as usize).map(|(_, words)| *words);
        let own = words(&self.value)?;
        let all = self.failing.len() > 1 && self.failing.iter().all(|v| words(v) == Some(own));
        let others = self.agreeing.iter().chain(&self.otherwise).all(|v| words(v) != Some(own));
        (all && others).then_some(own)
    }

    /// The property that exactly the modes with which the case fails alike have.
    fn property(&self) -> Option<&'static str> {
        let (opcode, field) = self.field().filter(|(_, field)| field.name == "mode")?;
        let has = |value: u64, flag: &str| {
            let mut modes = opcode.description().modes.iter();
            let mode = modes.find(|m| Some(m.name.as_str()) == field.value_name(value));
            mode.is_some_and(|m| m.info.flags().any(|(name, set)| set && name == flag))
        };
        let exact =
            |flag: &&str| (0..1 << self.bits()).all(|v| has(v, flag) == self.failing.contains(&v));
        ["counts", "saturates", "compares"].into_iter().find(exact)
    }

    /// Some values, joined by `or`; if there are many, only their number.
    fn list(&self, values: &[u64]) -> String {
        let named: Vec<String> = values.iter().map(|v| self.text(*v)).collect();
        match &named[..] {
            [one] => one.clone(),
            [all @ .., last] if named.len() <= MAX_LISTED => {
                // Values in between were not tried.
                let tried = match self.tried() < 1 << self.bits() && values == self.failing {
                    true => format!(" of the {} values tried", self.tried()),
                    false => String::new(),
                };
                format!("{} or {last}{tried}", all.join(", "))
            }
            _ => format!("one of {} of the {} values tried", named.len(), self.tried()),
        }
    }
}
