// SPDX-License-Identifier: MIT OR Apache-2.0
// Data processing unit of one cell (chapter 4): launch stage, operand conditioning and select,
// two channels, divider, squash unit, scaler, output formatting.
`include "drra_assert.svh"

module drra_dpu
  import drra_isa_pkg::*, drra_state_pkg::*, drra_pkg::*;
(
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  immediate_i,
  input  dpu_issue_t            dpu_i,
  input  logic [3:0][WordW-1:0] in_i,   // 0 and 1 of channel 0, 2 and 3 of channel 1
  output logic [1:0][WordW-1:0] out_o,  // combinational from registers
  output dpu_status_e           cond_status_o
);
  // Launch stage and configuration //

  dpu_shadow_t sh_q, sh_d;
  dpu_config_t cfg_q, cfg_d;
  logic launch;
  dpu_instr_t launched;
  logic [7:0] cur_const;
  dpu_io_change_e cur_io;
  dpu_mode_e mode;

  assign launch    = immediate_i && (dpu_i.dpu_start || sh_q.sh_valid);
  assign launched  = dpu_i.dpu_start ? dpu_i.instr : sh_q.sh_instr;
  assign cur_const = launch ? launched.cnst : cfg_q.instr.cnst;
  assign cur_io    = launch ? launched.io : cfg_q.instr.io;
  assign mode      = cfg_q.instr.mode;

  always_comb begin
    sh_d = sh_q;
    if (immediate_i) sh_d = '0;
    else if (dpu_i.dpu_start) sh_d = '{sh_valid: 1'b1, sh_instr: dpu_i.instr};
  end

  // Operand width and number format //
  logic lane_mode, counting, fx, sat, clear_all, count_hit;
  lane_e lane_c, lane_o;
  always_comb begin
    case (mode)
      DPU_MODE_ADD, DPU_MODE_SUM_ACC, DPU_MODE_ADD_CONST,
      DPU_MODE_SUBT, DPU_MODE_SUBT_ABS, DPU_MODE_MULT, DPU_MODE_MULT_ADD, DPU_MODE_MULT_CONST,
      DPU_MODE_MAC, DPU_MODE_LD_IR, DPU_MODE_AXPY,
      DPU_MODE_LD_ACC, DPU_MODE_MAC_INTER: begin
        lane_mode = 1'b1;
      end
      default: lane_mode = 1'b0;
    endcase
  end
  assign lane_c = lane_mode ? LanesOfBw[cfg_q.bw_reg] : Lane16;
  assign lane_o = lane_mode ? LanesOfBw[dpu_i.cfg_bw] : Lane16;
  assign fx = (lane_o == Lane16) &&
              (cfg_q.instr.control inside {DPU_CONTROL_NOSAT_FX, DPU_CONTROL_SAT_FX} ||
               dpu_i.cfg_bw == BW_CONFIG_FX16);
  assign sat = cfg_q.instr.control inside {DPU_CONTROL_SAT_INT, DPU_CONTROL_SAT_FX};

  // Accumulation count //
  assign counting  = mode inside {DPU_MODE_SUM_ACC, DPU_MODE_MAC, DPU_MODE_MAC_INTER,
                                  DPU_MODE_MAX_MIN_ACC};
  assign count_hit = counting && (cur_const != '0) && (cfg_q.acc_cnt == cur_const);
  assign clear_all = count_hit || (launch && mode != DPU_MODE_LD_ACC);

  always_comb begin
    cfg_d         = cfg_q;
    cfg_d.bw_reg  = (dpu_i.cfg_bw == BW_CONFIG_FX16) ? BW_CONFIG_INT16 : dpu_i.cfg_bw;
    cfg_d.acc_cnt = (launch || count_hit) ? '0 : cfg_q.acc_cnt + 8'd1;
    if (launch) cfg_d.instr = launched;
  end

  // Stage A: conditioned operands //
  logic [3:0][WordW-1:0] x, n;
  logic [WordW-1:0] ir0_q, ir1_q;
  for (genvar k = 0; k < 4; k++) begin : gen_operand
    localparam dpu_io_change_e Negated = (k % 2 == 0) ? DPU_IO_CHANGE_NEGATE_IN0
                                                      : DPU_IO_CHANGE_NEGATE_IN1;
    drra_lane_neg u_neg (
      .lane_i(lane_c),
      .v_i   (in_i[k]),
      .v_o   (n[k])
    );
    assign x[k] = (cur_io == Negated) ? n[k] : in_i[k];
  end

  // Stage B: operand select (chapter 4, section 6) //
  dpu_op_e [1:0] op, ope;
  logic [1:0][WordW-1:0] a, b, add, ir, f;
  logic [1:0] add_valid;
  assign ir = {ir1_q, ir0_q};
  always_comb begin
    op        = {2{OpIdle}};
    a         = '0;
    b         = '0;
    add       = {in_i[3], in_i[2]};
    add_valid = 2'b00;
    // Modes in which both channels do the same with their own operands.
    for (int unsigned k = 0; k < 2; k++) begin
      case (mode)
        DPU_MODE_ADD: {op[k], a[k], b[k]} = {OpAdd, x[2*k], x[2*k+1]};
        DPU_MODE_SUM_ACC: {op[k], a[k]} = {OpAcc, x[2*k]};
        DPU_MODE_ADD_CONST: {op[k], a[k], b[k]} = {OpAdd, x[2*k], ir[k]};
        DPU_MODE_SUBT, DPU_MODE_SUBT_ABS: {op[k], a[k], b[k]} = {OpAdd, x[2*k], n[2*k+1]};
        DPU_MODE_MULT: {op[k], a[k], b[k]} = {OpMul, x[2*k], x[2*k+1]};
        DPU_MODE_MULT_CONST: {op[k], a[k], b[k]} = {OpMul, x[2*k], ir[k]};
        DPU_MODE_MAC: {op[k], a[k], b[k]} = {OpMac, x[2*k], x[2*k+1]};
        DPU_MODE_AXPY, DPU_MODE_MAC_INTER: {op[k], a[k], b[k]} = {OpMac, x[2*k], ir[k]};
        DPU_MODE_SHIFT_L: {op[k], a[k], b[k]} = {OpShl, x[2*k], x[2*k+1]};
        DPU_MODE_SHIFT_R: {op[k], a[k], b[k]} = {OpShr, x[2*k], x[2*k+1]};
        DPU_MODE_RELU: {op[k], a[k]} = {OpMax, x[2*k]};
        DPU_MODE_LD_ACC: {op[k], a[k]} = {OpLd, x[2*k]};
        default: ;  // modes below, idle, ld_ir, scaler and the unnamed modes
      endcase
    end
    case (mode)
      DPU_MODE_MULT_ADD: begin
        {op[0], a[0], b[0]} = {OpMac, x[0], x[1]};
        add_valid           = 2'b01;
      end
      DPU_MODE_AXPY: begin
        add[0]    = in_i[1];
        add_valid = 2'b11;
      end
      DPU_MODE_MAX_MIN_ACC: begin
        {op[0], a[0], b[0]} = {OpMax, x[0], f[0]};
        {op[1], a[1], b[1]} = {OpMin, x[0], f[1]};
      end
      DPU_MODE_MAX_MIN_CONST: begin
        {op[0], a[0], b[0]} = {OpMax, x[0], ir[0]};
        {op[1], a[1], b[1]} = {OpMin, x[0], ir[0]};
      end
      DPU_MODE_MAX_MIN: begin
        {op[0], a[0], b[0]} = {OpMax, x[0], x[1]};
        {op[1], a[1], b[1]} = {OpMin, x[0], x[1]};
      end
      DPU_MODE_SIGM:   {op[0], a[0]} = {OpSigm, x[0]};
      DPU_MODE_TANHYP: {op[0], a[0]} = {OpTanh, x[0]};
      DPU_MODE_EXPON:  {op[0], a[0]} = {OpExp, x[0]};
      DPU_MODE_LK_RELU: begin
        {op[0], a[0]} = {OpMax, in_i[0]};
        {op[1], a[1], b[1]} = {OpMul, in_i[0], 8'd0, cur_const};
      end
      DPU_MODE_DIV: {op[0], a[0], b[0]} = {OpDiv, x[0], x[1]};
      DPU_MODE_DIV_SOFTMAX: {op[0], a[0]} = {OpDiv, x[0]};
      DPU_MODE_ACC_SOFTMAX: begin
        a[0]         = x[0];
        {op[1], a[1]} = {OpAcc, x[0]};
      end
      default: ;  // modes above, idle, ld_ir, scaler and the unnamed modes
    endcase
  end

  // Stages C to E: channels, output formatting //
  logic [1:0][AccW-1:0] acc;
  logic [AccW-1:0] div_p3, unit, divisor, sm_reg_q;
  logic [WordW-1:0] squash, dividend;
  logic [1:0] product;  // the mode selects MUL or MAC, per channel
  logic [1:0][WordW-1:0] sel;
  logic absolute;
  dpu_status_e [1:0] status;
  for (genvar k = 0; k < 2; k++) begin : gen_channel
    drra_dpu_channel u_channel (
      .clk_i,
      .rst_ni,
      .op_i          (op[k]),
      .x_i           (a[k]),
      .y_i           (b[k]),
      .addend_valid_i(add_valid[k]),
      .addend_i      (add[k]),
      .lane_i        (lane_c),
      .fx_i          (fx),
      .sat_i         (sat),
      .clear_i       (clear_all),
      .unit_i        ((k == 0) ? unit : '0),
      .ope_o         (ope[k]),
      .acc_o         (acc[k]),
      .status_o      (status[k])
    );
    drra_lane_format u_format (
      .lane_i (lane_o),
      .scale_i(fx && product[k]),
      .sat_i  (sat),
      .acc_i  (acc[k]),
      .v_o    (f[k])
    );
    drra_lane_abs u_abs (
      .lane_i(lane_o),
      .en_i  (absolute),
      .v_i   (sel[k]),
      .v_o   (out_o[k])
    );
  end

  logic unused_ope;
  assign unused_ope = ^ope[1];

  drra_dpu_squash u_squash (
    .op_i(ope[0]),
    .x_i (a[0]),
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
    unit     = {{16{squash[15]}}, squash};
    dividend = 16'd1;
    divisor  = 32'd1;
    case (ope[0])
      OpIdle, OpSigm, OpTanh: dividend = 16'd0;
      OpExp: begin
        unit     = {20'd0, div_p3[12], div_p3[10:0]};
        dividend = 16'h0800;
        divisor  = {{16{squash[15]}}, squash};
      end
      OpDiv: begin
        unit     = div_p3;
        dividend = a[0];
        divisor  = (mode == DPU_MODE_DIV_SOFTMAX) ? sm_reg_q : {{16{b[0][15]}}, b[0]};
      end
      default: ;
    endcase
  end

  // Stages D and E: output formatting and select //
  always_comb begin
    case (mode)
      DPU_MODE_MULT, DPU_MODE_MULT_CONST, DPU_MODE_MAC, DPU_MODE_AXPY, DPU_MODE_MAC_INTER: begin
        product = 2'b11;
      end
      DPU_MODE_MULT_ADD: product = 2'b01;
      DPU_MODE_LK_RELU:  product = 2'b10;
      default:           product = 2'b00;
    endcase
  end
  logic [WordW-1:0] pack_reg;
  always_comb begin
    sel = '0;
    case (mode)
      DPU_MODE_ADD, DPU_MODE_SUM_ACC, DPU_MODE_ADD_CONST,
      DPU_MODE_SUBT, DPU_MODE_SUBT_ABS, DPU_MODE_MULT, DPU_MODE_MULT_ADD, DPU_MODE_MULT_CONST,
      DPU_MODE_MAC, DPU_MODE_AXPY, DPU_MODE_MAX_MIN_ACC, DPU_MODE_MAX_MIN_CONST, DPU_MODE_MAX_MIN,
      DPU_MODE_SHIFT_L, DPU_MODE_SHIFT_R, DPU_MODE_MAC_INTER: begin
        sel = f;
      end
      DPU_MODE_SIGM, DPU_MODE_TANHYP, DPU_MODE_EXPON: sel[0] = acc[0][15:0];
      DPU_MODE_LK_RELU: sel[0] = (status[0] == StatusGreater) ? f[0] : f[1];
      DPU_MODE_RELU: begin
        for (int unsigned k = 0; k < 2; k++) begin
          if (status[k] == StatusGreater) sel[k] = f[k];
        end
      end
      DPU_MODE_DIV, DPU_MODE_DIV_SOFTMAX: sel[0] = f[0];
      DPU_MODE_ACC_SOFTMAX: sel[1] = f[1];
      DPU_MODE_SCALE_DW, DPU_MODE_SCALE_UP: sel[0] = pack_reg;
      default: ;
    endcase
  end
  // Taking the absolute value twice changes nothing, so one stage serves mode and io_change.
  assign absolute      = cur_io == DPU_IO_CHANGE_ABS_OUT || mode == DPU_MODE_SUBT_ABS;
  assign cond_status_o = status[0];

  drra_dpu_scaler u_scaler (
    .clk_i,
    .rst_ni,
    .down_i    (mode == DPU_MODE_SCALE_DW),
    .up_i      (mode == DPU_MODE_SCALE_UP),
    .launch_i  (launch),
    .lanes_i   (LanesOfBw[cfg_q.bw_reg]),
    .in0_i     (in_i[0]),
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
      if (mode == DPU_MODE_LD_IR) begin
        ir0_q <= x[0];
        ir1_q <= x[2];
      end
      if (mode == DPU_MODE_ACC_SOFTMAX) sm_reg_q <= acc[1];
    end
  end

  `DRRA_ASSERT(EmptyShadowIsClear, sh_q.sh_valid || (sh_q == '0))
  `DRRA_ASSERT(WidthRegisterLegal, cfg_q.bw_reg != BW_CONFIG_FX16)
  `DRRA_CHECK_NEXT(FlagEmptiesShadow, immediate_i, !sh_q.sh_valid)
  `DRRA_CHECK_NEXT(InstructionWaitsForFlag, !immediate_i && dpu_i.dpu_start, sh_q.sh_valid)
  `DRRA_CHECK_STABLE(ShadowHoldsWithoutFlag, !immediate_i && !dpu_i.dpu_start, sh_q)
  `DRRA_CHECK_STABLE(InstructionHoldsUntilLaunch, !launch, cfg_q.instr)
  `DRRA_CHECK_NEXT(CountStartsAgain, launch || count_hit, cfg_q.acc_cnt == '0)
  `DRRA_CHECK_NEXT(ClearEmptiesAccumulators, clear_all, acc == '0)
  `DRRA_CHECK_STABLE(ConstantsHoldOutsideLdIr, mode != DPU_MODE_LD_IR, {ir0_q, ir1_q})
  `DRRA_CHECK_STABLE(SumHoldsOutsideAccSoftmax, mode != DPU_MODE_ACC_SOFTMAX, sm_reg_q)
  `DRRA_COVER(LaunchedAtOnce, immediate_i && dpu_i.dpu_start && !sh_q.sh_valid)
  `DRRA_COVER(LaunchedAfterWaiting, immediate_i && !dpu_i.dpu_start && sh_q.sh_valid)
  `DRRA_COVER(ReplacedWhileWaiting, !immediate_i && dpu_i.dpu_start && sh_q.sh_valid)
  `DRRA_COVER(CountClears, count_hit && !launch)
endmodule
