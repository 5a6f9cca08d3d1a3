"""Draws random numerical programs as source text, with loops, branches, calls, views and writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from hypothesis import strategies as st

HELPERS = """\
import math

import numpy as np

GAIN = 0.7
TABLE = np.array([0.3, -0.2, 0.5, 0.1])


def bent(u, c=0.5, *, d=1.0):
    return np.tanh(u * c) + d * u


def energy(u):
    return np.sum(u * u) * 0.1


def both(u, a):
    w = np.sin(u) * a
    return w, energy(w)


def filled(u, a):
    r = np.zeros(4)
    for k in range(4):
        r[k] = u[k] * a
    r[1:] += 0.1 * u[:-1]
    return r


def chosen(u, a):
    if a > 0.3:
        return u * a
    return np.cos(u)


def nested(u, depth):
    if depth == 0:
        return u
    return np.tanh(nested(u, depth - 1)) * 0.9 + 0.1 * u


def rest(u):
    return u[1:]


def halved(u):
    u *= 0.5
    return u


"""

UNARY = (
    "np.sin({})",
    "np.cos({})",
    "np.tanh({})",
    "-{}",
    "np.exp(np.tanh({}))",
    "np.log(1.5 + {} ** 2)",
    "np.sqrt(1.0 + {} * {})",
    "1.0 / (1.5 + np.sin({}))",
    "abs({})",
)
BINARY = (
    "{} + {}",
    "{} - {}",
    "{} * {}",
    "{} / (2.0 + np.cos({}))",
    "np.maximum({}, {})",
    "np.where({} > 0.1, {}, 0.3)",
    "({} + 0.5) * {}",
)
REDUCE = (
    "np.sum({})",
    "{}.mean()",
    "np.max({})",
    "{}[{i}]",
    "{}[-1]",
    "energy({})",
    "np.dot({}, TABLE)",
    "({} @ TABLE)",
    "np.sum({}[1:] * {}[:-1])",
)
VECTOR = (
    "bent({v}, {s})",
    "bent({v}, d={s})",
    "both({v}, {s})[0]",
    "filled({v}, {s})",
    "chosen({v}, {s})",
    "nested({v}, 2)",
    "{v}[::-1]",
    "np.cumsum({v})",
    "{v} * TABLE + GAIN",
    "np.concatenate([rest({v}), {v}[:1]])",
    "{v}.reshape(2, 2).T.ravel()",
    "{v}[PERM]",
    "np.outer({v}, TABLE)[{i}]",
    "np.array([{s}, 1.0, {s}, {s}])",
)
OWNED = (
    "np.zeros(4)",
    "np.zeros_like(x)",
    "np.ones(4)",
    "{v}.copy()",
    "{v} * 1.0",
    "np.full_like(x, 0.2)",
    "np.sin({v})",
)
STORES = (
    "{a}[{i}] = {s}",
    "{a}[{i}] += {s}",
    "{a}[{i}] *= {s}",
    "{a}[1:] = {v}[:-1]",
    "{a}[1:-1] += {v}[2:] - {v}[:-2]",
    "{a}[:2] *= {v}[2:]",
    "{a}[:] = {v}",
    "{a}[::2] -= {s}",
    "{a}[{v} > 0] = {s}",
    "{a}[{v} > 0] += 0.5",
    "{a}[PERM] = {v}",
    "{a}[[0, 0, 2]] += {v}[1:]",
    "{a}[[1, 1]] = {v}[:2]",
    "{a} += {v}",
    "{a} *= {s}",
    "{a} -= 0.1 * {v}",
    "{a} = {a} * {v}",
    "{a}[{i}], {a}[0] = {a}[0], {a}[{i}]",
    "{a}[1:] *= {a}[:-1]",
    "{a}[...] = {s}",
)
ALIASES = (
    "{w} = {a}",
    "{w} = {a}[1:]",
    "{w} = {a}[::-1]",
    "{w} = {a}.reshape(2, 2)",
    "{w} = halved({a})",
    "{w} = rest({a})",
    "{w} = {a}.ravel()",
    "{w} = ({a}, {v})[0]",
    "{w} = [{a}, {v}][1]",
)


@dataclass
class Names:
    """The variables that are surely bound at a point of the program, by what they hold."""

    scalars: list[str] = field(default_factory=lambda: ["s"])
    vectors: list[str] = field(default_factory=lambda: ["x", "y"])
    owned: list[str] = field(default_factory=list)
    indices: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    dicts: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    objects: list[str] = field(default_factory=list)
    matrices: list[str] = field(default_factory=list)

    def inside(self) -> Names:
        """Return the names for an inner block, which may bind more."""
        return Names(*(list(getattr(self, part.name)) for part in fields(self)))


class Writer:
    """Writes one program line by line."""

    def __init__(self, draw: Callable[[Any], Any], *, views: bool) -> None:
        self.draw = draw
        self.views = views
        self.lines: list[str] = []
        self.count = 0
        self.budget = draw(st.integers(6, 16))

    def pick(self, options: Any) -> Any:
        """Draw one of several."""
        return self.draw(st.sampled_from(tuple(options)))

    def fresh(self, letter: str) -> str:
        """Return a new variable."""
        self.count += 1
        return f"{letter}{self.count}"

    def emit(self, depth: int, line: str) -> None:
        """Write one line."""
        self.lines.append("    " * (depth + 1) + line)

    # -- expressions

    def index(self, names: Names) -> str:
        """Return an index of an array of four."""
        if names.indices and self.draw(st.booleans()):
            return f"{self.pick(names.indices)} % 4"
        return str(self.draw(st.integers(-4, 3)))

    def scalar(self, names: Names, depth: int = 2) -> str:
        """Return an expression for one number."""
        kind = self.draw(st.integers(0, 9)) if depth else 0
        if kind <= 3:
            return str(self.pick([*names.scalars, "0.4", "GAIN"]))
        if kind <= 5:
            text = self.pick(REDUCE)
            v = self.vector(names, 0)
            return text.replace("{i}", self.index(names)).replace("{}", v)
        if kind == 6:
            return (
                self.pick(["math.sin", "np.sin", "np.tanh"]) + f"({self.scalar(names, depth - 1)})"
            )
        if kind == 7:
            a, b = self.scalar(names, depth - 1), self.scalar(names, depth - 1)
            return f"({a} if {self.scalar(names, 0)} > 0.2 else {b})"
        return self.combine(names, depth, self.scalar)

    def vector(self, names: Names, depth: int = 2) -> str:
        """Return an expression for an array of four."""
        kind = self.draw(st.integers(0, 9)) if depth else 0
        if kind <= 3:
            return str(self.pick(names.vectors + names.owned))
        if kind <= 5:
            return self.filled(self.pick(VECTOR), names, depth - 1)
        return self.combine(names, depth, self.vector)

    def combine(self, names: Names, depth: int, part: Callable[[Names, int], str]) -> str:
        """Return an operation on one or two expressions."""
        if self.draw(st.booleans()):
            return "(" + str(self.pick(UNARY)).replace("{}", part(names, depth - 1)) + ")"
        text = self.pick(BINARY)
        a, b = part(names, depth - 1), self.pick([part, self.scalar])(names, depth - 1)
        return "(" + text.format(a, b) + ")"

    def filled(self, text: str, names: Names, depth: int) -> str:
        """Return a template with expressions in its places."""
        while "{s}" in text:
            text = text.replace("{s}", self.scalar(names, depth), 1)
        while "{i}" in text:
            text = text.replace("{i}", self.index(names), 1)
        while "{v}" in text:
            text = text.replace("{v}", self.vector(names, 0), 1)
        return text

    # -- statements

    def block(self, names: Names, depth: int, least: int = 2) -> None:
        """Write some statements."""
        for _ in range(self.draw(st.integers(least, 3 if depth else 8))):
            kind = self.pick(self.kinds(names, depth))
            self.budget -= 1
            getattr(self, f"_{kind}")(names, depth)

    def kinds(self, names: Names, depth: int) -> list[str]:
        """Return the statements that may come next, more than once where they shall come often."""
        kinds = ["scalar", "vector", "owned", "update"]
        kinds += ["store", "store", "swap", "use", "use"] if names.owned else ["swap"]
        if self.views and names.owned:
            kinds += ["alias", "alias"]
        if depth < 2 and self.budget > 0:
            kinds += ["branch", "loop", "loop", "until"]
        return kinds

    def _scalar(self, names: Names, depth: int) -> None:
        value = self.scalar(names)
        name = self.pick([self.fresh("t"), *names.scalars[1:]])
        self.emit(depth, f"{name} = {value}")
        _add(names.scalars, name)

    def _vector(self, names: Names, depth: int) -> None:
        value = self.vector(names)
        name = self.pick([self.fresh("u"), *[v for v in names.vectors if v not in "xy"]])
        self.emit(depth, f"{name} = {value}")
        _add(names.vectors, name)

    def _owned(self, names: Names, depth: int) -> None:
        name = self.fresh("a")
        self.emit(depth, f"{name} = {self.filled(self.pick(OWNED), names, 1)}")
        names.owned.append(name)

    def _update(self, names: Names, depth: int) -> None:
        name = self.pick(names.scalars)
        self.emit(depth, f"{name} {self.pick(['+=', '-=', '*='])} {self.scalar(names)}")

    def _store(self, names: Names, depth: int) -> None:
        text = self.pick(STORES).replace("{a}", self.pick(names.owned))
        self.emit(depth, self.filled(text, names, 1))

    def _use(self, names: Names, depth: int) -> None:
        read = self.pick(
            ["np.sum(np.sin({a}) * TABLE)", "energy({a})", "{a}[1] * {a}[2]", "{a} @ {a}"]
        )
        name = self.pick(names.scalars)
        self.emit(depth, f"{name} += 0.3 * {read.replace('{a}', self.pick(names.owned))}")

    def _alias(self, names: Names, depth: int) -> None:
        name = self.fresh("w")
        text = self.pick(ALIASES).replace("{a}", self.pick(names.owned)).replace("{w}", name)
        self.emit(depth, self.filled(text, names, 0))
        use = self.pick(
            [f"{name}[0] = {self.scalar(names, 1)}", f"{name} *= 1.5", f"{name}[-1] += 0.3", "pass"]
        )
        self.emit(depth, use)
        if self.draw(st.booleans()):
            total = self.fresh("t")
            self.emit(depth, f"{total} = np.sum({name} * {name})")
            names.scalars.append(total)

    def _swap(self, names: Names, depth: int) -> None:
        group = self.pick([names.scalars, names.vectors, *([names.owned] if names.owned else [])])
        mine = [name for name in group if name not in ("x", "y", "s")]
        if len(mine) < 2:
            self._vector(names, depth)
            return
        a, b = mine[0], mine[-1]
        self.emit(depth, f"{a}, {b} = {b}, {a}")

    def _branch(self, names: Names, depth: int) -> None:
        self.emit(depth, f"if {self.scalar(names)} > {self.pick(['0.0', '0.5', '-0.3'])}:")
        self.block(names.inside(), depth + 1)
        if self.draw(st.booleans()):
            self.emit(depth, "else:")
            self.block(names.inside(), depth + 1)

    def _loop(self, names: Names, depth: int) -> None:
        inner = names.inside()
        kind = self.draw(st.integers(0, 4))
        if kind <= 2:
            name = self.fresh("i")
            count = self.pick(["2", "3", "4", "len(x)", "0", "1, 4", "3, 0, -1"])
            self.emit(depth, f"for {name} in range({count}):")
            inner.indices.append(name)
        elif kind == 3:
            name = self.fresh("e")
            self.emit(depth, f"for {name} in {self.pick(names.vectors + names.owned)}:")
            inner.scalars.append(name)
        else:
            a, b = self.fresh("e"), self.fresh("e")
            self.emit(depth, f"for {a}, {b} in zip(x, {self.pick(names.vectors + names.owned)}):")
            inner.scalars += [a, b]
        self.block(inner, depth + 1)

    def _until(self, names: Names, depth: int) -> None:
        counter = self.fresh("n")
        self.emit(depth, f"{counter} = 0")
        self.emit(depth, f"while {counter} < 3 and {self.scalar(names, 1)} < 2.0:")
        inner = names.inside()
        inner.indices.append(counter)
        self.block(inner, depth + 1)
        self.emit(depth + 1, f"{counter} += 1")

    def program(self) -> str:
        """Return the text of a module with one function `program(x, y, s)`."""
        self.lines = ["def program(x, y, s):"]
        names = Names()
        self._owned(names, 0)
        self._vector(names, 0)
        self._scalar(names, 0)
        self.block(names, 0, least=4)
        self.emit(0, f"return {self.result(names)}")
        body = "\n".join(self.lines).replace("PERM", "[2, 0, 3, 1]")
        return HELPERS + body + "\n"

    def result(self, names: Names) -> str:
        """Return a number that depends on all that is bound."""
        parts = [f"np.sum(np.sin({name}) * TABLE)" for name in names.vectors[2:] + names.owned]
        parts += [f"np.tanh({name} * 0.1)" for name in names.scalars]
        return " + ".join(parts)


def _add(group: list[str], name: str) -> None:
    if name not in group:
        group.append(name)


@st.composite
def programs(draw: Any, *, views: bool = True) -> str:
    """Draw the text of a module whose function `program(x, y, s)` returns a number."""
    return Writer(draw, views=views).program()
