// SPDX-License-Identifier: MIT OR Apache-2.0
//! The description of the fabric, `isa/fabric.json`: its blocks, registers, signals, messages and rules, and
//! everything that can be derived from it alone: widths, the layout of register images, paths, values as text.
//!
//! The crate opens no files, prints nothing and simulates nothing: it says which registers exist, never how they
//! change.
//!
//! Identities ([`RegisterId`], [`SignalId`], ...) are plain types, generated into `ids.rs`; `info()` returns the entry
//! of an identity in the description.
//!
//! ```
//! use drra_fabric::{AguId, Location, Register};
//! use drra_isa::Geometry;
//!
//! let at: Location = "cell[0][3].rf.agu[wb].addr_reg".parse().unwrap();
//! assert_eq!(at.register, Register::RfAguAddrReg(AguId::Wb));
//! assert_eq!(at.register.width(&Geometry::default()), 2);
//! assert_eq!(at.register.id().block().name(), "AGU");
//! ```

#![warn(missing_docs)]

mod chapters;
mod connections;
pub mod fields;
mod ids;
pub mod images;
mod info;
mod interconnect;
mod layout;
mod load;
mod location;
mod meaning;
mod model;
mod names;
pub mod ports;
pub mod scope;
mod stored;
mod text;
mod types;
mod width;
mod words;

// Used by the generated modules.
use drra_isa::{BitField, instructions};

pub use connections::{FanInSource, KeyMatch, SignalSource};
pub use ids::*;
pub use info::RuleInput;
pub use interconnect::{CellInput, Lane};
pub use layout::{Field, GroupOffsets, Layout, Variable};
pub use load::{FabricError, SOURCE, description, load_fabric};
pub use location::{Location, PathError};
pub use model::*;
pub use text::identifier;
pub use types::*;
pub use width::{Parameter, Width, bits_for};
