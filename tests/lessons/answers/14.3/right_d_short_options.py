"""Short options of sbatch, with spaces; times with days."""

from textwrap import dedent


def worker_script(site, job):
    hours, minutes = divmod(job["minutes"], 60)
    days, hours = divmod(hours, 24)
    gpus = job["gpus"]
    cores = gpus * site["cores_per_gpu"] or job["cores"]
    head = dedent(f"""\
        #!/bin/bash
        #SBATCH -p {site["partition"]}
        #SBATCH -A {site["account"]}
        #SBATCH -N {job["nodes"]}
        #SBATCH --ntasks-per-node 1
        #SBATCH -c {cores}
        #SBATCH -t {days}-{hours:02}:{minutes:02}:00
        """)
    head += f"#SBATCH --gres gpu:{gpus}\n" * bool(gpus)
    for name in site["modules"]:
        head += f"module load {name}\n"
    head += site["activate"] + "\n"
    worker = "cuda worker" if gpus else f"worker --nthreads {cores}"
    return head + f"srun dask {worker} --scheduler-file {job['scheduler_file']}"
