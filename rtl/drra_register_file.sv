// SPDX-License-Identifier: MIT OR Apache-2.0
// Register file of one cell with its six AGUs and shadow registers (chapter 3). Reads are
// combinational; writers of a word, highest priority first: initialisation, block, w0, w1, PERM.
`include "drra_assert.svh"

module drra_register_file
  import drra_isa_pkg::*, drra_state_pkg::*, drra_pkg::*;
#(
  parameter int unsigned RfDepth = 64,
  localparam int unsigned RfBlocks = RfDepth / BlockWords,
  localparam int unsigned AddrW = $clog2(RfDepth),
  localparam int unsigned BlkAddrW = $clog2(RfBlocks)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  immediate_i,
  input  drra_state_pkg::refi_t refi_i,
  input  logic [WordW-1:0]      wdata_0_i,
  input  logic [WordW-1:0]      wdata_1_i,
  input  logic [BlockW-1:0]     blk_wdata_i,
  input  logic [BlockWords-1:0] blk_wmask_i,  // 1: word is not written
  input  logic                  rf_init_we_i,
  input  logic [BlkAddrW-1:0]   rf_init_block_i,
  input  logic [BlockW-1:0]     rf_init_data_i,
  input  perm_op_t              perm_go_i,
  output logic [WordW-1:0]      rdata_0_o,
  output logic [WordW-1:0]      rdata_1_o,
  output logic [BlockW-1:0]     blk_rdata_o,
  output logic                  blk_rd_en_o,
  output logic                  busy_o
);
  // Order of the AGUs: w0, w1, wb, r0, r1, rb //
  localparam int unsigned AguW0 = 0;
  localparam int unsigned AguW1 = 1;
  localparam int unsigned AguWb = 2;
  localparam int unsigned AguR0 = 3;
  localparam int unsigned AguR1 = 4;
  localparam int unsigned AguRb = 5;
  localparam int unsigned Agus = 6;

  logic [RfDepth-1:0][WordW-1:0] mem_q;

  // First word of a block: the low bits of its address.
  localparam logic [$clog2(BlockWords)-1:0] FirstWord = '0;

  // Port decode //
  logic [Agus-1:0] hit;
  always_comb begin
    hit = '0;
    if (refi_i.cfg_start) begin
      // verilog_format: off -- it splits the concatenation
      case ({refi_i.cfg_port, refi_i.cfg_dimarch})
        // verilog_format: on
        {REFI_PORT_NO_W0, REFI_DIMARCH_N}: hit[AguW0] = 1'b1;
        {REFI_PORT_NO_W1, REFI_DIMARCH_N}: hit[AguW1] = 1'b1;
        {REFI_PORT_NO_R0, REFI_DIMARCH_N}: hit[AguR0] = 1'b1;
        {REFI_PORT_NO_R1, REFI_DIMARCH_N}: hit[AguR1] = 1'b1;
        {REFI_PORT_NO_W0, REFI_DIMARCH_Y}: hit[AguWb] = 1'b1;
        {REFI_PORT_NO_R0, REFI_DIMARCH_Y}: hit[AguRb] = 1'b1;
        default: hit = '0;  // block access on w1, r1: no effect
      endcase
    end
  end

  // AGUs //
  logic [Agus-1:0] en, busy;
  logic [Agus-1:0][AddrW-1:0] addr;
  for (genvar k = 0; k < Agus; k++) begin : gen_agu
    localparam bit IsBlock = (k == AguWb) || (k == AguRb);
    localparam int unsigned ThisW = IsBlock ? BlkAddrW : AddrW;
    agu_cfg_t cfg;
    logic launch;
    logic [ThisW-1:0] this_addr;
    drra_agu_shadow u_shadow (
      .clk_i,
      .rst_ni,
      .immediate_i,
      .hit_i   (hit[k]),
      .cfg_i   (refi_i.cfg),
      .launch_o(launch),
      .cfg_o   (cfg)
    );
    drra_agu #(
      .AddrW(ThisW)
    ) u_agu (
      .clk_i,
      .rst_ni,
      .launch_i(launch),
      .cfg_i   (cfg),
      .en_o    (en[k]),
      .addr_o  (this_addr),
      .busy_o  (busy[k])
    );
    assign addr[k] = AddrW'(this_addr);
  end
  assign busy_o = |busy;

  logic [BlkAddrW-1:0] wb_block, rb_block;
  assign wb_block = addr[AguWb][BlkAddrW-1:0];
  assign rb_block = addr[AguRb][BlkAddrW-1:0];

  // Reads: the content before the edge, 0 without an address //
  assign rdata_0_o   = en[AguR0] ? mem_q[addr[AguR0]] : '0;
  assign rdata_1_o   = en[AguR1] ? mem_q[addr[AguR1]] : '0;
  assign blk_rd_en_o = en[AguRb];
  assign blk_rdata_o = en[AguRb] ? mem_q[{rb_block, FirstWord} +: BlockWords] : '0;

  // PERM //
  logic [BlkAddrW-1:0] perm_block;
  logic perm_we;
  logic [BlockW-1:0] perm_new;
  assign perm_block = perm_go_i.block[BlkAddrW-1:0];
  assign perm_we    = perm_go_i.valid &&
                      (perm_go_i.mode inside {PERM_MODE_SHL_ZERO, PERM_MODE_SHR_ZERO,
                                              PERM_MODE_SHL_SAME, PERM_MODE_SHR_SAME,
                                              PERM_MODE_ROT_L, PERM_MODE_ROT_R});
  drra_permute u_permute (
    .en_i      (perm_we),
    .mode_i    (perm_go_i.mode),
    .distance_i(perm_go_i.distance),
    .block_i   (mem_q[{perm_block, FirstWord} +: BlockWords]),
    .block_o   (perm_new)
  );

  // Writes: the last assignment wins, so the weakest writer comes first //
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mem_q <= '0;
    end else begin
      if (perm_we) mem_q[{perm_block, FirstWord} +: BlockWords] <= perm_new;
      if (en[AguW1]) mem_q[addr[AguW1]] <= wdata_1_i;
      if (en[AguW0]) mem_q[addr[AguW0]] <= wdata_0_i;
      if (en[AguWb]) begin
        for (int unsigned i = 0; i < BlockWords; i++) begin
          if (!blk_wmask_i[i]) begin
            mem_q[{wb_block, 4'(i)}] <= blk_wdata_i[WordW*i +: WordW];
          end
        end
      end
      if (rf_init_we_i) begin
        mem_q[{rf_init_block_i, FirstWord} +: BlockWords] <= rf_init_data_i;
      end
    end
  end

  `DRRA_ASSERT_INIT(DepthSupported, RfDepth == 32 || RfDepth == 64)
  `DRRA_ASSERT(ReadPortQuietWithoutAddress, en[AguR0] || (rdata_0_o == '0))
  `DRRA_ASSERT(OneAguPerRefi, $onehot0(hit))
  `DRRA_CHECK(BlockPortQuietWithoutAddress, blk_rd_en_o || (blk_rdata_o == '0))
  // verilog_format: off -- it breaks conditions of assertions at any operator
  `DRRA_CHECK_NEXT(InitialisationWins, rf_init_we_i,
                   mem_q[{$past(rf_init_block_i), FirstWord} +: BlockWords]
                   == $past(rf_init_data_i))
  `DRRA_COVER(PortsWriteOneWord, en[AguW0] && en[AguW1] && addr[AguW0] == addr[AguW1])
  `DRRA_COVER(BlockWriteWins, en[AguWb] && en[AguW0] && wb_block == addr[AguW0][AddrW-1:4])
  `DRRA_COVER(InitialisationMeetsWrite, rf_init_we_i && en[AguWb] && wb_block == rf_init_block_i)
  `DRRA_COVER(PermMeetsWrite, perm_we && en[AguW0] && perm_block == addr[AguW0][AddrW-1:4])
endmodule
