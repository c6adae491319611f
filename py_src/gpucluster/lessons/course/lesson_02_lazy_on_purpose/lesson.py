# ---
# jupyter:
#   gpucluster:
#     lesson: "02"
#     title: Lazy on purpose
#     minutes: 75
#     needs: cpu
#     objectives:
#       - read a task graph, and find valid orders for its tasks
#       - predict how many times a function runs before you run it
#       - use compute and persist so that nothing is done twice
#       - find out which worker holds which piece of data, and move it
#       - choose a Dask collection for a job
#     topics:
#       laziness: {title: Lazy until compute, link: "02#laziness"}
#       graphs: {title: Task graphs and their order, link: "02#graphs"}
#       compute-once: {title: Compute together, link: "02.3"}
#       persist: {title: Persist and release, link: "02#persist"}
#       collections: {title: Collections and schedulers, link: "02#layers"}
# ---

# %% [markdown]
# # Lazy on purpose
#
# **75 minutes** (30 of reading, 45 of writing) · you need: pandas, and lesson 00
#
# After this lesson, you can
#
# * **read** a task graph, and **find** valid orders for its tasks;
# * **predict** how many times a function runs before you run it;
# * **use** compute and persist so that nothing is done twice;
# * **find out** which worker holds which piece of data, and **move** it;
# * **choose** a Dask collection for a job.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("02")

# %% [markdown]
# The output above shows what you are running on. `lab.client` is an ordinary Dask client: without `lab`, you would write
# `client = Client(LocalCluster(n_workers=2))`. The rest of this notebook is the same everywhere.
#
# <details><summary>Helpers in this lesson, and what they replace</summary>
#
# | here | without our helper |
# |---|---|
# | `load = counted(load)`, `load.calls()` | a function that adds 1 to a counter in its own process, and `client.run` to add up the counters of all workers |
# | `places_of(client, pieces)` | `client.who_has(pieces)`, with a worker's name instead of its address |
# | `memory_on_workers(client)` | the scheduler's records: `client.run_on_scheduler(lambda dask_scheduler: …)`, the sum of `nbytes` of this client's tasks |
#
# </details>

# %% tags=["run"]
import time

import dask
import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
from dask import delayed
from distributed import wait

from gpucluster import datasets
from gpucluster.lessons import check, compare, hint, predict, solution
from gpucluster.lessons.probes.counting import counted
from gpucluster.lessons.figures import lazy as figures
from gpucluster.lessons.probes.placement import memory_on_workers, places_of

# %% [markdown] anchor="laziness"
# ## 1. Which line takes the time?
#
# `slow_month` reads the flights of one month, and waits half a second, as reading a remote file would.
# `delayed(function)` makes a **lazy** function: calling it only records *that* it should be called.
#
# **Predict:** one of the lines A, B, C and D takes nearly all of the time. Which one?

# %% tags=["predict"]
predict("02.a", "D")  # SOLUTION

# %% tags=["run"]
def slow_month(month):
    """Return the flights of one month."""
    time.sleep(0.5)
    flights = datasets.flights(columns=["month", "carrier", "dep_delay", "distance"], as_frame="pandas")
    return flights[flights.month == month]


clock = [time.perf_counter()]
january = delayed(slow_month)(1)  # line A
clock.append(time.perf_counter())
delays = january.dep_delay  # line B
clock.append(time.perf_counter())
worst = delays.max()  # line C
clock.append(time.perf_counter())
answer = worst.compute()  # line D
clock.append(time.perf_counter())

seconds = dict(zip("ABCD", np.diff(clock), strict=True))
print({line: f"{value:.4f} s" for line, value in seconds.items()}, "· worst delay:", answer, "minutes")
compare("02.a", max(seconds, key=seconds.get))

# %% [markdown]
# **Explain:** A, B and C build a plan. `.compute()` sends the plan to the scheduler, waits, and brings the result to the notebook. After that,
# `worst` itself is still only a plan: it has not stored the result.

# %% tags=["run"]
worst

# %% [markdown] anchor="late-errors"
# **A real failure.** If lines only build a plan, where do mistakes show up? In the cell below, the mistake is in the first
# line.

# %% tags=["run"]
mistake = delayed(slow_month)("June").dep_delay / delayed(int)("June")
print("The plan is made, without any complaint.")
with lessons.expect_failure():
    mistake.compute()

# %% [markdown]
# **Explain:** the error comes from a worker, at the `compute`, long after the wrong line. So try a plan on a small piece first.
# (`slow_month("June")` itself raised no error; it returned an empty table. Laziness hides that, too.)

# %% [markdown] anchor="graphs"
# ## 2. The plan is a graph
#
# Each task is a **node**. An **edge** leads from a task to a task that needs its result. Following the edges never leads back to where you started, so it is
# called a *directed acyclic graph* (DAG). A path that does lead back is a *cycle*, or circle. We write a graph as a dictionary: {task: the tasks it needs}.

# %% tags=["run"]
breakfast = {
    "boil water": [],
    "grind beans": [],
    "brew coffee": ["boil water", "grind beans"],
    "toast bread": [],
    "serve": ["brew coffee", "toast bread"],
}
figures.task_graph(breakfast)

# %% [markdown] exercise="02.1" title="An order that works" topic="graphs"
# ### Exercise 02.1 · An order that works (10 min)
#
# Write `order`: a list of all tasks, in which each task comes **after** everything it needs (a *topological order*). If the graph has a cycle, there is
# no such order: raise a `ValueError`.
#
# Each task that is needed is also a key. Any valid order is correct. The check tries your function on 200 random graphs.

# %% tags=["exercise"] exercise="02.1"
def order(graph):
    """Return all tasks of {task: tasks it needs}, each after what it needs; ValueError if there is a circle."""
    ### BEGIN SOLUTION
    done = []
    while len(done) < len(graph):
        ready = [task for task, needs in graph.items() if task not in done and all(need in done for need in needs)]
        if not ready:
            raise ValueError("There is a circle.")
        done += ready
    return done
    ### END SOLUTION

# %% tags=["check"] exercise="02.1"
check("02.1", order)

# %% [markdown] tags=["hint-1"] exercise="02.1"
# Which tasks can run first? Those that need nothing. Which can run next?

# %% [markdown] tags=["hint-2"] exercise="02.1"
# Repeat: collect all tasks that are not done yet and whose needs are all done. Add them to the list. What does it mean if there
# are none, but some tasks are left?

# %% [markdown] tags=["hint-3"] exercise="02.1"
# `ready = [task for task, needs in graph.items() if task not in done and all(need in done for need in needs)]`. If `ready` is empty,
# `raise ValueError("There is a circle.")`, else `done += ready`.

# %% tags=["run"]
figures.task_graph(breakfast, order(breakfast))

# %% [markdown] anchor="spot-order"
# Dask also orders its graphs: `dask.order.order` gives each task a number, and smaller numbers run earlier. Is its order the same as
# yours?

# %% tags=["run"]
def do(*needs):
    """Any work."""


as_dask = {task: (do, *needs) for task, needs in breakfast.items()}
numbers = dask.order.order(as_dask)
print("Dask:", sorted(breakfast, key=numbers.get))
print("you: ", order(breakfast) or "not yet: exercise 02.1")

# %% [markdown]
# **Spot the error.** A slide says: *"In a DAG there is one logical way to traverse the graph. No node is visited twice."* Two things are wrong or
# imprecise. Which?
#
# <details><summary>Answer</summary>
#
# 1. There are usually **many** valid orders: you may grind the beans before or after you toast the bread, or at the same time. The scheduler chooses
#    one, and Dask tries to choose one that needs little memory. Only *cycles* are excluded.
# 2. Each task runs once, but its **result** may be used many times.
#
# </details>

# %% [markdown] exercise="02.5" title="How many orders are there?" topic="graphs"
# ### Exercise 02.5 · How many orders are there? (8 min)
#
# Write `count_orders` for small graphs (up to seven tasks). How many orders does the breakfast have?

# %% tags=["predict"]
predict("02.b", 8)  # SOLUTION

# %% tags=["exercise"] exercise="02.5"
def count_orders(graph):
    """Return in how many orders the tasks can be done one after the other; 0 if there is a circle."""
    ### BEGIN SOLUTION
    if not graph:
        return 1
    total = 0
    for task, needs in graph.items():
        if not any(need in graph for need in needs):  # it can be the first of those that are left
            total += count_orders({other: its for other, its in graph.items() if other != task})
    return total
    ### END SOLUTION

# %% tags=["check"] exercise="02.5"
check("02.5", count_orders)

# %% [markdown] tags=["hint-1"] exercise="02.5"
# Seven tasks have at most 7! = 5,040 orders. A computer can try all of them. Which of them are valid?

# %% [markdown] tags=["hint-2"] exercise="02.5"
# Either go through `itertools.permutations(graph)` and count those in which each task comes after its needs. Or think of the first task: for
# each task that can be first, count the orders of the rest.

# %% [markdown] tags=["hint-3"] exercise="02.5"
# For one permutation: `place = {task: i for i, task in enumerate(permutation)}`. It is valid if `place[need] < place[task]` for
# all tasks and all their needs. Count the valid ones.

# %% tags=["run"]
if (found := count_orders(breakfast)) is not None:
    display(compare("02.b", found, "orders"))

# %% [markdown] anchor="loads"
# ## 3. How many times does it run?
#
# `counted` makes a function count its calls, including those on the workers. Look at the five snippets. (`dask.compute(a, b)` takes several
# plans as one request. `.persist()` runs the plan and keeps the result on the workers.) **How many times does `load` run in each of them?**
#
# ```python
# # a                               # b                                # c
# x = delayed(load)(1)              x = delayed(load)(1)               x = delayed(load)(1)
# total, rows = x.sum(), x.size     total, rows = x.sum(), x.size      total, rows = x.sum(), x.size
# total.compute()                   dask.compute(total, rows)          print(total, rows)
# rows.compute()
#
# # d                                                # e
# x = delayed(load)(1)                               x = delayed(load)(1).persist()
# y = delayed(load)(1)                               x.sum().compute()
# dask.compute(x.sum(), y.sum())                     x.size.compute()
# ```

# %% [markdown] exercise="02.2" title="Count the loads" topic="laziness"
# ### Exercise 02.2 · Count the loads (5 min)
#
# Write your numbers, **then** run the check: it runs all five snippets and counts.

# %% tags=["exercise"] exercise="02.2"
loads = {
    "a": 2,  # SOLUTION
    "b": 1,  # SOLUTION
    "c": 0,  # SOLUTION
    "d": 2,  # SOLUTION
    "e": 1,  # SOLUTION
}

# %% tags=["check"] exercise="02.2"
check("02.2", loads)

# %% [markdown] tags=["hint-1"] exercise="02.2"
# Each `compute` is a separate request. Afterwards, Dask keeps nothing but the result that it returned to you.

# %% [markdown] tags=["hint-2"] exercise="02.2"
# In one `compute`, a node that two others need runs once. But are `x` and `y` in d the same node? `delayed` does not know that `load` always returns the
# same result for the same month.

# %% [markdown] tags=["hint-3"] exercise="02.2"
# a: two requests. b: one request, one shared node. c: no request at all. d: one request, two different nodes. e: `persist` runs the node and
# keeps it, so both requests find it.

# %% [markdown]
# **Explain:** "lazy" does not mean "remembers". Computing the same plan twice does all of the work twice.

# %% [markdown] exercise="02.3" title="One request instead of three" topic="compute-once"
# ### Exercise 02.3 · One request instead of three (8 min)
#
# This function answers three questions about a list of lazy pieces, and loads everything three times:
#
# ```python
# def three_answers(pieces):
#     rows = delayed(sum)([piece.size for piece in pieces]).compute()
#     total = delayed(sum)([piece.sum() for piece in pieces]).compute()
#     worst = delayed(max)([piece.max() for piece in pieces]).compute()
#     return rows, total / rows, worst
# ```
#
# Rewrite it so that each piece is loaded **once**. No piece may come to the notebook: fetch only small numbers. (Each piece is a non-empty NumPy array.)
# Return computed numbers, in the same order.

# %% tags=["exercise"] exercise="02.3"
def three_answers(pieces):
    """Return the number of values, their mean, and the largest, of all pieces together."""
    ### BEGIN SOLUTION
    rows = delayed(sum)([piece.size for piece in pieces])
    total = delayed(sum)([piece.sum() for piece in pieces])
    worst = delayed(max)([piece.max() for piece in pieces])
    rows, total, worst = dask.compute(rows, total, worst)
    return rows, total / rows, worst
    ### END SOLUTION

# %% tags=["check"] exercise="02.3"
check("02.3", three_answers)

# %% [markdown] tags=["hint-1"] exercise="02.3"
# Keep the plans, but request nothing until all three are made.

# %% [markdown] tags=["hint-2"] exercise="02.3"
# `dask.compute(a, b, c)` takes several plans as **one** request, and returns a tuple of results.

# %% [markdown] tags=["hint-3"] exercise="02.3"
# Drop the three `.compute()`. Then `rows, total, worst = dask.compute(rows, total, worst)`, and only then divide.

# %% tags=["run"]
load = counted(lambda month: slow_month(month).dep_delay.dropna().to_numpy())
if answers := three_answers([delayed(load)(month) for month in (1, 2)]):
    rows, mean, worst_delay = answers
    print(f"{rows:,} flights, mean delay {mean:.1f} minutes, worst {worst_delay:.0f} minutes; {load.calls()} loads for 2 months")

# %% [markdown] anchor="persist"
# ## 4. Keep it on the workers: persist
#
# `compute` brings the result to the **notebook**. `persist` also starts the work, but leaves the result on the **workers**, piece by piece, and gives you a
# new collection of the same kind that refers to it.
#
# We ask three questions about late flights, without and with `persist`. `from_map` makes a Dask table of six pieces, one per month from January to June.
# `meta` is an example of the result, here an empty table: Dask gets names and types from it without calling your function.

# %% tags=["run"]
def read_month(month):
    """Return the flights of one month, with a column that takes some work."""
    flights = datasets.flights(columns=["month", "carrier", "dep_delay", "distance", "time_hour"], as_frame="pandas")
    flights = flights[flights.month == month]
    return flights.assign(week=flights.time_hour.dt.strftime("%W").astype("int64"))


read = counted(read_month)
table = dd.from_map(read, range(1, 7), meta=read_month(0))
late = table[table.dep_delay > 60]

for question in (late.distance.mean(), late.dep_delay.max(), late.week.max()):
    before, began = read.calls(), time.perf_counter()
    result = question.compute()
    print(f"{result:8.1f}   {read.calls() - before:2} loads, {time.perf_counter() - began:.2f} s")

# %% [markdown]
# **Predict:** now we persist `late`, **then** ask the same three questions. How many loads will the three questions cause in total?

# %% tags=["predict"]
predict("02.c", 0)  # SOLUTION

# %% tags=["run"]
empty = memory_on_workers(lab.client)
kept = late.persist()
wait(kept)
before = read.calls()
for question in (kept.distance.mean(), kept.dep_delay.max(), kept.week.max()):
    began = time.perf_counter()
    print(f"{question.compute():8.1f}   {time.perf_counter() - began:.2f} s")
compare("02.c", read.calls() - before, "loads")

# %% [markdown]
# **Explain:** `kept` is no longer a plan; it is data. It takes memory on the workers until you delete it:

# %% tags=["run"]
full = memory_on_workers(lab.client)
del kept, question
for _ in range(50):
    if memory_on_workers(lab.client) <= empty:
        break
    time.sleep(0.1)
print(f"bytes that the workers keep for this notebook: {full:,} before, {memory_on_workers(lab.client):,} after `del`")

# %% [markdown] exercise="02.4" title="Persist the right node" topic="persist"
# ### Exercise 02.4 · Persist the right node (8 min)
#
# You will be asked many questions about the **distances of flights with long delays**: flights that left **more than two hours** late, and only the
# columns `carrier`, `dep_delay` and `distance`. Write `prepare`: it takes the lazy table and returns a Dask table with exactly that, so that
#
# * no question loads anything again;
# * the workers keep no more than needed.
#
# The order of the three columns does not matter.

# %% tags=["exercise"] exercise="02.4"
def prepare(table):
    """Return the flights more than 120 minutes late, three columns, kept on the workers."""
    ### BEGIN SOLUTION
    return table[table.dep_delay > 120][["carrier", "dep_delay", "distance"]].persist()
    ### END SOLUTION

# %% tags=["check"] exercise="02.4"
check("02.4", prepare)

# %% [markdown] tags=["hint-1"] exercise="02.4"
# Where in the chain *table → rows → columns → question* is the data smallest, but still enough for every question?

# %% [markdown] tags=["hint-2"] exercise="02.4"
# Select the rows and columns first, as in pandas; that is only a plan. Then keep the result, at the end of the chain, not at its
# start. `compute` would bring it to the notebook.

# %% [markdown] tags=["hint-3"] exercise="02.4"
# `table[table.dep_delay > 120]` are the rows, `[["carrier", "dep_delay", "distance"]]` the columns, `.persist()` keeps them.

# %% [markdown] anchor="placement"
# ## 5. Where is it?
#
# Before `compute` or `persist`, nothing decides **where** a task will run. The scheduler decides then, and may decide differently next time.
# `client.who_has` shows which worker holds a piece.
#
# **Predict:** we compute the same twelve pieces twice. The time of real work varies a little; here we imitate that with a random wait.
# Will each piece be on the same worker both times? Write `"yes"` or `"no"`.

# %% tags=["predict"]
predict("02.d", "no")  # SOLUTION

# %% tags=["run"]
def some_work(number):
    """Wait a random time, and return some numbers."""
    time.sleep(np.random.default_rng().uniform(0.05, 0.25))
    return np.full(1000, number)


runs = []
for _ in range(2):
    pieces = lab.client.map(some_work, range(12), pure=False)
    wait(pieces)
    runs.append(places_of(lab.client, pieces))
    del pieces

figures.placement(runs)
compare("02.d", "yes" if runs[0] == runs[1] else "no")

# %% [markdown]
# **Explain:** the next free worker gets the next piece, and which one is free first depends on chance. (With two workers, the placement may be the same
# twice by chance: run the cell again.) Your program must not depend on it. That is also why a cluster can recover: a task with no fixed place can run
# elsewhere. Lesson 04 uses this.
#
# The opposite direction works, too: `scatter` sends data from the notebook to the workers. It distributes the pieces over all workers, unless you name
# one. `rebalance` supposedly spreads data evenly. **Predict** for yourself, then look: all pieces are on one worker; what does `rebalance` do?

# %% tags=["run"]
blocks = [np.ones(100_000) * i for i in range(8)]
first_worker = next(iter(lab.client.scheduler_info(n_workers=-1)["workers"]))
on_one = lab.client.scatter(blocks, workers=[first_worker], hash=False)
rows = {"scattered to one": places_of(lab.client, on_one)}
lab.client.rebalance(on_one)
rows["rebalanced"] = places_of(lab.client, on_one)
dealt_out = lab.client.scatter(blocks, hash=False)
rows["scattered to all"] = places_of(lab.client, dealt_out)
figures.placement(list(rows.values()), names=list(rows))
del on_one, dealt_out

# %% [markdown]
# **Explain:** `rebalance` did nothing. It only takes data away from a worker whose memory is more than 30 % full (Dask's setting
# `distributed.worker.memory.rebalance.sender-min`); these eight pieces are 6.4 MB. It helps a worker that is filling up; it is not meant for distributing
# work. It is best not to scatter large data at all: let each worker read its own part.

# %% [markdown] anchor="layers"
# ## 6. Three layers: collections, graphs, schedulers
#
# 1. A **collection** is what you write: `dask.dataframe` (tables), `dask.array` (numbers in blocks), `dask.bag` (any Python objects), `dask.delayed` (any
#    functions). `client.submit` and `map` make futures: these start **immediately** and are not lazy.
# 2. From each collection, Dask makes a **graph** of tasks.
# 3. A **scheduler** works through the graph. There are four, and the graph is the same for all of them:

# %% tags=["run"]
def where(number):
    """Return the process and the thread that do this."""
    import os
    import threading

    time.sleep(0.05)
    return os.getpid(), threading.get_ident()


plan = [delayed(where)(number) for number in range(6)]
for scheduler in ("synchronous", "threads", "processes", lab.client):
    options = {"threads": {"num_workers": 2}, "processes": {"num_workers": 2, "chunksize": 1}}.get(scheduler, {})
    found = dask.compute(*plan, scheduler=scheduler, **options)
    name = scheduler if isinstance(scheduler, str) else "distributed (your cluster)"
    print(f"{name:<27} processes: {len({pid for pid, _ in found})}, threads: {len(set(found))}")

# %% [markdown]
# `synchronous` runs one task after the other in the notebook: best for debugging. `threads` is the default without a cluster (for a Bag, `processes`). With a
# client, the default is the cluster. Now the collections:

# %% tags=["run"]
words = db.from_sequence(["late", "early", "late", "late"], npartitions=2)
print("Bag:      ", words.frequencies().compute())
print("Array:    ", da.arange(1_000_000, chunks=250_000).mean().compute())
print("DataFrame:", datasets.flights(columns=["origin"]).origin.nunique().compute(), "airports")
print("Delayed:  ", delayed(sum)([delayed(len)("ab"), delayed(len)("abc")]).compute())
print("Futures:  ", lab.client.submit(sum, [2, 3]).result())

# %% [markdown] exercise="02.6" title="Which collection?" topic="collections"
# ### Exercise 02.6 · Which collection? (5 min)
#
# Write `"DataFrame"`, `"Array"`, `"Bag"`, `"Delayed"` or `"Futures"`. Each is right for one job.
#
# | job | |
# |---|---|
# | `a` | Mean delay for each airline, from 400 Parquet files |
# | `b` | 20,000 log files of nested JSON, each line shaped differently: clean them, keep some fields |
# | `c` | The singular values of a matrix of 10 million × 200 numbers |
# | `d` | An existing program: `load`, `clean`, three kinds of `fit`, `choose`; each a Python function with different inputs, all known before the start |
# | `e` | A search: start ten simulations, look at the first results, and decide **while the others run** what to start next |

# %% tags=["exercise"] exercise="02.6"
collections = {
    "a": "DataFrame",  # SOLUTION
    "b": "Bag",  # SOLUTION
    "c": "Array",  # SOLUTION
    "d": "Delayed",  # SOLUTION
    "e": "Futures",  # SOLUTION
}

# %% tags=["check"] exercise="02.6"
check("02.6", collections)

# %% [markdown] tags=["hint-1"] exercise="02.6"
# First: is the data a table, a block of numbers, or something without a fixed shape? Only if none of these fits, think of functions.

# %% [markdown] tags=["hint-2"] exercise="02.6"
# A *plan* must be known before it starts. Which job cannot be planned in full?

# %% [markdown] tags=["hint-3"] exercise="02.6"
# Files of table rows; JSON of any shape; a matrix; a fixed chain of functions; a search that decides as it runs.

# %% [markdown] tags=["keypoints"]
# ## Key points
#
# * Lines build a plan. `compute` runs it and brings the result to the notebook; `persist` runs it and leaves the result on the workers.
# * Lazy does not remember: two computes do the work twice. Request several results at once: `dask.compute(a, b)`.
# * A graph has no cycles, but usually many valid orders. The scheduler chooses one. Each task runs once per request; its result may be used many
#   times.
# * Mistakes show up at `compute`, not at the line that made them.
# * Persist late in the chain: after selecting rows and columns. `del` frees the memory.
# * You cannot know in advance where a task runs. `who_has` shows it afterwards.
# * Collections make graphs; schedulers run them. Futures start immediately.

# %% [markdown]
# ## Check yourself

# %% tags=["quiz"]
lessons.quiz("02")

# %% tags=["cards"]
lessons.cards("02")

# %% [markdown]
# ## On a laptop, on one GPU, on a cluster
#
# * **Laptop:** as above.
# * **One GPU:** graphs, compute and persist work the same; the pieces are cuDF tables and CuPy arrays in GPU memory. What you persist fills **GPU
#   memory**, which is smaller: persist even later in the chain. There may be only one worker; then `rebalance` has nothing to move.
# * **Cluster:** `compute` sends everything over the network to one notebook. Compute only small results; let the workers write large ones to files.

# %% [markdown] tags=["instructor"]
# ## For the instructor
#
# **Goal:** learners can say which line costs time, and how many times something runs.
#
# **Timing:** 10 min section 1, 20 min graphs, 15 min counting, 20 min persist and placement, 10 min the rest.
#
# **Frequent mistakes:** 02.1 with recursion and no check for cycles (it never ends: stop it; the check reports it); in 02.2 nearly everyone writes 1 for
# **d**; in 02.3 `dask.compute(*pieces)`, which loads once but brings all data to the notebook (the check counts the bytes); in 02.4 `table.persist()` at the
# beginning.
#
# **Projector:** the task stream (`lab.cluster.dashboard("task-stream")`) while section 4 runs: three blocks of loads, then none. Ask before each run.
#
# **When late:** skip 02.5 and `rebalance`. 02.6 goes well in pairs.

# %% tags=["run"]
lab.close()
