"""HTTP requests to a supervisor over its unix socket."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from ..protocol.errors import ErrorModel, GPUClusterError, SupervisorUnreachable, error_from_model
from ..protocol.version import BY_HEADER, PROTOCOL_HEADER, PROTOCOL_VERSION, SECRET_HEADER
from ..registry import lock
from ..registry.record import Folder, read_secret

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
