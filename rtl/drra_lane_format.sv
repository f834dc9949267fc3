// SPDX-License-Identifier: MIT OR Apache-2.0
// Accumulator lanes to output lanes, saturating per lane if requested (chapter 4, 5.4).
module drra_lane_format
  import drra_pkg::*;
(
  input  lane_e            lane_i,
  input  logic             scale_i,  // shift a product of Q4.11 words back to Q4.11 (16 bit only)
  input  logic             sat_i,
  input  logic [AccW-1:0]  acc_i,
  output logic [WordW-1:0] v_o
);
  logic [AccW-1:0] shifted;
  assign shifted = scale_i ? {{11{acc_i[31]}}, acc_i[31:11]} : acc_i;

  // A lane fits if its upper half repeats the sign bit of the result.
  always_comb begin
    case (lane_i)
      Lane8: begin
        for (int unsigned i = 0; i < 2; i++) begin
          v_o[8*i +: 8] = acc_i[16*i +: 8];
          if (sat_i && acc_i[16*i + 7 +: 9] != {9{acc_i[16*i + 15]}}) begin
            v_o[8*i +: 8] = {acc_i[16*i + 15], {7{!acc_i[16*i + 15]}}};
          end
        end
      end
      Lane4: begin
        for (int unsigned i = 0; i < 4; i++) begin
          v_o[4*i +: 4] = acc_i[8*i +: 4];
          if (sat_i && acc_i[8*i + 3 +: 5] != {5{acc_i[8*i + 7]}}) begin
            v_o[4*i +: 4] = {acc_i[8*i + 7], {3{!acc_i[8*i + 7]}}};
          end
        end
      end
      default: begin
        v_o = shifted[15:0];
        if (sat_i && shifted[31:15] != {17{shifted[31]}}) v_o = {shifted[31], {15{!shifted[31]}}};
      end
    endcase
  end
endmodule
