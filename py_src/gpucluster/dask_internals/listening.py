"""What a scheduler listens on: its port for workers and clients, and its web pages."""

from __future__ import annotations

from typing import Any


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
    """Return the tornado application of a scheduler's web pages: ``Server.http_application`` (2021.1).

    It serves nothing before the scheduler's constructor returns to the event loop.
    """
    return scheduler.http_application


def web_address(scheduler: Any) -> tuple[str, int] | None:
    """Return host and port of a scheduler's web pages; None where it serves none.

    Relies on ``Server.http_server``, to which distributed adds ``address`` and ``port`` (2021.1).
    """
    server: Any = getattr(scheduler, "http_server", None)
    return (str(server.address), int(server.port)) if hasattr(server, "port") else None


def import_web_pages() -> None:
    """Import what a scheduler's web pages need, so that it does not stall on it later.

    Relies on the module ``distributed.dashboard.scheduler`` (2021.1).
    """
    import distributed.dashboard.scheduler  # noqa: F401


def add_dashboard(scheduler: Any, prefix: str) -> None:
    """Add the dashboard to the web pages of a scheduler that was made with ``dashboard=False``.

    Relies on ``distributed.dashboard.scheduler.connect(application, server, scheduler, prefix)``, as the scheduler's
    constructor calls it, and on ``Server.http_application`` and ``Server.http_server`` (2021.1).
    """
    from distributed.dashboard.scheduler import connect

    connect(scheduler.http_application, scheduler.http_server, scheduler, prefix=prefix)
