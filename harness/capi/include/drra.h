// SPDX-License-Identifier: MIT OR Apache-2.0
// Generated from harness/capi/src/lib.rs by cbindgen (harness/capi/cbindgen.toml).
//
// The golden model of a DRRA fabric, and the comparison of a design with it while the design is simulated. Link with
// `pkg-config --libs drra`, or with the static library (`--static`).
//
// Alone:      drra_create(size, NULL, case), then drra_step, drra_read, drra_json until drra_done.
// Comparison: drra_create(size, map, case); drra_needed and drra_signal for each signal; drra_bind; for each edge of the
//             clock drra_set for the signals that changed, then drra_compare; drra_finish, drra_report.
// In the end: drra_destroy.
//
// Functions that return int return one of the statuses below, which are the exit codes of drra. After another status
// than DRRA_AGREED and DRRA_MISMATCH, drra_error says why. Nothing is printed.
//
// Contexts are independent of each other, and each may be used by another thread, but by one thread at a time. Texts are
// UTF-8 and end with a zero; they are copied before a function returns. Text that is NULL or too long, a number of a
// signal or unit that does not exist, and calls in the wrong order are errors. It is undefined what happens if a pointer
// refers to less memory than stated, or a context is used after drra_destroy.

#ifndef DRRA_H
#define DRRA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Version of this interface. A library with another number does not fit this header.
#define DRRA_ABI 1

// Maximum size of a text given to the library in bytes, including the zero at its end. No more than this is read.
#define DRRA_MAX_TEXT 4096

// Success: no difference.
#define DRRA_AGREED 0

// The design differs from the golden model.
#define DRRA_MISMATCH 1

// A mistake in a file, in the order of calls or in an argument; or nothing, or less than required, was compared.
#define DRRA_BAD_INPUT 2

// The library or the system failed.
#define DRRA_TOOL_FAILURE 3

// A context. Contexts are independent of each other. Only one thread at a time may use a context.
typedef struct drra drra;

// 32 bits of a value, in the layout of s_vpi_vecval and svLogicVecVal. A bit that is 1 in bval is unknown: X if it is 1
// in aval, otherwise Z.
typedef struct {
  uint32_t aval;
  uint32_t bval;
} drra_vecval;

// The first difference. The texts live as long as the context.
typedef struct {
  // The cycle of the case whose state differs.
  uint64_t cycle;
  // The register, `cell[0][0].rf.agu[w0].addr_reg`, or the name of an output port; "" if neither differs.
  const char *register_name;
  // The design's own names for the register; "" if unknown.
  const char *design_name;
  // Value in the golden model.
  const char *golden;
  // Value in the design.
  const char *design;
  // The responsible instruction; "" if there is none.
  const char *instruction;
  // The block in which the difference arose.
  const char *block;
  // The rule that decides which side is right, with its chapter and section.
  const char *rule;
  // Identifies the failure.
  const char *signature;
  // The report, as drra check prints it.
  const char *text;
} drra_difference;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// DRRA_ABI of the library.
uint32_t drra_abi(void);

// Version of drra, such as "1.0.0"; lives forever.
const char *drra_version(void);

// Creates a context. size: of the fabric, "8x2" (columns x tile rows), or NULL: that of the case or of the map, or else
// the default, 8x2. map: path of a signal map, or NULL: the golden model alone. file: path of a case (JSON) or program
// (assembly, .sasm), or NULL with a map: the inputs of the golden model are then those at the ports of the design.
// An empty text is like NULL. *context is set even if the status is not DRRA_AGREED; it can then only be asked for its
// errors and destroyed. Only if context is NULL is nothing created.
int drra_create(const char *size, const char *map, const char *file, drra **context);

// Destroys a context, and all texts that it returned. NULL is ignored. The context must not be used afterwards.
void drra_destroy(drra *context);

// Number of errors so far; 0 for NULL.
size_t drra_error_count(const drra *context);

// Text of an error; n counts from 0, the oldest error. NULL beyond the end; only the first 64 texts are kept. Lives as
// long as the context.
const char *drra_error(const drra *context, size_t n);

// A path that the map looks for: that of the clock, the reset, a port, a register, a signal between blocks, or of one in
// a condition. n counts from 0; NULL beyond the end. The list grows when signals are added, so ask for n = 0, 1, 2, ...
// and add each signal that the design has, until NULL. Paths with * are not listed, nor other names that the flip-flops
// of a netlist may have: for these, add all signals of the design instead. Lives as long as the context.
const char *drra_needed(drra *context, size_t n);

// Adds a signal of the design before drra_bind; its number, counted from 0, is stored in *number. path: as any simulator
// writes it. bits: 1 to 65536. A path that is added again keeps its number.
int drra_signal(drra *context, const char *path, uint32_t bits, size_t *number);

// Binds the map to the signals added, after which none can be added. A register whose signals are missing is not
// compared, and is listed in the verdict; a missing clock is an error. If this fails, the context can only be asked for
// its errors and destroyed.
int drra_bind(drra *context);

// The clock of the map, after drra_bind: the number of its signal, and in *rising whether a rising edge ends a cycle.
int drra_clock(drra *context, size_t *number, bool *rising);

// The value to drive at an input port in a cycle of the case; cycle 0 is the first one after the reset. port: a name of
// chapter 7 without _i ("prog_valid", "sram_init_data", "io_cell", ...). unit: for io_cell, the index of the cell (row
// by row); for io_in_data, the column; otherwise 0. words: low word first; count: the size of the array. The value of
// io_in_data is for cycles that do not answer a request.
int drra_stimulus(drra *context, uint64_t cycle, const char *port, uint32_t unit, uint64_t *words, size_t count);

// The contents of a block of an input buffer in the case: the value of io_in_data one cycle after the request. words: 4,
// low word first.
int drra_buffer(drra *context, uint32_t column, uint32_t address, uint64_t *words);

// The value of a signal from now on. value: (bits + 31) / 32 elements, low bits first. A signal that never got a value is
// unknown.
int drra_set(drra *context, size_t number, const drra_vecval *value);

// An edge of the clock that ends a cycle: the values set so far are those just before this edge, so set what changes at
// the edge afterwards. Call it at every such edge, also in reset, because the map says where cycle 0 is. time: of the
// edge, in any unit of the caller; never decreases. Returns DRRA_MISMATCH as soon as a difference is known, which some
// maps show a few cycles late; up to 32 further edges, and as many more as the map shows registers or flags late, then
// make the report more complete (drra_done).
int drra_compare(drra *context, uint64_t time);

// True if no more edges are needed: the case has ended, or the report of a difference is complete, or the context cannot
// be used. Without a map: true if the case has ended.
bool drra_done(const drra *context);

// The first difference, with DRRA_MISMATCH; DRRA_AGREED if there is none, and another status if the comparison failed;
// *difference is then zero. Asked again after further edges, it may say more.
int drra_first_difference(drra *context, drra_difference *difference);

// Ends the comparison and returns the verdict, as drra check would for a waveform of the same simulation: DRRA_MISMATCH
// also if the simulation ended before the case did. In *text, which lives as long as the context: the verdict in one
// line, then what was not compared, one line each; "" if there is no verdict. text may be NULL. min_compared: required
// share of the state in percent, 0 for any. Called again, it returns the same.
int drra_finish(drra *context, double min_compared, const char **text);

// Writes into a folder, which is created if necessary, after drra_finish: result.json (as drra check --batch --json
// writes it, with one case, whose exit is the status of drra_finish) and junit.xml; for a difference, also the report that
// drra check --report writes. Without a difference, report.* and wave.* of an older report are removed.
int drra_report(drra *context, const char *folder);

// Writes the case that was driven as JSON. With a map: after a difference or drra_finish.
int drra_save_case(drra *context, const char *path);

// Executes cycles of the case on the golden model, at most 100000000, or, for UINT64_MAX, all cycles to its end (see
// drra_done). With a map, this is an error, because drra_compare steps the golden model.
int drra_step(drra *context, uint64_t cycles);

// The current cycle of the golden model, counted from 0; 0 if there is none.
uint64_t drra_cycle(const drra *context);

// The value of a register of the golden model in its current cycle; register_name: `cell[0][0].rf.mem[3]`,
// `tile[1][2].sram[5]`. words: low word first; count: the size of the array. *bits is its width, also if the array is
// too small for it.
int drra_read(drra *context, const char *register_name, uint64_t *words, size_t count, uint32_t *bits);

// A JSON document, or NULL after an error. what: "case" (as drra_save_case writes it), "lint" (as drra lint --json),
// "registers" (all registers of the fabric with path and bits, in table order) or "result" (result.json of drra_report).
// Lives until the next call for this context.
const char *drra_json(drra *context, const char *what);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* DRRA_H */
