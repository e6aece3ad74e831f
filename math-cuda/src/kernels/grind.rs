//! The search for a proof-of-work nonce (`kernels/grind.cu`).

use lambda_math::hash::MAX_GRINDING_BITS;

use crate::{DeviceError, Grid, Kernel, PtxModule, Stream};

static MODULE: PtxModule = PtxModule::new("grind", include_str!("../../kernels/grind.ptx"));
static SEARCH: Kernel = Kernel::new(&MODULE, "grind_search");

const THREADS: u32 = 128;
/// Nonces of a launch, `log2`: the work to be expected, but enough to fill a device and not more than takes
/// it a millisecond.
const MIN_LAUNCH_LOG2: u32 = 10;
const MAX_LAUNCH_LOG2: u32 = 24;
/// Most threads of a launch, `log2`; each tries every so many nonces.
const MAX_THREADS_LOG2: u32 = 20;

/// The smallest nonce worth `bits` bits of work for `seed`: [`lambda_math::hash::grind`].
///
/// About `2^bits` compressions (680 operations each).
///
/// # Panics
/// When `bits` is above [`MAX_GRINDING_BITS`].
///
/// # Errors
/// Those of [`Stream::upload`], [`Launch::run`](crate::Launch::run) and [`Stream::download`].
pub fn grind(stream: &Stream, seed: &[u8; 32], bits: u32) -> Result<u64, DeviceError> {
    assert!(bits <= MAX_GRINDING_BITS, "{bits} bits of work cannot be checked");
    let launch_log2 = bits.clamp(MIN_LAUNCH_LOG2, MAX_LAUNCH_LOG2);
    let grid = Grid::linear(1 << launch_log2.min(MAX_THREADS_LOG2), THREADS);
    let (words, _) = seed.as_chunks::<8>();
    let mut smallest = stream.upload(&[u64::MAX], "nonce")?;
    for first in (0..=u64::MAX >> launch_log2).map(|launch| launch << launch_log2) {
        let launch = stream.launch(&SEARCH, grid);
        let launch = words.iter().fold(launch, |launch, &word| launch.u64(u64::from_le_bytes(word)));
        launch.u64(first).u64(1 << launch_log2).u64((1 << bits) - 1).write(&mut smallest).run()?;
        if let Some(nonce) = stream.download(&smallest)?.into_iter().find(|&nonce| nonce != u64::MAX) {
            return Ok(nonce);
        }
    }
    unreachable!("2^64 nonces hold one worth at most 63 bits")
}
