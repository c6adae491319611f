"""``capped(function, …)`` runs a function in a separate process with limited memory."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dask.utils import parse_bytes

from ....protocol.sizes import format_size

_POLL_SECONDS = 0.05
# Allocators of libraries reserve far more addresses than they use, once per thread; the cap counts addresses.
_FRUGAL = {
    "MALLOC_ARENA_MAX": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}


@dataclass(frozen=True)
class Outcome:
    """How a function ended that ran under a cap.

    Attributes
    ----------
    survived : bool
        Whether it returned.
    value : object
        What it returned.
    kind, message : str
        Type and text of the error, when it did not.
    limit_bytes, peak_bytes : int
        Memory it was allowed, and the most it used, both beyond what its libraries need; 0 when it is not known.
    seconds : float
        Time that the function took; 0 when it did not end.
    """

    survived: bool
    value: Any
    kind: str
    message: str
    limit_bytes: int
    peak_bytes: int
    seconds: float

    @property
    def out_of_memory(self) -> bool:
        """Whether the cap ended it."""
        return self.kind == "MemoryError"

    def result(self) -> Any:
        """Return the value, or raise the error that ended the function.

        Raises
        ------
        MemoryError
            It needed more than it was allowed.
        RuntimeError
            It failed for another reason.
        """
        if self.survived:
            return self.value
        if self.out_of_memory:
            raise MemoryError(self.message)
        raise RuntimeError(f"{self.kind}: {self.message}")

    def __repr__(self) -> str:
        cap = f"cap {format_size(self.limit_bytes)}"
        if not self.survived:
            return f"✗ {self.kind}: {self.message} ({cap})"
        return f"✓ returned {self.value!r} (at most {format_size(self.peak_bytes)} used, {cap}, {self.seconds:.1f} s)"


def capped(
    function: Callable[..., Any],
    *args: Any,
    limit: int | str = "600 MB",
    imports: Sequence[str] = ("pandas", "pyarrow.parquet"),
    timeout: float = 60,
) -> Outcome:
    """Run a function in a new process that may use only so much memory.

    The cap is real: the operating system refuses more addresses, so that the function sees a `MemoryError`. Where it
    cannot refuse (macOS), and where a library does not cope with that, the process is ended as soon as it uses more.

    Parameters
    ----------
    function : callable
        It and its arguments are sent to the process, so functions of a notebook will do.
    *args
        Its arguments.
    limit : int or str
        Bytes, or a size such as ``"600 MB"``, beyond what the imported libraries need.
    imports : sequence of str
        Libraries to import before the cap is set.
    timeout : float
        Seconds after which the process is ended.
    """
    import cloudpickle

    limit_bytes = int(parse_bytes(limit))
    order = cloudpickle.dumps((function, args, limit_bytes, tuple(imports)))
    with tempfile.TemporaryDirectory() as folder:
        # Files and not pipes: a process that is ended while it writes leaves no one waiting.
        asked, answered, said = (Path(folder) / name for name in ("asked", "answered", "said"))
        asked.write_bytes(order)
        with said.open("wb") as output:
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    f"{__package__}.capped_process",
                    str(asked),
                    str(answered),
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, **_FRUGAL},
            )
        try:
            ended_by = _watch(process, limit_bytes, answered.with_suffix(".ready"), timeout)
        finally:
            process.kill()
            process.wait()
        if answered.exists():
            return Outcome(limit_bytes=limit_bytes, **pickle.loads(answered.read_bytes()))  # noqa: S301 (our own process)
        return _ended(ended_by or _last_line(said), limit_bytes)


def _watch(process: subprocess.Popen[bytes], limit: int, ready: Path, timeout: float) -> str:
    """Wait until the process ends; end it when it uses too much. Return why, when that was so."""
    import psutil

    started, before = time.monotonic(), 0
    while process.poll() is None:
        if time.monotonic() - started > timeout:
            return f"it did not end within {timeout:g} seconds"
        before = before or _number(ready)
        try:
            used = psutil.Process(process.pid).memory_info().rss
        except psutil.Error:
            continue
        if before and used - before > limit:
            return f"the process used more than {format_size(limit)} and was killed"
        time.sleep(_POLL_SECONDS)
    return ""


def _number(file: Path) -> int:
    try:
        return int(file.read_text(encoding="ascii") or 0)
    except OSError:
        return 0


def _last_line(said: Path) -> str:
    lines = said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return f"a library gave up: {lines[-1][:300]}" if lines else "the process ended without a message"


def _ended(why: str, limit: int) -> Outcome:
    slow = why.startswith("it did not end")
    return Outcome(False, None, "TimeoutError" if slow else "MemoryError", why, limit, 0, 0.0)
