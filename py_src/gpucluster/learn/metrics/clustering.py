"""How much two clusterings agree."""

from __future__ import annotations

from ..arrays import Data
from ..clients import takes_client
from .contingency import contingency
from .pairs import paired


@takes_client
def adjusted_rand_score(labels_true: Data, labels_pred: Data) -> float:
    """Return how much two clusterings agree on which pairs of rows belong together, beyond chance.

    Source: L. Hubert and P. Arabie, "Comparing partitions", Journal of Classification 2 (1985). One pass that counts
    pairs of labels; the message of a block has 8 bytes per pair of labels in it.

    Parameters
    ----------
    labels_true, labels_pred : Dask array or series, or array of shape (n_rows,)
        Clusters; which numbers they have does not matter. One of them may be in memory.

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
    counts = contingency(rows, names, of="clusters").weights.astype(
        object
    )  # Python's numbers: squares of numbers of rows overflow
    n_rows, squares = int(counts.sum()), int((counts**2).sum())
    true_squares, predicted_squares = int((counts.sum(axis=1) ** 2).sum()), int((counts.sum(axis=0) ** 2).sum())
    both = squares - n_rows
    only_predicted, only_true = predicted_squares - squares, true_squares - squares
    neither = n_rows**2 - only_predicted - only_true - squares
    if only_true == 0 and only_predicted == 0:
        return 1.0
    scale = (both + only_true) * (only_true + neither) + (both + only_predicted) * (only_predicted + neither)
    return 2.0 * (both * neither - only_true * only_predicted) / scale
