// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra export`: stimulus, test benches and scripts for other simulators.

use std::{fs, io};

use drra_case::Case;
use drra_files::{check_new_folder, write_folder};
use drra_isa::Geometry;
use drra_recorded::export::{
    ExportFile, ExportOptions, ExportTarget, ExportedCase, FlagTiming, MANIFEST, Manifest,
    WordOrder, bench, cocotb, export, lock_step,
};

use super::{
    args::{self, ExportArgs, ExtraBench, FlagTime, LoadOrder, TargetFabric},
    cmd_fuzz,
    export_sources::ExportCases,
    program,
    worker::in_order,
};
use crate::command_prelude::*;

/// The profile for the published fabric.
const SILAGO_PROFILE: &str = "silago-published";
/// Number of profile cases to export by default.
const GENERATED: usize = 100;
/// Remedy if the folder cannot be written.
const REMEDY: &str = "give a writable folder, new or empty";

pub(super) fn run(a: &ExportArgs, build: &Build) -> Result<Exit, CommandError> {
    check_new_folder(&a.out).map_err(|e| file(&a.out, e, REMEDY))?;
    if a.lock_step {
        write_folder(&a.out, |folder| write_files(folder, &lock_step()))
            .map_err(|e| file(&a.out, e, REMEDY))?;
        say!("next steps: {}", a.out.join("README.md").display())?;
        return Ok(Exit::Agreed);
    }
    let options = options(a);
    match (&a.file, &a.campaign) {
        (Some(path), _) => one(path, a, &options, build)?,
        (None, Some(folder)) => {
            let mut sources = ExportCases::of(folder, size(a), &build.default_size())?;
            sources.truncate(a.cases.unwrap_or(usize::MAX));
            many(sources, a, &options)?;
        }
        (None, None) => {
            let size = size(a).unwrap_or(build.default_size());
            let name = a.profile.as_deref().unwrap_or(SILAGO_PROFILE);
            let profile = cmd_fuzz::read_profile(name, Some(size), &[])?;
            let cases = a.cases.unwrap_or(GENERATED);
            many(ExportCases::generated(profile, a.seed, cases), a, &options)?;
        }
    }
    Ok(Exit::Agreed)
}

fn options(a: &ExportArgs) -> ExportOptions {
    ExportOptions {
        idle_cycles: a.idle_cycles,
        order: match a.load_order {
            LoadOrder::RowMajor => WordOrder::RowMajor,
            LoadOrder::Diagonal => WordOrder::Diagonal,
        },
        flag: match (a.flag_timing, target(a)) {
            (Some(FlagTime::Word), _) | (None, None) => FlagTiming::Word,
            (Some(FlagTime::Delayed), _) | (None, Some(ExportTarget::SilagoPublished)) => {
                FlagTiming::Delayed
            }
        },
    }
}

/// The fabric given by `--for`.
fn target(a: &ExportArgs) -> Option<ExportTarget> {
    a.target.map(|TargetFabric::SilagoPublished| ExportTarget::SilagoPublished)
}

/// The size given by `--fabric`, or else that of the fabric given by `--for`.
fn size(a: &ExportArgs) -> Option<Geometry> {
    a.start.fabric.or(a.target.map(|_| Geometry::default()))
}

/// The test benches for a size, adapted to the fabric given by `--for`, if there is one, and that of `--bench`.
fn bench_for(
    size: &Geometry,
    blocks: usize,
    a: &ExportArgs,
) -> Result<Vec<ExportFile>, CommandError> {
    if a.target.is_some() && *size != Geometry::default() {
        let what = format!("the published fabric has size {}, not {size}", Geometry::default());
        return Err(usage(what, "omit --fabric, and leave out cases of other sizes"));
    }
    let extra = a.bench.map(|ExtraBench::Cocotb| cocotb(size));
    Ok(bench(size, blocks, target(a)).into_iter().chain(extra).collect())
}

/// Exports one case.
fn one(
    path: &Path,
    a: &ExportArgs,
    options: &ExportOptions,
    build: &Build,
) -> Result<(), CommandError> {
    let mut case = program::read_for(path, &args::extras(&a.start, build)?, size(a), build)?;
    case.cycles = a.start.cycles.or(case.cycles);
    let (exported, blocks) = write_folder(&a.out, |folder| {
        let (exported, blocks) = write_case(&case, folder, "", options, path)?;
        write_files(folder, &bench_for(&case.geometry, blocks, a)?)?;
        Ok((exported, blocks))
    })
    .map_err(|e: CommandError| e.of_output(&a.out, REMEDY))?;
    let ExportedCase { cycles, name, .. } = exported;
    let buffers = if blocks > 0 { format!(", {blocks} blocks in buffers") } else { String::new() };
    let page = a.out.join("README.md");
    say!("{name}: {cycles} cycles{buffers}; next steps: {}", page.display())?;
    Ok(())
}

/// Exports the cases of a campaign, profile or folder, each into its own folder.
fn many(sources: ExportCases, a: &ExportArgs, options: &ExportOptions) -> Result<(), CommandError> {
    if sources.len() == 0 {
        return Err(usage("nothing to export", "give --cases 1 or more"));
    }
    let manifest = write_folder(&a.out, |folder| {
        let written = in_order(a.jobs, sources.len(), |number| {
            let (name, case, origin) = sources.case(number)?;
            let of_case = folder.join(&name);
            fs::create_dir(&of_case)?;
            write_case(&case, &of_case, &name, options, &origin)
        })?;
        let room = written.iter().map(|(_, blocks)| *blocks).max().unwrap_or(0);
        let cases = written.into_iter().map(|(case, _)| case).collect();
        let manifest = Manifest::new(&sources.size, *options, cases);
        write_files(folder, &bench_for(&sources.size, room, a)?)?;
        fs::write(folder.join(MANIFEST), manifest.to_json())?;
        Ok(manifest)
    })
    .map_err(|e: CommandError| e.of_output(&a.out, REMEDY))?;
    let count = manifest.cases.len();
    let what = if count == 1 { "case" } else { "cases" };
    let cycles: u64 = manifest.cases.iter().map(|case| case.cycles).sum();
    let page = a.out.join("README.md");
    say!("{count} {what}, {cycles} cycles; next steps: {}", page.display())?;
    Ok(())
}

/// Writes the files of a case into a folder, and counts the blocks of its input buffers. `name` is the name of the
/// folder in a manifest; errors mention `origin`.
fn write_case(
    case: &Case,
    folder: &Path,
    name: &str,
    options: &ExportOptions,
    origin: &Path,
) -> Result<(ExportedCase, usize), CommandError> {
    let exported =
        export(case, options).map_err(|e| file(origin, e, "reduce --cycles or --idle-cycles"))?;
    write_files(folder, &exported.files)?;
    let case = ExportedCase {
        folder: name.to_owned(),
        name: case.name.clone(),
        cycles: exported.case.cycles.unwrap_or_default(),
        inserted_cycles: exported.inserted_cycles,
    };
    Ok((case, exported.case.input_buffers.len()))
}

/// Writes files, and makes scripts executable.
fn write_files(folder: &Path, files: &[ExportFile]) -> io::Result<()> {
    for file in files {
        let path = folder.join(file.name);
        fs::write(&path, &file.text)?;
        #[cfg(unix)]
        if file.executable {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&path)?.permissions().mode();
            // Everyone who can read the script can execute it.
            let started = mode | (mode & 0o444) >> 2;
            fs::set_permissions(&path, fs::Permissions::from_mode(started))?;
        }
    }
    Ok(())
}
