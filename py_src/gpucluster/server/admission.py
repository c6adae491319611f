"""Who is let in: people whom Jupyter knows, from pages of this server. Looked at before anything else of a request.

A browser sends the cookie of this server along whichever page asks. Another site cannot read the answer, but it can
load it as a script or picture, embed it, and measure it. Browsers say from where a request comes: ``Sec-Fetch-Site``.
"""

from __future__ import annotations

from typing import Any, ClassVar

from jupyter_server.base.handlers import JupyterHandler
from tornado.httputil import HTTPHeaders
from tornado.web import HTTPError, authenticated

_OWN = {"same-origin", "none"}
"""A page of this server, or the person himself: an address that was typed, a bookmark."""


def is_from_elsewhere(headers: HTTPHeaders) -> bool:
    """Return whether a browser says that the page of another origin asks. Programs and old browsers say nothing."""
    return headers.get("Sec-Fetch-Site", "none").strip().lower() not in _OWN


def opens_a_tab(method: str | None, headers: HTTPHeaders) -> bool:
    """Return whether somebody follows a link to a page of its own, which no other page can look into."""
    told = (headers.get("Sec-Fetch-Mode"), headers.get("Sec-Fetch-Dest"))
    return method in {"GET", "HEAD"} and told == ("navigate", "document")


class AdmissionMixin(JupyterHandler):
    """Refuses who is not logged in, and other sites, as the first base of each handler.

    Jupyter leaves the former to each method, so that a method that there is not is told before it asks who is there.
    The origins that ``ServerApp.allow_origin`` and its pattern allow are let in, and so is who sends a token.
    """

    linkable: ClassVar[bool] = False
    """Whether a link of another site may lead here. It shows something to the person and changes nothing."""

    async def prepare(self, *arguments: Any, **options: Any) -> None:
        """Authenticate and look at the origin."""
        await super().prepare(*arguments, **options)
        self.admit()

    def admit(self) -> None:
        """Refuse whoever is not let in.

        Raises
        ------
        tornado.web.HTTPError
        """
        method = getattr(self, (self.request.method or "").lower(), None)
        is_open = getattr(method, "__allow_unauthenticated", False)
        if self.request.method == "OPTIONS":
            # The pages of other origins ask so before each request, and browsers send no log-in along. Where none is
            # allowed, nobody has to ask.
            told = "Access-Control-Allow-Origin" in self.settings.get("headers", {})
            is_open = is_open and (self._has_friends or told)
        if self._finished or is_open:
            return
        if not self.current_user:
            self.refuse_stranger()
        else:
            self.check_origin()

    def refuse_stranger(self) -> None:
        """Refuse a request without log-in."""
        raise HTTPError(403)

    @authenticated
    def send_to_login(self) -> None:
        """Send a person to the log-in, and refuse other requests."""

    def check_origin(self, origin: str | None = None) -> bool:
        """Look at the origin; what is refused does not return.

        Raises
        ------
        tornado.web.HTTPError
        """
        if self.allow_origin == "*" or self.skip_check_origin():
            return True
        headers = self.request.headers
        is_link = self.linkable and opens_a_tab(self.request.method, headers)
        # Where a page is embedded or linked, browsers send no Origin.
        is_friend = self._has_friends and ("Origin" in headers or self.check_referer())
        if is_from_elsewhere(headers) and not is_link and not is_friend:
            raise HTTPError(403, "Refused a request of another site.")
        if not super().check_origin(origin):  # type: ignore[arg-type]
            raise HTTPError(403, "Refused a request of another origin.")
        return True

    @property
    def _has_friends(self) -> bool:
        """Whether pages of some other origin may use this server."""
        return bool(self.allow_origin or self.allow_origin_pat)

    def set_default_headers(self) -> None:
        """Forbid other sites to load what is answered, also where browsers do not say who asks."""
        super().set_default_headers()
        if not self._has_friends:
            self.set_header("Cross-Origin-Resource-Policy", "same-origin")
