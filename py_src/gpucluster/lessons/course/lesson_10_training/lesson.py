# ---
# jupyter:
#   gpucluster:
#     lesson: "10"
#     title: Training at scale without a GPU farm
#     minutes: 190
#     needs: cpu
#     topics:
#       networks: {title: "Networks: layers, gradients, memory", link: "10#layers"}
#       steps: {title: Learning rate and batch size, link: "10#learning-rate"}
#       strategies: {title: "Data, model, hybrid: how work is divided", link: "10#three-ways"}
#       data-parallel: {title: Data-parallel training, link: "10#data-parallel"}
#       ring: {title: "Horovod and its ring", link: "10#ring"}
#       pipelines: {title: "Pipelines, micro-batches, idle time", link: "10#pipeline"}
#       hybrid: {title: Pipelines side by side, link: "10#hybrid"}
#       large-images: {title: Images that do not fit, link: "10#slides"}
#       published: {title: Published results as arithmetic, link: "10#published"}
#     objectives:
#       - write the gradients of a network and verify them
#       - find learning rates that diverge, and compare batch sizes by time
#       - train on several workers and get what one process gets
#       - build the ring of Horovod, and explain what it saves
#       - cut a network into stages, and calculate how long they are idle
#       - combine both, as HyPar-Flow does
#       - recalculate published speed-ups, and explain what they leave open
# ---

# %% [markdown]
# # Training at scale without a GPU farm
#
# **190 minutes** (40 of reading, 150 of writing) · you need: NumPy, sums and counts (lesson 06), and ranks, messages
# and `Split` from lesson 09 (sections 1 to 4). New words are in **bold**; the list at the end sums them up.
#
# If you have 90 minutes, stop after section 5 (exercise 10.14). Sections 6 to 10 are a second session.
#
# After this lesson, you can
#
# * **write** the gradients of a network, and **verify** them;
# * **find** learning rates that diverge, and **compare** batch sizes by time;
# * **train** on several workers with the **same result** as in one process;
# * **build** the ring of Horovod, and **explain** what it saves;
# * **cut** a network into stages, and **calculate** how long they are idle;
# * **combine** both, as HyPar-Flow does;
# * **recalculate** published speed-ups, and **explain** what they leave open.
#
# Work from top to bottom. Where you see `...`, it is your turn. `check("10.1", gradients)` checks your answer,
# `hint("10.1")` gives the next of three hints, and `solution("10.1")` shows a solution after the hints. Unless an exercise says otherwise, a function must not change
# its arguments, and must return the same result each time.
#
# **What is real here, and what is not.** The network is small, and everything it does is real: gradients, messages,
# results. Ranks are MPI processes, threads or Dask workers, as each cell states. The pipeline schedules in section 7
# are **simulated**. Horovod, HyPar-Flow and GEMS are neither installed nor run: you build their mechanisms and
# recalculate their authors' published figures.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("10")

# %% [markdown]
# The output above shows what you are running on. `lab.client` is an ordinary Dask client. Without `lab`, you would write
# `client = Client(LocalCluster(n_workers=2))`. The rest of this notebook is the same everywhere.
#
# <details><summary>Helpers in this lesson, and what they do</summary>
#
# | here | without our helper |
# |---|---|
# | `as_numpy(value)` | nothing if the blocks are already NumPy arrays; otherwise the library's own conversion to NumPy. For small results only |
# | `np.asarray(x, like=block)` | this is plain NumPy: it makes an array of the same library as `block`. In a program for NumPy blocks only, `np.asarray(x)` |
# | `ready("…", f)` | only our lessons need it: prints a message and returns False until you have written `f` |
#
# </details>

# %% tags=["run"]
import time

import dask.array as da
import numpy as np
from sklearn.datasets import load_digits, load_sample_image
from threadpoolctl import threadpool_limits

from gpucluster.learn import MLPClassifier
from gpucluster.lessons import as_numpy, check, compare, expect_failure, hint, predict, solution
from gpucluster.lessons.checking import ready
from gpucluster.lessons.figures import networks as figures
from gpucluster.lessons.figures import pipelines as drawings
from gpucluster.lessons.material.benchmarklogs import ONE_CARD, TWO_NODES
from gpucluster.lessons.simulations.ranks import run_mpi, simulate
from gpucluster.lessons.simulations.ring import read_ring
from gpucluster.lessons.simulations.stages import idle, length, schedule

# Our matrices are small: one core multiplies them faster than several that wait for each other.
one_core = threadpool_limits(1)

# %% [markdown] anchor="landmarks"
# ## 1. What is trained
#
# **Machine learning** is "the study of computer algorithms to improve automatically through experience and use of data". **Deep learning** is the part of it that uses
# *deep neural networks* (DNN): functions of many layers, each of which computes a new representation of the data from the previous one. You will hear of three kinds:
#
# * **fully connected** layers: each output depends on each input. This is what you build here.
# * **convolutional networks** (CNN): an output depends on its neighbourhood, with the same weights everywhere. ResNet is one; all published figures in this lesson are about it.
# * **recurrent networks** (RNN): a layer is applied again to each word or time step of a sequence, together with its memory of the earlier ones.
#
# *Hybrid networks* combine several kinds. Two papers are landmarks. This lesson does not build their networks, but what it teaches about training applies to both. **"Attention Is
# All You Need"** (Vaswani and others, 2017) introduced the *Transformer*: each word looks at all others at once. A
# sequence need not be processed step by step, which suits GPUs. Today's large language models are built on it. **Physics-informed neural networks** (PINN; Raissi, Perdikaris and Karniadakis, 2019) put
# a differential equation into the loss. The network is penalized where it violates the equation, so it can learn from
# few measurements.
#
# Our network reads handwritten digits: 1,797 images of 8 × 8 pixels, which come with scikit-learn. The slides call
# such a network a *3-layer DNN*; the input is not counted.

# %% tags=["run"]
digits = load_digits()
images = digits.data / 16
labels = np.eye(10)[digits.target]  # one row per image, with a one at the digit
SIZES = (64, 32, 16, 10)
figures.network(SIZES)

# %% [markdown] anchor="layers"
# ## 2. Layers and gradients
#
# A layer has **weights** `W` (a matrix) and a **bias** `b` (a row). From its input `x` it computes `x @ W + b`. After
# every layer except the last, negative numbers become 0 (ReLU). The ten numbers of the last layer are **scores**. The
# **softmax**, `p = exp(s) / exp(s).sum()`, turns them into probabilities. The **loss** is the mean cross entropy: the
# mean over all rows of −ln p of the right class.
#
# **Training** makes the loss smaller. The *gradient* gives, for each weight, how the loss changes when the weight grows. One **step** is `weight - rate * gradient`. `rate` is the *learning rate*.
#
# **Predict:** how many weights and biases does the network above have in total?

# %% tags=["predict"]
predict("10.a", 2778)  # SOLUTION

# %% tags=["run"]
def first_layers(sizes, seed=0):
    """Return [W1, b1, W2, b2, …]: random weights, and biases of 0."""
    rng = np.random.default_rng(seed)
    layers = []
    for n_in, n_out in zip(sizes[:-1], sizes[1:]):
        layers += [rng.normal(size=(n_in, n_out)) * np.sqrt(2 / n_in), np.zeros(n_out)]
    return layers


layers = first_layers(SIZES)
print([array.shape for array in layers])
compare("10.a", sum(array.size for array in layers), "numbers")

# %% [markdown] exercise="10.1" title="Forward and backward" topic="networks"
# ### Exercise 10.1 · Forward and backward (20 min)
#
# Write `gradients`. `X` has one row per image, `wanted` one row per image with a 1 at the right class, and `layers` is `[W1, b1, W2, b2, …]` for any number of layers.
# Return the mean loss and a list of gradients: one for each array in `layers`, with the same shape.
#
# *Forward*: keep the output of each layer. *Backward*: start with the error of the scores, `(p - wanted) / n` for n rows, and go from the last layer to the first:
#
# * the gradient of W is `input.T @ error`, where `input` is the layer's input; the gradient of b is the sum of the error over the rows;
# * the error of the previous layer is `error @ W.T`, and 0 where ReLU set that layer's output to 0.
#
# Scores may be as large as 1000. `np.exp(1000)` is infinite, but only differences of scores count: subtract the largest score of each row first, and write ln p as
# *score − ln(sum of exp)*, so that a very small p causes no problem.

# %% tags=["exercise"] exercise="10.1"
def gradients(X, wanted, layers):
    """Return two things: loss, a number; slopes, a list of arrays with the shapes of the layers' arrays."""
    ### BEGIN SOLUTION
    values = [X]
    for place in range(0, len(layers), 2):
        scores = values[-1] @ layers[place] + layers[place + 1]
        values.append(np.maximum(scores, 0))
    scores = scores - scores.max(axis=1, keepdims=True)
    logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    loss = -(wanted * logs).sum() / len(X)
    error = (np.exp(logs) - wanted) / len(X)
    slopes = []
    for place in reversed(range(0, len(layers), 2)):
        given = values[place // 2]
        slopes = [given.T @ error, error.sum(axis=0), *slopes]
        error = (error @ layers[place].T) * (given > 0)
    return loss, slopes
    ### END SOLUTION

# %% tags=["check"] exercise="10.1"
check("10.1", gradients)

# %% [markdown] tags=["hint-1"] exercise="10.1"
# Write the forward part first and look only at the loss: with random weights it is near ln(10) ≈ 2.3 for ten classes. Keep a list `values`, which begins with `X`.

# %% [markdown] tags=["hint-2"] exercise="10.1"
# `logs = scores - scores.max(axis=1, keepdims=True)`, then subtract `np.log(np.exp(logs).sum(axis=1, keepdims=True))`. The loss is `-(wanted * logs).sum() / len(X)`,
# and `np.exp(logs)` are the probabilities.

# %% [markdown] tags=["hint-3"] exercise="10.1"
# Go back with `for place in reversed(range(0, len(layers), 2))`: the layer's input is `values[place // 2]`. Put `input.T @ error` and `error.sum(axis=0)` in front of the
# list, then `error = (error @ layers[place].T) * (input > 0)`.

# %% tags=["run"] anchor="gradient-check"
if ready("10.1", gradients):
    loss, slopes = gradients(images, labels, layers)
    tiny = 1e-6
    moved = [array.copy() for array in layers]
    moved[2][3, 5] += tiny
    print(f"loss {loss:.4f}; ln(10) is {np.log(10):.4f}")
    change = (gradients(images, labels, moved)[0] - loss) / tiny
    print(f"one weight a little larger: the loss changes by {change:.6f} per unit")
    print(f"your gradient says                              {slopes[2][3, 5]:.6f}")

# %% [markdown]
# **Explain:** this is a *gradient check*. Use it whenever you write such code: a wrong gradient often still makes the
# loss smaller, only more slowly, and raises no error.

# %% [markdown] exercise="10.2" title="What training keeps in memory" topic="networks"
# ### Exercise 10.2 · What training keeps in memory (7 min)
#
# 1. `n_parameters(sizes)`: the number of weights and biases of a fully connected network. `sizes` lists the sizes of the input and of all layers, such as `(64, 32, 16, 10)`.
# 2. `training_bytes(sizes, rows, copies=4, itemsize=4)`: the bytes that a step with a batch of `rows` rows keeps at
#    the same time. There are `copies` numbers for each parameter: the parameter, its gradient, and two that the Adam
#    optimizer stores. The backward pass also needs the input and the outputs of all layers, one number per row and
#    unit. Each number has `itemsize` bytes.

# %% tags=["exercise"] exercise="10.2"
def n_parameters(sizes):
    """Return the number of weights and biases."""
    ### BEGIN SOLUTION
    return sum((n_in + 1) * n_out for n_in, n_out in zip(sizes[:-1], sizes[1:]))
    ### END SOLUTION


def training_bytes(sizes, rows, copies=4, itemsize=4):
    """Return the bytes that one step of training keeps."""
    ### BEGIN SOLUTION
    return itemsize * (copies * n_parameters(sizes) + rows * sum(sizes))
    ### END SOLUTION

# %% tags=["check"] exercise="10.2"
check("10.2", n_parameters, training_bytes)

# %% [markdown] tags=["hint-1"] exercise="10.2"
# A layer with 64 inputs and 32 outputs has 64 × 32 weights. How many biases?

# %% [markdown] tags=["hint-2"] exercise="10.2"
# `zip(sizes[:-1], sizes[1:])` gives the pairs of input and output sizes. Each row keeps the sum of all sizes, including the input.

# %% [markdown] tags=["hint-3"] exercise="10.2"
# `sum((n_in + 1) * n_out for …)`, and `itemsize * (copies * n_parameters(sizes) + rows * sum(sizes))`.

# %% [markdown]
# **Predict:** a network of one billion parameters is trained with Adam, in single precision (4 bytes). How many GB does it need before the first image arrives?

# %% tags=["predict"]
predict("10.b", 16)  # SOLUTION

# %% tags=["run"] anchor="need-for-parallel"
wide = (10_000, 20_000, 20_000, 20_000, 10)
if ready("10.2", n_parameters, training_bytes):
    print(f"{wide}: {n_parameters(wide):,} parameters")
    for rows in (0, 64, 4096, 100_000):
        print(f"{rows:7,} rows per batch: {training_bytes(wide, rows) / 1e9:6.1f} GB")
    display(compare("10.b", round(training_bytes(wide, 0) / n_parameters(wide)), "GB"))

# %% [markdown]
# **Explain:** 16 bytes per parameter: 16 GB for each billion. The outputs of the layers come on top and grow with the
# batch; in image networks they are by far the larger part. So there are two reasons to distribute training: the model does not **fit**, or one device **takes too long**. The
# slides name AlexNet, ResNet, NASNet and AmoebaNet as stages of this growth, and 8 to 16 GPUs as the limit of one node (*scale-up*). That
# was in 2022. Larger nodes are sold today, but every node has a limit. Beyond it you need several nodes (*scale-out*)
# and messages between them.

# %% [markdown] anchor="learning-rate"
# ## 3. Steps: learning rate and batch size
#
# How long should a step be? If it is too short, training takes forever. If it is too long, it jumps across the valley and up the other side.
#
# **Predict:** we try the learning rates 0.001, 0.3 and 30, for 40 steps with all rows. With which of them is the loss larger at the end than at the start? (Enter the smallest such rate.)

# %% tags=["predict"]
predict("10.c", 30)  # SOLUTION

# %% tags=["run"]
def step(layers, slopes, rate):
    """Return the layers after one step."""
    return [array - rate * slope for array, slope in zip(layers, slopes)]


def full_batch(rate, steps=40):
    """Train with all rows in each step; return the losses."""
    layers, losses = first_layers(SIZES), []
    with np.errstate(all="ignore"):
        for _ in range(steps):
            loss, slopes = gradients(images, labels, layers)
            losses.append(float(loss))
            layers = step(layers, slopes, rate)
    return losses


if ready("10.1", gradients):
    curves = {f"rate {rate:g}": full_batch(rate) for rate in (0.001, 0.3, 30)}
    figures.curves(curves)
    display(compare("10.c", 30))

# %% [markdown] anchor="batch-size"
# **Explain:** 0.001 does no harm but makes no progress; 0.3 works; 30 **diverges**: the first steps move the weights
# so far that the loss exceeds a million. Where it ends up is worse than the start: most units of the network output 0
# for every image and stop learning.
#
# The second choice is the number of rows per step. With N rows in total, the slides name three options:
#
# * **batch gradient descent:** batch size N. One exact step per *epoch* (once through all rows).
# * **stochastic gradient descent:** batch size 1. N steps per epoch, each in a direction that is only roughly right.
# * **mini-batch gradient descent:** in between, commonly 64, 128 or 256.

# %% [markdown] exercise="10.3" title="Batches" topic="steps"
# ### Exercise 10.3 · Batches (6 min)
#
# Write `batches`: it returns the batches of one epoch, each as an array or a list of row numbers. Each row from 0 to
# `n_rows - 1` is in exactly one batch, in random order. All batches have `size` rows; only the last one may have
# fewer. The `seed` decides the order, so that several processes that use the same seed agree without a message. NumPy's global random numbers
# (`np.random.seed`, `np.random.permutation`) are shared by the whole process: do not use them.

# %% tags=["exercise"] exercise="10.3"
def batches(n_rows, size, seed):
    """Return the batches of one epoch: arrays of row numbers."""
    ### BEGIN SOLUTION
    order = np.random.default_rng(seed).permutation(n_rows)
    return [order[begin : begin + size] for begin in range(0, n_rows, size)]
    ### END SOLUTION

# %% tags=["check"] exercise="10.3"
check("10.3", batches)

# %% [markdown] tags=["hint-1"] exercise="10.3"
# Shuffle all row numbers once, then split the shuffled order into pieces.

# %% [markdown] tags=["hint-2"] exercise="10.3"
# `np.random.default_rng(seed).permutation(n_rows)` is the shuffled order, from a separate generator.

# %% [markdown] tags=["hint-3"] exercise="10.3"
# `[order[begin : begin + size] for begin in range(0, n_rows, size)]`. A slice that goes past the end is simply shorter.

# %% [markdown]
# **Predict:** which batch size brings the loss below 0.3 in the shortest time on one core: 1, 64 or 1797? Each has a suitable learning rate.

# %% tags=["predict"]
predict("10.d", 64)  # SOLUTION

# %% tags=["run"]
def train(rate, size, epochs, aim=0.0):
    """Train in batches; return the loss before and after each epoch, the seconds, and the steps."""
    layers, losses, steps = first_layers(SIZES), [], 0
    seconds = 0.0
    with np.errstate(all="ignore"):
        losses.append(float(gradients(images, labels, layers)[0]))
        for epoch in range(epochs):
            began = time.perf_counter()
            for rows in batches(len(images), size, epoch):
                layers = step(layers, gradients(images[rows], labels[rows], layers)[1], rate)
                steps += 1
            seconds += time.perf_counter() - began
            losses.append(float(gradients(images, labels, layers)[0]))
            if not losses[-1] > aim:
                break
    return losses, seconds, steps


if ready("10.1", gradients) and ready("10.3", batches):
    taken = {}
    for size, rate in ((1797, 0.5), (64, 0.3), (1, 0.02)):
        losses, seconds, steps = train(rate, size, 400, aim=0.3)
        taken[size] = seconds
        done = f"{len(losses) - 1:3} epochs, {steps:5,} steps, {seconds:6.3f} s"
        print(f"batch size {size:5}, rate {rate:5}: loss {losses[-1]:.2f} after {done}")
    display(compare("10.d", min(taken, key=taken.get)))

# %% [markdown]
# **Explain:** with all rows, steps are exact but few. With one row, steps are many, and each pays the overhead of all the small operations. The best size lies in between, and it depends on
# the machine: a GPU needs larger batches than one core to keep all its units busy. (The time to measure the loss is not included.)

# %% [markdown] exercise="10.4" title="What a curve says" topic="steps"
# ### Exercise 10.4 · What a curve says (6 min)
#
# With 35 pairs of rate and batch size, you do not want to look at 35 curves. Write `verdict(losses, wanted)`. `losses[0]` is the loss before training. Return, in this order:
#
# 1. `"diverges"` if any loss is not a finite number, or if the last loss is larger than the first;
# 2. `"good"` if any loss is `wanted` or less;
# 3. `"slow"` otherwise.

# %% tags=["exercise"] exercise="10.4"
def verdict(losses, wanted):
    """Return "diverges", "good" or "slow"."""
    ### BEGIN SOLUTION
    if not np.isfinite(losses).all() or losses[-1] > losses[0]:
        return "diverges"
    return "good" if min(losses) <= wanted else "slow"
    ### END SOLUTION

# %% tags=["check"] exercise="10.4"
check("10.4", verdict)

# %% [markdown] tags=["hint-1"] exercise="10.4"
# Write three `if`s, in the order of the list. A comparison with NaN is always false, so test for finite numbers first.

# %% [markdown] tags=["hint-2"] exercise="10.4"
# `np.isfinite(losses)` is a Boolean array, False for NaN and infinity. `losses[-1]` is the last loss.

# %% [markdown] tags=["hint-3"] exercise="10.4"
# `if not np.isfinite(losses).all() or losses[-1] > losses[0]: return "diverges"`. Then `min(losses) <= wanted`.

# %% tags=["run"]
RATES, BATCH_SIZES = (0.003, 0.03, 0.1, 0.3, 1, 3, 10), (1797, 256, 64, 16, 4)
table = {}
if ready("10.1", gradients) and ready("10.3", batches) and ready("10.4", verdict):
    for size in BATCH_SIZES:
        for rate in RATES:
            losses = train(rate, size, 10)[0]
            table[size, rate] = (verdict(losses, 0.3), losses[-1])
figures.rate_map(table)

# %% [markdown]
# **Explain:** after ten epochs the good squares lie on a diagonal. Small batches make many steps per epoch, so they
# get further, but their steps are noisy and only tolerate small rates. Large batches make few steps: they need larger
# rates or more epochs. If you train on n times as many devices and each keeps its batch size, the batch of a *step*
# is n times as large, and the old rate is in the wrong place on this map. A common rule is to multiply the rate by n
# as well, after a warm-up (Goyal and others, 2017). It has limits: 0.3 is good for 64 rows, but 28 times this rate
# for 28 times as many rows diverges. (Our verdict is a rule of thumb: some of these runs would recover.)

# %% [markdown] anchor="three-ways"
# ## 4. Three ways to divide

# %% tags=["run"]
figures.three_ways()

# %% [markdown]
# * **Data parallelism:** every device has the whole model and a part of the rows. Gradients are added up in each step.
# * **Model parallelism:** every device has a part of the model. Layer outputs travel forward, errors travel back.
# * **Hybrid parallelism:** several groups; the model is divided within a group, the rows between groups.

# %% [markdown] exercise="10.5" title="Which way?" topic="strategies"
# ### Exercise 10.5 · Which way? (4 min)
#
# For each case, choose `"one device"`, `"data"`, `"model"`, `"hybrid"` or `"tiles"` (the image is cut into pieces, and each piece is a separate image). Use each answer once.
#
# * **A** A model and its batch need 2 GB. Training takes three minutes on your only card, which has 16 GB.
# * **B** ResNet-50 with a batch of 64 fits on a card. 1.2 million images and 90 epochs take weeks. You have 16 cards.
# * **C** A deep network for scans needs 100 GB for a *single* image. There are 200 images and one node with four 40 GB cards.
# * **D** The network of C, one million images, and 64 such nodes.
# * **E** You want to count the cells in an image of 100,000 × 100,000 pixels. A small network is enough: the 50 pixels around a pixel show whether it belongs to a cell.

# %% tags=["exercise"] exercise="10.5"
ways = {
    "A": "one device",  # SOLUTION
    "B": "data",  # SOLUTION
    "C": "model",  # SOLUTION
    "D": "hybrid",  # SOLUTION
    "E": "tiles",  # SOLUTION
}

# %% tags=["check"] exercise="10.5"
check("10.5", ways)

# %% [markdown] tags=["hint-1"] exercise="10.5"
# Ask two questions. Do the model and one image fit on one device? Is there a reason to be faster?

# %% [markdown] tags=["hint-2"] exercise="10.5"
# If it fits and is fast enough, divide nothing. If it fits but is too slow, divide the rows. If it does not fit, divide the model or, if only neighbours matter, the image.

# %% [markdown] tags=["hint-3"] exercise="10.5"
# C and D have the same model, which does not fit; D also has many images and many nodes.

# %% [markdown] anchor="data-parallel"
# ## 5. Data parallelism
#
# The slide lists three steps: *data propagation* (each rank gets its rows, once), *forward and backward pass* (each
# rank on its own rows), *gradient aggregation* (`MPI_Allreduce` of the gradients; then every rank makes the same step
# with the same numbers). All ranks start with the same weights, so their weights stay equal without sending any.
#
# **Predict:** two ranks, with 1,500 and 297 rows. Each computes the mean gradient of its own rows, and the two means are averaged. Is the result the gradient of all rows? Write `"yes"` or `"no"`.

# %% tags=["predict"]
predict("10.e", "no")  # SOLUTION

# %% tags=["run"] anchor="mean-of-means"
CUTS = [0, 1500, 1797]
shares = [(images[a:b], labels[a:b]) for a, b in zip(CUTS[:-1], CUTS[1:])]
if ready("10.1", gradients):
    whole = gradients(images, labels, layers)[1]
    averaged = [(one + other) / 2 for one, other in zip(*(gradients(*share, layers)[1] for share in shares))]
    off = max(np.abs(one - other).max() for one, other in zip(averaged, whole))
    print(f"largest difference: {off:.1e}; largest slope: {max(np.abs(one).max() for one in whole):.1e}")
    display(compare("10.e", "yes" if off < 1e-10 else "no"))

# %% [markdown]
# **Explain:** a real failure, and a silent one: the mean of means gives the 297 rows of rank 1 the same weight as the
# 1,500 of rank 0. You know the solution from lesson 06: **sums and counts**. (Horovod averages over ranks by default.
# This is correct while all ranks have batches of the same size. In the last batch of an epoch they often do not.)

# %% [markdown] exercise="10.6" title="Gradients of all rows" topic="data-parallel"
# ### Exercise 10.6 · Gradients of all rows (12 min)
#
# Write `parallel_gradients`. It is called on every rank with that rank's own rows. On every rank it returns the loss
# and the gradients of **all** rows: what `gradients` would return if one process had them all. Use your `gradients`
# and `comm.allreduce`, which adds up numbers or NumPy arrays. (It adds *lists* by concatenating them, as Python
# does.)
#
# The ranks may have different numbers of rows. A rank may have no rows at all: the mean over its rows does not exist, but it still has to call `allreduce` as often as the others. Rows do not travel.

# %% tags=["exercise"] exercise="10.6"
def parallel_gradients(comm, X, wanted, layers):
    """Return two things, the same on every rank: loss and slopes of the rows of all ranks."""
    ### BEGIN SOLUTION
    total = comm.allreduce(len(X))
    if len(X):
        loss, slopes = gradients(X, wanted, layers)
    else:
        loss, slopes = 0.0, [np.zeros_like(array) for array in layers]
    share = len(X) / total
    return comm.allreduce(loss * share), [comm.allreduce(slope * share) for slope in slopes]
    ### END SOLUTION

# %% tags=["check"] exercise="10.6"
check("10.6", parallel_gradients)

# %% [markdown] tags=["hint-1"] exercise="10.6"
# Turn your means into sums: multiply each mean by its number of rows. Add up the sums, add up the numbers of rows, and divide.

# %% [markdown] tags=["hint-2"] exercise="10.6"
# `total = comm.allreduce(len(X))`. A rank without rows contributes zeros: `np.zeros_like(array)` for each array of the layers.

# %% [markdown] tags=["hint-3"] exercise="10.6"
# With `share = len(X) / total`, return `comm.allreduce(loss * share)` and `[comm.allreduce(slope * share) for slope in slopes]`.

# %% tags=["run"]
def on_rank(comm, shares, layers):
    return parallel_gradients(comm, *shares[comm.rank], layers)


if ready("10.1", gradients) and ready("10.6", parallel_gradients):
    run = run_mpi(on_rank, shares, layers, n_ranks=2)
    for rank, (loss, slopes) in enumerate(run.results):
        off = max(np.abs(one - other).max() for one, other in zip(slopes, whole))
        print(f"rank {rank}: loss {loss:.6f}, largest difference to one process {off:.1e} ({run.where})")

# %% [markdown] anchor="on-dask"
# Now the same on the workers of the Dask cluster. The rows go there once (`to_backend` makes arrays of the workers'
# library, `persist` keeps them there). After that, in each step, the weights go to the workers, and one sum of
# gradients comes back from each block. Here the notebook plays the role of `allreduce`.

# %% tags=["run"]
chunks = ((1000, 500, 297), -1)
rows = da.from_array(images, chunks=chunks).to_backend().persist()
aims = da.from_array(labels, chunks=chunks).to_backend().persist()
x_blocks, y_blocks = (lab.client.compute(list(array.to_delayed().ravel())) for array in (rows, aims))


def block_gradients(X, wanted, layers):
    """On a worker: return the sums of loss and gradients over the rows of a block, and their number."""
    layers = [np.asarray(array, like=X) for array in layers]  # in the library of the block
    loss, slopes = gradients(X, wanted, layers)
    return len(X), float(loss) * len(X), [as_numpy(slope) * len(X) for slope in slopes]


if ready("10.1", gradients):
    weights, alone = first_layers(SIZES), first_layers(SIZES)
    for number in range(20):
        parts = lab.client.gather(lab.client.map(block_gradients, x_blocks, y_blocks, layers=weights, pure=False))
        n = sum(part[0] for part in parts)
        slopes = [sum(arrays) / n for arrays in zip(*(part[2] for part in parts))]
        weights = step(weights, slopes, 0.3)
        alone = step(alone, gradients(images, labels, alone)[1], 0.3)
    off = max(np.abs(one - other).max() for one, other in zip(weights, alone))
    print(f"20 steps on {len(lab.client.nthreads())} workers: loss {sum(part[1] for part in parts) / n:.3f}")
    print(f"largest difference to one process: {off:.1e}")

# %% [markdown]
# **Explain:** the same weights after 20 steps, up to rounding. Data parallelism changes *where* the work is done but
# not the result, as long as the batch of a step stays the same. You do not have to write this yourself: gpucluster's
# `MLPClassifier` does it, with one allreduce per step between the workers.

# %% tags=["run"]
began = time.perf_counter()
model = MLPClassifier(
    (32, 16), solver="sgd", momentum=0.0, learning_rate_init=0.3, batch_size=64, max_iter=10, random_state=0
)
model.fit(rows, da.from_array(digits.target, chunks=chunks[:1]).to_backend())
right = model.score(rows, digits.target)
print(f"{model.n_iter_} epochs, loss {model.loss_:.3f}, {time.perf_counter() - began:.1f} s")
print(f"right on {right:.1%} of its own training rows")

# %% [markdown] exercise="10.14" title="An epoch on every rank" topic="data-parallel"
# ### Exercise 10.14 · An epoch on every rank (4 min)
#
# What does *each* rank do in one epoch? The next cell shows the lines, each with a letter. Move them there, or write your order as pairs: the letter of a line and its level. Level 1 is the body of the loop. Two lines do not belong.

# %% tags=["run"]
lessons.parsons("10.14")

# %% tags=["exercise"] exercise="10.14"
# For example [("X", 0), ("Y", 0), ("Z", 1)].
order = [("F", 0), ("C", 0), ("I", 0), ("E", 1), ("D", 1), ("B", 1), ("A", 1)]  # SOLUTION

# %% tags=["check"] exercise="10.14"
check("10.14", order)

# %% [markdown] tags=["hint-1"] exercise="10.14"
# Two steps come once, before the loop, in any order. All others are repeated for each batch.

# %% [markdown] tags=["hint-2"] exercise="10.14"
# In the loop: the rank's own gradients, then the sum over all ranks, then the mean, then the step.

# %% [markdown] tags=["hint-3"] exercise="10.14"
# One of the two extra lines sends rows. The other divides by the number of ranks.

# %% [markdown] anchor="ring"
# ## 6. Horovod's ring
#
# What is inside an `allreduce`? Suppose there are n ranks, and each has B bytes. If all send to rank 0, which adds up
# and sends the result back, then rank 0 receives (n − 1) B and sends (n − 1) B: with 100 ranks, 99 times as much as
# the others. **Horovod** (Sergeev and Del Balso, 2018) popularized another method, the *ring*. The array is cut into
# n parts. Each rank sends only to the next rank and receives only from the previous one:
#
# 1. **n − 1 rounds of adding.** In each round, a rank sends one part and adds the part it receives to its own. At the end each part is complete on one rank.
# 2. **n − 1 rounds of sharing.** The complete parts travel round the ring.
#
# **Predict:** 100 ranks, each with 100 MB. How many MB does a rank send in the ring in total?

# %% tags=["predict"]
predict("10.f", 198)  # SOLUTION

# %% tags=["run"]
n_ranks, megabytes = 100, 100
print(f"all to one and back, the one receives and sends: {(n_ranks - 1) * megabytes:,} MB each")
compare("10.f", 2 * (n_ranks - 1) * megabytes / n_ranks, "MB")

# %% [markdown]
# **Explain:** 2 (n − 1) messages of B / n bytes: never more than 2 B, however many ranks there are. (The cost is 2 (n
# − 1) messages in sequence, so a tree is faster for small arrays. Lesson 12 calculates up to which size. Horovod
# therefore first combines many small gradients into one large array, which it calls *tensor fusion*. Libraries choose
# the method by size.)

# %% [markdown] exercise="10.7" title="A ring" topic="ring"
# ### Exercise 10.7 · A ring (18 min)
#
# Write `ring_allreduce` using only messages from rank to rank. `values` is a one-dimensional array. Return the sum over all ranks, on every rank.
#
# * Each rank sends 2 (n − 1) messages, all to the next rank in the ring (or all to the previous one), each with one part.
# * `np.array_split(values, n)` splits into n parts, which may be unequal or empty.
# * It must also work with one or two ranks.
# * A `send` of a large array waits until it is received. If all send first, all wait. `comm.sendrecv(data, dest=…, source=…)` sends and receives at the same time.

# %% tags=["exercise"] exercise="10.7"
def ring_allreduce(comm, values):
    """Return the sum of the arrays of all ranks."""
    ### BEGIN SOLUTION
    n, me = comm.size, comm.rank
    right, left = (me + 1) % n, (me - 1) % n
    parts = [part.copy() for part in np.array_split(values, n)]
    for turn in range(n - 1):
        gone, come = (me - turn) % n, (me - turn - 1) % n
        parts[come] = parts[come] + comm.sendrecv(parts[gone], dest=right, source=left)
    for turn in range(n - 1):
        gone, come = (me + 1 - turn) % n, (me - turn) % n
        parts[come] = comm.sendrecv(parts[gone], dest=right, source=left)
    return np.concatenate(parts)
    ### END SOLUTION

# %% tags=["check"] exercise="10.7"
check("10.7", ring_allreduce)

# %% [markdown] tags=["hint-1"] exercise="10.7"
# Play it on paper with three ranks. In the first round rank r sends part r. Which part does it receive? What must it send in the second round?

# %% [markdown] tags=["hint-2"] exercise="10.7"
# In round t of the first phase, rank r sends part `(r - t) % n` and receives part `(r - t - 1) % n`, which it adds to its own. After n − 1 rounds its part `(r + 1) % n` is complete.

# %% [markdown] tags=["hint-3"] exercise="10.7"
# In round t of the second phase, rank r sends part `(r + 1 - t) % n` and receives part `(r - t) % n`, which *replaces* its own. At the end, `np.concatenate(parts)`.

# %% tags=["run"]
steps = None
if ready("10.7", ring_allreduce):
    run, steps = read_ring(ring_allreduce, 4)
drawings.ring(steps, 4)

# %% [markdown]
# Click the numbers. Each row is a rank, each square a part, each stripe in a square the numbers of one rank: you see *your* messages in the order sent (on simulated ranks).
#
# ### A real failure: everyone is polite
#
# This first round of a ring looks as good as yours: first send, then receive.

# %% tags=["run"] anchor="deadlock"
def first_turn(comm, values):
    comm.send(values, dest=(comm.rank + 1) % comm.size)
    return comm.recv(source=(comm.rank - 1) % comm.size)


print("a small array:", [len(found) for found in simulate(first_turn, np.zeros(100), n_ranks=3).results])
with expect_failure():
    simulate(first_turn, np.zeros(100_000), n_ranks=3)

# %% [markdown]
# **Explain:** the library buffers a small message until it is received; a large one waits for its receiver. With
# large arrays, all three send and none receives: a **deadlock**. MPI would not report it: the job hangs until its
# time limit. Programs with this mistake pass all tests on small data.
#
# ### What Horovod is built on

# %% tags=["run"] anchor="stack"
figures.stack()

# %% [markdown] anchor="horovod"
# A program uses TensorFlow or PyTorch. Horovod adds up the gradients. MPI (here MVAPICH2, from Ohio State University) or NCCL carries them. Below are the network and the GPUs. The slides install Horovod like this:
#
# ```console
# $ HOROVOD_WITH_MPI=1 pip install --no-cache-dir horovod
# $ HOROVOD_GPU_ALLREDUCE=MPI HOROVOD_CUDA_HOME=/opt/cuda/11.3 HOROVOD_WITH_MPI=1 pip install --no-cache-dir horovod
# ```
#
# | | meaning |
# |---|---|
# | `NAME=value command` | the variable applies to this one command. Here `pip` builds Horovod from source, and the build reads the variable |
# | `HOROVOD_WITH_MPI=1` | build with MPI, and *fail* if that is not possible instead of silently leaving it out |
# | `HOROVOD_GPU_ALLREDUCE=MPI` | MPI, not NCCL, adds up arrays in GPU memory: for an MPI that can read this memory, such as MVAPICH2-GDR. Later versions call it `HOROVOD_GPU_OPERATIONS` |
# | `HOROVOD_CUDA_HOME=/opt/cuda/11.3` | where CUDA is: a path on one machine in 2022 |
# | `--no-cache-dir` | do not reuse a wheel built earlier with other variables |
#
# **Read it as history:** 0.28.1, of 2023, is the newest release on PyPI. For a new project, use PyTorch's own
# `DistributedDataParallel` or something similar. It contains the algorithm that you have just written (NCCL's ring),
# which is why you build it here instead of installing Horovod.

# %% [markdown] exercise="10.8" title="A benchmark's log" topic="published"
# ### Exercise 10.8 · A benchmark's log (12 min)
#
# Horovod's benchmark trains on random images and prints lines such as those below. They are from the slides: one V100, and two nodes with one V100 each. Write `read_log(text)`. It returns a dictionary:
#
# * `"model"` (text), `"batch"` and `"gpus"` (whole numbers), `"rates"` (a list with the rate from each `Iter` line, in order);
# * `"mean"` of the rates; `"spread"`: 1.96 times their standard deviation (`np.std`), which the benchmark prints after `+-`; `"total"`: the mean times the number of cards.
#
# Calculate the last three from the rates, without rounding. A job may have been killed before it printed the summary.

# %% tags=["run"]
print(TWO_NODES)

# %% tags=["exercise"] exercise="10.8"
def read_log(text):
    """Return {"model": …, "batch": …, "gpus": …, "rates": […], "mean": …, "spread": …, "total": …}."""
    ### BEGIN SOLUTION
    found = {"rates": []}
    for line in text.splitlines():
        label, _, value = line.partition(":")
        if label == "Model":
            found["model"] = value.strip()
        elif label == "Batch size":
            found["batch"] = int(value)
        elif label == "Number of GPUs":
            found["gpus"] = int(value)
        elif label.startswith("Iter #"):
            found["rates"].append(float(value.split()[0]))
    found["mean"] = float(np.mean(found["rates"]))
    found["spread"] = 1.96 * float(np.std(found["rates"]))
    found["total"] = found["gpus"] * found["mean"]
    return found
    ### END SOLUTION

# %% tags=["check"] exercise="10.8"
check("10.8", read_log)

# %% [markdown] tags=["hint-1"] exercise="10.8"
# Go through `text.splitlines()` and split each line at its colon into a label and a value.

# %% [markdown] tags=["hint-2"] exercise="10.8"
# `label, _, value = line.partition(":")`. The line of an iteration begins with `Iter #`; its rate is the first word of the value.

# %% [markdown] tags=["hint-3"] exercise="10.8"
# `float(value.split()[0])` is the rate. `np.mean(rates)`, `1.96 * np.std(rates)`, and the mean times the number of cards.

# %% tags=["run"] anchor="one-and-two"
if ready("10.8", read_log):
    for name, text in {"one card": ONE_CARD, "two nodes": TWO_NODES}.items():
        found = read_log(text)
        each = f"{found['mean']:.2f} ± {found['spread']:.2f}"
        print(f"{name}: {each} images per second and card, together {found['total']:.1f}")
        print(f"   the log says: {text.splitlines()[-1]}")

# %% [markdown]
# **Explain:** two lessons here. First, `± 2.2` is *1.96 times* the standard deviation (which is 1.1): if iterations
# follow a bell curve, 95 % of them are in that range. Other programs print the deviation itself: find out before you
# compare. Second, the second log has `632.8 +-4` although 2 × 2.2 is 4.4: the figures were rounded by hand. (For the
# first log, we get 333.94 ± 0.27 instead of 334.0 ± 0.2, because its iterations were rounded to one digit before we
# averaged them.)
#
# Now our own benchmark, in the same format, on one core of this machine.

# %% tags=["run"]
if ready("10.1", gradients):
    rates = []
    for number in range(-1, 5):
        began = time.perf_counter()
        for rows_of_batch in range(20):
            gradients(images[:64], labels[:64], layers)
        rate = 20 * 64 / (time.perf_counter() - began)
        if number >= 0:  # the one before was the warmup
            rates.append(rate)
            print(f"Iter #{number}: {rate:,.0f} img/sec")
    print(f"Img/sec: {np.mean(rates):,.0f} +-{1.96 * np.std(rates):,.0f}")
    print(f"(images of 64 pixels, NumPy {np.__version__}, one process)")

# %% [markdown] anchor="pipeline"
# ## 7. A network in pieces
#
# Model parallelism: the first layers are on one device, the last ones on another. The output at the cut travels
# forward, and its error travels back. With one batch, one device always waits for the other. So the batch is split
# into **micro-batches** that follow each other, as in a **pipeline**: while the second device works on the first micro-batch, the first device already works on the second.
#
# These two functions do the work of one stage. They are your `gradients`, split in two.

# %% tags=["run"]
def forward(X, layers, last):
    """Return the input and what each layer makes of it; after the network's last layer there is no ReLU."""
    values = [X]
    for place in range(0, len(layers), 2):
        scores = values[-1] @ layers[place] + layers[place + 1]
        values.append(scores if last and place == len(layers) - 2 else np.maximum(scores, 0))
    return values


def backward(values, error, layers):
    """Return the gradients of these layers, and the error of what they were given.

    error: of values[-1], before its ReLU
    """
    slopes = []
    for place in reversed(range(0, len(layers), 2)):
        given = values[place // 2]
        slopes = [given.T @ error, error.sum(axis=0), *slopes]
        error = (error @ layers[place].T) * (given > 0)
    return slopes, error


def score_error(scores, wanted, n_rows):
    """Return the error of the last scores, of a batch of n_rows rows in all."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True) - wanted) / n_rows

# %% [markdown] exercise="10.9" title="Two stages" topic="pipelines"
# ### Exercise 10.9 · Two stages (20 min)
#
# Write `two_stages`, for two ranks. Rank 0 has the rows `X` and the first layers; its `wanted` is `None`. Rank 1 has
# `wanted` and the last layers; its `X` is `None`. Each returns the gradients of its own layers, the same as if one
# process had all layers and processed the whole batch at once.
#
# * Split the batch with `np.array_split(…, n_micro)`, the same way on both ranks. First send all micro-batches forward, then all errors back: 2 × `n_micro` messages in all.
# * Add up the gradients of the micro-batches. `score_error` takes the number of rows of the *whole* batch.
# * The error that `backward` returns on rank 1 is the input of `backward` on rank 0. It is already 0 where ReLU set the output to 0.
# * Messages may be large (see above): every send needs a matching receive.

# %% tags=["exercise"] exercise="10.9"
def two_stages(comm, X, wanted, own, n_micro):
    """Return the gradients of this rank's own layers, for the whole batch."""
    ### BEGIN SOLUTION
    total = [np.zeros_like(array) for array in own]
    if comm.rank == 0:
        kept = [forward(part, own, last=False) for part in np.array_split(X, n_micro)]
        for values in kept:
            comm.send(values[-1], dest=1)
        for values in kept:
            slopes, _ = backward(values, comm.recv(source=1), own)
            total = [one + other for one, other in zip(total, slopes)]
    else:
        kept = [forward(comm.recv(source=0), own, last=True) for _ in range(n_micro)]
        for values, aims in zip(kept, np.array_split(wanted, n_micro)):
            slopes, error = backward(values, score_error(values[-1], aims, len(wanted)), own)
            comm.send(error, dest=0)
            total = [one + other for one, other in zip(total, slopes)]
    return total
    ### END SOLUTION

# %% tags=["check"] exercise="10.9"
check("10.9", two_stages)

# %% [markdown] tags=["hint-1"] exercise="10.9"
# Write one `if comm.rank == 0` with everything that rank 0 does, and an `else`. Each rank has two loops: one forward, one backward. What must a rank keep from the first loop for the second?

# %% [markdown] tags=["hint-2"] exercise="10.9"
# Rank 0: `values = forward(part, own, last=False)`, send `values[-1]`, keep `values`. Rank 1: receive, `forward(…, last=True)`, keep. Backward: rank 1 begins with `score_error(values[-1], aims, len(wanted))`.

# %% [markdown] tags=["hint-3"] exercise="10.9"
# On rank 1: `slopes, error = backward(values, score_error(…), own)`, then `comm.send(error, dest=0)`. On rank 0: `slopes, _ = backward(values, comm.recv(source=1), own)`. Add each to a list of sums that starts with zeros.

# %% tags=["run"]
def on_stage(comm, n_micro, layers):
    if comm.rank == 0:
        return two_stages(comm, images, None, layers[:2], n_micro)
    return two_stages(comm, None, labels, layers[2:], n_micro)


if ready("10.1", gradients) and ready("10.9", two_stages):
    run = run_mpi(on_stage, 8, layers, n_ranks=2)
    together, whole = [*run.results[0], *run.results[1]], gradients(images, labels, layers)[1]
    off = max(np.abs(one - other).max() for one, other in zip(together, whole))
    print(f"two stages, 8 micro-batches ({run.where})")
    print(f"largest difference to one process: {off:.1e}")

# %% [markdown]
# ### How long do they wait?
#
# There are four stages, and the micro-batches follow each other. In the pictures, the forward pass of a stage takes one unit of time, the backward pass two, and messages none. (Simulated.)
#
# **Predict:** four devices process *one* undivided batch. What percentage of the devices' time is idle?

# %% tags=["predict"]
predict("10.g", 75)  # SOLUTION

# %% tags=["run"] anchor="bubbles"
plans = {f"{micro} micro-batch{'es' * (micro > 1)}": schedule(4, micro) for micro in (1, 2, 4, 8)}
drawings.pipeline(plans)
compare("10.g", 100 * idle(plans["1 micro-batch"]), "%")

# %% [markdown] exercise="10.10" title="The price of a pipeline" topic="pipelines"
# ### Exercise 10.10 · The price of a pipeline (6 min)
#
# The empty slots are called *bubbles*. With p stages and m micro-batches, each device works for m slots and waits for p − 1.
#
# 1. `idle_share(stages, micro_batches)`: the share of the time that a device waits, from 0 to 1.
# 2. `micro_batches_for(stages, most_idle)`: the smallest number of micro-batches for which the idle share is at most `most_idle` (more than 0, less than 1).

# %% tags=["exercise"] exercise="10.10"
def idle_share(stages, micro_batches):
    """Return a number from 0 to 1."""
    ### BEGIN SOLUTION
    return (stages - 1) / (micro_batches + stages - 1)
    ### END SOLUTION


def micro_batches_for(stages, most_idle):
    """Return a whole number, 1 or more."""
    ### BEGIN SOLUTION
    micro_batches = 1
    while idle_share(stages, micro_batches) > most_idle:
        micro_batches += 1
    return micro_batches
    ### END SOLUTION

# %% tags=["check"] exercise="10.10"
check("10.10", idle_share, micro_batches_for)

# %% [markdown] tags=["hint-1"] exercise="10.10"
# A device has m + p − 1 slots in total. How many of them are empty?

# %% [markdown] tags=["hint-2"] exercise="10.10"
# `(p - 1) / (m + p - 1)`. For the second function, a loop that tries 1, 2, 3, … is good enough.

# %% [markdown] tags=["hint-3"] exercise="10.10"
# `while idle_share(stages, m) > most_idle: m += 1`. Exactly `most_idle` is allowed.

# %% tags=["run"]
if ready("10.10", idle_share, micro_batches_for):
    for name, spans in plans.items():
        print(f"{name:16} simulated {idle(spans):.1%}, yours {idle_share(4, int(name.split()[0])):.1%}")
    print(f"48 stages, at most 10 % idle: {micro_batches_for(48, 0.1)} micro-batches")

# %% tags=["run"]
drawings.explore_pipeline()

# %% [markdown]
# **Change:** choose eight stages and one micro-batch. Which devices work? Change the number of micro-batches, and watch where the gain ends. The next part explains the second copy (the last slider).

# %% [markdown] anchor="gems"
# ### GEMS: when the batch cannot be cut
#
# Pathology images are so large that a batch is **one** image. There is nothing to split into micro-batches, and three of four devices wait. A larger batch needs more memory, and there is none left. **GEMS** (*GPU-Enabled
# Memory-Aware Model Parallelism System*; Jain and others, 2020) puts a **second copy of the model** on the same devices, in the **opposite** order: the
# last device of the first copy is the first device of the second. As the errors of the first image travel back, they
# free the memory of one device after another, and the second image follows from that end.
#
# **Predict:** four devices, two copies in opposite order. If memory were unlimited, what percentage of the time would still be idle?

# %% tags=["predict"]
predict("10.h", 50)  # SOLUTION

# %% tags=["run"]
copies = {
    "one copy, one image": schedule(4, 1),
    "two copies, memory for both": schedule(4, 1, copies=2),
    "two copies, memory for one": schedule(4, 1, copies=2, one_at_a_time=True),
    "six copies by turns, memory for one": schedule(4, 1, copies=6, one_at_a_time=True),
}
drawings.pipeline(copies)
for (name, spans), images_done in zip(copies.items(), (1, 2, 2, 6)):
    print(f"{name:36} {idle(spans):4.0%} idle, {length(spans) / images_done:5.2f} units of time per image")
compare("10.h", 100 * idle(copies["two copies, memory for both"]), "%")

# %% [markdown]
# **Explain:** with memory only for one copy's outputs, two copies gain a factor of 12 / 10.5 = 1.14. The published times for one node with four GPUs are 7.25 hours for GEMS-Basic and 6.28 for GEMS-MAST: a factor of 1.15. GEMS-MASTER repeats the idea
# with more copies: 4.21 hours, a factor of 1.72, more than our simulation gives. (It is *our* interpretation of the
# mechanism, with passes of equal length and free messages. One agreement is not a proof.) The copies must stay equal,
# so their gradients are added up, as in data parallelism.

# %% [markdown] anchor="hybrid"
# ## 8. Pipelines side by side
#
# **HyPar-Flow** (Awan and others, 2020) does both for models written in Keras, with TensorFlow 2: a model is split
# into partitions, which exchange MPI messages from rank to rank. Each partition has several replicas, which add up
# their gradients with `allreduce`. This combines what you have built. With four ranks:
#
# | | first layers | last layers |
# |---|---|---|
# | **pipeline 0**, the first rows | rank 0 | rank 1 |
# | **pipeline 1**, the other rows | rank 2 | rank 3 |
#
# Each row is a pipeline; each column is an `allreduce`.

# %% [markdown] exercise="10.11" title="Two by two" topic="hybrid"
# ### Exercise 10.11 · Two by two (12 min)
#
# Write `hybrid_slopes` for 2, 4, 6, … ranks: ranks 2k and 2k + 1 are pipeline k. Use `comm.Split` (lesson 09) and your `two_stages`, which
# returns the gradients of the *mean* loss over the rows of its pipeline. On each rank, return the gradients of its
# layers for **all** rows. The pipelines may have different numbers of rows, but none is empty. Again, `X` is `None`
# on odd ranks, `wanted` on even ranks.

# %% tags=["exercise"] exercise="10.11"
def hybrid_slopes(comm, X, wanted, own, n_micro):
    """Return the gradients of this rank's own layers, for the rows of all pipelines."""
    ### BEGIN SOLUTION
    pipeline = comm.Split(comm.rank // 2, comm.rank)
    same_stage = comm.Split(comm.rank % 2, comm.rank)
    slopes = two_stages(pipeline, X, wanted, own, n_micro)
    n_rows = len(wanted if X is None else X)
    total = same_stage.allreduce(n_rows)
    return [same_stage.allreduce(slope * n_rows) / total for slope in slopes]
    ### END SOLUTION

# %% tags=["check"] exercise="10.11"
check("10.11", hybrid_slopes)

# %% [markdown] tags=["hint-1"] exercise="10.11"
# Call `Split` twice. Which number do the ranks of a pipeline have in common? Which one do the ranks of the same stage have in common?

# %% [markdown] tags=["hint-2"] exercise="10.11"
# `comm.rank // 2` is the pipeline, `comm.rank % 2` the stage. Give the communicator of the pipeline to `two_stages`; in it, the ranks are 0 and 1.

# %% [markdown] tags=["hint-3"] exercise="10.11"
# Sums and counts: multiply by the number of rows of this pipeline (of `X` or `wanted`, whichever is not `None`), `allreduce` within the stage, and divide by the `allreduce` of the numbers of rows.

# %% tags=["run"]
def train_hybrid(comm, parts, layers, rate, steps):
    """Train with 2 × 2 ranks; return the loss before each step, on the ranks that have the last layers."""
    rows, aims = parts[comm.rank // 2]
    first = comm.rank % 2 == 0
    own, losses = (layers[:2] if first else layers[2:]), []
    for _ in range(steps):
        slopes = hybrid_slopes(comm, rows if first else None, None if first else aims, own, 4)
        own = [array - rate * slope for array, slope in zip(own, slopes)]
    return own


if ready("10.1", gradients) and ready("10.9", two_stages) and ready("10.11", hybrid_slopes):
    run = run_mpi(train_hybrid, shares, layers, 0.3, 30, n_ranks=4)
    trained = [*run.results[0], *run.results[1]]
    alone = layers
    for _ in range(30):
        alone = step(alone, gradients(images, labels, alone)[1], 0.3)
    print(f"30 steps on 2 × 2 ranks ({run.where}): loss {gradients(images, labels, trained)[0]:.6f}")
    print(f"30 steps of one process:           loss {gradients(images, labels, alone)[0]:.6f}")

# %% [markdown] anchor="slides"
# ## 9. Images that do not fit
#
# A pathologist's *whole-slide image* (WSI) has 100,000 × 100,000 pixels. How much memory does one need for the colours alone?
#
# **Predict:** how many GB, with three bytes per pixel?

# %% tags=["predict"]
predict("10.i", 30)  # SOLUTION

# %% tags=["run"]
compare("10.i", 100_000 * 100_000 * 3 / 1e9, "GB")

# %% [markdown]
# So the usual method is to cut it into **tiles** and train on them. The slides name two costs: GPU memory limits the
# size of a tile, and small tiles lose anything larger than a tile. A third cost is at the borders: a filter, or a CNN
# layer, looks at the neighbours of each pixel, and at the border of a tile these are missing. The solution is a
# **halo**: each tile is read with some pixels around it, and only its core is kept.

# %% [markdown] exercise="10.12" title="Tiles with a halo" topic="large-images"
# ### Exercise 10.12 · Tiles with a halo (12 min)
#
# 1. `image_bytes(height, width, channels=3, itemsize=1)`: the bytes of an image.
# 2. `tiles(height, width, size, halo)`: a list of pairs `(core, around)`. Both are pairs of slices, `(rows, columns)`, so that `image[core]` cuts out the tile. The
#    tiles may be in any order. The cores cover each pixel exactly once. They have `size` × `size` pixels; those at
#    the lower and right borders may be smaller. `around` is the core with `halo` more pixels on each side, but never beyond the image.

# %% tags=["exercise"] exercise="10.12"
def image_bytes(height, width, channels=3, itemsize=1):
    """Return the number of bytes."""
    ### BEGIN SOLUTION
    return height * width * channels * itemsize
    ### END SOLUTION


def tiles(height, width, size, halo):
    """Return a list of (core, around), each a pair of slices."""
    ### BEGIN SOLUTION
    found = []
    for top in range(0, height, size):
        for left in range(0, width, size):
            bottom, right = min(top + size, height), min(left + size, width)
            core = slice(top, bottom), slice(left, right)
            rows = slice(max(top - halo, 0), min(bottom + halo, height))
            columns = slice(max(left - halo, 0), min(right + halo, width))
            found.append((core, (rows, columns)))
    return found
    ### END SOLUTION

# %% tags=["check"] exercise="10.12"
check("10.12", image_bytes, tiles)

# %% [markdown] tags=["hint-1"] exercise="10.12"
# Write two loops: over the upper borders of the tiles, and over the left borders. `range(0, height, size)` gives the first.

# %% [markdown] tags=["hint-2"] exercise="10.12"
# The lower border is `min(top + size, height)`. Around it: `max(top - halo, 0)` and `min(bottom + halo, height)`. You need `max` because a negative start counts from the end.

# %% [markdown] tags=["hint-3"] exercise="10.12"
# `core = (slice(top, bottom), slice(left, right))`, and `around` in the same way with the halo. Append the pair to a list.

# %% [markdown] anchor="photo"
# A photo of 427 × 640 pixels stands in for the slide. We smooth it with a window of 17 × 17 pixels, as a whole and in tiles.
#
# **Predict:** with tiles and *no* halo, what percentage of the pixels is wrong? (Tiles of 128 pixels; the window reaches 8 pixels.)

# %% tags=["predict"]
predict("10.j", 20)  # SOLUTION

# %% tags=["run"]
photo = load_sample_image("flower.jpg").mean(axis=2)


def smooth(image, reach=8):
    """Return the mean of the window around each pixel; beyond the border, the border's pixel counts."""
    for axis in (0, 1):
        wide = np.pad(image, [(reach, reach) if axis == one else (0, 0) for one in (0, 1)], mode="edge")
        moved = []
        for at in range(2 * reach + 1):
            window = [slice(None), slice(None)]
            window[axis] = slice(at, at + image.shape[axis])
            moved.append(wide[tuple(window)])
        image = sum(moved) / len(moved)
    return image


def smooth_by_tiles(halo):
    """Smooth each tile separately, and put the cores together."""
    result = np.zeros_like(photo)
    for core, around in tiles(*photo.shape, 128, halo):
        (rows, columns), (wide_rows, wide_columns) = core, around
        top, left = rows.start - wide_rows.start, columns.start - wide_columns.start
        height, width = rows.stop - rows.start, columns.stop - columns.start
        result[core] = smooth(photo[around])[top : top + height, left : left + width]
    return result


if ready("10.12", image_bytes, tiles):
    true = smooth(photo)
    wrong = {halo: np.abs(smooth_by_tiles(halo) - true) > 1e-9 for halo in (0, 4, 8)}
    for halo, where in wrong.items():
        print(f"halo {halo}: {where.mean():.1%} of the pixels are wrong")
    drawings.tiled(photo, tiles(*photo.shape, 128, 8), wrong[0])
    display(compare("10.j", 100 * wrong[0].mean(), "%"))

# %% [markdown]
# Photo: "flower.jpg" of scikit-learn, from [flickr](https://www.flickr.com/photos/vultilion/6056698931/), licence [CC BY 2.0](https://creativecommons.org/licenses/by/2.0/).
#
# **Explain:** every border spoils eight pixels on each side. A halo as wide as the window's reach fixes all of them; a halo half as wide still leaves some wrong pixels. A deep network reaches further with each layer, so its halo is
# wide, and the pixels of the halo are computed twice. With tiles of 128 and a halo of 8, an inner tile reads (144 / 128)² = 1.27 times its own pixels. Dask has this built in: `map_overlap` fetches the halo from neighbouring chunks on any worker.

# %% tags=["run"]
lazy = da.from_array(photo, chunks=128).to_backend()
by_dask = lazy.map_overlap(smooth, depth=8, boundary="nearest", dtype=photo.dtype)
off = float(np.abs(as_numpy(by_dask.compute()) - smooth(photo)).max())
print(f"map_overlap on {by_dask.npartitions} chunks: largest difference {off:.1e}")

# %% [markdown] anchor="published"
# ## 10. Published results as arithmetic
#
# All of these are from slides of 2022 (tutorial of the MVAPICH group, Ohio State University), which cite the papers. None of it was measured here, but you can recalculate it.
#
# * **Two nodes, one V100 each**, ResNet-50 with PyTorch and Horovod, batch 64 per GPU: 334.0 images per second on one, 316.4 on each of two, 632.8 together.
# * **Summit**, 1,536 V100 (6 per node), ResNet-50 with TensorFlow, MVAPICH2-GDR 2.3.4: 1,281,167 images, 3 seconds per epoch, 90 epochs. "We observed issues for NCCL2 beyond 384 GPUs."
# * **Frontera**, 2,048 nodes without GPUs: 260,000 images per second at peak; "ResNet-50 can be trained in 7 minutes".
# * **HyPar-Flow on Frontera**, ResNet-1001: 48 partitions on the 56 cores of a node, one replica per node; speed-up 253 on 256 nodes and 481 on 512 nodes.
# * **GEMS**, ResNet-110 v2 on tiles of 1024 × 1024 pixels: GEMS-Basic 7.25 hours on 4 GPUs, GEMS-MAST 6.28, GEMS-MASTER 4.21, and GEMS-Hybrid 27 minutes on 128 GPUs (32 nodes). "Overall 15x reduction in training time!!!!"

# %% [markdown] exercise="10.13" title="Recalculate" topic="published"
# ### Exercise 10.13 · Recalculate (12 min)
#
# Write `scaling(before, after, factor)`: the speed-up from a time `before` to a time `after`, and the **efficiency**: the speed-up divided by the factor by which the number of devices grew (1.0 is ideal). Then
# fill in the results as numbers, to at least three digits: in `published`, 94.7 % is `94.7`.

# %% tags=["exercise"] exercise="10.13"
def scaling(before, after, factor):
    """Return two numbers: speed_up and efficiency."""
    ### BEGIN SOLUTION
    speed_up = before / after
    return speed_up, speed_up / factor
    ### END SOLUTION


published = {
    "2 GPUs: speed-up": 632.8 / 334.0,  # SOLUTION
    "2 GPUs: efficiency, %": 100 * 632.8 / 334.0 / 2,  # SOLUTION
    "Summit: minutes for 90 epochs": 3 * 90 / 60,  # SOLUTION
    "Summit: images per second and card": 1_281_167 / 3 / 1536,  # SOLUTION
    "Frontera: minutes for 90 epochs": 1_281_167 * 90 / 260_000 / 60,  # SOLUTION
    "HyPar-Flow, 256 nodes: efficiency, %": 100 * 253 / 256,  # SOLUTION
    "HyPar-Flow, 512 nodes: efficiency, %": 100 * 481 / 512,  # SOLUTION
    "GEMS, 4 to 128 GPUs: speed-up": 7.25 * 60 / 27,  # SOLUTION
    "GEMS, 4 to 128 GPUs: efficiency, %": 100 * 7.25 * 60 / 27 / 32,  # SOLUTION
}

# %% tags=["check"] exercise="10.13"
check("10.13", scaling, published)

# %% [markdown] tags=["hint-1"] exercise="10.13"
# A speed-up is a time divided by a time, or a rate divided by a rate: the larger by the smaller if it became faster. Watch out for hours and minutes.

# %% [markdown] tags=["hint-2"] exercise="10.13"
# `before / after`, then divide by `factor`. The time of an epoch is the number of images divided by images per second.

# %% [markdown] tags=["hint-3"] exercise="10.13"
# You can write expressions: `632.8 / 334.0`. From 4 to 128 GPUs the factor is 32; 7.25 hours are 7.25 × 60 minutes.

# %% tags=["run"]
if ready("10.13", scaling, published):
    for name, value in published.items():
        print(f"{name:38} {value:8.2f}")
    drawings.efficiencies({
        "2 V100, Horovod": (2, published["2 GPUs: efficiency, %"]),
        "HyPar-Flow, 256 nodes": (256, published["HyPar-Flow, 256 nodes: efficiency, %"]),
        "HyPar-Flow, 512 nodes": (512, published["HyPar-Flow, 512 nodes: efficiency, %"]),
        "GEMS, Basic to Hybrid": (32, published["GEMS, 4 to 128 GPUs: efficiency, %"]),
    })

# %% [markdown] anchor="spot"
# ### Spot the error
#
# **Predict:** the last row is the efficiency from GEMS-Basic to GEMS-Hybrid. But a factor of 7.25 / 4.21 = 1.72 of
# these 16.1 came from the better schedule, on the *same four GPUs*. If GEMS-Hybrid is GEMS-MASTER on 32 nodes, what
# is the efficiency of the 32 nodes, in percent?

# %% tags=["predict"]
predict("10.k", 29)  # SOLUTION

# %% tags=["run"]
if ready("10.13", scaling, published):
    display(compare("10.k", 100 * scaling(4.21 * 60, 27, 32)[1], "%"))

# %% [markdown]
# **Explain:** what a slide leaves open teaches as much as what it states.
#
# * **"15x":** the slide's own numbers give 16.1. The abstract of the paper says "from seven hours to 28 minutes", and 7 × 60 / 28 is 15. Both are the same result, rounded before or after the division.
# * **A speed-up needs its baseline.** 16.1 mixes a better schedule with more GPUs. For the 32 nodes alone the speed-up is 9.4 of 32.
# * **"7 minutes"** are 7.4, and only if the *peak* rate held for all 90 epochs. **"98 %"** up to 256 nodes is 98.8: here the slide rounds down.
# * **Images per second are not accuracy.** Large batches may need more epochs (section 3), and none of these lines shows how good the trained network was.
# * **Summit:** 278 images per second per card; one card in the benchmark above: 334. It is tempting but wrong to call this 83 % efficiency: the framework, the versions and the settings differ.
# * **A missing point.** What would HyPar-Flow reach on 1,024 nodes? A serial share s that explains 253 on 256 nodes (Amdahl: n / (1 + s (n − 1))) predicts
#   500 on 512, but 481 was measured. With the s of 512 nodes, it predicts 907 on 1,024. The model has been too
#   optimistic before, so write: "at most 900, and not measured".

# %% tags=["run"]
def amdahl(speed_up, n, at):
    """Return the serial share that explains a speed-up on n nodes, and what it promises for another number."""
    share = (n / speed_up - 1) / (n - 1)
    return share, at / (1 + share * (at - 1))


for speed_up, n, at in ((253, 256, 512), (253, 256, 1024), (481, 512, 1024)):
    share, promised = amdahl(speed_up, n, at)
    print(f"{speed_up} on {n} nodes: a serial share of {share:.4%} promises {promised:.0f} on {at}")

# %% [markdown] tags=["keypoints"]
# ## Key points
#
# * Check gradients against differences of the loss: wrong gradients often still train, but badly.
# * Smaller batches need smaller rates. The best batch size is the one with the shortest time to the same loss.
# * Training with Adam keeps 16 bytes per parameter in single precision, plus the outputs of all layers for the whole batch.
# * Data parallelism: same weights everywhere, sums and counts of gradients in each step. Averaging over unequal shares is wrong.
# * The ring sends at most twice the array per rank, however many ranks there are; it takes 2 (n − 1) messages in a row.
# * If all send first, all wait: a deadlock that small messages hide.
# * A pipeline of p stages and m micro-batches waits (p − 1) / (m + p − 1) of the time. If the batch cannot be split, a second copy in the opposite order fills the gaps.
# * Hybrid is both: messages along the pipeline, allreduce among equal stages.
# * A speed-up needs its baseline, an efficiency the number of devices. Neither shows how good the network was.

# %% [markdown]
# ## Quiz and cards

# %% tags=["quiz"]
lessons.quiz("10")

# %% tags=["cards"]
lessons.cards("10")

# %% [markdown] anchor="where-it-runs"
# ### Laptop, one GPU, cluster
#
# * **Laptop:** everything works. Ranks are MPI processes if MPI is installed (`pip install 'gpucluster[mpi]'`), and threads otherwise; the results are the same.
# * **One GPU:** section 5 computes its gradients on the worker's GPU, and so does `map_overlap`. MPI ranks use host memory in this lesson.
# * **Run on a GPU:** all checks passed on one NVIDIA H100 on 2026-11-26, with RAPIDS 26.10.
# * **Cluster:** `MLPClassifier` uses all available workers. For large networks use PyTorch or similar, started by your scheduler. It works inside as you have learned here.
#
# Sources: the slides and papers named above; A. Sergeev and M. Del Balso, arXiv:1802.05799 (Horovod); Horovod's own installation guide and `pytorch_synthetic_benchmark.py`; A. A. Awan and others, arXiv:1911.05146 (HyPar-Flow); A. Jain and others,
# SC 2020 (GEMS), its abstract, and the code of MPI4DL for the opposite order; Y. Huang and others, arXiv:1811.06965 (GPipe: the formula for bubbles); P. Goyal and others, arXiv:1706.02677.

# %% tags=["run"]
lab.close()

# %% [markdown] tags=["instructor"]
# ### For the instructor
#
# * **Goal:** learners can explain what travels in data-parallel, pipeline and hybrid training, have built each of them, and ask for the baseline when they see a speed-up.
# * **Time:** 5 section 1 · 32 section 2 · 22 section 3 · 6 section 4 · 21 section 5 = 86. Second session: 35 section 6 · 31 section 7 · 13 section 8 ·
#   13 section 9 · 12 section 10 = 104.
# * **If you run late:** give the solution of 10.1 (the gradient check is worth more than the algebra), 10.8 and 10.12. Section 9 is independent.
# * **On the projector:** the map of section 3: ask where four times as many workers would be. The ring with four
#   people, who pass four sheets of paper to the right; then have everyone hold on to their sheet until their
#   neighbour has taken it (deadlock). The pipeline pictures: which device waits?
# * **Common mistakes:** 10.1: ReLU after the last layer; the mean forgotten in the gradients but not in the loss; the ReLU's zero taken from the wrong layer. 10.2: biases forgotten; the input not kept. 10.3: the remainder dropped. 10.4: NaN compares as false. 10.6: mean of
#   means; lists joined by `allreduce`; a rank without rows gives NaN. 10.7: send, then receive; the received part is added in the second phase as well. 10.8: the summary is read instead of the rates. 10.9: divided by the rows of the micro-batch. 10.10: one too many.
#   10.11: mean of means again. 10.12: negative starts of slices. 10.13: 15 instead of 16.1.
# * **Say openly:** the network is tiny, and no framework is used. The mathematics, the messages and the waiting are the same in PyTorch on a thousand GPUs.
# * **With a GPU:** run section 5 and have learners explain why it is *not* faster there (2,778 parameters; overhead, lesson 03).
