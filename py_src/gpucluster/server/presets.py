"""The presets of the creation form: of every installation, of the site, and of this server's configuration."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from ..protocol.errors import GPUClusterError, invalid_request
from ..protocol.kinds import absence, parse_spec
from ..protocol.models import Preset
from ..site.limits import SiteLimits
from ..site.reading import this_site
from ..site.sections import preset_faults


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

    def presets(self) -> list[Preset]:
        """Return those that are allowed here."""
        found = {preset.name: preset for preset in this_site().presets} | self._configured
        return [preset for preset in found.values() if self._allowed(preset) and _is_here(preset)]

    def _allowed(self, preset: Preset) -> bool:
        # What is still missing in one, such as hosts, people fill in.
        if faults := preset_faults(preset):
            self._tell(f"The preset '{preset.name}' is left out: {faults[0].field}: {faults[0].message}.")
            return False
        try:
            parse_spec(preset.spec, self._limits.fault, this_site().fault)
        except GPUClusterError as error:
            if any(fault.field for fault in error.fields):
                self._tell(f"The preset '{preset.name}' is left out: {error.message}")
                return False
        return True

    def _tell(self, message: str) -> None:
        if message not in self._told:
            self._told.add(message)
            self._log.warning("%s", message)


def _is_here(preset: Preset) -> bool:
    # The form says why a kind is not there; a package may be in another environment.
    return absence(str(preset.spec.get("backend", "auto")), packages=False) is None
