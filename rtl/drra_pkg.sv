// SPDX-License-Identifier: MIT OR Apache-2.0
// Constants and types that several modules use: widths, and types for the logic between registers.
// The types of registers and messages are in drra_state_pkg.
package drra_pkg;

  // Widths that the architecture fixes (chapter 0, section 4).
  localparam int unsigned Rows = 2;
  localparam int unsigned InstrW = 27;
  localparam int unsigned ImemDepth = 64;
  localparam int unsigned PcW = $clog2(ImemDepth);
  localparam int unsigned WaitW = 15;
  localparam int unsigned RaccuRegs = 16;
  localparam int unsigned RaccuW = 7;
  localparam int unsigned Loops = 4;
  localparam int unsigned WordW = 16;
  localparam int unsigned BlockWords = 16;
  localparam int unsigned BlockW = BlockWords * WordW;
  localparam int unsigned BufAddrW = 25;
  localparam int unsigned AccW = 2 * WordW;

  // Inputs of a switchbox (chapter 5, 3.2): w0, w1 and four of the DPU.
  localparam int unsigned SwbInputs = 6;

  // Reach of the sliding window to each side, and the columns that it spans (chapter 5, section 3).
  localparam int unsigned Reach = 2;
  localparam int unsigned WindowCols = 2 * Reach + 1;

  // Number of bits that hold the values 0 .. n-1, at least one.
  function automatic int unsigned idx_width(int unsigned n);
    return (n > 1) ? $clog2(n) : 1;
  endfunction

  // Sides of a tile and outputs of its data crossbar (chapter 6, section 1).
  localparam int unsigned Sides = 4;
  localparam int unsigned XbarOuts = 5;

  // Lane width of the DPU arithmetic (chapter 4, 4.3).
  typedef enum logic [1:0] {
    Lane16 = 2'd0,
    Lane8  = 2'd1,
    Lane4  = 2'd2
  } lane_e;

  // Lane width for each value of BW.
  localparam lane_e [3:0] LanesOfBw = {Lane4, Lane16, Lane8, Lane16};

  // Request for the direction of a bus segment (chapter 6, 6.3).
  typedef struct packed {
    logic                     valid;
    drra_state_pkg::seg_dir_e dir;
  } seg_req_t;

endpackage
