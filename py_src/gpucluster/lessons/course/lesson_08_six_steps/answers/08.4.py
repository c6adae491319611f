import numpy as np

# %% right b_take: Chances placed by classes_, and Dask's own indexing with one permutation.
def vote(forests, X, n_classes):
    chances = np.zeros((len(X), n_classes))
    for forest in forests:
        chances[:, np.asarray(forest.classes_, dtype=int)] += forest.predict_proba(X)
    return chances.argmax(axis=1)


def deal(X, y, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    return X[order].rechunk(X.chunks), y[order].rechunk(y.chunks)

# %% right c_sorted_in_each_block: Chance says which rows a block gets; inside a block they stand as they stood before.
# -     return X[order].rechunk(X.chunks), y[order].rechunk(y.chunks)
# +     parts = [np.sort(part) for part in np.array_split(order, X.numblocks[0])]
# +     chunks = tuple(len(part) for part in parts)
# +     order = np.concatenate(parts)
# +     return X[order].rechunk((chunks, -1)), y[order].rechunk((chunks,))

# %% right piece_by_piece: The shuffle of Dask arrays, and means instead of sums.
import dask.array as da


def vote(forests, X, n_classes):
    columns = []
    for label in range(n_classes):
        known = [f.predict_proba(X)[:, list(f.classes_).index(label)] for f in forests if label in f.classes_]
        columns.append(sum(known, np.zeros(len(X))) / len(forests))
    return np.array(columns).argmax(axis=0)


def deal(X, y, seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    parts = np.array_split(order, X.numblocks[0])
    return da.concatenate([X[p].rechunk(-1) for p in parts]), da.concatenate([y[p].rechunk(-1) for p in parts])

# %% right tree_by_tree: Tree by tree, and rows sorted by random numbers.
# ~ chances = np => shares = np
# ~ np.random.default_rng(seed).permutation(len(X)) => np.argsort(np.random.RandomState(seed).uniform(size=X.shape[0]))
# -         chances[:, np.asarray(forest.classes_, dtype=int)] += forest.predict_proba(X)
# -     return chances.argmax(axis=1)
# +         for tree in forest.estimators_:
# +             for column, label in enumerate(forest.classes_):
# +                 shares[:, int(label)] += tree.predict_proba(X)[:, column]
# +     return [int(np.argmax(row)) for row in shares]

# %% wrong always_the_same_order: Every fourth row to each block: no chance, and no seed.
# fails: Another seed gives another order
# ~ random.default_rng(seed).permutation(len(X)) => concatenate([np.arange(len(X))[start::4] for start in range(4)])

# %% wrong b_columns_left: The columns of a forest are put to the left, without asking classes_ which they are.
# fails: Each row gets the class with the largest share of all trees, even where a forest has never seen a class
# ~ [:, np.asarray(forest.classes_, dtype=int)] => [:, : len(forest.classes_)]

# %% wrong b_inside_blocks: Rows are mixed only inside their block, so the blocks stay sorted by class.
# fails: Every block has all classes
# -     order = np.random.default_rng(seed).permutation(len(X))
# +     rng, begin, parts = np.random.default_rng(seed), 0, []
# +     for rows in X.chunks[0]:
# +         parts.append(begin + rng.permutation(rows))
# +         begin += rows
# +     order = np.concatenate(parts)

# %% wrong b_one_block: What comes back is one block, not as many blocks as before.
# fails: There are as many blocks as before
# ~ rechunk(X.chunks), y[order].rechunk(y.chunks) => rechunk((-1, -1)), y[order].rechunk(-1)

# %% wrong b_seed_ignored: The seed is not used, so the same seed does not give the same order.
# fails: The same seed gives the same order
# ~ default_rng(seed) => default_rng()

# %% wrong b_two_orders: X and y are dealt by two different orders, although the text says the same random order.
# fails: Each row keeps its own label
# ~ order = np.random.default_rng(seed).permutation(len(X)) => rng = np.random.default_rng(seed)
# ~ X[order].rechunk(X.chunks), y[order] => X[rng.permutation(len(X))].rechunk(X.chunks), y[rng.permutation(len(y))]

# %% wrong b_with_replacement: Draws rows with replacement, so these are not the same rows.
# fails: Every row occurs exactly once
# ~ default_rng(seed).permutation(len(X)) => default_rng(seed).integers(0, len(X), len(X))

# %% wrong c_blocks_of_a_fixed_order, edit of right c_sorted_in_each_block: A row's block is the same for every seed, only the order inside the blocks changes.
# fails: Another seed reshuffles: the order is not a shifted copy
# -     order = np.random.default_rng(seed).permutation(len(X))
# -     parts = [np.sort(part) for part in np.array_split(order, X.numblocks[0])]
# +     parts = np.array_split(np.random.default_rng(0).permutation(len(X)), X.numblocks[0])
# +     rng = np.random.default_rng(seed)
# +     order = np.concatenate([rng.permutation(part) for part in parts])
# -     order = np.concatenate(parts)

# %% wrong c_fixed_step: A large step through the rows looks like chance, but it is always the same.
# fails: The order is random: a row's position says nothing about the next rows' positions
# ~ order = np.random.default_rng(seed).permutation(len(X)) => order = (np.arange(len(X)) * 7919 + seed) % len(X)

# %% wrong c_one_order_rolled: One random order for all seeds; the seed only moves it on.
# fails: Another seed reshuffles: the order is not a shifted copy
# ~ np.random.default_rng(seed).permutation(len(X)) => np.roll(np.random.default_rng(0).permutation(len(X)), seed)

# %% wrong c_round_robin: The rows are dealt one after the other, as cards are; the seed only says who comes first.
# fails: The order is random: a row's position says nothing about the next rows' positions
# -     order = np.random.default_rng(seed).permutation(len(X))
# -     return X[order].rechunk(X.chunks), y[order].rechunk(y.chunks)
# +     hands = X.numblocks[0]
# +     order = np.concatenate([np.arange(len(X))[hand::hands] for hand in np.roll(np.arange(hands), seed)])
# +     size = -(-len(X) // hands)
# +     return X[order].rechunk((size, -1)), y[order].rechunk(size)

# %% wrong in_memory: The rows come to the notebook.
# fails: Both are still Dask arrays
# ~ X[order].rechunk(X.chunks), y[order].rechunk(y.chunks) => X.compute()[order], y.compute()[order]

# %% wrong mean_of_those_who_know, edit of right tree_by_tree: Divides by the number of trees that know the class.
# fails: The mean is over all forests: a class that a forest does not know has probability 0 there
# ~ shares = np.zeros((len(X), n_classes)) => shares, know = np.zeros((len(X), n_classes)), np.zeros(n_classes)
# ~ in shares => in shares / np.maximum(know, 1)
# -             for column, label in enumerate(forest.classes_):
# +             for column, label in enumerate(forest.classes_):
# +                 know[int(label)] += 1

# %% wrong not_dealt, edit of wrong always_the_same_order: Nothing is dealt.
# fails: Every block has all classes
def deal(X, y, seed):
    return X, y
