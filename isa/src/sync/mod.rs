// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compiler schedules `sync_instr.txt` and `sync_instr.json` (chapter 1, 7.2 and 7.3).

mod json;
mod text;

pub use json::read_sync_json;
pub use text::read_sync_text;
