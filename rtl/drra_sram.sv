// SPDX-License-Identifier: MIT OR Apache-2.0
// Memory of a tile: one port, 256-bit blocks, registered read data (chapter 6, 7.3). The contents
// and the read data are not reset; simulation starts with contents of zeros.
`include "drra_assert.svh"

module drra_sram
  import drra_pkg::*;
#(
  parameter int unsigned SramDepth = 128,
  localparam int unsigned AddrW = $clog2(SramDepth)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              re_i,
  input  logic [AddrW-1:0]  ra_i,
  input  logic              we_i,
  input  logic [AddrW-1:0]  wa_i,
  input  logic [BlockW-1:0] wd_i,
  output logic              rvalid_o,  // a read was done in the previous cycle
  output logic [BlockW-1:0] rdata_o    // that block, 0 without rvalid_o
);
  logic [BlockW-1:0] sram_q[SramDepth];
  logic [BlockW-1:0] mem_q;
  logic mem_rvalid_q;

  initial begin
    for (int unsigned a = 0; a < SramDepth; a++) sram_q[a] = '0;
  end

  // The memory has one port. Without a read, its output has no meaning (7.3), so a block that is
  // written may appear there in any case.
  logic [AddrW-1:0] addr;
  assign addr = we_i ? wa_i : ra_i;
  always_ff @(posedge clk_i) begin
    if (we_i && rst_ni) begin
      sram_q[addr] <= wd_i;
      mem_q        <= wd_i;
    end else if (re_i) begin
      mem_q <= sram_q[addr];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) mem_rvalid_q <= 1'b0;
    else mem_rvalid_q <= re_i;
  end

  assign rvalid_o = mem_rvalid_q;
  assign rdata_o  = mem_rvalid_q ? mem_q : '0;

  `DRRA_CHECK_NEXT(ReadIsAnswered, re_i, mem_rvalid_q)
  `DRRA_CHECK_NEXT(NoAnswerWithoutRead, !re_i, !mem_rvalid_q)
  `DRRA_CHECK(NoBlockWithoutRead, rvalid_o || (rdata_o == '0))
  `DRRA_COVER(WriteIsPassedThrough, re_i && we_i)
endmodule
