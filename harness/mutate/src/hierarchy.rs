// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which module has instances of which, and what parameters it has.

use std::collections::BTreeSet;

use crate::{design::Design, source::Source};

impl Design {
    /// Names of all modules, in the order of the sources.
    pub fn modules(&self) -> impl Iterator<Item = &str> {
        self.modules.iter().map(|m| m.name.as_str())
    }

    /// Modules that have instances of a module.
    pub fn parents(&self, module: &str) -> Vec<&str> {
        let all = self.sources.iter().zip(&self.modules);
        all.filter(|(source, m)| m.name != module && uses(source, module))
            .map(|(_, m)| m.name.as_str())
            .collect()
    }

    /// Modules whose instances in a module get what leaves those of another one, straight from there.
    pub fn fed(&self, module: &str, by: &str) -> Vec<&str> {
        let Some(module) = self.modules.iter().find(|m| m.name == module) else {
            return Vec::new();
        };
        let feeds = |reads: &BTreeSet<String>| {
            let mut sources = module.instances.iter().filter(|i| i.module == by);
            sources.any(|i| !i.drives.is_disjoint(reads))
        };
        let fed = module.instances.iter().filter(|i| i.module != by && feeds(&i.reads));
        let names: BTreeSet<&str> = fed.map(|i| i.module.as_str()).collect();
        names.into_iter().collect()
    }

    /// Parameters of a module that its instances can set.
    pub fn parameters(&self, module: &str) -> Vec<&str> {
        let Some(place) = self.modules.iter().position(|m| m.name == module) else {
            return Vec::new();
        };
        let source = &self.sources[place];
        // Imports of packages stand before the parameters.
        let list = (0..source.tokens.len()).skip_while(|t| !matches!(source.word(*t), "#" | "("));
        let head = list.take_while(|t| source.word(*t) != ";");
        let declared = head.skip_while(|t| source.word(*t) != "parameter");
        // The keyword stands before each one; what is declared stands before its default.
        let mut own = false;
        let mut names = Vec::new();
        for token in declared {
            match source.word(token) {
                "parameter" => own = true,
                "localparam" => own = false,
                "=" if own => names.push(source.word(token - 1)),
                _ => {}
            }
        }
        names
    }
}

/// True if a module is named as the type of an instance.
fn uses(source: &Source, module: &str) -> bool {
    (0..source.tokens.len()).any(|t| source.word(t) == module)
}
