// SPDX-License-Identifier: MIT OR Apache-2.0
//! Extracts the stimulus from a waveform: the values on the input ports from cycle 0 on, as a case.

mod answers;
mod ports;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use drra_case::{
    Case,
    stimulus::{Stimulus, StimulusEntry},
};
use drra_fabric::ports::{InputPort, ProgWord, SramInit};
use drra_isa::{CellId, ColumnId, Geometry, Word};

use drra_lockstep::Value;

use crate::{
    map::{Expression, SignalMap},
    samples::LatestValues,
};

pub(crate) use answers::BufferAnswers;
use ports::CyclePorts;
pub(crate) use ports::block;

/// A word whose immediate flags are still to come.
#[derive(Clone, Debug)]
struct WaitingWord {
    cycle: u64,
    word: ProgWord,
    /// Delays of the flags that are still to come, for the cells of the word.
    delays: BTreeSet<u32>,
    flag: Option<bool>,
}

/// Collects the driven inputs.
#[derive(Clone, Debug)]
pub(crate) struct InputCollector {
    geometry: Geometry,
    /// Ports of the map, with one expression for each unit.
    inputs: BTreeMap<InputPort, Vec<Expression>>,
    delays: Vec<u32>,
    waiting: VecDeque<WaitingWord>,
    stimulus: Stimulus,
    io_cells: BTreeSet<CellId>,
    /// The values of `io_in_data` by column, each with its first cycle.
    answers: Vec<(u64, ColumnId, Value)>,
    /// The current values, by column.
    shown: BTreeMap<ColumnId, Value>,
}

impl InputCollector {
    /// A collector for the ports of a map; `None` if the map does not have `prog_valid`.
    pub(crate) fn new(map: &SignalMap, geometry: &Geometry) -> Result<Option<Self>, String> {
        let ports = &map.ports;
        for group in InputPort::groups() {
            // If the valid bit of a group is constantly 0, its other ports are not needed.
            let valid = ports.input(group[0]).and_then(|valid| valid.constant());
            if valid.is_some_and(|bits| bits.number() == Some(0)) {
                continue;
            }
            let (has, lacks): (Vec<_>, Vec<_>) =
                group.into_iter().partition(|port| ports.inputs.contains_key(port));
            if let (Some(has), Some(lacks)) = (has.first(), lacks.first()) {
                let lacks = lacks.name();
                let path = ports.lacking.iter().find(|(name, _)| *name == lacks);
                let path = path
                    .map_or_else(String::new, |(_, path)| format!(" (the waveform has no {path})"));
                return Err(format!(
                    "the map has the port `{}`, but not `{lacks}`{path}: give all ports that belong together, or none",
                    has.name()
                ));
            }
        }
        if !ports.inputs.contains_key(&InputPort::ProgValid) {
            return Ok(None);
        }
        Ok(Some(Self {
            geometry: *geometry,
            inputs: ports.inputs.clone(),
            delays: ports.flag_delays.clone(),
            waiting: VecDeque::new(),
            stimulus: Stimulus::default(),
            io_cells: BTreeSet::new(),
            answers: Vec::new(),
            shown: BTreeMap::new(),
        }))
    }

    /// Receives the port values of a cycle; cycles must be in order, starting with 0. Returns the inputs that are
    /// complete now.
    pub(crate) fn sample(
        &mut self,
        cycle: u64,
        values: &LatestValues,
    ) -> Result<Vec<StimulusEntry>, String> {
        let mut new = Vec::new();
        let now = CyclePorts { inputs: &self.inputs, values, cycle };
        if cycle == 0 {
            self.io_cells = now.straps(&self.geometry)?;
        }
        let word = now.valid(InputPort::ProgValid, ports::prog)?;
        // Blocks for columns that the fabric does not have are ignored.
        let columns = self.geometry.columns;
        let sram_init = now.valid(InputPort::SramInitValid, ports::sram_init)?;
        let sram_init = sram_init.filter(|init| init.col < columns);
        let sram_init = sram_init.map(|init| SramInit { valid: true, ..init });
        let rf_init =
            now.valid(InputPort::RfInitValid, ports::rf_init)?.filter(|init| init.col < columns);
        let idle = now.idle(self.delays.iter().all(|delay| *delay == 0));
        if sram_init.is_some() || rf_init.is_some() || idle.is_some() {
            new.push(StimulusEntry { cycle, sram_init, rf_init, idle, prog: None });
        }
        let answers = now.answers(&self.geometry)?;
        if let Some(word) = word {
            let geometry = &self.geometry;
            let cells = selected(&word, geometry);
            let mut delays: BTreeSet<u32> =
                cells.map(|cell| self.delays[cell.index(geometry)]).collect();
            if delays.is_empty() {
                delays.insert(0);
            }
            self.waiting.push_back(WaitingWord { cycle, word, delays, flag: None });
        }
        self.flags(cycle, values, &mut new)?;
        for (column, bits) in answers {
            if self.shown.get(&column) != Some(&bits) {
                self.answers.push((cycle, column, bits.clone()));
                self.shown.insert(column, bits);
            }
        }
        new.iter().for_each(|entry| self.stimulus.add(*entry));
        Ok(new)
    }

    /// Assigns the flag of this cycle to the words that wait for it.
    fn flags(
        &mut self,
        cycle: u64,
        values: &LatestValues,
        new: &mut Vec<StimulusEntry>,
    ) -> Result<(), String> {
        let now = CyclePorts { inputs: &self.inputs, values, cycle };
        for waiting in &mut self.waiting {
            let delay = u32::try_from(cycle - waiting.cycle).unwrap_or(u32::MAX);
            if waiting.delays.remove(&delay) {
                let flag = now.known(InputPort::ProgImm)? == 1;
                if waiting.flag.is_some_and(|other| other != flag) {
                    return Err(format!(
                        "the word in cycle {} goes to several cells whose immediate flags differ: check `flag_delay` in the map",
                        waiting.cycle
                    ));
                }
                waiting.flag = Some(flag);
            }
        }
        while self.waiting.front().is_some_and(|word| word.delays.is_empty()) {
            new.extend(self.waiting.pop_front().iter().map(WaitingWord::entry));
        }
        Ok(())
    }

    /// The inputs so far.
    pub(crate) fn stimulus(&self) -> &Stimulus {
        &self.stimulus
    }

    /// The cells whose strap is 1, from cycle 0 on.
    pub(crate) fn io_cells(&self) -> &BTreeSet<CellId> {
        &self.io_cells
    }

    /// True if the map has the port with the answers of the input buffers.
    pub(crate) fn shows_answers(&self) -> bool {
        self.inputs.contains_key(&InputPort::IoInData)
    }

    /// The values on that port by column, each with its first cycle, in order.
    pub(crate) fn answers(&self) -> &[(u64, ColumnId, Value)] {
        &self.answers
    }

    /// The case that was driven, with the answers that the golden model receives in this many cycles.
    pub(crate) fn case(mut self, name: &str, cycles: u64) -> (Case, BufferAnswers) {
        // The waveform ended before the flags of these last words arrived; a missing flag counts as 0.
        let mut stimulus = std::mem::take(&mut self.stimulus);
        self.waiting.iter().for_each(|word| stimulus.add(word.entry()));
        let mut case = Case {
            name: name.to_owned(),
            geometry: self.geometry,
            ports: true,
            io_cells: std::mem::take(&mut self.io_cells),
            stimulus,
            ..Case::default()
        };
        for entry in case.stimulus.entries() {
            let Some(word) = &entry.prog else { continue };
            for cell in selected(word, &self.geometry) {
                let bits = Word { bits: word.instr.into(), immediate: word.imm };
                case.program.push(cell, bits);
            }
        }
        let answers = BufferAnswers::of(&case, &self.answers, cycles);
        case.input_buffers = answers.blocks().collect();
        (case, answers)
    }
}

impl WaitingWord {
    fn entry(&self) -> StimulusEntry {
        let word = ProgWord { imm: self.flag.unwrap_or(false), ..self.word };
        StimulusEntry { cycle: self.cycle, prog: Some(word), ..StimulusEntry::default() }
    }
}

/// The cells that a word selects.
pub(crate) fn selected(
    word: &ProgWord,
    geometry: &Geometry,
) -> impl Iterator<Item = CellId> + use<> {
    let (rows, columns) = (word.row_sel, word.col_sel);
    CellId::all(geometry).filter(move |c| rows >> c.row() & 1 == 1 && columns >> c.col() & 1 == 1)
}
