// SPDX-License-Identifier: MIT OR Apache-2.0
// Piecewise linear sigmoid, hyperbolic tangent and the divisor of the exponential (chapter 4,
// section 9). Q4.11 in and out, combinational.
module drra_dpu_squash
  import drra_state_pkg::*, drra_pkg::*;
(
  input  dpu_op_e          op_i,  // OpSigm, OpTanh or OpExp; y_o has no meaning for others
  input  logic [WordW-1:0] x_i,
  output logic [WordW-1:0] y_o
);
  logic minus;
  logic [WordW-1:0] neg_x, mag;
  logic [14:0] index;
  logic [9:0] slope;
  logic [11:0] offset;
  logic signed [WordW-1:0] factor, bias;
  logic signed [12:0] gain;
  logic signed [28:0] product;

  assign minus = x_i[15] || (op_i == OpExp && x_i == '0);
  assign neg_x = (x_i == 16'h8000) ? 16'h7fff : -x_i;
  assign mag   = minus ? neg_x : x_i;
  assign index = (op_i != OpTanh) ? mag[14:0] : mag[14] ? 15'h7fff : {mag[13:0], 1'b0};

  // Table of the positive half of the sigmoid //
  always_comb begin
    case (index[14:9])
      6'd0: {slope, offset} = {10'h200, 12'h400};
      6'd1: {slope, offset} = {10'h1ef, 12'h404};
      6'd2: {slope, offset} = {10'h1d1, 12'h413};
      6'd3: {slope, offset} = {10'h1a8, 12'h432};
      6'd4: {slope, offset} = {10'h17d, 12'h45d};
      6'd5: {slope, offset} = {10'h149, 12'h49e};
      6'd6: {slope, offset} = {10'h119, 12'h4e6};
      6'd7: {slope, offset} = {10'h0ee, 12'h531};
      6'd8: {slope, offset} = {10'h0c1, 12'h58b};
      6'd9: {slope, offset} = {10'h0a1, 12'h5d3};
      6'd10: {slope, offset} = {10'h07f, 12'h628};
      6'd11: {slope, offset} = {10'h066, 12'h66d};
      6'd12: {slope, offset} = {10'h054, 12'h6a3};
      6'd13: {slope, offset} = {10'h040, 12'h6e4};
      6'd14: {slope, offset} = {10'h036, 12'h707};
      6'd15: {slope, offset} = {10'h027, 12'h73f};
      6'd16: {slope, offset} = {10'h022, 12'h753};
      6'd17: {slope, offset} = {10'h019, 12'h779};
      6'd18: {slope, offset} = {10'h015, 12'h78b};
      6'd19: {slope, offset} = {10'h00d, 12'h7b1};
      6'd20: {slope, offset} = {10'h00e, 12'h7ac};
      6'd21: {slope, offset} = {10'h00c, 12'h7b6};
      6'd22: {slope, offset} = {10'h009, 12'h7c6};
      6'd23: {slope, offset} = {10'h000, 12'h7fa};
      6'd24: {slope, offset} = {10'h000, 12'h7fc};
      6'd25, 6'd26: {slope, offset} = {10'h000, 12'h7fd};
      6'd27, 6'd28: {slope, offset} = {10'h000, 12'h7fe};
      6'd29, 6'd30, 6'd31, 6'd32: {slope, offset} = {10'h000, 12'h7ff};
      default: {slope, offset} = {10'h000, 12'h800};
    endcase
  end

  always_comb begin
    case (op_i)
      OpTanh: begin
        factor = x_i;
        gain   = {1'b0, slope, 2'b00};
        bias   = minus ? 16'h0800 - {3'b000, offset, 1'b0} : {3'b000, offset, 1'b0} - 16'h0800;
      end
      OpExp: begin
        factor = neg_x;
        gain   = {3'b000, slope};
        bias   = minus ? {4'b0000, offset} : 16'h0800 - {4'b0000, offset};
      end
      default: begin
        factor = x_i;
        gain   = {3'b000, slope};
        bias   = minus ? 16'h0800 - {4'b0000, offset} : {4'b0000, offset};
      end
    endcase
  end

  assign product = factor * gain;
  assign y_o     = product[26:11] + bias;

  logic unused_bits;
  assign unused_bits = ^{mag[15], index[8:0], product[28:27], product[10:0]};
endmodule
