"""Opens ``f(x, *rest)`` where only the run tells how much `rest` holds, as the callee says it."""

from __future__ import annotations

import copy
import functools
import inspect
from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from srcgrad.frontend.expand.binding import required, sizes_of_star
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.values import Code, Known, Local, Method, Static, Value
from srcgrad.frontend.source import find_source, has_source
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, load, store
from srcgrad.ir.packages import is_generated
from srcgrad.ir.walk import found_in, names_bound, statements, walk
from srcgrad.runtime.objects import is_plain_class

if TYPE_CHECKING:
    from srcgrad.frontend.expand.given import Evaluated
    from srcgrad.frontend.expand.interpreter import Interpreter

_MOST_STATEMENTS: Final = 60
Bound = dict[str, Value]


class Stars(Part):
    """The part of the expansion that deals with starred arguments of unknown number."""

    def tree_of(self, callee: Value) -> Any:
        """Return the definition of a function of the user's, or of a text of ours; else None."""
        if isinstance(callee, Method):
            return self.tree_of(callee.function)
        if isinstance(callee, Local):
            return callee.code.tree
        if not isinstance(callee, Known):
            return None
        of_text = is_generated(getattr(callee.value, "__module__", None))
        read = self.session.is_user(callee.value) or (of_text and has_source(callee.value))
        return find_source(callee.value).tree if read else None

    def __init__(self, frame: Interpreter) -> None:
        super().__init__(frame)
        self._is_open = False  # whether a call is being written for each number of its arguments

    def unpacked(self, value: Value, callee: Value, node: Any) -> list[Value] | None:
        """Return the elements of a sequence that must hold what is left of a function's arguments.

        Those beside it are names: to read them later makes no difference.
        """
        others = [item for item in node.args if not isinstance(item, gast.Starred)]
        named = all(isinstance(item, (gast.Name, gast.Constant)) for item in others)
        if isinstance(value, Static) or not named or not self.frame.hoistable:
            return None
        given = [item.arg for item in node.keywords]
        if len(others) != len(node.args) - 1 or None in given or self.frame.disturbs(node):
            return None  # they would be read before their time
        wanted = required(self.tree_of(callee), callee)
        if wanted is None or not set(given) <= set(wanted):
            return None
        skipped = 1 if isinstance(callee, Method) else 0
        place = next(k for k, item in enumerate(node.args) if isinstance(item, gast.Starred))
        taken = [name for name in wanted[skipped:] if name not in given]
        names = [
            self.frame.variable(name) for name in taken[place : len(taken) - (len(others) - place)]
        ]
        target = gast.Tuple([store(name) for name in names], gast.Store())
        self.frame.out.append(at(gast.Assign([target], value, None), node))
        self.frame.changed = True
        return [load(name) for name in names]

    def of_object(self, callee: Value, given: Evaluated, node: Any) -> list[Value] | None:
        """Return what a class is given, if all that only the run tells is among its ``*rest``."""
        kind = callee.value if isinstance(callee, Known) else None
        init: Any = inspect.getattr_static(kind, "__init__") if isinstance(kind, type) else None
        if given.star is None or not self.session.is_user(init):
            return None
        takes = find_source(init).tree.args
        value, place = given.star
        many = len(given.values) + 1 >= len([*takes.posonlyargs, *takes.args])
        if takes.vararg is None or not many or place < len(node.args) - 1:
            return None
        star = gast.Starred(self.frame.plain(value, node), gast.Load())
        return [*given.values, at(star, node)]

    def by_size(self, callee: Value, node: Any, keywords: Bound) -> Value | None:
        """Write ``f(x, *rest)`` for each number of arguments that `rest` may hold."""
        stars = [item for item in node.args if isinstance(item, gast.Starred)]
        named = isinstance(node.func, (gast.Name, gast.Attribute))
        if len(stars) != 1 or not named or not self.frame.hoistable:
            return None
        before = node.args[: node.args.index(stars[0])]
        if self.frame.disturbs(node) or any(map(self._comes_first, before)):
            return None  # what is starred would be read before its time
        skipped = 1 if isinstance(callee, Method) or _is_class(callee) else 0
        given = len(node.args) - 1 + skipped
        if self._takes_all(callee, node, given):
            return self._whole(callee, node, keywords)
        tree = self._made_by(callee) if _is_class(callee) else self.tree_of(callee)
        sizes = sizes_of_star(tree, given, keywords)
        if sizes is None or (len(sizes) > 1 and not self._may_repeat(tree, sizes)):
            return None
        if not self.frame.is_first(node) and self.frame.may_write(node):
            return None
        taken = [item.id for item in (*tree.args.posonlyargs, *tree.args.args)]
        taken = taken[skipped + len(before) :]
        rest = self.frame.expression(clone(stars[0].value))
        if not isinstance(rest, gast.Name):
            rest = self.frame.keep("rest", rest, node)
        result = self.frame.variable("result")
        ways = [self._called_with(node, stars[0], rest, taken[:size], result) for size in sizes]
        chain = ways.pop()
        for size, way in reversed(list(zip(sizes, ways, strict=False))):
            test = gast.Compare(call("len", clone(rest)), [gast.Eq()], [gast.Constant(size, None)])
            chain = [at(gast.If(test, way, chain), node)]
        self.frame.changed = True
        outer, self._is_open = self._is_open, self._is_open or len(sizes) > 1
        for statement in chain:
            self.frame.statement(statement)
        self._is_open = outer
        return self.frame.look(result)

    def _made_by(self, callee: Any) -> Any:
        """Return the definition of the constructor of a plain class of the user's; else None."""
        init = inspect.getattr_static(callee.value, "__init__")
        plain = is_plain_class(callee.value) and self.session.is_user(init)
        return find_source(init).tree if plain and isinstance(init, FunctionType) else None

    def _may_repeat(self, tree: Any, sizes: range) -> bool:
        """Say whether a call is written for several sizes: of a short function, and not in others.

        The call of a long one would be read over and over, with all that it calls.
        """
        size = len(list(statements(tree.body)))
        return not self._is_open and size * len(sizes) <= _MOST_STATEMENTS

    def _takes_all(self, callee: Value, node: Any, given: int) -> bool:
        """Say whether a function takes all that is starred, and no more, by a star of its own."""
        tree = self.tree_of(callee)
        if tree is None or tree.args.vararg is None or not isinstance(callee, (Known, Local)):
            return False
        places = len(tree.args.posonlyargs) + len(tree.args.args)
        return given == places and isinstance(node.args[-1], gast.Starred)

    def _whole(self, callee: Any, node: Any, keywords: Bound) -> Value | None:
        """Call a function whose starred parameter is a tuple that only the run tells."""
        *first, star = node.args
        code = callee.code if isinstance(callee, Local) else self.session.code(callee.value)
        args = [self.frame.value(clone(item)) for item in first]
        rest = self.frame.keep(
            "rest", call("tuple", self.frame.expression(clone(star.value))), node
        )
        if isinstance(callee, Local):
            defaults, captured = dict(callee.defaults), callee.captured
        else:
            defaults = self.frame.calls.defaults_of(callee.value, code.tree.name)
            captured = {}
        code = self.session.variant(code, "rest", functools.partial(_with_plain_rest, code))
        args.append(rest)
        bound = self.frame.calls.bound_tree(code.tree, args, keywords, defaults, node)
        self.frame.changed = True
        return self.frame.placing.call_code(code, code.tree.name, bound, captured, node)

    def _comes_first(self, argument: Any) -> bool:
        """Say whether an argument does something that what stands after it may depend on."""
        return self.frame.order.count(argument) > 0 or bool(found_in(argument, gast.NamedExpr))

    def _called_with(
        self, node: Any, star: Any, rest: Any, taken: list[str], result: str
    ) -> list[Any]:
        """Return the call in which `rest` is unpacked for so many parameters, under their names."""
        names = [self.frame.variable(name) for name in taken]
        target = gast.Tuple([store(name) for name in names], gast.Store())
        opened = [at(gast.Assign([target], clone(rest), None), node)] if names else []
        args = [
            part for item in node.args for part in (map(load, names) if item is star else [item])
        ]
        made = at(gast.Call(clone(node.func), clone(args), clone(node.keywords)), node)
        return [*opened, assign(result, made, node)]

    def open_targets(self, node: Any) -> None:
        """Let a comprehension take apart what it only hands on as ``*rest``, if one size fits."""
        bound = {name for part in node.generators for name in names_bound(part.target)}
        for part in node.generators:
            name = getattr(part.target, "id", None)
            reads = [item for item in found_in(node, gast.Name) if item.id == name]
            if name is None or len(reads) != 2:  # where it is bound, and where it is read
                continue
            for made in found_in(node, gast.Call):
                star = next((item for item in made.args if _reads(item, name)), None)
                size = None if star is None else self._only_size(made, bound)
                if size:
                    names = [self.frame.variable(f"{name}_{place}") for place in range(size)]
                    part.target = gast.Tuple([store(item) for item in names], gast.Store())
                    place = made.args.index(star)
                    made.args[place : place + 1] = [load(item) for item in names]

    def _only_size(self, node: Any, bound: set[str]) -> int | None:
        """Return how many arguments the one star of a call must hold, if that is certain."""
        stars = [item for item in node.args if isinstance(item, gast.Starred)]
        reads = {item.id for item in walk(node.func) if isinstance(item, gast.Name)}
        keywords = [item.arg for item in node.keywords]
        if len(stars) != 1 or None in keywords or reads & bound:
            return None
        if not isinstance(node.func, (gast.Name, gast.Attribute)):
            return None
        callee = self.frame.looked_at(node.func)
        given = len(node.args) - 1 + (1 if isinstance(callee, Method) else 0)
        sizes = sizes_of_star(self.tree_of(callee), given, keywords)
        return sizes[0] if sizes is not None and len(sizes) == 1 else None


def _is_class(callee: Value) -> bool:
    return isinstance(callee, Known) and isinstance(callee.value, type)


def _reads(node: Any, name: str) -> bool:
    return isinstance(node, gast.Starred) and getattr(node.value, "id", None) == name


def _with_plain_rest(code: Code) -> Code:
    """Return a definition whose starred parameter is one like the others."""
    args = copy.copy(code.tree.args)
    args.args, args.vararg = [*args.args, args.vararg], None
    args.defaults = []
    tree = copy.copy(code.tree)
    tree.args = args
    return replace(code, tree=tree)


def returns_star(tree: Any) -> bool:
    r"""Say whether a function returns a tuple of what it counts and what is behind a star.

    >>> returns_star(gast.parse("def f(a):\n    return *g(a), a").body[0])
    True
    """
    returned = [item.value for item in statements(tree.body) if isinstance(item, gast.Return)]
    return any(isinstance(part, gast.Starred) for v in returned for part in getattr(v, "elts", ()))
