// SPDX-License-Identifier: MIT OR Apache-2.0
//! A design of the user (`DRRA_RTL` at build time) as a design under test. A signal map says which of its
//! variables show which registers; registers that are bits of variables are compared in place, others are
//! computed. Signals between blocks are not known.

mod computed;
mod conditions;
mod names;
mod pieces;
mod plan;
mod state;

use std::{
    fmt,
    path::{Path, PathBuf},
    slice,
    sync::{Arc, OnceLock},
};

use drra_case::Case;
use drra_golden::{BufferWrite, Fabric, Signals};
use drra_isa::{
    ColumnId, Geometry, TileId, Unit,
    fabric::{Layout, Location, Register},
    ports::{Block, Inputs},
};
use drra_lockstep::{
    AssertionFailure, Compared, Design, Difference, Dut, DutError, Fingerprint, Outputs,
    SignalDifference, StartError, StateSource, StepError,
};
use drra_recorded::map::{MapError, MapFile, MapProblem};

use super::{
    origin::{FINGERPRINT, FOLDER, OF_USER},
    sim::{self, Sim},
};
use conditions::Moment;
use plan::Plan;
use state::State;

/// The map of the folder that the model was built from.
const MAP: &str = include_str!(concat!(env!("OUT_DIR"), "/map.json"));
/// Names another map at run time, so that a map can be tried without a build.
const MAP_VARIABLE: &str = "DRRA_RTL_MAP";

/// Why a design and its map do not fit.
#[derive(Debug, thiserror::Error)]
pub enum MappedError {
    /// The map that is to replace the built-in one cannot be read.
    #[error("{MAP_VARIABLE}={map}: {0}", map = map_name())]
    Read(std::io::Error),
    /// The text is no map.
    #[error("{map} {source}", map = map_name())]
    File { source: MapError },
    /// The map does not fit the names of the model.
    #[error("{}", listed(.0))]
    Problems(Vec<MapProblem>),
    /// A memory is mapped by its write port.
    #[error(
        "{map} rebuilds the memory of {0} from its write port; in lock-step the array itself can be \
             read: map its rows, `tile[R][c].sram[a]`",
        map = map_name()
    )]
    WritePort(TileId),
    /// A register is mapped that the design has later.
    #[error(
        "{map} has {0} later than the architecture, with a positive offset; in lock-step what comes \
             later is not known yet: map what the register takes over with the next edge (such as `x_d` of `x_q`), \
             or the stage before it, without the offset, or exclude it. With recorded waves (drra check) positive \
             offsets work",
        map = map_name()
    )]
    Late(Location),
    /// A row of a memory is mapped with an offset.
    #[error(
        "{map} compares {0} with an offset; in lock-step rows of memories are compared in their own \
             cycle: for a memory that is written later take what waits to be written from its register, \
             {{\"if\": {{\"and\": [VALID, {{\"equal\": [ADDRESS, \"7'd{{a}}\"]}}]}}, \"then\": DATA, \"else\": ROW}}",
        map = map_name()
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
    let map = map_name();
    let line = |p: &MapProblem| format!("{map}: {p}\n    {}", p.what.remedy());
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The file that the map of this process comes from.
fn map_name() -> String {
    replacement().map_or_else(|| format!("{FOLDER}/map.json"), |path| path.display().to_string())
}

/// The map that replaces the one of the folder in this process.
fn replacement() -> Option<PathBuf> {
    std::env::var_os(MAP_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Makes models of the design of the user, of the one size that this build is for.
#[derive(Clone, Debug)]
pub struct Mapped {
    plan: Arc<Plan>,
    simulator: String,
}

impl Mapped {
    /// The design of this build, bound to its map; the map is bound once. `DRRA_RTL_MAP` names another map than that
    /// of the folder.
    ///
    /// # Errors
    /// If the map cannot be read or does not fit the design.
    pub(super) fn get() -> Result<&'static Self, &'static MappedError> {
        static MAPPED: OnceLock<Result<Mapped, MappedError>> = OnceLock::new();
        let bind = || match replacement() {
            None => Self::bind(MAP),
            Some(path) => Self::bind(&std::fs::read_to_string(path).map_err(MappedError::Read)?),
        };
        MAPPED.get_or_init(bind).as_ref()
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
    fn start(&self, case: &Case, _layout: &Arc<Layout>) -> Result<Box<dyn Dut>, StartError> {
        if case.geometry != crate::GEOMETRY {
            return Err(DutError::Size(case.geometry).into());
        }
        let sim = Sim::new(case)?;
        let state = State::new(&sim, &self.plan)?;
        let load_end = case.stimulus.load_end(&case.geometry);
        Ok(Box::new(Model { state, sim, now: Moment { cycle: 0, load_end } }))
    }

    fn sizes(&self) -> Option<&[Geometry]> {
        Some(slice::from_ref(&crate::GEOMETRY))
    }

    fn simulator(&self) -> &str {
        &self.simulator
    }

    fn fingerprint(&self) -> Fingerprint {
        FINGERPRINT
    }

    fn name_of(&self, location: Location) -> Option<String> {
        self.plan.names.get(&location).cloned()
    }

    fn shows_signals(&self) -> bool {
        false
    }

    fn compared(&self) -> Option<Compared> {
        Some(self.plan.compared.clone())
    }

    fn writes_waves(&self) -> bool {
        sim::WRITES_WAVES
    }

    fn counts_coverage(&self) -> bool {
        sim::COUNTS_COVERAGE
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
    fn drive(&mut self, inputs: &Inputs<'_>) -> Result<(), AssertionFailure> {
        self.sim.drive(inputs)?;
        self.state.refresh();
        Ok(())
    }

    fn step(&mut self) -> Result<(), StepError> {
        self.state.keep();
        self.sim.step()?;
        self.now.cycle += 1;
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
        self.state.row_agrees(golden, tile, row, self.now)
    }

    fn srams_agree(&self, golden: &Fabric) -> bool {
        self.state.memories_agree(golden, self.now)
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
