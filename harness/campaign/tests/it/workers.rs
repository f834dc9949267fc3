// SPDX-License-Identifier: MIT OR Apache-2.0
//! Worker processes that are shell scripts.

use std::{
    process::Command,
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use drra_campaign::{
    CampaignError, CaseRun, Executor,
    process::{Process, ProcessEvent, ProcessExit, WorkerLimits, WorkerPool},
};
use drra_case::programs;
use drra_lockstep::Stop;
use serde_json::json;

use crate::{GEOMETRY, setup};

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

fn end(script: &str) -> (ProcessExit, String) {
    let mut process = Process::start(shell(script), false).unwrap();
    process.send(&1);
    loop {
        match process.receive::<u32>(Duration::from_secs(60)) {
            ProcessEvent::Exited(end) => return (end, process.printed()),
            ProcessEvent::Answer(n) => assert_eq!(n, 7),
            ProcessEvent::Timeout => panic!("silence"),
        }
    }
}

#[test]
fn exits_in_words() {
    let (aborted, text) = end("echo 7; echo words; echo why >&2; kill -ABRT $$");
    assert_eq!((aborted.cause.as_str(), text.as_str()), ("SIGABRT", "why\n"));
    assert!(!aborted.failed && !aborted.external);
    let (killed, _) = end("kill -KILL $$");
    assert!(killed.external && killed.cause == "SIGKILL");
    assert_eq!(end("exit 1").0.cause, "exit code 1");
    assert!(end("exit 3").0.failed && !end("exit 0").0.failed);
}

#[test]
fn each_task_has_its_own_text() {
    let printed = |text: &str| end(&format!("printf '{text}' >&2")).1;
    assert_eq!(printed(r"\002one\n\003\002two\033[1m\n\003"), "two␛[1m\n");
    assert_eq!(printed(r"before\002\003"), "");
    assert_eq!(printed(r"\002cut"), "cut");
}

/// Of endless output, the first and the last 32 KiB are kept.
#[test]
fn a_flood_keeps_its_ends() {
    let flood = "(printf 'first '; head -c 5000000 /dev/zero | tr '\\0' x; printf ' last') >&2";
    let (_, text) = end(flood);
    assert!(text.starts_with("first x") && text.ends_with("x last"));
    let left_out = 5_000_011 - 2 * 32 * 1024;
    assert!(text.contains(&format!("\n({left_out} bytes omitted)\n")));
    assert!(text.len() < 2 * 32 * 1024 + 100);
}

/// The end of the design in a worker that is a shell script.
fn outcome(script: &str, watchdog: Duration) -> Result<Stop, CampaignError> {
    let (stop, limits) = (AtomicBool::new(false), WorkerLimits { watchdog, memory: u64::MAX });
    let command = || shell(script);
    let workers = WorkerPool::new(&command, &stop).with_limits(limits);
    let case = programs::ALL[0].case(&GEOMETRY).unwrap();
    let result = workers.run_case(&CaseRun::of(&case), &setup())?;
    Ok(result.failure.unwrap().crash.unwrap().stop)
}

/// A line that prints a heartbeat in cycle 5 after some seconds of CPU time.
fn beat(cpu: u64) -> String {
    let cpu = json!({"secs": cpu, "nanos": 0});
    let heartbeat = json!({"Heartbeat": {"count": 1, "cycle": 5, "cpu": cpu}});
    format!("echo '{heartbeat}'\n")
}

#[test]
fn a_hang_is_measured_in_cpu_time() {
    let hour = Duration::from_secs(3600);
    let busy = beat(1) + &beat(4000) + "sleep 1000";
    assert_eq!(outcome(&busy, hour).unwrap(), Stop::Hang);
    // A worker that uses no CPU time has ten times as long, and a hang is confirmed by a second run.
    let (start, short) = (Instant::now(), Duration::from_millis(50));
    assert_eq!(outcome(&(beat(1) + "sleep 1000"), short).unwrap(), Stop::Hang);
    assert!(start.elapsed() >= 20 * short);
}

#[test]
fn a_worker_that_does_not_start_is_no_fault_of_the_design() {
    for (end, is_killed) in [("exit 0", false), ("exit 3", false), ("kill -KILL $$", true)] {
        let found = outcome(&format!("echo why >&2\n{end}"), Duration::from_secs(60));
        let Err(CampaignError::WorkerFailed { printed, killed, .. }) = found else {
            panic!("{end}: {found:?}")
        };
        assert_eq!((printed.as_deref(), killed), (Some("why"), is_killed), "{end}");
    }
    let memory = beat(1) + "echo memory allocation of 8 bytes failed >&2; kill -ABRT $$";
    let found = outcome(&memory, Duration::from_secs(60));
    assert!(matches!(found, Err(CampaignError::WorkerMemory)), "{found:?}");
    assert!(matches!(
        outcome(&(beat(1) + "exit 3"), Duration::from_secs(60)),
        Ok(Stop::Crash { .. })
    ));
}
