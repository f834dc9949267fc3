// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constraints of a profile in the form in which they are applied, with names looked up.

use std::collections::{BTreeMap, BTreeSet};

use drra_isa::{
    CellId, Field, Geometry, InstructionField, Opcode, PlacedField,
    instructions::{CODE_BITS, WORD_BITS, swb},
};

use super::{
    Constraint, ConstraintError, ConstraintFault, FieldCondition, FieldValue, Situation,
    values::ValueSet,
    word_rule::{Condition, WordRule},
};
use crate::{instruction::Instruction, operand::operands};

/// Constraints with their names looked up.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResolvedConstraints {
    /// Number of constraints.
    pub(super) count: usize,
    /// Excluded instructions by kind.
    words: Vec<Vec<WordRule>>,
    /// For each value of the flag, the constraint that excludes it for all words.
    flags: [Option<usize>; 2],
    situations: BTreeMap<Situation, usize>,
    /// Maximum number of cells with a program, with the constraint.
    pub(super) most_cells: Option<(usize, usize)>,
    only_cells: Option<(BTreeSet<CellId>, usize)>,
    only_columns: Option<(BTreeSet<usize>, usize)>,
    /// The replacement for an instruction that cannot be changed, by its flag.
    filler: [Option<Instruction>; 2],
}

impl ResolvedConstraints {
    /// Looks up the names in the constraints.
    pub(crate) fn new(constraints: &[Constraint]) -> Result<Self, ConstraintError> {
        let words = vec![Vec::new(); Opcode::ALL.len()];
        let mut rules = Self { count: constraints.len(), words, ..Self::default() };
        for (k, constraint) in constraints.iter().enumerate() {
            rules.add(k, constraint)?;
        }
        if !constraints.is_empty() {
            rules.find_fillers()?;
        }
        Ok(rules)
    }

    fn add(&mut self, k: usize, c: &Constraint) -> Result<(), ConstraintError> {
        let path = format!("constraints[{k}]");
        let of_words = c.instruction.is_some() || !c.fields.is_empty() || c.immediate.is_some();
        let kinds = [
            of_words,
            c.situation.is_some(),
            c.most_cells.is_some(),
            c.only_cells.is_some(),
            c.only_columns.is_some(),
        ];
        if kinds.iter().filter(|k| **k).count() != 1 {
            return Err(ConstraintFault::Kind.at(path));
        }
        let place = |key: &str| ConstraintFault::Place.at(format!("{path}.{key}"));
        if let Some(situation) = c.situation {
            self.situations.entry(situation).or_insert(k);
            if situation == Situation::HighRegisterNumbers {
                self.add_register_numbers(k);
            }
        }
        if let Some(most) = c.most_cells {
            if most == 0 {
                let why = "no cell may have a program".to_owned();
                return Err(ConstraintFault::NothingLeft(why).at(path));
            }
            if self.most_cells.is_none_or(|(before, _)| most < before) {
                self.most_cells = Some((most, k));
            }
        }
        if let Some(cells) = &c.only_cells {
            let set: Option<BTreeSet<_>> = cells.iter().map(|[r, c]| CellId::new(*r, *c)).collect();
            let mut set = set.filter(|set| !set.is_empty()).ok_or_else(|| place("only_cells"))?;
            if let Some((before, _)) = &self.only_cells {
                set.retain(|cell| before.contains(cell));
            }
            self.only_cells = Some((set, k));
        }
        if let Some(columns) = &c.only_columns {
            if columns.is_empty() || !columns.iter().all(|c| *c < Geometry::MAX_COLUMNS) {
                return Err(place("only_columns"));
            }
            let mut set: BTreeSet<_> = columns.iter().copied().collect();
            if let Some((before, _)) = &self.only_columns {
                set.retain(|column| before.contains(column));
            }
            self.only_columns = Some((set, k));
        }
        if of_words { self.add_words(k, c, &path) } else { Ok(()) }
    }

    fn add_words(&mut self, k: usize, c: &Constraint, path: &str) -> Result<(), ConstraintError> {
        let Some(name) = &c.instruction else {
            let Some(flag) = c.immediate.filter(|_| c.fields.is_empty()) else {
                return Err(ConstraintFault::FieldsOfNothing.at(path));
            };
            self.flags[usize::from(flag)].get_or_insert(k);
            return Ok(());
        };
        let known = Opcode::ALL.iter().map(|o| o.name());
        let opcode = Opcode::from_name(name)
            .ok_or_else(|| unknown(format!("{path}.instruction"), "instruction", name, known))?;
        let mut conditions = Vec::new();
        for (name, condition) in &c.fields {
            let path = format!("{path}.fields.{name}");
            let found = opcode.fields().iter().find(|f| f.field.name.eq_ignore_ascii_case(name));
            let Some(placed) = found else {
                let known = opcode.fields().iter().map(|f| f.field.name.as_str());
                return Err(unknown(path, "field", name, known));
            };
            let values = values(&path, condition, placed)?;
            // A condition that every value meets is redundant.
            if values.others().count() > 0 {
                let is_chunk = opcode.chunk_field() == Some(placed.place);
                conditions.push(Condition { placed: *placed, is_chunk, values });
            }
        }
        let rule = WordRule { constraint: k, immediate: c.immediate, conditions };
        self.words[opcode.index()].push(rule);
        Ok(())
    }

    /// Excludes register numbers above 15, and bits that are set above a register number.
    fn add_register_numbers(&mut self, k: usize) {
        for &opcode in Opcode::ALL {
            let of = |field: InstructionField, values: fn(&Field) -> ValueSet| {
                let placed = *opcode.fields().iter().find(|p| p.place == field)?;
                let values = values(placed.field);
                (values.count() > 0).then_some(Condition { placed, is_chunk: false, values })
            };
            for operand in operands(opcode) {
                let high = of(operand.field, |f| ValueSet::between(f, 0, 15).others());
                let upper = operand.upper.and_then(|f| of(f, |f| ValueSet::of(f, &[0]).others()));
                for number in [high, upper].into_iter().flatten() {
                    let dynamic = of(operand.sd, |f| ValueSet::of(f, &[1]));
                    let conditions = dynamic.into_iter().chain([number]).collect();
                    let rule = WordRule { constraint: k, immediate: None, conditions };
                    self.words[opcode.index()].push(rule);
                }
            }
        }
    }

    /// Finds the filler for each flag: the first instruction without effect that nothing excludes, or else a HALT.
    fn find_fillers(&mut self) -> Result<(), ConstraintError> {
        let of = |code: u64| [code << (WORD_BITS - CODE_BITS), 0, 0];
        let wait = of(Opcode::Wait.code());
        let raccu = of(Opcode::Raccu.code());
        // Without its strobe, an SWB does nothing.
        let mut swb = of(Opcode::Swb.code());
        swb::UNUSED0.set(&mut swb, 0);
        let halt = of(Opcode::Halt.code());
        for flag in [false, true] {
            self.filler[usize::from(flag)] = [wait, raccu, swb, halt]
                .into_iter()
                .flat_map(|words| [flag, !flag].map(|f| Instruction::new(words, f, false)))
                .find(|filler| self.permits(filler));
        }
        let halts = [false, true].map(|flag| Instruction::new(halt, flag, false));
        if let Some(k) = self.excludes(Situation::UnloadedMemory)
            && !halts.iter().any(|halt| self.permits(halt))
        {
            let why = "programs must end with a HALT, which is excluded".to_owned();
            return Err(ConstraintFault::NothingLeft(why).at(format!("constraints[{k}]")));
        }
        if self.filler.iter().any(Option::is_none) {
            let why = "a WAIT of one cycle, an idle RACCU, an SWB without strobe and a HALT are all \
                       excluded, but one of them must replace excluded instructions";
            return Err(ConstraintFault::NothingLeft(why.to_owned()).at("constraints"));
        }
        Ok(())
    }

    /// True if there are no constraints.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The smaller of a number of cells and the maximum that may have a program.
    pub(crate) fn most(&self, cells: usize) -> usize {
        self.most_cells.map_or(cells, |(most, _)| most.min(cells))
    }

    /// The constraint that excludes a situation.
    pub(crate) fn excludes(&self, situation: Situation) -> Option<usize> {
        self.situations.get(&situation).copied()
    }

    /// The constraint that excludes one of the given situations: the first one that is excluded.
    pub(super) fn any_of(&self, situations: &[Situation]) -> Option<usize> {
        situations.iter().find_map(|s| self.excludes(*s))
    }

    /// The constraint that excludes a value of the flag for all words.
    pub(super) fn flag(&self, immediate: bool) -> Option<usize> {
        self.flags[usize::from(immediate)]
    }

    /// True for each of the flag values 0 and 1 that remains permitted.
    pub(super) fn flags_left(&self) -> [bool; 2] {
        self.flags.map(|f| f.is_none())
    }

    /// The constraint that keeps a cell unused.
    pub(crate) fn forbids_cell(&self, cell: CellId) -> Option<usize> {
        let cells = self.only_cells.as_ref().filter(|(cells, _)| !cells.contains(&cell));
        cells.map(|(_, k)| *k).or_else(|| self.forbids_column(cell.col()))
    }

    /// The constraint that keeps a column unused.
    pub(crate) fn forbids_column(&self, col: usize) -> Option<usize> {
        let columns = self.only_columns.as_ref().filter(|(columns, _)| !columns.contains(&col));
        columns.map(|(_, k)| *k)
    }

    /// The constraint that specifies which columns are used, if there is one.
    pub(super) fn columns(&self) -> Option<usize> {
        self.only_columns.as_ref().map(|(_, k)| *k)
    }

    /// True if messages of a cell should stay in its column.
    pub(crate) fn keeps_columns(&self) -> bool {
        self.any_of(&[Situation::MessagesMeet, Situation::SramWithoutPath]).is_some()
    }

    /// The instruction that replaces one with this flag.
    pub(crate) fn filler(&self, immediate: bool) -> Instruction {
        self.filler[usize::from(immediate)].expect("determined when the rules were made")
    }

    /// The first rule that excludes an instruction by its words.
    pub(super) fn word_rule(&self, instruction: &Instruction) -> Option<&WordRule> {
        let opcode = instruction.opcode?;
        self.words[opcode.index()].iter().find(|rule| rule.excludes(instruction))
    }

    /// The constraint that an instruction violates by its words.
    pub(super) fn violated(&self, instruction: &Instruction) -> Option<usize> {
        if instruction.opcode.is_none() {
            return self.excludes(Situation::UndefinedWords).or(self.flag(instruction.immediate));
        }
        let rule = self.word_rule(instruction).map(|rule| rule.constraint);
        rule.or(self.flag(instruction.immediate))
    }

    /// True if nothing excludes the words of an instruction.
    pub(super) fn permits(&self, instruction: &Instruction) -> bool {
        self.violated(instruction).is_none()
    }

    /// The constraint that excludes all instructions of a kind.
    pub(crate) fn lacks(&self, opcode: Opcode) -> Option<usize> {
        let whole = |r: &&WordRule| r.conditions.is_empty() && r.immediate.is_none();
        let io = self.excludes(Situation::IoCells).filter(|_| opcode == Opcode::Io);
        io.or_else(|| self.words.get(opcode.index())?.iter().find(whole).map(|r| r.constraint))
    }
}

/// Raw values that meet a condition.
fn values(
    path: &str,
    condition: &FieldCondition,
    placed: &PlacedField,
) -> Result<ValueSet, ConstraintError> {
    let field = placed.field;
    let list = |key: &str, values: &[FieldValue]| {
        let raw = values.iter().enumerate();
        let raw = raw.map(|(k, value)| raw_value(format!("{path}.{key}[{k}]"), value, field));
        Ok(ValueSet::of(field, &raw.collect::<Result<Vec<u64>, _>>()?))
    };
    let range = |key: &str, [least, most]: [i64; 2]| {
        let path = format!("{path}.{key}");
        if least > most {
            return Err(ConstraintFault::Range.at(path));
        }
        for number in [least, most] {
            raw_value(path.clone(), &FieldValue::Number(number), field)?;
        }
        Ok(ValueSet::between(field, least, most))
    };
    match condition {
        FieldCondition { is: Some(v), is_not: None, between: None, outside: None } => list("is", v),
        FieldCondition { is: None, is_not: Some(v), between: None, outside: None } => {
            Ok(list("is_not", v)?.others())
        }
        FieldCondition { is: None, is_not: None, between: Some(r), outside: None } => {
            range("between", *r)
        }
        FieldCondition { is: None, is_not: None, between: None, outside: Some(r) } => {
            Ok(range("outside", *r)?.others())
        }
        _ => Err(ConstraintFault::Condition.at(path)),
    }
}

fn raw_value(path: String, value: &FieldValue, field: &Field) -> Result<u64, ConstraintError> {
    match value {
        FieldValue::Number(number) => {
            let top = (1i64 << field.width) - 1;
            let half = 1i64 << (field.width - 1);
            let (least, most) = if field.signed { (-half, half - 1) } else { (0, top) };
            if !(least..=most).contains(number) {
                return Err(ConstraintFault::Outside { number: *number, least, most }.at(path));
            }
            Ok((*number & top) as u64)
        }
        FieldValue::Name(name) => match field.value_of(name) {
            Some(raw) => Ok(raw),
            None if field.values.is_empty() => Err(ConstraintFault::NoNames(name.clone()).at(path)),
            None => {
                let known = field.values.iter().map(|(_, name)| name.as_str());
                Err(unknown(path, "value", name, known))
            }
        },
    }
}

fn unknown<'a>(
    path: String,
    what: &'static str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> ConstraintError {
    let like = |known: &&str| strsim::osa_distance(&known.to_lowercase(), &name.to_lowercase());
    let nearest = known.min_by_key(like).unwrap_or_default().to_owned();
    ConstraintFault::Unknown { what, name: name.to_owned(), nearest }.at(path)
}
