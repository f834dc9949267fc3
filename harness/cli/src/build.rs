// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the commands are told of the build that they are part of.

use std::{env, fs};

use drra_isa::Geometry;
use drra_lockstep::{Design, Setup};

use super::{
    console::note,
    error::{CommandError, usage},
};

/// A design, or why it does not fit its map.
pub type Ready = Result<&'static dyn Design, String>;

/// A build of the program.
#[derive(Clone, Copy, Debug)]
pub struct Build {
    /// The sizes of the fabric for which it has models, the usual one first: programs that say nothing are for it.
    pub sizes: &'static [Geometry],
    /// Finds the design that it has; `None` if there is no RTL in it.
    pub design: Option<fn() -> Ready>,
    /// The map of a design of the user: its file, and its text when the program was built.
    pub map: Option<(&'static str, &'static str)>,
    /// The folder of the project that it was made from.
    pub project: &'static str,
    /// The git revision of the sources, if they were in a repository.
    pub revision: Option<&'static str>,
    /// Digest of the sources that decide what the cases of a campaign are and what is said of them.
    pub sources: &'static str,
}

impl Build {
    /// The usual size.
    pub(super) fn usual(&self) -> Geometry {
        self.sizes[0]
    }

    /// Warns of a map that was changed behind the back of this build, unless another one replaces it.
    fn changed_map(&self) -> Option<String> {
        let (path, built) = self.map?;
        let now = fs::read_to_string(path).ok().filter(|text| text != built)?;
        let lines = now.lines().zip(built.lines()).take_while(|(now, built)| now == built).count();
        Some(format!(
            "warning: {path}:{}: the map has changed since this program was built, which goes by the map as it was; \
             build again, or name the map in DRRA_RTL_MAP",
            lines + 1
        ))
    }

    /// What cases run on in this build, so many cycles. A map that has changed and state that is not compared are told.
    pub(super) fn setup(&self, cycles: Option<u64>) -> Result<Setup<'static>, CommandError> {
        let replaced = env::var_os("DRRA_RTL_MAP").is_some_and(|map| !map.is_empty());
        if let Some(warning) = self.changed_map().filter(|_| !replaced) {
            note!("{warning}");
        }
        let setup = self.quiet_setup(cycles)?;
        let unknown = setup.design.unknown_state();
        if let Some((first, _)) = unknown.first() {
            let bits: u32 = unknown.iter().map(|(_, bits)| bits).sum();
            note!(
                "warning: {bits} bits of state are not compared: {first}{}; add what isa/fabric.json lacks. Until then \
                 each case gets a model of its own, which is slower",
                if unknown.len() > 1 {
                    format!(" and {} more", unknown.len() - 1)
                } else {
                    String::new()
                }
            );
        }
        Ok(setup)
    }

    /// The same for a worker, whose parent has told.
    pub(super) fn quiet_setup(&self, cycles: Option<u64>) -> Result<Setup<'static>, CommandError> {
        let design = self.design.ok_or_else(|| {
            usage(
                "this build has no RTL",
                "build with the default features, or use `run --golden-only`, `view` and `trace --model golden`",
            )
        })?;
        let remedy = "correct the map and build again, or try it with DRRA_RTL_MAP (harness/guide/own-rtl.md)";
        Ok(Setup { design: design().map_err(|e| usage(e, remedy))?, cycles })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_that_changed_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("signals.map");
        let of = |text: &'static str| Build {
            sizes: &[],
            design: None,
            map: Some((path.display().to_string().leak(), text)),
            project: "",
            revision: None,
            sources: "",
        };
        let build = of("one\ntwo\n");
        assert_eq!(build.changed_map(), None, "the program was moved away from its design");
        fs::write(&path, "one\ntwo\n").unwrap();
        assert_eq!(build.changed_map(), None);
        fs::write(&path, "one\nthree\n").unwrap();
        let warning = build.changed_map().unwrap();
        assert!(warning.contains("signals.map:2: the map has changed"), "{warning}");
    }
}
