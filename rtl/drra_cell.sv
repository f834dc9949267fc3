// SPDX-License-Identifier: MIT OR Apache-2.0
// One DRRA cell: sequencer, switchbox, issue registers, register file, DPU (chapter 5, section 4).
module drra_cell
  import drra_isa_pkg::*, drra_state_pkg::*, drra_pkg::*;
#(
  parameter int unsigned RfDepth = 64,
  localparam int unsigned BlkAddrW = $clog2(RfDepth / BlockWords)
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  // program load
  input  logic                            ld_valid_i,
  input  logic                            ld_match_i,
  input  logic [InstrW-1:0]               ld_instr_i,
  input  logic                            ld_imm_i,
  input  logic                            io_cell_i,
  // register file initialisation
  input  logic                            rf_init_we_i,
  input  logic [BlkAddrW-1:0]             rf_init_block_i,
  input  logic [BlockW-1:0]               rf_init_data_i,
  // sliding window
  input  logic [SwbInputs-1:0][WordW-1:0] vin_i,
  output swb_sel_t [SwbInputs-1:0]        swb_sel_o,
  output logic [3:0][WordW-1:0]           lane_o,
  // column
  input  logic [BlockW-1:0]               blk_wdata_i,
  input  logic [BlockWords-1:0]           blk_wmask_i,
  output logic [BlockW-1:0]               blk_rdata_o,
  output logic                            blk_rd_en_o,
  output noc_issue_t                      cell_noc_o,
  // status
  output logic                            idle_o,
  output logic                            agu_busy_o
);
  logic immediate, swb_dec, perm_dec;
  dpu_status_e cond_status;
  logic [InstrW-1:0] word;
  drra_state_pkg::refi_t refi;
  dpu_issue_t dpu;
  noc_issue_t noc_dec;
  perm_op_t perm_op, perm_go;

  drra_sequencer u_seq (
    .clk_i,
    .rst_ni,
    .ld_valid_i,
    .ld_match_i,
    .ld_instr_i,
    .ld_imm_i,
    .io_cell_i,
    .seq_cond_status_i(cond_status),
    .immediate_o      (immediate),
    .refi_o           (refi),
    .dpu_o            (dpu),
    .swb_dec_o        (swb_dec),
    .perm_dec_o       (perm_dec),
    .word_o           (word),
    .noc_dec_o        (noc_dec),
    .idle_o
  );

  drra_switchbox u_swb (
    .clk_i,
    .rst_ni,
    .immediate_i(immediate),
    .swb_dec_i  (swb_dec),
    .word_i     (word),
    .sel_o      (swb_sel_o)
  );

  drra_issue #(
    .op_t(noc_issue_t)
  ) u_noc (
    .clk_i,
    .rst_ni,
    .immediate_i(immediate),
    .dec_i      (noc_dec),
    .go_o       (cell_noc_o)
  );

  perm_t perm_word;  // the word being decoded
  logic unused_word;
  assign perm_word   = word;
  assign unused_word = ^{perm_word.instr_code, perm_word.reserved};
  always_comb begin
    perm_op = '0;
    if (perm_dec) begin
      perm_op = '{
        valid: 1'b1,
        mode: perm_word.mode,
        block: perm_word.block,
        distance: perm_word.distance
      };
    end
  end

  drra_issue #(
    .op_t(perm_op_t)
  ) u_perm (
    .clk_i,
    .rst_ni,
    .immediate_i(immediate),
    .dec_i      (perm_op),
    .go_o       (perm_go)
  );

  drra_register_file #(
    .RfDepth(RfDepth)
  ) u_rf (
    .clk_i,
    .rst_ni,
    .immediate_i(immediate),
    .refi_i     (refi),
    .wdata_0_i  (vin_i[0]),
    .wdata_1_i  (vin_i[1]),
    .blk_wdata_i,
    .blk_wmask_i,
    .rf_init_we_i,
    .rf_init_block_i,
    .rf_init_data_i,
    .perm_go_i  (perm_go),
    .rdata_0_o  (lane_o[0]),
    .rdata_1_o  (lane_o[1]),
    .blk_rdata_o,
    .blk_rd_en_o,
    .busy_o     (agu_busy_o)
  );

  drra_dpu u_dpu (
    .clk_i,
    .rst_ni,
    .immediate_i  (immediate),
    .dpu_i        (dpu),
    .in_i         (vin_i[5:2]),
    .out_o        (lane_o[3:2]),
    .cond_status_o(cond_status)
  );
endmodule
