"""A ping-pong: messages to an address where they are sent back, and the process that sends them back."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ...dask_internals.comms import payload

_LEAST, _MOST, _SECONDS, _WAIT_SECONDS = 4, 25, 0.12, 20


async def ping(address: str, sizes: Sequence[int], **keys: Any) -> tuple[tuple[float, ...], bool]:
    """Send messages to an address where they are sent back.

    Returns
    -------
    seconds : tuple of float
        One way, for each size.
    same_object : bool
        Whether the array that comes back is the one that was sent.
    """
    from distributed.comm.core import connect

    comm = await connect(address, deserialize=False, **keys)
    seconds, same = [], True
    try:
        for size in sizes:
            array = np.arange(size, dtype=np.uint8)
            taken: list[float] = []
            while len(taken) < _LEAST or (len(taken) < _MOST and sum(taken) < _SECONDS):
                began = time.perf_counter()
                await comm.write({"x": payload(array)})
                back = await comm.read()
                taken.append(time.perf_counter() - began)
                same = same and getattr(back["x"], "data", None) is array
            # The first one also makes room. Of the others the shortest: other programs can only make one longer.
            seconds.append(min(taken[1:]) / 2)
    finally:
        await comm.close()
    return tuple(seconds), same


def new_credentials() -> dict[str, str]:
    """Return a certificate and its key, of which only this run knows."""
    from distributed.security import Security

    made = Security.temporary()
    keys = made.get_tls_config_for_role("client")
    return {"ca": str(made.tls_ca_file), "cert": str(keys["cert"]), "key": str(keys["key"])}


class EchoProcess:
    """The process at the other end, for the time of a ``with`` block.

    Parameters
    ----------
    told : dict
        Where to listen, and with which credentials; see `echoing`.

    Attributes
    ----------
    addresses : dict
        By transport; where it refused, ``"! "`` and the reason.
    """

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told
        self.addresses: dict[str, str] = {}

    def __enter__(self) -> EchoProcess:
        # Credentials go through the pipe: no command line and no file shows them.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "gpucluster.lessons.probes.echoing"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(self._told) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self._end()
            raise RuntimeError("the process at the other end did not start")
        self.addresses = json.loads(line)
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        with suppress(subprocess.TimeoutExpired, OSError):
            self._process.communicate(timeout=_WAIT_SECONDS)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
