//! The device arms, apart from lookup columns and compositions.

use std::sync::Arc;

use lambda_math::field::{EXT_DEGREE, ext_from_coefficients};
use lambda_math::merkle::CAP_LOG2;
use lambda_math::{Digest, Ext3, Goldilocks, domain};
use lambda_math_cuda::kernels::tree::{DeviceTree, join_leaves};
use lambda_math_cuda::kernels::{deep, domain as points, fri, gather, grind as nonce, ntt, ood, rows};
use lambda_math_cuda::{DeviceBuffer, DeviceError, Stream};
use lambda_prover::Scope;
use lambda_prover::backend::DeepColumns;

use super::{DeviceBackend, ResidentCodeword};
use crate::failure::Failure;
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
        let height = traces[0].0.height();
        let height_log2 = height.trailing_zeros();
        let width: usize = traces.iter().map(|(trace, _)| trace.width()).sum();
        let lde_height = height << blowup_log2;
        let twiddles = self.twiddles(stream)?;
        let mut lde = stream.alloc::<Goldilocks>(width * lde_height, "LDE")?;
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
        let slabs = columns
            .iter()
            .map(|columns| slab_0(stream, columns.lde, height))
            .collect::<Result<Vec<_>, DeviceError>>()?;
        let columns: Vec<deep::DeepColumns<'_>> = columns
            .iter()
            .zip(&slabs)
            .map(|(columns, (buffer, lde_height))| deep::DeepColumns {
                lde: buffer.as_slice(),
                lde_height: *lde_height,
                next: columns.next,
                values: columns.values,
                next_values: columns.next_values,
            })
            .collect();
        let denominators = denominators.device(stream)?;
        let slab = deep::combine(stream, height_log2, &columns, &*denominators, gamma)?;
        let mut codeword = stream.alloc::<Goldilocks>(slab.len() << blowup_log2, "codeword")?;
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

/// Columns whose first `height` rows are slab 0, and their stride. Of columns on the host only that slab is
/// copied, and it is not kept.
fn slab_0(
    stream: &Stream,
    lde: &Arc<Resident>,
    height: usize,
) -> Result<(Arc<DeviceBuffer<Goldilocks>>, usize), DeviceError> {
    if lde.residency() != Residency::Host {
        return Ok((lde.device(stream)?, lde.height()));
    }
    let columns = lde.host(stream)?;
    let mut buffer = stream.alloc::<Goldilocks>(columns.width() * height, "slab 0")?;
    for (index, column) in columns.iter().enumerate() {
        stream.write(buffer.slice_mut(index * height..(index + 1) * height), &column[..height])?;
    }
    Ok((Arc::new(buffer), height))
}

pub fn row_digests(stream: &Stream, lde: &Arc<Resident>) -> Outcome<ResidentDigests> {
    let columns = lde.device(stream)?;
    let digests = rows::row_digests(stream, columns.as_slice(), lde.height())?;
    Ok(ResidentDigests::Device(Arc::new(digests)))
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

pub fn evaluate(
    stream: &Stream,
    lde: &Arc<Resident>,
    denominators: &Arc<Resident>,
    zeta: Ext3,
    next: &[usize],
) -> Outcome<(Vec<Ext3>, Vec<Ext3>)> {
    let (columns, denominators) = (lde.device(stream)?, denominators.device(stream)?);
    Ok(ood::evaluate(stream, &*columns, lde.height(), &*denominators, zeta, next)?)
}

pub fn commit_codeword(
    stream: &Stream,
    codeword: &ResidentCodeword,
    arity_log2: u32,
) -> Outcome<Arc<ResidentTree>> {
    let columns = codeword.columns.device(stream)?;
    let leaves = rows::coset_digests(stream, columns.as_slice(), codeword.height_log2, arity_log2)?;
    let leaf_count_log2 = leaves.len().trailing_zeros();
    let blowup_log2 = codeword.columns.height().trailing_zeros() - codeword.height_log2;
    let tree = DeviceTree::build(stream, vec![(leaf_count_log2, Arc::new(leaves))], blowup_log2, CAP_LOG2)?;
    Ok(ResidentTree::on_device(stream, tree)?)
}

pub fn fold(
    stream: &Stream,
    codeword: &ResidentCodeword,
    arity_log2: u32,
    challenge: Ext3,
) -> Outcome<Arc<Resident>> {
    let columns = codeword.columns.device(stream)?;
    let (codeword_cells, height_log2) = (columns.as_slice(), codeword.height_log2);
    let fold = fri::Fold { codeword: codeword_cells, height_log2, arity_log2, challenge };
    let folded = fold.run(stream, None)?;
    let scope = Scope::Height(codeword.height_log2 - arity_log2);
    Ok(Resident::on_device(scope, "codeword", codeword.columns.height() >> arity_log2, folded))
}

pub fn join(
    stream: &Stream,
    codeword: &ResidentCodeword,
    shorter: &ResidentCodeword,
    weight: Ext3,
) -> Outcome<Arc<Resident>> {
    let (columns, shorter) = (codeword.columns.device(stream)?, shorter.columns.device(stream)?);
    let mut joined = stream.alloc::<Goldilocks>(columns.len(), "codeword")?;
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
