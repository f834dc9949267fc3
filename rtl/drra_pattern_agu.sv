// SPDX-License-Identifier: MIT OR Apache-2.0
// Address generator of an SRAM tile, with two pattern levels (chapter 6, 7.1), and of the I/O unit,
// with one (chapter 7, A4). Outputs are registers.
`include "drra_assert.svh"

module drra_pattern_agu
  import drra_state_pkg::*;
#(
  parameter type cfg_t = sram_cfg_t,
  parameter type state_t = sram_agu_t,
  parameter bit TwoLevels = 1'b1,  // both types have the members of a second level
  parameter int unsigned AddrW = 7  // addresses wrap modulo 2**AddrW
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             new_valid_i,
  input  cfg_t             new_cfg_i,
  output logic             en_o,
  output logic [AddrW-1:0] addr_o,
  output cfg_t             cfg_o,  // of the running pattern
  output logic             busy_o
);
  state_t st_q, st_d, st_level1;
  cfg_t cfg_q, cfg_d, cfg_level1;

  // Addresses wrap modulo the depth of the memory.
  localparam int unsigned StoredW = $bits(st_q.addr);
  localparam logic [StoredW-1:0] AddrMask = StoredW'((64'd1 << AddrW) - 1);

  // First level //
  logic accept;  // a new configuration is taken, if there is one
  logic level1_done;  // the last access of a row has been made
  logic row_left;  // another row follows
  logic row_due;  // the delay of that row is over
  logic [StoredW-1:0] row_addr;
  always_comb begin
    st_level1           = st_q;
    st_level1.cfg_valid = 1'b0;
    st_level1.en        = 1'b0;
    st_level1.init_cnt  = '0;
    st_level1.l1_dly    = '0;
    cfg_level1          = cfg_q;
    accept              = 1'b0;
    level1_done         = 1'b0;
    case (st_q.state)
      PatIdle: begin
        if (!st_q.cfg_valid) begin
          accept = 1'b1;
        end else if (cfg_q.init_delay != '0) begin
          st_level1.state    = PatInitWait;
          st_level1.init_cnt = 1;
        end else begin
          st_level1.state = PatRun;
          st_level1.en    = 1'b1;
          st_level1.addr  = cfg_q.init_addr;
        end
      end
      PatInitWait: begin
        if (st_q.init_cnt < cfg_q.init_delay) begin
          st_level1.init_cnt = st_q.init_cnt + 1'b1;
        end else begin
          st_level1.state = PatRun;
          st_level1.en    = 1'b1;
          st_level1.addr  = cfg_q.init_addr;
        end
      end
      default: begin
        if (st_q.l1_cnt < cfg_q.l1_iter) begin
          if (st_q.l1_dly < cfg_q.l1_delay) begin
            st_level1.l1_dly = st_q.l1_dly + 1'b1;
          end else begin
            st_level1.en     = 1'b1;
            st_level1.addr   = (st_q.addr + StoredW'($signed(cfg_q.l1_step))) & AddrMask;
            st_level1.l1_cnt = st_q.l1_cnt + 1'b1;
          end
        end else begin
          level1_done = 1'b1;
          if (row_left) begin
            if (row_due) begin
              st_level1.en     = 1'b1;
              st_level1.addr   = row_addr;
              st_level1.l1_cnt = '0;
            end
          end else begin
            st_level1.state  = PatIdle;
            st_level1.l1_cnt = '0;
            accept           = 1'b1;
          end
        end
      end
    endcase
    if (accept) begin
      st_level1.cfg_valid = new_valid_i;
      cfg_level1          = new_valid_i ? new_cfg_i : '0;
    end
  end

  // Second level: rows; the next row starts at init_addr + l2_step //
  if (TwoLevels) begin : gen_rows
    assign row_left = st_q.l2_cnt < cfg_q.l2_iter;
    assign row_due  = st_q.l2_dly >= cfg_q.l2_delay;
    assign row_addr = (cfg_q.init_addr + StoredW'($signed(cfg_q.l2_step))) & AddrMask;
    always_comb begin
      st_d        = st_level1;
      st_d.l2_dly = '0;
      cfg_d       = cfg_level1;
      if (level1_done) begin
        if (!row_left) begin
          st_d.l2_cnt = '0;
        end else if (row_due) begin
          st_d.l2_cnt     = st_q.l2_cnt + 1'b1;
          cfg_d.init_addr = row_addr;
        end else begin
          st_d.l2_dly = st_q.l2_dly + 1'b1;
        end
      end
    end

    `DRRA_CHECK(RowsCountOnlyInRun, st_q.state == PatRun || ({st_q.l2_cnt, st_q.l2_dly} == '0))
    `DRRA_CHECK(RowsWithinLimits, st_q.l2_cnt <= cfg_q.l2_iter && st_q.l2_dly <= cfg_q.l2_delay)
    `DRRA_CHECK_STABLE(RowsHoldInPattern, !accept, {
                       cfg_q.init_delay,
                       cfg_q.l1_iter,
                       cfg_q.l1_step,
                       cfg_q.l1_delay,
                       cfg_q.l2_iter,
                       cfg_q.l2_step,
                       cfg_q.l2_delay
                       })
    `DRRA_COVER(NextRow, level1_done && row_left && row_due)
    `DRRA_COVER(RowWaits, level1_done && row_left && !row_due)
  end else begin : gen_one_row
    assign row_left = 1'b0;
    assign row_due  = 1'b0;
    assign row_addr = '0;
    assign st_d     = st_level1;
    assign cfg_d    = cfg_level1;

    logic unused_done;
    assign unused_done = level1_done;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      st_q  <= '{state: PatIdle, default: '0};
      cfg_q <= '0;
    end else begin
      st_q  <= st_d;
      cfg_q <= cfg_d;
    end
  end

  assign en_o   = st_q.en;
  assign addr_o = st_q.addr[AddrW-1:0];
  assign cfg_o  = cfg_q;
  assign busy_o = st_q.state != PatIdle;

  `DRRA_ASSERT_INIT(AddressesAreStored, AddrW <= StoredW)
  `DRRA_ASSERT(StateLegal, st_q.state <= PatRun)
  `DRRA_ASSERT(AccessOnlyInRun, !st_q.en || (st_q.state == PatRun))

  // Legal steps of the state machine: a configuration waits one cycle in IDLE, a pattern starts
  // with an access, and nothing that was accepted is lost.
  `DRRA_CHECK_NEXT(IdleEndsWithConfiguration, st_q.state == PatIdle,
                   (st_q.state != PatIdle) == $past(st_q.cfg_valid))
  `DRRA_CHECK_NEXT(WaitLeadsToRun, st_q.state == PatInitWait,
                   st_q.state inside {PatInitWait, PatRun})
  `DRRA_CHECK_NEXT(RunLeadsToIdle, st_q.state == PatRun, st_q.state inside {PatRun, PatIdle})
  `DRRA_CHECK_NEXT(PatternStartsWithAccess, st_q.state != PatRun, st_q.en || st_q.state != PatRun)
  // verilog_format: off -- it breaks conditions of assertions at any operator
  `DRRA_CHECK_NEXT(AcceptedConfigurationIsKept, 1'b1,
                   st_q.cfg_valid == $past(accept && new_valid_i))
  `DRRA_CHECK_NEXT(AddressHoldsWithoutAccess, 1'b1, st_q.en || $stable(st_q.addr))
  `DRRA_CHECK_STABLE(ConfigurationHoldsInPattern, !accept && !(level1_done && row_due), cfg_q)
  `DRRA_CHECK(CountsOnlyInTheirStates,
              (st_q.state == PatInitWait || (st_q.init_cnt == '0)) &&
              (st_q.state == PatRun || ({st_q.l1_cnt, st_q.l1_dly} == '0)) &&
              (st_q.state == PatIdle || !st_q.cfg_valid))
  `DRRA_CHECK(CountsWithinLimits, st_q.init_cnt <= cfg_q.init_delay &&
              st_q.l1_cnt <= cfg_q.l1_iter && st_q.l1_dly <= cfg_q.l1_delay)
  `DRRA_COVER(StartsAtOnce, st_q.state == PatRun && $past(st_q.state) == PatIdle)
  `DRRA_COVER(StartsAfterWaiting, st_q.state == PatRun && $past(st_q.state) == PatInitWait)
  `DRRA_COVER(WaitsBetweenAccesses, st_q.l1_dly != '0)
  `DRRA_COVER(Ends, st_q.state == PatIdle && $past(st_q.state) == PatRun)
  `DRRA_COVER(AcceptsWithItsLastAccess, st_q.state == PatRun && accept && new_valid_i)
  `DRRA_COVER(RefusesWhileItRuns, st_q.state == PatRun && !accept && new_valid_i)
endmodule
