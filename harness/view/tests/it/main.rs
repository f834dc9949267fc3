// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that run on the golden model, as pages and as figures.

mod trace;
mod view;
