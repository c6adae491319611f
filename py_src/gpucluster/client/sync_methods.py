"""Makes the blocking and the coroutine methods of handles and controls from one coroutine function each.

============================  ========================  ====================
the method                    is a coroutine            blocks
============================  ========================  ====================
takes the cluster's ``id``    ``AsyncControl.retire``   ``Control.retire``
is bound to one cluster       ``AsyncCluster.retire``   ``Cluster.retire``
============================  ========================  ====================

``@verb`` makes all four, ``@sync_and_async`` the two of one row. ``Cluster.scale(4)`` runs ``Verbs.scale`` of
``client/verbs.py`` on the background loop. Type checkers, ``help`` and completion see each method with the parameters
and the documentation of the coroutine function.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, Signature, signature
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from ..dask_internals.loops import in_client_thread
from ..protocol.errors import WrongArguments
from .background import run

if TYPE_CHECKING:
    from .cluster import AsyncCluster, Cluster
    from .control import AsyncControl, Control

A = TypeVar("A", covariant=True)
P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
T = TypeVar("T")
Work = Callable[..., Coroutine[Any, Any, Any]]
Receiver = Callable[[Any], tuple[Any, ...]]  # Maps the object of a method to the first arguments of the coroutine.
Shown = Callable[[Any, Any], Any]  # Maps the object of a method and the result to what the method returns.

_running: set[asyncio.Future[Any]] = set()  # Loops hold their tasks only weakly.


class Synchronous(Generic[A]):
    """Base of a class whose methods wait for the coroutines of an asynchronous object."""

    def __init__(self, asynchronous: A) -> None:
        self._asynchronous = asynchronous


class BoundToCluster:
    """Base of a class whose verbs take no ``id``, as they are about one cluster."""

    id: str
    _control: AsyncControl


class StartedCoroutine(Coroutine[Any, Any, R]):
    """A coroutine that runs already, whether or not it is awaited, as with Dask's clusters."""

    def __init__(self, work: Coroutine[Any, Any, R]) -> None:
        self._task = asyncio.ensure_future(work)
        _running.add(self._task)
        self._task.add_done_callback(_running.discard)
        self._steps = self._task.__await__()

    def __await__(self) -> Generator[Any, Any, R]:
        return self._task.__await__()

    def send(self, value: Any) -> Any:
        return self._steps.send(value)

    def throw(self, *error: Any) -> Any:
        return self._steps.throw(*error)

    def close(self) -> None:
        """Stop waiting for the task, which continues."""
        self._steps.close()


class _Methods:
    """A descriptor that makes the method of each class when it is first accessed there."""

    def __init__(self, work: Work, *, eager: bool = False) -> None:
        self._work = work
        self._eager = eager
        self._made: dict[type, Callable[..., Any]] = {}
        self.__doc__ = work.__doc__

    def _method(self, instance: Any, owner: type) -> Any:
        function = self._made.get(owner)
        if function is None:
            function = self._made[owner] = self._function(owner)
            function.__qualname__ = f"{owner.__name__}.{function.__name__}"
        return function if instance is None else MethodType(function, instance)

    def _function(self, owner: type) -> Callable[..., Any]:
        return (
            synchronous(self._work) if issubclass(owner, Synchronous) else async_method(self._work, eager=self._eager)
        )


class SyncAndAsync(_Methods, Generic[P, R]):
    """A method of two classes: a coroutine in one, blocking in the other."""

    @overload
    def __get__(self, instance: Synchronous[Any], owner: type) -> Callable[P, R]: ...
    @overload
    def __get__(self, instance: AsyncControl | AsyncCluster, owner: type) -> Callable[P, Coroutine[Any, Any, R]]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Callable[..., Any]: ...

    def __get__(self, instance: Any, owner: type) -> Any:
        return self._method(instance, owner)


class VerbMethod(_Methods, Generic[P, R, S, T]):
    """A method of four classes: ``R`` is its result, ``S`` that of an ``AsyncCluster``, ``T`` that of a ``Cluster``."""

    def __init__(
        self, work: Work, *, eager: bool = False, shown: Shown | None = None, shown_waiting: Shown | None = None
    ) -> None:
        super().__init__(work, eager=eager)
        self._shown = shown
        self._shown_waiting = shown_waiting or shown

    @overload
    def __get__(self, instance: AsyncControl, owner: type) -> Callable[Concatenate[str, P], Coroutine[Any, Any, R]]: ...
    @overload
    def __get__(self, instance: Control, owner: type) -> Callable[Concatenate[str, P], R]: ...
    @overload
    def __get__(self, instance: AsyncCluster, owner: type) -> Callable[P, Coroutine[Any, Any, S]]: ...
    @overload
    def __get__(self, instance: Cluster, owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Callable[..., Any]: ...

    def __get__(self, instance: Any, owner: type) -> Any:
        return self._method(instance, owner)

    def _function(self, owner: type) -> Callable[..., Any]:
        if not issubclass(owner, BoundToCluster):
            return super()._function(owner)
        if issubclass(owner, Synchronous):
            return sync_method(self._work, _control_and_id, self._shown_waiting)
        return async_method(self._work, _control_and_id, self._shown, eager=self._eager)


def verb(work: Callable[Concatenate[AsyncControl, str, P], Coroutine[Any, Any, R]]) -> VerbMethod[P, R, R, R]:
    """Decorator that makes a coroutine function of ``Verbs`` a verb."""
    return VerbMethod(work)


def request(work: Callable[Concatenate[AsyncControl, str, P], Coroutine[Any, Any, R]]) -> VerbMethod[P, R, None, None]:
    """Like ``verb``; a handle's method returns nothing."""
    return VerbMethod(work, shown=_nothing)


def eager_request(
    work: Callable[Concatenate[AsyncControl, str, P], Coroutine[Any, Any, R]],
) -> VerbMethod[P, R, None, None]:
    """Like ``request``; on an ``AsyncCluster`` it starts when it is called, as on Dask's clusters."""
    return VerbMethod(work, shown=_nothing, eager=True)


def verb_as(
    shown: Callable[[R], S],
) -> Callable[[Callable[Concatenate[AsyncControl, str, P], Coroutine[Any, Any, R]]], VerbMethod[P, R, S, S]]:
    """Like ``verb``; a handle's method returns ``shown(result)``."""

    def made(work: Callable[Concatenate[AsyncControl, str, P], Coroutine[Any, Any, R]]) -> VerbMethod[P, R, S, S]:
        return VerbMethod(work, shown=lambda _, result: shown(result))

    return made


def sync_and_async(work: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]) -> SyncAndAsync[P, R]:
    """Decorator that makes a coroutine method block in the synchronous class."""
    return SyncAndAsync(work)


def eager_sync_and_async(work: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]) -> SyncAndAsync[P, R]:
    """Like ``sync_and_async``; the coroutine starts when it is called in an event loop."""
    return SyncAndAsync(work, eager=True)


def synchronous(
    work: Callable[Concatenate[A, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[Synchronous[A], P], R]:
    """Return a coroutine method of the asynchronous class as a blocking method."""
    return sync_method(work, lambda instance: (instance._asynchronous,))


def sync_method(work: Work, receiver: Receiver, shown: Shown | None = None) -> Callable[..., Any]:
    """Return a method that runs a coroutine function on the background loop and waits. Ctrl-C cancels it.

    Called on the loop of Dask's clients, as by ``Client.shutdown``, it returns an awaitable, as Dask's own clusters do:
    waiting would block that loop.
    """
    awaited = async_method(work, receiver, shown)

    @wraps(awaited)
    def method(self: Any, /, *args: Any, **options: Any) -> Any:
        if in_client_thread():
            return awaited(self, *args, **options)
        first = receiver(self)
        with _arguments_checked(work, len(first)):
            begun = work(*first, *args, **options)
        result = run(begun)
        return result if shown is None else shown(self, result)

    return method


def async_method(
    work: Work, receiver: Receiver | None = None, shown: Shown | None = None, *, eager: bool = False
) -> Callable[..., Any]:
    """Return a method that is a coroutine; an eager one starts when it is called."""

    @wraps(work)
    async def method(self: Any, /, *args: Any, **options: Any) -> Any:
        first = (self,) if receiver is None else receiver(self)
        with _arguments_checked(work, len(first)):
            begun = work(*first, *args, **options)
        result = await begun
        return result if shown is None else shown(self, result)

    if receiver is _control_and_id:
        instance, _, *others = signature(work).parameters.values()
        method.__signature__ = Signature([instance, *others])  # type: ignore[attr-defined]

    @wraps(method)
    def beginning(*args: Any, **options: Any) -> Coroutine[Any, Any, Any]:
        begun = method(*args, **options)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return begun
        return StartedCoroutine(begun)

    return beginning if eager else method


@contextmanager
def _arguments_checked(work: Work, n_first: int) -> Iterator[None]:
    """Turn the ``TypeError`` of a call into ``WrongArguments``, which names all arguments but the first ones."""
    try:
        yield
    except TypeError as error:
        taken = list(signature(work).parameters.values())[n_first:]
        plain = [each.replace(annotation=Parameter.empty) for each in taken]
        said = str(error).replace(f"{work.__qualname__}()", f"{work.__name__}()")
        raise WrongArguments(f"{said}. It is called as {work.__name__}{Signature(plain)}.") from None


def _control_and_id(handle: BoundToCluster) -> tuple[Any, ...]:
    return handle._control, handle.id


def _nothing(*_: Any) -> None:
    """What a handle's ``request`` returns."""
