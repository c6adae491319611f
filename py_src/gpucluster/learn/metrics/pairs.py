"""What was true and what was predicted, row by row, wherever the rows are."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Data, to_numpy
from ..errors import InvalidData
from ..rows.block import Block, Rows
from ..rows.running import local_communicator, local_rows
from ..rows.stream import Stream
from ..rows.table import Table, aligned, column_array, is_dask, is_dask_array, refuse_masked


def paired(y_true: Data, y_pred: Data, sample_weight: Data | None = None) -> Rows | None:
    """Return rows with the truth as X, the prediction as y, and weights.

    Parameters
    ----------
    y_true, y_pred : Dask array, series or data frame, or array
    sample_weight : Dask array or series, or array, optional

    Returns
    -------
    Rows or None
        ``None`` where all is in this process, so that scikit-learn can be asked.

    Raises
    ------
    InvalidData
        The numbers of rows differ.
    """
    for name, part in (("y_true", y_true), ("y_pred", y_pred)):
        if part is None:
            raise InvalidData(f"{name}: is missing.")
    if not any(is_dask(part) for part in (y_true, y_pred, sample_weight)):
        if local_communicator().size == 1:
            return None
        weights = None if sample_weight is None else np.asarray(sample_weight)
        return local_rows(np.asarray(y_true), np.asarray(y_pred), weights)
    return Stream(_table(y_true, y_pred, sample_weight))


def _table(y_true: Data, y_pred: Data, sample_weight: Data | None) -> Table:
    parts = {"y_true": y_true, "y_pred": y_pred, "sample_weight": sample_weight}
    leader, data = next((name, part) for name, part in parts.items() if is_dask(part))
    array = data if is_dask_array(data) else column_array(data)
    refuse_masked(array, leader)
    if array.ndim == 2 and array.numblocks[1] > 1:
        array = array.rechunk({1: -1})
    truth, prediction, weights = (
        array if name == leader else aligned(part, array, name, dimensions=(1, 2)) for name, part in parts.items()
    )
    assert truth is not None
    return Table(truth, prediction, weights)


def numbers(block: Block) -> tuple[Array, Array, Array]:
    """Return truth, prediction and weights of a block as float64 of shape (n_rows, n_outputs), and (n_rows,).

    Raises
    ------
    InvalidData
        Shapes differ, or something is not finite.
    """
    truth = to_numpy(block.X).astype(np.float64)
    prediction = to_numpy(block.y).astype(np.float64)
    truth, prediction = (part[:, None] if part.ndim == 1 else part for part in (truth, prediction))
    if truth.shape != prediction.shape:
        raise InvalidData(f"y_pred: has the shape {prediction.shape} where y_true has {truth.shape}.")
    if not (np.isfinite(truth).all() and np.isfinite(prediction).all()):
        raise InvalidData("y_true or y_pred: contains NaN or infinity. Drop such rows first.")
    return truth, prediction, weights_of(block)


def weights_of(block: Block) -> Array:
    """Return the weights of a block's rows as float64; 1 for each where there are none."""
    if block.weights is None:
        return np.ones(len(block))
    return to_numpy(block.weights).astype(np.float64)
