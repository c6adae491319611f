"""Grading a class: one runner per notebook, several at a time, and the answer keys first."""

import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from datetime import UTC, datetime

from ...operating_system.processes import namespaces_of
from ..catalogue import find_lesson
from .answer_key import AnswerKey, grade_key
from .grades import ExerciseGrade, Grades, NotebookGrade
from .job import Job, Limits, Place, Sandboxing
from .notebooks import read_file
from .progress import Progress, job_fingerprint, lesson_fingerprint
from .runner.process import Runners, grade_in_runner
from .sandbox.protection import Unprotected
from .sandbox.trying import choose
from .submissions import Submission, closed_folders, repeated

_MISSING = re.compile(
    r"(Name|UndefinedVariable|Attribute|Key|Index|FileNotFound|ModuleNotFound)Error|is not defined|No such file"
)
_SOLUTION = "solution"
Say = Callable[[str], None]


def grade(
    submissions: Sequence[Submission],
    limits: Limits | None = None,
    *,
    seed: int | None = None,
    sandboxing: Sandboxing | None = None,
    unprotected: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
    every_cell: bool = False,
    notes: Sequence[str] = (),
    say: Say = lambda text: None,
    keep: Callable[[Grades, NotebookGrade], None] = lambda grades, result: None,
) -> Grades:
    """Grade notebooks.

    For each lesson, the answer key is graded first. It shows which exercises can be checked from outside of the kernel,
    and an exercise that the key does not pass on this machine, or not in a learner's time, gives no one points.

    Parameters
    ----------
    submissions : sequence of Submission
        See `find_submissions`. The results have their order, however many are graded at a time.
    limits : Limits, optional
        What one notebook may use.
    seed : int, optional
        Seed of the hidden inputs, the same for the whole class. Left out: that of ``progress``, or a random one, which
        the result names.
    sandboxing : Sandboxing, optional
        In what kind of sandbox; see `sandbox.trying.choose`. Left out: the best that works.
    unprotected : bool, optional
        Grade also on a machine that cannot hold notebooks back.
    jobs : int, optional
        How many at a time.
    progress : Progress, optional
        What is graded already, which is not graded again.
    every_cell : bool, optional
        Run also the lesson's own cells that nothing of what a learner has written needs.
    notes : sequence of str, optional
        What else is to be said in the results.
    say : callable, optional
        Told what happens, from several threads.
    keep : callable, optional
        Given what is graded so far, and what came last, after each notebook.

    Raises
    ------
    Unprotected
        When this machine cannot hold notebooks back.
    """
    sandboxing = sandboxing or _best(unprotected=unprotected)
    progress = progress or Progress()
    limits = limits or Limits()
    if seed is None:
        seed = secrets.randbits(32) if progress.seed is None else progress.seed
    progress.begin(seed)
    from ..._version import __version__

    grades = Grades(
        graded_at=datetime.now(UTC).replace(microsecond=0).isoformat(), version=__version__, seed=seed, limits=limits,
        submissions=[],
    )  # fmt: skip
    several = repeated(submissions)
    together = Class(
        submissions, limits, seed, sandboxing, progress, say, jobs=jobs, unprotected=unprotected, every_cell=every_cell
    )
    found: dict[int, NotebookGrade] = {}
    with together.working():
        grades.notes = [*notes, *together.grade_keys()]
        for number, result in together.grade_notebooks():
            if (count := several.get((result.learner, result.lesson))) is not None:
                result.notes.append(f"One of {count} notebooks of this learner for lesson {result.lesson}.")
            found[number] = result
            grades.submissions = [found[place] for place in sorted(found)]
            mark_alike(grades.submissions, together.solution_fingerprints())
            keep(grades, result)
    return grades


class Class:
    """The notebooks of a class, on their way through the runners; see `grade` for the parameters."""

    def __init__(
        self,
        submissions: Sequence[Submission],
        limits: Limits,
        seed: int,
        sandboxing: Sandboxing,
        progress: Progress,
        say: Say,
        *,
        jobs: int,
        unprotected: bool,
        every_cell: bool,
    ) -> None:
        self._submissions, self._limits, self._seed, self._say = submissions, limits, seed, say
        self._sandboxing, self._unprotected, self._progress = sandboxing, unprotected, progress
        self._every_cell = every_cell
        self._closed = closed_folders(submissions)
        self._keys: dict[str, AnswerKey] = {}
        self._fingerprints: dict[str, str] = {}
        self._runners = Runners()
        self._threads = ThreadPoolExecutor(jobs)

    @contextmanager
    def working(self) -> Iterator[None]:
        """End all runners after an error or an interrupt."""
        try:
            yield
        except BaseException:
            self._runners.stop()
            raise
        finally:
            self._threads.shutdown(cancel_futures=True)

    def grade_keys(self) -> list[str]:
        """Grade the answer key of each lesson; return what is to be said about them."""
        wanted = list(dict.fromkeys(one.lesson for one in self._submissions if not one.problem))
        waiting: dict[Future[AnswerKey], str] = {}
        for lesson in wanted:
            known = find_lesson(lesson)
            assert known is not None
            how = (self._unprotected, self._every_cell)
            about = (self._limits.model_dump(), self._seed, self._sandboxing.model_dump(), *how)
            self._fingerprints[lesson] = lesson_fingerprint(known, *about)
            kept = self._progress.key(lesson, self._fingerprints[lesson])
            if kept is not None:
                self._keys[lesson] = kept
            else:
                waiting[self._threads.submit(self._key, lesson)] = lesson
        for done in as_completed(waiting):
            lesson = waiting[done]
            self._keys[lesson] = done.result()
            self._progress.add_key(lesson, self._fingerprints[lesson], self._keys[lesson])
        return [note for lesson in wanted for note in self._keys[lesson].notes]

    def solution_fingerprints(self) -> dict[str, str]:
        """Return those of the answer keys, by exercise."""
        return {number: one.fingerprint for key in self._keys.values() for number, one in key.grades.items()}

    def grade_notebooks(self) -> Iterator[tuple[int, NotebookGrade]]:
        """Yield each result with the place of its notebook, as they come."""
        waiting: dict[Future[tuple[NotebookGrade, str]], int] = {}
        for number, submission in enumerate(self._submissions):
            waiting[self._threads.submit(self._notebook, number, submission)] = number
        for done in as_completed(waiting):
            result, fingerprint = done.result()
            if fingerprint:
                self._progress.add_notebook(fingerprint, result)
            key = self._keys.get(result.lesson)
            _complete(result, key.grades if key else None)
            yield waiting.pop(done), result

    def _key(self, lesson: str) -> AnswerKey:
        self._say(f"Grading the answer key of lesson {lesson}")
        return grade_key(
            lesson, self._limits, self._seed, unprotected=self._unprotected, sandboxing=self._sandboxing,
            runners=self._runners, every_cell=self._every_cell,
        )  # fmt: skip

    def _notebook(self, number: int, submission: Submission) -> tuple[NotebookGrade, str]:
        """A result, with what it is to be kept under; empty: it is not to be kept, or is already."""
        where = f"{number + 1} of {len(self._submissions)}: {submission.learner}, lesson {submission.lesson}"
        file = submission.file or submission.path.name.encode("utf-8", "backslashreplace").decode()
        changed_at = _changed_at(submission)
        note, text = f"The notebook was not graded: {submission.problem}.", b""
        if not submission.problem:
            note = ""
            try:
                text = read_file(submission.path, submission.root)
            except ValueError as error:
                note = f"The notebook {error}."
        if note:
            self._say(f"Grading {where}")
            return NotebookGrade(
                learner=submission.learner, lesson=submission.lesson, file=file, status="unreadable", notes=[note],
                changed_at=changed_at,
            ), ""  # fmt: skip
        key = self._keys[submission.lesson]
        places: dict[str, Place] = {name: one.place for name, one in key.grades.items()}
        job = Job(
            notebook=text, file=file, learner=submission.learner, lesson=submission.lesson, seed=self._seed,
            limits=self._limits, places=places, closed_folders=self._closed, unprotected=self._unprotected,
            sandboxing=self._sandboxing, namespaces=namespaces_of(), every_cell=key.every_cell,
        )  # fmt: skip
        fingerprint = job_fingerprint(job, self._fingerprints[submission.lesson])
        kept = self._progress.notebook(job, fingerprint)
        if kept is not None:
            self._say(f"Graded before: {where}")
            return kept.model_copy(update={"changed_at": changed_at}), ""
        self._say(f"Grading {where}")
        result = grade_in_runner(job, self._runners)
        if not job.every_cell and _may_lack_a_cell(result):
            again = grade_in_runner(job.model_copy(update={"every_cell": True}), self._runners)
            result = again if _points(again) >= _points(result) else result
        return result.model_copy(update={"changed_at": changed_at}), fingerprint


def mark_alike(submissions: Iterable[NotebookGrade], solutions: Mapping[str, str]) -> None:
    """Note which answers differ at most in names, comments and spaces: a hint to look, not a verdict.

    Parameters
    ----------
    submissions : iterable of NotebookGrade
        Their exercises get the names of learners with such an answer, and ``"solution"``. None do where more than three
        learners and a quarter of the class share it: then it is what most would write.
    solutions : mapping
        Fingerprint of the lesson's own answer by exercise.
    """
    answers: dict[str, list[tuple[str, ExerciseGrade]]] = {}
    for notebook in submissions:
        for one in notebook.exercises:
            one.alike = []
            if one.fingerprint and one.state in ("passed", "failed"):
                answers.setdefault(one.id, []).append((notebook.learner, one))
    for number, found in answers.items():
        most = max(3, len({learner for learner, _ in found}) // 4)
        for learner, one in found:
            same = sorted({other for other, each in found if each.fingerprint == one.fingerprint})
            if len(same) <= most:
                own = [_SOLUTION] if one.fingerprint == solutions.get(number) else []
                one.alike = [*own, *(other for other in same if other != learner)]


def _changed_at(submission: Submission) -> str:
    try:
        seconds = submission.path.lstat().st_mtime
    except OSError:
        return ""
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=0).isoformat()


def _best(*, unprotected: bool) -> Sandboxing:
    try:
        return choose().sandboxing
    except Unprotected:
        if unprotected:
            return Sandboxing()
        raise


def _may_lack_a_cell(result: NotebookGrade) -> bool:
    """Whether points were lost, perhaps because what a cell of the lesson does that was not run is missing."""
    lost = [one for one in result.exercises if one.state != "passed"]
    texts = [text for one in lost for text in (one.message, *(each.observed for each in one.findings))]
    return bool(lost) and any(map(_MISSING.search, [*texts, *result.notes]))


def _points(result: NotebookGrade) -> float:
    return sum(one.points for one in result.exercises)


def _complete(result: NotebookGrade, key: dict[str, ExerciseGrade] | None) -> None:
    """Give the result every exercise of its lesson: what could not be graded has no point, and still counts."""
    found = {one.id: one for one in result.exercises}
    known = find_lesson(result.lesson)
    if known is None:
        return
    result.exercises = [
        _as_the_key_allows(found.get(exercise.id) or ExerciseGrade(id=exercise.id, title=exercise.title), key)
        for exercise in known.exercises
    ]
    result.points = sum(one.points for one in result.exercises)
    result.of = sum(one.of for one in result.exercises)


def _as_the_key_allows(one: ExerciseGrade, keys: dict[str, ExerciseGrade] | None) -> ExerciseGrade:
    """The grade, unchanged if the exercise counts, else without points."""
    if keys is None:  # no readable notebook of this lesson was handed in
        return one
    key = keys.get(one.id)
    if key is not None and key.state == "passed":
        return one
    message = key.message if key is not None and key.state == "ungraded" else "The answer key fails here."
    return one.model_copy(update={"points": 0, "of": 0, "state": "ungraded", "message": message})
