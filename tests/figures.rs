//! The drawing layer of the command line: well-formed, self-contained, whole for any data, and looked at in a browser.
#![cfg(feature = "cli")]
#![allow(dead_code)] // The binary's modules, of which each test uses a part.

#[path = "../src/bin/cstgl/error.rs"]
mod error;
#[path = "../src/bin/cstgl/figure/mod.rs"]
mod figure;
#[path = "../src/bin/cstgl/markup.rs"]
mod markup;
#[path = "../src/bin/cstgl/page/mod.rs"]
mod page;
#[path = "../src/bin/cstgl/report/mod.rs"]
mod report;
#[path = "../src/bin/cstgl/table.rs"]
mod table;
#[path = "../src/bin/cstgl/writer.rs"]
mod writer;

mod browser;

use browser::{Browser, MEASURE, measurements};
use figure::Figure;
use figure::axis::Spacing;
use figure::bars::{Bars, Series};
use figure::grid::Grid;
use figure::lines::{Curve, Lines};
use figure::palette::{category, sequential};
use report::{Report, TraceRow};
use std::path::{Path, PathBuf};
use table::{Best, Cell, Table};

const NASTY: &str = "<script>alert('x')</script> & \"quoted\" ]]> \u{0}\u{8}{{}}";

/// Numbers in `0..1` that look random.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// Roughly normal.
    fn bell(&mut self) -> f32 {
        (0..6).map(|_| self.next()).sum::<f32>() / 3.0 - 1.0
    }
}

/// A run that never happened: `k` clusters of unequal size, some samples in the wrong one.
fn invented(n: usize, m: usize, k: usize) -> Report {
    let mut noise = Noise(7);
    let truth: Vec<u32> = (0..n).map(|i| ((i as f64 / n as f64).powf(1.3) * k as f64) as u32).collect();
    let labels: Vec<u32> = truth
        .iter()
        .map(|&t| if noise.next() < 0.05 { (t + 1) % k as u32 } else { (t + 2) % k as u32 })
        .collect();
    let mut affinity = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..i {
            let (chance, scale) = if truth[i] == truth[j] { (0.3, 1.0) } else { (0.03, 0.2) };
            if noise.next() < chance {
                let value = scale * noise.next() * 30.0 / n as f32;
                affinity[i * n + j] = value;
                affinity[j * n + i] = value;
            }
        }
    }
    let embedding = (0..n * k)
        .map(|at| noise.bell() * 0.25 + if truth[at / k] as usize == at % k { 1.0 } else { 0.0 })
        .collect();
    let trace = (1..=20)
        .map(|i| TraceRow {
            iteration: i,
            rho: 0.01 * 2_f64.powi(i as i32),
            consistent_change: if i < 5 { 0.0 } else { 40.0 * 0.4_f64.powi(i as i32) },
            split_residual: 90.0 * 0.5_f64.powi(i as i32),
            lowrank_residual: 30.0 * 0.45_f64.powi(i as i32),
            noise_residual: 3.0 * 0.55_f64.powi(i as i32),
            rank: [0, 0, 0, 0, 2, 4, 7, 9, 9, 8].get(i).copied().unwrap_or(8),
        })
        .collect();
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    Report {
        title: "Clusters of bbcsport_2view.mat".into(),
        version: "0.1.0".into(),
        input: "shared/data/bbcsport_2view.mat".into(),
        profile: "default".into(),
        n,
        views: (0..m).map(|v| (["words", "titles", "links", "authors"][v % 4].to_owned(), 3183 / (v + 1))).collect(),
        clusters: k,
        estimated: false,
        parameters: vec![
            pair("distance", "stiefel"),
            pair("neighbours", "10"),
            pair("weight", "100"),
            pair("self-loops", "no"),
            pair("axis", "views"),
            pair("noise", "column"),
            pair("beta", "10"),
            pair("gamma", "10"),
            pair("rho", "0.01"),
            pair("mu", "2"),
            pair("iterations", "20"),
            pair("seed", "0"),
        ],
        scores: Some(
            ["acc", "nmi", "ari", "fscore", "precision", "recall", "purity"]
                .iter()
                .zip([0.9504, 0.8731, 0.8912, 0.9166, 0.9203, 0.9129, 0.9504])
                .map(|(&name, value)| (name.to_owned(), value))
                .collect(),
        ),
        trace,
        labels,
        truth: Some(truth),
        affinity,
        slice_distances: (0..m * m).map(|at| (at / m).abs_diff(at % m) as f64 * 0.0371).collect(),
        embedding,
        signal: (0..20_000).map(|_| 0.4 * noise.next().powi(6)).collect(),
        noise: (0..20_000).map(|_| 0.02 * noise.bell()).collect(),
        seconds: [("read", 0.021), ("gram", 0.11), ("solve", 1.74), ("spectral", 0.35), ("kmeans", 0.042), ("total", 2.26)]
            .map(|(stage, time)| (stage.to_owned(), time))
            .to_vec(),
        workspace_bytes: 48_300_000,
        warnings: vec![
            "69 of the samples of view links are zero: in that view they resemble every other sample equally.".into(),
            "The profile reference depends on the order of the samples. Use it to reproduce, not to cluster.".into(),
        ],
    }
}

/// Small data that goes to the edge of what is allowed, or beyond.
fn degenerate() -> Vec<(&'static str, Report)> {
    let nan = f32::NAN;
    let one = Report {
        title: NASTY.into(),
        input: NASTY.into(),
        profile: NASTY.into(),
        n: 1,
        views: vec![(NASTY.into(), 1)],
        clusters: 1,
        labels: vec![7],
        truth: Some(vec![3]),
        affinity: vec![0.0],
        slice_distances: vec![0.0],
        embedding: vec![1.0],
        signal: vec![0.5],
        trace: vec![TraceRow { iteration: 1, ..TraceRow::default() }],
        scores: Some(vec![(NASTY.into(), 1.0)]),
        parameters: vec![(NASTY.into(), NASTY.into())],
        warnings: vec![NASTY.into()],
        seconds: vec![(NASTY.into(), 0.0)],
        ..Report::default()
    };
    let constant = Report {
        n: 4,
        clusters: 1,
        labels: vec![0; 4],
        affinity: vec![2.5; 16],
        embedding: vec![0.5; 8],
        signal: vec![1.0; 9],
        noise: vec![1.0; 9],
        views: vec![("a".into(), 1), ("b".into(), 2)],
        slice_distances: vec![1.0; 4],
        ..invented(4, 2, 1)
    };
    let broken = Report {
        affinity: vec![nan; 36],
        embedding: vec![nan, f32::INFINITY, 1.0, f32::MAX, -f32::MAX, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        signal: vec![nan, f32::INFINITY],
        noise: vec![f32::MAX, f32::MIN],
        slice_distances: vec![f64::NAN, f64::MAX, f64::MIN, f64::INFINITY],
        seconds: vec![("solve".into(), f64::NAN), ("total".into(), f64::INFINITY)],
        trace: vec![
            TraceRow { iteration: 1, consistent_change: f64::NAN, ..TraceRow::default() },
            TraceRow {
                iteration: 2,
                consistent_change: f64::MAX,
                split_residual: 5e-324,
                ..TraceRow::default()
            },
        ],
        ..invented(6, 2, 2)
    };
    let mismatched = Report {
        affinity: vec![1.0; 3],
        embedding: vec![1.0; 5],
        slice_distances: vec![1.0; 5],
        truth: Some(vec![1]),
        labels: vec![u32::MAX, 0],
        ..invented(6, 2, 2)
    };
    let mut many = invented(300, 9, 45);
    many.views
        .iter_mut()
        .enumerate()
        .for_each(|(i, view)| view.0 = format!("a_rather_long_view_name_number_{i}"));
    many.input = format!("{}/file.mat", "a-directory-whose-name-does-not-end".repeat(8));
    vec![
        ("one", one),
        ("constant", constant),
        ("broken", broken),
        ("mismatched", mismatched),
        ("many", many),
        ("nothing", Report::default()),
    ]
}

/// Figures that the report itself does not use.
fn others() -> Vec<Figure> {
    let names = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let powers = names(&["0.001", "0.01", "0.1", "1", "10", "100", "1000"]);
    let values: Vec<f64> = (0..49)
        .map(|at| 1.0 / (1.0 + 0.1 * ((at / 7) as f64 - 3.0).powi(2) + 0.03 * (at % 7) as f64))
        .collect();
    let sweep = Grid {
        title: "ACC over β and γ",
        x: "γ",
        y: "β",
        columns: &powers,
        rows: &powers,
        values: &values,
        unit: "ACC",
        decimals: Some(3),
        best: true,
    };
    let series = [
        Series {
            spread: vec![0.02, 0.1, 0.01, 0.05],
            ..Series::new("file order", vec![1.0, 0.9967, 0.9963, -0.25])
        },
        Series { spread: vec![0.05; 4], ..Series::new("shuffled", vec![0.2295, 0.2967, 0.9026, -0.1]) },
        Series::new("paper", vec![1.0, 0.9967, 0.9963, 0.7757]),
    ];
    let sets = names(&["HW", "Reuters", "BBCSport", "3-sources with a long name"]);
    let bars = Bars { title: "ACC by data set", x: "", y: "ACC", categories: &sets, series: &series };
    let curves: Vec<Curve> = (0..3_i32)
        .map(|i| Curve {
            name: format!("trial {i}"),
            points: (-3..4).map(|p| (10_f64.powi(p), 0.9 - 0.05 * f64::from(p * i))).collect(),
        })
        .collect();
    let lines = Lines {
        title: "Sensitivity to α",
        x: ("α", Spacing::Logarithmic),
        y: ("ACC", Spacing::Linear),
        curves: &curves,
    };
    let empty = Lines { title: "", x: ("", Spacing::Linear), y: ("", Spacing::Logarithmic), curves: &[] };
    let nothing = Grid {
        title: NASTY,
        x: NASTY,
        y: NASTY,
        columns: &[],
        rows: &[],
        values: &[],
        unit: NASTY,
        decimals: None,
        best: true,
    };
    let no_bars = Bars { title: NASTY, x: NASTY, y: NASTY, categories: &[], series: &[] };
    vec![sweep.draw(), bars.draw(), lines.draw(), empty.draw(), nothing.draw(), no_bars.draw()]
}

/// Every report that the tests look at.
fn reports() -> Vec<(&'static str, Report)> {
    let mut all = degenerate();
    all.push(("small", invented(120, 3, 4)));
    all.push(("large", invented(2000, 3, 4)));
    all
}

/// The one address that a picture may name: it says what SVG is, and nobody visits it.
const NAMESPACE: &str = "http://www.w3.org/2000/svg";

#[test]
fn every_figure_is_well_formed_and_holds_only_numbers() {
    let drawn = reports().into_iter().flat_map(|(_, report)| report.figures());
    let mut seen = 0;
    for figure in drawn.chain(others()) {
        let document =
            roxmltree::Document::parse(&figure.svg).unwrap_or_else(|e| panic!("{}: {e}", figure.name));
        assert_eq!(document.root_element().tag_name().name(), "svg");
        for node in document.descendants() {
            for attribute in node.attributes().filter(|a| !matches!(a.name(), "href" | "aria-label")) {
                let value = attribute.value();
                assert!(!value.contains("NaN") && !value.contains("inf"), "{}: {value}", figure.name);
            }
            assert_ne!(node.tag_name().name(), "script", "{}", figure.name);
        }
        let rest = figure.svg.replace(NAMESPACE, "");
        assert!(!rest.contains("http:") && !rest.contains("https:"), "{}", figure.name);
        seen += 1;
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn the_page_is_well_formed_holds_all_figures_and_loads_nothing() {
    for (name, report) in reports() {
        let page = report.html();
        let xml = page.strip_prefix("<!DOCTYPE html>").expect("a doctype");
        let document = roxmltree::Document::parse(xml).unwrap_or_else(|e| panic!("{name}: {e}"));
        for figure in report.figures() {
            assert!(page.contains(&figure.svg), "{name}: {}", figure.name);
            let with_id = |node: &roxmltree::Node<'_, '_>| node.attribute("id") == Some(figure.name.as_str());
            assert_eq!(document.descendants().filter(with_id).count(), 1, "{name}: {}", figure.name);
        }
        for node in document.descendants() {
            assert!(!["script", "link", "iframe", "a"].contains(&node.tag_name().name()), "{name}");
            for attribute in node.attributes().filter(|a| matches!(a.name(), "src" | "href")) {
                assert!(attribute.value().starts_with("data:image/png;base64,"), "{name}");
            }
        }
        let rest = page.replace(NAMESPACE, "");
        assert!(!rest.contains("http:") && !rest.contains("https:") && !rest.contains("url("), "{name}");
    }
    let names: Vec<String> = invented(120, 3, 4).figures().into_iter().map(|figure| figure.name).collect();
    let wanted = [
        "affinity",
        "embedding",
        "contingency",
        "embedding-truth",
        "convergence",
        "rank",
        "slice-distances",
        "densities",
        "cluster-sizes",
        "time",
    ];
    assert_eq!(names, wanted);
}

#[test]
fn what_the_data_says_is_text_and_never_markup() {
    let (_, report) = degenerate().swap_remove(0);
    let page = report.html();
    assert!(!page.contains("<script") && !page.contains('\u{0}') && !page.contains('\u{8}'));
    assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;quoted&quot; ]]&gt;"));
}

#[test]
fn the_image_of_the_affinity_is_the_matrix_in_order_of_the_clusters() {
    // Two clusters, their samples alternating: ordered, the matrix has two blocks, and the first is stronger.
    let n = 6;
    let affinity = (0..n * n).map(|at| {
        if (at / n) % 2 != (at % n) % 2 {
            0.0
        } else if at / n % 2 == 0 {
            1.0
        } else {
            0.25
        }
    });
    let labels = (0..n as u32).map(|i| i % 2).collect();
    let report = Report { n, labels, affinity: affinity.collect(), ..Report::default() };
    let svg = report.figures().swap_remove(0).svg;
    let (side, pixels) = decode(&svg);
    assert_eq!(side, n);
    for (at, &pixel) in pixels.iter().enumerate() {
        // The square root of a quarter is a half.
        let share: f64 = match (at / n < 3, at % n < 3) {
            (true, true) => 1.0,
            (false, false) => 0.5,
            _ => 0.0,
        };
        assert_eq!(f64::from(pixel), (255.0 * share).round(), "pixel {at}");
    }
}

#[test]
fn a_large_matrix_becomes_a_small_image_that_keeps_its_mean() {
    let n = 1000;
    // One cluster; 0 in the left half, 4 in the right: with equal row sums the order is that of the samples.
    let affinity = (0..n * n).map(|at| if at % n < n / 2 { 0.0 } else { 4.0 }).collect();
    let report = Report { n, labels: vec![0; n], affinity, ..Report::default() };
    let (side, pixels) = decode(&report.figures().swap_remove(0).svg);
    assert!((100..=500).contains(&side), "{side}");
    for (at, &pixel) in pixels.iter().enumerate() {
        assert_eq!(pixel, if at % side < side / 2 { 0 } else { 255 }, "pixel {at}");
    }
}

/// The side and the palette indices of the image in a picture.
fn decode(svg: &str) -> (usize, Vec<u8>) {
    let start = svg.find("base64,").expect("an image") + "base64,".len();
    let text: String = svg[start..].chars().take_while(|&c| c != '"').collect();
    let digit = |c: char| match c {
        'A'..='Z' => c as u32 - 'A' as u32,
        'a'..='z' => c as u32 - 'a' as u32 + 26,
        '0'..='9' => c as u32 - '0' as u32 + 52,
        '+' => 62,
        _ => 63,
    };
    let bits: Vec<u32> = text.trim_end_matches('=').chars().map(digit).collect();
    let bytes: Vec<u8> = bits
        .chunks(4)
        .flat_map(|four| {
            let word = (0..4).fold(0, |word, i| word << 6 | four.get(i).copied().unwrap_or(0));
            word.to_be_bytes()[1..four.len()].to_vec()
        })
        .collect();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    assert_eq!((info.width, info.color_type), (info.height, png::ColorType::Indexed));
    (info.width as usize, pixels)
}

#[test]
fn the_plane_is_that_of_the_largest_variance() {
    // A cross in four dimensions with arms of 2 and 1: of the variance, 8 parts of 10 lie along the long arm.
    let rows = [[5.0, 1.0, 0.0, 2.0_f32], [5.0, 1.0, 0.0, -2.0], [5.0, 2.0, 0.0, 0.0], [5.0, 0.0, 0.0, 0.0]];
    let plane = report::plane::project(rows.as_flattened(), 4).expect("a plane");
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
    assert!(near(plane.shares.0, 0.8) && near(plane.shares.1, 0.2), "{:?}", plane.shares);
    let sizes = plane.points.iter().map(|(x, y)| (x.abs(), y.abs()));
    for ((x, y), (long, short)) in sizes.zip([(2.0, 0.0), (2.0, 0.0), (0.0, 1.0), (0.0, 1.0)]) {
        assert!(near(x, long) && near(y, short), "{:?}", plane.points);
    }
    assert!(report::plane::project(&[1.0; 5], 2).is_none() && report::plane::project(&[], 0).is_none());
}

#[test]
fn classes_find_the_clusters_that_resemble_them() {
    use report::order::Groups;
    let clusters = Groups::of(&[9, 9, 9, 4, 4, 4, 4, 7]);
    let classes = Groups::of(&[0, 0, 1, 1, 1, 1, 2, 2]);
    // Rows 4, 7, 9 by columns 0, 1, 2.
    assert_eq!(clusters.shared(&classes), [0.0, 3.0, 1.0, 0.0, 0.0, 1.0, 2.0, 1.0, 0.0]);
    assert_eq!(clusters.partners(&classes), [2, 0, 1]);
    // A class without a partner has a colour that no cluster has.
    assert_eq!(Groups::of(&[3, 3, 3]).partners(&Groups::of(&[5, 6, 6])), [1, 0]);
}

#[test]
fn shades_darken_evenly_and_text_can_be_read_on_them() {
    let shades: Vec<f64> = (0..=100).map(|i| sequential(f64::from(i) / 100.0).luminance()).collect();
    for pair in shades.windows(2) {
        assert!(pair[0] > pair[1], "{pair:?}");
    }
    for i in 0..=100 {
        let shade = sequential(f64::from(i) / 100.0);
        let (a, b) = (shade.luminance(), shade.text_on().luminance());
        let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
        // The guidelines ask 4.5 of small text, 3 of large; on a middle shade no colour has more than 3.9.
        assert!(contrast > 3.8, "{i}: {contrast}");
    }
    let colours: Vec<_> = (0..24).map(category).collect();
    for (i, colour) in colours.iter().enumerate() {
        assert!(!colours[..i].contains(colour), "{colour}");
    }
}

#[test]
fn numbers_are_short_and_exact_enough() {
    let cases: [(f64, usize, &str); 12] = [
        (0.0, 3, "0"),
        (1.0, 3, "1"),
        (0.1, 2, "0.1"),
        (-0.25, 2, "−0.25"),
        (999.96, 3, "1000"),
        (1234.5, 2, "1234"),
        (0.00012345, 2, "0.00012"),
        (0.000012345, 2, "1.2·10⁻⁵"),
        (-1e-7, 2, "−10⁻⁷"),
        (2.5e6, 2, "2.5·10⁶"),
        (123456.0, 6, "123456"),
        (f64::NAN, 2, "–"),
    ];
    for (value, figures, text) in cases {
        assert_eq!(markup::short(value, figures), text);
    }
    assert_eq!(markup::count(1_234_567), "1\u{202f}234\u{202f}567");
    assert_eq!(markup::bytes(48_300_000), "46.1 MiB");
    // RFC 4648, section 10.
    for (text, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
        assert_eq!(markup::base64(text.as_bytes()), coded);
    }
}

#[test]
fn tables_align_numbers_and_mark_the_best() {
    let mut table =
        Table::new("").column("method", 0).best("ACC", 3, Best::Largest).best("time, s", 1, Best::Smallest);
    table.row(["a|b".into(), Cell::Number(0.98, Some(0.01)), 12.0.into()]);
    table.row(["say \"c\"".into(), 0.5.into(), 3.25.into()]);
    table.row(["none".into(), Cell::Empty, f64::NAN.into()]);
    let markdown = "\
| method  |               ACC | time, s |
| ------- | ----------------: | ------: |
| a\\|b    | **0.980 ± 0.010** |    12.0 |
| say \"c\" |             0.500 | **3.2** |
| none    |                 – |       – |
";
    assert_eq!(table.markdown(), markdown);
    let csv = "method,ACC,ACC spread,\"time, s\"\na|b,0.98,0.01,12\n\"say \"\"c\"\"\",0.5,,3.25\nnone,,,\n";
    assert_eq!(table.csv(), csv);
    let html = table.html();
    roxmltree::Document::parse(&html).expect("well-formed");
    assert!(html.contains("<td class=\"number\"><strong>0.980 ± 0.010</strong></td>"), "{html}");
    assert!(html.contains("<td>say &quot;c&quot;</td>"), "{html}");
}

#[test]
fn every_figure_becomes_a_file() {
    let directory = scratch("files").join("svg");
    let report = invented(30, 2, 3);
    let paths = report.write_figures(&directory).expect("written");
    assert_eq!(paths.len(), report.figures().len());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("readable");
        roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
}

#[test]
fn a_browser_shows_every_page_without_complaint() {
    let Some(browser) = Browser::find() else { return };
    let directory = scratch("browser");
    for (name, report) in reports() {
        let path = directory.join(format!("{name}.html"));
        let mut figures = report.figures();
        if name == "small" {
            figures.extend(others());
        }
        let page = report.html_with(&figures);
        std::fs::write(&path, &page).expect("written");
        browser.inspect(&path, figures.len());
    }
    // The measure itself: a page with every fault has every complaint.
    let faulty = directory.join("faulty.html");
    let faults = format!(
        "<body><p style='width:2000px'>wide</p><svg width='90' height='90' aria-label='s'><path d='MNaN'/>\
         <text x='9' y='40'>first</text><text x='12' y='42'>second</text><text x='80' y='80'>outside</text></svg>\
         {MEASURE}</body>"
    );
    std::fs::write(&faulty, faults).expect("written");
    let (dom, complaints) = browser.show(&faulty, 800);
    assert!(complaints.contains("Expected number"), "{complaints}");
    for fault in ["wider than", "'second' over 'first'", "'outside' leaves the picture"] {
        assert!(measurements(&dom).contains(fault), "{fault}: {}", measurements(&dom));
    }
}

/// A directory of this test alone.
fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("figures").join(name);
    std::fs::create_dir_all(&path).expect("a directory");
    path
}
