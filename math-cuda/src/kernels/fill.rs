//! One word all over a buffer, and the search for it (`kernels/fill.cu`).

use lambda_math::Goldilocks;

use crate::{DeviceError, DeviceSlice, DeviceSliceMut, Grid, Kernel, PtxModule, Stream};

static MODULE: PtxModule = PtxModule::new("fill", include_str!("../../kernels/fill.ptx"));
static WORDS: Kernel = Kernel::new(&MODULE, "fill_words");
static COUNT: Kernel = Kernel::new(&MODULE, "fill_count");

const THREADS: u32 = 256;
/// Words of a thread, where there are enough.
const RUN: u64 = 8;

/// Makes every word `word`, canonical or not. 8 bytes written a word.
///
/// # Errors
/// Those of [`Launch::run`](crate::Launch::run).
pub fn fill(stream: &Stream, words: DeviceSliceMut<'_, Goldilocks>, word: u64) -> Result<(), DeviceError> {
    let count = words.len() as u64;
    stream.launch(&WORDS, grid(count)).write(words).u64(count).u64(word).run()
}

/// How many of the words are `word`, as stored: [`POISON`](crate::POISON), say, where nothing was written.
/// 8 bytes read a word. Waits for the count.
///
/// # Errors
/// Those of [`Stream::alloc`], [`Launch::run`](crate::Launch::run) and [`Stream::download`].
pub fn count(stream: &Stream, words: DeviceSlice<'_, Goldilocks>, word: u64) -> Result<u64, DeviceError> {
    let count = words.len() as u64;
    let mut found = stream.alloc::<u64>(1, "word count")?;
    stream.fill_zero(&mut found)?;
    stream.launch(&COUNT, grid(count)).read_unseen(words).u64(count).u64(word).write(&mut found).run()?;
    Ok(stream.download(&found)?.iter().sum())
}

fn grid(words: u64) -> Grid {
    Grid::linear(words.div_ceil(RUN), THREADS)
}
