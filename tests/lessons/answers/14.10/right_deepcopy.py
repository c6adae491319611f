"""copy.deepcopy, then changes."""

import copy


def with_gpus(manifest, workers, image, gpus, memory):
    new = copy.deepcopy(manifest)
    worker, scheduler = new["spec"]["worker"], new["spec"]["scheduler"]
    worker["replicas"] = workers
    (inside,) = worker["spec"]["containers"]
    inside["image"] = scheduler["spec"]["containers"][0]["image"] = image
    asked = {"memory": memory}
    if gpus:
        asked["nvidia.com/gpu"] = gpus
        inside["args"] = ["dask", "cuda", "worker", *inside["args"][2:]]
    inside["resources"] = {"requests": dict(asked), "limits": dict(asked)}
    return new
