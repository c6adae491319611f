"""What a warden is asked to do."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel

from .model import Limits, Place


class Job(BaseModel):
    """What to grade."""

    path: Path
    file: str = ""
    """How the results name it."""
    learner: str
    lesson: str
    seed: int
    limits: Limits
    places: dict[str, Place]
    hidden: list[Path] = []
    """Folders that the notebook may not read: what the others have handed in."""

    def text(self) -> str:
        """Return the job as ASCII; names of files may be any bytes."""
        data = self.model_dump(mode="json", exclude={"path", "hidden"})
        return json.dumps({**data, "path": _packed(self.path), "hidden": [_packed(path) for path in self.hidden]})

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the job that `text` made."""
        data: dict[str, Any] = json.loads(text)
        hidden = [_unpacked(path) for path in data["hidden"]]
        return cls.model_validate({**data, "path": _unpacked(data["path"]), "hidden": hidden})


def _packed(path: Path) -> str:
    return os.fsencode(path).hex()


def _unpacked(text: str) -> Path:
    return Path(os.fsdecode(bytes.fromhex(text)))
