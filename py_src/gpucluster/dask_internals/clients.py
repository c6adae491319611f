"""``distributed.Client`` beyond what is documented. Importing this imports distributed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import ExitStack, nullcontext
from datetime import datetime
from functools import cached_property, wraps
from typing import Any, Literal, NoReturn
from weakref import WeakKeyDictionary, ref

import dask
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
from .configuration import with_settings, without_effect
from .interrupts import tasks_of
from .scheduler_state import RELEASED
from .spans import cell_span

__all__ = [
    "AFTER_THE_END", "ClientOfCluster", "ClosedClientError", "EndedClient", "client_ids", "take_over",
]  # fmt: skip

AFTER_THE_END = (ClosedClientError, OSError, RuntimeError, AttributeError)
"""Errors that distributed raises, beside ``CancelledError``, when a closed client is used, which has no scheduler.

``distributed.client.ClosedClientError`` (2025.4).
"""


def client_ids() -> set[str]:
    """Return the ids of all clients of this process: ``Client._instances``, a weak set (2021.1)."""
    return {client.id for client in list(distributed.Client._instances)}


def take_over(cluster: object, form: type[ClientOfCluster]) -> None:
    """Give the default client that is connecting to this cluster another class, if it is Dask's own.

    Relies on ``Client(cluster)`` becoming the default client before it awaits ``Client.cluster``, on
    ``distributed.Client`` having no slots, on ``Client._asynchronous``, as ``Client.asynchronous`` is true of every
    client in its own loop, and on ``Client._stream_handlers``, bound methods by the scheduler's message (2025.4).

    `cluster`: what is awaited. Clients of other clusters, of other classes and asynchronous ones stay unchanged.
    `form`: the class that it gets.
    """
    client = _get_global_client()
    if type(client) is distributed.Client and client.cluster is cluster and not client._asynchronous:
        client.__class__ = form
        client._stream_handlers["cancelled-keys"] = client._handle_cancelled_keys
        client._stream_handlers["restart"] = client._handle_restart


class EndedClient:
    """The default client in place of one that has ended: it refuses all computations.

    Without it, Dask would compute in this process, and ``distributed.wait`` would only report that there is no client.
    It goes when it is closed, when the next default client comes, or when nothing refers to it any more.

    Relies on ``_get_global_client()`` skipping clients whose ``status`` is "closed", and holding them weakly; on
    ``_set_global_client(client)``, which increments ``_global_client_index[0]``; and on Dask using the default client's
    ``asynchronous`` and ``get`` (2025.4).

    `refusal`: returns the error to raise.
    """

    asynchronous = False

    def __init__(self, refusal: Callable[[], Exception]) -> None:
        self._refusal = refusal
        _set_global_client(self)  # type: ignore[arg-type]  # not a subclass
        self._index: int | None = _global_client_index[0]

    @property
    def status(self) -> Literal["closing", "closed"]:
        """``closed`` once it is closed or replaced by another default client: then Dask forgets it."""
        return "closing" if _global_client_index[0] == self._index else "closed"

    def get(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse to compute."""
        raise self._refusal()

    def close(self, **_: Any) -> None:
        """Stop refusing. distributed also closes the default client when Python ends."""
        self._index = None

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # Looked up by Python itself.
            raise AttributeError(name)
        raise self._refusal()


class _LostResults:
    """Results that were lost with their clients: computing with them in this process raises the client's error.

    Dask would only name the key of one of them. Graphs that need none of them are computed as usual. If there is
    another client by then, its scheduler reports that it does not know them: see ``ClientOfCluster.loss``.

    Relies on ``dask.callbacks.Callback(start=…)`` getting the whole graph before Dask's local schedulers use it,
    with nodes that have ``dependencies``, and no node for a future; on the graph being empty where only futures
    are requested; on ``Client.futures`` having the graph's keys; and on futures holding their client, which
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
            # The owner of the requested futures is unknown, unless only clients of ours have closed.
            closed = [client for client in list(distributed.Client._instances) if client.status == "closed"]
            ours = all(isinstance(client, ClientOfCluster) for client in closed)
            owner = next(reversed(list(self._keys)), None) if ours else None
        if owner is not None:
            raise owner.after_the_loss()


_lost_results = _LostResults()
_LOST = "lost dependencies"  # The scheduler's reason when a graph needs unknown keys.
_RESTARTED = "scheduler-restart"  # The client's reason when all workers are restarted.


def _cancelled(error: CancelledError) -> Iterator[FutureCancelledError]:
    """Yield the errors in ``error_groups`` of ``FuturesCancelledError``, with ``key``, ``reason``, ``msg`` (2025.4)."""
    if isinstance(error, FutureCancelledError):
        yield error
    elif isinstance(error, FuturesCancelledError):
        for group in error.error_groups:
            yield from group.errors


class ClientOfCluster(distributed.Client):
    """A ``distributed.Client`` that closes with its scheduler, and lets subclasses choose the errors from then on.

    Relies on the coroutine ``Client._handle_report()``, which returns when the scheduler has said goodbye or the client
    is being closed; on ``Client._send_to_scheduler(msg)``, which raises ``ClosedClientError`` then; on the coroutine
    ``Client._close(fast)``, while which ``Client.status`` is "closing" already where ``Client.close()`` was called; on
    ``Client._set_as_default``; on ``Client._set_config``, which a client made as the default one leaves when no default
    client remains, to restore Dask's configuration; on ``Client.futures``, a dictionary of what the scheduler is asked
    to keep; on ``Client._repr_html_()`` holding ``Client.dashboard_link``; on ``Client._graph_to_futures(expr, …)``,
    through which all graphs go, and ``Client._scheduler_identity``, which is known from the connection on; on the
    coroutine ``Client._scatter``, which makes futures of what the scheduler has stored for this client; on
    ``Client._gather``, whose ``wait`` is a task for each future; on
    ``Client._handle_cancelled_keys(keys, reason, msg)``, which cancels the states in ``Client.futures``; on
    ``Client.refcount``, a number of futures by key; on the reason "lost dependencies" where a graph needs keys that the
    scheduler does not know; and on ``Client._handle_restart()``, which cancels the states in ``Client.futures`` for the
    reason "scheduler-restart", and clears them and ``Client.refcount`` (2025.4).
    """

    _ended: EndedClient | None = None
    _reported_settings = frozenset[str]()

    def stays_default(self) -> bool:
        """Whether computing is refused from now on, when the client closes without a call of ``close``."""
        return False

    def after_the_end(self) -> Exception:
        """Return the error for anything that is to be sent when there is no scheduler."""
        return ClosedClientError("The client is closed.")

    def after_the_loss(self) -> Exception:
        """Return the error for anything that needs a result which this client held when it was closed."""
        return ClosedClientError("The client that held a result is closed.")

    def after_the_release(self, why: str) -> Exception:
        """Return the error for anything that needs results of this client which were released."""
        return CancelledError(why)

    def after_the_restart(self, key: Any, when: datetime) -> Exception:
        """Return the error for anything that needs a result of this client, lost when all workers were restarted."""
        return CancelledError(f"{key} was lost in the restart of {when:%H:%M}.")

    def loss(self, error: CancelledError) -> Exception | None:
        """Return a replacement for Dask's error if it is known which results are missing, and why."""
        for one in _cancelled(error):
            if one.reason == RELEASED:
                return self.after_the_release(one.msg or "")
            cause = self._causes.get(one.key) if one.reason == _LOST else None
            if one.reason == _RESTARTED and one.key in self._restarted:
                cause = one.key, self._restarted[one.key]
            if isinstance(cause, str):
                return self.after_the_release(cause)
            if isinstance(cause, tuple):
                return self.after_the_restart(*cause)
            if cause is not None and (owner := cause()) is not None:
                return owner.after_the_loss()
        return None

    @cached_property
    def _released(self) -> dict[Any, str]:
        """Why results were released, by the keys of their remaining futures."""
        return {}

    @cached_property
    def _restarted(self) -> dict[Any, datetime]:
        """When all workers were restarted, by the keys whose results were lost."""
        return {}

    @cached_property
    def _causes(self) -> dict[Any, str | tuple[Any, datetime] | ref[ClientOfCluster]]:
        """What a graph lacks, by the requested keys: why it was released, what was lost in a restart, or its client."""
        return {}

    def _note_cause(self, needed: set[Any], keys: Collection[Any]) -> None:
        """Note what a graph lacks, if anything: the scheduler only reports that it lacks something."""
        for key in list(self._released):
            if key in self.futures or key not in self.refcount:  # It was computed again, or nothing refers to it.
                self._released.pop(key, None)
        for key in [key for key in list(self._causes) if key not in self.refcount]:
            self._causes.pop(key, None)
        known = (*list(self._released.items()), *list(self._causes.items()))
        cause = next((cause for key, cause in known if key in needed), None)
        missing = needed.difference(self.futures)
        for key in list(self._restarted):
            if key in self.futures:
                del self._restarted[key]
        if cause is None and (lost := next((key for key in missing if key in self._restarted), None)) is not None:
            cause = lost, self._restarted[lost]
        if cause is None and (owner := _lost_results.owner(missing)) is not None:
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
                # A later future of the same key would be cancelled as well.
                if self.futures.pop(key, None) is not None and reason == RELEASED:
                    self._released[key] = msg or ""

    def _handle_restart(self) -> None:
        lost = (*self.futures, *self._released, *self._causes)
        self._restarted.update(dict.fromkeys(lost, datetime.now()))
        super()._handle_restart()  # type: ignore[no-untyped-call]

    def warn_of_settings(self, names: list[str]) -> None:
        """Warn that these settings of this process differ from the scheduler's, and have no effect."""

    def current_cell(self) -> tuple[str, str, Mapping[str, Any]] | None:
        """Return name, id and facts of the cell that is run, if any: what ``cell_span`` takes."""
        return None

    def hide_in_html(self, html: str) -> str:
        """Return Dask's HTML for the client, changed as needed."""
        return html

    def _repr_html_(self) -> str:
        return self.hide_in_html(super()._repr_html_())  # type: ignore[no-untyped-call]

    def close(self, *arguments: Any, **options: Any) -> Any:
        """Close it; later computations do not use it."""
        if self._ended is not None:
            self._ended.close()
        return super().close(*arguments, **options)  # type: ignore[no-untyped-call]

    async def _close(self, fast: bool = False) -> None:
        if self.status != "closed":
            _lost_results.note(self)
        unasked = self.status in {"running", "connecting"} and self._set_as_default
        if (config := getattr(self, "_set_config", None)) is not None:
            restoring = ExitStack()
            restoring.callback(_forget_scheduler)
            restoring.push(config)
            self._set_config = restoring  # type: ignore[assignment]  # it is only left
        await super()._close(fast=fast)
        if unasked and _get_global_client() is None and self.stays_default():
            self._ended = EndedClient(self.after_the_end)

    async def _scatter(self, *arguments: Any, **options: Any) -> Any:
        # If it were cancelled halfway, the scheduler would keep data for this client that no future refers to.
        return await asyncio.shield(super()._scatter(*arguments, **options))  # type: ignore[no-untyped-call]

    async def _gather(self, *arguments: Any, **options: Any) -> Any:
        try:
            return await super()._gather(*arguments, **options)  # type: ignore[no-untyped-call]
        except asyncio.CancelledError:
            # Its waits go on, and fail when the futures are released: not worth an error in the log.
            for task in tasks_of(f"{distributed.Client._gather.__qualname__}.<locals>.wait"):
                task.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise

    async def _handle_report(self) -> None:
        await super()._handle_report()
        if self.status == "running":
            await self._close()

    def _graph_to_futures(self, expr: Any, keys: Any, *arguments: Any, **options: Any) -> Any:
        if self._released or self._causes or self._restarted or _lost_results:
            keys = list(keys)
            self._note_cause(needed_by(expr), keys)
        identity = self._scheduler_identity
        if unreported := [name for name in without_effect(identity) if name not in self._reported_settings]:
            self._reported_settings |= set(unreported)
            self.warn_of_settings(unreported)
        cell = self.current_cell()
        with nullcontext() if cell is None else cell_span(*cell):
            return super()._graph_to_futures(with_settings(expr, identity), keys, *arguments, **options)  # type: ignore[no-untyped-call]

    def _send_to_scheduler(self, msg: dict[str, Any]) -> None:
        try:
            super()._send_to_scheduler(msg)  # type: ignore[no-untyped-call]
        except ClosedClientError:
            # A traceback keeps the futures that were just made, and running the cell again would wait for them.
            self.futures.clear()
            raise self.after_the_end() from None


def _forget_scheduler() -> None:
    """Let Dask compute in this process: a client that was made while another one was the default restores its name."""
    if dask.config.get("scheduler", None) == "dask.distributed":
        del dask.config.config["scheduler"]


_OF_THE_SCHEDULER = (
    "benchmark_hardware", "call_stack", "get_events", "get_metadata", "get_scheduler_logs", "get_worker_logs",
    "list_datasets", "log_event", "nbytes", "ncores", "nthreads", "processing", "retire_workers", "set_metadata",
    "unregister_scheduler_plugin",
)  # fmt: skip
"""Methods that use ``Client.scheduler`` before anything else: it is None once the client is closed (2025.4)."""


_MAKE_FUTURES = ("compute", "get", "map", "persist", "scatter", "submit")  # Methods that make futures (2025.4).


def _checks_for_the_end(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method with the error of ``after_the_end`` where distributed would lack an attribute."""

    @wraps(method)
    def checked(self: ClientOfCluster, *arguments: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        if self.scheduler is None and self.status in {"closing", "closed"}:
            raise self.after_the_end()
        return method(self, *arguments, **options)

    return checked


def _leaves_no_futures(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method with errors that hold no futures."""

    @wraps(method)
    def called(self: ClientOfCluster, *arguments: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        with leaving_no_futures():
            return method(self, *arguments, **options)

    return called


for _name in _MAKE_FUTURES:
    setattr(ClientOfCluster, _name, _leaves_no_futures(getattr(distributed.Client, _name)))
for _name in _OF_THE_SCHEDULER:
    setattr(ClientOfCluster, _name, _checks_for_the_end(getattr(distributed.Client, _name)))
