// SPDX-License-Identifier: MIT OR Apache-2.0
//! The description of the fabric, `isa/fabric.json`: its blocks, registers, signals, messages and rules, and
//! everything that can be derived from it alone.
//!
//! Identities ([`RegisterId`], [`SignalId`], ...) are plain types, generated into `ids.rs`; `info()` returns the entry
//! of an identity in the description.
//!
//! ```
//! use drra_isa::Geometry;
//! use drra_isa::fabric::{AguId, Location, Register};
//!
//! let at: Location = "cell[0][3].rf.agu[wb].addr_reg".parse().unwrap();
//! assert_eq!(at.register, Register::RfAguAddrReg(AguId::Wb));
//! assert_eq!(at.register.width(&Geometry::default()), 2);
//! assert_eq!(at.register.id().block().name(), "AGU");
//! ```

mod chapters;
mod connections;
mod doc;
mod emit_fields;
mod emit_images;
mod emit_rust;
mod emit_sv;
mod emit_vlt;
pub mod fields;
mod ids;
pub mod images;
mod info;
mod layout;
mod load;
mod location;
mod meaning;
mod model;
pub mod scope;
mod text;
mod types;
mod width;

pub use connections::{KeyMatch, SignalSource, Source};
pub use doc::fabric_markdown;
pub use emit_fields::rust_fields;
pub use emit_images::rust_images;
pub use emit_rust::rust_ids;
pub use emit_sv::systemverilog_state;
pub use emit_vlt::verilator_public;
pub use ids::*;
pub use info::RuleInput;
pub use layout::{Field, Layout, Slots, Variable};
pub use load::{FabricError, SOURCE, description, load_fabric};
pub use location::{Location, PathError};
pub use model::*;
pub(crate) use text::identifier;
pub use types::{EnumerationInfo, Meaning, MessageField, MessageInfo, TypeField, TypeInfo};
pub use width::{Parameter, Width};
