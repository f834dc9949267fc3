// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verilator configuration that makes the compared state readable: `rtl/public.vlt`.

use std::{collections::BTreeSet, fmt::Write};

use drra_fabric::{Description, KeyInfo};
use drra_isa::Geometry;

/// The part that is the same for every fabric: registers by the naming rule of the sources, and the units.
const HEAD: &str = r#"`verilator_config

// Generated from `isa/fabric.json` by `cargo run -p drra-codegen`; do not edit.

// State that a simulation may read: every register, by the naming rule of the sources, and the
// flags of violated assertions.
public_flat_rd -module "drra_*" -var "*_q"
public_flat_rd -module "drra_*" -var "*_failed"

// Repeated modules stay classes of their own, so that their code and memory layout exist only once.
// Their inputs stay variables of the class, so that its code names nothing outside the instance.
// clk_i does not: with a clock of its own, each instance would be triggered and evaluated alone.
no_inline -module "drra_cell"
no_inline -module "drra_tile"
no_inline -module "drra_column"
public_flat_rd -module "drra_cell" -var "*_*_i"
public_flat_rd -module "drra_cell" -var "vin_i"
public_flat_rd -module "drra_tile" -var "*_*_i"
public_flat_rd -module "drra_tile" -var "row_i"
public_flat_rd -module "drra_tile" -var "col_i"
public_flat_rd -module "drra_tile" -var "msg_i"
public_flat_rd -module "drra_tile" -var "data_i"
public_flat_rd -module "drra_tile" -var "init_i"
public_flat_rd -module "drra_column" -var "*_*_i"

// Signals between modules (chapter 5, 7.4): reports compare them to find the block in which a
// difference arises.
"#;

/// Modules of the units, whose inputs are public except for the clock.
pub(crate) const UNIT_MODULES: [&str; 3] = ["drra_cell", "drra_column", "drra_tile"];

/// Source of `rtl/public.vlt`.
pub(crate) fn verilator_public(d: &Description) -> String {
    let mut out = HEAD.to_owned();
    let mut known = BTreeSet::new();
    for signal in &d.signals {
        for part in &signal.rtl {
            let variable = part.variable.rsplit('.').next().unwrap_or_default();
            for variable in for_all_keys(variable, signal.key().map(|k| &d.keys[k])) {
                let input = UNIT_MODULES.contains(&&*part.module) && variable.ends_with("_i");
                if !input && known.insert((part.module.clone(), variable.clone())) {
                    let module = &part.module;
                    writeln!(out, "public_flat_rd -module \"{module}\" -var \"{variable}\"")
                        .expect("writing to a string");
                }
            }
        }
    }
    out
}

/// A variable with each key in the place of `{key}` or `{key:name}`.
fn for_all_keys(variable: &str, key: Option<&KeyInfo>) -> Vec<String> {
    let Some(key) = key.filter(|_| variable.contains('{')) else {
        return vec![variable.to_owned()];
    };
    let filled =
        |k: usize| variable.replace("{key}", &k.to_string()).replace("{key:name}", &key.text(k));
    (0..key.count(&Geometry::default())).map(filled).collect()
}
