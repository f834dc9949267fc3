// SPDX-License-Identifier: MIT OR Apache-2.0
// Free-running divider of channel 0 (chapter 4, section 10): three register stages, one division
// per cycle, quotient truncated toward zero, dividend shifted left by the number of fraction bits.
module drra_dpu_divider
  import drra_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [WordW-1:0] dividend_i,  // signed
  input  logic [AccW-1:0]  divisor_i,   // signed
  output logic [AccW-1:0]  div_p3_o
);
  logic [AccW-1:0] div_p1_q, div_p2_q, div_p3_q;
  logic signed [AccW-1:0] scaled, quotient;

  assign scaled = {{5{dividend_i[15]}}, dividend_i, 11'd0};
  always_comb begin
    if (divisor_i == '0) begin
      quotient = (scaled > 0) ? 32'sh000f_ffff : 32'shfff0_0000;
    end else begin
      quotient = scaled / $signed(divisor_i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      div_p1_q <= '0;
      div_p2_q <= '0;
      div_p3_q <= '0;
    end else begin
      div_p1_q <= quotient;
      div_p2_q <= div_p1_q;
      div_p3_q <= div_p2_q;
    end
  end

  assign div_p3_o = div_p3_q;
endmodule
