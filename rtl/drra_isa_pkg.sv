// SPDX-License-Identifier: MIT OR Apache-2.0
// Generated from the description of SiLago 1 r4 by `drra isa sv`; do not edit.
package drra_isa_pkg;

  localparam int unsigned INSTR_BITWIDTH = 27;

  typedef enum logic [3:0] {
    CODE_HALT = 4'd0,
    CODE_REFI = 4'd1,
    CODE_DPU = 4'd4,
    CODE_SWB = 4'd5,
    CODE_JUMP = 4'd6,
    CODE_WAIT = 4'd7,
    CODE_LOOP = 4'd8,
    CODE_BW = 4'd9,
    CODE_RACCU = 4'd10,
    CODE_BRANCH = 4'd11,
    CODE_ROUTE = 4'd12,
    CODE_SRAM = 4'd13,
    CODE_PERM = 4'd14
  } instr_code_e;
  localparam instr_code_e CODE_IO = CODE_SRAM;

  // HALT: 1 word
  typedef struct packed {
    instr_code_e instr_code;
    logic [22:0] reserved;
  } halt_t;

  // REFI: up to 3 words
  typedef enum logic [1:0] {
    REFI_PORT_NO_W0 = 2'd0,
    REFI_PORT_NO_W1 = 2'd1,
    REFI_PORT_NO_R0 = 2'd2,
    REFI_PORT_NO_R1 = 2'd3
  } refi_port_no_e;
  typedef enum logic {
    REFI_INIT_ADDR_SD_S = 1'd0,
    REFI_INIT_ADDR_SD_D = 1'd1
  } refi_init_addr_sd_e;
  typedef enum logic {
    REFI_L1_ITER_SD_S = 1'd0,
    REFI_L1_ITER_SD_D = 1'd1
  } refi_l1_iter_sd_e;
  typedef enum logic {
    REFI_INIT_DELAY_SD_S = 1'd0,
    REFI_INIT_DELAY_SD_D = 1'd1
  } refi_init_delay_sd_e;
  typedef enum logic {
    REFI_L1_STEP_SD_S = 1'd0,
    REFI_L1_STEP_SD_D = 1'd1
  } refi_l1_step_sd_e;
  typedef enum logic {
    REFI_L1_STEP_SIGN_PLUS = 1'd0,
    REFI_L1_STEP_SIGN_MINUS = 1'd1
  } refi_l1_step_sign_e;
  typedef enum logic {
    REFI_L1_DELAY_SD_S = 1'd0,
    REFI_L1_DELAY_SD_D = 1'd1
  } refi_l1_delay_sd_e;
  typedef enum logic {
    REFI_L2_ITER_SD_S = 1'd0,
    REFI_L2_ITER_SD_D = 1'd1
  } refi_l2_iter_sd_e;
  typedef enum logic {
    REFI_L2_DELAY_SD_S = 1'd0,
    REFI_L2_DELAY_SD_D = 1'd1
  } refi_l2_delay_sd_e;
  typedef enum logic {
    REFI_DIMARCH_N = 1'd0,
    REFI_DIMARCH_Y = 1'd1
  } refi_dimarch_e;
  typedef enum logic {
    REFI_COMPRESS_N = 1'd0,
    REFI_COMPRESS_Y = 1'd1
  } refi_compress_e;
  typedef struct packed {
    instr_code_e instr_code;
    refi_port_no_e port_no;
    logic [1:0] extra;
    refi_init_addr_sd_e init_addr_sd;
    logic [5:0] init_addr;
    logic [5:0] l1_iter;
    logic [5:0] init_delay;
    refi_l1_iter_sd_e l1_iter_sd;
    refi_init_delay_sd_e init_delay_sd;
    logic [1:0] unused_0;
    refi_l1_step_sd_e l1_step_sd;
    logic [5:0] l1_step;
    refi_l1_step_sign_e l1_step_sign;
    refi_l1_delay_sd_e l1_delay_sd;
    logic [3:0] l1_delay;
    refi_l2_iter_sd_e l2_iter_sd;
    logic [4:0] l2_iter;
    logic [3:0] l2_step;
    logic [3:0] unused_1;
    refi_l2_delay_sd_e l2_delay_sd;
    logic [5:0] l2_delay;
    logic [5:0] unused_2;
    logic [1:0] l1_delay_ext;
    logic l2_iter_ext;
    logic [1:0] l2_step_ext;
    logic [2:0] unused_3;
    refi_dimarch_e dimarch;
    refi_compress_e compress;
  } refi_t;

  // DPU: 1 word
  typedef enum logic [4:0] {
    DPU_MODE_IDLE = 5'd0,
    DPU_MODE_ADD = 5'd1,
    DPU_MODE_SUM_ACC = 5'd2,
    DPU_MODE_ADD_CONST = 5'd3,
    DPU_MODE_SUBT = 5'd4,
    DPU_MODE_SUBT_ABS = 5'd5,
    DPU_MODE_MODE_6 = 5'd6,
    DPU_MODE_MULT = 5'd7,
    DPU_MODE_MULT_ADD = 5'd8,
    DPU_MODE_MULT_CONST = 5'd9,
    DPU_MODE_MAC = 5'd10,
    DPU_MODE_LD_IR = 5'd11,
    DPU_MODE_AXPY = 5'd12,
    DPU_MODE_MAX_MIN_ACC = 5'd13,
    DPU_MODE_MAX_MIN_CONST = 5'd14,
    DPU_MODE_MODE_15 = 5'd15,
    DPU_MODE_MAX_MIN = 5'd16,
    DPU_MODE_SHIFT_L = 5'd17,
    DPU_MODE_SHIFT_R = 5'd18,
    DPU_MODE_SIGM = 5'd19,
    DPU_MODE_TANHYP = 5'd20,
    DPU_MODE_EXPON = 5'd21,
    DPU_MODE_LK_RELU = 5'd22,
    DPU_MODE_RELU = 5'd23,
    DPU_MODE_DIV = 5'd24,
    DPU_MODE_ACC_SOFTMAX = 5'd25,
    DPU_MODE_DIV_SOFTMAX = 5'd26,
    DPU_MODE_LD_ACC = 5'd27,
    DPU_MODE_SCALE_DW = 5'd28,
    DPU_MODE_SCALE_UP = 5'd29,
    DPU_MODE_MAC_INTER = 5'd30,
    DPU_MODE_MODE_31 = 5'd31
  } dpu_mode_e;
  typedef enum logic [1:0] {
    DPU_CONTROL_NOSAT_INT = 2'd0,
    DPU_CONTROL_NOSAT_FX = 2'd1,
    DPU_CONTROL_SAT_INT = 2'd2,
    DPU_CONTROL_SAT_FX = 2'd3
  } dpu_control_e;
  typedef enum logic [1:0] {
    DPU_IO_CHANGE_NO_CHANGE = 2'd0,
    DPU_IO_CHANGE_NEGATE_IN0 = 2'd1,
    DPU_IO_CHANGE_NEGATE_IN1 = 2'd2,
    DPU_IO_CHANGE_ABS_OUT = 2'd3
  } dpu_io_change_e;
  typedef struct packed {
    instr_code_e instr_code;
    dpu_mode_e mode;
    dpu_control_e control;
    logic [5:0] unused_0;
    logic [7:0] acc_clear;
    dpu_io_change_e io_change;
  } dpu_t;

  // SWB: 1 word
  typedef enum logic {
    SWB_SRC_BLOCK_RF = 1'd0,
    SWB_SRC_BLOCK_DPU = 1'd1
  } swb_src_block_e;
  typedef enum logic {
    SWB_SEND_TO_OTHER_ROW_N = 1'd0,
    SWB_SEND_TO_OTHER_ROW_Y = 1'd1
  } swb_send_to_other_row_e;
  typedef struct packed {
    instr_code_e instr_code;
    logic unused0;
    logic src_row;
    swb_src_block_e src_block;
    logic src_port;
    logic [2:0] hb_index;
    swb_send_to_other_row_e send_to_other_row;
    logic [2:0] v_index;
    logic [11:0] reserved;
  } swb_t;

  // JUMP: 1 word
  typedef struct packed {
    instr_code_e instr_code;
    logic [5:0] pc;
    logic [16:0] reserved;
  } jump_t;

  // WAIT: 1 word
  typedef enum logic {
    WAIT_CYCLE_SD_S = 1'd0,
    WAIT_CYCLE_SD_D = 1'd1
  } wait_cycle_sd_e;
  typedef struct packed {
    instr_code_e instr_code;
    wait_cycle_sd_e cycle_sd;
    logic [14:0] cycle;
    logic [6:0] reserved;
  } wait_t;

  // LOOP: up to 2 words
  typedef enum logic {
    LOOP_START_SD_S = 1'd0,
    LOOP_START_SD_D = 1'd1
  } loop_start_sd_e;
  typedef enum logic {
    LOOP_ITER_SD_S = 1'd0,
    LOOP_ITER_SD_D = 1'd1
  } loop_iter_sd_e;
  typedef enum logic {
    LOOP_STEP_SD_S = 1'd0,
    LOOP_STEP_SD_D = 1'd1
  } loop_step_sd_e;
  typedef struct packed {
    instr_code_e instr_code;
    logic extra;
    logic [1:0] loopid;
    logic [5:0] endpc;
    loop_start_sd_e start_sd;
    logic [5:0] start;
    loop_iter_sd_e iter_sd;
    logic [5:0] iter;
    loop_step_sd_e step_sd;
    logic [5:0] step;
    logic [3:0] link;
    logic [15:0] reserved;
  } loop_t;

  // BW: 1 word
  typedef enum logic [1:0] {
    BW_CONFIG_INT16 = 2'd0,
    BW_CONFIG_INT8 = 2'd1,
    BW_CONFIG_FX16 = 2'd2,
    BW_CONFIG_INT4 = 2'd3
  } bw_config_e;
  typedef struct packed {
    instr_code_e instr_code;
    bw_config_e config_;
    logic [20:0] reserved;
  } bw_t;

  // RACCU: 1 word
  typedef enum logic [2:0] {
    RACCU_MODE_IDLE = 3'd0,
    RACCU_MODE_ADD = 3'd1,
    RACCU_MODE_SUB = 3'd2,
    RACCU_MODE_SHIFT_R = 3'd3,
    RACCU_MODE_SHIFT_L = 3'd4,
    RACCU_MODE_MULT = 3'd5,
    RACCU_MODE_MULT_ADD = 3'd6,
    RACCU_MODE_MULT_SUB = 3'd7
  } raccu_mode_e;
  typedef enum logic {
    RACCU_OPERAND1_SD_S = 1'd0,
    RACCU_OPERAND1_SD_D = 1'd1
  } raccu_operand1_sd_e;
  typedef enum logic {
    RACCU_OPERAND2_SD_S = 1'd0,
    RACCU_OPERAND2_SD_D = 1'd1
  } raccu_operand2_sd_e;
  typedef struct packed {
    instr_code_e instr_code;
    raccu_mode_e mode;
    raccu_operand1_sd_e operand1_sd;
    logic [6:0] operand1;
    raccu_operand2_sd_e operand2_sd;
    logic [6:0] operand2;
    logic [3:0] result;
  } raccu_t;

  // BRANCH: 1 word
  typedef enum logic [1:0] {
    BRANCH_MODE_NEVER = 2'd0,
    BRANCH_MODE_GT = 2'd1,
    BRANCH_MODE_EQ = 2'd2,
    BRANCH_MODE_GE = 2'd3
  } branch_mode_e;
  typedef struct packed {
    instr_code_e instr_code;
    branch_mode_e mode;
    logic [5:0] false_pc;
    logic [14:0] reserved;
  } branch_t;

  // ROUTE: 1 word
  typedef enum logic {
    ROUTE_HORIZONTAL_DIR_W = 1'd0,
    ROUTE_HORIZONTAL_DIR_E = 1'd1
  } route_horizontal_dir_e;
  typedef enum logic {
    ROUTE_VERTICAL_DIR_S = 1'd0,
    ROUTE_VERTICAL_DIR_N = 1'd1
  } route_vertical_dir_e;
  typedef enum logic {
    ROUTE_DIRECTION_R = 1'd0,
    ROUTE_DIRECTION_W = 1'd1
  } route_direction_e;
  typedef struct packed {
    instr_code_e instr_code;
    route_horizontal_dir_e horizontal_dir;
    logic [2:0] horizontal_hops;
    route_vertical_dir_e vertical_dir;
    logic [2:0] vertical_hops;
    route_direction_e direction;
    logic select_drra_row;
    logic [12:0] reserved;
  } route_t;

  // SRAM: up to 3 words
  typedef enum logic {
    SRAM_RW_R = 1'd0,
    SRAM_RW_W = 1'd1
  } sram_rw_e;
  typedef enum logic {
    SRAM_INIT_ADDR_SD_S = 1'd0,
    SRAM_INIT_ADDR_SD_D = 1'd1
  } sram_init_addr_sd_e;
  typedef enum logic {
    SRAM_L1_ITER_SD_S = 1'd0,
    SRAM_L1_ITER_SD_D = 1'd1
  } sram_l1_iter_sd_e;
  typedef enum logic {
    SRAM_L2_ITER_SD_S = 1'd0,
    SRAM_L2_ITER_SD_D = 1'd1
  } sram_l2_iter_sd_e;
  typedef enum logic {
    SRAM_INIT_DELAY_SD_S = 1'd0,
    SRAM_INIT_DELAY_SD_D = 1'd1
  } sram_init_delay_sd_e;
  typedef enum logic {
    SRAM_L1_DELAY_SD_S = 1'd0,
    SRAM_L1_DELAY_SD_D = 1'd1
  } sram_l1_delay_sd_e;
  typedef enum logic {
    SRAM_L2_DELAY_SD_S = 1'd0,
    SRAM_L2_DELAY_SD_D = 1'd1
  } sram_l2_delay_sd_e;
  typedef enum logic {
    SRAM_L1_STEP_SD_S = 1'd0,
    SRAM_L1_STEP_SD_D = 1'd1
  } sram_l1_step_sd_e;
  typedef enum logic {
    SRAM_L2_STEP_SD_S = 1'd0,
    SRAM_L2_STEP_SD_D = 1'd1
  } sram_l2_step_sd_e;
  typedef struct packed {
    instr_code_e instr_code;
    sram_rw_e rw;
    logic [6:0] init_addr;
    logic [3:0] init_delay;
    logic [6:0] l1_iter;
    logic [7:0] l1_step;
    logic [5:0] l1_delay;
    logic [6:0] l2_iter;
    logic [7:0] l2_step;
    logic [5:0] l2_delay;
    sram_init_addr_sd_e init_addr_sd;
    sram_l1_iter_sd_e l1_iter_sd;
    sram_l2_iter_sd_e l2_iter_sd;
    sram_init_delay_sd_e init_delay_sd;
    sram_l1_delay_sd_e l1_delay_sd;
    sram_l2_delay_sd_e l2_delay_sd;
    sram_l1_step_sd_e l1_step_sd;
    sram_l2_step_sd_e l2_step_sd;
    logic [3:0] hops;
    logic [10:0] reserved;
  } sram_t;

  // PERM: 1 word
  typedef enum logic [2:0] {
    PERM_MODE_SHL_ZERO = 3'd0,
    PERM_MODE_SHR_ZERO = 3'd1,
    PERM_MODE_SHL_SAME = 3'd2,
    PERM_MODE_SHR_SAME = 3'd3,
    PERM_MODE_ROT_L = 3'd4,
    PERM_MODE_ROT_R = 3'd5
  } perm_mode_e;
  typedef struct packed {
    instr_code_e instr_code;
    perm_mode_e mode;
    logic [1:0] block;
    logic [15:0] distance;
    logic [1:0] reserved;
  } perm_t;

  // IO: up to 3 words
  typedef enum logic {
    IO_RW_R = 1'd0,
    IO_RW_W = 1'd1
  } io_rw_e;
  typedef enum logic {
    IO_INIT_ADDR_SD_S = 1'd0,
    IO_INIT_ADDR_SD_D = 1'd1
  } io_init_addr_sd_e;
  typedef enum logic {
    IO_INIT_DELAY_SD_S = 1'd0,
    IO_INIT_DELAY_SD_D = 1'd1
  } io_init_delay_sd_e;
  typedef enum logic {
    IO_L1_ITER_SD_S = 1'd0,
    IO_L1_ITER_SD_D = 1'd1
  } io_l1_iter_sd_e;
  typedef enum logic {
    IO_L1_STEP_SD_S = 1'd0,
    IO_L1_STEP_SD_D = 1'd1
  } io_l1_step_sd_e;
  typedef struct packed {
    instr_code_e instr_code;
    io_rw_e rw;
    logic [24:0] init_addr;
    logic [5:0] init_delay;
    logic [4:0] l1_iter;
    logic [4:0] l1_step;
    logic [5:0] l1_delay;
    logic [15:0] mask;
    io_init_addr_sd_e init_addr_sd;
    io_init_delay_sd_e init_delay_sd;
    io_l1_iter_sd_e l1_iter_sd;
    io_l1_step_sd_e l1_step_sd;
    logic [8:0] reserved;
  } io_t;

endpackage
