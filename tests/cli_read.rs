//! The command line reads what NumPy and SciPy wrote, and refuses what is broken: one sentence, exit code 2, no panic,
//! no more memory than the file deserves. (Every cut and every changed byte: `src/bin/cstgl/hostile.rs`.)
#![cfg(feature = "cli")]

mod command;

use command::{Scratch, cstgl, fixtures, published, refusal, says};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn info(directory: &Path, args: &[&str]) -> Value {
    let out = cstgl(directory, ["info", "--json", "--values"].iter().chain(args));
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

/// What `cstgl info` says to these bytes.
fn refused(scratch: &Scratch, name: &str, bytes: impl AsRef<[u8]>) -> String {
    scratch.put(name, bytes);
    let said = refusal(&scratch.0, &["info", name]);
    assert!(said.starts_with(&format!("cstgl: {name}: ")), "{said}");
    said
}

fn good(name: &str) -> Vec<u8> {
    std::fs::read(fixtures().join(name)).unwrap()
}

#[test]
fn files_hold_what_numpy_wrote() {
    let cases: Vec<Value> = serde_json::from_slice(&good("expected.json")).unwrap();
    assert!(cases.len() > 50);
    for case in &cases {
        let args: Vec<&str> =
            case["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
        let read = info(&fixtures(), &args);
        let views = read["views"].as_array().unwrap();
        let expected = case["views"].as_array().unwrap();
        assert_eq!(views.len(), expected.len(), "{args:?}");
        for (i, (view, rows)) in views.iter().zip(expected).enumerate() {
            assert_eq!(&view["values"], rows, "{args:?}, view {i}");
            assert_eq!(view["samples_are_rows"], case["samples_are_rows"][i], "{args:?}, view {i}");
            if case["names"].is_array() {
                assert_eq!(view["name"], case["names"][i], "{args:?}");
            }
            facts(view, rows, read["n"].as_u64().unwrap() as usize);
        }
        assert_eq!(read["labels"]["values"], case["labels"], "{args:?}");
        let classes = read["labels"]["classes"].as_array().map(Vec::len);
        assert_eq!(classes, case["classes"].as_u64().map(|c| c as usize), "{args:?}");
    }
}

/// Counts again, from the values, what `info` says of a view.
fn facts(view: &Value, rows: &Value, n: usize) {
    let rows: Vec<&Vec<Value>> = rows.as_array().unwrap().iter().map(|row| row.as_array().unwrap()).collect();
    if rows.iter().any(|row| row.contains(&Value::Null)) {
        let missing = rows.iter().flat_map(|row| row.iter()).filter(|x| x.is_null()).count();
        assert_eq!(view["non_finite"].as_u64(), Some(missing as u64));
        return;
    }
    let sample = |i: usize| -> Vec<f64> {
        match view["samples_are_rows"].as_bool().unwrap() {
            true => rows[i].iter().map(|x| x.as_f64().unwrap()).collect(),
            false => rows.iter().map(|row| row[i].as_f64().unwrap()).collect(),
        }
    };
    let samples: Vec<Vec<f64>> = (0..n).map(sample).collect();
    let is_zero = |sample: &&Vec<f64>| sample.iter().all(|&x| x == 0.0);
    let zero = samples.iter().filter(is_zero).count();
    let seen_before = |&(i, sample): &(usize, &Vec<f64>)| !is_zero(&sample) && samples[..i].contains(sample);
    let duplicate = samples.iter().enumerate().filter(seen_before).count();
    let nonzeros = samples.iter().flatten().filter(|&&x| x != 0.0).count();
    assert_eq!(view["zero_samples"].as_u64(), Some(zero as u64), "{}", view["name"]);
    assert_eq!(view["duplicate_samples"].as_u64(), Some(duplicate as u64), "{}", view["name"]);
    assert_eq!(view["nonzeros"].as_u64(), Some(nonzeros as u64), "{}", view["name"]);
    assert_eq!(view["features"].as_u64(), Some(samples[0].len() as u64), "{}", view["name"]);
}

#[test]
fn published_data_needs_no_options() {
    let Some(data) = published() else { return };
    // Samples, classes, then per view: whether rows are samples, features, zero samples. By SciPy.
    type Known<'a> = (&'a str, u64, u64, &'a [(bool, u64, u64)]);
    let known: [Known<'_>; 3] = [
        ("3-sources.mat", 169, 6, &[(true, 3560, 0), (true, 3631, 0), (true, 3068, 0)]),
        ("bbcsport_2view.mat", 544, 5, &[(false, 3183, 0), (false, 3203, 0)]),
        ("webkb.mat", 203, 4, &[(true, 1703, 0), (true, 230, 69), (true, 230, 19)]),
    ];
    for (name, n, classes, views) in known {
        let read = info(&data, &[name]);
        assert_eq!(read["n"].as_u64(), Some(n));
        assert_eq!(read["labels"]["classes"].as_array().unwrap().len() as u64, classes);
        assert_eq!(read["labels"]["values"].as_array().unwrap().len() as u64, n);
        let found = read["views"].as_array().unwrap().iter().map(|view| {
            let number = |key: &str| view[key].as_u64().unwrap();
            (view["samples_are_rows"].as_bool().unwrap(), number("features"), number("zero_samples"))
        });
        assert_eq!(found.collect::<Vec<_>>(), views, "{name}");
    }
}

#[test]
fn guesses_are_said() {
    let notes = |args: &[&str]| info(&fixtures(), args)["notes"].to_string();
    says(&notes(&["plain.csv"]), &["rows are taken as samples", "--rows features"]);
    says(&notes(&["header.csv"]), &["line 1 is taken as a header"]);
    says(&notes(&["pandas.csv"]), &["left out as an index"]);
    says(&notes(&["dense.mat"]), &["gt is taken as the true labels"]);
    says(&notes(&["square.mat"]), &["a square view could lie either way", "columns"]);
    assert_eq!(notes(&["unlabelled.mat", "--truth", "labels.txt"]), "[]");
    assert_eq!(notes(&["dense.mat", "--truth", "gt", "--rows", "samples"]), "[]");
}

#[test]
fn the_text_form_says_what_the_numbers_say() {
    let out = cstgl(&fixtures(), ["info", "cell.mat"]);
    let text = String::from_utf8(out.stdout).unwrap();
    says(
        &text,
        &[
            "cell.mat (MAT-file)",
            "X{1}",
            "3 x 6 double",
            "6 samples in 2 views",
            "columns",
            "labels Y: 3 classes",
        ],
    );
    says(&text, &["(1: 2, 2: 2, 3: 2)", "memory to cluster: ", " KiB; with --precision f32: "]);
}

#[test]
fn questions_that_the_files_cannot_answer_are_refused() {
    let refused = |args: &[&str]| refusal(&fixtures(), &[&["info"], args].concat());
    says(&refused(&["dense.mat", "--var", "C"]), &["dense.mat", "no variable C", "A (6 x 3 double)"]);
    says(&refused(&["others.mat", "--var", "cube"]), &["others.mat", "cube is 2 x 3 x 4 double"]);
    says(&refused(&["others.mat", "--var", "z"]), &["6 x 3 complex double"]);
    says(&refused(&["dense.mat", "--truth", "nobody"]), &["--truth nobody", "A, B, gt"]);
    says(
        &refused(&["dense.mat", "--truth", "A", "--var", "B"]),
        &["A is 6 x 3 double", "one number per sample"],
    );
    says(&refused(&["dense.mat", "--var", "A", "--truth", "A"]), &["both a view and the truth"]);
    says(&refused(&["dense.mat", "--rows", "features"]), &["the same number of samples"]);
    says(&refused(&["i4.npy", "f2.npy", "not_finite.npy"]), &["3 files", "not_finite (2 x 2)", "--var"]);
    says(&refused(&["dense.mat", "c_f8.npy"]), &["dense.mat", "one matrix is expected"]);
    says(&refused(&["plain.csv", "--truth", "not_finite.npy"]), &["not_finite.npy", "a vector of labels"]);
    says(
        &refused(&["missing.csv", "--truth", "labels.txt"]),
        &["labels.txt has 6 labels", "missing (3 x 3)"],
    );
    says(&refused(&["labels_zero.mat"]), &["a matrix of samples and features", "something (1 x 6 int64)"]);
    says(&refused(&["no_such_file.mat"]), &["no_such_file.mat", "cannot be read"]);
    says(&refused(&["."]), &["directory"]);
    says(&refused(&["make.py"]), &["make.py", ".mat, .npy, .npz, .csv"]);
}

#[test]
fn bad_usage_ends_with_the_same_code() {
    for args in [&["info"][..], &["info", "dense.mat", "--rows", "sideways"], &["nonsense"], &[]] {
        assert_eq!(cstgl(&fixtures(), args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn broken_matlab_files_are_refused() {
    let scratch = Scratch::new("mat");
    let dense = good("dense.mat");
    let mut version_73 = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".to_vec();
    version_73.resize(512, b' ');
    version_73.extend(b"\x89HDF\r\n\x1a\n");
    says(&refused(&scratch, "new.mat", version_73), &["7.3", "-v7"]);
    says(&refused(&scratch, "hdf.mat", b"\x89HDF\r\n\x1a\n and so on"), &["7.3", "-v7"]);
    says(
        &refused(&scratch, "old.mat", [&[0, 0, 0, 0, 6, 0, 0, 0][..], &[0; 200]].concat()),
        &["version 4", "-v7"],
    );
    says(&refused(&scratch, "empty.mat", b""), &["empty"]);
    says(&refused(&scratch, "short.mat", &dense[..100]), &["100 bytes are too few"]);
    says(&refused(&scratch, "text.mat", "1,2,3\n".repeat(50)), &["no MAT-file"]);
    says(&refused(&scratch, "header.mat", &dense[..128]), &["the file holds nothing"]);
    says(&refused(&scratch, "cut.mat", &dense[..dense.len() - 8]), &["byte", "cut short or damaged"]);
    // The first variable: its tag at 128, its dimensions 6 x 3 at 160 and 164.
    let with = |place: usize, word: u32| {
        let mut bytes = dense.clone();
        bytes[place..place + 4].copy_from_slice(&word.to_le_bytes());
        bytes
    };
    assert_eq!(dense[160..168], [6, 0, 0, 0, 3, 0, 0, 0]);
    says(&refused(&scratch, "long.mat", with(132, u32::MAX)), &["byte 128", "4294967295 bytes"]);
    says(
        &refused(&scratch, "rows.mat", with(160, i32::MAX as u32)),
        &["variable A", "2147483647 x 3", "18 are stored"],
    );
    says(&refused(&scratch, "negative.mat", with(160, u32::MAX)), &["negative"]);
    says(&refused(&scratch, "type.mat", with(128, 99)), &["byte 128", "type 99"]);
    let mut bytes = good("compressed.mat");
    bytes[160] ^= 0x55;
    says(&refused(&scratch, "damaged.mat", bytes), &["compressed data is damaged"]);
    let mut bytes = dense.clone();
    bytes[124] = 9;
    bytes[125] = 9;
    says(&refused(&scratch, "future.mat", bytes), &["version 9.9"]);
}

#[test]
fn broken_numpy_files_are_refused() {
    let scratch = Scratch::new("npy");
    let plain = good("c_f8.npy");
    let npy = |header: &str, data: &[u8]| {
        let len = (header.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00", &len[..], header.as_bytes(), data].concat()
    };
    says(
        &refused(&scratch, "cut.npy", &plain[..plain.len() - 1]),
        &["6 x 5 elements of 8 bytes", "239 bytes follow"],
    );
    says(&refused(&scratch, "long.npy", [&plain[..], &[0]].concat()), &["241 bytes follow"]);
    says(&refused(&scratch, "header.npy", &plain[..40]), &["header is cut short"]);
    says(&refused(&scratch, "none.npy", b"not NumPy at all"), &["no .npy file"]);
    let huge = "{'descr': '<f8', 'fortran_order': False, 'shape': (4000000000, 4000000000), }";
    says(&refused(&scratch, "huge.npy", npy(huge, &[0; 64])), &["4000000000 x 4000000000"]);
    let object = "{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }";
    says(&refused(&scratch, "object.npy", npy(object, &[0; 64])), &["2 x 2 |O"]);
    let cube = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2, 2), }";
    says(&refused(&scratch, "cube.npy", npy(cube, &[0; 8])), &["2 x 2 x 2"]);
    let record = "{'descr': [('a', '<f8'), ('b', '<i4')], 'fortran_order': False, 'shape': (2,), }";
    says(&refused(&scratch, "record.npy", npy(record, &[0; 24])), &["record"]);
    says(&refused(&scratch, "nest.npy", npy(&"(".repeat(60_000), &[])), &["not a dictionary"]);
    says(&refused(&scratch, "negative.npy", npy(&huge.replace("(4", "(-4"), &[])), &["not a dictionary"]);
    let archive = good("compressed.npz");
    says(&refused(&scratch, "cut.npz", &archive[..archive.len() - 30]), &["archive is damaged"]);
    let mut bytes = archive.clone();
    bytes[60] ^= 0x10;
    says(&refused(&scratch, "flip.npz", bytes), &["first", "damaged"]);
    says(&refused(&scratch, "end.npz", b"PK\x05\x06"), &["archive is damaged"]);
}

#[test]
fn broken_tables_are_refused() {
    let scratch = Scratch::new("csv");
    says(&refused(&scratch, "word.csv", "1,2\n3,four\n"), &["line 2, column 2", "'four' is not a number"]);
    says(&refused(&scratch, "ragged.csv", "a,b\n1,2\n\n3\n"), &["line 4", "1 fields", "have 2"]);
    says(&refused(&scratch, "names.csv", "a,b\n"), &["no numbers"]);
    says(&refused(&scratch, "blank.csv", "\n \n\n"), &["no numbers"]);
    says(&refused(&scratch, "empty.csv", ""), &["empty"]);
    says(&refused(&scratch, "wide.csv", b"\xff\xfe1\x00,\x002\x00"), &["UTF-16", "UTF-8"]);
    says(&refused(&scratch, "binary.csv", b"1,2\n\x00\x01\x02"), &["no text"]);
    says(
        &refused(&scratch, "quote.csv", format!("1,2\n3,\"{}", "x,".repeat(5000))),
        &["line 2, column 2", "x,x,...' is not"],
    );
    says(&refused(&scratch, "escape.csv", "1,2\n3,\x1b[2Jgone\n"), &["\u{fffd}[2Jgone"]);
    let refused = |content: &str| {
        scratch.put("data.csv", "1,2\n3,4\n5,6\n");
        scratch.put("truth.csv", content);
        refusal(&scratch.0, &["info", "data.csv", "--truth", "truth.csv"])
    };
    says(&refused("1\nNaN\n2\n"), &["truth.csv", "label 2", "every sample needs a label"]);
    says(&refused("a,b,c\n1,2,3\n1,2,3\n"), &["3 columns", "none is called label"]);
    says(&refused("1\n2\n3,4\n"), &["line 3"]);
    says(&refused("1\n2\n1\n2\n"), &["4 labels", "data (3 x 2)"]);
}

/// Claims of gigabytes in files of a few hundred bytes, and fixtures with their bytes changed, read by a process that
/// may have 256 MiB: it ends with 0 or 2, never by a panic (101) or for want of memory (134).
#[cfg(target_os = "linux")]
#[test]
fn memory_follows_the_file_and_not_its_claims() {
    let scratch = Scratch::new("memory");
    let mut count = 0;
    let mut put = |extension: &str, bytes: &[u8]| {
        scratch.put(&format!("{count:05}.{extension}"), bytes);
        count += 1;
    };
    for entry in std::fs::read_dir(fixtures()).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().unwrap().to_str().unwrap().to_owned();
        if !matches!(extension.as_str(), "mat" | "npy" | "npz") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        // Large words wherever a word can be: sizes, counts and lengths among them.
        let step = (bytes.len() / 32).next_multiple_of(4).max(4);
        for word in [0x7fff_ffff_u32, 0x7fff_fff8, 0x0400_0000] {
            for place in (0..bytes.len().saturating_sub(4)).step_by(step) {
                let mut changed = bytes.clone();
                changed[place..place + 4].copy_from_slice(&word.to_le_bytes());
                put(&extension, &changed);
            }
        }
    }
    for claim in sparse_claims() {
        put("mat", &claim);
    }
    let npy = [&b"\x93NUMPY\x02\x00\xff\xff\xff\x7f{'descr'"[..], &[b' '; 50]].concat();
    put("npy", &npy);
    let script = "ulimit -v 262144; for f in *; do \"$0\" info --json --values \"$f\" >/dev/null 2>&1; \
                  code=$?; case $code in 0|2) ;; *) echo \"$f $code\";; esac; done; echo done";
    let out = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_cstgl")])
        .current_dir(&scratch.0)
        .output()
        .unwrap();
    assert!(count > 1000, "{count}");
    assert_eq!(String::from_utf8_lossy(&out.stdout), "done\n");
}

/// Sparse matrices of 2^31 - 1 rows with no entry at all: legal, and small.
#[cfg(target_os = "linux")]
fn sparse_claims() -> Vec<Vec<u8>> {
    let element = |kind: u32, data: &[u8]| {
        let mut bytes = [kind.to_le_bytes(), (data.len() as u32).to_le_bytes()].concat();
        bytes.extend(data);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    };
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let file = |cols: u32| {
        let starts = vec![0; cols as usize + 1];
        let body = [
            element(6, &words(&[5, 0])),
            element(5, &words(&[i32::MAX as u32, cols])),
            element(1, b"X"),
            element(5, &[]),
            element(5, &words(&starts)),
            element(9, &[]),
        ]
        .concat();
        let mut bytes = b"MATLAB 5.0 MAT-file".to_vec();
        bytes.resize(124, b' ');
        bytes.extend(b"\x00\x01IM");
        bytes.extend(element(14, &body));
        bytes
    };
    vec![file(0), file(1), file(2), file(20)]
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let out = Command::new("sh")
        .args([
            "-c",
            "\"$0\" info dense.mat --json --values | true; \"$0\" info dense.mat >&-",
            env!("CARGO_BIN_EXE_cstgl"),
        ])
        .current_dir(fixtures())
        .output()
        .unwrap();
    assert!(!String::from_utf8_lossy(&out.stderr).contains("panicked"));
}
