// SPDX-License-Identifier: MIT OR Apache-2.0
//! A group of bins as one declaration: the cross of its dimensions. A dimension is a type whose
//! values are numbered and have names; the cross has a bin for each combination of them, the last
//! dimension fastest.

use drra_golden::{AguPhase, Arrival, LoadEvent, PatternPhase, ProgramEnd, Receiver, SlotPhase};
use drra_isa::{
    CellInput, Lane, Recipe,
    fabric::{AguId, DpuStatus, Generator, SequencerState, Side},
    instructions::{BranchMode, BwConfig, DpuControl, DpuIoChange, DpuMode},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A dimension of a group: what it is, and its values in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// What the dimension is.
    pub name: &'static str,
    /// Its values in words.
    pub values: Vec<String>,
}

/// A property: its values are numbered from 0.
pub(crate) trait Dimension: Copy {
    /// Number of values.
    fn count() -> usize;

    /// Number of a value.
    fn index(self) -> usize;

    /// A value by its number.
    fn of(index: usize) -> Self;

    /// A value in words.
    fn label(self) -> String;

    /// All values.
    fn all() -> impl Iterator<Item = Self> {
        (0..Self::count()).map(Self::of)
    }

    /// Values of a set that has them as bits, ascending.
    #[inline]
    fn members(set: impl Into<u64>) -> impl Iterator<Item = Self> {
        let mut set = set.into();
        std::iter::from_fn(move || {
            let first = (set != 0).then(|| Self::of(set.trailing_zeros() as usize));
            set &= set.wrapping_sub(1);
            first
        })
    }
}

/// Makes dimensions of enumerations that are numbered from 0.
macro_rules! enumerations {
    ($($Name:ty),* $(,)?) => {$(
        impl $crate::cross::Dimension for $Name {
            #[inline]
            fn count() -> usize {
                <$Name>::ALL.len()
            }

            #[inline]
            fn index(self) -> usize {
                self as usize
            }

            #[inline]
            fn of(index: usize) -> Self {
                <$Name>::ALL[index]
            }

            fn label(self) -> String {
                self.name().to_owned()
            }
        }
    )*};
}
pub(crate) use enumerations;

enumerations! {
    AguId, AguPhase, Arrival, BranchMode, BwConfig, CellInput, DpuControl, DpuIoChange, DpuMode,
    DpuStatus, Generator, Lane, LoadEvent, PatternPhase, ProgramEnd, Receiver, SequencerState, Side,
    SlotPhase,
}

/// A dimension of named values.
macro_rules! named {
    ($(#[$doc:meta])* $Name:ident { $($value:ident $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $Name {
            $($value,)*
        }

        impl $Name {
            /// All of them in the order of their numbers.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$value,)*];

            /// In words.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $text,)*
                }
            }
        }

        $crate::cross::enumerations! { $Name }
    };
}
pub(crate) use named;

/// A dimension of so many numbers, each with a label.
macro_rules! numbered {
    ($(#[$doc:meta])* $Name:ident, $count:expr, $label:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $Name(pub(crate) usize);

        impl $crate::cross::Dimension for $Name {
            #[inline]
            fn count() -> usize {
                $count
            }

            #[inline]
            fn index(self) -> usize {
                self.0
            }

            #[inline]
            fn of(index: usize) -> Self {
                Self(index)
            }

            fn label(self) -> String {
                let label: fn(usize) -> String = $label;
                label(self.0)
            }
        }
    };
}
pub(crate) use numbered;

/// A dimension of classes of a number, the first of which is 0 alone.
pub(crate) trait Classes: Dimension {
    /// Least values of the classes, and the limit of what [`Self::draw`] draws.
    const LIMITS: &'static [u64];

    /// Class of a value.
    #[inline]
    fn class(value: impl Into<u64>) -> Self {
        let value = value.into();
        let above = &Self::LIMITS[1..Self::count()];
        Self::of(above.iter().take_while(|least| value >= **least).count())
    }

    /// A value of the class.
    fn draw(self, rng: &mut ChaCha8Rng) -> u64 {
        match self.index() {
            0 => 0,
            k => rng.random_range(Self::LIMITS[k]..Self::LIMITS[k + 1]),
        }
    }
}

/// A dimension that is declared where it is used: its values, or the classes of a number with their
/// least values and the limit of what recipes draw.
macro_rules! values {
    ($Name:ident [$($value:literal),* $(,)?]) => {
        $crate::cross::numbered! { $Name, [$($value),*].len(), |k| [$($value),*][k].to_owned() }
    };
    ($Name:ident {$($least:literal $class:literal),*; $top:literal}) => {
        $crate::cross::values! { $Name [$($class),*] }

        impl $crate::cross::Classes for $Name {
            const LIMITS: &'static [u64] = &[$($least,)* $top];
        }
    };
}
pub(crate) use values;

/// Two dimensions as one, the second fastest, with the text that contains both labels.
macro_rules! both {
    (
        $(#[$doc:meta])*
        $Name:ident $text:literal {
            $a:ident: $A:ident $([$($a_value:tt)*])? $({$($a_class:tt)*})?,
            $b:ident: $B:ident $([$($b_value:tt)*])? $({$($b_class:tt)*})?,
        }
    ) => {
        $($crate::cross::values! { $A [$($a_value)*] })?
        $($crate::cross::values! { $A {$($a_class)*} })?
        $($crate::cross::values! { $B [$($b_value)*] })?
        $($crate::cross::values! { $B {$($b_class)*} })?

        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $Name {
            $a: $A,
            $b: $B,
        }

        impl $crate::cross::Dimension for $Name {
            #[inline]
            fn count() -> usize {
                $A::count() * $B::count()
            }

            #[inline]
            fn index(self) -> usize {
                Dimension::index(self.$a) * $B::count() + Dimension::index(self.$b)
            }

            #[inline]
            fn of(index: usize) -> Self {
                Self { $a: Dimension::of(index / $B::count()), $b: Dimension::of(index % $B::count()) }
            }

            fn label(self) -> String {
                format!($text, $a = self.$a.label(), $b = self.$b.label())
            }
        }
    };
}
pub(crate) use both;

/// A bin of a group as the values of the group's dimensions.
pub(crate) trait Cross: Copy + 'static {
    /// Name of the group.
    const NAME: &'static str;

    /// The dimensions with their values in words.
    fn axes() -> Vec<Axis>;

    /// Number of the bin, the last dimension fastest.
    fn bin(&self) -> usize;

    /// The bin with these values, by their numbers.
    fn of(index: &[usize]) -> Self;
}

/// Declares a group of bins: for each dimension its type, its name and, where that is not the label
/// of a value alone, the text that contains the label; then the values of a dimension that is
/// declared here, too ([`values`]).
macro_rules! cross {
    (
        $(#[$doc:meta])*
        $Group:ident $name:literal {
            $(
                $(#[$note:meta])*
                $field:ident: $Dimension:ident = $axis:literal $($text:literal)?
                $([$($value:tt)*])? $({$($class:tt)*})?,
            )*
        }
    ) => {
        $($($crate::cross::values! { $Dimension [$($value)*] })?)*
        $($($crate::cross::values! { $Dimension {$($class)*} })?)*

        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $Group {
            $($(#[$note])* pub(crate) $field: $Dimension,)*
        }

        impl $crate::cross::Cross for $Group {
            const NAME: &'static str = $name;

            fn axes() -> Vec<$crate::cross::Axis> {
                use $crate::cross::Dimension;
                vec![$({
                    let label = |value: $Dimension| {
                        let label = Dimension::label(value);
                        $(let label = format!($text, label);)?
                        label
                    };
                    $crate::cross::Axis {
                        name: $axis,
                        values: $Dimension::all().map(label).collect(),
                    }
                },)*]
            }

            #[inline]
            fn bin(&self) -> usize {
                use $crate::cross::Dimension;
                let bin = 0;
                $(let bin = bin * $Dimension::count() + Dimension::index(self.$field);)*
                bin
            }

            fn of(index: &[usize]) -> Self {
                let mut values = index.iter().copied();
                let mut next = || values.next().expect("a value of each dimension");
                Self { $($field: $crate::cross::Dimension::of(next()),)* }
            }
        }
    };
}
pub(crate) use cross;

/// A group that directs cases at its bins.
pub(crate) trait Directed: Cross {
    /// What hits the bin; `None` if cases cannot be directed at it.
    fn recipe(self, rng: &mut ChaCha8Rng) -> Option<Recipe>;

    /// True if cases can be directed at the bin.
    fn is_directed(&self) -> bool {
        self.recipe(&mut ChaCha8Rng::seed_from_u64(0)).is_some()
    }
}
