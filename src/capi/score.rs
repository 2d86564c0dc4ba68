//! Scores of labels against known classes.

use super::error::{answer, cstgl_error};
use super::pointer::Span;
use super::status::cstgl_status;
use super::types::cstgl_layout;
use crate::metrics;
use crate::workspace::Arena;
use core::ffi::c_void;

/// How well labels agree with classes; 1 is perfect. It never grows.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cstgl_scores {
    /// Accuracy: the share of samples whose label is right, labels being named after classes in the best way.
    pub acc: f64,
    /// Mutual information over the larger of the two entropies, as the paper's authors have it.
    pub nmi: f64,
    /// Mutual information over the mean of the two entropies, as scikit-learn has it.
    pub nmi_arithmetic: f64,
    /// Adjusted Rand index: 0 is chance, and it can be negative.
    pub ari: f64,
    /// Harmonic mean of precision and recall.
    pub fscore: f64,
    /// Of the pairs of samples that share a label, those that share a class.
    pub precision: f64,
    /// Of the pairs of samples that share a class, those that share a label.
    pub recall: f64,
    /// The share of samples in the largest class of their label.
    pub purity: f64,
}

/// Memory that `cstgl_score` needs for so many samples; linear in them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_score_layout(
    samples: usize,
    layout: *mut cstgl_layout,
    error: *mut cstgl_error,
) -> cstgl_status {
    let call = || {
        let out = Span::place("layout", layout)?;
        let need = metrics::scores_layout(samples)?;
        // SAFETY: the caller's promise.
        unsafe { out.put(cstgl_layout { bytes: need.bytes(), align: need.align() }) };
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { answer(error, call) }
}

/// Scores labels against the classes in `truth`. Both are any numbers; only which samples share one matters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_score(
    truth: *const u32,
    labels: *const u32,
    samples: usize,
    memory: *mut c_void,
    bytes: usize,
    scores: *mut cstgl_scores,
    error: *mut cstgl_error,
) -> cstgl_status {
    let call = || {
        let truth = Span::new("truth", truth, samples)?;
        let labels = Span::new("labels", labels, samples)?;
        let memory = Span::new("memory", memory.cast::<u8>(), bytes)?;
        let out = Span::place("scores", scores)?;
        truth.apart_from(&memory)?;
        labels.apart_from(&memory)?;
        // SAFETY: the caller's promise; the memory was seen to be apart from what is read.
        let (truth, labels, memory) = unsafe { (truth.slice(), labels.slice(), memory.slice_mut()) };
        let found = metrics::scores(truth, labels, &mut Arena::new(memory))?;
        let scores = cstgl_scores {
            acc: found.acc,
            nmi: found.nmi,
            nmi_arithmetic: found.nmi_arithmetic,
            ari: found.ari,
            fscore: found.fscore,
            precision: found.precision,
            recall: found.recall,
            purity: found.purity,
        };
        // SAFETY: the caller's promise.
        unsafe { out.put(scores) };
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { answer(error, call) }
}
