// SPDX-License-Identifier: MIT OR Apache-2.0
//! The code of the chapters as a third model: `tests/specification/check.py`. If Python is missing, the tests report
//! this and pass; `.ci/specification` runs many more cases.

use std::{fs, path::Path, process::Command};

use drra_cosim::SIZES;

use crate::{Folder, said};

/// Exit code, standard output and standard error of a check; `None` without Python.
fn check(arguments: &[&str]) -> Option<(Option<i32>, String, String)> {
    let mut command = Command::new("python3");
    command.arg("tests/specification/check.py").arg(env!("CARGO_BIN_EXE_drra")).args(arguments);
    let root = env!("CARGO_MANIFEST_DIR");
    match command.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(root).output() {
        Ok(output) => {
            let text = |bytes| String::from_utf8(bytes).unwrap();
            Some((output.status.code(), text(output.stdout), text(output.stderr)))
        }
        Err(e) => {
            println!("skipped: python3: {e}");
            None
        }
    }
}

/// The option that limits the check to the models of this build.
const MODELS: &[&str] = if cfg!(feature = "rtl") { &[] } else { &["--golden-only"] };

/// The smallest size that this build supports.
fn size() -> String {
    SIZES.iter().min_by_key(|size| size.columns * size.tile_rows).unwrap().to_string()
}

#[test]
fn chapters_and_models_agree() {
    let size = size();
    let programs = ["isa/vec_add.sasm", "tests/programs/shared_noc.sasm", "--fabric", &size];
    let Some((code, text, errors)) = check(&[&programs, MODELS].concat()) else { return };
    assert_eq!(code, Some(0), "{text}{errors}");
    assert!(text.contains("no chapter computes: none\n"), "{text}");
    #[cfg(feature = "rtl")]
    for profile in ["chaos", "io_perm"] {
        let fabric = ["--profile", profile, "--cases", "8", "--fabric", &size];
        let (code, text, errors) = check(&fabric).unwrap();
        assert_eq!(code, Some(0), "{text}{errors}");
        assert!(text.starts_with("8 cases, "), "{text}");
    }
}

/// A chapter that differs from both models is found; cycle, register, values and section are reported. `--chapters` of
/// `drra` finds it, too, in the checkout that contains the program, if it has the same version.
#[test]
fn an_error_in_a_chapter_is_found() {
    let dir = Folder::new();
    for folder in ["isa", "isa/spec", "tests/specification"] {
        fs::create_dir_all(dir.join(folder)).unwrap();
        let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
        for path in entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
            fs::copy(&path, dir.join(folder).join(path.file_name().unwrap())).unwrap();
        }
    }
    let chapter = dir.join("isa/spec/02-sequencer.md");
    let text = fs::read_to_string(&chapter).unwrap();
    let rule = "if mode == 1: return (a + c) & 127";
    assert_eq!(text.matches(rule).count(), 1);
    fs::write(&chapter, text.replace(rule, "if mode == 1: return (a + c) & 63")).unwrap();
    // 100 + 50 is 22 in seven bits, as in chapter 2, section 15, example 4; 100 + 27 is 127.
    let sums = ["operand1=100, operand2=50, result=0", "operand1=100, operand2=27, result=1"];
    let sums = sums.map(|operands| format!("RACCU mode=add, {operands}\n")).concat();
    let program = dir.write("sum.sasm", format!("CELL <0,0>\n{sums}HALT\n"));
    let paths = [&program, "--chapters", &dir.name("isa/spec")];
    let size = size();
    let arguments = [&paths, &["--fabric", &size][..], MODELS].concat();
    let Some((code, out, errors)) = check(&arguments) else { return };
    assert_eq!(code, Some(1), "{out}{errors}");
    // The three words of the program are loaded from cycle 0 on, so the first gap is in cycle 3. The sums are decoded
    // in cycles 4 and 5, and the second sum is written at the end of cycle 5.
    for part in [
        "sum.sasm: differs in cycle 6: cell[0][0].seq.raccu_reg[1]\n",
        "  golden   0x7f\n",
        "  chapters 0x3f\n",
        "  decided by chapter 2, 8\n",
        "  case: target/specification/sum.sasm.json\n",
    ] {
        assert!(out.contains(part), "{part}{out}");
    }
    let alone = "  the chapters are alone: golden and RTL agree on 0x7f\n";
    assert_eq!(out.contains(alone), cfg!(feature = "rtl"), "{out}");
    let manifest = include_str!("../../Cargo.toml");
    dir.write("Cargo.toml", manifest);
    fs::copy(env!("CARGO_BIN_EXE_drra"), dir.join("drra")).unwrap();
    let ask = |variable: &str, expected: i32, part: &str| {
        let mut command = Command::new(dir.join("drra"));
        command.args(["run", &program, "--chapters"]).args(MODELS).env(variable, "");
        let (code, out, errors) = said(command.output().unwrap());
        assert_eq!(code, Some(expected), "{out}{errors}");
        assert!((out + &errors).contains(part), "{part}");
    };
    ask("_", 1, "cell[0][0].seq.raccu_reg[1]\n  golden   0x7f\n");
    fs::write(&chapter, text).unwrap();
    ask("_", 0, "sum.sasm: golden and chapters agree");
    ask("PATH", 2, "install Python 3");
    dir.write("Cargo.toml", manifest.replace(env!("CARGO_PKG_VERSION"), "0.9.0"));
    ask("_", 2, "no checkout of version");
}

/// The verdict names the model that differs from two others.
#[test]
fn each_model_can_be_alone() {
    for (values, expected) in [
        ("golden=1, rtl=2, chapters=1", "('the RTL is alone', ['golden', 'chapters'])"),
        ("golden=1, rtl=2, chapters=2", "('the golden model is alone', ['rtl', 'chapters'])"),
        ("golden=2, rtl=2, chapters=1", "('the chapters are alone', ['golden', 'rtl'])"),
        ("golden=1, rtl=2, chapters=3", "('all three differ', [])"),
        ("golden=1, chapters=3", "('golden and chapters differ', [])"),
    ] {
        let script = format!("import check; print(check.verdict(dict({values})))");
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/specification");
        let mut python = Command::new("python3");
        python.args(["-B", "-c", &script]).current_dir(folder);
        let Ok(output) = python.output() else { return };
        assert_eq!(said(output).1.trim_end(), expected);
    }
}

#[test]
fn bad_input_is_refused() {
    let nowhere = tempfile::tempdir().unwrap();
    let nowhere = nowhere.path().to_str().unwrap();
    for (arguments, what) in [
        (&["no_such_case.json"][..], "no_such_case.json"),
        (&["--profile", "no_such_profile"], "no_such_profile"),
        (&["--chapters", nowhere], "0 files 05-*.md, expected one"),
        (&["--cases", "0"], "give a number from 1 on"),
    ] {
        let Some((code, text, errors)) = check(arguments) else { return };
        assert_eq!(code, Some(2), "{arguments:?}: {text}{errors}");
        assert!(errors.contains(what) && !errors.contains("Traceback"), "{what}: {errors}");
    }
}
