// SPDX-License-Identifier: MIT OR Apache-2.0
// Types and constants shared by the blocks of the fabric (chapters 0 and 2 to 7).
package drra_pkg;

  // Widths that the architecture fixes (chapter 0, section 4).
  localparam int unsigned Rows       = 2;
  localparam int unsigned InstrW     = 27;
  localparam int unsigned ImemDepth  = 64;
  localparam int unsigned RaccuRegs  = 16;
  localparam int unsigned RaccuW     = 7;
  localparam int unsigned Loops      = 4;
  localparam int unsigned WordW      = 16;
  localparam int unsigned BlockWords = 16;
  localparam int unsigned BlockW     = BlockWords * WordW;
  localparam int unsigned BufAddrW   = 25;

  // Number of bits that hold the values 0 .. n-1, at least one.
  function automatic int unsigned idx_width(int unsigned n);
    return (n > 1) ? $clog2(n) : 1;
  endfunction

  ////////////////////////////
  // Sequencer (chapter 2)  //
  ////////////////////////////

  typedef enum logic [1:0] {
    SeqIdle = 2'd0,
    SeqLoad = 2'd1,
    SeqRun  = 2'd2
  } seq_state_e;

  typedef struct packed {
    seq_state_e  state;
    logic [5:0]  load_count;
    logic [5:0]  pc;
    logic [14:0] wait_count;
    logic        pend_valid;
    logic [5:0]  pend_pc;
  } seq_core_t;

  typedef struct packed {
    logic [2:0] mode;
    logic [6:0] a;
    logic [6:0] b;
    logic [3:0] dst;
  } raccu_op_t;

  typedef struct packed {
    logic       valid;
    logic [1:0] id;
    logic [5:0] start_pc;
    logic [5:0] end_pc;
    logic [5:0] start;
    logic [5:0] iter;
    logic [5:0] step;
    logic [3:0] link;
  } loop_op_t;

  typedef struct packed {
    logic       active;
    logic [5:0] start_pc;
    logic [5:0] end_pc;
    logic [5:0] iter;
    logic [5:0] step;
    logic [5:0] count;
  } loop_slot_t;

  typedef logic [RaccuRegs-1:0][RaccuW-1:0] raccu_file_t;

  /////////////////////////////////
  // Register file (chapter 3)   //
  /////////////////////////////////

  typedef struct packed {
    logic [5:0] init_addr;
    logic [5:0] l1_iter;
    logic [5:0] init_delay;
    logic [5:0] l1_step;
    logic       l1_step_sign;
    logic [5:0] l1_delay;
    logic [5:0] l2_iter;
    logic [5:0] l2_step;
    logic [5:0] l2_delay;
  } agu_cfg_t;

  typedef struct packed {
    logic       cfg_start;
    logic [1:0] cfg_port;
    logic       cfg_dimarch;
    agu_cfg_t   cfg;
  } refi_t;

  typedef struct packed {
    logic     sh_valid;
    agu_cfg_t sh_cfg;
  } agu_shadow_t;

  typedef enum logic [2:0] {
    AguIdle     = 3'd0,
    AguInitWait = 3'd1,
    AguRun      = 3'd2,
    AguRowWait  = 3'd3,
    AguRowStart = 3'd4
  } agu_state_e;

  typedef struct packed {
    logic       we;
    logic [1:0] block;
  } rf_init_t;

  /////////////////////
  // DPU (chapter 4) //
  /////////////////////

  // Fields of a DPU instruction.
  typedef struct packed {
    logic [4:0] mode;
    logic [1:0] control;
    logic [7:0] cnst;
    logic [1:0] io;
  } dpu_instr_t;

  // Registers between the sequencer and the DPU.
  typedef struct packed {
    logic       dpu_start;
    dpu_instr_t instr;
    logic [1:0] cfg_bw;
  } dpu_issue_t;

  typedef struct packed {
    logic       sh_valid;
    dpu_instr_t sh_instr;
  } dpu_shadow_t;

  // Operation of one DPU channel (chapter 4, 5.3); the codes are visible in prev_op.
  typedef enum logic [3:0] {
    OpIdle = 4'd0,
    OpMac  = 4'd1,
    OpSigm = 4'd2,
    OpTanh = 4'd3,
    OpExp  = 4'd4,
    OpMul  = 4'd6,
    OpAdd  = 4'd7,
    OpAcc  = 4'd8,
    OpLd   = 4'd9,
    OpDiv  = 4'd10,
    OpShl  = 4'd11,
    OpShr  = 4'd12,
    OpMax  = 4'd13,
    OpMin  = 4'd14
  } dpu_op_e;

  // Lane width of the DPU arithmetic (chapter 4, 4.3).
  typedef enum logic [1:0] {
    Lane16 = 2'd0,
    Lane8  = 2'd1,
    Lane4  = 2'd2
  } lane_e;

  // Lane width for each value of BW.
  localparam lane_e [3:0] LanesOfBw = {Lane4, Lane16, Lane8, Lane16};

  ///////////////////////////////////////
  // Interconnect (chapter 5)          //
  ///////////////////////////////////////

  typedef struct packed {
    logic       swb_iss_valid;
    logic       block;
    logic       port;
    logic [2:0] hb;
    logic       other;
    logic [2:0] v;
  } swb_issue_t;

  typedef struct packed {
    logic       other;
    logic       block;
    logic       port;
    logic [2:0] hb;
  } swb_sel_t;

  //////////////////////////////////////////
  // Messages and DiMArch (chapters 6, 7) //
  //////////////////////////////////////////

  localparam logic [1:0] KindIo    = 2'd1;
  localparam logic [1:0] KindRoute = 2'd2;
  localparam logic [1:0] KindSram  = 2'd3;

  // Message inside a cell: noc_dec, noc_stage, noc_shadow, cell_noc.
  typedef struct packed {
    logic        valid;
    logic [1:0]  kind;
    logic [63:0] payload;
  } noc_issue_t;

  // Message on the NoC: col_noc and between tiles.
  typedef struct packed {
    logic        valid;
    logic [1:0]  kind;
    logic [59:0] payload;
  } noc_msg_t;

  typedef struct packed {
    logic       valid;
    logic [63:0] payload;
  } io_msg_t;

  // Bit positions in the payload of a ROUTE message (chapter 6, section 3).
  localparam int unsigned RouteVdir  = 8;
  localparam int unsigned RouteVhops = 9;
  localparam int unsigned RouteHdir  = 12;
  localparam int unsigned RouteHhops = 13;
  localparam int unsigned RouteRead  = 25;
  localparam int unsigned RouteRow   = 26;
  localparam int unsigned RouteWrite = 32;

  // Position of the hop counter in the payload of an SRAM message.
  localparam int unsigned SramHops = 54;

  typedef struct packed {
    logic [6:0] init_addr;
    logic [3:0] init_delay;
    logic [6:0] l1_iter;
    logic [7:0] l1_step;
    logic [5:0] l1_delay;
    logic [6:0] l2_iter;
    logic [7:0] l2_step;
    logic [5:0] l2_delay;
  } sram_cfg_t;

  // Configuration taken by a side of a tile.
  typedef struct packed {
    logic      valid;
    logic      rw;
    sram_cfg_t cfg;
  } sram_take_t;

  // Payload of an IO message (chapter 7, A3).
  typedef struct packed {
    logic        rw;
    logic [24:0] init_addr;
    logic [5:0]  init_delay;
    logic [4:0]  l1_iter;
    logic [4:0]  l1_step;
    logic [5:0]  l1_delay;
    logic [15:0] mask;
  } io_payload_t;

  typedef struct packed {
    logic [24:0] init_addr;
    logic [5:0]  init_delay;
    logic [4:0]  l1_iter;
    logic [4:0]  l1_step;
    logic [5:0]  l1_delay;
    logic [15:0] mask;
  } io_cfg_t;

  typedef enum logic [1:0] {
    PatIdle     = 2'd0,
    PatInitWait = 2'd1,
    PatRun      = 2'd2
  } pat_state_e;

  // Sides of a tile; also the codes of the crossbar (chapter 6, section 1).
  localparam int unsigned SideN   = 0;
  localparam int unsigned SideS   = 1;
  localparam int unsigned SideE   = 2;
  localparam int unsigned SideW   = 3;
  localparam int unsigned Sides   = 4;
  localparam int unsigned XbarMem = 4;
  localparam int unsigned XbarN   = 5;
  localparam logic [2:0]  XselNone = 3'd5;

  typedef enum logic [1:0] {
    SegClosed = 2'd0,
    SegBack   = 2'd1,
    SegAhead  = 2'd2
  } seg_dir_e;

  typedef struct packed {
    logic     valid;
    seg_dir_e dir;
  } seg_req_t;

  typedef struct packed {
    logic active;
    logic hsel;
    logic vsel;
  } side_path_t;

  // PERM on its way to the register file (chapter 7, B2).
  typedef struct packed {
    logic        valid;
    logic [2:0]  mode;
    logic [1:0]  block;
    logic [15:0] distance;
  } perm_op_t;

endpackage
