// SPDX-License-Identifier: MIT OR Apache-2.0
//! The entry of each identity in the description.

use drra_isa::{Geometry, instructions::RefiPortNo};

use crate::{
    chapters::chapter_file,
    connections::{FanInSource, KeyMatch},
    ids::*,
    layout::Variable,
    load::description,
    model::*,
    scope,
    types::{MessageInfo, filled},
};

/// An input of a rule: registers, or a named input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleInput {
    /// Registers, with their keys, of the unit that the rule is about.
    Registers(Vec<(RegisterId, KeyMatch)>),
    /// A named input: signals between blocks, or something else that is not a register.
    Named(NamedInput),
}

/// The entry of each identity in the description.
macro_rules! described {
    ($($id:ident $entries:ident $info:ident,)*) => {
        $(impl $id {
            /// The entry in the description.
            pub fn info(self) -> &'static $info {
                &description().$entries[self.index()]
            }
        })*
    };
}

described! {
    BlockId blocks BlockInfo,
    GroupId groups GroupInfo,
    RegisterId registers RegisterInfo,
    SignalId signals SignalInfo,
    PortId ports PortInfo,
    MessageId messages MessageInfo,
    RuleId rules RuleInfo,
    NamedInput named_inputs NamedInputInfo,
}

/// The rule that defines an identity, and the block of that rule.
macro_rules! ruled {
    ($($id:ident)*) => {
        $(impl $id {
            /// The rule that defines this identity.
            pub fn rule(self) -> RuleId {
                RuleId::ALL[self.info().rule.at]
            }

            /// The block that contains this register, produces this signal or drives this port.
            pub fn block(self) -> BlockId {
                self.rule().block()
            }
        })*
    };
}

ruled! { RegisterId SignalId PortId }

/// The signals that enter blocks.
macro_rules! entered {
    ($($id:ident)*) => {
        $(impl $id {
            /// The signals that enter the block of this identity; for a rule input, the signals that make up the input.
            pub fn sources(self) -> &'static [FanInSource] {
                &self.info().from
            }
        })*
    };
}

entered! { GroupId SignalId PortId NamedInput }

impl GroupId {
    /// Registers of the group; the first register is in the upper bits.
    pub fn registers(self) -> &'static [RegisterId] {
        &RegisterId::ALL[self.info().registers.clone()]
    }

    /// The register of the same unit that must be 1 for this group to be compared, if there is one.
    pub fn compared_while(self) -> Option<Register> {
        let register = self.info().compared_while.as_ref()?;
        Register::new(RegisterId::ALL[register.at], Key::None)
    }
}

impl RegisterId {
    /// The group that the register is stored in.
    pub fn group(self) -> GroupId {
        GroupId::ALL[self.info().group]
    }

    /// Name of the part that the register belongs to: a [`CellPart`], [`ColumnPart`] or [`TilePart`], or the load
    /// pipeline.
    pub fn part(self) -> &'static str {
        &description().parts[self.info().part.at].name
    }
}

impl Key {
    /// The keys of a kind in a fabric; without a kind, the empty key.
    pub(crate) fn all(
        kind: Option<KeyKind>,
        geometry: &Geometry,
    ) -> impl Iterator<Item = Self> + use<> {
        let count = kind.map_or(1, |k| description().keys[k.index()].count(geometry));
        (0..count).filter_map(move |n| kind.map_or(Some(Self::None), |k| Self::from_index(k, n)))
    }
}

impl SignalId {
    /// Kind of key that distinguishes the signals of the same name.
    pub fn key_kind(self) -> Option<KeyKind> {
        self.info().key().and_then(KeyKind::from_index)
    }

    /// Keys of the signals in a fabric; a single empty key if there is only one signal.
    pub fn keys(self, geometry: &Geometry) -> impl Iterator<Item = Key> + use<> {
        Key::all(self.key_kind(), geometry)
    }
}

impl AguId {
    /// `port_no` and `dimarch` of a REFI for this AGU (chapter 3, section 3).
    pub const fn refi_port(self) -> (RefiPortNo, bool) {
        match self {
            Self::W0 => (RefiPortNo::W0, false),
            Self::W1 => (RefiPortNo::W1, false),
            Self::Wb => (RefiPortNo::W0, true),
            Self::R0 => (RefiPortNo::R0, false),
            Self::R1 => (RefiPortNo::R1, false),
            Self::Rb => (RefiPortNo::R0, true),
        }
    }

    /// True for the AGUs that address 16-word rows instead of words.
    pub const fn is_block(self) -> bool {
        self.refi_port().1
    }
}

impl RuleId {
    /// The block that the rule is about.
    pub fn block(self) -> BlockId {
        BlockId::ALL[self.info().block.at]
    }

    /// File of the chapter.
    pub fn chapter_file(self) -> &'static str {
        chapter_file(self.info().chapter).expect("the loader has checked the chapter")
    }

    /// Files of the RTL, for example `rtl/drra_agu.sv`.
    pub fn rtl_files(self) -> impl Iterator<Item = String> {
        self.info().rtl.iter().map(|module| format!("rtl/{module}.sv"))
    }

    /// File of the RTL that instantiates the block and makes the connections, if it is a different file.
    pub fn connecting_file(self) -> Option<String> {
        let within = self.info().within.as_ref();
        within.filter(|m| !self.info().rtl.contains(m)).map(|module| format!("rtl/{module}.sv"))
    }

    /// Files of the golden model, for example `golden/src/agu.rs`.
    pub fn golden_files(self) -> impl Iterator<Item = String> {
        self.info().golden.iter().map(|module| format!("golden/src/{module}.rs"))
    }

    /// The inputs of the rule in the order of the description, each with its text in the description.
    pub fn inputs(self) -> impl Iterator<Item = (&'static str, RuleInput)> {
        let info = self.info();
        info.inputs.iter().map(String::as_str).zip(info.found.iter().map(typed))
    }

    /// The rule about the block that an instance of an RTL module implements. If the module implements several blocks,
    /// the registers in the instance decide. `scope` is the path of the instance, or of an object inside it.
    pub fn of_instance(module: &str, scope: &str) -> Option<Self> {
        let all = description().rules_of_modules.iter().map(|r| Self::ALL[r.at]);
        let mut named = all.filter(|r| r.info().rtl.iter().any(|m| m == module));
        named.clone().find(|r| r.has_registers_at(scope)).or_else(|| named.next())
    }

    /// True if a register that the rule defines is in the instance that a path leads into.
    fn has_registers_at(self, scope: &str) -> bool {
        let Some(unit) = scope::unit_at(scope) else { return false };
        let whole = scope::scope(unit);
        let Some(inside) = scope.strip_prefix(&*whole) else { return false };
        let leads_to = |instance: &str| {
            let rest = inside.strip_prefix('.').and_then(|path| path.strip_prefix(instance));
            !instance.is_empty() && rest.is_some_and(|r| r.is_empty() || r.starts_with('.'))
        };
        let own =
            RegisterId::ALL.iter().filter(|r| r.rule() == self && r.info().unit == unit.kind());
        own.map(|r| r.group().info()).any(|group| {
            let key = group.key.map(|k| &description().keys[k]);
            let count = key.map_or(1, |k| k.count(&Geometry::default()));
            let instance = group.rtl.rsplit_once('.').map_or("", |(instance, _)| instance);
            (0..count).any(|index| leads_to(&filled(instance, key, index)))
        })
    }
}

fn typed(input: &ResolvedInput) -> RuleInput {
    match input {
        ResolvedInput::Registers(all) => {
            RuleInput::Registers(all.iter().map(|(r, k)| (RegisterId::ALL[*r], *k)).collect())
        }
        ResolvedInput::Named(index) => RuleInput::Named(NamedInput::ALL[*index]),
    }
}

impl Variable {
    /// The RTL variable that holds this variable, preceded by its instance below the unit (empty for the unit itself).
    pub fn in_rtl(&self) -> (String, String) {
        let info = self.group.info();
        let key = info.key.map(|k| &description().keys[k]);
        let index = self.key.index();
        let rtl = filled(&info.rtl, key, index);
        let (instance, variable) = rtl.rsplit_once('.').unwrap_or(("", &rtl));
        (instance.to_owned(), variable.to_owned())
    }
}
