// SPDX-License-Identifier: MIT OR Apache-2.0
// Assertion macros. Clock and reset are fixed to clk_i and rst_ni; except for DRRA_ASSERT_INIT, a
// macro samples the values before a rising clock edge outside reset.
//
//   DRRA_ASSERT(name, cond)            cond holds in every cycle
//   DRRA_ASSERT_INIT(name, cond)       limits of parameters, checked once, without a clock
//   DRRA_CHECK(name, cond)             same as DRRA_ASSERT
//   DRRA_CHECK_NEXT(name, cond, then)  `then` holds in the cycle after a cycle with cond
//   DRRA_CHECK_STABLE(name, cond, x)   x keeps its value over the edge that ends a cycle with cond
//   DRRA_COVER(name, cond)             cond, which may use $past, holds in some cycle
//
// All but DRRA_ASSERT_INIT are concurrent assertions. A Verilator build without the define
// DRRA_CHECKS, made for speed, has only DRRA_ASSERT_INIT and, in another form, DRRA_ASSERT. Checks
// over several cycles or of signals between registers add half to two thirds to the work of a
// model, and the message of an `assert` contains the name of its instance, which makes the code of
// every instance different. In this form, a violation sets the flag <name>_failed of its instance
// and stops the simulation: the flag identifies which of the many identical instances failed. The
// condition is tested first; it nearly always holds, and the reset need not be read then.
//
// With DRRA_PROOF (`tests/proofs`), a property is a variable that a proof finds by its name: <name>_holds
// in a cycle, or <name>_then, a register whose input must be 1 in a cycle with <name>_before.
//
// `.ci/assertions` violates each but DRRA_ASSERT_INIT with a fault, and checks that covers are hit.
`ifndef DRRA_ASSERT_SVH
`define DRRA_ASSERT_SVH

`ifdef DRRA_PROOF
`define DRRA_PROPERTIES

`define DRRA_ASSERT(__name, __cond) \
  logic __name``_holds; \
  assign __name``_holds = (__cond);

`define DRRA_ASSERT_INIT(__name, __cond) `DRRA_ASSERT(__name, __cond)

`define DRRA_CHECK(__name, __cond) `DRRA_ASSERT(__name, __cond)

`define DRRA_CHECK_NEXT(__name, __cond, __then) \
  logic __name``_before, __name``_then; \
  always_ff @(posedge clk_i) begin \
    __name``_before <= (__cond); \
    __name``_then   <= (__then); \
  end

`define DRRA_CHECK_STABLE(__name, __cond, __x) `DRRA_CHECK_NEXT(__name, __cond, $stable(__x))

`define DRRA_COVER(__name, __cond)

`else

`ifndef SYNTHESIS
`ifndef VERILATOR
`define DRRA_PROPERTIES
`elsif DRRA_CHECKS
`define DRRA_PROPERTIES
`endif
`endif

`ifdef DRRA_PROPERTIES

`define DRRA_ASSERT(__name, __cond) \
  __name: assert property (@(posedge clk_i) disable iff (!rst_ni) (__cond));

`define DRRA_CHECK(__name, __cond) `DRRA_ASSERT(__name, __cond)

// The first cycle must be outside reset, too; Verilator checks this only for the second cycle.
`define DRRA_CHECK_NEXT(__name, __cond, __then) \
  __name: assert property (@(posedge clk_i) disable iff (!rst_ni) \
                           rst_ni && (__cond) |=> (__then));

`define DRRA_CHECK_STABLE(__name, __cond, __x) `DRRA_CHECK_NEXT(__name, __cond, $stable(__x))

`define DRRA_COVER(__name, __cond) \
  __name: cover property (@(posedge clk_i) disable iff (!rst_ni) (__cond));

`else

`define DRRA_CHECK(__name, __cond)
`define DRRA_CHECK_NEXT(__name, __cond, __then)
`define DRRA_CHECK_STABLE(__name, __cond, __x)
`define DRRA_COVER(__name, __cond)

`ifdef SYNTHESIS
`define DRRA_ASSERT(__name, __cond)
`else
`define DRRA_ASSERT(__name, __cond) \
  logic __name``_failed; \
  initial __name``_failed = 1'b0; \
  always @(posedge clk_i) begin \
    if (!(__cond)) begin /*verilator coverage_block_off*/ \
      __name``_failed <= rst_ni; \
      if (rst_ni) $stop; \
    end \
  end
`endif

`endif

`ifdef SYNTHESIS
`define DRRA_ASSERT_INIT(__name, __cond)
`else
`define DRRA_ASSERT_INIT(__name, __cond) \
  initial begin : __name \
    if (!(__cond)) $stop; \
  end
`endif

`endif

`endif
