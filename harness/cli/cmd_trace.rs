// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra trace`: the state changes of every cycle.

use std::io::BufWriter;
use std::io::Write;
use std::io::stdout;

use drra_lockstep::AssertionFailure;
use drra_lockstep::EndRule;
use drra_lockstep::Pair;
use drra_lockstep::StartError;
use drra_lockstep::trace::Filter;
use drra_lockstep::trace::Model;
use drra_lockstep::trace::Trace;
use drra_lockstep::trace::write_header;
use wildmatch::WildMatch;

use super::Exit;
use super::args;
use super::args::TraceArgs;
use super::error::CommandError;
use super::error::tool;
use super::error::usage;
use super::program;
use crate::GEOMETRY;

pub(super) fn run(a: &TraceArgs) -> Result<Exit, CommandError> {
    if let (Some(from), Some(to)) = (a.from, a.to)
        && from > to
    {
        let message = format!("--from {from} --to {to}: the first cycle comes after the last");
        return Err(usage(message, "give the smaller number to --from"));
    }
    let extras = args::extras(&a.program.start)?;
    let case = program::read(&a.program.file, &extras)?;
    let only = a.only.as_deref().map(WildMatch::new);
    let filter = Filter { from: a.from, to: a.to, only, end: a.with_end };
    let end = EndRule::new(&case, a.program.start.cycles);
    let (mut pair, model, name) = match a.model {
        args::Model::Golden => (Pair::alone(&case, &GEOMETRY), Model::Golden, "golden"),
        args::Model::Rtl => {
            let setup = super::setup(None)?;
            let pair = Pair::new(&case, &GEOMETRY, setup.design).map_err(|e| match e {
                StartError::Violated(failure) => stopped(&failure),
                StartError::Dut(e) => tool(e),
            })?;
            (pair, Model::Dut, "rtl")
        }
    };
    let args::Format::Jsonl = a.format;
    let mut out = BufWriter::new(stdout().lock());
    write_header(&mut out, &case, &GEOMETRY, name, &filter)?;
    let mut trace = Trace::new(model, end, &filter, pair.golden(), &mut out);
    // The side that is traced says when the run ends.
    pair.run(EndRule::at(u64::MAX), &mut trace);
    if let Some(failure) = trace.finish()? {
        return Err(stopped(&failure));
    }
    out.flush()?;
    Ok(Exit::Agreed)
}

/// The design cannot go on.
fn stopped(failure: &AssertionFailure) -> CommandError {
    tool(format!("the design stops: {}", failure.text()))
}
