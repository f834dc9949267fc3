// SPDX-License-Identifier: MIT OR Apache-2.0
//! Suggests existing paths that are similar to a path that does not exist.

use std::{cmp::Reverse, collections::HashSet};

use super::{JoinedPath, NodeId, PathPart, SearchResult, SignalHandle, SignalNames, parts};

/// Number of candidates of each kind at which the search for more stops.
const MAX_CANDIDATES: usize = 400;
/// Maximum number of candidates that are compared letter by letter: those that share the most parts with the path.
const MAX_COMPARED: usize = 24;
/// If no signal has the last part of a path: the maximum number of similar parts to consider, and their maximum
/// difference in length.
const MISSPELT: usize = 3;

impl SignalNames {
    /// At most `count` existing paths similar to this one, the most similar first.
    pub fn nearest(&self, path: &str, count: usize) -> Vec<String> {
        // The part of the path that exists, with its wildcards resolved, followed by the rest.
        let pattern = parts(path);
        let mut found = SearchResult::default();
        self.search(0, &pattern, false, &mut found);
        let folded = |parts: Vec<&PathPart>| -> Vec<PathPart> {
            parts.into_iter().map(|part| part.folded().into_owned()).collect()
        };
        let mut searched = folded(self.path_of(found.deepest));
        searched.extend(folded(pattern.iter().skip(searched.len()).collect()));
        let place = |id: &SignalHandle| self.places[id.index()];
        let mut ranked: Vec<SignalHandle> =
            self.candidates(&searched, found.deepest).into_iter().collect();
        ranked.sort_by_cached_key(|id| (Reverse(shared(&searched, &self.path_of(place(id)))), *id));
        ranked.truncate(MAX_COMPARED.max(count));
        let text = JoinedPath(&searched).to_string();
        let distance = |id: &SignalHandle| {
            strsim::osa_distance(&text, &JoinedPath(&folded(self.path_of(place(id)))).to_string())
        };
        let mut measured: Vec<_> = ranked.into_iter().map(|id| (distance(&id), id)).collect();
        measured.sort_unstable();
        measured.into_iter().take(count).map(|(_, id)| self.signal(id).path.clone()).collect()
    }

    /// Signals whose last part is the same, or similar if there are none, and signals at and below `place`.
    fn candidates(&self, searched: &[PathPart], place: NodeId) -> HashSet<SignalHandle> {
        let mut found = HashSet::new();
        let Some(last) = searched.last() else {
            return found;
        };
        let same = self.by_last.get(last);
        found.extend(same.into_iter().flatten().take(MAX_CANDIDATES));
        if same.is_none() {
            let text = last.text();
            let alike = self
                .by_last
                .keys()
                .filter(|part| part.text().len().abs_diff(text.len()) <= MISSPELT);
            let mut similar: Vec<(usize, &PathPart)> =
                alike.map(|part| (strsim::osa_distance(text, part.text()), part)).collect();
            similar.sort_unstable();
            for (_, part) in similar.into_iter().take(MISSPELT) {
                found.extend(self.by_last[part].iter().take(MAX_CANDIDATES));
            }
        }
        self.below(place, &mut found);
        found
    }

    /// Adds signals at and below a node, the nearest first.
    fn below(&self, place: NodeId, found: &mut HashSet<SignalHandle>) {
        let enough = found.len() + MAX_CANDIDATES;
        let mut level = vec![place];
        while !level.is_empty() && found.len() < enough {
            found.extend(level.iter().flat_map(|&node| &self.nodes[node].signals));
            let next = level.iter().flat_map(|&node| self.nodes[node].next.values().flatten());
            level = next.copied().take(MAX_CANDIDATES).collect();
        }
    }
}

/// Number of parts that two paths share at their start and end, ignoring case.
fn shared(a: &[PathPart], b: &[&PathPart]) -> usize {
    let shorter = a.len().min(b.len());
    let same = |(a, b): &(&PathPart, &&PathPart)| a.text().eq_ignore_ascii_case(b.text());
    let start = a.iter().zip(b).take_while(same).count();
    let end = a.iter().rev().zip(b.iter().rev()).take_while(same).count();
    (start + end).min(shorter)
}

#[cfg(test)]
mod tests {
    use super::super::tests::names;

    #[test]
    fn the_same_name_elsewhere_and_misspelt_names() {
        let names =
            names(&["clk", "dut.rst_n", "dut.row(0).seq.pc", "dut.row(1).seq.pc", "dut.row(1).x"]);
        assert_eq!(names.nearest("tb.dut.row(1).seq.pc", 1), ["dut.row(1).seq.pc"]);
        assert_eq!(names.nearest("dut.row(0).seq.pcc", 1), ["dut.row(0).seq.pc"]);
        assert_eq!(names.nearest("dut.row(2).seq.pc", 2).len(), 2);
        assert_eq!(names.nearest("tb.clock", 1), ["clk"]);
        assert_eq!(names.nearest("*.*[1].seq", 1), ["dut.row(1).seq.pc"]);
    }

    #[test]
    fn nothing_is_near_nothing() {
        assert!(names(&[]).nearest("a.b", 3).is_empty());
        assert!(names(&["a"]).nearest("", 3).is_empty());
    }
}
