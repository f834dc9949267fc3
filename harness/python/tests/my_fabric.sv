// SPDX-License-Identifier: MIT OR Apache-2.0
// A part of a fabric of two columns under other names: the pipeline that distributes program words (chapter 5, 5.2).
module my_fabric #(
  parameter Fault = 0  // the second stage loses the highest bit of each word
) (
  input clock, reset_n, load, flag,
  input [26:0] word,
  input [1:0] rows, columns
);
  reg [32:0] stage [0:1];
  always @(posedge clock, negedge reset_n)
    if (!reset_n) begin
      stage[0] <= 0;
      stage[1] <= 0;
    end else begin
      stage[0] <= {load, flag, word, rows, columns};
      stage[1] <= Fault ? stage[0] & ~33'h0_4000_0000 : stage[0];
    end
endmodule
