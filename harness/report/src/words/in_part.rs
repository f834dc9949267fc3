// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is compared in some of the cycles only.

use crate::data::Compared;

impl Compared {
    /// The share of what is compared in some of the cycles only.
    pub(super) fn in_part(&self) -> Option<String> {
        let all = self.compared().bits * self.cycles;
        let left_out = all.checked_sub(self.bit_cycles).filter(|bits| *bits > 0)?;
        let percent = 100.0 * left_out as f64 / all as f64;
        let share =
            if percent < 0.1 { "under 0.1 %".to_owned() } else { format!("{percent:.1} %") };
        Some(format!(
            "{share} of these bits, summed over the cycles: a condition of the map did not hold, or a content was not \
             known"
        ))
    }
}
