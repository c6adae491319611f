"""One user's process that chooses GPUs: it reads commands and writes its GPUs as lines of JSON."""

import json
import sys
import time

from gpucluster.backends.cuda.backend import DeviceChoice
from gpucluster.backends.cuda.spec import CudaSpec
from gpucluster.protocol.models import DeviceModel, HostDevices
from gpucluster.sharing.claims import NodeClaims


def host(n_gpus: int) -> HostDevices:
    """Return a machine with idle GPUs."""
    devices = [
        DeviceModel(uuid=f"GPU-{number}", index=number, name="Fake A16", memory_total_bytes=16 * 2**30)
        for number in range(n_gpus)
    ]
    return HostDevices(available=True, message="", code="ok", devices=devices)


def main() -> None:
    """Choose and release until the input ends."""
    claims = NodeClaims()
    print("ready", flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        if command["do"] == "release":
            claims.release()
            answer: list[str] = []
        else:
            time.sleep(max(0.0, command["at"] - time.time()))  # all at the same moment
            spec = CudaSpec(n_workers=command["n_workers"], devices=command.get("devices"))
            devices, n_workers = DeviceChoice(spec, claims).make(host(command["gpus"]))
            answer = [device.uuid for device in devices[:n_workers]]
        print(json.dumps(answer), flush=True)


main()
