"""Code that works on NumPy and CuPy arrays alike."""

from __future__ import annotations

from typing import Any

import numpy as np


def array_namespace_of(array: Any) -> Any:
    """Return the module whose functions take this array: ``numpy``, or ``cupy`` for an array on a GPU."""
    if type(array).__module__.partition(".")[0] == "cupy":
        import cupy

        return cupy
    return np


def to_numpy(array: Any) -> Any:
    """Return an array in this computer's memory; one that is there already is not copied."""
    return array.get() if type(array).__module__.partition(".")[0] == "cupy" else np.asarray(array)
