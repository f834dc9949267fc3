// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names that nearly every command uses.

pub(crate) use std::{
    io::Write,
    path::{Path, PathBuf},
};

pub(crate) use crate::{
    build::Build,
    console::{note, say, stdout},
    error::{CommandError, Exit, file, tool, usage},
    reports::{
        SUMMARY, annotate_ci, check_min_compared, entries, no_report, only_known, paint,
        print_compared, print_comparison_coverage, print_known, save, show_report, summary,
        verdict,
    },
    suggest::folders,
};
