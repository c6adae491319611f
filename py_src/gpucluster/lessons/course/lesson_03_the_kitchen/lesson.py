# ---
# jupyter:
#   gpucluster:
#     lesson: "03"
#     title: "The kitchen: schedulers, sharing, starvation"
#     minutes: 60
#     needs: cpu
#     topics:
#       scheduler: {title: What the scheduler does, link: "03#conversation"}
#       makespan: {title: Lower bounds of the makespan, link: "03.1"}
#       starvation: {title: Starvation and sharing, link: "03#starvation"}
#       imbalance: {title: Skewed partitions, link: "03#imbalance"}
#       overhead: {title: Overhead and number of workers, link: "03#overhead"}
#     objectives:
#       - describe who sends what to whom while a graph runs
#       - calculate the shortest time that any schedule can reach
#       - measure starvation in a log, and fix the schedule with worker resources
#       - balance partitions of unequal size
#       - decide how large a task must be to be worth its overhead
# ---

# %% [markdown]
# # The kitchen: schedulers, sharing, starvation
#
# **60 minutes** (25 of reading, 35 of writing) · you need: lesson 02 (tasks, graphs, futures)
#
# After this lesson, you can
#
# * **describe** who sends what to whom while a graph runs;
# * **calculate** the shortest time that any schedule can reach;
# * **measure** starvation in a log, and **fix** the schedule with worker resources;
# * **balance** partitions of unequal size;
# * **decide** how large a task must be to be worth its overhead.
#
# Work from top to bottom. Where you see `...`, it is your turn. `check("03.1", bound)` tries your answer, `hint("03.1")` gives the next
# of three hints, and `solution("03.1")` shows one correct solution after the hints. Unless an exercise says otherwise, a function must
# not change its arguments, and must return the same result each time.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("03")

# %% [markdown]
# The output above shows what you are running on. `lab.client` is an ordinary Dask client: without `lab`, you would write
# `client = Client(LocalCluster(n_workers=2))`. The rest of this notebook is the same everywhere.

# %% tags=["run"]
import time

import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Semaphore, get_task_stream, get_worker

from gpucluster import datasets
from gpucluster.lessons import check, compare, expect_failure, hint, predict, solution
from gpucluster.lessons.figures import messages
from gpucluster.lessons.figures import kitchen as figures
from gpucluster.lessons.simulations.kitchen import Entry, Order, evening, makespan, most_at_once, open_kitchen, tonight

# %% [markdown] anchor="conversation"
# ## 1. One scheduler, and its messages
#
# A Dask cluster has **one scheduler** and many workers. The notebook sends a graph of tasks to the scheduler. The scheduler decides which
# worker runs which task, and when. It sees no data: results stay where they were made, and workers fetch what they need from each other.
#
# The next cell runs two tasks, deliberately on two different workers if there are two: `load` makes an array, `total` sums it. Dask keeps
# a record of each task, the **task stream**. The figure replays your own records.

# %% tags=["run"]
def load(n):
    return np.arange(n)


def total(array):
    return int(array.sum())


def address_book():
    """Addresses of all workers, as the scheduler knows them."""
    return list(lab.client.scheduler_info(n_workers=-1)["workers"])


places = address_book()
with get_task_stream(lab.client) as stream:
    array = lab.client.submit(load, 100_000, workers=places[0], pure=False)
    answer = lab.client.submit(total, array, workers=places[-1], pure=False)
    print(f"The result is {answer.result():,}.")
messages.sequence_diagram(stream.data, places)

# %% [markdown]
# Black arrows are short messages. Orange arrows carry results. The array went from worker to worker; the notebook got 32 bytes. (The
# records cover the tasks and their transfers. They do not show that the last result goes through the scheduler; that is Dask's
# default.)
#
# **Predict:** how many milliseconds does it take to submit one task that does nothing and get its result?

# %% tags=["predict"]
predict("03.a", 11)  # SOLUTION

# %% tags=["run"]
def nothing(number):
    return number


began = time.perf_counter()
for number in range(20):
    lab.client.submit(nothing, number, pure=False).result()
one_by_one = (time.perf_counter() - began) / 20

began = time.perf_counter()
lab.client.gather(lab.client.map(nothing, range(200), pure=False))
together = (time.perf_counter() - began) / 200

print(f"one after the other: {1000 * one_by_one:.2f} ms per task (mean of 20)")
print(f"200 tasks at once:   {1000 * together:.2f} ms per task")
compare("03.a", 1000 * one_by_one, "ms")

# %% [markdown]
# **Explain:** sent alone, each task pays for the whole round trip: notebook, scheduler, worker, and back. Tasks sent together share messages,
# and travel while others run. But each still costs the scheduler some time. Section 6 returns to this.

# %% [markdown]
# ## 2. The kitchen
#
# A well-known set of slides explains schedulers with a kitchen. Cooks mince garlic, dice onions, and **share knives**:
#
# > This cook must wait and remain idle until either a knife becomes available or a new task that doesn't require a knife is available. This
# > is an example of a resource-starved worker.
#
# Our kitchen has **three cooks** and **two knives**. A cook is a worker with one thread, so a cook does one order at a time. An order is a
# task. Here it only takes time (`time.sleep`); the durations are made up, not measured in a kitchen.
#
# `open_kitchen` scales the lesson's cluster to three workers. You can see them in the *GPU clusters* panel. Its dashboards include the task
# stream of this evening.

# %% tags=["run"]
COOKS, KNIVES = 3, 2
kitchen = open_kitchen(lab, COOKS)
orders = tonight()

for order in [orders[0], orders[1], orders[-2], orders[-1]]:
    print(order)
with_knife = sum(order.seconds for order in orders if order.knife)
print(f"{len(orders)} orders: {with_knife:.1f} s of work with a knife, "
      f"{sum(order.seconds for order in orders) - with_knife:.1f} s without")

# %% [markdown]
# The time from taking the first order to finishing the last is the **makespan**. How short can it be? Three things limit it,
# whatever the scheduler does:
#
# 1. **Work**: the total seconds of all orders, divided by the number of cooks.
# 2. **Knives**: the total seconds of all orders that need a knife, divided by the number of knives.
# 3. **The critical path**: an order waits for the orders in its `after`. The longest chain of such orders, by total time, must be
#    done one after the other, even with a hundred cooks.

# %% [markdown] exercise="03.1" title="The lower bound of the makespan" topic="makespan"
# ### Exercise 03.1 · The lower bound (8 min)
#
# Write `bound`: the largest of the three limits, in seconds. The `orders` are not sorted. Each has `name`, `seconds`, `knife`
# (`True` or `False`) and `after` (a tuple of names, often empty). There is at least one order, one cook and one knife.

# %% tags=["exercise"] exercise="03.1"
def bound(orders, cooks, knives):
    """Return the number of seconds below which no schedule can come."""
    ### BEGIN SOLUTION
    work = sum(order.seconds for order in orders) / cooks
    chopping = sum(order.seconds for order in orders if order.knife) / knives
    known = {order.name: order for order in orders}

    def end(name):
        order = known[name]
        return order.seconds + max((end(earlier) for earlier in order.after), default=0)

    return max(work, chopping, max(end(name) for name in known))
    ### END SOLUTION

# %% tags=["check"] exercise="03.1"
check("03.1", bound)

# %% [markdown] tags=["hint-1"] exercise="03.1"
# Calculate the three limits in turn, and return `max(...)` of them. Start with the first two: a sum, divided by
# a number of cooks or knives.

# %% [markdown] tags=["hint-2"] exercise="03.1"
# An order cannot end before its own `seconds` plus the latest end of the orders in its `after`. Write that as a recursive
# function.

# %% [markdown] tags=["hint-3"] exercise="03.1"
# `known = {order.name: order for order in orders}`, then `def end(name): return known[name].seconds + max((end(earlier) for earlier in
# known[name].after), default=0)`. The critical path is the largest `end` over all names.

# %% tags=["run"]
shortest = bound(orders, COOKS, KNIVES)
print(f"No schedule ends before {shortest:.2f} s." if shortest is not None else "Not yet: write bound first.")

# %% [markdown] anchor="starvation"
# ## 3. Starvation: a cook who holds an order and waits
#
# The simplest way to share knives: each cook takes the next order, and if it needs a knife, **waits** until one is free. In Dask, a
# `Semaphore` counts such shared things. `with knives:` takes one, and returns it at the end of the block. If none is left, it
# waits.
#
# `hands_on` is the work itself. It returns an `Entry` for the log: which cook did it, and when.

# %% tags=["run"]
def hands_on(order):
    """Do the work of an order."""
    began = time.time()
    time.sleep(order.seconds)
    return Entry(order.name, get_worker().name, began, began, time.time())

# %% [markdown]
# **Predict:** with a semaphore and orders taken in sequence (garlic and onions first, then the stew of 1.2 s and the rice of 0.6 s):
# how many seconds will the evening take?

# %% tags=["predict"]
predict("03.b", 2.8)  # SOLUTION

# %% [markdown] exercise="03.2" title="Wait for a knife, and measure the idle share" topic="starvation"
# ### Exercise 03.2 · Wait for a knife (10 min)
#
# 1. Write `with_semaphore`: an order that needs a knife takes one from `knives` (a `Semaphore`), does its work with `hands_on`, and returns
#    the knife, even if `hands_on` raises an error. Other orders are done immediately.
# 2. Write `idle_share`: the fraction of the cooks' time in which their hands were idle. The total time of all cooks is `cooks` times the
#    makespan. An entry of the log has `cook`, `taken`, `began` and `ended`; hands are busy from `began` to `ended`. The makespan runs from
#    the first `taken` to the last `ended`. The entries come in any order.

# %% tags=["exercise"] exercise="03.2"
def with_semaphore(order, knives):
    """Do an order, with a knife from the semaphore if it needs one; return the entry of hands_on."""
    ### BEGIN SOLUTION
    if not order.knife:
        return hands_on(order)
    with knives:
        return hands_on(order)
    ### END SOLUTION


def idle_share(log, cooks):
    """Return a number from 0 (all hands always busy) to 1."""
    ### BEGIN SOLUTION
    length = max(entry.ended for entry in log) - min(entry.taken for entry in log)
    work = sum(entry.ended - entry.began for entry in log)
    return 1 - work / (cooks * length)
    ### END SOLUTION

# %% tags=["check"] exercise="03.2"
check("03.2", with_semaphore, idle_share)

# %% [markdown] tags=["hint-1"] exercise="03.2"
# Two cases: `order.knife` is true or not. If it is, call `hands_on` inside a block `with knives:`. For the fraction: add up the time
# in which hands were busy, and compare it with the total time.

# %% [markdown] tags=["hint-2"] exercise="03.2"
# Return from inside the `with` block: the knife is returned in any case. A cook who did nothing all evening does not appear in the log, so
# `cooks` is an argument.

# %% [markdown] tags=["hint-3"] exercise="03.2"
# `1 - work / (cooks * length)`, with `work = sum(entry.ended - entry.began for entry in log)` and `length` the last `ended` minus
# the first `taken`.

# %% [markdown]
# `evening` lets the cooks take all orders in sequence, and returns the log. The semaphore has as many *leases* as there
# are knives.

# %% tags=["run"]
knives = Semaphore(max_leases=KNIVES, name="knives")
log = evening(kitchen.client, orders, with_semaphore, knives)
waited = log if all(isinstance(entry, Entry) for entry in log) else None
knives.close()

if waited:
    share = idle_share(waited, COOKS)
    print(f"makespan {makespan(waited):.2f} s, {most_at_once([e for e, o in zip(waited, orders) if o.knife])} knives at once")
    if share is not None:
        print(f"idle share {share:.0%}")
    display(compare("03.b", makespan(waited), "s"))
else:
    print("Not yet: write with_semaphore first (exercise 03.2).")

# %% tags=["run"]
figures.gantt({"wait for a knife": waited}, orders, shortest)

# %% [markdown]
# **Explain:** the hatched cook *has* an order, so the scheduler thinks that this cook is busy. The stew needs no knife and could have been on the
# stove all the time, but no cook is free to put it there. This is **starvation**: a worker is idle even though there is work, because it waits for
# something shared. Dask's task stream would show the hatched time as *work*: it sees that the task is running, not that it sleeps.

# %% [markdown]
# ## 4. Tell the scheduler
#
# The scheduler can only plan with what it knows. A **worker resource** is a number with a name that you choose, such as `knife=1`. A task
# states what it needs: `client.submit(..., resources={"knife": 1})`. The scheduler sends it only to a worker that has that many, and the worker
# starts it only when that many are free. Dask does not know what a knife is; it only counts.
#
# Resources are usually set when a worker starts (`dask worker --resources "knife=1"`). On a running cluster, you can set them on each worker.
# This function runs *in* a worker, with `client.run`:

# %% tags=["run"]
async def set_knives(dask_worker, number):
    """Tell a worker how many knives it has."""
    await dask_worker.set_resources(knife=number)

# %% [markdown]
# ### Two knives for three cooks: the price of a typo
#
# A resource is only a name. What happens if the task's name does not match the workers'? Here the workers have no knife yet, or call it
# `knife`, and the task asks for a `knive`:

# %% tags=["run"] anchor="no-worker"
misspelt = kitchen.client.submit(hands_on, orders[0], resources={"knive": 1}, pure=False)
with expect_failure(TimeoutError):
    misspelt.result(timeout=2)
print("State of the task, as the scheduler sees it:",
      kitchen.client.run_on_scheduler(lambda dask_scheduler, key: dask_scheduler.tasks[key].state, key=misspelt.key))
misspelt.cancel()

# %% [markdown]
# Dask raised no error, and never would: without `timeout`, this line would wait forever. The state `no-worker` is the only sign. A worker with
# a `knive` may join the cluster tomorrow, so the scheduler waits for it. When tasks do not start, look at their state first.

# %% [markdown] exercise="03.3" title="Knives as worker resources" topic="starvation"
# ### Exercise 03.3 · Knives as worker resources (10 min)
#
# 1. Write `hand_out`: afterwards, `knives` of the cooks have **one** knife each, and the others have **none** (0).
#    `client.run(set_knives, number=1, workers=[address])` sets it on one worker. `client.scheduler_info(n_workers=-1)["workers"]` has the addresses of
#    all.
# 2. Write `serve`: submit `hands_on` for each order, and return the futures in the order of `orders`. Orders with a knife need the resource `knife`. Use
#    `pure=False`, so that Dask really cooks again what it has cooked before.

# %% tags=["exercise"] exercise="03.3"
def hand_out(client, knives):
    """Give one knife to each of that many cooks, and none to the others."""
    ### BEGIN SOLUTION
    for number, cook in enumerate(client.scheduler_info(n_workers=-1)["workers"]):
        client.run(set_knives, number=1 if number < knives else 0, workers=[cook])
    ### END SOLUTION


def serve(client, orders):
    """Submit all orders, with the resources that they need; return a list of their futures, in the same sequence."""
    ### BEGIN SOLUTION
    return [
        client.submit(hands_on, order, resources={"knife": 1} if order.knife else None, pure=False)
        for order in orders
    ]
    ### END SOLUTION

# %% tags=["check"] exercise="03.3"
check("03.3", hand_out, serve)

# %% [markdown] tags=["hint-1"] exercise="03.3"
# Count the cooks as you loop over them: the first `knives` cooks get 1, the rest 0. In `serve`, one `client.submit` per
# order; only its `resources` differ.

# %% [markdown] tags=["hint-2"] exercise="03.3"
# `for number, cook in enumerate(client.scheduler_info(n_workers=-1)["workers"]):` gives the addresses. `workers=[cook]` sends the call only to that
# cook. Set the cooks without a knife to 0, too: they may still have one from before.

# %% [markdown] tags=["hint-3"] exercise="03.3"
# `resources={"knife": 1} if order.knife else None` in `client.submit(hands_on, order, ..., pure=False)`. You no longer need a semaphore.

# %% tags=["run"]
hand_out(kitchen.client, KNIVES)
futures = serve(kitchen.client, orders)
aware = kitchen.client.gather(list(futures)) if futures is not None else None
del futures

if aware:
    print(f"makespan {makespan(aware):.2f} s, {most_at_once([e for e, o in zip(aware, orders) if o.knife])} knives at once")
    both = [idle_share(log, COOKS) if log else None for log in (waited, aware)]
    if None not in both:
        print(f"idle share {both[0]:.0%} before, {both[1]:.0%} now")
else:
    print("Not yet: write hand_out and serve first (exercise 03.3).")

# %% tags=["run"]
figures.gantt({"wait for a knife": waited, "knife as a resource": aware}, orders, shortest)

# %% [markdown]
# **Explain:** the same orders, cooks and knives. The cook without a knife never gets an order that needs one and puts the stew on immediately. No cook waits.
# The evening ends close to the lower bound of 03.1, which no scheduler can beat.
#
# In real life, a "knife" is a device, a licence, a database that takes two connections, or a large part of a node's memory. Dask's
# resources are per worker. For something that the *whole cluster* shares and no worker owns, such as a database, use a `Semaphore`, and accept its cost.
#
# **Change:** give all three cooks a knife: write `KNIVES = 3` in a new cell and run it. Then rerun the cell that calls `bound` in section 2, and the last two
# cells. Which of the three limits of 03.1 applies now? Do the same with `KNIVES = 1`. Then restore `KNIVES = 2` and rerun these cells.

# %% [markdown] anchor="imbalance"
# ## 5. Imbalance: partitions are tasks, too
#
# Two workers, and no knives at all: can one of them still starve? Yes, if task sizes differ widely. Here is a year of weather at New
# York's airports, partitioned by visibility, as a groupby or one file per class would do. A worker goes through each partition row by
# row, in plain Python, to calculate how cold it felt.

# %% tags=["run"]
CLASSES = [(-1, 2), (2, 5), (5, 8), (8, 9.9), (9.9, 10)]  # miles


def pick(limits):
    """Read the weather of one class of visibility; runs on a worker."""
    table = datasets.weather(as_frame="pandas")
    table["row"] = range(len(table))
    low, high = limits
    return table.loc[(table.visib > low) & (table.visib <= high), ["row", "origin", "temp", "wind_speed", "visib"]]


def felt(temperature, wind):
    """Wind chill in degrees Fahrenheit, where it is defined."""
    if temperature > 50 or wind < 3:
        return temperature
    return 35.74 + 0.6215 * temperature + (0.4275 * temperature - 35.75) * wind**0.16


def coldest(part):
    """Return the lowest felt temperature of a partition, row by row."""
    values = part.apply(lambda row: felt(row.temp, row.wind_speed), axis=1)
    return pd.Series([values.min() if len(values) else np.nan])


kitchen.scale(2)
skewed = dd.from_map(pick, CLASSES).persist()
rows_before = skewed.map_partitions(len).compute().tolist()
display(lessons.banner("weather"))
figures.partition_sizes(rows_before)

# %% tags=["run"]
def work_through(table):
    """Find the coldest moment; say how long the tasks took."""
    with get_task_stream(kitchen.client) as stream:
        began = time.perf_counter()
        parts = table.map_partitions(coldest, meta=(None, "f8")).to_delayed()
        lowest = min(float(part.iloc[0]) for part in kitchen.client.gather(kitchen.client.compute(list(parts))))
        seconds = time.perf_counter() - began
    spans = [part["stop"] - part["start"] for task in stream.data for part in task["startstops"]
             if part["action"] == "compute" and "coldest" in str(task["key"])]
    print(f"coldest: {lowest:.1f} °F, found in {seconds:.2f} s; longest task {max(spans):.2f} s, "
          f"longest / mean = {max(spans) / np.mean(spans):.2f}, {len(spans)} tasks")


work_through(skewed)

# %% [markdown] exercise="03.4" title="Balance skewed partitions" topic="imbalance"
# ### Exercise 03.4 · Balance the partitions (8 min)
#
# Write `balance`: it returns a lazy table with the same rows in `npartitions` partitions of about equal size (at most 1.3 times the mean).
# The row order may change. The table has a column `row` with a unique number in each row.
#
# A warning: `repartition(npartitions=n)` merges neighbours, or splits partitions, but it ignores the number of rows. If the sizes differ
# before, they differ afterwards. Rows can also change partitions: `table.shuffle(column, npartitions=n)` sends each row to a partition that
# depends on its value in that column. This is a **shuffle**; almost every row moves. Do not gather anything in the notebook.

# %% tags=["exercise"] exercise="03.4"
def balance(table, npartitions):
    """Return a lazy table with the same rows in partitions of about the same size."""
    ### BEGIN SOLUTION
    return table.shuffle("row", npartitions=npartitions)
    ### END SOLUTION

# %% tags=["check"] exercise="03.4"
check("03.4", balance)

# %% [markdown] tags=["hint-1"] exercise="03.4"
# Rows must move from one worker to another. Which operation in the text above does that, and by which column?

# %% [markdown] tags=["hint-2"] exercise="03.4"
# A shuffle by a column whose values are all different spreads the rows evenly. A sorted index does so, too, if you give it evenly
# spaced `divisions=`; with `npartitions=`, Dask only estimates them.

# %% [markdown] tags=["hint-3"] exercise="03.4"
# `table.shuffle(column, npartitions=npartitions)`; the column is `"row"`.

# %% tags=["run"]
balanced = balance(skewed, 6)
if balanced is not None:
    balanced = balanced.persist()
    rows_after = balanced.map_partitions(len).compute().tolist()
    figures.partition_sizes(rows_before, rows_after)
    work_through(balanced)
else:
    print("Not yet: write balance first (exercise 03.4).")

# %% [markdown]
# **Explain:** with the skewed table, one worker had the large partition and the other was idle most of the time. The measure is *longest
# / mean*: 1 is perfect. Balancing costs a shuffle, so do it once, early, and if possible where the data is read.

# %% tags=["run"]
del skewed, balanced

# %% [markdown] anchor="overhead"
# ## 6. Overhead: more tasks, more workers
#
# In section 1, even a task that did nothing cost time. The next cell runs 500 tiny tasks. Its first line, `%%gpucluster profile`,
# shows where the time goes.

# %% tags=["run"]
# %%gpucluster profile --no-timeline
def square(number):
    return number * number


sum(lab.client.gather(lab.client.map(square, range(500), pure=False)))

# %% [markdown]
# Look at the line *mean* of the tasks: some microseconds of work. Then look at the wall time: nearly all of it is overhead in the notebook, the scheduler
# and the workers. (The cell squares 500 numbers. Without a cluster, that takes less than a millisecond.)

# %% [markdown] exercise="03.5" title="Few tasks instead of many tiny ones" topic="overhead"
# ### Exercise 03.5 · Batches (8 min)
#
# Write `batched`: the sum of `task(number)` over all `numbers`, computed by the workers, with **at most 50 tasks**, however many numbers
# there are. There may be as few as three. With more than 50 numbers, there must be **at least one task per worker**.

# %% tags=["exercise"] exercise="03.5"
def batched(client, task, numbers):
    """Return the sum of task(number) over all numbers, from at most 50 tasks."""
    ### BEGIN SOLUTION
    def several(batch):
        return sum(task(number) for number in batch)

    size = -(-len(numbers) // 40)  # rounded up
    batches = [numbers[start : start + size] for start in range(0, len(numbers), size)]
    return sum(client.gather(client.map(several, batches, pure=False)))
    ### END SOLUTION

# %% tags=["check"] exercise="03.5"
check("03.5", batched)

# %% [markdown] tags=["hint-1"] exercise="03.5"
# Split the list into batches first. One task per batch adds up its own results, so that one number per batch comes
# back.

# %% [markdown] tags=["hint-2"] exercise="03.5"
# `size = -(-len(numbers) // 40)` divides and rounds up, so that there are at most 40 batches. `numbers[start : start + size]` is one batch.

# %% [markdown] tags=["hint-3"] exercise="03.5"
# Define `def several(batch): return sum(task(number) for number in batch)` inside `batched`. Then
# `sum(client.gather(client.map(several, batches, pure=False)))`.

# %% tags=["run"]
numbers = list(range(10_000))
began = time.perf_counter()
found = batched(lab.client, square, numbers)
seconds = time.perf_counter() - began
if found is not None:
    print(f"{len(numbers):,} numbers in batches: {seconds:.2f} s, sum {found:,}")
    print(f"one task per number, at the {1000 * together:.2f} ms of section 1: about {together * len(numbers):.1f} s")
else:
    print("Not yet: write batched first (exercise 03.5).")

# %% [markdown] anchor="more-workers"
# **How large should a task be?** Large enough that its work is much longer than its overhead: some tens of milliseconds at least. And use many
# more tasks than threads, so that the scheduler can balance them.
#
# ### More workers
#
# According to the slides, adding workers can improve performance, but creates overhead that can reduce the gain. Let us measure two kinds of
# work: tasks that only wait (as our cooks do), and tasks that keep a processor core busy.
#
# **Predict:** 24 tasks sort numbers. How many times as fast are **four** workers as one, on this machine?

# %% tags=["predict"]
predict("03.c", 2)  # SOLUTION

# %% tags=["run"]
def nap(number):
    time.sleep(0.1)


def sort_numbers(seed):
    return float(np.sort(np.random.default_rng(seed).random(600_000))[0])


def measure(task, count):
    began = time.perf_counter()
    kitchen.client.gather(kitchen.client.map(task, range(count), pure=False))
    return time.perf_counter() - began


times = {"tasks that wait": {}, "tasks that compute": {}}
weak = {}
for cooks in (1, 2, 3, 4):
    kitchen.scale(cooks)
    measure(sort_numbers, cooks)  # the first task of a new worker is slower
    times["tasks that wait"][cooks] = measure(nap, 24)
    times["tasks that compute"][cooks] = measure(sort_numbers, 24)
    if cooks <= 2:
        weak[cooks] = measure(sort_numbers, 12 * cooks)
figures.speed(times)
compare("03.c", times["tasks that compute"][1] / times["tasks that compute"][4], "times as fast")

# %% [markdown]
# **Explain:** waiting needs no core, so four workers wait four times as much. Sorting needs a core: with more workers than cores, the curve
# flattens, and earlier if other programs run. No number of workers makes the machine itself faster.
#
# **Weak scaling** asks another question: with twice the workers *and twice the work*, does it still take the same time? "Scales
# seamlessly to massive datasets" is a claim about this bar chart, not about the one above.

# %% tags=["run"]
figures.weak_scaling(weak)
print(f"12 tasks on one worker {weak[1]:.2f} s, 24 tasks on two {weak[2]:.2f} s: "
      f"weak scaling efficiency {weak[1] / weak[2]:.0%}")

# %% [markdown] anchor="orders"
# ### Spot the error
#
# > "In a directed acyclic graph there is **one** logical way to traverse the graph."
#
# What is wrong with it? Think of our fourteen orders before you open the answer.
#
# <details><summary>Answer</summary>
#
# Usually there are very many valid orders. Our fourteen orders do not depend on each other, so any of the 14! = 87,178,291,200 sequences
# is valid. *Acyclic* means that there is no cycle, so at least one valid sequence exists. The scheduler chooses among the valid ones,
# and this lesson showed that the choice matters: 03.2 and 03.3 are the same graph.
# </details>

# %% [markdown] exercise="03.6" title="A Gantt chart of your evening" topic="scheduler"
# ## 7. Make: replay your own evening
#
# ### Exercise 03.6 · Bars from a task stream (8 min)
#
# Write `bars`: from the records of a task stream, make one bar `(row, start, seconds, name)` per task.
#
# * `record["startstops"]` is a sequence of parts. A part has `action`, `start` and `stop`. The action `"compute"` is the work; a `"transfer"` before it is
#   not drawn.
# * `row`: 0, 1, 2, …, one row per *thread* of each worker (`record["worker"]`, `record["thread"]`; threads of two workers may have the same number).
# * `start`: seconds since the start of the first bar, so the smallest is 0. `seconds`: the duration. `name`: `record["key"]`.
#
# Each record has exactly one `"compute"` part. Threads may get any rows, and the bars may be in any order.

# %% tags=["exercise"] exercise="03.6"
def bars(records):
    """Return a list of (row, start, seconds, name)."""
    ### BEGIN SOLUTION
    threads = sorted({(record["worker"], record["thread"]) for record in records})
    row_of = {thread: row for row, thread in enumerate(threads)}
    work = [(record, part) for record in records for part in record["startstops"] if part["action"] == "compute"]
    zero = min(part["start"] for _, part in work)
    return [
        (row_of[record["worker"], record["thread"]], part["start"] - zero, part["stop"] - part["start"], record["key"])
        for record, part in work
    ]
    ### END SOLUTION

# %% tags=["check"] exercise="03.6"
check("03.6", bars)

# %% [markdown] tags=["hint-1"] exercise="03.6"
# Two passes: first find all pairs (worker, thread) and give each a row number. Then make one bar per part whose action
# is `"compute"`.

# %% [markdown] tags=["hint-2"] exercise="03.6"
# `threads = sorted({(record["worker"], record["thread"]) for record in records})`, then a dictionary from the pair to its position. Time zero
# is the smallest `start` of all compute parts.

# %% [markdown] tags=["hint-3"] exercise="03.6"
# Return `(row_of[record["worker"], record["thread"]], part["start"] - zero, part["stop"] - part["start"], record["key"])` for each record and
# each of its parts with `part["action"] == "compute"`.

# %% [markdown]
# The last evening: the same orders, with your `serve`, and your chart as an animation.

# %% tags=["run"]
kitchen.scale(COOKS)
hand_out(kitchen.client, KNIVES)
with get_task_stream(kitchen.client) as stream:
    futures = serve(kitchen.client, orders)
    if futures is not None:
        kitchen.client.gather(list(futures))
        names = {future.key: order.name for future, order in zip(futures, orders)}
chart = bars([record for record in stream.data if record["key"] in names]) if futures is not None else None
if chart is not None:
    chart = [(row, start, seconds, names[key]) for row, start, seconds, key in chart]
figures.animation(chart)

# %% tags=["run"]
futures = None
kitchen.close()

# %% [markdown] tags=["keypoints"]
# ## Key points
#
# * One scheduler decides which worker runs what. Data stays on the workers and moves directly between them.
# * No schedule is shorter than the work per cook, the knife work per knife, and the longest chain of orders.
# * Starvation: a worker waits inside a task for something shared, while there is other work. Declare what a task needs (worker
#   resources), and the scheduler assigns the work differently.
# * A resource that no worker has causes no error: the task waits forever in the state `no-worker`.
# * Imbalance: the longest task decides. Look at *longest / mean*.
# * A task costs about a millisecond of overhead, and more if it is sent alone. Make tasks large enough, and make more tasks than
#   threads.
# * More workers than cores do not compute faster.

# %% [markdown]
# ## Quiz and cards

# %% tags=["quiz"]
lessons.quiz("03")

# %% tags=["cards"]
lessons.cards("03")

# %% [markdown]
# ### Laptop, one GPU, cluster
#
# * **Laptop:** up to four worker processes; the cooks only wait, so they fit on two cores.
# * **One GPU:** a cluster has one worker per GPU. If it cannot have three workers, `open_kitchen` uses threads of this notebook as cooks. The GPU is then the
#   real-life "knife": a cluster with CPU and GPU workers gives its GPU workers the resource `GPU=1`, and only tasks that need a GPU request it.
# * **Cluster:** the same cells. One scheduler serves hundreds of workers, and each task costs it a fraction of a millisecond: with a million tasks, the scheduler
#   itself becomes the shared knife.

# %% tags=["run"]
lab.close()

# %% [markdown] tags=["instructor"]
# ### For the instructor
#
# * **Goal:** learners say unprompted that an idle worker does not always mean a lack of work, and that the scheduler can only use what it knows.
# * **Time:** 8 section 1 · 10 for 03.1 · 15 for section 3 · 12 for section 4 · 8 for 03.4 · 12 for section 6 · 8 for 03.6. When late, give the solution
#   of 03.6 (the animation is worth seeing) and leave out weak scaling.
# * **On the projector:** play the kitchen with three people, two pens and fourteen sheets of paper before anyone types. Then show the two Gantt charts of
#   section 4, one above the other. Also open Dask's task stream during 03.2: it shows no idle time. Ask why.
# * **Frequent mistakes:** 03.1 without the critical path (the check reports which limit is wrong); the idle share counting only cooks that appear in the log,
#   not all cooks; knives left over from an earlier `hand_out` (set `0` for cooks without a knife); `resources` on all orders, so that the stew waits for a
#   knife; `repartition(npartitions=...)` in 03.4, which changes nothing; rows numbered by worker only in 03.6.
# * **What to skip when late:** 03.5 can be homework; the profile above it already makes the point.
# * **Measured** while this lesson was written (two cores, busy with other work; Dask 2026.8): waiting 2.7–2.8 s and 35 % idle; with resources
#   1.82–1.87 s and 1–3 % idle; the bound is 1.80 s.
