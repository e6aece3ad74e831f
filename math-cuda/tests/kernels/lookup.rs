//! Lookup columns against the terms `m/f`, row by row.

use lambda_math::field::{EXT_DEGREE, ext_coefficients, ext_from_coefficients};
use lambda_math::{Ext3, Goldilocks};
use lambda_math_cuda::kernels::batch_inverse::ZeroFlag;
use lambda_math_cuda::kernels::lookup::{Groups, MESSAGE_COLUMNS, MessageChunk, accumulate, terms};
use lambda_math_cuda::{DeviceError, Stream};
use p3_field::{Field, PrimeCharacteristicRing};

use crate::extension::base_columns;
use crate::kit::{each_device, values};

/// One interaction; a pair; both kinds, with the interactions out of order.
const LAYOUTS: [&[(u32, Option<u32>)]; 4] =
    [&[(0, None)], &[(0, Some(1))], &[(0, Some(1)), (2, None)], &[(4, Some(0)), (1, None), (2, Some(3))]];

/// The messages of a table, interaction after interaction, four columns each; no factor is zero.
struct Messages {
    cells: Vec<Goldilocks>,
    height: usize,
}

impl Messages {
    fn new(groups: &[(u32, Option<u32>)], height: usize, seed: u64) -> Self {
        let interactions = groups.iter().map(|(_, second)| 1 + usize::from(second.is_some())).sum::<usize>();
        let mut cells = values(MESSAGE_COLUMNS * interactions * height, seed);
        for message in cells.chunks_exact_mut(MESSAGE_COLUMNS * height) {
            for row in 0..height {
                if (0..EXT_DEGREE).all(|k| message[k * height + row] == Goldilocks::ZERO) {
                    message[row] = Goldilocks::ONE;
                }
            }
        }
        Self { cells, height }
    }

    /// Those of some rows, laid out like those of all.
    fn chunk(&self, start: usize, rows: usize) -> Vec<Goldilocks> {
        self.cells
            .chunks_exact(self.height)
            .flat_map(|column| &column[start..start + rows])
            .copied()
            .collect()
    }

    fn term(&self, interaction: u32, row: usize) -> Ext3 {
        let cell = |k: usize| self.cells[(MESSAGE_COLUMNS * interaction as usize + k) * self.height + row];
        Ext3::from(cell(EXT_DEGREE)) * ext_from_coefficients([0, 1, 2].map(cell)).inverse()
    }

    /// The terms of each group, row by row.
    fn group_terms(&self, groups: &[(u32, Option<u32>)]) -> Vec<Vec<Ext3>> {
        groups
            .iter()
            .map(|&(first, second)| {
                (0..self.height)
                    .map(|row| {
                        self.term(first, row) + second.map_or(Ext3::ZERO, |second| self.term(second, row))
                    })
                    .collect()
            })
            .collect()
    }
}

fn columns_of(columns: &[Vec<Ext3>]) -> Vec<Goldilocks> {
    columns.iter().flat_map(|column| base_columns(column)).collect()
}

/// Terms of all rows in chunks of `chunk_rows`; the columns, and whether a factor was zero.
fn computed_terms(
    stream: &Stream,
    groups: &[(u32, Option<u32>)],
    messages: &Messages,
    chunk_rows: usize,
) -> Result<(lambda_math_cuda::DeviceBuffer<Goldilocks>, bool), DeviceError> {
    let height = messages.height;
    let device_groups = Groups::upload(stream, groups)?;
    let mut columns = stream.alloc(EXT_DEGREE * groups.len() * height, "lookup columns")?;
    let mut flag = ZeroFlag::new(stream)?;
    for start in (0..height).step_by(chunk_rows) {
        let rows = chunk_rows.min(height - start);
        let chunk = stream.upload(&messages.chunk(start, rows), "messages")?;
        let chunk = MessageChunk { messages: chunk.as_slice(), start, rows };
        terms(stream, chunk, &device_groups, &mut columns, height, &mut flag)?;
    }
    Ok((columns, flag.is_set(stream)?))
}

/// A term in another group's column or row, a chunk written from its start, a total without the last group.
#[test]
fn terms_go_to_their_columns() {
    each_device(|_, stream| {
        for (seed, groups) in LAYOUTS.into_iter().enumerate() {
            for (height, chunk_rows) in [(1, 1), (8, 8), (512, 200), (2048, 2048), (2048, 1024)] {
                let messages = Messages::new(groups, height, seed as u64);
                let (columns, met_zero) = computed_terms(stream, groups, &messages, chunk_rows).unwrap();
                let mut expected = messages.group_terms(groups);
                let totals = (0..height).map(|row| expected.iter().map(|column| column[row]).sum()).collect();
                *expected.last_mut().unwrap() = totals;
                assert_eq!(stream.download(&columns).unwrap(), columns_of(&expected), "{groups:?}, {height}");
                assert!(!met_zero, "{groups:?}, {height}");
            }
        }
    });
}

/// A factor of zero in either interaction that passes, or spoils other rows than its own.
#[test]
fn zero_factors_are_reported() {
    each_device(|_, stream| {
        let (groups, height, row) = (LAYOUTS[3], 300, 257);
        for interaction in 0..5 {
            let mut messages = Messages::new(groups, height, 9);
            for k in 0..EXT_DEGREE {
                messages.cells[(MESSAGE_COLUMNS * interaction + k) * height + row] = Goldilocks::ZERO;
            }
            let (columns, met_zero) = computed_terms(stream, groups, &messages, height).unwrap();
            assert!(met_zero, "interaction {interaction}");
            let found = stream.download(&columns).unwrap();
            let first = Messages::new(groups, height, 9).group_terms(groups).swap_remove(0);
            let others = |column: &[Goldilocks]| [&column[..row], &column[row + 1..]].concat();
            assert_eq!(others(&found[..height]), others(&base_columns(&first)[..height]));
        }
    });
}

/// The running sum in place of another column.
#[test]
fn totals_become_the_running_sum() {
    each_device(|_, stream| {
        let (groups, height) = (LAYOUTS[2], 4096);
        let messages = Messages::new(groups, height, 3);
        let (mut columns, _) = computed_terms(stream, groups, &messages, height).unwrap();
        let sum = accumulate(stream, &mut columns, height).unwrap();
        let mut expected = messages.group_terms(groups);
        let totals: Vec<Ext3> =
            (0..height).map(|row| expected.iter().map(|column| column[row]).sum()).collect();
        let total: Ext3 = totals.iter().copied().sum();
        let mean = total * Goldilocks::from_usize(height).inverse();
        let running = totals
            .iter()
            .scan(Ext3::ZERO, |running, &total| Some(std::mem::replace(running, *running + total - mean)));
        *expected.last_mut().unwrap() = running.collect();
        assert_eq!(stream.download(&sum).unwrap(), ext_coefficients(total));
        assert_eq!(stream.download(&columns).unwrap(), columns_of(&expected));
    });
}
