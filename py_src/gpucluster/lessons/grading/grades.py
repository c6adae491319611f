"""What grading gives: a grade for each exercise, notebook and class, and what held a notebook back."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ...protocol.plain_text import escaped
from .job import Kind, Limits, Place

INSIDE_NOTE = "checked inside the learner's kernel"
"""In a note about a whole lesson, which stands once: not in the row of each notebook."""
Status = Literal["graded", "time", "memory", "processes", "threads", "stopped", "unreadable"]


def _seen(most: int) -> BeforeValidator:
    """Write out what a terminal or a page would obey, and cut what that makes too long to be read again."""

    def seen(text: Any) -> Any:
        short = isinstance(text, str) and len(text) <= most
        return escaped(text, keep="\n\t")[:most] if short else text

    return BeforeValidator(seen)


Short = Annotated[str, Field(max_length=2_000), _seen(2_000)]
Long = Annotated[str, Field(max_length=4_000), _seen(4_000)]
Note = Annotated[str, Field(max_length=100_000), _seen(100_000)]
"""Texts that may have come from a learner's code."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Protection(_Part):
    """What kept a notebook from harm, as far as it really took effect.

    Attributes
    ----------
    kind : str
        Of the sandbox: ``"bubblewrap"``, ``"apptainer"``, ``"container"``, or ``"landlock"`` where there was none.
    namespaces : list of str
        Those that the learner's kernel did not share with the command, such as ``"net"``.
    apart : bool
        Whether the kernel had namespaces that its runner was not in.
    landlock : int
        Version of Landlock; 0: none.
    system_calls : bool
        A seccomp filter.
    no_rights : bool
        Without the superuser's special rights; true for ordinary accounts as well.
    """

    kind: Kind = "landlock"
    namespaces: list[str] = Field(default_factory=list, max_length=20)
    apart: bool = False
    landlock: int = Field(0, ge=0)
    system_calls: bool = False
    no_rights: bool = False

    def __str__(self) -> str:
        own = f"{self.kind} (namespaces: {', '.join(self.namespaces) or 'none'}), " if self.kind != "landlock" else ""
        landlock = f"Landlock {self.landlock}" if self.landlock else "no Landlock"
        system_calls = "a seccomp filter" if self.system_calls else "no seccomp filter"
        return f"{own}{landlock}, {system_calls}{'' if self.no_rights else ', special rights of the superuser'}"

    @property
    def short(self) -> str:
        """The same in a word or two, for a table."""
        return (
            "+".join(
                word
                for word, had in (
                    (self.kind, self.kind != "landlock"),
                    (f"landlock{self.landlock}", self.landlock > 0),
                    ("seccomp", self.system_calls),
                )
                if had
            )
            or "none"
        )

    @property
    def fenced(self) -> bool:
        """Whether the kernel had its own file system, processes and network."""
        return {"user", "mnt", "pid", "net", "ipc"} <= set(self.namespaces)

    @property
    def gaps(self) -> list[str]:
        """What a notebook could still do, in sentences."""
        if self.fenced:
            if self.apart or self.landlock:
                return []
            return ["It could read the solutions, and reach the process that grades it."]
        gaps = []
        if not self.landlock:
            gaps.append("It could read all files of this account, change them, and end its programs.")
        elif self.landlock < 3 and not self.system_calls:
            gaps.append("It could empty files of this account.")
        if 0 < self.landlock < 6:
            whom = "that were started in the meantime" if self.system_calls else "of this account"
            gaps.append(f"It could end programs {whom}, and connect to sockets without a path.")
        if 0 < self.landlock < 9:
            gaps.append("It could connect to sockets of this account's programs if it knew their paths.")
        if not self.system_calls:
            gaps.append("It could change modes and times of files, and limits and priorities of processes.")
        gaps.append("It could read other files of this account, and use the network.")
        return gaps


class Property(_Part):
    """One property that an answer must have."""

    expected: Short
    passed: bool
    observed: Long


class ExerciseGrade(_Part):
    """What one exercise got.

    Attributes
    ----------
    seconds : float
        How long its check took, or, where that took longer, one of its cells.
    fingerprint : str
        Equal for answers that differ at most in names, comments and spaces; empty for a short one.
    alike : list of str
        Whose answer has the same fingerprint; ``"solution"`` is the lesson's own.
    """

    id: str = Field(max_length=20)
    title: str = Field("", max_length=300)
    points: float = Field(0, ge=0)
    of: float = Field(1, ge=0)
    state: Literal["passed", "failed", "not_yet", "not_reached", "tampered", "ungraded"] = "not_reached"
    place: Place = "outside"
    findings: list[Property] = Field(default_factory=list, max_length=200)
    message: Short = ""
    seconds: float = 0
    fingerprint: str = Field("", max_length=64)
    alike: list[Short] = Field(default_factory=list, max_length=50)


class NotebookGrade(_Part):
    """What one notebook got.

    Attributes
    ----------
    seconds : float
        How long all of it took.
    longest_seconds : float
        How long the slowest of its cells and checks took.
    protection : Protection or None
        What it really had; None when nothing of it was run.
    changed_at : str
        When its file was written last, as far as the file system knows, in UTC.
    """

    learner: str
    lesson: str
    file: str
    changed_at: str = ""
    status: Status = "graded"
    points: float = 0
    of: float = 0
    exercises: list[ExerciseGrade] = Field(default_factory=list, max_length=200)
    notes: list[Note] = Field(default_factory=list, max_length=50)
    seconds: float = 0
    longest_seconds: float = 0
    peak_bytes: int = 0
    protection: Protection | None = None


class Grades(_Part):
    """What a class got."""

    graded_at: str
    version: str
    seed: int
    limits: Limits
    submissions: list[NotebookGrade]
    notes: list[Note] = Field(default_factory=list)
