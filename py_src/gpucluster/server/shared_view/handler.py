"""Base of all addresses of a shared view: access control, rate limits, and headers that restrict browsers."""

from __future__ import annotations

import time
from collections import OrderedDict, deque

from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.utils import url_path_join
from tornado.web import HTTPError

from ...client.control import AsyncControl
from ...protocol.errors import GPUClusterError
from ...protocol.links import SharedLink
from ..admission import RefusalMixin, is_from_elsewhere, opens_a_tab
from .sessions import ViewSession, ViewSessions

MOST_NAMES = 1024


class Limiter:
    """Counts events by name within a span of time."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def note(self, name: str) -> bool:
        """Count an event, unless the limit is reached; returns whether it was counted."""
        times = self._times.setdefault(name, deque())
        while times and times[0] < time.monotonic() - self._seconds:
            times.popleft()
        if len(times) >= self._most:
            return False
        times.append(time.monotonic())
        self._times.move_to_end(name)
        while len(self._times) > MOST_NAMES:
            self._times.popitem(last=False)
        return True


COOKIE = "gpucluster-view"
OPENINGS = (240, 60.0)  # WebSockets and histories per link, and seconds: all pages of a link may reconnect at once.
OVER = "This link is not valid: it has expired, was revoked, or is incomplete. Ask for a new one."


class ViewRefused(GPUClusterError):
    """There is no such link, or not for this viewer; the answer does not reveal which."""

    code = "link_over"
    http_status = 403


class LoginFirst(GPUClusterError):
    """The link is valid, but requires the hub's login."""

    code = "log_in_first"
    http_status = 401


class TooOften(GPUClusterError):
    """Too many requests."""

    code = "too_often"
    http_status = 429


class SharedViewMixin(JupyterHandler):
    """First base of the handlers below ``gpucluster/shared/``. None of them requires Jupyter's login by default."""

    control: AsyncControl
    sessions: ViewSessions
    wrong: Limiter
    loads: Limiter
    openings: Limiter
    policy_of_content = "default-src 'none'"  # Content-Security-Policy, without frame-ancestors.
    embedded = "'none'"  # Who may embed it.
    linkable = False  # Whether other sites may link to it.
    leads_to_login = False  # Whether a stranger is sent to the login.

    async def prepare(self) -> None:  # type: ignore[override]
        """Find the user, if any, and refuse other sites."""
        await JupyterHandler.prepare(self, _redirect_to_login=self.leads_to_login)
        if not self._finished:
            self.require_own_page()
            try:
                self.control.registry.check_directory()
            except GPUClusterError as error:  # It names a directory, which viewers must not see.
                raise HTTPError(503, "%s", error.message) from None

    def require_own_page(self) -> None:
        """Refuse requests of another site's page.

        Browsers send ``Sec-Fetch-Site`` only to loopback and HTTPS addresses, and ``Origin`` to all others.
        """
        headers = self.request.headers
        if is_from_elsewhere(headers) and not (self.linkable and opens_a_tab(self.request.method, headers)):
            raise HTTPError(403)
        if not self.check_origin(headers.get("Origin")):  # type: ignore[arg-type]
            raise HTTPError(403)

    def check_xsrf_cookie(self) -> None:
        """Not needed: requests contain a link's token, unknown elsewhere; Jupyter's cookie has no effect."""

    def session_and_link(self, cluster: str) -> tuple[ViewSession, SharedLink]:
        """Return the viewer's session and link. Raises `ViewRefused`, `LoginFirst`."""
        session = self.sessions.find(self.get_cookie(COOKIE), cluster)
        link = self.sessions.link_of(session) if session is not None else None
        if session is None or link is None:
            raise ViewRefused(OVER)
        self.require_known(link)
        return session, link

    def count_opening(self, session: ViewSession) -> None:
        """Count a WebSocket or a history of the session's link. Raises `TooOften`."""
        if not self.openings.note(session.link):
            raise TooOften("This link is opened too often. Try again in a minute.")

    def require_known(self, link: SharedLink) -> None:
        """Refuse viewers without the hub's login if the link requires it. Raises `LoginFirst`."""
        if self.sessions.policy.asks_for_login(link) and not self.current_user:
            raise LoginFirst("This link is for users who are logged in to this hub. Log in to open it.")

    def view_path(self, cluster: str) -> str:
        """Return the path of a view, with a slash at its end."""
        return url_path_join(self.base_url, "gpucluster/shared", cluster) + "/"

    def set_default_headers(self) -> None:
        """Forbid browsers to send referrers, embed the page, or store it."""
        super().set_default_headers()
        self.set_header("Content-Security-Policy", self.content_security_policy)
        self.set_header("Referrer-Policy", "no-referrer")
        self.set_header("Cache-Control", "no-store")
        self.set_header("Cross-Origin-Resource-Policy", "same-origin")
        self.set_header("Cross-Origin-Opener-Policy", "same-origin")
        self.set_header("X-Robots-Tag", "noindex")

    @property
    def content_security_policy(self) -> str:
        """What the page may load, and which pages may embed it."""
        return f"{self.policy_of_content}; frame-ancestors {self.embedded}; base-uri 'none'; form-action 'none'"

    def _forbidden(self, error: BaseException | None) -> str:
        """Return a message without Jupyter's login, which is not required here."""
        return "This request does not come from the page of the link."


class SharedViewHandler(SharedViewMixin, RefusalMixin):
    """An address other than a WebSocket."""
