"""What programs need to know about a lesson: ``sheet.json``, read at run time."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from .notebooks import Copy, notebook_name
from .source import LessonSource


def make_sheet(source: LessonSource) -> dict[str, Any]:
    """Return title, objectives, topics, keypoints, exercises with hints and solutions, and names of the notebooks."""
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
