#!/usr/bin/env python3
"""Two of our stages beside SciPy's, in one run: leading eigenvectors, and the Gram matrix of a sparse view.

    python3 benches/beside_scipy.py target/release/cstgl

Needs NumPy and SciPy. The eigenproblem is of the same size and kind as ours (a clustered affinity of 2000 samples, ten
eigenvectors), the sparse view of the same shape and filling (34,000 x 600, 0.2 %). One thread each.
"""
import os
import re
import subprocess
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded
import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg


def best(action, times=3):
    """Seconds of the fastest of a few runs."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def ours(program, pattern, *options):
    """A number that `cstgl bench` prints."""
    text = subprocess.run([program, "bench", *options], check=True, capture_output=True, text=True).stdout
    return float(re.search(pattern, text).group(1))


def affinity(n=2000, clusters=10, seed=1):
    """Normalised and symmetric, ten neighbours a sample, most of them of its cluster."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % clusters
    s = np.zeros((n, n))
    for i in range(n):
        own = rng.choice(np.flatnonzero(labels == labels[i]), 9, replace=False)
        s[i, np.append(own, rng.integers(n))] = rng.random(10)
    s = s + s.T + 1e-4 * rng.random((n, n))
    s = (s + s.T) / 2
    d = 1 / np.sqrt(s.sum(0))
    return d[:, None] * s * d[None]


def main():
    program, k, n = sys.argv[1], 10, 2000
    spectral = ours(program, r"spectral ([\d.]+) s", "--alpha", "1e-3", "--self-loops", "--samples", str(n))
    gram = ours(program, r"0.2 % filled: ([\d.]+) s", "--ratios", "--samples", "200")
    s = affinity(n)
    x = scipy.sparse.random(34_000, 600, 0.002, format="csc", random_state=1)
    rows = [
        ("leading eigenvectors", "eigh(subset_by_index)", spectral,
         best(lambda: scipy.linalg.eigh(s, subset_by_index=[n - k, n - 1]))),
        ("leading eigenvectors", "sparse.linalg.eigsh", spectral,
         best(lambda: scipy.sparse.linalg.eigsh(s, k, which="LA"))),
        ("Gram of a sparse view", "sparse X.T @ X, to dense", gram, best(lambda: (x.T @ x).toarray())),
    ]
    print("| stage | SciPy | ours, s | theirs, s | times faster |\n|---|---|---:|---:|---:|")
    for stage, what, mine, theirs in rows:
        print(f"| {stage} | {what} | {mine:.4f} | {theirs:.4f} | {theirs / mine:.1f} |")


if __name__ == "__main__":
    main()
