//! Opened rows and digests.

use lambda_math::domain::slab_and_entry;
use lambda_math::{Digest, Goldilocks};
use lambda_math_cuda::kernels::gather;

use crate::kit;

// Rows taken by entry instead of position, of another column or slab, a cell that is not canonical.
#[test]
fn rows_at_positions_are_opened() {
    kit::each_device(|_, stream| {
        for (slab_log2, slabs, width) in [(0u32, 1usize, 1usize), (3, 2, 5), (7, 4, 3), (10, 2, 130)] {
            let height = slabs << slab_log2;
            let mut cells = kit::values(width * height, slab_log2.into());
            cells[0] = Goldilocks::new(u64::MAX);
            let columns = stream.upload(&cells, "columns").unwrap();
            let positions: Vec<usize> = (0..height).chain([0, height - 1]).step_by(1 + height / 20).collect();
            let opened = gather::rows(stream, columns.as_slice(), height, slab_log2, &positions).unwrap();
            let expected = positions.iter().flat_map(|&position| {
                let (slab, entry) = slab_and_entry(position, slab_log2);
                cells.iter().skip((slab << slab_log2) + entry).step_by(height).copied()
            });
            assert!(expected.eq(opened), "{width} columns of {slabs} slabs of 2^{slab_log2}");
            let none = gather::rows(stream, columns.as_slice(), height, slab_log2, &[]).unwrap();
            assert_eq!(none, [], "no positions");
        }
    });
}

// Half a digest, or one beside the place.
#[test]
fn digests_at_places_are_opened() {
    kit::each_device(|_, stream| {
        let digest = |i: u8| Digest::from_bytes(std::array::from_fn(|byte| i ^ byte as u8));
        let digests: Vec<Digest> = (0..200).map(digest).collect();
        let buffer = stream.upload(&digests, "digests").unwrap();
        let places = [0, 199, 7, 7, 100, 64, 63];
        let opened = gather::digests(stream, buffer.as_slice(), &places).unwrap();
        assert_eq!(opened, places.map(|place| digests[place as usize]));
        let all: Vec<u64> = (0..100).collect();
        assert_eq!(gather::digests(stream, buffer.slice(100..), &all).unwrap(), digests[100..]);
        assert_eq!(gather::digests(stream, buffer.as_slice(), &[]).unwrap(), []);
    });
}

// Memory that is not the caller's would be read.
#[test]
#[should_panic(expected = "beyond 8 rows")]
fn positions_beyond_the_columns_are_refused() {
    kit::each_device(|_, stream| {
        let columns = stream.upload(&kit::values(16, 1), "columns").unwrap();
        let _ = gather::rows(stream, columns.as_slice(), 8, 2, &[8]);
    });
}
