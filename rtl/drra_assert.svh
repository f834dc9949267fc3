// SPDX-License-Identifier: MIT OR Apache-2.0
// Assertion macros. Clock and reset are fixed to clk_i and rst_ni; every one looks at the values
// before a rising clock edge outside reset.
//
// In every simulation:
//   DRRA_ASSERT(name, cond)            cond holds in every cycle
//   DRRA_ASSERT_INIT(name, cond)       limits of parameters, checked once
//
// Checks over time, and of what lies between registers, add half to two thirds to the work of the
// model. They exist in builds with the define DRRA_CHECKS only:
//   DRRA_CHECK(name, cond)             cond holds in every cycle
//   DRRA_CHECK_NEXT(name, cond, then)  `then` holds in the cycle after one in which cond held
//   DRRA_CHECK_STABLE(name, cond, x)   x keeps its value over the edge that ends a cycle with cond
//   DRRA_PAST(type, x)                 declares x_past, the value that x had one cycle before
//   DRRA_CHECK_STEP(name, cond)        cond holds in every cycle with a cycle before it; cond
//                                      compares values with their x_past
//
// A violation sets the flag <name>_failed of its instance and stops the simulation; the flag tells
// which of the many equal instances it was. The message of a plain `assert` would do the same, but
// it contains the instance name, which makes the code of every instance different. Earlier values
// are variables of their own for the same reason: those of $past get numbered names, as do the
// variables of functions, which must not be used in a condition. A flag costs code and construction
// time in each instance, so modules with many instances have few checks that say much each.
// The condition is tested first: it nearly always holds, and the reset need not be read then.
// tests/assertions has a fault for each assertion, which `.ci/assertions` sees it find.
`ifndef DRRA_ASSERT_SVH
`define DRRA_ASSERT_SVH

`ifdef SYNTHESIS
`define DRRA_ASSERT(__name, __cond)
`define DRRA_ASSERT_INIT(__name, __cond)
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

`define DRRA_ASSERT_INIT(__name, __cond) \
  initial begin : __name \
    if (!(__cond)) $stop; \
  end

`endif

`ifdef DRRA_CHECKS

`define DRRA_CHECK(__name, __cond) `DRRA_ASSERT(__name, __cond)

`define DRRA_CHECK_NEXT(__name, __cond, __then) \
  logic __name``_armed_past; \
  always @(posedge clk_i or negedge rst_ni) begin \
    if (!rst_ni) __name``_armed_past <= 1'b0; \
    else         __name``_armed_past <= (__cond); \
  end \
  `DRRA_ASSERT(__name, !__name``_armed_past || (__then))

`define DRRA_CHECK_STABLE(__name, __cond, __x) \
  logic [$bits(__x)-1:0] __name``_value_past; \
  always @(posedge clk_i) begin \
    if (__cond) __name``_value_past <= __x; \
  end \
  `DRRA_CHECK_NEXT(__name, __cond, __name``_value_past == (__x))

`define DRRA_PAST(__type, __x) \
  __type __x``_past; \
  always @(posedge clk_i) __x``_past <= __x;

`define DRRA_CHECK_STEP(__name, __cond) \
  `DRRA_CHECK_NEXT(__name, 1'b1, __cond)

`else
`define DRRA_CHECK(__name, __cond)
`define DRRA_CHECK_NEXT(__name, __cond, __then)
`define DRRA_CHECK_STABLE(__name, __cond, __x)
`define DRRA_PAST(__type, __x)
`define DRRA_CHECK_STEP(__name, __cond)
`endif

`endif
