"""The learner's side of the channel. It runs in the kernel, beside the learner's code, so it is not trusted.

The grader validates all that it sends. A learner who changes it changes what the grader receives, as a wrong answer
would.
"""

import builtins
import io
import pickle
import socket
import tracemalloc
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np

from ..remote.channel import Channel
from ..remote.values import changeable, encode

_MOST_ITEMS = 1_000_000


class AnswerServer:
    """Does with the notebook's objects what the grader asks for, one question at a time.

    Parameters
    ----------
    channel : Channel
        Connected to the grader.
    names : dict
        The notebook's variables.
    """

    def __init__(self, channel: Channel, names: dict[str, Any]) -> None:
        self.channel = channel
        self.names = names
        self.objects: list[Any] = []
        self.operations: dict[str, Callable[..., Any]] = {
            "answers": self.answers,
            "call": self.call,
            "attribute": lambda number, name: getattr(self.objects[number], name),
            "item": lambda number, key: self.objects[number][key],
            "length": lambda number: len(self.objects[number]),
            "items": self.items,
            "array": lambda number: np.asarray(self.objects[number]),
            "peak": self.peak,
            "check": self.check,
            "lend": self.lend,
        }
        self.borrowed = ExitStack()

    def run(self) -> None:
        """Answer until the grader says goodbye."""
        while True:
            (operation, *about), [sent] = self.channel.receive()
            if operation == "end":
                return
            buffers: list[bytes] = []
            try:
                changed: list[Any] = []
                if operation in {"call", "item", "peak"}:
                    about.append(self.unpickle(sent))
                given = changeable(about[-1]) if operation in {"call", "peak"} else []
                before = [one.copy() for one in given]
                value = self.operations[operation](*about)
                tree = encode(value, self.keep, buffers)
                for place, (old, new) in enumerate(zip(before, given, strict=True)):
                    if not _same(old, new):
                        changed.append([place, encode(new, self.keep, buffers)])
                answer: list[Any] = ["value", tree, changed]
            except (Exception, SystemExit) as error:  # whatever the learner's code raises is an answer
                text = " ".join(str(error).split())[:1_000]
                answer, buffers = ["error", type(error).__name__, text, _builtin(type(error))], []
            self.channel.send(answer, buffers)

    def keep(self, value: Any) -> int:
        """Keep an object that is not plain data; return the number that stands for it."""
        self.objects.append(value)
        return len(self.objects) - 1

    def unpickle(self, sent: bytes) -> Any:
        """Return what the grader sent, with the objects of this kernel that it named."""
        unpickler = pickle.Unpickler(io.BytesIO(sent))  # noqa: S301  # from the grader
        unpickler.persistent_load = self.find  # type: ignore[method-assign]
        return unpickler.load()

    def find(self, name: tuple[str, Any]) -> Any:
        """Return the object, or the client of the cluster, that the grader means; see `pickling`."""
        kind, which = name
        if kind == "object":
            return self.objects[which]
        from ...lab import current_client

        client = current_client()
        if client is None or client.scheduler is None or client.scheduler.address != which:
            raise LookupError("this client belongs to another cluster")
        return client

    def answers(self, names: list[str]) -> list[Any]:
        """Return the notebook's variables of these names; ``...`` for those that are missing or empty."""
        from ...examination import is_blank

        found = [self.names.get(name, Ellipsis) for name in names]
        return [Ellipsis if is_blank(value) else value for value in found]

    def call(self, number: int, sent: Any) -> Any:
        """Call an object."""
        args, kwargs = sent
        return self.objects[number](*args, **kwargs)

    def items(self, number: int) -> list[Any]:
        """Return all that an iterable object gives."""
        found = []
        for item in self.objects[number]:
            found.append(item)
            if len(found) > _MOST_ITEMS:
                raise ValueError("there is no end to it")
        return found

    def peak(self, number: int, sent: Any) -> Any:
        """Call an object; return the result, and how much memory the call took at its worst moment."""
        # As `probes.memory.measure_peak`, which the notebook may have replaced.
        already = tracemalloc.is_tracing()  # a cell of the notebook may have begun it: what it has seen does not count
        if not already:
            tracemalloc.start()
        try:
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            result = self.call(number, sent)
            if not tracemalloc.is_tracing():
                raise RuntimeError("your code stopped tracemalloc, which measures its memory")
            return result, max(0, tracemalloc.get_traced_memory()[1] - before)
        finally:
            if not already:
                tracemalloc.stop()

    def lend(self, exercise: str, solutions: dict[str, str]) -> list[str]:
        """Replace the earlier functions that the exercise uses by the lesson's own, until the end."""
        from ...following import kernel_names

        names = kernel_names(self.names)
        used = {number: solutions[number] for number in names.earlier(exercise, solutions) if number in solutions}
        if used:
            self.borrowed.enter_context(names.lent(exercise, used))
        return list(used)

    def check(self, exercise: str, seed: int) -> dict[str, Any]:
        """Run the check of an exercise here, where it cannot run in the grader."""
        from .check import check_here

        return check_here(exercise, seed, self.names)


def serve(path: str, names: dict[str, Any]) -> None:
    """Answer the grader until it says goodbye.

    Parameters
    ----------
    path : str
        The grader's socket.
    names : dict
        The notebook's variables.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        server = AnswerServer(Channel(connection), names)
        with server.borrowed:
            server.run()


def _builtin(kind: type) -> str:
    """Return the name of the nearest class of Python's own that an error belongs to: checks ask for no others."""
    return next(str(one.__name__) for one in kind.__mro__ if getattr(builtins, one.__name__, None) is one)


def _same(old: Any, new: Any) -> bool:
    """Whether a value equals its copy; items of a list are compared separately."""
    if isinstance(old, (list, dict)):
        parts = zip(old, new, strict=False) if isinstance(old, list) else ((old[key], new.get(key)) for key in old)
        return len(old) == len(new) and all(one is other for one, other in parts)
    if isinstance(old, set):
        return bool(old == new)
    if not isinstance(old, np.ndarray):  # a table
        return bool(old.equals(new) and list(old.index.names) == list(new.index.names))
    return bool(old.shape == new.shape and old.dtype == new.dtype and old.tobytes() == new.tobytes())
