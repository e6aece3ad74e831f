//! The validator as a guest says what it says as a library, of blocks and of damaged ones.

use lambda_block::generate;
use lambda_executor::Executor;
use stateless::validate;

/// The built guest.
const VALIDATOR: &[u8] = include_bytes!("../../guests/elf/block.elf");

/// Bytes from one damaged place to the next.
const STRIDE: usize = 7;

#[test]
fn guest_and_library_agree() {
    let guest = Executor::from_elf(VALIDATOR).unwrap();
    let input = generate(2, 0).unwrap();
    let damaged = (0..input.len()).step_by(STRIDE).map(|at| {
        let mut damaged = input.clone();
        damaged[at] ^= 1 << (at % 8);
        damaged
    });
    let mut refused = 0;
    for input in [input.clone(), Vec::new(), generate(0, 0).unwrap()].into_iter().chain(damaged) {
        let execution = guest.run(&input).expect("the guest does not trap");
        let log = String::from_utf8(execution.log).unwrap();
        match validate(&input) {
            Ok(validated) => {
                let expected = (0, &validated.to_output()[..], "");
                assert_eq!((execution.exit_code, execution.output.as_slice(), log.as_str()), expected);
            }
            Err(error) => {
                refused += 1;
                let expected = (1, &[][..], format!("block refused: {error}\n"));
                assert_eq!((execution.exit_code, execution.output.as_slice(), log), expected);
            }
        }
    }
    assert!(refused > input.len() / STRIDE / 2, "only {refused} were refused");
}
