// SPDX-License-Identifier: MIT OR Apache-2.0
// Permutation of one block of the register file (chapter 7, B1). Combinational. The shifter is idle
// without en_i: if it always shifted, campaigns would take 3.5 % longer.
module drra_permute
  import drra_isa_pkg::*, drra_pkg::*;
(
  input  logic              en_i,  // 0: block_o does not matter
  input  perm_mode_e        mode_i,
  input  logic [WordW-1:0]  distance_i,
  input  logic [BlockW-1:0] block_i,
  output logic [BlockW-1:0] block_o
);
  localparam logic [WordW-1:0] LengthWords = WordW'(BlockWords);

  // Shift distances saturate at the block length; rotation distances wrap at the block length.
  // The shift is counted in bits, 16 per word.
  logic rotate, same_fill, right;
  logic [8:0] shift;
  assign rotate = mode_i inside {PERM_MODE_ROT_L, PERM_MODE_ROT_R};
  assign same_fill = mode_i inside {PERM_MODE_SHL_SAME, PERM_MODE_SHR_SAME};
  assign right = mode_i inside {PERM_MODE_SHR_ZERO, PERM_MODE_SHR_SAME, PERM_MODE_ROT_R};
  assign shift = (rotate || distance_i < LengthWords) ? {1'b0, distance_i[3:0], 4'd0} : 9'(BlockW);

  // One shifter over the block and the words that are shifted in.
  logic [WordW-1:0] border;
  logic [BlockW-1:0] fill;
  logic [2*BlockW-1:0] wide;
  always_comb begin
    border = '0;
    fill   = '0;
    wide   = '0;
    if (en_i) begin
      border = right ? block_i[BlockW-1 -: WordW] : block_i[WordW-1:0];
      fill   = rotate ? block_i : same_fill ? {BlockWords{border}} : '0;
      wide   = right ? {fill, block_i} >> shift : {block_i, fill} << shift;
    end
  end
  assign block_o = right ? wide[BlockW-1:0] : wide[2*BlockW-1:BlockW];
endmodule
