"""The scheduler gets the same resources, with GPUs."""

import copy


def with_gpus(manifest, workers, image, gpus, memory):
    new = copy.deepcopy(manifest)
    new["spec"]["worker"]["replicas"] = workers
    want = {"memory": memory}
    if gpus:
        want["nvidia.com/gpu"] = gpus
    for part in ("scheduler", "worker"):
        pod = new["spec"][part]["spec"]["containers"][0]
        pod["image"] = image
        pod["resources"] = {"requests": dict(want), "limits": dict(want)}
    if gpus:
        pod["args"] = ["dask", "cuda", "worker", *pod["args"][2:]]
    return new
