"""Statements about lists, dicts, tuples and objects of arrays, whose entries may be one array."""

from __future__ import annotations

from tests.fuzz.context import Context, production
from tests.fuzz.expressions import array, index, number
from tests.fuzz.kinds import Array, Class, Dict, Kind, List, Number, Object, Tuple
from tests.fuzz.statements import Lines, some_shape, update

KEYS = ("a", "b", "w", "x", "left")


def entry(c: Context, kind: Kind) -> str:
    """Return a value for an entry, often a plain name, so that entries are one array."""
    if isinstance(kind, Array):
        names = c.named(kind)
        return c.own(c.pick(names) if names and c.chance(0.6) else array(c, kind.shape, 1))
    return number(c, 1)


def some_kind(c: Context) -> Kind:
    """Return the kind of entries."""
    return Array(some_shape(c)) if c.chance(0.85) else Number()


@production("statement")
def make_list(c: Context) -> Lines:
    kind = some_kind(c)
    value = entry(c, kind)
    choice = c.rng.randrange(7)
    if choice == 0:
        text, least = f"[{value}] * 2", 2
    elif choice == 1:
        text, least = f"[{value}, {value}]", 2
    elif choice == 2 and c.builtin("range"):
        over = c.names.fresh()
        text, least = f"[{value} * (1 + {over}) for {over} in range(2)]", 2
    elif choice == 3 and isinstance(kind, Array) and c.builtin("range"):
        text, least = f"[{value} for _ in range(2)]", 2
    elif choice == 4 and c.arrays(rank=2):
        name = c.pick(c.arrays(rank=2))
        kind, least = Array(c.kind(name).shape[1:]), 2
        over = c.names.fresh()
        text = c.pick((f"list({name})", f"[{over} for {over} in {name}]", f"[*{name}]"))
        may = c.scope.names[name].writable
        return [f"{c.fresh(List(kind, least), may)} = {text}"]
    elif choice == 5:
        text, least = f"[{value}] + [{entry(c, kind)}]", 2
    else:
        text, least = f"[{value}, {entry(c, kind)}]", 2
    return [f"{c.fresh(List(kind, least))} = {text}"]


@production("statement")
def make_dict(c: Context) -> Lines:
    kind = some_kind(c)
    keys = tuple(c.rng.sample(KEYS, 2))
    first, second = entry(c, kind), entry(c, kind)
    second = first if c.chance(0.4) else second
    options = [
        f"{{{keys[0]!r}: {first}, {keys[1]!r}: {second}}}",
        f"dict({keys[0]}={first}, {keys[1]}={second})",
        f"dict(zip({keys!r}, ({first}, {second})))",
        f"dict.fromkeys({keys!r}, {first})",
        f"{{k_: {first} for k_ in {keys!r}}}",
    ]
    if c.builtin("zip") is None:
        del options[2]
    return [f"{c.fresh(Dict(kind, keys))} = {c.pick(options)}"]


@production("statement")
def make_tuple(c: Context) -> Lines:
    kinds = (some_kind(c), some_kind(c))
    values = [entry(c, kind) for kind in kinds]
    if kinds[0] == kinds[1] and c.chance(0.3):
        return [f"{c.fresh(Tuple(kinds))} = ({values[0]},) * 2"]
    return [f"{c.fresh(Tuple(kinds))} = ({', '.join(values)})"]


@production("statement")
def make_object(c: Context) -> Lines | None:
    known = [(d, cls) for d in (c.module, *c.others) for cls in d.classes]
    known = [(d, cls) for d, cls in known if d is c.module or not c.hidden(d.name)]
    if not known:
        return None
    draft, cls = c.pick(known)
    made = construct(c, draft, cls)
    if made is None:
        return None
    return [f"{c.fresh(Object(cls))} = {made}"]


def construct(c: Context, draft: object, cls: Class) -> str | None:
    """Return a call of a class."""
    from tests.fuzz.context import Outer

    args = []
    for _, kind in cls.fields:
        if isinstance(kind, List) and isinstance(kind.element, Object):
            inner = [construct(c, draft, kind.element.cls) for _ in range(kind.least)]
            if None in inner:
                return None
            args.append(f"[{', '.join(map(str, inner))}]")
        elif isinstance(kind, Array):
            if not c.named(kind):
                return None
            args.append(entry(c, kind))
        elif isinstance(kind, Number):
            args.append(number(c, 1))
    said = c.module.reach(Outer(draft.name, cls.name, Object(cls)), c.rng)  # type: ignore[attr-defined]
    return f"{said}({', '.join(args)})"


def lists(c: Context, least: int = 0) -> list[str]:
    """Return lists of arrays or numbers."""
    found = c.of_type(List, writable=True)
    return [
        n for n in found if c.kind(n).least >= least and not isinstance(c.kind(n).element, Object)
    ]


@production("statement")
def grow_list(c: Context) -> Lines | None:
    names = lists(c, 1)
    if not names:
        return None
    name = c.pick(names)
    kind = c.kind(name)
    value = f"{name}[{c.pick((0, -1))}]" if c.chance(0.4) else entry(c, kind.element)
    text = c.pick(
        (
            f"{name}.append({value})", f"{name}.append({value})", f"{name} += [{value}]",
            f"{name}.insert(0, {value})", f"{name}.extend([{value}])", f"{name} = {name} + [{value}]",
            f"{name} = [*{name}, {value}]", f"{name}[1:1] = [{value}]",
        )
    )  # fmt: skip
    if " = " in text and not text.startswith(f"{name}[") and name in c.frozen:
        return None
    if text.startswith(f"{name} +=") and name in c.frozen:
        return None
    c.bind(name, List(kind.element, kind.least + (c.depth == 0 and not c.nested)))
    return [text]


@production("statement")
def shuffle_list(c: Context) -> Lines | None:
    names = lists(c, 2)
    if not names:
        return None
    name = c.pick(names)
    kind = c.kind(name)
    options = [
        f"{name}[0], {name}[1] = {name}[1], {name}[0]",
        f"{name}.reverse()",
        f"{name}[0] = {name}[1]",
    ]
    options += [f"{name}[1] = {entry(c, kind.element)}", f"{name}[:1] = [{entry(c, kind.element)}]"]
    if c.chance(0.25) and c.depth == 0 and not c.nested:
        c.bind(name, List(kind.element, kind.least - 1))
        return [f"{c.fresh(kind.element)} = {name}.pop({c.pick(('', '0'))})"]
    return [c.pick(options)]


@production("statement")
def update_entry(c: Context) -> Lines | None:
    """An entry that is updated in place; what else is that array changes too."""
    found = [(t, k) for t, k in c.held(writable=True) if isinstance(k, (Array, Number))]
    found = [(t, k) for t, k in found if not _in_tuple(c, t) or (isinstance(k, Array) and k.shape)]
    if not found:
        return None
    text, kind = c.pick(found)
    if isinstance(kind, Number):
        return None if _in_tuple(c, text) else [update(c, text, None)]
    if _in_tuple(c, text) or c.chance(0.3):
        return [update(c, f"{text}[:]", kind.shape)] if kind.shape else None
    if c.chance(0.2) and kind.shape:
        return [update(c, f"{text}[{', '.join(index(c) for _ in kind.shape)}]", None)]
    return [update(c, text, kind.shape)]


def _in_tuple(c: Context, text: str) -> bool:
    name = text.partition("[")[0].partition(".")[0]
    return isinstance(c.kind(name), Tuple)


@production("statement")
def add_entry(c: Context) -> Lines | None:
    names = [n for n in c.of_type(Dict, True) if not isinstance(c.kind(n).element, Object)]
    if not names:
        return None
    name = c.pick(names)
    kind = c.kind(name)
    new = [key for key in KEYS if key not in kind.keys]
    if not new:
        return None
    key, old = new[0], c.pick(kind.keys)
    value = f"{name}[{old!r}]" if c.chance(0.5) else entry(c, kind.element)
    if c.depth == 0 and not c.nested:
        c.bind(name, Dict(kind.element, (*kind.keys, key)))
    return [
        c.pick(
            (
                f"{name}[{key!r}] = {value}",
                f"{name}.update({key}={value})",
                f"{name}.setdefault({key!r}, {value})",
                f"{name}[{key!r}] = {name}.get({old!r})",
            )
        )
    ]


@production("statement")
def update_all_entries(c: Context) -> Lines | None:
    names = [
        n for n in (*lists(c, 1), *c.of_type(Dict, True)) if isinstance(c.kind(n).element, Array)
    ]
    if not names or c.loops > 1:
        return None
    name = c.pick(names)
    kind = c.kind(name)
    over = c.names.fresh()
    shape = kind.element.shape
    if isinstance(kind, Dict):
        if c.chance(0.5):
            other = c.names.fresh()
            return [f"for {other}, {over} in {name}.items():", f"    {update(c, over, shape)}"]
        text = c.pick((name, f"{name}.keys()", f"sorted({name})"))
        return [f"for {over} in {text}:", f"    {update(c, f'{name}[{over}]', shape)}"]
    if c.chance(0.4) and c.builtin("range") and c.builtin("len"):
        return [f"for {over} in range(len({name})):", f"    {update(c, f'{name}[{over}]', shape)}"]
    if c.chance(0.2) and shape:
        return [f"for {over} in {name}:", f"    {update(c, f'{over}[...]', shape)}"]
    return [f"for {over} in {name}:", f"    {update(c, over, shape)}"]


@production("statement")
def update_field(c: Context) -> Lines | None:
    names = c.of_type(Object, writable=True)
    if not names:
        return None
    name = c.pick(names)
    fields = c.kind(name).cls.fields
    key, kind = c.pick(fields)
    if isinstance(kind, List):
        over = c.names.fresh()
        element = kind.element
        if not isinstance(element, Object):
            return None
        inner, inner_kind = c.pick(element.cls.fields)
        if isinstance(inner_kind, Array):
            return [
                f"for {over} in {name}.{key}:",
                f"    {update(c, f'{over}.{inner}', inner_kind.shape)}",
            ]
        if isinstance(inner_kind, Number):
            return [f"for {over} in {name}.{key}:", f"    {update(c, f'{over}.{inner}', None)}"]
        return None
    if isinstance(kind, Array):
        if c.chance(0.3):
            return [f"{name}.{key} = {entry(c, kind)}"]
        return [update(c, f"{name}.{key}", kind.shape)]
    if isinstance(kind, Number):
        return [update(c, f"{name}.{key}", None)]
    return None


@production("statement")
def call_method(c: Context) -> Lines | None:
    names = [n for n in c.of_type(Object) if c.kind(n).cls.methods]
    if not names:
        return None
    name = c.pick(names)
    cls = c.kind(name).cls
    method = c.pick(cls.methods)
    if method in ("scale", "tick") and not c.scope.names[name].writable:
        return None
    if method == "run":
        shape = dict(cls.fields)["w"].shape  # type: ignore[union-attr]
        value = array(c, shape, 1)
        return [f"{c.fresh(Array(shape))} = {name}.run({value})"]
    if method == "energy":
        return [f"{c.fresh(Number())} = {name}.energy()"]
    if method == "scale":
        return [f"{name}.scale({number(c, 1)})"]
    if method == "tick":
        return [f"{c.fresh(Number())} = {name}.tick()"] if c.chance(0.5) else [f"{name}.tick()"]
    return None
