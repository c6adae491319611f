"""Different transformers for different columns of a table on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from ..dask_internals.collections import meta
from .arrays import Array, Data, Output
from .errors import InvalidData, InvalidParameter
from .estimator import ComputesWithClient, LazyTransformerMixin
from .keywords import computing_with, keeps_client
from .rows.table import is_dask

__all__ = ["ColumnTransformer", "make_column_transformer"]

Columns = str | int | slice | Sequence[Any] | Callable[[Any], Any]


class ColumnTransformer(LazyTransformerMixin, ComputesWithClient):
    """Fit transformers to different columns, and concatenate their results; lazily for a table on Dask.

    Parameters
    ----------
    transformers : list of tuples (name, transformer, columns)
        Transformers of this package, of scikit-learn's interface on Dask collections, or ``"drop"`` or
        ``"passthrough"``. Columns are a name or number, a list, slice or mask of these, or a function of the table,
        such as ``sklearn.compose.make_column_selector`` makes.
    remainder : {"drop", "passthrough"} or transformer
        For the other columns, which come last.
    sparse_threshold, n_jobs, verbose, force_int_remainder_cols
        Without effect: results are dense, and the cluster computes.
    transformer_weights : dict, optional
        Factors for the columns of each transformer.
    verbose_feature_names_out : bool or callable
        Put the transformer's name before the names of its columns.
    client : distributed.Client, optional
        Fits transformers that have no client; default: the current one.

    Attributes
    ----------
    transformers_ : list of tuples (name, fitted transformer, columns)
    named_transformers_ : Bunch
    n_features_in_ : int
    feature_names_in_ : array of str
        For data frames.

    Notes
    -----
    A data frame gives a data frame with the same index, an array gives an array, on Dask and in memory. Each
    transformer is fitted separately, with a pass over its columns. Columns are chosen by name where both the fitted
    table and the one to transform have names: then their order and further columns do not matter.
    """

    @keeps_client
    def __init__(
        self,
        transformers: Sequence[tuple[str, Any, Columns]],
        *,
        remainder: Any = "drop",
        sparse_threshold: float = 0.3,
        n_jobs: int | None = None,
        transformer_weights: dict[str, float] | None = None,
        verbose: bool = False,
        verbose_feature_names_out: bool | Callable[[str, str], str] = True,
        force_int_remainder_cols: Any = "deprecated",
    ) -> None:
        self.transformers = transformers
        self.remainder = remainder
        self.sparse_threshold = sparse_threshold
        self.n_jobs = n_jobs
        self.transformer_weights = transformer_weights
        self.verbose = verbose
        self.verbose_feature_names_out = verbose_feature_names_out
        self.force_int_remainder_cols = force_int_remainder_cols

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters.

        Parameters
        ----------
        deep : bool
            Include the transformers by their names, and their parameters, as ``name__parameter``.
        """
        found: dict[str, Any] = super().get_params(deep=deep)
        for name, transformer in self._named() if deep else ():
            found[name] = transformer
            if hasattr(transformer, "get_params"):
                found |= {f"{name}__{key}": value for key, value in transformer.get_params(deep=True).items()}
        return found

    def set_params(self, **parameters: Any) -> ColumnTransformer:
        """Set parameters, also transformers by their names, and their parameters, as ``name__parameter``."""
        if "transformers" in parameters:
            self.transformers = parameters.pop("transformers")
        if new := {name: parameters.pop(name) for name, _ in self._named() if name in parameters}:
            self.transformers = [(name, new.get(name, each), columns) for name, each, columns in self.transformers]
        super().set_params(**parameters)
        return self

    def fit(self, X: Data, y: Data | None = None) -> ColumnTransformer:
        """Fit all transformers.

        Parameters
        ----------
        X : Dask data frame or array, or data frame or array, of shape (n_rows, n_features)
        y : optional
            Passed to all of them.

        Raises
        ------
        InvalidData, InvalidParameter
            Columns or transformers do not exist.
        """
        X = _table(X)
        self._check_names()
        self._note_columns(X.shape[1], _names_of(X))
        self.transformers_: list[tuple[str, Any, Any]] = []
        left = set(range(self.n_features_in_))
        for name, transformer, columns in self.transformers:
            columns = columns(meta(X) if is_dask(X) else X) if callable(columns) else columns
            left -= set(self._positions(columns))
            self._fit_one(name, transformer, columns, X, y)
        if left:
            self._fit_one("remainder", self.remainder, sorted(left), X, y)
        return self

    def transform(self, X: Data) -> Output:
        """Transform X with all transformers: lazy where X is lazy.

        Parameters
        ----------
        X : Dask data frame or array, or data frame or array, of shape (n_rows, n_features)

        Returns
        -------
        data frame or array of shape (n_rows, n_columns)
            A data frame has the index of X and the names of `get_feature_names_out`.
        """
        check_is_fitted(self)
        X = _table(X)
        self._require_columns(X)
        parts = []
        for name, fitted, columns in self._used():
            part = self._chosen(X, columns)
            part = part if isinstance(fitted, str) else fitted.transform(part)
            if (weight := (self.transformer_weights or {}).get(name)) is not None:
                part = part * weight
            parts.append(part)
        return _side_by_side(X, parts, [str(name) for name in self.get_feature_names_out()])

    @property
    def named_transformers_(self) -> Bunch:
        """The fitted transformers by their names."""
        return Bunch(**{name: fitted for name, fitted, _ in self.transformers_})

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """Return the names of the transformed columns.

        Parameters
        ----------
        input_features
            Ignored: the columns are those of the fitted table.
        """
        check_is_fitted(self)
        before = self.verbose_feature_names_out
        found: list[str] = []
        known = getattr(self, "feature_names_in_", [f"x{number}" for number in range(self.n_features_in_)])
        for name, fitted, columns in self._used():
            own = [str(known[position]) for position in self._positions(columns)]
            if not isinstance(fitted, str):
                own = [str(each) for each in fitted.get_feature_names_out(own)]
            if callable(before):
                own = [before(name, each) for each in own]
            found += [f"{name}__{each}" for each in own] if before is True else own
        if len(set(found)) < len(found):
            raise InvalidParameter(
                "verbose_feature_names_out: different transformers output columns with the same name. Set it to True."
            )
        return np.asarray(found, dtype=object)

    def _fit_one(self, name: str, transformer: Any, columns: Any, X: Any, y: Data | None) -> None:
        named = isinstance(transformer, str)
        transforms = hasattr(transformer, "fit") and hasattr(transformer, "transform")
        if not (transformer in {"drop", "passthrough"} if named else transforms):
            raise InvalidParameter(
                f"transformers: {name!r} must be a transformer, 'drop' or 'passthrough', not {transformer!r}."
            )
        if not named and self._positions(columns):
            transformer = clone(transformer)
            part = self._chosen(X, columns)
            with computing_with(self._client):
                transformer.fit(part) if y is None else transformer.fit(part, y)
        self.transformers_.append((name, transformer, columns))

    def _named(self) -> list[tuple[str, Any]]:
        """Return the transformers with their names; an empty list where ``transformers`` is not a list of tuples."""
        try:
            return [(name, transformer) for name, transformer, _ in self.transformers]
        except (TypeError, ValueError):
            return []  # `fit` refuses it, but parameters can be read and set.

    def _check_names(self) -> None:
        """Refuse names of transformers that are ambiguous, or equal to parameters."""
        names = [name for name, _ in self._named()]
        if len(set(names)) < len(names):
            raise InvalidParameter(f"transformers: names are not unique: {names}.")
        if wrong := [name for name in names if "__" in name or name in self.get_params(deep=False)]:
            raise InvalidParameter(
                f"transformers: {wrong[0]!r} is not a valid name. Names must not contain '__' or match a parameter of "
                "the constructor."
            )

    def _require_columns(self, X: Any) -> None:
        """Refuse a table that lacks columns."""
        names, n_features = _names_of(X), int(X.shape[1])
        if names is None or not hasattr(self, "feature_names_in_"):
            if n_features != self.n_features_in_:
                raise InvalidData(
                    f"X has {n_features} features, but ColumnTransformer is expecting {self.n_features_in_} features "
                    "as input."
                )
            return
        used = [
            self.feature_names_in_[position] for _, _, columns in self._used() for position in self._positions(columns)
        ]
        if lacking := sorted(set(used) - set(names)):
            raise InvalidData(f"X: columns are missing: {', '.join(map(repr, lacking[:8]))}.")

    def _used(self) -> list[tuple[str, Any, Any]]:
        return [each for each in self.transformers_ if each[1] != "drop" and self._positions(each[2])]

    def _positions(self, columns: Any) -> list[int]:
        known = {name: number for number, name in enumerate(getattr(self, "feature_names_in_", []))}
        n = self.n_features_in_
        if isinstance(columns, slice):
            first, last = (
                edge if edge is None else int(edge) if isinstance(edge, Integral) else self._positions(edge)[0]
                for edge in (columns.start, columns.stop)
            )
            # Names include the last one, as in pandas.
            named = isinstance(columns.stop, str)
            return list(range(n))[slice(first, last if last is None or not named else last + 1, columns.step)]
        wanted: list[Any] = [columns] if isinstance(columns, str | Integral) else list(columns)
        if wanted and all(isinstance(each, bool | np.bool_) for each in wanted):
            if len(wanted) != n:
                raise InvalidData(f"transformers: a mask has {len(wanted)} entries, but X has {n} columns.")
            return [int(number) for number in np.flatnonzero(wanted)]
        found = []
        for each in wanted:
            position = known.get(each) if isinstance(each, str) else int(each)
            if position is None or not -n <= position < n:
                raise InvalidData(f"transformers: X has no column {each!r}.")
            found.append(position % n)
        return found

    def _chosen(self, X: Any, columns: Any) -> Any:
        """Return some columns: as a table, or as a series where there is one name, as in scikit-learn."""
        positions = self._positions(columns)
        if not hasattr(X, "columns"):
            return X[:, positions[0]] if isinstance(columns, Integral) else X[:, positions]
        # By name where there are names: the columns of X may be in another order than when fitting.
        names = X.columns if _names_of(X) is None else getattr(self, "feature_names_in_", X.columns)
        chosen = [names[position] for position in positions]
        return X[chosen[0] if isinstance(columns, str) else chosen]


def make_column_transformer(*transformers: tuple[Any, Columns], **options: Any) -> ColumnTransformer:
    """Return a `ColumnTransformer` of tuples (transformer, columns), which are named after their classes."""
    kinds = [each if isinstance(each, str) else type(each).__name__.lower() for each, _ in transformers]
    names = [kind if kinds.count(kind) == 1 else f"{kind}-{kinds[:n].count(kind) + 1}" for n, kind in enumerate(kinds)]
    named = [(name, each, columns) for name, (each, columns) in zip(names, transformers, strict=True)]
    return ColumnTransformer(named, **options)


def _table(X: Any) -> Any:
    X = X if hasattr(X, "shape") else np.asarray(X)
    if len(X.shape) != 2:
        raise InvalidData(f"X: must have 2 dimensions (rows and columns), not {len(X.shape)}.")
    return X


def _names_of(X: Any) -> list[str] | None:
    """Return the names of the columns; ``None`` where they have numbers, as in scikit-learn."""
    names = list(getattr(X, "columns", []))
    return names if names and all(isinstance(name, str) for name in names) else None


def _side_by_side(X: Any, parts: list[Any], names: list[str]) -> Output:
    if not parts:
        return X[[]] if hasattr(X, "columns") else X[:, :0].astype(np.float64)
    if not hasattr(X, "columns"):
        columns = [part[:, None] if part.ndim == 1 else part for part in parts]
        if not is_dask(X):
            return np.hstack(columns)
        import dask.array as da

        return da.concatenate(columns, axis=1, allow_unknown_chunksizes=True).rechunk({1: -1})
    if not is_dask(X):
        return _framed(X, *parts, names=names)
    if not all(hasattr(part, "npartitions") and hasattr(part, "map_partitions") for part in parts):
        raise InvalidData(
            "transformers: each must return a data frame for a data frame. Use those of gpucluster.learn."
        )
    like = _framed(meta(X), *(meta(part) for part in parts), names=names)
    lazy: Any = X
    return lazy.map_partitions(_framed, *parts, names=names, meta=like, align_dataframes=False)


def _framed(frame: Any, *parts: Any, names: list[str]) -> Any:
    import pandas as pd

    made = [
        pd.DataFrame(part.to_numpy() if part.ndim == 1 else part, index=frame.index)
        if not hasattr(part, "iloc") or part.ndim == 1
        else part.set_axis(frame.index, axis=0)
        for part in parts
    ]
    return pd.concat(made, axis=1).set_axis(names, axis=1)
