# ---
# jupyter:
#   gpucluster:
#     lesson: "08"
#     title: "Six steps: cluster, load, choose, fit, predict, collect"
#     minutes: 150
#     needs: cpu
#     objectives:
#       - run the six steps of cuML's workflow on real data
#       - write five distributed estimators as small results of blocks that are merged
#       - recognise the trap of each estimator, and fix it
#       - distinguish lazy from eager predictions, and refuse to collect too much
#       - describe which process sends which messages during a fit
#     topics:
#       sums: {title: Estimators made of sums, link: "08.1"}
#       traps: {title: The trap of each estimator, link: "08#sorted-rows"}
#       collecting: {title: Lazy, eager and collected results, link: "08.6"}
#       order: {title: Which row a label belongs to, link: "08.7"}
#       layers: {title: Layers and messages, link: "08#layers"}
# ---

# %% [markdown]
# # Six steps: cluster, load, choose, fit, predict, collect
#
# **150 minutes, the time of two lessons** (35 of reading, 115 of writing). Stop after the trace of one fit, before exercise 08.4, and continue another day ·
# you need: NumPy, Dask arrays and futures (lesson 06), Cholesky or any other way to solve A x = b (lesson 07, section 0); a refresher on gradients comes
# before exercise 08.3 (8 minutes more if they are new to you)
#
# You write five of the estimators. The tour shows the others, with their names and rules; you do not have to remember them all.
#
# After this lesson, you can
#
# * **run** the six steps of cuML's workflow on real data;
# * **write** five distributed estimators as small results of blocks that are merged;
# * **recognise** the trap of each estimator, and **fix** it;
# * **distinguish** lazy from eager predictions, and **refuse** to collect too much;
# * **describe** which process sends which messages during a fit.
#
# cuML is NVIDIA's library with scikit-learn's estimators. You use its distributed half, `cuml.dask`, in six steps. We follow them with `gpucluster.learn`,
# which has the same names and methods, and uses `cuml.dask` where it can.
#
# | step | what you write | what happens |
# |---|---|---|
# | 1 cluster | `lessons.start(…)` | a scheduler, and one worker per device |
# | 2 load | `read_parquet`, `from_array` | blocks of rows on the workers |
# | 3 choose | `from gpucluster.learn import …` | scikit-learn's names, with some differences |
# | 4 fit | `.fit(X, y)` | each worker computes on its blocks; small results are summed |
# | 5 predict | `.predict(X)` | block by block, lazily |
# | 6 collect | `.compute()`, `save` | only now do the results travel to you |
#
# A widely read description of this workflow contains claims that are wrong, or no longer true. They appear under the heading **Spot the error**.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("08")

# %% [markdown]
# The output above shows what you are running on. `lab.client` is an ordinary Dask client: without `lab`, you would write
# `client = Client(LocalCluster(n_workers=2))`. The rest of this notebook is the same everywhere.
#
# <details><summary>Helpers in this lesson, and what they replace</summary>
#
# | here | without our helper |
# |---|---|
# | `datasets.flights()` | `dd.read_parquet(file)` |
# | `as_numpy(value)` | nothing, if the blocks are already NumPy arrays; otherwise the library's own conversion to NumPy. Use it for small results |
# | `np.asarray(x, like=block)` | this is NumPy itself: it makes an array of the same library as `block`. If all blocks are NumPy, `np.asarray(x)` |
# | `with lab.traffic() as traffic:` | `client.run(lambda dask_worker: list(dask_worker.transfer_outgoing_log))`: each worker's log of what it sent. Add up `total` of the entries whose `who` is empty: they went to the notebook |
# | `blocks_by_worker(client, X)` | `client.who_has(futures_of(X))`, inverted: which blocks each worker has |
# | `spread(client, X)` | `client.submit(f, block, workers=[…])` for each block |
# | `MessageLog(client)` | `client.run(…)`: each worker records what it sends to other workers during a fit |
# | `ready("…", f)` | only needed in these lessons: False, with a message, until `f` is written |
#
# </details>

# %% tags=["run"]
import inspect
import tempfile
import time
from pathlib import Path

import dask.array as da
import dask.dataframe as dd
import joblib
import numpy as np
import sklearn.cluster
import sklearn.ensemble
import sklearn.linear_model
import sklearn.neighbors
import sklearn.preprocessing
from distributed import futures_of, get_task_stream
from sklearn.model_selection import GridSearchCV

from gpucluster import datasets, learn
from gpucluster.lessons import as_numpy, check, compare, expect_failure, hint, predict, solution
from gpucluster.lessons.figures import workflow as figures
from gpucluster.lessons.probes.messages import MessageLog
from gpucluster.lessons.material.pictures import load_photo
from gpucluster.lessons.probes.placement import blocks_by_worker, spread, worker_order
from gpucluster.lessons.checking import ready

# %% [markdown] anchor="who-does-what"
# ## Step 1. Cluster: who does what
#
# | who | what |
# |---|---|
# | **client** (this notebook) | describes the work; gets small results |
# | **scheduler** | *control*: which task runs where, and which worker has which result |
# | **workers** | *data*: hold the blocks, compute, send blocks to each other **point to point** |
# | **collectives** (NCCL with cuML, a tree of messages with our own estimators) | sum arrays across all workers at once, without the scheduler |
# | **RAFT** (only with cuML) | gives the algorithm on each worker its device and its rank among the workers |
# | **links** (TCP; UCX via UCXX) | carry the bytes |
#
# So with cuML, *Dask carries control and blocks, NCCL carries the sums*. `%gpucluster list` shows the cluster that this runs on.

# %% tags=["run"]
# %gpucluster list

# %% [markdown] anchor="load"
# ## Step 2. Load
#
# Real data: **digits**, 1,797 handwritten digits of 8 × 8 pixels; **airports**, 1,458 positions; **flights**, all 336,776 flights that left New York City in 2013;
# and later a photo.
#
# `datasets.flights()` is one Parquet file with twelve parts, one per month. Each becomes a partition, and a worker reads only the parts it needs. CSV files
# work the same way: a small file is one partition, a large one is split into several, and each is read where it is needed. (The workers must be able to read
# the files: here they are on this machine; on a cluster, use a shared folder.)

# %% tags=["run"]
folder = Path(tempfile.mkdtemp(prefix="six-steps-"))
table = datasets.airports(as_frame="pandas")
for name, rows in (("west", table[table.lon < -100]), ("east", table[table.lon >= -100])):
    rows.to_csv(folder / f"airports-{name}.csv", index=False)
from_csv = dd.read_csv(str(folder / "airports-*.csv"))
print(f"{from_csv.npartitions} partitions with {from_csv.map_partitions(len).compute().tolist()} rows")

flights = datasets.flights(columns=["dep_delay", "arr_delay", "air_time", "distance", "hour", "origin", "carrier"])
flights = flights.dropna(subset=["dep_delay", "arr_delay", "air_time"])
print(f"{flights.npartitions} partitions of flights, nothing read yet")
flights = flights.persist()  # now the workers read them, and keep them

# %% tags=["run"]
lessons.banner("flights")

# %% [markdown]
# Estimators also take arrays. A Dask array is a grid of blocks; each block is an array of the library that the first cell printed. `to_backend()`
# converts an array from another source, with one task per block.

# %% tags=["run"]
X, y = (part.to_backend().persist() for part in datasets.digits(n_blocks=4))
images, digit = as_numpy(X.compute()), as_numpy(y.compute())
[kind] = set(lab.client.gather(lab.client.map(lambda block: type(block).__module__, futures_of(X))))
print(f"X: {X.numblocks[0]} blocks of {X.chunks[0]} rows, made by {kind}")

# %% [markdown] anchor="redistribution"
# ### Spot the error
#
# > "Data redistribution happens automatically during algorithm execution."
#
# We deliberately put all four blocks of the digits on one worker. Then we call `client.rebalance()`.
#
# **Predict:** how many of the four blocks does the other worker have afterwards?

# %% tags=["predict"]
predict("08.a", 2)  # SOLUTION

# %% tags=["run"]
first = sorted(lab.client.scheduler_info(n_workers=-1)["workers"])[0]
lopsided = (X + 0).persist(workers=[first], allow_other_workers=False)
before = [len(blocks) for blocks in blocks_by_worker(lab.client, lopsided).values()]
lab.client.rebalance()
after = [len(blocks) for blocks in blocks_by_worker(lab.client, lopsided).values()]
ranks = learn.run_on_ranks(lambda shard: len(shard.blocks), lopsided)
print(f"blocks per worker: {before} at first, {after} after rebalance(), {ranks} during a fit")
compare("08.a", min(after), "blocks")

# %% [markdown]
# **Explain:** `rebalance()` moves data only from workers whose memory is more than 30 % full (setting `distributed.worker.memory.rebalance.sender-min`): it
# protects memory; it does not distribute work. A *fit* in `gpucluster.learn` does distribute the blocks first. Lazy tasks such as `predict` run where their
# block is. So redistribution is automatic in some places, but not in others. Check, as you did here.

# %% [markdown] anchor="choose"
# ## Step 3. Choose
#
# > "The Dask estimators share the same API as their counterparts for a single device."
#
# And scikit-learn? How similar is the API? Ask Python: `inspect.signature` gives the parameters of both.

# %% tags=["run"]
def parameters(kind):
    return {name: p.default for name, p in inspect.signature(kind).parameters.items()}


theirs = (sklearn.cluster, sklearn.linear_model, sklearn.ensemble, sklearn.neighbors, sklearn.preprocessing)
for name in ("KMeans", "DBSCAN", "Ridge", "LogisticRegression", "RandomForestClassifier", "NearestNeighbors", "OneHotEncoder"):
    ours = parameters(getattr(learn, name))
    scikit = parameters(next(getattr(module, name) for module in theirs if hasattr(module, name)))
    other = [p for p in ours if p in scikit and repr(ours[p]) != repr(scikit[p])]
    print(f"{name:24}{len(set(ours) & set(scikit)):3} the same; only here: {sorted(set(ours) - set(scikit)) or '-'}; "
          f"only in scikit-learn: {sorted(set(scikit) - set(ours)) or '-'}; other default: {other or '-'}")  # fmt: skip

# %% [markdown] anchor="same-api"
# ### Spot the error
#
# > "Same API: groupby, merge, apply all work the same way."
#
# Most of them do. Here is a line that every pandas user has written. Run it, and read the message.

# %% tags=["run"]
with expect_failure(NotImplementedError):
    flights.iloc[0]

# %% [markdown]
# **Explain:** to find "row 0", Dask would have to count the rows of all partitions before it. Dask raises an error instead. `flights.head(1)` works:
# it computes only the first partition. There are other differences. Rows come back in a different order after a join or a sort. `apply(axis=1)` has
# to guess the type of its result (pass `meta=`). And cuDF compiles the function that you pass to `apply`, so it can use numbers but not arbitrary
# Python objects.

# %% [markdown] anchor="kmeans-rules"
# ### Spot the error
#
# > "Some parameters have constraints: KMeans requires `random_state` to be set, and `oversampling_factor > 0`."
#
# Half of this is out of date. Try all three: no seed, no oversampling, and the `init` that cuML does not support on several
# devices.

# %% tags=["run"]
model = learn.KMeans(n_clusters=10, random_state=None, n_init=1).fit(X)
print(f"random_state=None: fitted, inertia {model.inertia_:,.0f}")
with expect_failure():
    learn.KMeans(n_clusters=10, init="k-means||", oversampling_factor=0).fit(X)
with expect_failure(), learn.config_context(engine="cuml"):
    learn.KMeans(n_clusters=10, init="k-means++").fit(X)

# %% [markdown]
# **Explain:** In cuML 26.10, a missing `random_state` is not an error: the client draws one seed and sends it to all workers, so that they agree.
# `oversampling_factor` must still be positive. And cuML rejects `init="k-means++"`, because it chooses one centroid after the other; *k-means‖* chooses many
# at once. In each round, a point is drawn with probability ℓ k d² / Σ d² (ℓ is the oversampling factor, d the distance to the nearest candidate): about ℓ k
# points. cuML makes up to 8 rounds (ours in lesson 06 made five), so at most some 8 ℓ k. One round by hand:

# %% tags=["run"]
rng = np.random.default_rng(0)
k, oversampling = 10, 2.0
squared = ((images - images[0]) ** 2).sum(axis=1)  # the first digit is the first candidate
chosen = rng.random(len(images)) < oversampling * k * squared / squared.sum()
print(f"{chosen.sum()} candidates in one round; expected ℓ k = {oversampling * k:.0f}; after 8 rounds about {8 * oversampling * k:.0f}")

# %% [markdown] anchor="intensity"
# ### Are only neural networks worth an accelerator?
#
# > "Conventional wisdom has been that only DNNs are a good match, because of high computational requirements."
#
# Let us count. The **arithmetic intensity** of a step is the number of operations per byte that it reads. A machine has a **balance**: the
# number of operations it does in the time it takes to read one byte. Below the balance, memory limits a step; above it, arithmetic does. Measure
# the balance of this notebook's processor:

# %% tags=["run"]
def best_seconds(function, repeats=4):
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        function()
        times.append(time.perf_counter() - began)
    return min(times)


square, long = rng.random((600, 600)), rng.random(4_000_000)
target = np.empty_like(long)
operations = 2 * 600**3 / best_seconds(lambda: square @ square)
bandwidth = 2 * long.nbytes / best_seconds(lambda: np.copyto(target, long))  # read and written
balance = operations / bandwidth
print(f"{operations / 1e9:.0f} billion operations and {bandwidth / 1e9:.1f} GB per second: balance {balance:.1f} operations per byte")
intensities = {
    "class sums (08.1)": 1 / 8,
    "products XᵀX, 5 columns (08.2)": 2 * 5 / 8,
    "distances to 8 centroids": 2 * 8 / 8,
    "distances to 1,000 centroids": 2 * 1000 / 8,
    "distances to 200 queries (08.5)": 2 * 200 / 8,
}
for step, intensity in intensities.items():
    print(f"  {step:34}{intensity:8.2f} operations per byte: limited by {'memory' if intensity < balance else 'arithmetic'}")

# %% [markdown]
# **Explain:** Classical methods lie on both sides. Accelerators have far more operations *and* bytes per second, so both kinds gain. cuML's authors make this
# argument.

# %% [markdown] exercise="08.1" title="Naive Bayes is a pure sum"
# ## Step 4. Fit
#
# Every estimator below consists of **something small per block, a merge, and a little arithmetic**. Most of these small results simply add up. This helper
# runs the first part where the blocks are, and sums what comes back.
#
# ### Exercise 08.1 · Naive Bayes is a pure sum (10 min)
#
# This is the easiest distributed classifier there is. For each class, count the rows and sum the ink in each pixel. Pixels may be one-byte integers (uint8):
# the sums need a larger type. Then
#
# * `prior[c]` = log(fraction of the rows in class c)
# * `likelihood[c, j]` = log((ink of class c in pixel j + α) / (all ink of class c + α d)), where d is the number of pixels.

# %% tags=["run"]
def total(part, *collections, **fixed):
    """Call part(block, …) on each block where it lies, and add up the small results."""
    blocks = [lab.client.compute(list(np.ravel(collection.to_delayed()))) for collection in collections]
    results = lab.client.gather(
        lab.client.map(lambda *block, **rest: as_numpy(part(*block, **rest)), *blocks, pure=False, **fixed)
    )
    return tuple(sum(values) for values in zip(*results))

# %% tags=["exercise"] exercise="08.1"
def class_sums(X, y, n_classes):
    """Return what one block contributes: counts (n_classes) and sums (n_classes × features).

    y has whole numbers from 0 to n_classes - 1. A block may have no row of some class.
    """
    ### BEGIN SOLUTION
    counts = np.bincount(y, minlength=n_classes)
    sums = np.stack([X[y == label].sum(axis=0) for label in range(n_classes)])
    return counts, sums
    ### END SOLUTION


def naive_bayes(counts, sums, alpha=1.0):
    """Return prior (n_classes) and likelihood (n_classes × features) from the sums of all blocks."""
    ### BEGIN SOLUTION
    smooth = sums + alpha
    return np.log(counts / counts.sum()), np.log(smooth / smooth.sum(axis=1, keepdims=True))
    ### END SOLUTION

# %% tags=["check"] exercise="08.1"
check("08.1", class_sums, naive_bayes)

# %% [markdown] tags=["hint-1"] exercise="08.1"
# Think of one class only. `y == 3` is true for its rows. Count them, and sum them pixel by pixel.

# %% [markdown] tags=["hint-2"] exercise="08.1"
# Do it for all classes from 0 to `n_classes - 1`, including those missing from the block: their sums are 0. `np.bincount(y, minlength=n_classes)` counts them
# all at once.

# %% [markdown] tags=["hint-3"] exercise="08.1"
# `np.stack([X[y == label].sum(axis=0) for label in range(n_classes)])`. For the model, let `smooth = sums + alpha`. Divide each row of `smooth` by its own
# sum (`smooth.sum(axis=1, keepdims=True)`), and take the logarithm. The sum already includes α d.

# %% tags=["run"]
if ready("08.1", class_sums, naive_bayes):
    prior, likelihood = naive_bayes(*total(class_sums, X, y, n_classes=10))
    mine = (images @ likelihood.T + prior).argmax(axis=1)
    library = learn.MultinomialNB().fit(X, y)
    print(f"yours: {(mine == digit).mean():.1%} right; gpucluster.learn.MultinomialNB: {library.score(X, y):.1%}")
    print(f"{prior.nbytes + likelihood.nbytes:,} bytes from each of {X.numblocks[0]} blocks; the digits have {images.nbytes:,}")

# %% [markdown]
# **Change:** use `learn.GaussianNB(var_smoothing=1e-2)` instead. It needs one more sum per pixel, to get variances. Which one?

# %% [markdown] exercise="08.2" title="Ridge regression by normal equations"
# ### Exercise 08.2 · Ridge regression by normal equations (10 min)
#
# How late does a flight arrive? A linear model assumes that arrival delay = w · (departure delay, minutes in the air, distance, hour) + b.
# Ridge regression finds the w and b that minimise Σ (y − Xw − b)² + α |w|². With a column of ones for b, they solve the **normal
# equations**
#
# (XᵀX + α D) w = Xᵀy, where D is the identity, but with 0 for the column of ones: the penalty does not apply to b.
#
# `products` runs on each block, and its results are summed. `ridge` solves. (α = 0 is ordinary linear regression.)

# %% tags=["run"]
features = ["dep_delay", "air_time", "distance", "hour"]
F = flights[features].astype("float64").to_dask_array(lengths=True).persist()
delay = flights["arr_delay"].astype("float64").to_dask_array(lengths=True).persist()
F, delay = F.rechunk((-(-len(F) // 4), -1)).persist(), delay.rechunk(-(-len(F) // 4)).persist()
print(f"{len(F):,} flights in {F.numblocks[0]} blocks, {F.nbytes / 1e6:.0f} MB")

# %% tags=["exercise"] exercise="08.2"
def products(X, y):
    """Return a tuple of arrays that add up over the blocks; their size must not grow with the rows."""
    ### BEGIN SOLUTION
    ones = np.concatenate([X, np.ones_like(X[:, :1])], axis=1)
    return ones.T @ ones, ones.T @ y
    ### END SOLUTION


def ridge(merged, alpha):
    """Return coefficients (features) and intercept (a number) from the sum of all blocks' products."""
    ### BEGIN SOLUTION
    square, right = merged
    penalty = np.full(len(right), float(alpha))
    penalty[-1] = 0
    solved = np.linalg.solve(square + np.diag(penalty), right)
    return solved[:-1], solved[-1]
    ### END SOLUTION

# %% tags=["check"] exercise="08.2"
check("08.2", products, ridge)

# %% [markdown] tags=["hint-1"] exercise="08.2"
# Append a column of ones to X. Then b is one more coefficient, and everything is in XᵀX and Xᵀy of the wider X. Do these two add up over blocks?

# %% [markdown] tags=["hint-2"] exercise="08.2"
# They do: each is a sum over rows. `ones = np.concatenate([X, np.ones_like(X[:, :1])], axis=1)`; return `ones.T @ ones, ones.T @ y`.

# %% [markdown] tags=["hint-3"] exercise="08.2"
# `np.linalg.solve(square + penalty, right)`, where `penalty` is a diagonal matrix of α with 0 as its last entry. The last entry of the solution is the
# intercept; the others are the coefficients.

# %% tags=["run"]
if ready("08.2", products, ridge):
    coefficients, intercept = ridge(total(products, F, delay), 1.0)
    model = learn.Ridge(alpha=1.0).fit(F, delay)
    for name, one, other in zip(features, coefficients, as_numpy(model.coef_)):
        print(f"{name:10} yours {one:9.5f}   library {other:9.5f}")
    print(f"{'intercept':10} yours {intercept:9.5f}   library {float(model.intercept_):9.5f}")

# %% [markdown] anchor="linear-family"
# **The family.** A data frame goes in unchanged, a series with the same index comes out, and only the model travels. Here are three more estimators (you have
# just seen ridge), each compared with scikit-learn on every tenth flight:

# %% tags=["run"]
tenth, tenth_delay = F[::10].persist(), delay[::10].persist()
plain, target = as_numpy(tenth.compute()), as_numpy(tenth_delay.compute())
for name, options in (("LinearRegression", {}), ("Lasso", {"alpha": 1.0}), ("ElasticNet", {"alpha": 1.0})):
    ours = getattr(learn, name)(**options).fit(tenth, tenth_delay)
    scikit = getattr(sklearn.linear_model, name)(**options).fit(plain, target)
    gap = np.abs(as_numpy(ours.coef_) - scikit.coef_).max()
    print(f"{name:17} {np.round(scikit.coef_, 3)}  largest difference {gap:.1e}")

frame = flights[features].astype("float64")
with lab.traffic() as traffic:
    model = learn.LinearRegression().fit(frame, flights["arr_delay"])
    expected_delay = model.predict(frame)  # lazy
print(type(expected_delay).__name__, f"of {expected_delay.npartitions} partitions; {traffic.bytes:,} bytes came to the notebook")

# %% [markdown]
# **Change:** set `alpha` of `Lasso` to 30. Which coefficients become exactly 0, and why those?

# %% [markdown] anchor="linear-messages"
# ### Spot the error
#
# > "For linear models: distributed gradient computation and parameter aggregation."
#
# **Predict:** how many messages do the *workers* send to each other while `Ridge` fits? (Do not count what they send to the notebook.)

# %% tags=["predict"]
predict("08.b", 0)  # SOLUTION

# %% tags=["run"]
late = (delay > 30).astype("int64").persist()
scaler = learn.StandardScaler().fit(F)
S = scaler.transform(F).persist()
with MessageLog(lab.client) as one_pass:
    learn.Ridge().fit(S, delay)
with MessageLog(lab.client) as iterated:
    logistic = learn.LogisticRegression().fit(S, late)
rounds = f", in {logistic.n_iter_[0]} iterations" if hasattr(logistic, "n_iter_") else ""
print(f"LogisticRegression: {len(iterated)} messages of {iterated.bytes:,} bytes together{rounds}")
compare("08.b", len(one_pass), "messages")

# %% [markdown]
# **Explain:** `LinearRegression` and `Ridge` need **no gradient**: one pass, one sum, one small system of equations. cuML does the same, with an
# eigendecomposition of XᵀX. The claim is true for models without a closed form: logistic regression, and, in cuML, lasso and elastic net by coordinate
# descent.

# %% [markdown] anchor="gradients"
# ### Refresher: downhill, with and without memory
#
# If you know what a gradient is, try exercise 08.11 now. If it takes you two minutes, skip the explanations and continue with 08.3.
#
# A **loss** is a number that measures how bad the weights are. Change one weight a little, and the loss changes, too. The change of the loss divided by the
# change of the weight is the **slope** for this weight. All slopes together are the **gradient**. It points uphill, so a step *against* it goes down.
# **Gradient descent** repeats such steps, with a fixed step size.
#
# In a long, narrow valley, the gradient points across the valley, not along it. Small steps make little progress, and large steps jump from side to side.
# **L-BFGS** remembers its last ten or so steps and gradients, and estimates from them how the valley bends (its *curvature*). It needs a little more
# arithmetic per step, but far fewer steps.

# %% tags=["run"]
from scipy.optimize import minimize


def valley(weights):
    """A valley 100 times as steep across as along; its lowest point is (0, 0). Return loss and gradient."""
    across, along = weights
    return 50 * across**2 + 0.5 * along**2, np.array([100 * across, along])


place, steps = np.array([1.0, 10.0]), 0
while np.abs(valley(place)[1]).max() > 1e-4:
    place, steps = place - 0.01 * valley(place)[1], steps + 1
found = minimize(valley, [1.0, 10.0], jac=True, method="L-BFGS-B", options={"gtol": 1e-4})
print(f"gradient descent: {steps} gradients; L-BFGS: {found.nfev}, and {np.abs(found.x).max():.1e} from the lowest point")

# %% [markdown] exercise="08.11" title="A gradient by differences" topic="sums"
# ### Exercise 08.11 · A gradient by differences (refresher, 8 min)
#
# It is easy to make a mistake in a gradient formula. You can always compare it with differences. Write `slopes(f, x, h)`: for each entry of the array x,
# return the slope of the function f there, by **central** differences: f at a step of h above, minus f at a step of h below, divided by 2h. The other
# entries stay unchanged. x may hold integers; the slopes are still floats.

# %% tags=["exercise"] exercise="08.11"
def slopes(f, x, h=1e-5):
    """Return the gradient of f at x, one number for each entry of x."""
    ### BEGIN SOLUTION
    gradient = np.zeros(len(x))
    for place in range(len(x)):
        step = np.zeros(len(x))
        step[place] = h
        gradient[place] = (f(x + step) - f(x - step)) / (2 * h)
    return gradient
    ### END SOLUTION

# %% tags=["check"] exercise="08.11"
check("08.11", slopes)

# %% [markdown] tags=["hint-1"] exercise="08.11"
# Start with one entry. How do you change only that entry, and keep x unchanged?

# %% [markdown] tags=["hint-2"] exercise="08.11"
# Make an array of zeros with `h` at one position, and call f for `x + step` and `x - step`.

# %% [markdown] tags=["hint-3"] exercise="08.11"
# In a loop over the positions: `(f(x + step) - f(x - step)) / (2 * h)`. `np.eye(len(x))[place] * h` is such a step.

# %% [markdown]
# Use it in the next exercise: a gradient that agrees with the differences is correct.

# %% [markdown] exercise="08.3" title="Logistic regression by its gradient"
# ### Exercise 08.3 · Logistic regression by its gradient (15 min)
#
# Will a flight be more than 30 minutes late? The probability is 1 / (1 + e⁻ᶻ) with z = w · x + b. The loss of a row is −log(probability of its own class).
# With y = ±1, that is log(1 + e⁻ʸᶻ). Its derivative with respect to z is (probability of "late") − (1 if late, else 0).
#
# 1. `loss_and_gradient`: the **sums** over one block. Note that e¹⁰⁰⁰ overflows.
# 2. `descend`: start at `weights`, call `evaluate` for the **mean** loss and mean gradient, take a step against the gradient, and repeat until the
#    improvement is tiny. Use at most 500 evaluations.

# %% tags=["exercise"] exercise="08.3"
def loss_and_gradient(X, y, weights):
    """Return the sums over one block: loss (a number) and gradient (features + 1, the intercept last).

    y is 0 or 1; weights has one number per feature, and the intercept last.
    """
    ### BEGIN SOLUTION
    z = X @ weights[:-1] + weights[-1]
    loss = np.logaddexp(0, np.where(y == 1, -z, z)).sum()
    slope = 0.5 * (1 + np.tanh(z / 2)) - y  # tanh never overflows
    return loss, np.concatenate([slope @ X, slope.sum()[None]])
    ### END SOLUTION


def descend(evaluate, weights):
    """Return the weights with (almost) the smallest loss; evaluate(weights) gives mean loss and mean gradient."""
    ### BEGIN SOLUTION
    for _ in range(150):
        loss, gradient = evaluate(weights)
        if np.abs(gradient).max() < 1e-4:
            break
        weights = weights - 1.0 * gradient
    return weights
    ### END SOLUTION

# %% tags=["check"] exercise="08.3"
check("08.3", loss_and_gradient, descend)

# %% [markdown] tags=["hint-1"] exercise="08.3"
# Start with `z = X @ weights[:-1] + weights[-1]`: one number per row. The loss and slope of each row follow from it. Then sum over the
# rows.

# %% [markdown] tags=["hint-2"] exercise="08.3"
# `np.logaddexp(0, v)` is log(1 + eᵛ), without overflow. `v` is −z for rows with y = 1, and z for the others. The gradient of the weights is
# `slope @ X`, that of the intercept is `slope.sum()`, where `slope` is the probability minus `y`.

# %% [markdown] tags=["hint-3"] exercise="08.3"
# `descend` is a loop: `loss, gradient = evaluate(weights)`, then `weights = weights - step * gradient`. The columns are scaled, so a step of 1 works well.
# Stop when the largest entry of the gradient is below 0.0001, or after 150 rounds.

# %% [markdown] anchor="collective"
# **Run it where the data is.** `run_on_ranks` starts the same function on all workers at the same time. Each sums over its own blocks; `allreduce` adds the
# workers' sums and gives the total to all. So all take the same step, without the scheduler.

# %% tags=["run"]
def fit_on_workers(shard, partial, descend, n_rows):
    """Runs on every worker at the same time: one rank each."""
    curve = []

    def evaluate(weights):
        def part(block):
            return as_numpy(partial(block.X, block.y, np.asarray(weights, like=block.X)))

        loss, gradient = shard.total(part)  # this worker's blocks, then one allreduce
        curve.append(loss / n_rows)
        return loss / n_rows, gradient / n_rows

    weights = descend(evaluate, np.zeros(len(features) + 1))
    return weights, curve


curve = scikit_loss = None
if ready("08.3", loss_and_gradient, descend):
    with MessageLog(lab.client) as log:
        weights, curve = learn.run_on_ranks(
            fit_on_workers, S, late, partial=loss_and_gradient, descend=descend, n_rows=len(S)
        )[0]
    best = sklearn.linear_model.LogisticRegression(C=np.inf).fit(as_numpy(S.compute()), as_numpy(late.compute()))
    scikit_weights = np.append(best.coef_[0], best.intercept_)
    loss_of = lambda X, y: loss_and_gradient(X, y, np.asarray(scikit_weights, like=X))
    scikit_loss = total(loss_of, S, late)[0] / len(S)
    print(f"your loss {curve[-1]:.5f} after {len(curve)} evaluations; scikit-learn's {scikit_loss:.5f} after {best.n_iter_[0]} iterations")
    print(f"{len(log)} messages between workers, {log.bytes / max(1, len(log)):.0f} bytes each")
    display(lab.report(evaluations=len(curve), loss=curve[-1], messages=len(log), message_bytes=log.bytes))

# %% tags=["run"]
figures.losses(curve, scikit_loss)

# %% [markdown]
# **Explain:** Plain gradient descent has not reached the bottom yet. Minutes in the air and distance carry nearly the same information, so the loss has a
# long, narrow valley, and small steps move along it very slowly. L-BFGS, which scikit-learn, cuML and `gpucluster.learn` use, estimates the shape of the
# valley from earlier gradients. A round costs one allreduce either way, so on a cluster a better optimiser saves messages. (The check's data has no such
# valley.)

# %% [markdown] anchor="layers"
# ### Three layers of a library
#
# cuML has a **Python layer** (scikit-learn's interface), **algorithms** (the loop, and what is exchanged), and **primitives** (operations on one block on one
# device, such as distances or sums per group, shared by many algorithms). Here is a k-means with the same three layers, small enough to read:

# %% tags=["run"]
def assign_and_sum(points, centroids):
    """Primitive: one block, no communication. The products are safe here: pixels are not far from zero (06.2)."""
    scores = -2 * points @ centroids.T + (centroids**2).sum(axis=1)
    nearest = scores.argmin(axis=1)
    member = (nearest[:, None] == np.arange(len(centroids), like=nearest)).astype(points.dtype)
    return member.sum(axis=0), member.T @ points


def lloyd(shard, primitive, start, iterations):
    """Algorithm: the loop, and one allreduce in each round. Runs on every worker."""
    centroids, trace = start, []
    for number in range(iterations):
        counts, sums = shard.total(lambda block: as_numpy(primitive(block.X, np.asarray(centroids, like=block.X))))
        trace.append(f"rank {shard.communicator.rank}: round {number + 1}, {len(shard.blocks)} calls of {primitive.__name__}")
        centroids = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centroids)
    return centroids, trace


class LayeredKMeans:
    """Python layer: what you call."""

    def __init__(self, n_clusters, max_iter=6):
        self.n_clusters, self.max_iter = n_clusters, max_iter

    def fit(self, X):
        start = as_numpy(X[: self.n_clusters].compute())
        results = learn.run_on_ranks(lloyd, X, primitive=assign_and_sum, start=start, iterations=self.max_iter)
        self.cluster_centers_, self.trace_ = results[0][0], [line for _, trace in results for line in trace]
        return self


with get_task_stream(lab.client) as stream, MessageLog(lab.client) as log:
    layered = LayeredKMeans(10).fit(X)
print("LayeredKMeans.fit → lloyd, on", len(set(line.split(":")[0] for line in layered.trace_)), "ranks →")
print("\n".join(layered.trace_[:3]), "\n…")

# %% [markdown] anchor="message-flow"
# **The trace of one fit**, from the workers' own log. Grey or coloured bars are tasks that the *scheduler* assigned: one long one per worker. Arrows are
# messages that the *workers* sent each other. On the right: one allreduce.

# %% tags=["run"]
figures.fit_trace(stream.data, log.messages)

# %% [markdown]
# **Explain:** This is the difference between *point to point* and *collective*. Dask has one worker fetch one block from another: any pair, at any time, and
# the scheduler knows about it. In an allreduce, *all* workers take part in the same call, in the same order, and the scheduler does not know about it. With
# two workers, each sends one message per round; with n workers, a tree of messages needs log₂ n steps. cuML leaves the second kind to NCCL.
#
# **Change:** give the lesson's cluster four workers (panel, or `lab.cluster.scale(4)`), and rerun the last two cells. Count the arrows. Or write
# `%%gpucluster profile` at the top of the cell that fits: it shows where the time went.
#
# The first half ends here.

# %% [markdown] exercise="08.4" title="A forest grows block by block" anchor="sorted-rows"
# ### Exercise 08.4 · A forest grows block by block (15 min)
#
# A forest of N trees on W workers: each worker grows N / W trees **on its own rows**, and all trees vote. No data has to be exchanged while trees grow. This
# part is correct.
#
# Our digits are now **sorted** by class, as files often are: the first block has only 0s, 1s and 2s, and so on.
#
# 1. `vote`: average the probabilities from all trees. A forest that has never seen a 7 has no column for it (`forest.classes_` lists the ones it has). Its
#    probability for a 7 is 0, and that counts. In a tie, either class is right.
# 2. `deal`: the fix. Return the same rows in random order, as Dask arrays with the same number of blocks, of about equal size. The same seed gives the same
#    order.
#
# **Predict:** what fraction of the test digits does the forest on sorted blocks get right? (A forest that sees all rows: about 0.97.)

# %% tags=["predict"]
predict("08.c", 0.7)  # SOLUTION

# %% tags=["exercise"] exercise="08.4"
def vote(forests, X, n_classes):
    """Return the class of each row (NumPy). All forests have the same number of trees."""
    ### BEGIN SOLUTION
    shares = np.zeros((len(X), n_classes))
    for forest in forests:
        shares[:, forest.classes_] += forest.predict_proba(X)
    return shares.argmax(axis=1)
    ### END SOLUTION


def deal(X, y, seed):
    """Return X and y with their rows in the same random order, as Dask arrays with as many blocks as before."""
    ### BEGIN SOLUTION
    order = np.random.default_rng(seed).permutation(len(X))
    return X[order].rechunk(X.chunks), y[order].rechunk(y.chunks)
    ### END SOLUTION

# %% tags=["check"] exercise="08.4"
check("08.4", vote, deal)

# %% [markdown] tags=["hint-1"] exercise="08.4"
# `forest.predict_proba(X)` has one column for each class *that this forest knows*. Where do these columns belong in an array of `n_classes` columns?

# %% [markdown] tags=["hint-2"] exercise="08.4"
# `shares[:, forest.classes_] += forest.predict_proba(X)`, starting with zeros. The largest share wins. For `deal`: a Dask array can be indexed with an array
# of row numbers.

# %% [markdown] tags=["hint-3"] exercise="08.4"
# `order = np.random.default_rng(seed).permutation(len(X))`, then `X[order]` and `y[order]`: the *same* order for both. `.rechunk(X.chunks)` restores the old
# blocks.

# %% tags=["run"]
test = np.arange(len(images)) % 5 == 0
by_class = np.flatnonzero(~test)[np.argsort(digit[~test], kind="stable")]
rows = -(-len(by_class) // 4)
X_sorted = da.from_array(images[by_class], chunks=(rows, -1)).to_backend()
y_sorted = da.from_array(digit[by_class], chunks=rows).to_backend()


def grow(X, y, n_trees, seed):
    return sklearn.ensemble.RandomForestClassifier(n_trees, random_state=seed, n_jobs=1).fit(as_numpy(X), as_numpy(y))


def forests_of(X, y, n_trees=40):
    blocks = [lab.client.compute(list(part.to_delayed().ravel())) for part in (X, y)]
    n = len(blocks[0])
    return lab.client.gather(lab.client.map(grow, *blocks, n_trees=n_trees // n, seed=0))


found = {}
if ready("08.4", vote, deal):
    everything = grow(images[by_class], digit[by_class], 40, 0)
    found["one forest, all rows"] = (everything.predict(images[test]) == digit[test]).mean()
    for name, blocks in (("sorted blocks", (X_sorted, y_sorted)), ("dealt blocks", deal(X_sorted, y_sorted, 0))):
        found[f"yours, {name}"] = (vote(forests_of(*blocks), images[test], 10) == digit[test]).mean()
    for tree_rows, name in (("block", "sorted blocks"), ("all", "tree_rows='all'")):
        forest = learn.RandomForestClassifier(40, random_state=0, tree_rows=tree_rows).fit(X_sorted, y_sorted)
        found[f"library, {name}"] = (as_numpy(forest.predict(images[test])) == digit[test]).mean()
    display(compare("08.c", round(float(found["yours, sorted blocks"]), 3)))
figures.accuracies(found)

# %% [markdown]
# **Explain:** A tree that knows only 0, 1 and 2 is *sure* that every digit is one of them, and its vote counts as much as the votes of trees that do know the
# digit. There is no error and no warning. Shuffling fixes it, at the cost of moving all rows once. The library moves rows, too: by default, each tree draws
# its sample from the rows of all workers, and the forest is the same as on a single computer. (cuML 26.10 does this as well; earlier versions had this trap.)

# %% [markdown] exercise="08.5" title="Neighbours: the nearest of each block, merged"
# ### Exercise 08.5 · Neighbours: the nearest of each block, merged (15 min)
#
# Nearest neighbours have no model; the rows are the model. Queries go to every block. Each block returns its own k nearest, and the k nearest **of these**
# are the answer. Why can none be missing?
#
# Row numbers count over *all* rows: a block starts at `start`. Distances are Euclidean. The neighbours *of a block* may be in any order, but the same in both
# arrays.

# %% tags=["exercise"] exercise="08.5"
def nearest_in_block(block, start, queries, k):
    """Return distances and row numbers of the k nearest rows of the block: two arrays, one row per query.

    A block with fewer than k rows gives all it has.
    """
    ### BEGIN SOLUTION
    middle = queries.mean(axis=0)  # as in 06.2: far from zero, the products would lose the digits that matter
    queries, block = queries - middle, block - middle
    squared = (queries**2).sum(axis=1)[:, None] - 2 * queries @ block.T + (block**2).sum(axis=1)
    order = np.argsort(squared, axis=1)[:, :k]
    distances = np.sqrt(np.maximum(np.take_along_axis(squared, order, axis=1), 0))
    return distances, order + start
    ### END SOLUTION


def merge_nearest(found, k):
    """Return distances and rows of the k nearest of all, the nearest first; found is a list of (distances, rows)."""
    ### BEGIN SOLUTION
    distances = np.concatenate([one for one, _ in found], axis=1)
    rows = np.concatenate([one for _, one in found], axis=1)
    order = np.argsort(distances, axis=1)[:, :k]
    return np.take_along_axis(distances, order, axis=1), np.take_along_axis(rows, order, axis=1)
    ### END SOLUTION

# %% tags=["check"] exercise="08.5"
check("08.5", nearest_in_block, merge_nearest)

# %% [markdown] tags=["hint-1"] exercise="08.5"
# A row that is among the k nearest of all rows is also among the k nearest of its own block. So k answers per block are enough.

# %% [markdown] tags=["hint-2"] exercise="08.5"
# `np.argsort(distances, axis=1)[:, :k]` gives the positions of the k smallest in each row, smallest first. `np.take_along_axis` takes the values at these
# positions. Add `start` to the positions in the block.

# %% [markdown] tags=["hint-3"] exercise="08.5"
# To merge, put all distances side by side (`np.concatenate([...], axis=1)`), and all row numbers too, and sort again. Use the same order for both
# arrays.

# %% tags=["run"]
picked = [np.flatnonzero(test & (digit == wanted))[0] for wanted in (0, 3, 5, 8, 9)]
queries, own = images[picked], digit[picked]
rows = None
if ready("08.5", nearest_in_block, merge_nearest):
    starts = np.cumsum([0, *X.chunks[0]])[:-1]
    blocks = lab.client.compute(list(X.to_delayed().ravel()))

    def search_block(block, start, queries):
        return as_numpy(nearest_in_block(block, start, np.asarray(queries, like=block), 7))

    parts = lab.client.gather(lab.client.map(search_block, blocks, [int(start) for start in starts], queries=queries))
    distances, rows = merge_nearest(parts, 7)
    search = learn.NearestNeighbors(n_neighbors=7).fit(X)
    same = (as_numpy(search.kneighbors(queries)[1]) == rows).mean()
    print(f"{same:.0%} of your neighbours are those of gpucluster.learn.NearestNeighbors; each digit's nearest is itself")
figures.neighbours(queries, own, rows, images, digit)

# %% [markdown] anchor="tour"
# ### The tour: one small task each
#
# You have seen naive Bayes, linear models, forests and neighbours. Here is the rest of the list, in short. Change one thing in each cell.
#
# **KMeans** · task: is the score of 10 clusters better than that of 20? Guess first. · **PCA** and **TruncatedSVD** (lesson 07) · task: how many components for 90 % of the variance?

# %% tags=["run"]
model = learn.KMeans(n_clusters=10, init="k-means||", random_state=0).fit(X)
print(f"KMeans: inertia {model.inertia_:,.0f}, score {model.score(X):,.0f}, agreement with the digits (ARI) "
      f"{learn.adjusted_rand_score(y, model.predict(X)):.2f}")  # fmt: skip
shares = as_numpy(learn.PCA(n_components=20).fit(X).explained_variance_ratio_)
values = as_numpy(learn.TruncatedSVD(3).fit(X).singular_values_)
print(f"PCA: 20 components hold {shares.sum():.0%} of the variance; TruncatedSVD: singular values {values.round(0)}")

# %% [markdown]
# **Neighbours that decide** · task: does `weights="distance"` help? The regressor predicts an airport's altitude (in feet) from its five nearest airports.

# %% tags=["run"]
place = np.radians(table[["lat", "lon"]].to_numpy())
position = np.column_stack([np.cos(place[:, 0]) * np.cos(place[:, 1]), np.cos(place[:, 0]) * np.sin(place[:, 1]), np.sin(place[:, 0])])
positions = da.from_array(position, chunks=(400, 3)).to_backend()
height = da.from_array(table["alt"].to_numpy(dtype="float64"), chunks=400).to_backend()
train, check_rows = np.arange(len(table)) % 4 > 0, np.arange(len(table)) % 4 == 0
regressor = learn.KNeighborsRegressor(n_neighbors=5).fit(positions[train], height[train])
print(f"KNeighborsRegressor: R² {regressor.score(positions[check_rows], height[check_rows]):.2f} for the height of {check_rows.sum()} airports")
classifier = learn.KNeighborsClassifier(n_neighbors=5).fit(X_sorted, y_sorted)
right = (as_numpy(classifier.predict(images[test])) == digit[test]).mean()
print(f"KNeighborsClassifier: {right:.1%} of {test.sum()} test digits, although the blocks are sorted: why does it not matter here?")

# %% [markdown] anchor="dbscan"
# **DBSCAN** · task: double `eps`, and predict the result before you run. A cluster is a crowd: an airport with at least 6 airports within 150 km, and all
# airports reachable from it in such steps. Whether two crowds are one depends on *all* rows, so DBSCAN is the exception: every block must meet every other
# block. cuML 26.10 gives **every worker a copy of all rows** and divides only the queries. So memory per worker does not shrink with more workers. Instead,
# `gpucluster.learn` sends each block to each worker once.

# %% tags=["run"]
EARTH = 6371  # kilometres
crowds = learn.DBSCAN(eps=150 / EARTH, min_samples=6).fit(positions).labels_.compute()
alone = (as_numpy(crowds) < 0).sum()
print(f"{crowds.max() + 1} clusters of airports, {alone} airports in none")
figures.airports(table, as_numpy(crowds))

# %% [markdown] exercise="08.6" title="Lazy, eager, and no more than fits"
# ## Steps 5 and 6. Predict, and collect
#
# cuML's distributed estimators have `predict(X, delayed=True)`, which is lazy. With `delayed=False`, the result is computed immediately, but **still
# distributed**. In `gpucluster.learn`, `predict` is always lazy for Dask data, and Dask's own `persist()` makes it eager. Only `compute()` brings the labels
# to you.
#
# ### Exercise 08.6 · Lazy, eager, and no more than fits (10 min)
#
# 1. `predict_rows`: implement cuML's parameter `delayed` with Dask.
# 2. `collect`: a guard. It fetches an array into the notebook if it has at most `limit` bytes; otherwise it raises `MemoryError`, **before** anything
#    travels. Careful: after filtering, Dask does not know how many rows there are, and `array.nbytes` is `nan`. Is `nan > limit`? Let the workers count
#    first: `array.compute_chunk_sizes()`.

# %% tags=["exercise"] exercise="08.6"
def predict_rows(model, X, delayed=True):
    """Return the predictions as a Dask array: lazy, or the labels themselves computed and left on the workers."""
    ### BEGIN SOLUTION
    labels = model.predict(X)
    return labels if delayed else labels.persist()
    ### END SOLUTION


def collect(array, limit):
    """Return the array in memory; raise MemoryError when it has more than limit bytes."""
    ### BEGIN SOLUTION
    if np.isnan(array.nbytes):
        array = array.copy().compute_chunk_sizes()
    if array.nbytes > limit:
        raise MemoryError(f"{array.nbytes:,} bytes are more than the {limit:,} that may be collected.")
    return as_numpy(array.compute())
    ### END SOLUTION

# %% tags=["check"] exercise="08.6"
check("08.6", predict_rows, collect)

# %% [markdown] tags=["hint-1"] exercise="08.6"
# `model.predict(X)` is already lazy. Which Dask method computes a collection and keeps the result on the workers? For `collect`: `array.nbytes` is usually
# known without computing anything.

# %% [markdown] tags=["hint-2"] exercise="08.6"
# `labels.persist()`. In `collect`, first check `np.isnan(array.nbytes)`; if true, `array = array.compute_chunk_sizes()`. Only lengths travel for that.

# %% [markdown] tags=["hint-3"] exercise="08.6"
# Then `if array.nbytes > limit: raise MemoryError("…")`, and finally `return array.compute()`. Include numbers in the message, so that the reader knows what
# to do.

# %% tags=["run"]
model = learn.KMeans(n_clusters=6, init="random", n_init=1, random_state=0).fit(S)
if ready("08.6", predict_rows, collect):
    for delayed in (True, False):
        began = time.perf_counter()
        labels = predict_rows(model, S, delayed)
        seconds = time.perf_counter() - began
        left = len(dict(labels.dask)) - len(futures_of(labels))
        print(f"delayed={delayed}: a {type(labels).__name__} of Dask after {seconds * 1000:.0f} ms, {left} tasks left to run")
    print(f"labels: {labels.nbytes:,} bytes; flights: {S.nbytes:,} bytes")
    print("collected:", np.bincount(collect(labels, 10_000_000)), "flights in each group")
    with expect_failure(MemoryError):
        collect(S, 10_000_000)

# %% [markdown] exercise="08.7" title="Whose label is it?" anchor="label-order"
# ### Exercise 08.7 · Spot the error: whose label is it? (10 min)
#
# > "Labels are concatenated in partition order."
#
# In cuML 26.10, the labels of a fit (`labels_`) are concatenated **worker by worker**. If worker 0 holds blocks 0 and 2, and worker 1 holds blocks 1 and 3,
# the order is 0, 2, 1, 3. Each label is right, the number of labels is right, and the counts per cluster are right. Only the rows are wrong.
#
# The next cell groups the pixels of a photo by colour, split into 7 strips, and concatenates the labels in that way.
#
# **Predict:** what fraction of the pixels gets a wrong label?

# %% tags=["predict"]
predict("08.d", 0.4)  # SOLUTION

# %% tags=["run"]
photo = load_photo()
pixels = da.from_array(photo.reshape(-1, 3) / 255, chunks=(61 * 640, 3)).to_backend()
strips = spread(lab.client, pixels)  # strip 0 on the first worker, strip 1 on the second, strip 2 on the first, …
model = learn.KMeans(n_clusters=6, init="k-means||", random_state=0).fit(strips)
labels = model.predict(strips).persist()
by_worker = worker_order(lab.client, labels)
true = as_numpy(labels.compute())
print("strips on each worker:", list(blocks_by_worker(lab.client, strips).values()))
print("pixels per label, by predict:      ", np.bincount(true))
print("pixels per label, worker by worker:", np.bincount(by_worker))
figures.label_order(true, by_worker, photo.shape, as_numpy(model.cluster_centers_))
compare("08.d", float((by_worker != true).mean()))

# %% [markdown]
# Write the safe method, and a detector. Neither may trust `model.labels_`. What can you trust?

# %% tags=["exercise"] exercise="08.7"
def row_labels(model, X):
    """Return the label of each row, in the order of X (a Dask array is best)."""
    ### BEGIN SOLUTION
    return model.predict(X)
    ### END SOLUTION


def share_wrong(labels, model, X):
    """Return the share (0 to 1) of rows whose entry in labels, a NumPy array, is not the model's label for that row."""
    ### BEGIN SOLUTION
    true = model.predict(X)
    return float((as_numpy(true.compute()) != labels).mean())
    ### END SOLUTION

# %% tags=["check"] exercise="08.7"
check("08.7", row_labels, share_wrong)

# %% [markdown] tags=["hint-1"] exercise="08.7"
# Which method of the model gives one result for each row that you pass to it?

# %% [markdown] tags=["hint-2"] exercise="08.7"
# `predict` works block by block and keeps the order of the blocks. The centroids do not depend on any order.

# %% [markdown] tags=["hint-3"] exercise="08.7"
# `row_labels` is one line: `return model.predict(X)`. For `share_wrong`, bring these labels to the notebook (`.compute()`), compare with `!=`, and take the mean.

# %% tags=["run"]
if ready("08.7", row_labels, share_wrong):
    print(f"worker by worker: {share_wrong(by_worker, model, strips):.1%} of the pixels have another pixel's label")
    safe = row_labels(model, strips)
    print(f"by predict:       {share_wrong(as_numpy(safe.compute()), model, strips):.1%}")

# %% [markdown] anchor="encoders"
# ## Before the next round: words become numbers
#
# Estimators need numbers; `carrier` and `origin` are words. In pandas you would write `get_dummies`. Run it on the partitioned table:

# %% tags=["run"]
with expect_failure(NotImplementedError):
    dd.get_dummies(flights[["carrier"]].astype("category"))

# %% [markdown]
# **Explain:** The number of columns depends on all words in *all* partitions, which have not been read yet. Dask raises an error. The dangerous way raises
# none: each partition numbers its own words. Then 3 means one airline in January and another in February.

# %% [markdown] exercise="08.8" title="One code for one word, everywhere"
# ### Exercise 08.8 · One code for one word, everywhere (10 min)
#
# Use two passes. In the first, each block lists its words (`distinct`); the notebook merges these short lists. In the second, each block uses the merged list
# (`encode`). A word that is not in the list must not get the code of another word: raise an error, or return −1. Labels may also be integers; they stay
# integers.

# %% tags=["exercise"] exercise="08.8"
def distinct(block):
    """Return each label of a block (a NumPy array) once, as an array or a list."""
    ### BEGIN SOLUTION
    return np.unique(block)
    ### END SOLUTION


def encode(block, categories):
    """Return the code of each label: its place in categories, which are sorted."""
    ### BEGIN SOLUTION
    codes = np.searchsorted(categories, block)
    known = categories[np.minimum(codes, len(categories) - 1)] == block
    return np.where(known, codes, -1)
    ### END SOLUTION

# %% tags=["check"] exercise="08.8"
check("08.8", distinct, encode)

# %% [markdown] tags=["hint-1"] exercise="08.8"
# `np.unique` gives the labels of one block. Its `return_inverse` gives codes as well, but only for this block: why is that the trap?

# %% [markdown] tags=["hint-2"] exercise="08.8"
# `np.searchsorted(categories, block)` finds the position of each label in the sorted list. For a missing label, it gives the position where it would be
# inserted, which belongs to another label.

# %% [markdown] tags=["hint-3"] exercise="08.8"
# So check `categories[code] == label`, and use −1 where it is false (`np.where`). A code may be one too large: `np.minimum(codes, len(categories) - 1)`. A
# dictionary `{label: number}` works too.

# %% tags=["run"]
words = lab.client.compute(list(flights["carrier"].to_delayed()))


def on_words(function, part, *rest):
    return function(np.asarray(part.to_numpy(), dtype=str), *rest)


if ready("08.8", distinct, encode):
    lists = lab.client.gather(lab.client.map(lambda part: on_words(distinct, part), words))
    categories = np.unique(np.concatenate(lists))
    codes = lab.client.map(lambda part: on_words(encode, part, categories), words)
    counts = sum(lab.client.gather(lab.client.map(np.bincount, codes, minlength=len(categories))))
    print(f"{sum(map(len, lists))} words from {len(lists)} partitions, {len(categories)} different ones")
    print("  ".join(f"{code} {word}: {count:,}" for code, (word, count) in enumerate(zip(categories, counts))))

carriers = learn.LabelEncoder().fit(flights["carrier"])
origins = learn.OneHotEncoder().fit(flights[["origin"]])
columns = origins.transform(flights[["origin"]])
print(f"LabelEncoder: {len(carriers.classes_)} classes; OneHotEncoder: {columns.sum().compute().astype(int).to_dict()}")

# %% [markdown] exercise="08.9" title="One model to take along"
# ## Step 6, once more: the model itself
#
# ### Exercise 08.9 · One model to take along (10 min)
#
# A fitted model is small; the data stays where it is. `gpucluster.learn.save` and `load` write and read a file that holds only numbers and text. Or get the
# plain scikit-learn model with `get_combined_model()` (cuML has the same method), and use any tool you know.
#
# Write `keep` and `bring_back`. The loaded model must predict for rows **in memory**, without the cluster. That one file must contain the whole model, in
# full precision: the check copies only this file to another folder, and overwrites the original with zeros.

# %% tags=["exercise"] exercise="08.9"
def keep(model, path):
    """Write a fitted model of gpucluster.learn to a file."""
    ### BEGIN SOLUTION
    learn.save(model, path)
    ### END SOLUTION


def bring_back(path):
    """Read a file written by keep; return something that can predict."""
    ### BEGIN SOLUTION
    return learn.load(path)
    ### END SOLUTION

# %% tags=["check"] exercise="08.9"
check("08.9", keep, bring_back)

# %% [markdown] tags=["hint-1"] exercise="08.9"
# `gpucluster.learn` has one function for each of the two. Their names are in the text above.

# %% [markdown] tags=["hint-2"] exercise="08.9"
# `learn.save(model, path)` and `learn.load(path)`. The other way: `joblib.dump(model.get_combined_model(), path)` and `joblib.load(path)`.

# %% [markdown] tags=["hint-3"] exercise="08.9"
# Do not keep the model in a notebook variable: it must be read from the file. `bring_back` must *return* it.

# %% tags=["run"]
if ready("08.9", keep, bring_back):
    path = folder / "digits.model"
    model = learn.KMeans(n_clusters=10, init="k-means||", random_state=0).fit(X)
    keep(model, str(path))
    again = bring_back(str(path))
    same = np.array_equal(as_numpy(again.predict(images)), as_numpy(model.predict(images)))
    print(f"{path.stat().st_size:,} bytes for the model, {images.nbytes:,} for the digits; predictions equal: {same}")
    print(f"plain model: {type(model.get_combined_model())}")

# %% [markdown] exercise="08.10" title="One search, three places"
# ## A search that runs anywhere
#
# scikit-learn passes independent pieces of work to **joblib**. joblib passes them to one of its backends: threads of this process, processes on this machine
# (*loky*), or the workers of a Dask cluster. XGBoost, a popular library for boosted trees, is started in a similar way, by Dask, Ray or Spark.
#
# ### Exercise 08.10 · One search, three places (10 min)
#
# 1. `search`: try all parameters of `grid` for `model` by three-fold cross-validation (`GridSearchCV(model, grid, cv=3)`) under `joblib.parallel_config(backend=…, n_jobs=2)`. Return the fitted search.
# 2. Fill `found`: the result for each backend, each from its own search. They must agree.

# %% tags=["exercise"] exercise="08.10"
def search(backend, model, grid, X, y):
    """Return a fitted GridSearchCV; backend is "threading", "loky" or "dask"."""
    ### BEGIN SOLUTION
    with joblib.parallel_config(backend=backend, n_jobs=2):
        return GridSearchCV(model, grid, cv=3).fit(X, y)
    ### END SOLUTION


grid = {"n_neighbors": [1, 3, 10], "weights": ["uniform", "distance"]}
found = {}
for backend in ("threading", "loky", "dask"):
    ### BEGIN SOLUTION
    found[backend] = search(backend, sklearn.neighbors.KNeighborsClassifier(), grid, images, digit)
    ### END SOLUTION

# %% tags=["check"] exercise="08.10"
check("08.10", search, found)

# %% [markdown] tags=["hint-1"] exercise="08.10"
# `GridSearchCV` is used as usual. The `with joblib.parallel_config(...)` around its `fit` determines where the work runs.

# %% [markdown] tags=["hint-2"] exercise="08.10"
# `with joblib.parallel_config(backend=backend, n_jobs=2):` and inside it `return GridSearchCV(model, grid, cv=3).fit(X, y)`. If `fit` comes after the block,
# it runs in this process.

# %% [markdown] tags=["hint-3"] exercise="08.10"
# `found[backend] = search(backend, sklearn.neighbors.KNeighborsClassifier(), grid, images, digit)`. The backend `"dask"` uses the client of this notebook automatically.

# %% tags=["run"]
if ready("08.10", search, found):
    for backend, result in found.items():
        tried = len(result.cv_results_["params"])
        print(f"{backend:10} {tried} combinations × 3 folds; best {result.best_params_}, {result.best_score_:.4f}")
    joblib.externals.loky.get_reusable_executor().shutdown()  # the processes that loky made

# %% [markdown] anchor="pipeline"
# ## Make: your pipeline on the stack
#
# Put your own pipeline on the layers of the software. Layers: `notebook`, `estimators`, `collections`, `tasks`, `collectives`, `links`. Change and add steps.
# Which layer does the work, and in which layer does data travel?

# %% tags=["run"]
my_pipeline = {
    "read flights": "collections",
    "drop missing": "collections",
    "scale": "estimators",
    "place blocks": "tasks",
    "fit logistic": "estimators",
    "add up gradients": "collectives",
    "predict": "estimators",
    "collect 5 numbers": "notebook",
}
figures.stack(my_pipeline)

# %% [markdown]
# Where are RAPIDS' libraries on it? Collections consist of **cuDF** tables and **CuPy** arrays (CuPy is not part of RAPIDS, but RAPIDS uses it). **cuML** is
# an estimator layer with its algorithms and primitives. **RAFT** holds the primitives that it shares with others. **cuGraph** (graphs) is a sibling of cuML.
# **RMM** manages the memory under all of them. **UCXX** is a link, and **Dask-CUDA** starts the workers.

# %% [markdown] tags=["keypoints"]
# ## Key points
#
# * Six steps: cluster, load, choose, fit, predict, collect. The first five leave the data on the workers.
# * An estimator is easy to distribute if its blocks' results **add up**: naive Bayes, normal equations, gradients, k-means.
# * Each one has its trap: forests on sorted rows, codes per partition, labels in the workers' order, a penalty on the intercept.
# * Control goes through the scheduler, blocks go point to point, sums go by collectives (NCCL in cuML).
# * `predict` is lazy; `persist` computes and leaves the result; `compute` collects. Check the number of bytes before you
#   collect.
# * Rules change: `random_state` is optional today. Trust the error message, not an old page.

# %% tags=["quiz"]
lessons.quiz("08")

# %% tags=["cards"]
lessons.cards("08")

# %% [markdown]
# ### Six rules to take home
#
# Here are lessons 00 to 08 in six short rules. Explain each one before you turn its card. The fifth names two NVIDIA tools that you have not
# used yet: Nsight Systems and Nsight Compute.

# %% tags=["cards"]
lessons.hooks()

# %% [markdown]
# ### Laptop, one GPU, cluster
#
# * **Laptop:** two worker processes. Our own estimators do the work, with scikit-learn's kernels.
# * **One GPU:** the same cells; one worker. Blocks are CuPy arrays and cuDF tables, and `cuml.dask` fits and predicts if it has the estimator. With one rank
#   there are no messages between workers, so the figures of the message flow are empty. Two ranks need two GPUs, because NCCL does not let them share one.
#   (According to cuML 26.10's source; we did not have two GPUs.)
# * **Cluster:** the same cells, more ranks. Put the CSV files of step 2 in a shared folder. The sums of our own estimators then travel along a tree, and
#   those of cuML by NCCL; both are invisible to the scheduler.

# %% tags=["run"]
for file in folder.iterdir():
    file.unlink()
folder.rmdir()
lab.close()

# %% [markdown] tags=["instructor"]
# ### For the instructor
#
# * **Goal:** learners can name the six steps and say which of them move data. They have run into one trap per estimator themselves.
# * **Time:** 150 minutes in two halves: up to the end of 08.3 and the message flow (75), then the rest (75). **75 minutes only:** steps 1–3 as a demonstration (15), 08.1, 08.2, 08.4, 08.6 and 08.7 (55), keypoints (5); 08.3, 08.5 and 08.8–08.10 at home.
# * **On the projector:** the figure of the trace (point to point versus collective) beside Dask's task stream in the panel: the stream shows one bar per
#   worker, and no iterations. The bars of 08.4. The two photos of 08.7.
# * **Frequent mistakes:** 08.1 `np.unique(y)` in a block instead of all classes: blocks that lack a class return fewer rows and cannot be added. 08.2 the
#   penalty on the intercept; means per block instead of sums. 08.3 `np.log(1 + np.exp(v))` overflows; means per block. 08.4 adding `predict_proba` of forests
#   with different classes column by column; two different permutations for X and y. 08.5 forgetting `start`; fewer than k rows in a block. 08.6 `nan > limit`
#   is false, so the guard lets everything pass. 08.7 comparing counts per cluster, which agree. 08.8 `searchsorted` without checking that the label exists.
#   08.10 `fit` after the `with` block: all backends then seem to work.
# * **Skip when late:** the balance of the processor, the tour, 08.9.
# * **Simulated:** 08.7 imitates how cuML 26.10's source concatenates labels; we did not run cuML on several devices. Tell the class.
