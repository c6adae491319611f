"""Verbs that begin when they are called, as those of Dask's clusters do: awaiting them only waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_BEFORE = "_before_it_began_at_once"
_going: set[asyncio.Future[Any]] = set()
"""A loop holds its tasks weakly, and nobody else may hold these."""


class Begun(Coroutine[Any, Any, R]):
    """A coroutine that goes on already, whether somebody awaits it or not.

    Parameters
    ----------
    work : coroutine
        It begins in the running event loop.
    """

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


def begins_at_once(*names: str) -> Callable[[type[T]], type[T]]:
    """Have these verbs of an asynchronous class begin when they are called in an event loop; a class decorator."""

    def changed(made: type[T]) -> type[T]:
        for name in names:
            setattr(made, name, _beginning(getattr(made, name)))
        return made

    return changed


def only_awaited(verb: Callable[P, Coroutine[Any, Any, R]]) -> Callable[P, Coroutine[Any, Any, R]]:
    """Return the verb as it was: for another loop than the one, if any, in which it is called."""
    before: Callable[P, Coroutine[Any, Any, R]] = getattr(verb, _BEFORE, verb)
    return before


def _beginning(verb: Callable[P, Coroutine[Any, Any, R]]) -> Callable[P, Coroutine[Any, Any, R]]:
    @wraps(verb)
    def beginning(*args: P.args, **options: P.kwargs) -> Coroutine[Any, Any, R]:
        work = verb(*args, **options)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return work
        return Begun(work)

    setattr(beginning, _BEFORE, verb)
    return beginning
