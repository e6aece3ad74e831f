//! Memory runs out at every allocation of every launcher in turn: a typed error, nothing left behind, and the
//! next call works.

use std::sync::Arc;

use lambda_math::hash::HashDomain;
use lambda_math::{Digest, Ext3, Goldilocks, domain};
use lambda_math_cuda::kernels::batch_inverse::ZeroFlag;
use lambda_math_cuda::kernels::lookup::{Groups, MESSAGE_COLUMNS, MessageChunk};
use lambda_math_cuda::kernels::ntt::Twiddles;
use lambda_math_cuda::kernels::program::{HostProgram, Program};
use lambda_math_cuda::kernels::tree::DeviceTree;
use lambda_math_cuda::kernels::{
    deep, domain as points, fill, fri, gather, grind, lookup, ntt, ood, rows, scan, tree,
};
use lambda_math_cuda::{Device, DeviceError, Stream};
use p3_field::PrimeCharacteristicRing;
use serde_json::json;

use crate::card::on_device;
use crate::kit::{options, values};

const LOG2: u32 = 6;
const ROWS: usize = 1 << LOG2;

/// Runs `call` with the first, second, … allocation refused, until it needs no more; returns how many it
/// made.
fn refuse_each(device: &Device, name: &str, call: impl Fn() -> Result<(), DeviceError>) -> u64 {
    call().unwrap_or_else(|error| panic!("{name}: {error}"));
    let used = device.stats().used_bytes;
    for allocation in 0.. {
        device.deny_allocations(allocation, 1);
        let outcome = call();
        device.deny_allocations(0, 0);
        assert_eq!(device.stats().used_bytes, used, "{name}: allocation {allocation} left something behind");
        match outcome {
            Ok(()) => return allocation,
            Err(DeviceError::OutOfMemory { wanted, .. }) => assert!(wanted > 0),
            Err(error) => panic!("{name}: allocation {allocation}: {error}"),
        }
        call().unwrap_or_else(|error| panic!("{name} after allocation {allocation}: {error}"));
    }
    unreachable!("a launcher makes finitely many allocations")
}

fn columns(stream: &Stream, count: usize) -> lambda_math_cuda::DeviceBuffer<Goldilocks> {
    stream.upload(&values(count * ROWS, count as u64), "columns").expect("there is room")
}

#[test]
fn every_launcher_survives_at_every_allocation() {
    on_device(json!({}), options(), survives_at_every_allocation);
}

fn survives_at_every_allocation(device: &Device) {
    let stream = &device.stream().expect("a stream");
    let twiddles = Twiddles::new(stream).expect("there is room");
    let wide = columns(stream, 5);
    let ext = columns(stream, 3);
    let codeword = columns(stream, 6);
    let zeta = Ext3::new([3, 1, 4].map(Goldilocks::new));
    let denominators = points::denominators(stream, LOG2, zeta).expect("there is room");
    let groups = Groups::upload(stream, &[(0, None)]).expect("there is room");
    let messages = columns(stream, MESSAGE_COLUMNS);

    let mut counts = Vec::new();
    let mut refuse = |name: &'static str, call: &dyn Fn() -> Result<(), DeviceError>| {
        counts.push((name, refuse_each(device, name, call)));
    };
    refuse("ntt", &|| {
        let mut lde = stream.alloc::<Goldilocks>(2 * wide.len(), "lde")?;
        ntt::coset_lde(stream, &twiddles, LOG2, 1, wide.as_slice(), Goldilocks::ONE, lde.as_slice_mut())
    });
    refuse("interpolate", &|| ntt::interpolate(stream, &twiddles, LOG2, ext.as_slice(), ROWS).map(drop));
    refuse("rows", &|| rows::row_digests(stream, wide.as_slice(), ROWS).map(drop));
    refuse("cosets", &|| rows::coset_digests(stream, codeword.as_slice(), LOG2, 3).map(drop));
    refuse("gather", &|| gather::rows(stream, wide.as_slice(), ROWS, LOG2, &[1, 5]).map(drop));
    refuse("grind", &|| grind::grind(stream, HashDomain::Grinding.key(), 4).map(drop));
    refuse("points", &|| points::points(stream, LOG2, domain::SHIFT).map(drop));
    refuse("denominators", &|| points::denominators(stream, LOG2, zeta).map(drop));
    refuse("sums", &|| scan::column_sums(stream, &wide, ROWS).map(drop));
    refuse("lookup", &|| {
        let mut lookup = stream.alloc::<Goldilocks>(3 * ROWS, "lookup")?;
        let mut flag = ZeroFlag::new(stream)?;
        let chunk = MessageChunk { messages: messages.as_slice(), start: 0, rows: ROWS };
        lookup::terms(stream, chunk, &groups, &mut lookup, ROWS, &mut flag)?;
        lookup::accumulate(stream, &mut lookup, ROWS).map(drop)
    });
    refuse("ood", &|| ood::evaluate(stream, &wide, ROWS, &denominators, zeta, &[1]).map(drop));
    refuse("deep", &|| {
        let table = deep::DeepColumns {
            lde: wide.as_slice(),
            lde_height: ROWS,
            next: &[2],
            values: &[zeta; 5],
            next_values: &[zeta],
        };
        deep::combine(stream, LOG2, &[table], &denominators, zeta).map(drop)
    });
    refuse("fold", &|| {
        let codeword = codeword.as_slice();
        fri::Fold { codeword, height_log2: LOG2, arity_log2: 3, challenge: zeta }.run(stream, None).map(drop)
    });
    refuse("fold with leaves", &|| {
        let codeword = codeword.as_slice();
        let fold = fri::Fold { codeword, height_log2: LOG2, arity_log2: 3, challenge: zeta };
        fold.run_with_leaves(stream).map(drop)
    });
    refuse("long rows", &|| rows::row_digests(stream, wide.as_slice(), 1).map(drop));
    refuse("trace selectors", &|| points::trace_selectors(stream, LOG2).map(drop));
    refuse("coset selectors", &|| points::coset_selectors(stream, LOG2, domain::SHIFT).map(drop));
    refuse("twiddles", &|| Twiddles::new(stream).map(drop));
    refuse("groups", &|| Groups::upload(stream, &[(0, Some(1))]).map(drop));
    refuse("count", &|| fill::count(stream, wide.as_slice(), 1).map(drop));
    refuse("program", &|| Program::upload(stream, &HostProgram::default()).map(drop));
    refuse("tree", &|| {
        let leaves = |log2: u32| stream.upload(&vec![Digest::default(); 1 << log2], "leaves").map(Arc::new);
        let joined = tree::join_leaves(stream, &[leaves(7)?, leaves(7)?])?;
        let tree = DeviceTree::build(stream, vec![(7, joined), (6, leaves(6)?)], 1, 4)?;
        tree.open(stream, &[3, 9])?;
        tree.download(stream).map(drop)
    });
    for (name, allocations) in counts {
        assert!(allocations > 0, "{name} allocates nothing, so nothing was refused");
    }
}
