"""Which files a lesson gives, with their content."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..catalogue import notebooks_folder
from .notebooks import Copy, make_notebook, notebook_name
from .page import make_page
from .reading import read_source
from .source import LessonSource, LessonSourceError
from .words import read_words, with_words


def pages_folder() -> Path | None:
    """Return where the web pages are: in the documentation of a checkout; an installed package has none."""
    documentation = notebooks_folder().parent / "docs"
    return documentation / "lessons" if documentation.is_dir() else None


def render(path: Path, pages: Path | None = None) -> dict[Path, str]:
    """Return the files that one ``lesson.py`` gives, with their content.

    Parameters
    ----------
    path : pathlib.Path
        The source.
    pages : pathlib.Path, optional
        Folder of the web pages; left out: no page.

    Raises
    ------
    LessonSourceError
        When the source is not in order.
    """
    source, folder = read_source(path), path.parent
    linked = with_words(source, read_words())
    made = {folder / notebook_name(source.slug, copy): _json(make_notebook(linked, copy)) for copy in Copy}
    made[folder / "sheet.json"] = _json(make_sheet(source))
    if pages is not None:
        try:
            made[pages / f"{source.slug}.html"] = make_page(linked)
        except ValueError as error:
            raise LessonSourceError(str(error)) from error
    return made


def make_sheet(source: LessonSource) -> dict[str, Any]:
    """Return what programs need to know about a lesson: ``sheet.json``, which is read at run time."""
    return {
        "id": source.id,
        "slug": source.slug,
        "title": source.title,
        "minutes": source.minutes,
        "needs": source.needs,
        "objectives": list(source.objectives),
        "topics": [asdict(topic) for topic in source.topics],
        "keypoints": list(source.keypoints),
        "anchors": list(source.anchors),
        "exercises": source.exercises(),
        "paths": {copy.value: notebook_name(source.slug, copy) for copy in Copy},
    }


def differs(file: Path, text: str) -> bool:
    """Whether a file is missing or has another content."""
    return not file.exists() or file.read_text(encoding="utf-8") != text


def _json(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
