"""What an instructor does with the clusters of a class: see them, message their owners, stop them.

There is no service and no privilege in it. Each cluster's own process listens where the site names instructors
(``sharing.instructors``), and decides itself whom it listens to; this side only asks.
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
from ..protocol.errors import ClusterNotFound, GPUClusterError, NotAnInstructor, refused_field
from ..protocol.instructing import (
    LONGEST_TEXT,
    ClassAnswer,
    ClassCluster,
    ClassClusters,
    ClassMessage,
    ClassStop,
    ClusterFacts,
    HeldGPU,
    InstructorAnswer,
    InstructorRequest,
)
from ..protocol.kinds import kind_title
from ..protocol.plain_text import printable, times
from ..sharing.instructor_lines import LineTooLong, listening, receive_line, send_line, socket_name
from ..site.instructors import instructors, is_instructor
from ..site.reading import this_site
from .node import user_name

PATIENCE_SECONDS = 3.0  # Until its first line.
DONE_SECONDS = 4.0  # From then on, for what it is asked for.


@dataclass(frozen=True)
class Told:
    """What came of it."""

    facts: ClusterFacts | None = None
    done: bool = False
    problem: str | None = None  # A sentence, without its subject.


def ask(id: str, user: int, request: InstructorRequest | None, latest: float) -> Told:
    """Hear what a cluster says of itself, and ask it for something."""
    first = min(latest, time.monotonic() + PATIENCE_SECONDS)
    try:
        with closing(connect(socket_name(id), max(0.1, first - time.monotonic()))) as connection:
            return _talk(connection, user, request, first, latest)
    except TimeoutError:
        return Told(problem="does not answer: its process hangs or was suspended")
    except (LineTooLong, ValidationError, UnicodeDecodeError):
        return Told(problem="sent an unreadable answer: it is no cluster, or of another version of gpucluster")
    except BlockingIOError:
        return Told(problem="does not get to it: too many others connect to it, or it hangs")
    except OSError:
        return Told(problem="has just ended, or is no cluster")


def _talk(connection: socket.socket, user: int, request: InstructorRequest | None, first: float, latest: float) -> Told:
    # It was said of the name; this is whom the connection really leads to.
    if peer_of(connection)[1] not in {user, None}:
        return Told(problem="is another user's now")
    line = receive_line(connection, first)
    if line is None:
        return Told(problem="has just ended, or is no cluster")
    try:
        facts = ClusterFacts.model_validate_json(line)
    except ValidationError:
        refused = InstructorAnswer.model_validate_json(line)
        return Told(problem=f"refuses: {refused.message.rstrip('.')}")
    if request is None:
        return Told(facts)
    send_line(connection, request)
    line = receive_line(connection, min(latest, time.monotonic() + DONE_SECONDS))
    if line is None:
        return Told(facts, problem="has stopped in the meantime")
    answer = InstructorAnswer.model_validate_json(line)
    if answer.done:
        return Told(facts, done=True)
    return Told(facts, problem=f"refuses: {answer.message.rstrip('.')}")


ALL_SECONDS = 6.0  # So long all conversations take at most: with the start of a command less than 10 s.
MOST_GPUS_SHOWN = 8
LONGEST_PROBLEM = 120
AT_A_TIME = 64
_LATE = Told(problem="was not contacted: no time left")


def class_clusters() -> ClassClusters:
    """Return the clusters of all users of this machine, as their own processes tell an instructor.

    Neither the names of clusters nor what they compute are in it.

    Returns
    -------
    ClassClusters

    Raises
    ------
    NotAnInstructor
        You are no instructor of this site.
    """
    _must_be_instructor()
    found, left_out = _listening()
    told = _ask_each(found, None)
    indices = {device.uuid: device.index for device in host_devices().devices}
    clusters = [
        _shown(id, user, told.get(id, _LATE), indices) for user in sorted(found, key=user_name) for id in found[user]
    ]
    return ClassClusters(clusters=_once(clusters), left_out=left_out)


def message_class(user: str | None, text: str) -> ClassAnswer:
    """Tell the owner of clusters something: it is shown on the cards, and as a notice.

    Parameters
    ----------
    user : str or None
        Whose clusters; ``None``: those of everybody else.
    text : str
        At most 500 characters of plain text.

    Returns
    -------
    ClassAnswer

    Raises
    ------
    NotAnInstructor
        You are no instructor of this site.
    ClusterNotFound
        The user has no cluster here.
    InvalidRequest
        The text is empty or too long.
    """
    text = _plain("text", text)
    if not text.strip():
        raise refused_field("text", "must not be empty; write what the owner is to read")
    try:
        asked = ClassMessage(user=user, text=text)
    except ValidationError:
        raise refused_field("text", f"must have 1 to {LONGEST_TEXT} characters, not {len(text)}") from None
    return _carry_out(asked.user, InstructorRequest(ask="message", text=asked.text))


def stop_class(user: str, reason: str = "") -> ClassAnswer:
    """Stop all clusters of a user, who reads who has done it and why.

    Parameters
    ----------
    user : str
    reason : str, optional
        At most 500 characters of plain text.

    Returns
    -------
    ClassAnswer

    Raises
    ------
    NotAnInstructor
        You are no instructor of this site.
    ClusterNotFound
        The user has no cluster here.
    InvalidRequest
        The reason is too long.
    """
    reason = _plain("reason", reason)
    try:
        asked = ClassStop(user=user, reason=reason)
    except ValidationError:
        raise refused_field("reason", f"must have at most {LONGEST_TEXT} characters, not {len(reason)}") from None
    return _carry_out(asked.user, InstructorRequest(ask="stop", text=asked.reason))


def _plain(field: str, text: object) -> str:
    """Return a text that can be sent; what is no UTF-8 on a command line becomes question marks."""
    if not isinstance(text, str):
        raise refused_field(field, f"must be text, not {type(text).__name__}")
    return text.encode("utf-8", "replace").decode()


def _carry_out(user: str | None, request: InstructorRequest) -> ClassAnswer:
    _must_be_instructor()
    found, _ = _listening()
    wanted = {number: ids for number, ids in found.items() if _is_meant(number, user)}
    if not wanted:
        raise ClusterNotFound(_nobody(user, found))
    told = _ask_each(wanted, request)
    done = [id for ids in wanted.values() for id in ids if told.get(id, _LATE).done]
    problems = Counter(
        f"A cluster of {printable(user_name(number), 40)} {_short(told.get(id, _LATE).problem)}."
        for number, ids in wanted.items()
        for id in ids
        if id not in done
    )
    users = sorted(user_name(number) for number, ids in wanted.items() if not set(done).isdisjoint(ids))
    return ClassAnswer(reached=len(done), users=users, problems=[times(*each) for each in problems.items()])


def _is_meant(number: int, user: str | None) -> bool:
    return number != os.getuid() if user is None else user_name(number) == user


def _nobody(user: str | None, found: dict[int, list[str]]) -> str:
    have = ", ".join(sorted(printable(user_name(number), 40) for number in found))
    if user is None:
        return "No other user has a cluster on this machine that instructors can reach."
    others = f" These have: {have}." if have else ""
    return f"The user '{printable(user, 40)}' has no cluster on this machine that instructors reach.{others}"


def _must_be_instructor() -> None:
    if is_instructor():
        return
    where, names = this_site().path, instructors().names
    if not names:
        raise NotAnInstructor(
            f"This site names no instructors. An administrator names them in {where}: sharing.instructors."
        )
    raise NotAnInstructor(
        f"Only instructors of this site may do this: {', '.join(names)} ({where}). If you have just become one, log in "
        "again: a change of groups takes effect at the next log-in."
    )


def _listening() -> tuple[dict[int, list[str]], int]:
    try:
        found, left_out = listening()
    except OSError as error:
        raise GPUClusterError(f"Clusters of other users cannot be seen on this system ({error.strerror}).") from None
    return {user: [id for id, _ in each] for user, each in found.items()}, left_out


def _ask_each(found: dict[int, list[str]], request: InstructorRequest | None) -> dict[str, Told]:
    """Ask all of them: those of one user one after another, so that nobody's many clusters hold up the others."""
    told: dict[str, Told] = {}
    deadline = time.monotonic() + ALL_SECONDS

    def of(user: int) -> None:
        for id in found[user]:
            if time.monotonic() >= deadline - 1:
                return
            told[id] = ask(id, user, request, deadline)

    pool = ThreadPoolExecutor(max(1, min(AT_A_TIME, len(found))), "gpucluster-class")
    # Those with few clusters first: who has many, or lets others wait, waits himself.
    asking = [pool.submit(of, user) for user in sorted(found, key=lambda user: len(found[user]))]
    wait(asking, timeout=ALL_SECONDS)
    pool.shutdown(wait=False, cancel_futures=True)
    return dict(told)


def _once(clusters: Iterable[ClassCluster]) -> list[ClassCluster]:
    """Tell those of a user of which nothing is known, for the same reason, as one: nobody fills the list with them."""
    kept: dict[tuple[str, str | int], ClassCluster] = {}
    for number, cluster in enumerate(clusters):
        key = (cluster.user, cluster.problem or number)
        before = kept.get(key)
        kept[key] = before.model_copy(update={"times": before.times + 1}) if before is not None else cluster
    return list(kept.values())


def _shown(id: str, user: int, told: Told, indices: dict[str, int | None]) -> ClassCluster:
    facts = told.facts
    own_id = facts.id if facts is not None and facts.id is not None else id
    whose = {"id": own_id, "user": user_name(user), "mine": user == os.getuid()}
    if facts is None:
        return ClassCluster(**whose, problem=f"It {_short(told.problem)}.")
    return ClassCluster(
        **whose,
        kind=facts.kind,
        kind_title=kind_title(facts.kind),
        state=facts.state,
        n_workers=facts.n_workers,
        gpus=_gpus(facts.gpus, indices),
        since=facts.since,
        idle_since=facts.idle_since,
    )


def _short(problem: str | None) -> str:
    return printable(problem or "", LONGEST_PROBLEM)


def _gpus(held: Sequence[HeldGPU], indices: dict[str, int | None]) -> list[str]:
    """Return the first ones in a few words each: nobody fills the list with the GPUs of one cluster."""
    more = len(held) - MOST_GPUS_SHOWN
    return [_gpu(gpu, indices) for gpu in held[:MOST_GPUS_SHOWN]] + ([f"{more} more"] if more > 0 else [])


def _gpu(gpu: HeldGPU, indices: dict[str, int | None]) -> str:
    index = indices.get(gpu.uuid)
    name = printable(gpu.uuid, 12) if index is None else str(index)
    if gpu.slots == 1:
        return name
    return f"{name}, slot {gpu.slot} of {gpu.slots}" if gpu.slot is not None else f"{name}, one of {gpu.slots} slots"
