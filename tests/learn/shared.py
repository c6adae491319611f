"""What several files of tests need: the list of all estimators, refused calls, and an interruption."""

from __future__ import annotations

import inspect
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gpucluster.learn as learn
import pytest
from gpucluster.learn.estimator import DistributedEstimator

ESTIMATORS: dict[str, Any] = {
    name: cls
    for name in learn.__all__
    if inspect.isclass(cls := getattr(learn, name)) and issubclass(cls, DistributedEstimator)
}
"""All public estimators by name."""


def refused(error: Any, message: str, call: Callable[[], Any]) -> None:
    """Expect that a call raises an error whose message matches."""
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
