"""What puts numbers of arrays back is left out where the way back reads no more than shapes."""

from __future__ import annotations

import pytest

from srcgrad.compiler.doctesting import parse, text
from srcgrad.ir.names import Namer
from srcgrad.transforms.putting_back import PuttingBack

READS = {
    "g = np.sum(y)": True,
    "g = y[i]": True,
    "if y[i]:\n    g = 1": True,
    "for i in y:\n    g = i": True,
    "g = part + 1": True,
    "g = np.zeros(y.shape)": False,
    "g = y.size + y.ndim": False,
    "g = np.zeros_like(s)": False,
    "g = s": False,
}


@pytest.mark.parametrize("line", READS)
def test_numbers_are_kept_for_a_way_back_that_reads_them(line: str) -> None:
    undoing = PuttingBack(frozenset({"y", "part"}), Namer(["y", "part", "i", "s", "g"]))
    (store,) = parse("y[i] = s")
    forward, read = [*undoing.before(store), store], parse(line)
    backward = [*undoing.after(store), *read]
    undoing.settle(forward, backward)
    if READS[line]:
        assert text(forward) == "y_before = y[i]\ny[i] = s"
        assert text(backward).startswith("y[i] = y_before\n")
        assert len(undoing.after(store)) == 1
    else:
        assert (text(forward), text(backward)) == ("y[i] = s", text(read))
        assert undoing.after(store) == []


def test_loops_that_did_nothing_but_put_back_go_with_it() -> None:
    undoing = PuttingBack(frozenset({"y"}), Namer(["y", "i", "s"]))
    (store,) = parse("y[i] = s")
    forward, backward = parse("for i in n:\n    pass"), parse("for i in n:\n    pass\ng = s")
    forward[0].body = [*undoing.before(store), store]
    backward[0].body = undoing.after(store)
    undoing.settle(forward, backward)
    assert (text(forward), text(backward)) == ("for i in n:\n    y[i] = s", "g = s")


def test_nothing_is_left_out_where_nothing_was_kept() -> None:
    undoing = PuttingBack(frozenset({"y"}), Namer(["y"]))
    (store,) = parse("z[i] = s")
    assert undoing.before(store) == undoing.after(store) == []
    forward, backward = [store], parse("for i in n:\n    pass")
    backward[0].body = []
    undoing.settle(forward, backward)
    assert len(backward) == 1
