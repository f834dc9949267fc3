// SPDX-License-Identifier: MIT OR Apache-2.0
// One side of the instruction NoC of a tile: ROUTE decode and side registers (chapter 6, 6.2, 6.4).
`include "drra_assert.svh"

module drra_noc_side
  import drra_isa_pkg::*, drra_state_pkg::*;
#(
  parameter int unsigned Side = 0  // code of the side (side_e)
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  noc_msg_t   rx_i,         // message entering here
  input  logic       any_route_i,  // some side of the tile receives a ROUTE
  output logic       got_o,        // this side receives a ROUTE
  output logic       ends_o,       // its path ends in this tile
  output side_e      exit_o,       // side through which it leaves, unless it ends
  output xbar_e      from_o,       // requested crossbar connection
  output xbar_e      to_o,
  output side_path_t path_o,
  output noc_msg_t   fwd_o,
  output sram_take_t agu_o
);
  side_path_t path_q, path_d;
  noc_msg_t fwd_q, fwd_d;
  sram_take_t agu_q, agu_d;

  // ROUTE decode: vertical moves first //
  localparam xbar_e Here = xbar_e'(3'(Side));
  xbar_e exit_code;
  logic vertical, sram_here;
  assign got_o = rx_i.valid && rx_i.kind == KindRoute;
  always_comb begin
    vertical = rx_i.payload.route.vhops != '0;
    ends_o   = !vertical && (rx_i.payload.route.hhops == '0);
    if (vertical) begin
      exit_o = (rx_i.payload.route.vdir == ROUTE_VERTICAL_DIR_N) ? SideN : SideS;
    end else begin
      exit_o = (rx_i.payload.route.hdir == ROUTE_HORIZONTAL_DIR_E) ? SideE : SideW;
    end
    exit_code = ends_o ? XbarMem : xbar_e'({1'b0, exit_o});
    from_o    = rx_i.payload.route.read ? exit_code : Here;
    to_o      = rx_i.payload.route.read ? Here : exit_code;
  end

  // Side registers //
  assign sram_here = rx_i.valid && rx_i.kind == KindSram && path_q.active;
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
        if (vertical) fwd_d.payload.route.vhops = rx_i.payload.route.vhops - 3'd1;
        else fwd_d.payload.route.hhops = rx_i.payload.route.hhops - 3'd1;
      end
    end else begin
      if (any_route_i) path_d = '0;
      if (sram_here) begin
        if (rx_i.payload.sram.hops != '0) begin
          fwd_d                   = rx_i;
          fwd_d.payload.sram.hops = rx_i.payload.sram.hops - 4'd1;
        end else begin
          agu_d = '{valid: 1'b1, rw: rx_i.payload.sram.rw, cfg: rx_i.payload.sram.cfg};
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
  `DRRA_CHECK(NothingTakenIsZero, agu_q.valid || (agu_q == '0))
  // verilog_format: off -- it breaks conditions of assertions at any operator
  `DRRA_CHECK(MessageWellFormed, !rx_i.valid || rx_i.kind == KindRoute ||
              (rx_i.kind == KindSram && rx_i.payload.sram.one_59 && !rx_i.payload.sram.zero_58))

  // A ROUTE opens its path and closes the others; without a ROUTE, all paths hold.
  `DRRA_CHECK_NEXT(RouteOpensPath, got_o,
                   path_q.active && (path_q.hsel || path_q.vsel) == $past(!ends_o))
  `DRRA_CHECK_NEXT(RouteClosesOtherPaths, !got_o && any_route_i, path_q == '0)
  `DRRA_CHECK_STABLE(PathHoldsWithoutRoute, !any_route_i, path_q)

  // A message is passed on, is taken here, or ends here; none appears without an incoming message.
`ifdef DRRA_PROPERTIES
  logic sram_taken;
  assign sram_taken = sram_here && rx_i.payload.sram.hops == '0;
`endif
  `DRRA_CHECK_NEXT(RouteIsPassedOnOrEnds, got_o, !agu_q.valid && fwd_q.valid == $past(!ends_o))
  `DRRA_CHECK_NEXT(SramIsPassedOnOrTaken, !got_o, agu_q.valid == $past(sram_taken) &&
                   fwd_q.valid == $past(sram_here && !sram_taken))
  `DRRA_COVER(RouteEnds, got_o && ends_o)
  `DRRA_COVER(RoutePassesOn, got_o && !ends_o)
  `DRRA_COVER(RouteClosesPath, path_q.active && any_route_i && !got_o)
  `DRRA_COVER(SramTaken, sram_taken)
  `DRRA_COVER(SramPassesOn, sram_here && !sram_taken)
endmodule
