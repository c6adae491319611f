"""``gpucluster.node``: who has which GPU of this machine, and who waits for one."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

from ..devices.host import host_devices
from ..operating_system.abstract_names import seconds_since_boot
from ..protocol.models import DeviceModel, HostDevices
from ..protocol.node import NodeModel, SharedDevice, SlotHolder, Waiting
from ..sharing.node import NOBODY, Claim, Node, read_node
from ..sharing.policy import GPUPolicy
from ..site.gpus import gpu_policy
from ..site.instructors import is_instructor
from .account import user_name


def node() -> NodeModel:
    """Return who has which GPU of this machine, and who stands in line. Others are told by their user name only.

    Returns
    -------
    NodeModel
    """
    policy = gpu_policy()
    try:
        found, message = read_node(per_user=policy.per_user), ""
    except OSError as error:
        found, message = Node(), f"Claims of other users cannot be seen on this system ({error.strerror})."
    return shown(host_devices(), found, policy, message).model_copy(update={"instructor": is_instructor()})


def shown(host: HostDevices, found: Node, policy: GPUPolicy, message: str = "") -> NodeModel:
    """Return what people may see of a machine."""
    parents = {device.parent_uuid for device in host.devices}
    named = {device.uuid: device for device in host.devices}
    devices = [_device(device, found, policy, named) for device in host.devices if device.uuid not in parents]
    line = [
        Waiting(
            user=_user(place.user),
            since=_time(place.arrived / 1e9),
            gpus=place.count,
            certain=bool(place.wanted),
            mine=place.user == os.getuid(),
        )
        for place in found.line
    ]
    return NodeModel(devices=devices, line=line, message=message or ("" if devices else host.message))


def _device(device: DeviceModel, found: Node, policy: GPUPolicy, named: dict[str, DeviceModel]) -> SharedDevice:
    gives = policy.gives(device, named.get(device.parent_uuid or ""))
    return SharedDevice(
        uuid=device.uuid,
        index=device.index,
        name=device.name,
        slots=policy.parts(device) if policy.slots is not None and gives else None,
        reserved=not gives,
        utilization_percent=device.utilization_percent,
        holders=[
            _holder(claim, policy, device, claim in found.claims)
            for claim in found.every_claim
            if claim.uuid == device.uuid
        ],
    )


def _holder(claim: Claim, policy: GPUPolicy, device: DeviceModel, counts: bool) -> SlotHolder:
    parts = policy.parts(device)
    numbered = policy.slots is not None and claim.number is not None
    return SlotHolder(
        user=_user(claim.user),
        slot=((claim.number or 1) - 1) % parts + 1 if numbered else None,
        since=_time(claim.since) if claim.since is not None else None,
        ends_at=_time(claim.ends) if claim.ends is not None else None,
        mine=claim.user == os.getuid(),
        counts=counts,
    )


def _user(number: int) -> str | None:
    return None if number == NOBODY else user_name(number)


def _time(since_boot: float) -> str:
    """Return a time as models tell it; what a holder says may be nonsense."""
    try:
        moment = datetime.now(UTC) + timedelta(seconds=since_boot - seconds_since_boot())
    except OverflowError:
        moment = datetime.max.replace(tzinfo=UTC)
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
