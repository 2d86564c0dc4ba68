//! What we promise, and the test that holds each promise.
//!
//! `tests/prove.sh` runs all of them and prints how much each has tried; CI runs those that are tests of cargo, and
//! `tests/prove.sh --short`, on every change. There is no code in this module.
//!
//! | promise | what it means | held by |
//! |---|---|---|
//! | No panic | No argument and no data make the core or a C function panic: a program whose panic handler does not exist links. | `tests/no_std.sh` |
//! | No allocation | The core asks no allocator, at any time. (Threads, feature `parallel`, are the operating system's.) | `tests/no_std.sh`, `tests/allocation.rs` |
//! | Nothing outside the buffer | A run stays within the bytes that its layout states. A byte less is refused. | red zones around every buffer of every test (`tests/guarded`), canaries in `tests/c/misuse.c`; exact memory under AddressSanitizer in `tests/fuzz` |
//! | No undefined behaviour | For any bytes behind valid pointers: data, configurations of any size, damaged runs, files. | `tests/fuzz`, Miri on the two modules with unsafe code, C programs under ASan, UBSan and valgrind |
//! | A refused call changes nothing | Neither the run nor a result; so it can be made again, better. | `tests/refusals.rs`, `tests/c/misuse.c`, `tests/fuzz/targets/capi.rs` |
//! | Numbers, or a clear status | Whatever the scale of the data: no NaN in a label, an affinity or a score. | `tests/extremes.rs`, `tests/degenerate.rs`, `tests/fuzz` |
//! | Bounded stack | Below 16 KiB for any number of samples: what grows is in the caller's buffer. | `tests/c/stack.c`, on a painted stack |
//! | Bounded time in a step | Every inner iteration has a limit; beyond it comes [`NotConverged`](crate::Error::NotConverged). | time limits in `tests/fuzz` |
//! | What was in the buffer does not matter | It may be NaN throughout before a call, and is in the tests. | `tests/guarded`, `tests/fuzz` |
//! | Same bits everywhere | Whatever the number of threads and the machine, and wherever a run is cancelled, copied and resumed. | `tests/session.rs`, `tests/streaming.rs`, `tests/soak.rs`, `tests/embedded.rs` |
//! | One thread at a time for a run | Runs are independent: there is no global state and no data race. | `tests/soak.rs`, also under ThreadSanitizer |
//! | Constant memory | Ten thousand runs leave the process as large as one. | `tests/soak.rs` |
//! | The data decides, not its order | Shuffled samples, turned views, scaled samples and raised distances give the same graph. | `tests/properties.rs` |
//! | Reports are true | Rows of `A` are on the simplex at every step, and residuals are what can be recomputed from the tensors. | `tests/properties.rs`, `tests/residuals.rs` |
//! | Any file | A command given any bytes says in words what is wrong. | `tests/fuzz/targets/readers.rs`, `src/bin/cstgl/hostile.rs` |
//! | Few dependencies | The core's are `libm`, `heapless`, `num-complex` and what they need; all licences allow every use. | `tests/prove.sh` |
//!
//! Not promised: protection from a caller who forges a run's header with its checksum, or whose pointers are not valid
//! for the counts that come with them; the same graph for every order of four views or more (cyclic shifts and reversal
//! are symmetries of the transform along the views, other orders are not); order invariance of the reference profile.
