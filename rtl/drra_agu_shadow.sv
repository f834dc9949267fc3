// SPDX-License-Identifier: MIT OR Apache-2.0
// Shadow register in front of one AGU (chapter 3, 5.2). The launch is combinational.
`include "drra_assert.svh"

module drra_agu_shadow
  import drra_state_pkg::*;
(
  input  logic     clk_i,
  input  logic     rst_ni,
  input  logic     immediate_i,
  input  logic     hit_i,  // a REFI for this AGU is on cfg_i
  input  agu_cfg_t cfg_i,
  output logic     launch_o,
  output agu_cfg_t cfg_o
);
  agu_shadow_t sh_q, sh_d;

  always_comb begin
    sh_d = sh_q;
    if (immediate_i) sh_d = '0;
    else if (hit_i) sh_d = '{sh_valid: 1'b1, sh_cfg: cfg_i};
  end

  assign launch_o = immediate_i && (hit_i || sh_q.sh_valid);
  assign cfg_o    = hit_i ? cfg_i : sh_q.sh_cfg;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sh_q <= '0;
    else sh_q <= sh_d;
  end

  `DRRA_ASSERT(FlagEmptiesShadow, !immediate_i || !sh_d.sh_valid)
  `DRRA_ASSERT(EmptyShadowIsClear, sh_q.sh_valid || (sh_q == '0))
  `DRRA_CHECK_NEXT(ConfigurationWaitsForFlag, !immediate_i && hit_i, sh_q.sh_valid)
  `DRRA_CHECK_STABLE(ShadowHoldsWithoutFlag, !immediate_i && !hit_i, sh_q)
  `DRRA_COVER(LaunchedAtOnce, immediate_i && hit_i && !sh_q.sh_valid)
  `DRRA_COVER(LaunchedAfterWaiting, immediate_i && !hit_i && sh_q.sh_valid)
  `DRRA_COVER(ReplacedWhileWaiting, !immediate_i && hit_i && sh_q.sh_valid)
endmodule
