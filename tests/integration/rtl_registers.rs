// SPDX-License-Identifier: MIT OR Apache-2.0
//! No register of the RTL is missing from the fabric description.

use std::{collections::BTreeSet, fs, path::Path};

use drra_cosim::{GEOMETRY, bridge::sim::Sim};
use drra_isa::{
    Unit,
    fabric::{Layout, scope::scope},
};

/// Registers that the comparison leaves out, each with its reason.
const EXCEPTIONS: [(&str, &str); 2] = [
    ("_failed", "flag of a violated assertion, read when a simulation stops"),
    ("_past", "earlier value that an assertion looks at"),
];

/// Every variable that the simulation exposes is in the table, and the other way round.
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
    let dut = Sim::new(&GEOMETRY, 0).unwrap();
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

/// Every variable that the elaborated design assigns at a clock edge carries the name of a
/// register (`_q`), by which it is exposed, or is an exception.
#[test]
fn every_clocked_variable_is_named_as_a_register() {
    let dir = Path::new(env!("DRRA_RTL_TREE"));
    let tree = fs::read_dir(dir)
        .unwrap()
        .filter_map(|e| e.ok().map(|e| e.path()))
        .find(|p| {
            let name = p.file_name().unwrap().to_string_lossy().into_owned();
            name.ends_with(".tree.json") || name.ends_with(".xml")
        })
        .expect("tree of the design");
    let text = fs::read_to_string(&tree).unwrap();
    let names = match tree.extension().and_then(|e| e.to_str()) {
        Some("xml") => clocked_in_xml(&text),
        _ => clocked_in_json(&serde_json::from_str(&text).unwrap()),
    };
    assert!(names.len() > 50, "{} registers", names.len());
    for name in ["core_q", "mem_q", "sram_q", "ld_pipe_q"] {
        assert!(names.contains(name), "{name}");
    }
    let odd: Vec<_> = names
        .iter()
        .filter(|n| !n.ends_with("_q") && !EXCEPTIONS.iter().any(|(suffix, _)| n.ends_with(suffix)))
        .collect();
    assert!(odd.is_empty(), "clocked but not named as registers: {odd:?}");
}

/// Names on the left of non-blocking assignments in the JSON tree.
fn clocked_in_json(tree: &serde_json::Value) -> BTreeSet<String> {
    fn references(node: &serde_json::Value, names: &mut BTreeSet<String>) {
        match node {
            serde_json::Value::Array(items) => items.iter().for_each(|i| references(i, names)),
            serde_json::Value::Object(o) => {
                if o.get("type").is_some_and(|t| t == "VARREF")
                    && o.get("access").is_some_and(|a| a != "RD")
                {
                    names.insert(o["name"].as_str().unwrap().to_owned());
                }
                o.values().for_each(|v| references(v, names));
            }
            _ => {}
        }
    }
    fn assignments(node: &serde_json::Value, names: &mut BTreeSet<String>) {
        match node {
            serde_json::Value::Array(items) => items.iter().for_each(|i| assignments(i, names)),
            serde_json::Value::Object(o) => {
                if o.get("type").is_some_and(|t| t == "ASSIGNDLY") {
                    references(&o["lhsp"], names);
                }
                o.values().for_each(|v| assignments(v, names));
            }
            _ => {}
        }
    }
    let mut names = BTreeSet::new();
    assignments(tree, &mut names);
    names
}

/// The same in the XML tree of older versions: the target is the last child of `assigndly`, its
/// variable the first reference in it.
fn clocked_in_xml(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for part in text.split("<assigndly").skip(1) {
        let body = part.split("</assigndly>").next().unwrap();
        // Depth-first order: the right side first, then the target. Count the top-level children.
        let mut depth = 0i32;
        let mut target_start = 0;
        for (at, _) in body.match_indices('<') {
            let tag = &body[at..];
            let closing = tag.starts_with("</");
            let empty = tag[..tag.find('>').unwrap_or(tag.len() - 1) + 1].ends_with("/>");
            if closing {
                depth -= 1;
            } else {
                if depth == 0 {
                    target_start = at;
                }
                if !empty {
                    depth += 1;
                }
            }
        }
        let target = &body[target_start..];
        if let Some(reference) = target.split("<varref").nth(1)
            && let Some(name) = reference.split("name=\"").nth(1)
        {
            names.insert(name.split('"').next().unwrap().to_owned());
        }
    }
    names
}
