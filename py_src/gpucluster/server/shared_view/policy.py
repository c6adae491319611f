"""Whether a link shows anything on this Jupyter server, and to whom."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from ...protocol.links import SharedLink
from ...site.reading import this_site

_OF_A_HUB = ("JUPYTERHUB_API_URL", "JUPYTERHUB_SERVICE_PREFIX")


def is_of_a_hub(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether a JupyterHub has started this server."""
    return any(environment.get(name) for name in _OF_A_HUB)


@dataclass(frozen=True)
class LinkPolicy:
    """What this server and its site say of links."""

    shows: bool = True
    """Whether this server shows clusters by a link."""
    hub: bool = False
    """Whether it belongs to a hub, whose log-in is asked for besides the link."""

    def allows(self, link: SharedLink) -> bool:
        """Return whether a link that was made counts here and now."""
        return self.shows and this_site().sharing.links

    def asks_for_login(self, link: SharedLink) -> bool:
        """Return whether the link alone is not enough."""
        return self.hub and not (link.public and this_site().sharing.public_links)
