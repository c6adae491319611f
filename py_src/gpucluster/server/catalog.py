"""What can be asked for: schema of the creation form, presets, devices, the OpenAPI document."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from typing import Any

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from ..client.environment import python_of
from ..protocol.errors import GPUClusterError
from ..protocol.kinds import Schemas, kind_models
from ..site.limits import SiteLimits
from ..site.reading import this_site
from .api import ClusterAPIHandler
from .form_schema import prepare_for_form
from .host_devices import DeviceReader
from .openapi import openapi_document
from .presets import PresetList


class SchemaHandler(ClusterAPIHandler):
    """JSON Schema of each backend's spec."""

    limits: SiteLimits

    @authenticated
    @authorized
    async def get(self) -> None:
        """Return the schemas, narrowed to what the site allows."""
        # Not in the loop: pydantic takes a fifth of a second for the first page.
        schemas = await asyncio.to_thread(self._schemas)
        kernel = self.get_query_argument("kernel", None)
        self.answer(await asyncio.to_thread(_offered, schemas, kernel))

    def _schemas(self) -> dict[str, dict[str, Any]]:
        schemas = self.limits.schemas(this_site().schemas())
        for schema in schemas.values():
            prepare_for_form(schema)
        return schemas


def _offered(schemas: dict[str, dict[str, Any]], kernel: str | None) -> Schemas:
    """Look what is there. Packages are needed where the workers are: another Python environment may have them."""
    with suppress(GPUClusterError, OSError):
        kinds = kind_models(packages=python_of(kernel) == sys.executable)
        return Schemas(backends=schemas, kinds=[kind for kind in kinds if kind.name in schemas or kind.traits is None])
    return _offered(schemas, None)


class PresetsHandler(ClusterAPIHandler):
    """Named starting points for the creation form."""

    presets: PresetList

    @authenticated
    @authorized
    async def get(self) -> None:
        """Return ours and the site's."""
        presets = await asyncio.to_thread(self.presets.presets)
        found: list[dict[str, Any]] = [preset.model_dump(mode="json") for preset in presets]
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
