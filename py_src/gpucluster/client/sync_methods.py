"""The forms of a verb. Each is written once, as a coroutine; callers have it in the form that suits them.

==========================  ======================  ====================
                            a coroutine             waits for its result
==========================  ======================  ====================
first argument: a cluster   ``AsyncControl.retire``  ``Control.retire``
of the handle's cluster     ``AsyncCluster.retire``  ``Cluster.retire``
==========================  ======================  ====================

A method marked ``@verb`` has all four forms, one marked ``@twin`` the two of its own row. Type checkers, ``help`` and
completion see each with the parameters and the documentation of the coroutine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
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

_going: set[asyncio.Future[Any]] = set()  # A loop holds its tasks weakly, and nobody else may hold these.


class Waits(Generic[A]):
    """Base of a class whose verbs wait for their results, which an object of an asynchronous class brings about."""

    def __init__(self, asynchronous: A) -> None:
        self._asynchronous = asynchronous


class OfOneCluster:
    """Base of a class whose verbs are about one cluster, the one with its ``id``."""

    id: str
    _control: AsyncControl


class Begun(Coroutine[Any, Any, R]):
    """A coroutine that goes on already, whether somebody awaits it or not, as with the clusters of Dask."""

    def __init__(self, work: Coroutine[Any, Any, R]) -> None:
        self._task = asyncio.ensure_future(work)
        _going.add(self._task)
        self._task.add_done_callback(_going.discard)
        self._steps: Generator[Any, Any, R] | None = None

    def __await__(self) -> Generator[Any, Any, R]:
        return self._task.__await__()

    def _begun(self) -> Generator[Any, Any, R]:
        if self._steps is None:
            self._steps = self._task.__await__()
        return self._steps

    def send(self, value: Any) -> Any:
        """Go on waiting for it, as ``asyncio.create_task`` does."""
        return self._begun().send(value)

    def throw(self, *error: Any) -> Any:
        """Wait for it no longer."""
        return self._begun().throw(*error)

    def close(self) -> None:
        """Wait for it no longer; it goes on."""
        if self._steps is not None:
            self._steps.close()


class _Forms:
    """Builds the function of a verb for each class that has it, when it is first asked for there."""

    def __init__(self, work: Work, *, eager: bool = False) -> None:
        self._work = work
        self._eager = eager
        self._made: dict[type, Callable[..., Any]] = {}
        self.__doc__ = work.__doc__

    def _of(self, instance: Any, owner: type) -> Any:
        function = self._made.get(owner)
        if function is None:
            function = self._made[owner] = self._function(owner)
            function.__qualname__ = f"{owner.__name__}.{function.__name__}"
        return function if instance is None else MethodType(function, instance)

    def _function(self, owner: type) -> Callable[..., Any]:
        return waiting(self._work) if issubclass(owner, Waits) else coroutine(self._work, eager=self._eager)


class Twin(_Forms, Generic[P, R]):
    """A verb with two forms."""

    @overload
    def __get__(self, instance: Waits[Any], owner: type) -> Callable[P, R]: ...
    @overload
    def __get__(self, instance: AsyncControl | AsyncCluster, owner: type) -> Callable[P, Coroutine[Any, Any, R]]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Callable[..., Any]: ...

    def __get__(self, instance: Any, owner: type) -> Any:
        return self._of(instance, owner)


class Verb(_Forms, Generic[P, R, S, T]):
    """A verb with four forms: ``R`` is its result, ``S`` that of an ``AsyncCluster``, ``T`` that of a ``Cluster``."""

    def __init__(
        self, work: Work, *, eager: bool = False,
        shown: Callable[[Any, Any], Any] | None = None, shown_waiting: Callable[[Any, Any], Any] | None = None,
    ) -> None:  # fmt: skip
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
        return self._of(instance, owner)

    def _function(self, owner: type) -> Callable[..., Any]:
        if not issubclass(owner, OfOneCluster):
            return super()._function(owner)
        shown = self._shown_waiting if issubclass(owner, Waits) else self._shown

        async def formed(handle: OfOneCluster, begun: Coroutine[Any, Any, Any]) -> Any:
            answer = await begun
            return answer if shown is None else shown(handle, answer)

        def of_handle(handle: OfOneCluster, /, *args: Any, **options: Any) -> Coroutine[Any, Any, Any]:
            return formed(handle, self._work(handle._control, handle.id, *args, **options))

        work = wraps(self._work)(of_handle)
        receiver, _, *others = signature(self._work).parameters.values()
        work.__signature__ = Signature([receiver, *others])  # type: ignore[attr-defined]
        return waiting(work, of_itself=True) if issubclass(owner, Waits) else coroutine(work, eager=self._eager)


def verb(work: Callable[Concatenate[AsyncControl, str, P], Coroutine[Any, Any, R]]) -> Verb[P, R, R, R]:
    """Make a verb of a cluster of a coroutine function; a decorator."""
    return Verb(work)


def request(work: Callable[Concatenate[AsyncControl, str, P], Coroutine[Any, Any, R]]) -> Verb[P, R, None, None]:
    """Like ``verb``; a handle's form returns nothing."""
    return Verb(work, shown=_nothing)


def eager_request(work: Callable[Concatenate[AsyncControl, str, P], Coroutine[Any, Any, R]]) -> Verb[P, R, None, None]:
    """Like ``request``; an ``AsyncCluster`` begins when it is called, as those of Dask do: awaiting it only waits."""
    return Verb(work, shown=_nothing, eager=True)


def verb_as(
    shown: Callable[[R], S],
) -> Callable[[Callable[Concatenate[AsyncControl, str, P], Coroutine[Any, Any, R]]], Verb[P, R, S, S]]:
    """Like ``verb``; a handle's form returns what ``shown`` makes of the result."""

    def made(work: Callable[Concatenate[AsyncControl, str, P], Coroutine[Any, Any, R]]) -> Verb[P, R, S, S]:
        return Verb(work, shown=lambda _, result: shown(result))

    return made


def twin(work: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]) -> Twin[P, R]:
    """Give a coroutine method the form that waits; a decorator."""
    return Twin(work)


def eager_twin(work: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]) -> Twin[P, R]:
    """Like ``twin``; the coroutine begins when it is called in an event loop."""
    return Twin(work, eager=True)


def synchronous(
    work: Callable[Concatenate[A, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[Waits[A], P], R]:
    """Return a coroutine method of the asynchronous class as a method that waits."""
    return waiting(work)


def coroutine(work: Work, *, eager: bool = False) -> Callable[..., Any]:
    """Return a verb as a coroutine function that says what it takes; an eager one begins when it is called."""

    @wraps(work)
    async def checked(*args: Any, **options: Any) -> Any:
        return await asked(work, *args, **options)

    @wraps(work)
    def beginning(*args: Any, **options: Any) -> Coroutine[Any, Any, Any]:
        begun = checked(*args, **options)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return begun
        return Begun(begun)

    return beginning if eager else checked


def waiting(work: Work, *, of_itself: bool = False) -> Callable[..., Any]:
    """Return a verb as a method that waits for its result, on the background loop. Ctrl-C cancels it.

    Called on the loop of Dask's clients, as by ``Client.shutdown``, it returns what can be awaited there, as Dask's own
    clusters do: whoever waited would keep that loop from what it waits for.

    `work`: a coroutine function. `of_itself`: whether its first argument is the object whose method this is, and not
    the asynchronous one of that.
    """

    @wraps(work)
    def waits(self: Any, /, *args: Any, **options: Any) -> Any:
        begun = asked(work, self if of_itself else self._asynchronous, *args, **options)
        return begun if in_client_thread() else run(begun)

    return waits


def asked(work: Work, *args: Any, **options: Any) -> Coroutine[Any, Any, Any]:
    """Return the coroutine of a verb. Raises `WrongArguments`: Python refuses the call; nothing of it has run yet."""
    try:
        return work(*args, **options)
    except TypeError as error:
        _, *taken = signature(work).parameters.values()
        plain = [each.replace(annotation=Parameter.empty) for each in taken]
        said = str(error).replace(f"{work.__qualname__}()", f"{work.__name__}()")
        raise WrongArguments(f"{said}. It is called as {work.__name__}{Signature(plain)}.") from None


def _nothing(*_: Any) -> None:
    return None
