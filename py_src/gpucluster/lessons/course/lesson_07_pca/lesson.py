# ---
# jupyter:
#   gpucluster:
#     lesson: "07"
#     title: Distributed PCA and SVD
#     minutes: 105
#     needs: cpu
#     topics:
#       moments: {title: "Sums that give a covariance matrix", link: "07#moments"}
#       components: {title: "Components, their order and their sign", link: "07#components"}
#       numerical-care: {title: "Means, float32 and digits that vanish", link: "07#far-from-zero"}
#       streaming: {title: Blocks that are made, used and let go, link: "07#streaming"}
#       qr-and-svd: {title: "Singular values: through QR, and without centring", link: "07#qr"}
#     objectives:
#       - derive PCA as one sum over all rows, and count what travels
#       - compute principal components, and compare them even though signs and order are arbitrary
#       - show how float32 loses a variance far from zero, and fix it by merging means
#       - stream a table of 1.58 GB through two workers, and bring one small result to the notebook
#       - reconstruct a picture from a few components, and measure the loss
#       - choose between covariance and QR, and between PCA and truncated SVD
# ---

# %% [markdown]
# # Distributed PCA and SVD
#
# **105 minutes** (30 of reading, 75 of writing) · you need: NumPy, Dask futures and delayed (lesson 02), sums and counts (lesson 06); section 0
# refreshes eigenvectors, Cholesky and QR (10 minutes more if you need it)
#
# After this lesson, you can
#
# * **derive** PCA as one sum over all rows, and **count** what travels;
# * **compute** principal components, and **compare** them even though signs and order are arbitrary;
# * **show** how float32 loses a variance far from zero, and **fix** it by merging means;
# * **stream** a table of 1.58 GB through two workers, and bring one small result to the notebook;
# * **reconstruct** a picture from a few components, and **measure** the loss;
# * **choose** between covariance and QR, and between PCA and truncated SVD.
#
# Work from top to bottom. Where you see `...`, it is your turn. `check`, `hint` and `solution` help, as in the other lessons.
# Unless an exercise says otherwise, a function must not change its arguments, and must return the same result each time.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("07")

# %% [markdown]
# The output above shows what you are running on. `lab.client` is an ordinary Dask client: without `lab`, you would write
# `client = Client(LocalCluster(n_workers=2))`. The rest of this notebook is the same everywhere.
#
# <details><summary>Helpers in this lesson, and what they replace</summary>
#
# | here | without our helper |
# |---|---|
# | `as_numpy(value)` | nothing, if the blocks are already NumPy arrays; otherwise the library's own conversion to NumPy. Use it for small results |
# | `with lab.traffic() as traffic:` | `client.run(lambda dask_worker: list(dask_worker.transfer_outgoing_log))`: each worker's log of what it sent. Add up `total` of the entries whose `who` is empty: they went to the notebook |
# | `datasets.patches(8)` | `da.map_blocks(f, …)`: a function that cuts squares out of some rows of the photo, called once per block |
# | `measure_peak(f, …)` | `tracemalloc.start()`, then `f(…)`, then `tracemalloc.get_traced_memory()`: the notebook's memory, not the workers' |
# | `ready("…", f)` | only needed in these lessons: False, with a message, until `f` is written |
#
# </details>

# %% tags=["run"]
import time
from functools import reduce

import dask
import dask.array as da
import numpy as np
from sklearn.datasets import load_digits

from gpucluster import datasets
from gpucluster.lessons import as_numpy, check, compare, hint, predict, solution
from gpucluster.lessons.checking import ready
from gpucluster.lessons.figures import pca as figures
from gpucluster.lessons.probes.memory import measure_peak
from gpucluster.lessons.material.pictures import load_photo
from gpucluster.lessons.material.pictures import cut_tiles, paste_tiles

# %% [markdown] anchor="refresher"
# ## 0. Refresher: three ways to take a matrix apart
#
# If exercise 07.8 is easy for you, continue with section 1.
#
# * **Eigenvectors.** A matrix changes the direction of most vectors. A vector v that it only stretches, A v = λ v, is an *eigenvector*, and the factor λ is
#   its *eigenvalue*. The length and sign of an eigenvector are arbitrary. A symmetric matrix, such as a covariance matrix, has d eigenvectors at right angles
#   to each other; `np.linalg.eigh` finds them.
# * **Cholesky.** A symmetric matrix with only positive eigenvalues is called *positive definite*. It can be written as A = L Lᵀ, with zeros above the
#   diagonal of L. Then you solve A x = b in two easy steps: first L y = b, from the top down, then Lᵀ x = y, from the bottom up. If an eigenvalue is not
#   positive, there is no L, and NumPy raises an error.
# * **QR.** Any table X with more rows than columns can be written as X = Q R. The columns of Q have length 1 and are at right angles, so QᵀQ is the identity; R is
#   small, d × d, with zeros below the diagonal.

# %% tags=["run"]
A = np.array([[3.0, 1.0], [1.0, 2.0]])
values, vectors = np.linalg.eigh(A)  # the vectors are columns
print("stretched:", (A @ vectors[:, 1] / vectors[:, 1]).round(3), " eigenvalues:", values.round(3))
L = np.linalg.cholesky(A)
print("L\n", L.round(3), "\nL Lᵀ\n", (L @ L.T).round(3))
tall = np.random.default_rng(7).normal(size=(1_000, 2))
Q, R = np.linalg.qr(tall)
print("Q has", Q.shape, "numbers, R has", R.shape, "; QᵀQ\n", (Q.T @ Q).round(3))

# %% [markdown] exercise="07.8" title="Three short answers about matrices" topic="components"
# ### Exercise 07.8 · Three short answers about matrices (refresher, 8 min)
#
# 1. `stretch(A, v)`: v is an eigenvector of A, of any length. Return its eigenvalue, which may be negative.
# 2. `solve_halves(L, b)`: the matrix A = L Lᵀ is not given, only L. Return x with A x = b.
# 3. `products_from(R)`: a tall table X = Q R is not given, only R. Return XᵀX.

# %% tags=["exercise"] exercise="07.8"
def stretch(A, v):
    """Return the eigenvalue that belongs to the eigenvector v."""
    ### BEGIN SOLUTION
    return (v @ A @ v) / (v @ v)
    ### END SOLUTION


def solve_halves(L, b):
    """Return x with L Lᵀ x = b."""
    ### BEGIN SOLUTION
    y = np.linalg.solve(L, b)
    return np.linalg.solve(L.T, y)
    ### END SOLUTION


def products_from(R):
    """Return XᵀX for X = Q R."""
    ### BEGIN SOLUTION
    return R.T @ R
    ### END SOLUTION

# %% tags=["check"] exercise="07.8"
check("07.8", stretch, solve_halves, products_from)

# %% [markdown] tags=["hint-1"] exercise="07.8"
# For `stretch`, compare A v with v: they point in the same or the opposite direction. For the other two, substitute what you know into the formula, and see
# what remains.

# %% [markdown] tags=["hint-2"] exercise="07.8"
# If A v = λ v, then v · A v = λ (v · v). L Lᵀ x = b: give Lᵀ x a name. (Q R)ᵀ (Q R) = Rᵀ Qᵀ Q R, and QᵀQ is the identity.

# %% [markdown] tags=["hint-3"] exercise="07.8"
# `(v @ A @ v) / (v @ v)`. `y = np.linalg.solve(L, b)`, then `np.linalg.solve(L.T, y)`. `R.T @ R`.

# %% [markdown]
# **Explain:** the third answer is why section 7 works: R holds everything that PCA needs from a block, and is small. The second is how lesson 08 solves ridge
# regression.

# %% [markdown] anchor="patches"
# ## 1. The data: every small square is a row
#
# We cut all overlapping squares of 8 × 8 pixels out of two photos. A square has 64 pixels with three colours: 192 numbers, one row
# of a table. Neighbouring pixels are alike, so these 192 numbers are redundant. **Principal component analysis** (PCA) finds the
# few directions along which the rows really differ. It needs no labels: like k-means, it is *unsupervised*.

# %% tags=["run"]
print(datasets.ATTRIBUTION)
lessons.banner("patches", size=8)

# %% [markdown]
# The rows overlap, so half a million rows do not mean half a million independent observations. They are *derived*: a fixed rule makes
# them from the photos.
#
# The table is a **lazy** Dask array. The workers make its blocks when they are needed. Each block is an array of the library that the lesson
# uses. `map_blocks` calls a function on every block, and the function receives that library's arrays.

# %% tags=["run"] anchor="blocks"
X = datasets.patches(8)
print(X)
print(f"{X.numblocks[0]} blocks; the largest has {max(X.chunks[0]):,} rows, {max(X.chunks[0]) * X.shape[1] * 4 / 1e6:.0f} MB")
# One row per block: the mean of its columns. The blocks themselves stay on the workers.
block_means = X.map_blocks(lambda block: block.mean(axis=0, keepdims=True), chunks=((1,) * X.numblocks[0], X.chunks[1]))
print("made of", type(X._meta), "; mean brightness per block:", as_numpy(block_means.mean(axis=1).compute()).round(2))

# %% [markdown] anchor="moments"
# ## 2. What must travel?
#
# PCA needs the **covariance matrix**: for each pair of columns j, l the mean of (xⱼ − mean of j)(xₗ − mean of l). On a cluster, no worker knows the
# mean of all rows. But the product can be expanded:
#
# $$ C = \frac{X^T X - \frac{1}{n}\, s\, s^T}{n - 1}, \qquad s = \sum \text{rows} $$
#
# Three things per block are enough: the number of rows **n**, the column sums **Σx**, and the products of each pair of columns **XᵀX**. All
# three add up. This is lesson 06 again: sums and counts, now with products.
#
# **Predict:** how many numbers does a block of 40,000 rows × 192 columns contribute?

# %% tags=["predict"]
predict("07.a", 37057)  # SOLUTION

# %% [markdown] exercise="07.1" title="Sums that give a covariance matrix" topic="moments"
# ### Exercise 07.1 · Sums that give a covariance matrix (10 min)
#
# Write `moments`: what one block contributes. The photos are float32; sum in **float64** (`block.astype(float)`). Then write `covariance`, which
# gets the sums over all blocks.

# %% tags=["exercise"] exercise="07.1"
def moments(block):
    """Return n (number of rows), sums (d numbers) and products (d × d numbers, XᵀX) of one block, in float64."""
    ### BEGIN SOLUTION
    rows = block.astype(float)
    return len(rows), rows.sum(axis=0), rows.T @ rows
    ### END SOLUTION


def covariance(n, sums, products):
    """Return the covariance matrix, d × d, as np.cov does (divided by n - 1)."""
    ### BEGIN SOLUTION
    return (products - np.outer(sums, sums) / n) / (n - 1)
    ### END SOLUTION

# %% tags=["check"] exercise="07.1"
check("07.1", moments, covariance)

# %% [markdown] tags=["hint-1"] exercise="07.1"
# In `moments`, do not subtract any mean: the block does not know the mean of all rows. Do all divisions in `covariance`.

# %% [markdown] tags=["hint-2"] exercise="07.1"
# `rows.T @ rows` gives all products of two columns, summed over the rows. In the formula, s sᵀ is a matrix: `np.outer(sums, sums)`.

# %% [markdown] tags=["hint-3"] exercise="07.1"
# `rows = block.astype(float)`, then `len(rows)`, `rows.sum(axis=0)` and `rows.T @ rows`. The covariance is
# `(products - np.outer(sums, sums) / n) / (n - 1)`.

# %% [markdown]
# ### Run it on half a million patches
#
# One task per block: make the block, compute its moments, release the block. Only the moments travel.

# %% tags=["run"]
def moments_of_block(block):
    return as_numpy(moments(block))  # small: to the notebook's memory


def add_up(client, X):
    """Add up the moments of all blocks in the notebook."""
    tasks = [dask.delayed(moments_of_block)(block) for block in X.to_delayed().ravel()]
    results = client.gather(client.compute(tasks))
    return None if results[0] is None else [sum(values) for values in zip(*results)]


with lab.traffic() as traffic:
    total = add_up(lab.client, X)
if total:
    n, sums, products = total
    C = covariance(n, sums, products)
    print(f"{n:,} rows; {traffic.bytes / 1e6:.1f} MB travelled, the table has {X.nbytes / 1e6:.0f} MB")
    display(compare("07.a", sum(np.size(one) for one in total), "numbers"))
else:
    C = None
    print("Nothing to report yet: write moments first (exercise 07.1).")

# %% [markdown]
# **Explain:** 1 + d + d² numbers per block, 0.3 MB for d = 192, however many rows the block has. But the size grows with d
# *squared*: with 20,000 columns, XᵀX alone takes 3.2 GB. PCA by covariance is for tall tables that are not too wide.

# %% [markdown] anchor="components"
# ## 3. From the matrix to the components
#
# The **eigenvectors** of C are the principal components, and the **eigenvalues** are the variances along them. C is small, so one process does
# this, with `np.linalg.eigh`. Beware: `eigh` sorts the *smallest* eigenvalue first and returns the vectors as *columns*.

# %% [markdown] exercise="07.2" title="Components from a covariance matrix" topic="components"
# ### Exercise 07.2 · Components from a covariance matrix (10 min)
#
# Write `principal_components`. The check compares with scikit-learn's PCA of 1,797 handwritten digits, and uses hidden tables. The sign of a
# component is arbitrary: if v is an eigenvector, so is −v. So the check compares up to sign.

# %% tags=["exercise"] exercise="07.2"
def principal_components(C, k):
    """Return the k directions with the largest variances, as three arrays, the largest first.

    components  k × d  one direction per row, of length 1
    variances   k      variance of the rows along it
    ratios      k      its share of the variance of ALL d columns together
    """
    ### BEGIN SOLUTION
    values, vectors = np.linalg.eigh(C)
    variances = values[::-1][:k]
    return vectors[:, ::-1][:, :k].T, variances, variances / values.sum()
    ### END SOLUTION

# %% tags=["check"] exercise="07.2"
check("07.2", principal_components)

# %% [markdown] tags=["hint-1"] exercise="07.2"
# Call `np.linalg.eigh(C)` for a small matrix and look at what it returns: which eigenvalue is first, and is a vector a row or a column?

# %% [markdown] tags=["hint-2"] exercise="07.2"
# `[::-1]` reverses the order of the eigenvalues; the columns of the vectors must be reversed in the same way, and then transposed into rows. The ratios divide by
# the sum of *all* eigenvalues, not only of the first k.

# %% [markdown] tags=["hint-3"] exercise="07.2"
# `values, vectors = np.linalg.eigh(C)`; the components are `vectors[:, ::-1][:, :k].T`, the variances `values[::-1][:k]`, and the ratios the variances divided by
# `values.sum()`.

# %% tags=["run"]
found = principal_components(C, 64) if C is not None else None
if found:
    print("shares of the first five components:", found[2][:5].round(4))
figures.explained_variance(found and found[2])

# %% [markdown] anchor="signs"
# **Predict:** two programs are correct. What is the same in both? Write `"sign"`, `"ratios"` or `"both"`.

# %% tags=["predict"]
predict("07.b", "ratios")  # SOLUTION

# %% tags=["run"]
from gpucluster.learn import PCA

began = time.perf_counter()
library = PCA(n_components=8).fit(X)
print(f"the library: {time.perf_counter() - began:.1f} s")
if found:
    components, _, ratios = found
    theirs = as_numpy(library.components_)
    cosines = (components[:8] * theirs).sum(axis=1)
    gap = np.abs(ratios[:8] - as_numpy(library.explained_variance_ratio_)).max()
    print("cosines with the library's components:", cosines.round(5))
    print(f"largest difference of the ratios: {gap:.1e}")
    same_sign = bool((cosines > 0).all())
    display(compare("07.b", "ratios" if gap < 1e-5 and not same_sign else "both"))

# %% [markdown]
# **Explain:** a cosine of 1 or −1 is the same direction. A test for equal components must accept both. When two variances are equal, it must
# also accept any pair of directions. Ratios are unique. (If all signs agree in your run, that is chance, or a convention: many libraries flip
# each component so that its largest number is positive.)

# %% [markdown] anchor="far-from-zero"
# ## 4. Far from zero: digits that vanish
#
# float32 numbers have about 7 digits. Many tables hold numbers far from zero: temperatures in kelvin (near 290, and varying by 5), years, coordinates.
# Take such a table: its columns have variance 1 and mean 10,000. Then the numbers in XᵀX are near n × 100,000,000, and the variance that we want is 1
# × n: the difference of two large numbers that agree in their first 8 digits.
#
# **Predict:** what do the formulas of 07.1 give for these variances, when everything is computed in float32? Write `"right"`,
# `"a little wrong"` or `"nonsense"`.

# %% tags=["predict"]
predict("07.c", "nonsense")  # SOLUTION

# %% tags=["run"]
def far_table(shift, rows=20_000, columns=12):
    """Columns with variance 1, far from zero, as float32."""
    rng = np.random.default_rng(3)
    return (rng.normal(size=(rows, columns)) + shift * np.linspace(0.8, 1.2, columns)).astype(np.float32)


def one_pass(table):
    """The formulas of 07.1, in whatever type the table has."""
    sums, n = table.sum(axis=0), table.dtype.type(len(table))
    return (table.T @ table - np.outer(sums, sums) / n) / (n - 1)


far = far_table(10_000)
wrong = one_pass(far)
print("variances, float32, one pass:", np.diag(wrong).round(1)[:6])
print("variances, float64, one pass:", np.diag(one_pass(far.astype(float))).round(4)[:6])
error = np.abs(np.diag(wrong) - 1).max()
compare("07.c", "right" if error < 1e-3 else "a little wrong" if error < 0.1 else "nonsense")

# %% [markdown]
# A variance is never negative, but nothing fails here. Something fails later: a Cholesky decomposition works only if the matrix is positive definite, and
# this one is not.

# %% tags=["run"]
with lessons.expect_failure(np.linalg.LinAlgError):
    np.linalg.cholesky(wrong)

# %% [markdown]
# float64 postpones the problem but does not solve it, and costs twice the memory. The fix is to subtract a mean *first*, while the numbers are
# still close to each other. Each block can subtract **its own** mean. Two blocks are then merged with this formula (Chan, Golub and LeVeque,
# 1983), where M is a block's matrix of products about its own mean:
#
# $$ n = n_a + n_b, \qquad \delta = m_b - m_a, \qquad m = m_a + \delta\,\frac{n_b}{n}, \qquad
#    M = M_a + M_b + \delta\,\delta^T\,\frac{n_a\,n_b}{n} $$
#
# The last term accounts for the difference between the two blocks' means. Without it, you average covariances, which is the mean of means
# again.

# %% [markdown] exercise="07.3" title="Merge means, not large sums" topic="numerical-care"
# ### Exercise 07.3 · Merge means, not large sums (15 min)
#
# Write `block_moments` and `merge`. Compute the mean in float64; the centred rows may stay in the block's type.

# %% tags=["exercise"] exercise="07.3"
def block_moments(block):
    """Return n, the mean of the rows (d, float64), and the products about this mean (d × d, float64)."""
    ### BEGIN SOLUTION
    mean = block.mean(axis=0, dtype=float)
    centred = block - mean.astype(block.dtype)
    return len(block), mean, (centred.T @ centred).astype(float)
    ### END SOLUTION


def merge(a, b):
    """Return n, mean and products of the rows of a and b together; a and b are what block_moments returns."""
    ### BEGIN SOLUTION
    (n_a, mean_a, M_a), (n_b, mean_b, M_b) = a, b
    n = n_a + n_b
    delta = mean_b - mean_a
    return n, mean_a + delta * (n_b / n), M_a + M_b + np.outer(delta, delta) * (n_a * n_b / n)
    ### END SOLUTION

# %% tags=["check"] exercise="07.3"
check("07.3", block_moments, merge)

# %% [markdown] tags=["hint-1"] exercise="07.3"
# `block_moments` is `moments` after the mean of the block has been subtracted. `merge` is the formula above, line by line.

# %% [markdown] tags=["hint-2"] exercise="07.3"
# `block.mean(axis=0, dtype=float)` sums in float64 without a float64 copy of the block. Convert the mean to the block's type
# (`.astype(block.dtype)`) before you subtract. Otherwise the difference is float64 and takes twice the memory.

# %% [markdown] tags=["hint-3"] exercise="07.3"
# `centred = block - mean.astype(block.dtype)`, `(centred.T @ centred).astype(float)`. In `merge`, unpack with
# `(n_a, mean_a, M_a), (n_b, mean_b, M_b) = a, b`; δ δᵀ is `np.outer(delta, delta)`.

# %% tags=["run"]
errors = {}
if block_moments(far[:2]) is not None and merge(block_moments(far[:2]), block_moments(far[2:5])) is not None:
    errors = {"one pass, float32": {}, "one pass, float64": {}, "your merged blocks, float32": {}}
    for shift in (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000):
        table = far_table(shift)
        true = np.cov(table.astype(float).T)
        n_rows, _, M = reduce(merge, [block_moments(part) for part in np.array_split(table, 8)])
        for name, matrix in zip(errors, (one_pass(table), one_pass(table.astype(float)), M / (n_rows - 1))):
            errors[name][shift] = float(np.abs(matrix - true).max())
    print({name: f"{line[10_000]:.1e}" for name, line in errors.items()}, "for data near 10,000")
figures.errors_far_from_zero(errors)

# %% [markdown]
# **Explain:** the error of one pass grows with the *square* of the distance from zero. Your merged blocks stay far below 1 in all cases. The values
# of a photo lie between 0 and 1, so they are not far from zero, and 07.1 was right for them. A library cannot assume that, so it merges.

# %% [markdown] anchor="streaming"
# ## 5. A table that no machine holds
#
# Squares of 16 × 16 pixels make rows of 768 numbers, and a table of 1.58 GB. The next banner shows how large it is. Neither the notebook nor any worker
# should hold all of it.

# %% tags=["run"]
lessons.banner("patches", size=16)

# %% [markdown]
# **Predict:** 50 blocks go through two workers. How many MB of results reach the notebook, if the *workers* merge them in pairs (768² numbers of 8 bytes)?

# %% tags=["predict"]
predict("07.d", 4.7)  # SOLUTION

# %% [markdown] exercise="07.4" title="Stream 1.58 GB through two workers" topic="streaming"
# ### Exercise 07.4 · Stream 1.58 GB through two workers (10 min)
#
# Write `fit_stream`: one task per block, then a **tree** of merges on the workers (not a chain, and not one task that merges all), and one result.
# `dask.delayed(function)(task, …)` makes a task from other tasks without running anything. `as_numpy` converts a block's small results to NumPy (wrap it
# around `block_moments(block)`, on the worker).
#
# Then run the cell below, and fill in what you found: the number exactly, the share to three decimals.

# %% tags=["exercise"] exercise="07.4"
def fit_stream(client, X):
    """Return n, mean and products about the mean of a lazy array X, merged by the workers."""
    ### BEGIN SOLUTION
    def of_block(block):
        return as_numpy(block_moments(block))

    level = [dask.delayed(of_block)(block) for block in X.to_delayed().ravel()]
    while len(level) > 1:
        pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
        level = [dask.delayed(merge)(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return client.compute(level[0]).result()
    ### END SOLUTION

# %% tags=["run"]
def largest_so_far():
    """The most memory that this worker process has held since it began, in MB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


big = datasets.patches(16)
stream = None
began = time.perf_counter()
with lab.traffic() as traffic:
    stream, peak = measure_peak(fit_stream, lab.client, big)
if stream:
    print(f"{stream[0]:,} rows of {big.nbytes / 1e9:.2f} GB in {time.perf_counter() - began:.1f} s")
    print("largest memory of a worker so far, MB:", [round(mb) for mb in lab.client.run(largest_so_far).values()])
    print(f"the notebook held {peak / 1e6:.0f} MB at most during this")
    display(compare("07.d", traffic.bytes / 1e6, "MB"))
else:
    print("Nothing to report yet: write fit_stream first (exercise 07.4).")

# %% tags=["exercise"] exercise="07.4"
# How many patches are there, and what share of the variance does the first component explain?
n_patches = stream[0]  # SOLUTION
first_ratio = principal_components(stream[2] / (stream[0] - 1), 1)[2][0]  # SOLUTION

# %% tags=["check"] exercise="07.4"
check("07.4", fit_stream, n_patches, first_ratio)

# %% [markdown] tags=["hint-1"] exercise="07.4"
# `X.to_delayed().ravel()` gives the delayed blocks in order. What must happen first to a block, on the worker that made it?

# %% [markdown] tags=["hint-2"] exercise="07.4"
# Make a list of delayed moments. Replace it with a list half as long, using `dask.delayed(merge)(one, other)` for each pair, until one is left. If their
# number is odd, the last one moves to the next level unchanged.

# %% [markdown] tags=["hint-3"] exercise="07.4"
# `while len(level) > 1:` make `pairs = [level[i:i + 2] for i in range(0, len(level), 2)]`, and merge the pairs that have two members. At the end
# `client.compute(level[0]).result()`. For the numbers: `stream[0]` is n, and `principal_components(stream[2] / (stream[0] - 1), 1)` returns the
# ratio.

# %% [markdown] anchor="spot-compute"
# ### Spot the error
#
# A page on calling C++ code from Dask says: *"extract the numpy array from the individual chunks (use `X.compute()`)"*. What is wrong with it?
#
# <details><summary>Answer</summary>
#
# `X.compute()` brings **all** chunks to the notebook, as one array: here 1.58 GB. For one chunk at a time, use `X.blocks[i]`, `X.to_delayed()`
# or `X.map_blocks(function)`. The function then receives one NumPy array, on the worker that has it.
#
# </details>

# %% tags=["run"]
one_block = big.blocks[7]
print(f"X.compute() would bring {big.nbytes / 1e6:,.0f} MB; X.blocks[7] has {one_block.nbytes / 1e6:.0f} MB:", one_block.shape)

# %% [markdown] anchor="reconstruction"
# ## 6. What do the components look like?
#
# Each component is a direction in a space of 768 numbers, and 768 numbers are a square of 16 × 16 pixels. So you can look at it as a picture: grey is
# 0, lighter is positive, darker is negative.

# %% tags=["run"]
mean, components = None, None
if stream and ready("07.2", principal_components):
    mean = stream[1]
    components, _, big_ratios = principal_components(stream[2] / (stream[0] - 1), 64)
figures.eigen_patches(mean, None if components is None else components[:17], 16)

# %% [markdown]
# The first is brightness: nearly the same number in every pixel. The second is colour: warm against cold. Then come slow waves across the square, then faster
# ones, some of them with colour. JPEG files use such waves as well: neighbouring pixels are alike, so slow waves carry most of the information.
#
# A tile x is *projected*: its coordinates are (x − mean) · component, one number per component. From k coordinates you get the tile back approximately:
# mean + Σ coordinate × component. The **PSNR** measures how close it comes: 10 log₁₀(1 / mean squared error), in decibels, for values from 0 to 1. Higher is
# better.

# %% tags=["run"]
tiles = cut_tiles(load_photo(), 16)
print(f"{len(tiles):,} tiles of the photo, side by side, × {tiles.shape[1]} numbers")

# %% [markdown] exercise="07.5" title="A photo from 4, 16 and 64 numbers per tile" topic="components"
# ### Exercise 07.5 · A photo from 4, 16 and 64 numbers per tile (10 min)
#
# Write `reconstruct` and `psnr`. Then fill `quality`: the PSNR of the photo for 4, 16 and 64 components. `tiles` has one 16 × 16 tile of the photo per row,
# side by side this time. Before you run: which of the three pictures will you be able to recognise?

# %% tags=["exercise"] exercise="07.5"
def reconstruct(rows, mean, components):
    """Return the rows as they come back from their coordinates along the components (one component per row)."""
    ### BEGIN SOLUTION
    coordinates = (rows - mean) @ components.T
    return mean + coordinates @ components
    ### END SOLUTION


def psnr(original, copy):
    """Return the peak signal-to-noise ratio in decibels, for values from 0 to 1."""
    ### BEGIN SOLUTION
    return 10 * np.log10(1 / ((original - copy) ** 2).mean())
    ### END SOLUTION


quality = {}
for k in (4, 16, 64):
    ### BEGIN SOLUTION
    quality[k] = psnr(tiles, reconstruct(tiles, mean, components[:k]))
    ### END SOLUTION

# %% tags=["check"] exercise="07.5"
check("07.5", reconstruct, psnr, quality)

# %% [markdown] tags=["hint-1"] exercise="07.5"
# Two steps: coordinates (n × k numbers), then back (n × d numbers). The mean is subtracted before the first and added after the second.

# %% [markdown] tags=["hint-2"] exercise="07.5"
# `(rows - mean) @ components.T` are the coordinates. Going back uses `components` without `.T`. For the PSNR, take the mean of all squared differences.

# %% [markdown] tags=["hint-3"] exercise="07.5"
# `mean + coordinates @ components`. `10 * np.log10(1 / ((original - copy) ** 2).mean())`. And `quality[k] = psnr(tiles, reconstruct(tiles, mean, components[:k]))`.

# %% tags=["run"]
photo = load_photo()[: 26 * 16, : 40 * 16]
drawn = {}
if ready("07.5", reconstruct, psnr, quality) and components is not None:
    drawn = {k: paste_tiles(reconstruct(tiles, mean, components[:k]), 16, 40) for k in (1, 2, 4, 8, 16, 32, 64)}
    figures.reconstructions(photo, {k: drawn[k] for k in quality}, quality)

# %% tags=["run"]
figures.picture_grows(drawn)

# %% [markdown]
# **Explain:** 64 of 768 numbers per tile are a twelfth of the data. What is lost is the part along the omitted components; no other 64 directions lose less
# on these patches. Change the 64 to 128 and see how slowly the quality improves.

# %% [markdown] anchor="qr"
# ## 7. When digits matter: singular values through QR
#
# XᵀX squares the table. A direction that is a billion times weaker than the strongest becomes a billion *squared* times weaker, and falls below the last of
# float64's 16 or so digits. If small singular values matter, for example in a least-squares fit, do not form XᵀX.
#
# Use **QR** instead: X = Q R, where Q has orthogonal columns of length 1, and R is a triangle of d × d numbers. R has the same singular values as X. And it
# can be computed in a tree: stack the Rs of two blocks, take the QR of the stack, and so on. A message has d × d numbers, as before.

# %% [markdown] exercise="07.6" title="A tree of small QRs" topic="qr-and-svd"
# ### Exercise 07.6 · A tree of small QRs (15 min)
#
# Write `tall_svd`. `parts` are futures of blocks on the workers (as in lesson 06). `np.linalg.qr(block, mode="r")` gives only R. The Rs stay on the workers,
# which merge them in pairs, as a tree (not a chain), until one R is left. Take the SVD of this last R in the notebook. `levels` lists the number of matrices
# on each level, such as `[7, 4, 2, 1]`.

# %% tags=["exercise"] exercise="07.6"
def tall_svd(client, parts):
    """Return the singular values (largest first), Vt (d × d), and levels, of the table that the parts make up."""
    ### BEGIN SOLUTION
    def r_of(*blocks):
        return np.linalg.qr(np.concatenate(blocks), mode="r")

    level = client.map(r_of, parts, pure=False)
    levels = [len(level)]
    while len(level) > 1:
        level = [client.submit(r_of, *level[i : i + 2], pure=False) for i in range(0, len(level), 2)]
        levels.append(len(level))
    _, values, Vt = np.linalg.svd(as_numpy(level[0].result()))
    return values, Vt, levels
    ### END SOLUTION

# %% tags=["check"] exercise="07.6"
check("07.6", tall_svd)

# %% [markdown] tags=["hint-1"] exercise="07.6"
# First level: R of every block, with `client.map`. Next level: for each pair, R of the two stacked Rs, with `client.submit`. It is the tree of 07.4 with a
# different merge.

# %% [markdown] tags=["hint-2"] exercise="07.6"
# `np.linalg.qr(np.concatenate([one, other]), mode="r")` merges two. If a level has an odd number of Rs, the last one may go through QR alone: it stays the
# same, up to signs.

# %% [markdown] tags=["hint-3"] exercise="07.6"
# A function `r_of(*blocks)` that concatenates its arguments works both for the first level (one block) and for pairs. Then
# `[client.submit(r_of, *level[i:i + 2], pure=False) for i in range(0, len(level), 2)]`. At the end, `np.linalg.svd(R)` returns singular values
# and Vt.

# %% [markdown]
# Here is a table where it matters: powers of the time t. To fit a curve, people use the columns 1, t, t², … t¹⁵. These columns are nearly the same, so the
# last singular values are tiny.

# %% tags=["run"]
t = np.linspace(0, 1, 60_000)
powers = np.stack([t**power for power in range(16)], axis=1)
table = da.from_array(powers, chunks=(-(-len(powers) // 6), 16)).to_backend()
power_parts = lab.client.compute(list(table.to_delayed().ravel()))
ways = {}
tall = tall_svd(lab.client, power_parts)
if tall:
    eigenvalues = np.linalg.eigvalsh(powers.T @ powers)[::-1]
    ways = {"NumPy, all rows in one place": np.linalg.svd(powers, compute_uv=False), "your tree of QRs": tall[0],
            "square roots of the eigenvalues of XᵀX": np.sqrt(np.maximum(eigenvalues, 0))}
    print("levels:", tall[2])
    for name, values in ways.items():
        print(f"{name:<40} smallest: {values[-1]:.3e}")
figures.singular_values(ways)

# %% [markdown]
# **Explain:** your tree agrees with NumPy for every value. The square roots of the eigenvalues of XᵀX are right down to about 10⁻⁸ of the largest one (the
# root of 10⁻¹⁶), and below that they are rounding errors. For pictures this does not matter, and the sums of 07.1 are faster. For least squares it does
# matter.
#
# ## 8. Without centring: truncated SVD
#
# **Truncated SVD** takes the directions of the table *as it is*, without subtracting the mean. People use it where subtracting would fill a sparse table with numbers that are not zero.
# You need no further pass over the data: the products *not* about the mean follow from those about the mean, **XᵀX = M + n m mᵀ**.
#
# **Predict:** to which patch is the first direction without centring close? Write `"mean"`, `"edge"` or `"noise"`.

# %% tags=["predict"]
predict("07.e", "mean")  # SOLUTION

# %% [markdown] exercise="07.7" title="Truncated SVD from the same moments" topic="qr-and-svd"
# ### Exercise 07.7 · Truncated SVD from the same moments (5 min)
#
# Write `truncated_svd`. The singular values are the square roots of the eigenvalues of XᵀX. Then give `cosine`: the cosine of the angle between the mean patch and the first component of the 16 × 16 patches
# (moments: `stream`).

# %% tags=["exercise"] exercise="07.7"
def truncated_svd(n, mean, M, k):
    """Return the first k components (k × d, one per row) and the k largest singular values, without centring."""
    ### BEGIN SOLUTION
    values, vectors = np.linalg.eigh(M + n * np.outer(mean, mean))
    return vectors[:, ::-1][:, :k].T, np.sqrt(values[::-1][:k])
    ### END SOLUTION


cosine = truncated_svd(*stream, 1)[0][0] @ stream[1] / np.linalg.norm(stream[1])  # SOLUTION

# %% tags=["check"] exercise="07.7"
check("07.7", truncated_svd, cosine)

# %% [markdown] tags=["hint-1"] exercise="07.7"
# It is `principal_components` for another matrix. Which one? And what do you take the square root of?

# %% [markdown] tags=["hint-2"] exercise="07.7"
# `np.linalg.eigh(M + n * np.outer(mean, mean))`, then reverse the order as in 07.2. The cosine of two vectors is their dot product, divided by their lengths;
# a component has length 1.

# %% [markdown] tags=["hint-3"] exercise="07.7"
# `values, vectors = np.linalg.eigh(M + n * np.outer(mean, mean))`; return `vectors[:, ::-1][:, :k].T` and `np.sqrt(values[::-1][:k])`. Then
# `truncated_svd(*stream, 1)[0][0] @ stream[1] / np.linalg.norm(stream[1])`.

# %% tags=["run"]
cosines = None
if mean is not None and truncated_svd(*stream, 1):
    plain, plain_values = truncated_svd(*stream, 4)
    cosines = plain @ components[:4].T
    angle = abs(plain[0] @ mean) / np.linalg.norm(mean)
    pca_angle = abs(components[0] @ mean) / np.linalg.norm(mean)
    print(f"cosine with the mean patch: first of truncated SVD {angle:.4f}, first of PCA {pca_angle:.4f}")
    share = plain_values[0] ** 2 / np.trace(stream[2] + stream[0] * np.outer(mean, mean))
    print(f"share of the first: truncated SVD {share:.4f} of all squares, PCA {big_ratios[0]:.4f} of the variance")
    display(compare("07.e", "mean" if angle > 0.95 else "edge"))
figures.alignment(cosines)

# %% [markdown]
# **Explain:** the mean patch dominates the table, so truncated SVD finds it first. In these photos, PCA's first component looks nearly the same, but for
# another reason: patches differ most in brightness, and the mean patch is nearly uniform. The *shares* tell the two apart. A large share in a truncated SVD
# may only mean that the numbers are far from zero; it says nothing about how the rows differ.

# %% tags=["run"]
from gpucluster.learn import TruncatedSVD

svd = TruncatedSVD(4).fit(X)
print("the library, 8 × 8 patches: singular values", as_numpy(svd.singular_values_).round(1))
if total:
    mean_8 = total[1] / total[0]
    mine = truncated_svd(total[0], mean_8, total[2] - total[0] * np.outer(mean_8, mean_8), 4)
    if mine:
        print("yours,       8 × 8 patches: singular values", mine[1].round(1))

# %% [markdown] tags=["keypoints"]
# ## Key points
#
# * PCA is one sum over all rows: n, Σx and XᵀX per block add up. 1 + d + d² numbers travel per block, whatever the number of rows.
# * Signs of components are arbitrary, and so is the order of equal variances. Compare directions by |cosine|, and ratios directly.
# * Far from zero, one pass in float32 loses the variance. Subtract each block's own mean, then merge; do not forget the term δ δᵀ.
# * Stream: make a block, use it, release it. Merge on the workers, in a tree, and fetch one small result.
# * `X.compute()` gathers everything. `X.blocks[i]`, `to_delayed()` and `map_blocks` do not.
# * Singular values below 10⁻⁸ of the largest one need QR, not XᵀX. A tree of small QRs keeps all digits.
# * Truncated SVD does not centre: its first direction is often just the mean.

# %% tags=["quiz"]
lessons.quiz("07")

# %% tags=["cards"]
lessons.cards("07")

# %% [markdown] anchor="where-it-runs"
# ### Laptop, one GPU, cluster
#
# * **Laptop:** 1.58 GB go through two workers that hold a few blocks of 32 MB at a time.
# * **One GPU:** the same cells. Blocks are CuPy arrays, made and multiplied in GPU memory; `as_numpy` brings the small results back. The small eigenvalue
#   problems are solved on the host. Larger squares make larger tables from the same two photos: 32 × 32 pixels give 482,328 × 3,072 (5.9 GB), 64 × 64 give
#   420,056 × 12,288 (20.6 GB).
# * **Run on a GPU:** all checks passed on one NVIDIA H200 on 2026-11-27, with RAPIDS 26.10.
# * **Cluster:** the same tree of merges, over more workers. The messages have d² numbers; the network, not the number of rows, is what costs time.

# %% tags=["run"]
lab.close()

# %% [markdown] tags=["instructor"]
# ### For the instructor
#
# * **Goal:** learners see PCA as "sums that add up", know why to subtract the mean first, and never again call `compute()` on a large table.
# * **Time:** 10 sections 1 and 2 · 10 for 07.1 · 10 for 07.2 with the comparison · 20 for section 4 with 07.3 · 15 for 07.4 · 15 for 07.5 · 20 for 07.6 · 5 for 07.7 · quiz.
# * **When late:** give the solution of 07.2, and make section 7 (07.6) homework. 07.3 and 07.4 are the core.
# * **On the projector:** the table of variances with negative entries, before anyone computes (vote on 07.c). The task stream during 07.4: blocks are made
#   and multiplied, with merges in between and no gap for the notebook. The eigen-patches, then the animation: at how many components does the class recognise
#   the temple?
# * **Common mistakes:** XXᵀ instead of XᵀX (07.1: n × n, which runs out of memory for large n: stop it); n instead of n − 1; ratios divided by the sum of the
#   first k (07.2 shows a sum of exactly 1); columns instead of rows (07.2: "components has the right shape" passes when k = d, directions fail); the
#   forgotten δ δᵀ (07.3: right for equal means only); `client.gather` of all moments (07.4: the number of bytes shows it); the mean not added back (07.5: a
#   dark picture).
# * **Measured** by the notebook in each cell that prints a time; two workers on two cores. Times on shared machines vary by a factor of 2 to 4.
