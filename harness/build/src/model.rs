// SPDX-License-Identifier: MIT OR Apache-2.0
//! Turns a folder of RTL into the C++ of a model for one fabric size.

use std::{
    fs,
    path::{Path, PathBuf},
};

use drra_geometry::Geometry;

use crate::{
    error::{BuildError, FileError, FolderError},
    imported::ImportedCode,
    makefile::Makefile,
    parameters, ports,
    source::SourceFolder,
    verilator::Verilator,
};

/// Sources and capabilities of models.
pub(crate) struct ModelKind {
    /// The Verilator that builds them.
    pub(crate) verilator: Verilator,
    /// The folder of their sources.
    pub(crate) source: SourceFolder,
    /// Output folder of the build script.
    pub(crate) out: PathBuf,
    /// The assertions of our own RTL are concurrent and include those over several cycles (feature `rtl-checks`).
    pub(crate) checking: bool,
    /// The models count lines, branches and toggles (feature `rtl-coverage`).
    pub(crate) counting: bool,
    /// The models can write waves of all their signals (feature `rtl-trace`).
    pub(crate) tracing: bool,
}

impl ModelKind {
    /// The folder in which the C++ of all sizes is generated.
    pub(crate) fn folder(&self) -> PathBuf {
        self.out.join("verilated")
    }

    /// The folder of the Verilator runtime.
    pub(crate) fn include(&self) -> PathBuf {
        self.verilator.root.join("include")
    }

    /// The files of Verilator's runtime for the features of this build.
    pub(crate) fn runtime(&self) -> Vec<&'static str> {
        let features = [(self.counting, "verilated_cov"), (self.tracing, "verilated_fst_c")];
        features.into_iter().filter(|(on, _)| *on).map(|(_, file)| file).collect()
    }

    /// The options that select which assertions are compiled in.
    fn assertions(&self) -> &'static [&'static str] {
        // Verilator turns `unique case` into messages with the names of all instances: 32 MB of C++ for our own RTL
        // instead of 8. These messages could only report overlapping items, because every `unique case` in our RTL has
        // a default item and constant items, and the lint already finds overlaps (CASEOVERLAP). Without `rtl-checks`,
        // our own assertions are statements of another kind, which are kept.
        const NOT_OF_CASES: &str = "--no-assert-case";
        match (self.source.of_user || self.checking, self.verilator.knows(NOT_OF_CASES)) {
            (false, _) => &["--no-assert"],
            (true, true) => &["--assert", NOT_OF_CASES],
            (true, false) => &["--assert"],
        }
    }
}

/// A model for one size of the fabric.
#[derive(Clone, Copy)]
pub(crate) struct Model<'a> {
    /// Its sources.
    pub(crate) kind: &'a ModelKind,
    pub(crate) size: &'a Geometry,
}

impl Model<'_> {
    /// Name of the class of the model, which is also the prefix of its other classes and its files.
    pub(crate) fn name(&self) -> String {
        format!("Vfabric_{}", self.size).replace('-', "_")
    }

    /// The folder in which the C++ of the model is generated.
    pub(crate) fn folder(&self) -> PathBuf {
        self.kind.folder().join(self.size.to_string())
    }

    /// The file in which Verilator lists the files that it read.
    pub(crate) fn dependencies(&self) -> PathBuf {
        self.folder().join(format!("{}__verFiles.dat", self.name()))
    }

    /// Verilator's makefiles of the model.
    pub(crate) fn makefile(&self) -> Result<Makefile, BuildError> {
        Makefile::read(&self.folder(), &self.name(), &self.kind.source.folder)
    }

    /// The header in which Verilator declares imported and exported functions.
    pub(crate) fn prototypes(&self) -> PathBuf {
        self.folder().join(format!("{}__Dpi.h", self.name()))
    }

    /// The C++ of the design.
    pub(crate) fn imported(&self) -> Result<ImportedCode, BuildError> {
        Ok(ImportedCode::of(&self.makefile()?, &self.kind.source.folder))
    }

    /// True if all its variables are numbers and arrays of numbers, so that a copy of their memory can be restored.
    pub(crate) fn is_copyable(&self) -> Result<bool, BuildError> {
        const NUMBERS: [&str; 4] = ["VlWide", "VlUnpacked", "VlTriggerVec", "VlDeleter"];
        let folder = self.folder();
        for entry in fs::read_dir(&folder).map_err(FileError::of(&folder))? {
            let file = entry.map_err(FileError::of(&folder))?.path();
            if file.extension().is_none_or(|ending| ending != "h") {
                continue;
            }
            let text = fs::read_to_string(&file).map_err(FileError::of(&file))?;
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            let class = |word: &str| word.starts_with("Vl") && !NUMBERS.contains(&word);
            if words.any(|word| class(word) || word == "string") {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Generates the C++ of the model.
    pub(crate) fn verilate(&self) -> Result<(), BuildError> {
        let ModelKind { verilator, source, .. } = self.kind;
        let folder = self.folder();
        fs::create_dir_all(&folder).map_err(FileError::of(&folder))?;
        let checks: &[&str] = if self.kind.checking { &["-DDRRA_CHECKS"] } else { &[] };
        // Of two options that contradict each other, the last one counts, so these follow those in `rtl.f`. Delays are
        // ignored. `--exe` makes Verilator write the rules for C++ files.
        const ALWAYS: [&str; 8] = [
            "--cc",
            "--threads",
            "1",
            "--no-savable",
            "--no-timing",
            "--exe",
            "--no-main",
            "--prefix",
        ];
        let coverage: &[&str] = match self.kind.counting {
            true => &["--coverage-line", "--coverage-toggle"],
            false => &["--no-coverage"],
        };
        let trace: &[&str] = match self.kind.tracing {
            true => &["--trace-fst", "--trace-structs"],
            false => &["--no-trace"],
        };
        let (name, parameters) = (self.name(), parameters::arguments(self.size));
        verilator.run(
            &source.folder,
            // Numbered temporaries of these passes would give every instance of a cell its own code: the model would be
            // four times larger and slower to compile.
            ["-O3", "-fno-dfg", "-fno-table"]
                .into_iter()
                .chain(self.kind.assertions().iter().copied())
                .chain(checks.iter().copied())
                .chain(["--x-assign", "unique", "--x-initial", "unique"])
                .chain(source.arguments()?)
                .chain(coverage.iter().copied())
                .chain(trace.iter().copied())
                .chain(ALWAYS)
                .chain([name.as_str()])
                .chain(parameters.iter().map(String::as_str))
                .chain(["-Mdir", path(&folder)?]),
        )?;
        let makefile = self.makefile()?;
        if let Some(option) = makefile.refused(&self.kind.runtime()) {
            let option = FolderError::Option(option);
            return Err(BuildError::Folder(source.folder.clone(), option));
        }
        self.imported()?.check(&self.prototypes(), &source.folder)?;
        let header = folder.join(format!("{name}.h"));
        let header = fs::read_to_string(&header).map_err(FileError::of(&header))?;
        match ports::problems(&header, self.size) {
            problems if problems.is_empty() => Ok(()),
            problems => Err(BuildError::Ports(source.folder.clone(), problems)),
        }
    }
}

/// A path as an argument.
pub(crate) fn path(p: &Path) -> Result<&str, BuildError> {
    p.to_str().ok_or_else(|| BuildError::Path(p.to_owned()))
}
