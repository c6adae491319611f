"""Does a page of the dashboard answer?"""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...client.background import run

if TYPE_CHECKING:
    from ...client.cluster import Cluster

_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_LONGEST = 100_000
_SECONDS = 8.0  # a busy machine may take its time


@dataclass(frozen=True)
class PageAnswer:
    """What came back from a page.

    Attributes
    ----------
    status : int or None
        The status of HTTP, 200 when all is well; None when nobody answered.
    words : str
        Title of the page, or what went wrong.
    """

    status: int | None
    words: str

    def __repr__(self) -> str:
        return f"HTTP {self.status}: {self.words}" if self.status else f"Nobody answers: {self.words}"


def direct_address(cluster: Cluster) -> str:
    """Return the address of the status page on this machine. It contains a secret: never print it."""
    return run(cluster.control.open_dashboard(cluster.id))


def reach_dashboard(cluster: Cluster) -> PageAnswer:
    """Ask the cluster's dashboard for its status page, from this machine."""
    return reach(direct_address(cluster))


def reach(address: str) -> PageAnswer:
    """Ask for a page; neither the answer nor an error shows its address."""
    if not address.startswith(("http://", "https://")):
        return PageAnswer(None, "this is no address of a web page")
    try:
        with urllib.request.urlopen(address, timeout=_SECONDS) as answer:  # noqa: S310 (looked at above)
            page = answer.read(_LONGEST).decode("utf-8", errors="replace")
            title = _TITLE.search(page)
            return PageAnswer(answer.status, f"the page “{title[1].strip()}”" if title else "a page without a title")
    except urllib.error.HTTPError as error:
        return PageAnswer(error.code, error.reason)
    except TimeoutError:
        return PageAnswer(None, f"no answer within {_SECONDS:g} seconds; try again")
    except urllib.error.URLError as error:
        return PageAnswer(None, str(error.reason))
    except (OSError, ValueError) as error:
        return PageAnswer(None, type(error).__name__)
