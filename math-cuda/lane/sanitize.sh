#!/usr/bin/env bash
# Runs every kernel as a native program under AddressSanitizer with UndefinedBehaviorSanitizer, and under
# ThreadSanitizer: `make kernel-sanitize`.
#
# First each planted bug of bugs.cu has to be found by its tool. Then the kernels' own tests run on the
# emulated device, which records their launches, and the recorded launches are repeated on memory of exactly
# their size, in two thread orders; a record with a changed byte has to be told apart. RECORDS sets how many
# launches of each kernel; RECORDED names a folder of records to use instead of running the tests.
set -euo pipefail
cd "$(dirname "$0")/../.."

TOOLS=(address thread)
RECORDS=${RECORDS:-8}
OUT=${CARGO_TARGET_DIR:-target}/kernel-lane
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=

# A program with the sanitizer has to build and to run.
require() {
    local flag=-fsanitize=$1 probe
    probe=$(mktemp)
    if ! echo 'int main() { return 0; }' | g++ -x c++ "$flag" - -o "$probe" || ! "$probe"; then
        rm -f "$probe"
        cat >&2 <<MESSAGE
kernel-sanitize: g++ $flag does not work here.
Install g++ and its sanitizers (Debian, Ubuntu: apt-get install g++, which brings libasan, libubsan and
libtsan; Fedora: dnf install gcc-c++ libasan libubsan libtsan). Where only ThreadSanitizer fails to start, the
kernel randomises addresses more than it can take: sysctl vm.mmap_rnd_bits=28.
MESSAGE
        exit 1
    fi
    rm -f "$probe"
}

# Prints `TOOL KERNEL WORDS` for each expectation in bugs.cu.
expectations() {
    sed -nE 's/^\/\/ EXPECT (\w+): (.*)/\1 \2/p; s/^KERNEL\((\w+)\).*/\1/p' math-cuda/lane/bugs.cu |
        awk '/ / { expected[++n] = $0; next }
             { for (i = 1; i <= n; i++) { split(expected[i], part, " ")
                 print part[1], $1, substr(expected[i], length(part[1]) + 2) }; n = 0 }'
}

# Runs the planted bugs; fails where a tool misses one, or sees one where there is none.
planted_bugs() {
    local tool kernel words said status missed=0 count=0
    while read -r tool kernel words; do
        status=0
        said=$("$OUT/$tool/bugs" "$kernel" 2>&1) || status=$?
        count=$((count + 1))
        if [[ $said != *"$words"* ]] || [[ $words == "no difference" && $status != 0 ]] ||
            [[ $words != "no difference" && $status == 0 ]]; then
            printf '%s sanitizer on %s: expected "%s", status %s and\n%s\n' \
                "$tool" "$kernel" "$words" "$status" "$said" >&2
            missed=$((missed + 1))
        fi
    done < <(expectations)
    echo "planted bugs: $((count - missed)) of $count as expected"
    ((missed == 0 && count > 0))
}

# Runs the tests of the kernels with recording on. Names of records are unique within a program only.
record() {
    local package suite
    rm -rf "$OUT/records"
    while read -r package suite; do
        LAMBDA_TEST_RECORD=$OUT/records/$package cargo test --quiet -p "$package" --test "$suite"
    done <<<$'lambda-math-cuda kernels\nlambda-gpu-lde constraints'
}

# Changes the last byte of a record, what a launch left in its last buffer: the replay has to notice.
changed_record() {
    local folder record last said
    folder=$(mktemp -d)
    record=$(find "$1" -name '*.launch' -size -64k -print -quit)
    cp "$record" "$folder"
    record=$folder/$(basename "$record")
    last=$(tail -c 1 "$record" | od -An -tu1)
    truncate -s -1 "$record"
    printf "\\x$(printf %x $((last ^ 1)))" >>"$record"
    said=$("$OUT/address/replay" "$folder" 1 2>&1) || true
    if [[ $said != *DIFFERENT* ]]; then
        printf 'kernel-sanitize: a changed record is not told from the launch: %s\n%s\n' "$record" "$said" >&2
        return 1
    fi
    rm -r "$folder"
    echo "changed record: noticed"
}

# Repeats the recorded launches with both tools at once.
replay() {
    local tool pids=() status=0
    for tool in "${TOOLS[@]}"; do
        "$OUT/$tool/replay" "$1" "$RECORDS" >"$OUT/$tool/log" 2>&1 &
        pids+=($!)
    done
    for tool in "${TOOLS[@]}"; do
        wait "${pids[0]}" || status=1
        pids=("${pids[@]:1}")
        echo "--- $tool"
        cat "$OUT/$tool/log"
    done
    return $status
}

require address,undefined
require thread
for tool in "${TOOLS[@]}"; do
    make --no-print-directory -s -j "$(nproc)" -C math-cuda/lane TOOL="$tool" OUT="$OUT/$tool"
done
planted_bugs
[[ -n ${RECORDED:-} ]] || record
changed_record "${RECORDED:-$OUT/records}"
replay "${RECORDED:-$OUT/records}"
