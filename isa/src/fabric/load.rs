// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loader of fabric descriptions: looks names up and checks what belongs together.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use super::file::*;
use super::model::*;
use crate::Geometry;
use crate::Revision;
use crate::place::UnitKind;

/// A fault of a fabric description; `at` is the JSON path of the element.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FabricError {
    /// No JSON, or not of the form that the schema asks for.
    #[error("{at}: {message}")]
    Form {
        /// Path.
        at: String,
        /// What was expected.
        message: String,
    },
    /// A name that is there twice.
    #[error("{at}: the {what} `{name}` exists already; give it another name")]
    Duplicate {
        /// Path.
        at: String,
        /// Kind of entry.
        what: &'static str,
        /// Name.
        name: String,
    },
    /// A name that nothing has.
    #[error("{at}: there is no {what} `{name}`")]
    Unknown {
        /// Path.
        at: String,
        /// Kind of entry.
        what: &'static str,
        /// Name.
        name: String,
    },
    /// Widths that do not add up.
    #[error("{at}: {what} has {found} bits, expected {expected}")]
    Width {
        /// Path.
        at: String,
        /// What is too wide or too narrow.
        what: String,
        /// Its width.
        found: u32,
        /// What the other place says.
        expected: u32,
    },
    /// A register without a rule.
    #[error("{at}: the register `{register}` has no rule; name the one that defines it")]
    MissingRule {
        /// Path.
        at: String,
        /// Register.
        register: String,
    },
    /// A section that its chapter does not have.
    #[error("{at}: chapter {chapter} has no heading that begins with `{section}`")]
    Section {
        /// Path.
        at: String,
        /// Chapter.
        chapter: u32,
        /// Section.
        section: String,
    },
}

/// Chapters 2 to 7.
const CHAPTERS: [&str; 6] = [
    include_str!("../../spec/02-sequencer.md"),
    include_str!("../../spec/03-register-file.md"),
    include_str!("../../spec/04-dpu.md"),
    include_str!("../../spec/05-interconnect.md"),
    include_str!("../../spec/06-dimarch.md"),
    include_str!("../../spec/07-io-perm.md"),
];

/// File names of the same chapters.
pub(crate) const CHAPTER_FILES: [&str; 6] = [
    "isa/spec/02-sequencer.md",
    "isa/spec/03-register-file.md",
    "isa/spec/04-dpu.md",
    "isa/spec/05-interconnect.md",
    "isa/spec/06-dimarch.md",
    "isa/spec/07-io-perm.md",
];

fn chapter_text(at: String, chapter: u32) -> Result<&'static str, FabricError> {
    let index = (chapter as usize).checked_sub(2);
    index.and_then(|i| CHAPTERS.get(i).copied()).ok_or(FabricError::Unknown {
        at,
        what: "chapter",
        name: chapter.to_string(),
    })
}

fn has_section(chapter: &str, section: &str) -> bool {
    chapter.lines().filter(|l| l.starts_with('#')).any(|line| {
        let title = line.trim_start_matches('#').trim_start();
        title.strip_prefix(section).is_some_and(|rest| rest.starts_with(' '))
    })
}

/// Names of one kind with their positions.
struct Names {
    what: &'static str,
    all: BTreeMap<String, usize>,
}

impl Names {
    fn new(what: &'static str) -> Self {
        Self { what, all: BTreeMap::new() }
    }

    fn add(&mut self, at: &str, name: &str) -> Result<usize, FabricError> {
        let position = self.all.len();
        if self.all.insert(name.to_owned(), position).is_some() {
            let (at, name) = (at.to_owned(), name.to_owned());
            return Err(FabricError::Duplicate { at, what: self.what, name });
        }
        Ok(position)
    }

    fn of<'a>(
        what: &'static str,
        list: &str,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, FabricError> {
        let mut found = Self::new(what);
        for (i, name) in names.into_iter().enumerate() {
            found.add(&format!("{list}[{i}].name"), name)?;
        }
        Ok(found)
    }

    fn get(&self, at: &str, name: &str) -> Result<usize, FabricError> {
        self.all.get(name).copied().ok_or_else(|| FabricError::Unknown {
            at: at.to_owned(),
            what: self.what,
            name: name.to_owned(),
        })
    }
}

/// `seq.sh_raccu.mode` as `SeqShRaccuMode`: a word begins after anything that is no letter or
/// digit. `[{key}]` and `/` count as nothing.
pub(crate) fn identifier(prefix: &str, text: &str) -> String {
    let mut plain = text.replace('/', "");
    while let Some(open) = plain.find("[{") {
        let close = plain[open..].find(']').map_or(plain.len(), |n| open + n + 1);
        plain.replace_range(open..close, "");
    }
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    let mut id = prefix.to_owned();
    for word in words {
        let lower = word.to_ascii_lowercase();
        id.push_str(&lower[..1].to_ascii_uppercase());
        id.push_str(&lower[1..]);
    }
    id
}

/// Names of `{key}` and `{key:index}` in a text.
pub(super) fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| {
        let name = rest.split('}').next()?;
        Some(name.strip_suffix(":index").unwrap_or(name))
    })
}

/// Replaces `{name}` by the text of a key and `{name:index}` by its number.
pub(super) fn filled(text: &str, key: Option<&KeyInfo>, index: usize) -> String {
    match key {
        None => text.to_owned(),
        Some(k) => text
            .replace(&format!("{{{}}}", k.name), &k.text(index))
            .replace(&format!("{{{}:index}}", k.name), &index.to_string()),
    }
}

fn unit_kind(at: String, name: &str) -> Result<UnitKind, FabricError> {
    UnitKind::from_name(name).ok_or_else(|| FabricError::Unknown {
        at,
        what: "kind of unit",
        name: name.to_owned(),
    })
}

fn form(at: String, message: &str) -> FabricError {
    FabricError::Form { at, message: message.to_owned() }
}

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
        let blocks = blocks(file)?;
        let (groups, registers) = self.groups(file)?;
        let (signals, signal_names) = self.signals(file)?;
        let ports = self.ports(file)?;
        let named_inputs = self.named_inputs(file, &signals, &signal_names)?;
        let rules = self.rules(file, &blocks, &registers, &named_inputs)?;
        let variants = self.variants(file, &registers)?;
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
            groups,
            registers,
            signals,
            ports,
            named_inputs,
            rules,
            variants,
            rules_of_modules,
        };
        every_module_has_a_rule(&description)?;
        Ok(description)
    }

    fn messages(&self, file: &File) -> Result<Vec<MessageInfo>, FabricError> {
        let kinds = self.enumerations.iter().find(|e| e.name == "MessageKind");
        let mut messages = Vec::new();
        for (i, m) in file.messages.iter().enumerate() {
            let at = format!("messages[{i}]");
            let chapter = chapter_text(format!("{at}.chapter"), m.chapter)?;
            if !has_section(chapter, &m.section) {
                let at = format!("{at}.section");
                return Err(FabricError::Section {
                    at,
                    chapter: m.chapter,
                    section: m.section.clone(),
                });
            }
            let kind = kinds
                .and_then(|e| e.values.iter().position(|v| v.as_deref() == Some(m.kind.as_str())));
            let kind = kind.ok_or_else(|| FabricError::Unknown {
                at: format!("{at}.kind"),
                what: "value of MessageKind",
                name: m.kind.clone(),
            })?;
            let mut above = m.width;
            let mut names = Names::new("field");
            for (k, f) in m.fields.iter().enumerate() {
                let at = format!("{at}.fields[{k}]");
                names.add(&format!("{at}.name"), &f.name)?;
                if f.width == 0 || f.lsb + f.width > above {
                    let what = format!("the space below the field above `{}`", f.name);
                    let found = above.saturating_sub(f.lsb);
                    return Err(FabricError::Width { at, what, found, expected: f.width });
                }
                above = f.lsb;
            }
            messages.push(MessageInfo {
                name: m.name.clone(),
                kind: kind as u64,
                chapter: m.chapter,
                section: m.section.clone(),
                width: m.width,
                sv: m.sv.clone(),
                fields: m
                    .fields
                    .iter()
                    .map(|f| MessageField {
                        name: f.name.clone(),
                        lsb: f.lsb,
                        width: f.width,
                        signed: f.signed,
                    })
                    .collect(),
            });
        }
        Ok(messages)
    }

    /// Width and meaning of something that has a width, a type, or both.
    fn meaning(
        &self,
        at: &str,
        width: Option<u32>,
        packed: Option<&str>,
        enumeration: Option<&str>,
        instruction: Option<&str>,
    ) -> Result<(u32, Meaning), FabricError> {
        if let Some(name) = packed {
            let index = self.type_names.get(&format!("{at}.type"), name)?;
            let found = self.types[index].width;
            return match width {
                Some(expected) if expected != found => Err(FabricError::Width {
                    at: format!("{at}.width"),
                    what: format!("the type `{name}`"),
                    found,
                    expected,
                }),
                _ => Ok((found, Meaning::Fields(index))),
            };
        }
        let width = width
            .filter(|w| (1..=256).contains(w))
            .ok_or_else(|| form(at.to_owned(), "a width of 1 to 256 bits or a type expected"))?;
        if let Some(name) = enumeration {
            let index = self.enumeration_names.get(&format!("{at}.enumeration"), name)?;
            let found = self.enumerations[index].width;
            if found != width {
                return Err(FabricError::Width {
                    at: format!("{at}.width"),
                    what: format!("the enumeration `{name}`"),
                    found,
                    expected: width,
                });
            }
            return Ok((width, Meaning::Enumeration(index)));
        }
        if let Some(text) = instruction {
            return instruction_field(&format!("{at}.instruction"), text, width);
        }
        Ok((width, Meaning::Number))
    }

    fn packed_type(
        &self,
        at: &str,
        t: &TypeEntry,
        messages: &[MessageInfo],
    ) -> Result<TypeInfo, FabricError> {
        chapter_text(format!("{at}.chapter"), t.chapter)?;
        let mut names = Names::new("field");
        let mut fields = Vec::new();
        for (k, f) in t.fields.iter().enumerate() {
            let at = format!("{at}.fields[{k}]");
            names.add(&format!("{at}.name"), &f.name)?;
            let (width, mut meaning) = self.meaning(
                &at,
                f.width,
                f.packed.as_deref(),
                f.enumeration.as_deref(),
                f.instruction.as_deref(),
            )?;
            if f.signed {
                meaning = Meaning::Signed;
            }
            match &f.message {
                Some(PayloadEntry::Any(true)) => {
                    if !t.fields.iter().any(|f| f.enumeration.as_deref() == Some("MessageKind")) {
                        return Err(form(
                            at,
                            "a payload of any message needs a field of MessageKind",
                        ));
                    }
                    meaning = Meaning::Payload;
                }
                Some(PayloadEntry::One(name)) => {
                    let index = self.message_names.get(&format!("{at}.message"), name)?;
                    let found = messages[index].width;
                    if found != width {
                        let what = format!("the message `{name}`");
                        return Err(FabricError::Width { at, what, found, expected: width });
                    }
                    meaning = Meaning::Message(index);
                }
                Some(PayloadEntry::Any(false)) | None => {}
            }
            fields.push(TypeField { name: f.name.clone(), lsb: 0, width, meaning });
        }
        let total = fields.iter().map(|f| f.width).sum();
        let mut lsb = total;
        for f in &mut fields {
            lsb -= f.width;
            f.lsb = lsb;
        }
        Ok(TypeInfo { name: t.name.clone(), chapter: t.chapter, fields, width: total })
    }

    fn width(&self, at: &str, size: &Size, key: Option<usize>) -> Result<Width, FabricError> {
        match size {
            Size::Number(n) if (1..=256).contains(n) => Ok(Width::Fixed(*n)),
            Size::Number(_) => Err(form(at.to_owned(), "a width of 1 to 256 bits expected")),
            Size::Name(name) => match self.widths.get(name) {
                Some((by, all)) if key == Some(*by) => Ok(Width::ByKey(name.clone(), all.clone())),
                Some((by, _)) => {
                    let message = format!(
                        "the width `{name}` needs the key `{}`, which the path lacks",
                        self.keys[*by].name
                    );
                    Err(form(at.to_owned(), &message))
                }
                None => parameter(at.to_owned(), name).map(Width::Of),
            },
        }
    }

    fn key_of(&self, at: &str, text: &str) -> Result<Option<usize>, FabricError> {
        let mut found = None;
        for name in placeholders(text) {
            let key = self.key_names.get(at, name)?;
            if found.is_some_and(|f| f != key) {
                return Err(form(at.to_owned(), "a register has one key at most"));
            }
            found = Some(key);
        }
        Ok(found)
    }

    fn groups(&self, file: &File) -> Result<(Vec<GroupInfo>, Vec<RegisterInfo>), FabricError> {
        let (mut groups, mut registers) = (Vec::new(), Vec::<RegisterInfo>::new());
        let (mut names, mut ids) = (Names::new("group"), Names::new("register"));
        let mut paths = Names::new("register");
        let mut structs = BTreeSet::new();
        for (i, g) in file.groups.iter().enumerate() {
            let at = format!("groups[{i}]");
            let unit = unit_kind(format!("{at}.unit"), &g.unit)?;
            let id = identifier(unit_prefix(unit), &g.name);
            let index = names.add(&format!("{at}.name"), &id)?;
            let template = g.path.replace("{register}", "");
            if template.len() == g.path.len() {
                return Err(form(format!("{at}.path"), "`{register}` expected"));
            }
            let key = self.key_of(&format!("{at}.path"), &template)?;
            if g.array.is_some() && key.is_none() {
                return Err(form(format!("{at}.array"), "an array needs a key in its path"));
            }
            let in_rtl = self.key_of(&format!("{at}.rtl"), &g.rtl)?;
            let wanted = if g.array.is_some() { None } else { key };
            if in_rtl != wanted {
                let message = "the key of the path belongs here, unless it counts array elements";
                return Err(form(format!("{at}.rtl"), message));
            }
            let (instance, variable) = g.rtl.rsplit_once('.').unwrap_or(("", &g.rtl));
            if let Some(sv) = &g.sv
                && !structs.insert(sv.clone())
            {
                let at = format!("{at}.sv");
                return Err(FabricError::Duplicate { at, what: "type", name: sv.clone() });
            }
            if g.registers.is_empty() {
                return Err(form(format!("{at}.registers"), "a register expected"));
            }
            let first = registers.len();
            for (k, r) in g.registers.iter().enumerate() {
                let at = format!("{at}.registers[{k}]");
                let path = g.path.replace("{register}", &r.name);
                paths.add(&format!("{at}.name"), &path)?;
                let entry = self.register(&at, r, path, unit, key, index)?;
                ids.add(&format!("{at}.name"), &entry.id)?;
                registers.push(entry);
            }
            let members = self.members(&at, g, &registers[first..])?;
            groups.push(GroupInfo {
                unit,
                name: g.name.clone(),
                id,
                key,
                array: g.array,
                instance: instance.to_owned(),
                variable: variable.to_owned(),
                sv: g.sv.clone(),
                members,
                compared_while: None,
                registers: first..registers.len(),
            });
            self.matches_type(&at, g, &registers[first..])?;
        }
        for (i, (g, entry)) in groups.iter_mut().zip(&file.groups).enumerate() {
            if let Some(name) = &entry.compared_while {
                let at = format!("groups[{i}].compared_while");
                let found = registers.iter().position(|r| {
                    r.unit == g.unit && r.path == *name && r.width == Width::Fixed(1)
                });
                let unknown = FabricError::Unknown {
                    at,
                    what: "register of one bit in this unit",
                    name: name.clone(),
                };
                g.compared_while = Some(found.ok_or(unknown)?);
            }
        }
        Ok((groups, registers))
    }

    fn register(
        &self,
        at: &str,
        r: &RegisterEntry,
        path: String,
        unit: UnitKind,
        key: Option<usize>,
        group: usize,
    ) -> Result<RegisterInfo, FabricError> {
        let (packed, enumeration) = (r.packed.as_deref(), r.enumeration.as_deref());
        let (width, meaning) = match &r.width {
            Some(size @ Size::Name(_)) => {
                (self.width(&format!("{at}.width"), size, key)?, Meaning::Number)
            }
            Some(Size::Number(n)) => {
                let (n, m) =
                    self.meaning(at, Some(*n), packed, enumeration, r.instruction.as_deref())?;
                (Width::Fixed(n), m)
            }
            None => {
                let (n, m) =
                    self.meaning(at, None, packed, enumeration, r.instruction.as_deref())?;
                (Width::Fixed(n), m)
            }
        };
        let Some(rule) = &r.rule else {
            return Err(FabricError::MissingRule { at: at.to_owned(), register: path });
        };
        let rule = self.rule_names.get(&format!("{at}.rule"), rule)?;
        if let (Some(reset), Width::Fixed(bits)) = (r.reset, &width)
            && 64 - reset.leading_zeros() > *bits
        {
            return Err(FabricError::Width {
                at: format!("{at}.reset"),
                what: "the reset value".into(),
                found: 64 - reset.leading_zeros(),
                expected: *bits,
            });
        }
        Ok(RegisterInfo {
            name: r.name.clone(),
            id: identifier(unit_prefix(unit), &path),
            path,
            key,
            unit,
            group,
            rule,
            width,
            reset: r.reset,
            meaning,
            member: r.member.clone(),
            spliced: r.spliced,
        })
    }

    /// Members that hold several registers, in the order in which they occur.
    fn members(
        &self,
        at: &str,
        g: &GroupEntry,
        registers: &[RegisterInfo],
    ) -> Result<Vec<(String, usize)>, FabricError> {
        let mut members = Vec::new();
        for (name, type_name) in &g.members {
            let at = format!("{at}.members.{name}");
            let index = self.type_names.get(&at, type_name)?;
            let inside: Vec<&RegisterInfo> =
                registers.iter().filter(|r| r.member.as_ref() == Some(name)).collect();
            let widths: Vec<u32> = inside.iter().map(|r| fixed(&r.width)).collect();
            let wanted: Vec<u32> = self.types[index].fields.iter().map(|f| f.width).collect();
            if widths != wanted {
                return Err(FabricError::Width {
                    at,
                    what: format!("the type `{type_name}`, field by field,"),
                    found: wanted.iter().sum(),
                    expected: widths.iter().sum(),
                });
            }
            members.push((name.clone(), index));
        }
        for (k, r) in registers.iter().enumerate() {
            if let Some(member) = &r.member
                && !g.members.contains_key(member)
            {
                return Err(FabricError::Unknown {
                    at: format!("{at}.registers[{k}].in"),
                    what: "member",
                    name: member.clone(),
                });
            }
        }
        members.sort_by_key(|(name, _)| {
            registers.iter().position(|r| r.member.as_ref() == Some(name))
        });
        Ok(members)
    }

    /// A group with a type has the widths of its fields.
    fn matches_type(
        &self,
        at: &str,
        g: &GroupEntry,
        registers: &[RegisterInfo],
    ) -> Result<(), FabricError> {
        let Some(name) = &g.packed else { return Ok(()) };
        let at = format!("{at}.type");
        let packed = &self.types[self.type_names.get(&at, name)?];
        let ours: Vec<u32> = registers.iter().map(|r| fixed(&r.width)).collect();
        let theirs: Vec<u32> = packed.fields.iter().map(|f| f.width).collect();
        if ours == theirs {
            return Ok(());
        }
        let what = format!("the type `{name}`, field by field,");
        let (found, expected) = (packed.width, ours.iter().sum());
        Err(FabricError::Width { at, what, found, expected })
    }

    fn signals(&self, file: &File) -> Result<(Vec<SignalInfo>, Names), FabricError> {
        let mut names = Names::new("signal");
        let mut signals = Vec::new();
        for (i, s) in file.signals.iter().enumerate() {
            let at = format!("signals[{i}]");
            names.add(&format!("{at}.name"), &s.name)?;
            let key = match &s.key {
                Some(name) => Some(self.key_names.get(&format!("{at}.key"), name)?),
                None => None,
            };
            let (width, meaning) = self.meaning(&at, s.width, s.packed.as_deref(), None, None)?;
            let rtl = self.signal_parts(&at, s, width, &meaning)?;
            signals.push(SignalInfo {
                name: s.name.clone(),
                id: identifier("", &s.name),
                unit: unit_kind(format!("{at}.unit"), &s.unit)?,
                key,
                width,
                meaning,
                rule: self.rule_names.get(&format!("{at}.rule"), &s.rule)?,
                rtl,
            });
        }
        Ok((signals, names))
    }

    /// One part is the whole signal; several are the fields of its type, lowest first.
    fn signal_parts(
        &self,
        at: &str,
        s: &SignalEntry,
        width: u32,
        meaning: &Meaning,
    ) -> Result<Vec<SignalPart>, FabricError> {
        let widths: Vec<u32> = match (s.rtl.len(), meaning) {
            (1, _) => vec![width],
            (_, Meaning::Fields(t)) => {
                self.types[*t].fields.iter().rev().map(|f| f.width).collect()
            }
            _ => Vec::new(),
        };
        if widths.len() != s.rtl.len() {
            return Err(FabricError::Width {
                at: format!("{at}.rtl"),
                what: "the signal in its parts".into(),
                found: widths.iter().sum(),
                expected: width,
            });
        }
        let mut parts = Vec::new();
        for (k, (p, width)) in s.rtl.iter().zip(widths).enumerate() {
            let at = format!("{at}.rtl[{k}]");
            let of = match p.of.as_deref() {
                None => PartOf::Unit,
                Some("column") => PartOf::Column,
                Some("home tile") => PartOf::HomeTile,
                Some(other) => {
                    let (at, name) = (format!("{at}.of"), other.to_owned());
                    return Err(FabricError::Unknown { at, what: "neighbour", name });
                }
            };
            let side = self.keys.iter().find(|k| k.name == "side");
            let element = match p.element.as_deref() {
                None => Element::Whole,
                Some("row") => Element::Row,
                Some("key") => Element::Key(p.first as usize),
                Some(other) => {
                    let found = side.and_then(|k| k.values.iter().position(|v| v == other));
                    let (at, name) = (format!("{at}.element"), other.to_owned());
                    let unknown = FabricError::Unknown { at, what: "element", name };
                    Element::Fixed(found.ok_or(unknown)?)
                }
            };
            parts.push(SignalPart {
                of,
                variable: p.variable.clone(),
                element,
                width,
                only_while: p.only_while.clone(),
            });
        }
        Ok(parts)
    }

    fn ports(&self, file: &File) -> Result<Vec<PortInfo>, FabricError> {
        Names::of("port", "ports", file.ports.iter().map(|p| &*p.name))?;
        let entry = |(i, p): (usize, &PortEntry)| {
            let at = format!("ports[{i}]");
            Ok(PortInfo {
                name: p.name.clone(),
                id: identifier("", &p.name),
                unit: unit_kind(format!("{at}.unit"), &p.unit)?,
                width: self.width(&format!("{at}.width"), &p.width, None)?,
                rule: self.rule_names.get(&format!("{at}.rule"), &p.rule)?,
            })
        };
        file.ports.iter().enumerate().map(entry).collect()
    }

    fn named_inputs(
        &self,
        file: &File,
        signals: &[SignalInfo],
        names: &Names,
    ) -> Result<Vec<NamedInputInfo>, FabricError> {
        let all = file.named_inputs.iter().map(|n| &*n.name);
        Names::of("named input", "named_inputs", all)?;
        let entry = |(i, n): (usize, &NamedInputEntry)| {
            let at = format!("named_inputs[{i}].signal");
            let signal = match &n.signal {
                None => None,
                Some(text) => {
                    let (name, key) = match text.split_once('[') {
                        Some((name, rest)) => (name, Some(rest.trim_end_matches(']'))),
                        None => (text.as_str(), None),
                    };
                    let index = names.get(&at, name)?;
                    let key = match (key, signals[index].key) {
                        (None, None) => None,
                        (Some(text), Some(kind)) => Some(self.key_index(&at, kind, text)?),
                        _ => return Err(form(at, "a key is missing, or is one too many")),
                    };
                    Some((index, key))
                }
            };
            Ok(NamedInputInfo { name: n.name.clone(), id: identifier("", &n.name), signal })
        };
        file.named_inputs.iter().enumerate().map(entry).collect()
    }

    fn key_index(&self, at: &str, kind: usize, text: &str) -> Result<usize, FabricError> {
        let key = &self.keys[kind];
        let count = key.count(&Geometry::default());
        (0..count).find(|k| key.text(*k) == text).ok_or_else(|| FabricError::Unknown {
            at: at.to_owned(),
            what: "key",
            name: text.to_owned(),
        })
    }

    fn rules(
        &self,
        file: &File,
        blocks: &[BlockInfo],
        registers: &[RegisterInfo],
        named: &[NamedInputInfo],
    ) -> Result<Vec<RuleInfo>, FabricError> {
        let block_names = Names::of("block", "blocks", blocks.iter().map(|b| &*b.name))?;
        let mut rules = Vec::new();
        for (i, r) in file.rules.iter().enumerate() {
            let at = format!("rules[{i}]");
            let block = block_names.get(&format!("{at}.block"), &r.block)?;
            let unit = unit_kind(format!("{at}.unit"), &r.unit)?;
            let chapter = r.chapter.unwrap_or(blocks[block].chapter);
            let text = chapter_text(format!("{at}.chapter"), chapter)?;
            if !has_section(text, &r.section) {
                let (at, section) = (format!("{at}.section"), r.section.clone());
                return Err(FabricError::Section { at, chapter, section });
            }
            let mut inputs = Vec::new();
            for (k, text) in r.inputs.iter().enumerate() {
                let at = format!("{at}.inputs[{k}]");
                let what = match named.iter().position(|n| n.name == *text) {
                    Some(index) => InputKind::Named(index),
                    None => InputKind::Registers(self.matching(&at, unit, text, registers)?),
                };
                inputs.push(InputInfo { text: text.clone(), what });
            }
            rules.push(RuleInfo {
                name: r.name.clone(),
                id: identifier("", &r.name),
                block,
                unit,
                chapter,
                section: r.section.clone(),
                rtl: r.rtl.clone().unwrap_or_else(|| blocks[block].rtl.clone()),
                golden: r.golden.clone().unwrap_or_else(|| blocks[block].golden.clone()),
                inputs,
                text: r.text.clone(),
            });
        }
        Ok(rules)
    }

    /// Registers of a unit whose paths are `pattern`, or begin with it and go on with `.` or `[`.
    /// `[*]` in the pattern stands for the key of the register in question.
    fn matching(
        &self,
        at: &str,
        unit: UnitKind,
        pattern: &str,
        registers: &[RegisterInfo],
    ) -> Result<Vec<(usize, KeyMatch)>, FabricError> {
        let fits = |path: &str, pattern: &str| {
            path.strip_prefix(pattern)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let mut found = Vec::new();
        for (index, r) in registers.iter().enumerate().filter(|(_, r)| r.unit == unit) {
            let key = r.key.map(|k| &self.keys[k]);
            let count = key.map_or(1, |k| k.count(&Geometry::default()));
            if let Some(k) = key
                && pattern.contains("[*]")
            {
                if fits(&r.path, &pattern.replace("[*]", &format!("[{{{}}}]", k.name))) {
                    found.push((index, KeyMatch::Same));
                }
                continue;
            }
            let hits: Vec<usize> =
                (0..count).filter(|k| fits(&filled(&r.path, key, *k), pattern)).collect();
            match hits.len() {
                n if n == count => found.push((index, KeyMatch::All)),
                _ => found.extend(hits.into_iter().map(|k| (index, KeyMatch::Only(k)))),
            }
        }
        if found.is_empty() {
            let name = pattern.to_owned();
            let what = "register of this unit or named input";
            return Err(FabricError::Unknown { at: at.to_owned(), what, name });
        }
        Ok(found)
    }

    fn variants(
        &self,
        file: &File,
        registers: &[RegisterInfo],
    ) -> Result<Vec<RuleVariant>, FabricError> {
        let mut variants = Vec::new();
        for (i, v) in file.variants.iter().enumerate() {
            let at = format!("variants[{i}]");
            let unit = unit_kind(format!("{at}.unit"), &v.unit)?;
            let mut of = Vec::new();
            for (k, pattern) in v.registers.iter().enumerate() {
                of.extend(self.matching(
                    &format!("{at}.registers[{k}]"),
                    unit,
                    pattern,
                    registers,
                )?);
            }
            if let Some(name) = &v.instruction
                && Revision::R4.isa().by_name(name).is_none()
            {
                let (at, name) = (format!("{at}.instruction"), name.clone());
                return Err(FabricError::Unknown { at, what: "instruction", name });
            }
            let mut dpu_modes = Vec::new();
            for (k, name) in v.dpu_modes.iter().enumerate() {
                let at = format!("{at}.dpu_modes[{k}]");
                let dpu = Revision::R4.isa().by_name("DPU");
                let mode = dpu.and_then(|d| d.fields[d.field_index("mode")?].value_of(name));
                let unknown = FabricError::Unknown { at, what: "DPU mode", name: name.clone() };
                dpu_modes.push(mode.ok_or(unknown)?);
            }
            variants.push(RuleVariant {
                rule: self.rule_names.get(&format!("{at}.rule"), &v.rule)?,
                unit,
                launch: v.launch,
                registers: of,
                instruction: v.instruction.clone(),
                dpu_modes,
            });
        }
        Ok(variants)
    }
}

fn fixed(width: &Width) -> u32 {
    match width {
        Width::Fixed(bits) => *bits,
        _ => 0,
    }
}

fn unit_prefix(unit: UnitKind) -> &'static str {
    match unit {
        UnitKind::Cell | UnitKind::Fabric => "",
        UnitKind::Column => "Column",
        UnitKind::Tile => "Tile",
    }
}

fn parameter(at: String, name: &str) -> Result<Parameter, FabricError> {
    Parameter::from_name(name).ok_or_else(|| FabricError::Unknown {
        at,
        what: "parameter",
        name: name.to_owned(),
    })
}

fn key(at: &str, k: &KeyEntry) -> Result<KeyInfo, FabricError> {
    let count = match (&k.count, k.values.len()) {
        (None, 0) => return Err(form(at.to_owned(), "`values` or `count` expected")),
        (None, n) => Count::Fixed(u32::try_from(n).unwrap_or(u32::MAX)),
        (Some(_), 1..) => return Err(form(format!("{at}.count"), "the values count themselves")),
        (Some(Size::Number(n)), 0) => Count::Fixed(*n),
        (Some(Size::Name(name)), 0) => Count::Of(parameter(format!("{at}.count"), name)?),
    };
    let variants = if k.names.is_empty() {
        k.values.iter().map(|v| identifier("", v)).collect()
    } else {
        k.names.clone()
    };
    if variants.len() != k.values.len() || k.rust.is_some() == k.values.is_empty() {
        let message = "named values need a type and, if any, one name each";
        return Err(form(at.to_owned(), message));
    }
    Ok(KeyInfo {
        name: k.name.clone(),
        rust: k.rust.clone(),
        values: k.values.clone(),
        variants,
        count,
    })
}

fn enumeration(at: &str, e: &EnumerationEntry) -> Result<EnumerationInfo, FabricError> {
    chapter_text(format!("{at}.chapter"), e.chapter)?;
    let needed = bits_for(e.values.len());
    if needed > e.width {
        return Err(FabricError::Width {
            at: format!("{at}.width"),
            what: format!("the largest value of `{}`", e.name),
            found: needed,
            expected: e.width,
        });
    }
    let mut names = Names::new("value");
    for (k, name) in e.values.iter().enumerate() {
        if let Some(name) = name {
            names.add(&format!("{at}.values[{k}]"), name)?;
        }
    }
    if e.sv.is_some() != e.prefix.is_some() {
        return Err(form(at.to_owned(), "`sv` and `prefix` belong together"));
    }
    Ok(EnumerationInfo {
        name: e.name.clone(),
        sv: e.sv.clone().zip(e.prefix.clone()),
        width: e.width,
        chapter: e.chapter,
        values: e.values.clone(),
    })
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

/// The field `DPU.mode` of an instruction, which must have this width.
fn instruction_field(at: &str, text: &str, width: u32) -> Result<(u32, Meaning), FabricError> {
    let unknown =
        || FabricError::Unknown { at: at.to_owned(), what: "instruction field", name: text.into() };
    let (mnemonic, name) = text.split_once('.').ok_or_else(unknown)?;
    let instruction = Revision::R4.isa().by_name(mnemonic).ok_or_else(unknown)?;
    let field = instruction.field_index(name).ok_or_else(unknown)?;
    let found = instruction.fields[field].width;
    if found != width {
        let what = format!("the field `{text}`");
        return Err(FabricError::Width { at: at.to_owned(), what, found, expected: width });
    }
    Ok((
        width,
        Meaning::Instruction(instruction.name.clone(), instruction.fields[field].name.clone()),
    ))
}

/// Every module that a block names leads to a rule.
fn every_module_has_a_rule(d: &Description) -> Result<(), FabricError> {
    for (i, block) in d.blocks.iter().enumerate() {
        for (k, module) in block.rtl.iter().enumerate() {
            if !d.rules_of_modules.iter().any(|r| d.rules[*r].rtl.contains(module)) {
                return Err(FabricError::Unknown {
                    at: format!("blocks[{i}].rtl[{k}]"),
                    what: "rule in `rules_of_modules` for the module",
                    name: module.clone(),
                });
            }
        }
    }
    Ok(())
}
