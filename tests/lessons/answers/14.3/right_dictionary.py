"""Directives from a dictionary, time with days."""


def worker_script(site, job):
    days, minutes = divmod(job["minutes"], 24 * 60)
    asked = {
        "nodes": job["nodes"],
        "ntasks-per-node": 1,
        "partition": site["partition"],
        "account": site["account"],
        "time": f"{days}-{minutes // 60:02}:{minutes % 60:02}:00",
        "cpus-per-task": job["cores"],
    }
    worker = ["dask", "worker", "--nthreads", str(job["cores"])]
    if job["gpus"] > 0:
        asked |= {"gres": f"gpu:{job['gpus']}", "cpus-per-task": site["cores_per_gpu"] * job["gpus"]}
        worker = ["dask", "cuda", "worker"]
    head = [f"#SBATCH --{name}={value}" for name, value in sorted(asked.items())]
    loads = ["module purge", *(f"module load {one}" for one in site["modules"])]
    last = " ".join(["srun", "--cpu-bind=none", *worker, "--scheduler-file", job["scheduler_file"]])
    return "\n".join(["#!/bin/bash", *head, *loads, site["activate"], last, ""])
