"""The page of a shared view with its files, and the exchange of a link's token for a cookie."""

from __future__ import annotations

import asyncio
from importlib.resources import files
from pathlib import Path
from typing import Any

from jupyter_server.auth.decorator import allow_unauthenticated
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from tornado.web import HTTPError, authenticated

from ...client.links import times
from ...protocol.errors import GPUClusterError, InvalidRequest
from ...protocol.links import SharedLink
from ...protocol.plain_text import printable
from ...registry.links import find_link, note_opened
from .handler import COOKIE, OVER, Limiter, SharedViewHandler, TooOften, ViewRefused

MOST_BODY_BYTES = 1024
ONLY_JSON = 'Send the token of the link as JSON, {"token": "…"}, and nothing else.'
WRONG_TOKENS = (10, 60.0)
"""Number and seconds: more wrong tokens from one address have to wait. A right token is always accepted, since users
may share an address, and 256 bits cannot be guessed."""
WRONG = (
    "This link is not valid, and too many invalid ones came from your address. Ask for a new one, or try again in a "
    "minute."
)
OPENINGS_TOLD = (1, 600.0)  # Number and seconds of log entries about opening a link; the list counts each time.

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
    """A file that the page loads."""

    @allow_unauthenticated
    async def get(self, cluster: str, name: str) -> None:
        path, kind = FILES[name]
        self.set_header("Content-Type", f"{kind}; charset=utf-8")
        self.set_header("Cache-Control", "no-cache")
        try:
            self.finish(path.read_bytes())
        except FileNotFoundError:
            raise HTTPError(404) from None


class _Token(BaseModel):
    model_config = ConfigDict(extra="forbid")

    token: str = Field(max_length=200)


class SharedSessionHandler(SharedViewHandler):
    """Exchange of a link's token for a cookie that is only sent to this view."""

    told: Limiter

    @allow_unauthenticated
    async def get(self, cluster: str) -> None:
        self.session_and_link(cluster)
        self.set_status(204)
        self.finish()

    @allow_unauthenticated
    async def post(self, cluster: str) -> None:
        link = self._link(cluster)
        self.must_be_known(link)
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
        if opened is None or not self.told.note(link.id):
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
