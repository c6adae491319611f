"""Taking over question files of jupyterquiz and card files of jupytercards."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ....protocol.plain_text import counted
from ....registry.replacement import replace_text
from ...catalogue import Lesson, find_lesson
from .files import StudyFileError, read_file, sentences
from .items import Cards, Quiz
from .jupyterquiz import UnknownFormat, card_from, question_from


@dataclass(frozen=True)
class Imported:
    """What was converted.

    Attributes
    ----------
    content : Quiz or Cards
        Our file, with the items that were there before.
    added : int
        How many items are new.
    notes : tuple of str
        What the author should look at.
    path : pathlib.Path or None
        Where it was written.
    """

    content: Quiz | Cards
    added: int
    notes: tuple[str, ...]
    path: Path | None = None

    def __str__(self) -> str:
        what = "question" if isinstance(self.content, Quiz) else "card"
        done = f"{counted(self.added, what)} imported"
        lines = [f"{done} into {self.path}." if self.path else f"{done}."]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])


def import_file(
    source: Path, lesson: str, *, topic: str, link: str | None = None, into: Path | None = None
) -> Imported:
    """Convert a question file of jupyterquiz or a card file of jupytercards.

    Parameters
    ----------
    source : pathlib.Path
        The JSON file; which of the two it is shows from its content.
    lesson : str
        Number of the lesson that gets the items, such as ``"03"``.
    topic : str
        Topic of the items; cards that have their own keep it.
    link : str, optional
        Where the lesson explains them, such as ``"03#starvation"``. Left out: the lesson.
    into : pathlib.Path, optional
        Our ``quiz.json`` or ``cards.json``: made when missing, else the items are added at its end.

    Returns
    -------
    Imported
        The content, even when nothing was written.

    Raises
    ------
    UnknownFormat
        When the file is of neither kind. Nothing was written.
    StudyFileError
        When what would be written is not in order. Nothing was written.
    """
    known = find_lesson(lesson)
    if known is not None:  # a lesson that is being written has no topics yet
        _check_topic(known, topic)
    if link is not None:
        _check_link(link)
    items = _items(source)
    is_quiz = "question" in items[0]
    before = _before(into, lesson, is_quiz)
    number = max((int(re.split(r"[qc]", item["id"])[-1]) for item in before), default=0)
    notes: list[str] = []
    made: list[dict[str, Any]] = []
    for place, item in enumerate(items, start=1):
        name = f"{'question' if is_quiz else 'card'} {place}"
        fields, remarks = question_from(item, name) if is_quiz else card_from(item, name)
        notes += remarks
        own = _topic(fields.pop("topic", None)) or topic
        if known is not None and own not in _topics(known):
            notes.append(f"{name}: its topic {own!r} is not in lesson {lesson}; it was set to {topic!r}.")
            own = topic
        made.append({"id": f"{lesson}.{'q' if is_quiz else 'c'}{number + place}", "topic": own, "link": link or lesson,
                     **fields})  # fmt: skip
    content = _checked(source, lesson, [*before, *made], is_quiz)
    new, repeated = _new_ones(content, len(before))
    notes += repeated
    if repeated:
        kept = [
            {**made[place], "id": f"{lesson}.{'q' if is_quiz else 'c'}{number + count}"}
            for count, place in enumerate(new, start=1)
        ]
        content = _checked(source, lesson, [*before, *kept], is_quiz)
    if into is not None and new:
        _write(into, content)
    return Imported(content, len(new), tuple(notes), into)


def _new_ones(content: Quiz | Cards, before: int) -> tuple[list[int], list[str]]:
    """Return the places of the imported items that are not there yet, and a note on each of the others."""
    items = content.questions if isinstance(content, Quiz) else content.cards
    what = "question" if isinstance(content, Quiz) else "card"
    seen: dict[str, str] = {}
    new: list[int] = []
    notes: list[str] = []
    for place, item in enumerate(items):
        key = item.model_dump_json(exclude={"id", "topic", "link"})
        if place >= before and key in seen:
            notes.append(f"{what} {place - before + 1} already exists: {seen[key]}; it was skipped.")
            continue
        seen.setdefault(key, item.id if place < before else f"{what} {place - before + 1}")
        if place >= before:
            new.append(place - before)
    return new, notes


def _topics(lesson: Lesson) -> list[str]:
    own = [topic.name for topic in lesson.topics]
    return list(dict.fromkeys([*own, *(exercise.topic for exercise in lesson.exercises if exercise.topic)]))


def _check_topic(lesson: Lesson, topic: str) -> None:
    if topic not in _topics(lesson):
        raise StudyFileError(
            f"Lesson {lesson.id} has no topic {topic[:40]!r}. Its topics: {', '.join(_topics(lesson))}."
        )


def _check_link(link: str) -> None:
    lesson = find_lesson(re.split("[.#]", link, maxsplit=1)[0])
    if lesson is None:
        return  # of a lesson that is being written, or of no form at all, which the file's own rules refuse
    places = {lesson.id, *(exercise.id for exercise in lesson.exercises)}
    if link not in places | {f"{lesson.id}#{anchor}" for anchor in lesson.anchors}:
        raise StudyFileError(f"The link {link[:40]!r} leads nowhere: lesson {lesson.id} has no such exercise or cell.")


def _items(source: Path) -> list[Mapping[str, Any]]:
    try:
        content = json.loads(source.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnknownFormat(f"{source} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise UnknownFormat(f"{source} is not JSON in UTF-8.") from None
    whole = isinstance(content, list) and content and all(isinstance(item, Mapping) for item in content)
    if not whole or not all(({"question", "front"} & item.keys()) == ({"question", "front"} & content[0].keys())
                            and ({"question", "front"} & item.keys()) for item in content):  # fmt: skip
        raise UnknownFormat(f"{source} has neither questions of jupyterquiz nor cards of jupytercards.")
    return list(content)


def _before(into: Path | None, lesson: str, is_quiz: bool) -> list[dict[str, Any]]:
    if into is None or not into.exists():
        return []
    found: Quiz | Cards = read_file(into, Quiz) if is_quiz else read_file(into, Cards)
    if found.lesson != lesson:
        raise StudyFileError(f"{into} belongs to lesson {found.lesson}, not {lesson}.")
    items = found.questions if isinstance(found, Quiz) else found.cards
    return [item.model_dump(exclude_unset=True) for item in items]


def _checked(source: Path, lesson: str, items: list[dict[str, Any]], is_quiz: bool) -> Quiz | Cards:
    content = {"schema_version": 1, "lesson": lesson, "questions" if is_quiz else "cards": items}
    try:
        return Quiz.model_validate(content) if is_quiz else Cards.model_validate(content)
    except ValidationError as error:
        raise StudyFileError(f"{source.name}: {'; '.join(sentences(error, content))}.") from None


def _topic(text: str | None) -> str | None:
    """Return free text in the form that topics have."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-0123456789") or None if text else None


def _write(into: Path, content: Quiz | Cards) -> None:
    text = json.dumps(content.model_dump(exclude_unset=True), indent=1, ensure_ascii=False) + "\n"
    try:
        into.parent.mkdir(parents=True, exist_ok=True)
        replace_text(into, text, mode=0o644)
    except OSError as error:
        raise StudyFileError(f"{into} cannot be written: {error.strerror}.") from None
