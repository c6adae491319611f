"""What several files of tests need: all estimators, an algorithm, refused calls, and an interruption."""

import inspect
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gpucluster.learn as learn
import numpy as np
import pytest
from gpucluster.learn.estimator import DistributedEstimator
from gpucluster.learn.rows.block import Block, Rows

ESTIMATORS: dict[str, Any] = {
    name: cls
    for name in learn.__all__
    if inspect.isclass(cls := getattr(learn, name)) and issubclass(cls, DistributedEstimator)
}
"""All public estimators by name."""


LARGE = 1 << 17
"""Too many numbers for a single read from a socket."""


def _sums(block: Block, scale: float) -> tuple[float, Any, Any]:
    return float(len(block)), scale * block.X.sum(axis=0), np.full(LARGE, scale)


def repeated(rows: Rows, *, times: int = 3, pause: float = 0.0) -> tuple[float, Any, float]:
    """An algorithm that depends on each of its iterations."""
    scale = 1.0
    for _ in range(times):
        time.sleep(pause)
        count, sums, many = rows.total(_sums, scale)
        scale = 1 + 1e-3 * float(sums.sum() / count)
    return count, sums, float(many[-1])


def refused(error: Any, message: str, call: Callable[[], Any]) -> None:
    with pytest.raises(error, match=message):
        call()


@contextmanager
def interrupted(seconds: float) -> Iterator[None]:
    """Send Ctrl-C to this process after some seconds, and expect that it ends the block."""
    timer = threading.Timer(seconds, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        yield
    timer.join()
