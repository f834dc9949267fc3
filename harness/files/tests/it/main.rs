// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that are written, and their paths in commands.

mod output;
mod shell;
