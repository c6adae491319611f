"""The links of a cluster that let others view it: a file in its folder, for its owner only.

Tokens are kept as hashes, so that a copy of the file, such as a backup, opens nothing. A revoked link is deleted from
the file, and the file goes with the cluster. No process is involved: a link can be revoked while the cluster's own
process hangs.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from pydantic import BaseModel, ValidationError

from ..operating_system.files import read_own_file
from ..protocol.errors import InvalidState, LinkNotFound
from ..protocol.links import MOST_LINKS, LinkRequest, LinkViewer, SharedLink
from . import lock
from .directory import write_private, writing
from .record import Folder, now, stamped

TOKEN_BYTES = 32  # 256 bits of the system's random numbers.
KEPT_VIEWERS = 20


class StoredLink(BaseModel, frozen=True, extra="ignore"):
    link: SharedLink
    token_sha256: str


class _Book(BaseModel, frozen=True, extra="ignore"):
    links: list[StoredLink]


def token_hash(token: str) -> str:
    """Return the stored form of a token, which is random and long enough for a plain hash."""
    return hashlib.sha256(token.encode(errors="surrogateescape")).hexdigest()


def living_links(folder: Folder) -> list[StoredLink]:
    """Return the links that have not ended; none where the file cannot be read."""
    try:
        links = _Book.model_validate_json(read_own_file(folder.links)).links
    except (OSError, ValueError, ValidationError):
        return []
    at = now()
    return [stored for stored in links if stored.link.ends_at > at]


def find_link(stored: Sequence[StoredLink], token: str) -> SharedLink | None:
    """Return the link that a token opens, in a time that reveals nothing about correct parts of the token."""
    given = token_hash(token)
    found = None
    for each in stored:
        if hmac.compare_digest(each.token_sha256, given):
            found = each.link
    return found


def add_link(folder: Folder, request: LinkRequest, by: str | None) -> tuple[SharedLink, str]:
    """Store a new link; returns it and its token, which is kept nowhere.

    Raises `InvalidState` (there are too many) or `RegistryUnwritable`, `SupervisorUnreachable` (nothing was written).
    """
    token = secrets.token_urlsafe(TOKEN_BYTES)
    at = datetime.now(UTC)
    link = SharedLink(
        id=secrets.token_hex(4),
        created_at=stamped(at),
        ends_at=stamped(at + timedelta(hours=request.hours)),
        by=by,
        tasks=request.tasks,
        public=request.public,
    )

    def add(links: list[StoredLink]) -> list[StoredLink]:
        if len(links) >= MOST_LINKS:
            raise InvalidState(f"The cluster already has {MOST_LINKS} links; revoke one first.")
        return [*links, StoredLink(link=link, token_sha256=token_hash(token))]

    _change(folder, add)
    return link, token


def withdraw_links(folder: Folder, id: str | None) -> list[SharedLink]:
    """Revoke a link, or all of them; returns those that existed."""
    gone: list[SharedLink] = []

    def take(links: list[StoredLink]) -> list[StoredLink]:
        gone.extend(stored.link for stored in links if id in {None, stored.link.id})
        if id is not None and not gone:
            raise LinkNotFound("This cluster has no such link; the link may have expired or been revoked.")
        return [stored for stored in links if stored.link not in gone]

    _change(folder, take)
    return gone


def note_opened(folder: Folder, id: str, viewer: str | None) -> SharedLink | None:
    """Count that a link was opened; returns the updated link, ``None`` when it has gone meanwhile."""
    at = now()
    opened: list[SharedLink] = []

    def count(links: list[StoredLink]) -> list[StoredLink]:
        changed = []
        for stored in links:
            if stored.link.id == id:
                viewers = _counted(stored.link.viewers, viewer, at)
                update = {"opened": stored.link.opened + 1, "last_opened_at": at, "viewers": viewers}
                opened.append(stored.link.model_copy(update=update))
                stored = stored.model_copy(update={"link": opened[-1]})
            changed.append(stored)
        return changed

    _change(folder, count)
    return opened[0] if opened else None


def _counted(viewers: Sequence[LinkViewer], name: str | None, at: str) -> list[LinkViewer]:
    if name is None:
        return list(viewers)
    before = next((viewer.opened for viewer in viewers if viewer.name == name), 0)
    others = [viewer for viewer in viewers if viewer.name != name]
    return [*others, LinkViewer(name=name, opened=before + 1, last_opened_at=at)][-KEPT_VIEWERS:]


def _change(folder: Folder, change: Callable[[list[StoredLink]], list[StoredLink]]) -> None:
    if not folder.links.exists() and not change([]):
        return  # An ended cluster has not even a lock.
    with writing(folder.path.parent), lock.held(folder.links_lock):
        links = change(living_links(folder))
        if links:
            write_private(folder.links, _Book(links=links).model_dump_json())
        else:
            folder.links.unlink(missing_ok=True)
