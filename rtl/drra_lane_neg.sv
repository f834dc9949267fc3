// SPDX-License-Identifier: MIT OR Apache-2.0
// Saturating negation of lanes (chapter 4, 5.2): the most negative value becomes the most positive.
module drra_lane_neg
  import drra_pkg::*;
(
  input  lane_e            lane_i,
  input  logic [WordW-1:0] v_i,
  output logic [WordW-1:0] v_o
);
  always_comb begin
    case (lane_i)
      Lane8: begin
        for (int unsigned i = 0; i < 2; i++) begin
          v_o[8*i +: 8] = (v_i[8*i +: 8] == 8'h80) ? 8'h7f : -v_i[8*i +: 8];
        end
      end
      Lane4: begin
        for (int unsigned i = 0; i < 4; i++) begin
          v_o[4*i +: 4] = (v_i[4*i +: 4] == 4'h8) ? 4'h7 : -v_i[4*i +: 4];
        end
      end
      default: v_o = (v_i == 16'h8000) ? 16'h7fff : -v_i;
    endcase
  end
endmodule
