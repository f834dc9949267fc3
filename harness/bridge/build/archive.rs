// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs the C++ compiler on all files of all archives in parallel, and links the archives into the program.

use std::{cmp::Reverse, env, fmt::Write, path::PathBuf, process::Output, sync::Mutex, thread};

use crate::{
    error::{BuildError, FileError},
    objects::{Objects, TARGET},
};

/// What decides about the files that a compiler reads, beside its arguments.
const ENVIRONMENT: [&str; 6] = [
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "MACOSX_DEPLOYMENT_TARGET",
    "SDKROOT",
];

/// A file that is compiled.
pub(crate) struct Source {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Bytes of C++, which say how long it takes.
    pub(crate) bytes: u64,
}

/// An archive that is linked into the program.
pub(crate) struct Archive {
    name: &'static str,
    compiler: cc::Tool,
    /// The compiler with its version, arguments and environment.
    command: String,
    /// It is compiled for speed, which takes longer.
    optimised: bool,
    sources: Vec<Source>,
}

/// An object of an archive.
struct Object<'a> {
    archive: &'a Archive,
    source: &'a Source,
    name: String,
}

impl Archive {
    /// An archive of files that are compiled in this way.
    pub(crate) fn new(
        name: &'static str,
        build: &cc::Build,
        optimised: bool,
        sources: Vec<Source>,
    ) -> Result<Self, BuildError> {
        let compiler = build.try_get_compiler().map_err(|e| BuildError::Tool(name, e))?;
        let mut command = compiler.to_command();
        let version = run(command.arg("--version"))?;
        let mut text = format!("{:?}", command.get_program());
        for argument in command.get_args() {
            write!(text, " {argument:?}").expect("writing to a string");
        }
        text += &String::from_utf8_lossy(&version.stdout);
        for variable in ENVIRONMENT {
            writeln!(text, "{:?}", env::var_os(variable)).expect("writing to a string");
        }
        Ok(Self { name, compiler, command: text, optimised, sources })
    }

    fn objects(&self) -> impl Iterator<Item = Object<'_>> {
        self.sources.iter().map(|source| {
            let file = source.path.file_stem().unwrap_or_default().to_string_lossy();
            Object { archive: self, source, name: format!("{}-{file}", self.name) }
        })
    }

    /// Makes the archive of its objects, and tells Cargo.
    fn link(&self, objects: &Objects) -> Result<(), BuildError> {
        let mut build = cc::Build::new();
        build.cpp(true).objects(self.objects().map(|object| objects.object(&object.name)));
        build.try_compile(self.name).map_err(|e| BuildError::Tool(self.name, e))
    }
}

impl Object<'_> {
    /// Compiles it, unless that would change nothing. Returns whether it was compiled.
    fn make(&self, objects: &Objects) -> Result<bool, BuildError> {
        let path = &self.source.path;
        let command = format!("{}{}", self.archive.command, path.display());
        if objects.has(&self.name, &command) {
            return Ok(false);
        }
        let (object, rule) = objects.fresh(&self.name);
        let mut compile = self.archive.compiler.to_command();
        compile.arg("-c").arg(path).arg("-o").arg(object);
        let output = run(compile.args(["-MD", "-MT", TARGET, "-MF"]).arg(rule))?;
        let text = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(BuildError::Compiler(path.clone(), output.status, text.into_owned()));
        }
        for line in text.lines() {
            println!("cargo::warning={line}");
        }
        let kept = objects.keep(&self.name, &command);
        kept.map_err(FileError::of(&objects.object(&self.name)))?;
        Ok(true)
    }
}

/// Runs a compiler.
fn run(command: &mut std::process::Command) -> Result<Output, BuildError> {
    command.output().map_err(|e| BuildError::NoCompiler(command.get_program().into(), e))
}

/// Compiles what has changed, and links the archives in their order.
pub(crate) fn build(archives: &[Archive], folder: PathBuf) -> Result<(), BuildError> {
    let objects = Objects::open(folder.clone()).map_err(FileError::of(&folder))?;
    let mut all: Vec<Object<'_>> = archives.iter().flat_map(Archive::objects).collect();
    // The longest ones first: none of them is left for the end, when other processors have nothing to do.
    all.sort_by_key(|object| Reverse((object.archive.optimised, object.source.bytes)));
    let made = make(&all, &objects)?;
    println!("{made} of {} objects compiled", all.len());
    archives.iter().try_for_each(|archive| archive.link(&objects))?;
    // Clang calls this library where GCC has instructions.
    let linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    if linux && archives.iter().any(|archive| archive.compiler.is_like_clang()) {
        println!("cargo::rustc-link-lib=atomic");
    }
    let names = all.iter().map(|object| object.name.as_str());
    objects.clean(names).map_err(FileError::of(&folder))?;
    Ok(())
}

/// Makes objects in their order, as many at the same time as Cargo is told to. Returns how many were compiled.
fn make(all: &[Object<'_>], objects: &Objects) -> Result<usize, BuildError> {
    let told = env::var("NUM_JOBS").ok().and_then(|text| text.parse().ok());
    let jobs = told.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let left = Mutex::new(all.iter());
    let next = || left.lock().expect("no panic while it is held").next();
    let work = || {
        let mut made = 0;
        while let Some(object) = next() {
            match object.make(objects) {
                Ok(compiled) => made += usize::from(compiled),
                Err(e) => {
                    while next().is_some() {} // the others end soon, too
                    return Err(e);
                }
            }
        }
        Ok(made)
    };
    thread::scope(|scope| {
        let running: Vec<_> = (0..jobs.min(all.len())).map(|_| scope.spawn(work)).collect();
        running.into_iter().map(|one| one.join().expect("no panic while it runs")).sum()
    })
}
