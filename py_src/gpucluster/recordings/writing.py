"""Writing a recording, line by line. What is written until a crash can be played."""

from __future__ import annotations

import gzip
import io
import json
import os
import zlib
from contextlib import suppress
from pathlib import Path
from typing import IO

from ..protocol.errors import GPUClusterError, InvalidRequest
from ..protocol.recordings import RECORDING_SUFFIXES, Recording
from .limits import MOST_BYTES, MOST_LINE_BYTES, MOST_PACKED_BYTES, MOST_SAMPLES
from .naming import give_name, identity_of
from .pseudonyms import Pseudonyms
from .reading import read_header

PART = ".part"
"""Ending of a file that is not complete yet."""
_FLUSH_EVERY = 10
"""Samples between two moments at which everything so far is in the file."""
_LEFT_OVER_BYTES = 2**20
"""Of the limit of a packed file: as much may come before the next look."""


class RecordingFull(Exception):
    """The recording is as large as one may be; it stays as it is."""


def target_of(file: str | Path, *, private: bool = False) -> Path:
    """Return where a recording of that name is written, found out before anything runs.

    A name without an ending gets one that JupyterLab knows.

    Parameters
    ----------
    file : str or Path
    private : bool
        Whether nothing may be there.

    Raises
    ------
    InvalidRequest
        When nothing can be written there, or something else is there.
    """
    text = os.fspath(file)
    if not text.strip() or not text.isprintable():
        raise InvalidRequest("FILE: must be the name of a file, such as kmeans.gpucluster.jsonl.gz.")
    try:
        path = Path(text).expanduser()
        if path.is_dir() or text.endswith(os.sep):
            raise InvalidRequest(f"FILE: {path} is a directory; give the name of a file, such as {path / 'kmeans'}.")
        if not path.suffix:
            path = path.with_name(path.name + RECORDING_SUFFIXES[0])
        if not path.name.endswith((".jsonl", ".jsonl.gz")):
            raise InvalidRequest("FILE: must end in .jsonl or .jsonl.gz; JupyterLab knows .gpucluster.jsonl.gz.")
        if not path.parent.is_dir():
            raise InvalidRequest(f"FILE: there is no directory {path.parent}.")
        if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
            raise InvalidRequest(f"FILE: {path} cannot be written; give another name.")
        exists = path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InvalidRequest(f"FILE: {text[:100]} cannot be a file: {why.rstrip('.')}. Give another name.") from None
    if exists and private:
        raise InvalidRequest(f"FILE: {path} exists; give another name.")
    if exists:
        try:
            read_header(path)  # A recording is replaced by a newer one, and nothing else is.
        except GPUClusterError:
            raise InvalidRequest(f"FILE: {path} exists and is no recording; give another name.") from None
    return path


class RecordingWriter:
    """Writes one recording. It has its name when it is complete.

    Parameters
    ----------
    path : Path
        Where; packed when the name ends in ``.gz``.
    header : Recording
        The first line.
    private : bool
        Whether nothing that has the name is replaced, and nobody else may read the file.

    Raises
    ------
    InvalidRequest
        When the file cannot be written, or is being written already.
    """

    def __init__(self, path: Path, header: Recording, *, private: bool = False) -> None:
        self.path = path
        self._replaced = None if private else identity_of(path)
        self.samples = 0
        self._part = path.with_name(path.name + PART)
        self._pseudonyms = Pseudonyms()
        self._bytes = 0
        try:
            mode = 0o600 if private else 0o666
            descriptor = os.open(self._part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
            self._raw: IO[bytes] = os.fdopen(descriptor, "wb")
        except FileExistsError:
            raise InvalidRequest(
                f"{self._part} is there: another recording writes it, or was cut off and can be played. Remove it, or "
                "give another name."
            ) from None
        except OSError as error:
            raise InvalidRequest(f"{self._part} cannot be written: {error.strerror or error}.") from None
        # No name and no time of ours in the packed file.
        self._file: IO[bytes] | gzip.GzipFile = self._raw
        if path.suffix == ".gz":
            self._file = gzip.GzipFile(filename="", mode="wb", fileobj=self._raw, mtime=0)
        try:
            self._write(header.model_dump_json(exclude_none=True).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            self.discard()
            raise InvalidRequest(f"{self._part} cannot be written: {error.strerror or error}.") from None

    @property
    def size_bytes(self) -> int:
        """Size of the file so far, or in the end."""
        with suppress(OSError):
            return (self.path if self._raw.closed else self._part).stat().st_size
        return 0

    def add(self, line: bytes) -> None:
        """Write a telemetry event, without what tells who and where.

        Raises
        ------
        RecordingFull
            When it has no room; what is written stays.
        OSError
            When the disk is full.
        """
        event = json.loads(line)
        told = {"kind": "telemetry", "sample": self._pseudonyms.sample(event["sample"])}
        text = json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        if len(text) > MOST_LINE_BYTES:
            raise RecordingFull("The cluster is too large to be recorded.")
        packed = self._raw.tell() if self._file is not self._raw else 0
        if (
            self.samples >= MOST_SAMPLES
            or self._bytes + len(text) > MOST_BYTES
            or packed > MOST_PACKED_BYTES - _LEFT_OVER_BYTES
        ):
            raise RecordingFull("The recording ended by itself: it is as long as one may be.")
        self._write(text)
        if self.samples % _FLUSH_EVERY == 0:
            self._file.flush()
        self.samples += 1

    def close(self) -> None:
        """Complete the file and give it its name. Closing it twice is harmless.

        Raises
        ------
        FileExistsError
            When something has come to have that name meanwhile; the recording stays beside it.
        """
        if self._raw.closed:
            return
        with self._raw:
            if isinstance(self._file, gzip.GzipFile):
                self._file.close()
        give_name(self._part, self.path, self._replaced)

    def discard(self) -> None:
        """Leave nothing behind."""
        if isinstance(self._file, gzip.GzipFile):
            # What it has not written yet goes nowhere: else it tries that when nobody expects it any more.
            self._file.fileobj = io.BytesIO()
            with suppress(ValueError, zlib.error):
                self._file.close()
        with suppress(OSError, io.UnsupportedOperation):
            self._raw.close()
        self._part.unlink(missing_ok=True)

    def _write(self, text: bytes) -> None:
        self._file.write(text)
        self._bytes += len(text)
