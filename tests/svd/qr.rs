//! QR, and bases that are completed.

use super::*;

fn unitary_qr<F: Number>(a: &[F], rows: usize, cols: usize) {
    let (mut q, mut r) = (vec![F::ONE; rows * cols], vec![F::ONE; cols * cols]);
    let wide = Wide::of(a, rows, cols);
    let scale = wide.norm().max(f64::MIN_POSITIVE);
    let check = |q: &[F], r: &[F], product: &Wide, name: &str| {
        let (q, r) = (Wide::of(q, rows, cols), Wide::of(r, cols, cols));
        assert!(q.defect() <= F::TOLERANCE, "{name} {rows}x{cols}: Q is off by {}", q.defect());
        let error = q.times(&r).distance(product) / scale;
        assert!(error <= F::TOLERANCE, "{name} {rows}x{cols}: off by {error}");
        for i in 0..cols {
            assert!(r.at(i, i).im == 0.0 && r.at(i, i).re >= 0.0, "{name}: diagonal");
            assert!((0..i).all(|j| r.at(i, j).norm() == 0.0), "{name}: below the diagonal");
        }
    };
    let a = Mat::new("a", a, rows, cols).unwrap();
    let mut work = Workspace::new(qr_layout::<F>(rows, cols).unwrap());
    let (q_out, r_out) =
        (MatMut::new("q", &mut q, rows, cols).unwrap(), MatMut::new("r", &mut r, cols, cols).unwrap());
    qr(a, q_out, r_out, &mut work.arena()).unwrap();
    check(&q, &r, &wide, "QR");

    let mut order = vec![usize::MAX; cols];
    let mut work = Workspace::new(qr_pivoted_layout::<F>(rows, cols).unwrap());
    let (q_out, r_out) =
        (MatMut::new("q", &mut q, rows, cols).unwrap(), MatMut::new("r", &mut r, cols, cols).unwrap());
    qr_pivoted(a, q_out, r_out, &mut order, &mut work.arena()).unwrap();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert!(sorted.into_iter().eq(0..cols), "a permutation");
    check(&q, &r, &Wide::new(rows, cols, |i, j| wide.at(i, order[j])), "pivoted QR");
    let diagonal: Vec<f64> = (0..cols).map(|i| r[i * cols + i].wide().re).collect();
    let slack = 1.0 + F::TOLERANCE;
    assert!(
        diagonal.windows(2).all(|pair| pair[1] <= pair[0] * slack + F::TOLERANCE * scale),
        "{diagonal:?}"
    );
}

fn every_qr<F: Number>() {
    let mut rng = Rng::new(6);
    for (rows, cols) in SHAPES.into_iter().filter(|(rows, cols)| rows >= cols) {
        unitary_qr(&random::<F>(&mut rng, rows * cols), rows, cols);
        unitary_qr(&of_rank::<F>(&mut rng, rows, cols, cols.div_ceil(2)), rows, cols);
        unitary_qr(&vec![F::ZERO; rows * cols], rows, cols);
        unitary_qr(&vec![F::new(2.0, 1.0); rows * cols], rows, cols);
        let mut gaps = random::<F>(&mut rng, rows * cols);
        gaps.iter_mut().enumerate().filter(|(at, _)| at % cols % 3 == 0).for_each(|(_, x)| *x = F::ZERO);
        unitary_qr(&gaps, rows, cols);
    }
}

#[test]
fn qr_factors_anything_tall() {
    every_qr::<f64>();
    every_qr::<f32>();
    every_qr::<Complex<f64>>();
    every_qr::<Complex<f32>>();
    let mut rng = Rng::new(8);
    for factor in [1e-300, 1e-160, 1e160, 1e300] {
        let a: Vec<f64> = random::<f64>(&mut rng, 7 * 5).iter().map(|x| x * factor).collect();
        let (mut q, mut r) = ([0.0; 35], [0.0; 25]);
        let mut work = Workspace::new(qr_layout::<f64>(7, 5).unwrap());
        qr(
            Mat::new("a", &a, 7, 5).unwrap(),
            MatMut::new("q", &mut q, 7, 5).unwrap(),
            MatMut::new("r", &mut r, 5, 5).unwrap(),
            &mut work.arena(),
        )
        .unwrap();
        let unscaled: Vec<f64> = r.iter().map(|x| x / factor).collect();
        let exact: Vec<f64> = a.iter().map(|x| x / factor).collect();
        assert!(Wide::of(&q, 7, 5).defect() <= 1e-13);
        assert!(
            Wide::of(&q, 7, 5).times(&Wide::of(&unscaled, 5, 5)).distance(&Wide::of(&exact, 7, 5)) <= 1e-13
        );
    }
}

fn completed<F: Number>(rows: usize, cols: usize, from: usize) {
    let mut rng = Rng::new(31);
    let given = decompose(&random::<F>(&mut rng, rows * cols), rows, cols).unwrap().vh;
    let mut basis = given.clone();
    basis[from * cols..].fill(F::new(f64::NAN, 5.0)); // whatever is in memory
    complete_basis(MatMut::new("basis", &mut basis, rows, cols).unwrap(), from).unwrap();
    assert!(basis[..from * cols] == given[..from * cols], "the given rows stay");
    let defect = Wide::of(&basis, rows, cols).adjoint().defect();
    assert!(defect <= F::TOLERANCE, "{rows}x{cols} from {from}: {defect}");
}

#[test]
fn a_basis_is_completed() {
    for (rows, cols, from) in
        [(1, 1, 0), (5, 5, 0), (5, 5, 4), (5, 5, 5), (3, 9, 1), (30, 30, 29), (30, 30, 11)]
    {
        completed::<f64>(rows, cols, from);
        completed::<f32>(rows, cols, from);
        completed::<Complex<f64>>(rows, cols, from);
    }
    let mut data = [1.0_f64; 6];
    let tall = MatMut::new("basis", &mut data, 3, 2).unwrap();
    assert!(matches!(complete_basis(tall, 0), Err(Error::Parameter { what: "basis", .. })));
    let wide = MatMut::new("basis", &mut data, 2, 3).unwrap();
    assert!(matches!(complete_basis(wide, 3), Err(Error::Parameter { what: "from", .. })));
    assert_eq!(data, [1.0; 6]);
    data[2] = f64::NAN;
    let refused = complete_basis(MatMut::new("basis", &mut data, 2, 3).unwrap(), 1);
    assert_eq!(refused, Err(Error::NotFinite { what: "basis", index: 2 }));
}
