// SPDX-License-Identifier: MIT OR Apache-2.0
// Fabric top: 2 x Cols cells, the sliding window, Cols columns, DimarchRows x Cols tiles, the load
// pipeline and the status outputs (chapter 5, section 5).
`include "drra_assert.svh"

module drra_fabric
  import drra_state_pkg::*, drra_pkg::*;
#(
  parameter int unsigned Cols = 8,
  parameter int unsigned DimarchRows = 2,
  parameter int unsigned RfDepth = 64,
  parameter int unsigned SramDepth = 128,
  localparam int unsigned Cells = Rows * Cols,
  localparam int unsigned RowW = $clog2(DimarchRows + 1),
  localparam int unsigned ColW = idx_width(Cols),
  localparam int unsigned AddrW = $clog2(SramDepth),
  localparam int unsigned BlkAddrW = $clog2(RfDepth / BlockWords)
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  // Program load.
  input  logic                            prog_valid_i,
  input  logic [InstrW-1:0]               prog_instr_i,
  input  logic                            prog_imm_i,
  input  logic [Rows-1:0]                 prog_row_sel_i,
  input  logic [Cols-1:0]                 prog_col_sel_i,
  // SRAM initialisation; tile rows are counted from 1.
  input  logic                            sram_init_valid_i,
  input  logic [RowW-1:0]                 sram_init_row_i,
  input  logic [ColW-1:0]                 sram_init_col_i,
  input  logic [AddrW-1:0]                sram_init_addr_i,
  input  logic [BlockW-1:0]               sram_init_data_i,
  // Register file initialisation.
  input  logic                            rf_init_valid_i,
  input  logic                            rf_init_row_i,
  input  logic [ColW-1:0]                 rf_init_col_i,
  input  logic [BlkAddrW-1:0]             rf_init_block_i,
  input  logic [BlockW-1:0]               rf_init_data_i,
  // Straps, constant from before the end of reset on; bit r*Cols+c is that of cell (r,c).
  input  logic [Cells-1:0]                io_cell_i,
  // External buffers, one pair per column.
  output logic [Cols-1:0]                 io_in_en_o,
  output logic [Cols-1:0][BufAddrW-1:0]   io_in_addr_o,
  input  logic [Cols-1:0][BlockW-1:0]     io_in_data_i,
  output logic [Cols-1:0]                 io_out_en_o,
  output logic [Cols-1:0][BufAddrW-1:0]   io_out_addr_o,
  output logic [Cols-1:0][BlockW-1:0]     io_out_data_o,
  output logic [Cols-1:0][BlockWords-1:0] io_out_mask_o,
  // Status, combinational from registers.
  output logic [Cells-1:0]                cell_idle_o,
  output logic                            all_idle_o,
  output logic                            agu_busy_o
);
  // Load pipeline: one cell per cycle from cell (0,0) to the right and down //

  typedef struct packed {
    logic              valid;
    logic              imm;
    logic [InstrW-1:0] instr;
    logic [Rows-1:0]   row_sel;
    logic [Cols-1:0]   col_sel;
  } load_word_t;

  localparam int unsigned LoadStages = Rows + Cols - 2;
  load_word_t ld_pipe_q[LoadStages];
  load_word_t tap[LoadStages+1];
  logic [LoadStages-1:0] ld_valid;
  assign tap[0] = '{
      valid: prog_valid_i,
      imm: prog_imm_i,
      instr: prog_instr_i,
      row_sel: prog_row_sel_i,
      col_sel: prog_col_sel_i
    };
  for (genvar k = 0; k < LoadStages; k++) begin : gen_load
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) ld_pipe_q[k] <= '0;
      else ld_pipe_q[k] <= tap[k];
    end
    assign tap[k+1]    = ld_pipe_q[k];
    assign ld_valid[k] = ld_pipe_q[k].valid;
  end

  // A word reaches the next diagonal of cells one cycle later; no word is lost on the way.
  // verilog_format: off -- it breaks conditions of assertions at any operator
  `DRRA_CHECK_NEXT(WordsTravelCellByCell, 1'b1,
                   ld_valid == LoadStages'($past({ld_valid, prog_valid_i})))
  // verilog_format: on

  // Cells //

  logic [Cells-1:0][3:0][WordW-1:0] lane;
  logic [Cells-1:0][SwbInputs-1:0][WordW-1:0] vin;
  swb_sel_t [Cells-1:0][SwbInputs-1:0] swb_sel;
  logic [Cells-1:0] cell_busy;
  noc_issue_t [Cols-1:0][1:0] cell_noc;
  logic [Cols-1:0][1:0] blk_rd_en;
  logic [Cols-1:0][1:0][BlockW-1:0] blk_rdata, blk_wdata;
  logic [Cols-1:0][1:0][BlockWords-1:0] blk_wmask;

  for (genvar r = 0; r < Rows; r++) begin : gen_row
    for (genvar c = 0; c < Cols; c++) begin : gen_col
      drra_cell #(
        .RfDepth(RfDepth)
      ) u_cell (
        .clk_i,
        .rst_ni,
        .ld_valid_i     (tap[r+c].valid),
        .ld_match_i     (tap[r+c].row_sel[r] && tap[r+c].col_sel[c]),
        .ld_instr_i     (tap[r+c].instr),
        .ld_imm_i       (tap[r+c].imm),
        .io_cell_i      (io_cell_i[r*Cols+c]),
        .rf_init_we_i   (rf_init_valid_i && rf_init_row_i == 1'(r) && rf_init_col_i == ColW'(c)),
        .rf_init_block_i(rf_init_block_i),
        .rf_init_data_i (rf_init_data_i),
        .vin_i          (vin[r*Cols+c]),
        .swb_sel_o      (swb_sel[r*Cols+c]),
        .lane_o         (lane[r*Cols+c]),
        .blk_wdata_i    (blk_wdata[c][r]),
        .blk_wmask_i    (blk_wmask[c][r]),
        .blk_rdata_o    (blk_rdata[c][r]),
        .blk_rd_en_o    (blk_rd_en[c][r]),
        .cell_noc_o     (cell_noc[c][r]),
        .idle_o         (cell_idle_o[r*Cols+c]),
        .agu_busy_o     (cell_busy[r*Cols+c])
      );
    end
  end

  drra_interconnect #(
    .Cols(Cols)
  ) u_interconnect (
    .lane_i(lane),
    .sel_i (swb_sel),
    .vin_o (vin)
  );

  // Columns //

  logic [Cols-1:0] column_busy;
  logic [Cols-1:0][BlockW-1:0] up, tile_down;
  noc_msg_t [Cols-1:0] col_noc;
  for (genvar c = 0; c < Cols; c++) begin : gen_column
    drra_column u_column (
      .clk_i,
      .rst_ni,
      .cell_noc_i   (cell_noc[c]),
      .blk_rd_en_i  (blk_rd_en[c]),
      .blk_rdata_i  (blk_rdata[c]),
      .blk_wdata_o  (blk_wdata[c]),
      .blk_wmask_o  (blk_wmask[c]),
      .tile_down_i  (tile_down[c]),
      .up_o         (up[c]),
      .col_noc_o    (col_noc[c]),
      .io_in_en_o   (io_in_en_o[c]),
      .io_in_addr_o (io_in_addr_o[c]),
      .io_in_data_i (io_in_data_i[c]),
      .io_out_en_o  (io_out_en_o[c]),
      .io_out_addr_o(io_out_addr_o[c]),
      .io_out_data_o(io_out_data_o[c]),
      .io_out_mask_o(io_out_mask_o[c]),
      .agu_busy_o   (column_busy[c])
    );
  end

  // Tiles //

  localparam int unsigned Tiles = DimarchRows * Cols;
  logic [Tiles-1:0] tile_busy;
  noc_msg_t [Tiles-1:0] msg_v, msg_h;
  seg_req_t [Tiles-1:0] req_e, req_n;
  seg_dir_e seg_w[Tiles];
  seg_dir_e seg_s[Tiles];
  logic [Sides-1:0][BlockW-1:0] tile_data[Tiles];

  // The initialisation port as a tile sees it.
  typedef struct packed {
    logic              en;
    logic [RowW-1:0]   row;
    logic [ColW-1:0]   col;
    logic [AddrW-1:0]  addr;
    logic [BlockW-1:0] data;
  } init_t;
  init_t init[Tiles];

  for (genvar t = 1; t <= DimarchRows; t++) begin : gen_tile_row
    for (genvar c = 0; c < Cols; c++) begin : gen_tile_col
      localparam int unsigned I = (t - 1) * Cols + c;
      localparam bit HasN = t < DimarchRows;
      localparam bit HasS = t > 1;
      localparam bit HasE = c < Cols - 1;
      localparam bit HasW = c > 0;

      noc_msg_t [Sides-1:0] msg;
      logic [Sides-1:0][BlockW-1:0] data;
      seg_req_t req_w, req_s;
      seg_dir_e segdir_e, segdir_n;

      if (HasN) begin : gen_north
        assign msg[SideN]  = msg_v[I+Cols];
        assign data[SideN] = tile_data[I+Cols][SideS];
        assign segdir_n    = seg_s[I+Cols];
      end else begin : gen_no_north
        assign msg[SideN]  = '0;
        assign data[SideN] = '0;
        assign segdir_n    = SegClosed;
      end
      if (HasS) begin : gen_south
        assign msg[SideS]  = msg_v[I-Cols];
        assign data[SideS] = tile_data[I-Cols][SideN];
        assign req_s       = req_n[I-Cols];
      end else begin : gen_home
        assign msg[SideS]   = col_noc[c];
        assign data[SideS]  = up[c];
        assign req_s        = '{valid: 1'b1, dir: SegAhead};
        assign tile_down[c] = tile_data[I][SideS];
      end
      if (HasE) begin : gen_east
        assign msg[SideE]  = msg_h[I+1];
        assign data[SideE] = tile_data[I+1][SideW];
        assign segdir_e    = seg_w[I+1];
      end else begin : gen_no_east
        assign msg[SideE]  = '0;
        assign data[SideE] = '0;
        assign segdir_e    = SegClosed;
      end
      if (HasW) begin : gen_west
        assign msg[SideW]  = msg_h[I-1];
        assign data[SideW] = tile_data[I-1][SideE];
        assign req_w       = req_e[I-1];
      end else begin : gen_no_west
        assign msg[SideW]  = '0;
        assign data[SideW] = '0;
        assign req_w       = '{valid: 1'b0, dir: SegClosed};
      end

      // Initialisation chain: along the home row, then up every column.
      init_t seen;
      if (I == 0) begin : gen_init_port
        assign seen = '{
            en: sram_init_valid_i,
            row: sram_init_row_i,
            col: sram_init_col_i,
            addr: sram_init_addr_i,
            data: sram_init_data_i
          };
      end else begin : gen_init_chain
        assign seen = init[HasS ? I - Cols : I - 1];
      end

      drra_tile #(
        .SramDepth  (SramDepth),
        .DimarchRows(DimarchRows),
        .Cols       (Cols)
      ) u_tile (
        .clk_i,
        .rst_ni,
        .row_i     (RowW'(t)),
        .col_i     (ColW'(c)),
        .msg_i     (msg),
        .msg_v_o   (msg_v[I]),
        .msg_h_o   (msg_h[I]),
        .req_w_i   (req_w),
        .req_s_i   (req_s),
        .req_e_o   (req_e[I]),
        .req_n_o   (req_n[I]),
        .segdir_e_i(segdir_e),
        .segdir_n_i(segdir_n),
        .segdir_w_o(seg_w[I]),
        .segdir_s_o(seg_s[I]),
        .data_i    (data),
        .data_o    (tile_data[I]),
        .init_i    (seen),
        .init_o    (init[I]),
        .agu_busy_o(tile_busy[I])
      );
    end
  end

  // Status //

  assign all_idle_o = (&cell_idle_o) && !(|ld_valid);
  assign agu_busy_o = (|cell_busy) || (|column_busy) || (|tile_busy);

  `DRRA_ASSERT_INIT(ColumnsSupported, Cols >= 2)
  `DRRA_ASSERT_INIT(TileRowsSupported, DimarchRows >= 1)
endmodule
