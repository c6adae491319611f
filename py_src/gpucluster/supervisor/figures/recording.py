"""The recording of a cluster by its own process, which continues without any page or kernel."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from ...protocol.errors import InvalidState
from ...protocol.models import ClusterModel, RunningRecording
from ...protocol.plain_text import counted
from ...recordings.line_recorder import LineRecorder
from ...registry.record import now
from ..activity.activity_log import ActivityLog
from ..state_store import StateStore
from .sampler import Sampler

logger = logging.getLogger("gpucluster.supervisor")


class ClusterRecording:
    """Records the cluster to one file at a time, which no other user may read and which replaces none."""

    def __init__(self, store: StateStore, activity_log: ActivityLog) -> None:
        self._store = store
        self._activity_log = activity_log
        self._recorder: LineRecorder | None = None
        self._beginning: asyncio.Task[None] | None = None
        self._begun = asyncio.Lock()  # Held until a recording has begun or failed to.
        self._ending: asyncio.Task[None] | None = None

    async def begin(self, sampler: Sampler, file: str, by: str | None) -> ClusterModel:
        """Start recording; returns when the first sample is written."""
        model = self._store.model
        if self._recorder is not None:
            raise InvalidState(f"The cluster '{model.name}' is already being recorded: {self._recorder.path.name}.")
        recorder = LineRecorder(
            file, model.name, sampler.listen, lambda: self._store.model, title=model.name, private=True
        )
        self._recorder = recorder
        async with self._begun:
            beginning = self._beginning = asyncio.create_task(recorder.start())
            try:
                await asyncio.wait({beginning})
                if beginning.cancelled():
                    raise InvalidState(f"The recording of '{model.name}' was stopped before its first sample.")
                beginning.result()
            except BaseException:
                self._recorder = None
                beginning.cancel()  # Also when the request was cancelled.
                raise
            finally:
                self._beginning = None
            self._activity_log.note_request("record", by, f"Record to {recorder.path.name}")
            self._ending = asyncio.create_task(self._note_end(recorder))
            return self._store.update(recording=RunningRecording(path=str(recorder.path), since=now()))

    async def end(self, message: str | None = None) -> ClusterModel:
        """Complete the file. A second call changes nothing. `message`: why it ends, if not on request."""
        if self._beginning is not None:
            self._beginning.cancel()
        async with self._begun:
            recorder, ending = self._recorder, self._ending
        if recorder is not None and ending is not None:
            await recorder.stop(message)
            await ending
        return self._store.model

    async def _note_end(self, recorder: LineRecorder) -> None:
        written = await recorder.ended()
        self._recorder = self._ending = None
        text = f"Recorded {counted(written.samples, 'sample')} to {Path(written.path).name}"
        self._activity_log.happened("recorded", text if written.message is None else f"{text}. {written.message}")
        self._store.update(recording=None)
