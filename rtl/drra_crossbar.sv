// SPDX-License-Identifier: MIT OR Apache-2.0
// Data crossbar of a tile: five registered outputs (chapter 6, 7.2).
module drra_crossbar (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        connect_i,   // replace all connections
  input  drra_state_pkg::xbar_e       from_i,
  input  drra_state_pkg::xbar_e       to_i,
  input  logic [drra_pkg::Sides-1:0][drra_pkg::BlockW-1:0] data_i,
  input  logic [drra_pkg::BlockW-1:0] mem_i,
  output logic [drra_pkg::XbarOuts-1:0][drra_pkg::BlockW-1:0] xout_o
);
  `include "drra_assert.svh"

  drra_state_pkg::xbar_e [drra_pkg::XbarOuts-1:0]      xsel_q;
  logic [drra_pkg::XbarOuts-1:0][drra_pkg::BlockW-1:0] xout_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      xsel_q <= {drra_pkg::XbarOuts{drra_state_pkg::XbarNone}};
    end else if (connect_i) begin
      xsel_q                          <= {drra_pkg::XbarOuts{drra_state_pkg::XbarNone}};
      xsel_q[to_i]                    <= from_i;
      xsel_q[drra_state_pkg::XbarMem] <= from_i;
    end
  end

  for (genvar k = 0; k < drra_pkg::XbarOuts; k++) begin : gen_out
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        xout_q[k] <= '0;
      end else begin
        unique case (xsel_q[k])
          drra_state_pkg::XbarN:   xout_q[k] <= data_i[drra_state_pkg::SideN];
          drra_state_pkg::XbarS:   xout_q[k] <= data_i[drra_state_pkg::SideS];
          drra_state_pkg::XbarE:   xout_q[k] <= data_i[drra_state_pkg::SideE];
          drra_state_pkg::XbarW:   xout_q[k] <= data_i[drra_state_pkg::SideW];
          drra_state_pkg::XbarMem: xout_q[k] <= mem_i;
          default:                 xout_q[k] <= '0;
        endcase
      end
    end
    `DRRA_ASSERT(SelectLegal, xsel_q[k] <= drra_state_pkg::XbarNone)
  end

  assign xout_o = xout_q;
  // A ROUTE makes one connection, and the memory listens to its source (7.2).
`ifdef DRRA_PROPERTIES
  logic [drra_pkg::Sides-1:0] connected, other_source;
  for (genvar k = 0; k < drra_pkg::Sides; k++) begin : gen_connected
    assign connected[k]    = xsel_q[k] != drra_state_pkg::XbarNone;
    assign other_source[k] = connected[k] && xsel_q[k] != xsel_q[drra_state_pkg::XbarMem];
  end
`endif
  `DRRA_CHECK(OneConnection, $onehot0(connected))
  `DRRA_CHECK(MemoryListensToTheConnection, other_source == '0)
  `DRRA_CHECK_NEXT(RouteConnects, connect_i,
                   xsel_q[drra_state_pkg::XbarMem] != drra_state_pkg::XbarNone)
  `DRRA_CHECK_STABLE(ConnectionHoldsWithoutRoute, !connect_i, xsel_q)
  `DRRA_COVER(RouteReplacesConnection,
              connect_i && xsel_q[drra_state_pkg::XbarMem] != drra_state_pkg::XbarNone)
endmodule
