"""The learner's objects, as the grader sees them: calls go to the kernel, plain data comes back.

Comparing and calculating is never left to the kernel: an object that says it is equal to everything would pass all
checks. What a check compares it must first turn into plain data, with ``numpy.asarray``, ``compute()`` and the like.
"""

from __future__ import annotations

import builtins
import io
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import cloudpickle
import numpy as np

from ....protocol.plain_text import printable
from .channel import Channel, ChannelClosed
from .values import COLLECTIONS, Handle, NotPlain, changeable, decode

if TYPE_CHECKING:
    from distributed import Future


# What the grader sends to the kernel: anything, with the learner's own objects as what they are there.


_LONGEST_WAIT_S = 10.0


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    def __init__(self, file: io.BytesIO, stays: tuple[type, ...]) -> None:
        super().__init__(file)
        self._stays = stays
        self.futures: list[Future[Any]] = []

    def persistent_id(self, value: Any) -> tuple[str, int | str] | None:
        kind: type = type(value)
        if kind in self._stays:
            return ("object", value._handle.number)
        if kind.__name__ == "Future" and kind.__module__.startswith("distributed"):
            self.futures.append(value)
        if kind.__module__.startswith(("distributed", "gpucluster")) and _is_client(value):
            return ("client", value.scheduler.address)
        return None


def _is_client(value: Any) -> bool:
    from distributed import Client

    return isinstance(value, Client)


def pickled(value: Any, stays: tuple[type, ...]) -> bytes:
    """Return a value as bytes. The scheduler knows the futures in it by then.

    Parameters
    ----------
    value
        What to send.
    stays : tuple of type
        Classes of the stand-ins for objects that lie in the kernel; each has a ``_handle``.
    """
    file = io.BytesIO()
    pickler = _Pickler(file, stays)
    pickler.dump(value)
    if pickler.futures:
        _until_known(pickler.futures)
    return file.getvalue()


def _until_known(futures: list[Future[Any]]) -> None:
    """Wait until the scheduler has heard of futures of ours.

    The kernel has its own connection. A task of the learner that uses such a future may arrive before the future
    does, and would be cancelled for "lost dependencies".
    """
    client, keys = futures[0].client, [future.key for future in futures]
    deadline = time.monotonic() + _LONGEST_WAIT_S
    while time.monotonic() < deadline:
        # Of this function, which pickle takes along: the scheduler's process is not to import the grader.
        if client.run_on_scheduler(lambda dask_scheduler, keys: set(keys) <= set(dask_scheduler.tasks), keys=keys):
            return
        time.sleep(0.02)


# The learner's objects, as the grader sees them: calls go to the kernel, plain data comes back.


_KNOWN = {"dask", "distributed", "gpucluster", "numpy", "pandas", "sklearn"}
"""Packages whose classes a check may ask for."""
_LONGEST_NAME = 60


class KernelConnection:
    """The grader's side of the channel.

    Parameters
    ----------
    channel : Channel
        Connected to `kernel.server.serve`.
    ended_for : callable, optional
        Returns why the kernel was killed; an empty string if it was not.
    """

    def __init__(self, channel: Channel, ended_for: Callable[[], str] = str) -> None:
        self._channel = channel
        self._ended_for = ended_for
        self._failure: Exception | None = None

    def answers(self, names: list[str]) -> list[Any]:
        """Return what the notebook has under these names; ``...`` where it is empty."""
        return list(self.ask("answers", names))

    def ask(self, operation: str, *about: Any, sent: Any = None) -> Any:
        """Ask the kernel for something.

        Parameters
        ----------
        operation : str
            What to do; see `kernel.server`.
        *about
            JSON data.
        sent : optional
            Anything; it is pickled. Objects of the learner become what they are again.

        Raises
        ------
        Exception
            What the learner's code raised, or that the kernel does not respond.
        """
        if self._failure is not None:
            raise self._failure
        try:
            self._channel.send([operation, *about], [pickled(sent, _STAND_INS)])
            (outcome, *details), buffers = self._channel.receive()
            if outcome == "value":
                value = decode(details[0], buffers, self._wrap)
                self._write_back(sent, details[1], buffers)
                return value
        except (ChannelClosed, NotPlain, ValueError, TypeError, IndexError) as error:
            # The check continues with its other properties; none of them can hold any more.
            self._failure = KernelSilent(f"your code did not answer: {self._ended_for() or error}")
            raise self._failure from None
        raise _error_of(details)

    def end(self) -> None:
        """Say goodbye."""
        try:
            self._channel.send(["end"], [b""])
        except ChannelClosed:
            return
        finally:
            self._channel.close()

    def _wrap(self, handle: Handle) -> Any:
        return RemoteObject(self, handle) if handle.plain is None else _collection(self, handle)

    def _write_back(self, sent: Any, changed: Any, buffers: list[bytes]) -> None:
        """What the learner's code did to the arrays, tables and lists that it was given, the check is to see."""
        given = changeable(sent)
        for place, tree in changed:
            new, old = decode(tree, buffers, self._wrap), given[int(place)]
            if isinstance(old, np.ndarray):
                if not isinstance(new, np.ndarray):
                    raise NotPlain("an array was replaced by another object")
                if old.shape != new.shape:
                    old.resize(new.shape, refcheck=False)
                old[...] = new
            elif type(new) is not type(old):
                raise NotPlain(f"a {type(old).__name__} was replaced by another object")
            elif isinstance(old, list):
                old[:] = new
            elif isinstance(old, (dict, set)):
                old.clear()
                old.update(new)
            else:
                old._update_inplace(new)  # pandas has no public way to change columns, rows and names at once


class KernelSilent(Exception):
    """The kernel has ended, takes too long, or sends nonsense."""


class RemoteObject:
    """One object of the learner."""

    gpucluster_stand_in = True

    def __init__(self, kernel: KernelConnection, handle: Handle) -> None:
        object.__setattr__(self, "_kernel", kernel)
        object.__setattr__(self, "_handle", handle)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not tracemalloc.is_tracing():
            return self._ask("call", sent=(args, kwargs))
        # The check measures memory, and it is the kernel that uses it: so much is held here for a moment.
        held, most = tracemalloc.get_traced_memory()
        result, peak = self.measure_peak(*args, **kwargs)
        tracemalloc.reset_peak()  # what carrying the data here took does not count
        np.empty(max(0, min(max(held + peak, most) - tracemalloc.get_traced_memory()[0], 2**40)), dtype=np.uint8)
        return result

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._ask("attribute", name)

    def __getitem__(self, key: Any) -> Any:
        return self._ask("item", sent=key)

    def __len__(self) -> int:
        return int(self._ask("length"))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._ask("items"))

    def __bool__(self) -> bool:
        return True

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self._ask("array"), dtype=dtype)

    def __repr__(self) -> str:
        return f"an object of the learner ({printable(self._handle.kind, _LONGEST_NAME)})"

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise TypeError("an object of the learner cannot be changed from outside")

    def __reduce__(self) -> NoReturn:
        raise TypeError("an object of the learner cannot be sent to workers from outside")

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        # So that isinstance() knows a Dask array. What a class is called proves nothing, and checks rely on no more.
        return _class_of(self._handle.kind)

    def measure_peak(self, *args: Any, **kwargs: Any) -> tuple[Any, int]:
        """Return the result of a call, and how much memory it takes in the kernel at its worst moment."""
        result, peak = self._ask("peak", sent=(args, kwargs))
        return result, int(peak)

    def _ask(self, operation: str, *about: Any, sent: Any = None) -> Any:
        return self._kernel.ask(operation, self._handle.number, *about, sent=sent)


class RemoteCollection:
    """One object of the learner whose class is derived from that of a plain collection, such as a Counter.

    For the check it is the plain collection, with what the object had when it came. Handed to the learner's code again,
    it is the object.
    """

    gpucluster_stand_in = True
    _kernel: KernelConnection
    _handle: Handle

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(RemoteObject(self._kernel, self._handle), name)

    def __reduce__(self) -> Any:
        return type(self._handle.plain), (self._handle.plain,)


_COLLECTIONS = {base: type(base.__name__, (RemoteCollection, base), {}) for base in COLLECTIONS}
_STAND_INS = (RemoteObject, *_COLLECTIONS.values())


def _collection(kernel: KernelConnection, handle: Handle) -> Any:
    made = _COLLECTIONS[type(handle.plain)](handle.plain)
    made._kernel, made._handle = kernel, handle
    return made


def _class_of(kind: str) -> type:
    parts = kind.split(".")
    if parts[0] in _KNOWN:
        for cut in range(len(parts) - 1, 0, -1):
            # A check that asks for a class has imported it; nothing is imported because the kernel names it.
            found: Any = sys.modules.get(".".join(parts[:cut]))
            if found is not None:
                for name in parts[cut:]:
                    found = getattr(found, name, None)
                return found if isinstance(found, type) else RemoteObject
    return RemoteObject


def _error_of(details: Any) -> Exception:
    """An error with the name and the text that it had, of a class that is ours."""
    try:
        name, text, base = (str(part)[:2_000] for part in details)
    except (TypeError, ValueError):
        return KernelSilent("your code did not answer: the message cannot be read")
    # An error of any other class counts as one of the class of Python's own that it is derived from.
    known = getattr(builtins, base, None)
    nearest = known if isinstance(known, type) and issubclass(known, Exception) else Exception
    name = name[:_LONGEST_NAME] if name.isidentifier() else "Exception"
    # A KeyError shows its text in quotes, and this text has been through that.
    own = {} if nearest.__name__ == name else {"__str__": lambda self: text}
    for kind in nearest.__mro__:
        try:
            made: Exception = (kind if kind.__name__ == name else type(name, (kind,), own))(text)
        except TypeError:  # such as UnicodeDecodeError, which wants five arguments; it is still a ValueError
            continue
        return made
    return Exception(text)
