"""Every way to the gradient of a program on the tape gives the same: modes, hooks, orders, batches.

`tests/programs` sees to it that the plain way is right.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pytest

from srcgrad import autograd, tape
from srcgrad.api.values import leaves
from srcgrad.autograd import forward_ad, graph
from srcgrad.errors import SrcgradError
from srcgrad.tape import Tensor
from tests.programs.corpus import Program, programs_by, sample
from tests.programs.test_forward import drawn, moved
from tests.refusals import skip_refused
from tests.tape.graphs import recorded
from tests.text import ledger

SHARE: Final = 6 if ledger.EVERY else 96
REFUSED: Final = "scipy_paths.path_of_a_nested_function"  # np.array of what is recorded, later
PROGRAMS: Final = [
    p for p in programs_by("source", "tape").values() if not p.warns and p.name != REFUSED
]


@dataclass
class Recorded:
    """A program on the tape, as it is recorded anew for each way, and its gradients."""

    program: Program

    def __post_init__(self) -> None:
        self.out, self.leaves = self.again()
        self.plain = arrays(autograd.grad(self.out, self.leaves, retain_graph=True, **UNUSED))

    def again(self, step: float = 0.0, **start: Any) -> tuple[Tensor, list[Tensor]]:
        """Record the program once more, some steps away, or from other leaves."""
        args, along = drawn(self.program, 3)
        args = tuple(
            a if t is None else moved(a, t, step) for a, t in zip(args, along, strict=True)
        )
        run, out = recorded(self.program.function, args, self.program.argnums, **start)
        if out is None:
            pytest.skip("no gradient")
        return out, run.tracked

    def along(self) -> list[Any]:
        """Return the direction of the steps, for each leaf."""
        return [np.asarray(part) for part in leaves(drawn(self.program, 3)[1]) if part is not None]


UNUSED: Final = {"allow_unused": True, "materialize_grads": True}


def arrays(tensors: Any) -> list[Any]:
    """Return what tensors hold, with zeros for none."""
    return [0.0 if t is None else t.detach().numpy().copy() for t in tensors]


def thrice(grads: Any) -> Any:
    """Return three times the gradients, of which there may be None."""
    return tuple(g if g is None else 3.0 * g for g in grads)


def same(found: list[Any], expected: list[Any], factor: float = 1.0) -> None:
    """Assert that gradients agree."""
    for mine, item in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, factor * np.asarray(item), rtol=1e-9, atol=1e-11)


@contextmanager
def known_to_be_refused() -> Iterator[None]:
    """Leave a test out whose case is refused, as the table of refusals knows."""
    try:
        yield
    except (SrcgradError, NotImplementedError, RuntimeError) as refusal:
        skip_refused(refusal)


@pytest.fixture
def made(program: Program) -> Recorded:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        with known_to_be_refused():
            return Recorded(program)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", sample(PROGRAMS, SHARE), ids=lambda p: p.name)
class TestEveryWay:
    """One recording, and other passes over it; or another recording."""

    def test_what_leaves_hold_adds_up(self, made: Recorded) -> None:
        for times, recording in ((1, False), (2, True), (3, False)):
            made.out.backward(retain_graph=True, create_graph=recording)
            same(arrays(leaf.grad for leaf in made.leaves), made.plain, times)
        made.leaves[0].grad = None
        made.out.backward(inputs=made.leaves[:1], retain_graph=True)
        found = arrays(leaf.grad for leaf in made.leaves)
        same(found[:1], made.plain[:1])
        same(found[1:], made.plain[1:], 3)

    def test_a_pass_that_is_recorded_or_checked(self, made: Recorded) -> None:
        recorded_too = autograd.grad(made.out, made.leaves, create_graph=True, **UNUSED)
        same(arrays(recorded_too), made.plain)
        with autograd.detect_anomaly(check_nan=False):
            same(
                arrays(autograd.grad(made.out, made.leaves, retain_graph=True, **UNUSED)),
                made.plain,
            )

    def test_several_seeds_at_once(self, made: Recorded) -> None:
        seeds = np.array([1.0, -2.5]).reshape(2, *[1] * made.out.ndim)
        stacks = autograd.grad(
            made.out, made.leaves, seeds, is_grads_batched=True, retain_graph=True, **UNUSED
        )
        for row, factor in enumerate((1.0, -2.5)):
            rows = [  # what is not used is no stack, as PyTorch has it
                stack.numpy()[row] if stack.ndim > leaf.ndim else stack.numpy()
                for stack, leaf in zip(stacks, made.leaves, strict=True)
            ]
            same(rows, made.plain, factor)

    def test_hooks_change_what_goes_on(self, made: Recorded) -> None:
        seen: list[str] = []
        handles = [made.out.register_hook(lambda g: seen.append("tensor") or 2.0 * g)]
        if made.out.grad_fn is not None:
            handles.append(made.out.grad_fn.register_prehook(thrice))
            handles.append(made.out.grad_fn.register_hook(lambda *_: seen.append("after")))
        changed = autograd.grad(made.out, made.leaves, retain_graph=True, **UNUSED)
        same(arrays(changed), made.plain, 2.0 * 3.0 ** (len(handles) > 1))
        assert seen == ["tensor", "after"][: len(handles)]
        for handle in handles:
            handle.remove()
        same(arrays(autograd.grad(made.out, made.leaves, retain_graph=True, **UNUSED)), made.plain)
        assert len(seen) <= 2

    def test_values_that_are_packed(self, made: Recorded) -> None:
        def unpack(packed: Any) -> Tensor:
            return tape.tensor(packed)

        with graph.saved_tensors_hooks(lambda t: t.detach().numpy().copy(), unpack):
            out, leaves = made.again()
        for recording in (False, True):
            with np.errstate(all="ignore"):
                grads = autograd.grad(
                    out, leaves, retain_graph=True, create_graph=recording, **UNUSED
                )
            found = arrays(grads)
            if not any(np.isnan(g).any() for g in found):  # what is not chosen is not known then
                same(found, made.plain)

    def test_tangents_along_the_way(self, made: Recorded) -> None:
        along = made.along()
        waiting = iter(along)

        def dual(value: Any) -> Any:
            leaf = tape.tensor(value, requires_grad=True)
            return forward_ad.make_dual(leaf, tape.tensor(next(waiting)))

        with forward_ad.dual_level(), known_to_be_refused():
            out, _ = made.again(start=dual)
            tangent = forward_ad.unpack_dual(out).tangent
        found = 0.0 if tangent is None else tangent.detach().numpy().item()
        expected = sum(np.sum(g * d) for g, d in zip(made.plain, along, strict=True))
        np.testing.assert_allclose(found, expected, 1e-8, 1e-10)

    def test_second_derivatives_by_differences_of_the_first(self, made: Recorded) -> None:
        grads = autograd.grad(made.out, made.leaves, create_graph=True, **UNUSED)
        slope = sum((g * d).sum() for g, d in zip(grads, made.along(), strict=True))
        found = [np.zeros_like(g) for g in made.plain]
        if slope.requires_grad:
            with known_to_be_refused():
                found = arrays(autograd.grad(slope, made.leaves, **UNUSED))

        def at(step: float) -> list[Any]:
            return arrays(autograd.grad(*made.again(step), **UNUSED))

        step = 1e-4
        ends = [at(part * step) for part in (1, -1, 2, -2)]
        for mine, one, minus_one, two, minus_two in zip(found, *ends, strict=True):
            near, far = (one - minus_one) / (2 * step), (two - minus_two) / (4 * step)
            expected = (4 * near - far) / 3
            scale = max(1.0, float(np.max(np.abs(expected), initial=0)))
            doubt = 1.5 * np.abs(near - far)  # of differences, near kinks and where it is steep
            wrong = np.abs(mine - expected) > 1e-5 * scale + doubt
            assert not np.any(wrong), (mine, expected)
