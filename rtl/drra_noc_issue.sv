// SPDX-License-Identifier: MIT OR Apache-2.0
// Issue registers for ROUTE, SRAM and IO messages of one cell (chapter 6, section 4).
module drra_noc_issue (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       immediate_i,
  input  drra_state_pkg::noc_issue_t noc_dec_i,
  output drra_state_pkg::noc_issue_t cell_noc_o     // combinational from registers and immediate_i
);
  `include "drra_assert.svh"

  drra_state_pkg::noc_issue_t noc_stage_q, noc_shadow_q, noc_shadow_d;

  always_comb begin
    noc_shadow_d = noc_shadow_q;
    if (immediate_i)            noc_shadow_d = '0;
    else if (noc_stage_q.valid) noc_shadow_d = noc_stage_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      noc_stage_q  <= '0;
      noc_shadow_q <= '0;
    end else begin
      noc_stage_q  <= noc_dec_i;
      noc_shadow_q <= noc_shadow_d;
    end
  end

  assign cell_noc_o = !immediate_i ? '0 : noc_stage_q.valid ? noc_stage_q : noc_shadow_q;

  `DRRA_ASSERT(NoMessageIsZero, noc_stage_q.valid || (noc_stage_q == '0))
  `DRRA_ASSERT(KindKnown, !noc_stage_q.valid || (noc_stage_q.kind != drra_state_pkg::KindNone))
  `DRRA_CHECK(NothingPendingIsZero, noc_shadow_q.valid || (noc_shadow_q == '0))
  `DRRA_ASSERT(UpperPayloadOnlyForIo, noc_stage_q.kind == drra_state_pkg::KindIo ||
               (noc_stage_q.payload.narrow.zero_63_60 == '0))
  `DRRA_CHECK(MessageNeedsFlag, immediate_i || !cell_noc_o.valid)
  `DRRA_PAST(logic, immediate_i)
  `DRRA_PAST(drra_state_pkg::noc_issue_t, noc_stage_q)
  `DRRA_PAST(drra_state_pkg::noc_issue_t, noc_shadow_q)
  `DRRA_CHECK_STEP(MessageWaitsForFlag, immediate_i_past ? noc_shadow_q == '0
                                      : noc_stage_q_past.valid ? noc_shadow_q == noc_stage_q_past
                                      : noc_shadow_q == noc_shadow_q_past)
endmodule
