"""Reading a recording that anybody may have written: what cannot be played is a sentence."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..protocol.errors import RecordingUnreadable, invalid_request
from ..protocol.models import Telemetry
from ..protocol.recordings import RECORDING_SCHEMA, RecordedSession, Recording
from ..protocol.telemetry import TelemetrySample
from .limits import (
    MOST_DAMAGED,
    MOST_HEADER_BYTES,
    MOST_HEADER_KEYS,
    MOST_LINE_BYTES,
    MOST_LINES,
    MOST_SAMPLES,
    MOST_SECONDS,
)
from .soundness import is_sound, moment, without_gpus
from .unpacking import CutOff, named, pieces_of

_BYTE_ORDER = b"\xef\xbb\xbf"
"""What some editors put before text."""
_AT = re.compile(rb'"at": ?"([0-9T:.Z-]{20,30})"')
_AT_WITHIN = 400
"""The moment of a sample stands at its beginning."""


def read_header(path: Path) -> Recording:
    """Return the first line of a recording.

    Raises
    ------
    RecordingNotFound, RecordingUnreadable
    """
    try:
        return _header(path, next(_lines(path), b""))
    except CutOff:
        raise _no_beginning(path) from None


def read_length(path: Path) -> float | None:
    """Return the seconds from the first moment of a recording to its last one; None where that cannot be read.

    Nothing is checked but that it is no more than recordings are: this is told of a file, not played.
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
    """Return a recording with all samples that can be played.

    Raises
    ------
    RecordingNotFound
        When there is no such file.
    RecordingUnreadable
        When it is no recording, was made by a newer version, or holds nothing that can be played.
    """
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
    """Yield the lines that are not empty.

    Raises
    ------
    CutOff
        After the last whole line of a file that ends early, or whose packing is broken.
    """
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
            raise RecordingUnreadable(f"{named(path)} is no recording of gpucluster: a line has no end.")
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
