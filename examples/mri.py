"""Makes an image of a head from a quarter of what a scanner measures: compressed sensing.

A scanner measures the Fourier transform of an image. Of all images that agree with the part
that was measured, the one with the least total variation comes close to the whole: found with a
gradient through `np.fft.fft2` and its complex numbers. The slice comes with matplotlib.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.cbook import get_sample_data
from matplotlib.figure import Figure
from scipy.optimize import minimize

import srcgrad as sg

WEIGHT, STEPS = 1e-3, 40
PICTURE = Path(__file__).resolve().parent.parent / "build" / "mri.png"


def cost(image, measured, mask):
    """Return the misfit where there are measurements, plus weighted total variation."""
    misfit = mask * np.fft.fft2(image, norm="ortho") - measured
    down = image[1:, :-1] - image[:-1, :-1]
    right = image[:-1, 1:] - image[:-1, :-1]
    slope = np.sqrt(down**2 + right**2 + 1e-5)
    return 0.5 * np.sum(np.abs(misfit) ** 2) + WEIGHT * np.sum(slope)


def spokes(size, count):
    """Return which places of the transform lie on lines through its middle, as scanners go."""
    mask = np.zeros((size, size))
    along = np.linspace(-1, 1, 2 * size) * (size / 2 - 1)
    for angle in np.pi * np.arange(count) / count:
        rows, columns = along * np.sin(angle), along * np.cos(angle)
        mask[np.rint(rows).astype(int) % size, np.rint(columns).astype(int) % size] = 1
    return mask


def draw(images, mask):
    """Write the images and what was measured to PICTURE."""
    figure = Figure(figsize=(11, 3.2), layout="constrained", facecolor="black")
    shown = {f"measured: {mask.mean():.0%}": np.fft.fftshift(mask), **images}
    for axes, (title, image) in zip(figure.subplots(1, 4), shown.items(), strict=True):
        axes.imshow(image, cmap="gray", vmin=0, vmax=1, interpolation="bicubic")
        axes.set_title(title, color="white", fontsize=10)
        axes.set_axis_off()
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    """Make the image, and return 1 if it is not much better than without the missing part."""
    with get_sample_data("s1045.ima.gz") as file:
        head = np.frombuffer(file.read(), np.uint16).reshape(256, 256)[20:212, 10:202]
    whole = np.clip(head / np.quantile(head, 0.995), 0, 1)
    mask = spokes(len(whole), 50)
    measured = mask * np.fft.fft2(whole, norm="ortho")
    filled = np.real(np.fft.ifft2(measured, norm="ortho"))  # zeros where nothing is known

    print("The gradient of `cost`, as srcgrad wrote it:\n")
    print(sg.grad(cost).source)
    descent = sg.scipy_objective(cost, filled, measured, mask)
    options = {"maxiter": STEPS}
    found = minimize(descent.fun_and_jac, descent.x0, jac=True, method="L-BFGS-B", options=options)
    image = descent.unravel(found.x)
    before, after = (-10 * np.log10(np.mean((x - whole) ** 2)) for x in (filled, image))
    print(f"with zeros {before:.1f} dB, with the least variation {after:.1f} dB")
    draw({"whole": whole, f"zeros: {before:.1f} dB": filled, f"made: {after:.1f} dB": image}, mask)
    print(f"picture: {PICTURE}")
    return 0 if after > before + 2 else 1


if __name__ == "__main__":
    sys.exit(main())
