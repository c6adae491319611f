"""Run a lesson without a person: ``python -m gpucluster.lessons.run 06 --cluster NAME``.

Executes the solution notebook, prints what its reports and checks say, and fails when a check does not pass.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ..protocol.errors import GPUClusterError
from .catalogue import find_lesson, lessons
from .execution import ExecutedLesson, execute


def summary(run: ExecutedLesson) -> list[str]:
    """Return the lines to print."""
    lines = []
    for report in run.of_kind("report"):
        lines += [f"{key}: {value}" for key, value in report["figures"].items()]
    lines += [f"check {check['exercise']}: {check['state'].replace('_', ' ')}" for check in run.of_kind("check")]
    return [*lines, f"total seconds: {run.seconds:.1f}"] if run.seconds is not None else lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one lesson; return 0 when all of its checks pass."""
    parser = argparse.ArgumentParser(prog="python -m gpucluster.lessons.run", description="Run a lesson's solution.")
    parser.add_argument("lesson", help="number of the lesson, such as 06")
    parser.add_argument("--cluster", help="name or id of a running cluster; default: as in the notebook")
    parser.add_argument("--output", type=Path, help="file for the executed notebook")
    options = parser.parse_args(arguments)
    lesson = find_lesson(options.lesson)
    if lesson is None:
        print(f"Lesson {options.lesson} not found. Lessons: {', '.join(known.id for known in lessons())}.",
              file=sys.stderr)  # fmt: skip
        return 2
    print(f"Lesson {lesson.id}: {lesson.title}", flush=True)
    try:
        run = execute(lesson.solution_notebook, cluster=options.cluster)
    except GPUClusterError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    if options.output:
        import nbformat

        nbformat.write(run.notebook, options.output)  # type: ignore[no-untyped-call]
    print("\n".join(summary(run)))
    checks = run.of_kind("check")
    return 0 if checks and all(check["state"] == "passed" for check in checks) else 1


if __name__ == "__main__":
    raise SystemExit(main())
