"""``record`` and ``replay``, for the command line and the magic."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..client.cluster import Cluster
from ..client.control import Control
from ..protocol.errors import InvalidRequest
from ..protocol.plain_text import counted
from ..protocol.recordings import RecordingWritten
from ..protocol.sizes import format_size
from ..recordings.reading import playing_speed
from . import actions
from .arguments import shown, whole_number

if TYPE_CHECKING:
    from ..client.recorder import Recorder

LONGEST_SECONDS = 18_000
_LOOK_SECONDS = 0.2
_ENDINGS = (".jsonl", ".jsonl.gz")


def recorder_of(control: Control, found: Namespace) -> Recorder:
    """Return a recorder of the named or the only cluster; the file's ending identifies it if the two are swapped."""
    file, name = getattr(found, "file", None), getattr(found, "name", None)
    if file is None:
        raise InvalidRequest("FILE is missing: name the output, such as kmeans.gpucluster.jsonl.gz.")
    if name is None and any(file in {model.name, model.id} for model in control.list() if not model.state.ended):
        raise InvalidRequest(f"FILE is missing: '{file}' is a cluster. Name a file to write, such as {file}.jsonl.gz.")
    if name is not None and name.endswith(_ENDINGS) and not file.endswith(_ENDINGS):
        file, name = name, file
    seconds = getattr(found, "seconds", None)
    longest = None if seconds is None else whole_number(seconds, "--seconds", 1, LONGEST_SECONDS)
    cluster = Cluster(actions.find(control, name), control.asynchronous)
    title, note = getattr(found, "title", None), getattr(found, "note", None)
    return cluster.recording(file, title=title, note=note, seconds=longest)


def record(control: Control, found: Namespace, progress: Callable[[str], None]) -> RecordingWritten:
    """Record until Ctrl-C, for the requested time, or until the cluster ends."""
    recorder = recorder_of(control, found)
    try:
        recorder.start()
        while not recorder.over.wait(_LOOK_SECONDS):
            progress(f"Recording {recorder.cluster}, {recorder.samples} samples; Ctrl-C ends")
    except KeyboardInterrupt:
        if not recorder.samples:
            raise
    written: RecordingWritten = recorder.stop()
    return written


def written_line(written: RecordingWritten) -> str:
    line = (
        f"{written.cluster}: {counted(written.samples, 'sample')} in {written.path}, {format_size(written.size_bytes)}"
    )
    return line if written.message is None else f"{line}\n{written.message}"


def speed_of(found: Namespace) -> float:
    text = getattr(found, "speed", "1")
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text):
        raise InvalidRequest(f"--speed: must be a number such as 4 or 0.5, not '{shown(text)}'.")
    return playing_speed(float(text), "--speed")
