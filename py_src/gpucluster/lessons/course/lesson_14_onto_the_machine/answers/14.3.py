# %% right d_short_options: Short options of sbatch, with spaces; times with days.
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

# %% right short_options: Style: a list of lines, short options with a space, two on a line, time in minutes.
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

# %% right template: A template, hours and minutes, short options.
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

# %% wrong blank_first, edit of right template: A triple-quoted text begins with a line break, so "#!/bin/bash" is the second line.
# fails: The first line is #!/bin/bash
# -     return f"""#!/bin/bash
# +     return f"""
# + #!/bin/bash

# %% wrong cores_of_one_gpu: The cores of one GPU only.
# fails: It requests the right cpus-per-task
# ~ gpus * site["cores_per_gpu"] or job["cores"] => site["cores_per_gpu"] if gpus else job["cores"]

# %% wrong cpu_workers_on_gpus: dask worker, even with GPUs.
# fails: dask cuda worker is used with GPUs, dask worker without
# ~ "cuda worker" if gpus => "worker" if gpus

# %% wrong day_lost: More than a day is cut off.
# fails: It requests the right time
# ~ -t {days}-{hours => -t 0-{hours

# %% wrong modules_sorted: Modules in the order of the alphabet.
# fails: It loads the site's modules, in order
# ~ in site["modules"] => in sorted(site["modules"])

# %% wrong old_command: dask-cuda-worker.
# fails: The last line starts workers with srun
# ~ srun dask {worker} => srun {'dask-cuda-worker' if gpus else 'dask ' + worker}

# %% wrong zero_gpus_asked: gres=gpu:0 for CPU workers.
# fails: It requests GPUs only if there are some
# ~ " * bool(gpus) => "

# %% wrong hard_coded: The account of the example.
# fails: It requests the right account
# ~ -A {site["account"]} => -A my_project

# %% wrong modules_first: Directives stand below the modules.
# fails: It requests the right partition
# -         #SBATCH -p {site["partition"]}
# +         module load {" ".join(site["modules"])}
# +         #SBATCH -p {site["partition"]}

# %% wrong not_activated: Without the environment.
# fails: It activates the site's environment before the workers
# -     head += site["activate"] + "\n"

# %% wrong task_per_gpu: A task for each GPU, and dask-cuda in each of them.
# fails: It requests the right ntasks-per-node
# ~ --ntasks-per-node 1 => --ntasks-per-node {max(gpus, 1)}
