// SPDX-License-Identifier: MIT OR Apache-2.0
// Sign extension of every lane to twice its width (chapter 4, 5.3).
module drra_lane_widen
  import drra_pkg::*;
(
  input  lane_e            lane_i,
  input  logic [WordW-1:0] v_i,
  output logic [AccW-1:0]  v_o
);
  always_comb begin
    case (lane_i)
      Lane8: begin
        for (int unsigned i = 0; i < 2; i++) v_o[16*i +: 16] = {{8{v_i[8*i + 7]}}, v_i[8*i +: 8]};
      end
      Lane4: begin
        for (int unsigned i = 0; i < 4; i++) v_o[8*i +: 8] = {{4{v_i[4*i + 3]}}, v_i[4*i +: 4]};
      end
      default: v_o = {{16{v_i[15]}}, v_i};
    endcase
  end
endmodule
