"""Where a site names instructors, the process of a cluster listens to them, and to no other user.

A separate thread accepts connections, so that none holds up the cluster. It asks the kernel for the peer's user before
it reads anything, and closes the connection of anyone who is not an instructor of the site at that moment. The
number of connections accepted per second is limited; further ones wait in the kernel.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import pwd
import secrets
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TookTooLong
from contextlib import suppress

from pydantic import ValidationError

from ..operating_system.sockets import close, groups_of, held_names, listen, peer_of
from ..protocol.errors import GPUClusterError, InvalidState, invalid_request
from ..protocol.instructing import MOST_GPUS, ClusterFacts, HeldGPU, InstructorAnswer, InstructorRequest
from ..protocol.messages import MessageCode
from ..protocol.models import ClusterModel
from ..protocol.plain_text import printable
from ..sharing.instructor_lines import LONGEST_REQUEST, LineTooLong, receive_line, send_line, socket_name
from ..site.reading import instructors, this_site
from .requests import Requests

logger = logging.getLogger("gpucluster.supervisor")

WAITING = 64  # Connections that the kernel holds until they are accepted.
ACCEPTED_PER_SECOND = 200
SERVED_AT_A_TIME = 4
PATIENCE_SECONDS = 5.0  # For all lines on one connection.
CARRIED_OUT_SECONDS = 3.0
REQUESTS, PER_SECONDS = 12, 60.0  # Limit per instructor and kind of request: messages do not hold back a stop.


class InstructorListener:
    """Listens for one cluster. Its threads call `facts`; the event loop calls `carry_out`, with the user's name."""

    def __init__(
        self, id: str, facts: Callable[[], ClusterFacts], carry_out: Callable[[InstructorRequest, str], None]
    ) -> None:
        self._id = id
        self._facts = facts
        self._carry_out = carry_out
        self._listener: socket.socket | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._places = threading.BoundedSemaphore(SERVED_AT_A_TIME)
        self._asked: dict[tuple[int, str], deque[float]] = {}
        self._warned = False

    def look(self) -> None:
        """Listen while the site names instructors."""
        wanted = bool(this_site().sharing.instructors)
        if wanted and self._listener is None:
            self._open()
        elif not wanted:
            self.close()

    def close(self) -> None:
        if self._listener is not None:
            close(self._listener)
            self._listener = None

    def _open(self) -> None:
        try:
            self._listener = self._listen()
        except OSError as error:
            if not self._warned:
                self._warned = True
                logger.warning("Instructors cannot reach this cluster: %s", error.strerror)
            return
        self._loop = asyncio.get_running_loop()
        logger.info("Instructors of this site can message and stop this cluster.")
        accepting = threading.Thread(
            target=self._accept, args=(self._listener,), name="gpucluster-instructors", daemon=True
        )
        accepting.start()

    def _listen(self) -> socket.socket:
        """Listen under the cluster's id, or a random name where another user, who can read the id, has taken it."""
        try:
            return listen(socket_name(self._id), WAITING)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
        name = socket_name(secrets.token_hex(4))
        listener = listen(name, WAITING)
        logger.warning(
            "%s holds the name of this cluster's socket for instructors. They reach the cluster under another name.",
            _holder_of(socket_name(self._id)),
        )
        return listener

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                if listener.fileno() < 0 or self._listener is not listener:
                    return
                time.sleep(0.5)  # The limit of open files is reached.
                continue
            try:
                self._take(connection)
            except Exception:
                connection.close()
                logger.exception("A connection of an instructor failed")
            time.sleep(1 / ACCEPTED_PER_SECOND)

    def _take(self, connection: socket.socket) -> None:
        """Serve an instructor in another thread; refuse all other users here, without reading a byte."""
        user = peer_of(connection)[1]
        if user is None or not instructors().include(user, groups_of(connection)):
            _refuse(connection, "Only instructors of this site may contact other users' clusters.")
        elif not self._places.acquire(blocking=False):
            _refuse(connection, "Too many instructors are connected to this cluster now. Try again in a few seconds.")
        else:
            threading.Thread(target=self._serve, args=(connection, user), daemon=True).start()

    def _serve(self, connection: socket.socket, user: int) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        try:
            with connection, suppress(OSError):
                connection.settimeout(PATIENCE_SECONDS)
                send_line(connection, self._facts())
                line = receive_line(connection, deadline, LONGEST_REQUEST)
                if line is not None:
                    send_line(connection, self._answer(line, user))
        except LineTooLong:
            pass
        except Exception:
            logger.exception("A request of an instructor failed")
        finally:
            self._places.release()

    def _answer(self, line: bytes, user: int) -> InstructorAnswer:
        try:
            request = InstructorRequest.model_validate_json(line)
        except ValidationError as error:
            return InstructorAnswer(done=False, message=printable(invalid_request(error).message, 200))
        if not self._may_ask(user, request.ask):
            sort = "messages" if request.ask == "message" else "requests to stop"
            refusal = f"It has had {REQUESTS} {sort} from you within {PER_SECONDS:.0f} s. Wait a minute."
            return InstructorAnswer(done=False, message=refusal)
        done: Future[None] = Future()
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._do, request, _user_name(user), done)
        try:
            done.result(CARRIED_OUT_SECONDS)
        except TookTooLong:
            # After this answer it must not be done later either.
            if done.cancel():
                return InstructorAnswer(
                    done=False, message="The cluster's process is busy and did not carry out the request."
                )
            done.result(CARRIED_OUT_SECONDS)
        except GPUClusterError as error:
            return InstructorAnswer(done=False, message=printable(error.message, 200))
        return InstructorAnswer(done=True)

    def _do(self, request: InstructorRequest, who: str, done: Future[None]) -> None:
        if not done.set_running_or_notify_cancel():
            return
        try:
            self._carry_out(request, who)
        except Exception as error:
            done.set_exception(error)
        else:
            done.set_result(None)

    def _may_ask(self, user: int, sort: str) -> bool:
        now = time.monotonic()
        times = self._asked.setdefault((user, sort), deque(maxlen=REQUESTS))
        if len(times) == REQUESTS and now - times[0] < PER_SECONDS:
            return False
        times.append(now)
        return True


def _refuse(connection: socket.socket, why: str) -> None:
    with connection, suppress(OSError):
        connection.setblocking(False)
        send_line(connection, InstructorAnswer(done=False, message=why))


def _holder_of(name: str) -> str:
    """Return which process holds a name, according to the kernel."""
    with suppress(OSError):
        for bound in held_names(name):
            if bound.name == name and bound.user is not None:
                return f"The user {_user_name(bound.user)} (uid {bound.user})"
    return "Another process"


def _user_name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"


def facts_of(model: ClusterModel) -> ClusterFacts:
    """Return what an instructor sees of a cluster: neither its name nor what it computes."""
    held = [HeldGPU(uuid=slot.uuid, slot=slot.slot, slots=slot.slots) for slot in model.slots]
    devices = dict.fromkeys(worker.device for worker in model.workers if worker.device)
    return ClusterFacts(
        id=model.id,
        kind=model.backend,
        state=model.state,
        n_workers=model.n_workers,
        gpus=(held or [HeldGPU(uuid=device[:80]) for device in devices])[:MOST_GPUS],
        since=model.created_at,
        idle_since=model.idle.idle_since,
    )


def carry_out(requests: Requests, request: InstructorRequest, who: str) -> None:
    """Do what an instructor asks for; every interface shows the owner which instructor it was."""
    if requests.parts.model.wanted.stopped or requests.parts.model.state.ended:
        # Without the cluster's name, which instructors do not see.
        raise InvalidState("It is already being stopped.")
    by = f"instructor {who}"
    if request.ask == "stop":
        end = "" if request.text.endswith((".", "!", "?", "…")) else "."
        reason = f"Stopped by {by}" + (f": {request.text}" if request.text else "") + end
        requests.parts.store.announce(MessageCode.STOPPED, reason, by)
        requests.stop(reason, by=by)
        return
    requests.parts.activity_log.note_request("message", by, request.text)
    requests.parts.store.announce(MessageCode.MESSAGE, request.text, who)
