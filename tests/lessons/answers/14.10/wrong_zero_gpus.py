"""Writes nvidia.com/gpu: 0 where there are no GPUs."""

import copy


def with_gpus(manifest, workers, image, gpus, memory):
    new = copy.deepcopy(manifest)
    new["spec"]["worker"]["replicas"] = workers
    pod = new["spec"]["worker"]["spec"]["containers"][0]
    new["spec"]["scheduler"]["spec"]["containers"][0]["image"] = pod["image"] = image
    want = {"memory": memory, "nvidia.com/gpu": gpus}
    if gpus:
        pod["args"] = ["dask", "cuda", "worker", *pod["args"][2:]]
    pod["resources"] = {"requests": want, "limits": dict(want)}
    return new
