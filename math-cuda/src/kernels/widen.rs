//! Columns uploaded in fewer bytes a cell (`kernels/widen.cu`).

use lambda_math::Goldilocks;

use crate::{DeviceError, DeviceSlice, DeviceSliceMut, DeviceWord, Grid, Kernel, PtxModule, Stream};

static MODULE: PtxModule = PtxModule::new("widen", include_str!("../../kernels/widen.ptx"));
static U8: Kernel = Kernel::new(&MODULE, "widen_u8");
static U16: Kernel = Kernel::new(&MODULE, "widen_u16");
static U32: Kernel = Kernel::new(&MODULE, "widen_u32");

/// Threads of a block.
const THREADS: u32 = 256;

/// A cell of fewer bytes than a field element: `u8`, `u16` or `u32`.
pub trait NarrowCell: DeviceWord + sealed::Sealed {
    #[doc(hidden)]
    const KERNEL: &'static Kernel;
}

impl NarrowCell for u8 {
    const KERNEL: &'static Kernel = &U8;
}
impl NarrowCell for u16 {
    const KERNEL: &'static Kernel = &U16;
}
impl NarrowCell for u32 {
    const KERNEL: &'static Kernel = &U32;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u16 {}
    impl Sealed for u32 {}
}

/// Writes the cells of `narrow` as field elements. 1, 2 or 4 bytes read and 8 written a cell.
///
/// # Panics
/// When the lengths differ.
///
/// # Errors
/// Those of [`Launch::run`](crate::Launch::run).
pub fn widen<T: NarrowCell>(
    stream: &Stream,
    narrow: DeviceSlice<'_, T>,
    wide: DeviceSliceMut<'_, Goldilocks>,
) -> Result<(), DeviceError> {
    assert_eq!(narrow.len(), wide.len(), "one element for each cell");
    let cells = narrow.len() as u64;
    stream.launch(T::KERNEL, Grid::linear(cells, THREADS)).read(narrow).u64(cells).write(wide).run()
}
