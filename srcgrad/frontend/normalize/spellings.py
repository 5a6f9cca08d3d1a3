"""Writes rarer spellings of what arrays do, such as ``x.flat[i]``, as those that have rules.

A call that writes into an array made for it, ``np.exp(x, where=m, out=np.zeros(4))``, gets a
statement of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from srcgrad.frontend.normalize.comprehensions import comprehension_of
from srcgrad.frontend.normalize.freshness import Freshness
from srcgrad.frontend.normalize.writes import is_list, name_of_numpy
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, load, method, subscript
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Reader
from srcgrad.ir.rewriting import Rewriter, replace_in
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import blocks_of, found_in, is_same, names_bound, statements, walk

_SIMPLE: Final = (gast.Assign, gast.AugAssign, gast.Return, gast.Expr)
_CONDITIONAL: Final = (
    *(gast.IfExp, gast.BoolOp, gast.Lambda, gast.ListComp, gast.GeneratorExp, gast.SetComp),
    *(gast.DictComp, gast.NamedExpr),
)
_MAKERS: Final = (np.random.default_rng, np.random.RandomState, np.random.Generator)
_GENERATORS: Final = (np.random.Generator, np.random.RandomState)
_RUN: Final = (enumerate, zip, list, tuple, reversed)
_WHOLE: Final = gast.Constant(Ellipsis, None)


class Spellings(Rewriter):
    """Rewrites one function body.

    Attributes:
        elements: The variables that must be single elements for it to mean the same.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> program = program_of("def f(x): return np.sum(x)")
    >>> body = parse('''
    ... for i in range(3):
    ...     a = x.flat[i]
    ... b = x.flat[1:3] * x.view()
    ... c = rng.permutation(x) + np.hypot(x, [1, 2])
    ... return 2 * np.sqrt(x, where=m, out=np.zeros(4))
    ... ''')
    >>> print(text(Spellings(program.reader, Namer(), lambda node: True).function(body)))
    for i in range(3):
        a = x[np.unravel_index(i, x.shape)]
    b = x.ravel()[1:3].copy() * x[...]
    c = x[rng.permutation(len(x))] + np.hypot(x, np.array([1, 2]))
    sqrt = np.sqrt(x, where=m, out=np.zeros(4))
    return 2 * sqrt
    """

    def __init__(
        self,
        reader: Reader,
        namer: Namer,
        varies: Callable[[Any], bool],
        parameters: Sequence[str] = (),
    ) -> None:
        self.elements: set[str] = set()
        self._reader = reader
        self._namer = namer
        self._varies = varies
        self._parameters = list(parameters)
        self._fresh = Freshness([], [], reader)
        self._numpy = name_of_numpy(reader)
        self._counters: set[str] = set()
        self._lists: set[str] = set()
        self._generators: set[str] = set()

    def function(self, body: list[Any]) -> list[Any]:
        """Return the body of the function in the usual spelling."""
        self._counters = _counters(body, self._reader)
        self._fresh = Freshness(body, self._parameters, self._reader)
        for statement in statements(body):
            if isinstance(statement, gast.Assign):
                names = {name for target in statement.targets for name in names_bound(target)}
                self._lists |= names if is_list(statement.value) else set()
                made = isinstance(statement.value, gast.Call)
                if made and self._reader.scope.resolve(statement.value.func) in _MAKERS:
                    self._generators |= names
        return self._block(body)

    def _block(self, body: list[Any]) -> list[Any]:
        done: list[Any] = []
        for statement in body:
            for part in blocks_of(statement):
                part[:] = self._block(part)
            self._header(statement)
            if isinstance(statement, gast.For):
                self._loop(statement)
            done += [*self._writing_first(statement), self._reshaped(self._shuffled(statement))]
        return done

    def _reshaped(self, statement: Any) -> Any:
        """Write ``y.shape = 2, 3`` as the array in another shape, if that has no other name.

        >>> from srcgrad.compiler.doctesting import parse, program_of, text
        >>> spellings = Spellings(program_of("def f(x): return x").reader, Namer(), lambda _: True)
        >>> spellings._reader.scope.local |= {"y", "z"}
        >>> print(text(spellings.function(parse("y = np.zeros(6); y.shape = 2, 3; z = y"))))
        y = np.zeros(6)
        y = y.reshape((2, 3))
        z = y
        >>> print(text(spellings.function(parse("y = np.zeros(6); z = y; y.shape = 2, 3"))))
        y = np.zeros(6)
        z = y
        y.shape = 2, 3
        """
        target: Any = statement.targets[0] if isinstance(statement, gast.Assign) else None
        shaped = isinstance(target, gast.Attribute) and target.attr == "shape"
        if not shaped or len(statement.targets) > 1 or not isinstance(target.value, gast.Name):
            return statement
        name = target.value.id
        if not self._fresh.at(name, statement):
            return statement
        return assign(name, method(load(name), "reshape", statement.value), statement)

    def _header(self, statement: Any) -> None:
        """Rewrite the expressions of a statement, not those of the blocks in it."""
        if isinstance(statement, (gast.For, gast.While, gast.If, *_SIMPLE)):
            for name in ("value", "test", "iter"):
                part = getattr(statement, name, None)
                if part is not None:
                    setattr(statement, name, self.visit(part))
            for target in _targets_of(statement):
                for part in walk(target):
                    if isinstance(part, gast.Subscript):
                        self._put_in_axes(part)
            if isinstance(statement, gast.Assign) and names_bound(statement.targets[0])[1:]:
                statement.value = self._raveled(statement.value)  # which is unpacked

    # -- signs

    def visit_BinOp(self, node: Any) -> Any:
        """Write ``-a * a`` as ``-(a * a)``, which is the same number, and has one adjoint of `a`.

        >>> from srcgrad.compiler.doctesting import parse, program_of, text
        >>> spellings = Spellings(program_of("def f(x): return x").reader, Namer(), lambda _: True)
        >>> print(text(spellings.function(parse("b = np.exp(-a * a / 2) - a[0] * -a[0] - -a * b"))))
        b = np.exp(-(a * a) / 2) - -(a[0] * a[0]) - -a * b
        """
        self.generic_visit(node)
        if isinstance(node.op, gast.Mult):
            signs = [isinstance(getattr(p, "op", None), gast.USub) for p in (node.left, node.right)]
            first = node.left.operand if signs == [True, False] else node.left
            second = node.right.operand if signs == [False, True] else node.right
            plain = sum(signs) == 1 and not found_in(first, gast.Call, gast.NamedExpr)
            if plain and is_same(first, second):
                return at(gast.UnaryOp(gast.USub(), gast.BinOp(first, gast.Mult(), second)), node)
        return node

    # -- arrays counted along all axes

    def visit_Subscript(self, node: Any) -> Any:
        """Write ``x.flat[i]`` as an element, or a copy of some, of the array itself."""
        self.generic_visit(node)
        self._put_in_axes(node)
        whole = node.value
        plain = isinstance(node.ctx, gast.Load) and isinstance(whole, gast.Attribute)
        if not plain or whole.attr != "flat" or not self._is_of_array(whole):
            return node
        array, index = whole.value, node.slice
        if isinstance(index, gast.Name) and index.id in self._counters and self._is_name(array):
            shape = gast.Attribute(clone(array), "shape", gast.Load())
            place = call(f"{self._numpy}.unravel_index", index, shape)
            return at(subscript(array, place), node)
        if isinstance(index, gast.Constant) and type(index.value) is int:
            return at(subscript(method(array, "ravel"), index), node)
        if isinstance(index, gast.Slice):
            return at(method(subscript(method(array, "ravel"), index), "copy"), node)
        return at(subscript(method(array, "flatten"), index), node)

    def _put_in_axes(self, node: Any) -> None:
        """Write None for ``np.newaxis`` in an index, which it is."""
        index = node.slice
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        new = [self._as_none(part) for part in parts]
        if isinstance(index, gast.Tuple):
            index.elts = new
        else:
            node.slice = new[0]

    def _as_none(self, part: Any) -> Any:
        named = isinstance(part, gast.Attribute) and part.attr == "newaxis"
        is_none = named and self._reader.scope.resolve(part) is None
        return at(gast.Constant(None, None), part) if is_none else part

    def visit_comprehension(self, node: Any) -> Any:
        """Write a loop over ``x.flat``, which only reads, as one over the array as a vector."""
        self.generic_visit(node)
        node.iter = self._raveled(node.iter)
        return node

    def _raveled(self, node: Any) -> Any:
        flat = isinstance(node, gast.Attribute) and node.attr == "flat" and self._is_of_array(node)
        return at(method(node.value, "ravel"), node) if flat else node

    def _loop(self, loop: Any) -> None:
        """Write the same in a loop whose body writes no elements, which the array would show."""
        if any(isinstance(target, gast.Subscript) for target in _targets(loop.body)):
            return
        loop.iter = self._raveled(loop.iter)
        if isinstance(loop.iter, gast.Call) and self._reader.scope.resolve(loop.iter.func) in _RUN:
            loop.iter.args = [self._raveled(item) for item in loop.iter.args]

    def _is_name(self, node: Any) -> bool:
        return self._numpy is not None and isinstance(node, gast.Name)

    def _is_of_array(self, node: Any) -> bool:
        return self._reader.scope.resolve(node) is MISSING and self._varies(node.value)

    # -- methods

    def visit_Call(self, node: Any) -> Any:
        """Write the calls of some methods as indices."""
        self.generic_visit(node)
        func = node.func
        callee = self._reader.scope.resolve(func)
        runs = any(callee is item for item in _RUN)
        if runs or self._reader.vocabulary.rule_for(callee) is not None:
            node.args = [self._raveled(item) for item in node.args]
        operands = callee.nin if isinstance(callee, np.ufunc) else 2 if callee is np.vdot else 0
        node.args = [*map(self._as_array, node.args[:operands]), *node.args[operands:]]
        if callee is np.ndarray and self._numpy is not None and _makes_anew(node):
            node.func = at(gast.Attribute(load(self._numpy), "empty", gast.Load()), func)
        if not isinstance(func, gast.Attribute):
            return node
        if func.attr == "view" and not node.args and not node.keywords and self._is_of_array(func):
            return at(subscript(func.value, clone(_WHOLE)), node)
        if func.attr in ("permutation", "choice") and self._draws(node):
            return self._drawn(node)
        if func.attr == "tolist" and not node.args and self._is_of_array(func):
            return self._listed(node)
        return node

    def _listed(self, node: Any) -> Any:
        """Write ``x.tolist()`` as the list of the elements of a vector, as numbers of Python."""
        name = self._namer.fresh("item")
        self.elements.add(name)
        return at(comprehension_of(method(load(name), "item"), name, node.func.value), node)

    def _as_array(self, node: Any) -> Any:
        """Write a list that NumPy makes an array of as that array, with which rules calculate."""
        if self._numpy is None or not isinstance(node, (gast.List, gast.Tuple)):
            return node
        return at(call(f"{self._numpy}.array", node), node)

    def _shuffled(self, statement: Any) -> Any:
        """Write ``rng.shuffle(x)`` as the store of a permutation, which draws the same."""
        node: Any = getattr(statement, "value", None) if isinstance(statement, gast.Expr) else None
        shuffles = isinstance(node, gast.Call) and getattr(node.func, "attr", "") == "shuffle"
        if not shuffles or len(node.args) != 1 or node.keywords or not self._draws(node):
            return statement
        func = gast.Attribute(node.func.value, "permutation", gast.Load())
        value = self._drawn(at(gast.Call(func, node.args, []), node))
        target = subscript(clone(node.args[0]), clone(_WHOLE), storing=True)
        return assign(target, value, statement)

    def _draws(self, node: Any) -> bool:
        """Say whether a call takes elements of a named array at random, as NumPy's generators do.

        The `choice` of Python's own generators takes one argument.
        """
        options = [item.arg for item in node.keywords]
        others = [*node.args[1:], *[item.value for item in node.keywords]]
        if not node.args or not isinstance(node.args[0], gast.Name) or "axis" in options:
            return False
        if node.args[0].id in self._lists or any(map(self._varies, others)):
            return False
        if not self._varies(node.args[0]) or None in options:
            return False
        only_numpy = node.func.attr == "permutation" or bool(others)
        return self._is_generator(node.func.value, unless=only_numpy)

    def _is_generator(self, owner: Any, *, unless: bool) -> bool:
        """Say whether an object is a generator of NumPy; `unless` if only the run tells."""
        known = self._reader.scope.resolve(owner)
        if known is MISSING and isinstance(owner, gast.Name) and owner.id in self._generators:
            return True
        if isinstance(owner, gast.Call):
            return self._reader.scope.resolve(owner.func) in _MAKERS
        return unless if known is MISSING else known is np.random or isinstance(known, _GENERATORS)

    def _drawn(self, node: Any) -> Any:
        """Write ``rng.choice(x, n)`` as ``x[rng.choice(len(x), n)]``, which draws the same."""
        array, *others = node.args
        drawn = gast.Call(node.func, [call("len", clone(array)), *others], node.keywords)
        return at(subscript(array, at(drawn, node)), node)

    # -- calls that write into what is made for them

    def _writing_first(self, statement: Any) -> list[Any]:
        """Return statements for calls inside of an expression whose `out=` is a new array."""
        if not isinstance(statement, _SIMPLE) or not self._only_calculates(statement):
            return []
        done: list[Any] = []
        whole = getattr(statement, "value", None)
        for node in _surely_run(whole):
            if node is whole and not isinstance(statement, (gast.Return, gast.AugAssign)):
                continue
            if self._writes_into_new(node):
                name = self._namer.fresh(node.func.attr)
                done.append(assign(name, gast.Call(node.func, node.args, node.keywords), statement))
                replace_in(statement, node, gast.copy_location(load(name), node))
        return done

    def _writes_into_new(self, node: Any) -> bool:
        if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Attribute):
            return False
        callee = self._reader.scope.resolve(node.func)
        out = next((item.value for item in node.keywords if item.arg == "out"), None)
        return isinstance(callee, np.ufunc) and isinstance(out, (gast.Call, gast.BinOp))

    def _only_calculates(self, statement: Any) -> bool:
        """Say whether a statement calls nothing but functions of numbers, in whatever order."""
        calls = found_in(statement, gast.Call)
        return any(map(self._writes_into_new, calls)) and all(map(self._is_function, calls))

    def _is_function(self, node: Any) -> bool:
        callee = self._reader.scope.resolve(node.func)
        if callee is MISSING or self._reader.vocabulary.is_draw(callee):
            return False
        vocabulary = self._reader.vocabulary
        return bool(vocabulary.rule_for(callee) or vocabulary.constant_reason(callee))


def _counters(body: list[Any], reader: Reader) -> set[str]:
    """Return the names that count from 0 up, as in ``for i in range(n)``, and are nothing else."""
    bound: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for target in _targets(body):
        bound.update(names_bound(target))
    for statement in statements(body):
        if isinstance(statement, gast.For) and isinstance(statement.iter, gast.Call):
            single = len(statement.iter.args) == 1 and isinstance(statement.target, gast.Name)
            if single and reader.scope.resolve(statement.iter.func) is range:
                counts[statement.target.id] += 1
    return {name for name, count in counts.items() if bound[name] == count}


def _targets(body: list[Any]) -> list[Any]:
    """Return what the statements of a body bind or write."""
    found: list[Any] = []
    for statement in statements(body):
        found += _targets_of(statement)
    return found


def _makes_anew(node: Any) -> bool:
    """Say whether a call of `np.ndarray` makes memory of its own, as `np.empty` does.

    >>> texts = ["np.ndarray(3)", "np.ndarray((2, n), dtype=float)", "np.ndarray(3, float, memory)"]
    >>> [_makes_anew(gast.parse(text, mode="eval").body) for text in texts]
    [True, True, False]
    """
    options = {item.arg for item in node.keywords}
    starred = any(isinstance(item, gast.Starred) for item in node.args)
    return not starred and len(node.args) <= 2 and options <= {"shape", "dtype", "order"}


def _targets_of(statement: Any) -> list[Any]:
    target = getattr(statement, "target", None)
    return [*getattr(statement, "targets", []), *([] if target is None else [target])]


def _surely_run(node: Any) -> list[Any]:
    """Return the parts of an expression that are evaluated once, inner ones first."""
    if not isinstance(node, gast.AST) or isinstance(node, _CONDITIONAL):
        return []
    inner = [part for child in gast.iter_child_nodes(node) for part in _surely_run(child)]
    return [*inner, node]
