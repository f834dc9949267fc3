// SPDX-License-Identifier: MIT OR Apache-2.0
//! Coverage steers a campaign: its first cases run on the golden model alone beforehand, and every
//! fourth case is directed at bins that they leave empty. That depends on profile and seed alone,
//! so that workers, shards and interruptions change nothing.

use drra_coverage::Collector;
use drra_coverage::Coverage;
use drra_coverage::Target;
use drra_generate::Extra;
use drra_generate::Generated;
use drra_generate::generate;
use drra_generate::generate_with;
use drra_isa::Geometry;
use drra_isa::Revision;
use drra_lockstep::EndRule;
use drra_lockstep::Pair;
use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::Settings;
use super::case_seed;

/// Cases that are run beforehand.
const PROBED: u64 = 256;
/// One of so many cases is directed.
const PERIOD: u64 = 4;
/// Bins at which such a case is directed.
const BINS: usize = 4;

/// The bins at which cases are directed.
#[derive(Clone, Debug)]
pub(super) struct Steering {
    holes: Vec<Target>,
}

impl Steering {
    /// Looks for bins that the first cases of a campaign do not hit.
    pub(super) fn new(settings: &Settings, geometry: &Geometry) -> Self {
        let mut coverage = Coverage::default();
        let mut collector = Collector::new(geometry);
        for case in 0..PROBED {
            let seed = case_seed(settings.seed, case);
            let case = generate(&settings.profile, seed, geometry).case;
            collector.start(case.straps(geometry));
            let end = EndRule::at(case.cycles.unwrap_or(0));
            Pair::alone(&case, geometry).run(end, &mut collector);
            coverage.add(&collector.bins().collect::<Vec<_>>());
        }
        Self { holes: coverage.targets() }
    }

    /// A case of the campaign.
    pub(super) fn case(&self, settings: &Settings, case: u64, geometry: &Geometry) -> Generated {
        let seed = case_seed(settings.seed, case);
        if case % PERIOD != PERIOD - 1 || self.holes.is_empty() {
            return generate(&settings.profile, seed, geometry);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let first = (case / PERIOD) as usize * BINS;
        let extras: Vec<Vec<Extra>> = (first..first + BINS)
            .map(|k| recipe(&self.holes[k % self.holes.len()], &mut rng))
            .collect();
        generate_with(&settings.profile, seed, geometry, &extras)
    }
}

/// An instruction with these fields.
fn extra(name: &str, fields: &[(&str, u64)]) -> Extra {
    let fields = fields.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect();
    Extra { name: name.to_owned(), fields, immediate: true }
}

/// Instructions that hit a bin as far as instructions alone can.
fn recipe(target: &Target, rng: &mut ChaCha8Rng) -> Vec<Extra> {
    let k = &target.index;
    // A number of a class whose lower limits are given: 0 below the first.
    let mut of = |class: usize, limits: &[u64], top: u64| match class {
        0 => 0,
        c => rng.random_range(limits[c - 1]..limits.get(c).copied().unwrap_or(top)),
    };
    let levels = |k: usize| [(k & 1) as u64 * 5, (k >> 1) as u64 * 2];
    let port =
        |agu: usize| [("port_no", [0, 1, 0, 2, 3, 2][agu]), ("dimarch", u64::from(agu % 3 == 2))];
    match target.group {
        "DPU configuration" => vec![
            extra("BW", &[("config", k[3] as u64)]),
            extra(
                "DPU",
                &[
                    ("mode", k[0] as u64),
                    ("control", k[1] as u64),
                    ("io_change", k[2] as u64),
                    ("acc_clear", of(1, &[0], 256)),
                ],
            ),
        ],
        "switchbox" => vec![extra(
            "SWB",
            &[
                ("src_block", k[0] as u64 >> 1),
                ("src_port", k[0] as u64 & 1),
                ("v_index", k[1] as u64),
                ("hb_index", k[2] as u64),
                ("send_to_other_row", k[3] as u64),
            ],
        )],
        "AGU launch" => {
            let [l1, l2] = levels(k[1]);
            let mut refi = extra("REFI", &port(k[0]));
            refi.fields.extend([("l1_iter".into(), l1), ("l2_iter".into(), l2)]);
            refi.fields.push(("init_delay".into(), of(k[2], &[1, 2], 10)));
            let mut all = vec![refi.clone()];
            if k[3] == 1 {
                let mut busy = extra("REFI", &port(k[0]));
                busy.fields.push(("l1_iter".into(), 40));
                all.insert(0, busy);
            }
            all
        }
        "AGU pattern" => {
            let mut refi = extra("REFI", &port(k[0]));
            refi.fields.extend([
                ("l1_iter".into(), 5),
                ("l2_iter".into(), 2),
                ("l1_delay".into(), (k[1] as u64 & 1) * 2),
                ("l2_delay".into(), (k[1] as u64 >> 1) * 3),
                ("l1_step_sign".into(), k[2] as u64),
            ]);
            vec![refi]
        }
        "loops" => {
            // Slots that end where no program gets by itself stay active.
            let others = (0..4).filter(|s| *s != k[0]).take(k[1]);
            let mut all: Vec<Extra> = others
                .map(|s| extra("LOOP", &[("loopid", s as u64), ("endpc", 63), ("iter", 3)]))
                .collect();
            let iter = of(k[2], &[1, 2], 9);
            all.push(extra("LOOP", &[("loopid", k[0] as u64), ("endpc", 63), ("iter", iter)]));
            all
        }
        "RACCU" => vec![extra(
            "RACCU",
            &[
                ("mode", k[0] as u64),
                ("operand1_sd", k[1] as u64),
                ("operand2_sd", k[2] as u64),
                ("operand1", of(1, &[0], 128)),
                ("operand2", of(1, &[0], 128)),
            ],
        )],
        "BRANCH" => vec![extra("BRANCH", &[("mode", k[0] as u64), ("false_pc", of(1, &[0], 64))])],
        "NoC path" => vec![extra(
            "ROUTE",
            &[
                ("direction", k[0] as u64),
                ("vertical_dir", k[1] as u64),
                ("vertical_hops", of(k[2], &[1, 2], 8)),
                ("horizontal_dir", k[3] as u64),
                ("horizontal_hops", of(k[4], &[1, 2, 4], 8)),
            ],
        )],
        "SRAM pattern" => {
            let [l1, l2] = levels(k[2]);
            vec![
                extra("ROUTE", &[("vertical_dir", 1), ("horizontal_dir", 1)]),
                extra(
                    "SRAM",
                    &[
                        ("rw", k[0] as u64),
                        ("hops", of(k[1], &[1, 2, 3], 16)),
                        ("l1_iter", l1),
                        ("l2_iter", l2),
                        ("init_delay", of(k[3], &[1], 16)),
                    ],
                ),
            ]
        }
        "IO pattern" => vec![extra(
            "IO",
            &[
                ("rw", k[0] as u64),
                ("l1_iter", of(k[1], &[1], 8)),
                ("init_delay", of(k[2], &[1], 16)),
                ("mask", [0, 0x00f0, 0xffff][k[3]]),
            ],
        )],
        "PERM distance" => {
            let distance = [0, 5, 16, 40][k[1]];
            vec![extra("PERM", &[("mode", k[0] as u64), ("distance", distance)])]
        }
        _ => fields(target, rng),
    }
}

/// An instruction with a field of a certain class, or with or without its flag.
fn fields(target: &Target, rng: &mut ChaCha8Rng) -> Vec<Extra> {
    let Some(name) = target.group.strip_suffix(" fields") else { return Vec::new() };
    let instruction = Revision::R4.isa().by_name(name).expect("group of an instruction");
    let bin = target.index[0];
    if bin < 2 {
        return vec![Extra { immediate: bin == 0, ..extra(name, &[]) }];
    }
    let Some((field, value)) = drra_coverage::field_value(instruction, bin - 2) else {
        return Vec::new();
    };
    let top = (1u64 << field.width) - 1;
    let value = value.unwrap_or_else(|| rng.random_range(2..top - 1));
    vec![extra(name, &[(&field.name, value)])]
}
