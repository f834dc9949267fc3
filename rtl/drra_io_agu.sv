// SPDX-License-Identifier: MIT OR Apache-2.0
// Address generator of the I/O unit: one pattern level over a 25-bit block address (chapter 7, A4).
module drra_io_agu (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic                          new_valid_i,
  input  drra_state_pkg::io_cfg_t       new_cfg_i,
  output logic                          en_o,        // registers
  output logic [drra_pkg::BufAddrW-1:0] addr_o,
  output logic [drra_pkg::BlockWords-1:0] mask_o,
  output logic                          busy_o
);
  `include "drra_assert.svh"

  drra_state_pkg::io_agu_t st_q, st_d;
  drra_state_pkg::io_cfg_t cfg_q, cfg_d;
  logic                    accept;

  always_comb begin
    st_d           = st_q;
    st_d.cfg_valid = 1'b0;
    st_d.en        = 1'b0;
    st_d.init_cnt  = '0;
    st_d.l1_dly    = '0;
    cfg_d          = cfg_q;
    accept         = 1'b0;
    unique case (st_q.state)
      drra_state_pkg::PatIdle: begin
        if (!st_q.cfg_valid) begin
          accept = 1'b1;
        end else if (cfg_q.init_delay != '0) begin
          st_d.state    = drra_state_pkg::PatInitWait;
          st_d.init_cnt = 6'd1;
        end else begin
          st_d.state = drra_state_pkg::PatRun;
          st_d.en    = 1'b1;
          st_d.addr  = cfg_q.init_addr;
        end
      end
      drra_state_pkg::PatInitWait: begin
        if (st_q.init_cnt < cfg_q.init_delay) begin
          st_d.init_cnt = st_q.init_cnt + 6'd1;
        end else begin
          st_d.state = drra_state_pkg::PatRun;
          st_d.en    = 1'b1;
          st_d.addr  = cfg_q.init_addr;
        end
      end
      default: begin
        if (st_q.l1_cnt < cfg_q.l1_iter) begin
          if (st_q.l1_dly < cfg_q.l1_delay) begin
            st_d.l1_dly = st_q.l1_dly + 6'd1;
          end else begin
            st_d.en     = 1'b1;
            st_d.addr   = st_q.addr + {{20{cfg_q.l1_step[4]}}, cfg_q.l1_step};
            st_d.l1_cnt = st_q.l1_cnt + 5'd1;
          end
        end else begin
          st_d.state  = drra_state_pkg::PatIdle;
          st_d.l1_cnt = '0;
          accept      = 1'b1;
        end
      end
    endcase
    if (accept) begin
      st_d.cfg_valid = new_valid_i;
      cfg_d          = new_valid_i ? new_cfg_i : '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      st_q  <= '{state: drra_state_pkg::PatIdle, default: '0};
      cfg_q <= '0;
    end else begin
      st_q  <= st_d;
      cfg_q <= cfg_d;
    end
  end

  assign en_o   = st_q.en;
  assign addr_o = st_q.addr;
  assign mask_o = cfg_q.mask;
  assign busy_o = st_q.state != drra_state_pkg::PatIdle;

  `DRRA_ASSERT(StateLegal, st_q.state <= drra_state_pkg::PatRun)
  `DRRA_ASSERT(AccessOnlyInRun, !st_q.en || (st_q.state == drra_state_pkg::PatRun))

  // Legal steps of the state machine: a configuration waits one cycle in IDLE, a pattern starts
  // with an access, nothing that was accepted is lost.
  `DRRA_PAST(drra_state_pkg::io_agu_t, st_q)
  `DRRA_PAST(logic, accept)
  `DRRA_PAST(logic, new_valid_i)
  `DRRA_CHECK_STEP(StatesFollowTheirOrder,
                   st_q_past.state == drra_state_pkg::PatIdle
                   ? (st_q.state == drra_state_pkg::PatIdle) == !st_q_past.cfg_valid
                   : st_q_past.state == drra_state_pkg::PatInitWait
                   ? st_q.state inside {drra_state_pkg::PatInitWait, drra_state_pkg::PatRun}
                   : st_q.state inside {drra_state_pkg::PatRun, drra_state_pkg::PatIdle})
  `DRRA_CHECK_STEP(PatternStartsWithAccess, st_q.en || st_q.state != drra_state_pkg::PatRun ||
                   st_q_past.state == drra_state_pkg::PatRun)
  `DRRA_CHECK_STEP(AcceptedConfigurationIsKept,
                   st_q.cfg_valid == (accept_past && new_valid_i_past))
  `DRRA_CHECK_STEP(AddressHoldsWithoutAccess, st_q.en || st_q.addr == st_q_past.addr)
  `DRRA_CHECK_STABLE(ConfigurationHoldsInPattern, !accept, cfg_q)
  `DRRA_CHECK(CountsOnlyInTheirStates,
              (st_q.state == drra_state_pkg::PatInitWait || (st_q.init_cnt == '0)) &&
              (st_q.state == drra_state_pkg::PatRun || ({st_q.l1_cnt, st_q.l1_dly} == '0)) &&
              (st_q.state == drra_state_pkg::PatIdle || !st_q.cfg_valid))
  `DRRA_CHECK(CountsWithinLimits, st_q.init_cnt <= cfg_q.init_delay &&
              st_q.l1_cnt <= cfg_q.l1_iter && st_q.l1_dly <= cfg_q.l1_delay)
endmodule
