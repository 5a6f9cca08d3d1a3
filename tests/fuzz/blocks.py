"""Statements with blocks: loops, branches, attempts, jumps, functions inside of functions."""

from __future__ import annotations

from tests.fuzz.containers import entry
from tests.fuzz.context import Context, production
from tests.fuzz.expressions import NoExpressionError, array, condition, index, number
from tests.fuzz.kinds import (
    Array,
    Dict,
    Function,
    Integer,
    Kind,
    List,
    Number,
    Object,
    Tuple,
)
from tests.fuzz.names import Names
from tests.fuzz.statements import Lines, some_shape, update

DEEPEST = 3


def statements(c: Context, count: int) -> Lines:
    """Return some statements in a row; the names that they bind stay."""
    lines: Lines = []
    for _ in range(count):
        if c.budget[0] <= 0:
            break
        c.budget[0] -= 1
        for _ in range(4):
            names = dict(c.scope.names)
            try:
                found = c.draw(c.table)
            except NoExpressionError:
                found = None
            if found is not None:
                lines += found
                break
            c.scope.names = names
    return lines


def block(c: Context, count: int, **changes: object) -> Lines:
    """Return an indented block; the names that it binds end with it."""
    inner = c.inner(**changes)
    lines = statements(inner, count) or [_little(inner)]
    return [f"    {line}" for line in lines]


def _little(c: Context) -> str:
    """Return one statement that is always there."""
    names = c.arrays(writable=True)
    if names:
        name = c.pick(names)
        return f"{name} *= 0.9"
    return "pass"


def times(c: Context) -> str | None:
    """Return how often a loop runs."""
    if c.builtin("range") is None:
        return None
    lengths = [c.length(item) for n in c.arrays() for item in c.kind(n).shape]
    said = [item for item in lengths if item]
    if said and c.chance(0.3):
        return f"range({c.pick(said)})"
    return f"range({c.pick((1, 2, 2, 3))})"


@production("statement")
def loop(c: Context) -> Lines | None:
    over = times(c)
    if over is None or c.depth >= DEEPEST or c.loops > 1:
        return None
    small = over in ("range(1)", "range(2)")
    if c.chance(0.15) and c.builtin("reversed"):
        over = f"reversed({over})"
    name = c.names.fresh()
    inner = c.inner(loops=c.loops + 1, depth=c.depth)
    inner.bind(name, Integer() if small else Integer(counts=True))
    inner.frozen = {*c.frozen, name}
    lines = [f"for {name} in {over}:", *block(inner, c.pick((1, 2, 2, 3)))]
    if c.chance(0.08):
        lines += ["else:", *block(c, 1)]
    return lines


@production("statement")
def while_loop(c: Context) -> Lines | None:
    if c.depth >= DEEPEST or c.loops > 1:
        return None
    name = c.names.fresh()
    limit = c.pick((1, 2, 3))
    inner = c.inner(loops=c.loops + 1, depth=c.depth)
    inner.bind(name, Integer(counts=True))
    inner.frozen = {*c.frozen, name}
    extra = f" and {number(c, 1)} < 3.0" if c.chance(0.3) else ""
    body = block(inner, c.pick((1, 2)))
    if c.chance(0.3):
        lines = [f"{name} = {limit}", f"while {name}{' > 0' if extra else ''}{extra}:"]
        return [*lines, f"    {name} -= 1", *body]
    return [f"{name} = 0", f"while {name} < {limit}{extra}:", f"    {name} += 1", *body]


@production("statement")
def rows_loop(c: Context) -> Lines | None:
    """Rows of matrices, or elements of vectors, that are read or written in a loop."""
    if (
        c.depth >= DEEPEST
        or c.loops > 1
        or c.builtin("zip") is None
        or c.builtin("enumerate") is None
    ):
        return None
    names = [n for n in c.arrays() if len(c.kind(n).shape) in (1, 2) and "1" not in c.kind(n).shape]
    if not names:
        return None
    first = c.pick(names)
    writable = c.scope.names[first].writable
    inner = c.inner(loops=c.loops + 1, depth=c.depth)
    row = c.names.fresh()
    shape = c.kind(first).shape[1:]
    kind: Kind = Array(shape) if shape else Number()
    same = [n for n in names if c.kind(n).shape[0] == c.kind(first).shape[0]]
    choice = c.rng.randrange(4)
    inner.bind(row, kind, writable)
    if choice == 0:
        head = f"for {row} in {first}:"
    elif choice == 1:
        second, other = c.pick(same), c.names.fresh()
        shape_2 = c.kind(second).shape[1:]
        inner.bind(other, Array(shape_2) if shape_2 else Number(), c.scope.names[second].writable)
        head = f"for {row}, {other} in zip({first}, {second}):"
    elif choice == 2:
        place = c.names.fresh()
        inner.bind(place, Integer(counts=True))
        inner.frozen = {*c.frozen, place}
        head = f"for {place}, {row} in enumerate({first}):"
    else:
        place, second, other = c.names.fresh(), c.pick(same), c.names.fresh()
        shape_2 = c.kind(second).shape[1:]
        inner.bind(other, Array(shape_2) if shape_2 else Number(), c.scope.names[second].writable)
        inner.bind(place, Integer(counts=True))
        inner.frozen = {*c.frozen, place}
        head = f"for {place}, ({row}, {other}) in enumerate(zip({first}, {second})):"
    lines = block(inner, c.pick((1, 2)))
    if shape and writable and c.chance(0.6):
        lines.append(f"    {update(inner, row, shape)}")
    return [head, *lines]


@production("statement")
def entries_loop(c: Context) -> Lines | None:
    """Entries of lists, dicts and objects, read and written in a loop."""
    if c.depth >= DEEPEST or c.loops > 1:
        return None
    found = [(t, k) for t, k in c.held() if isinstance(k, List)]
    found += [(n, c.kind(n)) for n in (*c.of_type(List), *c.of_type(Dict))]
    if not found:
        return None
    text, kind = c.pick(found)
    name = c.names.fresh()
    inner = c.inner(loops=c.loops + 1, depth=c.depth)
    may = c.scope.names[text.partition("[")[0].partition(".")[0]].writable
    inner.bind(name, kind.element, may)
    carried = [n for n in c.arrays(writable=True) if n not in c.frozen]
    lines = block(inner, c.pick((1, 2)))
    if isinstance(kind.element, Object):
        lines += _through(inner, name, kind.element, carried)
    said = f"{text}.values()" if isinstance(kind, Dict) else text
    return [f"for {name} in {said}:", *lines]


def _through(c: Context, name: str, kind: Object, carried: list[str]) -> Lines:
    """Carry an array through the objects of a list, as layers of a network do."""
    fields = {key: k for key, k in kind.cls.fields if isinstance(k, (Array, Number))}
    for array_name in carried:
        for key, field in fields.items():
            if isinstance(field, Number) or field == c.kind(array_name):
                return [f"    {array_name} = np.tanh({array_name} * {name}.{key})"]
    return []


@production("statement")
def branch(c: Context) -> Lines | None:
    if c.depth >= DEEPEST:
        return None
    lines = [f"if {condition(c)}:", *block(c, c.pick((1, 2)))]
    if c.chance(0.2):
        lines += [f"elif {condition(c)}:", *block(c, 1)]
    if c.chance(0.5):
        lines += ["else:", *block(c, c.pick((1, 2)))]
    return lines


@production("statement")
def attempt(c: Context) -> Lines | None:
    if c.depth >= DEEPEST:
        return None
    lines = ["try:", *block(c, c.pick((1, 2)))]
    caught = c.chance(0.5)
    if caught:
        if c.chance(0.5):
            error = c.pick(("ValueError", "ZeroDivisionError", "IndexError"))
            lines.append(f"    if {condition(c)}:")
            lines.append(f"        raise {error}('drawn')")
            handled = c.pick(
                (error, error, "Exception", "(ValueError, ArithmeticError, LookupError)")
            )
        else:
            handled = c.pick(("ValueError", "Exception", "KeyError"))
            if c.of_type(Dict) and c.chance(0.5):
                name = c.pick(c.of_type(Dict))
                lines.append(f"    {c.names.fresh()} = {name}['missing']")
                handled = "KeyError"
        lines += [f"except {handled}:", *block(c, 1)]
        if c.chance(0.2):
            lines += ["else:", *block(c, 1)]
    if not caught or c.chance(0.3):
        lines += ["finally:", *block(c, 1, may_return=False, loops=0)]
    return lines


@production("statement")
def jump(c: Context) -> Lines | None:
    if not c.loops:
        return None
    word = c.pick(("continue", "break"))
    lines = [f"if {condition(c)}:"]
    if c.chance(0.5):
        lines += block(c, 1)
    return [*lines, f"    {word}"]


@production("statement")
def early_return(c: Context) -> Lines | None:
    if not c.may_return or c.result is None or not c.depth:
        return None
    value = given(c, c.result)
    return None if value is None else [f"if {condition(c)}:", f"    return {value}"]


def given(c: Context, kind: Kind) -> str | None:
    """Return an expression of a kind, for a return."""
    if isinstance(kind, Number):
        return number(c, 2)
    if isinstance(kind, Integer):
        return index(c)
    if isinstance(kind, Array) and kind.dtype == "f":
        return array(c, kind.shape, 2)
    if isinstance(kind, Tuple):
        parts = [given(c, item) for item in kind.elements]
        return None if None in parts else ", ".join(map(str, parts))
    if isinstance(kind, List) and isinstance(kind.element, Array):
        parts = [entry(c, kind.element) for _ in range(kind.least)]
        return f"[{', '.join(parts)}]"
    if isinstance(kind, Dict) and isinstance(kind.element, Array):
        parts = [f"{key!r}: {entry(c, kind.element)}" for key in kind.keys]
        return f"{{{', '.join(parts)}}}"
    return None


@production("statement")
def matched(c: Context) -> Lines | None:
    if c.depth >= DEEPEST:
        return None
    names = c.of_type(Integer)
    subject = c.pick(names) if names else str(c.pick((0, 1)))
    lines = [f"match {subject}:", "    case 0:"]
    lines += [f"    {line}" for line in block(c, 1)]
    lines.append("    case _:")
    return [*lines, *(f"    {line}" for line in block(c, 1))]


# -- functions inside of functions -----------------------------------------------------------------


@production("statement")
def define_function(c: Context) -> Lines | None:
    """A function that reads, and perhaps writes, what is around it."""
    if c.nested or c.depth > 1:
        return None
    name = c.names.fresh()
    parameters: list[Kind] = []
    inner_names = Names(c.rng, set(c.names.taken))
    inner_names.ours = []
    inner_names.outer = c.names.outer
    inner = c.inner(
        names=inner_names, nested=True, loops=0, depth=0, may_return=True, budget=[3],
        frozen=set(c.scope.names),
    )  # fmt: skip
    said = []
    for _ in range(c.pick((0, 1, 1, 2))):
        kind: Kind = Array(some_shape(c)) if c.chance(0.7) else Number()
        said.append(inner.fresh(kind))
        inner.frozen.add(said[-1])
        parameters.append(kind)
    result: Kind = c.pick((Number(), Array(some_shape(c)), Integer()))
    writes = c.chance(0.35)
    if c.chance(0.25):
        text = given(inner, result)
        lines = [f"{name} = lambda {', '.join(said)}: {text}"]
        writes = False
    else:
        inner.result = result
        body = [f"    {line}" for line in statements(inner, c.pick((0, 1, 2)))] if writes else []
        if not writes and c.chance(0.5):
            made = inner.names.fresh()
            shape = some_shape(c)
            body = [f"    {made} = {array(inner, shape, 2)}"]
            inner.bind(made, Array(shape))
        lines = [f"def {name}({', '.join(said)}):", *body, f"    return {given(inner, result)}"]
    c.bind(name, Function(name, tuple(parameters), result, pure=not writes))
    c.frozen = {*c.frozen, name}
    return lines


@production("statement")
def define_counter(c: Context) -> Lines | None:
    """A function that counts its calls in a name around it, and gives a place."""
    if c.nested or c.depth > 1:
        return None
    name, count = c.names.fresh(), c.names.fresh()
    if c.chance(0.5):
        lines = [f"{count} = 0", f"def {name}():", f"    nonlocal {count}", f"    {count} += 1"]
        lines.append(f"    return {count} % 2")
        c.bind(count, Integer(counts=True))
        c.frozen = {*c.frozen, count}
    else:
        lines = [
            f"{count} = [0]",
            f"def {name}():",
            f"    {count}[0] += 1",
            f"    return {count}[0] % 2",
        ]
    c.bind(name, Function(name, (), Integer(), pure=True))
    c.frozen = {*c.frozen, name}
    return lines


# -- what is outside -------------------------------------------------------------------------------


@production("statement")
def change_global(c: Context) -> Lines | None:
    if not c.may_effect:
        return None
    own = [v for v in c.module.values if not c.hidden(v.name)]
    if not own:
        return None
    value = c.pick(own)
    if isinstance(value.kind, Number) and not c.nested:
        c.globals_used.add(value.name)
        return [f"{value.name} {c.pick(('+=', '*='))} {c.pick((0.5, 0.9, 1))}"]
    if isinstance(value.kind, Integer):
        c.globals_used.add(value.name)
        return None if c.nested else [f"{value.name} += 1"]
    if isinstance(value.kind, Array) and value.kind.shape:
        return [
            f"{value.name}[{c.pick((0, 1))}] {c.pick(('+=', '*=', '='))} {c.pick((0.5, 0.9, 0.2))}"
        ]
    if isinstance(value.kind, List) and isinstance(value.kind.element, Number):
        return [f"{value.name}[0] += 0.1"]
    if isinstance(value.kind, Dict) and isinstance(value.kind.element, Number):
        return [f"{value.name}[{value.kind.keys[0]!r}] *= 0.9"]
    return None


@production("statement")
def keep_outside(c: Context) -> Lines | None:
    """Values that are kept in a list, dict or array of a module, and perhaps read again."""
    if not c.may_effect:
        return None
    own = [v for v in c.module.values if not c.hidden(v.name)]
    own = [v for v in own if isinstance(v.kind, (Dict, List, Array)) and v.kind != Array(())]
    if not own:
        return None
    value = c.pick(own)
    made = number(c, 1)
    if isinstance(value.kind, Dict) and isinstance(value.kind.element, Number):
        key = value.kind.keys[0]
        lines = [f"{value.name}[{key!r}] = {made}"]
        return (
            [*lines, f"{c.target(Number())} = {value.name}[{key!r}] * 0.5"]
            if c.chance(0.6)
            else lines
        )
    if isinstance(value.kind, List) and isinstance(value.kind.element, Number):
        if value.kind.least == 0:
            lines = [f"{value.name}.append({made})"]
            if c.chance(0.5):
                lines.append(f"{c.target(Number())} = {value.name}[-1] * 0.5")
            return lines
        lines = [f"{value.name}[0] = {made}"]
        return [*lines, f"{c.target(Number())} = {value.name}[0] * 0.5"] if c.chance(0.6) else lines
    if isinstance(value.kind, Array):
        lines = [f"{value.name}[0] = {made}"]
        return [*lines, f"{c.target(Number())} = {value.name}[0] * 0.5"] if c.chance(0.6) else lines
    return None
