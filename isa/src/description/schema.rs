// SPDX-License-Identifier: MIT OR Apache-2.0
//! The form of description files, as given in `isa.schema.json`.

use super::{finding::Check, modes};
use crate::{
    json::{LocatedValue, integer, is_identifier},
    modes::Operand,
};

/// Members of an object: key, true if required, form.
type Object = [(&'static str, bool, MemberForm)];

enum MemberForm {
    Text,
    Flag,
    Identifier,
    /// A name of a value.
    ValueName,
    /// An integer in a range.
    Int(i128, i128),
    /// Objects, no two of them equal.
    Set(&'static Object),
    /// Objects.
    List(&'static Object),
    /// Operands of both channels.
    Operands,
    /// Numbers of outputs.
    Outputs,
}

use MemberForm::*;

/// Any non-negative number.
const ANY: MemberForm = Int(0, i128::MAX);

const DESCRIPTION: &Object = &[
    ("platform", true, Text),
    ("revision", false, Text),
    ("description", false, Text),
    ("instr_bitwidth", true, Int(2, 64)),
    ("instr_code_bitwidth", true, Int(1, 16)),
    ("instruction_templates", true, Set(INSTRUCTION)),
];

const INSTRUCTION: &Object = &[
    ("code", true, ANY),
    ("name", true, Identifier),
    ("phase", false, Int(1, 5)),
    ("max_chunk", false, Int(1, 8)),
    ("chunk_field", false, Identifier),
    ("cell_kind", false, Identifier),
    ("comment", false, Text),
    ("modes", false, Set(MODE)),
    ("segment_templates", false, Set(FIELD)),
];

const MODE: &Object = &[
    ("name", true, Identifier),
    ("latency", false, Int(1, 255)),
    ("lanes", false, Flag),
    ("counts", false, Flag),
    ("saturates", false, Flag),
    ("squash", false, Flag),
    ("divider", false, Flag),
    ("scaler", false, Flag),
    ("compares", false, Flag),
    ("operands", false, Operands),
    ("outputs", false, Outputs),
];

const FIELD: &Object = &[
    ("name", true, Identifier),
    ("bitwidth", true, Int(1, 32)),
    ("comment", true, Text),
    ("default_val", false, ANY),
    ("controllable", false, Flag),
    ("observable", false, Flag),
    ("signed", false, Flag),
    ("renamed", false, Flag),
    ("verbo_map", false, List(VALUE)),
];

const VALUE: &Object = &[("key", true, ANY), ("val", false, ValueName)];

impl Check {
    pub(super) fn schema(&mut self, root: &LocatedValue<'_>) {
        self.object(root, DESCRIPTION);
    }

    fn object(&mut self, at: &LocatedValue<'_>, members: &Object) {
        let Some(object) = at.object() else {
            return self.add("ISA-E02", &at.pointer, "expected an object");
        };
        for (key, required, form) in members {
            match at.member(key) {
                Some(member) => self.member(&member, key, form),
                None if *required => {
                    self.add("ISA-E02", &at.pointer, format!("member `{key}` is missing"));
                }
                None => {}
            }
        }
        let known = |key: &str| members.iter().any(|(known, ..)| *known == key);
        let extra: Vec<_> = object.keys().filter(|k| !known(k)).map(|k| format!("`{k}`")).collect();
        if !extra.is_empty() {
            self.add("ISA-W01", &at.pointer, format!("unknown key {} ignored", extra.join(", ")));
        }
    }

    fn member(&mut self, at: &LocatedValue<'_>, key: &str, form: &MemberForm) {
        let text = at.value.as_str();
        let (good, expected) = match form {
            Text => (text.is_some(), "a string".to_owned()),
            Flag => (at.value.is_boolean(), "true or false".to_owned()),
            Identifier => (text.is_some_and(is_identifier), "an identifier".to_owned()),
            ValueName => {
                let good = text.is_some_and(|s| is_identifier(s) || s == "+" || s == "-");
                (good, "an identifier, `+` or `-`".to_owned())
            }
            Int(min, max) => {
                let range = match *max {
                    i128::MAX => format!("{min} or more"),
                    max => format!("{min}..{max}"),
                };
                let good = integer(at.value).is_some_and(|v| (*min..=*max).contains(&v));
                (good, format!("an integer, {range}"))
            }
            Set(_) | List(_) | Operands | Outputs => (at.value.is_array(), "an array".to_owned()),
        };
        if !good {
            self.add("ISA-E02", &at.pointer, format!("`{key}` must be {expected}"));
        }
        let items = at.items();
        match form {
            Set(members) | List(members) => {
                let equal = |i: usize| items[..i].iter().any(|o| o.value == items[i].value);
                if matches!(form, Set(_)) && (1..items.len()).any(equal) {
                    self.add("ISA-E02", &at.pointer, format!("`{key}` has two equal elements"));
                }
                items.iter().for_each(|item| self.object(item, members));
            }
            Operands => {
                if good && items.len() != 2 {
                    let text = "`operands` must have 2 elements, one per channel";
                    self.add("ISA-E02", &at.pointer, text);
                }
                items.iter().for_each(|channel| self.channel(channel));
            }
            Outputs => {
                for item in items.iter().filter(|item| modes::output(item).is_none()) {
                    self.add("ISA-E02", &item.pointer, "an output must be 0 or 1");
                }
            }
            Text | Flag | Identifier | ValueName | Int(..) => {}
        }
    }

    /// Checks the operands of one channel.
    fn channel(&mut self, channel: &LocatedValue<'_>) {
        if !channel.value.is_array() {
            self.add("ISA-E02", &channel.pointer, "expected an array of operands");
        }
        for at in channel.items().iter().filter(|at| modes::operand(at).is_none()) {
            let known = Operand::ALL.map(Operand::name).join(", ");
            self.add("ISA-E02", &at.pointer, format!("an operand must be one of {known}"));
        }
    }
}
