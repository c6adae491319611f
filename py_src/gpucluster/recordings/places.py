"""Find recordings: those of gpucluster, those of a folder, and by name."""

import difflib
import os
from contextlib import suppress
from itertools import islice
from pathlib import Path

from ..protocol.errors import RecordingNotFound
from ..protocol.recordings import RECORDING_SUFFIXES
from ..protocol.refusals import path_refusal

NOTEBOOKS_VARIABLE = "GPUCLUSTER_NOTEBOOKS"  # Another folder of lessons with its own recordings.
_BELOW = Path("data") / "recordings"
_PACKAGED = Path(__file__).parents[1] / "lessons" / "notebooks"
_REPOSITORY = Path(__file__).parents[3] / "notebooks"

MOST_ENTRIES = 5000  # Files and folders that a search visits.
MOST_FOUND = 200
DEEPEST = 4


def is_recording(name: str) -> bool:
    return name.endswith(RECORDING_SUFFIXES) and not name.startswith(".")


def bundled_recordings() -> list[Path]:
    named = os.environ.get(NOTEBOOKS_VARIABLE)
    default = _PACKAGED if (_PACKAGED / _BELOW).is_dir() else _REPOSITORY
    folder = (Path(named) if named else default) / _BELOW
    found = (path for path in folder.glob("*.gpucluster.jsonl*") if is_recording(path.name))
    return sorted(path for path in found if path_refusal(str(path)) is None)


def find_recording(name: str | os.PathLike[str]) -> Path:
    """Return the file or bundled recording of that name; the ending is optional."""
    text = os.fspath(name)
    with suppress(OSError, RuntimeError, ValueError):  # Not a valid file name; a bundled recording may have it.
        for ending in ("", *RECORDING_SUFFIXES):
            path = Path(text + ending).expanduser()
            if path.is_file():
                return path
    bundled = {stem_of(one.name): one for one in bundled_recordings()}
    if stem_of(text) in bundled:
        return bundled[stem_of(text)]
    shown = text if text.strip() and text.isprintable() and len(text) <= 80 else f"{text[:40]!r}"
    near = difflib.get_close_matches(text[:200], bundled, n=1)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    names = f" Bundled recordings: {', '.join(bundled)}." if bundled else ""
    raise RecordingNotFound(f"Recording {shown} not found.{hint}{names}")


def stem_of(name: str) -> str:
    """Return the name of a recording without its ending."""
    for suffix in (*RECORDING_SUFFIXES, ".jsonl.gz", ".jsonl"):
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return name


def recordings_below(root: Path) -> tuple[list[Path], bool]:
    """Return recordings, not in hidden, linked or deep folders, and whether all folders could be searched."""
    found: list[Path] = []
    looked_at = 0
    waiting = [(root, 0)]
    while waiting:
        folder, depth = waiting.pop(0)
        try:
            with os.scandir(folder) as listed:  # Bounded: a folder may contain millions of files.
                entries = sorted(islice(listed, MOST_ENTRIES - looked_at + 1), key=lambda entry: entry.name)
        except OSError:
            continue  # Not readable.
        for entry in entries:
            looked_at += 1
            if looked_at > MOST_ENTRIES or len(found) >= MOST_FOUND:
                return found, False
            if entry.name.startswith(".") or entry.name in {"node_modules", "__pycache__"}:
                continue
            if entry.is_dir(follow_symlinks=False):
                if depth < DEEPEST:
                    waiting.append((Path(entry.path), depth + 1))
            elif is_recording(entry.name) and path_refusal(entry.path) is None and entry.is_file(follow_symlinks=False):
                found.append(Path(entry.path))
    return found, True
