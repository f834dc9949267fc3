// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cases in worker processes: this program once more, with a hidden command.

use std::{path::Path, process::Command, sync::atomic::AtomicBool};

use drra_campaign::{
    Here, Place,
    process::{Limits, Processes, serve},
};
use drra_lockstep::{Design, Setup};

use super::{
    Exit,
    error::{CommandError, tool},
};

/// The hidden command.
pub(super) const COMMAND: &str = "worker";

/// Starts a worker. On Linux that is the program that runs, even if another one has its name by now.
fn command() -> Command {
    let running = Path::new("/proc/self/exe");
    let program = match std::env::current_exe() {
        Ok(path) if !running.exists() => path,
        _ => running.to_owned(),
    };
    let mut command = Command::new(program);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, "drra");
    command.arg(COMMAND);
    command
}

/// How many cases are run at the same time: as many as there are cores if it is not given.
pub(super) fn number(given: Option<u32>) -> usize {
    given.map_or_else(
        || std::thread::available_parallelism().map_or(1, usize::from),
        |jobs| jobs as usize,
    )
}

/// Where single cases run. What their design prints is shown.
pub(super) fn processes(stop: &AtomicBool, limits: Limits) -> Processes<'_> {
    Processes::new(&command, stop).with_limits(limits)
}

/// Where the cases of a campaign run: builds that count lines and toggles sum them up in one process.
pub(super) fn place<'a>(
    design: &dyn Design,
    stop: &'a AtomicBool,
    limits: Limits,
) -> Box<dyn Place + 'a> {
    if design.counts().is_some() { Box::new(Here) } else { Box::new(processes(stop, limits)) }
}

/// A worker: it does what it is asked for. Signals are for the process that started it.
pub(super) fn run(setup: &Setup<'_>) -> Result<Exit, CommandError> {
    ctrlc::set_handler(|| {}).map_err(tool)?;
    serve(setup).map_err(tool)?;
    Ok(Exit::Agreed)
}
