// SPDX-License-Identifier: MIT OR Apache-2.0
// Attachment of the two cells of a column to DiMArch, with the I/O unit (chapter 5, 4.1, and
// chapter 7, A4). Row 0 takes precedence in every selection.
`include "drra_assert.svh"

module drra_column
  import drra_isa_pkg::*, drra_state_pkg::*, drra_pkg::*;
(
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // cells, index = row
  input  noc_issue_t [1:0]           cell_noc_i,
  input  logic [1:0]                 blk_rd_en_i,
  input  logic [1:0][BlockW-1:0]     blk_rdata_i,
  output logic [1:0][BlockW-1:0]     blk_wdata_o,
  output logic [1:0][BlockWords-1:0] blk_wmask_o,
  // home tile
  input  logic [BlockW-1:0]          tile_down_i,  // xout[S] of tile (1, c), a register
  output logic [BlockW-1:0]          up_o,
  output noc_msg_t                   col_noc_o,
  // external buffers
  output logic                       io_in_en_o,
  output logic [BufAddrW-1:0]        io_in_addr_o,
  input  logic [BlockW-1:0]          io_in_data_i,
  output logic                       io_out_en_o,
  output logic [BufAddrW-1:0]        io_out_addr_o,
  output logic [BlockW-1:0]          io_out_data_o,
  output logic [BlockWords-1:0]      io_out_mask_o,
  output logic                       agu_busy_o
);
  // Messages //
  io_msg_t col_io, io_msg_q;
  always_comb begin
    col_noc_o = '0;
    col_io    = '0;
    for (int r = 1; r >= 0; r--) begin
      if (cell_noc_i[r].valid && cell_noc_i[r].kind == KindIo) begin
        col_io = '{valid: 1'b1, payload: cell_noc_i[r].payload.io};
      end else if (cell_noc_i[r].valid) begin
        col_noc_o = '{
          valid: 1'b1,
          kind: cell_noc_i[r].kind,
          payload: cell_noc_i[r].payload.narrow.noc
        };
      end
    end
  end

  // I/O address generators //
  logic rd_en, wr_en, rd_busy, wr_busy;
  logic [BufAddrW-1:0] rd_addr, wr_addr;
  logic [BlockWords-1:0] rd_mask, wr_mask;
  io_cfg_t rd_pattern, wr_pattern;

  drra_pattern_agu #(
    .cfg_t    (io_cfg_t),
    .state_t  (io_agu_t),
    .TwoLevels(1'b0),
    .AddrW    (BufAddrW)
  ) u_io_rd (
    .clk_i,
    .rst_ni,
    .new_valid_i(io_msg_q.valid && io_msg_q.payload.rw == IO_RW_R),
    .new_cfg_i  (io_msg_q.payload.cfg),
    .en_o       (rd_en),
    .addr_o     (rd_addr),
    .cfg_o      (rd_pattern),
    .busy_o     (rd_busy)
  );

  drra_pattern_agu #(
    .cfg_t    (io_cfg_t),
    .state_t  (io_agu_t),
    .TwoLevels(1'b0),
    .AddrW    (BufAddrW)
  ) u_io_wr (
    .clk_i,
    .rst_ni,
    .new_valid_i(io_msg_q.valid && io_msg_q.payload.rw == IO_RW_W),
    .new_cfg_i  (io_msg_q.payload.cfg),
    .en_o       (wr_en),
    .addr_o     (wr_addr),
    .cfg_o      (wr_pattern),
    .busy_o     (wr_busy)
  );
  assign agu_busy_o = rd_busy || wr_busy;
  assign rd_mask    = rd_pattern.mask;
  assign wr_mask    = wr_pattern.mask;

  logic unused_pattern;
  assign unused_pattern = ^{rd_pattern, wr_pattern};

  // Data //
  io_flow_t io_flow_q, io_flow_d;
  logic [BlockW-1:0] io_rdata_q, io_rdata_d, io_wdata_q, io_wdata_d, blk_in_row1_q;
  logic [BlockW-1:0] rf_up, down;
  logic [BlockWords-1:0] blk_in_mask_row1_q, down_mask;
  logic rf_up_valid;

  assign rf_up_valid = |blk_rd_en_i;
  assign rf_up       = blk_rd_en_i[0] ? blk_rdata_i[0] : blk_rdata_i[1];
  assign up_o        = rf_up_valid ? rf_up : io_flow_q.io_rvalid ? io_rdata_q : '0;
  assign down        = io_flow_q.io_rvalid ? io_rdata_q : tile_down_i;
  assign down_mask   = io_flow_q.io_rvalid ? io_flow_q.io_rmask : '0;

  assign io_flow_d = '{
      io_pend: rd_en,
      io_pmask: rd_en ? rd_mask : '0,
      io_rvalid: io_flow_q.io_pend,
      io_rmask: io_flow_q.io_pmask
    };
  // Masked words are 0.
  always_comb begin
    io_rdata_d    = '0;
    io_out_data_o = '0;
    if (io_flow_q.io_pend) begin
      for (int unsigned w = 0; w < BlockWords; w++) begin
        if (!io_flow_q.io_pmask[w]) io_rdata_d[16*w +: 16] = io_in_data_i[16*w +: 16];
      end
    end
    if (wr_en) begin
      for (int unsigned w = 0; w < BlockWords; w++) begin
        if (!wr_mask[w]) io_out_data_o[16*w +: 16] = io_wdata_q[16*w +: 16];
      end
    end
  end
  assign io_wdata_d = rf_up_valid ? rf_up : tile_down_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      io_msg_q           <= '0;
      io_flow_q          <= '0;
      io_rdata_q         <= '0;
      io_wdata_q         <= '0;
      blk_in_row1_q      <= '0;
      blk_in_mask_row1_q <= '0;
    end else begin
      io_msg_q           <= col_io;
      io_flow_q          <= io_flow_d;
      io_rdata_q         <= io_rdata_d;
      io_wdata_q         <= io_wdata_d;
      blk_in_row1_q      <= down;
      blk_in_mask_row1_q <= down_mask;
    end
  end

  assign blk_wdata_o = {blk_in_row1_q, down};
  assign blk_wmask_o = {blk_in_mask_row1_q, down_mask};

  assign io_in_en_o    = rd_en;
  assign io_in_addr_o  = rd_en ? rd_addr : '0;
  assign io_out_en_o   = wr_en;
  assign io_out_addr_o = wr_en ? wr_addr : '0;
  assign io_out_mask_o = wr_en ? wr_mask : '0;

  // Messages //
  `DRRA_ASSERT(NoBlockWithoutRequest, io_flow_q.io_rvalid || (io_rdata_q == '0))
  `DRRA_ASSERT(NoIoMessageIsZero, io_msg_q.valid || (io_msg_q == '0))
  // verilog_format: off -- it breaks conditions of assertions at any operator
  `DRRA_CHECK(OnlyTileMessagesGoUp, !col_noc_o.valid ||
              (col_noc_o.kind inside {KindRoute, KindSram}))
  `DRRA_CHECK(Row0WinsMessages, !cell_noc_i[0].valid ||
              (cell_noc_i[0].kind == KindIo
               ? col_io.payload == cell_noc_i[0].payload.io
               : col_noc_o.payload == cell_noc_i[0].payload.narrow.noc))
  `DRRA_CHECK_NEXT(IoMessageIsKept, col_io.valid, io_msg_q.valid)

  // Blocks on their way from the buffer //
  `DRRA_CHECK(NoMaskWithoutRequest, (io_flow_q.io_pend || (io_flow_q.io_pmask == '0)) &&
                                    (io_flow_q.io_rvalid || (io_flow_q.io_rmask == '0)))
  `DRRA_CHECK_NEXT(EveryRequestIsAnswered, 1'b1, io_flow_q.io_pend == $past(rd_en) &&
                   io_flow_q.io_rvalid == $past(io_flow_q.io_pend) &&
                   io_flow_q.io_rmask == $past(io_flow_q.io_pmask))
  `DRRA_COVER(Row0WinsOverRow1, cell_noc_i[0].valid && cell_noc_i[1].valid)
  `DRRA_COVER(IoMessage, io_msg_q.valid)
  `DRRA_COVER(BlockEnters, io_flow_q.io_rvalid)
  `DRRA_COVER(BlockLeaves, wr_en)
  `DRRA_COVER(CellGoesBeforeBuffer, io_flow_q.io_rvalid && rf_up_valid)
endmodule
