"""What a warden is asked to do."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel

from .grades import Limits, Place


class Job(BaseModel):
    """What to grade."""

    path: Path
    root: Path | None = None
    """Folder above it, below which no link is followed."""
    file: str = ""
    """How the results name it."""
    learner: str
    lesson: str
    seed: int
    limits: Limits
    places: dict[str, Place]
    hidden: list[Path] = []
    """Folders that the notebook may not read: what the others have handed in."""
    unprotected: bool = False
    """Grade also where this machine cannot hold the notebook back."""

    def text(self) -> str:
        """Return the job as ASCII; names of files may be any bytes."""
        data = self.model_dump(mode="json", exclude={"path", "root", "hidden"})
        root = _packed(self.root) if self.root is not None else None
        hidden = [_packed(path) for path in self.hidden]
        return json.dumps({**data, "path": _packed(self.path), "root": root, "hidden": hidden})

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the job that `text` made."""
        data: dict[str, Any] = json.loads(text)
        hidden = [_unpacked(path) for path in data["hidden"]]
        root = _unpacked(data["root"]) if data["root"] is not None else None
        return cls.model_validate({**data, "path": _unpacked(data["path"]), "root": root, "hidden": hidden})


def _packed(path: Path) -> str:
    return os.fsencode(path).hex()


def _unpacked(text: str) -> Path:
    return Path(os.fsdecode(bytes.fromhex(text)))
