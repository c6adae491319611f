"""What can be asked for: schema of the creation form, presets, devices, the OpenAPI document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from ..protocol.kinds import Schemas, kind_models
from ..protocol.models import Preset
from .api import ClusterAPIHandler
from .hostdevices import DeviceReader
from .limits import SiteLimits
from .openapi import openapi_document


class SchemaHandler(ClusterAPIHandler):
    """JSON Schema of each backend's spec."""

    limits: SiteLimits

    @authenticated
    @authorized
    async def get(self) -> None:
        """Return the schemas, narrowed to what the site allows."""
        schemas = self.limits.schemas()
        found = [kind for kind in kind_models() if kind.name in schemas or kind.problem is not None]
        self.answer(Schemas(backends=schemas, kinds=found))


class PresetsHandler(ClusterAPIHandler):
    """Named starting points for the creation form."""

    presets: Sequence[Preset]

    @authenticated
    @authorized
    async def get(self) -> None:
        """Return ours and the site's."""
        found: list[dict[str, Any]] = [preset.model_dump(mode="json") for preset in self.presets]
        self.finish({"presets": found})


class DevicesHandler(ClusterAPIHandler):
    """GPUs of this machine and who uses them."""

    devices: DeviceReader

    @authenticated
    @authorized
    async def get(self) -> None:
        """Read the devices."""
        self.answer(await self.devices.read())


class OpenAPIHandler(ClusterAPIHandler):
    """Description of this interface."""

    @authenticated
    @authorized
    async def get(self) -> None:
        """Return the OpenAPI document."""
        self.finish(openapi_document(self.base_url))
