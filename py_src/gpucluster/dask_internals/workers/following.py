"""Follow what Dask calls or logs, as transfers of results and shuffles, beside other followers.

The last follower restores the original."""

import functools
import inspect
from collections import deque
from collections.abc import Callable
from typing import Any, Literal

FOLLOWERS = "gpucluster_followers"
BEFORE = "gpucluster_before"


class Following:
    """One follower of one thing.

    The followers are stored on the hook that replaces Dask's own object, not in a variable of this module: a
    measurement that was sent by value brings its own module, and still shares the hook.

    * `read`, `write`: return and replace the present object.
    * `make`: makes a hook from Dask's own object and a list of followers, which it calls.
    * `follower`: called with what happens.
    """

    def __init__(
        self,
        read: Callable[[], Any],
        write: Callable[[Any], None],
        make: Callable[[Any, list[Any]], Any],
        follower: Callable[..., None],
    ) -> None:
        self._read, self._write, self._follower = read, write, follower
        if not hasattr(read(), FOLLOWERS):
            before, followers = read(), []  # type: Any, list[Any]
            hook = make(before, followers)
            setattr(hook, FOLLOWERS, followers)
            setattr(hook, BEFORE, before)
            write(hook)
        self._hook = read()
        self._followers: list[Any] = getattr(self._hook, FOLLOWERS)
        self._followers.append(follower)

    @property
    def whole(self) -> bool:
        """Whether nothing has been missed, because the hook was not replaced."""
        return self._read() is self._hook

    def stop(self) -> None:
        """Stop following; the last follower restores the original."""
        if self._follower in self._followers:
            self._followers.remove(self._follower)
        if not self._followers and self.whole:
            before = getattr(self._hook, BEFORE)
            restore = getattr(self._hook, "gpucluster_restore", None)
            self._write(before if restore is None else restore())


def follow_handler(table: dict[str, Any], operation: str, follower: Callable[[dict[str, Any]], None]) -> Following:
    """Call a follower with the arguments of each message of one kind, before its handler.

    Relies on tables of handlers being dictionaries from the operation to a function or coroutine function that is
    called with keyword arguments (``Server.handlers`` and ``Server.stream_handlers``, 2021.1).

    `operation`: a key of it. `follower`: gets a dictionary, and must not change it.
    """

    def make(handler: Any, followers: list[Any]) -> Any:
        @functools.wraps(handler)
        def followed(*args: Any, **kwargs: Any) -> Any:
            for one in followers:
                one(kwargs)
            return handler(*args, **kwargs)

        @functools.wraps(handler)
        async def followed_coroutine(*args: Any, **kwargs: Any) -> Any:
            return await followed(*args, **kwargs)

        return followed_coroutine if inspect.iscoroutinefunction(handler) else followed

    return Following(lambda: table.get(operation), lambda value: table.update({operation: value}), make, follower)


LOGS = {"incoming": "transfer_incoming_log", "outgoing": "transfer_outgoing_log"}


class FollowedLog(deque[dict[str, Any]]):
    """A worker's log of transfers that passes each entry to its followers. Dask's own keeps only the last thousand."""

    def append(self, entry: dict[str, Any]) -> None:
        """Keep an entry, and pass it on."""
        super().append(entry)
        for follower in getattr(self, FOLLOWERS, ()):
            follower(entry)

    def gpucluster_restore(self) -> deque[dict[str, Any]]:
        """Return a log of Dask's kind with the same entries."""
        return deque(self, maxlen=self.maxlen)


def follow_transfers(
    worker: Any, direction: Literal["incoming", "outgoing"], follower: Callable[[dict[str, Any]], None]
) -> Following:
    """Call a follower for each transfer of results of one worker.

    Relies on the worker appending a dictionary with ``start``, ``stop`` (by the scheduler's clock), ``total`` (bytes)
    and ``who`` (the other worker's address; empty for a client) to the deques ``Worker.transfer_incoming_log`` and
    ``Worker.transfer_outgoing_log`` (2022.11).
    """
    name = LOGS[direction]
    return Following(
        lambda: getattr(worker, name),
        lambda value: setattr(worker, name, value),
        lambda log, _: FollowedLog(log, maxlen=log.maxlen),
        follower,
    )


def sent_bytes(worker: Any) -> int:
    """Return the bytes of all results that a worker has sent: ``Worker.transfer_outgoing_bytes_total`` (2023.4)."""
    return int(worker.transfer_outgoing_bytes_total)


def n_sent(worker: Any) -> int:
    """Return how often a worker has sent results: ``Worker.transfer_outgoing_count_total`` (2022.11)."""
    return int(worker.transfer_outgoing_count_total)


def sent_since(worker: Any, before: int) -> list[dict[str, Any]]:
    """Return what a worker's log of sent results still has after the first ``before``, as counted by ``n_sent``.

    Relies on ``Worker.transfer_outgoing_log``, which keeps the last thousand by default (2022.11).
    """
    new = n_sent(worker) - before
    return list(worker.transfer_outgoing_log)[-new:] if new > 0 else []


def follow_sent_shards(follower: Callable[[str, str, int], None]) -> Following | None:
    """Call a follower for each message of shards that a worker of this process sends.

    Relies on the private coroutine ``distributed.shuffle._core.ShuffleRun._send(address, shards)``, through which all
    shuffles send, and on ``ShuffleRun.local_address`` (2024.2).

    `follower`: gets the addresses of the sending and the receiving worker, which may be the same, and the bytes.
    Returns None if this Dask has no such shuffles.
    """
    try:
        from distributed.shuffle._core import ShuffleRun
    except ImportError:
        return None
    run: Any = ShuffleRun
    if not hasattr(run, "_send"):
        return None
    return Following(lambda: run._send, lambda value: setattr(run, "_send", value), _sending, follower)


def follow_received_shards(worker: Any, follower: Callable[[int], None]) -> Following | None:
    """Call a follower with the bytes of each message of shards that a worker receives, including its own.

    Relies on ``Worker.handlers["shuffle_receive"]``, a coroutine function with the argument ``data`` (2023.9).
    Returns None if this Dask has no such shuffles.
    """
    if "shuffle_receive" not in worker.handlers:
        return None

    return follow_handler(
        worker.handlers, "shuffle_receive", lambda message: follower(shard_bytes(message.get("data")))
    )


def _sending(original: Any, followers: list[Any]) -> Any:
    @functools.wraps(original)
    async def followed(self: Any, address: str, shards: Any) -> Any:
        n_bytes = shard_bytes(shards)
        for follower in followers:
            follower(self.local_address, address, n_bytes)
        return await original(self, address, shards)

    return followed


def shard_bytes(value: Any) -> int:
    """Return the bytes of a message of shards: nested lists of tables, arrays and bytes."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return len(value)
    if isinstance(value, (list, tuple)):
        return sum(map(shard_bytes, value))
    if isinstance(value, dict):
        return sum(map(shard_bytes, value.values()))
    found = getattr(value, "nbytes", 0)
    return int(found) if isinstance(found, int) else 0
