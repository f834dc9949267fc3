// SPDX-License-Identifier: MIT OR Apache-2.0
//! Macros for enumerations whose variants have names; the generated identities use them.

/// Identities, numbered from 0, each with its name in files. All identities are available as a list, or as an `array`
/// where their number is needed.
#[macro_export]
macro_rules! identities {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $text:literal,)* }) => {
        $crate::identities! { @named $(#[$doc])* $name { $($(#[$of])* $variant = $text,)* } }

        impl $name {
            /// All identities, in the order of the description.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
        }
        $crate::identities! { @indexed $name }
    };
    (array $(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $text:literal,)* }) => {
        $crate::identities! { @named $(#[$doc])* $name { $($(#[$of])* $variant = $text,)* } }

        impl $name {
            /// All identities, in the order of their indices.
            pub const ALL: [Self; [$($text,)*].len()] = [$(Self::$variant,)*];
        }
        $crate::identities! { @indexed $name }
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
            /// The name of the identity.
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
#[macro_export]
macro_rules! values {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $value:literal $text:literal,)* }) => {
        $crate::identities! {
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

pub(crate) use crate::identities;
