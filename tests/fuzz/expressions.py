"""Expressions of random programs: arrays of a shape, numbers, places and conditions."""

from __future__ import annotations

from collections.abc import Iterator

from tests.fuzz.context import Context, production
from tests.fuzz.kinds import (
    Array,
    Dict,
    Function,
    Integer,
    Kind,
    List,
    Number,
    Shape,
    halves,
    least,
    shorter,
)

UNARY = (
    "np.sin({})", "np.cos({})", "np.tanh({})", "-{}", "np.exp(np.tanh({}))", "np.log(1.5 + {} ** 2)",
    "np.sqrt(1.0 + {0} * {0})", "1.0 / (1.5 + np.sin({}))", "abs({})", "{} * 0.5", "0.3 * {}",
    "{} + 0.2", "1.0 - {}", "{} ** 2", "np.square(np.tanh({}))", "np.tanh({}) ** 3", "{}.copy()",
    "np.clip({}, -0.9, 1.1)", "{} * 1.0", "np.maximum({}, 0.1)", "np.minimum({}, 0.4)", "{} / 2.0",
    "np.arctan({})", "np.array({})", "+{}", "np.negative({})", "np.where({0} > 0.1, {0}, 0.1 * {0})",
    "np.asarray({})", "np.expm1(0.1 * {})", "np.log1p(np.exp({}))", "np.sign({})", "np.abs({})",
    "np.float_power(1.5 + np.sin({}), 1.5)", "np.real({})", "np.nan_to_num({})", "np.sinc({})",
)  # fmt: skip
BINARY = (
    "{} + {}", "{} - {}", "{} * {}", "{} / (2.0 + np.cos({}))", "np.maximum({}, {})",
    "({} + 0.5) * {}", "np.minimum({}, {})", "np.where({} > 0.1, {}, 0.3)", "np.hypot({}, {} + 3.0)",
    "0.6 * {} + 0.4 * {}", "np.multiply({}, {})", "np.arctan2({}, 2.0 + np.sin({}))", "np.add({}, {})",
    "np.where({0} < {1}, {0}, {1})", "np.logaddexp({}, {})", "np.subtract({}, {})",
)  # fmt: skip


def said(c: Context, template: str, *parts: str) -> str | None:
    """Fill a template, with functions of NumPy as they are imported."""
    if "abs(" in template.replace("np.abs(", ""):
        bare = "abs" if "abs" in c.module.imported and not c.hidden("abs") else c.builtin("abs")
        if bare is None:
            return None
    for function in c.module.imported:
        if f"np.{function}(" in template:
            template = template.replace(f"np.{function}(", f"{c.np(function)}(")
    return template.format(*(_closed(part) for part in parts))


def _closed(text: str) -> str:
    """Put an expression in parentheses where an operator may follow it."""
    simple = text.replace("_", "").replace(".", "").isalnum()
    if simple or (text.startswith("(") and _matches(text)):
        return text
    if text[-1] in ")]" and _one_piece(text):
        return text
    return f"({text})"


def _matches(text: str) -> bool:
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and place < len(text) - 1:
            return False
    return True


def _one_piece(text: str) -> bool:
    """Say whether there is no space outside of brackets, and no operator in front."""
    depth = 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and letter in " ,-+*/@<>":
            return False
    return True


# -- arrays ----------------------------------------------------------------------------------------


_DEEPEST = -20  # where nothing has the shape that is wanted, draws would have no end


def array(c: Context, shape: Shape, depth: int = 2) -> str:
    """Return a real array of a shape."""
    if depth <= 0:
        names = c.named(Array(shape))
        if names and c.chance(0.8):
            return c.pick(names)
        held = c.held_of(Array(shape))
        if held:
            return c.pick(held)
        if names:
            return c.pick(names)
        found = filled(c, shape, depth)
        if found is not None:
            return found
    found = None if depth < _DEEPEST else c.draw("array", shape, depth)
    if found is None:
        raise NoExpressionError(f"no array of {shape}")
    return found


class NoExpressionError(Exception):
    """There is no expression of a kind here; the statement is given up."""


@production("array")
def named(c: Context, shape: Shape, depth: int) -> str | None:
    names = c.named(Array(shape))
    return c.pick(names) if names else None


@production("array")
def held(c: Context, shape: Shape, depth: int) -> str | None:
    found = c.held_of(Array(shape))
    return c.pick(found) if found else None


@production("array")
def unary(c: Context, shape: Shape, depth: int) -> str | None:
    return said(c, c.pick(UNARY), array(c, shape, depth - 1))


@production("array")
def binary(c: Context, shape: Shape, depth: int) -> str | None:
    other = array(c, shape, depth - 1) if c.chance(0.7) else number(c, depth - 1)
    pair = [array(c, shape, depth - 1), other]
    if c.chance(0.3):
        pair.reverse()
    template = c.pick(BINARY)
    return said(c, template, *pair)


@production("array")
def broadcast_binary(c: Context, shape: Shape, depth: int) -> str | None:
    if len(shape) < 2:
        return None
    if c.chance(0.5):
        row = array(c, shape[1:], depth - 1)
    else:
        row = f"{_closed(array(c, shape[:1], depth - 1))}[:, {c.pick(['None', 'np.newaxis'])}]"
        if len(shape) > 2:
            return None
    return said(c, c.pick(("{} + {}", "{} * {}", "{} - {}")), array(c, shape, depth - 1), row)


@production("array")
def viewed(c: Context, shape: Shape, depth: int) -> str | None:
    found = [text for text, kind, _ in views(c) if kind.shape == shape]
    return c.pick(found) if found else None


@production("array")
def filled(c: Context, shape: Shape, depth: int) -> str | None:
    text = c.shape(shape)
    if text is None:
        return None
    template = c.pick(("np.full({}, {})", "np.zeros({}) + {}", "np.ones({}) * {}"))
    if depth <= 0 and c.chance(0.7):
        return said(c, template, text, str(c.pick((0.2, 0.5, -0.3))))
    return said(c, template, text, number(c, depth - 1))


@production("array")
def helped(c: Context, shape: Shape, depth: int) -> str | None:
    return call_for(c, Array(shape), depth)


@production("array")
def reduced(c: Context, shape: Shape, depth: int) -> str | None:
    if len(shape) > 1:
        return None
    for name in c.rng.sample(c.arrays(rank=2), len(c.arrays(rank=2))):
        rows, columns = c.kind(name).shape
        axis = 1 if (rows,) == shape else 0 if (columns,) == shape else None
        if axis is not None:
            template = c.pick(
                (
                    "np.sum({}, axis={})", "{}.mean({})", "{}.sum(axis={})", "np.max({}, axis={})",
                    "np.cumsum({}, axis={}).sum({})", "np.prod(np.tanh({}), axis={})", "np.var({}, {})",
                    "np.linalg.norm({}, axis={})", "np.median({}, axis={})", "np.std({}, axis={})",
                )
            )  # fmt: skip
            return said(c, template, name, str(axis), str(axis))
    return None


@production("array")
def multiplied(c: Context, shape: Shape, depth: int) -> str | None:
    options = []
    for left in c.arrays(rank=2):
        rows, columns = c.kind(left).shape
        for right in c.arrays():
            kind = c.kind(right)
            if kind.shape[:1] == (columns,) and (rows, *kind.shape[1:]) == shape:
                options.append(f"{left} @ {right}")
                if len(shape) == 1:
                    options.append(f"np.einsum('ij,j->i', {left}, {right})")
                options.append(f"{left}.dot({right})")
            if kind.shape[:1] == (rows,) and (columns, *kind.shape[1:]) == shape:
                options.append(f"{left}.T @ {right}")
                options.append(f"np.matmul({left}.T, {right})")
    return f"0.3 * ({c.pick(options)})" if options else None


@production("array")
def outer(c: Context, shape: Shape, depth: int) -> str | None:
    if len(shape) != 2:
        return None
    parts = [array(c, (length,), depth - 1) for length in shape]
    return said(c, c.pick(("np.outer({}, {})", "{}[:, None] * {}")), *parts)


@production("array")
def joined(c: Context, shape: Shape, depth: int) -> str | None:
    if shape == ("2",):
        template = c.pick(("np.array([{}, {}])", "np.stack([{}, {}])", "np.hstack(({}, {}))"))
        return said(c, template, number(c, depth - 1), number(c, depth - 1))
    if len(shape) == 2 and shape[0] == "2":
        template = c.pick(("np.stack([{}, {}])", "np.vstack(({}, {}))", "np.array([{}, {}])"))
        return said(c, template, array(c, shape[1:], depth - 1), array(c, shape[1:], depth - 1))
    if len(shape) == 2 and shape[1] == "2":
        parts = [array(c, shape[:1], depth - 1) for _ in range(2)]
        return said(c, c.pick(("np.stack([{}, {}], axis=1)", "np.column_stack([{}, {}])")), *parts)
    if len(shape) == 1:
        part = shorter(shape[0])
        if part is None:
            return None
        rest = array(c, (part,), depth - 1)
        one = f"[{number(c, depth - 1)}]"
        pair = [rest, one]
        c.rng.shuffle(pair)
        return f"{c.pick(('np.concatenate', 'np.hstack'))}([{', '.join(pair)}])"
    return None


@production("array")
def selected(c: Context, shape: Shape, depth: int) -> str | None:
    masks = c.named(Array(shape, "b"))
    mask = c.pick(masks) if masks else f"{_closed(array(c, shape, depth - 1))} > 0.05"
    other = array(c, shape, depth - 1) if c.chance(0.5) else number(c, depth - 1)
    return f"{c.np('where')}({mask}, {array(c, shape, depth - 1)}, {other})"


@production("array")
def moved(c: Context, shape: Shape, depth: int) -> str | None:
    template = c.pick(
        (
            "np.roll({}, 1)", "np.flip({})", "np.cumsum({}).reshape({}.shape)", "np.sort({})",
            "np.cumsum({}, axis=0)", "np.flip({}, 0)", "np.roll({}, -1, axis=0)", "{}[::-1]",
            "np.ascontiguousarray({})", "np.atleast_1d({})", "np.cumprod(np.tanh({}), axis=-1)",
            "np.tril(np.outer({0}, {0})) @ {0}" if len(shape) == 1 else "np.sort({}, axis=0)",
        )
    )  # fmt: skip
    name = array(c, shape, 0)
    return said(c, template, name, name)


@production("array")
def built(c: Context, shape: Shape, depth: int) -> str | None:
    if len(shape) != 1:
        return None
    inner = c.inner(walrus=False)
    if c.chance(0.5):
        over = array(inner, shape, depth - 1)
        name = inner.fresh(Number())
    else:
        length = c.length(shape[0])
        if length is None or c.builtin("range") is None:
            return None
        over, name = f"range({length})", inner.fresh(Integer(counts=True))
        sources = c.named(Array(shape))
        if sources:
            return (
                f"np.array([{c.pick(sources)}[{name}] * {number(inner, 1)} for {name} in {over}])"
            )
    return f"np.array([{number(inner, depth - 1)} + 0.3 * {name} for {name} in {over}])"


@production("array")
def either(c: Context, shape: Shape, depth: int) -> str | None:
    parts = array(c, shape, depth - 1), condition(c), array(c, shape, depth - 1)
    return "({} if {} else {})".format(*parts)


@production("array")
def walrus(c: Context, shape: Shape, depth: int) -> str | None:
    if not c.walrus:
        return None
    value = array(c, shape, depth - 1)
    return f"({c.fresh(Array(shape))} := {value})"


@production("array")
def of_complex(c: Context, shape: Shape, depth: int) -> str | None:
    names = c.named(Array(shape, "c"))
    if not names:
        return None
    template = c.pick(
        ("{}.real", "{}.imag", "np.real({})", "np.imag({})", "np.abs({}) ** 2", "np.abs({})",
         "({0} * {0}.conj()).real", "np.real({} * (0.5 + 0.2j))", "np.angle(2.0 + np.tanh({}))")
    )  # fmt: skip
    return said(c, template, c.pick(names))


@production("array")
def solved(c: Context, shape: Shape, depth: int) -> str | None:
    if len(shape) != 1:
        return None
    squares = c.named(Array((shape[0], shape[0])))
    length = c.length(shape[0])
    if not length:
        return None
    if squares:
        system = f"3.0 * np.eye({length}) + 0.1 * np.tanh({c.pick(squares)})"
    else:
        vector = array(c, shape, 0)
        system = f"np.eye({length}) + 0.1 * np.outer({vector}, {vector})"
    return f"np.linalg.solve({system}, {array(c, shape, depth - 1)})"


@production("array")
def taken(c: Context, shape: Shape, depth: int) -> str | None:
    places = c.arrays("i")
    for name in places:
        (length,) = c.kind(name).shape
        if shape[:1] == (length,):
            for source in c.rng.sample(c.arrays(), len(c.arrays())):
                kind = c.kind(source)
                if kind.shape[1:] == shape[1:] and kind.shape and least(kind.shape[0]) >= 2:
                    return c.pick((f"{source}[{name}]", f"np.take({source}, {name}, axis=0)"))
    return None


@production("array")
def tabled(c: Context, shape: Shape, depth: int) -> str | None:
    found = [text for text, item in c.outer_values(Array) if item.kind.shape == shape]
    for text, item in c.outer_values(Dict):
        if item.kind.element == Array(shape):
            found.append(f"{text}[{c.pick(item.kind.keys)!r}]")
    for text, item in c.outer_values(List):
        if item.kind.element == Array(shape) and item.kind.least:
            found.append(f"{text}[{c.rng.randrange(item.kind.least)}]")
    return c.pick(found) if found else None


@production("array")
def masked_product(c: Context, shape: Shape, depth: int) -> str | None:
    masks = c.named(Array(shape, "b"))
    return f"{c.pick(masks)} * {_closed(array(c, shape, depth - 1))}" if masks else None


# -- views -----------------------------------------------------------------------------------------


def views(c: Context, dtype: str = "f") -> Iterator[tuple[str, Array, bool]]:
    """Yield views of named arrays: text, kind and whether they can be written through."""
    for name, entry in list(c.scope.names.items()):
        kind = entry.kind
        if not isinstance(kind, Array) or kind.dtype != dtype or not kind.shape:
            continue
        for text, shape in _views_of(name, kind.shape):
            yield text, Array(shape, dtype), entry.writable


def _views_of(name: str, shape: Shape) -> Iterator[tuple[str, Shape]]:
    first, *rest = shape
    tail = tuple(rest)
    less = shorter(first)
    if less:
        yield f"{name}[1:]", (less, *tail)
        yield f"{name}[:-1]", (less, *tail)
        lesser = shorter(less)
        if lesser:
            yield f"{name}[1:-1]", (lesser, *tail)
            yield f"{name}[2:]", (lesser, *tail)
    half = halves(first)
    if half:
        yield f"{name}[::2]", (half, *tail)
        yield f"{name}[1::2]", (half, *tail)
        yield f"{name}[-1::-2]", (half, *tail)
        yield (
            f"{name}.reshape({2}, -1)" if not tail else f"{name}[::2]",
            (("2", half) if not tail else (half, *tail)),
        )
    yield f"{name}[:]", shape
    yield f"{name}[...]", shape
    yield f"{name}[::-1]", shape
    yield f"{name}[:2]", ("2", *tail)
    yield f"{name}[-2:]", ("2", *tail)
    if tail:
        yield f"{name}[0]", tail
        yield f"{name}[-1]", tail
        yield f"{name}.T", tuple(reversed(shape))
        if len(shape) == 2:
            yield f"{name}[:, 0]", shape[:1]
            yield f"{name}[:, -1]", shape[:1]
            yield f"{name}[..., 1]", shape[:1]
            yield f"np.transpose({name})", (shape[1], shape[0])
            yield f"{name}.swapaxes(0, 1)", (shape[1], shape[0])
            inner = shorter(tail[0])
            if inner:
                yield f"{name}[:, 1:]", (first, inner)
                yield f"{name}[::-1, :-1]", (first, inner)
    else:
        yield f"{name}.ravel()", shape
        yield f"np.ravel({name})", shape
        yield f"{name}.reshape(-1)", shape
        yield f"{name}.view()", shape
        yield f"np.asarray({name})", shape
        yield f"{name}[None]", ("1", first)
        yield f"{name}[:, np.newaxis]", (first, "1")


def places_of(c: Context, shape: Shape) -> list[tuple[str, Shape]]:
    """Return subscripts of an array of a shape, with the shape of what they choose."""
    found = [(text[1:], kind) for text, kind in _views_of("@", shape) if text.startswith("@[")]
    return [
        (text[1:-1], kind) for text, kind in found if "None" not in text and "newaxis" not in text
    ]


# -- numbers ---------------------------------------------------------------------------------------


def number(c: Context, depth: int = 2) -> str:
    """Return a real number."""
    if depth <= 0:
        names = c.named(Number())
        return c.pick(names) if names and c.chance(0.7) else constant(c, 0)
    found = c.draw("number", depth)
    return constant(c, 0) if found is None else found


@production("number")
def named_number(c: Context, depth: int) -> str | None:
    names = c.named(Number())
    return c.pick(names) if names else None


@production("number")
def constant(c: Context, depth: int) -> str:
    return str(c.pick((0.5, 0.3, 1.2, -0.4, 2.0, 0.1, 0.7, 2, 1)))


@production("number")
def global_number(c: Context, depth: int) -> str | None:
    found = [text for text, item in c.outer_values(Number)]
    for text, item in c.outer_values(Dict):
        if item.kind.element == Number():
            found.append(f"{text}[{c.pick(item.kind.keys)!r}]")
    for text, item in c.outer_values(List):
        if item.kind.element == Number() and item.kind.least:
            found.append(f"{text}[{c.rng.randrange(item.kind.least)}]")
    found += [f"{text}[0]" for text, item in c.outer_values(Array) if len(item.kind.shape) == 1]
    return c.pick(found) if found else None


REDUCTIONS = (
    "np.sum({})", "{}.mean()", "np.max({})", "0.3 * np.sum({} ** 2)", "np.linalg.norm({})",
    "np.mean({})", "{}.sum()", "{}.min()", "np.prod(np.tanh({}))", "np.var({})", "{}.max()",
    "np.sum({} > 0.1)", "np.sum({0}[{0} > 0.0])", "np.std({})", "np.amax({})", "np.dot({0}, {0})",
    "np.vdot({0}, {0})", "np.sum(np.abs({}))", "float(np.sum({}))", "{}.sum().item()", "np.trapezoid({})",
    "np.average({})", "np.nansum({})", "np.median({})", "np.ptp({})", "({0} @ {0})", "max({})", "min({})",
    "sum({})", "np.max([np.sum({0}), 0.1])", "len({}) * 0.1", "{}.size * 0.1", "np.inner({0}, {0})",
)  # fmt: skip
FLAT = ("@", "dot(", "inner(", "max({", "min({", "sum({})", "trapezoid", "norm", "len(")


@production("number")
def reduction(c: Context, depth: int) -> str | None:
    shapes = [c.kind(name).shape for name in c.arrays() if c.kind(name).shape]
    if not shapes:
        return None
    shape = c.pick(shapes)
    template = c.pick(REDUCTIONS)
    bare = template.split("(")[0]
    if bare in ("max", "min", "sum", "len", "float") and c.builtin(bare) is None:
        return None
    if len(shape) > 1 and any(word in template for word in FLAT):
        return None
    return said(c, template, array(c, shape, depth - 1 if "{0}" not in template else 0))


@production("number")
def element(c: Context, depth: int) -> str | None:
    names = [name for name in c.arrays() if c.kind(name).shape]
    if not names:
        return None
    name = c.pick(names)
    shape = c.kind(name).shape
    if len(shape) == 1 and shape[0] != "1":
        return f"{name}[{index(c)}]"
    if shape[0] == "1" or shape[-1] == "1":
        return None
    rest = ", ".join(index(c) for _ in shape)
    return f"{name}[{rest}]" if c.chance(0.7) else f"{name}[0]{'[1]' * (len(shape) - 1)}"


@production("number")
def arithmetic(c: Context, depth: int) -> str | None:
    template = c.pick(
        ("{} + {}", "{} * {}", "{} - {}", "{} / (1.5 + {} ** 2)", "0.5 * ({} + {})", "-{} * {}",
         "max({}, {})", "min({}, {})", "{} ** 2 + {}", "abs({}) + {}")
    )  # fmt: skip
    for bare in ("max(", "min(", "abs("):
        if bare in template and c.builtin(bare[:-1]) is None:
            return None
    return said(c, template, number(c, depth - 1), number(c, depth - 1))


@production("number")
def number_function(c: Context, depth: int) -> str | None:
    template = c.pick(
        ("math.sin({})", "math.tanh({})", "np.tanh({})", "np.cos({})", "math.exp(-{} ** 2)",
         "np.sqrt(1.0 + {} ** 2)", "math.sqrt(1.0 + {} ** 2)", "float({})", "np.float64({})")
    )  # fmt: skip
    if template.startswith("float") and c.builtin("float") is None:
        return None
    return said(c, template, number(c, depth - 1))


@production("number")
def helped_number(c: Context, depth: int) -> str | None:
    return call_for(c, Number(), depth)


@production("number")
def held_number(c: Context, depth: int) -> str | None:
    found = c.held_of(Number())
    return c.pick(found) if found else None


@production("number")
def of_length(c: Context, depth: int) -> str | None:
    found = list(c.of_type(Integer))
    return f"0.1 * {c.pick(found)}" if found else None


@production("number")
def folded(c: Context, depth: int) -> str | None:
    if c.builtin("sum") is None:
        return None
    inner = c.inner(walrus=False)
    lists = [n for n in c.of_type(List) if isinstance(c.kind(n).element, (Array, Number))]
    if lists and c.chance(0.7):
        over = c.pick(lists)
        kind = c.kind(over).element
        name = inner.fresh(kind)
        term = f"np.sum({name})" if isinstance(kind, Array) else f"{name} * 0.5"
        return f"sum({term} for {name} in {over})"
    vectors = c.arrays(rank=1)
    if not vectors:
        return None
    name = inner.fresh(Number())
    return f"sum([{name} * {number(inner, depth - 1)} for {name} in {c.pick(vectors)}])"


@production("number")
def either_number(c: Context, depth: int) -> str | None:
    return f"({number(c, depth - 1)} if {condition(c)} else {number(c, depth - 1)})"


@production("number")
def of_empty(c: Context, depth: int) -> str | None:
    vectors = c.arrays(rank=1)
    return f"np.sum({c.pick(vectors)}[:0])" if vectors else None


@production("number")
def of_no_axes(c: Context, depth: int) -> str | None:
    names = c.named(Array(()))
    if not names:
        return None
    return (
        c.pick(("{}", "{}[()]", "{}.item()", "float({})", "{} * 1.0")).format(c.pick(names))
        if c.builtin("float")
        else c.pick(names)
    )


# -- places and conditions -------------------------------------------------------------------------


def index(c: Context) -> str:
    """Return a place in a length of 2 or more."""
    return c.draw("index") or "0"


@production("index")
def constant_place(c: Context) -> str:
    return c.pick(("0", "1"))


@production("index")
def last_place(c: Context) -> str:
    return c.pick(("-1", "-2"))


@production("index")
def named_place(c: Context) -> str | None:
    names = c.named(Integer())
    return c.pick(names) if names else None


@production("index")
def called_place(c: Context) -> str | None:
    return call_for(c, Integer(), 1)


@production("index")
def computed_place(c: Context) -> str | None:
    names = c.of_type(Integer)
    return f"{c.pick(names)} % 2" if names else None


def condition(c: Context) -> str:
    """Return a condition."""
    options = [f"{number(c, 1)} > {c.pick((0.1, 0.3, -0.2))}", f"{number(c, 1)} < {number(c, 1)}"]
    options += [f"{name} % 2 == {c.pick((0, 1))}" for name in c.of_type(Integer)[:2]]
    options += [f"np.any({name})" for name in c.arrays("b")[:1]]
    options += [f"{name}.ndim == {c.pick((1, 2))}" for name in c.arrays()[:1]]
    text = c.pick(options)
    if c.chance(0.1):
        text = f"not {text}"
    if c.chance(0.1):
        text = f"{text} {c.pick(('and', 'or'))} {number(c, 0)} > 0.2"
    return text


# -- calls -----------------------------------------------------------------------------------------


def call_for(c: Context, kind: Kind, depth: int) -> str | None:
    """Return a call of a function that gives a kind."""
    known = [(text, f) for text, f in c.functions() if f.pure and f.result is not None]
    c.rng.shuffle(known)
    for text, function in known:
        lengths = _settled(function, kind)
        if lengths is None:
            continue
        made = call(c, text, function, lengths, depth)
        if made is not None:
            return made
    return None


def _settled(function: Function, kind: Kind) -> dict[str, str] | None:
    """Return what the lengths of a function are if it gives a kind, or None."""
    result = function.result
    if isinstance(result, Array) and isinstance(kind, Array):
        if result.dtype != kind.dtype or len(result.shape) != len(kind.shape):
            return None
        found: dict[str, str] = {}
        for mine, wanted in zip(result.shape, kind.shape, strict=True):
            if mine.startswith("$"):
                if "-" in mine or "/" in mine or found.setdefault(mine, wanted) != wanted:
                    return None
            elif mine != wanted:
                return None
        return found
    return {} if result == kind else None


def settle(shape: Shape, lengths: dict[str, str]) -> Shape:
    """Return a shape with the lengths that a call has settled."""
    return tuple(lengths.get(item, item) for item in shape)


def call(
    c: Context, text: str, function: Function, lengths: dict[str, str], depth: int
) -> str | None:
    """Return a call with arguments that are drawn; lengths that are open are settled."""
    args = []
    for kind in function.parameters:
        found = argument(c, kind, lengths, depth, function.writes)
        if found is None:
            return None
        args.append(found)
    return f"{c.say(text)}({', '.join(args)})"


def argument(
    c: Context, kind: Kind, lengths: dict[str, str], depth: int, writes: bool
) -> str | None:
    """Return an argument for a parameter."""
    if isinstance(kind, Number):
        return number(c, depth - 1)
    if isinstance(kind, Integer):
        return index(c)
    if isinstance(kind, Array):
        options = [c.kind(n).shape for n in c.arrays(kind.dtype, len(kind.shape), writes)]
        options = [s for s in options if _fits(kind.shape, s, lengths)]
        if not options:
            return None
        shape = c.pick(options)
        for mine, given in zip(kind.shape, shape, strict=True):
            lengths.setdefault(mine, given)
        if writes:
            exact = c.named(Array(shape), writable=True)
            return c.pick(exact)
        return (
            array(c, shape, depth - 1)
            if kind.dtype == "f"
            else c.pick(c.named(Array(shape, kind.dtype)))
        )
    if isinstance(kind, List) and isinstance(kind.element, Array):
        for name in c.of_type(List):
            found = c.kind(name)
            if (
                isinstance(found.element, Array)
                and len(found.element.shape) == len(kind.element.shape)
                and found.least >= kind.least
                and _fits(kind.element.shape, found.element.shape, lengths)
            ):
                for mine, given in zip(kind.element.shape, found.element.shape, strict=True):
                    lengths.setdefault(mine, given)
                return name
        return None
    names = c.named(kind)
    return c.pick(names) if names else None


def _fits(mine: Shape, given: Shape, lengths: dict[str, str]) -> bool:
    known = dict(lengths)
    return (
        all(
            known.setdefault(a, b) == b if a.startswith("$") else a == b
            for a, b in zip(mine, given, strict=True)
        )
        and "1" not in given
    )
