"""The supervisor's HTTP interface on its unix socket: JSON in, JSON out, for this user only."""

from __future__ import annotations

import json
import logging
import os
import socket
import struct
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError
from tornado import httpserver, iostream, netutil, web

from ..protocol.errors import (
    GPUClusterError,
    InvalidRequest,
    InvalidState,
    ProtocolMismatch,
    RegistryUnwritable,
    invalid_request,
)
from ..protocol.refusals import storage_refusal
from ..protocol.spec import parse_patch
from ..protocol.version import BY_HEADER, PROTOCOL_HEADER, PROTOCOL_VERSION
from ..registry.record import Folder
from .owner import Owner
from .sampler import Sampler

logger = logging.getLogger("gpucluster.supervisor")

MAX_BODY_BYTES = 4 * 2**20


class Adoption(BaseModel):
    """What a standby is told when it becomes a cluster. The spec is in the record."""

    model_config = ConfigDict(extra="forbid")

    cwd: str
    environment: dict[str, str]


class Interface:
    """What the handlers work on.

    Parameters
    ----------
    adopt : callable
        Turns a standby into the owner of the cluster written in its record.
    release : callable
        Ends a standby that is not needed any more.
    """

    def __init__(
        self, adopt: Callable[[Adoption], Awaitable[Owner]] | None, release: Callable[[], None] | None
    ) -> None:
        self.owner: Owner | None = None
        self.adopt = adopt
        self.release = release

    def must_own(self) -> Owner:
        """Return the owner.

        Raises
        ------
        InvalidState
            While this is a standby.
        """
        if self.owner is None:
            raise InvalidState("This process waits in standby; it has no cluster yet.")
        return self.owner

    def must_sample(self) -> Sampler:
        """Return the cluster's sampler.

        Raises
        ------
        InvalidState
            Before the cluster runs.
        """
        owner = self.must_own()
        if owner.sampler is None:
            raise InvalidState(f"The cluster '{owner.model.name}' is {owner.model.state.value}; it has no figures yet.")
        return owner.sampler


class _Handler(web.RequestHandler):
    interface: Interface
    checked: ClassVar[bool] = True

    def initialize(self, interface: Interface) -> None:
        self.interface = interface

    def prepare(self) -> None:
        if _peer_uid(self.request) not in {os.getuid(), None}:
            self.set_status(403)
            self.finish()
            return
        version = self.request.headers.get(PROTOCOL_HEADER, "")
        if version != str(PROTOCOL_VERSION):
            raise ProtocolMismatch(
                f"This cluster speaks protocol {PROTOCOL_VERSION} of gpucluster, the request {version or '?'}. "
                "Install the same version of gpucluster in both Python environments."
            )

    @property
    def by(self) -> str | None:
        """Who says to be asking."""
        return self.request.headers.get(BY_HEADER)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        error = kwargs.get("exc_info", (None, None, None))[1]
        if isinstance(error, web.HTTPError):
            # Tornado refused it: the request is at fault, not this process.
            self.set_status(error.status_code)
            self.answer(_refusal(self.request.method, self.request.path, error.status_code).model())
            return
        if not isinstance(error, GPUClusterError):
            owner = self.interface.owner
            refused = storage_refusal(error, owner.registry.directory) if owner is not None else None
            error = RegistryUnwritable(refused) if refused is not None else None
        if error is None:
            error = GPUClusterError("Internal error of the cluster's process; see its log.")
        self.set_status(error.http_status)
        self.answer(error.model())

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        if not isinstance(value, GPUClusterError):
            super().log_exception(typ, value, tb)

    def answer(self, model: BaseModel) -> None:
        self.set_header("Content-Type", "application/json")
        self.finish(model.model_dump_json())


class _Model(_Handler):
    def get(self) -> None:
        self.answer(self.interface.must_own().model)

    def patch(self) -> None:
        self.answer(self.interface.must_own().patch(parse_patch(self.request.body), self.by))


class _Restart(_Handler):
    def post(self) -> None:
        self.answer(self.interface.must_own().restart(self.by))


class _Stop(_Handler):
    def post(self) -> None:
        self.answer(self.interface.must_own().stop(by=self.by))


class _Retire(_Handler):
    def post(self, worker: str) -> None:
        self.answer(self.interface.must_own().retire(worker, self.by))


class _Adopt(_Handler):
    async def post(self) -> None:
        if self.interface.adopt is None or self.interface.owner is not None:
            raise InvalidState("This process has a cluster already.")
        try:
            adoption = Adoption.model_validate_json(self.request.body)
        except ValidationError as error:
            raise invalid_request(error) from None
        adopt, self.interface.adopt = self.interface.adopt, None
        owner = await adopt(adoption)
        self.interface.owner = owner
        self.answer(owner.model)


class _Release(_Handler):
    def post(self) -> None:
        if self.interface.owner is not None:
            raise InvalidState("This process has a cluster; stop the cluster instead.")
        release, self.interface.release = self.interface.release, None
        if release is None:
            raise InvalidState("This process is ending already.")
        self.set_status(204)
        self.finish()
        release()


class _Telemetry(_Handler):
    """Samples as JSON lines, for as long as the listener listens."""

    async def get(self) -> None:
        sampler = self.interface.must_sample()
        self.set_header("Content-Type", "application/x-ndjson")
        try:
            async for line in sampler.listen():
                self.write(line)
                await self.flush()
        except iostream.StreamClosedError:
            return


class _History(_Handler):
    def get(self) -> None:
        self.set_header("Content-Type", "application/json")
        self.finish(self.interface.must_sample().history.encoded())


class _Unknown(_Handler):
    def prepare(self) -> None:
        raise InvalidRequest(f"There is no {json.dumps(self.request.path[:80])} here.")


def _refusal(method: str | None, path: str, status: int) -> InvalidRequest:
    where = json.dumps(path[:80])
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        return InvalidRequest(f"{where} does not take the method {method}.")
    return InvalidRequest(f"The request for {where} cannot be read. Check how its path is encoded.")


def _peer_uid(request: Any) -> int | None:
    """Return the user at the other end of the socket, ``None`` where the system does not tell."""
    connection = request.connection.stream.socket
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", credentials)[1])


def serve(interface: Interface, folder: Folder) -> httpserver.HTTPServer:
    """Listen on the folder's socket. The folder is private; the peer's user id is checked besides."""
    options = {"interface": interface}
    application = web.Application(
        [
            (r"/model", _Model, options),
            (r"/restart", _Restart, options),
            (r"/stop", _Stop, options),
            (r"/workers/([^/]+)/retire", _Retire, options),
            (r"/adopt", _Adopt, options),
            (r"/release", _Release, options),
            (r"/telemetry", _Telemetry, options),
            (r"/history", _History, options),
        ],
        default_handler_class=_Unknown,
        default_handler_args=options,
        log_function=lambda handler: None,
    )
    server = httpserver.HTTPServer(application, max_body_size=MAX_BODY_BYTES)
    server.add_socket(netutil.bind_unix_socket(str(folder.socket), mode=0o600))
    return server
