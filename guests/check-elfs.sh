#!/bin/sh
# Checks the ELFs in guests/elf: listed hashes, instructions, and what they do under qemu-riscv64.
#
# Usage: check-elfs.sh [BLOCK-INPUT...]      valid inputs of `block` to run as well
#
# Needs Debian's qemu-user and gcc-riscv64-unknown-elf (for objdump), and xxd.
set -eu
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# run GUEST INPUT-IN-HEX: sets $code and, in hex, $output.
run() {
  code=0
  printf %s "$2" | xxd -r -p >"$scratch/input"
  qemu-riscv64 "elf/$1.elf" <"$scratch/input" >"$scratch/output" 2>/dev/null || code=$?
  output=$(xxd -p "$scratch/output" | tr -d '\n')
}

# expect GUEST INPUT-IN-HEX EXIT-CODE OUTPUT-IN-HEX
expect() {
  run "$1" "$2"
  if [ "$code $output" = "$3 $4" ]; then
    echo "$1: exit $code, output as expected"
  else
    echo "$1: exit $code, output $output; expected exit $3, output $4" >&2
    failed=1
  fi
}

(cd elf && sha256sum --check --quiet SHA256SUMS)
./check-isa.sh elf/*.elf

expect hello 776f726c64 0 48656c6c6f2c20776f726c64210a
expect hello ff 101 ''

expect fib 0000000000000000 0 0000000000000000
# F(93) is the last below 2^64, F(94) the first above.
expect fib 5d00000000000000 0 02271f2242ad4fa9
expect fib 5e00000000000000 0 bff60b84d08af311
expect fib 00 101 ''

# Digests of "abc", as published.
abc_keccak=4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45
abc_sha256=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
expect keccak 0100000000000000616263 0 $abc_keccak
run keccak "0100000000000000$abc_keccak"
expect keccak 0200000000000000616263 0 "$output"
expect keccak 0000000000000000 101 ''
expect sha256 616263 0 $abc_sha256
zeros=$(head -c 100000 /dev/zero | xxd -p | tr -d '\n')
expect sha256 "$zeros" 0 "$(head -c 100000 /dev/zero | sha256sum | cut -d' ' -f1)"

# The example of the Ethereum tests for the precompile at address 1.
signed=18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1c
r=73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75f
s=eeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549
expect ecrecover "$signed$r${s}01" 0 a94f5374fce5edbc8e2a8697c15331677e6ebf0b
expect ecrecover "$signed$r${s}04" 1 ''
expect ecrecover 00 101 ''

expect block '' 1 ''
for input; do
  if qemu-riscv64 elf/block.elf <"$input" >"$scratch/output" && [ "$(wc -c <"$scratch/output")" = 160 ]; then
    echo "block: $input is valid"
  else
    echo "block: $input is refused" >&2
    failed=1
  fi
done
exit $failed
