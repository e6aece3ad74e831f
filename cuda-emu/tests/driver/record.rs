//! Launches written to files.

use std::path::PathBuf;

use lambda_cuda_emu::record::{RecordedArgument, RecordedLaunch};

use crate::kit::Arg::{U32, U64};
use crate::kit::*;

#[test]
fn a_launch_is_written_with_its_buffers_before_and_after() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("recorded-launches");
    let _ = std::fs::remove_dir_all(&folder);
    let record = serde_json::json!({ "record": folder, "junk": 0x0101_0101_0101_0101u64 });
    let gpu = Gpu::with_kernels(&record.to_string());
    let (stream, arena) = (gpu.stream(), gpu.alloc(32).unwrap());
    note_alloc(arena, 10, "out");
    note_alloc(arena + 80, 5, "in");
    gpu.upload(&stream, arena + 80, &[7; 5]).unwrap();
    let args = [U64(arena + 16), U64(arena + 80), U64(arena + 80), U32(5)];
    gpu.launch_shaped(&stream, "add", [2, 1, 1], [4, 1, 1], 64, &args).unwrap();
    gpu.sync(&stream).unwrap();

    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    let launch = RecordedLaunch::read(&std::fs::read(&files[0]).unwrap()).unwrap();
    assert_eq!((launch.entry.as_str(), launch.grid, launch.block), ("add", [2, 1, 1], [4, 1, 1]));
    assert_eq!(launch.dynamic_shared_bytes, 64);
    let argument = |bytes, buffer, value| RecordedArgument { bytes, buffer, value };
    assert_eq!(
        launch.arguments,
        [argument(8, Some(0), 16), argument(8, Some(1), 0), argument(8, Some(1), 0), argument(4, None, 5)]
    );
    let [out, input] = launch.buffers.as_slice() else { panic!("two buffers") };
    assert_eq!((out.label.as_str(), out.address), ("out", arena));
    assert_eq!((out.initialised_before.as_slice(), out.before.as_slice()), (&[0; 10][..], &[1; 80][..]));
    assert_eq!(out.initialised_after, [0, 0, 255, 255, 255, 255, 255, 0, 0, 0]);
    let expected: Vec<u8> = [[1; 16].as_slice(), &14u64.to_le_bytes().repeat(5), &[1; 24]].concat();
    assert_eq!(out.after, expected);
    assert_eq!((input.label.as_str(), input.initialised_before.as_slice()), ("in", &[255; 5][..]));
    assert_eq!(input.before, 7u64.to_le_bytes().repeat(5));
    assert_eq!(input.before, input.after);
    assert!(RecordedLaunch::read(&[1, 2, 3]).is_err());
}
