"""Programs whose own variables are called `grad_...`, as the compiler calls adjoints."""

import ast
import copy
import inspect
import linecache
import textwrap
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.programs import test_agreement  # noqa: F401 - imports every program
from tests.programs.corpus import Program, programs_by

_SCOPED = (
    ast.FunctionDef,
    ast.Lambda,
    ast.ClassDef,
    ast.Global,
    ast.Nonlocal,
    ast.Import,
    ast.ImportFrom,
)
_EVERY = 9


def _renamed(program: Program) -> Callable[..., Any] | None:
    """Return a program with ``grad_`` before its variables; None if it has scopes of others."""
    function = program.function
    tree: Any = ast.parse(textwrap.dedent(inspect.getsource(function)))
    definition = tree.body[0]
    definition.decorator_list = []
    nodes = [node for node in ast.walk(tree) if node is not definition]
    if function.__closure__ or any(isinstance(node, (*_SCOPED, ast.pattern)) for node in nodes):
        return None
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own = stored | set(inspect.signature(function).parameters)
    for node in nodes:
        for field in ("id", "arg", "name"):
            if getattr(node, field, None) in own and not isinstance(node, ast.keyword):
                setattr(node, field, f"grad_{getattr(node, field)}")
    text = ast.unparse(tree)
    file = f"<renamed {program.name}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    made: dict[str, Any] = {}
    exec(compile(text, file, "exec"), function.__globals__, made)
    renamed: Callable[..., Any] = made[definition.name]
    return renamed


def _sample() -> list[Program]:
    programs = programs_by("source")
    failing = [name for name in programs if name.startswith("exceptions.")]
    names = dict.fromkeys([*failing, *list(programs)[::_EVERY]])
    names.pop("lent.kept_where_a_short_helper_reads", None)  # whose helper is in another file then
    names.pop("objects_in_lists.jobs_in_a_queue", None)  # whose class is so, too
    names.pop("outside.default_of_what_is_bound_anew", None)  # which a second definition sees
    return [programs[name] for name in names if _renamed(programs[name]) is not None]


@pytest.mark.parametrize("program", _sample(), ids=lambda program: program.name)
def test_variables_may_be_called_as_adjoints_are(program: Program) -> None:
    renamed = _renamed(program)
    assert renamed is not None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        expected = sg.grad(program.function, program.argnums)(*program.arguments())
        gradient = sg.grad(renamed, program.argnums, fallback="error")
        for _ in range(2):
            found = gradient(*copy.deepcopy(program.arguments()))
    _assert_alike(found, expected)


def _assert_alike(found: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        found, expected = list(found.values()), list(expected.values())
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            _assert_alike(one, other)
    elif expected is not None:
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)
