// SPDX-License-Identifier: MIT OR Apache-2.0
//! A second thread that steps the golden model while the design evaluates the same edge.

use std::{
    hint,
    ops::{Deref, DerefMut},
    sync::mpsc::{self, Receiver, SyncSender},
    thread::{Builder, Scope},
};

use crate::golden_run::GoldenRun;

/// Number of times that a thread looks for the other one, which usually comes within microseconds, before it sleeps. A
/// sleeping thread costs no processor time, so a design that hangs is not charged for the thread that waits for it.
const LOOKS: u32 = 2_000;
/// A run goes on with one thread if that one had to sleep in more than one of this number of cycles, not counting the
/// first few times: the processors have other work to do, and to wake a thread would take longer than a step.
const CYCLES_PER_SLEEP: u32 = 4_096;
const FIRST_SLEEPS: u32 = 8;

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

/// The other thread.
pub(crate) struct GoldenThread<'a> {
    to: SyncSender<Box<GoldenRun<'a>>>,
    back: Receiver<Box<GoldenRun<'a>>>,
    /// Number of cycles, and number of times that this thread had to sleep.
    cycles: u32,
    sleeps: u32,
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
        Some(Self { to, back, cycles: 0, sleeps: 0 })
    }

    /// Steps the golden model and packs its registers; this thread does something else meanwhile.
    pub(crate) fn step<R>(&mut self, golden: &mut Golden<'a>, meanwhile: impl FnOnce() -> R) -> R {
        if let Some(golden) = golden.0.take() {
            // If the thread has ended, nothing comes back.
            let _ = self.to.send(golden);
        }
        let result = meanwhile();
        golden.0 = look(&self.back).or_else(|| {
            self.sleeps += 1;
            self.back.recv().ok()
        });
        self.cycles = self.cycles.saturating_add(1);
        result
    }

    /// True if the processors have time for both threads.
    pub(crate) fn is_faster(&self) -> bool {
        self.sleeps <= FIRST_SLEEPS + self.cycles / CYCLES_PER_SLEEP
    }
}

/// The next value from the other thread; `None` if it does not come soon.
fn look<T>(from: &Receiver<T>) -> Option<T> {
    (0..LOOKS).find_map(|_| {
        hint::spin_loop();
        from.try_recv().ok()
    })
}
