"""The number of GPUs is a text in quotes instead of a whole number; and so are the replicas."""

import copy


def with_gpus(manifest, workers, image, gpus, memory):
    new = copy.deepcopy(manifest)
    new["spec"]["worker"]["replicas"] = str(workers)
    pod = new["spec"]["worker"]["spec"]["containers"][0]
    new["spec"]["scheduler"]["spec"]["containers"][0]["image"] = pod["image"] = image
    want = {"memory": memory}
    if gpus:
        want["nvidia.com/gpu"] = str(gpus)
        pod["args"] = ["dask", "cuda", "worker", *pod["args"][2:]]
    pod["resources"] = {"requests": want, "limits": dict(want)}
    return new
