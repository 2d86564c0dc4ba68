#!/bin/sh
# Proves that the core needs neither std nor an allocator and that no kernel can panic.
#
#     tests/no_std.sh [TARGET_DIR]
#
# 1. The library built without features refers to nothing of std or alloc.
# 2. tests/no_panic, whose panic handler calls a function that exists nowhere, links from plain gcc without
#    link-time optimisation: so no probe reaches a panic. The canary, which may panic, must not link.
# 3. The linked program contains no trace of unwinding or allocation, and runs.
#
# On failure it prints the chain of calls from a probe to the panic.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
target=${1:-${CARGO_TARGET_DIR:-$root/target}}/no_std
cargo=${CARGO:-cargo}
probes=$root/tests/no_panic
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

demangle() {
    if command -v rustfilt >/dev/null 2>&1; then rustfilt; else c++filt; fi
}

# What the library's own objects ask others for.
undefined() {
    nm --undefined-only --no-sort "$1" 2>/dev/null | awk 'NF == 2 && $1 == "U" { print $2 }' | sort -u
}

# From every symbol that a section refers to, back to the sections that refer to it, until a probe.
chain() {
    objdump --reloc "$1" 2>/dev/null | awk '
        function plain(name) {
            sub(/[-+]0x[0-9a-f]+$/, "", name)
            sub(/^\.(text|rodata|data\.rel\.ro|data|bss)\.(unlikely\.|hot\.)?/, "", name)
            return name
        }
        /^RELOCATION RECORDS FOR/ { section = $4; gsub(/^\[|\]:$/, "", section); caller = plain(section); next }
        section ~ /^\.(text|data\.rel\.ro|rodata)/ && NF == 3 && $1 ~ /^[0-9a-f]+$/ {
            callee = plain($3)
            if (callee != caller && !((caller, callee) in seen)) {
                seen[caller, callee] = 1
                callers[callee] = callers[callee] " " caller
            }
        }
        END {
            count = 1; queue[1] = "cstgl_panic_is_reachable"; known[queue[1]] = 1
            for (k = 1; k <= count; k++) {
                split(callers[queue[k]], next_callers, " ")
                for (c in next_callers) {
                    name = next_callers[c]
                    if (name in known) continue
                    known[name] = 1; toward[name] = queue[k]; queue[++count] = name
                }
            }
            for (name in known) if (name ~ /^probe_/ && name != "probe_canary") {
                for (line = "  " name; name in toward; line = line "\n    -> " name) name = toward[name]
                print line
            }
        }' | demangle
}

link() {
    # shellcheck disable=SC2086 # the extra flags are words
    gcc ${2:-} -O2 -ffunction-sections -fno-lto -Wl,--gc-sections "$probes/main.c" "$archive" -o "$1"
}

echo "1. the library without features"
"$cargo" build --quiet --release --no-default-features --lib --manifest-path "$root/Cargo.toml" --target-dir "$target"
library=$target/release/libcstgl.rlib
[ -f "$library" ] || fail "no library at $library"
undefined "$library" | demangle >"$scratch/undefined"
if grep -E '^<?(std|alloc)::|__rust_(alloc|dealloc|realloc|no_alloc)|__rdl_|__rg_' "$scratch/undefined"; then
    fail "the library refers to std or to an allocator"
fi
echo "   refers to nothing of std or alloc ($(wc -l <"$scratch/undefined") undefined symbols looked at)"

echo "2. the probes"
# The same versions of the dependencies as the library itself; cargo drops the entries it does not need.
cp "$root/Cargo.lock" "$probes/Cargo.lock"
"$cargo" build --quiet --release --manifest-path "$probes/Cargo.toml" --target-dir "$target"
archive=$target/release/libno_panic.a
nm --defined-only "$archive" 2>/dev/null | awk '$2 == "T" && $3 ~ /^probe_/ { print $3 }' | sort >"$scratch/probes"
[ -s "$scratch/probes" ] || fail "no probes in $archive"
while read -r probe; do
    grep -q "$probe(" "$probes/main.c" || fail "$probe is never called in tests/no_panic/main.c"
done <"$scratch/probes"

if ! link "$scratch/program" 2>"$scratch/link"; then
    cat "$scratch/link" >&2
    echo "reachable:" >&2
    chain "$archive" >&2
    fail "a panic is reachable, or a symbol is missing"
fi
# A proof that cannot fail is none.
if link "$scratch/canary" -DCANARY 2>"$scratch/link"; then
    fail "the canary may panic and yet it links: the proof proves nothing"
fi
grep -q cstgl_panic_is_reachable "$scratch/link" || fail "the canary fails for another reason: $(cat "$scratch/link")"
echo "   $(($(wc -l <"$scratch/probes") - 1)) probes link without a panic, the canary does not"

echo "3. the program"
nm "$scratch/program" | awk '{ print $NF }' | sed 's/@.*//' >"$scratch/symbols"
if grep -E 'panic|unwind|rust_eh_personality|^__rust_|^__rdl_|^(malloc|calloc|realloc|free|memalign|posix_memalign|aligned_alloc)$' \
    "$scratch/symbols"; then
    fail "the program refers to the above"
fi
while read -r probe; do
    [ "$probe" = probe_canary ] || grep -qx "$probe" "$scratch/symbols" || fail "$probe is not in the program"
done <"$scratch/probes"
"$scratch/program" || fail "the program ended with status $?"
echo "   no unwinding, no allocator, and it runs"
