"""Decide whether cuML fits an estimator, and the decorator that lets cuML run an estimator's methods."""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any, TypeVar

import dask
import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted

from ...dask_internals.collections import leaving_no_futures, meta
from ...dask_internals.scheduler_information import known_workers
from ..arrays import Collection, Data, Output, PlainModel, on_gpus
from ..errors import NotSupported
from ..keywords import computing_with, in_our_words, names_of, with_option
from ..rows.table import as_table, beside, is_dask, is_dask_array
from ..rows.waiting import computed, current_client, persisted, waiting
from ..settings import configuration
from .catalogue import DELEGATED, NOT_DELEGATED, Entry

Method = TypeVar("Method", bound=Callable[..., Any])


def delegable(method: Method) -> Method:
    """Run a method with cuML, where cuML is chosen and supports it; see `gpucluster.learn.delegation`.

    Belongs on each public method of an estimator that takes data, and on ``get_combined_model``:

    * ``fit`` chooses by the configuration. Its parameters are the data, then perhaps ``y`` and ``sample_weight``.
    * ``get_combined_model`` returns cuML's model where cuML has fitted.
    * ``partial_fit`` continues without cuML.
    * ``fit_predict``, ``fit_transform`` and ``score`` call these. The first two take ``delayed``; see below.
    * Others, such as ``predict``, call cuML where it has fitted and the data are on Dask. As in cuML, they take one
      more keyword, ``delayed``: with ``False``, lazy results are computed on the workers at once.

    All of them compute with the estimator's client, and take the keywords of `gpucluster.learn.keywords`. Apart from
    that, name and signature stay those of the method, which runs without cuML.
    """
    others: dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
        "fit": _fitting, "partial_fit": _refining, "get_combined_model": _combining, "score": lambda score: score,
        "fit_predict": _answering, "fit_transform": _answering,
    }  # fmt: skip
    make = others.get(method.__name__, _calling)
    # Methods of cuML get its own keywords.
    made = make(_in_our_words(method)) if make is _calling else _in_our_words(make(method), method)

    @wraps(method)
    def on_client(self: Any, *arguments: Any, **options: Any) -> Any:
        with computing_with(self._client):
            return made(self, *arguments, **options)

    wrapped: Any = on_client
    wrapped.is_delegable = True
    if make in {_calling, _answering}:
        wrapped.__signature__ = with_option(method, DELAYED)
    return wrapped


DELAYED = inspect.Parameter("delayed", inspect.Parameter.KEYWORD_ONLY, default=True, annotation=bool)


_ROWS = "Dask array or data frame, or array, of shape"
_LAZY = "lazy where X is lazy."
_TAKES = {
    "X": f"X : {_ROWS} (n_samples, n_features)",
    "sample_weight": "sample_weight : Dask array or series, or array, of shape (n_samples,), optional",
    "classes": "classes : array of shape (n_classes,), optional\n    All that will occur; needed in the first call.",
    "copy": "copy\n    Without effect.",
}
_IGNORED = "y\n    Ignored."
_LABELS = "y : Dask array or series, or array, of shape (n_samples,)\n    Labels: numbers, strings or categories."
_NUMBERS = f"y : {_ROWS} (n_samples,) or (n_samples, n_targets)\n    Numbers."
_PROBABILITIES = f"{_ROWS} (n_samples, n_classes)\n    In the order of ``classes_``; {_LAZY}"
_RETURNS = {
    "transform": f"{_ROWS} (n_samples, n_features_out)\n    Lazy where X is lazy.",
    "predict_proba": _PROBABILITIES,
    "predict_log_proba": _PROBABILITIES,
    "inverse_transform": f"{_ROWS} (n_samples, n_features)\n    Of the type of X; {_LAZY}",
}
_CLASSES = f"Dask array, series or array of shape (n_samples,)\n    Of the type of ``classes_``; {_LAZY}"
_PREDICTION = f"{_ROWS} (n_samples,) or (n_samples, n_targets)\n    Lazy where X is lazy."
_FIT_RAISES = """InvalidData
    The data cannot be used: they are not finite, too few, too wide, or do not fit together.
InvalidParameter, NotSupported
    An option is not allowed or not supported."""
_RAISES = """sklearn.exceptions.NotFittedError
    Nothing was fitted.
ValueError
    X does not have the columns seen in `fit` (``InvalidData`` on Dask), or holds NaN or infinity that `fit` refuses."""
_FITS = {"fit", "partial_fit", "fit_predict", "fit_transform"}
_SECTION = re.compile(r"^(\w+)\n-+\n", re.MULTILINE)


_PARAMETERS = {
    "fit_intercept": "fit_intercept : bool",
    "positive": "positive : bool\n    Allow no negative coefficients.",
    "warm_start": "warm_start : bool\n    Begin with the coefficients of the last fit.",
    **{name: f"{name} : bool\n    Without effect: the data are never changed." for name in ("copy", "copy_X")},
}
_ATTRIBUTES = "n_features_in_ : int\nfeature_names_in_ : array of str\n    For data frames."


def completed_class_docstring(cls: type) -> str:
    """Return the docstring of an estimator, completed with parameters and attributes that several of them have."""
    head, sections = _divided(cls.__doc__)
    parameters = inspect.signature(cls).parameters
    described = re.findall(r"\w+", " ".join(re.findall(r"^\w[\w, ]*", sections.get("Parameters", ""), re.MULTILINE)))
    shared = [text for name, text in _PARAMETERS.items() if name in parameters and name not in described]
    if shared:
        sections["Parameters"] = "\n".join([sections["Parameters"].strip("\n"), *shared])
    if "X" in inspect.signature(cls.fit).parameters:  # type: ignore[attr-defined]
        sections["Attributes"] = "\n".join([sections["Attributes"].strip("\n"), _ATTRIBUTES])
    return _united(head, sections)


def _divided(docstring: str | None) -> tuple[str, dict[str, str]]:
    """Return the beginning of a docstring, and its sections by their titles."""
    head, *parts = _SECTION.split(inspect.cleandoc(docstring or ""))
    return head, dict(zip(parts[::2], parts[1::2], strict=True))


def _united(head: str, sections: dict[str, str]) -> str:
    parts = [f"{title}\n{'-' * len(title)}\n{text.strip(chr(10))}" for title, text in sections.items() if text]
    return "\n\n".join([head.strip(), *parts])


def completed_docstring(cls: type, method: Callable[..., Any]) -> str:
    """Return the docstring of a method, completed with the sections that are the same for all estimators."""
    head, sections = _divided(method.__doc__)
    name, parameters = method.__name__, inspect.signature(method).parameters
    if not {"X", "y"} & parameters.keys():
        return method.__doc__ or ""
    needed = _NUMBERS if issubclass(cls, RegressorMixin) else _LABELS
    takes = _TAKES | {
        "y": needed if "y" in parameters and parameters["y"].default is inspect.Parameter.empty else _IGNORED
    }
    returns = dict(_RETURNS)
    if issubclass(cls, ClassifierMixin | RegressorMixin):
        returns["predict"] = _CLASSES if issubclass(cls, ClassifierMixin) else _PREDICTION
    common = {
        "Parameters": "\n".join(takes[each] for each in parameters if each in takes),
        "Returns": returns.get(name, ""),
        "Raises": _FIT_RAISES if name in _FITS else _RAISES if "X" in parameters else "",
    }
    return _united(head, common | sections)


def is_delegable(method: Any) -> bool:
    """Whether a method has the decorator, also beneath wrappers of scikit-learn."""
    found: Any = inspect.unwrap(method, stop=lambda each: getattr(each, "is_delegable", False))
    return bool(getattr(found, "is_delegable", False))


def _forget_delegate(estimator: Any) -> None:
    for name in ("_delegate", "_label_type", "_fitted_on", "_not_saved_because"):
        vars(estimator).pop(name, None)


def _fitting(fit: Callable[..., Any]) -> Callable[..., Any]:
    names = _parameters(fit)

    def fit_somewhere(self: Any, *arguments: Any, **options: Any) -> Any:
        _forget_delegate(self)
        given = dict(zip(names, arguments, strict=False)) | options
        complete = names[0] in given and given.keys() <= set(names)
        data: Any = given.get(names[0])
        others = {name: given[name] for name in names[1:] if name in given}
        delegate = cuml_for(self, data, **others) if complete else None
        if delegate is None:
            self._check_parameters()
            return fit(self, *arguments, **options)
        fit_by_cuml(self, delegate, data, given.get("y"))
        return self

    return fit_somewhere


def _in_our_words(call: Callable[..., Any], method: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Let ``call`` take the keywords of other libraries besides those of ``method``, by default its own."""
    method = method or call
    name, own = method.__name__, {*_parameters(method), "delayed"}

    @wraps(method)
    def understand(self: Any, *arguments: Any, **options: Any) -> Any:
        if options.keys() <= own:
            return call(self, *arguments, **options)
        return call(self, *arguments, **in_our_words(names_of(type(self), name), own, options))

    return understand


def _answering(method: Callable[..., Any]) -> Callable[..., Any]:
    def answer_here(self: Any, *arguments: Any, delayed: bool = True, **options: Any) -> Any:
        answer = method(self, *arguments, **options)
        return answer if delayed else _computed_on_workers(answer)

    return answer_here


def _refining(refine: Callable[..., Any]) -> Callable[..., Any]:
    def refine_here(self: Any, *arguments: Any, **options: Any) -> Any:
        _forget_delegate(self)
        self._check_parameters()
        return refine(self, *arguments, **options)

    return refine_here


def _calling(method: Callable[..., Any]) -> Callable[..., Any]:
    names = _parameters(method)

    def call(self: Any, *arguments: Any, delayed: bool = True, **options: Any) -> Any:
        answer = call_somewhere(self, *arguments, **options)
        return answer if delayed else _computed_on_workers(answer)

    def call_somewhere(self: Any, *arguments: Any, **options: Any) -> Any:
        if vars(self).get("_delegate") is None:
            check_is_fitted(self)
            return method(self, *arguments, **options)
        entry = DELEGATED[type(self).__name__]
        given = dict(zip(names, arguments, strict=False)) | options
        data = given.pop(names[0], None)
        if is_dask(data) and method.__name__ in entry.methods:
            return call_cuml(self, method.__name__, data, given)
        if entry.complete:
            return method(self, *arguments, **options)
        if entry.numbers and method.__name__ in entry.methods and data is not None:
            return call_cuml_for_array(self, method.__name__, data, given)
        raise NotSupported(
            f"{type(self).__name__}.{method.__name__}: cuML has fitted this estimator and needs Dask collections for "
            f"{', '.join(entry.methods)}. For arrays, use get_combined_model()."
        )

    return call


def _computed_on_workers(answer: Any) -> Any:
    """Compute the lazy parts of a result, and keep them on the workers."""
    with waiting(current_client(), answer) as scope:
        [found] = persisted(scope, answer)
        scope.pop_all()
    return found


def _combining(combine: Callable[..., Any]) -> Callable[..., Any]:
    def combine_somewhere(self: Any) -> Any:
        delegate = vars(self).get("_delegate")
        if delegate is None:
            check_is_fitted(self)
            return combine(self)
        return fitted_part(delegate).get_combined_model()

    return combine_somewhere


def _parameters(method: Callable[..., Any]) -> list[str]:
    """Return the names of a method's parameters, without ``self``."""
    return list(inspect.signature(method).parameters)[1:]


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
            raise Untranslatable(f"{name}: cuML has no multi-GPU version of it. Keep the default, {default[name]!r}.")
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
        raise Untranslatable(f"{name}: on multiple GPUs, cuML supports {allowed}, not {value!r}.") from None


def _check_particular(name: str, given: dict[str, Any]) -> None:
    """Make the checks that the catalogue cannot express."""
    if name == "KMeans" and isinstance(given["init"], str):
        runs = 10 if given["init"] == "random" and given["n_init"] == "auto" else given["n_init"]
        if runs not in {1, "auto"}:
            raise Untranslatable(f"n_init: on multiple GPUs, cuML runs k-means once, not {runs} times. Use n_init=1.")
    if name == "PCA" and not isinstance(given["n_components"], int):
        raise Untranslatable("n_components: on multiple GPUs, cuML requires a whole number.")
    if name == "OrdinalEncoder" and given["handle_unknown"] == "use_encoded_value" and given["unknown_value"] is None:
        raise Untranslatable("unknown_value: is missing.")
    if given.get("metric") == "minkowski" and given.get("p") != 2:
        raise Untranslatable("p: on multiple GPUs, cuML supports only Euclidean distances (p=2).")
    if name == "MultinomialNB" and np.ndim(given["alpha"]):
        raise Untranslatable("alpha: on multiple GPUs, cuML requires a single number.")
    if given.get("random_state") is not None and not isinstance(given["random_state"], int | np.integer):
        raise Untranslatable("random_state: cuML requires a whole number.")


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
    """Return cuML's estimator, or ``None``; raises `NotSupported` where only cuML is allowed but lacks this."""
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
                f"{type(estimator).__name__} cannot be fitted by cuML: {reason} Or let gpucluster choose: "
                "engine='auto'."
            ) from None
        logger.info("%s is fitted by gpucluster itself, not by cuML: %s", type(estimator).__name__, reason)
        return None


def _delegate_for(estimator: Any, X: Data, y: Data | None, sample_weight: Data | None) -> PlainModel:
    name = type(estimator).__name__
    entry = DELEGATED.get(name)
    if entry is None:
        raise Untranslatable(f"{NOT_DELEGATED.get(name, 'cuML has no multi-GPU version of it')}.")
    if not is_dask(X):
        raise Untranslatable("X is in memory. Convert it to a Dask collection.")
    if current_client() is None:
        raise Untranslatable("there is no cluster. Connect first: gpucluster.connect().get_client().")
    if entry.by_port and not all(_PORT.search(address) for address in known_workers(current_client())):
        raise Untranslatable(
            "it identifies workers by host and port, and this cluster's are at unix sockets. Create the cluster with "
            "protocol='tls' or 'tcp' for that."
        )
    if sample_weight is not None:
        raise Untranslatable("sample_weight: is not supported on multiple GPUs, or changes the meaning of inertia_.")
    frame = not is_dask_array(X)
    if (frame and not entry.frames) or (not frame and not entry.arrays):
        raise Untranslatable(f"X: must be a Dask {'array' if frame else 'data frame or series'} on multiple GPUs.")
    if y is not None and not is_dask(y):
        raise Untranslatable("y is in memory. Convert it to a Dask collection like X.")
    if entry.label_type is not None and y is not None and getattr(y.dtype, "kind", "O") not in "biuf":
        raise Untranslatable(f"y: on multiple GPUs, labels must be numbers, not {y.dtype}. Use LabelEncoder first.")
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
