// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns as processes: interruptions and kills change nothing in the result.

use std::fs;
use std::path::Path;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;
use std::time::Duration;

use drra_campaign::journal;
use drra_report::summary::Summary;
use drra_report::summary::Timing;

/// The summary without what depends on time or machine.
fn timeless(summary: &Summary) -> String {
    Summary { timing: Timing::default(), ..summary.clone() }.to_json()
}

fn drra(args: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drra"));
    command.args(args).arg(folder).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Waits until the journal of a running campaign has some finished cases.
fn wait_for_cases(child: &mut Child, folder: &Path, cases: usize) {
    let lines = || fs::read_to_string(folder.join(journal::FILE_NAME)).unwrap_or_default();
    while lines().lines().count() < cases + 1 {
        assert!(child.try_wait().unwrap().is_none(), "the campaign ended early");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn summary_of(folder: &Path) -> Summary {
    serde_json::from_str(&fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap()
}

#[test]
fn a_killed_process_loses_only_cases_in_flight() {
    let dir = tempfile::tempdir().unwrap();
    let fuzz = ["fuzz", "--profile", "smoke", "--cases", "250", "--jobs", "2", "--out"];
    let whole = dir.path().join("whole");
    assert!(drra(&fuzz, &whole).output().unwrap().status.success());

    let killed = dir.path().join("killed");
    let mut child = drra(&fuzz, &killed).spawn().unwrap();
    wait_for_cases(&mut child, &killed, 20);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!killed.join("summary.json").exists());
    let output = drra(&["fuzz", "--resume"], &killed).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(timeless(&summary_of(&killed)), timeless(&summary_of(&whole)));
}

#[cfg(unix)]
#[test]
fn an_interrupted_process_ends_with_its_summary() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("interrupted");
    let fuzz = ["fuzz", "--profile", "smoke", "--time", "10m", "--jobs", "2", "--out"];
    let mut child = drra(&fuzz, &folder).spawn().unwrap();
    wait_for_cases(&mut child, &folder, 10);
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("cases") && text.contains("interrupted; go on with"), "{text}");
    assert!(summary_of(&folder).cases >= 10);
}
