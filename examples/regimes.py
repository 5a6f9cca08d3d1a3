"""Tells calm months of a share from nervous ones: a hidden Markov model of IBM since 1990.

Returns are normal, with a deviation for each of two states that change at random. The likelihood of
all ways that the states may have gone is a loop over the months. Its gradient by what a month says
of a state is the probability of that state, given all months: what one wants to know in the end.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.cbook import get_sample_data
from matplotlib.figure import Figure
from scipy.optimize import minimize

import srcgrad as sg

START = {"mean": 0.01, "log_deviation": np.log([0.05, 0.12]), "stay": np.array([2.0, 2.0])}
PICTURE = Path(__file__).resolve().parent.parent / "build" / "regimes.png"


def said(params, returns):
    """Return the log-density of each month's return in either state."""
    z = (returns[:, None] - params["mean"]) / np.exp(params["log_deviation"])
    return -0.5 * z**2 - params["log_deviation"] - 0.5 * np.log(2 * np.pi)


def log_likelihood(said, stay):
    """Return the log-likelihood of all ways, whose states stay with such log-odds."""
    keep, leave = -np.log1p(np.exp(-stay)), -np.log1p(np.exp(stay))
    calm, nervous = said[0] - np.log(2)
    for i in range(1, len(said)):
        before = calm
        calm = said[i, 0] + np.logaddexp(calm + keep[0], nervous + leave[1])
        nervous = said[i, 1] + np.logaddexp(before + leave[0], nervous + keep[1])
    return np.logaddexp(calm, nervous)


def cost(params, returns):
    """Return minus the log-likelihood of the returns."""
    return -log_likelihood(said(params, returns), params["stay"])


def draw(years, price, nervous):
    """Write the price and the probability that the month was nervous to PICTURE."""
    figure = Figure(figsize=(9, 5), layout="constrained")
    top, bottom = figure.subplots(2, sharex=True, height_ratios=(2, 1))
    top.semilogy(years, price, color="black", linewidth=1)
    style = {"color": "C3", "alpha": 0.2, "linewidth": 0}
    top.fill_between(years, 1, 0, nervous > 0.5, transform=top.get_xaxis_transform(), **style)
    top.set(title="IBM, and its nervous months", ylabel="dollars", xlim=(years[0], years[-1]))
    bottom.fill_between(years, nervous, color="C3", alpha=0.6)
    bottom.set(ylabel="probability: nervous", ylim=(0, 1))
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    """Fit, and return 1 unless chances add up to 1, with 2000 nervous, and 2006 calm."""
    with get_sample_data("Stocks.csv") as file:
        price = np.genfromtxt(file, delimiter=",", skip_header=2, usecols=1)
    price = price[np.isfinite(price)][:-1]  # other rows are about dividends of other shares
    years, returns = 1990 + np.arange(1, len(price)) / 12, np.diff(np.log(price))
    fit = sg.scipy_objective(cost, START, returns)
    params = fit.unravel(minimize(fit.fun_and_jac, fit.x0, jac=True).x)
    slope = sg.grad(log_likelihood)  # by what is said
    chances = slope(said(params, returns), params["stay"])
    nervous = chances[:, 1]
    print(f"The gradient of `log_likelihood`, as srcgrad wrote it:\n\n{slope.source}")
    print("deviation of a month, calm and nervous:", np.exp(params["log_deviation"]).round(3))
    draw(years, price[1:], nervous)
    print(f"picture: {PICTURE}")
    told = nervous[years // 1 == 2000].min() > 0.9 and nervous[years // 1 == 2006].max() < 0.1
    return 0 if told and np.allclose(chances.sum(axis=1), 1) else 1


if __name__ == "__main__":
    sys.exit(main())
