// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data processing unit (chapter 4). Arithmetic is on `i64` with explicit rounding and saturation.

use drra_isa::instructions::BwConfig;
use drra_isa::instructions::DpuIoChange;
use drra_isa::instructions::DpuMode as Mode;

use drra_isa::fabric::GroupId;
use drra_isa::fabric::images::DpuCfg;
use drra_isa::fabric::images::DpuInstr;
use drra_isa::fabric::images::DpuSh;

use crate::bits::sx;

/// Fraction bits of the fixed-point format Q4.11.
const FB: u32 = 11;

/// Fields of a DPU instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// Operation.
    pub mode: Mode,
    /// Bit 1 saturation, bit 0 fixed point.
    pub control: u8,
    /// Accumulation count or 8-bit immediate.
    pub acc_clear: u8,
    /// Change of operands or results.
    pub io: DpuIoChange,
}

impl Instruction {
    /// As it is in registers.
    pub(crate) fn image(&self) -> DpuInstr {
        let (mode, io) = (self.mode.code(), self.io.code());
        DpuInstr { mode, control: self.control, cnst: self.acc_clear, io }
    }
}

/// Operation of a channel (5.3); the codes are visible in `prev_op`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Op {
    #[default]
    Idle = 0,
    Mac = 1,
    Sigm = 2,
    Tanh = 3,
    Exp = 4,
    Mul = 6,
    Add = 7,
    Acc = 8,
    Ld = 9,
    Div = 10,
    Shl = 11,
    Shr = 12,
    Max = 13,
    Min = 14,
}

/// What a mode asks of one channel.
#[derive(Clone, Copy, Default)]
struct Task {
    op: Op,
    x: u16,
    y: u16,
    addend: Option<u16>,
}

fn task(op: Op, x: u16, y: u16) -> Task {
    Task { op, x, y, addend: None }
}

/// The DPU of one cell.
#[derive(Clone, Debug, Default)]
pub struct Dpu {
    shadow: Option<Instruction>,
    current: Instruction,
    bw_reg: u8,
    acc_cnt: u8,
    acc: [u32; 2],
    status: [u8; 2],
    prev_op: [Op; 2],
    ir: [u16; 2],
    sm_reg: u32,
    div: [u32; 3],
    pack_reg: u16,
    pack_phase: u8,
    /// Properties of the mode in force, not registers: it works on lanes; `acc_clear` counts in it;
    /// it does something.
    lane_mode: bool,
    counting: bool,
    active: bool,
}

/// Width of the lanes for a BW value.
fn lane_width(bw: u8) -> u32 {
    match BwConfig::from_bits(bw.into()) {
        BwConfig::Int16 | BwConfig::Fx16 => 16,
        BwConfig::Int8 => 8,
        BwConfig::Int4 => 4,
    }
}

/// Applies `f` to the signed lanes of width `w` of a 16-bit word; results of width `out`.
#[inline]
fn map1(v: u16, w: u32, out: u32, f: impl Fn(i64) -> i64) -> u32 {
    if w == 16 {
        return (f(sx(v.into(), 16)) as u64 & ((1 << out) - 1)) as u32;
    }
    (0..16 / w).fold(0, |r, i| {
        let lane = f(sx(u64::from(v) >> (w * i), w)) as u64 & ((1 << out) - 1);
        r | (lane as u32) << (out * i)
    })
}

/// Applies `f` to pairs of signed lanes of width `w`, `n` lanes in all.
#[inline]
fn map2(a: u32, b: u32, w: u32, out: u32, n: u32, f: impl Fn(i64, i64) -> i64) -> u32 {
    if n == 1 {
        return (f(sx(a.into(), w), sx(b.into(), w)) as u64 & ((1 << out) - 1)) as u32;
    }
    (0..n).fold(0, |r, i| {
        let lane = f(sx(u64::from(a) >> (w * i), w), sx(u64::from(b) >> (w * i), w));
        r | ((lane as u64 & ((1 << out) - 1)) as u32) << (out * i)
    })
}

fn clamp(v: i64, width: u32) -> i64 {
    v.clamp(-(1 << (width - 1)), (1 << (width - 1)) - 1)
}

fn neg(v: u16, w: u32) -> u16 {
    map1(v, w, w, |e| clamp(-e, w)) as u16
}

fn absolute(v: u16, w: u32) -> u16 {
    map1(v, w, w, i64::abs) as u16
}

fn widen(v: u16, w: u32) -> u32 {
    map1(v, w, 2 * w, |e| e)
}

fn mul(a: u16, b: u16, w: u32) -> u32 {
    map2(a.into(), b.into(), w, 2 * w, 16 / w, |p, q| p * q)
}

fn add(a: u32, b: u32, w: u32, sat: bool) -> u32 {
    map2(a, b, 2 * w, 2 * w, 16 / w, |p, q| if sat { clamp(p + q, 2 * w) } else { p + q })
}

/// Numerator shifted left by the fraction bits, over the denominator, truncated toward zero
/// (section 10).
fn divide(num: i64, den: i64) -> u32 {
    let num = num << FB;
    let quotient = match den {
        0 if num > 0 => 0x000f_ffff,
        0 => -0x10_0000,
        1 => num,
        _ => num / den,
    };
    quotient as u32
}

/// The functions that share the table of section 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Squash {
    /// Logistic function.
    Sigmoid,
    /// Hyperbolic tangent.
    Tanh,
    /// Divisor of the exponential: the logistic function of the negated argument.
    Exp,
}

const SLOPE: [i64; 23] = [
    0x200, 0x1EF, 0x1D1, 0x1A8, 0x17D, 0x149, 0x119, 0xEE, 0xC1, 0xA1, 0x7F, 0x66, 0x54, 0x40,
    0x36, 0x27, 0x22, 0x19, 0x15, 0xD, 0xE, 0xC, 0x9,
];
const OFFSET: [i64; 33] = [
    0x400, 0x404, 0x413, 0x432, 0x45D, 0x49E, 0x4E6, 0x531, 0x58B, 0x5D3, 0x628, 0x66D, 0x6A3,
    0x6E4, 0x707, 0x73F, 0x753, 0x779, 0x78B, 0x7B1, 0x7AC, 0x7B6, 0x7C6, 0x7FA, 0x7FC, 0x7FD,
    0x7FD, 0x7FE, 0x7FE, 0x7FF, 0x7FF, 0x7FF, 0x7FF,
];

/// Piecewise linear functions of section 9, Q4.11 in and out.
pub fn squash(x: i16, function: Squash) -> i64 {
    let x = i64::from(x);
    let minus = x < 0 || x == 0 && function == Squash::Exp;
    let magnitude = if minus { clamp(-x, 16) } else { x };
    let index = match function {
        Squash::Tanh if magnitude >= 0x4000 => 0x7fff,
        Squash::Tanh => 2 * magnitude,
        _ => magnitude,
    };
    let piece = (index >> 9) as usize;
    let slope = SLOPE.get(piece).copied().unwrap_or(0);
    let offset = OFFSET.get(piece).copied().unwrap_or(0x800);
    let (slope, offset, factor) = match function {
        Squash::Sigmoid => (slope, if minus { 0x800 - offset } else { offset }, x),
        Squash::Tanh => {
            let twice = 2 * offset - 0x800;
            (4 * slope, if minus { -twice } else { twice }, x)
        }
        Squash::Exp => (slope, if minus { offset } else { 0x800 - offset }, clamp(-x, 16)),
    };
    ((factor * slope) >> FB) + offset
}

impl Dpu {
    /// A DPU in reset.
    pub fn new() -> Self {
        Self::default()
    }

    /// `cond_status`: 0 less, 1 greater, 2 equal.
    #[inline]
    pub fn cond_status(&self) -> u8 {
        self.status[0]
    }

    /// The instruction launched in this cycle, if one is.
    fn launched(&self, immediate: bool, issued: Option<&Instruction>) -> Option<Instruction> {
        if immediate { issued.copied().or(self.shadow) } else { None }
    }

    /// Lane width of arithmetic (`bw_reg`) or output formatting (`cfg_bw`).
    fn lanes(&self, bw: u8) -> u32 {
        if self.lane_mode { lane_width(bw) } else { 16 }
    }

    fn fixed_point(&self, cfg_bw: u8) -> bool {
        self.lanes(cfg_bw) == 16
            && (self.current.control & 1 == 1 || cfg_bw == BwConfig::Fx16.code())
    }

    fn saturating(&self) -> bool {
        self.current.control & 2 == 2
    }

    /// Accumulator of a channel as an output word; `product` if the mode's operation is one.
    fn format(&self, ch: usize, product: bool, cfg_bw: u8) -> u16 {
        let w = self.lanes(cfg_bw);
        let sat = self.saturating();
        let scale = product && self.fixed_point(cfg_bw);
        if w == 16 {
            let v = sx(self.acc[ch].into(), 32) >> if scale { FB } else { 0 };
            return if sat { clamp(v, 16) as u16 } else { v as u16 };
        }
        map2(self.acc[ch], 0, 2 * w, w, 16 / w, |v, _| if sat { clamp(v, w) } else { v }) as u16
    }

    /// Number of the mode in force.
    #[inline]
    pub fn mode(&self) -> u8 {
        self.current.mode.code()
    }

    /// True if an instruction waits in the shadow register.
    #[inline]
    pub fn waiting(&self) -> bool {
        self.shadow.is_some()
    }

    /// True if saturation changes an output word of the current cycle (5.4).
    pub fn saturates(&self, cfg_bw: u8) -> bool {
        let free = Self {
            current: Instruction { control: self.current.control & 1, ..self.current },
            ..self.clone()
        };
        self.outputs(false, None, cfg_bw) != free.outputs(false, None, cfg_bw)
    }

    /// True if in the mode in force nothing but the cycle count can change and both outputs are 0,
    /// as long as nothing is launched.
    #[inline]
    fn resting(&self) -> bool {
        !self.active
            && self.prev_op == [Op::Idle; 2]
            && self.acc == [0; 2]
            && self.div == [0; 3]
            && self.pack_phase == 0
    }

    /// `out0`, `out1` of this cycle: combinational from registers, the launch and `cfg_bw`.
    #[inline]
    pub fn outputs(&self, immediate: bool, issued: Option<&Instruction>, cfg_bw: u8) -> (u16, u16) {
        if !self.active {
            return (0, 0);
        }
        let f = |ch, product| self.format(ch, product, cfg_bw);
        let both = |product| (f(0, product), f(1, product));
        let w = self.lanes(cfg_bw);
        let greater = |ch: usize| self.status[ch] == 1;
        let (o0, o1) = match self.current.mode {
            Mode::Add
            | Mode::SumAcc
            | Mode::AddConst
            | Mode::Subt
            | Mode::MaxMinAcc
            | Mode::MaxMinConst
            | Mode::MaxMin
            | Mode::ShiftL
            | Mode::ShiftR => both(false),
            Mode::Mult | Mode::MultConst | Mode::Mac | Mode::Axpy | Mode::MacInter => both(true),
            Mode::MultAdd => (f(0, true), f(1, false)),
            Mode::SubtAbs => (absolute(f(0, false), w), absolute(f(1, false), w)),
            Mode::Sigm | Mode::Tanhyp | Mode::Expon => (self.acc[0] as u16, 0),
            Mode::LkRelu => (if greater(0) { f(0, false) } else { f(1, true) }, 0),
            Mode::Relu => {
                (if greater(0) { f(0, false) } else { 0 }, if greater(1) { f(1, false) } else { 0 })
            }
            Mode::Div | Mode::DivSoftmax => (f(0, false), 0),
            Mode::AccSoftmax => (0, f(1, false)),
            Mode::ScaleDw | Mode::ScaleUp => (self.pack_reg, 0),
            Mode::Idle | Mode::Mode6 | Mode::LdIr | Mode::Mode15 | Mode::LdAcc | Mode::Mode31 => {
                (0, 0)
            }
        };
        let io = self.launched(immediate, issued).map_or(self.current.io, |i| i.io);
        if io == DpuIoChange::AbsOut { (absolute(o0, w), absolute(o1, w)) } else { (o0, o1) }
    }

    /// Executes the edge that ends a cycle with these operands. Returns whether any register
    /// besides the cycle count may have changed.
    pub fn step(
        &mut self,
        immediate: bool,
        issued: Option<&Instruction>,
        cfg_bw: u8,
        input: [u16; 4],
    ) -> bool {
        let next_bw = match BwConfig::from_bits(cfg_bw.into()) {
            BwConfig::Fx16 => BwConfig::Int16.code(),
            other => other.code(),
        };
        let launch = self.launched(immediate, issued);
        if launch.is_none() && issued.is_none() && self.bw_reg == next_bw && self.resting() {
            self.acc_cnt = self.acc_cnt.wrapping_add(1);
            return false;
        }

        let now = self.current;
        let constant = launch.map_or(now.acc_clear, |i| i.acc_clear);
        let io = launch.map_or(now.io, |i| i.io);
        let w = self.lanes(self.bw_reg);
        let (fx, sat) = (self.fixed_point(cfg_bw), self.saturating());

        let [in0, in1, in2, in3] = input;
        let negate = |on: bool, v: u16| if on { neg(v, w) } else { v };
        let (even, odd) = (io == DpuIoChange::NegateIn0, io == DpuIoChange::NegateIn1);
        let (x0, x2) = (negate(even, in0), negate(even, in2));
        let (x1, x3) = (negate(odd, in1), negate(odd, in3));
        let tasks = self.tasks([in0, in1, in2, in3], [x0, x1, x2, x3], constant, w, cfg_bw);

        // Channels.
        let mut acc = [0; 2];
        let mut division = (1, 1);
        for ch in 0..2 {
            let Task { op, x, y, addend } = tasks[ch];
            let executed = if op == Op::Idle { self.prev_op[ch] } else { op };
            self.prev_op[ch] = op;
            let (a, b) = (sx(x.into(), 16), sx(y.into(), 16));
            let old = self.acc[ch];
            acc[ch] = match executed {
                Op::Idle => {
                    if ch == 0 {
                        division = (0, 1);
                    }
                    0
                }
                Op::Mac => {
                    let term = match addend {
                        None => old,
                        Some(v) if fx => (sx(v.into(), 16) << FB) as u32,
                        Some(v) => widen(v, w),
                    };
                    add(mul(x, y, w), term, w, sat)
                }
                Op::Mul => mul(x, y, w),
                Op::Add => add(widen(x, w), widen(y, w), w, sat),
                Op::Acc => add(widen(x, w), old, w, sat),
                Op::Ld => widen(x, w),
                Op::Shl if y < 32 => (a << y) as u32,
                Op::Shl => 0,
                Op::Shr => (a >> y.min(31)) as u32,
                Op::Max | Op::Min => {
                    self.status[ch] = match a.cmp(&b) {
                        std::cmp::Ordering::Less => 0,
                        std::cmp::Ordering::Greater => 1,
                        std::cmp::Ordering::Equal => 2,
                    };
                    (if executed == Op::Max { a.max(b) } else { a.min(b) }) as u32
                }
                Op::Sigm | Op::Tanh => {
                    division = (0, 1);
                    let function =
                        if executed == Op::Sigm { Squash::Sigmoid } else { Squash::Tanh };
                    squash(x as i16, function) as u32
                }
                Op::Exp => {
                    division = (1 << FB, squash(x as i16, Squash::Exp));
                    let q = self.div[2];
                    q & 0x7ff | (q >> 12 & 1) << 11
                }
                Op::Div => {
                    let den =
                        if now.mode == Mode::DivSoftmax { sx(self.sm_reg.into(), 32) } else { b };
                    division = (a, den);
                    self.div[2]
                }
            };
        }

        // Internal registers.
        match now.mode {
            Mode::LdIr => self.ir = [x0, x2],
            Mode::AccSoftmax => self.sm_reg = self.acc[1],
            _ => {}
        }
        self.div = [divide(division.0, division.1), self.div[0], self.div[1]];
        self.scale(in0, constant, launch.is_some());

        // Accumulators and their count.
        let hit = self.counting && constant != 0 && self.acc_cnt == constant;
        let clear = hit || launch.is_some() && now.mode != Mode::LdAcc;
        self.acc = if clear { [0; 2] } else { acc };
        self.acc_cnt = if launch.is_some() || hit { 0 } else { self.acc_cnt.wrapping_add(1) };

        // Launch stage.
        if let Some(new) = launch {
            self.current = new;
            let info = new.mode.info();
            self.lane_mode = info.lanes;
            self.counting = info.counts;
            self.active = !info.is_idle();
        }
        if immediate {
            self.shadow = None;
        } else if let Some(new) = issued {
            self.shadow = Some(*new);
        }
        self.bw_reg = next_bw;
        true
    }

    /// Operand select (section 6): raw operands `r`, conditioned operands `x`.
    fn tasks(&self, r: [u16; 4], x: [u16; 4], constant: u8, w: u32, cfg_bw: u8) -> [Task; 2] {
        let [ir0, ir1] = self.ir;
        let pair = |op, a0, b0, a1, b1| [task(op, a0, b0), task(op, a1, b1)];
        let first = |t| [t, Task::default()];
        match self.current.mode {
            Mode::Add => pair(Op::Add, x[0], x[1], x[2], x[3]),
            Mode::SumAcc => pair(Op::Acc, x[0], 0, x[2], 0),
            Mode::AddConst => pair(Op::Add, x[0], ir0, x[2], ir1),
            Mode::Subt | Mode::SubtAbs => pair(Op::Add, x[0], neg(r[1], w), x[2], neg(r[3], w)),
            Mode::Mult => pair(Op::Mul, x[0], x[1], x[2], x[3]),
            Mode::MultAdd => first(Task { addend: Some(r[2]), ..task(Op::Mac, x[0], x[1]) }),
            Mode::MultConst => pair(Op::Mul, x[0], ir0, x[2], ir1),
            Mode::Mac => pair(Op::Mac, x[0], x[1], x[2], x[3]),
            Mode::Axpy => [
                Task { addend: Some(r[1]), ..task(Op::Mac, x[0], ir0) },
                Task { addend: Some(r[3]), ..task(Op::Mac, x[2], ir1) },
            ],
            Mode::MaxMinAcc => [
                task(Op::Max, x[0], self.format(0, false, cfg_bw)),
                task(Op::Min, x[0], self.format(1, false, cfg_bw)),
            ],
            Mode::MaxMinConst => [task(Op::Max, x[0], ir0), task(Op::Min, x[0], ir0)],
            Mode::MaxMin => [task(Op::Max, x[0], x[1]), task(Op::Min, x[0], x[1])],
            Mode::ShiftL => pair(Op::Shl, x[0], x[1], x[2], x[3]),
            Mode::ShiftR => pair(Op::Shr, x[0], x[1], x[2], x[3]),
            Mode::Sigm => first(task(Op::Sigm, x[0], 0)),
            Mode::Tanhyp => first(task(Op::Tanh, x[0], 0)),
            Mode::Expon => first(task(Op::Exp, x[0], 0)),
            Mode::LkRelu => [task(Op::Max, r[0], 0), task(Op::Mul, r[0], constant.into())],
            Mode::Relu => pair(Op::Max, x[0], 0, x[2], 0),
            Mode::Div => first(task(Op::Div, x[0], x[1])),
            Mode::DivSoftmax => first(task(Op::Div, x[0], 0)),
            Mode::AccSoftmax => [task(Op::Idle, x[0], 0), task(Op::Acc, x[0], 0)],
            Mode::LdAcc => pair(Op::Ld, x[0], 0, x[2], 0),
            Mode::MacInter => pair(Op::Mac, x[0], ir0, x[2], ir1),
            Mode::Idle
            | Mode::Mode6
            | Mode::LdIr
            | Mode::Mode15
            | Mode::ScaleDw
            | Mode::ScaleUp
            | Mode::Mode31 => [Task::default(); 2],
        }
    }

    /// Scaler (section 11).
    fn scale(&mut self, in0: u16, constant: u8, launch: bool) {
        let mode = self.current.mode;
        if mode != Mode::ScaleDw && mode != Mode::ScaleUp {
            self.pack_phase = 0;
            return;
        }
        let w = lane_width(self.bw_reg);
        let last = (16 / w - 1) as u8;
        let lane = self.pack_phase & last;
        let at = w * u32::from(lane);
        let factor = sx(constant.into(), 8);
        self.pack_reg = if w == 16 {
            in0
        } else if mode == Mode::ScaleUp {
            (sx(u64::from(in0) >> at, w) * factor) as u16
        } else {
            let mask = ((1u32 << w) - 1) << at;
            let packed = (((sx(in0.into(), 16) * factor) >> 8) as u32) << at;
            (u32::from(self.pack_reg) & !mask | packed & mask) as u16
        };
        self.pack_phase = if launch || lane == last { 0 } else { lane + 1 };
    }

    // ---- registers as words ----

    /// `{sh_valid, sh_mode, sh_control, sh_const, sh_io}`.
    pub fn shadow_word(&self) -> u64 {
        self.shadow.map_or(0, |i| DpuSh { sh_valid: true, sh_instr: i.image() }.pack())
    }

    /// `{mode_reg, control_reg, const_reg, io_reg, bw_reg, acc_cnt}`.
    #[inline]
    pub fn config_word(&self) -> u64 {
        let instr = self.current.image();
        DpuCfg { instr, bw_reg: self.bw_reg, acc_cnt: self.acc_cnt }.pack()
    }

    /// Registers that stand alone: one value, or one for each channel.
    #[inline]
    pub fn data_words(&self) -> [(GroupId, [Option<u64>; 2]); 11] {
        let one = |value: u64| [Some(value), None];
        [
            (GroupId::DpuAcc, self.acc.map(|a| Some(a.into()))),
            (GroupId::DpuStatus, self.status.map(|s| Some(s.into()))),
            (GroupId::DpuPrevOp, self.prev_op.map(|op| Some(op as u64))),
            (GroupId::DpuIr0, one(self.ir[0].into())),
            (GroupId::DpuIr1, one(self.ir[1].into())),
            (GroupId::DpuSmReg, one(self.sm_reg.into())),
            (GroupId::DpuDivP1, one(self.div[0].into())),
            (GroupId::DpuDivP2, one(self.div[1].into())),
            (GroupId::DpuDivP3, one(self.div[2].into())),
            (GroupId::DpuPackReg, one(self.pack_reg.into())),
            (GroupId::DpuPackPhase, one(self.pack_phase.into())),
        ]
    }
}
