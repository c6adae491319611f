# %% right chunk_futures: Futures of chunks, then client.map on them.
def train_each(client, X, y, train):
    xs = client.compute([chunk for row in X.to_delayed().tolist() for chunk in row])
    ys = client.compute(y.to_delayed().flatten().tolist())
    return list(client.gather(client.map(train, xs, ys, pure=False)))

# %% right delayed
import dask


def train_each(client, X, y, train):
    pairs = zip(X.to_delayed().ravel(), y.to_delayed().ravel(), strict=False)
    return list(dask.compute(*[dask.delayed(train, pure=False)(rows, labels) for rows, labels in pairs]))

# %% wrong d_first_chunk_for_all, edit of the solution: A slip of the index: all train on the labels of the first chunk.
# fails: It runs without an error: ValueError
# ~ client.map(train, chunks_of_X, chunks_of_y => client.map(train, chunks_of_X, [chunks_of_y[0]] * len(chunks_of_y)

# %% wrong d_gathers, edit of the solution: Gathers the chunks into the notebook, and sends them out again.
# fails: The chunks stay on the workers: only models are sent to the notebook
# ~ train, chunks_of_X => train, client.scatter(client.gather(chunks_of_X))

# %% wrong d_whole_graph_each: Each task is given the whole arrays, and cuts its chunk out on the worker: all rows go to each task.
# fails: No worker combines the rows of several chunks
def train_each(client, X, y, train):
    rows, aims = client.compute([X, y])
    ends = [0]
    for size in X.chunks[0]:
        ends.append(ends[-1] + size)

    def part(X, y, a, b):
        return train(X[a:b], y[a:b])

    return client.gather([client.submit(part, rows, aims, a, b, pure=False) for a, b in zip(ends, ends[1:])])

# %% wrong dask_arrays_in_tasks
# fails: train gets arrays, not Dask arrays or futures
def train_each(client, X, y, train):
    return [train(X.blocks[place], y.blocks[place]) for place in range(X.numblocks[0])]

# %% wrong first_chunk_lost, edit of the solution
# fails: There is one model per chunk
# ~ train, chunks_of_X, chunks_of_y => train, chunks_of_X[1:], chunks_of_y[1:]

# %% wrong float16, edit of the solution
# fails: The rows of X are paired with their own labels y, with all digits
# ~ list(X.to => list(X.astype("float16").to

# %% wrong futures, edit of right delayed: Returns futures in place of models.
# fails: Each model is what train returns
# ~ list(dask.compute(*[dask.delayed(train, pure=False)(rows, labels) for rows, labels in pairs])) => client.compute([dask.delayed(train, pure=False)(rows, labels) for rows, labels in pairs])

# %% wrong gathers_everything
# fails: Each chunk is trained on a worker, once
import numpy as np


def train_each(client, X, y, train):
    ends = np.cumsum(X.chunks[0])[:-1]
    pairs = zip(np.split(X.compute(), ends), np.split(y.compute(), ends), strict=False)
    return [train(rows, labels) for rows, labels in pairs]

# %% wrong order, edit of right delayed: The models come in the order in which they are finished.
# fails: Each model has seen one chunk, in the order of the chunks
# -     return list(dask.compute(*[dask.delayed(train, pure=False)(rows, labels) for rows, labels in pairs]))
# +     futures = client.compute([delayed(train)(part, labels) for part, labels in pairs])
# +     return [future.result() for future in as_completed(futures)]
from dask import delayed
from distributed import as_completed
