"""Decide whether cuML fits an estimator, and let it fit and predict."""

from __future__ import annotations

import inspect
import logging
import re
from importlib import import_module
from typing import Any

import dask
import numpy as np
from sklearn.base import is_classifier, is_regressor

from ...dask_internals.collections import leaving_no_futures, meta
from ...dask_internals.scheduler_information import known_workers
from ..arrays import Collection, Data, Output, PlainModel, on_gpus
from ..errors import NotSupported
from ..rows.table import as_table, beside, is_dask, is_dask_array
from ..rows.waiting import computed, current_client, waiting
from ..settings import configuration
from .catalogue import DELEGATED, NOT_DELEGATED, Entry


class Untranslatable(Exception):
    """cuML does not support this; the message has the reason."""


def options_for(estimator: Any, entry: Entry) -> dict[str, Any]:
    """Return the keyword arguments of cuML's class; raises `Untranslatable` where it does not support a value."""
    given = estimator.get_params(deep=False)
    default = {name: each.default for name, each in inspect.signature(type(estimator)).parameters.items()}
    options = dict(entry.fixed)
    for name, value in given.items():
        if name in entry.values:
            known = _known(name, value, entry.values[name])
            if name not in entry.checked:
                options[entry.renamed.get(name, name)] = known
        elif name in entry.same or (name in entry.own and value is not None):
            options[name] = value
        elif name not in (*entry.own, *entry.without_effect) and not _same(value, default[name]):
            raise Untranslatable(f"{name}: cuML has no multi-GPU version of it. Leave it at {default[name]!r}.")
    name = type(estimator).__name__
    _check_particular(name, given)
    if name == "KMeans" and options["tol"] == 0:
        options["tol"] = float(np.finfo(np.float32).tiny)  # cuML refuses 0, which means: until centres stop moving.
    return options


def _known(name: str, value: Any, known: dict[Any, Any]) -> Any:
    if name == "init" and not isinstance(value, str) and not callable(value):
        return value if hasattr(value, "shape") else np.asarray(value)  # Centres: an array or lists.
    try:
        return known[value]
    except (KeyError, TypeError):
        allowed = ", ".join(repr(each) for each in known)
        raise Untranslatable(f"{name}: cuML supports {allowed} for several GPUs, not {value!r}.") from None


def _check_particular(name: str, given: dict[str, Any]) -> None:
    """Make the checks that the catalogue cannot express."""
    if name == "KMeans" and isinstance(given["init"], str):
        runs = 10 if given["init"] == "random" and given["n_init"] == "auto" else given["n_init"]
        if runs not in {1, "auto"}:
            raise Untranslatable(f"n_init: cuML runs k-means once for several GPUs, not {runs} times. Use n_init=1.")
    if name == "PCA" and not isinstance(given["n_components"], int):
        raise Untranslatable("n_components: cuML needs a whole number for several GPUs.")
    if name == "OrdinalEncoder" and given["handle_unknown"] == "use_encoded_value" and given["unknown_value"] is None:
        raise Untranslatable("unknown_value: is missing.")
    if given.get("metric") == "minkowski" and given.get("p") != 2:
        raise Untranslatable("p: cuML supports Euclidean distances (p=2) only for several GPUs.")
    if name == "MultinomialNB" and np.ndim(given["alpha"]):
        raise Untranslatable("alpha: cuML needs one number for several GPUs.")
    if given.get("random_state") is not None and not isinstance(given["random_state"], int | np.integer):
        raise Untranslatable("random_state: cuML needs a whole number.")


def _same(one: Any, other: Any) -> bool:
    return one is other or bool(np.array_equal(one, other))


def on_host(value: Any) -> Any:
    """Return a fitted attribute as a number or as an array of NumPy."""
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    elif hasattr(value, "get") and hasattr(value, "shape"):
        value = value.get()
    if isinstance(value, float | int | str) or value is None:
        return value
    array = np.asarray(value)
    return array.item() if array.ndim == 0 else array


logger = logging.getLogger("gpucluster.learn")

SHUFFLE = "dataframe.shuffle.method"
_PORT = re.compile(r"^\w+://[^:/]+:\d+$")


def cuml_for(estimator: Any, X: Data, y: Data | None = None, sample_weight: Data | None = None) -> PlainModel | None:
    """Return cuML's estimator to fit instead, or ``None`` to use this package.

    Raises `NotSupported` where the configuration demands cuML, which does not support this.
    """
    engine = configuration().engine
    if engine == "gpucluster" or (engine == "auto" and not (is_dask(X) and on_gpus(X))):
        return None
    entry = DELEGATED.get(type(estimator).__name__)
    if engine == "auto" and entry is not None and entry.faster_here and entry.faster_here(estimator, X):
        return None
    try:
        return _delegate_for(estimator, X, y, sample_weight)
    except Untranslatable as reason:
        if engine == "cuml":
            raise NotSupported(
                f"{type(estimator).__name__} cannot be fitted by cuML: {reason} Or leave the choice to "
                "gpucluster: engine='auto'."
            ) from None
        logger.info("%s is fitted by gpucluster itself, not by cuML: %s", type(estimator).__name__, reason)
        return None


def _delegate_for(estimator: Any, X: Data, y: Data | None, sample_weight: Data | None) -> PlainModel:
    name = type(estimator).__name__
    entry = DELEGATED.get(name)
    if entry is None:
        raise Untranslatable(f"{NOT_DELEGATED.get(name, 'cuML has no multi-GPU version of it')}.")
    if not is_dask(X):
        raise Untranslatable("X is in memory. Make a Dask collection of it.")
    if current_client() is None:
        raise Untranslatable("there is no cluster. Connect first: gpucluster.connect().get_client().")
    if entry.by_port and not all(_PORT.search(address) for address in known_workers(current_client())):
        raise Untranslatable(
            "it identifies workers by host and port, and this cluster's are at unix sockets. Create the cluster with "
            "protocol='tls' or 'tcp' for that."
        )
    if sample_weight is not None:
        raise Untranslatable("sample_weight: is not supported with several GPUs, or changes what inertia_ means.")
    frame = not is_dask_array(X)
    if (frame and not entry.frames) or (not frame and not entry.arrays):
        raise Untranslatable(f"X: must be a Dask {'array' if frame else 'data frame or series'} for several GPUs.")
    if y is not None and not is_dask(y):
        raise Untranslatable("y is in memory. Make it a Dask collection like X.")
    if entry.label_type is not None and y is not None and getattr(y.dtype, "kind", "O") not in "biuf":
        raise Untranslatable(f"y: labels must be numbers for several GPUs, not {y.dtype}. Use LabelEncoder first.")
    options = options_for(estimator, entry)
    return cuml_class(entry.module, name)(client=current_client(), **options)


def cuml_class(module: str, name: str) -> Any:
    """Import a class of cuML without changing Dask's configuration; raises `Untranslatable` if cuML is missing."""
    # On import, cuml.dask makes Dask shuffle by tasks in the whole process.
    before = dask.config.get(SHUFFLE, None)
    try:
        return getattr(import_module(module), name)
    except ImportError as error:
        raise Untranslatable(f"it is not installed ({error}). Install gpucluster[gpu-cu13].") from None
    finally:
        dask.config.set({SHUFFLE: before})


def fit_by_cuml(estimator: Any, delegate: PlainModel, X: Collection, y: Collection | None) -> None:
    """Fit cuML's estimator, keep it in this package's estimator, and copy its fitted attributes."""
    entry = DELEGATED[type(estimator).__name__]
    labels = None
    y = y if is_classifier(estimator) or is_regressor(estimator) else None
    if entry.numbers:
        table = estimator._table(X, y)
        X = X.astype(table.X.dtype) if table.names is not None else table.X
        if entry.label_type is not None and y is not None:
            labels, y = y.dtype, y.astype(entry.label_type)
    elif X.ndim == 2:
        estimator.n_features_in_ = int(X.shape[1])
    with leaving_no_futures():
        delegate.fit(*([X] if y is None else [X, y]))
    for name, value in _fitted_values(fitted_part(delegate), entry.attributes).items():
        setattr(estimator, name, value.astype(labels) if name == "classes_" and labels is not None else value)
    if hasattr(estimator, "explained_variance_ratio_"):
        estimator.n_components_ = len(estimator.components_)
    estimator._delegate = delegate
    estimator._label_type = labels
    estimator._fitted_on = meta(table.X) if entry.numbers else None
    if not entry.complete:
        estimator._not_saved_because = "its model is in cuML's format. Save what get_combined_model() returns."
    if "cluster_centers_" in entry.attributes:
        # cuML's labels_ follow the workers, not the rows of X.
        estimator._training = {"labels": estimator.predict(X)}


def fitted_part(delegate: PlainModel) -> PlainModel:
    """Return the object with cuML's fitted attributes: for Lasso and ElasticNet, their solver."""
    return vars(delegate).get("solver", delegate)


def _fitted_values(model: PlainModel, names: tuple[str, ...]) -> dict[str, Any]:
    """Return fitted attributes, in host memory: all in one task where the model is on a worker.

    cuML fetches each of them with a separate task, which takes 17 ms on an H100.
    """
    from distributed import Future

    held = vars(model).get("internal_model")
    if names and isinstance(held, Future):
        with waiting(current_client()) as scope, leaving_no_futures():
            task = current_client().submit(_read, held, names, pure=False)
            scope.callback(task.release)
            found: dict[str, Any] = task.result()
        return found
    return _read(model, names)


def _read(model: PlainModel, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: on_host(getattr(model, name)) for name in names}


def call_cuml(estimator: Any, method: str, X: Collection, options: dict[str, Any]) -> Output:
    """Call a method of cuML's fitted estimator with a Dask collection; the result is lazy where cuML is lazy."""
    entry = DELEGATED[type(estimator).__name__]
    if entry.numbers and method != "inverse_transform":
        table = as_table(X)
        estimator._check_columns(table.n_features, table.names)
        X = X.astype(table.X.dtype) if table.names is not None else table.X
    result = getattr(estimator._delegate, method)(X, **options)
    return result.astype(estimator._label_type) if method == "predict" and estimator._label_type else result


def call_cuml_for_array(estimator: Any, method: str, X: Any, options: dict[str, Any]) -> Output:
    """Call a method of cuML's estimator with an array in this process: the rows go to a worker and back."""
    import dask.array as da

    like = estimator._fitted_on
    rows, _ = estimator._checked(X, reset=False, dtype=like.dtype)
    answer = call_cuml(estimator, method, beside(da.from_array(rows, chunks=-1), like), options)
    parts = computed(*(answer if isinstance(answer, tuple) else (answer,)))
    found = tuple(map(on_host, parts))
    return found if isinstance(answer, tuple) else found[0]
