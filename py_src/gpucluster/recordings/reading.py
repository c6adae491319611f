"""Reading a recording that anybody may have written: what cannot be played is a sentence."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..protocol.errors import InvalidRequest, RecordingUnreadable, invalid_request
from ..protocol.models import Telemetry
from ..protocol.recordings import RECORDING_SCHEMA, TIME_PATTERN, RecordedSession, Recording
from ..protocol.telemetry import TelemetrySample
from .unpacking import (
    MOST_DAMAGED,
    MOST_HEADER_BYTES,
    MOST_HEADER_KEYS,
    MOST_LINE_BYTES,
    MOST_LINES,
    MOST_SAMPLES,
    MOST_SECONDS,
    CutOff,
    named,
    pieces_of,
)

_TIME = re.compile(TIME_PATTERN)  # As browsers read it, too; Python reads more.
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
    """Return a time as seconds; `ValueError` where it is none."""
    if not _TIME.fullmatch(at):
        raise ValueError("must be a time in UTC")
    return datetime.fromisoformat(at).astimezone(UTC).timestamp()


def without_gpus(sample: TelemetrySample) -> TelemetrySample:
    """Return the sample without figures of GPUs: a recording of CPU workers shows none, whatever is in the file.

    A worker that has just started tells those of its machine for a moment.
    """
    return sample.model_copy(update=_WITHOUT_GPUS)


def is_sound(sample: TelemetrySample) -> bool:
    """Return whether columns are as long as there are workers, and figures such as can be measured."""
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
        return 0 <= value < _LARGEST  # which NaN is not
    return value is None or _is_text(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _MOST_LETTERS


_BYTE_ORDER = b"\xef\xbb\xbf"  # What some editors put before text.
_AT = re.compile(rb'"at": ?"([0-9T:.Z-]{20,30})"')
_AT_WITHIN = 400  # The moment of a sample stands at its beginning.


def read_header(path: Path) -> Recording:
    """Return the first line of a recording; `RecordingNotFound` or `RecordingUnreadable` where there is none."""
    try:
        return _header(path, next(_lines(path), b""))
    except CutOff:
        raise _no_beginning(path) from None


def read_length(path: Path) -> float | None:
    """Return the seconds from the first moment of a recording to its last one; None where that cannot be read.

    Nothing is checked but that it is no more than recordings are: this describes a file, and does not play it.
    """
    first: float | None = None
    last: float | None = None
    try:
        for line in _lines(path):
            found = _AT.search(line, 0, _AT_WITHIN)
            if found is not None:
                last = moment(found[1].decode())
                first = last if first is None else first
    except (CutOff, RecordingUnreadable, ValueError):
        pass
    return None if first is None or last is None or last < first else last - first


def read_recording(path: Path) -> RecordedSession:
    """Return a recording with all samples that can be played."""
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
                raise RecordingUnreadable(f"{named(path)} holds more than {MOST_SAMPLES} samples; cut it to play it.")
            if damaged > MOST_DAMAGED:
                raise RecordingUnreadable(
                    f"{named(path)} is damaged: more than {MOST_DAMAGED} of its lines cannot be played."
                )
            try:
                sample = Telemetry.model_validate_json(line).sample
                at = moment(sample.at)
            except ValueError:  # of which pydantic's is one
                damaged += 1
                continue
            if not is_sound(sample) or at < last:
                damaged += 1
                continue
            last = at
            samples.append(sample if recording.has_gpus else without_gpus(sample))
    except CutOff:
        is_cut_off = True
    if recording is None:
        raise _no_beginning(path) if is_cut_off else _no_recording(path)
    if not samples:
        raise RecordingUnreadable(f"{named(path)} holds nothing that can be played.")
    return RecordedSession(
        recording=recording,
        label=recording.label,
        message=_message(len(samples), damaged, is_cut_off),
        samples=samples,
    )


def _message(samples: int, damaged: int, is_cut_off: bool) -> str | None:
    if is_cut_off:
        whole = "sample" if samples == 1 else f"{samples} samples"
        return f"The file is cut off: what comes after its first {whole} is lost."
    if damaged:
        return f"The file is damaged: {damaged} of its {samples + damaged} samples cannot be played."
    return None


def _no_recording(path: Path) -> RecordingUnreadable:
    return RecordingUnreadable(f"{named(path)} is no recording of gpucluster.")


def _no_beginning(path: Path) -> RecordingUnreadable:
    return RecordingUnreadable(f"{named(path)} is damaged at its beginning; nothing of it can be played.")


def _header(path: Path, line: bytes) -> Recording:
    line = line.removeprefix(_BYTE_ORDER)
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        raise _no_recording(path) from None
    if not isinstance(told, dict) or told.get("kind") != "gpucluster-recording" or _keys(told) > MOST_HEADER_KEYS:
        raise _no_recording(path)
    version = told.get("schema_version")
    if isinstance(version, int) and version > RECORDING_SCHEMA:
        raise RecordingUnreadable(
            f"{named(path)} was recorded by a newer gpucluster; install the newest version to play it."
        )
    try:
        return Recording.model_validate_json(line)
    except ValidationError as error:
        raise RecordingUnreadable(f"{named(path)} is damaged. {invalid_request(error).message[:300]}") from None


def _keys(told: dict[str, Any]) -> int:
    """Count what a header names; telling what is wrong with each of a million keys would take very long."""
    return len(told) + sum(len(value) for value in told.values() if isinstance(value, dict))


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the lines that are not empty; `CutOff` after the last whole line of a file that ends early or is broken."""
    began = time.thread_time()
    total = number = yielded = 0
    unfinished = b""
    for piece in pieces_of(path):
        if time.thread_time() - began > MOST_SECONDS:
            raise RecordingUnreadable(f"{named(path)} takes too long to read. Record a shorter time, or fewer workers.")
        number += piece.count(b"\n")
        if number > MOST_LINES:
            raise RecordingUnreadable(f"{named(path)} has more than {MOST_LINES} lines; cut it to play it.")
        total += len(piece)
        *lines, unfinished = (unfinished + piece).split(b"\n")
        for line in lines:
            if line.strip():
                yielded += 1
                yield line
        if not yielded and total > MOST_HEADER_BYTES:
            raise _no_recording(path)
        if len(unfinished) > MOST_LINE_BYTES:
            raise RecordingUnreadable(f"{named(path)} is no recording of gpucluster: a line is too long.")
    if unfinished.strip():
        if yielded and not _is_whole(unfinished):
            raise CutOff
        yield unfinished


def _is_whole(line: bytes) -> bool:
    """Whether a last line without an end is more than half a line."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


SLOWEST, FASTEST = 0.25, 64  # How many times as fast as it was.
LONGEST_GAP_SECONDS = 10.0  # A cluster that was silent for longer is played as if it had been silent for so long.


def playing_speed(speed: Any, name: str = "speed") -> float:
    """Return how fast to play, if that is between the slowest and the fastest; the one who asks calls it ``name``."""
    if not isinstance(speed, (int, float)) or isinstance(speed, bool) or not SLOWEST <= speed <= FASTEST:
        raise InvalidRequest(f"{name}: must be a number from {SLOWEST} to {FASTEST}, not {str(speed)[:40]!r}.")
    return float(speed)


def times_of(samples: Sequence[TelemetrySample]) -> list[float]:
    """Return the seconds from the first sample to each one."""
    moments = [moment(sample.at) for sample in samples]
    times = [0.0]
    for before, after in pairwise(moments):
        times.append(times[-1] + min(max(0.0, after - before), LONGEST_GAP_SECONDS))
    return times


def position_text(seconds: float) -> str:
    """Return a position for people, such as ``1:05``."""
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02}"
