"""Style: through YAML text and back, insert into the list."""

import yaml


def with_gpus(manifest, workers, image, gpus, memory):
    result = yaml.safe_load(yaml.safe_dump(manifest))
    for part in ("scheduler", "worker"):
        for container in result["spec"][part]["spec"]["containers"]:
            container["image"] = image
    result["spec"]["worker"].update(replicas=workers)
    container = result["spec"]["worker"]["spec"]["containers"][0]
    wanted = {"memory": memory}
    if gpus != 0:
        wanted["nvidia.com/gpu"] = gpus
        container["args"].insert(1, "cuda")
    container["resources"] = {"requests": dict(wanted), "limits": dict(wanted)}
    return result
