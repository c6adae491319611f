"""The users of this machine's GPUs and the queue, and an instructor's view of a class: list, message and stop clusters.

This needs no service and no privilege. Where the site names instructors (``sharing.instructors``), each cluster's own
process listens for requests and decides itself which to accept.
"""

from __future__ import annotations

import math
import os
import pwd
import socket
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from pydantic import ValidationError

from ..devices.host import host_devices
from ..operating_system.sockets import connect, peer_of, seconds_since_boot
from ..protocol import instructing as wire
from ..protocol.errors import ClusterNotFound, GPUClusterError, NotAnInstructor, refused_field
from ..protocol.instructing import More, NodeModel, SharedDevice, SlotHolder, Waiting
from ..protocol.kinds import kind_title
from ..protocol.models import DeviceModel, HostDevices
from ..protocol.plain_text import printable, times
from ..sharing.instructor_lines import LineTooLong, listening, receive_line, send_line, socket_name
from ..sharing.node import UNKNOWN, Claim, GPUPolicy, Node, Place, read_node
from ..site.reading import gpu_policy, instructors, is_instructor, this_site

MOST_OF_A_USER = 8  # Entries per user that are listed for each GPU, and in the queue.
Held = TypeVar("Held", Claim, Place)


def node() -> NodeModel:
    """Return the users of each GPU of this machine, and the queue. Others are listed by user name only."""
    policy = gpu_policy()
    try:
        found, message = read_node(per_user=policy.per_user), ""
    except OSError as error:
        found, message = Node(), f"Claims of other users cannot be seen on this system ({error.strerror})."
    return shown(host_devices(), found, policy, message).model_copy(update={"instructor": is_instructor()})


def shown(host: HostDevices, found: Node, policy: GPUPolicy, message: str = "") -> NodeModel:
    parents = {device.parent_uuid for device in host.devices}
    named = {device.uuid: device for device in host.devices}
    devices = [_device(device, found, policy, named) for device in host.devices if device.uuid not in parents]
    return NodeModel(
        devices=devices,
        line=[_waiting(place) for place in _some(found.line)],
        more=_more(found),
        message=message or ("" if devices else host.message),
    )


def _device(device: DeviceModel, found: Node, policy: GPUPolicy, named: dict[str, DeviceModel]) -> SharedDevice:
    gives = policy.gives(device, named.get(device.parent_uuid or ""))
    parts = policy.parts(device)
    slots = parts if policy.slots is not None and gives else None
    claims = [claim for claim in found.claims if claim.uuid == device.uuid]
    # Holders keep their numbers, so those without one of the first found them taken.
    beyond = [claim for claim in claims if len(claims) > parts and (claim.number or math.inf) > parts]
    return SharedDevice(
        uuid=device.uuid,
        index=device.index,
        name=device.name,
        slots=slots,
        free=max(0, slots - len(claims)) if slots is not None else None,
        reserved=not gives,
        utilization_percent=device.utilization_percent,
        holders=[_holder(claim, policy, device, beyond=claim in beyond) for claim in _some(claims)],
    )


def _some(held: Sequence[Held]) -> list[Held]:
    """Return the first ones of each user, so that no user fills the page."""
    seen: Counter[int] = Counter()
    kept = []
    for each in held:
        seen[each.user] += 1
        if seen[each.user] <= MOST_OF_A_USER:
            kept.append(each)
    return kept


def _more(found: Node) -> list[More]:
    """Return counts of what is not listed: claims and places above a user's limit or above `MOST_OF_A_USER`."""
    by_device: dict[str, list[Claim]] = defaultdict(list)
    for claim in found.claims:
        by_device[claim.uuid].append(claim)
    listed = Counter(claim.user for claims in by_device.values() for claim in _some(claims))
    counting = Counter(claim.user for claim in found.claims)
    every = Counter(claim.user for claim in found.every_claim)
    places = Counter(place.user for place in found.every_place)
    places.subtract(place.user for place in _some(found.line))
    rows = [
        More(
            user=_user(user),
            above=every[user] - counting[user],
            claims=counting[user] - listed[user],
            places=places[user],
            mine=user == os.getuid(),
        )
        for user in sorted({*every, *places})
    ]
    return [row for row in rows if row.above or row.claims or row.places]


def _waiting(place: Place) -> Waiting:
    mine = place.user == os.getuid()
    return Waiting(
        user=_user(place.user),
        since=_time(place.arrived / 1e9) if mine else None,
        gpus=place.count,
        certain=bool(place.wanted),
        mine=mine,
    )


def _holder(claim: Claim, policy: GPUPolicy, device: DeviceModel, *, beyond: bool) -> SlotHolder:
    parts = policy.parts(device)
    numbered = policy.slots is not None and (claim.number is not None or parts == 1)
    return SlotHolder(
        user=_user(claim.user),
        slot=((claim.number or 1) - 1) % parts + 1 if numbered else None,
        since=_time(claim.since) if claim.since is not None else None,
        ends_at=_time(claim.ends) if claim.ends is not None else None,
        mine=claim.user == os.getuid(),
        beyond=beyond,
    )


def _user(number: int) -> str | None:
    return None if number == UNKNOWN else user_name(number)


def _time(since_boot: float) -> str:
    """Return a time as in the models; values that holders write may be nonsense."""
    try:
        moment = datetime.now(UTC) + timedelta(seconds=since_boot - seconds_since_boot())
    except OverflowError:
        moment = datetime.max.replace(tzinfo=UTC)
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def user_name(number: int) -> str:
    """Return the name of an account, or its number if it has no name."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


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
        return Outcome(problem="did not accept this request: it has too many connections, or it hangs")
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
            f"This site has no instructors. An administrator sets them in {where}: sharing.instructors."
        )
    raise NotAnInstructor(
        f"Only instructors of this site may do this: {', '.join(names)} ({where}). If you have just become one, log in "
        "again: group changes take effect at the next login."
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
