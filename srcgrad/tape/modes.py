"""Holds what is switched on for this task, and the contexts that users switch it with."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import AsyncGenerator, Callable, Generator
from contextvars import ContextVar
from operator import attrgetter
from typing import Any, Final, Self, TypeVar, cast

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class Modes:
    """What is switched on; never changed once it is current, since other tasks may read it.

    `plain` is True while every mode has its default: the fast way of recording a call asks for
    that alone.
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
    speaks_torch: bool = False  # in strict mode: the code knows tensors
    spoken: Any = None  # in strict mode: texts of values that carry derivatives
    choosing: str = "plain"  # which vectors of equal eigenvalues forward mode takes
    met: list[str] | None = None  # what met equal eigenvalues, if anybody wants to know
    limits: Any = None  # of factorisations that met them, in the pass that runs
    plain: bool = True

    def but(self, values: dict[str, Any]) -> Modes:
        """Return the same modes with other values of some, and `plain` right."""
        made = Modes()
        known = made.__dict__
        known.update(self.__dict__)
        known.update(values)
        made.plain = (
            made.grad
            and not made.inference
            and not made.strict
            and not made.saved_hooks
            and not made.anomaly
            and made.profiler is None
            and made.dual_level is None
            and made.mutation is None
            and made.selective is None
        )
        return made


class _Ever:
    """Whether any call was ever recorded whatever it calls: until then, nobody need look."""

    strict: bool = False


EVER: Final = _Ever()
_CURRENT: Final = ContextVar("srcgrad_modes", default=Modes())  # noqa: B039 - never changed
current_modes: Final = _CURRENT.get
"""Returns the modes of the running thread or, where there are tasks, of the running task."""


class State(Modes):
    """The modes of whoever asks: a thread, or a task of `asyncio`, has its own.

    A new thread has the defaults, a new task those of the code that makes it.
    """

    def set(self, **values: Any) -> None:
        """Change modes and keep `plain` right."""
        if values.get("strict"):
            EVER.strict = True
        _CURRENT.set(_CURRENT.get().but(values))


def _mode(name: str) -> property:
    """Return the attribute of `State` that reads and changes one mode."""
    read = attrgetter(name)

    def change(state: State, value: Any) -> None:
        if read(current_modes()) is not value:
            state.set(**{name: value})

    return property(lambda _: read(current_modes()), change)


for _name in Modes.__annotations__:
    setattr(State, _name, _mode(_name))

STATE: Final = State()


def is_grad_enabled() -> bool:
    """Return whether calls on tensors are recorded, in this thread or task."""
    return STATE.grad


def is_inference_mode_enabled() -> bool:
    """Return whether this thread or task is in inference mode."""
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


def _wrap_coroutine(context: Callable[[], Any], function: Callable[..., Any]) -> Any:
    """Hold the context while the coroutine runs, which is after the call that makes it."""

    @functools.wraps(function)
    async def coroutine(*args: Any, **kwargs: Any) -> Any:
        with context():
            return await function(*args, **kwargs)

    return coroutine


def _wrap_async_generator(context: Callable[[], Any], function: Callable[..., Any]) -> Any:
    """Hold the context inside each step of the generator, and the caller's mode between steps."""

    @functools.wraps(function)
    async def generator(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        inner = function(*args, **kwargs)
        step, given = inner.asend, None
        while True:
            try:
                with context():
                    response = await step(given)
            except StopAsyncIteration:
                return
            try:
                given, step = (yield response), inner.asend
            except GeneratorExit:
                with context():
                    await inner.aclose()
                raise
            except BaseException as error:  # noqa: BLE001 - the generator decides about it
                given, step = error, inner.athrow

    return generator


def _wrapping(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return what puts a context around the steps of a function that runs in steps."""
    if inspect.isgeneratorfunction(function):
        return _wrap_generator
    if inspect.iscoroutinefunction(function):
        return _wrap_coroutine
    return _wrap_async_generator if inspect.isasyncgenfunction(function) else None


class ModeContext:
    """A context manager that is a decorator of functions, generators and coroutines as well."""

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
        in_steps = _wrapping(function)
        if in_steps is not None:
            return cast("Decorated", in_steps(clone, function))

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

    Of this thread or task alone; a context, a decorator and a decorator of generators (held inside
    each step) and of coroutines.
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
    """Return what `set_multithreading_enabled` was last given in this thread or task."""
    return STATE.multithreading
