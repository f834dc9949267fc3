// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks of the RTL are proved equal to their chapters: `tests/proofs/prove.py`. If its packages are not installed, the
//! tests report this and pass; `.ci/prove` installs them and proves all blocks.

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

/// A copy of a folder in which one text of one file is another.
fn changed(folder: &str, file: &str, from: &str, to: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(Path::new(PROJECT).join(folder)).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let replaced = if name == file { text.replace(from, to) } else { text.clone() };
        assert!(name != file || text.matches(from).count() == 1, "{file}: {from}");
        fs::write(dir.path().join(name), replaced).unwrap();
    }
    dir
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
    let cases = [
        (
            "drra_agu.sv",
            "st_q <= '{state: AguIdle, default: '0}",
            "st_q <= '{state: AguIdle, row_base: 1, default: '0}",
            "agu (AddrW=6) differs from chapter 3, 6.3: cell[0][0].rf.agu[w0].row_base after reset\n  chapter 0, RTL 1\n",
        ),
        (
            "drra_agu.sv",
            "assign busy_o = state != AguIdle",
            "assign busy_o = state != AguIdle || AddrW == 1 && st_q.addr_reg[0]",
            "agu (AddrW=1) differs from chapter 3, 6: busy_o\n  state and inputs other than 0: rf.agu[wb].addr_reg = 1\n",
        ),
        (
            "drra_agu.sv",
            "`DRRA_CHECK(IdleNeedsLaunchForAddress, !en_o",
            "`DRRA_CHECK(IdleNeedsLaunchForAddress, en_o",
            "agu (AddrW=5): property IdleNeedsLaunchForAddress does not hold\n",
        ),
    ];
    for (file, from, to, said) in cases {
        let rtl = changed("rtl", file, from, to);
        let Some((code, text)) = prove(&["agu", "--rtl", rtl.path().to_str().unwrap()]) else {
            return;
        };
        assert!(code == Some(1) && text.contains(said), "{said}{text}");
    }
    let chapters = changed(
        "isa/spec",
        "03-register-file.md",
        "n.update(state=INIT_WAIT, init_cnt=1)",
        "n.update(state=INIT_WAIT, init_cnt=None)",
    );
    let (code, text) = prove(&["agu", "--chapters", chapters.path().to_str().unwrap()]).unwrap();
    assert!(code == Some(1) && text.contains("init_cnt in the next cycle"), "{text}");
    for (block, file, from, to, said) in [
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
    ] {
        let chapters = changed("isa/spec", file, from, to);
        let (code, text) =
            prove(&[block, "--chapters", chapters.path().to_str().unwrap()]).unwrap();
        assert!(code == Some(1) && text.contains(said), "{text}");
    }
}
