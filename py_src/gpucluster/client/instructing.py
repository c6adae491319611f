"""An instructor's view of a class: list clusters, message their owners, stop them.

This needs no service and no privilege. Where the site names instructors (``sharing.instructors``), each cluster's own
process listens for requests and decides itself which to accept.
"""

from __future__ import annotations

import os
import socket
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass

from pydantic import ValidationError

from ..devices.host import host_devices
from ..operating_system.abstract_streams import connect
from ..operating_system.peers import peer_of
from ..protocol import instructing as wire
from ..protocol.errors import ClusterNotFound, GPUClusterError, NotAnInstructor, refused_field
from ..protocol.kinds import kind_title
from ..protocol.plain_text import printable, times
from ..sharing.instructor_lines import LineTooLong, listening, receive_line, send_line, socket_name
from ..site.instructors import instructors, is_instructor
from ..site.reading import this_site
from .node import user_name

PATIENCE_SECONDS = 3.0  # Until a cluster's first line.
DONE_SECONDS = 4.0  # From then on, for the request.


@dataclass(frozen=True)
class Outcome:
    """Result of contacting one cluster."""

    facts: wire.ClusterFacts | None = None
    done: bool = False
    problem: str | None = None  # Predicate of a message.


def ask(id: str, user: int, request: wire.InstructorRequest | None, latest: float) -> Outcome:
    """Read the facts that a cluster reports, and send it a request."""
    first = min(latest, time.monotonic() + PATIENCE_SECONDS)
    try:
        with closing(connect(socket_name(id), max(0.1, first - time.monotonic()))) as connection:
            return _talk(connection, user, request, first, latest)
    except TimeoutError:
        return Outcome(problem="does not respond: its process hangs or was suspended")
    except (LineTooLong, ValidationError, UnicodeDecodeError):
        return Outcome(problem="sent an unreadable response: it is not a cluster, or has another version of gpucluster")
    except BlockingIOError:
        return Outcome(problem="does not get to this request: it has too many connections, or it hangs")
    except OSError:
        return Outcome(problem="has just stopped, or is not a cluster")


def _talk(
    connection: socket.socket, user: int, request: wire.InstructorRequest | None, first: float, latest: float
) -> Outcome:
    # The user was that of the name; this is the user at the other end of the connection.
    if peer_of(connection)[1] not in {user, None}:
        return Outcome(problem="now belongs to another user")
    line = receive_line(connection, first)
    if line is None:
        return Outcome(problem="has just stopped, or is not a cluster")
    try:
        facts = wire.ClusterFacts.model_validate_json(line)
    except ValidationError:
        refused = wire.InstructorAnswer.model_validate_json(line)
        return Outcome(problem=f"refuses: {refused.message.rstrip('.')}")
    if request is None:
        return Outcome(facts)
    send_line(connection, request)
    line = receive_line(connection, min(latest, time.monotonic() + DONE_SECONDS))
    if line is None:
        return Outcome(facts, problem="has stopped in the meantime")
    answer = wire.InstructorAnswer.model_validate_json(line)
    if answer.done:
        return Outcome(facts, done=True)
    return Outcome(facts, problem=f"rejected the request: {answer.message.rstrip('.')}")


ALL_SECONDS = 6.0  # For all conversations: with the start of a command less than 10 s.
MOST_GPUS_SHOWN = 8
LONGEST_PROBLEM = 120
AT_A_TIME = 64
_LATE = Outcome(problem="was not contacted: no time left")


def class_clusters() -> wire.ClassClusters:
    """Return the clusters of all users of this machine, as their own processes report them to an instructor.

    It includes neither the names of clusters nor what they compute. Raises `NotAnInstructor` (you are not an instructor
    of this site).
    """
    _require_instructor()
    found, left_out = _listening()
    outcomes = _ask_all(found, None)
    indices = {device.uuid: device.index for device in host_devices().devices}
    clusters = [
        _shown(id, user, outcomes.get(id, _LATE), indices)
        for user in sorted(found, key=user_name)
        for id in found[user]
    ]
    return wire.ClassClusters(clusters=_merged(clusters), left_out=left_out)


def message_class(user: str | None, text: str) -> wire.ClassAnswer:
    """Send the owner of clusters a message, shown on the cards and as a notice.

    Parameters
    ----------
    user : str or None
        Owner of the clusters; ``None``: all other users.
    text : str
        At most 500 characters of plain text.

    Raises
    ------
    NotAnInstructor, ClusterNotFound, InvalidRequest
        You are not an instructor of this site; the user has no cluster here; the text is empty or too long.
    """
    text = _plain("text", text)
    if not text.strip():
        raise refused_field("text", "must not be empty; write a message for the owner")
    try:
        asked = wire.ClassMessage(user=user, text=text)
    except ValidationError:
        raise refused_field("text", f"must have 1 to {wire.LONGEST_TEXT} characters, not {len(text)}") from None
    return _carry_out(asked.user, wire.InstructorRequest(ask="message", text=asked.text))


def stop_class(user: str, reason: str = "") -> wire.ClassAnswer:
    """Stop all clusters of a user, and show the user your name and the reason.

    Parameters
    ----------
    user : str
    reason : str, optional
        At most 500 characters of plain text.

    Raises
    ------
    NotAnInstructor, ClusterNotFound, InvalidRequest
        You are not an instructor of this site; the user has no cluster here; the reason is too long.
    """
    reason = _plain("reason", reason)
    try:
        asked = wire.ClassStop(user=user, reason=reason)
    except ValidationError:
        raise refused_field("reason", f"must have at most {wire.LONGEST_TEXT} characters, not {len(reason)}") from None
    return _carry_out(asked.user, wire.InstructorRequest(ask="stop", text=asked.reason))


def _plain(field: str, text: object) -> str:
    """Return a text that can be sent; what is not UTF-8 on a command line becomes question marks."""
    if not isinstance(text, str):
        raise refused_field(field, f"must be text, not {type(text).__name__}")
    return text.encode("utf-8", "replace").decode()


def _carry_out(user: str | None, request: wire.InstructorRequest) -> wire.ClassAnswer:
    _require_instructor()
    found, _ = _listening()
    others = [number for number in found if number != os.getuid()]
    chosen = others if user is None else [number for number in found if user_name(number) == user]
    wanted = {number: found[number] for number in chosen}
    if not wanted:
        raise ClusterNotFound(_no_cluster_message(user, found))
    outcomes = _ask_all(wanted, request)
    done = [id for ids in wanted.values() for id in ids if outcomes.get(id, _LATE).done]
    problems = Counter(
        f"A cluster of {printable(user_name(number), 40)} {_short(outcomes.get(id, _LATE).problem)}."
        for number, ids in wanted.items()
        for id in ids
        if id not in done
    )
    users = sorted(user_name(number) for number, ids in wanted.items() if not set(done).isdisjoint(ids))
    return wire.ClassAnswer(reached=len(done), users=users, problems=[times(*each) for each in problems.items()])


def _no_cluster_message(user: str | None, found: dict[int, list[str]]) -> str:
    have = ", ".join(sorted(printable(user_name(number), 40) for number in found))
    if user is None:
        return "No other user has a cluster on this machine that instructors can reach."
    others = f" These have: {have}." if have else ""
    return f"The user '{printable(user, 40)}' has no cluster on this machine that instructors can reach.{others}"


def _require_instructor() -> None:
    if is_instructor():
        return
    where, names = this_site().path, instructors().names
    if not names:
        raise NotAnInstructor(
            f"This site names no instructors. An administrator names them in {where}: sharing.instructors."
        )
    raise NotAnInstructor(
        f"Only instructors of this site may do this: {', '.join(names)} ({where}). If you have just become one, log in "
        "again: a change of groups takes effect at the next login."
    )


def _listening() -> tuple[dict[int, list[str]], int]:
    try:
        found, left_out = listening()
    except OSError as error:
        raise GPUClusterError(f"Clusters of other users cannot be seen on this system ({error.strerror}).") from None
    return {user: [id for id, _ in each] for user, each in found.items()}, left_out


def _ask_all(found: dict[int, list[str]], request: wire.InstructorRequest | None) -> dict[str, Outcome]:
    """Ask all of them: those of one user in turn, so that a user with many clusters does not hold up the others."""
    outcomes: dict[str, Outcome] = {}
    deadline = time.monotonic() + ALL_SECONDS

    def of(user: int) -> None:
        for id in found[user]:
            if time.monotonic() >= deadline - 1:
                return
            outcomes[id] = ask(id, user, request, deadline)

    pool = ThreadPoolExecutor(max(1, min(AT_A_TIME, len(found))), "gpucluster-class")
    # Users with few clusters first: only those with many, or slow ones, wait.
    asking = [pool.submit(of, user) for user in sorted(found, key=lambda user: len(found[user]))]
    wait(asking, timeout=ALL_SECONDS)
    pool.shutdown(wait=False, cancel_futures=True)
    return dict(outcomes)


def _merged(clusters: Iterable[wire.ClassCluster]) -> list[wire.ClassCluster]:
    """Merge a user's clusters that share a problem, so that they do not fill the list."""
    kept: dict[tuple[str, str | int], wire.ClassCluster] = {}
    for number, cluster in enumerate(clusters):
        key = (cluster.user, cluster.problem or number)
        before = kept.get(key)
        kept[key] = cluster if before is None else before.model_copy(update={"times": before.times + 1})
    return list(kept.values())


def _shown(id: str, user: int, outcome: Outcome, indices: dict[str, int | None]) -> wire.ClassCluster:
    facts = outcome.facts
    own_id = facts.id if facts is not None and facts.id is not None else id
    whose = {"id": own_id, "user": user_name(user), "mine": user == os.getuid()}
    if facts is None:
        return wire.ClassCluster(**whose, problem=f"It {_short(outcome.problem)}.")
    shown = facts.model_dump(include={"kind", "state", "n_workers", "since", "idle_since"})
    return wire.ClassCluster(**whose, **shown, kind_title=kind_title(facts.kind), gpus=_gpus(facts.gpus, indices))


def _short(problem: str | None) -> str:
    return printable(problem or "", LONGEST_PROBLEM)


def _gpus(held: Sequence[wire.HeldGPU], indices: dict[str, int | None]) -> list[str]:
    """Describe the first ones, so that one cluster's GPUs do not fill the list."""
    more = len(held) - MOST_GPUS_SHOWN
    return [_gpu(gpu, indices) for gpu in held[:MOST_GPUS_SHOWN]] + ([f"{more} more"] if more > 0 else [])


def _gpu(gpu: wire.HeldGPU, indices: dict[str, int | None]) -> str:
    index = indices.get(gpu.uuid)
    name = printable(gpu.uuid, 12) if index is None else str(index)
    if gpu.slots == 1:
        return name
    return f"{name}, slot {gpu.slot} of {gpu.slots}" if gpu.slot is not None else f"{name}, one of {gpu.slots} slots"
