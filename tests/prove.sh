#!/usr/bin/env bash
# Proves what README and `cstgl::promises` promise, and prints a table: promise, test, count tried, failures.
#
#     tests/prove.sh            everything, about twenty minutes on two cores once `cargo test --features full` has run
#     tests/prove.sh --short    what CI runs on every change after `cargo test`, and what that does not: a few minutes
#
# It fails if anything fails or if a test tried nothing. Tools that are missing are installed where that is possible
# (nightly, miri, rust-src and llvm-tools by rustup; valgrind from Debian); where it is not, the row says UNAVAILABLE,
# loudly and at the end again. CSTGL_PROVE_ONLY=fuzz,soak runs some sections alone: core, c, soak, races, miri, fuzz,
# dependencies, coverage.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
short=
[ "${1:-}" = --short ] && short=1
[ $# -gt 1 ] || { [ $# = 1 ] && [ -z "$short" ]; } && { sed -n '2,10p' "$0"; exit 2; }

built=${CARGO_TARGET_DIR:-$root/target}
out=$built/prove
logs=$out/logs
mkdir -p "$logs"
rm -f "$logs"/*
host=$(rustc -vV | sed -n 's/^host: //p')
began=$SECONDS
export CSTGL_TALLY=1 # tests say how many buffers they have guarded
rows=$logs/rows unavailable=$logs/unavailable # files: two lanes write to them
: >"$rows" >"$unavailable"

# How much: full or short.
pick() { if [ "$short" ]; then echo "$2"; else echo "$1"; fi; }
wanted() {
    if [ "${CSTGL_PROVE_ONLY:-}" ]; then [[ ",$CSTGL_PROVE_ONLY," == *",$1,"* ]]; else
        [ -z "$short" ] || [[ ",c,miri,fuzz,dependencies," == *",$1,"* ]]
    fi
}
section() { printf '\n== %s (%d s)\n' "$1" $((SECONDS - began)); }

row() { # promise, test, tried, failures
    printf '%s|%s|%s|%s\n' "$@" >>"$rows"
    printf '   %s: %s tried, %s failed\n' "$2" "$3" "$4"
}

missing() { # tool, why
    printf '%s: %s\n' "$1" "$2" >>"$unavailable"
    printf '\n!! UNAVAILABLE: %s: %s\n\n' "$1" "$2"
}

# Runs a command into a log; on failure shows its end.
logged() { # log, command...
    local log=$logs/$1.log
    shift
    "$@" >"$log" 2>&1 && return 0
    local status=$?
    echo "   FAILED with status $status: $*" >&2
    tail -n 40 "$log" >&2
    return $status
}

# What a log says was tried: the sum of its "TRIED n" lines, or else the tests that passed.
# (The harness may have begun the line.)
tried() { grep "${2:-}" "$logs/$1.log" | grep -o 'TRIED [0-9]*' | awk '{ n += $2 } END { print n + 0 }'; }
passed() { awk '/^test result:/ { n += $4 } END { print n + 0 }' "$logs/$1.log"; }
count() { local n; n=$(tried "$1"); if [ "$n" = 0 ]; then passed "$1"; else echo "$n"; fi; }

prove() { # promise, name of the test, log, command...
    local promise=$1 name=$2 log=$3 failures=0
    shift 3
    logged "$log" "$@" || failures=1
    row "$promise" "$name" "$(count "$log")" "$failures"
}

tests() { cargo test --quiet --features full "$@" -- --nocapture; }

have() { command -v "$1" >/dev/null 2>&1; }
debian() { have "$1" || { have apt-get && apt-get install -y --no-install-recommends "$2" >"$logs/apt.log" 2>&1; }; }
nightly() {
    cargo +nightly --version >/dev/null 2>&1 ||
        timeout 300 rustup toolchain install nightly --profile minimal >"$logs/rustup_nightly.log" 2>&1
}
component() {
    nightly && {
        rustup component list --toolchain nightly --installed 2>/dev/null | grep -q "^$1" ||
            timeout 300 rustup component add --toolchain nightly "$1" >"$logs/rustup_$1.log" 2>&1
    }
}

# ---------------------------------------------------------------------------------------------------------------- core
prove_core() {
    section "the core: no panic, no allocation, nothing outside the buffer, a refused call changes nothing"
    failures=0
    logged no_std sh tests/no_std.sh "$out" || failures=1
    row "no panic, no std, no allocator" "tests/no_std.sh (probes linked)" \
        "$(sed -n 's/^ *\([0-9]*\) probes link.*/\1/p' "$logs/no_std.log")" $failures
    export CSTGL_CASES
    CSTGL_CASES=$(pick 1000 24)
    prove "no allocation" "tests/allocation.rs (kernel calls)" allocation tests --test allocation
    prove "a refused call changes nothing" "tests/refusals.rs (calls, every byte compared)" refusals tests --test refusals
    prove "same bits for any threads; cancelled, copied and resumed; a byte less is refused" "tests/session.rs (tests)" \
        session tests --test session
    prove "same bits on every machine" "tests/embedded.rs: recorded hashes (tests)" embedded tests --test embedded
    prove "memory within its stated budget" "tests/budget.rs (tests)" budget tests --test budget
    prove "the same labels however views arrive" "tests/streaming.rs (tests)" streaming tests --test streaming
    prove "degenerate data: a sensible answer" "tests/degenerate.rs (tests)" degenerate tests --test degenerate
    prove "extreme values: finite or a clear status" "tests/extremes.rs (runs)" extremes tests --test extremes
    prove "invariances; rows of A on the simplex; residuals as recomputed" "tests/properties.rs (cases)" \
        properties tests --test properties
    unset CSTGL_CASES
}

# -------------------------------------------------------------------------------------------------------------------- C
c_programs() {
    local prefix=$out/prefix sanitize="-fsanitize=address,undefined -fno-sanitize=alignment -fno-sanitize-recover=all"
    # Where tests/capi.rs has built the same, so that it is not built twice.
    local scratch=tmp/capi
    PREFIX=$prefix CARGO_TARGET_DIR=$built/$scratch/prefix_target \
        logged install sh install.sh || { row "C" "install.sh" 0 1; return; }
    local private
    private=$(sed -n 's/^Libs.private://p' "$prefix/lib/pkgconfig/cstgl.pc")
    compile() { # options, source, program
        # shellcheck disable=SC2086 # options are words
        gcc -std=c11 -D_GNU_SOURCE -g -Wall -Wextra -Werror $1 -I "$prefix/include" "$2" -o "$3" "$prefix/lib/libcstgl.a" $private
    }
    local sources=(tests/c/misuse.c "tests/c/misuse.c -DWIDE" tests/c/older.c c_examples/quickstart.c
        c_examples/sparse.c c_examples/static_buffer.c)
    local plain=0 calls=0 asan=0 memcheck=0 plain_bad=0 asan_bad=0 memcheck_bad=0 each options program
    for each in "${sources[@]}"; do
        options=${each#* } && [ "$options" = "$each" ] && options=
        program=$out/$(basename "${each%% *}" .c)$options
        if logged "cc" compile "$options" "${each%% *}" "$program" && logged "run" "$program"; then
            plain=$((plain + 1))
            calls=$((calls + $(sed -n 's/^\([0-9]*\) refused calls.*/\1/p' "$logs/run.log" | grep . || echo 0)))
        else plain_bad=$((plain_bad + 1)); fi
        if logged "cc" compile "$sanitize $options" "${each%% *}" "$program.asan" && logged "asan" "$program.asan"; then
            asan=$((asan + 1))
        else asan_bad=$((asan_bad + 1)); fi
        if debian valgrind valgrind; then
            if logged "memcheck" valgrind --quiet --error-exitcode=9 --leak-check=full "$program"; then
                memcheck=$((memcheck + 1))
            else memcheck_bad=$((memcheck_bad + 1)); fi
        fi
    done
    row "misuse of the C interface is refused and changes nothing" "tests/c/misuse.c (refused calls)" $calls $plain_bad
    row "no undefined behaviour" "C programs under ASan and UBSan" $asan $asan_bad
    if have valgrind; then
        row "no undefined behaviour" "C programs under valgrind memcheck" $memcheck $memcheck_bad
    else missing valgrind "neither installed nor to be had from Debian"; fi
    local failures=0
    { logged cc compile "-O2" tests/c/stack.c "$out/stack" && logged stack "$out/stack"; } || failures=1
    sed -n 's/^TRIED [0-9]* /   /p' "$logs/stack.log"
    row "bounded stack" "tests/c/stack.c (runs on a painted stack)" "$(tried stack)" $failures
}
prove_c() {
    section "C programs: misuse, sanitizers, memcheck, stack"
    c_programs
    [ "$short" ] || prove "the C interface is what it says" "tests/capi.rs (tests)" capi tests --test capi
}

# ----------------------------------------------------------------------------------------------------------------- soak
prove_soak() {
    section "concurrency and soak"
    failures=0
    CSTGL_SECONDS=$(pick 60 5) CSTGL_SOLVES=$(pick 10000 1000) logged soak tests --test soak || failures=1
    grep -o 'TRIED.*' "$logs/soak.log" | sed 's/^TRIED/  /'
    row "same bits on any thread" "tests/soak.rs: 64 handles on 8 threads, $(pick 60 5) s (runs)" "$(tried soak handles)" $failures
    row "a cancelled run goes on to the same bits" "tests/soak.rs (cancellations at random steps)" \
        "$(tried soak cancellations)" $failures
    row "constant memory" "tests/soak.rs (solves)" "$(tried soak solves)" $failures
}

# ---------------------------------------------------------------------------------------------------------------- races
prove_races() {
    section "ThreadSanitizer"
    # Without the standard library's own code instrumented it would see races where there are none.
    if component rust-src; then
        failures=0
        flags="-Zsanitizer=thread"
        CSTGL_HANDLES=32 CSTGL_ITERATIONS=8 CSTGL_SECONDS=0 CSTGL_SOLVES=50 TSAN_OPTIONS=halt_on_error=1 \
            RUSTFLAGS=$flags RUSTDOCFLAGS=$flags logged races cargo +nightly test --quiet -Zbuild-std --target "$host" \
            --target-dir "$out/races" --features capi,parallel --test soak -- --nocapture || failures=1
        row "no data race" "ThreadSanitizer: tests/soak.rs, std instrumented too (runs)" "$(tried races)" $failures
    else missing ThreadSanitizer "rust-src for the nightly toolchain cannot be had, and without it std is not instrumented"; fi
}

# ----------------------------------------------------------------------------------------------------------------- miri
prove_miri() {
    section "Miri"
    if component miri && component rust-src; then
        # The two places with unsafe code: their own tests (but those that go through all floats), and whole runs by the
        # C interface.
        in_miri() {
            MIRIFLAGS="-Zmiri-disable-isolation" timeout 1200 cargo +nightly miri test --target-dir "$out/miri" \
                --no-default-features --features capi,std "$@"
        }
        both() { in_miri --lib -- workspace:: capi:: --skip number && in_miri --test aliasing; }
        prove "no undefined behaviour" "Miri: src/workspace.rs, src/capi, tests/aliasing.rs (tests)" miri both
    else missing Miri "the component cannot be had for the nightly toolchain"; fi
}

# ----------------------------------------------------------------------------------------------------------------- fuzz
prove_fuzz() {
    section "fuzzing"
    targets=(capi config kernels session readers)
    # What cargo-fuzz would do, without having to install it.
    fuzz_build() {
        cp Cargo.lock tests/fuzz/Cargo.lock # the same versions; what the targets need beyond is added
        RUSTFLAGS="--cfg fuzzing -Zsanitizer=address -Cpasses=sancov-module -Ccodegen-units=1 \
            -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
            -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares \
            -Cllvm-args=-simplifycfg-branch-fold-threshold=0" \
            cargo +nightly build --quiet --release --manifest-path tests/fuzz/Cargo.toml --target "$host" \
            --target-dir "$out/fuzz" --bins
    }
    # One target: what is committed once more, then a search for more, starting from it.
    # A gate must judge the change and not the dice: in the short form the search is the same each time.
    fuzz() { # target, seconds
        [ -z "$short" ] || rm -rf "$out/corpus/$1" # what an earlier search found would make this one another
        local corpus=$out/corpus/$1 binary=$out/fuzz/$host/release/$1
        mkdir -p "$corpus" "$out/artifacts"
        local options=(-timeout=25 -rss_limit_mb=2048 -artifact_prefix="$out/artifacts/$1-" -print_final_stats=1)
        local search=(-seed="$(pick 0 1)" -runs="$(pick -1 10000)" -max_len=2048 -max_total_time="$2")
        "$binary" "${options[@]}" -runs=0 "tests/fuzz/seeds/$1" >"$logs/replay_$1.log" 2>&1 &&
            "$binary" "${options[@]}" "${search[@]}" "$corpus" "tests/fuzz/seeds/$1" >"$logs/fuzz_$1.log" 2>&1
        echo $? >"$logs/fuzz_$1.status"
    }
    if nightly && logged fuzz_build fuzz_build; then
        seconds=60
        for target in "${targets[@]}"; do
            while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
            fuzz "$target" "$seconds" &
        done
        wait
        for target in "${targets[@]}"; do
            failures=0
            if [ "$(cat "$logs/fuzz_$target.status")" != 0 ]; then
                failures=1
                tail -n 30 "$logs/replay_$target.log" "$logs/fuzz_$target.log" >&2
            fi
            seeds=$(find "tests/fuzz/seeds/$target" -type f | wc -l)
            row "any bytes: no panic, no byte outside, no hang" "fuzz target $target, $seeds seeds and $seconds s (inputs)" \
                "$(cat "$logs/replay_$target.log" "$logs/fuzz_$target.log" |
                    awk '/^stat::number_of_executed_units:/ { n += $2 } END { print n + 0 }')" $failures
        done
    else row "any bytes: no panic, no byte outside, no hang" "tests/fuzz (a nightly compiler builds it)" 0 1; fi
    [ "$short" ] || prove "any file: an error in words, never a panic" "src/bin/cstgl/hostile.rs (files)" hostile \
        tests --bin cstgl hostile
}

# --------------------------------------------------------------------------------------------------------- dependencies
prove_dependencies() {
    section "dependencies"
    logged tree cargo tree -e normal --no-default-features --prefix none
    core=$(sed -n 's/^\([a-z0-9_-]*\) v.*/\1/p' "$logs/tree.log" | sort -u | grep -vx cstgl | tr '\n' ' ')
    known="byteorder hash32 heapless libm num-complex num-traits stable_deref_trait "
    echo "   the core needs: $core"
    row "a core of few dependencies" "cargo tree -e normal --no-default-features (crates)" "$(wc -w <<<"$core")" \
        "$(for crate in $core; do [[ " $known" == *" $crate "* ]] || echo "$crate"; done | wc -l)"
    # Licences of everything that is compiled for any build or test of ours, on any machine.
    licences=$(cargo metadata --format-version 1 --all-features 2>/dev/null | python3 -c '
import json, re, sys
allowed = {"MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "Zlib", "Unlicense", "0BSD", "Unicode-3.0", "ISC", "BSL-1.0"}
tools = {"cbindgen"}  # writes a header for whoever changes src/capi; no part of it is in a program
def fine(licence):
    words = re.findall(r"[()]|[^\s()]+", licence.replace("/", " OR ").replace(" WITH ", "-WITH-"))
    known = {"OR": "or", "AND": "and", "(": "(", ")": ")"}
    return eval(" ".join(known.get(word) or str(word in allowed) for word in words))
packages = json.load(sys.stdin)["packages"]
bad = [p for p in packages if p["name"] not in tools and not fine(p["license"] or "none")]
print(len(packages), len(bad))
print("\n".join("%(name)s %(version)s: %(license)s" % p for p in bad), file=sys.stderr)' 2>"$logs/licences.log")
    row "licences that allow every use" "cargo metadata (packages, development included)" "${licences% *}" "${licences#* }"
    [ "${licences#* }" = 0 ] || cat "$logs/licences.log"
    if have cargo-deny && logged advisory_db cargo deny fetch db; then
        failures=0
        logged advisories cargo deny check advisories || failures=1
        row "no known advisory" "cargo deny check advisories (packages)" "${licences% *}" $failures
    else missing "advisories (cargo-deny)" "it is not here, or cannot fetch its database, which is a Git repository"; fi
}

# ------------------------------------------------------------------------------------------------------------- coverage
prove_coverage() {
    section "coverage"
    tools=$(rustc +nightly --print sysroot 2>/dev/null)/lib/rustlib/$host/bin
    if component llvm-tools && [ -x "$tools/llvm-cov" ]; then
        rm -rf "$out/profiles" && mkdir -p "$out/profiles"
        failures=0
        # All tests but those that drive other builds of the library, from which no profile comes, and the longest, which
        # run the same lines on more data (with session, extremes, soak and figures it takes ten minutes more).
        mapfile -t all < <(basename -s .rs tests/*.rs |
            grep -vxE 'allocation|capi|data|embedded|extremes|figures|no_std|session|soak')
        longest=(every_length_to_1024 long_lengths published_data the_papers_rows the_reference_profile_gives)
        CARGO_INCREMENTAL=0 CARGO_PROFILE_TEST_OPT_LEVEL=1 RUSTFLAGS="-C instrument-coverage" LLVM_PROFILE_FILE="$out/profiles/%p-%m.profraw" \
            CSTGL_CASES=8 CSTGL_SECONDS=0 CSTGL_SOLVES=50 logged coverage cargo +nightly test --target-dir "$out/coverage" \
            --features full --lib --bins "${all[@]/#/--test=}" -- "${longest[@]/#/--skip=}" || failures=1
        "$tools/llvm-profdata" merge -sparse "$out"/profiles/*.profraw -o "$out/coverage.profdata"
        # Every test binary, and the program that some of them run, is an object that may hold code of ours.
        mapfile -t objects < <(sed -n 's/.*Running .* (\(.*\))$/-object=\1/p' "$logs/coverage.log")
        "$tools/llvm-cov" report --instr-profile "$out/coverage.profdata" "${objects[@]}" \
            -object="$out/coverage/debug/cstgl" --ignore-filename-regex '(/tests/|\.cargo|rustlib|/rustc/)' \
            >"$logs/coverage_report.log" 2>"$logs/coverage_errors.log" || failures=1
        awk '/^TOTAL/ { printf "   lines %s covered, %s missed of %s\n", $10, $9, $8 }' "$logs/coverage_report.log"
        # The least covered.
        awk 'NF == 13 && $8 + 0 > 0 { sub(/%/, "", $10); if ($10 + 0 < 90) printf "   %6.2f%%  %s (%d lines missed)\n", $10, $1, $9 }' \
            "$logs/coverage_report.log" | grep -v TOTAL | sort -n
        row "code that the tests run" "llvm-cov ($(awk '/^TOTAL/ { print $10 }' "$logs/coverage_report.log") of lines; lines)" \
            "$(awk '/^TOTAL/ { print $8 - $9 }' "$logs/coverage_report.log")" $failures
    else missing "llvm-cov" "llvm-tools for the nightly toolchain cannot be had"; fi
}

# ---------------------------------------------------------------------------------------------------------------- lanes
# Much of the time goes by in builds that one core does, so two lanes go side by side, each with target directories of its
# own. What both would install is installed before.
lane() {
    local section
    for section; do if wanted "$section"; then "prove_$section"; fi; done
}
if wanted fuzz; then nightly; fi
if wanted races || wanted miri; then component rust-src; fi
if wanted miri; then component miri; fi
lane races miri dependencies coverage >"$logs/second_lane.out" 2>&1 &
second=$!
(lane core c soak fuzz) # in a shell of its own, which waits for its own jobs alone
wait $second
cat "$logs/second_lane.out"

# ---------------------------------------------------------------------------------------------------------------- table
guarded=$(cat "$logs"/*.log | grep -o 'GUARDED [0-9]*' | awk '{ n += $2 } END { print n + 0 }')
# (Two tests write there on purpose, around buffers of 40 bytes.)
outside=$(cat "$logs"/*.log | grep 'a byte outside of [0-9]* was written' | grep -vc 'outside of 40 was')
[ "$guarded" = 0 ] || row "no write outside the buffer" "red zones around the buffers of the tests (buffers)" "$guarded" "$outside"
printf '\n| promise | test | tried | failures |\n|---|---|---:|---:|\n'
sed 's/^/| /; s/|/ | /g; s/^ *|  */| /; s/$/ |/; s/  */ /g' "$rows" | tee "$logs/table.md"
sed 's/^/!! UNAVAILABLE: /' "$unavailable"
printf '\n%d s\n' $((SECONDS - began))
# Nothing failed, and nothing was tried in vain.
[ -s "$rows" ] && awk -F '|' '$4 != "0" || $3 + 0 <= 0 { bad = 1 } END { exit bad }' "$rows"
