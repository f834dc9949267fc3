// SPDX-License-Identifier: MIT OR Apache-2.0
// Exact lane-wise signed products of operands already extended to accumulator lanes (chapter 4,
// 5.3).
module drra_lane_mul
  import drra_pkg::*;
(
  input  lane_e           lane_i,
  input  logic [AccW-1:0] a_i,
  input  logic [AccW-1:0] b_i,
  output logic [AccW-1:0] v_o
);
  always_comb begin
    case (lane_i)
      Lane8: begin
        for (int unsigned i = 0; i < 2; i++) v_o[16*i +: 16] = a_i[16*i +: 16] * b_i[16*i +: 16];
      end
      Lane4: begin
        for (int unsigned i = 0; i < 4; i++) v_o[8*i +: 8] = a_i[8*i +: 8] * b_i[8*i +: 8];
      end
      default: v_o = a_i * b_i;
    endcase
  end
endmodule
