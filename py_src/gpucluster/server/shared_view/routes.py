"""Addresses of shared views and their handlers: the page, the exchange of a link's token for a cookie, and dashboards.

All other routes of the extension require Jupyter's login. Only read requests of a page reach Dask's dashboard.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from jupyter_server.auth.decorator import allow_unauthenticated
from jupyter_server.utils import url_path_join
from pydantic import BaseModel, Field, ValidationError
from tornado.web import HTTPError, authenticated

from ...client.control import AsyncControl
from ...client.links import times
from ...protocol.errors import GPUClusterError, InvalidRequest
from ...protocol.links import SharedLink
from ...protocol.plain_text import printable
from ...registry.links import find_link, note_opened
from ..dashboards import DashboardClient, DashboardRelay
from .events import SharedEventsHandler, SharedHistoryHandler, SharedSocket, ViewFeeds
from .handler import COOKIE, OPENINGS, OVER, Limiter, SharedViewHandler, TooOften, ViewRefused
from .sessions import OpenViews, ViewSessions
from .shown import Address, address_of, without_paths

VIEW = r"gpucluster/shared/([0-9a-f]{8})"


@dataclass(frozen=True)
class SharedViews:
    """The long-lived objects of shared views."""

    sessions: ViewSessions
    views: OpenViews
    feeds: ViewFeeds

    async def close(self) -> None:
        await self.views.close()
        await self.feeds.close()


def shared_routes(
    shared: SharedViews, control: AsyncControl, client: DashboardClient
) -> list[tuple[str, type, dict[str, Any]]]:
    """Return pattern, handler and arguments of every address, below the base URL."""
    parts: dict[str, Any] = {
        "control": control,
        "sessions": shared.sessions,
        "wrong": Limiter(*WRONG_TOKENS),
        "loads": Limiter(*PAGES_LOADED),
        "openings": Limiter(*OPENINGS),
    }
    socket = {**parts, "views": shared.views}
    names = "|".join(name.replace(".", r"\.") for name in FILES)
    return [
        (VIEW + "/", SharedPageHandler, parts),
        (f"{VIEW}/({names})", SharedFileHandler, parts),
        (VIEW + "/session", SharedSessionHandler, {**parts, "logged": Limiter(*OPENINGS_LOGGED)}),
        (VIEW + "/login", SharedLoginHandler, parts),
        (VIEW + "/events", SharedEventsHandler, {**socket, "feeds": shared.feeds}),
        (VIEW + "/history", SharedHistoryHandler, parts),
        (VIEW + "/dashboard/(.+)", SharedDashboardHandler, {**socket, "client": client}),
    ]


MOST_BODY_BYTES = 1024
ONLY_JSON = 'Send the token of the link as JSON, {"token": "…"}, and nothing else.'
WRONG_TOKENS = (10, 60.0)
"""Number and seconds: more wrong tokens from one address have to wait. A right token is always accepted, since users
may share an address, and 256 bits cannot be guessed."""
WRONG = (
    "This link is not valid, and too many invalid ones came from your address. Ask for a new one, or try again in a "
    "minute."
)
OPENINGS_LOGGED = (1, 600.0)  # Number and seconds of log entries about opening a link; the list counts each time.

_HERE = Path(str(files("gpucluster"))) / "server" / "shared_view" / "static"
_WIDGETS = Path(str(files("gpucluster"))) / "widgets" / "static"
FILES = {
    "page.css": (_HERE / "page.css", "text/css"),
    "page.js": (_HERE / "page.js", "text/javascript"),
    "widgets.css": (_WIDGETS / "widgets.css", "text/css"),
    "widgets.js": (_WIDGETS / "widgets.js", "text/javascript"),
}
"""Files of the package; no other file is served."""


class SharedPageHandler(SharedViewHandler):
    """The page. It is the same for every id, even of clusters that do not exist."""

    policy_of_content = (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "connect-src 'self'; frame-src 'self'"
    )
    linkable = True

    @allow_unauthenticated
    async def get(self, cluster: str) -> None:
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.finish((_HERE / "page.html").read_bytes())


class SharedFileHandler(SharedViewHandler):
    @allow_unauthenticated
    async def get(self, cluster: str, name: str) -> None:
        path, kind = FILES[name]
        self.set_header("Content-Type", f"{kind}; charset=utf-8")
        self.set_header("Cache-Control", "no-cache")
        try:
            self.finish(path.read_bytes())
        except FileNotFoundError:
            raise HTTPError(404) from None


class _Token(BaseModel, extra="forbid"):
    token: str = Field(max_length=200)


class SharedSessionHandler(SharedViewHandler):
    """Exchange of a link's token for a cookie that is only sent to this view."""

    logged: Limiter

    @allow_unauthenticated
    async def get(self, cluster: str) -> None:
        self.session_and_link(cluster)
        self.set_status(204)
        self.finish()

    @allow_unauthenticated
    async def post(self, cluster: str) -> None:
        link = self._link(cluster)
        self.require_known(link)
        key = self.sessions.begin(cluster, link.id)
        self.set_cookie(
            COOKIE, key, path=self.view_path(cluster), httponly=True, samesite="Strict",
            secure=self.request.protocol == "https",
        )  # fmt: skip
        await self._note(cluster, link)
        self.set_status(204)
        self.finish()

    @allow_unauthenticated
    async def delete(self, cluster: str) -> None:
        if (key := self.get_cookie(COOKIE)) is not None:
            self.sessions.end(key)
        self.clear_cookie(COOKIE, path=self.view_path(cluster))
        self.set_status(204)
        self.finish()

    def _link(self, cluster: str) -> SharedLink:
        token = self._token()
        link = find_link(self.sessions.links(cluster), token)
        if link is None and not self.wrong.note(str(self.request.remote_ip)):
            raise TooOften(WRONG)
        if link is None or not self.sessions.policy.allows(link):
            raise ViewRefused(OVER)
        return link

    def _token(self) -> str:
        kind = self.request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            # Forms of other pages cannot send this header.
            raise InvalidRequest("Send the token of the link with the header 'Content-Type: application/json'.")
        if len(self.request.body) > MOST_BODY_BYTES:
            raise InvalidRequest(ONLY_JSON)
        try:
            return _Token.model_validate_json(self.request.body).token
        except ValidationError:
            # The message does not repeat the request, which may contain most of a token.
            raise InvalidRequest(ONLY_JSON) from None

    async def _note(self, cluster: str, link: SharedLink) -> None:
        """Count and log the opening; viewers do not wait for that, and a failure does not refuse them."""
        viewer = self._viewer()
        try:
            folder = self.control.registry.folder(cluster)
            opened = await asyncio.to_thread(note_opened, folder, link.id, viewer)
            model = await self.control.get(cluster)
        except (GPUClusterError, OSError) as error:
            self.log.warning("Could not log that a link was opened: %s", error)
            return
        if opened is None or not self.logged.note(link.id):
            return
        whom = f" by {viewer}" if viewer else ""
        entry = f"Link {link.id} opened{whom}; {times(opened.opened)} so far"
        _later(self.control.note_link(model, entry, by="someone with the link"))

    def _viewer(self) -> str | None:
        """Return the viewer's name on the hub; ``None`` without a hub."""
        user: Any = self.current_user if self.sessions.policy.hub else None
        return printable(str(getattr(user, "username", "")), 60) or None if user else None


_pending: set[asyncio.Task[None]] = set()


def _later(coroutine: Any) -> None:
    task = asyncio.create_task(coroutine)
    _pending.add(task)
    task.add_done_callback(_pending.discard)


class SharedLoginHandler(SharedViewHandler):
    """Redirect to the hub's login and back to the view."""

    linkable = True
    leads_to_login = True

    @authenticated
    async def get(self, cluster: str) -> None:
        self.redirect(self.view_path(cluster))


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
