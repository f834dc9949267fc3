// SPDX-License-Identifier: MIT OR Apache-2.0
// Generated from `isa/fabric.json` by `cargo run -p drra-codegen`; do not edit.
//! Identities of the fabric description.

use crate::names::{identities, keys, registers, values};

identities! {
    /// Blocks of the fabric.
    BlockId {
        Sequencer = "sequencer",
        Raccu = "RACCU",
        LoopController = "loop controller",
        Decoder = "decoder",
        Switchbox = "switchbox",
        NocIssue = "NoC issue",
        PermIssue = "PERM issue",
        RegisterFile = "register file",
        Perm = "PERM",
        AguShadow = "AGU shadow",
        Agu = "AGU",
        Dpu = "DPU",
        DpuChannel = "DPU channel",
        DpuNonLinearUnit = "DPU non-linear unit",
        DpuDivider = "DPU divider",
        DpuScaler = "DPU scaler",
        DpuOutput = "DPU output",
        Interconnect = "interconnect",
        Cell = "cell",
        Column = "column",
        IoAgu = "I/O AGU",
        Tile = "tile",
        NocSide = "NoC side",
        Crossbar = "crossbar",
        SramAgu = "SRAM AGU",
        Sram = "SRAM",
        Fabric = "fabric",
    }
}

identities! {
    /// Parts of a cell; they determine which instructions act on the registers.
    CellPart {
        Decode = "decode",
        ProgramCounter = "program counter",
        Program = "program",
        WaitingRaccu = "waiting RACCU",
        RaccuRegister = "RACCU register",
        WaitingLoop = "waiting LOOP",
        LoopSlot = "loop slot",
        InputSelection = "input selection",
        WaitingMessage = "waiting message",
        WaitingPerm = "waiting PERM",
        RegisterFileWord = "register file word",
        WaitingRefi = "waiting REFI",
        AguPattern = "AGU pattern",
        WaitingDpu = "waiting DPU",
        DpuInstruction = "DPU instruction",
        DpuFormat = "DPU format",
        DpuCounter = "DPU counter",
        DpuData = "DPU data",
        DpuOperation = "DPU operation",
    }
}

identities! {
    /// Parts of a column; they determine which instructions act on the registers.
    ColumnPart {
        BlockToRow1 = "block to row 1",
        IoMessage = "IO message",
        BufferRequest = "buffer request",
        BufferData = "buffer data",
        IoGenerator = "I/O generator",
    }
}

identities! {
    /// Parts of a tile; they determine which instructions act on the registers.
    TilePart {
        Segment = "segment",
        MemoryOutput = "memory output",
        NocSide = "NoC side",
        CrossbarConnections = "crossbar connections",
        CrossbarOutput = "crossbar output",
        SramGenerator = "SRAM generator",
        TileInitialisation = "tile initialisation",
        MemoryRow = "memory row",
    }
}

identities! {
    /// Groups of registers that are stored together.
    GroupId {
        SeqCore = "seq.core",
        SeqImem = "seq.imem",
        SeqImemImm = "seq.imem_imm",
        SeqShRaccu = "seq.sh_raccu",
        SeqShLoop = "seq.sh_loop",
        SeqLoop = "seq.loop",
        SeqRaccuReg = "seq.raccu_reg",
        SeqImmediate = "seq.immediate",
        SeqRefi = "seq.refi",
        SeqDpu = "seq.dpu",
        SwbIss = "swb.iss",
        SwbSwbCfg = "swb.swb_cfg",
        NocNocStage = "noc.noc_stage",
        NocNocShadow = "noc.noc_shadow",
        PermPermStage = "perm.perm_stage",
        PermPermShadow = "perm.perm_shadow",
        RfMem = "rf.mem",
        RfSh = "rf.sh",
        RfAguSt = "rf.agu.st",
        RfAguP = "rf.agu.p",
        DpuSh = "dpu.sh",
        DpuCfg = "dpu.cfg",
        DpuAcc = "dpu.acc",
        DpuStatus = "dpu.status",
        DpuPrevOp = "dpu.prev_op",
        DpuIr0 = "dpu.ir0",
        DpuIr1 = "dpu.ir1",
        DpuSmReg = "dpu.sm_reg",
        DpuDivP1 = "dpu.div_p1",
        DpuDivP2 = "dpu.div_p2",
        DpuDivP3 = "dpu.div_p3",
        DpuPackReg = "dpu.pack_reg",
        DpuPackPhase = "dpu.pack_phase",
        ColumnBlkInRow1 = "blk_in_row1",
        ColumnBlkInMaskRow1 = "blk_in_mask_row1",
        ColumnIoMsg = "io_msg",
        ColumnIoFlow = "io_flow",
        ColumnIoRdata = "io_rdata",
        ColumnIoWdata = "io_wdata",
        ColumnIoGeneratorSt = "io_generator.st",
        ColumnIoGeneratorCfg = "io_generator.cfg",
        TileSegs = "segs",
        TileMemRvalid = "mem_rvalid",
        TileMemQ = "mem_q",
        TileSidePath = "side.path",
        TileSideFwd = "side.fwd",
        TileSideAgu = "side.agu",
        TileXsel = "xsel",
        TileXout = "xout",
        TileGeneratorSt = "generator.st",
        TileGeneratorCfg = "generator.cfg",
        TileInit = "init",
        TileInitData = "init_data",
        TileSram = "sram",
        LdPipe = "ld_pipe",
    }
}

identities! {
    /// Signals between blocks.
    SignalId {
        Rdata = "rdata",
        DpuOut = "dpu_out",
        CellNoc = "cell_noc",
        BlkRead = "blk_read",
        Wdata = "wdata",
        DpuIn = "dpu_in",
        BlkWrite = "blk_write",
        Up = "up",
        ColNoc = "col_noc",
        MsgIn = "msg_in",
        LoadValid = "load_valid",
        LoadMatch = "load_match",
        LoadInstr = "load_instr",
        LoadImm = "load_imm",
        IoCell = "io_cell",
        RfInitWe = "rf_init_we",
        RfInitBlock = "rf_init_block",
        RfInitData = "rf_init_data",
        Run = "run",
        Fetch0 = "fetch_0",
        Fetch1 = "fetch_1",
        Fetch2 = "fetch_2",
        ImmNow = "imm_now",
        Halt = "halt",
        Wait = "wait",
        WaitTarget = "wait_target",
        Adv = "adv",
        Jump = "jump",
        JumpPc = "jump_pc",
        SwbDec = "swb_dec",
        PermDec = "perm_dec",
        RaccuDec = "raccu_dec",
        LoopDec = "loop_dec",
        RefiDec = "refi_dec",
        DpuDec = "dpu_dec",
        DpuDecInstr = "dpu_dec_instr",
        BwDec = "bw_dec",
        BwDecConfig = "bw_dec_config",
        NocDec = "noc_dec",
        Waiting = "waiting",
        LoopJump = "loop_jump",
        LoopJumpPc = "loop_jump_pc",
        IterWe = "iter_we",
        IterValue = "iter_value",
        Raccu = "raccu",
        ImmediateOut = "immediate_out",
        Word = "word",
        Refi = "refi",
        DpuIssue = "dpu_issue",
        SwbSel = "swb_sel",
        PermGo = "perm_go",
        CondStatus = "cond_status",
        AguHit = "agu_hit",
        AguLaunch = "agu_launch",
        AguLaunchCfg = "agu_launch_cfg",
        AguEn = "agu_en",
        AguAddr = "agu_addr",
        AguActive = "agu_active",
        PermWe = "perm_we",
        PermOld = "perm_old",
        PermNew = "perm_new",
        Idle = "idle",
        Busy = "busy",
        RfWdata = "rf_wdata",
        DpuOperand = "dpu_operand",
        DpuLaunch = "dpu_launch",
        DpuConst = "dpu_const",
        DpuOp = "dpu_op",
        DpuX = "dpu_x",
        DpuY = "dpu_y",
        DpuAddendValid = "dpu_addend_valid",
        DpuAddend = "dpu_addend",
        DpuLanes = "dpu_lanes",
        DpuFx = "dpu_fx",
        DpuSat = "dpu_sat",
        DpuClear = "dpu_clear",
        DpuOpe = "dpu_ope",
        DpuSquash = "dpu_squash",
        DpuUnit = "dpu_unit",
        DpuDividend = "dpu_dividend",
        DpuDivisor = "dpu_divisor",
        DivP3Out = "div_p3_out",
        DpuAccOut = "dpu_acc_out",
        DpuFormat = "dpu_format",
        DpuScaleDown = "dpu_scale_down",
        DpuScaleUp = "dpu_scale_up",
        DpuScaleLanes = "dpu_scale_lanes",
        PackRegOut = "pack_reg_out",
        TileDown = "tile_down",
        IoAnswer = "io_answer",
        IoNew = "io_new",
        IoNewCfg = "io_new_cfg",
        IoEn = "io_en",
        IoAddr = "io_addr",
        IoMask = "io_mask",
        IoActive = "io_active",
        ColumnBusy = "column_busy",
        MsgV = "msg_v",
        MsgH = "msg_h",
        SegdirN = "segdir_n",
        SegdirE = "segdir_e",
        ReqN = "req_n",
        ReqE = "req_e",
        ReqS = "req_s",
        ReqW = "req_w",
        DataIn = "data_in",
        Rx = "rx",
        RouteGot = "route_got",
        RouteEnds = "route_ends",
        RouteExit = "route_exit",
        RouteFrom = "route_from",
        RouteTo = "route_to",
        SideAnyRoute = "side_any_route",
        Connect = "connect",
        ConnectFrom = "connect_from",
        ConnectTo = "connect_to",
        PathOut = "path_out",
        FwdOut = "fwd_out",
        TakeOut = "take_out",
        TakeNew = "take_new",
        TakeCfg = "take_cfg",
        SramEn = "sram_en",
        SramAddr = "sram_addr",
        SramActive = "sram_active",
        TileBusy = "tile_busy",
        MemWe = "mem_we",
        MemWa = "mem_wa",
        MemWd = "mem_wd",
        MemRdata = "mem_rdata",
        RowIn = "row_in",
        ColIn = "col_in",
        InitIn = "init_in",
        InitInRow = "init_in_row",
        InitInCol = "init_in_col",
        InitInAddr = "init_in_addr",
        InitInData = "init_in_data",
    }
}

identities! {
    /// Output ports of the fabric.
    PortId {
        CellIdle = "cell_idle",
        AllIdle = "all_idle",
        AguBusy = "agu_busy",
        IoInEn = "io_in_en",
        IoInAddr = "io_in_addr",
        IoOutEn = "io_out_en",
        IoOutAddr = "io_out_addr",
        IoOutData = "io_out_data",
        IoOutMask = "io_out_mask",
    }
}

identities! {
    /// Rules of the chapters.
    RuleId {
        ProgramLoad = "program load",
        State = "state",
        ProgramCounter = "program counter",
        Waiting = "waiting",
        Flag = "flag",
        Raccu = "RACCU",
        RaccuFlag = "RACCU flag",
        LoopFlag = "LOOP flag",
        Loops = "loops",
        LoopStart = "loop start",
        DecodeRefi = "decode REFI",
        Decode = "decode",
        Switchbox = "switchbox",
        NocIssue = "NoC issue",
        PermIssue = "PERM issue",
        RfWrite = "RF write",
        Perm = "PERM",
        RfRead = "RF read",
        RfShadow = "RF shadow",
        Agu = "AGU",
        AguPattern = "AGU pattern",
        AguStart = "AGU start",
        AguInitialDelay = "AGU initial delay",
        AguRun = "AGU run",
        AguRowEnd = "AGU row end",
        AguRowDelay = "AGU row delay",
        AguRowStart = "AGU row start",
        DpuLaunch = "DPU launch",
        DpuCount = "DPU count",
        DpuChannel = "DPU channel",
        DpuSum = "DPU sum",
        DpuShift = "DPU shift",
        DpuCompare = "DPU compare",
        DpuTail = "DPU tail",
        DpuUnit = "DPU unit",
        DpuExponential = "DPU exponential",
        DpuRegisters = "DPU registers",
        DpuNegation = "DPU negation",
        DpuSquash = "DPU squash",
        DpuDivider = "DPU divider",
        DpuDivision = "DPU division",
        DpuScaler = "DPU scaler",
        DpuScalerMode = "DPU scaler mode",
        DpuScalerCopy = "DPU scaler copy",
        DpuScalerUp = "DPU scaler up",
        DpuScalerDown = "DPU scaler down",
        DpuScalerPhase = "DPU scaler phase",
        DpuOutput = "DPU output",
        DpuOutputLanes = "DPU output lanes",
        DpuOutputSelect = "DPU output select",
        Window = "window",
        Column = "column",
        ColumnMessage = "column message",
        IoMessage = "IO message",
        IoOffer = "IO offer",
        IoAgu = "IO AGU",
        IoUnit = "IO unit",
        IoWriteData = "IO write data",
        Segment = "segment",
        Side = "side",
        MessageOut = "message out",
        Crossbar = "crossbar",
        CrossbarConnections = "crossbar connections",
        SramAgu = "SRAM AGU",
        Take = "take",
        Memory = "memory",
        TileInit = "tile init",
        Fetch = "fetch",
        DecodeControl = "decode control",
        DecodeJump = "decode jump",
        InstructionLength = "instruction length",
        DecodeOperands = "decode operands",
        DecodeFields = "decode fields",
        DecodeMessage = "decode message",
        DecodeRoute = "decode ROUTE",
        DecodeIo = "decode IO",
        IssueRefi = "issue REFI",
        Issue = "issue",
        Idle = "idle",
        RefiPort = "REFI port",
        PermPort = "PERM port",
        RfBusy = "RF busy",
        DpuOperands = "DPU operands",
        DpuLanes = "DPU lanes",
        ColumnBusy = "column busy",
        MessageIn = "message in",
        RouteDecode = "ROUTE decode",
        RouteVertical = "ROUTE vertical",
        RouteHorizontal = "ROUTE horizontal",
        RouteEnd = "ROUTE end",
        RouteConnection = "ROUTE connection",
        SegmentRequest = "segment request",
        SegmentClose = "segment close",
        Connection = "connection",
        AnyRoute = "any ROUTE",
        MemoryPort = "memory port",
        TileBusy = "tile busy",
        CellWiring = "cell wiring",
        Wiring = "wiring",
        ColumnWiring = "column wiring",
        TileWiring = "tile wiring",
        InitialisationWiring = "initialisation wiring",
        LoadPipeline = "load pipeline",
        Reset = "reset",
        Status = "status",
    }
}

identities! {
    /// Rule inputs that are not registers.
    NamedInput {
        LoadPort = "load port",
        Instruction = "instruction",
        IoCell = "io_cell",
        FlagAtPc = "flag at pc",
        WordsAtPc = "words at pc",
        WriteAddresses = "write addresses",
        Wdata0 = "wdata_0",
        Wdata1 = "wdata_1",
        BlkWdata = "blk_wdata",
        BlkWmask = "blk_wmask",
        RfInit = "rf_init",
        OldWordsOfPerm = "old words of PERM",
        ReadAddresses = "read addresses",
        WordsRead = "words read",
        DpuIn0 = "dpu in 0",
        DpuIn1 = "dpu in 1",
        DpuIn2 = "dpu in 2",
        DpuIn3 = "dpu in 3",
        Inputs = "inputs",
        TileXoutS = "tile xout[S]",
        BlkRdataOfBothRows = "blk_rdata of both rows",
        CellNocOfBothRows = "cell_noc of both rows",
        IoInData = "io_in_data",
        MessagesIn = "messages in",
        MessagesOffered = "messages offered",
        NeighbourSegments = "neighbour segments",
        NeighbourRequests = "neighbour requests",
        DataIn = "data in",
        OfferedConfigurations = "offered configurations",
        Initialisation = "initialisation",
        IdleCells = "idle cells",
        ActiveAgus = "active AGUs",
        ProgramPort = "program port",
    }
}

identities! {
    /// Kinds of messages.
    MessageId {
        Io = "IO",
        Route = "ROUTE",
        Sram = "SRAM",
    }
}

identities! {
    /// Kinds of keys.
    KeyKind {
        Agu = "agu",
        Side = "side",
        Crossbar = "crossbar",
        Generator = "generator",
        Address = "address",
        RaccuRegister = "raccu_register",
        Slot = "slot",
        Destination = "destination",
        Channel = "channel",
        Port = "port",
        Operand = "operand",
        Word = "word",
        Block = "block",
        Stage = "stage",
    }
}

identities! {
    /// Keys of the kind `agu`.
    AguId {
        W0 = "w0",
        W1 = "w1",
        Wb = "wb",
        R0 = "r0",
        R1 = "r1",
        Rb = "rb",
    }
}

identities! {
    /// Keys of the kind `side`.
    Side {
        N = "N",
        S = "S",
        E = "E",
        W = "W",
    }
}

identities! {
    /// Keys of the kind `crossbar`.
    CrossbarPort {
        N = "N",
        S = "S",
        E = "E",
        W = "W",
        Mem = "MEM",
    }
}

identities! {
    /// Keys of the kind `generator`.
    Generator {
        Read = "rd",
        Write = "wr",
    }
}

registers! {
    SeqState = "seq.state",
    SeqLoadCount = "seq.load_count",
    SeqPc = "seq.pc",
    SeqWaitCount = "seq.wait_count",
    SeqPendValid = "seq.pend_valid",
    SeqPendPc = "seq.pend_pc",
    SeqImem(number: usize) = "seq.imem[{address}]",
    SeqImemImm(number: usize) = "seq.imem_imm[{address}]",
    SeqShRaccuMode = "seq.sh_raccu.mode",
    SeqShRaccuA = "seq.sh_raccu.a",
    SeqShRaccuB = "seq.sh_raccu.b",
    SeqShRaccuDst = "seq.sh_raccu.dst",
    SeqShLoopValid = "seq.sh_loop.valid",
    SeqShLoopId = "seq.sh_loop.id",
    SeqShLoopStartPc = "seq.sh_loop.start_pc",
    SeqShLoopEndPc = "seq.sh_loop.end_pc",
    SeqShLoopStart = "seq.sh_loop.start",
    SeqShLoopIter = "seq.sh_loop.iter",
    SeqShLoopStep = "seq.sh_loop.step",
    SeqShLoopLink = "seq.sh_loop.link",
    SeqLoopActive(number: usize) = "seq.loop[{slot}].active",
    SeqLoopStartPc(number: usize) = "seq.loop[{slot}].start_pc",
    SeqLoopEndPc(number: usize) = "seq.loop[{slot}].end_pc",
    SeqLoopIter(number: usize) = "seq.loop[{slot}].iter",
    SeqLoopStep(number: usize) = "seq.loop[{slot}].step",
    SeqLoopCount(number: usize) = "seq.loop[{slot}].count",
    SeqRaccuReg(number: usize) = "seq.raccu_reg[{raccu_register}]",
    SeqImmediate = "seq.immediate",
    SeqCfgStart = "seq.cfg_start",
    SeqCfgPort = "seq.cfg_port",
    SeqCfgDimarch = "seq.cfg_dimarch",
    SeqInitAddr = "seq.init_addr",
    SeqL1Iter = "seq.l1_iter",
    SeqInitDelay = "seq.init_delay",
    SeqL1Step = "seq.l1_step",
    SeqL1StepSign = "seq.l1_step_sign",
    SeqL1Delay = "seq.l1_delay",
    SeqL2Iter = "seq.l2_iter",
    SeqL2Step = "seq.l2_step",
    SeqL2Delay = "seq.l2_delay",
    SeqDpuStart = "seq.dpu_start",
    SeqDpuMode = "seq.dpu_mode",
    SeqDpuControl = "seq.dpu_control",
    SeqDpuConst = "seq.dpu_const",
    SeqDpuIo = "seq.dpu_io",
    SeqCfgBw = "seq.cfg_bw",
    SwbSwbIssValid = "swb.swb_iss_valid",
    SwbSwbIss = "swb.swb_iss",
    SwbSwbCfg(number: usize) = "swb.swb_cfg[{destination}]",
    NocNocStage = "noc.noc_stage",
    NocNocShadow = "noc.noc_shadow",
    PermPermStage = "perm.perm_stage",
    PermPermShadow = "perm.perm_shadow",
    RfMem(number: usize) = "rf.mem[{word}]",
    RfShShValid(agu: AguId) = "rf.sh[{agu}].sh_valid",
    RfShShCfg(agu: AguId) = "rf.sh[{agu}].sh_cfg",
    RfAguState(agu: AguId) = "rf.agu[{agu}].state",
    RfAguInitCnt(agu: AguId) = "rf.agu[{agu}].init_cnt",
    RfAguL1DlyCnt(agu: AguId) = "rf.agu[{agu}].l1_dly_cnt",
    RfAguL2DlyCnt(agu: AguId) = "rf.agu[{agu}].l2_dly_cnt",
    RfAguL1Cnt(agu: AguId) = "rf.agu[{agu}].l1_cnt",
    RfAguL2Cnt(agu: AguId) = "rf.agu[{agu}].l2_cnt",
    RfAguRowBase(agu: AguId) = "rf.agu[{agu}].row_base",
    RfAguAddrReg(agu: AguId) = "rf.agu[{agu}].addr_reg",
    RfAguPInitDelay(agu: AguId) = "rf.agu[{agu}].p_init_delay",
    RfAguPL1Iter(agu: AguId) = "rf.agu[{agu}].p_l1_iter",
    RfAguPL1Delay(agu: AguId) = "rf.agu[{agu}].p_l1_delay",
    RfAguPL2Iter(agu: AguId) = "rf.agu[{agu}].p_l2_iter",
    RfAguPL2Delay(agu: AguId) = "rf.agu[{agu}].p_l2_delay",
    RfAguPInitAddr(agu: AguId) = "rf.agu[{agu}].p_init_addr",
    RfAguPL1Step(agu: AguId) = "rf.agu[{agu}].p_l1_step",
    RfAguPL2Step(agu: AguId) = "rf.agu[{agu}].p_l2_step",
    RfAguPL1StepSign(agu: AguId) = "rf.agu[{agu}].p_l1_step_sign",
    DpuShValid = "dpu.sh_valid",
    DpuShMode = "dpu.sh_mode",
    DpuShControl = "dpu.sh_control",
    DpuShConst = "dpu.sh_const",
    DpuShIo = "dpu.sh_io",
    DpuModeReg = "dpu.mode_reg",
    DpuControlReg = "dpu.control_reg",
    DpuConstReg = "dpu.const_reg",
    DpuIoReg = "dpu.io_reg",
    DpuBwReg = "dpu.bw_reg",
    DpuAccCnt = "dpu.acc_cnt",
    DpuAcc(number: usize) = "dpu.acc[{channel}]",
    DpuStatus(number: usize) = "dpu.status[{channel}]",
    DpuPrevOp(number: usize) = "dpu.prev_op[{channel}]",
    DpuIr0 = "dpu.ir0",
    DpuIr1 = "dpu.ir1",
    DpuSmReg = "dpu.sm_reg",
    DpuDivP1 = "dpu.div_p1",
    DpuDivP2 = "dpu.div_p2",
    DpuDivP3 = "dpu.div_p3",
    DpuPackReg = "dpu.pack_reg",
    DpuPackPhase = "dpu.pack_phase",
    ColumnBlkInRow1 = "blk_in_row1",
    ColumnBlkInMaskRow1 = "blk_in_mask_row1",
    ColumnIoMsg = "io_msg",
    ColumnIoPend = "io_pend",
    ColumnIoPmask = "io_pmask",
    ColumnIoRvalid = "io_rvalid",
    ColumnIoRmask = "io_rmask",
    ColumnIoRdata = "io_rdata",
    ColumnIoWdata = "io_wdata",
    ColumnIoGeneratorState(generator: Generator) = "io_{generator}.state",
    ColumnIoGeneratorCfgValid(generator: Generator) = "io_{generator}.cfg_valid",
    ColumnIoGeneratorL1Cnt(generator: Generator) = "io_{generator}.l1_cnt",
    ColumnIoGeneratorInitCnt(generator: Generator) = "io_{generator}.init_cnt",
    ColumnIoGeneratorL1Dly(generator: Generator) = "io_{generator}.l1_dly",
    ColumnIoGeneratorAddr(generator: Generator) = "io_{generator}.addr",
    ColumnIoGeneratorEn(generator: Generator) = "io_{generator}.en",
    ColumnIoGeneratorCfg(generator: Generator) = "io_{generator}.cfg",
    TileSegW = "seg_w",
    TileSegS = "seg_s",
    TileMemRvalid = "mem_rvalid",
    TileMemQ = "mem_q",
    TileSideActive(side: Side) = "side[{side}].active",
    TileSideHsel(side: Side) = "side[{side}].hsel",
    TileSideVsel(side: Side) = "side[{side}].vsel",
    TileSideFwd(side: Side) = "side[{side}].fwd",
    TileSideAgu(side: Side) = "side[{side}].agu",
    TileXsel(crossbar: CrossbarPort) = "xsel[{crossbar}]",
    TileXout(crossbar: CrossbarPort) = "xout[{crossbar}]",
    TileGeneratorState(generator: Generator) = "{generator}.state",
    TileGeneratorCfgValid(generator: Generator) = "{generator}.cfg_valid",
    TileGeneratorL1Cnt(generator: Generator) = "{generator}.l1_cnt",
    TileGeneratorL2Cnt(generator: Generator) = "{generator}.l2_cnt",
    TileGeneratorInitCnt(generator: Generator) = "{generator}.init_cnt",
    TileGeneratorL1Dly(generator: Generator) = "{generator}.l1_dly",
    TileGeneratorL2Dly(generator: Generator) = "{generator}.l2_dly",
    TileGeneratorAddr(generator: Generator) = "{generator}.addr",
    TileGeneratorEn(generator: Generator) = "{generator}.en",
    TileGeneratorCfg(generator: Generator) = "{generator}.cfg",
    TileInitEn = "init_en",
    TileInitRow = "init_row",
    TileInitCol = "init_col",
    TileInitAddr = "init_addr",
    TileInitData = "init_data",
    TileSram(number: usize) = "sram[{block}]",
    LdPipeValid(number: usize) = "ld_pipe[{stage}].valid",
    LdPipeImm(number: usize) = "ld_pipe[{stage}].imm",
    LdPipeInstr(number: usize) = "ld_pipe[{stage}].instr",
    LdPipeRowSel(number: usize) = "ld_pipe[{stage}].row_sel",
    LdPipeColSel(number: usize) = "ld_pipe[{stage}].col_sel",
}

values! {
    /// Values of 2 bits (chapter 2).
    SequencerState {
        Idle = 0 "IDLE",
        Load = 1 "LOAD",
        Run = 2 "RUN",
    }
}

values! {
    /// Values of 3 bits (chapter 3).
    AguState {
        Idle = 0 "IDLE",
        InitWait = 1 "INIT_WAIT",
        Run = 2 "RUN",
        RowWait = 3 "ROW_WAIT",
        RowStart = 4 "ROW_START",
    }
}

values! {
    /// Values of 4 bits (chapter 4).
    DpuOperation {
        Idle = 0 "IDLE",
        Mac = 1 "MAC",
        Sigm = 2 "SIGM",
        Tanh = 3 "TANH",
        Exp = 4 "EXP",
        Mul = 6 "MUL",
        Add = 7 "ADD",
        Acc = 8 "ACC",
        Ld = 9 "LD",
        Div = 10 "DIV",
        Shl = 11 "SHL",
        Shr = 12 "SHR",
        Max = 13 "MAX",
        Min = 14 "MIN",
    }
}

values! {
    /// Values of 2 bits (chapter 4).
    DpuStatus {
        Less = 0 "less",
        Greater = 1 "greater",
        Equal = 2 "equal",
    }
}

values! {
    /// Values of 2 bits (chapter 4).
    DpuLanes {
        One16BitLane = 0 "one 16-bit lane",
        Two8BitLanes = 1 "two 8-bit lanes",
        Four4BitLanes = 2 "four 4-bit lanes",
    }
}

values! {
    /// Values of 2 bits (chapter 6).
    PatternState {
        Idle = 0 "IDLE",
        InitWait = 1 "INIT_WAIT",
        Run = 2 "RUN",
    }
}

values! {
    /// Values of 2 bits (chapter 6).
    SegmentDirection {
        Closed = 0 "CLOSED",
        Back = 1 "BACK",
        Ahead = 2 "AHEAD",
    }
}

values! {
    /// Values of 3 bits (chapter 6).
    CrossbarSource {
        N = 0 "N",
        S = 1 "S",
        E = 2 "E",
        W = 3 "W",
        Mem = 4 "MEM",
        None = 5 "NONE",
    }
}

values! {
    /// Values of 2 bits (chapter 6).
    MessageKind {
        None = 0 "NONE",
        Io = 1 "IO",
        Route = 2 "ROUTE",
        Sram = 3 "SRAM",
    }
}

keys! {
    Agu(agu: AguId),
    Side(side: Side),
    Crossbar(crossbar: CrossbarPort),
    Generator(generator: Generator),
}
