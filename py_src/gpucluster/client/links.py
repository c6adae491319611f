"""Create, list and revoke links to a read-only view of a cluster; and find the address of a link."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from dataclasses import dataclass

from ..protocol.errors import InvalidState, LinkRefused
from ..protocol.links import LinkRequest, NewLink, SharedLink, SharedLinks
from ..protocol.models import ClusterModel
from ..protocol.plain_text import counted
from ..registry.links import add_link, living_links, withdraw_links
from ..registry.store import Registry
from ..site.reading import this_site

FORBIDDEN = "This site does not allow links to clusters."


def make_link(registry: Registry, model: ClusterModel, request: LinkRequest, by: str | None) -> NewLink:
    require_allowed(request)
    if model.wanted.stopped:
        raise InvalidState(f"The cluster '{model.name}' is {model.state.value}; it can no longer be viewed.")
    link, token = add_link(registry.folder(model.id), request, by)
    # Browsers do not send what follows the '#', so no log contains the token.
    return NewLink(link=link, path=f"gpucluster/shared/{model.id}/#{token}")


def with_address(made: NewLink) -> NewLink:
    """Return a link with its address, if that is known here."""
    here = jupyter_here()
    url = here.base + made.path if here.base is not None else None
    return made.model_copy(update={"url": url, "notes": [here.note] if here.note else []})


def require_allowed(request: LinkRequest) -> None:
    """Refuse a link that the site does not allow. Raises `LinkRefused`."""
    sharing = this_site().sharing
    if not sharing.links:
        raise LinkRefused(FORBIDDEN)
    if request.hours > sharing.link_hours:
        unit = "hour" if sharing.link_hours == 1 else "hours"
        raise LinkRefused(f"hours: links on this site can last at most {sharing.link_hours:g} {unit}.")
    if request.public and not sharing.public_links:
        raise LinkRefused(
            "This site does not allow public links. Without 'public', the link is for users who are logged in to the "
            "hub and may enter your server or, without a hub, for anyone with the link."
        )


def links_of(registry: Registry, model: ClusterModel) -> SharedLinks:
    return SharedLinks(id=model.id, links=[stored.link for stored in living_links(registry.folder(model.id))])


def revoke_links(registry: Registry, model: ClusterModel, id: str | None) -> SharedLinks:
    """Revoke a link, or all of them, and return those. Open views end within seconds."""
    return SharedLinks(id=model.id, links=withdraw_links(registry.folder(model.id), id))


def created_message(link: SharedLink) -> str:
    seen = ", with task names" if link.tasks else ""
    whom = ", public" if link.public else ""
    return f"Link {link.id} created: others can view{seen} until {link.ends_at[:16].replace('T', ' ')} UTC{whom}"


def revoked_message(links: list[SharedLink]) -> str:
    if len(links) == 1:
        return f"Link {links[0].id} revoked; opened {times(links[0].opened)}"
    return f"{counted(len(links), 'link')} revoked"


def times(number: int) -> str:
    """Return a count such as ``once`` or ``3 times``."""
    return "once" if number == 1 else counted(number, "time")


@dataclass(frozen=True)
class Here:
    """Address of the Jupyter server that opens links."""

    base: str | None  # With a slash at its end.
    note: str = ""


def jupyter_here() -> Here:
    """Return the address of the Jupyter server of this kernel or hub, else of this user's newest one here."""
    prefix = os.environ.get("JUPYTERHUB_SERVICE_PREFIX")
    if prefix:
        host = os.environ.get("JUPYTERHUB_HOST", "")
        public = os.environ.get("JUPYTERHUB_PUBLIC_URL") or host.rstrip("/") + prefix
        if public.startswith(("http://", "https://")):
            return Here(public.rstrip("/") + "/")
        return Here(None, f"Prepend the address of your hub and {prefix}, as in your browser.")
    from .jupyter_servers import JupyterServer, jupyter_servers, listening, reached_by, runtime_directory

    servers: list[JupyterServer] = []
    with suppress(OSError):
        servers, _ = jupyter_servers(runtime_directory())
    if not servers:
        return Here(None, "It works while one of your Jupyter servers is running: prepend its address.")
    parent = os.environ.get("JPY_PARENT_PID", "")
    server = next((each for each in servers if str(each.pid) == parent), servers[0])
    outside = reached_by(listening(server.pid).get(server.port, set()))
    name = {None: "127.0.0.1", "*": socket.gethostname()}.get(outside, outside)
    note = "" if outside is not None else "This server can only be reached from this machine."
    name = f"[{name}]" if ":" in str(name) else name
    scheme = "https" if server.secure else "http"
    return Here(f"{scheme}://{name}:{server.port}{server.base_url.rstrip('/')}/", note)
