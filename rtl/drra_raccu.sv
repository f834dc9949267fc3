// SPDX-License-Identifier: MIT OR Apache-2.0
// RACCU: address arithmetic with its 16 registers and its shadow register (chapter 2, 7 and 8).
`include "drra_assert.svh"

module drra_raccu
  import drra_isa_pkg::*, drra_state_pkg::*, drra_pkg::*;
(
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         imm_now_i,
  input  raccu_op_t                    op_i,       // decoded in this cycle; idle means none
  input  logic [Loops-1:0]             iter_we_i,  // loop slot k writes R(15-k)
  input  logic [Loops-1:0][RaccuW-1:0] iter_value_i,
  output raccu_file_t                  raccu_o
);
  raccu_op_t sh_raccu_q, sh_raccu_d;
  raccu_file_t raccu_reg_q, raccu_reg_d;
  raccu_op_t exec;

  // Shadow register //
  always_comb begin
    exec       = '0;
    sh_raccu_d = sh_raccu_q;
    if (imm_now_i) begin
      exec       = (op_i.mode != RACCU_MODE_IDLE) ? op_i : sh_raccu_q;
      sh_raccu_d = '0;
    end else if (op_i.mode != RACCU_MODE_IDLE) begin
      sh_raccu_d = op_i;
    end
  end

  // Arithmetic //
  logic [RaccuW-1:0] old, product, result;
  assign old     = raccu_reg_q[exec.dst];
  assign product = exec.a * exec.b;
  always_comb begin
    case (exec.mode)
      RACCU_MODE_ADD:      result = exec.a + exec.b;
      RACCU_MODE_SUB:      result = exec.a - exec.b;
      RACCU_MODE_SHIFT_R:  result = $signed(exec.a) >>> exec.b;
      RACCU_MODE_SHIFT_L:  result = exec.a << exec.b;
      RACCU_MODE_MULT:     result = product;
      RACCU_MODE_MULT_ADD: result = product + old;
      RACCU_MODE_MULT_SUB: result = product - old;
      default:             result = '0;  // idle: nothing is written
    endcase
  end

  // Register file: the RACCU result wins over a loop iterator //
  always_comb begin
    raccu_reg_d = raccu_reg_q;
    for (int unsigned k = 0; k < Loops; k++) begin
      if (iter_we_i[k]) raccu_reg_d[RaccuRegs-1-k] = iter_value_i[k];
    end
    if (exec.mode != RACCU_MODE_IDLE) raccu_reg_d[exec.dst] = result;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sh_raccu_q  <= '0;
      raccu_reg_q <= '0;
    end else begin
      sh_raccu_q  <= sh_raccu_d;
      raccu_reg_q <= raccu_reg_d;
    end
  end

  assign raccu_o = raccu_reg_q;

  `DRRA_ASSERT(FlagReleasesShadow, !imm_now_i || (sh_raccu_d == '0))
  `DRRA_ASSERT(PendingRaccuHasMode, sh_raccu_q == '0 || (sh_raccu_q.mode != RACCU_MODE_IDLE))
  `DRRA_CHECK_NEXT(RaccuWaitsForFlag, !imm_now_i && op_i.mode != RACCU_MODE_IDLE,
                   sh_raccu_q == $past(op_i))
  `DRRA_CHECK_STABLE(ShadowHoldsWithoutFlag, !imm_now_i && op_i.mode == RACCU_MODE_IDLE, sh_raccu_q)
  `DRRA_COVER(ExecutesAtOnce, imm_now_i && op_i.mode != RACCU_MODE_IDLE)
  `DRRA_COVER(ExecutesAfterWaiting, imm_now_i && op_i.mode == RACCU_MODE_IDLE && sh_raccu_q != '0)
endmodule
