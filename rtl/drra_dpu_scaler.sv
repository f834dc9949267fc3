// SPDX-License-Identifier: MIT OR Apache-2.0
// Scaler: packs 16-bit words into narrow lanes or unpacks such lanes (chapter 4, section 11).
`include "drra_assert.svh"

module drra_dpu_scaler
  import drra_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             down_i,    // mode scale_dw is in force
  input  logic             up_i,      // mode scale_up is in force
  input  logic             launch_i,
  input  lane_e            lanes_i,
  input  logic [WordW-1:0] in0_i,     // raw operand
  input  logic [7:0]       factor_i,  // signed
  output logic [WordW-1:0] pack_reg_o
);
  logic [WordW-1:0] pack_reg_q, pack_reg_d;
  logic [1:0] pack_phase_q, pack_phase_d, lane, last;

  logic signed [7:0] factor;
  logic signed [23:0] product;
  logic signed [7:0] narrow;
  logic signed [WordW-1:0] wide;

  assign factor = factor_i;
  always_comb begin
    case (lanes_i)
      Lane8: last = 2'd1;
      Lane4: last = 2'd3;
      default: last = 2'd0;
    endcase
  end
  assign lane = pack_phase_q & last;

  always_comb begin
    if (lanes_i == Lane8) narrow = lane[0] ? in0_i[15:8] : in0_i[7:0];
    else narrow = {{4{in0_i[{lane, 2'd3}]}}, in0_i[{lane, 2'd0} +: 4]};
  end
  assign product = $signed(in0_i) * factor;
  assign wide    = narrow * factor;

  always_comb begin
    pack_reg_d = pack_reg_q;
    if (down_i || up_i) begin
      case (lanes_i)
        Lane8: begin
          if (up_i) pack_reg_d = wide;
          else pack_reg_d[{lane[0], 3'd0} +: 8] = product[15:8];
        end
        Lane4: begin
          if (up_i) pack_reg_d = wide;
          else pack_reg_d[{lane, 2'd0} +: 4] = product[11:8];
        end
        default: pack_reg_d = in0_i;
      endcase
    end
    pack_phase_d = ((down_i || up_i) && !launch_i && lane != last) ? lane + 2'd1 : 2'd0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pack_reg_q   <= '0;
      pack_phase_q <= '0;
    end else begin
      pack_reg_q   <= pack_reg_d;
      pack_phase_q <= pack_phase_d;
    end
  end

  assign pack_reg_o = pack_reg_q;

  logic unused_product;
  assign unused_product = ^{product[23:16], product[7:0]};

  `DRRA_ASSERT(OneDirection, !(down_i && up_i))
  `DRRA_CHECK_NEXT(PhaseStartsAtLaunch, launch_i || !(down_i || up_i), pack_phase_q == '0)
  `DRRA_CHECK_NEXT(PhaseWithinLanes, 1'b1, pack_phase_q <= $past(last))
  `DRRA_CHECK_STABLE(PackHoldsOutsideScaling, !(down_i || up_i), pack_reg_q)
  `DRRA_COVER(LastLane, (down_i || up_i) && lane == last && last != '0)
  `DRRA_COVER(LaunchBetweenLanes, launch_i && pack_phase_q != '0)
endmodule
