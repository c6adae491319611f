"""DBSCAN on ranks that each have a part of the rows.

Source: M. Ester, H.-P. Kriegel, J. Sander and X. Xu, "A Density-Based Algorithm for Discovering Clusters in Large
Spatial Databases with Noise", KDD 1996. Parallel form with disjoint sets: M. Patwary et al., "A New Scalable Parallel
DBSCAN Algorithm Using the Disjoint-Set Data Structure", SC 2012: rows that are near each other come to one rank, with
a halo of others' rows (`region_search`); each rank links its own core rows with their neighbours, then the ranks' links
are merged. Links are followed for a sample of pairs first, after which few pairs are left that still join two parts: M.
Sutton, T. Ben-Nun and A. Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling", IPDPS 2018.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..checks import check_weight, total_weight
from ..errors import InvalidData, NotSupported
from ..rows.block import Rows
from ..rows.shard import Shard
from .neighbourhoods import BroadcastSearch, Integers, Neighbourhoods, Pairs, RankRows, searched_by_regions

SAMPLED_PAIRS = 16  # Every 16th pair links almost all rows that belong together.


class Grouping(NamedTuple):
    """What DBSCAN has found, for all rows in their order."""

    labels: Integers
    core: NDArray[np.bool_]
    lengths: tuple[int, ...]  # Number of rows of each block.


def density_clusters(rows: Rows, *, eps: float, min_samples: int, search: dict[str, Any]) -> Grouping:
    """Run DBSCAN on rows in memory.

    A row with neighbours, at most ``eps`` apart, of weight ``min_samples``, itself included, is a core row. ``search``
    has options of ``sklearn.neighbors.NearestNeighbors``.
    """
    if not isinstance(rows, Shard):
        raise NotSupported(
            "DBSCAN compares all rows with each other, so they must fit in the workers' memory. Use more workers or "
            "fewer rows."
        )
    own = RankRows.of(rows.with_starts())
    comm = own.communicator
    check_weight(rows.total(total_weight), negative=True)
    _check_distances(own, search)
    found: Neighbourhoods = searched_by_regions(own, eps, search) or BroadcastSearch(own, eps, search)
    numbers, weights = found.weights()
    marks = np.zeros(own.n_rows, np.uint8)
    # Sums of fractional weights may differ from scikit-learn's in the last digits.
    marks[numbers] = weights >= min_samples
    core: NDArray[np.bool_] = comm.allreduce(marks, "max").astype(bool)
    links, borders = _links(found.pairs(core), core)
    linked = comm.allreduce(links, merge_links)
    # Clusters are numbered by their first core rows, as in scikit-learn.
    labels = np.full(own.n_rows, -1, np.int64)
    labels[core] = np.unique(linked[core], return_inverse=True)[1]
    best = np.full(own.n_rows, own.n_rows, np.int64)
    for border, neighbour in borders:
        np.minimum.at(best, border, labels[neighbour])
    best = comm.allreduce(best, "min")
    reached = ~core & (best < own.n_rows)
    labels[reached] = best[reached]
    return Grouping(labels, core, own.lengths)


def _check_distances(own: RankRows, search: dict[str, Any]) -> None:
    """Refuse rows whose distances would overflow: rows far from each other would become neighbours."""
    largest = 0.0 if own.X is None else float(max(own.X.max(), -own.X.min()))
    largest = float(own.communicator.allreduce(largest, "max"))
    power = search.get("p", 2) if search["metric"] == "minkowski" else 2
    if search["metric"] not in ("euclidean", "l2", "minkowski") or not np.isfinite(power):
        return
    n_features = 1 if own.X is None else own.X.shape[1]
    with np.errstate(over="ignore"):
        overflows = not np.isfinite(np.float64(2 * largest) ** power * n_features)
    if own.communicator.allreduce(int(overflows), "max"):
        raise InvalidData(
            f"X: distances between values up to {largest:.3g} overflow. Divide X and eps by a large number, such as "
            "1e200."
        )


def _links(found: Iterable[tuple[Integers, Pairs]], core: NDArray[np.bool_]) -> tuple[Integers, list[Pairs]]:
    """Return the first core row that each core row is linked with, and the pairs of a border row and a core row."""
    linked = np.arange(len(core))
    borders = []
    for numbers, (one, other) in found:
        here = core[numbers]
        inside = here[one] & here[other]
        outside = np.flatnonzero(~inside)
        for border, near in ((one[outside], other[outside]), (other[outside], one[outside])):
            reached = here[near]
            borders.append((numbers[border[reached]], numbers[near[reached]]))
        first = numbers[first_linked(len(numbers), one, other, inside)]
        linked = first_linked(len(core), linked[numbers], linked[first])[linked]
    return linked, borders


def merge_links(one: Integers, other: Integers) -> Integers:
    """Return for each row the first row it is linked with, directly or by others, in either of two such lists."""
    rows = np.arange(len(one))
    return first_linked(len(one), np.concatenate([rows, rows]), np.concatenate([one, other]))


def first_linked(n_rows: int, one: Integers, other: Integers, counting: NDArray[np.bool_] | None = None) -> Integers:
    """Return for each row the first row that it is linked with, directly or by others.

    ``one`` and ``other`` are numbers of rows that are linked; ``counting``: which of these pairs count, by default all.
    """
    some = slice(None, None, SAMPLED_PAIRS)
    chosen = slice(None) if counting is None else counting[some]
    part = _parts(n_rows, one[some][chosen], other[some][chosen])
    apart = part[one] != part[other]
    left = np.flatnonzero(apart if counting is None else apart & counting)
    if len(left):
        part = _parts(int(part.max()) + 1, part[one[left]], part[other[left]])[part]
    first = np.empty(n_rows, np.int64)
    # Where several rows are of one part, the last that is written stays.
    first[part[::-1]] = np.arange(n_rows)[::-1]
    return first[part]


def _parts(n_rows: int, one: Integers, other: Integers) -> Integers:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    pairs = coo_array((np.ones(len(one), bool), (one, other)), shape=(n_rows, n_rows))
    return connected_components(pairs, directed=False)[1]
