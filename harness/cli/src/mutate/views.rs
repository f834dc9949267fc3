// SPDX-License-Identifier: MIT OR Apache-2.0
//! From where a module is compared with its mutant: alone, with its instances taken apart, or within the
//! modules that have instances of it.

use std::collections::BTreeSet;

use drra_mutate::Design;

/// The top of the design.
const TOP: &str = "drra_fabric";
/// How many modules around one are tried.
const AROUND: usize = 2;
/// A size of the whole design in which tiles and cells have all kinds of neighbours.
const WHOLE: (&str, &str) = ("3", "2");
/// Steps that are left out before the whole design is compared: until no message has a way that none can take.
const WHOLE_STEPS: u32 = 4;
/// What stays a box unless it is the module itself or around it: proofs would take too long.
const LARGE: [&str; 6] = [
    "drra_dpu",
    "drra_interconnect",
    "drra_register_file",
    "drra_sequencer",
    "drra_sram",
    "drra_switchbox",
];

/// A module that is compared, with some of its instances taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct View {
    pub(super) top: String,
    /// Modules whose instances are parts of it, not boxes.
    inner: Vec<String>,
    /// Modules whose instances are boxes.
    boxes: Vec<String>,
    /// Parameters of the top and their values.
    parameters: Vec<(String, String)>,
    /// Steps that the original takes before it is compared again.
    pub(super) steps: u32,
}

impl View {
    /// For a log.
    pub(super) fn name(&self) -> String {
        let with = self.inner.iter().fold(String::new(), |text, m| text + " with " + m);
        self.top.clone() + &with
    }

    /// For the reader of Yosys.
    pub(super) fn options(&self) -> String {
        let parameters = self.parameters.iter().map(|(name, value)| format!("-G {name}={value}"));
        let boxes = self.boxes.iter().map(|m| format!("--blackboxed-module {m}"));
        parameters.chain(boxes).collect::<Vec<_>>().join(" ")
    }

    /// What makes the instances of the inner modules parts of the top.
    pub(super) fn flatten(&self) -> String {
        if self.inner.is_empty() {
            return String::new();
        }
        // Names of instances of a module begin with its own.
        let inner = self.inner.iter().map(|m| format!(" {m} {m}$*")).collect::<String>();
        format!(
            "setattr -mod -set keep_hierarchy 1 *\n\
             setattr -mod -unset keep_hierarchy {}{inner}\nflatten {}\n",
            self.top, self.top
        )
    }
}

/// The views of a module, from the narrowest on: all of one attempt have to agree.
pub(super) fn views(design: &Design, block: &str, fabric: (&str, &str)) -> Vec<Vec<View>> {
    let of_fabric = design.parameters(TOP);
    let children = beside(design, block, &BTreeSet::new());
    let mut inner: BTreeSet<&str> = BTreeSet::new();
    let mut tops: BTreeSet<&str> = BTreeSet::from([block]);
    let mut attempts = Vec::new();
    let feeds_large = |top: &str| design.fed(top, block).iter().any(|fed| LARGE.contains(fed));
    // Of a large module what is around it is compared at once: to compare it takes long.
    let wide = LARGE.contains(&block) && design.parents(block).iter().all(|p| !LARGE.contains(p));
    for around in 0..=if wide { 0 } else { AROUND } {
        // With parameters of its own a module differs from instance to instance.
        let known = |top: &&str| design.parameters(top).iter().all(|p| of_fabric.contains(p));
        if tops.iter().all(known) {
            attempts.push(tops.iter().map(|top| view(design, top, &inner, fabric)).collect());
            if around == 0 && !children.is_empty() {
                attempts.push(vec![view(design, block, &children, fabric)]);
            }
            if around > 0 {
                let all = tops.iter().map(|top| (top, beside(design, top, &inner)));
                attempts.push(all.map(|(top, with)| view(design, top, &with, fabric)).collect());
            }
            if around == 1 && !LARGE.contains(&block) && tops.iter().any(|t| feeds_large(t)) {
                let all = tops.iter().map(|top| (top, through(design, top, block)));
                attempts.push(all.map(|(top, with)| view(design, top, &with, fabric)).collect());
            }
        }
        inner.extend(&tops);
        tops = tops.iter().flat_map(|top| design.parents(top)).collect();
        // The whole is too large with all of its parts.
        if tops.is_empty() || tops.contains(TOP) {
            break;
        }
    }
    let around = around(design, block);
    if block != TOP && LARGE.iter().all(|large| !around.contains(large)) {
        let parts = design.modules().filter(|m| *m != TOP && !LARGE.contains(m)).collect();
        let whole = view(design, TOP, &parts, WHOLE);
        attempts.push(vec![View { steps: WHOLE_STEPS, ..whole }]);
    } else if wide {
        // Where it goes from a large module: through those around it and those of the top.
        let mut inner = around;
        inner.remove(TOP);
        let with = beside(design, TOP, &inner);
        attempts.push(vec![view(design, TOP, &with, WHOLE)]);
    }
    attempts.dedup();
    attempts
}

/// The inner modules of a view, and what has instances beside theirs, large modules left out.
fn beside<'d>(design: &'d Design, top: &str, inner: &BTreeSet<&'d str>) -> BTreeSet<&'d str> {
    let others =
        design.modules().filter(|m| !LARGE.contains(m) && design.parents(m).contains(&top));
    inner.iter().copied().chain(others).collect()
}

/// What makes up a view from a module to the large ones it feeds, and into those.
fn through<'d>(design: &'d Design, top: &str, block: &'d str) -> BTreeSet<&'d str> {
    let fed = design.fed(top, block);
    let mut inner = beside(design, top, &BTreeSet::from([block]));
    for module in fed {
        inner.insert(module);
        inner.extend(beside(design, module, &BTreeSet::new()));
    }
    inner
}

/// A module, and all that have it as a part.
fn around<'d>(design: &'d Design, block: &'d str) -> BTreeSet<&'d str> {
    let mut around = BTreeSet::from([block]);
    let mut open = vec![block];
    while let Some(next) = open.pop() {
        open.extend(design.parents(next).into_iter().filter(|parent| around.insert(parent)));
    }
    around
}

fn view(design: &Design, top: &str, inner: &BTreeSet<&str>, (columns, rows): (&str, &str)) -> View {
    let values = [("Cols", columns), ("DimarchRows", rows)];
    let own = design.parameters(top);
    let boxes = design.modules().filter(|m| {
        let parents = design.parents(m);
        !inner.contains(m) && *m != top && parents.iter().any(|p| *p == top || inner.contains(p))
    });
    View {
        top: top.to_owned(),
        inner: inner.iter().filter(|m| **m != top).map(|m| (*m).to_owned()).collect(),
        boxes: boxes.map(str::to_owned).collect(),
        parameters: values
            .iter()
            .filter(|(name, _)| own.contains(name))
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        steps: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(block: &str) -> Vec<Vec<String>> {
        let modules = [
            ("leaf", "#(parameter int unsigned Own = 1, localparam int unsigned W = 2)", ""),
            ("side", "", ""),
            ("unit", "", "leaf #(.Own(3)) u_leaf (.a_i);"),
            ("other", "", "unit u_unit (.a_i);"),
            (
                "part",
                "#(parameter int unsigned Cols = 8)",
                "unit u_unit (.a_i);\nside u_side (.a_i);",
            ),
            (TOP, "#(parameter int unsigned Cols = 8)", "part #(.Cols(Cols)) u_part (.a_i);"),
        ];
        let files = modules.map(|(name, parameters, items)| {
            let text =
                format!("module {name} {parameters} (input logic a_i);\n{items}\nendmodule\n");
            (format!("{name}.sv"), text)
        });
        let design = Design::read(&files).unwrap();
        let text = |view: &View| format!("{} {}", view.name(), view.options()).trim().to_owned();
        let all = views(&design, block, ("4", "2"));
        all.iter().map(|attempt| attempt.iter().map(text).collect()).collect()
    }

    #[test]
    fn a_module_is_compared_alone_and_then_in_all_that_have_it() {
        let boxed = " --blackboxed-module leaf";
        let part = "part with unit -G Cols=4 --blackboxed-module leaf --blackboxed-module side";
        let beside = "part with side with unit -G Cols=4 --blackboxed-module leaf";
        let whole = "drra_fabric with leaf with other with part with side with unit -G Cols=3";
        let other = format!("other with unit{boxed}");
        let expected = [
            vec![format!("unit{boxed}")],
            vec!["unit with leaf".to_owned()],
            vec![other.clone(), part.to_owned()],
            vec![other, beside.to_owned()],
            vec![whole.to_owned()],
        ];
        assert_eq!(names("unit"), expected);
        let all = names(TOP);
        assert_eq!(all[0], ["drra_fabric -G Cols=4 --blackboxed-module part"]);
        let boxed = "--blackboxed-module side --blackboxed-module unit";
        assert_eq!(all[1], [format!("drra_fabric with part -G Cols=4 {boxed}")]);
    }

    #[test]
    fn a_large_module_is_compared_within_those_around_it_up_to_the_top() {
        let modules = [
            ("drra_sram", ""),
            ("leaf", ""),
            ("drra_register_file", "leaf u_leaf (.a_i);"),
            ("unit", "drra_register_file u_rf (.a_i);\ndrra_sram u_mem (.a_i);"),
            ("side", ""),
            (TOP, "unit u_unit (.a_i);\nside u_side (.a_i);"),
        ];
        let files = modules.map(|(name, items)| {
            let text = format!("module {name} (input logic a_i);\n{items}\nendmodule\n");
            (format!("{name}.sv"), text)
        });
        let design = Design::read(&files).unwrap();
        let all = views(&design, "drra_register_file", ("4", "2"));
        let [_, _, last] = all.as_slice() else { panic!("{all:?}") };
        let [view] = last.as_slice() else { panic!("{last:?}") };
        assert_eq!(view.name(), "drra_fabric with drra_register_file with side with unit");
        assert_eq!(view.boxes, ["drra_sram", "leaf"]);
    }

    #[test]
    fn a_module_that_feeds_a_large_one_is_compared_with_that_one() {
        let modules = [
            ("leaf", ""),
            ("drra_sram", ""),
            ("drra_dpu", "leaf u_leaf (.a_i(b));"),
            ("unit", ""),
            (
                "part",
                "unit u_unit (.a_i(a_i), .b_o(b));\ndrra_dpu u_dpu (.a_i(b));\ndrra_sram u_mem (.a_i(a_i));",
            ),
        ];
        let files = modules.map(|(name, items)| {
            let head = format!("module {name} (input logic a_i, output logic b_o);\nlogic b;");
            (format!("{name}.sv"), format!("{head}\n{items}\nendmodule\n"))
        });
        let design = Design::read(&files).unwrap();
        let all: Vec<String> =
            views(&design, "unit", ("4", "2")).concat().iter().map(View::name).collect();
        let fed = "part with drra_dpu with leaf with unit";
        assert_eq!(all[..3], ["unit", "part with unit", fed]);
    }

    #[test]
    fn a_module_with_parameters_of_its_own_is_compared_within_others() {
        let all = names("leaf");
        assert_eq!(all[0], ["unit with leaf"]);
        let part = "part with leaf with unit -G Cols=4 --blackboxed-module side";
        assert_eq!(all[1], ["other with leaf with unit", part]);
    }
}
