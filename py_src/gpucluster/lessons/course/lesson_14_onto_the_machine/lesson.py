# ---
# jupyter:
#   gpucluster:
#     lesson: "14"
#     title: "Onto the machine: Slurm, tunnels, containers, pods"
#     minutes: 145
#     needs: cpu
#     topics:
#       site: {title: "Login nodes, compute nodes, storage", link: "14#machine"}
#       batch-jobs: {title: Batch scripts and jobs, link: "14#slurm"}
#       starting: {title: Ways to start a cluster, link: "14#ways"}
#       allocation: {title: What an allocation costs, link: "14#allocation"}
#       tunnels: {title: "Jupyter on a node, the browser on a laptop", link: "14#tunnels"}
#       software: {title: "Modules, pip, conda: which software runs?", link: "14#software"}
#       containers: {title: Apptainer, link: "14#containers"}
#       pods: {title: Pods and Kubernetes, link: "14#kubernetes"}
#       frameworks: {title: "Dask, Spark, Ray", link: "14#frameworks"}
#     objectives:
#       - decide on which node of a site each step belongs
#       - read and write batch scripts, and start a cluster by hand
#       - calculate what an allocation costs, and how much of it was idle
#       - build the tunnel from a laptop to Jupyter on a node
#       - modernise an old installation, and prove what is imported
#       - translate from Docker to Apptainer, and write a manifest
#       - write one reduction for Dask, Spark and Ray
# ---

# %% [markdown]
# # Onto the machine: Slurm, tunnels, containers, pods
#
# **145 minutes** (50 of reading, 95 of writing) · you need: lesson 00 (scheduler, worker, client), and some experience with a shell
#
# If you have 70 minutes, do sections 1 to 4. In another 70, do sections 5 to 9, which only need the first two.
#
# After this lesson, you can
#
# * **decide** on which node of a site each step belongs;
# * **read** and **write** batch scripts, and **start** a cluster by hand;
# * **calculate** what an allocation costs, and how much of it was idle;
# * **build** the tunnel from a laptop to Jupyter on a node;
# * **modernise** an old installation, and **prove** what is imported;
# * **translate** from Docker to Apptainer, and **write** a manifest;
# * **write** one reduction for Dask, Spark and Ray.
#
# Work from top to bottom. Where you see `...`, it is your turn. `check("14.1", places)` checks your answer,
# `hint("14.1")` gives the next of three hints, and `solution("14.1")` shows a solution after the hints. Unless an exercise says otherwise, a function must not change its
# arguments, and must return the same result each time.
#
# **What is real here, and what is not.** If Slurm is available, the batch scripts of this lesson are submitted to it.
# Otherwise they are read and run as plain shell scripts. The scheduler and workers of section 3 are real processes,
# and the tunnel of section 5 carries real bytes, on this machine. There is no Kubernetes here, and Ray and Spark run
# only if they are installed: each cell shows this.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("14")

# %% [markdown]
# The output above shows what you are running on. `lab.client` is an ordinary Dask client. Without `lab`, you would write
# `client = Client(LocalCluster(n_workers=2))`. The rest of this notebook is the same everywhere.

# %% tags=["run"]
import shutil
import sys
import tempfile
from pathlib import Path

import yaml
from distributed import Client

from gpucluster import datasets
from gpucluster.lessons import check, compare, expect_failure, hint, predict, solution
from gpucluster.lessons.figures import site as figures
from gpucluster.lessons.material.batchscripts import SHORT
from gpucluster.lessons.material.installations import OLD_INSTALLATION, OLD_RUN, RULES
from gpucluster.lessons.material.jobqueue import jobqueue_script
from gpucluster.lessons.probes.batchsystem import BatchSystem
from gpucluster.lessons.probes.byhand import StartedByHand
from gpucluster.lessons.probes.dryrun import dry_run
from gpucluster.lessons.probes.forwarding import Forwarder, Page, page_at
from gpucluster.lessons.probes.frameworks import reduce_everywhere
from gpucluster.lessons.probes.software import fabric, imported_from, mpi_library
from gpucluster.lessons.simulations.controlloop import run_loop

FOLDER = Path(tempfile.mkdtemp(prefix="lesson-14-"))

# %% [markdown] anchor="machine"
# ## 1. The machine: three kinds of places
#
# A site such as [Leonardo](https://www.hpc.cineca.it/systems/hardware/leonardo/) has thousands of computers, called **nodes**, and you cannot simply use the next free one.
#
# * **Login nodes** are the only ones that you can reach from outside, by SSH. You share them with all users. Here you
#   edit, install and submit. Long calculations are killed.
# * **Compute nodes** do the work. A **batch system**, usually Slurm, allocates them to you for a limited time.
#   Leonardo's have 512 GiB of memory; those of its Booster also have four GPUs. On Leonardo they have **no connection
#   to the outside world**.
# * **Storage** is visible to all of them: a parallel file system (Lustre), with 5.7 PB of fast storage on Leonardo. A
#   file written on the login node is visible on every compute node. Storage holds what all parts share: environments,
#   data, and the file with the scheduler's address.
#
# The picture shows one possible connection per step. Click the numbers.

# %% tags=["run"]
figures.connections()

# %% [markdown]
# **Jupyter is two programs**: a *server*, which runs your notebooks' kernels, and the *browser*, which shows them. At
# a site they are on two machines: the server on a compute node, with memory and GPUs, and the browser on your laptop. Section 5 connects them.
#
# **Predict:** there are five steps: clone a repository, solve a conda environment (8 minutes on one core), train on a
# GPU, download 200 GB of data, plot a small table. How many of them can run on a compute node without a connection to
# the outside?

# %% tags=["predict"]
predict("14.a", 2)  # SOLUTION

# %% tags=["run"]
day = [
    {"name": "clone a repository", "internet": True, "gpus": 0, "minutes": 0.1},
    {"name": "solve an environment", "internet": True, "gpus": 0, "minutes": 8},
    {"name": "train", "internet": False, "gpus": 4, "minutes": 600},
    {"name": "download data", "internet": True, "gpus": 0, "minutes": 3},
    {"name": "plot a small table", "internet": False, "gpus": 0, "minutes": 0.2},
]
compare("14.a", sum(not step["internet"] for step in day), "steps")

# %% [markdown]
# **Explain:** the same `pip install` that works on the login node waits on a compute node until it times out. The
# package exists, but the *connection* is missing. So fetch everything from outside in advance, into storage that both nodes
# can access.

# %% [markdown] exercise="14.1" title="On which node?" topic="site"
# ### Exercise 14.1 · On which node? (7 min)
#
# Write `places`. Each step has `"internet"` (whether it needs the internet), `"gpus"` (how many) and `"minutes"` (of one core). The rules of the site:
#
# 1. Only the login node has internet access.
# 2. Only compute nodes have GPUs.
# 3. On the login node, a step may take at most `login_minutes` minutes; exactly this number is still allowed.
# 4. Steps that can run on both run on the login node: it has no queue.
# 5. Steps that can run on neither must be split: fetch here, work there.
#
# Return a list with `"login"`, `"compute"` or `"split"` for each step, in order.

# %% tags=["exercise"] exercise="14.1"
def places(steps, login_minutes=10):
    """Return where each step belongs."""
    ### BEGIN SOLUTION
    found = []
    for step in steps:
        login = step["gpus"] == 0 and step["minutes"] <= login_minutes
        if login:
            found.append("login")
        else:
            found.append("split" if step["internet"] else "compute")
    return found
    ### END SOLUTION

# %% tags=["check"] exercise="14.1"
check("14.1", places)

# %% [markdown] tags=["hint-1"] exercise="14.1"
# Ask two questions about each step: can it run on the login node? Can it run on a compute node?

# %% [markdown] tags=["hint-2"] exercise="14.1"
# Login: no GPUs, and at most `login_minutes`. (It has internet access.) Compute: it does not need the internet.

# %% [markdown] tags=["hint-3"] exercise="14.1"
# If login is possible, it is `"login"`. Otherwise, if the step needs the internet, it is `"split"`. Otherwise `"compute"`.

# %% tags=["run"]
for step, place in zip(day, places(day) or (), strict=False):
    print(f"{step['name']:<22} {place}")

# %% [markdown] anchor="slurm"
# ## 2. A batch script: a shell script that asks for nodes
#
# To get compute nodes you write a **batch script** and submit it to Slurm: `sbatch script.sh`. It is a shell script. At its top are lines that begin with `#SBATCH`:
# **directives**. They state what you request. For the shell they are comments. For Slurm they decide which nodes you get, for how long, and who pays.
#
# | directive | short | what it requests |
# |---|---|---|
# | `--partition=boost_usr_prod` | `-p` | a group of nodes with its own rules |
# | `--account=my_project` | `-A` | who is charged |
# | `--nodes=2` | `-N` | nodes |
# | `--ntasks=8` | `-n` | processes that `srun` starts, in total on all nodes |
# | `--cpus-per-task=8` | `-c` | cores for each of them |
# | `--gres=gpu:4` | | GPUs, *on each node* |
# | `--time=01:30:00` | `-t` | the **wall time**: when it is over, the job is killed, finished or not |
#
# `BatchSystem` below is a few lines of Python around `sbatch`, `scontrol` and `scancel`. `batch.submit(script)` stands for: `sbatch script.sh`, wait, and look at the
# output file.

# %% tags=["run"]
batch = BatchSystem()
print(batch)

# %% [markdown]
# **Predict:** how many tasks does this job get?

# %% tags=["run"]
SCRIPT = """#!/bin/bash
#SBATCH --job-name=lesson-14
#SBATCH -N 1 -n 2
##SBATCH --ntasks=8

# a comment, and a blank line above it
#SBATCH --time=00:02:00
echo "job ${SLURM_JOB_ID:-none}, tasks ${SLURM_NTASKS:-not set by anybody}"
#SBATCH --ntasks=4
echo "last line"
"""

# %% tags=["predict"]
predict("14.b", 2)  # SOLUTION

# %% tags=["run"]
outcome = batch.submit(SCRIPT)
print(outcome)
compare("14.b", int(outcome.asked["ntasks"]), "tasks")

# %% [markdown]
# **Explain:** `##SBATCH` is a comment: that is how people switch a line off. The last directive comes after the first
# command, and Slurm silently **stops reading at the first command**. A directive that comes too late is a common
# mistake in batch scripts: the job runs, but with one hour instead of ten, or without GPUs.
#
# **A real failure.** Another common mistake is to put anything, even a blank line, before `#!`.

# %% tags=["run"]
with expect_failure():
    batch.submit("\n" + SCRIPT)

# %% [markdown]
# **Change:** remove one `#` from `##SBATCH`. Which of the two numbers of tasks counts now?

# %% [markdown] exercise="14.2" title="Read it as Slurm does" topic="batch-jobs"
# ### Exercise 14.2 · Read it as Slurm does (11 min)
#
# Write `directives`: it takes the text of a batch script and returns a dictionary of what it requests.
#
# 1. A directive begins with `#SBATCH` in the first column, followed by a space. `##SBATCH`, `# SBATCH`, `#SBATCHES` and an indented one are comments.
# 2. Reading stops at the first line that is a command: neither blank nor a comment.
# 3. `--name=value` and `--name value` are the same. A short option has a space and a value, such as `-N 2`; `SHORT`
#    below maps it to its long name. A word that does not begin with `-` is the value of the preceding option.
# 4. An option without a value, such as `--exclusive`, has the value `True`. All other values stay strings.
# 5. A line may have several options. A word that begins with `#` starts a comment to the end of the line.
# 6. If an option comes twice, the later one counts.
#
# The names in the dictionary are the long ones, without `--`.

# %% tags=["run"]
print(SHORT)

# %% tags=["exercise"] exercise="14.2"
def directives(script):
    """Return {name: value} of what a batch script asks for."""
    ### BEGIN SOLUTION
    found = {}
    for line in script.splitlines():
        if line.strip() and not line.strip().startswith("#"):
            break
        if not line.startswith("#SBATCH "):
            continue
        name = None
        for word in line.split()[1:]:
            if word.startswith("#"):
                break
            if word.startswith("-"):
                name, equals, value = word.partition("=")
                name = SHORT.get(name, name.lstrip("-"))
                found[name] = value if equals else True
            elif name is not None:
                found[name] = word
    return found
    ### END SOLUTION

# %% tags=["check"] exercise="14.2"
check("14.2", directives)

# %% [markdown] tags=["hint-1"] exercise="14.2"
# Go line by line. Which three kinds of lines are there, and what do you do with each: skip it, read it, stop?

# %% [markdown] tags=["hint-2"] exercise="14.2"
# `line.startswith("#SBATCH ")` checks the first column. `line.split()[1:]` gives its words. Remember the name of the last option: the next word may be its value.

# %% [markdown] tags=["hint-3"] exercise="14.2"
# For a word that begins with `-`: `name, equals, value = word.partition("=")`, then `SHORT.get(name, name.lstrip("-"))`; the value is `True` unless there was a `=`. For
# any other word: `found[name] = word`. For a word that begins with `#`: go to the next line.

# %% tags=["run"]
if found := directives(SCRIPT):
    print("yours:", found)

# %% [markdown] anchor="job-scripts"
# ### Who writes such scripts?
#
# You or a program. [dask-jobqueue](https://jobqueue.dask.org) has a class for each batch system: `SLURMCluster`, `SGECluster`, `PBSCluster` (misspelled
# "PBCCluster" on a well-known slide) and more. `SLURMCluster(...).job_script()` shows what it would submit; no Slurm is needed for that:

# %% tags=["run"]
# The plain line: dask_jobqueue.SLURMCluster(cores=8, memory="100 GB", queue=…, walltime=…).job_script()
print(jobqueue_script(cores=8, memory="100 GB", queue="boost_usr_prod", account="my_project", walltime="01:00:00"))

# %% [markdown]
# This is one job with eight cores, which jobqueue has divided into four processes with two threads each
# (`processes=1` would make it one). Note three things. It contains the scheduler's *address*, so the script is
# useless once that scheduler has ended. `--death-timeout` ends a worker that finds no scheduler. And there is **no**
# line for GPUs: jobqueue does not know that you have any.
#
# gpucluster's kind `slurm` writes the script for you, with a worker per GPU, encryption, and a new job before the wall time is over:
#
# ```console
# $ gpucluster create --backend slurm --n-workers 8 --gpus-per-node 4 --walltime 01:00:00 --dry-run
# ```
#
# `--dry-run` prints the script and the time at which Slurm expects to start such a job, and starts nothing. It queries Slurm, so Slurm must be available. `gpucluster script NAME` shows the script of a running cluster. In the
# panel: *New cluster*, kind *Slurm*. The same from Python:

# %% tags=["run"]
print(dry_run("slurm", n_workers=2, walltime="00:10:00", memory_limit="1 GiB"))

# %% [markdown]
# If Slurm is available, compare the directives with those from jobqueue. To check such a script, you must be able to write one.

# %% [markdown] exercise="14.3" title="A worker for each GPU" topic="batch-jobs"
# ### Exercise 14.3 · A worker for each GPU (13 min)
#
# Write `worker_script(site, job)`, which returns a batch script as a string. Keep everything specific to the **site**
# out of your code: a line such as `module load rapids/2023.12`, copied from a slide, is wrong on every other site,
# and a year later on the same one.
#
# | | |
# |---|---|
# | `site["partition"]`, `site["account"]` | strings |
# | `site["modules"]` | names of modules to load, in this order; may be empty |
# | `site["activate"]` | the line that activates the environment |
# | `site["cores_per_gpu"]` | cores per GPU |
# | `job["nodes"]`, `job["minutes"]` | nodes, and the wall time in minutes; it may be more than a day |
# | `job["gpus"]` | GPUs on each node; `0` for CPU workers |
# | `job["cores"]` | cores on each node, for CPU workers (`gpus` is 0) |
# | `job["scheduler_file"]` | a file on storage; its path has no spaces |
#
# 1. The first line is `#!/bin/bash`.
# 2. Directives: partition, account, nodes, `ntasks-per-node` 1, `cpus-per-task` (with GPUs: `gpus × cores_per_gpu`), the time, and, only with GPUs, `gres=gpu:N`.
# 3. Then each module with `module load NAME`, then the line of `site["activate"]`.
# 4. Last, one line that starts workers on *all* nodes of the job: `srun dask cuda worker --scheduler-file FILE` with GPUs, `srun dask worker --scheduler-file FILE --nthreads CORES`
#    without. (`dask cuda worker` starts a worker for each visible GPU, so one per node is enough.)
#
# Times: `--time=90` is in minutes, `01:30:00` in hours, minutes and seconds; `1-12:00:00` has days. All are valid.

# %% tags=["exercise"] exercise="14.3"
def worker_script(site, job):
    """Return the batch script of a job that starts Dask workers."""
    ### BEGIN SOLUTION
    cores = job["gpus"] * site["cores_per_gpu"] if job["gpus"] else job["cores"]
    lines = [
        "#!/bin/bash",
        f"#SBATCH --partition={site['partition']}",
        f"#SBATCH --account={site['account']}",
        f"#SBATCH --nodes={job['nodes']}",
        "#SBATCH --ntasks-per-node=1",
        f"#SBATCH --cpus-per-task={cores}",
        f"#SBATCH --time={job['minutes']}",
    ]
    if job["gpus"]:
        lines.append(f"#SBATCH --gres=gpu:{job['gpus']}")
    lines += [f"module load {name}" for name in site["modules"]]
    lines.append(site["activate"])
    if job["gpus"]:
        lines.append(f"srun dask cuda worker --scheduler-file {job['scheduler_file']}")
    else:
        lines.append(f"srun dask worker --scheduler-file {job['scheduler_file']} --nthreads {cores}")
    return "\n".join(lines) + "\n"
    ### END SOLUTION

# %% tags=["check"] exercise="14.3"
check("14.3", worker_script)

# %% [markdown] tags=["hint-1"] exercise="14.3"
# Write the script for one job by hand, on paper. Which parts come from `site`, which from `job`, and which are always the same?

# %% [markdown] tags=["hint-2"] exercise="14.3"
# Collect the lines in a list and join them with `"\n".join(lines)`. All directives come before the first `module
# load`. Without GPUs, three things differ: the cores, the missing `gres`, and the last line.

# %% [markdown] tags=["hint-3"] exercise="14.3"
# `cores = job["gpus"] * site["cores_per_gpu"] if job["gpus"] else job["cores"]`. The time can be written as minutes: `f"#SBATCH --time={job['minutes']}"`.

# %% tags=["run"]
SITE = {
    "partition": "boost_usr_prod", "account": "my_project", "modules": ["profile/deeplrn", "nvhpc"],
    "activate": "source /shared/course/bin/activate", "cores_per_gpu": 8,
}
JOB = {"nodes": 2, "gpus": 4, "cores": 32, "minutes": 90, "scheduler_file": "/shared/me/scheduler.json"}
if script := worker_script(SITE, JOB):
    print(script)
    print("Slurm would say:", batch.looked_at(script))

# %% [markdown]
# If Slurm is available, the last line is its own verdict (`sbatch --test-only`). Most likely it reports that there is
# no such partition or account here. Insert those of your site and try again.
#
# gpucluster reads the settings of a *site* (partition, account, modules, the line before the worker) from one file,
# `/etc/gpucluster/site.yaml`; `gpucluster site` shows it. It is like `SITE` above, kept in one place by the
# administrators.

# %% [markdown] anchor="ways"
# ## 3. Ways to start a cluster
#
# A Dask cluster always has the same parts: **one scheduler, some workers that know its address, and a client that
# also knows it**. The tools differ in what starts the processes, and on which machines.
#
# | started by | commands | where | in gpucluster |
# |---|---|---|---|
# | you, by hand | `dask scheduler`, `dask worker` | anywhere | kind `existing` joins it |
# | Python, here | `LocalCluster`, `LocalCUDACluster` | this machine | `local`, `cuda` |
# | SSH | `SSHCluster`, `dask ssh` | machines that you can log in to | `ssh` |
# | a batch system | `SLURMCluster`, `SGECluster`, `PBSCluster`, … | jobs | `slurm` |
# | MPI | `mpiexec -n 9 dask-mpi …` | ranks of one program | `mpi` |
# | Kubernetes | `KubeCluster` | pods | `kubernetes` |
# | a service of the site | Dask Gateway | as set up by the site | `gateway` |
#
# `gpucluster kinds` shows which of them you can use here, and what the others lack:

# %% tags=["run"]
# %gpucluster kinds

# %% [markdown]
# All the other tools do for you what you would do **by hand**, so do it once yourself. Two programs on two nodes have
# to find each other. The usual way is a **scheduler file** on storage that both can access: the scheduler writes its
# address into it, and workers and clients read it.
#
# ```console
# node1$ dask scheduler --scheduler-file /shared/me/scheduler.json --interface ib0
# node2$ dask worker    --scheduler-file /shared/me/scheduler.json --interface ib0 --nthreads 8
# ```
#
# `--interface ib0` chooses the fast network. With GPUs, the worker is `dask cuda worker`, and with `--protocol ucx`
# messages between GPUs use NVLink and InfiniBand. Both sides need the package `distributed-ucxx` (older texts name
# UCX-Py, which was archived in 2025). Old texts also call the programs `dask-scheduler` and `dask-worker`, with a hyphen.
# **Predict:** do such commands still exist in this environment? `"yes"` or `"no"`?

# %% tags=["predict"]
predict("14.c", "no")  # SOLUTION

# %% tags=["run"]
commands = {name: (Path(sys.executable).parent / name).exists() for name in ("dask", "dask-scheduler", "dask-worker")}
print(commands)
compare("14.c", "yes" if commands["dask-scheduler"] and commands["dask-worker"] else "no")

# %% [markdown] exercise="14.4" title="Two commands" topic="starting"
# ### Exercise 14.4 · Two commands (9 min)
#
# Write two functions that return such command lines, as a string for a shell or as a list of words.
#
# 1. `scheduler_command(file, interface=None, protocol=None)`: `dask scheduler` with the scheduler file, and `--port 0`: the
#    system chooses a free port, which you can read from the file. Add `--interface` and `--protocol` only if they are
#    given.
# 2. `worker_command(file, threads, memory, interface=None, protocol=None)`: `dask worker`, the scheduler file, one process (`--nworkers 1`), `threads` threads (`--nthreads`) and
#    the memory (`--memory-limit`), such as `"2 GiB"`; the last two arguments as above.
#
# A path or a size may contain a space. In a shell command, quote it with `shlex.quote`.

# %% tags=["exercise"] exercise="14.4"
def scheduler_command(file, interface=None, protocol=None):
    """Return the command line of a scheduler."""
    ### BEGIN SOLUTION
    words = ["dask", "scheduler", "--scheduler-file", str(file), "--port", "0"]
    if interface is not None:
        words += ["--interface", interface]
    if protocol is not None:
        words += ["--protocol", protocol]
    return words
    ### END SOLUTION


def worker_command(file, threads, memory, interface=None, protocol=None):
    """Return the command line of a worker."""
    ### BEGIN SOLUTION
    words = ["dask", "worker", "--scheduler-file", str(file), "--nworkers", "1"]
    words += ["--nthreads", str(threads), "--memory-limit", memory]
    if interface is not None:
        words += ["--interface", interface]
    if protocol is not None:
        words += ["--protocol", protocol]
    return words
    ### END SOLUTION

# %% tags=["check"] exercise="14.4"
check("14.4", scheduler_command, worker_command)

# %% [markdown] tags=["hint-1"] exercise="14.4"
# A list of words is simplest: no shell reads it, so nothing needs quoting. Which words are always there?

# %% [markdown] tags=["hint-2"] exercise="14.4"
# Options and their values are separate words: `"--nthreads", str(threads)`. Add two more words `if interface is not None`.

# %% [markdown] tags=["hint-3"] exercise="14.4"
# `["dask", "worker", "--scheduler-file", str(file), "--nworkers", "1", "--nthreads", str(threads), "--memory-limit", memory]`, and then the two optional ones.

# %% [markdown]
# Now run them as two processes on this machine. `StartedByHand` does what you would do in two terminals: run both, and stop them with Ctrl-C.

# %% tags=["run"]
file = FOLDER / "scheduler.json"
if scheduler_command(file) and worker_command(file, 1, "512 MiB"):
    with StartedByHand(file, scheduler_command(file), worker_command(file, 1, "512 MiB")):
        with Client(scheduler_file=str(file)) as client:
            client.wait_for_workers(1, timeout=30)
            protocol, _, _ = client.scheduler.address.partition("://")
            print(f"address in the file: {protocol}://…")
            n_workers = len(client.scheduler_info(n_workers=-1)["workers"])
            print(f"workers: {n_workers}; 6 * 7 = {client.submit(lambda: 6 * 7).result()}")

# %% [markdown]
# **Explain:** neither line knew where the other process was. On a site, the first line runs on one node, the second
# in the batch script of exercise 14.3. Compared with gpucluster, three things are missing. A lost worker is not
# restarted. The workers do not stop when you go home. And the address begins with `tcp`: anyone who can reach this
# port can run programs as you. On a shared machine use `tls`, or let a tool create the credentials.

# %% [markdown] anchor="allocation"
# ## 4. What an allocation costs
#
# A job is charged from start to end, whether its workers compute or wait for you to finish your coffee. Many sites
# charge **shares of nodes**: a job that takes all GPUs of a node leaves none for others, and pays for the whole node,
# even if it uses only one core. The share is the largest fraction over all resources:
#
# share = max(cores / cores of a node, GPUs / GPUs of a node), and node-hours = nodes × share × hours.
#
# **Predict:** nodes have 32 cores and 4 GPUs. A job has one node, 1 GPU and 16 cores for 3 hours. How many node-hours is that?

# %% tags=["predict"]
predict("14.d", 1.5)  # SOLUTION

# %% tags=["run"]
compare("14.d", 3 * max(16 / 32, 1 / 4), "node-hours")

# %% [markdown] exercise="14.5" title="Charged, and idle" topic="allocation"
# ### Exercise 14.5 · Charged, and idle (11 min)
#
# Write `node_hours(jobs, cores_on_node, gpus_on_node)`. A job has `"start"` and `"end"` (hours), `"nodes"`, `"cores"` and `"gpus"` *on each node*, and `"busy"`: pairs
# of start and end between which its workers computed, in any order. They may overlap, and may begin before the job or
# end after it (a clock was wrong). Only time within the job counts, and each moment counts once.
#
# Return two numbers: all charged node-hours, and how many of these were idle. Nodes without GPUs have `gpus_on_node = 0`.

# %% tags=["exercise"] exercise="14.5"
def node_hours(jobs, cores_on_node, gpus_on_node):
    """Return (charged, idle) in node-hours."""
    ### BEGIN SOLUTION
    charged = idle = 0.0
    for job in jobs:
        share = job["cores"] / cores_on_node
        if gpus_on_node:
            share = max(share, job["gpus"] / gpus_on_node)
        share *= job["nodes"]
        waited, at = 0.0, job["start"]
        for begin, end in sorted(job["busy"]):
            waited += max(0.0, min(begin, job["end"]) - at)
            at = min(max(at, end), job["end"])
        waited += job["end"] - at
        charged += share * (job["end"] - job["start"])
        idle += share * waited
    return charged, idle
    ### END SOLUTION

# %% tags=["check"] exercise="14.5"
check("14.5", node_hours)

# %% [markdown] tags=["hint-1"] exercise="14.5"
# Start with the charge: the share of one node, times nodes, times hours. Then work out one job's idle time on paper: sort its busy times and add up the gaps.

# %% [markdown] tags=["hint-2"] exercise="14.5"
# Keep `at`, the moment up to which you have looked, starting at `job["start"]`. For each busy time in order: if it
# begins after `at`, the time between is idle. Then `at` becomes its end, unless `at` is already later.

# %% [markdown] tags=["hint-3"] exercise="14.5"
# `waited += max(0, min(begin, job["end"]) - at)`, then `at = min(max(at, end), job["end"])`; after the last one, `waited += job["end"] - at`.

# %% tags=["run"]
afternoon = [
    {"start": 0.0, "end": 4.0, "nodes": 2, "cores": 32, "gpus": 4, "busy": [(0.2, 0.9), (2.5, 3.0)]},
    {"start": 1.0, "end": 3.0, "nodes": 1, "cores": 8, "gpus": 1, "busy": [(1.0, 2.4), (2.2, 3.4)]},
]
figures.allocation(afternoon, node_hours(afternoon, 32, 4))

# %% [markdown]
# **Explain:** the first job is typical of a notebook with fixed workers: two whole nodes wait while someone reads a plot. There are three remedies, simplest first: let the cluster end automatically when it
# is idle (`idle_timeout_seconds`); let the number of workers follow the work (`cluster.adapt(0, 8)`), so that jobs come and go; and put work that no one has to watch into a batch
# script. On its card, gpucluster shows what a cluster has cost so far, in the site's unit.
#
# A job with a short wall time waits less in the queue: Slurm fills gaps between large jobs with small ones
# (*backfill*). With `slurm`, gpucluster submits a new job before the old one's time is over and moves the results. So
# request short wall times.

# %% [markdown] anchor="tunnels"
# ## 5. Jupyter on a node, the browser on a laptop
#
# Jupyter runs on compute node `node7`, port 8888, and listens on **loopback** only (`localhost`): no one outside that
# node can connect, which is good. Your browser is at home. An **SSH tunnel** opens a port on your laptop and forwards
# everything that arrives there, encrypted, through the login node:
#
# ```console
# laptop$ ssh -N -J me@login.site.org -L 8888:localhost:8888 me@node7
# ```
#
# * `-J me@login.site.org`: jump through the login node, the only one that the laptop can reach;
# * `me@node7`: where the SSH connection ends;
# * `-L 8888:localhost:8888`: the laptop's port 8888 leads to `localhost:8888` as seen from *node7*;
# * `-N`: run no command, only open the tunnel.
#
# If the server listens on the node's network instead (`jupyter lab --ip=$(hostname)`), the connection can end at the
# login node: `ssh -N -L 8888:node7:8888 me@login.site.org`. Then the last part of the connection is open to everyone
# on that network.
#
# The mechanism is simple enough to run here. `Page` is a small web server on a loopback port, and `Forwarder` does what `-L` does, without SSH.

# %% tags=["run"]
with Page("hello from node7") as page, Forwarder(page.port) as tunnel:
    print("the laptop opens its own port, and reads:", page_at(tunnel.port))
    print("bytes that passed:", tunnel.bytes_passed)

# %% [markdown]
# **Predict:** `ssh -N -L 8888:localhost:8888 me@login.site.org`: this is the first line that most people try. Whose port 8888 does the browser reach: `"laptop"`, `"login"` or `"node7"`?

# %% tags=["predict"]
predict("14.e", "login")  # SOLUTION

# %% tags=["run"]
figures.tunnel("ssh -N -L 8888:localhost:8888 me@login.site.org", node="node7", port=8888, loopback=True)
compare("14.e", "login")

# %% [markdown] exercise="14.6" title="The right tunnel" topic="tunnels"
# ### Exercise 14.6 · The right tunnel (8 min)
#
# Write `tunnel_line(user, login, node, port, loopback, local_port)`, which returns the command for the laptop as a string.
#
# 1. `loopback` is true: the server listens only on the node's loopback. The connection ends at the node, through the login node.
# 2. `loopback` is false: it listens on the node's network. The connection ends at the login node.
# 3. The laptop's port is `local_port`, and only programs on the laptop may use it, which is what `-L` does by default.
# 4. No command runs at the other end. The user name is the same everywhere.

# %% tags=["exercise"] exercise="14.6"
def tunnel_line(user, login, node, port, loopback, local_port):
    """Return the line of ssh to run on the laptop."""
    ### BEGIN SOLUTION
    if loopback:
        return f"ssh -N -J {user}@{login} -L {local_port}:localhost:{port} {user}@{node}"
    return f"ssh -N -L {local_port}:{node}:{port} {user}@{login}"
    ### END SOLUTION

# %% tags=["check"] exercise="14.6"
check("14.6", tunnel_line)

# %% [markdown] tags=["hint-1"] exercise="14.6"
# Where must the SSH connection end so that it can reach the server? What is the server called from there?

# %% [markdown] tags=["hint-2"] exercise="14.6"
# In `-L A:HOST:B`, A is on the laptop; HOST and B are as seen from the *last* machine of the connection. There, `localhost` is that machine itself.

# %% [markdown] tags=["hint-3"] exercise="14.6"
# The two commands are in the text of this section. Insert the names, and note which of the two ports is `local_port`.

# %% tags=["run"]
if line := tunnel_line("me", "login.site.org", "node7", 8888, True, 9000):
    figures.tunnel(line, node="node7", port=8888, loopback=True)

# %% [markdown]
# `gpucluster tunnel`, run where Jupyter runs, prints this command with the right names and ports, and checks from
# inside whether the connection is possible. The dashboards of Dask and gpucluster need no separate tunnel: their
# pages come through Jupyter's port.

# %% [markdown] anchor="software"
# ## 6. Software: which one runs?
#
# ### Modules
#
# `module load NAME` changes variables such as `PATH` and `LD_LIBRARY_PATH` in *this shell*, so that programs built by
# the site come first. It does not install anything and ends with the shell. A batch job starts without it unless its
# script loads the module. Names and versions belong to the site: `module avail` lists them. "`module load
# rapids/2023.12`", on a slide about Leonardo, was right there and then.
#
# ### Your own environment
#
# Use `venv`, or conda from any distribution (Miniforge takes its packages from conda-forge). Create it on the **login
# node**, on **storage** that compute nodes can access, then use it on compute nodes without a network. If even that
# is not possible, use `conda-pack`, or wheels fetched with `pip download -d wheels …` and installed with `pip install --no-index --find-links wheels …`.
#
# A slide from 2023 says: "conda older than 22.11: update; newer: install `conda-libmamba-solver` and choose it". Since 23.10 the fast solver is the default, so there is nothing to do.
#
# **Predict:** how many of these conda versions need no action: 4.12.0, 22.9.0, 22.11.1, 23.9.0, 23.10.0, 24.1.2?

# %% tags=["predict"]
predict("14.f", 2)  # SOLUTION

# %% tags=["run"]
def solver_action(told):
    """Return what to do, from what ``conda --version`` prints."""
    release = tuple(int(part) for part in told.split()[1].split(".")[:2])
    if release < (22, 11):
        return "update conda"
    return "install the solver" if release < (23, 10) else "nothing"


versions = ["4.12.0", "22.9.0", "22.11.1", "23.9.0", "23.10.0", "24.1.2"]
for version in versions:
    print(f"conda {version:<8} {solver_action(f'conda {version}')}")
print("compared as texts, '23.9' < '23.10' is", "23.9" < "23.10")
compare("14.f", sum(solver_action(f"conda {version}") == "nothing" for version in versions), "versions")

# %% [markdown] anchor="pip-and-networks"
# ### What can my installation do?
#
# The slide says "pip: InfiniBand is not supported yet". Instead of believing it, or its opposite, check the machine and the installation:

# %% tags=["run"]
for name, found in fabric().items():
    print(f"{name:<20} {found}")
print(f"{'MPI library':<20} {mpi_library()}")

# %% [markdown]
# **Explain:** `protocol="ucx"` needs the package `distributed-ucxx`, a UCX library built with InfiniBand support
# (`rdma-core`), and a device. If one is missing, messages go over TCP, more slowly and without an error. Whether pip
# wheels include what is needed has changed from version to version. Check yours on a compute node (login nodes may
# have other networks).
#
# The last line applies the same idea to **mpi4py**: the package is only the Python part. The MPI library below it
# decides whether ranks find each other. A wheel brings or finds MPICH or Open MPI, but a site has its own, built for
# its network. The guide from 2022 edits `mpi.cfg` and runs `python setup.py build --mpi=MVAPICH2-GDR`. Today it is
# enough to name the compiler of the site's MPI:
#
# ```console
# $ module load openmpi
# $ MPICC=$(which mpicc) pip install --no-binary mpi4py mpi4py
# ```
#
# And **dask-mpi** is no longer built from a git clone: `pip install dask-mpi`. `setup.py build` and `setup.py install` have been discouraged for years; use `pip install .`.

# %% [markdown] anchor="pins"
# ### Pins age
#
# The same guide has this line:

# %% tags=["run"]
print(OLD_INSTALLATION)

# %% [markdown]
# Python 3.8 has had no fixes since 2024. CUDA 10.2 does not support GPUs made after 2019. And Dask 2021.1.1 works
# with no RAPIDS that you could install with it. A **pin** (`=3.8`) makes an installation repeatable on the day it is
# written, and impossible some years later. There are two solutions: *ranges* in what you publish, and a *lock file*
# with all exact versions beside it, for those who have to repeat the installation.

# %% [markdown] exercise="14.7" title="Modernise an installation" topic="software"
# ### Exercise 14.7 · Modernise an installation (10 min)
#
# Write `modernise(command, rules, channels)`: it takes a line such as the one above and returns one for today, as a string.
#
# 1. A package is a word after `conda install` (or `conda create`) that is neither an option nor the value of one. Its name ends at `=`, `<`, `>` or `!`.
# 2. If `rules` has the name, its value replaces the package; if the value is `None`, the package is removed.
# 3. All other packages stay, without pins.
# 4. Channels (`-c NAME` or `--channel NAME`) are replaced: one `-c` for each of `channels`, in this order, before the first package.
# 5. `-n NAME`, the only other option with a value, and `-y` stay.
#
# The order of packages does not matter.

# %% tags=["run"]
for name, new in RULES.items():
    print(f"{name:<14} {'left out' if new is None else new}")

# %% tags=["exercise"] exercise="14.7"
def modernise(command, rules, channels):
    """Return the command with today's packages and channels."""
    ### BEGIN SOLUTION
    words = command.split()
    kept, packages = words[:2], []
    words = words[2:]
    while words:
        word = words.pop(0)
        if word in ("-c", "--channel"):
            words.pop(0)
        elif word == "-n":
            kept += [word, words.pop(0)]
        elif word.startswith("-"):
            kept.append(word)
        else:
            name = word
            for sign in "=<>!":
                name = name.split(sign)[0]
            new = rules.get(name, name)
            if new is not None:
                packages.append(new)
    for channel in channels:
        kept += ["-c", channel]
    return " ".join(kept + packages)
    ### END SOLUTION

# %% tags=["check"] exercise="14.7"
check("14.7", modernise)

# %% [markdown] tags=["hint-1"] exercise="14.7"
# Work with words: `command.split()`. The first two stay. For each of the other words: is it an option, the value of an option, or a package?

# %% [markdown] tags=["hint-2"] exercise="14.7"
# `-c` and `--channel` are removed with the word after them. The name of a package: `re.split("[=<>!]", word)[0]`. Look the *whole* name up: `dask` is not `dask-cudf`.

# %% [markdown] tags=["hint-3"] exercise="14.7"
# `new = rules.get(name, name)`, and keep it unless it is `None`. Put the result together: the first two words, options that stay, `-c` and each channel, then the packages.

# %% tags=["run"]
if new := modernise(OLD_INSTALLATION, RULES, ["rapidsai", "conda-forge"]):
    print(new)

# %% [markdown] anchor="import-audit"
# ### Which copy is imported?
#
# MPI4Dask came as a tarball with its own `distributed`, installed over the other one. `conda list | grep distributed`
# then shows what conda *believes*. What Python *imports* is another question: the first folder in `sys.path` that has
# the name wins. That may be the folder you are in, one of your files, `PYTHONPATH`, or `~/.local` (which `PYTHONNOUSERSITE=1` switches off).
#
# **Predict:** a folder contains a forgotten file `dask.py`. A program starts there and runs `import dask`. Which `dask` does it import: `"ours"` (the file) or `"installed"`?

# %% tags=["predict"]
predict("14.g", "ours")  # SOLUTION

# %% tags=["run"]
(FOLDER / "dask.py").write_text("print('I am a note from 2021')\n")
inside, outside = imported_from("dask", folder=FOLDER), imported_from("dask", folder=Path.home())
print("in that folder:", Path(inside).name, "· elsewhere:", "/".join(Path(outside).parts[-2:]))
compare("14.g", "ours" if Path(inside).parent == FOLDER.resolve() else "installed")
(FOLDER / "dask.py").unlink()

# %% [markdown]
# So after an installation, check on a *compute node*, in the environment of the job: `python -c "import distributed; print(distributed.__version__, distributed.__file__)"`. `gpucluster`
# checks this on each host and in each job's image before it starts workers, and reports which versions differ.
# (`python -P` excludes the current folder.)
#
# **Spot the error.** The guide's table of contents, from a slide of 2022, says: "Section 4. Running GPU-based Dask Applications: sum of cuPy array, cuDF merge. Section 5. Running GPU-based Dask
# Applications: sum of numPy array, sum of Pandas data frame, SVD". Which word is wrong? (The quiz asks.)

# %% [markdown] exercise="14.8" title="From an account to workers" topic="software"
# ### Exercise 14.8 · From an account to workers (6 min)
#
# Put the steps from an account to workers in order. The next cell shows them, each with a letter. Move them there, or write your order as pairs: the letter of a line and its level. Level 1 is what happens within the job. Several orders are right. **Two lines do not belong.**

# %% tags=["run"]
lessons.parsons("14.8")

# %% tags=["exercise"] exercise="14.8"
# For example [("X", 0), ("Y", 0), ("Z", 1)].
order = [("F", 0), ("H", 0), ("J", 0), ("G", 0), ("E", 0), ("D", 1), ("B", 1), ("A", 1), ("L", 1), ("I", 0)]  # SOLUTION

# %% tags=["check"] exercise="14.8"
check("14.8", order)

# %% [markdown] tags=["hint-1"] exercise="14.8"
# Steps that need the internet come first, on the login node. Steps of the job come after it has been submitted.

# %% [markdown] tags=["hint-2"] exercise="14.8"
# The scheduler starts before the job, because workers read its file. Within the job: first modules, then the environment, then the check of what is imported, then the workers.

# %% [markdown] tags=["hint-3"] exercise="14.8"
# Log in; create the environment on storage; install; start the scheduler; submit. Within the job: load modules,
# activate, check which `distributed` it is, start the workers. Then connect. Installing in the job and using `conda
# list` as proof do not belong.

# %% [markdown] anchor="containers"
# ## 7. Containers: Apptainer
#
# A **container image** is a whole file system with all libraries. Docker runs images through a service that works as
# root: anyone with access to it is root on that machine. So sites do not offer it; they have **Apptainer** (formerly
# Singularity). It runs the *same images* as *you*, with your files, your network and your GPUs:
#
# | Docker | Apptainer | |
# |---|---|---|
# | `docker run IMAGE CMD …` | `apptainer exec docker://IMAGE CMD …` | without a command: `apptainer run` |
# | `--gpus all` | `--nv` | adds the driver's libraries; Slurm decides which GPUs |
# | `-v A:B`, `--volume A:B` | `--bind A:B` | your home folder is always mounted |
# | `-w DIR`, `--workdir DIR` | `--pwd DIR` | |
# | `-e K=V`, `--env K=V` | `--env K=V` | |
# | `--rm`, `-it`, `-i`, `-t`, `-d` | | nothing is kept; you keep your terminal |
# | `-u U`, `--user U` | | you are always you |
# | `-p A:B`, `--publish A:B` | | uses the host's network: no ports to open |
# | `--name N`, `--shm-size S`, `--network N`, `--ipc I` | | does not exist, or has no limit |
#
# Fetch the image on the login node (`apptainer pull image.sif docker://…`): compute nodes have no network. In gpucluster, `image="/path/image.sif"` runs the workers of a job in it.

# %% [markdown] exercise="14.9" title="From Docker to Apptainer" topic="containers"
# ### Exercise 14.9 · From Docker to Apptainer (12 min)
#
# Write `to_apptainer(command)` according to the table: it takes a line that begins with `docker run` and returns the line for Apptainer, as a string or as a list of words.
#
# A value may follow its option after a space or, with long options, after `=`. Values may be quoted and contain spaces: `shlex.split` understands quotes, `shlex.join` writes them. Docker's
# options end at the image: everything after it belongs to the program, even if it looks the same (`-v`, `-p`). Binds
# and variables keep their order.

# %% tags=["exercise"] exercise="14.9"
def to_apptainer(command):
    """Return the command for Apptainer."""
    ### BEGIN SOLUTION
    import shlex

    becomes = {
        "-v": "--bind", "--volume": "--bind", "-w": "--pwd", "--workdir": "--pwd", "-e": "--env", "--env": "--env",
        "--gpus": "--nv",
    }
    dropped = {"-u", "--user", "-p", "--publish", "--name", "--shm-size", "--network", "--ipc"}
    words = shlex.split(command)[2:]
    options = []
    while words[0].startswith("-"):
        name, equals, value = words.pop(0).partition("=")
        if name in becomes or name in dropped:
            value = value if equals else words.pop(0)
        if name == "--gpus":
            options.append("--nv")
        elif name in becomes:
            options += [becomes[name], value]
    image, *program = words
    return ["apptainer", "exec" if program else "run", *options, f"docker://{image}", *program]
    ### END SOLUTION

# %% tags=["check"] exercise="14.9"
check("14.9", to_apptainer)

# %% [markdown] tags=["hint-1"] exercise="14.9"
# There are three groups of options: with a value and replaced, with a value and removed, and without a value and removed. Where does the image begin?

# %% [markdown] tags=["hint-2"] exercise="14.9"
# `words = shlex.split(command)[2:]`. While the first word begins with `-`: take it, split it at `=`, and if the option has a value and there was no `=`, take the next word as well. The first remaining word is the image.

# %% [markdown] tags=["hint-3"] exercise="14.9"
# Use a dictionary from Docker's names to Apptainer's: `{"-v": "--bind", "--volume": "--bind", "-w": "--pwd", …}`, and a set of options to remove with their value. At the end
# `["apptainer", "exec" if program else "run", *options, "docker://" + image, *program]`.

# %% tags=["run"]
print("Docker:   ", OLD_RUN)
if translated := to_apptainer(OLD_RUN):
    print("Apptainer:", translated if isinstance(translated, str) else " ".join(translated))

# %% [markdown] anchor="kubernetes"
# ## 8. Pods: Kubernetes
#
# A cloud has **Kubernetes** instead of a batch system with a queue. You do not tell it to start something. You
# describe *the desired state* in a **manifest**, and a loop maintains it: it compares the desired state with the
# actual one, starts what is missing, and stops what is too much. The smallest unit that it starts is a **pod**: a
# container (or a few) with its resources.
#
# A slide says that containers and Kubernetes give *consistency, scalability, reliability*. Where does each come from? **Consistency**: the same image runs everywhere. **Scalability**: one number in the manifest, `replicas`.
# **Reliability**: the loop. Watch a simulation of it: there are three nodes with room for two pods each, and a pod runs two rounds after it was created.
#
# **Predict:** four pods are requested from round 0 on. In round 5 a node with two of them fails, and no one intervenes. How many pods *run* in round 6, and how many in round 9? Enter the sum of the two.

# %% tags=["predict"]
predict("14.h", 6)  # SOLUTION

# %% tags=["run"]
history = run_loop(["node1", "node2", "node3"], wanted={0: 4, 11: 6, 16: 2}, failing={5: "node1"}, rounds=20)
figures.pods(history)
compare("14.h", history[6].running + history[9].running, "pods")

# %% [markdown]
# **Explain:** the loop replaced the pods without help. But it did not restore the *results* in the lost workers'
# memory: Kubernetes knows pods, not tasks. Dask recomputes the results, as in lesson 04. In round 11 six pods are
# requested and two nodes are left. The remaining pods are **pending**, like a job in a queue, until there is room.
# (Which node is chosen, how long a start takes and which pod is stopped first are rules of this simulation.)
#
# For *training and serving models* (MLOps: repeatedly taking a model from data to operation), you version, test and
# roll back the manifest. In Kubernetes, GPUs are a resource like memory: NVIDIA's device plugin adds `nvidia.com/gpu`
# to each node, and a pod requests a number of them. Dask's **operator** adds a new resource type to Kubernetes,
# `DaskCluster`:

# %% tags=["run"]
MANIFEST = yaml.safe_load("""
apiVersion: kubernetes.dask.org/v1
kind: DaskCluster
metadata: {name: class}
spec:
  scheduler:
    spec:
      containers:
      - name: scheduler
        image: ghcr.io/dask/dask:latest
        args: [dask, scheduler]
    service:
      type: ClusterIP
      selector: {dask.org/cluster-name: class, dask.org/component: scheduler}
      ports:
      - {name: tcp-comm, port: 8786, targetPort: tcp-comm}
  worker:
    replicas: 1
    spec:
      containers:
      - name: worker
        image: ghcr.io/dask/dask:latest
        args: [dask, worker, --name, $(DASK_WORKER_NAME)]
""")
print(yaml.safe_dump(MANIFEST["spec"]["worker"], sort_keys=False))

# %% [markdown] exercise="14.10" title="GPUs for the pods" topic="pods"
# ### Exercise 14.10 · GPUs for the pods (10 min)
#
# Write `with_gpus(manifest, workers, image, gpus, memory)`: it returns a **new** manifest like the one above, and does not change the given one. The
# two share nothing: changing one later does not change the other.
#
# 1. `workers` replicas; `image` for the scheduler and for the workers, because all must have the same versions.
# 2. The worker's container gets `resources` with `requests` and `limits`, both with `memory` (such as `"16Gi"`) and, if `gpus` is not 0, with `nvidia.com/gpu`: `gpus`. The number of GPUs is an integer. The request must equal the limit: Kubernetes does not overcommit GPUs.
# 3. If `gpus` is not 0, the worker's command begins with `dask cuda worker` instead of `dask worker`; the rest stays.
# 4. The scheduler gets no GPU: it computes nothing.

# %% tags=["exercise"] exercise="14.10"
def with_gpus(manifest, workers, image, gpus, memory):
    """Return a new manifest with that many workers and GPUs per worker."""
    ### BEGIN SOLUTION
    import copy

    new = copy.deepcopy(manifest)
    worker, scheduler = new["spec"]["worker"], new["spec"]["scheduler"]
    worker["replicas"] = workers
    (inside,) = worker["spec"]["containers"]
    inside["image"] = scheduler["spec"]["containers"][0]["image"] = image
    asked = {"memory": memory}
    if gpus:
        asked["nvidia.com/gpu"] = gpus
        inside["args"] = ["dask", "cuda", "worker", *inside["args"][2:]]
    inside["resources"] = {"requests": dict(asked), "limits": dict(asked)}
    return new
    ### END SOLUTION

# %% tags=["check"] exercise="14.10"
check("14.10", with_gpus)

# %% [markdown] tags=["hint-1"] exercise="14.10"
# A manifest has nested dictionaries. `dict(manifest)` copies only the outermost one: the inner ones are still those of the given manifest.

# %% [markdown] tags=["hint-2"] exercise="14.10"
# `copy.deepcopy(manifest)` copies everything. The worker's container is `new["spec"]["worker"]["spec"]["containers"][0]`.

# %% [markdown] tags=["hint-3"] exercise="14.10"
# `asked = {"memory": memory}`, with `asked["nvidia.com/gpu"] = gpus` if there are GPUs, and `container["resources"] = {"requests": dict(asked), "limits": dict(asked)}`. The command: `["dask", "cuda", "worker", *args[2:]]`.

# %% tags=["run"]
if manifest := with_gpus(MANIFEST, 4, "rapidsai/base:26.10-cuda13-py3.12", 1, "64Gi"):
    print(yaml.safe_dump(manifest["spec"]["worker"], sort_keys=False))

# %% [markdown]
# `kubectl apply -f` takes such a file. `gpucluster create --backend kubernetes --gpus-per-worker 1 --dry-run` writes
# one that also has credentials, so that not everyone on the network can run programs in your pods, and probes that
# check whether a pod is alive.

# %% [markdown] anchor="frameworks"
# ## 9. Dask, Spark, Ray
#
# Three frameworks use the memory of several nodes at once. Internally, all three do the same: **tasks on parts, results combined**.
#
# | | Dask | Spark | Ray |
# |---|---|---|---|
# | written in | Python | Scala, on the JVM; Python talks to it | C++ and Python |
# | you write | NumPy and pandas, delayed functions, futures | its own SQL and DataFrames | functions and *actors* (objects that live on a worker) |
# | strong at | scaling pandas and NumPy code; arrays; scientific code | large tables and SQL in a company that already has it | training, tuning and serving models; simulations with state |
# | GPUs | dask-cuda: a worker per GPU; cuDF tables | RAPIDS Accelerator: a plugin that replaces parts of a SQL plan with GPU versions | `num_gpus=1` on a function or an actor |
# | on a batch system | dask-jobqueue, gpucluster, dask-mpi | its own cluster within a job | `ray start` on each node of a job |
# | a lost worker | recomputes what was lost, from the graph | the same, from the *lineage* of partitions | reruns tasks; actors lose their state |
#
# Take a mean by key. Sums and counts travel, never means (lesson 06). If you write it as functions that fit together, all three frameworks can run it.

# %% [markdown] exercise="14.11" title="One reduction, three frameworks" topic="frameworks"
# ### Exercise 14.11 · One reduction, three frameworks (10 min)
#
# Rows are pairs of a key and a number; `None` instead of the number means not measured, and does not count.
#
# 1. `partial(rows)`: what one part contributes.
# 2. `combine(a, b)`: two contributions become one. A framework may combine in any order and grouping, and may reuse a contribution, so do not change either.
# 3. `finish(total)`: a dictionary from each key to its mean. Keys without any number are not in it.
#
# The form of a contribution is up to you. A part may be empty.

# %% tags=["exercise"] exercise="14.11"
def partial(rows):
    """Return what one part contributes."""
    ### BEGIN SOLUTION
    found = {}
    for key, value in rows:
        if value is not None:
            total, count = found.get(key, (0, 0))
            found[key] = (total + value, count + 1)
    return found
    ### END SOLUTION


def combine(a, b):
    """Return two contributions as one."""
    ### BEGIN SOLUTION
    both = dict(a)
    for key, (total, count) in b.items():
        known, seen = both.get(key, (0, 0))
        both[key] = (known + total, seen + count)
    return both
    ### END SOLUTION


def finish(total):
    """Return {key: mean}."""
    ### BEGIN SOLUTION
    return {key: added / count for key, (added, count) in total.items()}
    ### END SOLUTION

# %% tags=["check"] exercise="14.11"
check("14.11", partial, combine, finish)

# %% [markdown] tags=["hint-1"] exercise="14.11"
# Which two numbers per key do you need from each part, so that you can calculate the overall mean at the end?

# %% [markdown] tags=["hint-2"] exercise="14.11"
# Use a dictionary from key to `(sum, count)` as a contribution. `combine` starts with `dict(a)`, a new dictionary, and adds `b`.

# %% [markdown] tags=["hint-3"] exercise="14.11"
# In `combine`, for each key of `b`: `known, seen = both.get(key, (0, 0))`, then `both[key] = (known + total, seen + count)`. In `finish`: the sum divided by the count.

# %% tags=["run"]
table = datasets.flights(as_frame="pandas", columns=["month", "origin", "dep_delay"])
parts = [
    [(origin, None if delay != delay else delay) for origin, delay in zip(one["origin"].astype(str), one["dep_delay"], strict=True)]
    for _, one in table.groupby("month")
]
if partial(parts[0]) is not None:
    for framework, found in reduce_everywhere(lab.client, parts, partial, combine).items():
        if isinstance(found, str):
            print(f"{framework:<6} {found}")
        else:
            total, seconds = found
            print(f"{framework:<6} {seconds:.2f} s  " + ", ".join(f"{key} {mean:.2f} min" for key, mean in sorted(finish(total).items())))

# %% [markdown]
# The times are for 336,776 pairs of Python objects, including sending them and, for Ray and Spark, starting their own
# processes. They do not show which is faster with large tables. For those, each of the three has something better
# than pairs. Here is the same question in each framework's API:
#
# ```python
# # Dask: pandas' words, and compute()
# flights.groupby("origin").dep_delay.mean().compute()
# # Spark: SQL's words; show() or collect() begins the work
# flights.groupBy("origin").agg(F.avg("dep_delay")).show()
# # Ray Data: batches as they come
# ray.data.read_parquet(folder).groupby("origin").mean("dep_delay").show()
# ```
#
# All three are lazy: they plan first, and do as much as possible on each part before anything travels. **How to
# choose?** First look at what you have: a Spark cluster and colleagues who know it; a NumPy and pandas program; a
# model to be tuned. Then look at how GPUs are used: Dask uses RAPIDS as libraries, Spark as a plugin. Do not choose
# by a benchmark on other people's data.

# %% [markdown] tags=["keypoints"]
# ## Key points
#
# * Fetch everything from outside on the login node, into storage that all nodes can access. Compute nodes have no connection to the outside.
# * Slurm reads directives up to the first command. It silently ignores everything below.
# * Every tool starts one scheduler and some workers that know its address. By hand, they find each other through a scheduler file on storage.
# * You pay from start to end of a job, for the largest share of a node. Idle workers cost as much as busy ones.
# * To reach a server that listens on loopback, use a tunnel that ends at its own node, through the login node.
# * Do not believe slides or lists: check which file is imported, on the node where it runs.
# * Pins age. Publish ranges, keep a lock file.
# * Apptainer runs Docker images as you. Kubernetes restores pods; only Dask restores results.
# * Dask, Spark and Ray: tasks on parts, results combined. Choose by what you have.

# %% [markdown]
# ## Quiz and cards

# %% tags=["quiz"]
lessons.quiz("14")

# %% tags=["cards"]
lessons.cards("14")

# %% [markdown] anchor="where-it-runs"
# ### Laptop, one GPU, cluster
#
# * **Laptop:** scripts are read and run as shell scripts, two processes stand in for two nodes, and the tunnel goes from one port to another.
# * **One GPU:** the same. `gpucluster kinds` then offers `cuda`.
# * **Run on a GPU:** not yet.
# * **Cluster:** open this lesson in Jupyter on a login node, or in a job. The script of section 2 is submitted (one node, two tasks, two minutes; it prints two lines), and Slurm tests 14.3 with `sbatch --test-only`. Then do it for real:
#   `gpucluster create --backend slurm --dry-run`, `gpucluster tunnel`, and [from an account to k-means on eight GPUs](https://github.com/gpucluster/gpucluster/blob/main/docs/hpc.md#from-an-account-to-k-means-on-eight-gpus).
#
# Sources of the rules: `man sbatch` of Slurm 22.05; the commands of distributed 2026.8; dask-jobqueue 0.9; the documentation of Apptainer 1.4, of Dask's operator 2026.3, and of `ssh`. The
# facts about Leonardo are from the slides that this lesson responds to, and from CINECA's pages. The whole lesson was run with our own Slurm 22.05 (three nodes on one machine), not on Leonardo; the
# reduction of section 9 also ran with Ray 2.60.0 and Spark 4.3.0 on one machine. No container image was run, and no
# Kubernetes was available.

# %% tags=["run"]
shutil.rmtree(FOLDER, ignore_errors=True)
lab.close()

# %% [markdown] tags=["instructor"]
# ### For the instructor
#
# * **Goal:** learners can explain why something that works on the login node fails on a compute node, can read and write a batch script, and can connect from a laptop to Jupyter on a node.
# * **Time:** 15 section 1 · 34 section 2 · 16 section 3 · 15 section 4 = 80 with a break. Second session: 14 section 5 · 24 section 6 · 15 section 7 · 14 section 8 · 13 section 9, quiz.
# * **If you run late:** 14.5 and 14.10 are good homework. Section 9 can be read at home.
# * **On the projector:** the map of section 1: at each step, ask what may connect to what before you click. Then a batch script from the class with one directive below the first command: can anyone find it?
# * **With an account on a cluster:** everyone submits the script of section 2 and looks at it with `squeue --me` and `scontrol show job`. Ask the site for a reservation in advance, or there will be a queue.
# * **Common mistakes:** 14.1: steps that fit on both go to compute; the limit itself is taken as too much. 14.2: reads on after the first command; takes `##SBATCH`; a comment at the end becomes a value. 14.3: `gres=gpu:0` for CPU workers; minutes above a day written as hours and minutes;
#   directives after `module load`; `rapids/2023.12` in the code. 14.4: a string with an unquoted space; `dask-scheduler`. 14.5: overlaps counted twice; busy time outside the job; cores only. 14.6: `-L` to the node's name while it listens on loopback; the two ports swapped.
#   14.7: `replace` on the whole text turns `dask-cudf` into something else; the value of `-c` is taken as a package. 14.9: the program's own `-v` is translated; an option is removed but its value stays. 14.10: `dict(manifest)`, which changes the given one. 14.11: means of means; `combine` changes `a`.
# * **Do not promise:** that a slide's module exists, that pip has InfiniBand, or that a tool is faster. Have learners check the machine.
