// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests of the fabric description against the tables of the chapters and the case file of its faults.

mod chapter_tables;
mod fabric;
mod neighbours;
mod scopes;
mod state_tables;
