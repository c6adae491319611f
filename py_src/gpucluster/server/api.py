"""Base of REST handlers: read a body and a query, answer with a model."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable

from jupyter_server.auth.utils import HTTP_METHOD_TO_AUTH_ACTION
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import ensure_async
from pydantic import BaseModel
from tornado.web import HTTPError

from ..client.control import AsyncControl
from ..protocol.errors import GPUClusterError, InvalidRequest, refused_field
from .admission import AdmissionMixin, RefusalMixin
from .standby import StandbyKeeper

AUTH_RESOURCE = "gpucluster"  # For Jupyter's authorizers.

MAX_BODY_BYTES = 2**20


class ClusterAPIHandler(AdmissionMixin, RefusalMixin, APIHandler):
    """REST handler below ``gpucluster/api/``."""

    auth_resource = AUTH_RESOURCE
    polled = False  # Whether open pages poll it, so that a request does not count as use.

    control: AsyncControl
    standby: StandbyKeeper

    async def prepare(self) -> None:  # type: ignore[override]
        """Authenticate, note the use, and refuse while the registry is unusable."""
        await super().prepare()
        if self.current_user and not self._finished:
            await self._check_registry()
        if self.polled and self.request.method == "GET":
            # Nor does it keep an idle server from being culled.
            self._track_activity = False
        elif self.current_user:
            self.standby.used()

    async def _check_registry(self) -> None:
        """Check the registry's directory until it was found private.

        The method itself then refuses unauthorized users. The decorator is not used here, because it keeps the action
        of the first request for all later ones.
        """
        try:
            self.control.registry.check_directory()
        except GPUClusterError:
            action = HTTP_METHOD_TO_AUTH_ACTION[self.request.method or "GET"]
            user = self.current_user
            if await ensure_async(self.authorizer.is_authorized(self, user, action, AUTH_RESOURCE)):
                raise

    def answer(self, model: BaseModel, status: int = 200) -> None:
        self.set_status(status)
        self.finish(model.model_dump_json())

    def body(self) -> bytes:
        """Return the body. Raises `InvalidRequest`: it is empty or too large."""
        if len(self.request.body) > MAX_BODY_BYTES:
            raise InvalidRequest("The request exceeds the limit of 1 MiB.")
        if not self.request.body.strip():
            raise InvalidRequest("The request is empty: send a JSON object.")
        return self.request.body

    def whole_number(self, name: str, default: int, *, minimum: int, maximum: int) -> int:
        """Return a whole number from the query. Raises `InvalidRequest` when it is something else or out of bounds."""
        text = self.get_query_argument(name, str(default))
        if re.fullmatch(r"[+-]?\d{1,9}", text, re.ASCII) and minimum <= int(text) <= maximum:
            return int(text)
        raise refused_field(name, f"must be a whole number from {minimum} to {maximum}, not {text[:40]!r}")


class ReadHandler(ClusterAPIHandler):
    """What one function returns: about what the address names, such as a cluster, or about this machine."""

    read: Callable[..., Awaitable[BaseModel]]

    async def get(self, *named: str) -> None:
        self.answer(await self.read(*named))


class ActHandler(ClusterAPIHandler):
    """What one function does with the request's body."""

    act: Callable[[bytes], BaseModel]

    async def post(self) -> None:
        self.answer(await asyncio.to_thread(self.act, self.body()))


class UnknownHandler(ClusterAPIHandler):
    """Any other address below ``gpucluster/api/``."""

    async def get(self, *args: str) -> None:
        raise HTTPError(404)

    post = put = patch = delete = get


class UnavailableHandler(AdmissionMixin, RefusalMixin, APIHandler):
    """Every address of an extension that could not be loaded: reports the error."""

    auth_resource = AUTH_RESOURCE
    error: GPUClusterError

    async def get(self, *args: str) -> None:
        raise self.error.with_traceback(None)

    post = put = patch = delete = get
