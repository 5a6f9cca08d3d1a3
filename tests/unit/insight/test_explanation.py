"""Tests that an explanation says what is so, in the user's names and lines."""

from __future__ import annotations

import inspect
import json
import warnings

import numpy as np
import pytest

import srcgrad as sg
from tests.programs.corpus import every_program, sample


def step(u, r):
    k = np.sin(u)
    assert k.ndim == 1  # which keeps it a function of its own
    return u + r * k * np.abs(u)


def loss(u, r, n, target):
    scale = 2.0
    rows = u.shape[0]
    peak = np.argmax(u)
    frozen = sg.stop_gradient(u)
    unused = np.cos(u)
    low = np.floor(u)
    for i in range(n):  # noqa: B007 - it is asked for
        u = step(u, r)
        u = np.maximum(u, 0.1)
    e = u - target
    print(peak, unused, low, i, end="")
    return scale * np.sum(e * e) / rows + np.sum(frozen)


ARGS = (np.linspace(0.2, 1.0, 16), 0.3, 3, np.zeros(16))


@pytest.fixture(autouse=True)
def _quiet(capsys):
    yield
    capsys.readouterr()


def explained(function=loss, args=ARGS, **options):
    """Return the first function of an explanation as a dict, with the line of its definition."""
    found = sg.grad(function, **options).explain(*args).to_dict()["functions"][0]
    return found, inspect.unwrap(function).__code__.co_firstlineno


def variable(found, name):
    """Return what was found out about the one variable of a name."""
    (item,) = [item for item in found["variables"] if item["name"] == name]
    return item


@pytest.mark.parametrize(
    ("name", "kind", "part"),
    [
        ("scale", "constant", "constant"),
        ("rows", "integer", "shape"),
        ("peak", "integer", "argmax"),
        ("frozen", "stopped", "stop_gradient"),
        ("unused", "unused", "does not reach the result"),
        ("low", "piecewise constant", "np.floor"),
        ("i", "integer", "trips"),
        ("target", "argument", "not differentiated"),
        ("n", "argument", "not differentiated"),
    ],
)
def test_what_has_no_derivative_has_a_reason(name, kind, part):
    item = variable(explained(argnums=(0, 1))[0], name)
    assert not item["active"]
    assert item["kind"] == kind
    assert part in item["reason"]


def test_chains_name_the_lines_that_lead_to_the_result():
    found, first = explained(argnums=(0, 1))
    texts = found["texts"]
    shown = [texts[str(line)] for line in found["chains"]["r"]]
    assert shown == [
        "u = step(u, r)",
        "u = np.maximum(u, 0.1)",
        "e = u - target",
        "return scale * np.sum(e * e) / rows + np.sum(frozen)",
    ]
    assert variable(found, "e")["lines"] == [first + 10]


def test_an_argument_that_does_not_reach_the_result_has_no_chain():
    def ignores(x, y):
        z = y * 2.0
        del z
        return np.sum(x)

    found, _ = explained(ignores, (np.ones(2), np.ones(2)), argnums=(0, 1))
    assert found["chains"]["x"]
    assert found["chains"]["y"] == []
    assert variable(found, "y")["kind"] == "unused"


def test_records_say_what_is_kept_and_how_much():
    found, first = explained(argnums=0)
    call, trips = found["records"]
    assert call["per"] == "call"
    assert "e" in call["names"]
    assert trips["per"] == "iteration"
    assert trips["loop"] == first + 7
    assert trips["count"] == 3
    assert trips["bytes"] >= 3 * 16  # which of 16 floats is the greater one, in each trip


def test_bytes_count_each_memory_once_and_no_argument():
    def product(x):
        y = x * 2.0
        z = y[1:]
        return np.sum(y[:-1] * z)

    explanation = sg.grad(product).explain(np.ones(101))
    assert explanation.total == 101 * 8


def test_without_arguments_nothing_is_measured():
    explanation = sg.grad(loss).explain()
    assert explanation.to_dict()["bytes"] is None
    assert {r["bytes"] for r in explanation.to_dict()["functions"][0]["records"]} == {None}


def test_measuring_writes_into_no_argument():
    def fill(x, out):
        out[0] = x * 2.0
        return out[0] * x

    out = np.zeros(2)
    sg.grad(fill).explain(3.0, out)
    assert (out == 0).all()


def test_calls_say_how_they_are_differentiated():
    found, first = explained(argnums=0)
    (call,) = found["calls"]
    assert (call["callee"], call["line"], call["how"]) == ("step", first + 8, "as a function")
    assert call["names"] == ["step_forward", "step_backward"]


def test_a_checkpointed_loop_is_computed_again():
    def looped(x, n):
        for _ in sg.checkpointed(range(n)):
            x = np.sin(x) * 1.1
        return np.sum(x)

    explanation = sg.grad(looped).explain(np.ones(100), 50)
    found, step = explanation.to_dict()["functions"]
    assert found["calls"] == []
    assert [item["line"] for item in found["checkpoints"]] == [looped.__code__.co_firstlineno + 1]
    assert "states" in found["checkpoints"][0]["what"]
    report = found["checkpoints"][0]["measured"]
    assert (report["trips"], report["state_bytes"], report["kept"]) == (50, 800, 9)
    assert "50 trips, 9 states of 800 bytes: 7,200 bytes" in str(explanation)
    assert "x" in step["chains"]
    assert 800 <= explanation.total < 50 * 800


def test_memory_of_an_object_is_that_of_an_argument():
    class Model:
        def __init__(self):
            self.w = np.ones(1000)

        def loss(self, x):
            return np.sum(self.w * x)

    assert sg.grad(Model().loss).explain(2.0).total < 1000


def opaque_square():
    """Return a function without source."""
    names: dict = {}
    exec("def opaque(x): return x * x", names)
    return names["opaque"]


opaque = opaque_square()


def test_calls_in_place_and_on_the_tape_are_told_apart():
    def mixed(x):
        double = lambda v: 2.0 * v  # noqa: E731
        return double(opaque(x))

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an explanation warns of nothing
        found, _ = explained(mixed, (3.0,))
    assert {call["callee"]: call["how"] for call in found["calls"]} == {
        "double": "in place",
        "opaque": "on the tape",
    }


def test_kinks_are_those_of_active_lines_alone():
    def kinks(x, y):
        held = np.abs(y)
        return np.sum(np.clip(x, 0.0, 1.0) + held + x**2 + x**1.5)

    found, first = explained(kinks, (np.ones(2), np.ones(2)))
    assert {(k["function"], k["line"]) for k in found["kinks"]} == {("np.clip", first + 2)}


def test_a_function_on_the_tape_says_why_and_where():
    def weird(x):
        global somewhere
        somewhere = 1
        return x * 2

    explanation = sg.grad(weird).explain(1.0)
    assert explanation.engine == "tape"
    (refusal,) = explanation.to_dict()["refusals"]
    assert refusal["line"] == weird.__code__.co_firstlineno + 1
    assert "Why on the tape" in str(explanation)
    assert "global" in str(explanation)


def quartic(x):
    return np.sum(x**4)


@pytest.mark.parametrize(
    ("make", "mode"),
    [
        (sg.grad, "grad"),
        (sg.value_and_grad, "value_and_grad"),
        (sg.pushforward, "jvp"),
        (sg.pullback, "vjp"),
        (sg.jacfwd, "jacfwd"),
        (sg.jacrev, "jacrev"),
        (sg.hessian, "hessian"),
        (sg.hessian_product, "hvp"),
    ],
)
def test_every_derivative_explains_itself(make, mode):
    explanation = make(quartic).explain(np.ones(3))
    assert explanation.subject.mode == mode
    assert explanation.engine == "source"
    assert f"{mode} of `quartic`" in str(explanation)
    assert "x" in explanation.to_dict()["functions"][0]["chains"]


def test_a_method_explains_itself():
    class Model:
        scale = 3.0

        @sg.grad
        def loss(self, x):
            return self.scale * x * x

    found = Model().loss.explain(2.0).to_dict()
    assert found["inputs"] == ["x"]
    assert found["bytes"] is not None


def test_text_is_plain_where_there_is_no_terminal(monkeypatch):
    explanation = sg.grad(quartic).explain()
    assert "\x1b" not in str(explanation)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b" in str(explanation)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in str(explanation)


def test_the_dict_is_the_same_each_time():
    first, second = (sg.grad(loss, (0, 1)).explain(*ARGS).to_dict() for _ in range(2))
    assert first == second
    assert json.loads(json.dumps(first)) == first


SOME = sample(every_program().values(), 40)


@pytest.mark.parametrize("program", SOME, ids=[program.name for program in SOME])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_program_is_explained(program):
    explanation = sg.grad(program.function, program.argnums).explain(*program.arguments())
    found = explanation.to_dict()
    assert found["engine"] == ("source" if program.by == "source" else "tape")
    assert json.loads(json.dumps(found)) == found
    for function in found["functions"]:
        lines = {int(number) for number in function["texts"]}
        for item in function["variables"]:
            assert lines.issuperset(item["lines"] + item["chain"])
            assert item["active"] or item["reason"]
        for name in function["inputs"]:
            active = any(v["active"] and v["name"] == name for v in function["variables"])
            assert bool(function["chains"][name]) == active
