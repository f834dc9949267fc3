// SPDX-License-Identifier: MIT OR Apache-2.0
// The functions of drra.h for SystemVerilog benches (DPI-C), without C in between; drra.h describes them. Link libdrra.
// Left out are drra_needed and drra_clock (a bench names its signals and its clock), drra_first_difference (drra_finish
// and drra_report tell the difference) and drra_json.
//
// In place of NULL, drra_create takes an empty string. A signal has at most 256 bits; for a wider one, drra_set would
// read beyond its argument, of which the low bits count. In arrays of words, element 0 has the low 64 bits. drra_error is
// called for numbers below drra_error_count and below 64 only.
package drra_dpi_pkg;
  typedef longint unsigned drra_words_t[4];
  typedef logic [255:0] drra_value_t;

  // Status codes, which are the exit codes of `drra`.
  localparam int DrraAgreed = 0, DrraMismatch = 1, DrraBadInput = 2, DrraToolFailure = 3;

  import "DPI-C" function int unsigned drra_abi();
  import "DPI-C" function string drra_version();
  import "DPI-C" function int drra_create(input string size, input string map, input string file, output chandle handle);
  import "DPI-C" function void drra_destroy(input chandle handle);
  import "DPI-C" function longint unsigned drra_error_count(input chandle handle);
  import "DPI-C" function string drra_error(input chandle handle, input longint unsigned n);

  import "DPI-C" function int drra_signal(
    input chandle handle, input string path, input int unsigned bits, output longint unsigned number
  );
  import "DPI-C" function int drra_bind(input chandle handle);
  import "DPI-C" function int drra_set(input chandle handle, input longint unsigned number, input drra_value_t value);
  import "DPI-C" function int drra_compare(input chandle handle, input longint unsigned now);
  import "DPI-C" function bit drra_done(input chandle handle);
  import "DPI-C" function int drra_finish(input chandle handle, input real min_compared, output string text);
  import "DPI-C" function int drra_report(input chandle handle, input string folder);
  import "DPI-C" function int drra_save_case(input chandle handle, input string path);

  import "DPI-C" function int drra_stimulus(
    input chandle handle, input longint unsigned cycle, input string name, input int unsigned unit,
    output drra_words_t words, input longint unsigned count
  );
  import "DPI-C" function int drra_buffer(
    input chandle handle, input int unsigned column, input int unsigned address, output drra_words_t words
  );
  import "DPI-C" function int drra_step(input chandle handle, input longint unsigned cycles);
  import "DPI-C" function longint unsigned drra_cycle(input chandle handle);
  import "DPI-C" function int drra_read(
    input chandle handle, input string register_name, output drra_words_t words, input longint unsigned count,
    output int unsigned bits
  );
endpackage
