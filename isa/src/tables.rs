// SPDX-License-Identifier: MIT OR Apache-2.0
//! Macros that expand the tables of `instructions.rs`.

/// `enum Opcode` from `Name = code "MNEMONIC", words` rows, for every cell and for I/O cells. The row of an instruction
/// with variable length names the chunk field.
macro_rules! opcodes {
    (@chunk) => { None };
    (@chunk $field:path) => { Some($field) };
    (
        every cell { $($(#[$all_doc:meta])* $all:ident = $all_code:literal $all_name:literal, $all_words:literal $(by $all_chunk:path)?;)* }
        io cell { $($(#[$io_doc:meta])* $io:ident = $io_code:literal $io_name:literal, $io_words:literal $(by $io_chunk:path)?;)* }
    ) => {
        /// The instructions. An instruction of I/O cells may share its code with an instruction of other cells.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Opcode {
            $($(#[$all_doc])* $all,)*
            $($(#[$io_doc])* $io,)*
        }

        impl Opcode {
            /// All instructions: first the instructions of every cell, then those of I/O cells.
            pub const ALL: &[Self] = &[$(Self::$all,)* $(Self::$io,)*];

            /// The instruction with this code in an I/O cell or an ordinary cell, if there is one.
            #[inline]
            pub const fn new(code: u64, io_cell: bool) -> Option<Self> {
                match (code, io_cell) {
                    $(($io_code, true) => Some(Self::$io),)*
                    $(($all_code, _) => Some(Self::$all),)*
                    _ => None,
                }
            }

            /// The code of the instruction.
            #[inline]
            pub const fn code(self) -> u64 {
                match self {
                    $(Self::$all => $all_code,)*
                    $(Self::$io => $io_code,)*
                }
            }

            /// The mnemonic of the instruction.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$all => $all_name,)*
                    $(Self::$io => $io_name,)*
                }
            }

            /// The maximum number of words.
            #[inline]
            pub const fn max_words(self) -> usize {
                match self {
                    $(Self::$all => $all_words,)*
                    $(Self::$io => $io_words,)*
                }
            }

            /// The field in the first word that contains the number of following words.
            #[inline]
            pub const fn chunk_field(self) -> Option<$crate::InstructionField> {
                match self {
                    $(Self::$all => opcodes!(@chunk $($all_chunk)?),)*
                    $(Self::$io => opcodes!(@chunk $($io_chunk)?),)*
                }
            }
        }
    };
}
pub(crate) use opcodes;

/// An enumeration of the named values of a field. `all N bits` means that every pattern of the field has a name; `some`
/// means that other patterns exist.
macro_rules! field_values {
    (@common $(#[$doc:meta])* $name:ident { $($variant:ident = $code:literal $text:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`, value ", $code, ".")] $variant = $code,)*
        }

        impl $name {
            /// All named values in ascending order.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The value with a raw pattern, if it has a name.
            #[inline]
            pub const fn from_code(code: u64) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// The raw pattern.
            #[inline]
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// Name in the assembly language.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// The value with a name (case-insensitive).
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|v| v.name().eq_ignore_ascii_case(name))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
    ($(#[$doc:meta])* $name:ident, all $bits:literal bits { $($rows:tt)* }) => {
        field_values!(@common $(#[$doc])* $name { $($rows)* });

        impl $name {
            /// The value in the low bits of a number, of which as many are used as the field has.
            #[inline]
            pub const fn from_bits(bits: u64) -> Self {
                match Self::from_code(bits & ((1 << $bits) - 1)) {
                    Some(value) => value,
                    None => Self::ALL[0], // every pattern of the field has a name
                }
            }
        }

        /// The value whose pattern is 0.
        impl Default for $name {
            fn default() -> Self {
                Self::ALL[0]
            }
        }
    };
    ($(#[$doc:meta])* $name:ident, some { $($rows:tt)* }) => {
        field_values!(@common $(#[$doc])* $name { $($rows)* });
    };
}
pub(crate) use field_values;

/// `info()` of an enumeration of modes: `Mode: [operands of channel 0] [of channel 1] -> [output 0,
/// output 1] latency, flags` rows, one for each mode.
macro_rules! mode_table {
    ($name:ident { $($mode:ident: [$($a:ident)*] [$($b:ident)*] -> [$o0:literal, $o1:literal] $latency:expr $(, $($flag:ident)+)?;)* }) => {
        impl $name {
            /// Properties of the mode.
            #[inline]
            pub const fn info(self) -> &'static $crate::ModeInfo {
                use $crate::{ModeInfo, Operand, OperandSet};
                match self {
                    $(Self::$mode => const {
                        &ModeInfo {
                            operands: [
                                OperandSet::of(&[$(Operand::$a),*]),
                                OperandSet::of(&[$(Operand::$b),*]),
                            ],
                            outputs: [$o0, $o1],
                            latency: $latency,
                            $($($flag: true,)+)?
                            ..ModeInfo::IDLE
                        }
                    },)*
                }
            }
        }
    };
}
pub(crate) use mode_table;
