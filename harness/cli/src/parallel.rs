// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work that can be done in any order, by several threads.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use super::{error::CommandError, worker};

/// The results for the numbers below `count`, in their order. Without a number of threads there are as many as cores.
/// After an error the threads end what they are at.
pub(super) fn in_order<T: Send>(
    jobs: Option<u32>,
    count: usize,
    work: impl Fn(usize) -> Result<T, CommandError> + Sync,
) -> Result<Vec<T>, CommandError> {
    let jobs = worker::number(jobs);
    let (next, results) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    thread::scope(|scope| {
        for _ in 0..jobs.min(count) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    let result = work(number);
                    if result.is_err() {
                        next.store(count, Ordering::Relaxed);
                    }
                    results.lock().unwrap_or_else(PoisonError::into_inner).insert(number, result);
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}
