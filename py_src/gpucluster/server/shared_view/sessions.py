"""Links to read-only views: whether they are valid, their sessions, and the open views."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...protocol.links import SharedLink
from ...registry.links import StoredLink, living_links
from ...registry.record import now
from ...registry.store import Registry
from ...registry.watching import stamp_of
from ...site.reading import this_site

_OF_A_HUB = ("JUPYTERHUB_API_URL", "JUPYTERHUB_SERVICE_PREFIX")


def is_of_a_hub(environment: Mapping[str, str] = os.environ) -> bool:
    return any(environment.get(name) for name in _OF_A_HUB)


@dataclass(frozen=True)
class LinkPolicy:
    """Rules of this server and its site about links."""

    shows: bool = True  # Whether this server shows clusters through links.
    hub: bool = False  # Whether it belongs to a hub, whose login is required besides the link.

    def allows(self, link: SharedLink) -> bool:
        """Return whether an existing link is valid here and now."""
        return self.shows and this_site().sharing.links

    def asks_for_login(self, link: SharedLink) -> bool:
        """Return whether the link alone is not enough."""
        return self.hub and not (link.public and this_site().sharing.public_links)


IDLE_SECONDS = 600.0  # A session ends after this time without a request or an open WebSocket.
MOST_OF_A_LINK = 50
MOST_SOCKETS_OF_A_LINK = 100
_KEY_BYTES = 32


@dataclass
class ViewSession:
    """One browser that views one cluster through one link."""

    cluster: str
    link: str
    used: float = field(default_factory=time.monotonic)
    sockets: int = 0

    @property
    def is_idle(self) -> bool:
        """Whether the session has ended for lack of use."""
        return self.sockets == 0 and time.monotonic() - self.used > IDLE_SECONDS


class ViewSessions:
    """The sessions of one Jupyter server. `registry`: where the links are."""

    def __init__(self, registry: Registry, policy: LinkPolicy) -> None:
        self._registry = registry
        self.policy = policy
        self._sessions: dict[str, ViewSession] = {}
        self._known: dict[str, tuple[tuple[int, int, int], list[StoredLink]]] = {}

    def begin(self, cluster: str, link: str) -> str:
        """Start a session, and return the key for the browser."""
        self._sessions = {key: session for key, session in self._sessions.items() if not session.is_idle}
        own = [key for key, session in self._sessions.items() if session.link == link]
        for key in own[: max(0, len(own) - MOST_OF_A_LINK + 1)]:
            del self._sessions[key]
        key = secrets.token_urlsafe(_KEY_BYTES)
        self._sessions[_hashed(key)] = ViewSession(cluster, link)
        return key

    def end(self, key: str) -> None:
        self._sessions.pop(_hashed(key), None)

    def find(self, key: str | None, cluster: str) -> ViewSession | None:
        """Return the session of a key, if it is for that cluster and has not ended."""
        session = self._sessions.get(_hashed(key)) if key else None
        if session is None or session.cluster != cluster or session.is_idle:
            return None
        session.used = time.monotonic()
        return session

    def link_of(self, session: ViewSession) -> SharedLink | None:
        """Return the current link; ``None``: it has expired, was revoked, or is no longer valid here."""
        for stored in self.links(session.cluster):
            if stored.link.id == session.link and self.policy.allows(stored.link):
                return stored.link
        return None

    def links(self, cluster: str) -> list[StoredLink]:
        """Return the active links of a cluster; the file is read again when it has changed."""
        folder = self._registry.folder(cluster)
        stamp = stamp_of(folder.links)
        if stamp is None:
            self._known.pop(cluster, None)
            return []
        known = self._known.get(cluster)
        if known is None or known[0] != stamp:
            known = self._known[cluster] = (stamp, living_links(folder))
        moment = now()
        return [stored for stored in known[1] if stored.link.ends_at > moment]

    def has_room(self, session: ViewSession) -> bool:
        """Return whether the session's link may open another WebSocket."""
        open_ones = sum(other.sockets for other in self._sessions.values() if other.link == session.link)
        return open_ones < MOST_SOCKETS_OF_A_LINK


def _hashed(key: str) -> str:
    # The time of a look-up by the key itself could reveal how much of a guess is right.
    return hashlib.sha256(key.encode(errors="surrogateescape")).hexdigest()


LOOK_SECONDS = 1.0

Close = Callable[[], None]


class OpenViews:
    """Checks once a second whether the open views are still allowed."""

    def __init__(self, sessions: ViewSessions) -> None:
        self._sessions = sessions
        self._open: dict[Close, ViewSession] = {}
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._open)

    def add(self, session: ViewSession, close: Close) -> None:
        """Register a WebSocket by the function that closes it."""
        self._open[close] = session
        session.sockets += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look())

    def remove(self, close: Close) -> None:
        session = self._open.pop(close, None)
        if session is not None:
            session.sockets -= 1

    async def close(self) -> None:
        self._open.clear()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _look(self) -> None:
        while self._open:
            await asyncio.sleep(LOOK_SECONDS)
            for close, session in list(self._open.items()):
                if self._sessions.link_of(session) is None:
                    close()
