// SPDX-License-Identifier: MIT OR Apache-2.0
// Number of the fault that is active in this simulation: the number in planted.txt in the current folder, or 0 without
// that file. In synthesis, the module is a black box, so that a netlist keeps the selection.
`ifdef SYNTHESIS
(* blackbox *)
`endif
module drra_planted (
  output logic [7:0] number_o
);
`ifndef SYNTHESIS
  integer file;
  integer found;
  initial begin
    number_o = 8'd0;
    file = $fopen("planted.txt", "r");
    if (file != 0) begin
      found = $fscanf(file, "%d", number_o);
      $fclose(file);
    end
  end
`endif
endmodule
