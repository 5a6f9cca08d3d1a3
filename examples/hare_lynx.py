"""Fits the hares and lynxes of Hudson Bay with the equations of Lotka and Volterra.

The gradient goes back through 400 Runge-Kutta steps, which write into an array as such loops do.
The data are the thousands of pelts that the Hudson's Bay Company traded in the years 1900 to 1920.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import minimize

import srcgrad as sg

HARES = "30 47.2 70.2 77.4 36.3 20.6 18.1 21.4 22 25.4 27.1 40.3 57 76.6 52.3 19.5 11.2 7.6 14.6"
LYNXES = "4 6.1 9.8 35.2 59.4 41.7 19 13 8.3 9.1 7.4 8 12.3 19.5 45.7 51.1 29.7 15.8 9.7"
PELTS = np.array([[*HARES.split(), 16.2, 24.7], [*LYNXES.split(), 10.1, 8.6]], dtype=float)
PUBLISHED = np.array([0.545, 0.028, 0.803, 0.024])  # posterior means of B. Carpenter, 2018
PICTURE = Path(__file__).resolve().parent.parent / "build" / "hare_lynx.png"


def change(animals, rates):
    """Return how fast the numbers of hares and lynxes change, per year."""
    (hares, lynxes), (born, eaten, died, raised) = animals, rates
    return np.array([hares * (born - eaten * lynxes), lynxes * (raised * hares - died)])


def simulate(rates, first, count, step):
    """Return the numbers of hares and lynxes at every step of the method of Runge and Kutta."""
    path = np.zeros((count + 1, 2))
    path[0] = first
    for i in range(count):
        k1 = change(path[i], rates)
        k2 = change(path[i] + step / 2 * k1, rates)
        k3 = change(path[i] + step / 2 * k2, rates)
        k4 = change(path[i] + step * k3, rates)
        path[i + 1] = path[i] + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return path


@sg.value_and_grad(fallback="error")
def cost(logs, pelts):
    """Return minus the log-likelihood of the counts, whose errors are relative, by species."""
    path = simulate(np.exp(logs[:4]), np.exp(logs[4:]), 400, 0.05)
    misses = np.log(path[::20] / pelts.T)
    return 0.5 * len(misses) * np.sum(np.log(np.mean(misses**2, axis=0)))


def draw(path):
    """Write the counts and the fitted cycle over time, and around the cycle, to PICTURE."""
    figure = Figure(figsize=(11, 4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[2, 1])
    left.set_prop_cycle(color=["tab:blue", "tab:orange"])
    left.plot(1900 + np.arange(21), PELTS.T, "o", label=["hares, counted", "lynxes, counted"])
    left.plot(1900 + np.arange(1001) / 50, path, label=["hares, fitted", "lynxes, fitted"])
    left.set(ylabel="thousands of pelts", xticks=range(1900, 1921, 5))
    left.legend()
    right.plot(*path.T, "0.3", *PELTS, "o:")
    right.set(xlabel="hares", ylabel="lynxes")
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    """Fit, print the rates beside published ones, and return 1 if they differ by much."""
    fit = minimize(cost, np.log([0.6, 0.03, 0.6, 0.03, 30.0, 4.0]), args=(PELTS,), jac=True)
    print("The gradient, through the simulation, as srcgrad wrote it:\n", cost.source, sep="\n")
    rates = np.exp(fit.x[:4])
    slopes = [cost(fit.x + h, PELTS)[1] - cost(fit.x - h, PELTS)[1] for h in 1e-4 * np.eye(6)]
    error = rates * np.sqrt(np.diag(np.linalg.inv(np.array(slopes) / 2e-4)))[:4]
    print(f"rates: fitted {rates.round(3)} +- {error.round(3)}, published {PUBLISHED}")
    draw(simulate(rates, np.exp(fit.x[4:]), 1000, 0.02))
    print(f"picture: {PICTURE}")
    return 0 if np.all(np.abs(rates - PUBLISHED) < error) else 1


if __name__ == "__main__":
    sys.exit(main())
