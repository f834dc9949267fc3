// SPDX-License-Identifier: MIT OR Apache-2.0
//! A covergroup as one declaration: the cross of its coverpoints. A coverpoint is a type whose values are numbered
//! and named; the cross has a bin for each combination of them, and the last coverpoint varies fastest.

use drra_case::DirectedSequence;
use drra_fabric::{AguId, CellInput, DpuStatus, Generator, Lane, SequencerState, Side};
use drra_golden::{AguPhase, Arrival, LoadEvent, PatternPhase, ProgramEnd, Receiver, SlotPhase};
use drra_isa::instructions::{BranchMode, BwConfig, DpuControl, DpuIoChange, DpuMode};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A coverpoint: its name, and the names of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverpoint {
    /// Name of the coverpoint.
    pub name: &'static str,
    /// Names of its values.
    pub values: Vec<String>,
}

/// The type of a coverpoint: its values are numbered from 0. Each value represents one number, such as the value of a
/// field, or a class of numbers.
pub(crate) trait Dimension: Copy {
    /// The smallest number of each class, the first of which contains only 0, then the exclusive limit of the numbers
    /// that [`Self::draw`] returns; empty if each value represents its own number.
    const CLASSES: &'static [u64] = &[];

    /// Number of values.
    fn count() -> usize;

    /// Number of a value.
    fn index(self) -> usize;

    /// The value with this number.
    fn of(index: usize) -> Self;

    /// False if the number of the value is beyond that of the last value.
    fn exists(self) -> bool {
        self.index() < Self::count()
    }

    /// A value in words.
    fn label(self) -> String;

    /// All values.
    fn all() -> impl Iterator<Item = Self> {
        (0..Self::count()).map(Self::of)
    }

    /// The values in a set that stores them as bits, in ascending order.
    fn members(set: impl Into<u64>) -> impl Iterator<Item = Self> {
        let mut set = set.into();
        std::iter::from_fn(move || {
            let first = (set != 0).then(|| Self::of(set.trailing_zeros() as usize));
            set &= set.wrapping_sub(1);
            first
        })
    }

    /// The value that represents this number.
    fn class(number: impl Into<u64>) -> Self {
        let number = number.into();
        Self::of(match Self::CLASSES {
            [_, above @ .., _] => above.iter().take_while(|least| number >= **least).count(),
            _ => number as usize,
        })
    }

    /// A random number that the value represents.
    fn draw(self, rng: &mut ChaCha8Rng) -> u64 {
        match (self.index(), Self::CLASSES) {
            (k, []) => k as u64,
            (0, _) => 0,
            (k, least) => rng.random_range(least[k]..least[k + 1]),
        }
    }
}

/// Makes coverpoints from enumerations that are numbered from 0.
macro_rules! enumerations {
    ($($Name:ty),* $(,)?) => {$(
        impl $crate::cross::Dimension for $Name {
            fn count() -> usize {
                <$Name>::ALL.len()
            }

            fn index(self) -> usize {
                self as usize
            }

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

/// A coverpoint with named values.
macro_rules! named {
    ($(#[$doc:meta])* $Name:ident { $($value:ident $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $Name {
            $($value,)*
        }

        impl $Name {
            /// All values in the order of their numbers.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$value,)*];

            /// The value in words.
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

/// A coverpoint of numbers below a count, each with a label.
macro_rules! numbered {
    (
        $(#[$doc:meta])* $Name:ident, $count:expr, $label:expr $(, $classes:expr)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $Name(pub(crate) usize);

        impl $crate::cross::Dimension for $Name {
            $(const CLASSES: &'static [u64] = $classes;)?

            fn count() -> usize {
                $count
            }

            fn index(self) -> usize {
                self.0
            }

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

/// A coverpoint declared where it is used: its values, or the classes of a number, each with its smallest number, and
/// the exclusive limit of the numbers that directed sequences draw.
macro_rules! values {
    ($Name:ident [$($value:literal),* $(,)?] $(, $classes:expr)?) => {
        $crate::cross::numbered! {
            $Name, [$($value),*].len(), |k| [$($value),*][k].to_owned() $(, $classes)?
        }
    };
    ($Name:ident {$($least:literal $class:literal),*; $top:literal}) => {
        $crate::cross::values! { $Name [$($class),*], &[$($least,)* $top] }
    };
}
pub(crate) use values;

/// Two different values of a coverpoint; the value with the lower number comes first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<D>(pub(crate) D, pub(crate) D);

impl<D: Dimension> Pair<D> {
    /// Number of the first pair whose first value has this number.
    fn first(value: usize) -> usize {
        value * (2 * D::count() - value - 1) / 2
    }
}

impl<D: Dimension> Dimension for Pair<D> {
    fn count() -> usize {
        Self::first(D::count())
    }

    fn index(self) -> usize {
        Self::first(self.0.index()) + self.1.index() - self.0.index() - 1
    }

    fn of(index: usize) -> Self {
        let first = (0..D::count()).rfind(|value| Self::first(*value) <= index).unwrap_or(0);
        Self(D::of(first), D::of(first + 1 + index - Self::first(first)))
    }

    fn label(self) -> String {
        format!("{} and {}", self.0.label(), self.1.label())
    }
}

/// A bin of a covergroup as its coverpoint values.
pub(crate) trait Cross: Copy + 'static {
    /// Name of the covergroup.
    const NAME: &'static str;

    /// The coverpoints with the names of their values.
    fn coverpoints() -> Vec<Coverpoint>;

    /// Number of the bin; the last coverpoint varies fastest.
    fn bin(&self) -> usize;

    /// The bin with a number.
    fn of(bin: usize) -> Self;
}

/// Declares a covergroup: for each coverpoint, its type and its name. The values of a coverpoint that is also declared
/// here ([`values`]) follow its type. A text after the name is the format for the names of the values; without
/// it, a value is named by its label. Coverpoints joined by `&` share a name.
macro_rules! cross {
    (
        $(#[$doc:meta])*
        $Group:ident $name:literal {
            $(
                $(#[$note:meta])*
                $($field:ident: $Dimension:ident $([$($value:tt)*])? $({$($class:tt)*})?)&+
                    = $coverpoint:literal $($text:literal)?,
            )*
        }
    ) => {
        $($($($crate::cross::values! { $Dimension [$($value)*] })?)+)*
        $($($($crate::cross::values! { $Dimension {$($class)*} })?)+)*

        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $Group {
            $($(#[$note])* $(pub(crate) $field: $Dimension,)+)*
        }

        impl $crate::cross::Cross for $Group {
            const NAME: &'static str = $name;

            fn coverpoints() -> Vec<$crate::cross::Coverpoint> {
                use $crate::cross::{Coverpoint, Dimension};
                vec![$({
                    let count = 1 $(* $Dimension::count())+;
                    let label = |bin: usize| {
                        let rest = count;
                        $(
                            let rest = rest / $Dimension::count();
                            let $field = $Dimension::of(bin / rest % $Dimension::count()).label();
                        )+
                        let text = None::<String>;
                        $(let text = text.or_else(|| Some(format!($text)));)?
                        text.unwrap_or_else(|| [$($field.as_str()),+].concat())
                    };
                    Coverpoint { name: $coverpoint, values: (0..count).map(label).collect() }
                },)*]
            }

            fn bin(&self) -> usize {
                use $crate::cross::Dimension;
                let bin = 0;
                $($(let bin = bin * $Dimension::count() + Dimension::index(self.$field);)+)*
                bin
            }

            fn of(bin: usize) -> Self {
                use $crate::cross::Dimension;
                let rest = 1 $($(* $Dimension::count())+)*;
                $($(
                    let rest = rest / $Dimension::count();
                    let $field = Dimension::of(bin / rest % $Dimension::count());
                )+)*
                Self { $($($field,)+)* }
            }
        }
    };
}
pub(crate) use cross;

/// A covergroup, which can have directed sequences for its bins.
pub(crate) trait DirectedCross: Cross {
    /// True if all bins that can be hit have a directed sequence; otherwise, each bin is tried, which takes longer.
    const ALL_DIRECTED: bool = false;

    /// A directed sequence that hits the bin; `None` if there is none, for example because usual cases suffice.
    fn sequence(self, _rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        None
    }
}

/// Class of a two-level pattern by its iterations or its delays: bit 0 is set if the number of the inner level is not
/// 0, and bit 1 if the number of the outer level is not 0.
pub(crate) fn levels(inner: impl Into<u64>, outer: impl Into<u64>) -> usize {
    usize::from(inner.into() > 0) + 2 * usize::from(outer.into() > 0)
}

/// `l1_iter` and `l2_iter` for a class of iterations.
pub(crate) fn draw_levels(class: usize) -> [u64; 2] {
    [(class & 1) as u64 * 5, (class >> 1) as u64 * 2]
}
