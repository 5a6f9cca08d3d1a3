"""Defines every exception: a code, one sentence, the user's line with a caret, and one way out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from srcgrad.spans import Span, printable


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing that srcgrad refuses: what, where, and the way out."""

    code: str
    message: str
    span: Span | None = None
    hint: str = ""
    details: tuple[str, ...] = ()

    def render(self) -> str:
        """Return the text that users read.

        >>> print(Diagnostic("SG101", "`del` cannot be differentiated", hint="drop it").render())
        [SG101] `del` cannot be differentiated
        hint: drop it
        """
        lines = [f"[{self.code}] {self.message}"]
        if self.span is not None:
            lines.append(f"  --> {self.span}")
            if snippet := self.span.snippet():
                lines.append(snippet)
        lines += [f"  {line}" for line in self.details]
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return printable("\n".join(lines))


class SrcgradError(Exception):
    """The root of all errors that srcgrad raises on purpose.

    Attributes:
        code: A stable identifier such as ``SG101``, which the documentation explains.
        diagnostics: Everything that was found wrong, in source order.
        calls: Where functions are called in which it was found, the innermost first.
        placed: The functions that were put in the place of their calls, by name, with the place.
    """

    code: ClassVar[str] = "SG000"
    calls: tuple[Span, ...] = ()
    placed: tuple[tuple[str, Span], ...] = ()

    def __init__(
        self,
        message: str = "",
        *,
        span: Span | None = None,
        hint: str = "",
        diagnostics: Sequence[Diagnostic] = (),
    ) -> None:
        self.diagnostics = tuple(diagnostics) or (Diagnostic(self.code, message, span, hint),)
        super().__init__("\n\n".join(item.render() for item in self.diagnostics))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what is known, not the call that made it: a worker may raise it."""
        return _raised_again, (type(self), self.args, dict(vars(self)))

    @property
    def span(self) -> Span | None:
        """Where the first problem is, if it has a place."""
        return self.diagnostics[0].span

    @property
    def hint(self) -> str:
        """The way out of the first problem."""
        return self.diagnostics[0].hint


def _raised_again(
    kind: type[SrcgradError], args: tuple[Any, ...], state: dict[str, Any]
) -> SrcgradError:
    error = kind.__new__(kind, *args)
    error.args = args
    vars(error).update(state)
    return error


class UnsupportedError(SrcgradError, NotImplementedError):
    """A program that source transformation refuses; the tape may still run it."""

    code = "SG100"


class UnsupportedSyntaxError(UnsupportedError):
    """A statement or expression that the compiler does not differentiate."""

    code = "SG101"


class MutationError(UnsupportedError):
    """A write into memory that may be reached by another name, so its adjoint is not known."""

    code = "SG102"


class LeftOutError(UnsupportedError):
    """A call has reached a part of its function that its derivative by source leaves out."""

    code = "SG103"


LEFT_OUT_SAYS: Final = "not differentiated by source: "
"""What is said where such a part is left out of a function itself, before its text is made."""


def reached(error: BaseException) -> str | None:
    """Return why a part is left out, of the error that is raised where a call comes by it."""
    if isinstance(error, LeftOutError):
        return error.diagnostics[0].message
    stands = type(error) is NotImplementedError and str(error).startswith(LEFT_OUT_SAYS)
    return str(error).removeprefix(LEFT_OUT_SAYS) if stands else None


class MissingRuleError(UnsupportedError):
    """A call, on values that carry derivatives, of a function without a derivative rule."""

    code = "SG110"


class NotProvenError(UnsupportedError):
    """The checker of derivatives found that a generated one is not that of its function."""

    code = "SG180"


class NotCompiledError(UnsupportedError):
    """A derivative that Numba was to compile and does not; its text for NumPy may still run."""

    code = "SG190"


class LibraryGapError(UnsupportedError, TypeError):
    """Something that an array library such as CuPy lacks, and that a derivative asks of it."""

    code = "SG191"


class NotBatchedError(UnsupportedError):
    """A program for one example that is not written as one for a batch; a loop may still run it."""

    code = "SG195"


class NotDifferentiableError(SrcgradError, TypeError):
    """A derivative that does not exist, such as that of an integer or of a generator."""

    code = "SG120"


class SourceNotFoundError(UnsupportedError, OSError):
    """A function whose Python source cannot be found, or not told apart from another's."""

    code = "SG130"


class ArgumentError(SrcgradError, TypeError):
    """Arguments of a srcgrad function that make no sense together, such as wrong argnums."""

    code = "SG140"


class IntegerInputError(NotDifferentiableError):
    """A gradient asked for with respect to integers, booleans or other non-float values."""

    code = "SG141"


class MixedLibrariesError(ArgumentError):
    """Arrays of several libraries in one call, or of another than `backend` asks for."""

    code = "SG143"


class NonScalarOutputError(NotDifferentiableError):
    """A gradient asked for of a function that does not return one real number."""

    code = "SG142"


class NonFiniteError(SrcgradError, FloatingPointError):
    """The first NaN or infinity of a call, under `debug_nans`."""

    code = "SG150"


class VerificationError(SrcgradError, ArithmeticError):
    """A derivative by generated text that neither the other engine nor differences confirm.

    Attributes:
        by_text: The derivative along the direction of the check, by the generated text.
        by_tape: The same by the other engine; None if that refuses the function.
        by_differences: The same by differences; NaN if they do not tell.
        argument: What they disagree in, such as ``params['w']``; None if in no argument alone.
    """

    code = "SG155"

    by_text: float
    by_tape: float | None
    by_differences: float
    argument: str | None


class ExportError(SrcgradError, ValueError):
    """A derivative that cannot be written as a module that stands alone."""

    code = "SG160"


class ToolNotFoundError(SrcgradError, FileNotFoundError):
    """A program that something needs and that is not installed, such as Graphviz."""

    code = "SG170"


class WorkerError(SrcgradError, RuntimeError):
    """A worker, or a rank, that was lost or has failed: there is no sum without its part."""

    code = "SG200"


class InternalError(SrcgradError, AssertionError):
    """A broken promise between two parts of srcgrad: always a bug of ours."""

    code = "SG900"


class FallbackWarning(UserWarning):
    """The compiler refused a function and the tape differentiates it instead."""


class CompileWarning(UserWarning):
    """Numba does not compile a derivative as asked, and its text for NumPy runs instead."""


class VerificationWarning(UserWarning):
    """A derivative that was to be verified could not be compared with anything."""


class NumericWarning(UserWarning):
    """A function is differentiated by differences of its values, as `numeric_vjp` asked for."""


class TieWarning(UserWarning):
    """A derivative is NaN, since equal eigenvalues or singular values leave it open."""
