"""Rewrites one definition for an exported module: other names, no annotations, no srcgrad."""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from srcgrad.backends import ARRAYS
from srcgrad.errors import ExportError, SrcgradError
from srcgrad.exporting.editing import Edits
from srcgrad.exporting.origins import MISSING, Namespace
from srcgrad.exporting.scoping import bound_anywhere, default_of, free_names, parameters
from srcgrad.ir.packages import package_of
from srcgrad.parsing import parsed
from srcgrad.rules.base import Function
from srcgrad.runtime.dispatch import beside, records
from srcgrad.runtime.elements import has_axes_elsewhere, is_element
from srcgrad.runtime.objects import is_plain_object

if TYPE_CHECKING:
    from srcgrad.exporting.collector import Collector

_WIDEST: Final = 100
_REMARK: Final = re.compile(r" +# (noqa|type: ignore).*$", re.MULTILINE)
_UNUSED_IN_RULES: Final = frozenset(
    "linear spreads multilinear inert elementwise holomorphic gives_real".split()
    + "reduces selects jvp".split()
)


@dataclass(slots=True)
class Rewriter:
    """Rewrites texts whose free names are looked up in one namespace.

    Attributes:
        collector: Knows the names of the exported module.
        space: Where the text looks its free names up.
        decorated: Whether the decorators belong to what is carried.
    """

    collector: Collector
    space: Namespace
    decorated: bool = False
    _dropped: set[int] = field(default_factory=set)
    _parents: dict[int, Any] = field(default_factory=dict)
    _local: frozenset[str] = frozenset()

    def rewrite(self, text: str, name: str, *, keep_defaults: bool = True) -> str:
        """Return the text of a definition, under a new name.

        Raises:
            ExportError: It reads something that an exported module cannot have.
        """
        edits = Edits.of(_REMARK.sub("", text))
        (definition,) = edits.tree.body
        self._dropped.clear()
        self._parents = {
            id(child): node for node in ast.walk(edits.tree) for child in ast.iter_child_nodes(node)
        }
        self._local = bound_anywhere(edits.tree.body[0])
        self._rename(edits, definition, name)
        if not keep_defaults:
            self._drop_defaults(edits, definition)
        if isinstance(definition, ast.ClassDef):
            self._class(edits, definition)
        elif isinstance(definition, ast.FunctionDef) and not self.decorated:
            self._drop_decorators(edits, definition, definition.decorator_list)
        for node in ast.walk(edits.tree):
            if id(node) not in self._dropped:
                self._node(edits, node)
        for free in free_names(edits.tree):
            if id(free) not in self._dropped:
                self._name(edits, free)
        return _joined_headers(edits.text())

    # -- statements

    def _node(self, edits: Edits, node: Any) -> None:
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            self._annotations(edits, node)
        elif isinstance(node, ast.AnnAssign):
            self._annotated(edits, node)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            _refuse_own_imports(node)
        elif self._is_for_records(node):
            self._drop(edits, node)
        elif isinstance(node, ast.Call):
            self._call(edits, node)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            own = [item for item in node.decorator_list if self._is_own(item)]
            self._drop_decorators(edits, node, own)

    def _drop(self, edits: Edits, node: Any) -> None:
        edits.drop_statement(node)
        self._forget(node)

    def _forget(self, node: Any) -> None:
        self._dropped.update(id(item) for item in ast.walk(node))

    def _is_for_records(self, node: Any) -> bool:
        if isinstance(node, ast.For):
            return all(map(self._asks_for_records, node.body))
        return self._asks_for_records(node)

    def _asks_for_records(self, node: Any) -> bool:
        """Say whether a statement is for values on the tape, or for type checkers alone."""
        if not isinstance(node, ast.If) or node.orelse:
            return False
        if isinstance(node.test, ast.Name):
            return node.test.id == "TYPE_CHECKING"
        return isinstance(node.test, ast.Call) and self._meaning(node.test.func) is records

    def _drop_decorators(self, edits: Edits, definition: Any, items: list[Any]) -> None:
        for item in items:
            if id(item) not in self._dropped:
                start, end = edits.line_start(item.lineno), edits.line_start(item.end_lineno + 1)
                edits.replace_between(start, end, "")
                self._forget(item)
        del definition

    def _is_own(self, node: Any) -> bool:
        """Say whether a decorator is one of srcgrad's."""
        while isinstance(node, ast.Call):
            node = node.func
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        owner = self._meaning(root)
        module = owner.__name__ if isinstance(owner, ModuleType) else ""
        home = package_of(self._meaning(node)) or module.partition(".")[0]
        return "srcgrad" in (home, package_of(type(owner)))

    # -- headers

    def _rename(self, edits: Edits, definition: Any, name: str) -> None:
        if isinstance(definition, ast.Assign):
            edits.replace(definition.targets[0], name)
            return
        word = "class " if isinstance(definition, ast.ClassDef) else "def "
        start = edits.start(definition)
        if definition.name != name:
            place = start + len(word)
            edits.replace_between(place, place + len(definition.name.encode()), name)

    def _drop_defaults(self, edits: Edits, definition: Any) -> None:
        defaults = default_of(definition.args)
        for argument in parameters(definition.args):
            if argument.arg in defaults:
                default = defaults[argument.arg]
                edits.replace_between(edits.end(argument), edits.end(default), "")
                self._forget(default)

    def _annotations(self, edits: Edits, node: Any) -> None:
        defaults = default_of(node.args)
        for item in parameters(node.args):
            if item.annotation is not None:
                start, end = edits.start(item) + len(item.arg.encode()), edits.end(item)
                default = defaults.get(item.arg)
                has_default = default is not None and id(default) not in self._dropped
                end = edits.start(default) if has_default else end
                edits.replace_between(start, end, "=" if has_default else "")
                self._forget(item.annotation)
        if getattr(node, "returns", None) is not None:
            end = edits.end(node.returns)
            start = edits.source.rfind(b"->", 0, edits.start(node.returns))
            edits.replace_between(start - 1, end, "")
            self._forget(node.returns)

    def _annotated(self, edits: Edits, node: Any) -> None:
        in_class = isinstance(self._parents.get(id(node)), ast.ClassDef)
        if in_class and not self._is_rule(self._parents[id(node)]):
            if not all(self._is_known(item) for item in free_names(_module_of(node.annotation))):
                edits.replace(node.annotation, "object")
                self._forget(node.annotation)
            return
        self._forget(node.annotation)
        if node.value is None:
            self._drop(edits, node)
        else:
            edits.replace_between(edits.end(node.target), edits.start(node.value), " = ")

    def _is_known(self, node: Any) -> bool:
        found = self._meaning(node)
        return found is not MISSING and not str(getattr(found, "__module__", "")).startswith(
            "srcgrad"
        )

    # -- classes

    def _class(self, edits: Edits, definition: Any) -> None:
        if not self._is_rule(definition):
            return
        every = [*definition.bases, *definition.keywords]
        bases = [item for item in definition.bases if not self._is_function_class(item)]
        shown = ", ".join(edits.piece(item) for item in bases)
        if len(bases) < len(definition.bases):
            start = edits.source.rfind(b"(", 0, edits.start(every[0]))
            end = edits.source.find(b")", edits.end(every[-1])) + 1
            if shown:
                edits.replace_between(edits.start(every[0]), end - 1, shown)
            else:
                edits.replace_between(start, end, "")
            for item in every:
                if item not in bases:
                    self._forget(item)
        for part in definition.body:
            names = [getattr(part, "name", None), *_targets(part)]
            unused = _UNUSED_IN_RULES - ({"jvp"} if self.collector.calls_jvp else set())
            if not unused.isdisjoint(names):
                self._drop(edits, part)

    def _is_rule(self, node: Any) -> bool:
        return any(self._is_function_class(item) for item in node.bases)

    def _is_function_class(self, node: Any) -> bool:
        found = self._meaning(node)
        if found is Function:
            return True
        return isinstance(found, type) and found.__module__.startswith("srcgrad.tape")

    # -- expressions

    def _call(self, edits: Edits, node: Any) -> None:
        callee = self._meaning(node.func)
        if callee is beside:
            edits.keep_only(node, node.args[0])
            self._dropped.add(id(node.func))
            self._forget(node.args[1])
        elif callee is has_axes_elsewhere or callee is is_element:
            edits.replace(node, "False")  # what is exported is for NumPy
            self._forget(node)
        elif isinstance(callee, type) and issubclass(callee, SrcgradError):
            edits.replace(node.func, _builtin_error(callee))
            self._forget(node.func)
            for item in node.keywords:
                if item.arg == "hint":
                    _write_hint(edits, node, item)

    def _meaning(self, node: Any) -> Any:
        """Return what a dotted name means outside, or `MISSING`."""
        if isinstance(node, ast.Name):
            found = self.space.find(node.id)
            return getattr(builtins, node.id, MISSING) if found is MISSING else found
        if isinstance(node, ast.Attribute):
            owner = self._meaning(node.value)
            return MISSING if owner is MISSING else getattr(owner, node.attr, MISSING)
        return MISSING

    def _name(self, edits: Edits, node: Any) -> None:
        """Write the name that something has in the exported module."""
        value, wish = self.space.find(node.id), node.id
        if value is MISSING:
            return
        value = np.ndarray if value is ARRAYS else value
        whole: Any = node
        space = self.space
        while self._is_passed_through(value, whole):
            whole = self._parents[id(whole)]
            is_module = isinstance(value, ModuleType)
            space = Namespace.of_module(value) if is_module else space
            plain = is_module and whole.attr not in self._local
            value, wish = (
                getattr(value, whole.attr),
                whole.attr if plain else f"{wish}_{whole.attr}",
            )
        name = self.collector.name_of(value, wish, space)
        if whole is node and name == node.id:
            return
        if name in self._local:
            raise ExportError(
                f"`{name}` is the name of a variable and of something from outside",
                hint="give the variable another name",
            )
        edits.replace(whole, name)

    def _is_passed_through(self, value: Any, node: Any) -> bool:
        """Say whether what is meant is an attribute: of a module not carried, or of a class."""
        parent = self._parents.get(id(node))
        if not isinstance(parent, ast.Attribute) or not hasattr(value, parent.attr):
            return False
        if isinstance(value, ModuleType):
            return not self.collector.origins.is_library(value.__name__)
        kind = value if isinstance(value, type) else type(value)
        if self.collector.origins.is_library(kind.__module__) or kind.__module__ == "builtins":
            return False
        if not isinstance(value, type) and not is_plain_object(value):
            return False
        is_data = isinstance(getattr(value, parent.attr), (bool, int, float, str, np.ndarray))
        return is_data and isinstance(parent.ctx, ast.Load)


def _module_of(node: Any) -> ast.Module:
    return ast.Module([ast.Expr(node)], [])


def _targets(node: Any) -> list[str]:
    targets = [*getattr(node, "targets", ()), getattr(node, "target", None)]
    return [item.id for item in targets if isinstance(item, ast.Name)]


def _builtin_error(kind: type) -> str:
    names = [base.__name__ for base in kind.__mro__ if base.__module__ == "builtins"]
    return next((name for name in names if name not in ("Exception", "object")), "RuntimeError")


def _write_hint(edits: Edits, call: Any, hint: Any) -> None:
    """Write a hint as the end of the message, or leave it out if it is no literal."""
    before = max([edits.end(item) for item in call.args], default=edits.start(hint))
    piece = edits.piece(hint.value)
    start = edits.start(hint)
    quoted = re.match(r'(f?)(["\'])(?!\2)', piece)
    if quoted is None:
        edits.replace_between(before, edits.end(hint.value), "")
        return
    if edits.source[before : before + 1] == b",":
        edits.replace_between(before, before + 1, "")
    opening = quoted.group(0)
    edits.replace_between(start, edits.start(hint.value) + len(opening), f"{opening}; ")


def _refuse_own_imports(node: Any) -> None:
    is_from = isinstance(node, ast.ImportFrom)
    names = [node.module or ""] if is_from else [item.name for item in node.names]
    if any(name.partition(".")[0] == "srcgrad" for name in names):
        raise ExportError(
            "a function that is carried imports srcgrad inside",
            hint="import it at the top of the module, or leave it out",
        )


def _joined_headers(text: str) -> str:
    """Write the headers of definitions on one line where they fit."""
    lines = text.splitlines()
    for node in sorted(ast.walk(parsed(text)), key=lambda n: -getattr(n, "lineno", 0)):
        if not isinstance(node, ast.FunctionDef) or node.body[0].lineno == node.lineno:
            continue
        last = node.lineno
        while not lines[last - 1].rstrip().endswith(":") and last < node.body[0].lineno:
            last += 1
        header = lines[node.lineno - 1 : last]
        if len(header) == 1 or any("#" in line for line in header):
            continue
        first = header[0]
        rest = " ".join(line.strip() for line in header[1:])
        joined = re.sub(r",? *\):$", "):", f"{first.rstrip()}{rest}")
        if len(joined) <= _WIDEST:
            lines[node.lineno - 1 : last] = [joined]
    return "\n".join(lines) + "\n"
