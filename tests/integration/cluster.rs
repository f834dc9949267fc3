// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra cluster`: scripts for Slurm, run here with substitutes for the Slurm commands. The substitutes record how they
//! were called. `tests/cluster/check.py` runs the scripts on a real cluster.

use std::{fs, path::Path, process::Command};

use crate::{Folder, drra_in, refused, said};

const DRRA: &str = env!("CARGO_BIN_EXE_drra");

/// Options become #SBATCH lines, words are quoted, and the seed is fixed; bash can parse the script.
#[test]
fn scripts_are_printed() {
    let dir = Folder::new();
    dir.write("known ones.txt", "cell.seq.load_count HALT = 2.1: of old\n");
    let campaign = ["cluster", "slurm", "--profile", "smoke", "--shards", "12", "--time", "8h"];
    let files = ["--out", "/shared/it's here", "--print", "--known", "known ones.txt"];
    let jobs = ["--jobs", "3", "--sbatch=--partition=long", "--sbatch", "--mem=2G"];
    let setup = ["--setup", "module load gcc"];
    let arguments = [&campaign[..], &files, &jobs, &setup].concat();
    let (code, text, err) = said(drra_in(dir.path(), &arguments));
    assert_eq!(code, Some(0), "{err}");
    for line in [
        "#SBATCH --array=1-12",
        "#SBATCH --requeue",
        "#SBATCH --signal=B:USR1@120",
        "#SBATCH --cpus-per-task=3",
        "#SBATCH --partition=long",
        "#SBATCH --mem=2G",
        "module load gcc",
        "out=\"/shared/it's here\"",
        "#SBATCH --output=\"/shared/it's here/log/shard-%a.txt\"",
    ] {
        assert!(text.lines().any(|l| l == line), "{line}: {text}");
    }
    let seed = text.split("--seed ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!(seed.len() == 8 && seed.starts_with("20"), "{seed}");
    assert!(text.contains("--time 28800s"), "{text}");
    // The absolute path of the list is passed to each shard and to the merge.
    let path = dir.path().canonicalize().unwrap().join("known ones.txt");
    let known = format!(" --known '{}'", path.display());
    let with_list: Vec<&str> = text.lines().filter(|line| line.contains(&known)).collect();
    assert_eq!(with_list.len(), 2, "{text}");
    assert!(with_list[0].contains("\"$drra\" fuzz "), "{with_list:?}");
    assert!(with_list[1].starts_with("\"$drra\" merge "), "{with_list:?}");
    assert!(!Path::new("/shared/it's here").exists());
    let script = dir.write("script.sh", text);
    assert!(Command::new("bash").arg("-n").arg(script).status().unwrap().success());
}

#[test]
fn bad_submissions_are_refused() {
    let dir = Folder::new();
    for (arguments, what) in [
        (&["--shards", "4"][..], "--time"),
        (&["--shards", "0", "--cases", "9"], "--shards"),
        (&["--shards", "4", "--cases", "9", "--profile", "none"], "give a file or one of"),
        (&["--shards", "4", "--cases", "9", "--setup", "a\nb"], "control character"),
        (&["--shards", "4", "--cases", "9", "--known", "none.txt"], "give a readable file"),
    ] {
        let slurm = ["cluster", "slurm", "--print", "--out", "x"];
        refused(dir.path(), &[&slurm, arguments].concat(), &[what]);
    }
    for shards in ["0", "-1", "1000001", "18446744073709551615", "18446744073709551616", "1e99"] {
        dir.write("cluster.json", format!("{{\"version\": 1, \"shards\": {shards}}}"));
        refused(dir.path(), &["cluster", "status", "."], &["cluster.json: "]);
    }
    refused(dir.path(), &["cluster", "status", "/"], &[]);
}

/// A submission that Slurm refuses can be repeated with the same folder.
#[cfg(unix)]
#[test]
fn a_refused_submission_can_be_repeated() {
    let dir = Folder::new();
    let submit = |script: &str| {
        dir.program("bin/sbatch", script);
        let mut command = with_path(DRRA, &dir.name("bin"));
        command.args(["cluster", "slurm", "--shards", "2", "--cases", "9", "--out"]);
        said(command.arg(dir.join("out")).output().unwrap())
    };
    let (code, _, text) = submit("#!/bin/sh\necho 'no such partition' >&2\nexit 1\n");
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("refused by sbatch: no such partition"), "{text}");
    assert!(text.contains("submit again with the same folder"), "{text}");
    // A wrapper of sbatch prints lines before the number of the job, which is followed by the cluster.
    let (code, out, text) = submit("#!/bin/sh\nprintf 'welcome\\n71;east\\n'\n");
    assert_eq!(code, Some(0), "{text}");
    assert!(out.contains("cancel with: scancel 71 71\n"), "{out}");
    // A job that may have been submitted still needs its folder.
    fs::remove_file(dir.join("out/cluster.json")).unwrap();
    let (code, _, text) = submit("#!/bin/sh\necho submitted\n");
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("sbatch printed no number of a job: submitted"), "{text}");
    assert!(dir.join("out/cluster.json").is_file());
}

/// A command that finds programs in this folder first.
#[cfg(unix)]
fn with_path(program: &str, folder: &str) -> Command {
    let mut command = Command::new(program);
    command.env("PATH", format!("{folder}:{}", std::env::var("PATH").unwrap()));
    command
}

/// A command with substitutes for Slurm commands. They record how they were called; `sbatch` numbers jobs from 71 on.
#[cfg(feature = "rtl")]
fn with_slurm(program: &str, dir: &Folder) -> Command {
    let script = format!(
        "#!/bin/bash\necho \"$(basename \"$0\") $*\" >> '{0}'\necho $((70 + $(grep -c sbatch '{0}')))\n",
        dir.name("calls")
    );
    for name in ["bin/sbatch", "bin/scontrol"] {
        dir.program(name, &script);
    }
    with_path(program, &dir.name("bin"))
}

/// A campaign from submission to the merged result, with a shard that must be submitted again.
#[cfg(feature = "rtl")]
#[test]
fn a_campaign_by_its_scripts() {
    let dir = Folder::new();
    let (out, folder) = (dir.join("out"), &*dir.name("out"));
    let campaign = ["--profile", "smoke", "--seed", "5", "--cases", "12"];
    let submit = || {
        let mut command = with_slurm(DRRA, &dir);
        command.args(["cluster", "slurm", "--shards", "2", "--out", folder]).args(campaign);
        said(command.output().unwrap())
    };
    let (_, text, _) = submit();
    assert!(text.starts_with("submitted: array 71 of 2 shards, then job 72"), "{text}");
    let calls = || fs::read_to_string(dir.join("calls")).unwrap();
    assert!(calls().contains("sbatch --parsable --dependency=afterany:71 "), "{}", calls());
    assert_eq!(submit().0, Some(2), "a folder is used once");

    let status = |arguments: &[&str]| {
        said(drra_in(dir.path(), &[&["cluster", "status", "out"], arguments].concat())).1
    };
    assert_eq!(status(&["--unfinished"]), "1,2\n");
    assert!(status(&[]).contains("not started"), "{}", status(&[]));
    let shard = |number: &str| {
        let mut command = with_slurm("bash", &dir);
        command.arg(out.join("slurm/shard.sh")).env("SLURM_ARRAY_TASK_ID", number);
        let output = command.env("SLURM_JOB_ID", "71").output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let merge = |mut command: Command, retry: &str| {
        said(command.arg(out.join("slurm/merge.sh")).arg(retry).output().unwrap())
    };
    shard("1");
    assert_eq!(status(&["--unfinished"]), "2\n");
    let before = calls().lines().count();
    assert_eq!(merge(with_slurm("bash", &dir), "0").0, Some(0));
    let again: Vec<String> = calls().lines().skip(before).map(str::to_owned).collect();
    assert_eq!(again.len(), 2, "{again:?}");
    assert!(again[0].contains("--array=2 ") && again[1].ends_with("merge.sh 1"), "{again:?}");
    dir.program("odd/sbatch", "#!/bin/sh\n");
    assert_eq!(merge(with_path("bash", &dir.name("odd")), "0").0, Some(3));
    let (code, text, _) = merge(with_slurm("bash", &dir), "3");
    assert_eq!(code, Some(4));
    assert!(text.contains("still unfinished after 3 retries: shards 2"), "{text}");
    assert!(text.contains("missing: cases 1 to 11 of shard 2 of 2"), "{text}");

    shard("2");
    assert_eq!(merge(with_slurm("bash", &dir), "1").0, Some(0));
    let single = drra_in(dir.path(), &[&["fuzz", "--out", "whole"], &campaign[..]].concat());
    assert!(single.status.success());
    let timeless = |folder: &Path| {
        let text = fs::read_to_string(folder.join("summary.json")).unwrap();
        let mut summary: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(summary.as_object_mut().unwrap().remove("timing").is_some());
        summary.to_string()
    };
    assert_eq!(timeless(&out.join("report")), timeless(&dir.join("whole")));

    // The summary of an earlier part does not make a shard complete whose later part was killed.
    assert_eq!(status(&["--unfinished"]), "\n");
    let journal = out.join("shards/2/journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let end = text.trim_end().rfind('\n').unwrap() + 1;
    assert!(text[end..].starts_with("{\"ended\":"), "{text}");
    fs::write(&journal, &text[..end]).unwrap();
    assert_eq!(status(&["--unfinished"]), "2\n");
}

/// The same command starts a campaign and continues it; the index of the shard and the number of shards come from the
/// environment.
#[cfg(feature = "rtl")]
#[test]
fn the_same_command_starts_and_continues() {
    let dir = Folder::new();
    let run = |more: &[&str]| {
        let mut command = Command::new(DRRA);
        command.args(["fuzz", "--profile", "smoke", "--shard", "auto", "--continue"]).args(more);
        command.arg("--out").arg(dir.join("shard"));
        command.env("JOB_COMPLETION_INDEX", "1").env("DRRA_SHARDS", "3");
        said(command.output().unwrap())
    };
    for (cases, numbers) in [("6", vec![1, 4]), ("12", vec![1, 4, 7, 10])] {
        let (code, _, text) = run(&["--cases", cases]);
        assert_eq!(code, Some(0), "{text}");
        let (_, tally) = drra_campaign::Tally::read(&dir.join("shard")).unwrap();
        assert_eq!(tally.numbers().collect::<Vec<_>>(), numbers);
    }
    let (code, _, text) = run(&["--seed", "2", "--cases", "12"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("the journal belongs to another campaign"), "{text}");
}
