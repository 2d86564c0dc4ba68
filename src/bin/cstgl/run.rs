//! From views to labels, on behalf of every command that clusters.
//!
//! 1. [`Grams::of`] multiplies the views out, once for any number of runs on the same data;
//! 2. [`solve`] runs the solver on them, with the samples in the order of the files or shuffled;
//! 3. [`Solved::embed`] makes the spectral embedding of chosen parts, and [`Embedded::labels`] clusters it, as often
//!    as wanted and from any seed.
//!
//! Whatever is read out of a run is in the order of the files, also where the run was shuffled.
use crate::error::{Error, Result};
use crate::read::matrix::Matrix;
use crate::read::views::{View, Views};
use crate::report::TraceRow;
use cstgl::config::{Config, GraphTerm};
use cstgl::graph::dense::{Dense, accumulate_dense, accumulate_dense_layout};
use cstgl::graph::sparse::{Csr, accumulate_sparse, accumulate_sparse_layout};
use cstgl::kmeans;
use cstgl::linalg::Mat;
use cstgl::metrics::{self, Scores};
use cstgl::rng::Rng;
use cstgl::session::{Flow, Outcome, Parts};
use cstgl::solver::Record;
use cstgl::workspace::Workspace;
use cstgl::{Model, Scalar, Session};
use std::time::Instant;

/// The numbers that a run is computed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Precision {
    /// Four bytes a number: half the memory
    F32,
    /// Eight bytes a number
    F64,
}

impl Precision {
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

/// Wall time of each stage.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Seconds {
    pub read: f64,
    pub gram: f64,
    pub solve: f64,
    pub spectral: f64,
    pub kmeans: f64,
    pub total: f64,
}

impl Seconds {
    /// Each stage by its name, the total last.
    pub fn named(&self) -> [(&'static str, f64); 6] {
        [
            ("read", self.read),
            ("gram", self.gram),
            ("solve", self.solve),
            ("spectral", self.spectral),
            ("kmeans", self.kmeans),
            ("total", self.total),
        ]
    }
}

/// What a call gives, and the seconds that it took.
pub fn timed<R>(call: impl FnOnce() -> R) -> (R, f64) {
    let start = Instant::now();
    let result = call();
    (result, start.elapsed().as_secs_f64())
}

/// The same choices in another precision.
pub fn converted<T: Scalar>(config: &Config<f64>) -> Config<T> {
    let number = T::from_f64;
    let graph = match config.graph {
        GraphTerm::Fixed { alpha } => GraphTerm::Fixed { alpha: number(alpha) },
        GraphTerm::Adaptive { neighbours, weight } => {
            GraphTerm::Adaptive { neighbours, weight: number(weight) }
        }
    };
    Config {
        samples: config.samples,
        views: config.views,
        distance: config.distance,
        unit_length: config.unit_length,
        graph,
        self_loops: config.self_loops,
        axis: config.axis,
        noise: config.noise,
        threshold: config.threshold,
        beta: number(config.beta),
        gamma: number(config.gamma),
        rho: number(config.rho),
        mu: number(config.mu),
        iterations: config.iterations,
        tolerance: number(config.tolerance),
        rank: config.rank,
        affinity: config.affinity,
        spectral: config.spectral,
        clusters: config.clusters,
        max_clusters: config.max_clusters,
        restarts: config.restarts,
        seed: config.seed,
        threads: config.threads,
    }
}

/// The memory of a run, in bytes.
pub fn workspace_bytes<T: Scalar>(config: &Config<f64>) -> Result<u64> {
    let layout = Session::<T>::layout(&converted(config)).map_err(|error| refusal(error, &[]))?;
    Ok(layout.bytes() as u64)
}

/// The Gram matrix of every view, `n x n`: all that a run needs to know of the features.
///
/// A shuffle of the samples permutes it and changes no bit of it, so one of these serves every order.
#[derive(Debug)]
pub struct Grams<T> {
    pub n: usize,
    /// Names of the views.
    pub names: Vec<String>,
    planes: Vec<Vec<T>>,
}

impl<T: Scalar> Grams<T> {
    /// Multiplies the views out, sparse ones without filling in their zeros.
    pub fn of(views: &Views) -> Result<Self> {
        views.require_finite()?;
        let names: Vec<String> = views.views.iter().map(|view| view.name.clone()).collect();
        let plane = |(v, view): (usize, &View)| gram(v, view, views.n, &names);
        let planes = views.views.iter().enumerate().map(plane).collect::<Result<_>>()?;
        Ok(Self { n: views.n, names, planes })
    }

    /// The number of views.
    pub fn views(&self) -> usize {
        self.planes.len()
    }
}

/// The Gram matrix of one view.
fn gram<T: Scalar>(v: usize, view: &View, n: usize, names: &[String]) -> Result<Vec<T>> {
    let refused = |error| refusal(error, names);
    let numbers = |data: &[f64]| -> Result<Vec<T>> {
        let numbers: Vec<T> = data.iter().map(|&x| T::from_f64(x)).collect();
        match numbers.iter().all(|x| x.is_finite()) {
            true => Ok(numbers),
            false => Err(Error::new("a number is too large for --precision f32")
                .at(format!("view {}", view.name))
                .remedy("use --precision f64, or scale the view down")),
        }
    };
    let area = n.checked_mul(n).ok_or_else(|| refused(cstgl::Error::SizeOverflow { what: "view" }))?;
    let mut gram = vec![T::ZERO; area];
    let features = view.features();
    match &view.matrix {
        Matrix::Dense(dense) => {
            let (data, (across, along)) = (numbers(dense.data())?, view.strides(dense));
            let block = Dense::strided(&data, features, n, across, along).map_err(refused)?;
            let mut work = accumulate_dense_layout::<T>(n).and_then(Workspace::try_new).map_err(refused)?;
            accumulate_dense(&mut gram, v, &block, &mut work.arena()).map_err(refused)?;
        }
        Matrix::Sparse(sparse) => {
            let (starts, indices, values) = (sparse.starts(), sparse.indices(), numbers(sparse.values())?);
            let block = match view.lines_are_samples(sparse) {
                true => Csr::by_sample(starts, indices, &values, features, n),
                false => Csr::by_feature(starts, indices, &values, features, n),
            };
            let block = block.map_err(refused)?;
            let mut work = accumulate_sparse_layout::<T>(n).and_then(Workspace::try_new).map_err(refused)?;
            accumulate_sparse(&mut gram, v, &block, &mut work.arena()).map_err(refused)?;
        }
    }
    if !gram.iter().all(|x| x.is_finite()) {
        return Err(refused(cstgl::Error::Range { view: v }));
    }
    // What was summed is the lower triangle.
    for i in 0..n {
        for j in 0..i {
            if let Some(&below) = gram.get(i * n + j)
                && let Some(above) = gram.get_mut(j * n + i)
            {
                *above = below;
            }
        }
    }
    Ok(gram)
}

/// The sample at each place of a run; none if they stand as in the files.
#[derive(Debug, Clone, Default)]
struct Order(Option<Vec<usize>>);

impl Order {
    /// Drawn from a seed.
    fn shuffled(n: usize, seed: u64) -> Self {
        let mut order: Vec<usize> = (0..n).collect();
        let mut rng = Rng::new(seed);
        for last in (1..n).rev() {
            order.swap(last, (rng.next_u64() % (last as u64 + 1)) as usize);
        }
        Self(Some(order))
    }

    /// `n` rows of `width`, from the order of the run to that of the files.
    fn put_back<U: Copy>(&self, rows: Vec<U>, width: usize) -> Vec<U> {
        let Some(order) = &self.0 else { return rows };
        let mut back = rows.clone();
        for (row, &i) in rows.chunks_exact(width.max(1)).zip(order) {
            if let Some(to) = back.get_mut(i * width..(i + 1) * width) {
                to.copy_from_slice(row);
            }
        }
        back
    }

    /// The same for an `n x n` matrix, its columns too.
    fn put_back_matrix<U: Copy>(&self, matrix: Vec<U>) -> Vec<U> {
        match &self.0 {
            None => matrix,
            Some(order) => permuted(&matrix, &self.put_back((0..order.len()).collect(), 1)),
        }
    }
}

/// Element `(p, q)` is element `(order[p], order[q])` of `matrix`.
fn permuted<T: Copy>(matrix: &[T], order: &[usize]) -> Vec<T> {
    let n = order.len().max(1);
    let row = |&i: &usize| matrix.get(i * n..(i + 1) * n).unwrap_or(&[]);
    order.iter().map(row).flat_map(|row| order.iter().filter_map(|&j| row.get(j).copied())).collect()
}

/// A run of the solver, to be clustered and read.
#[derive(Debug)]
pub struct Solved<T> {
    model: Model<T>,
    config: Config<T>,
    names: Vec<String>,
    order: Order,
    pub trace: Vec<TraceRow>,
    /// Did the change fall to the tolerance?
    pub converged: bool,
    /// Wall time of distances and solver.
    pub seconds: f64,
}

/// Runs the solver. With a seed in `shuffle` the samples are put into another order first; everything read from the
/// result is in the order of the files again. `progress` sees every iteration.
pub fn solve<T: Scalar>(
    grams: &Grams<T>,
    config: &Config<f64>,
    shuffle: Option<u64>,
    mut progress: impl FnMut(&TraceRow),
) -> Result<Solved<T>> {
    let config = converted::<T>(config);
    let start = Instant::now();
    let order = shuffle.map_or(Order::default(), |seed| Order::shuffled(grams.n, seed));
    let names = grams.names.clone();
    let mut trace = Vec::new();
    let mut run = || -> std::result::Result<_, cstgl::Error> {
        let mut model = Model::new(&config)?;
        let mut session = model.session();
        for (v, plane) in grams.planes.iter().enumerate() {
            match &order.0 {
                None => session.push_gram(v, plane)?,
                Some(order) => session.push_gram(v, &permuted(plane, order))?,
            }
        }
        let outcome = session.run(|record| {
            let row = row_of(record);
            progress(&row);
            trace.push(row);
            Flow::Continue
        })?;
        Ok((model, outcome == Outcome::Converged))
    };
    let (model, converged) = run().map_err(|error| refusal(error, &names))?;
    Ok(Solved { model, config, names, order, trace, converged, seconds: start.elapsed().as_secs_f64() })
}

fn row_of<T: Scalar>(record: &Record<T>) -> TraceRow {
    TraceRow {
        iteration: record.iteration,
        rho: record.rho.to_f64(),
        consistent_change: record.change.to_f64(),
        split_residual: record.split_residual.to_f64(),
        lowrank_residual: record.low_rank_residual.to_f64(),
        noise_residual: record.noise_residual.to_f64(),
        rank: record.rank,
    }
}

impl<T: Scalar> Solved<T> {
    /// Bytes of the solver's memory.
    pub fn workspace_bytes(&self) -> u64 {
        self.model.bytes() as u64
    }

    /// The number of samples.
    pub fn n(&self) -> usize {
        self.config.samples
    }

    fn read<R>(
        &mut self,
        read: impl FnOnce(&mut Session<'_, T>) -> std::result::Result<R, cstgl::Error>,
    ) -> Result<R> {
        read(&mut self.model.session()).map_err(|error| refusal(error, &self.names))
    }

    /// The spectral embedding of chosen parts; [`Parts::default`] is the paper's Eq. (36).
    pub fn embed(&mut self, parts: Parts) -> Result<Embedded<T>> {
        let start = Instant::now();
        let n = self.n();
        let (mut points, mut order) = (Vec::new(), vec![0; n]);
        let clusters = self.read(|session| {
            points = vec![T::ZERO; session.embedding_length()?];
            session.embed(parts, &mut points, &mut order)
        })?;
        points.truncate(n * clusters);
        let (config, files) = (self.config, self.order.clone());
        Ok(Embedded { config, clusters, points, order, files, seconds: start.elapsed().as_secs_f64() })
    }

    /// The usual way: the embedding of Eq. (36) and its labels, from the seed of the configuration.
    pub fn cluster(&mut self) -> Result<(Embedded<T>, Labelling)> {
        let embedded = self.embed(Parts::default())?;
        let labelling = embedded.labels(self.config.seed)?;
        Ok((embedded, labelling))
    }

    /// `(Sa + Sa^T)/2` of chosen parts, `n x n`.
    pub fn affinity(&mut self, parts: Parts) -> Result<Vec<f32>> {
        let mut matrix = vec![T::ZERO; self.n() * self.n()];
        self.read(|session| session.affinity(parts, &mut matrix))?;
        Ok(self.order.put_back_matrix(narrow(&matrix)))
    }

    /// `||S1(v) - S1(w)||_F` of all pairs of views, `m x m`: the paper's Fig. 2.
    pub fn slice_distances(&mut self) -> Result<Vec<f64>> {
        let mut matrix = vec![T::ZERO; self.config.views * self.config.views];
        self.read(|session| session.slice_distances(&mut matrix))?;
        Ok(matrix.into_iter().map(T::to_f64).collect())
    }

    /// `S1` of a view, `n x n`.
    pub fn consistent(&mut self, view: usize) -> Result<Vec<f32>> {
        self.part(|session, matrix| session.consistent(view, matrix))
    }

    /// `S2` of a view, `n x n`.
    pub fn specific(&mut self, view: usize) -> Result<Vec<f32>> {
        self.part(|session, matrix| session.specific(view, matrix))
    }

    /// `E` of a view, `n x n`.
    pub fn noise(&mut self, view: usize) -> Result<Vec<f32>> {
        self.part(|session, matrix| session.noise(view, matrix))
    }

    fn part(
        &mut self,
        read: impl FnOnce(&mut Session<'_, T>, &mut [T]) -> std::result::Result<(), cstgl::Error>,
    ) -> Result<Vec<f32>> {
        let mut matrix = vec![T::ZERO; self.n() * self.n()];
        self.read(|session| read(session, &mut matrix))?;
        Ok(self.order.put_back_matrix(narrow(&matrix)))
    }

    /// Entries of `S1 + S2` and of `E`, all views together, at most so many of each: every so-manieth.
    pub fn densities(&mut self, most: usize) -> Result<(Vec<f32>, Vec<f32>)> {
        let (mut signal, mut noise) = (Vec::new(), Vec::new());
        let all = self.n().saturating_mul(self.n()).saturating_mul(self.config.views);
        // Odd, so that even strides do not fall on the same columns of every row.
        let stride = all.div_ceil(most.max(1)).max(1) | 1;
        for v in 0..self.config.views {
            let (consistent, specific) = (self.consistent(v)?, self.specific(v)?);
            let sums = consistent.iter().zip(&specific).map(|(s1, s2)| s1 + s2);
            signal.extend(sums.step_by(stride));
            noise.extend(self.noise(v)?.into_iter().step_by(stride));
        }
        Ok((signal, noise))
    }
}

fn narrow<T: Scalar>(numbers: &[T]) -> Vec<f32> {
    numbers.iter().map(|x| x.to_f64() as f32).collect()
}

/// A spectral embedding.
#[derive(Debug, Clone)]
pub struct Embedded<T> {
    config: Config<T>,
    /// What was asked for, or estimated.
    pub clusters: usize,
    /// `n x clusters`, in the order of the run.
    points: Vec<T>,
    /// The canonical order of the places of the run.
    order: Vec<u32>,
    files: Order,
    /// Wall time of the fusion and of the eigenvectors.
    pub seconds: f64,
}

/// A label for every sample.
#[derive(Debug, Clone)]
pub struct Labelling {
    pub labels: Vec<u32>,
    /// Sum of the squared distances to the centres.
    pub inertia: f64,
    /// Wall time of k-means.
    pub seconds: f64,
}

impl<T: Scalar> Embedded<T> {
    /// Was the number of clusters estimated?
    pub fn estimated(&self) -> bool {
        self.config.clusters == 0
    }

    /// The rows that are clustered, `n x clusters`, in the order of the files.
    pub fn rows(&self) -> Vec<f32> {
        self.files.put_back(narrow(&self.points), self.clusters)
    }

    /// k-means from a seed; with the seed of the configuration it is what the library's own `cluster` gives.
    pub fn labels(&self, seed: u64) -> Result<Labelling> {
        let start = Instant::now();
        let refused = |error| refusal(error, &[]);
        let (n, k) = (self.config.samples, self.clusters);
        let points = Mat::new("embedding", &self.points, n, k).map_err(refused)?;
        let options = kmeans::Options { restarts: self.config.restarts, ..kmeans::Options::new(k, seed) };
        let layout = kmeans::cluster_layout::<T>(n, k, k);
        let mut work = layout.and_then(Workspace::try_new).map_err(refused)?;
        let mut labels = vec![0; n];
        let fit = kmeans::cluster(points, &self.order, &options, &mut labels, &mut work.arena())
            .map_err(refused)?;
        let labels = self.files.put_back(labels, 1);
        Ok(Labelling { labels, inertia: fit.inertia.to_f64(), seconds: start.elapsed().as_secs_f64() })
    }
}

/// Scores of labels against known classes.
pub fn scores(truth: &[u32], labels: &[u32]) -> Result<Scores> {
    let refused = |error| refusal(error, &[]);
    let layout = metrics::scores_layout(truth.len());
    let mut work = layout.and_then(Workspace::try_new).map_err(refused)?;
    metrics::scores(truth, labels, &mut work.arena()).map_err(refused)
}

/// The scores that are printed, by their short names.
pub fn named_scores(scores: &Scores) -> [(&'static str, f64); 7] {
    [
        ("acc", scores.acc),
        ("nmi", scores.nmi),
        ("ari", scores.ari),
        ("fscore", scores.fscore),
        ("precision", scores.precision),
        ("recall", scores.recall),
        ("purity", scores.purity),
    ]
}

/// The library's error in the words of the command line: views by their names, parameters as options.
pub fn refusal(error: cstgl::Error, views: &[String]) -> Error {
    let view = |v: usize| format!("view {}", views.get(v).map_or_else(|| (v + 1).to_string(), Clone::clone));
    match error {
        cstgl::Error::BadSample { view: v, feature, sample } => {
            Error::new("the value is missing, NaN or infinite")
                .at(format!("sample {}, feature {}", sample + 1, feature + 1))
                .at(view(v))
                .remedy("fill it in or leave the sample out")
        }
        cstgl::Error::Range { view: v } => Error::new("sums of products leave the range of the numbers")
            .at(view(v))
            .remedy("scale the view down (f32 has less range than f64)"),
        cstgl::Error::Parameter { what, requirement } => {
            Error::new(format!("must be {requirement}")).at(format!("--{}", what.replace('_', "-")))
        }
        cstgl::Error::Empty { what } => {
            Error::new("must be at least one").at(format!("--{}", what.replace('_', "-")))
        }
        cstgl::Error::RankExceeded { allowed } => {
            Error::new(format!("the views have more than {allowed} patterns in common"))
                .remedy("raise --max-rank or leave it out, or raise --beta")
        }
        cstgl::Error::OutOfMemory { bytes } => Error::new(format!(
            "{} of memory are needed and not to be had",
            crate::markup::bytes(bytes as u64)
        ))
        .remedy("use --precision f32 for half of it, or fewer samples"),
        error => Error::new(error.to_string()),
    }
}
