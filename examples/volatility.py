"""Follows how nervous the market of a share was: GARCH(1,1), a recursion over 1,046 days.

The variance of each day depends on that of the day before, so there is nothing to vectorise: a
plain loop writes into an array, and its gradient is a plain loop that runs backwards. The data are
Google's prices from 2004 to 2008, which come with matplotlib.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.cbook import get_sample_data
from matplotlib.figure import Figure
from scipy.optimize import minimize

import srcgrad as sg

PICTURE = Path(__file__).resolve().parent.parent / "build" / "volatility.png"


def variances(params, returns):
    """Return the variance of every day, as the days before foretell it."""
    mean, base, shock, memory = params
    variance = np.zeros(len(returns))
    variance[0] = np.var(returns)
    for day in range(1, len(returns)):
        surprise = returns[day - 1] - mean
        variance[day] = base + shock * surprise**2 + memory * variance[day - 1]
    return variance


@sg.value_and_grad(fallback="error")
def cost(params, returns):
    """Return minus the log-likelihood of normal returns (without its constant)."""
    variance = variances(params, returns)
    return 0.5 * np.sum(np.log(variance) + (returns - params[0]) ** 2 / variance)


def draw(dates, price, returns, deviation):
    """Write the price, and the returns inside two foretold deviations, to PICTURE."""
    figure = Figure(figsize=(9, 5.5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[1, 2])
    above.plot(dates, price, color="0.3")
    above.set(ylabel="Google ($)")
    below.vlines(dates[1:], 0, returns, color="0.6", linewidth=0.7, label="return of the day")
    for sign in (-2, 2):
        below.plot(dates[1:], sign * deviation, color="C3", linewidth=1)
    below.lines[-1].set_label("two deviations, foretold the day before")
    below.set(ylabel="return (%)", ylim=(-21, 21))
    below.legend(loc="lower left", ncols=2)
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    """Fit with and without the gradient, and return 1 if these do not agree."""
    data = np.load(get_sample_data("goog.npz", asfileobj=False))["price_data"]
    returns = 100 * np.diff(np.log(data["adj_close"]))
    guess = np.array([0.0, 0.1, 0.1, 0.8])
    limits = [(-1, 1), (1e-6, 5), (0, 1), (0, 1)]

    fit = minimize(cost, guess, args=(returns,), jac=True, bounds=limits)
    print("The gradient of `cost`, through the recursion, as srcgrad wrote it:\n")
    print(cost.source)
    blind = minimize(cost.primal, guess, args=(returns,), method="Nelder-Mead", bounds=limits)
    mean, base, shock, memory = fit.x
    print(f"variance of a day = {base:.3f} + {shock:.3f} surprise^2 + {memory:.3f} variance before")
    print(f"mean return {mean:.3f} %; a shock is half forgotten after", end=" ")
    print(f"{np.log(0.5) / np.log(shock + memory):.0f} days")
    print(f"{fit.nfev} calls; without a gradient {blind.nfev} to the same {blind.fun:.4f}")
    draw(data["date"], data["adj_close"], returns, np.sqrt(variances(fit.x, returns)))
    print(f"picture: {PICTURE}")
    return 0 if abs(fit.fun - blind.fun) < 1e-2 else 1


if __name__ == "__main__":
    sys.exit(main())
