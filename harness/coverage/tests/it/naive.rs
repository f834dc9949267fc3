// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the collector against a naive collector that inspects every cell in every cycle, remembers everything, and
//! names the bins itself.

use std::collections::{BTreeSet, HashSet};

use drra_case::Case;
use drra_coverage::{Collector, groups};
use drra_fabric::{AguId, CellInput, Generator, MessageKind, SegmentDirection, Side};
use drra_generate::{Profile, generate};
use drra_golden::{Arrival, DpuActivity, Fabric, PatternPhase, SaturatedLanes};
use drra_isa::{
    CellId, ColumnId, Geometry, InstructionField, Opcode, Operand, Saturation, TileId,
    instructions::{BwConfig, DpuMode, RefiPortNo, branch, io, refi, route, sram, wait},
};
use drra_lockstep::{EndRule, LockstepRun, Observer};

/// Groups for which both collectors must find the same bins.
const ALWAYS: [&str; 12] = [
    "instruction pairs",
    "instruction triples",
    "instructions of a column",
    "events of a column",
    "SRAM offer by phase",
    "SRAM generators together",
    "messages that meet in a tile",
    "messages in successive cycles",
    "segments that ROUTEs close",
    "same word at once",
    "data through the switchbox",
    "sequencer",
];

/// Groups for which the collector skips samples in long cases.
const MOSTLY: [&str; 5] = [
    "same word again",
    "word after its writer",
    "operand pairs",
    "single operands",
    "DPU saturation",
];

/// Agents that access words: the AGUs, then these.
const OTHER_AGENTS: [&str; 2] = ["PERM", "initialisation"];

/// A group and the name of one of its bins.
type Bin = (&'static str, String);

/// An access of an agent to a word.
#[derive(Clone, Copy)]
struct Access {
    cycle: u64,
    agent: usize,
    word: usize,
}

/// The activity of one cell.
#[derive(Clone, Default)]
struct Log {
    /// Decodes since the program began, with their cycles: the kind of the instruction and its flag.
    decodes: Vec<(u64, (String, bool))>,
    accesses: Vec<Access>,
    /// The cell's uses of the resources of its column, by cycle.
    shares: Vec<Vec<&'static str>>,
}

/// The naive collector.
struct NaiveCoverage {
    geometry: Geometry,
    io_cells: u64,
    hits: HashSet<Bin>,
    logs: Vec<Log>,
    arrivals: Vec<[Option<Arrival>; 4]>,
}

impl NaiveCoverage {
    fn new(case: &Case) -> Self {
        Self {
            geometry: case.geometry,
            io_cells: case.straps(),
            hits: HashSet::new(),
            logs: vec![Log::default(); case.geometry.cells()],
            arrivals: vec![[None; 4]; case.geometry.tiles()],
        }
    }

    fn note(&mut self, group: &'static str, bin: String) {
        self.hits.insert((group, bin));
    }

    /// The kind of the instruction that a running cell decodes.
    fn kind(&self, golden: &Fabric, cell: CellId) -> String {
        let seq = golden.sequencer(cell);
        let words = [0, 1, 2].map(|k| seq.imem(usize::from(seq.pc()) + k));
        let io_cell = self.io_cells >> cell.index(&self.geometry) & 1 == 1;
        let Some(opcode) = Opcode::of(words[0], io_cell) else {
            return "no instruction".to_owned();
        };
        let transfer =
            |write: InstructionField| if write.is_set(&words) { "write" } else { "read" };
        let variant = match opcode {
            Opcode::Refi => {
                let dimarch = opcode.words(words[0]) == 3 && refi::DIMARCH.is_set(&words);
                let port = RefiPortNo::from_bits(refi::PORT_NO.get(&words));
                let agu = AguId::ALL.iter().find(|agu| agu.refi_port() == (port, dimarch));
                agu.map_or("nothing", |agu| agu.name())
            }
            Opcode::Wait if wait::CYCLE_SD.is_set(&words) => "dynamic",
            Opcode::Wait if wait::CYCLE.get(&words) == 0 => "1 cycle",
            Opcode::Wait => "longer",
            Opcode::Branch => {
                let status = u64::from(golden.dpu(cell).cond_status());
                if branch::MODE.get(&words) & status == 0 { "taken" } else { "not taken" }
            }
            Opcode::Route => transfer(route::DIRECTION),
            Opcode::Sram => transfer(sram::RW),
            Opcode::Io => transfer(io::RW),
            _ => return opcode.to_string(),
        };
        format!("{opcode} {variant}")
    }

    fn decodes(&mut self, golden: &Fabric, cell: CellId, cycle: u64) {
        let seq = golden.sequencer(cell);
        let kind = self.kind(golden, cell);
        let log = &mut self.logs[cell.index(&self.geometry)].decodes;
        if !seq.running() {
            log.clear();
        } else if seq.wait_count() == 0 {
            log.push((cycle, (kind, seq.imem_imm(seq.pc().into()))));
            let mut bins = Vec::new();
            if let [.., (_, a), (_, b)] = &log[..] {
                bins.push(("instruction pairs", format!("{}, then {}, {}", a.0, b.0, both(a, b))));
            }
            if let [.., (_, a), (_, b), (_, c)] = &log[..] {
                let flags: String = [a, b, c].map(|i| if i.1 { 'i' } else { 'd' }).iter().collect();
                let bin = format!("{}, then {}, then {}, {flags}", a.0, b.0, c.0);
                bins.push(("instruction triples", bin));
            }
            self.hits.extend(bins);
        }
    }

    fn accesses(&mut self, golden: &Fabric, cell: CellId, cycle: u64) {
        let view = golden.view(cell);
        let mut now = Vec::new();
        let mut add = |agent: usize, words: std::ops::Range<usize>| {
            now.extend(words.map(|word| Access { cycle, agent, word }));
        };
        for &agu in AguId::ALL {
            let Some(at) = view.emitted(agu).map(usize::from) else { continue };
            add(agu.index(), if agu.is_block() { 16 * at..16 * at + 16 } else { at..at + 1 });
        }
        for (agent, block) in [6, 7].into_iter().zip(view.block_writes()) {
            let Some(at) = block.map(usize::from) else { continue };
            add(agent, 16 * at..16 * at + 16);
        }
        let name = |agent: usize| match AguId::ALL.get(agent) {
            Some(agu) => agu.name(),
            None => OTHER_AGENTS[agent - AguId::ALL.len()],
        };
        let log = &mut self.logs[cell.index(&self.geometry)].accesses;
        for next in &now {
            let (word, to) = (next.word, name(next.agent));
            for other in now.iter().filter(|o| o.word == word && o.agent > next.agent) {
                self.hits.insert(("same word at once", format!("{to} and {}", name(other.agent))));
            }
            let earlier = log.iter().filter(|a| a.word == word);
            for first in earlier.clone().filter(|a| cycle - a.cycle <= 2) {
                let distance = if cycle - first.cycle == 1 { "1 cycle" } else { "2 cycles" };
                let bin = format!("{}, then {to}, {distance} later", name(first.agent));
                self.hits.insert(("same word again", bin));
            }
            // Chapter 3, 4.2, highest priority first: the initialisation port, wb, w0, w1, a PERM.
            let strength = |agent: usize| [7, 2, 0, 1, 6].iter().rev().position(|k| *k == agent);
            let writes = earlier.filter(|a| strength(a.agent).is_some());
            if let Some(last) = writes.max_by_key(|a| (a.cycle, strength(a.agent))) {
                let gap = match cycle - last.cycle {
                    1 => "in the next cycle",
                    2..=7 => "2 to 7 cycles later",
                    _ => "8 cycles later or more",
                };
                let writer = name(last.agent);
                let bin = format!("written by {writer}, word {}, then {to}, {gap}", word % 16);
                self.hits.insert(("word after its writer", bin));
            }
        }
        log.extend(now);
    }

    /// The classes of the operands that a DPU works on.
    fn operands(&mut self, work: &DpuActivity) {
        let (mode, info) = (work.mode, work.mode.info());
        // Fixed point applies only while BW selects it.
        let width = match (work.bw_reg, work.cfg_bw) {
            (BwConfig::Int16, BwConfig::Fx16) => BwConfig::Fx16,
            (width, _) => width,
        };
        let (bits, of_width) = match width {
            _ if !info.lanes => (16, String::new()),
            BwConfig::Int16 | BwConfig::Fx16 => (16, format!(" {width}")),
            BwConfig::Int8 => (8, format!(" {width}")),
            BwConfig::Int4 => (4, format!(" {width}")),
        };
        let value = |operand: Operand| match operand {
            Operand::Ir0 => Some(work.ir[0]),
            Operand::Ir1 => Some(work.ir[1]),
            input => Some(work.input[input.input()?]),
        };
        let end = format!("{}, {}", work.control.name(), work.io.name());
        for channel in info.operands {
            let known: Vec<(Operand, u16)> =
                channel.iter().filter_map(|o| Some((o, value(o)?))).collect();
            let Some((&(first, a), others)) = known.split_first() else { continue };
            let head = format!("{mode}{of_width}: {}", first.name());
            for shift in (0..16).step_by(bits) {
                let lane = |word: u16| (word << (16 - bits - shift)) as i16 >> (16 - bits);
                let class = |word| class(lane(word), bits);
                if others.is_empty() {
                    self.note("single operands", format!("{head}, {}, {end}", class(a)));
                }
                for &(second, b) in others {
                    let same = lane(a) == lane(b) && ["positive", "negative"].contains(&class(a));
                    let equal = if same { "equal" } else { class(b) };
                    let bin =
                        format!("{head} and {}, {} and {equal}, {end}", second.name(), class(a));
                    self.note("operand pairs", bin);
                }
            }
        }
    }

    /// The lanes of the results that saturate.
    fn saturation(&mut self, mode: DpuMode, width: BwConfig, clamped: SaturatedLanes) {
        for (lanes, direction) in [(clamped.above, "above"), (clamped.below, "below")] {
            for output in (0..2).filter(|output| mode.info().outputs[*output]) {
                for lane in (0..4).filter(|lane| lanes[output] >> lane & 1 == 1) {
                    let of_lane = match mode.info().saturation() {
                        Saturation::None => continue,
                        Saturation::Lane => format!(", {width} lane {lane}"),
                        Saturation::Word => String::new(),
                    };
                    self.note(
                        "DPU saturation",
                        format!("{mode} output {output}{of_lane}, {direction}"),
                    );
                }
            }
        }
    }

    fn dpu(&mut self, golden: &Fabric, cell: CellId) {
        let view = golden.view(cell);
        let mut used = u8::from(view.emitted(AguId::W0).is_some());
        used |= u8::from(view.emitted(AguId::W1).is_some()) << 1;
        if let Some(work) = view.work() {
            self.operands(&work);
            if work.mode != DpuMode::Idle {
                self.saturation(work.mode, work.cfg_bw, view.clamped());
            }
            let [a, b] = work.mode.info().operands;
            a.union(b).inputs().for_each(|input| used |= 4 << input);
        }
        let (inputs, sources) = (view.inputs(), view.sources());
        for k in (0..6).filter(|k| used >> k & 1 == 1 && inputs[*k] != 0) {
            let Some((from, lane)) = sources[k] else { continue };
            let column = match from.col() as isize - cell.col() as isize {
                0 => "own column".to_owned(),
                one @ (-1 | 1) => format!("{one:+} column"),
                far => format!("{far:+} columns"),
            };
            let row = if from.row() == cell.row() { "own row" } else { "other row" };
            let (lane, input) = (lane.name(), CellInput::ALL[k].name());
            let bin = format!("from {lane}, to {input}, {column}, {row}");
            self.note("data through the switchbox", bin);
        }
    }

    fn column(&mut self, column: ColumnId, cycle: u64) {
        let logs = column.cells().map(|cell| &self.logs[cell.index(&self.geometry)]);
        let mut bins = Vec::new();
        if let [Some((a, first)), Some((b, second))] = logs.map(|log| log.decodes.last())
            && [*a, *b] == [cycle; 2]
        {
            let bin = format!("{}, with {}, {}", first.0, second.0, both(first, second));
            bins.push(("instructions of a column", bin));
        }
        let now = logs[0].shares.len() - 1;
        for (a, b) in
            (0..=2).flat_map(|k| [(now.checked_sub(k), Some(now)), (Some(now), now.checked_sub(k))])
        {
            let (Some(a), Some(b)) = (a, b) else { continue };
            let distance = match b as isize - a as isize {
                -2 => "2 cycles before",
                -1 => "1 cycle before",
                0 => "in the same cycle",
                1 => "1 cycle later",
                _ => "2 cycles later",
            };
            for top in &logs[0].shares[a] {
                let rows = |bottom| format!("{top} by row 0, {bottom} by row 1, {distance}");
                bins.extend(
                    logs[1].shares[b].iter().map(|bottom| ("events of a column", rows(bottom))),
                );
            }
        }
        self.hits.extend(bins);
    }

    fn tile(&mut self, golden: &Fabric, tile: TileId) {
        let activity = golden.tile_activity(tile);
        let before =
            std::mem::replace(&mut self.arrivals[tile.index(&self.geometry)], activity.arrivals);
        let entered = |arrivals: [Option<Arrival>; 4]| {
            let named = |(side, arrival): (&Side, Option<Arrival>)| Some((*side, arrival?.name()));
            Side::ALL.iter().zip(arrivals).filter_map(named).collect::<Vec<_>>()
        };
        let now = entered(activity.arrivals);
        for (k, (side, second)) in now.iter().enumerate() {
            let side = side.name();
            for (from, first) in &now[..k] {
                let bin = format!("from {} and {side}, {first}, {second}", from.name());
                self.note("messages that meet in a tile", bin);
            }
            for (from, first) in entered(before) {
                let bin = format!("{first} from {}, then {second} from {side}", from.name());
                self.note("messages in successive cycles", bin);
            }
        }
        let routes = ["one", "one", "two together", "three together"];
        let routes = routes[usize::from(activity.routes).min(3)];
        for (side, closed) in Side::ALL.iter().zip(activity.closed) {
            let direction = match closed {
                SegmentDirection::Closed => continue,
                SegmentDirection::Back => "back",
                _ => "ahead",
            };
            if activity.routes > 0 {
                let bin = format!("{routes}, close {}, that led {direction}", side.name());
                self.note("segments that ROUTEs close", bin);
            }
        }
        let mut works = activity.phases != [PatternPhase::Idle; 2];
        for (generator, offer) in Generator::ALL.iter().zip(&activity.offers) {
            let Some(offer) = offer else { continue };
            works = true;
            let (generator, phase, side) =
                (generator.name(), offer.phase.name(), offer.side.name());
            let levels = match (offer.config.l1_iter, offer.config.l2_iter) {
                (0, 0) => "single address",
                (_, 0) => "one level",
                (0, _) => "second level only",
                _ => "two levels",
            };
            let delay = if offer.config.init_delay == 0 { "no delay" } else { "delay" };
            let bin = format!("{generator}, {phase}, taken at {side}, {levels}, {delay}");
            self.note("SRAM offer by phase", bin);
        }
        if works {
            let [read, write] = activity.phases.map(PatternPhase::name);
            self.note("SRAM generators together", format!("rd {read}, wr {write}"));
        }
    }
}

/// The flags of two instructions.
fn both(first: &(String, bool), second: &(String, bool)) -> &'static str {
    match (first.1, second.1) {
        (false, false) => "both deferred",
        (false, true) => "deferred then immediate",
        (true, false) => "immediate then deferred",
        (true, true) => "both immediate",
    }
}

/// The class of a lane by its value as a signed number.
fn class(lane: i16, bits: usize) -> &'static str {
    let bound = 1i32 << (bits - 1);
    match i32::from(lane) {
        0 => "0",
        -1 => "-1",
        v if v == bound - 1 => "largest",
        v if v == -bound => "smallest",
        1.. => "positive",
        _ => "negative",
    }
}

/// The use of the resources of a column by a message.
fn share((kind, write): (MessageKind, bool)) -> Option<&'static str> {
    Some(match (kind, write) {
        (MessageKind::None, _) => return None,
        (MessageKind::Route, false) => "read ROUTE",
        (MessageKind::Route, true) => "write ROUTE",
        (MessageKind::Sram, false) => "read SRAM",
        (MessageKind::Sram, true) => "write SRAM",
        (MessageKind::Io, false) => "read IO",
        (MessageKind::Io, true) => "write IO",
    })
}

impl Observer for NaiveCoverage {
    fn pre_edge(&mut self, golden: &Fabric, cycle: u64) {
        for cell in CellId::all(&self.geometry) {
            self.decodes(golden, cell, cycle);
            let index = cell.index(&self.geometry);
            let log = &mut self.logs[index];
            log.shares.push(golden.message(cell).and_then(share).into_iter().collect());
        }
    }

    fn post_edge(&mut self, golden: &Fabric, cycle: u64) {
        for cell in CellId::all(&self.geometry) {
            let view = golden.view(cell);
            if let Some(activity) = view.activity() {
                let loops = activity.phases.is_some() || view.sequencer().active_loops() != 0;
                let loops = if loops { "a loop active" } else { "no loop active" };
                let (state, load, end) = (activity.state, activity.load, activity.end);
                let bin = format!("{}, {}, {}, {loops}", state.name(), load.name(), end.name());
                self.note("sequencer", bin);
            }
            let shares = self.logs[cell.index(&self.geometry)].shares.last_mut().unwrap();
            for (agu, event) in [(AguId::Rb, "block read"), (AguId::Wb, "block written")] {
                shares.extend(view.emitted(agu).map(|_| event));
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

/// The bin with a number among those of all groups.
fn named(bin: u32) -> Bin {
    let bin = bin as usize;
    let group = groups().iter().rfind(|group| group.first <= bin).unwrap();
    (&group.name, group.label(bin - group.first))
}

/// The bins of these groups.
fn of_groups(hits: &HashSet<Bin>, names: &[&str]) -> BTreeSet<Bin> {
    hits.iter().filter(|(group, _)| names.contains(group)).cloned().collect()
}

/// The bins that the collector and the naive collector find in cases.
fn found(profile: &Profile, seeds: std::ops::Range<u64>, size: &str) -> Vec<[HashSet<Bin>; 2]> {
    let geometry = size.parse().unwrap();
    let mut collector = Collector::new();
    let both = |seed| {
        let case = generate(profile, seed, &geometry).case;
        let mut naive = NaiveCoverage::new(&case);
        collector.start(&case);
        LockstepRun::alone(&case).run(EndRule::new(&case, None), &mut (&mut collector, &mut naive));
        [collector.bins().map(named).collect(), naive.hits]
    };
    seeds.map(both).collect()
}

/// No sample is skipped in programs of a few dozen cycles.
#[test]
fn nothing_is_missed_in_short_cases() {
    let text = r#"{"version": 1, "name": "short", "extends": "NAME", "cycles": [8, 12],
                   "reload": 0}"#;
    let (mut all, mut unseen) = (BTreeSet::new(), [&ALWAYS[..], &MOSTLY].concat());
    for (name, size) in [("default", "8x2"), ("chaos", "3x3"), ("dimarch", "2x2-rf32-sram16")] {
        let profile = Profile::parse(&text.replace("NAME", name), None).unwrap();
        for hits in found(&profile, 0..60, size) {
            let [collected, expected] = hits.map(|hit| of_groups(&hit, &unseen));
            assert_eq!(collected, expected, "{name} {size}");
            all.extend(expected);
        }
    }
    unseen.retain(|name| all.iter().all(|(group, _)| group != name));
    assert_eq!(unseen, [""; 0], "groups without any hit");
}

#[test]
fn little_is_left_out_in_long_cases() {
    for name in ["default", "dpu", "dimarch"] {
        for hits in found(&Profile::shipped(name).unwrap(), 100..112, "8x2") {
            let [always, expected] = hits.each_ref().map(|hit| of_groups(hit, &ALWAYS));
            assert_eq!(always, expected, "{name}");
            let [some, most] = hits.each_ref().map(|hit| of_groups(hit, &MOSTLY));
            assert!(some.is_subset(&most), "{name}: {:?}", some.difference(&most));
            assert!(10 * some.len() >= 9 * most.len(), "{name}: {} of {}", some.len(), most.len());
        }
    }
}
