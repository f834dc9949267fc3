// SPDX-License-Identifier: MIT OR Apache-2.0
// One DiMArch tile: instruction NoC, data crossbar, two address generators, memory and the
// initialisation chain (chapter 6).
module drra_tile #(
  parameter int unsigned SramDepth   = 128,
  parameter int unsigned DimarchRows = 2,
  parameter int unsigned Cols        = 8,
  localparam int unsigned RowW  = $clog2(DimarchRows + 1),
  localparam int unsigned ColW  = drra_pkg::idx_width(Cols),
  localparam int unsigned AddrW = $clog2(SramDepth),
  localparam type init_t = struct packed {
    logic                        en;
    logic [RowW-1:0]             row;
    logic [ColW-1:0]             col;
    logic [AddrW-1:0]            addr;
    logic [drra_pkg::BlockW-1:0] data;
  }
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // Coordinates, constant.
  input  logic [RowW-1:0]             row_i,
  input  logic [ColW-1:0]             col_i,
  // Instruction NoC.
  input  drra_state_pkg::noc_msg_t [drra_pkg::Sides-1:0] msg_i,
  output drra_state_pkg::noc_msg_t    msg_v_o,        // to the north and south neighbour
  output drra_state_pkg::noc_msg_t    msg_h_o,        // to the east and west neighbour
  input  drra_pkg::seg_req_t          req_w_i,        // request of the west neighbour for seg_w
  input  drra_pkg::seg_req_t          req_s_i,        // request of the south neighbour for seg_s
  output drra_pkg::seg_req_t          req_e_o,
  output drra_pkg::seg_req_t          req_n_o,
  input  drra_state_pkg::seg_dir_e    segdir_e_i,
  input  drra_state_pkg::seg_dir_e    segdir_n_i,
  output drra_state_pkg::seg_dir_e    segdir_w_o,
  output drra_state_pkg::seg_dir_e    segdir_s_o,
  // Data.
  input  logic [drra_pkg::Sides-1:0][drra_pkg::BlockW-1:0] data_i,
  output logic [drra_pkg::Sides-1:0][drra_pkg::BlockW-1:0] data_o,   // registers
  // Initialisation chain: as seen here, and registered for the next tile.
  input  init_t                       init_i,
  output init_t                       init_o,
  output logic                        agu_busy_o
);
  `include "drra_assert.svh"

  localparam int unsigned Sides = drra_pkg::Sides;

  // What is seen of the initialisation port //
  typedef struct packed {
    logic             en;
    logic [RowW-1:0]  row;
    logic [ColW-1:0]  col;
    logic [AddrW-1:0] addr;
  } init_place_t;

  logic                        init_en;
  logic [RowW-1:0]             init_row;
  logic [ColW-1:0]             init_col;
  logic [AddrW-1:0]            init_addr;
  logic [drra_pkg::BlockW-1:0] init_data;
  assign {init_en, init_row, init_col, init_addr, init_data} = init_i;

  // Bus segments //
  drra_state_pkg::tile_segs_t segs_q, segs_d;
  drra_state_pkg::seg_dir_e [Sides-1:0] segdir;
  assign segdir[drra_state_pkg::SideN] = segdir_n_i;
  assign segdir[drra_state_pkg::SideS] = segs_q.seg_s;
  assign segdir[drra_state_pkg::SideE] = segdir_e_i;
  assign segdir[drra_state_pkg::SideW] = segs_q.seg_w;

  // Messages on segments that point into the tile //
  drra_state_pkg::noc_msg_t [Sides-1:0] rx;
  assign rx[drra_state_pkg::SideN] = (segdir[drra_state_pkg::SideN] == drra_state_pkg::SegBack)
                                   ? msg_i[drra_state_pkg::SideN] : '0;
  assign rx[drra_state_pkg::SideS] = (segdir[drra_state_pkg::SideS] == drra_state_pkg::SegAhead)
                                   ? msg_i[drra_state_pkg::SideS] : '0;
  assign rx[drra_state_pkg::SideE] = (segdir[drra_state_pkg::SideE] == drra_state_pkg::SegBack)
                                   ? msg_i[drra_state_pkg::SideE] : '0;
  assign rx[drra_state_pkg::SideW] = (segdir[drra_state_pkg::SideW] == drra_state_pkg::SegAhead)
                                   ? msg_i[drra_state_pkg::SideW] : '0;

  // Sides //
  logic [Sides-1:0]                       got, ends;
  drra_state_pkg::side_e [Sides-1:0]      exit_side;
  drra_state_pkg::xbar_e [Sides-1:0]      from, to;
  drra_state_pkg::side_path_t [Sides-1:0] path;
  drra_state_pkg::noc_msg_t [Sides-1:0]   fwd;
  drra_state_pkg::sram_take_t [Sides-1:0] take;
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

  // Requests to the four segments (6.3). Sides are tried from the weakest to the strongest, so
  // that the last assignment wins: N, W, E, S is the order of precedence.
  drra_pkg::seg_req_t [Sides-1:0] ask;
  localparam drra_state_pkg::side_e RoutePrecedence [Sides] = '{
    drra_state_pkg::SideN, drra_state_pkg::SideW, drra_state_pkg::SideE, drra_state_pkg::SideS
  };
  always_comb begin
    automatic drra_state_pkg::side_e x = drra_state_pkg::SideN;
    ask = '0;  // no request: SegClosed is 0
    if (|got) begin
      for (int unsigned y = 0; y < Sides; y++) begin
        ask[y] = '{valid: !got[y], dir: drra_state_pkg::SegClosed};
        for (int i = Sides - 1; i >= 0; i--) begin
          x = RoutePrecedence[i];
          if (got[x] && !ends[x] && exit_side[x] == drra_state_pkg::side_e'(y)) begin
            ask[y] = '{valid: 1'b1,
                       dir: (exit_side[x] inside {drra_state_pkg::SideN, drra_state_pkg::SideE})
                          ? drra_state_pkg::SegAhead : drra_state_pkg::SegBack};
          end else if (got[x] && ends[x] && x == drra_state_pkg::side_e'(y)) begin
            ask[y] = '{valid: 1'b1, dir: segdir[x]};
          end
        end
      end
    end
  end
  assign req_e_o = ask[drra_state_pkg::SideE];
  assign req_n_o = ask[drra_state_pkg::SideN];

  always_comb begin
    segs_d = segs_q;
    if (req_w_i.valid)                         segs_d.seg_w = req_w_i.dir;
    else if (ask[drra_state_pkg::SideW].valid) segs_d.seg_w = ask[drra_state_pkg::SideW].dir;
    if (req_s_i.valid)                         segs_d.seg_s = req_s_i.dir;
    else if (ask[drra_state_pkg::SideS].valid) segs_d.seg_s = ask[drra_state_pkg::SideS].dir;
  end
  assign segdir_w_o = segs_q.seg_w;
  assign segdir_s_o = segs_q.seg_s;

  // Messages out (6.5): first of W, E, S, N with the flag //
  localparam drra_state_pkg::side_e OutPrecedence [Sides] = '{
    drra_state_pkg::SideW, drra_state_pkg::SideE, drra_state_pkg::SideS, drra_state_pkg::SideN
  };
  always_comb begin
    msg_v_o = '0;
    msg_h_o = '0;
    for (int i = Sides - 1; i >= 0; i--) begin
      if (path[OutPrecedence[i]].vsel) msg_v_o = fwd[OutPrecedence[i]];
      if (path[OutPrecedence[i]].hsel) msg_h_o = fwd[OutPrecedence[i]];
    end
  end

  // Crossbar connection: first of S, N, E, W with a ROUTE //
  localparam drra_state_pkg::side_e ConnectPrecedence [Sides] = '{
    drra_state_pkg::SideS, drra_state_pkg::SideN, drra_state_pkg::SideE, drra_state_pkg::SideW
  };
  drra_state_pkg::xbar_e connect_from, connect_to;
  always_comb begin
    connect_from = drra_state_pkg::XbarNone;
    connect_to   = drra_state_pkg::XbarMem;
    for (int i = Sides - 1; i >= 0; i--) begin
      if (got[ConnectPrecedence[i]]) begin
        connect_from = from[ConnectPrecedence[i]];
        connect_to   = to[ConnectPrecedence[i]];
      end
    end
  end

  // Address generators: first of S, W, E, N with a configuration //
  localparam drra_state_pkg::side_e TakePrecedence [Sides] = '{
    drra_state_pkg::SideS, drra_state_pkg::SideW, drra_state_pkg::SideE, drra_state_pkg::SideN
  };
  logic                      rd_new, wr_new, rd_en, wr_en, rd_busy, wr_busy;
  drra_state_pkg::sram_cfg_t rd_cfg, wr_cfg, unused_rd_cfg, unused_wr_cfg;
  logic [AddrW-1:0]          rd_addr, wr_addr;
  always_comb begin
    {rd_new, wr_new} = 2'b00;
    rd_cfg = '0;
    wr_cfg = '0;
    for (int i = Sides - 1; i >= 0; i--) begin
      if (take[TakePrecedence[i]].valid) begin
        if (take[TakePrecedence[i]].rw == drra_isa_pkg::SRAM_RW_W) begin
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
  logic [drra_pkg::XbarOuts-1:0][drra_pkg::BlockW-1:0] xout;
  logic [drra_pkg::BlockW-1:0] mem_rdata;
  logic                        init_hit, unused_rvalid;

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
    .wd_i    (init_hit ? init_data : xout[drra_state_pkg::XbarMem]),
    .rvalid_o(unused_rvalid),
    .rdata_o (mem_rdata)
  );

  // Registers //
  init_place_t                 init_q;
  logic [drra_pkg::BlockW-1:0] init_data_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      segs_q      <= '{seg_w: drra_state_pkg::SegClosed, seg_s: drra_state_pkg::SegClosed};
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
  `DRRA_ASSERT(SegmentDirectionLegal, segs_q.seg_w <= drra_state_pkg::SegAhead &&
                                      segs_q.seg_s <= drra_state_pkg::SegAhead)
  `DRRA_CHECK_STABLE(WestSegmentHoldsWithoutRequest,
                     !req_w_i.valid && !ask[drra_state_pkg::SideW].valid, segs_q.seg_w)
  `DRRA_CHECK_STABLE(SouthSegmentHoldsWithoutRequest,
                     !req_s_i.valid && !ask[drra_state_pkg::SideS].valid, segs_q.seg_s)
  `DRRA_CHECK_NEXT(HomeSegmentStaysOpen, row_i == RowW'(1),
                   segs_q.seg_s == drra_state_pkg::SegAhead)
  `DRRA_CHECK_NEXT(NeighbourClosesWestSegment,
                   req_w_i.valid && req_w_i.dir == drra_state_pkg::SegClosed,
                   segs_q.seg_w == drra_state_pkg::SegClosed)
  `DRRA_CHECK(NothingEntersAgainstASegment,
              segs_q.seg_w == drra_state_pkg::SegAhead || !rx[drra_state_pkg::SideW].valid)
  `DRRA_CHECK_NEXT(InitialisationTravelsOn, init_en, init_q.en)
  `DRRA_COVER(NeighbourWinsWestSegment, req_w_i.valid && ask[drra_state_pkg::SideW].valid)
  `DRRA_COVER(RoutesMeet, !$onehot0(got))
  `DRRA_COVER(InitialisationMeetsWrite, init_hit && wr_en)
  `DRRA_COVER(InitialisationPassesBy, init_en && !init_hit)
endmodule
