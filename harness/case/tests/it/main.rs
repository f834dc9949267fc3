// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests of case files, and of the bits on unused ports.

mod cases;
mod idle;
