// SPDX-License-Identifier: MIT OR Apache-2.0
//! The names of the signals of a waveform or model, and how to find a signal by name.
//!
//! A path is a list of levels separated by dots; a level is a name with any number of indices. All the ways in which
//! simulators write an index, an escaped name or a bit range are equivalent (`x(3)`, `x[3]`, `x.[3]`, `\x[3] `;
//! `pc[5:0]` is `pc`). In a searched path, a level `*` stands for exactly one level, with or without indices; `[*]`
//! stands for any one index. The search is first case-sensitive, and then ignores case if nothing is found.
//!
//! A path that no signal has may name a register of a netlist: `x_reg[3].Q` is also found as `x[3]`, and a name whose
//! elements are single bits numbered from 0 also stands for the vector of these bits, of which fewer than half may be
//! missing.

mod nearest;
mod part;

use std::collections::{BTreeMap, HashMap};

use part::{JoinedPath, in_design};
pub(crate) use part::{PathPart, parts};

/// A signal of one waveform or model, identified by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SignalHandle(u32);

impl SignalHandle {
    /// Number of the signal, starting at 0, in the order of [`SignalNames::all`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The type of a signal's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalKind {
    /// Bits.
    Bits {
        /// Number of bits.
        width: u32,
    },
    /// Text: enumerations in some formats.
    Text,
    /// Real numbers and events, which have no values that can be compared.
    Real,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Path of the signal, as written in the waveform.
    pub path: String,
    /// The type of the values.
    pub kind: SignalKind,
    /// For an enumeration shown as bits: the names of its values, indexed by value. Otherwise empty.
    pub literals: Vec<String>,
}

/// The reason a path does not name exactly one signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameError {
    /// No signal has this path.
    Missing {
        /// The longest prefix of the path that exists; empty if the first level is missing.
        found: String,
    },
    /// More than one signal matches, for example because the path has wildcards.
    Several { paths: Vec<String> },
}

/// The signals of a joined vector, lowest bit first; `None` for a bit that is missing.
type JoinedBits = Vec<Option<SignalHandle>>;

/// A node of the tree, identified by its number; 0 is the root.
type NodeId = usize;

#[derive(Debug, Default)]
struct Node {
    parent: NodeId,
    /// Number of parts from the root to here.
    depth: usize,
    /// The part that leads from the parent to this node.
    part: Option<PathPart>,
    /// The child nodes, by their folded part: several if they differ only in case, or if one is a bit and one an index.
    next: BTreeMap<PathPart, Vec<NodeId>>,
    signals: Vec<SignalHandle>,
    /// Signals of a netlist that have this path in the design, and the vector of the bits below this node.
    in_netlist: Vec<SignalHandle>,
}

/// The names of all signals, as a tree.
#[derive(Debug)]
pub struct SignalNames {
    signals: Vec<Signal>,
    /// The node of each signal.
    places: Vec<NodeId>,
    nodes: Vec<Node>,
    /// The nodes on the path to the node that was looked up last.
    recent: Vec<NodeId>,
    /// The signals by the last part of their paths, in lower case.
    by_last: HashMap<PathPart, Vec<SignalHandle>>,
    /// The bits of the vectors created by `join`, lowest first; these vectors are the last signals.
    vectors: Vec<JoinedBits>,
}

impl Default for SignalNames {
    fn default() -> Self {
        Self {
            signals: Vec::new(),
            places: Vec::new(),
            nodes: vec![Node::default()],
            recent: Vec::new(),
            by_last: HashMap::new(),
            vectors: Vec::new(),
        }
    }
}

/// The result of a search.
#[derive(Default)]
struct SearchResult {
    /// The signals, each with two flags: true if it is a netlist signal found by the path that it has in the design,
    /// and true if the path differs in case. Only the signals with the smallest pair of flags count.
    signals: Vec<((bool, bool), SignalHandle)>,
    /// The deepest node that was reached.
    deepest: NodeId,
}

impl SignalNames {
    /// Adds a signal; `literals` are its [`Signal::literals`]. A name with an index after a blank (`x [5]`) is found
    /// with this index, and also without it if the name has no other index.
    ///
    /// # Panics
    /// If there are more than 2^32 signals.
    pub fn add(&mut self, path: &str, kind: SignalKind, literals: Vec<String>) -> SignalHandle {
        let parts = parts(path);
        let in_netlist = in_design(&parts).map(|parts| self.place(parts));
        let place = self.place(parts);
        let id = self.add_at(place, Signal { path: path.to_owned(), kind, literals });
        self.nodes[place].signals.push(id);
        if let Some(part) = &self.nodes[place].part {
            self.by_last.entry(part.folded().into_owned()).or_default().push(id);
        }
        in_netlist.into_iter().for_each(|place| self.nodes[place].in_netlist.push(id));
        id
    }

    fn add_at(&mut self, place: NodeId, signal: Signal) -> SignalHandle {
        let id = SignalHandle(u32::try_from(self.signals.len()).expect("signals fit in 32 bits"));
        self.places.push(place);
        self.signals.push(signal);
        id
    }

    /// Adds a vector for each name that has no signal itself, but two or more numbered elements: single bits, of which
    /// more than half are there, or whole vectors of single bits, without gaps. Call this when all signals have been
    /// added.
    pub fn join(&mut self) {
        // A node has a higher number than its parent.
        for place in (1..self.nodes.len()).rev() {
            let node = &self.nodes[place];
            let count = node.next.len();
            let number = |part: &PathPart| match part {
                PathPart::Index(text) => text.parse().ok(),
                _ => None,
            };
            let numbers: Option<Vec<usize>> = node.next.keys().map(number).collect();
            let last = numbers.iter().flatten().max().map_or(usize::MAX, |last| *last);
            let known = !node.signals.is_empty() || !node.in_netlist.is_empty();
            if known || count < 2 || last >= 2 * count - 1 {
                continue;
            }
            let elements: Option<Vec<_>> = (0..=last).map(|n| self.element(place, n)).collect();
            let Some(elements) = elements else { continue };
            let each = elements[0].len();
            let odd = |bits: &JoinedBits| bits.len() != each || each > 1 && bits.contains(&None);
            if elements.iter().any(odd) {
                continue;
            }
            let bits = elements.concat();
            let Ok(width) = u32::try_from(bits.len()) else { continue };
            let path = JoinedPath(&self.path_of(place)).to_string();
            let kind = SignalKind::Bits { width };
            let id = self.add_at(place, Signal { path, kind, literals: Vec::new() });
            self.nodes[place].in_netlist.push(id);
            self.vectors.push(bits);
        }
    }

    /// The bits of an element that is one bit, is missing, or was joined.
    fn element(&self, place: NodeId, n: usize) -> Option<JoinedBits> {
        let node = self.nodes[place].next.get(&PathPart::Index(n.to_string().into()));
        let Some(node) = node else { return Some(vec![None]) };
        let [node] = node[..] else { return None };
        let Node { signals, in_netlist, .. } = &self.nodes[node];
        let [id] = (if signals.is_empty() { in_netlist } else { signals })[..] else { return None };
        match self.bits(id) {
            [] => (self.signal(id).kind == SignalKind::Bits { width: 1 }).then(|| vec![Some(id)]),
            bits => Some(bits.to_vec()),
        }
    }

    /// The signals that a vector is joined from, lowest first, with `None` for a missing bit; empty for other signals.
    pub(crate) fn bits(&self, id: SignalHandle) -> &[Option<SignalHandle>] {
        let first = self.signals.len() - self.vectors.len();
        id.index().checked_sub(first).map_or(&[], |n| &self.vectors[n])
    }

    /// True if a signal was joined from single bits, so that bits above the highest one may be missing, too.
    pub(crate) fn is_open(&self, id: SignalHandle) -> bool {
        let there = self.bits(id).iter().flatten().count();
        there > 0 && there == self.nodes[self.places[id.index()]].next.len()
    }

    /// The node with this path. The path shares most of its levels with the path of the previous signal, because
    /// signals come scope by scope.
    fn place(&mut self, parts: Vec<PathPart>) -> NodeId {
        let mut both = parts.iter().zip(&self.recent);
        let is_new =
            |(part, place): (&PathPart, &NodeId)| self.nodes[*place].part.as_ref() != Some(part);
        let known = both.position(is_new).unwrap_or(parts.len().min(self.recent.len()));
        self.recent.truncate(known);
        for part in parts.into_iter().skip(known) {
            let place = self.child(self.recent.last().copied().unwrap_or(0), part);
            self.recent.push(place);
        }
        self.recent.last().copied().unwrap_or(0)
    }

    fn child(&mut self, parent: NodeId, part: PathPart) -> NodeId {
        let known = self.nodes[parent].next.get(&*part.folded()).and_then(|nodes| {
            nodes.iter().copied().find(|&node| self.nodes[node].part.as_ref() == Some(&part))
        });
        known.unwrap_or_else(|| {
            let new = self.nodes.len();
            let depth = self.nodes[parent].depth + 1;
            let folded = part.folded().into_owned();
            self.nodes.push(Node { parent, depth, part: Some(part), ..Node::default() });
            self.nodes[parent].next.entry(folded).or_default().push(new);
            new
        })
    }

    /// The signal with this number.
    ///
    /// # Panics
    /// If the id belongs to other names.
    pub fn signal(&self, id: SignalHandle) -> &Signal {
        &self.signals[id.index()]
    }

    /// All signals, in the order of their numbers.
    pub fn all(&self) -> impl Iterator<Item = (SignalHandle, &Signal)> {
        (0..).map(SignalHandle).zip(&self.signals)
    }

    /// The one signal that matches a path.
    ///
    /// # Errors
    /// If no signal or more than one signal matches.
    pub fn find(&self, path: &str) -> Result<SignalHandle, NameError> {
        let mut found = SearchResult::default();
        self.search(0, &parts(path), false, &mut found);
        let best = found.signals.iter().map(|(how, _)| *how).min();
        let best = found.signals.iter().filter(|(how, _)| Some(*how) == best);
        match best.map(|(_, id)| *id).collect::<Vec<_>>()[..] {
            [] => {
                let found = JoinedPath(&self.path_of(found.deepest)).to_string();
                Err(NameError::Missing { found })
            }
            [id] => Ok(id),
            ref several => {
                let paths = several.iter().map(|id| self.signal(*id).path.clone()).collect();
                Err(NameError::Several { paths })
            }
        }
    }

    /// Finds signals that match `pattern` from `node` on. `other_case` is true if the path to the node differs in case.
    fn search(
        &self,
        node: NodeId,
        pattern: &[PathPart],
        other_case: bool,
        found: &mut SearchResult,
    ) {
        if self.nodes[node].depth > self.nodes[found.deepest].depth {
            found.deepest = node;
        }
        let Some((part, rest)) = pattern.split_first() else {
            let Node { signals, in_netlist, .. } = &self.nodes[node];
            // If the bits were joined, the vector is found instead.
            let only = in_netlist.is_empty().then(|| self.only_bits(node));
            let written = signals.iter().chain(only.into_iter().flatten());
            found.signals.extend(written.map(|id| ((false, other_case), *id)));
            found.signals.extend(in_netlist.iter().map(|id| ((true, other_case), *id)));
            return;
        };
        let below = &self.nodes[node].next;
        if !part.is_any() {
            for &next in below.get(&*part.folded()).into_iter().flatten() {
                let other = self.nodes[next].part.as_ref().is_some_and(|p| p.text() != part.text());
                self.search(next, rest, other_case || other, found);
            }
            return;
        }
        let is_name = |part: &PathPart| matches!(part, PathPart::Name(_));
        let fits = |other: &PathPart| is_name(part) == is_name(other);
        let fitting = below.iter().filter(|(other, _)| fits(other));
        let mut places: Vec<NodeId> = fitting.flat_map(|(_, nodes)| nodes).copied().collect();
        // `*` also stands for the indices of its level, if no indices are written.
        let indices = is_name(part) && rest.first().is_none_or(is_name);
        let mut at = 0;
        while let Some(&next) = places.get(at) {
            at += 1;
            self.search(next, rest, other_case, found);
            if indices {
                let below = self.nodes[next].next.values().flatten().copied();
                places.extend(
                    below.filter(|n| matches!(self.nodes[*n].part, Some(PathPart::Index(_)))),
                );
            }
        }
    }

    /// The numbered bits of a node. If there is only one, a path may leave out its number.
    fn only_bits(&self, node: NodeId) -> impl Iterator<Item = &SignalHandle> {
        let bits = self.nodes[node].next.values().flatten();
        bits.map(|&bit| &self.nodes[bit])
            .filter(|bit| matches!(bit.part, Some(PathPart::Bit(_))))
            .flat_map(|bit| &bit.signals)
    }

    /// The parts from the root to a node.
    fn path_of(&self, mut node: NodeId) -> Vec<&PathPart> {
        let mut path = Vec::new();
        while let Some(part) = &self.nodes[node].part {
            path.push(part);
            node = self.nodes[node].parent;
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn names(paths: &[&str]) -> SignalNames {
        let mut names = SignalNames::default();
        for path in paths {
            names.add(path, SignalKind::Bits { width: 1 }, Vec::new());
        }
        names
    }

    #[track_caller]
    fn check(names: &SignalNames, path: &str, expected: Option<&str>) {
        let found = names.find(path).map(|id| names.signal(id).path.as_str());
        assert_eq!(found.as_ref().ok(), expected.as_ref(), "{path}: {found:?}");
    }

    #[test]
    fn every_way_to_write_an_index() {
        let names = names(&["tb.rows(3).x", "tb.mem.[2]", r"tb.\v[1] ", "tb.pc [5:0]"]);
        for path in ["tb.rows(3).x", "tb.rows[3].x", "tb.rows.(3).x"] {
            check(&names, path, Some("tb.rows(3).x"));
        }
        check(&names, "tb.mem[2]", Some("tb.mem.[2]"));
        check(&names, "tb.v(1)", Some(r"tb.\v[1] "));
        check(&names, "tb.pc", Some("tb.pc [5:0]"));
        check(&names, "tb.mem[3]", None);
        check(&names, "tb.mem", None);
    }

    #[test]
    fn wildcards_stand_for_one_level() {
        let names = names(&["a.b.x", "a.c(1).y", "a.c(1).d.x", "a.m.[0]", "a.m.[1]"]);
        check(&names, "a.*.x", Some("a.b.x"));
        check(&names, "a.*.y", Some("a.c(1).y"));
        check(&names, "a.*[1].y", Some("a.c(1).y"));
        check(&names, "a.*.*.x", Some("a.c(1).d.x"));
        check(&names, "*.x", None);
        check(&names, "a.*[0].y", None);
        let Err(NameError::Several { paths }) = names.find("a.m[*]") else {
            panic!("two match");
        };
        assert_eq!(paths, ["a.m.[0]", "a.m.[1]"]);
        assert!(matches!(names.find("a.*"), Err(NameError::Several { .. })));
    }

    #[test]
    fn case_matters_only_if_nothing_is_found_with_it() {
        let names = names(&["TB.Data", "TB.data", "TB.Clk"]);
        check(&names, "TB.data", Some("TB.data"));
        check(&names, "TB.Data", Some("TB.Data"));
        check(&names, "tb.clk", Some("TB.Clk"));
        assert!(matches!(names.find("TB.DATA"), Err(NameError::Several { .. })));
    }

    #[test]
    fn the_only_bit_of_a_range() {
        let names = names(&["t.x [0]", "t.y [3]", "t.y [5]"]);
        for path in ["t.x", "t.x[0]", "t.x [0]"] {
            check(&names, path, Some("t.x [0]"));
        }
        check(&names, "t.y[5]", Some("t.y [5]"));
        assert!(matches!(names.find("t.y"), Err(NameError::Several { .. })));
    }

    #[test]
    fn registers_of_a_netlist() {
        let names =
            names(&["t.u_seq_inst.pc_reg.Q", "t.u_seq.pc_reg.Q", "t.x_reg.Q", "t.x", "t.x_reg.D"]);
        check(&names, "t.x", Some("t.x"));
        check(&names, "t.x_reg.D", Some("t.x_reg.D"));
        check(&names, "T.X_reg.q", Some("t.x_reg.Q"));
        assert!(matches!(names.find("t.u_seq.pc"), Err(NameError::Several { .. })));
    }

    #[test]
    fn bits_apart_are_a_vector() {
        const GAP: usize = 99;
        let mut names = names(&[
            r"t.\u_seq.pc_reg[1] .Q",
            r"t.\u_seq.pc_reg[0] .Q",
            "t.b [0]",
            "t.b [1]",
            "t.m_reg[1][0].Q",
            "t.m_reg[0][0].Q",
            "t.m_reg[0][1].Q",
            "t.m_reg[1][1].Q",
            "t.gap[0]",
            "t.gap[2]",
            "t.few[1]",
            "t.few[3]",
            r"t.levels.\0 ",
            r"t.levels.\1 ",
            "t.whole",
            "t.whole[0]",
            "t.whole[1]",
        ]);
        names.join();
        let bits = |path: &str| {
            let bits = names.find(path).map(|id| names.bits(id));
            let number = |bit: &Option<SignalHandle>| bit.map_or(GAP, SignalHandle::index);
            bits.map(|bits| bits.iter().map(number).collect::<Vec<_>>())
        };
        assert_eq!(bits("t.u_seq.pc"), Ok(vec![1, 0]));
        assert_eq!(bits("t.b"), Ok(vec![2, 3]));
        assert_eq!(bits("t.m[1]"), Ok(vec![4, 7]));
        assert_eq!(bits("t.m"), Ok(vec![5, 6, 4, 7]));
        assert_eq!(bits("t.m[0][1]"), Ok(vec![]));
        assert_eq!(bits("t.whole"), Ok(vec![]));
        assert_eq!(bits("t.gap"), Ok(vec![8, GAP, 9]));
        for missing in ["t.few", "t.levels"] {
            assert!(matches!(bits(missing), Err(NameError::Missing { .. })), "{missing}");
        }
        let pc = names.signal(names.find("*.u_seq.pc").unwrap());
        assert_eq!((pc.path.as_str(), pc.kind), ("t.u_seq.pc", SignalKind::Bits { width: 2 }));
    }

    #[test]
    fn how_much_of_a_missing_path_exists() {
        let names = names(&["tb.dut.rows(3).pc"]);
        for (path, prefix) in [
            ("top.x", ""),
            ("tb.dat", "tb"),
            ("tb.dut.rows[3].pd", "tb.dut.rows[3]"),
            ("tb.dut.rows[4].pc", "tb.dut.rows"),
            ("tb.dut", "tb.dut"),
        ] {
            assert_eq!(names.find(path), Err(NameError::Missing { found: prefix.to_owned() }));
        }
    }

    #[test]
    fn numbers_follow_the_order_of_addition() {
        let names = names(&["a.x", "a.y"]);
        let all: Vec<_> = names.all().map(|(id, s)| (id.index(), s.path.as_str())).collect();
        assert_eq!(all, [(0, "a.x"), (1, "a.y")]);
    }
}
