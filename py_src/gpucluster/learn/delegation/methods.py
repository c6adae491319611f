"""The decorator that lets cuML run an estimator's methods where it is chosen."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ..errors import NotSupported
from ..keywords import computing_with, in_our_words, names_of, with_option
from ..rows.table import is_dask
from ..rows.waiting import current_client, persisted, waiting
from .catalogue import DELEGATED
from .fitting import call_cuml, call_cuml_for_array, cuml_for, fit_by_cuml, fitted_part

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
