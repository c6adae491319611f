"""By way of YAML's text."""

import yaml


def with_gpus(manifest, workers, image, gpus, memory):
    new = yaml.safe_load(yaml.safe_dump(manifest))
    pods = {name: new["spec"][name]["spec"]["containers"][0] for name in ("worker", "scheduler")}
    for pod in pods.values():
        pod.update(image=image)
    text = f"memory: {memory}" + (f", nvidia.com/gpu: {gpus}" if gpus else "")
    pods["worker"]["resources"] = yaml.safe_load(f"requests: {{{text}}}\nlimits: {{{text}}}")
    if gpus:
        pods["worker"]["args"] = ["dask", "cuda", "worker"] + pods["worker"]["args"][2:]
    new["spec"]["worker"]["replicas"] = workers
    return new
