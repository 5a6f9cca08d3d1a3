"""Trains a small network on real handwritten digits with a gradient that you can read.

The loss is plain NumPy. `srcgrad.value_and_grad` writes its derivative, also in plain NumPy, which
this script prints, checks against finite differences, and then trains with.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from tqdm import tqdm

import srcgrad as sg

EPOCHS = 30
BATCH = 32
PICTURE = Path(__file__).resolve().parent.parent / "build" / "digits.png"


def scores(params, images):
    """Return one score for each image and digit: a network of 64, 64 and 10 units."""
    hidden = np.tanh(images @ params["w1"] + params["b1"])
    return hidden @ params["w2"] + params["b2"]


@sg.value_and_grad
def loss(params, images, labels):
    """Return the mean cross-entropy between the network's digits and the labels."""
    hidden = np.tanh(images @ params["w1"] + params["b1"])
    logits = hidden @ params["w2"] + params["b2"]
    logits = logits - logits.max(axis=1, keepdims=True)
    log_p = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels])


def load():
    """Return training and test images (one row of 64 pixels each) and their labels."""
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    images, labels = digits.data[order] / 16.0, digits.target[order]
    return images[:1437], labels[:1437], images[1437:], labels[1437:]


def initial_params(rng):
    """Return small random weights and zero biases."""
    return {
        "w1": rng.normal(scale=1 / 8, size=(64, 64)),
        "b1": np.zeros(64),
        "w2": rng.normal(scale=1 / 8, size=(64, 10)),
        "b2": np.zeros(10),
    }


def largest_error(params, images, labels, rng, step=1e-5):
    """Compare the gradient with central differences at 25 random entries of every parameter."""
    _, grads = loss(params, images, labels)
    worst = 0.0
    for name, grad in grads.items():
        for at in rng.integers(grad.size, size=25):
            shift = np.zeros_like(params[name])
            shift.flat[at] = step
            above = loss.primal({**params, name: params[name] + shift}, images, labels)
            below = loss.primal({**params, name: params[name] - shift}, images, labels)
            difference = (above - below) / (2 * step)
            worst = max(worst, abs(difference - grad.flat[at]) / np.abs(grad).max())
    return worst


def train(params, images, labels, rng, rate=0.2, momentum=0.9):
    """Return trained parameters and the loss of every batch: gradient descent with momentum."""
    velocity = {name: np.zeros_like(value) for name, value in params.items()}
    history = []
    progress = tqdm(range(EPOCHS), desc="training", unit="epoch")
    for _ in progress:
        order = rng.permutation(len(labels))
        for first in range(0, len(labels), BATCH):
            batch = order[first : first + BATCH]
            value, grads = loss(params, images[batch], labels[batch])
            for name, grad in grads.items():
                velocity[name] = momentum * velocity[name] - (1 - momentum) * rate * grad
                params[name] = params[name] + velocity[name]
            history.append(value)
        progress.set_postfix(loss=f"{np.mean(history[-45:]):.3f}")
    return params, history


def draw(history, images, labels, predictions):
    """Write the loss curve and 60 test digits, the wrong predictions first, to PICTURE."""
    figure = Figure(figsize=(13, 5), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[2, 3])
    axes = left.subplots()
    axes.semilogy(history, color="0.75", linewidth=0.6, label="each batch")
    smooth = np.convolve(history, np.ones(45) / 45, mode="valid")
    axes.semilogy(np.arange(len(smooth)) + 44, smooth, color="C0", label="mean of 45 batches")
    axes.set(xlabel="batch", ylabel="cross-entropy", title="training loss")
    axes.legend()

    wrong = predictions != labels
    right.suptitle(f"test digits as predicted; {wrong.sum()} of {len(labels)} wrong, in red")
    shown = np.argsort(~wrong, kind="stable")[:60]
    for cell, i in zip(right.subplots(5, 12).flat, shown, strict=True):
        cell.imshow(images[i].reshape(8, 8), cmap="gray_r")
        title = f"{predictions[i]} not {labels[i]}" if wrong[i] else f"{predictions[i]}"
        cell.set_title(title, fontsize=8, color="red" if wrong[i] else "black")
        cell.set_axis_off()
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    """Show the gradient, check it, train with it, and return 1 if that does not go well."""
    rng = np.random.default_rng(1)
    train_images, train_labels, test_images, test_labels = load()
    params = initial_params(rng)

    print("The gradient of `loss`, as srcgrad wrote it:\n")
    print(loss.source)

    error = largest_error(params, train_images[:BATCH], train_labels[:BATCH], rng)
    print(f"gradient against central differences on {BATCH} images:", end=" ")
    print(f"largest relative error {error:.1e}")

    params, history = train(params, train_images, train_labels, rng)
    predictions = scores(params, test_images).argmax(axis=1)
    accuracy = np.mean(predictions == test_labels)
    print(f"accuracy on {len(test_labels)} test digits: {accuracy:.1%}")

    draw(history, test_images, test_labels, predictions)
    print(f"picture: {PICTURE}")
    return 0 if error < 1e-6 and accuracy >= 0.95 else 1


if __name__ == "__main__":
    sys.exit(main())
