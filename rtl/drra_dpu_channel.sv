// SPDX-License-Identifier: MIT OR Apache-2.0
// One arithmetic channel of the DPU: operation, accumulator, compare status (chapter 4, 5.3).
`include "drra_assert.svh"

module drra_dpu_channel
  import drra_state_pkg::*, drra_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  input  dpu_op_e          op_i,            // operation of the mode in force
  input  logic [WordW-1:0] x_i,
  input  logic [WordW-1:0] y_i,
  input  logic             addend_valid_i,  // the mode supplies an addend
  input  logic [WordW-1:0] addend_i,
  input  lane_e            lane_i,
  input  logic             fx_i,
  input  logic             sat_i,
  input  logic             clear_i,
  input  logic [AccW-1:0]  unit_i,          // from the squash unit or the divider
  output dpu_op_e          ope_o,           // operation executed in this cycle
  output logic [AccW-1:0]  acc_o,
  output dpu_status_e      status_o
);
  logic [AccW-1:0] acc_q, acc_d, result;
  dpu_status_e status_q, status_d;
  dpu_op_e prev_op_q, ope;

  // From this distance on, a shift to the left yields 0, and a shift to the right only sign bits.
  localparam logic [WordW-1:0] ShiftEnd = WordW'(AccW);
  localparam logic [4:0] ShiftMost = 5'(AccW - 1);

  // A channel that becomes idle executes its last operation once more //
  assign ope = (op_i == OpIdle) ? prev_op_q : op_i;

  logic signed [WordW-1:0] xs, ys;
  assign xs = x_i;
  assign ys = y_i;

  // Operands in accumulator lanes, one multiplier, one adder //
  logic [AccW-1:0] wide_x, wide_y, wide_addend, product, term_a, term_b, sum;
  drra_lane_widen u_widen_x (
    .lane_i,
    .v_i(x_i),
    .v_o(wide_x)
  );
  drra_lane_widen u_widen_y (
    .lane_i,
    .v_i(y_i),
    .v_o(wide_y)
  );
  drra_lane_widen u_widen_addend (
    .lane_i,
    .v_i(addend_i),
    .v_o(wide_addend)
  );
  drra_lane_mul u_mul (
    .lane_i,
    .a_i(wide_x),
    .b_i(wide_y),
    .v_o(product)
  );
  always_comb begin
    term_a = (ope == OpMac) ? product : wide_x;
    term_b = acc_q;
    if (ope == OpAdd) begin
      term_b = wide_y;
    end else if (ope == OpMac && addend_valid_i) begin
      term_b = fx_i ? {{5{addend_i[15]}}, addend_i, 11'd0} : wide_addend;
    end
  end
  drra_lane_add u_add (
    .lane_i,
    .sat_i,
    .a_i(term_a),
    .b_i(term_b),
    .v_o(sum)
  );

  always_comb begin
    status_d = status_q;
    result   = '0;
    case (ope)
      OpMac, OpAdd, OpAcc: result = sum;
      OpMul: result = product;
      OpLd:  result = wide_x;
      OpShl: result = (y_i < ShiftEnd) ? {{16{x_i[15]}}, x_i} << y_i[4:0] : '0;
      OpShr: begin
        result = $signed({{16{x_i[15]}}, x_i}) >>> ((y_i < ShiftEnd) ? y_i[4:0] : ShiftMost);
      end
      OpMax, OpMin: begin
        if (xs > ys)       status_d = StatusGreater;
        else if (xs == ys) status_d = StatusEqual;
        else               status_d = StatusLess;
        if ((ope == OpMax) == (xs > ys)) result = {{16{x_i[15]}}, x_i};
        else                                             result = {{16{y_i[15]}}, y_i};
      end
      OpSigm, OpTanh, OpExp, OpDiv: result = unit_i;
      default: result = '0;
    endcase
  end
  assign acc_d = clear_i ? '0 : result;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      acc_q     <= '0;
      status_q  <= StatusLess;
      prev_op_q <= OpIdle;
    end else begin
      acc_q     <= acc_d;
      status_q  <= status_d;
      prev_op_q <= op_i;
    end
  end

  assign ope_o    = ope;
  assign acc_o    = acc_q;
  assign status_o = status_q;

  `DRRA_ASSERT(StatusLegal, status_q <= StatusEqual)
  // verilog_format: off -- it breaks conditions of assertions at any operator
  `DRRA_CHECK(OperationLegal, prev_op_q inside {
    OpIdle, OpMac, OpSigm, OpTanh, OpExp, OpMul, OpAdd, OpAcc, OpLd, OpDiv, OpShl, OpShr,
    OpMax, OpMin})
  `DRRA_CHECK_NEXT(TailLastsOneCycle, op_i == OpIdle, prev_op_q == OpIdle)
  `DRRA_CHECK_NEXT(IdleEmptiesAccumulator, ope == OpIdle, acc_q == '0)
  `DRRA_CHECK_STABLE(StatusHoldsWithoutCompare, !(ope inside {OpMax, OpMin}), status_q)
endmodule
