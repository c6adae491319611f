"""What a fault of the site's file means for people who only use the site."""

from __future__ import annotations

import os

from .limit_section import LEAST_HOLDS
from .model import EVERY, SHARING, Site


def can_change(site: Site) -> bool:
    """Return whether the user of this process may write to the file."""
    return os.access(site.path, os.W_OK)


def notice_of(site: Site) -> str | None:
    """Return what holds until the file is fixed, in two sentences; ``None``: nothing that anybody would notice."""
    kinds = sorted(site.least - {SHARING})
    if not kinds or not site.troubles:
        return None
    which = "every kind" if EVERY in kinds else f"the kind{'s' * (len(kinds) > 1)} {', '.join(kinds)}"
    return f"A limit of this site cannot be read. {LEAST_HOLDS.format(which)}"
