// SPDX-License-Identifier: MIT OR Apache-2.0
// Lane-wise absolute value (chapter 4, 5.4) if enabled; the most negative value is unchanged.
module drra_lane_abs
  import drra_pkg::*;
(
  input  lane_e            lane_i,
  input  logic             en_i,
  input  logic [WordW-1:0] v_i,
  output logic [WordW-1:0] v_o
);
  always_comb begin
    v_o = v_i;
    if (en_i) begin
      case (lane_i)
        Lane8: begin
          for (int unsigned i = 0; i < 2; i++) begin
            if (v_i[8*i + 7]) v_o[8*i +: 8] = -v_i[8*i +: 8];
          end
        end
        Lane4: begin
          for (int unsigned i = 0; i < 4; i++) begin
            if (v_i[4*i + 3]) v_o[4*i +: 4] = -v_i[4*i +: 4];
          end
        end
        default: if (v_i[15]) v_o = -v_i;
      endcase
    end
  end
endmodule
