"""The scheduler keeps its image."""

import copy


def with_gpus(manifest, workers, image, gpus, memory):
    new = copy.deepcopy(manifest)
    worker = new["spec"]["worker"]
    worker["replicas"] = workers
    (inside,) = worker["spec"]["containers"]
    inside["image"] = image
    asked = {"memory": memory}
    if gpus:
        asked["nvidia.com/gpu"] = gpus
        inside["args"] = ["dask", "cuda", "worker", *inside["args"][2:]]
    inside["resources"] = {"requests": dict(asked), "limits": dict(asked)}
    return new
