# ---
# jupyter:
#   gpucluster:
#     lesson: "13"
#     title: "Where did the time go? Profiling and monitoring"
#     minutes: 135
#     needs: cpu
#     topics:
#       task-stream: {title: "Gaps in the task stream, and reports of it", link: "13#stream"}
#       counters: {title: "Counters: what utilization shows, and what it does not", link: "13#utilization"}
#       timelines: {title: "Nsight Systems: when", link: "13#nsight-systems"}
#       roofline: {title: "Memory-bound or compute-bound", link: "13#roofline"}
#       overlap: {title: Load while computing, link: "13#overlap"}
#       diagnosis: {title: From the symptom to the fix, link: "13.7"}
#       timing: {title: Timers and baselines that do not mislead, link: "13#timers"}
#     objectives:
#       - calculate idle time and gaps from a task stream
#       - read reports, counters and captures of profilers with a few lines of Python
#       - explain what utilization and occupancy show, and what they do not
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
# If you have 65 minutes, do sections 1, 3, 6 and 7. The others are a second session, and are independent of each other.
#
# After this lesson, you can
#
# * **calculate** idle time and gaps from a task stream;
# * **read** reports, counters and captures of profilers with a few lines of Python;
# * **explain** what utilization and occupancy show, and what they do not;
# * **place** a kernel on a roofline, and **tell** memory-bound from compute-bound;
# * **hide** the time of loading behind the time of computing;
# * **find** the bottleneck from its symptoms, and **name** the fix;
# * **time** the stages of a program so that the parts add up to the whole.
#
# Work from top to bottom. Where you see `...`, it is your turn. `check("13.1", idle_share, longest_gap)` checks your
# answer, `hint("13.1")` gives the next of three hints, and `solution("13.1")` shows a solution after the hints. Unless an exercise says otherwise, a
# function must not change its arguments, and must return the same result each time.
#
# **What is measured here, and what is not.** The cells measure task streams, reports, the roofline and all timers.
# The recording in section 3 is of real workers without a GPU. GPU counters are measured if there is a GPU. Otherwise
# they are **simulated** with formulas that you can read, and the cell is labelled as simulated. The lesson does not
# include a GPU recording.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("13")

# %% [markdown]
# The output above shows what you are running on. `lab.client` is an ordinary Dask client. Without `lab`, you would write
# `client = Client(LocalCluster(n_workers=2))`. The rest of this notebook is the same everywhere.
#
# <details><summary>Helpers in this lesson, and what they do</summary>
#
# | here | without our helper |
# |---|---|
# | `Busy(client)` | `client.run(time.process_time)` before and after; the difference divided by the elapsed time |
# | `np.asarray(x, like=block)` | this is plain NumPy: it makes an array of the same library as `block`. In a program for NumPy blocks only, `np.asarray(x)` |
# | `ready("…", f)` | only our lessons need it: prints a message and returns False until you have written `f` |
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
# "It is slow" is not a finding. A finding names **who** waited, **when**, and **for what**. For a Dask cluster the
# first record is the **task stream**: which thread ran each task, and when. The dashboard draws it live. (Open *Task
# stream* in the *GPU clusters* panel, or the link that `lab` printed above, if any.) `get_task_stream` gives the same records to a program.
#
# The next cell sorts random numbers. First it runs six equal tasks. Then the notebook itself is busy for 0.6 s. Then
# come three tasks, one of them large.
#
# **Predict:** for what percentage of the threads' time is no task running?

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
# Hover over a bar to see which task it is, and how long it took. There are two kinds of empty space: the gap in the
# middle, when the workers had no tasks, and the end, when one thread still works and the others have nothing left.

# %% [markdown] exercise="13.1" title="Idle share and longest gap" topic="task-stream"
# ### Exercise 13.1 · Idle share and longest gap (12 min)
#
# A record has `"worker"`, `"thread"` and `"startstops"`, a sequence of parts with `"action"`, `"start"` and `"stop"` (seconds on a clock).
# Only parts with the action `"compute"` count as work; a thread that fetches data (`"transfer"`) is waiting. The
# **window** goes from the first `start` of a compute part to the last `stop`. The records are in any order.
#
# 1. `idle_share(records, threads)`: the share of all threads' time in the window in which they did not compute. The
#    cluster has `threads` threads. A thread that ran nothing is in no record, and was idle all the time.
# 2. `longest_gap(records)`: the longest time in the window in which **no thread at all** computed, as `(start, seconds)`; `start` counts
#    from the beginning of the window. If there is no gap, return `(0.0, 0.0)`.

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
# Collect all compute parts first; calculate everything from them. How much time did all threads have together? For
# the gap, go through the parts in order of their start.

# %% [markdown] tags=["hint-2"] exercise="13.1"
# The total time is `threads` times the length of the window. A part that begins *after everything before it has
# ended* leaves a gap. The previous part is not always the one that ended last: a long task may cover many short ones.

# %% [markdown] tags=["hint-3"] exercise="13.1"
# Keep `latest`, the largest `stop` so far: a gap is `start - latest` if this is positive, and it begins at `latest`. Then `latest =
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
# Empty space at the end of *some* rows points to tasks of unequal size (lesson 03). More workers help with neither.

# %% [markdown] anchor="staged"
# ### Three staged problems
#
# `%%gpucluster profile`, or `gpucluster.profile()` in a program, looks at the task stream, the memory, the transfers
# and the counters together, and reports the likely bottleneck. Read the three jobs.
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
# **Explain:** A has 600 tasks that are shorter than their own overhead (lesson 03). B waits for one long task. C
# brings 128 MB of results into the notebook, which is a single process. Leave them on the workers, or reduce them
# there.
#
# The report also separates two times that our `idle_share` adds up: *Idle* is the threads' idle time **while there
# were tasks**, and *Notebook* is the time without submitted tasks. To reduce the first, change the graph; to reduce
# the second, change the notebook. Run any cell with
# `%%gpucluster profile` above it to see the whole report, with a timeline.

# %% [markdown] anchor="report"
# ## 2. A report that others can read
#
# Dask's `performance_report` writes what its dashboard shows into one HTML file: task stream, profile of the code,
# memory. You can open it next week, or send it to a colleague. The file contains the scheduler's address, your code
# and lines of the log, so read it before you share it. Its plots need a script from the network; `mode="inline"` puts the script into the file.

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
# Suppose you run an hour of work and pass a folder for the report instead of a file.

# %% tags=["run"]
finished = []
with expect_failure(IsADirectoryError):
    with performance_report(filename=str(FOLDER)):
        finished = lab.client.gather(lab.client.map(crunch, [200_000] * 4, pure=False))
print(f"{len(finished)} of 4 results were finished when the error came.")

# %% [markdown]
# **Explain:** the file is opened when the block **ends**. All the work was done, and its report is lost. Check in
# advance what you can: a program that will write a file should test the path first. Ours does, and the line inside
# the block is never reached:

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
# * `"compute"`: the compute time of all threads together, in seconds; 0.0 if the report has no such line, because no task computed;
# * `"threads"`: the number of threads.
#
# The lines that you need look like this. The file has `&lt;` and `&gt;` for `<` and `>`, and `\n` (two characters) for a line break:
#
# ```text
# &lt;h2&gt; Duration: 12.50 s &lt;/h2&gt;
# &lt;li&gt; number of tasks: 610 &lt;/li&gt;
# &lt;li&gt; compute time: 380.63 ms &lt;/li&gt;
# &lt;li&gt; Threads: 4 &lt;/li&gt;
# ```
#
# There may be times of other actions as well, such as `transfer time:`. Dask chooses the unit of each time: `250.00
# us`, `380.63 ms`, `12.50 s`. Longer times have two integers: `3m 20s`, `2hr 15m`, `1d 4hr`. The check uses all six
# kinds.

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
# Each fact follows a label and ends before the next `&` (or `<`). Write a small function that finds the text after a
# label, and another that converts it to seconds.

# %% [markdown] tags=["hint-2"] exercise="13.2"
# A regular expression such as `compute time:\s*([^&<]*)` finds the text after a label; it may find nothing. For the
# units use a dictionary: `"ms"` is 0.001, `"hr"` is 3600. A text such as `3m 20s` has several pairs of a number and a unit; add them up.

# %% [markdown] tags=["hint-3"] exercise="13.2"
# `re.findall(r"([\d.]+)\s*([a-z]+)", "3m 20s")` gives `[("3", "m"), ("20", "s")]`. Add up number times unit. An empty
# sum is 0, which is right for a report without compute time.

# %% tags=["run"]
found = facts(text)
if ready("13.2", found):
    print(found)
    share = found["compute"] / (found["seconds"] * found["threads"])
    print(f"The threads computed for {share:.0%} of the time of the block.")

# %% [markdown] anchor="counters"
# ## 3. Counters of the device
#
# A GPU has its own counters. `nvidia-smi` prints a table of utilization, memory, temperature and power. `nvidia-smi
# dmon` prints one line per device and second until you stop it. It is the quickest way to see whether a GPU works at
# all. `-s pumt` selects power and temperature, utilization, memory, and PCIe traffic; other letters select other
# columns.
#
# The next cell runs it for ten seconds. Without a GPU, it prints the output of a simulated one. Device 0 alternates
# between reading a batch and computing. Device 1 reads the next batch while it computes. Device 2 is split into
# slices, and its driver does not report how busy they are.

# %% tags=["run"]
log = watch_devices()
print(log.source, "\n")
print("\n".join(log.text.splitlines()[:11]))

# %% [markdown] anchor="utilization"
# The first line has the names, the second the units; both are repeated after some lines. `sm` is what NVIDIA calls
# utilization: **the share of the second in which at least one kernel ran**. It does not show how many of the
# processors the kernel used, or how well. A kernel with a single thread makes it 100 %. So:
#
# * `sm` **low**: the device waits for the loader, for copies or for the notebook. You can trust this.
# * `sm` **high**: something runs. Other figures show whether it uses the device well: power far below the limit,
#   occupancy (section 5), or the roofline.
# * `-`: not measured. It is not 0.
#
# **Predict:** for each batch, device 0 of the simulation loads for 1.3 s, then needs 1.35 s on the device, 1.1 s of
# it for kernels. What is the mean of its `sm`, in percent?

# %% tags=["predict"]
predict("13.c", 42)  # SOLUTION

# %% [markdown] exercise="13.3" title="Read a log of dmon" topic="counters"
# ### Exercise 13.3 · Read a log of `dmon` (12 min)
#
# 1. `read_dmon(text)` returns two things. A pandas `DataFrame`: one row for each line of figures, in order, and one
#    column for each name, all of type float, with `NaN` for `-`. And a dictionary from each name to its unit. The
#    columns depend on `-s`; the first is always the number of the device. Lines that begin with `#` are the two
#    header lines, which are repeated. Ignore empty lines.
# 2. `share_below(table, limit)` takes such a table and returns a dictionary from the number of each device (an `int`)
#    to the share of its samples in which `sm` was **below** the limit. Samples that were not measured do not count. A
#    device without measured samples is not in the dictionary.

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
# Split the text into lines, and each line at white space. Treat lines that begin with `#` separately. For the shares:
# first drop the samples that were not measured, then look at each device.

# %% [markdown] tags=["hint-2"] exercise="13.3"
# The very first line is `#` and the names, the second is `#` and the units. `pd.DataFrame(rows, columns=names)` makes
# the table, and `.replace("-", np.nan).astype(float)` converts the numbers. Comparing a NaN with a limit gives `False`: it would count as a sample that is not
# below.

# %% [markdown] tags=["hint-3"] exercise="13.3"
# `measured = table[table["sm"].notna()]`. The mean of a Boolean column is the share of True, and `groupby` computes
# it for each device. `table.columns[0]` is the name of the column with the device number.

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
# The thin line shows each second. The thick line is the rolling mean of ten samples. An alarm should use the mean:
# one idle second means nothing, but a minute below 50 % does.
#
# **Explain** (for the simulation): device 0 loads and computes in turns, so its kernels run 1.1 s of every 2.65 s,
# which is 42 %. Device 1 does the same work but only takes the time of the slower step, 1.35 s. Section 6 is about
# this.

# %% [markdown] anchor="recording"
# ### A real recording
#
# gpucluster can record what its gauges show (`cluster.recording(...)`, or *Record* on the card) and replay it. This
# recording is included: two workers **without a GPU**, with 600 MiB of memory each, join four million flights with
# the weather, which does not fit. It shows the machine and date of the recording.

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
# **Explain:** the mean of the whole recording describes hardly any single moment. In the first six samples no worker
# is working. Then both workers are busy, while their results fill the memory and go to disk. Look at sample 14: the
# workers have 23 tasks and run none of them. At such a moment the inputs are still on their way, from the disk or
# from the other worker. That is the moment to investigate, and no mean shows it.

# %% [markdown] anchor="monitors"
# ### All cores busy?
#
# `htop` shows one bar per core; `nvtop` and `nvitop` show the same for GPUs, with the processes that use each one. Full
# bars look good. What do they show?
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
# **Explain:** a full bar means that the core is busy, not that it does something useful. A core that waits in a loop
# is also full. And an empty bar does not prove that the machine is free: a thread that waits for the disk uses no
# core. The same is true of `sm`.

# %% [markdown] anchor="nsight-systems"
# ## 4. Nsight Systems: when
#
# Counters give one figure per second, but a batch may take milliseconds. **Nsight Systems** (`nsys`) records the
# start and end of every kernel and every copy on one timeline with the host: *when*. It answers "does my GPU sit idle while the CPU loads data?"
# **Nsight Compute** (`ncu`) looks into one kernel: *why*.
#
# `%%gpucluster profile --nsight FILE` captures a cell on a cluster, within the limits of `nsys`: it cannot attach to
# running processes. If something is missing, the report shows what to do:

# %% tags=["run"]
with gpucluster.profile(nsight=FOLDER / "capture") as report:
    lab.client.gather(lab.client.map(crunch, [200_000] * 2, pure=False))
print(*report.files, sep="\n")

# %% [markdown]
# You can open a capture in `nsys-ui`. For programs, `nsys export --type sqlite FILE` converts it to a database. We
# need these tables (names, columns and units are those of a real export, which has more of each):
#
# | table | columns |
# |---|---|
# | `CUPTI_ACTIVITY_KIND_KERNEL` | `start`, `end` in **nanoseconds**, `deviceId`, `streamId`, `shortName` (a number that `StringIds` explains) |
# | `CUPTI_ACTIVITY_KIND_MEMCPY` | `start`, `end`, `deviceId`, `streamId`, `bytes`, `copyKind`: 1 host to device, 2 device to host, 8 device to device |
# | `StringIds` | `id`, `value` |
#
# A table without rows is **missing**. The next cell makes such a database from a **simulated** pipeline of eight
# batches and draws it.

# %% tags=["run"]
capture = simulated_capture()
print("SIMULATED from stated formulas (simulations/capture.py), not recorded")
timelines.capture(capture)
pd.read_sql("SELECT start, end, deviceId, streamId, value AS name FROM CUPTI_ACTIVITY_KIND_KERNEL "
            "JOIN StringIds ON StringIds.id = shortName LIMIT 4", capture)

# %% [markdown] exercise="13.4" title="Query a capture" topic="timelines"
# ### Exercise 13.4 · Query a capture (12 min)
#
# Write `device_summary(connection, device)`. The connection is from `sqlite3`; read with `pd.read_sql(query,
# connection)` or `connection.execute(query)`. Return a dictionary of four numbers, **of this device only**:
#
# * `"kernel_seconds"`: the total seconds of all kernels (two that ran at the same time count twice);
# * `"to_device_bytes"` and `"to_host_bytes"`: the bytes copied from host to device and from device to host; 0 if there were none;
# * `"idle_share"`: the share of time in which **no kernel** ran, from the first start to the last end of any kernel
#   or copy on the device. Kernels of two streams may overlap: here that time counts once.
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
# Read the kernels of the device, then its copies, and calculate in Python. Which of the four figures needs only
# kernels, which only copies, and which both? The last one is similar to 13.1.

# %% [markdown] tags=["hint-2"] exercise="13.4"
# `SELECT name FROM sqlite_master` lists the existing tables. For the idle share, add up the time in which a kernel
# ran *without counting any moment twice*: go through the kernels in order of their start, and count only the part of
# each that comes after the end of all previous ones.

# %% [markdown] tags=["hint-3"] exercise="13.4"
# With `latest`, the largest end so far, a kernel adds `max(0, stop - max(start, latest))`. The window begins with the first start of a
# kernel or a copy, and the idle share is 1 minus the busy time divided by its length. Divide nanoseconds by `1e9`.

# %% tags=["run"]
summary = device_summary(capture, 0)
if ready("13.4", summary):
    print("SIMULATED:", {name: round(value, 3) for name, value in summary.items()})

# %% [markdown]
# **Explain:** the kernels of the two streams add up to more than the time in which any kernel ran. So `nsys stats`,
# which adds them up, can show more kernel time than the program took, and you must find idle time on the timeline.
# Here the copies are short, so less copying would not help much: the device waits for the loader.

# %% [markdown] anchor="roofline"
# ## 5. The roofline: why a kernel is not faster
#
# A kernel moves bytes between memory and processor, and it computes. Both have a maximum speed. Which of the two limits it? Its
# **arithmetic intensity** decides: operations per byte moved. With intensity *I*, a kernel can do at most this number of operations per second:
#
# `attainable = min(peak, I × bandwidth)`
#
# Plotted against *I*, this is a slope and a flat roof. Left of the corner a kernel is **memory-bound**: only fewer bytes make it faster. Right of
# it, it is **compute-bound**.
#
# The next cell measures the roof of one of your workers, and five kernels below it. Bytes and operations are counted
# by hand, assuming that each array moves once.

# %% tags=["run"]
roof = measure_roof(lab.client)
print(f"one worker, {roof.library}, float32: {roof.peak / 1e9:,.1f} Gflop/s, {roof.bandwidth / 1e9:,.1f} GB/s, "
      f"corner at {roof.peak / roof.bandwidth:.1f} operations per byte")
for name, kernel in roof.kernels.items():
    print(f"{name:16} {kernel.flops / 1e6:10,.1f} Mflop {kernel.n_bytes / 1e6:8,.1f} MB {1000 * kernel.seconds:8.2f} ms")

# %% [markdown]
# **Predict:** adding two float32 arrays takes one operation per twelve bytes. How many of the five kernels are
# compute-bound on this machine?

# %% tags=["predict"]
predict("13.e", 1)  # SOLUTION

# %% [markdown] exercise="13.5" title="Place kernels on the roofline" topic="roofline"
# ### Exercise 13.5 · Memory-bound or compute-bound? (10 min)
#
# 1. `matmul_cost(m, n, k, itemsize)`: operations and bytes of the product of an m × k and a k × n matrix, as `(flops, n_bytes)`. Each
#    of the m n numbers in the result takes k products and k additions: count 2 k operations. Each of the three
#    matrices moves once, with `itemsize` bytes per number.
# 2. `place(kernels, peak, bandwidth)`: `kernels` is a dictionary from a name to `(flops, n_bytes)`, `peak` is in operations per second,
#    `bandwidth` in bytes per second. Return a dictionary from each name to `(intensity, attainable, label)`: operations
#    per byte, the maximum operations per second that the roofline allows, and `"memory"` or `"compute"`. At the
#    corner itself, return `"compute"`.

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
# Write down the sizes of the three matrices: m × k, k × n and m × n. In `place`, work on one kernel at a time: start
# with the intensity; the other two follow from it.

# %% [markdown] tags=["hint-2"] exercise="13.5"
# Intensity is operations divided by bytes. Multiply it by the bandwidth to get the limit of the memory. The smaller
# of this limit and the peak applies.

# %% [markdown] tags=["hint-3"] exercise="13.5"
# A kernel is memory-bound if `intensity * bandwidth` is below `peak`. The bytes of a product: `itemsize * (m * k + k * n + m * n)`.

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
# The thick line is measured. The dashed lines are single-precision peaks from the data sheets of two GPUs: figures
# from the manufacturer that few programs reach.
#
# **Explain:** sums, additions and scaling touch each number once: one operation for four to twelve bytes. No
# processor runs them faster than its memory allows, so a GPU speeds them up by the ratio of the *bandwidths*. "Only
# deep networks suit GPUs, as they need so much computing" is therefore wrong: the speed of the memory also counts.
# (The roof is the best that these few kernels reached. A kernel above 100 % found its data in the cache, or the
# machine was busy while the roof was measured. A kernel far below the roof is limited by neither memory nor
# arithmetic but by something else: instructions that are not vectorised, or other programs.)
#
# **Change:** `matmul_cost(8, 4096, 4096, 4)` is a batch of 8 rows through a network layer, `matmul_cost(512, 4096,
# 4096, 4)` one of 512 rows. Divide operations by bytes. This is why "increase the batch size" is on every list of
# advice.

# %% [markdown] anchor="occupancy"
# ### Occupancy
#
# A GPU hides memory latency by switching between many **warps** (32 threads each). **Occupancy** is the number of
# warps resident on a multiprocessor (SM), as a share of the maximum. Blocks of threads are placed while there is room
# for their warps, registers and shared memory: the scarcest of these decides. The limits below are from NVIDIA's
# documentation for compute capability 9.0 (H100, H200); they ignore the allocation granularity of registers.
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
# **Explain:** 65,536 registers hold 2 blocks of 256 × 128, that is 16 of 64 warps. Blocks of 32 threads waste the
# device as well: at most 32 blocks fit, so half of the warps. Low occupancy is a **symptom**: too few warps cannot
# hide the waiting. High occupancy is not a goal in itself. A kernel with few warps that compute without waiting may
# be at the roof.

# %% [markdown] anchor="overlap"
# ## 6. The starved device: load while computing
#
# "GPU idle between batches" is the most common finding. The loader and the device take turns, although neither needs
# the other's hardware:

# %% tags=["run"]
turns = Pipeline(batches=6, load=0.30, copy_in=0.04, kernels=0.25, copy_out=0.02, ahead=0)
buffered = Pipeline(batches=6, load=0.30, copy_in=0.04, kernels=0.25, copy_out=0.02, ahead=1)
print("SIMULATED: the seconds per step are chosen")
timelines.lanes({"in turns": turns, "one batch ahead": buffered})

# %% [markdown]
# With one batch ahead (**double buffering**), a batch takes as long as the *slower* of the two instead of their sum.
# Move the sliders (they need a running kernel). What does a second batch ahead gain? When does none of this help?

# %% tags=["run"]
explore_overlap()

# %% [markdown]
# **Explain:** if the loader is slower than the device, it sets the pace, with any number of batches ahead. Then the
# loader itself must be faster: more processes, or decoding on the device (NVIDIA's DALI does this for images, GPUDirect Storage reads without the detour through
# host memory). A second batch ahead helps only if the times vary.

# %% [markdown] exercise="13.6" title="Prefetch" topic="overlap"
# ### Exercise 13.6 · Prefetch (15 min)
#
# Write `prefetched(load, numbers, depth)`: a **generator** that yields `load(number)` for each number, in order.
# While the caller works with one batch, a thread of this process loads up to `depth` (1 or more) next batches in the
# background. In detail:
#
# * while the caller holds a batch and does not ask for the next one, the next `depth` batches are loaded (fewer at
#   the end), **and no more**: memory is limited. Batches that are loaded, being loaded or waiting in a queue all
#   count;
# * `numbers` may be any iterable, even an empty one;
# * if `load` fails, its error is raised to the caller when that batch is due, not swallowed.
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
# You need a thread that runs `load` while your generator is paused at its `yield`. `ThreadPoolExecutor(1)` has one,
# and `pool.submit(load, number)` returns a future at once.

# %% [markdown] tags=["hint-2"] exercise="13.6"
# Keep the futures in a `deque`, in order. Submit until there is one more than `depth`: the one to yield, and `depth`
# behind it. `future.result()` waits for the batch and raises any error. (A `queue.Queue(depth)` holds `depth`
# batches, and its thread holds one more.)

# %% [markdown] tags=["hint-3"] exercise="13.6"
# `for number in numbers:` append a future; if there are more than `depth`, `yield pending.popleft().result()`. After
# the loop, yield the rest in the same way.

# %% [markdown]
# Try it on real files: each batch is compressed on disk, and a worker computes with it. The disk is real but too fast
# to show the effect, so reading a batch also waits for 60 ms, like a busy shared file system. (We chose this wait.)
#
# **Predict:** by what factor is the loop with `prefetched` faster?

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
# **Explain:** overlap gains a factor of 2 at most, if both steps take the same time. It never makes a step faster; it
# stops the steps from waiting for each other.

# %% [markdown] anchor="mysteries"
# ## 7. Five mystery traces
#
# Here are the counters of five jobs, one minute each, with the state of device memory at the end. They are
# **simulated** from stated ranges, one for each row of a well-known table of bottlenecks. Which is which?

# %% tags=["run"]
mystery = mystery_traces()
print("SIMULATED from stated ranges (simulations/traces.py), not recorded")
draw_counters.traces(mystery)

# %% [markdown] exercise="13.7" title="From symptom to fix" topic="diagnosis"
# ### Exercise 13.7 · Symptom and fix (12 min)
#
# 1. Write `diagnose(trace)`. A trace has the attributes `kernels`, `copies`, `host` and `occupancy` (such as
#    `trace.kernels`). These are arrays in percent: the time in which kernels ran, the time in which data was copied
#    between host and device, the load of the core that loads the data, and the occupancy. It also has `failed`
#    (whether the job ended with "out of memory"), `free_bytes`, `largest_bytes` and `asked_bytes`. Return the first
#    word that fits, from top to bottom. (We chose the limits for this exercise; use **means** over the trace.)
#
# | word | when |
# |---|---|
# | `"fragmented"` | it ended with "out of memory" although at least as much was free as it requested |
# | `"copying"` | copies take 40 % of the time or more |
# | `"loading"` | kernels run in less than 50 % of the time, and the loader's core is 80 % busy or more |
# | `"waiting"` | kernels run in less than 50 % of the time, and the loader's core is less busy than that |
# | `"small kernels"` | occupancy is below 30 % |
# | `"healthy"` | none of these |
#
# 2. Fill in `fixes` with the fix for each: `"prefetch"` (load the next batch while this one computes), `"faster loader"` (more loader
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
# Write one `if` for each row of the table, in order, each with a `return`. Start with the memory: which two numbers
# show that it was not really full?

# %% [markdown] tags=["hint-2"] exercise="13.7"
# `trace.kernels.mean()` is the mean. If the request was larger than all free memory, the error is not fragmentation:
# continue with the next rows. For the fixes, ask what is busy: if the loader's core is, loading ahead alone does not
# help.

# %% [markdown] tags=["hint-3"] exercise="13.7"
# First row: `trace.failed and trace.free_bytes >= trace.asked_bytes`. "waiting" gets "prefetch", "loading" gets
# "faster loader"; a pool prevents fragmentation.

# %% tags=["run"]
for name, trace in mystery.items():
    word = diagnose(trace)
    if not ready("13.7", word):
        break
    print(f"{name}: {word:14} → {fixes.get(word, 'nothing to fix')}")

# %% [markdown] anchor="fragmentation"
# **Explain:** look at B: more was free than it requested, but no piece was that large. (Lesson 11 is about memory.) A
# and D look the same on the device; only the host distinguishes them. And a high `sm`, as in C, does not prove that a
# job is healthy.
#
# **Change:** does a trace of your own job fit? `%%gpucluster profile` has similar rules; its documentation lists
# them, *docs/profile.md*.

# %% [markdown] anchor="timers"
# ## 8. Timers in the program
#
# Profilers see kernels and tasks. Only the program knows what they were *for* (forward, backward, loading,
# optimizer). DLProf used to make this table for deep learning; its newest documents that we found are from 2021. Use
# Nsight Systems with NVTX ranges, the profiler of your framework, or your own timers. There are three traps.
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
# **Explain:** `submit` passes on the work and returns. So does a kernel launch on a GPU: the Python line ends long
# before the kernel. A timer around it measures the launch. The time appears in the next line that *needs* the result,
# which did not cause it. Wait for the device before each clock reading: `settler` below does so if the arrays are on
# a device.
#
# ### Trap 2: times inside times
#
# Here is a small network, trained on one worker. Its timers record when each stage begins and ends. One stage,
# `unpack`, is inside another.

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
# Write `breakdown(events, total)`. An event is `(stage, what, at)` with `what` `"begin"` or `"end"` and `at` in seconds, in
# order of time. A stage may occur many times. Stages may be nested, several levels deep; they end in the reverse
# order of their start. No stage is inside one of the same name.
#
# Return a dictionary: for each stage **its own** seconds, without those of the stages inside it, added up over all
# its occurrences; and `"other"`: the part of `total` that belongs to no stage. So all values add up to `total`.

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
# Between two successive events, the time belongs to exactly one stage, or none. Which? The one opened last and not
# yet closed.

# %% [markdown] tags=["hint-2"] exercise="13.8"
# Keep a list of the open stages: append at `"begin"`, pop at `"end"`. Before you change it, give the time since the last event to the stage
# at the end of the list.

# %% [markdown] tags=["hint-3"] exercise="13.8"
# `seconds[open_stages[-1]] += at - before` if any stage is open, then append or pop, then set `before = at`. At the
# end, `"other"` is the total minus the sum of all others.

# %% tags=["run"]
parts = breakdown(events, total)
if ready("13.8", parts):
    print({stage: f"{seconds:.3f} s" for stage, seconds in parts.items()})
    print(f"together {sum(parts.values()):.3f} s, measured {total:.3f} s")
    draw_counters.shares(parts)

# %% [markdown]
# **Explain:** if the time of `unpack` were also counted in `load`, the parts would add up to more than the whole.
# Look at *other* as well: if it is large, the time went where there is no timer.

# %% [markdown] anchor="baseline"
# ## 9. Trap 3: "ten times faster" than what?
#
# Slides claim "performance gains of 10x or more" and show two bars. Let us make such bars for one question: the mean
# delay by airline in a year of flights from New York.
#
# **Predict:** by what factor is pandas faster than a Python loop, once the table is in memory?

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
# **Explain:** one program, two true answers. The large factor compares a good tool with a bad loop and excludes
# reading. From file to answer, there may be no gain at all. Before you believe a factor, ask: faster than **what**
# (which library, how many cores)? **Which parts** are included (reading, copies, first run)? For **which size**?
# Measured **by whom**, on what, how often? A bar without these answers means nothing. Give the same four answers with
# each of your own factors.

# %% [markdown] exercise="13.9" title="The order of work" topic="diagnosis"
# ## 10. Make it a habit
#
# ### Exercise 13.9 · The order of work (4 min)
#
# You have all the tools now. In what order do you use them? The next cell shows the steps, each with a letter. Move
# them there, or write your order as pairs: the letter of a line and its level. Level 1 is the body of the loop. Two
# lines do not belong.

# %% tags=["run"]
lessons.parsons("13.9")

# %% tags=["exercise"] exercise="13.9"
# For example [("X", 0), ("Y", 0), ("Z", 1)].
order = [("C", 0), ("B", 0), ("A", 0), ("G", 1), ("E", 1), ("D", 1), ("I", 1), ("K", 1), ("H", 1)]  # SOLUTION

# %% tags=["check"] exercise="13.9"
check("13.9", order)

# %% [markdown] tags=["hint-1"] exercise="13.9"
# What must you know before the first change, so that you can tell later whether it helped?

# %% [markdown] tags=["hint-2"] exercise="13.9"
# The goal and the measurement of the current state come before the loop. In the loop, a change comes after a cause, and a cause after a profile.

# %% [markdown] tags=["hint-3"] exercise="13.9"
# After the change, check two things in any order: the results and the time. Only then decide. One of the two extra
# lines changes more than one thing. The other compares with another machine.

# %% [markdown] tags=["keypoints"]
# ## Key points
#
# * A finding names who waited, when, and for what. A gap in all threads points to the notebook or the scheduler;
#   empty space at the end of some rows is imbalance.
# * Utilization is the share of time in which some kernel ran. Low is bad, but high does not prove good use. Not measured is not 0.
# * Nsight Systems shows when, Nsight Compute shows why. Kernel times may overlap: find idle time on the timeline, not by subtraction.
# * Arithmetic intensity decides: below the corner of the roofline only fewer bytes help, above it only fewer operations.
# * With overlap, two steps take as long as the slower one. Overlap does not make the slower one faster.
# * Look at the host as well: a starved device with an idle loader needs prefetching; one with a busy loader needs a faster loader.
# * Wait for the device before you read the clock. Count each second once, and show the rest as "other".
# * A speed-up without its baseline, data size and machine means nothing.

# %% [markdown]
# ## Quiz and cards

# %% tags=["quiz"]
lessons.quiz("13")

# %% tags=["cards"]
lessons.cards("13")

# %% [markdown] anchor="where-it-runs"
# ### Laptop, one GPU, cluster
#
# * **Laptop:** everything about tasks, files and timers is measured. GPU counters and captures are simulated, and
#   marked as such.
# * **One GPU:** the same cells. Section 3 shows the counters of your GPU while it is idle, so run something at the
#   same time. Section 5 draws its roofline, with CuPy's kernels. With `nsys`, and Jupyter started as described in
#   *docs/profile.md*, section 4 takes a capture: after `nsys export`, open it with `sqlite3.connect` and pass it to
#   your `device_summary`.
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
# * **Goal:** learners no longer say "it is slow". They say what waited, when and for what, and they ask "faster than what?".
# * **Time:** 15 for section 1 with 13.1 · 15 for section 2 · 20 for section 3 · 15 for section 4 · 15 for section 5 · 18 for section 6 · 12 for
#   section 7 · 15 for section 8 · 10 for sections 9 and 10 = 135. With 65 minutes: sections 1, 3, 6 and 7; the others are independent of each
#   other and can be homework.
# * **On the projector:** the task stream of section 1 beside Dask's live one. The sliders of section 6: ask the class
#   when a second batch ahead helps (never, if the times do not vary). The five traces: have the class vote by letter
#   before anyone types.
# * **Frequent mistakes:** 13.1: the gap to the *neighbour* in the list instead of to the latest end; the number of
#   threads taken from the records, so that idle threads vanish. 13.2: `us` and `ms` forgotten, or the two integers of
#   long times. 13.3: NaN counted as "not
#   below"; `-` read as 0. 13.4: nanoseconds; overlapping kernels counted twice in the idle share; copies of another device; no table of
#   copies. 13.5: bytes per operation. 13.6: a queue of `depth` holds one batch too many (the check reports it); an
#   unnoticed error in the thread. 13.7: every "out of memory" taken as fragmentation. 13.8: times that include the
#   inner stages.
# * **Say openly:** GPU counters that are not from a real GPU are marked as simulated. If you have a GPU, run sections 3 and 5 on it and show the difference.
# * **If you run late:** give the solutions of 13.2 and 13.4; the queries are worth reading.
# * **Measured** while this lesson was written: see the output of the cells, which names the machine. Timings on two
#   busy cores do not apply to your machine.
