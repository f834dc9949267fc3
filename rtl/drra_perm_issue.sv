// SPDX-License-Identifier: MIT OR Apache-2.0
// Issue registers for PERM (chapter 7, B2).
module drra_perm_issue (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     immediate_i,
  input  logic                     perm_dec_i,
  input  drra_isa_pkg::perm_t word_i,      // the word being decoded
  output drra_state_pkg::perm_op_t perm_go_o      // combinational from registers and immediate_i
);
  `include "drra_assert.svh"

  drra_state_pkg::perm_op_t perm_stage_q, perm_stage_d, perm_shadow_q, perm_shadow_d;

  always_comb begin
    perm_stage_d = '0;
    if (perm_dec_i) begin
      perm_stage_d = '{valid: 1'b1, mode: word_i.mode, block: word_i.block,
                       distance: word_i.distance};
    end
  end

  always_comb begin
    perm_shadow_d = perm_shadow_q;
    if (immediate_i)             perm_shadow_d = '0;
    else if (perm_stage_q.valid) perm_shadow_d = perm_stage_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      perm_stage_q  <= '0;
      perm_shadow_q <= '0;
    end else begin
      perm_stage_q  <= perm_stage_d;
      perm_shadow_q <= perm_shadow_d;
    end
  end

  logic unused_word;
  assign unused_word = ^{word_i.instr_code, word_i.reserved};

  assign perm_go_o = !immediate_i ? '0 : perm_stage_q.valid ? perm_stage_q : perm_shadow_q;

  `DRRA_ASSERT(NothingStagedIsZero, perm_stage_q.valid || (perm_stage_q == '0))
  `DRRA_CHECK(NothingPendingIsZero, perm_shadow_q.valid || (perm_shadow_q == '0))
  `DRRA_CHECK(PermNeedsFlag, immediate_i || !perm_go_o.valid)
  `DRRA_PAST(logic, immediate_i)
  `DRRA_PAST(drra_state_pkg::perm_op_t, perm_stage_q)
  `DRRA_PAST(drra_state_pkg::perm_op_t, perm_shadow_q)
  `DRRA_CHECK_STEP(PermWaitsForFlag, immediate_i_past ? perm_shadow_q == '0
                                   : perm_stage_q_past.valid ? perm_shadow_q == perm_stage_q_past
                                   : perm_shadow_q == perm_shadow_q_past)
endmodule
