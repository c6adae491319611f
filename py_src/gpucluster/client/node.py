"""``gpucluster.node``: the users of this machine's GPUs, and the queue."""

from __future__ import annotations

import math
import os
import pwd
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from ..devices.host import host_devices
from ..operating_system.abstract_names import seconds_since_boot
from ..protocol.instructing import More, NodeModel, SharedDevice, SlotHolder, Waiting
from ..protocol.models import DeviceModel, HostDevices
from ..sharing.node import NOBODY, Claim, Node, Place, read_node
from ..sharing.policy import GPUPolicy
from ..site.instructors import is_instructor
from ..site.reading import gpu_policy

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
    return None if number == NOBODY else user_name(number)


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
