//! The program from end to end: files in, labels, scores and pictures out.
#![cfg(feature = "cli")]

mod browser;
mod command;

use browser::Browser;
use command::{Scratch, cstgl, fixtures, published, refusal, says};
use serde_json::Value;
use std::path::Path;

/// What a command prints; it must succeed.
#[track_caller]
fn printed(directory: &Path, args: &[&str]) -> String {
    let out = cstgl(directory, args);
    assert_eq!(out.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// What it prints as JSON: standard output must hold nothing else.
#[track_caller]
fn json(directory: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&printed(directory, args)).unwrap()
}

fn labels(json: &Value) -> Vec<u64> {
    json["labels"].as_array().unwrap().iter().map(|label| label.as_u64().unwrap()).collect()
}

fn acc(json: &Value) -> f64 {
    json["scores"]["acc"].as_f64().unwrap()
}

fn clustered(data: &Path, args: &str) -> Value {
    let args: Vec<&str> = ["cluster"].into_iter().chain(args.split(' ')).chain(["--json", "-"]).collect();
    json(data, &args)
}

#[test]
fn the_demo_scores_and_writes_a_report() {
    let scratch = Scratch::new("demo");
    let said = printed(&scratch.0, &["demo", "--figures", "svg"]);
    says(&said, &["120 samples", "4 clusters", "ACC 0.98", "wrote cstgl-demo.html", "wrote svg"]);
    let page = std::fs::read_to_string(scratch.0.join("cstgl-demo.html")).unwrap();
    let document = roxmltree::Document::parse_with_options(
        &page,
        roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() },
    )
    .unwrap();
    let drawn = document.descendants().filter(|node| node.has_tag_name("figure")).count();
    assert_eq!(drawn, 10, "all figures, each with data");
    says(&page, &["98.3 % of the samples are where they belong", "slice-distances", "unit-columns-clamped"]);
    let names: Vec<_> =
        std::fs::read_dir(scratch.0.join("svg")).unwrap().map(|e| e.unwrap().path()).collect();
    assert_eq!(names.len(), drawn);
    for path in names {
        roxmltree::Document::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    }
    if let Some(browser) = Browser::find() {
        browser.inspect(&scratch.0.join("cstgl-demo.html"), drawn);
    }
}

#[test]
fn json_holds_what_a_program_needs_and_nothing_else_is_printed() {
    let scratch = Scratch::new("json");
    let run = json(&scratch.0, &["demo", "--json", "-"]);
    let keys: Vec<&str> = run.as_object().unwrap().keys().map(String::as_str).collect();
    for key in [
        "labels",
        "scores",
        "parameters",
        "trace",
        "seconds",
        "workspace_bytes",
        "n",
        "views",
        "clusters",
        "version",
    ] {
        assert!(keys.contains(&key), "{key} in {keys:?}");
    }
    assert_eq!((run["n"].as_u64(), run["clusters"].as_u64()), (Some(120), Some(4)));
    assert_eq!(run["views"].as_u64(), Some(3));
    assert_eq!(run["features"], serde_json::json!([20, 30, 25]));
    assert_eq!(run["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(labels(&run).len(), 120);
    for score in ["acc", "nmi", "ari", "fscore", "precision", "recall", "purity"] {
        let value = run["scores"][score].as_f64().unwrap();
        assert!((0.9..=1.0).contains(&value), "{score} {value}");
    }
    let trace = run["trace"].as_array().unwrap();
    assert_eq!(trace.len(), 20);
    for (i, row) in trace.iter().enumerate() {
        assert_eq!(row["iteration"].as_u64(), Some(i as u64 + 1));
        assert_eq!(row["rho"].as_f64(), Some(0.01 * 2_f64.powi(i as i32)));
        for key in ["change", "split_residual", "low_rank_residual", "noise_residual"] {
            assert!(row[key].as_f64().is_some_and(|x| x >= 0.0), "{key}: {row}");
        }
        assert!(row["rank"].is_u64());
    }
    let seconds = |key: &str| run["seconds"][key].as_f64().unwrap();
    let stages: f64 = ["read", "gram", "solve", "spectral", "kmeans"].map(seconds).iter().sum();
    assert!(stages > 0.0 && stages <= seconds("total"));
    let parameters = &run["parameters"];
    assert_eq!(parameters["profile"], "default");
    assert_eq!((parameters["neighbours"].as_u64(), parameters["weight"].as_f64()), (Some(10), Some(100.0)));
}

/// Every option reaches the solver: what was said is what the run reports, and the labels are still 120.
#[test]
fn every_choice_has_its_option() {
    let scratch = Scratch::new("options");
    let said = [
        "--profile paper --alpha 0.5 --beta 3 --gamma 4 --rho 0.2 --mu 1.5 --iterations 7 --tolerance 1e-6",
        "--axis views --noise column --threshold plain --affinity unit-columns-clamped --spectral reference",
        "--distance euclidean --unit-length false --self-loops=false --max-rank 120 --clusters 3 --restarts 5",
        "--seed 9 --precision f32 --threads 2 --shuffle 4",
    ];
    let args: Vec<&str> =
        ["demo", "--json", "-"].into_iter().chain(said.iter().flat_map(|s| s.split(' '))).collect();
    let run = json(&scratch.0, &args);
    let mut words = args[3..].iter().flat_map(|word| word.split('='));
    while let (Some(option), Some(value)) = (words.next(), words.next()) {
        let key = option.trim_start_matches("--").replace('-', "_");
        let found = if key == "clusters" { &run["clusters"] } else { &run["parameters"][&key] };
        let same = match (found.as_f64(), found.as_str()) {
            (Some(number), _) => number == value.parse::<f64>().unwrap(),
            (None, Some(word)) => word == value,
            (None, None) => found.as_bool() == value.parse().ok(),
        };
        assert!(same, "{option} {value}: {found}");
    }
    assert_eq!(run["trace"].as_array().unwrap().len(), 7);
    assert_eq!(labels(&run).iter().max(), Some(&2));
    let run = json(
        &scratch.0,
        &["demo", "--json", "-", "--neighbours", "7", "--weight", "30", "--rank", "2", "--self-loops"],
    );
    assert_eq!(run["parameters"]["neighbours"].as_u64(), Some(7));
    assert_eq!(run["parameters"]["weight"].as_f64(), Some(30.0));
    assert_eq!(run["parameters"]["rank"].as_u64(), Some(2));
    assert_eq!(run["parameters"]["self_loops"], true);
}

#[test]
fn neither_threads_nor_shuffles_nor_the_precision_move_a_label_of_the_demo() {
    let scratch = Scratch::new("same");
    let file = |args: &[&str]| {
        printed(&scratch.0, &[&["demo", "--labels", "l.csv"], args].concat());
        std::fs::read(scratch.0.join("l.csv")).unwrap()
    };
    let one = file(&["--threads", "1"]);
    assert_eq!(one.iter().filter(|&&byte| byte == b'\n').count(), 121);
    assert!(one.starts_with(b"label\n"));
    assert_eq!(one, file(&["--threads", "2"]));
    for seed in ["1", "2", "3", "4", "5"] {
        assert_eq!(one, file(&["--shuffle", seed]), "shuffle {seed}");
    }
    assert_eq!(one, file(&["--precision", "f32"]));
}

/// The samples are shuffled where it matters, and their labels find back.
#[test]
fn reference_is_warned_of_and_a_shuffle_shows_why() {
    let scratch = Scratch::new("reference");
    let run = |args: &str| {
        let args = format!("demo --profile reference --alpha 0.1 --beta 10 --gamma 100 --json - {args}");
        json(&scratch.0, &args.trim().split(' ').collect::<Vec<_>>())
    };
    let straight = run("");
    says(&straight["warnings"].to_string(), &["depends on the order of the samples", "--shuffle"]);
    assert!((1..=5).any(|seed| labels(&run(&format!("--shuffle {seed}"))) != labels(&straight)));
}

#[test]
fn labels_that_were_written_can_be_evaluated() {
    let scratch = Scratch::new("evaluate");
    scratch.put("truth.csv", "a\na\nb\nb\nc\nc\n");
    scratch.put("labels.csv", "label\n2\n2\n0\n0\n1\n0\n");
    // By hand: five of six; of 3 pairs in the truth and 1 + 3 in the labels they share 2.
    let scores = json(&scratch.0, &["evaluate", "--truth", "truth.csv", "--labels", "labels.csv", "--json"]);
    let score = |key: &str| scores["scores"][key].as_f64().unwrap();
    assert_eq!((score("acc"), score("purity")), (5.0 / 6.0, 5.0 / 6.0));
    assert_eq!((score("precision"), score("recall")), (2.0 / 4.0, 2.0 / 3.0));
    says(
        &printed(&scratch.0, &["evaluate", "--truth", "truth.csv", "--labels", "labels.csv"]),
        &["6 samples", "ACC 0.8333"],
    );

    scratch.put("short.csv", "1\n2\n");
    let refused = refusal(&scratch.0, &["evaluate", "--truth", "truth.csv", "--labels", "short.csv"]);
    says(&refused, &["short.csv", "2 labels", "6 known classes"]);

    let run = json(&scratch.0, &["demo", "--json", "-", "--labels", "demo.csv"]);
    let truth: String = (0..120).map(|i| format!("{}\n", i % 4)).collect();
    scratch.put("demo-truth.txt", truth);
    let again =
        json(&scratch.0, &["evaluate", "--truth", "demo-truth.txt", "--labels", "demo.csv", "--json"]);
    assert_eq!(again["scores"], run["scores"]);
}

#[test]
fn every_kind_of_file_can_be_clustered() {
    for args in [
        "dense.mat",
        "compressed.mat",
        "sparse.mat",
        "cell.mat",
        "mixed.mat",
        "views.npz",
        "sparse_csr.npz",
        "c_f8.npy fortran_f8.npy",
        "header.csv tabs.tsv --rows samples",
    ] {
        let run = clustered(&fixtures(), &format!("{args} --clusters 2 --neighbours 2"));
        let n = run["n"].as_u64().unwrap() as usize;
        assert_eq!(labels(&run).len(), n, "{args}");
        assert!(labels(&run).iter().all(|&label| label < 2), "{args}");
    }
}

#[test]
fn estimates_and_empty_samples_are_said() {
    let scratch = Scratch::new("notes");
    let demo = json(&scratch.0, &["demo", "--clusters", "0", "--json", "-"]);
    assert_eq!(demo["estimated"], true);
    says(&demo["warnings"].to_string(), &["was estimated from the eigenvalues", "--clusters K"]);
    let loose = json(&scratch.0, &["demo", "--iterations", "8", "--beta", "1", "--json", "-"]);
    says(&loose["warnings"].to_string(), &["not converged", "--iterations"]);
    let strict = json(&scratch.0, &["demo", "--tolerance", "1e-9", "--json", "-"]);
    says(&strict["warnings"].to_string(), &["above the tolerance"]);
    let empty = json(&scratch.0, &["demo", "--beta", "1e9", "--json", "-"]);
    says(&empty["warnings"].to_string(), &["the consistent part is empty"]);
    assert_eq!(json(&scratch.0, &["demo", "--json", "-"])["warnings"], Value::Array(vec![]));
    scratch.put("zero.csv", "1,2\n2,1\n0,0\n1,1\n3,1\n");
    says(
        &clustered(&scratch.0, "zero.csv --clusters 2 --neighbours 2")["warnings"].to_string(),
        &["1 of 5 samples"],
    );
}

#[test]
fn bad_usage_is_refused_in_one_sentence() {
    let refused = |args: &str| refusal(&fixtures(), &args.split(' ').collect::<Vec<_>>());
    says(&refused("cluster dense.mat --rows sideways"), &["'sideways'", "--rows", "samples, features"]);
    says(&refused("cluster dense.mat --axis up"), &["'up'", "views, samples"]);
    says(&refused("cluster"), &["INPUT"]);
    says(&refused("cluster dense.mat --bta 3"), &["--bta", "--beta"]);
    says(&refused("cluster dense.mat --alpha 1 --neighbours 3"), &["--alpha", "--neighbours"]);
    says(&refused("cluster dense.mat --clusters 7"), &["--clusters", "at most the number of samples"]);
    says(&refused("cluster dense.mat --beta -1"), &["--beta"]);
    says(&refused("cluster dense.mat --beta=NaN --clusters 2"), &["--beta"]);
    says(&refused("cluster dense.mat --iterations 0"), &["--iterations", "at least one"]);
    says(
        &refused("cluster dense.mat --profile reference"),
        &["--profile reference", "--alpha, --beta and --gamma"],
    );
    says(&refused("cluster dense.mat --labels - --json -"), &["cannot both be printed"]);
    says(&refused("cluster dense.mat --max-rank 0 --beta 0 --alpha 1 --clusters 2"), &["--max-rank"]);
    says(&refused("nonsense"), &["nonsense"]);
    says(&refused("sweep dense.mat --alphas 1,x"), &["'x'"]);
    says(&refused("sweep dense.mat --alphas -1,2"), &["--alpha", "above zero"]);
    says(&refused("sweep dense.mat --alphas=0"), &["--alpha"]);
    says(&refused("sweep unlabelled.mat"), &["known classes", "--truth"]);
    says(&refused("evaluate --truth labels.txt"), &["--labels"]);
}

#[test]
fn files_that_cannot_be_used_or_written_are_refused_in_one_sentence() {
    let refused = |args: &str| refusal(&fixtures(), &args.split(' ').collect::<Vec<_>>());
    says(&refused("cluster no_such_file.mat --clusters 2"), &["no_such_file.mat", "cannot be read"]);
    says(
        &refused("cluster missing.csv --clusters 2"),
        &["missing.csv", "missing, NaN or infinite", "sample"],
    );
    says(&refused("cluster make.py"), &["make.py"]);
    says(
        &refused("cluster dense.mat --clusters 2 --labels no/such/l.csv"),
        &["no/such/l.csv", "cannot be written"],
    );
    says(&refused("cluster dense.mat --clusters 2 --report ."), &["cannot be written"]);
    says(&refused("cluster dense.mat --clusters 2 --figures dense.mat"), &["dense.mat", "cannot be made"]);
    says(&refused("sweep dense.mat --csv no/such/s.csv"), &["no/such/s.csv"]);
    says(&refused("evaluate --truth labels.txt --labels no_such"), &["no_such"]);
    let scratch = Scratch::new("large");
    scratch.put("large.csv", "1e200,2\n2,1\n0,1\n");
    says(
        &refusal(&scratch.0, &["cluster", "large.csv", "--clusters", "2", "--precision", "f32"]),
        &["large", "f64"],
    );
    says(
        &refusal(&scratch.0, &["cluster", "large.csv", "--clusters", "2"]),
        &["large", "scale the view down"],
    );
}

/// An interrupt leaves neither a half-written file nor a draft.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_no_file() {
    let scratch = Scratch::new("interrupt");
    let rows: String = (0..700).map(|i| format!("{},{},{}\n", i * 37 % 101, i * 53 % 89, i % 7)).collect();
    scratch.put("data.csv", rows);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_cstgl"))
        .args([
            "cluster",
            "data.csv",
            "--clusters",
            "3",
            "--labels",
            "l.csv",
            "--report",
            "r.html",
            "--beta",
            "0.1",
        ])
        .current_dir(&scratch.0)
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let left: Vec<_> = std::fs::read_dir(&scratch.0).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["data.csv"]);
}

#[test]
fn a_sweep_writes_every_point_and_its_heat_maps() {
    let scratch = Scratch::new("sweep");
    let truth: String = (0..40).map(|i| format!("{}\n", i % 2)).collect();
    let rows: String =
        (0..40).map(|i| format!("{},{},{}\n", i % 2 * 5 + 1, 6 - i % 2 * 5, (i * 7) % 5)).collect();
    scratch.put("truth.csv", truth);
    scratch.put("data.csv", rows);
    let grid = "sweep data.csv --truth truth.csv --alphas 0.1,1,10 --betas 1,10 --gammas 1,10,100,1000 --rows samples";
    let files = "--csv s.csv --report s.html --figures maps --json s.json";
    let args = format!("{grid} {files}");
    says(
        &printed(&scratch.0, &args.split(' ').collect::<Vec<_>>()),
        &["24 points", "ACC 1.0000", "wrote s.csv", "wrote maps"],
    );
    let table = std::fs::read_to_string(scratch.0.join("s.csv")).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "alpha,beta,gamma,acc,nmi,ari,fscore,precision,recall,purity,rank,seconds");
    assert_eq!(lines.len(), 25);
    assert!(lines[1].starts_with("0.1,1,1,") && lines[24].starts_with("10,10,1000,"), "{table}");
    let document: Value = serde_json::from_slice(&std::fs::read(scratch.0.join("s.json")).unwrap()).unwrap();
    let point = &document["points"][23];
    assert_eq!((point["alpha"].as_f64(), point["gamma"].as_f64()), (Some(10.0), Some(1000.0)));
    assert_eq!(std::fs::read_dir(scratch.0.join("maps")).unwrap().count(), 4);
    // A point of the grid is the run that `cluster` makes.
    let one = clustered(
        &scratch.0,
        "data.csv --truth truth.csv --rows samples --clusters 2 --alpha 10 --beta 10 --gamma 1000",
    );
    assert_eq!(one["scores"], point["scores"]);
    // Threads change the order of the work and nothing else.
    let without_times = |args: &str| {
        let table = printed(&scratch.0, &args.split(' ').collect::<Vec<_>>());
        table.lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned()).collect::<Vec<_>>()
    };
    let one = without_times(&format!("{grid} --csv - --threads 1"));
    assert_eq!(one, without_times(&format!("{grid} --csv - --threads 3")));
    if let Some(browser) = Browser::find() {
        browser.inspect(&scratch.0.join("s.html"), 4);
    }
}

#[test]
fn a_bench_times_every_iteration_and_draws_them() {
    let scratch = Scratch::new("bench");
    let args = "bench --samples 80 --axis samples --csv times.csv --plot times.svg";
    let said = printed(&scratch.0, &args.split(' ').collect::<Vec<_>>());
    says(&said, &["80 samples, 2 views, 1 threads, f64", "iteration over streaming", "peak of the process"]);
    let times = std::fs::read_to_string(scratch.0.join("times.csv")).unwrap();
    assert_eq!(times.lines().count(), 1 + 20, "a line an iteration: {times}");
    let picture = std::fs::read_to_string(scratch.0.join("times.svg")).unwrap();
    roxmltree::Document::parse(&picture).unwrap();
    says(&picture, &["Seconds of an iteration", "streaming its bytes"]);
}

#[test]
fn a_bench_compares_itself() {
    let scratch = Scratch::new("ratios");
    let said = printed(&scratch.0, &["bench", "--samples", "60", "--features", "8", "--ratios"]);
    for axis in ["Views", "Samples"] {
        says(&said, &[&format!("{axis}: one thread over two"), &format!("{axis}: 120 samples over 30")]);
    }
    says(&said, &["streaming the tensors: 120 samples over 30", "sparse Gram of 34000 x 600"]);
}

#[test]
fn published_data_reaches_its_scores_without_options() {
    let Some(data) = published() else { return };
    for (args, least) in [
        ("bbcsport_2view.mat --clusters 5 --truth gt", 0.975),
        ("3-sources.mat --clusters 6", 0.78),
        ("webkb.mat --clusters 4", 0.65),
    ] {
        let run = clustered(&data, args);
        assert!(acc(&run) >= least, "{args}: {}", acc(&run));
        println!("{args}: ACC {:.4}", acc(&run));
    }
}

#[test]
fn shuffling_published_data_changes_no_label_by_default() {
    let Some(data) = published() else { return };
    for args in ["3-sources.mat --clusters 6", "webkb.mat --clusters 4"] {
        let straight = labels(&clustered(&data, args));
        for seed in 1..=5 {
            assert_eq!(
                straight,
                labels(&clustered(&data, &format!("{args} --shuffle {seed}"))),
                "{args}, {seed}"
            );
        }
    }
    let args = "bbcsport_2view.mat --clusters 5 --truth gt";
    assert_eq!(labels(&clustered(&data, args)), labels(&clustered(&data, &format!("{args} --shuffle 1"))));
}

#[test]
fn the_reference_profile_gives_the_figures_of_the_paper() {
    let Some(data) = published() else { return };
    for (args, least, most) in [
        ("3-sources.mat --clusters 6 --alpha 1 --beta 100 --gamma 1000", 0.77514, 0.77515),
        ("bbcsport_2view.mat --clusters 5 --alpha 1 --beta 10 --gamma 100", 0.996, 1.0),
        ("webkb.mat --clusters 4 --alpha 0.1 --beta 10 --gamma 100", 0.763, 0.775),
    ] {
        let run = clustered(&data, &format!("{args} --profile reference"));
        assert!((least..=most).contains(&acc(&run)), "{args}: {}", acc(&run));
    }
}
