//! Lookup columns from bus messages (`kernels/lookup.cu`).
//!
//! A table's messages come in chunks of rows, so that they never take more than a chunk's memory.

use lambda_math::Goldilocks;
use lambda_math::field::EXT_DEGREE;

use super::batch_inverse::{ZeroFlag, runs};
use super::scan;
use crate::{DeviceBuffer, DeviceError, DeviceSlice, DeviceSliceMut, Kernel, PtxModule, Stream};

static MODULE: PtxModule = PtxModule::new("lookup", include_str!("../../kernels/lookup.ptx"));
static TERMS: Kernel = Kernel::new(&MODULE, "lookup_terms");

/// Columns of an interaction in a chunk of messages: the coefficients of its factor, and its multiplicity.
pub const MESSAGE_COLUMNS: usize = EXT_DEGREE + 1;

/// Stands for the second interaction of a group of one: `NO_SECOND` of `kernels/messages.cuh`.
const NO_SECOND: u32 = u32::MAX;

/// Groups of one or two interactions that share a lookup column, in order; the last one's column is the
/// running sum.
#[derive(Debug)]
pub struct Groups {
    words: DeviceBuffer<u32>,
    count: u32,
    /// Interactions that they name.
    interactions: usize,
}

impl Groups {
    /// Uploads at least one group: the index of its first interaction and that of its second one, if any.
    ///
    /// # Errors
    /// Those of [`Stream::upload`].
    pub fn upload(stream: &Stream, groups: &[(u32, Option<u32>)]) -> Result<Self, DeviceError> {
        assert!(!groups.is_empty(), "a table without interactions has no groups");
        let words: Vec<u32> =
            groups.iter().flat_map(|&(first, second)| [first, second.unwrap_or(NO_SECOND)]).collect();
        let last = words.iter().filter(|&&word| word != NO_SECOND).max().expect("there is a group");
        Ok(Self {
            interactions: *last as usize + 1,
            count: u32::try_from(groups.len()).expect("fewer than 2^32 groups"),
            words: stream.upload(&words, "lookup groups")?,
        })
    }

    /// Number of groups, and of extension columns.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    pub(super) fn words(&self) -> &DeviceBuffer<u32> {
        &self.words
    }

    pub(super) fn check(&self, chunk: &MessageChunk<'_>) {
        let columns = MESSAGE_COLUMNS * self.interactions;
        assert!(chunk.messages.len() >= columns * chunk.rows, "each interaction has a message on each row");
    }
}

/// Messages of the rows `start..start + rows`: of each interaction [`MESSAGE_COLUMNS`] columns of `rows`
/// words, the coefficients of its factor `γ - fingerprint`, and its multiplicity, signed by the direction.
#[derive(Clone, Copy, Debug)]
pub struct MessageChunk<'a> {
    /// The columns.
    pub messages: DeviceSlice<'a, Goldilocks>,
    /// First row.
    pub start: usize,
    /// Number of rows.
    pub rows: usize,
}

/// Computes the terms of the chunk's rows: extension column `g` of `columns`, three base columns of
/// `height` rows each, gets the terms of group `g`, the last one the sum of all terms of the row. A factor
/// that is zero sets `flag`.
///
/// 136 bytes and 42 products a row and group of two; an inversion for eight of them.
///
/// # Panics
/// When messages are missing, the chunk leaves the columns, or there is not one column per group.
///
/// # Errors
/// Those of [`Launch::run`](crate::Launch::run).
pub fn terms<'b>(
    stream: &Stream,
    chunk: MessageChunk<'_>,
    groups: &Groups,
    columns: impl Into<DeviceSliceMut<'b, Goldilocks>>,
    height: usize,
    flag: &mut ZeroFlag,
) -> Result<(), DeviceError> {
    let columns = columns.into();
    groups.check(&chunk);
    assert_eq!(columns.len(), EXT_DEGREE * groups.count() * height, "each group has a column");
    assert!(chunk.start + chunk.rows <= height, "the chunk lies in the columns");
    stream
        .launch(&TERMS, runs(chunk.rows))
        .read(chunk.messages)
        .u64(chunk.rows as u64)
        .read(groups.words())
        .u32(groups.count)
        .write(columns.slice(chunk.start..))
        .u64(height as u64)
        .write(flag.word())
        .run()
}

/// Replaces the sums of terms in the last of `columns` by their running sum, which starts at zero and grows
/// by each row's sum less the mean. Returns the table's sum, three coefficients.
///
/// 72 bytes a row.
///
/// # Panics
/// When there is no extension column of `height` rows.
///
/// # Errors
/// Those of [`scan::running_sums`].
pub fn accumulate<'b>(
    stream: &Stream,
    columns: impl Into<DeviceSliceMut<'b, Goldilocks>>,
    height: usize,
) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
    let columns = columns.into();
    let last = columns.len().checked_sub(EXT_DEGREE * height).expect("there is an extension column");
    scan::running_sums(stream, columns.slice(last..), height)
}
