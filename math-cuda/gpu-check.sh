#!/usr/bin/env bash
# What only a GPU shows, in under five minutes: `make gpu-check`.
#
# The tests of every kernel and of the device layer run on the card, some of them under compute-sanitizer, and
# every kernel is timed. Without a GPU nothing is checked, which is said and is no error.
#
# `gpu-check.sh build` builds the programs only. They lie in $CARGO_TARGET_DIR/gpu-check and are used as they
# are on a machine that cannot build them. Logs and times go to $OUT, which is that folder too if not set.
set -euo pipefail
cd "$(dirname "$0")/.."

TARGET=${CARGO_TARGET_DIR:-target}
PROGRAMS=$TARGET/gpu-check
OUT=${OUT:-$PROGRAMS}
SANITIZER_VERSION=13.0.85
# Launchers on 64 rows, and the families whose threads share memory, on few rows.
SMALL_DEVICE=(exhaustion steps network)
SMALL_KERNELS=(batch_inverse domain scan tree)
TOOLS=(memcheck racecheck initcheck synccheck)

build_probe() {
    cargo build --release --quiet -p lambda-math-cuda --example probe_device || return 1
    mkdir -p "$PROGRAMS"
    cp "$TARGET/release/examples/probe_device" "$PROGRAMS"
}

build_checks() {
    local output test program
    cargo build --release --quiet -p lambda-math-cuda --example bench_kernels
    cp "$TARGET/release/examples/bench_kernels" "$PROGRAMS"
    if ! output=$(cargo test --release --no-run --color never \
        -p lambda-math-cuda --test kernels --test device 2>&1); then
        echo "$output" >&2
        exit 1
    fi
    for test in kernels device; do
        program=$(sed -nE "s/.*Executable tests\/$test\/main\.rs \((.*)\)/\1/p" <<<"$output")
        cp "$program" "$PROGRAMS/$test"
    done
    # Small enough to be carried about.
    strip --strip-debug "$PROGRAMS"/{kernels,device,probe_device,bench_kernels} || true
}

# Prints the path of compute-sanitizer: one that is installed, one that was fetched before, or one from PyPI.
sanitizer() {
    local folder=$TARGET/compute-sanitizer
    local fetched=$folder/nvidia/cu13/bin/compute-sanitizer
    if command -v compute-sanitizer; then return; fi
    if [[ ! -e $fetched ]]; then
        python3 -m pip install --quiet --disable-pip-version-check --no-deps --retries 0 --timeout 10 \
            --target "$folder" "nvidia-cuda-sanitizer-api==$SANITIZER_VERSION" >/dev/null 2>&1 || return 1
    fi
    chmod +x "$fetched"
    echo "$fetched"
}

SUMMARY=()
FAILED=0

# step SECONDS NAME COMMAND...: runs a part of the check, with its output in a log, for SECONDS at most and
# until the end of the five minutes.
step() {
    local limit=$1 name=$2 start=$SECONDS status=0 outcome
    local log=$OUT/${name// /-}.log left=$((END - SECONDS))
    shift 2
    ((limit < left)) || limit=$((left > 1 ? left : 1))
    timeout "$limit" "$@" >"$log" 2>&1 || status=$?
    case $status in
        0) outcome=passed ;;
        124) outcome="not finished in $limit s" ;;
        *) outcome="FAILED" && FAILED=1 ;;
    esac
    if [[ $outcome == FAILED ]]; then tail -n 40 "$log"; fi
    grep -h 'skipped on a real device' "$log" || true
    SUMMARY+=("$(printf '%-24s %4d s  %s' "$name" $((SECONDS - start)) "$outcome")")
    echo "${SUMMARY[-1]}"
}

# One thread: the tests take turns on the card, and look at how much of its memory is in use.
on_card() { step "$1" "$2" "$PROGRAMS/$3" --test-threads=1 --nocapture; }

under_sanitizer() {
    local tool found check
    if ! found=$(sanitizer); then
        SUMMARY+=("compute-sanitizer was not found: nothing ran under it")
        return
    fi
    for tool in "${TOOLS[@]}"; do
        check=("$found" --tool "$tool" --error-exitcode 1)
        step 20 "$tool device" "${check[@]}" "$PROGRAMS/device" --test-threads=1 "${SMALL_DEVICE[@]}"
        step 20 "$tool kernels" "${check[@]}" "$PROGRAMS/kernels" --test-threads=1 "${SMALL_KERNELS[@]/%/::}"
    done
}

builds=1
if ! { command -v cargo >/dev/null && build_probe; }; then
    if [[ ! -x $PROGRAMS/probe_device ]]; then
        echo "gpu-check: no cargo that builds the programs, and none were built before" >&2
        exit 1
    fi
    echo "gpu-check: this machine does not build the programs; those in $PROGRAMS are used as they are"
    builds=0
fi
if [[ ${1:-} == build ]]; then
    build_checks
    exit
fi
if ! card=$("$PROGRAMS/probe_device"); then
    echo "no GPU: $card; nothing was checked"
    exit
fi
if ((builds)); then build_checks; fi
echo "$card"
mkdir -p "$OUT"
export LAMBDA_TEST_DRIVER=cuda
# The driver compiles each kernel once for all programs.
export CUDA_CACHE_PATH=$OUT/cache
# In bash's seconds: five minutes without the building.
END=$((SECONDS + 290))

on_card 100 "kernel tests" kernels
on_card 60 "device tests" device
step 50 "kernel times" "$PROGRAMS/bench_kernels" --json "$OUT/device-kernels.json"
cat "$OUT/kernel-times.log"
under_sanitizer

printf '\n%s\n' "$card"
printf '%s\n' "${SUMMARY[@]}"
exit $FAILED
