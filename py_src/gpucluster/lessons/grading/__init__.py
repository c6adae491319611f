"""Grading the notebooks of a class: learners' code in fresh kernels, checks on the instructor's side.

Each notebook is run by a *warden*, a process of its own with limits of time, memory and processes. The learner's
code runs in a kernel that the warden starts, in a folder that is thrown away. At each check, the *referee* in the
warden looks at the answers through a channel: it sends inputs, gets plain data back, and judges them itself. What the
notebook prints or claims is never looked at. Where an exercise cannot be looked at from outside, the check runs in the
kernel instead; the results say so.

What this does not protect against is in ``docs/grading.md``.
"""

from .grades import ExerciseGrade, Grades, Limits, NotebookGrade
from .report.page import html_report
from .report.table import table_text
from .submissions import Submission, find_submissions
from .whole_class import grade

__all__ = [
    "ExerciseGrade",
    "Grades",
    "Limits",
    "NotebookGrade",
    "Submission",
    "find_submissions",
    "grade",
    "html_report",
    "table_text",
]
