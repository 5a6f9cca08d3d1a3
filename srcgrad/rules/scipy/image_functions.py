"""Functions of ``scipy.ndimage`` that are written out with others."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage, special

from srcgrad.rules.equivalents.registry import EquivalentTable, written_out
from srcgrad.runtime.scipy.image_places import centred_grid, middle, plane_axes, turned_shape

table = EquivalentTable()


@table.of(ndimage.rotate)
def rotate(
    input: Any,
    angle: Any,
    axes: Any = (1, 0),
    reshape: bool = True,
    order: int = 3,
    mode: str = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
) -> Any:
    """Return an image turned by an angle in degrees."""
    if np.ndim(input) == 2:
        places = turned_places(angle, np.shape(input), reshape)
        return ndimage.map_coordinates(
            input, places, order=order, mode=mode, cval=cval, prefilter=prefilter
        )
    planes = np.moveaxis(input, plane_axes(axes, np.ndim(input)), (-2, -1))
    shape = np.shape(planes)
    places = turned_places(angle, shape[-2:], reshape)
    turned = [
        ndimage.map_coordinates(
            plane, places, order=order, mode=mode, cval=cval, prefilter=prefilter
        )
        for plane in np.reshape(planes, (-1, *shape[-2:]))
    ]
    whole = np.reshape(np.stack(turned), (*shape[:-2], *np.shape(places)[1:]))
    return np.moveaxis(whole, (-2, -1), plane_axes(axes, np.ndim(input)))


@written_out
def turned_places(angle: Any, shape: Any, reshape: bool) -> Any:
    """Return where `rotate` reads each pixel."""
    down, right = centred_grid(turned_shape(angle, shape, reshape))
    c, s = special.cosdg(angle), special.sindg(angle)
    high, wide = middle(shape)
    return np.stack((high + c * down + s * right, wide - s * down + c * right))


vars(turned_places)["__srcgrad_in_place__"] = True
EQUIVALENTS = table.freeze()
