"""Times the differentiation itself: of 10 lines, of up to 5,000 statements, and of much else.

`python -m bench.compile_time long` adds the sizes that programs made by programs have.
"""

from __future__ import annotations

import importlib.util
import math
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import srcgrad as sg
from bench.timing import in_words

TEN_LINES = """\
def loss(params, images, labels, scale={number}.0):
    hidden = np.tanh(images @ params["w1"] + params["b1"])
    other = np.tanh(hidden @ params["w2"] + params["b2"])
    logits = other @ params["w3"] + params["b3"]
    logits = logits - logits.max(axis=1, keepdims=True)
    total = np.sum(np.exp(logits), axis=1, keepdims=True)
    log_p = logits - np.log(total)
    picked = log_p[np.arange(len(labels)), labels]
    penalty = np.sum(params["w1"] ** 2) * scale
    return penalty - np.mean(picked)
"""


def statements(count: int, number: int) -> str:
    """Return a function of `count` statements; `number` makes its text new."""
    lines = [f"    t0 = x * {number}.0", "    t1 = np.sin(x)"]
    lines += [
        f"    t{i} = np.sin(t{i - 1}) * x + (t{i - 2} - 0.5) * 0.25" for i in range(2, count - 1)
    ]
    return "\n".join(["def long(x):", *lines, f"    return np.sum(t{count - 2})"]) + "\n"


def chain(count: int, number: int) -> str:
    """Return functions that call each other in a chain."""
    first = f"def long(x):\n    return f{count - 1}(x) * {number}.0\n"
    body = "    y = np.sin(x) * {i}.0\n    z = {call}y * x)\n    return z + y\n"
    calls = ["np.sum(", *(f"f{i - 1}(" for i in range(1, count))]
    parts = [f"def f{i}(x):\n" + body.format(i=i, call=call) for i, call in enumerate(calls)]
    return "\n\n".join([*parts, first])


def choices(count: int, number: int) -> str:
    """Return a function with so many `elif`."""
    tests = [f"    elif k == {i}:\n        y = x * {i}.5\n" for i in range(count)]
    head = f"def long(x, k):\n    if k == -1:\n        y = x * {number}.0\n"
    return head + "".join(tests) + "    else:\n        y = x\n    return y * y\n"


def writes(count: int, number: int) -> str:
    """Return a function that writes so many elements of an array."""
    lines = [f"    y[{i}] = np.sin(x[{i}]) * {i}.5\n" for i in range(count)]
    return (
        f"def long(x):\n    y = np.zeros({count})\n{''.join(lines)}    return y @ y * {number}.0\n"
    )


def entries(count: int, number: int) -> str:
    """Return a function that puts so many values into a list, and reads each."""
    shown = ", ".join(f"x * {i}.5" for i in range(count))
    lines = [f"    total = total + np.sum(np.sin(p[{i}]))\n" for i in range(count)]
    head = f"def long(x):\n    p = [{shown}]\n    total = {number}.0\n"
    return f"{head}{''.join(lines)}    return total\n"


def keys(count: int, number: int) -> str:
    """Return a function that puts so many values into a dict, and reads each."""
    shown = ", ".join(f'"k{i}": x * {i}.5' for i in range(count))
    lines = [f'    total = total + np.sum(np.sin(p["k{i}"]))\n' for i in range(count)]
    head = f"def long(x):\n    p = {{{shown}}}\n    total = {number}.0\n"
    return f"{head}{''.join(lines)}    return total\n"


def rows(count: int, number: int) -> str:
    """Return a function that puts so many lists of two values into a list, and reads each."""
    shown = ", ".join(f"[x * {i}.5, np.cos(x)]" for i in range(count))
    lines = [f"    total = total + np.sum(p[{i}][0] * p[{i}][1])\n" for i in range(count)]
    head = f"def long(x):\n    p = [{shown}]\n    total = {number}.0\n"
    return f"{head}{''.join(lines)}    return total\n"


def loops(count: int, number: int) -> str:
    """Return a function of so many loops, one after the other."""
    lines = [f"    for i in range(k):\n        y = np.sin(y) * {i}.5\n" for i in range(count)]
    return f"def long(x, k):\n    y = x * {number}.0\n{''.join(lines)}    return np.sum(y)\n"


def sums(count: int, number: int) -> str:
    """Return a function that is one sum of so many terms."""
    terms = " + ".join(f"x[{i}] * {i}.5" for i in range(count))
    return f"def long(x):\n    return {terms} + {number}.0\n"


def parameters(count: int, number: int) -> str:
    """Return a function of so many arguments, of which the first is differentiated."""
    names = ["x", *(f"a{i}" for i in range(1, count))]
    return f"def long({', '.join(names)}):\n    return ({' + '.join(names)}) ** 2 * {number}.0\n"


LONG = {
    "5,000 statements": statements(5000, 1),
    "1,000 elif": choices(1000, 3),
    "1,000 writes": writes(1000, 2),
    "3,000 entries": entries(3000, 1),
    "3,000 keys": keys(3000, 1),
    "500 arguments": parameters(500, 1),
    "a chain of 300 functions": chain(300, 1),
}


def compiled_in(text: str, name: str, number: int, folder: Path) -> float:
    """Return the CPU time that it takes to differentiate a function nobody has seen before."""
    function = function_in(text, name, number, folder)
    start = time.process_time()
    sg.grad(function, fallback="error").source  # noqa: B018 - asked for, it is made
    return time.process_time() - start


def called_first(text: str, number: int, folder: Path) -> float:
    """Return the CPU time of the first call of a gradient, the check of it included."""
    gradient = sg.grad(function_in(text, "long", number, folder), fallback="error")
    values = np.linspace(0.2, 0.7, 3)
    start = time.process_time()
    gradient(values)
    return time.process_time() - start


def function_in(text: str, name: str, number: int, folder: Path) -> Any:
    """Return a function that nobody has seen before."""
    path = folder / f"{name}_{number}.py"
    path.write_text(f"import numpy as np\n\n\n{text}", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return getattr(module, name)


def print_first_calls(folder: Path) -> None:
    """Print the CPU time of first calls: the median and the least."""
    print("First call with the check of the derivative (targets: 15, 150, 450, 1,500 ms)")
    for count, repeats in {10: 15, 100: 5, 300: 3, 1000: 3}.items():
        numbers = range(1_000_000 + 100 * count, 1_000_000 + 100 * count + repeats + 1)
        _, *samples = [called_first(statements(count, n), n, folder) for n in numbers]
        typical, best = in_words(statistics.median(samples)), in_words(min(samples))
        print(f"  {f'{count:,} statements':28}{typical:>12}{best:>12}", flush=True)
    print(flush=True)


def main() -> None:
    """Print the times, and how they grow with the length."""
    with tempfile.TemporaryDirectory() as folder:
        print_first_calls(Path(folder))
        print("Compile time for any shapes, as `source` asks for it (linear growth is wanted)")
        times = {}
        cases = {"10 lines": (TEN_LINES, "loss", 15)}
        for count in [100, 300, 1000]:
            cases[f"{count:,} statements"] = ("", "long", 5 if count < 1000 else 3)
        for label, (text, name, repeats) in cases.items():
            samples = []
            for number in range(repeats):
                count = int(label.split()[0].replace(",", ""))
                source = text.format(number=number) if text else statements(count, number)
                unique = number + 100 * count
                samples.append(compiled_in(source, name, unique, Path(folder)))
            times[label] = statistics.median(samples)
            best = in_words(min(samples))
            print(f"  {label:28}{in_words(times[label]):>12}{best:>12}", flush=True)
        for label, text in {
            "a chain of 100 functions": chain(100, 1),
            "100 elif": choices(100, 1),
            "300 elif": choices(300, 2),
            "100 writes": writes(100, 1),
            "400 writes": writes(400, 1),
            "100 entries": entries(100, 1),
            "400 entries": entries(400, 1),
            "100 keys": keys(100, 1),
            "400 keys": keys(400, 1),
            "100 rows of a list": rows(100, 1),
            "400 rows of a list": rows(400, 1),
            "100 loops": loops(100, 1),
            "400 loops": loops(400, 1),
            "250 terms": sums(250, 1),
            "1,000 terms": sums(1000, 1),
            **(LONG if "long" in sys.argv else {}),
        }.items():
            seconds = compiled_in(text, "long", len(text), Path(folder))
            print(f"  {label:28}{in_words(seconds):>12}", flush=True)
    few, many = times["100 statements"], times["1,000 statements"]
    print(
        f"  growth: time goes with length to the power {math.log10(many / few):.2f}\n", flush=True
    )


if __name__ == "__main__":
    main()
