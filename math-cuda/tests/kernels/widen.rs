//! Narrow columns as field elements.

use lambda_math::Goldilocks;
use lambda_math_cuda::Stream;
use lambda_math_cuda::kernels::widen::{NarrowCell, widen};

use crate::kit;

fn widens<T: NarrowCell + Into<u64>>(stream: &Stream, narrow: impl Fn(u64) -> T) {
    for count in [0, 1, 255, 256, 257, 5000] {
        let mut state = count as u64;
        let cells: Vec<T> = (0..count).map(|_| narrow(kit::random(&mut state))).collect();
        let source = stream.upload(&cells, "narrow column").unwrap();
        let mut wide = stream.alloc(count, "column").unwrap();
        widen(stream, source.as_slice(), wide.as_slice_mut()).unwrap();
        let expected = cells.iter().map(|&cell| Goldilocks::new(cell.into()));
        assert!(expected.eq(stream.download(&wide).unwrap()), "{count} cells");
    }
}

// A sign extended, bytes of a neighbour, a last cell left out.
#[test]
fn cells_keep_their_values() {
    kit::each_device(|_, stream| {
        widens(stream, |word| (word | 0x80) as u8);
        widens(stream, |word| (word | 0x8000) as u16);
        widens(stream, |word| (word | 0x8000_0000) as u32);
    });
}
