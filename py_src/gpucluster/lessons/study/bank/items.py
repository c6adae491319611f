"""The questions and cards that lesson authors write: ``quiz.json``, ``cards.json`` and ``hooks.json``."""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, RootModel, StringConstraints, model_validator

# The questions and cards that lesson authors write: ``quiz.json``, ``cards.json`` and ``hooks.json``.


LessonId = Annotated[str, StringConstraints(pattern=r"^[0-9]{2}$")]
TopicName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]*$")]
CurriculumRow = Annotated[str, StringConstraints(pattern=r"^S[0-9]-[0-9]{2}$")]
Link = Annotated[str, StringConstraints(pattern=r"^[0-9]{2}(\.[1-9][0-9]*|#[a-z][a-z0-9-]*)?$")]
Markdown = Annotated[str, StringConstraints(min_length=1, max_length=4_000, pattern=r"\S")]
ExerciseId = Annotated[str, StringConstraints(pattern=r"^[0-9]{2}\.[1-9][0-9]*$")]
LineId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,15}$")]


class Part(BaseModel):
    """A part of a study file: what is not known in it is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def check_ids(prefix: str, ids: Iterable[str]) -> None:
    """Raise a sentence unless all ids are different and begin with the lesson."""
    ids = list(ids)
    unique(ids)
    for name in ids:
        if name.partition(".")[0] != prefix:
            raise ValueError(f"the id {name!r} must begin with '{prefix}.'")


def unique(ids: list[str]) -> None:
    """Raise a sentence unless all ids are different."""
    if twice := [name for name, times in Counter(ids).items() if times > 1]:
        raise ValueError(f"the id {twice[0]!r} occurs twice")


class Option(Part):
    """One option of a question."""

    text: Markdown
    correct: bool = False
    why: str = Field("", max_length=4_000, description="Why it is right or wrong, as Markdown; wrong ones need it.")


class _Question(Part):
    id: Annotated[str, StringConstraints(pattern=r"^[0-9]{2}\.q[1-9][0-9]*$")]
    topic: TopicName
    concept: TopicName | None = Field(
        None, description="The concept that it tests; a practice exam asks no concept twice. Default: its own id."
    )
    rows: list[CurriculumRow] = Field(default_factory=list, description="Rows of the curriculum that it covers.")
    difficulty: int = Field(1, ge=1, le=3)
    link: Link = Field(description="Where the answer is taught: exercise 03.2, cell 03#starvation or lesson 03.")
    exam_only: bool = Field(False, description="Kept for the practice exam.")
    stem: Markdown
    code: str | None = Field(None, max_length=4_000, description="Python shown below the stem.")
    explanation: str | None = Field(None, max_length=4_000, description="Markdown shown after any answer.")


class _OptionQuestion(_Question):
    options: list[Option] = Field(min_length=2, max_length=8)

    @model_validator(mode="after")
    def _options_in_order(self) -> Self:
        texts = Counter(option.text for option in self.options)
        if twice := [text for text, times in texts.items() if times > 1]:
            raise ValueError(f"the option {twice[0]!r} occurs twice")
        for option in self.options:
            if not option.correct and not option.why.strip():
                raise ValueError(f"the wrong option {option.text!r} needs a 'why': explain why it is wrong")
        return self


class ChoiceQuestion(_OptionQuestion):
    """Exactly one option is right."""

    type: Literal["choice"]

    @model_validator(mode="after")
    def _one_right(self) -> Self:
        right = sum(option.correct for option in self.options)
        if right != 1:
            raise ValueError(f"exactly one option must be correct, not {right}; for more, use the type 'several'")
        return self


class SeveralQuestion(_OptionQuestion):
    """All options that are right must be picked, and no other."""

    type: Literal["several"]

    @model_validator(mode="after")
    def _some_right(self) -> Self:
        if not any(option.correct for option in self.options):
            raise ValueError("at least one option must be correct")
        return self


class NumberQuestion(_Question):
    """The answer is a number."""

    type: Literal["number"]
    answer: float = Field(allow_inf_nan=False)
    tolerance: float = Field(0, ge=0, allow_inf_nan=False, description="Tolerance for an answer.")
    unit: str | None = Field(None, max_length=40)
    explanation: Markdown


class TextQuestion(_Question):
    """The answer is a word or a few; case and extra spaces do not count."""

    type: Literal["text"]
    answers: list[Markdown] = Field(min_length=1, max_length=20)
    explanation: Markdown


Question = Annotated[ChoiceQuestion | SeveralQuestion | NumberQuestion | TextQuestion, Field(discriminator="type")]


class Quiz(Part):
    """The questions of one lesson: ``quiz.json``."""

    schema_version: Literal[1]
    lesson: LessonId
    questions: list[Question] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids(self) -> Self:
        check_ids(self.lesson, [question.id for question in self.questions])
        return self


class Card(Part):
    """One card: a question on the front, the answer on the back."""

    id: Annotated[str, StringConstraints(pattern=r"^([0-9]{2}\.c|hook\.)[1-9][0-9]*$")]
    topic: TopicName
    rows: list[CurriculumRow] = Field(default_factory=list)
    link: Link
    front: Markdown
    back: Markdown
    name: str | None = Field(None, max_length=80, description="What a memory hook is called.")


class Cards(Part):
    """The cards of one lesson: ``cards.json``."""

    schema_version: Literal[1]
    lesson: LessonId
    cards: list[Card] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids(self) -> Self:
        check_ids(self.lesson, [card.id for card in self.cards])
        return self


class Hooks(Part):
    """The memory hooks: ``hooks.json``."""

    schema_version: Literal[1]
    cards: list[Card] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids(self) -> Self:
        check_ids("hook", [card.id for card in self.cards])
        if unnamed := [card.id for card in self.cards if not card.name]:
            raise ValueError(f"{unnamed[0]} needs a name")
        return self


# The Parsons problems that lesson authors write: ``parsons.json``.


class Line(Part):
    """One line of a Parsons problem."""

    id: LineId
    text: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    indent: int = Field(0, ge=0, le=8, description="Levels of indentation.")
    after: list[LineId] = Field(default_factory=list, description="Lines that must come before this one.")


class Distractor(Part):
    """A line that does not belong."""

    id: LineId
    text: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    why: Markdown


class Parsons(Part):
    """A Parsons problem: lines to be put in order."""

    id: ExerciseId
    title: Annotated[str, StringConstraints(min_length=1, max_length=120)]
    prompt: Markdown
    indent: bool = Field(False, description="Whether the learner sets the indentation too.")
    lines: list[Line] = Field(min_length=2, max_length=20)
    distractors: list[Distractor] = Field(default_factory=list, max_length=6)

    @model_validator(mode="after")
    def _an_order_exists(self) -> Self:
        names = [line.id for line in self.lines]
        unique([*names, *(line.id for line in self.distractors)])
        done: set[str] = set()
        for line in self.lines:
            if unknown := set(line.after) - set(names):
                raise ValueError(f"line {line.id!r} comes after {unknown.pop()!r}, which is not a line")
        while left := [line for line in self.lines if line.id not in done]:
            ready = {line.id for line in left if set(line.after) <= done}
            if not ready:
                raise ValueError(f"no order respects 'after': see the lines {', '.join(line.id for line in left)}")
            done |= ready
        return self


class ParsonsFile(RootModel[list[Parsons]]):
    """The Parsons problems of one lesson: ``parsons.json``, a list."""

    @model_validator(mode="after")
    def _ids(self) -> Self:
        unique([problem.id for problem in self.root])
        return self
