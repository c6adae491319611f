"""Grading the notebooks of a class: learners' code in fresh kernels, checks on the instructor's side.

Three kinds of processes take part. The *command* (``gpucluster lessons grade``: `whole_class`) starts a *runner* for
each notebook (`runner`), with limits of time, memory and processes, in a folder that is thrown away (`sandbox`). The
runner starts the learner's *kernel* (`kernel`). At each check the *grader* in the runner looks at the answers through a
channel (`remote`): it sends inputs, gets plain data back, and checks that itself. What the notebook prints or claims is
never looked at. Where an exercise cannot be checked from outside, the check runs in the kernel instead; the results
say so.

What this does not protect against is in ``docs/grading.md``.
"""

from .grades import ExerciseGrade, Grades, NotebookGrade
from .job import Limits, Sandboxing
from .marks import Marks, Rules, canvas_text, marks_of, marks_text, moodle_text
from .progress import Progress
from .report import exercise_table_text, file_names, html_report, learner_page, others_pages, table_text
from .submissions import Submission, find_submissions, missing_notes, repeated_notes
from .whole_class import grade

__all__ = [
    "ExerciseGrade",
    "Grades",
    "Limits",
    "Marks",
    "NotebookGrade",
    "Progress",
    "Rules",
    "Sandboxing",
    "Submission",
    "canvas_text",
    "exercise_table_text",
    "file_names",
    "find_submissions",
    "grade",
    "html_report",
    "learner_page",
    "marks_of",
    "marks_text",
    "missing_notes",
    "moodle_text",
    "others_pages",
    "repeated_notes",
    "table_text",
]
