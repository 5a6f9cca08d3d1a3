"""Writes a derivative as a module that stands alone."""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from srcgrad.codegen.literals import docstring as quoted
from srcgrad.compiler.module_text import import_order, is_standard
from srcgrad.errors import ExportError
from srcgrad.exporting import provenance
from srcgrad.exporting.collector import Collector, Definition
from srcgrad.exporting.front import used_as_numbers
from srcgrad.exporting.fronts import FRONTS
from srcgrad.exporting.origins import Namespace, Origins
from srcgrad.exporting.request import Export
from srcgrad.exporting.rewriting import Rewriter
from srcgrad.exporting.scoping import bound_anywhere, free_names
from srcgrad.exporting.selfcheck import self_check
from srcgrad.exporting.ties import with_limits
from srcgrad.parsing import parsed


def standalone(export: Export) -> str:
    """Return the text of a module that has the derivative and needs no srcgrad.

    Raises:
        ExportError: The derivative goes by the tape, or reads what cannot be written out.
    """
    if export.generated.taped:
        raise ExportError(diagnostics=export.generated.taped)
    given, limits = with_limits(export)
    source = provenance.with_own_lines(given, export.generated.lines)
    tree = parsed(source)
    root = (export.function.__module__ or "").partition(".")[0]
    parameters = inspect.signature(export.function, follow_wrapped=False).parameters
    functions = [item for item in tree.body if isinstance(item, ast.FunctionDef)]
    taken = {name for item in functions for name in bound_anywhere(item)} | set(parameters)
    collector = Collector(Origins(root), taken, calls_jvp=".jvp(" in source)
    name = collector.fresh(export.entry)
    found = _derivative(export, source, tree, collector, limits)
    derivative = [found.pop(export.generated.entry), *found.values()]
    names = {export.generated.entry: derivative[0].name}
    names |= {before: item.name for before, item in found.items()}
    plain = used_as_numbers(derivative[0].text, parameters.keys() - export.given.keys())
    front = FRONTS[export.kind](export, collector, names, plain).text(name)
    check = self_check(export, collector, name) if export.example is not None else ""
    return _assembled(export, collector, [front, *[item.text for item in derivative]], check)


def _derivative(
    export: Export,
    source: str,
    tree: ast.Module,
    collector: Collector,
    limits: Mapping[str, Any],
) -> dict[str, Definition]:
    """Return the generated functions by the names that they had."""
    space = _space_of_text(export, limits)
    lines = source.splitlines()
    found = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            is_entry = node.name == export.generated.entry
            wish = f"_{node.name}" if is_entry else node.name
            text = "\n".join(lines[node.lineno - 1 : node.end_lineno]) + "\n"
            item = Definition(collector.fresh(wish), text)
            found.append((node.name, is_entry, item))
            collector.adopt(space.find(node.name), item.name)
    for _, is_entry, item in found:
        rewriter = Rewriter(collector, space)
        item.text = rewriter.rewrite(item.text, item.name, keep_defaults=not is_entry)
    return {name: item for name, _, item in found}


def _space_of_text(export: Export, limits: Mapping[str, Any]) -> Namespace:
    """Return where the text of a derivative looks names up, and where the user has bound those."""
    homes = {}
    for name, binding in export.generated.data.items():
        if isinstance(binding.holder, Mapping) and "__name__" in binding.holder:
            homes[name] = (binding.holder["__name__"], binding.name)
    return Namespace(export.module.__name__, {**vars(export.module), **limits}, homes=homes)


def _assembled(export: Export, collector: Collector, first: list[str], check: str) -> str:
    early, late = _split_constants(collector)
    users = [item for item in collector.definitions if item.is_users]
    helpers = sorted(
        (item for item in collector.definitions if not item.is_users), key=lambda item: item.name
    )
    blocks = [*first]
    for title, items in (("What the function calls", users), ("Helpers", helpers)):
        ordered = _in_order(items)
        if ordered:
            head = f"# ---- {title} {'-' * (91 - len(title))}\n\n\n"
            blocks += [head + ordered[0].text, *[item.text for item in ordered[1:]]]
    blocks += ["\n".join(late)] if late else []
    blocks += [check] if check else []
    text = f"{quoted(provenance.docstring(export))}\n"
    if imports := _imports(collector.imports.values()):
        text += f"\n{imports}\n"
    if early:
        text += "\n" + "\n".join(early) + "\n"
    text += "\n\n" + "\n\n\n".join(block.strip("\n") for block in blocks) + "\n"
    _run(text)
    return text


def _imports(lines: Iterable[str]) -> str:
    ordered = sorted(lines, key=import_order)
    groups = [[line for line in ordered if is_standard(line) is flag] for flag in (True, False)]
    return "\n\n".join("\n".join(_merged(group)) for group in groups if group)


def _merged(lines: list[str]) -> list[str]:
    """Write what is imported from one module on one line, as sorters of imports do."""
    found: dict[str, list[str]] = {}
    for line in lines:
        head, word, tail = line.partition(" import ")
        found.setdefault(head if word else line, []).extend([tail] if word else [])
    return [
        f"{head} import {', '.join(sorted(names))}" if names else head
        for head, names in found.items()
    ]


def _split_constants(collector: Collector) -> tuple[list[str], list[str]]:
    """Return the constants that stand on their own, and those made of functions or classes."""
    defined = {item.name for item in collector.definitions}
    early: list[str] = []
    late: list[str] = []
    for name, text in collector.constants.items():
        names = {node.id for node in free_names(parsed(text))}
        chosen = (
            late if names & defined or names & {line.split(" = ")[0] for line in late} else early
        )
        chosen.append(f"{name} = {text}")
    return early, late


def _in_order(items: list[Definition]) -> list[Definition]:
    """Put what is read while a definition is made before that definition."""
    known = {item.name: item for item in items}
    done: dict[str, Definition] = {}

    def place(item: Definition, above: tuple[str, ...]) -> None:
        for name in _read_at_once(item.text):
            if name in known and name not in done and name not in above:
                place(known[name], (*above, item.name))
        done.setdefault(item.name, item)

    for item in items:
        place(item, ())
    return list(done.values())


def _read_at_once(text: str) -> list[str]:
    """Return the names that a definition reads when it is made: bases, decorators, defaults."""
    tree = parsed(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body = [ast.Pass()]
    return [node.id for node in free_names(tree)]


def _run(text: str) -> None:
    """Run a module once: what does not load must not be handed out."""
    scope: dict[str, Any] = {"__name__": "srcgrad_exported", "__builtins__": builtins}
    module = type(sys)("srcgrad_exported")
    before = sys.modules.get("srcgrad_exported")
    sys.modules["srcgrad_exported"] = module  # dataclasses look their module up
    try:
        exec(compile(text, "<exported>", "exec"), scope)  # noqa: S102 - text of our own making
    except Exception as error:
        raise ExportError(
            f"the exported module does not load: {type(error).__name__}: {error}",
            hint="report it: this is a bug of srcgrad's",
        ) from error
    finally:
        del sys.modules["srcgrad_exported"]
        if before is not None:
            sys.modules["srcgrad_exported"] = before
