//! A warp: up to 32 threads that run one instruction at a time.
//!
//! Lanes at the same program counter form a fragment. Of the fragments that can run, the one with the lowest
//! counter does, until it would pass another, branches apart, or waits. Code is laid out so that paths meet
//! again further down: lanes that fell behind catch up there. A fragment waits at a warp operation until all
//! members are at it, and at a barrier until the block lets it go.

use super::access::AtomicOperands;
use super::clock::WarpClock;
use super::collective::ShuffleOperands;
use super::fault::LaneFault;
use super::integer::{self, with_int};
use super::local::LocalMemory;
use super::registers::{LANES, Registers, lanes};
use super::shared::SharedMemory;
use super::{convert, float};
use crate::memory::GlobalMemory;
use crate::ptx::{Guard, Int, Kernel, Module, Op, Slot, Tally, Vote};

/// What a warp runs in.
pub(super) struct Context<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) module: &'a Module,
    pub(super) memory: &'a dyn GlobalMemory,
    pub(super) shared: &'a mut SharedMemory,
    /// Linear index of the block.
    pub(super) block: u32,
    /// Whether atomic accesses of one instruction happen from the last lane to the first.
    pub(super) descending: bool,
    /// Most instructions a warp may execute.
    pub(super) step_limit: u64,
}

/// A warp of a block.
#[derive(Debug)]
pub(super) struct Warp {
    /// Position in the block.
    pub(super) index: u32,
    pub(super) registers: Registers,
    pub(super) local: LocalMemory,
    pub(super) clock: WarpClock,
    /// Program counter of the instruction at hand.
    pub(super) pc: u32,
    /// Lanes that are threads of the block.
    pub(super) existing: u32,
    exited: u32,
    /// Carry flags.
    carries: u32,
    fragments: Vec<Fragment>,
    steps: u64,
    /// Instructions executed, counted a thread each.
    pub(super) instructions: u64,
}

/// Lanes at one program counter.
#[derive(Clone, Copy, Debug)]
struct Fragment {
    pc: u32,
    lanes: u32,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    /// At a warp operation, for other members.
    Members,
    /// At a barrier of the block.
    Barrier,
}

/// What becomes of a fragment after an instruction.
enum Next {
    /// The instruction behind it.
    Continue,
    Jump(u32),
    /// Its lanes are in other fragments now, or gone.
    Parked,
}

impl Warp {
    pub(super) fn new(index: u32, existing: u32, registers: Registers, local_bytes: u32) -> Self {
        Self {
            index,
            registers,
            local: LocalMemory::new(local_bytes),
            clock: WarpClock::default(),
            pc: 0,
            existing,
            exited: 0,
            carries: 0,
            fragments: Vec::new(),
            steps: 0,
            instructions: 0,
        }
    }

    /// Puts all lanes before the first instruction; nothing that they wrote before is left.
    pub(super) fn start(&mut self, kernel: &Kernel, junk: u64) {
        let [predicates, words, wides] = kernel.rows.registers.map(|count| count as usize);
        self.registers.predicates[..predicates].fill(junk as u32);
        self.registers.words[..words].fill([junk as u32; LANES]);
        self.registers.wides[..wides].fill([junk; LANES]);
        self.local.fill(junk);
        self.clock = WarpClock::default();
        (self.exited, self.carries, self.steps) = (0, junk as u32, 0);
        self.fragments.clear();
        self.fragments.push(Fragment { pc: 0, lanes: self.existing, state: State::Ready });
    }

    /// Runs until every lane has exited or waits at a barrier.
    pub(super) fn run(&mut self, cx: &mut Context<'_>) -> Result<(), LaneFault> {
        while let Some(fragment) = self.take_ready() {
            self.advance(cx, fragment)?;
        }
        match self.fragments.iter().find(|fragment| fragment.state == State::Members) {
            None => Ok(()),
            Some(&waiting) => Err(self.missing_members(cx, waiting)),
        }
    }

    /// Whether every lane has exited.
    pub(super) fn finished(&self) -> bool {
        self.exited == self.existing
    }

    /// The lanes that wait at a barrier, by program counter.
    pub(super) fn at_barriers(&self) -> impl Iterator<Item = (u32, u32)> {
        self.fragments.iter().map(|fragment| (fragment.pc, fragment.lanes))
    }

    /// Lets all lanes go on behind the barrier they wait at.
    pub(super) fn release(&mut self) {
        for fragment in &mut self.fragments {
            (fragment.pc, fragment.state) = (fragment.pc + 1, State::Ready);
        }
    }

    /// Removes the ready fragment with the lowest program counter, joined with all that are at the same.
    fn take_ready(&mut self) -> Option<Fragment> {
        let ready = self.fragments.iter().filter(|fragment| fragment.state == State::Ready);
        let pc = ready.map(|fragment| fragment.pc).min()?;
        let lanes = self.absorb(pc, State::Ready);
        Some(Fragment { pc, lanes, state: State::Ready })
    }

    /// Removes the fragments at `pc` in `state` and returns their lanes.
    fn absorb(&mut self, pc: u32, state: State) -> u32 {
        let mut lanes = 0;
        self.fragments.retain(|fragment| {
            let here = fragment.pc == pc && fragment.state == state;
            lanes |= if here { fragment.lanes } else { 0 };
            !here
        });
        lanes
    }

    fn park(&mut self, pc: u32, lanes: u32, state: State) {
        if lanes != 0 {
            self.fragments.push(Fragment { pc, lanes, state });
        }
    }

    /// Runs a fragment until it waits, ends, splits, or reaches another that is ready.
    fn advance(&mut self, cx: &mut Context<'_>, fragment: Fragment) -> Result<(), LaneFault> {
        let ready = self.fragments.iter().filter(|fragment| fragment.state == State::Ready);
        let limit = ready.map(|fragment| fragment.pc).min().unwrap_or(u32::MAX);
        let (mut pc, mut lanes) = (fragment.pc, fragment.lanes);
        let kernel = cx.kernel;
        loop {
            self.pc = pc;
            self.steps += 1;
            if self.steps > cx.step_limit {
                return Err(LaneFault::new(
                    lanes.trailing_zeros(),
                    format!("the warp has executed {} instructions, the launch's limit", cx.step_limit),
                ));
            }
            self.instructions += u64::from(lanes.count_ones());
            let instruction = &kernel.code[pc as usize];
            let mask = match instruction.guard {
                Guard::Always => lanes,
                Guard::If(slot) => lanes & self.registers.predicate(slot),
                Guard::Unless(slot) => lanes & !self.registers.predicate(slot),
            };
            let next =
                if mask == 0 { Next::Continue } else { self.execute(cx, &instruction.op, &mut lanes, mask)? };
            pc = match next {
                Next::Continue => pc + 1,
                Next::Jump(target) => target,
                Next::Parked => return Ok(()),
            };
            if pc >= limit {
                self.park(pc, lanes, State::Ready);
                return Ok(());
            }
        }
    }

    /// Executes an instruction for the lanes of `mask`, a part of the fragment's `lanes`.
    #[inline(always)]
    fn execute(
        &mut self,
        cx: &mut Context<'_>,
        op: &Op,
        lanes: &mut u32,
        mask: u32,
    ) -> Result<Next, LaneFault> {
        let r = &mut self.registers;
        match *op {
            Op::MoveWord { d, a } => r.map1(mask, d, a, |a: u32| a),
            Op::MoveWide { d, a } => r.map1(mask, d, a, |a: u64| a),
            Op::MovePredicate { d, a } => r.set_predicate(d, mask, r.predicate(a)),
            Op::Int1 { f, ty, d, a } => {
                use integer::int1;
                with_int!(ty, int1(r, mask, f, d, a));
            }
            Op::Count { f, ty, d, a } => {
                use integer::count_bits;
                with_int!(ty, count_bits(r, mask, f, d, a));
            }
            Op::Int2 { f, ty, d, a, b } => {
                use integer::int2;
                with_int!(ty, int2(r, mask, f, d, [a, b]));
            }
            Op::Shift { f, ty, d, a, b } => {
                use integer::shift;
                with_int!(ty, shift(r, mask, f, d, [a, b]));
            }
            Op::Int3 { f, ty, d, a, b, c } => {
                use integer::int3;
                with_int!(ty, int3(r, mask, f, d, [a, b, c]));
            }
            Op::MulWide { ty, d, a, b } => integer::multiply_wide(r, mask, ty, d, [a, b], None),
            Op::MadWide { ty, d, a, b, c } => integer::multiply_wide(r, mask, ty, d, [a, b], Some(c)),
            Op::Chain { f, ty, d, a, b, c, takes, leaves } => {
                use integer::chain;
                let carries = if takes { self.carries } else { 0 };
                let carried = with_int!(ty, chain(r, mask, f, d, [a, b, c], carries));
                if leaves {
                    self.carries = self.carries & !mask | carried & mask;
                }
            }
            Op::Lop3 { table, d, a, b, c } => integer::lop3(r, mask, table, d, [a, b, c]),
            Op::SelectWord { d, a, b, p } => select::<u32>(r, mask, d, [a, b], p),
            Op::SelectWide { d, a, b, p } => select::<u64>(r, mask, d, [a, b], p),
            Op::Permute { f, d, a, b, c } => integer::permute(r, mask, f, d, [a, b, c]),
            Op::Funnel { left, clamp, d, a, b, c } => integer::funnel(r, mask, left, clamp, d, [a, b, c]),
            Op::ExtractBits { ty, d, a, b, c } => {
                use integer::extract_bits;
                with_int!(ty, extract_bits(r, mask, d, [a, b, c]));
            }
            Op::InsertBits { wide, d, a, b, position, length } => {
                let insert = if wide { integer::insert_bits::<u64> } else { integer::insert_bits::<u32> };
                insert(r, mask, d, [a, b], [position, length]);
            }
            Op::Compare { f, ty, d, not_d, a, b, with } => {
                use integer::compare;
                let holds = with_int!(ty, compare(r, f, a, b));
                integer::set_comparison(r, mask, holds, d, not_d, with);
            }
            Op::CompareFloat { f, double, flush, d, not_d, a, b, with } => {
                let compare = if double { float::compare::<f64> } else { float::compare::<f32> };
                let holds = compare(r, f, flush, a, b);
                integer::set_comparison(r, mask, holds, d, not_d, with);
            }
            Op::Bool2 { f, d, a, b } => {
                r.set_predicate(d, mask, integer::bool2(f, r.predicate(a), r.predicate(b)));
            }
            Op::Not { d, a } => r.set_predicate(d, mask, !r.predicate(a)),
            Op::Join { d, low, high } => {
                r.map2(mask, d, [low, high], |low: u32, high: u32| u64::from(high) << 32 | u64::from(low))
            }
            Op::Half { high, d, a } => {
                let distance = if high { 32 } else { 0 };
                r.map1(mask, d, a, |a: u64| (a >> distance) as u32);
            }
            Op::JoinShort { d, low, high } => {
                r.map2(mask, d, [low, high], |low: u32, high: u32| high << 16 | low & 0xFFFF);
            }
            Op::HalfShort { high, d, a } => {
                let distance = if high { 16 } else { 0 };
                r.map1(mask, d, a, |a: u32| a >> distance & 0xFFFF);
            }
            Op::Convert { from, to, saturate, d, a } => convert::convert(r, mask, (from, to), saturate, d, a),
            Op::FloatToInt { from, to, rounding, flush, d, a } => {
                float::to_int(r, mask, (from, to), rounding, flush, d, a);
            }
            Op::IntToFloat { from, to, rounding, d, a } => {
                float::from_int(r, mask, (from, to), rounding, d, a)
            }
            Op::FloatToFloat { from, to, integral, mode, d, a } => {
                float::to_float(r, mask, (from, to), integral, mode, d, a);
            }
            Op::Float1 { f, double, mode, d, a } => {
                let float1 = if double { float::float1::<f64> } else { float::float1::<f32> };
                float1(r, mask, f, mode, d, a);
            }
            Op::Float2 { f, double, mode, d, a, b } => {
                let float2 = if double { float::float2::<f64> } else { float::float2::<f32> };
                float2(r, mask, f, mode, d, [a, b]);
            }
            Op::Fma { double, mode, d, a, b, c } => {
                let fma = if double { float::fma::<f64> } else { float::fma::<f32> };
                fma(r, mask, mode, d, [a, b, c]);
            }
            Op::Load { ref address, ty, count, ref d } => self.load(cx, mask, address, (ty, count), d)?,
            Op::Store { ref address, ty, count, ref a } => self.store(cx, mask, address, (ty, count), a)?,
            Op::Atomic { f, ref address, ty, d, b, c } => {
                self.atomic(cx, mask, address, AtomicOperands { f, ty, d, b, c })?;
            }
            Op::CopyAsync { ref to, ref from, bytes, source_bytes } => {
                self.copy_async(cx, mask, [to, from], bytes, source_bytes)?;
            }
            Op::Branch { target } if mask == *lanes => return Ok(Next::Jump(target)),
            Op::Branch { target } => {
                self.park(target, mask, State::Ready);
                self.park(self.pc + 1, *lanes & !mask, State::Ready);
                return Ok(Next::Parked);
            }
            Op::BranchTable { index, table } => return self.branch_table(cx, *lanes, mask, index, table),
            Op::Exit => {
                self.exited |= mask;
                *lanes &= !mask;
                if *lanes == 0 {
                    return Ok(Next::Parked);
                }
            }
            Op::Trap => return Err(LaneFault::new(mask.trailing_zeros(), "a trap".to_owned())),
            Op::Barrier { .. } => {
                self.park(self.pc, mask, State::Barrier);
                *lanes &= !mask;
                if *lanes == 0 {
                    return Ok(Next::Parked);
                }
            }
            Op::WarpBarrier { members } => {
                let Some(here) = self.gather(lanes, mask, members)? else { return Ok(Next::Parked) };
                self.synchronise(here, members);
            }
            Op::Shuffle { f, d, valid, a, b, c, members } => {
                let Some(here) = self.gather(lanes, mask, members)? else { return Ok(Next::Parked) };
                self.shuffle(here, ShuffleOperands { f, d, valid, a, b, c, members })?;
            }
            Op::Vote { f, d, a, negated, members } => {
                let Some(here) = self.gather(lanes, mask, members)? else { return Ok(Next::Parked) };
                self.cast_votes(here, f, d, (a, negated), members);
            }
            Op::MatchAny { wide, d, a, members } => {
                let Some(here) = self.gather(lanes, mask, members)? else { return Ok(Next::Parked) };
                self.match_any(here, wide, d, a, members);
            }
            Op::MatchAll { wide, d, all, a, members } => {
                let Some(here) = self.gather(lanes, mask, members)? else { return Ok(Next::Parked) };
                self.match_all(here, wide, (d, all), a, members);
            }
            Op::Reduce { f, ty, d, a, members } => {
                let Some(here) = self.gather(lanes, mask, members)? else { return Ok(Next::Parked) };
                self.reduce(here, f, ty, [d, a, members]);
            }
            Op::ActiveMask { d } => r.write(d, mask, &[mask; LANES]),
            Op::Nothing => {}
        }
        Ok(Next::Continue)
    }

    /// Joins the lanes at a warp operation with those that wait there, and parks those whose members are not
    /// all here. Returns the lanes that execute the operation; none if the fragment has to wait.
    fn gather(&mut self, lanes: &mut u32, mask: u32, members: Slot) -> Result<Option<u32>, LaneFault> {
        let waiting = self.absorb(self.pc, State::Members);
        let present = mask | waiting;
        let complete = self.complete(present, members)?;
        self.park(self.pc, present & !complete, State::Members);
        // Lanes that the guard keeps out go on without the operation.
        *lanes = *lanes & !mask | complete;
        if complete != 0 {
            return Ok(Some(complete));
        }
        self.park(self.pc + 1, *lanes, State::Ready);
        Ok(None)
    }

    fn synchronise(&mut self, here: u32, members: Slot) {
        let masks = *self.registers.row::<u32>(members);
        let mut rest = here;
        while rest != 0 {
            // A complete group is its mask.
            let group = masks[rest.trailing_zeros() as usize];
            self.clock.synchronise(group, self.existing);
            rest &= !group;
        }
    }

    fn cast_votes(&mut self, here: u32, f: Vote, d: Slot, (a, negated): (Slot, bool), members: Slot) {
        let votes = self.registers.predicate(a);
        self.vote(here, f, d, if negated { !votes } else { votes }, members);
    }

    fn branch_table(
        &mut self,
        cx: &Context<'_>,
        all: u32,
        mask: u32,
        index: Slot,
        table: u32,
    ) -> Result<Next, LaneFault> {
        let targets = &cx.kernel.tables[table as usize];
        let indices = *self.registers.row::<u32>(index);
        for lane in lanes(mask) {
            let index = indices[lane as usize];
            let Some(&target) = targets.get(index as usize) else {
                let what = format!("branch {index} of a table of {}", targets.len());
                return Err(LaneFault::new(lane, what));
            };
            self.park(target, 1 << lane, State::Ready);
        }
        self.park(self.pc + 1, all & !mask, State::Ready);
        Ok(Next::Parked)
    }

    /// Why a fragment waits at a warp operation although no lane of the warp can run.
    fn missing_members(&self, cx: &Context<'_>, waiting: Fragment) -> LaneFault {
        let lane = waiting.lanes.trailing_zeros();
        let members = match cx.kernel.code[waiting.pc as usize].op {
            Op::WarpBarrier { members }
            | Op::Shuffle { members, .. }
            | Op::Vote { members, .. }
            | Op::MatchAny { members, .. }
            | Op::MatchAll { members, .. }
            | Op::Reduce { members, .. } => self.registers.row::<u32>(members)[lane as usize],
            _ => 0,
        };
        let absent = members & !waiting.lanes;
        let missing = absent.trailing_zeros().min(31);
        let bit = 1 << missing;
        let whereabouts = if self.existing & bit == 0 {
            "is no thread of the block".to_owned()
        } else if self.exited & bit != 0 {
            "has exited".to_owned()
        } else {
            match self.fragments.iter().find(|fragment| fragment.lanes & bit != 0) {
                Some(other) if other.pc != waiting.pc => {
                    format!("waits at PTX line {}", cx.kernel.code[other.pc as usize].line)
                }
                _ => "waits with another member mask".to_owned(),
            }
        };
        let what = format!(
            "a warp operation waits for the lanes of its member mask {members:#x}, but lane {missing} {whereabouts}"
        );
        LaneFault { pc: Some(waiting.pc), ..LaneFault::new(lane, what) }
    }

    /// This warp's votes at a barrier that counts.
    pub(super) fn tally_votes(&self, tally: Tally) -> u32 {
        let (Tally::Count { a, negated, .. } | Tally::All { a, negated, .. } | Tally::Any { a, negated, .. }) =
            tally;
        let votes = self.registers.predicate(a);
        self.existing & if negated { !votes } else { votes }
    }

    /// Writes what a barrier counted.
    pub(super) fn set_tally(&mut self, tally: Tally, yes: u32, threads: u32) {
        let existing = self.existing;
        let all_lanes = |holds: bool| if holds { u32::MAX } else { 0 };
        match tally {
            Tally::Count { d, .. } => self.registers.write(d, existing, &[yes; LANES]),
            Tally::All { d, .. } => self.registers.set_predicate(d, existing, all_lanes(yes == threads)),
            Tally::Any { d, .. } => self.registers.set_predicate(d, existing, all_lanes(yes > 0)),
        }
    }
}

/// `d = p ? a : b`.
#[inline(always)]
fn select<R: super::registers::Raw>(r: &mut Registers, mask: u32, d: Slot, [a, b]: [Slot; 2], p: Slot) {
    let p = r.predicate(p);
    let (a, b) = (r.row::<R>(a), r.row::<R>(b));
    let mut values = [R::default(); LANES];
    for lane in 0..LANES {
        values[lane] = if p >> lane & 1 == 1 { a[lane] } else { b[lane] };
    }
    r.write(d, mask, &values);
}
