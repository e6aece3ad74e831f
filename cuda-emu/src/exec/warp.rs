//! A warp: up to 32 threads that run one instruction at a time.
//!
//! Lanes at the same program counter form a fragment. Of the fragments that can run, the one with the lowest
//! counter does, until it would pass another, branches apart, or waits. Code is laid out so that paths meet
//! again further down: lanes that fell behind catch up there. A fragment waits at a warp operation until all
//! members are at it, and at a barrier until the block lets it go.

use super::clock::WarpClock;
use super::fault::LaneFault;
use super::local::LocalMemory;
use super::registers::{LANES, Registers, lanes};
use super::shared::SharedMemory;
use crate::memory::GlobalMemory;
use crate::ptx::{Guard, Kernel, Module, Op, Slot, Tally};

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
    pub(super) exited: u32,
    /// Carry flags.
    pub(super) carries: u32,
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
pub(super) enum State {
    Ready,
    /// At a warp operation, for other members.
    Members,
    /// At a barrier of the block.
    Barrier,
}

/// What becomes of a fragment after an instruction.
pub(super) enum Next {
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

    pub(super) fn park(&mut self, pc: u32, lanes: u32, state: State) {
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

    /// Joins the lanes at a warp operation with those that wait there, and parks those whose members are not
    /// all here. Returns the lanes that execute the operation; none if the fragment has to wait.
    pub(super) fn gather(
        &mut self,
        lanes: &mut u32,
        mask: u32,
        members: Slot,
    ) -> Result<Option<u32>, LaneFault> {
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

    pub(super) fn branch_table(
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
            "a warp operation waits for the lanes of its member mask \
             {members:#x}, but lane {missing} {whereabouts}"
        );
        LaneFault { pc: Some(waiting.pc), ..LaneFault::new(lane, what) }
    }

    /// This warp's votes at a barrier that counts.
    pub(super) fn tally_votes(&self, tally: Tally) -> u32 {
        let (a, negated) = tally.predicate();
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
