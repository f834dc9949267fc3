// SPDX-License-Identifier: MIT OR Apache-2.0
// Address generation unit of the register file (chapter 3, section 6). `en_o` and `addr_o` are
// combinational: without an initial delay, the first address is delivered in the launch cycle.
`include "drra_assert.svh"

module drra_agu
  import drra_isa_pkg::*, drra_state_pkg::*;
#(
  parameter int unsigned AddrW = 6
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             launch_i,
  input  agu_cfg_t         cfg_i,  // meaningful with launch_i
  output logic             en_o,
  output logic [AddrW-1:0] addr_o,
  output logic             busy_o
);
  typedef struct packed {
    logic [5:0]       p_init_delay;
    logic [5:0]       p_l1_iter;
    logic [5:0]       p_l1_delay;
    logic [5:0]       p_l2_iter;
    logic [5:0]       p_l2_delay;
    logic [AddrW-1:0] p_init_addr;
    logic [AddrW-1:0] p_l1_step;
    logic [AddrW-1:0] p_l2_step;
    refi_l1_step_sign_e p_l1_step_sign;
  } pattern_t;

  typedef struct packed {
    agu_state_e       state;
    logic [5:0]       init_cnt;
    logic [5:0]       l1_dly_cnt;
    logic [5:0]       l2_dly_cnt;
    logic [5:0]       l1_cnt;
    logic [5:0]       l2_cnt;
    logic [AddrW-1:0] row_base;
    logic [AddrW-1:0] addr_reg;
  } state_t;

  pattern_t p_q;
  state_t st_q, st_d;
  logic done;

  // Addresses are truncated //
  if (AddrW < 6) begin : gen_unused
    logic unused_addr_bits;
    assign unused_addr_bits = ^{cfg_i.init_addr[5:AddrW], cfg_i.l1_step[5:AddrW],
                                cfg_i.l2_step[5:AddrW]};
  end

  always_comb begin
    en_o          = 1'b0;
    addr_o        = '0;
    done          = 1'b0;
    st_d          = '0;
    st_d.state    = st_q.state;
    st_d.l2_cnt   = st_q.l2_cnt;
    st_d.row_base = st_q.row_base;
    case (st_q.state)
      AguIdle: begin
        if (launch_i) begin
          if (cfg_i.init_delay == 6'd0) begin
            en_o   = 1'b1;
            addr_o = cfg_i.init_addr[AddrW-1:0];
            if (cfg_i.l1_delay != '0) begin
              st_d.state      = AguRun;
              st_d.l1_dly_cnt = 6'd1;
              st_d.addr_reg   = cfg_i.init_addr[AddrW-1:0];
            end else if (cfg_i.l1_iter != '0) begin
              st_d.state = AguRun;
              st_d.l1_cnt = 6'd1;
              st_d.addr_reg = cfg_i.l1_step_sign
                            ? cfg_i.init_addr[AddrW-1:0] - cfg_i.l1_step[AddrW-1:0]
                            : cfg_i.init_addr[AddrW-1:0] + cfg_i.l1_step[AddrW-1:0];
            end else if (cfg_i.l2_iter == '0) begin
              done = 1'b1;
            end else begin
              st_d.l2_cnt   = 6'd1;
              st_d.row_base = p_q.p_init_addr + p_q.p_l2_step;  // of the previous pattern (6.3)
              if (cfg_i.l2_delay == '0) begin
                st_d.state    = AguRun;
                st_d.addr_reg = cfg_i.init_addr[AddrW-1:0] + cfg_i.l2_step[AddrW-1:0];
              end else begin
                st_d.state    = AguRowWait;
                st_d.l1_cnt   = 6'd1;
                st_d.addr_reg = cfg_i.init_addr[AddrW-1:0];
              end
            end
          end else if (cfg_i.init_delay == 6'd1) begin
            st_d.state    = AguRun;
            st_d.addr_reg = cfg_i.init_addr[AddrW-1:0];
          end else begin
            st_d.state    = AguInitWait;
            st_d.init_cnt = 6'd1;
          end
        end
      end
      AguInitWait: begin
        if (st_q.init_cnt == p_q.p_init_delay - 6'd1) begin
          st_d.state    = AguRun;
          st_d.addr_reg = p_q.p_init_addr;
        end else begin
          st_d.init_cnt = st_q.init_cnt + 6'd1;
        end
      end
      AguRun: begin
        en_o = st_q.l1_dly_cnt == '0;
        addr_o = st_q.addr_reg;
        st_d.addr_reg = p_q.p_l1_step_sign ? st_q.addr_reg - p_q.p_l1_step
                                           : st_q.addr_reg + p_q.p_l1_step;
        if (st_q.l1_cnt == p_q.p_l1_iter) begin
          if (p_q.p_l2_iter == '0 || st_q.l2_cnt == p_q.p_l2_iter) begin
            done       = 1'b1;
            st_d.state = AguIdle;
          end else begin
            st_d.l2_cnt = st_q.l2_cnt + 6'd1;
            st_d.row_base = ((st_q.l2_cnt == '0) ? p_q.p_init_addr : st_q.row_base) + p_q.p_l2_step;
            if (p_q.p_l2_delay != '0) begin
              st_d.state    = AguRowWait;
              st_d.addr_reg = st_q.addr_reg;
            end else if (p_q.p_l1_iter != '0) begin
              st_d.state = AguRowStart;
            end else begin
              st_d.addr_reg = st_q.addr_reg + p_q.p_l2_step;
            end
          end
        end else if (st_q.l1_dly_cnt != p_q.p_l1_delay) begin
          st_d.l1_dly_cnt = st_q.l1_dly_cnt + 6'd1;
          st_d.l1_cnt     = st_q.l1_cnt;
          st_d.addr_reg   = st_q.addr_reg;
        end else begin
          st_d.l1_cnt = st_q.l1_cnt + 6'd1;
        end
      end
      AguRowWait: begin
        st_d.addr_reg = st_q.addr_reg;
        if (st_q.l2_dly_cnt == p_q.p_l2_delay - 6'd1) begin
          if (p_q.p_l1_iter == '0) begin
            st_d.state    = AguRun;
            st_d.addr_reg = st_q.addr_reg + p_q.p_l2_step;
          end else begin
            st_d.state = AguRowStart;
          end
        end else begin
          st_d.l2_dly_cnt = st_q.l2_dly_cnt + 6'd1;
        end
      end
      AguRowStart: begin
        en_o       = 1'b1;
        addr_o     = st_q.row_base;
        st_d.state = AguRun;
        if (p_q.p_l1_delay != '0) begin
          st_d.l1_dly_cnt = 6'd1;
          st_d.addr_reg   = st_q.row_base;
        end else begin
          st_d.l1_cnt = 6'd1;
          st_d.addr_reg = p_q.p_l1_step_sign ? st_q.row_base - p_q.p_l1_step
                                             : st_q.row_base + p_q.p_l1_step;
        end
      end
      // verilator coverage_off
      default: st_d.state = AguIdle;  // codes 5 to 7 are unused
      // verilator coverage_on
    endcase
    if (done) st_d.l2_cnt = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      p_q  <= '0;
      st_q <= '{state: AguIdle, default: '0};
    end else begin
      if (launch_i) begin  // in every state
        p_q <= '{
          p_init_delay: cfg_i.init_delay,
          p_l1_iter: cfg_i.l1_iter,
          p_l1_delay: cfg_i.l1_delay,
          p_l2_iter: cfg_i.l2_iter,
          p_l2_delay: cfg_i.l2_delay,
          p_init_addr: cfg_i.init_addr[AddrW-1:0],
          p_l1_step: cfg_i.l1_step[AddrW-1:0],
          p_l2_step: cfg_i.l2_step[AddrW-1:0],
          p_l1_step_sign: cfg_i.l1_step_sign
        };
      end else if (done) begin
        p_q <= '0;
      end
      st_q <= st_d;
    end
  end

  agu_state_e state;
  assign state  = st_q.state;
  assign busy_o = state != AguIdle;

  `DRRA_ASSERT_INIT(AddrWidthRange, AddrW >= 1 && AddrW <= 6)

  // Counters have no upper bound here: a launch into a busy AGU may set a limit that a counter has
  // already passed, and the counter then continues through 63 (6.5).
  `DRRA_ASSERT(StateLegal, st_q.state <= AguRowStart)
  `DRRA_ASSERT(InitCountOnlyInInitWait, st_q.init_cnt == '0 || (st_q.state == AguInitWait))
  `DRRA_ASSERT(RowDelayOnlyInRowWait, st_q.l2_dly_cnt == '0 || (st_q.state == AguRowWait))
  // verilog_format: off -- it breaks conditions of assertions at any operator
  `DRRA_CHECK(CountsOnlyInTheirStates,
              (st_q.state == AguRun || (st_q.l1_dly_cnt == '0)) &&
              (st_q.state != AguIdle || ({st_q.l1_cnt, st_q.l2_cnt} == '0)))
  `DRRA_CHECK(IdleNeedsLaunchForAddress, !en_o || busy_o || launch_i)

  // Legal successors of a state; the last address always leads to IDLE.
  `DRRA_CHECK_NEXT(LastAddressLeadsToIdle, done, state == AguIdle)
  `DRRA_CHECK_NEXT(LaunchLeavesIdle, state == AguIdle && launch_i && !done,
                   state inside {AguInitWait, AguRun, AguRowWait})
  `DRRA_CHECK_NEXT(IdleWaitsForLaunch, state == AguIdle && !launch_i, state == AguIdle)
  `DRRA_CHECK_NEXT(InitWaitLeadsToRun, state == AguInitWait, state inside {AguInitWait, AguRun})
  `DRRA_CHECK_NEXT(RunLeadsToRows, state == AguRun && !done,
                   state inside {AguRun, AguRowWait, AguRowStart})
  `DRRA_CHECK_NEXT(RowWaitLeadsToRow, state == AguRowWait,
                   state inside {AguRowWait, AguRowStart, AguRun})
  `DRRA_CHECK_NEXT(RowStartLeadsToRun, state == AguRowStart, state == AguRun)
  `DRRA_CHECK_STABLE(ConfigurationHoldsUntilLaunch, busy_o && !done && !launch_i, p_q)
  `DRRA_COVER(LaunchWithAddress, !busy_o && launch_i && en_o)
  `DRRA_COVER(LaunchWithDelay, !busy_o && launch_i && !en_o)
  `DRRA_COVER(LaunchWhileBusy, busy_o && launch_i)
  `DRRA_COVER(InitWaitEnds, state == AguRun && $past(state) == AguInitWait)
  `DRRA_COVER(RowWithoutDelay, state == AguRowStart && $past(state) == AguRun)
  `DRRA_COVER(RowAfterDelay, state == AguRowStart && $past(state) == AguRowWait)
  `DRRA_COVER(RowOfOneAddress, state == AguRun && $past(state) == AguRowWait)
  `DRRA_COVER(Ends, busy_o && done)
endmodule
