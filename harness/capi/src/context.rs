// SPDX-License-Identifier: MIT OR Apache-2.0
//! A context: what one caller does with the library.

use std::{
    ffi::{CString, c_char, c_int},
    mem,
    path::Path,
    sync::Arc,
};

use drra_case::{
    Case, CaseError,
    load::{LoadedCase, ProgramInputs, load, read},
};
use drra_fabric::{
    Layout, Location,
    ports::{Block, InputPort},
};
use drra_files::write_whole;
use drra_isa::{CellId, ColumnId, Geometry};
use drra_lint::{Level, ProgramFindings};
use drra_lockstep::run_golden;
use drra_recorded::map::MapFile;
use drra_report::Colouring;
use serde_json::json;

use crate::{
    DRRA_AGREED, DRRA_BAD_INPUT, DRRA_MISMATCH, Difference,
    live::{Live, Signals},
    model::Model,
    silent::silent,
    text::{Failure, bad, c_text, tool},
};

/// Maximum number of errors whose texts are kept.
const MAX_ERRORS: usize = 64;

/// A context. Contexts are independent of each other. Only one thread at a time may use a context.
#[derive(Default)]
pub struct Context {
    pub(crate) errors: Vec<CString>,
    /// Number of all errors.
    pub(crate) error_count: usize,
    /// True after a panic, which leaves the rest in an unknown state.
    broken: bool,
    pub(crate) geometry: Geometry,
    /// The case or program, with its path.
    program: Option<(Arc<LoadedCase>, String)>,
    pub(crate) phase: Phase,
    /// Texts that live as long as the context.
    kept: Vec<CString>,
    /// The last document.
    document: CString,
    /// The last difference shown, and the number of edges after which it was found.
    shown: Option<(u64, Difference)>,
    #[cfg(test)]
    pub(crate) fault: bool,
}

#[derive(Default)]
pub(crate) enum Phase {
    /// Nothing can be done: the context was not created, or the map was not bound.
    #[default]
    Failed,
    Model(Box<Model>),
    Signals(Box<Signals>),
    Live(Box<Live>),
}

/// Calls a function of the interface for its context, which the promises of the header make usable. Returns the status
/// if it fails.
pub(crate) unsafe fn enter<T>(
    context: *mut Context,
    work: impl FnOnce(&mut Context) -> Result<T, Failure>,
) -> Result<T, c_int> {
    let context = context.as_mut().ok_or(DRRA_BAD_INPUT)?;
    let result = silent(|| {
        #[cfg(test)]
        assert!(!context.fault, "a fault");
        match context.broken {
            true => Err(tool("an earlier call failed inside the library: destroy this context")),
            false => work(context),
        }
    });
    let failure = match result {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(failure)) => failure,
        Err(panic) => {
            context.broken = true;
            tool(format!("the library {panic}"))
        }
    };
    context.note(&failure.text);
    Err(failure.status)
}

/// An error about a file, with its remedy.
fn of_file(e: CaseError) -> Failure {
    e.remedy().map_or_else(|| bad(&e), |remedy| bad(format!("{e}; {remedy}")))
}

impl Phase {
    /// The failure of a function that is called too early, too late, or for the wrong kind of context.
    fn unfit(&self) -> Failure {
        bad(match self {
            Self::Failed => "drra_create or drra_bind failed: destroy this context",
            Self::Model(_) => "this context was created without a map",
            Self::Signals(_) => "the map is not bound yet: call drra_bind first",
            Self::Live(_) => "the map is already bound",
        })
    }
}

impl Context {
    /// Counts an error.
    fn note(&mut self, text: &str) {
        self.error_count = self.error_count.saturating_add(1);
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(c_text(text));
        }
    }

    /// Ends the comparison. Returns the status and the verdict in words.
    pub(crate) fn finish(&mut self, min_compared: f64) -> Result<(c_int, *const c_char), Failure> {
        let (status, text) = self.live()?.finish(min_compared)?;
        if ![DRRA_AGREED, DRRA_MISMATCH].contains(&status) {
            self.note(&text);
        }
        Ok((status, self.keep(&text)))
    }

    /// Reads the files.
    pub(crate) fn open(
        &mut self,
        size: Option<&str>,
        map: Option<&str>,
        file: Option<&str>,
    ) -> Result<(), Failure> {
        let size = size.map(str::parse::<Geometry>).transpose().map_err(bad)?;
        let read_map =
            |path| MapFile::parse(path, &read(Path::new(path)).map_err(of_file)?).map_err(bad);
        let map = map.map(read_map).transpose()?;
        let usual = Geometry::default();
        let of_map = || map.as_ref().map_or(usual, |map| map.size(usual));
        self.geometry = size.unwrap_or_else(of_map);
        if let Some(path) = file {
            let program = load(Path::new(path), &ProgramInputs::default(), &self.geometry);
            let mut program = program.map_err(of_file)?;
            self.geometry = program.case.geometry;
            if let Some(size) = size.filter(|size| *size != self.geometry) {
                let of_case = self.geometry;
                return Err(bad(format!("{path}: the case is for fabric {of_case}, not {size}")));
            }
            if map.is_some() && program.case.cycles.is_none() {
                program.case.cycles = Some(run_golden(&program.case, None).cycles);
            }
            self.program = Some((Arc::new(program), path.to_owned()));
        }
        self.phase = match (map, &self.program) {
            (Some(map), _) => Phase::Signals(Box::new(Signals::new(map))),
            (None, Some((program, _))) => Phase::Model(Box::new(Model::new(Arc::clone(program)))),
            (None, None) => return Err(bad("nothing to do: give a map, a case, or both")),
        };
        Ok(())
    }

    fn given(&self) -> Result<&(Arc<LoadedCase>, String), Failure> {
        self.program.as_ref().ok_or_else(|| bad("this context was created without a case"))
    }

    fn given_case(&self) -> Result<&Case, Failure> {
        self.given().map(|(program, _)| &program.case)
    }

    /// The signals, before the map is bound.
    pub(crate) fn signals(&mut self) -> Result<&mut Signals, Failure> {
        match &mut self.phase {
            Phase::Signals(signals) => Ok(signals),
            other => Err(other.unfit()),
        }
    }

    /// The comparison, after the map was bound.
    pub(crate) fn live(&mut self) -> Result<&mut Live, Failure> {
        match &mut self.phase {
            Phase::Live(live) => Ok(live),
            other => Err(other.unfit()),
        }
    }

    /// The golden model without a design.
    pub(crate) fn model(&mut self) -> Result<&mut Model, Failure> {
        match &mut self.phase {
            Phase::Model(model) => Ok(model),
            _ => Err(bad("this context has no golden model that drra_step could step")),
        }
    }

    /// Binds the map to the signals.
    pub(crate) fn bind(&mut self) -> Result<(), Failure> {
        match mem::take(&mut self.phase) {
            Phase::Signals(mut signals) => {
                self.kept.append(&mut signals.needed);
                let given = self.program.as_ref().map(|(program, _)| &program.case);
                let live = signals.bind(given, &self.geometry)?;
                self.phase = Phase::Live(Box::new(live));
                Ok(())
            }
            other => {
                self.phase = other;
                Err(self.phase.unfit())
            }
        }
    }

    /// Keeps a text as long as the context lives.
    fn keep(&mut self, text: &str) -> *const c_char {
        let text = c_text(text);
        let at = text.as_ptr();
        self.kept.push(text);
        at
    }

    /// The value of an input port in a cycle of the case, and its width in bits.
    pub(crate) fn stimulus(
        &self,
        cycle: u64,
        port: &str,
        unit: usize,
    ) -> Result<(Block, u32), Failure> {
        let (case, geometry) = (self.given_case()?, &self.geometry);
        let named = InputPort::from_name(port).filter(|port| unit < port.unit().count(geometry));
        let named = named.ok_or_else(|| {
            let names: Vec<&str> = InputPort::ALL.iter().map(|port| port.name()).collect();
            bad(format!(
                "there is no input port {port} of unit {unit}; the ports are {}",
                names.join(", ")
            ))
        })?;
        let value = match named {
            InputPort::IoCell => {
                let cell = CellId::all(geometry).nth(unit);
                [cell.is_some_and(|cell| case.io_cells.contains(&cell)).into(), 0, 0, 0]
            }
            InputPort::IoInData => case.idle_answer(cycle),
            _ => {
                let mut ports = case.entry(cycle).ports();
                ports.find(|(port, _)| *port == named).map_or(Block::default(), |(_, value)| value)
            }
        };
        Ok((value, named.width(geometry)))
    }

    /// The contents of an input buffer.
    pub(crate) fn buffer(&self, column: usize, address: u32) -> Result<Block, Failure> {
        let found = ColumnId::all(&self.geometry).nth(column);
        let column = found.ok_or_else(|| bad(format!("there is no column {column}")))?;
        let mut blocks = self.given_case()?.input_buffers.iter().rev();
        let found = blocks.find(|(c, a, _)| (*c, *a) == (column, address));
        Ok(found.map_or(Block::default(), |(_, _, block)| *block))
    }

    /// The value of a register of the golden model, and its width in bits.
    pub(crate) fn register(&mut self, name: &str) -> Result<(Vec<u64>, u32), Failure> {
        let location: Location = name.parse().map_err(bad)?;
        let value = match &mut self.phase {
            Phase::Model(model) => {
                model.run.fabric.pack();
                model.run.fabric.value(location)
            }
            _ => self.live()?.check.golden().value(location),
        };
        let value = value.ok_or_else(|| bad(format!("fabric {} has no {name}", self.geometry)))?;
        Ok((value, location.register.width(&self.geometry)))
    }

    /// The first difference, if there is one.
    pub(crate) fn difference(&mut self) -> Result<Option<Difference>, Failure> {
        let edges = self.live()?.edges;
        if let Some((_, shown)) = self.shown.filter(|(at, _)| *at == edges) {
            return Ok(Some(shown));
        }
        let Some(report) = self.live()?.report()? else { return Ok(None) };
        let (mismatch, port) = (&report.mismatch, report.mismatch.ports().first());
        let register = mismatch.differences().first();
        let name = register.map(|r| r.location.to_string()).or_else(|| port.map(|p| p.name()));
        let golden = register.map(|r| &r.golden).or_else(|| port.map(|p| &p.golden));
        let design = register.map(|r| &r.rtl).or_else(|| port.map(|p| &p.rtl));
        let responsible = report.responsible.as_ref();
        let shown = Difference {
            cycle: mismatch.cycle,
            register_name: self.keep(&name.unwrap_or_default()),
            design_name: self.keep(register.and_then(|r| r.name.as_deref()).unwrap_or_default()),
            golden: self.keep(&golden.map_or_else(|| report.expected(), |value| value.text())),
            design: self.keep(&design.map_or_else(|| report.observed(), |value| value.text())),
            instruction: self.keep(&responsible.map_or_else(String::new, |i| i.instruction.text())),
            block: self.keep(report.rule.block()),
            rule: self.keep(&report.rule.text()),
            signature: self.keep(&report.signature),
            text: self.keep(&report.text(Colouring::Plain)),
        };
        self.shown = Some((edges, shown));
        Ok(Some(shown))
    }

    /// The case that was driven, as JSON.
    fn driven(&mut self) -> Result<String, Failure> {
        match &mut self.phase {
            Phase::Live(live) => Ok(drra_case::to_json(&live.case()?)),
            _ => self.given_case().map(drra_case::to_json),
        }
    }

    /// Writes the case that was driven.
    pub(crate) fn save_case(&mut self, path: &str) -> Result<(), Failure> {
        let written = write_whole(Path::new(path), self.driven()?.as_bytes());
        written.map_err(|e| bad(format!("{path}: {e}; give a writable file")))
    }

    /// A JSON document.
    pub(crate) fn document(&mut self, what: &str) -> Result<*const c_char, Failure> {
        let text = match what {
            "case" => self.driven()?,
            "lint" => self.findings()?,
            "registers" => registers(&self.geometry),
            "result" => self.live()?.result()?,
            _ => return Err(bad(format!("{what}: expected case, lint, registers or result"))),
        };
        self.document = c_text(&text);
        Ok(self.document.as_ptr())
    }

    fn findings(&self) -> Result<String, Failure> {
        let (program, path) = self.given()?;
        let found = drra_lint::lint(program, None).map_err(|e| bad(format!("{path}:{e}")))?;
        let mut findings = ProgramFindings {
            version: drra_lint::VERSION,
            program: path.clone(),
            cycles: found.run.cycles,
            allowed: found.allowed,
            findings: found.findings,
        };
        findings.findings.retain(|finding| finding.kind.level() != Level::Hint);
        Ok(ProgramFindings::to_json(&[findings]))
    }
}

/// All registers of a fabric.
fn registers(geometry: &Geometry) -> String {
    let all = Layout::new(geometry);
    let all = all.locations().map(|location| {
        json!({ "path": location.to_string(), "bits": location.register.width(geometry) })
    });
    serde_json::Value::from_iter(all).to_string()
}
