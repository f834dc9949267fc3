// SPDX-License-Identifier: MIT OR Apache-2.0
// Sequencer of one cell: instruction memory, load protocol, program counter, decode and the
// registers that configure the rest of the cell (chapter 2).
`include "drra_assert.svh"

module drra_sequencer
  import drra_isa_pkg::*, drra_state_pkg::*, drra_pkg::*;
(
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  ld_valid_i,
  input  logic                  ld_match_i,
  input  logic [InstrW-1:0]     ld_instr_i,
  input  logic                  ld_imm_i,
  input  logic                  io_cell_i,
  input  dpu_status_e           seq_cond_status_i,
  output logic                  immediate_o,
  output drra_state_pkg::refi_t refi_o,
  output dpu_issue_t            dpu_o,
  output logic                  swb_dec_o,
  output logic                  perm_dec_o,
  output logic [InstrW-1:0]     word_o,
  output noc_issue_t            noc_dec_o,
  output logic                  idle_o
);
  seq_core_t core_q, core_d;
  logic [InstrW-1:0] imem_q[ImemDepth];
  logic [ImemDepth-1:0] imem_imm_q;
  logic immediate_q;
  drra_state_pkg::refi_t refi_q, refi_d;
  dpu_issue_t dpu_q, dpu_d;

  // The load counter stops here: a program has at most 63 words.
  localparam logic [PcW-1:0] MostWords = PcW'(ImemDepth - 1);

  // Fetch //
  logic [InstrW-1:0] w0, w1, w2;
  logic imm_now, run;
  assign w0      = imem_q[core_q.pc];
  assign w1      = imem_q[core_q.pc + 6'd1];
  assign w2      = imem_q[core_q.pc + 6'd2];
  assign imm_now = imem_imm_q[core_q.pc];
  assign run     = core_q.state == SeqRun;
  assign word_o  = w0;

  // Decode //
  logic halt, wait_here, jump, dpu_dec, bw_dec;
  logic [WaitW-1:0] wait_target;
  logic [1:0] adv;
  bw_config_e bw_config;
  logic [PcW-1:0] jump_pc;
  raccu_op_t raccu_op;
  loop_op_t loop_op;
  drra_state_pkg::refi_t refi_dec;
  dpu_instr_t dpu_instr;
  raccu_file_t raccu;

  drra_decoder u_decoder (
    .run_i        (run),
    .pc_i         (core_q.pc),
    .w0_i         (w0),
    .w1_i         (w1),
    .w2_i         (w2),
    .cond_i       (seq_cond_status_i),
    .io_cell_i,
    .raccu_i      (raccu),
    .halt_o       (halt),
    .wait_o       (wait_here),
    .wait_target_o(wait_target),
    .adv_o        (adv),
    .jump_o       (jump),
    .jump_pc_o    (jump_pc),
    .raccu_o      (raccu_op),
    .loop_o       (loop_op),
    .refi_o       (refi_dec),
    .dpu_o        (dpu_dec),
    .dpu_instr_o  (dpu_instr),
    .bw_o         (bw_dec),
    .bw_config_o  (bw_config),
    .swb_dec_o,
    .perm_dec_o,
    .noc_dec_o
  );

  // WAIT and end of program //
  logic wait_end, waiting, step, last_word, stop;
  assign wait_end = wait_here && (core_q.wait_count == wait_target);
  assign waiting  = wait_here && !wait_end;
  assign step     = run && !halt && !waiting;
  always_comb begin
    if (core_q.load_count == 6'd1) begin
      last_word = (core_q.pc == 6'd1) || wait_end;
    end else begin
      last_word = (core_q.pc != 6'd0) &&
                  (core_q.pc == core_q.load_count - 6'd1 || core_q.pc == core_q.load_count);
    end
  end
  assign stop = halt || (step && last_word);

  // RACCU and loops //
  logic loop_jump;
  logic [PcW-1:0] loop_jump_pc;
  logic [Loops-1:0] iter_we;
  logic [Loops-1:0][RaccuW-1:0] iter_value;

  drra_loop_unit u_loop_unit (
    .clk_i,
    .rst_ni,
    .imm_now_i   (imm_now),
    .pc_i        (core_q.pc),
    .waiting_i   (waiting),
    .op_i        (loop_op),
    .raccu_i     (raccu),
    .jump_o      (loop_jump),
    .jump_pc_o   (loop_jump_pc),
    .iter_we_o   (iter_we),
    .iter_value_o(iter_value)
  );

  drra_raccu u_raccu (
    .clk_i,
    .rst_ni,
    .imm_now_i   (imm_now),
    .op_i        (raccu_op),
    .iter_we_i   (iter_we),
    .iter_value_i(iter_value),
    .raccu_o     (raccu)
  );

  // State machine, load counter, program counter //
  logic hit, load_we;
  assign hit     = ld_valid_i && ld_match_i;
  assign load_we = hit && !run;

  always_comb begin
    core_d = core_q;
    case (core_q.state)
      SeqIdle: if (hit) core_d.state = SeqLoad;
      SeqLoad: if (!ld_valid_i) core_d.state = SeqRun;
      default: if (stop) core_d.state = SeqIdle;
    endcase
    if (load_we && core_q.load_count != MostWords) core_d.load_count = core_q.load_count + 6'd1;
    if (stop) core_d.load_count = '0;
    core_d.wait_count = waiting ? core_q.wait_count + 15'd1 : '0;
    if (waiting) begin
      if (!core_q.pend_valid) begin
        core_d.pend_valid = loop_jump;
        core_d.pend_pc    = loop_jump_pc;
      end
    end else if (step) begin
      core_d.pend_valid = 1'b0;
      core_d.pend_pc    = '0;
      if (loop_jump) core_d.pc = loop_jump_pc;
      else if (core_q.pend_valid) core_d.pc = core_q.pend_pc;
      else if (jump) core_d.pc = jump_pc;
      else core_d.pc = core_q.pc + 6'(adv);
    end else begin
      core_d.pc = '0;
    end
  end

  // Output registers: start strobes last one cycle, the fields hold //
  always_comb begin
    refi_d           = refi_q;
    refi_d.cfg_start = 1'b0;
    if (refi_dec.cfg_start) refi_d = refi_dec;
    dpu_d           = dpu_q;
    dpu_d.dpu_start = dpu_dec;
    if (dpu_dec) dpu_d.instr = dpu_instr;
    if (bw_dec) dpu_d.cfg_bw = bw_config;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      core_q      <= '{state: SeqIdle, default: '0};
      immediate_q <= 1'b0;
      refi_q      <= '0;
      dpu_q       <= '0;
    end else begin
      core_q      <= core_d;
      immediate_q <= imm_now;
      refi_q      <= refi_d;
      dpu_q       <= dpu_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned a = 0; a < ImemDepth; a++) imem_q[a] <= '0;
      imem_imm_q <= '0;
    end else if (load_we) begin
      imem_q[core_q.load_count]     <= ld_instr_i;
      imem_imm_q[core_q.load_count] <= ld_imm_i;
    end
  end

  assign immediate_o = immediate_q;
  assign refi_o      = refi_q;
  assign dpu_o       = dpu_q;
  assign idle_o      = core_q.state == SeqIdle;

  // State machine (section 4) //
  `DRRA_ASSERT(StateLegal, core_q.state inside {SeqIdle, SeqLoad, SeqRun})
  // verilog_format: off -- it breaks conditions of assertions at any operator
  `DRRA_CHECK_NEXT(LoadStartsWithItsWord, core_q.state == SeqIdle,
                   core_q.state == ($past(hit) ? SeqLoad : SeqIdle))
  `DRRA_CHECK_NEXT(GapStartsProgram, core_q.state == SeqLoad,
                   core_q.state == ($past(ld_valid_i) ? SeqLoad : SeqRun))
  `DRRA_CHECK_NEXT(ProgramRunsToItsEnd, run, core_q.state == ($past(stop) ? SeqIdle : SeqRun))
  `DRRA_ASSERT(CountClearInIdle, !idle_o || (core_q.load_count == '0))
  `DRRA_CHECK_NEXT(WordsAreCountedOneByOne, !stop, core_q.load_count ==
                   $past(core_q.load_count + 6'(load_we && core_q.load_count != '1)))
  `DRRA_COVER(LoadStarts, idle_o && hit)
  `DRRA_COVER(ProgramStarts, core_q.state == SeqLoad && !ld_valid_i)
  `DRRA_COVER(ProgramEnds, run && stop)
  `DRRA_COVER(LoadMeetsProgram, run && hit)

  // Program counter (section 5) //
  `DRRA_ASSERT(PendingJumpOnlyInRun, !core_q.pend_valid || run)
  `DRRA_ASSERT(WaitCountsOnlyInRun, core_q.wait_count == '0 || run)
  `DRRA_CHECK_NEXT(ProgramStartsAtZero, !run || halt, core_q.pc == '0)
  `DRRA_CHECK_STABLE(AddressHoldsInWait, waiting, core_q.pc)
  `DRRA_CHECK_NEXT(WaitCountsItsCycles, 1'b1, core_q.wait_count ==
                   $past(waiting ? core_q.wait_count + 15'd1 : 15'd0))
  `DRRA_CHECK_NEXT(LoopJumpIsNotLostInWait, waiting && loop_jump, core_q.pend_valid)
  `DRRA_CHECK_STABLE(RememberedJumpHolds, waiting && core_q.pend_valid,
                     {core_q.pend_valid, core_q.pend_pc})
  `DRRA_CHECK_NEXT(RememberedJumpIsTakenOnce, step, !core_q.pend_valid && (core_q.pend_pc == '0))
  `DRRA_COVER(WaitEnds, wait_end && core_q.wait_count != '0)
  `DRRA_COVER(JumpIsRemembered, waiting && loop_jump && !core_q.pend_valid)
  `DRRA_COVER(RememberedJumpIsTaken, step && core_q.pend_valid && !loop_jump)

  // Decode (section 6) //
  `DRRA_ASSERT(CondStatusLegal, seq_cond_status_i <= StatusEqual)
`ifdef DRRA_PROPERTIES
  logic [9:0] decoded;
  assign decoded = {halt, wait_here, jump, dpu_dec, bw_dec, swb_dec_o, perm_dec_o, noc_dec_o.valid,
                    refi_dec.cfg_start, loop_op.valid};
`endif
  `DRRA_CHECK(OneInstructionPerCycle, $onehot0(decoded))
  `DRRA_CHECK(DecodeNeedsProgram, run || (decoded == '0 && raccu_op.mode == RACCU_MODE_IDLE))
  `DRRA_ASSERT(MessageHasKind, !noc_dec_o.valid || (noc_dec_o.kind != KindNone))
  `DRRA_ASSERT(UpperPayloadOnlyForIo, noc_dec_o.kind == KindIo ||
               (noc_dec_o.payload.narrow.zero_63_60 == '0))
  `DRRA_ASSERT(StartStrobesExclusive, !(refi_q.cfg_start && dpu_q.dpu_start))
  `DRRA_CHECK_NEXT(NoStartWithoutDecode, !run, !refi_q.cfg_start && !dpu_q.dpu_start)
  `DRRA_CHECK_STABLE(ConfigurationHoldsUntilRefi, !refi_dec.cfg_start,
                     {refi_q.cfg_port, refi_q.cfg_dimarch, refi_q.cfg})
  `DRRA_CHECK_STABLE(DpuFieldsHoldUntilDpu, !dpu_dec, dpu_q.instr)
  `DRRA_CHECK_STABLE(WidthHoldsUntilBw, !bw_dec, dpu_q.cfg_bw)
endmodule
