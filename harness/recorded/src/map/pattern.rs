// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns of registers: canonical paths in which a letter stands for every index, as in
//! `cell[r][c].rf.agu[k].state`.

use drra_isa::{
    CellId, ColumnId, Geometry, TileId, Unit, UnitKind,
    fabric::{Key, Location, Register, RegisterId},
};

use super::{
    grammar::{Item, Span},
    problem::Problem,
};

/// What a person can do about a pattern that is none.
const HELP: &str = "paths are those of chapter 5, section 7; an index letter is one letter";

/// What the letters of a pattern stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bindings(pub(super) Vec<(char, Item)>);

impl Bindings {
    /// Letters with what they stand for.
    pub(super) fn new(bindings: impl IntoIterator<Item = (char, usize)>) -> Self {
        Self(bindings.into_iter().map(|(l, n)| (l, Item::Number(n as i64))).collect())
    }

    /// What a letter stands for.
    pub(super) fn get(&self, letter: char) -> Option<&Item> {
        self.0.iter().find(|(l, _)| *l == letter).map(|(_, item)| item)
    }
}

/// What an index of a pattern is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Index {
    /// Every index.
    Letter(char),
    /// This one.
    Fixed(usize),
}

/// A pattern of registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    unit: UnitKind,
    /// Indices of the unit, rows first.
    places: Vec<Index>,
    register: RegisterId,
    /// Index of the register, if it has a key.
    key: Option<Index>,
}

impl Pattern {
    /// Reads a pattern that stands at a place.
    pub(super) fn parse(text: &str, span: &Span) -> Result<Self, Problem> {
        let wrong = |what: String| Problem::new(span.clone(), what, HELP);
        let units = [
            (UnitKind::Cell, "cell", 2),
            (UnitKind::Column, "col", 1),
            (UnitKind::Tile, "tile", 2),
        ];
        let of_unit = units.into_iter().find_map(|(unit, name, count)| {
            let mut rest = text.strip_prefix(name)?;
            let mut places = Vec::new();
            for _ in 0..count {
                let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
                places.push(letter(index).map(Index::Letter).or_else(|| fixed(index))?);
                rest = after;
            }
            Some((unit, places, rest.strip_prefix('.')?))
        });
        let (unit, places, path) = of_unit.unwrap_or((UnitKind::Fabric, Vec::new(), text));
        let Some((register, key)) = register(unit, path) else {
            let like = nearest(text).join(", ");
            let like = if like.is_empty() { like } else { format!("; like it are {like}") };
            return Err(wrong(format!("`{text}` is no register{like}")));
        };
        let pattern = Self { unit, places, register, key };
        let letters: Vec<char> = pattern.letters().collect();
        match letters.iter().enumerate().find(|(i, l)| letters[..*i].contains(l)) {
            Some((_, letter)) => {
                Err(wrong(format!("`{text}`: the letter `{letter}` stands for two indices")))
            }
            None => Ok(pattern),
        }
    }

    /// What is wrong with a pattern that no register of the fabric has.
    pub(super) fn outside(text: &str, span: &Span) -> Problem {
        Problem::new(span.clone(), format!("`{text}`: the fabric has no such index"), HELP)
    }

    fn indices(&self) -> impl Iterator<Item = &Index> {
        self.places.iter().chain(&self.key)
    }

    pub(super) fn letters(&self) -> impl Iterator<Item = char> {
        self.indices().filter_map(|index| match index {
            Index::Letter(letter) => Some(*letter),
            Index::Fixed(_) => None,
        })
    }

    /// Number of indices that are fixed. Of two patterns the one with more of them counts.
    pub(super) fn fixed(&self) -> usize {
        self.indices().filter(|index| matches!(index, Index::Fixed(_))).count()
    }

    /// The register, but for its key.
    pub(super) fn register(&self) -> RegisterId {
        self.register
    }

    /// True if its registers differ in their key, and the pattern takes all of them.
    pub(super) fn takes_all_keys(&self) -> bool {
        matches!(self.key, Some(Index::Letter(_)))
    }

    /// All its registers in a fabric, in the order of the state tables, with what the letters stand for.
    pub(super) fn locations(&self, geometry: &Geometry) -> Vec<(Location, Bindings)> {
        let mut locations = Vec::new();
        for unit in Unit::of_kind(self.unit, geometry) {
            let mut of_unit = Bindings::default();
            let fits = |bindings: &mut Bindings, index: &Index, item: (usize, Item)| match index {
                Index::Fixed(fixed) => *fixed == item.0,
                Index::Letter(letter) => {
                    bindings.0.push((*letter, item.1));
                    true
                }
            };
            let places = place(unit).into_iter().map(|n| (n, Item::Number(n as i64)));
            if !self.places.iter().zip(places).all(|(index, item)| fits(&mut of_unit, index, item))
            {
                continue;
            }
            for register in self.register.all(geometry) {
                let mut bindings = of_unit.clone();
                let key = (register.key().index(), item(register.key()));
                if self.key.as_ref().is_none_or(|index| fits(&mut bindings, index, key)) {
                    locations.extend(Location::new(unit, register).map(|l| (l, bindings)));
                }
            }
        }
        locations
    }

    /// Its register under bindings that have all its letters.
    pub(super) fn bound(
        &self,
        (text, span): (&str, &Span),
        bindings: &Bindings,
        geometry: &Geometry,
    ) -> Result<Location, Problem> {
        let index = |index: &Index| match index {
            Index::Fixed(fixed) => Ok(*fixed),
            Index::Letter(letter) => match bindings.get(*letter) {
                Some(Item::Number(n) | Item::Name(_, Some(n))) => Ok(*n as usize),
                _ => {
                    let what =
                        format!("`{text}`: the letter `{letter}` stands for no index of the entry");
                    Err(Problem::new(span.clone(), what, HELP))
                }
            },
        };
        let places = self.places.iter().map(index).collect::<Result<Vec<_>, _>>()?;
        let key = self.key.as_ref().map(index).transpose()?;
        let find = || {
            let unit = match (self.unit, places.as_slice()) {
                (UnitKind::Cell, &[row, col]) => CellId::new(row, col)?.into(),
                (UnitKind::Column, &[col]) => ColumnId::new(col)?.into(),
                (UnitKind::Tile, &[row, col]) => TileId::new(row, col)?.into(),
                _ => Unit::Fabric,
            };
            let mut registers = self.register.all(geometry);
            let register = registers.find(|r| key.is_none_or(|k| r.key().index() == k))?;
            Location::new(unit, register).filter(|l| l.unit.is_in(geometry))
        };
        find().ok_or_else(|| Self::outside(text, span))
    }
}

/// Indices of a unit as in its path.
fn place(unit: Unit) -> Vec<usize> {
    match unit {
        Unit::Cell(cell) => vec![cell.row(), cell.col()],
        Unit::Column(column) => vec![column.col()],
        Unit::Tile(tile) => vec![tile.row(), tile.col()],
        Unit::Fabric => Vec::new(),
    }
}

fn item(key: Key) -> Item {
    let number = key.index() as i64;
    key.name().map_or(Item::Number(number), |name| Item::Name(name.to_owned(), Some(number)))
}

/// A letter, with or without braces.
fn letter(text: &str) -> Option<char> {
    let text = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')).unwrap_or(text);
    let mut characters = text.chars();
    characters.next().filter(|c| c.is_ascii_alphabetic() && characters.next().is_none())
}

fn fixed(text: &str) -> Option<Index> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().map(Index::Fixed)
}

/// Register and index of its key, of a path without the unit.
fn register(unit: UnitKind, path: &str) -> Option<(RegisterId, Option<Index>)> {
    let of_unit = RegisterId::ALL.iter().copied().filter(|id| id.info().unit == unit);
    // What has a register's own name is that register, whatever else it could be read as.
    let named = of_unit.clone().find_map(|id| {
        let register = Register::from_path(unit, path).filter(|r| r.id() == id)?;
        Some((id, id.key_kind().map(|_| Index::Fixed(register.key().index()))))
    });
    named.or_else(|| {
        let mut ids = of_unit;
        ids.find_map(|id| {
            let (before, rest) = id.info().path.split_once('{')?;
            let (_, after) = rest.split_once('}')?;
            let key = path.strip_prefix(before)?.strip_suffix(after)?;
            Some((id, Some(Index::Letter(letter(key)?))))
        })
    })
}

/// Paths of registers of which the last level is the same.
fn nearest(text: &str) -> Vec<String> {
    let last = text.rsplit('.').next().unwrap_or_default();
    let last = last.split('[').next().unwrap_or_default();
    let like = RegisterId::ALL.iter().filter(|id| !last.is_empty() && id.info().name == last);
    like.take(3)
        .map(|id| match id.info().unit {
            UnitKind::Cell => format!("cell[r][c].{id}"),
            UnitKind::Column => format!("col[c].{id}"),
            UnitKind::Tile => format!("tile[R][c].{id}"),
            UnitKind::Fabric => id.to_string(),
        })
        .collect()
}
