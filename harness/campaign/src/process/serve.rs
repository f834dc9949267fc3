// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a worker process does.

use std::{
    cell::OnceCell,
    fs::File,
    io::{self, BufRead, Write},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use drra_lockstep::{Heartbeat, Setup, heartbeat};

use super::{
    printed::{BEGIN, END},
    task::{Answer, Task},
};
use crate::{
    Cases, Settings,
    error::Trouble,
    exam::{self, Exam},
    runner::Runner,
};

/// Time between two signs of life.
const BEAT: Duration = Duration::from_millis(500);

/// Does what standard input asks for, a task per line, until it is closed. Answers go to what is standard output
/// now; what anybody prints to standard output from now on goes to standard error.
///
/// # Errors
/// If the pipes cannot be used, or a line is no task: no campaign started this process then.
pub fn serve(setup: &Setup<'_>) -> io::Result<()> {
    let answers = Answers(Arc::new(Mutex::new(take_stdout()?)));
    keep_beating(answers.clone())?;
    answers.beat()?;
    let cases = OnceCell::new();
    let mut runner = None;
    for line in io::stdin().lock().lines() {
        let task: Task = serde_json::from_str(&line?)?;
        mark(BEGIN)?;
        let answer = match task {
            Task::Campaign { profile, seed, bins } => {
                let settings = Settings { profile: *profile, seed, ..Settings::default() };
                let made = || Cases::directed_at(&bins, settings);
                let cases = cases.get_or_init(made);
                runner = Some(Runner::new(*setup, cases));
                continue;
            }
            Task::Case { number } => {
                let runner = runner.as_mut().ok_or(io::ErrorKind::InvalidInput)?;
                runner.run(number, None).map(|record| Answer::Finished(Box::new(record)))
            }
            Task::Exam { case, cycles, report, how } => {
                let case = drra_case::parse(&case).map_err(io::Error::other)?;
                let (ending, report) = (how.ending.as_ref(), report.as_deref());
                let exam = Exam { cycles, ending, report, ..Exam::of(&case) };
                let examined = with_teller(&answers, how.telling, |tell| {
                    exam::examine_telling(&exam, setup, tell)
                });
                examined.map(|examined| Answer::Examined(Box::new(examined)))
            }
        };
        mark(END)?;
        answers.say(&answer.unwrap_or_else(|e| Answer::Failed(Trouble::from(&e))))?;
    }
    Ok(())
}

/// Says from time to time that this process lives. Who is not heard any more ends, whatever the design does.
fn keep_beating(answers: Answers) -> io::Result<()> {
    let beating = std::thread::Builder::new().spawn(move || {
        loop {
            std::thread::sleep(BEAT);
            if answers.beat().is_err() {
                std::process::exit(0);
            }
        }
    });
    beating.map(drop)
}

/// Gives an action what tells cycles, from one on.
fn with_teller<T>(
    answers: &Answers,
    from: Option<u64>,
    action: impl FnOnce(Option<&mut dyn FnMut(u64)>) -> T,
) -> T {
    let Some(from) = from else { return action(None) };
    action(Some(&mut |cycle| {
        if cycle >= from {
            // A parent that is gone is noticed elsewhere.
            let _ = answers.say(&Answer::Cycle(cycle));
        }
    }))
}

/// Where answers go.
#[derive(Clone)]
struct Answers(Arc<Mutex<File>>);

impl Answers {
    fn beat(&self) -> io::Result<()> {
        let Heartbeat { count, cycle } = heartbeat();
        self.say(&Answer::Beat { beats: count, cycle })
    }

    fn say(&self, answer: &Answer) -> io::Result<()> {
        let mut line = serde_json::to_vec(answer)?;
        line.push(b'\n');
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line)
    }
}

/// Separates what is printed about one task from what is printed about the next one.
fn mark(mark: u8) -> io::Result<()> {
    io::stderr().write_all(&[mark])
}

/// Takes standard output for answers; what a design prints there goes to standard error then.
#[cfg(unix)]
fn take_stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    let own = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(File::from(own))
}

/// Takes standard output for answers. What a design prints there is passed by the reader, line by line.
#[cfg(not(unix))]
fn take_stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}
