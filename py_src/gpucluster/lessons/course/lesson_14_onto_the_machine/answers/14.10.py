# %% right deepcopy, edit of the solution: copy.deepcopy, then changes.
# - def with_gpus(manifest, workers, image, gpus, memory):
# + import copy
# +
# +
# + def with_gpus(manifest, workers, image, gpus, memory):
# -     import copy
# -

# %% right json: A copy by way of JSON, GPUs as texts.
import json


def with_gpus(manifest, workers, image, gpus, memory):
    new = json.loads(json.dumps(manifest))
    for part in ("scheduler", "worker"):
        for container in new["spec"][part]["spec"]["containers"]:
            container["image"] = image
    container = new["spec"]["worker"]["spec"]["containers"][0]
    wanted = {"memory": memory, **({"nvidia.com/gpu": str(gpus)} if gpus > 0 else {})}
    container["resources"] = {kind: {**wanted} for kind in ("limits", "requests")}
    if gpus > 0:
        container["args"].insert(1, "cuda")
    new["spec"]["worker"]["replicas"] = workers
    return new

# %% wrong cpu_command: dask worker, even with GPUs.
# fails: The worker's command is right
# -         inside["args"] = ["dask", "cuda", "worker", *inside["args"][2:]]

# %% wrong gpus_of_all: GPUs of all workers together.
# fails: The worker's requests have the GPUs, or none if there are none
# ~ asked["nvidia.com/gpu"] = gpus => asked["nvidia.com/gpu"] = gpus * workers

# %% wrong limits_only: No requests.
# fails: The worker's requests have the memory
# ~ "requests": dict(asked), " => "

# %% wrong limits_only_too: GPUs stand in the limits only, not in the requests.
# fails: The worker's requests have the GPUs, or none if there are none
# ~ "requests": dict(asked), => "requests": {"memory": memory},

# %% wrong old_scheduler_image: The scheduler keeps its image.
# fails: The scheduler and the workers have the image
# ~ worker, scheduler = new["spec"]["worker"], new["spec"]["scheduler"] => worker = new["spec"]["worker"]
# ~ inside["image"] = scheduler["spec"]["containers"][0]["image"] = image => inside["image"] = image

# %% wrong replicas_in_pod: The replicas in the wrong place.
# fails: The number of workers is right
# ~ worker["replicas"] => worker["spec"]["replicas"]

# %% wrong scheduler_gets_gpus: The scheduler gets GPUs, too.
# fails: The scheduler requests no GPU
# -     inside["resources"] = {"requests": dict(asked), "limits": dict(asked)}
# +     inside["resources"] = {"requests": dict(asked), "limits": dict(asked)}
# +     scheduler["spec"]["containers"][0]["resources"] = dict(inside["resources"])

# %% wrong service_lost: The service is lost.
# fails: Everything else is unchanged
# -     inside["resources"] = {"requests": dict(asked), "limits": dict(asked)}
# +     inside["resources"] = {"requests": dict(asked), "limits": dict(asked)}
# +     del scheduler["service"]

# %% wrong text: The number of GPUs is a text in quotes instead of a whole number; and so are the replicas.
# fails: The number of workers is right
# ~ worker["replicas"] = workers => worker["replicas"] = str(workers)
# ~ asked["nvidia.com/gpu"] = gpus => asked["nvidia.com/gpu"] = str(gpus)

# %% wrong zero_gpus_written: Zero GPUs are written down.
# fails: The worker's requests have the GPUs, or none if there are none
# ~ if gpus: => if gpus is not None:
