// SPDX-License-Identifier: MIT OR Apache-2.0
// Sums of accumulator lanes, saturating per lane if requested (chapter 4, 5.3).
module drra_lane_add
  import drra_pkg::*;
(
  input  lane_e           lane_i,
  input  logic            sat_i,
  input  logic [AccW-1:0] a_i,
  input  logic [AccW-1:0] b_i,
  output logic [AccW-1:0] v_o
);
  // Overflow: two operands of the same sign, and a result of the other sign.
  logic [AccW-1:0] v_sum, overflow;
  assign overflow = ~(a_i ^ b_i) & (a_i ^ v_sum);

  always_comb begin
    case (lane_i)
      Lane8: begin
        for (int unsigned i = 0; i < 2; i++) v_sum[16*i +: 16] = a_i[16*i +: 16] + b_i[16*i +: 16];
      end
      Lane4: begin
        for (int unsigned i = 0; i < 4; i++) v_sum[8*i +: 8] = a_i[8*i +: 8] + b_i[8*i +: 8];
      end
      default: v_sum = a_i + b_i;
    endcase
  end

  always_comb begin
    v_o = v_sum;
    if (sat_i) begin
      case (lane_i)
        Lane8: begin
          for (int unsigned i = 0; i < 2; i++) begin
            if (overflow[16*i + 15]) v_o[16*i +: 16] = {a_i[16*i + 15], {15{!a_i[16*i + 15]}}};
          end
        end
        Lane4: begin
          for (int unsigned i = 0; i < 4; i++) begin
            if (overflow[8*i + 7]) v_o[8*i +: 8] = {a_i[8*i + 7], {7{!a_i[8*i + 7]}}};
          end
        end
        default: if (overflow[31]) v_o = {a_i[31], {31{!a_i[31]}}};
      endcase
    end
  end

  logic unused_overflow;
  assign unused_overflow = ^overflow;
endmodule
