//! The end of a table's quotient: lookup constraints and the vanishing polynomial (`kernels/quotient.cu`).

use lambda_math::field::EXT_DEGREE;
use lambda_math::{Ext3, Goldilocks};

use super::lookup::{Groups, MessageChunk};
use crate::{
    DeviceBuffer, DeviceError, DeviceSlice, DeviceSliceMut, Grid, Kernel, Launch, PtxModule, Stream,
};

static MODULE: PtxModule = PtxModule::new("quotient", include_str!("../../kernels/quotient.ptx"));
static FINISH: Kernel = Kernel::new(&MODULE, "quotient_finish");

const THREADS: u32 = 256;

/// Rows of lookup columns: of a whole slab, or of a chunk and the row after it.
#[derive(Clone, Copy, Debug)]
pub struct LookupRows<'a> {
    /// From the first column's first row on.
    pub values: DeviceSlice<'a, Goldilocks>,
    /// Values from a base column to the next.
    pub stride: usize,
    /// Where the chunk starts in them.
    pub start: usize,
    /// Number of rows, after which comes the first one.
    pub rows: usize,
}

/// The lookup constraints of a table on a chunk of rows of a slab, one per group (`lambda_air::lookup`).
#[derive(Clone, Copy, Debug)]
pub struct LookupConstraints<'a> {
    /// Messages of the chunk.
    pub chunk: MessageChunk<'a>,
    /// The groups.
    pub groups: &'a Groups,
    /// Lookup columns, extended.
    pub lookup: LookupRows<'a>,
    /// The constraints' powers of α, three words each.
    pub powers: &'a DeviceBuffer<Goldilocks>,
    /// The table's sum over its height.
    pub mean: Ext3,
}

/// Writes the rows from `start` on of a quotient part, three base columns of `height` rows:
///
/// ```text
///     (sums + Σ_g C_g·power_g)·scale
/// ```
///
/// `sums` are three base columns with a row for each row to write, the constraints of the table's body
/// weighed with powers of α; `C_g` is the constraint of group `g` of a table with lookups; `scale` is the
/// inverse of the vanishing polynomial on the slab.
///
/// 88 bytes and 30 products a row and group of two, 48 bytes a row.
///
/// # Panics
/// When something is missing for a row, or the rows leave the part.
///
/// # Errors
/// Those of [`Launch::run`].
pub fn finish<'b>(
    stream: &Stream,
    start: usize,
    sums: DeviceSlice<'_, Goldilocks>,
    lookup: Option<LookupConstraints<'_>>,
    scale: Goldilocks,
    part: impl Into<DeviceSliceMut<'b, Goldilocks>>,
    height: usize,
) -> Result<(), DeviceError> {
    let part = part.into();
    let rows = sums.len() / EXT_DEGREE;
    assert_eq!(sums.len(), EXT_DEGREE * rows, "each row has a sum of constraints");
    assert_eq!(part.len(), EXT_DEGREE * height, "a part is one extension column");
    assert!(start + rows <= height, "the rows lie in the part");
    if let Some(lookup) = &lookup {
        assert_eq!((lookup.chunk.start, lookup.chunk.rows), (start, rows), "messages are those of the rows");
        lookup.check();
    }
    let launch = stream.launch(&FINISH, Grid::linear(rows as u64, THREADS));
    let launch = match lookup {
        Some(lookup) => lookup.arguments(launch, sums),
        None => {
            let launch = launch.null().read(sums).u64(rows as u64);
            let launch = launch.null().u32(0).null().u64(0).u64(0).u64(0);
            launch.null().ext(Ext3::default())
        }
    };
    launch.field(scale).write(part).u64(height as u64).u64(start as u64).run()
}

impl LookupConstraints<'_> {
    /// Panics when something is missing for a row.
    fn check(&self) {
        self.groups.check(&self.chunk);
        let words = EXT_DEGREE * self.groups.count();
        let LookupRows { values, stride, start, rows } = self.lookup;
        assert!(rows <= stride, "columns do not overlap");
        assert!(values.len() >= (words - 1) * stride + rows, "each group has a column of these rows");
        assert!(start + self.chunk.rows <= rows, "the chunk lies in the columns");
        assert_eq!(self.powers.len(), words, "each group has a power");
    }

    /// The first arguments of the kernel, in its order.
    fn arguments<'s>(&self, launch: Launch<'s>, sums: DeviceSlice<'_, Goldilocks>) -> Launch<'s> {
        launch
            .read(self.chunk.messages)
            .read(sums)
            .u64(self.chunk.rows as u64)
            .read(self.groups.words())
            .u32(self.groups.count() as u32)
            .read(self.lookup.values)
            .u64(self.lookup.stride as u64)
            .u64(self.lookup.start as u64)
            .u64(self.lookup.rows as u64)
            .read(self.powers)
            .ext(self.mean)
    }
}
