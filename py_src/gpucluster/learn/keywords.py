"""Keywords of cuML and Dask-ML that scikit-learn does not have: their translation, or what to use instead.

Constructors, methods and functions look up unknown keywords in `KEYWORDS`. A keyword is translated to scikit-learn's
parameters, so ``get_params`` and ``clone`` never see it.
"""

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .errors import InvalidParameter, NotSupported

Function = TypeVar("Function", bound=Callable[..., Any])


def computing_with(client: Any) -> AbstractContextManager[Any]:
    """Make a client the current one within a ``with`` block; ``None`` leaves it to Dask."""
    if client is None:
        return nullcontext()
    if not hasattr(client, "as_current"):
        raise InvalidParameter(f"client: must be a Dask Client, not {type(client).__name__}.")
    return client.as_current()


def takes_client(function: Function) -> Function:
    """Give a function the keyword ``client``, a Dask client to compute with, and those of `KEYWORDS`."""
    own = inspect.signature(function).parameters
    names = [function.__name__, "every function"]

    @wraps(function)
    def with_client(*arguments: Any, client: Any = None, **options: Any) -> Any:
        with computing_with(client):
            return function(*arguments, **in_our_words(names, own, options))

    option = inspect.Parameter("client", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Any)
    made: Any = with_client
    made.__signature__ = with_option(function, option)
    return made


def keeps_client(init: Callable[..., None]) -> Callable[..., None]:
    """Give a constructor the keyword ``client``, and those of `KEYWORDS`.

    The client is not a parameter, because scikit-learn copies parameters, and a client can neither be copied nor saved.
    """
    own = inspect.signature(init).parameters

    @wraps(init)
    def keep(self: Any, *arguments: Any, client: Any = None, **options: Any) -> None:
        init(self, *arguments, **in_our_words(names_of(type(self)), own, options))
        if client is not None:
            with computing_with(client):
                self._client = client

    return keep


def with_option(function: Callable[..., Any], option: inspect.Parameter) -> inspect.Signature:
    signature = inspect.signature(function)
    parameters = sorted([*signature.parameters.values(), option], key=lambda each: each.kind)
    return signature.replace(parameters=parameters)


Meaning = Callable[[Any], "dict[str, Any] | None"]
"""Returns the parameters that a value stands for; ``None`` for values without a translation."""


class Keyword(NamedTuple):
    """A keyword of another library, or another library's values of a keyword of this package."""

    meaning: Meaning
    instead: str = ""  # The error message for other values.


def _same(name: Any, value: Any) -> bool:
    return type(name) is type(value) and bool(name == value)


def any_value() -> Keyword:
    """Return a keyword without effect on the result, which takes any value."""
    return Keyword(lambda _: {})


def only(*values: Any, instead: str) -> Keyword:
    """Return a keyword that takes only these values, which are the behaviour of this package."""
    return Keyword(lambda value: {} if any(_same(value, each) for each in values) else None, instead)


def standing_for(values: Mapping[Any, dict[str, Any]], instead: str = "") -> Keyword:
    """Return a keyword whose values stand for parameters of this package."""
    return Keyword(lambda value: next((dict(own) for each, own in values.items() if _same(value, each)), None), instead)


def _renamed(name: str, **values: Any) -> dict[Any, dict[str, Any]]:
    return {value: {name: own} for value, own in values.items()}


def _one_number(value: Any) -> dict[str, Any] | None:
    # NumPy scalars have a size as well, and stay unchanged.
    array = hasattr(value, "shape") and not isinstance(value, np.generic)
    return {"alpha": float(value.ravel()[0])} if array and value.size == 1 else None


def _leaves(value: Any) -> dict[str, Any]:
    return {"max_leaf_nodes": None if _same(value, -1) else value}


_QUIET = {"handle": any_value(), "verbose": any_value()}
_EXACT = {name: {"algorithm": "auto"} for name in ("rbc", "ivfflat", "ivfpq")}
_NEIGHBORS = {"algorithm": standing_for(_EXACT), "algo_params": any_value()}
_FOREST = {
    "split_criterion": standing_for(
        {
            **_renamed("criterion", gini="gini", entropy="entropy", mse="squared_error", poisson="poisson"),
            0: {"criterion": "gini"}, 1: {"criterion": "entropy"}, 2: {"criterion": "squared_error"},
            4: {"criterion": "poisson"},
        },
        "must be 'gini', 'entropy', 'mse' or 'poisson'. Or use scikit-learn's name: criterion.",
    ),
    "max_leaves": Keyword(_leaves),
    "max_depth": standing_for({-1: {"max_depth": None}}),
    **dict.fromkeys(("ignore_empty_partitions", "max_batch_size"), any_value()),
    "workers": only(None, instead="all workers grow trees. Omit it, or pass the client of a smaller cluster."),
}  # fmt: skip
_SCALED = only(
    False,
    None,
    instead="is not supported. Scale the columns first: sklearn.pipeline.make_pipeline(StandardScaler(), …).",
)
_SCORE = {
    "compute": only(
        True,
        None,
        instead="scores are computed immediately. Omit it, or submit: client.submit(r2_score, y_true, y_pred).",
    )
}
_PENALIZED = only(instead="is not supported. Use Ridge for a penalty: alpha=1 / C.")

KEYWORDS: dict[str, dict[str, Keyword]] = {
    "every estimator": {
        **_QUIET,
        "output_type": only(
            None, "input", "array", "numpy",
            instead="results have the type of X, and fitted attributes are NumPy arrays. Omit it, and convert: "
                    "result.map_blocks(cupy.asarray), result.to_frame().",
        ),
    },
    "every method": {
        **dict.fromkeys(
            ("broadcast_data", "convert_dtype", "default_chunk_size", "align_bytes", "layout", "predict_model",
             "two_pass_precision"),
            any_value(),
        ),
        "threshold": only(None, 0.5, instead="is not supported. Compare probabilities: predict_proba(X)[:, 1] > 0.3."),
    },
    "every function": {**_QUIET, "convert_dtype": any_value(), "workers": only(
        None, instead="all workers compute. Omit it, or pass the client of a smaller cluster."
    )},
    "KMeans": {
        "algorithm": standing_for(_renamed("algorithm", full="lloyd", auto="lloyd")),
        **dict.fromkeys(("convert_dtype", "init_max_iter", "n_jobs", "precompute_distances"), any_value()),
    },
    "DBSCAN": {
        "algorithm": standing_for(_EXACT),
        **dict.fromkeys(("calc_core_sample_indices", "max_mbytes_per_batch"), any_value()),
    },
    "DBSCAN.fit": {"out_dtype": only(
        "int32", "int64", np.int32, np.int64, None, instead="must be int32 or int64, or omitted."
    )},
    "PCA": {"svd_solver": standing_for(
        _renamed("svd_solver", randomized="covariance_eigh", jacobi="covariance_eigh", tsqr="full", arpack="full")
    )},
    "TruncatedSVD": {
        "algorithm": standing_for(
            _renamed("algorithm", auto="randomized", full="randomized", jacobi="randomized", tsqr="arpack")
        ),
        "compute": only(
            True, None, instead="singular values and components are computed immediately. Omit it."
        ),
    },
    "LinearRegression": {
        "algorithm": any_value(), "normalize": _SCALED, "penalty": _PENALIZED, "C": _PENALIZED,
    },
    "Ridge": {
        "solver": standing_for(_renamed("solver", eig="cholesky", cd="cholesky")),
        "alpha": Keyword(_one_number), "normalize": _SCALED,
    },
    "ElasticNet": {
        "alpha": Keyword(_one_number), "normalize": _SCALED, "solver": any_value(),
    },
    "LogisticRegression": {
        "solver": standing_for(_renamed("solver", qn="lbfgs", auto="lbfgs")),
        "penalty": standing_for(_renamed("penalty", none=None)),
        **dict.fromkeys(("_convert_index", "lbfgs_memory", "linesearch_max_iter"), any_value()),
        "multi_class": only(
            None, "auto", "multinomial", instead="classes are always fitted together. For one model per class use "
            "scikit-learn's OneVsRestClassifier.",
        ),
        "standardization": _SCALED,
        "penalty_normalized": only(True, instead="is not supported. Divide C by the number of rows."),
        "solver_kwargs": only(None, instead="there is one solver, lbfgs. Use tol and max_iter."),
    },
    "RandomForestClassifier": _FOREST,
    "RandomForestRegressor": _FOREST,
    "NearestNeighbors": _NEIGHBORS,
    "KNeighborsClassifier": _NEIGHBORS,
    "KNeighborsRegressor": _NEIGHBORS,
    "GaussianNB": {"classes": only(None, instead="classes are those of y. Omit it.")},
    "LabelEncoder": {
        "handle_unknown": only(
            "error", instead="unknown labels raise an error. Use OrdinalEncoder(handle_unknown='use_encoded_value', "
                             "unknown_value=-1).",
        ),
        "use_categorical": any_value(),
    },
    "OneHotEncoder": {
        "sparse": standing_for({True: {"sparse_output": True}, False: {"sparse_output": False}}),
    },
    "OrdinalEncoder": {
        "columns": only(None, instead="is not supported. Choose columns: ColumnTransformer."),
        "handle_unknown": standing_for(
            {"ignore": {"handle_unknown": "use_encoded_value", "unknown_value": np.nan}}
        ),
    },
    "ColumnTransformer": {"preserve_dataframe": only(
        True, instead="data frames give data frames. Omit it, and convert: result.to_dask_array()."
    )},
    "make_regression": {"use_full_low_rank": any_value()},
    "accuracy_score": _SCORE,
    "log_loss": {**_SCORE, "eps": only(
        None, "auto", instead="probabilities are clipped by their type. Clip them yourself: y_proba.clip(eps, 1 - eps)."
    )},
    "mean_absolute_error": _SCORE,
    "mean_squared_error": _SCORE,
    "r2_score": _SCORE,
    "silhouette_score": {"chunksize": any_value()},
    "train_test_split": dict.fromkeys(("blockwise", "convert_mixed_types"), any_value()),
}  # fmt: skip
"""By the name of a class, ``Class.method`` or a function. Keywords of this package are listed only with values of other
libraries; their other values pass unchanged."""


def names_of(cls: type, method: str | None = None) -> list[str]:
    """Return the entries of `KEYWORDS` for a class, or one of its methods; the nearest first."""
    classes = [each.__name__ for each in cls.__mro__]
    if method is None:
        return [*classes, "every estimator"]
    return [*(f"{name}.{method}" for name in classes), "every method"]


def in_our_words(names: Iterable[str], own: Collection[str], options: dict[str, Any]) -> dict[str, Any]:
    """Translate keyword arguments; unknown keywords stay, and Python refuses them.

    ``names`` are entries of `KEYWORDS`, the nearest first; ``own`` are the function's own keywords. Raises
    `InvalidParameter` where two keywords set the same parameter, and `NotSupported` for a value without a translation.
    """
    found: dict[str, Any] = {}
    entries = [KEYWORDS[name] for name in names if name in KEYWORDS]
    for name, value in options.items():
        keyword = next((entry[name] for entry in entries if name in entry), None)
        meant = None if keyword is None else keyword.meaning(value)
        if name in own or keyword is None:
            meant = meant or {name: value}
        elif meant is None:
            raise NotSupported(f"{name}: {keyword.instead}")
        for each in meant.keys() & found.keys():
            raise InvalidParameter(f"{name}: cannot be combined with {each!r}, which means the same.")
        found.update(meant)
    return found
