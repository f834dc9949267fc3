// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many coverage bins the cases of a campaign hit on the golden model alone, and which they do
//! not: for whoever adds bins.
//!
//! `cargo run --release -p drra-campaign --example reach -- PROFILE SEED SECONDS JOBS [plain|list]`;
//! `plain`: no case is directed at a bin; `list`: each bin that was not hit, and whether cases can be
//! directed at it.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use drra_campaign::{Cases, Settings, case_seed};
use drra_coverage::{Collector, Coverage, Target, groups};
use drra_generate::{Profile, generate};
use drra_isa::Geometry;
use drra_lockstep::{EndRule, LockstepRun};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, default| args.get(k).and_then(|a| a.parse().ok()).unwrap_or(default);
    let name = args.first().map_or("default", String::as_str);
    let profile = Profile::shipped(name).expect("a shipped profile");
    let (seed, seconds, jobs) = (number(1, 1), number(2, 30), number(3, 1));
    let plain = args.get(4).is_some_and(|a| a == "plain");
    let geometry = Geometry::default();
    let settings = Settings { profile: profile.clone(), seed, ..Settings::default() };
    let cases = Cases::new(settings);
    let (next, known) = (AtomicU64::new(0), Mutex::new(Coverage::default()));
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let mut collector = Collector::new();
                while start.elapsed() < Duration::from_secs(seconds) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let case = if plain {
                        generate(&profile, case_seed(seed, number), &geometry).case
                    } else {
                        cases.case(number)
                    };
                    collector.start(&case);
                    let end = EndRule::at(case.cycles.unwrap_or(0));
                    LockstepRun::alone(&case).run(end, &mut collector);
                    let bins: Vec<u32> = collector.bins().collect();
                    known.lock().expect("no worker panics").add(&bins);
                }
            });
        }
    });
    let coverage = known.into_inner().expect("no worker panics");
    let mut sums = [0; 3];
    for (group, counts) in groups().iter().zip(coverage.groups()) {
        println!(
            "{}: {} of {}, {} excluded",
            counts.name, counts.hit, counts.bins, counts.excluded
        );
        for (sum, add) in sums.iter_mut().zip([counts.hit, counts.bins, counts.excluded]) {
            *sum += add;
        }
        for label in coverage.refuted(group) {
            println!("    excluded but hit: {label}");
        }
        if args.get(4).is_some_and(|a| a == "list") {
            for bin in coverage.open(group) {
                let directed = if Target::new(group, bin).is_some() { "" } else { ", undirected" };
                println!("    not hit: {}{directed}", group.label(bin));
            }
        }
    }
    let [hit, bins, excluded] = sums;
    let cases = next.into_inner();
    println!("all: {hit} of {bins}, {excluded} excluded; {cases} cases, {seconds} s, {jobs} jobs");
}
