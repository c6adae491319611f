"""Print the messages about a cluster whose folder was closed or made read-only."""

import json
import os
from pathlib import Path

from gpucluster.backends.local import LocalSpec
from gpucluster.client.control import Control
from gpucluster.protocol.errors import GPUClusterError
from gpucluster.protocol.links import parse_link_request
from gpucluster.protocol.models import ClusterModel, ClusterState, Idle, Wanted
from gpucluster.registry.links import add_link
from gpucluster.registry.record import Record
from gpucluster.registry.store import Registry

registry = Registry(Path(os.environ["GPUCLUSTER_DIR"]))
folders = {}
for name in ("good", "dead"):
    folder, held = registry.new_folder()
    model = ClusterModel(
        id=folder.id, name=name, backend="local", state=ClusterState.RUNNING, wanted=Wanted(), idle=Idle(),
        python="python", created_at=f"2026-01-0{len(folders) + 1}T00:00:00Z", spec=LocalSpec(),
    )  # fmt: skip
    registry.write(folder, Record(kind="cluster", cluster=model))
    folders[name] = folder, held


def refusal(do: object, *words: object) -> str:
    try:
        do(*words)  # type: ignore[operator]
    except GPUClusterError as error:
        return error.message
    return ""


dead, held = folders["dead"]
messages: dict[str, object] = {"folder": str(dead.path)}
os.chmod(dead.path, 0)
messages["closed"] = [[model.name, model.state.value, model.notice] for model in registry.list()][::-1]
messages["stopped"] = refusal(Control(registry.directory).stop, dead.id)
registry.sweep()
os.close(held)
messages["refused"] = refusal(registry.remove, dead.id)
os.chmod(dead.path, 0o500)
found = next(model for model in registry.list() if model.id == dead.id)
messages["read_only"] = [found.name, found.state.value]
messages["written"] = json.loads(dead.state.read_text())["cluster"]["state"] == "failed"
messages["linked"] = refusal(add_link, dead, parse_link_request({"hours": 1}), None)
messages["removed"] = refusal(registry.remove, dead.id)
os.chmod(dead.path, 0o700)
print(json.dumps(messages))
