"""``gpucluster share``: links to a read-only view of a cluster."""

from __future__ import annotations

from argparse import Namespace

from ..client.control import Control
from ..client.links import times
from ..protocol.errors import InvalidRequest, LinkRefused
from ..protocol.links import DEFAULT_HOURS, NewLink, SharedLink, SharedLinks
from .actions import named
from .arguments import shown
from .commands import Answer
from .tables import local_time, table

WHO = "Anyone with this link can view the cluster"


def share(control: Control, found: Namespace) -> Answer:
    """Create, list or revoke links. The warnings of the answer say what is required to use a link."""
    model = named(control, found)
    lists, withdraw = getattr(found, "list", False), getattr(found, "withdraw", None)
    makes = [name for name in ("hours", "tasks", "public") if getattr(found, name, None) not in {None, False}]
    if (lists and withdraw is not None) or (makes and (lists or withdraw is not None)):
        raise InvalidRequest("--list, --withdraw and the options of a new link cannot be combined.")
    if lists:
        links = control.links(model.id)
        return Answer(links_table(links), links)
    if withdraw is not None:
        gone = control.withdraw(model.id, None if withdraw == "all" else withdraw)
        lines = [f"{link.id}: revoked, opened {times(link.opened) if link.opened else 'never'}" for link in gone.links]
        return Answer("\n".join(lines) or "There are no active links.", gone)
    made = _make(control, model.id, found)
    until = f"{WHO}, until {local_time(made.link.ends_at)}. Revoke it: share {model.name} --withdraw {made.link.id}"
    return Answer(made.url or made.path, made, notes=[until], warnings=made.notes)


def _make(control: Control, id: str, found: Namespace) -> NewLink:
    try:
        return control.share(
            id,
            hours=_hours(getattr(found, "hours", str(DEFAULT_HOURS))),
            tasks=getattr(found, "tasks", False),
            public=getattr(found, "public", False),
        )
    except (InvalidRequest, LinkRefused) as error:
        if not error.message.startswith("hours: "):
            raise
        raise type(error)(f"--{error.message}", fields=error.fields) from None


def links_table(links: SharedLinks) -> str:
    if not links.links:
        return "No active links."
    rows = [("LINK", "EXPIRES", "SHOWS", "OPENED", "LAST", "BY WHOM")]
    rows += [
        (
            link.id,
            local_time(link.ends_at),
            _shows(link),
            times(link.opened) if link.opened else "never",
            local_time(link.last_opened_at) if link.last_opened_at else "",
            ", ".join(shown(viewer.name) for viewer in link.viewers),
        )
        for link in links.links
    ]
    return table(rows)


def _shows(link: SharedLink) -> str:
    return ("gauges, tasks" if link.tasks else "gauges") + (", public" if link.public else "")


def _hours(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidRequest(f"--hours: must be a number of hours, not '{shown(text)}'.") from None
