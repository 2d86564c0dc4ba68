"""The quickstart from Python, through ctypes: no package, no compiler, just the shared library.

    python3 ctypes_quickstart.py [/path/to/libcstgl.so]
"""

import ctypes as c
import sys

lib = c.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libcstgl.so.1")
ABI, BY_SAMPLE = 1, 1


class Config(c.Structure):
    """cstgl_config of cstgl.h, field by field."""

    _fields_ = (
        [(name, c.c_uint32) for name in ("struct_size", "abi")]
        + [(name, c.c_uint64) for name in ("samples", "views", "clusters", "max_clusters")]
        + [(name, c.c_uint32) for name in ("distance", "unit_length", "graph", "self_loops")]
        + [("neighbours", c.c_uint64)]
        + [(name, c.c_double) for name in ("weight", "alpha", "beta", "gamma", "rho", "mu", "tolerance")]
        + [("iterations", c.c_uint64)]
        + [(name, c.c_uint32) for name in ("axis", "noise", "threshold", "affinity", "spectral", "rank")]
        + [(name, c.c_uint64) for name in ("rank_limit", "restarts", "seed", "threads")]
    )


class Layout(c.Structure):
    _fields_ = [("bytes", c.c_size_t), ("align", c.c_size_t)]


class Error(c.Structure):
    _fields_ = (
        [("status", c.c_int32), ("reserved", c.c_uint32)]
        + [(name, c.c_uint64) for name in ("view", "feature", "sample", "index", "needed", "given")]
        + [("message", c.c_char * 128)]
    )


def call(name, *arguments):
    """Any function whose last argument is the error."""
    error = Error()
    if getattr(lib, name)(*arguments, c.byref(error)) != 0:
        raise RuntimeError(f"{name}: {error.message.decode()}")


def cluster(views, clusters):
    """Labels of the samples; a view is a list of rows, and a row is a sample."""
    samples = len(views[0])
    config, layout, run = Config(), Layout(), c.c_void_p()
    if lib.cstgl_config_init_sized(c.byref(config), c.c_size_t(c.sizeof(config)), ABI) != 0:
        raise RuntimeError("this file was written for another version of the library")
    config.samples, config.views, config.clusters = samples, len(views), clusters
    call("cstgl_layout_f32", c.byref(config), c.byref(layout))
    memory = (c.c_uint64 * (layout.bytes // 8 + 1))()
    call("cstgl_init_f32", memory, c.c_size_t(layout.bytes), c.byref(config), c.byref(run))
    for number, rows in enumerate(views):
        features = len(rows[0])
        block = (c.c_float * (samples * features))(*(x for row in rows for x in row))
        shape = [c.c_size_t(features), c.c_size_t(samples), c.c_uint32(BY_SAMPLE)]
        call("cstgl_push_f32", run, c.c_size_t(number), block, *shape)
    call("cstgl_run_f32", run, None, None, None)
    labels = (c.c_uint32 * samples)()
    call("cstgl_labels_f32", run, labels, c.c_size_t(samples))
    return list(labels)


def feature(view, f, i):
    own = 1.0 if f % 3 == (i + view) % 3 else 0.0
    return own + ((i * 7 + f * 13 + view * 29 + i * f) % 11) / 22.0


DATA = [[[feature(v, f, i) for f in range(d)] for i in range(12)] for v, d in enumerate((6, 9))]
print(*cluster(DATA, 3))
