"""Tests of the net: a slice of what `make fuzz` runs, and that the judge sees what is wrong."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from srcgrad.api import gradient, plan
from tests.fuzz.batched import judge_batched
from tests.fuzz.campaign import judged_again, run_chunk, shrunk, written
from tests.fuzz.context import NAMED, TABLES
from tests.fuzz.modules import Program, draw_program
from tests.fuzz.reference import UnusableError
from tests.fuzz.running import judge
from tests.fuzz.weights import WEIGHTS

SLICE = 64
KEPT = sorted((Path(__file__).parent / "kept").glob("*.txt"))
PARTS = 4


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_of_the_net_are_right_or_refused(part: int, tmp_path: Path) -> None:
    size = SLICE // PARTS
    task = {
        "seeds": (part * size, (part + 1) * size),
        "folder": str(tmp_path),
        "shrink": 20.0,
        "until": None,
        "coverage": False,
    }
    tally = run_chunk(task)
    told = "\n".join(path.read_text() for path in sorted(tmp_path.glob("*.txt")))
    assert not tally.failures, told
    assert tally.by_source() > 0.5
    assert tally.unusable < size / 4


@pytest.mark.slow
def test_random_programs_over_a_batch_agree_with_a_loop(tmp_path: Path) -> None:
    counts = Counter(judge_batched(seed, tmp_path) for seed in range(500_000, 500_048))
    assert counts["right"] > 10


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_what_failed_once_is_right_or_refused(path: Path, tmp_path: Path) -> None:
    found = judged_again(path, tmp_path)
    assert not [f"{v.mode}: {v.kind} {v.message}" for v in found if v.failed]
    assert found[0].kind in ("source", "tape")


def test_each_choice_has_a_weight_and_each_weight_a_choice() -> None:
    for table, functions in TABLES.items():
        prefix = NAMED.get(table, "")
        assert {name.removeprefix(prefix) for name in functions} == set(WEIGHTS[table]), table


def test_programs_are_python_and_each_choice_is_drawn() -> None:
    counts: Counter[str] = Counter()
    for seed in range(1200):
        program = draw_program(seed, WEIGHTS)
        counts += program.counts
        for name, text in program.modules.items():
            compile(text, name, "exec")
    drawn = ("program", "listed", "array", "number", "index", "statement", "argument", "helper")
    missing = [
        f"{table}.{name}"
        for table in drawn
        for name in WEIGHTS[table]
        if not counts[f"{table}.{name}"]
    ]
    assert not missing


def test_a_seed_gives_one_program() -> None:
    assert draw_program(7, WEIGHTS).modules == draw_program(7, WEIGHTS).modules


# -- the judge -------------------------------------------------------------------------------------

HEAD = "import math\n\nimport numpy as np\nfrom . import aid\n\nKEPT = [0.0]\n\n\n"
TAIL = """

def arguments(rng, n, m):
    return (rng.normal(size=n), float(rng.uniform(0.5, 1.5)))


def outside():
    aid.GAIN = 0.3
"""
BODY = """\
def program(x, s):
    y = np.sin(x) * s
    y[1:] *= aid.GAIN * x[1:]
    x[0] = 2.0
    return np.sum(y * y) + s * s
"""


def made(body: str = BODY) -> Program:
    return Program({"aid": "GAIN = 0.7\n", "main": HEAD + body + TAIL}, 3)


def verdict(program: Program, mode: str, folder: Path) -> str:
    (found,) = judge(program, [mode], folder)
    return found.kind if found.kind in ("source", "tape") else f"{found.kind}: {found.message}"


@pytest.mark.parametrize("mode", ["grad", "jvp", "hvp"])
def test_a_right_program_is_right_by_source(mode: str, tmp_path: Path) -> None:
    text = BODY.replace("    x[0] = 2.0\n", "")
    assert verdict(made(text), mode, tmp_path) == "source"


def edited(monkeypatch: pytest.MonkeyPatch, pattern: str, new: str) -> list[int]:
    """Have generated text changed before it is loaded; return a list that counts the changes."""
    before = plan.load
    counts: list[int] = []

    def load(source: str, *args, **kwargs):
        text, count = re.subn(pattern, new, source, count=1, flags=re.DOTALL)
        counts.append(count)
        return before(text, *args, **kwargs)

    monkeypatch.setattr(plan, "load", load)
    return counts


@pytest.mark.parametrize(
    ("pattern", "new", "what"),
    [
        (r"np\.cos\(x", "np.sin(x", "derivative"),
        (r"(# backward.*?) \+= ", r"\1 -= ", "derivative"),
        (r"(\n    (?:\w+ =|return) \(?)np\.sum\(y", r"\1 1.01 * np.sum(y", "value"),
        (r"x\[0\] = 2.0", "x[0] = 2.5", "arguments"),
        (r"copied\((\w+)\)", r"\1", "derivative"),
    ],
)
def test_a_wrong_text_is_found(
    pattern: str, new: str, what: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    counts = edited(monkeypatch, pattern, new)
    found = verdict(made(), "grad", tmp_path)
    assert sum(counts), "the text has no such line any more"
    assert found.startswith("wrong"), found
    assert what in found


def test_what_is_changed_outside_once_too_often_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    body = "def program(x, s):\n    KEPT[0] += 1.0\n    return np.sum(x) * s\n"
    assert verdict(made(body), "grad", tmp_path) in ("source", "tape")
    before = gradient.Gradient.__call__

    def call(self, *args, **kwargs):
        self.primal(*[a.copy() if hasattr(a, "copy") else a for a in args])
        return before(self, *args, **kwargs)

    monkeypatch.setattr(gradient.Gradient, "__call__", call)
    found = verdict(made(body), "grad", tmp_path)
    assert found.startswith("wrong: what is outside afterwards"), found


def test_gradients_that_share_memory_are_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    body = "def program(x, s):\n    return np.sum(x) * s\n"
    before = gradient.Gradient.__call__

    def call(self, *args, **kwargs):
        value, (_, by_number) = before(self, *args, **kwargs)
        grad = args[0]
        grad[:] = args[1]
        return value, (grad, by_number)

    monkeypatch.setattr(gradient.Gradient, "__call__", call)
    assert verdict(made(body), "grad", tmp_path).startswith("wrong")


def test_an_exception_of_the_function_itself_is_its_own(tmp_path: Path) -> None:
    body = "def program(x, s):\n    if s > 0.0:\n        raise KeyError('drawn')\n    return np.sum(x)\n"
    assert verdict(made(body), "grad", tmp_path).startswith("own: KeyError")


def test_another_exception_is_a_crash(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def call(self, *args, **kwargs):
        raise IndexError("ours")

    monkeypatch.setattr(gradient.Gradient, "__call__", call)
    assert verdict(made(), "grad", tmp_path).startswith("crash: IndexError")


UNPACKED = """\
def program(x, s):
    a, b = x
    return np.sum(x) * nobody
"""


PARTLY_USED = """class Part:
    def __init__(self, w):
        self.w = w


def program(x, s):
    parts = [Part(x * s), Part(lost * 2.0)]
    return np.sum(parts[USED].w)
"""


def test_an_exception_of_a_part_that_nothing_uses_is_left_out(tmp_path: Path) -> None:
    unread, read = (PARTLY_USED.replace("USED", place) for place in "01")
    assert verdict(made(unread), "grad", tmp_path).startswith("left out: NameError")
    assert verdict(made(read), "grad", tmp_path).startswith("own: NameError")


def test_an_exception_of_what_nothing_uses_is_left_out_or_the_own(tmp_path: Path) -> None:
    unread = UNPACKED.replace("nobody", "s")
    assert verdict(made(unread), "grad", tmp_path).startswith("left out: ValueError")
    for mode in ("grad", "tape"):  # where another one is met first, the function's own is told
        assert verdict(made(UNPACKED), mode, tmp_path).startswith("own: ValueError")


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (UNPACKED, TypeError("ours")),
        (UNPACKED.replace("nobody", "b"), NameError("name 'b' is not defined")),
    ],
)
def test_an_exception_in_the_place_of_one_of_what_is_used_is_a_crash(
    body: str, error: Exception, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def call(self, *args, **kwargs):
        raise error

    monkeypatch.setattr(gradient.Gradient, "__call__", call)
    assert verdict(made(body), "grad", tmp_path).startswith("crash")


def test_a_kink_is_no_judgement(tmp_path: Path) -> None:
    body = """\
def program(x, s):
    known = arguments(np.random.default_rng(1000), 4, 3)[1]
    return np.sum(x) + abs(s - known)
"""
    with pytest.raises(UnusableError):
        judge(made(body), ["grad"], tmp_path)


def test_a_failure_shrinks_and_is_written_so_that_it_can_be_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    edited(monkeypatch, r"np\.cos\(", "np.sin(")
    body = (
        "def program(x, s):\n    u = x * 2.0\n    for k in range(2):\n        u = u + k\n"
        "    if s > 0.0:\n        t = np.sin(x)\n    else:\n        t = x\n    return np.sum(t) + np.sum(u) + s\n"
    )
    (found,) = judge(made(body), ["grad"], tmp_path)
    assert found.failed
    small = shrunk(made(body), found, tmp_path, 60.0)
    text = small.modules["main"]
    assert "for" not in text
    assert "if" not in text
    assert "np.sin(" in text
    assert Program.read(written(small, found, "wrong")).modules == small.modules
