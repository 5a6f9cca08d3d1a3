"""Leaves out copies of adjoints that nobody else has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Final

from srcgrad.analyses.text_calls import compares_elements, makes_new
from srcgrad.ir import gast
from srcgrad.ir.program import Counts, bound_by, header_of, header_reads, targets_of
from srcgrad.ir.rewriting import Rewriter
from srcgrad.ir.walk import blocks_of, found_in, root_name, statements

_MAKERS: Final = frozenset({"zeros_like", "complex_zeros_like", "copied"})


def skip_copies(body: list[Any]) -> list[Any]:
    """Return `body` without ``grad_a = copied(grad_b)`` where `grad_b` has just been computed.

    Arithmetic makes an array of its own, and so a list of parts of it holds them alone. What is
    copied under another name must be read for that alone.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> print(text(skip_copies(parse('''
    ... grad_a = gathered(unstack_like(2 * b, 0), a)
    ... grad_b = grad_c
    ... grad_k = 0.0
    ... grad_a = copied(grad_a)
    ... grad_b = copied(grad_b)
    ... grad_d = np.where(t, b, 0.0)
    ... grad_e = copied(grad_d)
    ... '''))))
    grad_a = gathered(unstack_like(2 * b, 0), a)
    grad_b = grad_c
    grad_k = 0.0
    grad_b = copied(grad_b)
    grad_e = np.where(t, b, 0.0)
    """
    wanted = {name for item in statements(body) if (name := _copied(item))}
    if not wanted:
        return body
    met = {id(item): (*header_reads(item), *bound_by(item)) for item in statements(body)}
    counts = Counts(body)
    alone = {name for name in wanted if counts.reads[name] == counts.binds[name] == 1}
    return _skipped(body, wanted, alone, met)


def store_directly(body: list[Any], is_array: Callable[[str], bool]) -> list[Any]:
    """Return `body` without copies of what is put into a part of an array, which copies it itself.

    NumPy does so also where both lie in the same memory. `is_array` says which names are surely
    bound to arrays.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse("grad_x[0] = copied(grad_y); grad_x[1:] += copied(grad_x[:-1])")
    >>> print(text(store_directly(body, lambda name: True)))
    grad_x[0] = grad_y
    grad_x[1:] += grad_x[:-1]
    """
    for item in statements(body):
        target = targets_of(item)[0] if isinstance(item, (gast.Assign, gast.AugAssign)) else None
        copy: Any = getattr(item, "value", None)
        copies = isinstance(copy, gast.Call) and getattr(copy.func, "id", "") == "copied"
        if not copies or not isinstance(target, gast.Subscript):
            continue
        name = getattr(target.value, "id", "")
        if is_array(name):
            item.value = copy.args[0]
    return body


def skip_own_copies(body: list[Any], parameters: Iterable[str]) -> list[Any]:
    """Return `body` without copies of what has just been computed, or of what nobody else has.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> print(text(skip_own_copies(parse('''
    ... grad_a = zeros_like(a)
    ... grad_b = zeros_like(b)
    ... for i in range(n):
    ...     grad_a = copied(grad_a)
    ...     grad_a[i:] += copied(unbroadcast(-grad_c, s))
    ...     grad_b = copied(grad_b)
    ...     grad_b[i] = 0.0
    ...     part = grad_b[1:]
    ...     less = np.less(copied(x[i]), y)
    ...     grad_c = copied(grad_d)
    ...     grad_d = zeros_like(d)
    ... '''), ["n"])))
    grad_a = zeros_like(a)
    grad_b = zeros_like(b)
    for i in range(n):
        grad_a[i:] += unbroadcast(-grad_c, s)
        grad_b = copied(grad_b)
        grad_b[i] = 0.0
        part = grad_b[1:]
        less = np.less(x[i], y)
        grad_c = grad_d
        grad_d = zeros_like(d)
    """
    passed = list(_passed(body))
    alone = _held_alone(body, parameters, {id(item) for item in passed})
    if alone:
        for item in passed:
            if _copied(item) in alone:
                item.value = item.value.args[0]
        _leave_out(body, alone)
    leaving = _FreshCopies()
    for item in statements(body):
        if isinstance(item, (gast.Assign, gast.AugAssign)) and _copies(item.value):
            item.value = leaving.visit(item.value)
    return body


def _copies(value: Any) -> bool:
    """Say whether anything is copied in an expression."""
    return any(getattr(node.func, "id", "") == "copied" for node in found_in(value, gast.Call))


def _passed(block: list[Any]) -> Iterator[Any]:
    """Yield copies to another name of what is bound anew in the block before it is read again."""
    for place, item in enumerate(block):
        for part in blocks_of(item):
            yield from _passed(part)
        name = _copied(item)
        if not name or name in bound_by(item):
            continue
        for later in block[place + 1 :]:
            if any(name in header_reads(inner) for inner in statements([later])):
                break
            if isinstance(later, gast.Assign) and bound_by(later) == [name]:
                yield item
                break
            if any(name in bound_by(inner) for inner in statements([later])):
                break


def _held_alone(body: list[Any], parameters: Iterable[str], passed: Collection[int]) -> set[str]:
    """Return the names that are copied, though nothing else has their memory.

    They are copied onto themselves, or where they are `passed` to others.
    """
    every = list(statements(body))
    names = {
        name
        for item in every
        if (name := _copied(item)) and ([name] == bound_by(item) or id(item) in passed)
    }
    names -= set(parameters)
    if not names:
        return names
    for item in every:
        own = id(item) in passed or _copied(item) in names.intersection(bound_by(item))
        if isinstance(item, gast.Return) or own:
            continue
        if isinstance(item, gast.AugAssign):  # a sum is a new value
            names -= kept_by(item.value, but_popped=True)
            continue
        names -= set() if _makes_memory(item) else names.intersection(bound_by(item))
        for part in header_of(item):
            names -= kept_by(part, but_popped=True)
        for target in targets_of(item):
            if isinstance(target, gast.Subscript) and not _makes_value(item.value):
                names.discard(root_name(target) or "")
    return names


def kept_by(node: Any, *, but_popped: bool = False) -> set[str]:
    """Return the names whose memory a value may lie in, or what it calls may keep.

    What a list gives away, it has no more: ``but_popped`` leaves out the list.
    """
    if but_popped and isinstance(node, gast.Call) and getattr(node.func, "attr", "") == "pop":
        return set().union(*(kept_by(item, but_popped=True) for item in node.args))
    if isinstance(node, gast.Name):
        return {node.id} if isinstance(node.ctx, gast.Load) else set()
    if isinstance(node, (gast.BinOp, gast.UnaryOp, gast.Compare)) or makes_new(node):
        return set()
    if isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Store):
        return kept_by(node.slice, but_popped=but_popped)
    parts = gast.iter_child_nodes(node)
    return set().union(*(kept_by(part, but_popped=but_popped) for part in parts))


def _makes_memory(statement: Any) -> bool:
    """Say whether a statement binds one name to an array that nobody else has."""
    if not isinstance(statement, gast.Assign) or not isinstance(statement.targets[0], gast.Name):
        return False
    return _makes_value(statement.value)


def _makes_value(value: Any) -> bool:
    """Say whether a value lies in memory of its own, or is a number that is written out."""
    makes = getattr(getattr(value, "func", None), "id", "") in _MAKERS
    return makes or isinstance(value, gast.Constant) or _is_own(value)


def _leave_out(block: list[Any], names: set[str]) -> None:
    for item in block:
        for part in blocks_of(item):
            _leave_out(part, names)
    block[:] = [
        item for item in block if _copied(item) not in names or bound_by(item)[0] not in names
    ]


class _FreshCopies(Rewriter):
    """Leaves out copies of arithmetic, of the sums of it, and for what only reads them."""

    def visit_Call(self, node: Any) -> Any:
        """Look at one call."""
        self.generic_visit(node)
        if getattr(node.func, "id", "") != "copied":
            if makes_new(node) or compares_elements(node):
                node.args = [_uncopied(item, node.args) for item in node.args]
            return node
        value: Any = node.args[0]
        if getattr(getattr(value, "func", None), "id", "") == "unbroadcast":
            value = value.args[0]
        return node.args[0] if _is_own(value) else node


def _uncopied(operand: Any, operands: list[Any]) -> Any:
    """Return an operand without its copy, if nothing can be written before it is read."""
    is_copy = isinstance(operand, gast.Call) and getattr(operand.func, "id", "") == "copied"
    others = [item for item in operands if item is not operand]
    if not is_copy or any(found_in(item, gast.Call) for item in others):
        return operand
    return operand.args[0]


def _skipped(
    body: list[Any], wanted: set[str], alone: set[str], met: dict[int, tuple[str, ...]]
) -> list[Any]:
    """Do so, given the names that are copied, and those that each statement reads and binds.

    What reads a name that is `alone` is the one copy of it.
    """
    made: dict[str, Any] = {}
    kept: list[Any] = []
    for statement in body:
        name = _copied(statement)
        if name in made and _is_own(made[name].value):
            target = statement.targets[0]
            if target.id == name:
                continue
            since = kept[kept.index(made[name]) + 1 :]
            if name in alone and not any(target.id in met[id(n)] for n in statements(since)):
                made[name].targets = [target]
                made[target.id] = made.pop(name)
                continue
        kept.append(statement)
        for part in blocks_of(statement):
            part[:] = _skipped(part, wanted, alone, met)
        for item in statements([statement]) if made else ():
            for other in met[id(item)]:
                made.pop(other, None)
        target = statement.targets[0] if isinstance(statement, gast.Assign) else None
        if isinstance(target, gast.Name) and target.id in wanted:
            made[target.id] = statement
    return kept


def _copied(statement: Any) -> str:
    """Return the name that ``y = copied(x)`` copies, or an empty string."""
    value = statement.value if isinstance(statement, gast.Assign) else None
    if not isinstance(value, gast.Call) or getattr(value.func, "id", "") != "copied":
        return ""
    is_name = isinstance(statement.targets[0], gast.Name)
    return getattr(value.args[0], "id", "") if is_name else ""


def _is_own(value: Any) -> bool:
    """Say whether an expression makes an array, or a list of the parts of one."""
    for function in ("gathered", "unstack_like"):
        if getattr(getattr(value, "func", None), "id", "") == function:
            value = value.args[0]
    return isinstance(value, (gast.BinOp, gast.UnaryOp)) or makes_new(value)
