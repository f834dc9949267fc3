// SPDX-License-Identifier: MIT OR Apache-2.0
// One side of the instruction NoC of a tile: ROUTE decode and side registers (chapter 6, 6.2, 6.4).
module drra_noc_side #(
  parameter int unsigned Side = drra_pkg::SideN
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  drra_pkg::noc_msg_t    rx_i,         // message entering here
  input  logic                  any_route_i,  // some side of the tile receives a ROUTE
  output logic                  got_o,        // this side receives a ROUTE
  output logic                  ends_o,       // that path ends in this tile
  output logic [1:0]            exit_o,       // side it leaves through, unless it ends
  output logic [2:0]            from_o,       // crossbar connection it asks for
  output logic [2:0]            to_o,
  output drra_pkg::side_path_t  path_o,
  output drra_pkg::noc_msg_t    fwd_o,
  output drra_pkg::sram_take_t  agu_o
);
  `include "drra_assert.svh"

  drra_pkg::side_path_t path_q, path_d;
  drra_pkg::noc_msg_t   fwd_q, fwd_d;
  drra_pkg::sram_take_t agu_q, agu_d;

  // ROUTE decode: vertical moves first //
  logic [2:0] vhops, hhops, exit_code;
  logic       vertical, sram_here;
  assign got_o    = rx_i.valid && rx_i.kind == drra_pkg::KindRoute;
  assign vhops    = rx_i.payload[drra_pkg::RouteVhops +: 3];
  assign hhops    = rx_i.payload[drra_pkg::RouteHhops +: 3];
  assign vertical = vhops != '0;
  assign ends_o   = !vertical && (hhops == '0);
  always_comb begin
    if (vertical) begin
      exit_o = rx_i.payload[drra_pkg::RouteVdir] ? 2'(drra_pkg::SideN) : 2'(drra_pkg::SideS);
    end else begin
      exit_o = rx_i.payload[drra_pkg::RouteHdir] ? 2'(drra_pkg::SideE) : 2'(drra_pkg::SideW);
    end
  end
  assign exit_code = ends_o ? 3'(drra_pkg::XbarMem) : {1'b0, exit_o};
  assign from_o = rx_i.payload[drra_pkg::RouteRead] ? exit_code : 3'(Side);
  assign to_o   = rx_i.payload[drra_pkg::RouteRead] ? 3'(Side) : exit_code;

  // Side registers //
  assign sram_here = rx_i.valid && rx_i.kind == drra_pkg::KindSram && path_q.active;
  always_comb begin
    path_d = path_q;
    fwd_d  = '0;
    agu_d  = '0;
    if (got_o) begin
      path_d.active = 1'b1;
      path_d.vsel   = vertical;
      path_d.hsel   = !vertical && !ends_o;
      if (!ends_o) begin
        fwd_d = rx_i;
        if (vertical) fwd_d.payload[drra_pkg::RouteVhops +: 3] = vhops - 3'd1;
        else          fwd_d.payload[drra_pkg::RouteHhops +: 3] = hhops - 3'd1;
      end
    end else begin
      if (any_route_i) path_d = '0;
      if (sram_here) begin
        if (rx_i.payload[drra_pkg::SramHops +: 4] != '0) begin
          fwd_d = rx_i;
          fwd_d.payload[drra_pkg::SramHops +: 4] = rx_i.payload[drra_pkg::SramHops +: 4] - 4'd1;
        end else begin
          agu_d = '{valid: 1'b1, rw: rx_i.payload[0], cfg: rx_i.payload[53:1]};
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      path_q <= '0;
      fwd_q  <= '0;
      agu_q  <= '0;
    end else begin
      path_q <= path_d;
      fwd_q  <= fwd_d;
      agu_q  <= agu_d;
    end
  end

  assign path_o = path_q;
  assign fwd_o  = fwd_q;
  assign agu_o  = agu_q;

  `DRRA_ASSERT(OneExit, !(path_q.hsel && path_q.vsel))
  `DRRA_ASSERT(ExitNeedsPath, path_q.active || !(path_q.hsel || path_q.vsel))
  `DRRA_ASSERT(NoMessageIsZero, fwd_q.valid || (fwd_q == '0))
  `DRRA_ASSERT(TakeIsPulse, !agu_q.valid || !fwd_q.valid)
endmodule
