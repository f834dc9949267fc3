// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a design may take.

use std::time::Duration;

use clap::Args as ClapArgs;

use crate::time::Time;

/// How long a design may take.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct Watchdog {
    /// A design that takes longer for a clock cycle hangs
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = Time::more_than_nothing)]
    watchdog: Time,
}

impl From<Watchdog> for Duration {
    fn from(watchdog: Watchdog) -> Self {
        watchdog.watchdog.into()
    }
}
