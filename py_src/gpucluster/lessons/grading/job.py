"""What a warden is asked to do."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

from .model import Limits, Place


class Job(BaseModel):
    """What to grade."""

    path: Path
    learner: str
    lesson: str
    seed: int
    limits: Limits
    places: dict[str, Place]
    hidden: list[Path] = []
    """Folders that the notebook may not read: what the others have handed in."""
