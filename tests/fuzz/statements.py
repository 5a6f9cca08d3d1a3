"""Plain statements of random programs: bindings, views, updates, stores, calls that write."""

from __future__ import annotations

from tests.fuzz.context import Context, production
from tests.fuzz.expressions import (
    NoExpressionError,
    array,
    call,
    condition,
    index,
    number,
    places_of,
    settle,
    views,
)
from tests.fuzz.kinds import Array, Function, Integer, List, Number, Tuple, halves

Lines = list[str]
ANY_SHAPE = 3


def some_shape(c: Context) -> tuple[str, ...]:
    """Return a shape that an array here has, or one of a module."""
    outer = [item.kind.shape for _, item in c.outer_values(Array)] if c.chance(0.12) else []
    if outer:
        return c.pick(outer)
    shapes = [c.kind(n).shape for n in c.arrays() if "1" not in c.kind(n).shape and c.kind(n).shape]
    if not shapes:
        raise NoExpressionError("no array")
    return c.pick(shapes)


def own_array(c: Context, shape: tuple[str, ...], depth: int = 2) -> str:
    """Return an array of its own memory, so that it can be written."""
    text = array(c, shape, depth)
    return c.own(text) if c.chance(0.5) else f"{'(' + text + ')' if ' ' in text else text} * 1.0"


@production("statement")
def bind_array(c: Context) -> Lines:
    shape = some_shape(c)
    value = c.own(array(c, shape, 3))
    return [f"{c.target(Array(shape))} = {value}"]


@production("statement")
def bind_number(c: Context) -> Lines:
    value = number(c, 3)
    return [f"{c.target(Number())} = {value}"]


@production("statement")
def bind_view(c: Context) -> Lines | None:
    found = list(views(c))
    if not found:
        return None
    text, kind, writable = c.pick(found)
    return [f"{c.fresh(kind, writable)} = {text}"]


@production("statement")
def bind_alias(c: Context) -> Lines | None:
    names = [n for n, v in c.scope.names.items() if not isinstance(v.kind, Function)]
    held = [(t, k) for t, k in c.held() if isinstance(k, Array)]
    if held and c.chance(0.4):
        text, kind = c.pick(held)
        return [f"{c.fresh(kind, _writable(c, text))} = {text}"]
    if not names:
        return None
    name = c.pick(names)
    entry = c.scope.names[name]
    return [f"{c.fresh(entry.kind, entry.writable)} = {name}"]


def _writable(c: Context, text: str) -> bool:
    """Say whether an entry may be written, by the name that it is reached by."""
    return c.scope.names[text.partition("[")[0].partition(".")[0]].writable


@production("statement")
def bind_chain(c: Context) -> Lines:
    shape = some_shape(c)
    value = own_array(c, shape)
    return [f"{c.fresh(Array(shape))} = {c.fresh(Array(shape))} = {value}"]


@production("statement")
def swap(c: Context) -> Lines | None:
    names = [n for n in c.arrays(writable=True) if n not in c.frozen]
    pairs = [(a, b) for a in names for b in names if a != b and c.kind(a) == c.kind(b)]
    if not pairs:
        return None
    a, b = c.pick(pairs)
    if c.chance(0.5):
        return [f"{a}, {b} = {b}, {a}"]
    return [f"{a}, {b} = {b}, {c.own(array(c, c.kind(a).shape, 1))}"]


@production("statement")
def split_parts(c: Context) -> Lines | None:
    names = [n for n in c.arrays() if c.kind(n).shape and halves(c.kind(n).shape[0])]
    if not names:
        return None
    name = c.pick(names)
    shape = c.kind(name).shape
    kind = Array((halves(shape[0]) or "", *shape[1:]))
    writable = c.scope.names[name].writable
    function = c.pick(
        ("np.split", "np.array_split", "np.vsplit" if len(shape) > 1 else "np.hsplit")
    )
    if c.chance(0.2):
        return [f"{c.fresh(List(kind, 2), writable)} = {function}({name}, 2)"]
    return [f"{c.fresh(kind, writable)}, {c.fresh(kind, writable)} = {function}({name}, 2)"]


@production("statement")
def rows_unpacked(c: Context) -> Lines | None:
    names = [n for n in c.arrays() if c.kind(n).shape[:1] == ("2",)]
    if not names:
        matrices = list(c.arrays(rank=2))
        if not matrices:
            return None
        name = c.pick(matrices)
        kind = Array(c.kind(name).shape[1:])
        writable = c.scope.names[name].writable
        return [f"{c.fresh(kind, writable)}, *{c.names.fresh()} = {name}"]
    name = c.pick(names)
    shape = c.kind(name).shape[1:]
    kind = Array(shape) if shape else Number()
    writable = c.scope.names[name].writable
    return [f"{c.fresh(kind, writable)}, {c.fresh(kind, writable)} = {name}"]


@production("statement")
def star_unpacked(c: Context) -> Lines | None:
    names = [n for n in c.of_type(List) if c.kind(n).least >= 1]
    if not names:
        return None
    name = c.pick(names)
    kind = c.kind(name)
    may = c.scope.names[name].writable
    first, rest = c.fresh(kind.element, may), c.fresh(List(kind.element, kind.least - 1), may)
    return [f"{first}, *{rest} = {name}"] if c.chance(0.5) else [f"*{rest}, {first} = {name}"]


@production("statement")
def broadcast_parts(c: Context) -> Lines | None:
    shape = some_shape(c)
    left, right = array(c, shape, 1), number(c, 1)
    a, b = c.fresh(Array(shape), False), c.fresh(Array(shape), False)
    return [f"{a}, {b} = np.broadcast_arrays({left}, {right})"]


@production("statement")
def shape_unpacked(c: Context) -> Lines | None:
    names = [n for n in c.arrays() if c.kind(n).shape and "1" not in c.kind(n).shape]
    if not names:
        return None
    name = c.pick(names)
    shape = c.kind(name).shape
    if len(shape) == 2:
        return [f"{c.fresh(Integer(shape[0]))}, {c.fresh(Integer(shape[1]))} = {name}.shape"]
    if len(shape) == 1:
        target = c.fresh(Integer(shape[0]))
        said = c.pick((f"({target},) = {name}.shape", f"{target}, = {name}.shape"))
        return [said if c.chance(0.5) else f"{target} = {name}.size"]
    return None


@production("statement")
def length_moved(c: Context) -> Lines | None:
    names = [n for n in c.of_type(Integer) if c.kind(n).length or c.kind(n).counts]
    if not names:
        return [f"{c.fresh(Integer())} = {c.pick((0, 1))}"]
    name = c.pick(names)
    made = c.fresh(Integer(counts=True))
    lines = [f"{made} = {c.pick((f'{name} - 1', name, f'{name} // 2', f'2 * {name}'))}"]
    return [*lines, f"{made} {c.pick(('+=', '-='))} 1"] if c.chance(0.6) else lines


# -- updates ---------------------------------------------------------------------------------------


def update(c: Context, target: str, shape: tuple[str, ...] | None) -> str:
    """Return an update in place of an array of a shape, or of a number."""
    options = ["+=", "-=", "*=", "*=", "/="]
    operator = c.pick(options)
    value = number(c, 1) if shape is None or c.chance(0.35) else array(c, shape, 1)
    if c.chance(0.06):
        power, step = (
            c.pick(("2", "3", "2.0")),
            c.pick(("0.7", f"0.9 + 0.1 * {c.np('cos')}({value})")),
        )
        return f"{target} {c.pick((f'**= {power}', f'%= {step}', f'//= {step}'))}"
    if operator == "/=":
        return f"{target} /= 2.0 + {c.np('cos')}({value})"
    if operator == "*=" and c.chance(0.6):
        return f"{target} *= {c.np('tanh')}({value})"
    if operator in ("+=", "-=") and c.chance(0.3):
        return f"{target} {operator} 0.3 * ({value})"
    return f"{target} {operator} {value}"


@production("statement")
def update_array(c: Context) -> Lines | None:
    names = c.arrays(writable=True)
    if not names:
        return None
    name = c.pick(names)
    if name in c.frozen and c.nested:
        return None
    return [update(c, name, c.kind(name).shape)]


@production("statement")
def update_number(c: Context) -> Lines | None:
    names = [n for n in c.named(Number()) if n not in c.frozen]
    return [update(c, c.pick(names), None)] if names else None


@production("statement")
def update_element(c: Context) -> Lines | None:
    names = [n for n in c.arrays(writable=True) if c.kind(n).shape and "1" not in c.kind(n).shape]
    if not names:
        return None
    name = c.pick(names)
    rank = len(c.kind(name).shape)
    place = ", ".join(index(c) for _ in range(rank))
    return [update(c, f"{name}[{place}]", None)]


@production("statement")
def update_part(c: Context) -> Lines | None:
    names = [n for n in c.arrays(writable=True) if c.kind(n).shape and "1" not in c.kind(n).shape]
    if not names:
        return None
    name = c.pick(names)
    place, shape = c.pick(places_of(c, c.kind(name).shape))
    return [update(c, f"{name}[{place}]", shape)]


@production("statement")
def update_indexed(c: Context) -> Lines | None:
    names = [n for n in c.arrays(writable=True) if c.kind(n).shape and "1" not in c.kind(n).shape]
    if not names:
        return None
    name = c.pick(names)
    places, value = c.arrays("i"), number(c, 1)
    place = c.pick(places) if places and c.chance(0.7) else c.pick(("[0, 1]", "[1, 0]", "[0, 0]"))
    if c.chance(0.4) and len(c.kind(name).shape) == 1:
        return [f"np.add.at({name}, {place}, {value})"]
    return [f"{name}[{place}] {c.pick(('+=', '*='))} {value}"]


@production("statement")
def store_element(c: Context) -> Lines | None:
    names = [n for n in c.arrays(writable=True) if c.kind(n).shape and "1" not in c.kind(n).shape]
    if not names:
        return None
    name = c.pick(names)
    place = ", ".join(index(c) for _ in c.kind(name).shape)
    return [f"{name}[{place}] = {number(c, 2)}"]


@production("statement")
def store_part(c: Context) -> Lines | None:
    names = [n for n in c.arrays(writable=True) if c.kind(n).shape and "1" not in c.kind(n).shape]
    if not names:
        return None
    name = c.pick(names)
    place, shape = c.pick(places_of(c, c.kind(name).shape))
    value = array(c, shape, 2) if c.chance(0.8) else number(c, 1)
    return [f"{name}[{place}] = {value}"]


@production("statement")
def store_masked(c: Context) -> Lines | None:
    names = [n for n in c.arrays(writable=True) if c.kind(n).shape and "1" not in c.kind(n).shape]
    if not names:
        return None
    name = c.pick(names)
    masks = c.named(Array(c.kind(name).shape, "b"))
    mask = c.pick(masks) if masks and c.chance(0.6) else f"{name} {c.pick('<>')} 0.1"
    options = [
        f"{name}[{mask}] = {number(c, 1)}",
        f"{name}[{mask}] *= {number(c, 1)}",
        f"{name}[{mask}] = {name}[{mask}] * 0.5",
        f"np.putmask({name}, {mask}, {number(c, 0)})",
        f"np.copyto({name}, {array(c, c.kind(name).shape, 1)}, where={mask})",
    ]
    return [c.pick(options)]


@production("statement")
def store_pair(c: Context) -> Lines | None:
    names = c.arrays(rank=1, writable=True)
    names = [n for n in names if "1" not in c.kind(n).shape]
    if not names:
        return None
    a, b = c.pick(names), c.pick(names)
    left = f"{a}[{index(c)}], {b}[{index(c)}]"
    if c.chance(0.4):
        fresh = number(c, 1), number(c, 1)
        numbers = [n for n in c.named(Number()) if n not in c.frozen]
        target = c.pick(numbers) if numbers else c.fresh(Number())
        return [f"{target}, {a}[{index(c)}] = {', '.join(fresh)}"]
    if c.chance(0.4):
        return [f"{left} = {b}[{index(c)}], {a}[{index(c)}]"]
    return [f"{left} = {number(c, 1)}, {number(c, 1)}"]


@production("statement")
def written_out(c: Context) -> Lines | None:
    names = [n for n in c.arrays(writable=True) if c.kind(n).shape]
    if not names:
        return None
    name = c.pick(names)
    shape = c.kind(name).shape
    left = array(c, shape, 1)
    return [
        c.pick(
            (
                f"np.multiply({left}, {number(c, 1)}, out={name})",
                f"np.add({left}, {array(c, shape, 1)}, out={name})",
                f"np.tanh({left}, out={name})",
                f"np.sin({name}, {name})",
                f"{name}.fill({number(c, 1)})",
                f"np.copyto({name}, {left})",
                f"{name}.sort()",
                f"{name}[...] = {left}",
                f"{name}[:] = {left}",
                f"np.clip({name}, -0.8, 0.9, out={name})",
                f"np.maximum({name}, {number(c, 1)}, out={name})",
                f"np.fill_diagonal({name}, {number(c, 1)})"
                if len(shape) == 2
                else f"{name}[::-1].sort()",
            )
        )
    ]


@production("statement")
def written_by_call(c: Context) -> Lines | None:
    known = [(t, f) for t, f in c.functions() if f.writes or not f.pure]
    if not known:
        return None
    text, function = c.pick(known)
    lengths: dict[str, str] = {}
    made = call(c, text, function, lengths, 2)
    if made is None:
        return None
    return bound_result(c, made, function, lengths)


def bound_result(c: Context, made: str, function: Function, lengths: dict[str, str]) -> Lines:
    """Return a call as a statement, its result bound or dropped."""
    result = function.result
    may = not c.strict or c.chance(0.05)
    if result is None or c.chance(0.15):
        return [made]
    if isinstance(result, Array):
        return [f"{c.fresh(Array(settle(result.shape, lengths), result.dtype), may)} = {made}"]
    if isinstance(result, Tuple):
        kinds = [
            Array(settle(k.shape, lengths), k.dtype) if isinstance(k, Array) else k
            for k in result.elements
        ]
        if c.chance(0.2):
            return [f"{c.fresh(Tuple(tuple(kinds)), may)} = {made}"]
        return [f"{', '.join(c.fresh(k, may) for k in kinds)} = {made}"]
    if isinstance(result, List) and isinstance(result.element, Array):
        element = Array(settle(result.element.shape, lengths))
        return [f"{c.fresh(List(element, result.least), may)} = {made}"]
    return [f"{c.fresh(result, may)} = {made}"]


@production("statement")
def several_results(c: Context) -> Lines | None:
    known = [(t, f) for t, f in c.functions() if isinstance(f.result, (Tuple, List))]
    if not known:
        return None
    text, function = c.pick(known)
    lengths: dict[str, str] = {}
    made = call(c, text, function, lengths, 2)
    return None if made is None else bound_result(c, made, function, lengths)


@production("statement")
def linear_read_then_written(c: Context) -> Lines | None:
    """What is read by a linear operation, then written in a loop, as solvers do."""
    names = [n for n in c.arrays(rank=1, writable=True) if "1" not in c.kind(n).shape]
    if not names or c.builtin("range") is None or c.loops > 1:
        return None
    name = c.pick(names)
    shape = c.kind(name).shape
    linear = [f"{array(c, shape, 0)} - {name}", f"0.5 * {name}", f"{name} + {array(c, shape, 0)}"]
    linear += [f"{m} @ {name}" for m in c.arrays(rank=2) if c.kind(m).shape[1:] == shape]
    text = c.pick(linear)
    made_shape = (c.kind(text.split(" @ ")[0]).shape[0],) if " @ " in text else shape
    value = array(c, shape, 1)
    made = c.fresh(Array(made_shape))
    lines = [f"{made} = {text}", f"for {c.names.fresh()} in range({c.pick((1, 2, 3))}):"]
    lines.append(f"    {update(c, name, shape)}")
    if c.chance(0.6):
        lines.append(f"    {update(c, made, made_shape)}")
    if c.chance(0.4):
        lines.append(f"    {name} += 0.2 * ({value})")
    return lines


# -- little ones -----------------------------------------------------------------------------------


@production("statement")
def make_complex(c: Context) -> Lines:
    shape = some_shape(c)
    parts = array(c, shape, 1), array(c, shape, 1)
    kind = Array(shape, "c")
    text = c.pick(
        ("{} + 1j * ({})", "({}) * np.exp(1j * ({}))", "({}) * (0.3 + 0.4j) - 0.2j * ({})")
    )
    return [f"{c.fresh(kind)} = {text.format(*parts)}"]


@production("statement")
def update_complex(c: Context) -> Lines | None:
    names = c.arrays("c", writable=True)
    if not names:
        return None
    name = c.pick(names)
    shape = c.kind(name).shape
    others = c.named(Array(shape, "c"))
    options = [
        f"{name} *= 1j",
        f"{name} += {array(c, shape, 1)}",
        f"{name} *= {c.pick(others)}",
        f"{name}[0] = {name}[1] * 0.5",
        f"{name}.real *= 0.5" if c.chance(0.3) else f"{name} -= 0.5 * {name}.conj()",
    ]
    if c.chance(0.3):
        return [f"{c.fresh(Array(shape), True)} = {name}.{c.pick(('real', 'imag'))}"]
    return [c.pick(options)]


@production("statement")
def make_mask(c: Context) -> Lines:
    shape = some_shape(c)
    text = c.pick(("{} > 0.1", "{} < 0.3", "np.abs({}) > 0.2", "~({} > 0.0)"))
    return [f"{c.fresh(Array(shape, 'b'))} = {text.format(array(c, shape, 0))}"]


@production("statement")
def make_places(c: Context) -> Lines | None:
    choice = c.rng.randrange(3)
    if choice == 0:
        return [f"{c.fresh(Array(('2',), 'i'))} = np.array([1, 0])"]
    if choice == 1:
        return [f"{c.fresh(Array(('3',), 'i'))} = np.array([0, 1, 0])"]
    vectors = [n for n in c.arrays(rank=1) if c.kind(n).shape != ("1",)]
    if not vectors:
        return None
    name = c.pick(vectors)
    return [f"{c.fresh(Array(c.kind(name).shape, 'i'))} = np.argsort({name}) % 2"]


@production("statement")
def make_scalar_array(c: Context) -> Lines:
    value = number(c, 1)
    return [f"{c.fresh(Array(()))} = np.array({value}, dtype=float)"]


@production("statement")
def managed(c: Context) -> Lines | None:
    if c.depth > 2:
        return None
    from tests.fuzz.blocks import block

    return [f"with np.errstate({c.pick(('all', 'divide'))}='ignore'):", *block(c, 2)]


@production("statement")
def deleted(c: Context) -> Lines | None:
    names = [n for n in c.arrays() if n not in c.frozen]
    if len(names) < 4 or c.depth or c.nested:
        return None
    name = c.pick(names)
    if any(name in getattr(v.kind, "reads", ()) for v in c.scope.names.values()):
        return None
    del c.scope.names[name]
    return [f"del {name}"]


@production("statement")
def raised(c: Context) -> Lines | None:
    """What raises, and says so in the result if it did not."""
    names = [n for n in c.arrays(rank=1) if n not in c.frozen]
    numbers = [n for n in c.named(Number()) if n not in c.frozen]
    options = ["raise ValueError('not here')"]
    options += [f"{name} = {name} + np.ones(9)" for name in names[:1]]
    options += [f"{number_} = {name}[17]" for name in names[:1] for number_ in numbers[:1]]
    options += [f"{name} = {name} / (1 // 0)" for name in numbers[:1]]
    return [f"if {condition(c)}:", f"    {c.pick(options)}"]


@production("statement")
def asserted(c: Context) -> Lines | None:
    names = [n for n in c.arrays() if c.kind(n).shape]
    return [f"assert {c.pick(names)}.ndim > 0, 'axes'"] if names else None


@production("statement")
def noted(c: Context) -> Lines | None:
    """Text of a value, which no result depends on."""
    names = c.named(Number())
    if not names:
        return None
    name = c.names.fresh()
    template = c.pick(("f'{@:.3f}'", "'%.3g' % @", "str(@)", "repr(@)"))
    return [f"{name} = {template.replace('@', c.pick(names))}"]


@production("statement")
def empty_part(c: Context) -> Lines | None:
    names = c.arrays(rank=1, writable=True)
    if not names:
        return None
    name = c.pick(names)
    return [
        c.pick(
            (f"{name}[:0] += {number(c, 1)}", f"{name}[1:1] = {number(c, 1)}", f"{name}[[]] = 0.5")
        )
    ]


@production("statement")
def sum_of_generator(c: Context) -> Lines | None:
    if c.builtin("sum") is None or c.builtin("zip") is None:
        return None
    vectors = list(c.arrays(rank=1))
    pairs = [(a, b) for a in vectors for b in vectors if c.kind(a) == c.kind(b)]
    if not pairs:
        return None
    a, b = c.pick(pairs)
    i, j = c.names.fresh(), c.names.fresh()
    return [f"{c.target(Number())} = sum({i} * {j} for {i}, {j} in zip({a}, {b}))"]
