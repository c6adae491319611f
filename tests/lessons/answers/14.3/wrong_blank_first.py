"""A triple-quoted text begins with a line break, so "#!/bin/bash" is the second line."""


def worker_script(site, job):
    gpus = job["gpus"]
    cores = gpus * site["cores_per_gpu"] if gpus else job["cores"]
    gres = f"#SBATCH --gres=gpu:{gpus}\n" if gpus else ""
    modules = "".join(f"module load {m}\n" for m in site["modules"])
    start = "dask cuda worker" if gpus else "dask worker"
    threads = "" if gpus else f" --nthreads {cores}"
    return f"""
#!/bin/bash
#SBATCH --partition={site["partition"]}
#SBATCH --account={site["account"]}
#SBATCH --nodes={job["nodes"]}
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task={cores}
#SBATCH --time={job["minutes"]}
{gres}{modules}{site["activate"]}
srun {start} --scheduler-file {job["scheduler_file"]}{threads}
"""
