"""Lays 500 handwritten digits out on a plane so that those that look alike lie close: t-SNE.

The cost compares two tables of probabilities that one digit picks another as its neighbour: by the
images, and by the places on the plane. Nobody needs to know its gradient. Digits of scikit-learn.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

import srcgrad as sg

COUNT, NEIGHBOURS, STEPS = 500, 20, 250
PICTURE = Path(__file__).resolve().parent.parent / "build" / "embedding.png"


def squared_distances(x):
    """Return those of all pairs of rows."""
    lengths = np.sum(x * x, axis=1)
    return lengths[:, None] + lengths[None, :] - 2 * x @ x.T


def cost(plane, wanted):
    """Return the divergence of the wanted probabilities from those on the plane."""
    near = (1 - np.eye(len(plane))) / (1 + squared_distances(plane))  # not of oneself
    return -np.sum(wanted * np.log(near / np.sum(near) + 1e-12))


def probabilities(x):
    """Return how likely pairs are neighbours, each row as wide as so many neighbours need."""
    apart = squared_distances(x) + 1e9 * np.eye(len(x))
    low, high = np.zeros(len(x)), 1.0
    for _ in range(50):  # halve the interval around the right sharpness
        middle = (low + high) / 2
        chosen = np.exp(-(apart - apart.min(axis=1, keepdims=True)) * middle[:, None])
        chosen /= chosen.sum(axis=1, keepdims=True)
        entropy = -np.sum(chosen * np.log(chosen + 1e-30), axis=1)
        low = np.where(entropy > np.log(NEIGHBOURS), middle, low)
        high = np.where(entropy > np.log(NEIGHBOURS), high, middle)
    return (chosen + chosen.T) / (2 * len(x))


def draw(plane, labels):
    """Write the plane, with a mark for each digit, to PICTURE."""
    figure = Figure(figsize=(6.5, 6.5), layout="constrained")
    axes = figure.subplots()
    for label in range(10):
        axes.scatter(*plane[labels == label].T, s=50, marker=f"${label}$", linewidths=0.2)
    axes.set(xticks=[], yticks=[], title=f"{len(plane)} digits, by what they look like")
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    """Find the plane, and return 1 unless the nearest neighbour is nearly always the same digit."""
    images, labels = (item[:COUNT] for item in load_digits(return_X_y=True))
    wanted = probabilities(images)
    slope = sg.grad(cost)
    plane, velocity = 1e-2 * np.random.default_rng(0).normal(size=(COUNT, 2)), 0.0
    for step in range(STEPS):  # at first alike digits are drawn together more than they should
        factor, memory = (4, 0.5) if step < STEPS // 4 else (1, 0.8)
        velocity = memory * velocity - 100 * slope(plane, factor * wanted)
        plane = plane + velocity
    print("The gradient of `cost`, as srcgrad wrote it:\n")
    print(slope.source)
    nearest = np.argmin(squared_distances(plane) + 1e9 * np.eye(COUNT), axis=1)
    right = np.mean(labels[nearest] == labels)
    print(f"the nearest neighbour is the same digit for {right:.1%}")
    draw(plane, labels)
    print(f"picture: {PICTURE}")
    return 0 if right > 0.9 else 1


if __name__ == "__main__":
    sys.exit(main())
