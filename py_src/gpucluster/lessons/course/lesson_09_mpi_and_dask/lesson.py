# ---
# jupyter:
#   gpucluster:
#     lesson: "09"
#     title: From MPI to Dask and back
#     minutes: 150
#     needs: cpu
#     topics:
#       two-worlds: {title: "Ranks and workers, and what translates into what", link: "09#two-worlds"}
#       communicators: {title: Communicators of some of the ranks, link: "09#communicators"}
#       trees: {title: Trees instead of one receiver, link: "09#trees"}
#       locality: {title: Chunks that stay where they are, link: "09#locality"}
#       messages: {title: "Buffers, pickles and pieces", link: "09#buffers"}
#       event-loop: {title: Messages that let others have a turn, link: "09#event-loop"}
#       dask-on-mpi: {title: Dask started by MPI, link: "09#dask-mpi"}
#       honest-overhead: {title: Overhead that is measured and not claimed, link: "09#overhead"}
#     objectives:
#       - translate collective operations of MPI into Dask, and back
#       - divide ranks into communicators, and add up within them
#       - replace one receiver by a tree, on ranks and with futures
#       - keep chunks where they are while a compiled library trains on them
#       - send arrays as buffers, in pieces, and without blocking an event loop
#       - start Dask with mpiexec, and read the command line of an MPI program
#       - judge an overhead from repeated measurements
# ---

# %% [markdown]
# # From MPI to Dask and back
#
# **150 minutes** (30 of reading, 120 of writing) · you need: NumPy, Dask arrays and futures (lesson 02), sums and counts (lesson 06)
#
# If you have 80 minutes, stop after section 6 (exercise 09.6). Sections 7 to 12 are a second session.
#
# After this lesson, you can
#
# * **translate** collective operations of MPI into Dask, and back;
# * **divide** ranks into communicators, and **add up** within them;
# * **replace** one receiver by a tree, on ranks and with futures;
# * **keep** chunks where they are while a compiled library trains on them;
# * **send** arrays as buffers, in pieces, and without blocking an event loop;
# * **start** Dask with `mpiexec`, and **read** the command line of an MPI program;
# * **judge** an overhead from repeated measurements.
#
# Work from top to bottom. Where you see `...`, it is your turn. `check`, `hint` and `solution` help, as in the other lessons.
# Unless an exercise says otherwise, a function must not change its arguments, and must return the same result each time.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("09")

# %% [markdown]
# The output above shows what you are running on. `lab.client` is an ordinary Dask client. Without `lab`, you would write
# `client = Client(LocalCluster(n_workers=2))`. The rest of this notebook is the same everywhere.
#
# <details><summary>Helpers in this lesson, and what they do</summary>
#
# | here | without our helper |
# |---|---|
# | `as_numpy(value)` | nothing if the blocks are already NumPy arrays; otherwise the library's own conversion to NumPy. For small results only |
# | `with lab.traffic() as traffic:` | `client.run(lambda dask_worker: list(dask_worker.transfer_outgoing_log))`: each worker's log of what it sent. Add up `total` for the entries with an empty `who`: these went to the notebook |
# | `run_coroutine(c)` | `asyncio.run(c)`; a notebook already runs an event loop, so the helper uses a thread |
# | `ready("…", f)` | only our lessons need it: prints a message and returns False until you have written `f` |
#
# </details>

# %% tags=["run"]
import asyncio
import time
from functools import reduce

import dask.array as da
import dask.dataframe as dd
import numpy as np

from gpucluster import datasets
from gpucluster.lessons import as_numpy, check, compare, hint, predict, solution
from gpucluster.lessons.checking import ready
from gpucluster.lessons.figures import mpi as figures
from gpucluster.lessons.probes.coroutines import run_coroutine
from gpucluster.lessons.simulations.ranks import run_mpi, run_on_workers, run_ranks, run_script, simulate

# %% [markdown] anchor="two-worlds"
# ## 1. Two worlds
#
# **MPI**, the Message Passing Interface, is a standard from 1994, available on nearly every supercomputer. You start the *same* program n times. Each copy is
# a **rank**; it knows its number, has its own part of the data, and sends messages to other ranks. A **communicator**
# is a group of ranks that can exchange messages. The one with all ranks is called `COMM_WORLD`. A message from one rank to another is *point-to-point*. An operation that all ranks of a communicator call together, such
# as a sum over all of them, is *collective*. If only one rank gets the result, that rank is the *root*.
#
# **Dask** has *one* program, here this notebook. It describes the work as a graph of tasks. A scheduler assigns the tasks to workers.

# %% tags=["run"]
figures.two_worlds()

# %% [markdown] anchor="daskify"
# Two IBM engineers *daskified* Snap ML, a machine-learning library whose distributed part was written for MPI: they replaced MPI with Dask. (Snap ML's
# solvers are compiled C++ code, some of them for GPUs. Its licence is proprietary, and you do not need it here. The slides cite the TOP500 list of June 2020,
# in which IBM's Summit and Sierra were numbers 2 and 3.) They name two things that keep data scientists away from MPI:
#
# * switching between languages for existing libraries costs effort;
# * MPI is not integrated with popular development environments, web interfaces and tools.
#
# This notebook answers the second. Section 6 is about the first: a compiled library stays unchanged and gets its data from Dask.
#
# Here is their translation, with a few more rows. You will write most of these rows yourself.
#
# | in MPI, each rank | what happens | with Dask, the notebook |
# |---|---|---|
# | `comm.allreduce(x)` with `MPI_SUM` | every rank gets the sum | `x.sum()`, or a tree of tasks |
# | `comm.reduce(x, root=0)` | one rank gets the sum | `x.sum().compute()` |
# | `comm.bcast(x, root=0)` | every rank gets what one rank has | `client.scatter(x, broadcast=True)`, or an argument of a task |
# | `comm.scatter(parts)` | each gets its part | `da.from_array(x, chunks=…)` |
# | `comm.gather(x)` | one rank gets all parts | `client.gather(futures)`, `X.compute()` |
# | `comm.send`, `comm.recv` | one message between two ranks | nothing to write: the scheduler moves what a task needs |
# | `comm.Barrier()` | wait for all | `wait(futures)` |
# | `comm.Split(…)` | a communicator of some ranks | `workers=[…]` |
#
# ## 2. A real MPI program
#
# mpi4py is MPI for Python. The next cell writes a program to a file, and `mpiexec`, which comes with MPI, starts it
# four times. (If MPI is missing, the cell reports it. `pip install 'gpucluster[mpi]'` installs MPI without root
# access. Every exercise also works without MPI, with threads that simulate the ranks.)
#
# **Predict:** in what order do the four ranks say hello? Write `"0 1 2 3"`, `"3 2 1 0"` or `"any"`.

# %% tags=["predict"]
predict("09.a", "any")  # SOLUTION

# %% tags=["run"] anchor="hello"
hello = """
from mpi4py import MPI

comm = MPI.COMM_WORLD
print(f"hello, I am rank {comm.rank} of {comm.size}")
total = comm.allreduce(comm.rank)
if comm.rank == 0:
    print(f"the sum of all numbers is {total}, says {MPI.Get_library_version().split()[0]}")
"""
lines = run_script(hello, n_ranks=4)
compare("09.a", "any")

# %% [markdown]
# **Explain:** the ranks run at the same time, and nothing in the program orders the greetings. Run the cell again:
# the order may change. The sum is always the same, because `allreduce` waits for all ranks.
#
# The exercises are *functions* of a communicator. `run_mpi(function, …)` writes such a function to a file, starts
# `mpiexec`, and returns the results of all ranks. `simulate(function, …)` runs it with threads in this notebook and
# records each message.

# %% tags=["run"]
def who_am_i(comm):
    return comm.rank, comm.size, comm.allreduce(1)


for run in (run_mpi(who_am_i, n_ranks=2), simulate(who_am_i, n_ranks=5)):
    print(f"{run.where}:\n   {run.results}")

# %% [markdown] exercise="09.1" title="One count in two worlds" topic="two-worlds"
# ## 3. One count in two worlds
#
# Snap ML needs the number of positive labels. In MPI, each rank counts its own labels and `MPI_SUM` adds up the counts. After daskification this became `da.sum(y > 0).compute()`.
# Our labels: arrival delays of flights, in minutes. A flight is late if its delay is greater than 0. The delay of a
# cancelled flight is missing (NaN), and a missing delay does not count as late.
#
# ### Exercise 09.1 · One count in two worlds (8 min)
#
# Write both functions. Each returns an integer (an `int` or a NumPy integer). Only counts may travel, not delays.

# %% tags=["exercise"] exercise="09.1"
def late_on_ranks(comm, own):
    """Return the number of late flights of all ranks, on every rank.

    own: a NumPy array with the delays of this rank (perhaps none)
    """
    ### BEGIN SOLUTION
    return comm.allreduce(int((own > 0).sum()))
    ### END SOLUTION


def late_with_dask(y):
    """Return the number of late flights; y is a Dask array of delays, with chunks on the workers."""
    ### BEGIN SOLUTION
    return int((y > 0).sum().compute())
    ### END SOLUTION

# %% tags=["check"] exercise="09.1"
check("09.1", late_on_ranks, late_with_dask)

# %% [markdown] tags=["hint-1"] exercise="09.1"
# `own > 0` is a Boolean array; a comparison with NaN gives False. What is the sum of a Boolean array?

# %% [markdown] tags=["hint-2"] exercise="09.1"
# On ranks: count your own labels, then call `comm.allreduce` once. With Dask: the same expression on `y` is lazy; `.compute()` fetches the one number.

# %% [markdown] tags=["hint-3"] exercise="09.1"
# `comm.allreduce(int((own > 0).sum()))` and `int((y > 0).sum().compute())`.

# %% tags=["run"]
table = datasets.flights(columns=["arr_delay"], as_frame="pandas")
delays = table["arr_delay"].to_numpy(dtype=float)
y = da.from_array(delays, chunks=100_000).to_backend().persist()
if ready("09.1", late_on_ranks, late_with_dask):
    shares = np.array_split(delays, 2)
    run = run_mpi(lambda comm, shares: late_on_ranks(comm, shares[comm.rank]), shares, n_ranks=2)
    print(f"{run.results} late flights on each rank ({run.where})")
    print(f"{late_with_dask(y):,} of {len(delays):,} flights were late, says Dask")

# %% [markdown] anchor="communicators"
# ## 4. Communicators of some of the ranks
#
# `COMM_WORLD` contains all ranks. Often only some of them should add up their values: the ranks of one node, or those that hold the same columns of a matrix. `comm.Split(color, key)` is
# a collective operation. Each rank passes a *color*. Ranks with the same color form a new communicator, in the order
# of their keys, and are numbered from 0 again. Take six ranks in three columns:
#
# | | column 0 | column 1 | column 2 |
# |---|---|---|---|
# | **row 0** | rank 0 | rank 1 | rank 2 |
# | **row 1** | rank 3 | rank 4 | rank 5 |
#
# **Predict:** after `row = comm.Split(color=comm.rank // 3)`, what are `row.rank` and `row.size` of rank 4? Write `"1 of 3"`, `"4 of 6"` or `"1 of 2"`.

# %% tags=["predict"]
predict("09.b", "1 of 3")  # SOLUTION

# %% tags=["run"]
def place_in_row(comm):
    row = comm.Split(color=comm.rank // 3)
    return f"{row.rank} of {row.size}"


compare("09.b", simulate(place_in_row, n_ranks=6).results[4])

# %% [markdown] exercise="09.2" title="Rows and columns of ranks" topic="communicators"
# ### Exercise 09.2 · Rows and columns of ranks (10 min)
#
# Write `grid_sums`. Ranks are arranged in rows from left to right, as above, with `columns` ranks in each row. Use
# `Split` once for rows and once for columns, and add up within the new communicators.

# %% tags=["exercise"] exercise="09.2"
def grid_sums(comm, columns, value):
    """Return two numbers: row_sum, the sum of all values in my row, and column_sum, that of my column."""
    ### BEGIN SOLUTION
    row = comm.Split(comm.rank // columns, comm.rank)
    column = comm.Split(comm.rank % columns, comm.rank)
    return row.allreduce(value), column.allreduce(value)
    ### END SOLUTION

# %% tags=["check"] exercise="09.2"
check("09.2", grid_sums)

# %% [markdown] tags=["hint-1"] exercise="09.2"
# Which number do all ranks of a row have in common? With three columns, ranks 3, 4 and 5 are one row. What do the ranks of a column have in common?

# %% [markdown] tags=["hint-2"] exercise="09.2"
# `rank // columns` is the row number, `rank % columns` the column number. Both are colors for `comm.Split`.

# %% [markdown] tags=["hint-3"] exercise="09.2"
# `row = comm.Split(comm.rank // columns)` and `column = comm.Split(comm.rank % columns)`; then `row.allreduce(value)`, `column.allreduce(value)`.

# %% tags=["run"]
run = run_mpi(grid_sums, 2, 10, n_ranks=4) if ready("09.2", grid_sums) else None
if run:
    print(f"four ranks in two columns, each with 10 ({run.where}):\n   {run.results}")

# %% [markdown] anchor="trees"
# ## 5. Everything to one place, or a tree
#
# The slides again: *"MPI Send / MPI Recv and reduction on master was replaced with collecting the result of each chunk from the future objects, and using Python
# `functools.reduce()` to aggregate those results"*. This is how a master (rank 0) collects:

# %% tags=["run"]
def reduce_at_master(comm, value, merge):
    """Rank 0 receives from all others, one after the other."""
    if comm.rank > 0:
        comm.send(value, dest=0)
        return None
    return reduce(merge, [comm.recv(source=other) for other in range(1, comm.size)], value)


def join(one, other):
    return one + other


master = simulate(lambda comm: reduce_at_master(comm, chr(97 + comm.rank), join), n_ranks=8)
print(master.results[0], f"· {len(master.messages)} messages")

# %% [markdown]
# **Predict:** 64 ranks do this. How many messages does rank 0 receive, one after the other?

# %% tags=["predict"]
predict("09.c", 63)  # SOLUTION

# %% tags=["run"]
many = simulate(lambda comm: reduce_at_master(comm, "x", join), n_ranks=64)
compare("09.c", sum(message.target == 0 for message in many.messages), "messages")

# %% [markdown] exercise="09.3" title="A tree of messages" topic="trees"
# ### Exercise 09.3 · A tree of messages (15 min)
#
# "Better reductions" is the first point on the slides' path ahead. In a *tree*, half of the ranks send to the other
# half at the same time, then half of the remaining ranks do, and so on. Write `tree_reduce` using only `comm.send`
# and `comm.recv`:
#
# * rank 0 returns the merged value; every other rank sends exactly once and returns `None`;
# * `merge(one, other)` can be any function that joins two neighbours, such as string concatenation: keep the order of the ranks;
# * any number of ranks: rank 0 receives at most log₂(n) messages, rounded up, and at most this many merges wait for each other.

# %% tags=["exercise"] exercise="09.3"
def tree_reduce(comm, value, merge):
    """Merge the values of all ranks along a tree; rank 0 returns the result, the others None."""
    ### BEGIN SOLUTION
    step = 1
    while step < comm.size:
        if comm.rank % (2 * step):
            comm.send(value, dest=comm.rank - step)
            return None
        if comm.rank + step < comm.size:
            value = merge(value, comm.recv(source=comm.rank + step))
        step *= 2
    return value
    ### END SOLUTION

# %% tags=["check"] exercise="09.3"
check("09.3", tree_reduce)

# %% [markdown] tags=["hint-1"] exercise="09.3"
# First round: 1 sends to 0, 3 to 2, 5 to 4, … Which ranks are left? How far apart are two neighbours among them?

# %% [markdown] tags=["hint-2"] exercise="09.3"
# Let `step` be 1, 2, 4, … while it is smaller than the number of ranks. A rank that is not a multiple of `2 * step`
# sends to `rank - step` and is done. The others receive from `rank + step` if that rank exists.

# %% [markdown] tags=["hint-3"] exercise="09.3"
# In the loop: if `comm.rank % (2 * step)` is not 0, send the value to `comm.rank - step` and return None. Otherwise, if that rank exists,
# `value = merge(value, comm.recv(source=comm.rank + step))`. Your own value goes on the left.

# %% tags=["run"]
ways = {}
if ready("09.3", tree_reduce):
    tree = simulate(lambda comm: tree_reduce(comm, chr(97 + comm.rank), join), n_ranks=8)
    ways = {"master": master.messages, "your tree": tree.messages}
figures.rounds(ways, 8)

# %% [markdown]
# Each arrow is a message of the run above (simulated ranks, so that all eight fit on your computer); a rank receives one at a time.
#
# **Explain:** both methods need n − 1 messages, and no method needs fewer. But the master takes n − 1 rounds and the
# tree log₂(n): 6 instead of 63 for 64 ranks. With large arrays, all ranks wait for rank 0 and its one network card.
# In a good MPI library, `comm.reduce` is such a tree, or something even better for long messages.
#
# ### With futures
#
# In Dask, the "master" is the notebook. This is what the slides did. It works, but every result travels to the notebook:

# %% tags=["run"]
def part_sum(number):
    return np.full(100_000, float(number))  # 0.8 MB


futures = lab.client.map(part_sum, range(6), pure=False)
with lab.traffic() as traffic:
    total = reduce(np.add, lab.client.gather(futures))
print(f"{total[0]:.0f}: {traffic.bytes / 1e6:.1f} MB came to the notebook")

# %% [markdown] exercise="09.4" title="A tree of futures" topic="trees"
# ### Exercise 09.4 · A tree of futures (10 min)
#
# Write `tree_of_futures`: merge neighbours **on the workers**, in rounds, and return the future of the result. No
# value comes to the notebook. The rules are the same as for the tree of messages: keep the order, accept any number
# of futures, and use at most log₂(n) merges in sequence.

# %% tags=["exercise"] exercise="09.4"
def tree_of_futures(client, futures, merge):
    """Return one future: all values merged in order, in a tree of tasks."""
    ### BEGIN SOLUTION
    while len(futures) > 1:
        pairs = [futures[place : place + 2] for place in range(0, len(futures), 2)]
        futures = [
            client.submit(merge, *pair, pure=False) if len(pair) == 2 else pair[0] for pair in pairs
        ]
    return futures[0]
    ### END SOLUTION

# %% tags=["check"] exercise="09.4"
check("09.4", tree_of_futures)

# %% [markdown] tags=["hint-1"] exercise="09.4"
# `client.submit(merge, one, other)` takes futures as arguments and returns a future. A worker fetches what it does
# not have, without the notebook. Start with one round.

# %% [markdown] tags=["hint-2"] exercise="09.4"
# One round turns n futures into about n / 2: it merges `futures[0], futures[1]`, then `futures[2], futures[3]`, … If
# the number is odd, the last one waits for the next round. Repeat while there is more than one.

# %% [markdown] tags=["hint-3"] exercise="09.4"
# `pairs = [futures[i:i + 2] for i in range(0, len(futures), 2)]`, then for each pair `client.submit(merge, *pair)` if it has two, else `pair[0]`. Make
# a new list; do not change the one you were given.

# %% tags=["run"]
if ready("09.4", tree_of_futures):
    with lab.traffic() as traffic:
        result = tree_of_futures(lab.client, futures, np.add)
        total = result.result()
    print(f"{total[0]:.0f}: {traffic.bytes / 1e6:.1f} MB came to the notebook, one merged result")

# %% [markdown]
# **Explain:** six results travel, or one. Dask arrays and tables do this automatically: `x.sum()` is a tree of tasks.
# You only write the tree yourself when you work with futures.
#
# The reverse exists as well: `gpucluster.learn.run_on_ranks` starts one task on each worker, all at the same time, with a shared communicator. Section 11 uses it.

# %% [markdown] anchor="locality"
# ## 6. A compiled library gets one chunk per worker
#
# The goal of the slides: Dask reads and cleans the data and makes features; a compiled library trains. Their advice: *use one chunk of the Dask array per node* with `X.rechunk()`. A
# library that uses all cores of a node then gets one large array. Here a node is a worker.
#
# How hard can it be to cut an array into w chunks? `X.rechunk((-(-n // w), -1))` cuts chunks of n / w rows, rounded up. For 4 workers, and 9 or 10 rows:

# %% tags=["run"]
for n in (9, 10):
    print(n, "rows:", da.ones((n, 2), chunks=3).rechunk((-(-n // 4), -1)).chunks[0])

# %% [markdown]
# With 9 rows, one worker gets nothing; with 10, one has little to do.

# %% [markdown] exercise="09.5" title="One chunk per worker" topic="locality"
# ### Exercise 09.5 · One chunk per worker (8 min)
#
# Write `one_per_worker`: return exactly as many chunks as workers, each with all columns. Their sizes differ by at
# most one row. There are at least as many rows as workers, and the rows keep their order. Nothing is computed yet.

# %% tags=["exercise"] exercise="09.5"
def one_per_worker(X, n_workers):
    """Return the Dask array X (rows × columns), cut into one chunk of rows per worker; lazy."""
    ### BEGIN SOLUTION
    rows, more = divmod(len(X), n_workers)
    sizes = (rows + 1,) * more + (rows,) * (n_workers - more)
    return X.rechunk((sizes, -1))
    ### END SOLUTION

# %% tags=["check"] exercise="09.5"
check("09.5", one_per_worker)

# %% [markdown] tags=["hint-1"] exercise="09.5"
# `rechunk` also takes the sizes of all chunks: `X.rechunk(((3, 2, 2, 2), -1))`. Which sizes add up to n and differ by at most one?

# %% [markdown] tags=["hint-2"] exercise="09.5"
# `divmod(10, 4)` is `(2, 2)`: each gets 2 rows, and 2 of the 4 get one more.

# %% [markdown] tags=["hint-3"] exercise="09.5"
# `rows, more = divmod(len(X), n_workers)`: `more` of the pieces have `rows + 1` rows, the others `rows`. Write their sizes in a tuple, then
# `X.rechunk((sizes, -1))`; -1 means all columns.

# %% tags=["run"]
n_workers = len(lab.client.ncores())
flights = datasets.flights(columns=["month", "hour", "dep_delay", "distance", "arr_delay"]).dropna()
numbers = flights.astype("float64").to_dask_array(lengths=True)
features, late = numbers[:, :4], (numbers[:, 4] > 15).astype(float)
X = labels = None
if ready("09.5", one_per_worker):
    X = one_per_worker(features, n_workers).persist()
    labels = late.rechunk((X.chunks[0],)).persist()
    print(f"{features.numblocks[0]} chunks became {X.numblocks[0]}, one per worker: {X.chunks[0]} rows")

# %% [markdown] anchor="spot-compute"
# ### Spot the error
#
# The slides go on: *"For the portions of processing in the C++ library, extract NumPy array from individual chunks of Dask array (use `X.compute()`)."* What is wrong
# with it?
#
# <details><summary>Answer</summary>
#
# `X.compute()` gathers *all* chunks into the notebook. You need one chunk, on the worker that holds it: a task. `X.to_delayed()` or `X.blocks[i]` name single
# chunks, `client.compute(list(X.to_delayed().ravel()))` gives a future per chunk, `X.map_blocks` calls a function on each. Inside the task, the chunk *is* an
# array.
#
# </details>

# %% [markdown] exercise="09.6" title="Train without gathering" topic="locality"
# ### Exercise 09.6 · Train without gathering (12 min)
#
# Write `train_each`: call `train(X_chunk, y_chunk)` once for each chunk of rows, as a task on a worker. X and y are
# split at the same rows, and each chunk of X has all columns. Only models come to the notebook, and no worker
# concatenates several chunks.

# %% tags=["exercise"] exercise="09.6"
def train_each(client, X, y, train):
    """Return the list of the models train(X_chunk, y_chunk), in the order of the chunks."""
    ### BEGIN SOLUTION
    chunks_of_X = client.compute(list(X.to_delayed().ravel()))
    chunks_of_y = client.compute(list(y.to_delayed().ravel()))
    return client.gather(client.map(train, chunks_of_X, chunks_of_y, pure=False))
    ### END SOLUTION

# %% tags=["check"] exercise="09.6"
check("09.6", train_each)

# %% [markdown] tags=["hint-1"] exercise="09.6"
# You need the chunks one by one, as futures or as delayed objects, and one task per pair. A task gets the chunk itself as its argument.

# %% [markdown] tags=["hint-2"] exercise="09.6"
# `X.to_delayed().ravel()` is a one-dimensional array of delayed chunks. `client.compute(list(…))` turns them into futures that stay on the workers, and `client.map` takes several lists
# of futures.

# %% [markdown] tags=["hint-3"] exercise="09.6"
# `chunks = client.compute(list(X.to_delayed().ravel()))`, the same for y; `models = client.map(train, chunks, chunks_of_y)`; return
# `client.gather(models)`.

# %% tags=["run"] anchor="native-trainer"
def train(X, y):
    """A solver in C++, liblinear of scikit-learn, stands in for the MPI library: it gets one chunk."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(solver="liblinear"))
    return model.fit(as_numpy(X), as_numpy(y))


if X is not None and ready("09.6", train_each):
    with lab.traffic() as traffic:
        began = time.perf_counter()
        models = train_each(lab.client, X, labels, train)
        seconds = time.perf_counter() - began
    sample, true = as_numpy(features[:50_000].compute()), as_numpy(late[:50_000].compute())
    chances = np.mean([model.predict_proba(sample)[:, 1] for model in models], axis=0)
    print(f"{len(models)} models in {seconds:.1f} s; {traffic.bytes:,} bytes came, X has {X.nbytes / 1e6:.0f} MB")
    print(f"together, {np.mean((chances > 0.5) == true):.1%} right on the first 50,000 flights")
    print(f"always saying \"not late\": {1 - true.mean():.1%}")

# %% [markdown]
# **Explain:** each model has seen only its own chunk. Here the mean of their predicted probabilities decides. A
# library written for MPI would continue from here: its ranks exchange gradients (lessons 06 and 08 do that with
# allreduce). The flights that it predicts are among those it was trained on, so the percentage says nothing about
# next year.
#
# **Change:** call `train_each(lab.client, features, late, train)` without `one_per_worker`. How many models do you get, and which part of the year does each one know?

# %% [markdown] anchor="buffers"
# ## 7. What a message is made of
#
# mpi4py has two versions of each operation. In lower case, `comm.send(obj)` takes any object: it is *pickled* into bytes, sent, and unpickled. With
# a capital letter, `comm.Send(array)` takes a **buffer**: memory that is sent without conversion. The receiver provides memory of the right size: `comm.Recv(array)`.
#
# **Predict:** two ranks send an array of 32 MB back and forth. How many times as long does it take with pickling as with buffers?

# %% tags=["predict"]
predict("09.d", 3)  # SOLUTION

# %% tags=["run"]
def to_and_fro(comm, n, repeats):
    """Rank 0 sends, rank 1 sends back: the shortest time with buffers, and pickled."""
    import time

    import numpy as np

    array, back, other = np.arange(float(n)), np.empty(n), 1 - comm.rank
    fastest = [float("inf"), float("inf")]
    for _ in range(repeats):
        for kind in (0, 1):
            comm.barrier()
            began = time.perf_counter()
            for sender in (0, 1):
                if comm.rank == sender:
                    comm.Send(array, other) if kind == 0 else comm.send(array, other)
                elif kind == 0:
                    comm.Recv(back, other)
                else:
                    back = comm.recv(source=other)
            fastest[kind] = min(fastest[kind], time.perf_counter() - began)
    return fastest


run = run_mpi(to_and_fro, 4_000_000, 5)
buffers, pickles = run.results[0]
print(f"buffers {1e3 * buffers:.1f} ms, pickles {1e3 * pickles:.1f} ms, 64 MB in all ({run.where})")
compare("09.d", round(pickles / buffers, 1), "times")

# %% [markdown]
# **Explain:** pickling copies the array into new memory, and unpickling copies it again, for each message. On one
# machine the "network" is memory as well, so the copies are the cost. Measure your own case: for small objects the
# difference is microseconds, and any object can be pickled.
#
# ### A failure without an error
#
# A buffer is *memory*. Shape, type and order do not travel. What arrives when you send a transposed table?

# %% tags=["run"] anchor="silent-failure"
def send_transposed(comm):
    import numpy as np

    table = np.arange(6).reshape(2, 3).T  # 3 × 2; its memory is still that of the 2 × 3 table
    if comm.rank == 0:
        comm.Send(table, 1)
        return table
    found = np.empty((3, 2), dtype=table.dtype)
    comm.Recv(found, 0)
    return found


run = run_mpi(send_transposed)
sent, arrived = run.results
print("sent:\n", sent, "\narrived:\n", arrived)
print(f"the same numbers in the same places: {np.array_equal(sent, arrived)}")

# %% [markdown]
# No error, no warning, but the numbers are in the wrong places. If the receiver has too little memory, that *is* an error. This cell is meant to fail:

# %% tags=["run"]
def too_small(comm):
    import numpy as np

    if comm.rank == 0:
        comm.Send(np.zeros(10), 1)
    else:
        comm.Recv(np.empty(5), 0)


with lessons.expect_failure():
    run_mpi(too_small)

# %% [markdown] exercise="09.7" title="Any array, as a buffer" topic="messages"
# ### Exercise 09.7 · Any array, as a buffer (12 min)
#
# Write a pair of functions for NumPy arrays of **any shape, order and type of number** (in the byte order of this machine). The
# receiver does not know what to expect. Send a short description first (pickled, below 1 kB), then the numbers as one
# buffer.

# %% tags=["exercise"] exercise="09.7"
def send_array(comm, array, to):
    """Send an array to a rank; the numbers go as a buffer."""
    ### BEGIN SOLUTION
    comm.send((array.shape, array.dtype.str), dest=to)
    comm.Send(np.ascontiguousarray(array), dest=to)
    ### END SOLUTION


def receive_array(comm, source):
    """Return the next array that this rank sends: same numbers, shape and type."""
    ### BEGIN SOLUTION
    shape, dtype = comm.recv(source=source)
    array = np.empty(shape, dtype=dtype)
    comm.Recv(array, source=source)
    return array
    ### END SOLUTION

# %% tags=["check"] exercise="09.7"
check("09.7", send_array, receive_array)

# %% [markdown] tags=["hint-1"] exercise="09.7"
# What does the receiver need to know to allocate memory with `np.empty`? What must the sender do so that the memory has the expected order?

# %% [markdown] tags=["hint-2"] exercise="09.7"
# `array.shape` and `array.dtype` are small; send them with `comm.send`. `np.ascontiguousarray(array)` gives an array
# stored row by row (it copies only if needed).

# %% [markdown] tags=["hint-3"] exercise="09.7"
# Sender: shape and dtype as one tuple with `send`, then `comm.Send(np.ascontiguousarray(array), dest=to)`. Receiver:
# `shape, dtype = comm.recv(source=source)`, then `Recv` into `np.empty(shape, dtype)`. Name the source both times.

# %% [markdown] anchor="array-interface"
# **Where does `Send` find the memory?** Each array describes itself: address, type, shape. NumPy has `__array_interface__`; arrays on a GPU have `__cuda_array_interface__`, with an
# address in the GPU's memory. A *CUDA-aware* MPI library sends directly from GPU memory to GPU memory, also over the network. Other libraries need a copy in host memory first.

# %% tags=["run"]
block = da.ones((2, 3)).to_backend().compute()
interface = getattr(block, "__cuda_array_interface__", None) or block.__array_interface__
print({name: interface[name] for name in ("shape", "typestr", "data")})

# %% [markdown] exercise="09.8" title="A message in pieces" topic="messages"
# ### Exercise 09.8 · A message in pieces (12 min)
#
# In C, the count of an MPI message is an `int`: at most 2,147,483,647 numbers. (Calls with larger counts came with MPI 4.0, in 2021.) Besides,
# the receiver can work on the first piece before the last one arrives. This is why MPI4Dask (section 10) splits large
# messages.
#
# Write a pair of functions: a **row** of numbers (one dimension, contiguous) travels in order, in as few buffers of
# at most `most` bytes as possible. `most` is at least the size of one number, but not always a multiple of it. You
# may send one short, pickled description first.

# %% tags=["exercise"] exercise="09.8"
def send_in_pieces(comm, array, to, most):
    """Send a row of numbers in buffers of at most `most` bytes."""
    ### BEGIN SOLUTION
    each = most // array.itemsize
    comm.send((len(array), array.dtype.str, each), dest=to)
    for start in range(0, len(array), each):
        comm.Send(array[start : start + each], dest=to)
    ### END SOLUTION


def receive_in_pieces(comm, source):
    """Return the row that this rank sends in pieces."""
    ### BEGIN SOLUTION
    n, dtype, each = comm.recv(source=source)
    array = np.empty(n, dtype=dtype)
    for start in range(0, n, each):
        comm.Recv(array[start : start + each], source=source)
    return array
    ### END SOLUTION

# %% tags=["check"] exercise="09.8"
check("09.8", send_in_pieces, receive_in_pieces)

# %% [markdown] tags=["hint-1"] exercise="09.8"
# How many numbers fit into `most` bytes? `array.itemsize` is the size of one. The receiver must know how many pieces come, or how long each is.

# %% [markdown] tags=["hint-2"] exercise="09.8"
# `each = most // array.itemsize` numbers per piece; `range(0, len(array), each)` are the starts. A slice that goes
# past the end is simply shorter, so the remainder needs no special case. Send the length, the type and `each` first.

# %% [markdown] tags=["hint-3"] exercise="09.8"
# Both sides have the same loop: `for start in range(0, n, each)`, with `comm.Send(array[start:start + each], dest=to)` and
# `comm.Recv(array[start:start + each], source=source)`. A slice of a row is a view, so `Recv` fills the array itself. MPI keeps the order of messages from one rank to
# another.

# %% [markdown] anchor="event-loop"
# ## 8. Waiting without standing in the way
#
# A Dask worker talks to many others at the same time, in one thread. That is what **asyncio** is for: an *event loop* runs *coroutines* (`async def`), one at a time; at
# an `await` a coroutine can pause, and another one runs.

# %% tags=["run"]
async def count_to(n, name, told):
    for number in range(n):
        told.append(f"{name}{number}")
        await asyncio.sleep(0)  # let others have a turn


async def both():
    told = []
    await asyncio.gather(count_to(3, "a", told), count_to(3, "b", told))
    return told


print(run_coroutine(both()))

# %% [markdown] anchor="handshake"
# Dask's schedulers and workers listen and connect in this way. Here is a small "scheduler" that welcomes two "workers" at the same time:

# %% tags=["run"]
async def handshake():
    told = []

    async def welcome(reader, writer):  # one coroutine per connection
        name = (await reader.readline()).decode().strip()
        told.append(f"scheduler: {name} has come")
        writer.write(f"welcome, {name}\n".encode())
        await writer.drain()
        writer.close()

    async def worker(name, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"{name}\n".encode())
        told.append(f"{name}: {(await reader.readline()).decode().strip()}")
        writer.close()

    server = await asyncio.start_server(welcome, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        await asyncio.gather(worker("worker-0", port), worker("worker-1", port))
    return told


print("\n".join(run_coroutine(handshake())))

# %% [markdown] exercise="09.9" title="Messages for an event loop" topic="event-loop"
# ### Exercise 09.9 · Messages for an event loop (12 min)
#
# `comm.Recv` blocks: while it waits, the event loop stands still, and with it every other conversation. MPI has *non-blocking* operations for that: `comm.Isend(array, dest)` and
# `comm.Irecv(array, source)` start the operation and return a **request** at once. `request.Test()` returns whether
# it is done; calling it also lets MPI make progress. MPI knows nothing about event loops, so you have to poll, and
# yield in between. These are the two coroutines of MPI4Dask. Write them.

# %% tags=["exercise"] exercise="09.9"
async def send_and_yield(comm, array, to):
    """Send a contiguous array as a buffer; other coroutines have their turn until it is done."""
    ### BEGIN SOLUTION
    request = comm.Isend(array, dest=to)
    while not request.Test():
        await asyncio.sleep(0)
    ### END SOLUTION


async def receive_and_yield(comm, array, source):
    """Receive into the array; other coroutines have their turn until it is filled."""
    ### BEGIN SOLUTION
    request = comm.Irecv(array, source=source)
    while not request.Test():
        await asyncio.sleep(0)
    ### END SOLUTION

# %% tags=["check"] exercise="09.9"
check("09.9", send_and_yield, receive_and_yield)

# %% [markdown] tags=["hint-1"] exercise="09.9"
# Start the operation, then loop: while it is not done, let other coroutines run, then test again. Call `Test` once per turn; `Wait` would block.

# %% [markdown] tags=["hint-2"] exercise="09.9"
# `await asyncio.sleep(0)` lets every other ready coroutine run first. Without `await`, you only get a warning.

# %% [markdown] tags=["hint-3"] exercise="09.9"
# `Isend(array, dest=to)` returns a request at once. While its `Test()` is false, `await asyncio.sleep(0)`. The same with `Irecv(array, source=source)`.

# %% [markdown]
# **Predict:** rank 1 receives with your coroutine, and the message arrives after 0.2 seconds. Meanwhile, another coroutine counts its turns. Without `await asyncio.sleep(0)`
# (a plain `while not request.Test(): pass`), how many turns does it get in that time?

# %% tags=["predict"]
predict("09.e", 0)  # SOLUTION

# %% tags=["run"] anchor="starvation"
def turns_while_waiting(comm, receive):
    """Rank 0 sends after 0.2 s. Rank 1 counts the turns of another coroutine until then."""
    import asyncio
    import time

    import numpy as np

    if comm.rank == 0:
        time.sleep(0.2)
        comm.Send(np.ones(10), 1)
        return None

    async def main():
        turns = 0

        async def other():
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        beside = asyncio.ensure_future(other())
        await receive(comm, np.empty(10), 0)
        beside.cancel()
        return turns

    return asyncio.run(main())


async def receive_and_block(comm, array, source):
    request = comm.Irecv(array, source=source)
    while not request.Test():
        pass


if ready("09.9", send_and_yield, receive_and_yield):
    starved = run_mpi(turns_while_waiting, receive_and_block)
    served = run_mpi(turns_while_waiting, receive_and_yield)
    print(f"turns of the other coroutine: {served.results[1]:,} with your coroutine ({served.where})")
    display(compare("09.e", starved.results[1], "turns"))

# %% [markdown]
# **Explain:** one line decides whether a worker can still answer the scheduler. (Polling has a cost: it keeps a core
# busy. TCP needs no polling, because the operating system wakes the event loop.)

# %% [markdown] anchor="dask-mpi"
# ## 9. Dask, started by MPI
#
# **dask-mpi** starts Dask as an MPI program: `mpiexec -n 4 python program.py`. Rank 0 becomes the scheduler, rank 1 continues with the program (it is the client), and
# ranks 2, 3, … become workers. On a supercomputer where only `mpiexec` or `srun` may start processes on other nodes, this is a way to start Dask.
#
# **Predict:** how many workers does `mpiexec -n 4` give?

# %% tags=["predict"]
predict("09.f", 2)  # SOLUTION

# %% [markdown]
# The classic example of the MPI4Dask authors adds an array to its transpose: block (i, j) needs block (j, i), so blocks must travel. They call the program `cupy_sum_mpi.py` for GPUs and
# `numpy_sum_mpi.py` for CPUs. With Dask, one expression does both. (`protocol="tls"`: the scheduler listens on the
# network. Without encryption and credentials, anyone who can reach it could run code as you. `run_script` has created
# credentials for this run.)

# %% tags=["run"]
program = """
from dask_mpi import initialize

initialize(nthreads=1, dashboard=False, protocol="tls")  # ranks 0, 2 and 3 stay in this line

import dask.array as da
from distributed import Client

with Client() as client:
    client.wait_for_workers(2)
    x = da.arange(1000 * 1000, chunks=250_000).reshape(1000, 1000).rechunk((500, 500))
    print("workers:", len(client.ncores()))
    print("they speak:", client.scheduler.address.split(":")[0])
    print("sum of x + x.T:", (x + x.T).sum().compute())
"""
lines = run_script(program, n_ranks=4)
if lines:
    display(compare("09.f", int(lines[0].split()[-1]), "workers"))

# %% tags=["run"]
x = da.arange(1000 * 1000, chunks=250_000).reshape(1000, 1000).rechunk((500, 500)).to_backend()
whole = np.arange(1000 * 1000).reshape(1000, 1000)
print("on this lesson's workers:", int((x + x.T).sum().compute()), "· NumPy:", (whole + whole.T).sum())

# %% [markdown] anchor="kind-mpi"
# To get the same with a scheduler that outlives the ranks, a card in the panel, and credentials that no command line shows, use `gpucluster.create("mpi", n_workers=2)`, or
# `gpucluster create --backend mpi --n-workers 2` in a terminal. Each worker is then a rank, and tasks may use MPI.
#
# ### The command line that starts it
#
# The slides start their programs with `mpirun_rsh`, the launcher of the MPI library MVAPICH2:
#
# ```
# LD_PRELOAD=/opt/mpi/lib64/libmpi.so mpirun_rsh -export-all -np 4 -hostfile hosts MV2_USE_CUDA=1
#   MV2_CPU_BINDING_LEVEL=SOCKET MV2_CPU_BINDING_POLICY=SCATTER python cupy_sum_mpi.py
# ```
#
# | word | read by | meaning |
# |---|---|---|
# | `LD_PRELOAD=…` | the system | load this MPI library before any other |
# | `-export-all` | launcher | give all variables of this shell to the ranks |
# | `-np 4` | launcher | four ranks |
# | `-hostfile hosts` | launcher | the file with the names of the nodes; the command can list the names instead |
# | `MV2_USE_CUDA=1` | MVAPICH2 | messages may be in GPU memory |
# | `MV2_USE_GDRCOPY=1`, `MV2_GPUDIRECT_GDRCOPY_LIB=…` | MVAPICH2 | copy small messages with this library (GDRCopy) |
# | `MV2_CPU_BINDING_LEVEL`, `_POLICY` | MVAPICH2 | which cores a rank may use: spread over the sockets |
# | `python cupy_sum_mpi.py` | each rank | the program and its arguments |

# %% [markdown] exercise="09.10" title="Read a launch command" topic="dask-on-mpi"
# ### Exercise 09.10 · Read a launch command (10 min)
#
# Write `read_launch`: it parses such a command (given as one line). The launcher's options are those in the table, in
# any order. The launcher may be given with its path. Each `NAME=VALUE` before `python` is an environment variable,
# before or after the launcher's name; no name occurs twice. A value may contain `=`. The value, or all of
# `NAME=VALUE`, may be in quotes, which are not part of it. Everything from `python` on belongs to the program, even
# if it looks like a launcher option or a variable. The program uses dask-mpi's `initialize`, as above.

# %% tags=["exercise"] exercise="09.10"
def read_launch(line):
    """Return a dictionary.

    ranks        the number after -np, an int
    workers      how many workers dask-mpi makes of these ranks, an int
    environment  dictionary: name to value, both text
    program      list of words, from "python" on
    """
    ### BEGIN SOLUTION
    import shlex

    words = shlex.split(line)
    start = words.index("python")
    before = words[:start]
    ranks = int(before[before.index("-np") + 1])
    environment = dict(word.split("=", 1) for word in before if "=" in word)
    return {"ranks": ranks, "workers": ranks - 2, "environment": environment, "program": words[start:]}
    ### END SOLUTION

# %% tags=["check"] exercise="09.10"
check("09.10", read_launch)

# %% [markdown] tags=["hint-1"] exercise="09.10"
# Split the line into words first. `line.split()` breaks quoted values; Python's `shlex` module splits as a shell does.

# %% [markdown] tags=["hint-2"] exercise="09.10"
# `words.index("python")` is where the program begins. Look for everything else before that position. `word.split("=", 1)` splits at the first `=`.

# %% [markdown] tags=["hint-3"] exercise="09.10"
# `before = words[:start]`; `int(before[before.index("-np") + 1])`; `dict(word.split("=", 1) for word in before if "=" in word)`; two ranks are scheduler and client.

# %% tags=["run"]
slides = (
    "LD_PRELOAD=/opt/mpi/lib64/libmpi.so mpirun_rsh -export-all -np 4 -hostfile hosts MV2_USE_CUDA=1 "
    "MV2_CPU_BINDING_LEVEL=SOCKET MV2_CPU_BINDING_POLICY=SCATTER python cupy_sum_mpi.py"
)
if ready("09.10", read_launch):
    import shlex

    found = read_launch(slides)
    settings = [f"{name}={value}" for name, value in found["environment"].items()]
    words = ["srun", f"--ntasks={found['ranks']}", "env", *settings, *found["program"]]
    print("With Slurm:", shlex.join(words))
    print(found["workers"], "workers")

# %% [markdown] anchor="comm-backend"
# ## 10. Dask *over* MPI?
#
# dask-mpi starts processes; it does not carry their messages. Above, the processes used TLS although MPI had started them. Could Dask's own messages travel over MPI?
#
# What carries messages in Dask is a *comm backend*: a class for one end of a connection, selected by the prefix of an
# address, `tcp://` or `tls://`. The next cell shows which are installed here, and what such a class must have:

# %% tags=["run"]
from distributed.comm.core import Comm
from distributed.comm.registry import backends

print("protocols:", ", ".join(sorted(backends)), "· mpi among them:", "mpi" in backends)
print("this lesson's address begins with", lab.client.scheduler.address.partition("://")[0])
print("a class for mpi:// would need:", ", ".join(sorted(Comm.__abstractmethods__)))

# %% [markdown] anchor="claims"
# **Dask has no `mpi://`**: the two proposals of 2020 and 2021, a demonstration (dask/distributed, pull request 4142)
# and MPI4Dask from Ohio State University (4461), were never merged. MPI4Dask survives as a modified copy of an older
# Dask, which its authors offer for download. Its coroutines are those of 09.9, its pieces those of 09.8, its connections those of the handshake.
#
# What was gained? Their paper (Shafi and others, CCGrid 2021, arXiv 2101.08878) compares it with UCX, Dask's protocol for fast networks at that time (UCX-Py, no longer developed):
#
# | measured | where | MPI4Dask is faster by |
# |---|---|---|
# | one message of 1 byte, and of 2 MB and more | – | 6 ×, 4 × |
# | sum of a CuPy array and its transpose; merge of cuDF tables; averages | 1 to 6 workers, NVIDIA V100 | 3.47 ×, 3.11 × |
# | the same two | 1 to 32 workers, Quadro RTX 5000, Frontera | 1.71 ×, 2.91 × |
#
# Read such a table with four questions. Compared with *what*? Messages, or the whole application? On how many workers, and does the gain hold? Would you still use the other side today?
#
# **A related idea that needs no new protocol:** leave Dask's control messages on TCP, and let tasks that run at the same time use collectives among themselves. cuML (with NCCL) and `gpucluster.learn` do this. MPI4cuML (the same
# group, MLHPC 2020) replaced NCCL's allreduce, reduce and broadcast inside cuML's `fit()` with those of MVAPICH2-GDR, for k-means, nearest neighbours and truncated SVD.

# %% [markdown] anchor="benchmarks"
# ### Their benchmarks, on your cluster
#
# The merge is started with `--runs 20 --chunk-size 1_000_000_00`.
#
# **Predict:** how many rows is that, read as a Python number?

# %% tags=["predict"]
predict("09.g", 100_000_000)  # SOLUTION

# %% tags=["run"]
compare("09.g", 1_000_000_00, "rows per chunk")

# %% [markdown]
# One hundred million: underscores are allowed between any two digits. The slides have one more mistake: "Sum of
# Pandas DataFrame [CPU]" shows `python dask-cudf_sum_mpi.py`, the name of a GPU program. Here are small versions of all three. The same lines run on NumPy and pandas, or CuPy and cuDF.

# %% tags=["run"]
def three_times(work):
    """Run it once to warm up, then three times; the seconds of the three."""
    found = []
    for number in range(4):
        began = time.perf_counter()
        result = work()
        found.append(time.perf_counter() - began)
    return result, found[1:]


square = da.random.default_rng(0).random((2000, 2000), chunks=(1000, 1000)).to_backend().persist()
rows = datasets.flights(2, columns=["carrier", "tailnum", "arr_delay"]).persist()
planes = datasets.planes(columns=["tailnum", "seats"])
measured = {
    "x + x.T": lambda: float((square + square.T).sum().compute()),
    "merge": lambda: len(rows.merge(planes, on="tailnum")),
    "sum of a table": lambda: float(rows["arr_delay"].sum().compute()),
}
for name, work in measured.items():
    result, seconds = three_times(work)
    print(f"{name:16}{result:14,.0f}   {', '.join(f'{value:.2f}' for value in seconds)} s")

# %% [markdown] anchor="overhead"
# ## 11. How much slower is it?
#
# The slides end with: *"Achieving the same result with ~10% overhead compared to pure MPI based distribution."* They
# do not give the amount of data, the number of nodes, or the number of repeats. What is *your* overhead? The loop of k-means (lesson 06), ten iterations, on every second pixel of a photo, in four ways:
#
# * **MPI**: two ranks, started by `mpiexec`;
# * **workers as ranks**: the same function on the workers, with another **communicator** and no notebook in between;
# * **futures**: one task per chunk and iteration; the notebook merges;
# * **small chunks**: the same, with 24 chunks.
#
# A single measurement proves nothing, so set the rules first:

# %% [markdown] exercise="09.11" title="Say nothing without repeats" topic="honest-overhead"
# ### Exercise 09.11 · Say nothing without repeats (10 min)
#
# Write `summary` and `verdict`. `verdict` compares Dask with MPI:
#
# * fewer than 3 measurements of one of them: `"cannot say"`;
# * the ranges from lowest to highest overlap or touch: `"cannot say"`;
# * otherwise `"slower"` or `"faster"`, for Dask.

# %% tags=["exercise"] exercise="09.11"
def summary(seconds):
    """Return three numbers: median, lowest and highest of a list of measurements."""
    ### BEGIN SOLUTION
    return float(np.median(seconds)), min(seconds), max(seconds)
    ### END SOLUTION


def verdict(dask_seconds, mpi_seconds):
    """Return "slower", "faster" or "cannot say"."""
    ### BEGIN SOLUTION
    if min(len(dask_seconds), len(mpi_seconds)) < 3:
        return "cannot say"
    if min(dask_seconds) > max(mpi_seconds):
        return "slower"
    if max(dask_seconds) < min(mpi_seconds):
        return "faster"
    return "cannot say"
    ### END SOLUTION

# %% tags=["check"] exercise="09.11"
check("09.11", summary, verdict)

# %% [markdown] tags=["hint-1"] exercise="09.11"
# The median is the middle value in sorted order; for an even number of values, the mean of the middle two. For the verdict, check the number of measurements first.

# %% [markdown] tags=["hint-2"] exercise="09.11"
# Two ranges do not overlap if the lowest value of one is greater than the highest of the other. If these are equal, the ranges touch.

# %% [markdown] tags=["hint-3"] exercise="09.11"
# `np.median(seconds)`, `min(seconds)`, `max(seconds)`. "slower" only if both have at least three, and `min(dask_seconds) > max(mpi_seconds)`.

# %% tags=["run"] anchor="two-communicators"
from gpucluster.lessons.material.pictures import load_photo
from gpucluster.lessons.probes.kmeans import kmeans_futures, kmeans_seconds  # the loop, and a clock around it

pixels = load_photo().reshape(-1, 3)[::2] / 255
first = pixels[:: len(pixels) // 8][:8]
under_mpi = run_ranks(kmeans_seconds, pixels, first, 5)
on_workers = run_on_workers(kmeans_seconds, pixels, first, 5)
print(under_mpi, on_workers, sep="\n")
runs = {
    "MPI": under_mpi.results[0],
    "workers as ranks": on_workers.results[0],
    "futures, 2 chunks": kmeans_futures(lab.client, pixels, 2, first, 5),
    "futures, 24 chunks": kmeans_futures(lab.client, pixels, 24, first, 3),
}
times = {name: seconds for name, (seconds, _) in runs.items()}
apart = max(np.abs(centroids - runs["MPI"][1]).max() for _, centroids in runs.values())
print(f"the centroids of the four ways differ by {apart:.1e} at most")
figures.repeats(times)

# %% tags=["run"]
if ready("09.11", summary, verdict):
    base, *_ = summary(times["MPI"])
    for name, seconds in times.items():
        median, lowest, highest = summary(seconds)
        print(f"{name:20}{len(seconds)} times, median {median:.2f} s, {lowest:.2f} to {highest:.2f} s")
        if name != "MPI":
            print(f"{'':20}{median / base:.1f} times MPI: {verdict(seconds, times['MPI'])}")

# %% [markdown]
# **Explain:** all four give the same numbers. They differ in what happens *between* two iterations. Ranks exchange 8
# × 4 numbers and continue. Futures go through the scheduler and the notebook, which takes a few milliseconds per
# round; with 24 chunks, each round is 24 tasks. Is this "10 %"? That depends on how long one iteration computes, and
# so on your data. The overhead of a round is a number of milliseconds, not a percentage. If the data is ten times
# larger, the percentage is about ten times smaller.
#
# **Change:** tile the pixels four times (`np.tile(pixels, (4, 1))`), and run the two cells again. Which bars move closer together?

# %% [markdown] anchor="which-one"
# ## 12. Which one, when?
#
# | | MPI | Dask |
# |---|---|---|
# | the work is | the same for all ranks, known in advance | tasks of different kinds, decided at run time |
# | data | one array, split once | tables, files, many steps |
# | a process dies | the program ends | its tasks run elsewhere |
# | more workers later | not in a running program | yes |
# | communication | you write it; as fast as the network | done for you; a few milliseconds per round |
# | you work in | a batch job | a notebook, or a batch job |
#
# Often the answer is *both*: Dask for reading, cleaning and features; ranks for the loop in the middle, in tasks that run at the same time.

# %% [markdown] tags=["keypoints"]
# ## Key points
#
# * MPI: n copies of one program, which call the same operations. Dask: one program, tasks, a scheduler. Each collective has a translation.
# * `Split` makes communicators of some ranks: one color per group, numbered from 0 again.
# * One receiver needs n − 1 rounds, a tree log₂(n). Merge on the workers, not in the notebook.
# * Never `X.compute()` to give a library its data: one task per chunk, on the worker that holds it; only models travel.
# * `Send` sends memory, `send` pickles. Shape, type and order do not travel with a buffer: make it contiguous and describe it.
# * Non-blocking: start, `Test`, yield with `await asyncio.sleep(0)`, test again.
# * dask-mpi starts Dask with MPI; rank 0 is the scheduler, rank 1 the client. Dask's messages do not travel over MPI there.
# * Overhead is milliseconds per round, not percent. Repeat at least three times, report median and range, and claim nothing if the ranges overlap.

# %% tags=["quiz"]
lessons.quiz("09")

# %% tags=["cards"]
lessons.cards("09")

# %% [markdown] anchor="where-it-runs"
# ### Laptop, one GPU, cluster
#
# * **Laptop:** two ranks and two workers share your cores. With `pip install 'gpucluster[mpi]'` the ranks are real processes of MPICH; without it, threads with mailboxes.
# * **One GPU:** the same cells. Chunks are arrays in GPU memory; MPI ranks compute on the host. Ask your site whether
#   its MPI can send from GPU memory (is *CUDA-aware*); the MPI of the extra `mpi` cannot.
# * **Run on a GPU:** not yet.
# * **Cluster:** `gpucluster create --backend mpi` within an allocation, or `srun python program.py` with dask-mpi. Load the site's MPI module and an mpi4py built with it: with
#   another MPI, each rank believes it is the only one.

# %% tags=["run"]
lab.close()

# %% [markdown] tags=["instructor"]
# ### For the instructor
#
# * **Goal:** learners can translate a line of MPI into Dask and state the cost of each, and they distrust a percentage without repeats.
# * **Time:** 10 two worlds and hello · 8 for 09.1 · 10 for 09.2 · 15 for 09.3 · 10 for 09.4 · 8 for 09.5 · 12 for 09.6 = 75, with 5 to spare. Second session: 15 for section 7's
#   reading and 09.7 · 12 for 09.8 · 15 for 09.9 · 15 for section 9 with 09.10 · 10 for section 10 · 10 for 09.11 and the study, quiz.
# * **If you run late:** leave out 09.2 and 09.8; read 09.10 together. 09.11 is good homework: each learner brings their own table.
# * **On the projector:** the first picture, on a blackboard if you have one; eight learners stand up and play the master, then the tree (clap once per round). In
#   section 11 have everyone guess the ratio before the cell runs, then collect the tables: the spread between laptops is the lesson.
# * **Common mistakes:** `own >= 0` (09.1); colors of rows and columns swapped (09.2); a tree that loses the last rank if n is not a power of two, or merges in the wrong
#   order (09.3: `merge(received, value)`); `functools.reduce` over futures, which is a chain, not a tree (09.4); chunks rounded up (09.5); `X.compute()` (09.6: right models, but the number of bytes shows it);
#   a transposed array sent without a copy (09.7: no error); `most` taken as a number of items (09.8); `asyncio.sleep(0)` without `await` (09.9); the program's `-np` taken as the launcher's (09.10); medians compared while
#   ranges overlap (09.11).
# * **Without MPI:** every exercise counts as usual; `hello` and the dask-mpi program report that they cannot be started, and section 11 compares the workers with themselves.
# * **Stale in the slides, corrected here:** `X.compute()` for single chunks (section 6); "TCP and UCX" as Dask's protocols, with UCX-Py (section 10; UCX now needs `distributed-ucxx`); `dask-cudf_sum_mpi.py` for pandas; June 2020: Summit and
#   Sierra were numbers 2 and 3 of the TOP500, Fugaku was number 1.
