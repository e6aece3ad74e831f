//! Bytes: what is free, what an allocation takes, what comes back.

use crate::kit::*;

#[test]
fn memory_is_accounted_to_the_byte() {
    let gpu = Gpu::new(r#"{"memory_bytes":1000}"#);
    assert_eq!(gpu.memory_info(), (1000, 1000));
    let first = gpu.alloc(100).unwrap();
    assert_eq!(gpu.memory_info(), (200, 1000));
    assert_eq!(gpu.alloc(26), Err(OUT_OF_MEMORY));
    assert_eq!(gpu.memory_info(), (200, 1000), "a refused allocation takes nothing");
    let second = gpu.alloc(25).unwrap();
    assert_eq!(gpu.memory_info(), (0, 1000));
    gpu.free(first).unwrap();
    assert_eq!(gpu.memory_info(), (800, 1000));
    gpu.free(second).unwrap();
    gpu.free(0).unwrap();
    assert_eq!(gpu.memory_info(), (1000, 1000));
    assert_eq!(gpu.report()["held"]["peak_device_bytes"], 1000);
}

#[test]
fn an_allocation_of_nothing_is_refused() {
    let gpu = Gpu::new("{}");
    assert_eq!(gpu.alloc(0), Err(INVALID_VALUE));
    assert_eq!(gpu.pinned(0).map(|_| ()), Err(INVALID_VALUE));
}

#[test]
fn running_out_is_not_sticky() {
    let gpu = Gpu::new(r#"{"memory_bytes":800}"#);
    assert_eq!(gpu.alloc(101), Err(OUT_OF_MEMORY));
    let (stream, data) = (gpu.stream(), gpu.alloc(100).unwrap());
    gpu.upload(&stream, data, &[1; 100]).unwrap();
    assert_eq!(gpu.download(&stream, data, 100), Ok(vec![1; 100]));
}

#[test]
fn a_large_device_costs_what_is_touched() {
    let gpu = Gpu::new(r#"{"memory_bytes":137438953472}"#);
    let (stream, data) = (gpu.stream(), gpu.alloc(1 << 34).unwrap());
    gpu.upload(&stream, data + (1 << 36), &[4; 8]).unwrap();
    assert_eq!(gpu.download(&stream, data + (1 << 36), 8), Ok(vec![4; 8]));
}
