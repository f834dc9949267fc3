// SPDX-License-Identifier: MIT OR Apache-2.0
//! The build that the commands belong to.

use std::{collections::BTreeSet, env, fs};

use drra_isa::Geometry;
use drra_lockstep::{Design, RunSetup};

use crate::{
    console::note,
    error::{CommandError, usage},
};

/// A design, or the reason it cannot be used, with the remedy.
pub type DesignResult = Result<&'static dyn Design, (String, &'static str)>;

/// A build of the program.
#[derive(Clone, Copy, Debug)]
pub struct Build {
    /// Fabric sizes of the models. The first size is the default for programs.
    pub sizes: &'static [Geometry],
    /// Returns the design; `None` if the program was built without RTL.
    pub design: Option<fn() -> DesignResult>,
    /// The signal map of a user's own design: its file, and its text at build time.
    pub map: Option<(&'static str, &'static str)>,
    /// The folder of the project from which the program was built.
    pub project: &'static str,
    /// The git revision of the sources, if there is one.
    pub revision: Option<&'static str>,
    /// Digest of the sources that determine the cases of a campaign and their results.
    pub sources: &'static str,
}

impl Build {
    /// The default fabric size.
    pub(super) fn default_size(&self) -> Geometry {
        self.sizes[0]
    }

    /// A warning if the map has changed since the build.
    fn changed_map(&self) -> Option<String> {
        let (path, built) = self.map?;
        let now = fs::read_to_string(path).ok().filter(|text| text != built)?;
        let lines = now.lines().zip(built.lines()).take_while(|(now, built)| now == built).count();
        Some(format!(
            "warning: {path}:{}: the map has changed since this program was built, and the change has no \
             effect; rebuild the program, or set DRRA_RTL_MAP to use the new map",
            lines + 1
        ))
    }

    /// The setup for running cases in this build, for `cycles` cycles if given. Warns about a changed map.
    pub(super) fn setup(&self, cycles: Option<u64>) -> Result<RunSetup<'static>, CommandError> {
        let replaced = env::var_os("DRRA_RTL_MAP").is_some_and(|map| !map.is_empty());
        if let Some(warning) = self.changed_map().filter(|_| !replaced) {
            note!("{warning}");
        }
        self.quiet_setup(cycles)
    }

    /// Warns about state that is not compared because the fabric description lacks it, if any was found in the cases.
    pub(super) fn warn_of_unknown_state(&self) {
        let Some(Ok(design)) = self.design.filter(|_| self.map.is_none()).map(|design| design())
        else {
            return;
        };
        let names: BTreeSet<String> = design.take_unknown_state().into_iter().collect();
        if !names.is_empty() {
            note!(
                "warning: state that is not in isa/fabric.json is not compared: {}; add it there as registers, whose names end in _q",
                Vec::from_iter(names).join(", ")
            );
        }
    }

    /// Like [`Build::setup`], but without warnings.
    pub(super) fn quiet_setup(
        &self,
        cycles: Option<u64>,
    ) -> Result<RunSetup<'static>, CommandError> {
        let design = self.design.ok_or_else(|| {
            usage(
                "this build has no RTL",
                "build with the default features, or use `run --golden-only`, `view` or `trace --model golden`",
            )
        })?;
        let design = design().map_err(|(what, remedy)| usage(what, remedy))?;
        Ok(RunSetup { cycles, ..RunSetup::new(design) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_map_is_a_warning() {
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
