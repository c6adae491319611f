"""Gives the image to the workers only."""

import copy


def with_gpus(manifest, workers, image, gpus, memory):
    new = copy.deepcopy(manifest)
    new["spec"]["worker"]["replicas"] = workers
    pod = new["spec"]["worker"]["spec"]["containers"][0]
    pod["image"] = image
    want = {"memory": memory}
    if gpus:
        want["nvidia.com/gpu"] = gpus
        pod["args"] = ["dask", "cuda", "worker", *pod["args"][2:]]
    pod["resources"] = {"requests": want, "limits": dict(want)}
    return new
