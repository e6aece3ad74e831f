//! Register allocation: PTX's unlimited registers to few rows.
//!
//! Compilers emit PTX in which almost every value has a register of its own; a row for each would not fit the
//! host's caches. Registers whose lifetimes do not overlap share a row (liveness over basic blocks, then a
//! linear scan over lifetimes, which are taken as ranges of statements). A lane's part of a row belongs to
//! that lane alone, so lanes on different paths do not disturb each other. A result never shares its row with
//! an operand of the same statement: one that decodes to several operations may write before it has read all.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::op::Slot;
use super::syntax::{Body, Operand, Register, Statement};
use super::types::Bank;

/// The row of each register, and how many rows each bank needs.
pub(super) struct Allocation {
    pub(super) slots: Vec<Slot>,
    pub(super) predicates: u32,
    pub(super) words: u32,
    pub(super) wides: u32,
}

/// Allocates the registers of a body.
pub(super) fn allocate(body: &Body) -> Allocation {
    let mut lifetimes = lifetimes(body);
    lifetimes.sort_unstable_by_key(|lifetime| (lifetime.first, lifetime.register));
    let mut allocation =
        Allocation { slots: vec![0; body.registers.len()], predicates: 0, words: 0, wides: 0 };
    let mut banks = [Rows::default(), Rows::default(), Rows::default()];
    for lifetime in lifetimes {
        let bank = match body.registers[lifetime.register as usize] {
            Bank::Predicate => &mut banks[0],
            Bank::Word => &mut banks[1],
            Bank::Wide => &mut banks[2],
        };
        allocation.slots[lifetime.register as usize] = bank.take(&lifetime);
    }
    [allocation.predicates, allocation.words, allocation.wides] = banks.map(|bank| bank.count);
    allocation
}

/// The rows of a bank during the scan.
#[derive(Default)]
struct Rows {
    count: u32,
    free: Vec<Slot>,
    /// Rows in use, by the last statement that needs them.
    busy: BinaryHeap<Reverse<(u32, Slot)>>,
}

impl Rows {
    fn take(&mut self, lifetime: &Lifetime) -> Slot {
        while let Some(&Reverse((last, slot))) = self.busy.peek().filter(|row| row.0.0 < lifetime.first) {
            debug_assert!(last < lifetime.first);
            self.busy.pop();
            self.free.push(slot);
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        self.busy.push(Reverse((lifetime.last, slot)));
        slot
    }
}

/// The statements from the first to the last at which a register holds something.
struct Lifetime {
    register: u32,
    first: u32,
    last: u32,
}

fn lifetimes(body: &Body) -> Vec<Lifetime> {
    let count = body.registers.len();
    let mut ranges = vec![(u32::MAX, 0); count];
    let mut extend = |register: usize, at: u32| {
        let (first, last) = &mut ranges[register];
        (*first, *last) = ((*first).min(at), (*last).max(at));
    };
    for (at, statement) in body.statements.iter().enumerate() {
        each_register(statement, |register, _| extend(register.0 as usize, at as u32));
    }
    for block in live_blocks(body) {
        block.live_in.each(|register| extend(register, block.start as u32));
        block.live_out.each(|register| extend(register, block.end as u32 - 1));
    }
    let used = ranges.into_iter().enumerate().filter(|(_, (first, last))| first <= last);
    used.map(|(register, (first, last))| Lifetime { register: register as u32, first, last }).collect()
}

/// A stretch of statements entered only at its start and left only at its end.
struct BasicBlock {
    start: usize,
    end: usize,
    successors: Vec<usize>,
    /// Read before the block writes them.
    reads: BitSet,
    /// Written whatever the guards say.
    writes: BitSet,
    live_in: BitSet,
    live_out: BitSet,
}

/// The basic blocks with what is live where they start and end.
fn live_blocks(body: &Body) -> Vec<BasicBlock> {
    let mut blocks = basic_blocks(body);
    let mut changed = true;
    while changed {
        changed = false;
        for index in (0..blocks.len()).rev() {
            for successor in blocks[index].successors.clone() {
                // A block may follow itself.
                let live_in = std::mem::take(&mut blocks[successor].live_in);
                blocks[index].live_out.add(&live_in);
                blocks[successor].live_in = live_in;
            }
            let block = &mut blocks[index];
            changed |= block.live_in.add(&block.reads);
            changed |= block.live_in.add_without(&block.live_out, &block.writes);
        }
    }
    blocks
}

fn basic_blocks(body: &Body) -> Vec<BasicBlock> {
    let statements = &body.statements;
    let mut starts = vec![false; statements.len() + 1];
    starts[0] = true;
    for (at, statement) in statements.iter().enumerate() {
        if let Some(targets) = targets(statement) {
            starts[at + 1] = true;
            targets.iter().for_each(|&target| starts[target as usize] = true);
        }
    }
    let mut block_of = vec![0; statements.len() + 1];
    let mut blocks = Vec::new();
    for (at, statement) in statements.iter().enumerate() {
        if starts[at] {
            blocks.push(BasicBlock {
                start: at,
                end: at,
                successors: Vec::new(),
                reads: BitSet::new(body.registers.len()),
                writes: BitSet::new(body.registers.len()),
                live_in: BitSet::new(body.registers.len()),
                live_out: BitSet::new(body.registers.len()),
            });
        }
        block_of[at] = blocks.len() - 1;
        let Some(block) = blocks.last_mut() else { continue };
        block.end = at + 1;
        each_register(statement, |register, role| {
            if role == Role::Read && !block.writes.has(register.0 as usize) {
                block.reads.insert(register.0 as usize);
            }
        });
        each_register(statement, |register, role| {
            // Where the guard fails the old value stays.
            if role == Role::Write && statement.guard.is_none() {
                block.writes.insert(register.0 as usize);
            }
        });
    }
    for block in &mut blocks {
        let end = block.end;
        let last = &statements[end - 1];
        let targets = targets(last);
        let goes_on = targets.is_none() || last.guard.is_some();
        let next = goes_on.then_some(end as u32).into_iter();
        let all = targets.unwrap_or_default().into_iter().chain(next);
        // A target behind the last statement is the end of the kernel.
        block.successors =
            all.filter(|&at| (at as usize) < statements.len()).map(|at| block_of[at as usize]).collect();
    }
    blocks
}

/// Where a statement that ends a basic block can go, besides on; none for all others.
fn targets(statement: &Statement) -> Option<Vec<u32>> {
    match statement.opcode.as_str() {
        "ret" | "exit" => Some(Vec::new()),
        "bra" | "brx" => Some(
            statement
                .operands
                .iter()
                .flat_map(|operand| match operand {
                    Operand::Target(target) => vec![*target],
                    Operand::Targets(targets) => targets.clone(),
                    _ => Vec::new(),
                })
                .collect(),
        ),
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Read,
    Write,
}

/// Calls `f` with every register of a statement.
fn each_register(statement: &Statement, mut f: impl FnMut(Register, Role)) {
    fn visit(operand: &Operand, role: Role, f: &mut impl FnMut(Register, Role)) {
        match operand {
            Operand::Register(register) | Operand::Not(register) => f(*register, role),
            // An address is read, also that of a store.
            Operand::AtRegister(register, _) => f(*register, Role::Read),
            Operand::Pair(first, second) => {
                visit(first, role, f);
                visit(second, role, f);
            }
            Operand::Vector(parts) => parts.iter().for_each(|part| visit(part, role, f)),
            _ => {}
        }
    }
    if let Some((guard, _)) = statement.guard {
        f(guard, Role::Read);
    }
    for (index, operand) in statement.operands.iter().enumerate() {
        let role = if index == 0 && has_result(statement) { Role::Write } else { Role::Read };
        visit(operand, role, &mut f);
    }
}

/// Whether the first operand is written.
fn has_result(statement: &Statement) -> bool {
    match statement.opcode.as_str() {
        "st" | "red" | "bra" | "brx" | "ret" | "exit" | "trap" | "membar" | "fence" | "cp" | "nanosleep" => {
            false
        }
        "bar" | "barrier" => statement.modifiers.iter().any(|word| word == "red"),
        _ => true,
    }
}

/// A set of small numbers.
#[derive(Clone, Default)]
struct BitSet(Vec<u64>);

impl BitSet {
    fn new(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)])
    }

    fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    fn has(&self, index: usize) -> bool {
        self.0[index / 64] >> (index % 64) & 1 == 1
    }

    /// Adds all of `other`; whether any was new.
    fn add(&mut self, other: &Self) -> bool {
        let mut grew = false;
        for (word, &other) in self.0.iter_mut().zip(&other.0) {
            grew |= other & !*word != 0;
            *word |= other;
        }
        grew
    }

    /// Adds what is in `other` and not in `without`; whether any was new.
    fn add_without(&mut self, other: &Self, without: &Self) -> bool {
        let mut grew = false;
        for ((word, &other), &without) in self.0.iter_mut().zip(&other.0).zip(&without.0) {
            grew |= other & !without & !*word != 0;
            *word |= other & !without;
        }
        grew
    }

    fn each(&self, mut f: impl FnMut(usize)) {
        for (index, &word) in self.0.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                f(index * 64 + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parser::parse;
    use super::*;

    /// The allocation of a body over the registers `%r0` to `%r9`, which are registers 1 to 10, and `%p`.
    fn allocated(body: &str) -> Allocation {
        let text = format!(".visible .entry k() {{ .reg .pred %p; .reg .b32 %r<10>;\n{body}\n}}");
        allocate(&parse(&text).unwrap().entries[0].body)
    }

    #[test]
    fn values_that_die_share_a_row() {
        let chain = "mov.u32 %r0, 1; add.u32 %r1, %r0, 1; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1;
                     st.global.u32 [0], %r3;";
        assert_eq!(allocated(chain).words, 2);
    }

    #[test]
    fn a_result_has_another_row_than_its_operands() {
        let allocation = allocated("mov.u32 %r0, 1; add.u32 %r1, %r0, 1; st.global.u32 [0], %r1;");
        assert_ne!(allocation.slots[1], allocation.slots[2]);
    }

    #[test]
    fn a_value_read_in_the_next_turn_lives_through_the_loop() {
        // %r0 is read at the top of every turn, %r1 is born and dies inside it.
        let allocation = allocated(
            "mov.u32 %r0, 1; LOOP: add.u32 %r1, %r0, 1; setp.lt.u32 %p, %r1, 9; mov.u32 %r2, 3;
             st.global.u32 [0], %r2; @%p bra LOOP; ret;",
        );
        assert_ne!(allocation.slots[1], allocation.slots[2]);
        assert_ne!(allocation.slots[1], allocation.slots[3]);
    }

    #[test]
    fn a_value_read_deep_inside_a_loop_lives_to_its_end() {
        // %r2 is born behind the only read of %r0, which the next turn reaches through a branch.
        let allocation = allocated(
            "mov.u32 %r0, 1; mov.u32 %r1, 0;
             LOOP: setp.eq.u32 %p, %r1, 5; @%p bra OVER; add.u32 %r1, %r1, %r0; OVER: mov.u32 %r2, 3;
             st.global.u32 [0], %r2; setp.lt.u32 %p, %r1, 9; @%p bra LOOP; ret;",
        );
        assert_ne!(allocation.slots[1], allocation.slots[3]);
    }

    #[test]
    fn a_guarded_write_keeps_the_value_before_it() {
        // Where the guard fails, %r0 is what the turn before left, at the end of which %r2 is alive.
        let allocation = allocated(
            "mov.u32 %r0, 1; mov.u32 %r1, 0;
             LOOP: setp.eq.u32 %p, %r1, 5; @%p mov.u32 %r0, 7; add.u32 %r1, %r1, %r0; mov.u32 %r2, 3;
             st.global.u32 [0], %r2; setp.lt.u32 %p, %r1, 9; @%p bra LOOP; ret;",
        );
        assert_ne!(allocation.slots[1], allocation.slots[3]);
    }

    #[test]
    fn registers_never_named_have_no_row() {
        assert_eq!(allocated("ret;").words, 0);
    }
}
