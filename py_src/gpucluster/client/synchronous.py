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

from .background import run

A = TypeVar("A")
P = ParamSpec("P")
R = TypeVar("R")


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
    """Return the verb as a method that waits for its result, on the background loop. Ctrl-C cancels it."""

    @wraps(verb)
    def waiting(self: Synchronous[A], /, *args: P.args, **options: P.kwargs) -> R:
        return run(verb(self._asynchronous, *args, **options))

    return waiting
