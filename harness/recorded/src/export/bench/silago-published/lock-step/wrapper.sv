// SPDX-License-Identifier: MIT OR Apache-2.0
// The published SiLago fabric, as GHDL translates it, with the ports of chapter 5, section 5, and a model of its memory
// macro. What it lacks (I/O units, register file load ports, status) is unconnected or 0.
module drra_fabric #(
  parameter int Cols = 8, DimarchRows = 2, RfDepth = 64, SramDepth = 128
) (
  input  logic clk_i, rst_ni,
  input  logic prog_valid_i, prog_imm_i,
  input  logic [26:0] prog_instr_i,
  input  logic [1:0] prog_row_sel_i,
  input  logic [7:0] prog_col_sel_i,
  input  logic sram_init_valid_i,
  input  logic [1:0] sram_init_row_i,
  input  logic [2:0] sram_init_col_i,
  input  logic [6:0] sram_init_addr_i,
  input  logic [255:0] sram_init_data_i,
  input  logic rf_init_valid_i, rf_init_row_i,
  input  logic [2:0] rf_init_col_i,
  input  logic [1:0] rf_init_block_i,
  input  logic [255:0] rf_init_data_i,
  input  logic [15:0] io_cell_i,
  input  logic [2047:0] io_in_data_i,
  output logic [7:0] io_in_en_o, io_out_en_o,
  output logic [199:0] io_in_addr_o, io_out_addr_o,
  output logic [2047:0] io_out_data_o,
  output logic [127:0] io_out_mask_o,
  output logic [15:0] cell_idle_o,
  output logic all_idle_o, agu_busy_o
);
  // Reset ends two edges early, because addresses ripple through the fabric after reset (chapter 5, section 8, number 2).
  logic [1:0] edges = 0;
  always_ff @(posedge clk_i) if (!edges[1]) edges <= edges + 1;

  // Bit n is the flag n cycles after its word; cell (r,c) takes bit r+c (chapter 5, section 8, number 1).
  logic [8:1] flags = 0;
  always_ff @(posedge clk_i) flags <= {flags[7:1], prog_imm_i};

  silagonn dut (
    .clk(clk_i),
    .rst_n(edges[1]),
    .clk_input(8'b0),
    .rst_input(8'b0),
    .instr_ld(prog_valid_i),
    .instr_inp(prog_instr_i),
    .Immediate({flags, prog_imm_i}),
    .seq_address_rb(prog_row_sel_i),
    .seq_address_cb(prog_col_sel_i),
    .tb_en(sram_init_valid_i),
    .tb_addrs(sram_init_addr_i),
    .tb_inp(sram_init_data_i),
    .tb_ROW(sram_init_row_i),
    .tb_COL(sram_init_col_i),
    .clk_output(),
    .rst_output()
  );

  assign {io_in_en_o, io_in_addr_o, io_out_en_o, io_out_addr_o, io_out_data_o, io_out_mask_o} = '0;
  assign {cell_idle_o, all_idle_o, agu_busy_o} = '0;
endmodule

// The memory macro: a row is read or written at the rising edge while `ceb` is 0; `web` selects. It starts with 0.
module sram_model (
  input  slp, sd, clk, ceb, web, cebm, webm, awt,
  input  [6:0] a, am,
  input  [127:0] d, bweb, dm, bwebm,
  input  bist,
  output logic [127:0] q
);
  logic [127:0] rows[128];
  initial rows = '{default: '0};
  initial q = 0;
  always_ff @(posedge clk)
    if (!ceb) begin
      if (web) q <= rows[a];
      else rows[a] <= d & ~bweb | rows[a] & bweb;
    end
endmodule
