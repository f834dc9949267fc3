// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compiles the changed files of all archives, and links the archives into the program.

use std::{env, path::PathBuf, thread};

use crate::{
    error::{BuildError, FileError},
    objects::{ObjectFolder, Recipe},
};

/// An archive linked into the program: files compiled with the same settings.
pub(crate) struct Archive {
    name: &'static str,
    /// The settings of the compiler. The `Build` lists either all files or none.
    build: cc::Build,
    compiler: cc::Tool,
    sources: Vec<PathBuf>,
    /// True if all of its objects are linked, as the linker may meet the references to them only later.
    whole: bool,
}

impl Archive {
    /// An archive of files that are compiled with these settings.
    pub(crate) fn new(
        name: &'static str,
        build: cc::Build,
        sources: Vec<PathBuf>,
    ) -> Result<Self, BuildError> {
        let compiler = build.try_get_compiler().map_err(|e| BuildError::Tool(name, e))?;
        Ok(Self { name, build, compiler, sources, whole: false })
    }

    /// An archive of which all objects are linked.
    pub(crate) fn whole(self) -> Self {
        Self { whole: true, ..self }
    }

    /// Compiles the files that have changed. Returns the objects of all files.
    fn compile(&self, objects: &ObjectFolder) -> Result<Vec<PathBuf>, BuildError> {
        let version = self.compiler.to_command().arg("--version").output();
        let version = version.map(|output| output.stdout).unwrap_or_default();
        // Only a part of the environment: the rest differs between terminals, and each difference would rebuild the
        // models.
        let searched = ["CPATH", "CPLUS_INCLUDE_PATH"].map(env::var_os);
        let (program, arguments) = (self.compiler.path(), self.compiler.args());
        let command = format!("{program:?} {arguments:?} {searched:?} {version:?}");
        let named = |options: &[&str]| -> Vec<PathBuf> {
            let pairs = self.compiler.args().windows(2);
            let named = pairs.filter(|pair| options.iter().any(|option| pair[0] == *option));
            named.map(|pair| PathBuf::from(&pair[1])).collect()
        };
        let (included, folders) = (named(&["-include"]), named(&["-I", "-isystem"]));
        let made =
            |source| Recipe { source, command: &command, included: &included, folders: &folders };

        let mut files: Vec<PathBuf> =
            self.sources.iter().map(|source| objects.object(&made(source))).collect();
        let changed: Vec<&PathBuf> = self
            .sources
            .iter()
            .zip(&files)
            .filter(|(_, file)| !file.is_file())
            .map(|(s, _)| s)
            .collect();
        if changed.is_empty() {
            return Ok(files);
        }
        let mut build = self.build.clone();
        if build.get_files().next().is_none() {
            build.files(changed);
        }
        let new = build.out_dir(objects.folder()).try_compile_intermediates();
        let new = new.map_err(|e| BuildError::Tool(self.name, e))?;
        for (source, new) in build.get_files().zip(new) {
            let number = self.sources.iter().position(|one| one == source).expect("one of them");
            let kept = objects.keep(&made(source), new);
            files[number] = kept.map_err(FileError::of(&files[number]))?;
        }
        Ok(files)
    }
}

/// Compiles the changed files, and links the archives in the given order.
pub(crate) fn build(archives: &[Archive], folder: PathBuf) -> Result<(), BuildError> {
    let objects = ObjectFolder::open(folder.clone()).map_err(FileError::of(&folder))?;
    let made = thread::scope(|scope| {
        let running: Vec<_> =
            archives.iter().map(|one| scope.spawn(|| one.compile(&objects))).collect();
        let ended = running.into_iter().map(|one| one.join().expect("no panic while it runs"));
        ended.collect::<Result<Vec<_>, _>>()
    })?;
    for (archive, objects) in archives.iter().zip(&made) {
        let mut build = cc::Build::new();
        build.link_lib_modifier(if archive.whole { "+whole-archive" } else { "-whole-archive" });
        let linked = build.cpp(true).objects(objects).try_compile(archive.name);
        linked.map_err(|e| BuildError::Tool(archive.name, e))?;
    }
    // Clang calls functions of this library where GCC emits instructions.
    let linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    if linux && archives.iter().any(|archive| archive.compiler.is_like_clang()) {
        println!("cargo::rustc-link-lib=atomic");
    }
    objects.clean(&made.concat()).map_err(FileError::of(&folder))?;
    Ok(())
}
