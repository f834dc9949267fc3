// SPDX-License-Identifier: MIT OR Apache-2.0
//! The only place that crosses into C++: [`Sim`] wraps one Verilated simulation.

use std::{
    fmt,
    io::{Write, stderr},
    path::Path,
};

use drra_fabric::{
    ports::{Inputs, ZERO_BLOCK},
    scope::unit_at,
};
use drra_golden::BufferWrite;
use drra_isa::{ColumnId, Geometry};
use drra_lockstep::{AssertionFailure, AssertionInstance, DutError, Ports, StatusOutputs};
pub use ffi::{Dimension, NamedVariable, Variable, take_warnings};

use crate::{built::BuiltModels, plusargs, stopped::StopMessage};

#[cxx::bridge(namespace = "drra")]
#[allow(unreachable_pub)] // the macro makes every item public
mod ffi {
    /// Input ports of one cycle, sampled by the edge that ends it.
    #[derive(Default)]
    struct PortInputs {
        prog_valid: bool,
        prog_instr: u32,
        prog_imm: bool,
        prog_row_sel: u8,
        prog_col_sel: u32,
        sram_init_valid: bool,
        sram_init_row: u8,
        sram_init_col: u8,
        sram_init_addr: u8,
        sram_init_data: [u64; 4],
        rf_init_valid: bool,
        rf_init_row: u8,
        rf_init_col: u8,
        rf_init_block: u8,
        rf_init_data: [u64; 4],
    }

    /// Outputs of one cycle.
    #[derive(Default)]
    struct PortOutputs {
        /// Bit r*cols+c: the sequencer of cell (r,c) is in IDLE.
        cell_idle: u64,
        /// All cells are idle and no program word is in flight.
        all_idle: bool,
        /// Some address generator is active.
        agu_busy: bool,
        /// Bit c: a request to the input buffer of column c.
        io_in_en: u32,
        /// Bit c: a write to the output buffer of column c.
        io_out_en: u32,
        /// All addresses, data and masks to the buffers are 0.
        buffer_ports_are_zero: bool,
    }

    /// The values on the ports of an output buffer.
    struct BufferPort {
        addr: u32,
        data: [u64; 4],
        mask: u16,
    }

    /// Memory of a variable of the model, valid as long as the model lives.
    struct Variable {
        address: usize,
        bytes: usize,
    }

    /// A variable with its position in the hierarchy.
    struct NamedVariable {
        /// Without the leading `TOP.`.
        scope: String,
        name: String,
        address: usize,
        /// Size of all elements.
        bytes: usize,
        /// Bits of an element, over all packed dimensions; 0 if its values are not bits.
        width: u32,
        /// Unpacked dimensions, outermost first.
        dimensions: Vec<Dimension>,
    }

    /// A dimension of an array.
    struct Dimension {
        /// Lowest index, which comes first in memory.
        low: i32,
        count: u32,
    }

    unsafe extern "C++" {
        include!("drra-cosim/harness/bridge/sim.h");

        type Sim;

        fn new_sim(model: usize, seed: u64, plusargs: &[String]) -> Result<UniquePtr<Sim>>;
        /// The distinct warnings, without times, that models have printed on this thread since the last call: the first
        /// 20 in alphabetical order, each cut after 256 bytes.
        fn take_warnings() -> Vec<String>;
        fn restores(self: &Sim) -> bool;
        fn end_counts(self: Pin<&mut Sim>);
        fn write_coverage(self: Pin<&mut Sim>, path: &str) -> Result<()>;
        fn enter_reset(self: Pin<&mut Sim>, io_cells: u64, seed: u64) -> Result<()>;
        fn leave_reset(self: Pin<&mut Sim>) -> Result<()>;
        fn drive(self: Pin<&mut Sim>, inputs: &PortInputs, outputs: &mut PortOutputs)
        -> Result<()>;
        fn step(self: Pin<&mut Sim>) -> Result<()>;
        fn propagate(self: Pin<&mut Sim>) -> Result<()>;
        fn set_io_in_data(self: Pin<&mut Sim>, col: u32, data: &[u64; 4]);
        fn io_in_addr(self: &Sim, col: u32) -> u32;
        fn io_out(self: &Sim, col: u32) -> BufferPort;
        fn open_waves(self: Pin<&mut Sim>, path: &str) -> Result<()>;
        fn address(self: &Sim) -> usize;
        fn variable(self: &Sim, scope: &str, name: &str) -> Result<Variable>;
        fn variables(self: &Sim) -> Vec<NamedVariable>;
        fn unknown_state(self: Pin<&mut Sim>, known: &[usize]) -> Result<Vec<String>>;
    }
}

/// Writes the counts of lines, branches and toggles of the simulations of the first size that finished since the last
/// call, in the format of Verilator's coverage files.
///
/// # Errors
/// If this build does not count coverage, or the file cannot be written.
pub fn write_coverage(path: &str) -> Result<(), DutError> {
    // Builds that count have no other size unless `DRRA_FABRICS` lists several.
    let written = ffi::new_sim(0, 1, &[]).and_then(|mut sim| sim.pin_mut().write_coverage(path));
    written.map_err(|e| DutError::Coverage(e.to_string()))
}

/// One simulation of the RTL, with its own context and model.
///
/// The cycle contract is that of [`Dut`](drra_lockstep::Dut): `leave_reset` leads to cycle 0, and each cycle begins
/// with `drive` and ends with `step`.
pub struct Sim {
    built: &'static BuiltModels,
    sim: cxx::UniquePtr<ffi::Sim>,
    inputs: ffi::PortInputs,
    outputs: ffi::PortOutputs,
    /// Columns whose buffer answer on the ports is not 0.
    answered: u32,
}

impl fmt::Debug for Sim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sim").finish_non_exhaustive()
    }
}

impl Sim {
    /// A simulation of a fabric of a given size, before its reset. Bits without an initial value start with random
    /// values derived from the seed, or with 0 in builds that count coverage.
    ///
    /// # Errors
    /// If this build has no model of the size, or if it counts coverage and the RTL stops in reset.
    pub fn new(
        built: &'static BuiltModels,
        geometry: &Geometry,
        seed: u64,
    ) -> Result<Self, DutError> {
        let model = built.sizes.iter().position(|size| size == geometry);
        let model = model.ok_or(DutError::Size(*geometry))?;
        let plusargs = plusargs::given().unwrap_or_default();
        let sim = ffi::new_sim(model, seed, plusargs).map_err(|e| {
            end_without_memory(&e);
            DutError::Map(e.what().to_owned())
        })?;
        let (inputs, outputs) = (ffi::PortInputs::default(), ffi::PortOutputs::default());
        Ok(Self { built, sim, inputs, outputs, answered: 0 })
    }

    /// Puts the design into reset, with the straps of the I/O cells and the seed of `$random`. A model that
    /// [restores](Self::restores) is in the same state after each reset, whatever ran before.
    ///
    /// # Errors
    /// If an assertion fails.
    pub fn enter_reset(&mut self, io_cells: u64, seed: u64) -> Result<(), AssertionFailure> {
        self.answered = 0;
        let result = self.sim.pin_mut().enter_reset(io_cells, seed);
        self.check(result)
    }

    /// True if a reset restores all state; a model with strings or queues, for example, runs only one case.
    pub fn restores(&self) -> bool {
        self.sim.restores()
    }

    /// Ends the case: adds its counts to the totals, in builds that count.
    pub(crate) fn end_counts(&mut self) {
        self.sim.pin_mut().end_counts();
    }

    /// Holds reset for some clock edges and releases it, which leads to cycle 0. Except in builds that count coverage,
    /// `inputs` are on the ports during reset.
    ///
    /// # Errors
    /// If an assertion fails.
    pub fn leave_reset(&mut self, inputs: &Inputs<'_>) -> Result<(), AssertionFailure> {
        // Toggles of ignored inputs must not be counted.
        if !self.built.counts_coverage {
            self.drive(inputs)?;
        }
        let result = self.sim.pin_mut().leave_reset();
        self.check(result)
    }

    /// Drives the inputs of the current cycle while the clock is low.
    ///
    /// # Errors
    /// If an assertion fails; the simulation has then stopped.
    pub(crate) fn drive(&mut self, inputs: &Inputs<'_>) -> Result<(), AssertionFailure> {
        let p = &mut self.inputs;
        let idle = inputs.idle.unwrap_or_default();
        p.prog_valid = inputs.prog.is_some();
        let word = inputs.prog.unwrap_or(idle.prog);
        p.prog_instr = word.instr;
        p.prog_imm = word.imm;
        p.prog_row_sel = word.row_sel;
        p.prog_col_sel = word.col_sel;
        p.sram_init_valid = inputs.sram_init.is_some();
        let init = inputs.sram_init.unwrap_or(idle.sram_init);
        p.sram_init_row = init.row as u8;
        p.sram_init_col = init.col as u8;
        p.sram_init_addr = init.addr as u8;
        p.sram_init_data = init.data;
        p.rf_init_valid = inputs.rf_init.is_some();
        let init = inputs.rf_init.unwrap_or(idle.rf_init);
        p.rf_init_row = init.row as u8;
        p.rf_init_col = init.col as u8;
        p.rf_init_block = init.block as u8;
        p.rf_init_data = init.data;
        for (col, data) in inputs.io_in_data.iter().enumerate() {
            let zero = *data == ZERO_BLOCK;
            if !zero || self.answered >> col & 1 == 1 {
                self.sim.pin_mut().set_io_in_data(col as u32, data);
                self.answered = self.answered & !(1 << col) | u32::from(!zero) << col;
            }
        }
        let result = self.sim.pin_mut().drive(&self.inputs, &mut self.outputs);
        self.check(result)
    }

    /// The rising edge of the clock that ends the current cycle.
    ///
    /// # Errors
    /// If an assertion fails; the simulation has then stopped.
    pub fn step(&mut self) -> Result<(), AssertionFailure> {
        let result = self.sim.pin_mut().step();
        self.check(result)
    }

    /// Evaluates the logic behind variables that were changed from outside; [`Self::drive`] follows.
    ///
    /// # Errors
    /// If an assertion fails; the simulation has then stopped.
    pub(crate) fn propagate(&mut self) -> Result<(), AssertionFailure> {
        let result = self.sim.pin_mut().propagate();
        self.check(result)
    }

    /// Address of the model: its variables are at the same offsets from there in all models of a size.
    pub fn address(&self) -> usize {
        self.sim.address()
    }

    /// Memory of a variable.
    ///
    /// # Errors
    /// If the model has no such scope or variable.
    pub(crate) fn variable(&self, scope: &str, name: &str) -> Result<Variable, DutError> {
        self.sim.variable(scope, name).map_err(|e| DutError::Map(e.what().to_owned()))
    }

    /// All public variables, in the order of scope and name.
    pub fn variables(&self) -> Vec<NamedVariable> {
        let mut all = self.sim.variables();
        all.sort_by(|a, b| (&a.scope, &a.name).cmp(&(&b.scope, &b.name)));
        all
    }

    /// The names of the state that kept a value from the case that has ended and is at none of the `known` offsets from
    /// the address of the model, which are sorted. A variable is examined after the first cases that change it. Only
    /// for a model that [restores](Self::restores), before its next reset.
    ///
    /// # Errors
    /// If the RTL stops meanwhile.
    pub fn unknown_state(&mut self, known: &[usize]) -> Result<Vec<String>, AssertionFailure> {
        let found = self.sim.pin_mut().unknown_state(known);
        found.or_else(|e| self.check(Err(e)).map(|()| Vec::new()))
    }

    /// Writes waves of all signals to a file from now on, until the simulation is dropped: the state of cycle t
    /// starts at t ns.
    ///
    /// # Errors
    /// If this build cannot write waves, or the file cannot be written.
    pub(crate) fn open_waves(&mut self, path: &Path) -> Result<(), DutError> {
        let opened = self.sim.pin_mut().open_waves(&path.to_string_lossy());
        opened.map_err(|e| DutError::Waves(e.what().to_owned()))
    }

    fn check(&self, result: Result<(), cxx::Exception>) -> Result<(), AssertionFailure> {
        let Err(e) = result else { return Ok(()) };
        end_without_memory(&e);
        let mut stopped = StopMessage::parse(e.what());
        let flagged = if self.built.user_design.is_some() { Vec::new() } else { self.flagged() };
        if !flagged.is_empty() {
            stopped.failure.instances = flagged;
        } else if self.built.user_design.is_none() {
            stopped.failure.instances.iter_mut().for_each(name);
        }
        for line in stopped.others {
            // Lost output on standard error does not change a verdict.
            let _ = writeln!(stderr(), "{line}");
        }
        Err(stopped.failure)
    }

    /// The violated assertions with their instances, one for each `_failed` flag that is set. These flags follow a naming rule of our own sources.
    fn flagged(&self) -> Vec<AssertionInstance> {
        self.variables()
            .into_iter()
            .filter(|v| v.name.ends_with("_failed"))
            // SAFETY:
            // * the address is that of a one-byte variable of the model, which lives as long as
            //   `self.sim`;
            // * the model is not evaluated while `self` is borrowed.
            .filter(|v| unsafe { *(v.address as *const u8) } != 0)
            .map(|v| {
                let name = v.name.trim_end_matches("_failed").to_owned();
                AssertionInstance { unit: unit_at(&v.scope), scope: v.scope, name, message: None }
            })
            .collect()
    }
}

impl Ports for Sim {
    fn outputs(&self) -> StatusOutputs {
        let o = &self.outputs;
        StatusOutputs {
            cell_idle: o.cell_idle,
            all_idle: o.all_idle,
            agu_busy: o.agu_busy,
            io_in_en: o.io_in_en,
            io_out_en: o.io_out_en,
            still: o.buffer_ports_are_zero,
        }
    }

    fn io_in_addr(&self, column: ColumnId) -> u32 {
        self.sim.io_in_addr(column.col() as u32)
    }

    fn io_out(&self, column: ColumnId) -> BufferWrite {
        let ffi::BufferPort { addr, data, mask } = self.sim.io_out(column.col() as u32);
        BufferWrite { column, addr, data, mask }
    }
}

/// Ends the process, as Rust does, if C++ could not allocate memory, because this says nothing about the design.
fn end_without_memory(e: &cxx::Exception) {
    if e.what().contains("bad_alloc") {
        std::alloc::handle_alloc_error(std::alloc::Layout::new::<Sim>());
    }
}

/// Splits the scope of a concurrent assertion of our own RTL, which ends with the name of the assertion.
fn name(instance: &mut AssertionInstance) {
    if let Some((scope, name)) = instance.scope.rsplit_once('.') {
        (instance.unit, instance.name) = (unit_at(scope), name.to_owned());
        instance.scope = scope.to_owned();
    }
}
