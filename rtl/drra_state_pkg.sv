// SPDX-License-Identifier: MIT OR Apache-2.0
// Generated from the description of the fabric SiLago 1 by `drra isa sv`; do not edit.
// Fields are packed in the order in which the state tables of the chapters list them.
package drra_state_pkg;

  // Keys `side`
  typedef enum logic [1:0] {
    SideN = 2'd0,
    SideS = 2'd1,
    SideE = 2'd2,
    SideW = 2'd3
  } side_e;

  // Chapter 2
  typedef enum logic [1:0] {
    SeqIdle = 2'd0,
    SeqLoad = 2'd1,
    SeqRun  = 2'd2
  } seq_state_e;

  // Chapter 3
  typedef enum logic [2:0] {
    AguIdle     = 3'd0,
    AguInitWait = 3'd1,
    AguRun      = 3'd2,
    AguRowWait  = 3'd3,
    AguRowStart = 3'd4
  } agu_state_e;

  // Chapter 4
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

  // Chapter 4
  typedef enum logic [1:0] {
    StatusLess    = 2'd0,
    StatusGreater = 2'd1,
    StatusEqual   = 2'd2
  } dpu_status_e;

  // Chapter 6
  typedef enum logic [1:0] {
    PatIdle     = 2'd0,
    PatInitWait = 2'd1,
    PatRun      = 2'd2
  } pat_state_e;

  // Chapter 6
  typedef enum logic [1:0] {
    SegClosed = 2'd0,
    SegBack   = 2'd1,
    SegAhead  = 2'd2
  } seg_dir_e;

  // Chapter 6
  typedef enum logic [2:0] {
    XbarN    = 3'd0,
    XbarS    = 3'd1,
    XbarE    = 3'd2,
    XbarW    = 3'd3,
    XbarMem  = 3'd4,
    XbarNone = 3'd5
  } xbar_e;

  // Chapter 6
  typedef enum logic [1:0] {
    KindNone  = 2'd0,
    KindIo    = 2'd1,
    KindRoute = 2'd2,
    KindSram  = 2'd3
  } noc_kind_e;

  // Chapter 2
  typedef struct packed {
    drra_isa_pkg::raccu_mode_e mode;
    logic [6:0]                a;
    logic [6:0]                b;
    logic [3:0]                dst;
  } raccu_op_t;

  // Chapter 2
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

  // Chapter 3
  typedef struct packed {
    logic [5:0]                       init_addr;
    logic [5:0]                       l1_iter;
    logic [5:0]                       init_delay;
    logic [5:0]                       l1_step;
    drra_isa_pkg::refi_l1_step_sign_e l1_step_sign;
    logic [5:0]                       l1_delay;
    logic [5:0]                       l2_iter;
    logic [5:0]                       l2_step;
    logic [5:0]                       l2_delay;
  } agu_cfg_t;

  // Chapter 4
  typedef struct packed {
    drra_isa_pkg::dpu_mode_e      mode;
    drra_isa_pkg::dpu_control_e   control;
    logic [7:0]                   cnst;
    drra_isa_pkg::dpu_io_change_e io;
  } dpu_instr_t;

  // Chapter 5
  typedef struct packed {
    logic                         other;
    drra_isa_pkg::swb_src_block_e block;
    logic                         port;
    logic [2:0]                   hb;
  } swb_sel_t;

  // Chapter 6
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

  // Chapter 6
  typedef struct packed {
    logic                   valid;
    drra_isa_pkg::sram_rw_e rw;
    sram_cfg_t              cfg;
  } sram_take_t;

  // Chapter 7
  typedef struct packed {
    logic [24:0] init_addr;
    logic [5:0]  init_delay;
    logic [4:0]  l1_iter;
    logic [4:0]  l1_step;
    logic [5:0]  l1_delay;
    logic [15:0] mask;
  } io_cfg_t;

  // Chapter 7
  typedef struct packed {
    logic                     valid;
    drra_isa_pkg::perm_mode_e mode;
    logic [1:0]               block;
    logic [15:0]              distance;
  } perm_op_t;

  // Payload of IO (chapter 7, section A3)
  typedef struct packed {
    drra_isa_pkg::io_rw_e rw;
    io_cfg_t              cfg;
  } io_payload_t;

  // Payload of ROUTE (chapter 6, section 3)
  typedef struct packed {
    logic [26:0]                         zero_59_33;
    logic                                write;
    logic [4:0]                          zero_31_27;
    logic                                row;
    logic                                read;
    logic [8:0]                          zero_24_16;
    logic [2:0]                          hhops;
    drra_isa_pkg::route_horizontal_dir_e hdir;
    logic [2:0]                          vhops;
    drra_isa_pkg::route_vertical_dir_e   vdir;
    logic [7:0]                          zero_7_0;
  } route_payload_t;

  // Payload of SRAM (chapter 6, section 3)
  typedef struct packed {
    logic                   one_59;
    logic                   zero_58;
    logic [3:0]             hops;
    sram_cfg_t              cfg;
    drra_isa_pkg::sram_rw_e rw;
  } sram_payload_t;

  // Payload of 60 bits; `kind` selects the member
  typedef union packed {
    route_payload_t route;
    sram_payload_t  sram;
  } noc_payload_t;

  // A payload of 60 bits in the lower bits of one of 64 bits
  typedef struct packed {
    logic [3:0]   zero_63_60;
    noc_payload_t noc;
  } narrow_payload_t;

  // Payload of 64 bits; `kind` selects the member
  typedef union packed {
    narrow_payload_t narrow;
    io_payload_t     io;
  } issue_payload_t;

  // Chapter 6
  typedef struct packed {
    logic           valid;
    noc_kind_e      kind;
    issue_payload_t payload;
  } noc_issue_t;

  // Chapter 6
  typedef struct packed {
    logic         valid;
    noc_kind_e    kind;
    noc_payload_t payload;
  } noc_msg_t;

  // Chapter 7
  typedef struct packed {
    logic        valid;
    io_payload_t payload;
  } io_msg_t;

  // Registers `seq.core`
  typedef struct packed {
    seq_state_e  state;
    logic [5:0]  load_count;
    logic [5:0]  pc;
    logic [14:0] wait_count;
    logic        pend_valid;
    logic [5:0]  pend_pc;
  } seq_core_t;

  // Registers `seq.loop`
  typedef struct packed {
    logic       active;
    logic [5:0] start_pc;
    logic [5:0] end_pc;
    logic [5:0] iter;
    logic [5:0] step;
    logic [5:0] count;
  } loop_slot_t;

  // Registers `seq.raccu_reg`
  typedef logic [15:0][6:0] raccu_file_t;

  // Registers `seq.refi`
  typedef struct packed {
    logic                        cfg_start;
    drra_isa_pkg::refi_port_no_e cfg_port;
    drra_isa_pkg::refi_dimarch_e cfg_dimarch;
    agu_cfg_t                    cfg;
  } refi_t;

  // Registers `seq.dpu`
  typedef struct packed {
    logic                     dpu_start;
    dpu_instr_t               instr;
    drra_isa_pkg::bw_config_e cfg_bw;
  } dpu_issue_t;

  // Registers `swb.iss`
  typedef struct packed {
    logic                         swb_iss_valid;
    drra_isa_pkg::swb_src_block_e block;
    logic                         port;
    logic [2:0]                   hb;
    logic                         other;
    logic [2:0]                   v;
  } swb_issue_t;

  // Registers `rf.sh`
  typedef struct packed {
    logic     sh_valid;
    agu_cfg_t sh_cfg;
  } agu_shadow_t;

  // Registers `dpu.sh`
  typedef struct packed {
    logic       sh_valid;
    dpu_instr_t sh_instr;
  } dpu_shadow_t;

  // Registers `dpu.cfg`
  typedef struct packed {
    dpu_instr_t               instr;
    drra_isa_pkg::bw_config_e bw_reg;
    logic [7:0]               acc_cnt;
  } dpu_config_t;

  // Registers `io_flow`
  typedef struct packed {
    logic        io_pend;
    logic [15:0] io_pmask;
    logic        io_rvalid;
    logic [15:0] io_rmask;
  } io_flow_t;

  // Registers `io_generator.st`
  typedef struct packed {
    pat_state_e  state;
    logic        cfg_valid;
    logic [4:0]  l1_cnt;
    logic [5:0]  init_cnt;
    logic [5:0]  l1_dly;
    logic [24:0] addr;
    logic        en;
  } io_agu_t;

  // Registers `segs`
  typedef struct packed {
    seg_dir_e seg_w;
    seg_dir_e seg_s;
  } tile_segs_t;

  // Registers `side.path`
  typedef struct packed {
    logic active;
    logic hsel;
    logic vsel;
  } side_path_t;

  // Registers `generator.st`
  typedef struct packed {
    pat_state_e state;
    logic       cfg_valid;
    logic [6:0] l1_cnt;
    logic [6:0] l2_cnt;
    logic [3:0] init_cnt;
    logic [5:0] l1_dly;
    logic [5:0] l2_dly;
    logic [6:0] addr;
    logic       en;
  } sram_agu_t;

endpackage
