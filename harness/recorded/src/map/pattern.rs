// SPDX-License-Identifier: MIT OR Apache-2.0
//! Register patterns: canonical paths with letters in place of indices, as in `cell[r][c].rf.agu[k].state`.

use std::cmp::Reverse;

use drra_fabric::{Key, Location, Register, RegisterId};
use drra_isa::{Geometry, Unit, UnitKind};

use super::{
    file::{IndexValue, Span},
    problem::MapProblem,
    reader::Bindings,
};

/// Remedy for a text that is not a pattern.
const HELP: &str = "paths are those of chapter 5, section 7; a single letter can replace any index";

/// The common beginning of the register paths of a unit kind, with a letter for every index.
pub(crate) fn of_unit(kind: UnitKind) -> &'static str {
    match kind {
        UnitKind::Cell => "cell[r][c].",
        UnitKind::Column => "col[c].",
        UnitKind::Tile => "tile[R][c].",
        UnitKind::Fabric => "",
    }
}

/// The values of the letters of a unit, rows first.
pub(super) fn letters(unit: Unit) -> Bindings {
    let numbers = match unit {
        Unit::Cell(cell) => vec![('r', cell.row()), ('c', cell.col())],
        Unit::Column(column) => vec![('c', column.col())],
        Unit::Tile(tile) => vec![('R', tile.row()), ('c', tile.col())],
        Unit::Fabric => Vec::new(),
    };
    numbers.into_iter().map(|(letter, n)| (letter, IndexValue::from(n as i64))).collect()
}

/// An index of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PatternIndex {
    /// Any index.
    Letter(char),
    /// This index.
    Fixed(usize),
}

/// A register pattern.
#[derive(Clone, Debug)]
pub(crate) struct RegisterPattern {
    text: String,
    span: Span,
    pub(super) register: RegisterId,
    /// The indices of the unit, rows first, followed by the index of the register, if it has a key.
    indices: Vec<PatternIndex>,
}

impl RegisterPattern {
    /// Reads the pattern at a span.
    pub(crate) fn parse(text: &str, span: &Span) -> Result<Self, MapProblem> {
        let (text, span) = (text.to_owned(), span.clone());
        let found = RegisterId::ALL.iter().filter_map(|id| Some((*id, indices(*id, &text)?)));
        // A register's own name always refers to that register, even if the name could also be read as a pattern.
        let found = found.min_by_key(|(_, indices)| Reverse(fixed(indices)));
        let Some((register, indices)) = found else {
            let like = nearest(&text).join(", ");
            let like = if like.is_empty() { like } else { format!("; similar: {like}") };
            return Err(MapProblem::new(span, format!("`{text}` is not a register{like}"), HELP));
        };
        let pattern = Self { text, span, register, indices };
        let twice = |n: &usize| pattern.indices[..*n].contains(&pattern.indices[*n]);
        let letters = (0..pattern.indices.len()).filter(|n| twice(n)).map(|n| pattern.indices[n]);
        match letters.into_iter().find_map(|index| index.letter()) {
            Some(letter) => {
                Err(pattern.wrong(&format!("the letter `{letter}` is used for two indices")))
            }
            None => Ok(pattern),
        }
    }

    fn wrong(&self, what: &str) -> MapProblem {
        MapProblem::new(self.span.clone(), format!("`{}`: {what}", self.text), HELP)
    }

    /// Number of fixed indices. Of two patterns, the one with more fixed indices takes precedence.
    pub(super) fn fixed(&self) -> usize {
        fixed(&self.indices)
    }

    /// True if the register has a key, and the pattern covers all keys.
    pub(super) fn takes_all_keys(&self) -> bool {
        self.register.key_kind().is_some()
            && matches!(self.indices.last(), Some(PatternIndex::Letter(_)))
    }

    /// All registers of the pattern in a fabric, in the order of the state tables, with the values of the letters.
    ///
    /// # Errors
    /// If the fabric has no such registers.
    pub(crate) fn locations(
        &self,
        geometry: &Geometry,
    ) -> Result<Vec<(Location, Bindings)>, MapProblem> {
        let mut locations = Vec::new();
        for unit in Unit::of_kind(self.register.info().unit, geometry) {
            for register in self.register.all(geometry) {
                let bindings = self.bindings(unit, register.key());
                let location = Location::new(unit, register);
                locations.extend(location.zip(bindings));
            }
        }
        match locations.is_empty() {
            true => Err(self.wrong("the fabric has no such index")),
            false => Ok(locations),
        }
    }

    /// The values of the letters at a register; `None` if the pattern does not cover it.
    fn bindings(&self, unit: Unit, key: Key) -> Option<Bindings> {
        let all = letters(unit).into_iter().map(|(_, item)| item).chain([item(key)]);
        let mut bindings = Bindings::new();
        for (index, item) in self.indices.iter().zip(all) {
            match index {
                PatternIndex::Letter(letter) => bindings.push((*letter, item)),
                PatternIndex::Fixed(fixed) if item.number != Some(*fixed as i64) => return None,
                PatternIndex::Fixed(_) => {}
            }
        }
        Some(bindings)
    }

    /// The register that the pattern names for these values of its letters.
    pub(super) fn bound(
        &self,
        bindings: &Bindings,
        geometry: &Geometry,
    ) -> Result<Location, MapProblem> {
        let mut fixed = self.clone();
        for index in &mut fixed.indices {
            let Some(letter) = index.letter() else { continue };
            let found = bindings.iter().find(|(known, _)| *known == letter);
            let number = found.and_then(|(_, item)| usize::try_from(item.number?).ok());
            let what = || format!("the letter `{letter}` is not an index of the entry");
            *index = PatternIndex::Fixed(number.ok_or_else(|| self.wrong(&what()))?);
        }
        Ok(fixed.locations(geometry)?[0].0)
    }
}

impl PatternIndex {
    fn letter(self) -> Option<char> {
        match self {
            Self::Letter(letter) => Some(letter),
            Self::Fixed(_) => None,
        }
    }
}

fn fixed(indices: &[PatternIndex]) -> usize {
    indices.iter().filter(|index| matches!(index, PatternIndex::Fixed(_))).count()
}

pub(super) fn item(key: Key) -> IndexValue {
    let number = key.index() as i64;
    let text = key.name().map_or_else(|| number.to_string(), str::to_owned);
    IndexValue { text, number: Some(number) }
}

/// The indices of a path, if it is one of the register's paths.
fn indices(id: RegisterId, path: &str) -> Option<Vec<PatternIndex>> {
    let mut indices = Vec::new();
    let unit = of_unit(id.info().unit).split_inclusive(['[', ']']);
    let mut rest = path;
    for piece in unit {
        match piece.strip_suffix(']') {
            None => rest = rest.strip_prefix(piece)?,
            Some(_) => {
                let (index, after) = rest.split_once(']')?;
                indices.push(letter(index).map(PatternIndex::Letter).or_else(|| number(index))?);
                rest = after;
            }
        }
    }
    let template = id.info().path.as_str();
    let Some((before, after)) = template.split_once('{') else {
        return (template == rest).then_some(indices);
    };
    let text = rest.strip_prefix(before)?.strip_suffix(after.split_once('}')?.1)?;
    let mut keys = id.all(&Geometry::LARGEST).map(Register::key);
    let key = keys.find(|key| item(*key).text == text).map(|key| PatternIndex::Fixed(key.index()));
    indices.push(key.or_else(|| letter(text).map(PatternIndex::Letter))?);
    Some(indices)
}

/// A letter, with or without braces.
fn letter(text: &str) -> Option<char> {
    let text = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')).unwrap_or(text);
    let mut characters = text.chars();
    characters.next().filter(|c| c.is_ascii_alphabetic() && characters.next().is_none())
}

fn number(text: &str) -> Option<PatternIndex> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().map(PatternIndex::Fixed)
}

/// Paths of up to three registers whose name is the last level of `text`, for the error message.
fn nearest(text: &str) -> Vec<String> {
    let last = text.rsplit('.').next().unwrap_or_default();
    let last = last.split('[').next().unwrap_or_default();
    let like = RegisterId::ALL.iter().filter(|id| !last.is_empty() && id.info().name == last);
    like.take(3).map(|id| format!("{}{id}", of_unit(id.info().unit))).collect()
}
