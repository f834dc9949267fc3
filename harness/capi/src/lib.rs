// SPDX-License-Identifier: MIT OR Apache-2.0
//! The C interface `drra.h`, which is generated from this file: the golden model, and the comparison of a simulation
//! while it runs. The functions here only check their arguments; [`Context`] does the work.
//!
//! Every caller makes the promises of the header, `cbindgen.toml`: pointers are null, or refer to as much memory as stated;
//! a context is null, or comes from [`drra_create`], was not destroyed, and is not used by another thread.
//!
//! A panic in the library is the status [`DRRA_TOOL_FAILURE`]. The only state that all contexts share is a cache of
//! constants, and the hook that keeps these panics silent.

// The promises of the callers are the same for all functions, so they are stated only once.
#![allow(unsafe_op_in_unsafe_fn, clippy::missing_safety_doc)]

mod context;
mod live;
mod model;
mod silent;
#[cfg(test)]
mod tests;
mod text;

use std::{
    ffi::{c_char, c_int},
    mem::MaybeUninit,
    path::Path,
    ptr,
};

pub use context::Context;
use context::{Phase, enter};
use drra_recorded::Edge;
use text::{Failure, array, optional, required, store, write_words};

/// Version of this interface. A library with another number does not fit this header.
pub const DRRA_ABI: u32 = 1;
/// Maximum size of a text given to the library in bytes, including the zero at its end. No more than this is read.
pub const DRRA_MAX_TEXT: usize = 4096;

/// Success: no difference.
pub const DRRA_AGREED: c_int = 0;
/// The design differs from the golden model.
pub const DRRA_MISMATCH: c_int = 1;
/// A mistake in a file, in the order of calls or in an argument; or nothing, or less than required, was compared.
pub const DRRA_BAD_INPUT: c_int = 2;
/// The library or the system failed.
pub const DRRA_TOOL_FAILURE: c_int = 3;

/// 32 bits of a value, in the layout of s_vpi_vecval and svLogicVecVal. A bit that is 1 in bval is unknown: X if it is 1
/// in aval, otherwise Z.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct VecVal {
    pub aval: u32,
    pub bval: u32,
}

/// The first difference. The texts live as long as the context.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Difference {
    /// The cycle of the case whose state differs.
    pub cycle: u64,
    /// The register, `cell[0][0].rf.agu[w0].addr_reg`, or the name of an output port; "" if neither differs.
    pub register_name: *const c_char,
    /// The design's own names for the register; "" if unknown.
    pub design_name: *const c_char,
    /// Value in the golden model.
    pub golden: *const c_char,
    /// Value in the design.
    pub design: *const c_char,
    /// The responsible instruction; "" if there is none.
    pub instruction: *const c_char,
    /// The block in which the difference arose.
    pub block: *const c_char,
    /// The rule that decides which side is right, with its chapter and section.
    pub rule: *const c_char,
    /// Identifies the failure.
    pub signature: *const c_char,
    /// The report, as drra check prints it.
    pub text: *const c_char,
}

/// Calls a function that returns whether it succeeded.
unsafe fn call(
    context: *mut Context,
    work: impl FnOnce(&mut Context) -> Result<(), Failure>,
) -> c_int {
    verdict(enter(context, |context| work(context).map(|()| DRRA_AGREED)))
}

/// The status of a function, whether it succeeded or not.
fn verdict(result: Result<c_int, c_int>) -> c_int {
    result.unwrap_or_else(|failed| failed)
}

/// DRRA_ABI of the library.
#[unsafe(no_mangle)]
pub extern "C" fn drra_abi() -> u32 {
    DRRA_ABI
}

/// Version of drra, such as "1.0.0"; lives forever.
#[unsafe(no_mangle)]
pub extern "C" fn drra_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Creates a context. size: of the fabric, "8x2" (columns x tile rows), or NULL: that of the case or of the map, or else
/// the default, 8x2. map: path of a signal map, or NULL: the golden model alone. file: path of a case (JSON) or program
/// (assembly, .sasm), or NULL with a map: the inputs of the golden model are then those at the ports of the design.
/// An empty text is like NULL. *context is set even if the status is not DRRA_AGREED; it can then only be asked for its
/// errors and destroyed. Only if context is NULL is nothing created.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_create(
    size: *const c_char,
    map: *const c_char,
    file: *const c_char,
    context: *mut *mut Context,
) -> c_int {
    if context.is_null() {
        return DRRA_BAD_INPUT;
    }
    *context = Box::into_raw(Box::default());
    call(*context, |context| {
        let (size, map) = (optional(size, "size")?, optional(map, "map")?);
        context.open(size, map, optional(file, "file")?)
    })
}

/// Destroys a context, and all texts that it returned. NULL is ignored. The context must not be used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_destroy(context: *mut Context) {
    if !context.is_null() {
        let _ = silent::silent(|| drop(Box::from_raw(context)));
    }
}

/// Number of errors so far; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_error_count(context: *const Context) -> usize {
    context.as_ref().map_or(0, |context| context.error_count)
}

/// Text of an error; n counts from 0, the oldest error. NULL beyond the end; only the first 64 texts are kept. Lives as
/// long as the context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_error(context: *const Context, n: usize) -> *const c_char {
    let text = context.as_ref().and_then(|context| context.errors.get(n));
    text.map_or(ptr::null(), |text| text.as_ptr())
}

/// A path that the map looks for: that of the clock, the reset, a port, a register, a signal between blocks, or of one in
/// a condition. n counts from 0; NULL beyond the end. The list grows when signals are added, so ask for n = 0, 1, 2, ...
/// and add each signal that the design has, until NULL. Paths with * are not listed, nor other names that the flip-flops
/// of a netlist may have: for these, add all signals of the design instead. Lives as long as the context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_needed(context: *mut Context, n: usize) -> *const c_char {
    let needed = enter(context, |context| {
        let geometry = context.geometry;
        Ok(context.signals()?.needed(n, &geometry).map_or(ptr::null(), |path| path.as_ptr()))
    });
    needed.unwrap_or(ptr::null())
}

/// Adds a signal of the design before drra_bind; its number, counted from 0, is stored in *number. path: as any simulator
/// writes it. bits: 1 to 65536. A path that is added again keeps its number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_signal(
    context: *mut Context,
    path: *const c_char,
    bits: u32,
    number: *mut usize,
) -> c_int {
    call(context, |context| {
        let added = context.signals()?.add(required(path, "path")?, bits)?;
        store(number, added, "number")
    })
}

/// Binds the map to the signals added, after which none can be added. A register whose signals are missing is not
/// compared, and is listed in the verdict; a missing clock is an error. If this fails, the context can only be asked for
/// its errors and destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_bind(context: *mut Context) -> c_int {
    call(context, Context::bind)
}

/// The clock of the map, after drra_bind: the number of its signal, and in *rising whether a rising edge ends a cycle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_clock(
    context: *mut Context,
    number: *mut usize,
    rising: *mut bool,
) -> c_int {
    call(context, |context| {
        let clock = context.live()?.check.clock();
        store(number, clock.signal.index(), "number")?;
        store(rising, clock.edge == Edge::Rising, "rising")
    })
}

/// The value to drive at an input port in a cycle of the case; cycle 0 is the first one after the reset. port: a name of
/// chapter 7 without _i ("prog_valid", "sram_init_data", "io_cell", ...). unit: for io_cell, the index of the cell (row
/// by row); for io_in_data, the column; otherwise 0. words: low word first; count: the size of the array. The value of
/// io_in_data is for cycles that do not answer a request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_stimulus(
    context: *mut Context,
    cycle: u64,
    port: *const c_char,
    unit: u32,
    words: *mut u64,
    count: usize,
) -> c_int {
    call(context, |context| {
        let (value, width) = context.stimulus(cycle, required(port, "port")?, unit as usize)?;
        write_words(words, count, &value, width)
    })
}

/// The contents of a block of an input buffer in the case: the value of io_in_data one cycle after the request. words: 4,
/// low word first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_buffer(
    context: *mut Context,
    column: u32,
    address: u32,
    words: *mut u64,
) -> c_int {
    call(context, |context| write_words(words, 4, &context.buffer(column as usize, address)?, 256))
}

/// The value of a signal from now on. value: (bits + 31) / 32 elements, low bits first. A signal that never got a value is
/// unknown.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_set(
    context: *mut Context,
    number: usize,
    value: *const VecVal,
) -> c_int {
    call(context, |context| {
        let live = context.live()?;
        let needed = live.width(number)?.div_ceil(32) as usize;
        live.set(number, array(value, needed)?);
        Ok(())
    })
}

/// An edge of the clock that ends a cycle: the values set so far are those just before this edge, so set what changes at
/// the edge afterwards. Call it at every such edge, also in reset, because the map says where cycle 0 is. time: of the
/// edge, in any unit of the caller; never decreases. Returns DRRA_MISMATCH as soon as a difference is known, which some
/// maps show a few cycles late; up to 32 further edges, and as many more as the map shows registers or flags late, then
/// make the report more complete (drra_done).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_compare(context: *mut Context, time: u64) -> c_int {
    verdict(enter(context, |context| context.live()?.compare(time)))
}

/// True if no more edges are needed: the case has ended, or the report of a difference is complete, or the context cannot
/// be used. Without a map: true if the case has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_done(context: *const Context) -> bool {
    let done = enter(context.cast_mut(), |context| {
        Ok(match &context.phase {
            Phase::Live(live) => live.is_done(),
            Phase::Model(model) => model.ended,
            Phase::Signals(_) => false,
            Phase::Failed => true,
        })
    });
    done.unwrap_or(true)
}

/// The first difference, with DRRA_MISMATCH; DRRA_AGREED if there is none, and another status if the comparison failed;
/// *difference is then zero. Asked again after further edges, it may say more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_first_difference(
    context: *mut Context,
    difference: *mut Difference,
) -> c_int {
    verdict(enter(context, |context| {
        // Zeros are a valid difference: numbers and null pointers.
        store(difference, MaybeUninit::zeroed().assume_init(), "difference")?;
        let Some(found) = context.difference()? else { return Ok(context.live()?.status()) };
        store(difference, found, "difference")?;
        Ok(DRRA_MISMATCH)
    }))
}

/// Ends the comparison and returns the verdict, as drra check would for a waveform of the same simulation: DRRA_MISMATCH
/// also if the simulation ended before the case did. In *text, which lives as long as the context: the verdict in one
/// line, then what was not compared, one line each; "" if there is no verdict. text may be NULL. min_compared: required
/// share of the state in percent, 0 for any. Called again, it returns the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_finish(
    context: *mut Context,
    min_compared: f64,
    text: *mut *const c_char,
) -> c_int {
    if !text.is_null() {
        *text = c"".as_ptr();
    }
    verdict(enter(context, |context| {
        let (status, words) = context.finish(min_compared)?;
        if !text.is_null() {
            *text = words;
        }
        Ok(status)
    }))
}

/// Writes into a folder, which is created if necessary, after drra_finish: result.json (as drra check --batch --json
/// writes it, with one case, whose exit is the status of drra_finish) and junit.xml; for a difference, also the report that
/// drra check --report writes. Without a difference, report.* and wave.* of an older report are removed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_report(context: *mut Context, folder: *const c_char) -> c_int {
    call(context, |context| context.live()?.write(Path::new(required(folder, "folder")?)))
}

/// Writes the case that was driven as JSON. With a map: after a difference or drra_finish.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_save_case(context: *mut Context, path: *const c_char) -> c_int {
    call(context, |context| context.save_case(required(path, "path")?))
}

/// Executes cycles of the case on the golden model, at most 100000000, or, for UINT64_MAX, all cycles to its end (see
/// drra_done). With a map, this is an error, because drra_compare steps the golden model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_step(context: *mut Context, cycles: u64) -> c_int {
    call(context, |context| context.model()?.step(cycles))
}

/// The current cycle of the golden model, counted from 0; 0 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_cycle(context: *const Context) -> u64 {
    let cycle = enter(context.cast_mut(), |context| {
        Ok(match &context.phase {
            Phase::Model(model) => model.run.cycle,
            Phase::Live(live) => live.check.cycle(),
            Phase::Signals(_) | Phase::Failed => 0,
        })
    });
    cycle.unwrap_or(0)
}

/// The value of a register of the golden model in its current cycle; register_name: `cell[0][0].rf.mem[3]`,
/// `tile[1][2].sram[5]`. words: low word first; count: the size of the array. *bits is its width, also if the array is
/// too small for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_read(
    context: *mut Context,
    register_name: *const c_char,
    words: *mut u64,
    count: usize,
    bits: *mut u32,
) -> c_int {
    call(context, |context| {
        let (value, width) = context.register(required(register_name, "register_name")?)?;
        store(bits, width, "bits")?;
        write_words(words, count, &value, width)
    })
}

/// A JSON document, or NULL after an error. what: "case" (as drra_save_case writes it), "lint" (as drra lint --json),
/// "registers" (all registers of the fabric with path and bits, in table order) or "result" (result.json of drra_report).
/// Lives until the next call for this context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drra_json(context: *mut Context, what: *const c_char) -> *const c_char {
    let text = enter(context, |context| context.document(required(what, "what")?));
    text.unwrap_or(ptr::null())
}
