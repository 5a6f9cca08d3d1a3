"""Makes the text that a request asks for, and says what it relies on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from srcgrad.compiler.conditions import NeverHoldsError
from srcgrad.compiler.field_reads import outside_written
from srcgrad.compiler.findings import Findings
from srcgrad.compiler.generated import FunctionState, Generated, Request
from srcgrad.compiler.module import Module
from srcgrad.compiler.one_program import expander_for, hands_back, meets_entries, one_compilation
from srcgrad.compiler.pure import made
from srcgrad.compiler.records import inlined_in, layout_of
from srcgrad.compiler.reserved import by_own_names, leaving, left_over, own_names
from srcgrad.compiler.stages import Stages
from srcgrad.compiler.unbound import unbound
from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.errors import MutationError, SrcgradError, UnsupportedError
from srcgrad.frontend.expand.assumptions import Of, Outside
from srcgrad.frontend.expand.entry import Expander
from srcgrad.frontend.expand.holding import Holding
from srcgrad.frontend.expand.session import Session
from srcgrad.frontend.rebinding import rebound
from srcgrad.frontend.returned_lists import lists_returned, returns_list, returns_new_list
from srcgrad.frontend.source import refuse_generators
from srcgrad.frontend.usage import container_parameters, vector_parameters
from srcgrad.garbage import uncollected
from srcgrad.ir import gast
from srcgrad.ir.names import Namer
from srcgrad.ir.scopes import Binding
from srcgrad.ir.walk import found_in, nodes_in
from srcgrad.runtime.tables import depth_of_table
from srcgrad.spans import Span
from srcgrad.transforms.externals import Externals


def gradient_text(request: Request, stages: Stages | None) -> Generated:
    """Return the source of a gradient, as `compile_gradient` says."""
    return generate(request, lambda request: _make_module(request, stages))


def halves_text(request: Request, stages: Stages | None) -> Generated:
    """Return the source of halves, as `compile_halves` says."""
    return generate(request, lambda request: _make_halves(request, stages))


def generate(request: Request, make: Callable[[Request], tuple[Module, str, str]]) -> Generated:
    """Return what `make` makes of a request: a module, its entry and that of a backward half."""
    refuse_generators(request.function)
    for cached in (
        container_parameters,
        returns_list,
        returns_new_list,
        lists_returned,
        vector_parameters,
    ):
        cached.cache_clear()  # a function that they looked into may have been replaced
    request = by_own_names(request)
    with one_compilation(), uncollected():
        try:
            return _generated(request, make)
        except NeverHoldsError:  # what is outside is not such that its names may be variables
            return _generated(replace(request, holds=False), make)
        except UnsupportedError as refusal:
            for closer in _closer(request, refusal):
                try:
                    return _generated(closer, make)
                except (NeverHoldsError, UnsupportedError):
                    continue
            raise


def _closer(request: Request, refusal: UnsupportedError) -> Iterator[Request]:
    """Yield how a request may be looked at more closely that was refused.

    Dicts and lists that are written are known entry by entry, which takes copies of the entries; of
    functions that may hand back their arguments is seen in place when they do.
    """
    if meets_entries(request) and not request.pure:
        yield replace(request, by_entries=True)
    if isinstance(refusal, MutationError) and hands_back():
        yield replace(request, in_place=True)


def _generated(request: Request, make: Callable[[Request], tuple[Module, str, str]]) -> Generated:
    request, module, entry, backward = _made_by_users_names(request, make)
    text, lines = module.render()
    externals = module.externals
    session = module.expander.session
    fixed = [b for b in _unique([*module.bindings, *session.used]) if not _is_data(b, externals)]
    tables = frozenset(n for n, b in externals.data.items() if _place(b) in session.tables)
    _assume_tables(session, {_place(externals.data[name]) for name in tables})
    fixed += _unique(list(unbound([request.function, *session.functions])))
    return Generated(
        text,
        entry,
        lines,
        dict(externals.bound),
        dict(externals.data),
        fixed,
        frozenset(module.scalars),
        request.keep_complex,
        module.conditions,
        backward,
        tuple(module.taped),
        (*module.functions.values(), *map(FunctionState.of, session.functions)),
        module.written,
        tuple(session.assumptions.values()),
        module.renamed,
        layout_of(module.definitions, module.halves_made()),
        _findings(module),
        tuple(session.nested),
        not _SHAPE_BLIND.isdisjoint(module.externals.runtime),
        inlined_in(module.definitions),
        module.proofs.of(text, dict(externals.bound)),
        request.copied,
        stored=module.stored,
        outside=outside_written(source for source, _ in module.definitions),
        tables=tables,
    )


def _made_by_users_names(
    request: Request, make: Callable[[Request], tuple[Module, str, str]]
) -> tuple[Request, Module, str, str]:
    """Make a module in which the user's variables keep their names, but for those it imports."""
    first = made(request, make)
    left = left_over(request.function, first[1].externals.runtime)
    if not left:
        return first
    with leaving(left):
        try:
            second = made(request, make)
        except (SrcgradError, NeverHoldsError):  # it came to need one
            return first
    return second if left.isdisjoint(second[1].externals.runtime) else first


def _findings(module: Module) -> Findings | None:
    """Return what the passes found out, if an account of it was kept."""
    if module.stages.account is None:
        return None
    called = {*module.externals.imports, *module.externals.bound}
    return module.stages.account.findings(module.halves_made(), called, module.expander)


@contextmanager
def _telling_places(module: Module) -> Iterator[None]:
    """Let a refusal know which functions were put in the places of their calls."""
    try:
        yield
    except UnsupportedError as refusal:
        placed = module.expander.session.placed
        refusal.placed = tuple((item.callee, Span(item.file, item.line)) for item in placed)
        raise


def _make_module(request: Request, stages: Stages | None) -> tuple[Module, str, str]:
    module = empty_module(request, stages)
    with _telling_places(module):
        entry = module.entry(
            request.function, request.wrt, request.given, value=request.value, aux=request.aux
        )
    collect_numpy(module)
    return module, entry, ""


def _make_halves(request: Request, stages: Stages | None) -> tuple[Module, str, str]:
    module = empty_module(request, stages)
    half = module.halves(request.function, request.wrt, request.given)
    collect_numpy(module)
    return module, half.forward, half.backward


def empty_module(request: Request, stages: Stages | None) -> Module:
    """Return the module that a request is compiled into."""
    namer = Namer()
    externals = Externals(namer)
    namer.reserve(own_names())
    anew = rebound(request.function, request.given.values())
    held, whole = Holding(request.holds, request.by_entries), request.keep_complex
    session = Session(VOCABULARY, keep_complex=whole, rebound=anew, holding=held)
    if stages is not None and stages.account is not None:
        stages.account.clear()  # a first attempt may have been given up
    return Module(
        request.keep_complex,
        request.assume,
        stages or Stages(),
        externals,
        namer,
        arrays=request.arrays,
        expander=expander_for(request, lambda: Expander(session)),
        plain=request.plain,
        stacks=request.stacks,
        seen=request.seen,
        copied=request.copied,
        rebound=anew,
        in_place=request.in_place,
    )


def collect_numpy(module: Module) -> None:
    """Import NumPy if the text of the module says ``np.``."""
    parts = (part for _, tree in module.definitions for part in nodes_in(tree))
    if any(node.id == "np" for part in parts for node in found_in(part, gast.Name)):
        module.externals.imports["np"] = "import numpy as np"


_SHAPE_BLIND = frozenset(
    "unbroadcast scalar_seed matmul_left matmul_right zeros_like expand_sum expand_mean".split()
)


def _unique(bindings: Sequence[Binding]) -> list[Binding]:
    return list({(id(b.holder), b.name): b for b in bindings}.values())


def _place(binding: Binding) -> tuple[int, str]:
    return id(binding.holder), binding.name


def _assume_tables(session: Session, read: Collection[tuple[int, str]]) -> None:
    """Let each call check what the text relies on, but does not read."""
    for place, binding in session.tables.items():
        if place not in read:
            root = Of(depth_of_table, Outside(binding))
            session.assume(root, depth_of_table(binding.value))


def _is_data(binding: Binding, externals: Externals) -> bool:
    return any(
        b.holder is binding.holder and b.name == binding.name for b in externals.data.values()
    )
