// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memories that no signal shows: signals that behave as their write port. At every edge that writes, data and
//! address are those of the golden model; an enable, or two of them together, is active at these edges and at no
//! other. The three are in one scope.

mod enable;
mod place;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use drra_isa::{Unit, fabric::RegisterId};

use super::{
    common::Common,
    number::Indices,
    paths::{PathForm, Paths},
    patterns::{Outcome, Pattern},
    prints::{Registers, Write},
    recording::Recordings,
    solve::Solution,
    terms::Terms,
};
use crate::{
    dump::{DumpError, Shown},
    frames::Edge,
};
use enable::{Enable, Levels};
use place::{Tile, solution};

/// Bits of a row.
const ROW_BITS: u32 = 256;
/// Widest address.
const ADDRESS_BITS: u32 = 64;
/// Cycles that a write port can be later than the write.
const OFFSETS: [i32; 3] = [0, 1, -1];
/// Forms of paths of data that are looked at.
const FORMS: usize = 16;

/// A write port.
#[derive(Clone, Debug)]
pub(super) struct WritePort {
    data: Solution,
    address: Solution,
    /// All are 1 where something is written; the flag says that the signal is inverted.
    enables: Vec<(Solution, bool)>,
    pub(super) offset: i32,
    /// Other ports that behave in the same way.
    pub(super) others: Vec<String>,
}

impl WritePort {
    /// The forms of its paths: data, address, enables.
    pub(super) fn forms(&self) -> Vec<String> {
        let enables = self.enables.iter().map(|(enable, inverted)| {
            let not = if *inverted { "not " } else { "" };
            format!("{not}{}", enable.form)
        });
        [&self.data, &self.address].map(|s| s.form.clone()).into_iter().chain(enables).collect()
    }

    /// It as a value of the blocks.
    pub(super) fn term(&self, terms: &mut Terms<'_>) -> Option<String> {
        let mut enables = Vec::new();
        for (enable, inverted) in &self.enables {
            let not = if *inverted { "~" } else { "" };
            enables.push(format!("{not}{}", terms.solution(enable, &[])?));
        }
        let (address, data) =
            (terms.solution(&self.address, &[])?, terms.solution(&self.data, &[])?);
        Some(format!("memory(enable: {}, address: {address}, data: {data})", enables.join(" & ")))
    }

    /// What a reader of the map has to know.
    pub(super) fn note(&self) -> Option<String> {
        let text = "rebuilt from what behaves as the write port: check it";
        Some(text.to_owned())
    }
}

/// Takes a cycle: its place, the signals that got a value, and the values.
pub(super) type EachCycle<'a> = &'a mut dyn FnMut(usize, &[usize], &HashMap<usize, Shown>);

/// The edges of all recordings.
pub(super) struct Timeline<'a> {
    pub(super) common: &'a Common,
    pub(super) recordings: Recordings<'a>,
    pub(super) clock: (usize, Edge),
    /// By recording: the edge that ends cycle 0, and the cycles from there on.
    pub(super) cycles: &'a [(u64, u64)],
}

impl Timeline<'_> {
    /// Delivers the cycles of all recordings from cycle 0 on: the place among all cycles, the wanted signals that
    /// got a value since the cycle before, and the values of all; of cycle 0 all got one.
    pub(super) fn play(&self, wanted: &[usize], each: EachCycle<'_>) -> Result<(), DumpError> {
        let mut position = 0;
        for (n, dump) in self.recordings.dumps() {
            let start = self.cycles[n].0;
            let mut now: HashMap<usize, Shown> = HashMap::new();
            self.common.edges((dump, n), self.clock, wanted, &mut |edge, changes| {
                now.extend(changes.iter().cloned());
                if edge < start {
                    return;
                }
                let changed: Vec<usize> = match edge == start {
                    true => now.keys().copied().collect(),
                    false => changes.iter().map(|(signal, _)| *signal).collect(),
                };
                each(position, &changed, &now);
                position += 1;
            })?;
        }
        Ok(())
    }

    /// The place of a cycle of a recording among all; `None` if it is not recorded.
    fn position(&self, recording: usize, cycle: i64) -> Option<usize> {
        let inside = (0..self.cycles[recording].1 as i64).contains(&cycle);
        let before: u64 = self.cycles[..recording].iter().map(|(_, count)| count).sum();
        inside.then(|| before as usize + cycle as usize)
    }

    /// The place at which the port shows a write.
    fn of_write(&self, write: &Write, offset: i32) -> Option<usize> {
        self.position(write.recording, write.cycle as i64 - 1 + i64::from(offset))
    }
}

/// Looks for the write port if nothing else shows the memories.
pub(super) fn learn(
    patterns: &[Pattern],
    outcomes: &mut [Outcome],
    registers: &Registers,
    paths: &Paths,
    timeline: &Timeline<'_>,
) -> Result<(), DumpError> {
    let missing = |(pattern, outcome): (&Pattern, &Outcome)| {
        pattern.id == RegisterId::TileSram && matches!(outcome, Outcome::Missing(_))
    };
    let Some(n) = patterns.iter().zip(outcomes.iter()).position(missing) else { return Ok(()) };
    let tiles = tiles(&patterns[n], registers);
    let data = data(&tiles, paths, timeline)?;
    let found = ports(&tiles, &data, paths, timeline)?;
    let mut found = found.into_iter();
    if let Some(mut best) = found.next() {
        best.others = found.map(|port| port.forms().join(", ")).collect();
        outcomes[n] = Outcome::Memory(Box::new(best));
    }
    Ok(())
}

/// The tiles with their indices and writes.
fn tiles(pattern: &Pattern, registers: &Registers) -> Vec<Tile> {
    let mut tiles: BTreeMap<Unit, Tile> = BTreeMap::new();
    for (instance, location) in pattern.instances.iter().zip(&pattern.locations) {
        let without_row: Indices =
            instance.indices.iter().copied().filter(|(letter, _)| *letter != 'k').collect();
        tiles.entry(location.unit).or_insert(Tile { indices: without_row, writes: Vec::new() });
    }
    for write in &registers.writes {
        if let Some(tile) = tiles.get_mut(&Unit::Tile(write.tile)) {
            tile.writes.push(*write);
        }
    }
    tiles.into_values().collect()
}

/// Signals as wide as a row that show the data of all writes: with the offset, by form, for each tile.
fn data(
    tiles: &[Tile],
    paths: &Paths,
    timeline: &Timeline<'_>,
) -> Result<Vec<(i32, Solution)>, DumpError> {
    let wanted = timeline.common.of_width(&[ROW_BITS]);
    let writes =
        tiles.iter().enumerate().flat_map(|(t, tile)| tile.writes.iter().map(move |w| (t, w)));
    let mut at: HashMap<usize, Vec<(usize, usize, &Write)>> = HashMap::new();
    for (t, write) in writes {
        for (o, offset) in OFFSETS.into_iter().enumerate() {
            if let Some(position) = timeline.of_write(write, offset) {
                at.entry(position).or_default().push((o, t, write));
            }
        }
    }
    let of = |tile: &Tile| if tile.writes.is_empty() { Vec::new() } else { wanted.clone() };
    let mut alive: Vec<Vec<Vec<usize>>> = vec![tiles.iter().map(of).collect(); OFFSETS.len()];
    timeline.play(&wanted, &mut |position, _, now| {
        for (o, t, write) in at.get(&position).into_iter().flatten() {
            let shows = |signal: &usize| match now.get(signal) {
                Some(Shown::Bits(bits)) => bits.is_known() && bits.words() == write.data,
                _ => false,
            };
            alive[*o][*t].retain(shows);
        }
    })?;
    let mut solved = Vec::new();
    for (offset, alive) in OFFSETS.into_iter().zip(&alive) {
        let mut forms: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
        for (t, signals) in alive.iter().enumerate() {
            for &signal in signals {
                forms.entry(&paths.forms[signal].form).or_default().push((t, signal));
            }
        }
        let mut of_offset: Vec<Solution> = forms
            .into_iter()
            .filter_map(|(form, members)| solution(tiles, form, &members, paths, ROW_BITS))
            .collect();
        of_offset.sort_by_key(|s| (usize::MAX - s.shows.iter().flatten().count(), s.form.len()));
        of_offset.truncate(FORMS);
        solved.extend(of_offset.into_iter().map(|s| (offset, s)));
    }
    Ok(solved)
}

/// What is beside the data of a memory in the same scope.
struct Beside<'a> {
    common: &'a Common,
    by_scope: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Beside<'a> {
    /// Of all signals of these widths.
    fn new(common: &'a Common, widths: impl Fn(u32) -> bool) -> Self {
        let mut by_scope: HashMap<&str, Vec<usize>> = HashMap::new();
        for n in (0..common.signals.len()).filter(|n| widths(common.width(*n))) {
            by_scope.entry(PathForm::scope(&common.signals[n].path)).or_default().push(n);
        }
        Self { common, by_scope }
    }

    fn of(&self, signal: usize) -> &[usize] {
        let scope = PathForm::scope(&self.common.signals[signal].path);
        self.by_scope.get(scope).map_or(&[], Vec::as_slice)
    }

    fn leaf(&self, signal: usize) -> &str {
        PathForm::leaf(&self.common.signals[signal].path)
    }

    /// For each name beside the first of these signals: the signals of this name beside all of them.
    fn names(&self, signals: &[Option<usize>]) -> Vec<Vec<Option<usize>>> {
        let Some(first) = signals.iter().flatten().next() else { return Vec::new() };
        let named = |name: &str, of: &Option<usize>| {
            self.of((*of)?).iter().copied().find(|n| self.leaf(*n) == name)
        };
        let all = self.of(*first).iter();
        all.map(|n| signals.iter().map(|of| named(self.leaf(*n), of)).collect()).collect()
    }

    /// Width of the first of these signals.
    fn width(&self, signals: &[Option<usize>]) -> u32 {
        signals.iter().flatten().next().map_or(0, |n| self.common.width(*n))
    }
}

/// Ports with these data.
fn ports(
    tiles: &[Tile],
    data: &[(i32, Solution)],
    paths: &Paths,
    timeline: &Timeline<'_>,
) -> Result<Vec<WritePort>, DumpError> {
    let rows = tiles.iter().flat_map(|t| &t.writes).map(|w| w.row).max().unwrap_or(0);
    let least = (usize::BITS - rows.leading_zeros()).max(2);
    let is_address = |width| (least..=ADDRESS_BITS).contains(&width);
    let beside = Beside::new(timeline.common, |width| width == 1 || is_address(width));
    let signals = |data: &Solution| -> Vec<Option<usize>> {
        data.shows.iter().map(|s| s.map(|s| s.signal)).collect()
    };
    let all = data.iter().flat_map(|(_, data)| signals(data)).flatten();
    let wanted: BTreeSet<usize> = all.flat_map(|signal| beside.of(signal)).copied().collect();
    let levels = Levels::read(&wanted.into_iter().collect::<Vec<_>>(), timeline)?;
    let solved = |of: &[Option<usize>]| {
        let members: Vec<(usize, usize)> =
            of.iter().enumerate().filter_map(|(t, n)| Some((t, (*n)?))).collect();
        let form = &paths.forms[members.first()?.1].form;
        solution(tiles, form, &members, paths, beside.width(of))
    };
    let mut found = Vec::new();
    for (offset, data) in data {
        let offset = *offset;
        let names = beside.names(&signals(data));
        let (bits, numbers): (Vec<&Vec<_>>, Vec<&Vec<_>>) =
            names.iter().partition(|of| beside.width(of) == 1);
        let address =
            numbers.into_iter().find(|of| levels.are_addresses(tiles, of, timeline, offset));
        let Some(address) = address.and_then(|of| solved(of)) else { continue };
        for enable in enable::find(tiles, &bits, &levels, timeline, offset) {
            let of = |e: &Enable<'_>| Some((solved(e.signals)?, e.inverted));
            let Some(enables) = enable.iter().map(of).collect::<Option<Vec<_>>>() else { continue };
            let (data, address) = (data.clone(), address.clone());
            found.push(WritePort { data, address, enables, offset, others: Vec::new() });
        }
    }
    Ok(found)
}
