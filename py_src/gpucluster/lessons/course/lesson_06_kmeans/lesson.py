# ---
# jupyter:
#   gpucluster:
#     lesson: "06"
#     title: Distributed k-means, from the blackboard to the cluster
#     minutes: 140
#     needs: cpu
#     topics:
#       sums-and-counts: {title: "What travels: sums and counts", link: "06#sums-and-counts"}
#       distances-in-memory: {title: Distances without a large array, link: "06.2"}
#       allreduce: {title: Allreduce and ranks, link: "06#allreduce"}
#       starts-and-empty-clusters: {title: First centroids and empty clusters, link: "06#empty-clusters"}
#       testing-kmeans: {title: Test by properties and compare in both directions, link: "06#properties"}
#     objectives:
#       - derive which numbers must travel between workers, and count their bytes
#       - implement k-means on blocks of data that stay where they are
#       - disprove that the mean of means is the mean
#       - show that the result does not depend on how the data is split
#       - run the same loop on ranks that communicate by Allreduce, and count what each rank contributes
#       - repair empty clusters and choose good first centroids in a few rounds over the data
#       - compare two programs in both directions
# ---

# %% [markdown]
# # Distributed k-means, from the blackboard to the cluster
#
# **140 minutes** (25 of reading, 115 of writing) · you need: NumPy, and a basic idea of Dask futures (lesson 02)
#
# If you have 75 minutes, stop after section 7 (exercise 06.5). Sections 8 to 12 are a second session.
#
# After this lesson, you can
#
# * **derive** which numbers must travel between workers, and **count** their bytes;
# * **implement** k-means on blocks of data that stay where they are;
# * **disprove** that the mean of means is the mean;
# * **show** that the result does not depend on how the data is split;
# * **run** the same loop on ranks that communicate by Allreduce, and count what each rank contributes;
# * **repair** empty clusters, and **choose** good first centroids in a few rounds over the data;
# * **compare** two programs in both directions.
#
# Work from top to bottom. Where you see `...`, it is your turn. Three functions help:
#
# | | |
# |---|---|
# | `check("06.2", assign)` | tries your answer on random inputs and shows which properties hold |
# | `hint("06.2")` | gives the next of three hints |
# | `solution("06.2")` | shows one correct solution after the hints |
#
# Unless an exercise says otherwise, a function must not change its arguments, and must return the same result each time.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("06")

# %% [markdown]
# The output above shows what you are running on. `lab.client` is an ordinary Dask client: without `lab`, you would write
# `client = Client(LocalCluster(n_workers=2))`. The rest of this notebook is the same everywhere.
#
# <details><summary>Helpers in this lesson, and what they replace</summary>
#
# | here | without our helper |
# |---|---|
# | `as_numpy(value)` | nothing, if the blocks are already NumPy arrays; otherwise the library's own conversion to NumPy. Use it for small results |
# | `np.asarray(x, like=block)` | this is NumPy itself: it makes an array of the same library as `block`. If all blocks are NumPy, `np.asarray(x)` |
# | `with lab.traffic() as traffic:` | `client.run(lambda dask_worker: list(dask_worker.transfer_outgoing_log))`: each worker's log of what it sent. Add up `total` of the entries whose `who` is empty: they went to the notebook |
# | `peak_bytes(f, …)` | `tracemalloc.start()`, then `f(…)`, then `tracemalloc.get_traced_memory()` |
# | `lab.report(…)` | `print`, in one line that you can compare with others |
# | `ready("…", f)` | only needed in these lessons: False, with a message, until `f` is written |
#
# </details>

# %% tags=["run"]
import time

import dask.array as da
import numpy as np

from gpucluster.lessons import as_numpy, check, compare, hint, peak_bytes, predict, solution
from gpucluster.lessons.figures import kmeans as figures
from gpucluster.lessons.figures.explorer import explore_cut
from gpucluster.lessons.material.pictures import distinct_colours, load_photo, png_bytes
from gpucluster.lessons.checking import ready
from gpucluster.lessons.simulations.ranks import run_on_workers, run_ranks

# %% [markdown] anchor="blackboard"
# ## 1. The blackboard
#
# K-means looks for *k* **centroids** such that each point is as near as possible to its nearest centroid. A well-known set of
# slides describes the parallel version like this:
#
# > **0** choose the initial means at random · **1** distribute the elements among the workers · **2** assign each
# > element to the cluster with the closest mean · **3** calculate the *local* means for all local points ·
# > **4** calculate the *global* means by calling Allreduce · **5** repeat 2–4 until convergence
#
# ("Allreduce" adds up one array per worker and gives the sum to all of them.) One of these steps is wrong. Exercise 06.4 shows
# which.
#
# **How good is a set of centroids?** It is measured by the *inertia*: the sum, over all points, of the squared distance to the
# nearest centroid. Each k-means iteration makes it smaller, or at least never larger. K-means is not given the right groups, so
# it is *unsupervised* learning. A classifier is *supervised*: it minimises its errors on examples whose answers are known.

# %% [markdown] exercise="06.1" title="The steps in order" topic="sums-and-counts"
# ### Exercise 06.1 · The steps in order (5 min)
#
# Before you write code, put the steps in order. The next cell shows them, each with a letter. Move them there, or write your order as pairs: the letter of a
# line, and its level. Level 1 is inside the loop. Two lines do not belong.

# %% tags=["run"]
lessons.parsons("06.1")

# %% tags=["exercise"] exercise="06.1"
# For example [("X", 0), ("Y", 0), ("Z", 1)].
order = [("B", 0), ("I", 0), ("H", 0), ("C", 1), ("G", 1), ("F", 1), ("J", 1), ("D", 1)]  # SOLUTION

# %% tags=["check"] exercise="06.1"
check("06.1", order)

# %% [markdown] tags=["hint-1"] exercise="06.1"
# What must exist before the loop starts? What does a worker need before it can find the nearest centroid?

# %% [markdown] tags=["hint-2"] exercise="06.1"
# Two lines come before the line that ends with a colon; their order does not matter. Inside the loop, each worker first works on its own
# points, then all workers communicate, then each divides.

# %% [markdown] tags=["hint-3"] exercise="06.1"
# In the loop: nearest centroid, add up and count, the two Allreduce lines, divide. The two lines that do not belong send the
# wrong thing: points in one case, means in the other.

# %% [markdown]
# ## 2. The data: every pixel is a point
#
# A pixel is a point with three coordinates: red, green and blue, each between 0 and 1. The clusters of such points are
# the main colours of the photo.
#
# Photo: "china.jpg" by [danielbuechele](https://www.flickr.com/photos/danielbuechele/6061409035/),
# [CC BY 2.0](https://creativecommons.org/licenses/by/2.0/), bundled with scikit-learn.

# %% tags=["run"]
lessons.banner("pixels")

# %% tags=["run"]
photo = load_photo()
pixels = photo.reshape(-1, 3) / 255
figures.photo(photo)
print(f"{len(pixels):,} points × {pixels.shape[1]} features, {pixels.nbytes / 1e6:.1f} MB as float64")

# %% [markdown] anchor="share-out"
# ### Step 1: share out the points
#
# `share_out` splits the points into blocks and places the blocks on the workers. You get back **futures**: references to data that
# lives elsewhere. The notebook no longer needs the points. A data set too big for one machine would never have been in the notebook at
# all. `.to_backend()` turns the blocks into arrays of the library that the lesson uses.

# %% tags=["run"]
def share_out(points, n_parts):
    """Cut the points into n_parts blocks, keep them on the workers, and return one future per block."""
    rows = -(-len(points) // n_parts)  # rounded up: the last block may be smaller
    blocks = da.from_array(points, chunks=(rows, points.shape[1])).to_backend()
    return lab.client.compute(list(blocks.to_delayed().ravel()))


parts = share_out(pixels, 4)
for part, rows in zip(parts, lab.client.gather(lab.client.map(len, parts))):
    [place] = lab.client.who_has(part).values()
    print(f"{rows:7,} points on {place[0]}")

# %% [markdown]
# ### Step 0: the first centroids
#
# We pick *k* different colours of the photo. The seed is fixed, so that you can compare your numbers with your
# neighbour's.

# %% tags=["run"]
def start_colours(k, seed=10):
    """Choose k different colours of the photo."""
    colours = distinct_colours(photo)[0] / 255
    return np.random.default_rng(seed).choice(colours, size=k, replace=False)


start_colours(3).round(2)

# %% [markdown]
# ## 3. Step 2: which centroid is nearest?
#
# With NumPy's broadcasting, all distances fit in one line: `points[:, None, :] - centroids[None, :, :]`, then square
# and add up. It looks elegant, but what does it cost?
#
# **Predict:** the pixels take 6.6 MB. How many MB does the line need at its peak, for 16 centroids?

# %% tags=["predict"]
predict("06.a", 105)  # SOLUTION

# %% tags=["run"]
def assign_in_one_line(points, centroids):
    return ((points[:, None, :] - centroids[None, :, :]) ** 2).sum(axis=2).argmin(axis=1)


compare("06.a", peak_bytes(assign_in_one_line, pixels, start_colours(16)) / 1e6, "MB")

# %% [markdown]
# **Explain:** The line builds an array of n × k × d numbers before it adds anything up: 105 MB here, 16 times the data. The n × k
# sums are another 35 MB; these cannot be avoided. This is how a worker runs out of memory on real data even though "the data fits
# easily".

# %% [markdown] exercise="06.2" title="Find the nearest centroid" topic="distances-in-memory"
# ### Exercise 06.2 · Find the nearest centroid (10 min)
#
# Write `assign` so that it never holds an array of n × k × d numbers. Compute in the precision of the points: for float64 points, the check
# uses centroids that are almost equal.

# %% tags=["exercise"] exercise="06.2"
def assign(points, centroids):
    """Return, for each of the n points, the number (0 … k-1) of the nearest centroid."""
    ### BEGIN SOLUTION
    # |p - c|² = |p|² - 2 p·c + |c|², and |p|² is the same for all centroids: leave it out.
    # Far from zero the other two terms are large and nearly equal; near it their difference keeps its digits.
    near = centroids[0]
    points, centroids = points - near, centroids - near
    scores = points @ centroids.T
    scores *= -2
    scores += (centroids**2).sum(axis=1)
    return scores.argmin(axis=1)
    ### END SOLUTION

# %% tags=["check"] exercise="06.2"
check("06.2", assign)

# %% [markdown] tags=["hint-1"] exercise="06.2"
# You need only one distance per point *and centroid*. Can you get it without first storing the difference of every
# feature?

# %% [markdown] tags=["hint-2"] exercise="06.2"
# There are two ways. Either loop over the k centroids (k is small) and keep the best distance so far. Or expand
# |p − c|² and see which term does not depend on the centroid.

# %% [markdown] tags=["hint-3"] exercise="06.2"
# `points @ centroids.T` gives all products p·c at once, as an array of n × k numbers. Take −2 times that, plus the squared
# length of each centroid, and then `argmin` along the right axis. Before all this, subtract the first centroid from both.

# %% [markdown] anchor="far-from-zero"
# **Far from zero.** float32 numbers, the usual type on GPUs, have about 7 digits. What happens to the two methods when all points are near
# 10,000, like map coordinates or seconds since midnight? The distances are the same as before:

# %% tags=["run"]
def assign_by_products(points, centroids):
    return ((centroids**2).sum(axis=1) - 2 * (points @ centroids.T)).argmin(axis=1)


far, far_centroids = (pixels + 10_000).astype(np.float32), (start_colours(8) + 10_000).astype(np.float32)
right = assign_in_one_line(far.astype(float), far_centroids.astype(float))
ways = {"differences": assign_in_one_line, "products": assign_by_products, "yours": assign}
for name, way in ways.items():
    if (labels := way(far, far_centroids)) is not None:
        print(f"{name}: {np.mean(as_numpy(labels) != right):.1%} of the pixels get a wrong centroid")

# %% [markdown]
# **Explain:** |c|² and 2 p·c are near 300 million and 600 million, where neighbouring float32 numbers are 32 or more apart; the distances that decide
# are below 3. The digits are gone before anything is subtracted (*cancellation*). There are two solutions. One is a loop over the centroids that
# subtracts *first*. The other is to shift points and centroids alike, which changes no distance: subtract one of the centroids from both, and the
# products are small again. Libraries shift too, by the mean of the data.

# %% [markdown]
# ## 4. Step 3: what does a worker send to the others?
#
# A worker knows only its own points. To find the new centroids we need something from each worker for each cluster. The
# points themselves would do, but we do not want to send them.

# %% [markdown] exercise="06.3" title="Sums, counts and inertia of one block" topic="sums-and-counts"
# ### Exercise 06.3 · Sums, counts and inertia of one block (10 min)
#
# Write `partial`. Its results must **add up**: the sum of the results of two blocks is the result for both blocks
# together.

# %% tags=["exercise"] exercise="06.3"
def partial(points, labels, centroids):
    """Return what one block contributes, as three things.

    sums     k × d  sum of the points of each cluster
    counts   k      number of points of each cluster, 0 where it has none
    inertia  1      sum of the squared distances of the points to their own centroid
    """
    ### BEGIN SOLUTION
    k = len(centroids)
    counts = np.bincount(labels, minlength=k)
    columns = [np.bincount(labels, weights=points[:, j], minlength=k) for j in range(points.shape[1])]
    inertia = ((points - centroids[labels]) ** 2).sum()
    return np.stack(columns, axis=1), counts, inertia
    ### END SOLUTION

# %% tags=["check"] exercise="06.3"
check("06.3", partial)

# %% [markdown] tags=["hint-1"] exercise="06.3"
# Think of one cluster only. Which points belong to it? Add them up, and count them. Do not divide yet.

# %% [markdown] tags=["hint-2"] exercise="06.3"
# `labels == j` is true for the points of cluster j. A block may have no points in some cluster. The row for that
# cluster is then zero, but it still exists.

# %% [markdown] tags=["hint-3"] exercise="06.3"
# `np.bincount(labels, minlength=k)` counts. With `weights=points[:, j]` it adds up feature j per cluster.
# `centroids[labels]` is an array of each point's own centroid; use it for the inertia.

# %% [markdown] anchor="sums-and-counts"
# ## 5. Step 4: spot the error
#
# Step 3 of the slides calculates local **means**; step 4 calculates the global **means** by Allreduce, that is, as the
# mean of the local means.
#
# **Predict:** is the mean of the workers' means always the mean of all points? Write `"yes"` or `"no"`.

# %% tags=["predict"]
predict("06.b", "no")  # SOLUTION

# %% [markdown] exercise="06.4" title="The mean of means" topic="sums-and-counts"
# ### Exercise 06.4 · Break it (5 min)
#
# Give a counterexample: some parts whose mean of means is **more than 1 %** away from the mean of all their points.
# Small numbers are best: you should be able to do it in your head. (If the mean of all points is 0, any other number is more than 1 % away.)

# %% tags=["exercise"] exercise="06.4"
# A list of arrays, one per worker, such as [np.array([1.0, 2.0]), np.array([5.0, 6.0])].
counter_example = [np.array([0.0, 0.0, 0.0]), np.array([4.0])]  # SOLUTION

# %% tags=["check"] exercise="06.4"
check("06.4", counter_example)

# %% [markdown] tags=["hint-1"] exercise="06.4"
# When would the mean of means be right? Do the opposite.

# %% [markdown] tags=["hint-2"] exercise="06.4"
# If both parts have the same number of points, each point has the same weight. Make one part much bigger than the
# other.

# %% [markdown] tags=["hint-3"] exercise="06.4"
# One part with three equal points and one part with a single, different point: the single point then counts as much as
# the three others together.

# %% tags=["run"]
few, many = pixels[:1000], pixels[1000:]
mean_of_means = (few.mean(axis=0) + many.mean(axis=0)) / 2
compare("06.b", "yes" if np.allclose(mean_of_means, pixels.mean(axis=0)) else "no")

# %% [markdown]
# **Explain:** A mean has lost the number of points behind it. Sums and counts have not. So Allreduce the **sums and the
# counts**, and divide once, at the end. The slides have steps 3 and 4 in the right order, but send the wrong thing.

# %% [markdown]
# ## 6. The whole loop
#
# One task per block does steps 2 and 3 where the block is. Only the result of `step` travels.

# %% tags=["run"]
def step(block, centroids):
    """What a worker does with one block: steps 2 and 3."""
    centroids = np.asarray(centroids, like=block)  # the same kind of array as the block
    labels = assign(block, centroids)
    return as_numpy(partial(block, labels, centroids))

# %% [markdown]
# **Predict:** how many bytes of sums and counts does one block send per iteration, for k = 8 centroids
# and d = 3 features, with 8 bytes per number?

# %% tags=["predict"]
predict("06.c", 256)  # SOLUTION

# %% [markdown] exercise="06.5" title="The full distributed loop" topic="testing-kmeans"
# ### Exercise 06.5 · The full distributed loop (20 min)
#
# Write `kmeans`. In each iteration: start `step` on all blocks, fetch the small results, merge them, and compute the new centroids. Keep a record: `path` is
# the list of all centroids (the start first, the result last), `inertias[i]` is the inertia for `path[i]`: one per iteration, so none for the last entry of
# `path`. Stop when no coordinate moves by more than `tolerance` (0.001 is a quarter of one step of an 8-bit colour), or after `max_iterations` iterations. A
# centroid without points stays where it is.
#
# The check runs your loop on the cluster, with the same points split into 1, 2, 3 and 7 parts of unequal size.

# %% tags=["exercise"] exercise="06.5"
def kmeans(client, parts, start, tolerance=1e-3, max_iterations=200, step=step):
    """Run k-means on blocks that stay on the workers; return path and inertias."""
    ### BEGIN SOLUTION
    path, inertias = [start], []
    for _ in range(max_iterations):
        results = client.gather(client.map(step, parts, centroids=path[-1], pure=False))
        sums, counts, inertia = (sum(values) for values in zip(*results))
        inertias.append(inertia)
        new = path[-1].copy()
        used = counts > 0
        new[used] = sums[used] / counts[used, None]
        path.append(new)
        if np.abs(path[-1] - path[-2]).max() <= tolerance:
            break
    return path, inertias
    ### END SOLUTION

# %% tags=["check"] exercise="06.5"
check("06.5", kmeans)

# %% [markdown] tags=["hint-1"] exercise="06.5"
# Write it for one iteration first. `client.map(step, parts, centroids=centroids, pure=False)` starts one task per block, on the worker that holds the block,
# and returns futures (`pure=False`: compute again, even if the same call was computed before). `client.gather(futures)` fetches the results: a list of (sums,
# counts, inertia).

# %% [markdown] tags=["hint-2"] exercise="06.5"
# Add up the sums, the counts and the inertias of all blocks. Only then divide. `counts[:, None]` makes a
# column, so that each row of the sums is divided by its own count.

# %% [markdown] tags=["hint-3"] exercise="06.5"
# Begin with `path, inertias = [start], []`. In each iteration append the merged inertia to `inertias` and the new centroids to
# `path`, then compare `path[-1]` with `path[-2]`: if `np.abs(...).max() <= tolerance`, leave the loop with `break`.

# %% [markdown]
# ### Run it on the photo

# %% tags=["run"]
K = 8
start = start_colours(K)
fit = None
with lab.traffic() as traffic:
    began = time.perf_counter()
    if ready("06.2", assign) and ready("06.3", partial):
        fit = kmeans(lab.client, parts, start)
    seconds = time.perf_counter() - began

if fit:
    path, inertias = fit
    found = {"k": K, "points": len(pixels), "iterations": len(inertias), "inertia": inertias[-1]}
    display(lab.report(**found, seconds=seconds))
else:
    print("Nothing to report yet: kmeans (exercise 06.5) needs assign (06.2) and partial (06.3).")

# %% tags=["run"]
figures.inertia_curve(fit)

# %% tags=["run"]
figures.centroids_moving(fit, pixels)

# %% tags=["run"]
figures.centroid_paths(fit, pixels)

# %% [markdown]
# Each line is the path of one centroid through the colours, from the small circle (start) to the large one (end).

# %% [markdown] anchor="what-travelled"
# ### What travelled?
#
# The workers counted what they sent. Calculated: k × d sums and k counts of 8 bytes, so **8 k (d + 1)** per block and
# iteration. The number of points does not appear. (The measured value is a little larger: it includes the inertia, and
# the Python objects around the arrays.)

# %% tags=["run"]
compare("06.c", 8 * K * (pixels.shape[1] + 1), "bytes")

# %% tags=["run"]
figures.traffic(fit, traffic.bytes, len(parts), pixels)

# %% [markdown] anchor="properties"
# ## 7. Change something
#
# **a) Split the data differently.** The result must stay the same up to rounding: floats are added in a different order, so their sum may differ
# in the last digits.

# %% tags=["run"]
if fit:
    for n_parts in (1, 2, 3, 7):
        again, _ = kmeans(lab.client, share_out(pixels, n_parts), start, max_iterations=10)
        gap = np.abs(again[-1] - path[len(again) - 1]).max()
        print(f"{n_parts} parts, {len(again) - 1} iterations: largest difference of a centroid {gap:.1e}")

# %% [markdown]
# **b) Make the mistake of the slides on purpose.** `step_with_means` divides on the worker and sends each mean with a count of 1:
# your own loop then computes the mean of means. The photo is split into one large strip and two small ones. The large one shows
# the sky and the temple; the small ones are mostly trees. So the parts are not alike.

# %% tags=["run"]
def step_with_means(block, centroids):
    sums, counts, inertia = step(block, centroids)
    return sums / np.maximum(counts, 1)[:, None], (counts > 0).astype(int), inertia


if fit:
    strips = np.split(pixels, [len(pixels) * 8 // 10, len(pixels) * 9 // 10])
    unequal = [share_out(strip, 1)[0] for strip in strips]
    wrong = kmeans(lab.client, unequal, start, max_iterations=len(inertias), step=step_with_means)
    figures.compare_inertias({"sums and counts": fit, "mean of means": wrong})
    print(f"Mean of means: the inertia ends {wrong[1][-1] / inertias[-1] - 1:.0%} above the right one,")
    print(f"and it rose in {(np.diff(wrong[1]) > 0).sum()} of {len(wrong[1]) - 1} iterations.")

# %% [markdown]
# **Explain:** no error, no warning, plausible colours, and a wrong answer. Checking that the inertia falls is the cheapest
# test there is: with correct means, it never rises.
#
# Move the cut, and see which of the two means follows it:

# %% tags=["run"] anchor="drag-a-cut"
explore_cut(photo / 255)

# %% [markdown]
# **Explain:** sums and counts do not depend on where the cut is. The mean of means gives each part the same weight, however few points it
# has.
#
# **c) Start elsewhere.** k-means finds *a* minimum, not the smallest one.
#
# **Predict:** does another start (`seed=4`) end at the same inertia? Write `"same"` or `"different"`.

# %% tags=["predict"]
predict("06.d", "different")  # SOLUTION

# %% tags=["run"] anchor="two-starts"
if fit:
    other = kmeans(lab.client, parts, start_colours(K, seed=4))
    print(f"seed 10: inertia {inertias[-1]:,.1f}; seed 4: inertia {other[1][-1]:,.1f}")
    display(compare("06.d", "same" if np.isclose(inertias[-1], other[1][-1], rtol=1e-3) else "different"))

# %% [markdown]
# **Explain:** the function that k-means minimises has many valleys (it is *not convex*), and the start decides which one you end up in. Section
# 10 chooses better starts. Change `K` or the seed and rerun from there.

# %% [markdown] anchor="allreduce"
# ## 8. Without a notebook in the middle
#
# Your loop sends every result to the notebook, and the notebook sends the new centroids back. In MPI, the standard on many supercomputers, there is no
# notebook. The same program runs several times; each copy is a **rank** with its own part of the points. All ranks call *Allreduce*: each gives an array, and
# each gets the sum of all. In C, the call has six parameters:
#
# | `MPI_Allreduce(` | what it is | in k-means |
# |---|---|---|
# | `sendbuf` | what I contribute | my sums and counts |
# | `recvbuf` | where the result arrives | the sums and counts of all ranks |
# | `count` | how many numbers | k (d + 1) |
# | `datatype` | what kind of numbers | `MPI_DOUBLE`, 8 bytes |
# | `op` | how to combine two | `MPI_SUM` |
# | `comm)` | who takes part | all ranks: `MPI_COMM_WORLD` |
#
# In Python, mpi4py has two versions. `comm.Allreduce(send, recv)`, with a capital A, is the C call: it sends the numbers of an array directly.
# `comm.allreduce(value)`, in lower case, takes any object and *pickles* it, which is slower. The `comm` of this lesson has one method,
# `total = comm.allreduce(array)`, which returns a new array; under MPI it calls `Allreduce`. No rank is in charge: every rank gets the same total, and
# computes the same new centroids from it. This is step 4 of the slides, done right.
#
# **Predict:** how many bytes does one rank pass to `allreduce` per iteration, for k = 8 and d = 3, including the inertia?

# %% tags=["predict"]
predict("06.e", 264)  # SOLUTION

# %% [markdown] exercise="06.6" title="The loop with Allreduce" topic="allreduce"
# ### Exercise 06.6 · The loop with Allreduce (15 min)
#
# Write `kmeans_on_ranks`: what *one* rank does. `points` are only its own points. Return `path` and `inertias`, as in 06.5, with the same rules for stopping
# and for a centroid without points. The result is the same on every rank. `assign` and `partial` do most of the work.
#
# All ranks must call `comm.allreduce` the same number of times, even a rank that has no points at all. So base the decision to stop on numbers that all ranks
# have.

# %% tags=["exercise"] exercise="06.6"
def kmeans_on_ranks(comm, points, start, tolerance=1e-3, max_iterations=200):
    """Run k-means as one of several ranks; comm.allreduce(array) gives the sum of the arrays of all ranks."""
    ### BEGIN SOLUTION
    path, inertias = [start], []
    for _ in range(max_iterations):
        sums, counts, inertia = partial(points, assign(points, path[-1]), path[-1])
        total = comm.allreduce(np.column_stack([sums, counts]))
        inertias.append(float(comm.allreduce(np.array([inertia]))[0]))
        sums, counts = total[:, :-1], total[:, -1]
        new = path[-1].copy()
        new[counts > 0] = sums[counts > 0] / counts[counts > 0, None]
        path.append(new)
        if np.abs(path[-1] - path[-2]).max() <= tolerance:
            break
    return path, inertias
    ### END SOLUTION

# %% tags=["check"] exercise="06.6"
check("06.6", kmeans_on_ranks)

# %% [markdown] tags=["hint-1"] exercise="06.6"
# Take your loop from 06.5. Which line gathers results from all blocks? What replaces it when each rank has only its own
# points?

# %% [markdown] tags=["hint-2"] exercise="06.6"
# `partial(points, assign(points, centroids), centroids)` gives what this rank contributes. Add up over the ranks with `comm.allreduce`: first the sums and
# counts, then the inertia. Only then divide.

# %% [markdown] tags=["hint-3"] exercise="06.6"
# `total = comm.allreduce(np.column_stack([sums, counts]))` sends both as one array of k × (d + 1) numbers; `total[:, :-1]` are the sums of all ranks,
# `total[:, -1]` their counts. The rest is as in 06.5, with `path`, `inertias` and `break`.

# %% [markdown]
# `run_ranks` starts `mpiexec -n 2` with your function if MPI is installed. If not, the cluster's workers act as the ranks. `run_on_workers`
# always uses the workers. Same function, different **communicator**.

# %% tags=["run"]
run = None
if ready("06.2", assign) and ready("06.3", partial):
    run = run_ranks(kmeans_on_ranks, pixels, start)
if run and run.results[0] and fit:
    on_workers = run_on_workers(kmeans_on_ranks, pixels, start)
    for one in (run, on_workers):
        rank_path, rank_inertias = one.results[0]
        gap = np.abs(rank_path[-1] - path[-1]).max()
        print(one)
        print(f"  {len(rank_inertias)} iterations, inertia {rank_inertias[-1]:,.4f}, centroids differ by {gap:.1e}")
    display(compare("06.e", run.reduced_bytes[0] / len(run.results[0][1]), "bytes"))
else:
    print("Nothing to report yet: write kmeans (exercise 06.5) and kmeans_on_ranks (06.6) first.")

# %% [markdown]
# **Explain:** 8 k (d + 1) = 256 bytes of sums and counts, and 8 for the inertia. The ranks hold 273,280 points or a billion: the number is
# the same. What is inside `allreduce` (all to one, a tree, a ring) changes how long it takes, not the result.

# %% [markdown] anchor="empty-clusters"
# ## 9. A cluster without points
#
# In 06.5, a centroid without points stayed where it was. What happens if you simply divide?
#
# **Predict:** `np.argmin` finds the index of the smallest number. What does `np.argmin([3.0, nan, 1.0])` give: 0, 1 or 2?

# %% tags=["predict"]
predict("06.f", 1)  # SOLUTION

# %% tags=["run"]
compare("06.f", int(np.argmin([3.0, np.nan, 1.0])))

# %% tags=["run"]
# Three equal centroids: all points go to the first one, the others get none.
equal = np.repeat(start_colours(1), 3, axis=0)
counts = np.bincount(assign_in_one_line(pixels[::100], equal), minlength=3)
print("counts:", counts)
with lessons.expect_failure(FloatingPointError), np.errstate(invalid="raise", divide="raise"):
    pixels[::100].sum(axis=0) / counts[:, None]

# %% [markdown]
# **Explain:** here we told NumPy to raise an error. By default it only warns, and continues with **NaN** ("not a number"). A distance to NaN is
# NaN, and `argmin` treats NaN as the smallest. In the next iteration *all* points go to the dead centroid, and all results are lost.
#
# Better than NaN, and better than a centroid that stays unused forever: give the empty cluster a point that is far from all centroids: the one
# **farthest** from its own centroid. Each block proposes its farthest points; the merged list, farthest first, is `far_points`.

# %% tags=["run"]
def farthest(block, centroids, m):
    """What a worker proposes: the m points of its block that are farthest from their centroids."""
    centroids = np.asarray(centroids, like=block)
    labels = assign(block, centroids)
    squared = ((block - centroids[labels]) ** 2).sum(axis=1)
    first = (-squared).argsort()[:m]
    return as_numpy((squared[first], block[first]))

# %% [markdown] exercise="06.7" title="A rule for empty clusters" topic="starts-and-empty-clusters"
# ### Exercise 06.7 · A rule for empty clusters (10 min)
#
# Write `update`, the end of an iteration. All arguments are NumPy arrays in the notebook, already merged over all blocks.

# %% tags=["exercise"] exercise="06.7"
def update(sums, counts, centroids, far_points):
    """Return the new centroids, k × d; change none of the arguments.

    A cluster with points gets their mean. A cluster without points gets the next of far_points (m × d, the farthest first).
    When none is left, its centroid stays where it is.
    """
    ### BEGIN SOLUTION
    new = centroids.copy()
    used = counts > 0
    new[used] = sums[used] / counts[used, None]
    empty = np.flatnonzero(~used)[: len(far_points)]
    new[empty] = far_points[: len(empty)]
    return new
    ### END SOLUTION

# %% tags=["check"] exercise="06.7"
check("06.7", update)

# %% [markdown] tags=["hint-1"] exercise="06.7"
# There are three groups: clusters with points, empty clusters that get a far point, and empty clusters for which there is none. Start with a
# copy of the old centroids: the third group is then done.

# %% [markdown] tags=["hint-2"] exercise="06.7"
# `used = counts > 0` marks the first group. Divide only there: `sums[used] / counts[used, None]`. `np.flatnonzero(~used)` gives the
# indices of the empty clusters.

# %% [markdown] tags=["hint-3"] exercise="06.7"
# Let `empty = np.flatnonzero(~used)[:len(far_points)]`; then `new[empty] = far_points[:len(empty)]`. Both sides have the same
# number of rows, even if it is 0.

# %% tags=["run"]
def kmeans_with_rule(client, parts, start, update, iterations=15):
    """The loop of 06.5 with your rule: each iteration also fetches the farthest points of each block."""
    path, inertias = [start], []
    for _ in range(iterations):
        results = client.gather(client.map(step, parts, centroids=path[-1], pure=False))
        sums, counts, inertia = (sum(values) for values in zip(*results))
        far = client.gather(client.map(farthest, parts, centroids=path[-1], m=len(start), pure=False))
        distances, points = (np.concatenate(values) for values in zip(*far))
        inertias.append(inertia)
        path.append(update(sums, counts, path[-1], points[np.argsort(-distances)]))
    return path, inertias


if fit and update(np.zeros((1, 3)), np.zeros(1), np.ones((1, 3)), np.ones((0, 3))) is not None:
    outside = start_colours(K)
    outside[K // 2 :] += 2  # brighter than white: no pixel is near these centroids
    stays, stays_inertias = kmeans(lab.client, parts, outside, max_iterations=15)
    rule, rule_inertias = kmeans_with_rule(lab.client, parts, outside, update)
    for name, last, inertia in (("stay", stays[-1], stays_inertias[-1]), ("follow your rule", rule[-1], rule_inertias[-1])):
        used = len(np.unique(assign(pixels, last)))
        print(f"If empty clusters {name}: {used} of {K} clusters have points, inertia {inertia:,.0f}.")

# %% [markdown] anchor="first-centroids"
# ## 10. Better first centroids, in few rounds: k-means||
#
# *k-means++* chooses first centroids that are far from each other: one point at a time, with a probability proportional to its squared distance D² from
# the nearest one chosen so far. For k centroids it makes k passes over all points. On a cluster, all workers must communicate in each pass.
# **k-means||** (pronounced "k-means parallel"; Bahmani and others, 2012) needs only a few passes. Its authors prove that O(log ψ) rounds are enough,
# where ψ is the cost of the first point alone; in practice, five are:
#
# 1. Start with one point, the first *candidate*.
# 2. Five times: add up D² over all points, the *cost*. Then **every point decides for itself**, with the probability
#    *wanted* × D² / cost, whether it becomes a candidate. About *wanted* = 2 k points do so in each round.
# 3. Give each candidate a weight: the number of points that are nearest to it.
# 4. In the notebook, cluster the few weighted candidates into k centroids.
#
# The number of points drawn is random, in each block and each round; only its average is *wanted*. (Libraries call the 2 in 2 k
# the `oversampling_factor`. Sampling over all rounds gives about 5 × 2 × k candidates.)
#
# The data: the hourly weather at three airports in 2013. Temperature, dew point, humidity, wind and visibility have different units, so we
# **standardise** each column: mean 0, standard deviation 1. Otherwise humidity, in percent, would dominate.

# %% tags=["run"]
lessons.banner("weather")

# %% tags=["run"]
from gpucluster import datasets

columns = ["temp", "dewp", "humid", "wind_speed", "visib"]
weather = datasets.weather(as_frame="pandas")[columns].dropna()
hours = ((weather - weather.mean()) / weather.std()).to_numpy(dtype=float)
hour_parts = share_out(hours, 2)
print(f"{len(hours):,} complete hours × {hours.shape[1]} features")

# %% tags=["run"]
from sklearn.cluster import KMeans as OneProcess


def first_point(block):
    return as_numpy(block[:1])


def shrink(candidates, weights, k, seed):
    """Step 4: cluster a few weighted candidates into k centroids, here in the notebook."""
    few = OneProcess(n_clusters=k, n_init=5, random_state=seed).fit(candidates, sample_weight=weights)
    return few.cluster_centers_

# %% [markdown] exercise="06.8" title="k-means||" topic="starts-and-empty-clusters"
# ### Exercise 06.8 · k-means|| (20 min)
#
# 1. Write `draw`: the decision of the points of one block, in one round (step 2).
# 2. Write `first_centroids`: steps 1 to 4, in at least four rounds, each with the cost of all candidates so far. Your `step` from section 6 already gives
#    cost *and* weights: look at what it returns. At the end, each centroid is the weighted mean of its candidates.

# %% tags=["exercise"] exercise="06.8"
def draw(block, candidates, wanted, cost, seed):
    """Return the points of the block that become candidates, as a NumPy array with one row per point (perhaps none).

    Each point decides for itself, with probability wanted × D² / cost; D² is its squared distance to the nearest
    candidate. np.random.default_rng(seed).random(len(block)) gives one number between 0 and 1 for each point.
    """
    ### BEGIN SOLUTION
    candidates = np.asarray(candidates, like=block)
    squared = ((block - candidates[assign(block, candidates)]) ** 2).sum(axis=1)
    numbers = np.asarray(np.random.default_rng(seed).random(len(block)), like=block)
    return as_numpy(block[numbers < wanted * squared / cost])
    ### END SOLUTION


def first_centroids(client, parts, k, seed=0):
    """Return k first centroids, and the candidates they come from, after about five rounds that want 2 k points each.

    The same seed gives the same candidates, another seed others.
    """
    ### BEGIN SOLUTION
    candidates = client.submit(first_point, parts[0], pure=False).result()
    for number in range(5):
        results = client.gather(client.map(step, parts, centroids=candidates, pure=False))
        cost = sum(inertia for _, _, inertia in results)
        drawn = [
            client.submit(draw, part, candidates, 2 * k, cost, [seed, number, index], pure=False)
            for index, part in enumerate(parts)
        ]
        candidates = np.concatenate([candidates, *client.gather(drawn)])
    results = client.gather(client.map(step, parts, centroids=candidates, pure=False))
    weights = sum(counts for _, counts, _ in results)
    return shrink(candidates, weights, k, seed), candidates
    ### END SOLUTION

# %% tags=["check"] exercise="06.8"
check("06.8", draw, first_centroids)

# %% [markdown] tags=["hint-1"] exercise="06.8"
# `draw`: which centroid is nearest? You have a function for that. A point becomes a candidate if its random number is smaller than its
# probability. `first_centroids`: the cost is the inertia of the candidates, and the weights are their counts.

# %% [markdown] tags=["hint-2"] exercise="06.8"
# In `draw`, `candidates[assign(block, candidates)]` is the nearest candidate of each point, and `block[condition]` keeps the points where the
# condition is true. In `first_centroids`, each block needs its own seed in each round, such as `[seed, round, block]`; otherwise equal blocks
# draw the same numbers.

# %% [markdown] tags=["hint-3"] exercise="06.8"
# One round: `results = client.gather(client.map(step, parts, centroids=candidates, pure=False))`; `cost` is the sum of the third items;
# `client.submit(draw, part, candidates, 2 * k, cost, [seed, number, index])` for each part; join the old candidates and the drawn
# points with `np.concatenate`. After five rounds call `step` again for the counts, then `shrink`.

# %% tags=["run"]
starts = {}
if fit and first_centroids(lab.client, hour_parts, 2) is not None:
    rng = np.random.default_rng(0)
    random_starts = [rng.choice(hours, 12, replace=False) for _ in range(5)]
    better_starts = [first_centroids(lab.client, hour_parts, 12, seed)[0] for seed in range(5)]
    for name, chosen in {"random points": random_starts, "k-means||": better_starts}.items():
        runs = [kmeans(lab.client, hour_parts, one, tolerance=0.01)[1] for one in chosen]
        starts[name] = [(inertias[0], inertias[-1]) for inertias in runs]
        iterations = sum(map(len, runs)) / len(runs)
        print(f"{name}: {iterations:.0f} iterations on average, best inertia {min(runs, key=lambda run: run[-1])[-1]:,.0f}")
figures.starts(starts)

# %% [markdown]
# **Explain:** on the left, k-means|| starts where a random start arrives only after many iterations. On the right, a random start may end in a
# much worse minimum, and no number of iterations improves it. k-means|| does not guarantee the best result. It guarantees only that the start is
# not very bad on average.

# %% [markdown] exercise="06.9" title="Compare with the library" topic="testing-kmeans"
# ## 11. Compare with the library
#
# `gpucluster.learn.KMeans` has the parameters of scikit-learn's `KMeans` and takes Dask arrays: one row per point, split along the
# rows. Its workers exchange sums and counts, as yours do, but without a round trip to the notebook in each iteration.
#
# ### Exercise 06.9 (10 min)
#
# 1. Write `fit_library`: fit it **from the same start** as your loop. (How it chooses first centroids is another question; here it
#    must not choose.)
# 2. Write `agreement`: two figures that show whether two results are the same.
#
# A comparison must look in **both directions**. An inertia that is 20 % larger than yours is an error. One that is 20 % smaller is not
# good news either: the program did something else.

# %% tags=["exercise"] exercise="06.9"
from gpucluster.learn import KMeans
from sklearn.metrics import adjusted_rand_score


def fit_library(X, start):
    """Return a gpucluster.learn.KMeans, fitted on the Dask array X from the given centroids."""
    ### BEGIN SOLUTION
    return KMeans(n_clusters=len(start), init=start, n_init=1, max_iter=300, tol=0).fit(X)
    ### END SOLUTION


def agreement(points, mine, library):
    """Compare the centroids of two fits on the same points (all NumPy arrays); return two numbers.

    difference  (inertia of mine - inertia of library) / inertia of library
    ari         adjusted Rand index of the labels: 1 if the groups are the same, about 0 if they have nothing in common
    """
    ### BEGIN SOLUTION
    labels = [assign(points, centroids) for centroids in (mine, library)]
    inertias = [partial(points, own, centroids)[2] for own, centroids in zip(labels, (mine, library))]
    return inertias[0] / inertias[1] - 1, adjusted_rand_score(*labels)
    ### END SOLUTION

# %% tags=["check"] exercise="06.9"
check("06.9", fit_library, agreement)

# %% [markdown] tags=["hint-1"] exercise="06.9"
# `init` takes the name of a method, or an array of centroids. How often should it run, if the start is given? Labels may be numbered
# differently in two results: which figure ignores that?

# %% [markdown] tags=["hint-2"] exercise="06.9"
# `KMeans(n_clusters=…, init=start, n_init=1)`, then `.fit(X)`, which returns the model. For `agreement`, you already have all parts:
# `assign` gives labels, `partial` gives their inertia.

# %% [markdown] tags=["hint-3"] exercise="06.9"
# `partial(points, assign(points, mine), mine)[2]` is the inertia of `mine`. The difference keeps its sign:
# `inertia_mine / inertia_library - 1`. `adjusted_rand_score(labels_mine, labels_library)` does the rest.

# %% tags=["run"]
X = da.from_array(pixels, chunks=(-(-len(pixels) // 4), 3)).to_backend().persist()
began = time.perf_counter()
model = fit_library(X, start)
library_seconds = time.perf_counter() - began
if fit and model is not None:
    library = as_numpy(model.cluster_centers_)
    began = time.perf_counter()
    longer, _ = kmeans(lab.client, share_out(pixels, 2), start, tolerance=1e-5)
    loop_seconds = time.perf_counter() - began
    for tolerance, mine in ((1e-3, path), (1e-5, longer)):
        difference, ari = agreement(pixels, mine[-1], library)
        print(f"your loop to {tolerance}: {len(mine) - 1} iterations, inertia {difference:+.3%}, ARI {ari:.4f}")
    print(f"the library: {model.n_iter_} iterations in {library_seconds:.2f} s; your loop to 1e-05: {loop_seconds:.2f} s")

# %% [markdown]
# **Explain:** Two correct programs from the same start agree to within 1 % in inertia, with an ARI above 0.98, once both have run until
# the centroids stop moving. The first line shows that an early stop hardly changes the inertia, but does change the labels. Without
# `init=start`, the library chooses first centroids that are far apart (*k-means++*; `init="k-means||"` does that in a few rounds, for
# large data), and may end in another minimum. Try it: which of the two figures shows it?
#
# A fitted model has more to offer. `predict` gives the labels, row by row in the order of X, and stays lazy. `score` is the inertia with a
# minus sign, so that larger is better; each worker adds up its own part.

# %% tags=["run"] anchor="predict-and-score"
if fit and model is not None:
    labels = model.predict(X)
    print(labels)
    print("pixels per colour:", np.bincount(as_numpy(labels.compute())))
    print(f"score {model.score(X):,.2f}, inertia {model.inertia_:,.2f}")

# %% [markdown] anchor="random-state"
# ### Spot the error
#
# Some notes on distributed KMeans say: *"KMeans requires `random_state` to be set."* And: *"`oversampling_factor` must be
# larger than 0."* One of these two is out of date. Which?

# %% tags=["run"]
for attempt in (1, 2):
    free = KMeans(n_clusters=K, init="k-means||", max_iter=20).fit(X)
    print(f"without random_state, attempt {attempt}: inertia {float(free.inertia_):,.2f}")
with lessons.expect_failure():
    KMeans(n_clusters=K, init="k-means||", oversampling_factor=0).fit(X)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The first. Without `random_state`, one seed is drawn for all workers, and two fits may end in different minima; with it, fits are reproducible.
# (The notes were right for an older version of one library; the current version draws the seed, too.) The second still holds: a factor of 0
# would draw no candidates at all.
#
# </details>

# %% [markdown] exercise="06.10" title="The photo in k colours" topic="distances-in-memory"
# ## 12. Make: the photo in k colours
#
# ### Exercise 06.10 (10 min)
#
# Paint each pixel with its centroid's colour, for k = 4, 8 and 16, and see how small the file becomes.
#
# 1. Write `recolour`. The result has one row per pixel, in the order of the photo: red, green, blue as 8-bit numbers
#    (0–255), rounded. The notebook needs the labels, but *not the points*: how few bytes can travel? The check allows 3 per pixel.
# 2. Fill `pictures` with one image for each k, in the shape of the photo, from a k-means that has converged (its centroids no longer move).

# %% tags=["exercise"] exercise="06.10"
def recolour(client, parts, centroids):
    """Return the colour of each pixel's centroid, as an array of n × 3 numbers of type uint8."""
    ### BEGIN SOLUTION
    def label(block, centroids):
        labels = assign(block, np.asarray(centroids, like=block))
        return as_numpy(labels.astype(np.uint8))  # 1 byte per pixel

    labels = np.concatenate(client.gather(client.map(label, parts, centroids=centroids)))
    return (centroids * 255).round().astype(np.uint8)[labels]
    ### END SOLUTION


pictures = {}
for k in (4, 8, 16):
    ### BEGIN SOLUTION
    path_k, _ = kmeans(lab.client, parts, start_colours(k))
    pictures[k] = recolour(lab.client, parts, path_k[-1]).reshape(photo.shape)
    ### END SOLUTION

# %% tags=["check"] exercise="06.10"
check("06.10", recolour, pictures)

# %% [markdown] tags=["hint-1"] exercise="06.10"
# A worker can find the label of each of its pixels with `assign`. Which is smaller: k colours and one label per pixel, or
# three numbers per pixel?

# %% [markdown] tags=["hint-2"] exercise="06.10"
# Fetch the labels of all blocks, in order (`client.gather` keeps it), and join them with `np.concatenate`. As `uint8`, a label takes
# one byte instead of eight. An array of k colours, indexed with the labels, gives a colour per pixel.

# %% [markdown] tags=["hint-3"] exercise="06.10"
# `palette = (centroids * 255).round().astype(np.uint8)`, then `palette[labels]`. For `pictures`, run `kmeans` with
# `start_colours(k)`, take the last entry of its path, call `recolour`, and `.reshape(photo.shape)`.

# %% tags=["run"]
if ready("06.10", recolour, pictures):
    figures.pictures(photo, pictures)
    for k, picture in {"all": photo, **pictures}.items():
        n_colours = len(distinct_colours(picture)[0])
        print(f"k = {k:>3}: {n_colours:6,} colours, PNG {png_bytes(picture) / 1000:4.0f} kB")

# %% [markdown] tags=["keypoints"]
# ## Key points
#
# * Move the computation to the data. The points stay; **sums and counts** travel: 8 k (d + 1) bytes per block and iteration,
#   whatever the number of points.
# * Means cannot be merged; sums and counts can. What adds up can be distributed.
# * Intermediate arrays, not the data, fill the memory: n × k × d is a trap.
# * Allreduce gives every rank the same sum, so every rank can continue independently. Base decisions only on what all ranks know.
# * Do not divide by 0 for an empty cluster: one NaN takes all points. Give it the farthest point.
# * The start decides which minimum you end up in. k-means|| finds good starts in a few rounds, in practice five, whatever k is.
# * Test by properties: the inertia never rises, and the result does not depend on how the data is split. Compare in both
#   directions.

# %% tags=["quiz"]
lessons.quiz("06")

# %% tags=["cards"]
lessons.cards("06")

# %% [markdown] anchor="where-it-runs"
# ### Laptop, one GPU, cluster
#
# * **Laptop:** two worker processes. The photo is so small that one process alone would be faster; you learn the pattern, not the
#   speed.
# * **One GPU:** the same cells. The blocks are then CuPy arrays in GPU memory, and NumPy's functions run there. Only the sums and counts come back
#   to the host. With one worker, the workers' communicator has one rank; MPI still starts two, on the host.
# * **Run on a GPU:** all checks passed on one NVIDIA H200 on 2026-11-27, with RAPIDS 26.10.
# * **Cluster:** the same loop, more blocks. The notebook merges one small result per block; with thousands of blocks, let the
#   workers merge in a tree, which is what Allreduce does. Your site's `mpiexec` or `srun` starts the ranks.

# %% tags=["run"]
lab.close()

# %% [markdown] tags=["instructor"]
# ### For the instructor
#
# * **Goal:** learners say unprompted that sums and counts travel, not means, and why n is not in the formula.
# * **Time:** 5 blackboard · 5 for 06.1 · 10 data and step 1 · 15 for 06.2 · 10 for 06.3 · 10 for 06.4 · 20 for 06.5 and section 7 = 75. Second session: 20
#   for 06.6 · 10 for 06.7 · 20 for 06.8 · 10 for 06.9 · 10 for 06.10, quiz.
# * **When late:** give the solution of 06.2; leave out 7b and 7c; 06.8 is the first candidate for homework.
# * **On the projector:** the blackboard first, with a sheet of paper per "worker". Let the class vote on 06.b before anyone types. During 06.5, open the
#   task stream: short blocks of `step`, with gaps while the notebook merges. In section 8, show that the gaps are gone: the ranks do not wait for the
#   notebook. Show the animation of the centroids, then `seed=4`.
# * **Common mistakes:** `labels.sum()` without `minlength` (a cluster without points disappears, 06.3); inertia without the square (06.3); dividing per
#   block and averaging (06.5 fails for 2, 3 and 7 parts but passes for 1: ask why); gathering the blocks (06.5 is right, but the number of bytes shows
#   it); `path` that holds the same array many times because it was changed in place; stopping on a rank's own sums (06.6: one rank leaves, the other
#   waits; the check reports it); drawing a fixed number of points per block (06.8).
# * **06.6 without MPI:** the workers are the ranks; everything else is the same. `pip install 'gpucluster[mpi]'` brings MPI without root rights.
# * **Measured** with two workers: see the line that the notebook prints. Timings of such small data say nothing about speed.
