# ---
# jupyter:
#   gpucluster:
#     lesson: "04"
#     title: "Break it: failure and recovery"
#     minutes: 45
#     needs: cpu
#     topics:
#       placement: {title: Where results are, link: "04#placement"}
#       recomputation: {title: What is computed again, link: "04.1"}
#       lost-inputs: {title: Lost inputs, link: "04#scatter"}
#       side-effects: {title: Tasks that write, link: "04#impure"}
#       giving-up: {title: When Dask gives up, link: "04#killed-worker"}
#     objectives:
#       - explain from the graph which tasks are recomputed
#       - prove that an answer survives the loss of a worker
#       - distinguish lost results from lost inputs
#       - fix a task that is not safe to run twice
#       - decide how many times Dask may try
# ---

# %% [markdown]
# # Break it: failure and recovery
#
# **45 minutes** (20 of reading, 25 of writing) · you need: lesson 02 (graphs, futures, persist)
#
# After this lesson, you can
#
# * **explain** from the graph which tasks are recomputed;
# * **prove** that an answer survives the loss of a worker;
# * **distinguish** lost results from lost inputs;
# * **fix** a task that is not safe to run twice;
# * **decide** how many times Dask may try.
#
# Work from top to bottom. Where you see `...`, it is your turn. `check("04.1", rerun)` tries your answer, `hint("04.1")` gives the next
# of three hints, and `solution("04.1")` shows one correct solution after the hints. Unless an exercise says otherwise, a function must
# not change its arguments, and must return the same result each time.
#
# **This lesson kills worker processes on purpose.** So it creates a separate cluster (`apart=True`), even if another one is running.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("04", apart=True)

# %% [markdown]
# The output above shows what you are running on. `lab.client` is an ordinary Dask client: without `lab`, you would write
# `client = Client(LocalCluster(n_workers=2))`. The rest of this notebook is the same everywhere.
#
# <details><summary>Helpers in this lesson, and what they replace</summary>
#
# | here | without our helper |
# |---|---|
# | `addresses(client)` | `list(client.scheduler_info(n_workers=-1)["workers"])`, sorted by name |
# | `crash(client, worker)` | `client.run(os._exit, 1, workers=[worker], on_error="ignore")`, then wait until the scheduler has noticed |
# | `recovered(client, futures)` | `wait(futures)`, but checked at the scheduler: for a moment, the notebook does not yet know what was lost |
# | `restored(client, n)` | `client.wait_for_workers(n)`, which may count a dead worker for two more seconds |
# | `TaskHistory(client)` | `client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.transition_log))`: a task that goes from *processing* to *memory* was computed |
#
# </details>

# %% tags=["run"]
import os
import tempfile
import time
from concurrent.futures import CancelledError
from pathlib import Path

import dask
from distributed import wait
from distributed.scheduler import KilledWorker

from gpucluster import datasets
from gpucluster.lessons import check, compare, expect_failure, hint, predict, solution
from gpucluster.lessons.figures import recovery as figures
from gpucluster.lessons.simulations.recovery import TaskHistory, addresses, crash, expect_crashes, recovered, restored

# %% [markdown] anchor="placement"
# ## 1. A graph, and where its results are
#
# By how many minutes in total did New York's flights leave late in 2013? For each month, one task reads the flights, and
# one sums the minutes. A final task sums the months. All numbers are whole minutes, so the sum is exact in any order.

# %% tags=["run"]
def read(month):
    """Read one month of departure delays; the sleep stands for a slow disk."""
    time.sleep(0.2)
    table = datasets.flights(as_frame="pandas", columns=["month", "dep_delay"])
    return table.loc[table.month == month, "dep_delay"]


def late(delays):
    return int(delays.clip(lower=0).sum())


def add(*minutes):
    return sum(minutes)


graph = {f"read-{month:02d}": [] for month in range(1, 13)}
graph |= {f"late-{month:02d}": [f"read-{month:02d}"] for month in range(1, 13)}
graph["total"] = [f"late-{month:02d}" for month in range(1, 13)]


def build():
    """Return the 25 tasks of the graph, lazily, by name."""
    tasks = {}
    for key, needed in graph.items():
        inputs = [tasks[one] for one in needed]
        if key.startswith("read"):
            inputs = [int(key[-2:])]
        function = {"read": read, "late": late, "total": add}[key.split("-")[0]]
        tasks[key] = dask.delayed(function)(*inputs, dask_key_name=key)
    return tasks


display(lessons.banner("flights"))
print(f"{len(graph)} tasks")

# %% [markdown]
# Nothing has run yet, and no workers have been chosen. "Even though the process is defined, the place where the result will be stored is not assigned",
# say the slides. Let us look: we run the same graph twice, and each time ask the scheduler which workers have the results. We keep futures of the `late`
# tasks and of `total`, but not of the `read` tasks.

# %% tags=["run"]
WANTED = [key for key in graph if not key.startswith("read")]


def run():
    """Compute the graph; return futures of what we want to keep."""
    tasks = build()
    computed = lab.client.compute([tasks[key] for key in WANTED], optimize_graph=False)
    wait(computed)
    return dict(zip(WANTED, computed))


def places(futures):
    """Which workers hold each result: {key: set of addresses}."""
    held = lab.client.who_has(list(futures.values()))
    return {key: set(held[future.key]) for key, future in futures.items()}


def forget(futures):
    """Give results up, and wait until the scheduler has dropped them."""
    futures.clear()
    for _ in range(100):
        if not lab.client.run_on_scheduler(lambda dask_scheduler: "total" in dask_scheduler.tasks):
            break
        time.sleep(0.05)


futures = run()
first = places(futures)
undisturbed = futures["total"].result()
forget(futures)
futures = run()
second = places(futures)

names = {address: f"worker {number}" for number, address in enumerate(addresses(lab.client))}
for key in ["late-01", "late-02", "late-03", "total"]:
    print(f"{key}: first on {', '.join(names[one] for one in first[key])}, "
          f"then on {', '.join(names[one] for one in second[key])}")
print(f"{sum(first[key] != second[key] for key in WANTED)} of {len(WANTED)} results are somewhere else the second time")
print(f"the total is the same: {undisturbed:,} and {futures['total'].result():,} minutes")

# %% [markdown]
# **Explain:** the graph says *what* depends on what. The scheduler decides *where* a task runs only at run time, from what the workers are doing at that
# moment. So a graph can finish on different workers than it started on. (Sometimes both runs look the same; nothing guarantees it either way.)
#
# The `read` results are no longer anywhere: no future refers to them, and no task still needs them, so Dask has **released** them. But the scheduler
# still knows how to make them: it keeps the **recipe** for everything that a future depends on.

# %% [markdown]
# ## 2. A worker crashes
#
# `crash` kills a worker's process instantly, as a power cut would (`os._exit(1)` in the worker). What it held is gone. Then two things
# happen. A *nanny*, which watches the worker, has a new, empty one started. (Here the nannies run in the scheduler's process, and the starter
# from lesson 00 starts the new worker for them.) And the scheduler checks its graph: which of the lost results are still needed?
#
# `expect_crashes` prepares the cluster for a lesson with many crashes: from then on, only the nannies replace workers.
#
# **Predict:** we have futures of the 12 `late` tasks and of `total`. The worker that holds `total` crashes. How many of the 25 tasks are
# recomputed?

# %% tags=["predict"]
expect_crashes(lab.client)
predict("04.a", 13)  # SOLUTION

# %% [markdown] exercise="04.1" title="Which tasks run again?" topic="recomputation"
# ### Exercise 04.1 · Which tasks run again? (10 min)
#
# Write `rerun`. Its arguments are
#
# * `graph`: for each key, the list of keys that it needs, as above;
# * `memory`: for each key whose result is in memory, the **set** of workers that hold it (there may be several). Some of these results may no longer be
#   needed;
# * `wanted`: the set of keys with futures;
# * `lost`: the worker that crashes.
#
# It returns the set of keys that are recomputed. All tasks have been computed before; what is not in `memory` has been released.
#
# The check tries it on 200 random graphs. Then it computes one on your cluster, crashes a worker, and compares your prediction with the scheduler's log.

# %% tags=["exercise"] exercise="04.1"
def rerun(graph, memory, wanted, lost):
    """Return the set of keys that are computed again when the worker is lost."""
    ### BEGIN SOLUTION
    again = set()
    todo = list(wanted)
    while todo:
        key = todo.pop()
        if key not in again and not memory.get(key, set()) - {lost}:  # no other worker has it
            again.add(key)
            todo.extend(graph[key])
    return again
    ### END SOLUTION

# %% tags=["check"] exercise="04.1"
check("04.1", rerun)

# %% [markdown] tags=["hint-1"] exercise="04.1"
# Start with the wanted keys. A wanted key that another worker still holds is safe. If no worker holds it any more, look at what it
# needs, and ask the same question there.

# %% [markdown] tags=["hint-2"] exercise="04.1"
# `memory.get(key, set()) - {lost}` is the set of workers that still hold a key after the crash. If it is empty, the key must be recomputed, and you must
# check each key in `graph[key]` in the same way.

# %% [markdown] tags=["hint-3"] exercise="04.1"
# Keep a list `todo = list(wanted)` and a set `again`. While there is something in `todo`: take a key with `pop`; if it is not in `again` and no
# other worker holds it, add it to `again`, and add `graph[key]` to `todo`. A key that is neither wanted nor needed is never looked at.

# %% [markdown]
# Now for real. `TaskHistory` reads from the scheduler's log how many times each task was computed inside its block.

# %% tags=["run"]
forget(futures)  # the check has crashed a worker, too: start again
futures = run()
lab.client.amm.stop()  # the memory manager drops copies now and then: not just now
held = places(futures)
[victim, *_] = held["total"]
prediction = rerun(graph, held, set(WANTED), victim)

n_workers = len(addresses(lab.client))
with TaskHistory(lab.client) as history:
    crash(lab.client, victim)
    recovered(lab.client, futures.values())
lab.client.amm.start()
restored(lab.client, n_workers)

again = set(history.computed)
print(f"the total is still {futures['total'].result():,} minutes; {n_workers} workers again")
if prediction is not None:
    print(f"predicted: {len(prediction)} tasks; seen in the log: {len(again)}: "
          f"{'the same tasks' if prediction == again else 'not the same tasks'}")
compare("04.a", len(again), "tasks")

# %% tags=["run"]
figures.recomputed(graph, {key: min(workers - {victim} or workers) for key, workers in held.items()}, again, victim)

# %% [markdown]
# **Explain:** Dask recomputes only the crashed worker's results and what they need: their `read` results had been released, so those tasks had to
# run again as well. What the other worker held was not touched.
#
# **Change:** crash the *other* worker (`victim = next(one for one in addresses(lab.client) if one not in held["total"])`). To sum the months, the
# worker of `total` had fetched all `late` results, and these copies exist for some seconds: perhaps nothing has to be recomputed. Then keep futures
# of the `read` tasks as well (`WANTED = list(graph)`), and rerun from section 1. How many tasks now? And what does it cost in memory?

# %% tags=["run"]
forget(futures)

# %% [markdown] exercise="04.2" title="Survive a crash in the middle" topic="recomputation"
# ## 3. A crash in the middle
#
# ### Exercise 04.2 · Survive it (8 min)
#
# Write `survive`: it starts computing a lazy result and crashes a worker **that has done part of the work, while the rest is still running**. It returns the
# result once there are as many workers as before. Do not wait a fixed number of seconds: the check has fast and slow tasks, and fast and slow workers.
#
# Useful: `client.compute(lazy)` starts it and immediately returns a future. `client.has_what()` shows what each worker holds: `{address: (keys…)}`.
# `crash(client, address)` and `restored(client, n_workers)` are the ones from above.

# %% tags=["exercise"] exercise="04.2"
def survive(client, lazy):
    """Compute a lazy result, crash a worker in the middle, and return the result."""
    ### BEGIN SOLUTION
    n_workers = len(addresses(client))
    future = client.compute(lazy)
    holding = []
    while not holding:
        time.sleep(0.05)
        holding = [address for address, keys in client.has_what().items() if len(keys) >= 2]
    crash(client, holding[0])
    result = future.result()
    restored(client, n_workers)
    return result
    ### END SOLUTION

# %% tags=["check"] exercise="04.2"
check("04.2", survive)

# %% [markdown] tags=["hint-1"] exercise="04.2"
# Four steps: start, wait a moment, crash, fetch the result. "A moment" is not a fixed number of seconds: wait until some worker holds
# something.

# %% [markdown] tags=["hint-2"] exercise="04.2"
# `[address for address, keys in client.has_what().items() if keys]` are the workers that hold a result. Check repeatedly, with a short
# `time.sleep` in between, until there is one. Choose the victim among these.

# %% [markdown] tags=["hint-3"] exercise="04.2"
# Count the workers first: `len(addresses(client))`. Start the work in the background (`client.compute`), and wait in a `while` loop until a worker
# holds at least two results. Then `crash(client, …)` that worker, ask the future for its result, and wait with `restored(client, …)`.

# %% tags=["run"]
with TaskHistory(lab.client) as history:
    disturbed = survive(lab.client, build()["total"])

if disturbed is not None:
    print(f"undisturbed: {undisturbed:,} minutes")
    print(f"with a crash: {disturbed:,} minutes; the difference is {disturbed - undisturbed}")
    print(f"computed more than once: {', '.join(sorted(history.again)) or 'nothing'}")
else:
    print("Not yet: write survive first (exercise 04.2).")

# %% [markdown]
# ### Spot the error
#
# > "In case of a failure, Dask reaches a node and repeats the action **without disturbing the rest of the process**."
#
# You have seen it work. What does this claim hide? Think of three things before you open the answer.
#
# <details><summary>Answer</summary>
#
# 1. It is not one *action*: Dask recomputes all results that the worker held and that are still needed, and any released inputs, back to
#    the start of the graph.
# 2. The rest *is* disturbed: everything that depends on these results waits longer, and the remaining workers have more to do.
# 3. It is true only if a task can be repeated: its inputs must still be there (section 4), and running it twice must do no harm (section
#    5).
# </details>

# %% [markdown] anchor="scatter"
# ## 4. Lost inputs: scatter has no recipe
#
# `client.scatter(data)` sends data from the notebook to a worker and returns a future. It looks like the future of a task. Let us
# lose that data.

# %% tags=["run"]
def load():
    """The data, as the notebook got it from somewhere."""
    table = datasets.flights(as_frame="pandas", columns=["dep_delay"])
    return table.dep_delay.dropna().to_numpy()


def late_minutes(delays):
    return int(delays.clip(min=0).sum())


holder = addresses(lab.client)[-1]
scattered = lab.client.scatter(load(), workers=[holder], hash=False)
minutes = lab.client.submit(late_minutes, scattered, pure=False)
print(f"before the crash: {minutes.result():,} minutes; the future is {scattered.status}")

crash(lab.client, holder)
with expect_failure(CancelledError):
    lab.client.submit(late_minutes, scattered, pure=False).result()
print(f"the future of the data is now {scattered.status}")
restored(lab.client, n_workers)

# %% [markdown]
# **Explain:** read the message. The scheduler did not rerun anything. It dropped the data and everything that depends on it, because no task can
# make it again. (Whether you see `lost dependencies` or `already forgotten` depends on which process noticed first.)

# %% [markdown] exercise="04.3" title="Load again what was lost" topic="lost-inputs"
# ### Exercise 04.3 · Load it again (8 min)
#
# 1. Write `with_reload`: run `task(data)` on the cluster, where `data` is the future of scattered data. If the data is lost, call `reload()` in the
#    notebook, scatter what it returns, and run the task on that. Return **two** things: the result, and the future of the data to use next time. An
#    error in the task itself, such as a `ValueError`, is not a loss: it must reach the caller.
# 2. Why can Dask not restore scattered data automatically? Set `why` to `"a"`, `"b"`, `"c"` or `"d"`:
#
#    * a: it could, but takes longer than `timeout`
#    * b: because the data was too large for the other workers
#    * c: because no task in the graph makes it; the notebook made it
#    * d: because only the nanny may read it

# %% tags=["exercise"] exercise="04.3"
def with_reload(client, data, task, reload):
    """Run task(data); load the data again if it was lost. Return the result and the future of the data."""
    ### BEGIN SOLUTION
    try:
        return client.submit(task, data, pure=False).result(), data
    except CancelledError:
        data = client.scatter(reload(), hash=False)
        return client.submit(task, data, pure=False).result(), data
    ### END SOLUTION


why = "c"  # SOLUTION

# %% tags=["check"] exercise="04.3"
check("04.3", with_reload, why)

# %% [markdown] tags=["hint-1"] exercise="04.3"
# In a `try:` block, submit the task and fetch its result. Which error means that data was lost? It is in the box above. Catch only this
# one.

# %% [markdown] tags=["hint-2"] exercise="04.3"
# The error is a `CancelledError` (precisely, its subclass `FutureCancelledError`). In `except CancelledError:`, scatter what `reload()`
# returns, and submit the task again. Use `pure=False`, because the task is repeated on purpose.

# %% [markdown] tags=["hint-3"] exercise="04.3"
# In the `try` block: `return client.submit(task, data, pure=False).result(), data`. In the `except` block: `data = client.scatter(reload(),
# hash=False)`, and the same `return` again. For `why`: who made the data?

# %% tags=["run"]
answer = with_reload(lab.client, scattered, late_minutes, load)
if answer is not None:
    total_minutes, scattered = answer
    print(f"{total_minutes:,} minutes; the future of the data is {scattered.status}")
else:
    print("Not yet: write with_reload first (exercise 04.3).")
del scattered, minutes, answer

# %% [markdown]
# **A rule:** let tasks load their data (`read` in section 1). Then the recipe is part of the graph, and the data does not pass through the notebook. Scatter
# only what is small and easy to make again.

# %% [markdown] anchor="impure"
# ## 5. Tasks that write
#
# A task that only returns a value may run twice: the second value replaces the first. A task that has an effect outside, such as sending an
# email or appending to a file, is called **impure**. Here is one. It appends a line per month to a file. In month 5, the worker crashes
# after writing, before it can report that it is done.

# %% tags=["run"]
def append(folder, number, line):
    """Append a line to one file that all tasks share."""
    with open(Path(folder) / "lines.txt", "a") as file:
        file.write(line + "\n")


def write_month(month, record, folder, marker):
    """Write the line of a month; in month 5, crash once."""
    record(folder, month, f"month {month:2}")
    if month == 5 and not Path(marker).exists():
        Path(marker).touch()
        os._exit(1)
    return month


def write_all(record, folder):
    """Write the lines of twelve months, with one crash."""
    with tempfile.TemporaryDirectory() as other:
        months = lab.client.map(write_month, range(1, 13), record=record, folder=folder, marker=f"{other}/crashed", pure=False)
        lab.client.gather(months)
    restored(lab.client, n_workers)


with tempfile.TemporaryDirectory() as folder:
    write_all(append, folder)
    written = (Path(folder) / "lines.txt").read_text().splitlines()
print(f"12 tasks, {len(written)} lines. More than once: "
      f"{', '.join(sorted({line for line in written if written.count(line) > 1}))}")

# %% [markdown]
# **Explain:** no error, no warning, and a wrong file. Month 5 was written twice. So was each month that the crashed worker had done before: its
# results were lost, so its tasks ran again. A task must be **idempotent**: running it twice has the same effect as running it once.

# %% [markdown] exercise="04.4" title="Make the writing idempotent" topic="side-effects"
# ### Exercise 04.4 · Write it so that it may run twice (8 min)
#
# Write both sides. Each task has its own `number`; two tasks may have the same text in their `line`.
#
# 1. `record(folder, number, line)`: stores the line somewhere in the folder.
# 2. `read_lines(folder)`: returns the list of all lines, one per task, in any order. The folder exists, and holds only what `record` put there. No line
#    contains a line break; a line may contain any letters (ü, á).
#
# The check runs tasks once, several times, in parallel, and with real crashes, including between opening a file and writing to it.

# %% tags=["exercise"] exercise="04.4"
def record(folder, number, line):
    """Keep the line of one task, however often it runs."""
    ### BEGIN SOLUTION
    target = Path(folder) / f"line-{number:06d}.txt"
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".part", delete=False) as file:
        file.write(line)
    os.replace(file.name, target)  # all at once: half a file is never visible
    ### END SOLUTION


def read_lines(folder):
    """Return all lines, one per task."""
    ### BEGIN SOLUTION
    return [path.read_text() for path in sorted(Path(folder).glob("line-*.txt"))]
    ### END SOLUTION

# %% tags=["check"] exercise="04.4"
check("04.4", record, read_lines)

# %% [markdown] tags=["hint-1"] exercise="04.4"
# What makes the difference between "add" and "set"? Appending adds. Which file operation sets, so that the second time changes nothing?

# %% [markdown] tags=["hint-2"] exercise="04.4"
# Use one file per task, with a name made from `number`. The second run of the same task writes the same file again. `read_lines` reads all
# files of the folder.

# %% [markdown] tags=["hint-3"] exercise="04.4"
# `(Path(folder) / f"line-{number}.txt").write_text(line)`, and `[path.read_text() for path in sorted(Path(folder).glob("line-*.txt"))]`. Even better: write to a
# temporary name first, then `os.replace(temporary, target)`. Then a crash while writing leaves no partial line.

# %% tags=["run"]
with tempfile.TemporaryDirectory() as folder:
    write_all(record, folder)
    written = read_lines(folder)
print(f"12 tasks, {len(written)} lines." if written is not None else "Not yet: write record and read_lines first (exercise 04.4).")

# %% [markdown]
# `to_parquet` works like this: one file per partition, with the partition's number in its name. A database does it with a key and
# "insert or replace".

# %% [markdown] anchor="killed-worker"
# ## 6. When Dask gives up
#
# What if the *task* itself kills the worker, every time? Examples are a result larger than the memory, or a crash in a library written in C.
# Repeating the task on the next worker kills that worker, too. Here is such a task, and what you would see in your notebook:

# %% tags=["run"]
def poison():
    """End the worker that runs this."""
    os._exit(1)


with expect_failure(KilledWorker):
    lab.client.submit(poison, pure=False).result()
restored(lab.client, n_workers)

# %% [markdown]
# **Explain:** the scheduler cannot know why the worker died. It tried again on another one, and gave up when too many workers had died while running the
# task. The setting `distributed.scheduler.allowed-failures` is 3 by default, so the fourth death is the last. Look in the workers' logs for the reason: most
# often it is memory. (`cluster.logs()` and the log in the panel.)
#
# There are two counters, which are easily confused:
#
# | | counts | where it is set |
# |---|---|---|
# | `retries=` | errors that the task *raises* | per task, in `submit`, `compute`, or `dask.annotate` |
# | `allowed-failures` | *deaths of workers* that were running the task | for the scheduler, for all tasks |

# %% tags=["run"]
def set_allowed(dask_scheduler, number):
    """Set how many workers a task may end before the scheduler gives up; return the number that was set before."""
    before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, number
    return before


before = lab.client.run_on_scheduler(set_allowed, number=1)
with expect_failure(KilledWorker):
    lab.client.submit(poison, retries=10, pure=False).result()
print("put back:", lab.client.run_on_scheduler(set_allowed, number=before), "→", before)
restored(lab.client, n_workers)

# %% [markdown]
# Two workers were lost instead of four. The ten `retries` did not matter: the task raised no error; it killed the
# process.

# %% [markdown] exercise="04.5" title="Try, but not forever" topic="giving-up"
# ### Exercise 04.5 · Try, but not forever (8 min)
#
# Write `run_carefully`: run `task(*args)`, and repeat it up to `retries` times after errors that it raises. Set `allowed-failures` to `allowed`, so the
# scheduler gives up when the task has killed `allowed + 1` workers. Return the result, or **return the exception** if there is one. Whatever happens, restore
# the scheduler's setting.

# %% tags=["exercise"] exercise="04.5"
def run_carefully(client, task, args, retries, allowed):
    """Return the result of task(*args), or the exception with which it ended."""
    ### BEGIN SOLUTION
    before = client.run_on_scheduler(set_allowed, number=allowed)
    try:
        return client.submit(task, *args, retries=retries, pure=False).result()
    except Exception as error:
        return error
    finally:
        client.run_on_scheduler(set_allowed, number=before)
    ### END SOLUTION

# %% tags=["check"] exercise="04.5"
check("04.5", run_carefully)

# %% [markdown] tags=["hint-1"] exercise="04.5"
# One call of `set_allowed` before, one after. Which Python statement runs the second one even if there was an error in between?

# %% [markdown] tags=["hint-2"] exercise="04.5"
# `try: … except Exception as error: return error … finally: …`. The `finally` part runs even after a `return`.

# %% [markdown] tags=["hint-3"] exercise="04.5"
# `before = client.run_on_scheduler(set_allowed, number=allowed)`; in `try`, `return client.submit(task, *args, retries=retries, pure=False).result()`; in `finally`,
# set `before` again. Wait for the result inside the `try` block: a future alone tells you nothing.

# %% tags=["run"]
outcome = run_carefully(lab.client, poison, (), retries=5, allowed=0)
restored(lab.client, n_workers)
print(f"{type(outcome).__name__}" if outcome is not None else "Not yet: write run_carefully first (exercise 04.5).")
print(f"{len(addresses(lab.client))} workers, as at the beginning")

# %% [markdown] tags=["keypoints"]
# ## Key points
#
# * Where a result is stored is decided at run time, and may change. The graph stays: it is the recipe.
# * After a crash, Dask recomputes what is wanted and held by no worker, and, if needed, its inputs, back to the start. Nothing else.
# * Scattered data has no recipe: it is lost, along with everything that depends on it. Let tasks load data.
# * A task may run more than once. If it writes, it must be idempotent: set, do not add.
# * `retries` counts errors, `allowed-failures` counts dead workers. `KilledWorker` means: look at the workers' logs. Most often it is memory.

# %% [markdown]
# ## Quiz and cards

# %% tags=["quiz"]
lessons.quiz("04")

# %% tags=["cards"]
lessons.cards("04")

# %% [markdown] anchor="scheduler-lost"
# ### Laptop, one GPU, cluster
#
# * **Laptop:** both workers are processes on one machine; a nanny replaces them within a second or two. The notebook and the scheduler survive, because they
#   are other processes.
# * **One GPU:** the only worker crashes, so *all* results are recomputed, and everything waits until it is back. Results in GPU memory are lost in the same
#   way. Results spilled to the host belong to the worker's process, so they are lost, too.
# * **Cluster:** a whole node may fail, with its nanny: then the worker is not replaced, unless the cluster scales automatically. Batch systems kill workers
#   when their time limit is reached. If the *scheduler* fails, everything is lost: write intermediate results to files.

# %% tags=["run"]
expect_crashes(lab.client, False)
lab.close()

# %% [markdown] tags=["instructor"]
# ### For the instructor
#
# * **Goal:** learners predict from a graph what is recomputed, and name the two cases in which recovery is not safe: lost inputs and side effects.
# * **Time:** 8 section 1 · 12 section 2 · 8 section 3 · 8 section 4 · 5 section 5 · 4 section 6. When late, give the solution of 04.2, and leave 04.5 as homework.
# * **On the projector:** the figure of section 2, then ask: "and if we had kept the `read` results?". The panel beside the notebook: a
#   worker disappears and comes back. The question for the class in section 5: which of your tasks write something?
# * **Frequent mistakes:** 04.1: returning everything upstream of a lost key, even if another worker still holds the input; overlooking copies on two workers;
#   returning lost results that are not needed. 04.2: crashing before anything was done (then nothing is *re*computed), or after the result was there. 04.3:
#   `except Exception`, which hides bugs in the task. 04.4: comparing lines instead of numbers, so that equal lines disappear. 04.5: restoring the setting
#   before the result was fetched.
# * **What to skip when late:** section 6, if the class has seen `KilledWorker` before.
# * **A warning:** the lesson kills workers. Learners who share a cluster need their own: `gpucluster create --name mine`.
