"""Threads of one rank: who divides the work, and what BLAS may do meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_lock = threading.Lock()
_inside = 0
_limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread only, because the caller's own threads keep all cores busy.

    Holds for the whole process, until the last of those who asked for it has left.
    """
    global _inside, _limit
    with _lock:
        _inside += 1
        if _inside == 1:
            _limit = _controller().limit(limits=1, user_api="blas")
            _limit.__enter__()
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limit.__exit__(None, None, None)
                _limit = None


def available_threads() -> int:
    """Return how many threads this process may use: cores, or fewer where ``OMP_NUM_THREADS`` says so."""
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

    return int(_openmp_effective_n_threads())


@cache
def _controller() -> Any:
    """Return what knows the BLAS libraries; looking for them takes milliseconds, so it is done once."""
    import scipy.linalg.cython_blas  # noqa: F401  (loads SciPy's BLAS, which scikit-learn's kernels use)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
