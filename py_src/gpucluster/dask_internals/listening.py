"""Listeners: a scheduler's port for workers and clients, its web pages, and transports without the rest of Dask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket


def tls_servers(scheduler: Any) -> list[Any]:
    """Return the tornado ``TCPServer`` of each TLS listener, whose ``handle_stream`` gets every new connection.

    Relies on ``Server.listeners``, ``distributed.comm.tcp.TLSListener.tcp_server``, and on ``handle_stream`` being an
    attribute of that one server (2021.1).
    """
    from distributed.comm.tcp import TLSListener

    return [
        listener.tcp_server
        for listener in scheduler.listeners
        if isinstance(listener, TLSListener) and listener.tcp_server is not None
    ]


def web_application(scheduler: Any) -> Any:
    """Return ``ServerNode.http_application`` (2021.1), which serves nothing before the constructor returns."""
    return scheduler.http_application


def web_server(scheduler: Any) -> Any:
    """Return the tornado ``HTTPServer`` of a scheduler's web pages: ``ServerNode.http_server`` (2021.1)."""
    return scheduler.http_server


def web_address(scheduler: Any) -> tuple[str, int] | str | None:
    """Return host and port of a scheduler's web pages, or the path of their socket; None if it serves none.

    Relies on ``ServerNode.http_server``, to which distributed adds ``address`` and ``port`` (2021.1).
    """
    server: Any = getattr(scheduler, "http_server", None)
    if isinstance(path := getattr(server, "gpucluster_path", None), str):
        return path
    return (str(server.address), int(server.port)) if hasattr(server, "port") else None


def serve_pages(scheduler: Any, routes: Any, listening: socket.socket, path: str) -> None:
    """Serve a scheduler's web pages on a listening unix socket, in place of ``ServerNode.start_http_server``.

    Relies on that method setting ``http_application``, ``http_server`` with ``address`` and ``port``, and an entry of
    ``services`` (2021.1).
    """
    from distributed.http.routing import RoutingApplication
    from tornado.httpserver import HTTPServer

    server: Any = HTTPServer(RoutingApplication(routes))
    server.add_socket(listening)
    server.address, server.port, server.gpucluster_path = "127.0.0.1", 0, path
    scheduler.http_application = server.request_callback
    scheduler.http_server = server
    scheduler.services["dashboard"] = server


def open_port(scheduler: Any) -> tuple[str, int]:
    """Serve the web pages (``ServerNode.http_server``, 2021.1) on a loopback port as well; return host and port."""
    from tornado.netutil import bind_sockets

    server: Any = scheduler.http_server
    [opened] = bind_sockets(0, "127.0.0.1")
    server.add_socket(opened)
    host, port = opened.getsockname()
    return str(host), int(port)


def serve_no_worker_pages() -> None:
    """Let workers of this process, and of those forked from it, have no web server.

    Replaces ``Worker.start_http_server``, of whose results a worker uses ``http_application`` in ``stop_services`` only
    if it exists, and ``services`` (2021.1).
    """
    from distributed import Worker

    def start_nothing(self: Any, routes: Any, dashboard_address: Any) -> None:  # noqa: ARG001  # as it is called
        self.http_server = None

    Worker.start_http_server = start_nothing  # type: ignore[method-assign,assignment]


def import_web_pages() -> None:
    """Import a scheduler's web pages, so that it does not stall later: ``distributed.dashboard.scheduler`` (2021.1)."""
    import distributed.dashboard.scheduler  # noqa: F401


def add_dashboard(scheduler: Any, prefix: str) -> None:
    """Add the dashboard to the web pages of a scheduler that was made with ``dashboard=False``.

    Relies on ``distributed.dashboard.scheduler.connect(application, server, scheduler, prefix)``, as the scheduler's
    constructor calls it, and on ``ServerNode.http_application`` and ``ServerNode.http_server`` (2021.1).
    """
    from distributed.dashboard.scheduler import connect

    connect(scheduler.http_application, scheduler.http_server, scheduler, prefix=prefix)


def listener(address: str, answer: Any, **keys: Any) -> Any:
    """Return a listener for ``async with``; its messages are not deserialized: ``distributed.comm.core.listen``."""
    from distributed.comm.core import listen

    return listen(address, answer, deserialize=False, **keys)


def payload(value: Any) -> Any:
    """Return a value wrapped so that its buffers travel unchanged: ``distributed.protocol.serialize.to_serialize``."""
    from distributed.protocol.serialize import to_serialize

    return to_serialize(value)


def known_transports() -> set[str]:
    """Return the schemes of ``distributed.comm.registry.backends``."""
    from distributed.comm.registry import backends

    return set(backends)


def keep_websockets_on(host: str) -> None:
    """Let websockets listen on one address only, not all: replaces ``distributed.comm.ws.HTTPServer``."""
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
