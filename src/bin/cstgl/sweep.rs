//! `cstgl sweep`: a grid of parameters, every point solved and scored.
use crate::error::{Error, Result, printable};
use crate::figure::axis::Spacing;
use crate::figure::grid::Grid as Map;
use crate::figure::lines::{Curve, Lines};
use crate::figure::{self, Figure};
use crate::markup::{seconds, short};
use crate::output;
use crate::page::Page;
use crate::parameters::Parameters;
use crate::progress::Progress;
use crate::read::views::{Input, Views};
use crate::report::score_name;
use crate::run::{self, Grams, Precision};
use crate::table::{Best, Cell, Table};
use crate::writer;
use cstgl::Scalar;
use cstgl::config::{Config, GraphTerm};
use cstgl::metrics::Scores;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Solve and score a grid of alpha x beta x gamma
#[derive(Debug, clap::Args)]
pub struct Sweep {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    parameters: Parameters,
    #[command(flatten)]
    grid: Lists,
    /// Write a line for every point; - prints them instead of a summary
    #[arg(long, value_name = "OUT.csv", help_heading = "Output")]
    csv: Option<PathBuf>,
    /// Write everything as JSON; - prints it instead of a summary
    #[arg(long, value_name = "OUT.json", help_heading = "Output")]
    json: Option<PathBuf>,
    /// Write a report with heat maps, one HTML file
    #[arg(long, value_name = "OUT.html", help_heading = "Output")]
    report: Option<PathBuf>,
    /// Write every heat map as an SVG file into this directory
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    figures: Option<PathBuf>,
}

/// The values that are tried.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Grid")]
struct Lists {
    /// Values of alpha, separated by commas
    #[arg(long, value_name = "X,...", value_delimiter = ',', allow_hyphen_values = true, default_value = POWERS)]
    alphas: Vec<f64>,
    /// Weights of the adaptive graph term instead of alpha
    #[arg(long, value_name = "X,...", value_delimiter = ',', allow_hyphen_values = true, conflicts_with_all = ["alphas", "alpha"])]
    weights: Vec<f64>,
    /// Values of beta
    #[arg(long, value_name = "X,...", value_delimiter = ',', allow_hyphen_values = true, default_value = POWERS)]
    betas: Vec<f64>,
    /// Values of gamma
    #[arg(long, value_name = "X,...", value_delimiter = ',', allow_hyphen_values = true, default_value = POWERS)]
    gammas: Vec<f64>,
}

const POWERS: &str = "0.001,0.01,0.1,1,10,100,1000";

/// A grid of parameters.
#[derive(Debug, Clone)]
pub struct Grid {
    /// `alpha`, or `weight` where the graph term is the adaptive one.
    pub graph: &'static str,
    pub graphs: Vec<f64>,
    pub betas: Vec<f64>,
    pub gammas: Vec<f64>,
}

/// One point of a grid, solved.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// Of `alpha` or the weight.
    pub graph: f64,
    pub beta: f64,
    pub gamma: f64,
    pub scores: Scores,
    /// The largest rank of a slice of the consistent part.
    pub rank: usize,
    pub seconds: f64,
}

impl Grid {
    /// The number of points.
    pub fn len(&self) -> usize {
        self.graphs.len() * self.betas.len() * self.gammas.len()
    }

    /// The choices at every point: gamma runs fastest, then beta.
    fn configs<'a>(&'a self, base: &'a Config<f64>) -> impl Iterator<Item = (f64, Config<f64>)> + 'a {
        let of = |graph: f64| match (self.graph, base.graph) {
            ("alpha", _) => GraphTerm::Fixed { alpha: graph },
            (_, GraphTerm::Adaptive { neighbours, .. }) => GraphTerm::Adaptive { neighbours, weight: graph },
            _ => GraphTerm::Adaptive { neighbours: 10, weight: graph },
        };
        let pairs = self.betas.iter().flat_map(|&beta| self.gammas.iter().map(move |&gamma| (beta, gamma)));
        self.graphs.iter().flat_map(move |&graph| {
            let term = of(graph);
            pairs.clone().map(move |(beta, gamma)| (graph, Config { graph: term, beta, gamma, ..*base }))
        })
    }

    /// Solves and scores every point, `threads` of them at a time, each on one thread. The views have been multiplied
    /// out already, so a point costs its solver and its clustering alone.
    pub fn solve<T: Scalar>(
        &self,
        grams: &Grams<T>,
        truth: &[u32],
        base: &Config<f64>,
        shuffle: Option<u64>,
        threads: usize,
    ) -> Result<Vec<Point>> {
        let base = Config { threads: 1, ..*base };
        for (_, config) in self.configs(&base) {
            config.check().map_err(|error| run::refusal(error, &[]))?;
        }
        let points: Mutex<Vec<Option<Point>>> = Mutex::new(vec![None; self.len()]);
        let failure: Mutex<Option<Error>> = Mutex::new(None);
        let progress = Mutex::new(Progress::new("sweeping", self.len()));
        let queue = Mutex::new(self.configs(&base).enumerate());
        let point = |graph: f64, config: &Config<f64>| -> Result<Point> {
            let start = Instant::now();
            let mut solved = run::solve(grams, config, shuffle, |_| ())?;
            let (_, found) = solved.cluster()?;
            Ok(Point {
                graph,
                beta: config.beta,
                gamma: config.gamma,
                scores: run::scores(truth, &found.labels)?,
                rank: solved.trace.last().map_or(0, |row| row.rank),
                seconds: start.elapsed().as_secs_f64(),
            })
        };
        let work = || {
            while locked(&failure).is_none()
                && let Some((place, (graph, config))) = { locked(&queue).next() }
            {
                match point(graph, &config) {
                    Ok(point) => {
                        if let Some(to) = locked(&points).get_mut(place) {
                            *to = Some(point);
                        }
                    }
                    Err(error) => *locked(&failure) = Some(error),
                }
                locked(&progress).step();
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.clamp(1, self.len().max(1)) {
                scope.spawn(work);
            }
            work();
        });
        drop(progress);
        match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => {
                let points = points.into_inner().unwrap_or_else(PoisonError::into_inner);
                Ok(points.into_iter().flatten().collect())
            }
        }
    }

    /// For every value of the graph term a heat map over beta and gamma; then how much the graph term matters.
    pub fn figures(&self, points: &[Point]) -> Vec<Figure> {
        let names = |values: &[f64]| values.iter().map(|&value| short(value, 3)).collect::<Vec<_>>();
        let (rows, columns) = (names(&self.betas), names(&self.gammas));
        let slice = (rows.len() * columns.len()).max(1);
        let mut figures = vec![self.sensitivity(points)];
        for (&graph, points) in self.graphs.iter().zip(points.chunks(slice)) {
            let values: Vec<f64> = points.iter().map(|point| point.scores.acc).collect();
            let title = format!("ACC at {} = {}", self.graph, short(graph, 3));
            let map = Map {
                title: &title,
                x: "gamma",
                y: "beta",
                columns: &columns,
                rows: &rows,
                values: &values,
                unit: "ACC",
                decimals: Some(3),
                best: true,
            };
            let name = format!("acc-{}-{graph}", self.graph);
            figures
                .push(map.draw().named(name).explained("Accuracy over beta and gamma; the best is framed."));
        }
        figures
    }

    fn sensitivity(&self, points: &[Point]) -> Figure {
        let slice = (self.betas.len() * self.gammas.len()).max(1);
        let curve = |name: &str, of: fn(&mut Vec<f64>) -> f64| Curve {
            name: name.into(),
            points: (self.graphs.iter().zip(points.chunks(slice)))
                .map(|(&graph, points)| (graph, of(&mut points.iter().map(|p| p.scores.acc).collect())))
                .collect(),
        };
        let curves = [
            curve("best", |values| values.iter().copied().fold(0.0, f64::max)),
            curve("median", |values| {
                values.sort_by(f64::total_cmp);
                values.get(values.len() / 2).copied().unwrap_or(0.0)
            }),
            curve("worst", |values| values.iter().copied().fold(1.0, f64::min)),
        ];
        let lines = Lines {
            title: &format!("Sensitivity to {}", self.graph),
            x: (self.graph, Spacing::Logarithmic),
            y: ("ACC", Spacing::Linear),
            curves: &curves,
        };
        let caption = format!("Accuracy over all beta and gamma at each value of {}.", self.graph);
        lines.draw().named(format!("sensitivity-{}", self.graph)).explained(caption)
    }

    /// A row for every point, with everything, for programs.
    pub fn table(&self, points: &[Point]) -> Table {
        let mut table = Table::new("").column(self.graph, 3).column("beta", 3).column("gamma", 3);
        for name in SCORES.into_iter().chain(["rank", "seconds"]) {
            table = table.column(name, 4);
        }
        for point in points {
            let head = [point.graph, point.beta, point.gamma];
            let scores = run::named_scores(&point.scores).map(|(_, value)| value);
            let tail = [point.rank as f64, point.seconds];
            table.row(head.into_iter().chain(scores).chain(tail).map(Into::into));
        }
        table
    }

    /// A row for every point, with what has room on a page.
    fn shown(&self, points: &[Point]) -> Table {
        let mut table = Table::new("").right(self.graph).right("beta").right("gamma");
        for name in SHOWN {
            table = table.best(score_name(name), 4, Best::Largest);
        }
        for point in points {
            let head = [point.graph, point.beta, point.gamma].map(|value| Cell::Text(short(value, 3)));
            let scores = run::named_scores(&point.scores).into_iter();
            let scores = scores.filter(|(name, _)| SHOWN.contains(name)).map(|(_, value)| value.into());
            table.row(head.into_iter().chain(scores));
        }
        table
    }
}

const SCORES: [&str; 7] = ["acc", "nmi", "ari", "fscore", "precision", "recall", "purity"];
/// Those that have room on a page.
const SHOWN: [&str; 4] = ["acc", "nmi", "ari", "purity"];

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The points from the best accuracy downwards, the first of equals first.
fn ranked(points: &[Point]) -> Vec<Point> {
    let mut ranked = points.to_vec();
    ranked.sort_by(|a, b| b.scores.acc.total_cmp(&a.scores.acc));
    ranked
}

impl Sweep {
    /// Reads, solves the grid, writes.
    pub fn run(&self) -> Result<()> {
        output::check([&self.csv, &self.json, &self.report].into_iter().flatten(), self.figures.as_deref())?;
        let views = Views::read(&self.input)?;
        let Some(truth) = &views.labels else {
            return Err(Error::new("there are no known classes to score against")
                .remedy("say with --truth which variable or file has them"));
        };
        let mut base = self.parameters.filled(views.n, views.views.len());
        if self.parameters.clusters.is_none() {
            base.clusters = truth.classes.len();
        }
        let grid = self.lists();
        let start = Instant::now();
        let points = match self.parameters.precision {
            Precision::F32 => self.solve::<f32>(&grid, &views, &truth.values, &base),
            Precision::F64 => self.solve::<f64>(&grid, &views, &truth.values, &base),
        }?;
        let time = start.elapsed().as_secs_f64();
        for note in &views.notes {
            eprintln!("note: {}", printable(note));
        }
        self.write(&Swept { grid, points, base, n: views.n, m: views.views.len(), time })
    }

    fn lists(&self) -> Grid {
        let Lists { alphas, weights, betas, gammas } = &self.grid;
        let single = |value: Option<f64>, list: &Vec<f64>| value.map_or(list.clone(), |value| vec![value]);
        let adaptive = self.parameters.neighbours.is_some() || self.parameters.weight.is_some();
        let (graph, graphs) = match (weights.as_slice(), self.parameters.weight) {
            ([], Some(weight)) => ("weight", vec![weight]),
            ([], None) if adaptive => ("weight", vec![100.0]),
            ([], None) => ("alpha", single(self.parameters.alpha, alphas)),
            (weights, _) => ("weight", weights.to_vec()),
        };
        let (betas, gammas) = (single(self.parameters.beta, betas), single(self.parameters.gamma, gammas));
        Grid { graph, graphs, betas, gammas }
    }

    fn solve<T: Scalar>(
        &self,
        grid: &Grid,
        views: &Views,
        truth: &[u32],
        base: &Config<f64>,
    ) -> Result<Vec<Point>> {
        let grams = Grams::<T>::of(views).map_err(|error| error.at(self.input.name()))?;
        grid.solve(&grams, truth, base, self.parameters.shuffle, self.parameters.threads())
    }

    fn write(&self, swept: &Swept) -> Result<()> {
        let Swept { grid, points, .. } = swept;
        if let Some(path) = &self.csv {
            output::put(path, &grid.table(points).csv())?;
        }
        if let Some(path) = &self.json {
            output::put(path, &format!("{}\n", self.to_json(swept)))?;
        }
        let draws = self.report.is_some() || self.figures.is_some();
        let figures = if draws { grid.figures(points) } else { Vec::new() };
        if let Some(path) = &self.report {
            output::put(path, &self.html(swept, &figures))?;
        }
        if let Some(directory) = &self.figures {
            figure::write_all(directory, &figures)?;
        }
        let files = || [&self.csv, &self.json, &self.report].into_iter().flatten();
        if files().any(|path| path.as_os_str() == "-") {
            return Ok(());
        }
        let mut text = format!("{} points in {}; the best:\n", points.len(), seconds(swept.time));
        for point in ranked(points).iter().take(5) {
            let _ = writeln!(
                text,
                "{} {:<6} beta {:<6} gamma {:<6}  ACC {:.4}  NMI {:.4}  ARI {:.4}",
                grid.graph,
                point.graph,
                point.beta,
                point.gamma,
                point.scores.acc,
                point.scores.nmi,
                point.scores.ari
            );
        }
        for path in files().chain(&self.figures) {
            let _ = writeln!(text, "wrote {}", path.display());
        }
        writer::print(&text)
    }

    fn to_json(&self, swept: &Swept) -> Value {
        let row = |point: &Point| -> Value {
            let scores: Value = run::named_scores(&point.scores)
                .into_iter()
                .map(|(name, x)| (name.to_owned(), json!(x)))
                .collect();
            json!({
                (swept.grid.graph): point.graph,
                "beta": point.beta,
                "gamma": point.gamma,
                "scores": scores,
                "rank": point.rank,
                "seconds": point.seconds,
            })
        };
        let fixed = self.parameters.named(&swept.base).into_iter();
        let fixed = fixed.filter(|(name, _)| !["alpha", "weight", "beta", "gamma"].contains(name));
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "n": swept.n,
            "views": swept.m,
            "clusters": swept.base.clusters,
            "parameters": fixed.map(|(name, value)| (name.to_owned(), value)).collect::<Value>(),
            "points": swept.points.iter().map(row).collect::<Vec<_>>(),
            "seconds": swept.time,
        })
    }

    fn html(&self, swept: &Swept, figures: &[Figure]) -> String {
        let input = self.input.name();
        let facts = [
            ("Data", input.clone()),
            ("Samples", swept.n.to_string()),
            ("Views", swept.m.to_string()),
            ("Clusters", swept.base.clusters.to_string()),
            ("Profile", self.parameters.profile.name().to_owned()),
            ("Points", swept.points.len().to_string()),
            ("Time", seconds(swept.time)),
        ];
        let file = input.rsplit(['/', '\\']).next().unwrap_or_default();
        let mut page = Page::new(&format!("Parameters for {file}"), env!("CARGO_PKG_VERSION"), &facts);
        page.heading("The best points");
        let best: Vec<Point> = ranked(&swept.points).into_iter().take(10).collect();
        page.table(&swept.grid.shown(&best));
        page.heading("Figures");
        page.figures(figures);
        page.folded("Every point in numbers", &swept.grid.shown(&swept.points));
        page.finish()
    }
}

/// A grid that was solved.
struct Swept {
    grid: Grid,
    points: Vec<Point>,
    base: Config<f64>,
    n: usize,
    m: usize,
    time: f64,
}
