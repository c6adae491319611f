"""What ``gpucluster create … --dry-run`` prints, as a text; what would be refused is a sentence."""

from __future__ import annotations

from typing import Any

from ...client.control import Control
from ...protocol.errors import GPUClusterError


def dry_run(backend: str, **options: Any) -> str:
    """Return what a cluster of this kind would hand to whoever starts its workers, and what is to be known about it.

    Nothing is started.
    """
    try:
        found = Control(by="a lesson").preview({"backend": backend, **options})
    except GPUClusterError as refused:
        return f"Nothing to show here: {refused}"
    return "\n".join([*([found.text.rstrip()] if found.text else []), *(f"note: {note}" for note in found.notes)])
