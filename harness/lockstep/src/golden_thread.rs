// SPDX-License-Identifier: MIT OR Apache-2.0
//! A second thread that steps the golden model while the design evaluates the same edge.

use std::{
    hint,
    ops::{Deref, DerefMut},
    sync::mpsc::{self, Receiver, SyncSender},
    thread::{Builder, Scope},
    time::{Duration, Instant},
};

use crate::golden_run::GoldenRun;

/// Number of times that a thread looks for the other one, which usually comes within microseconds, before it sleeps. A
/// sleeping thread costs no processor time, so a design that hangs is not charged for the thread that waits for it.
const LOOKS: u32 = 2_000;
/// Half the number of cycles in which each way is tried; the second half is timed, when a sleeping thread has woken up.
const HALF: u64 = 64;
/// Number of cycles from a trial to the next one.
const PERIOD: u64 = 64 * HALF;

/// A golden model, which is here except while the other thread steps it.
pub(crate) struct Golden<'a>(Option<Box<GoldenRun<'a>>>);

impl<'a> Golden<'a> {
    pub(crate) fn new(run: GoldenRun<'a>) -> Self {
        Self(Some(Box::new(run)))
    }
}

impl<'a> Deref for Golden<'a> {
    type Target = GoldenRun<'a>;

    fn deref(&self) -> &GoldenRun<'a> {
        self.0.as_ref().expect(HERE)
    }
}

impl DerefMut for Golden<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0.as_mut().expect(HERE)
    }
}

const HERE: &str = "the golden model returns from every step";

/// The other thread. It is used while that is faster, which depends on how far apart the two processors are, and on
/// their other work.
pub(crate) struct GoldenThread<'a> {
    to: SyncSender<Box<GoldenRun<'a>>>,
    back: Receiver<Box<GoldenRun<'a>>>,
    /// Number of cycles since the start of the last trial, and from there to the next one.
    cycle: u64,
    period: u64,
    /// Start of what is being timed, and the time that it took with the thread.
    start: Instant,
    with_thread: Duration,
    /// Result of the last trial.
    is_faster: bool,
}

impl<'a> GoldenThread<'a> {
    /// Starts the thread, which ends when this is dropped; `None` if the system has no thread left.
    pub(crate) fn start<'scope>(scope: &'scope Scope<'scope, '_>) -> Option<Self>
    where
        'a: 'scope,
    {
        let (to, given) = mpsc::sync_channel::<Box<GoldenRun<'a>>>(1);
        let (give, back) = mpsc::sync_channel(1);
        let steps = move || {
            while let Some(mut golden) = look(&given).or_else(|| given.recv().ok()) {
                golden.step();
                golden.fabric.pack();
                if give.send(golden).is_err() {
                    break;
                }
            }
        };
        Builder::new().spawn_scoped(scope, steps).ok()?;
        let (start, with_thread) = (Instant::now(), Duration::ZERO);
        Some(Self { to, back, cycle: 0, period: PERIOD, start, with_thread, is_faster: true })
    }

    /// Steps the golden model and packs its registers; this thread does something else meanwhile.
    pub(crate) fn step<R>(&self, golden: &mut Golden<'a>, meanwhile: impl FnOnce() -> R) -> R {
        if let Some(golden) = golden.0.take() {
            // If the thread has ended, nothing comes back.
            let _ = self.to.send(golden);
        }
        let result = meanwhile();
        golden.0 = look(&self.back).or_else(|| self.back.recv().ok());
        result
    }

    /// Whether to use the thread in the next cycle: first with and without it, then as was faster. If that was without
    /// it, the next trial comes soon, and later after each trial with the same result.
    pub(crate) fn is_used(&mut self) -> bool {
        let now = self.cycle;
        match now / HALF {
            _ if !now.is_multiple_of(HALF) => {}
            1 | 3 => self.start = Instant::now(),
            2 => self.with_thread = self.start.elapsed(),
            4 => {
                let is_faster = self.with_thread < self.start.elapsed();
                self.period = match (self.is_faster, is_faster) {
                    (_, true) => PERIOD,
                    (true, false) => PERIOD / 4,
                    (false, false) => 2 * self.period,
                };
                self.is_faster = is_faster;
            }
            _ => {}
        }
        self.cycle = (now + 1) % self.period;
        now < 2 * HALF || now >= 4 * HALF && self.is_faster
    }
}

/// The next value from the other thread; `None` if it does not come soon.
fn look<T>(from: &Receiver<T>) -> Option<T> {
    (0..LOOKS).find_map(|_| {
        hint::spin_loop();
        from.try_recv().ok()
    })
}
