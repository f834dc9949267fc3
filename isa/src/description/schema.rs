// SPDX-License-Identifier: MIT OR Apache-2.0
//! The form of description files, as `isa.schema.json` says it.

use super::Check;
use crate::json::{At, integer, is_identifier};

const TOP_KEYS: &[&str] = &[
    "platform",
    "instr_bitwidth",
    "instr_code_bitwidth",
    "instruction_templates",
    "revision",
    "description",
];
const INSTRUCTION_KEYS: &[&str] = &[
    "code",
    "name",
    "phase",
    "max_chunk",
    "segment_templates",
    "chunk_field",
    "cell_kind",
    "comment",
    "modes",
];
const FIELD_KEYS: &[&str] = &[
    "name",
    "bitwidth",
    "comment",
    "default_val",
    "controllable",
    "observable",
    "signed",
    "verbo_map",
    "renamed",
];
const VALUE_KEYS: &[&str] = &["key", "val"];

impl Check {
    pub(super) fn schema(&mut self, root: &At<'_>) {
        if !self.is_object(
            root,
            &["platform", "instr_bitwidth", "instr_code_bitwidth", "instruction_templates"],
        ) {
            return;
        }
        for key in ["platform", "revision", "description"] {
            self.text(root, key);
        }
        self.int(root, "instr_bitwidth", 2, 64);
        self.int(root, "instr_code_bitwidth", 1, 16);
        self.unknown(root, TOP_KEYS);
        for instruction in self.array(root, "instruction_templates", true) {
            if !self.is_object(&instruction, &["code", "name"]) {
                continue;
            }
            self.int(&instruction, "code", 0, i128::MAX);
            self.identifier(&instruction, "name");
            self.int(&instruction, "phase", 1, 5);
            self.int(&instruction, "max_chunk", 1, 8);
            self.identifier(&instruction, "chunk_field");
            self.identifier(&instruction, "cell_kind");
            self.text(&instruction, "comment");
            self.modes_schema(&instruction);
            self.unknown(&instruction, INSTRUCTION_KEYS);
            for field in self.array(&instruction, "segment_templates", true) {
                self.field_schema(&field);
            }
        }
    }

    pub(super) fn field_schema(&mut self, field: &At<'_>) {
        if !self.is_object(field, &["name", "bitwidth", "comment"]) {
            return;
        }
        self.identifier(field, "name");
        self.int(field, "bitwidth", 1, 32);
        self.text(field, "comment");
        self.int(field, "default_val", 0, i128::MAX);
        for key in ["controllable", "observable", "signed", "renamed"] {
            self.flag(field, key);
        }
        self.unknown(field, FIELD_KEYS);
        for value in self.array(field, "verbo_map", false) {
            if !self.is_object(&value, &["key"]) {
                continue;
            }
            self.int(&value, "key", 0, i128::MAX);
            if let Some(at) = value.member("val") {
                let good =
                    at.value.as_str().is_some_and(|s| is_identifier(s) || s == "+" || s == "-");
                if !good {
                    self.add("ISA-E02", at.pointer, "`val` must be an identifier, `+` or `-`");
                }
            }
            self.unknown(&value, VALUE_KEYS);
        }
    }

    pub(crate) fn is_object(&mut self, at: &At<'_>, required: &[&str]) -> bool {
        let Some(object) = at.object() else {
            self.add("ISA-E02", &at.pointer, "an object is expected");
            return false;
        };
        for key in required {
            if !object.contains_key(*key) {
                self.add("ISA-E02", &at.pointer, format!("member `{key}` is missing"));
            }
        }
        true
    }

    pub(super) fn text(&mut self, at: &At<'_>, key: &str) {
        if let Some(at) = at.member(key)
            && !at.value.is_string()
        {
            self.add("ISA-E02", at.pointer, format!("`{key}` must be a string"));
        }
    }

    pub(crate) fn identifier(&mut self, at: &At<'_>, key: &str) {
        if let Some(at) = at.member(key)
            && !at.value.as_str().is_some_and(is_identifier)
        {
            self.add("ISA-E02", at.pointer, format!("`{key}` must be an identifier"));
        }
    }

    pub(crate) fn int(&mut self, at: &At<'_>, key: &str, min: i128, max: i128) {
        if let Some(at) = at.member(key)
            && !integer(at.value).is_some_and(|v| (min..=max).contains(&v))
        {
            let range =
                if max == i128::MAX { format!("{min} or more") } else { format!("{min}..{max}") };
            self.add("ISA-E02", at.pointer, format!("`{key}` must be an integer, {range}"));
        }
    }

    pub(crate) fn flag(&mut self, at: &At<'_>, key: &str) {
        if let Some(at) = at.member(key)
            && !at.value.is_boolean()
        {
            self.add("ISA-E02", at.pointer, format!("`{key}` must be true or false"));
        }
    }

    pub(crate) fn array<'a>(&mut self, at: &At<'a>, key: &str, unique: bool) -> Vec<At<'a>> {
        let Some(at) = at.member(key) else { return Vec::new() };
        let Some(items) = at.value.as_array() else {
            self.add("ISA-E02", at.pointer, format!("`{key}` must be an array"));
            return Vec::new();
        };
        if unique && (1..items.len()).any(|i| items[..i].contains(&items[i])) {
            self.add("ISA-E02", &at.pointer, format!("`{key}` has two equal elements"));
        }
        at.items()
    }

    pub(crate) fn unknown(&mut self, at: &At<'_>, known: &[&str]) {
        let Some(object) = at.object() else { return };
        let extra: Vec<_> = object
            .keys()
            .filter(|k| !known.contains(&k.as_str()))
            .map(|k| format!("`{k}`"))
            .collect();
        if !extra.is_empty() {
            self.add("ISA-W01", &at.pointer, format!("unknown key {} ignored", extra.join(", ")));
        }
    }
}
