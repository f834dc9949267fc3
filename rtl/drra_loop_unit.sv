// SPDX-License-Identifier: MIT OR Apache-2.0
// Loop controller: four slots, the shadow register, the loop jump (chapter 2, 7 and 9).
`include "drra_assert.svh"

module drra_loop_unit
  import drra_state_pkg::*, drra_pkg::*;
(
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         imm_now_i,
  input  logic [PcW-1:0]               pc_i,
  input  logic                         waiting_i,
  input  loop_op_t                     op_i,
  input  raccu_file_t                  raccu_i,
  output logic                         jump_o,
  output logic [PcW-1:0]               jump_pc_o,
  output logic [Loops-1:0]             iter_we_o,
  output logic [Loops-1:0][RaccuW-1:0] iter_value_o
);
  loop_op_t sh_loop_q, sh_loop_d, lx;
  logic skip;

  // Shadow register //
  always_comb begin
    lx        = '0;
    sh_loop_d = sh_loop_q;
    if (imm_now_i) begin
      lx        = op_i.valid ? op_i : sh_loop_q;
      sh_loop_d = '0;
    end else if (op_i.valid) begin
      sh_loop_d = op_i;
    end
  end
  assign skip = lx.valid && (lx.iter == '0);

  logic [Loops-1:0] active, reached, last_count, next, at_end, back;
  logic [Loops-1:0][PcW-1:0] start_pc;

  // Nesting: the innermost slot has the highest number and is resolved first //
  always_comb begin
    automatic logic inner_done = 1'b1;  // every active slot inside is done
    automatic logic inner_active = 1'b0;  // the next slot inside is active
    for (int k = Loops - 1; k >= 0; k--) begin
      at_end[k]    = reached[k] && (!inner_active || inner_done);
      inner_done   = inner_done && (!active[k] || (at_end[k] && last_count[k]) || next[k]);
      inner_active = active[k];
    end
  end

  for (genvar k = 0; k < Loops; k++) begin : gen_slot
    drra_loop_slot #(
      .Slot(k)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .pc_i,
      .waiting_i,
      .configure_i (lx.valid && !skip && (lx.id == 2'(k))),
      .skip_i      (skip),
      .lx_i        (lx),
      .at_end_i    (at_end[k]),
      .iterator_i  (raccu_i[RaccuRegs-1-k]),
      .active_o    (active[k]),
      .reached_o   (reached[k]),
      .last_count_o(last_count[k]),
      .next_o      (next[k]),
      .back_o      (back[k]),
      .start_pc_o  (start_pc[k]),
      .iter_we_o   (iter_we_o[k]),
      .iter_value_o(iter_value_o[k])
    );
  end

  // The lowest-numbered requesting slot supplies the target //
  always_comb begin
    jump_o    = (|back) || skip;
    jump_pc_o = skip ? lx.end_pc + 6'd1 : '0;
    for (int k = Loops - 1; k >= 0; k--) begin
      if (back[k]) jump_pc_o = start_pc[k];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sh_loop_q <= '0;
    else sh_loop_q <= sh_loop_d;
  end

  `DRRA_ASSERT(FlagReleasesShadow, !imm_now_i || (sh_loop_d == '0))
  `DRRA_ASSERT(PendingLoopIsValid, sh_loop_q == '0 || sh_loop_q.valid)
  `DRRA_CHECK_NEXT(LoopWaitsForFlag, !imm_now_i && op_i.valid, sh_loop_q == $past(op_i))
  `DRRA_CHECK_STABLE(ShadowHoldsWithoutFlag, !imm_now_i && !op_i.valid, sh_loop_q)
  `DRRA_CHECK(UnusedSlotsStayQuiet, (back & ~active) == '0 && ((active | iter_we_o) == '1))
  `DRRA_COVER(ConfiguredAtOnce, imm_now_i && op_i.valid && !sh_loop_q.valid)
  `DRRA_COVER(ConfiguredAfterWaiting, imm_now_i && !op_i.valid && sh_loop_q.valid)
  `DRRA_COVER(Skipped, skip)
  `DRRA_COVER(SlotsEndTogether, !$onehot0(at_end))
endmodule
