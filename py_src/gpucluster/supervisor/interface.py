"""The supervisor's HTTP interface on its unix socket: JSON in, JSON out, for this user only."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeAlias

from pydantic import BaseModel
from tornado import httpserver, iostream, netutil, web

from ..operating_system.sockets import peer_of
from ..protocol.errors import (
    AccessDenied,
    GPUClusterError,
    InvalidRequest,
    InvalidState,
    ProtocolMismatch,
    RegistryUnwritable,
    parsed,
)
from ..protocol.models import Announcement, NewRecording, ResultsReleased
from ..protocol.refusals import storage_refusal
from ..protocol.spec import parse_patch
from ..protocol.telemetry import Decisions, LargestResults, TaskFailures
from ..protocol.verbs import Verb, posts
from ..protocol.version import BY_HEADER, PROTOCOL_HEADER, PROTOCOL_VERSION, SECRET_HEADER
from ..registry.record import Folder, is_secret
from .controller import Controller
from .figures.sampler import Sampler
from .process.caller import Adoption
from .process.standby import Standby
from .requests import Requests

logger = logging.getLogger("gpucluster.supervisor")

_Call: TypeAlias = Callable[..., BaseModel]
MAX_BODY_BYTES = 4 * 2**20
_LAST_ANSWER_SECONDS = 10.0  # After this, a standby that could not answer a request to take a cluster ends.


class Interface:
    """State of the handlers. `secret`: required in every request. `standby`: this process, while it has no cluster."""

    def __init__(self, secret: str, standby: Standby | None = None) -> None:
        self.secret = secret
        self.standby = standby
        self.controller: Controller | None = None

    def require_controller(self) -> Controller:
        """Return the controller. Raises `InvalidState` while this is a standby."""
        if self.controller is None:
            raise InvalidState("This process is on standby; it has no cluster yet.")
        return self.controller

    def require_sampler(self) -> Sampler:
        """Return the cluster's sampler. Raises `InvalidState` before the cluster runs."""
        controller = self.require_controller()
        if controller.sampler is None:
            model = controller.model
            raise InvalidState(f"The cluster '{model.name}' is {model.state.value}; it has no data yet.")
        return controller.sampler


class _Handler(web.RequestHandler):
    interface: Interface

    def initialize(self, **parts: Any) -> None:
        vars(self).update(parts)

    def prepare(self) -> None:
        connection: Any = self.request.connection
        if peer_of(connection.stream.socket)[1] not in {os.getuid(), None}:
            raise AccessDenied("This cluster belongs to another user.")
        version = self.request.headers.get(PROTOCOL_HEADER, "")
        given = self.request.headers.get(SECRET_HEADER)
        # Versions without secrets get advice on versions instead of a refusal.
        older = given is None and version not in {"", str(PROTOCOL_VERSION)}
        if not older and not is_secret(given or "", self.interface.secret):
            raise AccessDenied("Requests to this cluster require its secret, which is in its private folder.")
        if version != str(PROTOCOL_VERSION):
            raise ProtocolMismatch(
                f"This cluster uses protocol {PROTOCOL_VERSION} of gpucluster, the request {version or '?'}. "
                "Install the same version of gpucluster in both Python environments."
            )

    @property
    def by(self) -> str | None:
        """The claimed caller."""
        return self.request.headers.get(BY_HEADER)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        error = kwargs.get("exc_info", (None, None, None))[1]
        if isinstance(error, web.HTTPError):
            # Tornado refused it: the request is wrong, not this process.
            self.set_status(error.status_code)
            self.answer(_refusal(self.request.method, self.request.path, error.status_code).model())
            return
        if not isinstance(error, GPUClusterError):
            controller = self.interface.controller
            refused = storage_refusal(error, controller.registry.directory) if controller is not None else None
            error = RegistryUnwritable(refused) if refused is not None else None
        if error is None:
            error = GPUClusterError("Internal error of the cluster's process; see its log.")
        self.set_status(error.http_status)
        self.answer(error.model())

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        if not isinstance(value, GPUClusterError):
            super().log_exception(typ, value, tb)

    def answer(self, found: BaseModel | bytes) -> None:
        self.set_header("Content-Type", "application/json")
        self.finish(found.model_dump_json() if isinstance(found, BaseModel) else found)


class _Model(_Handler):
    def get(self) -> None:
        self.answer(self.interface.require_controller().model)

    def patch(self) -> None:
        self.answer(self.interface.require_controller().requests.patch(parse_patch(self.request.body), self.by))


class _Post(_Handler):
    """A verb that is one call with the cluster's controller, the requester, the body, and what the path names."""

    call: _Call

    def post(self, *named: str) -> None:
        self.answer(self.call(self.interface.require_controller(), self.by, self.request.body, *named))


class _Recording(_Handler):
    async def post(self) -> None:
        wanted = parsed(NewRecording, self.request.body)
        controller = self.interface.require_controller()
        self.answer(await controller.requests.record(self.interface.require_sampler(), wanted.file, self.by))

    async def delete(self) -> None:
        self.answer(await self.interface.require_controller().parts.recording.end())


class _Ending(_Handler):
    """Requests that may be the last ones of this process."""

    last: bool = False

    def on_finish(self) -> None:
        if self.last and self.interface.standby is not None:
            self.interface.standby.end()


class _Adopt(_Ending):
    async def post(self) -> None:
        standby = self.interface.standby
        if standby is None or standby.asked_for:
            raise InvalidState("This process already has a cluster.")
        # A standby that has refused ends, so it is not chosen again.
        self.last = True
        late = asyncio.get_running_loop().call_later(_LAST_ANSWER_SECONDS, standby.end)
        adoption = parsed(Adoption, self.request.body)
        self.interface.controller = controller = await standby.adopt(adoption)
        late.cancel()
        self.last = False
        self.answer(controller.model)


class _Release(_Ending):
    def post(self) -> None:
        if self.interface.standby is None:
            raise InvalidState("This process has a cluster; stop the cluster instead.")
        self.interface.standby.check_release()
        self.last = True
        self.set_status(204)
        self.finish()


class _Telemetry(_Handler):
    """Samples as JSON lines, until the listener disconnects; with ``?cells=1`` also how far cells are."""

    async def get(self) -> None:
        sampler = self.interface.require_sampler()
        self.set_header("Content-Type", "application/x-ndjson")
        try:
            async for line in sampler.listen(cells=self.get_query_argument("cells", "") == "1"):
                self.write(line)
                await self.flush()
        except iostream.StreamClosedError:
            return


class _Read(_Handler):
    """What one function returns, as a model or as JSON."""

    read: Callable[[Interface], BaseModel | bytes]

    def get(self) -> None:
        self.answer(self.read(self.interface))


class _Failures(_Handler):
    async def get(self) -> None:
        controller = self.interface.require_controller()
        self.answer(TaskFailures(id=controller.model.id, failures=await controller.requests.scheduler().failures()))


class _Results(_Handler):
    async def get(self) -> None:
        controller = self.interface.require_controller()
        self.answer(LargestResults(id=controller.model.id, **await controller.requests.scheduler().results()))


class _ReleasedResults(_Handler):
    async def post(self) -> None:
        released = parsed(ResultsReleased, self.request.body)
        self.answer(await self.interface.require_controller().requests.release_results(released, self.by))


class _Unknown(_Handler):
    def prepare(self) -> None:
        super().prepare()
        raise InvalidRequest(f"There is no {json.dumps(self.request.path[:80])} here.")


def _refusal(method: str | None, path: str, status: int) -> InvalidRequest:
    where = json.dumps(path[:80])
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        return InvalidRequest(f"{where} does not support the method {method}.")
    return InvalidRequest(f"The request for {where} cannot be read. Check how its path is encoded.")


def _verb(verb: Verb) -> _Call:
    method = getattr(Requests, verb)
    return lambda controller, by, _body, *named: method(controller.requests, *named, by=by)


POSTS: dict[str, _Call] = {
    **{f"/{pattern}": _verb(verb) for verb, _, pattern in posts()},
    r"/stop": lambda controller, by, _body: controller.requests.stop(by=by),
    r"/news": lambda controller, by, body: controller.requests.tell(parsed(Announcement, body), by),
    r"/dashboard": lambda controller, _by, _body: controller.open_dashboard(),
}
"""The requests with POST, by path."""
READS: dict[str, Callable[[Interface], BaseModel | bytes]] = {
    r"/sample": lambda interface: interface.require_sampler().newest(),
    r"/history": lambda interface: interface.require_sampler().history.encoded(),
    r"/decisions": lambda interface: Decisions(decisions=interface.require_controller().requests.decisions()),
}
ROUTES: tuple[tuple[str, type[_Handler]], ...] = (
    (r"/model", _Model),
    (r"/recording", _Recording),
    (r"/adopt", _Adopt),
    (r"/release", _Release),
    (r"/telemetry", _Telemetry),
    (r"/failures", _Failures),
    (r"/results", _Results),
    (r"/results/release", _ReleasedResults),
    *((path, _Read) for path in READS),
    *((path, _Post) for path in POSTS),
)


class Listener:
    """Listens on the socket in the private folder; the peer's user id and the secret are checked as well."""

    def __init__(self, interface: Interface, folder: Folder) -> None:
        options: dict[str, Any] = {"interface": interface}
        functions: dict[str, dict[str, Any]] = {path: {"call": call} for path, call in POSTS.items()}
        functions |= {path: {"read": read} for path, read in READS.items()}
        self._folder = folder
        self._application = web.Application(
            [(path, handler, options | functions.get(path, {})) for path, handler in ROUTES],
            default_handler_class=_Unknown,
            default_handler_args=options,
            log_function=lambda handler: None,
        )
        self._listen()

    def _listen(self) -> None:
        self._server = httpserver.HTTPServer(self._application, max_body_size=MAX_BODY_BYTES)
        self._server.add_socket(netutil.bind_unix_socket(str(self._folder.socket), mode=0o600))

    def is_reachable(self) -> bool:
        try:
            return self._folder.socket.exists()
        except OSError:
            return True  # It may exist.

    def listen_again(self) -> None:
        """Create the socket's file again if it was deleted. Requests that are under way continue."""
        # Without the secret as well, the cluster has just ended.
        if not self.is_reachable() and self._folder.secret.exists():
            logger.warning("The socket of this cluster was deleted; it is created again")
            self._server.stop()
            self._listen()
