//! A launch: its blocks, spread over host threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use super::block::BlockRunner;
use super::fault::KernelFault;
use crate::memory::GlobalMemory;
use crate::ptx::{Kernel, Module};

/// Grid, block and dynamic shared memory of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Shared memory behind the kernel's static part, in bytes.
    pub dynamic_shared_bytes: u32,
}

/// How a launch is executed.
#[derive(Clone, Copy, Debug)]
pub struct LaunchOptions {
    /// Chooses among the orders that a GPU may have.
    pub seed: u64,
    /// What registers and memory hold before anything is written to them.
    pub junk: u64,
    /// Host threads that execute blocks.
    pub threads: usize,
    /// Most instructions that a warp may execute.
    pub step_limit: u64,
}

impl Default for LaunchOptions {
    fn default() -> Self {
        Self { seed: 0, junk: 0xA5A5_A5A5_A5A5_A5A5, threads: 1, step_limit: 1 << 28 }
    }
}

/// What a launch did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchStats {
    /// Instructions executed, counted a thread each; those that a guard kept from having effect included.
    pub instructions: u64,
}

impl LaunchShape {
    /// Most threads in a block.
    pub const MAX_THREADS: u32 = 1024;
    /// Most threads along each axis of a block.
    pub const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
    /// Most blocks along each axis of a grid.
    pub const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
    /// Most shared memory of a block in bytes, static and dynamic: that of compute capability 9.0.
    pub const MAX_SHARED_BYTES: u32 = 227 << 10;

    /// Threads of a block.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Blocks of the grid, if no more than a linear index can count.
    pub fn blocks(&self) -> Option<u32> {
        self.grid.iter().try_fold(1u32, |blocks, &extent| blocks.checked_mul(extent))
    }

    /// What a GPU would refuse about this shape for `kernel`, in words.
    pub fn problem(&self, kernel: &Kernel) -> Option<String> {
        let within = |extents: [u32; 3], most: [u32; 3]| {
            extents.iter().zip(most).all(|(&extent, most)| (1..=most).contains(&extent))
        };
        let most = kernel.max_threads().unwrap_or(Self::MAX_THREADS).min(Self::MAX_THREADS);
        if !within(self.grid, Self::MAX_GRID) || self.blocks().is_none() {
            Some(format!("a grid of {:?} blocks", self.grid))
        } else if !within(self.block, Self::MAX_BLOCK) {
            Some(format!("a block of {:?} threads", self.block))
        } else if self.threads() > most {
            Some(format!("a block of {} threads where {most} are allowed", self.threads()))
        } else if kernel.dynamic_shared_start.saturating_add(self.dynamic_shared_bytes)
            > Self::MAX_SHARED_BYTES
        {
            let (own, dynamic) = (kernel.static_shared_bytes(), self.dynamic_shared_bytes);
            Some(format!("{own} bytes of static and {dynamic} of dynamic shared memory"))
        } else {
            None
        }
    }

    /// Coordinates of the block with this linear index.
    pub(super) fn block_index(&self, block: u32) -> [u32; 3] {
        coordinates(block, self.grid)
    }

    /// Coordinates of the thread with this linear index in its block.
    pub(super) fn thread_index(&self, thread: u32) -> [u32; 3] {
        coordinates(thread, self.block)
    }
}

fn coordinates(index: u32, [x, y, _]: [u32; 3]) -> [u32; 3] {
    [index % x, index / x % y, index / x / y]
}

/// Executes a kernel of `module`. `parameters` is the parameter buffer, laid out as [`Kernel::parameters`]
/// says.
///
/// # Errors
/// The fault of the lowest faulty block. Blocks after it may or may not have been executed.
///
/// # Panics
/// Where the parameter buffer has not the kernel's length, or the shape is one that [`LaunchShape::problem`]
/// finds fault with: a driver refuses such launches.
pub fn launch(
    module: &Module,
    kernel: &Kernel,
    shape: LaunchShape,
    parameters: &[u8],
    memory: &dyn GlobalMemory,
    options: &LaunchOptions,
) -> Result<LaunchStats, KernelFault> {
    assert_eq!(shape.problem(kernel), None, "the caller checks the launch's shape");
    assert_eq!(
        parameters.len(),
        kernel.parameter_bytes() as usize,
        "the caller lays the parameters of `{}` out",
        kernel.name()
    );
    let blocks = shape.blocks().expect("the shape was checked");
    let order = BlockOrder::new(blocks, options.seed);
    let taken = AtomicU32::new(0);
    let lowest_fault = AtomicU32::new(u32::MAX);
    let outcome = Mutex::new((LaunchStats::default(), None::<(u32, KernelFault)>));
    let work = || {
        let mut runner = BlockRunner::new(module, kernel, shape, parameters, memory, *options);
        let mut instructions = 0;
        loop {
            let turn = taken.fetch_add(1, Ordering::Relaxed);
            if turn >= blocks {
                break;
            }
            let block = order.block(turn);
            // A fault of a lower block hides this one's.
            if block > lowest_fault.load(Ordering::Relaxed) {
                continue;
            }
            match runner.run(block) {
                Ok(count) => instructions += count,
                Err(fault) => {
                    lowest_fault.fetch_min(block, Ordering::Relaxed);
                    let mut outcome = outcome.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    if outcome.1.as_ref().is_none_or(|(other, _)| block < *other) {
                        outcome.1 = Some((block, fault));
                    }
                }
            }
        }
        outcome.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).0.instructions += instructions;
    };
    let threads = options.threads.clamp(1, blocks as usize);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    match outcome.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        (_, Some((_, fault))) => Err(fault),
        (stats, None) => Ok(stats),
    }
}

/// The order in which blocks start: from a seeded one on, up or down, and round.
struct BlockOrder {
    blocks: u32,
    start: u32,
    descending: bool,
}

impl BlockOrder {
    fn new(blocks: u32, seed: u64) -> Self {
        Self { blocks, start: (seed >> 1) as u32 % blocks, descending: seed & 1 == 1 }
    }

    fn block(&self, turn: u32) -> u32 {
        let turn = (u64::from(self.start) + u64::from(turn)) % u64::from(self.blocks);
        if self.descending { self.blocks - 1 - turn as u32 } else { turn as u32 }
    }
}
