// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns as processes: interruptions and kills do not change the result.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use drra_campaign::Tally;
use drra_results::summary::{Summary, Timing};

use crate::{Folder, kill, said};

/// The summary without the fields that depend on time or machine.
fn timeless(summary: &Summary) -> String {
    Summary { timing: Timing::default(), ..summary.clone() }.to_json()
}

fn drra(args: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drra"));
    command.args(args).arg(folder).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// The arguments of a campaign that runs until it is stopped.
const ENDLESS: [&str; 8] = ["fuzz", "--profile", "smoke", "--time", "10m", "--jobs", "2", "--out"];

/// Waits until the journal of a running campaign has at least this many finished cases.
fn wait_for_cases(child: &mut Child, folder: &Path, cases: u64) {
    let finished = || Tally::read(folder).map_or(0, |(_, tally)| tally.cases());
    while finished() < cases {
        assert!(child.try_wait().unwrap().is_none(), "the campaign ended early");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn summary_of(folder: &Path) -> Summary {
    serde_json::from_str(&fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap()
}

/// The campaign takes a second or more, so it is still running when it is killed.
#[test]
fn a_killed_process_loses_only_cases_in_flight() {
    let dir = Folder::new();
    let fuzz = ["fuzz", "--profile", "smoke", "--cases", "3000", "--jobs", "2", "--out"];
    let [whole, killed] = ["whole", "killed"].map(|name| dir.join(name));
    assert!(drra(&fuzz, &whole).output().unwrap().status.success());
    let mut child = drra(&fuzz, &killed).spawn().unwrap();
    wait_for_cases(&mut child, &killed, 20);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!killed.join("summary.json").exists());
    let output = drra(&["fuzz", "--resume"], &killed).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(timeless(&summary_of(&killed)), timeless(&summary_of(&whole)));
}

/// Starts a program that is ended by signals, even if the tests run in the background of a script, which ignores
/// Ctrl-C.
#[cfg(unix)]
const WITH_DEFAULT_SIGNALS: &str = "
import os, signal, sys
for number in (signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])";

/// Signals from a person, a time limit or a closed terminal: summary, page and exit code report the interruption. A
/// scheduler signals a script and its programs, and the script passes the signal on; the two signals are treated as
/// one.
#[cfg(unix)]
#[test]
fn an_interrupted_process_ends_with_its_summary() {
    for signals in [&["INT"][..], &["TERM"], &["HUP"], &["TERM", "TERM"]] {
        let dir = Folder::new();
        let folder = dir.join("interrupted");
        let mut command = Command::new("python3");
        command
            .args(["-c", WITH_DEFAULT_SIGNALS, env!("CARGO_BIN_EXE_drra")])
            .args(ENDLESS)
            .arg(&folder);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        wait_for_cases(&mut child, &folder, 10);
        signals.iter().for_each(|signal| kill(signal, &child));
        let (code, text, _) = said(child.wait_with_output().unwrap());
        assert_eq!(code, Some(4), "{signals:?}");
        assert!(text.contains("interrupted; resume with"), "{signals:?}: {text}");
        let summary = summary_of(&folder);
        assert!(summary.cases >= 10 && summary.timing.interrupted, "{signals:?}");
        let page = fs::read_to_string(folder.join("index.html")).unwrap();
        assert!(page.contains("The campaign was interrupted (Ctrl-C, SIGTERM"), "{signals:?}");
    }
}

/// A signal that is ignored when the campaign starts, as SIGHUP below `nohup` and SIGINT in the background of a script,
/// does not end it; other signals do.
#[cfg(unix)]
#[test]
fn an_ignored_signal_does_not_end_a_campaign() {
    for ignored in ["HUP", "INT"] {
        let dir = Folder::new();
        let folder = dir.join("ignoring");
        let script = format!("trap '' {ignored}; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_drra")]).args(ENDLESS).arg(&folder);
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        wait_for_cases(&mut child, &folder, 10);
        kill(ignored, &child);
        let later = Tally::read(&folder).unwrap().1.cases() + 50;
        wait_for_cases(&mut child, &folder, later);
        kill("TERM", &child);
        assert_eq!(child.wait().unwrap().code(), Some(4), "{ignored}");
    }
}

/// A folder that is removed while a campaign runs is not bad input.
#[cfg(unix)]
#[test]
fn a_removed_folder_is_a_tool_failure() {
    let dir = Folder::new();
    let folder = dir.join("removed");
    let mut child = drra(&ENDLESS, &folder).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_cases(&mut child, &folder, 3);
    fs::remove_dir_all(&folder).unwrap();
    kill("TERM", &child);
    let (code, out, text) = said(child.wait_with_output().unwrap());
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("check that the folder still exists"), "{text}");
    assert!(out.contains("failures: 0 in "), "{out}");
}

/// A second process does not write into the journal of a running campaign.
#[test]
fn a_running_campaign_is_not_resumed() {
    let dir = Folder::new();
    let folder = dir.join("running");
    let mut child = drra(&ENDLESS, &folder).spawn().unwrap();
    wait_for_cases(&mut child, &folder, 3);
    let mut second = drra(&["fuzz", "--resume"], &folder);
    let (code, _, text) = said(second.stderr(Stdio::piped()).output().unwrap());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("another process is running this campaign"), "{text}");
    assert!(Tally::read(&folder).is_ok());
}

/// A campaign that compared nothing does not agree; a time limit that is too short still allows one case.
#[test]
fn a_campaign_without_a_case_is_refused() {
    let dir = Folder::new();
    let fuzz = |option: &str, amount: &str, folder: &str| {
        let mut command = drra(&["fuzz", option, amount, "--out"], &dir.join(folder));
        said(command.stderr(Stdio::piped()).output().unwrap())
    };
    let (code, told, text) = fuzz("--cases", "0", "cases");
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("nothing was compared"), "{text}");
    assert!(!told.contains("18271 registers"), "{told}");
    assert_eq!(fuzz("--time", "0s", "time").0, Some(0));
}

/// A full disk is a tool failure whose message states what to do, and the campaign can continue when there is space
/// again.
#[cfg(unix)]
#[test]
fn a_full_disk_is_a_tool_failure() {
    let dir = Folder::new();
    let folder = dir.join("shards/1");
    // Files cannot grow beyond 64 blocks of 512 bytes; because the signal is ignored, writing more is an error, as on a
    // full disk.
    let script = "ulimit -f 64; exec \"$0\" \"$@\"";
    let fuzz = ["fuzz", "--profile", "smoke", "--cases", "300", "--jobs", "2", "--out"];
    let mut limited = Command::new("sh");
    limited.args(["-c", script, env!("CARGO_BIN_EXE_drra")]).args(fuzz).arg(&folder);
    let (code, told, text) = said(limited.output().unwrap());
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("`ulimit -f`, and resume with drra fuzz --resume"), "{text}");
    assert!(told.contains("cycles compared"), "the summary is printed: {told}");

    dir.write("cluster.json", "{\"version\": 1, \"shards\": 1}");
    let status = ["cluster", "status", "--unfinished"];
    let unfinished = || said(drra(&status, dir.path()).output().unwrap()).1;
    assert!(summary_of(&folder).timing.interrupted);
    assert_eq!(unfinished(), "1\n");

    let output = drra(&["fuzz", "--resume"], &folder).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(summary_of(&folder).cases, 300);
    assert_eq!(unfinished(), "\n");
}
