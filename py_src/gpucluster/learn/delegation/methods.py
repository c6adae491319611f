"""Methods of estimators that let cuML answer where cuML has fitted."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..errors import NotSupported
from ..rows.table import is_dask
from .catalogue import DELEGATED

ASKED = ("predict", "predict_proba", "transform", "inverse_transform", "kneighbors")


def through_cuml(cls: type) -> None:
    """Wrap the methods that a class of estimators defines itself.

    Parameters
    ----------
    cls : type
        Its ``fit`` takes data and perhaps labels and weights; what it does for data on the CPU stays as it is.
    """
    for name, make in [("fit", _fitting), ("get_combined_model", _combining), *[(name, _asking) for name in ASKED]]:
        if name in vars(cls):
            setattr(cls, name, make(vars(cls)[name]))


def _fitting(fit: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(fit)
    def fit_somewhere(self: Any, *arguments: Any, **options: Any) -> Any:
        from .fitting import cuml_for, fit_by_cuml

        for name in ("_delegate", "_label_type", "_kept_elsewhere"):
            vars(self).pop(name, None)
        given = dict(zip(("X", "y", "sample_weight"), arguments, strict=False)) | options
        if "X" not in given and arguments == () and "y" in given:  # encoders of labels
            given = {"X": given["y"]}
        delegate = cuml_for(self, **given) if given.keys() <= {"X", "y", "sample_weight"} and "X" in given else None
        if delegate is None:
            return fit(self, *arguments, **options)
        fit_by_cuml(self, delegate, given["X"], given.get("y"))
        return self

    return fit_somewhere


def _asking(ask: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(ask)
    def ask_somewhere(self: Any, *arguments: Any, **options: Any) -> Any:
        if vars(self).get("_delegate") is None:
            return ask(self, *arguments, **options)
        from .fitting import ask_cuml

        entry = DELEGATED[type(self).__name__]
        data = arguments[0] if arguments else next(iter(options.values()), None)
        if is_dask(data) and ask.__name__ in entry.methods:
            named = options if arguments else dict(list(options.items())[1:])
            return ask_cuml(self, ask.__name__, data, named)
        if entry.complete:
            return ask(self, *arguments, **options)
        raise NotSupported(
            f"{type(self).__name__}.{ask.__name__}: cuML has fitted this estimator and needs Dask collections for "
            f"{', '.join(entry.methods)}. For arrays, use get_combined_model()."
        )

    return ask_somewhere


def _combining(combine: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(combine)
    def combine_somewhere(self: Any) -> Any:
        delegate = vars(self).get("_delegate")
        if delegate is None:
            return combine(self)
        from .fitting import fitted_part

        return fitted_part(delegate).get_combined_model()

    return combine_somewhere
