"""The dashboard of a scheduler, made when somebody wants it first: it takes more time and memory than all else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tornado.httputil import HTTPHeaders, HTTPMessageDelegate, RequestStartLine, ResponseStartLine

from ..dask_internals.listening import add_dashboard, import_web_pages
from .installed import installed_only

FindHandler = Callable[[], HTTPMessageDelegate]


class LatePages:
    """Adds the dashboard to a scheduler's web pages before the first of them is served.

    Parameters
    ----------
    scheduler : distributed.Scheduler
        Made with ``dashboard=False``.
    prefix : str
        Below which the pages answer.
    """

    def __init__(self, scheduler: Any, prefix: str) -> None:
        self._scheduler = scheduler
        self._prefix = prefix
        self._adding: asyncio.Task[None] | None = None

    def serve(self, find_handler: FindHandler) -> HTTPMessageDelegate:
        """Return what serves a request: at once, or when the pages are there.

        Parameters
        ----------
        find_handler : callable
            Finds it among the pages that are there.
        """
        failed = self._adding is not None and self._adding.done() and self._adding.exception() is not None
        if self._adding is None or failed:  # Whoever asks next has another try.
            self._adding = asyncio.ensure_future(self._add())
        return find_handler() if self._adding.done() else _Waiting(asyncio.shield(self._adding), find_handler)

    async def _add(self) -> None:
        # In a thread: the scheduler goes on meanwhile.
        await asyncio.to_thread(_import)
        add_dashboard(self._scheduler, self._prefix)


def _import() -> None:
    with installed_only():
        import_web_pages()


class _Waiting(HTTPMessageDelegate):
    """Serves a request by whoever is found later; tornado waits after the headers."""

    def __init__(self, ready: Awaitable[None], find_handler: FindHandler) -> None:
        self._ready = ready
        self._find_handler = find_handler
        self._found: HTTPMessageDelegate | None = None

    def headers_received(
        self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders
    ) -> Awaitable[None]:
        return self._pass_on(start_line, headers)

    async def _pass_on(self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders) -> None:
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
