# ---
# jupyter:
#   gpucluster:
#     lesson: "11"
#     title: "GPU memory: pools, spilling, limits"
#     minutes: 110
#     needs: cpu
#     topics:
#       warps: {title: Warps and branches, link: "11#warps"}
#       pools: {title: Pools and fragmentation, link: "11#pools"}
#       pool-sizes: {title: How large a pool may be, link: "11#pool-sizes"}
#       spilling: {title: "Spilling: from the device to the host to the disk", link: "11#spilling"}
#       memory-options: {title: Options that decide about memory, link: "11#options"}
#       freeing: {title: "What holds the memory?", link: "11#views"}
#     objectives:
#       - count the steps of a branch in warps of 32 threads
#       - build the core of a memory pool, and explain why it refuses although enough is free
#       - calculate the size of a pool for a given card
#       - choose which buffers leave a full device, and predict what spilling costs
#       - repair options that today's versions no longer accept
#       - find the variable that keeps memory from being freed
# ---

# %% [markdown]
# # GPU memory: pools, spilling, limits
#
# **110 minutes** (36 of reading, 74 of writing) · you need: NumPy, and lesson 00
#
# If you have 65 minutes, stop after section 4 (exercise 11.5). Sections 5 to 8 are a second session.
#
# After this lesson, you can
#
# * **count** the steps of a branch in warps of 32 threads;
# * **build** the core of a memory pool, and **explain** why it refuses although enough is free;
# * **calculate** the size of a pool for a given card;
# * **choose** which buffers leave a full device, and **predict** what spilling costs;
# * **repair** options that today's versions no longer accept;
# * **find** the variable that keeps memory from being freed.
#
# Work from top to bottom. Where you see `...`, it is your turn. `check("11.1", warp_steps)` checks your answer,
# `hint("11.1")` gives the next of three hints, and `solution("11.1")` shows a solution after the hints. Unless an exercise says otherwise, a function must not change its arguments,
# and must return the same result each time.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("11")

# %% [markdown]
# The output above shows what you are running on. With GPUs, the cells that request device memory use a real one. Without
# GPUs, a **simulation** with the same rules answers, and the output is labelled as simulated. All sizes in bytes are
# exact in both. Times are only shown where they were measured here.
#
# Functions that take `lab` run on one of its workers. In plain Dask you would write `client.submit(f, …).result()`, with `client = Client(LocalCluster(n_workers=2))`.
#
# A *device* or *card* is a GPU with its own memory. The *host* is the machine around it, with the memory that Python uses.

# %% tags=["run"]
import gc

import dask.array as da
import numpy as np
import psutil

from gpucluster.lessons import check, compare, expect_failure, hint, predict, solution
from gpucluster.lessons.figures import gpumemory as figures
from gpucluster.lessons.material.daskcuda import OLD_COMMAND, call_problems, command_problems
from gpucluster.lessons.probes.devicepools import run_trace, time_branches, time_requests
from gpucluster.lessons.probes.hostspilling import spilling_worker
from gpucluster.lessons.probes.references import forget_outputs, who_refers
from gpucluster.lessons.probes.viewpoints import views
from gpucluster.lessons.simulations.devicearrays import Tracer
from gpucluster.lessons.simulations.pool import OwnPool, Pool, replay, times_asked
from gpucluster.lessons.simulations.spilling import use_buffers
from gpucluster.lessons.simulations.warps import run_warps

MB, GB = 10**6, 10**9  # one thousand thousand, as in "500 MB"
MiB, GiB = 2**20, 2**30  # 1024 × 1024, as the driver counts

# %% [markdown] anchor="warps"
# ## 1. Why a GPU prefers all threads to do the same work: warps
#
# A CPU has a few powerful cores. Each runs its own program and is fast at sequential work. A GPU has thousands of
# simple arithmetic units, which do not each have their own program. Its threads run in groups of 32, called
# **warps**. At any moment a warp executes *one* instruction, for all of its threads that need it. This is **SIMT**:
# single instruction, multiple threads. The position of a thread in its warp is a **lane**.
#
# What happens at an `if`? If all 32 threads take the same side, nothing special. If some take side a and others side b, the warp
# **diverges**: it executes side a while the lanes of b wait, then side b while the lanes of a wait.
#
# **Predict:** 128 threads, in 4 warps. About half of the threads, in no particular order, take side a, the others
# side b. Each side has 8 instructions. How many instructions do the 4 warps execute in total?

# %% tags=["predict"]
predict("11.a", 64)  # SOLUTION

# %% tags=["run"]
rng = np.random.default_rng(11)
mixed = rng.random(128) < 0.5
in_order = np.sort(mixed)[::-1]
runs = {"as they come": run_warps(mixed, 8, 8), "sorted by side": run_warps(in_order, 8, 8)}
figures.warps(runs)
compare("11.a", runs["as they come"].issued, "steps")

# %% [markdown]
# **Explain:** each row is a warp, each square a lane. Unsorted, every warp has threads of both sides and executes
# both: 4 × 16 steps, and half of the lanes are always waiting. Sorted, only the warp at the border executes both. The
# work and the result are the same. (Simulated. Since the Volta
# generation the two sides may take turns, but they still do not run at the same moment. For short sides the compiler
# may use other methods, such as executing both sides and keeping one result, as `np.where` does for whole arrays.)

# %% [markdown] exercise="11.1" title="What a branch costs" topic="warps"
# ### Exercise 11.1 · What a branch costs (8 min)
#
# Write `warp_steps`. `takes_a` is an array with one entry per thread: true if the thread takes side a. The first `lanes` threads are the first
# warp, the next ones the second, and so on; the last warp may have fewer threads. A warp executes side a (`steps_a`
# instructions) if at least one of its threads takes it, and side b (`steps_b` instructions) if at least one takes
# that.

# %% tags=["exercise"] exercise="11.1"
def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    """Return how many instructions all warps go through, added up."""
    ### BEGIN SOLUTION
    total = 0
    for begin in range(0, len(takes_a), lanes):
        warp = takes_a[begin : begin + lanes]
        total += steps_a * bool(warp.any()) + steps_b * bool((~warp).any())
    return total
    ### END SOLUTION

# %% tags=["check"] exercise="11.1"
check("11.1", warp_steps)

# %% [markdown] tags=["hint-1"] exercise="11.1"
# Start with one warp: an array of up to 32 entries. When does it execute side a? When side b? When both?

# %% [markdown] tags=["hint-2"] exercise="11.1"
# `range(0, len(takes_a), lanes)` gives the number of the first thread of each warp. A slice that goes past the end of an array is simply shorter.

# %% [markdown] tags=["hint-3"] exercise="11.1"
# `warp = takes_a[begin : begin + lanes]`. Add `steps_a` if `warp.any()`, and add `steps_b` if not `warp.all()`.

# %% tags=["run"]
if (steps := warp_steps(mixed, 8, 8)) is not None:
    print(f"yours: {steps} steps as they come, {warp_steps(in_order, 8, 8)} sorted")
    one_lane = np.zeros(128, dtype=bool)
    one_lane[::32] = True
    print(f"one thread of each warp on a long side (100 steps): {warp_steps(one_lane, 100, 8)} steps")

# %% [markdown]
# **Explain:** one thread in 32 is enough to keep the other 31 waiting. So GPU code is fastest on data in which
# neighbours behave alike: sorted, filtered, or split into one array per case. With a GPU, the next cell measures
# this: the same branches for a million threads.

# %% tags=["run"]
many = rng.random(1_000_000) < 0.5
for order, milliseconds in time_branches(lab, {"as they come": many, "sorted": np.sort(many)}).items():
    print(f"{order}: {milliseconds:.3f} ms")

# %% [markdown] anchor="pools"
# ## 2. Why ask for memory in advance: pools
#
# Every array in a calculation needs memory: not only the result but also the intermediate arrays. On a GPU each
# request goes to the **driver** (`cudaMalloc`), which is slow. Freeing memory (`cudaFree`) waits until the device has
# finished its current work. The slides say: "one can easily
# make hundreds of thousands or even millions of allocations in trivial workflows". Is that true? Let us count.
#
# `Tracer` makes arrays that record each request. As on a device, even a single number, such as a mean, needs memory.
#
# **Predict:** how many requests does `speed_score` make?

# %% tags=["run"]
def speed_score(distance, minutes):
    """How unusual is the speed of each flight?"""
    hours = minutes / 60
    speed = distance / hours
    centred = speed - speed.mean()
    spread = (centred * centred).mean() ** 0.5
    score = centred / spread
    return np.exp(-score)

# %% tags=["predict"]
predict("11.b", 10)  # SOLUTION

# %% tags=["run"]
tracer = Tracer()
distance, minutes = tracer.array(rng.uniform(100, 2500, 50_000)), tracer.array(rng.uniform(30, 400, 50_000))
before = len(tracer.events)
score = speed_score(distance, minutes)
events = tracer.events[before:]
for event in events:
    print(*event[:2], f"{event[2]:,} bytes" if event[0] == "allocate" else "")
compare("11.b", sum(event[0] == "allocate" for event in events), "requests")

# %% [markdown]
# **Explain:** six lines, ten requests: `speed.mean()`, `centred * centred`, its mean, the root and `-score` also need
# memory, although they have no name. Six arrays are freed at the end of the function, and one is the result. With 500 partitions and 20 rounds these six lines make 100,000
# requests: the slides are right.

# %% [markdown] exercise="11.2" title="What a tracer knows" topic="pools"
# ### Exercise 11.2 · What a tracer knows (7 min)
#
# RMM, the memory manager of RAPIDS, keeps six numbers if you turn them on (`rmm.statistics`). Write the function that
# computes them from a list of events: `("allocate", name, bytes)` and `("free", name)`, in order. A name may occur again after it was freed. All sizes are as requested.
#
# | | bytes | number of allocations |
# |---|---|---|
# | not freed at the end | `current_bytes` | `current_count` |
# | the most alive at the same time | `peak_bytes` | `peak_count` |
# | all that were ever allocated | `total_bytes` | `total_count` |

# %% tags=["exercise"] exercise="11.2"
def statistics(events):
    """Return a dictionary with the six numbers; all are 0 for an empty list."""
    ### BEGIN SOLUTION
    live = {}
    sizes, counts = [0], [0]
    total_bytes = total_count = 0
    for action, name, *size in events:
        if action == "allocate":
            live[name] = size[0]
            total_bytes += size[0]
            total_count += 1
        else:
            del live[name]
        sizes.append(sum(live.values()))
        counts.append(len(live))
    return {
        "current_bytes": sizes[-1], "current_count": counts[-1],
        "peak_bytes": max(sizes), "peak_count": max(counts),
        "total_bytes": total_bytes, "total_count": total_count,
    }
    ### END SOLUTION

# %% tags=["check"] exercise="11.2"
check("11.2", statistics)

# %% [markdown] tags=["hint-1"] exercise="11.2"
# What must you remember between two events? A "free" has no size: where do you look it up?

# %% [markdown] tags=["hint-2"] exercise="11.2"
# Keep a dictionary `live` from name to bytes. `sum(live.values())` is the number of bytes alive now, `len(live)` the
# number of allocations. The peak is the largest value that each ever had.

# %% [markdown] tags=["hint-3"] exercise="11.2"
# For "allocate": set `live[name] = bytes` and add to both totals. For "free": `del live[name]`. After each event,
# compare with both peaks. At the end, `live` holds the current allocations.

# %% tags=["run"]
if counted := statistics(events):
    for name, number in counted.items():
        print(f"{name:<14} {number:12,}")

# %% [markdown]
# The peak must fit on the device, not only the result: 50,000 numbers take 400,000 bytes, and six such arrays are alive at once.
#
# A **pool** asks the driver once for a large piece and then hands out parts of it without the driver. (A well-known
# slide says "allocations are sub-*sampled* from a larger pool". Nothing is sampled: they are **sub-allocated**, cut
# from the larger piece.) How often is the driver asked?

# %% tags=["run"]
without, with_pool = times_asked(events, lambda: Pool(4 * MiB))
print(f"requests to the driver: {without} without a pool, {with_pool} with one")
time_requests(lab, 16 * MiB)

# %% [markdown]
# **Explain:** the times above were measured here, on a worker. Without a GPU they show the same effect in host
# memory: 16 MiB from the operating system cost more than 16 MiB that are kept and reused, because the system has to
# find and clear each page. With a GPU you see `cudaMalloc`, an RMM pool, and CUDA's asynchronous pool (section 4).

# %% [markdown] anchor="fragmentation"
# ## 3. Inside a pool
#
# A pool keeps a list of its **free blocks**, sorted by address. These are the rules of `PoolMemoryResource`, RMM's pool (version 26.10):
#
# 1. Each request is **rounded up to a multiple of 256 bytes**.
# 2. **Best fit:** take the *smallest* free block that is large enough. Among blocks of equal size, take the one with the lowest address.
# 3. Hand out the beginning of that block; the rest stays in the list.
# 4. **Merge:** memory that is given back becomes a free block again. If it touches the free block before or after it, they become one.
# 5. If nothing fits, the pool **grows**: it asks the driver for one more piece, up to its maximum. A new piece never merges with an old one, even
#    if its addresses follow.
# 6. Before a pool with a maximum **refuses**, it returns completely free pieces to the driver and tries rule 5 again.
#
# **Predict:** a pool of 96 MiB cannot grow. Six arrays A … F of 16 MiB fill it. A, C and E are freed. G requests 32
# MiB. Is the request granted? Write `"yes"` or `"no"`.

# %% tags=["predict"]
predict("11.c", "no")  # SOLUTION

# %% tags=["run"]
filling = [("allocate", name, 16 * MiB) for name in "ABCDEF"]
every_other = [*filling, ("free", "A"), ("free", "C"), ("free", "E"), ("allocate", "G", 32 * MiB)]
found = run_trace(lab, every_other, initial=96 * MiB, maximum=96 * MiB)
figures.pool_steps(found)
print(found)
compare("11.c", "no" if found.steps[-1].refused else "yes")

# %% [markdown]
# Click the numbers to see each step. **A real failure:** 48 MiB are free, yet 32 MiB are refused.

# %% tags=["run"]
with expect_failure(MemoryError):
    found.granted()

# %% [markdown]
# **Explain:** this is **fragmentation**. An array needs *one* contiguous range of addresses, and the free memory is
# in three pieces of 16 MiB. Read the error: it does not say that too little is free. It says that the pool could not
# *grow*, which it tries if no block fits. It shows the current size, the maximum and the attempted size. When you see
# this message, compare your request with the free memory before you buy a larger card.
#
# **Change:** free A, B and C instead (neighbours). Or free E first. What changes?

# %% tags=["run"]
neighbours = [*filling, ("free", "A"), ("free", "C"), ("free", "B"), ("allocate", "G", 32 * MiB)]
figures.pool_steps(run_trace(lab, neighbours, initial=96 * MiB, maximum=96 * MiB))

# %% [markdown] exercise="11.10" title="How a pool answers a request" topic="pools"
# ### Exercise 11.10 · How a pool answers a request (4 min)
#
# Put the lines of a pool in order. The next cell shows them, each with a letter. Move them there, or write your order
# as pairs: the letter of a line and its level. Level 1 is the body of the `if` above it. Two lines do not belong.

# %% tags=["run"]
lessons.parsons("11.10")

# %% tags=["exercise"] exercise="11.10"
# For example [("X", 0), ("Y", 0), ("Z", 1)].
order = [("C", 0), ("J", 0), ("G", 0), ("E", 1), ("D", 0), ("F", 0), ("A", 1), ("B", 0)]  # SOLUTION

# %% tags=["check"] exercise="11.10"
check("11.10", order)

# %% [markdown] tags=["hint-1"] exercise="11.10"
# Which of the rules comes first? After it, the pool looks at its list. Only if it finds nothing there does it ask the card.

# %% [markdown] tags=["hint-2"] exercise="11.10"
# Two lines begin with `if`, and each has one line below it, at level 1. The first `if` handles the case that nothing fits, the second the remainder.

# %% [markdown] tags=["hint-3"] exercise="11.10"
# Round up; collect the blocks that fit; if there are none, get a piece from the card; choose; if the block is larger, put the rest back; return. The lines that take the
# *first* block or ask the driver *each time* are not what RMM does.

# %% [markdown] exercise="11.3" title="Best fit, and merge" topic="pools"
# ### Exercise 11.3 · Best fit, and merge (12 min)
#
# Build the core of a pool that cannot grow. `free` is a list of free blocks, each a pair `(start, size)` in bytes. It
# is sorted by address, no two blocks touch, and all sizes are multiples of 256.
#
# * `take(free, size)` returns two things: the start of the new block, and the new list. If nothing fits, it returns `None` and the unchanged list.
# * `give_back(free, start, size)` returns the new list. `size` is the requested size, so rule 1 applies here as well.
#
# Make a new list; do not change the given one.

# %% tags=["exercise"] exercise="11.3"
def take(free, size):
    """Return the start of the best free block, or None, and the free blocks afterwards."""
    ### BEGIN SOLUTION
    size = -(-size // 256) * 256
    fitting = [block for block in free if block[1] >= size]
    if not fitting:
        return None, free
    start, whole = min(fitting, key=lambda block: block[1])
    left = [block for block in free if block[0] != start]
    if whole > size:
        left.append((start + size, whole - size))
    return start, sorted(left)
    ### END SOLUTION


def give_back(free, start, size):
    """Return the free blocks after a block was given back."""
    ### BEGIN SOLUTION
    size = -(-size // 256) * 256
    merged = []
    for begin, length in sorted([*free, (start, size)]):
        if merged and sum(merged[-1]) == begin:  # the last one ends where this one begins
            merged[-1] = (merged[-1][0], merged[-1][1] + length)
        else:
            merged.append((begin, length))
    return merged
    ### END SOLUTION

# %% tags=["check"] exercise="11.3"
check("11.3", take, give_back)

# %% [markdown] tags=["hint-1"] exercise="11.3"
# Round up first: `-(-size // 256) * 256`, or `(size + 255) // 256 * 256`. For `take`: which blocks are large enough?
# Which of these is the smallest? What is left of it? For `give_back`: insert the new block at its place, then look
# for neighbours.

# %% [markdown] tags=["hint-2"] exercise="11.3"
# `min(blocks, key=lambda block: block[1])` gives the first of the smallest blocks, which has the lowest address, because the list is sorted. A block `(a, n)`
# touches the next one `(b, m)` if `a + n == b`; together they are `(a, n + m)`.

# %% [markdown] tags=["hint-3"] exercise="11.3"
# For `give_back`: go through `sorted([*free, (start, size)])`, and collect the blocks in a new list. If the last
# block of the new list ends where this one begins, replace it with the merged block; otherwise append this one. For
# `take`: leave out the chosen block, and put back the rest, if any.

# %% tags=["run"]
if take([(0, 256)], 1) is not None and give_back([], 0, 256) is not None:
    yours = replay(every_other, OwnPool(take, give_back, 96 * MiB), "your pool")
    same = [mine.live == true.live for mine, true in zip(yours.steps, found.steps)]
    print(yours)
    print(f"the same addresses as in the other pool ({found.place}) in {sum(same)} of {len(same)} steps")

# %% [markdown] anchor="fragmentation-cures"
# ### What helps
#
# | | why |
# |---|---|
# | free large arrays you no longer need *before* the next large request | neighbours merge |
# | create long-lived arrays first, short-lived ones after them | long-lived arrays are together, not in between |
# | partitions of about the same size | the gap that one leaves fits the next |
# | `rmm_async` instead of a pool | CUDA's allocator can map memory from different places to one range of addresses |
# | a larger maximum | but each new piece adds a border that blocks do not merge across |
#
# An old table says: *memory fragmentation → use an RMM pool*. That is only half true. A pool greatly reduces the
# number of requests to the driver, and best fit and merging keep gaps rare. But as you have just seen, a pool can be
# fragmented as well.

# %% [markdown] exercise="11.4" title="The largest request that is granted" topic="pools"
# ### Exercise 11.4 · The largest request that is granted (6 min)
#
# Write `largest_request`. The pool has taken `pool_size` bytes from the card and may grow up to `maximum`; the card
# has enough memory. `free` is the list of its free blocks. Return two numbers:
#
# * the size in bytes of the largest request that is granted **now**: from a free block, or by growing;
# * the **fragmentation**: the share of the free bytes that are *not* in the largest free block; 0 if nothing is free.
#
# All sizes are multiples of 256. Do not merge anything: blocks that touch in this list came from the card in two
# pieces (rule 5). Rule 6 does not help here either: no block is a whole piece.

# %% tags=["exercise"] exercise="11.4"
def largest_request(free, pool_size, maximum):
    """Return the bytes of the largest request that is granted, and the fragmentation, a number from 0 to 1."""
    ### BEGIN SOLUTION
    sizes = [size for _, size in free]
    largest = max(sizes, default=0)
    fragmentation = 1 - largest / sum(sizes) if sizes else 0.0
    return max(largest, maximum - pool_size), fragmentation
    ### END SOLUTION

# %% tags=["check"] exercise="11.4"
check("11.4", largest_request)

# %% [markdown] tags=["hint-1"] exercise="11.4"
# A request needs *one* block. It can come from the list or from the card, but not from both together.

# %% [markdown] tags=["hint-2"] exercise="11.4"
# The pool can still take `maximum - pool_size` bytes from the card, in one piece. The largest free block is `max(size
# for start, size in free)`; remember the empty list.

# %% [markdown] tags=["hint-3"] exercise="11.4"
# The first number is the larger of the two sources, not their sum. The second is one minus the largest block divided by the sum of all free
# blocks.

# %% tags=["run"]
if largest_request([], 256, 256) is not None:
    trace = [("allocate", "A", 24 * MiB), ("allocate", "B", 24 * MiB), ("free", "A"), ("allocate", "C", 40 * MiB)]
    grown = run_trace(lab, trace, initial=32 * MiB, maximum=128 * MiB)
    figures.pool_steps(grown)
    for name, last, maximum in (("every other one free", found.steps[-1], 96 * MiB), ("grown", grown.steps[-1], 128 * MiB)):
        if last.free:
            largest, share = largest_request(list(last.free), last.pool_size, maximum)
            print(f"{name}: {largest / MiB:g} MiB would be granted, fragmentation {share:.0%}")

# %% [markdown]
# **Explain:** a pool with a maximum grows by half of what is left, or by the requested size if that is more: from 32
# to 80 MiB for B, and by 40 MiB for C. This is why a pool that starts small ends up in several pieces. A pool of one
# piece has no such borders, but nothing else can use its memory. (Dashed lines in the picture show where a piece from
# the card begins.)

# %% [markdown] anchor="pool-sizes"
# ## 4. How large?
#
# "We recommend allocating most, though not all, of the GPU memory", say the slides, because each process that uses a GPU needs a **context** on it: memory for
# the driver, its kernels and its libraries, "typically 200–500 MB". That is per *process*: a notebook that uses the GPU of a worker adds its own.
#
# Note the units. Dask reads `"80GB"` as 80 × 1000³ bytes and `"80GiB"` as 80 × 1024³; `nvidia-smi` counts in MiB.
#
# **Predict:** by how many GB is `"80GiB"` more than `"80GB"`?

# %% tags=["predict"]
predict("11.d", 5.9)  # SOLUTION

# %% tags=["run"]
compare("11.d", (80 * GiB - 80 * GB) / GB, "GB")

# %% [markdown] exercise="11.5" title="How large may the pool be?" topic="pool-sizes"
# ### Exercise 11.5 · How large may the pool be? (6 min)
#
# Write `pool_size`. `card_mib` is the memory of the card in MiB (1024² bytes), as `nvidia-smi` prints it. `n_processes`
# processes use the card, each with a context of `context_mb` MB (1000² bytes). A **tenth of the card** stays free for
# memory that does not come from the pool. Return the largest number of **bytes** that is a multiple of 256 and leaves
# all of this free, or 0 if nothing is left.

# %% tags=["exercise"] exercise="11.5"
def pool_size(card_mib, n_processes, context_mb=500):
    """Return the size of the largest pool in bytes."""
    ### BEGIN SOLUTION
    card = card_mib * 1024**2
    left = card * 9 // 10 - n_processes * context_mb * 1000**2
    return max(0, left // 256 * 256)
    ### END SOLUTION

# %% tags=["check"] exercise="11.5"
check("11.5", pool_size)

# %% [markdown] tags=["hint-1"] exercise="11.5"
# Convert everything to bytes first: 1 MiB is 1,048,576 bytes, 1 MB is 1,000,000.

# %% [markdown] tags=["hint-2"] exercise="11.5"
# The room is nine tenths of the card minus the contexts. `room // 256 * 256` rounds *down* to a multiple of 256.

# %% [markdown] tags=["hint-3"] exercise="11.5"
# `n_processes * context_mb * 1000**2` is the size of the contexts. What if it is more than nine tenths of the card? `max(0, …)`.

# %% tags=["run"]
for gigabytes in (16, 40, 64, 80, 141):
    card_mib = gigabytes * GB // MiB  # as sold; the tool of the driver tells what yours really has
    if (size := pool_size(card_mib, 1)) is not None:
        print(f"{gigabytes:4} GB, one process: a pool of {size / GB:6.1f} GB = {size / GiB:6.1f} GiB; "
              f"with a notebook on the same card {pool_size(card_mib, 2) / GB:6.1f} GB")

# %% [markdown] anchor="which-allocator"
# ### Which allocator?
#
# | | what it does | when |
# |---|---|---|
# | nothing set | each request goes to the driver | short tests |
# | `rmm_pool_size` | RMM's pool of section 3 | one process has the card to itself |
# | `rmm_async` | `cudaMallocAsync`: the driver's own pool; far less fragmentation, at little cost | a good first choice; not together with `rmm_pool_size` |
# | `rmm_managed_memory` | *unified memory*: may be larger than the card; the driver moves pages when they are accessed | it must run, however slowly; not together with `rmm_async` |
#
# In a program without Dask: `rmm.reinitialize(pool_allocator=True, initial_pool_size=2**30)`. **How large is that?**
# 2³⁰ bytes are 1 GiB, far too small a start for most cards. Without a size, RMM takes half of the memory that is
# *free* at that moment. Call it before anything is on the device: its documentation calls using earlier memory
# "undefined behavior".

# %% [markdown] anchor="spilling"
# ## 5. When the device is full: spilling
#
# Data that does not fit can move down and come back when it is used. This is **spilling**.

# %% tags=["run"]
figures.ladder()

# %% [markdown]
# | option | moved by | what | from → to |
# |---|---|---|---|
# | `device_memory_limit` (default: 80 % of the card) | Dask | whole results of tasks | GPU memory → host memory |
# | `enable_cudf_spill` | cuDF | buffers of tables, even in the middle of a task | GPU memory → host memory |
# | `memory_limit` | Dask | whole results of tasks | host memory → disk |
# | `rmm_managed_memory` | the driver | pages | GPU memory ↔ host memory |
# | `jit_unspill` | – | – | removed from dask-cuda in 26.06 |
#
# For tables, `enable_cudf_spill` is the better choice: Dask only knows results and cannot move a task's intermediate
# data. A buffer whose address cuDF has passed to another library, such as CuPy, is **exposed** and must stay. If it
# moved, the other library would read memory that is no longer valid.
#
# What does it cost? Spilled data is read over the bus between card and host. **Predict:** PCIe 4.0 ×16 moves about 32 GB/s, the memory of an A100 with 80 GB
# about 2,000 GB/s. How many times as long does it take to read spilled data?

# %% tags=["predict"]
predict("11.e", 62.5)  # SOLUTION

# %% tags=["run"]
device_speed, bus_speed = 2000 * GB, 32 * GB  # bytes per second, from data sheets: put in those of your card
print(f"10 GB: {10 * GB / device_speed * 1000:.0f} ms from the device, {10 * GB / bus_speed * 1000:.0f} ms over the bus")
compare("11.e", device_speed / bus_speed, "times")

# %% [markdown] exercise="11.6" title="Which buffers are spilled?" topic="spilling"
# ### Exercise 11.6 · Which buffers are spilled? (10 min)
#
# cuDF and Dask both spill what was **least recently used** (LRU). Write `to_spill`. `buffers` is the list of buffers on the device, each a dictionary
#
# `{"name": "x", "bytes": 4000, "last_used": 17, "exposed": False}`
#
# where a larger `last_used` is later, and no two are equal. `needed` more bytes must fit; the total may be at most
# `limit` bytes. Return the names of the buffers to spill, in order: the least recently used first, **and no more than
# needed**. Exposed buffers stay. If spilling all the others is not enough, spill them anyway.

# %% tags=["exercise"] exercise="11.6"
def to_spill(buffers, needed, limit):
    """Return the names of the buffers that leave the device, the least recently used first."""
    ### BEGIN SOLUTION
    held = sum(buffer["bytes"] for buffer in buffers)
    leaving = []
    for buffer in sorted(buffers, key=lambda buffer: buffer["last_used"]):
        if held + needed <= limit:
            break
        if not buffer["exposed"]:
            leaving.append(buffer["name"])
            held -= buffer["bytes"]
    return leaving
    ### END SOLUTION

# %% tags=["check"] exercise="11.6"
check("11.6", to_spill)

# %% [markdown] tags=["hint-1"] exercise="11.6"
# In which order do you look at the buffers? What do you check after spilling each one?

# %% [markdown] tags=["hint-2"] exercise="11.6"
# `sorted(buffers, key=lambda buffer: buffer["last_used"])` gives the order, as a new list. Keep the number of bytes
# still on the device in a variable, and stop as soon as they and `needed` fit.

# %% [markdown] tags=["hint-3"] exercise="11.6"
# Before you spill the next buffer, stop if `held + needed <= limit`. Skip exposed buffers. Otherwise record the name
# and subtract the buffer's bytes from `held`.

# %% [markdown]
# Now use it. Ten buffers of 10 MB are used one after the other, in four rounds. The device may hold 95 MB: all but one fit.
#
# **Predict:** after the first round, 30 uses are left. For how many of them must the buffer be fetched from the host?

# %% tags=["predict"]
predict("11.f", 30)  # SOLUTION

# %% tags=["run"]
sizes = {f"buffer {number}": 10 * MB for number in range(10)}
round_ = list(sizes)
orders = {
    "round and round, all fit": (round_ * 4, 100 * MB),
    "round and round, one does not fit": (round_ * 4, 95 * MB),
    "to and fro, one does not fit": ((round_ + round_[::-1]) * 2, 95 * MB),
}
if to_spill([], 1, 1) is not None:
    moved = {name: use_buffers(sizes, uses, limit, to_spill) for name, (uses, limit) in orders.items()}
    figures.spilling(moved)
    display(compare("11.f", moved["round and round, one does not fit"].fetches, "uses"))

# %% [markdown]
# **Explain:** all 30. The buffer that does not fit evicts the least recently used one, and in a cycle that is exactly
# the one needed *next*. So a device that is 5 % too small does not cost 5 %: every use goes over the bus. If the
# buffers are used forwards and then backwards, the most recent ones are used first, and almost nothing moves. (Simulated with your function.)
#
# This is what "spilling for a modest overflow" means: it saves a job that would have failed. It does not make a small
# card large. If each round moves data, use smaller partitions, fewer columns or more cards.

# %% [markdown] anchor="spot-managed"
# ### Spot the error
#
# > "`cudf.set_option('spill', True)` enables automatic spilling to CPU RAM when GPU memory is full. It uses CUDA managed memory (UVM): pages migrate
# > between GPU and CPU automatically."
#
# <details><summary>Answer</summary>
#
# The first sentence is right, the second is not: it mixes two mechanisms. cuDF's spilling moves whole **buffers**.
# Its spill manager knows all of them and when each was last used, and RMM calls it when it cannot grant a request.
# **Managed memory** is different (`rmm_managed_memory` or `rmm.mr.ManagedMemoryResource`): there the *driver* moves
# **pages**, without cuDF's knowledge. So the first can report what it spilled (`cudf_spill_stats`), and the second
# cannot.
#
# </details>

# %% [markdown] anchor="host-ladder"
# ## 6. From host memory to disk: Dask's four thresholds
#
# The step from host memory to disk is the same on every machine, so you can watch a real one. A Dask worker has a `memory_limit` and acts at fractions of it:
#
# | fraction | name | what the worker does |
# |---|---|---|
# | 60 % | *target* | its results exceed this: writes the least recently used to disk |
# | 70 % | *spill* | its *process* exceeds this: writes results to disk |
# | 80 % | *pause* | its process exceeds this: starts no new tasks |
# | 95 % | *terminate* | its process exceeds this: the nanny kills it |
#
# **Predict:** a worker has a limit of 100 MB. We give it 16 blocks of 8 MB each, 128 MB. How many MB are still in memory
# at the end, if only *target* acts?

# %% tags=["predict"]
predict("11.g", 56)  # SOLUTION

# %% [markdown] exercise="11.7" title="Where are the results?" topic="spilling"
# ### Exercise 11.7 · Where are the results? (6 min)
#
# `client.scheduler_info(n_workers=-1)["workers"]` returns what each worker reports, by address. Its `"metrics"` include
#
# * `"managed_bytes"`: the size of *all* results that the worker has, in memory or on disk;
# * `"spilled_bytes"`: a dictionary: `"memory"` is the size that the spilled results had in memory, `"disk"` the size of their (serialized) files.
#
# Write `tiers`: for each address, a pair of the bytes in memory and the bytes on disk.

# %% tags=["exercise"] exercise="11.7"
def tiers(workers):
    """Return {address: (bytes of results in memory, bytes of results on disk)}."""
    ### BEGIN SOLUTION
    found = {}
    for address, worker in workers.items():
        metrics = worker["metrics"]
        spilled = metrics["spilled_bytes"]
        found[address] = (metrics["managed_bytes"] - spilled["memory"], spilled["disk"])
    return found
    ### END SOLUTION

# %% tags=["check"] exercise="11.7"
check("11.7", tiers)

# %% [markdown] tags=["hint-1"] exercise="11.7"
# Print `lab.client.scheduler_info(n_workers=-1)["workers"]` once, and look for the two keys.

# %% [markdown] tags=["hint-2"] exercise="11.7"
# `worker["metrics"]["managed_bytes"]` includes spilled results. What do you subtract to get the bytes in memory: the
# size they had in memory, or the size of their files?

# %% [markdown] tags=["hint-3"] exercise="11.7"
# In memory: `managed_bytes` minus the `"memory"` of `spilled_bytes`. On disk: the `"disk"` of `spilled_bytes`. Go through `workers.items()`.

# %% tags=["run"]
with spilling_worker(memory_limit="100 MB") as small:
    blocks = da.random.default_rng(11).integers(0, 1000, (16, 1_000_000), chunks=(1, -1))
    right = blocks.sum().compute(scheduler="synchronous")  # one block after the other: nothing is kept
    kept = small.client.persist(blocks)
    answer = small.client.compute(kept.sum()).result()
    in_memory, on_disk = small.settled()
    print(f"the same sum: {answer == right}; {len(small.files())} blocks are in files")
    if found_tiers := tiers(small.client.scheduler_info(n_workers=-1)["workers"]):
        [(memory_bytes, disk_bytes)] = found_tiers.values()
        print(f"yours: {memory_bytes / MB:.0f} MB in memory, {disk_bytes / MB:.0f} MB on disk")
    del kept
    print(f"after `del`: {small.files_left()} files")
compare("11.g", in_memory / MB, "MB")

# %% [markdown]
# **Explain:** 60 MB are allowed; seven blocks of 8 MB fit, an eighth would not. The sum needed blocks that were on
# disk. They were read back, others were spilled, and the result is the same. When the blocks are no longer needed,
# their files are deleted. (The files and Dask's code are real, but the worker is a thread. Only *target* acts here,
# because the other three look at the whole process, which is this notebook.)
#
# **With GPUs, note this:** dask-cuda workers always report 0 in `"spilled_bytes"` (as of 26.10), because their store
# has three levels instead of two. gpucluster's gauges read the store itself and show device, host and disk. The
# `memory_limit` of `LocalCUDACluster` is the host memory divided by the number of workers that it *starts* with. If
# you start with one worker and scale up later, set it explicitly.

# %% [markdown] anchor="options"
# ## 7. Options
#
# From a slide: `LocalCUDACluster(CUDA_VISIBLE_DEVICES="0,1", protocol="ucx", rmm_pool_size="30GB")`. This starts two
# workers, one per card, *each* with a pool of 30 × 1000³ bytes. Options age: an option that was right two years ago
# may crash a worker's process today, often without an error in your notebook. You get a cluster with no workers.
#
# **Predict:** a machine has two cards of 40 GB. How many of these six calls are correct with dask-cuda 26.10?

# %% tags=["predict"]
predict("11.h", 2)  # SOLUTION

# %% tags=["run"]
calls = [
    {"CUDA_VISIBLE_DEVICES": "0,1", "protocol": "ucx", "rmm_pool_size": "30GB"},
    {"rmm_async": True, "rmm_pool_size": "30GB"},
    {"rmm_pool_size": "40GB"},
    {"device_memory_limit": 1, "rmm_pool_size": 0.8},
    {"jit_unspill": True, "device_memory_limit": "24GB"},
    {"enable_cudf_spill": True, "rmm_async": True},
]
faultless = 0
for call in calls:
    problems = call_problems(call, card_bytes=40 * GB, n_cards=2)
    faultless += not problems
    print(", ".join(f"{name}={value!r}" for name, value in call.items()))
    print("   ", problems[0] if problems else "fine")
compare("11.h", faultless, "calls")

# %% [markdown]
# **Explain:** the first and the last are fine (`protocol="ucx"` needs the package `distributed-ucxx`; UCX-Py, which older slides
# name, was archived in 2025). In the fourth, `1` means *one byte*, not 100 %. In the fifth, the argument is passed on
# to the workers, which do not know it. `gpucluster.create("cuda", …)` checks all of this before it starts anything,
# and reports which value is wrong.

# %% [markdown] exercise="11.8" title="Repair an old command" topic="memory-options"
# ### Exercise 11.8 · Repair an old command (9 min)
#
# Now the same for the command line. Forums are full of lines such as `OLD_COMMAND`, printed below. Write `repair`: it
# takes such a command as a string and returns one that dask-cuda 26.10 accepts:
#
# 1. `dask-cuda-worker` becomes `dask cuda worker`, followed by the address of the scheduler, which is missing.
# 2. `--enable-jit-unspill` and `--disable-jit-unspill` no longer exist: leave them out.
# 3. If there are both `--rmm-async` and `--rmm-pool-size`, leave out the pool size, with its value. (Without `--rmm-async` it stays.)
# 4. All other options stay unchanged and in order; so does an `&` at the end.
#
# A value may follow its option after a space or after `=`. No value contains spaces.

# %% tags=["exercise"] exercise="11.8"
def repair(command, scheduler):
    """Return the command as dask-cuda 26.10 takes it."""
    ### BEGIN SOLUTION
    old = command.split()[1:]
    new = ["dask", "cuda", "worker", scheduler]
    while old:
        word = old.pop(0)
        name = word.split("=")[0]
        if name in ("--enable-jit-unspill", "--disable-jit-unspill"):
            continue
        if name == "--rmm-pool-size" and "--rmm-async" in command.split():
            if "=" not in word:
                old.pop(0)  # its value
            continue
        new.append(word)
    return " ".join(new)
    ### END SOLUTION

# %% tags=["check"] exercise="11.8"
check("11.8", repair)

# %% [markdown] tags=["hint-1"] exercise="11.8"
# `command.split()` gives the words. Work with words, not with the whole string: one option's *value* may look like part of another option's name.

# %% [markdown] tags=["hint-2"] exercise="11.8"
# Start a new list with the three words and the address. Go through the old words after the first one, and decide for
# each whether to keep it. The name of an option is the part before `=`.

# %% [markdown] tags=["hint-3"] exercise="11.8"
# If a word is exactly `--rmm-pool-size`, drop the next word, its value, as well. If a word begins with
# `--rmm-pool-size=`, drop only this word. Do either only if `--rmm-async` is among the words. `" ".join(words)` joins
# them into one string.

# %% tags=["run"]
print("old:  ", OLD_COMMAND)
if new := repair(OLD_COMMAND, "tcp://10.0.0.1:8786"):
    print("yours:", new)
    print("problems:", command_problems(new) or "none")

# %% [markdown] anchor="views"
# ## 8. What holds the memory?
#
# Every tool that you ask gives a different number. None is wrong; each counts something else.

# %% tags=["run"]
held = lab.client.submit(np.ones, 5_000_000, pure=False)  # 40 MB on a worker
held.result()
views(lab)

# %% [markdown]
# With GPUs the list is longer. An old note calls `cupy.get_default_memory_pool().used_bytes()` "the current GPU memory pool usage". It
# counts CuPy's *own* pool. cuDF tables are not in it, and once CuPy gets its memory from RMM, it stays near 0. The
# driver, and so `nvidia-smi`, shows the opposite: RMM's *whole* pool counts as used, even when it is empty. To see
# what libraries really hold through RMM, start the workers with `rmm_track_allocations=True`.
#
# **Giving memory back.** "`del df`, then `gc.collect()`" is the usual advice, and it often fails. `del` removes a
# *name*. The memory is freed when nothing refers to the object any more. Watch:

# %% tags=["run"]
def resident():
    """Memory of this notebook's process, as the operating system sees it, in MB."""
    return psutil.Process().memory_info().rss / MB


empty = resident()
big = np.ones(15_000_000)  # 120 MB
corner = big[:10]  # the first ten numbers
results = {"first": [corner.sum(), big]}
big.shape, round(resident() - empty)

# %% tags=["run"]
big

# %% [markdown]
# **Predict:** now we run `del big` and `gc.collect()`. How many of the 120 MB are freed?

# %% tags=["predict"]
predict("11.i", 0)  # SOLUTION

# %% tags=["run"]
full = resident()
refers, variables, target = who_refers(globals(), big)
del big
gc.collect()
compare("11.i", max(0, round(full - resident(), -1)), "MB")

# %% [markdown] exercise="11.9" title="Find the hidden references" topic="freeing"
# ### Exercise 11.9 · Find the hidden references (8 min)
#
# Something still refers to the array. `who_refers` looked through all variables of this notebook just before `del`.
# `refers` maps each variable and each object to the objects it refers to, and `target` is the array.
#
# Write `holders`: it returns the **set** of variables from which the target can be reached in any number of steps.
# Objects may refer to each other in cycles. The target is an object, not one of the variables. `refers` is a dictionary from a name to a list of names; `variables`
# has the names of the variables; all other names are objects.

# %% tags=["exercise"] exercise="11.9"
def holders(refers, variables, target):
    """Return the set of variables that lead to the target."""
    ### BEGIN SOLUTION
    found = set()
    for variable in variables:
        seen, todo = set(), [variable]
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo.extend(refers.get(name, []))
        if target in seen:
            found.add(variable)
    return found
    ### END SOLUTION

# %% tags=["check"] exercise="11.9"
check("11.9", holders)

# %% [markdown] tags=["hint-1"] exercise="11.9"
# Start at one variable and follow all references. Do you ever reach the target? Remember where you have been: a cycle has no end.

# %% [markdown] tags=["hint-2"] exercise="11.9"
# Use a list `todo` of names to visit and a set `seen` of visited names. Or go backwards: start with the target, and
# collect everything that refers to something collected, until nothing new is found.

# %% [markdown] tags=["hint-3"] exercise="11.9"
# `todo = [variable]`; while it is not empty: take one name with `pop`; if it is new, add it to `seen` and extend
# `todo` with `refers[name]`. At the end, check whether the target is in `seen`.

# %% tags=["run"]
if (names := holders(refers, variables, target)) is not None:
    print("the array is held by:", ", ".join(sorted(set(names) - {"big"})))

# %% [markdown]
# **Explain:** there are three kinds of holders. `results` has the array in a list. `corner` is a **view**: its ten
# numbers keep all 15 million alive, because a slice of an array is not a copy. And `Out`, `_` and the like belong to
# the notebook: it remembers what you display at the end of a cell. (`%reset -f out` makes it forget all but the last
# three; `forget_outputs` also clears these.) Now release them all:

# %% tags=["run"]
full = resident()
corner = corner.copy()  # its own ten numbers
results.clear()
forget_outputs()
gc.collect()
print(f"given back: {full - resident():.0f} MB")
held.release()

# %% [markdown]
# A GPU adds one more step. When the last reference goes, the array's memory returns to its **pool**. The driver gets
# it back only if the pool releases it: CuPy's pool does so with `cupy.get_default_memory_pool().free_all_blocks()`;
# RMM's pool keeps its memory until it is closed. On a Dask cluster the holder is often a *future*: in your notebook,
# in `Out`, or in a notebook of a colleague connected to the same cluster.

# %% [markdown] tags=["keypoints"]
# ## Key points
#
# * A warp is 32 threads that share each instruction. If they diverge, they wait for each other: sort, filter or split.
# * Every intermediate array is a request for memory. The peak must fit, not only the result.
# * A pool asks the driver once, then sub-allocates: best fit, multiples of 256 bytes; neighbours merge, pieces from the card do not.
# * "Out of memory" with enough free bytes is fragmentation: an array needs one piece.
# * Pool = nine tenths of the card minus one context per process. `GB` is not `GiB`.
# * Spilled data is read over the bus, tens of times slower. With LRU, 5 % too much data can mean that *every* use is a fetch.
# * cuDF's spilling moves buffers, managed memory moves pages, Dask moves results. `jit_unspill` is gone.
# * `1` means one byte, and an unknown argument crashes the workers: check the options before you start.
# * Memory is freed when nothing refers to it: think of views, lists, `Out` and futures.

# %% [markdown]
# ## Quiz and cards

# %% tags=["quiz"]
lessons.quiz("11")

# %% tags=["cards"]
lessons.cards("11")

# %% [markdown] anchor="where-it-runs"
# ### Laptop, one GPU, cluster
#
# * **Laptop:** warps, pool and device are simulated, with RMM's rules; Dask's thresholds, the times of section 2 and
#   the references of section 8 are real.
# * **One GPU:** the same cells. The requests of section 3 go to a separate RMM pool on the worker, beside the one
#   that the worker uses. Section 1 runs a kernel; section 2 times `cudaMalloc`. All byte counts must be the same as
#   in the simulation. If they are not, please report it.
# * **Run on a GPU:** all checks passed on one NVIDIA H100 on 2026-11-26, with RAPIDS 26.10.
# * **Cluster:** all sizes are per worker, not for the cluster. With `gpucluster create --backend cuda --rmm-pool-size 30GB` or in the panel's form, they are checked
#   against every card before anything starts. On cards of different sizes a fraction means a different size on each, so give bytes.
#
# Sources of the rules: RMM 26.10, `coalescing_free_list.hpp` and `pool_memory_resource_impl.cpp` (github.com/rapidsai/rmm); dask-cuda 26.10,
# `local_cuda_cluster.py` and `cli.py`; the documentation of cuDF 26.10 on spilling; Dask's documentation on worker memory. The
# figures of section 5 are from data sheets; figures from the slides are marked as such. No GPU times are printed
# here.

# %% tags=["run"]
lab.close()

# %% [markdown] tags=["instructor"]
# ### For the instructor
#
# * **Goal:** learners can explain why a request is refused although enough is free, what a pool must leave free, and
#   what spilling costs. They distrust options from slides.
# * **Time:** 12 section 1 · 15 section 2 · 29 section 3 · 10 section 4 = 66. Second session: 18 section 5 · 10 section 6 · 12 section 7 · 13 section 8, quiz.
# * **If you run late:** give the solution of 11.2 and 11.7. Section 1 can be a demonstration. 11.9 is good homework.
# * **On the projector:** the steps of the pool (click from 6 to 10 and ask before the last one). Then 11.f: have
#   everyone vote; almost all say 3 or 4. Play LRU with three chairs and four people who sit down in turn: someone has
#   to stand up each time.
# * **With a GPU:** run section 3 and compare the addresses. Show `nvidia-smi` beside the panel's gauge: the pool is "used" before anything is in it.
# * **Common mistakes:** 11.1: the last warp is forgotten (`len // lanes`), or `all` instead of `any`. 11.2: the peak of the single request sizes. 11.3: first fit
#   (passes as long as the first block is the smallest), no rounding in `give_back`, merging only with the previous block. 11.4: free blocks and growth are added up. 11.5: MB for
#   MiB; rounding up. 11.6: stops one too late, or stops at an exposed buffer instead of skipping it. 11.7: subtracts the size on disk. 11.8: `replace` on the whole text (a worker
#   may be *named* `rmm-async`); the value of `--rmm-pool-size` is left behind. 11.9: only direct references, or an endless loop in a cycle.
# * **Do not promise speed:** no GPU times are printed in this lesson, because cards differ. Have learners with a GPU read theirs out.
