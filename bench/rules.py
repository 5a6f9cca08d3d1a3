"""Times adjoints of rules against their primals, and the gradient of reads in a loop."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

import srcgrad as sg
from bench.timing import in_words, measure
from srcgrad.rules.base import Context
from srcgrad.rules.library import canonical_name, rule_for

LIMIT = 5.0
SIZE = 12_000
WIDE = 60  # of a matrix, for what costs the cube of it

REASONS = {
    "numpy.absolute": "the sign takes NumPy longer than the absolute value",
    "numpy.divide": "two gradients, one of them of three operations",
    "numpy.power": "two gradients, one with a logarithm and one with a power of its own",
    "numpy.maximum": "two gradients, each compared, multiplied, searched for ties and for infinity",
    "numpy.max": "the comparison with the largest, the count of ties and their share",
    "numpy.prod": "products of pairs up and down again, which are exact with zeros",
    "numpy.cumprod": "a pass for each bit of the number of rows, which is exact with zeros",
    "numpy.linalg.cholesky": "an inverse and three products, for one factorisation",
    "numpy.linalg.det": "the cofactors take an inverse and a singular value decomposition",
    "numpy.fft.rfft": "the transform back is one of complex numbers, of twice the size",
}
"""Rules that may cost more than LIMIT times their primal, and why; the guide repeats them."""


def cases() -> dict[Callable[..., Any], tuple[Any, ...]]:
    """Return functions with arguments that are large enough to be what takes the time."""
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0.2, 0.9, (2, SIZE))
    table, square = rng.uniform(0.2, 0.9, (400, 500)), rng.uniform(0.2, 0.9, (WIDE, WIDE))
    symmetric = square @ square.T + WIDE * np.eye(WIDE)
    unary = (np.exp, np.log, np.sqrt, np.tanh, np.sin, np.arctan, np.square, np.absolute, np.cbrt)
    binary = (np.add, np.multiply, np.divide, np.power, np.maximum, np.arctan2, np.hypot)
    reducing = (np.sum, np.mean, np.prod, np.max, np.std, np.var, np.cumsum, np.sort, np.median)
    of_matrices = (np.linalg.inv, np.linalg.det, np.linalg.cholesky, np.linalg.eigh, np.linalg.qr)
    return {
        **dict.fromkeys(unary, (x,)),
        **dict.fromkeys(binary, (x, y)),
        **dict.fromkeys(reducing, (x,)),
        **dict.fromkeys(of_matrices, (symmetric,)),
        np.matmul: (square, square),
        np.dot: (x, y),
        np.linalg.solve: (symmetric, square),
        np.linalg.norm: (x,),
        np.concatenate: ([x, y],),
        np.transpose: (table,),
        np.take: (x, np.arange(0, SIZE, 2)),
        np.where: (x > 0.5, x, y),
        np.clip: (x, 0.3, 0.6),
        np.cumprod: (table[:, :8], 0),
        np.interp: (x, np.linspace(0, 1, 50), rng.uniform(size=50)),
        np.fft.rfft: (x,),
        np.convolve: (x, y[:64]),
        np.diff: (x,),
        special.erf: (x,),
        special.gammaln: (x,),
        special.logsumexp: (x,),
    }


def prepared(function: Callable[..., Any], args: tuple[Any, ...]) -> Callable[[], Any]:
    """Return a call of the adjoint alone, for a value that has been computed."""
    rule: Any = rule_for(function)
    bound = inspect.signature(rule.forward).bind(None, *args)
    bound.apply_defaults()
    needs = [_is_float(value) for value in list(bound.arguments.values())[1:]]
    context = Context(tuple(needs))
    bound.arguments["ctx"] = context
    result = rule.forward(*bound.args, **bound.kwargs)
    outputs = tuple(result) if isinstance(result, tuple) else (result,)
    grads = [np.ones_like(out) for out in outputs]
    return functools.partial(rule.backward, context, *grads)


def _is_float(value: Any) -> bool:
    return getattr(getattr(value, "dtype", None), "kind", "") == "f"


def elements(x: Any, pieces: int) -> Any:
    """Return a sum over elements that are read one by one."""
    total = 0.0
    for i in range(pieces):
        total = total + x[i] * x[i]
    return total


def main() -> None:
    """Print the cost of each adjoint as a multiple of its primal, and that of reading in loops."""
    print(f"Adjoint of each rule, as a multiple of its primal (at most {LIMIT:.0f}, or a reason)")
    for function, args in cases().items():
        primal = functools.partial(function, *args)
        timings = measure({"primal": primal, "adjoint": prepared(function, args)}, turns=9)
        ratio = timings["adjoint"].best / timings["primal"].best
        name = canonical_name(function)
        why = REASONS.get(name, "NO REASON GIVEN") if ratio > LIMIT else ""
        print(f"  {name:24}{in_words(timings['primal'].best):>10}{ratio:8.2f}  {why}")
    print("\nGradient of a sum over 300 elements read in a loop, by the size of the array")
    gradient = sg.grad(elements)
    sizes = {
        f"{n:,}": functools.partial(gradient, np.ones(n), 300) for n in (1_000, 10_000, 100_000)
    }
    for name, timing in measure(sizes, turns=9).items():
        print(f"  {name:>10} elements{in_words(timing.best):>12}")
    print(flush=True)


if __name__ == "__main__":
    main()
