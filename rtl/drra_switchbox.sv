// SPDX-License-Identifier: MIT OR Apache-2.0
// Switchbox registers of one cell: issued SWB and the six input selections (chapter 5, 2.3).
module drra_switchbox (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      immediate_i,
  input  logic                      swb_dec_i,
  input  logic [22:12]              word_i,        // bits 22:12 of the word being decoded
  output drra_pkg::swb_sel_t [5:0]  sel_o
);
  `include "drra_assert.svh"

  drra_pkg::swb_issue_t     iss_q, iss_d;
  drra_pkg::swb_sel_t [5:0] cfg_q, cfg_d;

  always_comb begin
    iss_d = iss_q;
    if (swb_dec_i && word_i[22]) begin
      iss_d = '{swb_iss_valid: 1'b1, block: word_i[20], port: word_i[19], hb: word_i[18:16],
                other: word_i[15], v: word_i[14:12]};
    end
  end

  always_comb begin
    cfg_d = cfg_q;
    if (immediate_i && iss_q.swb_iss_valid) begin
      for (int unsigned v = 0; v < 6; v++) begin
        if (iss_q.v == 3'(v)) begin
          cfg_d[v] = '{other: iss_q.other, block: iss_q.block, port: iss_q.port, hb: iss_q.hb};
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      iss_q <= '0;
      cfg_q <= {6{6'b000111}};
    end else begin
      iss_q <= iss_d;
      cfg_q <= cfg_d;
    end
  end

  logic unused_src_row;
  assign unused_src_row = word_i[21];
  assign sel_o = cfg_q;

  `DRRA_ASSERT(NothingIssuedIsClear, iss_q.swb_iss_valid || (iss_q == '0))
endmodule
