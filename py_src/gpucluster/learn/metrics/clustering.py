"""Metrics of clusterings: the agreement of two, and silhouettes."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from dask.delayed import delayed

from ..arrays import Array, Data, RandomState
from ..errors import InvalidData, InvalidParameter
from ..keywords import takes_client
from ..labels import codes_of, flat_labels, merge_classes
from ..rows.running import tree_reduced
from ..rows.table import Table, as_table, is_dask
from ..rows.waiting import computed, current_client, waiting
from .pairs import contingency, paired


@takes_client
def adjusted_rand_score(labels_true: Data, labels_pred: Data) -> float:
    """Return how much two clusterings agree on pairs of rows in the same cluster, adjusted for chance.

    Source: L. Hubert and P. Arabie, "Comparing partitions", Journal of Classification 2 (1985). One pass that counts
    pairs of labels; the message of a block has 8 bytes per pair of labels in it.

    Parameters
    ----------
    labels_true, labels_pred : Dask array or series, or array of shape (n_rows,)
        Clusters, with any numbers. One of them may be in memory.

    Returns
    -------
    float
        1 for the same clusters, around 0 for random ones.

    Raises
    ------
    InvalidData
        The numbers of rows differ, or labels are missing.
    """
    names = ("labels_true", "labels_pred")
    rows = paired(labels_true, labels_pred, names=names)
    if rows is None:
        from sklearn.metrics import adjusted_rand_score as local

        return float(local(labels_true, labels_pred))
    # As Python's numbers, because squares of numbers of rows overflow.
    counts = contingency(rows, names, of="clusters").weights.astype(object)
    n_rows, squares = int(counts.sum()), int((counts**2).sum())
    true_squares, predicted_squares = int((counts.sum(axis=1) ** 2).sum()), int((counts.sum(axis=0) ** 2).sum())
    both = squares - n_rows
    only_predicted, only_true = predicted_squares - squares, true_squares - squares
    neither = n_rows**2 - only_predicted - only_true - squares
    if only_true == 0 and only_predicted == 0:
        return 1.0
    scale = (both + only_true) * (only_true + neither) + (both + only_predicted) * (only_predicted + neither)
    return 2.0 * (both * neither - only_true * only_predicted) / scale


METRICS = frozenset({"chebyshev", "cityblock", "cosine", "euclidean", "l1", "l2", "manhattan", "sqeuclidean"})


@takes_client
def silhouette_score(
    X: Data,
    labels: Data,
    *,
    metric: str = "euclidean",
    sample_size: int | None = None,
    random_state: RandomState = None,
) -> float:
    """Return the mean silhouette coefficient of all rows, or of some.

    The coefficient of a row is ``(b - a) / max(a, b)`` with the mean distance ``a`` to the rows of its own cluster and
    ``b`` to those of the nearest other one. Source: P. J. Rousseeuw, "Silhouettes: a Graphical Aid to the
    Interpretation and Validation of Cluster Analysis", Journal of Computational and Applied Mathematics 20 (1987).

    Exact without ``sample_size``: each block is compared with each other one on the workers, which takes time
    proportional to the square of the number of rows; blocks travel between workers, ``8 n_rows n_clusters`` bytes of
    sums are combined per block, and the client gets two numbers per block. With ``sample_size``, only these rows come
    to the client, where scikit-learn compares them.

    Parameters
    ----------
    X : Dask array or data frame, or array of shape (n_rows, n_features)
    labels : Dask array or series, or array of shape (n_rows,)
        Cluster of each row.
    metric : {"chebyshev", "cityblock", "cosine", "euclidean", "l1", "l2", "manhattan", "sqeuclidean"}
    sample_size : int, optional
        Use this number of random rows, the same as scikit-learn.
    random_state : int or RandomState, optional
        For the sample.

    Raises
    ------
    InvalidData
        The numbers of rows differ, or there are not 2 to ``n_rows - 1`` clusters.
    InvalidParameter
        An option is not allowed.
    """
    if metric not in METRICS:
        raise InvalidParameter(f"metric: must be one of {', '.join(sorted(METRICS))}, not {metric!r}.")
    if sample_size is not None and (not isinstance(sample_size, Integral) or sample_size < 1):
        raise InvalidParameter(f"sample_size: must be a whole number of 1 or more, not {sample_size!r}.")
    from sklearn.metrics import silhouette_score as local

    if not is_dask(X):
        labels = computed(labels)[0] if is_dask(labels) else labels
        return float(local(X, labels, metric=metric, sample_size=sample_size, random_state=random_state))
    table = as_table(X, labels, y_name="labels").with_known_lengths()
    if sample_size is not None:
        return float(local(*_sampled(table, sample_size, random_state), metric=metric))
    with waiting(current_client(), *table.collections) as scope:
        return _exact(table.persisted(scope), sum(table.X.chunks[0]), metric)


def _sampled(table: Table, size: int, random_state: RandomState) -> tuple[Array, Array]:
    from sklearn.utils import check_random_state

    rows = check_random_state(random_state).permutation(table.n_rows)[:size]
    # In the order of the rows for Dask, then back in the drawn order.
    order = np.argsort(rows)
    X, labels = computed(table.X[rows[order]], table.collections[1][rows[order]])
    back = np.argsort(order)
    return X[back], flat_labels(labels, "labels")[back]


def _exact(table: Table, n_rows: int, metric: str) -> float:
    blocks = [(X, labels) for X, labels, _ in table.delayed_blocks()]
    lengths = table.X.chunks[0]
    count = delayed(_counts, pure=False)
    classes: Array | None = None
    sizes = np.zeros(0)
    for found, counts in computed(*[count(labels) for _, labels in blocks]):
        every = merge_classes(classes, found, "labels")
        classes, sizes = every, _widened(classes, sizes, every) + _widened(found, counts, every)
    if not 2 <= len(sizes) <= n_rows - 1:
        raise InvalidData(
            f"labels: there are {len(sizes)} clusters. Silhouettes require 2 to n_rows - 1 = {n_rows - 1} clusters."
        )
    distances = delayed(_distances, pure=False, traverse=False)
    score = delayed(_scores, pure=False)
    scores = []
    for X, labels in (block for block, length in zip(blocks, lengths, strict=True) if length):
        sums = [distances(X, *other, classes, metric) for other, n in zip(blocks, lengths, strict=True) if n]
        scores.append(score(tree_reduced(_sum, sums), labels, classes, sizes))
    return float(sum(computed(*scores)) / n_rows)


def _counts(labels: Array) -> tuple[Array | None, Array]:
    found, counts = np.unique(flat_labels(labels, "labels"), return_counts=True)
    return (found if len(found) else None), counts


def _widened(labels: Array | None, counts: Array, every: Array | None) -> Array:
    wider = np.zeros(0 if every is None else len(every))
    if labels is not None and every is not None:
        wider[np.searchsorted(every, labels)] = counts
    return wider


def _distances(X: Array, others: Array, labels: Array, classes: Array, metric: str) -> Array:
    """Return each row's summed distances to the rows of each cluster in one block; shape (n_rows, n_clusters)."""
    from sklearn.metrics import pairwise_distances_chunked

    codes = codes_of(flat_labels(labels, "labels"), classes)
    member = np.zeros((len(codes), len(classes)))
    member[np.arange(len(codes)), codes] = 1
    # In slices, so that not all distances are in memory at once.
    return np.concatenate(
        list(pairwise_distances_chunked(X, others, metric=metric, reduce_func=lambda d, _: d @ member))
    )


def _sum(*parts: Array) -> Array:
    return sum(parts[1:], start=parts[0])


def _scores(sums: Array, labels: Array, classes: Array, sizes: Array) -> float:
    """Return the summed silhouette coefficients of a block's rows."""
    codes = codes_of(flat_labels(labels, "labels"), classes)
    rows = np.arange(len(codes))
    own_size = sizes[codes]
    with np.errstate(divide="ignore", invalid="ignore"):
        within = sums[rows, codes] / (own_size - 1)
        means = sums / sizes
        means[rows, codes] = np.inf
        nearest = means.min(axis=1)
        coefficients = (nearest - within) / np.maximum(within, nearest)
    # A row that is alone in its cluster has the coefficient 0, as have rows that coincide with both clusters.
    coefficients[own_size == 1] = 0
    return float(np.nan_to_num(coefficients).sum())
