"""Paths and texts on their way through the dashboard proxy. Nothing here does input or output."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from ..protocol.errors import GPUClusterError

NOT_FORWARDED_ARGUMENTS = frozenset({"token", "_xsrf"})
"""Arguments that are for Jupyter; Bokeh would write them into its pages."""


class PathRefused(GPUClusterError):
    """The path is none of a dashboard."""

    code = "not_found"
    http_status = 404


def checked_path(path: str) -> str:
    """Return a decoded dashboard path, encoded for the upstream URL.

    Raises
    ------
    PathRefused
        For ``..``, empty segments (``//host``), backslashes, control characters, and for Dask's own
        ``/proxy``, which reaches other hosts.
    """
    segments = path.split("/")
    # A path may end with a slash, but no other segment is empty.
    if any(part in {".", ".."} for part in segments) or "" in segments[:-1]:
        raise PathRefused("This is no address of a dashboard.")
    if re.search(r"[\\\x00-\x1f\x7f]", path):
        raise PathRefused("This is no address of a dashboard.")
    if segments[0].casefold() == "proxy":
        raise PathRefused("Pages of single workers are not shown here: use the pages of the cluster.")
    return quote(path, safe="/:@!$&'()*+,;=~-._")


def forwarded_query(query: str) -> str:
    """Return the query without the arguments that are for Jupyter."""
    pairs = parse_qsl(query, keep_blank_values=True)
    return urlencode([(name, value) for name, value in pairs if name not in NOT_FORWARDED_ARGUMENTS])


@dataclass(frozen=True)
class Disguise:
    """Puts the public path wherever the dashboard mentions its secret prefix."""

    prefix: str
    """The secret, without slashes; empty where somebody else serves the pages, below none."""
    public: str
    """Path of the dashboard below the Jupyter server, without a slash at the end."""

    def text(self, text: str) -> str:
        """Return ``text`` without the secret."""
        return self.body(text.encode()).decode() if self.prefix in text else text

    def body(self, body: bytes) -> bytes:
        """Return a response body without the secret."""
        secret = self.prefix.encode()
        if not secret or secret not in body:
            return body
        public = self.public.encode()
        # The second replacement catches spellings that no link can use; a broken link beats a leak.
        return body.replace(b"/" + secret, public).replace(secret, b"dashboard")

    def location(self, location: str, host: str) -> str | None:
        """Return the public form of a redirect, or ``None`` when it leads out of the dashboard."""
        parts = urlsplit(location)
        if (parts.scheme or parts.netloc) and parts.netloc != host:
            return None
        if not self.prefix and (parts.path.startswith("/") or parts.netloc):
            path = parts._replace(scheme="", netloc="").geturl()
            return None if path.startswith("//") else self.public + path
        if parts.path.startswith("/") or parts.netloc:
            inside = parts.path == f"/{self.prefix}" or parts.path.startswith(f"/{self.prefix}/")
            if not inside:
                return None
        rest = parts._replace(scheme="", netloc="").geturl()
        return self.text(rest)
