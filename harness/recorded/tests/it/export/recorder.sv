// SPDX-License-Identifier: MIT OR Apache-2.0
// The design of recorder.vhd in SystemVerilog: writes its inputs into recorded.txt.
module drra_fabric #(
  parameter Cols        = 8,
  parameter DimarchRows = 2,
  parameter RfDepth     = 64,
  parameter SramDepth   = 128
) (
  input                                    clk_i,
  input                                    rst_ni,
  input                                    prog_valid_i,
  input      [26:0]                        prog_instr_i,
  input                                    prog_imm_i,
  input      [1:0]                         prog_row_sel_i,
  input      [Cols-1:0]                    prog_col_sel_i,
  input                                    sram_init_valid_i,
  input      [$clog2(DimarchRows+1)-1:0]   sram_init_row_i,
  input      [$clog2(Cols)-1:0]            sram_init_col_i,
  input      [$clog2(SramDepth)-1:0]       sram_init_addr_i,
  input      [255:0]                       sram_init_data_i,
  input                                    rf_init_valid_i,
  input                                    rf_init_row_i,
  input      [$clog2(Cols)-1:0]            rf_init_col_i,
  input      [$clog2(RfDepth/16)-1:0]      rf_init_block_i,
  input      [255:0]                       rf_init_data_i,
  input      [2*Cols-1:0]                  io_cell_i,
  output     [Cols-1:0]                    io_in_en_o,
  output reg [Cols*25-1:0]                 io_in_addr_o,
  input      [Cols*256-1:0]                io_in_data_i,
  output     [Cols-1:0]                    io_out_en_o,
  output     [Cols*25-1:0]                 io_out_addr_o,
  output     [Cols*256-1:0]                io_out_data_o,
  output     [Cols*16-1:0]                 io_out_mask_o,
  output     [2*Cols-1:0]                  cell_idle_o,
  output                                   all_idle_o,
  output                                   agu_busy_o
);
  assign io_in_en_o    = {Cols{rst_ni}};
  assign io_out_en_o   = 0;
  assign io_out_addr_o = 0;
  assign io_out_data_o = 0;
  assign io_out_mask_o = 0;
  assign cell_idle_o   = 0;
  assign all_idle_o    = 0;
  assign agu_busy_o    = 0;

  integer cycle, file, c, k;
  initial begin
    cycle = 0;
    file = $fopen("recorded.txt", "w");
  end

  always @* begin
    for (c = 0; c < Cols; c = c + 1) io_in_addr_o[c*25 +: 25] = (4 * cycle + c) % 16;
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      $fwrite(file, "%h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h ", io_cell_i, prog_valid_i,
        prog_instr_i, prog_imm_i, prog_row_sel_i, prog_col_sel_i, sram_init_valid_i, sram_init_row_i,
        sram_init_col_i, sram_init_addr_i, sram_init_data_i, rf_init_valid_i, rf_init_row_i,
        rf_init_col_i, rf_init_block_i, rf_init_data_i);
      for (k = 0; k < Cols; k = k + 1) $fwrite(file, "%h ", io_in_data_i[k*256 +: 256]);
      $fwrite(file, "\n");
      cycle <= cycle + 1;
    end
  end
endmodule
