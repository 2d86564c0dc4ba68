//! One step of the reduction to a tridiagonal matrix, in real arithmetic throughout.
//!
//! A product of complex numbers that lie part beside part shuffles them. But `a w = Re(a) w + Im(a) (i w)`: where `i w` is
//! at hand as well, the parts are real numbers in a row like any others. So each vector that rows are combined with comes
//! with itself times `i`, and each sum over rows as two: of what the real parts weigh and of what the imaginary ones do.

use super::tridiagonal::Update;
use super::vector::{self, at, put};
use crate::simd::{self, Lanes, Lanewise};
use crate::workspace::{Arena, Layout, as_parts_mut};
use crate::{Error, Field};
use num_complex::Complex;

/// Numbers that are computed together: nine of these are in registers at a time.
const LANES: usize = 4;

/// Memory for the vectors.
pub(crate) struct Parts<'a, F> {
    last_u: [&'a mut [F]; 2],
    last_w: [&'a mut [F]; 2],
    u: [&'a mut [F]; 2],
    imaginary: &'a mut [F],
}

impl<'a, F: Field> Parts<'a, F> {
    /// What [`Self::new`] needs for order `n`.
    pub(crate) fn layout(n: usize) -> Result<Layout, Error> {
        (0..7).try_fold(Layout::EMPTY, |layout, _| layout.and_array::<F>(n))
    }

    pub(crate) fn new(n: usize, work: &mut Arena<'a>) -> Result<Self, Error> {
        let mut pair = || Ok::<_, Error>([work.take::<F>(n)?, work.take::<F>(n)?]);
        Ok(Self { last_u: pair()?, last_w: pair()?, u: pair()?, imaginary: work.take(n)? })
    }

    /// Updates the triangle row by row, and multiplies it by `u` meanwhile: `w = A u`.
    pub(crate) fn update_and_multiply(
        &mut self,
        triangle: &mut [F],
        last: &Update<'_, F>,
        u: &[F],
        w: &mut [F],
    ) {
        let n = u.len();
        // The first step has no last one, and what lies in its memory is no number.
        let some = !last.u.is_empty();
        if some {
            write_pair(last.u, &mut self.last_u);
            write_pair(last.w, &mut self.last_w);
        } else {
            [&mut self.last_u, &mut self.last_w].into_iter().flatten().for_each(|x| x.fill(F::ZERO));
        }
        write_pair(u, &mut self.u);
        let imaginary = self.imaginary.get_mut(..n).unwrap_or(&mut []);
        let [last_u, last_w, u_parts] = [&mut self.last_u, &mut self.last_w, &mut self.u]
            .map(|[x, turned]| [&*as_parts_mut(x), &*as_parts_mut(turned)]);
        let mut rest = triangle;
        for (j, &u_j) in u.iter().enumerate() {
            let Some((row, tail)) = rest.split_at_mut_checked(j.wrapping_add(1)) else { break };
            rest = tail;
            let by = [last.u, last.w].map(|v| if some { at(v, j).conj() } else { F::ZERO });
            let pass = Pass { from: [last_w, last_u], by, u: u_parts, u_j };
            let along = simd::widest(
                #[inline(always)]
                || pass.run(as_parts_mut(row), as_parts_mut(w), as_parts_mut(imaginary)),
            );
            put(w, j, along);
            put(imaginary, j, F::ZERO);
        }
        for (w, &y) in w.iter_mut().zip(imaginary.iter()).take(n) {
            *w += times_i(y);
        }
    }
}

/// A vector, and itself times `i`.
fn write_pair<F: Field>(x: &[F], [same, turned]: &mut [&mut [F]; 2]) {
    vector::copy(x, same);
    turned.iter_mut().zip(x).for_each(|(y, &x)| *y = times_i(x));
}

/// `i x`; nothing of a real number.
fn times_i<F: Field>(x: F) -> F {
    F::from_complex(Complex::new(-x.im(), x.re()))
}

/// What one row meets.
struct Pass<'a, F: Field> {
    /// `x <- x - by_0 from_0 - by_1 from_1`.
    from: [[&'a [F::Real]; 2]; 2],
    by: [F; 2],
    /// The sum of `conj(x_k) u_k` is returned, and `u_j x` is added to `w`.
    u: [&'a [F::Real]; 2],
    u_j: F,
}

impl<F: Field> Pass<'_, F> {
    #[inline(always)]
    fn run(&self, x: &mut [F::Real], w: &mut [F::Real], imaginary: &mut [F::Real]) -> F {
        let [[p, ip], [q, iq]] = self.from;
        let [u, iu] = self.u;
        let mut sums = [Lanes([F::Real::ZERO; LANES]); 2];
        let length = x.len();
        let (blocks, tail) = x.as_chunks_mut::<LANES>();
        let sides = w.as_chunks_mut::<LANES>().0.iter_mut().zip(imaginary.as_chunks_mut::<LANES>().0);
        let from = p.as_chunks::<LANES>().0.iter().zip(ip.as_chunks::<LANES>().0);
        let from = from.zip(q.as_chunks::<LANES>().0.iter().zip(iq.as_chunks::<LANES>().0));
        let along = u.as_chunks::<LANES>().0.iter().zip(iu.as_chunks::<LANES>().0);
        for (((x, (w, y)), ((p, ip), (q, iq))), (u, iu)) in blocks.iter_mut().zip(sides).zip(from).zip(along)
        {
            let mut at = [Lanes(*x), Lanes(*w), Lanes(*y)];
            self.meet(&mut at, [p, ip, q, iq, u, iu].map(|v| Lanes(*v)), &mut sums);
            let [new_x, new_w, new_y] = at;
            (*x, *w) = (new_x.0, new_w.0);
            if F::IS_COMPLEX {
                *y = new_y.0;
            }
        }
        let [Lanes(mut re), Lanes(mut im)] = sums;
        let start = length.wrapping_sub(tail.len());
        for (k, x) in tail.iter_mut().enumerate() {
            let place = start.wrapping_add(k);
            let mut here = [*x, at(w, place), at(imaginary, place)];
            let mut sum = [at(&re, k), at(&im, k)];
            self.meet(&mut here, [p, ip, q, iq, u, iu].map(|v| at(v, place)), &mut sum);
            let [new_x, new_w, new_y] = here;
            *x = new_x;
            put(w, place, new_w);
            put(imaginary, place, new_y);
            let [sum_re, sum_im] = sum;
            put(&mut re, k, sum_re);
            put(&mut im, k, sum_im);
        }
        let total = |[a, b, c, d]: [F::Real; LANES]| (a + c) + (b + d);
        F::from_complex(Complex::new(total(re), -total(im)))
    }

    /// Some places of the row.
    #[inline(always)]
    fn meet<L: Lanewise<F::Real>>(
        &self,
        [x, w, y]: &mut [L; 3],
        [p, ip, q, iq, u, iu]: [L; 6],
        [re, im]: &mut [L; 2],
    ) {
        let [a, b] = self.by;
        let (real, turned) = (|z: F| L::splat(z.re()), |z: F| L::splat(z.im()));
        let mut change = real(a) * p + real(b) * q;
        if F::IS_COMPLEX {
            change = change + (turned(a) * ip + turned(b) * iq);
        }
        *x = *x - change;
        *re = *re + *x * u;
        *w = *w + real(self.u_j) * *x;
        if F::IS_COMPLEX {
            *im = *im + *x * iu;
            *y = *y + turned(self.u_j) * *x;
        }
    }
}
