"""Gives readable, unique, repeatable names."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable
from typing import Final

_RESERVED = frozenset(keyword.kwlist) | (frozenset(dir(builtins)) - {"_"})  # a console binds `_`


_LONGEST: Final = 80


def identifier(text: str) -> str:
    """Return what a definition may be called that is to be named by any text at all.

    >>> [identifier(text) for text in ("loss", "my loss!", "class", "2nd", "")]
    ['loss', 'my_loss_', 'class_', '_2nd', 'function']
    """
    if text.isidentifier() and not keyword.iskeyword(text) and len(text) <= _LONGEST:
        return text
    kept = "".join(c if f"_{c}".isidentifier() else "_" for c in text[:_LONGEST])
    if keyword.iskeyword(kept):
        return f"{kept}_"
    return kept if kept.isidentifier() else f"_{kept}" if kept else "function"


def bare(name: str) -> str:
    """Return a name without the underscores around it, as far as it is one then.

    >>> bare("__scale"), bare("__2_0_now"), bare("_if_"), bare("__")
    ('scale', '_2_0_now', '_if', '')
    """
    found = name.strip("_")
    is_name = found.isidentifier() and not keyword.iskeyword(found)
    return found if is_name or not found else f"_{found}"


def is_importable(module: str) -> bool:
    """Say whether an import statement can say the name of a module.

    >>> is_importable("package.model"), is_importable("my-model"), is_importable("a.class")
    (True, False, False)
    """
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in module.split("."))


def free_name(wish: str, taken: set[str]) -> str:
    """Return `wish`, numbered from 2 if it is taken, and take it.

    >>> taken = {"x"}
    >>> free_name("x", taken), free_name("x", taken), free_name("y", taken)
    ('x_2', 'x_3', 'y')
    """
    name, number = wish, 2
    while name in taken:
        name, number = f"{wish}_{number}", number + 1
    taken.add(name)
    return name


class Namer:
    """Hands out names that do not collide; collisions are numbered from 2.

    Every name has a *base*: versions ``h``, ``h_2`` and ``h_3`` of the user's variable share the
    base ``h``, and a later pass may call them ``h`` again where they do not get in each other's
    way.

    >>> namer = Namer({"x"})
    >>> namer.version("x"), namer.version("x"), namer.fresh("total"), namer.adjoint("x_2")
    ('x_2', 'x_3', 'total', 'grad_x_2')
    >>> namer.base("x_3"), namer.base("grad_x_2")
    ('x', 'grad_x')

    Attributes:
        made: All names that it and its copies have handed out.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._reserved: set[str] = set()
        self._counts: dict[str, int] = {}
        self._bases: dict[str, str] = {}
        self._adjoints: dict[str, str] = {}
        self._tangents: dict[str, str] = {}
        self._values: set[str] = set()
        self.made: set[str] = set()

    def copied(self) -> Namer:
        """Return a namer that hands out the same names from here on.

        >>> namer = Namer(["x"])
        >>> namer.copied().fresh("y"), namer.fresh("y")
        ('y', 'y')
        """
        new = Namer()
        for name in (
            "_taken",
            "_reserved",
            "_counts",
            "_bases",
            "_adjoints",
            "_tangents",
            "_values",
        ):
            setattr(new, name, getattr(self, name).copy())
        new.made = self.made
        return new

    def note_values(self, names: Iterable[str]) -> None:
        """Declare names to be those of values: none of them is an adjoint, whatever it is called.

        >>> namer = Namer(["y", "grad_y"])
        >>> namer.note_values(["y", "grad_y"])
        >>> adjoint = namer.adjoint("y")
        >>> adjoint, namer.is_adjoint(adjoint), namer.is_adjoint("grad_y")
        ('grad_y_2', True, False)
        """
        self._values.update(map(self.base, names))

    def is_adjoint(self, name: str) -> bool:
        """Say whether a name is that of an adjoint."""
        return name.startswith("grad_") and self.base(name) not in self._values

    def variable_of(self, name: str) -> str:
        """Return the variable that a name is a version of, or its adjoint or tangent.

        >>> namer = Namer(["x", "grad_y", "z_dot"])
        >>> namer.note_values(["x", "grad_y", "z_dot"])
        >>> [namer.variable_of(name) for name in ("grad_x", "x_dot", "grad_y", "z_dot")]
        ['x', 'x', 'grad_y', 'z_dot']
        """
        base = self.base(name)
        is_value = base in self._values
        return base if is_value else base.removeprefix("grad_").removesuffix("_dot")

    def reserve(self, names: Iterable[str]) -> None:
        """Keep `names` from being handed out."""
        names = list(names)
        self._taken.update(names)
        self._reserved.update(names)

    def is_reserved(self, name: str) -> bool:
        """Say whether a name belongs to something outside the function, such as an import."""
        return name in self._reserved or name in _RESERVED

    def taken(self, name: str) -> bool:
        """Say whether a name is in use."""
        return name in self._taken

    def fresh(self, wish: str) -> str:
        """Return `wish`, numbered if it is taken or reserved, as a name of its own base."""
        name = self._free(wish)
        self._bases.setdefault(name, name)
        return name

    def version(self, name: str) -> str:
        """Return a new name for another value of the variable `name`."""
        base = self.base(name)
        new = self._free(base)
        self._bases[new] = base
        return new

    def adjoint(self, name: str) -> str:
        """Return the one name of the adjoint of `name`: the same at each call."""
        if name not in self._adjoints:
            new = self._free(f"grad_{name}")
            self._adjoints[name] = new
            self._bases[new] = self._adjoint_base(self.base(name), new)
        return self._adjoints[name]

    def tangent(self, name: str) -> str:
        """Return the one name of the tangent of `name`: the same at each call."""
        if name not in self._tangents:
            new = self._free(f"{name}_dot")
            self._tangents[name] = new
            self._bases[new] = f"{self.base(name)}_dot"
        return self._tangents[name]

    def set_adjoint(self, cell: str, name: str) -> None:
        """Choose the name of the adjoint of something that is no plain name, such as ``p["w"]``."""
        self._adjoints[cell] = name

    def name_adjoint(self, name: str, variable: str) -> None:
        """Call the adjoint of `name` that of a variable, of which it is the next value."""
        new = self._free(f"grad_{variable}")
        self._adjoints[name] = new
        self._bases[new] = self._adjoint_base(variable, new)

    def _adjoint_base(self, variable: str, name: str) -> str:
        """Return the base of an adjoint, which is not that of a value with a similar name."""
        base = f"grad_{variable}"
        return name if base in self._values else base

    def base(self, name: str) -> str:
        """Return the variable that `name` is a version of."""
        return self._bases.get(name, name)

    def set_base(self, name: str, base: str) -> None:
        """Declare `name` to be a version of `base`."""
        self._bases[name] = base

    def _free(self, wish: str) -> str:
        if wish not in self._taken and wish not in _RESERVED:
            self._taken.add(wish)
            self.made.add(wish)
            return wish
        count = self._counts.get(wish, 1) + 1
        while f"{wish}_{count}" in self._taken:
            count += 1
        self._counts[wish] = count
        name = f"{wish}_{count}"
        self._taken.add(name)
        self.made.add(name)
        return name
