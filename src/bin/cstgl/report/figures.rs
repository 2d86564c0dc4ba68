//! Which figures a run has, and what they say.

use super::order::Groups;
use super::{Report, TraceRow, plane};
use crate::figure::Figure;
use crate::figure::axis::Spacing;
use crate::figure::bars::{Bars, Series};
use crate::figure::grid::Grid;
use crate::figure::heatmap::HeatMap;
use crate::figure::histogram::Densities;
use crate::figure::lines::{Curve, Lines};
use crate::figure::palette::category;
use crate::figure::scatter::{MOST, Scatter};
use crate::markup::count;

/// All figures that the data allows.
pub fn all(report: &Report) -> Vec<Figure> {
    let groups = Groups::of(&report.labels);
    let truth = report.truth.as_ref().filter(|truth| truth.len() == report.n).map(|truth| Groups::of(truth));
    let truth = truth.as_ref();
    let figures = [
        affinity(report, &groups),
        embedding(report, &groups),
        truth.and_then(|truth| contingency(&groups, truth)),
        truth.and_then(|truth| true_embedding(report, &groups, truth)),
        convergence(report),
        rank(report),
        slices(report),
        densities(report),
        sizes(&groups),
        times(report),
    ];
    figures.into_iter().flatten().collect()
}

fn affinity(report: &Report, groups: &Groups) -> Option<Figure> {
    let n = groups.of.len();
    if n == 0 || n.checked_mul(n) != Some(report.affinity.len()) {
        return None;
    }
    let order = groups.order(&report.affinity);
    let blocks: Vec<_> = (groups.labels.iter().zip(groups.sizes()).enumerate())
        .map(|(i, (label, size))| (label.to_string(), size, category(i)))
        .collect();
    let map = HeatMap {
        title: "Affinity, ordered by cluster",
        values: &report.affinity,
        order: &order,
        groups: &blocks,
        unit: "affinity",
        grouping: "cluster",
    };
    Some(map.draw().named("affinity").explained(
        "How strongly each pair of samples is connected, all views together; within a cluster the best connected \
         come first. Dark blocks on the diagonal are clusters that hold together, shades outside are samples \
         between two clusters. Shades go with the square root.",
    ))
}

fn embedding(report: &Report, groups: &Groups) -> Option<Figure> {
    let names: Vec<_> =
        groups.labels.iter().enumerate().map(|(i, label)| (format!("cluster {label}"), i)).collect();
    let figure = scatter(report, "Samples by cluster", groups, &names)?;
    let n = report.n;
    let thinned = if n > MOST {
        format!(" Of {} samples, every {}th is drawn.", count(n as u64), n.div_ceil(MOST))
    } else {
        String::new()
    };
    Some(figure.named("embedding").explained(format!(
        "The spectral embedding that was clustered, seen along the two directions in which it varies most (with their \
         shares of the variance). Clusters \
         that overlap here may be apart in the directions not shown.{thinned}"
    )))
}

fn true_embedding(report: &Report, groups: &Groups, truth: &Groups) -> Option<Figure> {
    let partners = groups.partners(truth);
    let names: Vec<_> =
        truth.labels.iter().zip(partners).map(|(label, i)| (format!("class {label}"), i)).collect();
    let figure = scatter(report, "Samples by known class", truth, &names)?;
    Some(figure.named("embedding-truth").explained(
        "The same points in the colours of their known classes. A class has the colour of the cluster that it \
         resembles most, so where the two pictures differ, samples went elsewhere.",
    ))
}

fn scatter(report: &Report, title: &str, groups: &Groups, names: &[(String, usize)]) -> Option<Figure> {
    let plane = plane::project(&report.embedding, report.n)?;
    let axis = |name: &str, share: f64| format!("{name} principal axis ({:.0} %)", 100.0 * share);
    let (x, y) = (axis("first", plane.shares.0), axis("second", plane.shares.1));
    Some(Scatter { title, x: &x, y: &y, points: &plane.points, groups: &groups.of, names }.draw())
}

fn contingency(groups: &Groups, truth: &Groups) -> Option<Figure> {
    const MOST: usize = 40;
    if groups.of.len() != truth.of.len() || groups.labels.len().max(truth.labels.len()) > MOST {
        return None;
    }
    // Classes stand in the order of the clusters that they resemble, so that agreement is the diagonal.
    let partners = groups.partners(truth);
    let mut order: Vec<usize> = (0..truth.labels.len()).collect();
    order.sort_by_key(|&j| partners.get(j));
    let counts = groups.shared(truth);
    let values: Vec<f64> = counts
        .chunks(truth.labels.len().max(1))
        .flat_map(|row| order.iter().filter_map(|&j| row.get(j).copied()))
        .collect();
    let rows: Vec<String> = groups.labels.iter().map(u32::to_string).collect();
    let columns: Vec<String> =
        order.iter().filter_map(|&j| truth.labels.get(j)).map(u32::to_string).collect();
    let grid = Grid {
        title: "Clusters against known classes",
        x: "known class",
        y: "cluster",
        columns: &columns,
        rows: &rows,
        values: &values,
        unit: "samples",
        decimals: Some(0),
        best: false,
    };
    Some(grid.draw().named("contingency").explained(
        "Samples of each known class in each cluster. A perfect clustering has one number in every row and column.",
    ))
}

fn convergence(report: &Report) -> Option<Figure> {
    if report.trace.is_empty() {
        return None;
    }
    let curve = |name: &str, value: fn(&TraceRow) -> f64| Curve {
        name: name.into(),
        points: report.trace.iter().map(|row| (row.iteration as f64, value(row))).collect(),
    };
    let curves = [
        curve("change of S1", |row| row.consistent_change),
        curve("A − S1 − S2 − E", |row| row.split_residual),
        curve("K − S1", |row| row.lowrank_residual),
        curve("W − E", |row| row.noise_residual),
    ];
    let lines = Lines {
        title: "Convergence",
        x: ("iteration", Spacing::Linear),
        y: ("Frobenius norm", Spacing::Logarithmic),
        curves: &curves,
    };
    Some(lines.draw().named("convergence").explained(
        "The change of the consistent part from one iteration to the next, and how far the three constraints are \
         from being met. All should fall towards zero; values that are exactly zero are not drawn.",
    ))
}

fn rank(report: &Report) -> Option<Figure> {
    if report.trace.is_empty() {
        return None;
    }
    let points = report.trace.iter().map(|row| (row.iteration as f64, row.rank as f64)).collect();
    let curves = [Curve { name: "rank".into(), points }];
    let lines = Lines {
        title: "Rank of the consistent part",
        x: ("iteration", Spacing::Linear),
        y: ("largest rank of a slice", Spacing::Linear),
        curves: &curves,
    };
    Some(lines.draw().named("rank").explained(
        "How many patterns the views have in common. It stays at zero while the threshold of the shrinkage exceeds \
         everything.",
    ))
}

fn slices(report: &Report) -> Option<Figure> {
    let m = report.views.len();
    if m == 0 || report.slice_distances.len() != m * m {
        return None;
    }
    let names: Vec<String> = report.views.iter().map(|(name, _)| name.clone()).collect();
    let grid = Grid {
        title: "Distance between the slices of S1",
        x: "view",
        y: "view",
        columns: &names,
        rows: &names,
        values: &report.slice_distances,
        unit: "distance",
        decimals: None,
        best: false,
    };
    Some(grid.draw().named("slice-distances").explained(
        "How far the consistent parts of two views are apart. Small numbers mean that the views agree on the graph \
         (the paper's Fig. 2).",
    ))
}

fn densities(report: &Report) -> Option<Figure> {
    if report.signal.is_empty() && report.noise.is_empty() {
        return None;
    }
    let parts: [(&str, &[f32]); 2] = [("signal, S1 + S2", &report.signal), ("noise, E", &report.noise)];
    let figure = Densities {
        title: "Signal and noise",
        x: "value of an entry",
        parts: &parts,
        y: Spacing::Logarithmic,
    };
    Some(figure.draw().named("densities").explained(
        "How the entries of the noise-free part and of the noise are distributed. The scale is logarithmic, so that \
         the few large entries can be seen beside the many small ones.",
    ))
}

fn sizes(groups: &Groups) -> Option<Figure> {
    if groups.of.is_empty() {
        return None;
    }
    let names: Vec<String> = groups.labels.iter().map(u32::to_string).collect();
    let values = groups.sizes().into_iter().map(|size| size as f64).collect();
    let colours = (0..names.len()).map(category).collect();
    let series = [Series { colours, ..Series::new("samples", values) }];
    let bars =
        Bars { title: "Cluster sizes", x: "cluster", y: "samples", categories: &names, series: &series };
    Some(bars.draw().named("cluster-sizes").explained("Samples in each cluster."))
}

fn times(report: &Report) -> Option<Figure> {
    let stages = || report.seconds.iter().filter(|(stage, _)| stage != "total");
    stages().next()?;
    let names: Vec<String> = stages().map(|(stage, _)| stage.clone()).collect();
    let series = [Series::new("seconds", stages().map(|(_, time)| *time).collect())];
    let bars =
        Bars { title: "Where the time went", x: "stage", y: "seconds", categories: &names, series: &series };
    Some(bars.draw().named("time").explained("Seconds of each stage of the run."))
}
