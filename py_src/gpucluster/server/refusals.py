"""How a request is refused: one sentence for the person who made it, as JSON."""

from __future__ import annotations

import logging
from typing import Any

from jupyter_server.base.handlers import JupyterHandler
from tornado.web import HTTPError

from ..protocol.errors import ErrorModel, GPUClusterError
from ..protocol.log_text import plain_log

_CODES = {
    400: "bad_request",
    401: "not_authenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
}
_SENTENCES = {
    400: "The request could not be read.",
    404: "There is nothing at this address.",
    413: "The request is too large.",
}


class RefusalMixin(JupyterHandler):
    """Turns every exception of a handler into a status and an ``ErrorModel``.

    A ``GPUClusterError`` is an answer: its sentence and its status go out, nothing is logged as an error.
    Anything else is a bug: it is logged with its traceback, and its text stays in the log.
    """

    @property
    def log(self) -> logging.Logger:
        """Jupyter's log; what requests hold does nothing in it. Jupyter's line for each request goes there, too."""
        return plain_log(super().log)

    def send_error(self, status_code: int = 500, **kwargs: Any) -> None:
        """Give a ``GPUClusterError`` its own status."""
        error = _exception(kwargs)
        if isinstance(error, GPUClusterError):
            status_code = error.http_status
        super().send_error(status_code, **kwargs)

    def log_exception(self, typ: Any, value: BaseException | None, tb: Any) -> None:
        """Log a refusal in one line, a bug with its traceback."""
        if isinstance(value, GPUClusterError):
            self.log.info("%s %s: %s", self.request.method, self.request.path, value.message)
        elif isinstance(value, HTTPError):
            # As Tornado does it, but in a log that makes harmless what is in addresses and headers.
            # Without the query, in which a token may be.
            if value.log_message:
                self.log.warning("%s %s: %s", self.request.method, self.request.path, value)
        else:
            what = (self.request.method, self.request.path)
            self.log.error("Uncaught exception in %s %s", *what, exc_info=value)

    def refusal(self, status_code: int, **kwargs: Any) -> ErrorModel:
        """Return what the person is told."""
        error = _exception(kwargs)
        if isinstance(error, GPUClusterError):
            return error.model()
        code = _CODES.get(status_code, "error")
        if status_code in {401, 403}:
            return ErrorModel(code=code, message=self._forbidden(error))
        if status_code == 405:
            return ErrorModel(code=code, message=f"{self.request.method} is not possible at this address.")
        if isinstance(error, HTTPError) and status_code < 500:
            return ErrorModel(code=code, message=_SENTENCES.get(status_code, error.reason or "Not possible."))
        return ErrorModel(code=code, message="Something went wrong in the Jupyter server; its log says what.")

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Send the refusal as JSON."""
        self.set_header("Content-Type", "application/json")
        self.finish(self.refusal(status_code, **kwargs).model_dump_json())

    def _forbidden(self, error: BaseException | None) -> str:
        # prepare() may have failed before it knew the user.
        if not getattr(self, "_jupyter_current_user", None):
            return "Log in to Jupyter and try again."
        if isinstance(error, HTTPError) and "not authorized" in (error.log_message or ""):
            return "Your account may not do this on this Jupyter server."
        return "The request does not come from a page of this Jupyter server. Reload the page and try again."


def _exception(kwargs: dict[str, Any]) -> BaseException | None:
    return (kwargs.get("exc_info") or (None, None, None))[1]
