"""Draws from the posterior of a regression by Hamiltonian Monte Carlo, which lives on gradients.

Disease progression of 442 patients (the diabetes data of scikit-learn) by ten measurements, with
unknown noise: simple enough that the right answer is known, too.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_diabetes

import srcgrad as sg

NAMES = "age sex bmi bp total ldl hdl ratio lipid sugar".split()
DRAWS, LEAPS, SPREAD = 2500, 12, 3.0
PICTURE = Path(__file__).resolve().parent.parent / "build" / "hmc.png"


@sg.value_and_grad
def cost(params, x, y):
    """Return minus the log-posterior of ten weights and the log of the noise."""
    weights, log_noise = params[:-1], params[-1]
    squares = np.sum((y - x @ weights) ** 2) + np.sum(weights**2) / SPREAD**2
    return 0.5 * squares * np.exp(-2 * log_noise) + (len(y) + len(weights)) * log_noise


def draws(x, y, scale):
    """Yield draws: each goes along the posterior like a ball that was pushed at random."""
    rng, now = np.random.default_rng(0), np.zeros(len(scale))
    value, grad = cost(now, x, y)
    for _ in range(DRAWS):
        place, slope, speed = now, grad, rng.normal(size=len(scale))
        before = value + 0.5 * speed @ speed
        for _ in range(LEAPS):  # half a push, a move, half a push
            speed = speed - 0.5 * scale * slope
            place = place + scale * speed
            found, slope = cost(place, x, y)
            speed = speed - 0.5 * scale * slope
        if np.log(rng.uniform()) < before - found - 0.5 * speed @ speed:
            now, value, grad = place, found, slope
        yield now


def exact(x, y):
    """Return means and standard deviations of the weights, as a book has them."""
    covariance = np.linalg.inv(x.T @ x + np.eye(x.shape[1]) / SPREAD**2)
    mean = covariance @ (x.T @ y)
    return mean, np.sqrt((y - x @ mean) @ y / (len(y) - 2) * np.diag(covariance))


def draw(chain, mean, deviation):
    """Write all weights, and two that go together, to PICTURE."""
    figure = Figure(figsize=(10, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.violinplot(chain[:, :-1], showextrema=False, widths=0.8)
    left.errorbar(range(1, 11), mean, 2 * deviation, fmt="k_")
    left.set_xticks(range(1, 11), NAMES, rotation=30)
    right.plot(*chain[:, 4:6].T, ".", markersize=3, alpha=0.4)
    right.set(title=f"{len(chain)} draws; left: exact, too", xlabel=NAMES[4], ylabel=NAMES[5])
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    """Draw, compare with the sum, and return 1 if they do not agree."""
    x, y = ((a - a.mean(axis=0)) / a.std(axis=0) for a in load_diabetes(return_X_y=True))
    mean, deviation = exact(x, y)
    chain = np.stack([*draws(x, y, 0.16 * np.append(deviation, 0.03))])[200:]
    draw(chain, mean, deviation)
    print(f"The value and gradient of `cost`, as srcgrad wrote them:\n\n{cost.source}")
    apart = np.max(np.abs(chain[:, :-1].mean(axis=0) - mean) / deviation)
    print(f"means differ by at most {apart:.2f} deviations\npicture: {PICTURE}")
    return int(apart > 0.25)


if __name__ == "__main__":
    sys.exit(main())
