// SPDX-License-Identifier: MIT OR Apache-2.0
//! External buffers of the I/O units (chapter 7, A6). Each column has an input and an output memory of 2^25 blocks, all
//! 0 at the start except for the input blocks of the case. A request in cycle t is answered in cycle t+1. In all other
//! cycles, the answer is 0 or, in some cycles of cases with random bits on unused ports, random.

use std::collections::HashMap;

use drra_fabric::ports::{Block, ZERO_BLOCK};

use crate::{Case, idle::PortNoise};

/// The buffers of one side of a comparison.
#[derive(Clone, Debug)]
pub struct Buffers {
    input: Vec<HashMap<u32, Block>>,
    output: Vec<HashMap<u32, Block>>,
    /// Answers on the ports in the current cycle.
    answers: Vec<Block>,
    /// True if some answer may differ from 0.
    answering: bool,
    /// Answers in columns without a request.
    noise: Option<PortNoise>,
    cycle: u64,
}

impl Buffers {
    /// The buffers of all columns in cycle 0 of a case, with the contents that the case specifies for their input
    /// memories.
    pub fn new(case: &Case) -> Self {
        let columns = case.geometry.columns;
        let mut memories = vec![HashMap::new(); columns];
        for &(col, addr, data) in &case.input_buffers {
            memories[col.col()].insert(addr, data);
        }
        let mut buffers = Self {
            input: memories,
            output: vec![HashMap::new(); columns],
            answers: vec![ZERO_BLOCK; columns],
            answering: false,
            noise: case.noise(),
            cycle: 0,
        };
        buffers.enter_cycle();
        buffers
    }

    /// Sets the answers for the current cycle as if nothing had been requested in the previous cycle.
    fn enter_cycle(&mut self) {
        let idle = self.noise.as_ref().and_then(|noise| noise.answer(self.cycle));
        if self.answering || idle.is_some() {
            self.answers.fill(idle.unwrap_or(ZERO_BLOCK));
        }
        self.answering = idle.is_some();
    }

    /// `io_in_data` in the current cycle.
    pub fn answers(&self) -> &[Block] {
        &self.answers
    }

    /// Contents of an output memory.
    pub fn output(&self, col: usize, addr: u32) -> Block {
        self.output[col].get(&addr).copied().unwrap_or(ZERO_BLOCK)
    }

    /// The clock edge: requests and writes of the current cycle take effect. `writes` lists column, address, data and
    /// mask.
    pub fn step(
        &mut self,
        reads: impl IntoIterator<Item = (usize, u32)>,
        writes: impl IntoIterator<Item = (usize, u32, Block, u16)>,
    ) {
        self.cycle += 1;
        self.enter_cycle();
        for (col, addr) in reads {
            self.answering = true;
            self.answers[col] = self.input[col].get(&addr).copied().unwrap_or(ZERO_BLOCK);
        }
        for (col, addr, data, mask) in writes {
            let block = self.output[col].entry(addr).or_insert(ZERO_BLOCK);
            for k in (0..16).filter(|k| mask >> k & 1 == 0) {
                let shift = 16 * (k % 4);
                let keep = block[k / 4] & !(0xffff << shift);
                block[k / 4] = keep | data[k / 4] & (0xffff << shift);
            }
        }
    }
}
