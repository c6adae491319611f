# ---
# jupyter:
#   gpucluster:
#     lesson: "06"
#     title: Distributed k-means, from the blackboard to the cluster
#     minutes: 85
#     needs: cpu
#     objectives:
#       - derive which numbers must travel between workers, and count their bytes
#       - implement k-means on blocks of data that stay where they are
#       - disprove that the mean of means is the mean
#       - show that the result does not depend on how the data is cut
#       - compare two programs in both directions
# ---

# %% [markdown]
# # Distributed k-means, from the blackboard to the cluster
#
# **85 minutes** (30 of reading, 55 of writing) · you need: NumPy, and a first idea of Dask futures
#
# At the end you can
#
# * **derive** which numbers must travel between workers, and **count** their bytes;
# * **implement** k-means on blocks of data that stay where they are;
# * **disprove** that the mean of means is the mean;
# * **show** that the result does not depend on how the data is cut;
# * **compare** two programs in both directions.
#
# Work from top to bottom. Where you see `...`, it is your turn. Three functions help:
#
# | | |
# |---|---|
# | `check("06.2", assign)` | tries your answer on random inputs and says which properties hold |
# | `hint("06.2")` | gives the next of three hints |
# | `solution("06.2")` | shows one right solution after the hints |

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("06")

# %% [markdown]
# The lines above say what you are running on. The rest of this notebook is the same everywhere.

# %% tags=["run"]
import time

import dask.array as da
import numpy as np

from gpucluster.lessons import as_numpy, check, compare, hint, peak_bytes, predict, solution
from gpucluster.lessons.figures import kmeans as figures
from gpucluster.lessons.pictures import distinct_colours, load_photo, png_bytes

# %% [markdown]
# ## 1. The blackboard
#
# K-means looks for *k* **centroids** such that each point is as near as possible to its nearest centroid.
# A well-known set of slides puts the parallel version like this:
#
# > **0** choose the initial means at random · **1** distribute the elements among the workers · **2** assign each
# > element to the cluster with the closest mean · **3** calculate the *local* means for all local points ·
# > **4** calculate the *global* means by calling Allreduce · **5** repeat 2–4 until convergence
#
# ("Allreduce" adds up one array per worker and gives the sum to all of them.)
# One of these steps is wrong as it stands. You will find out which in exercise 06.4.
#
# **How good is a set of centroids?** The *inertia* says it: the sum, over all points, of the squared distance to the
# nearest centroid. K-means makes it smaller with every iteration, or at least never larger.

# %% [markdown]
# ## 2. The data: every pixel is a point
#
# A pixel is a point with three coordinates: red, green and blue, each between 0 and 1. The clusters of such points are
# the main colours of the photo.
#
# Photo: "china.jpg" by [danielbuechele](https://www.flickr.com/photos/danielbuechele/6061409035/),
# [CC BY 2.0](https://creativecommons.org/licenses/by/2.0/), bundled with scikit-learn.

# %% tags=["run"]
photo = load_photo()
pixels = photo.reshape(-1, 3) / 255
figures.photo(photo)
print(f"{len(pixels):,} points × {pixels.shape[1]} features, {pixels.nbytes / 1e6:.1f} MB as float64")

# %% [markdown]
# ### Step 1: share out the points
#
# `share_out` cuts the points into blocks and leaves one block after the other on a worker. You get back **futures**: names of
# data that live elsewhere. The notebook does not need the points any more, and a data set that is too big for
# one machine would never have been in the notebook at all.

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
# We pick *k* different colours of the photo. The seed is fixed, so that you can compare your numbers with those of your
# neighbour.

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
# and add up. It looks elegant. What does it cost?
#
# **Predict:** the pixels have 6.6 MB. How many MB does the line need at its worst moment, for 16 centroids?

# %% tags=["predict"]
predict("06.a", 105)  # SOLUTION

# %% tags=["run"]
def assign_in_one_line(points, centroids):
    return ((points[:, None, :] - centroids[None, :, :]) ** 2).sum(axis=2).argmin(axis=1)


compare("06.a", peak_bytes(assign_in_one_line, pixels, start_colours(16)) / 1e6, "MB")

# %% [markdown]
# **Explain:** The line builds an array of n × k × d numbers before it adds anything up: 105 MB here, 16 times the data. The n × k
# sums are another 35 MB; of these there is no way round. On a real data set this is how a worker runs out of memory although "the
# data fits easily".

# %% [markdown] exercise="06.2" title="Find the nearest centroid"
# ### Exercise 06.2 · Find the nearest centroid (10 min)
#
# Write `assign` so that it never holds an array of n × k × d numbers.

# %% tags=["exercise"] exercise="06.2"
def assign(points, centroids):
    """Return, for each of the n points, the number (0 … k-1) of the nearest centroid."""
    ### BEGIN SOLUTION
    # |p - c|² = |p|² - 2 p·c + |c|², and |p|² is the same for all centroids: leave it out.
    scores = points @ centroids.T
    scores *= -2
    scores += (centroids**2).sum(axis=1)
    return scores.argmin(axis=1)
    ### END SOLUTION

# %% tags=["check"] exercise="06.2"
check("06.2", assign)

# %% [markdown] tags=["hint-1"] exercise="06.2"
# You need only one distance per point *and centroid*. Is there a way to get them without first storing the
# difference of every feature?

# %% [markdown] tags=["hint-2"] exercise="06.2"
# Two ways work. Either loop over the k centroids (k is small) and remember the best distance so far. Or multiply out
# |p − c|² and see which term does not depend on the centroid.

# %% [markdown] tags=["hint-3"] exercise="06.2"
# `points @ centroids.T` gives all products p·c at once, as an array of n × k numbers. You still need −2 times that, plus
# the squared length of each centroid, and then `argmin` along the right axis.

# %% [markdown]
# ## 4. Step 3: what does a worker tell the others?
#
# A worker knows only its own points. To find the new centroids we need, for each cluster, something from each worker.
# The points themselves would do, but they are what we do not want to send.

# %% [markdown] exercise="06.3" title="Sums, counts and inertia of one block"
# ### Exercise 06.3 · Sums, counts and inertia of one block (10 min)
#
# Write `partial`. Its results must **add up**: those of two blocks, added, are those of the two blocks together.

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
# `labels == j` is true for the points of cluster j. A block may have no point of some cluster; its row is then zero,
# but it is still there.

# %% [markdown] tags=["hint-3"] exercise="06.3"
# `np.bincount(labels, minlength=k)` counts. With `weights=points[:, j]` it adds up feature j per cluster.
# `centroids[labels]` is an array with the own centroid of each point; use it for the inertia.

# %% [markdown]
# ## 5. Step 4: spot the error
#
# Step 3 of the slides calculates local **means**; step 4 calculates the global **means** by Allreduce, that is, it takes
# the mean of the local means.
#
# **Predict:** is the mean of the workers' means always the mean of all points? Write `"yes"` or `"no"`.

# %% tags=["predict"]
predict("06.b", "no")  # SOLUTION

# %% [markdown] exercise="06.4" title="The mean of means is wrong"
# ### Exercise 06.4 · Break it (5 min)
#
# Give a counter-example: some parts whose mean of means is **more than 1 %** away from the mean of all their points.
# Small numbers are best: you should be able to do it in your head.

# %% tags=["exercise"] exercise="06.4"
# A list of arrays, one per worker, such as [np.array([1.0, 2.0]), np.array([5.0, 6.0])].
counter_example = [np.array([0.0, 0.0, 0.0]), np.array([4.0])]  # SOLUTION

# %% tags=["check"] exercise="06.4"
check("06.4", counter_example)

# %% [markdown] tags=["hint-1"] exercise="06.4"
# When would the mean of means be right? Take the opposite.

# %% [markdown] tags=["hint-2"] exercise="06.4"
# If both parts have the same number of points, each point counts the same. Make one part much bigger than the other.

# %% [markdown] tags=["hint-3"] exercise="06.4"
# One part with three equal points and one part with a single, different point: the single point then counts as much as
# the three others together.

# %% tags=["run"]
few, many = pixels[:1000], pixels[1000:]
mean_of_means = (few.mean(axis=0) + many.mean(axis=0)) / 2
compare("06.b", "yes" if np.allclose(mean_of_means, pixels.mean(axis=0)) else "no")

# %% [markdown]
# **Explain:** A mean has forgotten how many points it stands for. Sums and counts have not. So Allreduce the **sums and
# the counts**, and divide once, at the end. The order of steps 3 and 4 is right; what is sent is not.

# %% [markdown]
# ## 6. The whole loop
#
# One task per block does steps 2 and 3 where the block is. Only `step`'s result travels.

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

# %% [markdown] exercise="06.5" title="The full distributed loop"
# ### Exercise 06.5 · The full distributed loop (20 min)
#
# Write `kmeans`. In each iteration: start `step` on all blocks, fetch the small results, merge them, and compute the new
# centroids. Keep what you see on the way: `path` is the list of all centroids (the start first, the result last),
# `inertias[i]` is the inertia that belongs to `path[i]`. Stop when no coordinate moves by more than
# `tolerance` (0.001 is a quarter of one step of an 8-bit colour). A centroid without points stays where it is.
#
# The check runs your loop on the cluster, with the same points cut into 1, 2, 3 and 7 parts of unequal size.

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
# Write it for one iteration first. `client.map(step, parts, centroids=centroids, pure=False)` starts one task per
# block, on the worker that holds the block, and returns futures (`pure=False`: compute it again, whatever was computed before). `client.gather(futures)` fetches the results: a list of (sums, counts, inertia).

# %% [markdown] tags=["hint-2"] exercise="06.5"
# Add up the sums of all blocks, and the counts of all blocks, and the inertias. Only then divide. `counts[:, None]` makes a
# column, so that each row of the sums is divided by its own count.

# %% [markdown] tags=["hint-3"] exercise="06.5"
# Begin with `path, inertias = [start], []`. In each iteration append the merged inertia to `inertias` and the new centroids to
# `path`, then compare `path[-1]` with `path[-2]`: if `np.abs(...).max() <= tolerance`, leave the loop with `break`.

# %% [markdown]
# ### Run it on the photo

# %% tags=["run"]
K = 8
start = start_colours(K)
with lab.traffic() as traffic:
    began = time.perf_counter()
    fit = kmeans(lab.client, parts, start)
    seconds = time.perf_counter() - began

if fit:
    path, inertias = fit
    found = {"k": K, "points": len(pixels), "iterations": len(inertias), "inertia": inertias[-1]}
    display(lab.report(**found, seconds=seconds))
else:
    print("Nothing to report yet: write kmeans first (exercise 06.5).")

# %% tags=["run"]
figures.inertia_curve(fit)

# %% tags=["run"]
figures.centroid_paths(fit, pixels)

# %% [markdown]
# Each line is the way of one centroid through the colours, from the small circle (start) to the large one (end).

# %% [markdown]
# ### What travelled?
#
# The workers counted what they sent. The calculation says: k × d sums and k counts of 8 bytes, **8 k (d + 1)** per block
# and iteration. The number of points does not appear in it. (Measured is a little more: the inertia, and the
# Python objects around the arrays.)

# %% tags=["run"]
compare("06.c", 8 * K * (pixels.shape[1] + 1), "bytes")

# %% tags=["run"]
figures.traffic(fit, traffic.bytes, len(parts), pixels)

# %% [markdown]
# ## 7. Change something
#
# **a) Cut the data differently.** The result must stay the same up to rounding: numbers with a decimal point are added in a different order, and
# their sum may differ in the last digits.

# %% tags=["run"]
if fit:
    for n_parts in (1, 2, 3, 7):
        again, _ = kmeans(lab.client, share_out(pixels, n_parts), start, max_iterations=10)
        gap = np.abs(again[-1] - path[len(again) - 1]).max()
        print(f"{n_parts} parts, {len(again) - 1} iterations: largest difference of a centroid {gap:.1e}")

# %% [markdown]
# **b) Make the mistake of the slides on purpose.** `step_with_means` divides on the worker and sends each mean with a count
# of 1: your own loop then computes the mean of means. The photo is cut into one large strip and two small ones. The large one has
# the sky and the temple, the small ones are mostly trees: the parts are not alike.

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
# **Explain:** no error, no warning, plausible colours, and a wrong answer. A falling inertia is the cheapest test there is:
# k-means with correct means can never let it rise.
#
# **c) Your turn:** change `K`, or the `seed` of `start_colours`, and run from there again. Does another start end at the
# same inertia? (It need not: k-means finds *a* minimum, not the smallest one. Try `seed=4`.)

# %% [markdown] exercise="06.9" title="Compare with the library"
# ## 8. Compare with the library
#
# `gpucluster.learn.KMeans` has the parameters of scikit-learn's `KMeans` and takes Dask arrays: one row per point, cut along the
# rows. Its workers send each other sums and counts, as yours do, but without a round trip to the notebook in each iteration.
#
# ### Exercise 06.9 (10 min)
#
# 1. Write `fit_library`: fit it **from the same start** as your loop. (Which first centroids it chooses by itself is another
#    question; here it must not choose.)
# 2. Write `agreement`: two figures that say whether two results are the same.
#
# A comparison must look in **both directions**. An inertia that is 20 % larger than yours is an error. One that is 20 % smaller is not
# good news either: it did not do what you asked for.

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
# `init` takes the name of a method, or an array of centroids. How often should it run, if the start is given? Labels need not have the
# same numbers in two results: which figure does not mind?

# %% [markdown] tags=["hint-2"] exercise="06.9"
# `KMeans(n_clusters=…, init=start, n_init=1)`, then `.fit(X)`, which returns the model. For `agreement`, you have all parts already:
# `assign` gives labels, `partial` gives the inertia that belongs to them.

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
    longer, _ = kmeans(lab.client, parts, start, tolerance=1e-5)
    loop_seconds = time.perf_counter() - began
    for tolerance, mine in ((1e-3, path), (1e-5, longer)):
        difference, ari = agreement(pixels, mine[-1], library)
        print(f"your loop to {tolerance}: {len(mine) - 1} iterations, inertia {difference:+.3%}, ARI {ari:.4f}")
    print(f"the library: {model.n_iter_} iterations in {library_seconds:.2f} s; your loop to 1e-05: {loop_seconds:.2f} s")

# %% [markdown]
# **Explain:** Two right programs from the same start agree to within 1 % of the inertia and an ARI above 0.98, once both have
# gone on until the centroids stand still. The first line shows that inertia hardly notices an early stop; the labels do.
# Without `init=start`, the library chooses first centroids that are far from each other (*k-means++*; `init="k-means||"` does that in
# few rounds, for large data), and may end in another minimum. Try it: which of the two figures tells you?

# %% [markdown] exercise="06.10" title="The photo in k colours"
# ## 9. Make: the photo in k colours
#
# ### Exercise 06.10 (10 min)
#
# Paint each pixel with its centroid's colour, for k = 4, 8 and 16, and see how small the file becomes.
#
# 1. Write `recolour`. The result has one row per pixel, in the order of the photo: red, green, blue as 8-bit numbers
#    (0–255). Labels are needed in the notebook, but *the points are not*: how few bytes can travel?
# 2. Fill `pictures` with one image for each k, in the shape of the photo.

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
figures.pictures(photo, pictures)
for k, picture in {"all": photo, **pictures}.items():
    n_colours = len(distinct_colours(picture)[0])
    print(f"k = {k:>3}: {n_colours:6,} colours, PNG {png_bytes(picture) / 1000:4.0f} kB")

# %% [markdown]
# ## Keypoints
#
# * Move the computation to the data. The points stay; **sums and counts** travel: 8 k (d + 1) bytes per block and iteration,
#   whatever the number of points.
# * Means cannot be merged, sums and counts can. What adds up can be distributed.
# * Intermediate arrays, not the data, fill the memory: n × k × d is a trap.
# * Test by properties: the inertia never rises, and the result does not depend on how the data is cut.
#
# ### Laptop, one GPU, cluster
#
# * **Laptop:** two worker processes. The photo is so small that one process alone would be faster; you learn the pattern, not the
#   speed.
# * **One GPU:** the same cells. The blocks are then CuPy arrays in GPU memory, and NumPy's functions run there. Only the sums and counts come back
#   to the host.
# * **Cluster:** the same loop, more blocks. The notebook merges one small result per block; with thousands of blocks, let the
#   workers merge in a tree, which is what Allreduce does.

# %% tags=["run"]
lab.close()

# %% [markdown] tags=["instructor"]
# ### For the instructor
#
# * **Goal:** learners say by themselves that sums and counts travel, not means, and why n is not in the formula.
# * **Time:** 5 blackboard · 10 data and step 1 · 15 for 06.2 · 10 for 06.3 · 10 for 06.4 · 20 for 06.5 · 10 for 06.10. When late, give the solution of
#   06.2 and leave out 7c.
# * **On the projector:** the blackboard first, with a sheet of paper per "worker". Let the class vote on 06.b before anybody types. During 06.5
#   open the task stream: short blocks of `step`, gaps in between while the notebook merges.
# * **Common mistakes:** `labels.sum()` without `minlength` (a cluster without points disappears, 06.3); inertia without the square (06.3);
#   dividing per block and averaging (06.5 fails for 2, 3 and 7 parts but passes for 1: ask why); gathering the blocks (06.5 is right, but
#   the bytes betray it); `path` that holds the same array many times because it was changed in place.
# * **Measured** with two workers: see the line that the notebook prints; timings of such small data say nothing about speed.
