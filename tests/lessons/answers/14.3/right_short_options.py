"""Style: a list of lines, short options with a space, two on a line, time in minutes."""


def worker_script(site, job):
    gpus = job["gpus"]
    lines = ["#!/bin/bash"]
    lines += [f"#SBATCH -p {site['partition']} -A {site['account']}", f"#SBATCH -N {job['nodes']} --ntasks-per-node 1"]
    if gpus:
        lines += [f"#SBATCH -c {gpus * site['cores_per_gpu']} --gres gpu:{gpus}"]
    else:
        lines += [f"#SBATCH -c {job['cores']}"]
    lines += [f"#SBATCH -t {job['minutes']}", ""]
    lines += [f"module load {name}" for name in site["modules"]]
    lines += [site["activate"], ""]
    start = ["srun", "dask"] + (["cuda"] if gpus else []) + ["worker", "--scheduler-file", job["scheduler_file"]]
    if not gpus:
        start += ["--nthreads", str(job["cores"])]
    return "\n".join(lines + [" ".join(start)])
