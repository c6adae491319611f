"""The worker's command becomes "dask cuda worker" alone: what follows is lost."""

import copy


def with_gpus(manifest, workers, image, gpus, memory):
    new = copy.deepcopy(manifest)
    new["spec"]["worker"]["replicas"] = workers
    pod = new["spec"]["worker"]["spec"]["containers"][0]
    new["spec"]["scheduler"]["spec"]["containers"][0]["image"] = pod["image"] = image
    want = {"memory": memory}
    if gpus:
        want["nvidia.com/gpu"] = gpus
        pod["args"] = ["dask", "cuda", "worker"]
    pod["resources"] = {"requests": want, "limits": dict(want)}
    return new
