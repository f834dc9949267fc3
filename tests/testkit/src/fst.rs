// SPDX-License-Identifier: MIT OR Apache-2.0
//! FST files as other simulators write them: a scope of wires, and times in nanoseconds.

use std::{fs::File, io::BufWriter, path::Path};

use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType,
};

/// The writer of the values of a file.
pub type Values = FstBodyWriter<BufWriter<File>>;

/// Begins a file with a scope of wires, each with its number of bits; returns the identifiers of the wires in the same
/// order.
pub fn begin(
    path: &Path,
    scope: &str,
    wires: impl IntoIterator<Item = (String, u32)>,
) -> (Values, Vec<FstSignalId>) {
    let info = FstInfo {
        start_time: 0,
        timescale_exponent: -9,
        version: String::new(),
        date: String::new(),
        file_type: FstFileType::Verilog,
    };
    let mut header: FstHeaderWriter<_> = fst_writer::open_fst(path, &info).unwrap();
    header.scope(scope, "", FstScopeType::Module).unwrap();
    let wire = |(name, bits): (String, u32)| {
        let (bits, direction) = (FstSignalType::bit_vec(bits), FstVarDirection::Implicit);
        header.var(name, bits, FstVarType::Wire, direction, None).unwrap()
    };
    let ids = wires.into_iter().map(wire).collect();
    header.up_scope().unwrap();
    (header.finish().unwrap(), ids)
}
