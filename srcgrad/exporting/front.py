"""Writes the function of an exported module that is called: checks, derivative, structure."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from srcgrad.errors import ExportError
from srcgrad.exporting import checks
from srcgrad.exporting.checks import kind_of
from srcgrad.exporting.collector import Collector
from srcgrad.exporting.origins import Namespace
from srcgrad.exporting.request import Export
from srcgrad.ir.names import bare, identifier
from srcgrad.parsing import parsed

_WIDEST: Final = 100
_STARS: Final[dict[Any, str]] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


@dataclass(frozen=True, slots=True)
class Front:
    """The function that users call, in the making.

    Attributes:
        export: What is exported.
        collector: Knows the names of the module.
        names: What the generated functions are called in the module.
        plain: The parameters that can only be numbers or arrays.
    """

    export: Export
    collector: Collector
    names: Mapping[str, str]
    plain: frozenset[str] = frozenset()

    def text(self, name: str) -> str:
        """Return the definition."""
        lines = [f'"""{_in_lines(self._docstring())}"""', *self._checks(), *self._result()]
        body = textwrap.indent("\n".join(lines), "    ")
        return fitted(f"def {name}(", self._parameters(), "):") + f"\n{body}\n"

    def _docstring(self) -> str:
        shown = ", ".join(f"`{name}`" for name in self.export.names)
        line = f"Return {self._what()} with respect to {shown}."
        if len(line) <= _WIDEST - 10:
            return line
        return f"Return {self._what()}.\n\nWith respect to {shown}.\n"

    def _what(self) -> str:
        """Return what the function gives, as the docstring says it."""
        what = "the value and the gradient" if self.export.value else "the gradient"
        return f"{what} of `{identifier(self.export.function.__name__)}`"

    # -- the signature

    def _signature(self) -> list[inspect.Parameter]:
        found = inspect.signature(self.export.function, follow_wrapped=False)
        return list(found.parameters.values())

    def _parameters(self) -> list[str]:
        shown: list[str] = []
        kinds = inspect.Parameter
        before: Any = None
        for item in self._with_more():
            if before is kinds.POSITIONAL_ONLY and item.kind is not before:
                shown.append("/")
            starts_named = item.kind is kinds.KEYWORD_ONLY
            if starts_named and before not in (kinds.KEYWORD_ONLY, kinds.VAR_POSITIONAL):
                shown.append("*")
            shown.append(self._parameter(item))
            before = item.kind
        return [*shown, "/"] if before is kinds.POSITIONAL_ONLY else shown

    def _with_more(self) -> list[inspect.Parameter]:
        """Return the parameters, with those that are not the function's own."""
        return self._signature()

    def _parameter(self, item: inspect.Parameter) -> str:
        text = f"{_STARS.get(item.kind, '')}{item.name}"
        if item.default is item.empty:
            return text
        space = Namespace.of_function(self.export.function)
        name = bare(f"{identifier(self.export.function.__name__)}_{item.name}")
        default = self.collector.expression(item.default, name, space)
        if len(default) > 20 and not default.isidentifier():
            constant = self.collector.fresh(name)
            self.collector.constants[constant] = default
            default = constant
        return f"{text}={default}"

    # -- checks

    def _checks(self) -> list[str]:
        export, lines = self.export, []
        real = frozenset() if export.generated.keep_complex else self.plain
        for name in export.names:
            check = checks.check_float if name in real else checks.check_input
            lines.append(f'{self._use(check)}({name}, "{name}")')
        every = [item.name for item in self._signature() if item.name not in export.given]
        named = [f"{name}={name}" for name in self._not_complex()]
        if not export.generated.keep_complex and named:
            lines.append(fitted(f"{self._use(checks.refuse_complex)}(", named, ")", 4))
        lines += self._checks_of_given()
        if scalars := sorted(export.generated.scalars):
            named = [f"{name}={name}" for name in scalars]
            lines.append(fitted(f"{self._use(checks.refuse_arrays)}(", named, ")", 4))
        for join in sorted(export.joins, key=lambda j: (j.name, j.depth, j.other or "")):
            if join.name in every and join.name not in real & set(export.names):
                parts = [join.name, f'"{join.name}"', str(join.depth)]
                parts += [join.other] if join.other in every else []
                lines.append(fitted(f"{self._use(checks.refuse_lists)}(", parts, ")", 4))
        lines += self._checks_of_memory()
        return lines + self._conditions()

    def _not_complex(self) -> list[str]:
        """Return the parameters that are still to be checked to be real."""
        known = self.plain & set(self.export.names) | self.export.given.keys()
        return [item.name for item in self._signature() if item.name not in known]

    def _checks_of_given(self) -> list[str]:
        """Return checks that functions, objects and flags are those that the text was made for."""
        lines = []
        for name, value in self.export.given.items():
            if value is None or isinstance(value, (bool, str)):
                lines.append(f'{self._use(checks.check_flag)}({name}, "{name}", {value!r})')
                continue
            kind = kind_of(value)
            if "<l" in kind:  # a lambda or a local function has no name that tells it from others
                raise ExportError(
                    f"the text was made for the argument `{name}`, {kind}, which has no name",
                    hint="export the gradient of a function that calls this one with it",
                )
            lines.append(f'{self._use(checks.check_kind)}({name}, "{name}", "{kind}")')
        return lines

    def _checks_of_memory(self) -> list[str]:
        written = sorted(self.export.generated.written)
        arguments = [item.name for item in self._signature()]
        lines = []
        for name in written:
            others = [f"{other}={other}" for other in arguments if other != name]
            if others and name in arguments:
                parts = [name, f'"{name}"', *others]
                lines.append(fitted(f"{self._use(checks.refuse_shared)}(", parts, ")", 4))
        return lines

    def _conditions(self) -> list[str]:
        conditions = self.export.generated.conditions
        if not conditions:
            return []
        test = " and ".join(conditions)
        said = "; ".join(conditions).replace('"', "'")
        if any(repr_ in test for repr_ in self._renamed().values()):
            for own, inner in self._renamed().items():
                test = test.replace(inner, own)
        space = Namespace.of_module(self.export.module)
        if "np." in test:
            test = test.replace("np.", f"{self.collector.name_of(_numpy(), 'np', space)}.")
        lines = [f"if not ({test}):"]
        if len(lines[0]) > _WIDEST - 4:
            joined = "\n    and ".join(conditions)
            lines = ["if not (", f"    {joined}", "):"]
        wrapped = textwrap.wrap(f"exported for {said}; export with an example for others", 72)
        if len(wrapped) == 1:
            return [*lines, f'    raise ValueError("{wrapped[0]}")']
        texts = [f'        "{part} "' for part in wrapped[:-1]] + [f'        "{wrapped[-1]}"']
        return [*lines, "    raise ValueError(", *texts, "    )"]

    def _renamed(self) -> Mapping[str, str]:
        return self.export.generated.renamed

    # -- the result

    def _result(self) -> list[str]:
        export = self.export
        names = {name: self._fresh_local(f"grad_{name}") for name in export.names}
        real = frozenset() if export.generated.keep_complex else self.plain
        done = []
        for name, grad in names.items():
            check = checks.conform_real if name in real else checks.conform
            done.append(f"{self._use(check)}({grad}, {name})")
        many = done[0] if export.single else fitted("(", done, ",)" if len(done) == 1 else ")", 12)
        grads = ", ".join(names.values())
        given = grads if len(names) == 1 else f"({grads})"
        if export.value:
            value = self._fresh_local("value")
            return [self._assigned(f"{value}, {given}"), returned([value, many])]
        if export.aux:
            aux = self._fresh_local("aux")
            return [self._assigned(f"{given}, {aux}"), returned([many, aux])]
        if export.single:
            grad = grads
            line = "return " + done[0].replace(f"({grad}, ", f"({self._call()}, ")
            if len(line) <= _WIDEST - 4 and "\n" not in line:
                return [line]
            return [self._assigned(grad), f"return {many}"]
        return [self._assigned(grads), returned(done)]

    def _assigned(self, targets: str) -> str:
        """Return the statement that calls the generated function."""
        return f"{targets} = {self._call(len(targets) + 7)}"

    def _call(self, indent: int = 12) -> str:
        shown = []
        for item in self._signature():
            if item.kind is item.KEYWORD_ONLY:
                shown.append(f"{self._renamed().get(item.name, item.name)}={item.name}")
            else:
                shown.append(f"{_STARS.get(item.kind, '')}{item.name}")
        return fitted(f"{self.inner}(", shown, ")", indent)

    @property
    def inner(self) -> str:
        """The name of the generated function."""
        return self.names[self.export.generated.entry]

    def _fresh_local(self, wish: str) -> str:
        """Return a name for a variable that is none of a parameter."""
        taken = {item.name for item in self._signature()}
        while wish in taken:
            wish += "_"
        return wish

    def _use(self, check: Callable[..., Any]) -> str:
        return self.collector.name_of(check, check.__name__, Namespace.of_module(checks))


def used_as_numbers(text: str, names: Iterable[str]) -> frozenset[str]:
    """Return the parameters that a derivative calculates with, so that they are no containers.

    >>> sorted(used_as_numbers("def f(x, y, z): return np.exp(x) * y + z[0]", "xyz"))
    ['x', 'y']
    """
    found: set[str] = set()
    for node in ast.walk(parsed(text)):
        operands: list[Any] = []
        if isinstance(node, ast.BinOp):
            operands = [node.left, node.right]
        elif isinstance(node, ast.AugAssign):
            operands = [node.value]
        elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            operands = [node.operand]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of_numpy = isinstance(node.func.value, ast.Name) and node.func.value.id == "np"
            if of_numpy and isinstance(getattr(np, node.func.attr, None), np.ufunc):
                operands = node.args
        found |= {item.id for item in operands if isinstance(item, ast.Name)}
    return frozenset(found & set(names))


def _numpy() -> Any:
    return np


def returned(items: list[str]) -> str:
    """Return a return statement, in several lines if it is too long for one."""
    line = f"return {', '.join(items)}{',' if len(items) == 1 else ''}"
    if len(line) <= _WIDEST - 4:
        return line
    return "return (\n" + "".join(f"    {item},\n" for item in items) + ")"


def fitted(head: str, items: list[str], tail: str, indent: int = 0) -> str:
    """Return a call or a header, in several lines if it is too long for one."""
    line = f"{head}{', '.join(items)}{tail}"
    if len(line) + indent <= _WIDEST:
        return line
    inner = textwrap.wrap(", ".join(items), _WIDEST - 8 - indent)
    if len(inner) == 1:
        return f"{head}\n    {inner[0]}\n{tail}"
    return f"{head}\n" + "".join(f"    {item},\n" for item in items) + tail


def _in_lines(docstring: str) -> str:
    """Return a docstring as a line and a paragraph if it is too long for one line.

    >>> _in_lines(f"Return the gradient of `{'f' * 60}` with respect to `x`.").splitlines()[2]
    'With respect to `x`.'
    """
    if len(docstring) + len('    """"""') <= _WIDEST:
        return docstring
    for word in (" with respect to ", ", from tangents of ", " with "):
        head, found, tail = docstring.partition(word)
        if found:
            rest = found.strip(", ").capitalize() + " " + tail
            return f"{head}.\n\n" + "\n".join(textwrap.wrap(rest, _WIDEST - 10)) + "\n"
    return docstring
