"""Whole programs: modules with values, classes and helpers, and a function to differentiate."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from tests.fuzz import blocks, containers, habits, listed, statements  # noqa: F401 - they fill the tables
from tests.fuzz.blocks import given
from tests.fuzz.context import TABLES, Context, ModuleDraft, Outer, production
from tests.fuzz.expressions import NoExpressionError, array
from tests.fuzz.kinds import (
    Array,
    Class,
    Dict,
    Function,
    Integer,
    Kind,
    List,
    Number,
    Object,
    Scope,
    Tuple,
)
from tests.fuzz.names import IMPORTED, Names
from tests.fuzz.statements import Lines

__all__ = ["Program", "draw_program"]

VALUES = (
    "GAIN",
    "RATE",
    "TABLE",
    "KNOBS",
    "STORE",
    "SEEN",
    "LOG",
    "STATE",
    "BIAS",
    "scale",
    "weights",
)
HELPERS = ("damp", "mixed", "turned", "part", "push", "blend", "both", "carry", "step", "bent")


@dataclass
class Program:
    """The modules of a program as text; in `main` are `program`, `arguments` and `outside`."""

    modules: dict[str, str]
    seed: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def text(self) -> str:
        """Return all modules as one text."""
        return "".join(f"# -- module {name}\n{text}" for name, text in self.modules.items())

    @classmethod
    def read(cls, text: str) -> Program:
        """Return the program that `text` gave; what stands before the first module is dropped."""
        _, *parts = text.split("# -- module ")
        named = (part.partition("\n") for part in parts)
        return cls({name.strip(): body for name, _, body in named})


# -- values of modules -----------------------------------------------------------------------------


def _numbers(rng: random.Random, count: int) -> str:
    return ", ".join(str(round(rng.uniform(-0.9, 0.9), 2)) for _ in range(count))


@production("module")
def module_number(draft: ModuleDraft, rng: random.Random) -> tuple[str, Kind]:
    return str(rng.choice((0.7, 0.4, -0.3, 1.1, 2))), Number()


@production("module")
def module_array(draft: ModuleDraft, rng: random.Random) -> tuple[str, Kind]:
    length = rng.choice((2, 2, 3))
    return f"np.array([{_numbers(rng, length)}])", Array((str(length),))


@production("module")
def module_list(draft: ModuleDraft, rng: random.Random) -> tuple[str, Kind]:
    return f"[{_numbers(rng, 3)}]", List(Number(), 3)


@production("module")
def module_dict(draft: ModuleDraft, rng: random.Random) -> tuple[str, Kind]:
    if rng.random() < 0.4:
        return (
            f"{{'a': np.array([{_numbers(rng, 2)}]), 'b': np.array([{_numbers(rng, 2)}])}}",
            Dict(Array(("2",)), ("a", "b")),
        )
    return f"{{'a': {_numbers(rng, 1)}, 'b': {_numbers(rng, 1)}}}", Dict(Number(), ("a", "b"))


@production("module")
def module_counter(draft: ModuleDraft, rng: random.Random) -> tuple[str, Kind]:
    return "0", Integer(counts=True)


@production("module")
def module_log(draft: ModuleDraft, rng: random.Random) -> tuple[str, Kind]:
    return "[]", List(Number(), 0)


@production("module")
def module_object(draft: ModuleDraft, rng: random.Random) -> tuple[str, Kind] | None:
    return None


# -- classes ---------------------------------------------------------------------------------------

PLAIN = """\
class {name}:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def run(self, u):
        return np.tanh(u * self.w) + self.b

    def energy(self):
        return np.sum(self.w * self.w) * self.b

    def scale(self, a):
        self.w *= a
        self.b = self.b * a
"""
COUNTING = """\
class {name}:
    def __init__(self, w, b):
        self.w = w
        self.b = b
        self.n = 0

    def run(self, u):
        self.n += 1
        return u * self.w + self.n * self.b

    def tick(self):
        self.n += 1
        return self.n * self.b
"""
NESTED = """\
class {name}:
    def __init__(self, parts, w):
        self.parts = parts
        self.w = w

    def run(self, u):
        for part in self.parts:
            u = np.tanh(u * part.w) + part.b
        return u * self.w
"""


def draw_classes(draft: ModuleDraft, rng: random.Random, counts: Counter[str]) -> None:
    """Write some classes into a module."""
    shape = rng.choice((("n",), ("n",), ("m",), ("n", "m")))
    plain = Class("Part", (("w", Array(shape)), ("b", Number())), ("run", "energy", "scale"))
    text = PLAIN
    if rng.random() < 0.35:
        plain = Class("Part", (("w", Array(shape)), ("b", Number())), ("run", "tick"))
        text = COUNTING
    draft.lines += [*text.format(name="Part").splitlines(), "", ""]
    draft.classes.append(plain)
    if rng.random() < 0.4:
        net = Class("Net", (("parts", List(Object(plain), 2)), ("w", Array(shape))), ("run",))
        draft.lines += [*NESTED.format(name="Net").splitlines(), "", ""]
        draft.classes.append(net)
    draft.taken |= {"Part", "Net"}


# -- functions -------------------------------------------------------------------------------------


def _context(
    rng: random.Random, draft: ModuleDraft, others: list[ModuleDraft], counts: Counter[str]
) -> Context:
    taken = {
        *draft.taken,
        *(o.name for o in others),
        "np",
        "math",
        "program",
        "arguments",
        "outside",
    }
    names = Names(rng, taken)
    names.ours = [n for n in names.ours if n not in draft.imported or rng.random() < 0.5]
    return Context(rng, draft, names, Scope(), counts, others)


def _parameters(c: Context, kinds: list[Kind]) -> list[str]:
    return [c.fresh(kind) for kind in kinds]


def _definition(
    c: Context, name: str, said: list[str], body: Lines, closing: str, one_line: bool
) -> Lines:
    head = f"def {name}({', '.join(said)}):"
    globals_used = sorted(c.globals_used)
    if globals_used:
        body = [f"global {', '.join(globals_used)}", *body]
    body = [*body, closing] if closing else body or ["pass"]
    compound = any(
        line.startswith(
            (" ", "for ", "while ", "if ", "try", "def ", "with ", "match ", "@", "class ")
        )
        for line in body
    )
    if one_line and not compound:
        return [f"{head} {'; '.join(body)}", "", ""]
    return [head, *(f"    {line}" for line in body), "", ""]


@production("helper")
def drawn(c: Context, name: str) -> Function:
    shape = c.pick((("$u0",), ("$u0",), ("$u0", "$u1"), ("n",), ("m",)))
    kinds: list[Kind] = [Array(shape)]
    if c.chance(0.5):
        kinds.append(Number() if c.chance(0.6) else Array(shape))
    said = _parameters(c, kinds)
    result: Kind = Array(shape) if c.chance(0.65) else Number()
    c.result = result
    for item in said:
        c.scope.names[item].writable = c.arguments_written
    c.strict = not c.arguments_written
    c.budget = [4]
    defaults = list(said)
    if isinstance(kinds[-1], Number) and c.chance(0.4):
        defaults[-1] = f"{said[-1]}={c.pick((0.5, 1.5))}"
    body = blocks.statements(c, c.pick((0, 1, 2, 2, 3)))
    closing = f"return {given(c, result)}"
    c.module.lines += _definition(c, name, defaults, body, closing, c.chance(0.25))
    # one that writes nothing may still hand on what it was given
    return Function(name, tuple(kinds), result, pure=not c.arguments_written)


@production("helper")
def writer(c: Context, name: str) -> Function:
    shape = c.pick((("$u0",), ("$u0", "$u1"), ("n",)))
    kinds: list[Kind] = [Array(shape), Number()] if c.chance(0.6) else [Array(shape), Array(shape)]
    said = _parameters(c, kinds)
    c.budget = [4]
    body = [statements.update(c, said[0], shape), *blocks.statements(c, c.pick((0, 1, 2)))]
    result: Kind | None = c.pick((None, Array(shape), Number()))
    if result is None:
        closing = ""
    else:
        closing = (
            f"return {said[0] if isinstance(result, Array) and c.chance(0.6) else given(c, result)}"
        )
    c.module.lines += _definition(c, name, said, body, closing, c.chance(0.3))
    return Function(name, tuple(kinds), result, pure=False, writes=True)


@production("helper")
def viewer(c: Context, name: str) -> Function:
    templates: list[tuple[str, tuple[str, ...], Kind]] = [
        ("{}", ("$u0",), Array(("$u0",))),
        ("{}[:2]", ("$u0",), Array(("2",))),
        ("{}[::-1]", ("$u0",), Array(("$u0",))),
        ("{}.T", ("$u0", "$u1"), Array(("$u1", "$u0"))),
        ("{}[0]", ("$u0", "$u1"), Array(("$u1",))),
        ("{}[:, -1]", ("$u0", "$u1"), Array(("$u0",))),
        ("np.asarray({})", ("$u0",), Array(("$u0",))),
        ("{}[...]", ("$u0", "$u1"), Array(("$u0", "$u1"))),
    ]
    text, shape, result = c.pick(templates)
    (said,) = _parameters(c, [Array(shape)])
    c.module.lines += _definition(c, name, [said], [], f"return {text.format(said)}", c.chance(0.3))
    return Function(name, (Array(shape),), result, pure=True)


@production("helper")
def pair(c: Context, name: str) -> Function:
    shape = ("$u0",)
    said = _parameters(c, [Array(shape), Array(shape)])
    result = Tuple((Array(shape), c.pick((Array(shape), Number()))))
    c.budget = [3]
    body = blocks.statements(c, c.pick((0, 1, 2)))
    closing = f"return {given(c, result)}"
    if c.chance(0.2) and isinstance(result.elements[1], Array):
        closing = f"return {said[1]}, {said[0]}"
    c.module.lines += _definition(c, name, said, body, closing, c.chance(0.3))
    return Function(name, (Array(shape), Array(shape)), result, pure=False)


@production("helper")
def lister(c: Context, name: str) -> Function:
    shape = ("$u0",)
    kind = List(Array(shape), 1)
    (said,) = _parameters(c, [kind])
    c.frozen.add(said)
    c.budget = [3]
    c.result = Number()
    body = blocks.statements(c, c.pick((1, 2)))
    c.module.lines += _definition(
        c, name, [said], body, f"return {given(c, Number())}", c.chance(0.3)
    )
    return Function(name, (kind,), Number(), pure=False)


@production("helper")
def recursive(c: Context, name: str) -> Function:
    shape = ("$u0",)
    said = _parameters(c, [Array(shape)])
    depth = c.names.fresh()
    value = array(c, shape, 1)
    lines = [
        f"if {depth} <= 0:",
        f"    return {said[0]}",
        f"{said[0]} = {value}",
        f"return np.tanh({name}({said[0]}, {depth} - 1)) * 0.8",
    ]
    c.module.lines += _definition(c, name, [said[0], f"{depth}=2"], lines[:-1], lines[-1], False)
    return Function(name, (Array(shape),), Array(shape), pure=True)


# -- arguments -------------------------------------------------------------------------------------


@production("argument")
def argument_vector(c: Context) -> tuple[str, Kind]:
    length = c.pick("nnnm")
    return f"rng.normal(size={length})", Array((length,))


@production("argument")
def argument_matrix(c: Context) -> tuple[str, Kind]:
    shape = c.pick((("n", "m"), ("m", "n"), ("n", "n"), ("2", "n")))
    return f"rng.normal(size=({', '.join(shape)}))", Array(shape)


@production("argument")
def argument_number(c: Context) -> tuple[str, Kind]:
    return "float(rng.uniform(0.4, 1.6))", Number()


@production("argument")
def argument_list(c: Context) -> tuple[str, Kind]:
    return "[rng.normal(size=n), rng.normal(size=n)]", List(Array(("n",)), 2)


@production("argument")
def argument_dict(c: Context) -> tuple[str, Kind]:
    return "{'a': rng.normal(size=n), 'b': rng.normal(size=n)}", Dict(Array(("n",)), ("a", "b"))


@production("argument")
def argument_tuple(c: Context) -> tuple[str, Kind]:
    return "(rng.normal(size=n), float(rng.normal()))", Tuple((Array(("n",)), Number()))


@production("argument")
def argument_object(c: Context) -> tuple[str, Kind] | None:
    known = [(d, cls) for d in (c.module, *c.others) for cls in d.classes]
    if not known:
        return None
    draft, cls = c.pick(known)
    return _made(c, draft, cls), Object(cls)


def _made(c: Context, draft: ModuleDraft, cls: Class) -> str:
    parts = []
    for _, kind in cls.fields:
        if isinstance(kind, Array):
            parts.append(f"rng.normal(size=({', '.join(kind.shape)},))")
        elif isinstance(kind, List) and isinstance(kind.element, Object):
            inner = [_made(c, draft, kind.element.cls) for _ in range(kind.least)]
            parts.append(f"[{', '.join(inner)}]")
        else:
            parts.append("float(rng.uniform(0.4, 1.6))")
    said = c.module.reach(Outer(draft.name, cls.name, Object(cls)), c.rng)
    return f"{said}({', '.join(parts)})"


@production("argument")
def argument_complex(c: Context) -> tuple[str, Kind]:
    return "rng.normal(size=n) + 1j * rng.normal(size=n)", Array(("n",), "c")


@production("argument")
def argument_single(c: Context) -> tuple[str, Kind]:
    return "rng.normal(size=n).astype(np.float32)", Array(("n",))


@production("argument")
def argument_no_axes(c: Context) -> tuple[str, Kind]:
    return "np.array(rng.normal())", Array(())


# -- the end of a program --------------------------------------------------------------------------


def gathered(c: Context) -> list[str]:
    """Return terms of a number that depends on all that is there."""
    terms = []
    for name, entry in c.scope.names.items():
        terms += _terms(c, name, entry.kind)
    weights = (0.3, 0.7, -0.4, 1.1, 0.5)
    return [f"{c.pick(weights)} * {term}" if c.chance(0.6) else term for term in terms]


def _terms(c: Context, text: str, kind: Kind) -> list[str]:
    if isinstance(kind, Number):
        return [c.pick((text, f"np.sin({text})", f"{text} ** 2"))]
    if isinstance(kind, Array) and kind.dtype == "f":
        if not kind.shape:
            return [f"float({text})" if c.builtin("float") else text]
        return [
            c.pick(
                (
                    f"np.sum({text})",
                    f"np.sum({text} ** 2)",
                    f"{text}.mean()",
                    f"np.sum(np.sin({text}))",
                )
            )
        ]
    if isinstance(kind, Array) and kind.dtype == "c":
        return [
            c.pick((f"np.sum(np.abs({text}) ** 2)", f"np.sum({text}).real", f"np.sum({text}.imag)"))
        ]
    if isinstance(kind, List) and kind.least and not isinstance(kind.element, (List, Dict)):
        return _terms(c, f"{text}[{c.pick((0, -1))}]", kind.element)
    if isinstance(kind, Dict):
        return _terms(c, f"{text}[{c.pick(kind.keys)!r}]", kind.element)
    if isinstance(kind, Tuple):
        place = c.rng.randrange(len(kind.elements))
        return _terms(c, f"{text}[{place}]", kind.elements[place])
    if isinstance(kind, Object):
        key, inner = c.pick(kind.cls.fields)
        return _terms(c, f"{text}.{key}", inner)
    if isinstance(kind, Integer) and (kind.counts or kind.length) and c.chance(0.5):
        return [f"0.1 * {text}"]
    return []


def closing(c: Context, result: str) -> str:
    """Return what `program` returns."""
    terms = gathered(c)
    c.rng.shuffle(terms)
    count = max(1, round(len(terms) * c.rng.uniform(0.5, 1.0)))
    total = " + ".join(terms[:count]) or "0.0"
    arrays = c.arrays()
    if result == "array" and arrays:
        return c.pick(arrays) if c.chance(0.5) else f"{c.pick(arrays)} * ({total})"
    if result == "tuple" and arrays:
        return f"{c.pick(arrays)}, {total}"
    if result == "dict" and arrays:
        return f"{{'first': {c.pick(arrays)}, 'second': {total}}}"
    if result == "complex" and c.arrays("c"):
        return c.pick(c.arrays("c"))
    return total


# -- programs --------------------------------------------------------------------------------------


def _values(
    draft: ModuleDraft, rng: random.Random, counts: Counter[str], weights: dict[str, float]
) -> None:
    for name in rng.sample(VALUES, rng.choice((0, 1, 2, 3))):
        choice = rng.choices(list(weights), list(weights.values()))[0]
        found = TABLES["module"][f"module_{choice}"](draft, rng)
        if found is None:
            continue
        counts[f"module.{choice}"] += 1
        text, kind = found
        draft.lines.append(f"{name} = {text}")
        draft.values.append(Outer(draft.name, name, kind))
        draft.taken.add(name)
    draft.lines += ["", ""]


def _helpers(
    draft: ModuleDraft, others: list[ModuleDraft], rng: random.Random, counts: Counter[str]
) -> None:
    for name in rng.sample(HELPERS, rng.choice((0, 1, 2, 2))):
        if name in draft.taken:
            continue
        c = _context(rng, draft, others, counts)
        c.may_effect = rng.random() < 0.3
        c.arguments_written = rng.random() < 0.35
        length = len(draft.lines)
        draft.taken.add(name)
        try:
            made = c.draw("helper", name)
        except NoExpressionError:
            del draft.lines[length:]
            continue
        draft.functions.append(Outer(draft.name, name, made))


def _outside(draft: ModuleDraft, others: list[ModuleDraft], rng: random.Random) -> Lines:
    """Return the function that changes what is outside, between two calls."""
    lines: Lines = []
    named: set[str] = set()
    for owner in (draft, *others):
        for value in owner.values:
            if rng.random() < 0.4:
                continue
            own = owner is draft
            said = value.name if own else draft.reach(value, rng)
            line, rebinds = _changed(said, value.kind, rng)
            if line:
                lines.append(line)
                if rebinds and own:
                    named.add(value.name)
    if named:
        lines.insert(0, f"global {', '.join(sorted(named))}")
    return ["def outside():", *(f"    {line}" for line in lines or ["pass"]), "", ""]


def _changed(said: str, kind: Kind, rng: random.Random) -> tuple[str, bool]:
    if isinstance(kind, Number):
        return rng.choice(
            (
                (f"{said} = 0.9", True), (f"{said} = 3", True), (f"{said} = np.array(0.6)", True),
                (f"{said} = np.float64(0.2)", True),
            )
        )  # fmt: skip
    if isinstance(kind, Array):
        return rng.choice(
            (
                (f"{said}[0] = 0.8", False),
                (f"{said} = {said} * 2.0", True),
                (f"{said} *= 0.5", True),
            )
        )
    if isinstance(kind, List) and kind.least:
        return rng.choice(((f"{said}[0] = 0.6", False), (f"{said} = [0.1, 0.2, 0.3, 0.4]", True)))
    if isinstance(kind, Dict) and isinstance(kind.element, Number):
        return rng.choice(
            ((f"{said}['a'] = 0.6", False), (f"{said} = {{'a': 0.1, 'b': 2.0}}", True))
        )
    if isinstance(kind, Dict):
        return f"{said}['a'] = {said}['b']", False
    return "", False


def _written(draft: ModuleDraft) -> str:
    head = ["import math", "", "import numpy as np"]
    if draft.imported:
        head.append(f"from numpy import {', '.join(sorted(draft.imported))}")
    head += sorted(set(draft.reached.values()))
    return "\n".join([*head, "", *draft.lines]).rstrip() + "\n"


def draw_program(seed: int, weights: dict[str, dict[str, float]]) -> Program:
    """Return the program of a seed."""
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    kinds = weights["program"]
    (kind,) = random.Random(f"kind {seed}").choices(list(kinds), list(kinds.values()))
    counts[f"program.{kind}"] += 1
    return PROGRAMS[kind](seed, rng, counts, weights)


def _of_modules(
    seed: int, rng: random.Random, counts: Counter[str], weights: dict[str, dict[str, float]]
) -> Program:
    """Return functions, classes and values in several modules, over arrays above all."""
    drafts: list[ModuleDraft] = []
    names = ("base", "aid", "main")[3 - rng.choice((1, 1, 2, 2, 3)) :]
    for name in names:
        draft = ModuleDraft(name)
        if rng.random() < 0.25:
            draft.imported = set(rng.sample(IMPORTED, rng.choice((1, 2, 3))))
            draft.taken |= draft.imported
        drafts_before = list(drafts)
        _values(draft, rng, counts, weights["module"])
        if rng.random() < 0.35:
            draw_classes(draft, rng, counts)
        _helpers(draft, drafts_before, rng, counts)
        drafts.append(draft)
    main, others = drafts[-1], drafts[:-1]
    _main(main, others, rng, counts)
    main.lines += _outside(main, others, rng)
    return Program({d.name: _written(d) for d in drafts}, seed, counts)


def _of_lists(
    seed: int, rng: random.Random, counts: Counter[str], weights: dict[str, dict[str, float]]
) -> Program:
    """Return one function over lists, dicts and tables of numbers that share rows."""
    draft = ModuleDraft("main")
    draft.lines = [*listed.HELPERS.splitlines(), "", ""]
    body = listed.draw_body(_context(rng, draft, [], counts))
    draft.lines += ["def program(x):", *(f"    {line}" for line in body), "", ""]
    draft.lines += ["def arguments(rng, n, m):", "    return (rng.uniform(0.4, 1.9, size=n),)"]
    draft.lines += ["", "", "def outside():", "    pass"]
    return Program({draft.name: _written(draft)}, seed, counts)


PROGRAMS = {"modules": _of_modules, "lists": _of_lists}


def _main(
    draft: ModuleDraft, others: list[ModuleDraft], rng: random.Random, counts: Counter[str]
) -> None:
    c = _context(rng, draft, others, counts)
    c.budget = [rng.choice((2, 3, 4, 5, 6, 8, 12))]
    given_: list[tuple[str, str]] = []
    for _ in range(rng.choice((1, 2, 2, 3))):
        text, kind = c.draw("argument")
        name = rng.choice("xyswAz") if rng.random() < 0.7 else c.names.fresh()
        while (name in c.names.taken and name in c.scope.names) or name in draft.taken:
            name = c.names.fresh()
        c.names.taken.add(name)
        c.bind(name, kind)
        given_.append((name, text))
    if not any(
        isinstance(e.kind, Array) and e.kind.dtype == "f" and e.kind.shape
        for e in c.scope.names.values()
    ):
        c.names.taken.add("xs")
        c.bind("xs", Array(("n",)))
        given_.append(("xs", "rng.normal(size=n)"))
    writes = rng.random() < 0.2
    c.strict = not writes
    for name, _ in given_:
        c.scope.names[name].writable = writes
    result = rng.choices(*zip(*_table("result").items(), strict=True))[0]
    c.result = Number() if result == "number" else None
    c.may_effect = rng.random() < 0.4
    body = blocks.statements(c, 99)
    lines = _definition(
        c,
        "program",
        [n for n, _ in given_],
        body,
        f"return {closing(c, result)}",
        rng.random() < 0.3,
    )
    draft.lines += lines
    made = ", ".join(text for _, text in given_)
    draft.lines += ["def arguments(rng, n, m):", f"    return ({made},)", "", ""]


def _table(name: str) -> dict[str, float]:
    from tests.fuzz.weights import WEIGHTS

    return WEIGHTS[name]
