// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks of the RTL are proved equal to their chapters: `tests/proofs/prove.py`. If its packages are not installed,
//! the tests report this and pass; `.ci/prove` installs them and proves all blocks.

use std::{fs, path::Path, process::Command};

const PROJECT: &str = env!("CARGO_MANIFEST_DIR");

/// Exit code and output of a proof; `None` without the packages.
fn prove(arguments: &[&str]) -> Option<(Option<i32>, String)> {
    let target = Path::new(PROJECT).join("target");
    let names =
        fs::read_dir(target).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let names: Vec<String> = names.filter(|name| !name.contains("partial")).collect();
    if ["hdl-tools-", "solvers-"].iter().any(|of| !names.iter().any(|name| name.starts_with(of))) {
        println!("skipped: the packages are not installed: .ci/prove");
        return None;
    }
    let mut command = Command::new("python3");
    command.args(["tests/proofs/prove.py", "--cases", "0"]).args(arguments).current_dir(PROJECT);
    let output = command.env("PYTHONDONTWRITEBYTECODE", "1").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    Some((output.status.code(), text + &String::from_utf8(output.stderr).unwrap()))
}

/// The output of the proof of a block, which finds a difference in a copy of the RTL or of the chapters in which one
/// text of one file is another; `None` without the packages.
fn difference(block: &str, file: &str, from: &str, to: &str) -> Option<String> {
    let chapter = file.ends_with(".md");
    let (folder, option) = if chapter { ("isa/spec", "--chapters") } else { ("rtl", "--rtl") };
    let dir = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(Path::new(PROJECT).join(folder)).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, dir.path().join(path.file_name().unwrap())).unwrap();
    }
    let path = dir.path().join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(from).count(), 1, "{file}: {from}");
    fs::write(path, text.replace(from, to)).unwrap();
    let (code, text) = prove(&[block, option, dir.path().to_str().unwrap()])?;
    assert_eq!(code, Some(1), "{text}");
    Some(text)
}

#[test]
fn blocks_equal_their_chapters() {
    let Some((code, text)) = prove(&["agu", "decoder", "--unchanged"]) else { return };
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("agu (AddrW=1): equal; 17 registers") && text.contains("all equal"),
        "{text}"
    );
}

#[test]
fn a_module_belongs_to_blocks() {
    let Some((code, text)) = prove(&["--module", "drra_agu", "--unchanged"]) else { return };
    assert!(code == Some(0) && text.contains("1 blocks, 4 cases"), "{text}");
    let (code, text) = prove(&["--module", "drra_dpu_pkg"]).unwrap();
    assert!(code == Some(2) && text.contains("--module drra_dpu_pkg: in no block"), "{text}");
}

/// A difference names the case, the section, the register and its values; it is found in the parameters that have it.
#[test]
fn a_difference_is_told_in_words() {
    for (block, file, from, to, said) in [
        (
            "agu",
            "drra_agu.sv",
            "st_q <= '{state: AguIdle, default: '0}",
            "st_q <= '{state: AguIdle, row_base: 1, default: '0}",
            "agu (AddrW=6) differs from chapter 3, 6.3: cell[0][0].rf.agu[w0].row_base after reset\n  chapter 0, RTL 1\n",
        ),
        (
            "agu",
            "drra_agu.sv",
            "assign busy_o = state != AguIdle",
            "assign busy_o = state != AguIdle || AddrW == 1 && st_q.addr_reg[0]",
            "agu (AddrW=1) differs from chapter 3, 6: busy_o\n  state and inputs other than 0: rf.agu[wb].addr_reg = 1\n",
        ),
        (
            "agu",
            "drra_agu.sv",
            "`DRRA_CHECK(IdleNeedsLaunchForAddress, !en_o",
            "`DRRA_CHECK(IdleNeedsLaunchForAddress, en_o",
            "agu (AddrW=5): property IdleNeedsLaunchForAddress does not hold\n",
        ),
        (
            "agu",
            "03-register-file.md",
            "n.update(state=INIT_WAIT, init_cnt=1)",
            "n.update(state=INIT_WAIT, init_cnt=None)",
            "init_cnt in the next cycle",
        ),
        // The line of a value that a function returns.
        (
            "raccu",
            "02-sequencer.md",
            "min(c, 6)",
            "min(c & 7, 6)",
            ": if mode == 3: return (sext(a, 7) >> min(c & 7, 6)) & 127",
        ),
        // 16 and -16 have the same five bits in the register.
        (
            "column",
            "07-io-perm.md",
            r#"- 32 if m["l1_step"] & 16"#,
            r#"- 32 if m["l1_step"] > 16"#,
            "col[0].io_rd.cfg has a value that its bits do not mean",
        ),
        // Assumptions of a block about a function that another block runs.
        (
            "permute",
            "07-io-perm.md",
            "if mode <= 5 else None",
            "if mode <= 4 else None",
            "promise: permute: the modes up to 5 write does not hold",
        ),
        (
            "pattern_agu",
            "06-dimarch.md",
            "def sram_agu_next(s, new, depth=SRAM_DEPTH):",
            "def sram_agu_next(s, new, depth=2 * SRAM_DEPTH):",
            "pattern_agu (AddrW=4) differs from chapter 6, 7.1",
        ),
        (
            "fabric",
            "05-interconnect.md",
            r#"s["seq"]["state"] == ch2.IDLE"#,
            r#"s["seq"]["state"] != ch2.RUN"#,
            "cell_idle_o",
        ),
    ] {
        let Some(text) = difference(block, file, from, to) else { return };
        assert!(text.contains(said), "{said}{text}");
    }
}

/// A Python that is killed while it installs the packages is named with its signal.
#[cfg(unix)]
#[test]
fn a_killed_installation_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let python = dir.path().join("python3");
    fs::write(&python, "#!/bin/sh\nkill -KILL $$\n").unwrap();
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_drra"));
    command.args(["mutate", "--out"]).arg(dir.path().join("out")).current_dir(PROJECT);
    let path = format!("{}:{}", dir.path().display(), std::env::var("PATH").unwrap());
    let output = command.env("PATH", path).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("python3 failed: signal: 9"), "{text}");
}
