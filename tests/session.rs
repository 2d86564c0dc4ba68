//! A session: the same bits however it is interrupted, moved or threaded, and no result that hangs on the order of the
//! samples.

mod guarded;
mod runs;

use cstgl::config::{Axis, Rank};
use cstgl::kmeans;
use cstgl::linalg::Mat;
use cstgl::session::{Flow, Outcome, Parts, Session};
use cstgl::workspace::Layout;
use cstgl::{Config, Error, Scalar};
use guarded::Workspace;
use runs::{Data, demo, max_difference, memory, profiles, reordered, run, score, shuffle, snapshot};

/// The profiles, and the ways to keep `K` that they leave out.
fn variants<T: Scalar>(n: usize, m: usize) -> Vec<(String, Config<T>)> {
    let mut all: Vec<_> =
        profiles(n, m, 4).into_iter().map(|(name, config)| (name.to_string(), config)).collect();
    for (name, config) in profiles::<T>(n, m, 0) {
        if config.axis == Axis::Views {
            let (beta, rank) = (T::from_f64(0.1), Rank::Any { expected: 3 });
            // In single precision the search does not decide small thresholds (`partial_svd::Options::tolerance`), and
            // a limited rank has nothing else to turn to: the last steps are then refused.
            if T::EPSILON.to_f64() < 1e-10 {
                all.push((format!("{name}, factors alone"), Config { rank: Rank::AtMost(n), ..config }));
            }
            all.push((format!("{name}, factors and slices"), Config { rank, beta, ..config }));
        }
    }
    all
}

fn copied(bytes: &[u8]) -> Workspace {
    let mut copy = Workspace::new(Layout::array::<u8>(bytes.len()).unwrap());
    copy.bytes_mut().copy_from_slice(bytes);
    copy
}

/// Every iteration cancelled, clustered, copied to another place and resumed there.
fn interrupted<T: Scalar>(name: &str, config: &Config<T>, data: &Data<T>) {
    let whole = run(config, data).unwrap_or_else(|error| panic!("{name}: {error}"));
    whole.assert_same_bits(&run(config, data).unwrap(), &format!("{name}: twice"));

    let mut place = memory(config).unwrap();
    Session::new(place.bytes_mut(), config).unwrap();
    for (v, view) in data.views.iter().enumerate() {
        for feature in view.chunks(data.n) {
            let block = cstgl::graph::dense::Dense::by_feature(feature, 1, data.n).unwrap();
            Session::attach(place.bytes_mut()).unwrap().push_dense(v, &block).unwrap();
            place = copied(place.bytes_mut());
        }
    }
    let mut moved = copied(place.bytes_mut());
    let mut labels = vec![0; data.n];
    for step in 1..=config.iterations {
        let mut session = Session::<T>::attach(moved.bytes_mut()).unwrap();
        assert_eq!(session.run(|_| Flow::Cancel), Ok(Outcome::Cancelled));
        assert_eq!(session.iteration(), Ok(step));
        session.cluster(&mut labels).unwrap();
        moved = copied(moved.bytes_mut());
    }
    let mut session = Session::<T>::attach(moved.bytes_mut()).unwrap();
    assert_eq!(session.run(|_| Flow::Continue), Ok(Outcome::IterationLimit));
    let moved = snapshot(&mut session).unwrap();

    // The features came one at a time, so the Gram matrices differ by rounding: compared with the same, uninterrupted.
    let mut session = Session::<T>::attach(place.bytes_mut()).unwrap();
    assert_eq!(session.run(|_| Flow::Continue), Ok(Outcome::IterationLimit));
    moved.assert_same_bits(&snapshot(&mut session).unwrap(), &format!("{name}: interrupted"));
}

#[test]
fn interruptions_clusterings_and_copies_change_no_bit() {
    for m in [1, 2, 3] {
        for (name, config) in variants::<f64>(60, m) {
            interrupted(&format!("f64, {m} views, {name}"), &config, &demo(60, m, 1).0);
        }
    }
    for (name, config) in variants::<f32>(60, 3) {
        interrupted(&format!("f32, {name}"), &config, &demo(60, 3, 1).0);
    }
}

/// Cancelled at one iteration, for every iteration, and continued by the other of `run` and `step`.
#[test]
fn a_run_may_be_cancelled_at_any_iteration() {
    let (data, _) = demo::<f64>(40, 3, 2);
    for (name, config) in profiles(40, 3, 4) {
        let whole = run(&config, &data).unwrap();
        for stop in 1..config.iterations {
            let mut memory = memory(&config).unwrap();
            let mut session = Session::new(memory.bytes_mut(), &config).unwrap();
            data.push(&mut session).unwrap();
            let flow = |step: usize| if step == stop { Flow::Cancel } else { Flow::Continue };
            assert_eq!(session.run(|record| flow(record.iteration)), Ok(Outcome::Cancelled));
            assert_eq!(session.iteration(), Ok(stop));
            for _ in stop..config.iterations {
                session.step().unwrap();
            }
            whole.assert_same_bits(&snapshot(&mut session).unwrap(), &format!("{name}, after {stop}"));
        }
    }
}

/// The embedding and k-means one after the other are the clustering, also where the number of clusters is estimated.
#[test]
fn an_embedding_clustered_by_hand_is_the_clustering() {
    let (data, _) = demo::<f64>(60, 3, 1);
    for clusters in [0, 4] {
        for (name, config) in profiles(60, 3, clusters) {
            let mut memory = memory(&config).unwrap();
            let mut session = Session::new(memory.bytes_mut(), &config).unwrap();
            data.push(&mut session).unwrap();
            session.run(|_| Flow::Continue).unwrap();
            let room = session.embedding_length().unwrap();
            let (mut whole, mut points) = (vec![0.0; room], vec![0.0; room]);
            let (mut labels, mut by_hand, mut order) = (vec![0; 60], vec![1; 60], vec![0; 60]);
            let found = session.cluster_parts(Parts::default(), &mut labels, &mut whole).unwrap();
            let k = session.embed(Parts::default(), &mut points, &mut order).unwrap();
            assert_eq!((k, &points), (found.clusters, &whole), "{name}");
            let options =
                kmeans::Options { restarts: config.restarts, ..kmeans::Options::new(k, config.seed) };
            let mut work = Workspace::new(kmeans::cluster_layout::<f64>(60, k, k).unwrap());
            let rows = Mat::new("points", &points[..60 * k], 60, k).unwrap();
            kmeans::cluster(rows, &order, &options, &mut by_hand, &mut work.arena()).unwrap();
            assert_eq!(labels, by_hand, "{name}");

            let short = Error::Length { what: "embedding", expected: room, found: room - 1 };
            assert_eq!(session.embed(Parts::default(), &mut points[1..], &mut order), Err(short));
            let short = Error::Length { what: "order", expected: 60, found: 59 };
            assert_eq!(session.embed(Parts::default(), &mut points, &mut order[1..]), Err(short));
        }
    }
}

/// Large enough for threads to be started (feature `parallel`); without the feature the number means nothing.
#[test]
fn the_number_of_threads_changes_no_bit() {
    let (data, _) = demo::<f64>(160, 3, 1);
    let mut all: Vec<_> = profiles(160, 3, 4).into();
    let [(_, default), ..] = profiles(160, 3, 4);
    all.push(("slices", Config { beta: 0.1, rank: Rank::Any { expected: 4 }, ..default }));
    for (name, config) in all {
        let one = run(&config, &data).unwrap();
        for threads in [2, 3, 5] {
            let many = run(&Config { threads, ..config }, &data).unwrap();
            one.assert_same_bits(&many, &format!("{name}, {threads} threads"));
        }
    }
}

/// A step along the samples leaves the next one its argument, in memory that a clustering uses for itself: with or without,
/// on any number of threads, the bits are the same. As many samples as there are wide strips for, of which one is not full.
#[test]
fn a_clustering_between_steps_along_the_samples_changes_no_bit() {
    let (data, _) = demo::<f64>(259, 2, 1);
    let [.., (_, config)] = profiles(259, 2, 4);
    let whole = run(&config, &data).unwrap();
    assert!(
        whole.ranks.iter().filter(|&&(largest, _)| largest > 0).count() > 2,
        "steps that leave something"
    );
    for threads in [1, 2] {
        let config = Config { threads, ..config };
        whole.assert_same_bits(&run(&config, &data).unwrap(), &format!("{threads} threads"));
        let mut memory = memory(&config).unwrap();
        let mut session = Session::new(memory.bytes_mut(), &config).unwrap();
        data.push(&mut session).unwrap();
        let (mut labels, mut order) = (vec![0; data.n], vec![0; data.n]);
        let mut points = vec![0.0; session.embedding_length().unwrap()];
        for step in 0..config.iterations {
            session.step().unwrap();
            match step % 3 {
                0 => drop(session.cluster(&mut labels).unwrap()),
                1 => drop(session.embed(Parts::default(), &mut points, &mut order).unwrap()),
                _ => (),
            }
        }
        whole.assert_same_bits(&snapshot(&mut session).unwrap(), &format!("clustered, {threads} threads"));
    }
}

/// A layout that made room for every thread that a number can ask for would take for ever.
#[test]
fn any_number_of_threads_has_a_layout() {
    for (name, config) in variants::<f64>(30, 3) {
        let layout = |threads| Session::layout(&Config { threads, ..config });
        assert_eq!(layout(usize::MAX), layout(64), "{name}");
        assert!(layout(usize::MAX).is_ok(), "{name}");
    }
}

#[test]
fn a_tolerance_ends_the_run_early_and_a_resumed_run_knows() {
    let (data, _) = demo::<f64>(40, 2, 1);
    let config = Config { tolerance: 1e-2, ..Config::new(40, 2) };
    let mut memory = memory(&config).unwrap();
    let mut session = Session::new(memory.bytes_mut(), &config).unwrap();
    data.push(&mut session).unwrap();
    assert_eq!(session.run(|_| Flow::Continue), Ok(Outcome::Converged));
    let steps = session.iteration().unwrap();
    assert!(steps < config.iterations);
    assert!(session.record(steps - 1).unwrap().change <= 1e-2);
    assert!(session.record(steps - 2).unwrap().change > 1e-2);
    assert_eq!(session.run(|_| panic!("there is no further step")), Ok(Outcome::Converged));
}

fn permuted(matrix: &[f64], order: &[usize]) -> Vec<f64> {
    let n = order.len();
    order.iter().flat_map(|&i| order.iter().map(move |&j| matrix[i * n + j])).collect()
}

#[test]
fn default_and_paper_do_not_depend_on_the_order_of_the_samples() {
    for (n, m, seed) in [(120, 3, 1), (97, 2, 5)] {
        let (data, truth) = demo::<f64>(n, m, seed);
        for (name, config) in &profiles::<f64>(n, m, 4)[..2] {
            let straight = run(config, &data).unwrap();
            println!("{name}, {n}: ranks {:?}, ACC {}", straight.ranks, score(&truth, &straight.labels).acc);
            for seed in 0..10 {
                let order = shuffle(n, seed);
                let shuffled = run(config, &data.reordered(&order)).unwrap();
                let error = max_difference(&shuffled.affinity, &permuted(&straight.affinity, &order));
                assert!(error <= 1e-9, "{name}, shuffle {seed}: {error:e}");
                let ari = score(&reordered(&straight.labels, &order), &shuffled.labels).ari;
                assert_eq!(ari, 1.0, "{name}, shuffle {seed}");
            }
        }
    }
}

/// The opposite: its transform runs along the samples. See the page of `cstgl::config`.
#[test]
fn reference_depends_on_the_order_of_the_samples() {
    let n = 120;
    let (interleaved, truth) = demo::<f64>(n, 3, 1);
    let mut by_class: Vec<usize> = (0..n).collect();
    by_class.sort_by_key(|&i| truth[i]);
    let (sorted, truth) = (interleaved.reordered(&by_class), reordered(&truth, &by_class));
    let [.., (_, config)] = profiles::<f64>(n, 3, 4);
    let config = Config { beta: 10.0, gamma: 100.0, ..config };
    let straight = run(&config, &sorted).unwrap();
    let order = shuffle(n, 3);
    let shuffled = run(&config, &sorted.reordered(&order)).unwrap();
    let (found, lost) =
        (score(&truth, &straight.labels).acc, score(&reordered(&truth, &order), &shuffled.labels).acc);
    println!("ACC {found} sorted by class, {lost} shuffled");
    assert!(max_difference(&shuffled.affinity, &permuted(&straight.affinity, &order)) > 1e-3);
    assert!(score(&reordered(&straight.labels, &order), &shuffled.labels).ari < 1.0);
    assert!(found > lost, "an order by class gives the classes away");
}

/// The memory is exactly what was asked for: neither a byte less, nor a byte before or behind it (which the red zones
/// tell, in every test).
#[test]
fn a_byte_less_is_refused() {
    let (data, _) = demo::<f64>(30, 3, 1);
    for (name, config) in variants::<f64>(30, 3) {
        let bytes = Session::layout(&config).unwrap().bytes();
        run(&config, &data).unwrap();
        let mut memory = memory(&config).unwrap();
        Session::new(memory.bytes_mut(), &config).unwrap();
        let short = &mut memory.bytes_mut()[..bytes - 1];
        let before = short.to_vec();
        let refused = Error::WorkspaceTooSmall { needed: bytes, given: bytes - 1 };
        assert_eq!(Session::new(short, &config).err(), Some(refused), "{name}");
        assert_eq!(Session::<f64>::attach(short).err(), Some(refused), "{name}");
        assert!(before == short, "{name}: a refused call has written");
    }
}

/// A guard that cannot fail is none.
#[test]
#[should_panic = "a byte outside of 40 was written"]
fn a_byte_behind_the_memory_is_seen() {
    Workspace::new(Layout::array::<f64>(5).unwrap()).zones()[1][0] = 0;
}

#[test]
#[should_panic = "a byte outside of 40 was written"]
fn a_byte_before_the_memory_is_seen() {
    Workspace::new(Layout::array::<f64>(5).unwrap()).zones()[0][63] = 0;
}

#[test]
fn memory_that_holds_no_session_is_refused() {
    let config = Config::<f64>::new(20, 2);
    let layout = Session::layout(&config).unwrap();
    let foreign = Error::Sequence { requirement: "the memory holds no session of this kind" };
    let mut memory = Workspace::new(layout);
    memory.bytes_mut().fill(0);
    assert_eq!(Session::<f64>::attach(memory.bytes_mut()).err(), Some(foreign), "zeros");
    let mut rng = cstgl::rng::Rng::new(1);
    for _ in 0..100 {
        memory.bytes_mut().iter_mut().for_each(|byte| *byte = rng.next_u64() as u8);
        assert_eq!(Session::<f64>::attach(memory.bytes_mut()).err(), Some(foreign), "garbage");
    }
    assert!(Session::<f64>::attach(&mut []).is_err());
    for length in 0..64 {
        assert!(Session::<f64>::attach(&mut memory.bytes_mut()[..length]).is_err());
    }

    // A session, but not of this kind; and one of which a bit has changed.
    Session::new(memory.bytes_mut(), &config).unwrap();
    assert!(Session::<f64>::attach(memory.bytes_mut()).is_ok());
    assert_eq!(Session::<f32>::attach(memory.bytes_mut()).err(), Some(foreign));
    for place in 0..224 {
        memory.bytes_mut()[place] ^= 0x10;
        assert_eq!(Session::<f64>::attach(memory.bytes_mut()).err(), Some(foreign), "byte {place}");
        memory.bytes_mut()[place] ^= 0x10;
    }
    assert!(Session::<f64>::attach(memory.bytes_mut()).is_ok());
}

#[test]
fn misaligned_memory_is_refused() {
    let config = Config::<f64>::new(20, 2);
    let layout = Session::layout(&config).unwrap();
    let mut room = Workspace::new(Layout::array::<u8>(layout.bytes() + 64).unwrap());
    Session::new(&mut room.bytes_mut()[8..], &config).unwrap();
    let before = room.bytes_mut().to_vec();
    for shift in 1..8 {
        let refused = Some(Error::WorkspaceMisaligned { align: layout.align() });
        for end in [shift + layout.bytes(), layout.bytes() + 64] {
            assert_eq!(Session::new(&mut room.bytes_mut()[shift..end], &config).err(), refused);
            // Even where the session would be found at the next aligned byte.
            assert_eq!(Session::<f64>::attach(&mut room.bytes_mut()[shift..end]).err(), refused);
        }
    }
    assert!(before == room.bytes_mut());
}
