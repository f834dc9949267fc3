// SPDX-License-Identifier: MIT OR Apache-2.0
//! A design of the user (`DRRA_RTL` at build time) as a design under test. A signal map says which of its
//! variables show which registers; registers that are bits of variables are compared in place, others are
//! computed. Signals between blocks are not known.

mod computed;
mod names;
mod pieces;
mod plan;
mod state;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::OnceLock;

use drra_case::Case;
use drra_golden::BufferWrite;
use drra_golden::Fabric;
use drra_golden::Signals;
use drra_isa::ColumnId;
use drra_isa::Geometry;
use drra_isa::TileId;
use drra_isa::Unit;
use drra_isa::fabric::Layout;
use drra_isa::fabric::Location;
use drra_isa::fabric::Register;
use drra_isa::ports::Block;
use drra_isa::ports::Inputs;
use drra_lockstep::Account;
use drra_lockstep::Design;
use drra_lockstep::Difference;
use drra_lockstep::Dut;
use drra_lockstep::DutError;
use drra_lockstep::Outputs;
use drra_lockstep::SignalDifference;
use drra_lockstep::StartError;
use drra_lockstep::StateSource;
use drra_lockstep::StepError;
use drra_recorded::map::MapError;
use drra_recorded::map::MapFile;
use drra_recorded::map::MapProblem;

use super::origin::FOLDER;
use super::origin::OF_USER;
use super::sim;
use super::sim::Sim;
use computed::Moment;
use plan::Plan;
use state::State;

/// The map of the folder that the model was built from.
const MAP: &str = include_str!(concat!(env!("OUT_DIR"), "/map.json"));

/// Why a design and its map do not fit.
#[derive(Debug, thiserror::Error)]
pub enum MappedError {
    /// The text is no map.
    #[error("{folder}/map.json {source}", folder = FOLDER)]
    File {
        /// What is wrong.
        source: MapError,
    },
    /// The map does not fit the names of the model.
    #[error("{}", listed(.0))]
    Problems(Vec<MapProblem>),
    /// A memory is mapped by its write port.
    #[error(
        "{FOLDER}/map.json rebuilds the memory of {0} from its write port; in lock-step the array itself can be \
             read: map its rows, `tile[R][c].sram[a]`"
    )]
    WritePort(TileId),
    /// A register is mapped with an offset.
    #[error(
        "{FOLDER}/map.json compares {0} with an offset; in lock-step only registers of the same cycle can be \
             compared: map the register that holds the value in its own cycle, or exclude it"
    )]
    Offset(Location),
    /// A row of a memory is mapped under a condition.
    #[error(
        "{FOLDER}/map.json compares {0} under a condition; in lock-step the rows of memories are always \
             compared: leave the condition out, or exclude the rows"
    )]
    Row(Location),
    /// The variables of a unit are too far apart.
    #[error("the variables of {0} are spread over more than 4 GiB")]
    Far(Unit),
    /// The model lacks what it named before.
    #[error(transparent)]
    Dut(#[from] DutError),
}

fn listed(problems: &[MapProblem]) -> String {
    let line = |p: &MapProblem| format!("{FOLDER}/map.json: {p}\n    {}", p.what.remedy());
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Makes models of the design of the user, of the one size that this build is for.
#[derive(Clone, Debug)]
pub struct Mapped {
    plan: Arc<Plan>,
    simulator: String,
}

impl Mapped {
    /// The design of this build, bound to its map; the map is bound once.
    ///
    /// # Errors
    /// If the map does not fit the design.
    pub(super) fn get() -> Result<&'static Self, &'static MappedError> {
        static MAPPED: OnceLock<Result<Mapped, MappedError>> = OnceLock::new();
        MAPPED.get_or_init(|| Self::bind(MAP)).as_ref()
    }

    /// The design of this build with a map of its own.
    ///
    /// # Errors
    /// If the text is no map, or does not fit the design.
    pub fn bind(map: &str) -> Result<Self, MappedError> {
        let file = MapFile::parse(map).map_err(|source| MappedError::File { source })?;
        let plan = Arc::new(Plan::new(&file, &crate::GEOMETRY)?);
        let verilator = env!("DRRA_VERILATOR_VERSION");
        let simulator =
            if OF_USER { format!("{verilator}, RTL {FOLDER}") } else { verilator.into() };
        Ok(Self { plan, simulator })
    }
}

impl Design for Mapped {
    fn start(
        &self,
        case: &Case,
        geometry: &Geometry,
        _layout: &Arc<Layout>,
    ) -> Result<Box<dyn Dut>, StartError> {
        let sim = Sim::new(case.seed, case.straps(geometry)).map_err(StartError::Violated)?;
        let state = State::new(&sim, &self.plan)?;
        let load_end = case.stimulus.load_end(geometry);
        Ok(Box::new(Model { state, sim, now: Moment { cycle: 0, load_end } }))
    }

    fn simulator(&self) -> &str {
        &self.simulator
    }

    fn name_of(&self, location: Location) -> Option<String> {
        self.plan.names.get(&location).cloned()
    }

    fn shows_signals(&self) -> bool {
        false
    }

    fn account(&self) -> Option<Account> {
        Some(self.plan.account.clone())
    }

    fn writes_waves(&self) -> bool {
        cfg!(feature = "rtl-trace")
    }

    fn counts_coverage(&self) -> bool {
        cfg!(feature = "rtl-coverage")
    }

    fn write_coverage(&self, path: &Path) -> Result<(), DutError> {
        sim::write_coverage(&path.to_string_lossy())
    }
}

/// A simulation with its state as the map shows it.
struct Model {
    // `state` holds addresses in `sim` and is dropped first.
    state: State,
    sim: Sim,
    now: Moment,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").finish_non_exhaustive()
    }
}

impl StateSource for Model {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        self.state.read(unit, image);
    }

    fn sram_block(&self, tile: TileId, row: usize) -> Block {
        self.state.sram_block(tile, row)
    }

    fn shows(&self, unit: Unit, register: Register) -> bool {
        self.state.shows(unit, register)
    }
}

impl Dut for Model {
    fn step(&mut self, inputs: &Inputs<'_>) -> Result<(), StepError> {
        self.sim.step(inputs)?;
        self.now.cycle += 1;
        self.state.refresh();
        Ok(())
    }

    fn outputs(&self) -> Outputs {
        self.sim.outputs()
    }

    fn io_in_addr(&self, column: ColumnId) -> u32 {
        self.sim.io_in_addr(column)
    }

    fn io_out(&self, column: ColumnId) -> BufferWrite {
        self.sim.io_out(column)
    }

    fn buffer_ports_are_zero(&self) -> bool {
        self.sim.buffer_ports_are_zero()
    }

    fn differing_signals(&self, _golden: &Signals) -> Result<Vec<SignalDifference>, DutError> {
        Ok(Vec::new())
    }

    fn agrees(&self, golden: &Fabric) -> bool {
        self.state.agrees(golden, self.now)
    }

    fn sram_row_agrees(&self, golden: &Fabric, tile: TileId, row: usize) -> bool {
        self.state.row_agrees(golden, tile, row)
    }

    fn srams_agree(&self, golden: &Fabric) -> bool {
        self.state.memories_agree(golden)
    }

    fn differences(&self, golden: &Fabric) -> Vec<Difference> {
        self.state.corrected(drra_lockstep::differences(self, golden), golden, self.now)
    }

    fn flip(&mut self, location: Location, bit: u32) -> bool {
        self.state.flip(location, bit)
    }

    fn open_waves(&mut self, path: &Path) -> Result<(), DutError> {
        self.sim.open_waves(path)
    }
}
