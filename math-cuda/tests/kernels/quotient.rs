//! Quotient parts against the lookup constraints as `lambda_air::lookup` states them.

use lambda_math::field::{EXT_DEGREE, ext_from_coefficients};
use lambda_math::{Ext3, Goldilocks};
use lambda_math_cuda::kernels::lookup::{Groups, MESSAGE_COLUMNS, MessageChunk};
use lambda_math_cuda::kernels::quotient::{LookupConstraints, LookupRows, finish};

use crate::extension::{base_columns, ext_values};
use crate::kit::{each_device, values};

const LAYOUTS: [&[(u32, Option<u32>)]; 4] =
    [&[(0, None)], &[(0, Some(1))], &[(0, Some(1)), (2, None)], &[(4, Some(0)), (1, None), (2, Some(3))]];

/// Extension element `row` of the extension column that starts at `first`, base columns `stride` apart.
fn ext(cells: &[Goldilocks], first: usize, stride: usize, row: usize) -> Ext3 {
    ext_from_coefficients([0, 1, 2].map(|k| cells[first + k * stride + row]))
}

/// A table's slab: what its quotient is made from.
struct Slab {
    groups: Vec<(u32, Option<u32>)>,
    height: usize,
    /// Where the slab starts in an extended column, and that column's rows.
    first: usize,
    lde_height: usize,
    messages: Vec<Goldilocks>,
    sums: Vec<Goldilocks>,
    lookup: Vec<Goldilocks>,
    powers: Vec<Goldilocks>,
    mean: Ext3,
    scale: Goldilocks,
}

impl Slab {
    fn new(groups: &[(u32, Option<u32>)], height: usize, slab: usize, seed: u64) -> Self {
        let interactions = groups.iter().map(|(_, second)| 1 + usize::from(second.is_some())).sum::<usize>();
        let lde_height = 2 * height;
        Self {
            groups: groups.to_vec(),
            height,
            first: slab * height,
            lde_height,
            messages: values(MESSAGE_COLUMNS * interactions * height, seed),
            sums: values(EXT_DEGREE * height, seed ^ 1),
            lookup: values(EXT_DEGREE * groups.len() * lde_height, seed ^ 2),
            powers: values(EXT_DEGREE * groups.len(), seed ^ 3),
            mean: ext_values(1, seed ^ 5)[0],
            scale: values(7, seed ^ 4)[6],
        }
    }

    /// The rows `start..start + rows` of `columns`.
    fn chunk(&self, columns: &[Goldilocks], start: usize, rows: usize) -> Vec<Goldilocks> {
        columns.chunks_exact(self.height).flat_map(|column| &column[start..start + rows]).copied().collect()
    }

    /// The rows `start..start + rows` of the slab's lookup columns, and the row after them.
    fn window(&self, start: usize, rows: usize) -> Vec<Goldilocks> {
        let columns = self.lookup.chunks_exact(self.lde_height);
        columns
            .flat_map(|column| (start..=start + rows).map(|row| column[self.first + row % self.height]))
            .collect()
    }

    fn message(&self, interaction: u32, row: usize) -> (Ext3, Goldilocks) {
        let first = MESSAGE_COLUMNS * interaction as usize * self.height;
        let multiplicity = self.messages[first + EXT_DEGREE * self.height + row];
        (ext(&self.messages, first, self.height, row), multiplicity)
    }

    fn column(&self, group: usize, row: usize) -> Ext3 {
        let first = self.first + EXT_DEGREE * group * self.lde_height;
        ext(&self.lookup, first, self.lde_height, row % self.height)
    }

    fn expected(&self, row: usize) -> Ext3 {
        let mut sum = ext(&self.sums, 0, self.height, row);
        for (group, &(first, second)) in self.groups.iter().enumerate() {
            let column = if group + 1 == self.groups.len() {
                let others: Ext3 = (0..group).map(|other| self.column(other, row)).sum();
                self.column(group, row + 1) - self.column(group, row) + self.mean - others
            } else {
                self.column(group, row)
            };
            let (f_a, m_a) = self.message(first, row);
            let constraint = match second {
                None => column * f_a - m_a,
                Some(second) => {
                    let (f_b, m_b) = self.message(second, row);
                    column * f_a * f_b - f_b * m_a - f_a * m_b
                }
            };
            sum += constraint * ext(&self.powers, EXT_DEGREE * group, 1, 0);
        }
        sum * self.scale
    }
}

/// A next row that leaves the slab, a chunk at the wrong place, powers or columns in another order.
#[test]
fn parts_are_the_scaled_constraints() {
    each_device(|_, stream| {
        for (seed, groups) in LAYOUTS.into_iter().enumerate() {
            for (height, chunk_rows, slab) in [(1, 1, 1), (8, 8, 0), (1024, 256, 1), (512, 200, 0)] {
                let slab = Slab::new(groups, height, slab, seed as u64 * 16);
                let device_groups = Groups::upload(stream, groups).unwrap();
                let all_lookup = stream.upload(&slab.lookup, "lookup").unwrap();
                let powers = stream.upload(&slab.powers, "powers").unwrap();
                let mut part = stream.alloc(EXT_DEGREE * height, "part").unwrap();
                for start in (0..height).step_by(chunk_rows) {
                    let rows = chunk_rows.min(height - start);
                    let messages =
                        stream.upload(&slab.chunk(&slab.messages, start, rows), "messages").unwrap();
                    let sums = stream.upload(&slab.chunk(&slab.sums, start, rows), "sums").unwrap();
                    let chunk = MessageChunk { messages: messages.as_slice(), start, rows };
                    // Every other chunk comes with no other rows than it needs.
                    let window = stream.upload(&slab.window(start, rows), "window").unwrap();
                    let lookup = if rows < height && start / chunk_rows % 2 == 1 {
                        LookupRows { values: window.as_slice(), stride: rows + 1, start: 0, rows: rows + 1 }
                    } else {
                        let values = all_lookup.slice(slab.first..);
                        LookupRows { values, stride: slab.lde_height, start, rows: height }
                    };
                    let constraints = LookupConstraints {
                        chunk,
                        groups: &device_groups,
                        lookup,
                        powers: &powers,
                        mean: slab.mean,
                    };
                    finish(stream, start, sums.as_slice(), Some(constraints), slab.scale, &mut part, height)
                        .unwrap();
                }
                let expected: Vec<Ext3> = (0..height).map(|row| slab.expected(row)).collect();
                assert_eq!(
                    stream.download(&part).unwrap(),
                    base_columns(&expected),
                    "{groups:?}, {height} rows"
                );
            }
        }
    });
}

/// Constraints of a table without lookups left as they are.
#[test]
fn a_part_without_lookups_is_scaled() {
    each_device(|_, stream| {
        let height = 300;
        let sums = values(EXT_DEGREE * height, 1);
        let scale = Goldilocks::new(0x1234_5678_9abc_def0);
        let buffer = stream.upload(&sums, "sums").unwrap();
        let mut part = stream.alloc(sums.len(), "part").unwrap();
        finish(stream, 0, buffer.as_slice(), None, scale, &mut part, height).unwrap();
        let expected: Vec<Goldilocks> = sums.iter().map(|&sum| sum * scale).collect();
        assert_eq!(stream.download(&part).unwrap(), expected);
    });
}
