// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bound of the probability that further cases show something new.

use drra_campaign::estimate::{AHEAD, of_something_new};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn bounds_of_few_and_many() {
    let near = |found: f64, exact: f64| (found - exact).abs() < 0.01 * exact;
    assert_eq!(of_something_new(5, 0, 5), 1.0);
    assert_eq!(of_something_new(0, 0, 0), 1.0);
    assert_eq!(of_something_new(0, 0, 1), 1.0);
    // Exact Poisson bounds: 2.9957 for 0, 4.7439 for 1, and 9.1535 for 4, in millions of cases. The bound adds to the
    // number of events the amount by which the bound of their variance exceeds the variance, and 1.5.
    for (once, twice, exact) in [(0, 0, 2.9957), (1, 0, 4.7439 + 1.5), (2, 1, 9.1535 - 2.0 + 1.5)] {
        let bound = of_something_new(once, twice, 1_000_000) * 1000.0;
        assert!(
            near(bound, 1000.0 * (1.0 - f64::exp(-exact / 1000.0))),
            "{once}, {twice}: {bound}"
        );
    }
    // 1 - (1 - 2.9957/10000)^1000
    assert!(near(of_something_new(0, 0, 10_000), 0.258_9));
    assert!(near(of_something_new(0, 0, 10_000_000), 0.000_299_5));
    assert!(of_something_new(3, 1, 10_000) < of_something_new(3, 2, 10_000));
}

/// Simulates how often an event with this probability per case occurs in a number of cases.
fn seen(chance: f64, cases: u64, rng: &mut ChaCha8Rng) -> u64 {
    let (mut count, mut case) = (0, 0.0);
    loop {
        // The number of cases until it occurs again has a geometric distribution.
        let uniform: f64 = 1.0 - rng.random::<f64>();
        case += 1.0 + (uniform.ln() / (-chance).ln_1p()).floor();
        if case > cases as f64 {
            return count;
        }
        count += 1;
    }
}

/// The number of simulated campaigns, out of 1000, whose bound is correct, for events with these average numbers of
/// occurrences.
fn holding(averages: &[f64], cases: u64, rng: &mut ChaCha8Rng) -> u32 {
    let mut holding = 0;
    for _ in 0..1000 {
        let (mut once, mut twice, mut none_new) = (0, 0, 1.0);
        for average in averages {
            let chance = average / cases as f64;
            match seen(chance, cases, rng) {
                0 => none_new *= (AHEAD as f64 * (-chance).ln_1p()).exp(),
                1 => once += 1,
                2 => twice += 1,
                _ => {}
            }
        }
        // The bound is rounded to six decimal places.
        let bound = of_something_new(once, twice, cases);
        holding += u32::from(bound >= 1.0 - none_new - 1e-6);
    }
    holding
}

/// In simulated campaigns, the probability of unseen events is known, and the bound is correct about as often as it
/// claims.
#[test]
fn the_bound_holds_in_simulated_campaigns() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    let equal = |average: f64, things: usize| vec![average; things];
    let falling = |factor: f64| (0..60).map(|i| 300.0 * f64::powi(factor, i)).collect();
    let mixed = [3.1, 5.0, 8.0, 0.5, 0.1].repeat(5);
    let zipf = (1..200).map(|i| 60.0 / f64::from(i)).collect();
    for (name, averages) in [
        ("one rare event", equal(3.1, 1)),
        ("a few rare events", equal(3.5, 4)),
        ("many rare events", equal(3.0, 300)),
        ("many events that most campaigns see", equal(7.0, 100)),
        ("very many events, almost all seen", equal(8.5, 300)),
        ("geometric", falling(0.9)),
        ("steep", falling(0.5)),
        ("Zipf", zipf),
        ("mixed", mixed),
    ] {
        for cases in [5_000, 200_000] {
            let holding = holding(&averages, cases, &mut rng);
            assert!(holding >= 930, "{name}, {cases} cases: holds in {holding} of 1000");
        }
    }
}
