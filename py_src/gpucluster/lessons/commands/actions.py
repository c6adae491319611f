"""What ``gpucluster lessons …`` does. An action receives the parsed command line and prints nothing."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from argparse import Namespace
from pathlib import Path
from stat import S_ISDIR

from ...cli.arguments import shown, shown_path, whole_number
from ...cli.commands import Answer, Say
from ...protocol.errors import ClusterNotFound, GPUClusterError, InvalidRequest, MissingPackage
from ..catalogue import Lesson, lessons
from ..copies import LessonFolderError, LessonNotFound, copy_lessons, copy_recall, known_lesson, reset_lesson
from ..learner_progress import Progress, ProgressUnreadable, forget, load, progress_file
from . import tables
from .lab import FOLDER

_CELL_SECONDS = 300


def own_folder(found: Namespace) -> Path:
    """Return the folder of the learner's copies: the one named, the one we are in, or ``gpucluster-lessons``."""
    named = getattr(found, "folder", None)
    if named is not None:
        folder = Path(named).expanduser().absolute()
        try:
            usable = S_ISDIR(folder.stat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            usable = True
        except OSError as error:  # the name is too long, or the folder is another user's
            raise InvalidRequest(f"{shown_path(named)} cannot be read: {error.strerror}.") from None
        if not usable:
            raise InvalidRequest(f"{shown_path(named)} is not a folder.")
        return folder
    place = progress_file().parent
    is_inside = progress_file().is_file() or place != Path.cwd() or place.name == FOLDER
    return place if is_inside else place / FOLDER


def list_lessons(found: Namespace, _say: Say) -> Answer:
    """List the lessons, and how far the learner is."""
    folder = own_folder(found)
    progress, warnings = _progress(folder)
    data = [
        {
            "id": lesson.id,
            "title": lesson.title,
            "minutes": lesson.minutes,
            "needs": lesson.needs,
            "exercises": len(lesson.exercises),
            "passed": _passed(lesson, progress),
            "notebook": str(_notebook(folder, lesson)) if _notebook(folder, lesson).is_file() else None,
        }
        for lesson in lessons()
    ]
    return Answer(tables.lesson_table(data), data, warnings=warnings)


def copy(found: Namespace, _say: Say) -> Answer:
    """Copy notebooks; a learner's work is left alone."""
    folder = own_folder(found)
    wanted = [known_lesson(name) for name in getattr(found, "lessons", [])] or lessons()
    try:
        written = copy_lessons(folder, solutions=getattr(found, "solutions", False), only=[one.id for one in wanted])
    except OSError as error:
        raise LessonFolderError(f"The lessons cannot be copied to {shown_path(folder)}: {error.strerror}.") from error
    if getattr(found, "recall", False):
        written += [copy_recall(folder, lesson.id).notebook for lesson in wanted]
    text = "\n".join(str(path) for path in written) or "Nothing to copy: everything is already there."
    return Answer(text, notes=[f"Work there: cd {folder}"] if written else [])


def open_lesson(found: Namespace, _say: Say) -> Answer:
    """Become JupyterLab with the lesson open."""
    from importlib.util import find_spec

    from .lab import workspace_path

    port = whole_number(getattr(found, "port", "8888"), "--port", 1, 65535)
    folder = own_folder(found)
    lesson, place = _place(found.lesson)
    if getattr(found, "recall", False):
        notebook = copy_recall(folder, lesson.id).notebook
    else:
        try:
            copy_lessons(folder, only=[lesson.id])
        except OSError as error:
            why = f"The lesson cannot be copied to {shown_path(folder)}: {error.strerror}."
            raise LessonFolderError(why) from error
        notebook = _notebook(folder, lesson)
    if find_spec("jupyterlab") is None:
        raise MissingPackage("JupyterLab is not installed. Install it: pip install jupyterlab")
    path = notebook.relative_to(folder.parent).as_posix()
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder.parent}", f"--port={port}",
               f"--LabApp.default_url={workspace_path()}/tree/{path}"]  # fmt: skip
    if getattr(found, "no_browser", False):
        command.append("--no-browser")
    if os.geteuid() == 0:
        command.append("--allow-root")  # in a container, which has no other users
    if place:
        print(f"This opens the notebook of lesson {lesson.id} at its beginning; go to {place} there.", file=sys.stderr)
    sys.stdout.flush()
    os.execv(command[0], command)  # noqa: S606  # the user's own arguments


def check(found: Namespace, say: Say) -> Answer:
    """Run the learner's notebook in a fresh kernel."""
    notebook = _named_notebook(own_folder(found), found.lesson)
    cluster = getattr(found, "cluster", None)
    if cluster is not None:
        _check_cluster(cluster)
    from ..execution import execute

    say(f"Running {notebook.name}")
    run = execute(notebook, cluster=cluster, cell_timeout=_CELL_SECONDS, keep_going=True)
    checks = run.of_kind("check")
    data = {"notebook": str(notebook), "checks": checks, "errors": run.errors}
    passed = bool(checks) and all(one["state"] == "passed" for one in checks) and not run.errors
    return Answer(tables.check_text(checks, run.errors), data, code=0 if passed else 1)


def reset(found: Namespace, _say: Say) -> Answer:
    """Reset a lesson and keep a backup."""
    written = reset_lesson(own_folder(found), found.lesson)
    kept = f"\nYour work is in {written.backup}." if written.backup else ""
    return Answer(f"Fresh: {written.notebook}{kept}")


def progress(found: Namespace, _say: Say) -> Answer:
    """Show the learner's progress, or delete it."""
    folder = own_folder(found)
    if getattr(found, "delete", False):
        return _delete(folder, sure=getattr(found, "yes", False))
    own = load(folder)
    _check_place(folder)
    text = tables.progress_text(own, progress_file(folder))
    return Answer(text, own.model_dump(mode="json"))


def share(found: Namespace, _say: Say) -> Answer:
    """Let a class see the learner's progress, or stop that."""
    from ..learner_progress import share, share_again, withdraw
    from ..learner_progress.shared_file import shared_file

    folder, target, name = own_folder(found), getattr(found, "shared", None), getattr(found, "name", None)
    if getattr(found, "stop", False):
        if target is not None:
            raise InvalidRequest("Pass FOLDER or --stop, not both.")
        if name is not None:
            raise InvalidRequest("Pass --name or --stop, not both.")
        return Answer("Stopped; your file was removed." if withdraw(folder) else "You are not sharing.")
    if target is not None:
        written = share(Path(target), _login() if name is None else name, folder)
        return Answer(f"Shared: {written}", notes=["To stop: gpucluster lessons share --stop"])
    own = load(folder)
    if own.sharing.folder is None:
        if name is not None:
            raise InvalidRequest(
                "You are not sharing your progress. Also pass the folder of the class: FOLDER --name NAME"
            )
        return Answer("You are not sharing your progress.")
    if name is not None:
        share(Path(own.sharing.folder), name, folder)
    own = share_again(folder)
    problem = own.not_shared
    return Answer(problem or f"You are sharing as {own.sharing.name}: {shared_file(own)}", code=1 if problem else 0)


def show_class(found: Namespace, _say: Say) -> Answer:
    """Show who of a class is where."""
    from ..classroom import read_class

    view = read_class(Path(found.shared))
    text = tables.minutes_text(view) if getattr(found, "minutes", False) else tables.class_text(view)
    return Answer(text, view.model_dump(mode="json"))


def import_questions(found: Namespace, _say: Say) -> Answer:
    """Take over questions or cards of other tools."""
    from ..study.bank.importing import import_file

    into = getattr(found, "into", None)
    if into and (into.endswith(os.sep) or Path(into).is_dir()):
        raise InvalidRequest(f"--into: {shown_path(into)} is a directory; specify a file name.")
    lesson = known_lesson(found.lesson)
    done = import_file(
        Path(found.source), lesson.id, topic=found.topic, link=getattr(found, "link", None),
        into=Path(into) if into else None,
    )  # fmt: skip
    if into:
        return Answer(str(done))
    return Answer(done.content.model_dump_json(indent=1, exclude_unset=True), notes=list(done.notes))


def _delete(folder: Path, *, sure: bool) -> Answer:
    if not sure:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise InvalidRequest(
                "Nothing was deleted: there is no terminal to confirm it. Add --yes to delete your progress."
            )
        print(f"Delete {progress_file(folder)}? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
            return Answer("Nothing was deleted.", code=1)
    return Answer("Deleted." if forget(folder) else "There is nothing to delete.")


def _place(link: str) -> tuple[Lesson, str]:
    """Return the lesson of a link such as ``06``, ``06.5`` or ``06#anchor``, and the place in it, in words."""
    number, sign, rest = re.fullmatch(r"([^.#]*)([.#]?)(.*)", link, re.DOTALL).groups()  # type: ignore[union-attr]
    lesson = known_lesson(number)
    if sign == "." and lesson.exercise(f"{lesson.id}.{rest}") is None:
        raise LessonNotFound(f"Lesson {lesson.id} has no exercise {shown(link)}.")
    if sign == "#" and rest not in lesson.anchors:
        raise LessonNotFound(f"Lesson {lesson.id} has no cell {shown(rest)}.")
    return lesson, {"": "", ".": f"exercise {lesson.id}.{rest}", "#": f"the cell {rest}"}[sign]


def _check_cluster(name: str) -> None:
    from ...client.control import Control

    model = Control(by=f"command line, process {os.getpid()}").get(name)
    if model.state.ended:
        raise ClusterNotFound(f"The cluster {shown(name)} has ended: {model.state.value}.")


def _check_place(folder: Path) -> None:
    """Raise a sentence when nothing could ever be kept there, as in ``/proc``."""
    if progress_file(folder).exists() or not folder.exists():
        return
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise LessonFolderError(f"No progress can be kept in {shown_path(folder)}: {error.strerror}.") from None


def _progress(folder: Path) -> tuple[Progress, list[str]]:
    try:
        return load(folder), []
    except ProgressUnreadable as error:
        return Progress(), [error.message]


def _passed(lesson: Lesson, own: Progress) -> int:
    states = [own.exercises.get(exercise.id) for exercise in lesson.exercises]
    return sum(state is not None and state.state == "passed" for state in states)


def _notebook(folder: Path, lesson: Lesson) -> Path:
    return folder / lesson.slug / lesson.notebook.name


def _named_notebook(folder: Path, named: str) -> Path:
    if named.endswith(".ipynb"):
        path = Path(named).expanduser()
        if not path.is_file():
            raise InvalidRequest(f"Notebook {shown_path(named)} not found.")
        return path
    path = _notebook(folder, known_lesson(named))
    if not path.is_file():
        hint = f"Copy it first: gpucluster lessons copy {shown(named)}"
        raise LessonFolderError(f"{shown_path(path)} does not exist. {hint}")
    return path


def _login() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError):
        raise GPUClusterError("Cannot determine your login name. Set one: --name NAME") from None


def grade(found: Namespace, say: Say) -> Answer:
    """Grade submissions."""
    from .grading import grade_submissions

    text, data, code = grade_submissions(found, say)
    return Answer(text, data, code=code)


def marks(found: Namespace, _say: Say) -> Answer:
    """Make marks of grades."""
    from .grading import write_marks

    return Answer(*write_marks(found))
