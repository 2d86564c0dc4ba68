#!/bin/sh
# Builds the C library and installs it: header, static and shared library, pkg-config file, CMake package.
#
#     PREFIX=/usr/local ./install.sh
#
# PREFIX    where it will live                                        (/usr/local)
# LIBDIR    libraries, below PREFIX                                   (lib)
# DESTDIR   prepended to every path that is written, for packagers    (nothing)
# TARGET    a target of rustc, to build for another machine           (this one)
# NO_STD=1  no operating system: the static library alone, without threads, without std
# FEATURES  what that library can do beyond two views of a hundred samples     (large,many-views,reference)
#
# It needs cargo and a C toolchain, and no other tool: that is why it is a script and not cargo-c.
set -eu

root=$(cd "$(dirname "$0")" && pwd)
prefix=${PREFIX:-/usr/local}
libdir=${LIBDIR:-lib}
to=${DESTDIR:-}$prefix
cargo=${CARGO:-cargo}
target_dir=${CARGO_TARGET_DIR:-$root/target}/c
number() { sed -n "s/^#define CSTGL_$1 \([0-9]*\)\$/\1/p" "$root/include/cstgl.h"; }
version=$(number VERSION_MAJOR).$(number VERSION_MINOR).$(number VERSION_PATCH)
abi=$(number ABI)

# Nothing here panics, so nothing need unwind.
export CARGO_PROFILE_RELEASE_PANIC=abort
build() {
    "$cargo" rustc --quiet --release --lib --manifest-path "$root/Cargo.toml" --target-dir "$target_dir" \
        ${TARGET:+--target "$TARGET"} --no-default-features "$@"
}
if [ "${NO_STD:-}" ]; then
    shared=
    private=
    # Tables for unwinding would ask for a function that only std has.
    drop="-R .eh_frame --strip-unneeded"
    build --features "capi,panic-handler,${FEATURES-large,many-views,reference}" --crate-type staticlib
else
    shared=libcstgl.so.$abi
    drop=
    private="-lpthread -ldl -lm -lgcc_s"
    build --features std,capi,parallel --crate-type staticlib,cdylib -- -C link-arg="-Wl,-soname,$shared"
fi
built=$target_dir/${TARGET:+$TARGET/}release

mkdir -p "$to/include" "$to/$libdir/pkgconfig" "$to/$libdir/cmake/cstgl"
cp "$root/include/cstgl.h" "$root/include/cstgl.hpp" "$to/include/"

# A Rust archive holds all of Rust's library, with names for everyone to see and to collide with. One object with what
# we use of it, and only our own names, is what a C programmer expects.
archive=$to/$libdir/libcstgl.a
one_object() {
    command -v objcopy >/dev/null 2>&1 && command -v ld >/dev/null 2>&1 || return 1
    names=$(sed -n 's/.*[ *]\(cstgl_[a-z0-9_]*\)(.*/\1/p' "$root/include/cstgl.h" | sort -u | grep -v '^cstgl_config_init$')
    # shellcheck disable=SC2086 # names and options are words
    ld -r --gc-sections $(printf -- '-u %s ' $names) "$built/libcstgl.a" -o "$built/cstgl.o" 2>/dev/null &&
        objcopy -g -R .llvmbc -R .llvmcmd $drop --wildcard --keep-global-symbol='cstgl_*' "$built/cstgl.o" &&
        rm -f "$archive" && ar crs "$archive" "$built/cstgl.o"
}
if [ "${TARGET:-}" ] || ! one_object; then
    cp "$built/libcstgl.a" "$archive"
fi
if [ "$shared" ]; then
    cp "$built/libcstgl.so" "$to/$libdir/$shared"
    ln -sf "$shared" "$to/$libdir/libcstgl.so"
fi

cat >"$to/$libdir/pkgconfig/cstgl.pc" <<EOF
prefix=$prefix
libdir=\${prefix}/$libdir
includedir=\${prefix}/include

Name: cstgl
Description: Multi-view clustering by tensor-based graph learning
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -lcstgl
Libs.private: $private
EOF

cmake=$to/$libdir/cmake/cstgl
cat >"$cmake/cstglConfig.cmake" <<EOF
# cstgl::cstgl is the shared library, cstgl::static the static one.
get_filename_component(_cstgl_libdir "\${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
get_filename_component(_cstgl_prefix "\${_cstgl_libdir}/$(printf %s "$libdir" | sed 's,[^/][^/]*,..,g')" ABSOLUTE)
if(NOT TARGET cstgl::static)
  add_library(cstgl::static STATIC IMPORTED)
  set_target_properties(cstgl::static PROPERTIES
    IMPORTED_LOCATION "\${_cstgl_libdir}/libcstgl.a"
    INTERFACE_INCLUDE_DIRECTORIES "\${_cstgl_prefix}/include"
    INTERFACE_LINK_LIBRARIES "$(printf %s "$private" | tr ' ' ';')")
endif()
if(NOT TARGET cstgl::cstgl AND EXISTS "\${_cstgl_libdir}/libcstgl.so")
  add_library(cstgl::cstgl SHARED IMPORTED)
  set_target_properties(cstgl::cstgl PROPERTIES
    IMPORTED_LOCATION "\${_cstgl_libdir}/libcstgl.so"
    IMPORTED_SONAME "$shared"
    INTERFACE_INCLUDE_DIRECTORIES "\${_cstgl_prefix}/include")
endif()
EOF
cat >"$cmake/cstglConfigVersion.cmake" <<EOF
# Before 1.0 another minor version is another interface.
set(PACKAGE_VERSION "$version")
set(PACKAGE_VERSION_COMPATIBLE FALSE)
set(PACKAGE_VERSION_EXACT FALSE)
if("\${PACKAGE_FIND_VERSION_MAJOR}.\${PACKAGE_FIND_VERSION_MINOR}" VERSION_EQUAL "${version%.*}"
   AND NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
EOF
echo "cstgl $version is in $to"
