// SPDX-License-Identifier: MIT OR Apache-2.0
// Issue registers for PERM (chapter 7, B2).
module drra_perm_issue (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               immediate_i,
  input  logic               perm_dec_i,
  input  logic [22:2]        word_i,
  output drra_pkg::perm_op_t perm_go_o      // combinational from registers and immediate_i
);
  `include "drra_assert.svh"

  drra_pkg::perm_op_t perm_stage_q, perm_stage_d, perm_shadow_q, perm_shadow_d;

  assign perm_stage_d = perm_dec_i ? {1'b1, word_i} : '0;

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

  assign perm_go_o = !immediate_i ? '0 : perm_stage_q.valid ? perm_stage_q : perm_shadow_q;

  `DRRA_ASSERT(NothingStagedIsZero, perm_stage_q.valid || (perm_stage_q == '0))
endmodule
