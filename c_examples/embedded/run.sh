#!/bin/sh
# Builds the example for every small machine, runs it, and compares the bits of all results with the host's.
#
#     c_examples/embedded/run.sh
#
# It installs what is missing (apt-get, on Debian and its relatives), keeps everything else below the target directory,
# prints a table, and fails if anything does. LONG=1 adds what takes minutes: the large problem on RISC-V, the flash that
# each feature costs, and what microfft is worth.
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

# install PACKAGE COMMAND ...: the packages whose commands are not there.
install() {
    missing=
    while [ $# -gt 0 ]; do
        command -v "$2" >/dev/null 2>&1 || missing="$missing $1"
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
        libraries=$qemu/usr/lib/x86_64-linux-gnu:$qemu/lib/x86_64-linux-gnu
        LD_LIBRARY_PATH=$libraries timeout 900 "$qemu/usr/bin/qemu-system-$machine" -L "$qemu/usr/share/qemu" "$@"
    else
        timeout 900 "qemu-system-$machine" "$@"
    fi
}

install gcc-arm-none-eabi arm-none-eabi-gcc clang clang lld wasm-ld nodejs node
install_qemu

# ---- the library ---------------------------------------------------------------------------------------------------

# All that the library can do, and the least that a run of two views needs.
full=large,many-views,reference
export CARGO_PROFILE_RELEASE_PANIC=abort

# cross TARGET DIRECTORY ARGUMENTS...: cargo for a target, by rustup's compiler or Debian's.
cross() {
    target=$1 built=$2
    shift 2
    if rustup target list --installed 2>/dev/null | grep -qx "$target"; then
        "${CARGO:-cargo}" "$@" --quiet --release --target "$target" --target-dir "$built" >>"$log" 2>&1
    else
        install rustc-web "$(debian rustc-web rustc)" cargo-web "$(debian cargo-web cargo)" \
            rust-web-src "$(dpkg -L rust-web-src 2>/dev/null | grep -q . && echo sh || echo /missing)"
        RUSTC=$(debian rustc-web rustc) RUSTC_BOOTSTRAP=1 "$(debian cargo-web cargo)" "$@" --quiet --release \
            --target "$target" --target-dir "$built" -Zbuild-std=core >>"$log" 2>&1
    fi || fail "building for $target"
}

# library TARGET FEATURES OPT-LEVEL NAME: libcstgl.a without std becomes lib/NAME.a.
library() {
    export CARGO_PROFILE_RELEASE_OPT_LEVEL="$3"
    cross "$1" "$work/cross-$3" rustc --lib --crate-type staticlib --manifest-path "$root/Cargo.toml" \
        --no-default-features --features "capi,panic-handler${2:+,$2}"
    cp "$work/cross-$3/$1/release/libcstgl.a" "$work/lib/$4.a"
}

rust_firmware() {
    cp "$root/Cargo.lock" "$here/rust/Cargo.lock"
    export RUSTFLAGS="-C linker=arm-none-eabi-ld -C link-arg=-L$here -C link-arg=-Tnetduinoplus2.ld"
    cross $thumb "$work/cross-s" build --manifest-path "$here/rust/Cargo.toml"
    unset RUSTFLAGS
    cp "$work/cross-s/$thumb/release/firmware" "$work/bin/rust"
}

# Where a Debian package has its program; cargo-web has a script of that name as well.
debian() { { dpkg -L "$1" 2>/dev/null || echo "/usr/bin/$2"; } | grep "/bin/$2\$" | head -n 1; }

# With an operating system, its threads and its widest registers, or without.
host_library() {
    CARGO_PROFILE_RELEASE_OPT_LEVEL=3 "${CARGO:-cargo}" rustc --quiet --release --lib --crate-type staticlib \
        --manifest-path "$root/Cargo.toml" --target-dir "$work/$2" --no-default-features --features "$1" >>"$log" 2>&1 ||
        fail "building for the host"
    cp "$work/$2/release/libcstgl.a" "$work/lib/$2.a"
}

# ---- programs ------------------------------------------------------------------------------------------------------

flags="-std=c11 -O2 -Wall -Wextra -Werror -ffunction-sections -I$root/include -DSCORES"
freestanding="-ffreestanding -nostdlib"
cortex_m4="-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"
cortex_m7="-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"
problem() { echo "-DSAMPLES=$1 -DVIEWS=$2 -DCLUSTERS=$3"; }

# shellcheck disable=SC2086 # flags are words, here and below
cortex_m() { # CPU SCRIPT LIBRARY PROGRAM FLAGS
    arm-none-eabi-gcc $1 $flags $5 $freestanding -nostartfiles \
        -fno-lto -L"$here" -T"$here/$2" -Wl,--gc-sections,-z,noexecstack,--no-warn-rwx-segments \
        "$here/example.c" "$here/cortex_m.c" "$work/lib/$3.a" -o "$work/bin/$4" >>"$log" 2>&1 || fail "linking $4"
}

# What any firmware links: configuration, views, steps, labels.
# shellcheck disable=SC2086
pipeline() { # LIBRARY
    arm-none-eabi-gcc $cortex_m4 $flags -DFREESTANDING $freestanding -nostartfiles -fno-lto -L"$here" -T"$here/mps2.ld" \
        -Wl,--gc-sections,-z,noexecstack,--no-warn-rwx-segments,-e,cluster_sensors,-u,cluster_sensors \
        "$root/c_examples/static_buffer.c" "$work/lib/$1.a" -o "$work/bin/pipeline" >>"$log" 2>&1 || fail "linking pipeline"
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

# shellcheck disable=SC2086
host() { # LIBRARY PROGRAM FLAGS
    cc $flags $3 -Wl,--gc-sections "$here/example.c" "$here/host.c" "$work/lib/$1.a" -lpthread -ldl -lm -o "$work/bin/$2" >>"$log" 2>&1 ||
        fail "linking $2"
}

bytes() { # SECTION PROGRAM
    arm-none-eabi-size -A "$work/bin/$2" | awk -v section="$1" '$1 == section { print $2; found = 1 } END { if (!found) print 0 }'
}

value() { sed -n "s/^$1 //p" "$work/out/$2"; }

row() { printf '%-34s %6s %4s %3s %10s %9s %7s %13s %6s\n' "$@"; }

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

# ---- what must hold of the code that every firmware has (scores are made of doubles, and are no part of it) ------------

inspect() { # PROGRAM
    text=$(bytes .text "$1")
    [ "$text" -le 65536 ] || fail "$1: $text bytes of text"
    [ "$(bytes .data "$1")" = 0 ] || fail "$1 has .data"
    arm-none-eabi-nm "$work/bin/$1" | awk '{ print $NF }' >"$work/out/symbols"
    if grep -E '__aeabi_[a-z0-9]*d|__[a-z0-9]*df[a-z0-9]*$' "$work/out/symbols" | grep -vE '__aeabi_(u?i|u?l)div|__aeabi_(u?idivmod|u?ldivmod|idiv0|ldiv0)'; then
        fail "$1 computes with doubles"
    fi
    if grep -E 'panic|unwind|rust_eh_personality|__rust_|__rdl_|^(malloc|calloc|realloc|free|memalign)$' "$work/out/symbols"; then
        fail "$1 can panic or allocate"
    fi
}

# ---- all of it -------------------------------------------------------------------------------------------------------

thumb=thumbv7em-none-eabihf
small=$(problem 40 2 3)
large=$(problem 128 3 4)

host_library std,capi,parallel host-std
host_library "capi,panic-handler,$full" host-no-std
library $thumb "" s thumb-small
library $thumb $full s thumb-full
library riscv32imac-unknown-none-elf $full s riscv-full
library wasm32-unknown-unknown $full s wasm-full

row machine n m k flash workspace stack "instr/step" bits
for threads in 1 2; do
    for library in host-std host-no-std; do
        host $library $library-40 "$small -DTHREADS=$threads"
        run $library $library-40 "$work/bin/$library-40"
        report "$library, $threads threads" $library-40 hash_40.txt - 40 2 3
        host $library $library-128 "$large -DTHREADS=$threads"
        run $library $library-128 "$work/bin/$library-128"
        report "$library, $threads threads" $library-128 hash_128.txt - 128 3 4
    done
done

pipeline thumb-small
inspect pipeline
echo "the pipeline alone: $(bytes .text pipeline) bytes of text, no .data, no doubles, no panic, no allocator"

cortex_m "$cortex_m4" netduinoplus2.ld thumb-small c-40 "$small"
board netduinoplus2 c-40 hash_40.txt 40 2 3
# The most that fits beside a stack of 4 KiB, without room for a tensor's slice to be read into.
cortex_m "$cortex_m4" netduinoplus2.ld thumb-small c-41 "$(problem 41 2 3) -DLABELS_ONLY -USCORES"
board netduinoplus2 c-41 "" 41 2 3
rust_firmware
run "Rust firmware" rust emulate arm -M netduinoplus2 -semihosting -nographic -kernel "$work/bin/rust"
grep labels "$root/tests/fixtures/hash_40.txt" | diff - "$work/out/rust" >>"$log" 2>&1 || fail "the Rust firmware: other labels"
row "netduinoplus2, Rust alone" 40 2 3 "$(bytes .text rust)" "$(bytes .bss rust)" - - same

cortex_m "$cortex_m4" mps2.ld thumb-full an386 "$large"
board mps2-an386 an386 hash_128.txt 128 3 4
cortex_m "$cortex_m7" mps2.ld thumb-full an500 "$large"
board mps2-an500 an500 hash_128.txt 128 3 4

# Floats are made of integers there, so the large problem takes minutes.
riscv_run() { # n m k
    riscv riscv-full "riscv-$1" "$(problem "$1" "$2" "$3")"
    run riscv32 "riscv-$1" emulate riscv32 -M virt -bios none -nographic -icount shift=0 -kernel "$work/bin/riscv-$1"
    report riscv32imac "riscv-$1" "hash_$1.txt" - "$1" "$2" "$3"
}
riscv_run 40 2 3

wasm_run() { # n m k
    wasm wasm-full "wasm-$1" "$(problem "$1" "$2" "$3")"
    run wasm32 "wasm-$1" node "$here/wasm.mjs" "$work/bin/wasm-$1"
    report wasm32 "wasm-$1" "hash_$1.txt" - "$1" "$2" "$3"
}
wasm_run 40 2 3
wasm_run 128 3 4

[ "${LONG:-}" ] || exit 0
riscv_run 128 3 4

echo
echo "flash of the pipeline by feature and optimisation"
for level in s 3; do
    for features in "" large many-views reference $full "$full,microfft"; do
        library $thumb "$features" $level thumb-flash
        pipeline thumb-flash
        printf 'opt-level %s %-45s %7s\n' $level "${features:-(none)}" "$(bytes .text pipeline)"
    done
done

echo
echo "the reference profile on mps2-an386, with and without microfft: instructions a step"
for features in $full "$full,microfft"; do
    library $thumb "$features" s thumb-fft
    for n in 64 128; do
        cortex_m "$cortex_m4" mps2.ld thumb-fft fft "$(problem $n 2 3) -DREFERENCE -USCORES -Wl,--defsym=STACK=8192"
        run fft fft emulate arm -M mps2-an386 -semihosting -nographic -icount shift=0 -kernel "$work/bin/fft"
        printf '%-45s n = %-4s %10s, stack %s\n' "$features" $n "$(value instructions_step_mean fft)" "$(value stack fft)"
    done
done
