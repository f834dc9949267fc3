// SPDX-License-Identifier: MIT OR Apache-2.0
// Assertion macros. Clock and reset are fixed to clk_i and rst_ni.
//
// A violation sets the flag <name>_failed of its instance and stops the simulation; the flag tells
// which of the many equal instances it was. The message of a plain `assert` would do the same, but
// it contains the instance name, which makes the code of every instance different.
`ifndef DRRA_ASSERT_SVH
`define DRRA_ASSERT_SVH

`ifdef SYNTHESIS
`define DRRA_ASSERT(__name, __cond)
`define DRRA_ASSERT_INIT(__name, __cond)
`else

// Checked with the values before every rising clock edge outside reset.
`define DRRA_ASSERT(__name, __cond) \
  logic __name``_failed; \
  initial __name``_failed = 1'b0; \
  always @(posedge clk_i) begin \
    if (rst_ni && !(__cond)) begin \
      __name``_failed <= 1'b1; \
      $stop; \
    end \
  end

// Limits of parameters, checked once.
`define DRRA_ASSERT_INIT(__name, __cond) \
  initial begin : __name \
    if (!(__cond)) $stop; \
  end

`endif
`endif
