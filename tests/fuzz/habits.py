"""What people write over and over: stencils, buffers, optimisers, searches, tables, closures.

A habit is a few lines with holes: ``<x>`` is a vector that is there, ``<w>`` an array of its own and
``<e>`` an expression of the same shape, ``<s>`` a number, ``<i>`` a place, ``<c>`` a condition. Capital
letters are new names; those after the lines are there afterwards, with their kinds: ``x`` is of the shape
of ``<x>``, ``s`` a number, others are shapes, in which ``x`` is the length of ``<x>``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.fuzz.context import Context, production
from tests.fuzz.expressions import array, condition, index, number
from tests.fuzz.kinds import Array, Kind, Number
from tests.fuzz.statements import Lines, own_array

CALLED = re.compile(r"(?<![\w.])([a-z]+)\(")
BUILTINS = {
    "abs", "all", "any", "dict", "enumerate", "float", "int", "len", "list", "map", "max", "min",
    "range", "reversed", "sorted", "sum", "zip",
}  # fmt: skip

HABITS = {
    "stencil": """
<A> = <w>
for <B> in range(3):
    <A>[1:-1] += 0.1 * (<A>[2:] - 2.0 * <A>[1:-1] + <A>[:-2])
; A:x""",
    "buffers_swapped": """
<A> = <w>
<B> = np.zeros_like(<A>)
for <C> in range(3):
    <B>[1:-1] = 0.5 * (<A>[2:] + <A>[:-2]) * <s>
    <B>[0] = <A>[0]
    <B>[-1] = <s>
    <A>, <B> = <B>, <A>
; A:x B:x""",
    "until_it_settles": """
<A> = <w>
<B> = 1.0
<C> = 0
while <B> > 1e-3 and <C> < 4:
    <D> = np.tanh(0.5 * <A> + <e>)
    <B> = np.max(np.abs(<D> - <A>))
    <A> = <D>
    <C> += 1
; A:x B:s""",
    "relaxed_in_place": """
<A> = <w>
<B> = 0
while <B> < 3:
    <C> = <A>.copy()
    <A>[1:] = 0.5 * (<A>[:-1] + <C>[1:]) * <s>
    if np.linalg.norm(<A> - <C>) < 1e-2:
        break
    <B> += 1
; A:x C:x""",
    "mask_kept": """
<A> = <w>
<B> = <A> > 0.1
<A>[<B>] -= 0.2 * <A>[<B>] * <s>
<A>[~<B>] *= <s>
; A:x""",
    "mask_of_another": """
<A> = <w>
<A>[<x> > 0.0] = <x>[<x> > 0.0] * <s>
<A>[<x> < -0.5] += <s>
; A:x""",
    "found_places": """
<A> = <w>
<B>, = np.where(<A> > 0.0)
<A>[<B>] *= <s>
<C> = np.nonzero(<x>)[0]
<A>[<C>] += <x>[<C>]
; A:x""",
    "columns_stored": """
<A> = np.stack([<e>, <e>], axis=1)
<A>[:, 0], <A>[:, 1] = <A>[:, 1] * <s>, <A>[:, 0].copy()
<A>[0, :] *= <s>
; A:(x,2)""",
    "columns_swapped": """
<A> = np.column_stack((<e>, <e>))
<A>[:, 0], <A>[:, 1] = <A>[:, 1], <A>[:, 0]
<A>[:, [0, 1]] = <A>[:, [1, 0]]
; A:(x,2)""",
    "lists_in_lists": """
<A> = [[<s>, <s>], [<s>, <s>]]
for <B> in range(2):
    for <C> in range(2):
        <A>[<B>][<C>] *= <x>[<C>]
<A>[0], <A>[1] = <A>[1], <A>[0]
<D> = <A>[0][1] + <A>[1][0] ** 2
; D:s""",
    "table_of_numbers": """
<A> = [[0.0] * 2 for <B> in range(2)]
<A>[0][1] = <s>
<A>[1][0] += <A>[0][1] * <s>
<D> = sum(sum(<E>) for <E> in <A>)
; D:s""",
    "numbered_store": """
<A> = np.zeros(len(<x>))
for <B>, <C> in enumerate(<x>):
    <A>[<B>] = <C> * <s>
    if <C> > 0.2:
        <A>[<B>] += <s>
; A:x""",
    "pairs_store": """
<A> = <w>
for <B>, (<C>, <D>) in enumerate(zip(<x>, <e>)):
    <A>[<B>] = <C> * <D>
    <A>[<B> - 1] += 0.5 * <C>
; A:x""",
    "recurrence": """
<A> = np.empty_like(<x>)
<A>[0] = <s>
for <B> in range(1, len(<x>)):
    <A>[<B>] = 0.5 * <A>[<B> - 1] * <x>[<B>] + <s>
; A:x""",
    "backwards": """
<A> = <w>
for <B> in reversed(range(len(<A>) - 1)):
    <A>[<B>] += 0.3 * <A>[<B> + 1]
for <B> in range(len(<A>) - 1, 0, -1):
    <A>[<B>] = <A>[<B> - 1] * <s>
; A:x""",
    "nonlocal_total": """
<A> = 0.0
<B> = <w>
def <C>(<D>):
    nonlocal <A>, <B>
    <A> += <D> * 0.5
    <B> = <B> * np.tanh(<D>)
    return <A>
<E> = <C>(<s>) + <C>(<s>)
; A:s B:x E:s""",
    "keywords": """
def <C>(<D>, <E>=0.5, *, <F>=1.5):
    return <D> * <E> + <F>
<A> = <C>(<x>, <F>=<s>)
<B> = <C>(<s>, 2.0) + <C>(<E>=<s>, <D>=<s>)
; A:x B:s""",
    "any_arguments": """
def <C>(*<D>, **<E>):
    <F> = <E>.get('gain', 0.5)
    for <G> in <D>:
        <F> = <F> * np.tanh(<G>)
    return <F>
<A> = <C>(<x>, <s>, gain=<s>)
<B> = <C>(*[<s>, <s>], **{'gain': <s>})
; A:x B:s""",
    "named_in_the_test": """
if (<A> := <s> * 0.5) > 0.1:
    <A> *= <s>
<B> = 0
while (<B> := <B> + 1) < 3:
    <A> = <A> * 0.7 + <s>
; A:s""",
    "assigned_twice": """
<B> = <w>
<A> = <B>[0] = <s>
<C> = <D> = <B>
<C>[1] *= <A>
; A:s B:x C:x D:x""",
    "between": """
<A> = <s>
if -0.2 < <A> <= 0.9 < 3:
    <A> = <A> * <A>
elif <A> > 0.9 or not <A> < 5:
    <A> = np.log(<A>)
; A:s""",
    "phases": """
<A> = <x> + 1j * <e>
<A> *= np.exp(1j * <s>)
<A>[0] = <A>[1].conjugate() * <s>
<B> = <A>.real * <A>.imag
; A:c B:x""",
    "real_part_written": """
<A> = <x> * (1.0 + 0.5j)
<A>.real[...] *= <s>
<B> = <A>.imag
<B> += <e>
<A> /= 2.0 + np.abs(<A>)
; A:c""",
    "spectrum": """
<A> = np.fft.fft(<x>)
<A>[0] *= 0.5
<B> = np.real(np.fft.ifft(<A> * np.conj(<A>)))
; B:x""",
    "whole_numbers": """
<A> = np.arange(len(<x>))
<B> = <x> * (<A> % 2) + <A>
<A> += 1
<C> = <B> / <A>
; B:x C:x""",
    "in_order": """
<A> = np.argsort(<x>)
<B> = <x>[<A>]
<B>[0] *= <s>
<C> = np.empty_like(<x>)
<C>[<A>] = <B>
; B:x C:x""",
    "optimiser": """
<A> = {'w': <w>, 'b': <s>}
for <B> in range(2):
    <C> = {<D>: 0.2 * <A>[<D>] ** 2 for <D> in <A>}
    for <D> in <A>:
        <A>[<D>] = <A>[<D>] - 0.1 * <C>[<D>]
<E>, <F> = <A>['w'], <A>['b']
; E:x F:s""",
    "optimiser_in_place": """
<A> = {'w': <w>, 'v': <w>}
<B> = {<D>: np.zeros_like(<E>) for <D>, <E> in <A>.items()}
for <C> in range(2):
    for <D>, <E> in <A>.items():
        <B>[<D>] *= 0.9
        <B>[<D>] += 0.1 * <E>
        <E> -= 0.3 * <B>[<D>] * <s>
<F> = <A>['w'] * <B>['v']
; F:x""",
    "merged_dicts": """
<A> = {'w': <w>, 'b': <s>}
<B> = {**<A>, 'b': <A>['b'] * <s>}
<B>['w'] *= <s>
<C> = dict(<A>)
<C>['b'] += 1.0
<D> = <A>['w'] * <B>['b'] + <C>['b'] * <A>['b']
; D:x""",
    "history": """
<A> = <w>
<B> = []
for <C> in range(3):
    <A> *= np.tanh(<s>)
    <B>.append(<A>)
<D> = np.sum(<B>[0] * <B>[-1])
<E> = np.array(<B>).sum(axis=0)
; A:x D:s E:x""",
    "history_of_copies": """
<A> = <w>
<B> = [<A>.copy()]
for <C> in range(2):
    <A> += 0.5 * <B>[-1] * <s>
    <B>.append(<A>.copy())
<E> = np.stack(<B>)
; A:x E:(3,x)""",
    "time_steps": """
<A> = np.zeros((3, len(<x>)))
<A>[0] = <x>
for <B> in range(2):
    <A>[<B> + 1] = <A>[<B>] + 0.1 * np.sin(<A>[<B>]) * <s>
; A:(3,x)""",
    "generator": """
def <C>(<D>):
    for <E> in <D>:
        yield <E> * 0.5
        if <E> > 1.0:
            return
<A> = sum(<C>(<x>))
<B> = [<E> ** 2 for <E> in <C>(<x>)]
<F> = <B>[0] * len(<B>)
; A:s F:s""",
    "mapped": """
<A> = list(map(lambda <D>: <D> * <s>, [<e>, <e>]))
<B> = <A>[0] + <A>[1]
<A>[0] *= 2.0
<C>, <E> = <A>
; B:x C:x E:x""",
    "normalised": """
<A> = <w>
for <B> in range(2):
    <A> = np.tanh(<A>) + <e>
    <A> /= np.linalg.norm(<A>) + 0.5
; A:x""",
    "bisection": """
<A>, <B> = -1.0, 2.0 + np.tanh(<s>)
while <B> - <A> > 0.5:
    <C> = 0.5 * (<A> + <B>)
    if <C> ** 3 > 0.3:
        <B> = <C>
    else:
        <A> = <C>
; A:s B:s C:s""",
    "newton": """
<A> = 1.0
<D> = 2.0 + np.sin(<s>)
for <B> in range(5):
    <C> = (<A> * <A> - <D>) / (2.0 * <A>)
    <A> -= <C>
    if abs(<C>) < 1e-3:
        break
; A:s""",
    "until_break": """
<A> = <s>
<B> = 0
while True:
    <A> = 0.5 * <A> + 0.1
    <B> += 1
    if <B> >= 3 or <A> > 5.0:
        break
; A:s""",
    "copy_or_not": """
<A> = <w>
<B> = <A> if <c> else <A>.copy()
<B> *= <s>
; A:x B:x""",
    "parts_of_parameters": """
<A> = <w>
<B>, <C> = <A>[:2], <A>[2:]
<B> *= <s>
<C>[...] = np.sin(<C>)
<D> = np.dot(<B>, <B>)
; A:x D:s""",
    "matrix_places": """
<A> = np.outer(<x>, <e>)
<A>[np.arange(2), np.arange(2)] += <s>
<A>[np.ix_([0, 1], [1, 0])] *= 0.5
<A>[np.triu_indices(2, 1)] = <s>
<A>[np.diag_indices(2)] -= <s>
; A:(x,x)""",
    "subscripts_of_subscripts": """
<A> = np.outer(<x>, <e>)
<A>[0][1] += <s>
<A>[1][:] = <A>[0]
<A>.T[0] *= <s>
<A>[:, 0][::-1][0] = <s>
; A:(x,x)""",
    "flat_places": """
<A> = np.outer(<x>, <e>)
<A>.flat[1] = <s>
<A>.ravel()[0] *= <s>
<A>.reshape(-1)[2:4] += <s>
; A:(x,x)""",
    "overlapping": """
<A> = <w>
<A>[1:] += <A>[:-1]
<A>[:-1] = <A>[1:]
<A>[::-1] += <A> * <s>
; A:x""",
    "groups": """
<A> = {}
for <B>, <C> in enumerate(<x>):
    <A>.setdefault(<B> % 2, []).append(<C> * <s>)
<D> = sum(<A>[0]) * sum(<A>[1])
; D:s""",
    "popped": """
<A> = {'p': <w>, 'q': <e>}
<B> = <A>.pop('p')
<A>['q'] = <A>['q'] * <B>
<B> += 1.0
<C> = <A>.get('p', 0.5) * <A>['q']
; B:x C:x""",
    "by_key": """
<A> = max([<s>, <s>, <s>], key=lambda <D>: -(<D> ** 2))
<B> = sorted([<s>, <s>])[0] * <A>
; A:s B:s""",
    "sum_of_some": """
<A> = sum(<C> * <D> for <C>, <D> in zip(<x>, <e>) if <C> > 0.0)
if any(<C> > 2.0 for <C> in <x>) or all(<C> < 0.0 for <C> in <x>):
    <A> *= <s>
; A:s""",
    "search_with_else": """
<A> = <s>
for <B> in <x>:
    if <B> > 1.5:
        <A> = <B> * <A>
        break
    <A> += 0.1 * <B>
else:
    <A> = <A> * 0.5
; A:s""",
    "tuples": """
<A>, (<B>, <C>) = <w>, (<s>, <s>)
<A>, <B> = <A> * <B>, np.sum(<A>)
(<B>, <C>), <D> = (<C>, <B>), <B> - <C>
; A:x B:s C:s D:s""",
    "two_steps_back": """
<A>, <B> = <s>, <s>
for <C> in range(3):
    <A>, <B> = <B>, 0.5 * (<A> + <B>) * <s>
; A:s B:s""",
    "counted": """
<A> = 0
<B> = 0.0
for <C> in <x>:
    if <C> <= 0:
        continue
    <A> += 1
    <B> += <C>
<D> = <B> / <A> if <A> else <s>
; D:s""",
    "scattered": """
<A> = np.zeros(3)
np.add.at(<A>, np.arange(len(<x>)) % 3, <x> * <s>)
np.subtract.at(<A>, [0, 0, 1], <s>)
<B> = np.bincount(np.arange(len(<x>)) % 2, weights=<x>)
; A:(3) B:(2)""",
    "closure_writes": """
<A> = <w>
def <C>(<D>, <E>):
    <A>[<E>] = <A>[<E>] * <D>
    return <A>
<B> = <C>(<s>, 1)
<C>(<s>, 0)[1] += <s>
; A:x B:x""",
    "early_exit": """
def <C>(<D>):
    for <E> in range(3):
        if np.sum(<D>) > 0.5:
            return <D> * <E>
        <D> = <D> + 0.3
    return <D>
<A> = <C>(<e>)
; A:x""",
    "helper_writes_part": """
def <C>(<D>, <E>):
    <D>[:] = <D>[::-1] * <E>
<A> = <w>
<C>(<A>[1:], <s>)
<C>(<A>, 0.5)
; A:x""",
    "functions_in_a_list": """
<A> = [lambda <D>: <D> * 2.0, np.tanh, lambda <D>: <D> + <s>]
<B> = <x>
for <C> in <A>:
    <B> = <C>(<B>)
; B:x""",
    "rows_swapped": """
<A> = np.outer(<x>, <e>)
<A>[[0, 1]] = <A>[[1, 0]]
<A>[0], <A>[1] = <A>[1].copy(), <A>[0].copy()
<B> = <A>[0].copy()
<A>[0] = <A>[-1]
<A>[-1] = <B>
; A:(x,x)""",
    "elimination": """
<A> = np.eye(3) * 2.0 + 0.1
<A>[0] += <s> ** 2
for <B> in range(2):
    for <C> in range(<B> + 1, 3):
        <D> = <A>[<C>, <B>] / <A>[<B>, <B>]
        <A>[<C>, <B>:] -= <D> * <A>[<B>, <B>:]
; A:(3,3)""",
    "made_keys": """
<A> = {}
for <B> in range(2):
    <A>[f'w{<B>}'] = <e> * <B>
<A>['w0'] = <A>['w1'] + <A>['w0']
<C> = <A>['w0'] * <A>['w1']
; C:x""",
    "list_and_back": """
<A> = <x>.tolist()
<A>[0] *= <s>
<A>[1], <A>[0] = <A>[0], <A>[1]
<B> = np.array(<A>)
; B:x""",
    "bound_on_one_path": """
<B> = <c>
if <B>:
    <A> = <s>
<C> = <e>
if <B>:
    <C> = <C> * <A>
; C:x""",
    "bound_in_a_loop": """
for <B> in range(3):
    if <B> == 1:
        <A> = <x>[<B>] * <s>
    if <B> == 2:
        <C> = <A> * 2.0
; A:s C:s""",
    "nothing_yet": """
<A> = None
for <B> in <x>:
    <A> = <B> if <A> is None else max(<A>, <B> * <s>)
; A:s""",
    "best_so_far": """
<A>, <D> = -np.inf, -1
for <B>, <C> in enumerate(<x>):
    if <C> > <A>:
        <A>, <D> = <C>, <B>
<E> = <A> * <e>[<D>]
; A:s E:s""",
    "remainders": """
<A> = np.mod(<x>, 1.3) + <x> // 0.7
<B>, <C> = divmod(<s>, 0.4)
; A:x C:s""",
    "matched_parts": """
<A> = [<s>, <s>, <s>]
match <A>:
    case [<B>, *<C>]:
        <D> = <B> * sum(<C>)
    case _:
        <D> = 0.0
; D:s""",
    "matched_dict": """
<A> = {'kind': 'tanh', 'gain': <s>}
match <A>:
    case {'kind': 'sin', 'gain': <B>}:
        <C> = np.sin(<x>) * <B>
    case {'kind': 'tanh', 'gain': <B>}:
        <C> = np.tanh(<x>) * <B>
    case _:
        <C> = <x>
; C:x""",
    "filled_piecewise": """
<A> = np.zeros(2 * len(<x>))
<B> = 0
for <C> in (<x>, <e>):
    <A>[<B>:<B> + len(<C>)] = <C> * <s>
    <B> += len(<C>)
<D> = np.sum(<A> ** 2)
; D:s""",
    "undone_at_the_end": """
<A> = <w>
<B> = <A>.copy()
try:
    <A> *= <s>
    <C> = np.sum(<A> ** 2)
finally:
    <A>[:] = <B>
; A:x C:s""",
    "tried_again": """
<A> = <w>
for <B> in range(3):
    try:
        if <B> < 1:
            raise ValueError('again')
        <A> = <A> * <s>
    except ValueError:
        <A> = <A> + 0.5
        continue
    finally:
        <A> = <A> * 0.9
; A:x""",
    "joined_lists": """
<A> = []
for <B> in <x>:
    <A> = <A> + [<B> * <s>]
<A> += [<s>]
<C> = np.array(<A>[:-1]) * <A>[-1]
; C:x""",
    "windows": """
<A> = [<x>[<B>:<B> + 2] for <B> in range(2)]
<C> = sum(<D>.sum() * <D>[0] for <D> in <A>)
<E> = np.concatenate(<A>)
; C:s E:(4)""",
    "counting_closure": """
<A> = {'n': 0, 'total': 0.0}
def <C>(<D>):
    <A>['n'] += 1
    <A>['total'] += <D>
    return <A>['total'] / <A>['n']
<B> = [<C>(<D>) for <D> in <x>][-1]
; B:s""",
    "made_functions": """
def <C>(<D>):
    def <E>(<F>):
        return np.sin(<F> * <D>)
    return <E>
<A> = <C>(<s>)(<x>) + <C>(0.5)(<e>)
; A:x""",
    "two_views": """
<A> = <w>
<B> = <A>[1:]
<C> = <A>[:-1]
<B> += <C> * <s>
<C> *= <B>
<D> = <B> - <C>
<E> = np.sum(<D> ** 2)
; A:x E:s""",
    "view_of_rebound": """
<A> = <w>
<B> = <A>[::-1]
<A> = <A> * <s>
<B> *= <A>
<A> = <B>
<A>[0] = <s>
; A:x B:x""",
    "broadcast_rows": """
<A> = np.outer(<x>, <e>)
<A> -= <A>.mean(axis=0)
<A> /= np.sqrt(0.5 + <A>.var(axis=1, keepdims=True))
<A>[:, 1:] *= <x>[:, None]
; A:(x,x)""",
    "scalar_arrays": """
<A> = np.array(<s>)
<A> += 1.0
<A>[...] = <A> * <s>
<B> = np.zeros(())
<B>[()] = <A> + <s>
<C> = float(<A>) * <B>.item()
; C:s""",
    "single_precision": """
<A> = np.asarray(<x>, dtype=float)
<B> = np.array(<e>, dtype=np.float64, copy=True)
<B> *= <A>
<C> = <B>.astype(float).sum()
; B:x C:s""",
}  # fmt: skip


def _habit(text: str) -> Callable[[Context], Lines | None]:
    lines, _, binds = text.strip().rpartition("; ")

    def draw(c: Context) -> Lines | None:
        called = set(CALLED.findall(lines)) & BUILTINS
        if c.loops and ("for " in lines or "while " in lines) and c.loops > 1:
            return None
        if "def " in lines and (c.nested or c.depth):
            return None
        if any(c.builtin(name) is None for name in called):
            return None
        vectors = [n for n in c.arrays(rank=1) if "1" not in c.kind(n).shape]
        if not vectors:
            return None
        vector = c.pick(vectors)
        shape = c.kind(vector).shape
        news: dict[str, str] = {}

        def hole(found: re.Match[str]) -> str:
            what = found[1]
            if what.isupper():
                if what not in news:
                    news[what] = c.names.fresh()
                return news[what]
            if what == "x":
                return vector
            return _filled(c, what, shape)

        walrus, c.walrus = c.walrus, False
        try:
            made = re.sub(r"<([A-Za-z])>", hole, lines)
        finally:
            c.walrus = walrus
        for item in binds.split():
            name, _, kind = item.partition(":")
            c.bind(news[name], _kind(kind, shape))
        functions = re.findall(r"def (\w+)\(", made)
        c.frozen = {*c.frozen, *functions}
        return made.splitlines()

    return draw


def _filled(c: Context, what: str, shape: tuple[str, ...]) -> str:
    """Return what stands in a hole."""
    if what == "w":
        return own_array(c, shape, 1)
    if what == "e":
        text = array(c, shape, 1)
        return text if text.isidentifier() else f"({text})"
    if what == "s":
        text = number(c, 1)
        return text if text.isidentifier() else f"({text})"
    return condition(c) if what == "c" else index(c)


def _kind(text: str, shape: tuple[str, ...]) -> Kind:
    if text == "s":
        return Number()
    if text in ("x", "c"):
        return Array(shape, "f" if text == "x" else "c")
    parts = text.strip("()").split(",")
    return Array(tuple(shape[0] if part == "x" else part for part in parts))


for _name, _text in HABITS.items():
    _made = _habit(_text)
    _made.__name__ = _name
    production("habit")(_made)


@production("statement")
def habit(c: Context) -> Lines | None:
    """A few lines of a kind that is written over and over."""
    found: Lines | None = c.draw("habit")
    return found
