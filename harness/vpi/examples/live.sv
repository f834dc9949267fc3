// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares three registers of the fabric of 2 columns and 1 tile row with the golden model, in the test bench of
// `drra export`, which stays as it is. The names of the signals are those of live.map.
module live;
  import drra_dpi_pkg::*;

  chandle handle;
  string  text;
  longint unsigned clock, reset, sequencer, words;  // numbers of the signals

  function automatic void check(input int status);
    // The texts of the first 64 errors are kept.
    automatic longint unsigned count = drra_error_count(handle);
    if (status != DrraAgreed) $fatal(1, "%s", drra_error(handle, (count < 64 ? count : 64) - 1));
  endfunction

  initial begin
    check(drra_create("2x1", "live.map", "case.json", handle));
    check(drra_signal(handle, "rst_n", 1, reset));
    check(drra_signal(handle, "clk", 1, clock));
    check(drra_signal(handle, "core_q", 36, sequencer));
    check(drra_signal(handle, "block_0", 256, words));
    check(drra_bind(handle));
  end

  // In the active region of a clock edge, registers still have their values of before the edge.
  always @(posedge tb.clk) begin
    check(drra_set(handle, reset, 256'(tb.rst_n)));
    check(drra_set(handle, sequencer, 256'(tb.dut.gen_row[0].gen_col[0].u_cell.u_seq.core_q)));
    check(drra_set(handle, words, tb.dut.gen_row[0].gen_col[0].u_cell.u_rf.mem_q[15:0]));
    if (drra_compare(handle, $time) == DrraMismatch && drra_done(handle)) $finish;
  end

  final begin
    if (drra_finish(handle, 0.0, text) != DrraAgreed) $fatal(1, "%s", text);
    $display("%s", text);
  end
endmodule

// In the bench, without a change to it.
bind tb live u_live ();
