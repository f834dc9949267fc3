// SPDX-License-Identifier: MIT OR Apache-2.0
//! Enumerations whose variants have names: what the generated identities are made of.

/// Identities: numbered from 0, each with the name that it has in files. All of them are a list, or
/// an `array` where their number is of use.
macro_rules! identities {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $text:literal,)* }) => {
        identities! { @named $(#[$doc])* $name { $($(#[$of])* $variant = $text,)* } }

        impl $name {
            /// All, in the order of the description.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
        }
        identities! { @indexed $name }
    };
    (array $(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $text:literal,)* }) => {
        identities! { @named $(#[$doc])* $name { $($(#[$of])* $variant = $text,)* } }

        impl $name {
            /// All, in the order of their indices.
            pub const ALL: [Self; [$($text,)*].len()] = [$(Self::$variant,)*];
        }
        identities! { @indexed $name }
    };
    (@indexed $name:ident) => {
        impl $name {
            /// Position in [`Self::ALL`].
            pub const fn index(self) -> usize {
                self as usize
            }

            /// The one at this position of [`Self::ALL`].
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

            /// The one with this name.
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
            /// The default is the first one.
            #[repr(u8)]
            $name { $($variant $value = $text,)* }
        }

        impl $name {
            /// All, in ascending order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Number in the hardware.
            pub const fn value(self) -> u64 {
                self as u64
            }

            /// The one with this number.
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

pub(crate) use identities;
pub(crate) use values;
