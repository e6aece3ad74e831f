//! placeholder until the demo crate exists
fn main() {}
