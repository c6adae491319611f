"""GPUs stand in the limits only, not in the requests."""

import copy


def with_gpus(manifest, workers, image, gpus, memory):
    new = copy.deepcopy(manifest)
    new["spec"]["worker"]["replicas"] = workers
    pod = new["spec"]["worker"]["spec"]["containers"][0]
    new["spec"]["scheduler"]["spec"]["containers"][0]["image"] = pod["image"] = image
    pod["resources"] = {"requests": {"memory": memory}, "limits": {"memory": memory}}
    if gpus:
        pod["resources"]["limits"]["nvidia.com/gpu"] = gpus
        pod["args"] = ["dask", "cuda", "worker", *pod["args"][2:]]
    return new
