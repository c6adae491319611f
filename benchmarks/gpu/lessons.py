"""Run the solution of each lesson on this machine's workers, and compare two such runs: GPU and CPU.

``run`` keeps what each check observed and every number that cells printed; ``compare`` says which of them agree within
the tolerance of their kind (single precision, sums in another order, signs and ties).
"""

from __future__ import annotations

import argparse
import json
import math
import re
import time
from pathlib import Path
from typing import Any

from gpucluster.client.control import Control
from gpucluster.client.libraries import libraries_for
from gpucluster.lessons.catalogue import find_lesson, lessons
from gpucluster.lessons.measuring import measure, private_registry

from .piece import write_json

RELATIVE = 1e-3
"""Single precision, and sums in another order."""
SMALL = 1e-6
"""What is smaller counts as zero."""
_NUMBER = re.compile(r"-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?", re.IGNORECASE)
_TIMED = re.compile(r"\b(s|ms|seconds|tasks? per|bytes|kB|MB|GB|MiB|GiB|times as fast|tls?://|pid)\b")
"""Lines about time, memory and addresses differ between machines; they are not results."""


_DRAWN = re.compile(r"^\s*(observed:|[✓✗] |Versions|You predicted|Port )")
"""Checks draw new data in each run; versions and ports differ between machines."""


def run(numbers: list[str]) -> dict[str, Any]:
    """Run lessons; returns for each its checks, its clusters' workers, seconds, memory and the lines it printed."""
    found: dict[str, Any] = {}
    for lesson in [find_lesson(number) for number in numbers] if numbers else lessons():
        if lesson is None:
            raise SystemExit("There is no such lesson.")
        with private_registry():
            try:
                measured = measure(lesson.solution_notebook, cell_timeout=300, keep_going=True, began=_Cells())
            except Exception as error:  # the other lessons are worth having
                found[lesson.id] = {"failed": f"{type(error).__name__}: {error}"}
                print(lesson.id, found[lesson.id]["failed"], flush=True)
                continue
            backends = sorted({model.backend for model in Control().list()})
        found[lesson.id] = {
            "checks": {one.id: measured.states.get(one.id, "not made") for one in lesson.exercises},
            "backends": backends,
            "seconds": measured.seconds,
            "peak_bytes": measured.peak_bytes,
            "printed": printed(measured.run.notebook),
            "errors": measured.run.errors,
        }
        passed = sum(state == "passed" for state in measured.states.values())
        workers = " and ".join(backends) or "no"
        print(
            lesson.id,
            f"{passed} of {len(lesson.exercises)} checks, {workers} workers, {measured.seconds:.0f} s",
            flush=True,
        )
    return found


class _Cells:
    """Prints which cell is run, so that a truncated log shows where it stopped."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def __call__(self, number: int, first_line: str) -> None:
        print(f"{time.monotonic() - self._start:6.1f} s  cell {number}: {first_line[:80]}", flush=True)


def troubles(found: dict[str, Any], *, needs_gpu: bool) -> list[str]:
    """Return what is wrong with a run, in sentences; with ``needs_gpu`` also that a lesson had no GPU workers."""
    told = []
    for number, one in found.items():
        if "failed" in one:
            told.append(f"{number} failed: {one['failed']}")
            continue
        told += [f"{number}: check {id} is {state}" for id, state in one["checks"].items() if state != "passed"]
        told += [f"{number}: a cell failed: {error}" for error in one.get("errors", ())]
        if needs_gpu and "cuda" not in one["backends"]:
            told.append(f"{number} had no cluster of GPU workers")
    return told


def without_libraries() -> str | None:
    """Return why GPU workers would compute on the CPU here; ``None`` if they do not."""
    libraries = libraries_for(has_gpus=True)
    if (libraries.arrays, libraries.frames) == ("cupy", "cudf"):
        return None
    return libraries.warning or f"Arrays would be {libraries.arrays}, data frames {libraries.frames}."


def printed(book: Any) -> list[str]:
    """Return the lines that cells printed or returned as text."""
    outputs = [output for cell in book.cells for output in cell.get("outputs", ())]
    texts = [one["text"] for one in outputs if one["output_type"] == "stream" and one["name"] == "stdout"]
    texts += [one["data"].get("text/plain", "") for one in outputs if one["output_type"] == "execute_result"]
    return [line for text in texts for line in text.splitlines()]


def comparable(lines: list[str]) -> list[tuple[str, list[float]]]:
    """Return the lines that tell results: their words, and the numbers in them."""
    found = []
    for line in lines:
        if _TIMED.search(line) or _DRAWN.match(line):
            continue
        numbers = [float(one.replace(",", "")) for one in _NUMBER.findall(line)]
        if numbers:
            found.append((_NUMBER.sub("#", line).strip(), numbers))
    return found


def compare(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Compare two runs lesson by lesson.

    Returns
    -------
    dict
        For each lesson: checks that differ, how many lines were compared, those that differ, those that differ in signs
        only (directions are known up to theirs), and how many are in one run only.
    """
    table: dict[str, Any] = {}
    for lesson in sorted(first.keys() & second.keys()):
        one, other = first[lesson], second[lesson]
        if "failed" in one or "failed" in other:
            table[lesson] = {"failed": [one.get("failed"), other.get("failed")]}
            continue
        left, right = by_words(one["printed"]), by_words(other["printed"])
        same = [words for words in left if words in right]
        pairs = [(words, *pair) for words in same for pair in zip(left[words], right[words], strict=False)]
        checks = {id: [state, other["checks"].get(id)] for id, state in one["checks"].items()}
        table[lesson] = {
            "checks_that_differ": {id: pair for id, pair in checks.items() if pair[0] != pair[1]},
            "lines_compared": len(pairs),
            "lines_that_differ": [
                {"line": words, "first": first, "second": second}
                for words, first, second in pairs
                if not _agree(first, second) and not _agree(*_unsigned(first, second))
            ],
            "lines_that_differ_in_signs": [
                {"line": words, "first": first, "second": second}
                for words, first, second in pairs
                if not _agree(first, second) and _agree(*_unsigned(first, second))
            ],
            "lines_in_one_only": sum(
                abs(len(left.get(words, ())) - len(right.get(words, ()))) for words in left.keys() | right.keys()
            ),
            "seconds": [one["seconds"], other["seconds"]],
            "backends": [one.get("backends"), other.get("backends")],
        }
    return table


def differences(table: dict[str, Any]) -> list[str]:
    """Return in sentences what a comparison found."""
    told = [] if table else ["The two runs have no lesson in common."]
    for number, one in table.items():
        if "failed" in one:
            told.append(f"{number} failed in one of the runs")
            continue
        told += [
            f"{number}: check {id} is {first} and {second}" for id, (first, second) in one["checks_that_differ"].items()
        ]
        told += [f"{number}: {line['line']}: {line['first']} and {line['second']}" for line in one["lines_that_differ"]]
        if not one["lines_compared"]:
            told.append(f"{number}: the runs have no line in common")
        if one["backends"][0] == one["backends"][1]:
            told.append(f"{number}: both runs had the same workers")
    return told


def by_words(lines: list[str]) -> dict[str, list[list[float]]]:
    """Return the numbers of the lines that tell results, in their order, by what is said of them."""
    found: dict[str, list[list[float]]] = {}
    for words, numbers in comparable(lines):
        found.setdefault(words, []).append(numbers)
    return found


def _agree(first: list[float], second: list[float]) -> bool:
    return len(first) == len(second) and all(
        math.isclose(one, other, rel_tol=RELATIVE, abs_tol=SMALL) for one, other in zip(first, second, strict=True)
    )


def _unsigned(*rows: list[float]) -> list[list[float]]:
    return [[abs(number) for number in row] for row in rows]


def main() -> int:
    """Run lessons, or compare two runs."""
    parser = argparse.ArgumentParser(description="Run the lessons here, or compare two runs.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    do = verbs.add_parser("run")
    do.add_argument("lessons", nargs="*")
    do.add_argument("--figures", type=Path, required=True)
    do.add_argument("--needs-gpu", action="store_true", help="fail where a lesson had no GPU workers")
    against = verbs.add_parser("compare")
    against.add_argument("first", type=Path)
    against.add_argument("second", type=Path)
    against.add_argument("--figures", type=Path, required=True)
    options = parser.parse_args()
    if options.verb == "compare":
        pair = [json.loads(path.read_text(encoding="utf-8")) for path in (options.first, options.second)]
        table = compare(*pair)
        write_json(options.figures, table)
        wrong = differences(table)
    elif options.needs_gpu and (why := without_libraries()):
        wrong = [why]
    else:
        found = run(options.lessons)
        write_json(options.figures, found)
        wrong = troubles(found, needs_gpu=options.needs_gpu)
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
