// SPDX-License-Identifier: MIT OR Apache-2.0
// Generated from the description of SiLago 1 r4 by `drra isa sv`; do not edit.
package drra_isa_pkg;

  localparam int unsigned INSTR_BITWIDTH = 27;

  localparam logic [3:0] CODE_HALT = 4'd0;
  localparam logic [3:0] CODE_REFI = 4'd1;
  localparam logic [3:0] CODE_DPU = 4'd4;
  localparam logic [3:0] CODE_SWB = 4'd5;
  localparam logic [3:0] CODE_JUMP = 4'd6;
  localparam logic [3:0] CODE_WAIT = 4'd7;
  localparam logic [3:0] CODE_LOOP = 4'd8;
  localparam logic [3:0] CODE_BW = 4'd9;
  localparam logic [3:0] CODE_RACCU = 4'd10;
  localparam logic [3:0] CODE_BRANCH = 4'd11;
  localparam logic [3:0] CODE_ROUTE = 4'd12;
  localparam logic [3:0] CODE_SRAM = 4'd13;
  localparam logic [3:0] CODE_PERM = 4'd14;
  localparam logic [3:0] CODE_IO = 4'd13;

  // HALT: 1 word
  typedef struct packed {
    logic [3:0] instr_code;
    logic [22:0] reserved;
  } halt_t;

  // REFI: up to 3 words
  typedef struct packed {
    logic [3:0] instr_code;
    logic [1:0] port_no;
    logic [1:0] extra;
    logic init_addr_sd;
    logic [5:0] init_addr;
    logic [5:0] l1_iter;
    logic [5:0] init_delay;
    logic l1_iter_sd;
    logic init_delay_sd;
    logic [1:0] unused_0;
    logic l1_step_sd;
    logic [5:0] l1_step;
    logic l1_step_sign;
    logic l1_delay_sd;
    logic [3:0] l1_delay;
    logic l2_iter_sd;
    logic [4:0] l2_iter;
    logic [3:0] l2_step;
    logic [3:0] unused_1;
    logic l2_delay_sd;
    logic [5:0] l2_delay;
    logic [5:0] unused_2;
    logic [1:0] l1_delay_ext;
    logic l2_iter_ext;
    logic [1:0] l2_step_ext;
    logic [2:0] unused_3;
    logic dimarch;
    logic compress;
  } refi_t;
  localparam logic [1:0] REFI_PORT_NO_W0 = 2'd0;
  localparam logic [1:0] REFI_PORT_NO_W1 = 2'd1;
  localparam logic [1:0] REFI_PORT_NO_R0 = 2'd2;
  localparam logic [1:0] REFI_PORT_NO_R1 = 2'd3;
  localparam logic REFI_INIT_ADDR_SD_S = 1'd0;
  localparam logic REFI_INIT_ADDR_SD_D = 1'd1;
  localparam logic REFI_L1_ITER_SD_S = 1'd0;
  localparam logic REFI_L1_ITER_SD_D = 1'd1;
  localparam logic REFI_INIT_DELAY_SD_S = 1'd0;
  localparam logic REFI_INIT_DELAY_SD_D = 1'd1;
  localparam logic REFI_L1_STEP_SD_S = 1'd0;
  localparam logic REFI_L1_STEP_SD_D = 1'd1;
  localparam logic REFI_L1_STEP_SIGN_PLUS = 1'd0;
  localparam logic REFI_L1_STEP_SIGN_MINUS = 1'd1;
  localparam logic REFI_L1_DELAY_SD_S = 1'd0;
  localparam logic REFI_L1_DELAY_SD_D = 1'd1;
  localparam logic REFI_L2_ITER_SD_S = 1'd0;
  localparam logic REFI_L2_ITER_SD_D = 1'd1;
  localparam logic REFI_L2_DELAY_SD_S = 1'd0;
  localparam logic REFI_L2_DELAY_SD_D = 1'd1;
  localparam logic REFI_DIMARCH_N = 1'd0;
  localparam logic REFI_DIMARCH_Y = 1'd1;
  localparam logic REFI_COMPRESS_N = 1'd0;
  localparam logic REFI_COMPRESS_Y = 1'd1;

  // DPU: 1 word
  typedef struct packed {
    logic [3:0] instr_code;
    logic [4:0] mode;
    logic [1:0] control;
    logic [5:0] unused_0;
    logic [7:0] acc_clear;
    logic [1:0] io_change;
  } dpu_t;
  localparam logic [4:0] DPU_MODE_IDLE = 5'd0;
  localparam logic [4:0] DPU_MODE_ADD = 5'd1;
  localparam logic [4:0] DPU_MODE_SUM_ACC = 5'd2;
  localparam logic [4:0] DPU_MODE_ADD_CONST = 5'd3;
  localparam logic [4:0] DPU_MODE_SUBT = 5'd4;
  localparam logic [4:0] DPU_MODE_SUBT_ABS = 5'd5;
  localparam logic [4:0] DPU_MODE_MODE_6 = 5'd6;
  localparam logic [4:0] DPU_MODE_MULT = 5'd7;
  localparam logic [4:0] DPU_MODE_MULT_ADD = 5'd8;
  localparam logic [4:0] DPU_MODE_MULT_CONST = 5'd9;
  localparam logic [4:0] DPU_MODE_MAC = 5'd10;
  localparam logic [4:0] DPU_MODE_LD_IR = 5'd11;
  localparam logic [4:0] DPU_MODE_AXPY = 5'd12;
  localparam logic [4:0] DPU_MODE_MAX_MIN_ACC = 5'd13;
  localparam logic [4:0] DPU_MODE_MAX_MIN_CONST = 5'd14;
  localparam logic [4:0] DPU_MODE_MODE_15 = 5'd15;
  localparam logic [4:0] DPU_MODE_MAX_MIN = 5'd16;
  localparam logic [4:0] DPU_MODE_SHIFT_L = 5'd17;
  localparam logic [4:0] DPU_MODE_SHIFT_R = 5'd18;
  localparam logic [4:0] DPU_MODE_SIGM = 5'd19;
  localparam logic [4:0] DPU_MODE_TANHYP = 5'd20;
  localparam logic [4:0] DPU_MODE_EXPON = 5'd21;
  localparam logic [4:0] DPU_MODE_LK_RELU = 5'd22;
  localparam logic [4:0] DPU_MODE_RELU = 5'd23;
  localparam logic [4:0] DPU_MODE_DIV = 5'd24;
  localparam logic [4:0] DPU_MODE_ACC_SOFTMAX = 5'd25;
  localparam logic [4:0] DPU_MODE_DIV_SOFTMAX = 5'd26;
  localparam logic [4:0] DPU_MODE_LD_ACC = 5'd27;
  localparam logic [4:0] DPU_MODE_SCALE_DW = 5'd28;
  localparam logic [4:0] DPU_MODE_SCALE_UP = 5'd29;
  localparam logic [4:0] DPU_MODE_MAC_INTER = 5'd30;
  localparam logic [4:0] DPU_MODE_MODE_31 = 5'd31;
  localparam logic [1:0] DPU_CONTROL_NOSAT_INT = 2'd0;
  localparam logic [1:0] DPU_CONTROL_NOSAT_FX = 2'd1;
  localparam logic [1:0] DPU_CONTROL_SAT_INT = 2'd2;
  localparam logic [1:0] DPU_CONTROL_SAT_FX = 2'd3;
  localparam logic [1:0] DPU_IO_CHANGE_NO_CHANGE = 2'd0;
  localparam logic [1:0] DPU_IO_CHANGE_NEGATE_IN0 = 2'd1;
  localparam logic [1:0] DPU_IO_CHANGE_NEGATE_IN1 = 2'd2;
  localparam logic [1:0] DPU_IO_CHANGE_ABS_OUT = 2'd3;

  // SWB: 1 word
  typedef struct packed {
    logic [3:0] instr_code;
    logic unused0;
    logic src_row;
    logic src_block;
    logic src_port;
    logic [2:0] hb_index;
    logic send_to_other_row;
    logic [2:0] v_index;
    logic [11:0] reserved;
  } swb_t;
  localparam logic SWB_SRC_BLOCK_RF = 1'd0;
  localparam logic SWB_SRC_BLOCK_DPU = 1'd1;
  localparam logic SWB_SEND_TO_OTHER_ROW_N = 1'd0;
  localparam logic SWB_SEND_TO_OTHER_ROW_Y = 1'd1;

  // JUMP: 1 word
  typedef struct packed {
    logic [3:0] instr_code;
    logic [5:0] pc;
    logic [16:0] reserved;
  } jump_t;

  // WAIT: 1 word
  typedef struct packed {
    logic [3:0] instr_code;
    logic cycle_sd;
    logic [14:0] cycle;
    logic [6:0] reserved;
  } wait_t;
  localparam logic WAIT_CYCLE_SD_S = 1'd0;
  localparam logic WAIT_CYCLE_SD_D = 1'd1;

  // LOOP: up to 2 words
  typedef struct packed {
    logic [3:0] instr_code;
    logic extra;
    logic [1:0] loopid;
    logic [5:0] endpc;
    logic start_sd;
    logic [5:0] start;
    logic iter_sd;
    logic [5:0] iter;
    logic step_sd;
    logic [5:0] step;
    logic [3:0] link;
    logic [15:0] reserved;
  } loop_t;
  localparam logic LOOP_START_SD_S = 1'd0;
  localparam logic LOOP_START_SD_D = 1'd1;
  localparam logic LOOP_ITER_SD_S = 1'd0;
  localparam logic LOOP_ITER_SD_D = 1'd1;
  localparam logic LOOP_STEP_SD_S = 1'd0;
  localparam logic LOOP_STEP_SD_D = 1'd1;

  // BW: 1 word
  typedef struct packed {
    logic [3:0] instr_code;
    logic [1:0] config_;
    logic [20:0] reserved;
  } bw_t;
  localparam logic [1:0] BW_CONFIG_INT16 = 2'd0;
  localparam logic [1:0] BW_CONFIG_INT8 = 2'd1;
  localparam logic [1:0] BW_CONFIG_FX16 = 2'd2;
  localparam logic [1:0] BW_CONFIG_INT4 = 2'd3;

  // RACCU: 1 word
  typedef struct packed {
    logic [3:0] instr_code;
    logic [2:0] mode;
    logic operand1_sd;
    logic [6:0] operand1;
    logic operand2_sd;
    logic [6:0] operand2;
    logic [3:0] result;
  } raccu_t;
  localparam logic [2:0] RACCU_MODE_IDLE = 3'd0;
  localparam logic [2:0] RACCU_MODE_ADD = 3'd1;
  localparam logic [2:0] RACCU_MODE_SUB = 3'd2;
  localparam logic [2:0] RACCU_MODE_SHIFT_R = 3'd3;
  localparam logic [2:0] RACCU_MODE_SHIFT_L = 3'd4;
  localparam logic [2:0] RACCU_MODE_MULT = 3'd5;
  localparam logic [2:0] RACCU_MODE_MULT_ADD = 3'd6;
  localparam logic [2:0] RACCU_MODE_MULT_SUB = 3'd7;
  localparam logic RACCU_OPERAND1_SD_S = 1'd0;
  localparam logic RACCU_OPERAND1_SD_D = 1'd1;
  localparam logic RACCU_OPERAND2_SD_S = 1'd0;
  localparam logic RACCU_OPERAND2_SD_D = 1'd1;

  // BRANCH: 1 word
  typedef struct packed {
    logic [3:0] instr_code;
    logic [1:0] mode;
    logic [5:0] false_pc;
    logic [14:0] reserved;
  } branch_t;
  localparam logic [1:0] BRANCH_MODE_NEVER = 2'd0;
  localparam logic [1:0] BRANCH_MODE_GT = 2'd1;
  localparam logic [1:0] BRANCH_MODE_EQ = 2'd2;
  localparam logic [1:0] BRANCH_MODE_GE = 2'd3;

  // ROUTE: 1 word
  typedef struct packed {
    logic [3:0] instr_code;
    logic horizontal_dir;
    logic [2:0] horizontal_hops;
    logic vertical_dir;
    logic [2:0] vertical_hops;
    logic direction;
    logic select_drra_row;
    logic [12:0] reserved;
  } route_t;
  localparam logic ROUTE_HORIZONTAL_DIR_W = 1'd0;
  localparam logic ROUTE_HORIZONTAL_DIR_E = 1'd1;
  localparam logic ROUTE_VERTICAL_DIR_S = 1'd0;
  localparam logic ROUTE_VERTICAL_DIR_N = 1'd1;
  localparam logic ROUTE_DIRECTION_R = 1'd0;
  localparam logic ROUTE_DIRECTION_W = 1'd1;

  // SRAM: up to 3 words
  typedef struct packed {
    logic [3:0] instr_code;
    logic rw;
    logic [6:0] init_addr;
    logic [3:0] init_delay;
    logic [6:0] l1_iter;
    logic [7:0] l1_step;
    logic [5:0] l1_delay;
    logic [6:0] l2_iter;
    logic [7:0] l2_step;
    logic [5:0] l2_delay;
    logic init_addr_sd;
    logic l1_iter_sd;
    logic l2_iter_sd;
    logic init_delay_sd;
    logic l1_delay_sd;
    logic l2_delay_sd;
    logic l1_step_sd;
    logic l2_step_sd;
    logic [3:0] hops;
    logic [10:0] reserved;
  } sram_t;
  localparam logic SRAM_RW_R = 1'd0;
  localparam logic SRAM_RW_W = 1'd1;
  localparam logic SRAM_INIT_ADDR_SD_S = 1'd0;
  localparam logic SRAM_INIT_ADDR_SD_D = 1'd1;
  localparam logic SRAM_L1_ITER_SD_S = 1'd0;
  localparam logic SRAM_L1_ITER_SD_D = 1'd1;
  localparam logic SRAM_L2_ITER_SD_S = 1'd0;
  localparam logic SRAM_L2_ITER_SD_D = 1'd1;
  localparam logic SRAM_INIT_DELAY_SD_S = 1'd0;
  localparam logic SRAM_INIT_DELAY_SD_D = 1'd1;
  localparam logic SRAM_L1_DELAY_SD_S = 1'd0;
  localparam logic SRAM_L1_DELAY_SD_D = 1'd1;
  localparam logic SRAM_L2_DELAY_SD_S = 1'd0;
  localparam logic SRAM_L2_DELAY_SD_D = 1'd1;
  localparam logic SRAM_L1_STEP_SD_S = 1'd0;
  localparam logic SRAM_L1_STEP_SD_D = 1'd1;
  localparam logic SRAM_L2_STEP_SD_S = 1'd0;
  localparam logic SRAM_L2_STEP_SD_D = 1'd1;

  // PERM: 1 word
  typedef struct packed {
    logic [3:0] instr_code;
    logic [2:0] mode;
    logic [1:0] block;
    logic [15:0] distance;
    logic [1:0] reserved;
  } perm_t;
  localparam logic [2:0] PERM_MODE_SHL_ZERO = 3'd0;
  localparam logic [2:0] PERM_MODE_SHR_ZERO = 3'd1;
  localparam logic [2:0] PERM_MODE_SHL_SAME = 3'd2;
  localparam logic [2:0] PERM_MODE_SHR_SAME = 3'd3;
  localparam logic [2:0] PERM_MODE_ROT_L = 3'd4;
  localparam logic [2:0] PERM_MODE_ROT_R = 3'd5;

  // IO: up to 3 words
  typedef struct packed {
    logic [3:0] instr_code;
    logic rw;
    logic [24:0] init_addr;
    logic [5:0] init_delay;
    logic [4:0] l1_iter;
    logic [4:0] l1_step;
    logic [5:0] l1_delay;
    logic [15:0] mask;
    logic init_addr_sd;
    logic init_delay_sd;
    logic l1_iter_sd;
    logic l1_step_sd;
    logic [8:0] reserved;
  } io_t;
  localparam logic IO_RW_R = 1'd0;
  localparam logic IO_RW_W = 1'd1;
  localparam logic IO_INIT_ADDR_SD_S = 1'd0;
  localparam logic IO_INIT_ADDR_SD_D = 1'd1;
  localparam logic IO_INIT_DELAY_SD_S = 1'd0;
  localparam logic IO_INIT_DELAY_SD_D = 1'd1;
  localparam logic IO_L1_ITER_SD_S = 1'd0;
  localparam logic IO_L1_ITER_SD_D = 1'd1;
  localparam logic IO_L1_STEP_SD_S = 1'd0;
  localparam logic IO_L1_STEP_SD_D = 1'd1;

endpackage
