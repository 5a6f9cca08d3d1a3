"""Says how far the volume of carbon dioxide, a root of van der Waals' equation, can be trusted.

The constants are those of the CRC Handbook of Chemistry and Physics; their uncertainties are half
a unit of the last digit, and those of the instruments.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import brentq

import srcgrad as sg

GAS_CONSTANT = 8.314462618  # J / (mol K)
NAMES = ["attraction (Pa m6/mol2)", "size (m3/mol)", "temperature (K)", "pressure (Pa)"]
GIVEN = np.array([0.3658, 4.29e-5, 310.0, 5.0e6])
UNCERTAIN = np.array([5e-5, 5e-8, 0.5, 2e4])
PICTURE = Path(__file__).resolve().parent.parent / "build" / "sensitivity.png"


def excess_pressure(volume, state):
    """Return van der Waals' pressure of a mole in a volume, less the pressure that is given."""
    attraction, size, temperature, pressure = state
    return GAS_CONSTANT * temperature / (volume - size) - attraction / volume**2 - pressure


@sg.implicit.root(excess_pressure)
def molar_volume(state):
    """Return the volume of a mole of the gas."""
    return brentq(excess_pressure, 2e-4, 5e-3, args=(state,), xtol=1e-15, rtol=1e-14)


@sg.value_and_grad
def density(state):
    """Return the density in kg / m3."""
    return 0.0440095 / molar_volume(state)


def draw(samples, value, spread):
    """Write the histogram of the sampled densities and the propagated bell to PICTURE."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.hist(samples, bins=60, density=True, color="0.8", label="20,000 roots")
    at = np.linspace(samples.min(), samples.max(), 300)
    bell = np.exp(-(((at - value) / spread) ** 2) / 2) / (spread * np.sqrt(2 * np.pi))
    axes.plot(at, bell, label="one gradient")
    axes.set(xlabel="density (kg/m3)", title="carbon dioxide at 310 K and 50 bar")
    axes.legend()
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    """Print what each uncertainty does to the density; return 1 if sampling says otherwise."""
    value, gradient = density(GIVEN)
    shares = gradient * UNCERTAIN
    spread = np.sqrt(np.sum(shares**2))
    print("The gradient of `density`, which does not look into the solver:\n")
    print(density.source)
    for name, slope, share in zip(NAMES, gradient, shares, strict=True):
        print(f"{name:24}{slope:12.4g} kg/m3 per unit{abs(share):9.3f} kg/m3")

    rng = np.random.default_rng(0)
    samples = np.array(
        [density.primal(GIVEN + UNCERTAIN * rng.normal(size=4)) for _ in range(20_000)]
    )
    print(f"density {value:.2f} +- {spread:.2f} kg/m3; sampled +- {samples.std():.2f} kg/m3")
    draw(samples, value, spread)
    print(f"picture: {PICTURE}")
    return 0 if abs(samples.std() / spread - 1) < 0.05 else 1


if __name__ == "__main__":
    sys.exit(main())
