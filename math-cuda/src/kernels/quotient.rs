//! The end of a table's quotient: lookup constraints and the vanishing polynomial (`kernels/quotient.cu`).

use lambda_math::field::EXT_DEGREE;
use lambda_math::{Ext3, Goldilocks};

use super::lookup::{Groups, MessageChunk};
use crate::{DeviceBuffer, DeviceError, DeviceSlice, DeviceSliceMut, Grid, Kernel, PtxModule, Stream};

static MODULE: PtxModule = PtxModule::new("quotient", include_str!("../../kernels/quotient.ptx"));
static FINISH: Kernel = Kernel::new(&MODULE, "quotient_finish");

const THREADS: u32 = 256;

/// The lookup constraints of a table, one per group.
#[derive(Clone, Copy, Debug)]
pub struct LookupConstraints<'a> {
    /// The groups.
    pub groups: &'a Groups,
    /// Lookup columns, extended; from the slab's first row on.
    pub lookup: DeviceSlice<'a, Goldilocks>,
    /// Rows of an extended column.
    pub lde_height: usize,
    /// The constraints' powers of α, three words each.
    pub powers: &'a DeviceBuffer<Goldilocks>,
    /// The table's sum over its height.
    pub mean: Ext3,
}

/// Writes a chunk of rows of a quotient part, three base columns of `height` rows: `(sums + Σ_g
/// C_g·power_g)·scale`. `sums` are three base columns of the chunk's rows, the constraints of the table's
/// body weighed with powers of α; `C_g` is the constraint of group `g` (`lambda_air::lookup`); `scale` is
/// the inverse of the vanishing polynomial on the slab. A table without lookups has no messages.
///
/// 88 bytes and 30 products a row and group of two, 48 bytes a row.
///
/// # Panics
/// When something is missing for a row of the chunk.
///
/// # Errors
/// Those of [`Launch::run`](crate::Launch::run).
pub fn finish<'b>(
    stream: &Stream,
    chunk: MessageChunk<'_>,
    sums: DeviceSlice<'_, Goldilocks>,
    lookup: Option<LookupConstraints<'_>>,
    scale: Goldilocks,
    part: impl Into<DeviceSliceMut<'b, Goldilocks>>,
    height: usize,
) -> Result<(), DeviceError> {
    let part = part.into();
    assert_eq!(sums.len(), EXT_DEGREE * chunk.rows, "each row has a sum of constraints");
    assert_eq!(part.len(), EXT_DEGREE * height, "a part is one extension column");
    assert!(chunk.start + chunk.rows <= height, "the chunk lies in the part");
    let launch = stream.launch(&FINISH, Grid::linear(chunk.rows as u64, THREADS));
    let rows = chunk.rows as u64;
    let launch = match lookup {
        Some(lookup) => {
            let groups = lookup.groups;
            groups.check(&chunk);
            let cells = (EXT_DEGREE * groups.count() - 1) * lookup.lde_height + height;
            assert!(lookup.lookup.len() >= cells, "each group has a column in the slab");
            assert_eq!(lookup.powers.len(), EXT_DEGREE * groups.count(), "each group has a power");
            launch
                .read(chunk.messages)
                .read(sums)
                .u64(rows)
                .read(groups.words())
                .u32(groups.count() as u32)
                .read(lookup.lookup)
                .u64(lookup.lde_height as u64)
                .read(lookup.powers)
                .ext(lookup.mean)
        }
        None => launch.null().read(sums).u64(rows).null().u32(0).null().u64(0).null().ext(Ext3::default()),
    };
    launch.field(scale).write(part).u64(height as u64).u64(chunk.start as u64).run()
}
