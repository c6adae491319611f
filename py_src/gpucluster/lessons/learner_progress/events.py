"""What can happen to a learner: one model per kind of event."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from ..models import MOST_EXAM_QUESTIONS
from .model import Identifier, Noted, PropertyText, State


class _Event(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CheckEvent(_Event):
    """An answer was checked."""

    kind: Literal["check"] = "check"
    exercise: Identifier
    state: State
    failed: list[PropertyText] = Field(default_factory=list, max_length=50, description="Properties that do not hold.")


class ParsonsEvent(_Event):
    """The order of a Parsons problem was checked, by the widget."""

    kind: Literal["parsons"] = "parsons"
    exercise: Identifier
    right: bool
    failed: list[PropertyText] = Field(default_factory=list, max_length=50, description="What was not correct yet.")


class HintEvent(_Event):
    """A hint was shown."""

    kind: Literal["hint"] = "hint"
    exercise: Identifier
    number: int = Field(ge=1, le=3)


class SolutionEvent(_Event):
    """A solution was shown."""

    kind: Literal["solution"] = "solution"
    exercise: Identifier


class PredictionEvent(_Event):
    """Something was predicted, or what was predicted was observed."""

    kind: Literal["prediction"] = "prediction"
    id: Identifier
    predicted: Noted = None
    observed: Noted = None


class QuestionEvent(_Event):
    """A question of a quiz was answered."""

    kind: Literal["question"] = "question"
    id: Identifier
    right: bool


class CardEvent(_Event):
    """A card was turned, and the learner said whether they had known the back."""

    kind: Literal["card"] = "card"
    id: Identifier
    known: bool


class ExamEvent(_Event):
    """A practice exam was handed in."""

    kind: Literal["exam"] = "exam"
    answers: dict[Identifier, bool] = Field(
        min_length=1,
        max_length=MOST_EXAM_QUESTIONS,
        description="Each question of the exam, and whether its answer was right.",
    )


Event = Annotated[
    CheckEvent | ParsonsEvent | HintEvent | SolutionEvent | PredictionEvent | QuestionEvent | CardEvent | ExamEvent,
    Field(discriminator="kind"),
]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)
