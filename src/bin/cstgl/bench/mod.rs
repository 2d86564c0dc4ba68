//! `cstgl bench`: every stage on synthetic data, beside the bandwidth of the memory and beside another program.
mod ratios;

use crate::error::{Error, Result};
use crate::figure::axis::Spacing;
use crate::figure::lines::{Curve, Lines};
use crate::parameters::Parameters;
use crate::run::{Precision, converted, refusal};
use crate::table::Table;
use crate::writer;
use cstgl::config::{Axis, Config};
use cstgl::demo::Demo;
use cstgl::graph::dense::Dense;
use cstgl::session::Parts;
use cstgl::workspace::{Layout, Workspace};
use cstgl::{Flow, Scalar, Session};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Time every stage on synthetic data, beside the memory's bandwidth and beside another program
#[derive(Debug, clap::Args)]
pub struct Bench {
    #[command(flatten)]
    parameters: Parameters,
    /// Samples
    #[arg(long, value_name = "N", default_value_t = 2000)]
    samples: usize,
    /// Views
    #[arg(long, value_name = "M", default_value_t = 2)]
    views: usize,
    /// Features of each view
    #[arg(long, value_name = "D", default_value_t = 100)]
    features: usize,
    /// A Python program with the options and the output of peer.py, to be timed on the same views
    #[arg(long, value_name = "FILE")]
    peer: Option<PathBuf>,
    /// Write the seconds of every iteration
    #[arg(long, value_name = "OUT.csv")]
    csv: Option<PathBuf>,
    /// Draw the seconds of every iteration beside those of streaming its bytes
    #[arg(long, value_name = "OUT.svg")]
    plot: Option<PathBuf>,
    /// Compare with itself: both axes, two threads, f32, half and twice as many samples, sparse input
    #[arg(long, conflicts_with_all = ["peer", "csv", "plot"])]
    ratios: bool,
}

/// Seconds of the stages and of every iteration.
struct Times {
    gram: f64,
    iterations: Vec<(f64, usize)>,
    spectral: f64,
    kmeans: f64,
    workspace_bytes: usize,
    /// Of the whole process, data included.
    peak_mib: Option<f64>,
}

impl Times {
    fn solve(&self) -> f64 {
        self.iterations.iter().map(|(seconds, _)| seconds).sum()
    }

    fn iteration(&self) -> f64 {
        self.solve() / self.iterations.len().max(1) as f64
    }

    fn median(&self) -> f64 {
        let mut ordered: Vec<f64> = self.iterations.iter().map(|(seconds, _)| *seconds).collect();
        ordered.sort_by(f64::total_cmp);
        ordered.get(ordered.len() / 2).copied().unwrap_or(0.0)
    }

    fn total(&self) -> f64 {
        self.gram + self.solve() + self.spectral + self.kmeans
    }
}

impl Bench {
    /// Makes the data, times ours, and theirs where there is one.
    pub fn run(&self) -> Result<()> {
        if self.ratios {
            return writer::print(&ratios::table(self)?);
        }
        let threads = self.parameters.threads.unwrap_or(1);
        let parameters = Parameters { threads: Some(threads), ..self.parameters.clone() };
        let data = self.data(self.samples)?;
        let bandwidth = copy_bandwidth(1).map_err(|error| refusal(error, &[]))?;
        let (config, times) = self.timed(&parameters, &data, &mut Workspace::new(Layout::EMPTY))?;
        let stream = Stream::of(&config, parameters.precision, bandwidth);
        writer::print(&summary(&config, &times, &stream))?;
        if let Some(path) = &self.csv {
            let mut table = Table::new("").column("iteration", 0).column("seconds", 6).column("rank", 0);
            for (i, &(seconds, rank)) in times.iterations.iter().enumerate() {
                table.row([((i + 1) as f64).into(), seconds.into(), (rank as f64).into()]);
            }
            writer::write(path, |out| out.write_all(table.csv().as_bytes()))?;
        }
        if let Some(path) = &self.plot {
            let svg = plot(&times, &stream);
            writer::write(path, |out| out.write_all(svg.as_bytes()))?;
        }
        match &self.peer {
            Some(peer) => writer::print(&self.beside(peer, &config, &data, &times)?),
            None => Ok(()),
        }
    }

    /// Views of so many samples, a row a feature.
    fn data(&self, samples: usize) -> Result<Vec<Vec<f64>>> {
        let clusters = self.parameters.clusters.unwrap_or(10).min(samples.max(1));
        let dimensions = vec![self.features; self.views];
        let demo =
            Demo::<f64> { samples, clusters, dimensions: &dimensions, outliers: 0.05, ..Demo::small() };
        demo.check().map_err(|error| refusal(error, &[]))?;
        let data = (0..self.views).map(|v| demo.view(v)).collect::<std::result::Result<Vec<_>, _>>();
        data.map_err(|error| refusal(error, &[]))
    }

    /// One run on them, in this memory if it is large enough; elsewhere new memory takes its place.
    fn timed(
        &self,
        parameters: &Parameters,
        data: &[Vec<f64>],
        memory: &mut Workspace,
    ) -> Result<(Config<f64>, Times)> {
        let samples = data.first().map_or(0, |view| view.len() / self.features.max(1));
        let clusters = parameters.clusters.unwrap_or(10).min(samples.max(1));
        let parameters = Parameters { clusters: Some(clusters), ..parameters.clone() };
        let config = parameters.config(samples, self.views)?;
        let times = match parameters.precision {
            Precision::F32 => self.time::<f32>(&config, data, memory),
            Precision::F64 => self.time::<f64>(&config, data, memory),
        };
        Ok((config, times.map_err(|error| refusal(error, &[]))?))
    }

    fn time<T: Scalar>(
        &self,
        config: &Config<f64>,
        data: &[Vec<f64>],
        memory: &mut Workspace,
    ) -> std::result::Result<Times, cstgl::Error> {
        let config = converted::<T>(config);
        let data: Vec<Vec<T>> =
            data.iter().map(|view| view.iter().map(|&x| T::from_f64(x)).collect()).collect();
        forget_peak();
        let need = Session::layout(&config)?;
        let workspace_bytes = need.bytes();
        if memory.bytes() < workspace_bytes {
            *memory = Workspace::try_new(need)?;
        }
        let mut session = Session::new(memory.bytes_mut(), &config)?;
        let start = Instant::now();
        for (v, view) in data.iter().enumerate() {
            session.push_dense(v, &Dense::by_feature(view, self.features, config.samples)?)?;
        }
        let gram = start.elapsed().as_secs_f64();
        let (mut iterations, mut last) = (Vec::new(), Instant::now());
        session.run(|record| {
            iterations.push((last.elapsed().as_secs_f64(), record.rank));
            last = Instant::now();
            Flow::Continue
        })?;
        let start = Instant::now();
        let mut points = vec![T::ZERO; session.embedding_length()?];
        let mut labels = vec![0; config.samples];
        session.embed(Parts::default(), &mut points, &mut vec![0; config.samples])?;
        let spectral = start.elapsed().as_secs_f64();
        let start = Instant::now();
        session.cluster(&mut labels)?;
        let kmeans = (start.elapsed().as_secs_f64() - spectral).max(0.0);
        Ok(Times { gram, iterations, spectral, kmeans, workspace_bytes, peak_mib: peak_mib() })
    }

    /// The peer on the same views, with as many threads.
    fn beside(&self, peer: &Path, config: &Config<f64>, data: &[Vec<f64>], ours: &Times) -> Result<String> {
        let failed = |what: String| Error::new(what).at(peer.display().to_string());
        let folder = std::env::temp_dir().join(format!("cstgl-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| failed(error.to_string()))?;
        let mut command = std::process::Command::new("python3");
        let axis = if config.axis == Axis::Views { "views" } else { "samples" };
        let alpha = self.parameters.alpha.unwrap_or(1e-3);
        command.arg(peer).args(["--axis", axis]).env("OMP_NUM_THREADS", config.threads.to_string());
        let iterations = config.iterations.to_string();
        let numbers =
            [("--alpha", alpha), ("--beta", config.beta), ("--gamma", config.gamma), ("--rho", config.rho)];
        for (name, value) in numbers {
            command.args([name, &value.to_string()]);
        }
        command.args(["--iterations", &iterations, "--clusters", &config.clusters.to_string()]);
        for (v, view) in data.iter().enumerate() {
            let path = folder.join(format!("{v}.npy"));
            std::fs::write(&path, npy(view, self.features, self.samples))
                .map_err(|error| failed(error.to_string()))?;
            command.arg(path);
        }
        let output = command.output();
        let _ = std::fs::remove_dir_all(&folder);
        let output = output.map_err(|error| failed(format!("cannot be run by python3 ({error})")))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let theirs: serde_json::Value = serde_json::from_str(text.trim()).map_err(|_| {
            let said = String::from_utf8_lossy(&output.stderr);
            failed(format!("gave no result: {}", said.lines().last().unwrap_or("nothing")))
        })?;
        let rows = [
            ("gram", ours.gram),
            ("solve", ours.solve()),
            ("spectral", ours.spectral),
            ("kmeans", ours.kmeans),
            ("total", ours.total()),
        ];
        let mut table =
            Table::new("").column("stage", 0).column("cstgl", 3).column("peer", 3).column("times faster", 1);
        for (stage, seconds) in rows {
            let peer = theirs.get(stage).and_then(serde_json::Value::as_f64);
            table.row([stage.into(), seconds.into(), peer.into(), peer.map(|peer| peer / seconds).into()]);
        }
        let peak = theirs.get("peak_mib").and_then(serde_json::Value::as_f64).unwrap_or(f64::NAN);
        Ok(format!("\n{}peak of the peer {peak:.0} MiB\n", table.markdown()))
    }
}

/// What an iteration must move, and how long the machine takes to move it.
struct Stream {
    bytes: f64,
    bandwidth: f64,
    tensor: f64,
    digits: usize,
}

impl Stream {
    fn of(config: &Config<f64>, precision: Precision, bandwidth: f64) -> Self {
        let size = match precision {
            Precision::F32 => 4,
            Precision::F64 => 8,
        };
        let tensor = (config.samples * config.samples * config.views * size) as f64;
        // D, B, S1, E, Q1 and Q2 are read, all but D written. Along the samples one more is read and written three times:
        // transformed, transformed back, and as K on the way to the next argument.
        let moved = match config.axis {
            Axis::Views => 11.0,
            Axis::Samples => 11.0 + 3.0 * 2.0,
        };
        Self { bytes: moved * tensor, bandwidth, tensor, digits: 8 * size }
    }

    fn seconds(&self) -> f64 {
        self.bytes / self.bandwidth
    }
}

fn summary(config: &Config<f64>, times: &Times, stream: &Stream) -> String {
    let rank = times.iterations.iter().map(|(_, rank)| *rank).max().unwrap_or(0);
    format!(
        "{} samples, {} views, {} threads, f{}, axis {:?}, largest rank {rank}\n\
         gram {:.3} s, solve {:.3} s, spectral {:.3} s, kmeans {:.3} s, total {:.3} s\n\
         iteration: mean {:.4} s, median {:.4} s\n\
         a copy moves {:.1} GB/s; the {:.0} MB that an iteration must move take {:.4} s\n\
         iteration over streaming: mean {:.2}, median {:.2}\n\
         workspace {:.2} n^2 m numbers, peak of the process {}\n",
        config.samples,
        config.views,
        config.threads,
        stream.digits,
        config.axis,
        times.gram,
        times.solve(),
        times.spectral,
        times.kmeans,
        times.total(),
        times.iteration(),
        times.median(),
        stream.bandwidth / 1e9,
        stream.bytes / 1e6,
        stream.seconds(),
        times.iteration() / stream.seconds(),
        times.median() / stream.seconds(),
        times.workspace_bytes as f64 / stream.tensor,
        times.peak_mib.map_or("unknown".into(), |mib| format!("{mib:.0} MiB")),
    )
}

/// Seconds of the iterations, and of streaming what each must move.
fn plot(times: &Times, stream: &Stream) -> String {
    let numbered = |f: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
        times.iterations.iter().enumerate().map(|(i, (seconds, _))| ((i + 1) as f64, f(*seconds))).collect()
    };
    let curves = [
        Curve { name: "iteration".into(), points: numbered(&|seconds| seconds) },
        Curve { name: "streaming its bytes".into(), points: numbered(&|_| stream.seconds()) },
    ];
    let lines = Lines {
        title: "Seconds of an iteration",
        x: ("iteration", Spacing::Linear),
        y: ("seconds", Spacing::Logarithmic),
        curves: &curves,
    };
    lines.draw().svg
}

/// Bytes a second that a copy reads and writes on so many threads, in memory of the same kind as a run's: the best of a few.
fn copy_bandwidth(threads: usize) -> std::result::Result<f64, cstgl::Error> {
    let need = Layout::array::<u64>(1 << 25)?;
    let (mut from, mut to) = (Workspace::try_new(need)?, Workspace::try_new(need)?);
    let (from, to) = (from.bytes_mut(), to.bytes_mut());
    from.fill(1);
    to.fill(1);
    let part = from.len().div_ceil(threads.max(1)).max(1);
    let mut best = 0.0_f64;
    for _ in 0..6 {
        let start = Instant::now();
        std::thread::scope(|scope| {
            let mut parts = from.chunks(part).zip(to.chunks_mut(part));
            let own = parts.next();
            for (from, to) in parts {
                scope.spawn(|| to.copy_from_slice(from));
            }
            if let Some((from, to)) = own {
                to.copy_from_slice(from);
            }
        });
        std::hint::black_box(&mut *to);
        best = best.max(2.0 * from.len() as f64 / start.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// The peak of the process counts from here on, where the kernel lets it: measuring the bandwidth takes memory too.
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// What the kernel says this process needed at most.
fn peak_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

/// A NumPy file of version 1.0.
fn npy(numbers: &[f64], rows: usize, cols: usize) -> Vec<u8> {
    let mut head = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {cols}), }}");
    // The numbers start at a multiple of 64.
    while (10 + head.len() + 1) % 64 != 0 {
        head.push(' ');
    }
    head.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((head.len() as u16).to_le_bytes());
    file.extend(head.as_bytes());
    file.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
    file
}
