"""HTTP requests to a supervisor over its unix socket, and streams of events.

Changes of clusters are read from the registry, samples of their telemetry from the supervisor.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Collection
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from ..protocol.errors import ClusterNotFound, ErrorModel, GPUClusterError, SupervisorUnreachable, error_from_model
from ..protocol.models import EVENT, ClusterChanged, ClusterModel, ClusterRemoved, ClusterState, Event, Hello, Telemetry
from ..protocol.telemetry import TelemetrySample
from ..protocol.version import BY_HEADER, PROTOCOL_HEADER, PROTOCOL_VERSION, SECRET_HEADER
from ..registry import lock
from ..registry.record import Folder, read_secret
from ..registry.store import Registry
from ..registry.watching import RegistryWatch

if TYPE_CHECKING:
    import httpx


_ANSWER_SECONDS, _SHORTEST_SECONDS = 30.0, 1.0
_HOST = "gpucluster"


class _HideSupervisorRequests(logging.Filter):
    """Removes the lines that httpx logs at the level INFO for each request to a supervisor."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not any(getattr(argument, "host", None) == _HOST for argument in record.args or ())


_hide_supervisor_requests = _HideSupervisorRequests()


def _client(folder: Folder, timeout: float | None, by: str | None = None) -> httpx.AsyncClient:
    # Imported late: most verbs of the command line only read the registry, which is faster than this import.
    import httpx

    # trust_env: ignore proxies of the environment for a socket on this machine.
    # verify: a socket file has no TLS, and loading the machine's certificates takes 50 ms.
    transport = httpx.AsyncHTTPTransport(uds=str(folder.socket), verify=False)
    logging.getLogger("httpx").addFilter(_hide_supervisor_requests)  # Adding the same object again has no effect.
    secret = read_secret(folder)
    headers = {PROTOCOL_HEADER: str(PROTOCOL_VERSION)}
    headers |= ({BY_HEADER: by} if by else {}) | ({SECRET_HEADER: secret} if secret else {})
    return httpx.AsyncClient(transport=transport, base_url=f"http://{_HOST}", headers=headers, timeout=timeout,
                             trust_env=False)  # fmt: skip


def _refusal(body: bytes, status: int) -> GPUClusterError:
    try:
        return error_from_model(ErrorModel.model_validate_json(body))
    except ValidationError:
        return SupervisorUnreachable(f"The cluster's process sent an unreadable response (HTTP {status}).")


def answer_seconds(timeout: float | None) -> float:
    """Return the timeout of a request, given the caller's timeout for its effect, if any."""
    return _ANSWER_SECONDS if timeout is None else min(_ANSWER_SECONDS, max(timeout, _SHORTEST_SECONDS))


async def ask_supervisor(
    folder: Folder, method: str, path: str, body: Any = None, *, by: str | None = None, timeout: float | None = None
) -> bytes:
    """Send one request and return the body of the answer.

    A supervisor that has just been launched is given time to open its socket.

    `method`, `path`, `body`: the request; ``body`` is sent as JSON. `timeout`: seconds until the complete answer;
    default: 30. Raises `SupervisorUnreachable` (the process is gone or does not respond) or the `GPUClusterError` that
    the supervisor raised.
    """
    seconds = _ANSWER_SECONDS if timeout is None else timeout
    try:
        async with asyncio.timeout(seconds):
            answer = await _answer(folder, method, path, body, by)
    except TimeoutError as error:
        raise SupervisorUnreachable(
            f"The cluster's process did not respond within {seconds:.0f} seconds; it may be very busy."
        ) from error
    if answer.status_code >= 400:
        raise _refusal(answer.content, answer.status_code)
    return answer.content


async def _answer(folder: Folder, method: str, path: str, body: Any, by: str | None) -> httpx.Response:
    import httpx

    while True:
        try:
            async with _client(folder, None, by) as client:
                return await client.request(method, path, json=body)
        except (httpx.ConnectError, FileNotFoundError) as error:
            if not lock.is_held(folder.lock):
                raise SupervisorUnreachable("The cluster's process is gone; list the clusters to see why.") from error
            await asyncio.sleep(0.02)
        except httpx.HTTPError as error:
            if not lock.is_held(folder.lock):
                raise SupervisorUnreachable("The cluster's process ended during the request.") from error
            raise SupervisorUnreachable("The cluster's process ended the request early; try again.") from error


async def stream_lines(folder: Folder, path: str) -> AsyncGenerator[bytes, None]:
    """Yield the lines of a streamed answer, as bytes, until the supervisor ends it."""
    import httpx

    try:
        async with _client(folder, None) as client, client.stream("GET", path) as answer:
            if answer.status_code >= 400:
                raise _refusal(await answer.aread(), answer.status_code)
            unfinished = b""
            # Raw: httpx would decode everything to find line ends.
            async for piece in answer.aiter_raw():
                *lines, unfinished = (unfinished + piece).split(b"\n")
                for line in lines:
                    if line:
                        yield line
    except (httpx.HTTPError, OSError) as error:
        raise SupervisorUnreachable("The cluster's process is gone; list the clusters to see why.") from error


CELLS = b'{"kind":"cells"'  # How a line that is no sample begins.
RETRY_SECONDS = 1.0
SAMPLE_SECONDS = 10.0


def is_sampled(model: ClusterModel) -> bool:
    return model.state in {ClusterState.RUNNING, ClusterState.SCALING}


def telemetry_lines(folder: Folder, *, cells: bool = False) -> AsyncGenerator[bytes, None]:
    """Yield each sample as the unparsed JSON of an event, until the cluster's process ends the stream.

    `cells`: also how far cells are; these lines begin with ``CELLS``.
    """
    return stream_lines(folder, "/telemetry?cells=1" if cells else "/telemetry")


async def follow_telemetry(registry: Registry, id: str, *, cells: bool = False) -> AsyncGenerator[bytes, None]:
    """Yield lines like ``telemetry_lines``, reconnecting if necessary, until the cluster has ended."""
    folder = registry.folder(id)
    heard = False
    while True:
        try:
            async with aclosing(telemetry_lines(folder, cells=cells)) as lines:
                async for line in lines:
                    heard = True
                    yield line
        except GPUClusterError:
            if not heard:
                raise
        if _has_ended(registry, id):
            return
        await asyncio.sleep(RETRY_SECONDS)


async def newest_sample(folder: Folder) -> TelemetrySample:
    """Return the first sample that a supervisor sends. Raises `SupervisorUnreachable`, `GPUClusterError`."""
    try:
        async with asyncio.timeout(SAMPLE_SECONDS), aclosing(telemetry_lines(folder)) as lines:
            async for line in lines:
                return Telemetry.model_validate_json(line).sample
    except (TimeoutError, ValidationError) as error:
        raise SupervisorUnreachable("The cluster's process sent no data; it may be very busy.") from error
    raise SupervisorUnreachable("The cluster's process sent no data; it has just exited.")


def _has_ended(registry: Registry, id: str) -> bool:
    try:
        return registry.find(id).state.ended
    except ClusterNotFound:
        return True
    except (GPUClusterError, OSError):  # A record of another version, or a full disk.
        return False


LOOK_SECONDS = 0.25
_ASK_AGAIN_SECONDS = 2.0


class RawTelemetry(NamedTuple):
    """An unparsed sample, or how far cells are."""

    id: str  # Cluster.
    line: bytes  # JSON of the event.

    @property
    def kind(self) -> str:
        return "cells" if self.line.startswith(CELLS) else "telemetry"


class _Feeds:
    """One connection per running cluster, and the newest line of each kind."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._feeds: dict[str, asyncio.Task[None]] = {}
        self._newest: dict[tuple[str, str], RawTelemetry] = {}
        self.something = asyncio.Event()

    def follow(self, models: Collection[ClusterModel]) -> None:
        """Listen to those of these clusters that are running."""
        live = {model.id for model in models if is_sampled(model)}
        for id in live:
            if id not in self._feeds or self._feeds[id].done():
                self._feeds[id] = asyncio.create_task(self._feed(id))
        for id in self._feeds.keys() - live:
            self._feeds.pop(id).cancel()
            self._newest = {about: line for about, line in self._newest.items() if line.id != id}

    def take(self) -> list[RawTelemetry]:
        self.something.clear()
        taken = list(self._newest.values())
        self._newest.clear()
        return taken

    def close(self) -> None:
        for feed in self._feeds.values():
            feed.cancel()

    async def _feed(self, id: str) -> None:
        with suppress(GPUClusterError):
            async for line in follow_telemetry(self._registry, id, cells=True):
                raw = RawTelemetry(id, line)
                self._newest[raw.kind, id] = raw
                self.something.set()
        await asyncio.sleep(_ASK_AGAIN_SECONDS)  # Do not repeat refused requests four times a second.


async def raw_watch(registry: Registry, *, telemetry: bool = True) -> AsyncGenerator[Event | RawTelemetry, None]:
    """Yield ``Hello``, then ``ClusterChanged``, ``ClusterRemoved`` and ``RawTelemetry`` until cancelled."""
    loop = asyncio.get_running_loop()
    watch = RegistryWatch(registry)
    feeds = _Feeds(registry)
    try:
        yield Hello(clusters=watch.start())
        look = loop.time()
        while True:
            if telemetry:
                feeds.follow(watch.known.values())
            look = max(look + LOOK_SECONDS, loop.time())
            while loop.time() < look:
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(look):
                        await feeds.something.wait()
                for sample in feeds.take():
                    yield sample
            # In a thread: it may delete what a killed cluster has spilled.
            changes = await asyncio.to_thread(watch.look)
            for model in changes.changed:
                yield ClusterChanged(cluster=model)
            for id in changes.removed:
                yield ClusterRemoved(id=id)
    finally:
        feeds.close()


async def watch(registry: Registry, *, telemetry: bool = True) -> AsyncGenerator[Event, None]:
    """Yield ``Hello``, then changes, samples and how far cells are, until cancelled."""
    async with aclosing(raw_watch(registry, telemetry=telemetry)) as events:
        async for event in events:
            if not isinstance(event, RawTelemetry):
                yield event
                continue
            # A newer cluster may send unknown figures.
            with suppress(ValidationError):
                yield EVENT.validate_json(event.line)
