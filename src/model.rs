//! The same with memory of its own: views in, labels out, for those who have an allocator.

use crate::config::Config;
use crate::graph::dense::Dense;
use crate::session::{Flow, Session};
use crate::workspace::Workspace;
use crate::{Error, Scalar};
use core::marker::PhantomData;
use std::vec::Vec;

/// A [`Session`] that owns its memory.
///
/// ```
/// use cstgl::config::Config;
/// use cstgl::graph::dense::Dense;
/// use cstgl::{Flow, Model};
///
/// // Two views of six samples: a row a sample, two and one features.
/// let sizes = [0.9, 0.1, 1.0, 0.2, 0.8, 0.1, 0.1, 0.9, 0.2, 1.0, 0.1, 0.8];
/// let sign = [1.0, 1.0, 1.0, -1.0, -1.0, -1.0];
/// let mut model = Model::new(&Config { clusters: 2, ..Config::<f64>::new(6, 2) })?;
/// let mut session = model.session();
/// session.push_dense(0, &Dense::by_sample(&sizes, 2, 6)?)?;
/// session.push_dense(1, &Dense::by_sample(&sign, 1, 6)?)?;
/// session.run(|step| if step.change < 1e-9 { Flow::Cancel } else { Flow::Continue })?;
/// let mut labels = [0; 6];
/// session.cluster(&mut labels)?;
/// assert!(labels[..3].iter().all(|&label| label == labels[0]));
/// assert!(labels[3..].iter().all(|&label| label != labels[0]));
/// # Ok::<(), cstgl::Error>(())
/// ```
#[derive(Debug)]
pub struct Model<T> {
    memory: Workspace,
    number: PhantomData<T>,
}

impl<T: Scalar> Model<T> {
    /// A new run with memory of its own.
    pub fn new(config: &Config<T>) -> Result<Self, Error> {
        let mut memory = Workspace::try_new(Session::layout(config)?)?;
        Session::new(memory.bytes_mut(), config)?;
        Ok(Self { memory, number: PhantomData })
    }

    /// The run. Nothing is lost when it is dropped: the next call goes on.
    #[must_use]
    pub fn session(&mut self) -> Session<'_, T> {
        Session::trusted(self.memory.bytes_mut())
    }

    /// Bytes of the memory.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.memory.bytes()
    }
}

/// Labels of the samples that the views describe, with our defaults; zero clusters estimates their number.
///
/// ```
/// use cstgl::graph::dense::Dense;
///
/// let x = [0.9, 0.1, 1.0, 0.2, 0.1, 0.9, 0.2, 1.0];
/// let y = [2.0, 2.1, -1.9, -2.0];
/// let labels = cstgl::cluster(&[Dense::by_sample(&x, 2, 4)?, Dense::by_sample(&y, 1, 4)?], 2)?;
/// assert_eq!((labels[0], labels[2]), (labels[1], labels[3]));
/// assert_ne!(labels[0], labels[2]);
/// # Ok::<(), cstgl::Error>(())
/// ```
pub fn cluster<T: Scalar>(views: &[Dense<'_, T>], clusters: usize) -> Result<Vec<u32>, Error> {
    let samples = views.first().map_or(0, Dense::samples);
    let mut model = Model::new(&Config { clusters, ..Config::new(samples, views.len()) })?;
    let mut session = model.session();
    for (v, view) in views.iter().enumerate() {
        session.push_dense(v, view)?;
    }
    session.run(|_| Flow::Continue)?;
    let mut labels = std::vec![0; samples];
    session.cluster(&mut labels)?;
    Ok(labels)
}
