// SPDX-License-Identifier: MIT OR Apache-2.0
// Data crossbar of a tile: five registered outputs (chapter 6, 7.2).
`include "drra_assert.svh"

module drra_crossbar
  import drra_state_pkg::*, drra_pkg::*;
(
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            connect_i,  // replace all connections
  input  xbar_e                           from_i,
  input  xbar_e                           to_i,
  input  logic [Sides-1:0][BlockW-1:0]    data_i,
  input  logic [BlockW-1:0]               mem_i,
  output logic [XbarOuts-1:0][BlockW-1:0] xout_o
);
  xbar_e [XbarOuts-1:0] xsel_q;
  logic [XbarOuts-1:0][BlockW-1:0] xout_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      xsel_q <= {XbarOuts{XbarNone}};
    end else if (connect_i) begin
      xsel_q          <= {XbarOuts{XbarNone}};
      xsel_q[to_i]    <= from_i;
      xsel_q[XbarMem] <= from_i;
    end
  end

  for (genvar k = 0; k < XbarOuts; k++) begin : gen_out
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        xout_q[k] <= '0;
      end else begin
        case (xsel_q[k])
          XbarN:   xout_q[k] <= data_i[SideN];
          XbarS:   xout_q[k] <= data_i[SideS];
          XbarE:   xout_q[k] <= data_i[SideE];
          XbarW:   xout_q[k] <= data_i[SideW];
          XbarMem: xout_q[k] <= mem_i;
          default: xout_q[k] <= '0;
        endcase
      end
    end
    `DRRA_ASSERT(SelectLegal, xsel_q[k] <= XbarNone)
  end

  assign xout_o = xout_q;
  // A ROUTE makes one connection, and the memory output has the same source (7.2).
`ifdef DRRA_PROPERTIES
  logic [Sides-1:0] connected, other_source;
  for (genvar k = 0; k < Sides; k++) begin : gen_connected
    assign connected[k]    = xsel_q[k] != XbarNone;
    assign other_source[k] = connected[k] && xsel_q[k] != xsel_q[XbarMem];
  end
`endif
  `DRRA_CHECK(OneConnection, $onehot0(connected))
  `DRRA_CHECK(MemoryListensToTheConnection, other_source == '0)
  `DRRA_CHECK_NEXT(RouteConnects, connect_i, xsel_q[XbarMem] != XbarNone)
  `DRRA_CHECK_STABLE(ConnectionHoldsWithoutRoute, !connect_i, xsel_q)
  `DRRA_COVER(RouteReplacesConnection, connect_i && xsel_q[XbarMem] != XbarNone)
endmodule
