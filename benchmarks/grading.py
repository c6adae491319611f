"""How long a class takes to grade: learners who handed in the solutions, through `gpucluster lessons grade`.

``python -m benchmarks.grading --learners 3 --lessons 02 04 06 --jobs 2``

With ``--of 30`` it also estimates the time for a class of thirty: the answer keys once, then each notebook as long as
those that were graded, with the same number at a time. All answers are correct; a notebook that loops would take its
whole time limit.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gpucluster.lessons.catalogue import find_lesson


def main() -> None:
    """Grade a class and print, as JSON, how long it took for each lesson and for all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learners", type=int, default=3)
    parser.add_argument("--lessons", nargs="+", default=["02", "04", "06"])
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--of", type=int, help="Estimate the time for this number of learners.")
    found = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="class") as name:
        folder = Path(name)
        for number in range(found.learners):
            for lesson in map(find_lesson, found.lessons):
                assert lesson is not None
                place = folder / "class" / f"learner-{number:02}" / f"{lesson.slug}.ipynb"
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(lesson.solution_notebook, place)
        began = time.monotonic()
        command = [
            *(sys.executable, "-m", "gpucluster.cli", "lessons", "grade", "class", "--seed", "1", "--json"),
            *("--jobs", found.jobs, "--sandbox", found.sandbox),
        ]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        taken = time.monotonic() - began
    notebooks = json.loads(done.stdout)["submissions"]
    seconds: dict[str, list[float]] = {}
    for one in notebooks:
        seconds.setdefault(one["lesson"], []).append(one["seconds"])
    graded = sum(one["seconds"] for one in notebooks) / int(found.jobs) if found.jobs.isdecimal() else None
    whole = taken - graded + graded * found.of / found.learners if found.of and graded else None
    print(json.dumps({
        "notebooks": len(notebooks), "jobs": found.jobs, "sandbox": str(notebooks[0]["protection"]["kind"]),
        "seconds_with_keys": round(taken, 1),
        **({"learners": found.of, "minutes_of_all": round(whole / 60, 1)} if whole else {}),
        "points": [sum(one["points"] for one in notebooks), sum(one["of"] for one in notebooks)],
        "mean_seconds": {lesson: round(sum(each) / len(each), 1) for lesson, each in seconds.items()},
        "notes": done.stderr.splitlines(),
    }, indent=2))  # fmt: skip


if __name__ == "__main__":
    main()
