// SPDX-License-Identifier: MIT OR Apache-2.0
// One DiMArch tile: instruction NoC, data crossbar, two address generators, memory and the
// initialisation chain (chapter 6).
`include "drra_assert.svh"

module drra_tile
  import drra_isa_pkg::*, drra_state_pkg::*, drra_pkg::*;
#(
  parameter int unsigned SramDepth = 128,
  parameter int unsigned DimarchRows = 2,
  parameter int unsigned Cols = 8,
  localparam int unsigned RowW = $clog2(DimarchRows + 1),
  localparam int unsigned ColW = idx_width(Cols),
  localparam int unsigned AddrW = $clog2(SramDepth),
  localparam type init_t = struct packed {
    logic              en;
    logic [RowW-1:0]   row;
    logic [ColW-1:0]   col;
    logic [AddrW-1:0]  addr;
    logic [BlockW-1:0] data;
  }
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  // Constant coordinates.
  input  logic [RowW-1:0]              row_i,
  input  logic [ColW-1:0]              col_i,
  // Instruction NoC.
  input  noc_msg_t [Sides-1:0]         msg_i,
  output noc_msg_t                     msg_v_o,  // to the north and south neighbours
  output noc_msg_t                     msg_h_o,  // to the east and west neighbours
  input  seg_req_t                     req_w_i,  // request of the west neighbour for seg_w
  input  seg_req_t                     req_s_i,  // request of the south neighbour for seg_s
  output seg_req_t                     req_e_o,
  output seg_req_t                     req_n_o,
  input  seg_dir_e                     segdir_e_i,
  input  seg_dir_e                     segdir_n_i,
  output seg_dir_e                     segdir_w_o,
  output seg_dir_e                     segdir_s_o,
  // Data.
  input  logic [Sides-1:0][BlockW-1:0] data_i,
  output logic [Sides-1:0][BlockW-1:0] data_o,   // registers
  // Initialisation chain: input as seen here, output registered for the next tiles.
  input  init_t                        init_i,
  output init_t                        init_o,
  output logic                         agu_busy_o
);
  // The initialisation port as this tile sees it //
  typedef struct packed {
    logic             en;
    logic [RowW-1:0]  row;
    logic [ColW-1:0]  col;
    logic [AddrW-1:0] addr;
  } init_place_t;

  logic init_en;
  logic [RowW-1:0] init_row;
  logic [ColW-1:0] init_col;
  logic [AddrW-1:0] init_addr;
  logic [BlockW-1:0] init_data;
  assign {init_en, init_row, init_col, init_addr, init_data} = init_i;

  // Bus segments //
  tile_segs_t segs_q, segs_d;
  seg_dir_e [Sides-1:0] segdir;
  assign segdir[SideN] = segdir_n_i;
  assign segdir[SideS] = segs_q.seg_s;
  assign segdir[SideE] = segdir_e_i;
  assign segdir[SideW] = segs_q.seg_w;

  // Messages on segments that point into the tile //
  noc_msg_t [Sides-1:0] rx;
  assign rx[SideN] = (segdir[SideN] == SegBack) ? msg_i[SideN] : '0;
  assign rx[SideS] = (segdir[SideS] == SegAhead) ? msg_i[SideS] : '0;
  assign rx[SideE] = (segdir[SideE] == SegBack) ? msg_i[SideE] : '0;
  assign rx[SideW] = (segdir[SideW] == SegAhead) ? msg_i[SideW] : '0;

  // Sides //
  logic [Sides-1:0] got, ends;
  side_e [Sides-1:0] exit_side;
  xbar_e [Sides-1:0] from, to;
  side_path_t [Sides-1:0] path;
  noc_msg_t [Sides-1:0] fwd;
  sram_take_t [Sides-1:0] take;
  for (genvar x = 0; x < Sides; x++) begin : gen_side
    drra_noc_side #(
      .Side(x)
    ) u_side (
      .clk_i,
      .rst_ni,
      .rx_i       (rx[x]),
      .any_route_i(|got),
      .got_o      (got[x]),
      .ends_o     (ends[x]),
      .exit_o     (exit_side[x]),
      .from_o     (from[x]),
      .to_o       (to[x]),
      .path_o     (path[x]),
      .fwd_o      (fwd[x]),
      .agu_o      (take[x])
    );
  end

  // Requests for the four segments (6.3). The order of precedence, highest first, is N, W, E, S.
  // Sides are tried in the reverse order, so that the last assignment wins.
  seg_req_t [Sides-1:0] ask;
  localparam side_e RoutePrecedence[Sides] = '{SideN, SideW, SideE, SideS};
  always_comb begin
    automatic side_e x = SideN;
    ask = '0;  // no request: SegClosed is 0
    if (|got) begin
      for (int unsigned y = 0; y < Sides; y++) begin
        ask[y] = '{valid: !got[y], dir: SegClosed};
        for (int i = Sides - 1; i >= 0; i--) begin
          x = RoutePrecedence[i];
          if (got[x] && !ends[x] && exit_side[x] == side_e'(y)) begin
            ask[y] = '{
              valid: 1'b1,
              dir: (exit_side[x] inside {SideN, SideE}) ? SegAhead : SegBack
            };
          end else if (got[x] && ends[x] && x == side_e'(y)) begin
            ask[y] = '{valid: 1'b1, dir: segdir[x]};
          end
        end
      end
    end
  end
  assign req_e_o = ask[SideE];
  assign req_n_o = ask[SideN];

  always_comb begin
    segs_d = segs_q;
    if (req_w_i.valid) segs_d.seg_w = req_w_i.dir;
    else if (ask[SideW].valid) segs_d.seg_w = ask[SideW].dir;
    if (req_s_i.valid) segs_d.seg_s = req_s_i.dir;
    else if (ask[SideS].valid) segs_d.seg_s = ask[SideS].dir;
  end
  assign segdir_w_o = segs_q.seg_w;
  assign segdir_s_o = segs_q.seg_s;

  // Messages out (6.5): first of W, E, S, N with vsel or hsel //
  localparam side_e OutPrecedence[Sides] = '{SideW, SideE, SideS, SideN};
  always_comb begin
    msg_v_o = '0;
    msg_h_o = '0;
    for (int i = Sides - 1; i >= 0; i--) begin
      if (path[OutPrecedence[i]].vsel) msg_v_o = fwd[OutPrecedence[i]];
      if (path[OutPrecedence[i]].hsel) msg_h_o = fwd[OutPrecedence[i]];
    end
  end

  // Crossbar connection: first of S, N, E, W with a ROUTE //
  localparam side_e ConnectPrecedence[Sides] = '{SideS, SideN, SideE, SideW};
  xbar_e connect_from, connect_to;
  always_comb begin
    connect_from = XbarNone;
    connect_to   = XbarMem;
    for (int i = Sides - 1; i >= 0; i--) begin
      if (got[ConnectPrecedence[i]]) begin
        connect_from = from[ConnectPrecedence[i]];
        connect_to   = to[ConnectPrecedence[i]];
      end
    end
  end

  // Address generators: first of S, W, E, N with a configuration //
  localparam side_e TakePrecedence[Sides] = '{SideS, SideW, SideE, SideN};
  logic rd_new, wr_new, rd_en, wr_en, rd_busy, wr_busy;
  sram_cfg_t rd_cfg, wr_cfg, unused_rd_cfg, unused_wr_cfg;
  logic [AddrW-1:0] rd_addr, wr_addr;
  always_comb begin
    {rd_new, wr_new} = 2'b00;
    rd_cfg           = '0;
    wr_cfg           = '0;
    for (int i = Sides - 1; i >= 0; i--) begin
      if (take[TakePrecedence[i]].valid) begin
        if (take[TakePrecedence[i]].rw == SRAM_RW_W) begin
          wr_new = 1'b1;
          wr_cfg = take[TakePrecedence[i]].cfg;
        end else begin
          rd_new = 1'b1;
          rd_cfg = take[TakePrecedence[i]].cfg;
        end
      end
    end
  end

  drra_pattern_agu #(
    .AddrW(AddrW)
  ) u_rd (
    .clk_i,
    .rst_ni,
    .new_valid_i(rd_new),
    .new_cfg_i  (rd_cfg),
    .en_o       (rd_en),
    .addr_o     (rd_addr),
    .cfg_o      (unused_rd_cfg),
    .busy_o     (rd_busy)
  );

  drra_pattern_agu #(
    .AddrW(AddrW)
  ) u_wr (
    .clk_i,
    .rst_ni,
    .new_valid_i(wr_new),
    .new_cfg_i  (wr_cfg),
    .en_o       (wr_en),
    .addr_o     (wr_addr),
    .cfg_o      (unused_wr_cfg),
    .busy_o     (wr_busy)
  );
  assign agu_busy_o = rd_busy || wr_busy;

  // Data crossbar and memory //
  logic [XbarOuts-1:0][BlockW-1:0] xout;
  logic [BlockW-1:0] mem_rdata;
  logic init_hit, unused_rvalid;

  drra_crossbar u_xbar (
    .clk_i,
    .rst_ni,
    .connect_i(|got),
    .from_i   (connect_from),
    .to_i     (connect_to),
    .data_i,
    .mem_i    (mem_rdata),
    .xout_o   (xout)
  );
  assign data_o = xout[Sides-1:0];

  assign init_hit = init_en && init_row == row_i && init_col == col_i;
  drra_sram #(
    .SramDepth(SramDepth)
  ) u_mem (
    .clk_i,
    .rst_ni,
    .re_i    (rd_en),
    .ra_i    (rd_addr),
    .we_i    (init_hit || wr_en),
    .wa_i    (init_hit ? init_addr : wr_addr),
    .wd_i    (init_hit ? init_data : xout[XbarMem]),
    .rvalid_o(unused_rvalid),
    .rdata_o (mem_rdata)
  );

  // Registers //
  init_place_t init_q;
  logic [BlockW-1:0] init_data_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      segs_q      <= '{seg_w: SegClosed, seg_s: SegClosed};
      init_q      <= '0;
      init_data_q <= '0;
    end else begin
      segs_q      <= segs_d;
      init_q      <= '{en: init_en, row: init_row, col: init_col, addr: init_addr};
      init_data_q <= init_data;
    end
  end
  assign init_o = {init_q, init_data_q};

  `DRRA_ASSERT_INIT(DepthSupported, SramDepth >= 2 && SramDepth == (1 << AddrW))
  `DRRA_ASSERT(SegmentDirectionLegal, segs_q.seg_w <= SegAhead && segs_q.seg_s <= SegAhead)
  `DRRA_CHECK_STABLE(WestSegmentHoldsWithoutRequest, !req_w_i.valid && !ask[SideW].valid,
                     segs_q.seg_w)
  `DRRA_CHECK_STABLE(SouthSegmentHoldsWithoutRequest, !req_s_i.valid && !ask[SideS].valid,
                     segs_q.seg_s)
  `DRRA_CHECK_NEXT(HomeSegmentStaysOpen, row_i == RowW'(1), segs_q.seg_s == SegAhead)
  `DRRA_CHECK_NEXT(NeighbourClosesWestSegment, req_w_i.valid && req_w_i.dir == SegClosed,
                   segs_q.seg_w == SegClosed)
  `DRRA_CHECK(NothingEntersAgainstASegment, segs_q.seg_w == SegAhead || !rx[SideW].valid)
  `DRRA_CHECK_NEXT(InitialisationTravelsOn, init_en, init_q.en)
  `DRRA_COVER(NeighbourWinsWestSegment, req_w_i.valid && ask[SideW].valid)
  `DRRA_COVER(RoutesMeet, !$onehot0(got))
  `DRRA_COVER(InitialisationMeetsWrite, init_hit && wr_en)
  `DRRA_COVER(InitialisationPassesBy, init_en && !init_hit)
endmodule
