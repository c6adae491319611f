"""Metrics of regressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array, Data
from ..checks import no_rows, no_weight
from ..errors import InvalidData, InvalidParameter
from ..keywords import takes_client
from ..rows.block import Block
from .pairs import NAMES, Names, numbers, paired


@takes_client
def mean_squared_error(
    y_true: Data, y_pred: Data, *, sample_weight: Data | None = None, multioutput: str | ArrayLike = "uniform_average",
    squared: bool = True,
) -> float | Array:  # fmt: skip
    """Return the mean squared difference.

    Parameters
    ----------
    y_true, y_pred : Dask array, series or data frame, or array of shape (n_rows,) or (n_rows, n_outputs)
        One of them may be in memory.
    sample_weight : Dask array or series, or array of shape (n_rows,), optional
    multioutput : {"uniform_average", "raw_values"} or array of shape (n_outputs,)
        Average several columns, return each of them, or weight them.
    squared : bool
        If false, return the root of the mean (of each column), as in cuML; scikit-learn has
        ``root_mean_squared_error`` instead.

    Raises
    ------
    InvalidData
        Shapes differ, values are not finite numbers, or all weights are zero.
    """
    if squared:
        return _mean("mean_squared_error", np.square, y_true, y_pred, sample_weight, multioutput)
    _checked(multioutput, {"uniform_average", "raw_values"})
    means = _mean("mean_squared_error", np.square, y_true, y_pred, sample_weight, "raw_values")
    return _averaged(np.sqrt(means), multioutput)


@takes_client
def mean_absolute_error(
    y_true: Data, y_pred: Data, *, sample_weight: Data | None = None, multioutput: str | ArrayLike = "uniform_average"
) -> float | Array:
    """Return the mean absolute difference; takes and raises the same as `mean_squared_error`."""
    return _mean("mean_absolute_error", np.abs, y_true, y_pred, sample_weight, multioutput)


def _mean(
    name: str, of: Callable[[Array], Array], y_true: Data, y_pred: Data, sample_weight: Data | None,
    multioutput: str | ArrayLike,
) -> float | Array:  # fmt: skip
    _checked(multioutput, {"uniform_average", "raw_values"})
    rows = paired(y_true, y_pred, sample_weight)
    if rows is None:
        import sklearn.metrics

        local = getattr(sklearn.metrics, name)
        return local(y_true, y_pred, sample_weight=sample_weight, multioutput=multioutput)
    sums, weight = rows.total(_differences, of)
    if weight == 0:
        raise no_rows("y_true") if sample_weight is None else no_weight()
    return _averaged(sums / weight, multioutput)


def _differences(block: Block, of: Callable[[Array], Array]) -> tuple[Array, float]:
    truth, prediction, weights = numbers(block)
    return weights @ of(truth - prediction), float(weights.sum())


class _Variation(NamedTuple):
    weight: float
    mean: Array
    squares: Array  # Summed squared differences from the mean.
    left: Array  # Summed squared differences from the prediction.
    n_rows: int


@takes_client
def r2_score(
    y_true: Data, y_pred: Data, *, sample_weight: Data | None = None, multioutput: str | ArrayLike = "uniform_average",
    force_finite: bool = True,
) -> float | Array:  # fmt: skip
    """Return the fraction of the variance that the prediction explains.

    One pass. Source of the merging of means and variances: T. F. Chan, G. H. Golub and R. J. LeVeque, "Updating
    Formulae and a Pairwise Algorithm for Computing Sample Variances", COMPSTAT (1982).

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As those of `mean_squared_error`.
    multioutput : {"uniform_average", "variance_weighted", "raw_values"} or array of shape (n_outputs,)
        Average several columns, weight them by their variance, return each of them, or weight them.
    force_finite : bool
        Return 1 (perfect prediction) or 0 where y_true is constant; otherwise NaN or minus infinity.

    Raises
    ------
    InvalidData
        Shapes differ, values are not finite, or there are fewer than two rows.
    """
    return r2(y_true, y_pred, sample_weight, multioutput, force_finite=force_finite)


def r2(
    y_true: Data, y_pred: Data, sample_weight: Data | None, multioutput: str | ArrayLike = "uniform_average", *,
    force_finite: bool = True, names: Names = NAMES,
) -> float | Array:  # fmt: skip
    """Return the same as `r2_score`, with the names of truth and prediction for error messages."""
    _checked(multioutput, {"uniform_average", "raw_values", "variance_weighted"})
    rows = paired(y_true, y_pred, sample_weight, names)
    if rows is None:
        from sklearn.metrics import r2_score as local

        return local(y_true, y_pred, sample_weight=sample_weight, multioutput=multioutput, force_finite=force_finite)
    found = rows.total(_variation, names, op=_merge)
    if found is None or found.n_rows < 2:
        raise InvalidData(f"{names[0]}: R² is not defined for fewer than two rows.")
    if found.weight == 0:
        raise no_weight()
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = 1 - found.left / found.squares
    if force_finite:
        scores = np.where(found.squares == 0, np.where(found.left == 0, 1.0, 0.0), scores)
    if isinstance(multioutput, str) and multioutput == "variance_weighted":
        multioutput = found.squares if found.squares.any() else "uniform_average"
    return _averaged(scores, multioutput)


def _variation(block: Block, names: Names) -> _Variation | None:
    truth, prediction, weights = numbers(block, names)
    if not len(truth):
        return None
    weight = float(weights.sum())
    mean = weights @ truth / weight if weight else truth[0]
    return _Variation(weight, mean, weights @ (truth - mean) ** 2, weights @ (truth - prediction) ** 2, len(truth))


def _merge(one: _Variation, other: _Variation) -> _Variation:
    weight = one.weight + other.weight
    shift = other.mean - one.mean
    share = other.weight / weight if weight else 0.0
    return _Variation(
        weight,
        one.mean + shift * share,
        one.squares + other.squares + shift**2 * (one.weight * share),
        one.left + other.left,
        one.n_rows + other.n_rows,
    )


def _checked(multioutput: str | ArrayLike, allowed: set[str]) -> None:
    if isinstance(multioutput, str) and multioutput not in allowed:
        raise InvalidParameter(f"multioutput: must be one of {', '.join(sorted(allowed))}, not {multioutput!r}.")


def _averaged(values: Array, multioutput: str | ArrayLike) -> float | Array:
    if isinstance(multioutput, str):
        return values if multioutput == "raw_values" else float(values.mean())
    return float(np.average(values, weights=np.asarray(multioutput)))
