// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the collector against a naive collector that inspects every cell in every cycle and remembers everything.

use std::collections::BTreeSet;

use drra_case::Case;
use drra_fabric::{AguId, CellInput};
use drra_generate::{Profile, generate};
use drra_golden::{Fabric, PatternPhase};
use drra_isa::{
    CellId, ColumnId, Geometry, Opcode, TileId,
    instructions::{DpuMode, branch},
};
use drra_lockstep::{EndRule, LockstepRun, Observer};

use super::*;
use crate::{
    covergroups::{
        connections::{self, Connections},
        control::Sequencers,
        instructions::{self, Pairs, Triples},
        operands::{self, OperandPairs, Operands, Saturated, SingleOperands},
        words::{Agent, Distance, Gap, Histories, Place, SameWord, WRITERS, WordAgain, Writer},
    },
    cross::{Cross, Two},
    decode::Kind,
};

/// Groups for which both collectors must find the same bins.
const ALWAYS: &[&str] = &[
    Pairs::NAME,
    Triples::NAME,
    ColumnPairs::NAME,
    ColumnEvents::NAME,
    TileOffers::NAME,
    TilePairs::NAME,
    Meetings::NAME,
    Successions::NAME,
    Closings::NAME,
    SameWord::NAME,
    Connections::NAME,
    Sequencers::NAME,
];

/// Groups for which the collector skips samples in long cases.
const MOSTLY: &[&str] =
    &[WordAgain::NAME, Histories::NAME, OperandPairs::NAME, SingleOperands::NAME, Saturated::NAME];

/// An access of an agent to a word.
#[derive(Clone, Copy)]
struct Access {
    cycle: u64,
    agent: usize,
    word: usize,
}

/// What one cell did.
#[derive(Clone, Default)]
struct Log {
    /// Decodes since the program began, with their cycles.
    decodes: Vec<(u64, (Kind, bool))>,
    accesses: Vec<Access>,
    /// The cell's uses of the resources of its column, by cycle.
    shares: Vec<u8>,
    sources: [u16; 6],
}

/// The naive collector.
struct Slow {
    geometry: Geometry,
    io_cells: u64,
    hits: Hits,
    logs: Vec<Log>,
    arrivals: Vec<[Option<Arrival>; 4]>,
}

impl Slow {
    fn new(case: &Case) -> Self {
        Self {
            geometry: case.geometry,
            io_cells: case.straps(),
            hits: Hits::default(),
            logs: vec![Log::default(); case.geometry.cells()],
            arrivals: vec![[None; 4]; case.geometry.tiles()],
        }
    }

    /// The kind of the instruction that a running cell decodes.
    fn kind(&self, golden: &Fabric, cell: CellId) -> Kind {
        let seq = golden.sequencer(cell);
        let words = [0, 1, 2].map(|k| seq.imem(usize::from(seq.pc()) + k));
        let io_cell = self.io_cells >> cell.index(&self.geometry) & 1 == 1;
        let Some(opcode) = Opcode::of(words[0], io_cell) else { return Kind::NONE };
        let kind = Kind::new(opcode, &words, opcode.words(words[0]));
        let on = branch::MODE.get(&words) & u64::from(golden.dpu(cell).cond_status()) != 0;
        if kind == Kind::BRANCH_TAKEN && on { Kind::BRANCH_ON } else { kind }
    }

    fn decodes(&mut self, golden: &Fabric, cell: CellId, cycle: u64) {
        let seq = golden.sequencer(cell);
        let kind = self.kind(golden, cell);
        let log = &mut self.logs[cell.index(&self.geometry)].decodes;
        if !seq.running() {
            log.clear();
        } else if seq.wait_count() == 0 {
            log.push((cycle, (kind, seq.imem_imm() >> seq.pc() & 1 == 1)));
            if let [.., (_, a), (_, b)] = log[..] {
                self.hits.note(Pairs::new([a, b]));
            }
            if let [.., (_, a), (_, b), (_, c)] = log[..] {
                self.hits.note(Triples::new([a, b, c]));
            }
        }
    }

    fn accesses(&mut self, golden: &Fabric, cell: CellId, cycle: u64) {
        let rf = golden.register_file(cell);
        let mut now = Vec::new();
        let mut add = |agent: usize, words: std::ops::Range<usize>| {
            now.extend(words.map(|word| Access { cycle, agent, word }));
        };
        for &agu in AguId::ALL {
            let Some(at) = rf.emitted(agu).map(usize::from) else { continue };
            add(agu.index(), if agu.is_block() { 16 * at..16 * at + 16 } else { at..at + 1 });
        }
        for (agent, block) in [6, 7].into_iter().zip(rf.block_writes()) {
            let Some(at) = block.map(usize::from) else { continue };
            add(agent, 16 * at..16 * at + 16);
        }
        let log = &mut self.logs[cell.index(&self.geometry)].accesses;
        for next in &now {
            for other in now.iter().filter(|o| o.word == next.word && o.agent > next.agent) {
                self.hits.note(SameWord { agents: Two(Agent(next.agent), Agent(other.agent)) });
            }
            let earlier = log.iter().filter(|a| a.word == next.word);
            for first in earlier.clone().filter(|a| cycle - a.cycle <= 2) {
                let distance = Distance((cycle - first.cycle) as usize - 1);
                let (first, second) = (Agent(first.agent), Agent(next.agent));
                self.hits.note(WordAgain { first, second, distance });
            }
            // Chapter 3, 4.2, highest priority first: the initialisation port, wb, w0, w1, a PERM.
            let strength = |agent: usize| [7, 2, 0, 1, 6].iter().rev().position(|k| *k == agent);
            let writes = earlier.filter(|a| strength(a.agent).is_some());
            if let Some(last) = writes.max_by_key(|a| (a.cycle, strength(a.agent))) {
                let writer = WRITERS.iter().position(|agent| *agent == last.agent).unwrap();
                let gap = match cycle - last.cycle {
                    1 => 0,
                    2..=7 => 1,
                    _ => 2,
                };
                self.hits.note(Histories {
                    writer: Writer(writer),
                    word: Place(next.word % 16),
                    next: Agent(next.agent),
                    gap: Gap(gap),
                });
            }
        }
        log.extend(now);
    }

    fn dpu(&mut self, golden: &Fabric, cell: CellId) {
        let hits = &mut self.hits;
        let mut used = 0;
        let view = golden.cells().nth(cell.index(&self.geometry)).unwrap();
        if let Some(work) = view.work() {
            operands::bins(&work, |bin| {
                match bin {
                    Operands::Single(bin) => hits.note(bin),
                    Operands::Pair(bin) => hits.note(bin),
                };
            });
            used = connections::used(work.mode);
        }
        let rf = golden.register_file(cell);
        used |= u8::from(rf.emitted(AguId::W0).is_some());
        used |= u8::from(rf.emitted(AguId::W1).is_some()) << 1;
        let index = cell.index(&self.geometry);
        let inputs = view.inputs();
        for k in (0..6).filter(|k| used >> k & 1 == 1 && inputs[*k] != 0) {
            if let Some((from, lane)) = golden.source(self.logs[index].sources[k]) {
                let column = from.col() as isize - cell.col() as isize;
                hits.note(Connections::new(
                    lane,
                    CellInput::ALL[k],
                    column,
                    from.row() != cell.row(),
                ));
            }
        }
    }

    fn column(&mut self, column: ColumnId, cycle: u64) {
        let logs = column.cells().map(|cell| &self.logs[cell.index(&self.geometry)]);
        if let [Some((a, first)), Some((b, second))] = logs.map(|log| log.decodes.last())
            && [*a, *b] == [cycle; 2]
        {
            self.hits.note(ColumnPairs::new([*first, *second]));
        }
        let now = logs[0].shares.len() - 1;
        for (a, b) in
            (0..=2).flat_map(|k| [(now.checked_sub(k), Some(now)), (Some(now), now.checked_sub(k))])
        {
            let (Some(a), Some(b)) = (a, b) else { continue };
            for (first, second) in (0..8).flat_map(|x| (0..8).map(move |y| (x, y))) {
                if logs[0].shares[a] >> first & 1 == 1 && logs[1].shares[b] >> second & 1 == 1 {
                    let (top, bottom) = (Shared::ALL[first], Shared::ALL[second]);
                    let distance = instructions::Distance(b + 2 - a);
                    self.hits.note(ColumnEvents { top, bottom, distance });
                }
            }
        }
    }

    fn tile(&mut self, golden: &Fabric, tile: TileId) {
        let (activity, hits) = (golden.tile_activity(tile), &mut self.hits);
        let before =
            std::mem::replace(&mut self.arrivals[tile.index(&self.geometry)], activity.arrivals);
        hits.note_all(Meetings::bins(activity.arrivals));
        hits.note_all(Successions::bins(before, activity.arrivals));
        if activity.routes > 0 {
            hits.note_all(Closings::bins(activity.routes, activity.closed));
        }
        let mut works = activity.phases != [PatternPhase::Idle; 2];
        for (&generator, offer) in Generator::ALL.iter().zip(&activity.offers) {
            if let Some(offer) = offer {
                hits.note(TileOffers::new(generator, offer));
                works = true;
            }
        }
        if works {
            let [read, write] = activity.phases;
            hits.note(TilePairs { read, write });
        }
    }
}

impl Observer for Slow {
    fn pre_edge(&mut self, golden: &Fabric, cycle: u64) {
        for cell in CellId::all(&self.geometry) {
            self.decodes(golden, cell, cycle);
            let index = cell.index(&self.geometry);
            let log = &mut self.logs[index];
            log.sources = golden.cells().nth(index).unwrap().sources();
            let message = golden.message(cell).and_then(|(kind, w)| Shared::message(kind, w));
            log.shares.push(message.map_or(0, |m| 1 << m as u8));
            let (dpu, width) = (golden.dpu(cell), golden.sequencer(cell).cfg_bw());
            if dpu.mode() != DpuMode::Idle {
                let hits = &mut self.hits;
                hits.note_all(Saturated::bins(dpu.mode(), width, dpu.clamped(width)));
            }
        }
    }

    fn post_edge(&mut self, golden: &Fabric, cycle: u64) {
        for cell in CellId::all(&self.geometry) {
            let (seq, rf) = (golden.sequencer(cell), golden.register_file(cell));
            let activity = golden.cells().nth(cell.index(&self.geometry)).unwrap().activity();
            if let Some(activity) = activity {
                let loops = activity.slots.is_some() || seq.active_loops() != 0;
                self.hits.note(Sequencers::new(&activity, loops));
            }
            let shares = self.logs[cell.index(&self.geometry)].shares.last_mut().unwrap();
            for (agu, event) in [(AguId::Rb, Shared::BlockRead), (AguId::Wb, Shared::BlockWrite)] {
                *shares |= u8::from(rf.emitted(agu).is_some()) << event as u8;
            }
            self.accesses(golden, cell, cycle);
            self.dpu(golden, cell);
        }
        for column in ColumnId::all(&self.geometry) {
            self.column(column, cycle);
        }
        for tile in TileId::all(&self.geometry) {
            self.tile(golden, tile);
        }
    }
}

/// Names of the hit bins of these groups.
fn of_groups(hit: &BTreeSet<u32>, names: &[&str]) -> BTreeSet<String> {
    let of = |group: &crate::Covergroup| {
        let hit = group.bins().filter(|bin| hit.contains(&((group.first + bin) as u32)));
        hit.map(|bin| format!("{}: {}", group.name, group.label(bin))).collect::<Vec<_>>()
    };
    crate::groups().iter().filter(|g| names.contains(&g.name.as_str())).flat_map(of).collect()
}

/// The bins that the collector and the naive collector find in cases.
fn found(profile: &Profile, seeds: std::ops::Range<u64>, size: &str) -> Vec<[BTreeSet<u32>; 2]> {
    let geometry = size.parse().unwrap();
    let mut collector = Collector::new();
    let both = |seed| {
        let case = generate(profile, seed, &geometry).case;
        let mut slow = Slow::new(&case);
        collector.start(&case);
        LockstepRun::alone(&case).run(EndRule::new(&case, None), &mut (&mut collector, &mut slow));
        [collector.bins().collect(), slow.hits.bins().collect()]
    };
    seeds.map(both).collect()
}

/// No sample is skipped in programs of a few dozen cycles.
#[test]
fn nothing_is_missed_in_short_cases() {
    let text = r#"{"version": 1, "name": "short", "extends": "NAME", "cycles": [8, 12]}"#;
    let (mut all, mut seen) = (BTreeSet::new(), [ALWAYS, MOSTLY].concat());
    for (name, size) in [("default", "8x2"), ("chaos", "3x3"), ("dimarch", "2x2-rf32-sram16")] {
        let profile = Profile::parse(&text.replace("NAME", name), None).unwrap();
        for [fast, slow] in found(&profile, 0..60, size) {
            let [fast, slow] = [fast, slow].map(|hit| of_groups(&hit, &seen));
            assert_eq!(fast, slow, "{name} {size}");
            all.extend(slow);
        }
    }
    seen.retain(|name| !all.iter().any(|b| b.starts_with(&format!("{name}: "))));
    assert_eq!(seen, [""; 0], "groups without any hit");
}

#[test]
fn little_is_left_out_in_long_cases() {
    for name in ["default", "dpu", "dimarch"] {
        for [fast, slow] in found(&Profile::shipped(name).unwrap(), 100..112, "8x2") {
            let [always, expected] = [&fast, &slow].map(|hit| of_groups(hit, ALWAYS));
            assert_eq!(always, expected, "{name}");
            let [some, most] = [&fast, &slow].map(|hit| of_groups(hit, MOSTLY));
            assert!(some.is_subset(&most), "{name}: {:?}", some.difference(&most));
            assert!(10 * some.len() >= 9 * most.len(), "{name}: {} of {}", some.len(), most.len());
        }
    }
}
