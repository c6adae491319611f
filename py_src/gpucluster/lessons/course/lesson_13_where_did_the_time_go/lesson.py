# ---
# jupyter:
#   gpucluster:
#     lesson: "13"
#     title: "Where did the time go? Profiling and monitoring"
#     minutes: 135
#     needs: cpu
#     topics:
#       task-stream: {title: "Gaps in the task stream, and reports of it", link: "13#stream"}
#       counters: {title: "Counters: what utilization says, and what it does not", link: "13#utilization"}
#       timelines: {title: "Nsight Systems: when", link: "13#nsight-systems"}
#       roofline: {title: "Memory-bound or compute-bound", link: "13#roofline"}
#       overlap: {title: Load while computing, link: "13#overlap"}
#       diagnosis: {title: From the symptom to the fix, link: "13.7"}
#       timing: {title: Timers and baselines that do not mislead, link: "13#timers"}
#     objectives:
#       - calculate idle time and gaps from a task stream
#       - read reports, counters and captures of profilers with a few lines of Python
#       - say what utilization and occupancy tell, and what they do not
#       - place a kernel on a roofline and tell memory-bound from compute-bound
#       - hide the time of loading behind the time of computing
#       - find the bottleneck from its symptoms, and name the fix
#       - time the stages of a program so that the parts add up to the whole
# ---

# %% [markdown]
# # Where did the time go? Profiling and monitoring
#
# **135 minutes** (35 of reading, 100 of writing) · you need: lesson 03 (tasks, threads, overhead), and a little pandas
#
# With 65 minutes: sections 1, 3, 6 and 7. The others do not need each other, and make a second session.
#
# At the end you can
#
# * **calculate** idle time and gaps from a task stream;
# * **read** reports, counters and captures of profilers with a few lines of Python;
# * **say** what utilization and occupancy tell, and what they do not;
# * **place** a kernel on a roofline, and **tell** memory-bound from compute-bound;
# * **hide** the time of loading behind the time of computing;
# * **find** the bottleneck from its symptoms, and **name** the fix;
# * **time** the stages of a program so that the parts add up to the whole.
#
# Work from top to bottom. Where you see `...`, it is your turn. `check("13.1", idle_share, longest_gap)` tries your answer, `hint("13.1")`
# gives the next of three hints, and `solution("13.1")` shows one right solution after the hints. Unless an exercise says otherwise, a
# function must not change its arguments, and must return the same result each time.
#
# **What is measured here, and what is not.** Task streams, reports, the roofline and all timers are measured while you run the cells. The
# recording in section 3 is of real workers without a GPU. Counters of a GPU are measured where there is one; elsewhere a **simulation**
# stands in, made by formulas that you can read, and the cell says so. The lesson comes with no recording of a GPU.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("13")

# %% [markdown]
# The lines above say what you are running on. `lab.client` is an ordinary client of Dask: without `lab`, you would write
# `client = Client(LocalCluster(n_workers=2))`. The rest of this notebook is the same everywhere.
#
# <details><summary>Helpers of this lesson, and what stands behind them</summary>
#
# | here | without our helper |
# |---|---|
# | `Busy(client)` | `client.run(time.process_time)` before and after, divided by the time between |
# | `np.asarray(x, like=block)` | this is NumPy itself: it makes an array of the same library as `block`. In a program for NumPy blocks alone, `np.asarray(x)` |
# | `ready("…", f)` | only our lessons need it: False, with a sentence, as long as `f` is not written |
#
# </details>

# %% tags=["run"]
import tempfile
import time
import zlib
from pathlib import Path

import dask.array as da
import numpy as np
import pandas as pd
from distributed import get_task_stream, performance_report
from sklearn.datasets import load_digits

import gpucluster
from gpucluster import datasets
from gpucluster.lessons import check, compare, expect_failure, hint, predict, solution
from gpucluster.lessons.checking import ready
from gpucluster.lessons.figures import counters as draw_counters
from gpucluster.lessons.figures import timelines
from gpucluster.lessons.figures.explorer import explore_overlap
from gpucluster.lessons.figures.roofline import PUBLISHED
from gpucluster.lessons.figures.roofline import roofline as draw_roofline
from gpucluster.lessons.probes.devicelog import RECORDED, watch_devices
from gpucluster.lessons.probes.roof import measure_roof
from gpucluster.lessons.probes.stages import StageTimers, settler
from gpucluster.lessons.probes.timing import Busy
from gpucluster.lessons.simulations.capture import simulated_capture
from gpucluster.lessons.simulations.pipeline import Pipeline
from gpucluster.lessons.simulations.traces import mystery_traces

FOLDER = Path(tempfile.mkdtemp(prefix="lesson-13-"))
THREADS = sum(lab.client.nthreads().values())

# %% [markdown] anchor="stream"
# ## 1. The task stream: who worked when
#
# "It is slow" is no finding. A finding names **who** waited, **when**, and **for what**. For a Dask cluster the first record is the **task
# stream**: for each task, which thread ran it, from when to when. The dashboard draws it live. (*Task stream* in the *GPU clusters* panel;
# `lab` printed a link above where there is one.) `get_task_stream` gives the same records to a program.
#
# The next cell sorts random numbers. First six equal tasks. Then the notebook itself does something for 0.6 s. Then three tasks, one of
# them large.
#
# **Predict:** for what percentage of the threads' time will no task run?

# %% tags=["predict"]
predict("13.a", 55)  # SOLUTION

# %% tags=["run"]
def crunch(n):
    """Sort n random numbers, and return the one in the middle."""
    return float(np.sort(np.random.default_rng(n).random(n))[n // 2])


with get_task_stream(lab.client) as stream:
    lab.client.gather(lab.client.map(crunch, [5_000_000] * 6, pure=False))
    time.sleep(0.6)  # the notebook's own time: drawing, thinking, waiting for you
    lab.client.gather(lab.client.map(crunch, [16_000_000, 1_000_000, 1_000_000], pure=False))

timelines.stream(stream.data, THREADS)

# %% [markdown]
# Hover over a bar to see which task it is, and how long it took. There are two kinds of empty space: the gap in the middle, when nothing
# had given the workers anything to do, and the end, when one thread still works and the others have nothing left.

# %% [markdown] exercise="13.1" title="Idle share and longest gap" topic="task-stream"
# ### Exercise 13.1 · Idle share and longest gap (12 min)
#
# A record has `"worker"`, `"thread"` and `"startstops"`, a sequence of parts with `"action"`, `"start"` and `"stop"` (seconds on a clock).
# Only parts with the action `"compute"` count as work; a thread that fetches (`"transfer"`) waits. The **window** goes from the first
# `start` of a compute part to the last `stop` of one. The records come in any order.
#
# 1. `idle_share(records, threads)`: the share of all threads' time in the window in which they did not compute. The cluster has `threads`
#    threads; one that ran nothing is in no record, and was idle all the time.
# 2. `longest_gap(records)`: the longest time in the window in which **no thread at all** computed, as `(start, seconds)`; `start` counts
#    from the beginning of the window. Without any gap: `(0.0, 0.0)`.

# %% tags=["exercise"] exercise="13.1"
def idle_share(records, threads):
    """Return a number from 0 (all threads computed all the time) to 1."""
    ### BEGIN SOLUTION
    work = [part for record in records for part in record["startstops"] if part["action"] == "compute"]
    length = max(part["stop"] for part in work) - min(part["start"] for part in work)
    busy = sum(part["stop"] - part["start"] for part in work)
    return 1 - busy / (threads * length)
    ### END SOLUTION


def longest_gap(records):
    """Return (start, seconds) of the longest time in which no thread computed."""
    ### BEGIN SOLUTION
    spans = sorted(
        (part["start"], part["stop"])
        for record in records
        for part in record["startstops"]
        if part["action"] == "compute"
    )
    zero = latest = spans[0][0]
    longest = (0.0, 0.0)
    for start, stop in spans:
        if start - latest > longest[1]:
            longest = (latest - zero, start - latest)
        latest = max(latest, stop)
    return longest
    ### END SOLUTION

# %% tags=["check"] exercise="13.1"
check("13.1", idle_share, longest_gap)

# %% [markdown] tags=["hint-1"] exercise="13.1"
# Collect all compute parts first; everything is calculated from them. How much time did all threads together have? For the gap, go through
# the parts in the order in which they begin.

# %% [markdown] tags=["hint-2"] exercise="13.1"
# All the time that there was: `threads` times the length of the window. A part that begins *later than everything before it has ended*
# leaves a gap. The part just before need not be the one that ended last: a long task may cover many short ones.

# %% [markdown] tags=["hint-3"] exercise="13.1"
# Keep `latest`, the largest `stop` so far: a gap is `start - latest` where that is positive, and it begins at `latest`. Then `latest =
# max(latest, stop)`.

# %% tags=["run"]
share = idle_share(stream.data, THREADS)
gap = longest_gap(stream.data)
if ready("13.1", share, gap):
    print(f"idle: {share:.0%} of the time of {THREADS} threads; longest gap {gap[1]:.2f} s, from {gap[0]:.2f} s on")
    timelines.stream(stream.data, THREADS, gap)
    display(compare("13.a", round(100 * share), "%"))

# %% [markdown]
# **Explain:** a gap in which *no* thread works points to the notebook, to the scheduler, or to a step that waits for all others.
# Empty space at the end of *some* rows points to tasks of unequal size (lesson 03). More workers help against neither.

# %% [markdown] anchor="staged"
# ### Three staged problems
#
# `%%gpucluster profile`, or `gpucluster.profile()` in a program, looks at the task stream, the memory, the transfers and the counters at
# once, and says what the bottleneck looks like. Read the three jobs.
#
# **Predict:** for one of them the report says *one task held the others up*. Which: `"A"`, `"B"` or `"C"`?

# %% tags=["predict"]
predict("13.b", "B")  # SOLUTION

# %% tags=["run"]
def add_one(number):
    return number + 1


jobs = {
    "A": lambda: lab.client.gather(lab.client.map(add_one, range(600), pure=False)),
    "B": lambda: lab.client.gather(lab.client.map(time.sleep, [0.1] * 6 + [2.5], pure=False)),
    "C": lambda: lab.client.gather(lab.client.map(np.ones, [4_000_000] * 4, pure=False)),
}
held_up = ""
for name, job in jobs.items():
    with gpucluster.profile() as report:
        job()
    print(f"{name}: {report.wall_seconds:.2f} s, {report.n_tasks} tasks")
    for finding in report.findings:
        print(f"   * {finding.title}. {finding.evidence}")
        held_up = held_up or (name if "held the others up" in finding.title else "")
compare("13.b", held_up)

# %% [markdown]
# **Explain:** A is 600 tasks that are shorter than what each costs (lesson 03). B waits for one long task. C brings 128 MB of results into
# the notebook, which is one process; leave them on the workers, or reduce them there.
#
# The report also separates two times that our `idle_share` adds up: *Idle* is the threads' time **while there were tasks**, and *Notebook*
# is the time without submitted tasks. The first asks for another graph, the second for another notebook. Run any cell with
# `%%gpucluster profile` above it to see the whole report, with a timeline.

# %% [markdown] anchor="report"
# ## 2. A report that others can read
#
# Dask's `performance_report` writes what its dashboard shows into one HTML file: task stream, profile of the code, memory. You can open it
# next week, and send it to someone. The file holds the address of the scheduler, your code and lines of the log: read it before you pass
# it on. Its pictures need a script from the network; `mode="inline"` puts the script into the file.

# %% tags=["run"]
with performance_report(filename=str(FOLDER / "evening.html")):
    lab.client.gather(lab.client.map(crunch, [400_000] * 12, pure=False))

text = (FOLDER / "evening.html").read_text(encoding="utf-8")
begin = text.index("Duration:")
print(f"{len(text):,} characters, among them:\n")
print(text[begin : begin + 420].replace("\\n", "\n"))

# %% [markdown] anchor="lost-report"
# ### A real failure: the report of a long night
#
# Suppose you run an hour of work, and pass the report's folder instead of a file.

# %% tags=["run"]
finished = []
with expect_failure(IsADirectoryError):
    with performance_report(filename=str(FOLDER)):
        finished = lab.client.gather(lab.client.map(crunch, [200_000] * 4, pure=False))
print(f"{len(finished)} of 4 results were finished when the error came.")

# %% [markdown]
# **Explain:** the file is opened when the block **ends**. All the work was done, and the report of it is lost. What can be checked before
# should be checked before: a program that will write a file tries the place first. Ours does, and the line inside the block is never
# reached:

# %% tags=["run"]
with expect_failure():
    with gpucluster.profile(performance_report=FOLDER):
        print("This line is not reached.")

# %% [markdown] exercise="13.2" title="Facts from a performance report" topic="task-stream"
# ### Exercise 13.2 · Facts from a report (10 min)
#
# Reports pile up, so a program should read them. Write `facts(text)`. It takes the text of such a file and returns a dictionary of four
# numbers:
#
# * `"seconds"`: the duration, in seconds;
# * `"tasks"`: the number of tasks;
# * `"compute"`: the compute time of all threads together, in seconds; 0.0 where the report has no such line, because no task computed;
# * `"threads"`: the number of threads.
#
# The lines that you need look like this. The file has `&lt;` and `&gt;` for `<` and `>`, and `\n`, two characters, for the end of a line:
#
# ```text
# &lt;h2&gt; Duration: 12.50 s &lt;/h2&gt;
# &lt;li&gt; number of tasks: 610 &lt;/li&gt;
# &lt;li&gt; compute time: 380.63 ms &lt;/li&gt;
# &lt;li&gt; Threads: 4 &lt;/li&gt;
# ```
#
# There may be times of other actions beside the compute time, such as `transfer time:`. Dask writes times with a unit of its choice: `250.00 us`, `380.63 ms`,
# `12.50 s`. Longer ones have two whole numbers: `3m 20s`, `2hr 15m`, `1d 4hr`. The durations in the check are of all six kinds.

# %% tags=["exercise"] exercise="13.2"
import re


def facts(text):
    """Return {"seconds": …, "tasks": …, "compute": …, "threads": …}."""
    ### BEGIN SOLUTION
    units = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "hr": 3600.0, "d": 86400.0}

    def after(label):
        found = re.search(re.escape(label) + r"\s*([^&<]*)", text)
        return found[1].strip() if found else ""

    def in_seconds(written):
        return sum(float(number) * units[unit] for number, unit in re.findall(r"([\d.]+)\s*([a-z]+)", written))

    return {
        "seconds": in_seconds(after("Duration:")),
        "tasks": int(after("number of tasks:")),
        "compute": float(in_seconds(after("compute time:"))),
        "threads": int(after("Threads:")),
    }
    ### END SOLUTION

# %% tags=["check"] exercise="13.2"
check("13.2", facts)

# %% [markdown] tags=["hint-1"] exercise="13.2"
# Each fact stands behind a label, and ends before the next sign `&` (or `<`). Write a small function that finds what stands behind a label,
# and another one that makes seconds of it.

# %% [markdown] tags=["hint-2"] exercise="13.2"
# A regular expression such as `compute time:\s*([^&<]*)` finds the text behind a label; it may find nothing. For the units take a
# dictionary: `"ms"` is 0.001, `"hr"` is 3600. Text such as `3m 20s` is several pairs of a number and a unit, to be added up.

# %% [markdown] tags=["hint-3"] exercise="13.2"
# `re.findall(r"([\d.]+)\s*([a-z]+)", "3m 20s")` gives `[("3", "m"), ("20", "s")]`. Add up number times unit. Of nothing, that sum is 0,
# which is what a report without compute time needs.

# %% tags=["run"]
found = facts(text)
if ready("13.2", found):
    print(found)
    share = found["compute"] / (found["seconds"] * found["threads"])
    print(f"The threads computed for {share:.0%} of the time of the block.")

# %% [markdown] anchor="counters"
# ## 3. Counters of the device
#
# A GPU counts for itself. `nvidia-smi` prints a table of utilization, memory, temperature and power. `nvidia-smi dmon` prints one line per
# device and second, until you stop it: the quickest way to see whether a GPU works at all. `-s pumt` chooses power and temperature,
# utilization, memory, and traffic on PCIe; other letters bring other columns.
#
# The next cell runs it for ten seconds. Where there is no GPU, it prints what a simulated one would: device 0 reads a batch, then computes,
# in turns. Device 1 reads the next batch while it computes. Device 2 is cut into slices, and its driver does not tell how busy they are.

# %% tags=["run"]
log = watch_devices()
print(log.source, "\n")
print("\n".join(log.text.splitlines()[:11]))

# %% [markdown] anchor="utilization"
# The first line has the names, the second the units; both come again after some lines. `sm` is what NVIDIA calls utilization: **the share
# of the second in which at least one kernel ran**. Not how many of the processors it used, and not how well. A kernel with one single
# thread makes it 100 %. So:
#
# * `sm` **low**: the device waits. For the loader, for copies, for the notebook. This you can trust.
# * `sm` **high**: something runs. Whether it uses the device well, other figures tell: power far below the limit, occupancy (section 5), or
#   the roofline.
# * `-`: not measured. It is not 0.
#
# **Predict:** device 0 of the simulation loads for 1.3 s and needs 1.35 s on the device for each batch, 1.1 s of it for kernels, one after
# the other. What is the mean of its `sm`, in percent?

# %% tags=["predict"]
predict("13.c", 42)  # SOLUTION

# %% [markdown] exercise="13.3" title="Read a log of dmon" topic="counters"
# ### Exercise 13.3 · Read a log of `dmon` (12 min)
#
# 1. `read_dmon(text)` returns two things. A pandas `DataFrame`: one row for each line of figures, in their order, one column for each name,
#    all of type float, with `NaN` for `-`. And a dictionary from each name to its unit. Which columns there are depends on `-s`; the first
#    is always the number of the device. Lines that begin with `#` are the two lines of the header, which come again. Empty lines do not
#    count.
# 2. `share_below(table, limit)` takes such a table, and returns a dictionary from the number of each device (an `int`) to the share of its
#    samples in which `sm` was **below** the limit. A sample that was not measured does not count. A device of which none was measured is
#    not in the dictionary.

# %% tags=["exercise"] exercise="13.3"
def read_dmon(text):
    """Return the table of figures, and the unit of each column."""
    ### BEGIN SOLUTION
    lines = [line for line in text.splitlines() if line.strip()]
    names, units = (line.lstrip("# ").split() for line in lines[:2])
    rows = [line.split() for line in lines if not line.lstrip().startswith("#")]
    table = pd.DataFrame(rows, columns=names).replace("-", np.nan).astype(float)
    return table, dict(zip(names, units))
    ### END SOLUTION


def share_below(table, limit):
    """Return, for each device that was measured, the share of its samples with sm below the limit."""
    ### BEGIN SOLUTION
    measured = table[table["sm"].notna()]
    low = measured["sm"] < limit
    return {int(device): float(share) for device, share in low.groupby(measured[table.columns[0]]).mean().items()}
    ### END SOLUTION

# %% tags=["check"] exercise="13.3"
check("13.3", read_dmon, share_below)

# %% [markdown] tags=["hint-1"] exercise="13.3"
# Split the text into lines, and each line at its white space. Lines that begin with `#` are one thing, all others another. For the shares:
# first throw away what was not measured, then look at each device.

# %% [markdown] tags=["hint-2"] exercise="13.3"
# The first line of all is `#` and the names, the second is `#` and the units. `pd.DataFrame(rows, columns=names)` makes the table;
# `.replace("-", np.nan).astype(float)` the numbers. Comparing a NaN with a limit gives `False`: it would count as a sample that is not
# below.

# %% [markdown] tags=["hint-3"] exercise="13.3"
# `measured = table[table["sm"].notna()]`. The mean of true and false is the share of true, and `groupby` does it for each device.
# `table.columns[0]` is the name of the column with the number of the device.

# %% tags=["run"]
read = read_dmon(log.text)
if ready("13.3", read):
    table, units = read
    print(log.source)
    print("share of the samples with sm below 50 %:", share_below(table, 50))
    groups = {f"device {int(number)}": part["sm"].to_numpy() for number, part in table.groupby(table.columns[0])}
    draw_counters.counters(groups, units["sm"], rolling=min(10, len(table) // len(groups)), limit=50)
    display(compare("13.c", round(float(np.nanmean(groups["device 0"]))), "%"))

# %% [markdown]
# Thin: each second. Thick: the rolling mean of ten samples, which is what an alarm should look at: one idle second is nothing, a minute
# below 50 % is.
#
# **Explain** (for the simulation): in turns, the device computes 1.1 s of every 2.65 s, which is 42 %. Device 1 does the same work; it
# takes the time of the slower of the two steps only, 1.35 s. Section 6 is about this.

# %% [markdown] anchor="recording"
# ### A true recording
#
# gpucluster can record what its gauges show (`cluster.recording(...)`, or *Record* on the card), and play it again. This one comes with it:
# two workers **without a GPU**, 600 MiB of memory each, join four million flights with the weather, which does not fit. It says on what and
# when it was made.

# %% tags=["run"]
gpucluster.replay(RECORDED, speed=4)

# %% tags=["run"]
recorded = gpucluster.frame(RECORDED, by="worker")
draw_counters.counters(
    {f"worker {name}": part["cpu_percent"].to_numpy() for name, part in recorded.groupby("worker")}, "%"
)
moments = recorded.groupby("time").agg(load=("cpu_percent", "mean"), given=("processing", "sum"), running=("executing", "sum"),
                                       disk_MiB=("tier_disk_bytes", "sum"))
moments["disk_MiB"] /= 2**20
print(moments.set_axis(range(1, len(moments) + 1)).round(0).astype(int).to_string())
print(f"mean load of a worker: {recorded['cpu_percent'].mean():.0f} % of a core; most on disk: {moments.disk_MiB.max():,.0f} MiB")

# %% [markdown]
# **Explain:** the mean of the whole recording describes hardly any single moment. In the first six samples no worker works. Then both workers are
# busy, while their results fill the memory and go to disk. Look at sample 14: the workers have 23 tasks, and run none of them. In such a
# moment the inputs are still on the way, from the disk or from the other worker. That is the moment to ask about, and no mean shows it.

# %% [markdown] anchor="monitors"
# ### All cores busy?
#
# `htop` shows one bar per core; `nvtop` and `nvitop` show the same for GPUs, with the processes that use each one. Full bars look good.
# What do they say?
#
# **Predict:** sorting on all workers: how many cores are busy, of all workers together?

# %% tags=["predict"]
predict("13.d", 2)  # SOLUTION

# %% tags=["run"]
with Busy(lab.client) as busy:
    lab.client.gather(lab.client.map(crunch, [8_000_000] * 3 * THREADS, pure=False))
print(busy)
compare("13.d", round(busy.workers, 2), "cores")

# %% [markdown]
# **Explain:** a full bar says that the core computes, not that it computes something useful. A core that waits in a loop is full, too. And
# an empty bar is no proof of a free machine: a thread that waits for the disk uses none. It is the same with `sm`.

# %% [markdown] anchor="nsight-systems"
# ## 4. Nsight Systems: when
#
# Counters have one figure per second. A batch may take milliseconds. **Nsight Systems** (`nsys`) writes down every kernel and every copy
# with its beginning and end, on one timeline with what the host did: *when*. It answers "does my GPU sit idle while the CPU loads data?"
# **Nsight Compute** (`ncu`) looks into one kernel: *why*.
#
# `%%gpucluster profile --nsight FILE` takes a capture of a cell on a cluster, as far as `nsys` can: it cannot attach to processes that run
# already. Where something is missing, the report says what to do:

# %% tags=["run"]
with gpucluster.profile(nsight=FOLDER / "capture") as report:
    lab.client.gather(lab.client.map(crunch, [200_000] * 2, pure=False))
print(*report.files, sep="\n")

# %% [markdown]
# A capture opens in the window of `nsys-ui`. For a program, `nsys export --type sqlite FILE` makes a database of it. The tables that we
# need (names, columns and units are those of a real export; it has more of each):
#
# | table | columns |
# |---|---|
# | `CUPTI_ACTIVITY_KIND_KERNEL` | `start`, `end` in **nanoseconds**, `deviceId`, `streamId`, `shortName` (a number that `StringIds` explains) |
# | `CUPTI_ACTIVITY_KIND_MEMCPY` | `start`, `end`, `deviceId`, `streamId`, `bytes`, `copyKind`: 1 host to device, 2 device to host, 8 device to device |
# | `StringIds` | `id`, `value` |
#
# A table of which there would be no row is **not there**. The next cell makes such a database from a **simulated** pipeline of eight
# batches, and draws it.

# %% tags=["run"]
capture = simulated_capture()
print("SIMULATED from stated formulas (simulations/capture.py), not recorded")
timelines.capture(capture)
pd.read_sql("SELECT start, end, deviceId, streamId, value AS name FROM CUPTI_ACTIVITY_KIND_KERNEL "
            "JOIN StringIds ON StringIds.id = shortName LIMIT 4", capture)

# %% [markdown] exercise="13.4" title="Query a capture" topic="timelines"
# ### Exercise 13.4 · Query a capture (12 min)
#
# Write `device_summary(connection, device)`. The connection is one of `sqlite3`; `pd.read_sql(query, connection)` or
# `connection.execute(query)` read from it. Return a dictionary of four numbers, **of this device only**:
#
# * `"kernel_seconds"`: the seconds of all kernels, added up (two that ran at the same time count twice);
# * `"to_device_bytes"` and `"to_host_bytes"`: what was copied from host to device, and from device to host; 0 where there was nothing;
# * `"idle_share"`: of the time from the device's first beginning of a kernel or copy to its last end of one, the share in which **no
#   kernel** ran. Kernels of two streams may overlap: that time counts once here.
#
# In the check each device has at least one kernel. A database may have no table of copies.

# %% tags=["exercise"] exercise="13.4"
def device_summary(connection, device):
    """Return {"kernel_seconds": …, "to_device_bytes": …, "to_host_bytes": …, "idle_share": …}."""
    ### BEGIN SOLUTION
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    kernels = connection.execute(
        "SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE deviceId = ? ORDER BY start", (device,)
    ).fetchall()
    copies = []
    if "CUPTI_ACTIVITY_KIND_MEMCPY" in tables:
        query = "SELECT start, end, bytes, copyKind FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE deviceId = ?"
        copies = connection.execute(query, (device,)).fetchall()
    begin = min([start for start, _ in kernels] + [copy[0] for copy in copies])
    end = max([stop for _, stop in kernels] + [copy[1] for copy in copies])
    busy, latest = 0, begin
    for start, stop in kernels:
        busy += max(0, stop - max(start, latest))
        latest = max(latest, stop)
    return {
        "kernel_seconds": sum(stop - start for start, stop in kernels) / 1e9,
        "to_device_bytes": sum(size for *_, size, kind in copies if kind == 1),
        "to_host_bytes": sum(size for *_, size, kind in copies if kind == 2),
        "idle_share": 1 - busy / (end - begin),
    }
    ### END SOLUTION

# %% tags=["check"] exercise="13.4"
check("13.4", device_summary)

# %% [markdown] tags=["hint-1"] exercise="13.4"
# Read the kernels of the device, then its copies, and calculate in Python. Which of the four figures needs kernels only, which copies only,
# which both? For the last one you have done something like it in 13.1.

# %% [markdown] tags=["hint-2"] exercise="13.4"
# `SELECT name FROM sqlite_master` lists the tables that are there. For the idle share, add up the time in which a kernel ran *without
# counting any moment twice*: go through the kernels by their start, and count of each only what lies after everything before.

# %% [markdown] tags=["hint-3"] exercise="13.4"
# With `latest`, the largest end so far, a kernel adds `max(0, stop - max(start, latest))`. The window begins with the first start of a
# kernel or a copy, and the idle share is 1 minus busy divided by its length. Divide nanoseconds by `1e9`.

# %% tags=["run"]
summary = device_summary(capture, 0)
if ready("13.4", summary):
    print("SIMULATED:", {name: round(value, 3) for name, value in summary.items()})

# %% [markdown]
# **Explain:** kernels of the two streams add up to more than the time in which any kernel ran. That is why `nsys stats`, which adds up, can
# show more kernel time than the program took, and why idle time must be found on the timeline. Here the copies are short, so less copying
# would not help much: the device waits for the loader.

# %% [markdown] anchor="roofline"
# ## 5. The roofline: why a kernel is not faster
#
# A kernel moves bytes between memory and processor, and it computes. Both have a top speed. Which of the two limits it? Its
# **arithmetic intensity** decides: operations per byte moved. With intensity *I*, no kernel can do more operations per second than this:
#
# `attainable = min(peak, I × bandwidth)`
#
# Drawn over *I* this is a slope and a flat roof. Left of the corner a kernel is **memory-bound**: only fewer bytes make it faster. Right of
# it, it is **compute-bound**.
#
# The next cell measures one of your workers: its roof, and five kernels below it. Bytes and operations are counted by hand: each array
# moves once.

# %% tags=["run"]
roof = measure_roof(lab.client)
print(f"one worker, {roof.library}, float32: {roof.peak / 1e9:,.1f} Gflop/s, {roof.bandwidth / 1e9:,.1f} GB/s, "
      f"corner at {roof.peak / roof.bandwidth:.1f} operations per byte")
for name, kernel in roof.kernels.items():
    print(f"{name:16} {kernel.flops / 1e6:10,.1f} Mflop {kernel.n_bytes / 1e6:8,.1f} MB {1000 * kernel.seconds:8.2f} ms")

# %% [markdown]
# **Predict:** adding two arrays of float32 does one operation for twelve bytes. How many of the five kernels will be compute-bound on this
# machine?

# %% tags=["predict"]
predict("13.e", 1)  # SOLUTION

# %% [markdown] exercise="13.5" title="Place kernels on the roofline" topic="roofline"
# ### Exercise 13.5 · Memory-bound or compute-bound? (10 min)
#
# 1. `matmul_cost(m, n, k, itemsize)`: operations and bytes of the product of an m × k and a k × n matrix, as `(flops, n_bytes)`. Each of
#    the m n numbers of the result takes k products and k additions: count 2 k operations. Each of the three matrices moves once, `itemsize`
#    bytes per number.
# 2. `place(kernels, peak, bandwidth)`: `kernels` is a dictionary from a name to `(flops, n_bytes)`, `peak` is in operations per second,
#    `bandwidth` in bytes per second. Return a dictionary from each name to `(intensity, attainable, label)`: operations per byte, the most
#    operations per second that the roofline allows, and `"memory"` or `"compute"`. At the corner itself: `"compute"`.

# %% tags=["exercise"] exercise="13.5"
def matmul_cost(m, n, k, itemsize):
    """Return (flops, n_bytes) of (m × k) @ (k × n)."""
    ### BEGIN SOLUTION
    return 2 * m * n * k, itemsize * (m * k + k * n + m * n)
    ### END SOLUTION


def place(kernels, peak, bandwidth):
    """Return {name: (intensity, attainable, "memory" or "compute")}."""
    ### BEGIN SOLUTION
    placed = {}
    for name, (flops, n_bytes) in kernels.items():
        intensity = flops / n_bytes
        label = "compute" if intensity * bandwidth >= peak else "memory"
        placed[name] = (intensity, min(peak, intensity * bandwidth), label)
    return placed
    ### END SOLUTION

# %% tags=["check"] exercise="13.5"
check("13.5", matmul_cost, place)

# %% [markdown] tags=["hint-1"] exercise="13.5"
# Write the sizes of the three matrices side by side: m × k, k × n and m × n. In `place`, work on one kernel at a time: intensity first, the
# other two follow from it.

# %% [markdown] tags=["hint-2"] exercise="13.5"
# Intensity is operations divided by bytes. Multiplied by the bandwidth it is what the memory allows. The smaller of that and the peak
# holds.

# %% [markdown] tags=["hint-3"] exercise="13.5"
# A kernel is memory-bound where `intensity * bandwidth` is below `peak`. The bytes of a product: `itemsize * (m * k + k * n + m * n)`.

# %% tags=["run"]
counted = {name: (kernel.flops, kernel.n_bytes) for name, kernel in roof.kernels.items()}
placed = place(counted, roof.peak, roof.bandwidth)
if ready("13.5", placed):
    reached = {name: (placed[name][0], kernel.flops / kernel.seconds) for name, kernel in roof.kernels.items()}
    for name, (intensity, attainable, label) in placed.items():
        print(f"{name:16} {intensity:8.2f} operations per byte, {label}-bound, reached {reached[name][1] / attainable:4.0%} of its roof")
    draw_roofline(reached, {"this worker, measured": (roof.peak, roof.bandwidth), **PUBLISHED},
                  {name: label for name, (_, _, label) in placed.items()})
    display(compare("13.e", sum(label == "compute" for _, _, label in placed.values()), "of the five"))

# %% [markdown]
# The thick line is measured. The dashed ones are peaks in single precision from the data sheets of two GPUs: promised, by their maker, and
# reached by few programs.
#
# **Explain:** sums, additions and scaling touch each number once: one operation for four to twelve bytes. No processor makes them faster
# than its memory, which is why a GPU helps them by the ratio of the *bandwidths*. "Only deep networks suit GPUs, as they need so much
# computing" is therefore wrong: what also counts is how fast the bytes come. (The roof is the best that these few kernels reached. Where
# one comes out above 100 %, it found its data in the cache, or the machine was busy while the roof was measured. Where one stays far below,
# neither memory nor arithmetic limits it, but something else: instructions that are not vectorised, or other programs.)
#
# **Change:** `matmul_cost(8, 4096, 4096, 4)` is a batch of 8 rows through a layer of a network, `matmul_cost(512, 4096, 4096, 4)` one of
# many rows. Divide operations by bytes. This is why "increase the batch size" is on every list of advice.

# %% [markdown] anchor="occupancy"
# ### Occupancy
#
# A GPU hides the time of waiting for memory by switching between many **warps** (32 threads each). **Occupancy** is the number of warps
# that reside on a multiprocessor (SM), as a share of the most that fit. Blocks of threads are placed as long as there is room for their
# warps, registers and shared memory: the scarcest of them decides. The limits below are those of NVIDIA's documentation for compute
# capability 9.0 (H100, H200); the small units in which registers are given out are left out.
#
# **Predict:** blocks of 256 threads, 128 registers per thread, no shared memory. What is the occupancy, in percent?

# %% tags=["predict"]
predict("13.f", 25)  # SOLUTION

# %% tags=["run"]
def occupancy(threads, registers, shared_bytes):
    """Return the share of 64 warps, for blocks of that many threads; registers are per thread, shared memory per block."""
    warps = -(-threads // 32)
    limits = {
        "warps": 64 // warps,
        "blocks": 32,
        "registers": 65_536 // (registers * 32 * warps),
        "shared memory": 228 * 1024 // shared_bytes if shared_bytes else 32,
    }
    return min(limits.values()) * warps / 64, min(limits, key=limits.get)


for threads, registers, shared in ((256, 32, 0), (256, 128, 0), (32, 32, 0), (256, 32, 100 * 1024)):
    share, limit = occupancy(threads, registers, shared)
    print(f"{threads:4} threads, {registers:3} registers, {shared // 1024:3} KiB shared: {share:4.0%}, limited by {limit}")
compare("13.f", 100 * occupancy(256, 128, 0)[0], "%")

# %% [markdown]
# **Explain:** 65,536 registers hold 2 blocks of 256 × 128, that is 16 of 64 warps. Blocks of 32 threads waste the device, too: it takes 32
# blocks, so half of the warps. Low occupancy is a **symptom**: with too few warps nothing hides the waiting. High occupancy is no goal of
# its own. A kernel with few warps that compute without waiting may be at the roof.

# %% [markdown] anchor="overlap"
# ## 6. The starved device: load while computing
#
# "GPU idle between batches" is the most frequent finding of all. The loader and the device take turns, though neither needs the other's
# hardware:

# %% tags=["run"]
turns = Pipeline(batches=6, load=0.30, copy_in=0.04, kernels=0.25, copy_out=0.02, ahead=0)
buffered = Pipeline(batches=6, load=0.30, copy_in=0.04, kernels=0.25, copy_out=0.02, ahead=1)
print("SIMULATED: the seconds per step are chosen")
timelines.lanes({"in turns": turns, "one batch ahead": buffered})

# %% [markdown]
# With one batch ahead (**double buffering**), a batch takes as long as the *slower* of the two, no longer their sum. Move the sliders (they
# need a running kernel): what does a second batch ahead bring? When does none of this help?

# %% tags=["run"]
explore_overlap()

# %% [markdown]
# **Explain:** where the loader is slower than the device, it decides, with any number of batches ahead. Then the loader itself must be
# faster: more processes, or decoding on the device (NVIDIA's DALI does this for images, GPUDirect Storage reads without the detour through
# host memory). A second batch ahead helps only if the times vary.

# %% [markdown] exercise="13.6" title="Prefetch" topic="overlap"
# ### Exercise 13.6 · Prefetch (15 min)
#
# Write `prefetched(load, numbers, depth)`: a **generator** that yields `load(number)` for each number, in their order. While the caller
# works with one batch, up to `depth` (1 or more) next ones are loaded in the background, by a thread of this process. In detail:
#
# * while the caller holds a batch and does not ask for the next one, the next `depth` batches get loaded (fewer at the end), **and no
#   more**: memory is limited. Loaded, being loaded or waiting in a queue, all of them count;
# * `numbers` may be any iterable, also an empty one;
# * if `load` fails, its error comes to the caller when that batch is due, and not as silence.
#
# The check waits for events, not for times.

# %% tags=["exercise"] exercise="13.6"
from collections import deque
from concurrent.futures import ThreadPoolExecutor


def prefetched(load, numbers, depth):
    """Yield load(number) for each number; load up to depth batches ahead meanwhile."""
    ### BEGIN SOLUTION
    with ThreadPoolExecutor(1) as pool:
        pending = deque()
        for number in numbers:
            pending.append(pool.submit(load, number))
            if len(pending) > depth:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    ### END SOLUTION

# %% tags=["check"] exercise="13.6"
check("13.6", prefetched)

# %% [markdown] tags=["hint-1"] exercise="13.6"
# You need something that runs `load` while your generator is paused at its `yield`: a thread. `ThreadPoolExecutor(1)` has one, and
# `pool.submit(load, number)` returns at once, with a future.

# %% [markdown] tags=["hint-2"] exercise="13.6"
# Keep the futures in a `deque`, in order. Submit until there is one more than `depth`: the one to hand out, and `depth` behind it.
# `future.result()` waits for the batch, and raises the error if there was one. (A `queue.Queue(depth)` holds `depth` batches, and its
# thread has one more in its hands.)

# %% [markdown] tags=["hint-3"] exercise="13.6"
# `for number in numbers:` append a future; when there are more than `depth`, `yield pending.popleft().result()`. After the loop, the rest
# is handed out in the same way.

# %% [markdown]
# Try it on real files: each batch is compressed on disk, and a worker computes with it. The disk is real but too fast to show the effect, so reading
# a batch also waits for 60 ms, as a busy shared file system would. (That wait is chosen.)
#
# **Predict:** by which factor will the loop with `prefetched` be faster?

# %% tags=["predict"]
predict("13.g", 1.7)  # SOLUTION

# %% tags=["run"]
def read_batch(number):
    """Read one batch from disk, with the wait of a busy file system."""
    time.sleep(0.06)
    return np.frombuffer(zlib.decompress((FOLDER / f"batch-{number}.z").read_bytes()), dtype="float32").reshape(-1, 64)


def distances(batch):
    """Compute for a while on a worker: distances of all points of a batch to its first hundred."""
    near = batch[:100]
    for _ in range(4):
        nearest = ((batch**2).sum(axis=1)[:, None] - 2 * batch @ near.T).argmin(axis=1)
    return int(nearest.sum())


def in_turns(load, numbers, depth):
    """Load each batch when it is asked for."""
    for number in numbers:
        yield load(number)


def run_all(loader):
    """Return the seconds for all batches, and their results."""
    began = time.perf_counter()
    results = [lab.client.submit(distances, batch, pure=False).result() for batch in loader(read_batch, range(12), 1)]
    return time.perf_counter() - began, results


points = np.tile(load_digits().data, (6, 1)).astype("float32")
for number in range(12):
    (FOLDER / f"batch-{number}.z").write_bytes(zlib.compress(np.roll(points, number, axis=0).tobytes(), 1))

run_all(in_turns)  # the first run of anything is slower
plain_seconds, plain = run_all(in_turns)
print(f"in turns:   {plain_seconds:.2f} s for 12 batches of {points.nbytes / 1e6:.1f} MB")
if ready("13.6", prefetched(read_batch, [], 1)):
    ahead_seconds, ahead = run_all(prefetched)
    print(f"prefetched: {ahead_seconds:.2f} s, the same results: {ahead == plain}")
    display(compare("13.g", round(plain_seconds / ahead_seconds, 2), "times as fast"))

# %% [markdown]
# **Explain:** the best that overlap can do is 2, when both steps take the same time. It never makes a step faster; it stops the steps from
# waiting for each other.

# %% [markdown] anchor="mysteries"
# ## 7. Five mystery traces
#
# Here are the counters of five jobs, one minute each, with the state of their device's memory at the end. They are **simulated** from
# stated ranges, one for each row of a well-known table of bottlenecks. Which is which?

# %% tags=["run"]
mystery = mystery_traces()
print("SIMULATED from stated ranges (simulations/traces.py), not recorded")
draw_counters.traces(mystery)

# %% [markdown] exercise="13.7" title="From symptom to fix" topic="diagnosis"
# ### Exercise 13.7 · Symptom and fix (12 min)
#
# 1. Write `diagnose(trace)`. A trace has the attributes `kernels`, `copies`, `host` and `occupancy` (`trace.kernels`: arrays in percent: share of the time in which kernels
#    ran, share in which data was copied between host and device, load of the core that loads the data, occupancy), `failed` (whether the
#    job ended with "out of memory"), `free_bytes`, `largest_bytes` and `asked_bytes`. Return the first word that fits, from top to bottom.
#    (The limits are ours, for this exercise; look at **means** over the trace.)
#
# | word | when |
# |---|---|
# | `"fragmented"` | it ended with "out of memory" although at least as much was free as it asked for |
# | `"copying"` | copies take 40 % of the time or more |
# | `"loading"` | kernels run in less than 50 % of the time, and the loader's core is 80 % busy or more |
# | `"waiting"` | kernels run in less than 50 % of the time, and the loader's core is less busy than that |
# | `"small kernels"` | occupancy is below 30 % |
# | `"healthy"` | none of these |
#
# 2. Fill `fixes` with the fix for each: `"prefetch"` (load the next batch while this one computes), `"faster loader"` (more loader
#    processes, or decode on the device), `"stay"` (keep the data on the device, no `.to_pandas()` in between), `"pool"` (one large piece of
#    memory at the beginning) and `"larger batches"`.

# %% tags=["exercise"] exercise="13.7"
def diagnose(trace):
    """Return the word for the symptoms of a trace."""
    ### BEGIN SOLUTION
    if trace.failed and trace.free_bytes >= trace.asked_bytes:
        return "fragmented"
    if trace.copies.mean() >= 40:
        return "copying"
    if trace.kernels.mean() < 50:
        return "loading" if trace.host.mean() >= 80 else "waiting"
    return "small kernels" if trace.occupancy.mean() < 30 else "healthy"
    ### END SOLUTION


fixes = {
    "fragmented": "pool",  # SOLUTION
    "copying": "stay",  # SOLUTION
    "loading": "faster loader",  # SOLUTION
    "waiting": "prefetch",  # SOLUTION
    "small kernels": "larger batches",  # SOLUTION
}

# %% tags=["check"] exercise="13.7"
check("13.7", diagnose, fixes)

# %% [markdown] tags=["hint-1"] exercise="13.7"
# Write one `if` for each row of the table, in their order, each with a `return`. Begin with the memory: which two numbers tell that it was
# not really full?

# %% [markdown] tags=["hint-2"] exercise="13.7"
# `trace.kernels.mean()` is the mean. An out-of-memory error whose request was larger than all that was free is no fragmentation: go on with
# the next rows. For the fixes ask who is busy: if the loader's core is, loading ahead alone does not help.

# %% [markdown] tags=["hint-3"] exercise="13.7"
# First row: `trace.failed and trace.free_bytes >= trace.asked_bytes`. "waiting" gets "prefetch", "loading" gets "faster loader"; a pool is
# what prevents fragments.

# %% tags=["run"]
for name, trace in mystery.items():
    word = diagnose(trace)
    if not ready("13.7", word):
        break
    print(f"{name}: {word:14} → {fixes.get(word, 'nothing to fix')}")

# %% [markdown] anchor="fragmentation"
# **Explain:** look at B: more was free than it asked for, but no piece was that large. (Lesson 11 is about memory.) A and D look the
# same on the device; only the host tells them apart. And a high `sm`, as in C, was no proof of health.
#
# **Change:** does a trace of your job fit? `%%gpucluster profile` has rules of the same kind; the table of them is in its
# documentation, *docs/profile.md*.

# %% [markdown] anchor="timers"
# ## 8. Timers in the program
#
# Profilers see kernels and tasks. What they were *for* (forward, backward, loading, optimizer) only the program knows. DLProf used to make
# this table for deep learning; its newest documents that we found are of 2021, so take Nsight Systems with NVTX ranges, the profiler of
# your framework, or your own timers. There are three traps.
#
# ### Trap 1: what returns at once has not been done
#
# **Predict:** the next cell times `submit`, then `result`. What percentage of the time is spent in `submit`?

# %% tags=["predict"]
predict("13.h", 1)  # SOLUTION

# %% tags=["run"] anchor="asynchronous"
began = time.perf_counter()
future = lab.client.submit(crunch, 4_000_000, pure=False)
submitted = time.perf_counter()
future.result()
ended = time.perf_counter()
print(f"submit: {1000 * (submitted - began):.1f} ms; result: {1000 * (ended - submitted):.1f} ms")
compare("13.h", 100 * (submitted - began) / (ended - began), "%")

# %% [markdown]
# **Explain:** `submit` hands the work over and returns. So does a kernel launch on a GPU: the line of Python is over long before the
# kernel. A timer around it measures the launch, and the time turns up in the next line that *needs* the result, which did not cause it. Wait for
# the device before each look at the clock: `settler` below does so where the arrays lie on one.
#
# ### Trap 2: times inside times
#
# Here is a small network, trained on one worker. Its timers note when each stage begins and ends. One of them, `unpack`, lies inside
# another.

# %% tags=["run"]
def train(features, targets, packed, shape, batches):
    """Train a network of two layers; return the events of its timers, and the seconds of all of it."""
    rng = np.random.default_rng(0)
    first = np.asarray(rng.normal(size=(64, 256)) / 8, dtype="float32", like=features)
    second = np.asarray(rng.normal(size=(256, 10)) / 16, dtype="float32", like=features)
    timers = StageTimers(settler(features))
    for number in range(batches):
        with timers.stage("load"):
            with timers.stage("unpack"):
                raw = zlib.decompress(packed)
            x = np.asarray(np.frombuffer(raw, dtype="float32").reshape(shape), like=features)
        with timers.stage("forward"):
            hidden = np.maximum(x @ first, 0)
            scores = hidden @ second
            scores -= scores.max(axis=1, keepdims=True)
            likely = np.exp(scores)
            likely /= likely.sum(axis=1, keepdims=True)
        with timers.stage("backward"):
            error = (likely - targets) / len(x)
            second_slope = hidden.T @ error
            first_slope = x.T @ ((error @ second.T) * (hidden > 0))
        with timers.stage("optimizer"):
            first -= 0.5 * first_slope
            second -= 0.5 * second_slope
        if number % 10 == 0:
            loss = float(-np.log((likely * targets).sum(axis=1)).mean())  # between the stages: in no stage?
    return [tuple(event) for event in timers.events], timers.total(), loss


digits = load_digits()
images = (digits.data / 16).astype("float32")
on_device = da.from_array(images, chunks=images.shape).to_backend()
wanted = da.from_array(np.eye(10, dtype="float32")[digits.target], chunks=(len(images), 10)).to_backend()
blocks = [lab.client.compute(array.to_delayed().ravel()[0]) for array in (on_device, wanted)]
job = lab.client.submit(train, *blocks, zlib.compress(images.tobytes(), 6), images.shape, 60, pure=False)
events, total, loss = job.result()
print(f"60 batches of {len(images):,} images in {total:.2f} s, loss {loss:.3f}; the first events:")
for stage, what, at in events[:5]:
    print(f"   {at - events[0][2]:8.5f} s  {stage} {what}s")

# %% [markdown] exercise="13.8" title="Parts that add up to the whole" topic="timing"
# ### Exercise 13.8 · Parts that add up (12 min)
#
# Write `breakdown(events, total)`. An event is `(stage, what, at)` with `what` `"begin"` or `"end"` and `at` in seconds, in the order in
# which they happened. A stage may come many times, and stages may lie inside others, several deep; they close in the reverse order in which
# they were opened. No stage lies inside one of the same name.
#
# Return a dictionary: for each stage the seconds that were **its own**, that is without those of the stages inside it, added up over all
# its times; and `"other"`: what of `total` belongs to no stage. So all values together are `total`.

# %% tags=["exercise"] exercise="13.8"
def breakdown(events, total):
    """Return the seconds of each stage's own, and "other"."""
    ### BEGIN SOLUTION
    seconds, open_stages, before = {}, [], 0.0
    for stage, what, at in events:
        if open_stages:
            seconds[open_stages[-1]] += at - before  # until now, the innermost stage ran
        if what == "begin":
            open_stages.append(stage)
            seconds.setdefault(stage, 0.0)
        else:
            open_stages.pop()
        before = at
    return {**seconds, "other": total - sum(seconds.values())}
    ### END SOLUTION

# %% tags=["check"] exercise="13.8"
check("13.8", breakdown)

# %% [markdown] tags=["hint-1"] exercise="13.8"
# Between two events that follow each other, exactly one stage runs alone, or none. Which? The one that was opened last and is not
# closed yet.

# %% [markdown] tags=["hint-2"] exercise="13.8"
# Keep a list of the open stages: append at `"begin"`, pop at `"end"`. Before you change it, give the time since the last event to the stage
# at the end of the list.

# %% [markdown] tags=["hint-3"] exercise="13.8"
# `seconds[open_stages[-1]] += at - before` if any stage is open, then append or pop, then `before = at`. At the end, `"other"` is the total
# minus the sum of all others.

# %% tags=["run"]
parts = breakdown(events, total)
if ready("13.8", parts):
    print({stage: f"{seconds:.3f} s" for stage, seconds in parts.items()})
    print(f"together {sum(parts.values()):.3f} s, measured {total:.3f} s")
    draw_counters.shares(parts)

# %% [markdown]
# **Explain:** with the time of `unpack` counted in `load` as well, the parts would be more than the whole. What is left as *other* is the
# third thing to look at: where it is large, the time went where there is no timer.

# %% [markdown] anchor="baseline"
# ## 9. Trap 3: "ten times faster" than what?
#
# Slides say "performance gains of 10x or more", and show two bars. Let us make such bars for one question: the mean delay by airline of a
# year of flights from New York.
#
# **Predict:** by which factor is pandas faster than a loop in Python, once the table is in memory?

# %% tags=["predict"]
predict("13.i", 10)  # SOLUTION

# %% tags=["run"]
def by_loop(table):
    sums, counts = {}, {}
    for carrier, delay in zip(table["carrier"].tolist(), table["dep_delay"].tolist()):
        if delay == delay:  # NaN is not equal to itself
            sums[carrier] = sums.get(carrier, 0.0) + delay
            counts[carrier] = counts.get(carrier, 0) + 1
    return {carrier: sums[carrier] / counts[carrier] for carrier in sums}


def by_pandas(table):
    return table.groupby("carrier")["dep_delay"].mean().to_dict()


def seconds_of(work, *args):
    began = time.perf_counter()
    work(*args)
    return time.perf_counter() - began


def whole_way():
    by_pandas(datasets.flights(as_frame="pandas"))


display(lessons.banner("flights"))
reading = seconds_of(whole_way)
table = datasets.flights(as_frame="pandas")
bars = {"loop": min(seconds_of(by_loop, table) for _ in range(3)),
        "pandas": min(seconds_of(by_pandas, table) for _ in range(3)),
        "pandas, with reading the files": reading}
for name, seconds in bars.items():
    print(f"{name:32} {1000 * seconds:8.1f} ms   loop / this = {bars['loop'] / seconds:6.2f}")
print(f"{len(table):,} rows, pandas {pd.__version__}; best of three, reading once")
compare("13.i", round(bars["loop"] / bars["pandas"], 1), "times as fast")

# %% [markdown]
# **Explain:** one program, two true answers. The large factor compares a good tool with a bad loop, and leaves out reading. From file to
# answer, the gain may be none. Before you believe a factor, ask: faster than **what** (which library, how many cores)? With **which part**
# of the way (reading, copies, first run)? For **which size**? Measured **by whom**, on what, how often? A bar without these says nothing.
# And put the same four under each of your factors.

# %% [markdown] exercise="13.9" title="The order of work" topic="diagnosis"
# ## 10. Make it a habit
#
# ### Exercise 13.9 · The order of work (4 min)
#
# You have all the tools now. In which order are they used? The next cell shows the steps, each with a letter. Move them there, or write your order as pairs: the letter of a
# line, and its level. Level 1 is what the loop repeats. Two lines do not belong.

# %% tags=["run"]
lessons.parsons("13.9")

# %% tags=["exercise"] exercise="13.9"
# For example [("X", 0), ("Y", 0), ("Z", 1)].
order = [("C", 0), ("B", 0), ("A", 0), ("G", 1), ("E", 1), ("D", 1), ("I", 1), ("K", 1), ("H", 1)]  # SOLUTION

# %% tags=["check"] exercise="13.9"
check("13.9", order)

# %% [markdown] tags=["hint-1"] exercise="13.9"
# What must you know before the first change, so that you can tell later whether anything became faster?

# %% [markdown] tags=["hint-2"] exercise="13.9"
# Before the loop stand the aim and the measurement of the present state. In the loop, a change comes after a cause, and a cause after a profile.

# %% [markdown] tags=["hint-3"] exercise="13.9"
# After the change, two things are looked at, in any order: the results and the time. Only then do you decide. The two lines that do not belong change
# more than one thing, and compare with another machine.

# %% [markdown] tags=["keypoints"]
# ## Keypoints
#
# * A finding names who waited, when, and for what. A gap of all threads is the notebook or the scheduler; empty space at the end of some rows is
#   imbalance.
# * Utilization is the share of the time in which some kernel ran. Low is bad, high is no proof of good. Not measured is not 0.
# * Nsight Systems says when, Nsight Compute says why. Kernel times may overlap: find idle time on the timeline, not by subtraction.
# * Arithmetic intensity decides: below the corner of the roofline only fewer bytes help, above it only fewer operations.
# * Overlap makes two steps cost as much as the slower one. It does not make the slower one faster.
# * Look at the host, too: a starved device with an idle loader needs prefetching, one with a busy loader needs a faster loader.
# * Wait for the device before you look at the clock; count each second once, and show what is left as "other".
# * A speed-up without its baseline, its size and its machine says nothing.

# %% [markdown]
# ## Quiz and cards

# %% tags=["quiz"]
lessons.quiz("13")

# %% tags=["cards"]
lessons.cards("13")

# %% [markdown] anchor="where-it-runs"
# ### Laptop, one GPU, cluster
#
# * **Laptop:** everything that has to do with tasks, files and timers is measured. Counters and captures of a GPU are simulated, and marked
#   so.
# * **One GPU:** the same cells. Section 3 then shows the counters of your GPU while it is idle; run something beside it. Section 5 draws
#   its roofline, with CuPy's kernels. With `nsys` and Jupyter started as *docs/profile.md* says, section 4 takes a capture: open it with
#   `sqlite3.connect` after `nsys export`, and give it to your `device_summary`.
# * **Run on a GPU:** all checks passed on one NVIDIA H100 on 2026-11-26, with RAPIDS 26.10.
# * **Cluster:** one process per worker, many machines. `dmon` and `nsys` see one machine each; the gauges and `%%gpucluster profile` see
#   all of them.

# %% tags=["run"]
import shutil

shutil.rmtree(FOLDER, ignore_errors=True)
lab.close()

# %% [markdown] tags=["instructor"]
# ### For the instructor
#
# * **Goal:** learners do not say "it is slow" any more. They say who waited, when and for what, and they ask "faster than what?".
# * **Time:** 15 for section 1 with 13.1 · 15 for section 2 · 20 for section 3 · 15 for section 4 · 15 for section 5 · 18 for section 6 · 12 for
#   section 7 · 15 for section 8 · 10 for sections 9 and 10 = 135. With 65 minutes: sections 1, 3, 6 and 7; the others are independent of each
#   other and can be homework.
# * **On the projector:** the task stream of section 1 beside Dask's live one. The sliders of section 6: let the class say when a second
#   batch ahead helps (never, as long as the times do not vary). The five traces: a vote by letters before anybody types.
# * **Frequent mistakes:** 13.1: the gap to the *neighbour* in the list instead of to the latest end; the number of threads taken from the
#   records, so that idle threads vanish. 13.2: `us` and `ms` forgotten, or the two whole numbers of long times. 13.3: NaN counted as "not
#   below"; `-` read as 0. 13.4: nanoseconds; overlapping kernels counted twice in the idle share; copies of another device; no table of
#   copies. 13.5: bytes per operation. 13.6: a queue of `depth` holds one batch too many (the check says so); an error in the thread that
#   goes unnoticed. 13.7: every "out of memory" taken for fragmentation. 13.8: times with what lies inside.
# * **Say openly:** what looks like a GPU's counters is marked as simulated where it is not one's. If you have a GPU, run section 3 and 5 on it, and show the difference.
# * **When late:** give the solutions of 13.2 and 13.4; the queries are worth reading.
# * **Measured** while this lesson was written: see the lines that the cells print; they say on what. Timings of two busy cores say nothing
#   about yours.
