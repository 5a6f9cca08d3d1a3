"""Reads the objects that SciPy's solvers return by the numbers in them."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, NoReturn

from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.values import Known, Object, Static, Value
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load, settled
from srcgrad.ir.walk import names_read
from srcgrad.runtime.results import OPTIONS, Solver, bound_by_name, rule_and_options, solver_of

Bound = dict[str, Value]


class Results(Part):
    """The part of the expansion that deals with objects of results."""

    def starred_result(self, callee: Known, args: list[Value] | None, node: Any) -> Value | None:
        """Return the object of a solver that is given options from outside by ``**options``."""
        if solver_of(callee.value) is None:
            return None
        stars = [item for item in node.keywords if item.arg is None]
        plain = [item for item in node.keywords if item.arg is not None]
        options = [self._dict_of_module(item.value) for item in stars]
        if args is None or None in options:
            return self.frame.refuse(
                node,
                f"`{callee.value.__name__}` with arguments that only the run tells",
                "write them out, or put options into a dict of the module",
            )
        starred = {name for keys in options for name in keys or ()}
        told = starred & OPTIONS
        if told:
            self.frame.refuse(node, f"`{min(told)}` among starred options", "write it out")
        keywords = {item.arg: self.frame.value(clone(item.value)) for item in plain}
        return self.result(callee, args, keywords, node, stars)

    def _dict_of_module(self, node: Any) -> tuple[Any, ...] | None:
        """Return the keys of a dict that a name from outside means, on which the text relies."""
        binding = self.frame.found_outside(node.id) if isinstance(node, gast.Name) else None
        if binding is None or node.id in self.frame.own or type(binding.value) is not dict:
            return None
        keys = tuple(binding.value)
        self.session.assume(lambda _: tuple(binding.current()), keys)
        return keys

    def result(
        self,
        callee: Known,
        args: list[Value],
        keywords: Bound,
        node: Any,
        stars: Sequence[Any] = (),
    ) -> Value | None:
        """Return the object of a solver, with a variable for each of its attributes.

        ``res = minimize(f, x0, args=(a,))`` is kept as it is, and nothing is known of what it does.
        Next to it stands ``res_x = Minimiser.apply(res.x, f, (a,), None)``, whose rule says what
        the minimum depends on.
        """
        solver = solver_of(callee.value)
        if solver is None:
            return None
        name = callee.value.__name__
        bound = self._bound_by_name(callee.value, args, keywords, node)
        function = bound.get(solver.function)
        varying = any(self.frame.varies(value) for value in bound.values())
        if function is None or not varying:
            return None
        self._check_options(name, solver, bound, node)
        count = solver.unknowns + len(getattr(bound.get("args"), "elts", ()))
        forward, residual, handed = self.frame.solvers.residual(
            function, bound.get("args"), count, node
        )
        for key in solver.operands:
            operand = self.frame.plain(bound[key], node)
            stays = isinstance(operand, (gast.Name, gast.Constant))
            bound[key] = operand if stays else self.frame.keep(key, operand, node)
        bound[solver.function] = forward
        named = {
            key: self.frame.solvers.callback(value, count, node) for key, value in bound.items()
        }
        leading = (solver.function, *(solver.operands[::-1] or ("x0",)))
        first = [key for key, place in zip(bound, leading, strict=False) if key == place]
        call = gast.Call(
            self.frame.plain(callee, node),
            [named.pop(key) for key in first],
            [*(gast.keyword(key, value) for key, value in named.items()), *stars],
        )
        made = self._kept_result(at(call, node), node)
        if isinstance(residual, gast.Lambda):
            residual = self.frame.keep(solver.wish, residual, node)
        self._set_numbers(made, solver, (residual, handed, bound), node)
        return made

    def _bound_by_name(self, function: Any, args: list[Value], keywords: Bound, node: Any) -> Bound:
        try:
            return bound_by_name(function, args, keywords)
        except TypeError as error:
            return self.frame.refuse(
                node, f"this call does not fit the function: {error}", "mend it"
            )

    def _check_options(self, name: str, solver: Solver, bound: Bound, node: Any) -> None:
        for parameter, way_out in solver.refused:
            if not _is_empty(bound.get(parameter)):
                self.frame.refuse(node, f"`{name}` with `{parameter}=`", way_out)
        for parameter in solver.held:
            value = bound.get(parameter)
            if self._is_own_and_varies(value):
                self.frame.refuse(
                    node,
                    f"`{name}` whose `{parameter}` varies with what a gradient is asked for",
                    "keep it constant",
                )

    def _is_own_and_varies(self, value: Value | None) -> bool:
        """Say whether a value varies, other than by the name of a module in it."""
        if value is None or isinstance(value, Known):
            return False
        return isinstance(value, Static) or bool(
            self.frame.varying & self.frame.own & set(names_read(value))
        )

    def _kept_result(self, call: Any, node: Any) -> Object:
        """Keep the call as the variable of the object."""
        wish = self.frame.assigned[0] if self.frame.assigned[1] is node else ""
        if not self.frame.hoistable or (
            not self.frame.is_first(node) and self.frame.may_write(call)
        ):
            self.frame.keep("result", call, node)  # which refuses it
        name = wish or self.frame.fresh("result")
        self.frame.own.add(name)
        self.frame.env.pop(name, None)
        self.frame.out.append(assign(name, settled(call), node))
        made = Object(ResultObject, name)
        self.frame.depths[id(made)] = self.frame.depth
        self.session.kept.append(made)
        self.frame.changed = True
        return made

    def _set_numbers(
        self, made: Object, solver: Solver, parts: tuple[Any, Any, Bound], node: Any
    ) -> None:
        residual, handed, bound = parts
        rules = importlib.import_module(f"srcgrad.rules.scipy.{solver.file}")
        for attribute in solver.constant:
            value = gast.Attribute(load(made.name), attribute, gast.Load())
            made.fields[attribute] = self.frame.keep(
                f"{made.name}_{attribute}", at(value, node), node
            )
        operands = [bound[key] for key in solver.operands]
        operands += [made.fields[key] for key in solver.beside]
        x: list[Any] = []
        for attribute, rule in (solver.solution, *solver.others):
            exact, options = rule_and_options(rule, bound)
            value = gast.Attribute(load(made.name), attribute, gast.Load())
            owner = self.frame.constant(getattr(rules, exact), exact)
            apply = gast.Attribute(owner, "apply", gast.Load())
            given = [value, *map(clone, [residual, *operands, *x, handed])]
            plain = {key: self.frame.plain(item, node) for key, item in options.items()}
            named = [gast.keyword(key, clone(item)) for key, item in plain.items()]
            call = at(gast.Call(apply, given, named), node)
            made.fields[attribute] = self.frame.keep(f"{made.name}_{attribute}", call, node)
            x = x or [made.fields[attribute]]

    def refuse_attribute(self, owner: Object, name: str, node: Any) -> NoReturn:
        """Refuse an attribute of a result of which it is not known what it depends on."""
        self.frame.refuse(
            node,
            f"the attribute `{name}` of what a solver returns",
            f"there are {', '.join(owner.fields)}; sg.stop_gradient is for what a gradient "
            "need not see",
        )


class ResultObject:
    """Stands for the class of SciPy's results, of whose attributes only some are known."""


def _is_empty(value: Value | None) -> bool:
    if value is None:
        return True
    if isinstance(value, gast.Constant):
        return value.value in (None, False)
    return isinstance(value, (gast.Tuple, gast.List)) and not value.elts
