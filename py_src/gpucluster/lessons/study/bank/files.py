"""Reading study files, with sentences that name the file, the item and the fault."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ....protocol.errors import GPUClusterError, invalid_request
from ...catalogue import find_lesson, lessons, notebooks_folder
from .items import Card, Cards, Hooks, Parsons, ParsonsFile, Question, Quiz

File = TypeVar("File", bound=BaseModel)
Item = TypeVar("Item")


class StudyFileError(GPUClusterError):
    """A file of questions or cards is not in order."""

    code = "study_file"
    http_status = 422
    exit_code = 2


class NothingToStudy(GPUClusterError):
    """There is no such lesson, or it has no file of that kind."""

    code = "nothing_to_study"
    http_status = 404
    exit_code = 2


def questions_of(lesson: str) -> list[Question]:
    """Return all questions of a lesson, those of the exam included."""
    return _read(_folder(lesson) / "quiz.json", Quiz, "questions").questions


def cards_of(lesson: str) -> list[Card]:
    """Return the cards of a lesson."""
    return _read(_folder(lesson) / "cards.json", Cards, "cards").cards


def problems_of(lesson: str) -> list[Parsons]:
    """Return the Parsons problems of a lesson."""
    return _read(_folder(lesson) / "parsons.json", ParsonsFile, "Parsons problems").root


def hook_cards() -> list[Card]:
    """Return the memory hooks."""
    return _read(notebooks_folder() / "hooks.json", Hooks, "memory hooks").cards


def all_questions() -> list[Question]:
    """Return the questions of all lessons that have some."""
    return [question for lesson in lessons() for question in _if_any(questions_of, lesson.id)]


def all_cards() -> list[Card]:
    """Return the cards of all lessons that have some, then the memory hooks."""
    hooks = _if_any(lambda _: hook_cards(), "")
    return [*(card for lesson in lessons() for card in _if_any(cards_of, lesson.id)), *hooks]


def all_problems() -> list[Parsons]:
    """Return the Parsons problems of all lessons that have some."""
    return [problem for lesson in lessons() for problem in _if_any(problems_of, lesson.id)]


def _if_any(read: Callable[[str], list[Item]], lesson: str) -> list[Item]:
    try:
        return read(lesson)
    except (NothingToStudy, StudyFileError):
        return []  # a faulty file fails the tests of its author; learners continue with the other lessons


def read_file(path: Path, model: type[File]) -> File:
    """Read and check one file.

    Raises
    ------
    StudyFileError
        With one sentence per fault.
    """
    shown = f"{path.parent.name}/{path.name}"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StudyFileError(f"{shown} cannot be read: {error.strerror}.") from None
    except json.JSONDecodeError as error:
        raise StudyFileError(f"{shown} is not valid JSON: {error.msg} in line {error.lineno}.") from None
    except (UnicodeDecodeError, RecursionError):
        raise StudyFileError(f"{shown} is not JSON in UTF-8.") from None
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise StudyFileError(f"{shown}: {'; '.join(sentences(error, content))}.") from None


def _folder(lesson: str) -> Path:
    known = find_lesson(lesson)
    if known is not None:
        return known.folder
    # A lesson that is being written has no sheet yet.
    found = sorted(notebooks_folder().glob(f"{lesson}-*")) if str(lesson).isdigit() else []
    if not found:
        raise NothingToStudy(f"Lesson {lesson!r} not found. Lessons: {', '.join(item.id for item in lessons())}.")
    return found[0]


def _read(path: Path, model: type[File], what: str) -> File:
    if not path.exists():
        place = f"Lesson {path.parent.name[:2]} has" if path.name != "hooks.json" else "The lessons have"
        raise NothingToStudy(f"{place} no {what}.")
    return _parse(path, path.stat().st_mtime_ns, model)


_parsed: dict[Path, tuple[int, BaseModel]] = {}


def _parse(path: Path, mtime: int, model: type[File]) -> File:
    # Kept by time, so that a file that its author changes is seen without a restart.
    kept = _parsed.get(path)
    if kept is not None and kept[0] == mtime and isinstance(kept[1], model):
        return kept[1]
    content = read_file(path, model)
    _parsed[path] = mtime, content
    return content


def sentences(error: ValidationError, content: Any) -> list[str]:
    """Return one sentence per fault: the id of the item, the field, and what is wrong."""
    messages = [field.message for field in invalid_request(error).fields]
    found = []
    for fault, message in zip(error.errors(include_url=False), messages, strict=True):
        where = list(fault["loc"])
        if where[:1] == ["questions"]:
            del where[2:3]  # the type of the question, which is not a field
        if fault["type"] == "extra_forbidden":
            message = "is not a field of this file"
        elif fault["type"].startswith("union_tag"):
            message = "needs a type: 'choice', 'several', 'number' or 'text'"
        elif fault["type"] == "string_pattern_mismatch":
            message = f"{fault['input']!r} does not look like {_EXAMPLES.get(str(where[-1]), 'text')}"
        elif fault["type"].startswith("string_too_short"):
            message = "must not be empty"
        elif fault["type"] == "float_parsing":
            message = f"must be a number, not {fault['input']!r}"
        found.append(": ".join(filter(None, [_place(where, content), message])))
    return list(dict.fromkeys(found))


_EXAMPLES = {"id": "'03.q1' (question), '03.c1' (card) or '03.1' (Parsons problem)", "link": "'03.2' or '03#anchor'",
             "lesson": "'03'", "topic": "a topic in lower-case-with-dashes"}  # fmt: skip


def _place(where: list[int | str], content: Any) -> str:
    names: list[str] = []
    for part in where:
        if isinstance(part, int):
            content = content[part] if isinstance(content, list) and part < len(content) else None
            name = content.get("id") if isinstance(content, Mapping) else None
            names = [str(name)] if name else [*names, f"number {part + 1}"]
        else:
            content = content.get(part) if isinstance(content, Mapping) else None
            names.append(str(part))
    return ", ".join(names)
