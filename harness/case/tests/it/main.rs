// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files of cases.

mod cases;
