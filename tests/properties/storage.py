"""Draws random programs that write: recurrences, swapped buffers, lists of arrays, aliases."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import strategies as st

from tests.properties.programs import Names
from tests.properties.whole_language import WholeLanguage

HELPERS = """\
from collections import namedtuple
from functools import partial, reduce

Pair = namedtuple("Pair", "u c")
LIMIT = 3


def weighted(u, *more, w=0.5, **rest):
    total = u * w
    for part in more:
        total = total + part * rest.get("k", 0.3)
    return total


def stepped(u, out, a):
    out[1:] = u[:-1] * a
    out[0] = a
    return out


def climbed(u, k=0):
    if k >= len(u):
        return 0.0
    return u[k] * 0.5 + climbed(u, k + 1) * 0.9


def swapped(u, w):
    return w, u


def scaled_in_place(u, a=0.5):
    for k in range(len(u)):
        u[k] *= a


def halved_until(u, bound):
    count = 0
    while np.max(u) > bound and count < 4:
        u = u * 0.5
        count += 1
    return u, count


def smoothed(u, times=2):
    w = u.copy()
    for _ in range(times):
        w[1:-1] = 0.5 * (w[:-2] + w[2:])
    return w


"""

RECURRENCES = (
    """
{n} = {copy}
for {i} in range(1, len(x)):
    {n}[{i}] = {f:{n}[{i} - 1]} + {g:x[{i}]}
""",
    """
{n} = {copy}
for {i} in range(len(x) - 1):
    {n}[{i}] = {f:{n}[{i} + 1]} * {s}
""",
    """
{n} = {copy}
for {i} in range(len(x) - 2, -1, -1):
    {n}[{i}] += {f:{n}[{i} + 1]}
""",
    """
{n} = {copy}
for {i} in range(2, len(x)):
    {n}[{i}] = {f:{n}[{i} - 1]} - {n}[{i} - 2] * {s}
    {n}[0] = {n}[{i}] * 0.5
""",
    """
{n} = {copy}
for {i} in range(1, len(x)):
    {n}[{i}] = {f:{n}[{i} - 1]}
{n}[1] = {s}
""",
    """
{n} = {copy}
for {j} in range({count}):
    for {i} in range(1, len(x) - 1):
        {n}[{i}] = 0.4 * ({n}[{i} - 1] + {n}[{i} + 1]) + {f:{n}[{i}]} * 0.1
""",
    """
{n} = np.zeros((3, len(x)))
{n}[0] = {v}
for {i} in range(1, 3):
    {n}[{i}] = {f:{n}[{i} - 1]} * {v}
s += 0.1 * np.sum({n}[-1] * {n}[1])
{n} = {n}[{i}]
""",
    """
{n} = np.zeros((len(x), 3))
for {i} in range(len(x)):
    for {j} in range(1, 3):
        {n}[{i}, {j}] = {f:{n}[{i}, {j} - 1]} + x[{i}]
s += 0.1 * np.sum({n} * {n})
{n} = {n}[:, 2]
""",
    """
{n} = {copy}
{m} = {n}
for {i} in range(1, len(x)):
    {n}[{i}] = {f:{m}[{i} - 1]}
    {m}[{i} - 1] *= 0.7
""",
    """
{n} = np.empty_like(x)
{n}[0] = {s}
{m} = np.empty_like(x)
{m}[0] = {s}
for {i} in range(1, len(x)):
    {n}[{i}] = {f:{n}[{i} - 1]} + 0.1 * {m}[{i} - 1]
    {m}[{i}] = {m}[{i} - 1] * {n}[{i}] + 0.2
    if {cond}:
        {m}[{i} - 1] = {n}[{i}] * 0.3
s += 0.1 * np.sum({m} * {n})
""",
    """
{n} = {copy}
{i} = 1
while {i} < len(x):
    {n}[{i}] = {f:{n}[{i} - 1]}
    {i} += 1
""",
    """
{n} = {copy}
for {i}, {e} in enumerate({v}):
    {n}[{i}] = {f:{e}} + {n}[{i} - 1]
""",
    """
{n} = {copy}
{t} = {s}
for {i} in range(len(x)):
    {t} = {f:{t}} + {n}[{i}]
    {n}[{i}] = {t}
    if {cond}:
        break
""",
    """
{n} = {copy}
for {i} in range(len(x)):
    if {cond}:
        continue
    {n}[{i}] = {n}[{i}] * {n}[-{i} - 1]
""",
)
BUFFERS = (
    """
{n} = {copy}
{m} = {copy}
for {i} in range({count}):
    {m}[1:-1] = 0.5 * ({n}[:-2] + {n}[2:])
    {n}, {m} = {m}, {n}
""",
    """
{n} = {copy}
{m} = np.zeros_like({n})
for {i} in range({count}):
    {m}[:] = {f:{n}}
    {n}, {m} = {m}, {n}
    if {cond}:
        break
""",
    """
{n}, {m}, {k} = {copy}, {copy}, np.zeros_like(x)
for {i} in range({count}):
    {k}[1:-1] = 2 * {m}[1:-1] - {n}[1:-1] + 0.1 * ({m}[2:] + {m}[:-2])
    {n}, {m}, {k} = {m}, {k}, {n}
""",
    """
{n} = {copy}
for {i} in range({count}):
    {m} = {n}.copy()
    {n}[1:] -= 0.2 * {m}[1:] * ({m}[1:] - {m}[:-1])
    {n}[0] = {n}[-1]
""",
    """
{n} = {copy}
{m} = {n}[1:]
for {i} in range({count}):
    {m} *= {s}
    {n}[0] += {m}[0] * 0.3
""",
    """
{n} = {copy}
{k} = []
for {i} in range({count}):
    {k}.append({n}.copy())
    {n} += {f:{n}} * 0.1
s += 0.1 * sum(np.sum(e * e) for e in {k})
""",
    """
{n} = {copy}
{k} = []
for {i} in range({count}):
    {k}.append({n})
    {n} = {f:{n}} * {s}
for e in {k}:
    s += 0.1 * np.sum(e * e)
""",
    """
{n}, {m} = swapped({copy}, {copy})
stepped({n}, {m}, {s})
""",
    """
{n} = {copy}
scaled_in_place({n}[1:], {s})
""",
    """
{n} = {copy}
{m} = {n}
{n} = {n} * 2.0
{m}[0] = {s}
s += 0.1 * np.sum({m} * {n})
""",
    """
{n} = {copy}
{m} = {n}
{n} *= 2.0
{m}[0] = {s}
s += 0.1 * np.sum({m} * {n})
""",
    """
{n} = {copy}
if {cond}:
    {m} = {n}
else:
    {m} = {n}.copy()
{m}[0] = {s}
s += 0.1 * np.sum({m} * {n})
""",
    """
{n} = {copy}
{m} = {f:{n}}
{n}[:] = {v}
s += 0.1 * np.sum({m} * {n})
del {m}
""",
)
LISTS = (
    """
{k} = [{copy}, {copy}]
for {e} in {k}:
    {e} *= {s}
s += 0.1 * np.sum({k}[0] * {k}[1])
{n} = {k}[1]
""",
    """
{k} = [{copy}, {copy}, {v}]
{k}[0], {k}[1] = {k}[1], {k}[0]
{k}[0][1] = {s}
s += 0.1 * np.sum({k}[0] * {k}[1] + {k}[2])
{n} = {k}[0] * 1.0
""",
    """
{k} = <<"a": {copy}, "b": {v}>>
{k}["a"][1:] += {k}["b"][:-1]
for {j}, {e} in {k}.items():
    s += 0.1 * np.sum({e} * {e})
{n} = {k}["a"] * 1.0
""",
    """
{k} = [{f:e} for e in {v}]
{n} = np.array({k})
""",
    """
{k} = [[{s}, {s}], [0.5, x[0]]]
s += {k}[1][0] * {k}[0][1] + {k}[1][1]
{n} = np.array({k}).ravel()[0] * {copy}
""",
    """
{k} = Pair({v}, {s})
{n} = {k}.u * {k}.c
""",
    """
{k} = np.stack([{v}, {v}])
{k}[0] += {k}[1]
{k}[:, 0] = {s}
{n} = {k}[0] * {k}[1]
""",
    """
{k} = [{v}] * 2
{k}[0] = {k}[1] * {s}
{n} = {k}[0] + {k}[1]
""",
    """
{k} = [np.zeros(len(x)) for _ in range(3)]
{k}[0][:] = {v}
for {i} in range(1, 3):
    {k}[{i}][1:] = {k}[{i} - 1][:-1] * {s}
{n} = {k}[0] + {k}[-1]
""",
    """
{k} = <<j: {v} * j for j in range(3)>>
{n} = sum({k}.values()) + {copy}
""",
    """
{k} = [(e, e * {s}) for e in {v} if e > -0.5]
{t} = 0.0
for {i}, {e} in {k}:
    {t} += {i} * {e}
{n} = {t} * {copy}
""",
    """
{n} = np.array([{f:e} if e > 0.1 else e * {s} for e in {v}])
""",
)
CALLS = (
    "{n} = weighted({v}, {v}, w={s})",
    "{n} = weighted({v}, *[{v}, {v}], k={s})",
    '{n} = weighted(**<<"u": {v}, "w": {s}>>)',
    "{n} = partial(weighted, w={s})({v})",
    "{n} = reduce(lambda p, q: p * {s} + q, [{v}, {v}, {v}])",
    "{t} = climbed({v})\n{n} = {t} * {copy}",
    "{n}, {i} = halved_until({copy}, {s})\ns += 0.1 * {i}",
    "{n} = smoothed({v}, times={count})",
    "{n} = stepped({v}, np.zeros(len(x)), {s})",
    """
def {k}({e}, w=s):
    return {f:{e}} * w + {v}
s = s * 0.5
{n} = {k}({v})
""",
    """
{t} = 0.3
def {k}():
    nonlocal {t}
    {t} = {t} + {s}
    return {t}
{n} = {k}() * {copy} + {k}()
""",
    """
{n} = {copy}
def {k}({i}):
    {n}[{i}] = {n}[{i} - 1] * {s}
for {j} in range(2):
    {k}({j})
""",
    """
def {k}({e}, {i}):
    return {e} if {i} == 0 else {k}({f:{e}}, {i} - 1)
{n} = {k}({v}, 2)
""",
)
CHOICES = (
    "{n} = {v} if {cond} else {v} * {s}",
    "{n} = {copy} if {cond} and {cond} else {copy}",
    "{t} = ({s} > 0.2 and {s}) or {s}\n{n} = {t} * {copy}",
    "{n} = {copy}\n{n}[{n} > {s}] = {s}",
    "{n} = {copy}\n{n}[({n} > -0.5) & ({n} < 0.5)] *= {s}",
    "{n} = np.where({v} > 0.1, {f:x}, {v})",
    "{n} = np.clip({v}, -0.6, {s} + 1.0)",
    "{n} = {copy}\n{n}[np.abs({n}) < 0.4] = 0.0",
    "{n} = {copy}\n{n}[np.argmax({n})] = {s}",
    "{n} = {copy}\n{n}[np.nonzero({n} > 0)[0]] += {s}",
    "{t} = {v}[0] if len(x) > 2 else 0.0\n{n} = {copy} * {t}",
    """
{n} = {copy}
if 0.1 < {s} < 0.9 or {cond}:
    {n}[-1] = {s}
elif {cond}:
    {n} = {f:{n}}
""",
    "{t} = max({s}, {s}, 0.2)\n{n} = {t} * {copy}",
    "{t} = min({v})\n{n} = {t} * {copy}",
    "{n} = {copy}\nif not any(e > 0.9 for e in {v}):\n    {n} -= {s}",
)
UPDATES = (
    "{n} = {copy}\n{n} /= 1.5 + {s} ** 2",
    "{n} = {copy}\n{n} **= 2",
    "{n} = {copy}\n{n} /= 2.0 + np.cos({n})",
    "{n} = {copy}\n{n}[1:] /= 2.0 + {n}[:-1] ** 2",
    "{n} = {copy}\n{n} -= {n}[0]",
    "{n} = {copy}\n{n}[1:] -= {n}[0] * {n}[1:]",
    "{n} = {copy}\n{n}[0] -= {n}[0] * {s}",
    "{n} = {copy}\n{n} += {n}[::-1]",
    "{n} = {copy}\n{n} *= {n}",
    "{n} = {copy}\n{n}[:2], {n}[-2:] = {n}[-2:].copy(), {n}[:2].copy()",
    "{n} = {copy}\n{n}[0], {n}[1] = {n}[1] * {s}, {n}[0]",
    "{n} = {copy}\n{n}[[0, 1, 1]] = {n}[[1, 0, 0]] * {s}",
    "{n} = {copy}\nnp.add.at({n}, [0, 1, 0], {s})",
    "{n} = {copy}\nnp.subtract.at({n}, [0, 1], {n}[:2])",
    "{n} = {copy}\n{n}[...] = {n}[::-1] * {s}",
    "{n} = {copy}\n{n}.sort()",
    "{n} = {copy}\n{n}[{n}.argsort()] = {v}",
    "{t} = {s}\n{t} **= 2\n{t} /= 1.5 + {t}\n{n} = {t} * {copy}",
    "{n} = {copy}\n{n}.reshape(2, -1)[1] = {s}",
    "{n} = {copy}.reshape(2, -1)\n{n} @= np.eye({n}.shape[1]) * {s}\n{n} = {n}.ravel()",
    "{n} = {copy}\n{n}[:] -= np.mean({n})",
    "{n} = {copy}\n{n} += 1\n{n}[0] = 2",
    "{n} = {copy}\n{n} = {n} / np.sum({n} ** 2 + 1.0)",
)
KINDS = (
    "{m} = np.arange(len(x))\n{n} = {v}[{m}] * {m}",
    "{m} = np.zeros(len(x), dtype=int)\n{m}[1:] += 1\n{n} = {copy} * {m}",
    "{m} = np.array({s})\n{n} = {copy} * {m}",
    "{m} = np.array({s})\n{m} += {s}\n{n} = {copy} * {m}",
    "{m} = np.zeros(())\n{m}[...] = {s}\n{m} *= 2.0\n{n} = {copy} + {m}",
    "{m} = {v}.sum()\n{m} += {s}\n{n} = {copy} + {m}",
    "{m} = np.float64({s})\n{m} *= 1.5\n{n} = {copy} + {m}",
    "{m} = ({v} > 0).astype(float)\n{n} = {v} * {m}",
    "{m} = int({s} > 0.2)\n{n} = {v} * {m}",
    "{n} = {v}[:, None] * {v}\n{n} = {n}[{m0}] + {n}[:, 0]",
    "{n} = np.asarray({v}) + float({s})",
    "{n} = {v}.astype(np.float64)\n{n}[0] = {s}",
    "{n} = np.array({v}, copy=True)\n{n}[0] = {s}",
    "{n} = np.broadcast_to({s}, {v}.shape) * {copy}",
)
COPIES = (
    "{v}.copy()",
    "{v} * 1.0",
    "np.sin({v})",
    "np.array({v})",
    "{v} + {s}",
    "np.zeros(len(x))",
    "np.ones_like({v})",
    "np.full(len(x), 0.3)",
    "np.copy({v})",
    "1.5 * {v}",
)
BENT = (
    "np.sin({})",
    "0.9 * {}",
    "np.tanh({})",
    "{} * {}",
    "({} + 0.2)",
    "{}",
    "{} ** 2",
    "-{}",
    "np.cos({}) * {}",
    "({} / (1.0 + {} ** 2))",
)
GROUPS = {
    "recurrence": RECURRENCES,
    "buffer": BUFFERS,
    "nest": LISTS,
    "argue": CALLS,
    "choose": CHOICES,
    "change_kind": KINDS,
    "augment": UPDATES,
}


class Storage(WholeLanguage):
    """Writes programs that keep, share and overwrite what they compute."""

    def __init__(self, draw: Any, *, arguments: bool) -> None:
        super().__init__(draw, arguments=arguments)
        self.features: set[str] = set()
        if draw(st.booleans()):
            self.features = {self.pick(("jumps", "lists", "functions", "objects", "blocks", "out"))}
        first, second = self.pick(sorted(GROUPS)), self.pick(sorted(GROUPS))
        self.groups = sorted({first, second})

    def kinds(self, names: Names, depth: int) -> list[str]:
        return super().kinds(names, depth) + ["snippet"] * (8 if depth < 2 else 2)

    def _snippet(self, names: Names, depth: int) -> None:
        text = self.pick(GROUPS[self.pick(self.groups)]).strip("\n")
        made = self.fresh("a")
        for letter in "nmktije":
            if "{" + letter + "}" in text or ":" + letter + "}" in text:
                name = made if letter == "n" else self.fresh({"k": "q"}.get(letter, letter))
                text = text.replace("{" + letter + "}", name)
        while (found := re.search(r"\{[fg]:([^{}]*)\}", text)) is not None:
            bent = self.pick(BENT).replace("{}", found.group(1))
            text = text[: found.start()] + bent + text[found.end() :]
        while "{cond}" in text:
            text = text.replace("{cond}", self.condition(names), 1)
        while "{count}" in text:
            text = text.replace("{count}", self.pick(("0", "1", "2", "3", "LIMIT", "len(x)")), 1)
        text = text.replace("{m0}", "0")
        while "{copy}" in text:
            text = text.replace("{copy}", self.pick(COPIES), 1)
        text = self.filled(text, names, 1).replace("<<", "{").replace(">>", "}")
        for line in text.split("\n"):
            self.emit(depth, line)
        names.owned.append(made)
        if self.draw(st.integers(0, 2)) == 0:
            self.emit(depth, f"s += 0.1 * np.sum({made} * {made})")

    def program(self) -> str:
        return HELPERS + super().program()


@st.composite
def storage_programs(draw: Any, *, arguments: bool = False) -> str:
    """Draw the text of a module as `programs` does, of programs that write."""
    return Storage(draw, arguments=arguments).program()
