// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names for events of a cycle, in the terms of the chapters, for observers. None of them is a register, and the
//! model does not depend on them.

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

            /// A description in words.
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
