#!/bin/sh
# Builds the example for every small machine, runs it, and compares the bits of all results with those of the host, which
# tests/fixtures/hash_*.txt hold (and tests/embedded.rs).
#
#     c_examples/embedded/run.sh
#
# It installs what is missing (apt-get, on Debian and its relatives), keeps everything else below the target directory,
# prints a table, and fails if anything does. LONG=1 adds the tables of README.md: what a run needs, instructions by
# size, flash by feature, and what microfft is worth.
#
# The library comes from rustup's targets where those are installed, and otherwise from Debian's compiler, which has the
# source of `core` beside it (rustc-web, rust-web-src).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=${CARGO_TARGET_DIR:-$root/target}/embedded
log=$work/log
mkdir -p "$work/lib" "$work/bin" "$work/out"
: >"$log"

fail() {
    echo "FAILED: $*" >&2
    [ ! -s "$log" ] || tail -n 20 "$log" >&2
    exit 1
}

# ---- tools -------------------------------------------------------------------------------------------------------

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

updated=
update() {
    [ "$updated" ] || as_root apt-get update -qq >>"$log" 2>&1 || fail "apt-get update"
    updated=1
}

# install PACKAGE COMMAND ...: the packages whose commands are not there; a dash asks for the package itself.
install() {
    missing=
    while [ $# -gt 0 ]; do
        if [ "$2" = - ]; then dpkg -s "$1"; else command -v "$2"; fi >/dev/null 2>&1 || missing="$missing $1"
        shift 2
    done
    [ "$missing" ] || return 0
    update
    # shellcheck disable=SC2086 # a list of words
    DEBIAN_FRONTEND=noninteractive as_root apt-get install -qq -y --no-install-recommends $missing >>"$log" 2>&1 ||
        fail "apt-get install$missing"
}

# QEMU is unpacked and not installed: it would remove a newer qemu-utils.
qemu=$work/qemu
install_qemu() {
    command -v qemu-system-arm >/dev/null 2>&1 && command -v qemu-system-riscv32 >/dev/null 2>&1 && return 0
    [ ! -f "$qemu/complete" ] || return 0
    update
    mkdir -p "$qemu/debs"
    (
        cd "$qemu/debs"
        packages=$(apt-get install --no-install-recommends -s qemu-system-arm qemu-system-misc | awk '/^Inst/ { print $2 }')
        # shellcheck disable=SC2086 # a list of words
        apt-get download -qq $packages
        for package in *.deb; do dpkg-deb -x "$package" "$qemu"; done
    ) >>"$log" 2>&1 || fail "unpacking QEMU"
    rm -rf "$qemu/debs"
    touch "$qemu/complete"
}

emulate() {
    machine=$1
    shift
    if [ -f "$qemu/complete" ]; then
        libraries=$(echo "$qemu"/usr/lib/*-linux-gnu | tr ' ' :):$(echo "$qemu"/lib/*-linux-gnu | tr ' ' :)
        LD_LIBRARY_PATH=$libraries timeout 900 "$qemu/usr/bin/qemu-system-$machine" -L "$qemu/usr/share/qemu" "$@"
    else
        timeout 900 "qemu-system-$machine" "$@"
    fi
}

install gcc cc libc6-dev - gcc-arm-none-eabi arm-none-eabi-gcc clang clang lld wasm-ld nodejs node
install_qemu

# ---- the library ---------------------------------------------------------------------------------------------------

export CARGO_PROFILE_RELEASE_PANIC=abort

# Where a Debian package has its program; cargo-web has a script of that name as well.
debian() { dpkg -L "$1" | grep "/bin/$2\$" | head -n 1; }

# cross TARGET LEVEL VERB ARGUMENTS...: cargo for a target, by rustup's compiler or Debian's.
cross() {
    target=$1 level=$2 verb=$3
    shift 3
    set -- "$verb" --quiet --release --target "$target" --target-dir "$work/cross-$level" "$@"
    export CARGO_PROFILE_RELEASE_OPT_LEVEL="$level"
    if rustup target list --installed 2>/dev/null | grep -qx "$target"; then
        "${CARGO:-cargo}" "$@" >>"$log" 2>&1
    else
        install rustc-web - cargo-web - rust-web-src -
        RUSTC=$(debian rustc-web rustc) RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=core \
            "$(debian cargo-web cargo)" "$@" >>"$log" 2>&1
    fi || fail "building for $target"
}

# library TARGET FEATURES LEVEL NAME: libcstgl.a without std becomes lib/NAME.a.
library() {
    case $2 in *microfft*) microfft=1 ;; *) microfft= ;; esac
    cross "$1" "$3" rustc --lib --crate-type staticlib --manifest-path "$root/Cargo.toml" \
        --no-default-features --features "capi,panic-handler${2:+,$2}"
    cp "$work/cross-$3/$1/release/libcstgl.a" "$work/lib/$4.a"
}

rust_firmware() {
    cp "$root/Cargo.lock" "$here/rust/Cargo.lock"
    cross $thumb s rustc --manifest-path "$here/rust/Cargo.toml" -- \
        -C linker=arm-none-eabi-ld -C link-arg=-L"$here" -C link-arg=-Tnetduinoplus2.ld
    cp "$work/cross-s/$thumb/release/firmware" "$work/bin/rust"
}

# ---- programs ------------------------------------------------------------------------------------------------------

flags="-std=c11 -O2 -Wall -Wextra -Werror -ffunction-sections -I$root/include"
freestanding="-ffreestanding -nostdlib"
cortex_m4="-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"
cortex_m7="-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"
problem() { echo "-DSAMPLES=$1 -DVIEWS=$2 -DCLUSTERS=$3"; }

# What the sensors read, as a constant: table FLAGS.
# shellcheck disable=SC2086 # flags are words, here and below
table() {
    cc $1 "$here/table.c" -o "$work/bin/table" >>"$log" 2>&1 && "$work/bin/table" >"$work/out/table.h" || fail "the table"
}

# shellcheck disable=SC2086
cortex_m() { # CPU SCRIPT LIBRARY PROGRAM FLAGS [SOURCE]
    arm-none-eabi-gcc $1 $flags $5 $freestanding -nostartfiles \
        -fno-lto -L"$here" -T"$here/$2" -Wl,--gc-sections,-z,noexecstack,--no-warn-rwx-segments \
        "$here/${6:-example}.c" "$here/cortex_m.c" "$work/lib/$3.a" -o "$work/bin/$4" >>"$log" 2>&1 || fail "linking $4"
    inspect "$4"
}

# What any firmware links: configuration, views, steps, labels.
# shellcheck disable=SC2086
pipeline() { # LIBRARY
    arm-none-eabi-gcc $cortex_m4 $flags -DFREESTANDING $freestanding -nostartfiles -fno-lto -L"$here" -T"$here/mps2.ld" \
        -Wl,--gc-sections,-z,noexecstack,--no-warn-rwx-segments,-e,cluster_sensors,-u,cluster_sensors \
        "$root/c_examples/static_buffer.c" "$work/lib/$1.a" -o "$work/bin/pipeline" >>"$log" 2>&1 || fail "linking pipeline"
    inspect pipeline
}

# shellcheck disable=SC2086
riscv() { # LIBRARY PROGRAM FLAGS
    clang --target=riscv32-unknown-elf -march=rv32imac -mabi=ilp32 -mno-relax $flags $3 $freestanding -fuse-ld=lld \
        -T"$here/riscv.ld" -Wl,--gc-sections "$here/example.c" "$here/riscv.c" "$work/lib/$1.a" -o "$work/bin/$2" \
        >>"$log" 2>&1 || fail "linking $2"
}

# shellcheck disable=SC2086
wasm() { # LIBRARY PROGRAM FLAGS
    clang --target=wasm32-unknown-unknown $flags $3 $freestanding -Wl,--no-entry,--gc-sections \
        "$here/example.c" "$here/wasm.c" "$work/lib/$1.a" -o "$work/bin/$2" >>"$log" 2>&1 || fail "linking $2"
}

# ---- what must hold of them ------------------------------------------------------------------------------------------

bytes() { # SECTION PROGRAM
    arm-none-eabi-size -A "$work/bin/$2" | awk -v section="$1" '$1 == section { print $2; found = 1 } END { if (!found) print 0 }'
}

symbols() { arm-none-eabi-nm "$work/bin/$1" | awk '{ print $NF }'; }

# Nothing to copy at the start, no way to panic, no allocator. The promise is about our code, and microfft brings its own
# bounds checks.
inspect() { # PROGRAM
    [ "$(bytes .data "$1")" = 0 ] || fail "$1 has .data"
    symbols "$1" >"$work/out/symbols"
    [ -s "$work/out/symbols" ] || fail "$1 has no symbols to look at"
    [ -z "$microfft" ] || return 0
    if grep -E 'panic|unwind|rust_eh_personality|__rust_|__rdl_|^_?(malloc|calloc|realloc|free|memalign|sbrk)$' "$work/out/symbols"; then
        fail "$1 can panic or allocate"
    fi
}

# Arithmetic of doubles: calls of the ARM run-time ABI, or the compiler's own names for them.
doubles() { symbols "$1" | grep -E '^__aeabi_(c?d[a-z0-9]+|[a-z0-9]+2d)$|^__[a-z]+df[a-z0-9]*$'; }

# ---- running ---------------------------------------------------------------------------------------------------------

value() { sed -n "s/^$1 //p" "$work/out/$2"; }

row() { printf '%-28s %4s %3s %3s %8s %9s %6s %11s %5s\n' "$@"; }

# report NAME PROGRAM HASHES FLASH n m k: what the program has printed, beside the host's hashes.
report() {
    [ -z "$3" ] || {
        grep '^hash' "$work/out/$2" >"$work/out/hash" || :
        diff "$work/out/hash" "$root/tests/fixtures/$3" >>"$log" 2>&1 || fail "$1: other bits than tests/fixtures/$3"
    }
    row "$1" "$5" "$6" "$7" "$4" "$(value workspace "$2")" "$(value stack "$2")" "$(value instructions_step_mean "$2")" \
        "${3:+same}"
}

# run NAME PROGRAM COMMAND...
run() {
    name=$1 program=$2
    shift 2
    "$@" >"$work/out/$program" 2>&1 </dev/null || {
        status=$?
        cat "$work/out/$program" >&2
        fail "$name ended with status $status"
    }
}

board() { # MACHINE PROGRAM HASHES n m k
    run "$1" "$2" emulate arm -M "$1" -semihosting -nographic -icount shift=0 -kernel "$work/bin/$2"
    report "$1" "$2" "$3" "$(bytes .text "$2")" "$4" "$5" "$6"
}

riscv_run() { # LIBRARY n m k
    riscv "$1" "riscv-$2" "$(problem "$2" "$3" "$4") -DSCORES"
    run riscv32 "riscv-$2" emulate riscv32 -M virt -bios none -nographic -icount shift=0 -kernel "$work/bin/riscv-$2"
    report riscv32imac "riscv-$2" "hash_$2.txt" - "$2" "$3" "$4"
}

wasm_run() { # LIBRARY n m k
    wasm "$1" "wasm-$2" "$(problem "$2" "$3" "$4") -DSCORES"
    run wasm32 "wasm-$2" node "$here/wasm.mjs" "$work/bin/wasm-$2"
    report wasm32 "wasm-$2" "hash_$2.txt" - "$2" "$3" "$4"
}

# ---- all of it -------------------------------------------------------------------------------------------------------

thumb=thumbv7em-none-eabihf
riscv32=riscv32imac-unknown-none-elf
wasm32=wasm32-unknown-unknown
# The least that a run of two views needs; any number of samples and views; and the reference profile as well.
small=
any=large,many-views
all=$any,reference

library $thumb "$small" s thumb-small
pipeline thumb-small
text=$(bytes .text pipeline)
[ "$text" -le 65536 ] || fail "the pipeline has $text bytes of text"
if doubles pipeline; then fail "the pipeline computes with doubles"; fi
echo "the pipeline alone: $text bytes of text, no .data, no doubles, no panic, no allocator"

row machine n m k flash workspace stack "instr/step" bits
table "$(problem 40 2 3)"
cortex_m "$cortex_m4" netduinoplus2.ld thumb-small c-40 "$(problem 40 2 3) -DSCORES -DTABLE -include $work/out/table.h"
# Scores are made of doubles, and are no part of the pipeline: a search that does not find them here would prove nothing.
doubles c-40 >/dev/null || fail "the search for doubles finds none where there are some"
board netduinoplus2 c-40 hash_40.txt 40 2 3
# The most that fits beside a stack of 4 KiB, without room for a tensor's slice to be read into.
cortex_m "$cortex_m4" netduinoplus2.ld thumb-small c-41 "$(problem 41 2 3) -DLABELS_ONLY"
board netduinoplus2 c-41 "" 41 2 3
rust_firmware
inspect rust
run "Rust firmware" rust emulate arm -M netduinoplus2 -semihosting -nographic -kernel "$work/bin/rust"
grep labels "$root/tests/fixtures/hash_40.txt" | diff - "$work/out/rust" >>"$log" 2>&1 || fail "the Rust firmware: other labels"
row "netduinoplus2, Rust alone" 40 2 3 "$(bytes .text rust)" "$(bytes .bss rust)" - - same

library $thumb $all s thumb-all
cortex_m "$cortex_m4" mps2.ld thumb-all an386 "$(problem 128 3 4) -DSCORES"
board mps2-an386 an386 hash_128.txt 128 3 4
cortex_m "$cortex_m7" mps2.ld thumb-all an500 "$(problem 128 3 4) -DSCORES"
board mps2-an500 an500 hash_128.txt 128 3 4

library $riscv32 "$small" s riscv-small
riscv_run riscv-small 40 2 3

library $wasm32 $any s wasm-any
wasm_run wasm-any 40 2 3
wasm_run wasm-any 128 3 4

[ "${LONG:-}" ] || exit 0

# Floats are made of integers there.
library $riscv32 $any s riscv-any
riscv_run riscv-any 128 3 4

echo
echo "a run on a machine of 32 bits"
cortex_m "$cortex_m4" mps2.ld thumb-all sizes "" sizes
run sizes sizes emulate arm -M mps2-an386 -semihosting -nographic -kernel "$work/bin/sizes"
cat "$work/out/sizes"

echo
echo "Cortex-M4, default profile, k = 3: instructions of all readings, of a step (mean, most), of the labels; stack"
for m in 2 3; do
    for n in 24 40 64 96 128; do
        cortex_m "$cortex_m4" mps2.ld thumb-all by-size "$(problem $n $m 3)"
        run by-size by-size emulate arm -M mps2-an386 -semihosting -nographic -icount shift=0 -kernel "$work/bin/by-size"
        printf 'n = %-4s m = %s' $n $m
        for what in instructions_push instructions_step_mean instructions_step_most instructions_labels stack; do
            printf ' %11s' "$(value $what by-size)"
        done
        echo
    done
done

echo
echo "bytes of text of the pipeline by feature and optimisation"
for level in s 3; do
    for features in "" many-views large reference $any $all $all,microfft; do
        library $thumb "$features" $level thumb-flash
        pipeline thumb-flash
        printf 'opt-level %s  %-40s %7s\n' $level "${features:-(none)}" "$(bytes .text pipeline)"
    done
done

echo
echo "the reference profile on Cortex-M4, m = 2, with and without microfft: workspace, instructions a step, stack"
for features in $all $all,microfft; do
    library $thumb $features s thumb-fft
    for n in 64 128 256; do
        cortex_m "$cortex_m4" mps2.ld thumb-fft fft "$(problem $n 2 3) -DREFERENCE -DLABELS_ONLY -Wl,--defsym=STACK=16384"
        run fft fft emulate arm -M mps2-an386 -semihosting -nographic -icount shift=0 -kernel "$work/bin/fft"
        printf '%-40s n = %-4s %9s %11s %6s\n' $features $n "$(value workspace fft)" "$(value instructions_step_mean fft)" \
            "$(value stack fft)"
    done
done
