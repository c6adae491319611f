"""Save fitted estimators to a file, and load them in another process or on another machine.

A file is a zip archive of NumPy arrays and one JSON document. It contains no code, so unlike a pickle, a file from an
untrusted source can do no harm when it is loaded.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _LAZY
from .arrays import Array
from .errors import InvalidParameter, NotSupported, UnreadableModel
from .estimator import DistributedEstimator
from .trees import is_tree, tree_from, tree_parts

FORMAT = 1
DOCUMENT = "model.json"


def save(estimator: DistributedEstimator, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a file.

    Parameters
    ----------
    estimator : estimator of gpucluster.learn
        Its parameters and fitted attributes are written, not the data that it was fitted to.
    path : str or path-like
        An existing file is replaced once everything is written.

    Raises
    ------
    InvalidParameter
        Not an estimator of this package.
    NotFittedError
        It has not been fitted.
    NotSupported
        It needs its data on the cluster, or has a parameter that cannot be written, such as a function.
    """
    if type(estimator).__name__ not in _LAZY or not isinstance(estimator, DistributedEstimator):
        raise InvalidParameter(
            f"estimator: must be from gpucluster.learn, not {type(estimator).__name__}. Use joblib for other objects."
        )
    check_is_fitted(estimator)
    if estimator._not_saved_because:
        raise NotSupported(f"{type(estimator).__name__} cannot be saved: {estimator._not_saved_because}")
    arrays: list[Array] = []
    attributes = {
        name: value
        for name, value in vars(estimator).items()
        if name in estimator.get_params(deep=False) or not name.startswith("_")
    }
    document = {
        "format": FORMAT,
        "class": type(estimator).__name__,
        "attributes": {name: _written(value, name, arrays) for name, value in attributes.items()},
    }
    temporary = f"{os.fspath(path)}.{os.getpid()}.tmp"
    try:
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(DOCUMENT, json.dumps(document))
            for number, array in enumerate(arrays):
                with archive.open(f"{number}.npy", "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, array, allow_pickle=False)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def load(path: str | os.PathLike[str]) -> Any:
    """Return the estimator that was saved to a file; it predicts as before.

    Parameters
    ----------
    path : str or path-like
        Written by `save`.

    Raises
    ------
    UnreadableModel
        The file is something else, is damaged, or was written by a newer version.
    FileNotFoundError
        There is no such file.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            document = json.loads(archive.read(DOCUMENT))
            if document["format"] != FORMAT:
                raise UnreadableModel(f"{path} was written by a newer version of gpucluster. Upgrade to that version.")
            name = document["class"]
            cls = getattr(import_module(f"gpucluster.learn.{_LAZY[name]}"), name) if name in _LAZY else None
            if not (isinstance(cls, type) and issubclass(cls, DistributedEstimator)):
                raise UnreadableModel(f"{path} does not contain an estimator of gpucluster.learn, but {name!r:.60}.")
            values = {name: _read(value, archive) for name, value in document["attributes"].items()}
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, AttributeError, EOFError) as error:
        if isinstance(error, UnreadableModel):
            raise
        raise UnreadableModel(f"{path} was not written by gpucluster.learn.save, or is corrupted.") from error
    names = cls().get_params(deep=False)
    estimator = cls(**{name: value for name, value in values.items() if name in names})
    for name, value in values.items():
        if name not in names:
            if name.startswith("_") or not name.isidentifier() or callable(getattr(cls, name, None)):
                raise UnreadableModel(f"{path} was not written by gpucluster.learn.save, or is corrupted.")
            setattr(estimator, name, value)
    return estimator


def _written(value: Any, name: str, arrays: list[Array]) -> Any:
    """Return a value as JSON; arrays are appended to ``arrays`` and replaced by their numbers."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.generic):
        value = value.item() if isinstance(value, np.str_ | np.bool_) else np.asarray(value)
        if not isinstance(value, np.ndarray):
            return value
        arrays.append(value)
        return {"scalar": len(arrays) - 1}
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            return {"objects": [_written(item, name, arrays) for item in value.ravel()], "shape": list(value.shape)}
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [_written(item, name, arrays) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[_written(key, name, arrays), _written(item, name, arrays)] for key, item in value.items()]}
    if isinstance(value, type) and issubclass(value, np.generic):
        return {"type": np.dtype(value).name}
    if is_tree(value):
        return {"tree": _written(tree_parts(value), name, arrays)}
    raise NotSupported(
        f"{name}: {type(value).__name__} cannot be saved. Use numbers, strings, arrays, or lists of these; for "
        "random_state, a number."
    )


def _read(value: Any, archive: zipfile.ZipFile) -> Any:
    """Return the value of JSON from `_written`."""
    if not isinstance(value, dict):
        return value
    [(kind, content)] = [(kind, content) for kind, content in value.items() if kind != "shape"]
    if kind in {"array", "scalar"}:
        # A copy, because arrays read from an archive are read-only.
        array = np.lib.format.read_array(io.BytesIO(archive.read(f"{int(content)}.npy")), allow_pickle=False)
        return array[()] if kind == "scalar" else array
    if kind == "float":
        return float.fromhex(content)
    if kind == "type":
        return np.dtype(str(content)).type
    if kind == "dict":
        return {_read(key, archive): _read(item, archive) for key, item in content}
    if kind == "tree":
        return tree_from(_read(content, archive))
    items = [_read(item, archive) for item in content]
    if kind == "objects":
        array = np.empty(len(items), dtype=object)
        array[:] = items
        return array.reshape(value["shape"])
    return {"list": list, "tuple": tuple}[kind](items)
