"""Parameters, data and fitted attributes, in cuML's words and back."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from .catalogue import Entry


class Untranslatable(Exception):
    """cuML cannot do what is asked for; says what."""


def options_for(estimator: Any, entry: Entry) -> dict[str, Any]:
    """Return the keyword arguments of cuML's class.

    Raises
    ------
    Untranslatable
        A parameter has a value that cuML has nothing for.
    """
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
            raise Untranslatable(f"{name}: cuML has nothing like it for several GPUs. Leave it at {default[name]!r}.")
    name = type(estimator).__name__
    _check_particular(name, given)
    if name == "KMeans" and options["tol"] == 0:
        options["tol"] = float(np.finfo(np.float32).tiny)  # cuML refuses zero: until centres no longer move
    return options


def _known(name: str, value: Any, known: dict[Any, Any]) -> Any:
    if name == "init" and not isinstance(value, str) and not callable(value):
        return value if hasattr(value, "shape") else np.asarray(value)  # centres: of NumPy, CuPy, or in lists
    try:
        return known[value]
    except (KeyError, TypeError):
        allowed = ", ".join(repr(each) for each in known)
        raise Untranslatable(f"{name}: cuML knows {allowed} for several GPUs, not {value!r}.") from None


def _check_particular(name: str, given: dict[str, Any]) -> None:
    """Refuse what the catalogue cannot say."""
    if name == "KMeans" and isinstance(given["init"], str):
        runs = 10 if given["init"] == "random" and given["n_init"] == "auto" else given["n_init"]
        if runs not in {1, "auto"}:
            raise Untranslatable(f"n_init: cuML runs k-means once for several GPUs, not {runs} times. Use n_init=1.")
    if name == "PCA" and not isinstance(given["n_components"], int):
        raise Untranslatable("n_components: cuML needs a whole number for several GPUs.")
    if name == "OrdinalEncoder" and given["handle_unknown"] == "use_encoded_value" and given["unknown_value"] is None:
        raise Untranslatable("unknown_value: is missing.")
    if given.get("metric") == "minkowski" and given.get("p") != 2:
        raise Untranslatable("p: cuML knows Euclidean distances, p=2, for several GPUs.")
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
