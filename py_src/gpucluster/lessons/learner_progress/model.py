"""The content of ``gpucluster-progress.json``."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, PrivateAttr

SCHEMA_VERSION: Final = 1
NEWEST_ATTEMPTS = 2_000
"""How many attempts the file keeps, so that it stays small."""
NEWEST_EXAMS = 500
"""How many practice exams the file keeps."""
LARGEST_NUMBER: Final = 2**63
"""Whole numbers beyond this, on either side, are not kept: not every reader of JSON knows them."""
DAYS = (1, 2, 5, 10)
"""Days until a card of Leitner box 1, 2, 3 or 4 is due again."""

Identifier = Annotated[str, Field(min_length=1, max_length=64)]
PropertyText = Annotated[str, Field(max_length=400)]
WholeNumber = Annotated[int, Field(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)]
State = Literal["not_yet", "failed", "passed"]
"""What a check found; "not_yet": the answer was empty."""

Noted = bool | WholeNumber | float | Annotated[str, Field(max_length=400)] | None


def now() -> datetime:
    """Return the time, to the second."""
    return datetime.now(UTC).replace(microsecond=0)


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ExerciseProgress(_Part):
    """One exercise."""

    state: State = Field("not_yet", description="Stays passed once it has passed.")
    attempts: int = Field(0, ge=0, description="Checks of an answer that was not empty.")
    hints: int = Field(0, ge=0, le=3, description="Number of the last hint seen.")
    solution_seen: bool = False
    first_passed_at: AwareDatetime | None = None
    last_at: AwareDatetime
    last_failed: list[PropertyText] = Field(
        default_factory=list, description="Properties that the last check found missing."
    )


class PredictionProgress(_Part):
    """One prediction, and what was observed."""

    predicted: Noted = None
    observed: Noted = None
    at: AwareDatetime


class QuestionProgress(_Part):
    """One quiz question."""

    answered: int = Field(0, ge=0, description="How many times.")
    right: int = Field(0, ge=0, description="How many of these were right.")
    last_right: bool = False
    last_at: AwareDatetime


class CardProgress(_Part):
    """One card and its Leitner box."""

    box: int = Field(1, ge=1, le=4, description="Box 1 to 4: again in 1, 2, 5 or 10 days.")
    due_on: date
    seen: int = Field(0, ge=0)
    last_at: AwareDatetime


def turned(card: CardProgress | None, *, known: bool, at: datetime) -> CardProgress:
    """Return the card after the learner said whether they knew it: one box up, or back to the first."""
    before = card.box if card else 1
    box = min(before + 1, len(DAYS)) if known else 1
    due_on = at.astimezone().date() + timedelta(days=DAYS[box - 1])
    return CardProgress(box=box, due_on=due_on, seen=(card.seen if card else 0) + 1, last_at=at)


def is_due(card: CardProgress | None, today: date | None = None) -> bool:
    """Whether a card is to be shown; one that was never turned is due."""
    return card is None or card.due_on <= (today or date.today())


class ExamProgress(_Part):
    """One practice exam."""

    at: AwareDatetime
    right: int = Field(ge=0)
    total: int = Field(ge=1)
    wrong: list[Identifier] = Field(default_factory=list, description="Questions that were answered wrong.")


class Attempt(_Part):
    """One check of an answer that was not empty."""

    at: AwareDatetime
    exercise: Identifier
    state: Literal["failed", "passed"]
    failed: list[PropertyText] = Field(default_factory=list)


class Sharing(_Part):
    """Whether an instructor may see this progress."""

    folder: str | None = Field(None, description="Shared folder that gets a copy; null if nothing is shared.")
    name: str = Field("", max_length=100, description="Name to show there.")


class Progress(BaseModel):
    """What one learner has done."""

    model_config = ConfigDict(extra="forbid", title="gpucluster progress")

    schema_version: Literal[1] = SCHEMA_VERSION
    learner: str = Field("", max_length=100, description="Free text, for the learner's own use.")
    created_at: AwareDatetime = Field(default_factory=now)
    updated_at: AwareDatetime = Field(default_factory=now)
    exercises: dict[Identifier, ExerciseProgress] = Field(default_factory=dict)
    predictions: dict[Identifier, PredictionProgress] = Field(default_factory=dict)
    questions: dict[Identifier, QuestionProgress] = Field(default_factory=dict)
    cards: dict[Identifier, CardProgress] = Field(default_factory=dict)
    exams: list[ExamProgress] = Field(default_factory=list, max_length=NEWEST_EXAMS, description="Newest last.")
    attempts: list[Attempt] = Field(default_factory=list, max_length=NEWEST_ATTEMPTS, description="Newest last.")
    sharing: Sharing = Field(default_factory=Sharing)
    _not_shared: str | None = PrivateAttr(None)

    @property
    def not_shared(self) -> str | None:
        """Message why the last change could not be shared with the class; not part of the file."""
        return self._not_shared

    @not_shared.setter
    def not_shared(self, why: str | None) -> None:
        self._not_shared = why


def due_cards(progress: Progress, cards: Iterable[str], today: date | None = None) -> list[str]:
    """Return those of the cards that are due; of a lesson that was not begun, and of hooks before any was, none is."""
    traces = (progress.exercises, progress.predictions, progress.questions, progress.cards)
    begun = {name.partition(".")[0] for trace in traces for name in trace}
    if begun:
        begun.add("hook")
    return [card for card in cards if card.partition(".")[0] in begun and is_due(progress.cards.get(card), today)]
