// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra cluster`: scripts for Slurm, run here with substitutes for the Slurm commands. The substitutes record how they
//! were called. `tests/cluster/check.py` runs the scripts on a real cluster.

#[cfg(feature = "rtl")]
use std::path::PathBuf;
use std::process::{Command, Output};
use std::{fs, path::Path};

const DRRA: &str = env!("CARGO_BIN_EXE_drra");

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Options become lines, words are quoted, and the seed is fixed; bash can parse the script.
#[test]
fn scripts_are_printed() {
    let options =
        ["--shards", "12", "--time", "8h", "--jobs", "3", "--out", "/shared/it's here", "--print"];
    let dir = tempfile::tempdir().unwrap();
    let list = "cell.seq.load_count HALT = 2.1: of old\n";
    fs::write(dir.path().join("known ones.txt"), list).unwrap();
    let output = Command::new(DRRA)
        .current_dir(dir.path())
        .args(["cluster", "slurm", "--profile", "smoke"])
        .args(options)
        .args(["--known", "known ones.txt"])
        .args(["--sbatch=--partition=long", "--sbatch", "--mem=2G", "--setup", "module load gcc"])
        .output()
        .unwrap();
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
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
    let script = dir.path().join("script.sh");
    fs::write(&script, text).unwrap();
    assert!(Command::new("bash").arg("-n").arg(&script).status().unwrap().success());
}

#[test]
fn bad_submissions_are_refused() {
    for (arguments, what) in [
        (&["--shards", "4"][..], "--time"),
        (&["--shards", "0", "--cases", "9"], "--shards"),
        (&["--shards", "4", "--cases", "9", "--profile", "none"], "give a file or one of"),
        (&["--shards", "4", "--cases", "9", "--setup", "a\nb"], "control character"),
        (&["--shards", "4", "--cases", "9", "--known", "none.txt"], "give a readable file"),
    ] {
        let mut command = Command::new(DRRA);
        command.args(["cluster", "slurm", "--print", "--out", "x"]).args(arguments);
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(what), "{arguments:?}: {text}");
    }
    let dir = tempfile::tempdir().unwrap();
    for shards in ["0", "-1", "1000001", "18446744073709551615", "18446744073709551616", "1e99"] {
        let text = format!("{{\"version\": 1, \"shards\": {shards}}}");
        fs::write(dir.path().join("cluster.json"), text).unwrap();
        let mut command = Command::new(DRRA);
        let output = command.args(["cluster", "status"]).arg(dir.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{shards}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("cluster.json: "), "{shards}");
    }
    let output = Command::new(DRRA).args(["cluster", "status", "/"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// A submission that Slurm refuses can be repeated with the same folder.
#[cfg(unix)]
#[test]
fn a_refused_submission_can_be_repeated() {
    use std::os::unix::fs::PermissionsExt;

    let dir = tempfile::tempdir().unwrap();
    let (sbatch, out) = (dir.path().join("sbatch"), dir.path().join("out"));
    let submit = |script: &str| {
        fs::write(&sbatch, script).unwrap();
        fs::set_permissions(&sbatch, fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:{}", dir.path().display(), std::env::var("PATH").unwrap());
        let mut command = Command::new(DRRA);
        command.args(["cluster", "slurm", "--shards", "2", "--cases", "9", "--out"]).arg(&out);
        command.env("PATH", path).output().unwrap()
    };
    let refused = submit("#!/bin/sh\necho 'no such partition' >&2\nexit 1\n");
    let text = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{text}");
    assert!(text.contains("refused by sbatch: no such partition"), "{text}");
    assert!(text.contains("submit again with the same folder"), "{text}");
    // A wrapper of sbatch prints lines before the number of the job, which is followed by the cluster.
    let again = submit("#!/bin/sh\nprintf 'welcome\\n71;east\\n'\n");
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    assert!(stdout(&again).contains("cancel with: scancel 71 71\n"), "{again:?}");
    // A job that was perhaps submitted needs its folder.
    fs::remove_file(out.join("cluster.json")).unwrap();
    let odd = submit("#!/bin/sh\necho submitted\n");
    let text = String::from_utf8(odd.stderr).unwrap();
    assert_eq!(odd.status.code(), Some(3), "{text}");
    assert!(text.contains("sbatch printed no number of a job: submitted"), "{text}");
    assert!(out.join("cluster.json").is_file());
}

/// Substitutes for Slurm commands. They record how they were called; `sbatch` numbers jobs from 71 on.
#[cfg(feature = "rtl")]
fn slurm(folder: &Path) -> PathBuf {
    let commands = folder.join("bin");
    fs::create_dir_all(&commands).unwrap();
    let log = folder.join("calls");
    let script = format!(
        "#!/bin/bash\necho \"$(basename \"$0\") $*\" >> '{0}'\necho $((70 + $(grep -c sbatch '{0}')))\n",
        log.display()
    );
    for name in ["sbatch", "scontrol"] {
        let path = commands.join(name);
        fs::write(&path, &script).unwrap();
        assert!(Command::new("chmod").arg("+x").arg(path).status().unwrap().success());
    }
    commands
}

#[cfg(feature = "rtl")]
fn with_slurm(program: impl AsRef<std::ffi::OsStr>, folder: &Path) -> Command {
    let path = format!("{}:{}", slurm(folder).display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(program);
    command.env("PATH", path);
    command
}

/// A campaign from submission to the merged result, with a shard that must be submitted again.
#[cfg(feature = "rtl")]
#[test]
fn a_campaign_by_its_scripts() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let folder = out.to_str().unwrap();
    let campaign = ["--profile", "smoke", "--seed", "5", "--cases", "12"];
    let submit = || {
        let mut command = with_slurm(DRRA, dir.path());
        command.args(["cluster", "slurm", "--shards", "2", "--out", folder]).args(campaign);
        command.output().unwrap()
    };
    let text = stdout(&submit());
    assert!(text.starts_with("submitted: array 71 of 2 shards, then job 72"), "{text}");
    let calls = || fs::read_to_string(dir.path().join("calls")).unwrap();
    assert!(calls().contains("sbatch --parsable --dependency=afterany:71 "), "{}", calls());
    assert_eq!(submit().status.code(), Some(2), "a folder is used once");

    let status = |arguments: &[&str]| {
        stdout(
            &Command::new(DRRA)
                .args(["cluster", "status", folder])
                .args(arguments)
                .output()
                .unwrap(),
        )
    };
    assert_eq!(status(&["--unfinished"]), "1,2\n");
    assert!(status(&[]).contains("not started"), "{}", status(&[]));
    let shard = |number: &str| {
        let mut command = with_slurm("bash", dir.path());
        command.arg(out.join("slurm/shard.sh")).env("SLURM_ARRAY_TASK_ID", number);
        let output = command.env("SLURM_JOB_ID", "71").output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let merge = |retry: &str| {
        let mut command = with_slurm("bash", dir.path());
        command.arg(out.join("slurm/merge.sh")).arg(retry).output().unwrap()
    };
    shard("1");
    assert_eq!(status(&["--unfinished"]), "2\n");
    let before = calls().lines().count();
    assert!(merge("0").status.success());
    let again: Vec<String> = calls().lines().skip(before).map(str::to_owned).collect();
    assert_eq!(again.len(), 2, "{again:?}");
    assert!(again[0].contains("--array=2 ") && again[1].ends_with("merge.sh 1"), "{again:?}");
    let odd = out.join("odd");
    fs::create_dir_all(&odd).unwrap();
    fs::copy("/bin/true", odd.join("sbatch")).unwrap();
    let path = format!("{}:{}", odd.display(), std::env::var("PATH").unwrap());
    let mut silent = Command::new("bash");
    let silent = silent.arg(out.join("slurm/merge.sh")).env("PATH", path).output().unwrap();
    assert_eq!(silent.status.code(), Some(3), "{silent:?}");
    let given_up = merge("3");
    assert_eq!(given_up.status.code(), Some(4));
    let text = stdout(&given_up);
    assert!(text.contains("still unfinished after 3 retries: shards 2"), "{text}");
    assert!(text.contains("missing: cases 1 to 11 of shard 2 of 2"), "{text}");

    shard("2");
    assert!(merge("1").status.success());
    let whole = dir.path().join("whole");
    let single = Command::new(DRRA).arg("fuzz").args(campaign).arg("--out").arg(&whole).status();
    assert!(single.unwrap().success());
    let timeless = |folder: &Path| {
        let text = fs::read_to_string(folder.join("summary.json")).unwrap();
        let mut summary: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(summary.as_object_mut().unwrap().remove("timing").is_some());
        summary.to_string()
    };
    assert_eq!(timeless(&out.join("report")), timeless(&whole));

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
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("shard");
    let run = |cases: &str| {
        let mut command = Command::new(DRRA);
        command.args([
            "fuzz",
            "--profile",
            "smoke",
            "--cases",
            cases,
            "--shard",
            "auto",
            "--continue",
        ]);
        command.arg("--out").arg(&folder).env("JOB_COMPLETION_INDEX", "1").env("DRRA_SHARDS", "3");
        command.output().unwrap()
    };
    for (cases, numbers) in [("6", vec![1, 4]), ("12", vec![1, 4, 7, 10])] {
        let output = run(cases);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let (_, tally) = drra_campaign::Tally::read(&folder).unwrap();
        assert_eq!(tally.numbers().collect::<Vec<_>>(), numbers);
    }
    let other = Command::new(DRRA)
        .args(["fuzz", "--profile", "smoke", "--seed", "2", "--cases", "12", "--continue", "--out"])
        .arg(&folder)
        .output()
        .unwrap();
    let text = String::from_utf8(other.stderr).unwrap();
    assert_eq!(other.status.code(), Some(2), "{text}");
    assert!(text.contains("the journal belongs to another campaign"), "{text}");
}
