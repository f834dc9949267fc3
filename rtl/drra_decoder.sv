// SPDX-License-Identifier: MIT OR Apache-2.0
// Instruction decode with operand substitution (chapter 2, section 6). Combinational.
module drra_decoder
  import drra_isa_pkg::*, drra_state_pkg::*, drra_pkg::*;
(
  input  logic                  run_i,   // sequencer is in RUN
  input  logic [PcW-1:0]        pc_i,
  input  logic [InstrW-1:0]     w0_i,
  input  logic [InstrW-1:0]     w1_i,
  input  logic [InstrW-1:0]     w2_i,
  input  dpu_status_e           cond_i,
  input  logic                  io_cell_i,
  input  raccu_file_t           raccu_i,
  output logic                  halt_o,
  output logic                  wait_o,
  output logic [WaitW-1:0]      wait_target_o,
  output logic [1:0]            adv_o,
  output logic                  jump_o,
  output logic [PcW-1:0]        jump_pc_o,
  output raccu_op_t             raccu_o,
  output loop_op_t              loop_o,
  output drra_state_pkg::refi_t refi_o,  // cfg_start = a REFI is decoded
  output logic                  dpu_o,
  output dpu_instr_t            dpu_instr_o,
  output logic                  bw_o,
  output bw_config_e            bw_config_o,
  output logic                  swb_dec_o,
  output logic                  perm_dec_o,
  output noc_issue_t            noc_dec_o
);

  // The same words, interpreted as each of the instructions.
  halt_t halt;
  drra_isa_pkg::refi_t refi_words, refi;
  dpu_t dpu;
  jump_t jump;
  wait_t wt;
  loop_t lp_words, lp;
  bw_t bw;
  raccu_t ra;
  branch_t br;
  route_t rt;
  sram_t sram;
  io_t io;

  // Words of a REFI or LOOP that its `extra` field leaves out are read as 0.
  logic [1:0] extra;
  assign refi_words = {w0_i, w1_i, w2_i};
  assign lp_words   = {w0_i, w1_i};
  assign extra      = (refi_words.extra == 2'd3) ? 2'd0 : refi_words.extra;

  assign halt = w0_i;
  assign refi = {w0_i, (extra != 2'd0) ? w1_i : '0, (extra == 2'd2) ? w2_i : '0};
  assign dpu  = w0_i;
  assign jump = w0_i;
  assign wt   = w0_i;
  assign lp   = {w0_i, lp_words.extra ? w1_i : '0};
  assign bw   = w0_i;
  assign ra   = w0_i;
  assign br   = w0_i;
  assign rt   = w0_i;
  assign sram = {w0_i, w1_i, w2_i};
  assign io   = {w0_i, w1_i, w2_i};

  // Registers named by a dynamic start or step of a LOOP; only the sign and five low bits are used.
  logic [RaccuW-1:0] start_reg, step_reg;

  always_comb begin
    halt_o        = 1'b0;
    wait_o        = 1'b0;
    wait_target_o = wt.cycle_sd ? 15'(raccu_i[wt.cycle[3:0]]) : wt.cycle;
    adv_o         = 2'd1;
    jump_o        = 1'b0;
    jump_pc_o     = jump.pc;
    raccu_o       = '0;
    loop_o        = '0;
    refi_o        = '0;
    dpu_o         = 1'b0;
    dpu_instr_o   = '{mode: dpu.mode, control: dpu.control, cnst: dpu.acc_clear, io: dpu.io_change};
    bw_o          = 1'b0;
    bw_config_o   = bw.config_;
    swb_dec_o     = 1'b0;
    start_reg     = '0;
    step_reg      = '0;
    perm_dec_o    = 1'b0;
    if (run_i) begin
      case (halt.instr_code)
        CODE_HALT: halt_o = 1'b1;
        CODE_REFI: begin
          adv_o              = 2'd1 + extra;
          refi_o.cfg_start   = 1'b1;
          refi_o.cfg_port    = refi.port_no;
          refi_o.cfg_dimarch = refi.dimarch;
          refi_o.cfg.init_addr = refi.init_addr_sd ? raccu_i[refi.init_addr[3:0]][5:0]
                                                   : refi.init_addr;
          refi_o.cfg.l1_iter = refi.l1_iter_sd ? raccu_i[refi.l1_iter[3:0]][5:0] : refi.l1_iter;
          refi_o.cfg.init_delay = refi.init_delay_sd ? raccu_i[refi.init_delay[3:0]][5:0]
                                                     : refi.init_delay;
          refi_o.cfg.l1_step = (extra == 2'd0) ? 6'd1
                             : refi.l1_step_sd ? raccu_i[refi.l1_step[3:0]][5:0] : refi.l1_step;
          refi_o.cfg.l1_step_sign = refi.l1_step_sign;
          refi_o.cfg.l1_delay = refi.l1_delay_sd ? raccu_i[refi.l1_delay][5:0]
                                                 : {refi.l1_delay_ext, refi.l1_delay};
          refi_o.cfg.l2_iter = refi.l2_iter_sd ? raccu_i[refi.l2_iter[3:0]][5:0]
                                               : {refi.l2_iter_ext, refi.l2_iter};
          refi_o.cfg.l2_step = {refi.l2_step_ext, refi.l2_step};
          refi_o.cfg.l2_delay = refi.l2_delay_sd ? raccu_i[refi.l2_delay[3:0]][5:0]
                                                 : refi.l2_delay;
        end
        CODE_DPU: dpu_o = 1'b1;
        CODE_SWB: swb_dec_o = 1'b1;
        CODE_JUMP: jump_o = 1'b1;
        CODE_WAIT: wait_o = 1'b1;
        CODE_LOOP: begin
          start_reg       = raccu_i[lp.start[3:0]];
          step_reg        = raccu_i[lp.step[3:0]];
          adv_o           = 2'd1 + 2'(lp.extra);
          loop_o.valid    = 1'b1;
          loop_o.id       = lp.loopid;
          loop_o.start_pc = pc_i + 6'd1 + 6'(lp.extra);
          loop_o.end_pc   = lp.endpc;
          loop_o.start    = lp.start_sd ? {start_reg[6], start_reg[4:0]} : lp.start;
          loop_o.iter     = lp.iter_sd ? raccu_i[lp.iter[3:0]][5:0] : lp.iter;
          loop_o.step     = !lp.extra ? 6'd1 : lp.step_sd ? {step_reg[6], step_reg[4:0]} : lp.step;
          loop_o.link     = lp.link;
        end
        CODE_BW: bw_o = 1'b1;
        CODE_RACCU: begin
          raccu_o.mode = ra.mode;
          raccu_o.a    = ra.operand1_sd ? raccu_i[ra.operand1[3:0]] : ra.operand1;
          raccu_o.b    = ra.operand2_sd ? raccu_i[ra.operand2[3:0]] : ra.operand2;
          raccu_o.dst  = ra.result;
        end
        CODE_BRANCH: begin
          jump_o    = (br.mode & cond_i) == 2'd0;
          jump_pc_o = br.false_pc;
        end
        CODE_SRAM: adv_o = 2'd3;  // or IO, which has the same length
        CODE_PERM: perm_dec_o = 1'b1;
        default: ;  // ROUTE: see below; 2, 3, 15: one word, no effect
      endcase
    end
  end

  // Messages: the only logic that depends on the strap.
  always_comb begin
    noc_dec_o = '0;
    if (run_i) begin
      case (halt.instr_code)
        CODE_ROUTE: begin
          noc_dec_o.valid                          = 1'b1;
          noc_dec_o.kind                           = KindRoute;
          noc_dec_o.payload.narrow.noc.route.vdir  = rt.vertical_dir;
          noc_dec_o.payload.narrow.noc.route.vhops = rt.vertical_hops;
          noc_dec_o.payload.narrow.noc.route.hdir  = rt.horizontal_dir;
          noc_dec_o.payload.narrow.noc.route.hhops = rt.horizontal_hops;
          noc_dec_o.payload.narrow.noc.route.read  = rt.direction == ROUTE_DIRECTION_R;
          noc_dec_o.payload.narrow.noc.route.row   = rt.select_drra_row;
          noc_dec_o.payload.narrow.noc.route.write = rt.direction == ROUTE_DIRECTION_W;
        end
        CODE_SRAM: begin  // or IO: the same code
          noc_dec_o.valid = 1'b1;
          if (io_cell_i) begin
            noc_dec_o.kind = KindIo;
            noc_dec_o.payload.io = '{
              rw: io.rw,
              cfg: '{
                init_addr: io.init_addr_sd ? 25'(raccu_i[io.init_addr[3:0]]) : io.init_addr,
                init_delay: io.init_delay_sd ? raccu_i[io.init_delay[3:0]][5:0] : io.init_delay,
                l1_iter: io.l1_iter_sd ? raccu_i[io.l1_iter[3:0]][4:0] : io.l1_iter,
                l1_step: io.l1_step_sd ? raccu_i[io.l1_step[3:0]][4:0] : io.l1_step,
                l1_delay: io.l1_delay,
                mask: io.mask
              }
            };
          end else begin
            noc_dec_o.kind = KindSram;
            noc_dec_o.payload.narrow.noc.sram = '{
              one_59: 1'b1,
              zero_58: 1'b0,
              hops: sram.hops,
              cfg: '{  // registers named by dynamic steps are sign-extended
                init_addr: sram.init_addr_sd ? raccu_i[sram.init_addr[3:0]] : sram.init_addr,
                init_delay: sram.init_delay_sd ? raccu_i[sram.init_delay][3:0] : sram.init_delay,
                l1_iter: sram.l1_iter_sd ? raccu_i[sram.l1_iter[3:0]] : sram.l1_iter,
                l1_step: sram.l1_step_sd ? 8'($signed(raccu_i[sram.l1_step[3:0]])) : sram.l1_step,
                l1_delay: sram.l1_delay_sd ? raccu_i[sram.l1_delay[3:0]][5:0] : sram.l1_delay,
                l2_iter: sram.l2_iter_sd ? raccu_i[sram.l2_iter[3:0]] : sram.l2_iter,
                l2_step: sram.l2_step_sd ? 8'($signed(raccu_i[sram.l2_step[3:0]])) : sram.l2_step,
                l2_delay: sram.l2_delay_sd ? raccu_i[sram.l2_delay[3:0]][5:0] : sram.l2_delay
              },
              rw: sram.rw
            };
          end
        end
        default: ;
      endcase
    end
  end

endmodule
