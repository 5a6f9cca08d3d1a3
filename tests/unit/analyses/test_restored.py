"""Arrays are put back number by number if that is cheaper, and if nothing else is done to them."""

from __future__ import annotations

from typing import Any

import pytest

from srcgrad.analyses.restored import Told, restored
from srcgrad.compiler.doctesting import parse
from srcgrad.ir import gast

LOOP = """
y = x.copy()
for i in range(n):
    part = y[i:]
    s = np.sum(part * part)
    {store}
t = np.sum(y)
"""
STORES = {
    "y[i] = s": "part y",
    "y[-1] = s": "part y",
    "if c:\n        y[i] = s": "part y",
    "for j in range(i):\n        q = y[j:]\n        y[j] = s": "part q y",
    "for j in range(i):\n        y[j] = s": "",  # more often than parts are read
    "y[i] = s\n    for j in range(i):\n        y[j] = s": "",
    "while c:\n        y[i] = s": "",
    "try:\n        y[i] = s\n    except ValueError:\n        s = 0": "",
    "try:\n        s = 1\n    finally:\n        y[i] = s": "",
    "with c:\n        y[i] = s": "",
    "with c:\n        s = 1\n    y[i] = s": "part y",
    "part[0] = s": "",  # by another name
    "y[i] = s\n    y[i:] = s": "",  # a part as well
    "y[i] = s\n    part[0] = s": "",
    "y[i] = s\n    y = x": "",
    "y[i] = s\n    z = y": "",
    "y[i] = s\n    z = y[1:, i]": "part y z",
    "y[i] = s\n    z, w = y[1:], y[:1]": "",
    "y[i] = s\n    z = w = y[1:]": "",
}


def _is_element(node: Any) -> bool:
    return isinstance(node.slice, (gast.Name, gast.Constant, gast.UnaryOp))


def _told(own: str = "y") -> Told:
    every = bool
    return Told(
        lambda _: True,
        "ijn".__contains__,
        every,
        lambda name: name in ("s", "t", "n"),
        _is_element,
        own.__contains__,
    )


def _found(text: str, told: Told | None = None, outputs: str = "t") -> str:
    found = restored(parse(text), told or _told(), ["x", "n", "c"], [outputs])
    return " ".join(sorted(found))


@pytest.mark.parametrize("store", STORES)
def test_what_is_stored_beside_says_whether_an_array_is_put_back(store: str) -> None:
    assert _found(LOOP.format(store=store)) == STORES[store]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("part = y[i:]", "part = y[i]"),  # no part
        ("part = y[i:]", "part = y[:i]\n    i = 0"),
        ("y = x.copy()", "y = x"),  # of the caller
        ("y = x.copy()", "for y in x: pass"),
        ("y = x.copy()", "if c: y = x.copy()"),
        ("    part = y[i:]\n", ""),
        ("for i in range(n):\n    part = y[i:]", "part = y[1:]\nfor i in range(n):\n    pass"),
    ],
)
def test_other_arrays_are_not_put_back(before: str, after: str) -> None:
    text = LOOP.format(store="y[i] = s")
    assert before in text
    if "i = 0" in after:  # what is read is not written again, if `i` is known to be the trip's
        assert _found(text.replace(before, "part = y[:i]")) == ""
        assert _found(text.replace(before, after)) == "part y"
    else:
        assert _found(text.replace(before, after)) == ""


def test_an_array_that_others_know_of_is_not_put_back() -> None:
    text = LOOP.format(store="y[i] = s")
    assert _found(text) == "part y"
    assert _found(text, outputs="y") == _found(text, outputs="part") == ""
    assert _found(text, _told(own="x")) == ""
