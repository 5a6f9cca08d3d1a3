"""Programs that filter, transform, interpolate and integrate with SciPy."""

from __future__ import annotations

import numpy as np
from scipy import fft, integrate, ndimage, signal
from scipy.spatial.distance import cdist, pdist

from tests.programs.corpus import program

CENTRES = np.array([[0.1, 0.2], [1.3, -0.4], [0.6, 0.9]])


@program(("v", 12), ("v", 3))
def matched_filter(x, template):
    """The best answer of a template along a signal."""
    answer = signal.fftconvolve(x, template[::-1], mode="same")
    return np.sum(signal.detrend(answer) ** 2)


@program(("v", 12), "s")
def low_pass_of_first_order(x, tau):
    """A filter whose coefficients depend on a parameter."""
    alpha = 1.0 / (1.0 + tau)
    y = signal.lfilter(np.array([alpha, 0.0]), np.stack([1.0, alpha - 1.0]), x)
    return np.sum(y**2)


@program(("v", 8))
def energy_of_a_band(x):
    """Power between two frequencies, and the envelope."""
    spectrum = fft.rfft(x)
    power = np.abs(spectrum[1:3]) ** 2
    return np.sum(power) + np.sum(np.abs(signal.hilbert(x)) ** 2) + np.sum(fft.dct(x) ** 2)


@program(("m", 5, 6))
def blurred_edges(image):
    """Edges of a smoothed image."""
    smooth = ndimage.gaussian_filter(image, 0.9)
    edges = ndimage.sobel(smooth, axis=0) ** 2 + ndimage.sobel(smooth, axis=1) ** 2
    return np.sum(edges) + np.sum(ndimage.uniform_filter(image, 3) ** 3)


@program(("v", 7), "s")
def work_along_a_path(force, length):
    """Three rules for one integral."""
    x = length * np.linspace(0.0, 1.0, 7)
    rough = integrate.trapezoid(force, x)
    running = integrate.cumulative_trapezoid(force**2, x, initial=0.0)
    return rough + running[-1] + integrate.simpson(force, dx=0.5)


@program(("m", 4, 2))
def repulsion_of_points(points):
    """Points that shun each other and stay near centres."""
    return np.sum(1.0 / (1.0 + pdist(points))) + np.sum(cdist(points, CENTRES, "sqeuclidean"))
