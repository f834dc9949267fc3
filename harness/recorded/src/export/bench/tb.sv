// SPDX-License-Identifier: MIT OR Apache-2.0
// Test bench: drives a fabric with stimulus.txt and buffers.txt from the current folder and dumps a waveform.
//
// One process generates the clock and all inputs. Inputs change at the falling edge; the rising edge, half a
// period later, ends the cycle. Reset is low for the first four rising edges. Adapt the instance `dut`
// to the names of your design; everything else can stay.
`timescale 1ns / 1ps
module tb;
  localparam integer Cols         = {{COLS}};
  localparam integer TileRows     = {{TILE_ROWS}};
  localparam integer RfDepth      = {{RF_DEPTH}};  // words of a register file
  localparam integer SramDepth    = {{SRAM_DEPTH}};  // blocks of a tile
  localparam integer BufferBlocks = {{BUFFER_BLOCKS}};  // room for the contents of the input buffers
  localparam integer HalfPeriod   = 5;
  localparam integer ResetEdges   = 4;

  // Ports of the fabric //

  reg                  clk;
  reg                  rst_n;
  reg  [2*Cols-1:0]    io_cell;
  reg                  prog_valid;
  reg  [26:0]          prog_instr;
  reg                  prog_imm;
  reg  [1:0]           prog_row_sel;
  reg  [Cols-1:0]      prog_col_sel;
  reg                  sram_init_valid;
  reg  [{{TILE_ROW_BITS}}-1:0]         sram_init_row;
  reg  [{{COL_BITS}}-1:0]         sram_init_col;
  reg  [{{SRAM_ADDR_BITS}}-1:0]         sram_init_addr;
  reg  [255:0]         sram_init_data;
  reg                  rf_init_valid;
  reg                  rf_init_row;
  reg  [{{COL_BITS}}-1:0]         rf_init_col;
  reg  [{{RF_BLOCK_BITS}}-1:0]         rf_init_block;
  reg  [255:0]         rf_init_data;
  wire [Cols-1:0]      io_in_en;       // all columns concatenated, column 0 in the lowest bits
  wire [Cols*25-1:0]   io_in_addr;
  reg  [Cols*256-1:0]  io_in_data;
  wire [Cols-1:0]      io_out_en;
  wire [Cols*25-1:0]   io_out_addr;
  wire [Cols*256-1:0]  io_out_data;
  wire [Cols*16-1:0]   io_out_mask;
  wire [2*Cols-1:0]    cell_idle;
  wire                 all_idle;
  wire                 agu_busy;

`ifndef DUT_WITHOUT_PARAMETERS
  drra_fabric #(
    .Cols       (Cols),
    .DimarchRows(TileRows),
    .RfDepth    (RfDepth),
    .SramDepth  (SramDepth)
  ) dut (
`else
  drra_fabric dut (
`endif
    .clk_i            (clk),
    .rst_ni           (rst_n),
    .prog_valid_i     (prog_valid),
    .prog_instr_i     (prog_instr),
    .prog_imm_i       (prog_imm),
    .prog_row_sel_i   (prog_row_sel),
    .prog_col_sel_i   (prog_col_sel),
    .sram_init_valid_i(sram_init_valid),
    .sram_init_row_i  (sram_init_row),
    .sram_init_col_i  (sram_init_col),
    .sram_init_addr_i (sram_init_addr),
    .sram_init_data_i (sram_init_data),
    .rf_init_valid_i  (rf_init_valid),
    .rf_init_row_i    (rf_init_row),
    .rf_init_col_i    (rf_init_col),
    .rf_init_block_i  (rf_init_block),
    .rf_init_data_i   (rf_init_data),
    .io_cell_i        (io_cell),
    .io_in_en_o       (io_in_en),
    .io_in_addr_o     (io_in_addr),
    .io_in_data_i     (io_in_data),
    .io_out_en_o      (io_out_en),
    .io_out_addr_o    (io_out_addr),
    .io_out_data_o    (io_out_data),
    .io_out_mask_o    (io_out_mask),
    .cell_idle_o      (cell_idle),
    .all_idle_o       (all_idle),
    .agu_busy_o       (agu_busy)
  );

  // Input buffers: a request in one cycle is answered in the next cycle //

  // verilator tracing_off
  integer              blocks;
  integer              block_col  [0:BufferBlocks-1];
  reg  [24:0]          block_addr [0:BufferBlocks-1];
  reg  [255:0]         block_data [0:BufferBlocks-1];
  reg  [Cols*256-1:0]  answers;
  // verilator tracing_on

  task load_buffers;
    integer file, found;
    begin
      open("buffers.txt", file);
      blocks = 0;
      found = 3;
      while (found == 3 && blocks < BufferBlocks) begin
        found = $fscanf(file, "%d %h %h", block_col[blocks], block_addr[blocks],
                        block_data[blocks]);
        if (found == 3) blocks = blocks + 1;
      end
      if (found > 0 || !$feof(file)) begin
        $display("buffers.txt: block %0d is not complete, or there are more than %0d blocks", blocks,
                 BufferBlocks - 1);
        $fatal;
      end
      $fclose(file);
    end
  endtask

  // Notes the requests that are on the ports just before the edge.
  task note_requests;
    integer column, i;
    begin
      answers = 0;
      for (column = 0; column < Cols; column = column + 1) begin
        if (io_in_en[column] === 1'b1) begin
          for (i = 0; i < blocks; i = i + 1) begin
            if (block_col[i] == column && block_addr[i] === io_in_addr[column*25 +: 25]) begin
              answers[column*256 +: 256] = block_data[i];
            end
          end
        end
      end
    end
  endtask

  // Stimulus //

  integer stimulus, cycle, count;
  integer cycles;  // driven so far
  reg     more;

  // Opens a file in the current folder and skips the comments at its start.
  task open(input [8*16-1:0] name, output integer file);
    integer character;
    begin
      file = $fopen(name, "r");
      if (file == 0) begin
        $display("%0s: cannot be read", name);
        $fatal;
      end
      character = $fgetc(file);
      while (character == "#") begin
        while (character != 10 && character >= 0) character = $fgetc(file);
        character = $fgetc(file);
      end
      if (character >= 0) character = $ungetc(character, file);
    end
  endtask

  // Puts the next line on the ports; `more` is 0 at the end of the file.
  task drive_line;
    integer found, character;
    begin
      found = $fscanf(stimulus, "%d %d %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h",
        cycle, count, io_cell, prog_valid, prog_instr, prog_imm, prog_row_sel, prog_col_sel,
        sram_init_valid, sram_init_row, sram_init_col, sram_init_addr, sram_init_data,
        rf_init_valid, rf_init_row, rf_init_col, rf_init_block, rf_init_data);
      more = found == 18;
      character = more ? $fgetc(stimulus) : 10;
      if (more ? !(cycle == cycles && count > 0 && character == 10)
               : (found > 0 || !$feof(stimulus))) begin
        $display("stimulus.txt: no complete line for cycle %0d", cycles);
        $fatal;
      end
    end
  endtask

  task drive_nothing;
    begin
      prog_valid = 0;
      prog_instr = 0;
      prog_imm = 0;
      prog_row_sel = 0;
      prog_col_sel = 0;
      sram_init_valid = 0;
      sram_init_row = 0;
      sram_init_col = 0;
      sram_init_addr = 0;
      sram_init_data = 0;
      rf_init_valid = 0;
      rf_init_row = 0;
      rf_init_col = 0;
      rf_init_block = 0;
      rf_init_data = 0;
    end
  endtask

  // One cycle of the clock, from falling edge to falling edge.
  task tick;
    begin
      #HalfPeriod;
      note_requests;
      clk = 1;
      #HalfPeriod;
      clk = 0;
      io_in_data = answers;
    end
  endtask

  initial begin
`ifdef DUMP_FST
    $dumpfile("dump.fst");
`else
    $dumpfile("dump.vcd");
`endif
    $dumpvars(0, tb);
    load_buffers;
    clk = 0;
    rst_n = 0;
    io_in_data = 0;
    cycles = 0;
    open("stimulus.txt", stimulus);
    // In reset, only the straps of the first line are driven; the line is read again afterwards.
    drive_line;
    drive_nothing;
    repeat (ResetEdges) tick;
    $fclose(stimulus);
    open("stimulus.txt", stimulus);
    rst_n = 1;
    drive_line;
    while (more) begin
      repeat (count) tick;
      cycles = cycles + count;
      drive_line;
    end
    $display("%0d cycles after reset", cycles);
    $finish;
  end
endmodule
