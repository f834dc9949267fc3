// SPDX-License-Identifier: MIT OR Apache-2.0
// Issue registers: a decoded message or PERM leaves with the flag of its word, or waits for the
// next flag (messages: chapter 6, section 4; PERM: chapter 7, B2).
`include "drra_assert.svh"

module drra_issue
  import drra_state_pkg::*;
#(
  parameter type op_t = noc_issue_t  // has a member `valid`; all 0 means none
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic immediate_i,
  input  op_t  dec_i,
  output op_t  go_o  // combinational from registers and immediate_i
);
  op_t stage_q, shadow_q, shadow_d;

  always_comb begin
    shadow_d = shadow_q;
    if (immediate_i) shadow_d = '0;
    else if (stage_q.valid) shadow_d = stage_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stage_q  <= '0;
      shadow_q <= '0;
    end else begin
      stage_q  <= dec_i;
      shadow_q <= shadow_d;
    end
  end

  assign go_o = !immediate_i ? '0 : stage_q.valid ? stage_q : shadow_q;

  `DRRA_ASSERT(NothingStagedIsZero, stage_q.valid || (stage_q == '0))
  `DRRA_CHECK(NothingPendingIsZero, shadow_q.valid || (shadow_q == '0))
  `DRRA_CHECK(NothingLeavesWithoutFlag, immediate_i || !go_o.valid)
  `DRRA_CHECK_NEXT(FlagEmptiesShadow, immediate_i, shadow_q == '0)
  `DRRA_CHECK_NEXT(OperationWaitsForFlag, !immediate_i && stage_q.valid, shadow_q == $past(stage_q))
  `DRRA_CHECK_STABLE(ShadowHoldsWithoutFlag, !immediate_i && !stage_q.valid, shadow_q)
  `DRRA_COVER(LeavesAtOnce, immediate_i && stage_q.valid)
  `DRRA_COVER(LeavesAfterWaiting, immediate_i && !stage_q.valid && shadow_q.valid)
  `DRRA_COVER(ReplacedWhileWaiting, !immediate_i && stage_q.valid && shadow_q.valid)
endmodule
