// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loader of fabric descriptions: looks names up and checks what belongs together.

mod chapters;
mod connections;
mod error;
mod groups;
mod messages;
mod names;
mod rules;
mod signals;
mod values;

use std::collections::BTreeMap;

use chapters::chapter_text;
use names::{Names, form, parameter};
use rules::every_module_has_a_rule;
use values::{enumeration, key};

use super::{file::*, model::*};

pub(super) use chapters::CHAPTER_FILES;
pub use error::FabricError;
pub(super) use names::{filled, identifier};

/// Reads a fabric description and checks it.
///
/// # Errors
/// The first fault, with the JSON path of its place.
pub fn load_fabric(text: &str) -> Result<Description, FabricError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let file: File = serde_path_to_error::deserialize(&mut json).map_err(|e| {
        FabricError::Form { at: e.path().to_string(), message: e.inner().to_string() }
    })?;
    json.end().map_err(|e| form(String::new(), &e.to_string()))?;
    Loader::new(&file)?.load(&file)
}

struct Loader {
    keys: Vec<KeyInfo>,
    key_names: Names,
    enumeration_names: Names,
    enumerations: Vec<EnumerationInfo>,
    message_names: Names,
    types: Vec<TypeInfo>,
    type_names: Names,
    widths: BTreeMap<String, (usize, Vec<Parameter>)>,
    rule_names: Names,
}

impl Loader {
    fn new(file: &File) -> Result<Self, FabricError> {
        let mut keys = Vec::new();
        for (i, k) in file.keys.iter().enumerate() {
            keys.push(key(&format!("keys[{i}]"), k)?);
        }
        let key_names = Names::of("kind of key", "keys", file.keys.iter().map(|k| &*k.name))?;
        let mut widths = BTreeMap::new();
        for (i, w) in file.widths.iter().enumerate() {
            let at = format!("widths[{i}]");
            let by = key_names.get(&format!("{at}.by"), &w.by)?;
            let of =
                w.of.iter()
                    .enumerate()
                    .map(|(k, name)| parameter(format!("{at}.of[{k}]"), name))
                    .collect::<Result<Vec<_>, _>>()?;
            if of.len() != keys[by].values.len() {
                return Err(form(
                    format!("{at}.of"),
                    "one parameter per value of the key expected",
                ));
            }
            if widths.insert(w.name.clone(), (by, of)).is_some()
                || Parameter::from_name(&w.name).is_some()
            {
                let (at, name) = (format!("{at}.name"), w.name.clone());
                return Err(FabricError::Duplicate { at, what: "width", name });
            }
        }
        let names = file.enumerations.iter().map(|e| &*e.name);
        Ok(Self {
            keys,
            key_names,
            enumeration_names: Names::of("enumeration", "enumerations", names)?,
            enumerations: Vec::new(),
            message_names: Names::of(
                "message",
                "messages",
                file.messages.iter().map(|m| &*m.name),
            )?,
            types: Vec::new(),
            type_names: Names::new("type"),
            widths,
            rule_names: Names::of("rule", "rules", file.rules.iter().map(|r| &*r.name))?,
        })
    }

    fn load(mut self, file: &File) -> Result<Description, FabricError> {
        for (i, e) in file.enumerations.iter().enumerate() {
            let entry = enumeration(&format!("enumerations[{i}]"), e)?;
            self.enumerations.push(entry);
        }
        let messages = self.messages(file)?;
        for (i, t) in file.types.iter().enumerate() {
            let at = format!("types[{i}]");
            let entry = self.packed_type(&at, t, &messages)?;
            self.type_names.add(&format!("{at}.name"), &t.name)?;
            self.types.push(entry);
        }
        self.message_members(file)?;
        let blocks = blocks(file)?;
        let (parts, part_names) = Self::parts(file)?;
        let (mut groups, registers) = self.groups(file, &parts, &part_names)?;
        let (mut signals, signal_names) = self.signals(file)?;
        let mut ports = self.ports(file)?;
        self.connect(file, (&mut groups, &mut signals, &mut ports), &signal_names)?;
        let named_inputs = self.named_inputs(file, &signals, &signal_names)?;
        let rules = self.rules(file, &blocks, &registers, &named_inputs)?;
        let rules_of_modules = file
            .rules_of_modules
            .iter()
            .enumerate()
            .map(|(i, name)| self.rule_names.get(&format!("rules_of_modules[{i}]"), name))
            .collect::<Result<_, _>>()?;
        let description = Description {
            name: file.name.clone(),
            keys: self.keys,
            enumerations: self.enumerations,
            messages,
            types: self.types,
            blocks,
            parts,
            groups,
            registers,
            signals,
            ports,
            named_inputs,
            rules,
            rules_of_modules,
        };
        every_module_has_a_rule(&description)?;
        Ok(description)
    }
}

fn blocks(file: &File) -> Result<Vec<BlockInfo>, FabricError> {
    Names::of("block", "blocks", file.blocks.iter().map(|b| &*b.name))?;
    let entry = |(i, b): (usize, &BlockEntry)| {
        let at = format!("blocks[{i}]");
        chapter_text(format!("{at}.chapter"), b.chapter)?;
        if b.rtl.is_empty() {
            return Err(form(format!("{at}.rtl"), "a module expected"));
        }
        Ok(BlockInfo {
            name: b.name.clone(),
            chapter: b.chapter,
            rtl: b.rtl.clone(),
            golden: b.golden.clone(),
        })
    };
    file.blocks.iter().enumerate().map(entry).collect()
}
