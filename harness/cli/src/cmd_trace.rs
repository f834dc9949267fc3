// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra trace`: the state of one side in every cycle, as changes or as a waveform.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{BufWriter, Cursor, IsTerminal, Seek, stdout},
};

use drra_case::Case;
use drra_fabric::Layout;
use drra_lockstep::{
    AssertionFailure, EndRule, LockstepRun, StartError,
    trace::{self, SideTrace, TraceFilter, TracedSide},
};
use drra_report::waves::{self, WaveError};
use drra_view::{CycleWindow, differences, record};
use wildmatch::WildMatch;

use super::{
    args::{self, TraceArgs, TraceFormat},
    program, sizes,
};
use crate::command_prelude::*;

pub(super) fn run(a: &TraceArgs, build: &Build) -> Result<Exit, CommandError> {
    args::check_cycles(a.from, a.to)?;
    let extras = args::extras(&a.program.start, build)?;
    let size = a.program.start.fabric;
    let case = program::read_for(&a.program.file, &extras, size, build)?;
    let only = a.only.as_deref().map(WildMatch::new);
    let filter = TraceFilter { from: a.from, to: a.to, only, end: a.with_end };
    let layout = Layout::new(&case.geometry);
    let wanted = layout.locations().filter(|location| filter.wants(&location.to_string()));
    let units: BTreeSet<_> = wanted.map(|location| location.unit).collect();
    if let Some(pattern) = a.only.as_ref().filter(|_| units.is_empty()) {
        let remedy = "see isa/spec, chapter 5, section 7 for the paths, and quote the pattern: the shell expands `*` and `[0]`";
        return Err(usage(format!("--only {pattern}: no register of this fabric matches"), remedy));
    }
    if a.diff.is_some() || a.format == TraceFormat::Table {
        if a.model == args::ModelChoice::Rtl || a.with_end {
            let message = "--format table shows the golden model, up to the last edge";
            return Err(usage(message, "omit --model rtl and --with-end, or give --format jsonl"));
        }
        // All cycles, even of a long run.
        let window = CycleWindow { from: a.from, to: Some(a.to.unwrap_or(u64::MAX)) };
        let run = |case| record(&case, a.program.start.cycles, window);
        let new = run(case);
        let last = new.statistics.cycles;
        if let Some(from) = a.from.filter(|from| *from > last) {
            return Err(WaveError::NoCycle { from, last }.into());
        }
        let lines = match &a.diff {
            None => vec![new.trace_table(&units)],
            Some(old) => differences(&run(program::read_for(old, &extras, size, build)?), &new),
        };
        let text = lines.join("\n") + "\n";
        match &a.out {
            Some(path) => save(path, &text)?,
            None => write!(stdout(), "{text}")?,
        }
        // The first line is a headline.
        return Ok(if lines.len() > 1 { Exit::Mismatch } else { Exit::Agreed });
    }
    let end = EndRule::new(&case, a.program.start.cycles);
    let side = match a.model {
        args::ModelChoice::Golden => TracedSide::Golden,
        args::ModelChoice::Rtl => TracedSide::Dut,
    };
    let start = TraceRequest { case: &case, side, build };
    let traced = match (&a.out, a.format) {
        (Some(path), format) => drra_files::write_partial(path, |partial| {
            let out = BufWriter::new(File::create(partial)?);
            match format {
                TraceFormat::Fst => fst(&start, end, &filter, out),
                _ => lines(&start, end, &filter, out),
            }
        })
        .map_err(|e: CommandError| e.of_output(path, "check the folder and its permissions"))?,
        (None, TraceFormat::Fst) => {
            if stdout().is_terminal() {
                let remedy = "give a file with --out FILE, or redirect standard output";
                return Err(usage("a waveform cannot be printed on a terminal", remedy));
            }
            let mut out = Cursor::new(Vec::new());
            let traced = fst(&start, end, &filter, &mut out)?;
            stdout().lock().write_all(out.get_ref())?;
            traced
        }
        (None, _) => lines(&start, end, &filter, BufWriter::new(stdout().lock()))?,
    };
    // The trace up to the violation has been written.
    traced.violated.map_or(Ok(Exit::Agreed), |failure| Err(stopped(&failure)))
}

/// The run to trace.
struct TraceRequest<'a> {
    case: &'a Case,
    side: TracedSide,
    build: &'a Build,
}

/// Writes the changes of one side.
fn lines(
    start: &TraceRequest<'_>,
    end: EndRule,
    filter: &TraceFilter,
    mut out: impl Write,
) -> Result<SideTrace, CommandError> {
    let mut run = start.run()?;
    trace::write_header(&mut out, start.case, start.side, filter)?;
    let traced = trace::record(&mut run, start.side, end, filter);
    traced.write(filter, &mut out)?;
    out.flush()?;
    let from = filter.from.unwrap_or_default();
    let last = traced.history.last().unwrap_or_default();
    if from > last && traced.violated.is_none() {
        return Err(WaveError::NoCycle { from, last }.into());
    }
    Ok(traced)
}

/// Writes the waveform of one side.
fn fst(
    start: &TraceRequest<'_>,
    end: EndRule,
    filter: &TraceFilter,
    out: impl Write + Seek,
) -> Result<SideTrace, CommandError> {
    Ok(waves::trace(&mut start.run()?, start.case, start.side, end, filter, out)?)
}

impl From<WaveError> for CommandError {
    fn from(e: WaveError) -> Self {
        match e {
            WaveError::File(e) => Self::Output(e),
            WaveError::NoCycle { .. } => usage(e.to_string(), "give a smaller --from"),
            e => tool(e),
        }
    }
}

impl<'a> TraceRequest<'a> {
    /// Starts the case on the side to trace.
    fn run(&self) -> Result<LockstepRun<'a>, CommandError> {
        let case = self.case;
        match self.side {
            TracedSide::Golden => Ok(LockstepRun::alone(case)),
            TracedSide::Dut => {
                let setup = self.build.setup(None)?;
                sizes::check(&case.name, case, setup.design)?;
                LockstepRun::new(case, &setup).map_err(|e| match e {
                    StartError::Violated(failure) => stopped(&failure),
                    StartError::Dut(e) => tool(e),
                })
            }
        }
    }
}

/// The error if the design stops.
fn stopped(failure: &AssertionFailure) -> CommandError {
    tool(format!("the design stops: {}", failure.text()))
}
