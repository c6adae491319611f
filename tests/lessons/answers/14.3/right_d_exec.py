"""Blank lines and comments between the parts, long options with an equals sign."""


def worker_script(site, job):
    def directive(name, value):
        return f"#SBATCH --{name}={value}"

    with_gpus = job["gpus"] > 0
    cores = job["gpus"] * site["cores_per_gpu"] if with_gpus else job["cores"]
    wanted = {
        "time": f"{job['minutes'] // 60:02d}:{job['minutes'] % 60:02d}:00",
        "cpus-per-task": cores,
        "ntasks-per-node": 1,
        "nodes": job["nodes"],
        "account": site["account"],
        "partition": site["partition"],
    }
    if with_gpus:
        wanted["gres"] = f"gpu:{job['gpus']}"
    parts = ["#!/bin/bash", *(directive(*pair) for pair in wanted.items()), "", "# software"]
    parts += [f"module load {module}" for module in site["modules"]]
    parts += [site["activate"], "", "# one process per node"]
    if with_gpus:
        parts.append(f"srun dask cuda worker --scheduler-file={job['scheduler_file']}")
    else:
        parts.append(f"srun dask worker --scheduler-file={job['scheduler_file']} --nthreads={cores}")
    return "\n".join(parts)
