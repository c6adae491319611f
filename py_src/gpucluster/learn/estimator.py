"""The common base of all estimators: input, output and scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, wraps
from importlib import import_module
from inspect import cleandoc, signature
from typing import Any, ClassVar, dataclass_transform

import numpy as np
from numpy.typing import DTypeLike
from sklearn import __version__ as sklearn_version
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
from sklearn.utils import get_tags
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_array, validate_data

from ..dask_internals.collections import meta
from ..dask_internals.machine import memory_bytes
from .arrays import Array, Collection, DaskFrame, Data, Dtype, Output, PlainModel, array_namespace_of
from .checks import not_finite
from .delegation.methods import completed_class_docstring, completed_docstring, delegable, is_delegable
from .errors import InvalidData, InvalidParameter, NotSupported
from .keywords import in_our_words, keeps_client, names_of
from .parameters import Declared, constructor, fitted, parameter, taken_declarations
from .rows.running import RESIDENT_SHARE, local_rows, run_table
from .rows.table import Table, as_table, is_dask, is_dask_array


class ScoredClassifier(ClassifierMixin):
    """A classifier whose score is the accuracy, computed where the data are."""

    def score(self, X: Data, y: Data, sample_weight: Data | None = None) -> float:
        """Return the fraction of correctly predicted rows; see `accuracy_score`.

        Returns
        -------
        float
            From 0 to 1; with weights, the fraction of their sum.
        """
        from .metrics.classification import accuracy

        truth, weights = _beside(X, y, sample_weight)
        return accuracy(truth, self.predict(X), weights, names=("y", "the prediction"))


class ScoredRegressor(RegressorMixin):
    """A regressor whose score is R², computed where the data are."""

    def score(self, X: Data, y: Data, sample_weight: Data | None = None) -> float:
        """Return the fraction of the variance of y that the prediction explains; see `r2_score`.

        Returns
        -------
        float
            1 at best; below 0 where the mean of y would be a better prediction.
        """
        from .metrics.regression import r2

        truth, weights = _beside(X, y, sample_weight)
        return float(r2(truth, self.predict(X), weights, names=("y", "the prediction")))


def _beside(X: Data, y: Data, sample_weight: Data | None) -> tuple[Any, Any]:
    """Return y and weights on Dask if X is there: otherwise counting the rows would compute predictions."""
    if not is_dask(X) or all(part is None or is_dask(part) for part in (y, sample_weight)):
        return y, sample_weight
    table = as_table(X, y, sample_weight)
    return table.y, table.weights


class ComputesWithClient(BaseEstimator):
    """Base of what computes with a client, which stays out of saved models, and notes the columns of a table."""

    _client: Any = None  # The client to compute with; ``None``: Dask's current client.

    def __sklearn_clone__(self) -> Any:
        copy = super().__sklearn_clone__()
        if self._client is not None:
            copy._client = self._client
        return copy

    def __getstate__(self) -> dict[str, Any]:
        """Drop the client."""
        state = dict(super().__getstate__())
        state.pop("_client", None)
        return state

    def _note_columns(self, n_features: int, names: Any) -> None:
        self.n_features_in_ = int(n_features)
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter, fitted))
class DistributedEstimator(ComputesWithClient):
    """Base of the estimators.

    Fitting and predicting take Dask arrays and data frames, or arrays in memory. Results are of the same kind: a lazy
    Dask array for a Dask array, a lazy series or data frame with the same index for a Dask data frame, an array for an
    array.

    All estimators take the keyword ``client``, a Dask client to compute with; the current one when not given. All
    methods with lazy results take ``delayed=False``, as in cuML: the result is then computed on the workers at once.
    Other keywords of cuML and Dask-ML are translated where possible; see `gpucluster.learn.keywords`.
    """

    _scikit_learn: ClassVar[str]  # Full name of scikit-learn's class, which is imported on demand.
    _own_parameters: ClassVar[frozenset[str]] = frozenset()  # Parameters that scikit-learn's class does not have.
    _checks: ClassVar[dict[str, Any]] = {}
    """Further arguments of scikit-learn's ``validate_data`` for arrays in memory."""
    _takes_sparse: ClassVar[bool] = True  # Whether X may be sparse; it is made dense, on Dask block by block.
    _not_saved_because: ClassVar[str] = ""
    """Why the fitted estimator cannot be saved, as an error message; empty where it can."""

    _declared: ClassVar[dict[str, Declared]] = {}  # The parameters; see `gpucluster.learn.parameters`.
    _fixed: ClassVar[frozenset[str]] = frozenset()  # Parameters of the base class that are attributes of this class.

    @keeps_client
    def __init__(self) -> None:
        """Take a client in estimators without parameters."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        declared = taken_declarations(cls)
        cls._declared = {name: each for name, each in (cls._declared | declared).items() if name not in cls._fixed}
        if declared or vars(cls).keys() & {"__init__", "_fixed"}:
            init = vars(cls).get("__init__") or constructor(cls._declared)
            cls.__init__ = keeps_client(init)  # type: ignore[method-assign]
        for name in ("fit_predict", "fit_transform", "score"):
            method = getattr(cls, name, None)
            if method is not None and not is_delegable(method):
                setattr(cls, name, delegable(method))
        for method in vars(cls).values():
            if is_delegable(method) and not method.__module__.startswith("sklearn."):
                method.__doc__ = completed_docstring(cls, method)
        # From Python 3.13 on the compiler has taken the indentation away.
        if "\nAttributes\n" in cleandoc(vars(cls).get("__doc__") or ""):
            cls.__doc__ = completed_class_docstring(cls)

    def set_params(self, **parameters: Any) -> Any:
        """Set parameters, including by cuML's and Dask-ML's names for them."""
        return super().set_params(**in_our_words(names_of(type(self)), self.get_params(), parameters))

    def __getstate__(self) -> dict[str, Any]:
        """Drop the client, and lazy results, which would contain all data."""
        state = super().__getstate__()
        training = state.get("_training")
        if isinstance(training, dict):
            state["_training"] = {name: value for name, value in training.items() if not is_dask(value)}
        return state

    # -- fitting ---------------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        """Refuse wrong parameters before fitting; subclasses add checks of several parameters together."""
        for name, each in self._declared.items():
            if each.rule is not None:
                each.rule.check(name, getattr(self, name))

    def _fit_with(
        self,
        algorithm: Callable[..., Any],
        X: Data,
        y: Data | None = None,
        sample_weight: Data | None = None,
        *,
        passes: int | None = None,
        reset: bool = True,
        **parameters: Any,
    ) -> Any:
        """Check data, run an algorithm, see `gpucluster.learn.run`; without ``reset``, the columns must be known."""
        self._require_y(y)
        if is_dask(X):
            table = self._table(X, y, sample_weight, reset=reset)
            return run_table(algorithm, table, parameters, passes=passes)
        X, y = self._checked(X, y, reset=reset, **self._checks)
        if sample_weight is not None:
            from sklearn.utils.validation import _check_sample_weight

            sample_weight = _check_sample_weight(sample_weight, X, dtype=X.dtype)
        return algorithm(local_rows(X, y, sample_weight), **parameters)

    def _checked(self, X: Data, y: Data | None = None, **options: Any) -> tuple[Array, Array | None]:
        """Return data in memory, dense, after scikit-learn's checks with these options of ``validate_data``."""
        options = {"dtype": [np.float64, np.float32], **options}
        X = self._densified(X)
        if y is None:
            return validate_data(self, X, **options), None
        return validate_data(self, X, y, **options)

    def _densified(self, X: Any) -> Any:
        """Return data in memory as dense data; refuse sparse data that would take too much memory."""
        from scipy.sparse import issparse

        columns = _sparse_columns(X)
        if not self._takes_sparse or not (columns or (issparse(X) and X.ndim == 2)):
            return X
        if X.shape[0] * X.shape[1] * 8 > RESIDENT_SHARE * memory_bytes():
            raise InvalidData(
                f"X: is sparse, and converted to a dense table of {X.shape[0]:,} × {X.shape[1]:,} numbers does not fit "
                "in memory. Choose or combine columns first (see scikit-learn's random projections), or convert it to "
                "a Dask array, whose blocks are made dense one at a time."
            )
        if not columns:
            return X.toarray()
        return X.sparse.to_dense() if len(columns) == X.shape[1] else X.astype(columns)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        tags.input_tags.allow_nan = self._checks.get("ensure_all_finite") == "allow-nan"
        return tags

    def _require_y(self, y: Data | None) -> None:
        if y is None and get_tags(self).target_tags.required:
            name = type(self).__name__
            raise InvalidData(f"This {name} estimator requires y to be passed, but the target y is None.")

    def _table(
        self, X: Collection, y: Data | None = None, sample_weight: Data | None = None, *, reset: bool = True
    ) -> Table:
        """Return Dask collections as a table, and note its columns; without ``reset``, check them."""
        table = as_table(X, y, sample_weight)
        (self._note_columns if reset else self._check_columns)(table.n_features, table.names)
        return table

    @property
    def _names_in(self) -> list[str] | None:
        """Names of the fitted columns, if any."""
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(names)

    # -- the model -------------------------------------------------------------------------------

    @delegable
    def get_combined_model(self) -> PlainModel:
        """Return scikit-learn's estimator of the same name with the same parameters and fitted attributes."""
        return self._plain_model()

    def _plain_class(self) -> Callable[..., Any]:
        module, _, name = self._scikit_learn.rpartition(".")
        return getattr(import_module(module), name)

    def _plain_parameters(self) -> dict[str, Any]:
        """Return scikit-learn's parameters; those that the installed release lacks must have their defaults."""
        shared = {name: value for name, value in self.get_params().items() if name not in self._own_parameters}
        known, own = signature(self._plain_class()).parameters, signature(type(self)).parameters
        for name in shared.keys() - known.keys():
            if shared.pop(name) != own[name].default:
                raise InvalidParameter(
                    f"{name}: scikit-learn {sklearn_version} has none; upgrade it, or omit the parameter."
                )
        return shared

    def _plain_model(self, parameters: Mapping[str, Any] | None = None, **changed: Any) -> Any:
        """Return scikit-learn's estimator with the same parameters and attributes, except those that are passed."""
        model = self._plain_class()(**(self._plain_parameters() | dict(parameters or {})))
        fitted = {name: value for name, value in vars(self).items() if name.endswith("_") and not name.startswith("_")}
        for name, value in (fitted | changed).items():
            setattr(model, name, value)
        return model

    # -- predicting ------------------------------------------------------------------------------

    def _map(
        self,
        function: Callable[..., Any],
        X: Data,
        *arguments: Any,
        dtype: DTypeLike | None = None,
        columns: int | None = None,
        names: list[str] | None = None,
        takes: int | None = None,
    ) -> Output:
        """Apply ``function(block of X, *arguments)`` to all blocks, lazily where X is lazy.

        Parameters
        ----------
        function : callable
            Returns one row per row: an array of shape (n_rows,), or (n_rows, columns).
        X
            Dask collection or array.
        *arguments
            The model: small values, or ``dask.delayed`` objects for large ones.
        dtype : optional
            Of the result; when not given, the one that X and the arrays among the arguments have in common.
        columns : int, optional
            Number of columns of the result; ``None`` for one dimension.
        names : list of str, optional
            Of the columns, for data frames.
        takes : int, optional
            Number of columns of X, where these are not the fitted columns.
        """
        if not is_dask(X):
            checked: dict[str, Any] = {
                "dtype": [np.float64, np.float32],
                "ensure_all_finite": self._checks.get("ensure_all_finite", True),
            }
            X = self._densified(X)
            X = check_array(X, **checked) if takes else validate_data(self, X, reset=False, **checked)
            self._check_columns(X.shape[1], None, takes)
            return function(X, *arguments)
        table = as_table(X)
        lazy: Any = table.X
        self._check_columns(table.n_features, None if takes else table.names, takes)
        if dtype is None:
            dtype = np.result_type(table.X.dtype, *(part.dtype for part in arguments if hasattr(part, "dtype")))
        missing = self._checks.get("ensure_all_finite") == "allow-nan"
        label, function = getattr(function, "__name__", type(function).__name__), partial(_of_finite, function, missing)
        if not is_dask_array(X):
            like, frame = frame_like(X, dtype, columns, names), partial(_partition, function, table.X.dtype)
            lazy = X
            return lazy.map_partitions(partial(frame, like), *arguments, meta=like)
        empty = meta(table.X)[:0].sum(axis=1) if columns is None else meta(table.X)[:0, :0]
        return lazy.map_blocks(
            function,
            *arguments,
            token=label,
            dtype=dtype,
            chunks=table.X.chunks[:1] if columns is None else (table.X.chunks[0], (columns,)),
            drop_axis=1 if columns is None else None,
            meta=empty.astype(dtype),
        )

    def _check_columns(self, n_features: int, names: list[str] | None, takes: int | None = None) -> None:
        expected = takes or self.n_features_in_
        if n_features != expected:
            raise InvalidData(
                f"X has {n_features} features, but {type(self).__name__} is expecting {expected} features as input."
            )
        known = getattr(self, "feature_names_in_", None)
        if names is not None and known is not None and list(known) != names:
            raise InvalidData(
                f"X has the columns {', '.join(names[:8])}, but {type(self).__name__} was fitted with "
                f"{', '.join(known[:8])}. Select the same columns in the same order."
            )


def _sparse_columns(X: Any) -> dict[Any, Dtype]:
    """Return the dense types of the sparse columns of a pandas data frame, by their names."""
    dtypes: Any = getattr(X, "dtypes", None) if hasattr(X, "columns") else None
    items = dtypes.items() if hasattr(dtypes, "items") else ()
    return {name: dtype.subtype for name, dtype in items if type(dtype).__name__ == "SparseDtype"}


class LazyTransformerMixin(TransformerMixin, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Transformers whose ``set_output`` gives lazy frames; scikit-learn's mixin would bring all rows here."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in ("transform", "fit_transform"):
            if name in vars(cls):
                setattr(cls, name, _with_lazy_output(vars(cls)[name]))

    def fit_transform(self, X: Data, y: Data | None = None, **options: Any) -> Output:
        """Fit, and transform the same data."""
        if not is_dask(X):
            return super().fit_transform(X, y, **options)
        return (self.fit(X, **options) if y is None else self.fit(X, y, **options)).transform(X)


def _with_lazy_output(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method so that results on Dask get the configured output here, and others in scikit-learn."""

    @wraps(method)
    def call(self: Any, X: Data, *arguments: Any, **options: Any) -> Output:
        if not is_dask(X):
            return method(self, X, *arguments, **options)
        plain: Any = method
        return _as_configured(self, plain.__wrapped__(self, X, *arguments, **options))

    return call


def _as_configured(estimator: Any, answer: Any) -> Output:
    """Return a lazy result in the form that `set_output` has configured."""
    wanted = _get_output_config("transform", estimator)["dense"]
    if wanted == "default" or not is_dask(answer):
        return answer
    if wanted != "pandas":
        raise NotSupported(f"set_output: Dask collections become pandas data frames, not {wanted}. Use 'pandas'.")
    if not is_dask_array(answer):
        return answer
    import dask.dataframe as dd

    return dd.from_dask_array(answer, columns=[str(name) for name in estimator.get_feature_names_out()])


def _of_finite(function: Callable[..., Any], missing: bool, X: Array, *arguments: Any) -> Array:
    """Call a function with a block of finite rows; ``missing`` allows NaN."""
    xp = array_namespace_of(X)
    # The sum is much cheaper than a look at each element, but may overflow.
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = not np.isfinite(float(X.sum()))
    if suspicious and not bool((xp.isfinite(X) | (missing & xp.isnan(X))).all()):
        raise not_finite(missing=missing)
    return function(X, *arguments)


def frame_like(X: DaskFrame, dtype: DTypeLike, columns: int | None, names: list[str] | None = None) -> Any:
    """Return an empty series (``columns=None``) or data frame of the library of X, with its index."""
    empty = meta(X).iloc[:0]
    if columns is None:
        return empty.iloc[:, 0].astype(dtype).rename(None)
    names = names or [str(number) for number in range(columns)]
    return type(empty)({name: empty.iloc[:, 0].astype(dtype) for name in names}, index=empty.index)


def framed(values: Array, index: Any, like: Any) -> Any:
    """Return values as a series or data frame like one of `frame_like`."""
    if like.ndim == 1:
        return type(like)(values, index=index, dtype=like.dtype)
    return type(like)(values, index=index, columns=like.columns)


def _partition(function: Callable[..., Any], given: Dtype, like: Any, frame: Any, *arguments: Any) -> Any:
    return framed(function(frame.astype(given).values, *arguments), frame.index, like)
