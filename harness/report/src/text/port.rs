// SPDX-License-Identifier: MIT OR Apache-2.0
//! Output ports in words.

use drra_fabric::PortId;

use super::WORD;
use crate::data::{Reading, ReportedPortDifference};

impl ReportedPortDifference {
    /// Port and column.
    pub fn name(&self) -> String {
        match self.column {
            Some(column) => format!("{}[{}]", self.port, column.col()),
            None => self.port.to_string(),
        }
    }

    /// Words of a block that differ, lowest first; empty for a port without a block or mask.
    pub fn words(&self) -> Vec<u32> {
        let mut words: Vec<u32> = match self.port {
            PortId::IoOutData => self.bits.iter().map(|bit| bit / WORD).collect(),
            PortId::IoOutMask => self.bits.clone(),
            _ => Vec::new(),
        };
        words.sort_unstable();
        words.dedup();
        words
    }

    /// The port and the value that a side shows: for a block, the first word that differs.
    pub(super) fn shows(&self, side: &Reading) -> String {
        match self.words().first() {
            Some(word) if self.port == PortId::IoOutData && side.value.is_known() => {
                format!("word {word} of {} = {}", self.name(), side.word(*word).text())
            }
            _ => format!("{} = {}", self.name(), side.text()),
        }
    }
}
