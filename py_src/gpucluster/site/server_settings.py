"""Limits and presets in the settings of a Jupyter server, with the same syntax as in the site's file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from ..protocol.errors import invalid_request
from ..protocol.kinds import usable_kinds
from ..protocol.models import Preset
from ..protocol.plain_text import printable
from .limits import BOUNDS, Limits, SiteLimits
from .model import EVERY, Site, near_to, unknown_key

OTHER_NAME = {"backends": "kinds"}  # The name in the file.


def server_limits(given: Mapping[str, Any]) -> SiteLimits:
    """Read the setting ``limits``. Raises `ValueError` with a message for the administrator."""
    try:
        section = Limits.model_validate({OTHER_NAME.get(name, name): value for name, value in given.items()})
    except ValidationError as error:
        known = list(Limits.model_fields)
        faults = [f"limits.{fault.field}: {unknown_key(fault, known)}" for fault in invalid_request(error).fields]
        raise ValueError("; ".join(faults)) from None
    kinds = list(usable_kinds())
    for name in section.kinds or ():
        if name not in kinds:
            near = near_to(name, kinds)
            raise ValueError(f"limits.kinds: unknown kind '{printable(name, 40)}'{near}; available: {', '.join(kinds)}")
    limits = section.narrowed()
    given_ones = {name for name in (*BOUNDS, "backends") if getattr(limits, name) is not None}
    return replace(limits, of_server=frozenset(given_ones))


def server_presets(given: Iterable[Mapping[str, Any]]) -> tuple[list[Preset], list[str]]:
    """Read the setting ``presets``; returns the presets and messages on errors."""
    presets, faults = [], []
    for each in given:
        try:
            presets.append(Preset.model_validate(each))
        except ValidationError as error:
            faults.append(f"A preset in the configuration is skipped: {invalid_request(error).message}")
    return presets, faults


def narrowed(site: Site, limits: SiteLimits, presets: Iterable[Preset]) -> Site:
    """Return a site with a server's settings: no limit is wider than the file's.

    If the site allows none of the server's kinds, the site's kinds hold.
    """
    allowed = site.limits_of(EVERY).backends
    if limits.backends is not None and allowed is not None and not set(limits.backends) & set(allowed):
        limits = replace(limits, backends=None)
    return replace(site, of_server=limits, added=(*site.added, *presets))


def wider(site: Site, limits: SiteLimits) -> list[str]:
    """Return a message for each of a server's limits that is wider than the file's, which then holds."""
    return [
        f"GPUClusterExtension.limits: {fault} ({site.path}). The site's limit holds."
        for fault in limits.wider(site.limits_of(EVERY))
    ]
