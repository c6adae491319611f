"""Reading a recording that anybody may have written: what cannot be played is a sentence."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from ..protocol.errors import RecordingNotFound, RecordingUnreadable, invalid_request
from ..protocol.models import Telemetry
from ..protocol.plaintext import printable
from ..protocol.recordings import RECORDING_SCHEMA, RecordedSession, Recording
from ..protocol.telemetry import TelemetrySample
from .limits import MOST_BYTES, MOST_LINE_BYTES, MOST_PACKED_BYTES, MOST_SAMPLES
from .soundness import is_sound, moment, without_gpus

_PACKED = b"\x1f\x8b"
_BYTE_ORDER = b"\xef\xbb\xbf"
"""What some editors put before text."""
_MIB = 2**20


class _CutOff(Exception):
    """The file is over before its end."""


def read_header(path: Path) -> Recording:
    """Return the first line of a recording.

    Raises
    ------
    RecordingNotFound, RecordingUnreadable
    """
    try:
        return _header(path, next(_lines(path), b""))
    except _CutOff:
        raise _no_beginning(path) from None


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
                raise RecordingUnreadable(f"{_named(path)} holds more than {MOST_SAMPLES} samples; cut it to play it.")
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
            samples.append(sample if recording.backend == "cuda" else without_gpus(sample))
    except _CutOff:
        is_cut_off = True
    if recording is None:
        raise _no_beginning(path) if is_cut_off else _no_recording(path)
    if not samples:
        raise RecordingUnreadable(f"{_named(path)} holds nothing that can be played.")
    return RecordedSession(
        recording=recording,
        label=recording.label,
        message=_message(len(samples), damaged, is_cut_off),
        samples=samples,
    )


def _named(path: Path) -> str:
    return printable(path.name, 120)


def _message(samples: int, damaged: int, is_cut_off: bool) -> str | None:
    if is_cut_off:
        whole = "sample" if samples == 1 else f"{samples} samples"
        return f"The file is cut off: what comes after its first {whole} is lost."
    if damaged:
        return f"The file is damaged: {damaged} of its {samples + damaged} samples cannot be played."
    return None


def _no_recording(path: Path) -> RecordingUnreadable:
    return RecordingUnreadable(f"{_named(path)} is no recording of gpucluster.")


def _no_beginning(path: Path) -> RecordingUnreadable:
    return RecordingUnreadable(f"{_named(path)} is damaged at its beginning; nothing of it can be played.")


def _header(path: Path, line: bytes) -> Recording:
    line = line.removeprefix(_BYTE_ORDER)
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        raise _no_recording(path) from None
    if not isinstance(told, dict) or told.get("kind") != "gpucluster-recording":
        raise _no_recording(path)
    version = told.get("schema_version")
    if isinstance(version, int) and version > RECORDING_SCHEMA:
        raise RecordingUnreadable(
            f"{_named(path)} was recorded by a newer gpucluster; install the newest version to play it."
        )
    try:
        return Recording.model_validate_json(line)
    except ValidationError as error:
        raise RecordingUnreadable(f"{_named(path)} is damaged. {invalid_request(error).message[:300]}") from None


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the lines.

    Raises
    ------
    _CutOff
        After the last whole line of a file that ends early, or whose packing is broken.
    """
    try:
        # Devices and pipes never end, or wait.
        if not path.is_file():
            raise RecordingNotFound(f"There is no file {_named(path)} that could be a recording.")
        size = path.stat().st_size
        with path.open("rb") as raw:
            is_packed = raw.read(2) == _PACKED
            raw.seek(0)
            most = MOST_PACKED_BYTES if is_packed else MOST_BYTES
            if size > most:
                raise RecordingUnreadable(
                    f"{_named(path)} has {size / _MIB:.0f} MiB; recordings of up to {most // _MIB} MiB can be played."
                )
            if is_packed:
                with gzip.GzipFile(fileobj=raw) as packed:
                    yield from _split(path, packed)
            else:
                yield from _split(path, raw)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise _CutOff from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it has no name that files can have"
        raise RecordingNotFound(f"The recording cannot be read: {why}.") from None


def _split(path: Path, file: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    total = number = 0
    unfinished = b""
    while piece := file.read1(2**16) if isinstance(file, gzip.GzipFile) else file.read(2**16):
        total += len(piece)
        if total > MOST_BYTES:
            raise RecordingUnreadable(
                f"{_named(path)} unpacks to more than {MOST_BYTES // _MIB} MiB; recordings are smaller."
            )
        *lines, unfinished = (unfinished + piece).split(b"\n")
        for line in lines:
            if line.strip():
                number += 1
                yield line
        if len(unfinished) > MOST_LINE_BYTES:
            raise RecordingUnreadable(f"{_named(path)} is no recording of gpucluster: a line has no end.")
    if unfinished.strip():
        if number and not _is_whole(unfinished):
            raise _CutOff
        yield unfinished


def _is_whole(line: bytes) -> bool:
    """Whether a last line without an end is more than half a line."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
