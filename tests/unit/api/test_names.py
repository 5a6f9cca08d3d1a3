"""Functions and modules may be called anything: their names are shown, and never run."""

from __future__ import annotations

import builtins
import importlib
import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient

X = np.array([1.0, 2.0])
RUN = "import builtins; builtins.HIT = 1"
PROGRAM = """\
import numpy as np
W = np.full(2, 3.0)
class Options:
    gain = 2.0
def helper(x):
    return x * W
def loss(x):
    return np.sum(helper(x) * W)
def scaled(x):
    return np.sum(x * Options.gain)
def make():
    def f(x):
        return np.sum(x * x * np.tanh(x))
    return f
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Return what loads a text as a module of any name."""

    def loaded(text, name="names_program"):
        path = tmp_path / "program.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return loaded


@pytest.mark.parametrize("name", ["my-model", "class", "a.my-b", f"a b\n{RUN}", "1", "größe"])
def test_modules_need_no_names_that_can_be_imported(load, name):
    module = load(PROGRAM, name)
    for function in (module.loss, module.scaled):
        expected = numerical_gradient(function, (X,), 0)
        assert_same(sg.grad(function, fallback="error")(X), expected)
        assert_same(sg.vjp(function, X)[1](1.0)[0], expected)
        assert_same(sg.jacfwd(function)(X), expected)
    assert not hasattr(builtins, "HIT")


NAMES = [
    f"a\n{RUN}\ndef b",
    f'"""\n{RUN}\n"""',
    f"f(x): pass\n{RUN}\ndef g",
    "a b",
    "class",
    "None",
    "",
    "1a",
    "#",
    "\\",
    "f\x1b[31m",
    "été",
    "np",
    "print",
    "x" * 5000,
    "<lambda>",
]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
@pytest.mark.parametrize("attribute", ["__name__", "__qualname__", "__module__", "__doc__"])
def test_the_name_of_a_function_is_never_run(load, name, attribute):
    f = load(PROGRAM).make()
    setattr(f, attribute, name)
    expected = numerical_gradient(f, (X,), 0)
    gradient = sg.grad(f, fallback="error")
    assert_same(gradient(X), expected)
    assert_same(sg.vjp(f, X)[1](1.0)[0], expected)
    assert_same(sg.jvp(f, (X,), (X,))[1], np.sum(expected * X))
    compile(gradient.source, "text", "exec")
    assert "\x1b" not in gradient.source
    repr(gradient)
    assert not hasattr(builtins, "HIT")


def test_functions_of_one_code_with_other_names_have_texts_of_their_own(load):
    module = load(PROGRAM)
    for name in ("first", "second"):
        f = module.make()
        f.__name__ = name
        gradient = sg.grad(f)
        gradient(X)
        assert f"def {name}_grad(x)" in gradient.source


PRIVATE = """\
import numpy as np
class Model:
    def __init__(self):
        self.__weights = np.full(2, 2.0)
    def __scaled(self, x):
        return x * self.__weights
    def loss(self, x):
        __power = 2
        return np.sum(self.__scaled(x) ** __power)
class __Other(Model):
    def __scaled(self, x):
        return x * 100.0
    def more(self, x):
        return self.loss(x) + np.sum(self.__scaled(x))
made, other = Model(), __Other()
"""


def test_private_names_are_those_of_their_class(load):
    module = load(PRIVATE)
    for function in (module.made.loss, module.other.loss, module.other.more):
        expected = numerical_gradient(function, (X,), 0)
        assert_same(sg.grad(function, fallback="error")(X), expected)


def of_self(self):
    return np.sum(self**2)


@pytest.mark.parametrize("make", [sg.grad, sg.jacrev, sg.jacfwd, sg.hessian])
def test_a_parameter_may_be_called_self(make):
    np.testing.assert_array_equal(np.shape(make(of_self)(self=X)), np.shape(make(of_self)(X)))


ESCAPES = """\
import numpy as np
\f
def shown(größe, λ=2.0):
    \f
    ergebnis = größe * λ  # \x1b[31mred\u202e
    return np.sum(ergebnis**2)  # \x1b]0;title\x07
\f
def refused(x):
    return np.sum(eval("x"))  # \x1b[31m
"""


def test_comments_are_shown_and_not_obeyed(load):
    module = load(ESCAPES)
    gradient = sg.grad(module.shown, fallback="error")
    assert_same(gradient(X), numerical_gradient(module.shown, (X,), 0))
    with pytest.raises(sg.UnsupportedError) as refusal:
        sg.grad(module.refused, fallback="error")(X)
    for text in (gradient.source, str(gradient.explain()), str(refusal.value)):
        assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert "[31m" in str(refusal.value)


def test_names_outside_ascii_are_read_and_shown_under_any_locale(tmp_path):
    (tmp_path / "model.py").write_text(
        "import numpy as np\ndef verlust(größe):\n    return np.sum(größe**2)\n", encoding="utf-8"
    )
    for locale in ({"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}):
        for encoding in ("ascii", "latin-1", "utf-8"):
            environment = {
                **os.environ,
                **locale,
                "PYTHONIOENCODING": encoding,
                "PYTHONCOERCECLOCALE": "0",
            }
            done = subprocess.run(
                [sys.executable, "-m", "srcgrad", "show", "model:verlust"],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            assert b"verlust_grad" in done.stdout


def test_a_module_that_its_package_hides_behind_a_function_is_reached(tmp_path, monkeypatch):
    """``import hiding.curve as curves`` binds what the package has under that name."""
    package = tmp_path / "hiding_package"
    package.mkdir()
    (package / "__init__.py").write_text("from hiding_package.curve import curve\n")
    text = "import numpy as np\nSCALE = 2.0\ndef curve(x):\n    return SCALE * np.sin(x)\n"
    (package / "curve.py").write_text(text)
    (tmp_path / "hiding_user.py").write_text(
        "import importlib\n"
        "curves = importlib.import_module('hiding_package.curve')\n"
        "def loss(x):\n"
        "    return curves.SCALE * curves.curve(x) * x\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    loss = importlib.import_module("hiding_user").loss
    expected = numerical_gradient(loss, (0.3,), 0)
    assert_same(sg.grad(loss, fallback="error")(0.3), expected)
    assert_same(sg.jacfwd(loss, fallback="error")(0.3), expected)
