"""Draws random programs of the whole language: jumps, containers, functions, objects, `out=`."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.properties.programs import Names, Writer

HELPERS = '''\
import contextlib


class Box:
    """Holds a value that changes."""

    def __init__(self, value, scale=1.0):
        self.value = value
        self.scale = scale

    def scaled(self, u):
        return u * self.scale

    def step(self, a):
        self.scale = self.scale * 0.5 + a
        return self.scale


def first_above(u, bound):
    for e in u:
        if e > bound:
            return e
    return 0.3


def applied(f, u):
    return f(u) * 0.5


def summed(*terms, weight=1.0):
    total = 0.0
    for term in terms:
        total = total + weight * term
    return total


def shifts(u, a):
    u += a


def first_doubled(u):
    u[0] = u[0] * 2.0
    return np.sum(u)


def collected(u, a):
    out = []
    for e in u:
        out.append(e * a)
    return out


'''

LIST_READS = (
    "{l}[-1]",
    "{l}[0]",
    "sum({l})",
    "{l}[{i} % len({l})]",
    "len({l}) * 0.1",
    "max({l})",
    "np.sum(np.array({l}))",
    "sum([e * e for e in {l}])",
    "sum(e * {s} for e in {l} if e > 0)",
)
LIST_WRITES = (
    "{l}.append({s})",
    "{l}.append({s})",
    "{l}[0] = {s}",
    "{l}[-1] += {s}",
    "{l} += [{s}]",
    "{l} = {l} + [{s}, 0.2]",
    "{l}.insert(0, {s})",
    "{l}.extend([{s}, {s}])",
    "{l}[0], {l}[-1] = {l}[-1], {l}[0]",
    "{l}.reverse()",
    "{l} = {l}[::-1]",
    "{l} = [e * {s} for e in {l}]",
    "{l}.append({l}.pop() * {s})",
    "{l}[:1] = [{s}]",
)
MATRIX_WRITES = (
    "{m}[{i}] = {v}",
    "{m}[:, {i}] += {v}",
    "{m}[{i}, {i}] = {s}",
    "{m}[1:] *= {s}",
    "{m}[0], {m}[1] = {m}[1].copy(), {m}[0].copy()",
    "{m}[[0, 1]] = {m}[[1, 0]]",
    "{m}[1:, 1:] -= 0.3 * {m}[:-1, :-1]",
    "{m} *= 0.5",
    "{m} = {m} @ {m}.T * 0.1",
    "np.fill_diagonal({m}, {s})",
    "{m}[{m} > 1.0] = {s}",
)
MATRIX_VIEWS = (
    "{m}.T[0] = {v}",
    "{m}[1][2] = {s}",
    "{w} = {m}[{i}]; {w} *= {s}",
    "{w} = {m}.T; {w}[1] += {v}",
    "{w} = {m}.ravel(); {w}[3:7] = {v}",
    "{m}[0], {m}[1] = {m}[1], {m}[0]",
    "for {w} in {m}: {w} *= {s}",
    "for {w} in {m}: {w}[0] = {s}",
)
OUTPUTS = (
    "np.multiply({v}, {s}, out={a})",
    "np.add({a}, {v}, out={a})",
    "np.sin({v}, out={a})",
    "np.multiply({v}, 2.0, out={a}, where={v} > 0)",
    "np.copyto({a}, {v})",
    "{a}.fill({s})",
    "np.add.at({a}, [0, 0, 2], {v}[1:])",
    "shifts({a}, {s})",
    "shifts({a}, {a})",
    "{t} = first_doubled({a})",
    "{t} = first_doubled({a}[1:])",
    "np.put({a}, [1, 3], {s})",
)
CONDITIONS = (
    "{s} > 0.2",
    "-0.5 < {s} < 1.5",
    "{s} > 0.1 and {s} < 2.0",
    "not {s} > 0.3 or {s} > 1.0",
    "len(x) > 3",
    "{s} > {s}",
)


class WholeLanguage(Writer):
    """Writes programs of everything that users write."""

    def __init__(self, draw: Any, *, arguments: bool) -> None:
        super().__init__(draw, views=draw(st.booleans()))
        self.arguments = arguments
        self.loops = 0
        self.features = draw(
            st.sets(
                st.sampled_from(
                    ("jumps", "lists", "dicts", "functions", "objects", "blocks", "out", "matrix")
                ),
                min_size=1,
                max_size=4,
            )
        )

    def kinds(self, names: Names, depth: int) -> list[str]:
        kinds = super().kinds(names, depth)
        for feature in sorted(self.features):
            kinds += getattr(self, f"_kinds_of_{feature}")(names, depth)
        if self.arguments:
            kinds += ["argument"]
        return kinds

    def condition(self, names: Names) -> str:
        """Return a condition, of values or of sizes."""
        return self.filled(self.pick(CONDITIONS), names, 1)

    def part(self, text: str, names: Names, **named: str) -> str:
        """Return a template with names and expressions in its places."""
        for letter, name in named.items():
            text = text.replace("{" + letter + "}", name)
        if "{w}" in text:
            text = text.replace("{w}", self.fresh("w"))
        if "{t}" in text:
            name = self.fresh("t")
            text = text.replace("{t}", name)
        return self.filled(text, names, 1)

    # -- jumps

    def _kinds_of_jumps(self, names: Names, depth: int) -> list[str]:
        return ["jump", "jump", "jump"] if self.loops else ["early"]

    def _loop(self, names: Names, depth: int) -> None:
        self.loops += 1
        super()._loop(names, depth)
        self.loops -= 1
        if "jumps" in self.features and self.draw(st.integers(0, 3)) == 0:
            self.emit(depth, "else:")
            self.block(names.inside(), depth + 1, least=1)

    def _until(self, names: Names, depth: int) -> None:
        counter = self.fresh("n")
        endless = "jumps" in self.features and self.draw(st.booleans())
        test = "True" if endless else f"{counter} < 3 and ({self.condition(names)})"
        self.emit(depth, f"{counter} = 0")
        self.emit(depth, f"while {test}:")
        self.emit(depth + 1, f"{counter} += 1")
        if endless:
            self.emit(depth + 1, f"if {counter} > 3 or {self.condition(names)}:")
            self.emit(depth + 2, "break")
        inner = names.inside()
        inner.indices.append(counter)
        self.loops += 1
        self.block(inner, depth + 1)
        self.loops -= 1

    def _jump(self, names: Names, depth: int) -> None:
        self.emit(depth, f"if {self.condition(names)}:")
        if self.draw(st.booleans()):
            self._update(names, depth + 1)
        jump = self.pick(["break", "continue", "return"])
        self.emit(depth + 1, f"return {self.result(names)}" if jump == "return" else jump)

    def _early(self, names: Names, depth: int) -> None:
        self.emit(depth, f"if {self.condition(names)}:")
        self.emit(depth + 1, f"return {self.result(names)}")

    # -- containers

    def _kinds_of_lists(self, names: Names, depth: int) -> list[str]:
        return ["change", "change", "read"] if names.lists else ["list", "list"]

    def _list(self, names: Names, depth: int) -> None:
        name = self.fresh("l")
        value = self.pick(
            [
                "[{s}, {s}]",
                "[e * {s} for e in {v}]",
                "list({v})",
                "collected({v}, {s})",
                "[0.1] * 3",
            ]
        )
        self.emit(depth, f"{name} = {self.filled(value, names, 1)}")
        names.lists.append(name)

    def _change(self, names: Names, depth: int) -> None:
        name = self.pick(names.lists)
        if self.views and self.draw(st.integers(0, 4)) == 0:
            other = self.fresh("l")
            self.emit(depth, f"{other} = {name}")
            names.lists.append(other)
        self.emit(depth, self.part(self.pick(LIST_WRITES), names, l=name))

    def _read(self, names: Names, depth: int) -> None:
        text = self.part(self.pick(LIST_READS), names, l=self.pick(names.lists))
        self.emit(depth, f"{self.pick(names.scalars)} += 0.3 * {text}")

    def _kinds_of_dicts(self, names: Names, depth: int) -> list[str]:
        return ["entry", "entry"] if names.dicts else ["dict"]

    def _dict(self, names: Names, depth: int) -> None:
        name = self.fresh("d")
        value = self.filled(self.pick(['{"a": {v}, "b": {v}}', "dict(a={v}, b={s} * x)"]), names, 1)
        self.emit(depth, f"{name} = {value}")
        names.dicts.append(name)

    def _entry(self, names: Names, depth: int) -> None:
        text = self.pick(
            (
                '{d}["a"] = {v}',
                '{d}["a"] = {d}["b"] * {s}',
                '{d}["b"], {d}["a"] = {d}["a"], {d}["b"]',
                '{t} = np.sum({d}["a"]) + {d}.get("c", 0.5)',
                "{t} = sum(np.sum(e * e) for e in {d}.values())",
                'for k, {w} in {d}.items(): s = s + 0.1 * np.sum({w}) * (k == "a")',
                "{d} = {k: e * {s} for k, e in {d}.items()}",
                '{d}["a"] = {d}["a"] * 1.0; {d}["a"][0] = {s}',
                "{d}.update(b={v})",
            )
        )
        name = self.pick(names.dicts)
        self.emit(depth, self.part(text.replace("{k:", "{{k:").replace("{{", "{"), names, d=name))
        self.emit(depth, f's += 0.1 * np.sum({name}["a"] * {name}["b"])')

    # -- functions and objects

    def _kinds_of_functions(self, names: Names, depth: int) -> list[str]:
        return ["call", "call", "define"] if names.functions else ["define"]

    def _define(self, names: Names, depth: int) -> None:
        name = self.fresh("f")
        kind = self.draw(st.integers(0, 3))
        if kind == 0:
            self.emit(depth, f"{name} = lambda u: u * {self.scalar(names, 1)} + 0.1")
        elif kind == 1:
            self.emit(depth, f"def {name}(u, c={self.scalar(names, 0)}):")
            self.emit(depth + 1, f"return np.tanh(u) * c + {self.scalar(names, 1)}")
        elif kind == 2:
            self.emit(depth, f"def {name}(u):")
            self.emit(depth + 1, f"if {self.condition(names)}:")
            self.emit(depth + 2, f"return u * {self.scalar(names, 0)}")
            self.emit(depth + 1, "return np.sin(u)")
        else:
            total = self.fresh("t")
            self.emit(depth, f"{total} = {self.scalar(names, 1)}")
            self.emit(depth, f"def {name}(u):")
            if self.draw(st.booleans()):
                self.emit(depth + 1, f"nonlocal {total}")
                self.emit(depth + 1, f"{total} = {total} * 0.5 + {self.scalar(names, 0)}")
            self.emit(depth + 1, f"return u * {total}")
            self.emit(depth, f"{total} = {total} * 0.5 + {self.scalar(names, 0)}")
            names.scalars.append(total)
        names.functions.append(name)

    def _call(self, names: Names, depth: int) -> None:
        name = self.pick(names.functions)
        text = self.pick(
            (
                f"np.sum({name}({{v}}))",
                f"{name}({{s}})",
                f"np.sum(applied({name}, {{v}}))",
                f"sum(map({name}, [{{s}}, {{s}}]))",
                "first_above({v}, {s})",
                "summed({s}, {s}, weight={s})",
                "summed(*[{s}, {s}])",
            )
        )
        self.emit(depth, f"{self.pick(names.scalars)} += 0.3 * {self.filled(text, names, 1)}")

    def _kinds_of_objects(self, names: Names, depth: int) -> list[str]:
        return ["send", "send"] if names.objects else ["object"]

    def _object(self, names: Names, depth: int) -> None:
        name = self.fresh("o")
        text = self.pick(["Box({v}, {s})", "Box({v})", "Box(value={v} * 1.0, scale={s})"])
        self.emit(depth, f"{name} = {self.filled(text, names, 1)}")
        names.objects.append(name)

    def _send(self, names: Names, depth: int) -> None:
        name = self.pick(names.objects)
        text = self.pick(
            (
                "{o}.value = {o}.value * {s} + {v}",
                "{o}.scale = {s}",
                "{o}.scale += {s}",
                "{t} = {o}.step({s})",
                "{o}.value = {o}.scaled({v})",
                "{o}.value, {o}.scale = {o}.value * 0.5, {o}.scale * {s}",
                "{o}.value = {o}.value * 1.0; {o}.value[0] = {s}",
            )
        )
        self.emit(depth, self.part(text, names, o=name))
        self.emit(depth, f"s += 0.1 * np.sum({name}.value) * {name}.scale")

    # -- blocks

    def _kinds_of_blocks(self, names: Names, depth: int) -> list[str]:
        return ["block_of", "walrus"] if depth < 2 and self.budget > 0 else ["walrus"]

    def _block_of(self, names: Names, depth: int) -> None:
        kind = self.draw(st.integers(0, 3))
        if kind == 0:
            self.emit(depth, 'with np.errstate(all="ignore"):')
            self.block(names.inside(), depth + 1, least=1)
            return
        if kind == 1:
            self.emit(depth, f"match {self.pick(['0', '1', 'len(x)'])}:")
            for case in ("0", "1 | 4", "_"):
                self.emit(depth + 1, f"case {case}:")
                self.block(names.inside(), depth + 2, least=1)
            return
        self.emit(depth, "try:")
        self.block(names.inside(), depth + 1, least=1)
        if kind == 2:
            self.emit(depth + 1, f"if {self.condition(names)}:")
            self.emit(depth + 2, 'raise ValueError("too large")')
            self._update(names, depth + 1)
            self.emit(depth, "except ValueError:")
        else:
            self.emit(depth, "finally:")
        self.block(names.inside(), depth + 1, least=1)

    def _walrus(self, names: Names, depth: int) -> None:
        name = self.fresh("t")
        self.emit(depth, f"if ({name} := {self.scalar(names, 1)}) > 0.2:")
        self.emit(depth + 1, f"{name} = {name} * {self.scalar(names, 0)}")
        names.scalars.append(name)

    # -- writes

    def _kinds_of_out(self, names: Names, depth: int) -> list[str]:
        return ["output", "output"] if names.owned else []

    def _output(self, names: Names, depth: int) -> None:
        self.emit(depth, self.part(self.pick(OUTPUTS), names, a=self.pick(names.owned)))

    def _kinds_of_matrix(self, names: Names, depth: int) -> list[str]:
        return ["rows", "rows"] if names.matrices else ["matrix"]

    def _matrix(self, names: Names, depth: int) -> None:
        name = self.fresh("m")
        text = self.pick(["np.outer({v}, {v})", "np.zeros((4, 4))", "np.eye(4) * {s}"])
        self.emit(depth, f"{name} = {self.filled(text, names, 1)}")
        names.matrices.append(name)

    def _rows(self, names: Names, depth: int) -> None:
        writes = MATRIX_WRITES + (MATRIX_VIEWS if self.views else ())
        name = self.pick(names.matrices)
        self.emit(depth, self.part(self.pick(writes), names, m=name))
        read = self.pick(["{m}[1] @ TABLE", "np.sum({m} * {m})", "{m}[1, 2] * {m}[2, 2]"])
        self.emit(depth, f"s += 0.1 * {read.replace('{m}', name)}")

    def _argument(self, names: Names, depth: int) -> None:
        text = self.pick(
            ("x[{i}] = {s}", "y[1:] *= {s}", "x += {v}", "y *= {s}", "x[{i}] += {s}", "s *= 0.5")
        )
        self.emit(depth, self.filled(text, names, 1))

    def program(self) -> str:
        return HELPERS + super().program()


@st.composite
def whole_programs(draw: Any, *, arguments: bool = False) -> str:
    """Draw the text of a module as `programs` does, from the whole language.

    With `arguments`, the program may write into its arguments.
    """
    return WholeLanguage(draw, arguments=arguments).program()
