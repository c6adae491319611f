"""What ``cuml.dask`` 26.10 supports for each estimator, and why it is not used for the others.

To delegate an estimator, add an entry here, and the decorator `delegable` to its methods.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np

from ..kernels.on_gpu import lloyd as lloyd_on_gpu
from ..rows.table import floating_type


@dataclass(frozen=True)
class Entry:
    """How to translate one estimator. Parameters that are not listed must have their default values."""

    module: str  # Of cuML's class of the same name.
    same: tuple[str, ...] = ()  # Parameters that cuML has under the same name.
    renamed: dict[str, str] = field(default_factory=dict)  # Parameters that cuML has under another name.
    values: dict[str, dict[Any, Any]] = field(default_factory=dict)
    """Parameters of which cuML supports some values only, with cuML's names of these values."""
    checked: tuple[str, ...] = ()  # Of ``values``: not passed on, because cuML's class has no such parameter.
    without_effect: tuple[str, ...] = ()  # Parameters that do not change the result.
    own: tuple[str, ...] = ()  # cuML's own parameters, passed on where they are not ``None``.
    fixed: dict[str, Any] = field(default_factory=dict)  # Further arguments of cuML's class.
    attributes: tuple[str, ...] = ()  # Fitted attributes that are copied back.
    methods: tuple[str, ...] = ("predict",)  # Methods of cuML's estimator to call after fitting.
    label_type: str | None = None  # Required type of labels.
    frames: bool = True  # Whether data frames are supported.
    arrays: bool = True  # Whether arrays are supported.
    complete: bool = True  # Whether the copied attributes are enough to predict without cuML, and to save the model.
    numbers: bool = True  # Whether X must hold numbers.
    faster_here: Callable[[Any, Any], bool] | None = None
    """``faster_here(estimator, X)``: whether this package's algorithm is faster on GPUs, so that cuML is used only on
    request."""
    by_port: bool = False  # Whether cuML identifies workers by host and port, which workers at unix sockets lack.


def _always(_estimator: Any, _X: Any) -> bool:
    return True


def _in_one_kernel(kmeans: Any, X: Any) -> bool:
    """Whether the kernel of k-means supports these numbers of columns and clusters; cuML is not slower with more."""
    if X.ndim != 2 or not isinstance(kmeans.n_clusters, Integral) or kmeans.n_clusters < 1:
        return True  # This package reports the error.
    return lloyd_on_gpu.fits(floating_type(X), int(X.shape[1]), int(kmeans.n_clusters))


_TREES: dict[str, Any] = {
    "same": ("n_estimators", "max_depth", "max_features", "bootstrap", "min_samples_leaf", "min_samples_split",
             "min_impurity_decrease", "random_state"),
    "own": ("n_bins", "n_streams"),
    "values": {"max_leaf_nodes": {None: -1}, "max_samples": {None: 1.0}},
    "without_effect": ("n_jobs", "verbose", "tree_rows"),
    "complete": False,
}  # fmt: skip
_NEIGHBORS: dict[str, Any] = {
    "same": ("n_neighbors",),
    "values": {
        "metric": {"minkowski": "euclidean", "euclidean": "euclidean", "l2": "euclidean"},
        "weights": {"uniform": "uniform", None: "uniform"},
    },
    "checked": ("weights",),
    "without_effect": ("algorithm", "leaf_size", "p"),
    "own": ("streams_per_handle", "batch_size"),
    "complete": False,
    "by_port": True,
}
_LINEAR = ("coef_", "intercept_")

DELEGATED: dict[str, Entry] = {
    "KMeans": Entry(
        "cuml.dask.cluster",
        same=("n_clusters", "max_iter", "tol", "oversampling_factor", "random_state"),
        values={"init": {"k-means||": "k-means||", "scalable-k-means++": "k-means||", "random": "random"}},
        without_effect=("copy_x", "n_init"),
        own=("max_samples_per_batch", "device_buffer_samples", "init_size"),
        fixed={"n_init": 1},  # By default, cuML makes ten runs even with given centres.
        attributes=("cluster_centers_", "inertia_", "n_iter_"),
        faster_here=_in_one_kernel,
    ),
    "PCA": Entry(
        "cuml.dask.decomposition",
        same=("n_components", "whiten"),
        values={"svd_solver": {"auto": "full", "covariance_eigh": "full", "full": "full"}},
        without_effect=("copy", "tol", "iterated_power", "n_oversamples", "power_iteration_normalizer", "random_state"),
        attributes=("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_",
                    "noise_variance_"),
        methods=("transform", "inverse_transform"),
        faster_here=_always,
    ),
    "TruncatedSVD": Entry(
        "cuml.dask.decomposition",
        same=("n_components",),
        without_effect=("algorithm", "n_iter", "n_oversamples", "power_iteration_normalizer", "random_state", "tol"),
        fixed={"algorithm": "full"},
        attributes=("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_"),
        methods=("transform", "inverse_transform"),
        faster_here=_always,
    ),
    "LinearRegression": Entry(
        "cuml.dask.linear_model",
        same=("fit_intercept",),
        without_effect=("copy_X", "tol", "n_jobs"),
        attributes=_LINEAR,
        faster_here=_always,
    ),
    "Lasso": Entry(
        "cuml.dask.linear_model",
        same=("alpha", "fit_intercept", "max_iter", "tol", "selection"),
        without_effect=("copy_X", "precompute", "random_state"),
        fixed={"l1_ratio": 1.0},  # The default of cuml.dask's Lasso is its solver's 0.15, which is another model.
        attributes=_LINEAR,
        faster_here=_always,
    ),
    "ElasticNet": Entry(
        "cuml.dask.linear_model",
        same=("alpha", "l1_ratio", "fit_intercept", "max_iter", "tol", "selection"),
        without_effect=("copy_X", "precompute", "random_state"),
        attributes=_LINEAR,
        faster_here=_always,
    ),
    "LogisticRegression": Entry(
        "cuml.dask.linear_model",
        same=("C", "fit_intercept", "max_iter", "tol"),
        without_effect=("random_state", "n_jobs", "verbose", "solver", "intercept_scaling"),
        attributes=(*_LINEAR, "classes_"),
        label_type="float32",
    ),
    "MultinomialNB": Entry(
        "cuml.dask.naive_bayes",
        same=("alpha", "fit_prior"),
        without_effect=("force_alpha",),
        attributes=("classes_", "class_count_", "feature_count_", "class_log_prior_", "feature_log_prob_"),
        label_type="int32",
        frames=False,
        by_port=True,
    ),
    "RandomForestClassifier": Entry(
        "cuml.dask.ensemble",
        **{**_TREES, "values": {**_TREES["values"], "criterion": {"gini": "gini", "entropy": "entropy"}}},
        renamed={"criterion": "split_criterion", "max_leaf_nodes": "max_leaves"},
        methods=("predict", "predict_proba"),
        label_type="int32",
    ),
    "RandomForestRegressor": Entry(
        "cuml.dask.ensemble",
        **{**_TREES, "values": {**_TREES["values"], "criterion": {"squared_error": "mse", "poisson": "poisson"}}},
        renamed={"criterion": "split_criterion", "max_leaf_nodes": "max_leaves"},
    ),
    "NearestNeighbors": Entry("cuml.dask.neighbors", **_NEIGHBORS, methods=("kneighbors",)),
    "KNeighborsClassifier": Entry(
        "cuml.dask.neighbors",
        **_NEIGHBORS,
        methods=("predict", "predict_proba", "kneighbors"),
        label_type="int32",
    ),
    "KNeighborsRegressor": Entry("cuml.dask.neighbors", **_NEIGHBORS, methods=("predict", "kneighbors")),
    "LabelEncoder": Entry(
        "cuml.dask.preprocessing",
        attributes=("classes_",),
        methods=("transform", "inverse_transform"),
        arrays=False,
        numbers=False,
    ),
    "LabelBinarizer": Entry(
        "cuml.dask.preprocessing",
        same=("neg_label", "pos_label", "sparse_output"),
        attributes=("classes_",),
        methods=("transform", "inverse_transform"),
        frames=False,
        complete=False,
        numbers=False,
    ),
    "OrdinalEncoder": Entry(
        "cuml.dask.preprocessing",
        same=("categories", "dtype"),
        values={
            "handle_unknown": {"error": "error", "use_encoded_value": "ignore"},  # cuML's "ignore" gives NaN.
            "unknown_value": {None: None, np.nan: None},
        },
        checked=("unknown_value",),
        methods=("transform", "inverse_transform"),
        arrays=False,
        complete=False,
        numbers=False,
    ),
    "OneHotEncoder": Entry(
        "cuml.dask.preprocessing",
        same=("categories", "drop", "dtype", "handle_unknown", "sparse_output"),
        methods=("transform", "inverse_transform"),
        complete=False,
        numbers=False,
    ),
}  # fmt: skip
"""Estimators that ``cuml.dask`` has too."""

NOT_DELEGATED: dict[str, str] = {
    "DBSCAN": "cuml.dask's copies all rows to every GPU and takes them from the client's memory only",
    "GaussianNB": "cuML has no multi-GPU version of it, only MultinomialNB",
    "MLPClassifier": "cuML has no neural networks",
    "MaxAbsScaler": "cuML has no multi-GPU version of it",
    "MinMaxScaler": "cuML has no multi-GPU version of it",
    "Ridge": "cuML's multi-GPU version does not expose its coefficients (26.10: coef_ stays None)",
    "StandardScaler": "cuML has no multi-GPU version of it",
}
"""Estimators that ``cuml.dask`` is not used for, and why."""
