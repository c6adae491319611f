"""What the grader sends to the kernel: anything, with the learner's own objects as what they are there."""

from __future__ import annotations

import io
import time
from typing import TYPE_CHECKING, Any

import cloudpickle

if TYPE_CHECKING:
    from distributed import Future

_LONGEST_WAIT_S = 10.0


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    def __init__(self, file: io.BytesIO, stays: tuple[type, ...]) -> None:
        super().__init__(file)
        self._stays = stays
        self.futures: list[Future[Any]] = []

    def persistent_id(self, value: Any) -> tuple[str, int | str] | None:
        kind: type = type(value)
        if kind in self._stays:
            return ("object", value._handle.number)
        if kind.__name__ == "Future" and kind.__module__.startswith("distributed"):
            self.futures.append(value)
        if kind.__module__.startswith(("distributed", "gpucluster")) and _is_client(value):
            return ("client", value.scheduler.address)
        return None


def _is_client(value: Any) -> bool:
    from distributed import Client

    return isinstance(value, Client)


def pickled(value: Any, stays: tuple[type, ...]) -> bytes:
    """Return a value as bytes. The scheduler knows the futures in it by then.

    Parameters
    ----------
    value
        What to send.
    stays : tuple of type
        Classes of the stand-ins for objects that lie in the kernel; each has a ``_handle``.
    """
    file = io.BytesIO()
    pickler = _Pickler(file, stays)
    pickler.dump(value)
    if pickler.futures:
        _until_known(pickler.futures)
    return file.getvalue()


def _until_known(futures: list[Future[Any]]) -> None:
    """Wait until the scheduler has heard of futures of ours.

    The kernel has a connection of its own. A task of the learner that uses such a future may arrive before the future
    does, and would be cancelled for "lost dependencies".
    """
    client, keys = futures[0].client, [future.key for future in futures]
    deadline = time.monotonic() + _LONGEST_WAIT_S
    while time.monotonic() < deadline:
        # Of this function, which pickle takes along: the scheduler's process is not to import the grader.
        if client.run_on_scheduler(lambda dask_scheduler, keys: set(keys) <= set(dask_scheduler.tasks), keys=keys):
            return
        time.sleep(0.02)
