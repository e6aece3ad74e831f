//! Points, selectors and denominators of evaluation domains (`kernels/domain.cu`).
//!
//! A column has a row for each point `x_j = shift·ω_N^j`, in natural order (`lambda_math::domain`).

use lambda_math::field::EXT_DEGREE;
use lambda_math::{Ext3, Goldilocks, domain};
use p3_field::{Field, PrimeCharacteristicRing};

use super::batch_inverse::{RUN_THREADS, runs};
use crate::{DeviceBuffer, DeviceError, Kernel, Launch, PtxModule, Stream};

static MODULE: PtxModule = PtxModule::new("domain", include_str!("../../kernels/domain.ptx"));
static POINTS: Kernel = Kernel::new(&MODULE, "domain_points");
static COSET_SELECTORS: Kernel = Kernel::new(&MODULE, "domain_coset_selectors");
static TRACE_SELECTORS: Kernel = Kernel::new(&MODULE, "domain_trace_selectors");
static DENOMINATORS: Kernel = Kernel::new(&MODULE, "domain_denominators");

/// The points of `shift·H_N`, `N = 2^height_log2`.
///
/// 8 bytes and 6 products a row.
///
/// # Errors
/// Those of [`Stream::alloc`] and [`Launch::run`].
pub fn points(
    stream: &Stream,
    height_log2: u32,
    shift: Goldilocks,
) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
    let height = 1usize << height_log2;
    let mut points = stream.alloc(height, "points")?;
    let launch = stream.launch(&POINTS, runs(height)).write(&mut points).u64(height as u64).field(shift);
    root(launch, height_log2).run()?;
    Ok(points)
}

/// Selectors of a table on `shift·H_N`, which has no point in common with `H_N`: three columns, of the
/// first row, the last row, and the transition.
///
/// ```text
///     Z/(N·(x - 1))     ω^-1·Z/(N·(x - ω^-1))     x - ω^-1          Z = shift^N - 1
/// ```
///
/// 24 bytes and 25 products a row.
///
/// # Errors
/// Those of [`Stream::alloc`] and [`Launch::run`].
pub fn coset_selectors(
    stream: &Stream,
    height_log2: u32,
    shift: Goldilocks,
) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
    let height = 1usize << height_log2;
    let vanishing = shift.exp_power_of_2(height_log2 as usize) - Goldilocks::ONE;
    assert!(vanishing != Goldilocks::ZERO, "the coset is not the trace domain");
    let last_row = domain::root_of_unity(height_log2).inverse();
    let factor = vanishing * Goldilocks::from_usize(height).inverse();
    let mut columns = stream.alloc(EXT_DEGREE * height, "selectors")?;
    let launch =
        stream.launch(&COSET_SELECTORS, runs(height)).write(&mut columns).u64(height as u64).field(shift);
    root(launch, height_log2).field(last_row).field(factor).field(last_row * factor).run()?;
    Ok(columns)
}

/// The same on `H_N`: one in the first row, one in the last row, and `x - ω^-1`.
///
/// 24 bytes and 6 products a row.
///
/// # Errors
/// Those of [`Stream::alloc`] and [`Launch::run`].
pub fn trace_selectors(stream: &Stream, height_log2: u32) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
    let height = 1usize << height_log2;
    let last_row = domain::root_of_unity(height_log2).inverse();
    let mut columns = stream.alloc(EXT_DEGREE * height, "selectors")?;
    let launch = stream.launch(&TRACE_SELECTORS, runs(height)).write(&mut columns).u64(height as u64);
    root(launch, height_log2).field(last_row).run()?;
    Ok(columns)
}

/// `1/(ζ - x)` for the points of slab 0, three base columns. ζ is not one of the points.
///
/// 24 bytes and 25 products a row.
///
/// # Errors
/// Those of [`Stream::alloc`] and [`Launch::run`].
pub fn denominators(
    stream: &Stream,
    height_log2: u32,
    zeta: Ext3,
) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
    let height = 1usize << height_log2;
    let mut columns = stream.alloc(EXT_DEGREE * height, "denominators")?;
    let launch = stream
        .launch(&DENOMINATORS, runs(height))
        .write(&mut columns)
        .u64(height as u64)
        .field(domain::SHIFT);
    root(launch, height_log2).ext(zeta).run()?;
    Ok(columns)
}

/// The arguments `root` and `step`.
fn root(launch: Launch<'_>, height_log2: u32) -> Launch<'_> {
    let root = domain::root_of_unity(height_log2);
    launch.field(root).field(root.exp_u64(RUN_THREADS.into()))
}
