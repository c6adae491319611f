"""Access control, checked before anything else: only users known to Jupyter, only from pages of this server.

A browser sends this server's cookie with requests of any page. Another site cannot read the answer, but it can load it
as a script or picture, embed it, and measure it. Browsers report the origin of a request: ``Sec-Fetch-Site``.
"""

import logging
from collections.abc import Iterator
from typing import Any, ClassVar

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import JupyterHandler
from tornado.httputil import HTTPHeaders
from tornado.web import HTTPError, authenticated

from ..protocol.errors import ErrorModel, GPUClusterError
from ..protocol.plain_text import plain_log

_KNOWN = {
    400: ("bad_request", "The request could not be read."),
    401: ("not_authenticated", ""),
    403: ("forbidden", ""),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", ""),
    413: ("too_large", "The request is too large."),
}
"""Code and message by status; some messages depend on the request."""


class RefusalMixin(JupyterHandler):
    """Turns every exception of a handler into a status and an ``ErrorModel``.

    A ``GPUClusterError`` is an answer: its message and status are sent, and nothing is logged as an error. Anything
    else is a bug: it is logged with its traceback, and its text is not sent.
    """

    def initialize(self, **parts: Any) -> None:
        """Take the long-lived objects of the extension, which a class declares."""
        vars(self).update(parts)

    @property
    def log(self) -> logging.Logger:
        """Jupyter's log, with text of requests made harmless, even in Jupyter's line for each request."""
        return plain_log(super().log)

    def send_error(self, status_code: int = 500, **kwargs: Any) -> None:
        error = _exception(kwargs)
        super().send_error(error.http_status if isinstance(error, GPUClusterError) else status_code, **kwargs)

    def log_exception(self, typ: Any, value: BaseException | None, tb: Any) -> None:
        if isinstance(value, GPUClusterError):
            self.log.info("%s %s: %s", self.request.method, self.request.path, value.message)
        elif isinstance(value, HTTPError):
            # Like Tornado, but without the query, which may contain a token.
            if value.log_message:
                self.log.warning("%s %s: %s", self.request.method, self.request.path, value)
        else:
            self.log.error("Uncaught exception in %s %s", self.request.method, self.request.path, exc_info=value)

    def refusal(self, status_code: int, **kwargs: Any) -> ErrorModel:
        error = _exception(kwargs)
        if isinstance(error, GPUClusterError):
            return error.model()
        code, message = _KNOWN.get(status_code, ("error", ""))
        if status_code in {401, 403}:
            message = self._forbidden(error)
        elif status_code == 405:
            message = f"{self.request.method} is not supported at this address."
        elif isinstance(error, HTTPError) and status_code < 500:
            message = message or error.reason or "Not supported."
        else:
            message = "An internal error occurred in the Jupyter server; see its log."
        return ErrorModel(code=code, message=message)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        self.set_header("Content-Type", "application/json")
        self.finish(self.refusal(status_code, **kwargs).model_dump_json())

    def _forbidden(self, error: BaseException | None) -> str:
        # prepare() may have failed before it knew the user.
        if not getattr(self, "_jupyter_current_user", None):
            return "Log in to Jupyter and try again."
        if isinstance(error, HTTPError) and "not authorized" in (error.log_message or ""):
            return "Your account is not allowed to do this on this Jupyter server."
        return "The request does not come from a page of this Jupyter server. Reload the page and try again."


def _exception(kwargs: dict[str, Any]) -> BaseException | None:
    return (kwargs.get("exc_info") or (None, None, None))[1]


_OWN = {"same-origin", "none"}  # A page of this server, or a typed address or bookmark.


def is_from_elsewhere(headers: HTTPHeaders) -> bool:
    """Return whether a browser reports a request of another origin's page. Programs and old browsers report nothing."""
    return headers.get("Sec-Fetch-Site", "none").strip().lower() not in _OWN


def opens_a_tab(method: str | None, headers: HTTPHeaders) -> bool:
    """Return whether the request opens a top-level page, which no other page can read."""
    fetch = (headers.get("Sec-Fetch-Mode"), headers.get("Sec-Fetch-Dest"))
    return method in {"GET", "HEAD"} and fetch == ("navigate", "document")


_WHO_MAY = {"authenticated", "ws_authenticated", "allow_unauthenticated"}


def _decorators(method: Any) -> Iterator[str]:
    """Yield the names of a method's decorators, as far as they use ``functools.wraps``."""
    while method is not None:
        yield method.__code__.co_qualname.split(".")[0]
        method = getattr(method, "__wrapped__", None)


class AdmissionMixin(JupyterHandler):
    """Refuses requests without login, permission, and from other sites. The first base of each handler.

    Each method of a handler is authenticated and authorized, unless one of ``_WHO_MAY`` decorates it. Jupyter
    authenticates in each method, so that a missing method would be reported without login. Requests of origins that
    ``ServerApp.allow_origin`` or its pattern allow are accepted, and so are those with a token.
    """

    linkable: ClassVar[bool] = False  # Whether another site may link to it: a page that changes nothing.

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name in map(str.lower, cls.SUPPORTED_METHODS):
            method = vars(cls).get(name)
            if method is not None and not _WHO_MAY & set(_decorators(method)):
                setattr(cls, name, authenticated(authorized(method)))

    async def prepare(self, *arguments: Any, **options: Any) -> None:
        await super().prepare(*arguments, **options)
        self.admit()

    def admit(self) -> None:
        """Refuse a request without access. Raises `tornado.web.HTTPError`."""
        method = getattr(self, (self.request.method or "").lower(), None)
        is_open = getattr(method, "__allow_unauthenticated", False)
        if self.request.method == "OPTIONS":
            # Preflight requests of other origins' pages have no login. They are only needed if an origin is allowed.
            allowed = "Access-Control-Allow-Origin" in self.settings.get("headers", {})
            is_open = is_open and (self._has_friends or allowed)
        if self._finished or is_open:
            return
        if not self.current_user:
            self.refuse_stranger()
        else:
            self.check_origin()

    def refuse_stranger(self) -> None:
        raise HTTPError(403)

    @authenticated
    def send_to_login(self) -> None:
        """Redirect a page to the login, and refuse other requests."""

    def check_origin(self, origin: str | None = None) -> bool:
        """Check the origin. Raises `tornado.web.HTTPError`, never returns false."""
        if self.allow_origin == "*" or self.skip_check_origin():
            return True
        headers = self.request.headers
        is_link = self.linkable and opens_a_tab(self.request.method, headers)
        # Browsers send no Origin for an embedded or linked page.
        is_friend = self._has_friends and ("Origin" in headers or self.check_referer())
        if is_from_elsewhere(headers) and not is_link and not is_friend:
            raise HTTPError(403, "Rejected a request from another site.")
        if not super().check_origin(origin):  # type: ignore[arg-type]
            raise HTTPError(403, "Rejected a request from another origin.")
        return True

    @property
    def _has_friends(self) -> bool:
        return bool(self.allow_origin or self.allow_origin_pat)

    def set_default_headers(self) -> None:
        """Forbid other sites to load the answer, even in browsers that do not report the origin."""
        super().set_default_headers()
        if not self._has_friends:
            self.set_header("Cross-Origin-Resource-Policy", "same-origin")
