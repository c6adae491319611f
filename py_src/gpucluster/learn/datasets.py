"""Synthetic tables like scikit-learn's, generated block by block on the workers.

Random numbers belong to rows: they are drawn for `GRANULE` rows at a time, from a seed and the granule's number. So the
same ``random_state`` gives the same rows, whatever the blocks.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from numbers import Integral
from typing import Any, Literal

import numpy as np
from dask.delayed import delayed
from numpy.typing import ArrayLike, DTypeLike
from sklearn.utils import check_random_state

from .arrays import Array, DaskArray, RandomState
from .errors import InvalidParameter, NotSupported
from .keywords import takes_client
from .rows.table import stacked
from .rows.waiting import current_client

GRANULE = 4096

Chunks = int | str | tuple[int, ...] | None
Order = Literal["C", "F"]
Made = tuple[Array, Array]


@takes_client
def make_blobs(
    n_samples: int = 100,
    n_features: int = 2,
    centers: int | ArrayLike | None = None,
    cluster_std: float | Sequence[float] = 1.0,
    n_parts: int | None = None,
    center_box: tuple[float, float] = (-10.0, 10.0),
    shuffle: bool = True,
    random_state: RandomState = None,
    return_centers: bool = False,
    *,
    chunks: Chunks = None,
    dtype: DTypeLike = np.float64,
    order: Order = "C",
) -> tuple[Any, ...]:
    """Make clusters of normally distributed points.

    Parameters
    ----------
    n_samples, n_features : int
    centers : int or array of shape (n_centers, n_features), optional
        3 when not given.
    cluster_std : float, or one for each centre
    n_parts : int, optional
        Number of blocks (cuML's name).
    center_box : tuple of float
        Bounds of the centres.
    shuffle : bool
        Mix the clusters; otherwise their rows follow each other.
    random_state : int or RandomState, optional
    return_centers : bool
    chunks : int or tuple, optional
        Rows per block (Dask's name). By default one block per million numbers, and at least one for each worker.
    dtype
        Of X.
    order : {"C", "F"}
        Of the blocks in memory.

    Returns
    -------
    X : Dask array of shape (n_samples, n_features)
    y : Dask array of shape (n_samples,), int64
    centers : array of shape (n_centers, n_features)
        Only with ``return_centers``.
    """
    random = check_random_state(random_state)
    low, high = center_box
    if centers is None or isinstance(centers, Integral):
        places = random.uniform(low, high, (3 if centers is None else _count(centers, "centers"), n_features))
    else:
        places = np.asarray(centers, dtype=np.float64)
        if places.ndim != 2 or not len(places):
            raise InvalidParameter("centers: must be a number, or an array of shape (n_centers, n_features).")
    spreads = np.broadcast_to(np.asarray(cluster_std, dtype=np.float64), len(places))
    rows = partial(_blob_rows, centers=places, spreads=spreads, n_samples=n_samples, shuffle=shuffle, dtype=dtype)
    X, y = _table(rows, n_samples, places.shape[1], None, random, chunks, n_parts, order, dtype, np.int64)
    return (X, y, places) if return_centers else (X, y)


@takes_client
def make_regression(
    n_samples: int = 100,
    n_features: int = 100,
    n_informative: int = 10,
    n_targets: int = 1,
    bias: float = 0.0,
    effective_rank: None = None,
    tail_strength: float = 0.5,  # noqa: ARG001 (of effective_rank, which is refused)
    noise: float = 0.0,
    shuffle: bool = True,
    coef: bool = False,
    random_state: RandomState = None,
    *,
    chunks: Chunks = None,
    n_parts: int | None = None,
    dtype: DTypeLike = np.float64,
    order: Order = "C",
) -> tuple[Any, ...]:
    """Make rows of normally distributed numbers, and targets that are linear in some of the columns.

    Parameters
    ----------
    n_samples, n_features, n_informative, n_targets : int
    bias : float
        Added to the targets.
    effective_rank : None
        Not supported, and so ``tail_strength`` has no effect.
    noise : float
        Standard deviation of the noise of the targets.
    shuffle : bool
        Place informative columns at random; otherwise they come first.
    coef : bool
        Return the coefficients as well.
    random_state : int or RandomState, optional
    chunks, n_parts, dtype, order
        As those of `make_blobs`.

    Returns
    -------
    X : Dask array of shape (n_samples, n_features)
    y : Dask array of shape (n_samples,) or (n_samples, n_targets)
    coef : array of shape (n_features,) or (n_features, n_targets)
        Only with ``coef=True``.
    """
    if effective_rank is not None:
        raise NotSupported("effective_rank: is not supported. Omit it; columns are independent.")
    random = check_random_state(random_state)
    truth = np.zeros((n_features, _count(n_targets, "n_targets")))
    informative = min(n_features, n_informative)
    truth[:informative] = 100 * random.uniform(size=(informative, n_targets))
    if shuffle:
        truth = truth[random.permutation(n_features)]
    rows = partial(_regression_rows, truth=truth, bias=bias, noise=noise, dtype=dtype)
    targets = None if n_targets == 1 else n_targets
    X, y = _table(rows, n_samples, n_features, targets, random, chunks, n_parts, order, dtype, dtype)
    return (X, y, np.squeeze(truth)) if coef else (X, y)


@takes_client
def make_classification(
    n_samples: int = 100,
    n_features: int = 20,
    n_informative: int = 2,
    n_redundant: int = 2,
    n_repeated: int = 0,
    n_classes: int = 2,
    n_clusters_per_class: int = 2,
    weights: Sequence[float] | None = None,
    flip_y: float = 0.01,
    class_sep: float = 1.0,
    hypercube: bool = True,
    shift: float | None = 0.0,
    scale: float | None = 1.0,
    shuffle: bool = True,
    random_state: RandomState = None,
    *,
    chunks: Chunks = None,
    n_parts: int | None = None,
    dtype: DTypeLike = np.float64,
    order: Order = "C",
) -> tuple[DaskArray, DaskArray]:
    """Make classes of clusters at the corners of a cube, with informative, redundant, repeated and random columns.

    Parameters
    ----------
    n_samples, n_features, n_informative, n_redundant, n_repeated, n_classes, n_clusters_per_class
        As in scikit-learn.
    weights : sequence of float, optional
        Share of each class.
    flip_y : float
        Share of rows with a class drawn at random.
    class_sep, hypercube, shift, scale
        As in scikit-learn; ``None`` draws shift or scale for each column.
    shuffle : bool
        Mix rows and columns; otherwise classes follow each other, and informative columns come first.
    random_state : int or RandomState, optional
    chunks, n_parts, dtype, order
        As those of `make_blobs`.

    Returns
    -------
    X : Dask array of shape (n_samples, n_features)
    y : Dask array of shape (n_samples,), int64
    """
    random = check_random_state(random_state)
    clusters = n_classes * n_clusters_per_class
    if n_informative + n_redundant + n_repeated > n_features:
        raise InvalidParameter(
            "Number of informative, redundant and repeated features must sum to less than the number of total features."
        )
    if n_informative < 64 and 2**n_informative < clusters:
        raise InvalidParameter(
            f"n_classes({n_classes}) * n_clusters_per_class({n_clusters_per_class}) must be smaller or equal "
            f"2**n_informative({n_informative})={2**n_informative}."
        )
    corners = _corners(clusters, n_informative, random) * (2 * class_sep) - class_sep
    if not hypercube:
        corners *= random.uniform(size=(clusters, 1))
        corners *= random.uniform(size=(1, n_informative))
    shares = np.full(n_classes, 1 / n_classes) if weights is None else np.asarray(weights, dtype=np.float64)
    if len(shares) == n_classes - 1:
        shares = np.append(shares, 1 - shares.sum())
    if len(shares) != n_classes or (shares < 0).any() or not np.isclose(shares.sum(), 1):
        raise InvalidParameter(f"weights: must be {n_classes} proportions that sum to 1 (or all but the last one).")
    known = n_informative + n_redundant
    model = {
        "corners": corners,
        "mixing": random.uniform(-1, 1, (clusters, n_informative, n_informative)),
        "redundant": random.uniform(-1, 1, (n_informative, n_redundant)),
        "repeated": random.randint(0, known, n_repeated) if n_repeated else np.zeros(0, dtype=np.int64),
        "columns": random.permutation(n_features) if shuffle else np.arange(n_features),
        "shift": (2 * random.uniform(size=n_features) - 1) * class_sep if shift is None else np.float64(shift),
        "scale": 1 + 100 * random.uniform(size=n_features) if scale is None else np.float64(scale),
    }
    ends = np.cumsum(np.repeat(shares / n_clusters_per_class, n_clusters_per_class))
    rows = partial(
        _class_rows, model=model, ends=ends, n_classes=n_classes, flip=flip_y, shuffle=shuffle, n_samples=n_samples,
        dtype=dtype,
    )  # fmt: skip
    return _table(rows, n_samples, n_features, None, random, chunks, n_parts, order, dtype, np.int64)


def _corners(count: int, dimensions: int, random: np.random.RandomState) -> Array:
    """Return different corners of the unit cube, as zeros and ones."""
    found: dict[bytes, Array] = {}
    while len(found) < count:
        corner = random.randint(0, 2, dimensions).astype(np.float64)
        found[corner.tobytes()] = corner
    return np.stack(list(found.values()))


def _blob_rows(
    random: np.random.Generator, start: int, length: int, centers: Array, spreads: Array, n_samples: int,
    shuffle: bool, dtype: DTypeLike,
) -> Made:  # fmt: skip
    labels = _evenly(random, start, length, np.arange(1, len(centers) + 1) / len(centers), n_samples, shuffle)
    X = random.standard_normal((length, centers.shape[1])) * spreads[labels, None] + centers[labels]
    return X.astype(dtype), labels


def _regression_rows(
    random: np.random.Generator, _start: int, length: int, truth: Array, bias: float, noise: float, dtype: DTypeLike
) -> Made:
    X = random.standard_normal((length, len(truth)))
    y = X @ truth + bias
    if noise > 0:
        y += random.normal(scale=noise, size=y.shape)
    return X.astype(dtype), (y[:, 0] if truth.shape[1] == 1 else y).astype(dtype)


def _class_rows(
    random: np.random.Generator, start: int, length: int, model: dict[str, Array], ends: Array, n_classes: int,
    flip: float, shuffle: bool, n_samples: int, dtype: DTypeLike,
) -> Made:  # fmt: skip
    clusters = _evenly(random, start, length, ends, n_samples, shuffle)
    corners = model["corners"]
    informative = random.standard_normal((length, corners.shape[1]))
    informative = np.einsum("ij,ijk->ik", informative, model["mixing"][clusters]) + corners[clusters]
    X = np.concatenate([informative, informative @ model["redundant"]], axis=1)
    X = np.concatenate([X, X[:, model["repeated"]]], axis=1)
    X = np.concatenate([X, random.standard_normal((length, len(model["columns"]) - X.shape[1]))], axis=1)
    X = (X[:, model["columns"]] + model["shift"]) * model["scale"]
    y = clusters // (len(ends) // n_classes)
    flipped = random.random(length) < flip
    y[flipped] = random.integers(0, n_classes, int(flipped.sum()))
    return X.astype(dtype), y


def _evenly(random: np.random.Generator, start: int, length: int, ends: Array, n_samples: int, shuffle: bool) -> Array:
    """Return a group for each row, with the wanted shares: in random order, or one after the other."""
    places = (np.arange(length) + 0.5) / length if shuffle else (start + np.arange(length) + 0.5) / n_samples
    groups = np.minimum(np.searchsorted(ends, places, side="right"), len(ends) - 1)
    return random.permutation(groups) if shuffle else groups


def _count(value: Any, name: str) -> int:
    if not isinstance(value, Integral) or value < 1:
        raise InvalidParameter(f"{name}: must be a whole number of 1 or more, not {value!r}.")
    return int(value)


def _table(
    rows: Callable[..., Made], n_samples: int, n_features: int, n_targets: int | None, random: np.random.RandomState,
    chunks: Chunks, n_parts: int | None, order: Order, x_type: DTypeLike, y_type: DTypeLike,
) -> tuple[DaskArray, DaskArray]:  # fmt: skip
    """Return the lazy table of rows, which are generated granule by granule."""
    import dask.array as da

    n_samples = _count(n_samples, "n_samples")
    if chunks is not None and n_parts is not None:
        raise InvalidParameter("chunks, n_parts: both set the block size. Pass only one of them.")
    if order not in {"C", "F"}:
        raise InvalidParameter(f"order: must be 'C' or 'F', not {order!r}.")
    if n_parts is None:
        client = current_client()
        n_workers = 1 if client is None else int(client.scheduler_info(n_workers=0).get("n_workers", 1))
        parts = max(1, n_workers, -(-n_samples * n_features // 10**6))
    else:
        parts = _count(n_parts, "n_parts")
    step = -(-n_samples // parts)
    wanted: Any = step if chunks is None else chunks
    if isinstance(wanted, tuple) and len(wanted) == 2 and sum(wanted) != n_samples:
        if wanted[1] not in {-1, None, n_features}:
            raise InvalidParameter(
                f"chunks: must not split the {n_features} columns. Tables are chunked along rows only."
            )
        wanted = wanted[0]
    [lengths] = da.empty(n_samples, chunks=wanted, dtype=x_type).chunks
    seed = int(random.randint(np.iinfo(np.int32).max))
    make = delayed(partial(_block, rows=rows, seed=seed, n_samples=n_samples, order=order), pure=True, nout=2)
    blocks = [make(end - length, length) for end, length in zip(accumulate(lengths), lengths, strict=True)]
    X = stacked([X for X, _ in blocks], lengths, (n_features,), dtype=np.dtype(x_type))
    targets = () if n_targets is None else (n_targets,)
    return X, stacked([y for _, y in blocks], lengths, targets, dtype=np.dtype(y_type))


def _block(start: int, length: int, rows: Callable[..., Made], seed: int, n_samples: int, order: Order) -> Made:
    made = []
    for granule in range(start // GRANULE, max(-(-(start + length) // GRANULE), start // GRANULE + 1)):
        first = granule * GRANULE
        size = min(GRANULE, n_samples - first)
        part = slice(max(start - first, 0), min(start + length - first, size))
        made.append([values[part] for values in rows(np.random.default_rng([seed, granule]), first, size)])
    X, y = (np.asarray(np.concatenate(parts), order=order) for parts in zip(*made, strict=True))
    return X, y
