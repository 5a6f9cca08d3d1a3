"""Tells what is written as a list, or by one name, from what must stay as it is."""

from __future__ import annotations

from collections import deque

import pytest

from srcgrad.compiler.doctesting import parse, reader_of, text
from srcgrad.frontend.normalize.deques import Deques
from srcgrad.frontend.normalize.other_names import by_one_name

READER = reader_of(deque=deque)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("n = 2\nq = deque(maxlen=n)\nn = 3\nq.append(x)", id="size bound anew"),
        pytest.param("q = deque([x])\np = q\np.append(x)", id="another name"),
        pytest.param("q = deque([x])\nq.rotate(2)", id="a method that lists lack"),
        pytest.param("q = deque([x])\nfill(q)", id="a function of the user's"),
        pytest.param("q = deque([x])\nreturn q", id="returned"),
        pytest.param("q = deque([x, y, z], maxlen=2)", id="begins longer than it may be"),
        pytest.param("q = deque(x, 2)\nq.append(x)", id="begins with nobody knows how many"),
        pytest.param("q = deque(maxlen=2)\nq.extend(x)", id="several at once, of few"),
        pytest.param("q = deque([x])\nf = lambda: q.append(x)", id="a function inside"),
        pytest.param("q = [x]\nif y:\n    q = deque([x])\nq.append(y)", id="a list on a path"),
        pytest.param("for n in y:\n    q = deque(maxlen=n)\n    q.append(x)", id="size in a loop"),
        pytest.param("q = deque([x])\ny = q.append(x)", id="a method for its value"),
    ],
)
def test_a_deque_stays(source: str) -> None:
    body = parse(source)
    before = text(parse(source))
    assert text(Deques(READER.scope).block(body)) == before


def test_an_entry_leaves_at_the_other_end() -> None:
    body = parse("q = deque([0.0] * n, n)\nq.appendleft(x)\ny = q.popleft()\nq.popleft()")
    assert text(Deques(READER.scope).block(body)).split("\n") == [
        "q = [0.0] * n",
        "q.insert(0, x)",
        "if len(q) > n:",
        "    q.pop()",
        "y = q.pop(0)",
        "q.pop(0)",
    ]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("a = [x]\nb = a\ny = b[0]", id="nobody changes it"),
        pytest.param("a = [x]\nb = a\nif y:\n    b = [z]\nb[0] = y", id="bound twice"),
        pytest.param("a = [x]\nb = a\na = [y]\nb[0] = y", id="the first bound twice"),
        pytest.param("a = [x]\nif y:\n    b = a\nb[0] = y", id="in a branch"),
        pytest.param("a = x\nb = a\nb[0] = y", id="no list"),
        pytest.param("a = [x]\nb = c = a\nb[0] = y", id="several names at once"),
        pytest.param("a = [x]\nb = a\nb[0] = y\nz = [b for b in a]", id="a name of its own inside"),
        pytest.param("a = [x]\nb = a\nb[0] = y\nf = lambda b: b", id="a parameter inside"),
    ],
)
def test_a_list_keeps_its_names(source: str) -> None:
    before = text(parse(source))
    assert text(by_one_name(parse(source), READER)) == before


def test_functions_inside_read_the_first_name() -> None:
    body = parse("a = {}\nb = a\nc = b\nc['k'] = x\nf = lambda: b['k']")
    assert text(by_one_name(body, READER)) == "a = {}\na['k'] = x\nf = lambda: a['k']".replace(
        "'", '"'
    )
