"""The synchronous form of an asynchronous class: ``Control`` of ``AsyncControl``, ``Cluster`` of ``AsyncCluster``.

Each verb is written once, as a coroutine. Its synchronous form is one line, which type checkers, ``help`` and
completion see with the verb's own parameters and documentation::

    class Control(Synchronous[AsyncControl]):
        stop = synchronous(AsyncControl.stop)
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from ..dask_internals.loops import in_client_thread
from .arguments import does_not_take
from .background import run
from .begun import only_awaited

A = TypeVar("A", covariant=True)
P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


class Synchronous(Generic[A]):
    """Base of a class whose verbs are those of an asynchronous one.

    Parameters
    ----------
    asynchronous : object
        The object of the asynchronous class, which does the work.
    """

    def __init__(self, asynchronous: A) -> None:
        self._asynchronous = asynchronous


def synchronous(
    verb: Callable[Concatenate[A, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[Synchronous[A], P], R]:
    """Return the verb as a method that waits for its result, on the background loop. Ctrl-C cancels it.

    Called on the loop of Dask's clients, as by ``Client.shutdown``, it returns what can be awaited there, as Dask's own
    clusters do: whoever waited would keep that loop from what it waits for.
    """
    return synchronous_as(_unchanged, verb)


def synchronous_as(
    form: Callable[[Any, R], S], verb: Callable[Concatenate[A, P], Coroutine[Any, Any, R]]
) -> Callable[Concatenate[Synchronous[A], P], S]:
    """Return the verb as ``synchronous`` does, with the synchronous form of its result.

    Parameters
    ----------
    form : callable
        Makes it, of the object whose method this is and the verb's own result.
    verb : callable
        Of the asynchronous class.
    """

    begun_there = only_awaited(verb)  # on the background loop, and not in that of a kernel

    async def formed(self: Synchronous[A], work: Coroutine[Any, Any, R]) -> S:
        return form(self, await work)

    @wraps(verb)
    def waiting(self: Synchronous[A], /, *args: P.args, **options: P.kwargs) -> S:
        try:
            asked = begun_there(self._asynchronous, *args, **options)
        except TypeError as error:  # Nothing of it has run yet.
            raise does_not_take(verb, error) from None
        work = formed(self, asked)
        return work if in_client_thread() else run(work)  # type: ignore[return-value]  # awaited there

    return waiting


def _unchanged(_: Any, result: R) -> R:
    return result
