// SPDX-License-Identifier: MIT OR Apache-2.0
//! Watches the golden model and notes which bins a case hits.

use drra_golden::Fabric;
use drra_golden::units::AguConfig;
use drra_golden::units::Sequencer;
use drra_isa::Geometry;
use drra_isa::Revision;
use drra_lockstep::Observer;

use super::Coverage;
use super::bins;

/// Events, in the order of their bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    AguFromShadow,
    RefiReplaced,
    DpuFromShadow,
    DpuReplaced,
    SameWord,
    BlockOverWord,
    ReadOfWritten,
    BothRowsRead,
    BothRowsSend,
    SeveralRoutes,
    Lost,
    ReadAndWrite,
    PassThrough,
    InitAgainstPattern,
    LongProgram,
    FourLoops,
    WidthChange,
}

/// Where a field is in its instruction, and its bins.
#[derive(Clone, Debug)]
struct FieldBins {
    lsb: u32,
    last_chunk: u32,
    field: drra_isa::Field,
    first: u32,
}

/// How an instruction is taken apart.
#[derive(Clone, Debug)]
struct Decoder {
    name: &'static str,
    first: u32,
    chunk_field: Option<(u32, u32)>,
    max_chunk: u32,
    fields: Vec<FieldBins>,
}

/// Collects the bins of one case after the other.
#[derive(Clone, Debug)]
pub struct Collector {
    geometry: Geometry,
    io_cells: u64,
    /// Decoders by code; for code 13 in I/O cells the last one.
    by_code: [Option<usize>; 16],
    io_decoder: usize,
    decoders: Vec<Decoder>,
    first: Firsts,
    hit: Vec<u64>,
    /// Addresses of each cell's program whose decode was noted already.
    seen: Vec<u64>,
    bw: Vec<u8>,
    /// Bit m: saturation in mode m was noted for the present width of a cell.
    saturated: [u32; 4],
}

/// First bins of the groups.
#[derive(Clone, Debug)]
struct Firsts {
    dpu: u32,
    saturation: u32,
    switchbox: u32,
    launch: u32,
    pattern: u32,
    loops: u32,
    raccu: u32,
    branch: u32,
    noc: u32,
    sram: u32,
    io: u32,
    perm: u32,
    events: u32,
}

impl Collector {
    /// A collector for cases of a fabric.
    pub fn new(geometry: &Geometry) -> Self {
        let isa = Revision::R4.isa();
        let first = |name: &str| bins::first(name) as u32;
        let mut decoders = Vec::new();
        let mut by_code = [None; 16];
        let mut io_decoder = 0;
        for instruction in &isa.instructions {
            let start = first(&format!("{} fields", instruction.name));
            let mut next = start + 2;
            let fields = bins::fields(instruction)
                .map(|field| {
                    let bins = FieldBins {
                        lsb: field.lsb,
                        last_chunk: instruction.chunks_of(isa, field).1,
                        field: field.clone(),
                        first: next,
                    };
                    next += bins::field_bins(field) as u32;
                    bins
                })
                .collect();
            if instruction.cell_kind.is_some() {
                io_decoder = decoders.len();
            } else {
                by_code[instruction.code as usize] = Some(decoders.len());
            }
            decoders.push(Decoder {
                name: &instruction.name,
                first: start,
                chunk_field: instruction
                    .chunk_field
                    .map(|f| (instruction.fields[f].lsb, instruction.fields[f].width)),
                max_chunk: instruction.max_chunk,
                fields,
            });
        }
        let cells = geometry.cells();
        Self {
            geometry: *geometry,
            io_cells: 0,
            by_code,
            io_decoder,
            decoders,
            first: Firsts {
                dpu: first("DPU configuration"),
                saturation: first("DPU saturation"),
                switchbox: first("switchbox"),
                launch: first("AGU launch"),
                pattern: first("AGU pattern"),
                loops: first("loops"),
                raccu: first("RACCU"),
                branch: first("BRANCH"),
                noc: first("NoC path"),
                sram: first("SRAM pattern"),
                io: first("IO pattern"),
                perm: first("PERM distance"),
                events: first("events"),
            },
            hit: vec![0; bins::total().div_ceil(64)],
            seen: vec![0; cells],
            bw: vec![0; cells],
            saturated: [0; 4],
        }
    }

    /// Starts a case with these straps (bit r*cols+c).
    pub fn start(&mut self, io_cells: u64) {
        self.io_cells = io_cells;
        self.hit.fill(0);
        self.seen.fill(0);
        self.bw.fill(0);
        self.saturated = [0; 4];
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

    #[inline]
    fn note(&mut self, bin: u32) {
        self.hit[(bin / 64) as usize] |= 1 << (bin % 64);
    }

    fn event(&mut self, event: Event) {
        self.note(self.first.events + event as u32);
    }

    /// The instruction at the program counter of a cell, decoded in this cycle.
    fn decode(&mut self, cell: usize, seq: &Sequencer, cond_status: u8) {
        let pc = usize::from(seq.pc());
        let word = |k: usize| u128::from(seq.imem()[(pc + k) & 63]);
        let code = (word(0) >> 23) as usize;
        let index = match (code, self.io_cells >> cell & 1) {
            (13, 1) => self.io_decoder,
            _ => match self.by_code[code] {
                Some(index) => index,
                None => return,
            },
        };
        let decoder = &self.decoders[index];
        let max = decoder.max_chunk;
        let all = (0..max as usize).fold(0u128, |t, k| t << 27 | word(k));
        let get = |lsb: u32, width: u32| (all >> lsb) as u64 & ((1 << width) - 1);
        let len = match decoder.chunk_field {
            Some((lsb, width)) if get(lsb, width) < u64::from(max) => get(lsb, width) as u32 + 1,
            Some(_) => 1,
            None => max,
        };
        let flag = seq.imem_imm_word() >> pc & 1 == 1;
        let mut found = vec![decoder.first + u32::from(!flag)];
        for f in decoder.fields.iter().filter(|f| f.last_chunk < len) {
            let value = get(f.lsb, f.field.width);
            found.push(f.first + bins::field_bin(&f.field, value) as u32);
        }
        // A field by name.
        let v = |name: &str| {
            let f = decoder.fields.iter().find(|f| f.field.name == name);
            let f = f.expect("field of the instruction");
            if f.last_chunk < len { get(f.lsb, f.field.width) } else { f.field.default }
        };
        let class =
            |value: u64, limits: &[u64]| limits.iter().take_while(|l| value >= **l).count() as u64;
        let levels = |l1: u64, l2: u64| u64::from(l1 > 0) + 2 * u64::from(l2 > 0);
        let first = &self.first;
        let cross = match decoder.name {
            "DPU" => {
                let k = (v("mode") * 4 + v("control")) * 4 + v("io_change");
                Some(first.dpu + (k * 4) as u32 + u32::from(seq.cfg_bw()))
            }
            "SWB" if v("hb_index") < 5 && v("v_index") < 6 => {
                let source = 2 * v("src_block") + v("src_port");
                let k = (source * 6 + v("v_index")) * 5 + v("hb_index");
                Some(first.switchbox + (2 * k + v("send_to_other_row")) as u32)
            }
            "RACCU" => {
                let k = v("mode") * 4 + 2 * v("operand1_sd") + v("operand2_sd");
                Some(first.raccu + k as u32)
            }
            "BRANCH" => Some(first.branch + (v("mode") * 3) as u32 + u32::from(cond_status)),
            "ROUTE" => {
                let up = v("vertical_dir") * 3 + class(v("vertical_hops"), &[1, 2]);
                let across = v("horizontal_dir") * 4 + class(v("horizontal_hops"), &[1, 2, 4]);
                Some(first.noc + ((v("direction") * 6 + up) * 8 + across) as u32)
            }
            "SRAM" => {
                let hops = class(v("hops"), &[1, 2, 3]);
                let k = (v("rw") * 4 + hops) * 4 + levels(v("l1_iter"), v("l2_iter"));
                Some(first.sram + (2 * k + u64::from(v("init_delay") > 0)) as u32)
            }
            "IO" => {
                let k = v("rw") * 4 + 2 * u64::from(v("l1_iter") > 0);
                let k = k + u64::from(v("init_delay") > 0);
                Some(first.io + (3 * k + class(v("mask"), &[1, 0xffff])) as u32)
            }
            "PERM" => {
                let k = v("mode") * 4 + class(v("distance"), &[1, 16, 17]);
                Some(first.perm + k as u32)
            }
            "LOOP" => {
                let slot = v("loopid");
                let others = (seq.active_loops() & !(1 << slot)).count_ones();
                let k = (slot as u32 * 4 + others) * 3 + class(v("iter"), &[1, 2]) as u32;
                Some(first.loops + k)
            }
            _ => None,
        };
        let four =
            decoder.name == "LOOP" && (seq.active_loops() & !(1 << v("loopid"))).count_ones() == 3;
        found.extend(cross);
        for bin in found {
            self.note(bin);
        }
        if four {
            self.event(Event::FourLoops);
        }
    }

    /// A configuration that reaches an AGU.
    fn launch(&mut self, agu: usize, config: &AguConfig, busy: bool) {
        let levels = u32::from(config.l1_iter > 0) + 2 * u32::from(config.l2_iter > 0);
        let delay = u32::from(config.init_delay.min(2));
        let k = (agu as u32 * 4 + levels) * 3 + delay;
        self.note(self.first.launch + 2 * k + u32::from(busy));
        let delays = u32::from(config.l1_delay > 0) + 2 * u32::from(config.l2_delay > 0);
        let k = agu as u32 * 4 + delays;
        self.note(self.first.pattern + 2 * k + u32::from(config.l1_step_sign));
    }
}

impl Observer for Collector {
    fn before(&mut self, golden: &Fabric, _cycle: u64) {
        for cell in 0..self.geometry.cells() {
            let seq = golden.sequencer(cell);
            let running = seq.running();
            if !running {
                self.seen[cell] = 0;
            } else if seq.wait_count() == 0 {
                // Once for each address; again where it depends on more than the word.
                let depends = matches!(seq.imem()[usize::from(seq.pc())] >> 23, 8 | 11);
                if self.seen[cell] >> seq.pc() & 1 == 0 || depends {
                    if self.seen[cell] == 0 && seq.imem()[62] != 0 {
                        self.event(Event::LongProgram);
                    }
                    self.seen[cell] |= 1 << seq.pc();
                    self.decode(cell, seq, golden.dpu(cell).cond_status());
                }
            }
            let immediate = seq.immediate();
            if let Some(refi) = seq.issued_refi()
                && let Some(agu) = refi.selects()
            {
                let rf = golden.register_file(cell);
                if immediate {
                    self.launch(agu, &refi.cfg, rf.agu(agu).busy());
                } else if rf.shadow(agu).is_some() {
                    self.event(Event::RefiReplaced);
                }
            }
            let dpu = golden.dpu(cell);
            if seq.issued_dpu().is_some() {
                if !immediate && dpu.waiting() {
                    self.event(Event::DpuReplaced);
                }
            } else if immediate && dpu.waiting() {
                self.event(Event::DpuFromShadow);
            }
            if immediate && running {
                let rf = golden.register_file(cell);
                for agu in 0..6 {
                    let own = seq.issued_refi().and_then(|r| r.selects()) == Some(agu);
                    if !own && let Some(config) = rf.shadow(agu) {
                        self.event(Event::AguFromShadow);
                        self.launch(agu, &config.clone(), rf.agu(agu).busy());
                    }
                }
            }
            let bw = seq.cfg_bw();
            if bw != self.bw[cell] {
                self.bw[cell] = bw;
                if dpu.mode() != 0 {
                    self.event(Event::WidthChange);
                }
            }
            // Saturation: asked until it was seen once in this case.
            let mode = dpu.mode();
            if mode != 0 && self.saturated[usize::from(bw)] >> mode & 1 == 0 {
                let lanes = [0, 1, 0, 2][usize::from(bw)];
                let place = |modes: &[u8]| modes.iter().position(|m| *m == mode);
                let lane = place(bins::LANE_SATURATION).map(|k| 3 * k + lanes);
                let word =
                    place(bins::WORD_SATURATION).map(|k| 3 * bins::LANE_SATURATION.len() + k);
                if let Some(bin) = lane.or(word)
                    && dpu.saturates(bw)
                {
                    self.saturated[usize::from(bw)] |= 1 << mode;
                    self.note(self.first.saturation + bin as u32);
                }
            }
        }
        for col in 0..self.geometry.columns {
            if golden.messages(col) == 3 {
                self.event(Event::BothRowsSend);
            }
        }
    }

    fn after(&mut self, golden: &Fabric, _cycle: u64) {
        let cols = self.geometry.columns;
        for cell in 0..self.geometry.cells() {
            let rf = golden.register_file(cell);
            if rf.emits_nothing() {
                continue;
            }
            let (w0, w1, wb) = (rf.emitted(0), rf.emitted(1), rf.emitted(2));
            if w0.is_some() && w0 == w1 {
                self.event(Event::SameWord);
            }
            if wb.is_some() && [w0, w1].iter().flatten().any(|w| wb == Some(w / 16)) {
                self.event(Event::BlockOverWord);
            }
            if [w0, w1]
                .iter()
                .flatten()
                .any(|w| rf.emitted(3) == Some(*w) || rf.emitted(4) == Some(*w))
            {
                self.event(Event::ReadOfWritten);
            }
            if cell < cols
                && rf.emitted(5).is_some()
                && golden.register_file(cell + cols).emitted(5).is_some()
            {
                self.event(Event::BothRowsRead);
            }
        }
        for tile in 0..self.geometry.tiles() {
            let a = golden.tile_activity(tile);
            if a == drra_golden::TileActivity::default() {
                continue;
            }
            if a.routes > 1 {
                self.event(Event::SeveralRoutes);
            }
            if a.lost {
                self.event(Event::Lost);
            }
            match (a.read, a.init.or(a.write)) {
                (Some(r), Some(w)) if r == w => self.event(Event::PassThrough),
                (Some(_), Some(_)) => self.event(Event::ReadAndWrite),
                _ => {}
            }
            if a.init.is_some() && a.write.is_some() {
                self.event(Event::InitAgainstPattern);
            }
        }
    }
}
