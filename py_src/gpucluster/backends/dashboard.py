"""A scheduler whose web pages answer only below a secret path, and whose port strangers cannot hold.

Dask's dashboard has no log-in. Ours listens on a unix socket in a private folder. Where the cluster has ports, and when
somebody asks for a link, it also listens on loopback, where every user of the machine can connect, so the path is the
secret. ``http_prefix`` alone is not enough: distributed redirects ``/`` to the prefix and serves ``/sitemap.json``
beside it, which gives the secret away. Here any other path is a plain 404.
"""

from __future__ import annotations

import hmac
from functools import partial
from typing import Any

from distributed import Scheduler
from tornado import web
from tornado.httputil import HTTPServerRequest
from tornado.netutil import bind_unix_socket

from ..comm.handshakes import FirstRequestLimit, limit_handshakes
from ..dask_internals.listening import serve_pages, web_application, web_server
from ..dask_internals.settings import IN_IDENTITY, settings_here
from ..operating_system.descriptors import short_address
from .late_pages import LatePages

WEB_SOCKET = "dashboard"
"""Name of the socket in the comm folder."""
ROUTES_LEFT_OUT = frozenset({"distributed.http.proxy"})
"""Modules of ``distributed.scheduler.http.routes`` that are not served: /proxy reaches other hosts."""


class PrivateDashboardScheduler(Scheduler):
    """``distributed.Scheduler`` that hides all web pages below ``http_prefix``.

    Parameters
    ----------
    http_prefix : str
        The secret.
    web_socket : str, optional
        Path of the unix socket that the pages are served on; default: a port, as ``dashboard_address`` says.
    """

    def __init__(
        self, *args: Any, http_prefix: str, web_socket: str | None = None, dashboard: bool = True, **kwargs: Any
    ) -> None:
        self._web_socket = web_socket
        super().__init__(*args, http_prefix=http_prefix, dashboard=False, **kwargs)
        pages = LatePages(self, http_prefix) if dashboard else None
        limit = FirstRequestLimit(web_server(self))
        # Nothing was served yet: the event loop has not run since the port was opened.
        application = web_application(self)
        find_handler = application.find_handler
        secret = http_prefix.strip("/").encode()

        def find_private_handler(request: HTTPServerRequest, **options: Any) -> Any:
            first = request.path.lstrip("/").split("/", 1)[0].encode()
            if hmac.compare_digest(first, secret):
                limit.let_in(request)
                find = partial(find_handler, request, **options)
                return find() if pages is None else pages.serve(find)
            return application.get_handler_delegate(request, web.ErrorHandler, {"status_code": 404})

        application.find_handler = find_private_handler  # on this one instance

    def identity(self, n_workers: int = -1) -> dict[str, Any]:
        """Return what the scheduler says of itself, with the settings that clients compare with theirs."""
        return {**super().identity(n_workers), IN_IDENTITY: settings_here()}

    def start_http_server(self, routes: Any, *args: Any, **kwargs: Any) -> None:
        """Serve the pages on the socket, if there is one."""
        if self._web_socket is None:
            super().start_http_server(routes, *args, **kwargs)  # type: ignore[no-untyped-call]
        else:
            with short_address(self._web_socket) as address:
                listening = bind_unix_socket(address, mode=0o600)
            serve_pages(self, routes, listening, self._web_socket)

    async def listen(self, *args: Any, **kwargs: Any) -> None:
        """Listen, with bounds on strangers."""
        await super().listen(*args, **kwargs)  # type: ignore[no-untyped-call]
        limit_handshakes(self)


# identity() reports the name of the class, and other tools know only this one.
PrivateDashboardScheduler.__name__ = Scheduler.__name__
