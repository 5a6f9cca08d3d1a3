"""Derivatives go to other processes, whatever was called before and wherever the cache is."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same

MODULE = '''\
import numpy as np
import srcgrad as sg

W = np.array([1.0, 3.0])
X = np.array([0.5, 2.0])


def loss(x):
    return np.sum(np.sin(x) * W)


def vector(x):
    return np.sin(x) * W


class Model:
    def __init__(self, gain):
        self.gain = gain

    def loss(self, x):
        return np.sum(self.gain * x * x)

    @sg.grad
    def slope(self, x):
        return np.sum(self.gain * x**3)

    @sg.jacobian
    def rows(self, x):
        return self.gain * x**2


model = Model(2.0)


@sg.grad
def slope(x):
    return np.sum(x**3)


@sg.hessian
def curvature(x):
    return np.sum(x**3)


@sg.compile
def compiled(x):
    return np.sum(x**3)


@sg.pullback
def pulled(x):
    return np.sum(x**3)


def made():
    """Return derivatives, all of which give arrays."""
    return {
        "grad": sg.grad(loss),
        "of a method": sg.grad(model.loss),
        "in a class": model.slope,
        "rows in a class": model.rows,
        "decorated": slope,
        "hessian": sg.hessian(loss),
        "decorated hessian": curvature,
        "jacrev": sg.jacrev(vector),
        "jacfwd": sg.jacfwd(vector),
        "compile": sg.compile(vector),
        "decorated compile": compiled,
    }
'''
CHILD = """\
import pickle, sys
import numpy as np
things = pickle.load(sys.stdin.buffer)
print(repr([np.asarray(thing(np.array([0.5, 2.0]))).tolist() for thing in things.values()]))
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return a module that other processes find."""
    (tmp_path / "pickled_derivatives.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    monkeypatch.delitem(sys.modules, "pickled_derivatives", raising=False)
    yield pytest.importorskip("pickled_derivatives")
    sys.modules.pop("pickled_derivatives", None)


@pytest.mark.parametrize("called", [False, True])
@pytest.mark.parametrize("folder", ["same", "other", "none"])
def test_derivatives_are_pickled_before_and_after_calls(module, called, folder, tmp_path):
    things = module.made()
    expected = [np.asarray(module.made()[name](module.X)).tolist() for name in things]
    if called:
        for thing in things.values():
            thing(module.X)
        things["compile"](sg.tensor(module.X, requires_grad=True))
    environment = dict(os.environ)
    if folder != "same":
        environment["SRCGRAD_CACHE_DIR"] = (
            str(tmp_path / "cache") if folder == "other" else "/dev/null/no"
        )
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=pickle.dumps(things),
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert_same(eval(done.stdout), expected)


def test_what_is_decorated_is_one_object_again(module):
    for thing in (module.slope, module.curvature, module.compiled, module.pulled):
        assert pickle.loads(pickle.dumps(thing)) is thing


def test_tensors_keep_their_gradients_and_graphs_stay(module):
    x = sg.tensor(module.X, requires_grad=True)
    total = (x * x).sum()
    total.backward()
    assert_same(pickle.loads(pickle.dumps(x)).numpy(force=True), module.X)
    with pytest.raises(RuntimeError, match="detach"):
        pickle.dumps(total)
    assert float(pickle.loads(pickle.dumps(total.detach()))) == float(total.detach())


def test_what_a_call_has_kept_is_not_pickled_but_what_makes_it(module):
    kept = sg.vjp(module.loss, module.X)[1]
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(kept)
    again = pickle.loads(pickle.dumps(sg.pullback(module.loss)))
    assert_same(again(module.X)[1](1.0), kept(1.0)[0])


@pytest.mark.slow
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_pools_of_every_kind_take_derivatives(module, method):
    program = f"""
import multiprocessing, warnings
import numpy as np
import pickled_derivatives as module
if __name__ == "__main__":
    warnings.simplefilter("ignore")
    things = module.made()
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        for name, thing in things.items():
            found = pool.map(thing, [module.X, 2 * module.X])
            assert np.allclose(found[0], thing(module.X)), name
            assert np.allclose(found[1], thing(2 * module.X)), name
    print("done")
"""
    path = Path(module.__file__).with_name("pools.py")
    path.write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stdout == "done\n", done.stderr
