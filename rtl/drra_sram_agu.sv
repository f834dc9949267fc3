// SPDX-License-Identifier: MIT OR Apache-2.0
// Address generator of an SRAM tile: two pattern levels (chapter 6, 7.1). Outputs are registers.
module drra_sram_agu #(
  parameter int unsigned SramDepth = 128,
  localparam int unsigned AddrW = $clog2(SramDepth)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      new_valid_i,
  input  drra_state_pkg::sram_cfg_t new_cfg_i,
  output logic                      en_o,
  output logic [AddrW-1:0]          addr_o,
  output logic                      busy_o
);
  `include "drra_assert.svh"

  drra_state_pkg::sram_agu_t st_q, st_d;
  drra_state_pkg::sram_cfg_t cfg_q, cfg_d;
  logic                      accept;

  // Addresses wrap modulo the depth of the memory.
  localparam logic [6:0] AddrMask = 7'(SramDepth - 1);

  always_comb begin
    st_d           = st_q;
    st_d.cfg_valid = 1'b0;
    st_d.en        = 1'b0;
    st_d.init_cnt  = '0;
    st_d.l1_dly    = '0;
    st_d.l2_dly    = '0;
    cfg_d          = cfg_q;
    accept         = 1'b0;
    unique case (st_q.state)
      drra_state_pkg::PatIdle: begin
        if (!st_q.cfg_valid) begin
          accept = 1'b1;
        end else if (cfg_q.init_delay != '0) begin
          st_d.state    = drra_state_pkg::PatInitWait;
          st_d.init_cnt = 4'd1;
        end else begin
          st_d.state = drra_state_pkg::PatRun;
          st_d.en    = 1'b1;
          st_d.addr  = cfg_q.init_addr;
        end
      end
      drra_state_pkg::PatInitWait: begin
        if (st_q.init_cnt < cfg_q.init_delay) begin
          st_d.init_cnt = st_q.init_cnt + 4'd1;
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
            st_d.addr   = (st_q.addr + cfg_q.l1_step[6:0]) & AddrMask;
            st_d.l1_cnt = st_q.l1_cnt + 7'd1;
          end
        end else if (st_q.l2_cnt < cfg_q.l2_iter) begin
          if (st_q.l2_dly < cfg_q.l2_delay) begin
            st_d.l2_dly = st_q.l2_dly + 6'd1;
          end else begin
            st_d.en         = 1'b1;
            st_d.addr       = (cfg_q.init_addr + cfg_q.l2_step[6:0]) & AddrMask;
            st_d.l1_cnt     = '0;
            st_d.l2_cnt     = st_q.l2_cnt + 7'd1;
            cfg_d.init_addr = st_d.addr;
          end
        end else begin
          st_d.state  = drra_state_pkg::PatIdle;
          st_d.l1_cnt = '0;
          st_d.l2_cnt = '0;
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
  assign addr_o = st_q.addr[AddrW-1:0];
  assign busy_o = st_q.state != drra_state_pkg::PatIdle;

  `DRRA_ASSERT_INIT(DepthSupported, SramDepth >= 2 && SramDepth <= 128 &&
                                    SramDepth == (1 << AddrW))
  `DRRA_ASSERT(StateLegal, st_q.state <= drra_state_pkg::PatRun)
  `DRRA_ASSERT(AccessOnlyInRun, !st_q.en || (st_q.state == drra_state_pkg::PatRun))

  // Legal steps of the state machine: a configuration waits one cycle in IDLE, a pattern starts
  // with an access, nothing that was accepted is lost.
  `DRRA_PAST(drra_state_pkg::sram_agu_t, st_q)
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
  `DRRA_CHECK_STABLE(ConfigurationHoldsInPattern, !accept,  // but for the start of the row
                     {cfg_q.init_delay, cfg_q.l1_iter, cfg_q.l1_step, cfg_q.l1_delay,
                      cfg_q.l2_iter, cfg_q.l2_step, cfg_q.l2_delay})
  `DRRA_CHECK(CountsOnlyInTheirStates,
              (st_q.state == drra_state_pkg::PatInitWait || (st_q.init_cnt == '0)) &&
              (st_q.state == drra_state_pkg::PatRun ||
               ({st_q.l1_cnt, st_q.l2_cnt, st_q.l1_dly, st_q.l2_dly} == '0)) &&
              (st_q.state == drra_state_pkg::PatIdle || !st_q.cfg_valid))
  `DRRA_CHECK(CountsWithinLimits, st_q.init_cnt <= cfg_q.init_delay &&
              st_q.l1_cnt <= cfg_q.l1_iter && st_q.l1_dly <= cfg_q.l1_delay &&
              st_q.l2_cnt <= cfg_q.l2_iter && st_q.l2_dly <= cfg_q.l2_delay)
endmodule
