// SPDX-License-Identifier: MIT OR Apache-2.0
//! Macros that expand the tables of `ids.rs`.

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
        /// A key, which distinguishes registers or signals of the same name.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Key {
            /// There is only one register or signal of the name.
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

pub(crate) use drra_isa::{identities, values};
pub(crate) use keys;
pub(crate) use registers;
