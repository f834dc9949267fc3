// SPDX-License-Identifier: MIT OR Apache-2.0
//! Macros for enumerations whose variants have names; the generated identities use them.

/// Identities, numbered from 0, each with its name in files. All identities are available as a list, or as an `array`
/// where their number is needed.
macro_rules! identities {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $text:literal,)* }) => {
        identities! { @named $(#[$doc])* $name { $($(#[$of])* $variant = $text,)* } }

        impl $name {
            /// All identities, in the order of the description.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
        }
        identities! { @indexed $name }
    };
    (array $(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $text:literal,)* }) => {
        identities! { @named $(#[$doc])* $name { $($(#[$of])* $variant = $text,)* } }

        impl $name {
            /// All identities, in the order of their indices.
            pub const ALL: [Self; [$($text,)*].len()] = [$(Self::$variant,)*];
        }
        identities! { @indexed $name }
    };
    (@indexed $name:ident) => {
        impl $name {
            /// Index in [`Self::ALL`].
            pub const fn index(self) -> usize {
                self as usize
            }

            /// The identity at this index of [`Self::ALL`].
            pub fn from_index(index: usize) -> Option<Self> {
                Self::ALL.get(index).copied()
            }
        }
    };
    (@named $(#[$doc:meta])* $name:ident {
        $($(#[$of:meta])* $variant:ident $($value:literal)? = $text:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $(
                #[doc = concat!("`", $text, "`")]
                $(#[$of])*
                $variant $(= $value)?,
            )*
        }

        impl $name {
            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// The identity with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|i| i.name() == name)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

/// Values of registers and fields: each variant is a number in the hardware.
macro_rules! values {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $value:literal $text:literal,)* }) => {
        identities! {
            @named
            $(#[$doc])*
            ///
            /// The default is the first variant.
            #[repr(u8)]
            $name { $($variant $value = $text,)* }
        }

        impl $name {
            /// All variants, in ascending order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Number in the hardware.
            pub const fn value(self) -> u64 {
                self as u64
            }

            /// The variant with this number.
            pub fn from_value(value: u64) -> Option<Self> {
                Self::ALL.iter().copied().find(|i| i.value() == value)
            }

            /// Position in [`Self::ALL`].
            pub fn index(self) -> usize {
                Self::ALL.iter().take_while(|i| **i != self).count()
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::ALL[0]
            }
        }
    };
}

/// Registers: their identities, and the type whose variants have the key that distinguishes registers of the same name.
/// Each key is named after the method of `Key` that returns it.
macro_rules! registers {
    ($($variant:ident $(($key:ident: $of:ty))? = $text:literal,)*) => {
        identities! {
            /// Registers; those that differ only in their key share one identity.
            RegisterId { $($variant = $text,)* }
        }

        /// One register of a unit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Register {
            $(
                #[doc = concat!("`", $text, "`")]
                $variant $(($of))?,
            )*
        }

        impl Register {
            /// The register with a key; `None` if the key is of the wrong kind. Registers without a key ignore it.
            pub fn new(id: RegisterId, key: Key) -> Option<Self> {
                Some(match id {
                    $(RegisterId::$variant => Self::$variant $((key.$key()?))?,)*
                })
            }

            /// The identity of the register, without the key.
            pub fn id(self) -> RegisterId {
                match self {
                    $(Self::$variant { .. } => RegisterId::$variant,)*
                }
            }

            /// The key that distinguishes the register from others of the same name.
            pub fn key(self) -> Key {
                match self {
                    $(Self::$variant $(($key))? => registers!(@key $($key)?),)*
                }
            }
        }
    };
    (@key) => { Key::None };
    (@key $key:ident) => { $key.into() };
}

/// Defines the type `Key` from the kinds of keys that have their own types.
macro_rules! keys {
    ($($variant:ident($key:ident: $of:ident),)*) => {
        /// Distinguishes registers of the same name.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Key {
            /// There is only one register of the name.
            #[default]
            None,
            /// A number: slot, word, address, channel, ...
            Number(usize),
            $(
                #[doc = concat!("Key of the kind `", stringify!($key), "`.")]
                $variant($of),
            )*
        }

        impl Key {
            /// Index among the keys of its kind; 0 without a key.
            pub const fn index(self) -> usize {
                match self {
                    Self::None => 0,
                    Self::Number(n) => n,
                    $(Self::$variant(k) => k.index(),)*
                }
            }

            /// The key of a kind at this index.
            pub fn from_index(kind: KeyKind, index: usize) -> Option<Self> {
                match kind {
                    $(KeyKind::$variant => $of::from_index(index).map(Self::$variant),)*
                    _ => Some(Self::Number(index)),
                }
            }

            /// Name of a key; `None` for a number, or without a key.
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    Self::None | Self::Number(_) => None,
                    $(Self::$variant(k) => Some(k.name()),)*
                }
            }
        }

        keys! { @of number: usize, Number $($key: $of, $variant)* }
    };
    (@of $($key:ident: $of:ident, $variant:ident)*) => {
        impl Key {
            $(
                #[doc = concat!("The key, if it is of the kind `", stringify!($key), "`.")]
                pub const fn $key(self) -> Option<$of> {
                    match self {
                        Self::$variant(key) => Some(key),
                        _ => None,
                    }
                }
            )*
        }

        $(impl From<$of> for Key {
            fn from(key: $of) -> Self {
                Self::$variant(key)
            }
        })*
    };
}

pub(crate) use identities;
pub(crate) use keys;
pub(crate) use registers;
pub(crate) use values;
