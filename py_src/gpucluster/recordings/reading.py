"""Read an untrusted recording, up to the maximum size, and return figures as pandas data frames.

What cannot be played causes a message. pandas is imported when a frame is requested.
"""

from __future__ import annotations

import json
import os
import re
import stat
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from pydantic import ValidationError

from ..protocol.errors import InvalidRequest, RecordingNotFound, RecordingUnreadable, invalid_request, refused_field
from ..protocol.models import Telemetry
from ..protocol.plain_text import printable
from ..protocol.recordings import RECORDING_SCHEMA, TIME_PATTERN, RecordedSession, Recording
from ..protocol.telemetry import PrefixProgress, TelemetryHistory, TelemetrySample, WorkerHistory, totals

if TYPE_CHECKING:
    import pandas as pd


_TIME = re.compile(TIME_PATTERN)  # What browsers read, too; Python reads more.
_MOST_WORKERS = 10_000
_MOST_LETTERS = 300
_MOST_PREFIXES = 100
_MOST_STATES = 30
_LARGEST = 2**60
_OTHERS = {"id", "at", "workers", "tasks", "progress"}
_COLUMNS = [name for name in TelemetrySample.model_fields if name not in _OTHERS]
_OF_GPUS = ("vram_", "gpu_", "rmm_", "device", "pcie_", "nvlink_", "tier_device_", "cudf_")
_WITHOUT_GPUS: dict[str, None] = {name: None for name in _COLUMNS if name.startswith(_OF_GPUS)}


def moment(at: str) -> float:
    """Return a time in seconds. Raises `ValueError`."""
    if not _TIME.fullmatch(at):
        raise ValueError("must be a time in UTC")
    return datetime.fromisoformat(at).astimezone(UTC).timestamp()


def is_sound(sample: TelemetrySample) -> bool:
    """Return whether columns have one entry per worker, and figures are plausible."""
    workers = sample.workers
    if len(workers) > _MOST_WORKERS or len(set(workers)) != len(workers) or not all(map(_is_text, workers)):
        return False
    for name in _COLUMNS:
        values = getattr(sample, name)
        if isinstance(values, list):
            if len(values) != len(workers) or not all(map(_is_measurable, values)):
                return False
        elif not _is_measurable(values):
            return False
    if len(sample.progress) > _MOST_PREFIXES or len(sample.tasks) > _MOST_STATES:
        return False
    counts = [count for kind in sample.progress for count in kind.model_dump(exclude={"prefix"}).values()]
    names = [*sample.tasks, *(kind.prefix for kind in sample.progress)]
    return all(map(_is_measurable, [*sample.tasks.values(), *counts])) and all(map(_is_text, names))


def _is_measurable(value: Any) -> bool:
    if isinstance(value, (int, float)):
        return 0 <= value < _LARGEST  # False for NaN.
    return value is None or _is_text(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _MOST_LETTERS


_BYTE_ORDER = b"\xef\xbb\xbf"  # Some editors put it before text.
_AT = re.compile(rb'"at": ?"([0-9T:.Z-]{20,30})"')
_AT_WITHIN = 400  # A sample's time is near its beginning.


def read_header(path: Path) -> Recording:
    """Return the first line of a recording. Raises `RecordingNotFound`, `RecordingUnreadable`."""
    try:
        return _header(path, next(_lines(path), b""))
    except CutOff:
        raise _no_beginning(path) from None


def read_length(path: Path) -> float | None:
    """Return the length of a recording in seconds; None: unreadable. Only the size of the file is checked."""
    first: float | None = None
    last: float | None = None
    with suppress(CutOff, RecordingUnreadable, ValueError):
        for line in _lines(path):
            found = _AT.search(line, 0, _AT_WITHIN)
            if found is not None:
                last = moment(found[1].decode())
                first = last if first is None else first
    return None if first is None or last is None or last < first else last - first


def read_recording(path: Path) -> RecordedSession:
    """Return a recording with all playable samples."""
    recording: Recording | None = None
    samples: list[TelemetrySample] = []
    damaged = 0
    is_cut_off = False
    last = float("-inf")
    try:
        for line in _lines(path):
            if recording is None:
                recording = _header(path, line)
                continue
            if len(samples) >= MOST_SAMPLES:
                raise RecordingUnreadable(
                    f"{named(path)} holds more than {MOST_SAMPLES} samples; shorten it to play it."
                )
            if damaged > MOST_DAMAGED:
                raise RecordingUnreadable(
                    f"{named(path)} is corrupted: more than {MOST_DAMAGED} of its lines cannot be played."
                )
            try:
                sample = Telemetry.model_validate_json(line).sample
                at = moment(sample.at)
            except ValueError:  # Also pydantic's.
                damaged += 1
                continue
            if not is_sound(sample) or at < last:
                damaged += 1
                continue
            last = at
            # A CPU worker that has just started reports the GPUs of its machine for a moment.
            samples.append(sample if recording.has_gpus else sample.model_copy(update=_WITHOUT_GPUS))
    except CutOff:
        is_cut_off = True
    if recording is None:
        raise _no_beginning(path) if is_cut_off else _no_recording(path)
    if not samples:
        raise RecordingUnreadable(f"{named(path)} contains nothing that can be played.")
    return RecordedSession(
        recording=recording, label=recording.label, message=_message(len(samples), damaged, is_cut_off), samples=samples
    )


def _message(samples: int, damaged: int, is_cut_off: bool) -> str | None:
    if is_cut_off:
        whole = "sample" if samples == 1 else f"{samples} samples"
        return f"The file is truncated: everything after the first {whole} is lost."
    if damaged:
        return f"The file is corrupted: {damaged} of its {samples + damaged} samples cannot be played."
    return None


def _no_recording(path: Path) -> RecordingUnreadable:
    return RecordingUnreadable(f"{named(path)} is not a gpucluster recording.")


def _no_beginning(path: Path) -> RecordingUnreadable:
    return RecordingUnreadable(f"{named(path)} is corrupted at the beginning; none of it can be played.")


def _header(path: Path, line: bytes) -> Recording:
    line = line.removeprefix(_BYTE_ORDER)
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        raise _no_recording(path) from None
    is_header = isinstance(header, dict) and header.get("kind") == "gpucluster-recording"
    if not is_header or _keys(header) > MOST_HEADER_KEYS:
        raise _no_recording(path)
    version = header.get("schema_version")
    if isinstance(version, int) and version > RECORDING_SCHEMA:
        raise RecordingUnreadable(
            f"{named(path)} was recorded by a newer gpucluster; install the newest version to play it."
        )
    try:
        return Recording.model_validate_json(line)
    except ValidationError as error:
        raise RecordingUnreadable(f"{named(path)} is corrupted. {invalid_request(error).message[:300]}") from None


def _keys(header: dict[str, Any]) -> int:
    """Count the keys of a header; reporting the faults of a million keys would take very long."""
    return len(header) + sum(len(value) for value in header.values() if isinstance(value, dict))


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the lines that are not empty. Raises `CutOff` after the last complete line of a truncated file."""
    began = time.thread_time()
    total = number = yielded = 0
    unfinished = b""
    for piece in pieces_of(path):
        if time.thread_time() - began > MOST_SECONDS:
            raise RecordingUnreadable(
                f"{named(path)} takes too long to read. Record for a shorter time, or with fewer workers."
            )
        number += piece.count(b"\n")
        if number > MOST_LINES:
            raise RecordingUnreadable(f"{named(path)} has more than {MOST_LINES} lines; shorten it to play it.")
        total += len(piece)
        *lines, unfinished = (unfinished + piece).split(b"\n")
        for line in lines:
            if line.strip():
                yielded += 1
                yield line
        if not yielded and total > MOST_HEADER_BYTES:
            raise _no_recording(path)
        if len(unfinished) > MOST_LINE_BYTES:
            raise RecordingUnreadable(f"{named(path)} is not a gpucluster recording: a line is too long.")
    if unfinished.strip():
        if yielded and not _is_whole(unfinished):
            raise CutOff
        yield unfinished


def _is_whole(line: bytes) -> bool:
    """Return whether a last line without a newline is complete."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


SLOWEST, FASTEST = 0.25, 64  # Relative to the recording.
LONGEST_GAP_SECONDS = 10.0  # Longer gaps are shortened.


def playing_speed(speed: Any, name: str = "speed") -> float:
    """Return a valid speed. Raises `InvalidRequest`, in which the speed is called ``name``."""
    if not isinstance(speed, (int, float)) or isinstance(speed, bool) or not SLOWEST <= speed <= FASTEST:
        raise InvalidRequest(f"{name}: must be a number from {SLOWEST} to {FASTEST}, not {str(speed)[:40]!r}.")
    return float(speed)


def times_of(samples: Sequence[TelemetrySample]) -> list[float]:
    """Return the time of each sample in seconds since the first one."""
    moments = [moment(sample.at) for sample in samples]
    times = [0.0]
    for before, after in pairwise(moments):
        times.append(times[-1] + min(max(0.0, after - before), LONGEST_GAP_SECONDS))
    return times


def position_text(seconds: float) -> str:
    """Return a readable position, such as ``1:05``."""
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02}"


MOST_PACKED_BYTES = 8 * 2**20  # Of a gzip file.
MOST_BYTES = 48 * 2**20  # Uncompressed.
MOST_MEMBERS = 1000  # Of a gzip file; some programs write one for each 64 KiB.
MOST_HEADER_BYTES = 2**18  # Up to the end of the first line.
MOST_HEADER_KEYS = 100
MOST_LINE_BYTES = 2**20
MOST_SAMPLES = 20_000  # Five and a half hours at one sample a second.
MOST_DAMAGED = 1000  # Unplayable lines; a file with more is not a recording.
MOST_LINES = 2 * MOST_SAMPLES  # Including empty ones.
MOST_SECONDS = 20.0  # CPU time for reading one recording.


_PACKED = b"\x1f\x8b"
_GZIP = 31  # zlib's number of the gzip format.
_READ = 2**13
_PIECE = 2**16  # Maximum output at a time: a few bytes may expand to very many.
_MIB = 2**20


class CutOff(Exception):
    """The file is truncated, or its compression is damaged."""


def named(path: Path) -> str:
    return printable(path.name, 120)


def pieces_of(path: Path) -> Iterator[bytes]:
    """Yield the uncompressed content of a file.

    Raises `RecordingNotFound` (it cannot be read), `RecordingUnreadable` (it is too large), and `CutOff` after the last
    piece of a truncated file.
    """
    try:
        # Checked after opening, as the name may be replaced; not blocking, as opening a pipe would wait.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        with os.fdopen(descriptor, "rb") as raw:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise RecordingNotFound(f"Recording {named(path)} not found.")
            is_packed = raw.read(len(_PACKED)) == _PACKED
            raw.seek(0)
            most = MOST_PACKED_BYTES if is_packed else MOST_BYTES
            _check(path, status.st_size, most)
            total = 0
            for piece in _unpacked(path, raw) if is_packed else _read(path, raw, most):
                total += len(piece)
                if total > MOST_BYTES:
                    raise RecordingUnreadable(
                        f"{named(path)} decompresses to more than {MOST_BYTES // _MIB} MiB; recordings are smaller."
                    )
                yield piece
    except IsADirectoryError:
        raise RecordingNotFound(f"Recording {named(path)} not found.") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its name is not a valid file name"
        raise RecordingNotFound(f"The recording cannot be read: {why}.") from None


def _up_to_the_damage(member: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    for position in range(len(data)):
        try:
            yield member.decompress(data[position : position + 1])
        except zlib.error:
            return


def _check(path: Path, size: int, most: int) -> None:
    if size > most:
        raise RecordingUnreadable(
            f"{named(path)} has {size / _MIB:.0f} MiB; recordings of up to {most // _MIB} MiB can be played."
        )


def _read(path: Path, raw: IO[bytes], most: int) -> Iterator[bytes]:
    """Yield the bytes of the file, which may grow while it is read."""
    total = 0
    while piece := raw.read(_READ):
        total += len(piece)
        _check(path, total, most)
        yield piece


def _unpacked(path: Path, raw: IO[bytes]) -> Iterator[bytes]:
    packed = _read(path, raw, MOST_PACKED_BYTES)
    waiting = next(packed, b"")
    members = 0
    while waiting:
        members += 1
        if members > MOST_MEMBERS:
            raise RecordingUnreadable(
                f"{named(path)} is compressed in more than {MOST_MEMBERS} parts; decompress it, or compress it as one."
            )
        member = zlib.decompressobj(_GZIP)
        while not member.eof:
            data = waiting or next(packed, b"")
            before = member.copy()
            try:
                piece = member.decompress(data, _PIECE)
            except zlib.error:
                yield from _up_to_the_damage(before, data)
                raise CutOff from None
            waiting = member.unconsumed_tail
            if piece:
                yield piece
            elif not data and not member.eof:
                raise CutOff
        # Files may be padded with zeros.
        waiting = member.unused_data.lstrip(b"\0")
        while not waiting and (data := next(packed, b"")):
            waiting = data.lstrip(b"\0")


By: TypeAlias = Literal["cluster", "worker", "task"]
"""Subject of a row: all workers at a moment, one of them, or one kind of tasks."""

_COUNTED = "tasks_"
_KEYS: dict[By, list[str]] = {"cluster": ["time"], "worker": ["time", "worker"], "task": ["time", "prefix"]}


def history_frame(history: TelemetryHistory, by: By = "cluster") -> pd.DataFrame:
    """Return the last ten minutes of a cluster, one row per moment, for the cluster or each worker.

    Rows of many workers are further apart. Raises `InvalidRequest` for tasks, which only recordings have by kind.
    """
    if _checked(by) == "task":
        raise refused_field("by", "must be 'cluster' or 'worker' for a running cluster; record it to include its tasks")
    figures = history.model_dump(exclude={"id", "at", "seconds", "worker_seconds", "workers"})
    if by == "cluster":
        rows = [{"time": seconds, **_at(figures, place)} for place, seconds in enumerate(history.seconds)]
        return _frame(rows, by, list(figures), since=history.at)
    workers = {name: worker.model_dump(exclude_none=True) for name, worker in history.workers.items()}
    rows = [
        {"time": seconds, "worker": name, **row}
        for place, seconds in enumerate(history.worker_seconds)
        for name, worker in workers.items()
        # Without the time before a worker's start and after its end.
        if any((row := _at(worker, place))[figure] is not None for figure in worker)
    ]
    names = [name for name in WorkerHistory.model_fields if any(name in worker for worker in workers.values())]
    return _frame(rows, by, names, since=history.at)


def session_frame(session: RecordedSession, by: By = "cluster") -> pd.DataFrame:
    """Return the figures of a recording, one row per cluster, worker or kind of task."""
    making = {"cluster": _cluster_rows, "worker": _worker_rows, "task": _task_rows}[_checked(by)]
    rows = [{"time": sample.at, **row} for sample in session.samples for row in making(sample)]
    names = list(dict.fromkeys(name for row in rows for name in row if name not in _KEYS[by]))
    frame = _frame(rows, by, names)
    counts = [name for name in names if name.startswith(_COUNTED)]
    # No task in a state means 0, not a gap.
    frame[counts] = frame[counts].fillna(0)
    return frame


def _checked(by: By) -> By:
    if by not in get_args(By):
        raise refused_field("by", f"must be 'cluster', 'worker' or 'task', not {str(by)[:40]!r}")
    return by


def _at(columns: dict[str, Any], place: int) -> dict[str, Any]:
    return {name: values[place] if place < len(values) else None for name, values in columns.items()}


def _cluster_rows(sample: TelemetrySample) -> list[dict[str, Any]]:
    tasks = {f"{_COUNTED}{state.replace('-', '_')}": number for state, number in sample.tasks.items()}
    return [{"n_workers": len(sample.workers), **totals(_columns(sample)), **tasks}]


def _worker_rows(sample: TelemetrySample) -> list[dict[str, Any]]:
    columns = _columns(sample)
    return [{"worker": name, **_at(columns, place)} for place, name in enumerate(sample.workers)]


def _task_rows(sample: TelemetrySample) -> list[dict[str, Any]]:
    names = PrefixProgress.model_fields
    return [{name: getattr(progress, name) for name in names} for progress in sample.progress]


def _columns(sample: TelemetrySample) -> dict[str, list[Any]]:
    """Return the measured columns, with one entry per worker."""
    return {name: sample.column(name) for name in sample.column_names() if getattr(sample, name) is not None}


def _frame(rows: list[dict[str, Any]], by: By, names: list[str], since: str | None = None) -> pd.DataFrame:
    """Return rows as a frame. Figures are floats, so that a gap is ``NaN``, never zero; texts stay unchanged."""
    import pandas as pd

    frame = pd.DataFrame(rows, columns=[*_KEYS[by], *names])
    if since is None:
        frame["time"] = pd.to_datetime(frame["time"], utc=True, format="ISO8601")
    else:
        frame["time"] = pd.Timestamp(since) + pd.to_timedelta(frame["time"].astype(float), unit="s")
    texts = {name for row in rows for name, value in row.items() if isinstance(value, str)}
    kinds: dict[str, Any] = {name: "object" if name in texts else "float64" for name in names}
    return frame.astype(kinds).set_index(_KEYS[by])
