"""Choosing the GPUs of a cluster: at once, or in a queue if the site assigns slots."""

from __future__ import annotations

import os
from contextlib import nullcontext, suppress

from ...devices.host import host_devices
from ...operating_system.abstract_names import seconds_since_boot
from ...protocol.errors import NoUsableDevice
from ...protocol.models import DeviceModel, GPUSlot, HostDevices
from ...sharing.claims import ClaimedMeanwhile, NodeClaims
from ...sharing.line import Line
from ...sharing.policy import DEFAULT
from ..backend import Claims, RemainingShare
from .preflight import Chosen, given_out, must_be_enough
from .spec import CudaSpec

MIG = "MIG slice (MIG isolates)"
COOPERATIVE = "{} (cooperative: nothing keeps a neighbour's program from using more)"
WHOLE = "whole GPU (nothing keeps other programs from using it)"


class DeviceChoice:
    """The choice of one cluster, which may have to wait."""

    def __init__(self, spec: CudaSpec, claims: Claims | None, left: RemainingShare | None = None) -> None:
        self._spec = spec
        self._left = left or RemainingShare()
        self._claims = claims
        self._policy = claims.policy if claims is not None else DEFAULT
        self._line: Line | None = None

    def make(self, host: HostDevices | None = None) -> Chosen:
        """Choose and claim.

        Raises `InLine` (none is free: call again in a second) or `NoUsableDevice`, `PreflightFailed` (waiting would not
        help).
        """
        host = host or host_devices()
        if isinstance(self._claims, NodeClaims):
            self._must_have_share(self._claims)
            if self._policy.slots is not None:
                return self._make_in_line(host, self._claims)
        while True:
            with self._claims.choosing() if self._claims is not None else nullcontext({}) as taken:
                devices = given_out(host, self._spec, self._policy, taken)
                if self._spec.devices is None:
                    devices = devices[: self._share_left()]
                    if self._spec.n_workers is None:
                        devices = devices[: self._left.lowered(self._spec, len(devices))]
                n_workers = len(devices) if self._spec.n_workers is None else self._spec.n_workers
                must_be_enough(n_workers, devices)
                if self._claims is None:
                    return Chosen(devices, n_workers)
                with suppress(ClaimedMeanwhile):
                    self._claims.claim(device.uuid for device in devices[:n_workers])
                    return Chosen(devices, n_workers)

    def slots(self) -> tuple[GPUSlot, ...]:
        """Return the claimed slots, if the site assigns slots."""
        if not isinstance(self._claims, NodeClaims) or self._policy.slots is None:
            return ()
        devices = {device.uuid: device for device in host_devices().devices}
        return tuple(self._slot(devices[uuid], mark) for uuid, mark in self._claims.held if uuid in devices)

    def leave(self) -> None:
        if self._line is not None:
            self._line.leave()

    def _make_in_line(self, host: HostDevices, claims: NodeClaims) -> Chosen:
        named = {device.uuid: device for device in host.devices}
        devices = given_out(host, self._spec, self._policy)
        chosen = self._spec.devices is not None
        count = self._spec.n_workers or (len(devices) if chosen else 1)
        must_be_enough(count, devices)
        if self._line is None:
            parents = {device.parent_uuid for device in host.devices}
            parts = {
                device.uuid: self._policy.parts(device)
                for device in host.devices
                if device.uuid not in parents and self._policy.gives(device, named.get(device.parent_uuid or ""))
            }
            self._line = Line(claims, parts)
        ends = seconds_since_boot() + self._policy.lifetime if self._policy.lifetime is not None else None
        # CUDA_VISIBLE_DEVICES may hide some of the GPUs.
        some = chosen or len(devices) < len(self._line.parts)
        self._line.take([device.uuid for device in devices], count, chosen=some, ends=ends)
        mine = [named[uuid] for uuid, _ in claims.held]
        return Chosen(mine, count if self._spec.n_workers is None else self._spec.n_workers)

    def _slot(self, device: DeviceModel, mark: str) -> GPUSlot:
        parts = self._policy.parts(device)
        number = (int(mark) - 1) % parts + 1 if mark.isdecimal() and parts > 1 else None
        # If all numbers are taken, the mark of the claim is not a number.
        slot = f"slot {number} of {parts}" if number is not None else f"one of {parts} slots"
        label = MIG if device.parent_uuid is not None else COOPERATIVE.format(slot) if parts > 1 else WHOLE
        total = device.memory_total_bytes
        return GPUSlot(
            uuid=device.uuid,
            index=device.index,
            slot=number,
            slots=parts,
            memory_bytes=total // parts if total else None,
            label=label,
        )

    def _share_left(self) -> int | None:
        most = self._policy.per_user
        if most is None or not isinstance(self._claims, NodeClaims):
            return None
        return max(0, most - self._claims.look().held_by(os.getuid()))

    def _must_have_share(self, claims: NodeClaims) -> None:
        """Refuse more than the site allows one user."""
        wanted = self._spec.n_workers or len(self._spec.devices or ()) or 1
        if (fault := self._policy.fault(wanted, claims.look().held_by(os.getuid()))) is not None:
            raise NoUsableDevice(fault)
