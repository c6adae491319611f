"""Recordings: what the gauges of one cluster showed, in a file to replay.

The file holds lines of JSON. The first one is a ``Recording``, all others are telemetry events as viewers got them.
Text of users is data; escape it before showing it.
"""

from collections import Counter
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import to_json

from .telemetry import TelemetrySample, WireModel
from .version import PROTOCOL_VERSION

RECORDING_SCHEMA = 1  # Raised by one when older readers can no longer play the file.
RECORDING_SUFFIXES = (".gpucluster.jsonl.gz", ".gpucluster.jsonl")  # Endings of recordings that JupyterLab knows.

TIME_PATTERN = r"^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9](\.[0-9]{1,6})?Z$"
"""Times of recordings: UTC, as Python and browsers read it alike."""


def _one_line(text: str) -> str:
    if not text.isprintable():
        raise ValueError("must be plain text in one line")
    return text


Line: TypeAlias = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_one_line)]
"""One line of text without control characters."""


class RecordingModel(WireModel, strict=True):
    """Base of what is in a file. Anyone may have written it, so validation is strict."""


class RecordedVersions(RecordingModel):
    """Versions in the Python environment of the recorded cluster."""

    gpucluster: Line | None = None
    dask: Line | None = None
    rapids: Line | None = Field(None, description="Version of dask-cuda; null on CPU workers.")


class Recording(RecordingModel):
    """What was recorded, when and with what; nothing about the user or the computer."""

    kind: Literal["gpucluster-recording"] = "gpucluster-recording"
    schema_version: Literal[1] = Field(1, description="Version of the file format.")
    title: Line
    recorded_at: str = Field(pattern=TIME_PATTERN, description="When it began, in UTC.")
    backend: Literal["local", "cuda"] = Field(description="'local': CPU workers; 'cuda': GPU workers, of any kind.")
    gpus: list[Line] = Field(default_factory=list, max_length=1024, description="Name of each GPU.")
    driver: Line | None = Field(None, description="Version of the GPU driver; null without GPUs.")
    n_workers: int = Field(ge=0, le=100_000, description="Number of workers at the beginning.")
    versions: RecordedVersions = RecordedVersions()
    note: Line | None = Field(None, description="What ran, such as a command.")
    simulated: bool = Field(description="Whether the GPUs were not real, or could not be proved to be.")

    @model_validator(mode="after")
    def _is_honest(self) -> Self:
        if self.has_gpus and not self.gpus and not self.simulated:
            raise ValueError("a recording of GPU workers names its GPUs, unless it is simulated")
        return self

    @property
    def has_gpus(self) -> bool:
        return self.backend == "cuda"

    @property
    def label(self) -> str:
        """Text that is always shown beside the gauges, so that they are not taken for live ones."""
        when = f"{self.recorded_at[:16].replace('T', ' ')} UTC"
        if self.simulated:
            return f"Simulated: no real GPU. Recorded at {when} — not a live cluster"
        named = [f"{number} × {name}" if number > 1 else name for name, number in Counter(self.gpus).items()]
        return f"Recorded on {', '.join(named) or 'CPU workers'} at {when} — not a live cluster"


class RecordedSession(WireModel):
    """A recording that was read and checked."""

    recording: Recording
    label: str = Field(description="What it was recorded on and when; always shown.")
    message: str | None = Field(None, description="Parts of the file that cannot be played.")
    samples: list[TelemetrySample] = Field(description="Oldest first; at least one.")

    def encoded(self) -> bytes:
        """Return the JSON; figures without measurements are left out, as in the live stream."""
        whole: dict[str, Any] = self.model_dump(mode="json", exclude={"samples"})
        whole["samples"] = [sample.model_dump(mode="json", exclude_defaults=True) for sample in self.samples]
        return to_json(whole, inf_nan_mode="null")


class RecordingEntry(WireModel):
    """A recording that can be played, or a message why not."""

    source: Literal["folder", "bundled"] = Field(description="Below Jupyter's root, or part of gpucluster.")
    path: str = Field(description="Path below Jupyter's root; of a bundled one its file name.")
    size_bytes: int
    title: str | None = Field(None, description="Null if it cannot be read.")
    label: str | None = Field(None, description="What it was recorded on and when; null if it cannot be read.")
    message: str | None = Field(None, description="Why it cannot be read.")
    note: str | None = Field(None, description="What ran.")
    n_workers: int | None = Field(None, description="Number of workers at the beginning.")
    seconds: float | None = Field(None, description="From the first moment to the last one.")


class RecordingList(WireModel):
    """All recordings."""

    recordings: list[RecordingEntry]
    complete: bool = Field(True, description="Whether all folders were searched; very large ones are not.")
    protocol_version: int = PROTOCOL_VERSION


class RecordingWritten(WireModel):
    """What has been recorded into a file."""

    path: str
    cluster: str = Field(description="Name of the cluster.")
    samples: int
    size_bytes: int
    message: str | None = Field(None, description="Why it ended without being stopped; null if it was stopped.")
    recording: Recording
