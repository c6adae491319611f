"""A process of one user that chooses GPUs when it is told: a line of JSON with what to do, one with what it has."""

from __future__ import annotations

import json
import sys
import time

from gpucluster.backends.cuda.choice import DeviceChoice
from gpucluster.backends.cuda.spec import CudaSpec
from gpucluster.protocol.models import DeviceModel, HostDevices
from gpucluster.sharing.claims import NodeClaims


def host(n_gpus: int) -> HostDevices:
    """Return a machine whose GPUs all look idle."""
    devices = [
        DeviceModel(uuid=f"GPU-{number}", index=number, name="Fake A16", memory_total_bytes=16 * 2**30)
        for number in range(n_gpus)
    ]
    return HostDevices(available=True, message="", code="ok", devices=devices)


def main() -> None:
    """Choose, release, until there is nothing more to read."""
    claims = NodeClaims()
    print("ready", flush=True)
    for line in sys.stdin:
        told = json.loads(line)
        if told["do"] == "release":
            claims.release()
            answer: list[str] = []
        else:
            time.sleep(max(0.0, told["at"] - time.time()))  # All at the same moment.
            spec = CudaSpec(n_workers=told["n_workers"], devices=told.get("devices"))
            devices, n_workers = DeviceChoice(spec, claims).make(host(told["gpus"]))
            answer = [device.uuid for device in devices[:n_workers]]
        print(json.dumps(answer), flush=True)


main()
