"""What a runner is asked to do: one notebook, and how much it may use."""

import base64
import json
import os
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, model_validator

Place = Literal["outside", "inside"]
"""Where a check runs: outside of the learner's kernel, in the runner, or, where that cannot be, inside of it."""

_SHARE_OF_A_CELL = 0.4


class Limits(BaseModel):
    """What one notebook may use.

    Attributes
    ----------
    seconds : float
        For the whole notebook, its checks included.
    cell_seconds : float
        For one cell, or one check. Left out: 120, or, where that is more, two fifths of the whole.
    memory_bytes : int
        For the kernel and the workers that it starts, together.
    processes : int
        For the same.
    threads : int
        Of all of them together.
    """

    model_config = ConfigDict(extra="forbid")

    seconds: float = 300
    cell_seconds: float = 120
    memory_bytes: int = 4 * 2**30
    processes: int = 100
    threads: int = 2_000

    @model_validator(mode="after")
    def _cell_gets_its_share(self) -> Self:
        if "cell_seconds" not in self.model_fields_set:
            self.cell_seconds = max(self.cell_seconds, _SHARE_OF_A_CELL * self.seconds)
        return self


def _hex_of(path: Path) -> str:
    return os.fsencode(path).hex()


def _path_of(given: Path | str) -> Path:
    return given if isinstance(given, Path) else Path(os.fsdecode(bytes.fromhex(given)))


_AnyPath = Annotated[Path, BeforeValidator(_path_of), PlainSerializer(_hex_of, when_used="json")]
"""A path that travels as hexadecimal numbers, as the names of files may be any bytes."""


def _bytes_of(given: bytes | str) -> bytes:
    return given if isinstance(given, bytes) else base64.b64decode(given)


_AnyBytes = Annotated[
    bytes,
    BeforeValidator(_bytes_of),
    PlainSerializer(lambda given: base64.b64encode(given).decode(), when_used="json"),
]

Kind = Literal["bubblewrap", "apptainer", "container", "landlock"]


class Sandboxing(BaseModel):
    """In what kind of sandbox notebooks are graded.

    Attributes
    ----------
    kind : str
        ``"landlock"``: in none but what the processes do to themselves.
    apart : bool
        Whether each kernel has its own sandbox inside that of its runner.
    image : str
        Where the system comes from, for Apptainer and containers.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Kind = "landlock"
    apart: bool = False
    image: str = ""


class Job(BaseModel):
    """What to grade."""

    notebook: _AnyBytes
    """The file that was handed in."""
    file: str = ""
    """How the results name it."""
    learner: str
    lesson: str
    seed: int
    limits: Limits
    places: dict[str, Place]
    every_cell: bool = False
    """Run also the lesson's own cells that nothing of what the learner has written needs."""
    closed_folders: list[_AnyPath] = []
    """Folders that the notebook may not read: what others have handed in, and how to reach the account's programs."""
    unprotected: bool = False
    """Grade also where this machine cannot hold the notebook back."""
    sandboxing: Sandboxing = Sandboxing()
    namespaces: dict[str, str] = {}
    """Those of the command, to tell which ones a notebook did not share with it."""

    def text(self) -> str:
        """Return the job as JSON in ASCII, whatever the two processes take for their encoding."""
        return json.dumps(self.model_dump(mode="json"))

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the job that `text` made."""
        return cls.model_validate(json.loads(text))
