"""Models of lessons for the panel: the list with a learner's state, what to do next, the view of a class.

Text of learners and authors is data; escape it before showing it.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from ..protocol.telemetry import WireModel
from ..protocol.version import PROTOCOL_VERSION

MOST_EXAM_QUESTIONS = 500  # How many questions a practice exam may have.

ExerciseState: TypeAlias = Literal["new", "not_yet", "failed", "passed"]
"""State of an exercise; once passed, it stays ``passed``."""


class LessonExercise(WireModel):
    """One exercise of a lesson, with this learner's state."""

    id: str = Field(description="Number, such as '06.2'; also the link to its cell.")
    title: str
    state: ExerciseState
    attempts: int = Field(0, description="How often it was checked.")
    hints: int = Field(0, description="Number of hints requested.")
    solution_seen: bool = False


class Tally(WireModel):
    """A number out of a total."""

    done: int
    total: int


class LessonModel(WireModel):
    """One lesson, with this learner's state."""

    id: str = Field(description="Number, such as '06'.")
    slug: str = Field(description="Name of its folder, such as '06-kmeans'.")
    title: str
    minutes: int = Field(description="Time that a class needs.")
    needs: str = Field(description="'cpu': runs anywhere; 'gpu': needs a GPU.")
    objectives: list[str] = Field(default_factory=list)
    exercises: list[LessonExercise] = Field(default_factory=list)
    questions: Tally = Field(description="Questions of the practice quiz whose last answer was right.")
    cards: Tally = Field(description="Cards that are due today.")
    notebook: str | None = Field(None, description="Path below Jupyter's root; null if not copied yet.")
    recall: str | None = Field(None, description="Path of the copy without prose; null if not copied yet.")
    has_recall: bool = Field(False, description="Whether a copy without prose is available.")


class LessonStep(WireModel):
    """One step to do, and where."""

    title: str = Field(description="What it is called.")
    why: str = Field(description="Why this one.")
    link: str = Field(description="Where: a lesson '06', an exercise '06.2' or a cell '06#anchor'.")
    topic: str | None = Field(None, description="The topic, where it is about one.")
    cards: list[str] = Field(default_factory=list, description="Cards to look at.")
    exercise: str | None = Field(None, description="Exercise to do again.")


class ProgressSummary(WireModel):
    """Summary of the learner's file over all lessons."""

    path: str = Field(description="Where the file is, below Jupyter's root.")
    exists: bool
    message: str | None = Field(None, description="Why the file cannot be read.")
    exercises: Tally
    questions: Tally
    cards: Tally = Field(description="Cards that are due today.")
    shared_as: str | None = Field(None, description="Name under which a class sees this progress; null if not shared.")


class LessonList(WireModel):
    """All lessons, with this learner's progress."""

    folder: str = Field(description="Folder of the learner's copies, below Jupyter's root.")
    lessons: list[LessonModel]
    next: LessonStep | None = Field(None, description="What to do next; null when everything is done.")
    advice: list[LessonStep] = Field(default_factory=list, description="Weak topics, the weakest first.")
    progress: ProgressSummary
    has_class: bool = Field(False, description="Whether this server shows a class.")
    protocol_version: int = PROTOCOL_VERSION


class LessonCopied(WireModel):
    """What was written for a learner, as paths below Jupyter's root."""

    written: list[str] = Field(description="Files that are new.")
    backup: str | None = Field(None, description="Folder that holds what was there before.")


class ProgressDeleted(WireModel):
    """Whether there was a file to delete."""

    deleted: bool


class EventsNoted(WireModel):
    """Result of reported answers."""

    noted: int
    due: dict[str, str] = Field(default_factory=dict, description="For each card, the day it is due next.")


class LessonEventModel(BaseModel):
    """Base of what a page reports."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


_ExerciseId: TypeAlias = Annotated[str, Field(pattern=r"^[0-9]{2}\.[0-9]{1,2}$")]
_QuestionId: TypeAlias = Annotated[str, Field(pattern=r"^[0-9]{2}\.q[0-9]{1,3}$")]
_CardId: TypeAlias = Annotated[str, Field(pattern=r"^([0-9]{2}\.c|hook\.)[0-9]{1,3}$")]


class QuestionAnswered(LessonEventModel):
    """A question of a practice quiz was answered."""

    kind: Literal["question"]
    id: _QuestionId
    right: bool


class CardTurned(LessonEventModel):
    """A card was turned, and the learner marked whether the back was known."""

    kind: Literal["card"]
    id: _CardId
    known: bool


class ExamHandedIn(LessonEventModel):
    """A practice exam was handed in."""

    kind: Literal["exam"]
    answers: dict[_QuestionId, bool] = Field(
        min_length=1, max_length=MOST_EXAM_QUESTIONS, description="Each question, and whether its answer was right."
    )


class ParsonsTried(LessonEventModel):
    """The lines of a Parsons problem were put in order and checked."""

    kind: Literal["parsons"]
    exercise: _ExerciseId
    right: bool
    failed: list[Annotated[str, Field(max_length=400)]] = Field(default_factory=list, max_length=20)


LessonEvent: TypeAlias = Annotated[
    QuestionAnswered | CardTurned | ExamHandedIn | ParsonsTried, Field(discriminator="kind")
]


class LessonEvents(LessonEventModel):
    """What a page reports, the oldest first."""

    events: list[LessonEvent] = Field(min_length=1, max_length=100)


class ClassLearner(WireModel):
    """One learner who shares."""

    name: str
    lesson: str | None = Field(None, description="Lesson that was worked on last.")
    exercise: str | None = Field(None, description="Exercise that was checked last.")
    state: ExerciseState = Field("new", description="State of that exercise.")
    passed: int = Field(description="Exercises passed, in all lessons.")
    updated_at: str | None = Field(None, description="When something was last noted.")
    failing: str | None = Field(None, description="Property that failed in the last check, as the learner sees it.")


class FailingProperty(WireModel):
    """A property that learners' answers lack."""

    property: str
    learners: int = Field(description="How many learners' last attempt lacks it.")


class ClassExercise(WireModel):
    """One exercise, over all learners who share."""

    id: str
    title: str
    passed: int = Field(description="Learners who have passed it.")
    stuck: int = Field(description="Learners who tried and have not passed it.")
    attempts: int = Field(description="Checks of all learners together.")
    hints: int = Field(0, description="Hints of all learners together.")
    solutions: int = Field(0, description="Learners who have seen the solution.")
    stated_minutes: int | None = Field(None, description="In its heading.")
    minutes: float | None = Field(None, description="Median time of learners who passed it; null: of none known.")
    timed: int = Field(0, description="Learners whose time is known.")
    failing: list[FailingProperty] = Field(default_factory=list, description="What fails most, first.")


class ClassView(WireModel):
    """Where each learner of a class is, and what fails most; from ``gpucluster.lessons.classroom.read_class``."""

    folder: str
    read_at: str
    learners: list[ClassLearner]
    exercises: list[ClassExercise] = Field(description="Those with attempts, in the order of the lessons.")
    problems: list[str] = Field(default_factory=list, description="Files that could not be read, and why.")
