//! Views come in.

use super::header::{Input, Phase};
use super::{Session, before_the_first_step};
use crate::config::{Config, GraphTerm};
use crate::graph::adaptive::{adaptive, adaptive_layout};
use crate::graph::dense::{Dense, accumulate_dense, accumulate_dense_layout};
use crate::graph::distance::{check_distances, check_gram, finish_gram, finish_gram_layout, from_similarity};
use crate::graph::gram::accumulate_gram;
use crate::graph::sparse::{Csr, accumulate_sparse, accumulate_sparse_layout};
use crate::linalg::vector;
use crate::solver::{State, row_range};
use crate::tensor::{plane, plane_mut};
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check, parallel};

/// Scratch of anything that happens before the first step.
pub(super) fn layout<T: Scalar>(config: &Config<T>) -> Result<Layout, Error> {
    let n = config.samples;
    let push = accumulate_dense_layout::<T>(n)?.or(accumulate_sparse_layout::<T>(n)?);
    let mut finish = Layout::EMPTY;
    for _ in 0..parallel::workers(config.threads) {
        finish = finish.and(finish_layout(config)?)?;
    }
    Ok(push.or(finish))
}

fn finish_layout<T: Scalar>(config: &Config<T>) -> Result<Layout, Error> {
    let finish = finish_gram_layout::<T>(config.samples)?;
    match config.graph {
        GraphTerm::Fixed { .. } => Ok(finish),
        GraphTerm::Adaptive { neighbours, .. } => {
            Ok(finish.or(adaptive_layout::<T>(config.samples, neighbours)?))
        }
    }
}

impl<T: Scalar> Session<'_, T> {
    /// Adds a dense block of features to a view.
    pub fn push_dense(&mut self, view: usize, block: &Dense<'_, T>) -> Result<(), Error> {
        let samples = block.samples();
        self.push(view, Input::Gram, samples, |gram, work| accumulate_dense(gram, view, block, work))
    }

    /// Adds a sparse block of features to a view.
    pub fn push_sparse(&mut self, view: usize, block: &Csr<'_, T>) -> Result<(), Error> {
        let samples = block.samples();
        self.push(view, Input::Gram, samples, |gram, work| accumulate_sparse(gram, view, block, work))
    }

    /// Adds the Gram matrix of a block of features, `n x n`, to a view. Scaling to unit length still applies.
    pub fn push_gram(&mut self, view: usize, gram: &[T]) -> Result<(), Error> {
        let n = self.config()?.samples;
        self.push(view, Input::Gram, n, |sum, _| accumulate_gram(sum, view, gram, n))
    }

    /// A view's distances, `n x n`, used as they are.
    pub fn push_distances(&mut self, view: usize, distances: &[T]) -> Result<(), Error> {
        let n = self.config()?.samples;
        self.push(view, Input::Distances, n, |plane, _| {
            check_distances(distances, view, n)?;
            vector::copy(distances, plane);
            Ok(())
        })
    }

    /// A view's similarities, `n x n`: the more alike, the nearer.
    pub fn push_similarities(&mut self, view: usize, similarities: &[T]) -> Result<(), Error> {
        let n = self.config()?.samples;
        self.push(view, Input::Distances, n, |plane, _| {
            check_distances(similarities, view, n)?;
            vector::copy(similarities, plane);
            from_similarity(plane, view, n)
        })
    }

    /// `add` is given the view's matrix, all zero at first, and scratch.
    fn push(
        &mut self,
        view: usize,
        input: Input,
        samples: usize,
        add: impl FnOnce(&mut [T], &mut Arena<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (mut header, config, mut arena) = self.open()?;
        if header.phase() != Phase::Ingest {
            return Err(before_the_first_step());
        }
        if view >= config.views {
            return Err(Error::Parameter { what: "view", requirement: "below the number of views" });
        }
        check::equal("samples", config.samples, samples)?;
        match (header.input(view), input) {
            (Input::Nothing, _) | (Input::Gram, Input::Gram) => (),
            _ => {
                return Err(Error::Sequence {
                    requirement: "a view is features, or one matrix of distances",
                });
            }
        }
        let area = check::product("view", &[samples, samples])?;
        let tensor = check::product("tensor", &[config.views, area])?;
        let (_, planes) = (arena.take::<T>(tensor)?, arena.take::<T>(tensor)?);
        add(plane_mut(planes, area, view), &mut arena)?;
        header.set_input(view, input);
        Ok(())
    }

    /// Turns the views into distances, once.
    #[inline(never)] // Its locals are gone before the first step.
    pub(super) fn begin(&mut self) -> Result<(), Error> {
        let (header, config, mut arena) = self.open()?;
        if header.phase() == Phase::Solve {
            return Ok(());
        }
        let n = config.samples;
        let area = check::product("view", &[n, n])?;
        let tensor = check::product("tensor", &[config.views, area])?;
        let (d, planes) = (arena.take::<T>(tensor)?, arena.take::<T>(tensor)?);
        // All views are looked at before any is changed.
        for v in 0..config.views {
            match header.input(v) {
                Input::Nothing => {
                    return Err(Error::Sequence { requirement: "every view is pushed before a step" });
                }
                Input::Gram => check_gram(plane(planes, area, v), v, n, config.unit_length)?,
                Input::Distances => (),
            }
        }
        let finish = |v: usize, distances: &mut [T], work: &mut Arena<'_>| {
            if header.input(v) == Input::Gram {
                finish_gram(distances, v, n, config.distance, config.unit_length, work)?;
            }
            match config.graph {
                GraphTerm::Adaptive { neighbours, weight } => {
                    adaptive(distances, v, n, neighbours, weight, work)
                }
                GraphTerm::Fixed { .. } => Ok(()),
            }
        };
        let views = planes.chunks_exact_mut(area.max(1)).enumerate();
        if cfg!(feature = "parallel") {
            let need = finish_layout(&config)?;
            parallel::for_each(
                config.threads,
                tensor,
                views,
                &mut arena,
                |work| work.part(need),
                |(v, view), work| finish(v, view, work),
            )?;
        } else {
            for (v, view) in views {
                finish(v, view, &mut arena)?;
            }
        }
        for v in 0..config.views {
            for (i, row) in plane(planes, area, v).chunks_exact(n.max(1)).enumerate() {
                vector::copy(row, d.get_mut(row_range(&config, v, i, tensor)).unwrap_or(&mut []));
            }
        }
        let (mut header, config, mut arena) = self.open()?;
        let progress = State::carve(&config, &mut arena)?.start(&config);
        header.store_progress(&progress);
        Ok(())
    }
}
