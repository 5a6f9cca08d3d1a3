"""Says what keeps a function from doing the same when it is run again."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator
from types import FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.frontend.callees import is_library
from srcgrad.frontend.remembered import Memory, nothing_changes, tree_to_read
from srcgrad.frontend.source import is_made
from srcgrad.ir import gast
from srcgrad.ir.operations import Reader
from srcgrad.ir.scopes import MISSING, scope_of, uncached
from srcgrad.ir.vocabulary import Vocabulary
from srcgrad.ir.walk import walk
from srcgrad.runtime.surgery import grad_of

_DRAWS: Final = (
    {name for kind in (np.random.Generator, np.random.RandomState) for name in dir(kind)} | {"rvs"}
) - set(dir(np.ndarray))
_PLAIN_TYPES: Final = (np.ndarray, list, dict, tuple, set, str, float, np.random.SeedSequence)
_METHODS: Final = {name for kind in _PLAIN_TYPES for name in dir(kind)}
_ONCE: Final = (next, iter, input, open, id, hash, exec, eval, globals, locals)
_SAME: Final = (inspect.signature, copy.copy)
_FOREIGN: Final = ("random", "secrets", "time", "datetime", "uuid", "os", "posix")


def not_repeatable(function: FunctionType, vocabulary: Vocabulary) -> str | None:
    """Return what in a function may do something else the next time, in words; None if nothing.

    Random draws, iterators that go on, the time, and what cannot be looked into. It errs on the
    safe side.
    """
    with nothing_changes() as memory:
        return _Search(vocabulary, memory).start(function)


class _Search:
    """Goes through a function and those that it calls."""

    def __init__(self, vocabulary: Vocabulary, memory: Memory) -> None:
        self._vocabulary = vocabulary
        self._memory = memory
        self._question = "repeatable", id(vocabulary)
        self._seen: set[FunctionType] = set()

    def start(self, function: FunctionType) -> str | None:
        """Look into a function, and keep that all which were looked into are clean, if they are."""
        found = self.function(function)
        if found is None and not any(map(is_made, self._seen)):
            for item in self._seen:
                self._memory.keep(self._question, item, None)
        return found

    def function(self, function: FunctionType) -> str | None:
        if function in self._seen or self._memory.knows(self._question, function):
            return None
        self._seen.add(function)
        tree = tree_to_read(function)
        if tree is None:
            return f"`{function.__qualname__}`, whose source is not known"
        reader = Reader(scope_of(function, tree, with_imports=True), self._vocabulary)
        inner = _inner_functions(tree)
        for node in _calls(tree):
            if getattr(node.func, "id", "") in inner:
                continue  # what it does stands in this tree
            found = self._call(node, reader)
            if found is not None:
                return found
        return None

    def _call(self, node: Any, reader: Reader) -> str | None:
        callee = uncached(reader.scope.resolve(node.func))
        if callee is MISSING:
            return self._method(node)
        name = getattr(callee, "__qualname__", getattr(callee, "__name__", "this call"))
        owner = getattr(callee, "__self__", None)
        module = getattr(callee, "__module__", None) or type(owner).__module__
        if self._vocabulary.is_draw(callee) or module.startswith("numpy.random"):
            return f"`{name}`, which draws random numbers"
        if callee in _ONCE or module.partition(".")[0] in _FOREIGN:
            return f"`{name}`, which may do something else the next time"
        if callee is grad_of.edited:
            return "a block that edits an adjoint, which is code of the user's"
        known = self._vocabulary.rule_for(callee) or self._vocabulary.constant_reason(callee)
        if known or isinstance(callee, type) or inspect.isbuiltin(callee):
            return None
        if callee in _SAME:
            return None
        if isinstance(callee, FunctionType):
            library = is_library(callee) or module.startswith("srcgrad.")
            return None if library else self.function(callee)
        return None if isinstance(callee, np.ufunc) else f"`{name}`, which cannot be looked into"

    def _method(self, node: Any) -> str | None:
        func = node.func
        if not isinstance(func, gast.Attribute):
            name = getattr(func, "id", "a value of the run")
            return f"the call of `{name}`, of which only the run tells what it is"
        if func.attr in _DRAWS:
            return f"`{func.attr}`, which draws random numbers"
        known = func.attr in self._vocabulary.methods or func.attr in _METHODS
        if known or func.attr in self._vocabulary.constant_methods or func.attr == "apply":
            return None
        return f"the method `{func.attr}`, of which only the run tells what it does"


def _inner_functions(tree: Any) -> set[str]:
    """Return the names in a function that are bound to functions defined inside, and nothing else.

    >>> text = "def f(x, g): h = lambda: x; x = 2; g = lambda: h; g = x"
    >>> sorted(_inner_functions(gast.parse(text).body[0]))
    ['h']
    """
    defined, other = set[str](), set[str]()
    lambdas = {id(target) for node in walk(tree) for target in _lambda_targets(node)}
    for node in walk(tree):
        if isinstance(node, gast.FunctionDef) and node is not tree:
            defined.add(node.name)
        elif isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
            (defined if id(node) in lambdas else other).add(node.id)
    return defined - other


def _lambda_targets(node: Any) -> list[Any]:
    is_named = isinstance(node, gast.Assign) and isinstance(node.value, gast.Lambda)
    return list(node.targets) if is_named else []


def _calls(tree: Any) -> Iterator[Any]:
    return (node for node in walk(tree) if isinstance(node, gast.Call))
