//! What a session does not show, from what it does: the steps of the algorithm, read backwards.
//!
//! With the tensors of the last step, `S2 = (rho (A - S1 - E) + Q1)/(2 gamma + rho)` gives `A`, the new
//! `E = (A + W - S1 - S2)/2` gives `W`, and the new `S1 = (K - Q2/rho - S2 - E + A + Q1/rho)/2` gives `K`. The
//! multipliers are sums over the steps. None of it uses what a step reports.

use cstgl::session::Session;

/// `A`, `W`, `K` and the multipliers after as many steps as were followed; `[v][i][j]` each.
pub struct Hidden {
    pub a: Vec<f64>,
    pub w: Vec<f64>,
    pub k: Vec<f64>,
    pub s1: Vec<f64>,
    pub s2: Vec<f64>,
    pub e: Vec<f64>,
    q1: Vec<f64>,
    q2: Vec<f64>,
    n: usize,
    gamma: f64,
    rho: f64,
    mu: f64,
}

impl Hidden {
    /// Before the first step: all zero.
    pub fn new(session: &mut Session<'_, f64>) -> Self {
        let config = session.config().unwrap();
        let (n, gamma, rho, mu) = (config.samples, config.gamma, config.rho, config.mu);
        let [a, w, k, s1, s2, e, q1, q2] = [(); 8].map(|()| vec![0.0; config.views * n * n]);
        Self { a, w, k, s1, s2, e, q1, q2, n, gamma, rho, mu }
    }

    /// After a step of the session: what its record should say. (The change, the split, the low rank, the noise.)
    pub fn follow(&mut self, session: &mut Session<'_, f64>) -> [f64; 4] {
        let (rho, square) = (self.rho, self.n * self.n);
        let (old_s1, old_e) = (self.s1.clone(), self.e.clone());
        for v in 0..self.a.len() / square {
            let view = v * square..(v + 1) * square;
            session.consistent(v, &mut self.s1[view.clone()]).unwrap();
            session.specific(v, &mut self.s2[view.clone()]).unwrap();
            session.noise(v, &mut self.e[view]).unwrap();
        }
        let mut squares = [0.0; 4];
        for at in 0..self.a.len() {
            let (s1, s2, e, q1, q2) = (self.s1[at], self.s2[at], self.e[at], self.q1[at], self.q2[at]);
            let a = ((2.0 * self.gamma + rho) * s2 - q1) / rho + old_s1[at] + old_e[at];
            let w = 2.0 * e + s1 + s2 - a;
            let k = 2.0 * s1 + q2 / rho + s2 + old_e[at] - a - q1 / rho;
            self.q1[at] += rho * (e - w);
            self.q2[at] += rho * (s1 - k);
            (self.a[at], self.w[at], self.k[at]) = (a, w, k);
            let parts = [s1 - old_s1[at], a - s1 - s2 - e, s1 - k, e - w];
            squares.iter_mut().zip(parts).for_each(|(sum, x)| *sum += x * x);
        }
        self.rho *= self.mu;
        squares.map(f64::sqrt)
    }
}
