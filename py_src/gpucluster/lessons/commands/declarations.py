"""The verbs ``gpucluster lab`` and ``gpucluster lessons …``, and their arguments."""

from argparse import Namespace
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NoReturn

from ...cli.arguments import SentenceParser
from ...cli.commands import SHELL, Answer, Commands, Say, Subcommand

FORMATS = ("csv", "moodle", "canvas")
KEPT = ("newest", "best")
SANDBOXES = ("auto", "bubblewrap", "apptainer", "container", "landlock")


def _numbers() -> list[str]:
    from ..catalogue import lessons

    return [lesson.id for lesson in lessons()]


def _lesson(parser: SentenceParser, text: str = "Number of the lesson, such as 06.") -> None:
    parser.argument("lesson", metavar="LESSON", complete=_numbers, help=text)


def _folder(parser: SentenceParser) -> None:
    parser.argument(
        "--folder", metavar="FOLDER", complete="file",
        help="Folder of your copies and of your progress. Default: the current one, else gpucluster-lessons.",
    )  # fmt: skip


def _json(parser: SentenceParser) -> None:
    parser.argument("--json", action="store_true", help="Print JSON instead of text.")


def declare_list(parser: SentenceParser, _face: str) -> None:
    """List the lessons."""
    _folder(parser)
    _json(parser)


def declare_copy(parser: SentenceParser, _face: str) -> None:
    """Copy notebooks for a learner."""
    parser.argument(
        "lessons", nargs="*", metavar="LESSON", complete=_numbers, help="Numbers of lessons. Default: all of them."
    )
    parser.argument("--solutions", action="store_true", help="Copy the notebooks with the solutions too.")
    parser.argument("--recall", action="store_true", help="Copy the notebooks without prose too.")
    _folder(parser)


def declare_open(parser: SentenceParser, _face: str) -> None:
    """Open a lesson in JupyterLab."""
    _lesson(parser, "Number of the lesson, such as 06; of an exercise, such as 06.5: its notebook.")
    parser.argument("--recall", action="store_true", help="Open the copy without prose.")
    parser.argument("--port", metavar="N", help="Port of JupyterLab. 1 to 65535. Default: first free one from 8888.")
    parser.argument("--no-browser", action="store_true", help="Only print the address.")
    _folder(parser)


def declare_check(parser: SentenceParser, _face: str) -> None:
    """Run a learner's notebook and say which checks pass."""
    _lesson(parser, "Number of the lesson, or a notebook.")
    parser.argument("--cluster", metavar="NAME", complete="living", help="Cluster to use. Default: as in the notebook.")
    _folder(parser)
    _json(parser)


def declare_reset(parser: SentenceParser, _face: str) -> None:
    """Reset a lesson."""
    _lesson(parser)
    _folder(parser)


def declare_progress(parser: SentenceParser, _face: str) -> None:
    """Show or delete a learner's progress."""
    parser.argument("--delete", action="store_true", help="Delete it, including what a class sees of it.")
    parser.argument("--yes", action="store_true", help="With --delete: do not prompt; required without a terminal.")
    _folder(parser)
    _json(parser)


def declare_share(parser: SentenceParser, _face: str) -> None:
    """Let a class see a learner's progress."""
    parser.argument(
        "shared", nargs="?", metavar="FOLDER", complete="file",
        help="Folder of the class. Default: show whether you share.",
    )  # fmt: skip
    parser.argument("--name", metavar="NAME", help="Name that the class sees. Default: the one you log in with.")
    parser.argument("--stop", action="store_true", help="Stop sharing, and remove your file from the folder.")
    _folder(parser)


def declare_class(parser: SentenceParser, _face: str) -> None:
    """Show a class."""
    parser.argument("shared", metavar="FOLDER", complete="file", help="Folder in which the learners share.")
    parser.argument("--minutes", action="store_true", help="Show how long exercises took, beside the stated time.")
    _json(parser)


def declare_grade(parser: SentenceParser, _face: str) -> None:
    """Grade submissions."""
    parser.argument(
        "submissions", metavar="SUBMISSIONS", complete="file",
        help="Folder with one folder per learner, or with notebooks that are named after their learners.",
    )  # fmt: skip
    parser.argument("--out", metavar="FILE", complete="file", help="Table of the results. Default: grades.csv.")
    parser.argument("--report", metavar="FILE", complete="file", help="Page of the results. Default: beside the table.")
    parser.argument(
        "--exercises",
        metavar="FILE",
        complete="file",
        help="Also write a table of what fails in each exercise, and how often.",
    )
    parser.argument(
        "--feedback",
        metavar="FOLDER",
        complete="file",
        help="Also write a page for each learner, to hand back. The folder is created if missing.",
    )
    parser.argument("--lesson", metavar="LESSON", complete=_numbers, help="Grade only this lesson. Default: all.")
    parser.argument("--learner", metavar="NAME", help="Grade this learner's notebooks again.")
    parser.argument("--seconds", metavar="N", help="Time for one notebook. 10 to 7200. Default: 300.")
    parser.argument("--memory", metavar="SIZE", help="Memory for one notebook and its workers. Default: 4 GiB.")
    parser.argument("--seed", metavar="N", help="Seed of the hidden inputs, the same for all. Default: a random one.")
    parser.argument("--jobs", metavar="N", help="Notebooks at a time. 1 to 64. Default: by processors and memory.")
    parser.argument(
        "--again",
        action="store_true",
        help="Grade everything again, including what an earlier run with this table has graded.",
    )
    parser.argument(
        "--every-cell", action="store_true",
        help="Run every cell. Default: skip the lesson's own cells that no answer needs.",
    )  # fmt: skip
    parser.argument(
        "--sandbox", metavar="KIND", complete=SANDBOXES,
        help="Kind of sandbox: auto, bubblewrap, apptainer, container or landlock. Default: auto, the best that works.",
    )  # fmt: skip
    parser.argument(
        "--image", metavar="IMAGE", complete="file",
        help="System for apptainer and container: a file, or an image that Podman or Docker has.",
    )  # fmt: skip
    parser.argument(
        "--unprotected", action="store_true",
        help="Grade even without a working sandbox. Default: refuse.",
    )  # fmt: skip
    _json(parser)


def declare_marks(parser: SentenceParser, _face: str) -> None:
    """Make marks of grades."""
    parser.argument(
        "grades", nargs="?", default="grades.json", metavar="GRADES", complete="file",
        help="File that 'gpucluster lessons grade' has written. Default: grades.json.",
    )  # fmt: skip
    parser.argument("--out", metavar="FILE", complete="file", default="marks.csv", help="Default: marks.csv.")
    parser.argument(
        "--format", metavar="FORMAT", complete=FORMATS, default="csv",
        help="csv, or a file to import: moodle or canvas, in percent. Default: csv.",
    )  # fmt: skip
    parser.argument(
        "--keep", metavar="WHICH", complete=KEPT, default="newest",
        help="Which of several notebooks of a lesson counts: newest or best. Default: newest.",
    )  # fmt: skip
    parser.argument(
        "--deadline", metavar="TIME", help="Mark later notebooks as late; such as 2027-03-01T18:00, local time."
    )
    parser.argument(
        "--weights", metavar="LESSON=N,…", help="Factors of lessons or exercises, such as 06=2,06.3=0. Default: 1."
    )
    parser.argument(
        "--partial", action="store_true",
        help="Give a failed exercise the fraction of its properties that hold. Default: one point or none.",
    )  # fmt: skip
    _json(parser)


def declare_import(parser: SentenceParser, _face: str) -> None:
    """Take over questions or cards of other tools."""
    parser.argument(
        "source", metavar="FILE", complete="file", help="Questions of jupyterquiz or cards of jupytercards."
    )
    parser.argument("--lesson", metavar="LESSON", required=True, complete=_numbers, help="Lesson that they belong to.")
    parser.argument("--topic", metavar="TOPIC", required=True, help="Topic of the lesson that they are about.")
    parser.argument("--link", metavar="LINK", help="Where the lesson explains them, such as 03#starvation.")
    parser.argument(
        "--into", metavar="FILE", complete="file",
        help="Our quiz.json or cards.json, to which they are added. Default: print the result.",
    )  # fmt: skip


def declare_lab(parser: SentenceParser, _face: str) -> None:
    """Open JupyterLab."""
    parser.argument("arguments", nargs="*", metavar="ARGUMENT", help="Passed on to 'jupyter lab'.")


def _action(name: str) -> Callable[[Namespace, Say], Answer]:
    """Return what imports an action when it is carried out."""

    def run(found: Namespace, say: Say) -> Answer:
        answer: Answer = getattr(import_module(".actions", __package__), name)(found, say)
        return answer

    return run


def _verb(name: str, summary: str, declare: Callable[[SentenceParser, str], None], action: str = "") -> Subcommand:
    return Subcommand(f"lessons {name}", summary, declare, (SHELL,), run=_action(action or name))


def _become_lab(words: Sequence[str]) -> NoReturn:
    from .lab import run_lab

    run_lab(words)


LESSONS = Commands(
    (
        _verb("list", "List the lessons and your progress.", declare_list, "list_lessons"),
        _verb("copy", "Copy the notebooks of lessons for you to work in.", declare_copy),
        _verb("open", "Open a lesson in JupyterLab; it is copied first if needed.", declare_open, "open_lesson"),
        _verb(
            "check",
            "Run your notebook of a lesson in a fresh kernel and show which checks pass; your progress is unchanged.",
            declare_check,
        ),
        _verb("reset", "Start a lesson over; the previous copy is kept in a folder beside it.", declare_reset),
        _verb("progress", "Show your progress, or delete it.", declare_progress),
        _verb("share", "Let a class see your progress in a shared folder, or stop that.", declare_share),
        _verb(
            "class", "Show where each learner of a class is, and which check fails most.", declare_class, "show_class"
        ),
        _verb("grade", "Grade the notebooks of a class.", declare_grade),
        _verb("marks", "Make marks from grades: a table for a spreadsheet, Moodle or Canvas.", declare_marks),
        _verb("import", "Import jupyterquiz questions or jupytercards cards.", declare_import, "import_questions"),
    ),
    "Lessons about them.",
)
LAB = Commands((Subcommand("lab", "Start JupyterLab with the lessons.", declare_lab, (SHELL,), become=_become_lab),))
