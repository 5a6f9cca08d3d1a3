"""Calls of every form, with operands of each example and of all."""

from __future__ import annotations

from itertools import product

OPERANDS = ("x", "m", "s", "k", "b", "w", "v", "c", "j", "2.0")
"""Of each example: vectors, matrices, numbers, whole ones, truths. Of all: such, and a literal."""
_PAIRS = (
    *(("x", other) for other in OPERANDS),
    *(("m", other) for other in ("x", "s", "k", "w", "v", "c")),
    *((other, "m") for other in ("x", "v", "w", "s")),
    *(("s", other) for other in ("x", "s", "k", "w", "c", "2.0")),
    *(("k", other) for other in ("x", "k", "s", "j", "2", "c", "w")),
    *(("b", other) for other in ("b", "x", "s", "c")),
    *(
        ("w", "x"),
        ("v", "m"),
        ("2.0", "s"),
        ("c", "k"),
        ("x[0]", "w"),
        ("x[None]", "m"),
        ("z", "x"),
    ),
)
_ONE = ("x", "m", "s", "k", "b", "w", "c", "[s, c]", "[x, w]", "x[0]", "z")
_AXES = ("", ", axis=0", ", axis=-1", ", 0", ", axis=1", ", keepdims=True", ", axis=(0, 1)")
_ITEMS = ("[x, x]", "[x, w]", "[w, x]", "[s, c]", "[s, 2.0, s]", "[c, 2.0]", "(x, x, w)", "[m, v]")
_ITEMS += (
    "[m, m]",
    "[s]",
    "[x]",
    "[k, k]",
    "[k, 1]",
    "[s, k]",
    "[[s, c], [c, s]]",
    "[[s, s], w[:2]]",
)
_ITEMS += ("[x[1:], w]", "[w, w]", "[x, [1.0, 2.0, c, s]]", "[b, b]", "[x[:0], x]", "[m[0], w]")
_SHAPES = ("4", "(4,)", "(2, 4)", "x.shape", "len(x)", "m.shape", "(j, 2)", "()", "x.shape[0]")
_SHAPES += ("(len(x), 2)", "k", "np.shape(x)", "[2, 2]", "s.shape", "m.shape[1:]", "x.size")

FORMS = {
    "operators": [
        *(f"{a} {sign} {b}" for sign, (a, b) in product(("+", "/", "**", ">", "@"), _PAIRS)),
        *(f"{a} {sign} {b}" for sign, (a, b) in product(("//", "%", "==", "-"), _PAIRS[::3])),
        *(f"{sign}{a}" for sign, a in product(("-", "+", "not ", "~"), _ONE)),
        *("0 < s < c", "0 < s < k", "x[0] < c < x[1]", "b & b", "b | (x > 0)", "k & 1", "k << 1"),
        *(
            "s and c",
            "s or c",
            "c and s",
            "b[0] and s > 0",
            "x[0] > 0 or x[1]",
            "s if s > 1 else c",
        ),
        *("x if s > 1 else w", "w if b[0] else x", "s if j else c", "c if c > 1 else s"),
        *(
            "k if k > 1 else 0.5",
            "x if k else x * 2",
            "1 if s > 1 else 2",
            "True if s > 1 else False",
        ),
    ],
    "elements": [
        *(
            f"np.{f}({a}, {b})"
            for f, (a, b) in product(("add", "maximum", "arctan2", "power", "fmod"), _PAIRS[::2])
        ),
        *(
            f"np.where({t}, {a}, {b})"
            for t in ("x > 0", "s > 1", "b", "c > 0")
            for a, b in _PAIRS[::3]
        ),
        *(f"np.{f}({a})" for f in ("sin", "abs", "sign", "floor", "isnan", "square") for a in _ONE),
        *(f"np.{f}({a})" for f in ("real", "nan_to_num", "copy", "asarray") for a in _ONE),
        *(
            f"{f}({a})"
            for f in (
                "np.array",
                "np.ravel",
                "np.atleast_1d",
                "float",
                "abs",
                "round",
                "int",
                "bool",
            )
            for a in _ONE
        ),
    ],
    "joined": [
        *(
            f"np.{f}({items}{axis})"
            for f, items, axis in product(
                ("concatenate", "stack", "hstack", "vstack", "column_stack"),
                _ITEMS,
                ("", ", axis=1", ", axis=-1"),
            )
            if f in ("concatenate", "stack") or not axis
        ),
        *(f"np.array({items})" for items in _ITEMS),
        *(f"np.array({items}) * 2" for items in _ITEMS),
        *(f"np.ravel({items})" for items in _ITEMS),
        *(f"np.broadcast_arrays({a}, {b})[{i}]" for i, (a, b) in product((0, 1), _PAIRS[::2])),
        *("np.append(x, s)", "np.append(x, w)", "np.append(w, s)", "np.meshgrid(x, w)[0]"),
        *("np.atleast_2d(x)", "np.atleast_1d(s)", "np.insert(x, 1, s)", "np.delete(x, 1)"),
    ],
    "reduced": [
        *(
            f"np.{f}({a}{axis})"
            for f, a, axis in product(("sum", "max", "mean", "argmax", "all"), _ONE, _AXES)
            if axis.count("1") < 2 or a in ("m", "[x, w]")
        ),
        *(f"np.{f}({a})" for f in ("prod", "std", "median", "ptp", "linalg.norm") for a in _ONE),
        *(
            f"np.{f}(t{axis})"
            for f in (
                "sum",
                "argmax",
                "median",
                "linalg.norm",
                "cumsum",
                "sort",
                "ptp",
                "prod",
                "flip",
            )
            for axis in ("", ", axis=0", ", axis=-1", ", axis=1")
        ),
        *(f"np.cumsum({a}{axis})" for a, axis in product(_ONE, _AXES[:4])),
        *(f"np.sort({a}{axis})" for a, axis in product(_ONE, _AXES[:4])),
        *(f"{a}.{f}" for a in ("x", "m", "w", "s") for f in ("sum()", "max(0)", "mean(axis=-1)")),
        *(f"{f}({a})" for f in ("sum", "max", "min", "len", "sorted", "any", "all") for a in _ONE),
        *(
            "max(s, c)",
            "min(s, c, 2.0)",
            "max(x[0], s)",
            "max(k, 1)",
            "min(c, 2.0)",
            "max(x, key=abs)",
        ),
        *(
            "sum(x * w)",
            "sum([s, c])",
            "sum(a * a for a in x)",
            "sum(a for a in [s, c])",
            "sum(w, s)",
        ),
    ],
    "made": [
        *(f"np.{f}({shape})" for f, shape in product(("zeros", "ones"), _SHAPES)),
        *(f"np.full({shape}, {a})" for shape, a in product(_SHAPES[:6], ("s", "c", "k", "x", "w"))),
        *(f"np.{f}({a})" for f in ("zeros_like", "ones_like") for a in _ONE),
        *(
            f"np.full_like({a}, {b})"
            for a, b in product(("x", "w", "s", "m", "k"), ("s", "c", "x"))
        ),
        *("np.eye(4)", "np.eye(j)", "np.arange(4) * s", "np.linspace(0.0, s, 3)", "np.arange(k)"),
        *(
            "np.linspace(0, 1, len(x))",
            "np.zeros(4, int)",
            "np.zeros((2, 2)) + s",
            "np.identity(2)",
        ),
        *(
            "[0.0] * 3",
            "[s] * 2",
            "[s, c]",
            "(s, x)",
            "[x[i] for i in range(3)]",
            "[a * c for a in x]",
        ),
        *("{'a': s}['a']", "[s, c][0]", "list(x)[0]", "[*x][1]", "dict(a=x)['a']"),
    ],
    "arranged": [
        *(
            f"np.{f}({a}, {to})"
            for f, a, to in product(
                ("reshape", "broadcast_to"),
                ("x", "m", "w", "s", "[s, s, c, c]"),
                ("(2, 2)", "(-1,)", "-1", "(2, 4)", "(3, 4)", "(4, 1)", "x.shape", "(len(x),)"),
            )
        ),
        *(
            f"{a}.{f}"
            for a in ("x", "m", "v", "t")
            for f in ("T", "reshape(-1)", "ravel()", "flatten()")
        ),
        *(
            f"{a}.{f}"
            for a in ("x", "m", "v")
            for f in ("copy()", "shape[0]", "size", "ndim", "tolist()")
        ),
        *(
            f"np.{f}"
            for a in ("x", "m", "v", "t", "[x, w]")
            for f in (
                *(f"transpose({a})", f"swapaxes({a}, 0, -1)", f"moveaxis({a}, 0, -1)"),
                *(f"expand_dims({a}, 0)", f"expand_dims({a}, -1)", f"squeeze({a}[:1])"),
                *(f"flip({a})", f"flip({a}, 0)", f"roll({a}, 1)", f"roll({a}, 1, axis=0)"),
                *(f"repeat({a}, 2)", f"repeat({a}, 2, axis=0)", f"tile({a}, 2)", f"diff({a})"),
                *(f"tril({a})", f"split({a}, 2)[0]", f"array_split({a}, 2)[1]", f"diag({a})"),
            )
        ),
    ],
    "parts": [
        f"{a}[{index}]"
        for a in ("x", "m", "w", "v", "t")
        for index in (
            *("0", "-1", "1:", ":-1", "::-1", "...", "None", ":, 0", "0, 1", "1:, 0", ":, None"),
            *("k % 3", "k - 4", "j - 1", "[0, 2]", "ks", "[0, 1], [1, 2]", ":, k % 3", "k % 3, 0"),
            *(
                "None, k % 3",
                "k % 3, k % 3",
                "ks, 0",
                "x > 0",
                "w > 0",
                "b",
                "..., 0",
                "..., k % 3",
            ),
            *("np.argsort(x)", "np.argmax(x)", "np.array([1, 0])", "1:j", "k % 3, 1:", "0, k % 3"),
            *("True", "j:", "()", "np.arange(2)", "np.arange(2)[:, None], ks", "0, ks", "ks, ks"),
        )
    ]
    + [
        f"{a}[{index}]"
        for a in ("[s, c, s]", "(s, c)", "[x, w, x]")
        for index in ("0", "-1", "1:", "::-1", "j - 1", "1:j", ":-1", "k", "j:", "True", "j - 2")
    ],
    "products": [
        *(
            f"np.{f}({a}, {b})"
            for f, (a, b) in product(
                ("dot", "matmul", "inner", "outer", "kron", "vdot", "cross", "convolve"),
                (
                    ("x", "x"),
                    ("x", "w"),
                    ("w", "x"),
                    ("m", "x"),
                    ("v", "x"),
                    ("m", "w"),
                    ("x", "q"),
                    ("m", "q"),
                    ("v", "q"),
                    ("s", "x"),
                    ("s", "c"),
                    ("q", "q"),
                    ("z", "x"),
                    ("t", "x"),
                    ("x[:3]", "w[:3]"),
                    ("m[:, :3]", "x[1:]"),
                    ("m.T", "v"),
                    ("[s, c]", "w[:2]"),
                ),
            )
        ),
        *("np.einsum('i,i', x, w)", "np.einsum('ij,j->i', m, x)", "np.einsum('ij,kj', m, v)"),
        *("np.einsum('ii', q)", "np.einsum('...j,j', m, w)", "np.einsum('ij->ji', v) * s"),
        *("np.tensordot(m, x, 1)", "np.tensordot(v, q, 1)", "np.trace(q)", "np.linalg.det(q)"),
        *("np.linalg.solve(q, x)", "np.linalg.inv(q)", "np.linalg.solve(q, w)", "np.polyval(x, s)"),
        *("np.interp(s, w, x)", "np.interp(x, np.arange(4.0), w)", "np.polyval([s, c], x)"),
    ],
}
