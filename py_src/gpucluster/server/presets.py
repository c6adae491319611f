"""The presets of the creation form: of every installation, of the site, and of this server's configuration."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from ..protocol.errors import invalid_request
from ..protocol.models import OfferedPreset, Preset
from ..site.limits import SiteLimits
from ..site.offering import preset_here
from ..site.reading import this_site
from .preset_pictures import offered


class PresetList:
    """Knows them at any time: the site's file may change while the server runs.

    Parameters
    ----------
    configured : sequence of dict
        As this server's configuration has them.
    limits : SiteLimits
        Of this server.
    log : Logger
        Told once what is left out, and why.
    """

    def __init__(self, configured: Sequence[Mapping[str, Any]], limits: SiteLimits, log: logging.Logger) -> None:
        self._limits = limits
        self._log = log
        self._told: set[str] = set()
        self._configured: dict[str, Preset] = {}
        for given in configured:
            try:
                preset = Preset.model_validate(given)
            except ValidationError as error:
                self._tell(f"A preset in the configuration is left out: {invalid_request(error).message}")
            else:
                self._configured[preset.name] = preset
        self.presets()

    def presets(self) -> list[OfferedPreset]:
        """Return those that are allowed here, of kinds that are here."""
        found = {preset.name: preset for preset in this_site().presets} | self._configured
        return [one for one in map(self._offered, found.values()) if one is not None]

    def _offered(self, preset: Preset) -> OfferedPreset | None:
        # The form says why a kind is not there; a package may be in another environment.
        here = preset_here(preset, self._limits.fault, packages=False)
        if here.fault is not None:
            self._tell(f"The preset '{preset.name}' is left out: {here.fault}")
        return None if here.absent or here.fault else offered(preset, here.spec)

    def _tell(self, message: str) -> None:
        if message not in self._told:
            self._told.add(message)
            self._log.warning("%s", message)
