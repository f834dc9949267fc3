// SPDX-License-Identifier: MIT OR Apache-2.0
// One slot of the loop controller (chapter 2, section 9).
`include "drra_assert.svh"

module drra_loop_slot
  import drra_state_pkg::*, drra_pkg::*;
#(
  parameter int unsigned Slot = 0
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [PcW-1:0]    pc_i,
  input  logic              waiting_i,
  input  logic              configure_i,   // lx_i configures this slot in this cycle
  input  logic              skip_i,        // lx_i has iter = 0
  input  loop_op_t          lx_i,
  input  logic              at_end_i,      // the body ends here and inner slots allow it
  input  logic [RaccuW-1:0] iterator_i,    // R(15-Slot)
  output logic              active_o,
  output logic              reached_o,     // the body ends here, whatever the inner slots do
  output logic              last_count_o,  // this is the last iteration
  output logic              next_o,        // the body ends at the next address
  output logic              back_o,        // request to jump to start_pc_o
  output logic [PcW-1:0]    start_pc_o,
  output logic              iter_we_o,
  output logic [RaccuW-1:0] iter_value_o
);
  loop_slot_t loop_q, loop_d;
  logic last;

  always_comb begin
    reached_o    = 1'b0;
    last_count_o = 1'b0;
    next_o       = 1'b0;
    if (loop_q.active) begin
      reached_o    = !waiting_i && (pc_i == loop_q.end_pc || (skip_i && lx_i.link[Slot]));
      last_count_o = loop_q.count == loop_q.iter - 6'd1;
      next_o       = pc_i + 6'd1 == loop_q.end_pc;
    end
  end
  assign last = at_end_i && last_count_o;

  always_comb begin
    loop_d       = loop_q;
    back_o       = 1'b0;
    iter_we_o    = 1'b0;
    iter_value_o = '0;
    if (configure_i) begin
      loop_d = '{
        active: 1'b1,
        start_pc: lx_i.start_pc,
        end_pc: lx_i.end_pc,
        iter: lx_i.iter,
        step: lx_i.step,
        count: '0
      };
      iter_we_o = 1'b1;
      iter_value_o = {lx_i.start[5], lx_i.start};
    end else if (last || !loop_q.active) begin
      loop_d    = '0;
      iter_we_o = 1'b1;
    end else if (at_end_i) begin
      loop_d.count = loop_q.count + 6'd1;
      iter_we_o    = 1'b1;
      iter_value_o = iterator_i + {loop_q.step[5], loop_q.step};
      back_o       = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) loop_q <= '0;
    else loop_q <= loop_d;
  end

  assign active_o   = loop_q.active;
  assign start_pc_o = loop_q.start_pc;

  `DRRA_ASSERT(ActiveSlotIterates, !loop_q.active || (loop_q.iter != '0))
  `DRRA_ASSERT(InactiveSlotIsClear, loop_q.active || (loop_q == '0))
  `DRRA_CHECK(CountBelowIterations, !loop_q.active || (loop_q.count < loop_q.iter))
  `DRRA_CHECK_NEXT(LoopStartsAtZero, configure_i, loop_q.active && loop_q.count == '0)
  `DRRA_CHECK_NEXT(LoopEnds, !configure_i && (last || !loop_q.active), !loop_q.active)
  `DRRA_CHECK_NEXT(LoopCountsItsIterations, !configure_i && !last && loop_q.active,
                   loop_q.active && loop_q.count == $past(loop_q.count + 6'(back_o)))
  `DRRA_COVER(JumpsBack, back_o)
  `DRRA_COVER(Ends, last)
  `DRRA_COVER(ConfiguredWhileActive, configure_i && loop_q.active)
endmodule
