"""Settings of a module that are handed on by ``**``, and objects that hold functions."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from typing import Any, NamedTuple

import numpy as np

from tests.programs.corpus import program


class Surround(NamedTuple):
    """What lies around a colour."""

    factor: float
    impact: float


DEFAULTS = {"rate": 2.0, "white": np.array([1.0, 2.0, 0.5, 1.5])}
VIEWED = {**DEFAULTS, "around": Surround(1.0, 0.69)}
MODE = "reference"


@dataclass
class Appearance:
    """How a colour looks."""

    lightness: Any = None
    chroma: Any = None


def _weighed(x, rate=1.0, white=1.0):
    return np.sum(x * white) * rate


DARK = Surround(0.5, 0.5)


def _seen(x, rate, white, around=DARK):
    return Appearance(x * white * rate * around.factor, np.sum(x * x) * around.impact)


@program("v")
def settings_by_stars(x):
    return _weighed(x * x, **DEFAULTS)


@program("v")
def settings_copied_and_updated(x, **given):
    settings = DEFAULTS.copy()
    settings.update(**given)
    return _weighed(x * x, **settings)


@program("v", "s")
def settings_copied_and_written(x, rate):
    settings = dict(DEFAULTS, white=np.ones(4))
    settings["rate"] = rate * rate
    return _weighed(x * x, **settings)


@program("v")
def settings_merged_in_a_display(x, **given):
    return _weighed(x * x, **{**DEFAULTS, **given})


@program("v")
def settings_merged_by_a_bar(x, **given):
    settings = DEFAULTS | given
    return _weighed(x * x, **settings)


@program("v")
def settings_with_an_object(x, **given):
    settings = copy.copy(VIEWED)
    settings.update(given, rate=3.0)
    looks = _seen(x, **settings)
    return np.sum(looks.lightness * x) + looks.chroma


@program("v")
def settings_imported_here(x, **given):
    from tests.programs.settings_of_modules import VIEWED as KNOWN

    settings = KNOWN.copy()
    settings.update(**given)
    white = given.get("white")
    if white is not None and _mode() == "reference":
        settings["white"] = np.asarray(white) * 100.0
    looks = _seen(x, **settings)
    return np.sum(looks.lightness * x) + looks.chroma


@program("v")
def settings_through_another_function(x):
    return settings_imported_here(x) * settings_merged_in_a_display(x, rate=0.5)


@program("v")
def settings_copied_before_they_change(x):
    settings = DEFAULTS.copy()
    DEFAULTS["rate"] = 5.0
    result = _weighed(x * x, **settings)
    DEFAULTS["rate"] = 2.0
    return result


@program("v", by="tape")
def settings_written_on_some_paths(x):
    settings = DEFAULTS.copy()
    if x[0] > 0.0:
        settings["rate"] = x[0]
    return _weighed(x * x, **settings)


@program("v")
def variable_with_the_name_of_a_setting(x):
    # what `_own_white` calls so is its own, whatever the module has under the name
    return _own_white(x) + _weighed(x, **DEFAULTS)


def _own_white(x):
    DEFAULTS = {"rate": 3.0}
    return _weighed(x * x, **DEFAULTS)


def _mode():
    return MODE


class Space:
    """A space of colours: how it is encoded, and its matrix."""

    def __init__(self, matrix, encode=None):
        self._matrix, self._encode = np.array(matrix), encode
        self._rate = 2.0

    @property
    def matrix(self):
        """The matrix."""
        return self._matrix

    @property
    def encode(self):
        """The function that encodes."""
        return self._encode

    @encode.setter
    def encode(self, function):
        self._encode = function

    @property
    def chosen(self):
        return self._encode if self._rate > 1.0 else None


def _gamma(x):
    return np.sqrt(1.0 + x * x)


class Spaces(Mapping):
    """A table of spaces by names in any case."""

    def __init__(self, entries):
        self._entries = entries

    def __getitem__(self, key):
        return self._entries[key.lower()]

    def __iter__(self):
        return iter(self._entries)

    def __len__(self):
        return len(self._entries)


SPACES = Spaces({"wide": Space(2.0 * np.eye(4), _gamma), "plain": Space(np.ones((4, 4)))})
WIDE = SPACES["wide"]


def _to_space(x, space, rate=None, encode=True):
    if not isinstance(space, (Space, str)):
        matrix = space
        encoding = None
    else:
        if isinstance(space, str):
            space = SPACES[space]
        matrix = space.matrix
        encoding = space.encode
    if rate is not None:
        x = x * rate
    y = matrix @ x
    if encode and encoding is not None:
        y = encoding(y)
    return y


@program("v")
def function_of_a_property(x):
    return np.sum(WIDE.encode(x))


@program("v")
def function_of_a_property_by_a_variable(x):
    encode = WIDE.encode
    if encode is not None:
        x = encode(x * x)
    return np.sum(x)


@program("v", "s")
def space_of_a_table_of_a_class(x, rate):
    return np.sum(_to_space(x, SPACES["Wide"], rate) * x)


@program("v")
def space_by_its_name(x, space="wide"):
    return np.sum(_to_space(x, space) * x)


@program("v")
def space_without_a_function(x, space="plain"):
    return np.sum(_to_space(x * x, SPACES[space]))


@program("v", "s")
def matrix_that_a_helper_does_not_hand_on(x, rate):
    # the update is of what `_product` makes, not of the matrix
    y = _product(WIDE.matrix, x)
    y *= rate
    return np.sum(y * _product(WIDE.matrix, y))


def _product(m, x):
    return np.einsum("ij,j->i", m, x)


class Structure(dict):
    """A dict whose entries are attributes, too."""

    def __getattr__(self, name):
        if name not in self:
            raise AttributeError(name)
        return self[name]


CONSTANTS = Structure(alpha=lambda exact: 1.0993 if exact else 1.099, beta=lambda exact: 0.2)


def _or_default(value, default):
    if value is None:
        return default
    return value


@program("v")
def entries_as_attributes(x, exact=False, constants=None):
    constants = _or_default(constants, CONSTANTS)
    a = constants.alpha(exact)
    return np.sum(np.where(constants.beta(exact) > x, x * a, x * x))


@program("v")
def helper_that_finds_the_nearest(x, terms=4):
    # what finds the nearest number reads another helper's result, and is called with what converts
    known = np.array([3, 4, 5])
    if _whole(_nearest(known, terms)) != terms:
        raise ValueError("another number of terms")
    return np.sum(x * x) if terms == 3 else np.sum(x**3)


@program("v")
def place_in_a_list(x):
    knots = sorted({-1.0: "a", 0.0: "b", 1.0: "c"})
    place = knots.index(_nearest(knots, x[0])[0])
    return knots[place] * np.sum(x * x) + x[1]


def _places(a, b):
    a = np.ravel(a)[:, None]
    b = np.ravel(b)[None, :]
    return np.abs(a - b).argmin(axis=0)


def _nearest(a, b):
    a = np.array(a)
    return a[_places(a, b)]


def _whole(a, dtype=None):
    dtype = _or_default(dtype, np.int64)
    assert dtype in (np.int32, np.int64)
    return dtype(a)


WALLS = {
    (True, False): {"power": 2.0, "factor": 3.0},
    (True, True): {"power": 1.0, "factor": 1.5},
}
KINDS = {"oil": {"power": 1.5, "factor": 0.5}, "gas": {"power": 0.5, "factor": 2.0}}


def _wall(value, power=1.0, factor=1.0):
    return value**power * factor


def _by_flags(value, turbulent=True, liquid=False):
    found = WALLS[(turbulent, liquid)]
    return _wall(value, **found)


@program("v")
def settings_under_flags(x):
    y = np.abs(x) + 0.5
    return _by_flags(y[0], turbulent=True, liquid=True) * _by_flags(y[1])


@program("v")
def settings_under_a_key_that_the_run_tells(x):
    y = np.abs(x) + 0.5
    total = 0.0
    for i, kind in enumerate(["oil", "gas", "oil"]):
        total += _wall(y[i], **KINDS[kind])
    return total


@dataclass
class Correlates:
    """What is known of a colour; None of what is not."""

    lightness: float
    chroma: Any = None
    hue: Any = None


SEEN = Correlates(2.0, np.array([1.0, 2.0, 3.0, 4.0]))


@program("v")
def fields_of_the_module_as_a_tuple(x):
    lightness, chroma, hue = astuple(SEEN)
    lightness += x[0]
    chroma *= 2.0
    y = x * chroma + lightness
    if hue is None:
        y *= lightness
    return np.sum(y * SEEN.chroma)


@program("v")
def fields_of_the_module_as_a_dict(x):
    found = asdict(SEEN)
    found["chroma"] = found["chroma"] * found["lightness"]
    return np.sum(x * x * found["chroma"]) + np.sum(SEEN.chroma * x)


class Modules:
    """Imports a module when it is first asked for, by any name."""

    def __getattr__(self, name):
        found = importlib.import_module(name)
        setattr(self, name, found)
        return found


class Late:
    """Holds it, since what looks at all names of a module would ask it."""

    modules = Modules()


@program("v", by="tape")
def functions_of_modules_that_are_imported_late(x):
    return Late.modules.math.sin(x[0]) * np.sum(x * x)


def renamed(value, held):
    held["value"] = value
    try:

        def constant():
            return value

        constant.__name__ = "same"
        return constant() * held["value"]
    except AttributeError:
        return value


@program("v", by="tape")
def name_of_a_function_that_is_bound(x):
    return renamed(x[0], {}) ** 2 + np.sum(x)
