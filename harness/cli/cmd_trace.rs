// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra trace`: the state changes of every cycle.

use std::io::BufWriter;
use std::io::Write;
use std::io::stdout;

use super::Exit;
use super::args;
use super::args::Model;
use super::args::TraceArgs;
use crate::Case;
use crate::GEOMETRY;
use crate::diagnostic::Failure;
use crate::golden_run::EndRule;
use crate::golden_run::GoldenRun;
use crate::load::Extras;
use crate::load::Loaded;
use crate::load::load;
use crate::trace::Differ;
use crate::trace::Filter;
use crate::trace::write_changes;
use crate::trace::write_header;

pub(super) fn run(a: &TraceArgs) -> Result<Exit, Failure> {
    let extras = Extras {
        mem: a.program.start.mem.as_deref(),
        io_cells: args::io_cells(&a.program.start.io_cells)?,
    };
    let Loaded { case, warnings } = load(&a.program.file, &extras)?;
    for warning in warnings {
        eprintln!("warning: {warning}");
    }
    let filter = Filter { from: a.from, to: a.to, only: a.only.clone() };
    let mut out = BufWriter::new(stdout().lock());
    match a.model {
        Model::Golden => golden(&case, a.program.start.cycles, &filter, &mut out)?,
        Model::Rtl => rtl(&case, a.program.start.cycles, &filter, &mut out)?,
    }
    out.flush()?;
    Ok(Exit::Agreed)
}

fn golden(
    case: &Case,
    cycles: Option<u64>,
    filter: &Filter,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    write_header(out, case, &GEOMETRY, "golden")?;
    let mut run = GoldenRun::new(case, &GEOMETRY);
    let mut end = EndRule::new(case, cycles);
    let mut differ = Differ::new(run.fabric.layout(), &GEOMETRY, &run.fabric);
    while !end.ends(run.cycle, || run.quiet()) && filter.to.is_none_or(|t| run.cycle <= t) {
        write_changes(out, run.cycle, &differ.changes(&run.fabric), filter)?;
        run.step();
        run.fabric.pack();
    }
    Ok(())
}

#[cfg(not(feature = "rtl"))]
fn rtl(_: &Case, _: Option<u64>, _: &Filter, _: &mut dyn Write) -> Result<(), Failure> {
    Err(super::no_rtl())
}

#[cfg(feature = "rtl")]
fn rtl(
    case: &Case,
    cycles: Option<u64>,
    filter: &Filter,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let reset = drra_golden::Fabric::new(GEOMETRY, 0);
    let stopped = |f: crate::bridge::AssertionFailure| {
        Failure::Tool(format!("the RTL violates an assertion at rtl/{}", f.place))
    };
    let mut run = crate::lockstep::RtlRun::new(case, &GEOMETRY, &reset)
        .map_err(Failure::Tool)?
        .map_err(stopped)?;
    write_header(out, case, &GEOMETRY, "rtl")?;
    let mut end = EndRule::new(case, cycles);
    let mut differ = Differ::new(reset.layout(), &GEOMETRY, &reset);
    let quiet = |run: &crate::lockstep::RtlRun<'_>| {
        let outputs = run.dut().outputs();
        outputs.all_idle && !outputs.agu_busy
    };
    while !end.ends(run.cycle(), || quiet(&run)) && filter.to.is_none_or(|t| run.cycle() <= t) {
        write_changes(out, run.cycle(), &differ.changes(run.map()), filter)?;
        run.step().map_err(stopped)?;
    }
    Ok(())
}
