"""One conversation of an instructor with the process of somebody's cluster, which may be anything."""

from __future__ import annotations

import socket
import time
from contextlib import closing
from dataclasses import dataclass

from pydantic import ValidationError

from ..operating_system.abstract_streams import connect
from ..operating_system.peers import peer_of
from ..protocol.instructing import ClusterFacts, InstructorAnswer, InstructorRequest
from ..sharing.instructor_lines import LineTooLong, hear, say, socket_name

PATIENCE_SECONDS = 3.0
"""Until its first line."""
DONE_SECONDS = 4.0
"""From then on, for what it is asked for."""


@dataclass(frozen=True)
class Told:
    """What came of it."""

    facts: ClusterFacts | None = None
    done: bool = False
    problem: str | None = None
    """A sentence, without its subject."""


def ask(id: str, user: int, request: InstructorRequest | None, latest: float) -> Told:
    """Hear what a cluster says of itself, and ask it for something.

    Parameters
    ----------
    id : str
        The cluster's.
    user : int
        Whose it must be, by the kernel.
    request : InstructorRequest or None
    latest : float
        When it is over in any case, on the monotonic clock.
    """
    first = min(latest, time.monotonic() + PATIENCE_SECONDS)
    try:
        with closing(connect(socket_name(id), max(0.1, first - time.monotonic()))) as connection:
            return _talk(connection, user, request, first, latest)
    except TimeoutError:
        return Told(problem="does not answer: its process hangs or was suspended")
    except (LineTooLong, ValidationError, UnicodeDecodeError):
        return Told(problem="says what cannot be read: it is no cluster, or of another version of gpucluster")
    except BlockingIOError:
        return Told(problem="does not get to it: too many others connect to it, or it hangs")
    except OSError:
        return Told(problem="has just ended, or is no cluster")


def _talk(connection: socket.socket, user: int, request: InstructorRequest | None, first: float, latest: float) -> Told:
    # It was said of the name; this is whom the connection really leads to.
    if peer_of(connection)[1] not in {user, None}:
        return Told(problem="is another user's now")
    line = hear(connection, first)
    if line is None:
        return Told(problem="has just ended, or is no cluster")
    try:
        facts = ClusterFacts.model_validate_json(line)
    except ValidationError:
        refused = InstructorAnswer.model_validate_json(line)
        return Told(problem=f"refuses: {refused.message.rstrip('.')}")
    if request is None:
        return Told(facts)
    say(connection, request)
    line = hear(connection, min(latest, time.monotonic() + DONE_SECONDS))
    if line is None:
        return Told(facts, problem="has ended meanwhile")
    answer = InstructorAnswer.model_validate_json(line)
    if answer.done:
        return Told(facts, done=True)
    return Told(facts, problem=f"refuses: {answer.message.rstrip('.')}")
