// SPDX-License-Identifier: MIT OR Apache-2.0
//! Estimates whether a campaign is long enough, by the probability that further cases show something new.

/// Further cases covered by the estimate.
pub const AHEAD: u64 = 1000;
/// A variable with standard normal distribution exceeds this value with a probability of 5 %.
const NORMAL_95: f64 = 1.644_853_627;
/// Added to the bound, because the spread is itself an estimate. This is the smallest value, found by simulation, for
/// which the bound holds for equally rare events, however rare they are.
const SPREAD_OF_SPREAD: f64 = 1.5;

/// Upper bound, at 95 % confidence, of the probability that the next [`AHEAD`] cases show something new, given the
/// numbers of events seen `once` and `twice` in `cases` cases.
///
/// The Good-Turing estimate of the probability per case is `once / cases`. The error of `once` has the variance
/// v = `once + 2 twice` (Robbins; Esty). The bound adds p(v) - v to `once`, where p(v) is the largest mean of a Poisson
/// distribution that yields at most v with a probability of 5 %, and 1.5 if any event was seen once or twice, because
/// the spread is itself an estimate.
pub fn of_something_new(once: u64, twice: u64, cases: u64) -> f64 {
    if cases == 0 {
        return 1.0;
    }
    let variance = once as f64 + 2.0 * twice as f64;
    let more = if once + twice > 0 { SPREAD_OF_SPREAD } else { 0.0 };
    let most = once as f64 + poisson_bound(variance) - variance + more;
    let per_case = (most / cases as f64).min(1.0);
    let none = (1.0 - per_case).powf(AHEAD as f64);
    // Rounded to six decimal places, because the last bits of a power differ between platforms.
    ((1.0 - none) * 1e6).round() / 1e6
}

/// The largest mean for which a Poisson distribution yields at most `found` with a probability of 5 % (Wilson-Hilferty
/// approximation).
fn poisson_bound(found: f64) -> f64 {
    let freedom = 2.0 * (found + 1.0);
    let spread = 2.0 / (9.0 * freedom);
    freedom / 2.0 * (1.0 - spread + NORMAL_95 * spread.sqrt()).powi(3)
}
