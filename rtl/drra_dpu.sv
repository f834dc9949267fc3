// SPDX-License-Identifier: MIT OR Apache-2.0
// Data processing unit of one cell (chapter 4): launch stage, operand conditioning and select,
// two channels, divider, squash unit, scaler, output formatting.
module drra_dpu (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        immediate_i,
  input  drra_state_pkg::dpu_issue_t  dpu_i,
  input  logic [15:0]                 in0_i,
  input  logic [15:0]                 in1_i,
  input  logic [15:0]                 in2_i,
  input  logic [15:0]                 in3_i,
  output logic [15:0]                 out0_o,       // combinational from registers
  output logic [15:0]                 out1_o,
  output drra_state_pkg::dpu_status_e cond_status_o
);
  `include "drra_assert.svh"

  // Launch stage and configuration //

  drra_state_pkg::dpu_shadow_t  sh_q, sh_d;
  drra_state_pkg::dpu_config_t  cfg_q, cfg_d;
  logic                         launch;
  drra_state_pkg::dpu_instr_t   launched;
  logic [7:0]                   cur_const;
  drra_isa_pkg::dpu_io_change_e cur_io;
  drra_isa_pkg::dpu_mode_e      mode;

  assign launch    = immediate_i && (dpu_i.dpu_start || sh_q.sh_valid);
  assign launched  = dpu_i.dpu_start ? dpu_i.instr : sh_q.sh_instr;
  assign cur_const = launch ? launched.cnst : cfg_q.instr.cnst;
  assign cur_io    = launch ? launched.io : cfg_q.instr.io;
  assign mode      = cfg_q.instr.mode;

  always_comb begin
    sh_d = sh_q;
    if (immediate_i)          sh_d = '0;
    else if (dpu_i.dpu_start) sh_d = '{sh_valid: 1'b1, sh_instr: dpu_i.instr};
  end

  // Operand width and number format //
  logic            lane_mode, counting, fx, sat, clear_all, count_hit;
  drra_pkg::lane_e lane_c, lane_o;
  always_comb begin
    unique case (mode)
      drra_isa_pkg::DPU_MODE_ADD, drra_isa_pkg::DPU_MODE_SUM_ACC, drra_isa_pkg::DPU_MODE_ADD_CONST,
      drra_isa_pkg::DPU_MODE_SUBT, drra_isa_pkg::DPU_MODE_SUBT_ABS, drra_isa_pkg::DPU_MODE_MULT,
      drra_isa_pkg::DPU_MODE_MULT_ADD, drra_isa_pkg::DPU_MODE_MULT_CONST,
      drra_isa_pkg::DPU_MODE_MAC, drra_isa_pkg::DPU_MODE_LD_IR, drra_isa_pkg::DPU_MODE_AXPY,
      drra_isa_pkg::DPU_MODE_LD_ACC, drra_isa_pkg::DPU_MODE_MAC_INTER: lane_mode = 1'b1;
      default: lane_mode = 1'b0;
    endcase
  end
  assign lane_c = lane_mode ? drra_pkg::LanesOfBw[cfg_q.bw_reg] : drra_pkg::Lane16;
  assign lane_o = lane_mode ? drra_pkg::LanesOfBw[dpu_i.cfg_bw] : drra_pkg::Lane16;
  assign fx     = (lane_o == drra_pkg::Lane16) &&
                  (cfg_q.instr.control inside {drra_isa_pkg::DPU_CONTROL_NOSAT_FX,
                                               drra_isa_pkg::DPU_CONTROL_SAT_FX} ||
                   dpu_i.cfg_bw == drra_isa_pkg::BW_CONFIG_FX16);
  assign sat    = cfg_q.instr.control inside {drra_isa_pkg::DPU_CONTROL_SAT_INT,
                                              drra_isa_pkg::DPU_CONTROL_SAT_FX};

  // Accumulation count //
  assign counting  = mode inside {drra_isa_pkg::DPU_MODE_SUM_ACC, drra_isa_pkg::DPU_MODE_MAC,
                                  drra_isa_pkg::DPU_MODE_MAC_INTER,
                                  drra_isa_pkg::DPU_MODE_MAX_MIN_ACC};
  assign count_hit = counting && (cur_const != '0) && (cfg_q.acc_cnt == cur_const);
  assign clear_all = count_hit || (launch && mode != drra_isa_pkg::DPU_MODE_LD_ACC);

  always_comb begin
    cfg_d         = cfg_q;
    cfg_d.bw_reg  = (dpu_i.cfg_bw == drra_isa_pkg::BW_CONFIG_FX16) ? drra_isa_pkg::BW_CONFIG_INT16
                                                                   : dpu_i.cfg_bw;
    cfg_d.acc_cnt = (launch || count_hit) ? '0 : cfg_q.acc_cnt + 8'd1;
    if (launch) cfg_d.instr = launched;
  end

  // Stage A: conditioned operands //
  logic [15:0] x0, x1, x2, x3, n0, n1, n2, n3, f0, f1;
  logic [15:0] ir0_q, ir1_q;
  drra_lane_neg u_neg0 (
    .lane_i(lane_c),
    .v_i   (in0_i),
    .v_o   (n0)
  );
  drra_lane_neg u_neg1 (
    .lane_i(lane_c),
    .v_i   (in1_i),
    .v_o   (n1)
  );
  drra_lane_neg u_neg2 (
    .lane_i(lane_c),
    .v_i   (in2_i),
    .v_o   (n2)
  );
  drra_lane_neg u_neg3 (
    .lane_i(lane_c),
    .v_i   (in3_i),
    .v_o   (n3)
  );
  assign x0 = (cur_io == drra_isa_pkg::DPU_IO_CHANGE_NEGATE_IN0) ? n0 : in0_i;
  assign x2 = (cur_io == drra_isa_pkg::DPU_IO_CHANGE_NEGATE_IN0) ? n2 : in2_i;
  assign x1 = (cur_io == drra_isa_pkg::DPU_IO_CHANGE_NEGATE_IN1) ? n1 : in1_i;
  assign x3 = (cur_io == drra_isa_pkg::DPU_IO_CHANGE_NEGATE_IN1) ? n3 : in3_i;

  // Stage B: operand select (chapter 4, section 6) //
  drra_state_pkg::dpu_op_e op0, op1, ope0, unused_ope1;
  logic [15:0]             a0, b0, a1, b1, add0, add1;
  logic                    add0_valid, add1_valid;
  always_comb begin
    op0 = drra_state_pkg::OpIdle;
    op1 = drra_state_pkg::OpIdle;
    a0  = '0;
    b0  = '0;
    a1  = '0;
    b1  = '0;
    add0       = in2_i;
    add1       = in3_i;
    add0_valid = 1'b0;
    add1_valid = 1'b0;
    unique case (mode)
      drra_isa_pkg::DPU_MODE_ADD: begin
        {op0, a0, b0} = {drra_state_pkg::OpAdd, x0, x1};
        {op1, a1, b1} = {drra_state_pkg::OpAdd, x2, x3};
      end
      drra_isa_pkg::DPU_MODE_SUM_ACC: begin
        {op0, a0} = {drra_state_pkg::OpAcc, x0};
        {op1, a1} = {drra_state_pkg::OpAcc, x2};
      end
      drra_isa_pkg::DPU_MODE_ADD_CONST: begin
        {op0, a0, b0} = {drra_state_pkg::OpAdd, x0, ir0_q};
        {op1, a1, b1} = {drra_state_pkg::OpAdd, x2, ir1_q};
      end
      drra_isa_pkg::DPU_MODE_SUBT, drra_isa_pkg::DPU_MODE_SUBT_ABS: begin
        {op0, a0, b0} = {drra_state_pkg::OpAdd, x0, n1};
        {op1, a1, b1} = {drra_state_pkg::OpAdd, x2, n3};
      end
      drra_isa_pkg::DPU_MODE_MULT: begin
        {op0, a0, b0} = {drra_state_pkg::OpMul, x0, x1};
        {op1, a1, b1} = {drra_state_pkg::OpMul, x2, x3};
      end
      drra_isa_pkg::DPU_MODE_MULT_ADD: begin
        {op0, a0, b0} = {drra_state_pkg::OpMac, x0, x1};
        add0_valid = 1'b1;
      end
      drra_isa_pkg::DPU_MODE_MULT_CONST: begin
        {op0, a0, b0} = {drra_state_pkg::OpMul, x0, ir0_q};
        {op1, a1, b1} = {drra_state_pkg::OpMul, x2, ir1_q};
      end
      drra_isa_pkg::DPU_MODE_MAC: begin
        {op0, a0, b0} = {drra_state_pkg::OpMac, x0, x1};
        {op1, a1, b1} = {drra_state_pkg::OpMac, x2, x3};
      end
      drra_isa_pkg::DPU_MODE_AXPY: begin
        {op0, a0, b0} = {drra_state_pkg::OpMac, x0, ir0_q};
        {op1, a1, b1} = {drra_state_pkg::OpMac, x2, ir1_q};
        {add0_valid, add0} = {1'b1, in1_i};
        add1_valid = 1'b1;
      end
      drra_isa_pkg::DPU_MODE_MAX_MIN_ACC: begin
        {op0, a0, b0} = {drra_state_pkg::OpMax, x0, f0};
        {op1, a1, b1} = {drra_state_pkg::OpMin, x0, f1};
      end
      drra_isa_pkg::DPU_MODE_MAX_MIN_CONST: begin
        {op0, a0, b0} = {drra_state_pkg::OpMax, x0, ir0_q};
        {op1, a1, b1} = {drra_state_pkg::OpMin, x0, ir0_q};
      end
      drra_isa_pkg::DPU_MODE_MAX_MIN: begin
        {op0, a0, b0} = {drra_state_pkg::OpMax, x0, x1};
        {op1, a1, b1} = {drra_state_pkg::OpMin, x0, x1};
      end
      drra_isa_pkg::DPU_MODE_SHIFT_L: begin
        {op0, a0, b0} = {drra_state_pkg::OpShl, x0, x1};
        {op1, a1, b1} = {drra_state_pkg::OpShl, x2, x3};
      end
      drra_isa_pkg::DPU_MODE_SHIFT_R: begin
        {op0, a0, b0} = {drra_state_pkg::OpShr, x0, x1};
        {op1, a1, b1} = {drra_state_pkg::OpShr, x2, x3};
      end
      drra_isa_pkg::DPU_MODE_SIGM:   {op0, a0} = {drra_state_pkg::OpSigm, x0};
      drra_isa_pkg::DPU_MODE_TANHYP: {op0, a0} = {drra_state_pkg::OpTanh, x0};
      drra_isa_pkg::DPU_MODE_EXPON:  {op0, a0} = {drra_state_pkg::OpExp, x0};
      drra_isa_pkg::DPU_MODE_LK_RELU: begin
        {op0, a0} = {drra_state_pkg::OpMax, in0_i};
        {op1, a1, b1} = {drra_state_pkg::OpMul, in0_i, 8'd0, cur_const};
      end
      drra_isa_pkg::DPU_MODE_RELU: begin
        {op0, a0} = {drra_state_pkg::OpMax, x0};
        {op1, a1} = {drra_state_pkg::OpMax, x2};
      end
      drra_isa_pkg::DPU_MODE_DIV:         {op0, a0, b0} = {drra_state_pkg::OpDiv, x0, x1};
      drra_isa_pkg::DPU_MODE_DIV_SOFTMAX: {op0, a0}     = {drra_state_pkg::OpDiv, x0};
      drra_isa_pkg::DPU_MODE_ACC_SOFTMAX: begin
        a0        = x0;
        {op1, a1} = {drra_state_pkg::OpAcc, x0};
      end
      drra_isa_pkg::DPU_MODE_LD_ACC: begin
        {op0, a0} = {drra_state_pkg::OpLd, x0};
        {op1, a1} = {drra_state_pkg::OpLd, x2};
      end
      drra_isa_pkg::DPU_MODE_MAC_INTER: begin
        {op0, a0, b0} = {drra_state_pkg::OpMac, x0, ir0_q};
        {op1, a1, b1} = {drra_state_pkg::OpMac, x2, ir1_q};
      end
      default: ;  // idle, ld_ir, scaler and the unnamed modes
    endcase
  end

  // Stage C: channels, squash unit, divider //
  logic [31:0] acc0, acc1, div_p3, unit0, divisor, sm_reg_q;
  logic [15:0] squash, dividend;

  drra_state_pkg::dpu_status_e status0, status1;

  drra_dpu_channel u_channel0 (
    .clk_i,
    .rst_ni,
    .op_i          (op0),
    .x_i           (a0),
    .y_i           (b0),
    .addend_valid_i(add0_valid),
    .addend_i      (add0),
    .lane_i        (lane_c),
    .fx_i          (fx),
    .sat_i         (sat),
    .clear_i       (clear_all),
    .unit_i        (unit0),
    .ope_o         (ope0),
    .acc_o         (acc0),
    .status_o      (status0)
  );

  drra_dpu_channel u_channel1 (
    .clk_i,
    .rst_ni,
    .op_i          (op1),
    .x_i           (a1),
    .y_i           (b1),
    .addend_valid_i(add1_valid),
    .addend_i      (add1),
    .lane_i        (lane_c),
    .fx_i          (fx),
    .sat_i         (sat),
    .clear_i       (clear_all),
    .unit_i        ('0),
    .ope_o         (unused_ope1),
    .acc_o         (acc1),
    .status_o      (status1)
  );

  drra_dpu_squash u_squash (
    .op_i(ope0),
    .x_i (a0),
    .y_o (squash)
  );

  drra_dpu_divider u_divider (
    .clk_i,
    .rst_ni,
    .dividend_i(dividend),
    .divisor_i (divisor),
    .div_p3_o  (div_p3)
  );

  always_comb begin
    unit0    = {{16{squash[15]}}, squash};
    dividend = 16'd1;
    divisor  = 32'd1;
    unique case (ope0)
      drra_state_pkg::OpIdle, drra_state_pkg::OpSigm, drra_state_pkg::OpTanh: dividend = 16'd0;
      drra_state_pkg::OpExp: begin
        unit0    = {20'd0, div_p3[12], div_p3[10:0]};
        dividend = 16'h0800;
        divisor  = {{16{squash[15]}}, squash};
      end
      drra_state_pkg::OpDiv: begin
        unit0    = div_p3;
        dividend = a0;
        divisor  = (mode == drra_isa_pkg::DPU_MODE_DIV_SOFTMAX) ? sm_reg_q : {{16{b0[15]}}, b0};
      end
      default: ;
    endcase
  end

  // Stages D and E: output formatting and select //
  logic product0, product1;
  always_comb begin
    product0 = 1'b0;
    product1 = 1'b0;
    unique case (mode)
      drra_isa_pkg::DPU_MODE_MULT, drra_isa_pkg::DPU_MODE_MULT_CONST, drra_isa_pkg::DPU_MODE_MAC,
      drra_isa_pkg::DPU_MODE_AXPY, drra_isa_pkg::DPU_MODE_MAC_INTER: {product0, product1} = 2'b11;
      drra_isa_pkg::DPU_MODE_MULT_ADD:                               product0 = 1'b1;
      drra_isa_pkg::DPU_MODE_LK_RELU:                                product1 = 1'b1;
      default: ;
    endcase
  end
  drra_lane_format u_format0 (
    .lane_i (lane_o),
    .scale_i(fx && product0),
    .sat_i  (sat),
    .acc_i  (acc0),
    .v_o    (f0)
  );
  drra_lane_format u_format1 (
    .lane_i (lane_o),
    .scale_i(fx && product1),
    .sat_i  (sat),
    .acc_i  (acc1),
    .v_o    (f1)
  );
  logic [15:0] pack_reg, sel0, sel1;
  always_comb begin
    sel0 = '0;
    sel1 = '0;
    unique case (mode)
      drra_isa_pkg::DPU_MODE_ADD, drra_isa_pkg::DPU_MODE_SUM_ACC, drra_isa_pkg::DPU_MODE_ADD_CONST,
      drra_isa_pkg::DPU_MODE_SUBT, drra_isa_pkg::DPU_MODE_SUBT_ABS, drra_isa_pkg::DPU_MODE_MULT,
      drra_isa_pkg::DPU_MODE_MULT_ADD, drra_isa_pkg::DPU_MODE_MULT_CONST,
      drra_isa_pkg::DPU_MODE_MAC, drra_isa_pkg::DPU_MODE_AXPY, drra_isa_pkg::DPU_MODE_MAX_MIN_ACC,
      drra_isa_pkg::DPU_MODE_MAX_MIN_CONST, drra_isa_pkg::DPU_MODE_MAX_MIN,
      drra_isa_pkg::DPU_MODE_SHIFT_L, drra_isa_pkg::DPU_MODE_SHIFT_R,
      drra_isa_pkg::DPU_MODE_MAC_INTER: begin
        sel0 = f0;
        sel1 = f1;
      end
      drra_isa_pkg::DPU_MODE_SIGM, drra_isa_pkg::DPU_MODE_TANHYP, drra_isa_pkg::DPU_MODE_EXPON:
        sel0 = acc0[15:0];
      drra_isa_pkg::DPU_MODE_LK_RELU: sel0 = (status0 == drra_state_pkg::StatusGreater) ? f0 : f1;
      drra_isa_pkg::DPU_MODE_RELU: begin
        sel0 = (status0 == drra_state_pkg::StatusGreater) ? f0 : '0;
        sel1 = (status1 == drra_state_pkg::StatusGreater) ? f1 : '0;
      end
      drra_isa_pkg::DPU_MODE_DIV, drra_isa_pkg::DPU_MODE_DIV_SOFTMAX: sel0 = f0;
      drra_isa_pkg::DPU_MODE_ACC_SOFTMAX: sel1 = f1;
      drra_isa_pkg::DPU_MODE_SCALE_DW, drra_isa_pkg::DPU_MODE_SCALE_UP: sel0 = pack_reg;
      default: ;
    endcase
  end
  // Twice the absolute value is once, so one stage serves mode and io_change.
  logic absolute;
  assign absolute = cur_io == drra_isa_pkg::DPU_IO_CHANGE_ABS_OUT ||
                    mode == drra_isa_pkg::DPU_MODE_SUBT_ABS;
  drra_lane_abs u_abs0 (
    .lane_i(lane_o),
    .en_i  (absolute),
    .v_i   (sel0),
    .v_o   (out0_o)
  );
  drra_lane_abs u_abs1 (
    .lane_i(lane_o),
    .en_i  (absolute),
    .v_i   (sel1),
    .v_o   (out1_o)
  );
  assign cond_status_o = status0;

  drra_dpu_scaler u_scaler (
    .clk_i,
    .rst_ni,
    .down_i    (mode == drra_isa_pkg::DPU_MODE_SCALE_DW),
    .up_i      (mode == drra_isa_pkg::DPU_MODE_SCALE_UP),
    .launch_i  (launch),
    .lanes_i   (drra_pkg::LanesOfBw[cfg_q.bw_reg]),
    .in0_i,
    .factor_i  (cur_const),
    .pack_reg_o(pack_reg)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sh_q     <= '0;
      cfg_q    <= '0;
      ir0_q    <= '0;
      ir1_q    <= '0;
      sm_reg_q <= '0;
    end else begin
      sh_q  <= sh_d;
      cfg_q <= cfg_d;
      if (mode == drra_isa_pkg::DPU_MODE_LD_IR) begin
        ir0_q <= x0;
        ir1_q <= x2;
      end
      if (mode == drra_isa_pkg::DPU_MODE_ACC_SOFTMAX) sm_reg_q <= acc1;
    end
  end

  `DRRA_ASSERT(EmptyShadowIsClear, sh_q.sh_valid || (sh_q == '0))
  `DRRA_ASSERT(WidthRegisterLegal, cfg_q.bw_reg != drra_isa_pkg::BW_CONFIG_FX16)
  `DRRA_CHECK_NEXT(FlagEmptiesShadow, immediate_i, !sh_q.sh_valid)
  `DRRA_CHECK_NEXT(InstructionWaitsForFlag, !immediate_i && dpu_i.dpu_start, sh_q.sh_valid)
  `DRRA_CHECK_STABLE(ShadowHoldsWithoutFlag, !immediate_i && !dpu_i.dpu_start, sh_q)
  `DRRA_CHECK_STABLE(InstructionHoldsUntilLaunch, !launch, cfg_q.instr)
  `DRRA_CHECK_NEXT(CountStartsAgain, launch || count_hit, cfg_q.acc_cnt == '0)
  `DRRA_CHECK_NEXT(ClearEmptiesAccumulators, clear_all, acc0 == '0 && (acc1 == '0))
  `DRRA_CHECK_STABLE(ConstantsHoldOutsideLdIr, mode != drra_isa_pkg::DPU_MODE_LD_IR,
                     {ir0_q, ir1_q})
  `DRRA_CHECK_STABLE(SumHoldsOutsideAccSoftmax, mode != drra_isa_pkg::DPU_MODE_ACC_SOFTMAX,
                     sm_reg_q)
  `DRRA_COVER(LaunchedAtOnce, immediate_i && dpu_i.dpu_start && !sh_q.sh_valid)
  `DRRA_COVER(LaunchedAfterWaiting, immediate_i && !dpu_i.dpu_start && sh_q.sh_valid)
  `DRRA_COVER(ReplacedWhileWaiting, !immediate_i && dpu_i.dpu_start && sh_q.sh_valid)
  `DRRA_COVER(CountClears, count_hit && !launch)
endmodule
