// SPDX-License-Identifier: MIT OR Apache-2.0
//! The script that translates the published fabric, run on a small fabric with the same names and constructs: with the
//! GHDL 5 that `GHDL` names, and with a stand-in that prints what GHDL makes of these constructs.

use std::{env, fmt::Write, fs, path::Path, process::Command};

use drra_recorded::export::lock_step;
use drra_testkit::skip;

/// Files, each after its name.
const VHDL: &str = include_str!("lock-step.vhd");
const STAND_IN: &str = r#"#!/bin/bash
case $1 in
  --version) echo "GHDL 5.0.1" ;;
  --synth) cat "${0%/*}/translation.v" ;;
esac
"#;

/// What GHDL 5 makes of the changed constructs.
fn translation() -> String {
    let mut text = "module sram_model\n  (input  d);\nendmodule\nmodule cell\n".to_owned();
    for field in ["19:14", "33:28", "26:21"] {
        let _ = writeln!(
            text,
            " = word[{field}]; // extract\n\n = n86_o[3:0];  // trunc\n\n  assign n91_o = n133_o[5:0];  // trunc"
        );
    }
    text += &format!("  assign n1_o = $signed(a) < $signed(33'b01{:031});\n", 0);
    text += "  always @(posedge clk or posedge n1_o)\n";
    text += "module silagonn\n  (input  clk,\n   input  Immediate,\n   input  word);\n";
    for (c, r) in (1..=8).flat_map(|c| [(c, 1), (c, 2)]) {
        let _ = writeln!(
            text,
            "  cell mtrf_cols_n{c}_mtrf_rows_n{r}_inst (\n    .immediate(Immediate),\n    .word(word));"
        );
    }
    text + "endmodule\n"
}

/// Runs the script on the sources after an edit; returns the translation, or what is printed.
fn translate(ghdl: &Path, edit: fn(String) -> String) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    for file in lock_step() {
        fs::write(folder.path().join(file.name), file.text).unwrap();
    }
    let sources = folder.path().join("rtl");
    let mut listed = String::new();
    for part in edit(VHDL.to_owned()).split("-- file ").skip(1) {
        let (name, text) = part.split_once('\n').unwrap();
        fs::create_dir_all(sources.join(name).parent().unwrap()).unwrap();
        fs::write(sources.join(name), text).unwrap();
        if !name.starts_with("DW/") {
            listed += &format!("{name}\n");
        }
    }
    fs::write(sources.join("silagonn_hierarchy.txt"), listed).unwrap();
    let mut command = Command::new("bash");
    command.arg(folder.path().join("lock-step.sh")).arg(&sources).env("GHDL", ghdl);
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let result = fs::read_to_string(folder.path().join("silagonn.v"));
    if output.status.success() { Ok(result.unwrap()) } else { Err(said) }
}

#[cfg(unix)]
#[test]
fn every_change_is_made_or_the_script_stops_with_both_numbers() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let stand_in = folder.path().join("ghdl");
    fs::write(&stand_in, STAND_IN).unwrap();
    fs::set_permissions(&stand_in, fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(folder.path().join("translation.v"), translation()).unwrap();
    let mut programs = vec![stand_in];
    match env::var_os("GHDL") {
        Some(program) => programs.push(program.into()),
        None => skip("DRRA_GHDL5", "GHDL names no GHDL 5"),
    }
    for ghdl in programs {
        let text = translate(&ghdl, |vhdl| vhdl).unwrap();
        // Cell (r,c) gets the flag r+c cycles after its word.
        for (distance, cells) in (0..).zip([1, 2, 2, 2, 2, 2, 2, 2, 1]) {
            let flag = format!(".immediate(Immediate[{distance}])");
            assert_eq!(text.matches(&flag).count(), cells, "{flag}");
        }
        assert!(text.contains("   input [8:0] Immediate,\n") && !text.contains("sram_model\n"));
        // -2^31, and the sign and the low bits of start and step.
        assert!(text.contains(&format!("< $signed(33'b11{:031})", 0)));
        assert_eq!(text.matches("_o[6], n").count(), 2, "{text}");
        assert!(text.contains("always @(posedge clk)\n") && !text.contains("or posedge"));
        // A line more changes nothing, and a match more stops the script.
        let longer = translate(&ghdl, |vhdl| vhdl.replace("library ieee;", "\nlibrary ieee;"));
        assert_eq!(longer.unwrap().matches("_o[6], n").count(), 2);
        let other = translate(&ghdl, |vhdl| {
            vhdl.replace("  output <=", "  output <= pair(0);\n  output <=")
        });
        let said = other.unwrap_err();
        let place = "mtrf/InputMux.vhd: expected 2 matches of /";
        assert!(said.contains(place) && said.contains("found 3: if you changed"), "{said}");
    }
}
