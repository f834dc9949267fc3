// SPDX-License-Identifier: MIT OR Apache-2.0
//! Varies a reduced case, to find out what decides whether it fails: fields, flags, registers, memory contents, fabric
//! size and state seed receive other values, one at a time. Numbers receive both extremes, their neighbours and each bit
//! inverted; the first and the last bound between failing and agreeing values are then searched by bisection.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use drra_case::Case;
use drra_fabric::Location;
use drra_isa::{
    Assembler, CellId, DecodedInstruction, Field, Geometry, Opcode, SizeText, Unit, Word,
    instructions::{RaccuMode, raccu},
};
use drra_lockstep::{DEFAULT_LIMIT, GoldenRun};
use drra_report::data::{
    Factor, FactorRole, FactorSubject, InstructionLocation, Variation, VariationLimit,
};

use super::{
    CandidateCheck, Reduction,
    candidate::{BELOW_CODE, Candidate, CandidateInstruction, instructions},
};
use crate::CampaignError;

/// Fields that choose a unit, a port, a path or a target: other values lead elsewhere.
const PATH_FIELDS: &str = "port_no init_addr src_row src_block src_port hb_index send_to_other_row v_index pc loopid \
                           endpc link false_pc result horizontal_dir horizontal_hops vertical_dir vertical_hops \
                           direction select_drra_row hops rw block dimarch";
/// Fields whose values are durations.
const DURATIONS: [&str; 4] = ["cycle", "init_delay", "l1_delay", "l2_delay"];
/// Maximum number of numbers that are examined in pairs.
const MAX_RELATED: usize = 6;
/// Instructions of different kinds and lengths.
const KINDS: [&str; 6] = [
    "WAIT cycle=0",
    "DPU mode=idle",
    "REFI port_no=r0",
    "REFI port_no=r0, extra=1",
    "REFI port_no=r0, extra=2",
    "SRAM init_addr=0",
];
/// The destination of a switchbox that is the first input of the DPU (chapter 5, 2.1).
const FIRST_DPU_INPUT: u64 = 2;
/// The pattern that gives all words the value 0.
const ALL_ZERO: u64 = 1;
/// An odd number, whose odd multiples are never 0.
const FILLING: u16 = 0x2b5d;
/// Number of cycles after which every counter that runs in an idle fabric has wrapped.
const IDLE_CYCLES: u64 = 256;

/// Limits of a variation. Unless the time runs out, the same number of runs yields the same result.
#[derive(Clone, Copy, Debug)]
pub struct VariationBounds {
    /// Maximum number of variations to run.
    pub runs: u64,
    /// Start no further variation after this time.
    pub time: Duration,
}

impl Default for VariationBounds {
    fn default() -> Self {
        Self { runs: 400, time: Duration::from_secs(20) }
    }
}

/// The outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunOutcome {
    /// Fails with the same signature.
    Alike,
    /// Both sides agree.
    Agrees,
    /// Fails with another signature.
    Otherwise,
}

/// Gives a factor a value.
type Setter<'s> = &'s dyn Fn(&mut Candidate, u64);

/// Varies a reduced case. `sizes` are the fabric sizes that `check` can run; the other arguments are as for
/// [`shrink`](super::shrink). With `like`, the result of another case, the properties that decide there receive the
/// values that were tried there. Returns `None` if no run is allowed, if the case is given at the ports, if the design
/// crashes or hangs, because a run can then take long, or if the case does not fail alike in a longer run.
///
/// # Errors
/// If a case cannot be run.
pub fn vary(
    reduction: &Reduction,
    sizes: &[Geometry],
    check: &CandidateCheck<'_>,
    bounds: VariationBounds,
    interrupted: &dyn Fn() -> bool,
    permitted: &dyn Fn(&Case) -> bool,
    like: Option<&Variation>,
) -> Result<Option<Variation>, CampaignError> {
    let Reduction { case, failing, .. } = reduction;
    let responsible = failing.signature.rsplit(' ').next().and_then(Opcode::from_name);
    let mut varier = Varier {
        base: Candidate::new(case, case.cycles.unwrap_or(0)),
        reduction,
        responsible,
        check,
        bounds,
        start: Instant::now(),
        interrupted,
        permitted,
        like,
        producers: Vec::new(),
        numbers: Vec::new(),
        single: true,
        result: Variation::default(),
    };
    let varies = !case.ports && failing.crash.is_none() && bounds.runs > 0;
    if !varies || !varier.fails_alike(|_| {})? {
        return Ok(None);
    }
    varier.all(sizes)?;
    let mut result = varier.result;
    result.factors.sort_by_key(|f| {
        let elsewhere = match &f.subject {
            FactorSubject::Field { instruction, .. } => instruction.opcode != responsible,
            _ => false,
        };
        (f.role, elsewhere && responsible.is_some(), 1000 * f.failing.len() / f.tried())
    });
    Ok(Some(result))
}

/// A cell and a position in its program.
type Place = (CellId, usize);
/// An instruction and its place.
type ProgramPlace<'d> = (Place, InstructionLocation, DecodedInstruction<'d>);

/// A field whose value is a number.
#[derive(Clone, Copy)]
struct NumberField {
    place: Place,
    /// Position in the instruction.
    field: usize,
    /// Position in the list of factors.
    factor: usize,
    is_duration: bool,
}

/// A running variation.
struct Varier<'a> {
    base: Candidate,
    reduction: &'a Reduction,
    /// The kind of the responsible instruction.
    responsible: Option<Opcode>,
    check: &'a CandidateCheck<'a>,
    bounds: VariationBounds,
    start: Instant,
    interrupted: &'a dyn Fn() -> bool,
    permitted: &'a dyn Fn(&Case) -> bool,
    /// The result of another case, with which this one is compared.
    like: Option<&'a Variation>,
    /// Instructions that write a register that is a factor.
    producers: Vec<Place>,
    numbers: Vec<NumberField>,
    /// True if there is at most one responsible instruction.
    single: bool,
    result: Variation,
}

impl Varier<'_> {
    /// Runs the case with a change; `None` if it is not permitted, or a limit is reached.
    fn run(
        &mut self,
        change: impl FnOnce(&mut Candidate),
    ) -> Result<Option<RunOutcome>, CampaignError> {
        if self.result.runs >= self.bounds.runs {
            self.result.stopped.get_or_insert(VariationLimit::Runs);
        } else if self.start.elapsed() >= self.bounds.time || (self.interrupted)() {
            self.result.stopped.get_or_insert(VariationLimit::Time);
        }
        let mut case = changed(&self.base, change);
        if self.result.stopped.is_some() || !(self.permitted)(&case) {
            return Ok(None);
        }
        self.result.runs += 1;
        // Other durations may delay the failure, and some counters go on when the fabric is idle.
        let own = self.reduction.failing.expect.cycle + IDLE_CYCLES;
        let idle = drra_lockstep::run_golden(&Case { cycles: None, ..case.clone() }, None).cycles;
        case.cycles = Some(if idle < DEFAULT_LIMIT { idle + own } else { 4 * own });
        Ok(Some(match (self.check)(&case)? {
            Some(found) if found.signature == self.reduction.failing.signature => RunOutcome::Alike,
            Some(_) => RunOutcome::Otherwise,
            None => RunOutcome::Agrees,
        }))
    }

    /// True if a property may be varied: with `like`, only if it decides there, or belongs to the search for words that
    /// decide.
    fn is_wanted(&self, subject: &FactorSubject) -> bool {
        let is_word = |f: &Factor| matches!(f.subject, FactorSubject::Word { .. });
        let is_meeting = |f: &Factor| {
            f.role == FactorRole::Decides && matches!(f.subject, FactorSubject::Meeting { .. })
        };
        self.like.is_none_or(|other| match subject {
            // The durations show whether two cells meet.
            FactorSubject::Field { field, .. } if DURATIONS.contains(&field.as_str()) => {
                other.deciding(subject).is_some() || other.factors.iter().any(is_meeting)
            }
            FactorSubject::Data => other.factors.iter().any(is_word),
            _ => other.deciding(subject).is_some(),
        })
    }

    fn fails_alike(&mut self, change: impl FnOnce(&mut Candidate)) -> Result<bool, CampaignError> {
        Ok(self.run(change)? == Some(RunOutcome::Alike))
    }

    /// Varies everything: first the responsible instructions, the size and the memories, then the other instructions.
    fn all(&mut self, sizes: &[Geometry]) -> Result<(), CampaignError> {
        let base = self.base.clone();
        let mut all = Vec::new();
        for load in &base.loads {
            let Some(cell) = load.cell() else { continue };
            let (io_cell, mut address) = (base.rest.io_cells.contains(&cell), 0);
            for (k, instruction) in load.program.iter().enumerate() {
                if let Some(decoded) = instruction.decoded(io_cell) {
                    let opcode = Opcode::from_name(&decoded.instruction.name);
                    all.push(((cell, k), InstructionLocation { cell, address, opcode }, decoded));
                }
                address = u8::saturating_add(address, instruction.words.len() as u8);
            }
        }
        all.sort_by_key(|(_, at, _)| at.opcode != self.responsible);
        // Words that are 0 could hide what a field does.
        let mut filled = base.clone();
        fill(&mut filled);
        self.result.filled = changed(&filled, |_| {}).memory != changed(&base, |_| {}).memory
            && self.fails_alike(|c| c.clone_from(&filled))?;
        if self.result.filled {
            self.base = filled;
        }
        let own = all.partition_point(|(_, at, _)| at.opcode == self.responsible);
        self.single = own < 2;
        for (place, at, decoded) in &all[..own] {
            self.instruction(*place, *at, decoded)?;
        }
        self.sizes(sizes)?;
        self.inputs(&all)?;
        let filled = std::mem::replace(&mut self.base, base.clone());
        self.memories()?;
        self.base = filled;
        for (place, at, decoded) in &all[own..] {
            self.instruction(*place, *at, decoded)?;
        }
        let seed = |c: &mut Candidate, value| c.rest.seed = c.rest.seed.wrapping_add(value);
        let mut factor = factor(FactorSubject::Seed, 2, 0);
        self.values(&mut factor, 0..4, &seed)?;
        self.add(factor, false);
        self.related_numbers()?;
        self.meetings(&all)
    }

    /// Varies the fields and the flag of an instruction.
    fn instruction(
        &mut self,
        place @ (cell, k): Place,
        at: InstructionLocation,
        decoded: &DecodedInstruction<'_>,
    ) -> Result<(), CampaignError> {
        let own = self.responsible.is_none_or(|opcode| at.opcode == Some(opcode));
        // True if the value that differs passed through what the instruction had set up.
        let carried = &self.reduction.carriers;
        let carrier = carried.contains(&(at.cell, at.address));
        let connects = at.opcode == Some(Opcode::Swb);
        let coincides = !carrier && !carried.is_empty() && !connects;
        let description = decoded.instruction;
        let subject = |field: &str| FactorSubject::Field {
            instruction: at,
            field: field.to_owned(),
            register: None,
        };
        let count = description.fields_in(super::candidate::isa(), decoded.len);
        let dynamic = |field: &Field| field.selector.is_some_and(|s| decoded.values[s] == 1);
        // The selectors of fields that are read from registers, with the fields and the values of the registers.
        let mut read = Vec::new();
        for (n, (field, value)) in
            description.fields.iter().zip(&decoded.values).enumerate().take(count)
        {
            if dynamic(field)
                && let Some(value) = self.register(place, at, &field.name, value & 15)?
            {
                read.push((field.selector, n, value & ((1 << field.width) - 1)));
            }
        }
        for (n, field) in description.fields.iter().enumerate().take(count) {
            let number_of_register = dynamic(field) && self.like.is_some();
            if field.is_padding() || description.chunk_field == Some(n) || number_of_register {
                continue;
            }
            let value = decoded.values[n];
            let selects = description.fields.iter().any(|f| f.selector == Some(n));
            let leads = PATH_FIELDS.split(' ').any(|name| name == field.name);
            let path = dynamic(field)
                || selects && value == 0
                || leads && !own && !coincides
                || self.producers.contains(&place);
            // Without its register, the field has the value of the register.
            let literal = read.iter().find(|(selector, ..)| *selector == Some(n));
            let set = |c: &mut Candidate, value| {
                set_field(c, place, n, value);
                if let Some((_, field, literal)) = literal.filter(|_| value == 0) {
                    set_field(c, place, *field, *literal);
                }
            };
            let mut factor =
                Factor { signed: field.signed, ..factor(subject(&field.name), field.width, value) };
            let most = (1 << field.width) - 1;
            match (path, field.values.is_empty() && most > 3) {
                (false, true) => self.number(&mut factor, &set)?,
                (true, true) => {
                    let extremes = [0, most, value ^ 1, most / 2, most / 2 + 1];
                    self.values(&mut factor, extremes, &set)?;
                }
                (_, false) => self.values(&mut factor, 0..=most, &set)?,
            }
            // A number of another instruction with which data arrive if it is large enough, or small enough.
            let enough = || {
                factor.failing.len() > 1
                    && [0, most].iter().any(|value| factor.failing.contains(value))
            };
            let carries = path
                || !own && (carrier || connects || field.values.is_empty() && enough())
                || own && leads && self.leads_elsewhere(&factor.agreeing, &set);
            let is_duration = DURATIONS.contains(&field.name.as_str());
            let exact = field.values.is_empty() && factor.failing.len() <= 2;
            if (is_duration || exact) && !self.producers.contains(&place) {
                let factor = self.result.factors.len();
                self.numbers.push(NumberField { place, field: n, factor, is_duration });
            }
            self.add(factor, carries);
        }
        let immediate = self.base.loads[self.base.load_of(cell)].program[k].words[0].immediate;
        let flag = |c: &mut Candidate, value| {
            c.program(cell)[k].words.iter_mut().for_each(|word| word.immediate = value == 1);
        };
        let mut factor = factor(subject("flag"), 1, immediate.into());
        self.values(&mut factor, [0, 1], &flag)?;
        self.add(factor, immediate && self.single || !own);
        if k > 0 {
            self.gap(place, at)?;
        }
        if own { Ok(()) } else { self.kind(place, at, decoded) }
    }

    /// Replaces an instruction of which no field matters, although it is needed, by others.
    fn kind(
        &mut self,
        (cell, k): Place,
        at: InstructionLocation,
        decoded: &DecodedInstruction<'_>,
    ) -> Result<(), CampaignError> {
        let of_it = |f: &&Factor| match &f.subject {
            FactorSubject::Field { instruction, .. } => *instruction == at,
            _ => false,
        };
        let mut fields = self.result.factors.iter().filter(of_it);
        let is_idle = matches!(at.opcode, Some(Opcode::Wait | Opcode::Halt));
        if is_idle || fields.any(|f| f.failing.len() < f.tried()) {
            return Ok(());
        }
        let words = |text: &&str| {
            let image = Assembler::default().assemble(text).expect("it is an instruction").image;
            image.cell(CellId::FIRST).unwrap_or_default().to_vec()
        };
        let all: Vec<Vec<Word>> = KINDS.iter().map(words).collect();
        let opcode = |words: &[Word]| Opcode::of(words[0].bits, false);
        let own = all.iter().position(|w| w.len() == decoded.len && opcode(w) == at.opcode);
        let mut kinds: Vec<(Option<Opcode>, u64)> =
            all.iter().map(|words| (opcode(words), words.len() as u64)).collect();
        let own = own.unwrap_or_else(|| {
            kinds.push((at.opcode, decoded.len as u64));
            all.len()
        });
        let set = |c: &mut Candidate, value: u64| {
            c.program(cell)[k] = instructions(&all[value as usize], false).remove(0);
        };
        let mut factor = factor(FactorSubject::Kind { instruction: at, kinds }, 3, own as u64);
        let differs = |k: &u64| opcode(&all[*k as usize]) != self.responsible;
        let others: Vec<u64> = (0..all.len() as u64).filter(differs).collect();
        self.values(&mut factor, others, &set)?;
        self.add(factor, false);
        Ok(())
    }

    /// Varies the register from which a field is read: the last RACCU before the instruction that writes the register
    /// becomes one that writes a constant. Returns its value; `None` if there is no such RACCU, or the case then does not
    /// fail alike.
    fn register(
        &mut self,
        (cell, k): Place,
        instruction: InstructionLocation,
        field: &str,
        register: u64,
    ) -> Result<Option<u64>, CampaignError> {
        let subject =
            FactorSubject::Field { instruction, field: field.to_owned(), register: Some(register) };
        if !self.is_wanted(&subject) {
            return Ok(None);
        }
        let program = &self.base.loads[self.base.load_of(cell)].program;
        let writes = |at: &usize| {
            let decoded = program[*at].decoded(false);
            let decoded = decoded.filter(|d| d.instruction.name == Opcode::Raccu.name());
            decoded.and_then(|d| d.value("result")) == Some(register)
        };
        let read = |case: &Case| {
            let mut run = GoldenRun::new(case);
            (0..self.reduction.failing.expect.cycle).for_each(|_| run.step());
            u64::from(run.fabric.sequencer(cell).raccu_reg(register as usize))
        };
        let value = read(&self.base.case());
        let set_in = |c: &mut Candidate, producer: usize, value: u64| {
            let mut bits = [Opcode::Raccu.code() << BELOW_CODE];
            raccu::MODE.set(&mut bits, RaccuMode::Add as u64);
            raccu::OPERAND1.set(&mut bits, value);
            raccu::RESULT.set(&mut bits, register);
            c.program(cell)[producer].words[0].bits = bits[0];
        };
        // In a loop, the last instruction that writes the register can come later in the program.
        let counts =
            |at: &usize| read(&changed(&self.base, |c| set_in(c, *at, value ^ 1))) == value ^ 1;
        let loops = program.iter().any(|i| i.target.is_some());
        let later = if loops { k..program.len() } else { k..k };
        let all: Vec<usize> = (0..k).rev().chain(later).filter(writes).collect();
        let producer = all.iter().copied().find(counts).or(all.first().copied());
        let Some(producer) = producer else { return Ok(None) };
        let set = |c: &mut Candidate, value| set_in(c, producer, value);
        let alike = self.fails_alike(|c| set(c, value))?;
        if alike {
            self.producers.push((cell, producer));
            let mut factor = factor(subject, raccu::OPERAND1.width(), value);
            self.number(&mut factor, &set)?;
            self.add(factor, false);
        }
        Ok(alike.then_some(value))
    }

    /// Puts a WAIT of one cycle between two responsible instructions. In a program with jumps or loops, this would change
    /// more than the time.
    fn gap(&mut self, (cell, k): Place, at: InstructionLocation) -> Result<(), CampaignError> {
        let program = &self.base.loads[self.base.load_of(cell)].program;
        let jumps = |i: &CandidateInstruction| i.target.is_some();
        let opcode = |k: usize| Opcode::of(program[k].words[0].bits, false);
        let own = self.responsible.is_some() && at.opcode == self.responsible;
        if own && opcode(k - 1) == opcode(k) && !program.iter().any(jumps) {
            let set = |c: &mut Candidate, _| {
                c.program(cell).insert(k, CandidateInstruction::wait(1, false));
            };
            let mut factor = factor(FactorSubject::Gap { instruction: at }, 1, 0);
            self.values(&mut factor, [1], &set)?;
            self.add(factor, false);
        }
        Ok(())
    }

    /// Runs other fabric sizes that have all units of the case.
    fn sizes(&mut self, sizes: &[Geometry]) -> Result<(), CampaignError> {
        let case = self.base.case();
        // A case file with a unit that is missing in its fabric is rejected.
        let fits = |geometry: Geometry| {
            drra_case::parse(&drra_case::to_json(&Case { geometry, ..case.clone() })).is_ok()
        };
        let fitting = (0..sizes.len() as u64).filter(|k| fits(sizes[*k as usize]));
        if let Some(own) = sizes.iter().position(|size| *size == case.geometry) {
            let listed = sizes.iter().map(|size| SizeText(*size)).collect();
            let mut factor = factor(FactorSubject::Fabric { sizes: listed }, 32, own as u64);
            let set = |c: &mut Candidate, value: u64| c.rest.geometry = sizes[value as usize];
            self.values(&mut factor, fitting, &set)?;
            if factor.tried() > 1 {
                self.add(factor, false);
            }
        }
        Ok(())
    }

    /// Varies the inputs of DPUs that are not connected and therefore 0: in front of the program, they are connected to a
    /// port that reads the same word in every cycle.
    fn inputs(&mut self, all: &[ProgramPlace<'_>]) -> Result<(), CampaignError> {
        let is_dpu = |at: &InstructionLocation| at.opcode == Some(Opcode::Dpu);
        let cells: BTreeSet<CellId> =
            all.iter().map(|(_, at, _)| at).filter(|at| is_dpu(at)).map(|at| at.cell).collect();
        let port = |input: u64| FIRST_DPU_INPUT + input;
        let connected = |input| {
            let mut swbs = all.iter().filter(|(_, at, _)| at.opcode == Some(Opcode::Swb));
            swbs.any(|(_, _, swb)| swb.value("v_index") == Some(port(input)))
        };
        for (cell, input) in cells.into_iter().flat_map(|cell| [(cell, 0), (cell, 1)]) {
            let text = format!(
                "SWB src_row={}, src_block=rf, src_port=0, hb_index=2, v_index={}\n\
                 REFI port_no=r0, l1_iter=63\nWAIT cycle=4",
                cell.row(),
                port(input)
            );
            let image = Assembler::default().assemble(&text).map(|assembled| assembled.image);
            let Some(words) = image.as_ref().ok().and_then(|image| image.cell(CellId::FIRST))
            else {
                continue;
            };
            let set = |c: &mut Candidate, value: u64| {
                let program = c.program(cell);
                let before = instructions(words, false);
                let targets = program.iter_mut().flat_map(|i| &mut i.target);
                targets.for_each(|target| *target += before.len());
                program.splice(0..0, before);
                let blocks = c.rest.memory.rf.entry(cell).or_default();
                for block in 0..c.rest.geometry.rf_blocks() {
                    *blocks.entry(block).or_default() = [value as u16; Geometry::BLOCK_WORDS];
                }
            };
            if !connected(input)
                && self.is_wanted(&FactorSubject::DpuInput { cell, input })
                && self.fails_alike(|c| set(c, 0))?
            {
                let mut factor = factor(FactorSubject::DpuInput { cell, input }, u16::BITS, 0);
                self.values(&mut factor, [1, 5, 0xfffb], &set)?;
                self.add(factor, false);
            }
        }
        Ok(())
    }

    /// Varies the initial words of memories: all together, and then, by halves, those that matter.
    fn memories(&mut self) -> Result<(), CampaignError> {
        if !self.is_wanted(&FactorSubject::Data) {
            return Ok(());
        }
        let memory = &self.base.rest.memory;
        let files = memory.rf.iter().map(|(cell, blocks)| (Unit::from(*cell), blocks));
        let tiles = memory.sram.iter().map(|(tile, blocks)| (Unit::from(*tile), blocks));
        let size = Geometry::BLOCK_WORDS;
        let words = files.chain(tiles).flat_map(|(unit, blocks)| {
            let words = blocks.keys().flat_map(|block| size * block..size * (block + 1));
            words.map(move |word| (unit, word))
        });
        let (mut waiting, mut irrelevant) = (vec![words.collect::<Vec<_>>()], Vec::new());
        while let Some(group) = waiting.pop() {
            if let [(unit, word)] = group[..] {
                let mut case = self.base.clone();
                let value = word_of(&mut case, unit, word).copied().unwrap_or_default();
                let set = |c: &mut Candidate, value| set_words(c, &group, |_| value as u16);
                let mut factor =
                    factor(FactorSubject::Word { unit, word }, u16::BITS, value.into());
                self.number(&mut factor, &set)?;
                // A word that fails with all values but one only has to differ from another one.
                match factor.tried() - factor.failing.len() {
                    0 if self.result.stopped.is_none() => irrelevant.push((unit, word)),
                    other => self.add(factor, other == 1),
                }
                continue;
            }
            let factor = self.patterns(&group)?;
            if factor.failing.len() == 4 {
                irrelevant.extend(group);
            } else if self.result.stopped.is_none() && !group.is_empty() {
                let (low, high) = group.split_at(group.len() / 2);
                waiting.extend([high.to_vec(), low.to_vec()]);
            }
        }
        if !irrelevant.is_empty() {
            let factor = self.patterns(&irrelevant)?;
            self.add(factor, true);
            // If more than zeros agree, the words may decide together.
            let added = self.result.factors.last_mut();
            let carry = |f: &&mut Factor| f.role == FactorRole::Carries && f.agreeing != [ALL_ZERO];
            added.filter(carry).into_iter().for_each(|f| f.role = FactorRole::Unclear);
        }
        Ok(())
    }

    /// Gives words simple patterns.
    fn patterns(&mut self, words: &[(Unit, usize)]) -> Result<Factor, CampaignError> {
        let mut factor = factor(FactorSubject::Data, 2, 0);
        let set = |c: &mut Candidate, pattern| match pattern {
            ALL_ZERO => set_words(c, words, |_| 0),
            2 => set_words(c, words, |_| 0xffff),
            _ => set_words(c, words, |word| word ^ 0x5a5a),
        };
        self.values(&mut factor, 1..4, &set)?;
        Ok(factor)
    }

    /// Finds numbers that matter only relative to each other: the case still fails alike if they grow or shrink by the
    /// same number, or if one grows as much as the other shrinks.
    fn related_numbers(&mut self) -> Result<(), CampaignError> {
        let decides = |n: &&NumberField| {
            let factor = &self.result.factors[n.factor];
            let exact = !n.is_duration && factor.failing.len() <= 2 && !factor.agreeing.is_empty();
            factor.role == FactorRole::Decides || exact && factor.role == FactorRole::Carries
        };
        let mut all: Vec<_> = self.numbers.iter().filter(decides).copied().collect();
        all.sort_by_key(|n| (!n.is_duration, self.result.factors[n.factor].role));
        all.truncate(MAX_RELATED);
        let durations = all.iter().filter(|n| n.is_duration).copied().collect();
        let pairs =
            all.iter().enumerate().flat_map(|(n, a)| all[n + 1..].iter().map(|b| vec![*a, *b]));
        for group in [durations].into_iter().chain(pairs).filter(|group| group.len() > 1) {
            let factors = group.iter().map(|n| &self.result.factors[n.factor]);
            let values: Vec<(u64, u64)> = factors.map(|f| (f.value, 1 << f.width)).collect();
            let mut shifts = vec![[[1, 1], [3, 3], [9, 9]], [[-1, -1], [-2, -2], [-7, -7]]];
            if group.len() == 2 {
                shifts.push([[1, -1], [-1, 1], [6, -6]]);
            }
            let mut related = false;
            for shift in shifts {
                let mut alike = true;
                for (n, [first, other]) in shift.into_iter().enumerate() {
                    let shifted = |k: usize| {
                        let (value, end) = values[k];
                        value
                            .checked_add_signed(if k == 0 { first } else { other })
                            .filter(|v| *v < end)
                    };
                    let new: Option<Vec<u64>> = (0..group.len()).map(shifted).collect();
                    let set = |c: &mut Candidate, new: &[u64]| {
                        let fields = group.iter().zip(new);
                        fields.for_each(|(n, value)| set_field(c, n.place, n.field, *value));
                    };
                    alike &= match new {
                        Some(new) if alike => self.fails_alike(|c| set(c, &new))?,
                        // The largest step can lead out of the field.
                        _ => alike && n == 2,
                    };
                }
                related |= alike;
            }
            if related {
                for number in &group {
                    self.result.factors[number.factor].role = FactorRole::Relative;
                }
            }
        }
        Ok(())
    }

    /// Finds durations that decide because instructions of two cells meet: the case still fails if such a duration grows,
    /// and the other cells start as much later.
    fn meetings(&mut self, all: &[ProgramPlace<'_>]) -> Result<(), CampaignError> {
        let idle = [Some(Opcode::Wait), Some(Opcode::Halt)];
        let mut last: BTreeMap<CellId, InstructionLocation> = BTreeMap::new();
        for (_, at, _) in all.iter().filter(|(_, at, _)| !idle.contains(&at.opcode)) {
            let known = last.entry(at.cell).or_insert(*at);
            *known = if at.address > known.address { *at } else { *known };
        }
        let instructions: Vec<InstructionLocation> = last.values().copied().collect();
        let subject = FactorSubject::Meeting { instructions };
        if last.len() != 2 || !self.is_wanted(&subject) {
            return Ok(());
        }
        for number in self.numbers.clone() {
            let factor = &self.result.factors[number.factor];
            let decides = matches!(factor.role, FactorRole::Decides | FactorRole::Relative);
            let exact = factor.failing.len() == 1 && decides;
            if !(number.is_duration && exact) {
                continue;
            }
            let (value, cell) = (factor.value, number.place.0);
            let later = |c: &mut Candidate, cycles: u64| {
                set_field(c, number.place, number.field, value + cycles);
                for other in last.keys().filter(|other| **other != cell) {
                    let program = c.program(*other);
                    let targets = program.iter_mut().flat_map(|i| &mut i.target);
                    targets.for_each(|target| *target += 1);
                    program.insert(0, CandidateInstruction::wait(cycles, false));
                }
            };
            if self.fails_alike(|c| later(c, 1))? && self.fails_alike(|c| later(c, 3))? {
                self.result.factors[number.factor].role = FactorRole::Relative;
                let mut meeting = self::factor(subject, 1, 1);
                meeting.agreeing.push(0);
                self.add(meeting, false);
                break;
            }
        }
        Ok(())
    }

    /// Runs values that were not tried before; with `like`, those that were tried there instead.
    fn values(
        &mut self,
        factor: &mut Factor,
        values: impl IntoIterator<Item = u64>,
        set: Setter<'_>,
    ) -> Result<(), CampaignError> {
        if !self.is_wanted(&factor.subject) {
            return Ok(());
        }
        let there = self.like.and_then(|other| other.deciding(&factor.subject));
        let values: Vec<u64> = match there {
            Some(there) => there.values().filter(|value| value >> factor.width == 0).collect(),
            None => values.into_iter().collect(),
        };
        for value in values {
            if factor.values().any(|known| known == value) {
                continue;
            }
            let list = match self.run(|c| set(c, value))? {
                None => continue,
                Some(RunOutcome::Alike) => &mut factor.failing,
                Some(RunOutcome::Agrees) => &mut factor.agreeing,
                Some(RunOutcome::Otherwise) => &mut factor.otherwise,
            };
            list.insert(list.partition_point(|known| *known < value), value);
        }
        Ok(())
    }

    /// Varies a number: extremes and neighbours; if these do not all fail alike, also the value with each bit inverted;
    /// then the first and the last bound, among all values, among those with the bits that decide and, if values of both
    /// signs fail alike, among those of one sign.
    fn number(&mut self, factor: &mut Factor, set: Setter<'_>) -> Result<(), CampaignError> {
        let (value, most, top) = (factor.value, (1 << factor.width) - 1, 1 << (factor.width - 1));
        self.values(factor, [0, most, value ^ 1, top, top - 1], set)?;
        if factor.tried() == factor.failing.len() {
            return Ok(());
        }
        let near = [value.wrapping_sub(1), value + 1, value.wrapping_neg(), 1].map(|v| v & most);
        let bits = (0..factor.width).map(|bit| value ^ 1 << bit);
        self.values(factor, near.into_iter().chain(bits), set)?;
        self.bounds(factor, 0, set)?;
        self.bounds(factor, factor.deciding_bits(), set)?;
        let other_sign = factor.failing.iter().copied().find(|other| (other ^ value) & top != 0);
        if let Some(other) = other_sign {
            for value in [value, other] {
                let mut half = factor.with_value(value);
                self.bounds(&mut half, top, set)?;
                *factor = half.with_value(factor.value);
            }
        }
        Ok(())
    }

    /// Finds the first and the last bound between failing and agreeing values among those with the bits of the factor's
    /// value where `mask` is 1.
    fn bounds(
        &mut self,
        factor: &mut Factor,
        mask: u64,
        set: Setter<'_>,
    ) -> Result<(), CampaignError> {
        let most: u64 = (1 << factor.width) - 1;
        let extremes = [0, most >> mask.count_ones()].map(|place| factor.value_at(place, mask));
        self.values(factor, extremes, set)?;
        let order = factor.order(mask);
        let bounds: Vec<_> = order.windows(2).filter(|w| w[0].1 != w[1].1).collect();
        for bound in bounds.first().into_iter().chain(bounds.last()) {
            let [mut low, mut high] = [bound[0].0, bound[1].0];
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                let value = factor.value_at(middle, mask);
                self.values(factor, [value], set)?;
                if self.result.stopped.is_some() {
                    return Ok(());
                }
                let alike = factor.failing.contains(&value);
                *(if alike == bound[0].1 { &mut low } else { &mut high }) = middle;
            }
        }
        Ok(())
    }

    /// Adds a factor. `carries` is true if the data probably no longer arrive where both sides agree.
    fn add(&mut self, mut factor: Factor, carries: bool) {
        let domain = match &factor.subject {
            FactorSubject::Fabric { .. } => 2,
            _ => 1 << factor.width.min(2),
        };
        let enough = self.result.stopped.is_none() && factor.tried() >= domain.min(3);
        factor.role = match (factor.agreeing.is_empty(), factor.otherwise.is_empty()) {
            (true, true) if enough => FactorRole::NoEffect,
            (true, _) => FactorRole::Unclear,
            (false, _) if carries => FactorRole::Carries,
            (false, _) => FactorRole::Decides,
        };
        self.result.factors.push(factor);
    }

    /// True if the register that differs first changes less often in the golden model with each of these values than in
    /// the case: the data no longer arrive there. Unknown, thus false, if the change that is missing is the design's.
    fn leads_elsewhere(&self, values: &[u64], set: Setter<'_>) -> bool {
        let expect = &self.reduction.failing.expect;
        let Ok(location) = expect.path.parse::<Location>() else { return false };
        let changes = |case: &Case| {
            let mut run = GoldenRun::new(case);
            let (mut count, mut before, mut changed) = (0, None, false);
            for _ in 0..=expect.cycle {
                run.fabric.pack();
                let value = run.fabric.value(location);
                changed = before.is_some() && before != value;
                count += u64::from(changed);
                before = value;
                run.step();
            }
            (count, changed)
        };
        let (own, changes_then) = changes(&self.base.case());
        let fewer = |value: &u64| changes(&changed(&self.base, |c| set(c, *value))).0 < own;
        changes_then && values.iter().all(fewer)
    }
}

/// A factor of which only the value of the case is known to fail.
fn factor(subject: FactorSubject, width: u32, value: u64) -> Factor {
    let (role, failing) = (FactorRole::Unclear, vec![value]);
    let (agreeing, otherwise) = (Vec::new(), Vec::new());
    Factor { subject, role, width, signed: false, value, failing, agreeing, otherwise, others: 0 }
}

/// The case of a candidate with a change.
fn changed(base: &Candidate, change: impl FnOnce(&mut Candidate)) -> Case {
    let mut candidate = base.clone();
    change(&mut candidate);
    candidate.case()
}

/// Gives a field of an instruction a value. Addresses stay, because no instruction changes its length.
fn set_field(c: &mut Candidate, (cell, k): Place, field: usize, value: u64) {
    let io_cell = c.rest.io_cells.contains(&cell);
    let instruction = &mut c.program(cell)[k];
    if let Some(decoded) = instruction.decoded(io_cell) {
        let mut values = decoded.values.clone();
        values[field] = value;
        *instruction = instruction.with(&decoded, &values);
        instruction.target = None;
    }
}

/// A word of a memory, if its block has initial contents.
fn word_of(c: &mut Candidate, unit: Unit, word: usize) -> Option<&mut u16> {
    let blocks = match unit {
        Unit::Cell(cell) => c.rest.memory.rf.get_mut(&cell),
        Unit::Tile(tile) => c.rest.memory.sram.get_mut(&tile),
        Unit::Column(_) | Unit::Fabric => None,
    };
    blocks?.get_mut(&(word / Geometry::BLOCK_WORDS))?.get_mut(word % Geometry::BLOCK_WORDS)
}

/// Gives all words that are 0 in the register files of the cells with programs, and in the blocks of memories that have
/// initial contents, other values.
fn fill(c: &mut Candidate) {
    let cells: Vec<CellId> = c.loads.iter().filter_map(|load| load.cell()).collect();
    for cell in cells {
        let blocks = c.rest.memory.rf.entry(cell).or_default();
        (0..c.rest.geometry.rf_blocks()).for_each(|block| _ = blocks.entry(block).or_default());
    }
    let memory = &mut c.rest.memory;
    let blocks =
        memory.rf.values_mut().chain(memory.sram.values_mut()).flat_map(|b| b.values_mut());
    for (k, word) in blocks.flatten().enumerate().filter(|(_, word)| **word == 0) {
        *word = FILLING.wrapping_mul(2 * k as u16 + 1);
    }
}

fn set_words(c: &mut Candidate, words: &[(Unit, usize)], value: impl Fn(u16) -> u16) {
    for (unit, word) in words {
        if let Some(word) = word_of(c, *unit, *word) {
            *word = value(*word);
        }
    }
}
