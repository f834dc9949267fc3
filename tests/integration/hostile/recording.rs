// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run of the golden model as a waveform of a design with its own names.

use std::{fs, path::Path};

use drra_case::programs;
use drra_cosim::GEOMETRY;
use drra_fabric::{Location, ports::InputPort};
use drra_isa::CellId;
use drra_lockstep::{GoldenRun, run_golden};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{ghw, shown::ShownValues};
use crate::written::WaveFile;

/// Number of edges in reset.
const RESET: usize = 2;
/// The name of the reset signal.
pub(super) const RST_N: &str = "bench.rst_n";
const PORTS: [InputPort; 15] = [
    InputPort::ProgValid,
    InputPort::ProgInstr,
    InputPort::ProgImm,
    InputPort::ProgRowSel,
    InputPort::ProgColSel,
    InputPort::SramInitValid,
    InputPort::SramInitRow,
    InputPort::SramInitCol,
    InputPort::SramInitAddr,
    InputPort::SramInitData,
    InputPort::RfInitValid,
    InputPort::RfInitRow,
    InputPort::RfInitCol,
    InputPort::RfInitBlock,
    InputPort::RfInitData,
];

/// The values of all signals at all edges: bits as characters, highest first.
#[derive(Clone)]
pub(super) struct Recording {
    registers: Vec<Location>,
    /// Full paths, in the order of the values.
    pub(super) names: Vec<String>,
    /// By edge.
    pub(super) edges: Vec<Vec<String>>,
    /// By cycle: true if nothing runs.
    quiet: Vec<bool>,
}

fn digits(words: &[u64], width: u32) -> String {
    let bit = |b: u32| words.get((b / 64) as usize).is_some_and(|w| w >> (b % 64) & 1 == 1);
    (0..width).rev().map(|b| if bit(b) { '1' } else { '0' }).collect()
}

fn name(location: Location) -> String {
    let path = location.to_string();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    format!("bench.{}", path.chars().map(plain).collect::<String>())
}

/// The registers that are recorded.
fn registers() -> Vec<Location> {
    let mut paths = Vec::new();
    for cell in CellId::all(&GEOMETRY) {
        let (r, c) = (cell.row(), cell.col());
        paths.extend(["pc", "state", "wait_count"].map(|n| format!("cell[{r}][{c}].seq.{n}")));
    }
    paths.extend((0..GEOMETRY.rf_words).map(|word| format!("cell[0][0].rf.mem[{word}]")));
    paths.extend((0..2).map(|row| format!("tile[1][0].sram[{row}]")));
    paths.iter().map(|path| path.parse().unwrap()).collect()
}

impl Recording {
    pub(super) fn of_vec_add() -> Self {
        let case = programs::ALL[0].case(&GEOMETRY).unwrap();
        let cycles = run_golden(&case, None).cycles;
        let registers = registers();
        let mut names: Vec<String> = registers.iter().map(|l| name(*l)).collect();
        names.extend(PORTS.map(|port| format!("bench.{}", port.name())));
        names.push(RST_N.to_owned());
        let mut run = GoldenRun::new(&case);
        let (mut edges, mut quiet) = (Vec::new(), Vec::new());
        for cycle in 0..=cycles {
            run.fabric.pack();
            let entries = case.stimulus.entries();
            let entry = entries.iter().find(|e| e.cycle == cycle).copied().unwrap_or_default();
            let (word, tile) =
                (entry.prog.unwrap_or_default(), entry.sram_init.unwrap_or_default());
            let cell = entry.rf_init.unwrap_or_default();
            let ports: [&[u64]; 15] = [
                &[entry.prog.is_some().into()],
                &[word.instr.into()],
                &[word.imm.into()],
                &[word.row_sel.into()],
                &[word.col_sel.into()],
                &[entry.sram_init.is_some().into()],
                &[tile.row as u64],
                &[tile.col as u64],
                &[tile.addr as u64],
                &tile.data,
                &[entry.rf_init.is_some().into()],
                &[cell.row as u64],
                &[cell.col as u64],
                &[cell.block as u64],
                &cell.data,
            ];
            let register = |location: &Location| {
                let value = run.fabric.value(*location).unwrap();
                digits(&value, location.register.width(&GEOMETRY))
            };
            let mut values: Vec<String> = registers.iter().map(register).collect();
            let port = |(port, words): (InputPort, &[u64])| digits(words, port.width(&GEOMETRY));
            values.extend(PORTS.into_iter().zip(ports).map(port));
            values.push("1".to_owned());
            edges.push(values);
            quiet.push(run.quiet());
            run.step();
        }
        let mut reset = edges[0].clone();
        reset[registers.len()..].iter_mut().for_each(|v| *v = "0".repeat(v.len()));
        edges.splice(0..0, vec![reset; RESET]);
        Self { registers, names, edges, quiet }
    }

    /// The map for a format.
    pub(super) fn map(&self, format: &str) -> String {
        let trace = format == "jsonl";
        let entry = |location: &Location| {
            let signal = if trace { location.to_string() } else { name(*location) };
            format!("{location} = {signal}\n")
        };
        let registers: String = self.registers.iter().map(entry).collect();
        if trace {
            return format!("clock rising clock\ncycle_0 when 1'b1\n{registers}");
        }
        let port = |port: &InputPort| format!("port {0} = bench.{0}\n", port.name());
        let ports: String = PORTS.iter().map(port).collect();
        format!("clock rising bench.clk\nreset low {RST_N}\n{ports}{registers}")
    }

    /// The file in a format.
    pub(super) fn bytes(&self, format: &str, folder: &Path) -> Vec<u8> {
        if format == "ghw" {
            return ghw::ghw(self);
        }
        // A trace has only the registers, from the end of reset on, and their values start at 0.
        let (edges, names) = match format {
            "jsonl" => {
                (&self.edges[RESET..], self.registers.iter().map(ToString::to_string).collect())
            }
            _ => {
                let leaf = |name: &String| name.replace("bench.", "");
                (&self.edges[..], self.names.iter().map(leaf).collect::<Vec<_>>())
            }
        };
        let of = |(name, value): (String, &String)| (name, value.len() as u32);
        let signals: Vec<(String, u32)> = names.into_iter().zip(&edges[0]).map(of).collect();
        let path = folder.join(format!("whole.{format}"));
        let mut written = WaveFile::begin(format, &path, "bench", &signals);
        let first = |(_, bits): &(String, u32)| {
            "0".repeat(if format == "jsonl" { *bits as usize } else { 0 })
        };
        let mut last: Vec<String> = signals.iter().map(first).collect();
        for (cycle, values) in (0..).zip(edges) {
            let changes =
                values.iter().enumerate().zip(&last).filter(|((_, value), last)| value != last);
            let changes: Vec<(usize, &str)> =
                changes.map(|((n, value), _)| (n, value.as_str())).collect();
            written.cycle(cycle, &changes);
            last.clone_from_slice(&values[..signals.len()]);
        }
        written.end(edges.len() as u64);
        fs::read(path).unwrap()
    }

    /// A copy in which a bit of a register is wrong or unknown in one cycle, with the cycle and the register.
    pub(super) fn with_fault(
        &self,
        random: &mut ChaCha8Rng,
        unknown: bool,
    ) -> (Self, usize, Location) {
        let cycle = random.random_range(1..self.quiet.len());
        let register = random.random_range(0..self.registers.len());
        let mut copy = self.clone();
        let value = &mut copy.edges[RESET + cycle][register];
        let bit = random.random_range(0..value.len());
        let digit = match &value[bit..=bit] {
            _ if unknown => "x",
            "0" => "1",
            _ => "0",
        };
        value.replace_range(bit..=bit, digit);
        (copy, cycle, self.registers[register])
    }

    /// Checks that the contents of a waveform justify a reported agreement; if not, returns the reason.
    pub(super) fn justifies(&self, shown: &ShownValues, said: &str) -> Result<(), String> {
        let cycles = said.split(" in ").skip(1).find_map(|s| {
            let (number, rest) = s.split_once(' ')?;
            number.parse::<usize>().ok().filter(|_| rest.starts_with("cycles"))
        });
        let cycles = cycles.ok_or("the number of cycles is not reported")?;
        let all = self.quiet.len();
        if cycles > all.min(shown.cycles) {
            return Err(format!("{cycles} cycles of {} in the waveform and {all}", shown.cycles));
        }
        if cycles < all && !self.quiet[cycles - 1] && !said.contains("is still busy") {
            return Err(format!("the fabric is busy after {cycles} cycles"));
        }
        let mut lacking = false;
        for (n, location) in self.registers.iter().enumerate() {
            let path = location.to_string();
            let values = shown.values.get(&name(*location)).or_else(|| shown.values.get(&path));
            let zeros = vec!["0".repeat(self.edges[0][n].len()); cycles];
            let Some(values) = values.or(shown.zeros.then_some(&zeros)) else {
                lacking = true;
                continue;
            };
            for (cycle, theirs) in values.iter().enumerate().take(cycles) {
                let ours = &self.edges[RESET + cycle][n];
                if ours != theirs {
                    return Err(format!("{path} is {theirs} in cycle {cycle}, not {ours}"));
                }
            }
        }
        if lacking && !said.contains("not in the design") {
            return Err("the missing registers are not reported".to_owned());
        }
        Ok(())
    }
}
