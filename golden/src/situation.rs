// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names for what happens in a cycle, in the words of the chapters, for observers. Nothing of it is a register,
//! and nothing in the model depends on it.

/// An enumeration of situations, numbered from 0; the first is the default.
macro_rules! situations {
    ($(#[$doc:meta])* $name:ident { $first:ident $text:literal, $($value:ident $more:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            #[doc = concat!("`", $text, "`")]
            #[default]
            $first,
            $(#[doc = concat!("`", $more, "`")] $value,)*
        }

        impl $name {
            /// All of them in the order of their numbers.
            pub const ALL: &'static [Self] = &[Self::$first, $(Self::$value,)*];

            /// In words.
            pub const fn name(self) -> &'static str {
                match self {
                    Self::$first => $text,
                    $(Self::$value => $more,)*
                }
            }
        }
    };
}

pub(crate) use situations;
