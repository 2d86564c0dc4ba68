//! A session in memory of which any bytes may have been written over: refused, or used without harm.
//!
//! The second half is the promise that nothing but numbers is in there: what was damaged behind the header gives other
//! numbers, never a panic and never a byte outside.
#![no_main]

use cstgl::graph::dense::Dense;
use cstgl::session::{Flow, Parts, Session};
use cstgl::{Config, Scalar};
use cstgl_fuzz::{Bytes, Exact};

fn exercise<T: Scalar>(memory: &mut [u8]) {
    let Ok(mut session) = Session::<T>::attach(memory) else { return };
    let config = session.config().expect("attached");
    // A damaged count that nothing vouches for would be obeyed, however long it takes.
    let (n, m) = (config.samples, config.views);
    if n > 16 || m > 8 || config.iterations > 64 || config.restarts > 8 {
        return;
    }
    let block = vec![T::ONE; n];
    let _ = session.push_dense(0, &Dense::by_feature(&block, 1, n).expect("a block"));
    let _ = session.outcome();
    let _ = session.run(|_| Flow::Continue);
    let _ = session.step();
    let mut matrix = vec![T::ZERO; n * n];
    for v in 0..m {
        let _ = session.consistent(v, &mut matrix);
        let _ = session.specific(v, &mut matrix);
        let _ = session.noise(v, &mut matrix);
    }
    let _ = session.affinity(Parts::default(), &mut matrix);
    let mut labels = vec![u32::MAX; n];
    if let Ok(found) = session.cluster(&mut labels) {
        assert!(labels.iter().all(|&label| (label as usize) < found.clusters), "{labels:?}");
    }
    for step in 0..=config.iterations {
        let _ = session.record(step);
    }
}

fn damaged<T: Scalar>(mut input: Bytes<'_>) {
    let config = Config::<T> { iterations: 4, restarts: 2, ..input.config() };
    let Ok(layout) = Session::layout(&config) else { return };
    let mut memory = Exact::new(layout);
    let Ok(mut session) = Session::new(memory.slice(), &config) else { return };
    let stage = input.byte();
    if stage & 1 != 0 {
        for v in 0..config.views {
            let block: Vec<T> = (0..3 * config.samples).map(|_| input.finite()).collect();
            let _ = session.push_dense(v, &Dense::by_feature(&block, 3, config.samples).expect("a block"));
        }
    }
    if stage & 2 != 0 {
        let _ = session.step();
    }
    let bytes = memory.slice();
    while !input.ended() {
        // Half of them in the first bytes, where the counts are.
        let place = usize::from(input.byte()) | usize::from(input.byte()) << 8;
        let place = if place & 1 != 0 { place / 2 % bytes.len() } else { place / 2 % bytes.len().min(400) };
        bytes[place] = input.byte();
    }
    let mut copy = Exact::copy(bytes);
    exercise::<T>(copy.slice());
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut input = Bytes(data);
    match input.byte() % 4 {
        0 => damaged::<f32>(input),
        1 => damaged::<f64>(input),
        // Bytes that were never a session.
        2 => exercise::<f32>(Exact::copy(input.0).slice()),
        _ => exercise::<f64>(Exact::copy(input.0).slice()),
    }
});
