"""The account of the example."""


def worker_script(site, job):
    cores = job["gpus"] * site["cores_per_gpu"] if job["gpus"] else job["cores"]
    lines = ["#!/bin/bash"]
    lines.append(f"#SBATCH --partition={site['partition']}")
    lines.append("#SBATCH --account=my_project")
    lines.append(f"#SBATCH --nodes={job['nodes']}")
    lines.append("#SBATCH --ntasks-per-node=1")
    lines.append(f"#SBATCH --cpus-per-task={cores}")
    lines.append(f"#SBATCH --time={job['minutes']}")
    if job["gpus"]:
        lines.append(f"#SBATCH --gres=gpu:{job['gpus']}")
    for name in site["modules"]:
        lines.append(f"module load {name}")
    lines.append(site["activate"])
    file = job["scheduler_file"]
    if job["gpus"]:
        lines.append(f"srun dask cuda worker --scheduler-file {file}")
    else:
        lines.append(f"srun dask worker --scheduler-file {file} --nthreads {cores}")
    return "\n".join(lines)
