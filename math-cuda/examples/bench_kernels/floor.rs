//! What an H200 can do at best, and what the kernels' arithmetic takes.

/// Bytes a picosecond: 4.8 TB/s (NVIDIA's data sheet of the H200).
const BYTES: f64 = 4.8;

/// Clocks a picosecond of all 132 multiprocessors, at 1.98 GHz.
const CLOCKS: f64 = 132.0 * 1.98e-3;

/// 32-bit integer operations a clock of a multiprocessor (CUDA C++ Programming Guide, "Throughput of Native
/// Arithmetic Instructions", compute capability 9.0).
const OPERATIONS: f64 = 64.0;

/// Instructions a clock of a multiprocessor, all threads together: four schedulers issue one for a warp each.
const INSTRUCTIONS: f64 = 128.0;

/// Operations of a product in the base field: six for the product of the words, as in `products.cuh`, eleven
/// for the reduction of `field_reduce`.
pub const PRODUCT: f64 = 17.0;

/// Operations of `field_add`.
pub const ADDITION: f64 = 10.0;

/// Operations of a compression of BLAKE3 (`blake3.cuh`).
pub const COMPRESSION: f64 = 680.0;

/// Operations of an element in a round of a transform: product and reduction, butterflies, exchange
/// (`ntt.cu`).
const ROUND: f64 = 61.0;

/// Operations of a trace cell in an extension by two: rounds of four levels, once backwards and twice
/// forwards, within tiles of 2^12 and above them.
pub fn extension(height_log2: u32) -> f64 {
    let rounds = height_log2.min(12).div_ceil(4) + height_log2.saturating_sub(12).div_ceil(4);
    f64::from(3 * rounds) * ROUND
}

/// Picoseconds that the bytes of an element take at least.
pub fn by_bytes(bytes: f64) -> f64 {
    bytes / BYTES
}

/// The same for its operations.
pub fn by_operations(operations: f64) -> f64 {
    operations / (OPERATIONS * CLOCKS)
}

/// The same for its instructions, of any kind.
pub fn by_instructions(instructions: f64) -> f64 {
    instructions / (INSTRUCTIONS * CLOCKS)
}
