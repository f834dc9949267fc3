// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mutant schemata: the sources of one model that contains many mutants, of which one is selected at its start.
//!
//! The model selects whole statements, never parts of an expression: the sign and width of an operator depend on
//! everything around it (IEEE 1800-2017, 11.6 and 11.8.1), so a selection inside an expression could change the
//! original, too. Conditions are first reduced to one bit, as `if` does.

use crate::{
    design::{DesignModules, Module, MutationSite, ProcessKind, SiteKind, Span},
    mutant::MutantCandidate,
};

/// Name of the package that is added, without `.sv`.
pub const PACKAGE: &str = "drra_mutant_pkg";

/// Environment variable that selects a mutant by its position, from 1 on, in the list from which the model was written.
/// If the variable is 0 or not set, the original is selected.
pub const VARIABLE: &str = "DRRA_MUTANT";

/// The effect of a selected mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MutantEffect {
    /// The model behaves as the mutant.
    Behave,
    /// The model behaves as the original, and stops the simulation where the mutant would differ from the original.
    Probe,
}

/// A line for each of some mutants, the first of which has the position `first`. The comment at the beginning of each
/// line assigns messages about the line to its mutant.
fn lines(
    mutants: &[MutantCandidate],
    first: usize,
    line: impl Fn(usize, &MutantCandidate) -> String,
) -> String {
    let slots = mutants.iter().zip(first..);
    slots.map(|(mutant, slot)| format!("\n/*mutant {slot}*/ {}", line(slot, mutant))).collect()
}

/// The statement of a mutant or, while its guard does not hold, the original.
fn either(mutant: &MutantCandidate, statement: String, original: &str) -> String {
    match &mutant.mutant.guard {
        Some(guard) => format!("if ({}) {statement} else {original}", guard.when),
        None => statement,
    }
}

/// The position, from 1 on, of the mutant on a line of a written source.
pub fn slot_on(line: &str) -> Option<usize> {
    let (number, _) = line.trim_start().strip_prefix("/*mutant ")?.split_once("*/")?;
    number.parse().ok()
}

/// The package that contains the selection.
pub fn package(purpose: MutantEffect) -> String {
    let probe = match purpose {
        MutantEffect::Behave => "",
        MutantEffect::Probe => {
            "  logic armed = 1'b0;  // after the reset\n\
             \x20 function automatic logic probe(logic mutant, logic original);\n\
             \x20   if (armed && mutant != original) $stop;\n\
             \x20   return original;\n\
             \x20 endfunction\n"
        }
    };
    // The quotation marks are escaped, because the C++ text is itself in quotation marks.
    let choose = format!("std::getenv(\\\"{VARIABLE}\\\")");
    format!(
        "// Written by `drra mutate`.\n\
         package {PACKAGE};\n\
         \x20 int unsigned slot = $c32(\"({choose} ? std::atoi({choose}) : 0)\");\n\
         {probe}endpackage\n"
    )
}

/// The text of each source with the mutants of a list, which is sorted by place. A mutant is selected by its position
/// in the list, from 1 on.
pub fn sources(
    design: &DesignModules,
    mutants: &[MutantCandidate],
    purpose: MutantEffect,
) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut next = 0;
    for (place, module) in design.modules.iter().enumerate() {
        let mut writer = ModuleWriter { module, purpose, edits: Vec::new() };
        while next < mutants.len() && mutants[next].place.0 == place {
            let site = mutants[next].place;
            let end = next + mutants[next..].iter().take_while(|m| m.place == site).count();
            writer.site(site.1, &mutants[next..end], next + 1);
            next = end;
        }
        let mut text = writer.text();
        if purpose == MutantEffect::Probe
            && next == mutants.len()
            && place + 1 == design.modules.len()
        {
            let arm =
                format!("  always_ff @(posedge clk_i) {PACKAGE}::armed <= rst_ni;\nendmodule");
            text = text.replacen("endmodule", &arm, 1);
        }
        all.push((module.file.clone(), text));
    }
    all
}

/// A change of a source: bytes from `at` on are replaced. Of several changes that begin at the same byte, the one with
/// the lowest rank comes first.
struct Edit {
    at: usize,
    rank: (u8, isize),
    removed: usize,
    text: String,
}

struct ModuleWriter<'a> {
    module: &'a Module,
    purpose: MutantEffect,
    edits: Vec<Edit>,
}

impl ModuleWriter<'_> {
    fn text(mut self) -> String {
        self.edits.sort_by_key(|edit| (edit.at, edit.rank));
        let (mut text, mut at) = (String::new(), 0);
        for edit in &self.edits {
            text += &self.module.text[at..edit.at.max(at)];
            text += &edit.text;
            at = edit.at.max(at) + edit.removed;
        }
        text + &self.module.text[at..]
    }

    /// Inserts texts before and after the bytes of a site, and removes `removed` bytes at its beginning.
    fn around(&mut self, site: usize, bytes: Span, removed: usize, texts: [String; 2]) {
        let [before, after] = texts;
        let site = site as isize;
        self.edits.push(Edit { at: bytes[0], rank: (1, site), removed, text: before });
        self.edits.push(Edit { at: bytes[1], rank: (0, -site), removed: 0, text: after });
    }

    /// Lets the model select, at a site, the original or one of some mutants; the first of these has the position
    /// `first`.
    fn site(&mut self, place: usize, mutants: &[MutantCandidate], first: usize) {
        let site = &self.module.sites[place];
        let chosen = format!("{PACKAGE}::slot - 32'd{first} < 32'd{}", mutants.len());
        match &site.what {
            SiteKind::Assignment { .. } if site.process != ProcessKind::Continuous => {
                let choice = self.choice(site, mutants, first, &|line| line);
                let before = format!("begin if ({chosen}) {choice}else ");
                self.around(place, site.at, 0, [before, " end".to_owned()]);
            }
            SiteKind::Assignment { .. } => {
                let choice = self.choice(site, mutants, first, &|line| {
                    line.strip_prefix("assign").map_or(line.clone(), str::to_owned)
                });
                let before = format!("always_comb begin if ({chosen}) {choice}else ");
                self.around(place, site.at, "assign".len(), [before, " end".to_owned()]);
            }
            SiteKind::Condition { .. } => {
                let before = self.condition(site, mutants, first);
                let before = format!("({chosen}) ? ({before}\n 1'b0) : !!(");
                self.around(place, site.at, 0, [before, ")".to_owned()]);
            }
            SiteKind::Connection { instance, .. } => {
                self.connection(place, site, *instance, mutants, first);
            }
            SiteKind::Item { default, subject, .. } => {
                let before = format!("begin {}", self.item(*default, *subject, mutants, first));
                self.around(place, site.at, 0, [before, " end".to_owned()]);
            }
        }
    }

    /// The statement, condition or connected expression at a site, as a mutant changes it.
    fn with(&self, site: &MutationSite, mutant: &MutantCandidate) -> String {
        self.module.line_with(site.at, mutant.mutant.bytes, &mutant.mutant.after)
    }

    /// The conditions of mutants, each with its selector.
    fn condition(&self, site: &MutationSite, mutants: &[MutantCandidate], first: usize) -> String {
        lines(mutants, first, |slot, mutant| {
            let (line, original) = (self.with(site, mutant), self.module.line(site.at));
            let value = match self.purpose {
                MutantEffect::Behave => format!("!!({line})"),
                MutantEffect::Probe => format!("{PACKAGE}::probe(!!({line}), !!({original}))"),
            };
            let value = match &mutant.mutant.guard {
                Some(guard) => format!("(({}) ? {value} : !!({original}))", guard.when),
                None => value,
            };
            format!("{PACKAGE}::slot == 32'd{slot} ? {value} :")
        })
    }

    /// The statement that the mutants of a case item execute in place of the original.
    fn item(
        &self,
        default: Span,
        subject: Span,
        mutants: &[MutantCandidate],
        first: usize,
    ) -> String {
        let (default, subject) = (self.module.line(default), self.module.line(subject));
        // Without `begin` and `end`, the `else` that follows would belong to an `if` in the body.
        let body = match self.purpose {
            MutantEffect::Behave => format!("begin {default} end"),
            MutantEffect::Probe => format!("begin if ({PACKAGE}::armed) $stop; end"),
        };
        lines(mutants, first, |slot, mutant| {
            let label = mutant.label.map(|l| self.module.line(l)).unwrap_or_default();
            let guard = mutant.mutant.guard.as_ref();
            let guard = guard.map(|guard| format!(" && ({})", guard.when)).unwrap_or_default();
            let chosen =
                format!("{PACKAGE}::slot == 32'd{slot} && ({subject}) == ({label}){guard}");
            format!("if ({chosen}) {body}\n else ")
        })
    }

    /// A `case` over the mutants of a site whose original is a statement.
    fn choice(
        &self,
        site: &MutationSite,
        mutants: &[MutantCandidate],
        first: usize,
        statement: &dyn Fn(String) -> String,
    ) -> String {
        let lines = lines(mutants, first, |slot, mutant| {
            let line = statement(self.with(site, mutant));
            let original = statement(self.module.line(site.at));
            let line = match self.purpose {
                MutantEffect::Behave => line,
                MutantEffect::Probe => self.probe(site, &line, &original),
            };
            format!("32'd{slot}: {}", either(mutant, line, &original))
        });
        format!("case ({PACKAGE}::slot){lines}\n default: ;\nendcase\n")
    }

    /// The original statement, and a stop where a mutant of the statement would assign another value.
    fn probe(&self, site: &MutationSite, mutant: &str, original: &str) -> String {
        let SiteKind::Assignment { target, .. } = &site.what else { return original.to_owned() };
        let target = self.module.line(*target);
        let compare = format!("if ({PACKAGE}::armed && mutant_a != mutant_b) $stop;");
        let declare = format!("begin automatic logic [$bits({target})-1:0] mutant_a, mutant_b;");
        if site.process.is_clocked() {
            // The new value of the register is compared, or its present value if the mutant omits the assignment.
            let value = |statement: &str| {
                let value = statement.split_once("<=").map(|(_, v)| v.trim().trim_end_matches(';'));
                value.map_or(target.clone(), str::to_owned)
            };
            let (m, o) = (value(mutant), value(original));
            if m.trim_start().starts_with("'{") || o.trim_start().starts_with("'{") {
                return format!("begin {original} if ({PACKAGE}::armed) $stop; end");
            }
            return format!("{declare} mutant_a = {m}; mutant_b = {o}; {compare} {original} end");
        }
        let again = if mutant.trim() == ";" { "" } else { mutant };
        format!(
            "{declare} {again} mutant_a = {target}; {original} mutant_b = {target}; {compare} end"
        )
    }

    /// Replaces the expression connected to an input of an instance by a signal, which selects the original or a
    /// mutant.
    fn connection(
        &mut self,
        place: usize,
        site: &MutationSite,
        instance: usize,
        mutants: &[MutantCandidate],
        first: usize,
    ) {
        let name = format!("mutant_{place}");
        let original = self.module.line(site.at);
        let lines = lines(mutants, first, |slot, mutant| {
            let line = self.with(site, mutant);
            let assign = match self.purpose {
                MutantEffect::Behave => format!("{name} = {line};"),
                MutantEffect::Probe => format!(
                    "begin automatic logic [$bits({name})-1:0] mutant_a; mutant_a = {line}; \
                     {name} = {original}; if ({PACKAGE}::armed && mutant_a != {name}) $stop; end"
                ),
            };
            format!("32'd{slot}: {}", either(mutant, assign, &format!("{name} = {original};")))
        });
        let text = format!(
            "logic [$bits({original})-1:0] {name};\nalways_comb begin case ({PACKAGE}::slot){lines}\n \
             default: {name} = {original};\nendcase end\n"
        );
        self.edits.push(Edit { at: instance, rank: (1, place as isize), removed: 0, text });
        let [at, end] = site.at;
        let rank = (1, place as isize);
        self.edits.push(Edit { at, rank, removed: end - at, text: name });
    }
}
