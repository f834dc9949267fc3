// SPDX-License-Identifier: MIT OR Apache-2.0
// Data crossbar of a tile: five registered outputs (chapter 6, 7.2).
module drra_crossbar (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        connect_i,   // replace all connections
  input  logic [2:0]                  from_i,
  input  logic [2:0]                  to_i,
  input  logic [drra_pkg::Sides-1:0][drra_pkg::BlockW-1:0] data_i,
  input  logic [drra_pkg::BlockW-1:0] mem_i,
  output logic [drra_pkg::XbarN-1:0][drra_pkg::BlockW-1:0] xout_o
);
  `include "drra_assert.svh"

  logic [drra_pkg::XbarN-1:0][2:0]                   xsel_q, xsel_d;
  logic [drra_pkg::XbarN-1:0][drra_pkg::BlockW-1:0]  xout_q, xout_d;

  always_comb begin
    xsel_d = xsel_q;
    if (connect_i) begin
      xsel_d                    = {drra_pkg::XbarN{drra_pkg::XselNone}};
      xsel_d[to_i]              = from_i;
      xsel_d[drra_pkg::XbarMem] = from_i;
    end
  end

  for (genvar k = 0; k < drra_pkg::XbarN; k++) begin : gen_out
    always_comb begin
      unique case (xsel_q[k])
        3'd0:    xout_d[k] = data_i[drra_pkg::SideN];
        3'd1:    xout_d[k] = data_i[drra_pkg::SideS];
        3'd2:    xout_d[k] = data_i[drra_pkg::SideE];
        3'd3:    xout_d[k] = data_i[drra_pkg::SideW];
        3'd4:    xout_d[k] = mem_i;
        default: xout_d[k] = '0;
      endcase
    end
    `DRRA_ASSERT(SelectLegal, xsel_q[k] <= drra_pkg::XselNone)
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      xsel_q <= {drra_pkg::XbarN{drra_pkg::XselNone}};
      xout_q <= '0;
    end else begin
      xsel_q <= xsel_d;
      xout_q <= xout_d;
    end
  end

  assign xout_o = xout_q;
endmodule
