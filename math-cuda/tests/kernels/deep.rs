//! DEEP codewords against their definition, one division per column, point and row.

use lambda_math::ntt::{NttPlan, coset_lde};
use lambda_math::{Columns, Ext3, Goldilocks, domain};
use lambda_math_cuda::kernels::deep::{DeepColumns, codeword, combine};
use lambda_math_cuda::kernels::domain as domain_kernels;
use lambda_math_cuda::kernels::ntt::Twiddles;
use p3_field::{Field, PrimeCharacteristicRing};

use crate::extension::{base_columns, ext_values};
use crate::kit::{each_device, values};

/// A table in one tree.
struct Table {
    lde: Vec<Goldilocks>,
    lde_height: usize,
    next: Vec<usize>,
    values: Vec<Ext3>,
    next_values: Vec<Ext3>,
}

impl Table {
    fn new(height: usize, blowup: usize, width: usize, next: &[usize], seed: u64) -> Self {
        Self {
            lde: values(width * blowup * height, seed),
            lde_height: blowup * height,
            next: next.to_vec(),
            values: ext_values(width, seed ^ 1),
            next_values: ext_values(next.len(), seed ^ 2),
        }
    }
}

/// `Σ γ^k·(f_k(x) - f_k(z))/(x - z)` on slab 0, for the columns at ζ and then for those at ζ·ω.
fn expected(tables: &[Table], height_log2: u32, zeta: Ext3, gamma: Ext3) -> Vec<Goldilocks> {
    let root = domain::root_of_unity(height_log2);
    let points = root.shifted_powers(domain::SHIFT).take(1 << height_log2);
    let rows: Vec<Ext3> = points
        .enumerate()
        .map(|(row, x)| {
            let current = tables.iter().flat_map(|table| {
                let column =
                    |(k, &value): (usize, &Ext3)| (table.lde[k * table.lde_height + row], value, zeta);
                table.values.iter().enumerate().map(column)
            });
            let next = tables.iter().flat_map(|table| {
                let column = |(&k, &value): (&usize, &Ext3)| {
                    (table.lde[k * table.lde_height + row], value, zeta * root)
                };
                table.next.iter().zip(&table.next_values).map(column)
            });
            current
                .chain(next)
                .zip(gamma.powers())
                .map(|((cell, value, point), power)| power * (-value + cell) * (-point + x).inverse())
                .sum()
        })
        .collect();
    base_columns(&rows)
}

fn check(height_log2: u32, tables: &[Table]) {
    let zeta = ext_values(1, 41)[0];
    let gamma = ext_values(1, 43)[0];
    let expected = expected(tables, height_log2, zeta, gamma);
    each_device(|_, stream| {
        let denominators = domain_kernels::denominators(stream, height_log2, zeta).unwrap();
        let buffers: Vec<_> = tables.iter().map(|table| stream.upload(&table.lde, "lde").unwrap()).collect();
        let columns: Vec<DeepColumns<'_>> = tables
            .iter()
            .zip(&buffers)
            .map(|(table, buffer)| DeepColumns {
                lde: buffer.as_slice(),
                lde_height: table.lde_height,
                next: &table.next,
                values: &table.values,
                next_values: &table.next_values,
            })
            .collect();
        let slab = combine(stream, height_log2, &columns, &denominators, gamma).unwrap();
        assert_eq!(stream.download(&slab).unwrap(), expected, "2^{height_log2} rows");
    });
}

/// Powers of γ that start anew with a table; a row before that is not cyclic; rows of a small table added
/// twice.
#[test]
fn tables_add_up() {
    for height_log2 in [0, 1, 8, 10, 11] {
        let height = 1 << height_log2;
        check(
            height_log2,
            &[
                Table::new(height, 2, 3, &[2, 0], 1),
                Table::new(height, 2, 1, &[], 2),
                Table::new(height, 1, 6, &[3], 3),
            ],
        );
    }
}

/// A slab extended as if it were a trace.
#[test]
fn codewords_begin_with_the_slab() {
    let (height_log2, blowup_log2) = (4, 2);
    let table = Table::new(1 << height_log2, 1, 2, &[1], 8);
    let [zeta, gamma] = [41, 43].map(|seed| ext_values(1, seed)[0]);
    let slab = expected(std::slice::from_ref(&table), height_log2, zeta, gamma);
    let slab = Columns::from_values(slab, 1 << height_log2);
    let expected = coset_lde(&NttPlan::new(height_log2, blowup_log2), &slab, domain::SHIFT);
    assert_eq!(expected.column(0)[..1 << height_log2], *slab.column(0), "slab 0 is where it was");
    each_device(|_, stream| {
        let twiddles = Twiddles::new(stream).unwrap();
        let denominators = domain_kernels::denominators(stream, height_log2, zeta).unwrap();
        let lde = stream.upload(&table.lde, "lde").unwrap();
        let columns = DeepColumns {
            lde: lde.as_slice(),
            lde_height: table.lde_height,
            next: &table.next,
            values: &table.values,
            next_values: &table.next_values,
        };
        let shape = [height_log2, blowup_log2];
        let found = codeword(stream, &twiddles, shape, &[columns], &denominators, gamma).unwrap();
        assert_eq!(stream.download(&found).unwrap(), expected.values());
    });
}

/// Terms lost, or a first sum that is not the first, where a table has more columns than fit a launch.
#[test]
fn wide_tables_take_several_launches() {
    check(3, &[Table::new(8, 2, 1030, &[1029, 512, 511], 4)]);
}

/// Sums that overflow before they are reduced.
#[test]
fn the_largest_values_fit() {
    let mut table = Table::new(2, 1, 512, &[], 5);
    table.lde.fill(Goldilocks::new(u64::MAX));
    check(1, &[table]);
}

/// Memory that holds anything taken for a codeword.
#[test]
fn no_columns_give_zero() {
    check(4, &[]);
}
