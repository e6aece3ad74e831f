//! The device arms, apart from lookup columns and compositions.

use std::ops::Range;
use std::sync::Arc;

use lambda_math::field::{EXT_DEGREE, ext_from_coefficients};
use lambda_math::merkle::CAP_LOG2;
use lambda_math::{Columns, Digest, Ext3, Goldilocks, domain};
use lambda_math_cuda::kernels::tree::{DeviceTree, join_leaves};
use lambda_math_cuda::kernels::{deep, domain as points, fri, gather, grind as nonce, ntt, ood, rows};
use lambda_math_cuda::{DeviceBuffer, DeviceError, Stream};
use lambda_prover::Scope;
use lambda_prover::backend::DeepColumns;

use super::{DeviceBackend, Leaves, ResidentCodeword, host};
use crate::failure::Failure;
use crate::pieces::{HASHED_TOGETHER, pieces};
use crate::placement::Place;
use crate::resident::{Residency, Resident};
use crate::resident_tree::{ResidentDigests, ResidentTree};

type Outcome<T> = Result<T, Failure>;

impl DeviceBackend {
    pub(super) fn extend_on_device(
        &self,
        stream: &Stream,
        table: usize,
        blowup_log2: u32,
        traces: &[(&Arc<Resident>, Goldilocks)],
    ) -> Outcome<Arc<Resident>> {
        if self.place(Scope::Table(table)) == Place::Streamed {
            return self.extend_streamed(stream, table, blowup_log2, traces);
        }
        let [height, lde_height, width] = sizes(traces, blowup_log2);
        let height_log2 = height.trailing_zeros();
        let twiddles = self.twiddles(stream)?;
        let mut lde = stream.alloc_persistent::<Goldilocks>(width * lde_height, "LDE")?;
        let mut start = 0;
        for (trace, shift) in traces {
            let columns = trace.device(stream)?;
            let end = start + trace.width() * lde_height;
            let target = lde.slice_mut(start..end);
            ntt::coset_lde(stream, &twiddles, height_log2, blowup_log2, columns.as_slice(), *shift, target)?;
            start = end;
        }
        Ok(Resident::on_device(Scope::Table(table), "LDE", lde_height, lde))
    }

    /// A piece of columns at a time is extended, hashed, and copied to the host.
    fn extend_streamed(
        &self,
        stream: &Stream,
        table: usize,
        blowup_log2: u32,
        traces: &[(&Arc<Resident>, Goldilocks)],
    ) -> Outcome<Arc<Resident>> {
        let scope = Scope::Table(table);
        let [height, lde_height, width] = sizes(traces, blowup_log2);
        let height_log2 = height.trailing_zeros();
        let twiddles = self.twiddles(stream)?;
        let mut hasher = rows::RowHasher::new(stream, lde_height, width)?;
        let mut columns = Columns::scratch(lde_height, width);
        let column_bytes = ((height + lde_height) * size_of::<Goldilocks>()) as u64;
        for piece in pieces(width, column_bytes, self.chunk_bytes(scope), HASHED_TOGETHER) {
            let mut lde = stream.alloc::<Goldilocks>(piece.len() * lde_height, "piece of an LDE")?;
            let mut first = 0;
            for (trace, shift) in traces {
                // The columns of the piece that are this trace's.
                let start = piece.start.clamp(first, first + trace.width());
                let end = piece.end.clamp(first, first + trace.width());
                if start < end {
                    let view = trace.view(stream, start - first..end - first, height)?;
                    let target =
                        lde.slice_mut((start - piece.start) * lde_height..(end - piece.start) * lde_height);
                    ntt::coset_lde(
                        stream,
                        &twiddles,
                        height_log2,
                        blowup_log2,
                        view.values(),
                        *shift,
                        target,
                    )?;
                }
                first += trace.width();
            }
            hasher.absorb(stream, lde.as_slice())?;
            let cells = piece.start * lde_height..piece.end * lde_height;
            columns.values_mut()[cells].copy_from_slice(&stream.download(&lde)?);
        }
        Ok(Resident::with_digests(scope, "LDE", columns, hasher.finish()))
    }

    pub(super) fn row_digests_on_device(
        &self,
        stream: &Stream,
        lde: &Arc<Resident>,
    ) -> Outcome<ResidentDigests> {
        let digests = if let Some(digests) = lde.take_digests() {
            digests
        } else {
            let height = lde.height();
            let mut hasher = rows::RowHasher::new(stream, height, lde.width())?;
            for piece in self.pieces(stream, lde, height, HASHED_TOGETHER)? {
                hasher.absorb(stream, lde.view(stream, piece, height)?.values())?;
            }
            hasher.finish()
        };
        Ok(ResidentDigests::Device(Arc::new(digests)))
    }

    pub(super) fn evaluate_on_device(
        &self,
        stream: &Stream,
        lde: &Arc<Resident>,
        denominators: &Arc<Resident>,
        zeta: Ext3,
        next: &[usize],
    ) -> Outcome<(Vec<Ext3>, Vec<Ext3>)> {
        let height = denominators.height();
        let denominators = denominators.device(stream)?;
        let (mut values, mut next_values) = (Vec::new(), Vec::new());
        for piece in self.pieces(stream, lde, height, 1)? {
            let view = lde.view(stream, piece.clone(), height)?;
            let next = within(next, &piece);
            let next: Vec<usize> = next.iter().map(|column| column - piece.start).collect();
            let sums = ood::evaluate(stream, view.values(), view.height(), &*denominators, zeta, &next)?;
            values.extend(sums.0);
            next_values.extend(sums.1);
        }
        Ok((values, next_values))
    }

    /// The columns of `lde` in the pieces in which their first `rows` rows are read: one where the table is
    /// resident.
    fn pieces(
        &self,
        stream: &Stream,
        lde: &Arc<Resident>,
        rows: usize,
        together: usize,
    ) -> Result<impl Iterator<Item = Range<usize>> + use<>, DeviceError> {
        let budget_bytes = if self.place(lde.scope()) == Place::Resident {
            lde.device(stream)?;
            u64::MAX
        } else {
            self.chunk_bytes(lde.scope())
        };
        Ok(pieces(lde.width(), (rows * size_of::<Goldilocks>()) as u64, budget_bytes, together))
    }

    /// Columns that are on the host come in pieces, and are not kept.
    pub(super) fn deep_on_device(
        &self,
        stream: &Stream,
        height_log2: u32,
        blowup_log2: u32,
        columns: &[DeepColumns<'_, Self>],
        denominators: &Arc<Resident>,
        gamma: Ext3,
    ) -> Outcome<Arc<Resident>> {
        let height = 1usize << height_log2;
        let twiddles = self.twiddles(stream)?;
        let count = columns.iter().map(|columns| columns.lde.width()).sum();
        let denominators = denominators.device(stream)?;
        let mut combination =
            deep::Combination::new(stream, height_log2, count, denominators.as_slice(), gamma)?;
        for columns in columns {
            let (lde, mut next_values) = (columns.lde, columns.next_values);
            let budget_bytes = match lde.residency() {
                Residency::Host => self.chunk_bytes(lde.scope()),
                Residency::Device | Residency::Both => u64::MAX,
            };
            for piece in pieces(lde.width(), (height * size_of::<Goldilocks>()) as u64, budget_bytes, 1) {
                let view = lde.view(stream, piece.clone(), height)?;
                let next = within(columns.next, &piece);
                let (of_piece, others) = next_values.split_at(next.len());
                next_values = others;
                combination.add(&deep::DeepColumns {
                    lde: view.values(),
                    lde_height: view.height(),
                    next: &next.iter().map(|column| column - piece.start).collect::<Vec<_>>(),
                    values: &columns.values[piece],
                    next_values: of_piece,
                })?;
            }
        }
        let slab = combination.finish()?;
        let mut codeword = stream.alloc_persistent::<Goldilocks>(slab.len() << blowup_log2, "codeword")?;
        let (from, to) = (slab.as_slice(), codeword.as_slice_mut());
        ntt::coset_lde(stream, &twiddles, height_log2, blowup_log2, from, domain::SHIFT, to)?;
        Ok(Resident::on_device(Scope::Height(height_log2), "codeword", height << blowup_log2, codeword))
    }

    pub(super) fn interpolate_on_device(
        &self,
        stream: &Stream,
        codeword: &ResidentCodeword,
    ) -> Outcome<Vec<Ext3>> {
        let height = 1usize << codeword.height_log2;
        let values = codeword.columns.device(stream)?;
        let stride = codeword.columns.height();
        let twiddles = self.twiddles(stream)?;
        let buffer = ntt::interpolate(stream, &twiddles, codeword.height_log2, values.as_slice(), stride)?;
        let coefficients = stream.download(&buffer)?;
        let coefficient = |i: usize| [0, 1, 2].map(|k: usize| coefficients[k * height + i]);
        Ok((0..height).map(|i| ext_from_coefficients(coefficient(i))).collect())
    }
}

/// Rows of traces that are extended together, rows of their extension, and their columns.
fn sizes(traces: &[(&Arc<Resident>, Goldilocks)], blowup_log2: u32) -> [usize; 3] {
    let height = traces[0].0.height();
    [height, height << blowup_log2, traces.iter().map(|(trace, _)| trace.width()).sum()]
}

/// The numbers in `columns`, ascending, that lie in `range`.
fn within<'a>(columns: &'a [usize], range: &Range<usize>) -> &'a [usize] {
    let before = |end: usize| columns.partition_point(|&column| column < end);
    &columns[before(range.start)..before(range.end)]
}

pub fn tree(
    stream: &Stream,
    blowup_log2: u32,
    digests: &[(u32, ResidentDigests)],
) -> Outcome<Arc<ResidentTree>> {
    let mut heights: Vec<u32> = digests.iter().map(|(height_log2, _)| *height_log2).collect();
    heights.sort_unstable();
    heights.dedup();
    let mut layers = Vec::new();
    for height_log2 in heights {
        let tables = digests
            .iter()
            .filter(|(other, _)| *other == height_log2)
            .map(|(_, digests)| digests.device(stream))
            .collect::<Result<Vec<_>, DeviceError>>()?;
        layers.push((height_log2 + blowup_log2, join_leaves(stream, &tables)?));
    }
    let tree = DeviceTree::build(stream, layers, blowup_log2, CAP_LOG2)?;
    Ok(ResidentTree::on_device(stream, tree)?)
}

pub fn denominators(stream: &Stream, height_log2: u32, zeta: Ext3) -> Outcome<Arc<Resident>> {
    let columns = points::denominators(stream, height_log2, zeta)?;
    Ok(Resident::on_device(Scope::Height(height_log2), "denominators", 1 << height_log2, columns))
}

pub fn commit_codeword(
    stream: &Stream,
    codeword: &ResidentCodeword,
    arity_log2: u32,
) -> Outcome<Arc<ResidentTree>> {
    let leaves = match &codeword.leaves {
        Some(leaves) if arity_log2 == fri::LEAF_LOG2 => leaves.clone(),
        _ => {
            let columns = codeword.columns.device(stream)?;
            let values = columns.as_slice();
            Arc::new(rows::coset_digests(stream, values, codeword.height_log2, arity_log2)?)
        }
    };
    let leaf_count_log2 = leaves.len().trailing_zeros();
    let blowup_log2 = codeword.columns.height().trailing_zeros() - codeword.height_log2;
    let tree = DeviceTree::build(stream, vec![(leaf_count_log2, leaves)], blowup_log2, CAP_LOG2)?;
    Ok(ResidentTree::on_device(stream, tree)?)
}

/// The folded codeword, and its leaves if it `hashes`.
pub fn fold(
    stream: &Stream,
    codeword: &ResidentCodeword,
    arity_log2: u32,
    challenge: Ext3,
    hashes: bool,
) -> Outcome<(Arc<Resident>, Leaves)> {
    let columns = codeword.columns.device(stream)?;
    let (codeword_cells, height_log2) = (columns.as_slice(), codeword.height_log2);
    let fold = fri::Fold { codeword: codeword_cells, height_log2, arity_log2, challenge };
    let (folded, leaves) = if hashes {
        let (folded, leaves) = fold.run_with_leaves(stream)?;
        (folded, Some(Arc::new(leaves)))
    } else {
        (fold.run(stream, None)?, None)
    };
    let scope = Scope::Height(height_log2 - arity_log2);
    let height = codeword.columns.height() >> arity_log2;
    Ok((Resident::on_device(scope, "codeword", height, folded), leaves))
}

pub fn join(
    stream: &Stream,
    codeword: &ResidentCodeword,
    shorter: &ResidentCodeword,
    weight: Ext3,
) -> Outcome<Arc<Resident>> {
    let (columns, shorter) = (codeword.columns.device(stream)?, shorter.columns.device(stream)?);
    let mut joined = stream.alloc_persistent::<Goldilocks>(columns.len(), "codeword")?;
    stream.copy(&mut joined, &*columns)?;
    fri::join(stream, &mut joined, fri::Joining { codeword: shorter.as_slice(), weight })?;
    Ok(Resident::on_device(codeword.columns.scope(), "codeword", codeword.columns.height(), joined))
}

pub fn grind(stream: &Stream, seed: &[u8; 32], bits: u32) -> Outcome<u64> {
    Ok(nonce::grind(stream, seed, bits)?)
}

pub fn open_rows(
    stream: &Stream,
    lde: &Arc<Resident>,
    height_log2: u32,
    positions: &[usize],
) -> Outcome<Vec<Goldilocks>> {
    if lde.residency() == Residency::Host {
        return host::open_rows(stream, lde, height_log2, positions);
    }
    let columns = lde.device(stream)?;
    Ok(gather::rows(stream, columns.as_slice(), lde.height(), height_log2, positions)?)
}

pub fn open_codeword(
    stream: &Stream,
    codeword: &ResidentCodeword,
    positions: &[usize],
) -> Outcome<Vec<Ext3>> {
    let rows = open_rows(stream, &codeword.columns, codeword.height_log2, positions)?;
    let (values, _) = rows.as_chunks::<EXT_DEGREE>();
    Ok(values.iter().map(|&value| ext_from_coefficients(value)).collect())
}

impl ResidentDigests {
    fn device(&self, stream: &Stream) -> Result<Arc<DeviceBuffer<Digest>>, DeviceError> {
        match self {
            Self::Host(digests) => stream.upload(digests, "row digests").map(Arc::new),
            Self::Device(buffer) => Ok(buffer.clone()),
        }
    }

    pub(super) fn host(&self, stream: &Stream) -> Result<Vec<Digest>, DeviceError> {
        match self {
            Self::Host(digests) => Ok(digests.clone()),
            Self::Device(buffer) => stream.download(&**buffer),
        }
    }
}
