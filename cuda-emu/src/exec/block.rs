//! A block: its warps, run from barrier to barrier.

use super::fault::{KernelFault, LaneFault};
use super::launch::{LaunchOptions, LaunchShape};
use super::registers::{LANES, Registers};
use super::shared::SharedMemory;
use super::warp::{Context, Warp};
use crate::memory::GlobalMemory;
use crate::ptx::{Input, Kernel, Module, Op, Special};

/// What one host thread needs to execute blocks, reused from block to block.
pub(super) struct BlockRunner<'a> {
    module: &'a Module,
    kernel: &'a Kernel,
    shape: LaunchShape,
    memory: &'a dyn GlobalMemory,
    options: LaunchOptions,
    warps: Vec<Warp>,
    shared: SharedMemory,
}

impl<'a> BlockRunner<'a> {
    pub(super) fn new(
        module: &'a Module,
        kernel: &'a Kernel,
        shape: LaunchShape,
        parameters: &[u8],
        memory: &'a dyn GlobalMemory,
        options: LaunchOptions,
    ) -> Self {
        let threads = shape.threads();
        let warps = (0..threads.div_ceil(LANES as u32))
            .map(|index| {
                let lanes = (threads - index * LANES as u32).min(LANES as u32);
                let existing = u32::MAX >> (LANES as u32 - lanes);
                let rows = &kernel.rows;
                let mut registers = Registers {
                    predicates: vec![0; rows.predicates as usize],
                    words: vec![[0; LANES]; rows.words as usize],
                    wides: vec![[0; LANES]; rows.wides as usize],
                };
                let inputs = Inputs { kernel, shape, parameters, warp: index };
                for &(slot, input) in &rows.predicate_inputs {
                    registers.predicates[slot as usize] =
                        if inputs.value(input, 0) == 0 { 0 } else { u32::MAX };
                }
                for &(slot, input) in &rows.word_inputs {
                    registers.words[slot as usize] =
                        std::array::from_fn(|lane| inputs.value(input, lane as u32) as u32);
                }
                for &(slot, input) in &rows.wide_inputs {
                    registers.wides[slot as usize] =
                        std::array::from_fn(|lane| inputs.value(input, lane as u32));
                }
                Warp::new(index, existing, registers, kernel.local_bytes)
            })
            .collect();
        let shared = SharedMemory::new(kernel, shape.dynamic_shared_bytes, options.junk);
        Self { module, kernel, shape, memory, options, warps, shared }
    }

    /// Executes block `block`; returns the instructions executed, counted a thread each.
    pub(super) fn run(&mut self, block: u32) -> Result<u64, KernelFault> {
        let index = self.shape.block_index(block);
        let mut random = SplitMix(self.options.seed ^ u64::from(block).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        self.shared.start_block();
        for warp in &mut self.warps {
            warp.start(self.kernel, self.options.junk);
            for &(slot, input) in &self.kernel.rows.word_inputs {
                if let Input::Special(Special::BlockIndex(axis)) = input {
                    warp.registers.words[slot as usize] = [index[usize::from(axis)]; LANES];
                }
            }
            warp.instructions = 0;
        }
        let descending = random.next() & 1 == 1;
        loop {
            for warp in random.permutation(self.warps.len()) {
                let mut cx = Context {
                    kernel: self.kernel,
                    module: self.module,
                    memory: self.memory,
                    shared: &mut self.shared,
                    block,
                    descending,
                    step_limit: self.options.step_limit,
                };
                let warp = &mut self.warps[warp];
                if let Err(fault) = warp.run(&mut cx) {
                    let (warp, pc) = (warp.index, warp.pc);
                    return Err(self.fault(index, warp, pc, fault));
                }
            }
            if self.warps.iter().all(Warp::finished) {
                return Ok(self.warps.iter().map(|warp| warp.instructions).sum());
            }
            self.barrier(index)?;
        }
    }

    /// Lets the block through a barrier that all its threads have reached.
    fn barrier(&mut self, index: [u32; 3]) -> Result<(), KernelFault> {
        let waiting: Vec<(u32, u32, u32)> = self
            .warps
            .iter()
            .flat_map(|warp| warp.at_barriers().map(move |(pc, lanes)| (warp.index, pc, lanes)))
            .collect();
        let &(warp, pc, lanes) = waiting.first().expect("a warp that has not finished waits at a barrier");
        let lane = lanes.trailing_zeros();
        let threads = self.shape.threads();
        let arrived: u32 = waiting.iter().map(|(_, _, lanes)| lanes.count_ones()).sum();
        let problem = if let Some(&(stray, other, lanes)) = waiting.iter().find(|&&(_, other, _)| other != pc)
        {
            let thread = stray * LANES as u32 + lanes.trailing_zeros();
            let line = self.kernel.code[other as usize].line;
            Some(format!(
                "a divergent barrier: thread {thread} of the block waits at another, PTX line {line}"
            ))
        } else if arrived != threads {
            let exited = threads - arrived;
            Some(format!(
                "a barrier that {exited} of the block's {threads} threads never reach: they have exited"
            ))
        } else {
            None
        };
        if let Some(what) = problem {
            return Err(self.fault(index, warp, pc, LaneFault::new(lane, what)));
        }
        if let Op::Barrier { tally: Some(tally) } = self.kernel.code[pc as usize].op {
            let yes = self.warps.iter().map(|warp| warp.tally_votes(tally).count_ones()).sum();
            for warp in &mut self.warps {
                warp.set_tally(tally, yes, threads);
            }
        }
        for warp in &mut self.warps {
            warp.release();
        }
        self.shared.barrier();
        Ok(())
    }

    fn fault(&self, block: [u32; 3], warp: u32, pc: u32, fault: LaneFault) -> KernelFault {
        let code = &self.kernel.code;
        KernelFault {
            kernel: self.kernel.name.clone(),
            block,
            thread: self.shape.thread_index(warp * LANES as u32 + fault.lane),
            ptx_line: code[fault.pc.unwrap_or(pc) as usize].line,
            what: match fault.other {
                Some(other) => format!("{} (PTX line {})", fault.what, code[other as usize].line),
                None => fault.what,
            },
            access: fault.access,
        }
    }
}

/// The values of a warp's input rows.
struct Inputs<'a> {
    kernel: &'a Kernel,
    shape: LaunchShape,
    parameters: &'a [u8],
    warp: u32,
}

impl Inputs<'_> {
    fn value(&self, input: Input, lane: u32) -> u64 {
        let special = match input {
            Input::Constant(bits) => return bits,
            Input::Parameter { offset, bytes } => {
                let mut word = [0; 8];
                let (offset, bytes) = (offset as usize, bytes as usize);
                word[..bytes].copy_from_slice(&self.parameters[offset..offset + bytes]);
                return u64::from_le_bytes(word);
            }
            Input::Special(special) => special,
        };
        let thread = self.shape.thread_index(self.warp * LANES as u32 + lane);
        u64::from(match special {
            Special::ThreadIndex(axis) => thread[usize::from(axis)],
            Special::BlockExtent(axis) => self.shape.block[usize::from(axis)],
            Special::GridExtent(axis) => self.shape.grid[usize::from(axis)],
            // Set when a block starts.
            Special::BlockIndex(_) => 0,
            Special::Lane => lane,
            Special::Warp => self.warp,
            Special::LaneMaskEq => 1 << lane,
            Special::LaneMaskLt => (1 << lane) - 1,
            Special::LaneMaskLe => u32::MAX >> (31 - lane),
            Special::LaneMaskGt => !(u32::MAX >> (31 - lane)),
            Special::LaneMaskGe => u32::MAX << lane,
            Special::DynamicSharedBytes => self.shape.dynamic_shared_bytes,
            Special::TotalSharedBytes => self.kernel.static_shared_bytes + self.shape.dynamic_shared_bytes,
        })
    }
}

/// Sebastiano Vigna's SplitMix64.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// The numbers below `count` in a random order.
    fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            order.swap(last, (self.next() % (last as u64 + 1)) as usize);
        }
        order
    }
}
