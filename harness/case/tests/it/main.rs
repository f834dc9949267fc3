// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests of case files.

mod cases;
