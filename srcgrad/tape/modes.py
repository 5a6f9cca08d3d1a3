"""Holds what is switched on in this thread, and the contexts that users switch it with."""

from __future__ import annotations

import functools
import inspect
import threading
import warnings
from collections.abc import Callable, Generator
from typing import Any, Self, TypeVar, cast

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class State(threading.local):
    """The modes of one thread; `plain` is True while every one of them has its default.

    The fast way of recording a call asks for `plain` alone.
    """

    grad: bool = True
    inference: bool = False
    strict: bool = False
    multithreading: bool = True
    strided_grads: bool = True
    saved_hooks: tuple[Any, ...] = ()
    saved_hooks_disabled: str | None = None
    anomaly: bool = False
    anomaly_parent: Any = None
    check_nan: bool = True
    profiler: Any = None
    dual_level: Any = None
    mutation: Any = None
    selective: Any = None  # of a checkpoint that keeps the results of chosen calls
    refusals: list[Any] | None = None  # in strict mode: what was refused
    spoken: Any = None  # in strict mode: texts of values that carry derivatives
    choosing: str = "plain"  # which vectors of equal eigenvalues forward mode takes
    met: list[str] | None = None  # what met equal eigenvalues, if anybody wants to know
    limits: Any = None  # of factorisations that met them, in the pass that runs
    plain: bool = True

    def set(self, **values: Any) -> None:
        """Change modes and keep `plain` right."""
        for name, value in values.items():
            setattr(self, name, value)
        self.plain = (
            self.grad
            and not self.inference
            and not self.strict
            and not self.saved_hooks
            and not self.anomaly
            and self.profiler is None
            and self.dual_level is None
            and self.mutation is None
            and self.selective is None
        )


STATE = State()


def is_grad_enabled() -> bool:
    """Return whether calls on tensors are recorded in this thread."""
    return STATE.grad


def is_inference_mode_enabled() -> bool:
    """Return whether this thread is in inference mode."""
    return STATE.inference


def _wrap_generator(context: Callable[[], Any], function: Callable[..., Any]) -> Any:
    """Hold the context inside each step of the generator, and the caller's mode between steps."""

    @functools.wraps(function)
    def generator(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        inner = function(*args, **kwargs)
        try:
            with context():
                response = inner.send(None)
            while True:
                try:
                    request = yield response
                except GeneratorExit:
                    with context():
                        inner.close()
                    raise
                except BaseException as error:  # noqa: BLE001 - the generator decides about it
                    with context():
                        response = inner.throw(error)
                else:
                    with context():
                        response = inner.send(request)
        except StopIteration as stop:
            return stop.value

    return generator


class ModeContext:
    """A context manager that is a decorator of functions and generators as well."""

    def __enter__(self) -> Any:
        """Switch on; subclasses must define it."""
        raise NotImplementedError("a mode needs `__enter__`")

    def __exit__(self, *exc: object) -> None:
        """Switch back; subclasses must define it."""
        raise NotImplementedError("a mode needs `__exit__`")

    def clone(self) -> Self:
        """Return a fresh context of the same kind: a decorated function may call itself."""
        return self.__class__()

    def __call__(self, function: Decorated) -> Decorated:
        """Return `function` with this mode around each call."""
        clone = self.clone
        if inspect.isclass(function):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You "
                "should only decorate functions or methods. To keep the behaviour, decorate "
                "`__init__` and nothing else.",
                FutureWarning,
                stacklevel=2,
            )
        if inspect.isgeneratorfunction(function):
            return cast("Decorated", _wrap_generator(clone, function))

        def call(*args: Any, **kwargs: Any) -> Any:
            with clone():
                return function(*args, **kwargs)

        wrapped = call if inspect.isclass(function) else functools.wraps(function)(call)
        return cast("Decorated", wrapped)


class _Bracketless(ModeContext):
    """A mode without arguments: ``@no_grad`` and ``@no_grad()`` are the same."""

    def __new__(cls, function: Any = None) -> Any:
        return super().__new__(cls) if function is None else cls()(function)


class no_grad(_Bracketless):
    """Record nothing inside; the results do not require gradients.

    Thread-local; a context, a decorator and a decorator of generators (held inside each step).
    """

    def __init__(self, function: Any = None) -> None:
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(STATE.grad)
        STATE.set(grad=False)

    def __exit__(self, *exc: object) -> None:
        STATE.set(grad=self._before.pop())


class enable_grad(_Bracketless):
    """Record inside, also within `no_grad`."""

    def __init__(self, function: Any = None) -> None:
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(STATE.grad)
        STATE.set(grad=True)

    def __exit__(self, *exc: object) -> None:
        STATE.set(grad=self._before.pop())


class set_grad_enabled(ModeContext):
    """Switch recording on or off: at once when called, until the end of the block as a context."""

    def __init__(self, mode: bool) -> None:
        self.before = STATE.grad
        self.mode = mode
        STATE.set(grad=bool(mode))

    def __call__(self, function: Decorated) -> Decorated:
        """Return `function` with this mode around each call, and undo the call's own effect."""
        STATE.set(grad=self.before)
        return super().__call__(function)

    def __enter__(self) -> None:
        STATE.set(grad=self.mode)

    def __exit__(self, *exc: object) -> None:
        STATE.set(grad=self.before)

    def __str__(self) -> str:
        return f"{type(self).__name__}(mode={self.mode})"

    __repr__ = __str__

    def clone(self) -> Self:
        """Return a fresh context with the same mode."""
        return self.__class__(self.mode)


class inference_mode(ModeContext):
    """Record nothing and make tensors that can never take part in recording later.

    ``inference_mode(False)`` inside switches back to recording.
    """

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: Any = True) -> None:
        self.mode = mode
        self._before: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        self._before.append((STATE.grad, STATE.inference))
        STATE.set(grad=not self.mode, inference=self.mode)

    def __exit__(self, *exc: object) -> None:
        grad, inference = self._before.pop()
        STATE.set(grad=grad, inference=inference)

    def clone(self) -> Self:
        """Return a fresh context with the same mode."""
        return self.__class__(self.mode)


class set_multithreading_enabled(ModeContext):
    """Switch worker threads of the backward pass: srcgrad has none, so results never differ."""

    def __init__(self, mode: bool) -> None:
        self.before = STATE.multithreading
        self.mode = mode
        STATE.set(multithreading=bool(mode))

    def __enter__(self) -> None:
        STATE.set(multithreading=self.mode)

    def __exit__(self, *exc: object) -> None:
        STATE.set(multithreading=self.before)

    def clone(self) -> Self:
        """Return a fresh context with the same mode."""
        return self.__class__(self.mode)


class enforce_grad_layout_policy(ModeContext):
    """With False, a gradient that nobody else holds may keep its own strides in ``.grad``."""

    def __init__(self, enable: bool = True) -> None:
        self.before = STATE.strided_grads
        self.mode = enable
        STATE.set(strided_grads=bool(enable))

    def __enter__(self) -> None:
        STATE.set(strided_grads=self.mode)

    def __exit__(self, *exc: object) -> None:
        STATE.set(strided_grads=self.before)

    def clone(self) -> Self:
        """Return a fresh context with the same mode."""
        return self.__class__(self.mode)


def is_multithreading_enabled() -> bool:
    """Return what `set_multithreading_enabled` was last given in this thread."""
    return STATE.multithreading
