// SPDX-License-Identifier: MIT OR Apache-2.0
//! The normal form of a path: names and indices, independent of how simulators write them.

use std::{
    borrow::{Borrow, Cow},
    fmt,
};

/// An element of a path. `rows(3).mem.[1]` consists of the name `rows`, the index 3, the name `mem`, and the index 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum PathPart {
    /// A name, as written.
    Name(Box<str>),
    /// An index of an array or a generate block; a number without leading zeros, or a literal.
    Index(Box<str>),
    /// An index after a blank, `x [5]`. Simulators write a range of a single bit this way, and then the index is not
    /// part of the name; some simulators also write array elements this way.
    Bit(Box<str>),
}

impl PathPart {
    pub(super) fn text(&self) -> &str {
        let (Self::Name(text) | Self::Index(text) | Self::Bit(text)) = self;
        text
    }

    /// This part in lower case; a bit becomes an index.
    pub(super) fn folded(&self) -> Cow<'_, Self> {
        let is_lower = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
        if !matches!(self, Self::Bit(_)) && self.text().bytes().all(is_lower) {
            return Cow::Borrowed(self);
        }
        let text = self.text().to_lowercase().into();
        Cow::Owned(if matches!(self, Self::Name(_)) { Self::Name(text) } else { Self::Index(text) })
    }

    /// True if this is `*` or an index `[*]`.
    pub(super) fn is_any(&self) -> bool {
        self.text() == "*"
    }
}

/// The parts as a path, `rows[3].mem[1]`.
pub(super) struct JoinedPath<'a, P>(pub(super) &'a [P]);

impl<P: Borrow<PathPart>> fmt::Display for JoinedPath<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.0.iter().enumerate() {
            match part.borrow() {
                PathPart::Name(text) if i == 0 => f.write_str(text)?,
                PathPart::Name(text) => write!(f, ".{text}")?,
                PathPart::Index(text) => write!(f, "[{text}]")?,
                PathPart::Bit(text) => write!(f, " [{text}]")?,
            }
        }
        Ok(())
    }
}

/// The parts of a path, or of one level of it. A bit range and the escape characters of a name are dropped; quotation
/// marks, braces and `#`, which have a meaning in maps or in forms of paths, become `_`.
pub(crate) fn parts(path: &str) -> Vec<PathPart> {
    let mut parts = Vec::new();
    let mut name = String::new();
    let mut blank = false;
    let path = path.replace(['"', '{', '}', '#'], "_");
    let mut rest = path.chars();
    while let Some(character) = rest.next() {
        match character {
            '\\' if name.is_empty() => {}
            '.' | '/' => flush(&mut name, &mut parts),
            '[' | '(' => {
                let close = if character == '[' { ']' } else { ')' };
                match rest.as_str().split_once(close) {
                    Some((inside, behind)) => {
                        flush(&mut name, &mut parts);
                        indices(inside, blank, &mut parts);
                        rest = behind.chars();
                    }
                    None => name.push(character),
                }
            }
            ' ' | '\t' => {
                blank = true;
                continue;
            }
            other => name.push(other),
        }
        blank = false;
    }
    flush(&mut name, &mut parts);
    parts
}

fn flush(name: &mut String, parts: &mut Vec<PathPart>) {
    if !name.is_empty() {
        parts.push(PathPart::Name(std::mem::take(name).into()));
    }
}

/// The design path of a netlist signal, if it is different: synthesis turns a register `x` into an instance `x_reg`
/// with an output `Q`, turns its bits and fields into `x_reg[3]`, `x_reg[pc][3]` or `x_reg_3_`, and may append `_inst`
/// to names.
pub(super) fn in_design(parts: &[PathPart]) -> Option<Vec<PathPart>> {
    // Most signals do not belong to a netlist, so their paths need no copy.
    let differs = |part: &PathPart| match part {
        PathPart::Name(text) => text.ends_with("_inst"),
        PathPart::Index(text) => text.starts_with(char::is_alphabetic),
        PathPart::Bit(_) => false,
    };
    if !parts.last()?.text().eq_ignore_ascii_case("q") && !parts.iter().any(differs) {
        return None;
    }
    let mut path: Vec<PathPart> = parts.to_vec();
    let last = path.pop()?;
    for part in &mut path {
        if let PathPart::Name(text) = part {
            *text = text.strip_suffix("_inst").unwrap_or(text).into();
        }
    }
    path.retain(|part| !part.text().is_empty());
    let name = path.iter().rposition(|part| matches!(part, PathPart::Name(_)));
    let register = name
        .filter(|_| matches!(&last, PathPart::Name(text) if text.eq_ignore_ascii_case("q")))
        .and_then(|at| Some((at, register(path[at].text())?)));
    match register {
        Some((at, parts)) => _ = path.splice(at..=at, parts),
        None => path.push(last),
    }
    for part in &mut path {
        if let PathPart::Index(text) = part
            && text.starts_with(|c: char| c.is_alphabetic())
        {
            *part = PathPart::Name(text.clone());
        }
    }
    (path != parts).then_some(path)
}

/// The register that an instance name stands for: `pc` for `pc_reg`, `mem[3][2]` for `mem_reg_3__2_`.
fn register(instance: &str) -> Option<Vec<PathPart>> {
    instance.rmatch_indices("_reg").find_map(|(at, reg)| {
        let (name, rest) = (&instance[..at], &instance[at + reg.len()..]);
        let mut parts = vec![PathPart::Name(name.into())];
        if !rest.is_empty() {
            let indices = rest.strip_prefix('_')?.strip_suffix('_')?.split("__");
            parts.extend(indices.map(|index| PathPart::Index(index.into())));
        }
        let proper = |part: &PathPart| !part.text().is_empty() && !part.text().starts_with('_');
        (!name.is_empty() && parts[1..].iter().all(proper)).then_some(parts)
    })
}

/// Adds the indices in one pair of brackets, such as `3`, `2, 1` or `west`; adds nothing for a range.
fn indices(inside: &str, blank: bool, parts: &mut Vec<PathPart>) {
    let lower = inside.to_ascii_lowercase();
    if inside.contains(':') || lower.contains(" downto ") || lower.contains(" to ") {
        return;
    }
    for index in inside.split(',') {
        let index = index.trim();
        let text = match index.parse::<i64>() {
            Ok(number) => number.to_string(),
            Err(_) => index.to_owned(),
        };
        parts.push(if blank { PathPart::Bit(text.into()) } else { PathPart::Index(text.into()) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: &str) {
        assert_eq!(JoinedPath(&parts(path)).to_string(), expected, "{path}");
    }

    #[test]
    fn an_index_is_an_index() {
        for path in ["a/x(3)", "a.x(3)", "a.x[3]", "a.x.[3]", "a.x.(3)", r"a.\x[3] ", r"\a.x[03] "]
        {
            check(path, "a.x[3]");
        }
        check("x(3, 1)", "x[3][1]");
        check("x[west].y", "x[west].y");
        check("x[-1]", "x[-1]");
    }

    #[test]
    fn a_range_is_no_part_of_the_name() {
        for path in ["a.pc", "a.pc[5:0]", "a.pc [5:0]", "a.pc(5 downto 0)", "a.pc(0 TO 5)"] {
            check(path, "a.pc");
        }
        check("m[3][5:0]", "m[3]");
        check("m[3] [5:0]", "m[3]");
        check("a.pc [5]", "a.pc [5]");
    }

    #[test]
    fn a_register_of_a_netlist_has_the_path_of_the_design() {
        for (netlist, design) in [
            ("u_seq/pc_reg/Q", "u_seq.pc"),
            (r"\g[0].u_cell/u_seq/pc_reg[3] .q", "g[0].u_cell.u_seq.pc[3]"),
            ("pc_reg_3_.Q", "pc[3]"),
            ("m_reg_3__12_.Q", "m[3][12]"),
            ("m_reg[3][12]_inst.Q", "m[3][12]"),
            ("u_seq_inst/core_q_reg[pc][3].Q", "u_seq.core_q.pc[3]"),
            ("core_q_reg_pc__3_.Q", "core_q.pc[3]"),
            ("bw_reg_reg[1].Q", "bw_reg[1]"),
            (r"u_seq_inst.\core_q[pc][3] ", "u_seq.core_q.pc[3]"),
        ] {
            let found = in_design(&parts(netlist)).map(|parts| JoinedPath(&parts).to_string());
            assert_eq!(found.as_deref(), Some(design), "{netlist}");
        }
        for same in ["pc_reg.QN", "pc_reg.D", "u1.Q", "_reg.Q", "pc_reg_x.Q", "pc_reg[3]", "Q", ""]
        {
            assert_eq!(in_design(&parts(same)), None, "{same}");
        }
    }

    #[test]
    fn what_is_no_index_is_a_name() {
        check("", "");
        check("a[", "a[");
        check("a.(b", "a.(b");
        check("a..b.", "a.b");
        check("*.x[*]", "*.x[*]");
    }
}
