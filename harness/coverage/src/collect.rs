// SPDX-License-Identifier: MIT OR Apache-2.0
//! Watches the golden model and notes which bins a case hits.

use drra_golden::Fabric;
use drra_golden::TileActivity;
use drra_golden::units::AguConfig;
use drra_isa::CellId;
use drra_isa::ColumnId;
use drra_isa::Geometry;
use drra_isa::Opcode;
use drra_isa::Saturation;
use drra_isa::TileId;
use drra_isa::fabric::AguId;
use drra_isa::instructions::BwConfig;
use drra_isa::instructions::DpuMode;
use drra_isa::instructions::loop_;
use drra_lockstep::Observer;

use crate::Coverage;
use crate::group::groups_for;
use crate::group::total;
use crate::observed::Decode;
use crate::observed::Event;
use crate::observed::Launch;
use crate::observed::Observed;

/// Words of a program that is called long.
const LONG_PROGRAM: usize = Geometry::IMEM_DEPTH - 1;

/// Collects the bins of one case after the other.
#[derive(Clone, Debug)]
pub struct Collector {
    geometry: Geometry,
    io_cells: u64,
    /// Bit b: bin b was hit.
    hit: Vec<u64>,
    /// Addresses of each cell's program whose decode was noted already.
    seen: Vec<u64>,
    /// Operand width of each cell in the last cycle.
    width: Vec<BwConfig>,
    /// For each operand width, bit m: saturation in mode m was noted.
    saturated: [u32; BwConfig::ALL.len()],
}

impl Collector {
    /// A collector for cases of a fabric.
    pub fn new(geometry: &Geometry) -> Self {
        let cells = geometry.cells();
        Self {
            geometry: *geometry,
            io_cells: 0,
            hit: vec![0; total().div_ceil(64)],
            seen: vec![0; cells],
            width: vec![BwConfig::default(); cells],
            saturated: [0; BwConfig::ALL.len()],
        }
    }

    /// Starts a case with these straps (bit r*cols+c).
    pub fn start(&mut self, io_cells: u64) {
        self.io_cells = io_cells;
        self.hit.fill(0);
        self.seen.fill(0);
        self.width.fill(BwConfig::default());
        self.saturated = [0; BwConfig::ALL.len()];
    }

    /// Bins that the case has hit, ascending.
    pub fn bins(&self) -> impl Iterator<Item = u32> + '_ {
        self.hit.iter().enumerate().flat_map(|(w, &bits)| {
            (0..64).filter(move |b| bits >> b & 1 == 1).map(move |b| (64 * w + b) as u32)
        })
    }

    /// Bins of the case that `known` has seen less than twice; `known` learns them.
    pub fn rare_bins(&self, known: &mut Coverage) -> Vec<u32> {
        let rare: Vec<u32> = self.bins().filter(|b| known.is_rare(*b)).collect();
        known.add(&rare);
        rare
    }

    /// Notes the bins that an observation hits.
    pub(crate) fn observe(&mut self, seen: &Observed<'_>) {
        let hit = &mut self.hit;
        for group in groups_for(seen.source()) {
            group.hit(seen, &mut |bin| hit[bin / 64] |= 1 << (bin % 64));
        }
    }

    fn event(&mut self, event: Event) {
        self.observe(&Observed::Event(event));
    }

    /// The instruction that a running cell decodes in this cycle: once for each address; again
    /// where the bins depend on more than the words.
    fn decode(&mut self, golden: &Fabric, cell: CellId) {
        let index = cell.index(&self.geometry);
        let seq = golden.sequencer(cell);
        let pc = usize::from(seq.pc());
        let words = std::array::from_fn(|k| seq.imem()[(pc + k) % Geometry::IMEM_DEPTH]);
        let opcode = Opcode::of(words[0], self.io_cells >> index & 1 == 1);
        let depends = matches!(opcode, Some(Opcode::Loop | Opcode::Branch));
        if self.seen[index] >> pc & 1 == 1 && !depends {
            return;
        }
        if self.seen[index] == 0 && seq.imem()[LONG_PROGRAM - 1] != 0 {
            self.event(Event::LongProgram);
        }
        self.seen[index] |= 1 << pc;
        let Some(opcode) = opcode else { return };
        let decode = Decode {
            opcode,
            words,
            len: opcode.words(words[0]),
            immediate: seq.imem_imm_word() >> pc & 1 == 1,
            width: BwConfig::from_bits(seq.cfg_bw().into()),
            status: golden.dpu(cell).cond_status(),
            active_loops: seq.active_loops(),
        };
        self.observe(&Observed::Decode(&decode));
        if opcode == Opcode::Loop && decode.other_loops(decode.get(loop_::LOOPID)) == 3 {
            self.event(Event::FourLoops);
        }
    }

    /// A configuration that reaches an AGU.
    fn launch(&mut self, golden: &Fabric, cell: CellId, agu: AguId, config: &AguConfig) {
        let busy = golden.register_file(cell).agu(agu).busy();
        self.observe(&Observed::Launch(&Launch { agu, config: *config, busy }));
    }

    /// REFI instructions that take effect or wait, in a cell.
    fn refis(&mut self, golden: &Fabric, cell: CellId) {
        let (seq, rf) = (golden.sequencer(cell), golden.register_file(cell));
        let issued = seq.issued_refi();
        let own = issued.and_then(|r| r.selects());
        if let (Some(refi), Some(agu)) = (issued, own) {
            if seq.immediate() {
                self.launch(golden, cell, agu, &refi.cfg);
            } else if rf.shadow(agu).is_some() {
                self.event(Event::RefiReplaced);
            }
        }
        if seq.immediate() && seq.running() {
            for &agu in AguId::ALL.iter().filter(|agu| Some(**agu) != own) {
                if let Some(config) = rf.shadow(agu) {
                    self.event(Event::AguFromShadow);
                    self.launch(golden, cell, agu, config);
                }
            }
        }
    }

    /// What happens to the DPU of a cell.
    fn dpu(&mut self, golden: &Fabric, cell: CellId) {
        let (seq, dpu) = (golden.sequencer(cell), golden.dpu(cell));
        if seq.issued_dpu().is_some() {
            if !seq.immediate() && dpu.waiting() {
                self.event(Event::DpuReplaced);
            }
        } else if seq.immediate() && dpu.waiting() {
            self.event(Event::DpuFromShadow);
        }
        let mode = dpu.mode();
        let width = BwConfig::from_bits(seq.cfg_bw().into());
        let known = &mut self.width[cell.index(&self.geometry)];
        if width != *known {
            *known = width;
            if mode != DpuMode::Idle {
                self.event(Event::WidthChange);
            }
        }
        // Asked until it was seen once in this case.
        let noted = &mut self.saturated[usize::from(width.code())];
        let new = *noted >> mode.code() & 1 == 0;
        if new && mode.info().saturation() != Saturation::None && dpu.saturates(width.code()) {
            *noted |= 1 << mode.code();
            self.observe(&Observed::Saturation(mode, width));
        }
    }

    /// Words and rows that the AGUs of a cell address at once.
    fn addresses(&mut self, golden: &Fabric, cell: CellId) {
        let rf = golden.register_file(cell);
        if rf.emits_nothing() {
            return;
        }
        let emitted = |agu: AguId| rf.emitted(agu);
        let written = [AguId::W0, AguId::W1].map(emitted);
        if written[0].is_some() && written[0] == written[1] {
            self.event(Event::SameWord);
        }
        let mut words = written.iter().flatten();
        let row = emitted(AguId::Wb);
        if row.is_some() && words.any(|w| row == Some(w / Geometry::BLOCK_WORDS as u8)) {
            self.event(Event::BlockOverWord);
        }
        let read = [AguId::R0, AguId::R1].map(emitted);
        if written.iter().flatten().any(|w| read.contains(&Some(*w))) {
            self.event(Event::ReadOfWritten);
        }
        let [upper, lower] = cell.column().cells();
        if cell == upper
            && emitted(AguId::Rb).is_some()
            && golden.register_file(lower).emitted(AguId::Rb).is_some()
        {
            self.event(Event::BothRowsRead);
        }
    }

    /// What meets in a tile.
    fn tile(&mut self, activity: &TileActivity) {
        if activity.routes > 1 {
            self.event(Event::SeveralRoutes);
        }
        if activity.lost {
            self.event(Event::Lost);
        }
        match (activity.read, activity.init.or(activity.write)) {
            (Some(r), Some(w)) if r == w => self.event(Event::PassThrough),
            (Some(_), Some(_)) => self.event(Event::ReadAndWrite),
            _ => {}
        }
        if activity.init.is_some() && activity.write.is_some() {
            self.event(Event::InitAgainstPattern);
        }
    }
}

impl Observer for Collector {
    fn before(&mut self, golden: &Fabric, _cycle: u64) {
        for cell in CellId::all(&self.geometry) {
            let seq = golden.sequencer(cell);
            if !seq.running() {
                self.seen[cell.index(&self.geometry)] = 0;
            } else if seq.wait_count() == 0 {
                self.decode(golden, cell);
            }
            self.refis(golden, cell);
            self.dpu(golden, cell);
        }
        for column in ColumnId::all(&self.geometry) {
            if golden.messages(column) == 0b11 {
                self.event(Event::BothRowsSend);
            }
        }
    }

    fn after(&mut self, golden: &Fabric, _cycle: u64) {
        for cell in CellId::all(&self.geometry) {
            self.addresses(golden, cell);
        }
        for tile in TileId::all(&self.geometry) {
            let activity = golden.tile_activity(tile);
            if activity != TileActivity::default() {
                self.tile(&activity);
            }
        }
    }
}
