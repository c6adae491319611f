import numpy as np
from distributed import wait

# %% right b_persist_wait: Persist and wait; chunk sizes are computed where they are not known.
import math


def predict_rows(model, X, delayed=True):
    labels = model.predict(X)
    if delayed:
        return labels
    labels = labels.persist()
    wait(labels)
    return labels


def collect(array, limit):
    if math.isnan(array.nbytes):
        array.compute_chunk_sizes()
    if array.nbytes > limit:
        raise MemoryError(f"{array.nbytes:,} bytes, and only {limit:,} are allowed")
    return array.compute()

# %% right b_delayed_sizes: Dask.persist, and a delayed size of each block, with the blocks kept on the workers.
import dask


def predict_rows(model, X, delayed=True):
    labels = model.predict(X)
    if delayed is False:
        (labels,) = dask.persist(labels)
        wait([labels])
    return labels


@dask.delayed
def size_of(block):
    return block.nbytes


def collect(array, limit):
    (held,) = dask.persist(array)
    n_bytes = sum(dask.compute(*map(size_of, held.to_delayed().ravel())))
    if n_bytes > limit:
        raise MemoryError(f"{n_bytes} > {limit}")
    return held.compute()

# %% right client: The client's persist, and the blocks' sizes, which the workers tell.
from distributed import get_client


def predict_rows(model, X, delayed=True):
    labels = model.predict(X)
    if not delayed:
        labels = get_client().persist(labels)
    return labels


def collect(array, limit):
    client = get_client()
    blocks = client.compute(list(array.to_delayed().ravel()))
    size = sum(client.gather(client.map(lambda block: block.nbytes, blocks)))
    if size > limit:
        raise MemoryError(f"{size} bytes are more than {limit}")
    return client.compute(array).result()

# %% wrong always_eager: delayed=True computes as well.
# fails: delayed=True: nothing is computed yet
# ~ model.predict(X) => model.predict(X).persist()

# %% wrong b_counts_entries: Compares the number of entries with the limit, which is in bytes.
# fails: Above the limit it raises MemoryError
# ~ array.nbytes > limit => array.size > limit

# %% wrong b_exactly_limit: Refuses an array of exactly limit bytes, which has at most limit bytes.
# fails: Within the limit, all rows come back: MemoryError
# ~ nbytes > limit => nbytes >= limit

# %% wrong b_numpy_labels, edit of right b_persist_wait: With delayed=False the labels come as a NumPy array, not as a Dask array.
# fails: It returns a Dask collection, lazy or not
def predict_rows(model, X, delayed=True):
    labels = model.predict(X)
    return labels if delayed else labels.compute()

# %% wrong b_swapped, edit of wrong b_numpy_labels: Delayed=True is the eager one and delayed=False the lazy one.
# fails: delayed=True: nothing is computed yet
# ~ labels if delayed else labels.compute() => labels.persist() if delayed else labels

# %% wrong b_through_notebook: With delayed=False the labels travel to the notebook instead of staying on the workers.
# fails: The labels stay on the workers
# -     labels = labels.persist()
# -     wait(labels)
# -     return labels
# +     return da.from_array(labels.compute(), chunks=labels.chunks)
import dask.array as da

# %% wrong b_too_late, edit of right b_persist_wait: Collects first and counts then, so it raises after everything has travelled.
# fails: It refuses before any data is sent
def collect(array, limit):
    result = array.compute()
    if result.nbytes > limit:
        raise MemoryError(f"{result.nbytes} bytes")
    return result

# %% wrong rows_computed: The rows are computed, the labels are not.
# fails: delayed=False: the labels are computed, and on the workers
# ~ predict(X) => predict(X if delayed else X.persist())
# -     labels = labels.persist()
# -     wait(labels)

# %% wrong silent, edit of the solution: Returns an empty array instead of an error.
# fails: Within the limit, all rows come back
def collect(array, limit):
    if not array.nbytes <= limit:
        return np.empty(0)
    return array.compute()
