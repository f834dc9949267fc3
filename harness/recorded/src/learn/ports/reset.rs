// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reset: a bit that changes once, before anything is driven.

use super::super::{common::Common, recording::Recordings};
use crate::{
    dump::{DumpError, Shown},
    frames::Edge,
};

#[derive(Clone, Debug)]
pub(in super::super) struct Reset {
    pub(in super::super) signal: usize,
    /// It is 1 in reset.
    pub(in super::super) high: bool,
    /// By recording: the first edge that samples it as inactive.
    pub(in super::super) ends: Vec<u64>,
}

/// Level, and edge of the only change from one known level to the other; more changes are none.
#[derive(Clone, Copy, Default)]
struct Once {
    level: Option<bool>,
    change: Option<u64>,
    more: bool,
}

/// Looks for the reset; `first` is by recording the first edge at which something is driven.
pub(super) fn find(
    common: &Common,
    recordings: Recordings<'_>,
    clock: (usize, Edge),
    first: &[Option<u64>],
) -> Result<Option<Reset>, DumpError> {
    let mut candidates: Vec<(usize, Option<bool>, Vec<u64>)> =
        common.of_width(&[1]).into_iter().map(|n| (n, None, Vec::new())).collect();
    for (n, dump) in recordings.dumps() {
        let wanted: Vec<usize> = candidates.iter().map(|(signal, ..)| *signal).collect();
        let mut seen = vec![Once::default(); common.signals.len()];
        common.edges((dump, n), clock, &wanted, &mut |edge, changes| {
            for (signal, shown) in changes {
                let Shown::Bits(bits) = shown else { continue };
                let (once, level) = (&mut seen[*signal], bits.bit(0));
                if once.level.is_some() && level != once.level {
                    once.more |= once.change.is_some();
                    once.change = Some(edge);
                }
                once.level = level;
            }
        })?;
        candidates.retain_mut(|(signal, inactive, ends)| {
            let once = seen[*signal];
            let (Some(level), Some(edge), false) = (once.level, once.change, once.more) else {
                return false;
            };
            let before = first[n].is_none_or(|first| edge <= first);
            let same = inactive.is_none_or(|inactive| inactive == level);
            *inactive = Some(level);
            ends.push(edge);
            before && same
        });
    }
    let named = |signal: usize| {
        let path = common.signals[signal].path.to_lowercase();
        let name = path.rsplit('.').next().unwrap_or_default();
        !(name.contains("rst") || name.contains("reset"))
    };
    let best = candidates.into_iter().min_by_key(|(n, ..)| (named(*n), common.rank(*n)));
    Ok(best.map(|(signal, inactive, ends)| Reset { signal, high: inactive != Some(true), ends }))
}
