#!/bin/sh
# Builds every guest and writes guests/elf: the ELFs, SHA256SUMS and TOOLCHAIN.
#
# Usage: build.sh [GUEST...]      all guests without arguments
#
# Needs Debian's rustc-web, rust-web-src and gcc-riscv64-unknown-elf beside rustup's cargo. The compiler has
# to be rustc-web because the guests' `core` is built from source, which must match the compiler exactly.
# The same compiler gives the same bytes in any folder and with any cargo.
set -eu
cd "$(dirname "$0")"

guests=${*:-hello fib keccak sha256 ecrecover block}
target=riscv64im-lambda-elf
out=${CARGO_TARGET_DIR:-$PWD/target}
cargo_home=${CARGO_HOME:-$HOME/.cargo}
host_sysroot=$(rustc --print sysroot)

RUSTC=/usr/bin/rustc
[ -x "$RUSTC" ] || { echo "build.sh: apt-get install rustc-web rust-web-src gcc-riscv64-unknown-elf" >&2; exit 1; }
guest_sysroot=$("$RUSTC" --print sysroot)
export RUSTC
# `-Zbuild-std` and JSON targets are not stable yet.
export RUSTC_BOOTSTRAP=1
export CARGO_TARGET_RISCV64IM_LAMBDA_ELF_LINKER="$host_sysroot/lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld"
# libsecp256k1, the only C.
export CC_riscv64im_lambda_elf=riscv64-unknown-elf-gcc
export AR_riscv64im_lambda_elf=riscv64-unknown-elf-ar
export CFLAGS_riscv64im_lambda_elf="-O3 -march=rv64im -mabi=lp64 -mcmodel=medany -ffreestanding \
  -ffile-prefix-map=$cargo_home=/cargo -ffile-prefix-map=$PWD=/guests"

flags="'-Cpasses=lower-atomic', '-Clink-arg=-T$PWD/runtime/link.ld', '-Clink-arg=--gc-sections', '-Clink-arg=--discard-locals', \
  '--remap-path-prefix=$cargo_home=/cargo', '--remap-path-prefix=$PWD=/guests', \
  '--remap-path-prefix=$guest_sysroot=/rust'"

# Always of the whole workspace, so that each guest sees the same features whichever are built.
binaries=--workspace
for guest in $guests; do binaries="$binaries --bin $guest"; done
# shellcheck disable=SC2086  # one word an argument
cargo build --release --locked $binaries \
  --target "$PWD/$target.json" \
  -Zjson-target-spec -Zbuild-std=core,alloc -Zbuild-std-features=compiler-builtins-mem \
  --config "target.$target.rustflags=[$flags]"

mkdir -p elf
for guest in $guests; do
  cp "$out/$target/release/$guest" "elf/$guest.elf"
  ./check-isa.sh "elf/$guest.elf"
done
(cd elf && sha256sum ./*.elf | sed 's# \./# #' >SHA256SUMS)
{ "$RUSTC" -vV; "$CC_riscv64im_lambda_elf" --version | head -1; } >elf/TOOLCHAIN
cat elf/SHA256SUMS
