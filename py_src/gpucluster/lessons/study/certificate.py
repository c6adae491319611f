"""``certificate()``: a sheet of what a learner has shown, made from their own progress file.

It is a local file for their own use, unsigned, and anyone with the progress file can change it: it states this.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from ...protocol.errors import GPUClusterError
from ..catalogue import Lesson, Topic, lessons
from ..learner_progress import Progress, learner_folder, load, now
from .output import StudyOutput, sentence

FILE = "gpucluster-certificate.html"
LEVELS = ("not yet", "after the solution", "with hints", "alone")
"""What an exercise shows, the lowest first."""
_STYLE = (
    "body{font-family:sans-serif;max-width:46em;margin:2em auto;padding:0 1em;line-height:1.5}"
    "table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.2em .6em;border-bottom:1px solid #8888}"
    ":root{color-scheme:light dark}"
)
_LIMITS = (
    "This sheet was made from a file that its owner can change. It was not supervised or signed. It is "
    "for the owner's own use."
)


def level_of(records: Sequence[Mapping[str, Any] | None]) -> str:
    """Return the lowest level of some exercises, each as the progress file has it, or None where it was not begun."""
    return min((_one(record) for record in records), key=LEVELS.index, default=LEVELS[0])


def certificate(name: str = "", folder: Path | str | None = None) -> StudyOutput:
    """Write what you have shown so far into ``gpucluster-certificate.html``.

    Parameters
    ----------
    name : str, optional
        Written on top.
    folder : path, optional
        Folder of the progress file, and of the sheet. Left out: that of your lessons.
    """
    place = Path(folder) if folder is not None else learner_folder()
    try:
        own = load(place)
    except GPUClusterError as error:
        return sentence(error.message)
    rows = [row for lesson in lessons() for row in _rows(lesson, own)]
    if not rows:
        return sentence("No exercise has passed yet: there is nothing to put on a certificate.")
    file = place / FILE
    try:
        file.write_text(_page(name, rows, own), encoding="utf-8")
    except OSError as error:
        return sentence(f"The certificate cannot be written: {error.strerror or error}.")
    counts = Counter(level for _, _, level in rows)
    told = ", ".join(f"{counts[level]} {level}" for level in reversed(LEVELS[1:]) if counts[level])
    return sentence(f"Topics that you have shown: {told}. Written to `{file}`. {_LIMITS}")


def _one(record: Mapping[str, Any] | None) -> str:
    if record is None or record["state"] != "passed":
        return LEVELS[0]
    if record["solution_seen"]:
        return LEVELS[1]
    return LEVELS[2] if record["hints"] else LEVELS[3]


def _rows(lesson: Lesson, own: Progress) -> list[tuple[Lesson, Topic, str]]:
    """Return the topics of a lesson all exercises of which have passed, each with its level."""
    found = []
    for topic in lesson.topics:
        entries = [own.exercises.get(one.id) for one in lesson.exercises if one.topic == topic.name]
        level = level_of([entry.model_dump() if entry else None for entry in entries])
        if level != LEVELS[0]:
            found.append((lesson, topic, level))
    return found


def _page(name: str, rows: list[tuple[Lesson, Topic, str]], own: Progress) -> str:
    body, before = "", ""
    for lesson, topic, level in rows:
        whole = f"{lesson.id} {escape(lesson.title)}"
        shown = whole if whole != before else ""  # once for all its topics
        body += f"<tr><td>{shown}</td><td>{escape(topic.title)}</td><td>{level}</td></tr>"
        before = whole
    best = max((exam.right / exam.total for exam in own.exams), default=None)
    exams = f"<p>Practice exams: {len(own.exams)}; the best one {best:.0%} right.</p>" if best is not None else ""
    whose = f"<p>{escape(name)}</p>" if name else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>What I have shown</title>'
        f"<style>{_STYLE}</style></head><body><h1>What I have shown</h1>{whose}"
        f"<p>{now():%Y-%m-%d}, from the checks of the gpucluster lessons. <em>Alone</em>: all exercises of the topic "
        "passed without a hint. <em>After the solution</em>: they pass, and a solution was read.</p>"
        "<table><thead><tr><th>Lesson</th><th>Topic</th><th>How</th></tr></thead>"
        f"<tbody>{body}</tbody></table>{exams}<p>{_LIMITS}</p></body></html>\n"
    )
