"""The tool that breaks our own code, one token at a time."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import weakref

import pytest

from srcgrad.runtime import units
from tools.mutation import __main__ as main
from tools.mutation.blocks import blocks_of
from tools.mutation.breaking import Loaded, _pairs
from tools.mutation.campaign import Campaign, Options
from tools.mutation.near import NEAR, Map, is_near
from tools.mutation.sites import LAYERS, ROOT, Mutant, draw, mutants_of

TEXT = '''\
"""A module."""

LIMIT = 3


def outer(a, b=1):
    """Return 1 + 1."""
    if a is not None and not b:  # 1 + 1
        raise ValueError(f"{a + b}")
    größe = (a + b) * 2 if b <= 0 else min(a, -b)

    def inner(c):
        c //= 2
        zip(c, c, strict=True)
        return c not in (True, "1")

    return inner(größe)
'''

BLOCKS = """\
def f(a):
    if a < 3:
        a = 10
        while a:
            a = 20
    else:
        a = 30
    try:
        pass
    except ValueError:
        a = 40
    return (60 if a > 70 else 80), a is None and a[90], [a + 100 for a in b if 110], lambda: 120
"""


def test_every_token_that_can_be_broken_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr("tools.mutation.sites.ROOT", tmp_path)
    path = tmp_path / "module.py"
    path.write_text(TEXT, encoding="utf-8")
    found = list(mutants_of(path))
    put = sorted((TEXT[m.start : m.end], m.token) for m in found)
    assert put == sorted(
        [
            *[("is not", "is"), ("and", "or"), ("not", "not not"), ("+", "-"), ("*", "/")],
            *[("2", "3"), ("<=", "<"), ("0", "1"), ("min", "max"), ("-", "+"), ("//=", "*=")],
            *[("2", "3"), ("not in", "in"), ("True", "False")],
        ]
    )
    assert {m.function for m in found} == {"outer"}
    for mutant in found:
        ast.parse(mutant.text())


def test_a_draw_takes_as_many_of_each_layer(tmp_path, monkeypatch):
    import random

    for layer in LAYERS:
        for path in sorted((ROOT / "srcgrad" / layer).rglob("*.py"))[::20]:
            copy = tmp_path / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    monkeypatch.setattr("tools.mutation.sites.ROOT", tmp_path)
    drawn = draw(2 * len(LAYERS), random.Random(3))
    assert [m.module.split("/")[1] for m in drawn] == [*LAYERS, *LAYERS]


def _breaks(mutant: Mutant) -> bool:
    of_nothing = weakref.proxy(set())  # as there are some in a long run of the tests
    codes = [vars(units)[n].__code__ for n in (mutant.function,) if n in vars(units)]
    changed = Loaded().break_loaded(mutant)
    after = [vars(units)[n].__code__ for n in (mutant.function,) if n in vars(units)]
    same = any(one is other for one in codes for other in after)
    return type(of_nothing) is weakref.ProxyType and bool(changed) and not same


@pytest.mark.skipif(not hasattr(os, "fork"), reason="it breaks its own process")
def test_a_loaded_function_is_broken_and_its_file_is_not():
    path = ROOT / "srcgrad/runtime/units.py"
    before = path.read_text(encoding="utf-8")
    mutant = next(mutants_of(path))
    assert isinstance(mutant, Mutant)
    child = os.fork()
    if child == 0:
        broken = False
        try:
            broken = _breaks(mutant)
        finally:
            os._exit(0 if broken else 1)  # or the tests would go on in the child, too
    assert os.waitpid(child, 0)[1] == 0
    assert path.read_text(encoding="utf-8") == before


def test_the_map_is_kept_by_tests_and_functions(tmp_path):
    near = Map()
    near.add("a", 0.5, ["m.py:f:0"])
    near.add("b", 0.1, ["m.py:f:0", "m.py:f:1"])
    assert [near.tests_of(f"m.py:f:{n}") for n in range(3)] == [["a", "b"], ["b"], []]
    near.found["a"] += 2
    near.write(tmp_path / "near.json")
    assert Map.read(tmp_path / "near.json") == near
    assert Map.read(tmp_path / "none.json") == Map()


def test_near_tests_compare_something():
    assert is_near("tests/unit/rules/test_rules.py::test_backward_matches_differences[x]")
    assert not is_near("tests/docs/test_coverage.py::test_x")


def test_what_means_the_same_is_listed_with_lines_that_are_there():
    for module, before, _ in main.equivalent():
        text = (ROOT / module).read_text(encoding="utf-8")
        assert before in {line.strip() for line in text.splitlines()}, (module, before)


def test_a_mutant_stands_in_the_block_that_is_run_when_it_is(tmp_path, monkeypatch):
    path = tmp_path / "module.py"
    monkeypatch.setattr("tools.mutation.sites.ROOT", tmp_path)
    path.write_text(BLOCKS, encoding="utf-8")
    found = {m.token: m.block for m in mutants_of(path)}
    names = {"<=": 0, "4": 0, "11": 1, "21": 2, "31": 3, "41": 5, ">=": 0, "71": 0}
    names |= {
        "61": 6,
        "81": 7,
        "is not": 0,
        "or": 0,
        "91": 8,
        "-": 9,
        "101": 9,
        "111": 0,
        "121": 10,
    }
    assert found == {token: f"module.py:f:{number}" for token, number in names.items()}


JUMPS = """\
def f(a):
    if a < 1:
        if a is None:
            return 10
        a = 20
    for b in a:
        if b == 2:
            continue
        a = 30 if b > 3 and a else 40
    return 50
"""


def test_a_block_begins_where_something_may_have_jumped_and_conditions_decide_about_it(
    tmp_path, monkeypatch
):
    path = tmp_path / "module.py"
    monkeypatch.setattr("tools.mutation.sites.ROOT", tmp_path)
    path.write_text(JUMPS, encoding="utf-8")
    texts = [ast.unparse(block.first) for block in blocks_of(ast.parse(JUMPS).body[0])]
    starts = [text.splitlines()[0] for text in texts]
    assert starts[:4] == ["if a < 1:", "for b in a:", "return 50", "if a is None:"]
    assert starts[4:] == [
        *["a = 20", "return 10", "if b == 2:", "a = 30 if b > 3 and a else 40", "continue"],
        *["30", "40", "a"],
    ]
    found = {m.token: (m.block, m.decides) for m in mutants_of(path)}
    named = {
        token: (int(block[-1]), [int(name.rpartition(":")[2]) for name in decides])
        for token, (block, decides) in found.items()
    }
    assert named["<="] == (0, [3, 1])
    assert named["is not"] == (3, [5, 4])
    assert named["!="] == (6, [8, 7])
    assert named[">="] == (7, [9, 10, 11])
    assert named["or"] == (7, [9, 10, 11])
    assert named["51"] == (2, [])


def test_tests_for_which_a_condition_goes_the_rare_way_come_before_others():
    import random

    near = Map()
    for number in range(20):
        near.add(f"a[{number}]", 0.1, ["m.py:f:0", *["m.py:f:1"] * (number == 13)])
    mutant = Mutant(ROOT / "m.py", "f", 1, 0, 1, "x", "m.py:f:0", ("m.py:f:1",))
    ordered = near.near(mutant, random.Random(0))
    assert ordered[0] == "a[13]"
    assert sorted(ordered) == sorted(near.seconds)


WATCHES = """
import numpy as np
from srcgrad.runtime import units
from tools.mutation import breaking
breaking.LAYERS = ("runtime",)
run = set()
breaking.watch_loaded(run.add)
units.unit_vectors(np.ones(2))
print(*(name for name in run if "units" in name))
"""

READS = """
import sys
sys.path.insert(0, sys.argv[1])
import two_integrals
from tools.mutation import breaking
breaking.LAYERS = ("rules",)
run = set()
breaking.watch_loaded(run.add)
for gradient in two_integrals.GRADIENTS:
    run.clear()
    gradient(1.5)
    print(*(name for name in run if "quadratures" in name))
"""

INTEGRALS = """
import numpy as np
import srcgrad as sg
from scipy import integrate

def one(x):
    return integrate.fixed_quad(lambda t: np.sin(t * x), 0.0, 1.0, n=3)[0]

def other(x):
    return integrate.fixed_quad(lambda t: np.cos(t * x), 0.0, 2.0)[0]

GRADIENTS = sg.grad(one), sg.grad(other)
"""


@pytest.mark.slow
def test_functions_that_are_watched_tell_which_blocks_are_run():
    command = [sys.executable, "-c", WATCHES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    names = [f"srcgrad/runtime/units.py:unit_vectors:{number}" for number in (0, 1)]
    assert sorted(done.stdout.split()) == names  # not that which raises


@pytest.mark.slow
def test_functions_that_the_compiler_reads_count_as_run_each_time(tmp_path):
    (tmp_path / "two_integrals.py").write_text(INTEGRALS, encoding="utf-8")
    command = [sys.executable, "-c", READS, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["srcgrad/rules/scipy/quadratures.py:fixed_quad:0"] * 2


def test_functions_that_a_mutant_does_not_compile_are_left_out():
    before = "def f():\n    return (lambda: 1), (lambda: 2)\n"
    codes = [compile(text, "a.py", "exec") for text in (before, before.replace("1", "3"))]
    assert [one.co_name for one, _ in _pairs(*codes)] == ["<module>", "f", "<lambda>"]
    none = compile("if 0:\n    def f(): return 1\n", "a.py", "exec")
    assert [one.co_name for one, _ in _pairs(codes[0], none)] == ["<module>"]


def test_quick_kinds_that_have_found_much_come_first():
    import random

    near = Map()
    for test, seconds in {"a[1]": 0.1, "a[2]": 0.1, "b[1]": 0.01, "c[1]": 2.0, "c[2]": 1.0}.items():
        near.add(test, seconds, ["m.py:f:0"])
    mutant = Mutant(ROOT / "m.py", "f", 1, 0, 1, "x", "m.py:f:0")
    assert near.near(mutant, random.Random(0))[0] == "b[1]"
    near.found["a[3]"] = 30
    ordered = near.near(mutant, random.Random(0))
    assert {test[0] for test in ordered[:2]} == {"a"}
    assert sorted(ordered) == sorted(near.seconds)


def test_the_folders_of_near_tests_are_there():
    assert not [name for name in NEAR if not (ROOT / name).exists()]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="it forks")
def test_what_fails_by_itself_finds_no_mutant():
    import random

    campaign = Campaign(Options([], 1.0, ROOT / "none.json"), random.Random(0))
    assert len({campaign, campaign}) == 1  # pytest keeps plugins in sets

    def fails(pipe):
        raise ValueError

    assert campaign._in_a_child(lambda pipe: os.write(pipe, b"done"), 60.0) == b"done"
    assert campaign._in_a_child(lambda pipe: os.kill(os.getpid(), 9), 60.0) == b""
    with pytest.raises(RuntimeError, match="failed itself"):
        campaign._in_a_child(fails, 60.0)
