# ---
# jupyter:
#   gpucluster:
#     lesson: "00"
#     title: "Check-in: what am I running on?"
#     minutes: 25
#     needs: cpu
#     objectives:
#       - start, inspect and close a cluster
#       - find out in which process a piece of code runs
#       - open the gauges and the dashboard, even behind a hub
#       - tell a laptop, one accelerator and a cluster apart
#     topics:
#       processes: {title: Notebook, scheduler and workers, link: "00#processes"}
#       dashboards: {title: Gauges and dashboards, link: "00#dashboards"}
#       lifetime: {title: Starting and stopping a cluster, link: "00#lifetime"}
#       devices: {title: One worker for each device, link: "00.5"}
# ---

# %% [markdown]
# # Check-in: what am I running on?
#
# **25 minutes** (10 of reading, 15 of writing) · you need: Python and a little pandas, but no Dask
#
# After this lesson, you can
#
# * **start**, **inspect** and **close** a cluster;
# * **find out** in which process a piece of code runs;
# * **open** the gauges and the dashboard, even behind a hub;
# * **tell** a laptop, one accelerator and a cluster apart.
#
# Work from top to bottom. Where you see `...`, it is your turn. Three functions help:
#
# | | |
# |---|---|
# | `check("00.1", inspect)` | tries your answer and shows which properties hold |
# | `hint("00.1")` | gives the next of three hints |
# | `solution("00.1")` | shows one correct solution after the hints |
#
# In all lessons: unless an exercise says otherwise, a function must not change its arguments, and must return the same result each time.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("00")

# %% [markdown] anchor="three-machines"
# The output above shows what you are running on. Read it now:
#
# * **Cluster**: its name, and how it was created. The panel on the left shows the same cluster.
# * **Workers**: how many there are, their kind, and the threads and memory limit of each.
# * **Kind**: why this kind of worker was chosen, and whether an accelerator was found.
# * **Blocks**: the libraries whose objects hold the data on the workers.
#
# On a laptop you see two workers, and NumPy and pandas. The rest of this notebook is the same everywhere.
#
# `lessons.start` replaces two lines, so that the lessons start the same way everywhere. In plain Dask you would write
#
# ```python
# cluster = LocalCluster(n_workers=2, threads_per_worker=1)
# client = Client(cluster)
# ```
#
# and use `client` where these notebooks use `lab.client`. The last cell, `lab.close()`, stands for `client.close()` and
# `cluster.close()`.

# %% tags=["run"]
import os
import time
import warnings

import gpucluster
from distributed import LocalCluster

from gpucluster.lessons import check, compare, hint, predict, solution
from gpucluster.lessons.figures import checkin as figures
from gpucluster.lessons.probes.processes import processes_of
from gpucluster.lessons.probes.dashboard import reach_dashboard

# %% [markdown] anchor="processes"
# ## 1. Notebook, scheduler, workers
#
# Your notebook is one process. A **cluster** consists of more processes:
#
# * the **scheduler** decides which worker does what, and when (there is exactly one);
# * the **workers** do the work and hold the results;
# * a **client** (here `lab.client`) connects your notebook to the scheduler.
#
# A small **starter** process starts the workers, and replaces any that die.
#
# **Predict:** how many processes does your cluster have, not counting your notebook? (Two workers, and … ?)

# %% tags=["predict"]
predict("00.a", 4)  # SOLUTION

# %% tags=["run"]
nodes = processes_of(lab.cluster, lab.client)
figures.process_tree(nodes)
compare("00.a", len(nodes) - 1, "processes")

# %% [markdown]
# **Explain:** each box is a real process on this machine, with its process ID (*pid*) and the memory it holds. An arrow
# means "started". No arrow leads from your notebook to the cluster: the cluster does not depend on it. You can restart the
# kernel, and the cluster is still there.

# %% [markdown] exercise="00.1" title="How large is the cluster?" topic="processes"
# ### Exercise 00.1 · How large is the cluster? (5 min)
#
# `client.scheduler_info(n_workers=-1)` returns a dictionary. Under `"workers"` it has one entry per worker. (`n_workers=-1` means all of them. It
# is the default in Dask 2026.8; in some older versions the default was **five**, without a warning. So always write it.)
#
# Use only this call in `inspect`: the check also passes a stand-in for the client of a larger cluster, which supports only this call.

# %% tags=["run"]
workers = lab.client.scheduler_info(n_workers=-1)["workers"]
address, first = next(iter(workers.items()))
{key: first[key] for key in ("name", "nthreads", "memory_limit", "status")}

# %% tags=["exercise"] exercise="00.1"
def inspect(client):
    """Return three whole numbers, for all workers together: workers, threads, bytes of memory they may use."""
    ### BEGIN SOLUTION
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    threads = sum(worker["nthreads"] for worker in workers)
    memory = sum(worker["memory_limit"] for worker in workers)
    return len(workers), threads, memory
    ### END SOLUTION

# %% tags=["check"] exercise="00.1"
check("00.1", inspect)

# %% [markdown] tags=["hint-1"] exercise="00.1"
# `scheduler_info(n_workers=-1)["workers"]` is a dictionary {address: facts}. How many entries does it have?

# %% [markdown] tags=["hint-2"] exercise="00.1"
# The facts about one worker are also a dictionary. You need its `"nthreads"` and `"memory_limit"`, summed over all
# workers. `.values()` gives you all facts without the addresses.

# %% [markdown] tags=["hint-3"] exercise="00.1"
# `workers = client.scheduler_info(n_workers=-1)["workers"].values()`. Then `len(workers)`,
# `sum(worker["nthreads"] for worker in workers)`, and the same with `"memory_limit"`. Return the three.

# %% tags=["run"]
if found := inspect(lab.client):
    print("{:,} workers, {:,} threads, {:,} bytes".format(*found))

# %% [markdown] anchor="where-code-runs"
# ## 2. Where does my code run?
#
# `client.submit(function, …)` sends a function to **one** worker. It immediately returns a **future**: a reference to a
# result that may not exist yet. `future.result()` waits for the result and brings it to the notebook.
#
# `os.getpid()` returns the ID of the process it runs in.
#
# **Predict:** you submit `os.getpid`. Whose process ID comes back: that of the `"notebook"` or of a `"worker"`?

# %% tags=["predict"]
predict("00.b", "worker")  # SOLUTION

# %% tags=["run"]
future = lab.client.submit(os.getpid, pure=False)
print("at once:   ", future.status)
answer = future.result()
print("later:     ", future.status, answer)
compare("00.b", "notebook" if answer == os.getpid() else "worker")

# %% [markdown]
# **Explain:** first the future is `pending`: the task waits in the scheduler's queue or runs. Then it is `finished`.
# (`pure=False` means: run it again, even if the same call was made before. Without it, Dask assumes that the same function with
# the same arguments has the same result, and may return the old one.)
#
# `client.run(function)` is different: it runs the function on **every** worker, bypassing the queue, and returns a dictionary
# {address: result}. Use it to ask questions, not to compute.

# %% [markdown] exercise="00.3" title="One process for each worker" topic="processes"
# ### Exercise 00.3 · One process for each worker (3 min)
#
# Write `worker_pids`: the process IDs of **all** workers, in any order.

# %% tags=["exercise"] exercise="00.3"
def worker_pids(client):
    """Return the pids of all workers, as a list."""
    ### BEGIN SOLUTION
    return list(client.run(os.getpid).values())
    ### END SOLUTION

# %% tags=["check"] exercise="00.3"
check("00.3", worker_pids)

# %% [markdown] tags=["hint-1"] exercise="00.3"
# `os.getpid()` in the notebook returns the notebook's own ID. The function must run on every worker.

# %% [markdown] tags=["hint-2"] exercise="00.3"
# `client.submit` chooses **one** worker. The other function in the text above runs on every worker.

# %% [markdown] tags=["hint-3"] exercise="00.3"
# `client.run(os.getpid)` returns {address: pid}. You need only the values, as a list.

# %% [markdown] anchor="dashboards"
# ## 3. Look at it: gauges and dashboard
#
# The gauges show the memory, cores and tasks of each worker. They move while you work. Run the cell, and keep them
# visible.

# %% tags=["run"]
lab.cluster.gauges()

# %% tags=["run"]
futures = lab.client.map(time.sleep, [0.2] * 10, pure=False)
lab.client.gather(futures)
print("10 tasks are done. Look at the gauges.")

# %% [markdown]
# Dask has a **dashboard** with more than twenty pages. Open it from the panel on the left, or with
# `lab.cluster.dashboard("task-stream")` in a cell. It is a small web server inside the scheduler's process. Does it answer?

# %% tags=["run"]
reach_dashboard(lab.cluster)

# %% [markdown] anchor="dashboard-port"
# **Spot the error.** A slide says: *"By default, the dashboard will be served at http://localhost:8787/status. You can
# type this address into your browser."* When does this fail? Think of two cases, then open the answer.
#
# <details><summary>Answer</summary>
#
# 1. Port 8787 is taken, for example by your neighbour's cluster on the same machine. Dask then uses another port. The cell below makes
#    this happen.
# 2. Your browser is not on the scheduler's machine (a hub, a compute node). `localhost` is then the wrong computer.
#
# The address can be set: `dashboard_address=":0"` means any free port. With `gpucluster` you need no port: the page comes through
# Jupyter, which also checks access.
#
# </details>

# %% tags=["run"]
with LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0") as own:
    taken = own.scheduler.http_server.port
    print("any free port:  ", own.dashboard_link)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with LocalCluster(n_workers=1, processes=False, dashboard_address=f"127.0.0.1:{taken}") as second:
            print("the same port:  ", second.dashboard_link)
    for warning in said:
        if "already in use" in str(warning.message):
            print(warning.message)

# %% [markdown] exercise="00.2" title="The address of the dashboard" topic="dashboards"
# ### Exercise 00.2 · The address of the dashboard (4 min)
#
# You work behind a hub. Your Jupyter server is at `https://hub.school.org/user/ana/` (in the browser, this comes before `lab`).
# The cluster reports that its page has the path `gpucluster/dashboard/d6148ea1/status` **below** that; a path never starts with
# `/`.
#
# Write `dashboard_url`, which joins the two. People copy addresses with and without the trailing `/`; both must work.

# %% tags=["exercise"] exercise="00.2"
def dashboard_url(server, path):
    """Return the address of the page `path` below the address `server`."""
    ### BEGIN SOLUTION
    return server.rstrip("/") + "/" + path.lstrip("/")
    ### END SOLUTION

# %% tags=["check"] exercise="00.2"
check("00.2", dashboard_url)

# %% [markdown] tags=["hint-1"] exercise="00.2"
# Keep all of the server's address: `/user/ana` belongs to it. Between the two parts there must be exactly one `/`.

# %% [markdown] tags=["hint-2"] exercise="00.2"
# `urllib.parse.urljoin` looks right but is not: without the trailing `/`, it replaces `ana`. Strip the slashes first,
# then add one.

# %% [markdown] tags=["hint-3"] exercise="00.2"
# `text.rstrip("/")` removes all `/` at the end, `text.lstrip("/")` those at the start.

# %% tags=["run"]
path = lab.cluster.model.dashboard_path
for server in ("http://localhost:8888", "https://hub.school.org/user/ana/"):
    print(dashboard_url(server, path) or "Not yet: write dashboard_url first.")

# %% [markdown] exercise="00.5" title="One worker, one device" topic="devices"
# ## 4. One worker for each device
#
# A machine may have several **accelerator devices**. One worker process is then started for each of them. How do they avoid using the
# same device? Each worker gets a list of the devices it may see, and programs use the **first** in the list. All workers see all
# devices, but each list starts at a different device and wraps around at the end:
#
# | worker | sees |
# |---|---|
# | 0 | `0,1,2,3` |
# | 1 | `1,2,3,0` |
# | 2 | `2,3,0,1` |
#
# So each worker uses a different device, and can still reach the others to exchange data.
#
# ### Exercise 00.5 · One worker, one device (4 min)
#
# `devices` is a comma-separated string; names may be long, such as `"dev-8f1e,dev-77ab"`. There are no more workers than devices.

# %% tags=["exercise"] exercise="00.5"
def visible_to(worker, devices):
    """Return the list of devices for worker number 0, 1, …, as one string with commas."""
    ### BEGIN SOLUTION
    names = devices.split(",")
    return ",".join(names[worker:] + names[:worker])
    ### END SOLUTION

# %% tags=["check"] exercise="00.5"
check("00.5", visible_to)

# %% [markdown] tags=["hint-1"] exercise="00.5"
# First make a list of names from the string: `devices.split(",")`.

# %% [markdown] tags=["hint-2"] exercise="00.5"
# The list for worker 2 is: everything from index 2 to the end, then everything before index 2.

# %% [markdown] tags=["hint-3"] exercise="00.5"
# `names[worker:] + names[:worker]` is the rotated list. `",".join(…)` turns it into a string.

# %% [markdown]
# And the cores? No list is set for them. See which cores each of your workers may use:

# %% tags=["run"]
def cores():
    """Return the numbers of the cores that this process may use, where the system says so."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else "the system does not say"


for address, found in lab.client.run(cores).items():
    print(address, "may use the cores", found)
print("devices that this worker sees:", set(lab.client.run(os.environ.get, "CUDA_VISIBLE_DEVICES").values()))

# %% [markdown]
# All workers may use the same cores here: the operating system divides them. (`None` in the last line means that no list
# was set.)

# %% [markdown] anchor="lifetime"
# ## 5. Start a cluster, and leave nothing behind
#
# A forgotten cluster holds memory and ports. On a shared machine, others may be waiting for them. A `with` block cannot forget:
# the cluster stops when the block ends, even with an error. (A cluster without connections and computations stops itself after an
# hour.)

# %% tags=["run"]
began = time.perf_counter()
with gpucluster.create("local", n_workers=1) as small, small.get_client() as client:
    print(f"{small.name} runs after {time.perf_counter() - began:.1f} s")
    kept = client.submit(sum, [1, 2, 3])
    print("The result is", kept.result())
print(f"{small.name} is {small.state}")

# %% tags=["run"]
# %gpucluster list

# %% [markdown] anchor="stopped"
# **A real failure.** The cluster is gone. What happens if you use its client again?

# %% tags=["run"]
with lessons.expect_failure():
    client.submit(sum, [4, 5, 6])

# %% [markdown]
# **Explain:** the client is only a connection. When the cluster stops, all results on its workers are lost, too: `kept`
# refers to something that no longer exists. Fetch what you need into the notebook, or write it to a file, **before** you
# stop.

# %% [markdown] exercise="00.4" title="Borrow a cluster" topic="lifetime"
# ### Exercise 00.4 · Borrow a cluster (6 min)
#
# Write `borrow`: it starts a cluster by calling `start()`, calls `job(client)` with a client of that cluster, and returns the job's result. (`start()`
# returns a Dask cluster; `Client(cluster)` connects to it.) Afterwards **nothing** is left running, even if the job fails. (Its error must still reach the
# caller.)

# %% tags=["exercise"] exercise="00.4"
from distributed import Client


def borrow(start, job):
    """Run job(client) on a cluster made by start(); return its result and leave nothing running."""
    ### BEGIN SOLUTION
    with start() as cluster, Client(cluster) as client:
        return job(client)
    ### END SOLUTION

# %% tags=["check"] exercise="00.4"
check("00.4", borrow)

# %% [markdown] tags=["hint-1"] exercise="00.4"
# Two things must be closed: the client and the cluster. Both work in a `with` statement.

# %% [markdown] tags=["hint-2"] exercise="00.4"
# `with start() as cluster:` stops the cluster at the end of the block. `Client(cluster)` connects to it, and also works in
# a `with` statement.

# %% [markdown] tags=["hint-3"] exercise="00.4"
# One `with` statement can open both: `with start() as cluster, Client(cluster) as client:`. Inside it,
# `return job(client)`. Do not catch errors.

# %% [markdown] tags=["keypoints"]
# ## Key points
#
# * A cluster is one scheduler, some workers, and a client in your notebook: separate processes.
# * `client.submit` runs a function on one worker and returns a future; `client.run` runs it on every worker.
# * `scheduler_info(n_workers=-1)` shows all workers, in every version of Dask.
# * The dashboard is a web page served by the scheduler. Behind a hub, it comes through Jupyter, below your server's
#   address.
# * One worker for each device: each worker sees a rotated list, and uses the first device.
# * Results live on the workers. When the cluster stops, they are lost. Use `with`.

# %% [markdown]
# ## Check yourself

# %% tags=["quiz"]
lessons.quiz("00")

# %% tags=["cards"]
lessons.cards("00")

# %% [markdown] anchor="elsewhere"
# ## On a laptop, on one GPU, on a cluster
#
# | | what `lessons.start` does | workers |
# |---|---|---|
# | laptop | `gpucluster.create("auto", n_workers=2)` finds no GPU | 2 CPU workers, pandas and NumPy blocks |
# | one GPU | the same call finds it, and starts one worker, because each GPU gets one worker | 1 GPU worker, cuDF and CuPy blocks if installed |
# | one machine with 8 GPUs | the same; `gpucluster.create("cuda")` uses all of them | one per GPU |
# | several machines | a running cluster, named in `GPUCLUSTER_LESSON_CLUSTER` | as many as there are |
#
# In plain Dask-CUDA, the second and third rows are `LocalCUDACluster()`: one worker process per GPU, each with its own GPU context. In both cases the
# scheduler is an ordinary CPU process. For GPUs with NVLink, add `protocol="ucx"`; do the same between machines with InfiniBand. On a laptop, local sockets
# are enough. (NVLink connects the GPUs on one machine; InfiniBand connects machines. UCX is a library that can use both; TCP is the ordinary network
# protocol. A GPU context is what a process needs before it can use the GPU.)

# %% [markdown] tags=["instructor"]
# ## For the instructor
#
# **Goal:** everyone has a cluster, sees the panel, and knows that code runs elsewhere. Nothing else matters today.
#
# **Timing:** 5 min for the first cell and the panel (walk around: does everyone see two workers?), 10 min for 00.1 and 00.3,
# 10 min for the rest. 00.5 can wait until you use GPUs.
#
# **Frequent mistakes:** `scheduler_info()` without `n_workers=-1` (the check's client behaves like older versions of Dask: five workers,
# no warning); ten futures of `client.submit(os.getpid)` (only one pid: the same call runs once); `urljoin` in 00.2; in 00.4
# `cluster.close()` as the last line, which is not reached when the job fails.
#
# **Projector:** the gauges beside the notebook, and the process tree. Stop the kernel of your own notebook, and show in the panel that
# the cluster keeps running.
#
# **When late:** skip 00.2 and 00.5.

# %% tags=["run"]
lab.close()
