"""Finds numbers that are read back from the text or bytes of values with derivatives."""

from __future__ import annotations

import ast
import json
import pickle
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.program import Program, is_store, store_target
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import found_in, names_bound, names_read, nodes_in, root_name, statements
from srcgrad.primitives.constants import TEXT

WRITERS = frozenset(
    {str, repr, format, ascii, bytes, bytearray, slice, np.array2string, np.array_repr}
    | {np.array_str, np.format_float_positional, np.format_float_scientific}
    | {json.dumps, pickle.dumps}
)
WRITING_METHODS = frozenset(
    "tobytes tostring dumps format hex as_integer_ratio __str__ __repr__ __format__".split()
)
READERS = frozenset(
    {float, int, complex, eval, ast.literal_eval, json.loads, pickle.loads, np.array, np.asarray}
    | {np.float64, np.float32, np.float16, np.longdouble, np.complex128, np.complex64}
    | {np.fromstring, np.frombuffer, np.loadtxt, np.genfromtxt}
)
_CONVERTERS = frozenset({np.array, np.asarray, np.asanyarray, np.full, np.full_like})
_TELLING = (
    *(gast.comprehension, gast.For, gast.Call, gast.JoinedStr, gast.Set, gast.SetComp),
    *(gast.BinOp, gast.Dict, gast.DictComp),
)
_MAPPERS = frozenset({map})
_KEYED = (gast.Dict, gast.DictComp)
_ON_TEXTS = frozenset({int, chr, hex, oct, bin})
"""Functions without a derivative whose results still say what the text says."""


def numbers_from_texts(
    program: Program, varied: frozenset[str], outputs: Sequence[str]
) -> list[Any]:
    """Return the calls that make numbers of text that was made of varied values.

    Such a number depends on an input, and nothing but its digits says so. Where an output is made
    of text by something else, that is what is returned, or what wrote the text. The keys of a dict
    are such text, too: nothing but their hashes is kept beside them.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     text = str(x)
    ...     shown = text.strip()
    ...     y = float(shown)
    ...     return x * y
    ... ''')
    >>> [call.func.id for call in numbers_from_texts(program, frozenset({"x"}), ("out",))]
    ['float']
    """
    found = _Texts(program, varied)
    if not found.has_any():
        return []
    while found.spread():
        pass
    return found.readers() or found.writers(outputs)


class _Texts:
    """The names that hold text of varied values, or numbers that were made of it.

    Beside them stand the dicts whose keys vary, and what holds such.
    """

    def __init__(self, program: Program, varied: frozenset[str]) -> None:
        self._reader = program.reader
        self._scope = program.reader.scope
        self._constant_reason = program.reader.vocabulary.constant_reason
        self._body = program.body
        self._nodes = [
            node for statement in program.body for node in found_in(statement, *_TELLING)
        ]
        self._varied = varied | self._elements(varied)
        self._names: set[str] = set()
        self._keyed: set[str] = set()
        self._holding: set[str] = set()

    def _elements(self, varied: frozenset[str]) -> frozenset[str]:
        """Return the variables of comprehensions over what varies."""
        found: set[str] = set()
        for node in self._nodes:  # the outer first
            if isinstance(node, gast.comprehension) and any(
                name in varied or name in found for name in names_read(node.iter)
            ):
                found.update(names_bound(node.target))
        return frozenset(found)

    def has_any(self) -> bool:
        """Say whether there is anything that makes such text, or keys: in most programs not."""
        if any(isinstance(node, _KEYED) or self._makes(node) for node in self._nodes):
            return True
        stores = (item for item in statements(self._body) if is_store(item))
        return any(self._is_lost(store_target(item).slice) for item in stores)

    def spread(self) -> bool:
        """Add what is bound to such text, or written with it; say whether there was anything."""
        before = self._size()
        for node in self._nodes:
            if not isinstance(node, (gast.comprehension, gast.For)):
                continue
            if self._is_text(node.iter) or self._is_keyed(node.iter):
                self._names.update(names_bound(node.target))
            if self._holds(node.iter):
                self._keyed.update(names_bound(node.target))
                self._holding.update(names_bound(node.target))
        for statement in statements(self._body):
            for targets, value in _flows(statement):
                self._flow(targets, value)
            if is_store(statement) and self._is_lost(store_target(statement).slice):
                self._keyed.update(filter(None, [root_name(store_target(statement))]))
        return self._size() > before

    def _size(self) -> int:
        return len(self._names) + len(self._keyed) + len(self._holding)

    def _flow(self, targets: list[str], value: Any) -> None:
        if self._is_text(value):
            self._names.update(targets)
        elif self._is_keyed(value):
            self._keyed.update(targets)
        if self._holds(value):
            self._holding.update(targets)

    def readers(self) -> list[Any]:
        """Return the calls that turn such text into numbers."""
        return [
            call
            for call in self._nodes
            if isinstance(call, gast.Call)
            and self._callee(call) in READERS
            and any(map(self._is_text, call.args))
        ]

    def writers(self, outputs: Sequence[str]) -> list[Any]:
        """Return the first that made such text, if an output holds what is left of it."""
        if self._names.isdisjoint(outputs):
            return []
        return [node for node in self._nodes if self._makes(node) or self._has_keys(node)][:1]

    def _has_keys(self, node: Any) -> bool:
        if isinstance(node, gast.For):
            return self._is_keyed(node.iter)
        return isinstance(node, (gast.Dict, gast.DictComp)) and self._is_keyed(node)

    def _is_text(self, node: Any) -> bool:
        if isinstance(node, gast.Name):
            return node.id in self._names
        if self._makes(node):
            return True
        if isinstance(node, (gast.Compare, gast.Lambda)):
            return False
        if isinstance(node, gast.Subscript):
            return self._is_text(node.value)
        if isinstance(node, gast.Dict):
            return any(map(self._is_text, node.values))
        if isinstance(node, gast.IfExp):
            return self._is_text(node.body) or self._is_text(node.orelse)
        if isinstance(node, gast.Call) and self._forgets(node):
            return False
        return any(self._is_text(child) for child in nodes_in(node))

    def _is_lost(self, key: Any) -> bool:
        return self._varies(key) or self._is_text(key)

    def _makes(self, node: Any) -> bool:
        """Say whether an expression makes text of what varies."""
        if isinstance(node, gast.JoinedStr):
            return self._varies(node)
        if isinstance(node, gast.comprehension):  # ``for k in d``
            return self._is_keyed(node.iter)
        if isinstance(node, (gast.Set, gast.SetComp)):
            return self._varies(node)
        if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mod):
            is_format = isinstance(getattr(node.left, "value", None), (str, bytes))
            is_format = is_format or self._reader.is_text(node.left)
            return is_format and self._varies(node.right)
        if not isinstance(node, gast.Call):
            return False
        callee = self._callee(node)
        if callee in _MAPPERS:  # ``map(str, x)``
            functions = [self._known(item) for item in node.args[:1]]
            return any(item in WRITERS for item in functions) and self._varies(node)
        func = node.func
        named = isinstance(func, gast.Attribute) and func.attr in WRITING_METHODS
        writes = callee in WRITERS or self._constant_reason(callee) == TEXT
        if named or writes or self._converts(node):
            return self._varies(node)
        return self._takes_keys(node)

    def _converts(self, call: Any) -> bool:
        """Say whether a call makes an array of text, as ``x.astype(str)`` does."""
        is_method = isinstance(call.func, gast.Attribute) and call.func.attr == "astype"
        if not is_method and self._callee(call) not in _CONVERTERS:
            return False
        given = [*call.args[0 if is_method else 1 :], *[item.value for item in call.keywords]]
        return any(map(self._is_text_type, given))

    def _is_text_type(self, node: Any) -> bool:
        if isinstance(node, gast.Constant):
            return isinstance(node.value, str) and node.value.lstrip("<>=|")[:1] in ("U", "S", "s")
        found = self._scope.resolve(node)
        return any(found is kind for kind in (str, bytes, np.str_, np.bytes_))

    def _takes_keys(self, call: Any) -> bool:
        """Say whether a call hands out the keys of a dict, as ``d.items()`` and ``sum(d)`` do."""
        func = call.func
        if isinstance(func, gast.Attribute) and self._is_keyed(func.value):
            return func.attr in ("items", "keys", "popitem")
        return not self._forgets(call) and any(map(self._is_keyed, call.args))

    def _is_keyed(self, node: Any) -> bool:
        """Say whether an expression is a dict whose keys vary."""
        if isinstance(node, gast.Dict):
            return any(key is not None and self._is_lost(key) for key in node.keys)
        if isinstance(node, gast.DictComp):
            return self._is_lost(node.key)
        if isinstance(node, gast.Subscript):
            return self._holds(node.value)
        return isinstance(node, gast.Name) and node.id in self._keyed

    def _holds(self, node: Any) -> bool:
        """Say whether an expression is a list or tuple of such dicts, or of what holds some."""
        if isinstance(node, gast.Name):
            return node.id in self._holding
        if isinstance(node, gast.Subscript):
            return self._holds(node.value)
        parts = [node.elt] if isinstance(node, gast.ListComp) else getattr(node, "elts", ())
        return any(self._is_keyed(part) or self._holds(part) for part in parts)

    def _forgets(self, call: Any) -> bool:
        """Say whether the result of a call says nothing of the text that it is given."""
        callee = self._callee(call)
        if callee is None or callee in WRITERS or callee in _ON_TEXTS:
            return False
        return self._constant_reason(callee) not in (None, TEXT)

    def _varies(self, node: Any) -> bool:
        """Say whether an expression reads what varies for more than sizes and truth."""
        if isinstance(node, gast.Name):
            return node.id in self._varied
        if isinstance(node, gast.Compare):
            return False
        if isinstance(node, gast.Call) and self._forgets(node):
            return False
        if isinstance(node, gast.Attribute) and self._reader.constant_attribute(node):
            return False
        return any(map(self._varies, nodes_in(node)))

    def _callee(self, call: Any) -> Any:
        return self._known(call.func)

    def _known(self, node: Any) -> Any:
        """Return what a name outside means, if it may be looked up in a table."""
        found = self._scope.resolve(node)
        try:
            return found if found is not MISSING and hash(found) else None
        except TypeError:
            return None


def _flows(statement: Any) -> Iterator[tuple[list[str], Any]]:
    """Yield what a statement binds or writes into, with the values that go there."""
    if isinstance(statement, gast.Assign):
        yield [name for target in statement.targets for name in _reached(target)], statement.value
    elif isinstance(statement, gast.AugAssign):
        yield _reached(statement.target), statement.value
    elif isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Call):
        func = statement.value.func
        if isinstance(func, gast.Attribute):  # ``parts.append(text)``
            for item in statement.value.args:
                yield _reached(func.value), item


def _reached(target: Any) -> list[str]:
    root = root_name(target)
    return names_bound(target) if root is None else [root]
