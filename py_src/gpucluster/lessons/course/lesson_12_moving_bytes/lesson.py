# ---
# jupyter:
#   gpucluster:
#     lesson: "12"
#     title: "Moving bytes: copies, links, zero-copy"
#     minutes: 155
#     needs: cpu
#     topics:
#       staying: {title: Data that stays on the device, link: "12#staying"}
#       alpha-beta: {title: "Links: latency and bandwidth", link: "12#alpha-beta"}
#       link-speeds: {title: Speeds from data sheets, link: "12#data-sheets"}
#       paths: {title: "Ways between two places, and the words for them", link: "12#paths"}
#       allreduce-cost: {title: What an allreduce costs, link: "12#allreduce"}
#       zero-copy: {title: One memory for two libraries, link: "12#zero-copy"}
#       shuffled-bytes: {title: Bytes that a merge moves, link: "12#merge"}
#       staging: {title: "Files: stages, pieces, direct ways", link: "12#staging"}
#       ucx-options: {title: Options of UCX, link: "12#ucx"}
#     objectives:
#       - count how often data crosses between host and device, and remove crossings
#       - measure links with a ping-pong, and fit latency and bandwidth
#       - calculate from a data sheet how long a move takes
#       - identify the path that data takes between two places, and how often it is staged
#       - calculate when a ring beats a tree
#       - share memory between libraries, and prove that nothing was copied
#       - predict the bytes that a merge sends between workers
#       - overlap the stages of a data path, and explain what GPUDirect Storage and DALI change
#       - translate old UCX options into current ones
# ---

# %% [markdown]
# # Moving bytes: copies, links, zero-copy
#
# **155 minutes** (52 of reading, 103 of writing) · you need: NumPy, lesson 02 (Dask arrays, workers), and what a rank is (lesson 09, sections 1 and 2)
#
# If you have 85 minutes, work through sections 1 to 4. Sections 5 to 9 are a second session, and are independent of each other.
#
# After this lesson, you can
#
# * **count** how often data crosses between host and device, and **remove** crossings;
# * **measure** links with a ping-pong, and **fit** latency and bandwidth;
# * **calculate** from a data sheet how long a move takes;
# * **identify** the path that data takes between two places, and how often it is staged;
# * **calculate** when a ring beats a tree;
# * **share** memory between libraries, and **prove** that nothing was copied;
# * **predict** the bytes that a merge sends between workers;
# * **overlap** the stages of a data path, and **explain** what GPUDirect Storage and DALI change;
# * **translate** old UCX options into current ones.
#
# Work from top to bottom. Where you see `...`, it is your turn. `check`, `hint` and `solution` help, as in the other lessons. Unless an exercise says
# otherwise, a function must not change its arguments, and must return the same result each time.
#
# **What is measured here, and what is not.** The cells measure all transports on this machine, shared memory between
# libraries, the bytes of a merge and the overlap of stages. Speeds of NVLink, PCIe and InfiniBand come from data
# sheets, and anything calculated from them is labelled as calculated.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("12")

# %% [markdown]
# The output above shows what you are running on. `lab.client` is an ordinary Dask client. Without `lab`, you would write
# `client = Client(LocalCluster(n_workers=2))`. The rest of this notebook is the same everywhere. A *device* is a GPU
# with its own memory; the *host* is the machine around it.
#
# <details><summary>Helpers in this lesson, and what they do</summary>
#
# | here | without our helper |
# |---|---|
# | `with lab.traffic() as traffic:` | `client.run(lambda dask_worker: list(dask_worker.transfer_outgoing_log))`: each worker's log of what it sent. Add up `total` for the entries with an empty `who`: these went to the notebook |
# | `bytes_between_workers(client, table)` | the same logs, but the entries whose `who` is a worker |
# | `as_numpy(value)` | nothing if the blocks are already NumPy arrays; otherwise the library's own conversion to NumPy. For small results only |
# | `ready("…", f)` | only our lessons need it: prints a message and returns False until you have written `f` |
#
# </details>

# %% tags=["run"]
import sys
import tempfile
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa

from gpucluster.lessons import as_numpy, check, compare, expect_failure, hint, predict, solution
from gpucluster.lessons.checking import ready
from gpucluster.lessons.figures import links as figures
from gpucluster.lessons.figures import staging as draw_stages
from gpucluster.lessons.material.links import LINKS
from gpucluster.lessons.probes.links import Link, measure_links, measure_workers, registered
from gpucluster.lessons.probes.transfers import bytes_between_workers
from gpucluster.lessons.simulations.ranks import run_mpi
from gpucluster.lessons.simulations.staging import Stage

KB, MB, GB, TB = 10**3, 10**6, 10**9, 10**12

# %% [markdown] anchor="staying"
# ## 1. What if the data stayed where it is?
#
# A RAPIDS slide asks: "What if we could keep data on the GPU?" To see why this matters, count **crossings**. In the
# pipeline below, each step needs its data on the device or on the host, or takes it where it is. The host reads the
# table.
#
# | step | runs on | input |
# |---|---|---|
# | filter | device | 800 MB |
# | `.to_pandas()`, then a loop in Python | host | 600 MB |
# | normalise | device | 600 MB |
# | rename columns | any | 600 MB |
# | train | device | 600 MB |
# | plot | host | 1 MB |
#
# **Predict:** how often does data cross between host and device?

# %% tags=["predict"]
predict("12.a", 4)  # SOLUTION

# %% [markdown] exercise="12.1" title="Count the crossings" topic="staying"
# ### Exercise 12.1 · Count the crossings (6 min)
#
# Write `crossings`. `steps` is a list of `(name, place, n_bytes)` with `place` `"device"`, `"host"` or `"any"`, and
# `n_bytes` the size of its input. The data begins at `start`. A step runs at its place, and its result stays there. A
# step with `"any"` runs where the data is. Return two numbers: the number of crossings, and the total bytes that
# cross.

# %% tags=["exercise"] exercise="12.1"
def crossings(steps, start):
    """Return how often data crosses between host and device, and the bytes that cross."""
    ### BEGIN SOLUTION
    at, count, total = start, 0, 0
    for _, place, n_bytes in steps:
        if place not in ("any", at):
            at, count, total = place, count + 1, total + n_bytes
    return count, total
    ### END SOLUTION

# %% tags=["check"] exercise="12.1"
check("12.1", crossings)

# %% [markdown] tags=["hint-1"] exercise="12.1"
# Keep the location of the data in a variable. When does a step move the data?

# %% [markdown] tags=["hint-2"] exercise="12.1"
# A step with `"any"` changes nothing. Any other step whose place differs from the data's makes one crossing, of the input bytes of *this* step.

# %% [markdown] tags=["hint-3"] exercise="12.1"
# `at = start`; for each step: if `place not in ("any", at)`, add 1 and `n_bytes`, and set `at = place`.

# %% tags=["run"]
pipeline = [("filter", "device", 800 * MB), ("loop", "host", 600 * MB), ("normalise", "device", 600 * MB),
            ("rename", "any", 600 * MB), ("train", "device", 600 * MB), ("plot", "host", 1 * MB)]
stays = [(name, "device" if name == "loop" else place, n_bytes) for name, place, n_bytes in pipeline]
if ready("12.1", crossings):
    for words, steps in {"as it is": pipeline, "the loop written as columns": stays}.items():
        count, n_bytes = crossings(steps, "host")
        print(f"{words}: {count} crossings, {n_bytes / MB:,.0f} MB")
    display(compare("12.a", crossings(pipeline, "host")[0], "crossings"))

# %% [markdown]
# **Explain:** one step in the middle costs two crossings: there and back. Hence the rule: *never `.to_pandas()` in
# the middle of a pipeline*. In Dask, `.compute()` in the middle is the same mistake, because it brings everything
# into the notebook. You can measure that on any machine. (`lab.traffic()` reads the workers' own logs,
# `dask_worker.transfer_outgoing_log`, and adds up the results that went to the notebook.)

# %% tags=["run"]
block = da.random.default_rng(12).random(1_000_000, chunks=250_000).to_backend().persist()
with lab.traffic() as staying:
    total = float(((block * 2) ** 2).sum().compute())
with lab.traffic() as leaving:
    doubled = as_numpy((block * 2).compute())  # out, to the notebook ...
    again = float((da.from_array(doubled, chunks=250_000).to_backend() ** 2).sum().compute())  # ... and back
print(f"stays on the workers: {staying.bytes:,} bytes came to the notebook")
print(f"leaves in the middle: {leaving.bytes:,} bytes came to the notebook, and as many went back")
print(f"the same result: {np.isclose(total, again)}")

# %% [markdown] anchor="alpha-beta"
# ## 2. A ruler for links: latency and bandwidth
#
# `lab.traffic()` counts bytes from the workers' logs. How long do these bytes take? A link has a **latency** α, the
# seconds that even an empty message costs, and a **bandwidth** β, the bytes per second of a very long message. A
# message of n bytes takes about
#
# > t = α + n / β
#
# This is the **α–β model**. It is measured with a **ping-pong**: one side sends n bytes, and the other sends them back. Half of the time is one way. The best-known ping-pongs are the
# *OSU Micro-Benchmarks* (**OMB**, since 2003): `osu_latency` reports microseconds, `osu_bw` megabytes per second. (**INAM**,
# since 2015, comes from the same group: it monitors the InfiniBand network of a whole machine and shows which jobs
# load which links.)

# %% [markdown] exercise="12.2" title="Your own osu_latency" topic="alpha-beta"
# ### Exercise 12.2 · Your own `osu_latency` (10 min)
#
# Write `ping_pong`, a function of an MPI communicator with two ranks (lesson 09). Rank 0 sends a **buffer** of `n_bytes` bytes (`comm.Send`) to rank 1, which sends it back. Do
# this `warm_up` times without timing, because the first messages also open connections, then `repeats` times. Rank 0 returns the seconds of **one way**, on
# average over the repeats. Rank 1 may return anything. `clock()` returns the time in seconds.

# %% tags=["exercise"] exercise="12.2"
def ping_pong(comm, n_bytes, repeats, warm_up, clock):
    """Return on rank 0 the seconds of one way, on average."""
    ### BEGIN SOLUTION
    message = np.zeros(n_bytes, dtype=np.uint8)
    other = 1 - comm.rank
    for number in range(warm_up + repeats):
        if number == warm_up:
            began = clock()
        if comm.rank == 0:
            comm.Send(message, dest=other)
            comm.Recv(message, source=other)
        else:
            comm.Recv(message, source=other)
            comm.Send(message, dest=other)
    return (clock() - began) / repeats / 2
    ### END SOLUTION

# %% tags=["check"] exercise="12.2"
check("12.2", ping_pong)

# %% [markdown] tags=["hint-1"] exercise="12.2"
# Write one round trip first: what does rank 0 do, what does rank 1 do, and in which order? Both need memory of `n_bytes` bytes.

# %% [markdown] tags=["hint-2"] exercise="12.2"
# `message = np.zeros(n_bytes, dtype=np.uint8)` allocates it. Rank 0: `Send`, then `Recv`. Rank 1: `Recv`, then `Send`. Both do it `warm_up + repeats` times; read the clock after the first
# `warm_up`.

# %% [markdown] tags=["hint-3"] exercise="12.2"
# Two loops, one after the other: `for _ in range(warm_up)`, then `began = clock()`, then `for _ in range(repeats)`. The result is `(clock() - began) / repeats / 2`.

# %% [markdown]
# Now measure. `measure_links` plays ping-pong with each Dask transport registered here, between this notebook and a
# second process on this machine. `gpucluster+unix` is our own transport over Unix sockets, the default of your
# cluster. `tls` is `tcp` with encryption. `ws` uses websockets. `inproc` is for workers that are threads of the same
# process.
# Your ping-pong measures two ranks of MPI. (With plain Dask, one message is `await comm.write(x)` and `await comm.read()`, after `comm = await distributed.comm.connect(address)`. With
# other packages, other transports appear in the list. If `mpi://` is registered, it is measured between two ranks.)
#
# **Predict:** for a message of 16 MB, how many times as long as `tcp` does `tls` take?

# %% tags=["predict"]
predict("12.b", 2)  # SOLUTION

# %% tags=["run"] anchor="ping-pong"
SIZES = (1, 1 * KB, 10 * KB, 100 * KB, 1 * MB, 4 * MB, 16 * MB)


def sweep(comm, play, sizes):
    import time

    runs = [[play(comm, n_bytes, 4, 1, time.perf_counter) for _ in range(5)] for n_bytes in sizes]
    # The shortest: other programs can only make one longer.
    return [min(seconds) for seconds in runs] if comm.rank == 0 else None


measured = measure_links(SIZES)
if ready("12.2", ping_pong):
    run = run_mpi(sweep, ping_pong, SIZES)
    measured["MPI"] = Link("MPI", SIZES, tuple(run.results[0]), run.where)
for name, link in measured.items():
    shortest, longest = 1e6 * link.seconds[0], 1e3 * link.seconds[-1]
    print(f"{name:16} {link.where:36} {shortest:9,.0f} µs for 1 B {longest:8.2f} ms for 16 MB")
figures.links(measured)
compare("12.b", round(measured["tls"].seconds[-1] / measured["tcp"].seconds[-1], 1), "times")

# %% [markdown]
# **Explain:** both axes are logarithmic. Each transport has a flat part on the left, where only the latency matters,
# and a slope on the right, where only the bandwidth matters. `inproc` has no slope at all: the object that arrives
# *is* the object that was sent, and nothing is copied.

# %% tags=["run"]
for name, link in measured.items():
    print(f"{name:16} what arrives is the same object: {link.same_object}")

# %% [markdown] exercise="12.3" title="Fit a link" topic="alpha-beta"
# ### Exercise 12.3 · Fit a link (12 min)
#
# 1. `fit_link(sizes, seconds)` returns α (seconds) and β (bytes per second) for which the sum of the squares of the **relative** errors, (α + n / β − t) / t, is as small as possible. The
#    errors are relative because 1 ms is negligible for a message that takes a second, but huge for one that takes 0.1
#    ms.
# 2. `half_size(alpha, beta)` returns the message size, in bytes, that reaches **half** of the bandwidth: n divided by its time is β / 2.
#
# The model is linear in α and in 1 / β: any least-squares tool works, with the right weights. `sizes` and `seconds` are arrays or lists; the sizes are in any order, the seconds in the same order.

# %% tags=["exercise"] exercise="12.3"
def fit_link(sizes, seconds):
    """Return latency (s) and bandwidth (bytes per second) of a link."""
    ### BEGIN SOLUTION
    sizes, seconds = np.asarray(sizes, dtype=float), np.asarray(seconds, dtype=float)
    per_byte, alpha = np.polyfit(sizes, seconds, 1, w=1 / seconds)
    return alpha, 1 / per_byte
    ### END SOLUTION


def half_size(alpha, beta):
    """Return the size in bytes of a message that reaches half of the bandwidth."""
    ### BEGIN SOLUTION
    return alpha * beta
    ### END SOLUTION

# %% tags=["check"] exercise="12.3"
check("12.3", fit_link, half_size)

# %% [markdown] tags=["hint-1"] exercise="12.3"
# Without weights: `np.polyfit(sizes, seconds, 1)` returns the slope and intercept of the best straight line. Which of them is α, and what is the other? For `half_size`, write
# n / (α + n / β) = β / 2 and solve for n.

# %% [markdown] tags=["hint-2"] exercise="12.3"
# Dividing an error by t before squaring it is a weight of 1 / t. `np.polyfit` has the argument `w` for this. With `np.linalg.lstsq`, divide each row and its right-hand side by t.

# %% [markdown] tags=["hint-3"] exercise="12.3"
# `per_byte, alpha = np.polyfit(sizes, seconds, 1, w=1 / seconds)`, with both as arrays of floats; β is `1 / per_byte`. At `alpha * beta` bytes, latency and transfer take the same time.

# %% tags=["run"]
fits = {}
if ready("12.3", fit_link([1.0, 2.0], [1.0, 2.0]), half_size(1.0, 1.0)):
    for name, link in measured.items():
        if link.same_object:
            continue  # no slope: there is no bandwidth to be fitted
        sizes, seconds = np.array(link.sizes), np.array(link.seconds)
        alpha, beta = fits[name] = fit_link(sizes, seconds)
        large = sizes >= 100 * KB
        off = seconds[large] - (alpha + sizes[large] / beta)
        r2 = 1 - (off**2).sum() / ((seconds[large] - seconds[large].mean()) ** 2).sum()
        half = half_size(alpha, beta) / KB
        print(f"{name:16} α {1e6 * alpha:7,.0f} µs  β {beta / GB:6.2f} GB/s  half at {half:7,.0f} kB  R² of the large {r2:5.2f}")
figures.links({name: link for name, link in measured.items() if name in fits}, fits)

# %% [markdown] anchor="naive-fit"
# ### A failure without an error
#
# What does the unweighted fit give for the same numbers?

# %% tags=["run"]
for name, link in measured.items():
    if not link.same_object:
        slope, intercept = np.polyfit(link.sizes, link.seconds, 1)
        print(f"{name:16} without weights, α = {1e6 * intercept:8,.0f} µs; 1 byte took {1e6 * link.seconds[0]:8,.0f} µs")

# %% [markdown]
# **Explain:** these latencies miss the times beside them by tens of per cent or more, and change from run to run. On
# a busy machine some are below zero, as if a message arrived before it was sent. The fit follows the largest
# messages, because their errors are the largest; the small ones hardly count. There is no error and no warning. Look
# at the errors in the unit that matters to you.
#
# ### When the model itself is wrong
#
# On Linux, `ws` may have surprised you: small messages take about 20 ms, a message of 100 kB a fiftieth of that. No α and β can describe this, and the fit shows it: dots far from the line. A Dask message consists of several small pieces.
# *Nagle's algorithm* in the sender holds back the second piece until the first has been acknowledged, and the receiver delays the acknowledgement by 40 ms, hoping
# to send it together with an answer. Dask's `tcp` and `tls` switch this off (`TCP_NODELAY`); its websockets do not
# (as of distributed 2026.8). A model that does not fit is a finding: look at the dots before you trust the line.
#
# **Change:** run `measure_links(schemes=["tcp"])` again while something else runs. Which of the two numbers suffers?

# %% [markdown] anchor="backends"
# ### Which transports are there?
#
# Older slides say: "Dask Distributed library provides support for communication: TCP: Tornado-based; UCX: built using a Cython wrapper called UCX-Py." Check:

# %% tags=["run"]
print("registered here:", ", ".join(registered()))

# %% [markdown]
# Any installed package can add a transport with an entry point. `gpucluster+unix` and `mpi` come from gpucluster: sockets on one machine, and messages between the ranks of one MPI program (`gpucluster create --backend mpi --protocol mpi`). (`gpucluster`
# in the list only looks up a cluster by name.) `ucx` is always in the list, but choosing it raises an error: UCX-Py
# was archived in 2025, and `protocol="ucx"` now needs the package `distributed-ucxx` (section 9). A registered
# transport does not always work. The workers of *your* cluster use:

# %% tags=["run"]
print("this lesson's cluster speaks", lab.client.scheduler.address.split("://")[0])

# %% [markdown]
# How fast is it between two of them? With `measure_workers`, one worker sends blocks to another, in the same way as results. It is the part of `gpucluster bench` that measures messages.

# %% tags=["run"]
between = measure_workers(lab.client, SIZES)
if between is not None:
    print(f"{between.where}: {1e6 * between.seconds[0]:,.0f} µs for 1 B, {1e3 * between.seconds[-1]:.2f} ms for 16 MB")
    if ready("12.3", fit_link([1.0, 2.0], [1.0, 2.0])):
        alpha, beta = fit_link(between.sizes, between.seconds)
        print(f"α {1e6 * alpha:,.0f} µs, β {beta / GB:.2f} GB/s (measured)")

# %% [markdown]
# In a terminal, `gpucluster bench --transports unix,tls,tcp,mpi` starts a cluster for each of these transports and
# measures in turn messages, a transpose, a merge, a shuffle and k-means. It prints one table and writes a page with
# the fits. Run it before you choose a transport for a machine.

# %% [markdown] anchor="data-sheets"
# ## 3. Speeds from data sheets
#
# For links that you do not have, there are data sheets, but their units differ:
#
# * **PCIe** counts *transfers*: 16 GT/s means 16 × 10⁹ bits per second **per lane**, and 128 of every 130 bits are data (PCIe 3.0 to 5.0). A card usually has 16 lanes. The figure is for one direction.
# * **InfiniBand** and **Ethernet** count *bits*: HDR is 200 Gb/s, with eight bits to a byte. HDR100 is half of that (two lanes instead of four). The figure is for one direction.
# * **NVLink** is given in *bytes*, and as the **sum of both directions** of all links of a GPU: 900 GB/s for an H100.
#
# **Predict:** 900 GB/s (NVLink, H100) against PCIe 5.0 ×16. How many times as fast is NVLink, in one direction?

# %% tags=["predict"]
predict("12.c", 7)  # SOLUTION

# %% [markdown] exercise="12.4" title="From a data sheet to seconds" topic="link-speeds"
# ### Exercise 12.4 · From a data sheet to seconds (10 min)
#
# `link` is a dictionary: `"value"` in `"unit"`, which is `"GT/s"`, `"Gb/s"` or `"GB/s"` (giga is always 10⁹). For
# `"GT/s"`, the value is per lane, `"lanes"` is the number of lanes, and `encoding[0]` of every `encoding[1]` bits are
# data. In the other two units, the value is for all lanes together, and all of it is data. If `"both_directions"` is
# true, the value is the sum of both directions, which are equal.
#
# Write `one_way(link)`: bytes per second in one direction; and `seconds_to_move(n_bytes, link)`: the seconds that `n_bytes` bytes take, without latency.

# %% tags=["exercise"] exercise="12.4"
def one_way(link):
    """Return bytes per second in one direction."""
    ### BEGIN SOLUTION
    speed = link["value"] * 1e9
    if link["unit"] == "GT/s":
        data, bits = link["encoding"]
        speed *= link["lanes"] * data / bits
    if link["unit"] != "GB/s":
        speed /= 8
    return speed / 2 if link["both_directions"] else speed
    ### END SOLUTION


def seconds_to_move(n_bytes, link):
    """Return the seconds that n_bytes bytes take over this link, one way."""
    ### BEGIN SOLUTION
    return n_bytes / one_way(link)
    ### END SOLUTION

# %% tags=["check"] exercise="12.4"
check("12.4", one_way, seconds_to_move)

# %% [markdown] tags=["hint-1"] exercise="12.4"
# There are three units and one result: bytes per second, one way. Which of the units must be divided by 8? Which one has lanes and an encoding?

# %% [markdown] tags=["hint-2"] exercise="12.4"
# PCIe 4.0 ×16: 16 × 10⁹ × 16 lanes × 128 / 130 / 8 = 31.5 × 10⁹ bytes per second. (The slides' "32 GB/s" ignores the encoding.)

# %% [markdown] tags=["hint-3"] exercise="12.4"
# Begin with `speed = link["value"] * 1e9`. For `"GT/s"`, multiply by the lanes and by `encoding[0] / encoding[1]`. Unless the unit is `"GB/s"`, divide by 8. If it includes both directions, divide by 2.

# %% tags=["run"]
if ready("12.4", one_way(LINKS["PCIe 4.0 ×16"])):
    found = {name: one_way(link) for name, link in LINKS.items()}
    figures.speeds(found, 1 * TB)
    h100 = found["NVLink, H100"]
    hours = seconds_to_move(1000 * TB, LINKS["InfiniBand NDR"]) / 3600
    print(f"1 PB over one NDR link: {hours:.1f} hours (calculated)")
    print(f"1 GB over 10 GbE: {1000 * seconds_to_move(GB, LINKS['Ethernet 10 GbE']):,.0f} ms (calculated)")
    display(compare("12.c", round(h100 / found["PCIe 5.0 ×16"], 1), "times"))

# %% [markdown]
# **Explain:** "900" against "64" is a factor of 14; one way it is 7. Both are on slides. These are upper limits: packets have headers, and memory has to keep up. Measured bandwidths of 80 to 95 % of these are good.
#
# The slides also say that Dask with UCX "enables petabyte-scale GPU data science". A petabyte takes hours over one
# link. It takes less only if **many links work at once**, so the number of workers that each read their own part must
# scale.

# %% [markdown] anchor="paths"
# ## 4. Which way do the bytes take?
#
# **UCX** (Unified Communication X) hides the choice: a program says *send this to that process*, and UCX takes the best transport that both ends have. It
# supports RDMA, TCP, GPU memory, shared memory and atomic operations. To know what to expect from a machine, make the
# choice yourself. The terms are:
#
# | word | what it means |
# |---|---|
# | **UCX**, **MPI** | libraries that carry messages, each by the best of these ways that both ends have; many MPI libraries use UCX underneath |
# | **NVLink** | a link between the GPUs on one machine (and, with switches, of a few machines) |
# | **PCIe** | the bus between GPUs, host, network cards and drives |
# | **shared memory** | two processes on one machine access the same host memory |
# | **RDMA** | a network card reads and writes the other machine's memory without its CPU; InfiniBand and RoCE cards can do this |
# | **GPUDirect RDMA** | the same with the *GPU's* memory: nothing is staged in host memory |
# | **staged** | copied to host memory first, because the next part of the way cannot reach the GPU's |

# %% tags=["run"]
draw_stages.ways()

# %% [markdown] anchor="spot-bypass"
# **Spot the error.** Two statements about such ways:
#
# > "UCX bypasses CPU for GPU data transfers – dramatically reduces latency."
# >
# > "UCXX protocol provides direct GPU memory transfers without host staging."
#
# <details><summary>Answer</summary>
#
# Both are true *where the machine can*: with NVLink, or with a network card and a driver that have GPUDirect RDMA. Otherwise
# UCX stages in host memory or uses TCP, and reports it only on request (`UCX_PROTO_INFO=y`). The CPU still starts
# each transfer, but does not carry the bytes. UCXX is the *Python binding* of UCX, the successor of UCX-Py. Both use
# the same ways.
#
# </details>

# %% [markdown] exercise="12.5" title="Which way?" topic="paths"
# ### Exercise 12.5 · Which way? (12 min)
#
# An end is a dictionary: `"node"` (name of the machine), `"process"` (a number, within the node), `"device"` (`None` if the data is in host memory, otherwise the number of the GPU), `"nvlink"` (the numbers of the GPUs that this GPU reaches by NVLink) and `"card"`, the node's
# network card: `"plain"`, `"rdma"`, or `"gpudirect"` (it also has RDMA). Two processes never share a GPU.
#
# `path(one, other)` returns the word in the first matching row:
#
# | | word |
# |---|---|
# | same node, same process, same memory (both host, or the same GPU) | `"nothing moves"` |
# | same node, both on GPUs, NVLink between them | `"nvlink"` |
# | same node, at least one on a GPU | `"pcie"` |
# | same node | `"shared memory"` |
# | one of the cards is plain | `"tcp"` |
# | at least one is on a GPU, and each end on a GPU has a `"gpudirect"` card | `"gpudirect"` |
# | all others | `"rdma"` |
#
# `host_copies(one, other)` returns how often the data is **staged**: for `"tcp"`, once for each end on a GPU; for `"rdma"`, once for each end on a GPU whose card is not `"gpudirect"`; otherwise 0.

# %% tags=["exercise"] exercise="12.5"
def path(one, other):
    """Return the word for the way between two ends."""
    ### BEGIN SOLUTION
    on_device = [end for end in (one, other) if end["device"] is not None]
    if one["node"] == other["node"]:
        if one["process"] == other["process"] and one["device"] == other["device"]:
            return "nothing moves"
        if len(on_device) == 2 and other["device"] in one["nvlink"]:
            return "nvlink"
        return "pcie" if on_device else "shared memory"
    if "plain" in (one["card"], other["card"]):
        return "tcp"
    if on_device and all(end["card"] == "gpudirect" for end in on_device):
        return "gpudirect"
    return "rdma"
    ### END SOLUTION


def host_copies(one, other):
    """Return how often the data is staged in host memory."""
    ### BEGIN SOLUTION
    way = path(one, other)
    if way not in ("tcp", "rdma"):
        return 0
    ends = [end for end in (one, other) if end["device"] is not None]
    return sum(way == "tcp" or end["card"] != "gpudirect" for end in ends)
    ### END SOLUTION

# %% tags=["check"] exercise="12.5"
check("12.5", path, host_copies)

# %% [markdown] tags=["hint-1"] exercise="12.5"
# Translate the table row by row into `if ...: return ...`, in this order. Then each row can assume that the rows above did not match.

# %% [markdown] tags=["hint-2"] exercise="12.5"
# Collect the ends on GPUs: `on_device = [end for end in (one, other) if end["device"] is not None]`. GPU 0 is a GPU, so compare with `None`. NVLink: `other["device"] in one["nvlink"]`.

# %% [markdown] tags=["hint-3"] exercise="12.5"
# Rows 1 to 4 apply only if `one["node"] == other["node"]`. Row 6: `on_device and all(end["card"] == "gpudirect" for end in on_device)`. `host_copies` counts the ends in `on_device`: all of them for
# `"tcp"`, those without `"gpudirect"` for `"rdma"`.

# %% tags=["run"]
def end(node, process, device=None, nvlink=(), card="gpudirect"):
    return {"node": node, "process": process, "device": device, "nvlink": nvlink, "card": card}


pairs = {
    "two GPUs of a DGX": (end("a", 1, 0, (1, 2, 3)), end("a", 2, 1, (0, 2, 3))),
    "two GPUs of a workstation": (end("a", 1, 0), end("a", 2, 1)),
    "two nodes with InfiniBand": (end("a", 1, 0), end("b", 1, 0)),
    "the same, an older driver": (end("a", 1, 0, card="rdma"), end("b", 1, 0, card="rdma")),
    "two nodes with plain Ethernet": (end("a", 1, 0, card="plain"), end("b", 1, 0, card="plain")),
}
if ready("12.5", path(end("a", 1), end("a", 1)), host_copies(end("a", 1), end("a", 1))):
    for words, (one, other) in pairs.items():
        print(f"{words:30} {path(one, other):14} staged {host_copies(one, other)} times")

# %% [markdown] anchor="interconnects"
# ### Names that you will meet
#
# Which network a site has decides which software it needs. The slides on MVAPICH2, an MPI library, list the networks it supports:
#
# | network | what it is |
# |---|---|
# | **InfiniBand** | a separate network, with RDMA; NVIDIA (once Mellanox) |
# | **Omni-Path** | a separate network, first from Intel, now from Cornelis Networks |
# | **iWARP**, **RoCE** | RDMA over Ethernet: iWARP over TCP, RoCE (*RDMA over Converged Ethernet*) without it |
# | **EFA** | *Elastic Fabric Adapter*, in Amazon's cloud |
# | **Slingshot 10, 11** | Ethernet in HPE's Cray machines; 11 has HPE's own network card |
# | **Rockport** | switchless network; **Broadcom**: Ethernet cards with RoCE |
#
# The platforms are x86, OpenPOWER, ARM, Xeon Phi, and NVIDIA and AMD GPUs. Its variants, with the years from the slides (2022):
#
# | variant | for | since |
# |---|---|---|
# | MVAPICH2-X | MPI combined with languages in which processes share arrays (PGAS) | 2011 |
# | MVAPICH2-GDR | GPUs: NVIDIA since 2014, AMD since 2020; GDR is GPUDirect RDMA | 2014 |
# | MVAPICH2-MIC | Xeon Phi, which is discontinued | 2014 |
# | MVAPICH2-Virt, -EA | virtual machines; saving energy | 2015 |
# | MVAPICH2-Azure, -X-AWS | clouds: InfiniBand on Azure, EFA on Amazon | 2019 |
#
# The project started in 2001 and showed its first version in 2002. Today its releases are called *MVAPICH* (3.0, 4.0,
# 4.1; without the 2), and they use UCX or OFI (two libraries for fast networks) underneath. Names on slides age. Ask
# a site three things: which network, which MPI *with* support for it, and is that MPI **CUDA-aware** (lesson 09)?

# %% [markdown] anchor="allreduce"
# ## 5. Many at once: what an allreduce costs
#
# Lessons 06 and 09 add up over all workers: each has n bytes, and each gets the sum. (In Dask this is point-to-point, directed by its scheduler; within cuML it is an NCCL *collective*. In the end both are messages.) There are two ways, for p ranks:
#
# * **Tree:** reduce along a tree in ⌈log₂ p⌉ rounds, then broadcast back in the same number of rounds. Each message has all n bytes.
# * **Ring:** cut the array into p parts. In 2 (p − 1) steps each rank sends *one part* to its neighbour: after the first half each part is summed up somewhere; in the second half the sums travel round the ring.
#
# Every message costs α + size / β. Messages of the same round or step travel at the same time. (The additions are not counted.)
#
# **Predict:** 16 ranks each have a single number, 8 bytes. Which is faster: `"tree"` or `"ring"`?

# %% tags=["predict"]
predict("12.d", "tree")  # SOLUTION

# %% [markdown] exercise="12.6" title="Tree or ring" topic="allreduce-cost"
# ### Exercise 12.6 · Tree or ring (12 min)
#
# Write the three functions. With one rank there are no messages. `crossover` is for two or more ranks: it returns the size in bytes at which both take the same time, above which the ring is faster, or 0 if the ring is never slower.

# %% tags=["exercise"] exercise="12.6"
def tree_seconds(p, n, alpha, beta):
    """Return the seconds of an allreduce of n bytes over p ranks along a tree."""
    ### BEGIN SOLUTION
    return 2 * (p - 1).bit_length() * (alpha + n / beta)
    ### END SOLUTION


def ring_seconds(p, n, alpha, beta):
    """Return the seconds of an allreduce of n bytes over p ranks around a ring."""
    ### BEGIN SOLUTION
    return 2 * (p - 1) * (alpha + n / p / beta)
    ### END SOLUTION


def crossover(p, alpha, beta):
    """Return the bytes at which both take the same time; 0 where the ring is never slower."""
    ### BEGIN SOLUTION
    rounds = (p - 1).bit_length()
    return max(0, p - 1 - rounds) * alpha * beta / (rounds - (p - 1) / p)
    ### END SOLUTION

# %% tags=["check"] exercise="12.6"
check("12.6", tree_seconds, ring_seconds, crossover)

# %% [markdown] tags=["hint-1"] exercise="12.6"
# Count the messages that wait for each other, then multiply by the cost of one. Tree: how many rounds, how many bytes in each? Ring: how many steps, how many bytes in each?

# %% [markdown] tags=["hint-2"] exercise="12.6"
# Tree: 2 ⌈log₂ p⌉ (α + n / β). Ring: 2 (p − 1) (α + n / (p β)). Set them equal and solve for n. `(p - 1).bit_length()` is ⌈log₂ p⌉ without rounding errors.

# %% [markdown] tags=["hint-3"] exercise="12.6"
# With r = ⌈log₂ p⌉: n = α β (p − 1 − r) / (r − (p − 1) / p). For p = 2 and p = 3 this is 0: a ring of two or three has no more steps than the tree.

# %% tags=["run"]
if ready("12.6", tree_seconds(4, 8, 1e-5, 1e9), ring_seconds(4, 8, 1e-5, 1e9), crossover(4, 1e-5, 1e9)):
    alpha, beta = 5e-6, 12.5 * GB  # assumed: 5 µs and 100 Gb/s
    figures.allreduce(tree_seconds, ring_seconds, 16, alpha, beta, crossover(16, alpha, beta))
    for p in (4, 16, 256):
        print(f"{p:4} ranks: the ring is faster from {crossover(p, alpha, beta) / KB:8,.0f} kB on (calculated)")
    fastest = "tree" if tree_seconds(16, 8, alpha, beta) < ring_seconds(16, 8, alpha, beta) else "ring"
    display(compare("12.d", fastest))

# %% [markdown] anchor="pitzer"
# **Explain:** for small arrays latency dominates, so few rounds win. For large arrays bandwidth dominates, and the ring sends less than 2 n bytes per rank, however many ranks there are. A good library has both methods, and more, and chooses by size.
#
# The slides compare `MPI_Allreduce` of MVAPICH2-GDR with `ncclAllreduce` of NCCL 2 on 8 nodes with 2 V100 each (OSC Pitzer, CUDA 11.6), and say "better/comparable performance for most cases". This
# is a figure by the authors of one of the libraries, with 16 GPUs. Its numbers are not in our source, so we quote
# none. Your formulas show what to look for in such a figure: **two** regions. A library that wins at 8 bytes wins by
# latency (MPI); one that wins at 100 MB wins by bandwidth (NCCL builds rings and trees over NVLink). A comparison at
# one size says nothing about the other.
#
# Here is an allreduce between ranks on this machine, beside the prediction of your formula from the α and β that you measured:

# %% tags=["run"]
def time_allreduce(comm, sizes):
    import time

    import numpy as np

    found = []
    for n_bytes in sizes:
        own, total, taken = np.ones(max(1, n_bytes // 8)), np.empty(max(1, n_bytes // 8)), []
        for _ in range(9):
            comm.barrier()
            began = time.perf_counter()
            comm.Allreduce(own, total)
            taken.append(time.perf_counter() - began)
        found.append(float(np.median(taken[1:])))
    return found


if "MPI" in fits and ready("12.6", ring_seconds(2, 8, 1e-5, 1e9)):
    run = run_mpi(time_allreduce, (8, 8 * KB, 800 * KB, 8 * MB))
    for n_bytes, seconds in zip((8, 8 * KB, 800 * KB, 8 * MB), run.results[0]):
        formula = ring_seconds(2, n_bytes, *fits["MPI"])
        print(f"{n_bytes:10,} bytes: measured {1e6 * seconds:9,.0f} µs, ring by formula {1e6 * formula:9,.0f} µs")
    print(run.where)

# %% [markdown]
# Expect the right order of magnitude, no more. The formula ignores the additions and the memory that both ranks share. If other programs are busy, ranks wait for a core. `gpucluster bench --only allreduce-latency,allreduce-bandwidth` measures the same between the workers of a cluster.

# %% [markdown] anchor="zero-copy"
# ## 6. The fastest copy is none: one memory for two libraries
#
# "Real-world workflows often need to share data between libraries." In one process, nothing has to move at all: an array can show another library **where its memory is**. There are two protocols:
#
# * the **array interface**, a dictionary: NumPy's `__array_interface__` for host memory, `__cuda_array_interface__` for GPU memory. CuPy, cuDF's columns, Numba and PyTorch support it, and mpi4py uses it to find the memory of a buffer;
# * **DLPack**, a small C struct, `__dlpack__()`, with `__dlpack_device__()` to tell where the memory is. Deep-learning frameworks support it, and so do NumPy, CuPy and pyarrow: `np.from_dlpack(x)`.
#
# How do you know that nothing was copied? By **writing through**: change one, look at the other. This runs on a worker, with your workers' array library:

# %% tags=["run"]
def write_through(block):
    """Make a second array of the same memory, by DLPack; write to it, and look at the first."""
    import sys

    block = block.copy()
    library = sys.modules[type(block).__module__.partition(".")[0]]
    other = library.from_dlpack(block)
    other[0] = 42
    device = getattr(block, "__cuda_array_interface__", None)
    interface = device or block.__array_interface__
    return {"library": library.__name__, "the first one now begins with": float(block[0]),
            "interface": {name: interface[name] for name in ("shape", "typestr", "version")}}


future = lab.client.compute(da.zeros(5).to_backend().to_delayed()[0])
lab.client.submit(write_through, future, pure=False).result()

# %% [markdown]
# Next, two different libraries in this notebook: a pyarrow column and a NumPy array.
#
# **Predict:** `column` takes 8 MB. How many MB does `np.from_dlpack(column)` copy?

# %% tags=["predict"]
predict("12.e", 0)  # SOLUTION

# %% tags=["run"]
column = pa.array(np.arange(1_000_000.0))
seen = np.from_dlpack(column)
print(f"addresses: {column.buffers()[1].address:#x} and {seen.ctypes.data:#x}")
print(f"may be written to: {seen.flags.writeable}")
compare("12.e", 0 if column.buffers()[1].address == seen.ctypes.data else seen.nbytes / MB, "MB")

# %% [markdown] anchor="dlpack-failure"
# ### A real failure
#
# Not everything can be shared. DLPack supports numbers and Booleans, but not dates, strings or objects.

# %% tags=["run"]
with expect_failure(BufferError):
    np.from_dlpack(np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]"))

# %% [markdown]
# **Explain:** view the dates as integers (`.view("int64")`, still no copy) and convert them back on the other side.
# Other things also prevent sharing: missing values in an Arrow column (they are in a second buffer), several chunks,
# another device. Then the data is copied, and a good library reports it.
#
# (Lifetime and order also matter. Shared memory must live as long as its user; both protocols keep the owner alive. On a GPU, the owner's kernels must finish before the other library reads: version 3 of the interface and DLPack carry the *stream* for this.)

# %% [markdown] exercise="12.7" title="Both sides of the agreement" topic="zero-copy"
# ### Exercise 12.7 · Both sides of the agreement (12 min)
#
# 1. **Take:** `adopt(producer)` returns a NumPy array that uses the memory of `producer`, without a copy. The producer offers `__dlpack__` (with `__dlpack_device__`), or `__array_interface__`, or both.
# 2. **Offer:** `interface_of(memory, offset, shape, dtype)` returns the dictionary that describes a part of `memory`,
#    a contiguous one-dimensional NumPy array of type `uint8`. The part begins at byte `offset`. Its numbers have the
#    type `dtype` (a `np.dtype`) and this `shape` (a tuple); they are stored row by row, without gaps. The entries:
#
# | | |
# |---|---|
# | `"shape"` | the tuple |
# | `"typestr"` | byte order, kind and size, such as `"<f8"`: `dtype.str` |
# | `"data"` | a tuple: the address of the first number (an `int`), and whether the memory is **read-only** |
# | `"version"` | `3` |
#
# The address of an array's memory is `memory.ctypes.data`; `memory.flags.writeable` is true if it may be written to.

# %% tags=["exercise"] exercise="12.7"
def adopt(producer):
    """Return a NumPy array of the producer's memory."""
    ### BEGIN SOLUTION
    if hasattr(producer, "__dlpack__"):
        return np.from_dlpack(producer)
    return np.asarray(producer)
    ### END SOLUTION


def interface_of(memory, offset, shape, dtype):
    """Return the array interface of a part of memory."""
    ### BEGIN SOLUTION
    return {
        "shape": shape,
        "typestr": dtype.str,
        "data": (memory.ctypes.data + offset, not memory.flags.writeable),
        "version": 3,
    }
    ### END SOLUTION

# %% tags=["check"] exercise="12.7"
check("12.7", adopt, interface_of)

# %% [markdown] tags=["hint-1"] exercise="12.7"
# NumPy has one function for each protocol: `np.from_dlpack` and `np.asarray`. How do you find out which of the two a producer offers? Note that `np.array` copies.

# %% [markdown] tags=["hint-2"] exercise="12.7"
# `hasattr(producer, "__dlpack__")`. For the dictionary: addresses count bytes, and so does `offset`. *Read-only* is the opposite of *writeable*.

# %% [markdown] tags=["hint-3"] exercise="12.7"
# `"data": (memory.ctypes.data + offset, not memory.flags.writeable)` is a tuple of an `int` and a Boolean; the other three entries are `shape`, `dtype.str` and `3`.

# %% tags=["run"]
class Shelf:
    """Memory of another object, which offers a part of it."""

    def __init__(self, memory, *part):
        self.memory = memory  # keeps the memory alive
        self.__array_interface__ = interface_of(memory, *part)


memory = np.zeros(64, dtype=np.uint8)
if ready("12.7", interface_of(memory, 0, (1,), np.dtype("uint8"))):
    table = adopt(Shelf(memory, 16, (2, 3), np.dtype("float64")))
    table[1, 2] = 1.0
    print(table, "\nbytes of the shelf that are not 0:", np.flatnonzero(memory))

# %% [markdown] anchor="merge"
# ## 7. How many bytes does a merge move?
#
# A merge of two large tables on a key needs equal keys on the same worker, so rows move: a **shuffle**. (If one table is small, Dask sends it to all workers instead: a *broadcast*.) If the keys are unordered, a row is already on the right worker with a probability of one in w, for w workers.
#
# The benchmark of the MPI4Dask authors merges chunks of `--chunk-size 1_000_000_00` rows: read the number twice: it is 10⁸. Ours is smaller. Each table here has 300,000 rows with a key and one number, 8 bytes each.
#
# **Predict:** on two workers, how many MB travel between them?

# %% tags=["predict"]
predict("12.f", 7.2)  # SOLUTION

# %% tags=["run"]
rng = np.random.default_rng(12)
n_rows = 300_000
left = pd.DataFrame({"key": rng.permutation(n_rows), "a": rng.random(n_rows)})
right = pd.DataFrame({"key": rng.permutation(n_rows), "b": rng.random(n_rows)})
n_workers = len(lab.client.ncores())
lazy = [dd.from_pandas(table, npartitions=2 * n_workers).persist() for table in (left, right)]
moved = bytes_between_workers(lab.client, lazy[0].merge(lazy[1], on="key", shuffle_method="p2p"))
compare("12.f", round(moved / MB, 1), "MB")

# %% [markdown]
# **Explain:** 2 × 300,000 rows of 16 bytes are 9.6 MB, and half of them move: 4.8 MB. What is missing? The **index** also travels: 8 more bytes per row. 2 × 300,000 × 24 / 2 = 7.2 MB, and a few per cent for headers. (`bytes_between_workers` adds up the workers' own logs, with
# `gpucluster.profile`. `shuffle_method="p2p"` sends each row once, straight to its worker. With `"tasks"` instead,
# more bytes travel here: try it. If you see another 1.2 MB, an idle worker took over a partition of 75,000 rows from
# the other one before it was split. This is Dask's *work stealing*.)

# %% [markdown] exercise="12.8" title="Predict a shuffle" topic="shuffled-bytes"
# ### Exercise 12.8 · Predict a shuffle (8 min)
#
# Write `shuffled_bytes(left, right, n_workers)`: the bytes that a merge of two pandas tables is expected to send between workers. Count each row with all its columns (they are numbers, of various sizes) **and** 8 bytes of index. In
# both tables, one in `n_workers` rows is already on the right worker.
#
# The check also has your workers merge two tables. Your result must be within 20 %.

# %% tags=["exercise"] exercise="12.8"
def shuffled_bytes(left, right, n_workers):
    """Return the bytes that a merge is expected to send between workers."""
    ### BEGIN SOLUTION
    rows = sum(len(table) * (8 + sum(dtype.itemsize for dtype in table.dtypes)) for table in (left, right))
    return rows * (n_workers - 1) / n_workers
    ### END SOLUTION

# %% tags=["check"] exercise="12.8"
check("12.8", shuffled_bytes)

# %% [markdown] tags=["hint-1"] exercise="12.8"
# Multiply the bytes of one row by the number of rows, for both tables, then by the share of rows that have to move.

# %% [markdown] tags=["hint-2"] exercise="12.8"
# `table.dtypes` are the types of the columns, and each has an `itemsize`. With one worker nothing moves; with w, the share (w − 1) / w.

# %% [markdown] tags=["hint-3"] exercise="12.8"
# `len(table) * (8 + sum(dtype.itemsize for dtype in table.dtypes))` for each table, added up, times `(n_workers - 1) / n_workers`.

# %% tags=["run"]
if ready("12.8", shuffled_bytes(left, right, 2)):
    print(f"predicted {shuffled_bytes(left, right, n_workers) / MB:.1f} MB, measured {moved / MB:.1f} MB")
    slim = shuffled_bytes(left.astype({"a": "float32"}), right.astype({"b": "float32"}), n_workers)
    print(f"with float32 instead of float64: {slim / MB:.1f} MB")
    print(f"on 8 workers: {shuffled_bytes(left, right, 8) / MB:.1f} MB")
    one = pd.DataFrame({"key": [0], "a": [0.0]})
    chunks = shuffled_bytes(one, one, 8) * 1_000_000_00
    print(f"one such chunk of each table, on 8 workers: {chunks / GB:.1f} GB (calculated)")

# %% [markdown]
# **Change:** drop columns before the merge, not after it. Which is easier to reduce in your own work: rows or bytes per row?

# %% [markdown] anchor="staging"
# ## 8. From the drive to the device: stages, pieces, direct ways
#
# A file on its way to a GPU goes through **stages**: the drive reads it into host memory, and the bus carries it to the device. In one piece, the stages take turns. In **pieces**, they overlap: while the second piece is read, the first one is carried. Then the whole transfer takes about as long as the
# *slowest* stage alone. The speeds in the picture are chosen: an NVMe drive with 6 GB/s, and PCIe 4.0 with 25 GB/s; 20 µs for each piece in each stage.

# %% tags=["run"]
way = [Stage("NVMe → host", 20e-6, 6 * GB), Stage("host → device", 20e-6, 25 * GB)]
print("SIMULATED: speeds as in the text")
draw_stages.lanes(1 * GB, 1 * GB, way)
draw_stages.lanes(1 * GB, 125 * MB, way)

# %% [markdown]
# Move the slider (it needs a running kernel). **Predict:** which is best: `"few"` pieces, `"some"`, or `"as many as possible"`?

# %% tags=["predict"]
predict("12.g", "some")  # SOLUTION

# %% tags=["run"]
draw_stages.explore_pieces(1 * GB, way)

# %% [markdown] exercise="12.9" title="The time of a staged way" topic="staging"
# ### Exercise 12.9 · The time of a staged way (12 min)
#
# Write `staged_seconds(n_bytes, piece, stages)`. `stages` is a list of `(startup, speed)`: a piece of n bytes takes `startup + n / speed` seconds in that stage. All
# pieces have `piece` bytes; only the last one may be smaller. They keep their order, and a stage handles one piece at
# a time. A piece enters a stage as soon as it has left the previous stage **and** the stage is free. There is room
# for all pieces between the stages. Return the time when the last piece leaves the last stage.

# %% tags=["exercise"] exercise="12.9"
def staged_seconds(n_bytes, piece, stages):
    """Return the seconds until all bytes have gone through all stages."""
    ### BEGIN SOLUTION
    free = [0.0] * len(stages)  # when each stage is free again
    for begin in range(0, n_bytes, piece):
        size = min(piece, n_bytes - begin)
        arrived = 0.0
        for number, (startup, speed) in enumerate(stages):
            arrived = free[number] = max(arrived, free[number]) + startup + size / speed
    return free[-1]
    ### END SOLUTION

# %% tags=["check"] exercise="12.9"
check("12.9", staged_seconds)

# %% [markdown] tags=["hint-1"] exercise="12.9"
# Play it on paper with three pieces and two stages. Which two things does a piece wait for before it enters a stage?

# %% [markdown] tags=["hint-2"] exercise="12.9"
# For each stage, keep the time when it is free again. A piece leaves a stage at `max(when it arrived, when the stage is free) + startup + size / speed`. At that time it arrives at the next stage, and this stage is free.

# %% [markdown] tags=["hint-3"] exercise="12.9"
# Write two loops: the outer one over pieces (`for begin in range(0, n_bytes, piece)`, with `size = min(piece, n_bytes - begin)`), the inner one over stages. `free = [0.0] * len(stages)`; the result is `free[-1]`.

# %% tags=["run"]
if ready("12.9", staged_seconds(10, 5, [(0, 1)])):
    pairs = [(stage.startup, stage.speed) for stage in way]
    times = {count: staged_seconds(GB, -(-GB // count), pairs) for count in (1, 4, 60, 1000, 16000)}
    for count, seconds in times.items():
        print(f"{count:6,} pieces: {1000 * seconds:6.1f} ms (calculated)")
    display(compare("12.g", "some" if min(times, key=times.get) not in (1, 16000) else "few"))

# %% [markdown]
# **Explain:** few pieces overlap little; too many pay the startup too often. The best size lies in between, in a wide
# valley, so you do not need the exact optimum. Now with a real file: one thread reads pieces while another works on
# the previous piece (a checksum stands in for the second stage). The disk is too fast to show the effect, so each read also waits for 15 ms, as on a busy shared file system. (That wait is chosen.)

# %% tags=["run"]
folder = Path(tempfile.mkdtemp(prefix="lesson-12-"))
file, PIECE = folder / "data.bin", 8 * MB
file.write_bytes(np.random.default_rng(0).bytes(12 * PIECE))


def pieces():
    """Stage 1: read the pieces of the file."""
    with open(file, "rb", buffering=0) as opened:
        while data := opened.read(PIECE):
            time.sleep(0.015)
            yield data


def second(data, before):
    """Stage 2: go on with the checksum."""
    return zlib.adler32(data, zlib.crc32(data, before))


def in_turns(work):
    value = 0
    for data in pieces():
        value = work(data, value)
    return value


def overlapped(work):
    value, source = 0, pieces()
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, source, None)
        while (data := coming.result()) is not None:
            coming = reader.submit(next, source, None)  # read the next one, while ...
            value = work(data, value)  # ... this one is worked on
    return value


def seconds_of(way, work):
    began = time.perf_counter()
    value = way(work)
    return time.perf_counter() - began, value


first_only, _ = min(seconds_of(in_turns, lambda data, before: 0) for _ in range(3))
turns, one = min(seconds_of(in_turns, second) for _ in range(3))
overlap, other = min(seconds_of(overlapped, second) for _ in range(3))
print(f"in turns   {turns:.2f} s for {12 * PIECE / MB:.0f} MB in 12 pieces")
print(f"overlapped {overlap:.2f} s, the same checksum: {one == other}")
if ready("12.9", staged_seconds(10, 5, [(0, 1)])):
    measured_stages = [(0, 12 * PIECE / first_only), (0, 12 * PIECE / max(turns - first_only, 1e-9))]
    expected = staged_seconds(12 * PIECE, PIECE, measured_stages)
    print(f"your function says {expected:.2f} s, from the times of the two stages alone")
file.unlink()

# %% [markdown] anchor="gds"
# ### GPUDirect Storage: one stage less
#
# **GPUDirect Storage** (GDS) lets the drive write straight into GPU memory, without the detour through a *bounce buffer* in host memory (the last row of the picture in section 4). In Python, use **KvikIO**; cuDF's readers use it as well.
#
# **Spot the error:**
#
# > "GDS: NVMe → GPU without CPU copy; eliminates PCIe bottleneck for large reads."
#
# <details><summary>Answer</summary>
#
# The first half is right. The second is not: drive and GPU are both connected by PCIe, and every byte still crosses
# it. Only the copy in host memory goes away, with the second crossing of the host, the memory bandwidth and the CPU
# time that it takes. The bottleneck is often the drive itself. An NVMe drive has four lanes, at most 7.9 GB/s with
# PCIe 4.0; it takes four drives to fill the sixteen lanes of a GPU.
#
# </details>
#
# It needs a supported file system (local ext4 or XFS, Lustre, some others), the kernel module `nvidia-fs`, and large,
# aligned reads. If one of these is missing, cuFile and KvikIO fall back to **compatibility mode**: ordinary reads and
# a copy, with the same result and no error. So check whether you really use it:

# %% tags=["run"] anchor="gds-probe"
def direct_storage():
    """Say on a worker whether files go straight to the device."""
    try:
        import kvikio.defaults
    except ImportError:
        return "KvikIO is not installed here: files are read into host memory"
    mode = str(getattr(kvikio.defaults, "compat_mode", lambda: "unknown")())
    return f"KvikIO, compatibility mode: {mode}"


print(lab.client.submit(direct_storage, pure=False).result())
if ready("12.9", staged_seconds(10, 5, [(0, 1)])):
    drive, bus = (20e-6, 6 * GB), (20e-6, 25 * GB)
    for words, stages, piece in (
        ("one piece, staged", [drive, bus], GB),
        ("pieces, staged", [drive, bus], 16 * MB),
        ("direct", [drive], 16 * MB),
    ):
        print(f"{words:18} {1000 * staged_seconds(GB, piece, stages):6.1f} ms for 1 GB (calculated)")

# %% [markdown] anchor="dali"
# **Explain:** compared with a reader that overlaps well, the direct way saves little *time*. It saves host memory and cores, which others may need. Compared with a reader that does not overlap, it saves the whole second stage.
#
# **DALI**, NVIDIA's *Data Loading Library*, is different: a pipeline that loads **and prepares** data for training
# (decode a JPEG, crop, resize, normalise). It does three things that you already know. It loads ahead
# (`prefetch_queue_depth`, 2 by default; lesson 13 builds this by hand). It runs the stages at the same time. And it
# can decode on the device, so that small compressed images cross the bus instead of large decoded ones. It does not
# make the drive faster: if reading is the slowest stage, it stays the slowest.

# %% [markdown] anchor="ucx"
# ## 9. Options of UCX, old and new
#
# "Optionally configuring networking via the high-performance UCX-Py", say the slides. UCX-Py was archived in September 2025. Its successor is **UCXX**, with the package `distributed-ucxx` for Dask: that is what `protocol="ucx"` uses today, and its options have new names:
#
# | old | today |
# |---|---|
# | `distributed.comm.ucx.nvlink`, … `.infiniband`, `.rdmacm`, `.tcp`, `.cuda-copy`, `.create-cuda-context` | `distributed-ucxx.nvlink`, … |
# | `distributed.rmm.pool-size` | `distributed-ucxx.rmm.pool-size` |
# | `DASK_DISTRIBUTED__COMM__UCX__NVLINK=True` | `DASK_DISTRIBUTED_UCXX__NVLINK=True` |
#
# `LocalCUDACluster(protocol="ucx", enable_nvlink=True, enable_infiniband=True)` sets them for its workers; for most machines `protocol="ucx"` alone is best: UCX then chooses (section 4). For several nodes, start a scheduler with `dask scheduler --protocol ucx`, and `dask cuda worker` on each node. The **client** needs the same options.
#
# What happens if you use an old option? Nothing, and that is the problem:

# %% tags=["run"] anchor="silent-option"
import dask

with dask.config.set({"distributed.comm.ucx.nvlnik": True}):  # with a typo, too
    print("no error:", dask.config.get("distributed.comm.ucx.nvlnik"))

# %% [markdown] exercise="12.10" title="Old options, new names" topic="ucx-options"
# ### Exercise 12.10 · Old options, new names (9 min)
#
# Write `migrate(config)`: it takes a configuration as nested dictionaries, as read from YAML, and returns it with today's names.
#
# 1. Everything in `config["distributed"]["comm"]["ucx"]` moves into `"distributed-ucxx"`, at the top level.
# 2. `config["distributed"]["rmm"]["pool-size"]` moves to `"pool-size"` in `"rmm"` in `"distributed-ucxx"`.
# 3. Existing options in `"distributed-ucxx"` stay: a moved option with the same name is dropped. If both have a dictionary of the same name, this rule applies within it.
# 4. A dictionary that becomes empty because its last entry moved is removed, up to the top. A dictionary that was already empty stays, except `"ucx"` (and any that becomes empty by removing it). If nothing moves, no `"distributed-ucxx"` is created.
# 5. All other settings stay unchanged; `config` itself is not modified.

# %% tags=["exercise"] exercise="12.10"
import copy


def migrate(config):
    """Return the configuration with today's names."""
    ### BEGIN SOLUTION
    new = copy.deepcopy(config)
    distributed = new.get("distributed", {})
    comm, memory = distributed.get("comm", {}), distributed.get("rmm", {})
    had_ucx = "ucx" in comm
    moved = comm.pop("ucx", {})
    if had_ucx and not comm:
        del distributed["comm"]
    if "pool-size" in memory:
        moved.setdefault("rmm", {})["pool-size"] = memory.pop("pool-size")
        if not memory:
            del distributed["rmm"]
    if "distributed" in new and not distributed:
        del new["distributed"]
    if moved:
        today = new.setdefault("distributed-ucxx", {})
        for name, value in moved.items():
            if isinstance(value, dict) and isinstance(today.get(name), dict):
                today[name] = {**value, **today[name]}
            else:
                today.setdefault(name, value)
    return new
    ### END SOLUTION

# %% tags=["check"] exercise="12.10"
check("12.10", migrate)

# %% [markdown] tags=["hint-1"] exercise="12.10"
# Start with `copy.deepcopy(config)`, which you can take apart. Which entries leave it? What becomes empty?

# %% [markdown] tags=["hint-2"] exercise="12.10"
# `comm.pop("ucx", {})` takes out everything that moves by rule 1, and `memory.pop("pool-size")` what moves by rule 2 (`memory` is the dictionary under `"rmm"`). Put both into one dictionary, `moved`. Then clean up, from the inside out, and merge `moved` into `"distributed-ucxx"`.

# %% [markdown] tags=["hint-3"] exercise="12.10"
# For rule 3: `today.setdefault(name, value)` keeps what is there. If both are dictionaries: `today[name] = {**value, **today[name]}`, where the right-hand side wins. Do this only `if moved`.

# %% tags=["run"]
ucx = {"nvlink": True, "infiniband": True, "rdmacm": True}
old = {"distributed": {"comm": {"ucx": ucx, "timeouts": {"connect": "60s"}}, "rmm": {"pool-size": "30GB"}}}
print("old:", old)
if ready("12.10", migrate(old)):
    print("new:", migrate(old))

# %% [markdown] tags=["keypoints"]
# ## Key points
#
# * Count crossings: one step in the wrong place costs two. Data that stays on the device costs none.
# * A message takes α + n / β. Below α × β bytes the latency decides, above it the bandwidth.
# * Fit with relative errors, and look at the dots: a model that does not fit is a finding.
# * Data sheets: bits or bytes, per lane or all, one direction or both. Divide before you compare.
# * Direct ways (NVLink, GPUDirect) exist where the hardware has them; otherwise data is staged, without a warning.
# * Small allreduce: a tree, with few rounds. Large: a ring, with less than 2 n bytes per rank. Ask for both sizes.
# * `__array_interface__` and DLPack share memory. Prove it: write through.
# * A shuffle moves (w − 1) / w of all rows, index included. Drop columns first.
# * With pieces, stages take about as long as the slowest one. GDS avoids host memory, not PCIe; DALI loads ahead and decodes on the device.

# %% [markdown]
# ## Quiz and cards

# %% tags=["quiz"]
lessons.quiz("12")

# %% tags=["cards"]
lessons.cards("12")

# %% [markdown] anchor="where-it-runs"
# ### Laptop, one GPU, cluster
#
# * **Laptop:** transports, shared memory, merges and overlap are measured between processes on this machine, where the "network" is memory. Speeds of links that you do not have are calculated.
# * **One GPU:** the same cells. Section 6 then shares memory on the device; section 8 queries KvikIO on the worker. The ping-pong stays between host memories: with one device there is no second one to send to.
# * **Run on a GPU:** all checks passed on one NVIDIA H100 on 2026-11-26, with RAPIDS 26.10.
# * **Cluster:** `nvidia-smi topo -m` shows which GPUs have NVLink, and which network card is near which GPU. With `distributed-ucxx`, `ucx_perftest` and the OSU benchmarks measure the links themselves; `gpucluster bench --protocol ucx` and `--protocol tcp` measure what your workload gains.
#
# Sources of the figures: PCIe, the PCI-SIG's specifications; InfiniBand, the roadmap of the InfiniBand Trade Association; NVLink, NVIDIA's data sheets for V100, A100 and H100 (SXM); names of options, the README of `distributed-ucxx`; GDS, NVIDIA's documentation of cuFile; lists of networks and
# variants, slides of the MVAPICH project of 2022. No NVLink or InfiniBand was available when this lesson was written, and the lesson shows no measurement of either.

# %% tags=["run"]
folder.rmdir()
lab.close()

# %% [markdown] tags=["instructor"]
# ### For the instructor
#
# * **Goal:** learners ask "how many bytes, over which link, how often?" before "how fast is the GPU?", and can answer with a number.
# * **Time:** 12 section 1 · 38 section 2 · 15 section 3 · 20 section 4 = 85 with a break; second session: 15 section 5 · 15 section 6 · 12 section 7 · 17 section 8 · 10 section 9, quiz.
# * **If you run late:** give the solutions of 12.2 and 12.10; do 12.5 aloud, with a vote on the five machines. 12.6 is good homework.
# * **On the projector:** the dots of section 2, before the fit: can anyone see the strange one (`ws`)? The slider of section 8: from 1 to 60 pieces, then to 16,000. In section 6, have someone claim that `np.array(x)` shares, and write through.
# * **Common mistakes:** 12.1: `"any"` counted as a place, or the bytes of the previous step. 12.2: the round trip instead of one way; the warm-up in the time; pickles. 12.3: no weights, or weights 1 / t² (polyfit squares them itself). 12.4: NVLink not halved, bits for bytes, the encoding forgotten. 12.5: `if
#   end["device"]`, which treats GPU 0 as none. 12.6: `log2` without rounding up; all n bytes in each step of the ring. 12.7: `np.array`; `writeable` instead of read-only. 12.8: no index; 1 / w instead of (w − 1) / w. 12.9: only the maximum of the stages; the last piece taken as a full one. 12.10: the given dictionary is modified; old options win over new ones.
# * **Stale in the slides, corrected here:** UCX by UCX-Py (archived; UCXX); "TCP and UCX" as Dask's transports; "32 GB/s" for PCIe 4.0 (31.5); "UCX bypasses the CPU" and "without host staging" (where the hardware can); GDS "eliminates the PCIe bottleneck" (it does not); MVAPICH2's names (today MVAPICH).
# * **Measured** while this lesson was written: see the output of the cells; all on one machine with two cores, shared by both ends of each link.
