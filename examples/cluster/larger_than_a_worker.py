"""Fit a regression to data that are larger than a worker of the cluster may hold, block by block.

The data are a lazy array of Dask; so is the gradient. The workers are processes of this machine,
each with a limit of memory, and say how much they held at most.
"""

import resource
import time

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster

import srcgrad as sg

LIMIT = 600  # megabytes that a worker may hold
ROWS, COLUMNS, STEPS = 4_000_000, 20, 2


def loss(w, x, y):
    """Return the mean logistic loss of a linear classifier."""
    return np.mean(np.log1p(np.exp(-y * (x @ w))))


def peak():
    """Return how many megabytes a process has held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    truth = np.linspace(-1.0, 1.0, COLUMNS)
    x = da.random.default_rng(0).normal(size=(ROWS, COLUMNS), chunks=(100_000, COLUMNS))
    y = da.sign(x @ truth)
    gradient = sg.value_and_grad(loss)
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit=f"{LIMIT}MB", dashboard_address=None
    )
    with cluster, Client(cluster) as client:
        w = np.zeros(COLUMNS)
        before = max(client.run(peak).values())
        start = time.perf_counter()
        for step in range(STEPS):
            value, slope = da.compute(*gradient(w, x, y))
            w -= 4.0 * slope
            print(f"step {step}: loss {value:.4f}")
        seconds = time.perf_counter() - start
        after = max(client.run(peak).values())
    chunk = 100_000 * COLUMNS * 8 / 1e6
    print(f"data {x.nbytes / 1e6:.0f} MB in chunks of {chunk:.0f} MB, {LIMIT} MB for a worker")
    print(f"a worker held {before:.0f} MB at the start and {after:.0f} MB at most")
    print(f"{seconds / STEPS:.1f} s a step")
    agreement = w @ truth / np.linalg.norm(w) / np.linalg.norm(truth)
    print(f"the direction found agrees with the true one to {agreement:.4f}")
    assert x.nbytes / 1e6 > LIMIT > after
    assert agreement > 0.99


if __name__ == "__main__":
    main()
