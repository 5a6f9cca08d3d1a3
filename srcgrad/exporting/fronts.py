"""Writes what is called in exported products with vectors and Jacobians, each kind in its way."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping
from typing import Any, Final

from srcgrad.exporting import checks, matching, matrices
from srcgrad.exporting.front import Front, fitted, returned
from srcgrad.exporting.origins import Namespace
from srcgrad.ir.names import identifier
from srcgrad.runtime import batches


class _Other(Front):
    """What all kinds but gradients share: the generated text has its parameters by position."""

    def _helper(self, function: Callable[..., Any]) -> str:
        space = Namespace.of_module(inspect.getmodule(function))
        return self.collector.name_of(function, function.__name__, space)

    def _ordered(self) -> list[str]:
        """Return the parameters in the order of the generated text."""
        last = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        items = sorted(self._signature(), key=lambda item: item.kind in last)
        return [item.name for item in items]

    def _given(self) -> str:
        """Return the arguments of a call, as copies where the function may write into them."""
        shown = ", ".join(self._ordered())
        if not self.export.writes:
            return shown
        return f"*{self._helper(matching.own_copies)}(({shown},))"

    def _conformed(self, gradient: str, name: str) -> str:
        is_plain = name in self.plain and not self.export.generated.keep_complex
        return (
            f"{self._use(checks.conform_real if is_plain else checks.conform)}({gradient}, {name})"
        )

    def _grads(self) -> list[str]:
        return [self._fresh_local(f"grad_{name}") for name in self.export.names]

    def _of(self) -> str:
        is_jvp = self.export.kind == "jvp"  # perhaps that of a gradient
        function = self.export.function if is_jvp else self.export.written
        return f"`{identifier(function.__name__)}`"


class TangentFront(_Other):
    """The value and the tangent of a function."""

    def _docstring(self) -> str:
        shown = ", ".join(f"`{name}`" for name in self.export.names)
        return f"Return {self._of()} and its tangent, from tangents of {shown}."

    def _dots(self) -> dict[str, str]:
        """Return the names of the tangents by those of the parameters, as the text has them."""
        code = vars(self.export.module)[self.export.generated.entry].__code__
        names = code.co_varnames[: code.co_argcount][-len(self.export.names) :]
        return dict(zip(self.export.names, names, strict=True))

    def _with_more(self) -> list[inspect.Parameter]:
        kind = inspect.Parameter.KEYWORD_ONLY
        more = [inspect.Parameter(name, kind) for name in self._tangents()]
        own = self._signature()
        has_rest = own and own[-1].kind is inspect.Parameter.VAR_KEYWORD
        return [*own[:-1], *more, own[-1]] if has_rest else [*own, *more]

    def _not_complex(self) -> list[str]:
        return [*super()._not_complex(), *self._tangents()]

    def _tangents(self) -> list[str]:
        """Return the names of the tangents that the function is called with."""
        return list(self._dots().values())

    def _checks(self) -> list[str]:
        lines = super()._checks()
        dots = self._dots()
        for name, dot in dots.items():
            if dot not in self._tangents():
                continue
            if name in self.plain:
                lines.append(f'{self._helper(matching.check_shape)}({dot}, {name}, "{dot}")')
            else:
                lines.append(f'{dot} = {self._helper(matching.matched)}({dot}, {name}, "{dot}")')
        return lines

    def _result(self) -> list[str]:
        value, dot = self._fresh_local("value"), self._fresh_local("value_dot")
        inner = [*self._ordered(), *self._dots().values()]
        if self.export.of_gradient:
            return self._gradients(inner)
        done = [value, ", ".join([dot, value, *self._dots().values()])]
        conform = self._helper(matching.conform_tangent)
        if not self.export.aux:
            head = f"{value}, {dot} = {self.inner}("
            return [fitted(head, inner, ")", 4), returned([value, f"{conform}({done[1]})"])]
        aux = self._fresh_local("aux")
        head = f"({value}, {aux}), ({dot}, _) = {self.inner}("
        return [fitted(head, inner, ")", 4), returned([value, f"{conform}({done[1]})", aux])]

    def _gradients(self, inner: list[str]) -> list[str]:
        """Return what gives the gradient of another function, and its tangent."""
        names = self.export.names
        firsts = self._grads()
        seconds = [self._fresh_local(f"grad_{name}_dot") for name in names]
        left = [", ".join(item) for item in (firsts, seconds)]
        left = left if len(names) == 1 else [f"({item})" for item in left]
        done = []
        for grads in (firsts, seconds):
            parts = [self._conformed(g, name) for g, name in zip(grads, names, strict=True)]
            one = parts[0] if self.export.single else fitted("(", parts, ",)"[len(parts) > 1 :], 12)
            done.append(one)
        return [fitted(f"{', '.join(left)} = {self.inner}(", inner, ")", 4), returned(done)]


class HessianProductFront(TangentFront):
    """The product of second derivatives with a vector: the tangent of the gradient."""

    def _docstring(self) -> str:
        dots = ", ".join(f"`{name}`" for name in self._dots().values())
        return f"Return the product of the second derivatives of {self._of()} with {dots}."

    def _result(self) -> list[str]:
        grads = self._grads()
        shown = grads[0] if len(grads) == 1 else f"({', '.join(grads)})"
        inner = [*self._ordered(), *self._dots().values()]
        pairs = zip(grads, self.export.names, strict=True)
        done = [self._conformed(grad, name) for grad, name in pairs]
        answer = done[0] if self.export.single else fitted("(", done, ",)"[len(done) > 1 :], 12)
        if self.export.aux:
            aux = self._fresh_local("aux")
            line = fitted(f"(_, {aux}), ({shown}, _) = {self.inner}(", inner, ")", 4)
            return [line, returned([answer, aux])]
        line = fitted(f"_, {shown} = {self.inner}(", inner, ")", 4)
        return [line, f"return {answer}" if self.export.single else returned(done)]


class PullFront(_Other):
    """The value of a function, and the function that pulls adjoints back."""

    def _docstring(self) -> str:
        shown = ", ".join(f"`{name}`" for name in self.export.names)
        return (
            f"Return {self._of()} and a function from its adjoint to that of {shown}.\n\n"
            "It may be called repeatedly.\n"
        )

    def _result(self) -> list[str]:
        value, pull = self._fresh_local("value"), self._fresh_local("pull")
        lines, saved = self._forward(value)
        out = self._fresh_local("grad_out")
        grads = self._grads()
        pairs = zip(grads, self.export.names, strict=True)
        done = [self._conformed(grad, name) for grad, name in pairs]
        last = f"return {done[0]}" if self.export.single else returned(done)
        shown = f"{value}[0]" if self.export.aux else value
        inner = [
            '"""Return the adjoints of the arguments from that of the value."""',
            f'{out} = {self._helper(matching.matched)}({out}, {shown}, "{out}")',
            *self._again(),
            f"{', '.join(grads)} = {self._backward(saved, self._adjoint(out, value))}",
            *last.splitlines(),
        ]
        lines += ["", f"def {pull}({out}):", *[f"    {line}" for line in inner]]
        copied = self._helper(matching.own_copies)
        if self.export.aux:
            given = [f"{copied}({value}[0])", pull, f"{copied}({value}[1])"]
        else:
            given = [f"{copied}({value})", pull]
        return ["\n".join(lines), "", returned(given)]

    def _forward(self, value: str) -> tuple[list[str], str]:
        """Return the statements that run the forward half, on arrays that nobody else has."""
        saved = self._fresh_local("saved")
        names = self._ordered()
        shown = ", ".join(names)
        one = "," if len(names) == 1 else ""
        lines = [f"{shown}{one} = {self._helper(matching.own_copies)}(({shown}{one}))"]
        lines.append(f"{value}, {saved} = {self.inner}({shown})")
        return lines, saved

    def _again(self) -> list[str]:
        """Return what runs the forward half again, where the backward half uses up what it kept."""
        if not self.export.uses_up:
            return []
        return [f"_, {self._fresh_local('saved')} = {self.inner}({', '.join(self._ordered())})"]

    def _backward(self, saved: str, adjoint: str) -> str:
        backward = self.names[self.export.generated.backward]
        kept = saved if self.export.uses_up else f"{self._helper(matching.fresh)}({saved})"
        return f"{backward}({kept}, {adjoint})"

    def _adjoint(self, out: str, value: str) -> str:
        """Return the adjoints of the results, as the backward half takes them."""
        code = vars(self.export.module)[self.export.generated.backward].__code__
        given = code.co_varnames[1 : code.co_argcount]
        takes_several = len(given) != 1 or given[0].endswith("_1")
        if self.export.aux:
            out = f"{out}, {self._helper(matching.nothing_of)}({value}[1])"
            return out if takes_several else f"({out})"
        return f"*{out}" if takes_several else out


class ColumnsFront(TangentFront):
    """A Jacobian, column by column."""

    def _docstring(self) -> str:
        return f"Return the Jacobian of {self._of()} with respect to `{self.export.names[0]}`."

    def _tangents(self) -> list[str]:
        return []

    def _not_single(self) -> list[str]:
        return [] if self.export.single else ["single=False"]

    def _result(self) -> list[str]:
        (name,), (dot,) = self.export.names, self._dots().values()
        push = f"{self.inner}({self._given()}, {dot})"
        make = self._helper(matrices.by_columns)
        if not self.export.aux:
            items = [f"lambda {dot}: {push}", name, *self._not_single()]
            return [fitted(f"return {make}(", items, ")", 4)]
        names = ["aux", "value", "value_dot", "push", "jacobian"]
        aux, value, value_dot, run, found = map(self._fresh_local, names)
        return [
            f"{aux} = None",
            "",
            f"def {run}({dot}):",
            f"    nonlocal {aux}",
            f"    ({value}, {aux}), ({value_dot}, _) = {push}",
            f"    return {value}, {value_dot}",
            "",
            f"{found} = {make}({', '.join([run, name, *self._not_single()])})",
            f"return {found}, {aux}",
        ]


class HessianFront(ColumnsFront):
    """The second derivatives: the Jacobian of the gradient, column by column."""

    def _docstring(self) -> str:
        name = self.export.names[0]
        return f"Return the second derivatives of {self._of()} with respect to `{name}`."

    def _result(self) -> list[str]:
        (name,), (dot,) = self.export.names, self._dots().values()
        grad, grad_dot = self._fresh_local(f"grad_{name}"), self._fresh_local(f"grad_{name}_dot")
        run = self._fresh_local("push")
        parts = [self._conformed(grad, name), self._conformed(grad_dot, name)]
        done = ", ".join(parts if self.export.single else [f"({part},)" for part in parts])
        given = ", ".join([run, name, *self._not_single()])
        make = f"{self._helper(matrices.by_columns)}({given})"
        if not self.export.aux:
            left, more, made = f"{grad}, {grad_dot}", [], [f"return {make}"]
        else:
            aux, found = self._fresh_local("aux"), self._fresh_local("hessian")
            left = f"({grad}, {aux}), ({grad_dot}, _)"
            more, made = [f"    nonlocal {aux}"], [f"{found} = {make}", f"return {found}, {aux}"]
        head = [f"{aux} = None"] if self.export.aux else []
        call = fitted(f"{left} = {self.inner}(", [self._given(), dot], ")", 8)
        inner = [*more, textwrap.indent(call, "    "), f"    return {done}"]
        return [*head, "", f"def {run}({dot}):", *inner, "", *made]


class RowsFront(PullFront):
    """A Jacobian, row by row."""

    def _docstring(self) -> str:
        shown = ", ".join(f"`{name}`" for name in self.export.names)
        return f"Return the Jacobian of {self._of()} with respect to {shown}."

    def _result(self) -> list[str]:
        value, pull = self._fresh_local("value"), self._fresh_local("pull")
        lines, saved = self._forward(value)
        out = self._fresh_local("grad_out")
        call = self._backward(saved, self._adjoint(out, value))
        many = len(self.export.names) > 1
        inner = [*self._again(), f"return {call}" if many else f"return ({call},)"]
        lines += ["", f"def {pull}({out}):", *[f"    {line}" for line in inner], ""]
        names = ", ".join(self.export.names) + ("" if many else ",")
        shown = f"{value}[0]" if self.export.aux else value
        made = f"{self._helper(matrices.by_rows)}({pull}, {shown}, ({names}), {self.export.single})"
        return [*lines, f"return {made}, {value}[1]" if self.export.aux else f"return {made}"]


class BatchFront(_Other):
    """A function over a batch of examples."""

    def _docstring(self) -> str:
        name = f"`{identifier(self.export.written.__name__)}`"
        shown = ", ".join(f"`{name}`" for name in self.export.names)
        if shown:
            return f"Return the gradients of {name} with respect to {shown}, of each example."
        return f"Return {name} of each example of a batch."

    def _checks(self) -> list[str]:
        return [*self._checks_of_given(), *self._conditions()]

    def _call(self, indent: int = 12) -> str:
        return fitted(f"{self.inner}(", self._ordered(), ")", indent)

    def _result(self) -> list[str]:
        if not self.export.names:
            return [f"return {self._call(7)}"]
        every = self._helper(batches.of_all)
        lines = [f"count = {self.export.count}"]
        lines += [
            f"{name} = {every}({name}, {self.export.axes[name]!r}, count)"
            for name in self.export.names
        ]
        first, *rest = super()._result()
        call = first.partition(" = ")
        if call[1] and not first.startswith("return"):
            return [first, *lines, *rest]
        grads = self._grads()[0]
        (name,) = self.export.names
        check = f"{self._use(checks.conform)}({grads}, {name})"
        return [self._assigned(grads), *lines, f"return {check}"]


FRONTS: Final[Mapping[str, type[Front]]] = {
    "grad": Front,
    "jvp": TangentFront,
    "vjp": PullFront,
    "hvp": HessianProductFront,
    "jacfwd": ColumnsFront,
    "jacrev": RowsFront,
    "hessian": HessianFront,
    "vmap": BatchFront,
}
