# ---
# jupyter:
#   gpucluster:
#     lesson: "01"
#     title: Do you need a cluster?
#     minutes: 60
#     needs: cpu
#     objectives:
#       - estimate the size of a data set before you choose a tool
#       - calculate how many machines it needs, with working room
#       - predict, then measure, above which size Dask is faster than pandas here
#       - show how a table that fits still makes pandas run out of memory
#       - choose between pandas, one device, spilling, Dask and Spark, with reasons
#     topics:
#       sizing: {title: Size and working room, link: "01#sizing"}
#       crossover: {title: When Dask is faster than pandas, link: "01#crossover"}
#       out-of-memory: {title: Running out of memory, link: "01#out-of-memory"}
#       choosing: {title: Choosing a tool, link: "01.5"}
# ---

# %% [markdown]
# # Do you need a cluster?
#
# **60 minutes** (25 of reading, 35 of writing) · you need: pandas, and lesson 00
#
# After this lesson, you can
#
# * **estimate** the size of a data set before you choose a tool;
# * **calculate** how many machines it needs, with working room;
# * **predict**, then **measure**, above which size Dask is faster than pandas here;
# * **show** how a table that fits still makes pandas run out of memory;
# * **choose** between pandas, one device, spilling, Dask and Spark, with reasons.
#
# Often the answer to the title is "no". This lesson shows how to find out.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("01")

# %% [markdown]
# The output above shows what you are running on. `lab.client` is an ordinary Dask client: without `lab`, you would write
# `client = Client(LocalCluster(n_workers=2))`. The rest of this notebook is the same everywhere.
#
# <details><summary>Helpers in this lesson, and what they replace</summary>
#
# | here | without our helper |
# |---|---|
# | `datasets.flights()` | `dd.read_parquet(file)`; with `as_frame="pandas"`, `pd.read_parquet(file)` |
# | `Busy(client)` | `client.run(time.process_time)` before and after, divided by the time between |
# | `capped(f, …, limit="400 MB")` | a new process that first calls `resource.setrlimit(resource.RLIMIT_AS, (limit, limit))`, then `f(…)` |
#
# </details>

# %% tags=["run"]
import math
import time

import dask
import numpy as np
import pandas as pd
import psutil

from gpucluster import datasets
from gpucluster.lessons import check, compare, hint, predict, solution
from gpucluster.lessons.probes.timing import Busy
from gpucluster.lessons.probes.capped import capped
from gpucluster.lessons.figures import sizing as figures

# %% [markdown] anchor="sizing"
# ## 1. How large is it?
#
# This lesson uses all flights that left New York City's three airports in 2013. The data is real and public, from the US Bureau
# of Transportation Statistics. It is part of this package, so you need no network.

# %% tags=["run"]
lessons.banner("flights")

# %% tags=["run"]
flights = datasets.flights(as_frame="pandas")
flights.head(3)

# %% [markdown]
# A file is compressed. **In memory**, each number takes its full width: `int32` takes 4 bytes, `float64` and timestamps 8. A
# string takes one byte per (plain) character, plus some bytes for where it starts and ends.
#
# **Predict:** how many bytes does one row of the 19 columns need in memory?

# %% tags=["predict"]
predict("01.a", 130)  # SOLUTION

# %% tags=["run"]
used = flights.memory_usage(deep=True, index=False)
figures.bytes_per_column(flights)
compare("01.a", used.sum() / len(flights), "bytes per row")

# %% [markdown]
# **Explain:** the four text columns (dark) take about a third of all bytes; numbers are small. If you need only three
# columns, do not load nineteen: that is the cheapest way to avoid needing a cluster.

# %% [markdown] exercise="01.1" title="Estimate before you load" topic="sizing"
# ### Exercise 01.1 · Estimate before you load (6 min)
#
# You have a **sample** of a table: a few thousand rows. The whole table has `n_rows` similar rows. How many bytes will it need
# in memory? Write `table_bytes`.
#
# The check makes random tables. Some have text that pandas stores as Python objects (`dtype=object`), as older files do: make sure that
# you count the text itself, not only the pointer to it. Ignore the index. An answer within 2 % is correct.

# %% tags=["exercise"] exercise="01.1"
def table_bytes(sample, n_rows):
    """Estimate the bytes in memory of a table of n_rows rows like those of the sample."""
    ### BEGIN SOLUTION
    used = sample.memory_usage(deep=True, index=False).sum()
    return used / len(sample) * n_rows
    ### END SOLUTION

# %% tags=["check"] exercise="01.1"
check("01.1", table_bytes)

# %% [markdown] tags=["hint-1"] exercise="01.1"
# How many bytes does the sample take, and how many rows does it have? These two give you the bytes per row.

# %% [markdown] tags=["hint-2"] exercise="01.1"
# `sample.memory_usage(...)` returns the bytes of each column. By default it counts only the pointers in object columns; one option also counts
# what they point to.

# %% [markdown] tags=["hint-3"] exercise="01.1"
# `sample.memory_usage(deep=True).sum()` is the size of the sample in bytes. Divide by `len(sample)`, multiply by
# `n_rows`.

# %% tags=["run"]
if estimate := table_bytes(flights.sample(2000, random_state=1), len(flights)):
    print(f"estimated from 2,000 rows: {estimate / 1e6:.1f} MB, measured: {used.sum() / 1e6:.1f} MB")

# %% [markdown] anchor="working-room"
# ## 2. Does it fit?
#
# By one definition, data is *big* when you need parallel tools to handle it (Fox, 2018). So the same table is big on one machine and small on another.
#
# **Predict:** how many **years** of such flights would fill the memory of the machine you are on?

# %% tags=["predict"]
predict("01.b", 400)  # SOLUTION

# %% tags=["run"]
memory = psutil.virtual_memory().total
print(f"memory of this machine: {memory / 2**30:.1f} GiB")
compare("01.b", memory / used.sum(), "years")

# %% [markdown]
# But data that just fits leaves no room to **work**. A sort, a join or a copy needs the table a second time, as section 4 shows. So only part of
# the memory may hold data. We call that part `usable`: with `usable=0.5`, half is data and half is working room.

# %% [markdown] exercise="01.2" title="How many machines?" topic="sizing"
# ### Exercise 01.2 · How many machines? (5 min)
#
# Write `nodes_needed`. If the data fits exactly, do not add another machine.

# %% tags=["exercise"] exercise="01.2"
def nodes_needed(data_bytes, node_bytes, usable=1.0):
    """Return the smallest number of nodes whose usable memory holds the data."""
    ### BEGIN SOLUTION
    return math.ceil(data_bytes / (node_bytes * usable))
    ### END SOLUTION

# %% tags=["check"] exercise="01.2"
check("01.2", nodes_needed)

# %% [markdown] tags=["hint-1"] exercise="01.2"
# One node holds `node_bytes * usable` bytes of data. How many times does that go into the data?

# %% [markdown] tags=["hint-2"] exercise="01.2"
# There is no such thing as half a node: round **up**. `round` and `//` do not, and `+ 1` is one too many when it fits
# exactly.

# %% [markdown] tags=["hint-3"] exercise="01.2"
# `math.ceil(x)` rounds up and leaves whole numbers unchanged.

# %% tags=["run"]
cases = {
    "Leonardo: 5.7 PB of fast storage into nodes of 512 GiB": (5.7e15, 512 * 2**30, 1.0),
    "the same, half of the memory for work": (5.7e15, 512 * 2**30, 0.5),
    "500 GB on accelerators of 80 GB, nothing left to work": (500e9, 80e9, 1.0),
    "the same, an eighth of the memory for data": (500e9, 80e9, 1 / 8),
}
for name, case in cases.items():
    if nodes := nodes_needed(*case):
        print(f"{nodes:6,}  {name}")

# %% [markdown]
# **Explain:** *Leonardo* is a supercomputer in Bologna, Italy. According to its documentation, the fast part of its storage (flash) holds 5.7 PB, and a node
# has 512 GiB of memory. Holding this part in memory would take more than 10,000 nodes, far more than the machine has. The larger part of its storage, on hard
# disks, holds more than 100 PB. So data on such a machine stays in a **shared file system**, and each node reads its part.
#
# "It fits" does not mean "you can work with it": pandas needs two to three times the table. For work with many shuffles (rows that change partitions, as in a
# sort or a large join) on accelerators, the RAPIDS best practices for Dask recommend the size of one **partition**: 1/32 to 1/16 of the memory of one GPU.
# The whole table may have many partitions.
#
# **Read a logarithmic plot.** Machines grow, too. A study of 470 graphics cards (Hobbhahn and Besiroglu, 2022) found that computing power per dollar doubled
# in about 2.5 years. **Predict:** by what factor did it grow in the 15 years from 2006 to 2021?

# %% tags=["predict"]
predict("01.c", 64)  # SOLUTION

# %% tags=["run"]
def doubling_time(first_year, first, last_year, last):
    """Years in which a quantity doubles, from two points of its curve."""
    return (last_year - first_year) / math.log2(last / first)


factor = 2 ** (15 / 2.5)
figures.doubling(2.5, 2006, 2021)
print(f"and back: {doubling_time(2006, 1, 2021, factor):.1f} years")
compare("01.c", factor)

# %% [markdown]
# **Explain:** on a logarithmic axis, each step up is a *factor*. Constant doubling is a straight line there. On the linear axis,
# everything but the end looks like zero. (The line is calculated from the doubling time, not measured here.)

# %% [markdown] anchor="cores"
# ## 3. Which is faster?
#
# pandas uses one core for most operations. Parts of scikit-learn use several. Dask uses all workers.
#
# **Predict:** how many cores will be busy while pandas groups a table?

# %% tags=["predict"]
predict("01.d", 1)  # SOLUTION

# %% tags=["run"]
from sklearn.cluster import KMeans


def repeat(function, seconds=1.0):
    """Call a function again and again for about that time."""
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        function()


numbers = flights[["dep_delay", "arr_delay", "air_time"]].dropna().to_numpy()[:100_000]
lazy_flights = datasets.flights(4, columns=["carrier", "dep_delay"], copies=4)
with Busy(lab.client) as by_pandas:
    repeat(lambda: flights.groupby("carrier").dep_delay.mean())
with Busy(lab.client) as by_sklearn:
    repeat(lambda: KMeans(8, n_init=1, max_iter=10, random_state=0).fit(numbers))
with Busy(lab.client) as by_dask:
    repeat(lambda: lazy_flights.groupby("carrier").dep_delay.mean().compute())
figures.busy_cores({"pandas: groupby": by_pandas, "scikit-learn: k-means": by_sklearn, "Dask: groupby": by_dask})
compare("01.d", by_pandas.notebook, "cores")

# %% [markdown]
# **Explain:** the bars show how many cores were busy on average. If others use your machine at the same time, all bars are shorter. Dask's bar has two
# parts: the workers compute; the notebook plans and waits.

# %% [markdown] anchor="crossover"
# ### The race
#
# More cores also mean more to organise: Dask must split the work into tasks, send them, and collect the results. For small tables this costs more than
# it saves. Both do the same work: read the flights from files, give each flight a grade with a Python function, and count the grades. We use 1, 4 and
# 16 copies of the data.

# %% tags=["run"]
lessons.banner("flights", copies=16)

# %% [markdown]
# **Predict:** which wins with 1 copy (`01.e`), with 4 (`01.f`) and with 16 (`01.g`)? Write `"pandas"`, `"Dask"` or
# `"equal"`.

# %% tags=["predict"]
predict("01.e", "pandas")  # SOLUTION
predict("01.f", "pandas")  # SOLUTION
predict("01.g", "Dask")  # SOLUTION

# %% tags=["run"]
def grade(delay):
    """Say in words how late a flight was."""
    if delay != delay:  # only a missing value is not equal to itself
        return "cancelled"
    return "on time" if delay <= 0 else "a little late" if delay <= 15 else "late"


def with_pandas(copies):
    pieces = [datasets.flights(columns=["dep_delay"], as_frame="pandas") for _ in range(copies)]
    return pd.concat(pieces).dep_delay.map(grade).value_counts()


def with_dask(copies):
    table = datasets.flights(max(2, copies), columns=["dep_delay"], copies=copies)  # cut into 2, 4 or 16 partitions
    delays = table.dep_delay.to_backend("pandas")  # a function in Python needs a table of pandas
    return delays.map(grade, meta=("grade", "str")).value_counts().compute()


def seconds_of(function, copies):
    """Return how long one call takes."""
    began = time.perf_counter()
    function(copies)
    return time.perf_counter() - began


same = with_pandas(1).sort_index().equals(with_dask(1).sort_index().astype("int64"))  # the warm-up: its time does not count
measured = pd.DataFrame(
    {
        "copies": copies,
        "rows": copies * len(flights),
        "pandas": seconds_of(with_pandas, copies),
        "Dask": seconds_of(with_dask, copies),
    }
    for copies in (1, 4, 16)
)
print("Both count the same:", same)
measured.round(3)

# %% [markdown]
# The first run of each does not count. It is a **warm-up**: the first call imports libraries and fills caches. A time without warm-up measures the
# startup more than the work. And always check first that both give the same result.

# %% [markdown] exercise="01.3" title="Who won?" topic="crossover"
# ### Exercise 01.3 · Who won? (6 min)
#
# Write `conclude`. It takes a table like `measured` and returns the winner at each size. Repeated timings always differ a little, so
# call it `"equal"` if the slower one took **less than 10 %** more time than the faster one.

# %% tags=["exercise"] exercise="01.3"
def conclude(measured):
    """Return {copies: "pandas", "Dask" or "equal"} for all rows of the table."""
    ### BEGIN SOLUTION
    winners = {}
    for row in measured.to_dict("records"):
        fast, slow = sorted(["pandas", "Dask"], key=lambda name: row[name])
        winners[row["copies"]] = "equal" if row[slow] < 1.1 * row[fast] else fast
    return winners
    ### END SOLUTION

# %% tags=["check"] exercise="01.3"
check("01.3", measured, conclude)

# %% [markdown] tags=["hint-1"] exercise="01.3"
# Start with one row: which of the two times is smaller, and is the other at least 10 % larger?

# %% [markdown] tags=["hint-2"] exercise="01.3"
# `for row in measured.to_dict("records")` gives one dictionary per row: `row["copies"]`, `row["pandas"]`, `row["Dask"]`.

# %% [markdown] tags=["hint-3"] exercise="01.3"
# If `max(a, b) < 1.1 * min(a, b)` it is `"equal"`. Otherwise the smaller time wins.

# %% tags=["run"]
if winners := conclude(measured):
    for name, copies in (("01.e", 1), ("01.f", 4), ("01.g", 16)):
        display(compare(name, winners[copies]))

# %% tags=["run"]
figures.crossover(measured)

# %% tags=["run"]
last = measured.iloc[-1]
lab.report(
    rows=int(last["rows"]), pandas_seconds=last["pandas"], dask_seconds=last["Dask"],
    speed_up=last["pandas"] / last["Dask"], pandas=pd.__version__, dask=dask.__version__,
)

# %% [markdown] anchor="ten-times"
# **Spot the error.** A slide says: *"… delivering performance gains of 10× or more compared to traditional methods."* Your line above also reports a gain.
# What does yours have that the slide's lacks? Think first.
#
# <details><summary>Answer</summary>
#
# A gain is a ratio of two times. Without the size of the data, the operation, the versions, the number of cores, and whether there was a warm-up, it means
# nothing. With two workers the gain can hardly be more than 2. For small data it is below 1. A claim of 10× may be true for one size and one machine. Ask
# which.
#
# </details>
#
# **Change:** give more work to `grade` (for example, a computation in a loop), or less (`.max()` instead of `.map(grade)`), and race again. Where is your
# crossover now? With little work per row, Dask on two cores may never win.

# %% [markdown] anchor="out-of-memory"
# ## 4. And if it does not fit?
#
# We give a program **400 MB** to work with, and let pandas load 1, 2, 3 … copies of the flights. `capped` starts a separate process, and the
# operating system denies it more memory. Eight copies are 350 MB: they would fit.
#
# **Predict:** how many copies does pandas survive?

# %% tags=["predict"]
predict("01.h", 4)  # SOLUTION

# %% tags=["run"]
LIMIT = "400 MB"


def mean_delay(copies):
    """Load some copies, make one table of them, and return rows and mean delay: pandas."""
    pieces = [datasets.flights(as_frame="pandas") for _ in range(copies)]
    table = pd.concat(pieces)
    return len(table), float(table.dep_delay.mean())


capped(mean_delay, 2, limit=LIMIT)

# %% [markdown]
# Two copies work. **A real failure:** eight do not.

# %% tags=["run"]
with lessons.expect_failure(MemoryError):
    capped(mean_delay, 8, limit=LIMIT).result()

# %% [markdown] exercise="01.4" title="The largest table that survives" topic="out-of-memory"
# ### Exercise 01.4 · The largest table that survives (12 min)
#
# 1. Write `largest_scale`. `survives(k)` returns whether `k` copies work. Each call takes seconds, so make **as few calls as possible**: if 4
#    copies survive, so do 1, 2 and 3; if 6 do not, nor do 7 and 8. Halve the remaining range with each call (*bisection*); one extra call is
#    accepted. Ask only for 1 … `highest`.
# 2. Write `dask_answer`. It takes a **lazy Dask table**, which works like a pandas table but computes nothing until you ask:
#    `table.dep_delay.mean()` is only a plan, and `.compute()` runs it on the workers. Never fetch the table itself. Return two computed numbers.

# %% tags=["exercise"] exercise="01.4"
def largest_scale(survives, highest):
    """Return the largest k of 1 … highest for which survives(k) is true; 0 if there is none."""
    ### BEGIN SOLUTION
    good, bad = 0, highest + 1
    while bad - good > 1:
        middle = (good + bad) // 2
        if survives(middle):
            good = middle
        else:
            bad = middle
    return good
    ### END SOLUTION


def dask_answer(table):
    """Return the number of rows of a lazy Dask table, and the mean of its column dep_delay."""
    ### BEGIN SOLUTION
    return len(table), table.dep_delay.mean().compute()
    ### END SOLUTION

# %% tags=["check"] exercise="01.4"
check("01.4", largest_scale, dask_answer)

# %% [markdown] tags=["hint-1"] exercise="01.4"
# Keep two numbers: `good`, which surely survives (initially 0), and `bad`, which does not (initially `highest + 1`, which you never test). Test
# the middle. For `dask_answer`: `len(table)` counts the rows on the workers.

# %% [markdown] tags=["hint-2"] exercise="01.4"
# `middle = (good + bad) // 2`. If it survives, it is the new `good`, else the new `bad`. Continue while there is a number between the
# two.

# %% [markdown] tags=["hint-3"] exercise="01.4"
# `while bad - good > 1:` … and at the end return `good`. And `table.dep_delay.mean().compute()` is one number, and only that
# travels.

# %% tags=["run"]
outcomes = {}


def survives(copies):
    outcomes[copies] = capped(mean_delay, copies, limit=LIMIT)
    print(f"{copies} copies:", outcomes[copies])
    return outcomes[copies].survived


if (largest := largest_scale(survives, 8)) is not None:
    display(compare("01.h", largest, "copies"))

# %% [markdown]
# **Explain:** `pd.concat` holds the pieces **and** the new table: twice the data. So pandas fails at half of the memory, even though
# eight copies "would fit". A pandas table needs working room; two to three times its size is a common rule.
#
# Now ask Dask the same question, **under the same cap**, in one process, with 12 copies. They would take 526 MB:

# %% tags=["run"]
def mean_delay_lazily(copies):
    """The same question, partition by partition: Dask."""
    table = datasets.flights(4 * copies, copies=copies)  # four partitions for each copy
    rows, mean = dask.compute(table.shape[0], table.dep_delay.mean(), scheduler="synchronous")
    return int(rows), float(mean)


outcomes["Dask, 12"] = capped(mean_delay_lazily, 12, limit=LIMIT, imports=("dask.dataframe", "pyarrow.parquet"))
print(outcomes["Dask, 12"])
figures.under_the_cap(outcomes)

# %% [markdown]
# **Explain:** Dask never has the whole table. It reads one partition (a quarter of a copy), reduces it to two numbers, releases it, and reads the next one.
# It also saw that only `dep_delay` is needed, and read no other column. (pandas can do that too with `columns=["dep_delay"]`: try it. Before you start a
# cluster, read less.)
#
# And on the workers of your cluster, 12 copies with your own function:

# %% tags=["run"]
if answer := dask_answer(datasets.flights(48, copies=12)):
    print(f"{answer[0]:,} rows = 12 × {answer[0] // 12:,}, mean delay {answer[1]:.6f} minutes")
    print(f"pandas, 1 copy:                       {flights.dep_delay.mean():.6f} minutes")

# %% [markdown]
# The mean is that of one copy, as it must be: copies make a table larger, but add no information.

# %% [markdown] anchor="two-directions"
# ## 5. Choose
#
# There are two directions to grow:
#
# | | one machine | several machines |
# |---|---|---|
# | **ordinary cores** | pandas, NumPy, scikit-learn; Dask on the cores of this machine | Dask, Spark |
# | **accelerators** | the same libraries on one device; *spilling* if it is a little too small; Dask for several devices | Dask with a fast network |
#
# Down the table is *scale up*: a faster machine. To the right is *scale out*: more machines. **Spilling** temporarily moves what does not fit on the device
# to the machine's memory. It costs time, but needs no cluster.
#
# Some rules: **Does it fit with working room? Use one process.** Does it fit on one device? Use one device: it is faster than two that must communicate. A
# little too large? Spill. Much too large, or enough work for many cores? Use Dask. Is the data already in a Spark system, and does the team write SQL? Stay
# there.

# %% [markdown] exercise="01.5" title="Ten cases" topic="choosing"
# ### Exercise 01.5 · Ten cases (8 min)
#
# For each case, write `"pandas"`, `"one device"`, `"spill"`, `"Dask"` or `"Spark"`. Sizes are sizes in memory. Nine correct answers out of
# ten are enough.
#
# | case | data | machine | task |
# |---|---|---|---|
# | `a` | 2 GB | laptop, 16 GB | a report, once a week |
# | `b` | 30,000 rows | a web server | answer 100 small questions per second |
# | `c` | 30 GB | one accelerator with 80 GB | many groupbys and joins |
# | `d` | 95 GB | the same, with 128 GB of host memory; nothing else available | a groupby, once a month, in code already written for one accelerator |
# | `e` | 500 GB | a server with 16 accelerators of 80 GB | train a model every day |
# | `f` | 4 TB in tables | a company with a Spark system, run by a team that writes SQL | one more report |
# | `g` | 60 GB of Parquet files | laptop, 16 GB, 8 cores, no accelerator | mean per group |
# | `h` | 400 independent Python simulations | 20 machines without accelerators | run all of them |
# | `i` | 10 GB of numbers | workstation with one accelerator of 40 GB | k-means with 500 iterations |
# | `j` | 20 GB | workstation, 32 cores, 256 GB, no accelerator | a slow Python function for each row: 3 hours on one core |

# %% tags=["exercise"] exercise="01.5"
choices = {
    "a": "pandas",  # SOLUTION
    "b": "pandas",  # SOLUTION
    "c": "one device",  # SOLUTION
    "d": "spill",  # SOLUTION
    "e": "Dask",  # SOLUTION
    "f": "Spark",  # SOLUTION
    "g": "Dask",  # SOLUTION
    "h": "Dask",  # SOLUTION
    "i": "one device",  # SOLUTION
    "j": "Dask",  # SOLUTION
}

# %% tags=["check"] exercise="01.5"
check("01.5", choices)

# %% [markdown] tags=["hint-1"] exercise="01.5"
# Ask in this order: Does it fit in one process with working room? Does it fit on one device? Is it a little too large for that? Is there work
# for many cores? And what do the people there already use?

# %% [markdown] tags=["hint-2"] exercise="01.5"
# `b` is a trap: 100 questions per second are many, but each is tiny, and a scheduler costs more than it saves. `d` is only a fifth too large
# for the device, and the host has no working room for it in pandas. `j` fits in memory easily; is memory the problem?

# %% [markdown] tags=["hint-3"] exercise="01.5"
# Two cases need no more than pandas, two fit one device well, one is for spilling, one is for Spark, and four are for Dask.

# %% [markdown] tags=["keypoints"]
# ## Key points
#
# * Start with the size: bytes per row × rows, in memory, not on disk. Count text with `deep=True`.
# * "It fits" is not enough. pandas needs 2 to 3 times the size of the table, and shuffles need more.
# * Big data is data that is too big **for the machine you have**.
# * For small tables, pandas is faster. The crossover depends on your machine and your operation: measure it, after a warm-up.
# * A speed-up without size, operation, cores and versions means nothing.
# * Dask works on tables larger than memory because it never has the whole table.
# * Fits? One device. A little over? Spill. A lot? Dask.

# %% [markdown]
# ## Check yourself

# %% tags=["quiz"]
lessons.quiz("01")

# %% tags=["cards"]
lessons.cards("01")

# %% [markdown]
# ## On a laptop, on one GPU, on a cluster
#
# * **Laptop:** as above. The crossover depends on the number of free cores.
# * **One GPU:** the tables on the workers are cuDF tables; the pandas side of the race stays on the CPU. The crossover comes earlier or later. The
#   warm-up is longer, because the GPU libraries start first. According to RAPIDS itself, it pays off above several GiB. The cap in section 4 is on
#   host memory; for GPU memory, the same happens when `rmm_maximum_pool_size` is reached.
# * **Cluster:** the race includes the network. Use more copies: 16 are too few for 8 workers.
#
# Numbers to keep in mind (replace them with those of your machine): PCIe 4.0 ×16 moves about 32 GB/s between host and GPU; the memory of an A100
# with 80 GB about 2,000 GB/s. Spilling is limited by the first.

# %% [markdown] tags=["instructor"]
# ## For the instructor
#
# **Goal:** learners distrust both "we need a cluster" and "10× faster", and can do the calculation.
#
# **Timing:** 15 min sizes, 15 min race, 15 min memory, 10 min cases. Have everyone call out their crossover, and write the values on the board: they differ,
# and that is the message.
#
# **Frequent mistakes:** `memory_usage()` without `deep=True` (fails with object text); `round` or `//` in 01.2; `< 1.1` with the wrong side in
# 01.3; a linear search in 01.4 (the check counts the calls); `table.compute()` in `dask_answer` (the check counts the bytes).
#
# **Projector:** the figure of section 4, and `capped(mean_delay, 8)` live. Discuss case `j`: memory is not the only reason.
#
# **When late:** skip 01.1 and the logarithmic plot. Do 01.5 in pairs, without a computer.

# %% tags=["run"]
lab.close()
