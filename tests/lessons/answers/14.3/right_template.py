"""A template, hours and minutes, short options."""


def worker_script(site, job):
    gpus = job["gpus"]
    cores = gpus * site["cores_per_gpu"] or job["cores"]
    hours, minutes = divmod(job["minutes"], 60)
    modules = f"module load {' '.join(site['modules'])}\n" if site["modules"] else ""
    worker = f"dask cuda worker --scheduler-file={job['scheduler_file']}"
    if not gpus:
        worker = f"dask worker --nthreads={cores} --scheduler-file={job['scheduler_file']}"
    return f"""#!/bin/bash
#SBATCH -p {site["partition"]} -A {site["account"]}
#SBATCH -N {job["nodes"]} --ntasks-per-node 1 -c {cores}
#SBATCH -t {hours:02d}:{minutes:02d}:00
{f"#SBATCH --gres gpu:{gpus}" if gpus else "# no GPUs"}

set -e
{modules}{site["activate"]}
srun {worker}
"""
