//! The host arms: input brought to the host from wherever it is, and the host backend's stage.

use std::sync::Arc;

use lambda_math::{Columns, Digest, Ext3, Goldilocks};
use lambda_math_cuda::Stream;
use lambda_prover::backend::{Backend, DeepColumns, LookupInput, QuotientInput};
use lambda_prover::host::Codeword;
use lambda_prover::{HostBackend, Scope};

use super::{DeviceBackend, ResidentCodeword};
use crate::failure::Failure;
use crate::resident::Resident;
use crate::resident_tree::{ResidentDigests, ResidentTree};

type Outcome<T> = Result<T, Failure>;

pub fn extend(
    stream: &Stream,
    table: usize,
    blowup_log2: u32,
    traces: &[(&Arc<Resident>, Goldilocks)],
) -> Outcome<Arc<Resident>> {
    let columns = traces
        .iter()
        .map(|(trace, shift)| Ok((trace.host(stream)?, *shift)))
        .collect::<Outcome<Vec<(Arc<Columns>, Goldilocks)>>>()?;
    let borrowed: Vec<(&Arc<Columns>, Goldilocks)> =
        columns.iter().map(|(columns, shift)| (columns, *shift)).collect();
    let lde = HostBackend.extend(table, blowup_log2, &borrowed)?;
    Ok(Resident::on_host(Scope::Table(table), "LDE", lde))
}

pub fn row_digests(stream: &Stream, table: usize, lde: &Arc<Resident>) -> Outcome<ResidentDigests> {
    Ok(ResidentDigests::Host(HostBackend.row_digests(table, &lde.host(stream)?)?))
}

pub fn tree(
    stream: &Stream,
    blowup_log2: u32,
    digests: &[(u32, ResidentDigests)],
) -> Outcome<Arc<ResidentTree>> {
    let mut on_host = digests
        .iter()
        .map(|(height_log2, digests)| Ok((*height_log2, digests.host(stream)?)))
        .collect::<Outcome<Vec<(u32, Vec<Digest>)>>>()?;
    Ok(ResidentTree::on_host(HostBackend.tree(blowup_log2, &mut on_host)?))
}

pub fn lookup(stream: &Stream, input: &LookupInput<'_, DeviceBackend>) -> Outcome<(Arc<Resident>, Ext3)> {
    let main = input.main.host(stream)?;
    let preprocessed = input.preprocessed.map(|columns| columns.host(stream)).transpose()?;
    let (columns, sum) = HostBackend.lookup(LookupInput {
        table: input.table,
        program: input.program,
        main: &main,
        preprocessed: preprocessed.as_ref(),
        challenges: input.challenges,
    })?;
    Ok((Resident::on_host(Scope::Table(input.table.index), "lookup trace", columns), sum))
}

pub fn quotient(stream: &Stream, input: &QuotientInput<'_, DeviceBackend>) -> Outcome<Vec<Arc<Resident>>> {
    let main = input.main.host(stream)?;
    let preprocessed = input.preprocessed.map(|columns| columns.host(stream)).transpose()?;
    let lookup = input.lookup.map(|columns| columns.host(stream)).transpose()?;
    let parts = HostBackend.quotient(QuotientInput {
        table: input.table,
        program: input.program,
        main: &main,
        preprocessed: preprocessed.as_ref(),
        lookup: lookup.as_ref(),
        challenges: input.challenges,
        lookup_sum: input.lookup_sum,
        alpha: input.alpha,
    })?;
    let scope = Scope::Table(input.table.index);
    Ok(parts.into_iter().map(|part| Resident::on_host(scope, "quotient part", part)).collect())
}

pub fn denominators(height_log2: u32, zeta: Ext3) -> Outcome<Arc<Resident>> {
    let columns = HostBackend.denominators(height_log2, zeta)?;
    Ok(Resident::on_host(Scope::Height(height_log2), "denominators", Arc::new(columns)))
}

pub fn evaluate(
    stream: &Stream,
    lde: &Arc<Resident>,
    denominators: &Arc<Resident>,
    zeta: Ext3,
    next: &[usize],
) -> Outcome<(Vec<Ext3>, Vec<Ext3>)> {
    Ok(HostBackend.evaluate(&lde.host(stream)?, &*denominators.host(stream)?, zeta, next)?)
}

pub fn deep(
    stream: &Stream,
    height_log2: u32,
    blowup_log2: u32,
    columns: &[DeepColumns<'_, DeviceBackend>],
    denominators: &Arc<Resident>,
    gamma: Ext3,
) -> Outcome<Arc<Resident>> {
    let ldes = columns.iter().map(|columns| Ok(columns.lde.host(stream)?)).collect::<Outcome<Vec<_>>>()?;
    let columns: Vec<DeepColumns<'_, HostBackend>> = columns
        .iter()
        .zip(&ldes)
        .map(|(columns, lde)| DeepColumns {
            lde,
            next: columns.next,
            values: columns.values,
            next_values: columns.next_values,
        })
        .collect();
    let denominators = denominators.host(stream)?;
    let codeword = HostBackend.deep(height_log2, blowup_log2, &columns, &denominators, gamma)?;
    Ok(of_codeword(codeword))
}

pub fn commit_codeword(
    stream: &Stream,
    codeword: &ResidentCodeword,
    arity_log2: u32,
) -> Outcome<Arc<ResidentTree>> {
    let codeword = to_codeword(stream, codeword)?;
    Ok(ResidentTree::on_host(HostBackend.commit_codeword(&codeword, arity_log2)?))
}

pub fn fold(
    stream: &Stream,
    codeword: &ResidentCodeword,
    arity_log2: u32,
    challenge: Ext3,
) -> Outcome<Arc<Resident>> {
    let codeword = to_codeword(stream, codeword)?;
    Ok(of_codeword(HostBackend.fold(&codeword, arity_log2, challenge)?))
}

pub fn join(
    stream: &Stream,
    codeword: &ResidentCodeword,
    shorter: &ResidentCodeword,
    weight: Ext3,
) -> Outcome<Arc<Resident>> {
    let mut joined = to_codeword(stream, codeword)?;
    HostBackend.join(&mut joined, &to_codeword(stream, shorter)?, weight)?;
    Ok(of_codeword(joined))
}

pub fn interpolate(stream: &Stream, codeword: &ResidentCodeword) -> Outcome<Vec<Ext3>> {
    Ok(HostBackend.interpolate(&to_codeword(stream, codeword)?)?)
}

pub fn grind(seed: &[u8; 32], bits: u32) -> Outcome<u64> {
    Ok(HostBackend.grind(seed, bits)?)
}

pub fn open_rows(
    stream: &Stream,
    lde: &Arc<Resident>,
    height_log2: u32,
    positions: &[usize],
) -> Outcome<Vec<Goldilocks>> {
    Ok(HostBackend.open_rows(&lde.host(stream)?, height_log2, positions)?)
}

pub fn open_codeword(
    stream: &Stream,
    codeword: &ResidentCodeword,
    positions: &[usize],
) -> Outcome<Vec<Ext3>> {
    Ok(HostBackend.open_codeword(&to_codeword(stream, codeword)?, positions)?)
}

fn to_codeword(stream: &Stream, codeword: &ResidentCodeword) -> Outcome<Codeword> {
    let columns = (*codeword.columns.host(stream)?).clone();
    Ok(Codeword { columns, height_log2: codeword.height_log2 })
}

fn of_codeword(codeword: Codeword) -> Arc<Resident> {
    Resident::on_host(Scope::Height(codeword.height_log2), "codeword", Arc::new(codeword.columns))
}
