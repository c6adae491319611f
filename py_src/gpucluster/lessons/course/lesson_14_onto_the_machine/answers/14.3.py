"""Answers to exercise 14.3."""

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

# %% wrong blank_first: A triple-quoted text begins with a line break, so "#!/bin/bash" is the second line.
# fails: The first line is #!/bin/bash
# edit of right template
# -     return f"""#!/bin/bash
# +     return f"""
# + #!/bin/bash

# %% wrong cores_of_one_gpu: The cores of one GPU only.
# fails: It asks for the right cpus-per-task
# edit of the solution
# ~ cores = job["gpus"] * site["cores_per_gpu"] => cores = site["cores_per_gpu"]

# %% wrong cpu_workers_on_gpus: dask worker, also with GPUs.
# fails: dask cuda worker with GPUs, dask worker without
def worker_script(site, job):
    cores = job["gpus"] * site["cores_per_gpu"] if job["gpus"] else job["cores"]
    lines = ["#!/bin/bash"]
    lines.append(f"#SBATCH --partition={site['partition']}")
    lines.append(f"#SBATCH --account={site['account']}")
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
        lines.append(f"srun dask worker --scheduler-file {file}")
    else:
        lines.append(f"srun dask worker --scheduler-file {file} --nthreads {cores}")
    return "\n".join(lines)

# %% wrong day_lost: More than a day is cut off.
# fails: It asks for the right time
# edit of wrong cpu_workers_on_gpus
# ~ {job['minutes']} => {job['minutes'] // 60 % 24:02d}:{job['minutes'] % 60:02d}:00
# ~ worker --scheduler-file {file}" => cuda worker --scheduler-file {file}"

# %% wrong modules_sorted: Modules in the order of the alphabet.
# fails: It loads the site's modules, in their order
# edit of wrong cpu_workers_on_gpus
# ~ site["modules"] => sorted(site["modules"])
# ~ worker --scheduler-file {file}" => cuda worker --scheduler-file {file}"

# %% wrong old_command: dask-cuda-worker.
# fails: The last line starts workers with srun
# edit of wrong cpu_workers_on_gpus
# ~ dask worker --scheduler-file {file}" => dask-cuda-worker --scheduler-file {file}"

# %% wrong zero_gpus_asked: gres=gpu:0 for CPU workers.
# fails: It asks for GPUs where there are some, and only there
# edit of wrong day_lost
# -     lines.append(f"#SBATCH --time={job['minutes'] // 60 % 24:02d}:{job['minutes'] % 60:02d}:00")
# -     if job["gpus"]:
# +     lines.append(f"#SBATCH --time={job['minutes']}")
# +     if True:

# %% wrong hard_coded: The account of the example.
# fails: It asks for the right account
# edit of wrong modules_sorted
# ~ append(f"#SBATCH --account={site['account']}") => append("#SBATCH --account=my_project")
# ~ sorted(site["modules"]) => site["modules"]

# %% wrong modules_first: Directives stand below the modules.
# fails: It asks for the right partition
# edit of wrong modules_sorted
# ~ lines = ["#!/bin/bash"] => lines = ["#!/bin/bash", *(f"module load {name}" for name in site["modules"])]
# -     for name in sorted(site["modules"]):
# -         lines.append(f"module load {name}")

# %% wrong not_activated: Without the environment.
# fails: It activates the site's environment before the workers
# edit of wrong modules_sorted
# ~ sorted(site["modules"]) => site["modules"]
# -     lines.append(site["activate"])

# %% wrong task_per_gpu: A task for each GPU, and dask-cuda in each of them.
# fails: It asks for the right ntasks-per-node
# edit of wrong modules_sorted
# ~ append("#SBATCH --ntasks-per-node=1") => append(f"#SBATCH --ntasks-per-node={max(job['gpus'], 1)}")
# ~ sorted(site["modules"]) => site["modules"]
