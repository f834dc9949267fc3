// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constrained-random cases: a profile and a seed determine one case, the same on every platform.
//!
//! A case has three layers: sequences across cells, timed with the latency rules of the chapters so that data really
//! flow; mutations of their instructions; and noise. The code that runs the case measures the expected transfers.
//!
//! The crate does not run anything: it uses the latencies of the fabric, but no model.
//!
//! ```
//! use drra_generate::{Profile, generate};
//! use drra_isa::Geometry;
//!
//! let profile = Profile::shipped("smoke").unwrap();
//! let [one, two] = [7, 7].map(|seed| generate(&profile, seed, &Geometry::default()).case);
//! assert_eq!(one.stimulus, two.stimulus);
//! ```

mod constraint;
mod directed;
mod draw;
mod dynamic;
mod instruction;
mod mutate;
mod op;
mod operand;
mod plan;
mod ports;
mod preload;
mod profile;
mod scenario;
mod start;
mod transfer;

use std::collections::BTreeMap;

use drra_case::DirectedSequence;
use drra_case::{Case, CaseOrigin, IdlePorts, stimulus};
use drra_isa::{
    CellId, ColumnId, Geometry, MemoryImage, Opcode, ProgramImage, TileId,
    instructions::{jump, wait},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub use constraint::{
    Constraint, ConstraintError, ConstraintFault, FieldCondition, FieldValue, Situation,
};
pub use profile::{DataWeights, FabricWeights, Profile, ProfileError, SHIPPED, Scenario, schema};
pub use transfer::{Transfer, TransferKind};

use constraint::{Enforcer, ResolvedConstraints};
use op::{LONGEST_WAIT, Op};
use plan::{CasePlan, UnitMap};

/// Maximum number of usable words in a program. It is one less than the size of the memory, because the last word is
/// never counted (chapter 2, section 4).
const MAX_WORDS: usize = Geometry::PROGRAM_WORDS;

/// Maximum number of cells of a fabric whose cases can get very long WAITs.
const SMALL: usize = 4;

/// Stream of random numbers for rare choices; fabric sizes use another one.
const RARE: u64 = 2;

/// A case with the transfers that its sequences are expected to cause.
#[derive(Clone, Debug)]
pub struct GeneratedCase {
    /// The case to run.
    pub case: Case,
    /// Expected transfers of the sequences of the case.
    pub expected: Vec<Transfer>,
    /// First decode cycle of cell (0,0).
    pub first_decode: u64,
    /// Number of instructions of each kind in the programs, in the order of [`Opcode::ALL`], then that of raw words.
    pub kinds: Vec<u64>,
    /// Number of changes that each constraint of the profile caused, in the order of the constraints.
    pub replaced: Vec<u64>,
}

/// Generates the case of a seed.
///
/// # Panics
/// If the constraints of the profile leave no cell in a fabric of this size ([`Profile::fits`]).
pub fn generate(profile: &Profile, seed: u64, geometry: &Geometry) -> GeneratedCase {
    generate_with(profile, seed, geometry, &[])
}

/// Like [`generate`], with additional directed sequences, for which the sequences of the profile then leave cells
/// free; a directed sequence is omitted if there is no room for it.
///
/// # Panics
/// As for [`generate`].
pub fn generate_with(
    profile: &Profile,
    seed: u64,
    geometry: &Geometry,
    sequences: &[DirectedSequence],
) -> GeneratedCase {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut rare = rng.clone();
    rare.set_stream(RARE);
    let mut enforcer = Enforcer::new(profile.rules());
    let wanted = log_uniform(&mut rng, profile.cells).min(geometry.cells() as u64) as usize;
    let wanted = if sequences.is_empty() { wanted } else { wanted.min(geometry.cells() / 2) };
    let target = log_uniform(&mut rng, profile.cycles);
    let active = neighbours(&mut rng, geometry, enforcer.rules.most(wanted), &enforcer.rules);
    assert!(!active.is_empty(), "the constraints leave no cell of this fabric");
    let io_cells = active
        .iter()
        .copied()
        .filter(|_| rng.random_bool(profile.io_cells) && !enforcer.excludes(Situation::IoCells))
        .collect();

    let mut plan = CasePlan {
        lead: preload::lead(&enforcer.rules, geometry),
        enforcer,
        geometry: *geometry,
        data: profile.data,
        active,
        cells: UnitMap::new(geometry, CellId::all(geometry)),
        io_cells,
        memory: MemoryImage::default(),
        buffers: BTreeMap::new(),
        tile: UnitMap::new(geometry, TileId::all(geometry)),
        column: UnitMap::new(geometry, ColumnId::all(geometry)),
        expected: Vec::new(),
        accesses: Vec::new(),
        deferred: profile.deferred,
        spread: target / 3,
        end: 0,
        rng: &mut rng,
        rare,
    };
    for cell in plan.active.clone() {
        plan.fill_register_file(cell);
    }
    let weights: Vec<(Scenario, u32)> =
        profile.weights(&plan.enforcer.rules).filter(|(_, w)| *w > 0).collect();
    let most = (profile.scenarios_per_cell * plan.active.len() as f64).ceil() as u64;
    let count = if most == 0 { 0 } else { plan.rng.random_range(1..=most) };
    let mut tries = 0;
    let mut added = 0;
    while added < count && tries < 4 * count && plan.end < target {
        tries += 1;
        let Some(scenario) = draw::weighted(plan.rng, &weights) else { break };
        added += u64::from(scenario::add(&mut plan, scenario));
    }
    for sequence in sequences {
        directed::place(&mut plan, sequence);
    }
    finish(plan, profile, seed, target)
}

/// A number from `least` to `most`; every bit length is equally likely.
fn log_uniform(rng: &mut ChaCha8Rng, [least, most]: [u64; 2]) -> u64 {
    let bits = |v: u64| 64 - v.leading_zeros();
    let size = rng.random_range(bits(least)..=bits(most));
    let (low, high) = (1u64 << (size - 1), (1u64 << (size - 1)) * 2 - 1);
    rng.random_range(low.clamp(least, most)..=high.clamp(least, most))
}

/// Up to `count` usable cells close to each other, in ascending order.
fn neighbours(
    rng: &mut ChaCha8Rng,
    geometry: &Geometry,
    count: usize,
    rules: &ResolvedConstraints,
) -> Vec<CellId> {
    let centre = rng.random_range(0..geometry.cells());
    let distance = |cell: CellId| cell.col().abs_diff(centre % geometry.columns);
    let mut cells: Vec<(usize, u32, CellId)> =
        CellId::all(geometry).map(|c| (distance(c), rng.random(), c)).collect();
    cells.retain(|(_, _, c)| rules.forbids_cell(*c).is_none());
    cells.sort_unstable();
    let mut active: Vec<CellId> = cells.into_iter().take(count).map(|(_, _, c)| c).collect();
    active.sort_unstable();
    active
}

/// Builds the programs of the plan, mutates them, and builds the case around them.
fn finish(mut plan: CasePlan<'_>, profile: &Profile, seed: u64, target: u64) -> GeneratedCase {
    let mutations = if plan.rng.random_bool(profile.mutated) && profile.mutations > 0 {
        plan.rng.random_range(1..=profile.mutations)
    } else {
        0
    };
    preload::add(&mut plan);
    dynamic::move_operands(&mut plan, profile.dynamic);
    start::move_one(&mut plan, profile.moved_start);
    // A cycle takes the least time in a small fabric.
    let long = if plan.geometry.cells() <= SMALL { profile.long_waits } else { 0.0 };
    let target = target + start::wait_long(&mut plan, long);
    let mut programs: Vec<(CellId, Vec<Op>)> = plan
        .active
        .clone()
        .into_iter()
        .map(|c| (c, plan.aside(|plan| lay_out(plan, c, profile, target))))
        .collect();
    for _ in 0..mutations {
        let at = plan.rng.random_range(0..programs.len());
        mutate::mutate(&mut programs[at].1, plan.rng);
    }
    for (cell, ops) in &mut programs {
        let io_cell = plan.io_cells.contains(cell);
        for op in ops {
            *op = plan.enforcer.permitted(op.clone(), io_cell);
        }
    }
    let raw = Opcode::ALL.len();
    let mut kinds = vec![0; raw + 1];
    for op in programs.iter().flat_map(|(_, ops)| ops) {
        kinds[op.opcode.map_or(raw, Opcode::index)] += 1;
    }
    let mut program = ProgramImage::default();
    let unloaded = plan.enforcer.rules.excludes(Situation::UnloadedMemory).is_some();
    let most = if unloaded { MAX_WORDS } else { Geometry::IMEM_DEPTH };
    for (cell, ops) in &programs {
        let mut words = Vec::with_capacity(Geometry::IMEM_DEPTH);
        for op in ops {
            op.encode(&mut words);
        }
        words.truncate(most);
        program.set(*cell, words);
    }
    let straps = std::mem::take(&mut plan.io_cells);
    let program = plan.enforcer.repair(&plan.geometry, program, |cell| straps.contains(&cell));
    plan.leave_out_memory();

    let mut case = Case::new("", &plan.geometry, program, std::mem::take(&mut plan.memory));
    case.name = format!("{} {seed}", profile.name);
    case.seed = seed;
    case.origin = Some(CaseOrigin { profile: profile.name.clone(), seed });
    case.io_cells = straps;
    case.input_buffers =
        plan.buffers.iter().map(|((c, a), b)| (*c, *a, stimulus::block(b))).collect();
    if plan.rng.random_bool(profile.idle_ports) {
        case.idle_ports = IdlePorts::Random;
    }
    let loaded = case.stimulus.end();
    let first_decode = loaded + 1;
    // Some cases continue long after all activity has ended.
    let least = if plan.rng.random_bool(0.04) { target } else { target.min(20) };
    let span = plan.end.clamp(least, 2 * target + 40 + plan.lead);
    let mut cycles = first_decode + span + 12;
    ports::add(&mut plan, profile, &mut case, &mut cycles);
    case.cycles = Some(cycles);
    GeneratedCase {
        case,
        expected: plan.expected,
        first_decode,
        kinds,
        replaced: plan.enforcer.replaced,
    }
}

/// Program of a cell: timed operations with gaps in between, the tail, the end.
fn lay_out(plan: &mut CasePlan<'_>, cell: CellId, profile: &Profile, target: u64) -> Vec<Op> {
    let mut ops: Vec<Op> = Vec::with_capacity(Geometry::IMEM_DEPTH);
    let mut len = 0;
    let io_cell = plan.io_cells.contains(&cell);
    let noise =
        CellNoise { chance: profile.noise, raw: profile.raw, dynamic: profile.dynamic, io_cell };
    let mut tail = std::mem::take(&mut plan.cells[cell].tail);
    for t in &mut tail {
        t.op = plan.enforcer.permitted(t.op.clone(), io_cell);
    }
    let timed = std::mem::take(&mut plan.cells[cell].timed);
    // Cells without a task occasionally get a single word, because a program of one word ends in a special way
    // (chapter 2, 5.3).
    if tail.is_empty() && timed.is_empty() && plan.rng.random_bool(profile.noise.sqrt()) {
        return vec![single(plan, noise)];
    }
    let tail_len: usize = tail.iter().map(|t| t.op.len()).sum();
    let limit = if tail_len < 40 { MAX_WORDS - 2 - tail_len } else { MAX_WORDS - 2 };
    let mut clock = plan.first(cell) - plan.lead;
    for (cycle, op) in timed {
        let op = plan.enforcer.permitted(op, io_cell);
        if len + op.len() + 1 > limit {
            break;
        }
        fill(plan, &mut ops, &mut len, cycle - clock, limit - op.len(), noise);
        len += op.len();
        ops.push(op);
        clock = cycle + 1;
    }
    if len + tail_len <= MAX_WORDS - 2 && !tail.is_empty() {
        // Addresses of the tail's operations.
        let mut address = len;
        let starts: Vec<usize> = tail
            .iter()
            .map(|t| {
                let at = address;
                address += t.op.len();
                at
            })
            .collect();
        for t in tail {
            let mut op = t.op;
            if let (Some(target), Some(field)) =
                (t.target, op.opcode.and_then(Opcode::target_field))
            {
                op.set(field, starts.get(target).copied().unwrap_or(address) as u64);
            }
            ops.push(op);
        }
    } else if len < MAX_WORDS - 2 {
        let rest = plan.end.min(target + 40).saturating_sub(clock);
        fill(plan, &mut ops, &mut len, rest, MAX_WORDS - 1, noise);
    }
    // Occasionally the program continues beyond the end of the memory; `finish` truncates it.
    if plan.rng.random_bool(profile.noise / 4.0) {
        let mut words: usize = ops.iter().map(Op::len).sum();
        while words < Geometry::IMEM_DEPTH + 1 {
            let op = noise.draw(plan);
            words += op.len();
            ops.push(op);
        }
    }
    if plan.rng.random_bool(0.9)
        || ops.is_empty()
        || plan.enforcer.excludes(Situation::UnloadedMemory)
    {
        ops.push(Op::new(Opcode::Halt, &[]));
    }
    ops
}

/// An instruction of one word, for a program of one word.
fn single(plan: &mut CasePlan<'_>, noise: CellNoise) -> Op {
    match plan.rng.random_range(0..10u8) {
        0..4 => return Op::wait(plan.rng.random_range(1..12)),
        4..6 => {
            let jump = Op::new(Opcode::Jump, &[(jump::PC, plan.rng.random_range(0..64))]);
            return plan.enforcer.permitted(jump, noise.io_cell);
        }
        _ => {}
    }
    loop {
        let op = noise.draw(plan);
        if op.len() == 1 {
            return op;
        }
    }
}

/// Noise of one cell.
#[derive(Clone, Copy)]
struct CellNoise {
    chance: f64,
    raw: f64,
    /// Chance that a WAIT takes its number of cycles from a register.
    dynamic: f64,
    io_cell: bool,
}

impl CellNoise {
    /// An instruction of any kind.
    fn draw(self, plan: &mut CasePlan<'_>) -> Op {
        let op = mutate::noise(plan.rng, self.raw);
        plan.enforcer.permitted(op, self.io_cell)
    }
}

/// Fills a gap: a random part of it with noise, the rest with a WAIT.
fn fill(
    plan: &mut CasePlan<'_>,
    ops: &mut Vec<Op>,
    len: &mut usize,
    mut gap: u64,
    limit: usize,
    noise: CellNoise,
) {
    while gap > 0 && *len + 4 < limit && plan.rng.random_bool(noise.chance) {
        let op = noise.draw(plan);
        *len += op.len();
        ops.push(op);
        gap -= 1;
    }
    // A load takes the first cycle, and the WAIT takes one more than the number in its register.
    if (3..=120).contains(&gap) && *len + 2 < limit && plan.rng.random_bool(noise.dynamic) {
        let register = dynamic::OF_WAITS;
        let load = dynamic::load(plan, register, gap - 2);
        let wait = Op::new(Opcode::Wait, &[(wait::CYCLE_SD, 1), (wait::CYCLE, register as u64)]);
        if [&load, &wait].iter().all(|op| plan.enforcer.allows(op, noise.io_cell)) {
            *len += 2;
            ops.extend([load, wait]);
            return;
        }
    }
    while gap > 0 && *len < limit {
        let part = gap.min(LONGEST_WAIT);
        *len += 1;
        ops.push(Op::wait(part));
        gap -= part;
    }
}
