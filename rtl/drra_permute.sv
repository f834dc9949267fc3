// SPDX-License-Identifier: MIT OR Apache-2.0
// Permutation of one block of the register file (chapter 7, B1). Combinational.
module drra_permute (
  input  logic                        en_i,         // 0: block_o does not matter
  input  drra_isa_pkg::perm_mode_e    mode_i,
  input  logic [15:0]                 distance_i,
  input  logic [drra_pkg::BlockW-1:0] block_i,
  output logic [drra_pkg::BlockW-1:0] block_o
);
  localparam int unsigned BlockW     = drra_pkg::BlockW;
  localparam logic [15:0] BlockWords = 16'(drra_pkg::BlockWords);

  // Shift distances saturate at the block length, rotations use it modulo the block length. In
  // bits: 16 per word.
  logic        rotate, same_fill, right;
  logic [8:0]  shift;
  assign rotate    = mode_i inside {drra_isa_pkg::PERM_MODE_ROT_L, drra_isa_pkg::PERM_MODE_ROT_R};
  assign same_fill = mode_i inside {drra_isa_pkg::PERM_MODE_SHL_SAME,
                                    drra_isa_pkg::PERM_MODE_SHR_SAME};
  assign right     = mode_i inside {drra_isa_pkg::PERM_MODE_SHR_ZERO,
                                    drra_isa_pkg::PERM_MODE_SHR_SAME,
                                    drra_isa_pkg::PERM_MODE_ROT_R};
  assign shift     = (rotate || distance_i < BlockWords) ? {1'b0, distance_i[3:0], 4'd0}
                                                         : 9'(BlockW);

  // One shifter over the block and what moves in after it.
  logic [drra_pkg::WordW-1:0] border;
  logic [BlockW-1:0]          fill;
  logic [2*BlockW-1:0]        wide;
  always_comb begin
    border = '0;
    fill   = '0;
    wide   = '0;
    if (en_i) begin
      border = right ? block_i[BlockW-1 -: drra_pkg::WordW] : block_i[drra_pkg::WordW-1:0];
      fill   = rotate ? block_i : same_fill ? {drra_pkg::BlockWords{border}} : '0;
      wide   = right ? {fill, block_i} >> shift : {block_i, fill} << shift;
    end
  end
  assign block_o = right ? wide[BlockW-1:0] : wide[2*BlockW-1:BlockW];
endmodule
