//! One row per instruction: decode, the three register accesses, and what needs no table of its own.
//!
//! - Public values: pc and clock of the first row, pc after the last row, exit code (low word, high word).
//! - Sends on `PROGRAM`: the instruction, which fixes flags, operation, registers and immediate.
//! - Accesses register cells `rs1`, `rs2`, `rd`.
//! - Sends on `RANGE16`: halves of the result's words, of every instruction.
//! - Sends on `ALU` and `MEMORY`: what other tables do.
//!
//! Rows are consecutive: the next row's pc is this row's `next_pc`, its clock this row's clock plus four.
//! Rows after the exit have pc [`HALT_PC`], which no jump reaches, so an execution that has not exited
//! cannot be passed off as one that has. Chunks of a long execution are joined by their public values.
//!
//! # Why it is sound
//! - Register values are 32-bit words: they start at zero, and whatever is written is range-checked here,
//!   whichever table computed it. Immediates are words of the program. So a sum of two words and a carry is
//!   below 2^34 and an equation in the field is one over the integers.
//! - `a + imm` must be below 2^32 as an address: the high word's equation says so once the low word is known
//!   to be one, which the receiver shows (the cell exists) or the program (the target is an instruction).
//! - Where the row is padding every flag that gates an interaction is zero.

use lambda_air::TableBuilder;
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, NamedAirBuilder, WindowAccess};
use p3_field::PrimeCharacteristicRing;

use super::access::{Cell, Times, access, gap_low};
use super::limbs::{high_half, words};
use super::{Lookups, Row as _, columns};
use crate::buses::{ALU, MEMORY, PROGRAM, RANGE16, SPACE_REGISTERS};
use crate::ecall;
use crate::isa::{Class, Instruction, MemoryOp};
use crate::memory::{HALT_PC, TICK_RD, TICK_RS1, TICK_RS2, TICKS};
use crate::record::CpuEvent;

/// Name of the table.
pub const NAME: &str = "cpu";

/// Number of decoded flags.
pub const FLAGS: usize = Flags::<u8>::WIDTH;

columns! {
    /// The columns.
    pub struct CpuColumns<T> {
        /// Time of the row, a multiple of four.
        pub clock: T,
        /// Address of the instruction.
        pub pc: T,
        /// Address of the next instruction.
        pub next_pc: T,
        /// Decoded flags.
        pub flags: [T; FLAGS],
        /// Whether the system call is exit.
        pub is_exit: T,
        /// Whether the branch is taken; the target's bit 0 in an indirect jump.
        pub bit: T,
        /// Number of the operation on `ALU` or `MEMORY`.
        pub op: T,
        /// First source register.
        pub rs1: T,
        /// Second source register.
        pub rs2: T,
        /// Destination register.
        pub rd: T,
        /// Immediate.
        pub imm: [T; 2],
        /// Value of `rs1`.
        pub a: [T; 2],
        /// Value of `rs2`, or the immediate.
        pub b: [T; 2],
        /// Result.
        pub c: [T; 2],
        /// Lower halves of the result's words.
        pub c_low: [T; 2],
        /// Carries out of the low and the high word.
        pub carry: [T; 2],
        /// Value of `rd` before.
        pub rd_before: [T; 2],
        /// Times of the accesses before, to `rs1`, `rs2`, `rd`.
        pub time_before: [T; 3],
        /// Lower halves of the gaps to them.
        pub gap_low: [T; 3],
    }
}

columns! {
    /// The decoded flags by name; in the program they are one number, flag `i` with weight `2^i`.
    pub struct Flags<T> {
        /// `c = a + b`.
        pub is_add: T,
        /// `c = a - b`.
        pub is_sub: T,
        /// `c = op(a, b)` by an ALU table.
        pub is_alu: T,
        /// Goes to `imm` depending on `c`; an ALU row too.
        pub is_branch: T,
        /// The branch is taken where the comparison fails.
        pub inverts: T,
        /// Goes to `imm`.
        pub is_jal: T,
        /// Goes to `a + imm`.
        pub is_jalr: T,
        /// Loads `c` from `a + imm`.
        pub is_load: T,
        /// Stores `b` at `a + imm`.
        pub is_store: T,
        /// System call.
        pub is_ecall: T,
        /// `b` is a register.
        pub reads_rs2: T,
        /// `c` goes to `rd`.
        pub writes: T,
    }
}

/// The flags of `instruction`, flag `i` at bit `i`, and its operation's number: its part of the ROM.
pub fn decoded(instruction: &Instruction) -> (u16, u8) {
    let mut flags = Flags::<bool>::default();
    let mut op = 0;
    match instruction.class {
        Class::Add => flags.is_add = true,
        Class::Sub => flags.is_sub = true,
        Class::Alu(alu) => {
            flags.is_alu = true;
            op = alu as u8;
        }
        Class::Branch { op: alu, invert } => {
            flags.is_alu = true;
            flags.is_branch = true;
            flags.inverts = invert;
            op = alu as u8;
        }
        Class::Jal => flags.is_jal = true,
        Class::Jalr => flags.is_jalr = true,
        Class::Load(memory) => {
            flags.is_load = true;
            op = memory as u8;
        }
        Class::Store(memory) => {
            flags.is_store = true;
            op = memory as u8;
        }
        Class::Ecall => {
            flags.is_ecall = true;
            op = MemoryOp::ECALL;
        }
    }
    flags.reads_rs2 = instruction.reads_rs2;
    flags.writes = instruction.writes();
    let (mut packed, mut weight) = (0, 1);
    flags.for_each(&mut |flag| {
        packed += u16::from(flag) * weight;
        weight *= 2;
    });
    (packed, op)
}

/// Constraints and interactions (module docs).
#[derive(Clone, Copy, Debug)]
pub struct CpuAir;

impl BaseAir<Goldilocks> for CpuAir {
    fn width(&self) -> usize {
        CpuColumns::<u8>::WIDTH
    }

    fn num_public_values(&self) -> usize {
        PublicValues::COUNT
    }
}

/// The table's public values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicValues<T> {
    /// Address of the first row's instruction.
    pub first_pc: T,
    /// Clock of the first row.
    pub first_clock: T,
    /// Address after the last row.
    pub last_pc: T,
    /// Exit code, low word first.
    pub exit_code: [T; 2],
}

impl PublicValues<u8> {
    /// Number of public values.
    pub const COUNT: usize = 5;
}

impl<T> PublicValues<T> {
    /// From the list in its order.
    pub fn new([first_pc, first_clock, last_pc, low, high]: [T; 5]) -> Self {
        Self { first_pc, first_clock, last_pc, exit_code: [low, high] }
    }

    /// As the list.
    pub fn into_list(self) -> [T; 5] {
        let [low, high] = self.exit_code;
        [self.first_pc, self.first_clock, self.last_pc, low, high]
    }
}

impl<AB: TableBuilder> Air<AB> for CpuAir {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let row = CpuColumns::<AB::Var>::from_row(main.current_slice());
        let next = CpuColumns::<AB::Var>::from_row(main.next_slice());
        let cpu = Row::<AB>::new(&row);
        cpu.flags(builder);
        cpu.flow(builder);
        cpu.result(builder);
        cpu.address(builder);
        cpu.exit(builder);
        consecutive(builder, &row, &next);
        cpu.interactions(builder);
    }
}

/// A row with what several constraints use.
struct Row<'a, AB: TableBuilder> {
    row: &'a CpuColumns<AB::Var>,
    flags: Flags<AB::Var>,
    /// 1 on rows that are instructions.
    real: AB::Expr,
    /// Low word of `a + imm`, for whatever goes to it.
    address: AB::Expr,
}

impl<'a, AB: TableBuilder> Row<'a, AB> {
    fn new(row: &'a CpuColumns<AB::Var>) -> Self {
        let flags = Flags::from_row(&row.flags);
        let real = flags.is_add
            + flags.is_sub
            + flags.is_alu
            + flags.is_jal
            + flags.is_jalr
            + flags.is_load
            + flags.is_store
            + flags.is_ecall;
        let address = row.a[0] + row.imm[0] - row.carry[0] * word();
        Self { row, flags, real, address }
    }

    fn flags(&self, builder: &mut AB) {
        let Self { row, flags, real, .. } = self;
        builder.assert_bools_named(row.flags, "flags are boolean");
        builder.assert_bools_named([row.is_exit, row.bit], "exit and bit are boolean");
        builder.assert_bools_named(row.carry, "carries are boolean");
        builder.assert_bool_named(real.clone(), "a row has at most one class");
        let mut padding = builder.when_ne(real.clone(), AB::Expr::ONE);
        padding.assert_zero_named(
            flags.is_branch + flags.reads_rs2 + flags.writes,
            "padding neither jumps nor accesses registers",
        );
        padding.assert_eq_named(row.pc, halt_pc::<AB>(), "padding comes after the exit");
        builder.when(row.is_exit).assert_one_named(flags.is_ecall, "exit is a system call");
    }

    fn flow(&self, builder: &mut AB) {
        let Self { row, flags, real, address } = self;
        let following = row.pc + AB::Expr::from_u32(TICKS);
        let jumps = flags.is_branch + flags.is_jal + flags.is_jalr + row.is_exit;
        builder.when(real.clone() - jumps).assert_eq_named(
            row.next_pc,
            following.clone(),
            "the next instruction follows",
        );
        let compared = row.c[0] + flags.inverts - (row.c[0] * flags.inverts).double();
        let mut branch = builder.when(flags.is_branch);
        branch.assert_eq_named(row.bit, compared, "a branch is taken by its comparison");
        branch.assert_eq_named(
            row.next_pc,
            following.clone() + row.bit * (row.imm[0] - following.clone()),
            "a branch goes to its target if taken",
        );
        builder.when(flags.is_jal).assert_eq_named(row.next_pc, row.imm[0], "a jump goes to its target");
        builder.when(flags.is_jalr).assert_eq_named(
            row.next_pc + row.bit,
            address.clone(),
            "an indirect jump goes to a + imm without bit 0",
        );
        let mut link = builder.when(flags.is_jal + flags.is_jalr);
        link.assert_eq_named(row.c[0], following, "a jump's result is the address after it");
        link.assert_zero_named(row.c[1], "the address after a jump is one word");
    }

    fn result(&self, builder: &mut AB) {
        let Self { row, flags, .. } = self;
        for i in 0..2 {
            builder.when_ne(flags.reads_rs2, AB::Expr::ONE).assert_eq_named(
                row.b[i],
                row.imm[i],
                "without rs2, b is the immediate",
            );
            let carry_in = if i == 0 { AB::Expr::ZERO } else { row.carry[0].into() };
            let carry_out = row.carry[i] * word();
            builder.when(flags.is_add).assert_eq_named(
                row.a[i] + row.b[i] + carry_in.clone(),
                row.c[i] + carry_out.clone(),
                "c = a + b",
            );
            builder.when(flags.is_sub).assert_eq_named(
                row.c[i] + row.b[i] + carry_in,
                row.a[i] + carry_out,
                "c = a - b",
            );
            builder.when(flags.is_store + row.is_exit).assert_eq_named(
                row.c[i],
                row.b[i],
                "what is stored, and the exit code, is b",
            );
        }
    }

    fn address(&self, builder: &mut AB) {
        let Self { row, flags, .. } = self;
        builder.when(flags.is_load + flags.is_store + flags.is_ecall + flags.is_jalr).assert_eq_named(
            row.a[1] + row.imm[1] + row.carry[0],
            row.carry[1] * word(),
            "a + imm is below 2^32",
        );
    }

    fn exit(&self, builder: &mut AB) {
        let row = self.row;
        let publics = PublicValues::new(core::array::from_fn(|i| builder.public_values()[i]));
        let mut exit = builder.when(row.is_exit);
        exit.assert_eq_named(row.a[0], AB::Expr::from_u64(ecall::EXIT), "exit has its number");
        exit.assert_zero_named(row.a[1], "the number of exit is one word");
        exit.assert_eq_named(row.next_pc, halt_pc::<AB>(), "nothing comes after exit");
        for i in 0..2 {
            exit.assert_eq_named(row.b[i], publics.exit_code[i].into(), "the exit code is the public one");
        }
        builder.when_ne(self.real.clone(), AB::Expr::ONE).assert_eq_named(
            row.next_pc,
            halt_pc::<AB>(),
            "padding stays after the exit",
        );
    }

    fn interactions(&self, builder: &mut AB) {
        let Self { row, flags, real, address } = self;
        let packed = row
            .flags
            .iter()
            .enumerate()
            .fold(AB::Expr::ZERO, |sum, (bit, &flag)| sum + flag * Goldilocks::from_u32(1 << bit));
        builder.send(
            &PROGRAM,
            real.clone(),
            [
                row.pc.into(),
                packed,
                row.op.into(),
                row.rs1.into(),
                row.rs2.into(),
                row.rd.into(),
                row.imm[0].into(),
                row.imm[1].into(),
            ],
        );
        let [a, b, c, rd_before] = [row.a, row.b, row.c, row.rd_before].map(|words| words.map(Into::into));
        let registers = [
            (real.clone(), row.rs1, [a.clone(), a.clone()]),
            (flags.reads_rs2.into(), row.rs2, [b.clone(), b.clone()]),
            (flags.writes.into(), row.rd, [rd_before, c.clone()]),
        ];
        let ticks = [TICK_RS1, TICK_RS2, TICK_RD];
        for (i, ((multiplicity, register, values), tick)) in registers.into_iter().zip(ticks).enumerate() {
            let cell = Cell { space: SPACE_REGISTERS, number: register.into() };
            let times = Times {
                now: row.clock + AB::Expr::from_u32(tick),
                before: row.time_before[i].into(),
                gap_low: row.gap_low[i].into(),
            };
            access(builder, multiplicity, cell, values, times);
        }
        for i in 0..2 {
            let low: AB::Expr = row.c_low[i].into();
            builder.send(&RANGE16, real.clone(), [low.clone()]);
            builder.send(&RANGE16, real.clone(), [high_half(row.c[i].into(), low)]);
        }
        let [[a0, a1], [b0, b1], [c0, c1]] = [a, b, c];
        let op: AB::Expr = row.op.into();
        builder.send(&ALU, flags.is_alu, [op.clone(), a0, a1, b0, b1, c0.clone(), c1.clone()]);
        let memory = flags.is_load + flags.is_store + flags.is_ecall - row.is_exit;
        builder.send(&MEMORY, memory, [op, row.clock.into(), address.clone(), c0, c1]);
    }
}

fn consecutive<AB: TableBuilder>(builder: &mut AB, row: &CpuColumns<AB::Var>, next: &CpuColumns<AB::Var>) {
    let publics = PublicValues::new(core::array::from_fn(|i| builder.public_values()[i]));
    let mut first = builder.when_first_row();
    first.assert_eq_named(row.pc, publics.first_pc.into(), "the first row has the public pc");
    first.assert_eq_named(row.clock, publics.first_clock.into(), "the first row has the public clock");
    builder.when_last_row().assert_eq_named(
        row.next_pc,
        publics.last_pc.into(),
        "the last row leads to the public pc",
    );
    let mut transition = builder.when_transition();
    transition.assert_eq_named(next.pc, row.next_pc, "the next row is the next instruction");
    transition.assert_eq_named(next.clock, row.clock + AB::Expr::from_u32(TICKS), "the clock advances");
}

/// 2^32.
fn word() -> Goldilocks {
    Goldilocks::from_u64(1 << 32)
}

fn halt_pc<AB: TableBuilder>() -> AB::Expr {
    AB::Expr::from_u64(HALT_PC)
}

/// The row of `event`, which ran `instruction` at `clock`.
pub fn row(
    instruction: &Instruction,
    clock: u32,
    event: &CpuEvent,
    lookups: &mut impl Lookups,
) -> CpuColumns<Goldilocks> {
    let (flags, op) = decoded(instruction);
    let is_exit = instruction.class == Class::Ecall && event.a == ecall::EXIT;
    let times = [
        (true, TICK_RS1, event.rs1_before),
        (instruction.reads_rs2, TICK_RS2, event.rs2_before),
        (instruction.writes(), TICK_RD, event.rd_before_time),
    ];
    let gap_low = times.map(|(accessed, tick, before)| match accessed {
        true => gap_low(clock + tick, before, lookups),
        false => Goldilocks::ZERO,
    });
    let [c_low, c_high] = [event.c as u32, (event.c >> 32) as u32];
    lookups.word(c_low);
    lookups.word(c_high);
    CpuColumns {
        clock: Goldilocks::from_u32(clock),
        pc: Goldilocks::from_u32(event.pc),
        next_pc: Goldilocks::from_u64(event.next_pc),
        flags: core::array::from_fn(|bit| Goldilocks::from_bool(flags >> bit & 1 == 1)),
        is_exit: Goldilocks::from_bool(is_exit),
        bit: Goldilocks::from_bool(bit(instruction, event)),
        op: Goldilocks::from_u8(op),
        rs1: Goldilocks::from_u8(instruction.rs1),
        rs2: Goldilocks::from_u8(instruction.rs2),
        rd: Goldilocks::from_u8(instruction.rd),
        imm: words(instruction.imm),
        a: words(event.a),
        b: words(event.b),
        c: words(event.c),
        c_low: [c_low, c_high].map(|word| Goldilocks::from_u16(word as u16)),
        carry: carries(instruction, event).map(Goldilocks::from_bool),
        rd_before: words(event.rd_before),
        time_before: [event.rs1_before, event.rs2_before, event.rd_before_time].map(Goldilocks::from_u32),
        gap_low,
    }
}

/// A row after the exit.
pub fn padding(clock: u32) -> CpuColumns<Goldilocks> {
    let halt = Goldilocks::from_u64(HALT_PC);
    CpuColumns { clock: Goldilocks::from_u32(clock), pc: halt, next_pc: halt, ..Default::default() }
}

fn bit(instruction: &Instruction, event: &CpuEvent) -> bool {
    match instruction.class {
        Class::Branch { invert, .. } => (event.c == 1) != invert,
        Class::Jalr => event.a.wrapping_add(instruction.imm) & 1 == 1,
        _ => false,
    }
}

fn carries(instruction: &Instruction, event: &CpuEvent) -> [bool; 2] {
    let (x, y) = match instruction.class {
        Class::Add => (event.a, event.b),
        Class::Sub => (event.c, event.b),
        Class::Jalr | Class::Load(_) | Class::Store(_) | Class::Ecall => (event.a, instruction.imm),
        Class::Alu(_) | Class::Branch { .. } | Class::Jal => return [false; 2],
    };
    let low = (x as u32).overflowing_add(y as u32).1;
    let (sum, first) = ((x >> 32) as u32).overflowing_add((y >> 32) as u32);
    [low, first | sum.overflowing_add(u32::from(low)).1]
}
