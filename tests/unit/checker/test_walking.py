"""Checks that trees which are run node by node do what Python does."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from srcgrad.checker.walking import Frame, Returned, Walker
from srcgrad.checker.witnessed import bound_in, names_in
from srcgrad.ir import gast

PROGRAMS = {
    "loops": """
total = 0
for i in range(10):
    if i == 2:
        continue
    if i > 6:
        break
    total += i
else:
    total = -1
while total < 40:
    total *= 2
else:
    total -= 1
return total
""",
    "unpacking": """
(a, *b), c = (1, 2, 3), [4]
d = e = b[-1]
xs = [0, 1, 2, 3]
xs[1:3] = [9, 9, 9]
xs[0] += 5
del xs[-1]
return a, b, c, d, e, xs, *xs, {**{"k": a}, "m": c}
""",
    "handlers": """
seen = []
try:
    try:
        seen.append(1)
        [][3]
    except (KeyError, ValueError):
        seen.append(2)
    except IndexError as error:
        seen.append(type(error).__name__)
        raise
    else:
        seen.append(3)
    finally:
        seen.append(4)
except LookupError:
    seen.append(5)
try:
    seen.append(6)
except TypeError:
    seen.append(7)
else:
    seen.append(8)
return seen
""",
    "expressions": """
f = lambda x, y=2, *rest, z=3, **more: (x, y, rest, z, more)
n = 5
return (
    f(1), f(1, 4, 5, z=6, w=7), [k * n for k in range(4) if k % 2], {k: v for k, v in [(1, 2)]},
    1 < n < 9 and n != 4, not n or 0, -n, ~n, n if n > 3 else None, f"{n:>3}{n!r}", {n, 5},
    sum(k for k in range(n)), n in (5, 6), n is not None, "abc"[::-1], max(*[1, 2], 3),
)
""",
    "return_in_a_loop": """
for i in range(5):
    for j in range(5):
        if i * j == 6:
            return i, j
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_tree_does_what_python_does(name: str) -> None:
    text = "def f():\n" + "".join(f"    {line}\n" for line in PROGRAMS[name].splitlines())
    space: dict[str, Any] = {}
    exec(text, space)
    assert repr(_walked(text)) == repr(space["f"]())


def _walked(text: str) -> Any:
    body = gast.parse(text).body[0].body
    walker = Walker(bound_in(body))
    walker.names = vars(builtins)
    left = walker.block(body, Frame({}, names=_Same()))
    return left.value if isinstance(left, Returned) else None


class _Same(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return name


def test_a_name_without_a_value_is_told_from_one_without_a_meaning() -> None:
    with pytest.raises(UnboundLocalError):
        _walked("def f():\n    y = x\n    x = 1\n")
    with pytest.raises(KeyError):  # as what looks names up says it
        _walked("def f():\n    y = unheard_of\n")


def test_names_are_found() -> None:
    body = gast.parse("for a in b:\n    c, (d, *e) = f(a)[g]\n    h[a] = 1").body
    assert bound_in(body) == {"a", "c", "d", "e"}
    assert set(names_in(body)) == {*"abcdefgh"}
