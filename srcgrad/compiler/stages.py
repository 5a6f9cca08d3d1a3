"""Keeps the source after each pass, and an account of what was found, when somebody asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from srcgrad.codegen.printer import to_source
from srcgrad.ir import gast

if TYPE_CHECKING:
    from srcgrad.compiler.account import Account
    from srcgrad.frontend.source import FunctionSource
    from srcgrad.ir.program import Program


class Stages:
    """The text of the function after each pass; nothing is printed unless `wanted`.

    Attributes:
        texts: The text after each pass.
        account: Where the passes report what they find; None if nobody wants an explanation.
    """

    def __init__(self, *, wanted: bool = False, account: Account | None = None) -> None:
        self.texts: dict[str, str] = {}
        self.account = account
        self._wanted = wanted

    def clear(self) -> None:
        """Forget everything: the compilation starts again."""
        self.texts.clear()
        if self.account is not None:
            self.account.clear()

    def begin(self, source: FunctionSource, program: Program, body: list[Any]) -> None:
        """Report a function in normal form, before what nobody reads is dropped."""
        if self.account is not None:
            self.account.begin(source, program, body)

    def inner(self) -> Stages:
        """Return the stages of a function that is called: its texts are not kept."""
        return Stages(account=self.account)

    def note(self, name: str, tree: Any) -> None:
        """Keep the text of `tree` under the name of the pass that made it."""
        if self._wanted and name not in self.texts:
            body = tree if isinstance(tree, list) else [tree]
            self.texts[name] = to_source(gast.Module(body, []))
