"""Pages of Dask's dashboard that a link shows. Only read requests of a page reach the dashboard."""

from __future__ import annotations

import asyncio
import json
import re

from jupyter_server.auth.decorator import allow_unauthenticated
from jupyter_server.utils import url_path_join
from tornado.web import HTTPError

from ..dashboards import DashboardClient, DashboardRelay
from .events import SharedSocket
from .handler import TooOften
from .shown import Address, address_of, without_paths

QUESTIONS = frozenset({"PULL-DOC-REQ", "SERVER-INFO-REQ"})
MOST_FRAME_BYTES = 4 * 2**20  # A longer frame ends the connection.
_ID = re.compile(r"[A-Za-z0-9-]{1,64}", re.ASCII)
_AFTER_HEADER = 2
_MOST_BUFFERS = 1024


class ReadOnly:
    """Forwards read requests, and nothing else."""

    def __init__(self) -> None:
        self._left = 0  # Frames left of the current message.

    def passed_on(self, frame: str | bytes) -> tuple[str, ...]:
        """Take a page's next frame; returns the frames to forward to the dashboard."""
        if self._left > 0:
            self._left -= 1
            return ()
        header = _header(frame)
        buffers = header.get("num_buffers", 0)
        self._left = _AFTER_HEADER + (2 * buffers if type(buffers) is int and 0 <= buffers <= _MOST_BUFFERS else 0)
        kind, id = header.get("msgtype"), header.get("msgid")
        if not isinstance(kind, str) or kind not in QUESTIONS or not isinstance(id, str) or not _ID.fullmatch(id):
            return ()
        return json.dumps({"msgid": id, "msgtype": kind}), "{}", "{}"


def is_acknowledgement(frame: str | bytes) -> bool:
    """Whether the dashboard reports that the page's session exists; before that, requests fail."""
    return _header(frame).get("msgtype") == "ACK"


def _header(frame: str | bytes) -> dict[str, object]:
    try:
        header = json.loads(frame)
    except (ValueError, RecursionError):
        return {}
    return header if isinstance(header, dict) else {}


PAGES_LOADED = (60, 60.0)  # Pages per link, and seconds: each page costs the scheduler work.
_NO_MENU = b"<style>.navbar { display: none !important }</style></head>"
"""Links from a page to others do not work here."""


class SharedDashboardHandler(SharedSocket, DashboardRelay):
    """One address of the dashboard: a page, a file of it, or its WebSocket."""

    client: DashboardClient
    policy_of_content = (
        # Bokeh's pages contain scripts, and compile some.
        "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'"
    )
    embedded = "'self'"
    _is_page = False

    def initialize(self, **parts: object) -> None:
        super().initialize(**parts)
        self._filter = ReadOnly()
        self._acknowledged = asyncio.Event()

    @allow_unauthenticated
    async def get(self, cluster: str, path: str) -> None:
        session, link = self.session_and_link(cluster)
        address = address_of(path, tasks=link.tasks)
        if address is None or (address is Address.SOCKET) != self.wants_socket:
            raise HTTPError(404)
        if address is Address.SOCKET:
            if not self.request.headers.get("Sec-WebSocket-Protocol", "").startswith("bokeh"):
                raise HTTPError(400)  # Bokeh would open it, fail, and log a traceback.
            self.admit_socket(cluster)
            await self.pass_socket(cluster, path)
            return
        if address is Address.PAGE:
            self._is_page = True
            if not self.loads.note(session.link):
                raise TooOften("Too many pages were loaded with this link. Try again in a minute.")
        await self.pass_page(cluster, path)

    def public_path(self, cluster: str) -> str:
        """Return the path below the view, for which the view's cookie is valid."""
        return url_path_join(self.view_path(cluster), "dashboard")

    def fit_page(self, body: bytes) -> bytes:
        return body.replace(b"</head>", _NO_MENU, 1) if self._is_page else body

    async def on_message(self, message: str | bytes) -> None:
        """Forward a page's frames once the dashboard has created its session: Bokeh's own pages wait, too."""
        await self._acknowledged.wait()
        await DashboardRelay.on_message(self, message)

    def passed_on(self, message: str | bytes) -> tuple[str, ...]:
        return self._filter.passed_on(message)

    def shown(self, message: str) -> str:
        """Return a text of the dashboard without paths and process numbers."""
        if not self._acknowledged.is_set() and is_acknowledgement(message):
            self._acknowledged.set()
        return without_paths(message)

    @property
    def max_message_size(self) -> int:
        return MOST_FRAME_BYTES

    def open(self, *args: str, **kwargs: str) -> None:
        if self.watch_link():
            DashboardRelay.open(self, *args, **kwargs)

    def on_close(self) -> None:
        self._acknowledged.set()
        self.unwatch_link()
        DashboardRelay.on_close(self)
