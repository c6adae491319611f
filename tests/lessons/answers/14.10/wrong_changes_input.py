"""Copies only the outermost dictionary: the given manifest changes."""


def with_gpus(manifest, workers, image, gpus, memory):
    new = dict(manifest)
    new["spec"]["worker"]["replicas"] = workers
    pod = new["spec"]["worker"]["spec"]["containers"][0]
    new["spec"]["scheduler"]["spec"]["containers"][0]["image"] = pod["image"] = image
    want = {"memory": memory}
    if gpus:
        want["nvidia.com/gpu"] = gpus
        pod["args"] = ["dask", "cuda", "worker", *pod["args"][2:]]
    pod["resources"] = {"requests": want, "limits": dict(want)}
    return new
