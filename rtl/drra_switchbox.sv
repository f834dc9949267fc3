// SPDX-License-Identifier: MIT OR Apache-2.0
// Switchbox registers of one cell: issued SWB and the six input selections (chapter 5, 2.3).
`include "drra_assert.svh"

module drra_switchbox
  import drra_isa_pkg::*, drra_state_pkg::*, drra_pkg::*;
(
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     immediate_i,
  input  logic                     swb_dec_i,
  input  swb_t                     word_i,  // the word being decoded
  output swb_sel_t [SwbInputs-1:0] sel_o
);
  // Reads 0 (chapter 5, 3.2).
  localparam swb_sel_t Unconfigured = '{
    other: 1'b0,
    block: SWB_SRC_BLOCK_RF,
    port: 1'b0,
    hb: 3'd7
  };

  swb_issue_t iss_q, iss_d;
  swb_sel_t [SwbInputs-1:0] cfg_q, cfg_d;

  always_comb begin
    iss_d = iss_q;
    if (swb_dec_i && word_i.unused0) begin  // a word with 0 here has no effect
      iss_d = '{
        swb_iss_valid: 1'b1,
        block: word_i.src_block,
        port: word_i.src_port,
        hb: word_i.hb_index,
        other: word_i.send_to_other_row,
        v: word_i.v_index
      };
    end
  end

  always_comb begin
    cfg_d = cfg_q;
    if (immediate_i && iss_q.swb_iss_valid) begin
      for (int unsigned v = 0; v < SwbInputs; v++) begin
        if (iss_q.v == 3'(v)) begin
          cfg_d[v] = '{other: iss_q.other, block: iss_q.block, port: iss_q.port, hb: iss_q.hb};
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      iss_q <= '0;
      cfg_q <= {SwbInputs{Unconfigured}};
    end else begin
      iss_q <= iss_d;
      cfg_q <= cfg_d;
    end
  end

  logic unused_word;
  assign unused_word = ^{word_i.instr_code, word_i.src_row, word_i.reserved};
  assign sel_o       = cfg_q;

  `DRRA_ASSERT(NothingIssuedIsClear, iss_q.swb_iss_valid || (iss_q == '0))
  `DRRA_CHECK_NEXT(IssuedSwbStays, iss_q.swb_iss_valid, iss_q.swb_iss_valid)
  `DRRA_CHECK_STABLE(IssuedSwbHolds, !swb_dec_i, iss_q)
  `DRRA_CHECK_STABLE(SelectionsHoldWithoutFlag, !immediate_i, cfg_q)

  // Two destinations cannot change in the same cycle.
`ifdef DRRA_PROPERTIES
  logic [SwbInputs-1:0] changes;
  for (genvar v = 0; v < SwbInputs; v++) begin : gen_changes
    assign changes[v] = cfg_d[v] != cfg_q[v];
  end
`endif
  `DRRA_CHECK(OneSelectionChanges, $onehot0(changes))
  `DRRA_COVER(SelectionChanges, changes != '0)
  `DRRA_COVER(ReplacedWhileWaiting, iss_q.swb_iss_valid && !immediate_i && swb_dec_i)
endmodule
