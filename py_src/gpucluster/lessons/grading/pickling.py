"""What the referee sends to the kernel: anything, with the learner's own objects as what they are there."""

from __future__ import annotations

import io
from typing import Any

import cloudpickle


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    def __init__(self, file: io.BytesIO, stays: type) -> None:
        super().__init__(file)
        self._stays = stays

    def persistent_id(self, value: Any) -> Any:
        kind: type = type(value)
        if kind is self._stays:
            return ("object", value._handle.number)
        if kind.__module__.startswith(("distributed", "gpucluster")) and _is_client(value):
            return ("client", value.scheduler.address)
        return None


def _is_client(value: Any) -> bool:
    from distributed import Client

    return isinstance(value, Client)


def pickled(value: Any, stays: type) -> bytes:
    """Return a value as bytes.

    Parameters
    ----------
    value
        What to send.
    stays : type
        Class of the stand-ins for objects that lie in the kernel; each has a ``_handle``.
    """
    file = io.BytesIO()
    _Pickler(file, stays).dump(value)
    return file.getvalue()
