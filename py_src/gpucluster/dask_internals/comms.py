"""Dask's transports without the rest of Dask, and the command lines of its programs.

Relies on ``distributed.comm.core.listen``, ``distributed.protocol.serialize.to_serialize``,
``distributed.comm.registry.backends``, ``distributed.comm.ws.HTTPServer`` and ``distributed.cli``.
"""

from __future__ import annotations

from typing import Any


def listener(address: str, answer: Any, **keys: Any) -> Any:
    """Return a listener for ``async with``; its messages are not deserialized."""
    from distributed.comm.core import listen

    return listen(address, answer, deserialize=False, **keys)


def payload(value: Any) -> Any:
    """Return a value wrapped so that its buffers travel unchanged."""
    from distributed.protocol.serialize import to_serialize

    return to_serialize(value)


def known_transports() -> set[str]:
    from distributed.comm.registry import backends

    return set(backends)


def keep_websockets_on(host: str) -> None:
    """Let websockets of this process listen on one address only: Dask's listener takes a port on all of them."""
    from distributed.comm import ws
    from tornado.httpserver import HTTPServer

    class Local(HTTPServer):
        def listen(self, port: int, *args: Any, **kwargs: Any) -> None:
            super().listen(port, host)

    ws.HTTPServer = Local  # type: ignore[attr-defined]


def command_lines() -> dict[str, Any]:
    """Return the click commands of ``dask scheduler`` and ``dask worker``."""
    from distributed.cli.dask_scheduler import main as scheduler
    from distributed.cli.dask_worker import main as worker

    return {"scheduler": scheduler, "worker": worker}
