"""Programs over lists, dicts and tables of numbers: rows that several names reach, grow and shrink.

Each list has one entry or more, and what is taken out of one is asked for first, so that the first
and the last entry can always be read.
"""

from __future__ import annotations

from tests.fuzz import blocks
from tests.fuzz.context import Context, production
from tests.fuzz.kinds import Array, Class, Dict, Kind, List, Number, Object, Tuple
from tests.fuzz.statements import Lines

ROW = List(Number())
TABLE = List(ROW)
RECORD = Dict(Number(), ("0", "1"))
GROUPS = Dict(ROW, ("0", "1"))
PAIR = Tuple((ROW, Number()))
PAIRS = List(PAIR)
HOLDER = Object(Class("Holder", (("items", ROW), ("sum", Number()))))
ENDS = ("0", "-1")

HELPERS = """\
def push(row, value):
    row.append(value * 0.5)
    return row[0] + row[-1]


def damp(row, factor):
    for place in range(len(row)):
        row[place] *= factor


def grown(row, value):
    return row + [value]


def same(row):
    return row


def turned(row):
    row[0], row[-1] = row[-1], row[0]
    return row


class Holder:
    def __init__(self, items):
        self.items = items
        self.sum = 0.0

    def add(self, value):
        self.items.append(value)
        self.sum += value

    def last(self):
        return self.items[-1] * self.sum
"""

TOTAL = "total"


# -- values ----------------------------------------------------------------------------------------


def rows(c: Context) -> list[str]:
    """Return expressions of the rows that are there."""
    found = 2 * c.named(ROW)
    found += [f"{name}[{c.pick(ENDS)}]" for name in c.named(TABLE)]
    found += [f"{name}[{c.pick(GROUPS.keys)}]" for name in c.named(GROUPS)]
    found += [f"{pair}[0]" for pair in pairs(c)]
    return found + [f"{name}.items" for name in c.named(HOLDER)]


def pairs(c: Context) -> list[str]:
    """Return expressions of the tuples of a row and a number that are there."""
    found = [f"{name}[{c.pick(ENDS)}]" for name in c.named(PAIRS)]
    return c.named(PAIR) + found


def term(c: Context, depth: int = 0) -> str:
    """Return a number, mostly one that a list or dict holds."""
    found = [f"x[{c.rng.randrange(4)}]"] * 2 + c.named(Number())
    found += [f"{row}[{c.pick(ENDS)}]" for row in rows(c)]
    found += 2 * [f"{name}[{c.pick(RECORD.keys)}]" for name in c.named(RECORD)]
    found += [f"{pair}[1]" for pair in pairs(c)]
    text = c.pick(found)
    if depth < 2 and c.chance(0.45):
        sign = c.pick("+*-*")
        other = term(c, depth + 1)
        return f"{text} * ({other}) * 0.5" if sign == "*" else f"{text} {sign} {other}"
    if c.chance(0.1):
        return f"np.sin({text})"
    if c.chance(0.15):
        return f"{c.pick(('sum', 'len', 'max', 'np.prod'))}({c.pick(rows(c))}) * {text}"
    return text


def new_row(c: Context) -> str:
    """Return a row of its own."""
    row = c.pick(rows(c))
    return c.pick(
        (
            f"[{term(c)}, {term(c)}]",
            f"[v * 0.5 for v in {row}]",
            f"{row}[:]",
            f"list({row})",
            f"{row}.copy()",
            f"{row}[-2:]",
            f"{row} + [{term(c)}]",
            f"[{term(c)}, *{row}]",
            f"grown({row}, {term(c)})",
            f"sorted({row})",
            f"[{term(c)}] * 2",
        )
    )


def some_row(c: Context) -> str:
    """Return a row of its own, or one that is reached by another name, too."""
    return c.pick(rows(c)) if c.chance(0.6) else new_row(c)


# -- statements ------------------------------------------------------------------------------------


@production("listed")
def number_kept(c: Context) -> Lines:
    value = term(c)
    return [f"{c.fresh(Number())} = {value}"]


@production("listed")
def added(c: Context) -> Lines:
    return [f"{TOTAL} += {term(c)}"]


@production("listed")
def row_made(c: Context) -> Lines:
    value = new_row(c)
    return [f"{c.target(ROW)} = {value}"]


@production("listed")
def row_again(c: Context) -> Lines:
    row = c.pick(rows(c))
    text = c.pick((row, row, f"same({row})", f"turned({row})"))
    return [f"{c.target(ROW)} = {text}"]


@production("listed")
def table_made(c: Context) -> Lines:
    tables = c.named(TABLE)
    text = f"[{some_row(c)}, {some_row(c)}]"
    if tables and c.chance(0.5):
        table = c.pick(tables)
        text = c.pick((f"[list(r) for r in {table}]", f"{table}[:]", f"{table} + [{some_row(c)}]"))
    elif c.chance(0.2):
        text = f"[{some_row(c)} for _ in range(2)]"
    return [f"{c.fresh(TABLE)} = {text}"]


@production("listed")
def record_made(c: Context) -> Lines:
    text = f"{{0: {term(c)}, 1: {term(c)}}}"
    known = c.named(RECORD)
    if known and c.chance(0.6):
        old = c.pick(known)
        text = c.pick((old, f"dict({old})", f"{{**{old}, 1: {term(c)}}}", f"{old}.copy()"))
    return [f"{c.fresh(RECORD)} = {text}"]


@production("listed")
def groups_made(c: Context) -> Lines:
    text = f"{{0: {some_row(c)}, 1: {some_row(c)}}}"
    return [f"{c.fresh(GROUPS)} = {text}"]


@production("listed")
def holder_made(c: Context) -> Lines:
    text = f"Holder({some_row(c)})"
    return [f"{c.fresh(HOLDER)} = {text}"]


@production("listed")
def holder_used(c: Context) -> Lines | None:
    names = c.named(HOLDER)
    if not names:
        return None
    name = c.pick(names)
    return [
        c.pick(
            (
                f"{name}.add({term(c)})",
                f"{TOTAL} += {name}.last()",
                f"{name}.sum *= {term(c)}",
                f"{name}.items = {some_row(c)}",
            )
        )
    ]


def new_pair(c: Context) -> str:
    """Return a tuple of a row and a number."""
    number = c.pick((term(c), term(c), "2.0"))
    return f"({some_row(c)}, {number})"


@production("listed")
def pair_made(c: Context) -> Lines:
    known = pairs(c)
    text = c.pick(known) if known and c.chance(0.3) else new_pair(c)
    return [f"{c.target(PAIR)} = {text}"]


@production("listed")
def pairs_made(c: Context) -> Lines:
    known = pairs(c)
    first = c.pick(known) if known and c.chance(0.5) else new_pair(c)
    text = f"[{first}, {new_pair(c)}]"
    if c.chance(0.3):
        text = f"[({c.pick(rows(c))}, {term(c)} * k) for k in range(2)]"
    return [f"{c.fresh(PAIRS)} = {text}"]


@production("listed")
def pair_unpacked(c: Context) -> Lines | None:
    known = pairs(c)
    if not known:
        return None
    text = c.pick(known)
    return [f"{c.target(ROW)}, {c.fresh(Number())} = {text}"]


@production("listed")
def pair_placed(c: Context) -> Lines | None:
    known = c.named(PAIRS)
    if not known:
        return None
    name, pair = c.pick(known), c.pick([*pairs(c), new_pair(c), new_pair(c)])
    shrinks = f"if len({name}) > 1:"
    return c.pick(
        (
            [f"{name}.append({pair})"],
            [f"{name}[{c.pick(ENDS)}] = {pair}"],
            [f"{name}[0], {name}[-1] = {name}[-1], {name}[0]"],
            [shrinks, f"    {TOTAL} += {name}.pop()[1]"],
        )
    )


@production("listed")
def pairs_written(c: Context) -> Lines | None:
    known = c.named(PAIRS)
    if not known:
        return None
    row, weight = c.names.fresh(), c.names.fresh()
    body = c.pick(
        (
            f"{row}[0] += {weight} * {term(c)}",
            f"{TOTAL} += {row}[-1] * {weight}",
            f"{row}[-1] *= {weight}",
            f"{row}.append({weight})",
            f"{weight} *= {row}[0]",
        )
    )
    return [f"for {row}, {weight} in {c.pick(known)}:", f"    {body}"]


@production("listed")
def entry_stored(c: Context) -> Lines:
    return [f"{c.pick(rows(c))}[{c.pick(ENDS)}] = {term(c)}"]


@production("listed")
def entry_updated(c: Context) -> Lines:
    return [f"{c.pick(rows(c))}[{c.pick(ENDS)}] {c.pick(('+=', '*=', '-='))} {term(c)}"]


@production("listed")
def entries_swapped(c: Context) -> Lines:
    a, b = c.pick(rows(c)), c.pick(rows(c))
    return [f"{a}[0], {b}[-1] = {b}[-1], {a}[0]"]


@production("listed")
def entry_appended(c: Context) -> Lines:
    row = c.pick(rows(c))
    made = c.pick((f"append({term(c)})", f"extend([{term(c)}])", f"insert(0, {term(c)})"))
    return [f"{row}.{made}"]


@production("listed")
def record_changed(c: Context) -> Lines | None:
    known = c.named(RECORD)
    if not known:
        return None
    place = f"{c.pick(known)}[{c.pick(RECORD.keys)}]"
    return [f"{place} {c.pick(('=', '=', '+=', '*='))} {term(c)}"]


@production("listed")
def row_placed(c: Context) -> Lines | None:
    tables, groups = c.named(TABLE), c.named(GROUPS)
    places = [f"{name}[{c.pick(ENDS)}]" for name in tables]
    places += [f"{name}[{c.pick(GROUPS.keys)}]" for name in groups]
    if not places:
        return None
    if tables and c.chance(0.5):
        return [f"{c.pick(tables)}.append({some_row(c)})"]
    return [f"{c.pick(places)} = {some_row(c)}"]


@production("listed")
def row_shortened(c: Context) -> Lines:
    row = c.pick(rows(c))
    body = c.pick(
        (
            f"{TOTAL} += {row}.pop() * 2.0",
            f"del {row}[0]",
            f"{TOTAL} += {row}.pop(0)",
            f"{row}.reverse()",
            f"{row}.insert(1, {term(c)})",
            f"{row}[:1] = [{term(c)}]",
            f"{row}.sort()",
        )
    )
    return [f"if len({row}) > 2:", f"    {body}"]


@production("listed")
def row_cut(c: Context) -> Lines:
    name = c.pick(c.named(ROW))
    part = c.pick((f"{name}[1:]", f"{name}[:-1]", f"[{term(c)}] + {name}", f"{name}[::-1]"))
    return [f"if len({name}) > 1:", f"    {name} = {part}"]


@production("listed")
def table_shortened(c: Context) -> Lines | None:
    known = c.named(TABLE)
    if not known:
        return None
    name = c.pick(known)
    taken = c.pick((f"{TOTAL} += {name}.pop()[-1]", f"del {name}[0]", f"{name}.reverse()"))
    return [f"if len({name}) > 1:", f"    {taken}"]


@production("listed")
def rows_swapped(c: Context) -> Lines | None:
    known = c.named(ROW)
    if len(known) < 2:
        return None
    a, b = c.rng.sample(known, 2)
    return [f"{a}, {b} = {b}, {a}"]


@production("listed")
def rows_written(c: Context) -> Lines | None:
    holders = [*c.named(TABLE), *(f"{name}.values()" for name in c.named(GROUPS))]
    if not holders:
        return None
    name = c.names.fresh()
    body = c.pick(
        (
            f"{name}[0] += {term(c)}",
            f"{TOTAL} += {name}[0] * {name}[-1]",
            f"{name}[-1] = {name}[0] * 0.5",
            f"damp({name}, {term(c)})",
            f"{name}.append({term(c)})",
        )
    )
    return [f"for {name} in {c.pick(holders)}:", f"    {body}"]


@production("listed")
def used_up(c: Context) -> Lines:
    """A copy that is updated, perhaps, and taken apart."""
    row, name = c.pick(rows(c)), c.names.fresh()
    lines = [f"{name} = {c.pick((f'{row}[:]', f'list({row})', f'{row}.copy()'))}"]
    if c.chance(0.7):
        lines.append(f"{name}[{c.pick(ENDS)}] {c.pick(('=', '+=', '*='))} {term(c)}")
    if c.chance(0.4):
        lines.append(f"{TOTAL} += np.prod({name}) * 0.3")
    taken = c.pick(("pop()", "pop()", "pop(0)"))
    lines += [f"while len({name}) > 1:", f"    {TOTAL} += {name}.{taken} * {term(c)}"]
    c.bind(name, ROW)
    return lines


@production("listed")
def row_called(c: Context) -> Lines:
    row = c.pick(rows(c))
    return [c.pick((f"{TOTAL} += push({row}, {term(c)})", f"damp({row}, {term(c)})"))]


@production("listed")
def column(c: Context) -> Lines | None:
    known = c.named(TABLE)
    if not known:
        return None
    text = f"[r[{c.pick(ENDS)}] * 0.5 for r in {c.pick(known)}]"
    return [f"{c.target(ROW)} = {text}"]


@production("listed")
def repeated(c: Context) -> Lines | None:
    lines = blocks.loop(c)
    return None if lines is None else [*lines, f"    {TOTAL} += {term(c)}"]


@production("listed")
def branched(c: Context) -> Lines | None:
    if c.depth >= blocks.DEEPEST:
        return None
    lines = [f"if {term(c)} > {c.pick((0.5, 1.0, 2.0))}:", *blocks.block(c, c.pick((1, 2)))]
    return [*lines, *(["else:", *blocks.block(c, c.pick((1, 2)))] if c.chance(0.4) else [])]


# -- the whole -------------------------------------------------------------------------------------


def draw_body(c: Context) -> Lines:
    """Return the lines of a function of a vector `x`, with what it returns at last."""
    c.names.taken |= {
        TOTAL,
        "x",
        "r",
        "v",
        "same",
        "push",
        "damp",
        "grown",
        "turned",
        "Holder",
        "k",
    }
    c.names.ours = []
    c.table = "listed"
    c.bind("x", Array(("n",)), writable=False)
    first = c.fresh(ROW)
    body = [f"{TOTAL} = 0.0", f"{first} = [x[0], x[1] * x[2]]"]
    c.budget = [c.rng.randrange(4, 13)]
    body += blocks.statements(c, 99)
    return [*body, f"return {' + '.join([TOTAL, term(c), *_gathered(c)])}"]


def _gathered(c: Context) -> list[str]:
    """Return terms of all that is there at the end."""
    ends: dict[Kind, str] = {
        ROW: "sum({0})",
        TABLE: "{0}[0][0] * {0}[-1][-1]",
        RECORD: "{0}[0] * {0}[1]",
        GROUPS: "{0}[0][-1] * sum({0}[1])",
        HOLDER: "{0}.last()",
        PAIR: "{0}[0][0] * {0}[1]",
        PAIRS: "{0}[0][0][-1] * {0}[-1][1]",
    }
    return [ends[v.kind].format(n) for n, v in c.scope.names.items() if v.kind in ends]
