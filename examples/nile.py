"""Finds the level of the Nile from a century of floods: a Kalman filter, fitted by its gradient.

The gradient by the *data* is the smoother, which need not be written. The data are the flows at
Aswan from 1871 to 1970, in 10^8 m3 a year; in 1899 the first dam was begun.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import minimize

import srcgrad as sg

TABLE = """1120 1160 963 1210 1160 1160 813 1230 1370 1140 995 935 1110 994 1020 960 1180 799 958
1140 1100 1210 1150 1250 1260 1220 1030 1100 774 840 874 694 940 833 701 916 692 1020 1050 969 831
726 456 824 702 1120 1100 832 764 821 768 845 864 862 698 845 744 796 1040 759 781 865 845 944 984
897 822 1010 771 676 649 846 812 742 801 1040 860 874 848 890 744 749 838 1050 918 986 797 923 975
815 1020 906 901 1170 912 746 919 718 714 740"""
FLOW = np.array(TABLE.split(), dtype=float)
PICTURE = Path(__file__).resolve().parent.parent / "build" / "nile.png"


def cost(log_variances, flow):
    """Return minus the log-likelihood of the flows, given the first: one step a year."""
    measured, drift = np.exp(log_variances)  # the variances of a flow, and of a change of level
    level, doubt, total = flow[0], measured, 0.0
    for i in range(1, len(flow)):
        doubt += drift
        surprise, spread = flow[i] - level, doubt + measured
        gain = doubt / spread
        level = level + gain * surprise
        doubt = doubt * (1.0 - gain)
        total += 0.5 * (np.log(2.0 * np.pi * spread) + surprise**2 / spread)
    return total


def exact_level(measured, drift):
    """Return the expected level and its deviation by linear algebra, all the years at once."""
    change = np.diff(np.eye(len(FLOW)), axis=0)
    inverse = np.linalg.inv(np.eye(len(FLOW)) / measured + change.T @ change / drift)
    return inverse @ FLOW / measured, np.sqrt(np.diag(inverse))


def draw(level, spread):
    """Write the flows and the level with its 90 % band to PICTURE."""
    figure, years = Figure(figsize=(9, 4), layout="constrained"), 1871 + np.arange(len(FLOW))
    axes = figure.subplots()
    axes.plot(years, FLOW, ".-", color="0.7", linewidth=0.8, label="flow of the year")
    axes.fill_between(years, level - 1.645 * spread, level + 1.645 * spread, alpha=0.2)
    axes.plot(years, level, label="level, with 90 % of its doubt")
    axes.axvline(1899, color="0.5", linestyle=":", label="work on the dam begins")
    axes.set(ylabel="10$^8$ m$^3$ a year")
    axes.legend()
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    """Fit the variances, smooth the level, and return 1 if either is not the known one."""
    likelihood = sg.scipy_objective(cost, np.log([1e4, 1e3]), FLOW)
    fit = minimize(likelihood.fun_and_jac, likelihood.x0, jac=True, method="BFGS")
    variances = np.exp(fit.x)
    # the slope by a flow says how far it lies from what all the others make of it
    by_flow = sg.grad(cost, argnums=1)
    level = FLOW - variances[0] * by_flow(fit.x, FLOW)
    exact, spread = exact_level(*variances)
    print("The gradient by the data, as srcgrad wrote it:\n", by_flow.source, sep="\n")
    print(f"variances {variances[0]:.0f}, {variances[1]:.1f}; Durbin and Koopman: 15099, 1469.1")
    print(f"level: gradient and linear algebra differ by {np.abs(level - exact).max():.1e}")
    draw(level, spread)
    known = np.allclose(variances, [15099, 1469.1], rtol=1e-3) and np.allclose(level, exact)
    print(f"picture: {PICTURE}")
    return 0 if known else 1


if __name__ == "__main__":
    sys.exit(main())
