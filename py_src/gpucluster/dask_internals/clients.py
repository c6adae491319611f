"""``distributed.Client`` beyond what is documented of it. Importing this imports distributed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import nullcontext
from functools import cached_property, wraps
from typing import Any, Literal, NoReturn
from weakref import WeakKeyDictionary, ref

import distributed
from dask.callbacks import Callback
from distributed.client import (
    ClosedClientError,
    FutureCancelledError,
    FuturesCancelledError,
    _get_global_client,
    _global_client_index,
    _set_global_client,
)

from .collections import leaving_no_futures, needed_by
from .scheduler_state import RELEASED
from .settings import with_settings, without_effect
from .spans import cell_span

__all__ = [
    "AFTER_THE_END", "ClientOfCluster", "ClosedClientError", "EndedClient", "client_ids", "take_over",
]  # fmt: skip

AFTER_THE_END = (ClosedClientError, OSError, RuntimeError, AttributeError)
"""What distributed raises, beside ``CancelledError``, when a client that is closed is asked for something.

It finds no scheduler there. ``distributed.client.ClosedClientError`` (2025.4).
"""


def client_ids() -> set[str]:
    """Return the ids of all clients of this process: ``Client._instances``, a weak set (2021.1)."""
    return {client.id for client in list(distributed.Client._instances)}


def take_over(cluster: object, form: type[ClientOfCluster]) -> None:
    """Make the default client that connects to this cluster now one of that class, if it is Dask's own.

    Relies on ``Client(cluster)`` becoming the default client before it awaits ``Client.cluster``, on
    ``distributed.Client`` having no slots, on ``Client._asynchronous``, as ``Client.asynchronous`` is true of every
    client in its own loop, and on ``Client._stream_handlers``, bound methods by the scheduler's message (2025.4).

    `cluster`: what is awaited. Clients of others, of other classes and those whose methods are coroutines stay as they
    are. `form`: the class that it gets.
    """
    client = _get_global_client()
    if type(client) is distributed.Client and client.cluster is cluster and not client._asynchronous:
        client.__class__ = form
        client._stream_handlers["cancelled-keys"] = client._handle_cancelled_keys


class EndedClient:
    """The default client in the place of one that has ended: whatever is to be computed with it is refused.

    Without it, Dask would compute in this process, and ``distributed.wait`` would only say that there is no client. It
    goes when it is closed, when the next default client comes, or when nobody holds it any more.

    Relies on ``_get_global_client()`` passing over clients whose ``status`` is "closed", and holding them weakly; on
    ``_set_global_client(client)``, which counts ``_global_client_index[0]`` up; and on Dask asking the default client
    for ``asynchronous`` and ``get`` (2025.4).

    `refusal`: returns what to raise.
    """

    asynchronous = False

    def __init__(self, refusal: Callable[[], Exception]) -> None:
        self._refusal = refusal
        _set_global_client(self)  # type: ignore[arg-type]  # it stands for one
        self._index: int | None = _global_client_index[0]

    @property
    def status(self) -> Literal["closing", "closed"]:
        """``closed`` once it is, or once there was another default client: Dask forgets this one then."""
        return "closing" if _global_client_index[0] == self._index else "closed"

    def get(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse to compute."""
        raise self._refusal()

    def close(self, **_: Any) -> None:
        """Refuse no longer. distributed closes the default client when Python ends, too."""
        self._index = None

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # What Python itself looks for.
            raise AttributeError(name)
        raise self._refusal()


class _LostResults:
    """Results that went with their clients: computing with them in this process raises the client's error.

    Dask would only name the key of one of them. What needs none of them is computed as ever.

    Where there is another client by then, its scheduler says that it does not know them: see ``ClientOfCluster.loss``.

    Relies on ``dask.callbacks.Callback(start=…)`` getting the whole graph before Dask's local schedulers look at it,
    with nodes that have ``dependencies``, and no node for a future; on the graph being empty where nothing but futures
    is asked for; on ``Client.futures`` having the graph's keys; and on futures holding their client, which
    ``Client._instances`` holds weakly (2025.4).
    """

    def __init__(self) -> None:
        self._keys: WeakKeyDictionary[ClientOfCluster, frozenset[Any]] = WeakKeyDictionary()
        self._callback = Callback(start=self._refuse)

    def note(self, client: ClientOfCluster) -> None:
        """Note what is lost when a client closes."""
        if client.futures:
            self._keys[client] = frozenset(client.futures)
            self._callback.register()

    def __bool__(self) -> bool:
        return bool(self._keys)

    def owner(self, needed: Collection[Any]) -> ClientOfCluster | None:
        """Return the client that held one of these results: the one that closed last, as keys may be the same."""
        found = [client for client, keys in list(self._keys.items()) if not keys.isdisjoint(needed)]
        return found[-1] if found else None

    def _refuse(self, graph: Mapping[Any, Any]) -> None:
        if graph:
            needed = {key for node in graph.values() for key in getattr(node, "dependencies", ())}.difference(graph)
            owner = self.owner(needed)
        else:
            # Nothing says whose futures are asked for, unless no client of another kind has closed.
            closed = [client for client in list(distributed.Client._instances) if client.status == "closed"]
            ours = all(isinstance(client, ClientOfCluster) for client in closed)
            owner = next(reversed(list(self._keys)), None) if ours else None
        if owner is not None:
            raise owner.after_the_loss()


_lost_results = _LostResults()
_LOST = "lost dependencies"  # The scheduler's reason where a graph needs keys that it does not know.


def _cancelled(error: CancelledError) -> Iterator[FutureCancelledError]:
    """Yield the errors of the single futures.

    Relies on ``FutureCancelledError`` having ``key``, ``reason`` and ``msg``, and on ``FuturesCancelledError`` having
    ``error_groups`` with ``errors`` (2025.4).
    """
    if isinstance(error, FutureCancelledError):
        yield error
    elif isinstance(error, FuturesCancelledError):
        for group in error.error_groups:
            yield from group.errors


class ClientOfCluster(distributed.Client):
    """``distributed.Client`` that closes with its scheduler, and tells its children when they send to none.

    Relies on the coroutine ``Client._handle_report()``, which returns when the scheduler has said goodbye or the client
    is being closed; on ``Client._send_to_scheduler(msg)``, which raises ``ClosedClientError`` then; on the coroutine
    ``Client._close(fast)``, while which ``Client.status`` is "closing" already where ``Client.close()`` was called; on
    ``Client._set_as_default``; on ``Client.futures``, a dictionary of what the scheduler is asked to keep; on
    ``Client._repr_html_()`` holding ``Client.dashboard_link``; on ``Client._graph_to_futures(expr, …)``, through
    which all graphs go, and ``Client._scheduler_identity``, which is known from the connection on; on the coroutine
    ``Client._scatter``, which makes futures of what the scheduler has stored for this client; on
    ``Client._handle_cancelled_keys(keys, reason, msg)``, which cancels the states in ``Client.futures``; on
    ``Client.refcount``, a number of futures by key; and on the reason "lost dependencies" where a graph needs keys that
    the scheduler does not know (2025.4).
    """

    _ended: EndedClient | None = None
    _told_settings = frozenset[str]()

    def stays_default(self) -> bool:
        """Return whether computing is refused from now on, when the client closes by itself."""
        return False

    def after_the_end(self) -> Exception:
        """Return what to raise when something is to be sent, and there is no scheduler to send it to."""
        return ClosedClientError("The client is closed.")

    def after_the_loss(self) -> Exception:
        """Return what to raise when something needs a result that this client had when it was closed."""
        return ClosedClientError("The client that held a result is closed.")

    def after_the_release(self, why: str) -> Exception:
        """Return what to raise when something needs results that this client holds no longer: they were released."""
        return CancelledError(why)

    def loss(self, error: CancelledError) -> Exception | None:
        """Return what to raise instead of Dask's error where it is known which results are missing, and why."""
        for one in _cancelled(error):
            if one.reason == RELEASED:
                return self.after_the_release(one.msg or "")
            cause = self._causes.get(one.key) if one.reason == _LOST else None
            if isinstance(cause, str):
                return self.after_the_release(cause)
            if cause is not None and (owner := cause()) is not None:
                return owner.after_the_loss()
        return None

    @cached_property
    def _released(self) -> dict[Any, str]:
        """Why results were released, by the keys of futures that still stand for them."""
        return {}

    @cached_property
    def _causes(self) -> dict[Any, str | ref[ClientOfCluster]]:
        """What a graph lacks, by the keys that were asked for: why it was released, or the client that it went with."""
        return {}

    def _note_cause(self, needed: set[Any], keys: Collection[Any]) -> None:
        """Note what a graph lacks, if it does: the scheduler only says that it lacks something."""
        for key in list(self._released):
            if key in self.futures or key not in self.refcount:  # It was computed again; nothing stands for it.
                self._released.pop(key, None)
        for key in [key for key in list(self._causes) if key not in self.refcount]:
            self._causes.pop(key, None)
        known = (*list(self._released.items()), *list(self._causes.items()))
        cause = next((cause for key, cause in known if key in needed), None)
        if cause is None and (owner := _lost_results.owner(needed.difference(self.futures))) is not None:
            cause = ref(owner)
        for key in keys:
            if cause is None:
                self._causes.pop(key, None)
            else:
                self._causes[key] = cause

    def _handle_cancelled_keys(self, keys: Any, reason: Any = None, msg: Any = None) -> None:
        super()._handle_cancelled_keys(keys, reason=reason, msg=msg)  # type: ignore[no-untyped-call]
        if reason in {RELEASED, _LOST}:
            for key in keys:
                # A future of the same key, made later, would be as cancelled as this one.
                if self.futures.pop(key, None) is not None and reason == RELEASED:
                    self._released[key] = msg or ""

    def warn_of_settings(self, names: list[str]) -> None:
        """Warn that these settings of this process are other ones than the scheduler's, and have no effect."""

    def current_cell(self) -> tuple[str, str, Mapping[str, Any]] | None:
        """Return name, id and facts of the cell that is run, if any: what ``cell_span`` takes."""
        return None

    def hide_in_html(self, html: str) -> str:
        """Return how the client is shown in a notebook, from Dask's own way."""
        return html

    def _repr_html_(self) -> str:
        return self.hide_in_html(super()._repr_html_())  # type: ignore[no-untyped-call]

    def close(self, *arguments: Any, **options: Any) -> Any:
        """Close it; what is computed next is computed without it."""
        if self._ended is not None:
            self._ended.close()
        return super().close(*arguments, **options)  # type: ignore[no-untyped-call]

    async def _close(self, fast: bool = False) -> None:
        if self.status != "closed":
            _lost_results.note(self)
        by_itself = self.status in {"running", "connecting"} and self._set_as_default
        await super()._close(fast=fast)
        if by_itself and _get_global_client() is None and self.stays_default():
            self._ended = EndedClient(self.after_the_end)

    async def _scatter(self, *arguments: Any, **options: Any) -> Any:
        # If it were cancelled on the way, the scheduler would keep for this client what no future stands for.
        return await asyncio.shield(super()._scatter(*arguments, **options))  # type: ignore[no-untyped-call]

    async def _handle_report(self) -> None:
        await super()._handle_report()
        if self.status == "running":
            await self._close()

    def _graph_to_futures(self, expr: Any, keys: Any, *arguments: Any, **options: Any) -> Any:
        if self._released or self._causes or _lost_results:
            keys = list(keys)
            self._note_cause(needed_by(expr), keys)
        identity = self._scheduler_identity
        if unheard := [name for name in without_effect(identity) if name not in self._told_settings]:
            self._told_settings |= set(unheard)
            self.warn_of_settings(unheard)
        cell = self.current_cell()
        with nullcontext() if cell is None else cell_span(*cell):
            return super()._graph_to_futures(with_settings(expr, identity), keys, *arguments, **options)  # type: ignore[no-untyped-call]

    def _send_to_scheduler(self, msg: dict[str, Any]) -> None:
        try:
            super()._send_to_scheduler(msg)  # type: ignore[no-untyped-call]
        except ClosedClientError:
            # A traceback keeps the futures that were just made, and the same cell, run again, would wait for them.
            self.futures.clear()
            raise self.after_the_end() from None


_OF_THE_SCHEDULER = (
    "benchmark_hardware", "call_stack", "get_events", "get_metadata", "get_scheduler_logs", "get_worker_logs",
    "list_datasets", "log_event", "nbytes", "ncores", "nthreads", "processing", "retire_workers", "set_metadata",
    "unregister_scheduler_plugin",
)  # fmt: skip
"""Methods that look up ``Client.scheduler`` before anything else: it is None once the client is closed (2025.4)."""


_MAKE_FUTURES = ("compute", "get", "map", "persist", "scatter", "submit")  # Methods that make futures (2025.4).


def _told_of_the_end(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method, which says what has become of the cluster where distributed would miss an attribute."""

    @wraps(method)
    def asked(self: ClientOfCluster, *arguments: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        if self.scheduler is None and self.status in {"closing", "closed"}:
            raise self.after_the_end()
        return method(self, *arguments, **options)

    return asked


def _leaves_no_futures(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method, whose errors hold no futures."""

    @wraps(method)
    def called(self: ClientOfCluster, *arguments: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        with leaving_no_futures():
            return method(self, *arguments, **options)

    return called


for _name in _MAKE_FUTURES:
    setattr(ClientOfCluster, _name, _leaves_no_futures(getattr(distributed.Client, _name)))
for _name in _OF_THE_SCHEDULER:
    setattr(ClientOfCluster, _name, _told_of_the_end(getattr(distributed.Client, _name)))
