"""A scheduler whose web pages answer only below a secret path, and whose port other users cannot occupy.

Dask's dashboard has no login. Ours listens on a unix socket in a private folder. If the cluster has ports, and when
a link is requested, it also listens on loopback, where every user of the machine can connect, so the path is the
secret. ``http_prefix`` alone is not enough: distributed redirects ``/`` to the prefix and serves ``/sitemap.json``
beside it, which gives the secret away. Here any other path is a plain 404.

The pages are made at the first request (``LatePages``): they take more time and memory than everything else.
"""

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from distributed import Scheduler
from tornado import web
from tornado.httputil import HTTPHeaders, HTTPMessageDelegate, HTTPServerRequest, RequestStartLine, ResponseStartLine
from tornado.netutil import bind_unix_socket

from ..comm.handshakes import FirstRequestLimit, limit_handshakes
from ..dask_internals.configuration import IN_IDENTITY, settings_here
from ..dask_internals.listening import add_dashboard, import_web_pages, serve_pages, web_application, web_server
from ..operating_system.files import short_address
from .environment import installed_only

WEB_SOCKET = "dashboard"  # Name of the socket in the comm folder.
ROUTES_LEFT_OUT = frozenset({"distributed.http.proxy"})
"""Modules of ``distributed.scheduler.http.routes`` that are not served: /proxy reaches other hosts."""


class PrivateDashboardScheduler(Scheduler):
    """A ``Scheduler`` whose web pages are below a secret ``http_prefix``; on a `web_socket` or, by default, a port."""

    def __init__(
        self, *args: Any, http_prefix: str, web_socket: str | None = None, dashboard: bool = True, **kwargs: Any
    ) -> None:
        self._web_socket = web_socket
        super().__init__(*args, http_prefix=http_prefix, dashboard=False, **kwargs)
        pages = LatePages(self, http_prefix) if dashboard else None
        limit = FirstRequestLimit(web_server(self))
        # Nothing has been served yet: the event loop has not run since the port was opened.
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
        """Add the settings that clients compare with theirs."""
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
        """Listen, and limit connections that have not authenticated."""
        await super().listen(*args, **kwargs)  # type: ignore[no-untyped-call]
        limit_handshakes(self)


# identity() reports the name of the class, and other tools know only this one.
PrivateDashboardScheduler.__name__ = Scheduler.__name__


FindHandler = Callable[[], HTTPMessageDelegate]


class LatePages:
    """Adds the dashboard to a scheduler, made with ``dashboard=False``, before the first page is served."""

    def __init__(self, scheduler: Any, prefix: str) -> None:
        self._scheduler = scheduler
        self._prefix = prefix
        self._adding: asyncio.Task[None] | None = None

    def serve(self, find_handler: FindHandler) -> HTTPMessageDelegate:
        """Return what serves a request: at once, or when the pages are there."""
        failed = self._adding is not None and self._adding.done() and self._adding.exception() is not None
        if self._adding is None or failed:  # The next request tries again.
            self._adding = asyncio.ensure_future(self._add())
        return find_handler() if self._adding.done() else _Waiting(asyncio.shield(self._adding), find_handler)

    async def _add(self) -> None:
        # In a thread, so that the scheduler continues meanwhile.
        await asyncio.to_thread(_import)
        add_dashboard(self._scheduler, self._prefix)


def _import() -> None:
    with installed_only():
        import_web_pages()


class _Waiting(HTTPMessageDelegate):
    """Serves a request with a handler that is found later; tornado waits after the headers."""

    def __init__(self, ready: Awaitable[None], find_handler: FindHandler) -> None:
        self._ready = ready
        self._find_handler = find_handler
        self._found: HTTPMessageDelegate | None = None

    async def headers_received(self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders) -> None:
        await self._ready
        self._found = self._find_handler()
        passed = self._found.headers_received(start_line, headers)
        if passed is not None:
            await passed

    def data_received(self, chunk: bytes) -> Awaitable[None] | None:
        assert self._found is not None
        return self._found.data_received(chunk)

    def finish(self) -> None:
        assert self._found is not None
        self._found.finish()

    def on_connection_close(self) -> None:
        if self._found is not None:
            self._found.on_connection_close()
