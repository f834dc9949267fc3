// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns that are killed or stopped at any time, with or without their workers, and resumed, end with the same
//! summary as undisturbed campaigns. `DRRA_HOSTILE=N` tries N kills on each design instead of a few.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    sync::atomic::AtomicBool,
    time::Duration,
};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::planted::{run, settings, summary_of, timeless};

/// Default number of kills of each design.
const KILLS: u64 = 4;

/// The ways to disturb a campaign.
#[derive(Clone, Copy, Debug)]
enum Disturbance {
    KillCampaign,
    KillWorker,
    KillBoth,
    Term,
    StopCampaign,
    StopWorker,
}

const HARMS: [Disturbance; 6] = [
    Disturbance::KillCampaign,
    Disturbance::KillWorker,
    Disturbance::KillBoth,
    Disturbance::Term,
    Disturbance::StopCampaign,
    Disturbance::StopWorker,
];

pub(crate) fn kills_change_nothing() {
    if !Path::new("/proc/self/stat").exists() {
        println!("skipped: worker processes cannot be found without /proc");
        return;
    }
    let kills = std::env::var("DRRA_HOSTILE").ok().and_then(|n| n.parse().ok()).unwrap_or(KILLS);
    for design in ["good", "bad"] {
        let dir = tempfile::tempdir().unwrap();
        let cases = 30 + 5 * kills;
        let never = AtomicBool::new(false);
        let whole = run(design, &settings(cases, None), &never).summary;
        assert_eq!(whole.failed > 0, design == "bad");
        let folder = dir.path().join("killed");
        let mut rng = ChaCha8Rng::seed_from_u64(kills);
        let mut child = start(design, cases, &folder);
        for kill in 0..kills {
            std::thread::sleep(Duration::from_millis(rng.next_u64() % 400));
            let harm = HARMS[kill as usize % HARMS.len()];
            do_harm(harm, &mut child);
            // A campaign that has ended is started again; any other campaign continues.
            if child.try_wait().unwrap().is_some() {
                child = start(design, cases, &folder);
            }
        }
        while child.wait().unwrap().code() != Some(0) {
            child = start(design, cases, &folder);
        }
        assert_eq!(timeless(&summary_of(&folder)), timeless(&whole), "{design}, {kills} kills");
        println!("{design}: {kills} kills, {} failing cases of {cases}", whole.failed);
    }
}

/// A failing case whose worker is killed counts as if it had not been.
pub(crate) fn a_killed_case_is_complete() {
    if !cfg!(unix) {
        println!("skipped: there are no signals");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let summary = |mark: &str| {
        let name = format!("killed:{}", dir.path().join(mark).display());
        run(&name, &settings(60, None), &AtomicBool::new(false)).summary
    };
    let killed = summary("mark");
    assert!(dir.path().join("mark").exists() && killed.failed > 0);
    // The file exists, so nothing is killed.
    assert_eq!(timeless(&killed), timeless(&summary("mark")));
}

/// Starts a campaign in a separate process.
fn start(design: &str, cases: u64, folder: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["campaign", design, &cases.to_string()]).arg(folder);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn do_harm(harm: Disturbance, child: &mut Child) {
    let campaign = child.id();
    let worker = children(campaign).first().copied();
    match (harm, worker) {
        (Disturbance::KillCampaign, _) => signal("KILL", campaign),
        (Disturbance::KillBoth, Some(worker)) => {
            signal("KILL", worker);
            signal("KILL", campaign);
        }
        (Disturbance::Term, _) => signal("TERM", campaign),
        (Disturbance::StopCampaign, _) => {
            signal("STOP", campaign);
            std::thread::sleep(Duration::from_millis(300));
            signal("CONT", campaign);
        }
        (Disturbance::KillWorker, Some(worker)) => signal("KILL", worker),
        // The watchdog ends the worker.
        (Disturbance::StopWorker, Some(worker)) => signal("STOP", worker),
        // There is no worker at this moment.
        (Disturbance::KillBoth | Disturbance::KillWorker | Disturbance::StopWorker, None) => {}
    }
    if matches!(harm, Disturbance::KillCampaign | Disturbance::KillBoth | Disturbance::Term) {
        child.wait().unwrap();
    }
}

/// Sends a signal to a process, which may have ended.
pub(crate) fn signal(name: &str, process: u32) {
    let mut kill = Command::new("kill");
    kill.args([&format!("-{name}"), &process.to_string()]).stderr(Stdio::null());
    kill.status().unwrap();
}

/// The child processes of a process.
fn children(parent: u32) -> Vec<u32> {
    let numbers = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    // `1234 (name) S 1233 ...`
    let parent_of = |process: u32| -> Option<u32> {
        let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        text.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
    };
    numbers.filter(|process| parent_of(*process) == Some(parent)).collect()
}
