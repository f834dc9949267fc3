// SPDX-License-Identifier: MIT OR Apache-2.0
//! No register of the RTL is missing from the fabric description, and the inputs of its units can be read.

use std::{collections::BTreeSet, fs, path::Path};

use drra_bridge::sim::Sim;
use drra_cosim::{BUILT, GEOMETRY};
use drra_fabric::{Layout, scope::scope};
use drra_isa::Unit;

/// Every register (`_q`) that the simulation exposes is in the table, and vice versa.
#[test]
fn every_public_register_is_in_the_table() {
    let layout = Layout::new(&GEOMETRY);
    let mut table = BTreeSet::new();
    for unit in layout.units() {
        let base = scope(unit);
        for variable in layout.variables_of(unit.kind()) {
            let (instance, name) = variable.in_rtl();
            let scope =
                if instance.is_empty() { base.clone() } else { format!("{base}.{instance}") };
            table.insert((scope, name));
        }
        if let Unit::Tile(_) = unit {
            table.insert((format!("{base}.u_mem"), "sram_q".to_owned()));
        }
    }
    let dut = Sim::new(&BUILT, &GEOMETRY, 0).unwrap();
    let rtl: BTreeSet<(String, String)> = dut
        .variables()
        .into_iter()
        .filter(|v| v.name.ends_with("_q"))
        .map(|v| (v.scope, v.name))
        .collect();
    let missing: Vec<_> = rtl.difference(&table).collect();
    assert!(missing.is_empty(), "not in the fabric description: {missing:?}");
    let surplus: Vec<_> = table.difference(&rtl).collect();
    assert!(surplus.is_empty(), "not in the RTL: {surplus:?}");
}

/// All inputs of cells, columns and tiles are variables of the model, except for the clock.
#[test]
fn the_inputs_of_units_are_public() {
    let sim = Sim::new(&BUILT, &GEOMETRY, 0).unwrap();
    let variables = sim.variables();
    for unit in Layout::new(&GEOMETRY).units().filter(|unit| *unit != Unit::Fabric) {
        let kind = match unit {
            Unit::Cell(_) => "cell",
            Unit::Column(_) => "column",
            Unit::Tile(_) | Unit::Fabric => "tile",
        };
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("rtl/drra_{kind}.sv"));
        let text = fs::read_to_string(file).unwrap();
        let (ports, _) = text.split_once("\n);").unwrap();
        let declared = ports.lines().filter_map(|line| line.trim().strip_prefix("input "));
        let names = declared.filter_map(|port| {
            port.split([' ', ',', '/']).find(|word| word.ends_with("_i")).map(str::to_owned)
        });
        let inputs: BTreeSet<String> = names.filter(|name| name != "clk_i").collect();
        let here = variables.iter().filter(|v| v.scope == scope(unit) && v.name.ends_with("_i"));
        let public: BTreeSet<String> = here.map(|v| v.name.clone()).collect();
        assert!(inputs.len() > 4, "{inputs:?}");
        assert_eq!(public, inputs, "{unit}");
    }
}

/// Every variable that the RTL assigns at a clock edge carries the name of a register (`_q`), by which it is exposed.
#[test]
fn every_clocked_variable_is_named_as_a_register() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rtl");
    let mut names = BTreeSet::new();
    for file in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_none_or(|ending| ending != "sv") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains("always @") && !text.contains("always_latch"), "{file:?}");
        let mut end = None;
        for line in text.lines().map(|line| line.split("//").next().unwrap()) {
            // A process ends at the `end` with the same indentation.
            if let Some((indent, _)) = line.split_once("always_ff ") {
                end = Some(format!("{indent}end"));
            } else if end.as_deref() == Some(line) {
                end = None;
            } else if end.is_some()
                && let Some((before, _)) = line.split_once("<=")
            {
                names.insert(variable(before.trim_end()));
            }
        }
    }
    assert!(names.len() > 40, "{} registers", names.len());
    for name in ["core_q", "mem_q", "sram_q", "ld_pipe_q"] {
        assert!(names.contains(name), "{name}");
    }
    let odd: Vec<_> = names.iter().filter(|name| !name.ends_with("_q")).collect();
    assert!(odd.is_empty(), "clocked but not named as registers: {odd:?}");
}

/// The variable at the end of a text, without its indices and fields.
fn variable(text: &str) -> String {
    let mut depth = 0;
    let outside = text.chars().rev().filter(|&c| {
        depth += i32::from(c == ']') - i32::from(c == '[');
        depth == 0 && c != '['
    });
    let path: String = outside.take_while(|&c| c.is_alphanumeric() || "_.".contains(c)).collect();
    path.rsplit('.').next().unwrap().chars().rev().collect()
}
