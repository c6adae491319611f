"""What the cells of a solution put out when it was last measured, for the page of the lesson: text and pictures, small.

``docs/lessons/outputs/<lesson>.json`` has the texts, by cell; the pictures lie in a folder beside it. A cell that was
changed since has no output there, because its output belongs to other code.
"""

import base64
import hashlib
import io
import json
import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from ...protocol.errors import GPUClusterError

_FORMAT = 1
_LINES, _CHARACTERS, _WIDTH = 60, 4_000, 900
_COLOURS = 64
_DRAWN = 8_192
"""Colours that a drawing may have, most of them at the edges of letters; a photo has more."""
_DRAWING = re.compile(r"<svg |<style>\.steps-")
"""How the drawings of ``figures.vector`` and ``figures.steps`` begin."""
_BEFORE_TEXT = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class OutputsError(GPUClusterError):
    """The outputs that were recorded cannot be read."""

    code = "lesson_outputs"


@dataclass(frozen=True)
class Output:
    """One output of a cell: a text, or the name of a file with a picture, or with a drawing.

    A drawing is SVG in a piece of HTML, which takes the colours of the page around it.
    """

    text: str = ""
    picture: str = ""
    drawing: str = ""


@dataclass(frozen=True)
class RecordedOutputs:
    """The outputs of one lesson, by the digest of the cell's id and code."""

    folder: Path
    cells: dict[str, tuple[Output, ...]]
    seconds: dict[str, float] = field(default_factory=dict)
    """How long each cell ran, by its id."""
    measured: str = ""
    """When and on what, as the end of a sentence; empty if not recorded."""

    def of(self, cell_id: str, code: str) -> tuple[Output, ...] | None:
        """Return what a cell put out, or None if this very code was not measured."""
        return self.cells.get(_digest(cell_id, code))

    def picture(self, name: str) -> Path:
        """Return the file of a picture."""
        return self.folder / name


def record_outputs(slug: str, notebook: Any, folder: Path, *, measured: str = "") -> None:
    """Write down the outputs of an executed solution.

    Parameters
    ----------
    slug : str
        Name of the lesson, such as ``06-kmeans``.
    notebook : nbformat.NotebookNode
        The notebook with its outputs.
    folder : pathlib.Path
        Where outputs of lessons are; what is there about this one is replaced.
    measured : str
        When and on what it ran, such as ``"on 2026-11-24, on 2 CPU cores"``.
    """
    pictures = folder / slug
    shutil.rmtree(pictures, ignore_errors=True)
    cells: dict[str, list[dict[str, str]]] = {}
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        found: list[dict[str, str]] = []
        for output in _joined(cell.get("outputs", ())):
            if isinstance(output, str):
                found.append({"text": _short(output)})
                continue
            pictures.mkdir(parents=True, exist_ok=True)
            kind, suffix, content = output if isinstance(output, tuple) else ("picture", *_small(output))
            name = f"{cell.id}-{1 + sum('text' not in entry for entry in found)}.{suffix}"
            (pictures / name).write_bytes(content)
            found.append({kind: name})
        cells[_digest(cell.id, cell.source)] = found
    folder.mkdir(parents=True, exist_ok=True)
    seconds = {cell.id: spent for cell in notebook.cells if (spent := _seconds(cell)) is not None}
    document = {"format": _FORMAT, "measured": measured, "seconds": seconds, "cells": cells}
    text = json.dumps(document, indent=1, ensure_ascii=False)
    (folder / f"{slug}.json").write_text(f"{text}\n", encoding="utf-8")


def read_outputs(slug: str, folder: Path) -> RecordedOutputs:
    """Return what was recorded of a lesson; nothing, if it was not measured yet.

    Raises
    ------
    OutputsError
        When the file is not what `record_outputs` writes.
    """
    path = folder / f"{slug}.json"
    if not path.exists():
        return RecordedOutputs(folder / slug, {})
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] != _FORMAT:
            raise ValueError(document["format"])
        cells = {name: tuple(Output(**entry) for entry in entries) for name, entries in document["cells"].items()}
        seconds = {str(name): float(spent) for name, spent in document.get("seconds", {}).items()}
        measured = str(document.get("measured", ""))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise OutputsError(
            f"{path} cannot be read. Write it again: python -m gpucluster.lessons.measuring {slug[:2]}"
        ) from None
    return RecordedOutputs(folder / slug, cells, seconds, measured)


def _seconds(cell: Any) -> float | None:
    """Return how long a cell ran, to a tenth of a second, from the times that nbclient notes."""
    times = cell.metadata.get("execution", {})
    begin, end = times.get("iopub.execute_input"), times.get("shell.execute_reply")
    if begin is None or end is None:
        return None
    return round((datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds(), 1)


def _digest(cell_id: str, code: str) -> str:
    """Return a name for this very cell."""
    return f"{cell_id}:{hashlib.sha256(code.strip().encode()).hexdigest()[:8]}"


def _joined(outputs: Any) -> list[str | bytes | tuple[str, str, bytes]]:
    """Return texts, those that follow each other as one, pictures, and drawings with what names their file."""
    found: list[str | bytes | tuple[str, str, bytes]] = []
    for output in outputs:
        data = output.get("data", {})
        if "image/png" in data:
            found.append(base64.b64decode(data["image/png"]))
            continue
        html = data.get("text/html", "")
        if _DRAWING.match(html):
            found.append(("drawing", "html", html.encode()))
            continue
        text = output.get("text") or data.get("text/plain") or "\n".join(output.get("traceback", ())[-1:])
        if not text.strip():
            continue
        last = found[-1] if found else None
        if isinstance(last, str):
            found[-1] = f"{last.rstrip()}\n{text}"
        else:
            found.append(text)
    return found


def _short(text: str) -> str:
    """Return a text without colours, without what names the machine's folders, and not longer than one reads."""
    text = _BEFORE_TEXT.sub("", text).rstrip()
    for place, name in _places():
        text = text.replace(place, name)
    lines = [line if len(line) <= 400 else f"{line[:400]} …" for line in text.splitlines()]
    kept, length = 0, 0
    for line in lines[:_LINES]:
        length += len(line) + 1
        if length > _CHARACTERS:
            break
        kept += 1
    left = len(lines) - kept
    return "\n".join([*lines[:kept], *([f"… and {left:,} more line{'s' * (left > 1)}"] if left else [])])


def _places() -> list[tuple[str, str]]:
    """Return folders of this machine and what stands for them, the longest first."""
    places = {
        str(Path(__file__).resolve().parents[4]): "…/gpucluster",
        sys.prefix: "…/.venv",
        sys.base_prefix: "…/python",
        str(Path.home()): "~",
        os.environ.get("GPUCLUSTER_DIR", ""): f"{tempfile.gettempdir()}/gpucluster",
    }
    return sorted(((place, name) for place, name in places.items() if len(place) > 4), key=lambda one: -len(one[0]))


def _small(png: bytes) -> tuple[str, bytes]:
    """Return a picture that is not wider than a page, and its format: a drawing with fewer colours, or a photo."""
    from PIL import Image

    picture = Image.open(io.BytesIO(png)).convert("RGBA")
    page = Image.new("RGBA", picture.size, "white")
    page.alpha_composite(picture)
    picture = page.convert("RGB")
    if picture.width > _WIDTH:
        picture = picture.resize((_WIDTH, round(picture.height * _WIDTH / picture.width)), Image.Resampling.LANCZOS)
    written = io.BytesIO()
    if picture.getcolors(_DRAWN) is None:
        picture.save(written, "JPEG", quality=80, optimize=True)
        return "jpg", written.getvalue()
    few = picture.quantize(_COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(written, "PNG", optimize=True)
    return "png", written.getvalue()
