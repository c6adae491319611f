"""Style: f-string template, time as D-HH:MM:SS, comments in between."""


def worker_script(site, job):
    days, rest = divmod(job["minutes"], 24 * 60)
    hours, minutes = divmod(rest, 60)
    cuda = job["gpus"] > 0
    cores = site["cores_per_gpu"] * job["gpus"] if cuda else job["cores"]
    gres = f"\n#SBATCH --gres=gpu:{job['gpus']}" if cuda else ""
    modules = "".join(f"module load {name}\n" for name in site["modules"])
    program = "dask cuda worker" if cuda else "dask worker"
    threads = "" if cuda else f" --nthreads {cores}"
    return f"""#!/bin/bash
# what we ask for
#SBATCH --partition={site["partition"]}
#SBATCH --account={site["account"]}
#SBATCH --nodes={job["nodes"]}
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task={cores}{gres}
#SBATCH --time={days}-{hours:02d}:{minutes:02d}:00

# the site's software
{modules}{site["activate"]}

# one worker program on each node
srun {program} --scheduler-file {job["scheduler_file"]}{threads}
"""
