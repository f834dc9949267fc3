// SPDX-License-Identifier: MIT OR Apache-2.0
// Sliding window between all cells (chapter 5, section 3): every input of a cell selects one lane
// of the 2 rows x 5 columns around it. Combinational.
module drra_interconnect
  import drra_state_pkg::*, drra_pkg::*;
#(
  parameter int unsigned Cols = 8,
  localparam int unsigned Cells = Rows * Cols
) (
  input  logic [Cells-1:0][3:0][WordW-1:0]           lane_i,  // rf 0, rf 1, dpu 0, dpu 1
  input  swb_sel_t [Cells-1:0][SwbInputs-1:0]        sel_i,
  output logic [Cells-1:0][SwbInputs-1:0][WordW-1:0] vin_o    // w0, w1, dpu in 0 .. 3
);
  localparam logic [2:0] LastHop = 3'(WindowCols - 1);

  for (genvar r = 0; r < Rows; r++) begin : gen_row
    for (genvar c = 0; c < Cols; c++) begin : gen_col
      // The lanes in reach; positions beyond the edge of the array are 0.
      logic [3:0][WordW-1:0] window[2][WindowCols];
      for (genvar h = 0; h < WindowCols; h++) begin : gen_hop
        if (c + h >= Reach && c + h - Reach < Cols) begin : gen_inside
          assign window[0][h] = lane_i[r*Cols + c + h - Reach];
          assign window[1][h] = lane_i[(1-r)*Cols + c + h - Reach];
        end else begin : gen_edge
          assign window[0][h] = '0;
          assign window[1][h] = '0;
        end
      end
      for (genvar v = 0; v < SwbInputs; v++) begin : gen_input
        swb_sel_t sel;
        assign sel = sel_i[r*Cols + c][v];
        assign vin_o[r*Cols + c][v] = (sel.hb > LastHop) ? '0
                                    : window[sel.other][sel.hb][{sel.block, sel.port}];
      end
    end
  end
endmodule
