"""Dask's own performance report, as one flag."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from distributed import Client, performance_report

_ANSWER_SECONDS = 60


class DaskReport:
    """Wraps ``distributed.performance_report`` around the measured code.

    Parameters
    ----------
    client : distributed.Client
        The measuring one.
    file : Path
        Where to write it: an HTML page that loads BokehJS from the network, as Dask makes it.
    """

    def __init__(self, client: Client, file: Path) -> None:
        self._client = client
        self._file = file
        self._report: Any = performance_report(filename=str(file))
        self._do(self._report.__aenter__)

    def stop(self) -> str:
        """Write the file; returns what became of it, in a sentence."""
        try:
            # Its way to the calling code leads through frames that are this package's.
            self._do(self._report.__aexit__, None, None, None, code="The profiled code.")
        except Exception as error:
            # The scheduler may be gone, or the disk full; the figures are worth more than this file.
            return f"Dask's performance report could not be written to {self._file}: {error or type(error).__name__}."
        return f"Dask's performance report is in {self._file}."

    def _do(self, step: Any, *args: Any, **options: Any) -> None:
        async def as_current() -> None:
            with self._client.as_current():
                await step(*args, **options)

        self._client.sync(as_current, callback_timeout=_ANSWER_SECONDS)
