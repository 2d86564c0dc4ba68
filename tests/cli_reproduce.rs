//! `cstgl reproduce` says what it did not find, and with the paper's data gives the paper's numbers in file order.
#![cfg(feature = "cli")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory of its own, gone at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reproduce-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn reproduce(data: &Path, out: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cstgl"));
    command.arg("reproduce").arg("--data").arg(data).arg("--out").arg(out).args(more).output().unwrap()
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A NumPy file (version 1) of doubles.
fn npy(rows: usize, cols: usize, value: impl Fn(usize, usize) -> f64) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {cols}), }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    file.extend(header.bytes());
    for i in 0..rows {
        for j in 0..cols {
            file.extend(value(i, j).to_le_bytes());
        }
    }
    file
}

/// A variable: its name, its shape, its elements.
type Variable<'a> = (&'a str, usize, usize, &'a dyn Fn(usize, usize) -> f64);

/// A MAT-file (version 5, not compressed) of double matrices, column after column.
fn mat(variables: &[Variable<'_>]) -> Vec<u8> {
    let element = |kind: u32, bytes: &[u8]| {
        let mut out = [kind.to_le_bytes(), u32::try_from(bytes.len()).unwrap().to_le_bytes()].concat();
        out.extend(bytes);
        out.resize(out.len().next_multiple_of(8), 0);
        out
    };
    let mut file = format!("{:<124}", "MATLAB 5.0 MAT-file").into_bytes();
    file.extend([0x00, 0x01, b'I', b'M']);
    for &(name, rows, cols, value) in variables {
        let numbers: Vec<u8> =
            (0..cols).flat_map(|j| (0..rows).flat_map(move |i| value(i, j).to_le_bytes())).collect();
        let shape = [rows, cols].map(|size| i32::try_from(size).unwrap().to_le_bytes()).concat();
        let matrix = [
            element(6, &[6, 0, 0, 0, 0, 0, 0, 0]),
            element(5, &shape),
            element(1, name.as_bytes()),
            element(9, &numbers),
        ];
        file.extend(element(14, &matrix.concat()));
    }
    file
}

/// Numbers that look random, and are larger where the feature belongs to the sample's class.
fn value(view: usize, sample: usize, feature: usize, classes: usize) -> f64 {
    let mut state = (view * 1_000_003 + sample * 1_009 + feature + 1) as u64;
    for _ in 0..3 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    }
    let noise = (state >> 40) as f64 / (1_u64 << 24) as f64;
    if feature % classes == sample % classes { 1.0 + noise } else { noise }
}

/// A row of a CSV file by the words that it starts with; the files of the tables quote what has a comma.
fn rows(csv: &str) -> Vec<HashMap<String, String>> {
    let fields = |line: &str| {
        let (mut fields, mut quoted) = (vec![String::new()], false);
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                ',' if !quoted => fields.push(String::new()),
                c => fields.last_mut().unwrap().push(c),
            }
        }
        fields
    };
    let mut lines = csv.lines();
    let names = fields(lines.next().unwrap());
    lines.map(|line| names.iter().cloned().zip(fields(line)).collect()).collect()
}

fn number(rows: &[HashMap<String, String>], keys: &[(&str, &str)], column: &str) -> f64 {
    let fits = |row: &&HashMap<String, String>| keys.iter().all(|(key, value)| row[*key] == *value);
    let found: Vec<_> = rows.iter().filter(fits).collect();
    assert_eq!(found.len(), 1, "{keys:?}");
    found[0][column].parse().unwrap_or_else(|_| panic!("{keys:?} {column}: {}", found[0][column]))
}

#[test]
fn without_the_papers_data_the_synthetic_experiments_remain() {
    let scratch = Scratch::new("none");
    let data = scratch.at("data");
    std::fs::create_dir_all(data.join("some")).unwrap();
    // A file that is named like a data set and is not it, one that is broken, and one that is nobody's.
    let file = mat(&[
        ("X1", 30, 8, &|i, j| value(0, i, j, 3)),
        ("X2", 30, 5, &|i, j| value(1, i, j, 3)),
        ("gt", 30, 1, &|i, _| (i % 3) as f64),
    ]);
    std::fs::write(data.join("My_WebKB.mat"), &file).unwrap();
    std::fs::write(data.join("yale.mat"), &file[..300]).unwrap();
    std::fs::write(data.join("notes.mat"), "not a MAT-file").unwrap();
    std::fs::write(data.join("some").join("x.npy"), npy(30, 8, |i, j| value(0, i, j, 3))).unwrap();
    let text = said(&reproduce(&data, &scratch.at("out"), &["--quick"]));
    assert!(text.contains("Not found: HW, Reuters, BBCSport, 3-sources, Yale, WebKB."), "{text}");
    assert!(
        text.contains("My_WebKB.mat is named like WebKB, but has 30 samples in 2 views, 3 classes"),
        "{text}"
    );
    assert!(text.contains("yale.mat"), "{text}");
    assert!(!text.contains("notes.mat"), "{text}");
    for name in ["noise", "densities", "fusion", "dimension", "parameters"] {
        assert!(!rows(&scratch.read(&format!("out/{name}.csv"))).is_empty(), "{name}");
    }
    assert!(!scratch.at("out/tables-1-2.csv").exists(), "nothing was measured");
    // The demo data is easy: 0.983 by the NumPy oracle in any order.
    let noise = rows(&scratch.read("out/noise.csv"));
    let clean = [("Data", "synthetic"), ("Noise", "0")];
    assert!(number(&noise, &clean, "default, shuffled") > 0.95);
    let noisy = [("Data", "synthetic"), ("Noise", "1")];
    assert!(number(&noise, &noisy, "default, shuffled") <= number(&noise, &clean, "default, shuffled"));
}

/// WebKB has the fewest numbers: files of its shape are made here, one a view.
#[test]
fn a_data_set_is_known_by_its_content() {
    let scratch = Scratch::new("content");
    let folder = scratch.at("data/anything");
    std::fs::create_dir_all(&folder).unwrap();
    for (v, features) in [1703, 230, 230].into_iter().enumerate() {
        let file = npy(203, features, |i, j| value(v, i, j, 4));
        std::fs::write(folder.join(format!("view{v}.npy")), file).unwrap();
    }
    std::fs::write(folder.join("labels.npy"), npy(203, 1, |i, _| (i % 4) as f64)).unwrap();
    let text =
        said(&reproduce(&scratch.at("data"), &scratch.at("out"), &["--quick", "--only", "tables,slices"]));
    assert!(
        text.contains("these were found: WebKB. Not found: HW, Reuters, BBCSport, 3-sources, Yale."),
        "{text}"
    );
    let tables = rows(&scratch.read("out/tables-1-2.csv"));
    let paper = [("Data set", "WebKB"), ("Result", "the paper, Table II")];
    assert_eq!(number(&tables, &paper, "ACC"), 0.7733);
    // Our data is not theirs: four clusters that stand far apart.
    let ours = [("Data set", "WebKB"), ("Result", "default, shuffled")];
    assert_eq!(number(&tables, &ours, "ACC"), 1.0);
    assert!(
        scratch.at("out/slices.csv").exists() && !scratch.at("out/noise.csv").exists(),
        "only what was asked for"
    );
}

#[test]
fn bad_usage_is_refused_in_one_sentence() {
    let scratch = Scratch::new("usage");
    let out = reproduce(&scratch.at("nowhere"), &scratch.at("out"), &[]);
    let said = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(2), "{said}");
    assert!(said.contains("nowhere: cannot be listed") && said.lines().count() == 1, "{said}");
    let out = reproduce(&scratch.0, &scratch.at("out"), &["--trials", "0"]);
    assert_eq!(out.status.code(), Some(2));
    let out = reproduce(&scratch.0, &scratch.at("out"), &["--only", "everything"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(!scratch.at("out").exists());
}

/// The paper's rows in file order, and what becomes of them when the samples are shuffled.
#[test]
fn the_papers_rows_are_reproduced() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|up| up.join("shared/data"));
    let Some(data) = beside.into_iter().find(|data| data.join("webkb.mat").exists()) else {
        eprintln!("\n*** SKIPPED: no shared/data, so NOBODY HAS COMPARED the tables with the paper's. ***\n");
        return;
    };
    let scratch = Scratch::new("paper");
    let text = said(&reproduce(&data, &scratch.at("out"), &["--quick"]));
    assert!(text.contains("these were found: BBCSport, 3-sources, WebKB."), "{text}");
    assert!(text.contains("within one point of the paper's ACC on 3 of 3"), "{text}");

    let tables = rows(&scratch.read("out/tables-1-2.csv"));
    let of = |set, result, column| number(&tables, &[("Data set", set), ("Result", result)], column);
    let close =
        |found: f64, expected: f64| assert!((found - expected).abs() < 6e-5, "{found} for {expected}");
    for (column, expected) in [("ACC", 0.7751), ("NMI", 0.6783), ("ARI", 0.6252), ("F-score", 0.7193)] {
        close(of("3-sources", "reference, file order", column), expected);
    }
    assert!(of("BBCSport", "reference, file order", "ACC") >= 0.996);
    assert!(of("WebKB", "reference, file order", "ACC") >= 0.763);
    assert!(of("BBCSport", "reference, shuffled", "ACC") < 0.95, "the order matters to the reference");
    for (set, least) in [("BBCSport", 0.975), ("3-sources", 0.785), ("WebKB", 0.655)] {
        assert!(of(set, "default, shuffled", "ACC") > least, "{set}");
        assert_eq!(
            of(set, "default, shuffled", "ACC spread"),
            0.0,
            "{set}: the order does not matter to the default"
        );
    }

    let distances = rows(&scratch.read("out/table-3.csv"));
    let keys = [("Data set", "BBCSport"), ("Distance", "Euclidean")];
    assert_eq!(number(&distances, &keys, "the paper"), 0.9467);
    // Twice the same distance is the same to a graph that adapts to its scale.
    close(number(&distances, &keys, "default, shuffled"), of("BBCSport", "default, shuffled", "ACC"));

    let parts = rows(&scratch.read("out/tables-4-5.csv"));
    let part = |parts_of, result| {
        number(&parts, &[("Data set", "3-sources"), ("Parts", parts_of), ("Result", result)], "ACC")
    };
    close(part("(c) both", "reference, file order"), 0.7751);
    assert_eq!(part("(a) consistent", "the paper"), 0.6094);

    let time = rows(&scratch.read("out/time.csv"));
    assert!(time.iter().all(|row| row["Together"].parse::<f64>().unwrap() > 0.0));
    for (name, least) in
        [("alpha", 9), ("beta-gamma", 27), ("slices", 9), ("convergence", 9), ("noise", 8), ("fusion", 8)]
    {
        assert!(rows(&scratch.read(&format!("out/{name}.csv"))).len() >= least, "{name}");
    }
    let page = scratch.read("out/reproduction.html");
    let (figures, markdown) = (page.matches("<figure ").count(), scratch.read("out/reproduction.md"));
    assert_eq!(figures, std::fs::read_dir(scratch.at("out/figures")).unwrap().count());
    assert_eq!(figures, markdown.matches("](figures/").count());
    assert!(figures >= 25, "{figures}");
    roxmltree::Document::parse(page.trim_start_matches("<!DOCTYPE html>\n")).expect("the page is XML");
}
