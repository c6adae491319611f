"""Only what changes is made anew, by unpacking; the rest is copied."""

from copy import deepcopy


def with_gpus(manifest, workers, image, gpus, memory):
    spec = deepcopy(manifest["spec"])
    old = spec["worker"]["spec"]["containers"][0]
    amount = lambda: {"memory": memory} | ({"nvidia.com/gpu": gpus} if gpus else {})  # noqa: E731
    command = ["dask", "cuda", "worker"] if gpus else ["dask", "worker"]
    container = {
        **old,
        "image": image,
        "args": command + old["args"][2:],
        "resources": {"requests": amount(), "limits": amount()},
    }
    worker = {**spec["worker"], "replicas": workers, "spec": {**spec["worker"]["spec"], "containers": [container]}}
    spec["scheduler"]["spec"]["containers"][0]["image"] = image
    return {**deepcopy(manifest), "spec": {**spec, "worker": worker}}
