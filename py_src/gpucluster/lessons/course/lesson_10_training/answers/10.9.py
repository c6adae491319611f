# %% right joined_at_the_end: Keeps all errors, and makes one way back of them for its own layers.
import numpy as np


def forward(X, layers, last):
    values = [X]
    for place in range(0, len(layers), 2):
        scores = values[-1] @ layers[place] + layers[place + 1]
        values.append(scores if last and place == len(layers) - 2 else np.maximum(scores, 0))
    return values


def backward(values, error, layers):
    slopes = []
    for place in reversed(range(0, len(layers), 2)):
        given = values[place // 2]
        slopes = [given.T @ error, error.sum(axis=0), *slopes]
        error = (error @ layers[place].T) * (given > 0)
    return slopes, error


def score_error(scores, wanted, n_rows):
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True) - wanted) / n_rows


def two_stages(comm, X, wanted, own, n_micro):
    if comm.rank == 0:
        values = forward(X, own, False)
        for part in np.array_split(values[-1], n_micro):
            comm.send(part, dest=1)
        return backward(values, np.concatenate([comm.recv(source=1) for _ in range(n_micro)]), own)[0]
    values = forward(np.concatenate([comm.recv(source=0) for _ in range(n_micro)]), own, True)
    slopes, error = backward(values, score_error(values[-1], wanted, len(wanted)), own)
    for part in np.array_split(error, n_micro):
        comm.send(part, dest=0)
    return slopes

# %% right reverse_order, edit of right joined_at_the_end: Errors come back in the opposite order, with tags.
def two_stages(comm, X, wanted, own, n_micro):
    first, kept, slopes = comm.rank == 0, [], None
    for number in range(n_micro):
        part = np.array_split(X, n_micro)[number] if first else comm.recv(source=0, tag=number)
        kept.append(forward(part, own, last=not first))
        if first:
            comm.send(kept[-1][-1], dest=1, tag=number)
    for number in reversed(range(n_micro)):
        if first:
            error = comm.recv(source=1, tag=100 + number)
        else:
            error = score_error(kept[number][-1], np.array_split(wanted, n_micro)[number], wanted.shape[0])
        more, error = backward(kept[number], error, own)
        if not first:
            comm.send(error, dest=0, tag=100 + number)
        slopes = more if slopes is None else [a + b for a, b in zip(slopes, more, strict=False)]
    return slopes

# %% right two_lists, edit of right joined_at_the_end: Lists of values and errors, everything received before anything is sent back.
def two_stages(comm, X, wanted, own, n_micro):
    if comm.rank == 0:
        kept = [forward(part, own, False) for part in np.array_split(X, n_micro)]
        for values in kept:
            comm.send(values[-1], dest=1)
        found = [backward(values, comm.recv(source=1), own)[0] for values in kept]
    else:
        found, errors = [], []
        arrived = [comm.recv(source=0) for _ in range(n_micro)]
        for given, aims in zip(arrived, np.array_split(wanted, n_micro), strict=False):
            values = forward(given, own, True)
            slopes, error = backward(values, score_error(values[-1], aims, len(wanted)), own)
            found.append(slopes)
            errors.append(error)
        for error in errors:
            comm.send(error, dest=0)
    return [sum(arrays) for arrays in zip(*found, strict=False)]

# %% wrong first_layer_sent, edit of right two_lists: Sends the output of rank 0's first layer, right only where rank 0 has one layer.
# fails: It runs on several ranks without an error: ValueError
# ~ comm.send(values[-1], dest=1) => comm.send(values[1], dest=1)

# %% wrong no_relu_at_cut, edit of right two_lists: Rank 0 calls forward with last=True, so there is no ReLU at the cut.
# fails: Each rank has the gradients of its layers for all rows, to 1e-10
# ~ forward(part, own, False) for part in => forward(part, own, True) for part in

# %% wrong layers_change, edit of right two_lists: The layers are changed on the way.
# fails: Inputs are not modified
# -     return [sum(arrays) for arrays in zip(*found, strict=False)]
# +     total = [sum(arrays) for arrays in zip(*found, strict=False)]
# +     for array, slope in zip(own, total, strict=False):
# +         array -= 0.1 * slope
# +     return total

# %% wrong one_message: Sends the whole batch in one message each way; n_micro is ignored.
# fails: Each micro-batch is one message forward and one back
# ~ np.array_split(values[-1], n_micro) => [values[-1]]
# ~ comm.recv(source=1) for _ in range(n_micro) => comm.recv(source=1)
# ~ comm.recv(source=0) for _ in range(n_micro) => comm.recv(source=0)
# ~ np.array_split(error, n_micro) => [error]

# %% wrong rows_travel: The rows themselves are sent as well.
# fails: Only the output at the cut and its error are sent
# ~ comm.send(part, dest=1) => comm.send((part, X), dest=1)
# ~ comm.recv(source=0) for => comm.recv(source=0)[0] for

# %% wrong to_and_fro_by_requests, edit of right joined_at_the_end: Waits for each error before the next micro-batch goes, by requests that are asked again and again.
# fails: All micro-batches go forward before the rank waits for the first error
def two_stages(comm, X, wanted, own, n_micro):
    found = []
    if comm.rank == 0:
        for part in np.array_split(X, n_micro):
            values = forward(part, own, False)
            comm.send(values[-1], dest=1)
            coming = comm.irecv(source=1)
            done, error = coming.test()
            while not done:
                done, error = coming.test()
            found.append(backward(values, error, own)[0])
    else:
        for aims in np.array_split(wanted, n_micro):
            values = forward(comm.recv(source=0), own, True)
            slopes, error = backward(values, score_error(values[-1], aims, len(wanted)), own)
            found.append(slopes)
            comm.send(error, dest=0)
    return [sum(arrays) for arrays in zip(*found, strict=False)]
